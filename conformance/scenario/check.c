/* The rules of a scenario, checked on the finished model; the form of the file is the reader's
 * concern. Three parts: the tables (modules, devices, memories); where steps stand and what they
 * refer to; and the contents of verbs and expectations. */
#include "conformance/scenario/check.h"

#include "conformance/scenario/model/build_options.h"
#include "conformance/scenario/model/type.h"
#include "conformance/scenario/resolve/constants.h"
#include "conformance/scenario/resolve/variables.h"
#include "conformance/scenario/schema/schema.h"
#include "reference/base/number.h"
#include "reference/trace/trace.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

typedef struct checker {
    scn_reporter *reporter;
    const scn_scenario *scenario;
    const scn_located *fields;
    uint32_t field_count;
    const scn_step *step; /* the step being checked */
    uint32_t index;       /* of the step */
    uint32_t process;     /* the first step after the last restart; 0 if there was none */
    uint32_t parallel;    /* index of the last parallel */
    uint32_t nested_left; /* steps in its lists still to be checked */
    uint32_t thread;      /* while nested_left > 0: the list that the previous step is in */
    bool *ended;          /* for each memory: whether a step of this process has destroyed it */
} checker;

static const scn_located *located(const checker *check, const void *field)
{
    for (uint32_t i = 0; i < check->field_count; i++)
        if (check->fields[i].field == field) return &check->fields[i];
    return NULL;
}

/* The position of a field's value or key in the file; `otherwise` if it is not known. */
static scn_position value_at(const checker *check, const void *field, scn_position otherwise)
{
    const scn_located *place = located(check, field);
    return place ? place->value : otherwise;
}

static scn_position key_at(const checker *check, const void *field, scn_position otherwise)
{
    const scn_located *place = located(check, field);
    return place ? place->key : otherwise;
}

static const char *excerpt(const checker *check, rt_text text)
{
    return scn_excerpt(check->reporter->arena, text);
}

#define REPORT(check, at, ...) scn_report((check)->reporter, at, __VA_ARGS__)
/* Reports a problem at the value of a field of the current step. */
#define REPORT_STEP(check, field, ...)                                                             \
    scn_report((check)->reporter, value_at(check, field, (check)->step->at), __VA_ARGS__)

/* Indices are within their tables: the readers ensure this before the model is checked. */
static const scn_memory *memory_at(const checker *check, uint32_t index)
{
    CHECK(index < check->scenario->memory_count);
    return &check->scenario->memories[index];
}

static const scn_step *step_at(const checker *check, uint32_t index)
{
    CHECK(index < check->scenario->step_count);
    return &check->scenario->steps[index];
}

static uint64_t memory_size(const scn_memory *memory)
{
    return memory->count * memory->layout.size;
}

/* ---- Names -------------------------------------------------------------------------------- */

/* The index of the item with that name in a table whose items begin with their names. If no item
 * has the name, reports a problem and returns SCN_NONE. */
static uint32_t name_find(scn_reporter *reporter, const void *items, uint32_t count, size_t size,
                          scn_position at, rt_text name, const char *noun)
{
    rt_nearest nearest = rt_nearest_to(name);
    for (uint32_t i = 0; i < count; i++) {
        rt_text other;
        memcpy(&other, (const char *)items + i * size, sizeof other);
        if (rt_text_equal(other, name)) return i;
        rt_nearest_offer(&nearest, other);
    }
    const char *hint = count > 0 ? scn_nearest_hint(reporter->arena, &nearest) : "; there are none";
    scn_report(reporter, at, "unknown %s '%s'%s", noun, scn_excerpt(reporter->arena, name), hint);
    return SCN_NONE;
}

static uint32_t module_find(scn_reporter *reporter, const scn_scenario *scenario, scn_position at,
                            rt_text name)
{
    return name_find(reporter, scenario->modules, scenario->module_count, sizeof *scenario->modules,
                     at, name, "module");
}

bool scn_image_name_find(scn_reporter *reporter, const scn_scenario *scenario, scn_position at,
                         rt_text name, uint32_t *out_module, uint32_t *out_image)
{
    *out_module = SCN_NONE;
    rt_text number = name;
    rt_text module = rt_text_take_until(&number, '/');
    if (!rt_number_read_u32(number, 0, RT_IMAGE_COUNT_MAX - 1, out_image)) {
        return scn_report(reporter, at,
                          "'%s' is not an image; images are called MODULE/NUMBER, such as app/0",
                          scn_excerpt(reporter->arena, name));
    }
    *out_module = module_find(reporter, scenario, at, module);
    return *out_module != SCN_NONE;
}

static bool image_check(checker *check, scn_position at, rt_text name)
{
    uint32_t module, image;
    return scn_image_name_find(check->reporter, check->scenario, at, name, &module, &image);
}

static void images_check(checker *check, const rt_text *images, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        image_check(check, value_at(check, &images[i], check->step->at), images[i]);
}

/* ---- Modules, devices and memories -------------------------------------------------------- */

static bool is_repeated(const uint32_t *items, uint32_t index)
{
    for (uint32_t i = 0; i < index; i++)
        if (items[i] == items[index]) return true;
    return false;
}

/* The same for a table whose items begin with a text. */
static bool text_is_repeated(const void *items, size_t size, uint32_t index)
{
    rt_text text, other;
    memcpy(&text, (const char *)items + index * size, sizeof text);
    for (uint32_t i = 0; i < index; i++) {
        memcpy(&other, (const char *)items + i * size, sizeof other);
        if (rt_text_equal(text, other)) return true;
    }
    return false;
}

/* A module's options go to all its front ends, and those of OpenCL and SYCL do not accept each
 * other's. */
static void options_check(checker *check, const scn_module *module)
{
    rt_text refused;
    if (!scn_build_options_check(module->build_options, &refused)) {
        REPORT(
            check, value_at(check, &module->build_options, module->at),
            "build option '%.*s' is not accepted; accepted options: -D, -U, -cl-..., "
            "-std=c++17 or 20, -O0 to -O3, -Os, -ffp-contract=on or off, -ffast-math and warnings",
            RT_TEXT_ARG(refused));
        return;
    }
    bool has_sycl = false, has_other = false;
    for (uint32_t i = 0; i < module->source_count; i++)
        *(module->sources[i].language == SCN_LANGUAGE_SYCL ? &has_sycl : &has_other) = true;
    for (uint32_t i = 0; i < module->hand_image_count; i++)
        *(module->hand_images[i].source.language == SCN_LANGUAGE_SYCL ? &has_sycl : &has_other) =
            true;
    rt_text option, rest = module->build_options;
    while (scn_build_options_next(&rest, &option)) {
        bool is_opencl = rt_text_starts(option, "-cl-"), is_sycl = rt_text_starts(option, "-std=");
        if (!(is_opencl && has_sycl) && !(is_sycl && has_other)) continue;
        REPORT(check, value_at(check, &module->build_options, module->at),
               "build option '%.*s' is for %s, but the module has %s source; remove the option or "
               "move the source to another module",
               RT_TEXT_ARG(option), is_opencl ? "OpenCL" : "SYCL",
               is_opencl ? "a SYCL" : "another");
        return;
    }
}

static void error_check(checker *check, const scn_error *error, bool among_several)
{
    bool empty = error->documents.length == 0 && error->reference_class.length == 0 &&
                 error->reference_text.length == 0 && error->name_count == 0;
    if (error->none && !among_several) {
        REPORT(
            check, error->at,
            "'error: none' is allowed only as an outcome of one_of; a step without 'expect' must "
            "succeed");
    } else if (!error->none && empty && !located(check, error)) {
        REPORT(check, error->at,
               "an error needs 'documents', 'reference' or both, to say which refusal is expected");
    }
}

_Static_assert(offsetof(rt_device_global, unique_id) == 0,
               "text_is_repeated reads the id as the item's first field");

