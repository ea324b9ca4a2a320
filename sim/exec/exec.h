/* A launch in progress, and the engine that executes register code.
 *
 * The files run.c, lanes.c, math_rows.c, math_pairs.c, memory.c, atomic.c, race.c and rare.c are
 * compiled once for each level: x86-64, x86-64-v3 and x86-64-v4. run.c, memory.c and atomic.c are
 * also compiled without checks. The names that these files export end in SIM_ENGINE. Results are
 * bit-identical: floating-point contraction is off, except in math_rows.c, whose results are the
 * correctly rounded ones with it and without it, and nothing depends on the order in which the
 * lanes of one instruction are processed. */
#ifndef SIM_EXEC_H
#define SIM_EXEC_H

#include "sim/check/race.h"
#include "sim/check/shadow.h"
#include "sim/exec/fragment.h"
#include "sim/memory/note.h"
#include "sim/number/lane_types.h"
#include "sim/number/math.h"

typedef void sim_handle(sim_exec *x, const sim_op *op);

/* Runs a wave until it is done, reaches a barrier, or ends the launch.  Returns early, with state
 * READY, if it spins and other waves should continue. */
typedef void sim_engine(sim_exec *x, sim_wave *wave);

#define SIM_ENGINE_COUNT 3u
/* Returns an engine by number; 0 is the base engine, for any x86-64. NULL if this machine cannot
 * run the engine. */
sim_engine *sim_engine_at(uint32_t index);
/* Like sim_engine_at, but returns an engine built without checks, to measure what the checks cost.
 */
sim_engine *sim_engine_unchecked_at(uint32_t index);
/* Returns the number of the best engine for this machine. */
uint32_t sim_engine_best(void);

/* ---- lane_access.c: memory accesses of a single lane, fully checked -------------------------- */

/* Load or store `size` bytes for lane `lane`, which is the first of `count` active lanes that do
 * the same. An invalid access is reported; the load then returns bytes chosen from the seed, and
 * the store does nothing. `alignment` is a power of two. The bytes' shadow is passed in
 * x->lane_undefined, so a load followed by a store copies it. */
void sim_lane_load(sim_exec *x, const sim_op *op, uint32_t lane, uint64_t address, uint32_t size,
                   uint32_t alignment, uint32_t count, uint8_t *out_bytes);
void sim_lane_store(sim_exec *x, const sim_op *op, uint32_t lane, uint64_t address, uint32_t size,
                    uint32_t alignment, uint32_t count, const uint8_t *bytes);

/* Writes the base of each space for an activation. */
static inline void sim_frame_bases(const sim_exec *x, const sim_frame *frame, uint8_t **out_bases)
{
    out_bases[SIM_SPACE_FRAME] = x->wave->stack.data + frame->lanes_first;
    out_bases[SIM_SPACE_WAVE] = x->wave->rows.data;
    out_bases[SIM_SPACE_UNIFORM] = frame->uniforms;
    out_bases[SIM_SPACE_POOL] = (uint8_t *)x->launch->pool;
}

/* Makes the fragment's activation the running one. */
static inline void sim_enter_frame(sim_exec *x, const sim_fragment *fragment)
{
    x->frame = fragment->frame;
    sim_frame_bases(x, fragment->frame, x->base);
    if (x->wave->tracks) sim_shadow_bases(x, fragment->frame, x->undefined);
}

/* ---- target.c: addresses of functions ------------------------------------------------------- */

/* Returns the index, in the launched program, of the function that a call through `address` with
 * that signature reaches; the address of a virtual function may come from another program with the
 * same image. SIM_NONE if the target is invalid, which is reported for `count` lanes, the first
 * being `lane`. */
uint32_t sim_target_find(sim_exec *x, uint32_t site, uint32_t signature, uint64_t address,
                         uint32_t lane, uint64_t count);

/* Reports a finding if `count` lanes, the first being `lane`, call a virtual function of a set that
 * the kernel does not declare.  The call proceeds, since its target exists. */
void sim_target_judge(sim_exec *x, uint32_t site, uint32_t function, uint32_t lane, uint64_t count);

/* ---- group.c, lane_access.c: handlers that are the same in every engine ---------------------- */

sim_handle sim_handle_collective, sim_handle_group_put, sim_handle_group_take;
sim_handle sim_handle_async_copy, sim_handle_wait_events, sim_handle_forget;

