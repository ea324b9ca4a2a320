/* Expectations: memory, counts, programs, events, findings, host symbols, output, and several
 * outcomes of which one must hold.  Comparing them with what happened is the subject's work. */
#include "conformance/scenario/read/variable.h"
#include "conformance/scenario/yaml/number.h"

#include <string.h>

/* ---- Everything that an expect step may hold ------------------------------------------------ */

static const scn_choice findings[] = {
    {"out-of-bounds", true},        {"use-after-free", true},
    {"null-pointer", true},         {"misaligned", true},
    {"undefined-arithmetic", true}, {"divergent-barrier", true},
    {"unreachable", true},          {"budget", true},
    {"uninitialised", true},        {"race", true},
    {"wrong-call-target", true},    {"same-value-race", true},
    {"subgroup-misuse", true},      {"stack-exhausted", true},
    {"write-to-constant", true},    {"undeclared-call", true},
};
static const scn_shape shape_finding = {
    .kind = SCN_SHAPE_CHOICE,
    .noun = "a finding",
    SCN_CHOICES(findings),
};
static const scn_shape shape_event_count = {
    .kind = SCN_SHAPE_INTEGER,
    .noun = "a number of events",
    .most = UINT32_MAX,
};
static const scn_shape shape_byte_offset = {
    .kind = SCN_SHAPE_INTEGER,
    .noun = "an offset in bytes",
    .most = INT64_MAX,
};
static const scn_shape shape_image = {
    .kind = SCN_SHAPE_TEXT,
    .noun = "an image, MODULE/NUMBER",
    .pattern = SCN_IMAGE_PATTERN,
};
static const scn_shape shape_symbol = {.kind = SCN_SHAPE_TEXT, .noun = "a symbol"};
static const scn_shape shape_unit_count = {
    .kind = SCN_SHAPE_INTEGER,
    .noun = "a number of device images",
    .most = RT_IMAGE_COUNT_MAX,
};
static const scn_shape shape_images = {
    .kind = SCN_SHAPE_LIST,
    .noun = "a list of images",
    .element = &shape_image,
    .element_size = sizeof(rt_text),
    .least = 1,
};

/* The rows' fields; the kinds that count events come first, in the order of counted_events. */
enum { EXPECT_COUNTS = 5 };
static const char *const counted_events[EXPECT_COUNTS] = {"launch", "build", "link", "cache_hit",
                                                          "kernel_create"};

typedef struct expect_draft {
    uint64_t counts[EXPECT_COUNTS];
    uint32_t memory, finding;
    const scn_node *equals, *oracle;
    rt_text program_of, kernel;
    const rt_text *images;
    const scn_trace_event *events, *never;
    const scn_node *error, *one_of;
    rt_text symbol, output;
    uint32_t by, from; /* modules */
    uint32_t image_count, event_count, never_count;
    uint64_t offset, unit_count;
    uint32_t bundle;
    const rt_text *has, *lacks;
    uint32_t has_count, lacks_count;
    scn_variable variable;
    scn_layout type;
    uint32_t device;
    scn_fusion_mode fusion_mode;
    uint32_t event;  /* a step */
    uint32_t status; /* scn_event_status */
} expect_draft;

enum {
    EXPECT_MEMORY = EXPECT_COUNTS,
    EXPECT_EQUALS,
    EXPECT_ORACLE,
    EXPECT_VARIABLE,
    EXPECT_TYPE,
    EXPECT_DEVICE,
    EXPECT_PROGRAM_OF,
    EXPECT_BUNDLE,
    EXPECT_HAS,
    EXPECT_LACKS,
    EXPECT_UNITS,
    EXPECT_IMAGES,
    EXPECT_TRACE,
    EXPECT_NEVER,
    EXPECT_FINDING,
    EXPECT_KERNEL,
    EXPECT_OFFSET,
    EXPECT_HOST_SYMBOL,
    EXPECT_BY,
    EXPECT_FROM,
    EXPECT_OUTPUT,
    EXPECT_FUSION_MODE,
    EXPECT_EVENT,
    EXPECT_STATUS,
    EXPECT_ONE_OF,
    EXPECT_ERROR,
    EXPECT_ROW_COUNT
};

