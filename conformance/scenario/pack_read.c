/* The serialised form of a checked scenario, read; the format is told in pack_write.c.
 *
 * A pack may come from a file, so nothing in it is trusted: every count, index, enumerator and size
 * is checked here, and what executes the scenario may assert them. */
#include "conformance/scenario/pack.h"

/* Least sizes in bytes of the items of tables, so that a damaged count allocates little. */
enum {
    TEXT_MIN = 8,
    INDEX_MIN = 4,
    COVER_MIN = 2 * TEXT_MIN + 8,
    SOURCE_MIN = 4 + 2 * TEXT_MIN + 16,
    MODULE_MIN = 2 * TEXT_MIN + 8 + 4 + 4 + 4 + 12,
    MEMORY_MIN = TEXT_MIN + 8 + 4 + 8 + 1,
    ARGUMENT_MIN = 4 + 8,
    FIELD_MIN = TEXT_MIN + 1 + 4,
    EVENT_MIN = 8 + TEXT_MIN + 4,
    EXPECT_MIN = 4 + 8 + 4,
    STEP_MIN = 4 + 8 + TEXT_MIN + 1,
};

typedef struct unpacker {
    rt_sink *sink;
    rt_arena *arena;
    rt_reader reader;
    rt_status status; /* of the images, which say more than a position */
    scn_scenario *scenario;
} unpacker;

static void fail_unless(unpacker *unpack, bool condition)
{
    if (!condition) rt_reader_fail(&unpack->reader);
}

/* Reads a count and allocates that many zeroed items. */
static void *read_table(unpacker *unpack, size_t item_size, size_t item_packed_min,
                        uint32_t *out_count)
{
    *out_count = rt_read_count(&unpack->reader, item_packed_min);
    return rt_arena_alloc_array(unpack->arena, *out_count, item_size);
}

static bool read_flag(unpacker *unpack)
{
    uint8_t flag = rt_read_u8(&unpack->reader);
    fail_unless(unpack, flag <= 1);
    return flag == 1;
}

static scn_position read_position(unpacker *unpack)
{
    scn_position at = {rt_read_u32(&unpack->reader), 0};
    at.column = rt_read_u32(&unpack->reader);
    fail_unless(unpack, at.line >= 1 && at.column >= 1);
    return at;
}

static const rt_text *read_texts(unpacker *unpack, uint32_t *out_count)
{
    rt_text *texts = read_table(unpack, sizeof *texts, TEXT_MIN, out_count);
    for (uint32_t i = 0; i < *out_count; i++)
        texts[i] = rt_read_text(&unpack->reader);
    return texts;
}

static const uint32_t *read_indices(unpacker *unpack, uint32_t limit, uint32_t *out_count)
{
    uint32_t *indices = read_table(unpack, sizeof *indices, INDEX_MIN, out_count);
    for (uint32_t i = 0; i < *out_count; i++)
        indices[i] = rt_read_below(&unpack->reader, limit);
    return indices;
}

static scn_cover read_cover(unpacker *unpack)
{
    scn_cover cover = {.rule = rt_rule_find(rt_read_text(&unpack->reader))};
    fail_unless(unpack, cover.rule != RT_RULE_NONE);
    cover.at = rt_read_text(&unpack->reader);
    cover.position = read_position(unpack);
    return cover;
}

/* ---- Modules and memories ----------------------------------------------------------------- */

static scn_source read_source(unpacker *unpack)
{
    scn_source source = {0};
    source.language = (scn_language)rt_read_below(&unpack->reader, SCN_LANGUAGE_COUNT);
    source.name = rt_read_text(&unpack->reader);
    source.code = rt_read_text(&unpack->reader);
    source.code_at = read_position(unpack);
    source.at = read_position(unpack);
    return source;
}

static void read_images(unpacker *unpack, rt_image_list *out_images)
{
    *out_images = (rt_image_list){0};
    if (unpack->reader.failed) return;
    rt_status status = rt_image_list_read(unpack->sink, unpack->arena, &unpack->reader, out_images);
    if (rt_ok(status)) return;
    unpack->status = status;
    rt_reader_fail(&unpack->reader);
}

