/* The steps of a packed scenario, read and checked: commands, references to earlier steps,
 * expectations, and the places where steps may stand. */
#include "conformance/scenario/pack/unpack.h"

#include "conformance/scenario/model/type.h"
#include "reference/trace/trace.h"

#include <string.h>

/* Least sizes in bytes of the items of tables. */
enum {
    ARGUMENT_MIN = 4 + 8,
    POINTER_MIN = 8 + 4 + 8,
    CONSTANT_MIN = SCN_PACKED_TEXT_MIN + 8 + 8,
    TRACE_FIELD_MIN = SCN_PACKED_TEXT_MIN + 1 + 4,
    CONDITION_MIN = 3 * SCN_PACKED_TEXT_MIN + 3 + 4,
    EVENT_MIN = 8 + 2 * SCN_PACKED_TEXT_MIN + 4,
    OUTCOME_MIN = 8 + 1 + 4,
    EXPECT_MIN = 4 + 8 + 4,
};

/* Sums of two such sizes do not wrap around. */
#define SIZE_MAX_IN_TRANSFERS (UINT64_MAX / 2)

/* ---- Commands ----------------------------------------------------------------------------- */

/* Reads the index of a memory; with `usm` it must be USM, otherwise a buffer. */
static uint32_t read_memory_index(scn_unpacker *unpack, bool usm)
{
    const scn_scenario *scenario = unpack->scenario;
    uint32_t index = rt_read_below(&unpack->reader, scenario->memory_count);
    if (unpack->reader.failed) return 0;
    scn_unpack_check(unpack, (scenario->memories[index].kind != SCN_MEMORY_BUFFER) == usm);
    return index;
}

/* Reads where in a USM memory a pointer points: at most behind its last byte. */
static void read_pointer(scn_unpacker *unpack, uint32_t *out_memory, uint64_t *out_offset)
{
    *out_memory = read_memory_index(unpack, true);
    *out_offset = rt_read_u64(&unpack->reader);
    if (unpack->reader.failed) return;
    const scn_memory *memory = &unpack->scenario->memories[*out_memory];
    scn_unpack_check(unpack, *out_offset <= memory->count * memory->layout.size);
}

/* Pointers stand one behind the other, where the value is zero. */
static void read_inner_pointers(scn_unpacker *unpack, scn_argument *argument)
{
    uint32_t count;
    scn_inner_pointer *pointers = scn_unpack_table(unpack, sizeof *pointers, POINTER_MIN, &count);
    uint64_t end = 0, zero = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t at = pointers[i].at = rt_read_u64(&unpack->reader);
        read_pointer(unpack, &pointers[i].memory, &pointers[i].offset);
        size_t size = argument->value.size;
        scn_unpack_check(unpack, at >= end && size >= sizeof zero && at <= size - sizeof zero);
        if (unpack->reader.failed) return;
        scn_unpack_check(unpack, memcmp(argument->value.data + at, &zero, sizeof zero) == 0);
        end = at + sizeof zero;
    }
    argument->pointers = pointers;
    argument->pointer_count = count;
}

static void read_value(scn_unpacker *unpack, scn_argument *argument)
{
    argument->layout = scn_unpack_layout(unpack);
    argument->value = rt_read_bytes(&unpack->reader);
    scn_unpack_check(unpack, argument->value.size == argument->layout.size);
    scn_unpack_check(unpack, argument->value.size <= SCN_VALUE_SIZE_MAX);
    read_inner_pointers(unpack, argument);
}

static scn_argument read_argument(scn_unpacker *unpack)
{
    rt_reader *reader = &unpack->reader;
    scn_argument argument = {0};
    argument.kind = (scn_argument_kind)rt_read_below(reader, SCN_ARGUMENT_KIND_COUNT);
    argument.at = scn_unpack_position(unpack);
    switch (argument.kind) {
    case SCN_ARGUMENT_MEMORY:
        argument.memory = read_memory_index(unpack, false);
        argument.access = (scn_access)rt_read_below(reader, SCN_ACCESS_WRITE + 1);
        argument.promotion = (scn_promotion)rt_read_below(reader, SCN_PROMOTION_COUNT);
        break;
    case SCN_ARGUMENT_POINTER: read_pointer(unpack, &argument.memory, &argument.offset); break;
    case SCN_ARGUMENT_NULL: break;
    case SCN_ARGUMENT_VALUE: read_value(unpack, &argument); break;
    case SCN_ARGUMENT_LOCAL:
        argument.size = scn_unpack_size(unpack, RT_MEMORY_SIZE_MAX);
        scn_unpack_check(unpack, argument.size >= 1);
        break;
    case SCN_ARGUMENT_KIND_COUNT: UNREACHABLE();
    }
    return argument;
}

