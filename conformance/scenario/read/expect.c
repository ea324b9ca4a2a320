/* Expectations: memory, counts, programs, events, findings, host symbols, output, and sets of
 * outcomes, one of which must hold. The subject compares them with what happened. */
#include "conformance/scenario/read/variable.h"
#include "conformance/scenario/read/verbs.h"

#include <string.h>

/* ---- Everything that an expect step may hold ------------------------------------------------ */

static const char *finding_word(uint32_t index)
{
    static const char *const findings[] = {
        "out-of-bounds",        "use-after-free",
        "null-pointer",         "misaligned",
        "undefined-arithmetic", "divergent-barrier",
        "unreachable",          "budget",
        "uninitialised",        "race",
        "wrong-call-target",    "same-value-race",
        "subgroup-misuse",      "stack-exhausted",
        "write-to-constant",    "undeclared-call",
        "copy-misuse",          "unwaited-copy",
        "access-mode",          "array-overrun",
        "command-race",         "mapped-buffer",
    };
    return index < sizeof findings / sizeof *findings ? findings[index] : NULL;
}
static const scn_shape shape_finding = {SCN_WORD("a finding", finding_word)};
static const scn_shape shape_findings = {
    SCN_LIST("a list of findings", rt_text, &shape_finding),
    .least = 1,
};
static const scn_shape shape_others = {SCN_TRUTH("whether other findings are permitted")};
static const scn_shape shape_event_count = {SCN_INTEGER("a number of events", 0, UINT32_MAX)};
static const scn_shape shape_warning_count = {SCN_INTEGER("a number of lines", 0, UINT32_MAX)};
static const scn_shape shape_byte_offset = {SCN_INTEGER("an offset in bytes", 0, INT64_MAX)};
static const scn_shape shape_image = {
    SCN_TEXT("an image, MODULE/NUMBER"),
    .pattern = SCN_IMAGE_PATTERN,
};
static const scn_shape shape_symbol = {SCN_TEXT("a symbol")};
static const scn_shape shape_unit_count = {
    SCN_INTEGER("a number of device images", 0, RT_IMAGE_COUNT_MAX),
};
static const scn_shape shape_images = {
    SCN_LIST("a list of images", rt_text, &shape_image),
    .least = 1,
};

/* Reads a name, which must be that of a memory. */
static bool memory_name_read(scn_reader *reader, const scn_node *node, void *out)
{
    uint32_t index;
    memcpy(out, &node->text, sizeof node->text);
    return scn_value_read(reader, &scn_shape_memory_reference, node, &index);
}

static const scn_shape shape_memory_name = {SCN_NAME("the name of a memory"),
                                            .read = memory_name_read, .stored = &scn_shape_text};

/* Reads a module, or `none` if nothing defines the symbol. */
static bool provider_read(scn_reader *reader, const scn_node *node, void *out)
{
    if (!scn_node_is_word(node, "none"))
        return scn_value_read(reader, &scn_shape_module_reference, node, out);
    *(uint32_t *)out = SCN_NONE;
    return true;
}

static const scn_shape shape_provider = {
    SCN_NAME("the name of a module, or none"),
    .read = provider_read,
    .stored = &scn_shape_module_reference,
};

static const scn_choice statuses[SCN_EVENT_STATUS_COUNT] = {
    [SCN_EVENT_SUBMITTED] = {"submitted", true},
    [SCN_EVENT_RUNNING] = {"running", false}, /* no device reports it */
    [SCN_EVENT_COMPLETE] = {"complete", true},
};
static const scn_shape shape_status = {SCN_CHOICE("a status", statuses)};

const char *scn_event_status_name(scn_event_status status)
{
    CHECK((unsigned)status < SCN_EVENT_STATUS_COUNT);
    return statuses[status].name;
}

static const scn_row mode_rows[] = {
    {"queue", &scn_shape_queue_reference, SCN_REQUIRED, SCN_FIELD(scn_expect, fusion_mode.queue),
     "The queue to query."},
    {"is", &scn_shape_flag, SCN_REQUIRED, SCN_FIELD(scn_expect, fusion_mode.is_active),
     "Whether the queue must be in fusion mode."},
};
static const scn_shape shape_fusion_mode = {SCN_OBJECT("a fusion mode", mode_rows)};

