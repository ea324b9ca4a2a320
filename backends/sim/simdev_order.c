/* Who happened before whom, and conflicts; see simdev_order.h. */
#include "backends/sim/simdev_order.h"

#include "backends/sim/simdev_internal.h"

#include <string.h>

enum {
    RANGES_MAX = 1 << 16, /* kept of one object and kind */
    FINDINGS_MAX = 8,     /* reported about one command */
    POINTS_MAX = 1 << 12, /* choices of which the alternatives are kept */
};

/* ---- Nodes -------------------------------------------------------------------------------- */

simdev_node *simdev_node_make(simdev_history *history, uint32_t tag, const char *what)
{
    simdev_node *node = rt_alloc(sizeof *node);
    node->references = 1;
    node->serial = node->horizon = ++history->serial;
    node->tag = tag;
    node->what = what;
    node->point = UINT32_MAX;
    node->references++;
    *rt_vector_push(&history->pending) = node;
    return node;
}

void simdev_node_complete(simdev_history *history, simdev_node *node)
{
    node->horizon = ++history->serial;
}

void simdev_node_begin(simdev_node *node)
{
    for (uint32_t i = 0; i < node->before.count; i++)
        if (node->before.items[i]->horizon > node->horizon)
            node->horizon = node->before.items[i]->horizon;
}

void simdev_node_name(simdev_node *node, rt_text kernel)
{
    CHECK(!node->kernel);
    node->kernel = rt_alloc(kernel.length + 1);
    if (kernel.length > 0) memcpy(node->kernel, kernel.data, kernel.length);
}

static void accesses_drop(simdev_node *node)
{
    rt_vector_free(&node->accesses);
    rt_vector_free(&node->ranges);
}

/* Chains of commands are long, so the references of a node are dropped in a loop. */
void simdev_node_release(simdev_history *history, simdev_node *node)
{
    uint32_t bottom = history->stack.count;
    *rt_vector_push(&history->stack) = node;
    while (history->stack.count > bottom) {
        simdev_node *top = history->stack.items[--history->stack.count];
        CHECK(top->references >= 1);
        if (--top->references > 0) continue;
        for (uint32_t i = 0; i < top->before.count; i++)
            *rt_vector_push(&history->stack) = top->before.items[i];
        rt_vector_free(&top->before);
        accesses_drop(top);
        rt_free(top->kernel);
        rt_free(top);
    }
}

void simdev_node_follow(simdev_node *node, simdev_node *before)
{
    CHECK(before->serial < node->serial && !before->is_host);
    if (before->is_known) return;
    before->references++;
    *rt_vector_push(&node->before) = before;
}

void simdev_node_learn(simdev_history *history, simdev_node *node)
{
    uint32_t bottom = history->stack.count;
    node->references++;
    *rt_vector_push(&history->stack) = node;
    while (history->stack.count > bottom) {
        simdev_node *top = history->stack.items[--history->stack.count];
        bool is_news = !top->is_known;
        CHECK(top->is_done);
        top->is_known = true;
        if (is_news) top->known_at = history->serial;
        for (uint32_t i = 0; is_news && i < top->before.count; i++) {
            top->before.items[i]->references++;
            *rt_vector_push(&history->stack) = top->before.items[i];
        }
        if (is_news)
            *rt_vector_push(&history->learned) = top;
        else
            simdev_node_release(history, top);
    }
}

/* Calls for a node and all those before it that are not older than `serial` and have not been
 * marked: sets their mark, which is at `mark` in a node. */
static void ancestors_mark(simdev_history *history, simdev_node *node, uint64_t serial, size_t mark,
                           uint64_t value)
{
    uint32_t bottom = history->stack.count;
    *rt_vector_push(&history->stack) = node;
    while (history->stack.count > bottom) {
        simdev_node *top = history->stack.items[--history->stack.count];
        uint64_t *marked = (uint64_t *)(void *)((uint8_t *)top + mark);
        if (*marked == value) continue;
        *marked = value;
        for (uint32_t i = 0; i < top->before.count; i++) {
            simdev_node *before = top->before.items[i];
            if (before->serial >= serial) *rt_vector_push(&history->stack) = before;
        }
    }
}

void simdev_want_begin(simdev_history *history)
{
    history->wants++;
}

void simdev_want(simdev_history *history, simdev_node *node)
{
    ancestors_mark(history, node, 0, offsetof(simdev_node, wanted), history->wants);
}

