/* OpenCL.std instructions on floats whose operands or results have different types: those with
 * integers, those that store a second result to memory, and the geometric functions, which take
 * whole vectors. Second results are stored like any other value, with all checks. Half arithmetic
 * is done in double and rounded once (half.h).
 *
 * The specification bounds the errors of the geometric functions. length applies hypot to one
 * component after another; distance is the length of the difference; normalize scales by a power of
 * two that makes the largest component about 1 and then divides by the length. Intermediate results
 * therefore neither overflow nor lose precision. With d = dot(p, p), the fast functions are sqrt(d)
 * and p * rsqrt(d).
 *
 * Source: OpenCL extended instruction set specification 1.0; OpenCL C specification, "Geometric
 * Functions" and "Edge Case Behavior". */
#include "sim/decode/decode.h"

#include <float.h>

/* The operands of one instruction. */
typedef struct math_view {
    const sim_view *view;
    uint32_t number;    /* SIM_STD_… */
    sim_lane_type type; /* type to compute in: that of the floats, or F64 for halves */
    bool is_half;       /* the floats are halves */
    sim_leaves in[2];   /* operands that are not pointers */
    sim_ref *refs;      /* the result, one per component */
    uint32_t count;
} math_view;

static sim_ref math1(sim_decoder *d, const math_view *m, sim_math function, sim_ref a)
{
    return sim_build_math(d, function, m->type, a, SIM_REF_NONE);
}

static sim_ref math2(sim_decoder *d, const math_view *m, sim_math function, sim_ref a, sim_ref b)
{
    CHECK(b != SIM_REF_NONE);
    return sim_build_math(d, function, m->type, a, b);
}

/* The functions take and return integers as wide as the float. */
static sim_ref widen(sim_decoder *d, const math_view *m, sim_ref a)
{
    return sim_build_resize(d, SIM_I32, sim_lane_integer(m->type), true, a);
}

static sim_ref narrow(sim_decoder *d, const math_view *m, sim_ref a)
{
    return sim_build_resize(d, sim_lane_integer(m->type), SIM_I32, true, a);
}

/* ---- Components --------------------------------------------------------------------------- */

/* Returns a quiet NaN with as many bits of the code as fit. */
static sim_ref build_nan(sim_decoder *d, const math_view *m, sim_ref code)
{
    sim_lane_type type = m->is_half ? SIM_I16 : m->type, bits = sim_lane_integer(type);
    uint64_t quiet = m->is_half           ? 0x7e00
                     : m->type == SIM_F32 ? 0x7fc00000
                                          : UINT64_C(0x7ff8000000000000);
    sim_ref room = sim_decode_constant(d, (quiet & (~quiet + 1)) - 1);
    code = sim_build_four(d, SIM_INT4(AND, bits), bits, code, room);
    return sim_build_four(d, SIM_INT4(OR, bits), type, code, sim_decode_constant(d, quiet));
}

/* Builds a function that processes components separately. Its second result, if any, is stored
 * through the last operand, a pointer. */