static scn_spec_constant read_constant(scn_unpacker *unpack)
{
    scn_spec_constant constant = {.name = scn_unpack_name(unpack)};
    constant.at = scn_unpack_position(unpack);
    constant.value = rt_read_bytes(&unpack->reader);
    size_t size = constant.value.size;
    scn_unpack_check(unpack, size == 1 || size == 2 || size == 4 || size == 8);
    return constant;
}

static void read_extents(scn_unpacker *unpack, scn_submit *submit)
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
        scn_unpack_check(unpack, bounded && submit->range[d] <= UINT64_MAX / product);
        if (unpack->reader.failed) return;
        product *= submit->range[d];
        /* Given in all dimensions or in none. */
        scn_unpack_check(unpack, d == 0 || local == (submit->local[d] > 0));
        local = submit->local[d] > 0;
    }
}

static scn_submit read_submit(scn_unpacker *unpack)
{
    scn_submit submit = {.kernel = scn_unpack_name(unpack)};
    submit.dimensions = rt_read_below(&unpack->reader, RT_ND_RANGE_DIMENSIONS + 1);
    scn_unpack_check(unpack, submit.dimensions >= 1);
    read_extents(unpack, &submit);
    scn_argument *arguments =
        scn_unpack_table(unpack, sizeof *arguments, ARGUMENT_MIN, &submit.argument_count);
    scn_unpack_check(unpack, submit.argument_count <= RT_KERNEL_ARGUMENT_MAX);
    for (uint32_t i = 0; i < submit.argument_count && !unpack->reader.failed; i++)
        arguments[i] = read_argument(unpack);
    submit.arguments = arguments;
    scn_spec_constant *constants =
        scn_unpack_table(unpack, sizeof *constants, CONSTANT_MIN, &submit.constant_count);
    for (uint32_t i = 0; i < submit.constant_count; i++)
        constants[i] = read_constant(unpack);
    submit.constants = constants;
    submit.bundle = SCN_NONE; /* a reference, read where those are checked */
    submit.options = rt_read_text(&unpack->reader);
    submit.module = rt_read_u32(&unpack->reader);
    scn_unpack_check(unpack,
                     submit.module == SCN_NONE || submit.module < unpack->scenario->module_count);
    return submit;
}

/* A variable that was found is one of its module's; nothing is asked of one that was not. */
static scn_variable read_variable(scn_unpacker *unpack)
{
    rt_reader *reader = &unpack->reader;
    const scn_scenario *scenario = unpack->scenario;
    scn_variable variable = {.name = scn_unpack_name(unpack)};
    variable.at = scn_unpack_position(unpack);
    variable.module = rt_read_u32(reader);
    variable.global = rt_read_u32(reader);
    bool has_module = variable.module != SCN_NONE;
    bool known = !has_module || variable.module < scenario->module_count;
    scn_unpack_check(unpack, known && (has_module || variable.global == SCN_NONE));
    if (reader->failed || variable.global == SCN_NONE) return variable;
    scn_unpack_check(unpack,
                     variable.global < scenario->modules[variable.module].device_globals.count);
    return variable;
}

static uint32_t read_copy_end(scn_unpacker *unpack)
{
    uint32_t memory = rt_read_u32(&unpack->reader);
    scn_unpack_check(unpack, memory == SCN_NONE || memory < unpack->scenario->memory_count);
    return memory;
}

/* At most one end of a copy is no memory; then it is a variable. */
static scn_transfer read_copy(scn_unpacker *unpack)
{
    scn_transfer transfer = {.from = read_copy_end(unpack)};
    transfer.from_offset = scn_unpack_size(unpack, SIZE_MAX_IN_TRANSFERS);
    transfer.to = read_copy_end(unpack);
    transfer.to_offset = scn_unpack_size(unpack, SIZE_MAX_IN_TRANSFERS);
    transfer.size = rt_read_u64(&unpack->reader);
    scn_unpack_check(unpack, transfer.from != SCN_NONE || transfer.to != SCN_NONE);
    bool memories = transfer.from != SCN_NONE && transfer.to != SCN_NONE;
    if (!memories && !unpack->reader.failed) {
        transfer.variable = read_variable(unpack);
        transfer.by_handler = scn_unpack_flag(unpack);
    }
    bool found = memories || transfer.variable.global != SCN_NONE;
    scn_unpack_check(unpack, transfer.size >= 1 || !found);
    return transfer;
}

