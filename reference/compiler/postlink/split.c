/* Plans the images of a module.
 *
 * This file changes no code; image.c does, as the roles require.  Source: document 003,
 * "sycl-post-link changes", rules DL-SPLIT-01 to -12 and DL-EXPORT-05; document 004, "Device code
 * split and device images", rules VF-SPLIT-01 to -03 and -09, VF-FE-01, VF-DUMMY-01.  Readings:
 *
 * - For the split per kernel, the document does not say where functions go.  Here each kernel has
 *   its own image and the SYCL_EXTERNAL functions of a source share one, so functions share
 *   images as in the split per source (DL-SPLIT-08, -09), and no image with a kernel exports
 *   functions.
 * - A function that any kernel of an image reaches is copied into the image, even if it is reached
 *   only through functions that the image exports (the reading of DL-SPLIT-04); functions that only
 *   exported functions reach follow DL-SPLIT-08.  Shipped DPC++ imports every such function instead
 *   (A9).
 * - A kernel that another entry point calls is copied into that entry point's image as an ordinary
 *   function.
 * - A virtual function that is called by name (a qualified call, or one on an object of known
 *   class) is copied to its caller, as a helper is; vtable slots lead to its set.
 * - The document does not mention variables.  A variable that other images may import is defined by
 *   one image, its home, with the functions of its source; other images copy it if it is a
 *   constant.  The home of a writable variable is with the kernels that reach it, so that they need
 *   no link, and images of functions import it: a program never has two copies of it.  Kernels of
 *   two images could not share it, because each has a program of its own; that is refused. */
#include "reference/compiler/postlink/split.h"

#include "reference/base/map.h"
#include "reference/base/vector.h"
#include "reference/compiler/ir/place.h"
#include "reference/compiler/postlink/device_globals.h"

#include <stdlib.h>

/* The entry points of one image, as node indices, in the graph's order. */
typedef struct group {
    RT_VECTOR(uint32_t) kernels;
    RT_VECTOR(uint32_t) functions;
    RT_VECTOR(uint32_t) variables; /* variables whose home is this image */
    RT_VECTOR(uint32_t) virtuals;  /* all of one set */
    uint32_t set;                  /* or PL_NONE */
} group;

/* The plan's state of a node. */
typedef struct node_plan {
    uint32_t home;        /* function, variable: the group with this entry point, or PL_NONE */
    uint32_t kernel_home; /* offered variable: a group whose kernels reach it, or PL_NONE */
    bool copied_before;   /* an earlier image has a copy */
    bool torn;            /* the node is in planner.torn or planner.scoped */
    /* The fields from here on describe one image; they are valid if `image` equals the current
     * image's number, counted from 1. */
    uint32_t image;
    pl_role role;
    bool visited;
} node_plan;

typedef struct planner {
    pl_job *job;
    const pl_graph *graph;
    rt_split split; /* not AUTO */
    bool whole;     /* one group for everything */
    bool outlines;  /* virtual functions have their own groups */
    node_plan *nodes;
    RT_VECTOR(group) groups;
    rt_map group_of_unit;        /* unit -> first group of its functions and variables */
    rt_map group_of_aspects;     /* unit and class of aspects -> group of the unit's functions that
                                  * use these aspects */
    rt_map class_of_aspects;     /* aspects -> class */
    uint32_t image;              /* number of the current image, counted from 1 */
    RT_VECTOR(uint32_t) members; /* nodes that have a role in the current image */
    RT_VECTOR(uint32_t) pending; /* nodes whose uses have not been followed */
    RT_VECTOR(uint32_t) torn;    /* writable variables that several images would each copy */
    RT_VECTOR(uint32_t)
    scoped; /* device_globals with device_image_scope that several images would define */
} planner;

/* ---- Grouping ------------------------------------------------------------------------------ */

static uint32_t add_group(planner *plan)
{
    *rt_vector_push(&plan->groups) = (group){.set = PL_NONE};
    return plan->groups.count - 1;
}

static uint32_t unit_key(const planner *plan, uint32_t unit)
{
    return plan->split == RT_SPLIT_OFF ? 0 : RULE(DL_SPLIT_01, unit);
}