static const scn_shape shape_values = {
    .kind = SCN_SHAPE_OTHER,
    .noun = "values",
    .stored = &scn_shape_raw_bytes,
    .alternatives = {&scn_shape_values},
};
static const scn_shape shape_outcomes; /* expectations again */

/* The rows of each kind form a group; each kind that counts events has a single row. */
enum {
    EXPECT_NAME, /* of an outcome */
    EXPECT_LAUNCHES,
    EXPECT_BUILDS,
    EXPECT_LINKS,
    EXPECT_CACHE_HITS,
    EXPECT_KERNEL_CREATES,
    EXPECT_LOOKUPS,
    EXPECT_MEMORY, /* followed by the rows of equals and oracle */
    EXPECT_VARIABLE = EXPECT_MEMORY + 3,
    EXPECT_PROGRAM = EXPECT_VARIABLE + 4,
    EXPECT_BUNDLE = EXPECT_PROGRAM + 2,
    EXPECT_TRACE = EXPECT_BUNDLE + 5,
    EXPECT_NEVER,
    EXPECT_FINDING,
    EXPECT_HOST_SYMBOL = EXPECT_FINDING + 6,
    EXPECT_OUTPUT = EXPECT_HOST_SYMBOL + 3,
    EXPECT_WARNINGS,
    EXPECT_FUSION_MODE,
    EXPECT_EVENT,
    EXPECT_MAPPED = EXPECT_EVENT + 2,
    EXPECT_ERROR = EXPECT_MAPPED + 2,
    EXPECT_ONE_OF,
    EXPECT_ROW_COUNT
};

