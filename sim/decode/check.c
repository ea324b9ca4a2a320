/* Whole-program check of register code: the rules that code.h guarantees to the engine. */
#include "sim/decode/program.h"

#include <string.h>

/* True if the place lies within its space or is SIM_REGISTER_NONE. */
static bool place_is_sound(const sim_program *program, const sim_code_function *function,
                           sim_register place)
{
    const uint64_t sizes[SIM_SPACE_COUNT] = {
        [SIM_SPACE_FRAME] = function->frame_bytes,
        [SIM_SPACE_WAVE] = function->temporary_bytes,
        [SIM_SPACE_UNIFORM] = function->uniform_bytes,
        [SIM_SPACE_POOL] = (uint64_t)program->pool_slot_count * sizeof *program->pool_slots,
    };
    if (place == SIM_REGISTER_NONE) return true;
    uint32_t space = place >> SIM_REGISTER_SHIFT, offset = place & SIM_REGISTER_MASK;
    CHECK(offset < sizes[space]);
    CHECK_IMPLIES(space == SIM_SPACE_POOL, offset % sizeof *program->pool_slots == 0);
    CHECK_IMPLIES(space == SIM_SPACE_FRAME, offset % SIM_ROW_BYTES(1) == 0);
    return true;
}

static bool op_is_sound(const sim_program *program, const sim_code_function *function,
                        const sim_op *op)
{
    CHECK(op->handler < SIM_HANDLER_COUNT && op->site < program->site_count);
    CHECK(place_is_sound(program, function, op->target));
    CHECK(op->target == SIM_REGISTER_NONE || op->target >> SIM_REGISTER_SHIFT != SIM_SPACE_POOL);
    CHECK_IMPLIES(op->blend, op->target >> SIM_REGISTER_SHIFT == SIM_SPACE_FRAME);
    if (op->handler >= SIM_H_LOAD_ONE_8 && op->handler <= SIM_H_STORE_EACH_64) {
        CHECK(place_is_sound(program, function, op->a) && op->a != SIM_REGISTER_NONE);
        CHECK(place_is_sound(program, function, op->b));
        CHECK(op->c != 0 && (op->c & (op->c - 1)) == 0); /* an alignment */
        CHECK(op->count >= 1 && op->count <= 16);
        for (uint32_t i = 0; i < op->count; i++)
            CHECK(place_is_sound(program, function, function->places[op->extra + i]));
    } else if (op->handler < SIM_H_LOAD_ONE_8) {
        CHECK(op->target != SIM_REGISTER_NONE && op->a != SIM_REGISTER_NONE);
        CHECK(place_is_sound(program, function, op->a));
        CHECK(place_is_sound(program, function, op->b));
        CHECK(place_is_sound(program, function, op->c));
    }
    return true;
}

/* True for the emitter's spare registers, which break cycles of moves. */
static bool is_spare(sim_register place)
{
    return place == sim_register_of(SIM_SPACE_WAVE, SIM_SPREAD_FIRST) ||
           place == sim_register_of(SIM_SPACE_UNIFORM, 0);
}

/* True if executing the moves in sequence has the same effect as in parallel: no move reads what an
 * earlier move has written. */
static bool moves_are_ordered(const sim_code_function *function, const sim_edge *edge)
{
    const sim_op *moves = function->ops + edge->move_first;
    for (uint32_t i = 0; i < edge->move_count; i++) {
        CHECK(moves[i].handler >= SIM_H_MOVE_I8_VV && moves[i].handler <= SIM_H_MOVE_I64_SS);
        for (uint32_t k = 0; k < i; k++) {
            CHECK(moves[i].a != moves[k].target || is_spare(moves[i].a));
            CHECK(moves[i].target != moves[k].target || is_spare(moves[i].target));
        }
    }
    return true;
}

