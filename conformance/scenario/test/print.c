/* The text form of the model, one line for each item. Nothing reads this format.
 *
 * It is written by hand although the fields of each verb stand in a table (schema.h): the reader,
 * packs and the schema take their fields from there, so a field that is missing or swapped in the
 * table would be missing in a printer that is driven by it, too. */
#include "conformance/scenario/test/print.h"

#include "conformance/scenario/model/type.h"

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

static void print_texts(rt_buffer *out, const char *name, const rt_text *texts, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        print_text(out, name, texts[i]);
}

/* Prints an index, or nothing if it is SCN_NONE. */
static void print_optional(rt_buffer *out, const char *name, uint32_t index)
{
    if (index != SCN_NONE) rt_buffer_printf(out, " %s=%u", name, index);
}

/* ---- Modules ------------------------------------------------------------------------------ */

static void print_source(rt_buffer *out, const char *indent, const scn_source *source)
{
    rt_buffer_printf(out, "%ssource language=%s", indent, scn_language_name(source->language));
    print_text(out, "name", source->name);
    print_position(out, "at", source->at);
    if (source->file.length > 0) print_text(out, "file", source->file);
    print_position(out, "code_at", source->code_at);
    print_text(out, "code", source->code);
    rt_buffer_append_byte(out, '\n');
}

static void print_set(rt_buffer *out, const rt_property_set *set)
{
    rt_buffer_printf(out, "    set");
    print_text(out, "name", set->name);
    for (uint32_t i = 0; i < set->property_count; i++) {
        const rt_property *property = &set->properties[i];
        print_text(out, "property", property->name);
        if (property->type == RT_PROPERTY_UINT32)
            rt_buffer_printf(out, " number=%u", property->number);
        else
            print_bytes(out, "bytes", property->bytes);
    }
    rt_buffer_append_byte(out, '\n');
}

static void print_hand_image(rt_buffer *out, const scn_hand_image *image)
{
    rt_buffer_printf(out, "  hand image format=%s", rt_format_name(image->format));
    print_position(out, "at", image->at);
    print_text(out, "compile", image->compile_options);
    print_text(out, "link", image->link_options);
    if (image->kernels_given) rt_buffer_printf(out, " kernels=%u", image->kernel_count);
    print_texts(out, "kernel", image->kernels, image->kernel_count);
    if (image->sets_given) rt_buffer_printf(out, " sets=%u", image->set_count);
    rt_buffer_append_byte(out, '\n');
    for (uint32_t i = 0; i < image->set_count; i++)
        print_set(out, &image->sets[i]);
    print_source(out, "    ", &image->source);
}

static void print_globals(rt_buffer *out, rt_device_global_list list)
{
    for (uint32_t i = 0; i < list.count; i++) {
        const rt_device_global *global = &list.globals[i];
        rt_buffer_printf(out, "  device_global");
        print_text(out, "id", global->unique_id);
        print_text(out, "name", global->name);
        rt_buffer_printf(out, " size=%llu%s access=%s\n", (unsigned long long)global->size,
                         global->image_scope ? " image_scope" : "",
                         rt_host_access_name(global->host_access));
    }
}

static void print_module(rt_buffer *out, const scn_module *module)
{
    rt_buffer_printf(out, "module");
    print_text(out, "name", module->name);
    print_position(out, "at", module->at);
    print_indices(out, "needs", module->needs, module->need_count);
    print_texts(out, "host_symbol", module->host_symbols, module->host_symbol_count);
    rt_buffer_printf(out, " split=%d formats=%u target lacks %u", (int)module->split,
                     module->formats, module->target_lacks);
    print_text(out, "options", module->build_options);
    if (module->compile_target.length > 0) print_text(out, "target", module->compile_target);
    if (module->truncate > 0)
        rt_buffer_printf(out, " truncate=%llu", (unsigned long long)module->truncate);
    if (module->compile_options.length > 0) print_text(out, "compile", module->compile_options);
    if (module->link_options.length > 0) print_text(out, "link", module->link_options);
    if (module->file_name.length) print_text(out, "file_name", module->file_name);
    rt_buffer_printf(out, "%s images=%u\n", module->registers ? "" : " unregistered",
                     module->images.count);
    print_globals(out, module->device_globals);
    for (uint32_t i = 0; i < module->source_count; i++)
        print_source(out, "  ", &module->sources[i]);
    for (uint32_t i = 0; i < module->hand_image_count; i++)
        print_hand_image(out, &module->hand_images[i]);
    for (uint32_t i = 0; i < module->host_half_count; i++) {
        const scn_host_half *half = &module->host_halves[i];
        rt_buffer_printf(out, "  host half of source %u", half->source);
        print_text(out, "header", half->header);
        print_text(out, "footer", half->footer);
        rt_buffer_append_byte(out, '\n');
        print_globals(out, half->globals);
    }
    for (uint32_t i = 0; i < module->images.count; i++) {
        rt_buffer_printf(out, "  image");
        print_text(out, "name", module->images.images[i].name);
        rt_buffer_printf(out, " hash=%s\n", rt_hash_print(module->images.images[i].hash).digits);
    }
}

