/* Folds operations on known constants while the module is read, so that the results can serve as an
 * array's length, a variable's initial value, or an index.
 *
 * Values are memory images, part by part, as a variable would hold them.  Vectors are split; each
 * component gets the value that the engine would compute.  Floats and halves are computed in double
 * and rounded to their type, which gives the same results (half.h).  An operation with an unknown
 * operand stays an operation and is computed where it is used.
 *
 * Source: SPIR-V specification 1.6, sections 2.12 "Specialization" and 3.42.7 "Constant-Creation
 * Instructions". */
#include "sim/module/fold.h"

#include "sim/number/half.h"

#include <math.h>
#include <string.h>

enum { OPERANDS_MAX = 3 };

_Static_assert((int)SIM_ROUND_NEAREST == (int)SIM_FPRoundingModeRTE, "modes have SPIR-V's numbers");
_Static_assert((int)SIM_ROUND_ZERO == (int)SIM_FPRoundingModeRTZ, "modes have SPIR-V's numbers");
_Static_assert((int)SIM_ROUND_UP == (int)SIM_FPRoundingModeRTP, "modes have SPIR-V's numbers");
_Static_assert((int)SIM_ROUND_DOWN == (int)SIM_FPRoundingModeRTN, "modes have SPIR-V's numbers");

/* ---- Scalars ------------------------------------------------------------------------------- */

/* A scalar operand of an operation. */
typedef struct scalar {
    const sim_type *type;
    uint8_t kind; /* SIM_TYPE_BOOL, INT or FLOAT */
    uint32_t width;
    uint64_t bits;  /* zero-extended */
    int64_t number; /* the same bits, sign-extended */
} scalar;

static bool is_scalar(const sim_type *type)
{
    return type->kind == SIM_TYPE_BOOL || type->kind == SIM_TYPE_INT ||
           type->kind == SIM_TYPE_FLOAT;
}

/* Computes an integer operation on two operands of the result's width. False if `number` is not
 * such an operation or the result is undefined. */
static bool fold_integer(uint16_t number, scalar a, scalar b, uint64_t *out)
{
    int64_t least = -1 - (int64_t)(UINT64_MAX >> (65 - a.width));
    bool divides = b.bits != 0 && !(a.number == least && b.number == -1);
    switch (number) {
    case SIM_OpIAdd: *out = a.bits + b.bits; return true;
    case SIM_OpISub: *out = a.bits - b.bits; return true;
    case SIM_OpIMul: *out = a.bits * b.bits; return true;
    case SIM_OpBitwiseOr: *out = a.bits | b.bits; return true;
    case SIM_OpBitwiseXor: *out = a.bits ^ b.bits; return true;
    case SIM_OpBitwiseAnd: *out = a.bits & b.bits; return true;
    case SIM_OpUDiv: *out = b.bits ? a.bits / b.bits : 0; return b.bits != 0;
    case SIM_OpUMod: *out = b.bits ? a.bits % b.bits : 0; return b.bits != 0;
    case SIM_OpSDiv: *out = divides ? (uint64_t)(a.number / b.number) : 0; return divides;
    case SIM_OpSRem: *out = divides ? (uint64_t)(a.number % b.number) : 0; return divides;
    case SIM_OpSMod: {
        /* The result has the sign of the second operand. */
        int64_t rest = divides ? a.number % b.number : 0;
        bool moved = rest != 0 && (rest < 0) != (b.number < 0);
        *out = (uint64_t)(moved ? rest + b.number : rest);
        return divides;
    }
    default: return false;
    }
}

static bool fold_shift(uint16_t number, scalar a, scalar b, uint64_t *out)
{
    if (b.bits >= a.width) return false;
    switch (number) {
    case SIM_OpShiftLeftLogical: *out = a.bits << b.bits; return true;
    case SIM_OpShiftRightLogical: *out = a.bits >> b.bits; return true;
    case SIM_OpShiftRightArithmetic: *out = (uint64_t)(a.number >> b.bits); return true;
    default: return false;
    }
}

