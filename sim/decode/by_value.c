/* Parameters that are passed by value through a pointer, such as aggregates: every activation of
 * the function gets its own copy, regardless of how the function is called, so a caller does not
 * see the callee's changes. Kernels are left out: their copies are written at launch (launch.c).
 *
 * Source: SPIR-V specification 1.6, section 3.19 "Function Parameter Attribute", ByVal. */
#include "sim/decode/decode.h"

/* A kernel may have callers: contrary to section 2.16, translators generate calls to kernels. */
static bool is_uncalled_kernel(const sim_decoder *d, const sim_ir_function *f)
{
    if (!sim_module_is_entry(f->module, f->function)) return false;
    for (uint32_t m = 0; m < d->module_count; m++) {
        const sim_module *module = d->modules[m];
        for (uint32_t i = 0; i < module->instruction_count; i++) {
            const sim_instruction *instruction = &module->instructions[i];
            if (instruction->opcode->group != SIM_GROUP_CALL) continue;
            const sim_function *callee = sim_module_function(module, instruction->operands[0]);
            if (d->function_of[m][callee - module->functions] == f->index) return false;
        }
    }
    return true;
}

rt_status sim_decode_by_value(sim_decoder *d)
{
    const sim_function *function = d->f->function;
    for (uint64_t i = 0; i < function->type->count; i++) {
        const sim_type *type = function->type->members[i], *value = type->element;
        sim_id parameter = function->parameters[i];
        if (type->kind != SIM_TYPE_POINTER || value->alignment_bytes == 0) continue;
        if (!sim_module_is_by_value(d->f->module, parameter)) continue;
        if (is_uncalled_kernel(d, d->f)) return RT_STATUS_OK;
        sim_leaves *known = &d->leaves[d->f->module_index][parameter];
        CHECK(known->count == 1);
        sim_ref copy;
        RT_TRY(sim_decode_private(d, "OpFunctionParameter", parameter, value, &copy));
        sim_decode_copy(d, copy, value->alignment_bytes, known->refs[0], value->alignment_bytes,
                        sim_decode_constant(d, value->size_bytes));
        *known = sim_leaves_single(d, copy);
    }
    return RT_STATUS_OK;
}
