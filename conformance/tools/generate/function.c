/* Structs and functions.  A function calls only functions generated before it, so there is no
 * recursion. */
#include "conformance/tools/generate/generate_internal.h"

uint32_t gen_below(gen *g, uint32_t limit)
{
    return gen_random_below(&g->random, limit);
}

bool gen_chance(gen *g, uint32_t percent)
{
    return gen_random_chance(&g->random, percent);
}

rt_text gen_keep(gen *g, rt_buffer *text)
{
    rt_text copy = rt_arena_text(&g->arena, rt_buffer_text(text));
    rt_buffer_free(text);
    return copy;
}

static uint32_t any_width(gen *g)
{
    static const uint32_t widths[] = {2, 2, 4, 4, 4, 3, 8, 16};
    return gen_chance(g, 65) ? 1 : widths[gen_below(g, sizeof widths / sizeof *widths)];
}

gen_type gen_any_integer(gen *g)
{
    static const gen_base bases[] = {GEN_CHAR, GEN_UCHAR, GEN_SHORT, GEN_USHORT, GEN_INT,
                                     GEN_INT,  GEN_UINT,  GEN_UINT,  GEN_LONG,   GEN_ULONG};
    gen_base base = bases[gen_below(g, sizeof bases / sizeof *bases)];
    return (gen_type){base, any_width(g)};
}

gen_type gen_any_type(gen *g)
{
    gen_type type = gen_any_integer(g);
    if (gen_chance(g, 20)) type.base = gen_chance(g, 80) ? GEN_FLOAT : GEN_DOUBLE;
    return type;
}

gen_type gen_any_element(gen *g)
{
    gen_type type = gen_any_type(g);
    if (type.width > 4) type.width = 2;
    return type;
}

void gen_make_record(gen *g)
{
    gen_record *record = rt_arena_alloc(&g->arena, sizeof *record);
    record->name = gen_name(g, "record");
    record->field_count = 2 + gen_below(g, GEN_FIELDS_MAX - 1);
    rt_buffer text = {0};
    rt_buffer_printf(&text, "typedef struct {");
    for (uint32_t i = 0; i < record->field_count; i++) {
        record->fields[i] = gen_any_element(g);
        rt_text name = gen_type_name(&g->arena, record->fields[i]);
        rt_buffer_printf(&text, " %.*s %c;", RT_TEXT_ARG(name), 'a' + (char)i);
    }
    rt_buffer_printf(&text, " } %.*s;", RT_TEXT_ARG(record->name));
    record->declaration.text = gen_keep(g, &text);
    CHECK(record->field_count <= GEN_FIELDS_MAX);
    record->next = g->records;
    g->records = record;
}

/* Excludes vectors of three: Intel's CPU runtime mixes up their components (FINDINGS.md). */
static gen_type any_passed(gen *g)
{
    gen_type type = gen_any_type(g);
    if (type.width == 3) type.width = 2;
    return type;
}

static void make_parameter(gen *g, gen_variable *parameter)
{
    uint32_t kind = gen_below(g, 20);
    if (g->records && kind < 4) {
        parameter->shape = kind < 2 ? GEN_RECORD : GEN_RECORD_POINTER;
        parameter->record = g->records;
        gen_mention(g, &g->records->declaration);
    } else if (kind < 9) {
        /* A pointer into local or global memory points to an array of uint. */
        parameter->shape = GEN_ARRAY;
        parameter->count = GEN_REACH;
        parameter->space = (gen_space)gen_below(g, 3);
        parameter->is_constant = gen_chance(g, 50);
        parameter->type =
            parameter->space == GEN_SPACE_PRIVATE ? gen_any_element(g) : (gen_type){GEN_UINT, 1};
    } else {
        parameter->type = any_passed(g);
    }
    parameter->name = gen_name(g, "x");
}

static void make_head(gen *g, gen_function *f)
{
    static const char *const spaces[] = {"private", "local", "global"};
    rt_buffer text = {0};
    rt_text result =
        f->result_record ? f->result_record->name : gen_type_name(&g->arena, f->result);
    rt_buffer_printf(&text, "%s%s%.*s %.*s(", gen_chance(g, 40) ? "__attribute__((noinline)) " : "",
                     gen_chance(g, 70) ? "static " : "", RT_TEXT_ARG(result), RT_TEXT_ARG(f->name));
    for (uint32_t i = 0; i < f->parameter_count; i++) {
        gen_variable *parameter = &f->parameters[i];
        make_parameter(g, parameter);
        rt_text type =
            parameter->record ? parameter->record->name : gen_type_name(&g->arena, parameter->type);
        bool is_pointer = parameter->shape == GEN_ARRAY || parameter->shape == GEN_RECORD_POINTER;
        if (i > 0) rt_buffer_printf(&text, ", ");
        if (is_pointer)
            rt_buffer_printf(&text, "%s%s", spaces[parameter->space],
                             parameter->is_constant ? " const " : " ");
        rt_buffer_printf(&text, "%.*s %s%.*s", RT_TEXT_ARG(type), is_pointer ? "*" : "",
                         RT_TEXT_ARG(parameter->name));
        f->writes |= is_pointer && !parameter->is_constant;
        gen_show(g, parameter);
    }
    rt_buffer_append_text(&text, f->parameter_count == 0 ? RT_TEXT("void)") : RT_TEXT(")"));
    f->declaration.text = gen_keep(g, &text);
}

void gen_make_function(gen *g)
{
    gen_function *f = rt_arena_alloc(&g->arena, sizeof *f);
    f->name = gen_name(g, "f");
    f->declaration.body = rt_arena_alloc(&g->arena, sizeof *f->declaration.body);
    f->declaration.locals_end = &f->declaration.locals;
    f->result = any_passed(g);
    f->result_record = g->records && gen_chance(g, 15) ? g->records : NULL;
    f->parameter_count = gen_below(g, GEN_PARAMETERS_MAX);
    CHECK(f->parameter_count < GEN_PARAMETERS_MAX);
    g->current = &f->declaration;
    g->function = f;
    g->uses = &f->declaration.uses;
    if (f->result_record) gen_mention(g, &f->result_record->declaration);
    g->visible_count = 0;
    g->phase = GEN_PHASE_ANY;
    g->work = 0;
    g->trips = 1;
    make_head(g, f);
    gen_add_value(g, f->result); /* so that there is something to assign to */
    gen_variable *record = f->result_record ? gen_add_record(g, f->result_record) : NULL;
    gen_add_some(g, gen_below(g, 2));
    gen_block(g, f->declaration.body, 1 + gen_below(g, 3));
    gen_statement *last = gen_begin(g, f->declaration.body, false);
    rt_text value =
        record ? record->name : gen_tame(g, gen_expression(g, f->result, GEN_DEPTH - 1), f->result);
    if (record) gen_mention(g, &record->declaration);
    last->open = rt_arena_printf(&g->arena, "return %.*s;", RT_TEXT_ARG(value));
    CHECK(g->loops == 0 && g->depth == 0 && g->trips == 1);
    f->work = g->work;
    g->function = NULL;
    f->next = g->functions; /* it can be called from here on */
    g->functions = f;
}
