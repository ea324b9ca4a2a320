/* How lanes move through the code: activations, fragments, waves.
 *
 * A wave consists of up to SIM_LANES work-items of one group.  A fragment is a set of these that
 * are about to enter the same block of the same activation.  The engine always runs the first
 * fragment in order: earlier round first, then earlier turn (schedule.h), then the lower block
 * number as if all calls were inlined, and, if one call through a function pointer leads to several
 * functions, the function with the lowest index. Lanes that have diverged thus meet again where the
 * code joins, and fragments that meet are merged. */
#ifndef SIM_FRAGMENT_H
#define SIM_FRAGMENT_H

#include "sim/memory/wave.h"

/* The order in which the units of a wave run, if they run one after the other. */
typedef struct sim_turns {
    uint32_t unit_lanes;      /* lanes of a unit; 0: lockstep, all lanes form one unit */
    uint32_t turn[SIM_LANES]; /* of each unit: a permutation of 0 to count of units - 1 */
} sim_turns;

/* Prepares a wave for lane_count <= SIM_LANES work-items; rows_bytes is the size of space WAVE. */
void sim_wave_open(sim_wave *wave, uint32_t lane_count, uint32_t first_item, uint32_t rows_bytes);
void sim_wave_close(sim_wave *wave);

/* Checks that the wave's fragments are in order and share no lanes, and that their activations are
 * within its memory; returns true, or panics.  The running fragment is in no list and is not
 * checked.  For CHECK_SLOW. */
bool sim_wave_check(const sim_wave *wave);

/* Drops what is left of the previous group and puts all lanes at the start of the function; private
 * memory used for the first time is filled with the pattern.  Returns the function's frame, whose
 * uniform registers the caller fills; NULL if a limit is reached. */
sim_frame *sim_wave_start(sim_wave *wave, const sim_code_function *function, uint8_t pattern);

/* Makes all lanes of the fragment enter `function`.  False, with nothing changed, if the stack is
 * exhausted (depth, registers, private memory). */
bool sim_wave_call(sim_wave *wave, sim_fragment *fragment, const sim_code_function *function,
                   uint8_t pattern);
/* Returns from a function: the fragment continues in the caller, after the call.  False if it
 * returned from the kernel itself; the fragment is then released. */
bool sim_wave_return(sim_wave *wave, sim_fragment *fragment);

/* Creates a fragment without lanes at the place and in the activation of `fragment`. */
sim_fragment *sim_wave_split(sim_wave *wave, const sim_fragment *fragment);
/* Releases a fragment whose lanes are done. */
void sim_wave_drop(sim_wave *wave, sim_fragment *fragment);
/* Inserts a fragment in order, or merges it with another at the same place. */
void sim_wave_push(sim_wave *wave, sim_fragment *fragment);
/* Adds a fragment that has reached a barrier to the waiting fragments, or merges it with another at
 * the same place. */
void sim_wave_wait(sim_wave *wave, sim_fragment *fragment);
/* Removes and returns the first fragment in order; NULL if there is none. */
sim_fragment *sim_wave_pop(sim_wave *wave);
/* True if `fragment` precedes all ready fragments and none of them is at its place. */
bool sim_wave_is_first(const sim_wave *wave, const sim_fragment *fragment);
/* Removes and returns the waiting fragment with the given index. */
sim_fragment *sim_wave_resume(sim_wave *wave, uint32_t index);
/* Increases the round of a spinning fragment, so that fragments of earlier rounds run first. If it
 * shares activations, it gets its own copies of them, and with these its own uniform registers. */
void sim_wave_rotate(sim_wave *wave, sim_fragment *fragment);
/* Splits the fragment that sim_wave_start created into units, each with its own activations, whose
 * uniform registers are separate from then on. */
void sim_wave_part(sim_wave *wave, const sim_turns *turns);
/* Lets all waiting fragments continue, in the order of the turns. */
void sim_wave_release(sim_wave *wave, const sim_turns *turns);

/* Returns the block that ends with the barrier or meeting at which the fragment waits. */
static inline const sim_code_block *sim_block_before(const sim_fragment *fragment)
{
    CHECK(fragment->block > 0 && fragment->block < fragment->frame->function->block_count);
    return &fragment->frame->function->blocks[fragment->block - 1];
}

/* Compares the places of two fragments as if all calls were inlined, regardless of their
 * activations: negative if `a` precedes, positive if `b` does, 0 if both are at the same place. */
int sim_place_compare(const sim_fragment *a, const sim_fragment *b);
/* True if both fragments, possibly of different waves, are at the same place, reached by the same
 * chain of calls. */
bool sim_place_same(const sim_fragment *a, const sim_fragment *b);

#endif