static bool fold_comparison(uint16_t number, scalar a, scalar b, uint64_t *out)
{
    switch (number) {
    case SIM_OpIEqual: *out = a.bits == b.bits; return true;
    case SIM_OpINotEqual: *out = a.bits != b.bits; return true;
    case SIM_OpULessThan: *out = a.bits < b.bits; return true;
    case SIM_OpULessThanEqual: *out = a.bits <= b.bits; return true;
    case SIM_OpUGreaterThan: *out = a.bits > b.bits; return true;
    case SIM_OpUGreaterThanEqual: *out = a.bits >= b.bits; return true;
    case SIM_OpSLessThan: *out = a.number < b.number; return true;
    case SIM_OpSLessThanEqual: *out = a.number <= b.number; return true;
    case SIM_OpSGreaterThan: *out = a.number > b.number; return true;
    case SIM_OpSGreaterThanEqual: *out = a.number >= b.number; return true;
    default: return false;
    }
}

static bool fold_logical(uint16_t number, scalar a, scalar b, uint64_t *out)
{
    switch (number) {
    case SIM_OpLogicalOr: *out = a.bits | b.bits; return true;
    case SIM_OpLogicalAnd: *out = a.bits & b.bits; return true;
    case SIM_OpLogicalEqual: *out = a.bits == b.bits; return true;
    case SIM_OpLogicalNotEqual: *out = a.bits != b.bits; return true;
    default: return false;
    }
}

/* ---- Floats -------------------------------------------------------------------------------- */

static double number_of(scalar a)
{
    if (a.width == 64) return (sim_double_bits){.bits = a.bits}.value;
    if (a.width == 32) return (double)(sim_float_bits){.bits = (uint32_t)a.bits}.value;
    return (double)sim_float_of_half((uint16_t)a.bits);
}

/* Rounds a sum, difference, product or quotient, computed in double, to `width` bits: floats and
 * halves are short enough for the second rounding to give the correctly rounded result (half.h). */
static uint64_t bits_of(uint32_t width, double value)
{
    if (width == 64) return (sim_double_bits){.value = value}.bits;
    if (width == 32) return (sim_float_bits){.value = (float)value}.bits;
    return sim_half_of_double(value);
}

static bool fold_float(uint16_t number, scalar a, scalar b, uint64_t *out)
{
    double x = number_of(a), y = number_of(b);
    switch (number) {
    case SIM_OpFAdd: *out = bits_of(a.width, x + y); return true;
    case SIM_OpFSub: *out = bits_of(a.width, x - y); return true;
    case SIM_OpFMul: *out = bits_of(a.width, x * y); return true;
    case SIM_OpFDiv: *out = bits_of(a.width, x / y); return true;
    case SIM_OpFRem: *out = bits_of(a.width, fmod(x, y)); return true;
    case SIM_OpFMod: {
        double rest = fmod(x, y); /* the result has the sign of the second operand */
        bool moved = rest != 0 && (rest < 0) != (y < 0);
        *out = bits_of(a.width, moved ? rest + y : rest);
        return true;
    }
    default: return false;
    }
}

/* ---- Conversions --------------------------------------------------------------------------- */

static sim_number_type number_type(const sim_type *type, bool is_signed)
{
    while (type->kind == SIM_TYPE_VECTOR)
        type = type->element;
    uint32_t log = (uint32_t)__builtin_ctz(type->bits / 8u);
    if (type->kind == SIM_TYPE_FLOAT) return (sim_number_type)(SIM_NUMBER_HALF + (int)log - 1);
    CHECK(type->kind == SIM_TYPE_INT);
    return (sim_number_type)((is_signed ? SIM_NUMBER_S8 : SIM_NUMBER_U8) + (int)log);
}

