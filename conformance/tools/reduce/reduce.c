/* The passes of a reduction. A change is a node that is removed or a scalar that gets another text;
 * a candidate is the tree with a chunk of changes. */
#include "conformance/tools/reduce/reduce.h"

#include "conformance/tools/reduce/tree.h"
#include "reference/base/number.h"
#include "reference/base/vector.h"

#include <inttypes.h>
#include <string.h>

typedef struct change {
    red_node *node;
    rt_text text; /* data NULL: the node is removed */
} change;

typedef RT_VECTOR(change) changes;
typedef RT_VECTOR(red_source) sources;

typedef struct reducer {
    const red_request *request;
    rt_arena arena;
    red_node *root;
    bool is_stopped;
} reducer;

/* ---- Candidates --------------------------------------------------------------------------- */

/* Applies a chunk of changes; called again with the same chunk, it takes them back. */
static void chunk_exchange(change *chunk, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        red_node *node = chunk[i].node;
        if (!chunk[i].text.data) {
            node->is_removed = !node->is_removed;
        } else {
            rt_text before = node->text;
            node->text = chunk[i].text;
            chunk[i].text = before;
        }
    }
}

typedef struct chunk {
    change *items;
    uint32_t count;
} chunk;

/* Tests the chunks, each alone, and applies the first that passes. Returns its index; `count` if
 * none passes. */
static uint32_t first_applied(reducer *reduction, const chunk *chunks, uint32_t count)
{
    rt_buffer texts[RED_BATCH_MAX] = {0};
    rt_text candidates[RED_BATCH_MAX];
    uint32_t passed = count;
    CHECK(count >= 1 && count <= RED_BATCH_MAX);
    for (uint32_t i = 0; i < count; i++) {
        chunk_exchange(chunks[i].items, chunks[i].count);
        red_tree_write(reduction->root, &texts[i]);
        candidates[i] = rt_buffer_text(&texts[i]);
        chunk_exchange(chunks[i].items, chunks[i].count);
    }
    if (!reduction->request->test(reduction->request->user, candidates, count, &passed))
        reduction->is_stopped = true;
    else if (passed < count)
        chunk_exchange(chunks[passed].items, chunks[passed].count);
    for (uint32_t i = 0; i < count; i++)
        rt_buffer_free(&texts[i]);
    return reduction->is_stopped ? count : passed;
}

/* Applies as many of the changes as pass, in chunks of half their number, of a quarter, and so on
 * down to single ones. Returns true if any passed. */
static bool changes_try(reducer *reduction, changes *all)
{
    bool has_passed = false;
    for (uint32_t size = all->count > 1 ? all->count / 2 : 1; all->count > 0; size /= 2) {
        for (uint32_t at = 0; at < all->count && !reduction->is_stopped;) {
            chunk chunks[RED_BATCH_MAX];
            uint32_t count = 0, end = at;
            for (; end < all->count && count < reduction->request->batch; count++) {
                uint32_t left = all->count - end;
                chunks[count] = (chunk){&all->items[end], left < size ? left : size};
                end += chunks[count].count;
            }
            uint32_t passed = first_applied(reduction, chunks, count);
            if (passed == count) {
                at = end;
                continue;
            }
            /* The chunks before it have failed; those after it are tested again without it. */
            has_passed = true;
            uint32_t begin = (uint32_t)(chunks[passed].items - all->items);
            uint32_t next = begin + chunks[passed].count;
            memmove(&all->items[begin], &all->items[next],
                    (all->count - next) * sizeof *all->items);
            all->count -= chunks[passed].count;
            at = begin;
        }
        if (size <= 1 || reduction->is_stopped) break;
    }
    return has_passed;
}

/* ---- What can be left out ----------------------------------------------------------------- */

/* The passes that remove, in their order. */
typedef enum removal_pass {
    PASS_STEPS,
    PASS_MODULES,
    PASS_IMAGES,
    PASS_MEMORIES,
    PASS_ENTRIES, /* everything else but lines; level by level */
    PASS_LINES,
    PASS_COUNT
} removal_pass;

static bool is_below(const red_node *node, const char *key)
{
    return node->parent && rt_text_is(node->parent->key, key);
}

static removal_pass pass_of(const red_node *node)
{
    if (node->kind == RED_LINE) return PASS_LINES;
    if (node->depth == 2 && is_below(node, "steps")) return PASS_STEPS;
    if (node->depth == 2 && is_below(node, "modules")) return PASS_MODULES;
    if (node->depth == 2 && is_below(node, "memory")) return PASS_MEMORIES;
    if (is_below(node, "images") || is_below(node, "sources")) return PASS_IMAGES;
    return PASS_ENTRIES;
}

