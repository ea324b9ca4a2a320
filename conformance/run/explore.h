/* Exploring what the documents leave open: every way to choose, one run of the scenario each.
 *
 * A script is what the first choices of a run take, "0,1"; the run makes the others itself and says
 * which it made among how many.  From that follow the scripts that were not run yet: as far as
 * the first runs went, and another alternative then.  Each way to choose is run once, the last
 * choices varied first (design, "Reference runtime"; reference/base/choose.h). */
#ifndef CONFORMANCE_RUN_EXPLORE_H
#define CONFORMANCE_RUN_EXPLORE_H

#include "conformance/verdict/messages.h"
#include "reference/base/vector.h"

/* Which branches of one one_of have happened. */
typedef struct cnf_explored_branches {
    uint32_t line, step, branches;
    bool *happened; /* per branch, from 0 */
} cnf_explored_branches;

typedef struct cnf_explorer {
    rt_arena *arena;
    uint32_t run_max, run_count;
    bool cut;                   /* scripts were dropped because run_max was reached */
    RT_VECTOR(rt_text) pending; /* the next one is the last */
    RT_VECTOR(cnf_explored_branches) branches;
} cnf_explorer;

/* Begins with the script that all runs share, "" for none.  run_max >= 1.  The arena must outlive
 * the explorer, which cnf_explorer_free frees. */
void cnf_explorer_begin(cnf_explorer *explorer, rt_arena *arena, rt_text script, uint32_t run_max);
void cnf_explorer_free(cnf_explorer *explorer);

/* Takes the next script; false: there is none, or run_max runs have been made. */
bool cnf_explorer_next(cnf_explorer *explorer, rt_text *out_script);

/* Adds the messages of the script's run, and the scripts that follow from it. Returns false, with
 * the reason in *out_reason, if the run did not make the choices that the script prescribes. */
bool cnf_explorer_add(cnf_explorer *explorer, rt_text script, const cnf_messages *messages,
                      rt_text *out_reason);

/* Appends a line for every branch that happened in no run, and one where runs are missing:
 * "one_of at line 14: branch 2 never happened in 4 runs". */
void cnf_explorer_warn(const cnf_explorer *explorer, rt_buffer *out);

/* The choices of a run as a script: "0,1". */
rt_text cnf_explorer_script(rt_arena *arena, const cnf_messages *messages);

/* True if the text is a script: "" or numbers separated by commas. */
bool cnf_explorer_script_valid(rt_text text);

#endif