/* ---- What is kept ------------------------------------------------------------------------- */

/* The serial of the oldest pending command; UINT64_MAX: none is pending. */
static uint64_t oldest_pending(simdev_history *history)
{
    uint32_t first = history->pending_first;
    while (first < history->pending.count && history->pending.items[first]->is_done) {
        simdev_node_release(history, history->pending.items[first]);
        history->pending.items[first++] = NULL;
    }
    if (first > 64 && first > history->pending.count / 2) {
        history->pending.count -= first;
        memmove(history->pending.items, history->pending.items + first,
                history->pending.count * sizeof(simdev_node *));
        first = 0;
    }
    history->pending_first = first;
    return first < history->pending.count ? history->pending.items[first]->serial : UINT64_MAX;
}

/* Drops what no pending command, and no later one, can be unordered with. */
static void history_settle(simdev_history *history)
{
    uint64_t oldest = oldest_pending(history);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < history->recorded.count; i++) {
        simdev_node *node = history->recorded.items[i];
        uint64_t from = node->is_host ? node->serial : node->known_at;
        if ((node->is_known || node->is_host) && from < oldest)
            simdev_node_release(history, node);
        else
            history->recorded.items[kept++] = node;
    }
    history->recorded.count = kept;
    kept = 0;
    for (uint32_t i = 0; i < history->learned.count; i++) {
        simdev_node *node = history->learned.items[i];
        if (node->known_at >= oldest) {
            history->learned.items[kept++] = node;
            continue;
        }
        for (uint32_t k = 0; k < node->before.count && !history->is_kept; k++)
            simdev_node_release(history, node->before.items[k]);
        if (!history->is_kept) rt_vector_free(&node->before);
        simdev_node_release(history, node);
    }
    history->learned.count = kept;
}

void simdev_node_end(simdev_history *history, simdev_node *node)
{
    CHECK(!node->is_done);
    node->is_done = true;
    if (history->learned.count < history->settle_at) return;
    history_settle(history);
    history->settle_at = 2 * history->learned.count + 64;
}

/* Marks what happened before the node, as far back as what is kept. */
static void before_mark(simdev_history *history, simdev_node *node)
{
    uint64_t oldest = node->serial;
    for (uint32_t i = 0; i < history->recorded.count; i++)
        if (history->recorded.items[i]->serial < oldest)
            oldest = history->recorded.items[i]->serial;
    ancestors_mark(history, node, oldest, offsetof(simdev_node, visit), ++history->visits);
}

/* True if the kept node happened before the one whose ancestors are marked. */
static bool is_before(const simdev_history *history, const simdev_node *kept,
                      const simdev_node *node)
{
    if (kept->is_host) return kept->serial < node->horizon;
    if (kept->is_known && kept->known_at < node->horizon) return true;
    return !node->is_host && kept->visit == history->visits;
}

bool simdev_order_matters(simdev_device *device, simdev_node *node, bool is_alone)
{
    simdev_history *history = &device->history;
    if (!is_alone || node->wanted != history->wants) return true;
    history_settle(history);
    if (history->recorded.count == 0) return false;
    before_mark(history, node);
    for (uint32_t i = 0; i < history->recorded.count; i++)
        if (!is_before(history, history->recorded.items[i], node)) return true;
    return false;
}

void simdev_node_accesses(simdev_node *node, const sim_accessed *accessed)
{
    simdev_accesses *last =
        node->accesses.count ? &node->accesses.items[node->accesses.count - 1] : NULL;
    /* Ranges of several windows of one object need not ascend (sim_launch_options.on_accessed). */
    bool ascends = last && accessed->offset >= node->ranges.items[node->ranges.count - 1].end;
    bool joins = ascends && last->object == accessed->object &&
                 last->is_write == accessed->is_write && last->is_atomic == accessed->is_atomic;
    if (!joins) {
        last = rt_vector_push(&node->accesses);
        *last = (simdev_accesses){accessed->object, accessed->is_write, accessed->is_atomic,
                                  node->ranges.count, 0};
    }
    if (last->count == RANGES_MAX) return;
    last->count++;
    *rt_vector_push(&node->ranges) =
        (simdev_range){accessed->offset, accessed->offset + accessed->size};
}

/* ---- Conflicts ---------------------------------------------------------------------------- */

typedef struct conflict {
    bool is_race, is_exchange; /* must be ordered; the order may matter */
    sim_object object;
    simdev_range range;
    bool first_writes, second_writes;
} conflict;

