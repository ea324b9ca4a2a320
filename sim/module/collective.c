/* The form and types of group and sub-group instructions.
 *
 * Source: SPIR-V specification 1.6, sections 3.42.21 (group) and 3.42.24 (non-uniform);
 * SPV_KHR_shader_ballot, SPV_KHR_subgroup_vote, SPV_KHR_uniform_group_instructions,
 * SPV_INTEL_subgroups. */
#include "sim/module/collective.h"

#include "sim/module/rules.h"

static const sim_collective_row rows[] = {
    /* instruction, operation, form, is uniform, has a scope */
    {SIM_OpGroupAll, SIM_COLLECTIVE_ALL, SIM_COLLECTIVE_FORM_PREDICATE, true, true},
    {SIM_OpGroupAny, SIM_COLLECTIVE_ANY, SIM_COLLECTIVE_FORM_PREDICATE, true, true},
    {SIM_OpGroupBroadcast, SIM_COLLECTIVE_BROADCAST, SIM_COLLECTIVE_FORM_INDEX, true, true},
    {SIM_OpGroupIAdd, SIM_COLLECTIVE_IADD, SIM_COLLECTIVE_FORM_FOLD, true, true},
    {SIM_OpGroupFAdd, SIM_COLLECTIVE_FADD, SIM_COLLECTIVE_FORM_FOLD, true, true},
    {SIM_OpGroupFMin, SIM_COLLECTIVE_FMIN, SIM_COLLECTIVE_FORM_FOLD, true, true},
    {SIM_OpGroupUMin, SIM_COLLECTIVE_UMIN, SIM_COLLECTIVE_FORM_FOLD, true, true},
    {SIM_OpGroupSMin, SIM_COLLECTIVE_SMIN, SIM_COLLECTIVE_FORM_FOLD, true, true},
    {SIM_OpGroupFMax, SIM_COLLECTIVE_FMAX, SIM_COLLECTIVE_FORM_FOLD, true, true},
    {SIM_OpGroupUMax, SIM_COLLECTIVE_UMAX, SIM_COLLECTIVE_FORM_FOLD, true, true},
    {SIM_OpGroupSMax, SIM_COLLECTIVE_SMAX, SIM_COLLECTIVE_FORM_FOLD, true, true},
    {SIM_OpGroupIMulKHR, SIM_COLLECTIVE_IMUL, SIM_COLLECTIVE_FORM_FOLD, true, true},
    {SIM_OpGroupFMulKHR, SIM_COLLECTIVE_FMUL, SIM_COLLECTIVE_FORM_FOLD, true, true},
    {SIM_OpGroupBitwiseAndKHR, SIM_COLLECTIVE_AND, SIM_COLLECTIVE_FORM_FOLD, true, true},
    {SIM_OpGroupBitwiseOrKHR, SIM_COLLECTIVE_OR, SIM_COLLECTIVE_FORM_FOLD, true, true},
    {SIM_OpGroupBitwiseXorKHR, SIM_COLLECTIVE_XOR, SIM_COLLECTIVE_FORM_FOLD, true, true},
    {SIM_OpGroupLogicalAndKHR, SIM_COLLECTIVE_AND, SIM_COLLECTIVE_FORM_FOLD, true, true},
    {SIM_OpGroupLogicalOrKHR, SIM_COLLECTIVE_OR, SIM_COLLECTIVE_FORM_FOLD, true, true},
    {SIM_OpGroupLogicalXorKHR, SIM_COLLECTIVE_XOR, SIM_COLLECTIVE_FORM_FOLD, true, true},
    {SIM_OpGroupNonUniformIAdd, SIM_COLLECTIVE_IADD, SIM_COLLECTIVE_FORM_FOLD, false, true},
    {SIM_OpGroupNonUniformFAdd, SIM_COLLECTIVE_FADD, SIM_COLLECTIVE_FORM_FOLD, false, true},
    {SIM_OpGroupNonUniformFMin, SIM_COLLECTIVE_FMIN, SIM_COLLECTIVE_FORM_FOLD, false, true},
    {SIM_OpGroupNonUniformUMin, SIM_COLLECTIVE_UMIN, SIM_COLLECTIVE_FORM_FOLD, false, true},
    {SIM_OpGroupNonUniformSMin, SIM_COLLECTIVE_SMIN, SIM_COLLECTIVE_FORM_FOLD, false, true},
    {SIM_OpGroupNonUniformFMax, SIM_COLLECTIVE_FMAX, SIM_COLLECTIVE_FORM_FOLD, false, true},
    {SIM_OpGroupNonUniformUMax, SIM_COLLECTIVE_UMAX, SIM_COLLECTIVE_FORM_FOLD, false, true},
    {SIM_OpGroupNonUniformSMax, SIM_COLLECTIVE_SMAX, SIM_COLLECTIVE_FORM_FOLD, false, true},
    {SIM_OpGroupNonUniformIMul, SIM_COLLECTIVE_IMUL, SIM_COLLECTIVE_FORM_FOLD, false, true},
    {SIM_OpGroupNonUniformFMul, SIM_COLLECTIVE_FMUL, SIM_COLLECTIVE_FORM_FOLD, false, true},
    {SIM_OpGroupNonUniformBitwiseAnd, SIM_COLLECTIVE_AND, SIM_COLLECTIVE_FORM_FOLD, false, true},
    {SIM_OpGroupNonUniformBitwiseOr, SIM_COLLECTIVE_OR, SIM_COLLECTIVE_FORM_FOLD, false, true},
    {SIM_OpGroupNonUniformBitwiseXor, SIM_COLLECTIVE_XOR, SIM_COLLECTIVE_FORM_FOLD, false, true},
    {SIM_OpGroupNonUniformLogicalAnd, SIM_COLLECTIVE_AND, SIM_COLLECTIVE_FORM_FOLD, false, true},
    {SIM_OpGroupNonUniformLogicalOr, SIM_COLLECTIVE_OR, SIM_COLLECTIVE_FORM_FOLD, false, true},
    {SIM_OpGroupNonUniformLogicalXor, SIM_COLLECTIVE_XOR, SIM_COLLECTIVE_FORM_FOLD, false, true},
    {SIM_OpGroupNonUniformElect, SIM_COLLECTIVE_ELECT, SIM_COLLECTIVE_FORM_NONE, false, true},
    {SIM_OpGroupNonUniformAll, SIM_COLLECTIVE_ALL, SIM_COLLECTIVE_FORM_PREDICATE, false, true},
    {SIM_OpGroupNonUniformAny, SIM_COLLECTIVE_ANY, SIM_COLLECTIVE_FORM_PREDICATE, false, true},
    {SIM_OpGroupNonUniformAllEqual, SIM_COLLECTIVE_ALL_EQUAL, SIM_COLLECTIVE_FORM_VALUE, false,
     true},
    {SIM_OpGroupNonUniformBroadcast, SIM_COLLECTIVE_BROADCAST, SIM_COLLECTIVE_FORM_INDEX, false,
     true},
    {SIM_OpGroupNonUniformBroadcastFirst, SIM_COLLECTIVE_BROADCAST_FIRST, SIM_COLLECTIVE_FORM_VALUE,
     false, true},
    {SIM_OpGroupNonUniformBallot, SIM_COLLECTIVE_BALLOT, SIM_COLLECTIVE_FORM_PREDICATE, false,
     true},
    {SIM_OpGroupNonUniformInverseBallot, SIM_COLLECTIVE_BIT_EXTRACT, SIM_COLLECTIVE_FORM_MASK,
     false, true},
    {SIM_OpGroupNonUniformBallotBitExtract, SIM_COLLECTIVE_BIT_EXTRACT,
     SIM_COLLECTIVE_FORM_MASK_INDEX, false, true},
    {SIM_OpGroupNonUniformBallotBitCount, SIM_COLLECTIVE_BIT_COUNT, SIM_COLLECTIVE_FORM_MASK_FOLD,
     false, true},
    {SIM_OpGroupNonUniformBallotFindLSB, SIM_COLLECTIVE_FIND_LSB, SIM_COLLECTIVE_FORM_MASK, false,
     true},
    {SIM_OpGroupNonUniformBallotFindMSB, SIM_COLLECTIVE_FIND_MSB, SIM_COLLECTIVE_FORM_MASK, false,
     true},
    {SIM_OpGroupNonUniformShuffle, SIM_COLLECTIVE_SHUFFLE, SIM_COLLECTIVE_FORM_INDEX, false, true},
    {SIM_OpGroupNonUniformShuffleXor, SIM_COLLECTIVE_SHUFFLE_XOR, SIM_COLLECTIVE_FORM_INDEX, false,
     true},
    {SIM_OpGroupNonUniformShuffleUp, SIM_COLLECTIVE_SHUFFLE_UP, SIM_COLLECTIVE_FORM_INDEX, false,
     true},
    {SIM_OpGroupNonUniformShuffleDown, SIM_COLLECTIVE_SHUFFLE_DOWN, SIM_COLLECTIVE_FORM_INDEX,
     false, true},
    {SIM_OpGroupNonUniformQuadBroadcast, SIM_COLLECTIVE_SHUFFLE, SIM_COLLECTIVE_FORM_QUAD, false,
     true},
    {SIM_OpGroupNonUniformQuadSwap, SIM_COLLECTIVE_SHUFFLE_XOR, SIM_COLLECTIVE_FORM_QUAD, false,
     true},
    {SIM_OpGroupNonUniformRotateKHR, SIM_COLLECTIVE_ROTATE, SIM_COLLECTIVE_FORM_INDEX, false, true},
    {SIM_OpSubgroupBallotKHR, SIM_COLLECTIVE_BALLOT, SIM_COLLECTIVE_FORM_PREDICATE, false, false},
    {SIM_OpSubgroupFirstInvocationKHR, SIM_COLLECTIVE_BROADCAST_FIRST, SIM_COLLECTIVE_FORM_VALUE,
     false, false},
    {SIM_OpSubgroupAllKHR, SIM_COLLECTIVE_ALL, SIM_COLLECTIVE_FORM_PREDICATE, false, false},
    {SIM_OpSubgroupAnyKHR, SIM_COLLECTIVE_ANY, SIM_COLLECTIVE_FORM_PREDICATE, false, false},
    {SIM_OpSubgroupAllEqualKHR, SIM_COLLECTIVE_ALL_EQUAL, SIM_COLLECTIVE_FORM_VALUE, false, false},
    {SIM_OpSubgroupReadInvocationKHR, SIM_COLLECTIVE_BROADCAST, SIM_COLLECTIVE_FORM_INDEX, false,
     false},
    {SIM_OpSubgroupShuffleINTEL, SIM_COLLECTIVE_SHUFFLE, SIM_COLLECTIVE_FORM_INDEX, false, false},
    {SIM_OpSubgroupShuffleXorINTEL, SIM_COLLECTIVE_SHUFFLE_XOR, SIM_COLLECTIVE_FORM_INDEX, false,
     false},
    {SIM_OpSubgroupShuffleDownINTEL, SIM_COLLECTIVE_SHUFFLE_DOWN_NEXT, SIM_COLLECTIVE_FORM_TWO,
     false, false},
    {SIM_OpSubgroupShuffleUpINTEL, SIM_COLLECTIVE_SHUFFLE_UP_BEFORE, SIM_COLLECTIVE_FORM_TWO, false,
     false},
};