static void module_check(checker *check, uint32_t index)
{
    const scn_module *module = &check->scenario->modules[index];
    const rt_device_global *globals = module->device_globals.globals;
    const rt_text *symbols = module->host_symbols;
    /* A module may need any other module but not itself: loaders allow cycles, so scenarios may
     * have them. */
    for (uint32_t i = 0; i < module->need_count; i++) {
        const uint32_t *need = &module->needs[i];
        if (*need == index)
            REPORT(check, value_at(check, need, module->at),
                   "a module cannot need itself; remove it");
        if (is_repeated(module->needs, i))
            REPORT(check, value_at(check, need, module->at), "this module is listed a second time");
    }
    /* Linkers refuse a second definition of a symbol in the same module; one in another module
     * interposes. */
    for (uint32_t i = 0; i < module->host_symbol_count; i++)
        if (text_is_repeated(symbols, sizeof *symbols, i))
            REPORT(check, value_at(check, &symbols[i], module->at),
                   "the module defines '%s' a second time", excerpt(check, symbols[i]));
    for (uint32_t i = 0; i < module->device_globals.count; i++)
        if (text_is_repeated(globals, sizeof *globals, i))
            REPORT(check, value_at(check, &globals[i], module->at),
                   "the module registers the id '%s' a second time; give each variable its own id",
                   excerpt(check, globals[i].unique_id));
    for (uint32_t i = 0; i < module->host_half_count; i++) {
        uint32_t source = module->host_halves[i].source;
        if (source >= module->source_count || module->sources[source].language != SCN_LANGUAGE_SYCL)
            REPORT(check, module->at, "host half %u does not belong to a SYCL source of the module",
                   i);
    }
    options_check(check, module);
    if (!module->refusal.error) return;
    error_check(check, module->refusal.error, false);
    if (check->scenario->step_count > 0)
        REPORT(check, module->refusal.error->at,
               "a module that is refused leaves nothing to run; write 'steps: []'");
}

static void process_check(checker *check)
{
    const scn_scenario *scenario = check->scenario;
    const scn_position top = {1, 1};
    for (uint32_t i = 0; i < scenario->preloaded_count; i++) {
        const uint32_t *module = &scenario->preloaded[i];
        if (*module == 0)
            REPORT(check, value_at(check, module, top),
                   "the first module is the executable, which no loader preloads");
        if (is_repeated(scenario->preloaded, i))
            REPORT(check, value_at(check, module, top), "this module is preloaded a second time");
    }
    for (uint32_t i = 0; i < scenario->device_count; i++) {
        const scn_device *device = &scenario->devices[i];
        if (device->hidden_aspects & device->required_aspects)
            REPORT(check, device->at, "device '%s' requires an aspect that is hidden",
                   excerpt(check, device->name));
    }
}

static void memory_check(checker *check, const scn_memory *memory)
{
    const scn_layout *layout = &memory->layout;
    bool tolerant = memory->tolerance_kind != SCN_TOLERANCE_NONE;
    scn_position tolerance_at = value_at(check, &memory->tolerance, memory->at);
    if (rt_text_is(memory->name, "null")) {
        REPORT(check, memory->at,
               "a memory cannot be called 'null', because that argument means the null pointer; "
               "choose another name");
    }
    if (memory->count == 0 || memory->count > RT_MEMORY_SIZE_MAX / layout->size) {
        REPORT(check, value_at(check, &memory->count, memory->at),
               "%" PRIu64 " elements of type %s; a memory has at most %" PRIu64 " bytes",
               memory->count, scn_layout_print(check->reporter->arena, layout).data,
               RT_MEMORY_SIZE_MAX);
    }
    if (memory->initial.data && memory->initial.size != memory_size(memory))
        REPORT(check, memory->at, "the values have %zu bytes, but the memory has %" PRIu64,
               memory->initial.size, memory_size(memory));
    if (tolerant && !scn_layout_is_floating(layout) &&
        memory->tolerance_kind != SCN_TOLERANCE_ABSOLUTE) {
        REPORT(check, tolerance_at,
               "this tolerance applies to floating-point values, and type %s has none; write "
               "{absolute: DISTANCE}",
               scn_layout_print(check->reporter->arena, layout).data);
    }
    for (uint32_t i = 0; i < memory->uncompared_count; i++)
        if (memory->uncompared[i] >= memory->count)
            REPORT(check, value_at(check, &memory->uncompared, memory->at),
                   "element %" PRIu64 " is past the end of memory '%s', which has %" PRIu64,
                   memory->uncompared[i], excerpt(check, memory->name), memory->count);
    if (memory->uncompared_count > 0 && memory->unordered)
        REPORT(check, memory->at, "the elements of an unordered memory have no indices");
    if (!isfinite(memory->tolerance) || memory->tolerance < 0 ||
        (!tolerant && memory->tolerance > 0))
        REPORT(check, tolerance_at,
               "%g is not a valid tolerance; expected a finite number that is not negative",
               memory->tolerance);
    if (scn_memory_is_matched(memory) && memory->count > SCN_MATCHED_COUNT_MAX) {
        REPORT(check, memory->at,
               "%" PRIu64
               " unordered elements are too many to match with this tolerance; use at most %d, or "
               "scalar elements",
               memory->count, SCN_MATCHED_COUNT_MAX);
    }
    if (memory->kind != SCN_MEMORY_BUFFER && memory->promotion != SCN_PROMOTION_NONE)
        REPORT(check, memory->at, SCN_PROMOTE_BARS_USM);
}

/* ---- Places of steps ---------------------------------------------------------------------- */

enum {
    /* Verbs that affect all threads. */
    OUTSIDE = SCN_VERB_BIT(DEVICE) | SCN_VERB_BIT(CONTEXT) | SCN_VERB_BIT(PARALLEL) |
              SCN_VERB_BIT(RESTART) | SCN_VERB_BIT(END_QUEUE) | SCN_VERB_BIT(END_MEMORY) |
              SCN_VERB_BIT(USER_EVENT) | SCN_VERB_BIT(COMPLETE_EVENT) | SCN_VERB_BIT(SUB_BUFFER),
    /* Verbs whose results later steps refer to in both profiles, or that change where later steps
     * run. */
    LASTING = SCN_VERB_BIT(DEVICE) | SCN_VERB_BIT(CONTEXT) | SCN_VERB_BIT(PARALLEL) |
              SCN_VERB_BIT(RESTART) | SCN_VERB_BIT(QUEUE) | SCN_VERB_BIT(BUNDLE) |
              SCN_VERB_BIT(USER_EVENT) | SCN_VERB_BIT(MAP),
    NEVER_REFUSED = SCN_VERB_BIT(DEVICE) | SCN_VERB_BIT(CONTEXT) | SCN_VERB_BIT(PARALLEL) |
                    SCN_VERB_BIT(RESTART) | SCN_VERB_BIT(EXPECT),
};

static const char *verb_name(scn_verb verb)
{
    static const char *const names[SCN_VERB_COUNT] = {
#define VERB_NAME(verb, name) [SCN_VERB_##verb] = name,
        SCN_VERBS(VERB_NAME)
#undef VERB_NAME
    };
    CHECK((unsigned)verb < SCN_VERB_COUNT);
    return names[verb];
}

static void parallel_check(checker *check)
{
    uint32_t lists = check->step->parallel.thread_count,
             nested = check->step->parallel.nested_count;
    uint32_t following = check->scenario->step_count - check->index - 1;
    if (lists < 2 || lists > SCN_LIST_COUNT_MAX) {
        REPORT_STEP(check, check->step, "expected 2 to %d lists of steps, found %u",
                    SCN_LIST_COUNT_MAX, lists);
    } else if (nested < lists || nested > following) {
        REPORT_STEP(check, check->step, "%u lists with %u steps in total, but %u steps follow",
                    lists, nested, following);
    }
    check->parallel = check->index;
    check->nested_left = nested < following ? nested : following;
    CHECK(check->index + check->nested_left < check->scenario->step_count);
    check->thread = 0;
}

/* The lists of a parallel follow it one after the other; none is empty, and none holds a verb that
 * affects all threads. */
static void place_check(checker *check)
{
    const scn_step *step = check->step;
    uint32_t bit = 1u << step->verb;
    if (step->profile != RT_PROFILE_COUNT && bit & LASTING) {
        REPORT(check, key_at(check, &step->profile, step->at),
               "'profile' cannot be combined with '%s'; later steps refer to it in both profiles",
               verb_name(step->verb));
    }
    if (check->nested_left == 0) {
        if (step->thread != 0)
            REPORT(check, step->at, "the step belongs to a list, but is outside a parallel");
        return;
    }
    const scn_step *parallel = step_at(check, check->parallel);
    if (bit & OUTSIDE) {
        REPORT(check, step->at, "'%s' is not allowed inside a parallel; write it %s the parallel",
               verb_name(step->verb), step->verb == SCN_VERB_RESTART ? "after" : "before");
    }
    bool in_same_list = check->thread > 0 && step->thread == check->thread;
    check->nested_left--;
    if ((!in_same_list && step->thread != check->thread + 1) ||
        step->thread > parallel->parallel.thread_count ||
        (check->nested_left == 0 && step->thread < parallel->parallel.thread_count)) {
        REPORT(check, step->at,
               "list %u of the %u lists of a parallel follows list %u; put the lists in order",
               step->thread, parallel->parallel.thread_count, check->thread);
    }
    check->thread = step->thread;
}