static scn_transfer read_fill(scn_unpacker *unpack)
{
    rt_reader *reader = &unpack->reader;
    scn_transfer transfer = {.pattern = rt_read_bytes(reader)};
    transfer.to = rt_read_below(reader, unpack->scenario->memory_count);
    transfer.to_offset = scn_unpack_size(unpack, SIZE_MAX_IN_TRANSFERS);
    transfer.size = scn_unpack_size(unpack, SIZE_MAX_IN_TRANSFERS);
    scn_unpack_check(unpack, transfer.size >= 1);
    if (reader->failed) return transfer;
    size_t unit = transfer.pattern.size;
    bool element = unit >= 1 && unit <= SCN_PATTERN_SIZE_MAX && (unit & (unit - 1)) == 0 &&
                   unit == unpack->scenario->memories[transfer.to].layout.size;
    bool whole = element && transfer.to_offset % unit == 0 && transfer.size % unit == 0;
    scn_unpack_check(unpack, whole);
    return transfer;
}

/* Whether the ranges lie in the memories is the runtime's to say: a step may expect its refusal. */
static scn_transfer read_transfer(scn_unpacker *unpack, scn_verb verb)
{
    return verb == SCN_VERB_COPY ? read_copy(unpack) : read_fill(unpack);
}

/* ---- References between steps ------------------------------------------------------------- */

#define VERB_BIT(verb) (1u << SCN_VERB_##verb)
#define COMMANDS                                                                                   \
    (VERB_BIT(SUBMIT) | VERB_BIT(COPY) | VERB_BIT(FILL) | VERB_BIT(HOST_TASK) |                    \
     VERB_BIT(COMPLETE_FUSION))

/* Checks that `target` is an earlier step of one of the verbs, and certain to have run before step
 * `index`: a list of a parallel knows its own steps and what came before the parallel. */
static void check_reference(scn_unpacker *unpack, const scn_step *step, uint32_t index,
                            uint32_t target, uint32_t verbs)
{
    scn_unpack_check(unpack, target < index && target >= unpack->process);
    if (unpack->reader.failed) return;
    const scn_step *other = &unpack->scenario->steps[target];
    scn_unpack_check(unpack, 1u << other->verb & verbs);
    bool beside = step->thread > 0 && target > unpack->parallel;
    scn_unpack_check(unpack, !beside || other->thread == step->thread);
}

static uint32_t read_optional_reference(scn_unpacker *unpack, const scn_step *step, uint32_t index,
                                        uint32_t verbs)
{
    uint32_t target = rt_read_u32(&unpack->reader);
    if (target != SCN_NONE) check_reference(unpack, step, index, target, verbs);
    return target;
}

/* ---- Kernel bundles ----------------------------------------------------------------------- */

/* Checks that `target` makes a bundle in that state. */
static void check_bundle(scn_unpacker *unpack, const scn_step *step, uint32_t index,
                         uint32_t target, scn_bundle_state state)
{
    check_reference(unpack, step, index, target, VERB_BIT(BUNDLE));
    if (unpack->reader.failed) return;
    scn_unpack_check(unpack, unpack->scenario->steps[target].bundle.state == state);
}

/* A launch from a bundle has neither options nor a module of its own. */
static uint32_t read_submit_bundle(scn_unpacker *unpack, const scn_step *step, uint32_t index)
{
    uint32_t target = rt_read_u32(&unpack->reader);
    if (target == SCN_NONE) return target;
    check_bundle(unpack, step, index, target, SCN_BUNDLE_EXECUTABLE);
    scn_unpack_check(unpack, step->submit.options.length == 0 && step->submit.module == SCN_NONE);
    return target;
}

/* What the actions make of what, as the format's reader has it. */
static const struct action_row {
    bool one;   /* of one bundle; else GET of none, the others of one or more */
    bool joins; /* the state stays as it is */
    scn_bundle_state from, to;
} action_rows[SCN_BUNDLE_ACTION_COUNT] = {
    [SCN_BUNDLE_COMPILE] = {true, false, SCN_BUNDLE_INPUT, SCN_BUNDLE_OBJECT},
    [SCN_BUNDLE_LINK] = {false, false, SCN_BUNDLE_OBJECT, SCN_BUNDLE_EXECUTABLE},
    [SCN_BUNDLE_BUILD] = {true, false, SCN_BUNDLE_INPUT, SCN_BUNDLE_EXECUTABLE},
    [SCN_BUNDLE_JOIN] = {.joins = true},
};

