/* The text form of the model, one line for each item.  Not a format that anything reads. */
#include "conformance/scenario/test/print.h"

#include <inttypes.h>

static void print_text(rt_buffer *out, const char *name, rt_text text)
{
    rt_buffer_printf(out, " %s=\"", name);
    for (size_t i = 0; i < text.length; i++) {
        unsigned char byte = (unsigned char)text.data[i];
        if (byte == '\n')
            rt_buffer_printf(out, "\\n");
        else if (byte < 0x20 || byte == '"' || byte == '\\')
            rt_buffer_printf(out, "\\x%02x", byte);
        else
            rt_buffer_append_byte(out, text.data[i]);
    }
    rt_buffer_append_byte(out, '"');
}

static void print_position(rt_buffer *out, const char *name, scn_position at)
{
    rt_buffer_printf(out, " %s=%u:%u", name, at.line, at.column);
}

static void print_bytes(rt_buffer *out, const char *name, rt_bytes bytes)
{
    rt_buffer_printf(out, " %s=", name);
    if (!bytes.data) {
        rt_buffer_printf(out, "undefined");
        return;
    }
    for (size_t i = 0; i < bytes.size; i++)
        rt_buffer_printf(out, "%02x", bytes.data[i]);
}

static void print_indices(rt_buffer *out, const char *name, const uint32_t *items, uint32_t count)
{
    rt_buffer_printf(out, " %s=[", name);
    for (uint32_t i = 0; i < count; i++)
        rt_buffer_printf(out, "%s%u", i ? "," : "", items[i]);
    rt_buffer_append_byte(out, ']');
}

static void print_module(rt_buffer *out, const scn_module *module)
{
    rt_buffer_printf(out, "module");
    print_text(out, "name", module->name);
    print_position(out, "at", module->at);
    print_indices(out, "needs", module->needs, module->need_count);
    rt_buffer_printf(out, " split=%d", (int)module->split);
    print_text(out, "options", module->build_options);
    rt_buffer_printf(out, " images=%u\n", module->images.count);
    for (uint32_t i = 0; i < module->source_count; i++) {
        const scn_source *source = &module->sources[i];
        rt_buffer_printf(out, "  source language=%d", (int)source->language);
        print_text(out, "name", source->name);
        print_position(out, "at", source->at);
        print_position(out, "code_at", source->code_at);
        print_text(out, "code", source->code);
        rt_buffer_append_byte(out, '\n');
    }
    for (uint32_t i = 0; i < module->images.count; i++) {
        rt_buffer_printf(out, "  image");
        print_text(out, "name", module->images.images[i].name);
        rt_buffer_printf(out, " hash=%s\n", rt_hash_print(module->images.images[i].hash).digits);
    }
}

static void print_submit(rt_buffer *out, const scn_submit *submit)
{
    print_text(out, "kernel", submit->kernel);
    for (uint32_t d = 0; d < submit->dimensions; d++) {
        rt_buffer_printf(out, " [%" PRIu64 "+%" PRIu64 "/%" PRIu64 "]", submit->range[d],
                         submit->offset[d], submit->local[d]);
    }
    print_indices(out, "after", submit->after, submit->after_count);
    for (uint32_t i = 0; i < submit->argument_count; i++) {
        const scn_argument *argument = &submit->arguments[i];
        rt_buffer_printf(out, "\n    argument");
        if (argument->kind == SCN_ARGUMENT_MEMORY) {
            rt_buffer_printf(out, " memory=%u access=%d", argument->memory, (int)argument->access);
        } else if (argument->kind == SCN_ARGUMENT_VALUE) {
            print_bytes(out, scn_type_name(argument->type), argument->value);
        } else {
            rt_buffer_printf(out, " local=%" PRIu64, argument->size);
        }
    }
}

