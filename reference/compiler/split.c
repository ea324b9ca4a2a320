/* Plans the images of a module.
 *
 * It changes no code: image.c does, following the roles.  Source: document 003, "sycl-post-link
 * changes", rules DL-SPLIT-01 to -12 and DL-EXPORT-05.  Readings:
 *
 * - Per kernel, the document gives functions no images; here each kernel has an image of its own
 * and the SYCL_EXTERNAL functions of a source share one, so that the relation between functions is
 * the same as per source (DL-SPLIT-08, -09) and no image with a kernel exports anything.
 * - A function that any kernel of an image reaches is copied there, also past functions that the
 *   image exports (the reading of DL-SPLIT-04); what only exported functions reach follows
 *   DL-SPLIT-08.
 * - A kernel that another entry point calls is copied there as an ordinary function. */
#include "reference/compiler/split.h"

#include "reference/base/vector.h"

typedef struct planner {
    pl_job *job;
    const pl_graph *graph;
    uint32_t *group_of;  /* per node: the image whose entry point it is, or PL_NONE */
    bool *copied_before; /* per node: some earlier image has a copy */
    uint32_t group_count;
    RT_VECTOR(uint32_t) pending; /* nodes whose uses are still to be looked at */
    RT_VECTOR(rt_text) torn;     /* writable variables that several images would hold */
} planner;

/* ---- Grouping ------------------------------------------------------------------------------ */

static bool is_entry(const pl_node *node)
{
    return node->defined && (node->kind == PL_KERNEL || node->kind == PL_EXTERNAL);
}

/* DPC++'s automatic choice: what is called through pointers must be with its callers. */
static rt_split resolve(const pl_graph *graph, rt_split split)
{
    if (split != RT_SPLIT_AUTO) return split;
    return graph->calls_through_pointers ? RT_SPLIT_OFF : RT_SPLIT_PER_SOURCE;
}

/* Reports whether two entry points belong into one image. */
static bool share_image(const pl_node *a, const pl_node *b, rt_split split)
{
    CHECK(is_entry(a) && is_entry(b));
    if (split == RT_SPLIT_OFF) return true;
    if (split == RT_SPLIT_PER_KERNEL && (a->kind == PL_KERNEL || b->kind == PL_KERNEL)) {
        return false;
    }
    if (a->unit != b->unit) return !RULE(DL_SPLIT_01);
    bool functions = a->kind == PL_EXTERNAL && b->kind == PL_EXTERNAL;
    return !functions || RULE(DL_SPLIT_09);
}

/* Groups the entry points; first[g] is the first one of group g, which stands for the group. */
static void group_entries(planner *plan, rt_split split)
{
    const pl_graph *graph = plan->graph;
    uint32_t *first = rt_arena_alloc_array(&plan->job->arena, graph->function_count, sizeof *first);
    for (uint32_t i = 0; i < graph->function_count; i++) {
        if (!is_entry(&graph->nodes[i])) continue;
        uint32_t group = 0;
        while (group < plan->group_count &&
               !share_image(&graph->nodes[first[group]], &graph->nodes[i], split))
            group++;
        if (group == plan->group_count) first[plan->group_count++] = i;
        CHECK(group < plan->group_count);
        plan->group_of[i] = group;
    }
}

/* ---- Roles --------------------------------------------------------------------------------- */

static void copy_node(planner *plan, pl_role *roles, uint32_t index)
{
    CHECK(roles[index] != PL_ENTRY);
    CHECK(plan->graph->nodes[index].defined);
    roles[index] = PL_COPY;
    *rt_vector_push(&plan->pending) = index;
}

/* What an image's kernels reach is copied, so that the image needs no link (DL-SPLIT-02, -04). */
static void use_from_kernel(planner *plan, pl_role *roles, uint32_t used)
{
    const pl_node *node = &plan->graph->nodes[used];
    if (roles[used] != PL_ABSENT) return;
    if (node->kind == PL_EXTERNAL && !(RULE(DL_SPLIT_02) && RULE(DL_SPLIT_04))) {
        roles[used] = PL_IMPORT;
        return;
    }
    copy_node(plan, roles, used);
}

/* A SYCL_EXTERNAL function of another image is imported, not copied; helpers are copied. */
static void use_from_function(planner *plan, pl_role *roles, uint32_t used)
{
    const pl_node *node = &plan->graph->nodes[used];
    if (roles[used] != PL_ABSENT) return;
    bool helper = node->kind == PL_HELPER;
    bool imported = (node->kind == PL_EXTERNAL && RULE(DL_SPLIT_08)) ||
                    (helper && !RULE(DL_SPLIT_06)) ||
                    (helper && plan->copied_before[used] && !RULE(DL_SPLIT_07));
    if (imported) {
        roles[used] = PL_IMPORT;
    } else {
        copy_node(plan, roles, used);
    }
}

typedef void use_rule(planner *plan, pl_role *roles, uint32_t used);