/* True for what every scenario has. */
static bool is_required(const red_node *node)
{
    static const char *const keys[] = {"assay", "summary", "modules", "steps"};
    bool is_top = node->depth == 1;
    for (size_t i = 0; i < sizeof keys / sizeof *keys && is_top; i++)
        if (rt_text_is(node->key, keys[i])) return true;
    return node->depth == 0;
}

static void removals_collect(red_node *node, removal_pass wanted, uint32_t depth, changes *out)
{
    if (node->is_removed) return;
    bool is_at_depth = wanted != PASS_ENTRIES || node->depth == depth;
    if (!is_required(node) && pass_of(node) == wanted && is_at_depth)
        *rt_vector_push(out) = (change){.node = node};
    for (uint32_t i = 0; i < node->child_count; i++)
        removals_collect(&node->children[i], wanted, depth, out);
}

static uint32_t depth_max(const red_node *node)
{
    uint32_t most = node->depth;
    for (uint32_t i = 0; i < node->child_count; i++) {
        uint32_t below = depth_max(&node->children[i]);
        if (below > most) most = below;
    }
    return most;
}

static bool removals_try(reducer *reduction, removal_pass wanted)
{
    uint32_t depths = wanted == PASS_ENTRIES ? depth_max(reduction->root) : 1;
    bool has_passed = false;
    for (uint32_t depth = 1; depth <= depths && !reduction->is_stopped; depth++) {
        changes all = {0};
        removals_collect(reduction->root, wanted, depth, &all);
        if (changes_try(reduction, &all)) has_passed = true;
        rt_vector_free(&all);
    }
    return has_passed;
}

/* ---- Links between outcomes --------------------------------------------------------------- */

/* True for the name of an outcome of a one_of, which another one_of must have too. */
static bool is_link(const red_node *node)
{
    const red_node *outcome = node->parent;
    return outcome && rt_text_is(node->key, "name") && is_below(outcome, "one_of");
}

/* Adds the links with the name; without a name, the first of every name. */
static void links_collect(red_node *node, const rt_text *name, changes *out)
{
    if (node->is_removed) return;
    bool is_wanted = is_link(node) && (!name || rt_text_equal(node->text, *name));
    for (uint32_t i = 0; i < out->count && !name && is_wanted; i++)
        is_wanted = !rt_text_equal(node->text, out->items[i].node->text);
    if (is_wanted) *rt_vector_push(out) = (change){.node = node};
    for (uint32_t i = 0; i < node->child_count; i++)
        links_collect(&node->children[i], name, out);
}

/* Tries to remove a name from all outcomes, since one alone is refused. Without it, their steps can
 * be removed one by one. */
static bool links_try(reducer *reduction)
{
    changes names = {0};
    bool has_passed = false;
    links_collect(reduction->root, NULL, &names);
    for (uint32_t i = 0; i < names.count && !reduction->is_stopped; i++) {
        changes all = {0};
        links_collect(reduction->root, &names.items[i].node->text, &all);
        const chunk whole = {all.items, all.count};
        if (all.count > 0 && first_applied(reduction, &whole, 1) == 0) has_passed = true;
        rt_vector_free(&all);
    }
    rt_vector_free(&names);
    return has_passed;
}

/* ---- The last expectation ----------------------------------------------------------------- */

static red_node *child_of(red_node *node, const char *key)
{
    for (uint32_t i = 0; i < node->child_count; i++)
        if (rt_text_is(node->children[i].key, key)) return &node->children[i];
    return NULL;
}

/* Tries to remove the step and to take back the removal of one that only expects something. */
static bool expectation_exchange(reducer *reduction, red_node *steps, red_node *step)
{
    changes pairs = {0};
    uint32_t count = 0, tested = 0;
    for (uint32_t i = 0; i < steps->child_count; i++) {
        red_node *other = &steps->children[i];
        if (!other->is_removed || other->child_count != 1 || !child_of(other, "expect")) continue;
        *rt_vector_push(&pairs) = (change){.node = step};
        *rt_vector_push(&pairs) = (change){.node = other};
        count++;
    }
    bool has_passed = false;
    while (tested < count && !has_passed && !reduction->is_stopped) {
        chunk chunks[RED_BATCH_MAX];
        uint32_t batch = 0;
        for (; batch < reduction->request->batch && tested < count; batch++, tested++)
            chunks[batch] = (chunk){&pairs.items[2 * (size_t)tested], 2};
        has_passed = first_applied(reduction, chunks, batch) < batch;
    }
    rt_vector_free(&pairs);
    return has_passed;
}

/* A scenario must expect something, even if it fails because of a finding. A launch that is left
 * for its expectation alone needs more than a step that only expects. */
static bool expectations_try(reducer *reduction)
{
    red_node *steps = child_of(reduction->root, "steps");
    bool has_passed = false;
    for (uint32_t i = 0; steps && i < steps->child_count && !reduction->is_stopped; i++) {
        red_node *step = &steps->children[i], *expect = child_of(step, "expect");
        bool has_more = step->child_count > 1 && !step->is_removed;
        if (has_more && expect && !expect->is_removed &&
            expectation_exchange(reduction, steps, step))
            has_passed = true;
    }
    return has_passed;
}