static void print_event(rt_buffer *out, const scn_trace_event *event)
{
    rt_buffer_printf(out, "\n      event");
    print_position(out, "at", event->at);
    print_text(out, "kind", event->kind);
    for (uint32_t i = 0; i < event->field_count; i++) {
        const scn_trace_field *field = &event->fields[i];
        rt_buffer_printf(out, " %s", field->is_list ? "list" : "field");
        print_text(out, "key", field->key);
        for (uint32_t j = 0; j < field->value_count; j++)
            print_text(out, "value", field->values[j]);
    }
}

static void print_expect(rt_buffer *out, const scn_expect *expect)
{
    rt_buffer_printf(out, "\n    expect kind=%d", (int)expect->kind);
    print_position(out, "at", expect->at);
    if (expect->kind == SCN_EXPECT_MEMORY) {
        rt_buffer_printf(out, " memory=%u", expect->memory);
        print_bytes(out, "values", expect->values);
    }
    print_text(out, "event", expect->event);
    rt_buffer_printf(out, " count=%" PRIu64, expect->count);
    print_text(out, "kernel", expect->kernel);
    for (uint32_t i = 0; i < expect->image_count; i++)
        print_text(out, "image", expect->images[i]);
    print_text(out, "finding", expect->finding);
    print_text(out, "in", expect->finding_memory);
    if (expect->has_finding_offset) {
        rt_buffer_printf(out, " offset=%" PRIu64, expect->finding_offset);
    }
    for (uint32_t i = 0; i < expect->event_count; i++)
        print_event(out, &expect->events[i]);
}

static void print_error(rt_buffer *out, const scn_error *error)
{
    rt_buffer_printf(out, "\n    error");
    print_position(out, "at", error->at);
    print_text(out, "documents", error->documents);
    print_text(out, "class", error->reference_class);
    print_text(out, "text", error->reference_text);
    for (uint32_t i = 0; i < error->name_count; i++)
        print_text(out, "names", error->names[i]);
}

static void print_step(rt_buffer *out, const scn_step *step)
{
    static const char *const verbs[] = {"load", "unload",      "submit",
                                        "wait", "host_access", "expect"};
    rt_buffer_printf(out, "step %s", verbs[step->verb]);
    print_position(out, "at", step->at);
    print_text(out, "id", step->id);
    bool module = step->verb == SCN_VERB_LOAD || step->verb == SCN_VERB_UNLOAD;
    if (module) rt_buffer_printf(out, " module=%u", step->module);
    if (step->verb == SCN_VERB_HOST_ACCESS) rt_buffer_printf(out, " memory=%u", step->memory);
    if (step->verb == SCN_VERB_SUBMIT) print_submit(out, &step->submit);
    for (uint32_t i = 0; i < step->expect_count; i++)
        print_expect(out, &step->expect[i]);
    if (step->error) print_error(out, step->error);
    rt_buffer_append_byte(out, '\n');
}

void scn_print(rt_buffer *out, const scn_scenario *scenario)
{
    rt_buffer_printf(out, "scenario");
    print_text(out, "path", scenario->path);
    print_text(out, "file", scenario->file);
    print_text(out, "summary", scenario->summary);
    rt_buffer_append_byte(out, '\n');
    for (uint32_t i = 0; i < scenario->cover_count; i++) {
        const scn_cover *cover = &scenario->covers[i];
        rt_buffer_printf(out, "covers %s", rt_rule_name(cover->rule));
        print_text(out, "at", cover->at);
        print_position(out, "position", cover->position);
        rt_buffer_append_byte(out, '\n');
    }
    for (uint32_t i = 0; i < scenario->module_count; i++)
        print_module(out, &scenario->modules[i]);
    for (uint32_t i = 0; i < scenario->memory_count; i++) {
        const scn_memory *memory = &scenario->memories[i];
        rt_buffer_printf(out, "memory");
        print_text(out, "name", memory->name);
        print_position(out, "at", memory->at);
        rt_buffer_printf(out, " type=%s count=%" PRIu64, scn_type_name(memory->type),
                         memory->count);
        print_bytes(out, "initial", memory->initial);
        rt_buffer_append_byte(out, '\n');
    }
    for (uint32_t i = 0; i < scenario->step_count; i++)
        print_step(out, &scenario->steps[i]);
}
