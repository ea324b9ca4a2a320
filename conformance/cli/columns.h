/* The subjects of a run as --on names them. */
#ifndef CONFORMANCE_CLI_COLUMNS_H
#define CONFORMANCE_CLI_COLUMNS_H

#include "conformance/report/matrix.h"
#include "conformance/run/run.h"

typedef struct cnf_columns {
    const cnf_run_subject *subjects;
    const cnf_column *columns; /* the same for the report */
    uint32_t count;
} cnf_columns;

/* Chooses the subjects of "sim{schedule=backward},intel-cpu{NAME=value,...}", each once, or all
 * that there are for NULL; what stands in braces are settings of a subject that has any, else
 * options of the subject's driver, set as variables of its environment.  Everything lives in the
 * arena.  False: the text names no subject, or its braces are wrong; out_error gets a line that
 * says so, without a newline. */
bool cnf_columns_choose(rt_arena *arena, const char *on, cnf_columns *out_columns,
                        rt_buffer *out_error);

#endif