static void check_sources(scn_unpacker *unpack, const scn_step *step, uint32_t index)
{
    const scn_bundle *bundle = &step->bundle;
    const struct action_row *row = &action_rows[bundle->action];
    if (bundle->action == SCN_BUNDLE_GET) {
        scn_unpack_check(unpack, bundle->source_count == 0);
        return;
    }
    scn_unpack_check(unpack, bundle->source_count >= 1 && (!row->one || bundle->source_count == 1));
    scn_unpack_check(unpack, row->joins || bundle->state == row->to);
    scn_bundle_state from = row->joins ? bundle->state : row->from;
    for (uint32_t i = 0; i < bundle->source_count && !unpack->reader.failed; i++)
        check_bundle(unpack, step, index, bundle->sources[i], from);
}

static void read_bundle(scn_unpacker *unpack, scn_step *step, uint32_t index)
{
    rt_reader *reader = &unpack->reader;
    scn_bundle *bundle = &step->bundle;
    bundle->action = (scn_bundle_action)rt_read_below(reader, SCN_BUNDLE_ACTION_COUNT);
    bundle->state = (scn_bundle_state)rt_read_below(reader, SCN_BUNDLE_STATE_COUNT);
    bundle->device = rt_read_below(reader, unpack->scenario->device_count);
    bundle->context = read_optional_reference(unpack, step, index, VERB_BIT(CONTEXT));
    bundle->kernels = scn_unpack_texts(unpack, &bundle->kernel_count);
    scn_spec_constant *constants =
        scn_unpack_table(unpack, sizeof *constants, CONSTANT_MIN, &bundle->constant_count);
    for (uint32_t i = 0; i < bundle->constant_count; i++)
        constants[i] = read_constant(unpack);
    bundle->constants = constants;
    bundle->sources = scn_unpack_indices(unpack, index, &bundle->source_count);
    bundle->options = rt_read_text(reader);
    bool gets = bundle->action == SCN_BUNDLE_GET;
    bool optional = bundle->action == SCN_BUNDLE_COMPILE || bundle->action == SCN_BUNDLE_LINK;
    scn_unpack_check(unpack, gets || (bundle->kernel_count == 0 && bundle->context == SCN_NONE));
    scn_unpack_check(unpack,
                     bundle->constant_count == 0 || (gets && bundle->state == SCN_BUNDLE_INPUT));
    scn_unpack_check(unpack, optional || bundle->options.length == 0);
    check_sources(unpack, step, index);
}

/* Two buffers of one size, or one that is read. */
static scn_host_task read_host_task(scn_unpacker *unpack)
{
    scn_host_task task = {.from = read_memory_index(unpack, false)};
    task.to = rt_read_u32(&unpack->reader);
    if (unpack->reader.failed || task.to == SCN_NONE) return task;
    const scn_scenario *scenario = unpack->scenario;
    scn_unpack_check(unpack, task.to < scenario->memory_count && task.to != task.from);
    if (unpack->reader.failed) return task;
    const scn_memory *from = &scenario->memories[task.from], *to = &scenario->memories[task.to];
    scn_unpack_check(unpack, to->kind == SCN_MEMORY_BUFFER);
    scn_unpack_check(unpack, from->count * from->layout.size == to->count * to->layout.size);
    return task;
}

/* A queue that a verb cannot do without. */
static uint32_t read_queue_reference(scn_unpacker *unpack, const scn_step *step, uint32_t index)
{
    uint32_t target = rt_read_u32(&unpack->reader);
    check_reference(unpack, step, index, target, VERB_BIT(QUEUE));
    return target;
}

static void read_command(scn_unpacker *unpack, scn_step *step, uint32_t index)
{
    step->device = rt_read_below(&unpack->reader, unpack->scenario->device_count);
    step->on = read_optional_reference(unpack, step, index, VERB_BIT(QUEUE));
    step->after = scn_unpack_indices(unpack, index, &step->after_count);
    for (uint32_t i = 0; i < step->after_count && !unpack->reader.failed; i++)
        check_reference(unpack, step, index, step->after[i], COMMANDS);
    if (step->verb == SCN_VERB_SUBMIT) {
        step->submit = read_submit(unpack);
        step->submit.bundle = read_submit_bundle(unpack, step, index);
    } else if (step->verb == SCN_VERB_HOST_TASK) {
        step->task = read_host_task(unpack);
    } else {
        step->transfer = read_transfer(unpack, step->verb);
    }
}

