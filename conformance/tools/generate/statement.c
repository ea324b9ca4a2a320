/* Statements, generated from a table of kinds with weights.
 *
 * Every loop terminates regardless of its body: only its header writes its counter.  Loops multiply
 * the number of executed statements inside, and the product is bounded.  An expression with side
 * effects besides its assignment (a call that writes through a pointer, an atomic operation) is a
 * separate statement and assigns to a plain variable, since the order of evaluation within a
 * statement is unspecified. */
#include "conformance/tools/generate/generate_internal.h"

gen_statement *gen_begin(gen *g, gen_statement *block, bool is_numbered)
{
    gen_statement *statement = gen_tree_append(&g->arena, block);
    if (is_numbered) {
        statement->number = ++g->statement_count;
        statement->is_omitted = gen_request_omits(g->request, statement->number);
    }
    g->uses = &statement->uses;
    g->work += g->trips;
    return statement;
}

gen_statement *gen_line(gen *g, gen_statement *block, bool is_numbered, rt_text text)
{
    gen_statement *statement = gen_begin(g, block, is_numbered);
    statement->open = text;
    return statement;
}

/* The text "TARGET = VALUE;". */
static rt_text assignment(gen *g, rt_text target, rt_text value)
{
    return rt_arena_printf(&g->arena, "%.*s = %.*s;", RT_TEXT_ARG(target), RT_TEXT_ARG(value));
}

/* Generates a block inside a statement, executed at most `trips` times as often as the statement.
 */
static void inner_block(gen *g, gen_statement *statement, uint32_t trips, bool is_loop)
{
    uint32_t outer_trips = g->trips, visible_count = g->visible_count;
    g->trips *= trips;
    g->loops += is_loop;
    g->depth++;
    gen_block(g, statement, 1 + gen_below(g, 2));
    CHECK(g->depth > 0 && g->visible_count >= visible_count);
    g->depth--;
    g->loops -= is_loop;
    g->trips = outer_trips;
    g->visible_count = visible_count;
    g->uses = &statement->uses;
}

rt_text gen_tame(gen *g, rt_text text, gen_type type)
{
    if (!gen_type_is_real(type)) return text;
    bool is_double = type.base == GEN_DOUBLE;
    gen_mention(g, &g->tame[is_double]);
    return rt_arena_printf(&g->arena, is_double ? "TAME_DOUBLE(%.*s)" : "TAME(%.*s)",
                           RT_TEXT_ARG(text));
}

static bool make_assignment(gen *g, gen_statement *block)
{
    gen_statement *statement = gen_begin(g, block, true);
    rt_text place;
    gen_type type;
    bool is_found = gen_place(g, true, &place, &type);
    CHECK(is_found); /* every function has a variable */
    uint32_t depth = gen_chance(g, 30) ? GEN_DEPTH : GEN_DEPTH - 1;
    statement->open = assignment(g, place, gen_tame(g, gen_expression(g, type, depth), type));
    return true;
}

/* Signed operands are combined bitwise only, which cannot overflow. */
static bool make_compound(gen *g, gen_statement *block)
{
    static const char *const operators[] = {"^=", "|=", "&=", "+=", "-=", "*="};
    gen_statement *statement = gen_begin(g, block, true);
    rt_text place;
    gen_type type;
    bool is_found = gen_place(g, true, &place, &type);
    CHECK(is_found);
    bool is_plain = gen_type_is_real(type);
    bool may_wrap = !gen_type_is_signed(type) && gen_type_bits(type) >= 32;
    rt_text value = gen_tame(g, gen_expression(g, type, GEN_DEPTH - 1), type);
    const char *operator= is_plain ? "=" : operators[gen_below(g, may_wrap ? 6 : 3)];
    statement->open = rt_arena_printf(&g->arena, "%.*s %s %.*s;", RT_TEXT_ARG(place), operator,
                                      RT_TEXT_ARG(value));
    return true;
}

/* Converts integers of any size to floats, with rounding. */
static bool make_rounding(gen *g, gen_statement *block)
{
    static const char *const modes[] = {"", "_rte", "_rtz", "_rtp", "_rtn"};
    gen_statement *statement = gen_begin(g, block, true);
    rt_text place;
    gen_type type;
    bool is_found = gen_place(g, true, &place, &type);
    CHECK(is_found);
    gen_type from = {gen_any_integer(g).base, type.width};
    gen_type to = {gen_type_is_real(type) ? type.base : GEN_FLOAT, type.width};
    rt_text value = gen_expression(g, from, 1);
    value = rt_arena_printf(&g->arena, "convert_%.*s%s(%.*s)",
                            RT_TEXT_ARG(gen_type_name(&g->arena, to)), modes[gen_below(g, 5)],
                            RT_TEXT_ARG(value));
    value = gen_tame(g, gen_convert(g, value, to, type), type);
    statement->open = assignment(g, place, value);
    return true;
}