/* ---- References --------------------------------------------------------------------------- */

/* Checks that a reference names an earlier step that has the right verb and is certain to have run:
 * a process can refer to its own steps, and a list of a parallel to its own steps and those before
 * the parallel. */
static void reference_check(checker *check, const scn_shape *shape, const uint32_t *field)
{
    const scn_step *steps = check->scenario->steps, *target = &steps[*field];
    const char *noun = strchr(shape->noun, ' ') + 1, *id = excerpt(check, target->id);
    if (*field >= check->index) {
        REPORT_STEP(check, field, "the %s refers to step %u, which is not an earlier step", noun,
                    *field);
    } else if (!(1u << target->verb & shape->verbs)) {
        REPORT_STEP(check, field, "step '%s' is not a %s; %s", id, noun, shape->mistaken);
    } else if (*field < check->process) {
        REPORT_STEP(
            check, field,
            "step '%s' is before the restart on line %u; a process cannot use what an earlier "
            "process created",
            id, steps[check->process - 1].at.line);
    } else if (check->step->thread > 0 && *field > check->parallel &&
               target->thread != check->step->thread) {
        REPORT_STEP(
            check, field,
            "step '%s' is in another list of the parallel; a list can refer only to its own steps "
            "and to those before the parallel",
            id);
    }
}

/* Checks all references to steps in a value of any shape, and, if `uses`, that the memories it
 * refers to have not been destroyed. */
static void value_check(checker *check, const scn_shape *shape, const void *value, bool uses);

static void rows_check(checker *check, const scn_row *rows, uint32_t count, const char *object,
                       bool uses)
{
    for (uint32_t i = 0; i < count; i++) {
        const scn_shape *shape = scn_row_stored(&rows[i]);
        if (!shape) continue;
        const char *field = object + rows[i].place.offset;
        if (shape->kind != SCN_SHAPE_LIST) {
            value_check(check, shape, field, uses);
            continue;
        }
        const char *items = field;
        uint32_t item_count;
        if (!shape->in_place) memcpy(&items, field, sizeof items);
        memcpy(&item_count, object + rows[i].place.count_offset, sizeof item_count);
        const scn_shape *element = scn_shape_stored(shape->element);
        for (uint32_t k = 0; k < item_count; k++)
            value_check(check, element, items + (size_t)k * shape->element_size, uses);
    }
}

/* What a buffer held can be read after its end; a part is gone. */
static void memory_use_check(checker *check, uint32_t memory, bool uses)
{
    if (!check->ended[memory]) return;
    uint32_t part = scn_part_step(check->scenario, memory);
    if ((!uses && part == SCN_NONE) || part == check->index) return;
    const char *name = excerpt(check, memory_at(check, memory)->name);
    bool is_later = part != SCN_NONE && (part > check->index || part < check->process);
    if (is_later)
        REPORT(check, check->step->at, "memory '%s' does not exist before its sub_buffer step",
               name);
    else
        REPORT(check, check->step->at, "memory '%s' was destroyed by an earlier step", name);
}

static void value_check(checker *check, const scn_shape *shape, const void *value, bool uses)
{
    uint32_t index;
    switch (shape->kind) {
    case SCN_SHAPE_REFERENCE:
        memcpy(&index, value, sizeof index);
        if (index == SCN_NONE) return;
        if (shape->table == SCN_TABLE_STEPS) reference_check(check, shape, value);
        if (shape->table == SCN_TABLE_MEMORIES) memory_use_check(check, index, uses);
        return;
    case SCN_SHAPE_POINTER: {
        const void *element;
        memcpy(&element, value, sizeof element);
        if (element) value_check(check, scn_shape_stored(shape->element), element, uses);
        return;
    }
    case SCN_SHAPE_OBJECT:
        rows_check(check, shape->rows, shape->row_count, value, uses);
        if (!shape->variants) return;
        memcpy(&index, (const char *)value + shape->tag.offset, sizeof index);
        CHECK(index < shape->variant_count);
        /* A step uses the memories named by its verb, but not those named by its expectations. */
        rows_check(check, shape->variants[index], 1, value,
                   uses || shape == &scn_shape_stored_step);
        return;
    default: return;
    }
}

/* ---- Verbs -------------------------------------------------------------------------------- */

/* Some scenarios test sizes and ranges that do not fit, and expect the error. */
static bool expects_refusal(const scn_step *step)
{
    return step->error || step->outcome_count > 0;
}

bool scn_dimensions_check(scn_reporter *reporter, scn_position at, const char *name, uint32_t count,
                          uint32_t dimensions)
{
    if (count == 0 || count == dimensions) return true;
    return scn_report(reporter, at,
                      "the dimension of '%s' is %u, but that of 'range' is %u; make them equal",
                      name, count, dimensions);
}

/* Checks that a launch may have work-groups of different sizes: SYCL has none, so a scenario about
 * fusion has none either, and code built for OpenCL 1.x or for equal sizes may rely on them (OpenCL
 * C, "Work-group size" options). */
static bool non_uniform_check(checker *check, const scn_submit *submit)
{
    static const char *const equal[] = {"-cl-uniform-work-group-size", "-cl-std=CL1"};
    if (scn_scenario_fuses(check->scenario))
        return REPORT_STEP(check, &submit->non_uniform,
                           "kernels of a scenario that fuses have work-groups of equal size, as in "
                           "SYCL; remove 'non_uniform'");
    for (uint32_t m = 0; m < check->scenario->module_count; m++) {
        rt_text options = check->scenario->modules[m].build_options;
        for (size_t i = 0; i < sizeof equal / sizeof *equal; i++)
            if (options.length > 0 &&
                memmem(options.data, options.length, equal[i], strlen(equal[i])))
                return REPORT_STEP(check, &submit->non_uniform,
                                   "module '%s' is built with '%s', for work-groups of equal size; "
                                   "choose a local size that divides the range",
                                   excerpt(check, check->scenario->modules[m].name), equal[i]);
    }
    return true;
}

/* Checks that the sizes of a range and of its work-groups are possible and, unless a refusal is
 * expected, that they are compatible. No device can count more than 2^64 work-items, so a product
 * that wraps around is refused here. */
static bool range_check(checker *check, const scn_submit *submit)
{
    uint64_t items = 1, group = 1;
    if (submit->non_uniform && !non_uniform_check(check, submit)) return false;
    CHECK(submit->dimensions <= RT_ND_RANGE_DIMENSIONS);
    if (submit->dimensions == 0)
        return REPORT_STEP(check, &submit->range, "the range has no dimensions; give 1 to 3");
    for (uint32_t d = 0; d < submit->dimensions; d++) {
        /* In dimension 0, it would mean that the device chooses. */
        bool may_be_zero = d > 0 && expects_refusal(check->step);
        bool local_is_zero = submit->local_count > 0 && submit->local[d] == 0 && !may_be_zero;
        if (local_is_zero)
            return REPORT_STEP(
                check, &submit->local,
                "a work-group size is 0; give each dimension at least 1 work-item, or all but the "
                "first and expect the error");
        if (submit->range[d] == 0) continue; /* the product of the others must be a number, too */
        if (submit->range[d] > UINT64_MAX / items)
            return REPORT_STEP(check, &submit->range, "the range has more than 2^64 work-items");
        items *= submit->range[d];
    }
    if (submit->local[0] == 0 || expects_refusal(check->step)) return true;
    for (uint32_t d = 0; d < submit->dimensions; d++) {
        uint64_t local = submit->local[d];
        if (submit->range[d] % local != 0 && !submit->non_uniform) {
            return REPORT_STEP(check, &submit->local,
                               "local size %" PRIu64 " does not divide range %" PRIu64
                               " in dimension %u; choose a divisor, give 'non_uniform: true' if "
                               "the last work-groups may be smaller, or expect the error",
                               local, submit->range[d], d);
        }
        if (local <= RT_WORK_GROUP_SIZE_MAX) group *= local;
        if (local > RT_WORK_GROUP_SIZE_MAX || group > RT_WORK_GROUP_SIZE_MAX) {
            return REPORT_STEP(
                check, &submit->local,
                "a work-group has at most %u work-items; choose fewer, or expect the error",
                RT_WORK_GROUP_SIZE_MAX);
        }
    }
    return true;
}