/* A module, or `none` where nothing defines the symbol. */
static bool provider_read(scn_reader *reader, const scn_node *node, void *out)
{
    if (!scn_node_is_word(node, "none")) return scn_module_reference_read(reader, node, out);
    *(uint32_t *)out = SCN_NONE;
    return true;
}

static const scn_shape shape_provider = {
    .kind = SCN_SHAPE_OTHER,
    .noun = "the name of a module, or none",
    .read = provider_read,
    .alternatives = {&scn_shape_name},
};

/* Text that may be empty, in quotes then: nothing was printed. */
static bool output_read(scn_reader *reader, const scn_node *node, void *out)
{
    if (node->kind != SCN_NODE_SCALAR || scn_node_is_nothing(node)) {
        return scn_report(reader->reporter, node->at, "expected a text, found %s",
                          scn_node_describe(reader->arena, node));
    }
    memcpy(out, &node->text, sizeof node->text);
    return true;
}

static const scn_shape shape_text = {.kind = SCN_SHAPE_TEXT, .noun = "a text", .empty = true};
static const scn_shape shape_output = {
    .kind = SCN_SHAPE_OTHER,
    .noun = "a text",
    .read = output_read,
    .alternatives = {&shape_text},
};

static const scn_shape shape_outcomes; /* expectations again */