/* Executes a collective that is not a barrier for the sub-groups of a chunk, of `size` work-items
 * each; all of their work-items that must take part are in the mask. The operands are the lanes'.
 * False, with nothing noted, if there is a finding or a value must be chosen. */
bool sim_collective_chunk(const sim_op *op, uint32_t size, uint32_t mask, const uint64_t *a,
                          const uint64_t *b, const uint64_t *c, uint64_t *out);

/* ---- barrier.c: instructions that a whole work-group must reach ------------------------------ */

/* Records that the active lanes have reached the instruction at that site. */
void sim_arrive(sim_exec *x, uint32_t site);

/* ---- stack.c: exhausted stacks --------------------------------------------------------------- */

/* Report that the stack has no room for the running fragment's call of the function, or for the
 * kernel itself, and end the launch with BUDGET. */
void sim_call_exhausted(sim_exec *x, uint32_t site, uint32_t function);
void sim_kernel_exhausted(sim_exec *x, sim_wave *wave);

/* ---- meet.c: sub-groups whose work-items wait for each other --------------------------------- */

/* Lets sub-groups of the wave continue. A sub-group meets at the first place, in the order of
 * fragment.h, at which some of its work-items wait for the others; it continues from there unless
 * other work-items are still waited for. Collectives are executed together for all lanes that meet
 * at a place, even if these are in different activations. */
void sim_meet(sim_exec *x);

/* ---- print.c: printf, the same in every engine ----------------------------------------------- */

sim_handle sim_handle_print;

/* ---- Parts of one engine -------------------------------------------------------------------- */

#ifdef SIM_ENGINE
#define SIM_NAME_2(name, engine) name##_##engine
#define SIM_NAME_1(name, engine) SIM_NAME_2(name, engine)
#define SIM_NAME(name)           SIM_NAME_1(name, SIM_ENGINE)

/* 0 in the builds that measure what the checks cost: these do not check that addresses are within
 * objects, that bits are defined, or that accesses are ordered. For arithmetic, which has no
 * checks, they use the handlers of the checked engine of the same level, SIM_ENGINE_OF. */
#ifndef SIM_CHECKED
#define SIM_CHECKED   1
#define SIM_ENGINE_OF SIM_ENGINE
#endif
#define SIM_ARITHMETIC(name) SIM_NAME_1(name, SIM_ENGINE_OF)

/* Handlers by number; in each file's table, the handlers that other files define are NULL. */
extern sim_handle *const SIM_ARITHMETIC(sim_lanes_table)[SIM_HANDLER_COUNT];
extern sim_handle *const SIM_NAME(sim_memory_table)[SIM_HANDLER_COUNT];
extern sim_handle *const SIM_ARITHMETIC(sim_rare_table)[SIM_HANDLER_COUNT];
extern sim_handle *const SIM_NAME(sim_atomic_table)[SIM_HANDLER_COUNT];
void SIM_NAME(sim_engine)(sim_exec *x, sim_wave *wave);

/* sim_math_float and sim_math_double for whole chunks of lanes: the same bits, but the operands of
 * lanes that are not computed are read as well. */
void SIM_NAME(sim_math_rows)(sim_math function, const sim_math_lanes *lanes);
void SIM_NAME(sim_math_rows_double)(sim_math function, const sim_math_lanes *lanes);

/* Records that the active lanes access the view's object at x->offsets, `bytes` per component.
 * False, with nothing recorded, if a race is possible; each lane must then be handled separately.
 */
bool SIM_NAME(sim_race_load)(sim_exec *x, const sim_op *op, const sim_view_memory *view,
                             uint32_t bytes);
bool SIM_NAME(sim_race_store)(sim_exec *x, const sim_op *op, const sim_view_memory *view,
                              uint32_t bytes);

/* Iterations are independent: the target is the same row as an operand or overlaps no operand. */
#ifdef __clang__
#define LANES _Pragma("clang loop vectorize(assume_safety)")
#else
#define LANES _Pragma("GCC ivdep")
#endif
#define FOR_LANES LANES for (uint32_t i = 0; i < n; i++)

/* Number of lanes to work on; the masking shows the compiler that it is a multiple of SIM_CHUNK. */
#define LANE_COUNT(x) (((x)->high - (x)->low) & ~(SIM_CHUNK - 1))
#endif

#endif
