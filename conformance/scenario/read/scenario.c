/* The table of a whole file: the rules that a scenario covers, its process, and the parts whose
 * tables are in other files. */
#include "conformance/scenario/schema/schema.h"

/* ---- Rules that a scenario shows ---------------------------------------------------------- */

static const char *rule_word(uint32_t index)
{
    return index + 1 < RT_RULE_COUNT ? rt_rule_name((rt_rule)(index + 1)) : NULL;
}
static const scn_shape shape_rule;

static bool rule_read(scn_reader *reader, const scn_node *node, void *out)
{
    rt_text name;
    if (!scn_kind_read(reader, &shape_rule, node, &name)) return false;
    rt_rule rule = rt_rule_find(name);
    CHECK(rule != RT_RULE_NONE);
    *(rt_rule *)out = rule;
    return true;
}

static const scn_shape shape_stored_rule = {.kind = SCN_SHAPE_RULE};
static const scn_shape shape_rule = {SCN_WORD("a rule", rule_word), .read = rule_read,
                                     .stored = &shape_stored_rule};

static const scn_row cover_rows[] = {
    {"rule", &shape_rule, SCN_REQUIRED, SCN_FIELD(scn_cover, rule), "The id of the rule."},
    {"at", &scn_shape_name, 0, SCN_FIELD(scn_cover, at),
     "The id of the step whose expectation fails if the rule is broken."},
    SCN_HIDDEN(&scn_shape_position, scn_cover, position),
};
static const scn_shape shape_cover_object = {SCN_OBJECT("a covered rule", cover_rows)};

static bool cover_read(scn_reader *reader, const scn_node *node, void *out)
{
    scn_cover *cover = out;
    cover->position = node->at;
    if (node->kind == SCN_NODE_SCALAR) return rule_read(reader, node, &cover->rule);
    return scn_object_read(reader, &shape_cover_object, node, cover);
}

static const scn_shape shape_cover = {
    .kind = SCN_SHAPE_OTHER,
    .noun = "a covered rule",
    .read = cover_read,
    .stored = &shape_cover_object,
    .alternatives = {&shape_rule, &shape_cover_object},
};
static const scn_shape shape_covers = {
    SCN_LIST("the list of covered rules", scn_cover, &shape_cover),
};

/* ---- The process -------------------------------------------------------------------------- */

static const scn_shape shape_preload = {
    SCN_LIST("a list of preloaded modules", uint32_t, &scn_shape_module_reference),
    .unique = true,
};
static const scn_shape shape_prefer_preloaded = {
    SCN_TRUTH("whether images of preloaded modules are preferred"),
};
static const scn_shape shape_persistent_cache = {
    SCN_TRUTH("whether programs are kept in a persistent cache")};
static const scn_shape shape_cache_cut = {SCN_INTEGER("a number of bytes", 1, UINT32_MAX)};
static const scn_shape shape_cache_mixed = {
    SCN_TRUTH("whether the programs in the cache are exchanged")};
static const scn_shape shape_twin = {SCN_TRUTH("whether two processes run at the same time")};
static const scn_shape shape_warning_level = {
    SCN_INTEGER("a warning level", 0, SCN_WARNING_LEVEL_MAX),
};
static const scn_row environment_rows[] = {
    {"SYCL_RT_WARNING_LEVEL", &shape_warning_level, 0, SCN_FIELD(scn_scenario, warning_level),
     "The runtime's warning level; at 1 and above, it reports fusions that end early."},
};
static const scn_shape shape_environment = {
    SCN_OBJECT("the environment", environment_rows),
    .key_noun = "variable",
};
static const scn_row process_rows[] = {
    {"preload", &shape_preload, 0, SCN_ITEMS(scn_scenario, preloaded, preloaded_count),
     "The modules of LD_PRELOAD, in order."},
    {"prefer_preloaded", &shape_prefer_preloaded, 0, SCN_FIELD(scn_scenario, prefer_preloaded),
     "Whether images of preloaded modules take precedence over other images that export the same "
     "symbol, a policy that the documents consider; default: no."},
    {"persistent_cache", &shape_persistent_cache, 0, SCN_FIELD(scn_scenario, persistent_cache),
     "Whether device programs are kept in a persistent cache, which is empty at first and "
     "survives restarts of the host program."},
    {"cache_cut", &shape_cache_cut, 0, SCN_FIELD(scn_scenario, cache_cut),
     "At every restart, each program in the persistent cache is cut to this many bytes, as if the "
     "disk had been full."},
    {"cache_mixed", &shape_cache_mixed, 0, SCN_FIELD(scn_scenario, cache_mixed),
     "Whether at every restart each entry of the persistent cache gets the program of another, as "
     "where old and new entries are mixed."},
    {"twin", &shape_twin, 0, SCN_FIELD(scn_scenario, twin),
     "Whether two processes run all steps at the same time, with one persistent cache if there is "
     "one; the expectations of both must be met."},
    {"environment", &shape_environment, 0, SCN_SAME, "Environment variables of the program."},
};
static const scn_relation process_relations[] = {
    {"cache_cut",
     SCN_NEEDS,
     {"persistent_cache"},
     "'cache_cut' damages the persistent cache; add 'persistent_cache: true'"},
    {"cache_mixed",
     SCN_NEEDS,
     {"persistent_cache"},
     "'cache_mixed' damages the persistent cache; add 'persistent_cache: true'"},
};
static const scn_shape shape_process = {
    SCN_OBJECT("a process", process_rows),
    SCN_RELATIONS(process_relations),
};

