/* The state of a launch in progress, shared by the engine, the checks and the memory: the state of
 * the whole launch and that of the running fragment. */
#ifndef SIM_STATE_H
#define SIM_STATE_H

#include "sim/memory/finding.h"
#include "sim/memory/race_shadow.h"
#include "sim/memory/wave.h"
#include "sim/memory/world.h"

#include <string.h>

/* The output of one printf call of one work-item. */
typedef struct sim_printed {
    uint64_t phase; /* the launch's barrier_count at the call */
    uint32_t item;  /* local linear id */
    uint32_t first; /* byte offset in the text */
    uint32_t size;
} sim_printed;

typedef struct sim_output {
    rt_buffer text; /* output of the running work-group, in the order of execution */
    RT_VECTOR(sim_printed) calls;
    uint64_t bytes;   /* size of the launch's output so far */
    uint64_t dropped; /* number of calls whose output would have exceeded SIM_OUTPUT_MAX */
} sim_output;

/* One object of the running work-group's local memory. */
typedef struct sim_local_object {
    uint64_t offset, size; /* in locals_memory; bytes */
    uint64_t stride;       /* in a pack: from one group's bytes to the next one's; otherwise 0 */
    bool all_defined;      /* for the running work-groups; the shadow is then not examined */
    uint64_t defined;      /* up to here, all bytes were defined when last looked */
    rt_text label;
} sim_local_object;

/* Counts the work-items that have reached an instruction since the last barrier.  The instruction
 * does not wait, but all work-items of a group must reach it. */
typedef struct sim_arrival {
    uint32_t site;
    uint64_t count;
    sim_wave *wave; /* wave of the first work-item to arrive; `lane` is its lane */
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
    uint64_t steps;  /* instructions left, each counted once for all work-items that execute it
                      * together */
    sim_schedule schedule;
    uint32_t unit_lanes; /* lanes that are scheduled together; 0: lockstep */
    uint32_t wave_count;
    /* Groups that run together, in one wave: a pack (exec/pack.h). 0: each group runs by itself. */
    uint32_t parts;
    const uint32_t *lane_parts; /* in a pack: per lane, which of its groups it belongs to */
    bool gave_up;               /* a pack: what the launch has done must be undone */
    sim_lane_memory locals_memory, locals_defined; /* the second is the shadow of the first */
    RT_VECTOR(sim_local_object) locals;            /* by the object number in an address, minus 1 */
    uint64_t *pool;                                /* space POOL */
    uint32_t function_first;                       /* object number of the program's function 0 */
    uint8_t pattern;                               /* fills memory that has never been written */
    uint64_t *group_values;    /* the values that the work-items contributed, then the indices that
                                * they passed; all of this twice, for even and for odd barriers */
    uint64_t *group_undefined; /* shadows of group_values */
    uint64_t *pool_undefined;  /* shadow of the pool; NULL until a wave tracks */
    sim_output output;
    uint32_t barrier_count; /* number of barriers that the launch has passed */
    RT_VECTOR(sim_arrival) arrivals;
    struct sim_race *race;         /* check/race.h; NULL while nothing runs */
    sim_race_shadow *local_races;  /* one per object of local memory; NULL: accesses to them cannot
                                    * race */
    struct sim_compiled *compiled; /* exec/compiled.c; NULL: the groups are interpreted */
} sim_launch_state;

/* True if the launch reports what it accessed. */
static inline bool sim_launch_records(const sim_launch_state *l)
{
    return l->options && l->options->on_accessed;
}

/* Returns the bytes from one group's part of an object of local memory to the next one's. */
static inline uint64_t sim_local_stride(uint64_t size)
{
    return (size + 63) & ~UINT64_C(63);
}

/* Returns the bytes that an object of local memory takes, for all groups that run together. */
static inline uint64_t sim_local_bytes(const sim_launch_state *l, const sim_local_object *object)
{
    return l->parts ? l->parts * object->stride : object->size;
}

/* Maximum number of bytes that one lane loads or stores in one operation: 16 components, or an
 * element of a copy. */
#define SIM_ACCESS_BYTES_MAX 128u

/* How the lanes of a chunk are laid out in memory (chunks.h). */
typedef enum sim_chunk_kind {
    SIM_CHUNK_RUN,   /* lane i is i elements after lane 0, active or not */
    SIM_CHUNK_SAME,  /* all lanes access the same element, active or not */
    SIM_CHUNK_MIXED, /* anything else */
    SIM_CHUNK_IDLE,  /* no lane is active */
    SIM_CHUNK_PART,  /* a flag bit: not all lanes are active */
} sim_chunk_kind;
_Static_assert((SIM_CHUNK_PART & (SIM_CHUNK_PART - 1)) == 0, "PART is a bit");
#define SIM_CHUNK_KIND(kind) ((sim_chunk_kind)((kind) & (SIM_CHUNK_PART - 1)))

