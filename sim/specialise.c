/* What specialisation makes of a module's constants: given values in place of defaults, and then
 * the operations on scalar integers and booleans whose operands are known.
 *
 * Such an operation becomes a plain constant while the module is read, so that it can be an array's
 * length or a variable's initial value.  Operations on floats, vectors and addresses stay what they
 * are and are computed where they are used, and so are those without a defined result, a division
 * by zero for example: they are findings where something uses them.
 *
 * Nothing is refused here but a value of the wrong size: operands were not checked yet, and what is
 * not of the expected form stays an operation, which validate.c judges.
 * Source: SPIR-V specification 1.6, sections 2.12 "Specialization" and 3.42.7 "Constant-Creation
 * Instructions". */
#include "sim/reader.h"

/* ---- Values -------------------------------------------------------------------------------- */

static const sim_spec_constant *value_given(const sim_reader *reader, uint32_t spec_id)
{
    for (uint32_t i = 0; i < reader->value_count; i++) {
        if (reader->values[i].id == spec_id) return &reader->values[i];
    }
    return NULL;
}

rt_status sim_specialise_scalar(sim_reader *reader, const sim_view *view, sim_constant *constant)
{
    CHECK(constant->kind == SIM_CONSTANT_BITS && constant->spec_id != SIM_NONE);
    const sim_spec_constant *given = value_given(reader, constant->spec_id);
    if (!given) return RT_STATUS_OK;
    const sim_type *type = constant->type;
    if (given->value.size != type->size_bytes) {
        return sim_reader_fail(reader, RT_ERRC_INVALID, view->offset,
                               "specialisation constant %u has %llu bytes, but the value given for "
                               "it has %zu",
                               constant->spec_id, (unsigned long long)type->size_bytes,
                               given->value.size);
    }
    uint64_t bits = 0;
    for (size_t i = 0; i < given->value.size; i++)
        bits |= (uint64_t)given->value.data[i] << 8 * i;
    constant->bits = type->kind == SIM_TYPE_BOOL ? bits != 0 : bits;
    return RT_STATUS_OK;
}

/* ---- Operations ---------------------------------------------------------------------------- */

enum { OPERANDS_MAX = 3 };

/* A scalar that an operation is applied to. */
typedef struct scalar {
    uint8_t kind; /* SIM_TYPE_BOOL or SIM_TYPE_INT */
    uint32_t width;
    uint64_t bits;  /* zero-extended */
    int64_t number; /* the same, sign-extended */
} scalar;

static bool is_foldable(const sim_type *type)
{
    return type->kind == SIM_TYPE_BOOL || type->kind == SIM_TYPE_INT;
}

/* The value of an operand that is a known scalar, defined before its user. */
static bool scalar_of(const sim_module *module, const sim_constant *user, sim_id id, scalar *out)
{
    if (id == 0 || id >= module->id_bound) return false;
    const sim_id_entry *entry = sim_module_id(module, id);
    if (entry->kind != SIM_ID_CONSTANT) return false;
    const sim_constant *constant = &module->constants[entry->index];
    if (constant >= user || !is_foldable(constant->type)) return false;
    if (constant->kind != SIM_CONSTANT_BITS && constant->kind != SIM_CONSTANT_NULL) return false;
    uint32_t unused = 64u - constant->type->bits;
    *out = (scalar){.kind = constant->type->kind,
                    .width = constant->type->bits,
                    .bits = constant->bits,
                    .number = (int64_t)(constant->bits << unused) >> unused};
    return true;
}

/* Integer operations of two operands of the result's width; false: not one, or no defined result.
 */
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
        /* The sign is the second operand's. */
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

static bool fold_one(uint16_t number, const sim_type *type, scalar a, uint64_t *out)
{
    bool same = a.kind == type->kind && a.width == type->bits;
    bool are_integers = a.kind == SIM_TYPE_INT && type->kind == SIM_TYPE_INT;
    switch (number) {
    case SIM_OpLogicalNot: *out = a.bits ^ 1; return same && a.kind == SIM_TYPE_BOOL;
    case SIM_OpNot: *out = ~a.bits; return same && are_integers;
    case SIM_OpSNegate: *out = 0 - a.bits; return same && are_integers;
    case SIM_OpBitcast:
    case SIM_OpCopyObject: *out = a.bits; return same;
    case SIM_OpUConvert: *out = a.bits; return are_integers;
    case SIM_OpSConvert: *out = (uint64_t)a.number; return are_integers;
    default: return false;
    }
}

static bool fold_two(uint16_t number, const sim_type *type, scalar a, scalar b, uint64_t *out)
{
    bool to_bool = type->kind == SIM_TYPE_BOOL;
    if (a.kind != b.kind) return false;
    if (a.kind == SIM_TYPE_BOOL) return to_bool && fold_logical(number, a, b, out);
    if (to_bool) return a.width == b.width && fold_comparison(number, a, b, out);
    if (a.width != type->bits) return false;
    if (fold_shift(number, a, b, out)) return true; /* the shift may have a width of its own */
    return a.width == b.width && fold_integer(number, a, b, out);
}

static bool fold_select(uint16_t number, const sim_type *type, const scalar *s, uint64_t *out)
{
    if (number != SIM_OpSelect || s[0].kind != SIM_TYPE_BOOL) return false;
    for (uint32_t i = 1; i <= 2; i++) {
        if (s[i].kind != type->kind || s[i].width != type->bits) return false;
    }
    *out = s[0].bits ? s[1].bits : s[2].bits;
    return true;
}

void sim_specialise_operation(const sim_module *module, sim_constant *constant)
{
    CHECK(constant->kind == SIM_CONSTANT_OPERATION && constant->opcode);
    const sim_type *type = constant->type;
    scalar operands[OPERANDS_MAX];
    if (!is_foldable(type) || constant->count < 1 || constant->count > OPERANDS_MAX) return;
    for (uint32_t i = 0; i < constant->count; i++) {
        if (!scalar_of(module, constant, constant->operands[i], &operands[i])) return;
    }
    /* Saturated conversions are computed where they are used, like those of floats. */
    if (sim_module_decoration(module, constant->id, SIM_NONE, SIM_DecorationSaturatedConversion)) {
        return;
    }
    uint16_t number = constant->opcode->number;
    uint64_t bits = 0;
    bool folded = constant->count == 1   ? fold_one(number, type, operands[0], &bits)
                  : constant->count == 2 ? fold_two(number, type, operands[0], operands[1], &bits)
                                         : fold_select(number, type, operands, &bits);
    if (!folded) return;
    constant->kind = SIM_CONSTANT_BITS;
    constant->bits = sim_bits_masked(bits, type->bits);
}