static scn_module read_module(unpacker *unpack)
{
    scn_module module = {.name = rt_read_text(&unpack->reader)};
    fail_unless(unpack, module.name.length > 0);
    module.at = read_position(unpack);
    module.needs = read_indices(unpack, unpack->scenario->module_count, &module.need_count);
    scn_source *sources = read_table(unpack, sizeof *sources, SOURCE_MIN, &module.source_count);
    for (uint32_t i = 0; i < module.source_count; i++)
        sources[i] = read_source(unpack);
    module.sources = sources;
    module.split = (rt_split)rt_read_below(&unpack->reader, RT_SPLIT_COUNT);
    module.build_options = rt_read_text(&unpack->reader);
    read_images(unpack, &module.images);
    return module;
}

static scn_memory read_memory(unpacker *unpack)
{
    scn_memory memory = {.name = rt_read_text(&unpack->reader)};
    fail_unless(unpack, memory.name.length > 0);
    memory.at = read_position(unpack);
    memory.type = (scn_type)rt_read_below(&unpack->reader, SCN_TYPE_COUNT);
    memory.count = rt_read_u64(&unpack->reader);
    uint64_t count_max = RT_MEMORY_SIZE_MAX / scn_type_size(memory.type);
    fail_unless(unpack, memory.count >= 1 && memory.count <= count_max);
    if (!read_flag(unpack)) return memory;
    memory.initial = rt_read_bytes(&unpack->reader);
    fail_unless(unpack, memory.initial.size == memory.count * scn_type_size(memory.type));
    return memory;
}

/* ---- Steps -------------------------------------------------------------------------------- */

static scn_argument read_argument(unpacker *unpack)
{
    rt_reader *reader = &unpack->reader;
    scn_argument argument = {0};
    argument.kind = (scn_argument_kind)rt_read_below(reader, SCN_ARGUMENT_LOCAL + 1);
    if (argument.kind == SCN_ARGUMENT_MEMORY) {
        argument.memory = rt_read_below(reader, unpack->scenario->memory_count);
        argument.access = (scn_access)rt_read_below(reader, SCN_ACCESS_WRITE + 1);
    } else if (argument.kind == SCN_ARGUMENT_VALUE) {
        argument.type = (scn_type)rt_read_below(reader, SCN_TYPE_COUNT);
        argument.value = rt_read_bytes(reader);
        fail_unless(unpack, argument.value.size == scn_type_size(argument.type));
    } else {
        argument.size = rt_read_u64(reader);
        fail_unless(unpack, argument.size >= 1 && argument.size <= RT_MEMORY_SIZE_MAX);
    }
    return argument;
}

static void read_extents(unpacker *unpack, scn_submit *submit)
{
    uint64_t product = 1;
    bool local = false;
    for (uint32_t d = 0; d < submit->dimensions; d++) {
        submit->range[d] = rt_read_u64(&unpack->reader);
        submit->offset[d] = rt_read_u64(&unpack->reader);
        submit->local[d] = rt_read_u64(&unpack->reader);
        CHECK(product > 0);
        bool bounded = submit->range[d] >= 1 && submit->range[d] <= UINT32_MAX &&
                       submit->offset[d] <= UINT32_MAX && submit->local[d] <= UINT32_MAX;
        fail_unless(unpack, bounded && submit->range[d] <= UINT64_MAX / product);
        if (unpack->reader.failed) return;
        product *= submit->range[d];
        /* Given in all dimensions or in none. */
        fail_unless(unpack, d == 0 || local == (submit->local[d] > 0));
        local = submit->local[d] > 0;
    }
}

static scn_submit read_submit(unpacker *unpack, uint32_t step)
{
    rt_reader *reader = &unpack->reader;
    scn_submit submit = {.kernel = rt_read_text(reader)};
    fail_unless(unpack, submit.kernel.length > 0);
    submit.dimensions = rt_read_below(reader, RT_ND_RANGE_DIMENSIONS + 1);
    fail_unless(unpack, submit.dimensions >= 1);
    read_extents(unpack, &submit);
    scn_argument *arguments =
        read_table(unpack, sizeof *arguments, ARGUMENT_MIN, &submit.argument_count);
    fail_unless(unpack, submit.argument_count <= RT_KERNEL_ARGUMENT_MAX);
    for (uint32_t i = 0; i < submit.argument_count; i++)
        arguments[i] = read_argument(unpack);
    submit.arguments = arguments;
    submit.after = read_indices(unpack, step, &submit.after_count);
    for (uint32_t i = 0; i < submit.after_count && !reader->failed; i++)
        fail_unless(unpack, unpack->scenario->steps[submit.after[i]].verb == SCN_VERB_SUBMIT);
    return submit;
}

