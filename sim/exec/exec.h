/* A launch in progress, and the engine that executes register code.
 *
 * The files run.c, lanes.c, memory.c, atomic.c, race.c and rare.c are compiled three times,
 * for x86-64, -v3 and -v4; the names that they export end in SIM_ENGINE.  Results are the same to
 * the bit: contraction is off, and nothing depends on the order in which lanes of one instruction
 * are worked on. */
#ifndef SIM_EXEC_H
#define SIM_EXEC_H

#include "sim/check/race.h"
#include "sim/check/shadow.h"
#include "sim/exec/fragment.h"
#include "sim/memory/note.h"

typedef void sim_handle(sim_exec *x, const sim_op *op);

/* Runs a wave until it is done, at a barrier, or ends the launch.  Returns early, with state READY,
 * when it spins and other waves should go on. */
typedef void sim_engine(sim_exec *x, sim_wave *wave);

#define SIM_ENGINE_COUNT 3u
/* The engines by number, 0 the plain one, for any x86-64; NULL: this machine cannot run it. */
sim_engine *sim_engine_at(uint32_t index);
/* The same built without checks, for measuring what they cost. */
sim_engine *sim_engine_unchecked_at(uint32_t index);
/* The number of the best one for this machine. */
uint32_t sim_engine_best(void);

/* ---- lane_access.c: memory as one lane sees it, all checks on -------------------------------- */

/* Loads or stores `size` bytes for one lane; `count` active lanes do the same, lane being the first
 * of them.  A wrong access is noted; a load then gives chosen bytes, a store does nothing.
 * alignment is a power of two.  The bytes' shadow comes and goes in x->lane_undefined, so that a
 * load followed by a store copies it. */
void sim_lane_load(sim_exec *x, const sim_op *op, uint32_t lane, uint64_t address, uint32_t size,
                   uint32_t alignment, uint32_t count, uint8_t *out_bytes);
void sim_lane_store(sim_exec *x, const sim_op *op, uint32_t lane, uint64_t address, uint32_t size,
                    uint32_t alignment, uint32_t count, const uint8_t *bytes);

/* The fragment's activation becomes the running one. */
static inline void sim_enter_frame(sim_exec *x, const sim_fragment *fragment)
{
    x->frame = fragment->frame;
    x->base[SIM_SPACE_FRAME] = x->wave->stack.data + fragment->frame->lanes_first;
    x->base[SIM_SPACE_WAVE] = x->wave->rows.data;
    x->base[SIM_SPACE_UNIFORM] = fragment->frame->uniforms;
    x->base[SIM_SPACE_POOL] = (uint8_t *)x->launch->pool;
    if (x->wave->tracks) sim_shadow_bases(x, fragment->frame, x->undefined);
}

/* ---- target.c: addresses of functions ------------------------------------------------------- */

/* The function of the launched program, by index, that a call through `address` expecting that
 * signature reaches, also where another program with the same image made the address of a virtual
 * function; SIM_NONE, noted for `count` lanes of which `lane` is the first, where it is a
 * wrong target. */
uint32_t sim_target_find(sim_exec *x, uint32_t site, uint32_t signature, uint64_t address,
                         uint32_t lane, uint64_t count);

/* Notes that `count` lanes, `lane` being the first, call a virtual function in a set that the
 * kernel does not say it calls.  The call goes on, since its target is there. */
void sim_target_judge(sim_exec *x, uint32_t site, uint32_t function, uint32_t lane, uint64_t count);

/* ---- group.c, lane_access.c: handlers that are the same in every engine ---------------------- */

typedef void sim_handle_shared(sim_exec *x, const sim_op *op);
sim_handle_shared sim_handle_collective, sim_handle_group_put, sim_handle_group_take;
sim_handle_shared sim_handle_async_copy, sim_handle_wait_events, sim_handle_forget;

/* ---- barrier.c: what all of a work-group must reach ------------------------------------------ */

/* The active lanes have come to the instruction at that site. */
void sim_arrive(sim_exec *x, uint32_t site);

/* ---- stack.c: the end of a work-item's stack ------------------------------------------------- */

/* Notes that the running fragment's call of the function does not fit, or that the kernel itself
 * does not, and ends the launch with BUDGET. */
void sim_call_exhausted(sim_exec *x, uint32_t site, uint32_t function);
void sim_kernel_exhausted(sim_exec *x, sim_wave *wave);

/* ---- meet.c: sub-groups whose work-items wait for each other --------------------------------- */

/* Lets every sub-group of the wave go on whose work-items all wait or have ended: those at the
 * first place in order at which some of them wait for the others.  Collectives there are executed
 * for all lanes at that place together, even in different activations. */
void sim_meet(sim_exec *x);

/* ---- print.c: likewise ----------------------------------------------------------------------- */

sim_handle_shared sim_handle_print;

/* ---- Parts of one engine -------------------------------------------------------------------- */

#ifdef SIM_ENGINE
#define SIM_NAME_2(name, engine) name##_##engine
#define SIM_NAME_1(name, engine) SIM_NAME_2(name, engine)
#define SIM_NAME(name)           SIM_NAME_1(name, SIM_ENGINE)

/* 0 in the builds that measure what checks cost: whether addresses are inside, bits defined and
 * accesses ordered is not asked.  They share what has no checks, the arithmetic, with the engine of
 * their level, SIM_ENGINE_OF. */
#ifndef SIM_CHECKED
#define SIM_CHECKED   1
#define SIM_ENGINE_OF SIM_ENGINE
#endif
#define SIM_ARITHMETIC(name) SIM_NAME_1(name, SIM_ENGINE_OF)

/* Handlers by number; rows of another file are NULL. */
extern sim_handle *const SIM_ARITHMETIC(sim_lanes_table)[SIM_HANDLER_COUNT];
extern sim_handle *const SIM_NAME(sim_memory_table)[SIM_HANDLER_COUNT];
extern sim_handle *const SIM_ARITHMETIC(sim_rare_table)[SIM_HANDLER_COUNT];
extern sim_handle *const SIM_NAME(sim_atomic_table)[SIM_HANDLER_COUNT];
void SIM_NAME(sim_engine)(sim_exec *x, sim_wave *wave);

/* The active lanes access view's object at x->offsets, `bytes` per component.  False, with nothing
 * recorded, if a race is possible: then each lane must be handled separately. */
bool SIM_NAME(sim_race_load)(sim_exec *x, const sim_op *op, const sim_view_memory *view,
                             uint32_t bytes);
bool SIM_NAME(sim_race_store)(sim_exec *x, const sim_op *op, const sim_view_memory *view,
                              uint32_t bytes);

/* Iterations are independent: a target is the same row as an operand or overlaps none. */
#ifdef __clang__
#define LANES _Pragma("clang loop vectorize(assume_safety)")
#else
#define LANES _Pragma("GCC ivdep")
#endif
#define FOR_LANES LANES for (uint32_t i = 0; i < n; i++)

/* Number of lanes to work on, a multiple of the chunk, as the compiler is to know. */
#define LANE_COUNT(x) (((x)->high - (x)->low) & ~(SIM_CHUNK - 1))
#endif

#endif
