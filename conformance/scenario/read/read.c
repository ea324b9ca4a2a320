/* Reading a scenario: the top of the table, and the checks that no single key can make.
 *
 * A file is read as far as it can be, so that all its problems show at once.  Whether kernels and
 * symbols exist is not known here: the code was not compiled yet. */
#include "conformance/scenario/schema/schema.h"

/* ---- Rules that a scenario shows ---------------------------------------------------------- */

static const char *rule_word(uint32_t index)
{
    return index + 1 < RT_RULE_COUNT ? rt_rule_name((rt_rule)(index + 1)) : NULL;
}
static const scn_shape shape_rule_name = {
    .kind = SCN_SHAPE_WORD,
    .noun = "a rule",
    .word = rule_word,
};

static bool rule_read(scn_reader *reader, const scn_node *node, void *out)
{
    rt_text name;
    if (!scn_value_read(reader, &shape_rule_name, node, &name)) return false;
    rt_rule rule = rt_rule_find(name);
    CHECK(rule != RT_RULE_NONE);
    *(rt_rule *)out = rule;
    return true;
}

static const scn_shape shape_rule = {
    .kind = SCN_SHAPE_OTHER,
    .noun = "a rule",
    .read = rule_read,
    .alternatives = {&shape_rule_name},
};

static const scn_row cover_rows[] = {
    {"rule", &shape_rule, SCN_REQUIRED, SCN_FIELD(scn_cover, rule), "The id of the rule."},
    {"at", &scn_shape_name, 0, SCN_FIELD(scn_cover, at),
     "The id of the step whose expectation fails when the rule is broken."},
};
static const scn_shape shape_cover_object = {
    .kind = SCN_SHAPE_OBJECT,
    .noun = "a covered rule",
    SCN_ROWS(cover_rows),
};

static bool cover_read(scn_reader *reader, const scn_node *node, void *out)
{
    scn_cover *cover = out;
    uint64_t given;
    cover->position = node->at;
    if (node->kind == SCN_NODE_SCALAR) return rule_read(reader, node, &cover->rule);
    return scn_object_read(reader, &shape_cover_object, node, cover, &given);
}

static const scn_shape shape_cover = {
    .kind = SCN_SHAPE_OTHER,
    .noun = "a covered rule",
    .read = cover_read,
    .alternatives = {&shape_rule, &shape_cover_object},
};
static const scn_shape shape_covers = {
    .kind = SCN_SHAPE_LIST,
    .noun = "the list of covered rules",
    .element = &shape_cover,
    .element_size = sizeof(scn_cover),
};

/* ---- The process -------------------------------------------------------------------------- */

static const scn_shape shape_preload = {
    .kind = SCN_SHAPE_LIST,
    .noun = "a list of preloaded modules",
    .unique = true,
    .element = &scn_shape_module_reference,
    .element_size = sizeof(uint32_t),
};
static const scn_shape shape_prefer_preloaded = {
    .kind = SCN_SHAPE_TRUTH,
    .noun = "whether images of preloaded modules are preferred",
};
static const scn_shape shape_persistent_cache = {
    .kind = SCN_SHAPE_TRUTH,
    .noun = "persistent_cache",
};
static const scn_shape shape_warning_level = {
    .kind = SCN_SHAPE_INTEGER,
    .noun = "a warning level",
    .most = SCN_WARNING_LEVEL_MAX,
};
static const scn_row environment_rows[] = {
    {"SYCL_RT_WARNING_LEVEL", &shape_warning_level, 0, SCN_FIELD(scn_scenario, warning_level),
     "From which level on the runtime prints warnings; from 1 on it tells of fusions that end early."},
};
static const scn_shape shape_environment = {
    .kind = SCN_SHAPE_OBJECT,
    .noun = "the environment",
    .key_noun = "variable",
    SCN_ROWS(environment_rows),
};
static const scn_row process_rows[] = {
    {"preload", &shape_preload, 0, SCN_ITEMS(scn_scenario, preloaded, preloaded_count),
     "The modules of LD_PRELOAD, in order."},
    {"prefer_preloaded", &shape_prefer_preloaded, 0, SCN_FIELD(scn_scenario, prefer_preloaded),
     "Whether images of preloaded modules go before others that export the same symbol, the policy "
     "that the documents think of; not so where not given."},
    {"persistent_cache", &shape_persistent_cache, 0, SCN_FIELD(scn_scenario, persistent_cache),
     "Whether programs are kept in a persistent cache, which is empty at first and which the program "
     "finds again after a restart."},
    {"environment", &shape_environment, 0, SCN_SAME, "Environment variables of the program."},
};
static const scn_shape shape_process_object = {
    .kind = SCN_SHAPE_OBJECT,
    .noun = "a process",
    SCN_ROWS(process_rows),
};