/* The group of a source's variables; created if necessary. */
static uint32_t group_of_unit(planner *plan, uint32_t unit)
{
    uint32_t key = unit_key(plan, unit);
    uint32_t found = rt_map_find_number(&plan->group_of_unit, key);
    if (found != RT_MAP_NONE) return found;
    found = add_group(plan);
    rt_map_set_number(&plan->group_of_unit, key, found);
    return found;
}

/* The group of a source's entry points that use the same aspects; entry points with different
 * aspects never share an image, regardless of the split (VF-SPLIT-09). */
static uint32_t group_of_aspects(planner *plan, const pl_node *node)
{
    uint32_t aspect_class = 0;
    bool is_plain = node->aspects == 0 || plan->whole;
    if (RULE(VF_SPLIT_09, !is_plain)) {
        pl_aspects aspects = RULE(VF_SPLIT_09, node->aspects);
        aspect_class = rt_map_find_number(&plan->class_of_aspects, aspects);
        if (aspect_class == RT_MAP_NONE) {
            aspect_class = plan->class_of_aspects.count + 1;
            rt_map_set_number(&plan->class_of_aspects, aspects, aspect_class);
        }
    }
    CHECK(aspect_class <= plan->class_of_aspects.count);
    uint32_t key = unit_key(plan, node->unit);
    uint64_t unit_and_class = (uint64_t)aspect_class << 32 | key;
    uint32_t found = rt_map_find_number(&plan->group_of_aspects, unit_and_class);
    if (found != RT_MAP_NONE) return found;
    found = add_group(plan);
    rt_map_set_number(&plan->group_of_aspects, unit_and_class, found);
    if (rt_map_find_number(&plan->group_of_unit, key) == RT_MAP_NONE) {
        rt_map_set_number(&plan->group_of_unit, key, found);
    }
    return found;
}

static void group_entries(planner *plan)
{
    const pl_graph *graph = plan->graph;
    for (uint32_t i = 0; i < graph->node_count; i++)
        plan->nodes[i] = (node_plan){.home = PL_NONE, .kernel_home = PL_NONE};
    for (uint32_t i = 0; i < graph->function_count; i++) {
        const pl_node *node = &graph->nodes[i];
        if (!node->defined || (node->kind != PL_KERNEL && node->kind != PL_EXTERNAL)) continue;
        bool kernel = node->kind == PL_KERNEL;
        bool alone = plan->split == RT_SPLIT_PER_KERNEL && kernel;
        /* Functions of one source stay together (DL-SPLIT-09). */
        uint32_t home = alone ? add_group(plan) : group_of_aspects(plan, node);
        CHECK(plan->groups.items && home < plan->groups.count);
        plan->nodes[i].home = home;
        group *at = &plan->groups.items[home];
        if (kernel) {
            *rt_vector_push(&at->kernels) = i;
        } else {
            *rt_vector_push(&at->functions) = i;
        }
    }
    CHECK(plan->groups.count <= graph->function_count);
}

static void hold_virtual(planner *plan, uint32_t home, uint32_t index)
{
    *rt_vector_push(&plan->groups.items[home].virtuals) = index;
    plan->nodes[index].home = home;
}

/* Each set with a function that the module defines is a group, whether or not the module creates
 * objects that use the set or calls it (VF-FE-01). */
static void group_sets(planner *plan)
{
    const pl_graph *graph = plan->graph;
    uint32_t *group_of =
        rt_arena_alloc_array(&plan->job->arena, graph->set_count, sizeof *group_of);
    for (uint32_t i = 0; i < graph->set_count; i++)
        group_of[i] = PL_NONE;
    for (uint32_t i = 0; i < graph->function_count; i++) {
        const pl_node *node = &graph->nodes[i];
        if (node->kind != PL_VIRTUAL || !node->defined) continue;
        uint32_t set = RULE(VF_SPLIT_02, node->set);
        if (group_of[set] == PL_NONE) group_of[set] = add_group(plan);
        plan->groups.items[group_of[set]].set = set;
        hold_virtual(plan, group_of[set], i);
    }
}

/* ---- The current image --------------------------------------------------------------------- */

static void begin_image(planner *plan, uint32_t number)
{
    plan->image = number + 1;
    plan->members.count = 0;
    CHECK(plan->pending.count == 0);
}