/* Checks a pointer into a USM memory: it may point no further than one past the last byte. */
static bool pointer_check(checker *check, const uint32_t *memory_field, const uint64_t *offset,
                          scn_position at, const char *buffer)
{
    const scn_memory *memory = memory_at(check, *memory_field);
    const char *name = excerpt(check, memory->name);
    if (memory->kind == SCN_MEMORY_BUFFER)
        return REPORT(check, value_at(check, memory_field, at), "memory '%s' is a buffer, %s", name,
                      buffer);
    if (*offset <= memory_size(memory)) return true;
    return REPORT(check, value_at(check, offset, at),
                  "offset %" PRIu64 " is past the end of memory '%s', which has %" PRIu64 " bytes",
                  *offset, name, memory_size(memory));
}

/* The pointers in a value must be in ascending order without overlap, and the value must be zero
 * where they lie. */
static void value_argument_check(checker *check, const scn_argument *argument)
{
    uint64_t end = 0, zero = 0, size = argument->value.size;
    if (size != argument->layout.size || size > SCN_VALUE_SIZE_MAX) {
        REPORT(check, argument->at,
               "the value has %" PRIu64 " bytes, but its type has %u; at most %d are allowed", size,
               argument->layout.size, SCN_VALUE_SIZE_MAX);
        return;
    }
    for (uint32_t i = 0; i < argument->pointer_count; i++) {
        const scn_inner_pointer *pointer = &argument->pointers[i];
        pointer_check(check, &pointer->memory, &pointer->offset, argument->at,
                      "and a struct can hold only pointers into USM; give the memory 'usm:'");
        if (pointer->at < end || size < sizeof zero || pointer->at > size - sizeof zero ||
            memcmp(argument->value.data + pointer->at, &zero, sizeof zero) != 0) {
            REPORT(check, argument->at,
                   "a pointer at byte %" PRIu64 " does not fit into a value of %" PRIu64 " bytes",
                   pointer->at, size);
            return;
        }
        end = pointer->at + sizeof zero;
    }
}

static void argument_check(checker *check, const scn_argument *argument)
{
    switch (argument->kind) {
    case SCN_ARGUMENT_MEMORY: {
        const scn_memory *memory = memory_at(check, argument->memory);
        const char *name = excerpt(check, memory->name);
        if (memory->kind == SCN_MEMORY_BUFFER) return;
        REPORT(
            check, value_at(check, &argument->memory, argument->at),
            "memory '%s' is USM, whose accesses are not declared; write its name alone, or {usm: "
            "%s, offset: BYTES}, and order steps with 'after'",
            name, name);
        return;
    }
    case SCN_ARGUMENT_POINTER:
        pointer_check(
            check, &argument->memory, &argument->offset, argument->at,
            "but pointers must point into USM; give the memory 'usm:', or write its name alone");
        return;
    case SCN_ARGUMENT_VALUE: value_argument_check(check, argument); return;
    case SCN_ARGUMENT_LOCAL:
        if (argument->size == 0)
            REPORT(check, argument->at, "the local memory has 0 bytes; give it at least 1");
        return;
    default: return;
    }
}

static void constants_check(checker *check, const scn_spec_constant *constants, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        size_t size = constants[i].value.size;
        if (size == 0 || size > SCN_VALUE_SIZE_MAX)
            REPORT(check, constants[i].at,
                   "the constant has %zu bytes; a specialisation constant has 1 to %d", size,
                   SCN_VALUE_SIZE_MAX);
        /* The runtime accepts any name, so a mistyped one would do nothing, silently. */
        if (scn_constant_may_be(check->scenario, constants[i].name)) continue;
        REPORT(check, constants[i].at,
               "no module has a specialisation constant '%s': no source mentions the name",
               excerpt(check, constants[i].name));
    }
}

static const char *state_name(scn_bundle_state state)
{
    static const char *const names[SCN_BUNDLE_STATE_COUNT] = {
#define STATE_NAME(state, name) name,
        SCN_BUNDLE_STATES(STATE_NAME)
#undef STATE_NAME
    };
    CHECK((unsigned)state < SCN_BUNDLE_STATE_COUNT);
    return names[state];
}

/* Refuses an earlier step's bundle that is not in the required state: in C++ it would have a
 * different type. */
static bool state_check(checker *check, const uint32_t *field, scn_bundle_state required)
{
    const scn_step *other = step_at(check, *field);
    if (other->verb != SCN_VERB_BUNDLE || other->bundle.state == required) return true;
    return REPORT_STEP(check, field, "bundle '%s' is in state %s, but state %s is required here",
                       excerpt(check, other->id), state_name(other->bundle.state),
                       state_name(required));
}

/* A fused kernel cannot keep elsewhere what it also reaches through another memory. */
static void promotion_check(checker *check, const scn_argument *argument)
{
    bool is_promoted =
        argument->kind == SCN_ARGUMENT_MEMORY && argument->promotion != SCN_PROMOTION_NONE;
    for (uint32_t i = 0; is_promoted && i < check->scenario->step_count; i++) {
        const scn_step *step = &check->scenario->steps[i];
        if (step->verb != SCN_VERB_SUB_BUFFER) continue;
        if (step->part.memory != argument->memory && step->part.whole != argument->memory) continue;
        REPORT_STEP(
            check, &argument->memory,
            "'promote' cannot be combined with memory '%s', which is part of a buffer or has parts; remove it",
            excerpt(check, memory_at(check, argument->memory)->name));
        return;
    }
}

static void submit_check(checker *check, const scn_submit *submit)
{
    scn_position at = check->step->at;
    if (submit->bundle != SCN_NONE) {
        state_check(check, &submit->bundle, SCN_BUNDLE_EXECUTABLE);
        if (submit->options.length > 0 || submit->module != SCN_NONE)
            REPORT(
                check, at,
                "'options' and 'module' cannot be combined with 'bundle', which determines them; "
                "remove them");
    }
    if (submit->through == SCN_THROUGH_BUNDLE && submit->bundle == SCN_NONE &&
        (submit->options.length > 0 || submit->module != SCN_NONE || submit->constant_count > 0))
        REPORT_STEP(check, &submit->through,
                    "'options', 'module' and 'spec_constants' cannot be combined with 'through: "
                    "bundle', whose bundle is complete before the submit; remove them");
    for (uint32_t i = 0; i < submit->argument_count; i++) {
        argument_check(check, &submit->arguments[i]);
        promotion_check(check, &submit->arguments[i]);
    }
    if (submit->argument_count > RT_KERNEL_ARGUMENT_MAX)
        REPORT(check, at, "the submit has %u arguments; a kernel takes at most %u",
               submit->argument_count, RT_KERNEL_ARGUMENT_MAX);
    constants_check(check, submit->constants, submit->constant_count);
    if (scn_dimensions_check(check->reporter, value_at(check, &submit->offset, at), "offset",
                             submit->offset_count, submit->dimensions) &&
        scn_dimensions_check(check->reporter, value_at(check, &submit->local, at), "local",
                             submit->local_count, submit->dimensions))
        range_check(check, submit);
}

static bool part_check(checker *check, uint32_t memory, uint64_t offset, uint64_t size)
{
    /* A variable's size is known only once its image has been built (scn_variables_resolve). */
    if (memory == SCN_NONE) return true;
    const scn_memory *declared = memory_at(check, memory);
    uint64_t room = memory_size(declared);
    if (offset <= room && size <= room - offset) return true;
    return REPORT_STEP(check, check->step,
                       "bytes %" PRIu64 " to %" PRIu64
                       " are not inside memory '%s', which has %" PRIu64
                       " bytes; choose a part inside it, or expect the error",
                       offset, offset + size, excerpt(check, declared->name), room);
}

/* A variable that has been found must belong to its module; a variable not found yet is not
 * checked. */
