/* Reads a scenario file, from its text to the checked model.
 *
 * A file is read as far as possible, so that all its problems are reported at once. Whether kernels
 * and symbols exist is not known here, because the code has not been compiled yet. */
#include "conformance/scenario/check.h"
#include "conformance/scenario/schema/schema.h"

/* The keys of the maps whose names are collected before any entry is read, because entries may
 * refer to each other. */
static const char *const map_keys[SCN_TABLE_COUNT] = {
    [SCN_TABLE_MODULES] = "modules",
    [SCN_TABLE_DEVICES] = "devices",
    [SCN_TABLE_MEMORIES] = "memory",
};

static bool root_read(scn_reader *reader, const scn_node *root)
{
    scn_scenario *scenario = reader->scenario;
    if (root->kind != SCN_NODE_MAPPING || root->count == 0 ||
        !rt_text_is(root->entries[0].key, "assay")) {
        return scn_report(reader->reporter, root->at,
                          "a scenario must begin with 'assay: 1', the version of the format");
    }
    for (uint32_t table = 0; table < SCN_TABLE_COUNT; table++) {
        const scn_node *map = map_keys[table] ? scn_node_value(root, map_keys[table]) : NULL;
        for (uint32_t i = 0; map && map->kind == SCN_NODE_MAPPING && i < map->count; i++)
            scn_names_add(&reader->names[table], map->entries[i].key, i);
    }
    if (reader->names[SCN_TABLE_DEVICES].list.count == 0) {
        scn_device *device = rt_arena_alloc(reader->arena, sizeof *device);
        *device = (scn_device){.name = RT_TEXT("device"), .at = {1, 1}};
        scenario->devices = device;
        scenario->device_count = 1;
        scn_names_add(&reader->names[SCN_TABLE_DEVICES], device->name, 0);
    }
    uint32_t first_step;
    if (!scn_object_read(reader, &scn_shape_scenario, root, scenario)) return false;
    CHECK(scenario->module_count > 0 && scenario->device_count > 0);
    CHECK(reader->step_count == scenario->step_count);
    CHECK(scenario->memory_count == reader->names[SCN_TABLE_MEMORIES].list.count);
    return scn_check(reader->reporter, scenario, reader->fields.items, reader->fields.count,
                     &first_step);
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
    for (uint32_t table = 0; table < SCN_TABLE_COUNT; table++) {
        rt_map_free(&reader.names[table].map);
        rt_vector_free(&reader.names[table].list);
    }
    rt_vector_free(&reader.fields);
    *out_problems = scn_reporter_finish(&reporter);
    return valid ? scenario : NULL;
}
