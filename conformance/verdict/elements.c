/* Compares two states of a memory and describes the difference. Whatever the layout, each number of
 * each element is compared once; differing elements are described afterwards. Source:
 * docs/internals/conformance.md. */
#include "conformance/verdict/elements.h"

#include "conformance/scenario/model/type.h"
#include "conformance/verdict/elements_table.h"
#include "conformance/verdict/pattern.h"
#include "conformance/verdict/value.h"
#include "reference/base/alloc.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Two states of one memory, and the result of the comparison. */
typedef struct comparison {
    rt_arena *arena;
    const scn_memory *memory;
    rt_bytes expected, got, defined;
    cnf_element_writers writers;
    uint8_t *differs; /* per element */
} comparison;

static bool byte_defined(const comparison *pair, uint64_t index)
{
    return !pair->defined.data || (pair->defined.data[index / 8] >> (index % 8) & 1);
}

/* ---- Numbers ------------------------------------------------------------------------------- */

/* True if two integers are at most the memory's tolerance apart, which is absolute. */
static bool integers_within(const scn_memory *memory, scn_type type, uint64_t expected,
                            uint64_t got)
{
    if (memory->tolerance_kind != SCN_TOLERANCE_ABSOLUTE || scn_layout_is_floating(&memory->layout))
        return false;
    uint64_t first = cnf_value_order(type, expected), second = cnf_value_order(type, got);
    uint64_t apart = first < second ? second - first : first - second;
    return (double)apart <= memory->tolerance;
}

static bool within_tolerance(const scn_memory *memory, scn_type type, uint64_t expected,
                             uint64_t got)
{
    if (memory->tolerance_kind == SCN_TOLERANCE_NONE) return false;
    if (scn_type_class(type) != 'f') return integers_within(memory, type, expected, got);
    double expected_value = cnf_value_float(type, expected);
    double got_value = cnf_value_float(type, got);
    /* NaN and infinity are equal only to themselves, which the caller has checked already. */
    if (!isfinite(expected_value) || !isfinite(got_value)) return false;
    double apart = fabs(got_value - expected_value);
    switch (memory->tolerance_kind) {
    case SCN_TOLERANCE_ULP: return (double)cnf_value_ulp(type, expected, got) <= memory->tolerance;
    case SCN_TOLERANCE_ABSOLUTE: return apart <= memory->tolerance;
    case SCN_TOLERANCE_RELATIVE: return apart <= memory->tolerance * fabs(expected_value);
    case SCN_TOLERANCE_NONE: break;
    }
    UNREACHABLE();
}

/* Compares the number at an offset in both states. If some of its bytes are undefined, the others
 * are compared as bytes. */
static bool number_compare(const comparison *pair, scn_type type, uint64_t expected_at,
                           uint64_t got_at)
{
    uint32_t size = scn_type_size(type), defined = 0;
    const uint8_t *expected = pair->expected.data + expected_at, *got = pair->got.data + got_at;
    bool is_equal = true;
    for (uint32_t i = 0; i < size; i++) {
        if (!byte_defined(pair, expected_at + i)) continue;
        defined++;
        is_equal = is_equal && expected[i] == got[i];
    }
    if (is_equal || defined < size) return is_equal;
    uint64_t expected_bits = cnf_value_bits(type, expected), got_bits = cnf_value_bits(type, got);
    return cnf_value_order(type, expected_bits) == cnf_value_order(type, got_bits) ||
           within_tolerance(pair->memory, type, expected_bits, got_bits);
}

/* One number of an element: one lane of a field. */
typedef struct number_place {
    const scn_field *field;
    uint32_t lane;
} number_place;

static uint64_t number_offset(const scn_memory *memory, uint64_t element, number_place place)
{
    return element * memory->layout.size + place.field->offset +
           (uint64_t)place.lane * scn_type_size(place.field->type);
}

/* Finds the first number in which element `expected` of one state differs from element `got` of the
 * other; false if there is none. */
static bool element_differs(const comparison *pair, uint64_t expected, uint64_t got,
                            number_place *out_place)
{
    const scn_memory *memory = pair->memory;
    for (uint32_t f = 0; f < memory->layout.field_count; f++) {
        const scn_field *field = &memory->layout.fields[f];
        for (uint32_t lane = 0; lane < field->lanes; lane++) {
            *out_place = (number_place){field, lane};
            if (!number_compare(pair, field->type, number_offset(memory, expected, *out_place),
                                number_offset(memory, got, *out_place)))
                return true;
        }
    }
    return false;
}

