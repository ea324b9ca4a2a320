/* The race shadow of one object: for each cell the last write and the last read. check/race.h
 * explains what the stamps mean; this header only defines where they are stored. */
#ifndef SIM_RACE_SHADOW_H
#define SIM_RACE_SHADOW_H

#include <stdbool.h>
#include <stdint.h>

/* The two kinds of memory that barriers and fences order apart from each other. */
typedef enum sim_race_class { SIM_RACE_GLOBAL, SIM_RACE_LOCAL, SIM_RACE_CLASSES } sim_race_class;
#define SIM_RACE_CLASS_BIT(class) (1u << (class))
#define SIM_RACE_ALL_CLASSES      ((1u << SIM_RACE_CLASSES) - 1)

/* ---- Cells: a stamp and what else is known ------------------------------------------------- */

/* The levels of atomics say with whom they are atomic; 0 is a plain access. */
enum { SIM_RACE_PLAIN, SIM_RACE_SUBGROUP, SIM_RACE_WORKGROUP, SIM_RACE_DEVICE };

#define SIM_RACE_STAMP_BITS  28u
#define SIM_RACE_STAMP       ((1u << SIM_RACE_STAMP_BITS) - 1)
#define SIM_RACE_SEVERAL     (1u << 28) /* others of that group too, since the same barrier */
#define SIM_RACE_OLDER       (1u << 29) /* groups before that one too */
#define SIM_RACE_LEVEL_SHIFT 30u

/* The shadow of one object.  Cells of stamp 0 have seen nothing. */
typedef struct sim_race_shadow {
    uint32_t *writers, *readers;    /* NULL until the first write, read */
    uint64_t size;                  /* of the object, in bytes */
    uint8_t shift;                  /* a cell is 1 << shift bytes: 4 or 1 */
    uint8_t class;                  /* sim_race_class */
    bool is_tracked;                /* the running launch may write it */
    uint32_t written_from;          /* ordered_from when it was last written */
    uint32_t read_from;             /* the same of the last read that has come to `readers` */
    uint32_t logged_from;           /* the same of the last read that was only logged */
    uint32_t write_site, read_site; /* of this launch: 0 none, SIM_NONE several */
} sim_race_shadow;

static inline uint64_t sim_race_cells(const sim_race_shadow *shadow)
{
    return (shadow->size + (UINT64_C(1) << shadow->shift) - 1) >> shadow->shift;
}

/* Frees the shadow of an object that ends; NULL does nothing. */
void sim_race_shadow_free(sim_race_shadow *shadow);

#endif
