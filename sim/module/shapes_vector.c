/* Type rules for OpenCL.std functions on mixed types and on whole vectors, for results in two
 * parts, for integer dot products, and for decorated conversions.
 *
 * Source: OpenCL extended instruction set specification 1.0, sections 2.3 and 2.6 to 2.8; SPIR-V
 * specification 1.6, sections 3.42.11 and 3.42.13. */
#include "sim/module/rules.h"

/* ---- Numbers --------------------------------------------------------------------------------- */

rt_status sim_check_quantize(const sim_operation *operation)
{
    return sim_operation_require(operation, sim_component_type(operation->type)->bits == 32,
                                 "the components are not 32 bits wide");
}

rt_status sim_check_upsample(const sim_operation *operation)
{
    const sim_type *part = sim_component_type(sim_operand_type(operation, 0));
    return sim_operation_require(operation,
                                 sim_component_type(operation->type)->bits == 2 * part->bits,
                                 "the result is not twice as wide as the operands");
}

rt_status sim_check_lane_select(const sim_operation *operation)
{
    const sim_type *selector = sim_component_type(sim_operand_type(operation, 2));
    return sim_operation_require(operation,
                                 sim_component_type(operation->type)->bits == selector->bits,
                                 "the selector differs in width from the result");
}

rt_status sim_check_integer_pair(const sim_operation *operation)
{
    const sim_type *type = operation->type, *first = sim_operand_type(operation, 0);
    bool is_pair = type->kind == SIM_TYPE_STRUCT && type->count == 2 &&
                   sim_type_same(type->members[0], first) && sim_type_same(type->members[1], first);
    return sim_operation_require(operation, is_pair,
                                 "the result is not a struct of two members of the operands' type");
}

/* The operands are vectors of integers, or 32-bit integers with a packed vector format as the last
 * operand. */
rt_status sim_check_integer_dot(const sim_operation *operation)
{
    const sim_type *first = sim_operand_type(operation, 0);
    uint16_t number = operation->opcode->number;
    bool is_accumulated =
        number == SIM_OpSDotAccSat || number == SIM_OpUDotAccSat || number == SIM_OpSUDotAccSat;
    uint32_t format = is_accumulated ? 3 : 2;
    bool is_packed = first->kind != SIM_TYPE_VECTOR;
    if (is_packed != (operation->operand_count > format) || (is_packed && first->bits != 32)) {
        return sim_operation_fail(
            operation,
            "the operands are neither vectors nor 32-bit integers with a packed vector format");
    }
    CHECK_IMPLIES(is_packed, operation->operands[format] ==
                                 SIM_PackedVectorFormatPackedVectorFormat4x8Bit); /* the only one */
    uint32_t bits = is_packed ? 8 : first->element->bits;
    if (operation->type->bits < bits) {
        return sim_operation_fail(operation, "the result is narrower than the components");
    }
    const sim_type *sum = is_accumulated ? sim_operand_type(operation, 2) : operation->type;
    return sim_operation_require(operation, sim_type_same(sum, operation->type),
                                 "the accumulator differs in type from the result");
}

/* ---- Shuffles by masks ----------------------------------------------------------------------- */

rt_status sim_check_mask_shuffle(const sim_operation *operation)
{
    const sim_type *type = operation->type, *source = sim_operand_type(operation, 0);
    uint32_t last = operation->operand_count - 1;
    const sim_type *mask = sim_operand_type(operation, last);
    bool is_mask = mask && mask->kind == SIM_TYPE_VECTOR && mask->element->kind == SIM_TYPE_INT &&
                   mask->count == type->count && mask->element->bits == type->element->bits;
    if (!is_mask) {
        return sim_operation_fail(operation, "the mask is not a vector of integers of the result's "
                                             "shape and width");
    }
    if (!sim_type_same(source->element, type->element)) {
        return sim_operation_fail(operation,
                                  "the result and the operands have different component types");
    }
    if (last == 2 && !sim_type_same(source, sim_operand_type(operation, 1))) {
        return sim_operation_fail(operation, "the operands have different types");
    }
    return sim_operation_require(operation, source->count != 3 && type->count != 3,
                                 "three-component vectors cannot be shuffled");
}

/* ---- Vectors in memory ----------------------------------------------------------------------- */

/* Some of the functions access a scalar, the others a vector.  The pointee of the functions that
 * convert from or to half is a half; otherwise it has the type of the value's components. */
static rt_status check_vector_access(const sim_operation *operation, uint32_t pointer,
                                     const sim_type *value)
{
    uint32_t number = operation->operands[-1];
    const sim_type *type = sim_operand_type(operation, pointer), *element = type->element;
    const sim_type *component = sim_component_type(value);
    bool is_vector = value->kind == SIM_TYPE_VECTOR;
    bool takes_vector = number != SIM_STD_vload_half && number != SIM_STD_vstore_half &&
                        number != SIM_STD_vstore_half_r;
    if (takes_vector != is_vector) {
        return sim_operation_fail(operation, "the value is %s",
                                  is_vector ? "a vector" : "not a vector");
    }
    bool is_half = element->kind == SIM_TYPE_FLOAT && element->bits == 16 &&
                   component->kind == SIM_TYPE_FLOAT && component->bits > 16;
    bool is_plain = number == SIM_STD_vloadn || number == SIM_STD_vstoren;
    if (is_plain ? !sim_type_same(element, component) : !is_half) {
        return sim_operation_fail(
            operation, "the pointer does not point to the type that is loaded or stored");
    }
    return sim_operation_require(operation, sim_operand_type(operation, pointer - 1)->bits == 64,
                                 "the offset is not a 64-bit integer");
}

rt_status sim_check_vector_load(const sim_operation *operation)
{
    uint64_t count = sim_component_count(operation->type);
    RT_TRY(check_vector_access(operation, 1, operation->type));
    return sim_operation_require(operation,
                                 operation->operand_count <= 2 || operation->operands[2] == count,
                                 "%u components are requested, but the result has %llu",
                                 operation->operands[2], (unsigned long long)count);
}

rt_status sim_check_vector_store(const sim_operation *operation)
{
    RT_TRY(check_vector_access(operation, 2, sim_operand_type(operation, 0)));
    if (operation->type->kind != SIM_TYPE_VOID) {
        return sim_operation_fail(operation, "a store has no result");
    }
    bool has_mode = operation->operand_count > 3;
    return sim_operation_require(operation,
                                 !has_mode || operation->operands[3] <= SIM_FPRoundingModeRTN,
                                 "rounding mode %u does not exist", operation->operands[3]);
}
