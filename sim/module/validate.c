/* The checks that need the whole module: constants and initializers, the types of operands
 * (rules.c), and that every use of a value is reached by its definition.
 *
 * After this pass the rest of sim/ CHECKs these facts and refuses only what it does not support.
 * Source: SPIR-V specification 1.6, sections 2.16 "Validation Rules" and 3.42. */
#include "sim/module/rules.h"

/* ---- Module scope -------------------------------------------------------------------------- */

/* True for what a constant may contain: constants that precede it, addresses of functions (which
 * translators write last) and addresses of variables.  Constants therefore form no cycles. */
static bool is_constant_operand(const sim_module *module, const sim_constant *user, sim_id id)
{
    const sim_id_entry *entry = sim_module_id(module, id);
    if (entry->kind == SIM_ID_VARIABLE) {
        return module->variables[entry->index].built_in == SIM_NONE;
    }
    if (entry->kind != SIM_ID_CONSTANT) return false;
    const sim_constant *constant = &module->constants[entry->index];
    return constant < user || constant->kind == SIM_CONSTANT_FUNCTION;
}

static rt_status visit_constant_operand(void *user, const sim_view *view, sim_operand_kind kind,
                                        uint32_t first, uint32_t count)
{
    const sim_operation *operation = user;
    const sim_module *module = operation->reader->module;
    CHECK(count >= 1);
    if (sim_kind_of(kind)->category != SIM_CATEGORY_ID) return RT_STATUS_OK;
    const sim_constant *constant = sim_module_constant(module, view->words[2]);
    if (is_constant_operand(module, constant, view->words[first])) return RT_STATUS_OK;
    return sim_operation_fail(operation, "operand %u is not a constant defined earlier",
                              view->words[first]);
}

/* SaturatedConversion is allowed only on conversions to integers. */
static rt_status check_saturation(sim_reader *reader, uint32_t offset, sim_id id, uint32_t group)
{
    bool to_integer = group == SIM_GROUP_FLOAT_TO_INTEGER || group == SIM_GROUP_INTEGER_TO_INTEGER;
    if (!to_integer &&
        sim_module_decoration(reader->module, id, SIM_NONE, SIM_DecorationSaturatedConversion)) {
        return sim_reader_fail(
            reader, RT_MALFORMED, offset,
            "SaturatedConversion decorates something other than a conversion to an integer");
    }
    return RT_STATUS_OK;
}

bool sim_makes_constant(uint16_t number)
{
    static const uint16_t numbers[] = {
        SIM_OpSConvert,
        SIM_OpUConvert,
        SIM_OpFConvert,
        SIM_OpConvertFToS,
        SIM_OpConvertSToF,
        SIM_OpConvertFToU,
        SIM_OpConvertUToF,
        SIM_OpConvertPtrToU,
        SIM_OpConvertUToPtr,
        SIM_OpGenericCastToPtr,
        SIM_OpPtrCastToGeneric,
        SIM_OpBitcast,
        SIM_OpSNegate,
        SIM_OpNot,
        SIM_OpIAdd,
        SIM_OpISub,
        SIM_OpIMul,
        SIM_OpUDiv,
        SIM_OpSDiv,
        SIM_OpUMod,
        SIM_OpSRem,
        SIM_OpSMod,
        SIM_OpFNegate,
        SIM_OpFAdd,
        SIM_OpFSub,
        SIM_OpFMul,
        SIM_OpFDiv,
        SIM_OpFRem,
        SIM_OpFMod,
        SIM_OpShiftRightLogical,
        SIM_OpShiftRightArithmetic,
        SIM_OpShiftLeftLogical,
        SIM_OpBitwiseOr,
        SIM_OpBitwiseXor,
        SIM_OpBitwiseAnd,
        SIM_OpVectorShuffle,
        SIM_OpCompositeExtract,
        SIM_OpCompositeInsert,
        SIM_OpLogicalOr,
        SIM_OpLogicalAnd,
        SIM_OpLogicalNot,
        SIM_OpLogicalEqual,
        SIM_OpLogicalNotEqual,
        SIM_OpSelect,
        SIM_OpIEqual,
        SIM_OpINotEqual,
        SIM_OpULessThan,
        SIM_OpSLessThan,
        SIM_OpUGreaterThan,
        SIM_OpSGreaterThan,
        SIM_OpULessThanEqual,
        SIM_OpSLessThanEqual,
        SIM_OpUGreaterThanEqual,
        SIM_OpSGreaterThanEqual,
        SIM_OpAccessChain,
        SIM_OpInBoundsAccessChain,
        SIM_OpPtrAccessChain,
        SIM_OpInBoundsPtrAccessChain,
    };
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        if (numbers[i] == number) return true;
    }
    return false;
}