static void read_wait(scn_unpacker *unpack, scn_step *step, uint32_t index)
{
    step->on = read_optional_reference(unpack, step, index, VERB_BIT(QUEUE));
    step->awaited = read_optional_reference(unpack, step, index, COMMANDS);
    scn_unpack_check(unpack, step->on == SCN_NONE || step->awaited == SCN_NONE);
}

/* Commands that a device runs, so that they have times. */
#define DEVICE_COMMANDS (COMMANDS & ~VERB_BIT(HOST_TASK))

static void read_profiling(scn_unpacker *unpack, scn_step *step, uint32_t index)
{
    step->profiling.step = rt_read_u32(&unpack->reader);
    check_reference(unpack, step, index, step->profiling.step, DEVICE_COMMANDS);
    step->profiling.after = read_optional_reference(unpack, step, index, DEVICE_COMMANDS);
    step->profiling.same_as = read_optional_reference(unpack, step, index, DEVICE_COMMANDS);
}

/* ---- Expectations ------------------------------------------------------------------------- */

static scn_trace_field read_trace_field(scn_unpacker *unpack, rt_event_kind kind)
{
    scn_trace_field field = {.key = rt_read_text(&unpack->reader)};
    field.is_list = scn_unpack_flag(unpack);
    field.values = scn_unpack_texts(unpack, &field.value_count);
    scn_unpack_check(unpack, field.is_list || field.value_count == 1);
    bool is_list;
    if (unpack->reader.failed) return field;
    scn_unpack_check(unpack,
                     rt_event_has_field(kind, field.key, &is_list) && is_list == field.is_list);
    return field;
}

static scn_image_condition read_condition(scn_unpacker *unpack, rt_event_kind kind)
{
    rt_reader *reader = &unpack->reader;
    scn_image_condition condition = {.negated = scn_unpack_flag(unpack)};
    condition.set = rt_read_text(reader);
    condition.has_dummy = scn_unpack_flag(unpack);
    condition.dummy = scn_unpack_flag(unpack);
    condition.module = rt_read_u32(reader);
    condition.kernel = rt_read_text(reader);
    condition.exported = rt_read_text(reader);
    if (reader->failed) return condition;
    scn_unpack_check(unpack, scn_event_images_field(kind) != NULL);
    scn_unpack_check(unpack, condition.module == SCN_NONE ||
                                 condition.module < unpack->scenario->module_count);
    return condition;
}

static scn_trace_event read_event(scn_unpacker *unpack)
{
    scn_trace_event event = {.at = scn_unpack_position(unpack)};
    event.kind = rt_read_text(&unpack->reader);
    event.program_of = rt_read_text(&unpack->reader);
    rt_event_kind kind = rt_event_find(event.kind);
    scn_unpack_check(unpack, kind != RT_EVENT_COUNT);
    scn_trace_field *fields =
        scn_unpack_table(unpack, sizeof *fields, TRACE_FIELD_MIN, &event.field_count);
    for (uint32_t i = 0; i < event.field_count; i++)
        fields[i] = read_trace_field(unpack, kind);
    event.fields = fields;
    scn_image_condition *conditions =
        scn_unpack_table(unpack, sizeof *conditions, CONDITION_MIN, &event.condition_count);
    for (uint32_t i = 0; i < event.condition_count; i++)
        conditions[i] = read_condition(unpack, kind);
    event.conditions = conditions;
    return event;
}

const scn_error *scn_unpack_error(scn_unpacker *unpack, bool among_several)
{
    scn_error *error = rt_arena_alloc(unpack->arena, sizeof *error);
    error->at = scn_unpack_position(unpack);
    error->none = scn_unpack_flag(unpack);
    scn_unpack_check(unpack, among_several || !error->none);
    error->documents = rt_read_text(&unpack->reader);
    error->reference_class = rt_read_text(&unpack->reader);
    error->reference_text = rt_read_text(&unpack->reader);
    error->names = scn_unpack_texts(unpack, &error->name_count);
    return error;
}

static const scn_expect *read_expects(scn_unpacker *unpack, bool in_outcome, uint32_t *out_count);

/* Outcomes that have errors, beside a verb, or expectations; none or at least two. */
static const scn_outcome *read_outcomes(scn_unpacker *unpack, bool errors, uint32_t *out_count)
{
    scn_outcome *outcomes = scn_unpack_table(unpack, sizeof *outcomes, OUTCOME_MIN, out_count);
    scn_unpack_check(unpack, *out_count != 1);
    for (uint32_t i = 0; i < *out_count && !unpack->reader.failed; i++) {
        outcomes[i].at = scn_unpack_position(unpack);
        scn_unpack_check(unpack, scn_unpack_flag(unpack) == errors);
        if (errors)
            outcomes[i].error = scn_unpack_error(unpack, true);
        else
            outcomes[i].expects = read_expects(unpack, true, &outcomes[i].expect_count);
    }
    return outcomes;
}

