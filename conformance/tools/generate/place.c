/* The operands of expressions and targets of statements: variables, their components, elements and
 * fields; and the arguments of calls. */
#include "conformance/tools/generate/generate_internal.h"

void gen_mention(gen *g, gen_declaration *declaration)
{
    CHECK(g->uses);
    gen_tree_use(&g->arena, g->uses, declaration);
}

void gen_show(gen *g, gen_variable *variable)
{
    CHECK(g->visible_count < GEN_VISIBLE_MAX);
    g->visible[g->visible_count++] = variable;
}

bool gen_is_visible(const gen *g, const gen_variable *variable)
{
    return variable->phase == GEN_PHASE_ANY || variable->phase == g->phase;
}

gen_variable *gen_find(gen *g, bool (*fits)(const gen_variable *variable, const void *criteria),
                       const void *criteria)
{
    gen_variable *matches[GEN_VISIBLE_MAX];
    uint32_t count = 0;
    CHECK(g->visible_count <= GEN_VISIBLE_MAX);
    for (uint32_t i = 0; i < g->visible_count; i++) {
        gen_variable *variable = g->visible[i];
        if (gen_is_visible(g, variable) && fits(variable, criteria)) matches[count++] = variable;
    }
    return count > 0 ? matches[gen_below(g, count)] : NULL;
}

static bool may_be_written(const gen_variable *variable, const void *criteria)
{
    const bool *is_written = criteria;
    return !*is_written || !variable->is_constant;
}

static bool is_value_of(const gen_variable *variable, const void *criteria)
{
    return variable->shape == GEN_VALUE &&
           gen_type_equal(variable->type, *(const gen_type *)criteria);
}

gen_variable *gen_value_of(gen *g, gen_type type)
{
    gen_variable *variable = gen_find(g, is_value_of, &type);
    if (variable) gen_mention(g, &variable->declaration);
    return variable;
}

bool gen_place(gen *g, bool is_written, rt_text *out_text, gen_type *out_type)
{
    gen_variable *variable = gen_find(g, may_be_written, &is_written);
    if (!variable) return false;
    gen_mention(g, &variable->declaration);
    *out_type = variable->type;
    rt_text text = variable->name;
    bool has_fields = variable->shape == GEN_RECORD || variable->shape == GEN_RECORD_POINTER;
    if (has_fields) {
        uint32_t field = gen_below(g, variable->record->field_count);
        *out_type = variable->record->fields[field];
        text = rt_arena_printf(&g->arena, variable->shape == GEN_RECORD ? "%.*s.%c" : "%.*s->%c",
                               RT_TEXT_ARG(text), 'a' + (char)field);
    } else if (variable->shape != GEN_VALUE) {
        rt_text index = gen_index(g, variable->count);
        text = rt_arena_printf(&g->arena, "%.*s[%.*s]", RT_TEXT_ARG(text), RT_TEXT_ARG(index));
    }
    /* Sometimes a single component of a vector. */
    if (out_type->width > 1 && gen_chance(g, 30)) {
        const char *accessor = gen_type_accessor(*out_type, gen_below(g, out_type->width));
        text = rt_arena_printf(&g->arena, "%.*s.%s", RT_TEXT_ARG(text), accessor);
        *out_type = gen_type_component(*out_type);
    }
    *out_text = text;
    return true;
}

/* Only small integers are converted to floats; the other direction saturates. */
static rt_text convert_scalar(gen *g, rt_text text, gen_type from, gen_type to)
{
    rt_text name = gen_type_name(&g->arena, to);
    if (gen_type_is_real(from) && !gen_type_is_real(to))
        return rt_arena_printf(&g->arena, "convert_%.*s_sat_rtz(%.*s)", RT_TEXT_ARG(name),
                               RT_TEXT_ARG(text));
    bool is_masked = gen_type_is_real(to) && !gen_type_is_real(from) && gen_type_bits(from) > 8;
    return rt_arena_printf(&g->arena, is_masked ? "(%.*s)(%.*s & 1023)" : "(%.*s)%.*s",
                           RT_TEXT_ARG(name), RT_TEXT_ARG(text));
}

