/* Collecting the problems of one scenario file, and the parts that their messages share. */
#ifndef CONFORMANCE_SCENARIO_PROBLEMS_H
#define CONFORMANCE_SCENARIO_PROBLEMS_H

#include "conformance/scenario/model/scenario.h"

enum { SCN_PROBLEM_COUNT_MAX = 20 };

/* The first problems found, at most SCN_PROBLEM_COUNT_MAX; later ones are dropped. */
typedef struct scn_reporter {
    rt_arena *arena; /* borrowed; texts live there */
    scn_problem items[SCN_PROBLEM_COUNT_MAX];
    uint32_t count;
} scn_reporter;

/* Adds a problem.  The message is one line: what is wrong, what was expected, what to do.  Always
 * returns false, so that a reading function can end with it. */
bool scn_report(scn_reporter *reporter, scn_position at, const char *format, ...) RT_PRINTF(3, 4);

/* Adds the problems that `inside` has of another file, under whose name they are shown: `file`
 * (copied), as it can be opened.  Always returns false. */
bool scn_report_inside(scn_reporter *reporter, rt_text file, const scn_reporter *inside);

/* The problems in the order of the file, those of other files behind them, as a table in the arena.
 */
scn_problems scn_reporter_finish(scn_reporter *reporter);

/* What a message may show of a text from the file: one line, control characters and broken UTF-8
 * replaced, at most 48 bytes, NUL-terminated, in the arena. */
const char *scn_shown(rt_arena *arena, rt_text text);

/* Names up to this many are listed where none is near. */
#define SCN_NEAREST_LISTED_MAX 8

/* Looking for the valid name that was probably meant. */
typedef struct scn_nearest {
    rt_text wanted;
    rt_text best; /* empty: none near enough so far */
    uint32_t distance;
    uint32_t offered_count;                  /* different names; more than LISTED_MAX: many */
    rt_text offered[SCN_NEAREST_LISTED_MAX]; /* the first of them, borrowed */
} scn_nearest;

/* Begins a search for a name near `wanted`, which is borrowed. */
scn_nearest scn_nearest_to(rt_text wanted);

/* Considers one valid name (borrowed).  The first of equally near ones is kept. */
void scn_nearest_offer(scn_nearest *nearest, rt_text candidate);

/* "; did you mean 'NAME'?"; where no name is near "; known are: A, B", or "" where these are none
 * or too many to be read.  NUL-terminated, in the arena or static. */
const char *scn_nearest_hint(rt_arena *arena, const scn_nearest *nearest);

#endif