static const scn_row expect_rows[EXPECT_ROW_COUNT] = {
    [EXPECT_NAME] = {"name", &scn_shape_name, SCN_WRITTEN, SCN_NOWHERE,
                     "Links outcomes of different one_of lists: outcomes with the same name are "
                     "one choice, so the name that holds in the first list must hold in the "
                     "others."},

    [EXPECT_LAUNCHES] = {"launches", &shape_event_count, SCN_SUFFICES,
                         SCN_FIELD(scn_expect, count.count),
                         "The number of kernel launches since the last expectation of launches."},
    {"builds", &shape_event_count, SCN_SUFFICES, SCN_FIELD(scn_expect, count.count),
     "The number of programs built since the last expectation of builds."},
    {"links", &shape_event_count, SCN_SUFFICES, SCN_FIELD(scn_expect, count.count),
     "The number of programs linked since the last expectation of links."},
    {"cache_hits", &shape_event_count, SCN_SUFFICES, SCN_FIELD(scn_expect, count.count),
     "The number of hits in the program cache since the last expectation of cache_hits."},
    {"kernel_creates", &shape_event_count, SCN_SUFFICES, SCN_FIELD(scn_expect, count.count),
     "The number of kernel objects created since the last expectation of kernel_creates."},
    {"lookups", &shape_event_count, SCN_SUFFICES, SCN_FIELD(scn_expect, count.count),
     "The number of times that copies have looked up a device_global in the database since the "
     "last expectation of lookups."},

    [EXPECT_MEMORY] = {"memory", &scn_shape_memory_reference, SCN_SUFFICES,
                       SCN_FIELD(scn_expect, memory.index),
                       "The memory to read and compare, or the one that a finding is about."},
    {"equals", &shape_values, SCN_LATER, SCN_FIELD(scn_expect, memory.values),
     "The expected contents of the memory or device_global, all elements."},
    {"oracle", &scn_shape_oracle, SCN_WRITTEN | SCN_LATER, SCN_NOWHERE,
     "The expected contents of the memory after a kernel in which each work-item stored what the "
     "built-ins returned about its position.  They are computed from the kernel's own range, no "
     "matter how it was launched or what it was fused with.  Elements past the last work-item's "
     "keep their initial values."},

    [EXPECT_VARIABLE] = {"variable", &scn_shape_variable, SCN_SUFFICES,
                         SCN_FIELD(scn_expect, variable.variable),
                         "The device_global to read, by copying it to the host, and compare."},
    {"type", &scn_shape_element_type, 0, SCN_FIELD(scn_expect, variable.layout),
     "The type of the device_global's elements: a scalar or vector."},
    {"device", &scn_shape_device_reference, SCN_OR_CHOSEN, SCN_FIELD(scn_expect, variable.device),
     "The device on which the device_global is read; default: the device chosen last."},
    {"equals", &shape_values, SCN_LATER | SCN_REPEATED, SCN_FIELD(scn_expect, variable.values),
     NULL},

    [EXPECT_PROGRAM] = {"program_of", &scn_shape_kernel, SCN_SUFFICES,
                        SCN_FIELD(scn_expect, program.kernel),
                        "The kernel whose program's images are compared."},
    {"images", &shape_images, SCN_REPEATED,
     SCN_ITEMS(scn_expect, program.images, program.image_count), NULL},

    [EXPECT_BUNDLE] = {"bundle", &scn_shape_bundle_reference, SCN_SUFFICES,
                       SCN_FIELD(scn_expect, bundle.step),
                       "A kernel bundle; the keys next to it say what is compared."},
    {"has", &scn_shape_kernels, 0, SCN_ITEMS(scn_expect, bundle.has, bundle.has_count),
     "Kernels that must be in the bundle."},
    {"lacks", &scn_shape_kernels, 0, SCN_ITEMS(scn_expect, bundle.lacks, bundle.lacks_count),
     "Kernels that must not be in the bundle."},
    {"device_images", &shape_unit_count, 0,
     SCN_FIELD_IF(scn_expect, bundle.unit_count, bundle.has_unit_count),
     "The number of device images in the bundle; in state executable, there is one for each "
     "linked program."},
    {"images", &shape_images, 0, SCN_ITEMS(scn_expect, bundle.images, bundle.image_count),
     "The images (MODULE/NUMBER) that make up the program or bundle, in any order."},

    [EXPECT_TRACE] =
        {"trace", &scn_shape_trace, SCN_SUFFICES,
         SCN_ITEMS(scn_expect, trace.events, trace.event_count),
         "Events that must have happened in this order, possibly with others between them."},
    [EXPECT_NEVER] = {"never", &scn_shape_trace, SCN_SUFFICES,
                      SCN_ITEMS(scn_expect, trace.events, trace.event_count),
                      "Events none of which may have happened so far."},

    [EXPECT_FINDING] = {"finding", &shape_finding, SCN_SUFFICES,
                        SCN_FIELD(scn_expect, finding.kind),
                        "The kind of error that the device must have found."},
    {"or", &shape_findings, 0,
     SCN_ITEMS(scn_expect, finding.alternatives, finding.alternative_count),
     "Other kinds that will do instead of the expected one."},
    {"others", &shape_others, 0, SCN_FIELD(scn_expect, finding.others),
     "Whether the device may have found other errors too, for example as consequences."},
    {"kernel", &scn_shape_kernel, 0, SCN_FIELD(scn_expect, finding.kernel),
     "The kernel that a finding is about."},
    {"offset", &shape_byte_offset, 0, SCN_FIELD_IF(scn_expect, finding.offset, finding.has_offset),
     "The offset of the finding in the memory, in bytes."},
    {"memory", &shape_memory_name, SCN_REPEATED, SCN_FIELD(scn_expect, finding.memory), NULL},

    [EXPECT_HOST_SYMBOL] =
        {"host_symbol", &shape_symbol, SCN_SUFFICES, SCN_FIELD(scn_expect, host_symbol.symbol),
         "A host symbol; what is compared is the module whose definition it resolves to."},
    {"by", &scn_shape_module_reference, 0, SCN_FIELD(scn_expect, host_symbol.by),
     "The loaded module that refers to the host symbol; default: the executable."},
    {"from", &shape_provider, SCN_OR_NONE, SCN_FIELD(scn_expect, host_symbol.from),
     "The module to whose definition the host symbol must resolve, or none."},

    [EXPECT_OUTPUT] = {"output", &scn_shape_text, SCN_SUFFICES, SCN_FIELD(scn_expect, output),
                       "Exactly what the kernels of completed commands have printed since the "
                       "last expectation of output; put a wait before it."},
    [EXPECT_WARNINGS] = {"warnings", &shape_warning_count, SCN_SUFFICES,
                         SCN_FIELD(scn_expect, warnings),
                         "The number of lines that the process has printed to its standard error "
                         "since the last expectation of warnings."},
    [EXPECT_FUSION_MODE] =
        {"fusion_mode", &shape_fusion_mode, SCN_SUFFICES, SCN_SAME,
         "Whether a queue is in fusion mode; the query does not affect the mode."},
    [EXPECT_EVENT] =
        {"event", &scn_shape_command_reference, SCN_SUFFICES, SCN_FIELD(scn_expect, event.step),
         "A step whose event is queried for its status; the query neither waits nor ends a "
         "fusion."},
    {"status", &shape_status, 0, SCN_FIELD(scn_expect, event.status),
     "submitted: the command has not begun, for example because a fusion holds it back; complete: "
     "it has ended.  No step can observe running, since no device reports that a command has "
     "begun, and the simulated device runs each command to its end immediately."},

    [EXPECT_MAPPED] = {"mapped", &scn_shape_map_reference, SCN_SUFFICES,
                       SCN_FIELD(scn_expect, mapped.map),
                       "A map: what the host reads through its pointer is compared; put a wait for "
                       "the map before it."},
    {"equals", &shape_values, SCN_LATER | SCN_REPEATED, SCN_FIELD(scn_expect, mapped.values), NULL},

    [EXPECT_ERROR] = {"error", &scn_shape_error_value, SCN_SUFFICES | SCN_WRITTEN | SCN_LATER,
                      SCN_NOWHERE,
                      "The error with which the step that this expectation belongs to is refused."},
    [EXPECT_ONE_OF] = {"one_of", &shape_outcomes, SCN_SUFFICES,
                       SCN_ITEMS(scn_expect, one_of.outcomes, one_of.outcome_count),
                       "Several outcomes, all of them conforming; one of them must hold."},
};
/* A key that qualifies another requires it; a memory or bundle requires a key about its contents;
 * `equals` is for one memory or one variable. */
