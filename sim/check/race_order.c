/* What work-items know about each other through atomics and fences: the happens-before of the
 * memory model, beyond what barriers order.
 *
 * A release creates a node, which records how far (up to which stamp) the work-items that it covers
 * have advanced. The node is kept at the address of the atomic for the work-items that acquire it;
 * read-modify-writes add to the nodes kept there and stores replace them, which models a release
 * sequence. Nodes are immutable, and a join refers to both of its parts, so the cost of
 * synchronising does not depend on how much is known; nodes are searched only when an access looks
 * like a race. Local and global memory are ordered separately: each node records the classes of
 * memory for which it holds. Beyond NODES_MAX nodes, or SEARCH_MAX search steps, every work-item is
 * assumed to know everything.
 *
 * Source: OpenCL API specification 3.0 section 3.3.6.2 and 3.3.6.3 (fences). */
#include "reference/base/alloc.h"
#include "sim/check/race.h"

#include <stdlib.h>
#include <string.h>

#define NODES_MAX  (1u << 20)
#define SEARCH_MAX (UINT64_C(1) << 27)
#define NEAR_STEPS 32u /* steps of search_near; search_all follows */

/* ---- Nodes --------------------------------------------------------------------------------- */

static uint32_t node_add(sim_race *race, sim_race_node node)
{
    if (race->nodes.count == 0) *rt_vector_push(&race->nodes) = (sim_race_node){0};
    CHECK(node.a < race->nodes.count && node.b < race->nodes.count);
    CHECK((node.classes & ~SIM_RACE_ALL_CLASSES) == 0);
    if (race->nodes.count >= NODES_MAX) return SIM_RACE_KNOWS_ALL;
    *rt_vector_push(&race->nodes) = node;
    return race->nodes.count - 1;
}

/* Returns a node that covers what `node` covers in memory of these classes. */
static uint32_t limit(sim_race *race, uint32_t node, uint32_t classes)
{
    if (node == 0 || node == SIM_RACE_KNOWS_ALL || classes == SIM_RACE_ALL_CLASSES) return node;
    return node_add(race, (sim_race_node){.a = node, .classes = (uint8_t)classes});
}

/* True if a is a join whose later part is b, limited to the classes. Thanks to this test, a
 * spinning work-item adds no nodes. */
static bool ends_in(const sim_race *race, uint32_t a, uint32_t b, uint32_t classes)
{
    if (a == 0) return false;
    const sim_race_node *join = &race->nodes.items[a];
    if (join->lid_count || join->classes != SIM_RACE_ALL_CLASSES) return false;
    if (classes == SIM_RACE_ALL_CLASSES) return join->b == b;
    const sim_race_node *part = &race->nodes.items[join->b];
    return join->b && part->a == b && !part->b && !part->lid_count && part->classes == classes;
}

/* Returns a node that covers what a covers, and what b covers in memory of these classes. */
static uint32_t join(sim_race *race, uint32_t a, uint32_t b, uint32_t classes)
{
    if (b == 0 || a == b || a == SIM_RACE_KNOWS_ALL) return a;
    if (b == SIM_RACE_KNOWS_ALL) return b;
    if (a == 0 && classes == SIM_RACE_ALL_CLASSES) return b;
    if (ends_in(race, a, b, classes)) return a;
    uint32_t part = limit(race, b, classes);
    if (part == SIM_RACE_KNOWS_ALL) return part;
    return node_add(race, (sim_race_node){.a = a, .b = part, .classes = SIM_RACE_ALL_CLASSES});
}

