/* Similar invalid scenarios in one file: a base, which is a valid scenario, and cases that each
 * change a few of its lines.
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
 * A line after a space is a line of the base that is kept; it shows where an added line belongs.
 * Each removed or kept line is searched for after the previous one, and all other lines of the base
 * are kept.  Lines added before any of them follow the base.  A line after a backslash is added
 * too, with a byte for each \xNN.  A message about another file begins with its name instead of a
 * number.  Empty lines between cases and before the base are ignored. */
#ifndef CONFORMANCE_SCENARIO_TEST_CASES_H
#define CONFORMANCE_SCENARIO_TEST_CASES_H

#include "reference/base/arena.h"
#include "reference/base/vector.h"

typedef struct golden_case {
    rt_text name;
    rt_text scenario; /* the base with the case's changes */
    rt_text message;  /* the expected whole lines, as `assay check` prints them for NAME.yaml */
    /* The byte range of the message's lines in the file; empty if there are none yet. */
    size_t message_begin, message_end;
} golden_case;

typedef struct golden_cases {
    rt_text base; /* empty: the cases are whole scenarios */
    RT_VECTOR(golden_case) list;
} golden_cases;

/* Reads a file of cases.  Texts live in the arena or borrow from `file`; the caller frees the list,
 * also after a failure.  False: the file does not follow the rules above, and *out_error is the
 * reason with the number of the line. */
bool golden_cases_read(rt_arena *arena, rt_text file, golden_cases *out, rt_text *out_error);

/* Appends the file with the message of each case replaced: messages[i] is what `assay check` prints
 * of cases->list.items[i].scenario as NAME.yaml. */
void golden_cases_update(rt_buffer *out, rt_text file, const golden_cases *cases,
                         const rt_text *messages);

#endif
