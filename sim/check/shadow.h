/* Undefined bits: followed from memory that was never written, through registers, to the point
 * where the kernel uses them.
 *
 * As long as every loaded byte is defined, no register can hold an undefined bit, and nothing has
 * to be done. The first load of an undefined bit, or the first operation on OpUndef, makes the wave
 * *track*: until its work-group ends, every register has a shadow of the same size, in which a 1
 * marks an undefined bit, and every operation sets the shadow of its target. The shadow of a bool
 * uses only the lowest bit. Loads, stores, moves, selections and arithmetic only propagate
 * undefined bits. A use on which something depends is a finding: the condition of a branch or
 * switch, an address, the divisor of an integer division, the comparator of an atomic, the index of
 * a component, the size of a copy.
 *
 * Source: SPIR-V specification 1.6, section 2.15 and OpUndef; OpenCL C 3.0, sections 6.7.1 (local
 * and private variables begin undefined) and 6.11. The rules are bit-precise, like those of
 * checkers for undefined values in machine code. */
#ifndef SIM_SHADOW_H
#define SIM_SHADOW_H

#include "sim/memory/access.h"

/* The undefined bytes that a lane read last; findings name them. */
typedef struct sim_origin {
    uint32_t site;  /* site of the load; 0: the lane has read no undefined bytes */
    uint32_t bytes; /* size of the component that was not fully defined */
    uint64_t offset;
    rt_text label; /* of the object; borrowed from the launch */
} sim_origin;

/* Nearly all rows are fully defined nearly all of the time, so every SIM_SHADOW_UNIT bytes of
 * shadow have a mark. If the mark is not set, all of these bytes are 0. */
#define SIM_SHADOW_UNIT SIM_ROW_BYTES(1)

typedef struct sim_shadow {
    sim_lane_memory rows, stack; /* shadows of the wave's members of the same names */
    sim_lane_memory rows_marks, stack_marks;
    sim_origin origins[SIM_LANES];
} sim_shadow;

/* Frees the shadow of a wave; NULL does nothing. */
void sim_shadow_free(sim_shadow *shadow);

/* Makes the running wave track, starting with all of its registers defined. Does nothing if it
 * already tracks. */
void sim_shadow_start(sim_exec *x);

/* Writes the base of each register space's shadow for an activation; grows the shadow of the stack
 * as needed. */
void sim_shadow_bases(sim_exec *x, const sim_frame *frame, uint8_t **out_bases);

static inline void *sim_shadow_at(const sim_exec *x, sim_register place)
{
    return x->undefined[place >> SIM_REGISTER_SHIFT] + (place & SIM_REGISTER_MASK);
}

/* Makes the register defined in all active lanes. */
void sim_shadow_clear(sim_exec *x, sim_register place, uint32_t bytes);
/* True if the register is known to be defined in all lanes, including inactive ones. */
bool sim_shadow_is_clear(sim_exec *x, sim_register place, uint32_t bytes);
/* Records that a row of the stack's shadow was written without sim_shadow_set. */
void sim_shadow_mark(const sim_exec *x, const uint8_t *row, uint32_t bytes);

/* Gets or sets one lane's undefined bits of a register of up to eight bytes. */
uint64_t sim_shadow_get(const sim_exec *x, sim_register place, uint32_t bytes, uint32_t lane);
void sim_shadow_set(const sim_exec *x, sim_register place, uint32_t bytes, uint32_t lane,
                    uint64_t undefined);

/* Notes a finding if active lanes use undefined bits of the register, which has `bytes` per lane.
 * The finding begins with `use`, such as "branch on". */
void sim_shadow_use(sim_exec *x, uint32_t site, sim_register place, uint32_t bytes,
                    const char *use);

/* ---- For a wave that tracks ------------------------------------------------------------------ */

/* Call before the operation runs: applies its effect on the shadows and notes its uses of undefined
 * bits. Loads, stores, atomics and collectives set shadows themselves. */
void sim_shadow_step(sim_exec *x, const sim_op *op);
/* True if there is a rule for the handler; a test requires one for each handler. */
bool sim_shadow_knows(uint32_t handler);
/* Chooses the result in a lane of an operation that has none there, such as a division by zero, and
 * notes undefined arithmetic by `count` lanes, of which `lane` is the first. Notes nothing if all
 * bits of the result are undefined anyway, because an operand is: whether such a value is wrong
 * depends on the seed, and what depends on the result is the finding. */
uint64_t sim_lane_undefined(sim_exec *x, const sim_op *op, uint32_t lane, uint64_t count,
                            const char *text);
/* Notes the use of undefined bits by the block's terminator. */
void sim_shadow_end(sim_exec *x, const sim_code_block *block);

/* ---- Memory ---------------------------------------------------------------------------------- */

/* Set the shadows of a load's targets. _defined, for a wave that tracks, makes the targets defined;
 * the others copy the memory's shadow to the targets and make the wave track. _rows: `view`
 * contains the object and its label, x->offsets the offsets; private memory is read at the view's
 * offset in all lanes, and each component lies within one granule. _lane: uses the shadow that
 * sim_lane_load has left in x for that address. */
void sim_shadow_load_defined(sim_exec *x, const sim_op *op, uint32_t bytes);
void sim_shadow_load_rows(sim_exec *x, const sim_op *op, const sim_view_memory *view,
                          uint32_t bytes);
void sim_shadow_load_lane(sim_exec *x, const sim_op *op, uint32_t lane, uint64_t address,
                          uint32_t bytes);

/* True if a store of a wave that tracks may store undefined bits. */
bool sim_shadow_stores(sim_exec *x, const sim_op *op, uint32_t bytes);
/* Set the memory's shadow for such a store. _lane instead leaves the shadow in x->lane_undefined,
 * and returns true if the lane stores undefined bits. */
void sim_shadow_store_rows(sim_exec *x, const sim_op *op, const sim_view_memory *view,
                           uint32_t bytes);
bool sim_shadow_store_lane(sim_exec *x, const sim_op *op, uint32_t lane, uint32_t bytes);

/* The values of one lane's atomic operation, of `bytes` each. */
typedef struct sim_shadow_atomic {
    uint32_t lane, bytes;
    uint64_t address;
    uint64_t old, value, comparator;
} sim_shadow_atomic;

/* Computes the shadow of an atomic's result. Call between the atomic's load, which leaves the old
 * shadow in x->lane_undefined, and its store, which takes the new shadow from there. Makes the wave
 * track. */
void sim_shadow_exchange(sim_exec *x, const sim_op *op, const sim_shadow_atomic *atomic);

#endif