static void read_memory_expectation(scn_unpacker *unpack, scn_expect *expect)
{
    const scn_scenario *scenario = unpack->scenario;
    expect->memory = rt_read_below(&unpack->reader, scenario->memory_count);
    expect->values = rt_read_bytes(&unpack->reader);
    if (unpack->reader.failed) return;
    const scn_memory *memory = &scenario->memories[expect->memory];
    scn_unpack_check(unpack, expect->values.size == memory->count * memory->layout.size);
}

static void read_trace_expectation(scn_unpacker *unpack, scn_expect *expect)
{
    scn_trace_event *events =
        scn_unpack_table(unpack, sizeof *events, EVENT_MIN, &expect->event_count);
    scn_unpack_check(unpack, expect->event_count >= 1);
    for (uint32_t i = 0; i < expect->event_count && !unpack->reader.failed; i++)
        events[i] = read_event(unpack);
    expect->events = events;
}

static void read_finding_expectation(scn_unpacker *unpack, scn_expect *expect)
{
    expect->finding = rt_read_text(&unpack->reader);
    expect->kernel = rt_read_text(&unpack->reader);
    expect->finding_memory = rt_read_text(&unpack->reader);
    expect->has_finding_offset = scn_unpack_flag(unpack);
    expect->finding_offset = rt_read_u64(&unpack->reader);
}

static void read_host_symbol_expectation(scn_unpacker *unpack, scn_expect *expect)
{
    uint32_t module_count = unpack->scenario->module_count;
    expect->symbol = scn_unpack_name(unpack);
    expect->by = rt_read_below(&unpack->reader, module_count);
    expect->from = rt_read_u32(&unpack->reader);
    scn_unpack_check(unpack, expect->from < module_count || expect->from == SCN_NONE);
}

static void read_bundle_expectation(scn_unpacker *unpack, scn_expect *expect)
{
    expect->bundle = rt_read_u32(&unpack->reader);
    const scn_step step = {.thread = unpack->step_thread};
    check_reference(unpack, &step, unpack->index, expect->bundle, VERB_BIT(BUNDLE));
    expect->has = scn_unpack_texts(unpack, &expect->has_count);
    expect->lacks = scn_unpack_texts(unpack, &expect->lacks_count);
    expect->has_unit_count = scn_unpack_flag(unpack);
    expect->unit_count = rt_read_u64(&unpack->reader);
    expect->images = scn_unpack_texts(unpack, &expect->image_count);
}

static void read_variable_expectation(scn_unpacker *unpack, scn_expect *expect)
{
    expect->variable = read_variable(unpack);
    expect->layout = scn_unpack_layout(unpack);
    expect->device = rt_read_below(&unpack->reader, unpack->scenario->device_count);
    expect->values = rt_read_bytes(&unpack->reader);
    if (unpack->reader.failed) return;
    bool some = expect->layout.size > 0 && expect->values.size > 0;
    scn_unpack_check(unpack, some && expect->values.size % expect->layout.size == 0);
    if (unpack->reader.failed || expect->variable.global == SCN_NONE) return;
    const scn_module *module = &unpack->scenario->modules[expect->variable.module];
    uint64_t size = module->device_globals.globals[expect->variable.global].size;
    scn_unpack_check(unpack, expect->values.size == size);
}

static void read_fusion_mode_expectation(scn_unpacker *unpack, scn_expect *expect)
{
    const scn_step step = {.thread = unpack->step_thread};
    expect->queue = read_queue_reference(unpack, &step, unpack->index);
    expect->in_fusion_mode = scn_unpack_flag(unpack);
}

static void read_event_expectation(scn_unpacker *unpack, scn_expect *expect)
{
    const scn_step step = {.thread = unpack->step_thread};
    expect->step = rt_read_u32(&unpack->reader);
    check_reference(unpack, &step, unpack->index, expect->step, COMMANDS);
    expect->status = (scn_event_status)rt_read_below(&unpack->reader, SCN_EVENT_STATUS_COUNT);
    scn_unpack_check(unpack, expect->status != SCN_EVENT_RUNNING); /* which none can see */
}

