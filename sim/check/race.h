/* Data races: two accesses by different work-items to a common byte, at least one of them a write,
 * that are neither ordered nor both atomic.
 *
 * Every object that a launch may write has a shadow, which records the last access of each kind
 * (plain and atomic writes, plain and atomic reads) to every four bytes, or to every byte once an
 * access has not been aligned to four bytes. An access is recorded as a stamp. A clock hands out
 * stamps in ascending order: to all work-items of a group when the group starts and whenever a
 * barrier orders the memory, and to one work-item when it releases. Comparing stamps then shows
 * whether an access is from an earlier launch (settled), from an earlier part of this group
 * (settled by the barrier), or *open*: by another work-item since the last barrier, or by another
 * group. Only open accesses are examined further; race_order.c decides whether atomics and fences
 * order them.
 *
 * The kinds have separate cells because a later access replaces an earlier one only if it conflicts
 * with at least as much. A plain write does that to an earlier plain write: what conflicts with the
 * earlier one and knows the later one knows both. Reads, and atomics among themselves, are joined:
 * the cell keeps whether other work-items of the group, and whether earlier groups, have made such
 * accesses, and how narrow the scopes of atomics were. So without acquires, and except for what
 * follows, whether a racing pair of instructions is reported does not depend on the order in which
 * the simulator runs work-items and groups; which of the two is named first does.
 *
 * In doubt, no race is reported. These can be missed:
 *  - Of several readers (or atomics) of one cell, only the last is identified. A work-item that has
 *    acquired anything is assumed to know of the others.
 *  - Atomics of scope Subgroup by one sub-group, and wider ones by another sub-group in the same
 *    part of the group, if a wider one by the first sub-group came in between.
 *  - Plain writes against atomics of earlier groups that the writer does not know, if another
 *    work-item that knew them has since performed an atomic of a scope narrower than the device.
 *  - Of a vector that is loaded, components before the first one and after the last one that are
 * used count only if none is used: translators load a vector of three as one of four.
 *  - Two racing writes are a race of equal values if the later one stores what the memory contains.
 *    If the first work-item overwrites its own value in between, the order decides which class is
 *    reported.
 *  - When stamps run out, all shadows are cleared, and a launch with atomics or sub-group
 * operations reports no more races. A relaxed atomic of scope Workgroup counts as one of scope
 * Device, because that is how translators write the atomics of OpenCL 1.x.
 *
 * Source: OpenCL API specification 3.0 section 3.3.6 (memory model), SPIR-V specification 1.6
 * sections 3.27 (scopes) and 3.25 (memory semantics). */
#ifndef SIM_RACE_H
#define SIM_RACE_H

#include "reference/base/map.h"
#include "reference/base/vector.h"
#include "sim/memory/access.h"

/* ---- Clocks --------------------------------------------------------------------------------- */

/* Assigns the stamps [first, first + lid_count * groups * rounds) to work-items: the lid_count
 * work-items from lid_first on of group `group` get one stamp each, and then the same work-items of
 * each following group, or of the same group again. `groups` or `rounds` is 1. */
typedef struct sim_race_interval {
    uint32_t first, lid_first, lid_count, groups, rounds;
    uint64_t group;
} sim_race_interval;

typedef struct sim_race_clock {
    uint32_t launch_first; /* lower stamps belong to earlier launches (in local memory, to earlier
                            * groups) */
    uint32_t group_first;  /* first stamp of the running group */
    uint32_t ordered_from; /* that group's first stamp since the last barrier that ordered this
                            * memory */
    uint32_t next;
    /* The stamp of a work-item is base plus its local linear id, or stamps[id] once any work-item
     * has received another stamp since the last barrier (is_split). */
    uint32_t base;
    bool is_split;
    uint32_t *stamps;
    RT_VECTOR(sim_race_interval) intervals;
} sim_race_clock;

static inline uint32_t sim_race_stamp_of(const sim_race_clock *clock, uint32_t lid)
{
    return clock->is_split ? clock->stamps[lid] : clock->base + lid;
}

/* ---- What work-items know about each other (race_order.c) ----------------------------------- */