/* The first range that both access; false: there is none. */
static bool ranges_meet(const simdev_node *a, const simdev_accesses *in_a, const simdev_node *b,
                        const simdev_accesses *in_b, simdev_range *out_common)
{
    const simdev_range *x = a->ranges.items + in_a->first, *x_end = x + in_a->count;
    const simdev_range *y = b->ranges.items + in_b->first, *y_end = y + in_b->count;
    while (x < x_end && y < y_end) {
        out_common->begin = x->begin > y->begin ? x->begin : y->begin;
        out_common->end = x->end < y->end ? x->end : y->end;
        if (out_common->begin < out_common->end) return true;
        if (x->end < y->end)
            x++;
        else
            y++;
    }
    return false;
}

static conflict conflict_find(const simdev_node *a, const simdev_node *b)
{
    conflict found = {.is_exchange = a->has_printed && b->has_printed};
    for (uint32_t i = 0; i < a->accesses.count; i++) {
        const simdev_accesses *in_a = &a->accesses.items[i];
        for (uint32_t k = 0; k < b->accesses.count && !found.is_race; k++) {
            const simdev_accesses *in_b = &b->accesses.items[k];
            simdev_range common;
            if (in_a->object != in_b->object || (!in_a->is_write && !in_b->is_write)) continue;
            if (!ranges_meet(a, in_a, b, in_b, &common)) continue;
            found.is_exchange = true;
            if (in_a->is_atomic && in_b->is_atomic) continue;
            found = (conflict){true, true, in_a->object, common, in_a->is_write, in_b->is_write};
        }
    }
    return found;
}

void simdev_node_print(rt_buffer *out, const simdev_node *node)
{
    if (node->is_host)
        rt_buffer_printf(out, "the host");
    else if (node->kernel)
        rt_buffer_printf(out, "kernel '%s'", node->kernel);
    else
        rt_buffer_printf(out, "a %s", node->what);
}

/* Reports that nothing orders two nodes, the second of which was submitted later. */
static void conflict_report(simdev_device *device, const simdev_node *first, simdev_node *second,
                            const conflict *found)
{
    if (!device->on_finding || second->findings++ >= FINDINGS_MAX) return;
    static const char *const verbs[] = {"read", "write"};
    const simdev_mapping *mapping =
        found->object ? NULL : simdev_mapping_at(device, found->range.begin);
    sim_object object = mapping ? mapping->object : found->object;
    uint64_t base = mapping ? (uintptr_t)mapping->base.bytes : 0;
    rt_text label = object ? sim_object_label(device->world, object) : RT_TEXT("");
    rt_buffer message = {0};
    rt_buffer_printf(&message, "%s of %llu bytes ", verbs[found->second_writes],
                     (unsigned long long)(found->range.end - found->range.begin));
    if (object)
        rt_buffer_printf(&message, "at offset %llu of %s'%.*s'",
                         (unsigned long long)(found->range.begin - base),
                         mapping ? "a mapping of " : "", RT_TEXT_ARG(label));
    else
        rt_buffer_printf(&message, "at 0x%llx in the host's memory",
                         (unsigned long long)found->range.begin);
    rt_buffer_printf(&message, " by ");
    simdev_node_print(&message, second);
    rt_buffer_printf(&message, " and the %s by ", verbs[found->first_writes]);
    simdev_node_print(&message, first);
    rt_buffer_printf(&message, " are not ordered");
    const dev_finding finding = {.kind = "command-race",
                                 .message = rt_buffer_text(&message),
                                 .tag = second->tag,
                                 .has_other = true,
                                 .other_tag = first->tag,
                                 .is_host = second->is_host,
                                 .object = label,
                                 .offset = object ? found->range.begin - base : 0,
                                 .count = 1};
    device->on_finding(device->finding_user, &finding);
    rt_buffer_free(&message);
}

/* Asks for the order in which the second of two nodes, whose ancestors are marked, runs before the
 * first: at the choice that ran the first, what leads to the second must run instead. */
static void exchange_ask(simdev_device *device, const simdev_node *first, const simdev_node *second)
{
    const simdev_history *history = &device->history;
    if (!device->on_order || first->point == UINT32_MAX) return;
    const simdev_point *point = &history->points.items[first->point];
    if (second->serial > point->serial) return; /* it was enqueued later */
    for (uint32_t i = 0; i < point->ready_count; i++) {
        if (point->ready[i]->visit != history->visits || point->ready[i] == first) continue;
        device->on_order(device->order_user, point->number, i);
        return;
    }
}