static rt_status check_operation(sim_operation *operation, const sim_constant *constant)
{
    sim_group group = constant->opcode->group;
    CHECK(sim_makes_constant(constant->opcode->number));
    sim_view view = sim_reader_view(operation->reader, operation->offset);
    RT_TRY(sim_walk_operands(operation->reader, &view, 1, visit_constant_operand, operation));
    RT_TRY(check_saturation(operation->reader, operation->offset, constant->id, group));
    operation->group = group;
    return sim_rules_apply(operation);
}

static sim_operation operation_of(sim_reader *reader, const sim_constant *constant)
{
    return (sim_operation){
        .reader = reader,
        .offset = sim_module_id(reader->module, constant->id)->word,
        .opcode = constant->opcode,
        .type = constant->type,
        .operands = constant->operands,
        .operand_count = constant->count,
    };
}

rt_status sim_check_operation(sim_reader *reader, const sim_constant *constant)
{
    sim_operation operation = operation_of(reader, constant);
    return check_operation(&operation, constant);
}

static rt_status check_constant(sim_reader *reader, const sim_constant *constant)
{
    const sim_module *module = reader->module;
    const sim_type *type = constant->type;
    sim_operation operation = operation_of(reader, constant);
    if (constant->opcode) return check_operation(&operation, constant);
    if (constant->kind == SIM_CONSTANT_COMPOSITE) {
        for (uint32_t i = 0; i < constant->count; i++) {
            if (!is_constant_operand(module, constant, constant->operands[i])) {
                return sim_operation_fail(&operation,
                                          "constituent %u is not a constant defined earlier",
                                          constant->operands[i]);
            }
        }
        if (type->kind == SIM_TYPE_VECTOR && constant->count != type->count) {
            return sim_operation_fail(&operation, "a vector of %llu components has %u constituents",
                                      (unsigned long long)type->count, constant->count);
        }
        operation.group = SIM_GROUP_CONSTRUCT;
        return sim_rules_apply(&operation);
    }
    if (constant->kind != SIM_CONSTANT_FUNCTION) return RT_STATUS_OK;
    CHECK(constant->count == 1);
    const sim_id_entry *entry = sim_module_id(module, constant->operands[0]);
    if (entry->kind != SIM_ID_FUNCTION) {
        return sim_operation_fail(&operation, "id %u is not a function", constant->operands[0]);
    }
    bool is_of_function = type->kind == SIM_TYPE_POINTER &&
                          type->element->kind == SIM_TYPE_FUNCTION &&
                          sim_type_equal(type->element, module->functions[entry->index].type);
    return sim_operation_require(&operation, is_of_function,
                                 "type %u does not point to the type of function %u", type->id,
                                 constant->operands[0]);
}