static bool variable_check(checker *check, const scn_variable *variable)
{
    const scn_scenario *scenario = check->scenario;
    bool found = variable->global != SCN_NONE;
    if (variable->name.length > 0 &&
        (!found || (variable->module != SCN_NONE &&
                    variable->global < scenario->modules[variable->module].device_globals.count)))
        return true;
    return REPORT(check, check->step->at, "device_global '%s' does not belong to its module",
                  excerpt(check, variable->name));
}

static void copy_check(checker *check, const scn_transfer *transfer)
{
    bool memories = transfer->from != SCN_NONE && transfer->to != SCN_NONE;
    bool none = transfer->from == SCN_NONE && transfer->to == SCN_NONE;
    /* The copy functions of queue and handler take at most one variable (document 002, "Changes to
     * the DPC++ runtime"). */
    if (none) {
        REPORT(check, check->step->at,
               "both ends are device_globals, but SYCL copies only between a device_global and a "
               "memory; write two copies");
        return;
    }
    if (!memories && !variable_check(check, &transfer->variable)) return;
    bool later = !memories && transfer->variable.global == SCN_NONE;
    if ((transfer->to_end && !later) || transfer->from_offset > UINT64_MAX / 2 ||
        transfer->to_offset > UINT64_MAX / 2) {
        REPORT(check, check->step->at,
               "the copy has no size, or an offset past the end of any memory");
        return;
    }
    if (expects_refusal(check->step) ||
        !part_check(check, transfer->to, transfer->to_offset, transfer->size) ||
        !part_check(check, transfer->from, transfer->from_offset, transfer->size))
        return;
    uint64_t low = transfer->from_offset, high = transfer->to_offset;
    if (low > high) low = transfer->to_offset, high = transfer->from_offset;
    if (transfer->from != transfer->to || high - low >= transfer->size) return; /* of memories */
    REPORT_STEP(check, check->step,
                "the copy reads and writes the same bytes of memory '%s'; choose parts that do not "
                "overlap, or expect the error",
                excerpt(check, memory_at(check, transfer->to)->name));
}

/* SYCL fills with values of any type. */
static void fill_check(checker *check, const scn_transfer *transfer)
{
    const scn_memory *to = memory_at(check, transfer->to);
    uint64_t unit = transfer->pattern.size;
    if (unit == 0 || unit > SCN_PATTERN_SIZE_MAX || unit != to->layout.size) {
        REPORT_STEP(
            check, &transfer->to,
            "the elements of memory '%s' have %u bytes; only elements of at most %d bytes can be "
            "filled",
            excerpt(check, to->name), to->layout.size, SCN_PATTERN_SIZE_MAX);
    } else if (transfer->size % unit != 0 || transfer->to_offset % unit != 0) {
        REPORT(check, check->step->at, "the fill covers only part of an element");
    } else if (!expects_refusal(check->step)) {
        part_check(check, transfer->to, transfer->to_offset, transfer->size);
    }
}

/* A host task copies between two memories of the same size, which the host can access. */
static void host_task_check(checker *check, const scn_host_task *task)
{
    const scn_memory *memories = check->scenario->memories;
    const uint32_t *const ends[] = {&task->from, &task->to};
    for (uint32_t i = 0; i < 2; i++) {
        if (*ends[i] == SCN_NONE || memories[*ends[i]].kind != SCN_MEMORY_USM_DEVICE) continue;
        REPORT_STEP(check, ends[i],
                    "memory '%s' is device memory, which host code cannot access; make it a "
                    "buffer, or write 'usm: host' or 'usm: shared'",
                    excerpt(check, memories[*ends[i]].name));
        return;
    }
    for (uint32_t i = 0; i < 2; i++) {
        if (*ends[i] == SCN_NONE || scn_part_step(check->scenario, *ends[i]) == SCN_NONE) continue;
        REPORT_STEP(check, ends[i],
                    "memory '%s' is part of a buffer; host tasks of scenarios take whole buffers",
                    excerpt(check, memories[*ends[i]].name));
        return;
    }
    if (task->to == SCN_NONE) return;
    const scn_memory *from = &memories[task->from], *to = &memories[task->to];
    if (from != to && memory_size(from) == memory_size(to)) return;
    REPORT_STEP(
        check, &task->to,
        "the task copies all of memory '%s' to '%s'; they must be two memories of the same size",
        excerpt(check, from->name), excerpt(check, to->name));
}

/* ---- Maps --------------------------------------------------------------------------------- */

/* True if a step of this process has unmapped what the step maps. */
static bool is_unmapped(const checker *check, uint32_t map)
{
    for (uint32_t i = map + 1; i < check->index; i++) {
        const scn_step *step = &check->scenario->steps[i];
        if (step->verb == SCN_VERB_UNMAP && step->unmap.map == map && !expects_refusal(step))
            return true;
    }
    return false;
}

/* A program that ends while a buffer is mapped is not what scenarios are about. */
static void map_end_check(checker *check)
{
    const scn_scenario *scenario = check->scenario;
    for (uint32_t i = check->index + 1; i < scenario->step_count; i++) {
        const scn_step *step = &scenario->steps[i];
        if (step->verb == SCN_VERB_RESTART) break;
        if (step->verb == SCN_VERB_UNMAP && step->unmap.map == check->index &&
            !expects_refusal(step))
            return;
    }
    const char *id = check->step->id.length > 0 ? excerpt(check, check->step->id) : "ID";
    REPORT(check, check->step->at, "no step unmaps what this one maps; add '- unmap: %s'", id);
}

static void map_check(checker *check, const scn_map *map)
{
    const scn_memory *memory = memory_at(check, map->memory);
    if (memory->kind != SCN_MEMORY_BUFFER) {
        REPORT_STEP(check, &map->memory,
                    "memory '%s' is USM, which the host accesses through its own pointer; only "
                    "buffers can be mapped",
                    excerpt(check, memory->name));
        return;
    }
    if (map->size % memory->layout.size != 0 || map->offset % memory->layout.size != 0)
        REPORT(check, check->step->at, "the map covers only part of an element");
    if (expects_refusal(check->step)) return;
    if (map->size == 0)
        REPORT(check, check->step->at,
               "the map has no elements, and drivers map at least one; choose a range, or expect "
               "the error");
    else if (part_check(check, map->memory, map->offset, map->size))
        map_end_check(check);
}

/* Checks a step or an expectation that uses a map, and returns it; NULL: it is misused. */
static const scn_map *mapped_find(checker *check, scn_position at, uint32_t map)
{
    const scn_step *step = step_at(check, map);
    if (step->verb != SCN_VERB_MAP) return NULL; /* reported by reference_check */
    if (expects_refusal(step))
        REPORT(check, at, "map '%s' is refused, so it has nothing to access or unmap",
               excerpt(check, step->id));
    else if (is_unmapped(check, map))
        REPORT(check, at, "map '%s' was unmapped by an earlier step", excerpt(check, step->id));
    else
        return &step->map;
    return NULL;
}

static void map_write_check(checker *check, const scn_map_write *write)
{
    const scn_map *map =
        mapped_find(check, value_at(check, &write->map, check->step->at), write->map);
    if (!map) return;
    const char *id = excerpt(check, step_at(check, write->map)->id);
    bool is_inside = write->offset <= map->size && write->values.size <= map->size - write->offset;
    if (map->access == SCN_MAP_READ)
        REPORT_STEP(check, &write->map,
                    "map '%s' is for reading; to write, map with another access", id);
    else if (write->values.size == 0 || !is_inside)
        REPORT_STEP(check, check->step,
                    "bytes %" PRIu64 " to %" PRIu64 " are not inside map '%s', which has %" PRIu64
                    " bytes",
                    write->offset, write->offset + write->values.size, id, map->size);
}

/* A buffer lives as long as it is mapped. */
static void mapped_end_check(checker *check, uint32_t memory)
{
    for (uint32_t i = check->process; i < check->index; i++) {
        const scn_step *step = &check->scenario->steps[i];
        if (step->verb != SCN_VERB_MAP || expects_refusal(step) || is_unmapped(check, i)) continue;
        uint32_t part = scn_part_step(check->scenario, step->map.memory);
        bool is_part_of = part != SCN_NONE && step_at(check, part)->part.whole == memory;
        if (step->map.memory != memory && !is_part_of) continue;
        REPORT_STEP(check, &check->step->memory,
                    "memory '%s' is mapped by the step on line %u; unmap it before",
                    excerpt(check, memory_at(check, memory)->name), step->at.line);
        return;
    }
}

