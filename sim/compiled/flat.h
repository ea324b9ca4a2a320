/* A kernel with all of its calls inlined: one list of blocks in the order in which lanes run. */
#ifndef SIM_TIER_FLAT_H
#define SIM_TIER_FLAT_H

#include "reference/base/vector.h"
#include "sim/compiled/tier.h"

#define TIER_BLOCKS_MAX 512u

/* One activation: a call of a function, or the kernel itself (number 0). */
typedef struct tier_instance {
    const sim_code_function *function;
    uint32_t caller;      /* instance; SIM_NONE: the kernel */
    const sim_call *call; /* of the caller's function; NULL for the kernel */
    uint32_t first, last; /* its blocks and those of its calls, in the list */
    uint32_t depth;
    uint32_t *place_of;    /* per block of the function, its index in the list */
    sim_tier_frame *frame; /* outlives the compilation: owned by the code */
} tier_instance;

typedef struct tier_block {
    uint32_t instance;
    const sim_code_block *block;
    uint32_t callee;    /* SIM_END_CALL: the instance that it enters */
    uint32_t left;      /* the instance that lanes have left when they enter this block by a return;
                         * SIM_NONE: none */
    uint32_t barrier;   /* SIM_END_BARRIER: its number, from 1 */
    uint64_t stores;    /* the local objects to which work-items of the group may store before the
                         * next barrier or since the last: tier_object.local of all of them */
    bool may_be_parked; /* lanes may wait to enter it while others run earlier blocks */
    uint32_t join;      /* a branch that is folded: the block where its sides meet, which follows
                         * theirs; SIM_NONE: it is not (fold.c) */
    bool is_folded;     /* it is part of a side of such a branch, and runs only with it */
} tier_block;

/* The blocks [header, last], which a back edge repeats. */
typedef struct tier_loop {
    uint32_t header, last;
} tier_loop;

typedef struct tier_flat {
    const sim_program *program;
    RT_VECTOR(tier_instance) instances;
    RT_VECTOR(tier_block) blocks;
    RT_VECTOR(tier_loop) loops;
    uint32_t barrier_count; /* plus 1 */
    uint32_t op_count;
    uint32_t atomics; /* the kind that all atomics have; 0: there are none */
    uint64_t private_bytes;
} tier_flat;

/* Lists the blocks of a kernel. NULL, or the reason why it cannot be compiled (see
 * sim_tier_api.compile). In both cases the caller calls tier_flat_free, and owns the frames of all
 * instances, each a block of memory. */
const char *tier_flatten(const sim_program *program, uint32_t function, tier_flat *out_flat);
void tier_flat_free(tier_flat *flat);

/* The function that a block is from, and the block's edge with that number. */
static inline const sim_code_function *tier_function_of(const tier_flat *flat, uint32_t block)
{
    return flat->instances.items[flat->blocks.items[block].instance].function;
}
static inline const sim_edge *tier_edge_of(const tier_flat *flat, uint32_t block, uint32_t edge)
{
    const sim_code_block *from = flat->blocks.items[block].block;
    CHECK(edge < from->edge_count);
    return &tier_function_of(flat, block)->edges[from->edge_first + edge];
}

/* Returns the block that an edge of the block leads to. */
uint32_t tier_target(const tier_flat *flat, uint32_t block, const sim_edge *edge);

/* Decides which branches are folded (fold.c). */
void tier_fold_branches(tier_flat *flat);
/* The edge, 0 or 1, whose side a folded branch runs first. */
uint32_t tier_fold_first(const tier_flat *flat, uint32_t block);

/* Returns the last operation of the block before another one of it that writes the register; NULL:
 * there is none. */
const sim_op *tier_writer_of(const sim_code_function *function, const sim_code_block *block,
                             const sim_op *before, sim_register place);

/* True if the register, as an operation of the block reads it, is computed from the address of one
 * private variable, which is then returned. It may point outside the variable. */
bool tier_private_variable(const tier_flat *flat, uint32_t instance, const sim_code_block *block,
                           const sim_op *op, sim_register place, const sim_tier_frame **out_frame,
                           uint32_t *out_variable);

/* Returns the bytes of the pieces, 1 or 4, that an operation copies. */
uint8_t tier_copy_bytes(const sim_program *program, const sim_op *op);

/* Chooses the variables that are marked (marks.c). */
void tier_marks_choose(tier_flat *flat);

/* True if the slot of the pool is the same number in every world and launch. */
bool tier_slot_is_constant(const sim_program *program, uint32_t slot);

/* What is known of the object that an access reaches. */
typedef struct tier_object {
    bool is_global;
    uint64_t local;       /* if it is local: its bit; TIER_LOCAL_ANY: unknown; 0: it is not */
    uint64_t key;         /* of sim_tier_access */
    sim_register pointer; /* of sim_tier_access too */
} tier_object;
#define TIER_LOCALS_MAX 62u
#define TIER_LOCAL_ANY  UINT64_MAX

/* Traces an address, a register that an operation of the block reads. */
tier_object tier_object_of(const tier_flat *flat, uint32_t instance, const sim_code_block *block,
                           const sim_op *op, sim_register address);

/* True if lanes that run block `from` may find others waiting in block `at`, which follows it. It
 * is false if `at` is inside a loop that `from` precedes: lanes enter a loop together, so that
 * compiled code need not be prepared for it. */
bool tier_may_find(const tier_flat *flat, uint32_t from, uint32_t at);

#endif
