/* Feeds bytes to the reader of SPIR-V modules and links what it accepts.  Neither may crash, and an
 * accepted module must be consistent enough to be walked.  Build with clang and -DASSAY_FUZZ=ON;
 * run with a folder of modules as the corpus. */
#include "sim/module/linker.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Reads everything that module.h promises to the engine. */
static void walk(const sim_module *module)
{
    for (uint32_t i = 0; i < module->block_count; i++) {
        const sim_block *block = &module->blocks[i];
        const sim_function *function = &module->functions[block->function];
        CHECK(i - function->block_first < function->block_count);
        CHECK(block->count >= 1 && block->first + block->count <= module->instruction_count);
        CHECK(block->order == SIM_NONE || function->order[block->order] == i);
        CHECK((block->order == SIM_NONE) == (block->dominator == SIM_NONE));
        CHECK_IMPLIES(block->loop != SIM_NONE, module->blocks[block->loop].order <= block->order);
    }
    for (uint32_t i = 0; i < module->instruction_count; i++) {
        const sim_instruction *instruction = &module->instructions[i];
        CHECK(instruction->opcode->treatment == SIM_TREATMENT_EXEC);
        CHECK(instruction->block < module->block_count);
        sim_module_string(module, instruction->source);
        if (instruction->id) CHECK(sim_module_result(module, instruction->id) == instruction);
    }
    for (sim_id id = 1; id < module->id_bound; id++) {
        sim_module_name(module, id);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    rt_sink *sink = rt_sink_create();
    sim_module *module = NULL;
    static const uint8_t value[8] = {3};
    static const sim_spec_constant constants[] = {
        {0, {value, 4}}, {1, {value, 1}}, {2, {value, 8}}, {3, {value, 2}}};
    rt_status status = sim_module_create(sink, (rt_bytes){data, size}, constants, 4, &module);
    if (rt_ok(status)) {
        walk(module);
        const sim_module *modules[] = {module, module};
        sim_linkage linkage;
        for (uint32_t count = 1; count <= 2; count++) {
            status = sim_linkage_create(sink, modules, count, &linkage);
            if (rt_ok(status)) sim_linkage_free(&linkage);
        }
        sim_module_destroy(module);
    }
    rt_sink_destroy(sink);
    return 0;
}
