/* Steps: one verb each. This file gives them their places in the scenario's order; the table of
 * verbs (verbs.c) describes the contents of each. The steps inside a parallel follow it in the same
 * table, so that an index identifies any step. */
#include "conformance/scenario/read/verbs.h"

#include <inttypes.h>

enum { STEP_COUNT_MAX = 65536 };

/* Registers the step's id for the steps that follow, even if the step has problems, so that steps
 * that refer to it are not reported too. False if an earlier step of the same process has the same
 * id; that of an earlier process can be used again, since nothing can refer to it any more. */
static bool id_add(scn_reader *reader, const scn_node *node, const scn_step *step)
{
    if (step->id.length == 0) return true;
    scn_names *names = &reader->names[SCN_TABLE_STEPS];
    const uint32_t index = (uint32_t)(step - reader->step_table);
    const uint32_t earlier = rt_map_find(&names->map, step->id);
    if (earlier == RT_MAP_NONE) {
        scn_names_add(names, step->id, index);
        return true;
    }
    if (earlier < reader->process) {
        rt_map_set(&names->map, step->id, index);
        return true;
    }
    const scn_node *id = scn_node_value(node, "id");
    for (uint32_t i = 0; !id && i < node->count; i++) /* it is inside the value of the verb */
        id = scn_node_value(&node->entries[i].value, "id");
    CHECK(id);
    return scn_report(reader->reporter, id->at,
                      "an earlier step already has the id '%s'; choose another",
                      scn_excerpt(reader->arena, step->id));
}

static bool lists_read(scn_reader *reader, const scn_node *node, scn_step *step);

/* Reads the step into the next entry of the table. */
static bool step_read(scn_reader *reader, const scn_node *node)
{
    const scn_shape *shape = &scn_shape_step_object;
    scn_step *step = &reader->step_table[reader->step_count++];
    *step = (scn_step){.at = node->at, .profile = RT_PROFILE_COUNT, .thread = reader->thread};
    if (node->kind == SCN_NODE_SCALAR) {
        enum { WAIT, RESTART };
        uint32_t bare;
        if (!scn_value_read(reader, scn_shape_step.alternatives[0], node, &bare)) return false;
        CHECK(bare == WAIT || bare == RESTART);
        step->verb = bare == RESTART ? SCN_VERB_RESTART : SCN_VERB_WAIT;
        if (bare == RESTART) reader->process = reader->step_count;
        if (bare == WAIT) scn_rows_clear(reader, &scn_shape_wait, step);
        return true;
    }
    const scn_entry *restart = scn_node_entry(node, "restart");
    if (restart) {
        return scn_report(reader->reporter, restart->at,
                          "a restart has neither parts nor an id and cannot be refused; write "
                          "'- restart'");
    }
    /* The first verb whose key is present; in a valid step, it is the only one. */
    step->verb = SCN_VERB_EXPECT;
    for (uint32_t row = 0; row < shape->row_count && step->verb == SCN_VERB_EXPECT; row++)
        if (shape->rows[row].flags & SCN_ALTERNATIVE && scn_node_entry(node, shape->rows[row].key))
            step->verb = scn_verb_of_row(row);
    bool valid = scn_object_read(reader, shape, node, step);
    valid = id_add(reader, node, step) && valid;
    const scn_node *expect = scn_node_value(node, "expect");
    bool alone = step->verb == SCN_VERB_EXPECT && expect;
    if (!valid || (!alone && scn_object_alternative(reader, shape, node, "one verb") == SCN_NONE))
        return false;
    if (step->verb == SCN_VERB_DEVICE) reader->device = step->device;
    if (step->verb == SCN_VERB_PARALLEL)
        valid = lists_read(reader, scn_node_value(node, "parallel"), step);
    if (!expect) return valid;
    return (alone ? scn_expect_read : scn_refusal_read)(reader, expect, step) && valid;
}

/* ---- Lists of steps ----------------------------------------------------------------------- */

static bool lists_read(scn_reader *reader, const scn_node *node, scn_step *step)
{
    uint32_t first = reader->step_count;
    bool valid = true;
    if (reader->thread > 0) return true; /* a parallel inside a parallel, which check.c reports */
    if (node->kind != SCN_NODE_LIST)
        return scn_report_expected(reader, node, "a list of lists of steps, one for each thread");
    for (uint32_t i = 0; i < node->count; i++) {
        const scn_node *list = &node->items[i];
        if (list->kind != SCN_NODE_LIST || list->count == 0) {
            valid =
                scn_report(reader->reporter, list->at, "expected a list of steps, found %s",
                           list->kind == SCN_NODE_LIST ? "an empty list"
                                                       : scn_node_describe(reader->arena, list));
            continue;
        }
        reader->thread = i + 1;
        for (uint32_t k = 0; k < list->count; k++)
            valid = step_read(reader, &list->items[k]) && valid;
    }
    reader->thread = 0;
    step->parallel.thread_count = node->count;
    step->parallel.nested_count = reader->step_count - first;
    return valid;
}

static bool steps_read(scn_reader *reader, const scn_node *node, void *out)
{
    (void)out;
    if (node->kind != SCN_NODE_LIST) return scn_report_expected(reader, node, scn_shape_steps.noun);
    /* The steps inside parallels are in the table, too. */
    uint64_t count = node->count;
    for (uint32_t i = 0; i < node->count; i++) {
        const scn_node *lists = scn_node_value(&node->items[i], "parallel");
        for (uint32_t k = 0; lists && lists->kind == SCN_NODE_LIST && k < lists->count; k++)
            if (lists->items[k].kind == SCN_NODE_LIST) count += lists->items[k].count;
    }
    if (count > STEP_COUNT_MAX) {
        return scn_report(reader->reporter, node->at,
                          "%" PRIu64 " steps are too many; a scenario has at most %d", count,
                          STEP_COUNT_MAX);
    }
    reader->step_table = rt_arena_alloc_array(reader->arena, count, sizeof *reader->step_table);
    bool valid = true;
    for (uint32_t i = 0; i < node->count; i++)
        valid = step_read(reader, &node->items[i]) && valid;
    CHECK(reader->step_count >= node->count && reader->step_count <= count);
    CHECK(reader->thread == 0);
    reader->scenario->steps = reader->step_table;
    reader->scenario->step_count = reader->step_count;
    return valid;
}

static const scn_shape shape_stored_steps = {
    SCN_TABLE(scn_step, &scn_shape_stored_step),
    .most = STEP_COUNT_MAX,
};
const scn_shape scn_shape_steps = {
    .kind = SCN_SHAPE_LIST,
    .noun = "the list of steps",
    .element = &scn_shape_step,
    .most = STEP_COUNT_MAX,
    .read = steps_read,
    .stored = &shape_stored_steps,
};
