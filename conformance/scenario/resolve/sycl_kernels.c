/* Kernels of SYCL sources: their names, and the order of dimensions in their ranges.
 *
 * The compiler builds a kernel's symbol from its name, namespaces, template arguments and parameter
 * types, whereas a scenario names the kernel as the source does. This file parses only as much of a
 * symbol as that requires; it is not a demangler. A kernel whose symbol it cannot parse must be
 * named by the symbol itself. */
#include "conformance/scenario/resolve/sycl_kernels.h"

#include "conformance/scenario/model/type.h"
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

/* Reads <template-args> after the I and writes them like `<int, 4>`: identifiers, types, and
 * numbers, which are mangled as L <type> <digits> E with n for minus. */
static bool take_template(rt_text *rest, rt_buffer *out)
{
    for (const char *between = "<"; !rt_text_take_prefix(rest, "E"); between = ", ") {
        rt_buffer_printf(out, "%s", between);
        rt_text identifier;
        const char *type = take_builtin(rest);
        if (type) {
            rt_buffer_printf(out, "%s", type);
        } else if (rt_text_take_prefix(rest, "L")) {
            type = take_builtin(rest);
            if (!type) return false;
            if (rt_text_take_prefix(rest, "n")) rt_buffer_append_byte(out, '-');
            if (!rest->length || !memchr(rest->data, 'E', rest->length)) return false;
            rt_text digits = rt_text_take_until(rest, 'E');
            if (strcmp(type, "bool") == 0)
                rt_buffer_printf(out, "%s", rt_text_is(digits, "1") ? "true" : "false");
            else
                rt_buffer_append_text(out, digits);
        } else if (take_identifier(rest, &identifier)) {
            rt_buffer_append_text(out, identifier);
        } else {
            return false;
        }
    }
    rt_buffer_append_byte(out, '>');
    return true;
}

/* Reads one component of a name, with its template arguments. The compiler puts KERNEL_PREFIX
 * before the first component of a function's name. */
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

/* Frees the buffer. Returns its text, in the arena, if that could be read as a name, otherwise an
 * empty text.
 */
static rt_text name_keep(rt_arena *arena, rt_buffer *name, bool is_read)
{
    rt_text result = is_read ? rt_arena_text(arena, rt_buffer_text(name)) : (rt_text){0};
    rt_buffer_free(name);
    return result;
}

rt_text scn_sycl_name(rt_arena *arena, rt_text symbol)
{
    rt_text rest = symbol;
    if (rt_text_take_prefix(&rest, KERNEL_PREFIX)) return rest; /* extern "C" */
    bool is_type = rt_text_take_prefix(&rest, "_ZTS"), prefixed = false;
    if (!is_type && !rt_text_take_prefix(&rest, "_Z")) return (rt_text){0};
    rt_buffer name = {0};
    bool is_read = take_name(&rest, &name, &prefixed) && (is_type ? rest.length == 0 : prefixed);
    return name_keep(arena, &name, is_read);
}

rt_text scn_sycl_variable_name(rt_arena *arena, rt_text id)
{
    /* The id of a variable with internal linkage is UNIT____MANGLED, that of any other is MANGLED
     * alone. MANGLED begins with `_Z`, the last two characters of the mark. */
    static const char mark[] = "____Z";
    rt_text rest = id;
    const char *at = id.length ? memmem(id.data, id.length, mark, sizeof mark - 1) : NULL;
    if (at) rest = rt_text_skip(id, (size_t)(at - id.data) + sizeof mark - 1 - 2);
    rt_buffer name = {0};
    bool prefixed;
    bool is_read =
        rt_text_take_prefix(&rest, "_Z") && take_name(&rest, &name, &prefixed) && rest.length == 0;
    return name_keep(arena, &name, is_read);
}

/* ---- Kernels ------------------------------------------------------------------------------- */

typedef struct sycl_kernel {
    rt_text symbol, name;
} sycl_kernel;