/* The device of a queue or bundle must belong to the context that it is created in. */
static void context_check(checker *check, uint32_t step, uint32_t device)
{
    if (step == SCN_NONE || expects_refusal(check->step)) return;
    const scn_step *context = step_at(check, step);
    if (context->verb != SCN_VERB_CONTEXT) return; /* reported by reference_check */
    for (uint32_t i = 0; i < context->context.device_count; i++)
        if (context->context.devices[i] == device) return;
    REPORT_STEP(check, check->step,
                "context '%s' does not hold device '%s'; choose a device of the context, or expect "
                "the error",
                excerpt(check, context->id), excerpt(check, check->scenario->devices[device].name));
}

static void context_devices_check(checker *check)
{
    const uint32_t *devices = check->step->context.devices;
    uint32_t count = check->step->context.device_count;
    if (count == 0) REPORT(check, check->step->at, "the context has no devices; give at least one");
    for (uint32_t i = 0; i < count; i++) {
        if (!is_repeated(devices, i)) continue;
        REPORT_STEP(check, &devices[i], "device '%s' is listed a second time; remove it",
                    excerpt(check, check->scenario->devices[devices[i]].name));
        return;
    }
}

/* The number and state of each action's input bundles, and the state of its result (SYCL 2020,
 * 4.11). */
static const struct action_row {
    uint32_t least, most; /* input bundles */
    scn_bundle_state from, to;
} action_rows[SCN_BUNDLE_ACTION_COUNT] = {
    [SCN_BUNDLE_GET] = {0, 0, SCN_BUNDLE_INPUT, SCN_BUNDLE_INPUT}, /* no input bundles; the result
                                                                    * may have any state */
    [SCN_BUNDLE_COMPILE] = {1, 1, SCN_BUNDLE_INPUT, SCN_BUNDLE_OBJECT},
    [SCN_BUNDLE_LINK] = {1, UINT32_MAX, SCN_BUNDLE_OBJECT, SCN_BUNDLE_EXECUTABLE},
    [SCN_BUNDLE_BUILD] = {1, 1, SCN_BUNDLE_INPUT, SCN_BUNDLE_EXECUTABLE},
    [SCN_BUNDLE_JOIN] = {1, UINT32_MAX, SCN_BUNDLE_INPUT, SCN_BUNDLE_INPUT}, /* keeps their state */
};

static void bundle_check(checker *check, const scn_bundle *bundle)
{
    scn_position at = check->step->at;
    CHECK((unsigned)bundle->action < SCN_BUNDLE_ACTION_COUNT);
    const struct action_row *row = &action_rows[bundle->action];
    bool gets = bundle->action == SCN_BUNDLE_GET, joins = bundle->action == SCN_BUNDLE_JOIN;
    bool compiles = bundle->action == SCN_BUNDLE_COMPILE || bundle->action == SCN_BUNDLE_LINK;
    if (bundle->constant_count > 0 && (!gets || bundle->state != SCN_BUNDLE_INPUT)) {
        REPORT(check, key_at(check, &bundle->constants, at), SCN_CONSTANTS_NEED_INPUT);
    }
    constants_check(check, bundle->constants, bundle->constant_count);
    if (!gets && (bundle->kernel_count > 0 || bundle->context != SCN_NONE))
        REPORT(check, at, "'kernels' and 'context' require 'get'");
    if (!compiles && bundle->options.length > 0) REPORT(check, at, SCN_OPTIONS_NEED_ACTION);
    context_check(check, bundle->context, bundle->device);
    if (bundle->source_count < row->least || bundle->source_count > row->most ||
        (!gets && !joins && bundle->state != row->to)) {
        REPORT(check, at, "this action cannot create a bundle in state %s from %u bundles",
               state_name(bundle->state), bundle->source_count);
        return;
    }
    for (uint32_t i = 0; i < bundle->source_count; i++)
        if (!state_check(check, &bundle->sources[i], joins ? bundle->state : row->from)) return;
}

/* A host task has no profiling times, because no device runs it. */
static void profiling_check(checker *check, const scn_profiling *profiling)
{
    const uint32_t *const fields[] = {&profiling->step, &profiling->after, &profiling->same_as};
    for (uint32_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        if (*fields[i] == SCN_NONE) continue;
        const scn_step *step = step_at(check, *fields[i]);
        const char *kind = step->verb == SCN_VERB_HOST_TASK    ? "host task"
                           : step->verb == SCN_VERB_USER_EVENT ? "user event"
                                                               : NULL;
        if (!kind) continue;
        REPORT_STEP(check, check->step,
                    "step '%s' is a %s; only commands that a device runs have times",
                    excerpt(check, step->id), kind);
        return;
    }
}

/* Sub-buffers do not exist when a process begins. */
static void process_begin(checker *check)
{
    for (uint32_t i = 0; i < check->scenario->memory_count; i++)
        check->ended[i] = scn_part_step(check->scenario, i) != SCN_NONE;
}

/* The contents of a part are those of its buffer, and a fused kernel cannot keep either elsewhere.
 */
static void sub_buffer_check(checker *check)
{
    const scn_step *step = check->step;
    const scn_memory *part = memory_at(check, step->part.memory);
    const scn_memory *whole = memory_at(check, step->part.whole);
    const char *name = excerpt(check, part->name);
    bool is_misused = part->kind != SCN_MEMORY_BUFFER || part->initial.data ||
                      part->promotion != SCN_PROMOTION_NONE;
    if (is_misused)
        REPORT_STEP(check, &step->part.memory,
                    "memory '%s' becomes part of a buffer, so it has no 'usm', 'values' or "
                    "'promote'; remove them",
                    name);
    if (scn_part_step(check->scenario, step->part.memory) != check->index)
        REPORT_STEP(check, &step->part.memory,
                    "another step makes memory '%s' part of a buffer; use a second memory", name);
    if (whole->promotion != SCN_PROMOTION_NONE)
        REPORT_STEP(check, &step->part.whole,
                    "memory '%s' has 'promote', so it cannot have parts; remove one of them",
                    excerpt(check, whole->name));
    if (step->error) return; /* the part will not exist */
    check->ended[step->part.memory] = false;
    bool is_inside = step->part.offset <= memory_size(whole) &&
                     memory_size(part) <= memory_size(whole) - step->part.offset;
    bool is_whole = whole->kind == SCN_MEMORY_BUFFER &&
                    scn_part_step(check->scenario, step->part.whole) == SCN_NONE;
    if (step->outcome_count > 0 || (is_inside && is_whole)) return;
    REPORT_STEP(check, &step->part.whole,
                "'%s' cannot be %" PRIu64 " bytes from byte %" PRIu64 " of '%s', which %s; choose "
                "another part, or expect the error",
                name, memory_size(part), step->part.offset, excerpt(check, whole->name),
                is_whole ? "is too small" : "is not a buffer of its own");
}

/* Every wait for everything, and the end of the program, would wait forever for the commands of an
 * event that is never completed. */
static void user_event_check(checker *check)
{
    const scn_scenario *scenario = check->scenario;
    for (uint32_t i = check->index + 1; i < scenario->step_count; i++) {
        const scn_step *step = &scenario->steps[i];
        if (step->verb == SCN_VERB_RESTART) break;
        if (step->verb == SCN_VERB_COMPLETE_EVENT && step->completion.event == check->index) return;
    }
    REPORT(check, check->step->at,
           "no step completes user event '%s', so commands that wait for it never end; add "
           "'- complete_event: %s'",
           excerpt(check, check->step->id), excerpt(check, check->step->id));
}

