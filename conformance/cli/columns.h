/* The subjects of a run, as named by --on. */
#ifndef CONFORMANCE_CLI_COLUMNS_H
#define CONFORMANCE_CLI_COLUMNS_H

#include "conformance/report/matrix.h"
#include "conformance/run/run.h"

typedef struct cnf_columns {
    const cnf_run_subject *subjects;
    const cnf_column *columns; /* the same columns for the report */
    uint32_t count;
} cnf_columns;

/* Chooses the subjects of "sim{schedule=backward},intel-cpu{NAME=value,...}", each once; all
 * subjects for NULL. Braces contain settings, if the subject has any; otherwise options of its
 * driver, which become environment variables. Everything lives in the arena. Returns false if a
 * subject is unknown or the braces are wrong; out_error gets a line without a newline. */
bool cnf_columns_choose(rt_arena *arena, const char *on, cnf_columns *out_columns,
                        rt_buffer *out_error);

/* Chooses the subjects of an option's value and reports a mistake on stderr: "assay: --on MESSAGE"
 * with the prefix "--on ". Returns false then. */
bool cnf_columns_read(rt_arena *arena, const char *prefix, const char *on,
                      cnf_columns *out_columns);

#endif