/* What is known to have happened; immutable. A node covers, only in memory of `classes`, all
 * accesses up to `stamp` by lid_count work-items from lid_first on, everything that their group did
 * before `ordered_from`, and what the nodes a and b cover. Node 0 covers nothing. */
typedef struct sim_race_node {
    uint32_t stamp[SIM_RACE_CLASSES], ordered_from[SIM_RACE_CLASSES];
    uint32_t group_first[SIM_RACE_CLASSES];
    uint32_t a, b;
    uint16_t lid_first, lid_count; /* count 0: covers a and b only */
    uint8_t classes;
} sim_race_node;

/* The node of a work-item that knows everything, used when there is no room for more nodes. */
#define SIM_RACE_KNOWS_ALL UINT32_MAX

typedef struct sim_race_item {
    uint32_t acquired;                      /* node that covers what the work-item knows */
    uint32_t pending_device, pending_group; /* nodes read by relaxed atomics, to be acquired by a
                                             * later fence: those published for the device and for
                                             * the group */
    /* The last release fence, that is, what a later atomic publishes when it writes. */
    uint32_t fence_node, fence_acquired;
    uint32_t fence_stamp[SIM_RACE_CLASSES], fence_from[SIM_RACE_CLASSES];
    uint8_t fence_level, fence_classes; /* level 0: no fence yet */
} sim_race_item;

/* What atomics published at one address for the work-items that acquire it. */
typedef struct sim_race_place {
    uint32_t for_device, for_group; /* nodes */
    uint32_t group_first;           /* first stamp of the group that for_group is published for */
    uint32_t owner_lid;             /* the work-item of that group that was the last to release;
                                     * SIM_NONE: none */
} sim_race_place;

/* A node found by a search, keyed by its group. */
typedef struct sim_race_found {
    uint32_t group_first, node;
} sim_race_found;

/* The unpacked order of a barrier, fence or atomic (sim_order_pack): the level of its memory scope,
 * the memory that it orders, and whether it acquires and releases. */
typedef struct sim_race_order {
    uint32_t level;   /* SIM_RACE_PLAIN and so on */
    uint32_t classes; /* SIM_RACE_CLASS_BIT of each */
    bool acquires, releases;
} sim_race_order;

static inline sim_race_order sim_race_order_of(uint32_t order)
{
    uint32_t scope = sim_order_memory(order), semantics = sim_order_semantics(order);
    uint32_t either = SIM_MemorySemanticsAcquireRelease | SIM_MemorySemanticsSequentiallyConsistent;
    sim_race_order out = {.level = SIM_RACE_DEVICE};
    if (scope == SIM_ScopeInvocation) out.level = SIM_RACE_PLAIN;
    if (scope == SIM_ScopeSubgroup) out.level = SIM_RACE_SUBGROUP;
    if (scope == SIM_ScopeWorkgroup) out.level = SIM_RACE_WORKGROUP;
    if (semantics & SIM_MemorySemanticsCrossWorkgroupMemory) {
        out.classes |= SIM_RACE_CLASS_BIT(SIM_RACE_GLOBAL);
    }
    if (semantics & SIM_MemorySemanticsWorkgroupMemory) {
        out.classes |= SIM_RACE_CLASS_BIT(SIM_RACE_LOCAL);
    }
    out.acquires = (semantics & (either | SIM_MemorySemanticsAcquire)) != 0;
    out.releases = (semantics & (either | SIM_MemorySemanticsRelease)) != 0;
    return out;
}

/* ---- Asynchronous copies (race_copy.c) ------------------------------------------------------ */

/* A range of bytes that a copy reads or writes. */
typedef struct sim_race_piece {
    sim_race_shadow *shadow;
    uint64_t offset;
    uint32_t size;
    bool is_write;
} sim_race_piece;

/* The arguments of an asynchronous copy, which are the same for all work-items. */
typedef struct sim_race_copy_arguments {
    uint64_t target, source, count, stride, shared; /* shared: the event to share; 0: none */
} sim_race_copy_arguments;