/* Compares a node, whose ancestors are marked, with those that are kept. */
static void compare(simdev_device *device, simdev_node *node)
{
    const simdev_history *history = &device->history;
    for (uint32_t i = 0; i < history->recorded.count; i++) {
        simdev_node *kept = history->recorded.items[i];
        /* The parts of one command may be what they like. */
        bool is_same = !node->is_host && !kept->is_host && kept->tag == node->tag;
        if (is_same || is_before(history, kept, node)) continue;
        conflict found = conflict_find(kept, node);
        if (found.is_race && kept->serial > node->serial) {
            bool writes = found.first_writes;
            found.first_writes = found.second_writes;
            found.second_writes = writes;
            conflict_report(device, node, kept, &found);
        } else if (found.is_race) {
            conflict_report(device, kept, node, &found);
        }
        if (found.is_exchange && !node->is_host) exchange_ask(device, kept, node);
    }
}

void simdev_node_judge(simdev_device *device, simdev_node *node)
{
    simdev_history *history = &device->history;
    if (node->accesses.count == 0 && !node->has_printed) return;
    history_settle(history);
    if (history->is_kept) /* a choice may be older than what is kept */
        ancestors_mark(history, node, 0, offsetof(simdev_node, visit), ++history->visits);
    else
        before_mark(history, node);
    compare(device, node);
    node->references++;
    *rt_vector_push(&history->recorded) = node;
}

void simdev_host_judge(simdev_device *device, uint32_t tag, const sim_accessed *accessed)
{
    simdev_history *history = &device->history;
    simdev_node *node = simdev_node_make(history, tag, "the host");
    node->is_host = node->is_done = true;
    simdev_node_accesses(node, accessed);
    history_settle(history);
    compare(device, node);
    *rt_vector_push(&history->recorded) = node;
}

/* ---- Exploring ---------------------------------------------------------------------------- */

void simdev_point_add(simdev_history *history, uint32_t number, simdev_node *const *ready,
                      uint32_t count, simdev_node *chosen)
{
    CHECK(history->is_kept && count >= 2);
    if (history->points.count == POINTS_MAX) return;
    chosen->point = history->points.count;
    simdev_point *point = rt_vector_push(&history->points);
    *point =
        (simdev_point){number, history->serial, rt_alloc_array(count, sizeof *point->ready), count};
    for (uint32_t i = 0; i < count; i++) {
        point->ready[i] = ready[i];
        ready[i]->references++;
    }
}

void simdev_history_forget(simdev_history *history, sim_object object)
{
    for (uint32_t i = 0; i < history->recorded.count; i++) {
        simdev_node *node = history->recorded.items[i];
        for (uint32_t k = node->accesses.count; k-- > 0;)
            if (node->accesses.items[k].object == object)
                node->accesses.items[k] = node->accesses.items[--node->accesses.count];
    }
}

void simdev_history_forget_host(simdev_history *history, uint64_t begin, uint64_t end)
{
    for (uint32_t i = 0; i < history->recorded.count; i++) {
        simdev_node *node = history->recorded.items[i];
        for (uint32_t k = 0; k < node->accesses.count; k++) {
            const simdev_accesses *accesses = &node->accesses.items[k];
            simdev_range *ranges = node->ranges.items + accesses->first;
            for (uint32_t r = 0; accesses->object == 0 && r < accesses->count; r++)
                if (ranges[r].begin >= begin && ranges[r].end <= end)
                    ranges[r].end = ranges[r].begin;
        }
    }
}

void simdev_history_free(simdev_history *history)
{
    for (uint32_t i = 0; i < history->points.count; i++) {
        const simdev_point *point = &history->points.items[i];
        for (uint32_t k = 0; k < point->ready_count; k++)
            simdev_node_release(history, point->ready[k]);
        rt_free(point->ready);
    }
    history_settle(history);
    CHECK(history->pending_first == history->pending.count); /* nothing is pending */
    for (uint32_t i = 0; i < history->recorded.count; i++)
        simdev_node_release(history, history->recorded.items[i]);
    rt_vector_free(&history->points);
    rt_vector_free(&history->recorded);
    rt_vector_free(&history->learned);
    rt_vector_free(&history->pending);
    CHECK(history->stack.count == 0);
    rt_vector_free(&history->stack);
}
