/* The serialised form of a checked scenario, written.  Little-endian (base/stream.h):
 *
 *     "ASSC" u32 version  path file summary  covers  modules  memories  steps
 *
 * Tables are a u32 count and the items; positions are two u32.  pack_read.c is the twin of this
 * file, line by line. */
#include "conformance/scenario/pack.h"

static void write_position(rt_buffer *out, scn_position at)
{
    CHECK(at.line >= 1 && at.column >= 1);
    rt_write_u32(out, at.line);
    rt_write_u32(out, at.column);
}

static void write_texts(rt_buffer *out, const rt_text *texts, uint32_t count)
{
    rt_write_u32(out, count);
    for (uint32_t i = 0; i < count; i++)
        rt_write_text(out, texts[i]);
}

static void write_indices(rt_buffer *out, const uint32_t *indices, uint32_t count)
{
    rt_write_u32(out, count);
    for (uint32_t i = 0; i < count; i++)
        rt_write_u32(out, indices[i]);
}

static void write_cover(rt_buffer *out, const scn_cover *cover)
{
    /* By name: ids are numbered anew in every version of assay. */
    rt_write_text(out, rt_text_of(rt_rule_name(cover->rule)));
    rt_write_text(out, cover->at);
    write_position(out, cover->position);
}

static void write_source(rt_buffer *out, const scn_source *source)
{
    CHECK((unsigned)source->language < SCN_LANGUAGE_COUNT);
    rt_write_u32(out, source->language);
    rt_write_text(out, source->name);
    rt_write_text(out, source->code);
    write_position(out, source->code_at);
    write_position(out, source->at);
}

static void write_module(rt_buffer *out, const scn_module *module)
{
    CHECK((unsigned)module->split < RT_SPLIT_COUNT);
    rt_write_text(out, module->name);
    write_position(out, module->at);
    write_indices(out, module->needs, module->need_count);
    rt_write_u32(out, module->source_count);
    for (uint32_t i = 0; i < module->source_count; i++)
        write_source(out, &module->sources[i]);
    rt_write_u32(out, module->split);
    rt_write_text(out, module->build_options);
    rt_image_list_write(out, module->images);
}

static void write_memory(rt_buffer *out, const scn_memory *memory)
{
    CHECK(!memory->initial.data ||
          memory->initial.size == memory->count * scn_type_size(memory->type));
    rt_write_text(out, memory->name);
    write_position(out, memory->at);
    rt_write_u32(out, memory->type);
    rt_write_u64(out, memory->count);
    rt_write_u8(out, memory->initial.data ? 1 : 0);
    if (memory->initial.data) rt_write_bytes(out, memory->initial);
}

static void write_argument(rt_buffer *out, const scn_argument *argument)
{
    rt_write_u32(out, argument->kind);
    switch (argument->kind) {
    case SCN_ARGUMENT_MEMORY:
        rt_write_u32(out, argument->memory);
        rt_write_u32(out, argument->access);
        return;
    case SCN_ARGUMENT_VALUE:
        CHECK(argument->value.size == scn_type_size(argument->type));
        rt_write_u32(out, argument->type);
        rt_write_bytes(out, argument->value);
        return;
    case SCN_ARGUMENT_LOCAL: rt_write_u64(out, argument->size); return;
    }
    UNREACHABLE();
}

static void write_submit(rt_buffer *out, const scn_submit *submit)
{
    CHECK(submit->dimensions >= 1 && submit->dimensions <= RT_ND_RANGE_DIMENSIONS);
    rt_write_text(out, submit->kernel);
    rt_write_u32(out, submit->dimensions);
    for (uint32_t d = 0; d < submit->dimensions; d++) {
        rt_write_u64(out, submit->range[d]);
        rt_write_u64(out, submit->offset[d]);
        rt_write_u64(out, submit->local[d]);
    }
    rt_write_u32(out, submit->argument_count);
    for (uint32_t i = 0; i < submit->argument_count; i++)
        write_argument(out, &submit->arguments[i]);
    write_indices(out, submit->after, submit->after_count);
}