sim_numeric sim_numeric_of(const sim_module *module, sim_id id, uint16_t opcode,
                           const sim_type *from, const sim_type *to)
{
    bool from_signed =
        opcode == SIM_OpSConvert || opcode == SIM_OpSatConvertSToU || opcode == SIM_OpConvertSToF;
    bool to_signed =
        opcode == SIM_OpSConvert || opcode == SIM_OpSatConvertUToS || opcode == SIM_OpConvertFToS;
    sim_numeric out = {.from = number_type(from, from_signed), .to = number_type(to, to_signed)};
    const sim_decoration *rounding =
        sim_module_decoration(module, id, SIM_NONE, SIM_DecorationFPRoundingMode);
    bool to_float = out.to >= SIM_NUMBER_HALF;
    out.rounding = rounding   ? (sim_rounding)rounding->operands[0]
                   : to_float ? SIM_ROUND_NEAREST
                              : SIM_ROUND_ZERO;
    out.is_saturated =
        opcode == SIM_OpSatConvertSToU || opcode == SIM_OpSatConvertUToS ||
        sim_module_decoration(module, id, SIM_NONE, SIM_DecorationSaturatedConversion);
    CHECK_IMPLIES(out.is_saturated, !to_float);
    return out;
}

/* ---- One component ------------------------------------------------------------------------- */

static bool fold_component(const sim_module *module, const sim_constant *constant,
                           const sim_type *type, scalar a, uint64_t *out)
{
    sim_group group = (sim_group)constant->opcode->group;
    if (group == SIM_GROUP_FLOAT_TO_INTEGER || group == SIM_GROUP_INTEGER_TO_FLOAT ||
        group == SIM_GROUP_INTEGER_TO_INTEGER || group == SIM_GROUP_FLOAT_TO_FLOAT) {
        sim_numeric numeric =
            sim_numeric_of(module, constant->id, constant->opcode->number, a.type, type);
        bool are_integers = a.kind == SIM_TYPE_INT && type->kind == SIM_TYPE_INT;
        if (!are_integers || numeric.is_saturated) return sim_convert(numeric, a.bits, out);
        *out = numeric.from >= SIM_NUMBER_S8 ? (uint64_t)a.number : a.bits;
        return true;
    }
    switch (constant->opcode->number) {
    case SIM_OpLogicalNot: *out = a.bits ^ 1; return true;
    case SIM_OpNot: *out = ~a.bits; return true;
    case SIM_OpSNegate: *out = 0 - a.bits; return true;
    case SIM_OpFNegate: *out = a.bits ^ UINT64_C(1) << (a.width - 1); return true;
    default: return false;
    }
}

static bool fold_two(uint16_t number, const sim_type *type, scalar a, scalar b, uint64_t *out)
{
    bool to_bool = type->kind == SIM_TYPE_BOOL;
    if (a.kind == SIM_TYPE_FLOAT) return fold_float(number, a, b, out);
    if (a.kind == SIM_TYPE_BOOL) return fold_logical(number, a, b, out);
    if (to_bool) return fold_comparison(number, a, b, out);
    /* The shift amount and the shifted value may differ in width. */
    if (fold_shift(number, a, b, out)) return true;
    return a.width == b.width && fold_integer(number, a, b, out);
}

/* ---- Images -------------------------------------------------------------------------------- */

/* Returns the type of the part that the indices select, and its offset. The indices have been
 * checked. */
static const sim_type *part_of(const sim_type *type, const uint32_t *indices, uint32_t count,
                               uint64_t *out_offset)
{
    *out_offset = 0;
    for (uint32_t i = 0; i < count; i++) {
        *out_offset += sim_type_part_offset(type, indices[i]);
        type = sim_type_part(type, indices[i]);
    }
    return type;
}

static bool write_part(const sim_module *module, const sim_constant *constant,
                       const uint32_t *indices, uint32_t count, uint8_t *out);

/* Writes the value of one constituent, or of the part of it that the indices select. False if the
 * value is unknown; composites have not been checked yet, so a constituent may not match its type.
 */