static scn_trace_event read_event(unpacker *unpack)
{
    scn_trace_event event = {.at = read_position(unpack)};
    event.kind = rt_read_text(&unpack->reader);
    scn_trace_field *fields = read_table(unpack, sizeof *fields, FIELD_MIN, &event.field_count);
    for (uint32_t i = 0; i < event.field_count; i++) {
        fields[i].key = rt_read_text(&unpack->reader);
        fields[i].is_list = read_flag(unpack);
        fields[i].values = read_texts(unpack, &fields[i].value_count);
        fail_unless(unpack, fields[i].is_list || fields[i].value_count == 1);
    }
    event.fields = fields;
    return event;
}

static void read_memory_expectation(unpacker *unpack, scn_expect *expect)
{
    const scn_scenario *scenario = unpack->scenario;
    expect->memory = rt_read_below(&unpack->reader, scenario->memory_count);
    expect->values = rt_read_bytes(&unpack->reader);
    if (unpack->reader.failed) return;
    const scn_memory *memory = &scenario->memories[expect->memory];
    fail_unless(unpack, expect->values.size == memory->count * scn_type_size(memory->type));
}

static void read_trace_expectation(unpacker *unpack, scn_expect *expect)
{
    scn_trace_event *events = read_table(unpack, sizeof *events, EVENT_MIN, &expect->event_count);
    fail_unless(unpack, expect->event_count >= 1);
    for (uint32_t i = 0; i < expect->event_count; i++)
        events[i] = read_event(unpack);
    expect->events = events;
}

static scn_expect read_expect(unpacker *unpack)
{
    rt_reader *reader = &unpack->reader;
    scn_expect expect = {0};
    expect.kind = (scn_expect_kind)rt_read_below(reader, SCN_EXPECT_FINDING + 1);
    expect.at = read_position(unpack);
    switch (expect.kind) {
    case SCN_EXPECT_MEMORY: read_memory_expectation(unpack, &expect); break;
    case SCN_EXPECT_COUNT:
        expect.event = rt_read_text(reader);
        expect.count = rt_read_u64(reader);
        break;
    case SCN_EXPECT_PROGRAM_OF:
        expect.kernel = rt_read_text(reader);
        expect.images = read_texts(unpack, &expect.image_count);
        break;
    case SCN_EXPECT_TRACE: read_trace_expectation(unpack, &expect); break;
    case SCN_EXPECT_FINDING:
        expect.finding = rt_read_text(reader);
        expect.kernel = rt_read_text(reader);
        expect.finding_memory = rt_read_text(reader);
        expect.has_finding_offset = read_flag(unpack);
        expect.finding_offset = rt_read_u64(reader);
        break;
    }
    return expect;
}

static const scn_error *read_error(unpacker *unpack)
{
    scn_error *error = rt_arena_alloc(unpack->arena, sizeof *error);
    error->at = read_position(unpack);
    error->documents = rt_read_text(&unpack->reader);
    error->reference_class = rt_read_text(&unpack->reader);
    error->reference_text = rt_read_text(&unpack->reader);
    error->names = read_texts(unpack, &error->name_count);
    return error;
}

static void read_expectations(unpacker *unpack, scn_step *step)
{
    scn_expect *expects = read_table(unpack, sizeof *expects, EXPECT_MIN, &step->expect_count);
    fail_unless(unpack, step->expect_count >= 1);
    for (uint32_t i = 0; i < step->expect_count; i++)
        expects[i] = read_expect(unpack);
    step->expect = expects;
}

