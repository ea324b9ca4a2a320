/* Reads a scenario file, from its text to the checked model.
 *
 * A file is read as far as possible, so that all its problems show at once. Whether kernels and
 * symbols exist is not known here: the code has not been compiled yet. */
#include "conformance/scenario/check.h"
#include "conformance/scenario/schema/schema.h"

/* Registers the names of a map before its entries are read: they may refer to each other. */
static void names_register(scn_names *names, const scn_node *root, const char *key)
{
    const scn_entry *map = scn_node_entry(root, key);
    if (!map || map->value.kind != SCN_NODE_MAPPING) return;
    for (uint32_t i = 0; i < map->value.count; i++)
        scn_names_add(names, map->value.entries[i].key, i);
}

/* The device of a scenario that names none. */
static void devices_default(scn_reader *reader)
{
    scn_device *device = rt_arena_alloc(reader->arena, sizeof *device);
    *device = (scn_device){.name = RT_TEXT("device"), .at = {1, 1}};
    reader->scenario->devices = device;
    reader->scenario->device_count = 1;
    scn_names_add(&reader->devices, device->name, 0);
}

static bool version_is_first(scn_reader *reader, const scn_node *root)
{
    if (root->kind == SCN_NODE_MAPPING && root->count > 0 &&
        rt_text_is(root->entries[0].key, "assay"))
        return true;
    return scn_report(reader->reporter, root->at,
                      "a scenario begins with 'assay: 1', the version of the format");
}

static bool root_read(scn_reader *reader, const scn_node *root)
{
    if (!version_is_first(reader, root)) return false;
    names_register(&reader->modules, root, "modules");
    names_register(&reader->memories, root, "memory");
    names_register(&reader->devices, root, "devices");
    if (reader->devices.list.count == 0) devices_default(reader);
    uint32_t first_step;
    if (!scn_object_read(reader, &scn_shape_scenario, root, reader->scenario)) return false;
    CHECK(reader->scenario->module_count > 0 && reader->scenario->device_count > 0);
    CHECK(reader->step_count == reader->scenario->step_count);
    return scn_check(reader->reporter, reader->scenario, reader->fields.items, reader->fields.count,
                     &first_step);
}

static void names_free(scn_names *names)
{
    rt_map_free(&names->map);
    rt_vector_free(&names->list);
}

const scn_scenario *scn_read(rt_arena *arena, rt_text text, rt_text file, rt_text path,
                             scn_problems *out_problems)
{
    scn_reporter reporter = {.arena = arena};
    scn_scenario *scenario = rt_arena_alloc(arena, sizeof *scenario);
    scenario->file = rt_arena_text(arena, file);
    scenario->path = rt_arena_text(arena, path);
    scn_reader reader = {.reporter = &reporter, .arena = arena, .scenario = scenario};
    const scn_node *root = scn_yaml_read(&reporter, text);
    bool valid = root && root_read(&reader, root);
    CHECK(valid == (reporter.count == 0));
    names_free(&reader.modules);
    names_free(&reader.memories);
    names_free(&reader.steps);
    names_free(&reader.devices);
    rt_vector_free(&reader.fields);
    *out_problems = scn_reporter_finish(&reporter);
    return valid ? scenario : NULL;
}