static bool is_written_value(const gen_variable *variable, const void *criteria)
{
    (void)criteria;
    return variable->shape == GEN_VALUE && !variable->is_constant;
}

static bool is_record_of(const gen_variable *variable, const void *criteria)
{
    return variable->shape == GEN_RECORD && variable->record == criteria;
}

/* Generates a call as a statement; its result is assigned to a variable that its arguments cannot
 * point to. */
static bool make_call(gen *g, gen_statement *block)
{
    const gen_function *function = gen_callable(g, true);
    if (!function) return false;
    gen_use *uses = NULL, **outer = g->uses;
    g->uses = &uses;
    rt_text call;
    bool is_generated = gen_call(g, function, 1, &call);
    const gen_record *record = function->result_record;
    gen_variable *target =
        is_generated ? gen_find(g, record ? is_record_of : is_written_value, record) : NULL;
    if (target && !record)
        call = gen_tame(g, gen_convert(g, call, function->result, target->type), target->type);
    g->uses = outer;
    if (!target) return false;
    gen_line(g, block, true, assignment(g, target->name, call))->uses = uses;
    gen_mention(g, &target->declaration);
    return true;
}

static bool is_any_record(const gen_variable *variable, const void *criteria)
{
    (void)criteria;
    return variable->shape == GEN_RECORD;
}

static bool make_record_copy(gen *g, gen_statement *block)
{
    gen_variable *to = gen_find(g, is_any_record, NULL);
    if (!to) return false;
    gen_variable *from = gen_find(g, is_record_of, to->record);
    CHECK(from);
    if (from == to) return false;
    gen_line(g, block, true, assignment(g, to->name, from->name));
    gen_mention(g, &to->declaration);
    gen_mention(g, &from->declaration);
    return true;
}

static bool is_pointer(const gen_variable *variable, const void *criteria)
{
    (void)criteria;
    return variable->shape == GEN_POINTER;
}

static bool is_target(const gen_variable *variable, const void *criteria)
{
    const gen_variable *pointer = criteria;
    return variable->shape == GEN_ARRAY && gen_type_equal(variable->type, pointer->type) &&
           variable->space == pointer->space && variable->phase == GEN_PHASE_ANY &&
           (pointer->is_constant || !variable->is_constant) && variable->count >= GEN_REACH;
}

rt_text gen_target(gen *g, const gen_variable *pointer)
{
    gen_variable *array = gen_find(g, is_target, pointer);
    if (!array) return (rt_text){0};
    gen_mention(g, &array->declaration);
    if (array->count == GEN_REACH) return array->name;
    rt_text index = gen_index(g, array->count - GEN_REACH + 1);
    return rt_arena_printf(&g->arena, "%.*s + (%.*s)", RT_TEXT_ARG(array->name),
                           RT_TEXT_ARG(index));
}

static bool make_retarget(gen *g, gen_statement *block)
{
    gen_variable *pointer = gen_find(g, is_pointer, NULL);
    if (!pointer) return false;
    gen_statement *statement = gen_begin(g, block, true);
    gen_mention(g, &pointer->declaration);
    rt_text first = gen_target(g, pointer);
    CHECK(first.length > 0); /* at least its initial target */
    statement->open = assignment(g, pointer->name, first);
    if (gen_chance(g, 50)) return true;
    rt_text condition = gen_condition(g, 1), second = gen_target(g, pointer);
    statement->open =
        rt_arena_printf(&g->arena, "%.*s = %.*s ? %.*s : %.*s;", RT_TEXT_ARG(pointer->name),
                        RT_TEXT_ARG(condition), RT_TEXT_ARG(first), RT_TEXT_ARG(second));
    return true;
}

/* True for an array of which the work-item uses only its own cells, so that the result of an atomic
 * operation there is deterministic. */
static bool is_own_cell(const gen_variable *variable, const void *criteria)
{
    (void)criteria;
    return variable->shape == GEN_ARRAY && variable->space != GEN_SPACE_PRIVATE &&
           !variable->is_constant;
}