typedef struct kernel_table {
    rt_arena *arena;
    const scn_scenario *scenario;
    RT_VECTOR(sycl_kernel) kernels; /* SYCL kernels, each symbol once */
} kernel_table;

static const sycl_kernel *symbol_find(const kernel_table *table, rt_text symbol)
{
    for (uint32_t i = 0; i < table->kernels.count; i++)
        if (rt_text_equal(table->kernels.items[i].symbol, symbol)) return &table->kernels.items[i];
    return NULL;
}

static void kernels_list(kernel_table *table)
{
    for (uint32_t m = 0; m < table->scenario->module_count; m++) {
        const scn_module *module = &table->scenario->modules[m];
        for (uint32_t i = 0; i < module->images.count; i++) {
            /* Of the compilers, only the shipped one puts kernel names into a property set. For
             * images written by hand, which come last and may have any property sets, the language
             * decides. */
            const rt_image *image = &module->images.images[i];
            bool is_sycl = rt_image_set(image, RT_SET_KERNEL_NAMES) != NULL;
            uint32_t distance = module->images.count - i;
            if (distance <= module->hand_image_count) {
                uint32_t index = module->hand_image_count - distance;
                is_sycl = module->hand_images[index].source.language == SCN_LANGUAGE_SYCL;
            }
            for (uint32_t k = 0; k < image->kernel_count && is_sycl; k++) {
                rt_text symbol = image->kernels[k];
                if (!symbol_find(table, symbol))
                    *rt_vector_push(&table->kernels) =
                        (sycl_kernel){symbol, scn_sycl_name(table->arena, symbol)};
            }
        }
    }
}

/* The number of symbols that a name may stand for; 0 if some image has a kernel of exactly that
 * name. *out_symbol is the last of them, or unchanged if there are none. */
static uint32_t symbol_count(const kernel_table *table, rt_text name, rt_text *out_symbol)
{
    uint32_t count = 0;
    if (name.length == 0) return 0;
    for (uint32_t m = 0; m < table->scenario->module_count; m++) {
        const rt_image_list *images = &table->scenario->modules[m].images;
        for (uint32_t i = 0; i < images->count; i++)
            if (rt_image_kernel(&images->images[i], name) != RT_KERNEL_NONE) return 0;
    }
    for (uint32_t i = 0; i < table->kernels.count; i++) {
        if (!rt_text_equal(table->kernels.items[i].name, name)) continue;
        *out_symbol = table->kernels.items[i].symbol;
        count++;
    }
    return count;
}

/* The symbol that a name stands for, or the name itself if that is not a single symbol. */
static rt_text symbol_of(const kernel_table *table, rt_text name)
{
    rt_text symbol;
    return symbol_count(table, name, &symbol) == 1 ? symbol : name;
}

/* True if none of the names stands for several kernels; otherwise *out_problem is the message. */
static bool names_check(const kernel_table *table, const rt_text *names, uint32_t count,
                        rt_text *out_problem)
{
    for (uint32_t n = 0; n < count; n++) {
        rt_text symbol;
        if (symbol_count(table, names[n], &symbol) <= 1) continue;
        rt_buffer text = {0};
        rt_buffer_printf(&text, "several kernels have the name '%.*s':", RT_TEXT_ARG(names[n]));
        for (uint32_t i = 0; i < table->kernels.count; i++) {
            const sycl_kernel *kernel = &table->kernels.items[i];
            if (rt_text_equal(kernel->name, names[n]))
                rt_buffer_printf(&text, " %.*s", RT_TEXT_ARG(kernel->symbol));
        }
        rt_buffer_printf(&text, "; write the symbol of the intended kernel");
        *out_problem = rt_arena_text(table->arena, rt_buffer_text(&text));
        rt_buffer_free(&text);
        return false;
    }
    return true;
}

/* ---- Steps --------------------------------------------------------------------------------- */

