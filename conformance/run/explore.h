/* Explores the choices that the documents leave open: one run of the scenario for each combination.
 *
 * A script, such as "0,1", lists the alternatives that the first choices of a run take
 * (reference/base/script.h); the run makes the remaining choices itself and reports each choice
 * with its number of alternatives. From these follow the scripts that have not run yet: each is a
 * prefix of the choices made, followed by a different alternative. Each combination runs once, and
 * the last choices vary first (design, "Reference runtime"; reference/base/choose.h).
 *
 * Orders of commands are explored only where they matter. A run reports, for each pair of commands
 * that conflict although nothing orders them, the choice that would have exchanged the two; the
 * script that makes it, after the same earlier choices, follows. Any other order gives the same
 * results as one that runs (C. Flanagan, P. Godefroid: "Dynamic partial-order reduction for model
 * checking software", POPL 2005; without their sleep sets, so some orders run more than once). */
#ifndef CONFORMANCE_RUN_EXPLORE_H
#define CONFORMANCE_RUN_EXPLORE_H

#include "conformance/verdict/messages.h"
#include "reference/base/vector.h"

/* The branches of a one_of that have happened. */
typedef struct cnf_explored_branches {
    uint32_t line, step, branches;
    bool *happened; /* by branch, from 0 */
} cnf_explored_branches;

typedef struct cnf_explorer {
    rt_arena *arena;
    uint32_t run_max, run_count;
    bool cut;                   /* scripts were dropped because run_max was reached */
    RT_VECTOR(rt_text) ordered; /* scripts with orders that have been pending */
    RT_VECTOR(rt_text) pending; /* a stack: the last script runs next */
    RT_VECTOR(cnf_explored_branches) branches;
} cnf_explorer;

/* Begins with the script that all runs share ("" for none). run_max is at least 1. The arena must
 * outlive the explorer, which is freed with cnf_explorer_free. */
void cnf_explorer_begin(cnf_explorer *explorer, rt_arena *arena, rt_text script, uint32_t run_max);
void cnf_explorer_free(cnf_explorer *explorer);

/* Takes the next script. Returns false if none is left; at most run_max are returned. */
bool cnf_explorer_next(cnf_explorer *explorer, rt_text *out_script);

/* Adds the messages of the script's run, and the scripts that follow from them. Returns false, with
 * the reason in *out_reason, if the run did not make the choices that the script prescribes. */
bool cnf_explorer_add(cnf_explorer *explorer, rt_text script, const cnf_messages *messages,
                      rt_text *out_reason);

/* Appends a line for every branch that happened in no run, such as "one_of at line 14: branch 2
 * never happened in 4 runs", and one more if exploring stopped early. */
void cnf_explorer_warn(const cnf_explorer *explorer, rt_buffer *out);

/* The choices of a run as a script, for example "0,1;5:2". */
rt_text cnf_explorer_script(rt_arena *arena, const cnf_messages *messages);

#endif