/* Follows the uses of everything pending.  Entry points of the image itself are passed through. */
static void follow(planner *plan, pl_role *roles, bool *visited, use_rule *use)
{
    while (plan->pending.count > 0) {
        uint32_t index = plan->pending.items[--plan->pending.count];
        if (visited[index]) continue;
        visited[index] = true;
        const pl_node *node = &plan->graph->nodes[index];
        CHECK(node->defined && (roles[index] == PL_ENTRY || roles[index] == PL_COPY));
        for (uint32_t i = 0; i < node->use_count; i++) {
            uint32_t used = node->uses[i];
            if (!plan->graph->nodes[used].defined) continue;
            if (roles[used] == PL_ENTRY) *rt_vector_push(&plan->pending) = used;
            use(plan, roles, used);
        }
    }
}

static void push_entries(planner *plan, uint32_t group, pl_kind kind)
{
    for (uint32_t i = 0; i < plan->graph->function_count; i++) {
        if (plan->group_of[i] == group && plan->graph->nodes[i].kind == kind) {
            *rt_vector_push(&plan->pending) = i;
        }
    }
}

/* The original body of a function stays exported beside a kernel of its source (DL-EXPORT-05). */
static void set_entry_roles(planner *plan, uint32_t group, pl_role *roles)
{
    bool has_kernel = false;
    for (uint32_t i = 0; i < plan->graph->function_count; i++) {
        bool kernel = plan->graph->nodes[i].kind == PL_KERNEL;
        has_kernel = has_kernel || (plan->group_of[i] == group && kernel);
    }
    for (uint32_t i = 0; i < plan->graph->function_count; i++) {
        if (plan->group_of[i] != group) continue;
        bool beside_kernel = has_kernel && plan->graph->nodes[i].kind == PL_EXTERNAL;
        roles[i] = beside_kernel && !RULE(DL_EXPORT_05) ? PL_COPY : PL_ENTRY;
    }
}

static pl_part plan_part(planner *plan, uint32_t group)
{
    uint32_t count = plan->graph->node_count;
    pl_role *roles = rt_arena_alloc_array(&plan->job->arena, count, sizeof *roles);
    bool *visited = rt_arena_alloc_array(&plan->job->arena, count, sizeof *visited);
    set_entry_roles(plan, group, roles);
    push_entries(plan, group, PL_KERNEL);
    follow(plan, roles, visited, use_from_kernel);
    push_entries(plan, group, PL_EXTERNAL);
    follow(plan, roles, visited, use_from_function);
    for (uint32_t i = 0; i < count; i++) {
        CHECK_IMPLIES(roles[i] != PL_ABSENT, plan->graph->nodes[i].defined);
        CHECK_IMPLIES(roles[i] == PL_ENTRY, plan->group_of[i] == group);
        if (roles[i] != PL_COPY) continue;
        const pl_node *node = &plan->graph->nodes[i];
        if (node->shared && plan->copied_before[i]) *rt_vector_push(&plan->torn) = node->name;
        plan->copied_before[i] = true;
    }
    return (pl_part){roles};
}

static rt_status refuse_torn(const planner *plan)
{
    if (plan->torn.count == 0) return RT_STATUS_OK;
    rt_text first = plan->torn.items[0];
    return rt_fail_naming(plan->job->sink, RT_POSTLINK_ERROR, RT_RULE_NONE, plan->torn.items,
                          plan->torn.count,
                          "variable '%.*s' can be written and is used by entry points of several "
                          "images, which would have a variable each; switch the split off",
                          RT_TEXT_ARG(first));
}

rt_status pl_split_plan(pl_job *job, const pl_graph *graph, rt_split split,
                        const pl_part **out_parts, uint32_t *out_count)
{
    CHECK((unsigned)split < RT_SPLIT_COUNT);
    split = resolve(graph, split);
    planner plan = {.job = job, .graph = graph};
    plan.group_of = rt_arena_alloc_array(&job->arena, graph->node_count, sizeof *plan.group_of);
    plan.copied_before =
        rt_arena_alloc_array(&job->arena, graph->node_count, sizeof *plan.copied_before);
    for (uint32_t i = 0; i < graph->node_count; i++)
        plan.group_of[i] = PL_NONE;
    group_entries(&plan, split);
    CHECK_IMPLIES(split == RT_SPLIT_OFF, plan.group_count <= 1);
    CHECK(plan.group_count <= graph->function_count);

    pl_part *parts = rt_arena_alloc_array(&job->arena, plan.group_count, sizeof *parts);
    for (uint32_t group = 0; group < plan.group_count; group++)
        parts[group] = plan_part(&plan, group);
    rt_status status = refuse_torn(&plan);
    rt_vector_free(&plan.pending);
    rt_vector_free(&plan.torn);
    *out_parts = rt_ok(status) ? parts : NULL;
    *out_count = rt_ok(status) ? plan.group_count : 0;
    return status;
}
