/* Comparing final memories, element by element.
 *
 * It does not look at traces and knows no tolerance: a scenario that wants one says so, and until
 * its format can, equality is what the documents ask for.  Source: ARCHITECTURE.md, "Comparison and
 * results" (a float differs by ULP, shown in hexadecimal and decimal). */
#include "conformance/compare/differential.h"

#include "conformance/compare/value.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static bool byte_defined(const cnf_final_memory *memory, size_t index)
{
    if (!memory->defined.data) return true;
    CHECK(index / 8 < memory->defined.size);
    return memory->defined.data[index / 8] >> (index % 8) & 1;
}

static double float_value(scn_type type, const uint8_t *bytes)
{
    if (type == SCN_TYPE_DOUBLE) {
        double value;
        memcpy(&value, bytes, sizeof value);
        return value;
    }
    CHECK(type == SCN_TYPE_FLOAT);
    float value;
    memcpy(&value, bytes, sizeof value);
    return (double)value;
}

static bool element_equal(const cnf_final_memory *oracle, const cnf_final_memory *other,
                          size_t index)
{
    uint32_t size = scn_type_size(oracle->type);
    const uint8_t *a = oracle->data.data + index * size, *b = other->data.data + index * size;
    if (memcmp(a, b, size) == 0) return true;
    bool differs = false, whole = true;
    for (uint32_t i = 0; i < size; i++) {
        bool defined = byte_defined(oracle, index * size + i);
        whole = whole && defined;
        differs = differs || (defined && a[i] != b[i]);
    }
    if (!differs) return true;
    return whole && scn_type_class(oracle->type) == 'f' && isnan(float_value(oracle->type, a)) &&
           isnan(float_value(other->type, b));
}

/* ---- Showing a difference ------------------------------------------------------------------ */

static rt_text element_print(rt_arena *arena, scn_type type, const uint8_t *bytes)
{
    rt_buffer text = {0};
    cnf_value_print(&text, type, bytes);
    rt_text printed = rt_arena_text(arena, rt_buffer_text(&text));
    rt_buffer_free(&text);
    return printed;
}

/* Position of a float on the line of all floats, so that neighbours differ by one. */
static int64_t float_order(uint64_t bits, uint32_t size)
{
    uint64_t sign = UINT64_C(1) << (8 * size - 1);
    return bits & sign ? -(int64_t)(bits & ~sign) : (int64_t)bits;
}

static rt_text ulp_print(rt_arena *arena, scn_type type, const uint8_t *a, const uint8_t *b)
{
    if (scn_type_class(type) != 'f') return (rt_text){0};
    if (isnan(float_value(type, a)) || isnan(float_value(type, b))) return RT_TEXT(", one is NaN");
    uint32_t size = scn_type_size(type);
    int64_t from = float_order(cnf_value_bits(type, a), size);
    int64_t to = float_order(cnf_value_bits(type, b), size);
    /* Each lies within +-2^63, so the unsigned difference cannot overflow. */
    uint64_t apart = from < to ? (uint64_t)to - (uint64_t)from : (uint64_t)from - (uint64_t)to;
    return rt_arena_printf(arena, ", %" PRIu64 " ULP apart", apart);
}

static void report_difference(rt_arena *arena, const cnf_final_memory *oracle,
                              const cnf_final_memory *other, size_t first, size_t differing,
                              cnf_judgement *out)
{
    uint32_t size = scn_type_size(oracle->type);
    const uint8_t *a = oracle->data.data + first * size, *b = other->data.data + first * size;
    rt_text place = rt_arena_printf(arena, "%.*s[%zu]", RT_TEXT_ARG(oracle->name), first);
    out->verdict = CNF_VERDICT_FAIL;
    out->signature =
        cnf_signature(arena, RT_TEXT("differential"), RT_TEXT("memory"), RT_TEXT("differs"), place);
    out->message = rt_arena_printf(
        arena,
        "at the end memory %.*s differs from sim's in %zu of %zu elements; the first is element "
        "%zu%.*s:\n  sim     %.*s\n  subject %.*s",
        RT_TEXT_ARG(oracle->name), differing, oracle->data.size / size, first,
        RT_TEXT_ARG(ulp_print(arena, oracle->type, a, b)),
        RT_TEXT_ARG(element_print(arena, oracle->type, a)),
        RT_TEXT_ARG(element_print(arena, oracle->type, b)));
}

/* ---- Comparing ----------------------------------------------------------------------------- */

static const cnf_final_memory *memory_find(const cnf_messages *messages, rt_text name)
{
    for (uint32_t i = 0; i < messages->memory_count; i++)
        if (rt_text_equal(messages->memories[i].name, name)) return &messages->memories[i];
    return NULL;
}

static bool memory_compare(rt_arena *arena, const cnf_final_memory *oracle,
                           const cnf_final_memory *other, cnf_judgement *out)
{
    CHECK(oracle->type == other->type && oracle->data.size == other->data.size);
    size_t count = oracle->data.size / scn_type_size(oracle->type);
    size_t differing = 0, first = 0;
    for (size_t i = 0; i < count; i++) {
        if (element_equal(oracle, other, i)) continue;
        if (differing++ == 0) first = i;
    }
    if (differing > 0) report_difference(arena, oracle, other, first, differing, out);
    return differing == 0;
}

void cnf_differential(rt_arena *arena, const cnf_messages *oracle, const cnf_messages *other,
                      cnf_judgement *inout_judgement)
{
    CHECK(oracle->end == CNF_MESSAGES_ENDED && other->end == CNF_MESSAGES_ENDED);
    for (uint32_t i = 0; i < oracle->memory_count; i++) {
        const cnf_final_memory *expected = &oracle->memories[i];
        const cnf_final_memory *found = memory_find(other, expected->name);
        /* A subject that cannot read a memory back leaves it out. */
        if (!found) continue;
        if (found->type != expected->type || found->data.size != expected->data.size) {
            inout_judgement->verdict = CNF_VERDICT_FAIL;
            inout_judgement->signature =
                cnf_signature(arena, RT_TEXT("differential"), RT_TEXT("memory"), RT_TEXT("shape"),
                              expected->name);
            inout_judgement->message =
                rt_arena_printf(arena, "memory %.*s has another type or size than on sim",
                                RT_TEXT_ARG(expected->name));
            return;
        }
        if (!memory_compare(arena, expected, found, inout_judgement)) return;
    }
}
