/* The state of one wave: the fragments that its lanes are in, their activations, and the memory of
 * registers and private variables.
 *
 * A wave is up to SIM_LANES work-items of one group. A fragment is a set of these that are about to
 * enter the same block of the same activation. exec/fragment.h moves fragments through the code. */
#ifndef SIM_WAVE_H
#define SIM_WAVE_H

#include "reference/base/vector.h"
#include "sim/decode/code.h"

/* Memory that handlers may access with the widest vectors. */
typedef struct sim_lane_memory {
    void *block;
    uint8_t *data; /* aligned to 64 bytes */
    uint64_t size;
} sim_lane_memory;

/* Makes room for `size` bytes; the old contents are kept, and the rest is filled with the pattern.
 */
void sim_lane_memory_grow(sim_lane_memory *memory, uint64_t size, uint8_t pattern);

/* One activation of a function, for some lanes of a wave. */
typedef struct sim_frame {
    struct sim_frame *parent;
    const sim_code_function *function;
    uint32_t references;    /* number of fragments in it and frames called from it */
    uint32_t mark;          /* equal to sim_wave.mark if the frame is an ancestor of the frame being
                             * placed */
    uint32_t number;        /* index in wave.privates; 0: no private variables */
    uint32_t depth;         /* 0: the kernel */
    uint32_t call_block;    /* the parent's block that ends in the call; the function returns to the
                             * next block */
    uint64_t lanes_first;   /* byte offset of its registers in wave.stack */
    uint64_t private_first; /* byte offset of its variables in one work-item's private memory */
    uint8_t *uniforms;      /* function->uniform_bytes, then their shadow (sim_frame_undefined) */
} sim_frame;

typedef struct sim_fragment {
    _Alignas(64) uint8_t mask[SIM_LANES]; /* 1: the lane belongs to it */
    sim_frame *frame;                     /* holds a reference */
    uint32_t block;
    uint32_t round;     /* how often it has had to yield to others since the last barrier */
    uint32_t turn;      /* turn of its unit; 0 in lockstep */
    uint32_t active;    /* lanes in mask */
    void *block_memory; /* the heap block that contains the fragment */
} sim_fragment;

/* What the frame number in a private address refers to; clones of a frame share one number. */
typedef struct sim_private_frame {
    const sim_code_function *function; /* NULL: no longer active */
    uint64_t private_first;
    uint32_t references; /* frames */
} sim_private_frame;

typedef enum sim_wave_state { SIM_WAVE_READY, SIM_WAVE_AT_BARRIER, SIM_WAVE_DONE } sim_wave_state;

typedef struct sim_wave {
    uint32_t lane_count;
    uint32_t first_item; /* lane 0's linear index in the group */
    sim_wave_state state;
    RT_VECTOR(sim_fragment *) ready;   /* the next to run is the last */
    RT_VECTOR(sim_fragment *) waiting; /* at barriers and meetings; `block`: the next block */
    bool is_meeting;                   /* a waiting fragment may be at a meeting (exec/meet.c) */
    RT_VECTOR(sim_fragment *) spare;
    RT_VECTOR(sim_frame *) spare_frames;
    uint32_t mark;                         /* changes whenever a frame is placed among others; marks
                                            * the frame's ancestors */
    RT_VECTOR(sim_private_frame) privates; /* by number; [0] is unused */
    sim_lane_memory rows;                  /* space WAVE */
    sim_lane_memory stack;                 /* space FRAME, all activations */
    /* The private variables of all lanes. Granule g, eight bytes, of lane l is at (g * SIM_LANES +
     * l) * 8, so that the same granule of all lanes is contiguous. */
    sim_lane_memory private_memory;
    sim_lane_memory private_defined; /* shadow, in the same layout: 1 for defined bits */
    bool tracks;                     /* registers may hold undefined bits, which `shadow` records */
    struct sim_shadow *shadow;       /* NULL until the wave tracks for the first time */
} sim_wave;

/* Makes `size` bytes of private memory undefined for the lanes in the mask, from byte `first` on,
 * which is a multiple of 8. */
void sim_wave_forget(sim_wave *wave, const uint8_t *mask, uint64_t first, uint64_t size);

/* Returns the shadow of a frame's uniform registers. */
static inline uint8_t *sim_frame_undefined(const sim_frame *frame)
{
    return frame->uniforms + frame->function->uniform_bytes + 8;
}

/* Rounds a number of lanes up to a multiple of SIM_CHUNK. */
static inline uint32_t sim_chunks_up(uint32_t count)
{
    return (count + SIM_CHUNK - 1) & ~(SIM_CHUNK - 1);
}

#endif