/* ---- Numbers ------------------------------------------------------------------------------ */

static bool is_number_above_one(const red_node *node, uint64_t *out_number)
{
    return node->kind == RED_SCALAR && !node->is_quoted &&
           rt_number_read(node->text, 2, UINT64_MAX, out_number);
}

typedef RT_VECTOR(uint64_t) numbers;

static void numbers_collect(const red_node *node, numbers *out)
{
    uint64_t number;
    if (node->is_removed) return;
    if (is_number_above_one(node, &number)) {
        bool is_known = false;
        for (uint32_t i = 0; i < out->count && !is_known; i++)
            is_known = out->items[i] == number;
        if (!is_known) *rt_vector_push(out) = number;
    }
    for (uint32_t i = 0; i < node->child_count; i++)
        numbers_collect(&node->children[i], out);
}

static void replacements_collect(red_node *node, uint64_t number, rt_text text, changes *out)
{
    uint64_t written;
    if (node->is_removed) return;
    if (is_number_above_one(node, &written) && written == number)
        *rt_vector_push(out) = (change){node, text};
    for (uint32_t i = 0; i < node->child_count; i++)
        replacements_collect(&node->children[i], number, text, out);
}

/* Tries to write a smaller number everywhere in place of one number, since a range, a count and a
 * length often agree: 1, 2, 4, … below it. */
static bool number_try(reducer *reduction, uint64_t number)
{
    changes sets[RED_BATCH_MAX] = {0};
    chunk chunks[RED_BATCH_MAX];
    bool has_passed = false;
    uint64_t smaller = 1;
    while (smaller < number && !has_passed && !reduction->is_stopped) {
        uint32_t count = 0;
        for (; smaller < number && count < reduction->request->batch; count++) {
            rt_text text = rt_arena_printf(&reduction->arena, "%" PRIu64, smaller);
            replacements_collect(reduction->root, number, text, &sets[count]);
            chunks[count] = (chunk){sets[count].items, sets[count].count};
            smaller = smaller > number / 2 ? number : smaller * 2;
        }
        has_passed = first_applied(reduction, chunks, count) < count;
        for (uint32_t i = 0; i < count; i++)
            rt_vector_free(&sets[i]);
        memset(sets, 0, sizeof sets);
    }
    return has_passed;
}

static bool numbers_try(reducer *reduction)
{
    numbers all = {0};
    bool has_passed = false;
    numbers_collect(reduction->root, &all);
    for (uint32_t i = 0; i < all.count && !reduction->is_stopped; i++)
        if (number_try(reduction, all.items[i])) has_passed = true;
    rt_vector_free(&all);
    return has_passed;
}

/* ---- Modules that only need others -------------------------------------------------------- */

/* The item of `needs` if that is all that the module has, and has one item; otherwise NULL. */
static const red_node *only_need(const red_node *module)
{
    if (module->kind != RED_MAPPING) return NULL;
    const red_node *entry = red_only_child(module);
    if (!entry || entry->kind != RED_LIST || !rt_text_is(entry->key, "needs")) return NULL;
    const red_node *need = red_only_child(entry);
    return need && need->kind == RED_SCALAR ? need : NULL;
}

static void renames_collect(red_node *node, rt_text name, rt_text other, changes *out)
{
    if (node->is_removed) return;
    if (node->kind == RED_SCALAR && !node->is_quoted && rt_text_equal(node->text, name))
        *rt_vector_push(out) = (change){node, other};
    for (uint32_t i = 0; i < node->child_count; i++)
        renames_collect(&node->children[i], name, other, out);
}

/* Tries to name what such a module needs wherever the module is named, and to remove it. */
static bool needs_try(reducer *reduction)
{
    changes modules = {0};
    bool has_passed = false;
    removals_collect(reduction->root, PASS_MODULES, 0, &modules);
    for (uint32_t i = 0; i < modules.count && !reduction->is_stopped; i++) {
        red_node *module = modules.items[i].node;
        const red_node *need = only_need(module);
        if (!need) continue;
        changes all = {0};
        *rt_vector_push(&all) = modules.items[i];
        renames_collect(reduction->root, module->key, need->text, &all);
        const chunk whole = {all.items, all.count};
        if (first_applied(reduction, &whole, 1) == 0) has_passed = true;
        rt_vector_free(&all);
    }
    rt_vector_free(&modules);
    return has_passed;
}

/* ---- Source code -------------------------------------------------------------------------- */