static void verb_check(checker *check)
{
    const scn_step *step = check->step;
    switch (step->verb) {
    case SCN_VERB_LOAD:
    case SCN_VERB_UNLOAD:
        if (step->load.module == 0)
            REPORT_STEP(check, &step->load.module,
                        "'%s', the first module, is the executable, which is always loaded",
                        excerpt(check, check->scenario->modules[0].name));
        return;
    case SCN_VERB_CONTEXT: context_devices_check(check); return;
    case SCN_VERB_QUEUE: context_check(check, step->queue.context, step->queue.device); return;
    case SCN_VERB_BUNDLE: bundle_check(check, &step->bundle); return;
    case SCN_VERB_SUBMIT: submit_check(check, &step->submit); return;
    case SCN_VERB_COPY: copy_check(check, &step->transfer); return;
    case SCN_VERB_FILL: fill_check(check, &step->transfer); return;
    case SCN_VERB_HOST_TASK: host_task_check(check, &step->task); return;
    case SCN_VERB_MAP: map_check(check, &step->map); return;
    case SCN_VERB_MAP_WRITE: map_write_check(check, &step->map_write); return;
    case SCN_VERB_UNMAP:
        mapped_find(check, value_at(check, &step->unmap.map, step->at), step->unmap.map);
        return;
    case SCN_VERB_USER_EVENT: user_event_check(check); return;
    case SCN_VERB_SUB_BUFFER: sub_buffer_check(check); return;
    case SCN_VERB_PROFILING: profiling_check(check, &step->profiling); return;
    case SCN_VERB_PARALLEL: parallel_check(check); return;
    case SCN_VERB_WAIT:
        if (step->wait.queue != SCN_NONE && step->wait.step != SCN_NONE)
            REPORT(check, step->at,
                   "a wait is for a queue or for a step, not for both; remove one of them");
        return;
    case SCN_VERB_END_MEMORY: {
        const scn_memory *memory = memory_at(check, step->memory);
        check->ended[step->memory] = true;
        mapped_end_check(check, step->memory);
        if (memory->kind != SCN_MEMORY_BUFFER)
            REPORT_STEP(
                check, &step->memory,
                "memory '%s' is USM, which is freed when the program ends; only buffers can be "
                "destroyed earlier",
                excerpt(check, memory->name));
        return;
    }
    case SCN_VERB_RESTART:
        check->process = check->index + 1;
        process_begin(check);
        return;
    default: return;
    }
}

/* ---- Expectations ------------------------------------------------------------------------- */

/* Checks the name of something that a copy reads or writes: a memory, or a device_global. */
static bool content_check(checker *check, scn_position at, rt_text name)
{
    const scn_scenario *scenario = check->scenario;
    return scn_variable_may_be(scenario, name) ||
           name_find(check->reporter, scenario->memories, scenario->memory_count,
                     sizeof *scenario->memories, at, name, "memory") != SCN_NONE;
}

static bool event_module_check(checker *check, scn_position at, rt_text name)
{
    return module_find(check->reporter, check->scenario, at, name) != SCN_NONE;
}

static bool event_variable_check(checker *check, scn_position at, rt_text name)
{
    if (scn_variable_may_be(check->scenario, name)) return true;
    return REPORT(check, at,
                  "no module has a device_global '%s': no source mentions the name; declare it "
                  "with DEVICE_GLOBAL in the code",
                  excerpt(check, name));
}

/* Fields that name something the scenario declares. A mistyped name would never occur in a trace,
 * so an expectation that such an event never happens could not fail. */
static const struct name_row {
    const char *field;
    bool (*check)(checker *check, scn_position at, rt_text name);
} name_rows[] = {
    {"module", event_module_check}, {"image", image_check},  {"provider", image_check},
    {"inputs", image_check},        {"images", image_check}, {"memory", content_check},
    {"from", content_check},        {"to", content_check},   {"variable", event_variable_check},
    {"stands_for", image_check},
};

/* True for one decimal number without leading zeros: counts are compared as text. */
static bool is_count(const scn_trace_field *field)
{
    if (field->is_list || field->value_count != 1 || field->values[0].length == 0) return false;
    rt_text value = field->values[0];
    for (size_t i = 0; i < value.length; i++)
        if (value.data[i] < (i == 0 ? '1' : '0') || value.data[i] > '9') return false;
    return true;
}

static void event_field_check(checker *check, rt_event_kind kind, const scn_trace_field *field,
                              scn_position at)
{
    bool is_list = false;
    if (scn_event_counts_work_items(kind, field->key)) {
        if (!is_count(field))
            REPORT(check, value_at(check, field, at),
                   "field 'work_items' holds a number of work-items, such as 16");
        return;
    }
    if (!rt_event_has_field(kind, field->key, &is_list)) {
        REPORT(check, key_at(check, field, at), "event '%s' has no field '%s'; its fields are: %s",
               rt_event_name(kind), excerpt(check, field->key), rt_event_fields(kind));
        return;
    }
    if (is_list != field->is_list || (!is_list && field->value_count != 1)) {
        const char *value = field->value_count > 0 ? excerpt(check, field->values[0]) : "";
        REPORT(check, value_at(check, field, at), "field '%s' holds %s, found %s%s%s",
               excerpt(check, field->key), is_list ? "a list" : "one value",
               field->is_list ? "a list" : "'", field->is_list ? "" : value,
               field->is_list ? "" : "'");
        return;
    }
    for (size_t i = 0; i < sizeof name_rows / sizeof *name_rows; i++) {
        if (!rt_text_is(field->key, name_rows[i].field)) continue;
        for (uint32_t k = 0; k < field->value_count; k++)
            name_rows[i].check(check, value_at(check, &field->values[k], at), field->values[k]);
    }
}

/* Documented in scenario.h. */
bool scn_event_counts_work_items(rt_event_kind kind, rt_text key)
{
    return rt_text_is(key, "work_items") && rt_event_has_field(kind, RT_TEXT("global"), NULL);
}

/* Documented in scenario.h. */
const char *scn_event_images_field(rt_event_kind kind)
{
    static const char *const fields[] = {"inputs", "images", "image"};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        if (rt_event_has_field(kind, rt_text_of(fields[i]), NULL)) return fields[i];
    }
    return NULL;
}

static void event_check(checker *check, const scn_trace_event *event)
{
    rt_event_kind kind = rt_event_find(event->kind);
    if (kind == RT_EVENT_COUNT) {
        REPORT(check, event->at, "unknown event '%s'", excerpt(check, event->kind));
        return;
    }
    if (event->program_of.length > 0 && !rt_event_has_field(kind, RT_TEXT("program"), NULL))
        REPORT(check, key_at(check, &event->program_of, event->at),
               "event '%s' has no program, so 'program_of' does not apply; remove it",
               rt_event_name(kind));
    for (uint32_t i = 0; i < event->field_count; i++)
        event_field_check(check, kind, &event->fields[i], event->at);
    for (uint32_t i = 0; i < event->condition_count && !scn_event_images_field(kind); i++)
        REPORT(check, key_at(check, &event->conditions[i].negated, event->at),
               "event '%s' has no images, so conditions on images do not apply; remove them",
               rt_event_name(kind));
}

static void expects_check(checker *check, const scn_expect *expects, uint32_t count,
                          bool in_outcome);

/* True if one of the outcomes has the name of `named`, which belongs to another one_of. */
static bool names_again(const scn_outcome *outcomes, uint32_t count, const scn_outcome *named)
{
    bool is_again = false;
    for (uint32_t i = 0; i < count; i++) {
        if (&outcomes[i] == named) return false; /* `named` is one of them */
        is_again = is_again || rt_text_equal(outcomes[i].name, named->name);
    }
    return is_again;
}

static bool name_is_shared(const scn_scenario *scenario, const scn_outcome *named)
{
    for (uint32_t i = 0; i < scenario->step_count; i++) {
        const scn_step *step = &scenario->steps[i];
        if (names_again(step->outcomes, step->outcome_count, named)) return true;
        for (uint32_t k = 0; k < step->expect_count; k++) {
            const scn_expect *expect = &step->expect[k];
            if (scn_expect_outcome_count(expect) > 0 &&
                names_again(expect->one_of.outcomes, expect->one_of.outcome_count, named))
                return true;
        }
    }
    return false;
}

static void outcomes_check(checker *check, const scn_outcome *outcomes, uint32_t count,
                           scn_position at, bool errors)
{
    if (count < 2 || count > SCN_OUTCOME_COUNT_MAX)
        REPORT(check, at, "expected 2 to %d outcomes, found %u", SCN_OUTCOME_COUNT_MAX, count);
    for (uint32_t i = 0; i < count; i++) {
        if ((outcomes[i].error != NULL) != errors || (!errors && outcomes[i].expect_count == 0))
            REPORT(check, outcomes[i].at, "an outcome of a step %s",
                   errors ? "with a verb needs 'error'" : "without a verb cannot have 'error'");
        if (outcomes[i].error) error_check(check, outcomes[i].error, true);
        if (outcomes[i].name.length > 0 && !name_is_shared(check->scenario, &outcomes[i]))
            REPORT(check, outcomes[i].at,
                   "no other one_of has an outcome '%s'; a name links outcomes of different one_of "
                   "lists",
                   excerpt(check, outcomes[i].name));
        expects_check(check, outcomes[i].expects, outcomes[i].expect_count, true);
    }
}