uint32_t sim_race_node_now(sim_race *race, uint32_t lid_first, uint32_t lid_count, uint32_t classes)
{
    sim_race_node node = {.lid_first = (uint16_t)lid_first,
                          .lid_count = (uint16_t)lid_count,
                          .classes = (uint8_t)classes};
    CHECK(lid_first + lid_count <= race->items);
    if (lid_count == 1) node.a = race->item[lid_first].acquired;
    for (uint32_t class = 0; class < SIM_RACE_CLASSES; class ++) {
        const sim_race_clock *clock = &race->clocks[class];
        node.ordered_from[class] = clock->ordered_from;
        node.group_first[class] = clock->group_first;
        for (uint32_t i = 0; i < lid_count; i++) {
            uint32_t stamp = sim_race_stamp_of(clock, lid_first + i);
            if (stamp > node.stamp[class]) node.stamp[class] = stamp;
        }
    }
    if (node.a == SIM_RACE_KNOWS_ALL) return node.a;
    return node_add(race, node);
}

/* ---- Searching ----------------------------------------------------------------------------- */

/* True if the node itself, without a and b, covers the access with that stamp. */
static bool says(const sim_race *race, const sim_race_node *node, sim_race_class class,
                 uint32_t stamp)
{
    if (!node->lid_count || stamp > node->stamp[class] || stamp < node->group_first[class]) {
        return false;
    }
    if (stamp < node->ordered_from[class]) return true;
    uint64_t group;
    uint32_t lid = sim_race_lid(&race->clocks[class], stamp, &group);
    return lid >= node->lid_first && lid < (uint32_t)node->lid_first + node->lid_count;
}

/* Searches the nearest nodes, latest first. Returns 1 if a node covers the access, 0 if none does,
 * or -1 if more nodes remain to be searched. */
static int search_near(const sim_race *race, uint32_t root, sim_race_class class, uint32_t stamp)
{
    uint32_t stack[2 * NEAR_STEPS + 2], depth = 0;
    stack[depth++] = root;
    for (uint32_t step = 0; depth > 0; step++) {
        if (step == NEAR_STEPS) return -1;
        const sim_race_node *node = &race->nodes.items[stack[--depth]];
        if (!(node->classes & SIM_RACE_CLASS_BIT(class))) continue;
        if (says(race, node, class, stamp)) return 1;
        if (node->a) stack[depth++] = node->a;
        if (node->b) stack[depth++] = node->b;
    }
    return 0;
}

static int compare_found(const void *a, const void *b)
{
    const sim_race_found *x = a, *y = b;
    if (x->group_first != y->group_first) return x->group_first < y->group_first ? -1 : 1;
    return x->node < y->node ? -1 : x->node > y->node;
}

/* Lists all nodes below root that themselves cover accesses to memory of the class, sorted by
 * group. */
static void search_all(sim_race *race, uint32_t root, sim_race_class class)
{
    RT_VECTOR(uint32_t) stack = {0};
    uint8_t *seen = rt_alloc(race->nodes.count);
    race->found.count = 0;
    race->found_root = root;
    race->found_class = class;
    *rt_vector_push(&stack) = root;
    while (stack.count > 0) {
        uint32_t index = stack.items[--stack.count];
        const sim_race_node *node = &race->nodes.items[index];
        if (index == 0 || seen[index] || !(node->classes & SIM_RACE_CLASS_BIT(class))) continue;
        seen[index] = 1;
        race->search_work++;
        if (node->lid_count) {
            *rt_vector_push(&race->found) = (sim_race_found){node->group_first[class], index};
        }
        *rt_vector_push(&stack) = node->a;
        *rt_vector_push(&stack) = node->b;
    }
    if (race->found.count) {
        qsort(race->found.items, race->found.count, sizeof *race->found.items, compare_found);
    }
    rt_free(seen);
    rt_vector_free(&stack);
}

