/* Groups similar invalid scenarios in one file: a base, which is a valid scenario, and cases, each
 * of which changes a few of its lines.
 *
 *     # What the cases of this file are about.
 *     assay: 1
 *     ...                                       the base, up to the first case
 *
 *     == range_empty                            the name of a case
 *     -  - submit: {kernel: k, range: [4]}      a line of the base that is removed
 *     +  - submit: {kernel: k, range: []}       a line that is added
 *     ! 12:31: error: expected ...              a line of the message, without the name of the file
 *
 * A line that begins with a space is a line of the base to keep; it shows where added lines belong.
 * Each line to remove or keep is searched for after the previous one; all other lines of the base
 * are kept. Lines added before any such line go to the end of the base. A line that begins with a
 * backslash is added too, with each \xNN replaced by that byte. A message about another file begins
 * with the name of that file instead of a line number. Empty lines between cases and before the
 * base are ignored. */
#ifndef CONFORMANCE_SCENARIO_TEST_CASES_H
#define CONFORMANCE_SCENARIO_TEST_CASES_H

#include "reference/base/arena.h"
#include "reference/base/vector.h"

typedef struct golden_case {
    rt_text name;
    rt_text scenario; /* the base with the case's changes applied */
    rt_text message;  /* the expected message, as complete lines that `assay check` prints for
                       * NAME.yaml */
    /* The byte range of the message's lines in the file of cases; empty if it has none yet. */
    size_t message_begin, message_end;
} golden_case;

typedef struct golden_cases {
    rt_text base; /* empty: the cases are whole scenarios */
    RT_VECTOR(golden_case) list;
} golden_cases;

/* Reads a file of cases. Texts are allocated in the arena or borrowed from `file`; the caller frees
 * the list, also after a failure. Returns false if the file breaks the rules above; *out_error is
 * then the line number and the reason. */
bool golden_cases_read(rt_arena *arena, rt_text file, golden_cases *out, rt_text *out_error);

/* Appends the file of cases with the message of each case replaced by messages[i], which is what
 * `assay check` prints for cases->list.items[i].scenario under the name NAME.yaml. */
void golden_cases_update(rt_buffer *out, rt_text file, const golden_cases *cases,
                         const rt_text *messages);

#endif
