/* A launch in progress, and the engine that executes register code.
 *
 * The files exec_run, _lanes, _memory, _atomic, _race and _rare are compiled three times,
 * for x86-64, -v3 and -v4; the names that they export end in SIM_ENGINE.  Results are the same to
 * the bit: contraction is off, and nothing depends on the order in which lanes of one instruction
 * are worked on. */
#ifndef SIM_EXEC_H
#define SIM_EXEC_H

#include "sim/finding.h"
#include "sim/fragment.h"
#include "sim/race.h"

#include <string.h>

/* One object of the running work-group's local memory. */
typedef struct sim_local_object {
    uint64_t offset, size; /* bytes into locals_memory */
    bool all_defined;      /* in the running work-group: nobody looks at its shadow */
    rt_text label;
} sim_local_object;

/* Work-items that came to an instruction that waits for nobody, but that all of a group must reach,
 * since the last barrier. */
typedef struct sim_arrival {
    uint32_t site;
    uint64_t count;
    sim_wave *wave; /* of the first */
    uint32_t lane;
} sim_arrival;

typedef struct sim_launch_state {
    sim_world *world;
    const sim_kernel *kernel;
    const sim_program *program;
    const sim_range *range;
    const sim_launch_options *options;      /* or NULL */
    uint64_t group[RT_ND_RANGE_DIMENSIONS]; /* id of the running work-group */
    sim_findings findings;
    rt_status status;
    uint64_t budget; /* work-item instructions left */
    sim_schedule schedule;
    uint32_t unit_lanes; /* of what is scheduled by itself; 0: lockstep */
    uint32_t wave_count;
    sim_lane_memory locals_memory, locals_defined; /* the second is the first one's shadow */
    RT_VECTOR(sim_local_object) locals;            /* by number of the address, less one */
    uint64_t *pool;                                /* space POOL */
    uint32_t function_first;                       /* object number of the program's function 0 */
    uint8_t pattern;                               /* of memory that nothing was written to */
    uint64_t *group_values; /* of the work-items, and then their indices; both twice: before odd and
                               before even barriers */
    uint64_t *group_undefined; /* their shadows */
    uint64_t *pool_undefined;  /* shadow of the pool; NULL until a wave tracks */
    sim_output output;
    uint32_t barrier_count; /* that the launch has passed */
    RT_VECTOR(sim_arrival) arrivals;
    sim_race race;
} sim_launch_state;

/* The most bytes that one lane loads or stores at once: 16 components, or an element of a copy. */
#define SIM_ACCESS_BYTES_MAX 128u

/* How the lanes of a chunk lie in memory (chunks.h). */
typedef enum sim_chunk_kind {
    SIM_CHUNK_RUN,   /* lane i is i steps behind lane 0, active or not */
    SIM_CHUNK_SAME,  /* all lanes are at one place, active or not */
    SIM_CHUNK_MIXED, /* anything else */
    SIM_CHUNK_IDLE,  /* no lane is active */
    SIM_CHUNK_PART,  /* a bit: not all lanes are active */
} sim_chunk_kind;
#define SIM_CHUNK_KIND(kind) ((sim_chunk_kind)((kind) & (SIM_CHUNK_PART - 1)))

/* What handlers see: the running fragment. */
typedef struct sim_exec {
    uint8_t *base[SIM_SPACE_COUNT];
    uint8_t *undefined[SIM_SPACE_COUNT]; /* shadows of the same; valid while the wave tracks */
    const uint8_t *mask;                 /* 1 for active lanes */
    uint32_t low, high;      /* all active lanes are in [low, high), both multiples of SIM_CHUNK */
    uint32_t active;         /* active lanes */
    bool partial;            /* a lane that is not active belongs to another fragment */
    bool dense;              /* all lanes of [low, high) are active */
    bool stop;               /* the launch ends */
    bool lane_has_undefined; /* what sim_lane_load took last, or sim_lane_store is to write */
    sim_wave *wave;
    sim_frame *frame;
    sim_launch_state *launch;
    uint32_t back_edges; /* since another fragment ran */
    /* The fragments whose lanes meet here, while a collective is executed for several of them; no
     * fragments: it is executed for the running one. */
    sim_fragment *const *met;
    uint32_t met_count;
    const sim_op *plain_end; /* of the running block or edge: where the wave begins to track */
    uint8_t lane_undefined[SIM_ACCESS_BYTES_MAX]; /* its shadow, 1 bits; else not looked at */
    uint8_t kinds[SIM_LANES / SIM_CHUNK];         /* of the same accesses as `offsets` */
    _Alignas(64) uint8_t scratch[SIM_ROW_BYTES(8)];
    /* Of a row's accesses, in an object of at most INT32_MAX bytes. */
    _Alignas(64) uint32_t offsets[SIM_LANES];
} sim_exec;

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

/* ---- access.c: memory as one lane sees it, all checks on ----------------------------------- */