static rt_status build_components(sim_decoder *d, math_view *m)
{
    const sim_type *last = sim_decode_type(d, m->view, m->view->operand_count - 1);
    bool has_second = last->kind == SIM_TYPE_POINTER;
    sim_ref *second = sim_refs_new(d, m->count);
    for (uint32_t i = 0; i < m->count; i++) {
        sim_ref a = m->in[0].refs[i], b = m->in[1].refs ? m->in[1].refs[i] : SIM_REF_NONE;
        sim_ref *out = &m->refs[i];
        switch (m->number) {
        case SIM_STD_fract:
            *out = math1(d, m, SIM_MATH_fract, a);
            second[i] = sim_build_unary(d, SIM_FLOAT2(FLOOR, m->type), m->type, a);
            break;
        case SIM_STD_modf:
            *out = math1(d, m, SIM_MATH_modf, a);
            second[i] = sim_build_unary(d, SIM_FLOAT2(TRUNC, m->type), m->type, a);
            break;
        case SIM_STD_sincos:
            *out = math1(d, m, SIM_MATH_sin, a);
            second[i] = math1(d, m, SIM_MATH_cos, a);
            break;
        case SIM_STD_frexp:
            *out = math1(d, m, SIM_MATH_frexp, a);
            second[i] = narrow(d, m, math1(d, m, SIM_MATH_exponent, a));
            break;
        case SIM_STD_lgamma_r:
            *out = math1(d, m, SIM_MATH_lgamma, a);
            second[i] = narrow(d, m, math1(d, m, SIM_MATH_gamma_sign, a));
            break;
        case SIM_STD_remquo:
            *out = math2(d, m, SIM_MATH_remainder, a, b);
            second[i] = narrow(d, m, math2(d, m, SIM_MATH_quotient, a, b));
            break;
        case SIM_STD_ldexp: *out = math2(d, m, SIM_MATH_ldexp, a, widen(d, m, b)); break;
        case SIM_STD_pown: *out = math2(d, m, SIM_MATH_pown, a, widen(d, m, b)); break;
        case SIM_STD_rootn: *out = math2(d, m, SIM_MATH_rootn, a, widen(d, m, b)); break;
        case SIM_STD_ilogb: *out = narrow(d, m, math1(d, m, SIM_MATH_ilogb, a)); break;
        case SIM_STD_nan: *out = build_nan(d, m, a); break;
        default: UNREACHABLE();
        }
        if (has_second && sim_type_is_half(last->element))
            second[i] = sim_half_narrow(d, m->type, second[i]);
    }
    if (!has_second) return RT_STATUS_OK;
    sim_id pointer = m->view->operands[m->view->operand_count - 1];
    return sim_decode_store(d, pointer, (sim_leaves){second, m->count});
}

/* ---- Geometry ----------------------------------------------------------------------------- */

#define FOUR(op, a, b) sim_build_four(d, SIM_FLOAT4(op, m->type), m->type, a, b)
#define ONE(op, a)     sim_build_unary(d, SIM_FLOAT2(op, m->type), m->type, a)

static sim_ref magnitude(sim_decoder *d, const math_view *m, sim_ref a)
{
    sim_lane_type bits = sim_lane_integer(m->type);
    uint64_t sign = UINT64_C(1) << (8 * sim_lane_bytes(bits) - 1);
    return sim_build_four(d, SIM_INT4(AND, bits), m->type, a, sim_decode_constant(d, sign - 1));
}

static sim_ref length_of(sim_decoder *d, const math_view *m, const sim_ref *refs, uint32_t count)
{
    sim_ref length = magnitude(d, m, refs[0]);
    for (uint32_t i = 1; i < count; i++)
        length = math2(d, m, SIM_MATH_hypot, length, refs[i]);
    return length;
}

static sim_ref dot_of(sim_decoder *d, const math_view *m, const sim_ref *refs, uint32_t count)
{
    sim_ref sum = FOUR(FMUL, refs[0], refs[0]);
    for (uint32_t i = 1; i < count; i++)
        sum = FOUR(FADD, sum, FOUR(FMUL, refs[i], refs[i]));
    return sum;
}

/* length, distance and their fast forms: the length of the operand, or of the difference between
 * the two operands. */
static void build_length(sim_decoder *d, math_view *m, bool is_distance)
{
    uint32_t count = m->in[0].count;
    bool is_fast = m->number == SIM_STD_fast_length || m->number == SIM_STD_fast_distance;
    CHECK(m->count == 1 && is_distance == (m->in[1].refs != NULL));
    const sim_ref *refs = m->in[0].refs;
    if (is_distance) {
        sim_ref *difference = sim_refs_new(d, count);
        for (uint32_t i = 0; i < count; i++)
            difference[i] = FOUR(FSUB, refs[i], m->in[1].refs[i]);
        refs = difference;
    }
    m->refs[0] = is_fast ? ONE(SQRT, dot_of(d, m, refs, count)) : length_of(d, m, refs, count);
}