const sim_collective_row *sim_collective_find(uint32_t opcode)
{
    uint32_t i = 0;
    while (rows[i].opcode != opcode) {
        i++;
        CHECK(i < sizeof rows / sizeof *rows);
    }
    return &rows[i];
}

uint32_t sim_scope_constant(const sim_module *module, sim_id id)
{
    const sim_id_entry *entry = sim_module_id(module, id);
    if (entry->kind != SIM_ID_CONSTANT) return SIM_NONE;
    const sim_constant *constant = &module->constants[entry->index];
    return constant->kind == SIM_CONSTANT_BITS ? (uint32_t)constant->bits : SIM_NONE;
}

bool sim_collective_waits(const sim_module *module, const sim_instruction *instruction)
{
    if (instruction->opcode->group != SIM_GROUP_COLLECTIVE) return false;
    if (!sim_collective_find(instruction->opcode->number)->has_scope) return false;
    return sim_scope_constant(module, instruction->operands[0]) == SIM_ScopeWorkgroup;
}

bool sim_collective_meets(const sim_module *module, const sim_instruction *instruction)
{
    uint32_t group = instruction->opcode->group;
    if (group == SIM_GROUP_CONTROL_BARRIER) {
        return sim_scope_constant(module, instruction->operands[0]) == SIM_ScopeSubgroup;
    }
    if (group != SIM_GROUP_COLLECTIVE || sim_collective_waits(module, instruction)) return false;
    uint8_t form = sim_collective_find(instruction->opcode->number)->form;
    return form != SIM_COLLECTIVE_FORM_MASK && form != SIM_COLLECTIVE_FORM_MASK_INDEX &&
           form != SIM_COLLECTIVE_FORM_MASK_FOLD;
}

