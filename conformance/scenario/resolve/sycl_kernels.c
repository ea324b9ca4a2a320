/* Kernels of SYCL sources: their names and the order of their ranges.
 *
 * The compiler builds a kernel's symbol from the name, the namespaces, the template's arguments and
 * the types of the parameters. A scenario names the kernel as the source does. This file reads as
 * much of a symbol as that takes and is not a demangler: a scenario must write out a symbol that it
 * cannot read. */
#include "conformance/scenario/resolve/sycl_kernels.h"

#include "reference/base/number.h"
#include "reference/base/vector.h"
#include "reference/image/syclbin.h"

#include <string.h>

/* ---- Names --------------------------------------------------------------------------------- */

#define KERNEL_PREFIX "__sycl_kernel_"

/* <source-name> ::= <length> <identifier> */
static bool take_identifier(rt_text *rest, rt_text *out_identifier)
{
    rt_text name = *rest;
    uint64_t length;
    if (!rt_number_take(&name, 10, name.length, &length) || length == 0 || length > name.length)
        return false;
    *out_identifier = (rt_text){name.data, (size_t)length};
    *rest = rt_text_skip(name, (size_t)length);
    return true;
}

static const struct {
    char code;
    const char *name;
} builtin_types[] = {
    {'b', "bool"},
    {'c', "char"},
    {'a', "signed char"},
    {'h', "unsigned char"},
    {'s', "short"},
    {'i', "int"},
    {'t', "unsigned short"},
    {'j', "unsigned int"},
    {'l', "long"},
    {'f', "float"},
    {'m', "unsigned long"},
    {'x', "long long"},
    {'y', "unsigned long long"},
    {'d', "double"},
};

/* A type with a one-letter code; NULL for any other type. */
static const char *take_builtin(rt_text *rest)
{
    for (size_t i = 0; i < sizeof builtin_types / sizeof *builtin_types; i++) {
        const char code[2] = {builtin_types[i].code, '\0'};
        if (rt_text_take_prefix(rest, code)) return builtin_types[i].name;
    }
    return NULL;
}

/* L <type> <digits> E: a number among a template's arguments; n stands for minus. */
static bool take_literal(rt_text *rest, rt_buffer *out)
{
    const char *type = take_builtin(rest);
    if (!type) return false;
    if (rt_text_take_prefix(rest, "n")) rt_buffer_append_byte(out, '-');
    const char *end = rest->length ? memchr(rest->data, 'E', rest->length) : NULL;
    if (!end) return false;
    rt_text digits = {rest->data, (size_t)(end - rest->data)};
    if (strcmp(type, "bool") == 0) {
        rt_buffer_printf(out, "%s", rt_text_is(digits, "1") ? "true" : "false");
    } else {
        rt_buffer_append_text(out, digits);
    }
    *rest = (rt_text){end + 1, rest->length - digits.length - 1};
    return true;
}

/* <template-args> after the I, as `<int, 4>`. */
static bool take_template(rt_text *rest, rt_buffer *out)
{
    for (const char *between = "<"; !rt_text_take_prefix(rest, "E"); between = ", ") {
        rt_buffer_printf(out, "%s", between);
        rt_text identifier;
        const char *type = take_builtin(rest);
        if (type) {
            rt_buffer_printf(out, "%s", type);
        } else if (rt_text_take_prefix(rest, "L")) {
            if (!take_literal(rest, out)) return false;
        } else if (take_identifier(rest, &identifier)) {
            rt_buffer_append_text(out, identifier);
        } else {
            return false;
        }
    }
    rt_buffer_append_byte(out, '>');
    return true;
}

/* One part of a name, with its template's arguments; the compiler puts the prefix before the first
 * part of a function's name. */