/* One asynchronous copy of the running group. */
typedef struct sim_race_copy {
    uint64_t event;
    uint32_t site;
    sim_race_copy_arguments arguments; /* of the work-item that began it first */
    uint32_t stamp[SIM_RACE_CLASSES];  /* 0: none taken since the last barrier */
    bool is_waited;                    /* the next barrier of the group completes it */
    bool is_complete;
    RT_VECTOR(sim_race_piece) pieces; /* the shares of all work-items */
} sim_race_copy;

/* ---- One launch ------------------------------------------------------------------------------ */

/* One operation's reads of a local object between two barriers, before any write to the object.
 * They cannot race unless a write follows, and usually none does. */
typedef struct sim_race_log_row {
    sim_race_shadow *shadow;
    uint32_t size;    /* bytes of one access */
    uint32_t lid;     /* of the first lane */
    uint32_t count;   /* lanes */
    uint32_t data;    /* offsets (16 bits) of all lanes, then their mask if not all are active */
    uint32_t offset;  /* of the first lane; of all lanes if is_uniform */
    bool in_sequence; /* all lanes are active, each `size` bytes after the previous one */
    bool is_uniform, is_several, has_mask;
} sim_race_log_row;
#define SIM_RACE_LOG_BYTES (256u << 10)
#define SIM_RACE_LOG_ROWS  4096u

typedef struct sim_race {
    bool is_on;        /* the launch is checked: several work-items, or asynchronous copies */
    uint32_t restarts; /* of the world when the launch began */
    bool has_atomics;
    bool has_meetings; /* sub-groups synchronise; their barriers also order work-items */
    bool is_blind;     /* stamps ran out in a launch with atomics or sub-group operations: no more
                        * races are reported */
    uint32_t items, items_max; /* of the running group; of the largest one, the first */
    uint32_t subgroup_size;
    uint64_t group; /* number of the running group */
    sim_world *world;
    sim_race_clock clocks[SIM_RACE_CLASSES];
    RT_VECTOR(sim_race_shadow *) tracked;
    sim_race_shadow *locals; /* one per object of local memory */
    uint32_t local_count;
    RT_VECTOR(sim_race_log_row) log;
    uint8_t *log_data; /* SIM_RACE_LOG_BYTES */
    uint32_t log_bytes;
    sim_race_item *item;
    RT_VECTOR(sim_race_node) nodes;
    RT_VECTOR(sim_race_place) places;
    rt_map place_of; /* address -> place */
    bool any_known;  /* an `item` may have acquired a node */
    /* The cached search: all nodes below found_root that cover found_class, by group; search_work
     * counts the steps of all searches. */
    RT_VECTOR(sim_race_found) found;
    uint32_t found_root, found_class;
    uint64_t search_work;
    /* Copies of the running group by number; all before copy_first are complete. copy_calls: how
     * many copies each work-item has begun. copy_now: the copy that the engine is executing. */
    RT_VECTOR(sim_race_copy) copies;
    uint32_t copy_first, *copy_calls, copy_now; /* SIM_NONE: no copy is being executed */
    /* The wait that the group has reached since its last barrier: its events, by the first
     * work-item that reached it. */
    uint32_t wait_site; /* 0: none */
    uint64_t wait_count;
    RT_VECTOR(uint64_t) wait_events;
} sim_race;

/* Begins the checks of a launch and tracks the objects that the kernel may write. launch->locals
 * must be set up. */
void sim_race_open(sim_launch_state *launch, const sim_argument *arguments);
void sim_race_close(sim_launch_state *launch);
/* Begins the next group, launch->group. */
void sim_race_group(sim_launch_state *launch);
/* Call when all work-items of the group have reached a barrier with that order (sim_order_pack). */
void sim_race_barrier(sim_launch_state *launch, uint32_t order);
/* Call when work-items [lid_first, lid_first + lid_count) of the group, which form a sub-group,
 * have reached a barrier with that order. Not for shuffles and collectives, which order nothing. */
void sim_race_subgroup_barrier(sim_launch_state *launch, uint32_t lid_first, uint32_t lid_count,
                               uint32_t order);
/* Call when the active lanes execute a fence with that order. */
void sim_race_fence(sim_exec *x, uint32_t order);

/* Records that one lane reads or writes `size` bytes at view->offset, and notes races. The bytes
 * must lie in the object, and view->race must not be NULL. Call sim_race_write before the bytes are
 * written. */