static node_plan *current_plan(planner *plan, uint32_t index)
{
    node_plan *node = &plan->nodes[index];
    if (node->image != plan->image) {
        node->image = plan->image;
        node->role = PL_ABSENT;
        node->visited = false;
    }
    return node;
}

static void hold(planner *plan, uint32_t index, pl_role role)
{
    node_plan *node = current_plan(plan, index);
    CHECK(node->role == PL_ABSENT && role != PL_ABSENT);
    CHECK(plan->graph->nodes[index].defined == (role != PL_DECLARE));
    node->role = role;
    *rt_vector_push(&plan->members) = index;
    if (role == PL_COPY) *rt_vector_push(&plan->pending) = index;
}

/* ---- Roles --------------------------------------------------------------------------------- */

/* The role of a variable in an image that is not its home: a constant is copied, and so is a
 * device_global (DG-POSTLINK-05). */
static pl_role role_of_variable(const planner *plan, uint32_t index)
{
    const pl_node *node = &plan->graph->nodes[index];
    bool elsewhere = node->offered && plan->nodes[index].home != PL_NONE;
    return elsewhere && node->shared ? PL_IMPORT : PL_COPY;
}

/* Functions that an image's kernels reach are copied, so that the image need not be linked
 * (DL-SPLIT-02, -04); shipped DPC++ imports them (A9). */
static pl_role role_for_kernel(planner *plan, uint32_t used)
{
    const pl_node *node = &plan->graph->nodes[used];
    if (node->kind == PL_VARIABLE) return role_of_variable(plan, used);
    if (node->kind != PL_EXTERNAL) return PL_COPY;
    if (plan->job->profile == RT_PROFILE_DPCPP) return PL_IMPORT;
    return RULE(DL_SPLIT_02, PL_COPY);
}

/* A SYCL_EXTERNAL function of another image is imported, not copied; helpers are copied, even into
 * several images (DL-SPLIT-07). */
static pl_role role_for_function(planner *plan, uint32_t used)
{
    const pl_node *node = &plan->graph->nodes[used];
    if (node->kind == PL_VARIABLE) return role_of_variable(plan, used);
    bool is_external = node->kind == PL_EXTERNAL;
    if (RULE(DL_SPLIT_08, is_external)) return PL_IMPORT;
    return RULE(DL_SPLIT_06, PL_COPY);
}

typedef pl_role role_rule(planner *plan, uint32_t used);

/* Follows the uses of all pending nodes, even through the image's own entry points. */
static void follow(planner *plan, role_rule *rule)
{
    while (plan->pending.count > 0) {
        uint32_t index = plan->pending.items[--plan->pending.count];
        node_plan *at = current_plan(plan, index);
        if (at->visited) continue;
        at->visited = true;
        const pl_node *node = &plan->graph->nodes[index];
        CHECK(node->defined && (at->role == PL_ENTRY || at->role == PL_COPY));
        for (uint32_t i = 0; i < node->use_count; i++) {
            uint32_t used = node->uses[i];
            bool defined = plan->graph->nodes[used].defined;
            pl_role role = current_plan(plan, used)->role;
            if (role == PL_ENTRY) *rt_vector_push(&plan->pending) = used;
            if (role == PL_ABSENT) hold(plan, used, defined ? rule(plan, used) : PL_DECLARE);
            if (role == PL_SLOT) {
                /* A function that so far only vtable slots referred to is also called by name. */
                current_plan(plan, used)->role = PL_COPY;
                *rt_vector_push(&plan->pending) = used;
            }
        }
        for (uint32_t i = 0; i < node->reference_count; i++) {
            uint32_t referred = node->references[i];
            CHECK(plan->graph->nodes[referred].set != PL_NONE);
            if (current_plan(plan, referred)->role != PL_ABSENT) continue;
            /* If virtual functions have no separate images, a slot is a use like any other. */
            pl_role role = RULE(VF_SPLIT_03, plan->outlines) ? PL_SLOT : PL_COPY;
            hold(plan, referred, plan->graph->nodes[referred].defined ? role : PL_DECLARE);
        }
    }
}

static void hold_all(planner *plan, const uint32_t *items, uint32_t count, pl_role role)
{
    for (uint32_t i = 0; i < count; i++)
        hold(plan, items[i], role);
}

static void push_all(planner *plan, const uint32_t *items, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        *rt_vector_push(&plan->pending) = items[i];
}

