/* Data races: two accesses of different work-items to a common byte, at least one a write, that
 * nothing orders and that are not both atomic.
 *
 * Every object that a launch may write has a shadow: for each four bytes (each byte, once smaller
 * accesses have come) who wrote it last and who read it last.  "Who" is a stamp.  A clock hands
 * stamps out in ascending order, to all work-items of a group when it starts and again when a
 * barrier orders the memory, and to one work-item when it releases.  So one comparison tells an
 * earlier launch (settled), an earlier part of this group (settled by the barrier), and what is
 * open: another work-item since the last barrier, or another group.  Only open accesses are
 * examined further; race_order.c decides whether atomics and fences order them.  Nothing depends on
 * the order in which the simulator happens to run work-items.
 *
 * It is silent if it cannot know: of several readers (or atomics) of one cell only the last is
 * known by name; a work-item that has acquired something is taken to know the others, and so is one
 * whose atomic is for its sub-group.  When stamps run out, all shadows are cleared, and a launch
 * with atomics says no more.  A relaxed atomic of scope Workgroup counts as one of scope Device,
 * because that is how translators write the atomics of OpenCL 1.x.
 *
 * Source: OpenCL API specification 3.0 section 3.3.6 (memory model), SPIR-V specification 1.6
 * sections 3.27 (scopes) and 3.25 (memory semantics). */
#ifndef SIM_RACE_H
#define SIM_RACE_H

#include "reference/base/map.h"
#include "reference/base/vector.h"
#include "sim/memory/access.h"

/* ---- Clocks --------------------------------------------------------------------------------- */

/* Whose stamps [first, first + lid_count * groups * rounds) are: work-items lid_first on of group
 * `group`, then the same of the groups after it, or of that group again (one of both is 1). */
typedef struct sim_race_interval {
    uint32_t first, lid_first, lid_count, groups, rounds;
    uint64_t group;
} sim_race_interval;

typedef struct sim_race_clock {
    uint32_t launch_first; /* stamps below are of earlier launches (local memory: groups) */
    uint32_t group_first;  /* of the running group */
    uint32_t ordered_from; /* of the running group since the last barrier that orders this memory */
    uint32_t next;
    /* The stamp of a work-item: base and its local linear id; once some have got further ones of
     * their own since the last barrier, stamps[id]. */
    uint32_t base;
    bool is_split;
    uint32_t *stamps;
    RT_VECTOR(sim_race_interval) intervals;
} sim_race_clock;

static inline uint32_t sim_race_stamp_of(const sim_race_clock *clock, uint32_t lid)
{
    return clock->is_split ? clock->stamps[lid] : clock->base + lid;
}

/* ---- What work-items know about each other (race_order.c)
 * ----------------------------------------
 */

/* A piece of knowledge, which never changes: all accesses up to `stamp` of the work-items from
 * lid_first on, everything that their group did before `ordered_from`, and what a and b say; for
 * the memory of `classes` only.  Node 0 knows nothing. */
typedef struct sim_race_node {
    uint32_t stamp[SIM_RACE_CLASSES], ordered_from[SIM_RACE_CLASSES];
    uint32_t group_first[SIM_RACE_CLASSES];
    uint32_t a, b;
    uint16_t lid_first, lid_count; /* count 0: only a and b */
    uint8_t classes;
} sim_race_node;

/* The node of a work-item that knows everything, used when there is no room for more nodes. */
#define SIM_RACE_KNOWS_ALL UINT32_MAX

typedef struct sim_race_item {
    uint32_t acquired;                      /* node */
    uint32_t pending_device, pending_group; /* nodes read by relaxed atomics: those visible on the
                                               device and in the group */
    /* The last release fence: what it publishes once an atomic after it writes. */
    uint32_t fence_node, fence_acquired;
    uint32_t fence_stamp[SIM_RACE_CLASSES], fence_from[SIM_RACE_CLASSES];
    uint8_t fence_level, fence_classes; /* level 0: no fence yet */
} sim_race_item;

/* What atomics published at one address for the work-items that acquire it. */
typedef struct sim_race_place {
    uint32_t for_device, for_group; /* nodes */
    uint32_t group_first;           /* the group that for_group is for */
    uint32_t owner_lid;             /* of that group: the last to release; SIM_NONE: none */
} sim_race_place;

/* A node found by a search, under its group. */
typedef struct sim_race_found {
    uint32_t group_first, node;
} sim_race_found;

/* ---- Asynchronous copies (race_copy.c) ------------------------------------------------------ */

/* Bytes that a copy reads or writes. */
typedef struct sim_race_piece {
    sim_race_shadow *shadow;
    uint64_t offset;
    uint32_t size;
    bool is_write;
} sim_race_piece;