static const scn_relation expect_relations[] = {
    {"has", SCN_NEEDS, {"bundle"}, NULL},
    {"variable", SCN_NEEDS, {"equals"}, NULL},
    {"variable", SCN_NEEDS, {"type"}, NULL},
    {"type", SCN_NEEDS, {"variable"}, NULL},
    {"device", SCN_NEEDS, {"variable"}, NULL},
    {"lacks", SCN_NEEDS, {"bundle"}, NULL},
    {"device_images", SCN_NEEDS, {"bundle"}, NULL},
    {"program_of", SCN_NEEDS, {"images"}, NULL},
    {"kernel", SCN_NEEDS, {"finding"}, NULL},
    {"offset", SCN_NEEDS, {"finding"}, NULL},
    {"or", SCN_NEEDS, {"finding"}, NULL},
    {"others", SCN_NEEDS, {"finding"}, NULL},
    {"by", SCN_NEEDS, {"host_symbol"}, NULL},
    {"from", SCN_NEEDS, {"host_symbol"}, NULL},
    {"host_symbol", SCN_NEEDS, {"from"}, NULL},
    {"oracle", SCN_NEEDS, {"memory"}, NULL},
    {"event", SCN_NEEDS, {"status"}, NULL},
    {"status", SCN_NEEDS, {"event"}, NULL},
    {"oracle", SCN_BARS, {"equals"}, "'oracle' cannot be combined with 'equals'; keep one of them"},
    {"variable",
     SCN_BARS,
     {"memory"},
     "'variable' cannot be combined with 'memory'; write two steps"},
    {"mapped", SCN_NEEDS, {"equals"}, NULL},
    {"mapped", SCN_BARS, {"memory"}, "'mapped' cannot be combined with 'memory'; write two steps"},
    {"mapped",
     SCN_BARS,
     {"variable"},
     "'mapped' cannot be combined with 'variable'; write two steps"},
    {"equals",
     SCN_NEEDS,
     {"memory", "variable", "mapped"},
     "'equals' requires 'memory', 'variable' or 'mapped'"},
    {"bundle",
     SCN_BARS,
     {"program_of"},
     "'bundle' cannot be combined with 'program_of'; write two steps"},
    {"images", SCN_NEEDS, {"program_of", "bundle"}, "'images' requires 'program_of' or 'bundle'"},
    {"bundle",
     SCN_NEEDS,
     {"has", "lacks", "device_images", "images"},
     "'bundle' requires 'has', 'lacks', 'device_images' or 'images'"},
    {"memory",
     SCN_NEEDS,
     {"equals", "oracle", "finding"},
     "'memory' requires 'equals' or 'oracle'"},
};

