/* Undefined bits: followed from memory that was never written, through registers, to the point
 * where the kernel uses them.
 *
 * As long as every loaded byte is defined, no register can hold an undefined bit, and nothing is
 * done. The first load of an undefined bit, or the first operation on OpUndef, makes the wave
 * *track*: until its work-group ends, every register has a shadow of the same size, in which a 1
 * marks an undefined bit, and every operation sets the shadow of its target. A bool has one bit,
 * the lowest. Loads, stores, moves, selections and arithmetic only propagate undefined bits. A use
 * that decides something is a finding: the condition of a branch or switch, an address, the divisor
 * of integers, the comparator of an atomic, the index of a component, the size of a copy.
 *
 * Source: SPIR-V specification 1.6, section 2.15 and OpUndef; OpenCL C 3.0, sections 6.7.1 (local
 * and private variables begin undefined) and 6.11. Rules: those of checkers of undefined values in
 * machine code, bit by bit. */
#ifndef SIM_SHADOW_H
#define SIM_SHADOW_H

#include "sim/memory/access.h"

/* The last undefined bytes that a lane read; findings name them. */
typedef struct sim_origin {
    uint32_t site;  /* of the load; 0: the lane has read none */
    uint32_t bytes; /* size of the component that was not fully defined */
    uint64_t offset;
    rt_text label; /* of the object; borrowed from the launch */
} sim_origin;

/* Nearly all rows are fully defined nearly always, so there is one mark for every SIM_SHADOW_UNIT
 * bytes of shadow. Without the mark all of these bytes are 0. */
#define SIM_SHADOW_UNIT SIM_ROW_BYTES(1)

typedef struct sim_shadow {
    sim_lane_memory rows, stack; /* shadows of the wave's memories of the same names */
    sim_lane_memory rows_marks, stack_marks;
    sim_origin origins[SIM_LANES];
} sim_shadow;

/* Frees the shadow of a wave; NULL does nothing. */
void sim_shadow_free(sim_shadow *shadow);

/* Makes the running wave track; until now all of its registers were defined. Does nothing if it
 * already tracks. */
void sim_shadow_start(sim_exec *x);

/* Writes the base of each space's shadow for an activation; grows the shadow of the stack as needed
 * (shadow.c). */
void sim_shadow_bases(sim_exec *x, const sim_frame *frame, uint8_t **out_bases);

static inline void *sim_shadow_at(const sim_exec *x, sim_register place)
{
    return x->undefined[place >> SIM_REGISTER_SHIFT] + (place & SIM_REGISTER_MASK);
}

/* Makes the register defined in all active lanes. */
void sim_shadow_clear(sim_exec *x, sim_register place, uint32_t bytes);
/* True if the register is defined in all lanes. False may also be due to lanes that are not active.
 */
bool sim_shadow_is_clear(sim_exec *x, sim_register place, uint32_t bytes);
/* Records that a row of the stack's shadow was written without sim_shadow_set. */
void sim_shadow_mark(const sim_exec *x, const uint8_t *row, uint32_t bytes);

/* One lane's undefined bits of a register of up to eight bytes. */
uint64_t sim_shadow_get(const sim_exec *x, sim_register place, uint32_t bytes, uint32_t lane);
void sim_shadow_set(const sim_exec *x, sim_register place, uint32_t bytes, uint32_t lane,
                    uint64_t undefined);

/* Notes a finding if active lanes use undefined bits of the register, `bytes` per lane, for `use`
 * ("branch on"). */
void sim_shadow_use(sim_exec *x, uint32_t site, sim_register place, uint32_t bytes,
                    const char *use);

/* ---- For a wave that tracks ------------------------------------------------------------------ */

/* Call before the operation runs: applies its effect to the shadows and notes what it uses. Loads,
 * stores, atomics and collectives set shadows themselves. */
void sim_shadow_step(sim_exec *x, const sim_op *op);
/* True if there is a rule for the handler; a test requires one for each handler. */
bool sim_shadow_knows(uint32_t handler);
/* Notes undefined bits that the block's end uses. */
void sim_shadow_end(sim_exec *x, const sim_code_block *block);

/* ---- Memory ---------------------------------------------------------------------------------- */

/* Shadows of loads. _defined makes the targets of a wave that tracks defined; the others copy the
 * shadow of the memory to the targets and make the wave track. _rows: object and label are in the
 * view, offsets in x->offsets; of private memory, all at the view's offset, each component within
 * one granule. _lane: as sim_lane_load left it in x, for that address. */
void sim_shadow_load_defined(sim_exec *x, const sim_op *op, uint32_t bytes);
void sim_shadow_load_rows(sim_exec *x, const sim_op *op, const sim_view_memory *view,
                          uint32_t bytes);
void sim_shadow_load_lane(sim_exec *x, const sim_op *op, uint32_t lane, uint64_t address,
                          uint32_t bytes);

/* True if a store of a wave that tracks may store undefined bits. */
bool sim_shadow_stores(sim_exec *x, const sim_op *op, uint32_t bytes);
/* Shadows of such a store. _lane returns true if the lane stores undefined bits, and leaves the
 * shadow in x->lane_undefined. */
void sim_shadow_store_rows(sim_exec *x, const sim_op *op, const sim_view_memory *view,
                           uint32_t bytes);
bool sim_shadow_store_lane(sim_exec *x, const sim_op *op, uint32_t lane, uint32_t bytes);

/* The values of one lane's atomic operation, of `bytes` each. */
typedef struct sim_shadow_atomic {
    uint32_t lane, bytes;
    uint64_t address;
    uint64_t old, value, comparator;
} sim_shadow_atomic;

/* Computes the shadow of an atomic between its load, which has left the old shadow in
 * x->lane_undefined, and its store, which takes the new shadow from there. Makes the wave track. */
void sim_shadow_exchange(sim_exec *x, const sim_op *op, const sim_shadow_atomic *atomic);

#endif
