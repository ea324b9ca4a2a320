/* Walks the tree of choices with a stack of scripts; see explore.h. It starts no child. */
#include "conformance/run/explore.h"

#include <stdlib.h>
#include <string.h>

void cnf_explorer_begin(cnf_explorer *explorer, rt_arena *arena, rt_text script, uint32_t run_max)
{
    CHECK(run_max > 0 && rt_script_valid(script));
    *explorer = (cnf_explorer){.arena = arena, .run_max = run_max};
    *rt_vector_push(&explorer->pending) = script;
}

void cnf_explorer_free(cnf_explorer *explorer)
{
    rt_vector_free(&explorer->pending);
    rt_vector_free(&explorer->ordered);
    rt_vector_free(&explorer->branches);
}

bool cnf_explorer_next(cnf_explorer *explorer, rt_text *out_script)
{
    if (explorer->pending.count == 0) return false;
    CHECK(explorer->run_count < explorer->run_max);
    *out_script = explorer->pending.items[--explorer->pending.count];
    explorer->run_count++;
    return true;
}

/* ---- Scripts ------------------------------------------------------------------------------- */

/* A script of the first `count` choices as they were made, followed by `alternative` unless that is
 * SCN_NONE, and of the orders. */
static rt_text script_make(rt_arena *arena, const cnf_choice *choices, uint32_t count,
                           uint32_t alternative, cnf_order_list orders)
{
    rt_buffer text = {0};
    for (uint32_t i = 0; i < count; i++)
        rt_buffer_printf(&text, "%s%u", i ? "," : "", choices[i].alternative);
    if (alternative != SCN_NONE) rt_buffer_printf(&text, "%s%u", count ? "," : "", alternative);
    for (uint32_t i = 0; i < orders.count; i++)
        rt_buffer_printf(&text, "%s%u:%u", i ? "," : ";", orders.items[i].number,
                         orders.items[i].alternative);
    rt_text script = rt_arena_text(arena, rt_buffer_text(&text));
    rt_buffer_free(&text);
    return script;
}

rt_text cnf_explorer_script(rt_arena *arena, const cnf_messages *messages)
{
    return script_make(arena, messages->choices, messages->choice_count, SCN_NONE,
                       messages->orders_taken);
}

/* Checks that the run made the choices that the script prescribes. Returns false, with the reason
 * in *out_reason, at the first that it did not make. *out_count is the number of choices checked.
 */
static bool script_followed(const cnf_explorer *explorer, rt_text script,
                            const cnf_messages *messages, uint32_t *out_count, rt_text *out_reason)
{
    uint32_t prescribed;
    *out_count = 0;
    for (uint32_t i = 0; rt_script_choice(&script, &prescribed); i++) {
        *out_count = i + 1;
        if (i < messages->choice_count && messages->choices[i].alternative == prescribed) continue;
        *out_reason =
            i < messages->choice_count
                ? rt_arena_printf(explorer->arena, "choice %u took alternative %u of %u, not %u", i,
                                  messages->choices[i].alternative,
                                  messages->choices[i].alternative_count, prescribed)
                : rt_arena_printf(explorer->arena, "choice %u was not made", i);
        return false;
    }
    rt_order order;
    for (uint32_t i = 0; rt_script_order(&script, &order); i++) {
        const cnf_order_list *taken = &messages->orders_taken;
        if (i < taken->count && taken->items[i].number == order.number &&
            taken->items[i].alternative == order.alternative)
            continue;
        *out_reason = rt_arena_printf(explorer->arena,
                                      "the choice among ready commands %u did not take command %u",
                                      order.number, order.alternative);
        return false;
    }
    return true;
}

/* ---- Runs ---------------------------------------------------------------------------------- */

/* Records which branches of each one_of have happened. The numbers came from a child; the reader of
 * its messages has checked them. */