static bool write_constituent(const sim_module *module, const sim_constant *whole, uint64_t index,
                              const uint32_t *indices, uint32_t count, uint8_t *out)
{
    const sim_id_entry *entry = sim_module_id(module, whole->operands[index]);
    if (entry->kind != SIM_ID_CONSTANT) return false;
    const sim_constant *part = &module->constants[entry->index];
    if (part >= whole || !sim_type_equal(part->type, sim_type_part(whole->type, index)))
        return false;
    return write_part(module, part, indices, count, out);
}

static bool write_part(const sim_module *module, const sim_constant *constant,
                       const uint32_t *indices, uint32_t count, uint8_t *out)
{
    const sim_type *type = constant->type;
    uint64_t offset;
    switch ((sim_constant_kind)constant->kind) {
    case SIM_CONSTANT_BITS:
        CHECK(count == 0);
        memcpy(out, &constant->bits, type->size_bytes);
        return true;
    case SIM_CONSTANT_NULL:
        type = part_of(type, indices, count, &offset);
        memset(out, 0, type->size_bytes);
        return true;
    case SIM_CONSTANT_COMPOSITE:
        if (constant->count != type->count) return false;
        if (count > 0) {
            return write_constituent(module, constant, indices[0], indices + 1, count - 1, out);
        }
        memset(out, 0, type->size_bytes); /* padding */
        for (uint64_t i = 0; i < type->count; i++) {
            uint8_t *to = out + sim_type_part_offset(type, i);
            if (!write_constituent(module, constant, i, NULL, 0, to)) return false;
        }
        return true;
    case SIM_CONSTANT_OPERATION:
        if (!constant->image) return false;
        type = part_of(type, indices, count, &offset);
        memcpy(out, constant->image + offset, type->size_bytes);
        return true;
    case SIM_CONSTANT_UNDEFINED:
    case SIM_CONSTANT_FUNCTION: return false;
    }
    UNREACHABLE();
}

static const sim_constant *operand_at(const sim_module *module, const sim_constant *user,
                                      uint32_t place)
{
    return sim_module_constant(module, user->operands[place]);
}

/* Reads component `i` of an operand; a scalar is its own component. False if the value is unknown.
 */
static bool read_component(const sim_module *module, const sim_constant *user, uint32_t place,
                           uint32_t i, scalar *out)
{
    const sim_constant *operand = operand_at(module, user, place);
    bool is_vector = operand->type->kind == SIM_TYPE_VECTOR;
    const sim_type *type = is_vector ? operand->type->element : operand->type;
    uint64_t bits = 0;
    uint8_t bytes[sizeof bits] = {0};
    if (!is_scalar(type) || !write_part(module, operand, &i, is_vector, bytes)) return false;
    memcpy(&bits, bytes, sizeof bits);
    uint32_t unused = 64u - type->bits;
    *out = (scalar){.type = type,
                    .kind = type->kind,
                    .width = type->bits,
                    .bits = bits,
                    .number = (int64_t)(bits << unused) >> unused};
    return true;
}

/* ---- Operations ---------------------------------------------------------------------------- */

/* Applies the operation component by component; false if a component is unknown or undefined. */
static bool fold_components(const sim_module *module, const sim_constant *constant, uint8_t *out)
{
    bool is_vector = constant->type->kind == SIM_TYPE_VECTOR;
    const sim_type *type = is_vector ? constant->type->element : constant->type;
    uint32_t count = is_vector ? (uint32_t)constant->type->count : 1;
    if (!is_scalar(type) || constant->count > 2) return false;
    for (uint32_t i = 0; i < count; i++) {
        scalar in[2];
        uint64_t bits = 0;
        for (uint32_t k = 0; k < constant->count; k++) {
            if (!read_component(module, constant, k, i, &in[k])) return false;
        }
        bool folded = constant->count == 1
                          ? fold_component(module, constant, type, in[0], &bits)
                          : fold_two(constant->opcode->number, type, in[0], in[1], &bits);
        if (!folded) return false;
        memcpy(out + i * type->size_bytes, &bits, type->size_bytes);
    }
    return true;
}