static bool make_own_atomic(gen *g, gen_statement *block)
{
    static const char *const names[] = {"atomic_add", "atomic_sub", "atomic_xchg", "atomic_min",
                                        "atomic_max", "atomic_and", "atomic_or",   "atomic_xor"};
    gen_variable *cell = gen_find(g, is_own_cell, NULL);
    gen_variable *target = gen_find(g, is_written_value, NULL);
    if (!cell || !target || gen_type_is_real(target->type)) return false;
    gen_statement *statement = gen_begin(g, block, true);
    gen_mention(g, &cell->declaration);
    gen_mention(g, &target->declaration);
    rt_text value = gen_expression(g, (gen_type){GEN_UINT, 1}, 1);
    rt_text call =
        rt_arena_printf(&g->arena, "%s(&%.*s[%u], %.*s)", names[gen_below(g, 8)],
                        RT_TEXT_ARG(cell->name), gen_below(g, cell->count), RT_TEXT_ARG(value));
    call = gen_convert(g, call, (gen_type){GEN_UINT, 1}, target->type);
    statement->open = assignment(g, target->name, call);
    return true;
}

/* Uses cells that all work-items modify, each always with the same operation, which is commutative
 * and associative; the operation's result is not used. */
static bool make_tally(gen *g, gen_statement *block)
{
    bool is_local = gen_chance(g, 50);
    gen_variable *cells = is_local ? g->tally : g->counters;
    if (!cells || (is_local && g->phase != GEN_PHASE_PRIVATE)) return false;
    gen_statement *statement = gen_begin(g, block, true);
    gen_mention(g, &cells->declaration);
    rt_text value = gen_expression(g, (gen_type){GEN_UINT, 1}, 2);
    uint32_t cell = gen_below(g, cells->count);
    statement->open = rt_arena_printf(&g->arena, "%s(&%.*s[%u], %.*s);", gen_tallies[cell].name,
                                      RT_TEXT_ARG(cells->name), cell, RT_TEXT_ARG(value));
    return true;
}

static bool make_if(gen *g, gen_statement *block)
{
    gen_statement *statement = gen_begin(g, block, true);
    rt_text condition = gen_condition(g, 1);
    statement->open = rt_arena_printf(&g->arena, "if %.*s {", RT_TEXT_ARG(condition));
    statement->close = RT_TEXT("}");
    inner_block(g, statement, 1, false);
    if (gen_chance(g, 40)) {
        gen_statement holder = {0};
        gen_statement *otherwise = gen_begin(g, &holder, true);
        inner_block(g, otherwise, 1, false);
        statement->otherwise = otherwise;
    }
    return true;
}

static gen_variable *add_counter(gen *g, gen_base base)
{
    gen_variable *counter = rt_arena_alloc(&g->arena, sizeof *counter);
    counter->name = gen_name(g, "i");
    counter->type = (gen_type){base, 1};
    counter->is_constant = true;
    return counter;
}

/* $i is the counter, $d some of the data. */
static const struct {
    const char *form;
    gen_base base;
    uint32_t trips;
} headers[] = {
    {"for (int $i = 0; $i < 3; $i++) {", GEN_INT, 3},
    {"for (uint $i = 16; $i > 0; $i >>= 2) {", GEN_UINT, 3},
    {"for (uint $i = 0; $i < ($d & 3); $i++) {", GEN_UINT, 3},
    {"for (uint $i = $d & 7; $i < 8; $i += 2) {", GEN_UINT, 4},
    {"for (char $i = 2; $i >= -2; $i--) {", GEN_CHAR, 5},
    {"for (ulong $i = 5; $i-- > 0;) {", GEN_ULONG, 5},
};

static bool make_for(gen *g, gen_statement *block)
{
    uint32_t which = gen_below(g, sizeof headers / sizeof *headers);
    gen_statement *statement = gen_begin(g, block, true);
    gen_variable *counter = add_counter(g, headers[which].base);
    rt_buffer header = {0};
    for (const char *at = headers[which].form; *at; at++) {
        if (*at != '$')
            rt_buffer_append_byte(&header, *at);
        else if (*++at == 'i')
            rt_buffer_append_text(&header, counter->name);
        else
            rt_buffer_append_text(&header, gen_expression(g, (gen_type){GEN_UINT, 1}, 1));
    }
    statement->open = gen_keep(g, &header);
    statement->close = RT_TEXT("}");
    gen_show(g, counter);
    inner_block(g, statement, headers[which].trips, true);
    CHECK(g->visible_count > 0 && g->visible[g->visible_count - 1] == counter);
    g->visible_count--;
    return true;
}

/* Generates a while or do loop with a counter that nothing else can name; the loop and the
 * counter's initialisation are one statement. */