void sim_race_read(sim_exec *x, uint32_t site, uint32_t lane, const sim_view_memory *view,
                   uint32_t size);
/* sim_race_read for all active lanes. */
void sim_race_read_all(sim_exec *x, uint32_t site, const sim_view_memory *view, uint32_t size);
void sim_race_write(sim_exec *x, uint32_t site, uint32_t lane, const sim_view_memory *view,
                    uint32_t size, const uint8_t *bytes);
/* Records one lane's atomic access at `address`; does nothing if the address is invalid or its
 * object is not tracked. `wrote`: the atomic did more than read. */
void sim_race_atomic(sim_exec *x, const sim_op *op, uint32_t lane, uint64_t address, uint32_t size,
                     bool wrote);

/* True if the launch has written any of the `size` bytes at view->offset, as far as their cells
 * tell, or if it is no longer known, because stamps ran out. */
bool sim_race_wrote(const sim_exec *x, const sim_view_memory *view, uint32_t size);

/* The level of an atomic with that order (SIM_RACE_SUBGROUP and so on), which says for which
 * work-items it is atomic. */
uint32_t sim_race_atomic_level(uint32_t order);

/* Records that all active lanes read the same `size` bytes of a tracked object. False, with nothing
 * recorded, if a race is possible: the caller must then use sim_race_read for each lane. */
bool sim_race_read_one(sim_exec *x, uint32_t site, const sim_view_memory *view, uint64_t offset,
                       uint32_t size);

/* Checks that clocks only advance, intervals follow each other and nodes refer only to older nodes;
 * panics otherwise. For CHECK_SLOW, between groups and at barriers. */
bool sim_race_check(const sim_race *race);

/* ---- race_copy.c ----------------------------------------------------------------------------- */

/* Begins a work-item's share of a copy: until sim_race_copy_begun is called, the lane's loads and
 * stores count as the copy's. Notes an argument that differs from another work-item's. Returns the
 * copy's event, which is the shared one if there is one. */
uint64_t sim_race_copy_begin(sim_exec *x, uint32_t site, uint32_t lane,
                             const sim_race_copy_arguments *arguments);
void sim_race_copy_begun(sim_exec *x);
/* Makes the group's next barrier complete all copies with the lane's event number `number` of
 * `count`. Notes an event that no copy of the group has, and one that differs from another
 * work-item's. */
void sim_race_copy_wait(sim_exec *x, uint32_t site, uint32_t lane, uint64_t number, uint64_t count,
                        uint64_t event);
/* Ends a group: reports copies that no work-item waited for, and forgets all copies. */
void sim_race_copies_end(sim_exec *x);
/* Forgets all copies. */
void sim_race_copies_forget(sim_race *race);
/* For race.c, at a barrier. sim_race_copies_complete completes the copies that were waited for;
 * sim_race_copies_renew records the other copies' accesses to memory of that class again, so that
 * they are open with respect to accesses after the barrier. */
void sim_race_copies_complete(sim_race *race);
void sim_race_copies_renew(sim_race *race, sim_race_class class);
/* sim_race_copy_stamp returns the stamp of copy `number` for that class of memory, and takes a new
 * one if the copy has taken none since the last barrier. sim_race_copy_note remembers an access of
 * the running copy. */
uint32_t sim_race_copy_stamp(sim_race *race, uint32_t number, sim_race_class class);
void sim_race_copy_note(sim_race *race, const sim_race_piece *piece);
/* The copy with that id; ids of copies follow the local linear ids of the
 * largest group's work-items. */
static inline sim_race_copy *sim_race_copy_of(sim_race *race, uint32_t lid)
{
    CHECK(lid >= race->items_max && lid - race->items_max < race->copies.count);
    return &race->copies.items[lid - race->items_max];
}
/* Takes a new stamp of that class's clock for the copy with that id. */
uint32_t sim_race_stamp_one(sim_race *race, sim_race_class class, uint32_t lid);
/* Records an access by `lid`, whose stamp is `mine`. */
void sim_race_record(const sim_race_clock *clock, const sim_race_piece *piece, uint32_t lid,
                     uint32_t mine, uint32_t level);