static bool process_read(scn_reader *reader, const scn_node *node, void *out)
{
    scn_scenario *scenario = out;
    uint64_t given;
    if (!scn_object_read(reader, &shape_process_object, node, scenario, &given)) return false;
    bool fine = true;
    for (uint32_t i = 0; i < scenario->preloaded_count; i++) {
        scn_position at = scn_node_entry(node, "preload")->value.items[i].at;
        if (scenario->preloaded[i] == 0) {
            fine = scn_report(reader->reporter, at,
                              "the first module is the executable, which no loader preloads");
        }
        for (uint32_t j = 0; j < i; j++) {
            if (scenario->preloaded[i] != scenario->preloaded[j]) continue;
            fine = scn_report(reader->reporter, at, "this module is preloaded a second time");
            break;
        }
    }
    return fine;
}

static const scn_shape shape_process = {
    .kind = SCN_SHAPE_OTHER,
    .noun = "a process",
    .read = process_read,
    .alternatives = {&shape_process_object},
};

/* ---- The file ----------------------------------------------------------------------------- */

static bool version_read(scn_reader *reader, const scn_node *node, void *out)
{
    (void)out;
    if (scn_node_is_word(node, "1")) return true;
    return scn_report(reader->reporter, node->at,
                      "format version %s; this assay reads version 1: write 'assay: 1'",
                      scn_node_describe(reader->arena, node));
}

static const scn_shape shape_version_number = {
    .kind = SCN_SHAPE_INTEGER,
    .noun = "the format version",
    .least = 1,
    .most = 1,
};
static const scn_shape shape_version = {
    .kind = SCN_SHAPE_OTHER,
    .noun = "the format version",
    .read = version_read,
    .alternatives = {&shape_version_number},
};
static const scn_shape shape_summary = {
    .kind = SCN_SHAPE_TEXT,
    .noun = "a sentence or two about what the scenario shows",
};

static const scn_row scenario_rows[] = {
    {"assay", &shape_version, SCN_REQUIRED, SCN_NOWHERE, "The version of the format, 1."},
    {"summary", &shape_summary, SCN_REQUIRED, SCN_FIELD(scn_scenario, summary),
     "What the scenario shows, and how the expected values were derived."},
    {"covers", &shape_covers, 0, SCN_ITEMS(scn_scenario, covers, cover_count),
     "The rules of the documents that the scenario shows: RULE or {rule: RULE, at: STEP}."},
    {"modules", &scn_shape_modules, SCN_REQUIRED, SCN_ITEMS(scn_scenario, modules, module_count),
     "The executable, which is the first, and the shared libraries."},
    {"devices", &scn_shape_devices, 0, SCN_ITEMS(scn_scenario, devices, device_count),
     "The devices that the program has, of which the first is chosen from the start; without this "
     "key it is one, named device, as it is."},
    {"process", &shape_process, 0, SCN_SAME, "What the program is started with."},
    {"memory", &scn_shape_memories, 0, SCN_ITEMS(scn_scenario, memories, memory_count),
     "The memory that kernels work on, by name."},
    {"steps", &scn_shape_steps, SCN_REQUIRED, SCN_NOWHERE, "What the program does, in order."},
};
/* What scenario_check says: some step expects something, or a module is refused and no step is
 * there. */
