/* The kernel: its shared memories, accessed in phases between barriers, and its results.
 *
 * In a private phase a work-item writes and reads its own row of the local array `tile` and of the
 * buffer `rows`; in a shared phase it reads any row of its work-group, and no row is written.
 * Barriers separate the phases; they are at places that all work-items of a group reach: at the top
 * level, and in loops and ifs that do not depend on the work-item. */
#include "conformance/tools/generate/generate_internal.h"

const gen_tally gen_tallies[] = {
    {"atomic_add", 0}, {"atomic_xor", 0},          {"atomic_max", 0},          {"atomic_or", 0},
    {"atomic_sub", 0}, {"atomic_and", UINT32_MAX}, {"atomic_min", UINT32_MAX},
};

const uint32_t gen_tally_count = sizeof gen_tallies / sizeof *gen_tallies;

/* The first four operations start at zero, the initial value of a work-group's cells. */
enum { COUNTER_COUNT = sizeof gen_tallies / sizeof *gen_tallies, TALLY_COUNT = 4 };

static gen_type uint_type(void)
{
    return (gen_type){GEN_UINT, 1};
}

static void choose_range(gen *g, gen_range *out_range)
{
    static const gen_range ranges[] = {
        {1, {8, 1}, {2, 1}},  {1, {4, 1}, {3, 1}},   {1, {16, 1}, {2, 1}}, {1, {6, 1}, {3, 1}},
        {1, {12, 1}, {2, 1}}, {1, {64, 1}, {1, 1}},  {2, {4, 2}, {2, 2}},  {2, {3, 4}, {1, 2}},
        {2, {8, 4}, {2, 1}},  {1, {272, 1}, {1, 1}}, {1, {5, 1}, {5, 1}},  {1, {20, 1}, {2, 1}},
    };
    *out_range = ranges[gen_below(g, sizeof ranges / sizeof *ranges)];
    out_range->local_count = out_range->local[0] * out_range->local[1];
    out_range->item_count = out_range->local_count * out_range->groups[0] * out_range->groups[1];
    CHECK(out_range->local_count >= TALLY_COUNT); /* each of these work-items sets a cell */
}

/* Adds a variable that statements cannot write, with the text of its declaration ("" for none). */
static gen_variable *add_fixed(gen *g, const char *name, gen_shape shape, rt_text text)
{
    gen_variable *variable = rt_arena_alloc(&g->arena, sizeof *variable);
    *variable = (gen_variable){
        .name = rt_text_of(name), .shape = shape, .type = uint_type(), .is_constant = true};
    variable->declaration.text = text;
    gen_add_declaration(g, &variable->declaration);
    g->uses = &variable->declaration.uses;
    gen_show(g, variable);
    return variable;
}

static void add_array_of(gen *g, const char *name, rt_text text, gen_space space, gen_phase phase,
                         uint32_t count, gen_declaration *base)
{
    gen_variable *variable = add_fixed(g, name, GEN_ARRAY, text);
    variable->space = space;
    variable->phase = phase;
    variable->count = count;
    variable->is_constant = phase != GEN_PHASE_PRIVATE;
    gen_mention(g, base);
}

/* Adds the ids of a work-item: `lid` in its group, `group`, and `gid` among all. */
static void add_ids(gen *g, const gen_range *range)
{
    bool is_flat = range->dimensions == 1;
    rt_text lid =
        is_flat ? RT_TEXT("uint lid = get_local_id(0);")
                : rt_arena_printf(&g->arena, "uint lid = get_local_id(1) * %u + get_local_id(0);",
                                  range->local[0]);
    rt_text group =
        is_flat ? RT_TEXT("uint group = get_group_id(0);")
                : rt_arena_printf(&g->arena, "uint group = get_group_id(1) * %u + get_group_id(0);",
                                  range->groups[0]);
    gen_variable *lid_variable = add_fixed(g, "lid", GEN_VALUE, lid);
    gen_variable *group_variable = add_fixed(g, "group", GEN_VALUE, group);
    add_fixed(g, "gid", GEN_VALUE,
              rt_arena_printf(&g->arena, "uint gid = group * %u + lid;", range->local_count));
    gen_mention(g, &lid_variable->declaration);
    gen_mention(g, &group_variable->declaration);
}