/* Gives a role to every node in the image of a group. A function's original body stays exported
 * even in an image with a kernel of its source (DL-EXPORT-05). */
static void fill_image(planner *plan, const group *entries)
{
    hold_all(plan, entries->kernels.items, entries->kernels.count, PL_ENTRY);
    hold_all(plan, entries->variables.items, entries->variables.count, PL_ENTRY);
    hold_all(plan, entries->virtuals.items, entries->virtuals.count, PL_ENTRY);
    hold_all(plan, entries->functions.items, entries->functions.count, PL_ENTRY);
    push_all(plan, entries->kernels.items, entries->kernels.count);
    push_all(plan, entries->virtuals.items, entries->virtuals.count);
    follow(plan, role_for_kernel);
    push_all(plan, entries->functions.items, entries->functions.count);
    push_all(plan, entries->variables.items, entries->variables.count);
    follow(plan, role_for_function);
}

/* ---- Torn variables ------------------------------------------------------------------------ */

static void note_torn(planner *plan, uint32_t index)
{
    CHECK(plan->graph->nodes[index].shared);
    if (plan->nodes[index].torn) return;
    plan->nodes[index].torn = true;
    *rt_vector_push(&plan->torn) = index;
}

static rt_status refuse_torn(const planner *plan)
{
    if (plan->torn.count == 0) return RT_STATUS_OK;
    pl_job *job = plan->job;
    rt_text *names = rt_arena_alloc_array(&job->arena, plan->torn.count, sizeof *names);
    for (uint32_t i = 0; i < plan->torn.count; i++)
        names[i] = plan->graph->nodes[plan->torn.items[i]].name;
    LLVMValueRef first = plan->graph->nodes[plan->torn.items[0]].value;
    return rt_fail_naming(job->sink, RT_POSTLINK_ERROR, RT_RULE_NONE, names, plan->torn.count,
                          "%.*svariable '%.*s' can be written and is used by entry points of "
                          "several images, which would each have a separate copy; switch the "
                          "split off, and make these entry points use the same optional features",
                          RT_TEXT_ARG(pl_place_of_use(job, first)), RT_TEXT_ARG(names[0]));
}

static int compare_indices(const void *a, const void *b)
{
    uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
    return (left > right) - (left < right);
}

/* Source: document 002, "Changes to the sycl-post-link tool". */
static rt_status refuse_scoped(const planner *plan)
{
    if (plan->scoped.count == 0) return RT_STATUS_OK;
    pl_job *job = plan->job;
    pl_device_global first = {0};
    qsort(plan->scoped.items, plan->scoped.count, sizeof *plan->scoped.items, compare_indices);
    rt_text *names = rt_arena_alloc_array(&job->arena, plan->scoped.count, sizeof *names);
    for (uint32_t i = plan->scoped.count; i-- > 0;) {
        first = pl_device_global_of(job, plan->graph->nodes[plan->scoped.items[i]].value);
        names[i] = first.host.name;
    }
    return rt_fail_naming(
        job->sink, RT_POSTLINK_ERROR, RT_RULE_DG_POSTLINK_03, names, plan->scoped.count,
        "%.*sdevice_global variable '%.*s' with property \"device_image_scope\" is "
        "used in more than one device image.",
        RT_TEXT_ARG(first.place), RT_TEXT_ARG(names[0]));
}

/* ---- Homes of variables -------------------------------------------------------------------- */

