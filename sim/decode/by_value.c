/* Parameters that are passed by value through a pointer, such as aggregates: every activation of
 * the function gets its own copy, regardless of how the function is called, so a caller does not
 * see the callee's changes. Kernels are left alone: their copies are written at launch (launch.c).
 *
 * Source: SPIR-V specification 1.6, section 3.19 "Function Parameter Attribute", ByVal. */
#include "sim/decode/decode.h"

static bool is_kernel(const sim_ir_function *f)
{
    const sim_module *module = f->module;
    for (uint32_t i = 0; i < module->entry_count; i++) {
        if (&module->functions[module->entries[i].function] == f->function) return true;
    }
    return false;
}

/* True if some function calls f. Translators generate calls of kernels too, contrary to section
 * 2.16. */
static bool is_called(const sim_decoder *d, const sim_ir_function *f)
{
    for (uint32_t m = 0; m < d->module_count; m++) {
        const sim_module *module = d->modules[m];
        for (uint32_t i = 0; i < module->instruction_count; i++) {
            const sim_instruction *instruction = &module->instructions[i];
            if (instruction->opcode->group != SIM_GROUP_CALL) continue;
            const sim_function *callee = sim_module_function(module, instruction->operands[0]);
            if (d->function_of[m][callee - module->functions] == f->index) return true;
        }
    }
    return false;
}

static rt_status copy_parameter(sim_decoder *d, sim_id parameter, const sim_type *type)
{
    sim_leaves *known = &d->leaves[d->f->module_index][parameter];
    sim_ref *own = sim_refs_new(d, 1);
    CHECK(known->refs && known->count == 1);
    RT_TRY(sim_decode_private(d, "OpFunctionParameter", parameter, type, own));
    sim_decode_copy(d, *own, type->alignment_bytes, known->refs[0], type->alignment_bytes,
                    sim_decode_constant(d, type->size_bytes));
    *known = (sim_leaves){own, 1};
    return RT_STATUS_OK;
}

rt_status sim_decode_by_value(sim_decoder *d)
{
    const sim_function *function = d->f->function;
    for (uint64_t i = 0; i < function->type->count; i++) {
        const sim_type *type = function->type->members[i];
        if (type->kind != SIM_TYPE_POINTER || type->element->alignment_bytes == 0) continue;
        if (!sim_module_is_by_value(d->f->module, function->parameters[i])) continue;
        if (is_kernel(d->f) && !is_called(d, d->f)) return RT_STATUS_OK;
        RT_TRY(copy_parameter(d, function->parameters[i], type->element));
    }
    return RT_STATUS_OK;
}