static gen_declaration *declaration_of(const gen *g, const char *name)
{
    for (uint32_t i = 0; i < g->visible_count; i++) {
        if (rt_text_is(g->visible[i]->name, name)) return &g->visible[i]->declaration;
    }
    UNREACHABLE();
}

/* Adds rows of the local array and of the buffer: the work-item's own, and all of them. */
static void add_rows(gen *g, gen_kernel *kernel)
{
    uint32_t group_count = kernel->range.local_count * GEN_REACH;
    gen_declaration *tile = &kernel->parameters[GEN_TILE], *rows = &kernel->parameters[GEN_ROWS];
    gen_declaration *lid = declaration_of(g, "lid"), *gid = declaration_of(g, "gid");
    gen_declaration *group = declaration_of(g, "group");
    if (!kernel->is_tile_argument) {
        tile->text = rt_arena_printf(&g->arena, "local uint tile[%u];", group_count);
        gen_add_declaration(g, tile);
    }
    add_array_of(g, "own",
                 rt_arena_printf(&g->arena, "local uint *own = tile + lid * %u;", GEN_REACH),
                 GEN_SPACE_LOCAL, GEN_PHASE_PRIVATE, GEN_REACH, tile);
    gen_mention(g, lid);
    add_array_of(g, "tile", (rt_text){0}, GEN_SPACE_LOCAL, GEN_PHASE_SHARED, group_count, tile);
    gen_mention(g, &kernel->meeting);
    add_array_of(g, "row",
                 rt_arena_printf(&g->arena, "global uint *row = rows + gid * %u;", GEN_REACH),
                 GEN_SPACE_GLOBAL, GEN_PHASE_PRIVATE, GEN_REACH, rows);
    gen_mention(g, gid);
    add_array_of(
        g, "group_rows",
        rt_arena_printf(&g->arena, "global uint *group_rows = rows + group * %u;", group_count),
        GEN_SPACE_GLOBAL, GEN_PHASE_SHARED, group_count, rows);
    gen_mention(g, group);
    gen_mention(g, &kernel->meeting);
}

static void add_tally(gen *g, gen_kernel *kernel)
{
    g->tally = rt_arena_alloc(&g->arena, sizeof *g->tally);
    *g->tally = (gen_variable){.name = RT_TEXT("tally"), .count = TALLY_COUNT};
    g->tally->declaration.text = rt_arena_printf(&g->arena, "local uint tally[%u];", TALLY_COUNT);
    gen_add_declaration(g, &g->tally->declaration);
    add_array_of(g, "tally", (rt_text){0}, GEN_SPACE_LOCAL, GEN_PHASE_SHARED, TALLY_COUNT,
                 &g->tally->declaration);
    gen_mention(g, &kernel->meeting);
    g->counters = rt_arena_alloc(&g->arena, sizeof *g->counters);
    *g->counters = (gen_variable){.name = RT_TEXT("counters"), .count = COUNTER_COUNT};
    g->uses = &g->counters->declaration.uses;
    gen_mention(g, &kernel->parameters[GEN_COUNTERS]);
}

#define BARRIER "barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);"

/* Initialises everything that is read later; each line is printed only if its variable is used. */
static void add_initial(gen *g, gen_kernel *kernel, gen_statement *body)
{
    static const struct {
        const char *text, *mentions;
        gen_memory memory;
    } rows[] = {
        {"for (uint i = 0; i < 4; i++) own[i] = gid * 5 + i;", "own", GEN_TILE},
        {"for (uint i = 0; i < 4; i++) row[i] = gid * 7 + i;", "row", GEN_ROWS},
    };
    for (uint32_t i = 0; i < 2; i++) {
        gen_line(g, body, false, rt_text_of(rows[i].text))->only_with =
            &kernel->parameters[rows[i].memory];
        gen_mention(g, declaration_of(g, rows[i].mentions));
        gen_mention(g, declaration_of(g, "gid"));
    }
    gen_line(g, body, false, RT_TEXT("if (lid < 4) tally[lid] = 0;"))->only_with =
        &g->tally->declaration;
    gen_mention(g, declaration_of(g, "lid"));
    gen_line(g, body, false, RT_TEXT(BARRIER))->only_with = &g->tally->declaration;
}

