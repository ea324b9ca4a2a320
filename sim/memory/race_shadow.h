/* The race shadow of one object: the last access of each kind to each cell. check/race.h
 * explains the stamps; this header only defines how they are stored. */
#ifndef SIM_RACE_SHADOW_H
#define SIM_RACE_SHADOW_H

#include <stdbool.h>
#include <stdint.h>

/* The two kinds of memory that barriers and fences order separately. */
typedef enum sim_race_class { SIM_RACE_GLOBAL, SIM_RACE_LOCAL, SIM_RACE_CLASSES } sim_race_class;
#define SIM_RACE_CLASS_BIT(class) (1u << (class))
#define SIM_RACE_ALL_CLASSES      ((1u << SIM_RACE_CLASSES) - 1)

/* The level of an atomic, that is, the work-items for which it is atomic. 0 is a plain access. */
enum { SIM_RACE_PLAIN, SIM_RACE_SUBGROUP, SIM_RACE_WORKGROUP, SIM_RACE_DEVICE };

/* ---- Cells: a stamp and flags -------------------------------------------------------------- */

/* The kinds of accesses that are recorded apart from each other, because one must not hide another:
 * a later atomic of the same group does not conflict with other groups' atomics, while the plain
 * store before it does. */
typedef enum sim_race_kind {
    SIM_RACE_WRITES,
    SIM_RACE_ATOMIC_WRITES,
    SIM_RACE_READS,
    SIM_RACE_ATOMIC_READS,
    SIM_RACE_KINDS
} sim_race_kind;
/* The kinds up to this one write. */
#define SIM_RACE_KINDS_WRITING (SIM_RACE_ATOMIC_WRITES + 1u)
static inline sim_race_kind sim_race_kind_of(bool is_write, uint32_t level)
{
    if (is_write) return level == SIM_RACE_PLAIN ? SIM_RACE_WRITES : SIM_RACE_ATOMIC_WRITES;
    return level == SIM_RACE_PLAIN ? SIM_RACE_READS : SIM_RACE_ATOMIC_READS;
}
static inline bool sim_race_kind_atomic(sim_race_kind kind)
{
    return kind == SIM_RACE_ATOMIC_WRITES || kind == SIM_RACE_ATOMIC_READS;
}

#define SIM_RACE_STAMP_BITS 28u
#define SIM_RACE_STAMP      ((1u << SIM_RACE_STAMP_BITS) - 1)
#define SIM_RACE_SEVERAL    (1u << 28) /* also other work-items of the group since that barrier */
#define SIM_RACE_OLDER      (1u << 29) /* also work-items of earlier groups */
/* Only for atomics: one of them since that barrier is atomic only for its sub-group; one of the
 * group that the stamp names, or of the earlier groups if OLDER is set, is not atomic for the
 * device. */
#define SIM_RACE_NARROW_HERE (1u << 30)
#define SIM_RACE_NARROW      (1u << 31)
_Static_assert(SIM_RACE_SEVERAL == SIM_RACE_STAMP + 1u, "the flags follow the stamp");

/* The shadow of one object. A cell with stamp 0 has not been accessed. */
typedef struct sim_race_shadow {
    uint32_t *cells[SIM_RACE_KINDS]; /* NULL until the first access of that kind */
    uint32_t from[SIM_RACE_KINDS];  /* the clock's ordered_from at the last access of that kind that
                                     * is recorded in `cells`; 0: none */
    uint32_t sites[SIM_RACE_KINDS]; /* sites in this launch; 0: none, SIM_NONE: several */
    uint32_t logged_from;           /* ordered_from at the last read that was only logged */
    uint64_t size;                  /* size of the object in bytes */
    uint8_t shift;                  /* a cell is 1 << shift bytes: 4 or 1 */
    uint8_t class;                  /* sim_race_class */
    bool is_tracked;                /* the running launch may write the object */
    bool has_narrow;                /* some atomic of this launch was not for the device */
    bool logs_in_vain;              /* reads that were only logged had to be recorded after all */
} sim_race_shadow;

static inline uint64_t sim_race_cells(const sim_race_shadow *shadow)
{
    return (shadow->size + (UINT64_C(1) << shadow->shift) - 1) >> shadow->shift;
}

/* Frees the cells of a shadow. */
void sim_race_shadow_clear(sim_race_shadow *shadow);
/* Forgets who stored to [offset, offset + size), which something else than a launch has written. */
void sim_race_shadow_forget(sim_race_shadow *shadow, uint64_t offset, uint64_t size);
/* Frees the shadow of an object that is being destroyed; NULL does nothing. */
void sim_race_shadow_free(sim_race_shadow *shadow);

#endif
