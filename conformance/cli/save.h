/* Saves a launch as a scenario: --save, --bless. */
#ifndef CONFORMANCE_CLI_SAVE_H
#define CONFORMANCE_CLI_SAVE_H

#include "conformance/cli/columns.h"
#include "conformance/cli/launch.h"
#include "conformance/run/run.h"

typedef struct cnf_save {
    const char *file; /* NULL: nothing is saved */
    const cnf_launch *launch;
    rt_text subject;     /* whose results are saved; empty: none, or already saved */
    rt_buffer text;      /* with the results; empty: none yet */
    const char *verdict; /* of that subject; NULL: it has not run */
} cnf_save;

/* Begins saving: without --bless, writes the scenario now, for it needs no run. A launch that does
 * not compile is not saved. The launch must outlive the save. Returns an exit status; mistakes are
 * reported on stderr. */
int cnf_save_begin(cnf_save *save, const cnf_arguments *arguments, const cnf_launch *launch,
                   const cnf_columns *columns);

/* With --bless: keeps the results of the subject that provides them, sim or else the first. */
void cnf_save_note(cnf_save *save, const cnf_record *record, const cnf_run_detail *detail);

/* With --bless: writes the scenario, if the subject passed. Returns false after reporting on stderr
 * why nothing was written. */
bool cnf_save_finish(cnf_save *save);

#endif