/* ---- Devices and memories ----------------------------------------------------------------- */

static void print_device(rt_buffer *out, const scn_device *device)
{
    rt_buffer_printf(out, "device");
    print_text(out, "name", device->name);
    print_position(out, "at", device->at);
    rt_buffer_printf(out, " hidden=%u required=%u", device->hidden_aspects,
                     device->required_aspects);
    if (device->links_given) rt_buffer_printf(out, " links=%u", device->links);
    if (device->architecture.length > 0) print_text(out, "architecture", device->architecture);
    rt_buffer_printf(out, "\n");
}

/* " type=float4", " type={int a@0; float4 b@16}:32": for a struct, with offsets and size. */
static void print_layout(rt_buffer *out, const scn_layout *layout)
{
    rt_buffer_printf(out, " type=%s", layout->is_struct ? "{" : "");
    for (uint32_t i = 0; i < layout->field_count; i++) {
        const scn_field *field = &layout->fields[i];
        rt_buffer_printf(out, "%s%s", i ? "; " : "", scn_type_name(field->type));
        if (field->lanes > 1) rt_buffer_printf(out, "%u", field->lanes);
        if (!layout->is_struct) continue;
        rt_buffer_printf(out, " %.*s@%u", RT_TEXT_ARG(field->name), field->offset);
    }
    if (layout->is_struct) rt_buffer_printf(out, "}:%u", layout->size);
}

static void print_promotion(rt_buffer *out, scn_promotion promotion)
{
    if (promotion != SCN_PROMOTION_NONE) rt_buffer_printf(out, " promotion=%d", (int)promotion);
}

static void print_memory(rt_buffer *out, const scn_memory *memory)
{
    static const char *const kinds[] = {"buffer", "usm device", "usm host", "usm shared"};
    static const char *const tolerances[] = {"", "ulp", "absolute", "relative"};
    rt_buffer_printf(out, "memory");
    print_text(out, "name", memory->name);
    print_position(out, "at", memory->at);
    rt_buffer_printf(out, " %s", kinds[memory->kind]);
    if (memory->kind != SCN_MEMORY_BUFFER) rt_buffer_printf(out, " device=%u", memory->device);
    print_layout(out, &memory->layout);
    rt_buffer_printf(out, " count=%" PRIu64, memory->count);
    if (memory->tolerance_kind != SCN_TOLERANCE_NONE) {
        rt_buffer_printf(out, " %s=%a", tolerances[memory->tolerance_kind], memory->tolerance);
    }
    if (memory->unordered) rt_buffer_printf(out, " unordered");
    if (memory->addresses) rt_buffer_printf(out, " addresses");
    if (memory->same_value_writes) rt_buffer_printf(out, " same_value_writes");
    for (uint32_t i = 0; i < memory->uncompared_count; i++)
        rt_buffer_printf(out, " uncompared=%" PRIu64, memory->uncompared[i]);
    print_promotion(out, memory->promotion);
    print_bytes(out, "initial", memory->initial);
    rt_buffer_append_byte(out, '\n');
}

/* ---- Commands ----------------------------------------------------------------------------- */