static bool fold_select(const sim_module *module, const sim_constant *constant, uint8_t *out)
{
    const sim_type *type = constant->type;
    bool by_component = operand_at(module, constant, 0)->type->kind == SIM_TYPE_VECTOR;
    uint32_t count = by_component ? (uint32_t)type->count : 1;
    for (uint32_t i = 0; i < count; i++) {
        scalar condition;
        if (!read_component(module, constant, 0, i, &condition)) return false;
        const sim_constant *chosen = operand_at(module, constant, condition.bits ? 1 : 2);
        uint8_t *to = by_component ? out + sim_type_part_offset(type, i) : out;
        if (!write_part(module, chosen, &i, by_component, to)) return false;
    }
    return true;
}

static bool fold_shuffle(const sim_module *module, const sim_constant *constant, uint8_t *out)
{
    uint64_t first_count = operand_at(module, constant, 0)->type->count;
    for (uint32_t i = 2; i < constant->count; i++) {
        uint32_t component = constant->operands[i];
        if (component == UINT32_MAX) return false; /* the component is undefined */
        bool is_second = component >= first_count;
        uint32_t index = is_second ? component - (uint32_t)first_count : component;
        const sim_constant *from = operand_at(module, constant, is_second);
        if (!write_part(module, from, &index, 1,
                        out + sim_type_part_offset(constant->type, i - 2))) {
            return false;
        }
    }
    return true;
}

static bool fold(const sim_module *module, const sim_constant *constant, uint8_t *out)
{
    const sim_type *type = constant->type;
    uint64_t offset;
    switch (constant->opcode->number) {
    case SIM_OpCompositeExtract:
        return write_part(module, operand_at(module, constant, 0), constant->operands + 1,
                          constant->count - 1, out);
    case SIM_OpCompositeInsert:
        part_of(type, constant->operands + 2, constant->count - 2, &offset);
        return write_part(module, operand_at(module, constant, 1), NULL, 0, out) &&
               write_part(module, operand_at(module, constant, 0), NULL, 0, out + offset);
    case SIM_OpVectorShuffle: return fold_shuffle(module, constant, out);
    case SIM_OpSelect: return fold_select(module, constant, out);
    case SIM_OpBitcast:
        /* Copies the bits.  The sizes may differ, because three-component vectors are padded; the
         * value then stays unknown. */
        return operand_at(module, constant, 0)->type->size_bytes == type->size_bytes &&
               write_part(module, operand_at(module, constant, 0), NULL, 0, out);
    default: return fold_components(module, constant, out);
    }
}

bool sim_fold_is_ready(const sim_module *module, const sim_constant *constant)
{
    CHECK(constant->kind == SIM_CONSTANT_OPERATION && constant->opcode);
    uint32_t ids = constant->count;
    switch (constant->opcode->number) {
    case SIM_OpCompositeExtract: ids = 1; break;
    case SIM_OpCompositeInsert:
    case SIM_OpVectorShuffle: ids = 2; break;
    default: break;
    }
    if (ids > constant->count || ids > OPERANDS_MAX) return false;
    for (uint32_t i = 0; i < ids; i++) {
        const sim_id_entry *entry = sim_module_id(module, constant->operands[i]);
        if (entry->kind != SIM_ID_CONSTANT) return false;
        if (&module->constants[entry->index] >= constant) return false;
    }
    return true;
}

void sim_fold_operation(sim_module *module, sim_constant *constant)
{
    const sim_type *type = constant->type;
    _Alignas(8) uint8_t out[SIM_FOLD_BYTES_MAX] = {0};
    CHECK(constant->kind == SIM_CONSTANT_OPERATION && constant->opcode);
    if (type->kind == SIM_TYPE_POINTER || type->size_bytes > sizeof out) return;
    if (!fold(module, constant, out)) return;
    if (is_scalar(type)) {
        constant->kind = SIM_CONSTANT_BITS;
        memcpy(&constant->bits, out, sizeof constant->bits);
        return;
    }
    constant->image = rt_arena_copy(&module->arena, out, 1, type->size_bytes);
}