static const rt_text *names_resolve(const kernel_table *table, const rt_text *names, uint32_t count)
{
    rt_text *copies = rt_arena_alloc_array(table->arena, count, sizeof *copies);
    for (uint32_t i = 0; i < count; i++)
        copies[i] = symbol_of(table, names[i]);
    return copies;
}

static const scn_error *error_resolve(const kernel_table *table, const scn_error *error)
{
    if (!error) return NULL;
    scn_error *copy = rt_arena_alloc(table->arena, sizeof *copy);
    *copy = *error;
    copy->names = names_resolve(table, error->names, error->name_count);
    return copy;
}

static const scn_trace_event *events_resolve(const kernel_table *table,
                                             const scn_trace_event *events, uint32_t count)
{
    rt_arena *arena = table->arena;
    scn_trace_event *copies = rt_arena_alloc_array(arena, count, sizeof *copies);
    for (uint32_t i = 0; i < count; i++) {
        const scn_trace_event *event = &events[i];
        scn_trace_field *fields = rt_arena_alloc_array(arena, event->field_count, sizeof *fields);
        for (uint32_t k = 0; k < event->field_count; k++) {
            fields[k] = event->fields[k];
            if (rt_text_is(fields[k].key, "kernel") || rt_text_is(fields[k].key, "names"))
                fields[k].values = names_resolve(table, fields[k].values, fields[k].value_count);
        }
        scn_image_condition *conditions =
            rt_arena_alloc_array(arena, event->condition_count, sizeof *conditions);
        for (uint32_t k = 0; k < event->condition_count; k++) {
            conditions[k] = event->conditions[k];
            conditions[k].kernel = symbol_of(table, conditions[k].kernel);
        }
        copies[i] = *event;
        copies[i].program_of = symbol_of(table, event->program_of);
        copies[i].fields = fields;
        copies[i].conditions = conditions;
    }
    return copies;
}

static bool outcomes_resolve(const kernel_table *table, const scn_outcome **inout_outcomes,
                             uint32_t count, rt_text *out_problem);

static bool expects_resolve(const kernel_table *table, const scn_expect **inout_expects,
                            uint32_t count, rt_text *out_problem)
{
    scn_expect *copies = rt_arena_alloc_array(table->arena, count, sizeof *copies);
    for (uint32_t i = 0; i < count; i++) {
        scn_expect *copy = &copies[i];
        *copy = (*inout_expects)[i];
        switch (copy->kind) {
        case SCN_EXPECT_PROGRAM_OF:
            copy->program.kernel = symbol_of(table, copy->program.kernel);
            break;
        case SCN_EXPECT_FINDING:
            copy->finding.kernel = symbol_of(table, copy->finding.kernel);
            break;
        case SCN_EXPECT_TRACE:
        case SCN_EXPECT_NEVER:
            copy->trace.events = events_resolve(table, copy->trace.events, copy->trace.event_count);
            break;
        case SCN_EXPECT_BUNDLE: {
            uint32_t has_count = copy->bundle.has_count, lacks_count = copy->bundle.lacks_count;
            if (!names_check(table, copy->bundle.has, has_count, out_problem) ||
                !names_check(table, copy->bundle.lacks, lacks_count, out_problem))
                return false;
            copy->bundle.has = names_resolve(table, copy->bundle.has, has_count);
            copy->bundle.lacks = names_resolve(table, copy->bundle.lacks, lacks_count);
            break;
        }
        case SCN_EXPECT_ONE_OF:
            if (!outcomes_resolve(table, &copy->one_of.outcomes, copy->one_of.outcome_count,
                                  out_problem))
                return false;
            break;
        default: break;
        }
    }
    *inout_expects = copies;
    return true;
}

/* Outcomes do not contain outcomes. */
static bool outcomes_resolve(const kernel_table *table, const scn_outcome **inout_outcomes,
                             uint32_t count, rt_text *out_problem)
{
    scn_outcome *copies = rt_arena_alloc_array(table->arena, count, sizeof *copies);
    for (uint32_t i = 0; i < count; i++) {
        copies[i] = (*inout_outcomes)[i];
        copies[i].error = error_resolve(table, copies[i].error);
        if (!expects_resolve(table, &copies[i].expects, copies[i].expect_count, out_problem))
            return false;
    }
    *inout_outcomes = copies;
    return true;
}