static void branches_note(cnf_explorer *explorer, const cnf_messages *messages)
{
    for (uint32_t i = 0; i < messages->check_count; i++) {
        const cnf_check *check = &messages->checks[i];
        if (check->branches == 0 || check->branches > RT_SCENARIO_SIZE_MAX) continue;
        CHECK(check->branch <= check->branches);
        cnf_explored_branches *known = NULL;
        for (uint32_t j = 0; j < explorer->branches.count && !known; j++) {
            cnf_explored_branches *entry = &explorer->branches.items[j];
            bool is_same_step = entry->line == check->line && entry->step == check->step;
            if (is_same_step && entry->branches == check->branches) known = entry;
        }
        if (!known) {
            known = rt_vector_push(&explorer->branches);
            *known = (cnf_explored_branches){check->line, check->step, check->branches, NULL};
            known->happened = rt_arena_alloc_array(explorer->arena, check->branches, sizeof(bool));
        }
        if (check->branch > 0) known->happened[check->branch - 1] = true;
    }
}

/* Makes a script pending, unless run_max is reached. */
static void script_push(cnf_explorer *explorer, rt_text script)
{
    explorer->cut |= explorer->pending.count + explorer->run_count >= explorer->run_max;
    if (!explorer->cut) *rt_vector_push(&explorer->pending) = script;
}

/* Makes the scripts pending that exchange commands of a run. */
static void orders_push(cnf_explorer *explorer, const cnf_messages *messages)
{
    const cnf_order_list *taken = &messages->orders_taken, *wanted = &messages->orders_wanted;
    rt_order *orders = rt_arena_alloc_array(explorer->arena, taken->count + 1u, sizeof *orders);
    for (uint32_t i = 0; i < wanted->count && !explorer->cut; i++) {
        uint32_t count = 0;
        while (count < taken->count && taken->items[count].number < wanted->items[i].number) {
            orders[count] = taken->items[count];
            count++;
        }
        orders[count++] = wanted->items[i];
        rt_text script = script_make(explorer->arena, messages->choices, messages->choice_count,
                                     SCN_NONE, (cnf_order_list){orders, count});
        bool is_known = false;
        for (uint32_t k = 0; k < explorer->ordered.count && !is_known; k++)
            is_known = rt_text_equal(explorer->ordered.items[k], script);
        if (is_known) continue;
        *rt_vector_push(&explorer->ordered) = script;
        script_push(explorer, script);
    }
}

bool cnf_explorer_add(cnf_explorer *explorer, rt_text script, const cnf_messages *messages,
                      rt_text *out_reason)
{
    CHECK(explorer->run_count > 0);
    *out_reason = (rt_text){0};
    uint32_t prescribed;
    branches_note(explorer, messages);
    if (!script_followed(explorer, script, messages, &prescribed, out_reason)) return false;
    const cnf_order_list none = {0};
    for (uint32_t i = prescribed; i < messages->choice_count && !explorer->cut; i++) {
        const cnf_choice *choice = &messages->choices[i];
        for (uint32_t next = choice->alternative_count; next-- > 0 && !explorer->cut;) {
            if (next == choice->alternative) continue;
            script_push(explorer, script_make(explorer->arena, messages->choices, i, next, none));
        }
    }
    orders_push(explorer, messages);
    CHECK(explorer->pending.count + explorer->run_count <= explorer->run_max);
    return true;
}

void cnf_explorer_warn(const cnf_explorer *explorer, rt_buffer *out)
{
    for (uint32_t i = 0; i < explorer->branches.count; i++) {
        const cnf_explored_branches *known = &explorer->branches.items[i];
        for (uint32_t branch = 0; branch < known->branches; branch++) {
            if (known->happened[branch]) continue;
            rt_buffer_printf(out, "%sone_of at line %u: branch %u never happened in %u run%s",
                             out->size ? "\n" : "", known->line, branch + 1, explorer->run_count,
                             explorer->run_count == 1 ? "" : "s");
        }
    }
    if (!explorer->cut) return;
    rt_buffer_printf(out,
                     "%sexploring stopped after %u run%s; more combinations of choices remain "
                     "(--explore-max)",
                     out->size ? "\n" : "", explorer->run_count,
                     explorer->run_count == 1 ? "" : "s");
}