/* The same condition as in mapping_read. */
#define FINDING_AND_CONTENT                                                                        \
    "'not': {'required': ['memory', 'finding'], 'anyOf': [{'required': ['equals']}, {'required': " \
    "['oracle']}]}"

const scn_shape scn_shape_expect = {
    .kind = SCN_SHAPE_OBJECT,
    .noun = "an expectation",
    .rows = &expect_rows[EXPECT_NAME + 1],
    .row_count = EXPECT_ROW_COUNT - (EXPECT_NAME + 1),
    .key_noun = "expectation",
    .typing = SCN_TYPED_VARIABLE,
    .also = "{" FINDING_AND_CONTENT "}",
    SCN_RELATIONS(expect_relations),
};

/* ---- From the mapping to expectations ------------------------------------------------------ */

static bool memory_finish(scn_reader *reader, const scn_node *node, void *object)
{
    scn_expect *expect = object;
    const scn_memory *memory = scn_memory_of(reader, expect->memory.index);
    const scn_node *oracle = scn_node_value(node, "oracle");
    uint64_t count;
    if (!memory) return false;
    if (oracle) return scn_oracle_read(reader, oracle, memory, &expect->memory.values);
    return scn_values_read(reader, scn_node_value(node, "equals"), &memory->layout, memory->count,
                           &expect->memory.values, &count);
}

static bool variable_finish(scn_reader *reader, const scn_node *node, void *object)
{
    scn_expect *expect = object;
    uint64_t count;
    return scn_values_read(reader, scn_node_value(node, "equals"), &expect->variable.layout, 0,
                           &expect->variable.values, &count);
}

static bool mapped_finish(scn_reader *reader, const scn_node *node, void *object)
{
    scn_expect *expect = object;
    const scn_memory *memory = scn_mapped_memory(reader, expect->mapped.map);
    if (!memory) return true; /* check.c refuses it */
    const uint64_t count = reader->step_table[expect->mapped.map].map.size / memory->layout.size;
    uint64_t read;
    return scn_values_read(reader, scn_node_value(node, "equals"), &memory->layout, count,
                           &expect->mapped.values, &read);
}

/* The rows of one kind; the key of the first row selects the kind. */
#define GROUP(first, end)                                                                          \
    .kind = SCN_SHAPE_OBJECT, .noun = "an expectation", .rows = &expect_rows[first],               \
    .row_count = (end) - (first)