/* Generates an own and a shared phase. */
static void make_phases(gen *g, gen_kernel *kernel, gen_statement *block)
{
    for (gen_phase phase = GEN_PHASE_PRIVATE; phase <= GEN_PHASE_SHARED; phase++) {
        g->phase = phase;
        gen_block(g, block, 1 + gen_below(g, 3));
        gen_line(g, block, false, RT_TEXT(BARRIER))->only_with = &kernel->meeting;
        g->phase = GEN_PHASE_PRIVATE;
    }
}

/* Generates two phases in a loop or an if that is uniform within a work-group. */
static void make_uniform(gen *g, gen_kernel *kernel, gen_statement *body)
{
    static const char *const conditions[] = {"if (n > 2) {", "if (group % 2 == 0) {",
                                             "if ((n ^ group) != 1) {"};
    gen_statement *statement = gen_begin(g, body, true);
    statement->close = RT_TEXT("}");
    gen_mention(g, &kernel->parameters[GEN_N]);
    gen_mention(g, declaration_of(g, "group"));
    if (gen_chance(g, 40)) {
        statement->open = rt_text_of(conditions[gen_below(g, 3)]);
        make_phases(g, kernel, statement);
        return;
    }
    gen_variable *round = rt_arena_alloc(&g->arena, sizeof *round);
    *round = (gen_variable){.name = gen_name(g, "round"), .type = uint_type(), .is_constant = true};
    statement->open = rt_arena_printf(&g->arena, "for (uint %.*s = 0; %.*s < n; %.*s++) {",
                                      RT_TEXT_ARG(round->name), RT_TEXT_ARG(round->name),
                                      RT_TEXT_ARG(round->name));
    gen_show(g, round);
    g->trips *= kernel->n;
    make_phases(g, kernel, statement);
    g->trips /= kernel->n;
    CHECK(g->visible_count > 0 && g->visible[g->visible_count - 1] == round);
    g->visible_count--;
}

/* Appends "a + 31ul * (b + 31ul * (c" for all components of a place, as unsigned numbers; the
 * parentheses stay open. A float zero may have either sign. */
static void append_components(gen *g, rt_text text, gen_type type, rt_buffer *out)
{
    for (uint32_t i = 0; i < type.width; i++) {
        rt_text part = type.width == 1 ? text
                                       : rt_arena_printf(&g->arena, "%.*s.%s", RT_TEXT_ARG(text),
                                                         gen_type_accessor(type, i));
        if (out->size > 0) rt_buffer_printf(out, " + 31ul * (");
        rt_buffer_printf(out,
                         type.base == GEN_FLOAT    ? "as_uint(%.*s + 0.0f)"
                         : type.base == GEN_DOUBLE ? "as_ulong(%.*s + 0.0)"
                                                   : "%.*s",
                         RT_TEXT_ARG(part));
    }
}

static rt_text recorded(gen *g, const gen_variable *variable)
{
    rt_buffer text = {0};
    if (variable->shape == GEN_VALUE) append_components(g, variable->name, variable->type, &text);
    for (uint32_t i = 0; variable->shape == GEN_ARRAY && i < variable->count; i++) {
        rt_text part = rt_arena_printf(&g->arena, "%.*s[%u]", RT_TEXT_ARG(variable->name), i);
        append_components(g, part, variable->type, &text);
    }
    for (uint32_t i = 0; variable->shape == GEN_RECORD && i < variable->record->field_count; i++) {
        rt_text part =
            rt_arena_printf(&g->arena, "%.*s.%c", RT_TEXT_ARG(variable->name), 'a' + (char)i);
        append_components(g, part, variable->record->fields[i], &text);
    }
    size_t size = text.size;
    for (size_t i = 0; i < size; i++) {
        if (text.data[i] == '(' && text.data[i - 1] == ' ') rt_buffer_append_byte(&text, ')');
    }
    CHECK(size > 0);
    return gen_keep(g, &text);
}