/* The running fragment, as handlers see it. */
typedef struct sim_exec {
    uint8_t *base[SIM_SPACE_COUNT];
    uint8_t *undefined[SIM_SPACE_COUNT]; /* shadows of these spaces; valid while the wave tracks */
    const uint8_t *mask;                 /* 1 for active lanes */
    uint32_t low, high;      /* all active lanes are in [low, high), both multiples of SIM_CHUNK */
    uint32_t active;         /* number of active lanes */
    bool partial;            /* some inactive lane belongs to another fragment */
    bool dense;              /* all lanes of [low, high) are active */
    bool stop;               /* the launch must end */
    bool lane_has_undefined; /* the bytes last read by sim_lane_load, or to be written by
                              * sim_lane_store, have undefined bits */
    sim_wave *wave;
    sim_frame *frame;
    sim_launch_state *launch;
    uint32_t back_edges; /* number taken since another fragment ran */
    /* While a collective is executed for several fragments together, the fragments whose lanes
     * meet; empty if it is executed for the running fragment alone. */
    sim_fragment *const *met;
    uint32_t met_count;
    const sim_op *plain_end; /* from here on, the operations of the running block or edge are
                              * tracked */
    uint8_t lane_undefined[SIM_ACCESS_BYTES_MAX]; /* the shadow of those bytes: 1 for undefined
                                                   * bits; valid if lane_has_undefined */
    uint8_t kinds[SIM_LANES / SIM_CHUNK];         /* a sim_chunk_kind per chunk, for the accesses in
                                                   * `offsets` */
    _Alignas(64) uint8_t scratch[SIM_ROW_BYTES(8)];
    /* The offsets of a row's accesses, in an object of at most INT32_MAX bytes. */
    _Alignas(64) uint32_t offsets[SIM_LANES];
} sim_exec;

/* Checks that local memory and findings of the launch are consistent; returns true, or panics. For
 * CHECK_SLOW (check.c). */
bool sim_launch_check(const sim_launch_state *launch);

static inline void *sim_at(const sim_exec *x, sim_register place)
{
    return x->base[place >> SIM_REGISTER_SHIFT] + (place & SIM_REGISTER_MASK);
}

/* Returns the register of component k of a load or store. */
static inline sim_register sim_component(const sim_exec *x, const sim_op *op, uint32_t k)
{
    return x->frame->function->places[op->extra + k];
}

/* The components [*out_low, *out_high) of a load that count as read: those from the first to the
 * last one that are used, because translators load a vector of three as one of four; all, if none
 * is used. */
static inline void sim_components_read(const sim_exec *x, const sim_op *op, uint32_t *out_low,
                                       uint32_t *out_high)
{
    uint32_t low = 0, high = op->count;
    while (low < high && sim_component(x, op, low) == SIM_REGISTER_NONE)
        low++;
    while (high > low && sim_component(x, op, high - 1) == SIM_REGISTER_NONE)
        high--;
    *out_low = low < high ? low : 0;
    *out_high = low < high ? high : op->count;
}

/* Ends a launch that runs in packs, if the launch does: it will be undone (exec/pack.h). */
static inline void sim_pack_give_up(sim_exec *x)
{
    if (!x->launch->parts) return;
    x->launch->gave_up = true;
    x->stop = true;
}

/* Returns where the lane's own bytes of an object of local memory begin, after those of the other
 * groups of its pack. */
static inline uint64_t sim_part_offset(const sim_exec *x, uint32_t object, uint32_t lane)
{
    const sim_launch_state *l = x->launch;
    return l->parts ? l->lane_parts[lane] * l->locals.items[object - 1].stride : 0;
}

/* Returns a row of built-in values, an element per lane. */
static inline uint64_t *sim_wave_row(const sim_wave *wave, sim_row row)
{
    return (uint64_t *)(void *)(wave->rows.data + row * SIM_ROW_BYTES(8));
}

/* Returns one lane's value in a register. */
static inline uint64_t sim_lane_bits(const sim_exec *x, sim_register place, uint32_t bytes,
                                     uint32_t lane)
{
    uint64_t value = 0;
    uint32_t step = sim_register_uniform(place) ? 0 : lane * bytes;
    memcpy(&value, (const uint8_t *)sim_at(x, place) + step, bytes);
    return value;
}

/* Returns the address of one byte of a lane's private memory. */
static inline uint8_t *sim_private_byte(const sim_exec *x, uint32_t lane, uint64_t position)
{
    uint64_t granule = position / 8;
    return x->wave->private_memory.data + (granule * SIM_LANES + lane) * 8 + position % 8;
}

/* Returns the address of that byte's shadow. */
static inline uint8_t *sim_private_defined(const sim_exec *x, uint32_t lane, uint64_t position)
{
    const sim_wave *wave = x->wave;
    return wave->private_defined.data +
           (sim_private_byte(x, lane, position) - wave->private_memory.data);
}

static inline bool sim_op_is_load(const sim_op *op)
{
    return op->handler >= SIM_H_LOAD_ONE_8 && op->handler <= SIM_H_LOAD_EACH_64;
}

static inline bool sim_op_is_atomic(const sim_op *op)
{
    return op->handler >= SIM_H_ATOMIC_I16 && op->handler <= SIM_H_ATOMIC_I64;
}

#endif