static const struct expect_group {
    scn_expect_kind kind;
    scn_shape shape;
    const char *event; /* COUNT: the event to count */
} groups[] = {
    {SCN_EXPECT_COUNT, {GROUP(EXPECT_LAUNCHES, EXPECT_BUILDS)}, "launch"},
    {SCN_EXPECT_COUNT, {GROUP(EXPECT_BUILDS, EXPECT_LINKS)}, "build"},
    {SCN_EXPECT_COUNT, {GROUP(EXPECT_LINKS, EXPECT_CACHE_HITS)}, "link"},
    {SCN_EXPECT_COUNT, {GROUP(EXPECT_CACHE_HITS, EXPECT_KERNEL_CREATES)}, "cache_hit"},
    {SCN_EXPECT_COUNT, {GROUP(EXPECT_KERNEL_CREATES, EXPECT_LOOKUPS)}, "kernel_create"},
    {SCN_EXPECT_COUNT, {GROUP(EXPECT_LOOKUPS, EXPECT_MEMORY)}, "device_global_find"},
    {SCN_EXPECT_MEMORY, {GROUP(EXPECT_MEMORY, EXPECT_VARIABLE), .finish = memory_finish}, NULL},
    {SCN_EXPECT_VARIABLE,
     {GROUP(EXPECT_VARIABLE, EXPECT_PROGRAM), .finish = variable_finish},
     NULL},
    {SCN_EXPECT_PROGRAM_OF, {GROUP(EXPECT_PROGRAM, EXPECT_BUNDLE)}, NULL},
    {SCN_EXPECT_BUNDLE, {GROUP(EXPECT_BUNDLE, EXPECT_TRACE)}, NULL},
    {SCN_EXPECT_TRACE, {GROUP(EXPECT_TRACE, EXPECT_NEVER)}, NULL},
    {SCN_EXPECT_NEVER, {GROUP(EXPECT_NEVER, EXPECT_FINDING)}, NULL},
    {SCN_EXPECT_HOST_SYMBOL, {GROUP(EXPECT_HOST_SYMBOL, EXPECT_OUTPUT)}, NULL},
    {SCN_EXPECT_OUTPUT, {GROUP(EXPECT_OUTPUT, EXPECT_WARNINGS)}, NULL},
    {SCN_EXPECT_WARNINGS, {GROUP(EXPECT_WARNINGS, EXPECT_FUSION_MODE)}, NULL},
    {SCN_EXPECT_ONE_OF, {GROUP(EXPECT_ONE_OF, EXPECT_ROW_COUNT)}, NULL},
    {SCN_EXPECT_FINDING, {GROUP(EXPECT_FINDING, EXPECT_HOST_SYMBOL)}, NULL},
    {SCN_EXPECT_FUSION_MODE, {GROUP(EXPECT_FUSION_MODE, EXPECT_EVENT)}, NULL},
    {SCN_EXPECT_EVENT, {GROUP(EXPECT_EVENT, EXPECT_MAPPED)}, NULL},
    {SCN_EXPECT_MAPPED, {GROUP(EXPECT_MAPPED, EXPECT_ERROR), .finish = mapped_finish}, NULL},
};
enum { GROUP_COUNT = sizeof groups / sizeof *groups };

/* True if the mapping has an expectation of the group's kind. Next to `finding`, `memory` is the
 * memory that the finding is about, not an expectation. */
static bool is_present(const scn_node *node, const struct expect_group *group)
{
    return scn_node_entry(node, group->shape.rows[0].key) &&
           !(group->kind == SCN_EXPECT_MEMORY && scn_node_entry(node, "finding"));
}

/* Reads a checked mapping into one expectation for each kind that it contains, in the order of the
 * groups. */
static bool mapping_read(scn_reader *reader, const scn_node *node, const scn_expect **out_expects,
                         uint32_t *out_count)
{
    const scn_entry *memory = scn_node_entry(node, "memory");
    bool content = scn_node_entry(node, "equals") || scn_node_entry(node, "oracle");
    if (memory && content && scn_node_entry(node, "finding")) {
        return scn_report(
            reader->reporter, memory->at,
            "'memory' with its contents cannot be combined with 'finding'; write two steps");
    }
    bool valid = true;
    uint32_t count = 0;
    scn_expect *expects = rt_arena_alloc_array(reader->arena, GROUP_COUNT, sizeof *expects);
    for (uint32_t i = 0; i < GROUP_COUNT; i++) {
        const struct expect_group *group = &groups[i];
        if (!is_present(node, group)) continue;
        scn_expect *expect = &expects[count++];
        expect->kind = group->kind;
        expect->at = node->at;
        if (group->event) expect->count.event = rt_text_of(group->event);
        valid = scn_rows_read(reader, &group->shape, node, expect) && valid;
    }
    *out_expects = expects;
    *out_count = count;
    return valid;
}

