/* The verdicts of many runs in one file, an SQLite database: what a scenario's verdict was when,
 * and under which driver.
 *
 * One table, `verdicts`, with a row for each record of each run, in plain columns for anybody's
 * queries: run, at (UTC, "2026-01-31T12:00:00Z"), scenario, subject, verdict, signature, device,
 * driver, hash, conditions, seconds.  A run is added by one transaction, so that several runs may
 * write one file at once, and one that is killed leaves nothing of itself. */
#ifndef CONFORMANCE_VERDICT_VERDICT_HISTORY_H
#define CONFORMANCE_VERDICT_VERDICT_HISTORY_H

#include "conformance/verdict/record.h"

/* An open history; made by cnf_history_open, freed by cnf_history_close. */
typedef struct cnf_history cnf_history;

/* Opens a history for writing, and makes the file where there is none.  IO: it cannot be opened;
 * MALFORMED: it is damaged, or no history; UNSUPPORTED: a later version of assay made it. */
RT_MUST_USE rt_status cnf_history_open(rt_sink *sink, const char *name, cnf_history **out_history);

/* Opens a history that is there for reading only.  Errors as cnf_history_open. */
RT_MUST_USE rt_status cnf_history_open_read(rt_sink *sink, const char *name,
                                            cnf_history **out_history);

/* Adds the records as one run that happened `at`, a text as above.  Waits up to a minute for other
 * writers.  IO: it could not be written, and nothing was. */
RT_MUST_USE rt_status cnf_history_add(rt_sink *sink, cnf_history *history, const char *at,
                                      const cnf_record *records, uint32_t record_count);

/* Appends what became of a scenario, oldest first: a line for every stretch of runs on one subject
 * and driver, and of one content of the scenario under the same conditions, in which verdict and
 * signature stayed the same.  With an empty scenario, those of every scenario and subject whose
 * verdict was not always the same.  Last a line that counts runs.  *out_found: whether the history
 * has a record of the scenario; true for the empty one.  MALFORMED: the file is damaged. */
RT_MUST_USE rt_status cnf_history_write(rt_sink *sink, cnf_history *history, rt_text scenario,
                                        rt_buffer *out, bool *out_found);

/* Closes the file and frees the history; NULL does nothing. */
void cnf_history_close(cnf_history *history);

#endif