static rt_status check_variable(sim_reader *reader, const sim_variable *variable)
{
    const sim_module *module = reader->module;
    if (variable->initializer == 0) return RT_STATUS_OK;
    uint32_t word = sim_module_id(module, variable->id)->word;
    const sim_id_entry *value = sim_module_id(module, variable->initializer);
    bool is_constant = value->kind == SIM_ID_CONSTANT || value->kind == SIM_ID_VARIABLE;
    if (!is_constant || !sim_type_same(value->type, variable->type->element) ||
        value->type->storage_class == SIM_StorageClassInput) {
        return sim_reader_fail(reader, RT_MALFORMED, word,
                               "the initializer %u is not a constant of type %u",
                               variable->initializer, variable->type->element->id);
    }
    if (variable->linkage == SIM_LINKAGE_IMPORT || variable->built_in != SIM_NONE) {
        return sim_reader_fail(reader, RT_MALFORMED, word,
                               "variable %u is not defined in this module but has an initializer",
                               variable->id);
    }
    return RT_STATUS_OK;
}

/* ---- Uses of values ------------------------------------------------------------------------ */

/* The instruction whose operands are being visited. */
typedef struct sim_use {
    sim_reader *reader;
    const sim_instruction *instruction;
    const sim_block *block;
} sim_use;

/* True if the value of a result is available at the end of a block; unreachable blocks never run,
 * so every value counts as available there. */
static bool reaches_end(const sim_module *module, const sim_instruction *definition,
                        const sim_block *block)
{
    const sim_block *origin = &module->blocks[definition->block];
    if (block->order == SIM_NONE) return true;
    return origin->order != SIM_NONE && sim_block_dominates(origin, block);
}

/* A scope must be an enumerant; semantics specify at most one order. */
static rt_status check_order(const sim_use *use, const sim_view *view, sim_operand_kind kind,
                             sim_id id)
{
    const sim_module *module = use->reader->module;
    const sim_id_entry *entry = sim_module_id(module, id);
    uint8_t form =
        entry->kind == SIM_ID_CONSTANT ? module->constants[entry->index].kind : UINT8_MAX;
    if (form != SIM_CONSTANT_BITS && form != SIM_CONSTANT_NULL) {
        return sim_reader_fail(use->reader, RT_UNSUPPORTED, view->offset,
                               "%s %u is not a plain constant", sim_kind_of(kind)->name, id);
    }
    CHECK(entry->type);
    if (entry->type->kind != SIM_TYPE_INT) return RT_STATUS_OK; /* rejected by rules.c */
    uint64_t value = module->constants[entry->index].bits;
    if (kind == SIM_KIND_IdScope) {
        if (value <= UINT32_MAX && sim_enumerant_find(SIM_KIND_Scope, (uint32_t)value)) {
            return RT_STATUS_OK;
        }
        return sim_reader_fail(use->reader, RT_MALFORMED, view->offset, "%llu is not a scope",
                               (unsigned long long)value);
    }
    uint64_t orders =
        value & (SIM_MemorySemanticsAcquire | SIM_MemorySemanticsRelease |
                 SIM_MemorySemanticsAcquireRelease | SIM_MemorySemanticsSequentiallyConsistent);
    for (uint64_t rest = value & UINT32_MAX; rest; rest &= rest - 1) {
        RT_TRY(sim_needs_enumerant(use->reader, view, SIM_KIND_MemorySemantics,
                                   (uint32_t)(rest & -rest)));
    }
    if ((orders & (orders - 1)) == 0) return RT_STATUS_OK;
    return sim_reader_fail(use->reader, RT_MALFORMED, view->offset,
                           "memory semantics 0x%llx specify several orders",
                           (unsigned long long)value);
}