static bool take_part(rt_text *rest, rt_buffer *out, bool *inout_prefixed)
{
    rt_text identifier;
    rt_text_take_prefix(rest, "L"); /* internal linkage, as clang writes it */
    if (!take_identifier(rest, &identifier)) return false;
    if (rt_text_is(identifier, "_GLOBAL__N_1")) identifier = RT_TEXT("(anonymous namespace)");
    if (rt_text_take_prefix(&identifier, KERNEL_PREFIX)) *inout_prefixed = true;
    rt_buffer_append_text(out, identifier);
    return rt_text_take_prefix(rest, "I") ? take_template(rest, out) : true;
}

static bool take_name(rt_text *rest, rt_buffer *out, bool *out_prefixed)
{
    *out_prefixed = false;
    if (!rt_text_take_prefix(rest, "N")) return take_part(rest, out, out_prefixed);
    for (const char *between = ""; !rt_text_take_prefix(rest, "E"); between = "::") {
        rt_buffer_printf(out, "%s", between);
        if (!take_part(rest, out, out_prefixed)) return false;
    }
    return true;
}

rt_text scn_sycl_name(rt_arena *arena, rt_text symbol)
{
    rt_text rest = symbol;
    if (rt_text_take_prefix(&rest, KERNEL_PREFIX)) return rest; /* extern "C" */
    bool is_type = rt_text_take_prefix(&rest, "_ZTS"), prefixed = false;
    if (!is_type && !rt_text_take_prefix(&rest, "_Z")) return (rt_text){0};
    rt_buffer name = {0};
    bool read = take_name(&rest, &name, &prefixed) && (is_type ? rest.length == 0 : prefixed);
    rt_text result = read ? rt_arena_text(arena, rt_buffer_text(&name)) : (rt_text){0};
    rt_buffer_free(&name);
    return result;
}

/* A variable with internal linkage is UNIT____MANGLED, any other MANGLED. */
static rt_text mangled_part(rt_text id)
{
    static const char mark[] = "____Z";
    const char *at = id.length ? memmem(id.data, id.length, mark, sizeof mark - 1) : NULL;
    if (!at) return id;
    at += sizeof mark - 1 - 2; /* it begins at the mark's last two characters */
    return (rt_text){at, id.length - (size_t)(at - id.data)};
}

rt_text scn_sycl_variable_name(rt_arena *arena, rt_text id)
{
    rt_text rest = mangled_part(id);
    rt_buffer name = {0};
    bool prefixed;
    bool read =
        rt_text_take_prefix(&rest, "_Z") && take_name(&rest, &name, &prefixed) && rest.length == 0;
    rt_text result = read ? rt_arena_text(arena, rt_buffer_text(&name)) : (rt_text){0};
    rt_buffer_free(&name);
    return result;
}

/* ---- Kernels ------------------------------------------------------------------------------- */

typedef struct sycl_kernel {
    rt_text symbol, name;
} sycl_kernel;

typedef struct resolver {
    rt_arena *arena;
    const scn_scenario *scenario;
    RT_VECTOR(sycl_kernel) kernels; /* of SYCL, each symbol once */
} resolver;

/* Only the shipped compiler names kernels in a set; an image written by hand may have other sets.
 */
static bool is_sycl(const scn_module *module, uint32_t image)
{
    uint32_t behind = module->images.count - image; /* images written by hand come last */
    CHECK(image < module->images.count);
    if (behind <= module->hand_image_count) {
        const scn_hand_image *made = &module->hand_images[module->hand_image_count - behind];
        return made->source.language == SCN_LANGUAGE_SYCL;
    }
    return rt_image_set(&module->images.images[image], RT_SET_KERNEL_NAMES) != NULL;
}

static const sycl_kernel *symbol_find(const resolver *all, rt_text symbol)
{
    for (uint32_t i = 0; i < all->kernels.count; i++)
        if (rt_text_equal(all->kernels.items[i].symbol, symbol)) return &all->kernels.items[i];
    return NULL;
}

static void list_kernels(resolver *all)
{
    for (uint32_t m = 0; m < all->scenario->module_count; m++) {
        const scn_module *module = &all->scenario->modules[m];
        for (uint32_t i = 0; i < module->images.count; i++) {
            const rt_image *image = &module->images.images[i];
            for (uint32_t k = 0; k < image->kernel_count && is_sycl(module, i); k++) {
                rt_text symbol = image->kernels[k];
                if (symbol_find(all, symbol)) continue;
                *rt_vector_push(&all->kernels) =
                    (sycl_kernel){symbol, scn_sycl_name(all->arena, symbol)};
            }
        }
    }
}