static void print_argument(rt_buffer *out, const scn_argument *argument)
{
    rt_buffer_printf(out, "\n    argument");
    print_position(out, "at", argument->at);
    switch (argument->kind) {
    case SCN_ARGUMENT_MEMORY:
        rt_buffer_printf(out, " memory=%u access=%d", argument->memory, (int)argument->access);
        print_promotion(out, argument->promotion);
        return;
    case SCN_ARGUMENT_POINTER:
        rt_buffer_printf(out, " pointer=%u+%" PRIu64, argument->memory, argument->offset);
        return;
    case SCN_ARGUMENT_NULL: rt_buffer_printf(out, " null"); return;
    case SCN_ARGUMENT_LOCAL: rt_buffer_printf(out, " local=%" PRIu64, argument->size); return;
    case SCN_ARGUMENT_VALUE: break;
    case SCN_ARGUMENT_KIND_COUNT: UNREACHABLE();
    }
    print_layout(out, &argument->layout);
    print_bytes(out, "value", argument->value);
    for (uint32_t i = 0; i < argument->pointer_count; i++) {
        const scn_inner_pointer *pointer = &argument->pointers[i];
        rt_buffer_printf(out, " pointer@%" PRIu64 "=%u+%" PRIu64, pointer->at, pointer->memory,
                         pointer->offset);
    }
}

static void print_constants(rt_buffer *out, const scn_spec_constant *constants, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        rt_buffer_printf(out, "\n    constant");
        print_text(out, "name", constants[i].name);
        print_position(out, "at", constants[i].at);
        print_bytes(out, "value", constants[i].value);
    }
}

static void print_bundle(rt_buffer *out, const scn_bundle *bundle)
{
    static const char *const actions[] = {"get", "compile", "link", "build", "join"};
    _Static_assert(sizeof actions / sizeof *actions == SCN_BUNDLE_ACTION_COUNT, "all actions");
    rt_buffer_printf(out, " %s state=%u device=%u", actions[bundle->action], bundle->state,
                     bundle->device);
    print_optional(out, "context", bundle->context);
    print_texts(out, "kernel", bundle->kernels, bundle->kernel_count);
    print_indices(out, "of", bundle->sources, bundle->source_count);
    if (bundle->options.length) print_text(out, "options", bundle->options);
    print_constants(out, bundle->constants, bundle->constant_count);
}

static void print_submit(rt_buffer *out, const scn_submit *submit)
{
    print_text(out, "kernel", submit->kernel);
    for (uint32_t d = 0; d < submit->dimensions; d++) {
        rt_buffer_printf(out, " [%" PRIu64 "+%" PRIu64 "/%" PRIu64 "]", submit->range[d],
                         submit->offset[d], submit->local[d]);
    }
    for (uint32_t i = 0; i < submit->argument_count; i++)
        print_argument(out, &submit->arguments[i]);
    if (submit->options.length) print_text(out, "options", submit->options);
    if (submit->module != SCN_NONE) rt_buffer_printf(out, " module=%u", submit->module);
    if (submit->bundle != SCN_NONE) rt_buffer_printf(out, " bundle=%u", submit->bundle);
    print_constants(out, submit->constants, submit->constant_count);
}

static void print_variable(rt_buffer *out, const scn_variable *variable)
{
    print_text(out, "variable", variable->name);
    print_position(out, "at", variable->at);
    print_optional(out, "module", variable->module);
    print_optional(out, "global", variable->global);
}

static void print_end(rt_buffer *out, const char *name, uint32_t memory, uint64_t offset)
{
    rt_buffer_printf(out, " %s=", name);
    if (memory == SCN_NONE)
        rt_buffer_printf(out, "variable+%" PRIu64, offset);
    else
        rt_buffer_printf(out, "%u+%" PRIu64, memory, offset);
}

static void print_transfer(rt_buffer *out, scn_verb verb, const scn_transfer *transfer)
{
    if (verb == SCN_VERB_COPY) print_end(out, "from", transfer->from, transfer->from_offset);
    print_end(out, "to", transfer->to, transfer->to_offset);
    if (transfer->to_end)
        rt_buffer_printf(out, " to_end");
    else
        rt_buffer_printf(out, " size=%" PRIu64, transfer->size);
    if (transfer->variable.name.length) print_variable(out, &transfer->variable);
    if (transfer->by_handler) rt_buffer_printf(out, " handler");
    if (verb == SCN_VERB_FILL) print_bytes(out, "pattern", transfer->pattern);
}

/* ---- Expectations ------------------------------------------------------------------------- */

