/* The serialised form of a checked scenario, written.  Little-endian (base/stream.h):
 *
 *     "ASSC" u32 version  path file summary  covers  modules  preloaded  persistent  devices
 * memories  steps  refusals of modules  packed  artefacts
 *
 * Tables are a u32 count and the items; positions are two u32; where a field may be absent, a u8
 * tells.  Of expectations, arguments and steps only what their kind has is there.  Fields of a
 * layout have no offsets: the reader places them anew.  pack_read.c and pack_read_steps.c are the
 * twins of this file, line by line. */
#include "conformance/scenario/pack/pack.h"

#include <string.h>

static void write_position(rt_buffer *out, scn_position at)
{
    CHECK(at.line >= 1 && at.column >= 1);
    rt_write_u32(out, at.line);
    rt_write_u32(out, at.column);
}

static void write_flag(rt_buffer *out, bool flag)
{
    rt_write_u8(out, flag ? 1 : 0);
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

/* ---- Modules ------------------------------------------------------------------------------ */

static void write_source(rt_buffer *out, const scn_source *source)
{
    CHECK((unsigned)source->language < SCN_LANGUAGE_COUNT);
    rt_write_u32(out, source->language);
    rt_write_text(out, source->name);
    rt_write_text(out, source->code);
    rt_write_text(out, source->file);
    write_position(out, source->code_at);
    write_position(out, source->at);
}

static void write_hand_image(rt_buffer *out, const scn_hand_image *image)
{
    CHECK((unsigned)image->format < RT_FORMAT_COUNT);
    CHECK_IMPLIES(image->kernel_count > 0, image->kernels_given);
    CHECK_IMPLIES(image->set_count > 0, image->sets_given);
    write_position(out, image->at);
    write_source(out, &image->source);
    rt_write_u32(out, image->format);
    write_flag(out, image->kernels_given);
    write_texts(out, image->kernels, image->kernel_count);
    write_flag(out, image->sets_given);
    rt_write_u32(out, image->set_count);
    for (uint32_t i = 0; i < image->set_count; i++)
        rt_property_set_write(out, &image->sets[i]);
    rt_write_text(out, image->compile_options);
    rt_write_text(out, image->link_options);
}

static void write_module(rt_buffer *out, const scn_module *module)
{
    CHECK((unsigned)module->split < RT_SPLIT_COUNT);
    CHECK(module->formats >> RT_FORMAT_COUNT == 0);
    rt_write_text(out, module->name);
    write_position(out, module->at);
    write_indices(out, module->needs, module->need_count);
    write_texts(out, module->host_symbols, module->host_symbol_count);
    rt_write_u32(out, module->source_count);
    for (uint32_t i = 0; i < module->source_count; i++)
        write_source(out, &module->sources[i]);
    rt_write_u32(out, module->split);
    rt_write_text(out, module->build_options);
    rt_write_u32(out, module->formats);
    rt_write_u32(out, module->target_lacks);
    rt_write_text(out, module->compile_options);
    rt_write_text(out, module->link_options);
    rt_write_u32(out, module->hand_image_count);
    for (uint32_t i = 0; i < module->hand_image_count; i++)
        write_hand_image(out, &module->hand_images[i]);
    rt_write_text(out, module->file_name);
    write_flag(out, module->registers);
    rt_image_list_write(out, module->images);
    rt_device_global_list_write(out, module->device_globals);
}

/* ---- Devices and memories ----------------------------------------------------------------- */

static void write_device(rt_buffer *out, const scn_device *device)
{
    rt_write_text(out, device->name);
    write_position(out, device->at);
    rt_write_u32(out, device->hidden_aspects);
    rt_write_u32(out, device->required_aspects);
    write_flag(out, device->links_given);
    rt_write_u32(out, device->links);
}

static void write_layout(rt_buffer *out, const scn_layout *layout)
{
    CHECK(layout->field_count >= 1);
    CHECK_IMPLIES(!layout->is_struct, layout->field_count == 1);
    write_flag(out, layout->is_struct);
    rt_write_u32(out, layout->field_count);
    for (uint32_t i = 0; i < layout->field_count; i++) {
        rt_write_text(out, layout->fields[i].name);
        rt_write_u8(out, (uint8_t)layout->fields[i].type);
        rt_write_u8(out, (uint8_t)layout->fields[i].lanes);
    }
}

static void write_double(rt_buffer *out, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    rt_write_u64(out, bits);
}

static void write_memory(rt_buffer *out, const scn_memory *memory)
{
    CHECK(!memory->initial.data || memory->initial.size == memory->count * memory->layout.size);
    CHECK((unsigned)memory->kind < SCN_MEMORY_KIND_COUNT);
    rt_write_text(out, memory->name);
    write_position(out, memory->at);
    rt_write_u32(out, memory->kind);
    rt_write_u32(out, memory->device);
    write_layout(out, &memory->layout);
    rt_write_u64(out, memory->count);
    rt_write_u32(out, memory->tolerance_kind);
    write_double(out, memory->tolerance);
    write_flag(out, memory->unordered);
    write_flag(out, memory->addresses);
    rt_write_u32(out, memory->promotion);
    write_flag(out, memory->initial.data != NULL);
    if (memory->initial.data) rt_write_bytes(out, memory->initial);
}

/* ---- Commands ----------------------------------------------------------------------------- */

static void write_value(rt_buffer *out, const scn_argument *argument)
{
    CHECK(argument->value.size == argument->layout.size);
    write_layout(out, &argument->layout);
    rt_write_bytes(out, argument->value);
    rt_write_u32(out, argument->pointer_count);
    for (uint32_t i = 0; i < argument->pointer_count; i++) {
        rt_write_u64(out, argument->pointers[i].at);
        rt_write_u32(out, argument->pointers[i].memory);
        rt_write_u64(out, argument->pointers[i].offset);
    }
}

static void write_argument(rt_buffer *out, const scn_argument *argument)
{
    rt_write_u32(out, argument->kind);
    write_position(out, argument->at);
    switch (argument->kind) {
    case SCN_ARGUMENT_MEMORY:
        rt_write_u32(out, argument->memory);
        rt_write_u32(out, argument->access);
        rt_write_u32(out, argument->promotion);
        return;
    case SCN_ARGUMENT_POINTER:
        rt_write_u32(out, argument->memory);
        rt_write_u64(out, argument->offset);
        return;
    case SCN_ARGUMENT_NULL: return;
    case SCN_ARGUMENT_VALUE: write_value(out, argument); return;
    case SCN_ARGUMENT_LOCAL: rt_write_u64(out, argument->size); return;
    case SCN_ARGUMENT_KIND_COUNT: break;
    }
    UNREACHABLE();
}

static void write_constant(rt_buffer *out, const scn_spec_constant *constant)
{
    rt_write_text(out, constant->name);
    write_position(out, constant->at);
    rt_write_bytes(out, constant->value);
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
    rt_write_u32(out, submit->constant_count);
    for (uint32_t i = 0; i < submit->constant_count; i++)
        write_constant(out, &submit->constants[i]);
    rt_write_text(out, submit->options);
    rt_write_u32(out, submit->module);
    rt_write_u32(out, submit->bundle);
}

static void write_bundle(rt_buffer *out, const scn_bundle *bundle)
{
    rt_write_u32(out, bundle->action);
    rt_write_u32(out, bundle->state);
    rt_write_u32(out, bundle->device);
    rt_write_u32(out, bundle->context);
    write_texts(out, bundle->kernels, bundle->kernel_count);
    rt_write_u32(out, bundle->constant_count);
    for (uint32_t i = 0; i < bundle->constant_count; i++)
        write_constant(out, &bundle->constants[i]);
    write_indices(out, bundle->sources, bundle->source_count);
    rt_write_text(out, bundle->options);
}

static void write_variable(rt_buffer *out, const scn_variable *variable)
{
    rt_write_text(out, variable->name);
    write_position(out, variable->at);
    rt_write_u32(out, variable->module);
    rt_write_u32(out, variable->global);
}

static void write_transfer(rt_buffer *out, scn_verb verb, const scn_transfer *transfer)
{
    if (verb == SCN_VERB_COPY) {
        rt_write_u32(out, transfer->from);
        rt_write_u64(out, transfer->from_offset);
    } else {
        rt_write_bytes(out, transfer->pattern);
    }
    rt_write_u32(out, transfer->to);
    rt_write_u64(out, transfer->to_offset);
    rt_write_u64(out, transfer->size);
    if (verb != SCN_VERB_COPY || transfer->variable.name.length == 0) return;
    write_variable(out, &transfer->variable);
    write_flag(out, transfer->by_handler);
}

static void write_host_task(rt_buffer *out, const scn_host_task *task)
{
    rt_write_u32(out, task->from);
    rt_write_u32(out, task->to);
}

/* A submit, copy, fill or host task. */
static void write_command(rt_buffer *out, const scn_step *step)
{
    rt_write_u32(out, step->device);
    rt_write_u32(out, step->on);
    write_indices(out, step->after, step->after_count);
    if (step->verb == SCN_VERB_SUBMIT)
        write_submit(out, &step->submit);
    else if (step->verb == SCN_VERB_HOST_TASK)
        write_host_task(out, &step->task);
    else
        write_transfer(out, step->verb, &step->transfer);
}

/* ---- Expectations ------------------------------------------------------------------------- */

static void write_condition(rt_buffer *out, const scn_image_condition *condition)
{
    write_flag(out, condition->negated);
    rt_write_text(out, condition->set);
    write_flag(out, condition->has_dummy);
    write_flag(out, condition->dummy);
    rt_write_u32(out, condition->module);
    rt_write_text(out, condition->kernel);
    rt_write_text(out, condition->exported);
}

static void write_event(rt_buffer *out, const scn_trace_event *event)
{
    write_position(out, event->at);
    rt_write_text(out, event->kind);
    rt_write_text(out, event->program_of);
    rt_write_u32(out, event->field_count);
    for (uint32_t i = 0; i < event->field_count; i++) {
        const scn_trace_field *field = &event->fields[i];
        CHECK(field->is_list || field->value_count == 1);
        rt_write_text(out, field->key);
        write_flag(out, field->is_list);
        write_texts(out, field->values, field->value_count);
    }
    rt_write_u32(out, event->condition_count);
    for (uint32_t i = 0; i < event->condition_count; i++)
        write_condition(out, &event->conditions[i]);
}

static void write_error(rt_buffer *out, const scn_error *error)
{
    write_position(out, error->at);
    write_flag(out, error->none);
    rt_write_text(out, error->documents);
    rt_write_text(out, error->reference_class);
    rt_write_text(out, error->reference_text);
    write_texts(out, error->names, error->name_count);
}

static void write_expects(rt_buffer *out, const scn_expect *expects, uint32_t count);

static void write_outcomes(rt_buffer *out, const scn_outcome *outcomes, uint32_t count)
{
    rt_write_u32(out, count);
    for (uint32_t i = 0; i < count; i++) {
        CHECK((outcomes[i].error != NULL) == (outcomes[i].expect_count == 0));
        write_position(out, outcomes[i].at);
        write_flag(out, outcomes[i].error != NULL);
        if (outcomes[i].error)
            write_error(out, outcomes[i].error);
        else
            write_expects(out, outcomes[i].expects, outcomes[i].expect_count);
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
    case SCN_EXPECT_NEVER:
        rt_write_u32(out, expect->event_count);
        for (uint32_t i = 0; i < expect->event_count; i++)
            write_event(out, &expect->events[i]);
        return;
    case SCN_EXPECT_FINDING:
        rt_write_text(out, expect->finding);
        rt_write_text(out, expect->kernel);
        rt_write_text(out, expect->finding_memory);
        write_flag(out, expect->has_finding_offset);
        rt_write_u64(out, expect->finding_offset);
        return;
    case SCN_EXPECT_HOST_SYMBOL:
        rt_write_text(out, expect->symbol);
        rt_write_u32(out, expect->by);
        rt_write_u32(out, expect->from);
        return;
    case SCN_EXPECT_ONE_OF: write_outcomes(out, expect->outcomes, expect->outcome_count); return;
    case SCN_EXPECT_OUTPUT: rt_write_text(out, expect->output); return;
    case SCN_EXPECT_VARIABLE:
        write_variable(out, &expect->variable);
        write_layout(out, &expect->layout);
        rt_write_u32(out, expect->device);
        rt_write_bytes(out, expect->values);
        return;
    case SCN_EXPECT_BUNDLE:
        rt_write_u32(out, expect->bundle);
        write_texts(out, expect->has, expect->has_count);
        write_texts(out, expect->lacks, expect->lacks_count);
        write_flag(out, expect->has_unit_count);
        rt_write_u64(out, expect->unit_count);
        write_texts(out, expect->images, expect->image_count);
        return;
    case SCN_EXPECT_FUSION_MODE:
        rt_write_u32(out, expect->queue);
        write_flag(out, expect->in_fusion_mode);
        return;
    case SCN_EXPECT_EVENT:
        rt_write_u32(out, expect->step);
        rt_write_u32(out, expect->status);
        return;
    case SCN_EXPECT_KIND_COUNT: break;
    }
    UNREACHABLE();
}

static void write_expects(rt_buffer *out, const scn_expect *expects, uint32_t count)
{
    CHECK(count > 0);
    rt_write_u32(out, count);
    for (uint32_t i = 0; i < count; i++)
        write_expect(out, &expects[i]);
}

/* ---- Steps -------------------------------------------------------------------------------- */

static void write_verb(rt_buffer *out, const scn_step *step)
{
    switch (step->verb) {
    case SCN_VERB_LOAD:
    case SCN_VERB_UNLOAD: rt_write_u32(out, step->module); return;
    case SCN_VERB_LOAD_IMAGE:
        rt_write_u32(out, step->module);
        rt_write_u32(out, step->image);
        return;
    case SCN_VERB_DEVICE: rt_write_u32(out, step->device); return;
    case SCN_VERB_CONTEXT: write_indices(out, step->devices, step->device_count); return;
    case SCN_VERB_QUEUE:
        rt_write_u32(out, step->queue.device);
        rt_write_u32(out, step->queue.context);
        write_flag(out, step->queue.in_order);
        write_flag(out, step->queue.enable_fusion);
        write_flag(out, step->queue.enable_profiling);
        return;
    case SCN_VERB_BUNDLE: write_bundle(out, &step->bundle); return;
    case SCN_VERB_SUBMIT:
    case SCN_VERB_COPY:
    case SCN_VERB_FILL:
    case SCN_VERB_HOST_TASK: write_command(out, step); return;
    case SCN_VERB_START_FUSION:
    case SCN_VERB_CANCEL_FUSION:
    case SCN_VERB_END_QUEUE: rt_write_u32(out, step->on); return;
    case SCN_VERB_COMPLETE_FUSION:
        rt_write_u32(out, step->on);
        write_flag(out, step->no_barriers);
        return;
    case SCN_VERB_WAIT:
        rt_write_u32(out, step->on);
        rt_write_u32(out, step->awaited);
        return;
    case SCN_VERB_PROFILING:
        rt_write_u32(out, step->profiling.step);
        rt_write_u32(out, step->profiling.after);
        rt_write_u32(out, step->profiling.same_as);
        return;
    case SCN_VERB_END_MEMORY:
    case SCN_VERB_HOST_ACCESS: rt_write_u32(out, step->memory); return;
    case SCN_VERB_PARALLEL:
        rt_write_u32(out, step->thread_count);
        rt_write_u32(out, step->nested_count);
        return;
    case SCN_VERB_RESTART: return;
    case SCN_VERB_EXPECT: write_expects(out, step->expect, step->expect_count); return;
    case SCN_VERB_COUNT: break;
    }
    UNREACHABLE();
}

static void write_step(rt_buffer *out, const scn_step *step)
{
    CHECK(!step->error || step->outcome_count == 0);
    rt_write_u32(out, step->verb);
    write_position(out, step->at);
    rt_write_text(out, step->id);
    rt_write_u8(out, (uint8_t)step->profile);
    rt_write_u8(out, (uint8_t)step->thread);
    write_verb(out, step);
    write_flag(out, step->error != NULL);
    if (step->error) write_error(out, step->error);
    write_outcomes(out, step->outcomes, step->outcome_count);
}

/* ---- The whole ---------------------------------------------------------------------------- */

static void write_module_refusal(rt_buffer *out, const scn_module_refusal *refusal)
{
    write_flag(out, refusal->error != NULL);
    if (!refusal->error) return;
    write_error(out, refusal->error);
    write_flag(out, refusal->by_front_end);
}

static void write_artefact(rt_buffer *out, const scn_artefact *artefact)
{
    rt_write_u64(out, artefact->request.low);
    rt_write_u64(out, artefact->request.high);
    rt_write_bytes(out, artefact->answer);
}

void scn_pack_write(rt_buffer *out, const scn_scenario *scenario)
{
    CHECK(scenario->module_count > 0 && scenario->device_count > 0);
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
    write_indices(out, scenario->preloaded, scenario->preloaded_count);
    write_flag(out, scenario->prefer_preloaded);
    rt_write_u8(out, scenario->persistent_cache);
    rt_write_u32(out, scenario->warning_level);
    rt_write_u32(out, scenario->device_count);
    for (uint32_t i = 0; i < scenario->device_count; i++)
        write_device(out, &scenario->devices[i]);
    rt_write_u32(out, scenario->memory_count);
    for (uint32_t i = 0; i < scenario->memory_count; i++)
        write_memory(out, &scenario->memories[i]);
    rt_write_u32(out, scenario->step_count);
    for (uint32_t i = 0; i < scenario->step_count; i++)
        write_step(out, &scenario->steps[i]);
    for (uint32_t i = 0; i < scenario->module_count; i++)
        write_module_refusal(out, &scenario->modules[i].refusal);
    CHECK_IMPLIES(scenario->artefact_count > 0, scenario->packed);
    write_flag(out, scenario->packed);
    rt_write_u32(out, scenario->artefact_count);
    for (uint32_t i = 0; i < scenario->artefact_count; i++)
        write_artefact(out, &scenario->artefacts[i]);
}
