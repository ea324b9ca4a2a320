/* What a launch has overwritten, of compiled code or on several threads, so that it can be undone;
 * and which objects compiled code accesses in a way that cannot race, so that no search for races
 * is needed. */
#ifndef SIM_UNDO_H
#define SIM_UNDO_H

#include "sim/exec/exec.h"

#define SIM_UNDO_PAGE_SHIFT 12u
#define SIM_UNDO_PAGE       (1u << SIM_UNDO_PAGE_SHIFT)

/* Whether each work-item accesses only its own part of an object, or all accesses are atomic.
 *
 * Most kernels compute a work-item's result and store it at the work-item's place. As long as the
 * work-item with global linear id i accesses only [own_first + i * own_stride, own_stride bytes),
 * or the same bytes one or more whole periods on, the parts of all work-items together, no two
 * work-items access a common byte, so these accesses need no record of who made them. The
 * first access that does not keep to its part makes the code give up with SIM_TIER_SHARED, because
 * the accesses before it have not been recorded; the launch is then run again, with all accesses
 * to that object recorded. Atomics do not race with each other, so the same holds for an object as
 * long as there are no other accesses to it. */
typedef enum sim_own_state {
    SIM_OWN_UNKNOWN, /* no access has shown own_first and own_stride */
    SIM_OWN_KEPT,    /* the rule holds so far */
    SIM_OWN_ATOMIC,  /* all accesses so far are atomic */
    SIM_OWN_SHARED,  /* neither is true: all accesses are recorded */
} sim_own_state;

/* An object that the launch may write. */
typedef struct sim_undo_object {
    const sim_memory *memory;
    uint8_t *data, *defined; /* the pages that have been saved; defined: NULL if all bytes were */
    uint8_t *is_saved;       /* per page: 1 or 0 */
    bool is_whole;           /* all pages are saved, or none needs to be */
    sim_own_state own;
    /* Modulo 2^32, where the parts of all work-items are apart from each other. */
    uint32_t own_first, own_stride;
} sim_undo_object;

typedef struct sim_undo {
    RT_VECTOR(sim_undo_object) objects; /* by parameter; those without memory are not written */
    uint64_t items;                     /* of the launch */
    sim_lane_memory pages;              /* what the objects save */
} sim_undo;

#define SIM_UNDO_SHARED_ALL UINT64_MAX
/* The bit in a set of objects of an object of the launch. All from the 64th on have the last one.
 */
static inline uint64_t sim_undo_bit(const sim_undo *undo, const sim_undo_object *object)
{
    uint64_t number = (uint64_t)(object - undo->objects.items);
    CHECK(number < undo->objects.count);
    return UINT64_C(1) << (number < 63 ? number : 63);
}

/* Begins a launch; `undo` is zero or was used by another launch. `shared`: the objects that are
 * SHARED from the start. */
void sim_undo_open(sim_undo *undo, const sim_launch_state *launch, const sim_argument *arguments,
                   uint64_t shared);
/* Ends it; if `restores` is true, memory becomes what it was at sim_undo_open. Memory for a few
 * megabytes is kept for the next launch: to get it from the operating system takes as long as to
 * fill it. */
void sim_undo_close(sim_undo *undo, bool restores);
void sim_undo_free(sim_undo *undo);

/* Returns the object with that number; NULL if the launch does not write it. */
sim_undo_object *sim_undo_find(sim_undo *undo, sim_world *world, sim_object object);

/* Saves the pages from the first to the last. */
void sim_undo_save(sim_undo_object *object, uint64_t first, uint64_t last);
void sim_undo_save_all(sim_undo_object *object);

/* Call before `size` bytes, at least 1 and at most a page, are stored at the offset. */
static inline void sim_undo_before_store(sim_undo_object *object, uint64_t offset, uint32_t size)
{
    uint64_t first = offset >> SIM_UNDO_PAGE_SHIFT;
    uint64_t last = (offset + size - 1) >> SIM_UNDO_PAGE_SHIFT;
    if (!(object->is_saved[first] & object->is_saved[last])) sim_undo_save(object, first, last);
}

#endif