/* ---- Elements as a multiset ---------------------------------------------------------------- */

/* Orders two elements, from either state, by their numbers in field order. */
static int element_order(const scn_memory *memory, const uint8_t *a, const uint8_t *b)
{
    for (uint32_t f = 0; f < memory->layout.field_count; f++) {
        const scn_field *field = &memory->layout.fields[f];
        for (uint32_t lane = 0; lane < field->lanes; lane++) {
            uint64_t at = number_offset(memory, 0, (number_place){field, lane});
            uint64_t left = cnf_value_order(field->type, cnf_value_bits(field->type, a + at));
            uint64_t right = cnf_value_order(field->type, cnf_value_bits(field->type, b + at));
            if (left != right) return left < right ? -1 : 1;
        }
    }
    return 0;
}

typedef struct sorting {
    const scn_memory *memory;
    const uint8_t *data;
} sorting;

static int index_compare(const void *a, const void *b, void *user)
{
    const sorting *by = user;
    const uint64_t *left = a, *right = b;
    uint32_t size = by->memory->layout.size;
    int order = element_order(by->memory, by->data + *left * size, by->data + *right * size);
    if (order != 0) return order;
    return *left < *right ? -1 : *left > *right; /* so that equal elements keep their order */
}

/* True if all bytes of the element's numbers are defined. */
static bool element_defined(const comparison *pair, uint64_t element)
{
    const scn_layout *layout = &pair->memory->layout;
    for (uint32_t f = 0; f < layout->field_count; f++) {
        const scn_field *field = &layout->fields[f];
        uint64_t at = number_offset(pair->memory, element, (number_place){field, 0});
        for (uint32_t i = 0; i < field->lanes * scn_type_size(field->type); i++)
            if (!byte_defined(pair, at + i)) return false;
    }
    return true;
}

/* Returns the indices of the compared elements, ordered by value; the caller frees them with
 * rt_free. */
static uint64_t *sorted_indices(const comparison *pair, rt_bytes data, bool only_defined,
                                uint64_t *out_count)
{
    uint64_t *indices = rt_alloc_array(pair->memory->count + 1, sizeof *indices), count = 0;
    for (uint64_t i = 0; i < pair->memory->count; i++)
        if (!only_defined || element_defined(pair, i)) indices[count++] = i;
    sorting by = {pair->memory, data.data};
    qsort_r(indices, count, sizeof *indices, index_compare, &by);
    *out_count = count;
    return indices;
}

/* Marks the expected elements without a partner. Walks both sides in ascending order; each expected
 * element takes the smallest remaining element that equals it. No other pairing finds more
 * partners: without a tolerance, equal elements are adjacent, and if elements are single numbers,
 * tolerances are intervals with ascending ends. */
static void compare_sorted(const comparison *pair)
{
    uint64_t expected_count, found_count, next = 0;
    uint64_t *expected = sorted_indices(pair, pair->expected, true, &expected_count);
    uint64_t *found = sorted_indices(pair, pair->got, false, &found_count);
    uint32_t size = pair->memory->layout.size;
    for (uint64_t i = 0; i < expected_count; i++) {
        const uint8_t *element = pair->expected.data + expected[i] * size;
        bool partner = false;
        while (next < found_count && !partner) {
            number_place place;
            partner = !element_differs(pair, expected[i], found[next], &place);
            const uint8_t *candidate = pair->got.data + found[next] * size;
            if (!partner && element_order(pair->memory, candidate, element) > 0) break;
            next++;
        }
        pair->differs[expected[i]] = !partner;
    }
    rt_free(found);
    rt_free(expected);
}

/* A maximum matching, grown by augmenting paths: H. W. Kuhn, "The Hungarian method for the
 * assignment problem", 1955, without weights. */
typedef struct matching {
    const comparison *pair;
    uint64_t *holder;  /* per found element: the expected element matched with it */
    uint64_t *visited; /* per found element: the expected element whose search last visited it */
} matching;

#define NOBODY UINT64_MAX

/* Finds a partner for an expected element: a free element, or one whose holder can move to another.
 * The recursion depth is at most the number of elements. */