/* Replaces a vector with infinite components by its direction: infinite components become 1 with
 * the same sign, the others 0 or NaN. */
static void direction_of(sim_decoder *d, const math_view *m, sim_ref *refs)
{
    sim_lane_type bits = sim_lane_integer(m->type);
    uint64_t top = UINT64_C(1) << (8 * sim_lane_bytes(bits) - 1);
    sim_ref sign = sim_decode_constant(d, top), zero = sim_decode_constant(d, 0);
    sim_ref one = sim_decode_float(d, m->type, 1);
    sim_ref infinity = sim_decode_float(d, m->type, (double)__builtin_inf());
    sim_ref any = zero, *is_infinite = sim_refs_new(d, m->count);
    for (uint32_t i = 0; i < m->count; i++) {
        sim_ref size = magnitude(d, m, refs[i]);
        is_infinite[i] = sim_build_four(d, SIM_INT4(EQ, bits), SIM_I8, size, infinity);
        any = sim_build_four(d, SIM_INT4(OR, SIM_I8), SIM_I8, any, is_infinite[i]);
    }
    for (uint32_t i = 0; i < m->count; i++) {
        sim_ref side = sim_build_four(d, SIM_INT4(AND, bits), bits, refs[i], sign);
        side = sim_build_four(d, SIM_INT4(OR, bits), m->type, side, one);
        sim_ref none = FOUR(FMUL, refs[i], zero);
        sim_ref replaced = sim_build_select(d, m->type, is_infinite[i], side, none);
        refs[i] = sim_build_select(d, m->type, any, replaced, refs[i]);
    }
}

static void build_normalize(sim_decoder *d, math_view *m)
{
    sim_lane_type bits = sim_lane_integer(m->type);
    sim_ref zero = sim_decode_constant(d, 0);
    sim_ref *refs = rt_arena_copy(&d->arena, m->in[0].refs, m->count, sizeof *refs);
    direction_of(d, m, refs);
    sim_ref largest = magnitude(d, m, refs[0]);
    for (uint32_t i = 1; i < m->count; i++) {
        sim_ref size = magnitude(d, m, refs[i]);
        largest = sim_build_binary(d, SIM_FLOAT2(FMAX, m->type), m->type, largest, size);
    }
    sim_ref exponent = math1(d, m, SIM_MATH_exponent, largest);
    sim_ref down = sim_build_four(d, SIM_INT4(SUB, bits), bits, zero, exponent);
    for (uint32_t i = 0; i < m->count; i++)
        refs[i] = math2(d, m, SIM_MATH_ldexp, refs[i], down);
    sim_ref length = length_of(d, m, refs, m->count);
    sim_ref is_zero = sim_build_four(d, SIM_FLOAT4(FEQ, m->type), SIM_I8, length, zero);
    for (uint32_t i = 0; i < m->count; i++) {
        sim_ref part = FOUR(FDIV, refs[i], length);
        m->refs[i] = sim_build_select(d, m->type, is_zero, m->in[0].refs[i], part);
    }
}

/* If the sum of squares is below the smallest normal number, the vector is returned unchanged, as
 * the specification permits.
 */
static void build_fast_normalize(sim_decoder *d, math_view *m)
{
    sim_ref least = sim_decode_float(d, m->type, m->type == SIM_F32 ? (double)FLT_MIN : DBL_MIN);
    sim_ref dot = dot_of(d, m, m->in[0].refs, m->count);
    sim_ref is_small = sim_build_four(d, SIM_FLOAT4(FLT, m->type), SIM_I8, dot, least);
    sim_ref factor = sim_build_rsqrt(d, m->type, dot);
    for (uint32_t i = 0; i < m->count; i++) {
        sim_ref part = FOUR(FMUL, m->in[0].refs[i], factor);
        m->refs[i] = sim_build_select(d, m->type, is_small, m->in[0].refs[i], part);
    }
}

