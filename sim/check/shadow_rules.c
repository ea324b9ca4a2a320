/* What each operation does to undefined bits: a table with a row for every handler, and the rules
 * that the rows name. The rules are precise enough for compiler output: code that extracts a
 * bit-field from its word, or compares two bit-fields at the same time, must not cause a finding.
 */
#include "sim/check/shadow.h"
#include "sim/number/convert.h"

#include <string.h>

typedef enum shadow_rule {
    BY_NOTHING_KNOWN, /* the handler has no row */
    BY_HANDLER,       /* nothing to do: no target, or the handler sets its shadow */
    BY_NONE,          /* always defined */
    BY_ANY,           /* one undefined bit of an operand makes the whole result undefined */
    BY_TEST,          /* as BY_ANY, but the result is a bool */
    BY_ADD,
    BY_SUB,
    BY_MUL,
    BY_AND,
    BY_OR,
    BY_XOR,
    BY_SHL,
    BY_SHR,
    BY_SAR,
    BY_EQ,
    BY_NE,
    BY_ULT,
    BY_ULE,
    BY_SLT,
    BY_SLE,
    BY_ZEXT,
    BY_SEXT,
    BY_CUT,
    BY_MOVE,
    BY_SELECT,
    BY_ROTATE,
    BY_REVERSE,
    BY_UFIELD,
    BY_SFIELD,
    BY_PLACE,
    BY_INDEX,
    BY_HOLDS,
    BY_DIVIDE,
    BY_CONVERT, /* the widths are in `extra` */
    BY_LOAD,    /* from here on: no target, but operands that must be defined */
    BY_STORE,
    BY_ATOMIC,
    BY_COPY,
    BY_ASYNC_COPY,
    BY_WAIT_EVENTS,
    BY_PRINT,
    /* Names that the macros of the families generate. */
    BY_UMIN = BY_ANY,
    BY_UMAX = BY_ANY,
    BY_SMIN = BY_ANY,
    BY_SMAX = BY_ANY,
    BY_UMULHI = BY_ANY,
    BY_SMULHI = BY_ANY,
    BY_UADDSAT = BY_ANY,
    BY_SADDSAT = BY_ANY,
    BY_USUBSAT = BY_ANY,
    BY_SSUBSAT = BY_ANY,
    BY_UHADD = BY_ANY,
    BY_SHADD = BY_ANY,
    BY_URHADD = BY_ANY,
    BY_SRHADD = BY_ANY,
    BY_UABSDIFF = BY_ANY,
    BY_SABSDIFF = BY_ANY,
    BY_CLZ = BY_ANY,
    BY_CTZ = BY_ANY,
    BY_POPCOUNT = BY_ANY,
    BY_UTOF = BY_ANY,
    BY_STOF = BY_ANY,
    BY_FTOF = BY_ANY,
    BY_FTOU = BY_ANY,
    BY_FTOS = BY_ANY,
    BY_HTOF = BY_ANY,
    BY_FTOH = BY_ANY,
} shadow_rule;

_Static_assert(BY_PRINT <= UINT8_MAX, "a row holds the rule in a byte");

/* The rule of a handler: bytes of its operands and of its target, and the number of operands. For
 * LOAD and STORE, `in` is the size of the index b, 0 if there is none. */
typedef struct rule_row {
    uint8_t rule, in, out, operands;
} rule_row;

/* ---- The table ------------------------------------------------------------------------------ */

#define BYTES_I8   1
#define BYTES_I16  2
#define BYTES_I32  4
#define BYTES_I64  8
#define BYTES_F32  4
#define BYTES_F64  8
#define INDEX_ONE  0
#define INDEX_SAME 0
#define INDEX_U32  4
#define INDEX_S32  4
#define INDEX_I64  8
#define INDEX_EACH 0