/* Refuses an error, which may be expected only in a step with a verb. */
static bool error_refuse(scn_reader *reader, const scn_node *node)
{
    const scn_entry *error = scn_node_entry(node, "error");
    if (!error) return true;
    return scn_report(
        reader->reporter, error->at,
        "an error must be expected in the step that is refused: write 'expect: {error: ...}' under "
        "its verb");
}

static bool nothing_refuse(scn_reader *reader, const scn_node *node, uint32_t count)
{
    if (count > 0) return true;
    return scn_report(reader->reporter, node->at,
                      "the expectation is empty and so can never fail; say what is expected");
}

bool scn_expect_read(scn_reader *reader, const scn_node *node, scn_step *out_step)
{
    return scn_object_check(reader, &scn_shape_expect, node) &&
           nothing_refuse(reader, node, node->count) && error_refuse(reader, node) &&
           mapping_read(reader, node, &out_step->expect, &out_step->expect_count);
}

/* ---- Several outcomes --------------------------------------------------------------------- */

/* All keys, including those that an outcome may not have: they are refused with a reason. */
static const scn_shape shape_outcome_keys = {
    .kind = SCN_SHAPE_OBJECT,
    .noun = "an outcome",
    .key_noun = "expectation",
    .typing = SCN_TYPED_VARIABLE,
    SCN_RELATIONS(expect_relations),
    SCN_ROWS(expect_rows),
};

/* Reads an outcome without its error. */
static bool outcome_keys_read(scn_reader *reader, const scn_node *node, scn_outcome *out)
{
    out->at = node->at;
    if (!scn_object_check(reader, &shape_outcome_keys, node)) return false;
    const scn_node *name = scn_node_value(node, "name");
    if (name && !scn_value_read(reader, &scn_shape_name, name, &out->name)) return false;
    return mapping_read(reader, node, &out->expects, &out->expect_count);
}

static bool outcome_read(scn_reader *reader, const scn_node *node, void *out)
{
    scn_outcome *outcome = out;
    return outcome_keys_read(reader, node, outcome) && error_refuse(reader, node) &&
           nothing_refuse(reader, node, outcome->expect_count);
}

bool scn_verb_outcome_read(scn_reader *reader, const scn_node *node, scn_outcome *out_outcome)
{
    scn_error *error = rt_arena_alloc(reader->arena, sizeof *error);
    if (!outcome_keys_read(reader, node, out_outcome)) return false;
    out_outcome->error = error;
    const scn_node *value = scn_node_value(node, "error");
    if (value) return scn_value_read(reader, &scn_shape_error_value, value, error);
    return scn_report(reader->reporter, node->at,
                      "in a step with a verb, an outcome needs 'error': the refusal, or none");
}

static const scn_shape shape_error_pointer = {
    .kind = SCN_SHAPE_POINTER,
    .element = &scn_shape_error,
    .element_size = sizeof(scn_error),
};
static const scn_row outcome_rows[] = {
    SCN_HIDDEN(&scn_shape_position, scn_outcome, at),
    SCN_HIDDEN(&scn_shape_text, scn_outcome, name),
    SCN_HIDDEN_ITEMS(&scn_shape_expects, scn_outcome, expects, expect_count),
    SCN_HIDDEN(&shape_error_pointer, scn_outcome, error),
};
static const scn_shape shape_stored_outcome = {SCN_STRUCT(outcome_rows)};
const scn_shape scn_shape_outcomes = {SCN_TABLE(scn_outcome, &shape_stored_outcome)};

/* What an outcome may hold: expectations other than further outcomes, and, in a step with a verb,
 * an error.
 */