static bool partner_find(matching *graph, uint64_t expected, uint64_t search)
{
    uint64_t count = graph->pair->memory->count;
    number_place place;
    for (uint64_t found = 0; found < count; found++) {
        if (graph->holder[found] != NOBODY || element_differs(graph->pair, expected, found, &place))
            continue;
        graph->holder[found] = expected;
        return true;
    }
    for (uint64_t found = 0; found < count; found++) {
        if (graph->visited[found] == search ||
            element_differs(graph->pair, expected, found, &place))
            continue;
        CHECK(graph->holder[found] < count); /* the loop above has taken any free element */
        graph->visited[found] = search;
        if (!partner_find(graph, graph->holder[found], search)) continue;
        graph->holder[found] = expected;
        return true;
    }
    return false;
}

/* Marks the expected elements that have no partner in a maximum matching; correct for every
 * tolerance. */
static void compare_matched(const comparison *pair)
{
    uint64_t count = pair->memory->count;
    matching graph = {.pair = pair,
                      .holder = rt_alloc_array(count, sizeof *graph.holder),
                      .visited = rt_alloc_array(count, sizeof *graph.visited)};
    for (uint64_t i = 0; i < count; i++)
        graph.holder[i] = graph.visited[i] = NOBODY;
    for (uint64_t i = 0; i < count; i++)
        pair->differs[i] = element_defined(pair, i) && !partner_find(&graph, i, i);
    rt_free(graph.visited);
    rt_free(graph.holder);
}

/* ---- The description ------------------------------------------------------------------------ */

/* The number's place in the element, in OpenCL C syntax: ".weight", ".weight.y", ".s3" or empty. */
static rt_text place_print(rt_arena *arena, number_place place)
{
    static const char letters[] = "xyzw", digits[] = "0123456789abcdef";
    rt_text name = place.field->name;
    const char *dot = name.length > 0 ? "." : "";
    CHECK(place.lane < place.field->lanes && place.field->lanes <= SCN_LANES_MAX);
    if (place.field->lanes == 1) return rt_arena_printf(arena, "%s%.*s", dot, RT_TEXT_ARG(name));
    if (place.field->lanes <= 4)
        return rt_arena_printf(arena, "%s%.*s.%c", dot, RT_TEXT_ARG(name), letters[place.lane]);
    return rt_arena_printf(arena, "%s%.*s.s%c", dot, RT_TEXT_ARG(name), digits[place.lane]);
}

static rt_text number_print(rt_arena *arena, scn_type type, const uint8_t *bytes)
{
    rt_buffer text = {0};
    cnf_value_print(&text, type, bytes);
    rt_text printed = rt_arena_text(arena, rt_buffer_text(&text));
    rt_buffer_free(&text);
    return printed;
}

static void describe_ordered(const comparison *pair, cnf_difference *out)
{
    rt_arena *arena = pair->arena;
    number_place place;
    bool differs = element_differs(pair, out->first, out->first, &place);
    CHECK(differs);
    rt_text part = place_print(arena, place);
    out->place = rt_arena_printf(arena, "element %" PRIu64 "%.*s", out->first, RT_TEXT_ARG(part));
    out->name = rt_arena_printf(arena, "%.*s[%" PRIu64 "]%.*s", RT_TEXT_ARG(pair->memory->name),
                                out->first, RT_TEXT_ARG(part));
    scn_type type = place.field->type;
    uint64_t at = number_offset(pair->memory, out->first, place);
    out->expected = number_print(arena, type, pair->expected.data + at);
    out->got = number_print(arena, type, pair->got.data + at);
    if (scn_type_class(type) == 'f') {
        uint64_t expected = cnf_value_bits(type, pair->expected.data + at);
        uint64_t got = cnf_value_bits(type, pair->got.data + at);
        bool is_nan = isnan(cnf_value_float(type, expected)) || isnan(cnf_value_float(type, got));
        out->distance = is_nan ? RT_TEXT("one is NaN")
                               : rt_arena_printf(arena, "%" PRIu64 " ULP apart",
                                                 cnf_value_ulp(type, expected, got));
    }
    out->text = rt_arena_printf(
        arena, "%.*s: expected %.*s, got %.*s%s%.*s\n%" PRIu64 " of %" PRIu64 " elements %s: %.*s",
        RT_TEXT_ARG(out->name), RT_TEXT_ARG(out->expected), RT_TEXT_ARG(out->got),
        out->distance.length > 0 ? ", " : "", RT_TEXT_ARG(out->distance), out->count, out->total,
        out->count == 1 ? "differs" : "differ", RT_TEXT_ARG(out->pattern));
    if (out->total == 1) return;
    rt_buffer table = {0};
    cnf_elements_table_write(&table, &(cnf_elements_table){pair->memory, pair->expected, pair->got,
                                                           pair->differs, pair->writers});
    out->table = rt_arena_text(arena, rt_buffer_text(&table));
    rt_buffer_free(&table);
    out->text = rt_arena_printf(arena, "%.*s%.*s", RT_TEXT_ARG(out->text), RT_TEXT_ARG(out->table));
}