static void print_event(rt_buffer *out, const scn_trace_event *event)
{
    rt_buffer_printf(out, "\n      event");
    print_position(out, "at", event->at);
    print_text(out, "kind", event->kind);
    if (event->program_of.length > 0) print_text(out, "program_of", event->program_of);
    for (uint32_t i = 0; i < event->field_count; i++) {
        const scn_trace_field *field = &event->fields[i];
        rt_buffer_printf(out, " %s", field->is_list ? "list" : "field");
        print_text(out, "key", field->key);
        print_texts(out, "value", field->values, field->value_count);
    }
    for (uint32_t i = 0; i < event->condition_count; i++) {
        const scn_image_condition *condition = &event->conditions[i];
        rt_buffer_printf(out, " %s", condition->negated ? "not" : "holds");
        if (condition->set.length > 0) print_text(out, "set", condition->set);
        if (condition->has_dummy) rt_buffer_printf(out, " dummy %d", condition->dummy);
        if (condition->module != SCN_NONE) rt_buffer_printf(out, " module %u", condition->module);
        if (condition->kernel.length > 0) print_text(out, "kernel", condition->kernel);
        if (condition->exported.length > 0) print_text(out, "exports", condition->exported);
    }
}

static void print_error(rt_buffer *out, const scn_error *error)
{
    rt_buffer_printf(out, "\n    error%s", error->none ? " none" : "");
    print_position(out, "at", error->at);
    if (error->none) return;
    print_text(out, "documents", error->documents);
    print_text(out, "class", error->reference_class);
    print_text(out, "text", error->reference_text);
    print_texts(out, "names", error->names, error->name_count);
}

static void print_expect(rt_buffer *out, const scn_expect *expect);

static void print_outcomes(rt_buffer *out, const scn_outcome *outcomes, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        rt_buffer_printf(out, "\n    outcome");
        print_position(out, "at", outcomes[i].at);
        print_text(out, "name", outcomes[i].name);
        for (uint32_t e = 0; e < outcomes[i].expect_count; e++)
            print_expect(out, &outcomes[i].expects[e]);
        if (outcomes[i].error) print_error(out, outcomes[i].error);
    }
}

static void print_finding(rt_buffer *out, const scn_expect *expect)
{
    print_text(out, "finding", expect->finding.kind);
    print_text(out, "kernel", expect->finding.kernel);
    print_text(out, "in", expect->finding.memory);
    if (expect->finding.has_offset) {
        rt_buffer_printf(out, " offset=%" PRIu64, expect->finding.offset);
    }
    for (uint32_t i = 0; i < expect->finding.alternative_count; i++)
        print_text(out, "or", expect->finding.alternatives[i]);
    if (expect->finding.others) rt_buffer_printf(out, " others");
}

static void print_expect(rt_buffer *out, const scn_expect *expect)
{
    static const char *const kinds[] = {"memory",      "count",    "program_of",  "trace",
                                        "never",       "finding",  "host_symbol", "one_of",
                                        "output",      "warnings", "bundle",      "variable",
                                        "fusion_mode", "event",    "mapped"};
    _Static_assert(sizeof kinds / sizeof *kinds == SCN_EXPECT_KIND_COUNT, "all kinds");
    rt_buffer_printf(out, "\n    expect %s", kinds[expect->kind]);
    print_position(out, "at", expect->at);
    switch (expect->kind) {
    case SCN_EXPECT_MEMORY:
        rt_buffer_printf(out, " memory=%u", expect->memory.index);
        print_bytes(out, "values", expect->memory.values);
        return;
    case SCN_EXPECT_COUNT:
        print_text(out, "event", expect->count.event);
        rt_buffer_printf(out, " count=%" PRIu64, expect->count.count);
        return;
    case SCN_EXPECT_PROGRAM_OF:
        print_text(out, "kernel", expect->program.kernel);
        print_texts(out, "image", expect->program.images, expect->program.image_count);
        return;
    case SCN_EXPECT_TRACE:
    case SCN_EXPECT_NEVER:
        for (uint32_t i = 0; i < expect->trace.event_count; i++)
            print_event(out, &expect->trace.events[i]);
        return;
    case SCN_EXPECT_FINDING: print_finding(out, expect); return;
    case SCN_EXPECT_HOST_SYMBOL:
        print_text(out, "symbol", expect->host_symbol.symbol);
        rt_buffer_printf(out, " by=%u", expect->host_symbol.by);
        print_optional(out, "from", expect->host_symbol.from);
        return;
    case SCN_EXPECT_ONE_OF:
        print_outcomes(out, expect->one_of.outcomes, expect->one_of.outcome_count);
        return;
    case SCN_EXPECT_OUTPUT: print_text(out, "text", expect->output); return;
    case SCN_EXPECT_WARNINGS: rt_buffer_printf(out, " count=%u", expect->warnings); return;
    case SCN_EXPECT_VARIABLE:
        print_variable(out, &expect->variable.variable);
        rt_buffer_printf(out, " device=%u element=%u", expect->variable.device,
                         expect->variable.layout.size);
        print_bytes(out, "values", expect->variable.values);
        return;
    case SCN_EXPECT_BUNDLE:
        rt_buffer_printf(out, " bundle=%u", expect->bundle.step);
        print_texts(out, "has", expect->bundle.has, expect->bundle.has_count);
        print_texts(out, "lacks", expect->bundle.lacks, expect->bundle.lacks_count);
        if (expect->bundle.has_unit_count)
            rt_buffer_printf(out, " units=%" PRIu64, expect->bundle.unit_count);
        print_texts(out, "image", expect->bundle.images, expect->bundle.image_count);
        return;
    case SCN_EXPECT_FUSION_MODE:
        rt_buffer_printf(out, " queue=%u is=%d", expect->fusion_mode.queue,
                         expect->fusion_mode.is_active);
        return;
    case SCN_EXPECT_EVENT:
        rt_buffer_printf(out, " step=%u status=%s", expect->event.step,
                         scn_event_status_name(expect->event.status));
        return;
    case SCN_EXPECT_MAPPED:
        rt_buffer_printf(out, " map=%u", expect->mapped.map);
        print_bytes(out, "values", expect->mapped.values);
        return;
    case SCN_EXPECT_KIND_COUNT: break;
    }
    UNREACHABLE();
}