static const scn_row expect_rows[EXPECT_ROW_COUNT] = {
    {"launches", &shape_event_count, SCN_SUFFICES, SCN_FIELD(expect_draft, counts[0]),
     "How often kernels were launched since the last expectation of launches."},
    {"builds", &shape_event_count, SCN_SUFFICES, SCN_FIELD(expect_draft, counts[1]),
     "How many programs were built since the last expectation of builds."},
    {"links", &shape_event_count, SCN_SUFFICES, SCN_FIELD(expect_draft, counts[2]),
     "How often programs were linked since the last expectation of links."},
    {"cache_hits", &shape_event_count, SCN_SUFFICES, SCN_FIELD(expect_draft, counts[3]),
     "How often the program cache had what was needed since the last expectation of cache_hits."},
    {"kernel_creates", &shape_event_count, SCN_SUFFICES, SCN_FIELD(expect_draft, counts[4]),
     "How many kernel objects were made since the last expectation of kernel_creates."},
    [EXPECT_MEMORY] = {"memory", &scn_shape_memory_reference, SCN_SUFFICES,
                       SCN_FIELD(expect_draft, memory),
                       "The memory that is read and compared, or that a finding is about."},
    [EXPECT_EQUALS] = {"equals", &scn_shape_values, 0, SCN_FIELD(expect_draft, equals),
                       "What the memory or device_global holds, every element, exactly."},
    [EXPECT_ORACLE] =
        {"oracle", &scn_shape_oracle, 0, SCN_FIELD(expect_draft, oracle),
         "What the memory holds after a kernel in which each work-item stored what it "
         "was told of its place: computed from the kernel's own range, whatever it "
         "was launched or fused with.  Elements behind the last work-item's hold "
         "what they began with."},
    [EXPECT_VARIABLE] = {"variable", &scn_shape_variable, SCN_SUFFICES,
                         SCN_FIELD(expect_draft, variable),
                         "The device_global that is read, as a copy from it to the host, and "
                         "compared."},
    [EXPECT_TYPE] = {"type", &scn_shape_element_type, 0, SCN_FIELD(expect_draft, type),
                     "What the device_global is made of: a scalar or vector."},
    [EXPECT_DEVICE] = {"device", &scn_shape_device_reference, 0, SCN_FIELD(expect_draft, device),
                       "The device whose device_global it is; the one chosen last where not "
                       "given."},
    [EXPECT_PROGRAM_OF] = {"program_of", &scn_shape_kernel, SCN_SUFFICES,
                           SCN_FIELD(expect_draft, program_of),
                           "A kernel whose program's images are compared."},
    [EXPECT_BUNDLE] = {"bundle", &scn_shape_bundle_reference, SCN_SUFFICES,
                       SCN_FIELD(expect_draft, bundle),
                       "A kernel bundle, of which what stands beside it is compared."},
    [EXPECT_HAS] = {"has", &scn_shape_kernels, 0, SCN_ITEMS(expect_draft, has, has_count),
                    "Kernels that are in the bundle."},
    [EXPECT_LACKS] = {"lacks", &scn_shape_kernels, 0, SCN_ITEMS(expect_draft, lacks, lacks_count),
                      "Kernels that are not in the bundle."},
    [EXPECT_UNITS] = {"device_images", &shape_unit_count, 0, SCN_FIELD(expect_draft, unit_count),
                      "How many device images the bundle has: in state executable one for each "
                      "program that was linked."},
    [EXPECT_IMAGES] = {"images", &shape_images, 0, SCN_ITEMS(expect_draft, images, image_count),
                       "The images MODULE/NUMBER that the program or bundle is made of, in any "
                       "order."},
    [EXPECT_TRACE] = {"trace", &scn_shape_trace, SCN_SUFFICES,
                      SCN_ITEMS(expect_draft, events, event_count),
                      "Events that happened in this order, others between them."},
    [EXPECT_NEVER] = {"never", &scn_shape_trace, SCN_SUFFICES,
                      SCN_ITEMS(expect_draft, never, never_count),
                      "Events of which none has happened so far."},
    [EXPECT_FINDING] = {"finding", &shape_finding, SCN_SUFFICES, SCN_FIELD(expect_draft, finding),
                        "What the device found wrong."},
    [EXPECT_KERNEL] = {"kernel", &scn_shape_kernel, 0, SCN_FIELD(expect_draft, kernel),
                       "The kernel that a finding is about."},
    [EXPECT_OFFSET] = {"offset", &shape_byte_offset, 0, SCN_FIELD(expect_draft, offset),
                       "Where in the memory the finding is, in bytes."},
    [EXPECT_HOST_SYMBOL] = {"host_symbol", &shape_symbol, SCN_SUFFICES,
                            SCN_FIELD(expect_draft, symbol),
                            "A host symbol; which module's definition is meant is compared."},
    [EXPECT_BY] = {"by", &scn_shape_module_reference, 0, SCN_FIELD(expect_draft, by),
                   "The loaded module that refers to the host symbol; the executable where not "
                   "given."},
    [EXPECT_FROM] = {"from", &shape_provider, 0, SCN_FIELD(expect_draft, from),
                     "The module that defines the host symbol, or none."},
    [EXPECT_OUTPUT] = {"output", &shape_output, SCN_SUFFICES, SCN_FIELD(expect_draft, output),
                       "What kernels of commands that are done printed since the last expectation "
                       "of output, exactly; write a wait before it."},
    [EXPECT_FUSION_MODE] = {"fusion_mode", &scn_shape_fusion_mode, SCN_SUFFICES,
                            SCN_FIELD(expect_draft, fusion_mode),
                            "Whether a queue is in fusion mode; asking has no effect on it."},
    [EXPECT_EVENT] =
        {"event", &scn_shape_command_reference, SCN_SUFFICES, SCN_FIELD(expect_draft, event),
         "A step whose event is asked for its status, which waits for nothing and ends "
         "no fusion."},
    [EXPECT_STATUS] = {"status", &scn_shape_event_status, 0, SCN_FIELD(expect_draft, status),
                       "submitted: the command has not begun, as while a fusion holds it back; "
                       "complete: it has ended; running no step can see, since no device says when "
                       "a command has begun and the simulated one runs it to its end at once."},
    [EXPECT_ONE_OF] = {"one_of", &shape_outcomes, SCN_SUFFICES, SCN_FIELD(expect_draft, one_of),
                       "Several outcomes that all conform; one of them must hold."},
    [EXPECT_ERROR] = {"error", &scn_shape_error, SCN_SUFFICES, SCN_FIELD(expect_draft, error),
                      "The refusal of the step beside which this stands."},
};
/* A key that says more about another one must stand beside it; of a memory or bundle something must
 * be said; what is equal to something is one memory or one variable. */
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
    {"by", SCN_NEEDS, {"host_symbol"}, NULL},
    {"from", SCN_NEEDS, {"host_symbol"}, NULL},
    {"host_symbol", SCN_NEEDS, {"from"}, NULL},
    {"oracle", SCN_NEEDS, {"memory"}, NULL},
    {"event", SCN_NEEDS, {"status"}, NULL},
    {"status", SCN_NEEDS, {"event"}, NULL},
    {"oracle",
     SCN_BARS,
     {"equals"},
     "'oracle' cannot stand beside 'equals'; one of them says what is expected"},
    {"variable", SCN_BARS, {"memory"}, "'variable' cannot stand beside 'memory'; write two steps"},
    {"equals",
     SCN_NEEDS,
     {"memory", "variable"},
     "'equals' needs 'memory' or 'variable' beside it"},
    {"bundle",
     SCN_BARS,
     {"program_of"},
     "'bundle' cannot stand beside 'program_of'; write two steps"},
    {"images",
     SCN_NEEDS,
     {"program_of", "bundle"},
     "'images' needs 'program_of' or 'bundle' beside it"},
    {"bundle",
     SCN_NEEDS,
     {"has", "lacks", "device_images", "images"},
     "'bundle' needs 'has', 'lacks', 'device_images' or 'images' beside it: what does it hold?"},
    {"memory",
     SCN_NEEDS,
     {"equals", "oracle", "finding"},
     "'memory' needs 'equals' or 'oracle' beside it: what does it hold?"},
};

