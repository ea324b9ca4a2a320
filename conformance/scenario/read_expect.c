/* Expectations: memory, counts, programs, findings, and the error of a refused step.
 * Comparing them with what happened is the subject's work. */
#include "conformance/scenario/number.h"
#include "conformance/scenario/schema.h"

#include <string.h>

/* ---- Errors ------------------------------------------------------------------------------- */

/* The classes that requirements.yaml has; rt_code_matches says which of ours they stand for. */
static const char *documents_class(uint32_t index)
{
    if (index == 0) return "exception";
    return index <= RT_DRIVER_ERROR ? rt_code_name((rt_code)index) : NULL;
}
static const scn_shape shape_documents_class = {
    .kind = SCN_SHAPE_WORD,
    .noun = "a class of error",
    .word = documents_class,
};

static const char *reference_class(uint32_t index)
{
    return index + 1 < RT_CODE_COUNT ? rt_code_name((rt_code)(index + 1)) : NULL;
}
static const scn_shape shape_reference_class = {
    .kind = SCN_SHAPE_WORD,
    .noun = "a code of the reference runtime",
    .word = reference_class,
};

static const scn_shape shape_message = {.kind = SCN_SHAPE_TEXT, .noun = "a part of a message"};
static const scn_shape shape_symbol = {.kind = SCN_SHAPE_TEXT, .noun = "a symbol"};
static const scn_shape shape_symbols = {
    .kind = SCN_SHAPE_LIST,
    .noun = "a list of symbols",
    .element = &shape_symbol,
    .element_size = sizeof(rt_text),
    .least = 1,
};

static const scn_row reference_rows[] = {
    {"class", &shape_reference_class, 0, SCN_FIELD(scn_error, reference_class),
     "The name of the reference runtime's own code."},
    {"names", &shape_symbols, 0, SCN_ITEMS(scn_error, names, name_count),
     "Symbols, kernels or variables that the message names, in any order."},
    {"text", &shape_message, 0, SCN_FIELD(scn_error, reference_text), "A part of the message."},
};
static const scn_shape shape_reference = {
    .kind = SCN_SHAPE_OBJECT,
    .noun = "the reference runtime's part of an error",
    SCN_ROWS(reference_rows),
};

enum { ERROR_DOCUMENTS, ERROR_REFERENCE };
static const scn_row error_rows[] = {
    [ERROR_DOCUMENTS] = {"documents", &shape_documents_class, SCN_SUFFICES,
                         SCN_FIELD(scn_error, documents),
                         "The class that the rule fixes: exception, errc::build, link-error ..."},
    [ERROR_REFERENCE] = {"reference", &shape_reference, SCN_SUFFICES, SCN_SAME,
                         "What the reference runtime says beyond that."},
};
static const scn_shape shape_error_object = {
    .kind = SCN_SHAPE_OBJECT,
    .noun = "an error",
    SCN_ROWS(error_rows),
};

static bool error_read(scn_reader *reader, const scn_node *node, scn_error *out_error)
{
    uint64_t given;
    out_error->at = node->at;
    if (!scn_object_read(reader, &shape_error_object, node, out_error, &given)) return false;
    if (given != 0) return true;
    return scn_report(reader->reporter, node->at,
                      "an error needs documents, reference or both: which refusal is it?");
}

static const scn_shape shape_error = {
    .kind = SCN_SHAPE_OTHER,
    .noun = "an error",
    .read = scn_node_keep, /* read beside a verb, refused elsewhere */
    .alternatives = {&shape_error_object},
};

/* ---- Everything that an expect step may hold ------------------------------------------------ */

