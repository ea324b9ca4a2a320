/* Walks the tables of a validated module and checks every invariant of module.h that concerns
 * indices.  The meaning of instructions was checked earlier (validate.c). */
#include "sim/module/module.h"

/* Checks that an id's entry is in range and that the object it refers to has that id; returns true,
 * or panics. */
static bool id_is_sound(const sim_module *module, sim_id id)
{
    const sim_id_entry *entry = &module->ids[id];
    CHECK(entry->kind <= SIM_ID_OTHER);
    CHECK(entry->word < module->word_count || entry->kind == SIM_ID_NONE);
    CHECK(entry->decoration_count <= module->decoration_count);
    CHECK(entry->decoration_first <= module->decoration_count - entry->decoration_count);
    switch ((sim_id_kind)entry->kind) {
    case SIM_ID_TYPE: CHECK(entry->index < module->type_count); break;
    case SIM_ID_CONSTANT:
        CHECK(entry->index < module->constant_count);
        CHECK(module->constants[entry->index].id == id);
        CHECK(module->constants[entry->index].type == entry->type);
        break;
    case SIM_ID_VARIABLE:
        CHECK(entry->index < module->variable_count);
        CHECK(module->variables[entry->index].id == id);
        break;
    case SIM_ID_FUNCTION:
        CHECK(entry->index < module->function_count);
        CHECK(module->functions[entry->index].id == id);
        break;
    case SIM_ID_PARAMETER:
        CHECK(entry->owner < module->function_count);
        CHECK(entry->index < module->functions[entry->owner].type->count);
        CHECK(module->functions[entry->owner].parameters[entry->index] == id);
        break;
    case SIM_ID_LABEL:
        CHECK(entry->index < module->block_count);
        CHECK(module->blocks[entry->index].label == id);
        CHECK(module->blocks[entry->index].function == entry->owner);
        break;
    case SIM_ID_RESULT:
        CHECK(entry->index < module->instruction_count);
        CHECK(module->instructions[entry->index].id == id);
        break;
    default: break;
    }
    return true;
}

/* Checks that a block's instructions belong to it, and that each edge is listed by both its source
 * and its target; returns true, or panics. */
static bool block_is_sound(const sim_module *module, uint32_t index)
{
    const sim_block *block = &module->blocks[index];
    const sim_function *function = &module->functions[block->function];
    CHECK(block->count >= 1 && block->first <= module->instruction_count - block->count);
    CHECK(index - function->block_first < function->block_count);
    for (uint32_t i = 0; i < block->count; i++)
        CHECK(module->instructions[block->first + i].block == index);
    for (uint32_t i = 0; i < block->successor_count; i++) {
        const sim_block *next = &module->blocks[block->successors[i]];
        bool is_known = false;
        for (uint32_t k = 0; k < next->predecessor_count; k++)
            is_known |= next->predecessors[k] == index;
        CHECK(next->function == block->function && is_known);
    }
    for (uint32_t k = 1; k < block->predecessor_count; k++)
        CHECK(block->predecessors[k - 1] < block->predecessors[k]);
    if (block->order == SIM_NONE) return true;
    CHECK(function->order[block->order] == index);
    CHECK(sim_block_dominates(&module->blocks[block->dominator], block));
    CHECK((block->loop == SIM_NONE) == (block->loop_depth == 0));
    CHECK_IMPLIES(block->loop != SIM_NONE,
                  sim_block_dominates(&module->blocks[block->loop], block));
    return true;
}

bool sim_module_check(const sim_module *module)
{
    CHECK(module->id_bound >= 1);
    for (sim_id id = 1; id < module->id_bound; id++)
        CHECK(id_is_sound(module, id));
    for (uint32_t i = 0; i < module->type_count; i++)
        CHECK(module->types[i].index == i && module->types[i].depth <= SIM_TYPE_DEPTH_MAX);
    for (uint32_t i = 1; i < module->decoration_count; i++)
        CHECK(module->decorations[i - 1].target <= module->decorations[i].target);
    uint32_t block_first = 0;
    for (uint32_t i = 0; i < module->function_count; i++) {
        const sim_function *function = &module->functions[i];
        CHECK((function->block_count == 0) == (function->linkage == SIM_LINKAGE_IMPORT));
        if (function->block_count == 0) continue;
        CHECK(function->block_first == block_first);
        CHECK(function->order_count >= 1 && function->order_count <= function->block_count);
        CHECK(function->order[0] == function->block_first);
        block_first += function->block_count;
    }
    CHECK(block_first == module->block_count);
    for (uint32_t i = 0; i < module->block_count; i++)
        CHECK(block_is_sound(module, i));
    for (uint32_t i = 0; i < module->entry_count; i++)
        CHECK(module->entries[i].function < module->function_count);
    return true;
}