bool sim_race_knows(sim_race *race, uint32_t node, sim_race_class class, uint32_t stamp)
{
    if (node == 0) return false;
    if (node == SIM_RACE_KNOWS_ALL || race->search_work > SEARCH_MAX) return true;
    CHECK(node < race->nodes.count);
    int near = search_near(race, node, class, stamp);
    if (near >= 0) return near;
    if (race->found_root != node || race->found_class != (uint32_t) class) {
        search_all(race, node, class);
    }
    /* Only nodes of the access's own group can cover it. */
    uint32_t low = 0, high = race->found.count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (race->found.items[middle].group_first <= stamp) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    for (uint32_t i = low; i-- > 0;) {
        const sim_race_found *found = &race->found.items[i];
        if (found->group_first != race->found.items[low - 1].group_first) return false;
        race->search_work++;
        if (says(race, &race->nodes.items[found->node], class, stamp)) return true;
    }
    return false;
}

/* ---- Work-items ---------------------------------------------------------------------------- */

static void acquire(sim_race *race, uint32_t lid, uint32_t node, uint32_t classes)
{
    sim_race_item *item = &race->item[lid];
    if (node == 0 || classes == 0) return;
    item->acquired = join(race, item->acquired, node, classes);
    race->any_known = true;
}

void sim_race_order_group(sim_race *race)
{
    if (!race->any_known) return;
    memset(race->item, 0, race->items_max * sizeof *race->item);
    race->any_known = false;
}

void sim_race_order_reset(sim_race *race)
{
    race->any_known = true;
    sim_race_order_group(race);
    race->nodes.count = race->places.count = 0;
    race->found_root = 0;
    rt_map_free(&race->place_of);
}

void sim_race_share(sim_race *race, uint32_t lid_first, uint32_t lid_count, uint32_t classes,
                    uint32_t also)
{
    uint32_t sum = also, last = 0;
    CHECK(lid_first + lid_count <= race->items);
    for (uint32_t i = 0; i < lid_count; i++) {
        uint32_t known = race->item[lid_first + i].acquired;
        if (known == last) continue;
        last = known;
        sum = join(race, sum, known, SIM_RACE_ALL_CLASSES);
    }
    if (sum == 0) return;
    race->any_known = true;
    uint32_t part = limit(race, sum, classes);
    for (uint32_t i = 0; i < lid_count; i++) {
        sim_race_item *item = &race->item[lid_first + i];
        item->acquired = part == sum ? sum : join(race, item->acquired, part, SIM_RACE_ALL_CLASSES);
    }
}

void sim_race_item_fence(sim_race *race, uint32_t lid, sim_race_order order)
{
    sim_race_item *item = &race->item[lid];
    CHECK(lid < race->items);
    if (order.level == SIM_RACE_PLAIN || !order.classes) return;
    race->any_known = true;
    if (order.acquires) {
        if (order.level == SIM_RACE_DEVICE) acquire(race, lid, item->pending_device, order.classes);
        acquire(race, lid, item->pending_group, order.classes);
    }
    if (!order.releases) return;
    item->fence_node = 0;
    item->fence_acquired = item->acquired;
    item->fence_level = (uint8_t)order.level;
    item->fence_classes = (uint8_t)order.classes;
    for (uint32_t class = 0; class < SIM_RACE_CLASSES; class ++) {
        item->fence_stamp[class] = sim_race_stamp_of(&race->clocks[class], lid);
        item->fence_from[class] = race->clocks[class].ordered_from;
    }
}

/* Returns the node of a work-item's last release fence, which the first atomic write after the
 * fence creates; 0 if there is no fence. */
static uint32_t fence_node(sim_race *race, uint32_t lid)
{
    sim_race_item *item = &race->item[lid];
    if (item->fence_level == SIM_RACE_PLAIN || item->fence_node) return item->fence_node;
    item->fence_node = item->fence_acquired;
    if (item->fence_acquired == SIM_RACE_KNOWS_ALL) return item->fence_node;
    sim_race_node node = {.a = item->fence_acquired,
                          .lid_first = (uint16_t)lid,
                          .lid_count = 1,
                          .classes = item->fence_classes};
    for (uint32_t class = 0; class < SIM_RACE_CLASSES; class ++) {
        node.stamp[class] = item->fence_stamp[class];
        node.ordered_from[class] = item->fence_from[class];
        node.group_first[class] = race->clocks[class].group_first;
    }
    item->fence_node = node_add(race, node);
    return item->fence_node;
}

