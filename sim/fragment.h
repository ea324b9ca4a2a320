/* Lanes on their way through the code: activations, fragments, waves.
 *
 * A wave is up to SIM_LANES work-items of one group.  A fragment is a set of them that is about to
 * enter the same block of the same activation.  The engine always runs the first of them in order:
 * earlier round, then earlier turn (schedule.h), then as if all calls were written out in place,
 * the lower block; where one call through a pointer leads to several functions, the lower function.
 * So lanes that parted meet again where the code joins, and fragments that come together become
 * one. */
#ifndef SIM_FRAGMENT_H
#define SIM_FRAGMENT_H

#include "reference/base/vector.h"
#include "sim/code.h"
#include "sim/world.h"

/* One activation of a function, for some lanes of a wave. */
typedef struct sim_frame {
    struct sim_frame *parent;
    const sim_code_function *function;
    uint32_t references;    /* fragments in it and frames called from it */
    uint32_t mark;          /* of sim_wave.mark: an ancestor of the frame being placed */
    uint32_t number;        /* in wave.privates; 0: has no private variables */
    uint32_t depth;         /* 0: the kernel */
    uint32_t call_block;    /* of the parent: the call; it returns to the block behind */
    uint64_t lanes_first;   /* bytes into wave.stack where its registers begin */
    uint64_t private_first; /* bytes of one work-item where its variables begin */
    uint8_t *uniforms;      /* function->uniform_bytes, then their shadow (sim_frame_undefined) */
} sim_frame;

typedef struct sim_fragment {
    _Alignas(64) uint8_t mask[SIM_LANES]; /* 1: the lane belongs to it */
    sim_frame *frame;                     /* referenced */
    uint32_t block;
    uint32_t round;     /* how often it was made to let others go first, since the last barrier */
    uint32_t turn;      /* of its unit; 0 in lockstep */
    uint32_t active;    /* lanes in mask */
    void *block_memory; /* the heap block that it lies in */
} sim_fragment;

/* What the address of a private variable names; clones of a frame share it. */
typedef struct sim_private_frame {
    const sim_code_function *function; /* NULL: no longer active */
    uint64_t private_first;
    uint32_t references; /* frames */
} sim_private_frame;

/* When the units of a wave run, where they run one after the other. */
typedef struct sim_turns {
    uint32_t unit_lanes;      /* lanes of a unit; 0: lockstep, all lanes are one */
    uint32_t turn[SIM_LANES]; /* by unit, each number once */
} sim_turns;

/* Memory that handlers read with the widest vectors. */
typedef struct sim_lane_memory {
    void *block;
    uint8_t *data; /* aligned to 64 bytes */
    uint64_t size;
} sim_lane_memory;

/* Makes room for size bytes; the old content is kept, the rest filled with the pattern. */
void sim_lane_memory_grow(sim_lane_memory *memory, uint64_t size, uint8_t pattern);

typedef enum sim_wave_state { SIM_WAVE_READY, SIM_WAVE_AT_BARRIER, SIM_WAVE_DONE } sim_wave_state;

typedef struct sim_wave {
    uint32_t lane_count;
    uint32_t first_item; /* linear index in the group of lane 0 */
    sim_wave_state state;
    RT_VECTOR(sim_fragment *) ready;   /* the next one last */
    RT_VECTOR(sim_fragment *) waiting; /* at barriers and meetings; block is the one behind */
    bool is_meeting;                   /* a waiting fragment may be at a meeting (meet.h) */
    RT_VECTOR(sim_fragment *) spare;
    RT_VECTOR(sim_frame *) spare_frames;
    uint32_t mark;                         /* counts the frames that were placed */
    RT_VECTOR(sim_private_frame) privates; /* by number; [0] is none */
    sim_lane_memory rows;                  /* space WAVE */
    sim_lane_memory stack;                 /* space FRAME, all activations */
    /* Private variables of all lanes: granule g of lane l, eight bytes, is at (g * SIM_LANES + l) *
     * 8, so that one variable's lanes lie side by side. */
    sim_lane_memory private_memory;
    sim_lane_memory
        private_defined;       /* its shadow, laid out alike: 1 bits where content is defined */
    bool tracks;               /* registers may hold undefined bits: `shadow` has which */
    struct sim_shadow *shadow; /* NULL until the wave tracks for the first time */
} sim_wave;