/* ---- Types --------------------------------------------------------------------------------- */

static bool is_bool(const sim_type *type)
{
    return type && type->kind == SIM_TYPE_BOOL;
}

static bool is_integer(const sim_type *type)
{
    return type && type->kind == SIM_TYPE_INT;
}

static bool is_mask(const sim_type *type)
{
    return type && type->kind == SIM_TYPE_VECTOR && type->count == 4 &&
           type->element->kind == SIM_TYPE_INT && type->element->bits == 32;
}

/* True for numbers and bools, and for vectors of these. */
static bool is_value(const sim_type *type)
{
    const sim_type *part = type && type->kind == SIM_TYPE_VECTOR ? type->element : type;
    return part && (part->kind == SIM_TYPE_BOOL || part->kind == SIM_TYPE_INT ||
                    part->kind == SIM_TYPE_FLOAT);
}

/* True if a reduction with this operation accepts values of the type. */
static bool takes(sim_collective operation, const sim_type *type)
{
    switch (operation) {
    case SIM_COLLECTIVE_FADD:
    case SIM_COLLECTIVE_FMIN:
    case SIM_COLLECTIVE_FMAX:
    case SIM_COLLECTIVE_FMUL: return type->kind == SIM_TYPE_FLOAT;
    case SIM_COLLECTIVE_AND:
    case SIM_COLLECTIVE_OR:
    case SIM_COLLECTIVE_XOR: return type->kind == SIM_TYPE_INT || type->kind == SIM_TYPE_BOOL;
    default: return type->kind == SIM_TYPE_INT;
    }
}