/* For every variable that other images may import, chooses the image that defines it. */
static void choose_homes(planner *plan)
{
    /* Find the groups whose kernels reach a writable variable. */
    for (uint32_t g = 0; g < plan->groups.count; g++) {
        const group *entries = &plan->groups.items[g];
        begin_image(plan, g);
        hold_all(plan, entries->kernels.items, entries->kernels.count, PL_ENTRY);
        hold_all(plan, entries->functions.items, entries->functions.count, PL_ENTRY);
        push_all(plan, entries->kernels.items, entries->kernels.count);
        follow(plan, role_for_kernel);
        for (uint32_t i = 0; i < plan->members.count; i++) {
            const pl_node *node = &plan->graph->nodes[plan->members.items[i]];
            node_plan *at = &plan->nodes[plan->members.items[i]];
            if (!node->offered || !node->shared) continue;
            if (at->kernel_home != PL_NONE) note_torn(plan, plan->members.items[i]);
            at->kernel_home = g;
        }
    }
    /* If one image contains everything, virtual functions are entry points like any others. */
    for (uint32_t i = 0; plan->whole && i < plan->graph->function_count; i++) {
        const pl_node *node = &plan->graph->nodes[i];
        if (node->kind != PL_VIRTUAL || !node->defined) continue;
        hold_virtual(plan, group_of_unit(plan, node->unit), i);
    }
    for (uint32_t i = plan->graph->function_count; i < plan->graph->node_count; i++) {
        const pl_node *node = &plan->graph->nodes[i];
        node_plan *at = &plan->nodes[i];
        if (!node->offered) continue;
        bool with_kernels = at->kernel_home != PL_NONE;
        at->home = with_kernels ? at->kernel_home : group_of_unit(plan, node->unit);
        CHECK(plan->groups.items && at->home < plan->groups.count);
        *rt_vector_push(&plan->groups.items[at->home].variables) = i;
    }
}

/* ---- Parts --------------------------------------------------------------------------------- */

static int compare_placed(const void *a, const void *b)
{
    uint32_t left = ((const pl_placed *)a)->node, right = ((const pl_placed *)b)->node;
    return (left > right) - (left < right);
}

static pl_part plan_part(planner *plan, uint32_t number)
{
    const group *entries = &plan->groups.items[number];
    begin_image(plan, number);
    fill_image(plan, entries);
    uint32_t count = plan->members.count;
    pl_part part = {.set = entries->set, .count = count};
    pl_placed *placed = rt_arena_alloc_array(&plan->job->arena, count, sizeof *placed);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t index = plan->members.items[i];
        const pl_node *node = &plan->graph->nodes[index];
        node_plan *at = current_plan(plan, index);
        placed[i] = (pl_placed){index, at->role};
        CHECK_IMPLIES(at->role == PL_ENTRY, at->home == number);
        if (at->role == PL_ENTRY) part.aspects |= node->aspects;
        if (at->role != PL_COPY) continue;
        bool is_repeated = at->copied_before;
        at->copied_before = true;
        if (!node->device_global) {
            if (is_repeated && node->shared) note_torn(plan, index);
            continue;
        }
        /* Without image scope, any number of images may have it (DG-POSTLINK-04).  If other images
         * may import a device_global, the first image that refers to it exports it;
         * the definitions in later images give way to that one. */
        if (is_repeated && !at->torn && RULE(DG_POSTLINK_03, node->image_scope)) {
            at->torn = true;
            *rt_vector_push(&plan->scoped) = index;
        }
        if (node->unit != PL_NONE && !is_repeated) placed[i].role = PL_ENTRY;
    }
    if (count > 0) qsort(placed, count, sizeof *placed, compare_placed);
    part.placed = placed;
    return part;
}

/* ---- The plan ------------------------------------------------------------------------------ */

static const pl_part *plan_parts(planner *plan, bool dummies, uint32_t *out_count)
{
    uint32_t group_count = plan->groups.count, count = 0;
    pl_part *parts =
        rt_arena_alloc_array(&plan->job->arena, 2 * (size_t)group_count, sizeof *parts);
    for (uint32_t i = 0; i < plan->graph->node_count; i++)
        plan->nodes[i].image = 0;
    for (uint32_t number = 0; number < group_count; number++) {
        pl_part part = plan_part(plan, number);
        /* The functions of a set without optional features could stay with their users
         * (VF-SPLIT-04). */
        parts[count++] = part;
        /* A device that lacks an aspect of a set gets the set's dummy (VF-DUMMY-01). */
        bool optional = part.set != PL_NONE && plan->graph->sets[part.set].aspects != 0;
        if (!dummies || !RULE(VF_DUMMY_01, optional)) continue;
        part.dummy = true;
        parts[count++] = part;
    }
    CHECK(count <= 2 * group_count);
    *out_count = count;
    return parts;
}

/* Checks the invariants of a plan's parts: each part is closed under uses, and each imported symbol
 * has exactly one defining part. */