static rt_status visit_use(void *user, const sim_view *view, sim_operand_kind kind, uint32_t first,
                           uint32_t count)
{
    const sim_use *use = user;
    CHECK(count >= 1 && first + count <= view->count);
    if (kind == SIM_KIND_MemoryAccess && (view->words[first] & SIM_MemoryAccessAligned)) {
        uint32_t alignment = view->words[first + 1]; /* the operand of bit Aligned comes first */
        if (alignment != 0 && (alignment & (alignment - 1)) == 0) return RT_STATUS_OK;
        return sim_reader_fail(use->reader, RT_MALFORMED, view->offset,
                               "the alignment %u is not a power of two", alignment);
    }
    if (sim_kind_of(kind)->category != SIM_CATEGORY_ID) return RT_STATUS_OK;
    if (sim_is_extended_literal(use->reader, view, first)) return RT_STATUS_OK;
    const sim_module *module = use->reader->module;
    sim_id id = view->words[first];
    CHECK(id != 0 && id < module->id_bound);
    const sim_id_entry *entry = sim_module_id(module, id);
    sim_group group = view->opcode->group;
    /* Built-in variables are not in memory: they may only be loaded, directly or through an access
     * chain. */
    bool is_input = entry->type && entry->type->kind == SIM_TYPE_POINTER &&
                    entry->type->storage_class == SIM_StorageClassInput;
    if (is_input && group != SIM_GROUP_LOAD && group != SIM_GROUP_ACCESS_CHAIN) {
        return sim_reader_fail(use->reader, RT_UNSUPPORTED, view->offset,
                               "id %u points to a built-in variable, which can only be loaded", id);
    }
    if (kind == SIM_KIND_IdScope || kind == SIM_KIND_IdMemorySemantics) {
        RT_TRY(check_order(use, view, kind, id));
    }
    bool is_local = entry->kind == SIM_ID_PARAMETER || entry->kind == SIM_ID_RESULT ||
                    entry->kind == SIM_ID_LABEL;
    if (is_local && entry->owner != use->block->function) {
        return sim_reader_fail(use->reader, RT_MALFORMED, view->offset,
                               "id %u belongs to another function", id);
    }
    /* The definition must reach this use; phis use their operands in other blocks (check_phi). */
    if (entry->kind != SIM_ID_RESULT || group == SIM_GROUP_PHI) return RT_STATUS_OK;
    const sim_instruction *definition = &module->instructions[entry->index];
    bool reaches = definition->block == use->instruction->block
                       ? definition < use->instruction
                       : reaches_end(module, definition, use->block);
    if (reaches) return RT_STATUS_OK;
    return sim_reader_fail(use->reader, RT_MALFORMED, view->offset,
                           "the value %u, defined at word %u, does not reach this use", id,
                           entry->word);
}

/* ---- Phis ---------------------------------------------------------------------------------- */

static bool is_predecessor(const sim_block *block, uint32_t index)
{
    uint32_t low = 0, high = block->predecessor_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (block->predecessors[middle] == index) return true;
        if (block->predecessors[middle] < index) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return false;
}

/* Every predecessor provides one value, which has the phi's type and is available at the end of the
 * predecessor.  A block with two edges to this one, as switches may have, may be listed twice with
 * the same value. `values` has an entry per block of the module, all 0 before and after. */
static rt_status check_phi(const sim_use *use, sim_id *values)
{
    const sim_module *module = use->reader->module;
    const sim_instruction *phi = use->instruction;
    uint32_t offset = (uint32_t)(phi->words - module->words), distinct = 0;
    for (uint32_t i = 0; i + 1 < phi->operand_count; i += 2) {
        sim_id value = phi->operands[i], parent = phi->operands[i + 1];
        const sim_id_entry *label = sim_module_id(module, parent);
        const sim_id_entry *entry = sim_module_id(module, value);
        if (label->kind != SIM_ID_LABEL || !is_predecessor(use->block, label->index)) {
            return sim_reader_fail(use->reader, RT_MALFORMED, offset,
                                   "id %u is not a predecessor of this block", parent);
        }
        if (!entry->type || !sim_type_same(entry->type, phi->type)) {
            return sim_reader_fail(use->reader, RT_MALFORMED, offset,
                                   "id %u is not a value of the phi's type", value);
        }
        if (entry->kind == SIM_ID_RESULT &&
            !reaches_end(module, &module->instructions[entry->index],
                         &module->blocks[label->index])) {
            return sim_reader_fail(use->reader, RT_MALFORMED, offset,
                                   "the value %u does not reach the end of block %u", value,
                                   parent);
        }
        sim_id *known = &values[label->index];
        if (*known != 0 && *known != value) {
            return sim_reader_fail(use->reader, RT_MALFORMED, offset,
                                   "the phi has two values for block %u: %u and %u", parent, *known,
                                   value);
        }
        if (*known == 0) distinct++;
        *known = value;
    }
    CHECK(distinct <= use->block->predecessor_count);
    for (uint32_t i = 1; i < phi->operand_count; i += 2)
        values[sim_module_id(module, phi->operands[i])->index] = 0;
    if (distinct == use->block->predecessor_count) return RT_STATUS_OK;
    return sim_reader_fail(use->reader, RT_MALFORMED, offset,
                           "the phi has a value for only %u of the block's %u predecessors",
                           distinct, use->block->predecessor_count);
}

