/* The journal: the file of --json, to which each record is appended immediately and from which
 * --resume continues. */
#ifndef CONFORMANCE_CLI_JOURNAL_H
#define CONFORMANCE_CLI_JOURNAL_H

#include "conformance/run/run.h"
#include "conformance/verdict/record.h"

typedef struct cnf_journal {
    const char *name;          /* NULL: no journal */
    int file;                  /* -1: not open */
    const cnf_record *records; /* an earlier run's, sorted by scenario and subject, unique */
    uint32_t record_count;
    rt_arena arena;
} cnf_journal;

/* Creates or truncates the journal; if `name` is NULL, records are not written. The file must not
 * be in use by another run (flock(2)). Returns an exit status; errors are reported on stderr. */
int cnf_journal_open(cnf_journal *journal, const char *name);

/* Opens the journal of an earlier run, or creates it, and keeps the records that are still valid. A
 * record is valid if it is about one of the given subjects and one of the given files, the file is
 * unchanged, the conditions (cnf_record.conditions) are the given ones, and the verdict is about
 * the scenario. A run is repeated if it was interrupted, its subject was not installed, or it was
 * lost with its device; its record is removed, as is a truncated last line. Records of other
 * scenarios and subjects stay. The file is replaced atomically, so that no record is lost if the
 * program is stopped. Returns an exit status as above; USAGE if the file is not a journal. */
int cnf_journal_resume(cnf_journal *journal, const char *name, const cnf_files *files,
                       const cnf_run_subject *subjects, uint32_t subject_count, rt_text conditions);

/* True if an earlier record of the pair is kept, for cnf_run_options.is_done. */
bool cnf_journal_has(const cnf_journal *journal, rt_text path, rt_text hash, rt_text subject);

/* Appends a record. Returns false after reporting an error on stderr. */
bool cnf_journal_append(cnf_journal *journal, const cnf_record *record);

/* Closes the file and frees the kept records. Returns false if closing reports a write error. */
bool cnf_journal_close(cnf_journal *journal);

#endif
