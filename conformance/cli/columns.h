/* The subjects of a run, as named by --on. */
#ifndef CONFORMANCE_CLI_COLUMNS_H
#define CONFORMANCE_CLI_COLUMNS_H

#include "conformance/report/matrix.h"
#include "conformance/run/run.h"

typedef struct cnf_columns {
    const cnf_run_subject *subjects;
    const cnf_column *columns; /* the same subjects as columns of the report */
    uint32_t count;
} cnf_columns;

/* Chooses the subjects that `on` lists, for example
 * "sim{schedule=backward},intel-cpu{NAME=value,...}", each once; NULL means all subjects. Braces
 * contain the subject's settings or, if it has none, options of its driver, which become
 * environment variables; and root=FOLDER for a subject of which there may be several
 * installations. Everything lives in the arena. Returns false if a subject is unknown or
 * the braces are wrong; out_error gets a line without a newline. */
bool cnf_columns_choose(rt_arena *arena, const char *on, cnf_columns *out_columns,
                        rt_buffer *out_error);

/* Chooses the subjects that an option's value lists. Returns false after reporting a mistake on
 * stderr as "assay: ", `prefix` (for example "--on ") and the message. */
bool cnf_columns_read(rt_arena *arena, const char *prefix, const char *on,
                      cnf_columns *out_columns);

#endif