/* If the vectors have four components, the fourth component of the product is 0. */
static void build_cross(sim_decoder *d, math_view *m)
{
    const sim_ref *a = m->in[0].refs, *b = m->in[1].refs;
    CHECK(m->in[1].refs && m->count >= 3 && m->count <= 4);
    for (uint32_t i = 0; i < 3; i++) {
        uint32_t j = (i + 1) % 3, k = (i + 2) % 3;
        m->refs[i] = FOUR(FSUB, FOUR(FMUL, a[j], b[k]), FOUR(FMUL, a[k], b[j]));
    }
    if (m->count == 4) m->refs[3] = sim_decode_constant(d, 0);
}

/* ---- Dispatch ----------------------------------------------------------------------------- */

/* Reads operand `place` of the instruction, converted to the type to compute in. */
static rt_status operand_read(sim_decoder *d, const math_view *m, uint32_t place,
                              sim_leaves *out_leaves)
{
    RT_TRY(sim_decode_leaves(d, m->view->operands[place], out_leaves));
    if (!sim_type_is_half(sim_decode_type(d, m->view, place))) return RT_STATUS_OK;
    sim_ref *refs = sim_refs_new(d, out_leaves->count);
    for (uint32_t i = 0; i < out_leaves->count; i++)
        refs[i] = sim_half_widen(d, m->type, out_leaves->refs[i]);
    out_leaves->refs = refs;
    return RT_STATUS_OK;
}

/* Rounds a result to half. The result of fract stays below 1: the largest half below 1 is 0x3bff.
 */
static sim_ref round_to_half(sim_decoder *d, const math_view *m, sim_ref a)
{
    sim_ref half = sim_half_narrow(d, m->type, a);
    if (m->number != SIM_STD_fract) return half;
    sim_ref one = sim_decode_constant(d, 0x3c00);
    sim_ref is_one = sim_build_four(d, SIM_INT4(EQ, SIM_I16), SIM_I8, half, one);
    return sim_build_select(d, SIM_I16, is_one, sim_decode_constant(d, 0x3bff), half);
}

rt_status sim_decode_math(sim_decoder *d, const sim_extended *row, const sim_view *view,
                          sim_leaves *out_leaves)
{
    const sim_type *floats =
        row->group == SIM_GROUP_FLOAT_NAN ? view->type : sim_decode_type(d, view, 2);
    bool is_half = sim_type_is_half(floats);
    math_view m = {.view = view,
                   .number = row->number,
                   .type = is_half ? SIM_F64 : sim_type_lane(floats),
                   .is_half = is_half,
                   .count = sim_type_leaves(view->type)};
    CHECK(m.type >= SIM_F32);
    m.refs = sim_refs_new(d, m.count);
    RT_TRY(operand_read(d, &m, 2, &m.in[0]));
    CHECK(m.in[0].refs && m.in[0].count >= m.count);
    bool has_second =
        view->operand_count > 3 && sim_decode_type(d, view, 3)->kind != SIM_TYPE_POINTER;
    if (has_second) {
        RT_TRY(operand_read(d, &m, 3, &m.in[1]));
        CHECK(m.in[1].count == m.in[0].count);
    }
    switch ((sim_group)row->group) {
    case SIM_GROUP_CROSS: build_cross(d, &m); break;
    case SIM_GROUP_DISTANCE: build_length(d, &m, true); break;
    case SIM_GROUP_LENGTH: build_length(d, &m, false); break;
    case SIM_GROUP_NORMALIZE:
        if (m.number == SIM_STD_normalize) {
            build_normalize(d, &m);
        } else {
            build_fast_normalize(d, &m);
        }
        break;
    default: RT_TRY(build_components(d, &m)); break;
    }
    bool is_rounded = sim_type_is_half(view->type) && row->group != SIM_GROUP_FLOAT_NAN;
    for (uint32_t i = 0; i < m.count && is_rounded; i++)
        m.refs[i] = round_to_half(d, &m, m.refs[i]);
    *out_leaves = (sim_leaves){m.refs, m.count};
    return RT_STATUS_OK;
}