static void sources_collect(reducer *reduction, red_node *node, sources *out)
{
    const red_node *language = NULL;
    red_node *code = NULL;
    for (uint32_t i = 0; i < node->child_count && !node->is_removed; i++) {
        red_node *child = &node->children[i];
        bool is_text = !child->is_removed && (child->kind == RED_SCALAR || child->kind == RED_TEXT);
        if (is_text && rt_text_is(child->key, "language")) language = child;
        if (is_text && rt_text_is(child->key, "code")) code = child;
        sources_collect(reduction, child, out);
    }
    if (language && code)
        *rt_vector_push(out) = (red_source){.language = language->text,
                                            .code = red_text_of(&reduction->arena, code),
                                            .reduction = reduction,
                                            .node = code};
}

bool red_source_test(red_source *source, rt_text code, bool *out_passes)
{
    reducer *reduction = source->reduction;
    const red_node before = *source->node;
    rt_buffer text = {0};
    uint32_t passed = 1;
    red_text_set(&reduction->arena, source->node, code);
    red_tree_write(reduction->root, &text);
    rt_text candidate = rt_buffer_text(&text);
    if (!reduction->request->test(reduction->request->user, &candidate, 1, &passed))
        reduction->is_stopped = true;
    *out_passes = !reduction->is_stopped && passed == 0;
    if (*out_passes)
        source->code = source->node->text;
    else
        *source->node = before;
    rt_buffer_free(&text);
    return !reduction->is_stopped;
}

/* Returns true if any code became smaller. */
static bool sources_try(reducer *reduction)
{
    sources all = {0};
    bool has_passed = false;
    sources_collect(reduction, reduction->root, &all);
    for (uint32_t i = 0; i < all.count && !reduction->is_stopped; i++) {
        rt_text before = all.items[i].code;
        if (!reduction->request->reduce_source(reduction->request->user, &all.items[i]))
            reduction->is_stopped = true;
        has_passed |= !rt_text_equal(before, all.items[i].code);
    }
    rt_vector_free(&all);
    return has_passed;
}

/* Appends the code's lines as one, without their indentation. Returns their number. */
static uint32_t line_append(rt_buffer *out, rt_text code)
{
    uint32_t count = 0;
    while (code.length > 0) {
        rt_text line = rt_text_take_until(&code, '\n');
        while (line.length > 0 && line.data[0] == ' ')
            line = rt_text_skip(line, 1);
        if (line.length == 0) continue;
        rt_buffer_printf(out, "%s%.*s", count > 0 ? " " : "", RT_TEXT_ARG(line));
        count++;
    }
    return count;
}

/* Writes short code in one line.  The test rejects what the line feeds ended: directives and
 * comments. */
static void lines_join(reducer *reduction)
{
    enum { CODE_WIDTH = 120 };
    sources all = {0};
    sources_collect(reduction, reduction->root, &all);
    for (uint32_t i = 0; i < all.count && !reduction->is_stopped; i++) {
        rt_buffer line = {0};
        bool passes = false;
        if (line_append(&line, all.items[i].code) > 1 && line.size <= CODE_WIDTH)
            red_source_test(&all.items[i], rt_buffer_text(&line), &passes);
        rt_buffer_free(&line);
    }
    rt_vector_free(&all);
}

/* ---- The reduction ------------------------------------------------------------------------ */

static void summary_set(red_node *root, rt_text summary)
{
    for (uint32_t i = 0; i < root->child_count && summary.length > 0; i++)
        if (rt_text_is(root->children[i].key, "summary")) {
            root->children[i].kind = RED_SCALAR;
            root->children[i].is_quoted = true;
            root->children[i].text = summary;
        }
}

/* Repeats the passes until none of them makes progress. */
static void passes_run(reducer *reduction)
{
    for (bool has_passed = true; has_passed && !reduction->is_stopped;) {
        has_passed = false;
        for (removal_pass pass = 0; pass < PASS_COUNT && !reduction->is_stopped; pass++)
            if (removals_try(reduction, pass)) has_passed = true;
        if (!reduction->is_stopped && links_try(reduction)) has_passed = true;
        if (!reduction->is_stopped && expectations_try(reduction)) has_passed = true;
        if (!reduction->is_stopped && needs_try(reduction)) has_passed = true;
        if (!reduction->is_stopped && numbers_try(reduction)) has_passed = true;
    }
}

bool red_reduce(const red_request *request, rt_buffer *out)
{
    reducer reduction = {.request = request};
    CHECK(request->batch >= 1 && request->batch <= RED_BATCH_MAX);
    reduction.root = red_tree_copy(&reduction.arena, request->root);
    summary_set(reduction.root, request->summary);
    passes_run(&reduction);
    if (request->reduce_source && !reduction.is_stopped && sources_try(&reduction))
        passes_run(&reduction);
    lines_join(&reduction);
    red_tree_write(reduction.root, out);
    rt_arena_reset(&reduction.arena);
    return !reduction.is_stopped;
}
