/* Collects the problems of one scenario file, and provides the common parts of their messages. */
#ifndef CONFORMANCE_SCENARIO_PROBLEMS_H
#define CONFORMANCE_SCENARIO_PROBLEMS_H

#include "conformance/scenario/model/scenario.h"
#include "reference/base/nearest.h"

enum { SCN_PROBLEM_COUNT_MAX = 20 };

/* The first problems found, at most SCN_PROBLEM_COUNT_MAX; later ones are dropped. */
typedef struct scn_reporter {
    rt_arena *arena; /* borrowed; texts are allocated in it */
    scn_problem items[SCN_PROBLEM_COUNT_MAX];
    uint32_t count;
} scn_reporter;

/* Where a field of the model is written in the file: the positions of its key and of its value. */
typedef struct scn_located {
    const void *field;
    scn_position key, value;
} scn_located;

/* Adds a problem. The message is one line: what is wrong, what was expected, what to do. Always
 * returns false, so that a reading function can return its result. */
bool scn_report(scn_reporter *reporter, scn_position at, const char *format, ...) RT_PRINTF(3, 4);

/* Adds the problems that `inside` has collected from another file, which messages call `file`
 * (copied); the user must be able to open it by that name. Always returns false. */
bool scn_report_inside(scn_reporter *reporter, rt_text file, const scn_reporter *inside);

/* The problems in file order, followed by those of other files, as a table in the arena.
 */
scn_problems scn_reporter_finish(scn_reporter *reporter);

/* An excerpt, fit for a message, of a text from the file: its first 48 bytes on one line, with
 * control characters and invalid UTF-8 replaced; NUL-terminated, in the arena. */
const char *scn_excerpt(rt_arena *arena, rt_text text);

/* "; did you mean 'NAME'?"; if no name is similar, "; expected one of: A, B", or "" if there are no
 * names or too many to list. NUL-terminated, in the arena or static. */
const char *scn_nearest_hint(rt_arena *arena, const rt_nearest *nearest);

#endif