static scn_step read_step(unpacker *unpack, uint32_t index)
{
    rt_reader *reader = &unpack->reader;
    scn_step step = {.verb = (scn_verb)rt_read_below(reader, SCN_VERB_EXPECT + 1)};
    step.at = read_position(unpack);
    step.id = rt_read_text(reader);
    switch (step.verb) {
    case SCN_VERB_LOAD:
    case SCN_VERB_UNLOAD:
        step.module = rt_read_below(reader, unpack->scenario->module_count);
        break;
    case SCN_VERB_SUBMIT: step.submit = read_submit(unpack, index); break;
    case SCN_VERB_WAIT: break;
    case SCN_VERB_HOST_ACCESS:
        step.memory = rt_read_below(reader, unpack->scenario->memory_count);
        break;
    case SCN_VERB_EXPECT: read_expectations(unpack, &step); break;
    }
    if (read_flag(unpack)) step.error = read_error(unpack);
    bool refusable = step.verb <= SCN_VERB_SUBMIT; /* load, unload, submit */
    fail_unless(unpack, refusable || !step.error);
    return step;
}

/* ---- The whole ---------------------------------------------------------------------------- */

/* Tables are hung into the scenario before they are filled, because later parts are checked against
 * earlier ones; after a fault the loops end, as everything then reads as zero. */
static void read_scenario(unpacker *unpack)
{
    scn_scenario *scenario = unpack->scenario;
    rt_reader *reader = &unpack->reader;
    scenario->path = rt_read_text(reader);
    scenario->file = rt_read_text(reader);
    scenario->summary = rt_read_text(reader);
    scn_cover *covers = read_table(unpack, sizeof *covers, COVER_MIN, &scenario->cover_count);
    scenario->covers = covers;
    for (uint32_t i = 0; i < scenario->cover_count && !reader->failed; i++)
        covers[i] = read_cover(unpack);
    scn_module *modules = read_table(unpack, sizeof *modules, MODULE_MIN, &scenario->module_count);
    scenario->modules = modules;
    fail_unless(unpack, scenario->module_count >= 1);
    for (uint32_t i = 0; i < scenario->module_count && !reader->failed; i++)
        modules[i] = read_module(unpack);
    scn_memory *memories =
        read_table(unpack, sizeof *memories, MEMORY_MIN, &scenario->memory_count);
    scenario->memories = memories;
    for (uint32_t i = 0; i < scenario->memory_count && !reader->failed; i++)
        memories[i] = read_memory(unpack);
    scn_step *steps = read_table(unpack, sizeof *steps, STEP_MIN, &scenario->step_count);
    scenario->steps = steps;
    for (uint32_t i = 0; i < scenario->step_count && !reader->failed; i++)
        steps[i] = read_step(unpack, i);
}

rt_status scn_pack_read(rt_sink *sink, rt_arena *arena, rt_bytes pack,
                        const scn_scenario **out_scenario)
{
    *out_scenario = NULL;
    unpacker unpack = {.sink = sink, .arena = arena, .reader = rt_reader_of(pack)};
    uint32_t tag = rt_read_u32(&unpack.reader), version = rt_read_u32(&unpack.reader);
    if (unpack.reader.failed || tag != SCN_PACK_TAG) {
        return rt_fail(sink, RT_MALFORMED, RT_RULE_NONE,
                       "not a packed scenario: the first 4 bytes are not \"ASSC\"");
    }
    if (version != SCN_PACK_VERSION) {
        return rt_fail(sink, RT_MALFORMED, RT_RULE_NONE,
                       "a packed scenario of version %u, this assay reads version %u; pack it anew",
                       version, SCN_PACK_VERSION);
    }
    unpack.scenario = rt_arena_alloc(arena, sizeof *unpack.scenario);
    read_scenario(&unpack);
    if (!rt_ok(unpack.status)) return unpack.status;
    if (!rt_reader_finished(&unpack.reader)) {
        size_t fault = unpack.reader.failed ? unpack.reader.fault : unpack.reader.position;
        return rt_fail(sink, RT_MALFORMED, RT_RULE_NONE,
                       "damaged packed scenario: fault at byte %zu of %zu; pack it anew", fault,
                       pack.size);
    }
    *out_scenario = unpack.scenario;
    return RT_STATUS_OK;
}