/* What memory_check says. */
#define FINDING_AND_CONTENT                                                                        \
    "'not': {'required': ['memory', 'finding'], 'anyOf': [{'required': ['equals']}, {'required': " \
    "['oracle']}]}"

const scn_shape scn_shape_expect = {
    .kind = SCN_SHAPE_OBJECT,
    .noun = "an expectation",
    .key_noun = "expectation",
    .typing = SCN_TYPED_VARIABLE,
    .also = "{" FINDING_AND_CONTENT "}",
    SCN_RELATIONS(expect_relations),
    SCN_ROWS(expect_rows),
};

static bool is_given(uint64_t given, uint32_t row)
{
    return (given >> row & 1) != 0;
}

/* A memory's content and a finding about it are two expectations. */
static bool memory_check(scn_reader *reader, const scn_node *node, uint64_t given)
{
    bool content = is_given(given, EXPECT_EQUALS) || is_given(given, EXPECT_ORACLE);
    bool both = content && is_given(given, EXPECT_FINDING);
    if (!both || !is_given(given, EXPECT_MEMORY)) return true;
    return scn_report(
        reader->reporter, scn_node_entry(node, "memory")->at,
        "'memory' cannot stand beside both its content and 'finding'; write two steps");
}

/* An image is named after its module, which must exist; how many images it has is known later. */
static bool images_check(scn_reader *reader, const scn_node *node, const expect_draft *draft)
{
    bool fine = true;
    const scn_node *items = &scn_node_entry(node, "images")->value;
    CHECK(items->count == draft->image_count);
    for (uint32_t i = 0; i < draft->image_count; i++) {
        uint32_t module, image;
        fine = scn_image_name_read(reader, items->items[i].at, draft->images[i], &module, &image) &&
               fine;
    }
    return fine;
}

/* ---- From the mapping to expectations ------------------------------------------------------ */

/* Makes the expectation of one kind; *out_expect has its position already. */
typedef bool expectation_maker(scn_reader *reader, const scn_node *node, const expect_draft *draft,
                               uint64_t given, scn_expect *out_expect);