static bool block_is_sound(const sim_program *program, const sim_code_function *function,
                           uint32_t index)
{
    const sim_code_block *block = &function->blocks[index];
    CHECK(block->site < program->site_count && block->end <= SIM_END_UNREACHABLE);
    for (uint32_t i = 0; i < block->op_count; i++)
        CHECK(op_is_sound(program, function, &function->ops[block->op_first + i]));
    uint32_t edges = block->end == SIM_END_JUMP ? 1 : block->end == SIM_END_BRANCH ? 2 : 0;
    CHECK(block->end == SIM_END_SWITCH ? block->edge_count >= 1 : block->edge_count == edges);
    for (uint32_t i = 0; i < block->edge_count; i++) {
        const sim_edge *edge = &function->edges[block->edge_first + i];
        CHECK(edge->target < function->block_count);
        CHECK(edge->is_back == (edge->target <= index));
        CHECK(moves_are_ordered(function, edge));
        for (uint32_t k = 0; k < edge->move_count; k++)
            CHECK(op_is_sound(program, function, &function->ops[edge->move_first + k]));
    }
    CHECK_IMPLIES(sim_end_falls_through((sim_end)block->end), index + 1 < function->block_count);
    if (block->end != SIM_END_CALL && block->end != SIM_END_CALL_POINTER) return true;
    const sim_call *call = &function->calls[block->extra];
    if (block->end == SIM_END_CALL_POINTER) {
        CHECK(call->function < program->signature_count);
        CHECK_IMPLIES(call->result_count,
                      call->result_count == program->signatures[call->function].result_count);
        return true;
    }
    CHECK(call->function < program->function_count);
    const sim_code_function *callee = &program->functions[call->function];
    CHECK(call->argument_count == callee->parameter_count);
    CHECK(call->result_count == 0 || call->result_count == callee->result_count);
    return true;
}

static bool function_is_sound(const sim_program *program, const sim_code_function *function)
{
    CHECK(function->block_count >= 1 && function->module < program->module_count);
    CHECK(function->signature == SIM_NONE || function->signature < program->signature_count);
    CHECK(function->temporary_bytes >= SIM_TEMPORARIES_FIRST);
    CHECK(function->temporary_bytes <= program->temporary_bytes);
    CHECK(function->uniform_bytes >= 8 && function->private_bytes % 64 == 0);
    for (uint32_t i = 0; i < function->variable_count; i++) {
        const sim_private_variable *variable = &function->variables[i];
        CHECK(variable->offset % 8 == 0 && variable->size <= function->private_bytes);
        CHECK(variable->offset <= function->private_bytes - variable->size);
    }
    for (uint32_t i = 0; i < function->parameter_count; i++)
        CHECK(place_is_sound(program, function, function->parameters[i].place));
    for (uint32_t i = 0; i < function->block_count; i++)
        CHECK(block_is_sound(program, function, i));
    return true;
}

static bool kernel_is_sound(const sim_program *program, const sim_kernel *kernel)
{
    CHECK(kernel->program == program && kernel->function < program->function_count);
    CHECK(kernel->subgroup_size == 8 || kernel->subgroup_size == 16 || kernel->subgroup_size == 32);
    const sim_code_function *function = &program->functions[kernel->function];
    CHECK(kernel->leaf_first[kernel->parameter_count] == function->parameter_count);
    for (uint32_t i = 0; i < kernel->parameter_count; i++) {
        CHECK(kernel->leaf_first[i] <= kernel->leaf_first[i + 1]);
        CHECK(kernel->variable[i] == SIM_NONE || kernel->variable[i] < function->variable_count);
    }
    return true;
}

bool sim_program_check(const sim_program *program)
{
    CHECK(program->pool_slot_count >= SIM_POOL_SLOTS);
    for (uint32_t i = 0; i < program->function_count; i++)
        CHECK(function_is_sound(program, &program->functions[i]));
    for (uint32_t i = 0; i < program->kernel_count; i++)
        CHECK(kernel_is_sound(program, &program->kernels[i]));
    for (uint32_t i = 0; i < program->global_count; i++) {
        const sim_global *global = &program->globals[i];
        _Static_assert(SIM_NONE >= SIM_POOL_SLOTS, "SIM_NONE is not a launch value");
        CHECK(global->slot >= SIM_POOL_SLOTS);
        CHECK(global->slot == SIM_NONE || global->slot < program->pool_slot_count);
    }
    for (uint32_t i = 0; i < program->relocation_count; i++) {
        const sim_relocation *relocation = &program->relocations[i];
        bool in_pool = relocation->global == SIM_NONE;
        uint32_t targets =
            relocation->is_function ? program->function_count : program->global_count;
        CHECK(relocation->target < targets);
        CHECK(in_pool || relocation->global < program->global_count);
        uint64_t room =
            in_pool ? program->pool_slot_count : program->globals[relocation->global].size;
        CHECK(relocation->offset < room);
        CHECK(in_pool || room - relocation->offset >= 8);
    }
    return true;
}
