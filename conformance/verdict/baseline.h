/* Entries of expectation files that assay writes: one for each failing check that no entry covers,
 * of class `untriaged`. */
#ifndef CONFORMANCE_VERDICT_BASELINE_H
#define CONFORMANCE_VERDICT_BASELINE_H

#include "conformance/verdict/record.h"

/* Appends the entries that would make the record's verdict XFAIL, each line after `indent` blanks,
 * and returns their number: 0 if the verdict is expected, if the scenario did not run, if it passed
 * although an entry says otherwise, or if two runs on a deterministic subject differ. If some
 * attempts passed, the entries are flaky. `since` is the day; empty: unknown, and the key is left
 * out. */
uint32_t cnf_baseline_write(rt_buffer *out, size_t indent, const cnf_record *record, rt_text since);

/* Adds the records' entries to the contents of an expectation file, which may be empty; everything
 * that it contains, comments included, is kept. The records are about one subject. Returns the
 * number of entries added. If the contents are not an expectation file of that subject, or its list
 * of entries is not its last key in block style, returns 0 and *out_why, in the arena, says so. */
uint32_t cnf_baseline_add(rt_buffer *out, rt_arena *arena, rt_text contents,
                          const cnf_record *const *records, uint32_t record_count, rt_text since,
                          rt_text *out_why);

#endif