/* ---- Decorations of results ---------------------------------------------------------------- */

/* Refuses decorations that would change the value of a result, except on conversions, which honour
 * them (decode/convert.c); other operations on floats always round to nearest even. */
static rt_status check_decorations(const sim_use *use, uint32_t offset)
{
    const sim_instruction *instruction = use->instruction;
    const sim_module *module = use->reader->module;
    if (module->ids[instruction->id].decoration_count == 0) return RT_STATUS_OK;
    uint8_t group = instruction->opcode->group;
    RT_TRY(check_saturation(use->reader, offset, instruction->id, group));
    const sim_decoration *rounding =
        sim_module_decoration(module, instruction->id, SIM_NONE, SIM_DecorationFPRoundingMode);
    bool is_conversion = group == SIM_GROUP_FLOAT_TO_INTEGER ||
                         group == SIM_GROUP_INTEGER_TO_FLOAT ||
                         group == SIM_GROUP_INTEGER_TO_INTEGER || group == SIM_GROUP_FLOAT_TO_FLOAT;
    if (rounding && !is_conversion && rounding->operands[0] != SIM_FPRoundingModeRTE) {
        return sim_reader_fail(use->reader, RT_UNSUPPORTED, offset,
                               "rounding mode %s is refused: only conversions have one",
                               sim_enumerant_name(SIM_KIND_FPRoundingMode, rounding->operands[0]));
    }
    return RT_STATUS_OK;
}

/* ---- Functions ----------------------------------------------------------------------------- */

static rt_status check_instruction(sim_reader *reader, const sim_instruction *instruction,
                                   sim_id *values)
{
    const sim_module *module = reader->module;
    uint32_t offset = (uint32_t)(instruction->words - module->words), literal_words = 1;
    sim_use use = {reader, instruction, &module->blocks[instruction->block]};
    sim_view view = sim_reader_view(reader, offset);
    RT_TRY(sim_reader_literal_words(reader, &view, &literal_words));
    RT_TRY(sim_walk_operands(reader, &view, literal_words, visit_use, &use));
    sim_operation operation = {
        .reader = reader,
        .function = &module->functions[use.block->function],
        .offset = offset,
        .opcode = instruction->opcode,
        .group = instruction->opcode->group,
        .type = instruction->type,
        .operands = instruction->operands,
        .operand_count = instruction->operand_count,
    };
    RT_TRY(sim_rules_apply(&operation));
    if (instruction->id) RT_TRY(check_decorations(&use, offset));
    return operation.group == SIM_GROUP_PHI ? check_phi(&use, values) : RT_STATUS_OK;
}

rt_status sim_validate(sim_reader *reader)
{
    sim_module *module = reader->module;
    RT_TRY(sim_check_annotations(reader));
    for (uint32_t i = 0; i < module->constant_count; i++) {
        RT_TRY(check_constant(reader, &module->constants[i]));
    }
    for (uint32_t i = 0; i < module->variable_count; i++) {
        RT_TRY(check_variable(reader, &module->variables[i]));
    }
    sim_id *values = rt_arena_alloc_array(&module->arena, module->block_count, sizeof *values);
    for (uint32_t i = 0; i < module->instruction_count; i++) {
        RT_TRY(check_instruction(reader, &module->instructions[i], values));
    }
    return RT_STATUS_OK;
}