static scn_expect read_expect(scn_unpacker *unpack, bool in_outcome)
{
    rt_reader *reader = &unpack->reader;
    scn_expect expect = {0};
    expect.kind = (scn_expect_kind)rt_read_below(reader, SCN_EXPECT_KIND_COUNT);
    expect.at = scn_unpack_position(unpack);
    switch (expect.kind) {
    case SCN_EXPECT_MEMORY: read_memory_expectation(unpack, &expect); break;
    case SCN_EXPECT_COUNT:
        expect.event = rt_read_text(reader);
        scn_unpack_check(unpack, rt_event_find(expect.event) != RT_EVENT_COUNT);
        expect.count = rt_read_u64(reader);
        break;
    case SCN_EXPECT_PROGRAM_OF:
        expect.kernel = rt_read_text(reader);
        expect.images = scn_unpack_texts(unpack, &expect.image_count);
        break;
    case SCN_EXPECT_TRACE:
    case SCN_EXPECT_NEVER: read_trace_expectation(unpack, &expect); break;
    case SCN_EXPECT_FINDING:
        scn_unpack_check(unpack, !in_outcome);
        read_finding_expectation(unpack, &expect);
        break;
    case SCN_EXPECT_HOST_SYMBOL: read_host_symbol_expectation(unpack, &expect); break;
    case SCN_EXPECT_ONE_OF:
        scn_unpack_check(unpack, !in_outcome); /* so the recursion ends */
        if (!reader->failed) expect.outcomes = read_outcomes(unpack, false, &expect.outcome_count);
        scn_unpack_check(unpack, expect.outcome_count >= 2);
        break;
    case SCN_EXPECT_OUTPUT: expect.output = rt_read_text(reader); break;
    case SCN_EXPECT_BUNDLE: read_bundle_expectation(unpack, &expect); break;
    case SCN_EXPECT_VARIABLE: read_variable_expectation(unpack, &expect); break;
    case SCN_EXPECT_FUSION_MODE: read_fusion_mode_expectation(unpack, &expect); break;
    case SCN_EXPECT_EVENT: read_event_expectation(unpack, &expect); break;
    case SCN_EXPECT_KIND_COUNT: UNREACHABLE();
    }
    return expect;
}

static const scn_expect *read_expects(scn_unpacker *unpack, bool in_outcome, uint32_t *out_count)
{
    scn_expect *expects = scn_unpack_table(unpack, sizeof *expects, EXPECT_MIN, out_count);
    scn_unpack_check(unpack, *out_count >= 1);
    for (uint32_t i = 0; i < *out_count && !unpack->reader.failed; i++)
        expects[i] = read_expect(unpack, in_outcome);
    return expects;
}

/* ---- Steps -------------------------------------------------------------------------------- */

/* Opens a parallel: the steps of its lists follow. */
static void read_parallel(scn_unpacker *unpack, scn_step *step, uint32_t index)
{
    step->thread_count = rt_read_below(&unpack->reader, SCN_LIST_COUNT_MAX + 1);
    step->nested_count = rt_read_u32(&unpack->reader);
    uint32_t following = unpack->scenario->step_count - index - 1;
    scn_unpack_check(unpack, step->thread_count >= 2 && step->nested_count >= step->thread_count);
    scn_unpack_check(unpack, step->nested_count <= following);
    unpack->parallel = index;
    unpack->nested_left = step->nested_count;
    unpack->thread = 0;
}

/* Checks that a step stands where it may: lists follow their parallel one after the other, none of
 * them empty, and hold no verb that concerns all threads. */
static void check_place(scn_unpacker *unpack, const scn_step *step)
{
    const uint32_t lasting_outside =
        VERB_BIT(DEVICE) | VERB_BIT(CONTEXT) | VERB_BIT(PARALLEL) | VERB_BIT(RESTART);
    const uint32_t outside = lasting_outside | VERB_BIT(END_QUEUE) | VERB_BIT(END_MEMORY);
    const uint32_t lasting = lasting_outside | VERB_BIT(QUEUE) | VERB_BIT(BUNDLE);
    bool everywhere = step->profile == RT_PROFILE_COUNT;
    scn_unpack_check(unpack, everywhere || !(1u << step->verb & lasting));
    if (unpack->nested_left == 0) {
        scn_unpack_check(unpack, step->thread == 0);
        return;
    }
    uint32_t thread_count = unpack->scenario->steps[unpack->parallel].thread_count;
    bool same = unpack->thread > 0 && step->thread == unpack->thread;
    scn_unpack_check(unpack, same || step->thread == unpack->thread + 1);
    scn_unpack_check(unpack, !(1u << step->verb & outside));
    unpack->thread = step->thread;
    unpack->nested_left--;
    scn_unpack_check(unpack, step->thread <= thread_count);
    scn_unpack_check(unpack, unpack->nested_left > 0 || step->thread == thread_count);
}

