/* References of steps: to earlier steps by their ids, to devices and images by their names. */
#include "conformance/scenario/schema/schema.h"

#include "reference/base/number.h"

#include <stdio.h>
#include <string.h>

/* A process knows its own steps; a list of a parallel knows its own steps and what came before the
 * parallel: nothing else has happened for certain when it runs. */
static bool visible(scn_reader *reader, scn_position at, uint32_t step, rt_text id)
{
    CHECK(step < reader->step_count);
    if (step < reader->process) {
        return scn_report(reader->reporter, at,
                          "step '%s' is before the restart at line %u; a process knows nothing of "
                          "what the one before it made",
                          scn_shown(reader->arena, id),
                          reader->step_table[reader->process - 1].at.line);
    }
    bool beside = reader->thread > 0 && step > reader->parallel;
    if (!beside || reader->step_table[step].thread == reader->thread) return true;
    return scn_report(
        reader->reporter, at,
        "step '%s' is in another list of the parallel; a list knows its own steps and "
        "those before the parallel",
        scn_shown(reader->arena, id));
}

/* Resolves an id among `wanted`.  `mistaken` tells what to say of a step of another kind. */
static bool step_resolve(scn_reader *reader, const scn_node *node, const scn_names *wanted,
                         const char *noun, const char *mistaken, void *out)
{
    uint32_t *step = out;
    *step = SCN_NONE;
    if (node->kind != SCN_NODE_SCALAR || node->text.length == 0) {
        return scn_report(reader->reporter, node->at, "expected the id of a step, found %s",
                          scn_node_describe(reader->arena, node));
    }
    bool known = rt_map_find(&reader->steps.map, node->text) != RT_MAP_NONE;
    uint32_t found = rt_map_find(&wanted->map, node->text);
    if (known && found == RT_MAP_NONE) {
        return scn_report(reader->reporter, node->at, "step '%s' is not a %s; %s",
                          scn_shown(reader->arena, node->text), noun, mistaken);
    }
    char earlier[64];
    snprintf(earlier, sizeof earlier, "earlier %s", noun);
    *step = scn_names_resolve(reader, wanted, node->at, node->text, earlier);
    return *step != SCN_NONE && visible(reader, node->at, *step, node->text);
}

static bool command_reference_read(scn_reader *reader, const scn_node *node, void *out)
{
    return step_resolve(reader, node, &reader->commands, "command",
                        "a command is what submit, copy, fill, host_task and complete_fusion make",
                        out);
}

static bool queue_reference_read(scn_reader *reader, const scn_node *node, void *out)
{
    return step_resolve(reader, node, &reader->queues, "queue",
                        "a queue is made by '- queue: {id: NAME}'", out);
}

static bool context_reference_read(scn_reader *reader, const scn_node *node, void *out)
{
    return step_resolve(reader, node, &reader->contexts, "context",
                        "a context is made by '- context: {id: NAME, devices: [...]}'", out);
}

static bool bundle_reference_read(scn_reader *reader, const scn_node *node, void *out)
{
    return step_resolve(reader, node, &reader->bundles, "bundle",
                        "a bundle is made by '- bundle: {id: NAME, get: STATE}'", out);
}

static bool device_reference_read(scn_reader *reader, const scn_node *node, void *out)
{
    uint32_t *device = out;
    *device = SCN_NONE;
    if (node->kind != SCN_NODE_SCALAR || node->text.length == 0) {
        return scn_report(reader->reporter, node->at, "expected the name of a device, found %s",
                          scn_node_describe(reader->arena, node));
    }
    *device = scn_names_resolve(reader, &reader->devices, node->at, node->text, "device");
    return *device != SCN_NONE;
}

bool scn_image_name_read(scn_reader *reader, scn_position at, rt_text name, uint32_t *out_module,
                         uint32_t *out_image)
{
    *out_module = SCN_NONE;
    rt_text number = name;
    rt_text module = rt_text_take_until(&number, '/');
    if (!rt_number_read_u32(number, 0, RT_IMAGE_COUNT_MAX - 1, out_image)) {
        return scn_report(reader->reporter, at,
                          "'%s' is not an image; images are called MODULE/NUMBER, such as app/0",
                          scn_shown(reader->arena, name));
    }
    *out_module = scn_names_resolve(reader, &reader->modules, at, module, "module");
    return *out_module != SCN_NONE;
}

const scn_memory *scn_memory_of(const scn_reader *reader, uint32_t index)
{
    const scn_scenario *scenario = reader->scenario;
    const scn_memory *memory = index < scenario->memory_count ? &scenario->memories[index] : NULL;
    bool right = memory && memory->count > 0;
    CHECK(right || reader->reporter->count > 0);
    CHECK_IMPLIES(right, memory->layout.size > 0);
    return right ? memory : NULL;
}

/* ---- Shapes ------------------------------------------------------------------------------- */

const scn_shape scn_shape_command_reference = {
    .kind = SCN_SHAPE_OTHER,
    .noun = "the id of a step that makes a command",
    .read = command_reference_read,
    .alternatives = {&scn_shape_name},
};
const scn_shape scn_shape_command_references = {
    .kind = SCN_SHAPE_LIST,
    .noun = "a list of step ids",
    .element = &scn_shape_command_reference,
    .element_size = sizeof(uint32_t),
};
const scn_shape scn_shape_queue_reference = {
    .kind = SCN_SHAPE_OTHER,
    .noun = "the id of a queue",
    .read = queue_reference_read,
    .alternatives = {&scn_shape_name},
};
const scn_shape scn_shape_context_reference = {
    .kind = SCN_SHAPE_OTHER,
    .noun = "the id of a context",
    .read = context_reference_read,
    .alternatives = {&scn_shape_name},
};
const scn_shape scn_shape_bundle_reference = {
    .kind = SCN_SHAPE_OTHER,
    .noun = "the id of a bundle",
    .read = bundle_reference_read,
    .alternatives = {&scn_shape_name},
};
const scn_shape scn_shape_device_reference = {
    .kind = SCN_SHAPE_OTHER,
    .noun = "the name of a device",
    .read = device_reference_read,
    .alternatives = {&scn_shape_name},
};

static const scn_choice profiles[] = {
#define PROFILE_CHOICE(profile, name) {name, true},
    RT_PROFILES(PROFILE_CHOICE)
#undef PROFILE_CHOICE
};
const scn_shape scn_shape_profile = {
    .kind = SCN_SHAPE_CHOICE,
    .noun = "a profile",
    SCN_CHOICES(profiles),
};
