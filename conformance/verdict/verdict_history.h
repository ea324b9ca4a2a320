/* The verdicts of many runs in one SQLite database: each scenario's verdicts over time, with the
 * driver.
 *
 * The only table, `verdicts`, has a row for each record of each run, or for each of its attempts,
 * with plain columns for ad-hoc queries: run, at (UTC, "2026-01-31T12:00:00Z"), scenario, subject,
 * verdict, signature, device, driver, hash, conditions, seconds. A run is added in one transaction,
 * so several runs may write to one file concurrently, and an interrupted run leaves no rows. */
#ifndef CONFORMANCE_VERDICT_VERDICT_HISTORY_H
#define CONFORMANCE_VERDICT_VERDICT_HISTORY_H

#include "conformance/verdict/record.h"

/* An open history; created by cnf_history_open, freed by cnf_history_close. */
typedef struct cnf_history cnf_history;

/* Opens a history for writing; creates the file if it does not exist. *out_history is NULL on
 * failure. IO: the file cannot be opened; MALFORMED: it is damaged or not a history; UNSUPPORTED:
 * its version is not the one that this assay writes. */
RT_MUST_USE rt_status cnf_history_open(rt_sink *sink, const char *name, cnf_history **out_history);

/* Opens an existing history for reading. Fails as cnf_history_open does. */
RT_MUST_USE rt_status cnf_history_open_read(rt_sink *sink, const char *name,
                                            cnf_history **out_history);

/* Adds the records as one run at the time `at`, in the form above. Waits up to a minute for other
 * writers. IO: the run could not be written, and the history is unchanged. */
RT_MUST_USE rt_status cnf_history_add(rt_sink *sink, cnf_history *history, const char *at,
                                      const cnf_record *records, uint32_t record_count);

/* Appends a scenario's history, oldest first: one line for each sequence of runs whose subject,
 * driver, scenario contents, conditions, verdict and signature are the same. With an empty
 * scenario, appends the history of every scenario and subject whose verdict changed. The last line
 * counts the runs. *out_found is true if the history has a record of the scenario, or if `scenario`
 * is empty. MALFORMED: the file is damaged. */
RT_MUST_USE rt_status cnf_history_write(rt_sink *sink, cnf_history *history, rt_text scenario,
                                        rt_buffer *out, bool *out_found);

/* The rule of quarantine: a scenario is flaky if attempts with one driver, unchanged contents and
 * the same conditions both passed and failed. It is to be quarantined (a flaky entry in an
 * expectation file) until the attempts since its last failure alone put the upper end of the 95 %
 * interval of its rate of failures below this bound: 73 attempts without a failure. */
#define CNF_FLAKY_RELEASE 0.05

/* Appends a line for each flaky scenario, subject and driver: whether it belongs in quarantine or
 * can be released, the failures and attempts, the rate with its interval (interval.h), and the
 * attempts since the last failure. The last line counts the lines. MALFORMED: the file is damaged.
 */
RT_MUST_USE rt_status cnf_history_flaky_write(rt_sink *sink, cnf_history *history, rt_buffer *out);

/* How long a scenario takes. */
typedef struct cnf_scenario_time {
    rt_text scenario;
    double seconds;
} cnf_scenario_time;

/* The mean times of all scenarios on the given subjects together, sorted by scenario, in the arena.
 * Skipped verdicts do not count. MALFORMED: the file is damaged. */
RT_MUST_USE rt_status cnf_history_times(rt_sink *sink, cnf_history *history, rt_arena *arena,
                                        const rt_text *subjects, uint32_t subject_count,
                                        const cnf_scenario_time **out_times, uint32_t *out_count);

/* Closes the file and frees the history; NULL does nothing. */
void cnf_history_close(cnf_history *history);

#endif