/* ---- Steps -------------------------------------------------------------------------------- */

static void print_command(rt_buffer *out, const scn_step *step)
{
    const scn_command *command = scn_step_command(step);
    rt_buffer_printf(out, " device=%u", command->device);
    print_optional(out, "on", command->queue);
    print_indices(out, "after", command->after, command->after_count);
    if (step->verb == SCN_VERB_SUBMIT)
        print_submit(out, &step->submit);
    else if (step->verb == SCN_VERB_HOST_TASK) {
        rt_buffer_printf(out, " from=%u", step->task.from);
        print_optional(out, "to", step->task.to);
        print_optional(out, "waits_for", step->task.waits_for);
    } else if (step->verb == SCN_VERB_MAP) {
        rt_buffer_printf(out, " memory=%u access=%u offset=%" PRIu64 " size=%" PRIu64 "%s",
                         step->map.memory, step->map.access, step->map.offset, step->map.size,
                         step->map.blocking ? " blocking" : "");
    } else if (step->verb == SCN_VERB_UNMAP) {
        rt_buffer_printf(out, " map=%u", step->unmap.map);
    } else if (step->verb == SCN_VERB_COPY || step->verb == SCN_VERB_FILL)
        print_transfer(out, step->verb, &step->transfer);
}

static void print_verb(rt_buffer *out, const scn_step *step)
{
    switch (step->verb) {
    case SCN_VERB_LOAD:
    case SCN_VERB_UNLOAD: rt_buffer_printf(out, " module=%u", step->load.module); return;
    case SCN_VERB_LOAD_IMAGE:
        rt_buffer_printf(out, " module=%u image=%u", step->load.module, step->load.image);
        return;
    case SCN_VERB_USER_EVENT:
    case SCN_VERB_DEVICE: rt_buffer_printf(out, " device=%u", step->device); return;
    case SCN_VERB_CONTEXT:
        print_indices(out, "devices", step->context.devices, step->context.device_count);
        return;
    case SCN_VERB_QUEUE:
        rt_buffer_printf(out, " device=%u%s%s%s", step->queue.device,
                         step->queue.in_order ? " in_order" : "",
                         step->queue.enable_fusion ? " enable_fusion" : "",
                         step->queue.enable_profiling ? " enable_profiling" : "");
        print_optional(out, "context", step->queue.context);
        return;
    case SCN_VERB_BUNDLE: print_bundle(out, &step->bundle); return;
    case SCN_VERB_SUBMIT:
    case SCN_VERB_COPY:
    case SCN_VERB_FILL:
    case SCN_VERB_BARRIER:
    case SCN_VERB_MARKER:
    case SCN_VERB_MAP:
    case SCN_VERB_UNMAP:
    case SCN_VERB_HOST_TASK: print_command(out, step); return;
    case SCN_VERB_MAP_WRITE:
        rt_buffer_printf(out, " map=%u offset=%" PRIu64, step->map_write.map,
                         step->map_write.offset);
        print_bytes(out, "values", step->map_write.values);
        return;
    case SCN_VERB_START_FUSION:
    case SCN_VERB_CANCEL_FUSION:
    case SCN_VERB_END_QUEUE: print_optional(out, "on", step->fusion.queue); return;
    case SCN_VERB_COMPLETE_FUSION:
        print_optional(out, "on", step->fusion.queue);
        if (step->fusion.no_barriers) rt_buffer_printf(out, " no_barriers");
        return;
    case SCN_VERB_WAIT:
        print_optional(out, "on", step->wait.queue);
        print_optional(out, "awaited", step->wait.step);
        return;
    case SCN_VERB_SUB_BUFFER:
        rt_buffer_printf(out, " memory=%u of=%u offset=%llu", step->part.memory, step->part.whole,
                         (unsigned long long)step->part.offset);
        return;
    case SCN_VERB_COMPLETE_EVENT:
        rt_buffer_printf(out, " event=%u%s", step->completion.event,
                         step->completion.failed ? " failed" : "");
        return;
    case SCN_VERB_PROFILING:
        rt_buffer_printf(out, " step=%u", step->profiling.step);
        print_optional(out, "after", step->profiling.after);
        print_optional(out, "same_as", step->profiling.same_as);
        return;
    case SCN_VERB_END_MEMORY:
    case SCN_VERB_HOST_ACCESS: rt_buffer_printf(out, " memory=%u", step->memory); return;
    case SCN_VERB_PARALLEL:
        rt_buffer_printf(out, " threads=%u steps=%u", step->parallel.thread_count,
                         step->parallel.nested_count);
        return;
    case SCN_VERB_RESTART: return;
    case SCN_VERB_EXPECT:
        for (uint32_t i = 0; i < step->expect_count; i++)
            print_expect(out, &step->expect[i]);
        return;
    case SCN_VERB_COUNT: break;
    }
    UNREACHABLE();
}