static void write_event(rt_buffer *out, const scn_trace_event *event)
{
    write_position(out, event->at);
    rt_write_text(out, event->kind);
    rt_write_u32(out, event->field_count);
    for (uint32_t i = 0; i < event->field_count; i++) {
        const scn_trace_field *field = &event->fields[i];
        CHECK(field->is_list || field->value_count == 1);
        rt_write_text(out, field->key);
        rt_write_u8(out, field->is_list ? 1 : 0);
        write_texts(out, field->values, field->value_count);
    }
}

static void write_expect(rt_buffer *out, const scn_expect *expect)
{
    rt_write_u32(out, expect->kind);
    write_position(out, expect->at);
    switch (expect->kind) {
    case SCN_EXPECT_MEMORY:
        rt_write_u32(out, expect->memory);
        rt_write_bytes(out, expect->values);
        return;
    case SCN_EXPECT_COUNT:
        rt_write_text(out, expect->event);
        rt_write_u64(out, expect->count);
        return;
    case SCN_EXPECT_PROGRAM_OF:
        rt_write_text(out, expect->kernel);
        write_texts(out, expect->images, expect->image_count);
        return;
    case SCN_EXPECT_TRACE:
        rt_write_u32(out, expect->event_count);
        for (uint32_t i = 0; i < expect->event_count; i++)
            write_event(out, &expect->events[i]);
        return;
    case SCN_EXPECT_FINDING:
        rt_write_text(out, expect->finding);
        rt_write_text(out, expect->kernel);
        rt_write_text(out, expect->finding_memory);
        rt_write_u8(out, expect->has_finding_offset ? 1 : 0);
        rt_write_u64(out, expect->finding_offset);
        return;
    }
    UNREACHABLE();
}

static void write_error(rt_buffer *out, const scn_error *error)
{
    write_position(out, error->at);
    rt_write_text(out, error->documents);
    rt_write_text(out, error->reference_class);
    rt_write_text(out, error->reference_text);
    write_texts(out, error->names, error->name_count);
}

static void write_step(rt_buffer *out, const scn_step *step)
{
    rt_write_u32(out, step->verb);
    write_position(out, step->at);
    rt_write_text(out, step->id);
    switch (step->verb) {
    case SCN_VERB_LOAD:
    case SCN_VERB_UNLOAD: rt_write_u32(out, step->module); break;
    case SCN_VERB_SUBMIT: write_submit(out, &step->submit); break;
    case SCN_VERB_WAIT: break;
    case SCN_VERB_HOST_ACCESS: rt_write_u32(out, step->memory); break;
    case SCN_VERB_EXPECT:
        CHECK(step->expect_count > 0);
        rt_write_u32(out, step->expect_count);
        for (uint32_t i = 0; i < step->expect_count; i++)
            write_expect(out, &step->expect[i]);
        break;
    }
    rt_write_u8(out, step->error ? 1 : 0);
    if (step->error) write_error(out, step->error);
}

void scn_pack_write(rt_buffer *out, const scn_scenario *scenario)
{
    CHECK(scenario->module_count > 0);
    rt_write_u32(out, SCN_PACK_TAG);
    rt_write_u32(out, SCN_PACK_VERSION);
    rt_write_text(out, scenario->path);
    rt_write_text(out, scenario->file);
    rt_write_text(out, scenario->summary);
    rt_write_u32(out, scenario->cover_count);
    for (uint32_t i = 0; i < scenario->cover_count; i++)
        write_cover(out, &scenario->covers[i]);
    rt_write_u32(out, scenario->module_count);
    for (uint32_t i = 0; i < scenario->module_count; i++)
        write_module(out, &scenario->modules[i]);
    rt_write_u32(out, scenario->memory_count);
    for (uint32_t i = 0; i < scenario->memory_count; i++)
        write_memory(out, &scenario->memories[i]);
    rt_write_u32(out, scenario->step_count);
    for (uint32_t i = 0; i < scenario->step_count; i++)
        write_step(out, &scenario->steps[i]);
}