/* One asynchronous copy of the running group. */
typedef struct sim_race_copy {
    uint64_t event;
    uint32_t site;
    uint32_t stamp[SIM_RACE_CLASSES]; /* 0: none since the last barrier */
    bool is_waited;                   /* the next barrier of the group completes it */
    bool is_complete;
    RT_VECTOR(sim_race_piece) pieces; /* of all work-items' shares */
} sim_race_copy;

/* ---- One launch -------------------------------------------------------------------------------
 */

/* Reads of local memory in an interval that has not written it yet: nothing is open until a write
 * comes, and most often none does. */
typedef struct sim_race_log_row {
    sim_race_shadow *shadow;
    uint32_t size;    /* bytes of one access */
    uint32_t lid;     /* of the first lane */
    uint32_t count;   /* lanes */
    uint32_t data;    /* offsets (16 bits) of all lanes, then their mask if not all are active */
    uint32_t offset;  /* of the first lane; is_one: of them all */
    bool in_sequence; /* all lanes are active, each `size` bytes after the previous one */
    bool is_one, is_several, has_mask;
} sim_race_log_row;
#define SIM_RACE_LOG_BYTES (256u << 10)
#define SIM_RACE_LOG_ROWS  4096u

typedef struct sim_race {
    bool is_on; /* more than one work-item, or copies beside them */
    bool has_atomics;
    bool has_meetings; /* of sub-groups, whose barriers tell work-items of each other too */
    bool is_blind;     /* stamps ran out while what was published counted: nothing more is said */
    uint32_t items, subgroup_size;
    uint64_t group; /* number of the running group */
    sim_world *world;
    sim_race_clock clocks[SIM_RACE_CLASSES];
    RT_VECTOR(sim_race_shadow *) tracked;
    sim_race_shadow *locals; /* per object of local memory */
    uint32_t local_count;
    RT_VECTOR(sim_race_log_row) log;
    uint8_t *log_data; /* SIM_RACE_LOG_BYTES */
    uint32_t log_bytes;
    sim_race_item *item;
    RT_VECTOR(sim_race_node) nodes;
    RT_VECTOR(sim_race_place) places;
    rt_map place_of; /* address -> place */
    bool any_known;  /* some `item` is not empty */
    /* All nodes below found_root for that class, by group, and the steps of all searches. */
    RT_VECTOR(sim_race_found) found;
    uint32_t found_root, found_class;
    uint64_t search_work;
    /* Copies of the running group by number, all complete before copy_first; copy_calls: how many
     * each work-item has begun; copy_now: whose accesses those of the engine are just now. */
    RT_VECTOR(sim_race_copy) copies;
    uint32_t copy_first, *copy_calls, copy_now; /* SIM_NONE: those of work-items */
} sim_race;

/* Begins a launch: the objects that the kernel may write are tracked.  launch->locals are there. */
void sim_race_open(sim_launch_state *launch, const sim_argument *arguments);
void sim_race_close(sim_launch_state *launch);
/* The next group starts. */
void sim_race_group(sim_launch_state *launch);
/* All work-items of the group are at a barrier of that order (sim_order_pack). */
void sim_race_barrier(sim_launch_state *launch, uint32_t order);
/* Work-items [lid_first, lid_first + lid_count) of the group, which are a sub-group, are at a
 * barrier of that order.  Shuffles and collectives order nothing and do not come here. */
void sim_race_subgroup_barrier(sim_launch_state *launch, uint32_t lid_first, uint32_t lid_count,
                               uint32_t order);
/* The active lanes are at a fence of that order. */
void sim_race_fence(sim_exec *x, uint32_t order);

/* One lane reads or writes `size` bytes at view->offset, which lie in the object; view->race is not
 * NULL.  Notes races.  Comes before the bytes are written. */
void sim_race_read(sim_exec *x, uint32_t site, uint32_t lane, const sim_view_memory *view,
                   uint32_t size);
/* The same for all active lanes. */
void sim_race_read_all(sim_exec *x, uint32_t site, const sim_view_memory *view, uint32_t size);
void sim_race_write(sim_exec *x, uint32_t site, uint32_t lane, const sim_view_memory *view,
                    uint32_t size, const uint8_t *bytes);
/* One lane's atomic at that address, which may be wrong: then nothing happens. `wrote`: it did more
 * than read. */
void sim_race_atomic(sim_exec *x, const sim_op *op, uint32_t lane, uint64_t address, uint32_t size,
                     bool wrote);

/* With whom an atomic of that order is atomic: SIM_RACE_SUBGROUP and so on. */
uint32_t sim_race_atomic_level(uint32_t order);

/* All active lanes read `size` bytes at one offset of a tracked object.  False, with nothing
 * recorded, if a race is possible: then each lane must use sim_race_read. */
bool sim_race_read_one(sim_exec *x, uint32_t site, const sim_view_memory *view, uint64_t offset,
                       uint32_t size);

/* The clocks go forward, their intervals follow each other, and knowledge is of what came before;
 * stops where not.  For CHECK_SLOW, between groups and at barriers. */