static bool memory_make(scn_reader *reader, const scn_node *node, const expect_draft *draft,
                        uint64_t given, scn_expect *out_expect)
{
    CHECK(is_given(given, EXPECT_MEMORY));
    out_expect->kind = SCN_EXPECT_MEMORY;
    out_expect->memory = draft->memory;
    const scn_memory *memory = scn_memory_of(reader, draft->memory);
    if (!memory) return false;
    if (memory->addresses) {
        return scn_report(reader->reporter, scn_node_entry(node, "memory")->at,
                          "memory '%s' has 'addresses: true', so there is nothing to compare; let "
                          "a kernel write what is expected to another memory",
                          scn_shown(reader->arena, memory->name));
    }
    if (is_given(given, EXPECT_ORACLE))
        return scn_oracle_read(reader, draft->oracle, memory, &out_expect->values);
    uint64_t count;
    return scn_values_read(reader, draft->equals, &memory->layout, memory->count,
                           &out_expect->values, &count);
}

static bool variable_make(scn_reader *reader, const expect_draft *draft, uint64_t given,
                          scn_expect *out_expect)
{
    out_expect->kind = SCN_EXPECT_VARIABLE;
    out_expect->variable = draft->variable;
    out_expect->layout = draft->type;
    out_expect->device = is_given(given, EXPECT_DEVICE) ? draft->device : reader->device;
    uint64_t count;
    return scn_values_read(reader, draft->equals, &out_expect->layout, 0, &out_expect->values,
                           &count);
}

/* What a memory or variable holds. */
static bool content_make(scn_reader *reader, const scn_node *node, const expect_draft *draft,
                         uint64_t given, scn_expect *out_expect)
{
    if (is_given(given, EXPECT_VARIABLE)) return variable_make(reader, draft, given, out_expect);
    return memory_make(reader, node, draft, given, out_expect);
}

static bool program_make(scn_reader *reader, const scn_node *node, const expect_draft *draft,
                         uint64_t given, scn_expect *out_expect)
{
    CHECK(is_given(given, EXPECT_IMAGES));
    out_expect->kind = SCN_EXPECT_PROGRAM_OF;
    out_expect->kernel = draft->program_of;
    out_expect->images = draft->images;
    out_expect->image_count = draft->image_count;
    return images_check(reader, node, draft);
}

static bool bundle_make(scn_reader *reader, const scn_node *node, const expect_draft *draft,
                        uint64_t given, scn_expect *out_expect)
{
    out_expect->kind = SCN_EXPECT_BUNDLE;
    out_expect->bundle = draft->bundle;
    out_expect->has = draft->has;
    out_expect->has_count = draft->has_count;
    out_expect->lacks = draft->lacks;
    out_expect->lacks_count = draft->lacks_count;
    out_expect->has_unit_count = is_given(given, EXPECT_UNITS);
    out_expect->unit_count = draft->unit_count;
    out_expect->images = draft->images;
    out_expect->image_count = draft->image_count;
    return !is_given(given, EXPECT_IMAGES) || images_check(reader, node, draft);
}

static bool trace_make(scn_reader *reader, const scn_node *node, const expect_draft *draft,
                       uint64_t given, scn_expect *out_expect)
{
    (void)reader, (void)node, (void)given;
    CHECK(draft->event_count > 0);
    out_expect->kind = SCN_EXPECT_TRACE;
    out_expect->events = draft->events;
    out_expect->event_count = draft->event_count;
    return true;
}

static bool never_make(scn_reader *reader, const scn_node *node, const expect_draft *draft,
                       uint64_t given, scn_expect *out_expect)
{
    (void)reader, (void)node, (void)given;
    CHECK(draft->never_count > 0);
    out_expect->kind = SCN_EXPECT_NEVER;
    out_expect->events = draft->never;
    out_expect->event_count = draft->never_count;
    return true;
}

static bool host_symbol_make(scn_reader *reader, const scn_node *node, const expect_draft *draft,
                             uint64_t given, scn_expect *out_expect)
{
    (void)reader, (void)node;
    CHECK(is_given(given, EXPECT_FROM));
    out_expect->kind = SCN_EXPECT_HOST_SYMBOL;
    out_expect->symbol = draft->symbol;
    out_expect->by = is_given(given, EXPECT_BY) ? draft->by : 0;
    out_expect->from = draft->from;
    return true;
}

