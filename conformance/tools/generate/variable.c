/* The variables of functions, each with an initial value, so that every statement can be omitted.
 */
#include "conformance/tools/generate/generate_internal.h"

rt_text gen_name(gen *g, const char *stem)
{
    return rt_arena_printf(&g->arena, "%s%u", stem, ++g->name_count);
}

void gen_add_declaration(gen *g, gen_declaration *declaration)
{
    CHECK(g->current && !declaration->next);
    *g->current->locals_end = declaration;
    g->current->locals_end = &declaration->next;
}

/* Begins a variable: mentions in its initial value are recorded with it. */
static gen_variable *begin(gen *g, gen_shape shape, const char *stem)
{
    gen_variable *variable = rt_arena_alloc(&g->arena, sizeof *variable);
    variable->shape = shape;
    variable->name = gen_name(g, stem);
    g->uses = &variable->declaration.uses;
    return variable;
}

static gen_variable *finish(gen *g, gen_variable *variable, rt_text text)
{
    variable->declaration.text = text;
    gen_add_declaration(g, &variable->declaration);
    gen_show(g, variable);
    return variable;
}

gen_variable *gen_add_value(gen *g, gen_type type)
{
    gen_variable *variable = begin(g, GEN_VALUE, "v");
    variable->type = type;
    rt_text value = gen_expression(g, type, 0);
    rt_text name = gen_type_name(&g->arena, type);
    return finish(g, variable,
                  rt_arena_printf(&g->arena, "%.*s %.*s = %.*s;", RT_TEXT_ARG(name),
                                  RT_TEXT_ARG(variable->name), RT_TEXT_ARG(value)));
}

/* Appends a list of literals and places, such as "1, x, 3"; the caller frees the buffer. */
static void append_values(gen *g, gen_type type, uint32_t count, rt_buffer *text)
{
    for (uint32_t i = 0; i < count; i++) {
        rt_text value = gen_chance(g, 70) ? gen_literal(g, type) : gen_expression(g, type, 0);
        rt_buffer_printf(text, "%s%.*s", text->size > 0 ? ", " : "", RT_TEXT_ARG(value));
    }
}

gen_variable *gen_add_array(gen *g, gen_type type, uint32_t count)
{
    gen_variable *variable = begin(g, GEN_ARRAY, "a");
    variable->type = type;
    variable->count = count;
    rt_buffer values = {0};
    append_values(g, type, count, &values);
    rt_text name = gen_type_name(&g->arena, type);
    rt_text text = rt_arena_printf(&g->arena, "%.*s %.*s[%u] = {%s};", RT_TEXT_ARG(name),
                                   RT_TEXT_ARG(variable->name), count, rt_buffer_string(&values));
    rt_buffer_free(&values);
    return finish(g, variable, text);
}

gen_variable *gen_add_record(gen *g, gen_record *record)
{
    gen_variable *variable = begin(g, GEN_RECORD, "s");
    variable->record = record;
    gen_mention(g, &record->declaration);
    rt_buffer values = {0};
    for (uint32_t i = 0; i < record->field_count; i++)
        append_values(g, record->fields[i], 1, &values);
    rt_text text = rt_arena_printf(&g->arena, "%.*s %.*s = {%s};", RT_TEXT_ARG(record->name),
                                   RT_TEXT_ARG(variable->name), rt_buffer_string(&values));
    rt_buffer_free(&values);
    return finish(g, variable, text);
}

static bool is_array(const gen_variable *variable, const void *criteria)
{
    (void)criteria;
    bool is_far = variable->space == GEN_SPACE_GLOBAL && variable->is_constant;
    return variable->shape == GEN_ARRAY && variable->phase == GEN_PHASE_ANY &&
           (is_far || variable->space == GEN_SPACE_PRIVATE) && variable->count >= GEN_REACH;
}

gen_variable *gen_add_pointer(gen *g)
{
    const gen_variable *array = gen_find(g, is_array, NULL);
    if (!array) return NULL;
    gen_variable *variable = begin(g, GEN_POINTER, "p");
    variable->type = array->type;
    variable->count = GEN_REACH;
    variable->space = array->space;
    variable->is_constant = array->is_constant || gen_chance(g, 30);
    rt_text target = gen_target(g, variable);
    CHECK(target.length > 0);
    rt_text name = gen_type_name(&g->arena, variable->type);
    return finish(g, variable,
                  rt_arena_printf(&g->arena, "%s %s%.*s *%.*s = %.*s;",
                                  array->space == GEN_SPACE_GLOBAL ? "global" : "private",
                                  variable->is_constant ? "const " : "", RT_TEXT_ARG(name),
                                  RT_TEXT_ARG(variable->name), RT_TEXT_ARG(target)));
}

void gen_add_some(gen *g, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t kind = gen_below(g, 10);
        if (kind < 6)
            gen_add_value(g, gen_any_type(g));
        else if (kind < 8)
            gen_add_array(g, gen_any_element(g), gen_chance(g, 60) ? GEN_REACH : 2 * GEN_REACH);
        else if (kind == 8 && g->records)
            gen_add_record(g, g->records);
        else
            gen_add_pointer(g);
    }
}