static bool has_kernel(const scn_scenario *scenario, rt_text name)
{
    for (uint32_t m = 0; m < scenario->module_count; m++) {
        const rt_image_list *images = &scenario->modules[m].images;
        for (uint32_t i = 0; i < images->count; i++)
            if (rt_image_kernel(&images->images[i], name) != RT_KERNEL_NONE) return true;
    }
    return false;
}

/* The number of symbols that a name may stand for; *out_symbol is the last of them. */
static uint32_t count_meant(const resolver *all, rt_text name, rt_text *out_symbol)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < all->kernels.count; i++) {
        const sycl_kernel *kernel = &all->kernels.items[i];
        if (name.length == 0 || !rt_text_equal(kernel->name, name)) continue;
        *out_symbol = kernel->symbol;
        count++;
    }
    return count;
}

/* The symbol that a name stands for, or the name. */
static rt_text meant(const resolver *all, rt_text name)
{
    rt_text symbol;
    if (count_meant(all, name, &symbol) != 1 || has_kernel(all->scenario, name)) return name;
    return symbol;
}

static rt_text ambiguity(const resolver *all, rt_text name)
{
    rt_buffer text = {0};
    rt_buffer_printf(&text, "several kernels are called '%.*s':", RT_TEXT_ARG(name));
    for (uint32_t i = 0; i < all->kernels.count; i++) {
        const sycl_kernel *kernel = &all->kernels.items[i];
        if (rt_text_equal(kernel->name, name))
            rt_buffer_printf(&text, " %.*s", RT_TEXT_ARG(kernel->symbol));
    }
    rt_buffer_printf(&text, "; write the symbol of the intended kernel");
    rt_text result = rt_arena_text(all->arena, rt_buffer_text(&text));
    rt_buffer_free(&text);
    return result;
}

/* ---- Steps --------------------------------------------------------------------------------- */

static const rt_text *names_meant(const resolver *all, const rt_text *names, uint32_t count)
{
    rt_text *copies = rt_arena_alloc_array(all->arena, count, sizeof *copies);
    for (uint32_t i = 0; i < count; i++)
        copies[i] = meant(all, names[i]);
    return copies;
}

static const scn_error *error_meant(const resolver *all, const scn_error *error)
{
    if (!error) return NULL;
    scn_error *copy = rt_arena_alloc(all->arena, sizeof *copy);
    *copy = *error;
    copy->names = names_meant(all, error->names, error->name_count);
    return copy;
}

static const scn_image_condition *
conditions_meant(const resolver *all, const scn_image_condition *conditions, uint32_t count)
{
    scn_image_condition *copies = rt_arena_alloc_array(all->arena, count, sizeof *copies);
    for (uint32_t i = 0; i < count; i++) {
        copies[i] = conditions[i];
        copies[i].kernel = meant(all, conditions[i].kernel);
    }
    return copies;
}

static const scn_trace_event *events_meant(const resolver *all, const scn_trace_event *events,
                                           uint32_t count)
{
    scn_trace_event *copies = rt_arena_alloc_array(all->arena, count, sizeof *copies);
    for (uint32_t i = 0; i < count; i++) {
        copies[i] = events[i];
        copies[i].program_of = meant(all, events[i].program_of);
        scn_trace_field *fields =
            rt_arena_alloc_array(all->arena, events[i].field_count, sizeof *fields);
        for (uint32_t k = 0; k < events[i].field_count; k++) {
            fields[k] = events[i].fields[k];
            if (rt_text_is(fields[k].key, "kernel") || rt_text_is(fields[k].key, "names"))
                fields[k].values = names_meant(all, fields[k].values, fields[k].value_count);
        }
        copies[i].fields = fields;
        copies[i].conditions =
            conditions_meant(all, events[i].conditions, events[i].condition_count);
    }
    return copies;
}

