/* Which decorations are allowed on which targets: a decoration that has no meaning for its target
 * is a mistake in the module.
 *
 * Decorations that are not in the table are allowed everywhere.  Source: SPIR-V specification 1.6,
 * section 3.20 "Decoration"; extension SPV_KHR_no_integer_wrap_decoration. */
#include "sim/module/reader.h"

enum {
    VARIABLE = 1 << 0, /* at module scope or in a function */
    PARAMETER = 1 << 1,
    MEMBER = 1 << 2, /* of a struct type */
    FUNCTION = 1 << 3,
    STRUCT = 1 << 4,
    WRAPPING = 1 << 5, /* the result of an integer operation that can wrap */
    CONSTANT = 1 << 6,
    SPECIAL = 1 << 7, /* a scalar specialisation constant */
    OBJECT = VARIABLE | PARAMETER | MEMBER,
};

typedef struct target_row {
    uint16_t decoration, targets;
    const char *noun;
} target_row;

static const target_row rows[] = {
    {SIM_DecorationConstant, VARIABLE, "a variable"},
    {SIM_DecorationVolatile, OBJECT, "a variable, parameter or member"},
    {SIM_DecorationCoherent, OBJECT, "a variable, parameter or member"},
    {SIM_DecorationRestrict, OBJECT, "a variable, parameter or member"},
    {SIM_DecorationAliased, OBJECT, "a variable, parameter or member"},
    {SIM_DecorationNonWritable, OBJECT, "a variable, parameter or member"},
    {SIM_DecorationNonReadable, OBJECT, "a variable, parameter or member"},
    {SIM_DecorationFuncParamAttr, PARAMETER | FUNCTION, "a parameter or function"},
    {SIM_DecorationLinkageAttributes, VARIABLE | FUNCTION, "a variable or function"},
    {SIM_DecorationBuiltIn, VARIABLE | MEMBER | CONSTANT, "a variable, member or constant"},
    {SIM_DecorationSpecId, SPECIAL, "a scalar specialisation constant"},
    {SIM_DecorationCPacked, STRUCT, "a struct type"},
    {SIM_DecorationNoSignedWrap, WRAPPING, "an integer operation that can wrap"},
    {SIM_DecorationNoUnsignedWrap, WRAPPING, "an integer operation that can wrap"},
    {SIM_DecorationReferencedIndirectlyINTEL, FUNCTION, "a function"},
};

static uint32_t instruction_target(const sim_opcode *opcode)
{
    switch (opcode->number) {
    case SIM_OpVariable: return VARIABLE;
    case SIM_OpIAdd:
    case SIM_OpISub:
    case SIM_OpIMul:
    case SIM_OpSNegate:
    case SIM_OpShiftLeftLogical:
    case SIM_OpExtInst: return WRAPPING;
    default: return 0;
    }
}

/* Classifies the target of a decoration: some of the bits above, or none. */
static uint32_t target_of(const sim_module *module, const sim_decoration *decoration)
{
    const sim_id_entry *entry = sim_module_id(module, decoration->target);
    if (decoration->member != SIM_NONE) return MEMBER;
    switch ((sim_id_kind)entry->kind) {
    case SIM_ID_VARIABLE: return VARIABLE;
    case SIM_ID_PARAMETER: return PARAMETER;
    case SIM_ID_FUNCTION: return FUNCTION;
    case SIM_ID_TYPE: return module->types[entry->index].kind == SIM_TYPE_STRUCT ? STRUCT : 0;
    case SIM_ID_CONSTANT:
        return module->constants[entry->index].spec_id == SIM_NONE ? CONSTANT : CONSTANT | SPECIAL;
    case SIM_ID_RESULT: return instruction_target(module->instructions[entry->index].opcode);
    default: return 0;
    }
}

rt_status sim_check_annotations(sim_reader *reader)
{
    const sim_module *module = reader->module;
    for (uint32_t i = 0; i < module->decoration_count; i++) {
        const sim_decoration *decoration = &module->decorations[i];
        const target_row *row = NULL;
        for (size_t k = 0; k < sizeof rows / sizeof rows[0] && !row; k++) {
            if (rows[k].decoration == decoration->number) row = &rows[k];
        }
        const sim_id_entry *entry = sim_module_id(module, decoration->target);
        bool is_group = entry->kind == SIM_ID_OTHER;
        if (!row || is_group || (row->targets & target_of(module, decoration))) continue;
        return sim_reader_fail(reader, RT_MALFORMED, entry->word,
                               "%s decorates id %u, which is not %s",
                               sim_enumerant_name(SIM_KIND_Decoration, decoration->number),
                               decoration->target, row->noun);
    }
    for (uint32_t i = 0; i < module->entry_count; i++) {
        const sim_function *function = &module->functions[module->entries[i].function];
        if (function->linkage == SIM_LINKAGE_NONE) continue;
        return sim_reader_fail(reader, RT_MALFORMED, sim_module_id(module, function->id)->word,
                               "function %u is an entry point but has linkage", function->id);
    }
    return RT_STATUS_OK;
}