static bool output_make(scn_reader *reader, const scn_node *node, const expect_draft *draft,
                        uint64_t given, scn_expect *out_expect)
{
    (void)reader, (void)node, (void)given;
    out_expect->kind = SCN_EXPECT_OUTPUT;
    out_expect->output = draft->output;
    return true;
}

static bool outcomes_read(scn_reader *reader, const scn_node *node, scn_expect *out_expect);

static bool fusion_mode_make(scn_reader *reader, const scn_node *node, const expect_draft *draft,
                             uint64_t given, scn_expect *out_expect)
{
    (void)reader, (void)node, (void)given;
    out_expect->kind = SCN_EXPECT_FUSION_MODE;
    out_expect->queue = draft->fusion_mode.queue;
    out_expect->in_fusion_mode = draft->fusion_mode.is;
    return true;
}

static bool event_make(scn_reader *reader, const scn_node *node, const expect_draft *draft,
                       uint64_t given, scn_expect *out_expect)
{
    (void)reader, (void)node;
    CHECK(is_given(given, EXPECT_STATUS));
    out_expect->kind = SCN_EXPECT_EVENT;
    out_expect->step = draft->event;
    out_expect->status = (scn_event_status)draft->status;
    return true;
}

static bool one_of_make(scn_reader *reader, const scn_node *node, const expect_draft *draft,
                        uint64_t given, scn_expect *out_expect)
{
    (void)node, (void)given;
    out_expect->kind = SCN_EXPECT_ONE_OF;
    return outcomes_read(reader, draft->one_of, out_expect);
}

static bool finding_make(scn_reader *reader, const scn_node *node, const expect_draft *draft,
                         uint64_t given, scn_expect *out_expect)
{
    (void)node;
    out_expect->kind = SCN_EXPECT_FINDING;
    out_expect->finding = rt_text_of(findings[draft->finding].name);
    out_expect->kernel = draft->kernel;
    out_expect->has_finding_offset = is_given(given, EXPECT_OFFSET);
    out_expect->finding_offset = draft->offset;
    if (is_given(given, EXPECT_MEMORY)) {
        CHECK(draft->memory < reader->memories.list.count);
        out_expect->finding_memory = reader->memories.list.items[draft->memory];
    }
    return true;
}

typedef struct maker_row {
    uint32_t row; /* of the key that calls for it */
    expectation_maker *make;
} maker_row;

static const maker_row makers[] = {
    {EXPECT_EQUALS, content_make},  {EXPECT_PROGRAM_OF, program_make},
    {EXPECT_BUNDLE, bundle_make},   {EXPECT_TRACE, trace_make},
    {EXPECT_NEVER, never_make},     {EXPECT_HOST_SYMBOL, host_symbol_make},
    {EXPECT_OUTPUT, output_make},   {EXPECT_ONE_OF, one_of_make},
    {EXPECT_FINDING, finding_make}, {EXPECT_FUSION_MODE, fusion_mode_make},
    {EXPECT_ORACLE, memory_make},   {EXPECT_EVENT, event_make},
};

/* One expectation for each kind that the mapping holds, in the order of the format's table. */
static bool expectations_make(scn_reader *reader, const scn_node *node, const expect_draft *draft,
                              uint64_t given, scn_expect *out_expects, uint32_t *out_count)
{
    bool fine = true;
    uint32_t count = 0;
    for (uint32_t row = 0; row < EXPECT_COUNTS; row++) {
        if (!is_given(given, row)) continue;
        out_expects[count++] = (scn_expect){.kind = SCN_EXPECT_COUNT,
                                            .at = node->at,
                                            .event = rt_text_of(counted_events[row]),
                                            .count = draft->counts[row]};
    }
    for (size_t i = 0; i < sizeof makers / sizeof *makers; i++) {
        if (!is_given(given, makers[i].row)) continue;
        scn_expect *expect = &out_expects[count++];
        expect->at = node->at;
        fine = makers[i].make(reader, node, draft, given, expect) && fine;
    }
    CHECK(count > 0 && count < EXPECT_ERROR);
    *out_count = count;
    return fine;
}