/* Describes what is wrong with the operands from `first` on; NULL if they are correct. */
static const char *wrong_types(const sim_operation *o, const sim_collective_row *row,
                               uint32_t first)
{
    bool folds =
        row->form == SIM_COLLECTIVE_FORM_FOLD || row->form == SIM_COLLECTIVE_FORM_MASK_FOLD;
    uint32_t at = first + folds;
    const sim_type *a = at < o->operand_count ? sim_operand_type(o, at) : NULL;
    const sim_type *b = at + 1 < o->operand_count ? sim_operand_type(o, at + 1) : NULL;
    const sim_type *c = at + 2 < o->operand_count ? sim_operand_type(o, at + 2) : NULL;
    const sim_type *result = o->type;
    switch ((sim_collective_form)row->form) {
    case SIM_COLLECTIVE_FORM_NONE: return is_bool(result) ? NULL : "the result must be a bool";
    case SIM_COLLECTIVE_FORM_PREDICATE:
        if (!is_bool(a)) return "the operand must be a bool";
        if (row->operation == SIM_COLLECTIVE_BALLOT) {
            return is_mask(result) ? NULL : "the result must be a vector of four 32-bit integers";
        }
        return is_bool(result) ? NULL : "the result must be a bool";
    case SIM_COLLECTIVE_FORM_VALUE:
        if (!is_value(a)) return "the operand must be a number, a bool or a vector";
        if (row->operation == SIM_COLLECTIVE_ALL_EQUAL) {
            return is_bool(result) ? NULL : "the result must be a bool";
        }
        return sim_type_same(result, a) ? NULL : "the result must have the operand's type";
    case SIM_COLLECTIVE_FORM_INDEX:
    case SIM_COLLECTIVE_FORM_QUAD:
        if (!is_value(a) || !sim_type_same(result, a)) {
            return "the result must have the type of the value";
        }
        if (b && b->kind == SIM_TYPE_VECTOR && row->is_uniform) b = b->element;
        return is_integer(b) ? NULL : "the index must be an integer";
    case SIM_COLLECTIVE_FORM_TWO:
        if (!is_value(a) || !sim_type_same(result, a) || !sim_type_same(result, b)) {
            return "the result and both values must have the same type";
        }
        return is_integer(c) ? NULL : "the distance must be an integer";
    case SIM_COLLECTIVE_FORM_FOLD:
        if (!a ||
            !takes((sim_collective)row->operation, a->kind == SIM_TYPE_VECTOR ? a->element : a)) {
            return "the operation does not accept the operand's type";
        }
        return sim_type_same(result, a) ? NULL : "the result must have the operand's type";
    case SIM_COLLECTIVE_FORM_MASK:
    case SIM_COLLECTIVE_FORM_MASK_INDEX:
        if (!is_mask(a)) return "the mask must be a vector of four 32-bit integers";
        if (row->form == SIM_COLLECTIVE_FORM_MASK_INDEX && !is_integer(b)) {
            return "the index must be an integer";
        }
        if (row->operation == SIM_COLLECTIVE_BIT_EXTRACT) {
            return is_bool(result) ? NULL : "the result must be a bool";
        }
        return is_integer(result) ? NULL : "the result must be an integer";
    case SIM_COLLECTIVE_FORM_MASK_FOLD:
        if (!is_mask(a)) return "the mask must be a vector of four 32-bit integers";
        return is_integer(result) ? NULL : "the result must be an integer";
    }
    UNREACHABLE();
}

rt_status sim_check_collective(const sim_operation *operation)
{
    const sim_collective_row *row = sim_collective_find(operation->opcode->number);
    const char *wrong = NULL;
    if (row->has_scope) {
        const sim_type *scope = sim_operand_type(operation, 0);
        if (!is_integer(scope) || scope->bits != 32) wrong = "the scope must be a 32-bit integer";
    }
    if (!wrong) wrong = wrong_types(operation, row, row->has_scope ? 1 : 0);
    return wrong ? sim_operation_fail(operation, "%s", wrong) : RT_STATUS_OK;
}