static const scn_outcome *outcomes_meant(const resolver *all, const scn_outcome *outcomes,
                                         uint32_t count);

static const scn_expect *expects_meant(const resolver *all, const scn_expect *expects,
                                       uint32_t count)
{
    scn_expect *copies = rt_arena_alloc_array(all->arena, count, sizeof *copies);
    for (uint32_t i = 0; i < count; i++) {
        scn_expect *copy = &copies[i];
        *copy = expects[i];
        switch (copy->kind) {
        case SCN_EXPECT_PROGRAM_OF: copy->program.kernel = meant(all, copy->program.kernel); break;
        case SCN_EXPECT_FINDING: copy->finding.kernel = meant(all, copy->finding.kernel); break;
        case SCN_EXPECT_TRACE:
        case SCN_EXPECT_NEVER:
            copy->trace.events = events_meant(all, copy->trace.events, copy->trace.event_count);
            break;
        case SCN_EXPECT_ONE_OF:
            copy->one_of.outcomes =
                outcomes_meant(all, copy->one_of.outcomes, copy->one_of.outcome_count);
            break;
        default: break;
        }
    }
    return copies;
}

/* Outcomes do not contain outcomes. */
static const scn_outcome *outcomes_meant(const resolver *all, const scn_outcome *outcomes,
                                         uint32_t count)
{
    scn_outcome *copies = rt_arena_alloc_array(all->arena, count, sizeof *copies);
    for (uint32_t i = 0; i < count; i++) {
        copies[i] = outcomes[i];
        copies[i].expects = expects_meant(all, outcomes[i].expects, outcomes[i].expect_count);
        copies[i].error = error_meant(all, outcomes[i].error);
    }
    return copies;
}

static void turn_round(uint64_t *values, uint32_t dimensions)
{
    CHECK(dimensions >= 1 && dimensions <= RT_ND_RANGE_DIMENSIONS);
    uint64_t first = values[0];
    values[0] = values[dimensions - 1];
    values[dimensions - 1] = first;
}

static void resolve_submit(const resolver *all, scn_submit *submit)
{
    submit->kernel = meant(all, submit->kernel);
    if (!symbol_find(all, submit->kernel)) return;
    turn_round(submit->range, submit->dimensions);
    turn_round(submit->offset, submit->dimensions);
    turn_round(submit->local, submit->dimensions);
}

static bool resolve_steps(const resolver *all, scn_scenario *scenario, scn_position *out_at,
                          rt_text *out_problem)
{
    scn_step *steps = rt_arena_alloc_array(all->arena, scenario->step_count, sizeof *steps);
    for (uint32_t i = 0; i < scenario->step_count; i++) {
        scn_step *step = &steps[i];
        *step = scenario->steps[i];
        rt_text kernel = step->submit.kernel, symbol;
        if (step->verb == SCN_VERB_SUBMIT && !has_kernel(scenario, kernel) &&
            count_meant(all, kernel, &symbol) > 1) {
            *out_at = step->at;
            *out_problem = ambiguity(all, kernel);
            return false;
        }
        if (step->verb == SCN_VERB_SUBMIT) resolve_submit(all, &step->submit);
        step->expect = expects_meant(all, step->expect, step->expect_count);
        step->error = error_meant(all, step->error);
        step->outcomes = outcomes_meant(all, step->outcomes, step->outcome_count);
    }
    scenario->steps = steps;
    return true;
}

bool scn_sycl_kernels_resolve(rt_arena *arena, scn_scenario *scenario, scn_position *out_at,
                              rt_text *out_problem)
{
    *out_at = (scn_position){0};
    *out_problem = (rt_text){0};
    resolver all = {.arena = arena, .scenario = scenario};
    list_kernels(&all);
    bool fine = all.kernels.count == 0 || resolve_steps(&all, scenario, out_at, out_problem);
    rt_vector_free(&all.kernels);
    return fine;
}