/* Reads a mapping of expectations, each kind in it one; at most one row for each. */
static bool mapping_read(scn_reader *reader, const scn_node *node, const scn_expect **out_expects,
                         uint32_t *out_count, uint64_t *out_given)
{
    expect_draft draft = {0};
    if (!scn_object_read(reader, &scn_shape_expect, node, &draft, out_given)) return false;
    if (*out_given == 0) {
        return scn_report(reader->reporter, node->at,
                          "an expectation that expects nothing, so nothing could fail it");
    }
    if (draft.error) {
        return scn_report(reader->reporter, scn_node_entry(node, "error")->at,
                          "an error is expected beside the verb that is refused: "
                          "'- submit: ...' and under it 'expect: {error: ...}'");
    }
    if (!memory_check(reader, node, *out_given)) return false;
    scn_expect *expects = rt_arena_alloc_array(reader->arena, EXPECT_ERROR, sizeof *expects);
    *out_expects = expects;
    return expectations_make(reader, node, &draft, *out_given, expects, out_count);
}

bool scn_expect_read(scn_reader *reader, const scn_node *node, scn_step *out_step)
{
    uint64_t given;
    return mapping_read(reader, node, &out_step->expect, &out_step->expect_count, &given);
}

/* ---- Several outcomes --------------------------------------------------------------------- */

static bool outcome_read(scn_reader *reader, const scn_node *node, scn_outcome *out_outcome)
{
    uint64_t given;
    out_outcome->at = node->at;
    if (!mapping_read(reader, node, &out_outcome->expects, &out_outcome->expect_count, &given)) {
        return false;
    }
    uint32_t refused = is_given(given, EXPECT_ONE_OF)    ? EXPECT_ONE_OF
                       : is_given(given, EXPECT_FINDING) ? EXPECT_FINDING
                                                         : EXPECT_ROW_COUNT;
    if (refused == EXPECT_ROW_COUNT) return true;
    const char *key = expect_rows[refused].key;
    return scn_report(reader->reporter, scn_node_entry(node, key)->at,
                      "'%s' cannot stand inside one_of, whose outcomes must be known at once", key);
}

static bool outcomes_read(scn_reader *reader, const scn_node *node, scn_expect *out_expect)
{
    if (!scn_outcomes_check(reader, node)) return false;
    scn_outcome *outcomes = rt_arena_alloc_array(reader->arena, node->count, sizeof *outcomes);
    bool fine = true;
    for (uint32_t i = 0; i < node->count; i++)
        fine = outcome_read(reader, &node->items[i], &outcomes[i]) && fine;
    out_expect->outcomes = outcomes;
    out_expect->outcome_count = node->count;
    return fine;
}

/* What a branch may hold: expectations without further branches, or an error beside a verb. */
static const scn_shape shape_outcome = {
    .kind = SCN_SHAPE_OBJECT,
    .noun = "an outcome",
    .key_noun = "expectation",
    .typing = SCN_TYPED_VARIABLE,
    .also = "{" FINDING_AND_CONTENT ", 'properties': {'finding': false}}",
    SCN_RELATIONS(expect_relations),
    .rows = expect_rows,
    .row_count = EXPECT_ONE_OF,
};
static const scn_shape shape_error_outcome_row = {
    .kind = SCN_SHAPE_OBJECT,
    .noun = "an outcome",
    .key_noun = "expectation",
    .rows = &expect_rows[EXPECT_ERROR],
    .row_count = 1,
};
static const scn_shape shape_any_outcome = {
    .kind = SCN_SHAPE_OTHER,
    .noun = "an outcome",
    .alternatives = {&shape_outcome, &shape_error_outcome_row},
};
static const scn_shape shape_outcome_list = {
    .kind = SCN_SHAPE_LIST,
    .noun = "a list of outcomes",
    .element = &shape_any_outcome,
    .least = 2,
    .most = SCN_OUTCOME_COUNT_MAX,
};
static const scn_shape shape_outcomes = {
    .kind = SCN_SHAPE_OTHER,
    .noun = "a list of outcomes",
    .read = scn_node_keep,
    .alternatives = {&shape_outcome_list},
};