static bool parts_check(const pl_graph *graph, const pl_part *parts, uint32_t count)
{
    rt_map exporters = {0}, importers = {0};
    for (uint32_t p = 0; p < count; p++) {
        const pl_part *part = &parts[p];
        CHECK_IMPLIES(part->dummy, part->set != PL_NONE && p > 0 && parts[p - 1].set == part->set);
        CHECK(part->set == PL_NONE || part->set < graph->set_count);
        rt_map placed = {0};
        pl_aspects aspects = 0;
        for (uint32_t i = 0; i < part->count; i++) {
            uint32_t index = part->placed[i].node;
            pl_role role = part->placed[i].role;
            const pl_node *node = &graph->nodes[index];
            CHECK(index < graph->node_count && role != PL_ABSENT);
            CHECK_IMPLIES(i > 0, part->placed[i - 1].node < index);
            CHECK(node->defined == (role != PL_DECLARE));
            CHECK_IMPLIES(role == PL_SLOT, node->kind == PL_VIRTUAL);
            CHECK_IMPLIES(role == PL_ENTRY, node->kind != PL_HELPER);
            rt_map_set_number(&placed, index, 0);
            if (role == PL_ENTRY) aspects |= node->aspects;
            if (role == PL_IMPORT) rt_map_set_number(&importers, index, 0);
            if (role != PL_ENTRY || part->dummy) continue;
            CHECK(rt_map_find_number(&exporters, index) == RT_MAP_NONE);
            rt_map_set_number(&exporters, index, p);
        }
        CHECK((part->aspects & ~aspects) == 0);
        for (uint32_t i = 0; i < part->count; i++) {
            const pl_node *node = &graph->nodes[part->placed[i].node];
            bool is_held = part->placed[i].role == PL_ENTRY || part->placed[i].role == PL_COPY;
            for (uint32_t k = 0; is_held && k < node->use_count; k++)
                CHECK(rt_map_find_number(&placed, node->uses[k]) != RT_MAP_NONE);
        }
        rt_map_free(&placed);
    }
    for (uint32_t i = 0; i < graph->node_count; i++)
        CHECK_IMPLIES(rt_map_find_number(&importers, i) != RT_MAP_NONE,
                      rt_map_find_number(&exporters, i) != RT_MAP_NONE);
    rt_map_free(&exporters);
    rt_map_free(&importers);
    return true;
}

rt_status pl_split_plan(pl_job *job, const pl_graph *graph, const pl_split_options *options,
                        const pl_part **out_parts, uint32_t *out_count)
{
    CHECK((unsigned)options->split < RT_SPLIT_COUNT);
    CHECK_SLOW(pl_graph_check(graph));
    planner plan = {.job = job, .graph = graph, .whole = options->whole, .split = options->split};
    /* DPC++'s automatic choice: functions that are called through pointers must be in the image of
     * their callers. */
    if (plan.split == RT_SPLIT_AUTO)
        plan.split = graph->calls_through_pointers ? RT_SPLIT_OFF : RT_SPLIT_PER_SOURCE;
    if (plan.whole) plan.split = RT_SPLIT_OFF;
    plan.outlines = !plan.whole && options->outlines; /* in every split mode (VF-SPLIT-01) */
    plan.nodes = rt_arena_alloc_array(&job->arena, graph->node_count, sizeof *plan.nodes);
    group_entries(&plan);
    choose_homes(&plan);
    if (plan.outlines) group_sets(&plan);
    rt_status status = refuse_torn(&plan);
    if (rt_ok(status)) {
        *out_parts = plan_parts(&plan, plan.outlines && options->dummies, out_count);
        status = refuse_torn(&plan);
        if (rt_ok(status)) status = refuse_scoped(&plan);
        if (rt_ok(status)) CHECK_SLOW(parts_check(graph, *out_parts, *out_count));
    }
    for (uint32_t i = 0; i < plan.groups.count; i++) {
        rt_vector_free(&plan.groups.items[i].kernels);
        rt_vector_free(&plan.groups.items[i].functions);
        rt_vector_free(&plan.groups.items[i].variables);
        rt_vector_free(&plan.groups.items[i].virtuals);
    }
    rt_vector_free(&plan.groups);
    rt_map_free(&plan.group_of_unit);
    rt_map_free(&plan.group_of_aspects);
    rt_map_free(&plan.class_of_aspects);
    rt_vector_free(&plan.members);
    rt_vector_free(&plan.pending);
    rt_vector_free(&plan.torn);
    rt_vector_free(&plan.scoped);
    return status;
}