static const scn_shape shape_outcome = {
    .kind = SCN_SHAPE_OBJECT,
    .noun = "an outcome",
    .key_noun = "expectation",
    .typing = SCN_TYPED_VARIABLE,
    .also = "{" FINDING_AND_CONTENT ", 'properties': {'finding': false}}",
    SCN_RELATIONS(expect_relations),
    .rows = expect_rows,
    .row_count = EXPECT_ERROR,
};
static const scn_shape shape_verb_outcome = {
    .kind = SCN_SHAPE_OBJECT,
    .noun = "an outcome",
    .key_noun = "expectation",
    .typing = SCN_TYPED_VARIABLE,
    .also = "{" FINDING_AND_CONTENT ", 'properties': {'finding': false}, 'required': ['error']}",
    SCN_RELATIONS(expect_relations),
    .rows = expect_rows,
    .row_count = EXPECT_ONE_OF,
};
static const scn_shape shape_any_outcome = {
    .kind = SCN_SHAPE_OTHER,
    .noun = "an outcome",
    .read = outcome_read,
    .stored = &shape_stored_outcome,
    .alternatives = {&shape_outcome, &shape_verb_outcome},
};
static const scn_shape shape_outcomes = {
    SCN_LIST("a list of outcomes", scn_outcome, &shape_any_outcome),
    .least = 2,
    .most = SCN_OUTCOME_COUNT_MAX,
};

/* ---- Expectations in the model -------------------------------------------------------------- */

static const scn_row count_rows[] = {
    SCN_HIDDEN(&scn_shape_event_name, scn_expect, count.event),
    SCN_HIDDEN(&scn_shape_number, scn_expect, count.count),
};
static const scn_shape member_count = {SCN_STRUCT(count_rows)};

#define MEMBER(name, first, end)                                                                   \
    static const scn_shape member_##name = {GROUP(first, end)};                                    \
    static const scn_row row_##name = {NULL, &member_##name, 0, SCN_SAME, NULL}
static const scn_row row_count = {NULL, &member_count, 0, SCN_SAME, NULL};
MEMBER(memory, EXPECT_MEMORY, EXPECT_VARIABLE);
MEMBER(variable, EXPECT_VARIABLE, EXPECT_PROGRAM);
MEMBER(program, EXPECT_PROGRAM, EXPECT_BUNDLE);
MEMBER(bundle, EXPECT_BUNDLE, EXPECT_TRACE);
MEMBER(finding, EXPECT_FINDING, EXPECT_HOST_SYMBOL);
MEMBER(host_symbol, EXPECT_HOST_SYMBOL, EXPECT_OUTPUT);
MEMBER(event, EXPECT_EVENT, EXPECT_MAPPED);
MEMBER(mapped, EXPECT_MAPPED, EXPECT_ERROR);
static const scn_row *const variants[SCN_EXPECT_KIND_COUNT] = {
    [SCN_EXPECT_MEMORY] = &row_memory,
    [SCN_EXPECT_COUNT] = &row_count,
    [SCN_EXPECT_PROGRAM_OF] = &row_program,
    [SCN_EXPECT_TRACE] = &expect_rows[EXPECT_TRACE],
    [SCN_EXPECT_NEVER] = &expect_rows[EXPECT_NEVER],
    [SCN_EXPECT_FINDING] = &row_finding,
    [SCN_EXPECT_HOST_SYMBOL] = &row_host_symbol,
    [SCN_EXPECT_ONE_OF] = &expect_rows[EXPECT_ONE_OF],
    [SCN_EXPECT_OUTPUT] = &expect_rows[EXPECT_OUTPUT],
    [SCN_EXPECT_WARNINGS] = &expect_rows[EXPECT_WARNINGS],
    [SCN_EXPECT_BUNDLE] = &row_bundle,
    [SCN_EXPECT_VARIABLE] = &row_variable,
    [SCN_EXPECT_FUSION_MODE] = &expect_rows[EXPECT_FUSION_MODE],
    [SCN_EXPECT_EVENT] = &row_event,
    [SCN_EXPECT_MAPPED] = &row_mapped,
};
static const scn_row stored_rows[] = {SCN_HIDDEN(&scn_shape_position, scn_expect, at)};
static const scn_shape shape_stored_expect = {
    SCN_STRUCT(stored_rows),
    .tag = SCN_FIELD(scn_expect, kind),
    .variants = variants,
    .variant_count = SCN_EXPECT_KIND_COUNT,
};
const scn_shape scn_shape_expects = {SCN_TABLE(scn_expect, &shape_stored_expect)};