/* Where an address leads. */
typedef struct sim_view_memory {
    uint8_t *data;     /* first byte of the object; NULL for PRIVATE */
    uint8_t *defined;  /* shadow; NULL: all is defined, or PRIVATE */
    uint64_t size;     /* of the object */
    uint64_t offset;   /* of the address in it; wraps below 0 */
    uint64_t position; /* PRIVATE: where the object begins in a work-item's private bytes */
    uint32_t class;    /* sim_address_class */
    uint32_t object;   /* number of the address */
    struct sim_race_shadow *race; /* NULL: no access to it can race */
    bool is_constant;             /* stores are findings */
    rt_text label;
} sim_view_memory;

/* Finds the object of an address.  False, with *out_kind, where there is none. */
bool sim_access_find(sim_exec *x, uint64_t address, sim_view_memory *out_view,
                     sim_finding_kind *out_kind);

/* Loads or stores `size` bytes for one lane; `count` active lanes do the same, lane being the first
 * of them.  A wrong access is noted; a load then gives chosen bytes, a store does nothing.
 * alignment is a power of two.  The bytes' shadow comes and goes in x->lane_undefined, so that a
 * load with a store behind it copies it. */
void sim_lane_load(sim_exec *x, const sim_op *op, uint32_t lane, uint64_t address, uint32_t size,
                   uint32_t alignment, uint32_t count, uint8_t *out_bytes);
void sim_lane_store(sim_exec *x, const sim_op *op, uint32_t lane, uint64_t address, uint32_t size,
                    uint32_t alignment, uint32_t count, const uint8_t *bytes);

/* One byte of one lane's private memory. */
static inline uint8_t *sim_private_byte(const sim_exec *x, uint32_t lane, uint64_t position)
{
    uint64_t granule = position / 8;
    return x->wave->private_memory.data + (granule * SIM_LANES + lane) * 8 + position % 8;
}

/* Its shadow. */
static inline uint8_t *sim_private_defined(const sim_exec *x, uint32_t lane, uint64_t position)
{
    const sim_wave *wave = x->wave;
    return wave->private_defined.data +
           (sim_private_byte(x, lane, position) - wave->private_memory.data);
}

/* A number of the seed that is the same whenever this lane comes here. */
uint64_t sim_lane_choose(const sim_exec *x, uint32_t site, uint32_t lane);

/* Notes undefined arithmetic of `count` lanes, the first being `lane`, and returns what it gives
 * instead. */
uint64_t sim_lane_undefined(sim_exec *x, const sim_op *op, uint32_t lane, uint64_t count,
                            const char *what);

/* Notes something that is no access: `what`, then "by work-item (x, y, z)". */
void sim_note(sim_exec *x, uint32_t site, sim_finding_kind kind, uint32_t lane, uint64_t count,
              const char *what);

/* Global id of a lane, as the wave's built-in rows have it. */
void sim_work_item_of(const sim_wave *wave, uint32_t lane, uint64_t *out_ids);

/* Begins a new finding's row: the work-item and its text, "… by work-item (x, y, z)". */
void sim_row_fill(sim_exec *x, sim_finding_row *row, uint32_t lane, rt_text what);

/* The shadow of an object whose bytes are all defined, made because undefined ones are to come; the
 * view has it from here on. */
void sim_access_unsettle(sim_exec *x, sim_view_memory *view);

/* The first active lane. */
uint32_t sim_first_lane(const sim_exec *x);

static inline bool sim_op_is_atomic(const sim_op *op)
{
    return op->handler >= SIM_H_ATOMIC_I16 && op->handler <= SIM_H_ATOMIC_I64;
}

static inline void *sim_at(const sim_exec *x, sim_register place)
{
    return x->base[place >> SIM_REGISTER_SHIFT] + (place & SIM_REGISTER_MASK);
}

/* Register of component k of a load or store. */
static inline sim_register sim_component(const sim_exec *x, const sim_op *op, uint32_t k)
{
    return x->frame->function->places[op->extra + k];
}

/* What one lane has at a place. */
static inline uint64_t sim_lane_bits(const sim_exec *x, sim_register place, uint32_t bytes,
                                     uint32_t lane)
{
    uint64_t value = 0;
    uint32_t step = sim_register_uniform(place) ? 0 : lane * bytes;
    memcpy(&value, (const uint8_t *)sim_at(x, place) + step, bytes);
    return value;
}

/* The shadows of the spaces as an activation sees them; grows that of the stack as needed
 * (shadow.c). */
void sim_shadow_bases(sim_exec *x, const sim_frame *frame, uint8_t **out_bases);

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

/* ---- exec_group.c, shadow.c: handlers that are the same in every engine --------------------- */

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
 * for all lanes at that place together, in whatever activations they are. */
void sim_meet(sim_exec *x);

/* ---- exec_print.c: likewise ------------------------------------------------------------------ */

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
