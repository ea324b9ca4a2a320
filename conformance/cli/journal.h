/* The file of --json: records as they come, and what --resume finds in it. */
#ifndef CONFORMANCE_CLI_JOURNAL_H
#define CONFORMANCE_CLI_JOURNAL_H

#include "conformance/run/run.h"
#include "conformance/verdict/record.h"

typedef struct cnf_journal {
    const char *name;       /* NULL: there is none */
    int file;               /* -1: not open */
    const cnf_record *kept; /* of an earlier run, sorted by scenario and subject, each pair once */
    uint32_t kept_count;
    rt_arena arena;
} cnf_journal;

/* Opens the journal anew.  No other run may be writing it (flock(2)).  Returns an exit status; what
 * is wrong is said on stderr.  NULL for the name: records go nowhere. */
int cnf_journal_open(cnf_journal *journal, const char *name);

/* Opens the journal of an earlier run and keeps the records that are as good as new: of the given
 * files, unchanged since, on the given subjects, under the given conditions
 * (cnf_record.conditions), with a verdict that is about the scenario.  What was interrupted, not
 * installed or lost with its device runs again; its record is taken out, like a last line that was
 * cut.  Records of other scenarios and subjects stay.  The file is replaced in one step, so that no
 * record is lost whenever we are stopped.  A file that is not there yet is begun.  Returns an exit
 * status, as above; USAGE for a file that holds something else. */
int cnf_journal_resume(cnf_journal *journal, const char *name, const cnf_files *files,
                       const cnf_run_subject *subjects, uint32_t subject_count, rt_text conditions);

/* Whether an earlier record of the pair is kept, for cnf_run_options.is_done. */
bool cnf_journal_has(const cnf_journal *journal, rt_text path, rt_text hash, rt_text subject);

/* Appends a record.  False: it could not be written, which is said on stderr. */
bool cnf_journal_append(cnf_journal *journal, const cnf_record *record);

/* Closes the file and frees what is kept.  False: writing failed at the last moment. */
bool cnf_journal_close(cnf_journal *journal);

#endif
