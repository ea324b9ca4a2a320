/* Addresses of functions, and the types against which calls through them are checked.
 *
 * A function gets one address per world, as a variable does: pool slots and initial values that
 * contain it are written when an instance of the program is created (instance.c). Types that
 * sim_type_equal considers equal are one signature, regardless of the modules that they come from.
 * Source: SPV_INTEL_function_pointers. */
#include "sim/decode/decode.h"

uint32_t sim_decode_addressed(sim_decoder *d, uint32_t module_index, const sim_constant *constant)
{
    CHECK(constant->kind == SIM_CONSTANT_FUNCTION);
    const sim_module *module = d->modules[module_index];
    const sim_function *function = sim_module_function(module, constant->operands[0]);
    uint32_t index = d->function_of[module_index][function - module->functions];
    CHECK(index < d->function_count);
    d->functions[index].is_addressed = true;
    return index;
}

sim_ref sim_decode_function_address(sim_decoder *d, uint32_t function)
{
    sim_ir_function *f = &d->functions[function];
    CHECK(f->is_addressed);
    if (f->address_slot == 0) {
        f->address_slot = d->pool.count;
        *rt_vector_push(&d->pool) = 0; /* the world fills in the address */
        *rt_vector_push(&d->relocations) = (sim_relocation){
            .global = SIM_NONE, .offset = f->address_slot, .target = function, .is_function = true};
    }
    CHECK(f->address_slot >= SIM_POOL_SLOTS);
    return SIM_REF_POOL | f->address_slot;
}

uint32_t sim_decode_signature(sim_decoder *d, const sim_type *type)
{
    CHECK(type->kind == SIM_TYPE_FUNCTION);
    uint32_t i = 0;
    while (i < d->signatures.count && !sim_type_equal(d->signatures.items[i], type))
        i++;
    if (i == d->signatures.count) *rt_vector_push(&d->signatures) = type;
    return i;
}

rt_status sim_decode_pointers_keep(sim_decoder *d)
{
    sim_program *program = d->program;
    for (uint32_t i = 0; i < program->kernel_count; i++) {
        const sim_kernel *kernel = &program->kernels[i];
        if (!d->functions[kernel->function].is_addressed) continue;
        return rt_fail(d->sink, RT_UNSUPPORTED, RT_RULE_NONE,
                       "the address of kernel '%.*s' is taken, but kernels cannot be called",
                       RT_TEXT_ARG(kernel->name));
    }
    for (uint32_t i = 0; i < d->function_count; i++) {
        const sim_ir_function *f = &d->functions[i];
        CHECK_IMPLIES(f->address_slot != 0, f->is_addressed);
        program->functions[i].signature =
            f->is_addressed ? sim_decode_signature(d, f->function->type) : SIM_NONE;
        if (f->is_addressed && sim_linkage_is_exported(f->function->linkage))
            rt_map_set(&program->function_names,
                       rt_arena_text(&program->arena, f->function->link_name), i);
    }
    program->signature_count = d->signatures.count;
    program->signatures =
        rt_arena_alloc_array(&program->arena, d->signatures.count, sizeof *program->signatures);
    for (uint32_t i = 0; i < d->signatures.count; i++) {
        const sim_type *result = d->signatures.items[i]->element;
        uint32_t count = sim_type_leaves(result);
        sim_lane_type *lanes = rt_arena_alloc_array(&d->arena, count, sizeof *lanes);
        uint8_t *bytes = rt_arena_alloc_array(&program->arena, count, 1);
        CHECK(sim_type_lanes(result, lanes) == lanes + count);
        for (uint32_t k = 0; k < count; k++)
            bytes[k] = (uint8_t)sim_lane_bytes(lanes[k]);
        program->signatures[i] = (sim_signature){bytes, count};
    }
    return RT_STATUS_OK;
}