/* ---- For race.c, race_order.c, writers.c and exec/race.c ------------------------------------- */

/* The shadow of a memory, which it gets on first request. */
sim_race_shadow *sim_race_shadow_of(sim_memory *memory);

/* Creates the cells of that kind if necessary. There is one per byte if `bits`, the accesses'
 * offsets and sizes ORed together, is not a multiple of four. */
void sim_race_cells_make(sim_race_shadow *shadow, sim_race_kind kind, uint64_t bits);
/* Remembers the site of an access of that kind by the running launch, or SIM_NONE if there are
 * several. */
void sim_race_site(sim_race_shadow *shadow, sim_race_kind kind, uint32_t site);
/* The stamp before which accesses to an object of that class are settled for all work-items of the
 * group: those of earlier launches and, in local memory, those before the last barrier. */
static inline uint32_t sim_race_settled(const sim_race_clock *clock, uint32_t class)
{
    return class == SIM_RACE_LOCAL ? clock->ordered_from : clock->launch_first;
}
/* True if an access of that kind that is recorded in `cells` may be open. `settled` is the clock's
 * sim_race_settled. */
static inline bool sim_race_may_be_open(const sim_race_shadow *shadow, uint32_t kind,
                                        uint32_t settled)
{
    return shadow->from[kind] >= settled && shadow->cells[kind];
}
static inline bool sim_race_may_be_written(const sim_race_shadow *shadow, uint32_t settled)
{
    return (shadow->from[SIM_RACE_WRITES] >= settled) |
           (shadow->from[SIM_RACE_ATOMIC_WRITES] >= settled);
}
/* Records the logged reads in the cells and empties the log. */
void sim_race_log_flush(sim_race *race);
/* Flushes the log, before the object is written, if it may contain reads of the object. */
static inline void sim_race_log_settle(sim_race *race, const sim_race_shadow *shadow)
{
    bool logged = shadow->logged_from == race->clocks[shadow->class].ordered_from;
    if (logged && race->log.count) sim_race_log_flush(race);
}
/* Adds a row with `bytes` bytes of data to the log; the caller fills in the row and its data. */
sim_race_log_row *sim_race_log_add(sim_race *race, sim_race_shadow *shadow, uint32_t bytes);
/* Returns the new value of a cell of reads or atomics after one of that level by `lid`, whose stamp
 * is `mine`. It keeps the flags for other accesses that are still open. */
uint32_t sim_race_join(const sim_race_clock *clock, uint32_t cell, uint32_t lid, uint32_t mine,
                       uint32_t level);
/* Returns the local linear id of the work-item or copy that was given this stamp in this launch;
 * *out_group receives the number of its group. */
uint32_t sim_race_lid(const sim_race_clock *clock, uint32_t stamp, uint64_t *out_group);
/* Gives the lid_count work-items from lid_first on new stamps of both clocks. */
void sim_race_stamp(sim_race *race, uint32_t lid_first, uint32_t lid_count);

/* ---- race_order.c ---------------------------------------------------------------------------- */

/* True if the node covers the access with that stamp to memory of that class. */
bool sim_race_knows(sim_race *race, uint32_t node, sim_race_class class, uint32_t stamp);
/* Applies the order of an atomic at that address: `lid` learns from earlier releases, and publishes
 * what it releases. */
void sim_race_synchronise(sim_race *race, uint32_t lid, const sim_op *op, uint64_t address,
                          bool wrote);
/* Begins a group, whose work-items know nothing yet. */
void sim_race_order_group(sim_race *race);
/* Forgets everything published. */
void sim_race_order_reset(sim_race *race);
/* Makes the lid_count work-items from lid_first on share what any of them knows and what node
 * `also` covers, in memory of these classes. */
void sim_race_share(sim_race *race, uint32_t lid_first, uint32_t lid_count, uint32_t classes,
                    uint32_t also);
/* Applies a fence with that order by one work-item. */
void sim_race_item_fence(sim_race *race, uint32_t lid, sim_race_order order);
/* Creates a node that covers what the lid_count work-items from lid_first on have done so far. */
uint32_t sim_race_node_now(sim_race *race, uint32_t lid_first, uint32_t lid_count,
                           uint32_t classes);

#endif
