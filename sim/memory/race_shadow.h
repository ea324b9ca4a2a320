/* The race shadow of one object: the last write and the last read of each cell. check/race.h
 * explains the stamps; this header only defines how they are stored. */
#ifndef SIM_RACE_SHADOW_H
#define SIM_RACE_SHADOW_H

#include <stdbool.h>
#include <stdint.h>

/* The two kinds of memory that barriers and fences order separately. */
typedef enum sim_race_class { SIM_RACE_GLOBAL, SIM_RACE_LOCAL, SIM_RACE_CLASSES } sim_race_class;
#define SIM_RACE_CLASS_BIT(class) (1u << (class))
#define SIM_RACE_ALL_CLASSES      ((1u << SIM_RACE_CLASSES) - 1)

/* ---- Cells: a stamp, flags and a level ----------------------------------------------------- */

/* The level of an atomic, that is, the work-items for which it is atomic. 0 is a plain access. */
enum { SIM_RACE_PLAIN, SIM_RACE_SUBGROUP, SIM_RACE_WORKGROUP, SIM_RACE_DEVICE };

#define SIM_RACE_STAMP_BITS  28u
#define SIM_RACE_STAMP       ((1u << SIM_RACE_STAMP_BITS) - 1)
#define SIM_RACE_SEVERAL     (1u << 28) /* also other work-items of the group since that barrier */
#define SIM_RACE_OLDER       (1u << 29) /* also work-items of earlier groups */
#define SIM_RACE_LEVEL_SHIFT 30u
_Static_assert(SIM_RACE_SEVERAL == SIM_RACE_STAMP + 1u, "the flags follow the stamp");

/* The shadow of one object. A cell with stamp 0 has not been accessed. */
typedef struct sim_race_shadow {
    uint32_t *writers, *readers;    /* NULL until the first write or read */
    uint64_t size;                  /* size of the object in bytes */
    uint8_t shift;                  /* a cell is 1 << shift bytes: 4 or 1 */
    uint8_t class;                  /* sim_race_class */
    bool is_tracked;                /* the running launch may write the object */
    uint32_t written_from;          /* the clock's ordered_from at the last write */
    uint32_t read_from;             /* the same at the last read recorded in `readers` */
    uint32_t logged_from;           /* the same at the last read that was only logged */
    uint32_t write_site, read_site; /* sites in this launch; 0: none, SIM_NONE: several */
} sim_race_shadow;

static inline uint64_t sim_race_cells(const sim_race_shadow *shadow)
{
    return (shadow->size + (UINT64_C(1) << shadow->shift) - 1) >> shadow->shift;
}

/* Frees the shadow of an object that is being destroyed; NULL does nothing. */
void sim_race_shadow_free(sim_race_shadow *shadow);

#endif