bool sim_race_check(const sim_race *race);

/* ---- race_copy.c ----------------------------------------------------------------------------- */

/* A work-item begins a copy: until sim_race_copy_begun what its lane loads and stores is the
 * copy's.  Returns the copy's event, which is `shared` if that is not 0. */
uint64_t sim_race_copy_begin(sim_exec *x, uint32_t site, uint32_t lane, uint64_t shared);
void sim_race_copy_begun(sim_exec *x);
/* The next barrier of the group completes the copies of that event. */
void sim_race_copy_wait(sim_exec *x, uint64_t event);
/* The group has ended: reports copies without a wait, and forgets all copies. */
void sim_race_copies_end(sim_exec *x);
/* Forgets all copies. */
void sim_race_copies_forget(sim_race *race);
/* For race.c, at a barrier: completes copies that were waited for; what the others do to memory of
 * that class is open to accesses after the barrier. */
void sim_race_copies_complete(sim_race *race);
void sim_race_copies_renew(sim_race *race, sim_race_class class);
/* The running copy's stamp of that class, and that it has made an access there. */
uint32_t sim_race_copy_stamp(sim_race *race, uint32_t number, sim_race_class class);
void sim_race_copy_note(sim_race *race, const sim_race_piece *piece);
/* The copy with that "local linear id", which follows those of work-items. */
static inline sim_race_copy *sim_race_copy_of(sim_race *race, uint32_t lid)
{
    CHECK(lid >= race->items && lid - race->items < race->copies.count);
    return &race->copies.items[lid - race->items];
}
/* A further stamp of that class, for the copy of that id. */
uint32_t sim_race_stamp_one(sim_race *race, sim_race_class class, uint32_t lid);
/* Writes down an access by `lid`, whose stamp is `mine`. */
void sim_race_record(const sim_race_clock *clock, const sim_race_piece *piece, uint32_t lid,
                     uint32_t mine, uint32_t level);

/* ---- For race.c, race_order.c and exec/race.c ------------------------------------------------ */

/* Makes the cells for accesses whose offsets and sizes have these low bits. */
void sim_race_cells_make(sim_race_shadow *shadow, bool is_write, uint64_t bits);
/* Remembers where the running launch writes or reads the object. */
void sim_race_site(sim_race_shadow *shadow, bool is_write, uint32_t site);
/* Turns the log of reads into cells. */
void sim_race_log_flush(sim_race *race);
/* The same, before the object is written, if reads of it may be in the log. */
static inline void sim_race_log_settle(sim_race *race, const sim_race_shadow *shadow)
{
    bool logged = shadow->logged_from == race->clocks[shadow->class].ordered_from;
    if (logged && race->log.count) sim_race_log_flush(race);
}
/* Room for a row of the log of `bytes` bytes; the row's data is filled in. */
sim_race_log_row *sim_race_log_add(sim_race *race, sim_race_shadow *shadow, uint32_t bytes);
/* The cell after a read or atomic of that level by `lid`, whose stamp is `mine`: keeps who else is
 * open. */
uint32_t sim_race_join(const sim_race_clock *clock, uint32_t cell, uint32_t lid, uint32_t mine,
                       uint32_t level);
/* Whose stamp it is, of this launch: local linear id; the group's number goes to *out_group. */
uint32_t sim_race_lid(const sim_race_clock *clock, uint32_t stamp, uint64_t *out_group);
/* New stamps of both clocks for these work-items. */
void sim_race_stamp(sim_race *race, uint32_t lid_first, uint32_t lid_count);

/* ---- race_order.c ---------------------------------------------------------------------------- */

/* Level and memory classes of an order. */
uint32_t sim_race_level(uint32_t scope);
uint32_t sim_race_classes(uint32_t semantics);
bool sim_race_acquires(uint32_t semantics);
bool sim_race_releases(uint32_t semantics);

/* True when the node knows of the access of that stamp to memory of that class. */
bool sim_race_knows(sim_race *race, uint32_t node, sim_race_class class, uint32_t stamp);
/* What an atomic at that address learns and makes known. */
void sim_race_synchronise(sim_race *race, uint32_t lid, const sim_op *op, uint64_t address,
                          bool wrote);
/* No work-item of the new group knows anything yet. */
void sim_race_order_group(sim_race *race);
/* Forgets everything published. */
void sim_race_order_reset(sim_race *race);
/* All share what any knows of memory of these classes; lid_count work-items from lid_first on. */
void sim_race_share(sim_race *race, uint32_t lid_first, uint32_t lid_count, uint32_t classes,
                    uint32_t also);
/* One work-item's fence. */
void sim_race_item_fence(sim_race *race, uint32_t lid, uint32_t order);
/* A node of what work-items from lid_first on have done up to now. */
uint32_t sim_race_node_now(sim_race *race, uint32_t lid_first, uint32_t lid_count,
                           uint32_t classes);

#endif