static const scn_choice findings[] = {
    {"out-of-bounds", true},        {"use-after-free", true},
    {"null-pointer", true},         {"misaligned", true},
    {"undefined-arithmetic", true}, {"divergent-barrier", true},
    {"unreachable", true},          {"budget", true},
    {"uninitialised", false},       {"race", false},
    {"wrong-call-target", false},
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
static const scn_shape shape_image = {.kind = SCN_SHAPE_TEXT, .noun = "an image, MODULE/NUMBER"};
static const scn_shape shape_images = {
    .kind = SCN_SHAPE_LIST,
    .noun = "a list of images",
    .element = &shape_image,
    .element_size = sizeof(rt_text),
    .least = 1,
};

/* The rows' fields; the kinds that count events come first, in the order of counted_events. */
enum { EXPECT_COUNTS = 4 };
static const char *const counted_events[EXPECT_COUNTS] = {"launch", "build", "link", "cache_hit"};

typedef struct expect_draft {
    uint64_t counts[EXPECT_COUNTS];
    uint32_t memory, finding;
    const scn_node *equals;
    rt_text program_of, kernel;
    const rt_text *images;
    const scn_trace_event *events;
    const scn_node *error;
    uint32_t image_count, event_count;
    uint64_t offset;
} expect_draft;

enum {
    EXPECT_MEMORY = EXPECT_COUNTS,
    EXPECT_EQUALS,
    EXPECT_PROGRAM_OF,
    EXPECT_IMAGES,
    EXPECT_TRACE,
    EXPECT_FINDING,
    EXPECT_KERNEL,
    EXPECT_OFFSET,
    EXPECT_ERROR
};
static const scn_row expect_rows[] = {
    {"launches", &shape_event_count, SCN_SUFFICES, SCN_FIELD(expect_draft, counts[0]),
     "How often kernels were launched since the last expectation of launches."},
    {"builds", &shape_event_count, SCN_SUFFICES, SCN_FIELD(expect_draft, counts[1]),
     "How many programs were built since the last expectation of builds."},
    {"links", &shape_event_count, SCN_SUFFICES, SCN_FIELD(expect_draft, counts[2]),
     "How often programs were linked since the last expectation of links."},
    {"cache_hits", &shape_event_count, SCN_SUFFICES, SCN_FIELD(expect_draft, counts[3]),
     "How often the program cache had what was needed since the last expectation of cache_hits."},
    [EXPECT_MEMORY] = {"memory", &scn_shape_memory_reference, SCN_SUFFICES,
                       SCN_FIELD(expect_draft, memory),
                       "The memory that is read and compared, or that a finding is about."},
    [EXPECT_EQUALS] = {"equals", &scn_shape_values, 0, SCN_FIELD(expect_draft, equals),
                       "What the memory holds, every element, exactly."},
    [EXPECT_PROGRAM_OF] = {"program_of", &scn_shape_kernel, SCN_SUFFICES,
                           SCN_FIELD(expect_draft, program_of),
                           "A kernel whose program's images are compared."},
    [EXPECT_IMAGES] = {"images", &shape_images, 0, SCN_ITEMS(expect_draft, images, image_count),
                       "The images MODULE/NUMBER of that program, in any order."},
    [EXPECT_TRACE] = {"trace", &scn_shape_trace, SCN_SUFFICES,
                      SCN_ITEMS(expect_draft, events, event_count),
                      "Events that happened in this order, others between them."},
    [EXPECT_FINDING] = {"finding", &shape_finding, SCN_SUFFICES, SCN_FIELD(expect_draft, finding),
                        "What the device found wrong."},
    [EXPECT_KERNEL] = {"kernel", &scn_shape_kernel, 0, SCN_FIELD(expect_draft, kernel),
                       "The kernel that a finding is about."},
    [EXPECT_OFFSET] = {"offset", &shape_byte_offset, 0, SCN_FIELD(expect_draft, offset),
                       "Where in the memory the finding is, in bytes."},
    [EXPECT_ERROR] = {"error", &shape_error, SCN_SUFFICES, SCN_FIELD(expect_draft, error),
                      "The refusal of the step beside which this stands."},
    {"one_of", NULL, SCN_NOT_BUILT | SCN_ALTERNATIVE, SCN_NOWHERE,
     "Several outcomes that all conform."},
    {"host_symbol", NULL, SCN_NOT_BUILT | SCN_ALTERNATIVE, SCN_NOWHERE,
     "A host symbol whose definition is compared."},
    {"from", NULL, SCN_NOT_BUILT, SCN_NOWHERE, "The module that a host symbol comes from."},
};
const scn_shape scn_shape_expect = {
    .kind = SCN_SHAPE_OBJECT,
    .noun = "an expectation",
    .key_noun = "expectation",
    SCN_ROWS(expect_rows),
};

static bool is_given(uint64_t given, uint32_t row)
{
    return (given >> row & 1) != 0;
}

/* A key that says more about another one: it must stand beside it. */
typedef struct companion_row {
    uint32_t row, of;
} companion_row;

static const companion_row companions[] = {
    {EXPECT_EQUALS, EXPECT_MEMORY},     {EXPECT_IMAGES, EXPECT_PROGRAM_OF},
    {EXPECT_PROGRAM_OF, EXPECT_IMAGES}, {EXPECT_KERNEL, EXPECT_FINDING},
    {EXPECT_OFFSET, EXPECT_FINDING},
};

static bool companions_check(scn_reader *reader, const scn_node *node, uint64_t given)
{
    bool fine = true;
    for (size_t i = 0; i < sizeof companions / sizeof *companions; i++) {
        const companion_row *row = &companions[i];
        if (!is_given(given, row->row) || is_given(given, row->of)) continue;
        const char *key = expect_rows[row->row].key;
        fine = scn_report(reader->reporter, scn_node_entry(node, key)->at,
                          "'%s' needs '%s' beside it", key, expect_rows[row->of].key);
    }
    if (!is_given(given, EXPECT_MEMORY)) return fine;
    bool finding = is_given(given, EXPECT_FINDING), equals = is_given(given, EXPECT_EQUALS);
    if (finding != equals) return fine;
    scn_position at = scn_node_entry(node, "memory")->at;
    return scn_report(reader->reporter, at,
                      finding ? "'memory' beside both 'equals' and 'finding'; write two steps"
                              : "'memory' needs 'equals' beside it: what does it hold?");
}

/* An image is named after its module, which must exist; how many images it has is known later. */
static bool images_check(scn_reader *reader, const scn_node *node, const expect_draft *draft)
{
    bool fine = true;
    const scn_node *items = &scn_node_entry(node, "images")->value;
    CHECK(items->count == draft->image_count);
    for (uint32_t i = 0; i < draft->image_count; i++) {
        rt_text image = draft->images[i];
        const char *slash = memchr(image.data, '/', image.length);
        size_t length = slash ? (size_t)(slash - image.data) : image.length;
        bool number = slash && length + 1 < image.length;
        for (size_t c = length + 1; number && c < image.length; c++)
            number = image.data[c] >= '0' && image.data[c] <= '9';
        if (!number) {
            fine = scn_report(reader->reporter, items->items[i].at,
                              "'%s' is no image; images are called MODULE/NUMBER, such as app/0",
                              scn_shown(reader->arena, image));
            continue;
        }
        rt_text module = {image.data, length};
        fine = scn_names_resolve(reader, &reader->modules, items->items[i].at, module, "module") !=
                   SCN_NONE &&
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
    (void)node;
    CHECK(is_given(given, EXPECT_MEMORY));
    out_expect->kind = SCN_EXPECT_MEMORY;
    out_expect->memory = draft->memory;
    const scn_scenario *scenario = reader->scenario;
    bool readable = draft->memory < scenario->memory_count;
    const scn_memory *memory = readable ? &scenario->memories[draft->memory] : NULL;
    if (!memory || memory->count == 0) return false; /* it has a problem of its own */
    uint64_t count;
    return scn_values_read(reader, draft->equals, memory->type, memory->count, &out_expect->values,
                           &count);
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
    {EXPECT_EQUALS, memory_make},
    {EXPECT_PROGRAM_OF, program_make},
    {EXPECT_TRACE, trace_make},
    {EXPECT_FINDING, finding_make},
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

bool scn_expect_read(scn_reader *reader, const scn_node *node, scn_step *out_step)
{
    expect_draft draft = {0};
    uint64_t given;
    if (!scn_object_read(reader, &scn_shape_expect, node, &draft, &given)) return false;
    if (given == 0) {
        return scn_report(reader->reporter, node->at,
                          "an expectation that expects nothing, so nothing could fail it");
    }
    if (draft.error) {
        return scn_report(reader->reporter, scn_node_entry(node, "error")->at,
                          "an error is expected beside the verb that is refused: "
                          "'- submit: ...' and under it 'expect: {error: ...}'");
    }
    if (!companions_check(reader, node, given)) return false;
    scn_expect *expects = rt_arena_alloc_array(reader->arena, EXPECT_ERROR, sizeof *expects);
    out_step->expect = expects;
    return expectations_make(reader, node, &draft, given, expects, &out_step->expect_count);
}

bool scn_refusal_read(scn_reader *reader, const scn_node *node, scn_step *out_step)
{
    expect_draft draft = {0};
    uint64_t given;
    if (!scn_object_read(reader, &scn_shape_expect, node, &draft, &given)) return false;
    if (given != UINT64_C(1) << EXPECT_ERROR) {
        return scn_report(reader->reporter, node->at,
                          "beside a verb, expect holds {error: ...} and nothing else; write "
                          "'- expect: ...' as a step of its own");
    }
    scn_error *error = rt_arena_alloc(reader->arena, sizeof *error);
    out_step->error = error;
    return error_read(reader, draft.error, error);
}