static bool make_while(gen *g, gen_statement *block)
{
    bool is_do = gen_chance(g, 40);
    gen_statement *group = gen_begin(g, block, true);
    gen_variable *counter = add_counter(g, GEN_INT);
    counter->declaration.text =
        rt_arena_printf(&g->arena, "int %.*s = 0;", RT_TEXT_ARG(counter->name));
    gen_add_declaration(g, &counter->declaration);
    gen_line(
        g, group, false,
        rt_arena_printf(&g->arena, "%.*s = %u;", RT_TEXT_ARG(counter->name), 2 + gen_below(g, 3)));
    gen_mention(g, &counter->declaration);
    gen_statement *loop = gen_begin(g, group, false);
    gen_mention(g, &counter->declaration);
    rt_text condition = gen_condition(g, 1);
    condition = rt_arena_printf(
        &g->arena, is_do ? "} while (--%.*s > 0 && %.*s);" : "while (%.*s-- > 0 && %.*s) {",
        RT_TEXT_ARG(counter->name), RT_TEXT_ARG(condition));
    loop->open = is_do ? RT_TEXT("do {") : condition;
    loop->close = is_do ? condition : RT_TEXT("}");
    inner_block(g, loop, 4, true);
    return true;
}

/* There are always more values than cases: PoCL loses a case if the default is unreachable
 * (FINDINGS.md). */
static bool make_switch(gen *g, gen_statement *block)
{
    gen_statement *statement = gen_begin(g, block, true);
    gen_type type = gen_type_component(gen_any_integer(g));
    rt_text value = gen_expression(g, type, 2);
    bool is_masked = gen_chance(g, 70);
    statement->open = rt_arena_printf(
        &g->arena, is_masked ? "switch (%.*s & 7) {" : "switch (%.*s) {", RT_TEXT_ARG(value));
    statement->close = RT_TEXT("}");
    uint32_t count = 2 + gen_below(g, 3), label = 0;
    for (uint32_t i = 0; i < count; i++, label += 1 + (is_masked ? 0 : gen_below(g, 40))) {
        /* The last one stays, because it ends with a statement, as a switch must. */
        gen_statement *branch = gen_begin(g, statement, i + 1 < count);
        bool is_default = i + 1 == count && gen_chance(g, 50);
        branch->open =
            is_default ? RT_TEXT("default:") : rt_arena_printf(&g->arena, "case %u:", label);
        inner_block(g, branch, 1, false);
        if (i + 1 == count || gen_chance(g, 75)) gen_line(g, branch, false, RT_TEXT("break;"));
    }
    return true;
}

static bool make_leave(gen *g, gen_statement *block)
{
    if (g->loops == 0) return false;
    gen_statement *statement = gen_begin(g, block, true);
    rt_text condition = gen_condition(g, 1);
    statement->open = rt_arena_printf(&g->arena, "if %.*s %s;", RT_TEXT_ARG(condition),
                                      gen_chance(g, 50) ? "break" : "continue");
    return true;
}

static bool make_return(gen *g, gen_statement *block)
{
    if (!g->function || g->function->result_record) return false;
    gen_statement *statement = gen_begin(g, block, true);
    rt_text condition = gen_condition(g, 1);
    rt_text value = gen_expression(g, g->function->result, 1);
    value = gen_tame(g, value, g->function->result);
    statement->open = rt_arena_printf(&g->arena, "if %.*s return %.*s;", RT_TEXT_ARG(condition),
                                      RT_TEXT_ARG(value));
    return true;
}

/* The weight of each kind, and whether it contains other statements. */
static const struct {
    uint32_t weight;
    bool is_compound;
    bool (*make)(gen *g, gen_statement *block);
} kinds[] = {
    {36, false, make_assignment}, {10, false, make_compound},   {3, false, make_rounding},
    {12, false, make_call},       {2, false, make_record_copy}, {4, false, make_retarget},
    {3, false, make_own_atomic},  {4, false, make_tally},       {9, true, make_if},
    {6, true, make_for},          {3, true, make_while},        {3, true, make_switch},
    {5, false, make_leave},       {3, false, make_return},
};

enum { KIND_COUNT = sizeof kinds / sizeof *kinds, STATEMENT_DEPTH_MAX = 2, TRIPS_MAX = 60 };

void gen_block(gen *g, gen_statement *block, uint32_t count)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < KIND_COUNT; i++)
        sum += kinds[i].weight;
    CHECK(count > 0 && g->depth <= STATEMENT_DEPTH_MAX);
    for (uint32_t generated = 0; generated < count;) {
        uint32_t kind = 0;
        for (uint32_t at = gen_below(g, sum); at >= kinds[kind].weight; kind++)
            at -= kinds[kind].weight;
        CHECK(kind < KIND_COUNT);
        /* Some kinds are not possible everywhere. */
        bool is_deep = g->depth >= STATEMENT_DEPTH_MAX || g->trips > TRIPS_MAX;
        if (!kinds[kind].is_compound || !is_deep) generated += kinds[kind].make(g, block);
    }
}