/* ---- The file ----------------------------------------------------------------------------- */

static bool version_read(scn_reader *reader, const scn_node *node, void *out)
{
    (void)out;
    if (scn_node_is_word(node, "1")) return true;
    return scn_report(reader->reporter, node->at,
                      "the format version is %s, but this assay reads version 1; write 'assay: 1'",
                      scn_node_describe(reader->arena, node));
}

static const scn_shape shape_version = {SCN_INTEGER("the format version", 1, 1),
                                        .read = version_read};
static const scn_shape shape_summary = {
    SCN_TEXT("a sentence or two about what the scenario shows"),
};

static const scn_row artefact_rows[] = {
    SCN_HIDDEN(&scn_shape_number, scn_artefact, request.low),
    SCN_HIDDEN(&scn_shape_number, scn_artefact, request.high),
    SCN_HIDDEN(&scn_shape_raw_bytes, scn_artefact, answer),
};
static const scn_shape shape_artefact = {SCN_STRUCT(artefact_rows)};
static const scn_shape shape_artefacts = {SCN_TABLE(scn_artefact, &shape_artefact)};

static const scn_row scenario_rows[] = {
    {"assay", &shape_version, SCN_REQUIRED | SCN_WRITTEN, SCN_NOWHERE,
     "The version of the format, 1."},
    {"summary", &shape_summary, SCN_REQUIRED, SCN_FIELD(scn_scenario, summary),
     "What the scenario shows, and how the expected values were derived."},
    {"covers", &shape_covers, 0, SCN_ITEMS(scn_scenario, covers, cover_count),
     "The rules of the documents that the scenario covers: RULE or {rule: RULE, at: STEP}."},
    {"modules", &scn_shape_modules, SCN_REQUIRED, SCN_ITEMS(scn_scenario, modules, module_count),
     "The executable, which comes first, and the shared libraries."},
    {"devices", &scn_shape_devices, 0, SCN_ITEMS(scn_scenario, devices, device_count),
     "The devices that the program sees, the first of which is chosen at the start; default: a "
     "single one, named device, with nothing hidden."},
    {"process", &shape_process, 0, SCN_SAME, "How the program is started."},
    {"memory", &scn_shape_memories, 0, SCN_ITEMS(scn_scenario, memories, memory_count),
     "The memory that kernels work on, by name."},
    {"steps", &scn_shape_steps, SCN_REQUIRED, SCN_ITEMS(scn_scenario, steps, step_count),
     "What the program does, in order."},
    SCN_HIDDEN(&scn_shape_text, scn_scenario, path),
    SCN_HIDDEN(&scn_shape_text, scn_scenario, file),
    SCN_HIDDEN(&scn_shape_flag, scn_scenario, packed),
    SCN_HIDDEN_ITEMS(&shape_artefacts, scn_scenario, artefacts, artefact_count),
};
/* The same condition as in check.c: either some step expects something, or a module is refused and
 * there are no steps. */
#define EXPECTING "{'type': 'object', 'required': ['expect']}"
static const char scenario_also[] =
    "{'if': {'properties': {'modules': {'additionalProperties': {'not': " EXPECTING "}}}},"
    " 'then': {'properties': {'steps': {'contains': {'anyOf': [" EXPECTING
    ", {'type': 'object', 'required': ['parallel'], 'properties': {'parallel': {'contains':"
    " {'contains': " EXPECTING "}}}}]}}}},"
    " 'else': {'properties': {'steps': {'maxItems': 0}}}}";
const scn_shape scn_shape_scenario = {
    SCN_OBJECT("a scenario", scenario_rows),
    .also = scenario_also,
};
