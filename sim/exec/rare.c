/* Operations that few kernels need: half arithmetic, conversions with other rounding modes or
 * saturation, bit-fields, checked indices.  Only the targets of active lanes are written, so
 * nothing needs blending.
 *
 * Source: SPIR-V specification 1.6 sections 3.42.11, 3.42.12 and 3.42.14; half.h and convert.h. */
#include "sim/exec/exec.h"
#include "sim/number/convert.h"
#include "sim/number/half.h"

#include <string.h>

static const char convert_wrong[] = "conversion to an integer type that cannot hold the value,";
static const char field_wrong[] = "bit field that extends beyond the value,";
static const char sum_wrong[] = "sum of products that its type cannot hold,";
static const char index_wrong[] = "index of a component that the vector does not have,";

#define ROW(type, place) ((const type *)sim_at(x, place))

/* Reports one misuse for all active lanes; they all get the same number. */
static uint64_t undefined_uniform(sim_exec *x, const sim_op *op, const char *misuse)
{
    return sim_lane_undefined(x, op, sim_first_lane(x), x->active, misuse);
}

/* Returns the result for lanes whose bit-field extends beyond the value. If `extra` is 1, the field
 * is reported elsewhere and the result is 0. */
static uint64_t field_undefined(sim_exec *x, const sim_op *op, uint32_t lane, uint64_t count)
{
    return op->extra ? 0 : sim_lane_undefined(x, op, lane, count, field_wrong);
}

static void note_overrun(sim_exec *x, const sim_op *op, uint32_t lane, int64_t index,
                         uint64_t count)
{
    sim_finding_row *row;
    if (!sim_findings_add(&x->launch->findings, op->site, SIM_FINDING_ARRAY_OVERRUN, count, &row))
        return;
    sim_row_fill(x, row, lane,
                 rt_arena_printf(&x->launch->findings.arena,
                                 "access with index %lld to an array of %u elements that lies in a "
                                 "larger object,",
                                 (long long)index, op->extra));
}

/* ---- Half ------------------------------------------------------------------------------------ */

#define HALF_SHAPES(name, from, to, FUNCTION)                                                      \
    static void name##_##from##_##to##_V(sim_exec *x, const sim_op *op)                            \
    {                                                                                              \
        const U_##from *a = ROW(U_##from, op->a) + x->low;                                         \
        U_##to *d = (U_##to *)sim_at(x, op->target) + x->low;                                      \
        const uint8_t *m = x->mask + x->low;                                                       \
        uint32_t n = (x->high - x->low) & ~(SIM_CHUNK - 1);                                        \
        LANES for (uint32_t i = 0; i < n; i++)                                                     \
        {                                                                                          \
            U_##to value = FUNCTION(a[i]);                                                         \
            d[i] = m[i] ? value : d[i];                                                            \
        }                                                                                          \
    }                                                                                              \
    static void name##_##from##_##to##_S(sim_exec *x, const sim_op *op)                            \
    {                                                                                              \
        *(U_##to *)sim_at(x, op->target) = FUNCTION(*ROW(U_##from, op->a));                        \
    }
HALF_SHAPES(HTOF, I16, F32, sim_float_of_half)
HALF_SHAPES(FTOH, F32, I16, sim_half_of_float)
HALF_SHAPES(FTOH, F64, I16, sim_half_of_double)

/* ---- Conversions ----------------------------------------------------------------------------- */

static void CONVERT_V(sim_exec *x, const sim_op *op)
{
    sim_numeric conversion = sim_numeric_unpack(op->extra);
    uint32_t from = sim_number_bytes(conversion.from), to = sim_number_bytes(conversion.to);
    uint8_t *d = sim_at(x, op->target);
    for (uint32_t i = x->low; i < x->high; i++) {
        if (!x->mask[i]) continue;
        uint64_t out;
        if (!sim_convert(conversion, sim_lane_bits(x, op->a, from, i), &out)) {
            out = sim_lane_undefined(x, op, i, 1, convert_wrong);
        }
        memcpy(d + i * to, &out, to);
    }
}

static void CONVERT_S(sim_exec *x, const sim_op *op)
{
    sim_numeric conversion = sim_numeric_unpack(op->extra);
    uint64_t bits = sim_lane_bits(x, op->a, sim_number_bytes(conversion.from), 0), out;
    if (!sim_convert(conversion, bits, &out)) out = undefined_uniform(x, op, convert_wrong);
    memcpy(sim_at(x, op->target), &out, sim_number_bytes(conversion.to));
}

/* ---- Checked integer operations ------------------------------------------------------------- */

#define LANE_TYPE I8
#include "sim/exec/rare_integer.inc"
#define LANE_TYPE I16
#include "sim/exec/rare_integer.inc"
#define LANE_TYPE I32
#include "sim/exec/rare_integer.inc"
#define LANE_TYPE I64
#include "sim/exec/rare_integer.inc"

/* ---- The table ------------------------------------------------------------------------------- */

#define ENTRY(name)                   [SIM_H_##name] = name,
#define TWO_ENTRIES(op, t)            ENTRY(op##_##t##_V) ENTRY(op##_##t##_S)
#define CONVERT_ENTRIES(op, from, to) ENTRY(op##_##from##_##to##_V) ENTRY(op##_##from##_##to##_S)
#define INT_TWO_ENTRIES(op)           SIM_INT_TYPES(TWO_ENTRIES, op)

sim_handle *const SIM_NAME(sim_rare_table)[SIM_HANDLER_COUNT] = {
    SIM_HALF_CONVERSIONS(CONVERT_ENTRIES) SIM_INT_CHECKED(INT_TWO_ENTRIES) ENTRY(CONVERT_V)
        ENTRY(CONVERT_S)};