/* Prepares a wave for lane_count <= SIM_LANES work-items; rows_bytes is the size of space WAVE. */
void sim_wave_open(sim_wave *wave, uint32_t lane_count, uint32_t first_item, uint32_t rows_bytes);
void sim_wave_close(sim_wave *wave);

/* Drops what is left of a group and puts all lanes at the start of the function; private memory
 * that is used for the first time is filled with the pattern.  Returns its frame, whose uniform
 * registers the caller fills; NULL where a limit is reached. */
sim_frame *sim_wave_start(sim_wave *wave, const sim_code_function *function, uint8_t pattern);

/* What the lanes of the mask have in `size` bytes of their private memory from `first` on, a
 * multiple of 8, is undefined from here on. */
void sim_wave_forget(sim_wave *wave, const uint8_t *mask, uint64_t first, uint64_t size);

/* Calls: the fragment enters `function`, all of its lanes.  False where the stack is exhausted
 * (depth, registers, private memory); nothing changed then. */
bool sim_wave_call(sim_wave *wave, sim_fragment *fragment, const sim_code_function *function,
                   uint8_t pattern);
/* Returns: the fragment is behind the call in the caller.  False for the kernel itself: then the
 * fragment is given back. */
bool sim_wave_return(sim_wave *wave, sim_fragment *fragment);

/* A fragment in the same activation with no lanes yet. */
sim_fragment *sim_wave_split(sim_wave *wave, const sim_fragment *fragment);
/* Gives a fragment back whose lanes are done. */
void sim_wave_drop(sim_wave *wave, sim_fragment *fragment);
/* Puts a fragment where its order wants it; it becomes one with another at the same place. */
void sim_wave_push(sim_wave *wave, sim_fragment *fragment);
/* Puts a fragment that reached a barrier aside, likewise. */
void sim_wave_wait(sim_wave *wave, sim_fragment *fragment);
/* The first fragment in order, taken out; NULL: none. */
sim_fragment *sim_wave_pop(sim_wave *wave);
/* True when `fragment` precedes all others and none is at its place. */
bool sim_wave_is_first(const sim_wave *wave, const sim_fragment *fragment);
/* Takes a waiting fragment out; `index` is its place among them. */
sim_fragment *sim_wave_resume(sim_wave *wave, uint32_t index);
/* Sends a fragment that spins behind all others.  Where it shares activations, it gets copies of
 * them, so that their uniform registers are its own from here on. */
void sim_wave_rotate(sim_wave *wave, sim_fragment *fragment);
/* Parts the fragment that sim_wave_start made into units, each with activations of its own, whose
 * uniform registers differ from then on. */
void sim_wave_part(sim_wave *wave, const sim_turns *turns);
/* All waiting fragments go on, in the order of the turns. */
void sim_wave_release(sim_wave *wave, const sim_turns *turns);

/* Compares where two fragments are as if all calls were written out, whichever activations they
 * have: negative, `a` is first; 0, both are at the same place. */
int sim_place_compare(const sim_fragment *a, const sim_fragment *b);
/* The same across waves: the same chain of calls. */
bool sim_place_same(const sim_fragment *a, const sim_fragment *b);

/* The shadow of a frame's uniform registers. */
static inline uint8_t *sim_frame_undefined(const sim_frame *frame)
{
    return frame->uniforms + frame->function->uniform_bytes + 8;
}

/* A number of lanes, rounded up to a multiple of SIM_CHUNK. */
static inline uint32_t sim_chunks_up(uint32_t count)
{
    return (count + SIM_CHUNK - 1) & ~(SIM_CHUNK - 1);
}

#endif