static void print_step(rt_buffer *out, const scn_step *step)
{
    static const char *const verbs[] = {
        "load",      "unload",       "load_image",      "device",        "context",
        "queue",     "bundle",       "submit",          "copy",          "fill",
        "barrier",   "marker",       "user_event",      "map",           "map_write",
        "unmap",     "sub_buffer",   "complete_event",  "wait",          "host_access",
        "parallel",  "start_fusion", "complete_fusion", "cancel_fusion", "host_task",
        "end_queue", "end_memory",   "profiling",       "restart",       "expect"};
    _Static_assert(sizeof verbs / sizeof *verbs == SCN_VERB_COUNT, "all verbs");
    rt_buffer_printf(out, "step %s", verbs[step->verb]);
    print_position(out, "at", step->at);
    print_text(out, "id", step->id);
    if (step->thread > 0) rt_buffer_printf(out, " thread=%u", step->thread);
    if (step->profile != RT_PROFILE_COUNT) {
        rt_buffer_printf(out, " profile=%s", rt_profile_name(step->profile));
    }
    print_verb(out, step);
    if (step->error) print_error(out, step->error);
    print_outcomes(out, step->outcomes, step->outcome_count);
    rt_buffer_append_byte(out, '\n');
}

/* ---- The whole ---------------------------------------------------------------------------- */

void scn_print(rt_buffer *out, const scn_scenario *scenario)
{
    rt_buffer_printf(out, "scenario");
    print_text(out, "path", scenario->path);
    print_text(out, "file", scenario->file);
    print_text(out, "summary", scenario->summary);
    print_indices(out, "preloaded", scenario->preloaded, scenario->preloaded_count);
    if (scenario->prefer_preloaded) rt_buffer_printf(out, " prefer_preloaded");
    if (scenario->persistent_cache) rt_buffer_printf(out, " persistent_cache");
    if (scenario->cache_cut)
        rt_buffer_printf(out, " cache_cut=%llu", (unsigned long long)scenario->cache_cut);
    if (scenario->cache_mixed) rt_buffer_printf(out, " cache_mixed");
    if (scenario->twin) rt_buffer_printf(out, " twin");
    if (scenario->warning_level) rt_buffer_printf(out, " warnings=%u", scenario->warning_level);
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
    for (uint32_t i = 0; i < scenario->device_count; i++)
        print_device(out, &scenario->devices[i]);
    for (uint32_t i = 0; i < scenario->memory_count; i++)
        print_memory(out, &scenario->memories[i]);
    for (uint32_t i = 0; i < scenario->step_count; i++)
        print_step(out, &scenario->steps[i]);
}
