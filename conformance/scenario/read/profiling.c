/* The question for a command's times. */
#include "conformance/scenario/schema/schema.h"

static const scn_row profiling_rows[] = {
    {"step", &scn_shape_command_reference, SCN_REQUIRED, SCN_FIELD(scn_step, profiling.step),
     "The submit, copy, fill or complete_fusion whose event is asked."},
    {"after", &scn_shape_command_reference, 0, SCN_FIELD(scn_step, profiling.after),
     "Another one, behind whose end it begins."},
    {"same_as", &scn_shape_command_reference, 0, SCN_FIELD(scn_step, profiling.same_as),
     "Another one, all of whose times are the same."},
};
static const scn_shape shape_profiling_object = {
    .kind = SCN_SHAPE_OBJECT,
    .noun = "a profiling",
    SCN_ROWS(profiling_rows),
};

/* A host task runs on no device whose clock could tell its times. */
static bool device_command_check(scn_reader *reader, const scn_node *node, uint32_t step)
{
    if (step == SCN_NONE || reader->step_table[step].verb != SCN_VERB_HOST_TASK) return true;
    return scn_report(reader->reporter, node->at,
                      "step '%s' is a host task, and only what a device runs has times",
                      scn_shown(reader->arena, reader->step_table[step].id));
}

static bool profiling_read(scn_reader *reader, const scn_node *node, void *out)
{
    scn_step *step = out;
    scn_profiling *asked = &step->profiling;
    *asked = (scn_profiling){.step = SCN_NONE, .after = SCN_NONE, .same_as = SCN_NONE};
    if (node->kind == SCN_NODE_SCALAR)
        return scn_value_read(reader, &scn_shape_command_reference, node, &asked->step) &&
               device_command_check(reader, node, asked->step);
    uint64_t given;
    return scn_object_read(reader, &shape_profiling_object, node, step, &given) &&
           device_command_check(reader, node, asked->step) &&
           device_command_check(reader, node, asked->after) &&
           device_command_check(reader, node, asked->same_as);
}

const scn_shape scn_shape_profiling = {
    .kind = SCN_SHAPE_OTHER,
    .noun = "a profiling",
    .read = profiling_read,
    .alternatives = {&scn_shape_name, &shape_profiling_object},
};
