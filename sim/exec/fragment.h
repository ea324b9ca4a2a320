/* Lanes on their way through the code: activations, fragments, waves.
 *
 * A wave is up to SIM_LANES work-items of one group.  A fragment is a set of them that is about to
 * enter the same block of the same activation.  The engine always runs the first of them in order:
 * earlier round, then earlier turn (schedule.h), then as if all calls were written out in place,
 * the lower block; where one call through a pointer leads to several functions, the lower function.
 * So lanes that diverged meet again where the code joins, and fragments that meet are merged. */
#ifndef SIM_FRAGMENT_H
#define SIM_FRAGMENT_H

#include "sim/memory/wave.h"

/* When the units of a wave run, where they run one after the other. */
typedef struct sim_turns {
    uint32_t unit_lanes;      /* lanes of a unit; 0: lockstep, all lanes are one */
    uint32_t turn[SIM_LANES]; /* by unit, each number once */
} sim_turns;

/* Prepares a wave for lane_count <= SIM_LANES work-items; rows_bytes is the size of space WAVE. */
void sim_wave_open(sim_wave *wave, uint32_t lane_count, uint32_t first_item, uint32_t rows_bytes);
void sim_wave_close(sim_wave *wave);

/* The wave's fragments have lanes of their own and are in order, and their activations lie within
 * its memory; stops where not.  A fragment that runs is in no list and not looked at.  For
 * CHECK_SLOW. */
bool sim_wave_check(const sim_wave *wave);

/* Drops what is left of a group and puts all lanes at the start of the function; private memory
 * that is used for the first time is filled with the pattern.  Returns its frame, whose uniform
 * registers the caller fills; NULL where a limit is reached. */
sim_frame *sim_wave_start(sim_wave *wave, const sim_code_function *function, uint8_t pattern);

/* Calls: the fragment enters `function`, all of its lanes.  False where the stack is exhausted
 * (depth, registers, private memory); nothing changed then. */
bool sim_wave_call(sim_wave *wave, sim_fragment *fragment, const sim_code_function *function,
                   uint8_t pattern);
/* Returns: the fragment continues after the call in the caller.  False for the kernel itself: then
 * the fragment is given back. */
bool sim_wave_return(sim_wave *wave, sim_fragment *fragment);

/* A fragment in the same activation with no lanes yet. */
sim_fragment *sim_wave_split(sim_wave *wave, const sim_fragment *fragment);
/* Releases a fragment whose lanes are done. */
void sim_wave_drop(sim_wave *wave, sim_fragment *fragment);
/* Inserts a fragment in order; it is merged with another at the same place. */
void sim_wave_push(sim_wave *wave, sim_fragment *fragment);
/* Adds a fragment that has reached a barrier to the waiting ones, merged in the same way. */
void sim_wave_wait(sim_wave *wave, sim_fragment *fragment);
/* The first fragment in order, taken out; NULL: none. */
sim_fragment *sim_wave_pop(sim_wave *wave);
/* True when `fragment` precedes all others and none is at its place. */
bool sim_wave_is_first(const sim_wave *wave, const sim_fragment *fragment);
/* Takes a waiting fragment out; `index` is its place among them. */
sim_fragment *sim_wave_resume(sim_wave *wave, uint32_t index);
/* Moves a fragment that spins after all others. If it shares activations, it gets copies of them,
 * and with them its own uniform registers. */
void sim_wave_rotate(sim_wave *wave, sim_fragment *fragment);
/* Splits the fragment that sim_wave_start made into units, each with its own activations, whose
 * uniform registers differ from then on. */
void sim_wave_part(sim_wave *wave, const sim_turns *turns);
/* All waiting fragments go on, in the order of the turns. */
void sim_wave_release(sim_wave *wave, const sim_turns *turns);

/* Compares where two fragments are as if all calls were written out, whichever activations they
 * have: negative, `a` is first; 0, both are at the same place. */
int sim_place_compare(const sim_fragment *a, const sim_fragment *b);
/* The same across waves: the same chain of calls. */
bool sim_place_same(const sim_fragment *a, const sim_fragment *b);

#endif