static void expect_check(checker *check, const scn_expect *expect, bool in_outcome)
{
    const scn_scenario *scenario = check->scenario;
    const void *field = expect->kind == SCN_EXPECT_ONE_OF ? (const void *)&expect->one_of.outcomes
                                                          : (const void *)&expect->finding.kind;
    bool open = expect->kind == SCN_EXPECT_ONE_OF || expect->kind == SCN_EXPECT_FINDING;
    if (open && in_outcome) {
        REPORT(check, key_at(check, field, expect->at),
               "'%s' is not allowed inside one_of, whose outcomes must be decidable immediately",
               expect->kind == SCN_EXPECT_ONE_OF ? "one_of" : "finding");
        return;
    }
    switch (expect->kind) {
    case SCN_EXPECT_MEMORY: {
        const scn_memory *memory = memory_at(check, expect->memory.index);
        if (memory->addresses)
            REPORT(check, key_at(check, &expect->memory.index, expect->at),
                   "memory '%s' has 'addresses: true', so its contents are not compared; have a "
                   "kernel write what is expected to another memory",
                   excerpt(check, memory->name));
        else if (expect->memory.values.size != memory_size(memory))
            REPORT(check, expect->at, "%zu bytes are expected of memory '%s', which has %" PRIu64,
                   expect->memory.values.size, excerpt(check, memory->name), memory_size(memory));
        return;
    }
    case SCN_EXPECT_MAPPED: {
        const scn_map *map = mapped_find(check, value_at(check, &expect->mapped.map, expect->at),
                                         expect->mapped.map);
        if (map && expect->mapped.values.size != map->size)
            REPORT(check, expect->at, "%zu bytes are expected of a map, which has %" PRIu64,
                   expect->mapped.values.size, map->size);
        return;
    }
    case SCN_EXPECT_VARIABLE: {
        const scn_variable *variable = &expect->variable.variable;
        size_t size = expect->variable.values.size;
        if (!variable_check(check, variable)) return;
        bool found = variable->global != SCN_NONE;
        if (size == 0 || size % expect->variable.layout.size != 0 ||
            (found && size != scn_variable_of(scenario, variable)->size))
            REPORT(check, expect->at,
                   "the %zu bytes of expected values do not fit device_global '%s'", size,
                   excerpt(check, variable->name));
        return;
    }
    case SCN_EXPECT_COUNT:
        if (rt_event_find(expect->count.event) == RT_EVENT_COUNT)
            REPORT(check, expect->at, "unknown event '%s'", excerpt(check, expect->count.event));
        return;
    case SCN_EXPECT_PROGRAM_OF:
        images_check(check, expect->program.images, expect->program.image_count);
        return;
    case SCN_EXPECT_BUNDLE:
        images_check(check, expect->bundle.images, expect->bundle.image_count);
        return;
    case SCN_EXPECT_TRACE:
    case SCN_EXPECT_NEVER:
        if (expect->trace.event_count == 0)
            REPORT(check, expect->at, "the list of expected events is empty; name at least one");
        for (uint32_t i = 0; i < expect->trace.event_count; i++)
            event_check(check, &expect->trace.events[i]);
        return;
    case SCN_EXPECT_ONE_OF:
        outcomes_check(check, expect->one_of.outcomes, expect->one_of.outcome_count,
                       value_at(check, &expect->one_of.outcomes, expect->at), false);
        return;
    default: return;
    }
}

static void expects_check(checker *check, const scn_expect *expects, uint32_t count,
                          bool in_outcome)
{
    for (uint32_t i = 0; i < count; i++)
        expect_check(check, &expects[i], in_outcome);
}

/* Checks what a step expects: the expectations of an expect step, or a refusal of the step's verb.
 */
static void expectation_check(checker *check)
{
    const scn_step *step = check->step;
    bool is_expect = step->verb == SCN_VERB_EXPECT;
    if (is_expect != (step->expect_count > 0) || (step->error && step->outcome_count > 0) ||
        (expects_refusal(step) && 1u << step->verb & NEVER_REFUSED)) {
        REPORT(check, step->at, "'%s' cannot be refused; write '- expect: ...' as a separate step",
               verb_name(step->verb));
        return;
    }
    expects_check(check, step->expect, step->expect_count, false);
    if (step->error) error_check(check, step->error, false);
    if (step->outcome_count > 0)
        outcomes_check(check, step->outcomes, step->outcome_count,
                       value_at(check, &step->outcomes, step->at), true);
}

/* ---- The whole ---------------------------------------------------------------------------- */

static bool step_expects(const scn_step *step)
{
    return step->expect_count > 0 || expects_refusal(step);
}

static void covers_check(checker *check)
{
    const scn_scenario *scenario = check->scenario;
    for (uint32_t i = 0; i < scenario->cover_count; i++) {
        const scn_cover *cover = &scenario->covers[i];
        rt_nearest nearest = rt_nearest_to(cover->at);
        const scn_step *found = NULL;
        bool is_repeated_id = false; /* in another process */
        if (cover->at.length == 0) continue;
        for (uint32_t k = 0; k < scenario->step_count; k++) {
            const scn_step *step = &scenario->steps[k];
            bool is_named = rt_text_equal(step->id, cover->at);
            is_repeated_id = is_repeated_id || (is_named && found);
            if (is_named) found = step;
            if (step->id.length > 0) rt_nearest_offer(&nearest, step->id);
        }
        if (!found) {
            REPORT(check, cover->position, "unknown step '%s'%s", excerpt(check, cover->at),
                   nearest.offered_count > 0 ? scn_nearest_hint(check->reporter->arena, &nearest)
                                             : "; there are none");
        } else if (is_repeated_id) {
            REPORT(check, cover->position,
                   "steps before and after a restart have the id '%s'; give the one that is meant "
                   "an id of its own",
                   excerpt(check, cover->at));
        } else if (!step_expects(found)) {
            REPORT(
                check, cover->position,
                "step '%s' expects nothing, so it cannot fail when the rule is broken; name a step "
                "with an expectation",
                excerpt(check, cover->at));
        }
    }
}

bool scn_check(scn_reporter *reporter, const scn_scenario *scenario, const scn_located *fields,
               uint32_t field_count, uint32_t *out_step)
{
    uint32_t before = reporter->count;
    checker check = {.reporter = reporter,
                     .scenario = scenario,
                     .fields = fields,
                     .field_count = field_count,
                     .ended = rt_arena_alloc_array(reporter->arena, scenario->memory_count,
                                                   sizeof *check.ended)};
    bool expects = false;
    *out_step = SCN_NONE;
    if (scenario->module_count == 0 || scenario->device_count == 0)
        return scn_report(
            reporter, (scn_position){1, 1},
            "the scenario has no modules or no devices; it needs at least one of each");
    for (uint32_t i = 0; i < scenario->module_count; i++) {
        module_check(&check, i);
        expects = expects || scenario->modules[i].refusal.error;
    }
    process_begin(&check);
    process_check(&check);
    for (uint32_t i = 0; i < scenario->memory_count; i++)
        memory_check(&check, &scenario->memories[i]);
    /* Steps are checked against the sizes of memories, so steps are checked only if the tables are
     * valid. */
    bool tables_valid = reporter->count == before;
    for (uint32_t i = 0; i < scenario->step_count; i++) {
        uint32_t step_before = reporter->count;
        check.index = i;
        check.step = &scenario->steps[i];
        expects = expects || step_expects(check.step);
        if (!tables_valid) continue;
        place_check(&check);
        value_check(&check, &scn_shape_stored_step, check.step, false);
        if (reporter->count == step_before) verb_check(&check);
        expectation_check(&check);
        if (reporter->count > step_before && *out_step == SCN_NONE) *out_step = i;
    }
    if (!expects && reporter->count == before) {
        scn_report(reporter, (scn_position){1, 1},
                   "the scenario expects nothing, so no run could fail it; add a step "
                   "'- expect: ...'");
    }
    covers_check(&check);
    if (!scenario->packed && scenario->artefact_count > 0)
        scn_report(reporter, (scn_position){1, 1},
                   "the scenario has artefacts but is not marked as packed");
    return reporter->count == before;
}