static void describe_unordered(const comparison *pair, cnf_difference *out)
{
    rt_arena *arena = pair->arena;
    /* Prints the element's numbers, in braces if there are several. */
    const scn_layout *layout = &pair->memory->layout;
    rt_buffer text = {0};
    uint32_t printed = 0;
    for (uint32_t f = 0; f < layout->field_count; f++) {
        const scn_field *field = &layout->fields[f];
        for (uint32_t lane = 0; lane < field->lanes; lane++) {
            uint64_t at = number_offset(pair->memory, out->first, (number_place){field, lane});
            rt_buffer_printf(&text, printed++ ? ", " : "");
            cnf_value_print(&text, field->type, pair->expected.data + at);
        }
    }
    out->expected = rt_arena_printf(arena, printed > 1 ? "{%s}" : "%s", rt_buffer_string(&text));
    rt_buffer_free(&text);
    out->place = rt_arena_printf(arena, "element %" PRIu64, out->first);
    out->name =
        rt_arena_printf(arena, "%.*s[%" PRIu64 "]", RT_TEXT_ARG(pair->memory->name), out->first);
    out->got = RT_TEXT("no equal element");
    out->text = rt_arena_printf(arena,
                                "%.*s: expected %.*s in any place, got %.*s\n%" PRIu64
                                " of %" PRIu64 " elements %s a partner: %.*s",
                                RT_TEXT_ARG(out->name), RT_TEXT_ARG(out->expected),
                                RT_TEXT_ARG(out->got), out->count, out->total,
                                out->count == 1 ? "lacks" : "lack", RT_TEXT_ARG(out->pattern));
}

bool cnf_elements_compare(rt_arena *arena, const scn_memory *memory, rt_bytes expected,
                          rt_bytes got, rt_bytes defined, cnf_difference *out_difference)
{
    return cnf_elements_compare_written(arena, memory, expected, got, defined,
                                        (cnf_element_writers){0}, out_difference);
}

bool cnf_elements_compare_written(rt_arena *arena, const scn_memory *memory, rt_bytes expected,
                                  rt_bytes got, rt_bytes defined, cnf_element_writers writers,
                                  cnf_difference *out_difference)
{
    CHECK(memory->layout.size > 0 && memory->layout.field_count > 0);
    CHECK(expected.size == memory->count * memory->layout.size && got.size == expected.size);
    CHECK_IMPLIES(scn_memory_is_matched(memory), memory->count <= SCN_MATCHED_COUNT_MAX);
    CHECK_IMPLIES(defined.data, defined.size >= (expected.size + 7) / 8);
    *out_difference = (cnf_difference){0};
    if (memcmp(expected.data, got.data, expected.size) == 0) return true;
    const comparison pair = {.arena = arena,
                             .memory = memory,
                             .expected = expected,
                             .got = got,
                             .defined = defined,
                             .writers = writers,
                             .differs = rt_alloc((size_t)memory->count)};
    if (scn_memory_is_matched(memory))
        compare_matched(&pair);
    else if (memory->unordered)
        compare_sorted(&pair);
    else
        for (uint64_t i = 0; i < memory->count; i++)
            pair.differs[i] = element_differs(&pair, i, i, &(number_place){0});
    for (uint32_t i = 0; i < memory->uncompared_count; i++)
        pair.differs[memory->uncompared[i]] = false;
    cnf_pattern pattern = cnf_pattern_find(arena, pair.differs, memory->count);
    CHECK(pattern.count <= memory->count);
    if (pattern.count > 0) {
        out_difference->count = pattern.count;
        out_difference->total = memory->count;
        out_difference->first = pattern.first;
        out_difference->pattern = pattern.text;
        (memory->unordered ? describe_unordered : describe_ordered)(&pair, out_difference);
    }
    rt_free(pair.differs);
    return pattern.count == 0;
}