#define EXPECTING "{'type': 'object', 'required': ['expect']}"
static const char scenario_also[] =
    "{'if': {'properties': {'modules': {'additionalProperties': {'not': " EXPECTING "}}}},"
    " 'then': {'properties': {'steps': {'contains': {'anyOf': [" EXPECTING
    ", {'type': 'object', 'required': ['parallel'], 'properties': {'parallel': {'contains':"
    " {'contains': " EXPECTING "}}}}]}}}},"
    " 'else': {'properties': {'steps': {'maxItems': 0}}}}";
const scn_shape scn_shape_scenario = {
    .kind = SCN_SHAPE_OBJECT,
    .noun = "a scenario",
    .also = scenario_also,
    SCN_ROWS(scenario_rows),
};

/* ---- Checks over the whole ---------------------------------------------------------------- */

static bool step_expects(const scn_step *step)
{
    return step->expect_count > 0 || step->error || step->outcome_count > 0;
}

static bool covers_check(scn_reader *reader)
{
    bool fine = true;
    const scn_scenario *scenario = reader->scenario;
    for (uint32_t i = 0; i < scenario->cover_count; i++) {
        const scn_cover *cover = &scenario->covers[i];
        if (cover->at.length == 0) continue;
        uint32_t step =
            scn_names_resolve(reader, &reader->steps, cover->position, cover->at, "step");
        if (step == SCN_NONE) {
            fine = false;
            continue;
        }
        CHECK(step < scenario->step_count);
        if (step_expects(&scenario->steps[step])) continue;
        fine = scn_report(reader->reporter, cover->position,
                          "step '%s' expects nothing, so a broken rule cannot fail there",
                          scn_shown(reader->arena, cover->at));
    }
    return fine;
}

static bool scenario_check(scn_reader *reader)
{
    const scn_scenario *scenario = reader->scenario;
    bool expects = false;
    for (uint32_t i = 0; i < scenario->module_count; i++) {
        const scn_error *refusal = scenario->modules[i].refusal.error;
        expects = expects || refusal;
        if (!refusal || scenario->step_count == 0) continue;
        return scn_report(reader->reporter, refusal->at,
                          "a module that is refused leaves nothing to run; write 'steps: []'");
    }
    for (uint32_t i = 0; i < scenario->step_count; i++)
        expects = expects || step_expects(&scenario->steps[i]);
    if (!expects) {
        scn_report(reader->reporter, (scn_position){1, 1},
                   "the scenario expects nothing, so no run could fail it; add a step "
                   "'- expect: ...'");
    }
    return covers_check(reader) && expects;
}

/* ---- Reading ------------------------------------------------------------------------------ */

/* Makes the names of a map known before its entries are read: they may refer to each other. */
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
    uint64_t given;
    if (!scn_object_read(reader, &scn_shape_scenario, root, reader->scenario, &given)) return false;
    CHECK(reader->scenario->module_count > 0 && reader->scenario->device_count > 0);
    CHECK(reader->step_count == reader->scenario->step_count);
    return scenario_check(reader);
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
    scn_reader reader = {
        .reporter = &reporter, .arena = arena, .scenario = scenario, .parallel = SCN_NONE};
    const scn_node *root = scn_yaml_read(&reporter, text);
    bool fine = root && root_read(&reader, root);
    CHECK(fine == (reporter.count == 0));
    names_free(&reader.modules);
    names_free(&reader.memories);
    names_free(&reader.steps);
    names_free(&reader.devices);
    names_free(&reader.commands);
    names_free(&reader.queues);
    names_free(&reader.contexts);
    names_free(&reader.bundles);
    *out_problems = scn_reporter_finish(&reporter);
    return fine ? scenario : NULL;
}