#define FOUR(op, t, rule, out, n)                                                                  \
    [SIM_H_##op##_##t##_VV] = {rule, BYTES_##t, out, n},                                           \
    [SIM_H_##op##_##t##_VS] = {rule, BYTES_##t, out, n},                                           \
    [SIM_H_##op##_##t##_SV] = {rule, BYTES_##t, out, n},                                           \
    [SIM_H_##op##_##t##_SS] = {rule, BYTES_##t, out, n},
#define TWO(op, t, rule, out, n)                                                                   \
    [SIM_H_##op##_##t##_V] = {rule, BYTES_##t, out, n},                                            \
    [SIM_H_##op##_##t##_S] = {rule, BYTES_##t, out, n},
#define CONVERT(op, from, to)                                                                      \
    [SIM_H_##op##_##from##_##to##_V] = {BY_##op, BYTES_##from, BYTES_##to, 1},                     \
    [SIM_H_##op##_##from##_##to##_S] = {BY_##op, BYTES_##from, BYTES_##to, 1},
#define MEMORY(op, form)                                                                           \
    [SIM_H_##op##_##form##_8] = {BY_##op, INDEX_##form, 0, 0},                                     \
    [SIM_H_##op##_##form##_16] = {BY_##op, INDEX_##form, 0, 0},                                    \
    [SIM_H_##op##_##form##_32] = {BY_##op, INDEX_##form, 0, 0},                                    \
    [SIM_H_##op##_##form##_64] = {BY_##op, INDEX_##form, 0, 0},

#define BINARY(op, t)         FOUR(op, t, BY_##op, BYTES_##t, 2)
#define COMPARE(op, t)        FOUR(op, t, BY_##op, 1, 2)
#define FLOAT_BINARY(op, t)   FOUR(op, t, BY_ANY, BYTES_##t, 2)
#define FLOAT_COMPARE(op, t)  FOUR(op, t, BY_TEST, 1, 2)
#define RARE(op, t)           TWO(op, t, BY_##op, BYTES_##t, 2)
#define FLOAT_RARE(op, t)     TWO(op, t, BY_ANY, BYTES_##t, 2)
#define DIVIDE(op, t)         TWO(op, t, BY_DIVIDE, BYTES_##t, 2)
#define UNARY(op, t)          TWO(op, t, BY_##op, BYTES_##t, 1)
#define FLOAT_UNARY(op, t)    TWO(op, t, BY_ANY, BYTES_##t, 1)
#define TERNARY(op, t)        TWO(op, t, BY_ANY, BYTES_##t, 3)
#define CHECKED(op, t)        TWO(op, t, BY_##op, BYTES_##t, 3)
#define MOVE(op, t)           FOUR(op, t, BY_MOVE, BYTES_##t, 1)
#define SELECT(op, t)         FOUR(op, t, BY_SELECT, BYTES_##t, 3)
#define PICK(op, t)           TWO(op, t, BY_SELECT, BYTES_##t, 3)
#define FOR_INT(op, X)        X(op, I8) X(op, I16) X(op, I32) X(op, I64)
#define ALL_BINARY(op)        FOR_INT(op, BINARY)
#define ALL_COMPARE(op)       FOR_INT(op, COMPARE)
#define ALL_FLOAT_BINARY(op)  FLOAT_BINARY(op, F32) FLOAT_BINARY(op, F64)
#define ALL_FLOAT_COMPARE(op) FLOAT_COMPARE(op, F32) FLOAT_COMPARE(op, F64)
#define ALL_RARE(op)          FOR_INT(op, RARE)
#define ALL_FLOAT_RARE(op)    FLOAT_RARE(op, F32) FLOAT_RARE(op, F64)
#define ALL_DIVIDE(op)        FOR_INT(op, DIVIDE)
#define ALL_UNARY(op)         FOR_INT(op, UNARY)
#define ALL_FLOAT_UNARY(op)   FLOAT_UNARY(op, F32) FLOAT_UNARY(op, F64)
#define ALL_TERNARY(op)       TERNARY(op, F32) TERNARY(op, F64)
#define ALL_CHECKED(op)       FOR_INT(op, CHECKED)

static const rule_row rows[SIM_HANDLER_COUNT] = {
    SIM_INT_BINARY(ALL_BINARY) SIM_FLOAT_BINARY(ALL_FLOAT_BINARY) SIM_INT_COMPARE(ALL_COMPARE)
        SIM_FLOAT_COMPARE(ALL_FLOAT_COMPARE) SIM_INT_RARE(ALL_RARE) SIM_INT_DIVIDE(ALL_DIVIDE)
            SIM_FLOAT_RARE(ALL_FLOAT_RARE) SIM_INT_UNARY(ALL_UNARY) SIM_FLOAT_UNARY(ALL_FLOAT_UNARY)
                FLOAT_UNARY(RSQRT, F32) ALL_FLOAT_UNARY(MATH1) ALL_FLOAT_RARE(MATH2)
                    SIM_TERNARY(ALL_TERNARY) SIM_CONVERSIONS(CONVERT) SIM_FLOAT_TO_INT(CONVERT)
                        FOR_INT(MOVE, MOVE) FOR_INT(SELECT, SELECT) FOR_INT(PICK, PICK)
                            SIM_MEMORY_FORMS(MEMORY, LOAD) SIM_MEMORY_FORMS(MEMORY, STORE)
                                SIM_HALF_CONVERSIONS(CONVERT) SIM_INT_CHECKED(
                                    ALL_CHECKED)[SIM_H_ATOMIC_I16] = {BY_ATOMIC, 2, 2, 0},
    [SIM_H_ATOMIC_I32] = {BY_ATOMIC, 4, 4, 0},
    [SIM_H_ATOMIC_I64] = {BY_ATOMIC, 8, 8, 0},
    [SIM_H_CONVERT_V] = {BY_CONVERT, 0, 0, 1},
    [SIM_H_CONVERT_S] = {BY_CONVERT, 0, 0, 1},
    [SIM_H_ASYNC_COPY] = {BY_ASYNC_COPY, 8, 8, 0},
    [SIM_H_WAIT_EVENTS] = {BY_WAIT_EVENTS, 8, 0, 0},
    [SIM_H_PRINT] = {BY_PRINT, 0, 4, 0},
    [SIM_H_COPY_MEMORY] = {BY_COPY, 8, 0, 0},
    [SIM_H_FRAME_ADDRESS] = {BY_NONE, 0, 8, 0},
    [SIM_H_COLLECTIVE] = {BY_HANDLER, 0, 0, 0},
    [SIM_H_GROUP_PUT] = {BY_HANDLER, 0, 0, 0},
    [SIM_H_GROUP_TAKE] = {BY_HANDLER, 0, 0, 0},
    [SIM_H_FENCE] = {BY_HANDLER, 0, 0, 0},
    [SIM_H_FORGET] = {BY_HANDLER, 0, 0, 0},
};

/* ---- One lane ------------------------------------------------------------------------------- */

/* Values and undefined bits of the operands; for SELECT, [0] is the condition. */
typedef struct operands {
    uint64_t value[3], undefined[3];
    uint32_t bits; /* width of the operands */
} operands;

static uint64_t extend(uint64_t value, uint32_t bits)
{
    uint32_t unused = 64 - bits;
    return (uint64_t)((int64_t)(value << unused) >> unused);
}

static uint64_t lowest(const operands *o, uint32_t i)
{
    return o->value[i] & ~o->undefined[i];
}
static uint64_t highest(const operands *o, uint32_t i)
{
    return o->value[i] | o->undefined[i];
}

/* A relation is decided if all values that the operands may have give the same answer. */
static uint64_t less_undefined(operands o, bool is_signed, bool or_equal)
{
    for (uint32_t i = 0; i < 2 && is_signed; i++)
        o.value[i] ^= UINT64_C(1) << (o.bits - 1);
    uint64_t a_low = lowest(&o, 0), a_high = highest(&o, 0);
    uint64_t b_low = lowest(&o, 1), b_high = highest(&o, 1);
    bool may = or_equal ? a_low <= b_high : a_low < b_high;
    bool must = or_equal ? a_high <= b_low : a_high < b_low;
    return may != must;
}

static uint64_t shift_undefined(const operands *o, shadow_rule rule)
{
    uint64_t undefined = o->undefined[0];
    uint32_t amount = (uint32_t)(o->value[1] & (o->bits - 1));
    if (o->undefined[1]) return UINT64_MAX;
    switch (rule) {
    case BY_SHL: return undefined << amount;
    case BY_SHR: return undefined >> amount;
    case BY_SAR: return (uint64_t)((int64_t)extend(undefined, o->bits) >> amount);
    default: return undefined << amount | undefined >> (-amount & (o->bits - 1));
    }
}

static uint64_t reverse(uint64_t undefined, uint32_t bits)
{
    uint64_t out = 0;
    for (uint32_t i = 0; i < bits; i++)
        out |= (undefined >> i & 1) << (bits - 1 - i);
    return out;
}

/* Operand [0] is the value, [1] the offset and [2] the bit count of the field. */
static uint64_t field_undefined(const operands *o, shadow_rule rule)
{
    uint64_t offset = o->value[1], count = o->value[2];
    if (o->undefined[1] | o->undefined[2]) return UINT64_MAX;
    if (count == 0 || offset > o->bits || count > o->bits - offset) return 0;
    uint64_t ones = UINT64_MAX >> (64 - count);
    if (rule == BY_PLACE) return (o->undefined[0] & ones) << offset;
    uint64_t undefined = o->undefined[0] >> offset & ones;
    return rule == BY_SFIELD ? extend(undefined, (uint32_t)count) : undefined;
}

/* The undefined bits of the result; bits beyond its width are meaningless. */
static uint64_t undefined_of(const operands *o, shadow_rule rule)
{
    uint64_t a = o->undefined[0], b = o->undefined[1], least, most;
    switch (rule) {
    case BY_ADD: /* bits in which the smallest and the largest sum differ, carries included */
        least = lowest(o, 0) + lowest(o, 1);
        most = highest(o, 0) + highest(o, 1);
        return (least ^ most) | a | b;
    case BY_SUB:
        least = lowest(o, 0) - highest(o, 1);
        most = highest(o, 0) - lowest(o, 1);
        return (least ^ most) | a | b;
    case BY_MUL: return (a | b) | (~(a | b) + 1); /* everything from the lowest undefined bit up */
    case BY_AND: return (a | b) & highest(o, 0) & highest(o, 1);
    case BY_OR: return (a | b) & ~(lowest(o, 0) | lowest(o, 1));
    case BY_XOR: return a | b;
    case BY_SHL:
    case BY_SHR:
    case BY_SAR:
    case BY_ROTATE: return shift_undefined(o, rule);
    case BY_EQ:
    case BY_NE: /* one defined bit that differs decides equality */
        return (a | b) != 0 && ((o->value[0] ^ o->value[1]) & ~(a | b)) == 0;
    case BY_ULT: return less_undefined(*o, false, false);
    case BY_ULE: return less_undefined(*o, false, true);
    case BY_SLT: return less_undefined(*o, true, false);
    case BY_SLE: return less_undefined(*o, true, true);
    case BY_ZEXT:
    case BY_CUT:
    case BY_MOVE: return a;
    case BY_SEXT: return extend(a, o->bits);
    case BY_SELECT:
        if (a == 0) return o->undefined[o->value[0] ? 1 : 2];
        return b | o->undefined[2] | (o->value[1] ^ o->value[2]);
    case BY_REVERSE: return reverse(a, o->bits);
    case BY_UFIELD:
    case BY_SFIELD:
    case BY_PLACE: return field_undefined(o, rule);
    case BY_TEST: return (a | b) != 0;
    default: return (a | b | o->undefined[2]) ? UINT64_MAX : 0;
    }
}

/* ---- Rows of lanes -------------------------------------------------------------------------- */

/* Bytes of operand i. */
static uint32_t operand_bytes(const rule_row *row, uint32_t i)
{
    return row->rule == BY_SELECT && i == 0 ? 1 : row->in;
}

static uint64_t lane_undefined(const sim_exec *x, const sim_op *op, const rule_row *row,
                               uint32_t lane)
{
    const sim_register places[3] = {op->a, op->b, op->c};
    operands o = {.bits = row->in * 8u};
    CHECK(row->operands <= 3);
    for (uint32_t i = 0; i < row->operands; i++) {
        uint32_t bytes = operand_bytes(row, i);
        o.value[i] = sim_lane_bits(x, places[i], bytes, lane);
        o.undefined[i] = sim_shadow_get(x, places[i], bytes, lane);
    }
    return undefined_of(&o, (shadow_rule)row->rule);
}

/* Sets the target's shadow from those of the operands; the target may be one of the operands. */
static void propagate(sim_exec *x, const sim_op *op, const rule_row *row)
{
    const sim_register places[3] = {op->a, op->b, op->c};
    bool clear = true;
    CHECK(row->operands <= 3);
    if (op->target == SIM_REGISTER_NONE) return;
    for (uint32_t i = 0; i < row->operands; i++)
        clear &= sim_shadow_is_clear(x, places[i], operand_bytes(row, i));
    if (clear) {
        sim_shadow_clear(x, op->target, row->out);
        return;
    }
    if (sim_register_uniform(op->target)) {
        sim_shadow_set(x, op->target, row->out, 0, lane_undefined(x, op, row, 0));
        return;
    }
    uint64_t undefined[SIM_LANES] = {0};
    for (uint32_t i = x->low; i < x->high; i++)
        undefined[i] = x->mask[i] ? lane_undefined(x, op, row, i) : 0;
    for (uint32_t i = x->low; i < x->high; i++) {
        if (x->mask[i]) sim_shadow_set(x, op->target, row->out, i, undefined[i]);
    }
}

/* ---- Operations ----------------------------------------------------------------------------- */

static void use_address(sim_exec *x, const sim_op *op, uint32_t index_bytes, const char *use)
{
    sim_shadow_use(x, op->site, op->a, 8, use);
    if (index_bytes) sim_shadow_use(x, op->site, op->b, index_bytes, use);
}

/* Printed values are used, because the host reads them. */
static void use_printed(sim_exec *x, const sim_op *op, uint32_t result_bytes)
{
    CHECK(op->stride < x->launch->program->print_count);
    const sim_print *print = &x->launch->program->prints[op->stride];
    const sim_register *place = x->frame->function->places + op->extra;
    sim_shadow_use(x, op->site, *place++, 8, "printing with a format at an address made of");
    for (uint32_t i = 0; i < print->argument_count; i++) {
        for (uint32_t k = 0; k < print->arguments[i].count; k++)
            sim_shadow_use(x, op->site, *place++, print->arguments[i].bytes, "printing of");
    }
    if (op->target != SIM_REGISTER_NONE) sim_shadow_clear(x, op->target, result_bytes);
}

bool sim_shadow_knows(uint32_t handler)
{
    CHECK(handler < SIM_HANDLER_COUNT);
    return rows[handler].rule != BY_NOTHING_KNOWN;
}

void sim_shadow_step(sim_exec *x, const sim_op *op)
{
    CHECK(op->handler < SIM_HANDLER_COUNT && x->wave->tracks);
    rule_row row = rows[op->handler];
    switch ((shadow_rule)row.rule) {
    case BY_NOTHING_KNOWN: UNREACHABLE();
    case BY_HANDLER: return;
    case BY_LOAD: use_address(x, op, row.in, "load from an address made of"); return;
    case BY_STORE: use_address(x, op, row.in, "store to an address made of"); return;
    case BY_ATOMIC:
        use_address(x, op, 0, "atomic operation at an address made of");
        if (op->extra == SIM_ATOMIC_COMPARE) {
            sim_shadow_use(x, op->site, op->c, row.in, "atomic comparison with");
        }
        return;
    case BY_COPY:
        sim_shadow_use(x, op->site, op->a, 8, "copy to an address made of");
        sim_shadow_use(x, op->site, op->b, 8, "copy from an address made of");
        sim_shadow_use(x, op->site, op->c, 8, "copy of as many bytes as");
        return;
    case BY_ASYNC_COPY: {
        const sim_register *places = x->frame->function->places + op->extra;
        sim_shadow_use(x, op->site, places[0], 8, "copy to an address made of");
        sim_shadow_use(x, op->site, places[1], 8, "copy from an address made of");
        sim_shadow_use(x, op->site, places[2], 8, "copy of as many elements as");
        sim_shadow_use(x, op->site, places[3], 8, "copy with a stride of");
        sim_shadow_use(x, op->site, places[4], 8, "copy that shares");
        if (op->target != SIM_REGISTER_NONE) sim_shadow_clear(x, op->target, row.out);
        return;
    }
    case BY_WAIT_EVENTS:
        sim_shadow_use(x, op->site, op->a, 8, "wait for as many events as");
        sim_shadow_use(x, op->site, op->b, 8, "wait for events at an address made of");
        return;
    case BY_PRINT: use_printed(x, op, row.out); return;
    case BY_DIVIDE: sim_shadow_use(x, op->site, op->b, row.in, "division by"); break;
    case BY_INDEX:
        if (!op->count) sim_shadow_use(x, op->site, op->a, row.in, "component chosen by");
        row.operands = 1;
        break;
    case BY_HOLDS: /* operand b says whether the sum fits: it affects all bits */
        row.rule = BY_ANY;
        row.operands = 2;
        break;
    case BY_CONVERT: {
        sim_numeric conversion = sim_numeric_unpack(op->extra);
        row.in = (uint8_t)sim_number_bytes(conversion.from);
        row.out = (uint8_t)sim_number_bytes(conversion.to);
        break;
    }
    default: break;
    }
    propagate(x, op, &row);
}