static rt_text convert_vector(gen *g, rt_text text, gen_type from, gen_type to)
{
    rt_text name = gen_type_name(&g->arena, to), from_name = gen_type_name(&g->arena, from);
    const char *ending = gen_type_is_real(from) && !gen_type_is_real(to) ? "_sat_rtz" : "";
    if (gen_type_is_real(to) && !gen_type_is_real(from) && gen_type_bits(from) > 8)
        return rt_arena_printf(&g->arena, "convert_%.*s(%.*s & (%.*s)(1023))", RT_TEXT_ARG(name),
                               RT_TEXT_ARG(text), RT_TEXT_ARG(from_name));
    return rt_arena_printf(&g->arena, "convert_%.*s%s(%.*s)", RT_TEXT_ARG(name), ending,
                           RT_TEXT_ARG(text));
}

rt_text gen_convert(gen *g, rt_text text, gen_type from, gen_type to)
{
    if (gen_type_equal(from, to)) return text;
    if (from.width == to.width && to.width > 1) return convert_vector(g, text, from, to);
    if (from.width > 1) {
        text = rt_arena_printf(&g->arena, "%.*s.%s", RT_TEXT_ARG(text),
                               gen_type_accessor(from, gen_below(g, from.width)));
        from = gen_type_component(from);
    }
    gen_type component = gen_type_component(to);
    if (!gen_type_equal(from, component)) text = convert_scalar(g, text, from, component);
    if (to.width == 1) return text;
    return rt_arena_printf(&g->arena, "(%.*s)(%.*s)", RT_TEXT_ARG(gen_type_name(&g->arena, to)),
                           RT_TEXT_ARG(text));
}

/* Calls. */

static bool is_record(const gen_variable *variable, const void *criteria)
{
    const gen_variable *parameter = criteria;
    return variable->shape == GEN_RECORD && variable->record == parameter->record;
}

static bool is_reachable(const gen_variable *variable, const void *criteria)
{
    const gen_variable *parameter = criteria;
    return (variable->shape == GEN_ARRAY || variable->shape == GEN_POINTER) &&
           gen_type_equal(variable->type, parameter->type) && variable->space == parameter->space &&
           variable->count >= GEN_REACH && (parameter->is_constant || !variable->is_constant);
}

bool gen_call(gen *g, const gen_function *function, uint32_t depth, rt_text *out_text)
{
    CHECK(function->parameter_count < GEN_PARAMETERS_MAX);
    rt_buffer text = {0};
    rt_buffer_printf(&text, "%.*s(", RT_TEXT_ARG(function->name));
    for (uint32_t i = 0; i < function->parameter_count; i++) {
        const gen_variable *parameter = &function->parameters[i];
        rt_buffer_printf(&text, i > 0 ? ", " : "");
        if (parameter->shape == GEN_VALUE) {
            /* A float argument is a leaf, because the callee may multiply it again. */
            uint32_t value_depth = gen_type_is_real(parameter->type) ? 0 : depth;
            rt_buffer_append_text(&text, gen_expression(g, parameter->type, value_depth));
            continue;
        }
        gen_variable *variable =
            gen_find(g, parameter->shape == GEN_ARRAY ? is_reachable : is_record, parameter);
        if (!variable) {
            rt_buffer_free(&text);
            return false;
        }
        gen_mention(g, &variable->declaration);
        rt_buffer_printf(&text, parameter->shape == GEN_RECORD_POINTER ? "&%.*s" : "%.*s",
                         RT_TEXT_ARG(variable->name));
        if (parameter->shape == GEN_ARRAY && variable->count > GEN_REACH) {
            rt_text index = gen_index(g, variable->count - GEN_REACH + 1);
            rt_buffer_printf(&text, " + (%.*s)", RT_TEXT_ARG(index));
        }
    }
    rt_buffer_append_byte(&text, ')');
    *out_text = gen_keep(g, &text);
    gen_mention(g, (gen_declaration *)&function->declaration);
    g->work += g->trips * function->work;
    return true;
}

const gen_function *gen_callable(gen *g, bool is_statement)
{
    const gen_function *choice = NULL;
    uint32_t count = 0;
    for (const gen_function *f = g->functions; f; f = f->next) {
        if ((f->writes || f->result_record) != is_statement) continue;
        if (g->work + g->trips * f->work > GEN_WORK_MAX) continue;
        if (gen_below(g, ++count) == 0) choice = f;
    }
    return choice;
}