/* ---- Atomics ------------------------------------------------------------------------------- */

/* Publishes a node to the work-items that the level includes. */
static void publish(sim_race *race, sim_race_place *place, uint32_t node, uint32_t level)
{
    /* One node serves both as long as it can, so that a work-item that acquires both adds none. */
    bool are_same = level == SIM_RACE_DEVICE && place->for_device == place->for_group;
    if (level == SIM_RACE_DEVICE) {
        place->for_device = join(race, place->for_device, node, SIM_RACE_ALL_CLASSES);
    }
    if (level != SIM_RACE_PLAIN) {
        place->for_group =
            are_same ? place->for_device : join(race, place->for_group, node, SIM_RACE_ALL_CLASSES);
    }
}

/* Returns the place of an address and drops what an earlier group published there for its own
 * work-items. NULL if nothing was published there and `make` is false. */
static sim_race_place *place_find(sim_race *race, uint64_t address, bool make)
{
    uint32_t index = rt_map_find_number(&race->place_of, address);
    uint32_t group_first = race->clocks[SIM_RACE_GLOBAL].group_first;
    if (index == RT_MAP_NONE) {
        if (!make) return NULL;
        index = race->places.count;
        rt_map_set_number(&race->place_of, address, index);
        *rt_vector_push(&race->places) = (sim_race_place){.group_first = group_first};
    }
    CHECK(index < race->places.count);
    sim_race_place *place = &race->places.items[index];
    if (place->group_first != group_first) {
        place->group_first = group_first;
        place->for_group = 0;
        place->owner_lid = SIM_NONE;
        if (sim_address_class_of(address) == SIM_CLASS_LOCAL) place->for_device = 0;
    }
    return place;
}

void sim_race_synchronise(sim_race *race, uint32_t lid, const sim_op *op, uint64_t address,
                          bool wrote)
{
    sim_race_item *item = &race->item[lid];
    sim_race_order order = sim_race_order_of(op->stride);
    bool is_local = sim_address_class_of(address) == SIM_CLASS_LOCAL;
    uint32_t level = order.level;
    uint32_t classes =
        order.classes | SIM_RACE_CLASS_BIT(is_local ? SIM_RACE_LOCAL : SIM_RACE_GLOBAL);
    bool is_store = op->extra == SIM_ATOMIC_STORE;
    bool releases = wrote && order.releases && level != SIM_RACE_PLAIN;
    CHECK(lid < race->items);
    uint32_t fence = wrote ? fence_node(race, lid) : 0;
    sim_race_place *place = place_find(race, address, releases || fence);
    if (!place) return;
    if (!is_store && order.acquires) {
        if (level == SIM_RACE_DEVICE) acquire(race, lid, place->for_device, classes);
        if (level != SIM_RACE_PLAIN) acquire(race, lid, place->for_group, classes);
    } else if (!is_store) {
        race->any_known = true;
        item->pending_device =
            join(race, item->pending_device, place->for_device, SIM_RACE_ALL_CLASSES);
        item->pending_group =
            join(race, item->pending_group, place->for_group, SIM_RACE_ALL_CLASSES);
    }
    if (!wrote) return;
    /* A store ends the release sequences of other work-items, but not those of the work-item that
     * stores. */
    if (is_store && (releases || fence || place->owner_lid != lid)) {
        place->for_device = place->for_group = 0;
    }
    if (fence) publish(race, place, fence, item->fence_level);
    if (releases) {
        publish(race, place, sim_race_node_now(race, lid, 1, classes), level);
        sim_race_stamp(race, lid, 1);
    }
    if (releases || fence) {
        place->owner_lid = lid;
    } else if (is_store && place->owner_lid != lid) {
        place->owner_lid = SIM_NONE;
    }
}