/* Adds a word of `out` for each variable that statements may have written. */
static void add_records(gen *g, gen_kernel *kernel, gen_statement *body)
{
    gen_variable *written[GEN_VISIBLE_MAX] = {NULL};
    for (uint32_t i = 0; i < g->visible_count; i++) {
        gen_variable *v = g->visible[i];
        bool counts = !v->is_constant && v->shape != GEN_POINTER && v->space == GEN_SPACE_PRIVATE;
        if (counts) written[kernel->record_count++] = v;
    }
    CHECK(kernel->record_count <= g->visible_count);
    for (uint32_t i = 0; i < kernel->record_count; i++) {
        CHECK(written[i]);
        rt_text value = recorded(g, written[i]);
        gen_line(g, body, true,
                 rt_arena_printf(&g->arena, "out[gid * %u + %u] = (ulong)(%.*s);",
                                 kernel->record_count, i, RT_TEXT_ARG(value)))
            ->only_with = &written[i]->declaration;
        gen_mention(g, &kernel->parameters[GEN_OUT]);
        gen_mention(g, declaration_of(g, "gid"));
    }
    gen_line(g, body, false, RT_TEXT("atomic_inc(arrived);"));
    gen_mention(g, &kernel->parameters[GEN_ARRIVED]);
}

/* Adds variables that calls of the functions need. */
static void add_for_functions(gen *g)
{
    for (const gen_function *f = g->functions; f; f = f->next) {
        for (uint32_t i = 0; i < f->parameter_count; i++) {
            const gen_variable *parameter = &f->parameters[i];
            bool is_private = parameter->space == GEN_SPACE_PRIVATE;
            if (parameter->shape == GEN_ARRAY && is_private)
                gen_add_array(g, parameter->type, gen_chance(g, 50) ? GEN_REACH : 2 * GEN_REACH);
            if (parameter->record) gen_add_record(g, parameter->record);
        }
        if (f->result_record) gen_add_record(g, f->result_record);
    }
}

void gen_make_kernel(gen *g, gen_kernel *kernel)
{
    gen_statement *body = rt_arena_alloc(&g->arena, sizeof *body);
    *kernel = (gen_kernel){.declaration.body = body, .n = 1 + gen_below(g, 4)};
    kernel->declaration.locals_end = &kernel->declaration.locals;
    kernel->is_tile_argument = gen_chance(g, 50);
    choose_range(g, &kernel->range);
    g->current = &kernel->declaration;
    g->visible_count = 0;
    g->work = 0;
    g->trips = 1;
    g->phase = GEN_PHASE_ANY; /* rows are unset until the variables are initialised */
    add_ids(g, &kernel->range);
    add_fixed(g, "n", GEN_VALUE, (rt_text){0});
    gen_mention(g, &kernel->parameters[GEN_N]);
    add_array_of(g, "in", (rt_text){0}, GEN_SPACE_GLOBAL, GEN_PHASE_ANY, GEN_IN_COUNT,
                 &kernel->parameters[GEN_IN]);
    add_rows(g, kernel);
    add_tally(g, kernel);
    gen_add_value(g, uint_type());
    gen_add_value(g, gen_any_type(g));
    gen_add_some(g, 1 + gen_below(g, 4));
    add_for_functions(g);
    add_initial(g, kernel, body);
    g->phase = GEN_PHASE_PRIVATE;
    uint32_t count = 1 + gen_below(g, 2);
    for (uint32_t i = 0; i < count; i++) {
        if (gen_chance(g, 40))
            make_uniform(g, kernel, body);
        else
            make_phases(g, kernel, body);
    }
    gen_block(g, body, 1 + gen_below(g, 3));
    CHECK(g->trips == 1 && g->depth == 0 && g->phase == GEN_PHASE_PRIVATE);
    add_records(g, kernel, body);
    g->counters = g->tally = NULL;
}