static void turn_round(uint64_t *values, uint32_t dimensions)
{
    CHECK(dimensions >= 1 && dimensions <= RT_ND_RANGE_DIMENSIONS);
    uint64_t first = values[0];
    values[0] = values[dimensions - 1];
    values[dimensions - 1] = first;
}

/* The parameter by which a kernel reads specialisation constants: a pointer in an object, which is
 * null if they are SPIR-V's. An application's runtime passes it, so a submit does not name it. */
static void handler_add(rt_arena *arena, scn_submit *submit)
{
    static const char type[] = "14kernel_handlerE"; /* at the end of the parameters */
    size_t length = sizeof type - 1, whole = submit->kernel.length;
    if (whole < length || memcmp(submit->kernel.data + whole - length, type, length) != 0) return;
    uint32_t count = submit->argument_count;
    scn_argument *arguments = rt_arena_alloc_array(arena, (size_t)count + 1, sizeof *arguments);
    for (uint32_t i = 0; i < count; i++)
        arguments[i] = submit->arguments[i];
    scn_field *pointer = rt_arena_alloc(arena, sizeof *pointer);
    *pointer = (scn_field){.type = SCN_TYPE_ULONG, .lanes = 1};
    scn_argument *handler = &arguments[count];
    *handler = (scn_argument){.kind = SCN_ARGUMENT_VALUE};
    scn_layout_place(pointer, 1, true, &handler->layout);
    handler->value = (rt_bytes){rt_arena_alloc(arena, handler->layout.size), handler->layout.size};
    submit->arguments = arguments;
    submit->argument_count++;
}

static bool step_resolve(const kernel_table *table, scn_step *step, rt_text *out_problem)
{
    if (step->verb == SCN_VERB_SUBMIT) {
        scn_submit *submit = &step->submit;
        if (!names_check(table, &submit->kernel, 1, out_problem)) return false;
        submit->kernel = symbol_of(table, submit->kernel);
        if (symbol_find(table, submit->kernel)) {
            turn_round(submit->range, submit->dimensions);
            turn_round(submit->offset, submit->dimensions);
            turn_round(submit->local, submit->dimensions);
            handler_add(table->arena, submit);
        }
    }
    if (step->verb == SCN_VERB_BUNDLE) {
        scn_bundle *bundle = &step->bundle;
        CHECK_IMPLIES(bundle->kernel_count > 0, bundle->action == SCN_BUNDLE_GET);
        if (!names_check(table, bundle->kernels, bundle->kernel_count, out_problem)) return false;
        bundle->kernels = names_resolve(table, bundle->kernels, bundle->kernel_count);
    }
    step->error = error_resolve(table, step->error);
    return expects_resolve(table, &step->expect, step->expect_count, out_problem) &&
           outcomes_resolve(table, &step->outcomes, step->outcome_count, out_problem);
}

bool scn_sycl_kernels_resolve(rt_arena *arena, scn_scenario *scenario, scn_position *out_at,
                              rt_text *out_problem)
{
    *out_at = (scn_position){0};
    *out_problem = (rt_text){0};
    kernel_table table = {.arena = arena, .scenario = scenario};
    kernels_list(&table);
    bool valid = true;
    if (table.kernels.count > 0) {
        scn_step *steps = rt_arena_alloc_array(arena, scenario->step_count, sizeof *steps);
        for (uint32_t i = 0; i < scenario->step_count && valid; i++) {
            steps[i] = scenario->steps[i];
            valid = step_resolve(&table, &steps[i], out_problem);
            if (!valid) *out_at = steps[i].at;
        }
        if (valid) scenario->steps = steps;
    }
    CHECK(valid == (out_problem->length == 0));
    rt_vector_free(&table.kernels);
    return valid;
}