static void read_queue(scn_unpacker *unpack, scn_step *step, uint32_t index)
{
    step->queue.device = rt_read_below(&unpack->reader, unpack->scenario->device_count);
    step->queue.context = read_optional_reference(unpack, step, index, VERB_BIT(CONTEXT));
    step->queue.in_order = scn_unpack_flag(unpack);
    step->queue.enable_fusion = scn_unpack_flag(unpack);
    step->queue.enable_profiling = scn_unpack_flag(unpack);
}

static void read_verb(scn_unpacker *unpack, scn_step *step, uint32_t index)
{
    rt_reader *reader = &unpack->reader;
    const scn_scenario *scenario = unpack->scenario;
    switch (step->verb) {
    case SCN_VERB_LOAD_IMAGE:
        step->module = rt_read_below(reader, scenario->module_count);
        step->image = rt_read_below(reader, RT_IMAGE_COUNT_MAX);
        return;
    case SCN_VERB_LOAD:
    case SCN_VERB_UNLOAD: step->module = rt_read_below(reader, scenario->module_count); return;
    case SCN_VERB_DEVICE: step->device = rt_read_below(reader, scenario->device_count); return;
    case SCN_VERB_CONTEXT:
        step->devices = scn_unpack_distinct(unpack, scenario->device_count, &step->device_count);
        scn_unpack_check(unpack, step->device_count >= 1);
        return;
    case SCN_VERB_QUEUE: read_queue(unpack, step, index); return;
    case SCN_VERB_BUNDLE: read_bundle(unpack, step, index); return;
    case SCN_VERB_SUBMIT:
    case SCN_VERB_COPY:
    case SCN_VERB_FILL:
    case SCN_VERB_HOST_TASK: read_command(unpack, step, index); return;
    case SCN_VERB_START_FUSION:
    case SCN_VERB_CANCEL_FUSION:
    case SCN_VERB_END_QUEUE: step->on = read_queue_reference(unpack, step, index); return;
    case SCN_VERB_COMPLETE_FUSION:
        step->on = read_queue_reference(unpack, step, index);
        step->no_barriers = scn_unpack_flag(unpack);
        return;
    case SCN_VERB_END_MEMORY: step->memory = read_memory_index(unpack, false); return;
    case SCN_VERB_PROFILING: read_profiling(unpack, step, index); return;
    case SCN_VERB_WAIT: read_wait(unpack, step, index); return;
    case SCN_VERB_HOST_ACCESS: step->memory = rt_read_below(reader, scenario->memory_count); return;
    case SCN_VERB_PARALLEL: read_parallel(unpack, step, index); return;
    case SCN_VERB_RESTART: unpack->process = index + 1; return;
    case SCN_VERB_EXPECT: step->expect = read_expects(unpack, false, &step->expect_count); return;
    case SCN_VERB_COUNT: break;
    }
    UNREACHABLE();
}

static void read_refusal(scn_unpacker *unpack, scn_step *step)
{
    if (scn_unpack_flag(unpack)) step->error = scn_unpack_error(unpack, false);
    step->outcomes = read_outcomes(unpack, true, &step->outcome_count);
    scn_unpack_check(unpack, !step->error || step->outcome_count == 0);
    const uint32_t never_refused = VERB_BIT(DEVICE) | VERB_BIT(CONTEXT) | VERB_BIT(PARALLEL) |
                                   VERB_BIT(RESTART) | VERB_BIT(EXPECT);
    bool refused = step->error || step->outcome_count > 0;
    scn_unpack_check(unpack, !refused || !(1u << step->verb & never_refused));
}

scn_step scn_unpack_step(scn_unpacker *unpack, uint32_t index)
{
    rt_reader *reader = &unpack->reader;
    scn_step step = {.verb = (scn_verb)rt_read_below(reader, SCN_VERB_COUNT)};
    step.at = scn_unpack_position(unpack);
    step.id = rt_read_text(reader);
    step.profile = (rt_profile)rt_read_u8(reader);
    scn_unpack_check(unpack, (unsigned)step.profile <= RT_PROFILE_COUNT);
    step.thread = rt_read_u8(reader);
    unpack->index = index;
    unpack->step_thread = step.thread;
    step.on = step.awaited = step.submit.bundle = SCN_NONE;
    check_place(unpack, &step);
    read_verb(unpack, &step, index);
    read_refusal(unpack, &step);
    return step;
}
