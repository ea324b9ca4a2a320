/* Functions, their blocks and instructions, and the entry points that refer to them.
 *
 * Operands are checked later (validate.c).  Source: SPIR-V specification 1.6, sections 2.4, 3.42.9
 * "Function Instructions", 3.42.17 "Control-Flow Instructions", 3.6 "Execution Mode". */
#include "sim/module/reader.h"

#include "reference/base/map.h"
#include "sim/module/support.h"

enum { ENTRIES_MAX = 4096 };

/* The state of the pass over the functions. */
typedef struct sim_body {
    sim_reader *reader;
    sim_module *module;
    sim_function *function; /* being read; NULL between functions */
    sim_block *block;       /* being read; NULL between blocks */
    sim_id *parameters;     /* the next free entry in the array of all functions' parameters */
    uint32_t parameter;     /* parameters of this function read so far */
    bool has_definitions;   /* a function with a body has been read */
    sim_id source;          /* of the last OpLine still in effect */
    uint32_t line, column;
} sim_body;

static rt_status begin_function(sim_body *body, const sim_view *view)
{
    sim_reader *reader = body->reader;
    sim_module *module = body->module;
    sim_function *function = &module->functions[module->function_count];
    function->id = view->words[2];
    sim_id_entry *entry = &module->ids[function->id];
    CHECK(entry->kind == SIM_ID_FUNCTION);
    entry->index = module->function_count++;
    RT_TRY(sim_read_type_operand(reader, view, view->words[4], &function->type));
    const sim_type *result = NULL;
    RT_TRY(sim_read_type_operand(reader, view, view->words[1], &result));
    if (function->type->kind != SIM_TYPE_FUNCTION || function->type->element != result) {
        return sim_reader_fail(reader, RT_MALFORMED, view->offset,
                               "type %u is not a function type that returns %u", view->words[4],
                               view->words[1]);
    }
    RT_TRY(sim_read_linkage(reader, view, function->id, &function->linkage, &function->link_name));
    function->name = sim_module_name(module, function->id);
    if (function->name.length == 0) function->name = function->link_name;
    function->block_first = module->block_count;
    function->parameters = body->parameters;
    body->function = function;
    body->parameter = 0;
    return RT_STATUS_OK;
}

static rt_status read_parameter(sim_body *body, const sim_view *view)
{
    const sim_function *function = body->function;
    const sim_type *type = NULL;
    CHECK(function && !body->block);
    RT_TRY(sim_read_type_operand(body->reader, view, view->words[1], &type));
    if (body->parameter >= function->type->count ||
        !sim_type_same(type, function->type->members[body->parameter])) {
        return sim_reader_fail(body->reader, RT_MALFORMED, view->offset,
                               "parameter %u does not match the type %u of function %u",
                               view->words[2], function->type->id, function->id);
    }
    sim_id_entry *entry = &body->module->ids[view->words[2]];
    CHECK(entry->kind == SIM_ID_PARAMETER);
    entry->index = body->parameter++;
    entry->owner = (uint32_t)(function - body->module->functions);
    entry->type = type;
    *body->parameters++ = view->words[2];
    return RT_STATUS_OK;
}

static rt_status end_function(sim_body *body, const sim_view *view)
{
    sim_function *function = body->function;
    CHECK(function && !body->block);
    function->block_count = body->module->block_count - function->block_first;
    bool is_import = function->linkage == SIM_LINKAGE_IMPORT;
    if (body->parameter != function->type->count) {
        return sim_reader_fail(body->reader, RT_MALFORMED, view->offset,
                               "function %u has %u parameters, but its type has %llu", function->id,
                               body->parameter, (unsigned long long)function->type->count);
    }
    if (is_import != (function->block_count == 0)) {
        return sim_reader_fail(body->reader, RT_MALFORMED, view->offset, "function %u (%.*s) is %s",
                               function->id, RT_TEXT_ARG(function->name),
                               is_import ? "imported but has a body"
                                         : "neither imported nor defined");
    }
    /* The LLVM translator emits a function, even a definition, where it first meets the function's
     * address, which violates section 2.4; nothing depends on the order. */
    if (is_import && body->has_definitions && !body->reader->has_function_pointers) {
        return sim_reader_fail(body->reader, RT_MALFORMED, view->offset,
                               "the declaration of function %u follows a definition", function->id);
    }
    body->has_definitions |= !is_import;
    body->function = NULL;
    return RT_STATUS_OK;
}

/* Phis must come first in a block.  Variables are allowed anywhere, although section 2.4 requires
 * them at the beginning of the first block: llvm-spirv 14 creates temporaries for copies where it
 * needs them, and a variable lives as long as the function's activation wherever it is declared. */
static rt_status read_instruction(sim_body *body, const sim_view *view)
{
    sim_module *module = body->module;
    sim_block *block = body->block;
    if (view->opcode->group == SIM_GROUP_EXTENDED &&
        module->ids[view->words[2]].kind == SIM_ID_OTHER) {
        return RT_STATUS_OK;
    }
    if (!block) {
        return sim_reader_fail(body->reader, RT_MALFORMED, view->offset,
                               "the instruction is outside any block");
    }
    CHECK(block->first + block->count == module->instruction_count);
    if (view->opcode->group == SIM_GROUP_PHI && block->count > 0 &&
        module->instructions[module->instruction_count - 1].opcode->group != SIM_GROUP_PHI) {
        return sim_reader_fail(body->reader, RT_MALFORMED, view->offset,
                               "the instruction is not at the beginning of its block");
    }
    sim_instruction *instruction = &module->instructions[module->instruction_count];
    uint32_t skipped = 1u + view->opcode->has_type + view->opcode->has_result;
    CHECK(view->count >= skipped);
    *instruction = (sim_instruction){
        .opcode = view->opcode,
        .words = view->words,
        .operands = view->words + skipped,
        .operand_count = (uint16_t)(view->count - skipped),
        .block = (uint32_t)(block - module->blocks),
        .source = body->source,
        .line = body->line,
        .column = body->column,
    };
    if (view->opcode->has_type) {
        RT_TRY(sim_read_type_operand(body->reader, view, view->words[1], &instruction->type));
        if (instruction->type->part_count > SIM_VALUE_PARTS_MAX) {
            return sim_reader_fail(body->reader, RT_LIMIT, view->offset,
                                   "a value of type %u has more than %u parts", view->words[1],
                                   SIM_VALUE_PARTS_MAX);
        }
        CHECK(view->opcode->has_result);
        instruction->id = view->words[2];
        sim_id_entry *entry = &module->ids[instruction->id];
        CHECK(entry->kind == SIM_ID_RESULT);
        entry->index = module->instruction_count;
        entry->owner = block->function;
        entry->type = instruction->type;
    }
    module->instruction_count++;
    block->count++;
    return RT_STATUS_OK;
}

static rt_status read_step(sim_body *body, const sim_view *view)
{
    sim_module *module = body->module;
    switch (view->opcode->number) {
    case SIM_OpFunction: return begin_function(body, view);
    case SIM_OpFunctionParameter: return read_parameter(body, view);
    case SIM_OpFunctionEnd: return end_function(body, view);
    case SIM_OpLabel: {
        sim_block *block = body->block = &module->blocks[module->block_count];
        block->label = view->words[1];
        block->function = (uint32_t)(body->function - module->functions);
        block->first = module->instruction_count;
        block->order = block->dominator = SIM_NONE;
        sim_id_entry *entry = &module->ids[block->label];
        CHECK(entry->kind == SIM_ID_LABEL && block->function < module->function_count);
        entry->index = module->block_count++;
        entry->owner = block->function;
        return RT_STATUS_OK;
    }
    case SIM_OpLine:
        if (sim_module_id(module, view->words[1])->kind != SIM_ID_STRING) {
            return sim_reader_fail(body->reader, RT_MALFORMED, view->offset,
                                   "id %u is not an OpString", view->words[1]);
        }
        body->source = view->words[1];
        body->line = view->words[2];
        body->column = view->words[3];
        return RT_STATUS_OK;
    case SIM_OpNoLine: body->source = body->line = body->column = 0; return RT_STATUS_OK;
    default: break;
    }
    if (view->opcode->treatment != SIM_TREATMENT_EXEC) return RT_STATUS_OK;
    RT_TRY(read_instruction(body, view));
    if (sim_group_ends_block(view->opcode->group)) {
        body->block = NULL;
        body->source = body->line = body->column = 0;
    }
    return RT_STATUS_OK;
}

rt_status sim_read_functions(sim_reader *reader)
{
    sim_module *module = reader->module;
    rt_arena *arena = &module->arena;
    /* form.c counted upper bounds; this pass counts again while it fills the arrays. */
    uint32_t functions = module->function_count, blocks = module->block_count;
    uint32_t instructions = module->instruction_count;
    sim_body body = {.reader = reader, .module = module};
    module->functions = rt_arena_alloc_array(arena, functions, sizeof *module->functions);
    module->blocks = rt_arena_alloc_array(arena, blocks, sizeof *module->blocks);
    module->instructions = rt_arena_alloc_array(arena, instructions, sizeof *module->instructions);
    body.parameters = rt_arena_alloc_array(arena, reader->parameter_count, sizeof(sim_id));
    module->function_count = module->block_count = module->instruction_count = 0;
    for (uint32_t offset = reader->functions_start; offset < module->word_count;) {
        sim_view view = sim_reader_view(reader, offset);
        RT_TRY(read_step(&body, &view));
        offset += view.count;
    }
    CHECK(!body.function && !body.block);
    CHECK(module->function_count == functions && module->block_count == blocks);
    CHECK(module->instruction_count <= instructions);
    return RT_STATUS_OK;
}

/* ---- Entry points -------------------------------------------------------------------------- */

/* True if a kernel's parameter has one of the types that sim_entry allows. */
static bool is_kernel_parameter(const sim_module *module, sim_id id, const sim_type *type)
{
    if (type->kind != SIM_TYPE_POINTER) return true;
    switch (type->storage_class) {
    case SIM_StorageClassCrossWorkgroup:
    case SIM_StorageClassUniformConstant:
    case SIM_StorageClassWorkgroup: return true;
    case SIM_StorageClassFunction:
        return sim_module_is_by_value(module, id) && type->element->alignment_bytes != 0;
    default: return false;
    }
}

static rt_status read_entry(sim_reader *reader, uint32_t offset, rt_map *names)
{
    sim_module *module = reader->module;
    sim_view view = sim_reader_view(reader, offset);
    sim_entry *entry = &module->entries[module->entry_count];
    rt_text name = entry->name = sim_words_text(view.words + 3);
    if (view.words[1] != SIM_ExecutionModelKernel) {
        return sim_reader_fail(reader, RT_UNSUPPORTED, offset,
                               "execution model %s is refused; only Kernel is modelled",
                               sim_enumerant_name(SIM_KIND_ExecutionModel, view.words[1]));
    }
    const sim_id_entry *id = sim_module_id(module, view.words[2]);
    if (id->kind != SIM_ID_FUNCTION) {
        return sim_reader_fail(reader, RT_MALFORMED, offset, "id %u is not a function",
                               view.words[2]);
    }
    entry->function = id->index;
    /* The ids of the variables that the kernel uses follow its name. */
    uint32_t name_words = (uint32_t)(name.length / sizeof(uint32_t)) + 1;
    for (uint32_t i = 3 + name_words; i < view.count; i++) {
        if (sim_module_id(module, view.words[i])->kind != SIM_ID_VARIABLE) {
            return sim_reader_fail(reader, RT_MALFORMED, offset,
                                   "id %u is not a variable at module scope", view.words[i]);
        }
    }
    const sim_function *function = &module->functions[id->index];
    if (function->block_count == 0 || function->type->element->kind != SIM_TYPE_VOID) {
        return sim_reader_fail(reader, RT_MALFORMED, offset,
                               "the function of kernel %.*s is not defined here or returns a value",
                               RT_TEXT_ARG(name));
    }
    for (uint64_t i = 0; i < function->type->count; i++) {
        if (!is_kernel_parameter(module, function->parameters[i], function->type->members[i])) {
            return sim_reader_fail(
                reader, RT_UNSUPPORTED, offset,
                "parameter %llu of kernel %.*s is a pointer that no caller can pass",
                (unsigned long long)i, RT_TEXT_ARG(name));
        }
    }
    if (rt_map_find(names, name) != RT_MAP_NONE) {
        return sim_reader_fail(reader, RT_MALFORMED, offset, "kernel %.*s is declared twice",
                               RT_TEXT_ARG(name));
    }
    rt_map_set(names, name, module->entry_count++);
    return RT_STATUS_OK;
}

/* Reads the value of one operand of an execution mode, which is a literal or the id of a constant.
 */
static rt_status mode_operand(sim_reader *reader, const sim_view *view, uint32_t index,
                              uint32_t *out_value)
{
    *out_value = 0;
    if (view->count <= 3 + index) {
        return sim_reader_fail(reader, RT_MALFORMED, view->offset, "an operand is missing");
    }
    *out_value = view->words[3 + index];
    if (view->opcode->number == SIM_OpExecutionMode) return RT_STATUS_OK;
    const sim_id_entry *id = sim_module_id(reader->module, *out_value);
    const sim_constant *constant =
        id->kind == SIM_ID_CONSTANT ? &reader->module->constants[id->index] : NULL;
    if (!constant || constant->kind != SIM_CONSTANT_BITS || constant->bits > UINT32_MAX) {
        return sim_reader_fail(reader, RT_UNSUPPORTED, view->offset,
                               "operand id %u is not a plain constant", *out_value);
    }
    *out_value = (uint32_t)constant->bits;
    return RT_STATUS_OK;
}

static rt_status read_mode(sim_reader *reader, uint32_t offset)
{
    sim_module *module = reader->module;
    sim_view view = sim_reader_view(reader, offset);
    uint32_t number = view.words[2];
    if (!sim_supports_mode(number)) {
        return sim_reader_fail(reader, RT_UNSUPPORTED, offset, "execution mode %s is refused",
                               sim_enumerant_name(SIM_KIND_ExecutionMode, number));
    }
    /* OpExecutionModeId is required for modes whose operands are ids, and forbidden for others. */
    const sim_enumerant *mode = sim_enumerant_find(SIM_KIND_ExecutionMode, number);
    CHECK(mode);
    bool has_ids =
        mode->operand_count > 0 &&
        sim_kind_of(sim_operand_at(mode->operand_first).kind)->category == SIM_CATEGORY_ID;
    if (has_ids != (view.opcode->number == SIM_OpExecutionModeId)) {
        return sim_reader_fail(
            reader, RT_MALFORMED, offset, "execution mode %s takes %s", mode->name,
            has_ids ? "ids and requires OpExecutionModeId" : "no ids and requires OpExecutionMode");
    }
    bool is_found = false,
         has_size = number == SIM_ExecutionModeLocalSize || number == SIM_ExecutionModeLocalSizeId;
    for (uint32_t e = 0; e < module->entry_count; e++) {
        sim_entry *entry = &module->entries[e];
        if (module->functions[entry->function].id != view.words[1]) continue;
        is_found = true;
        uint64_t product = 1;
        for (uint32_t i = 0; has_size && i < RT_ND_RANGE_DIMENSIONS; i++) {
            RT_TRY(mode_operand(reader, &view, i, &entry->local_size[i]));
            product *= entry->local_size[i];
            if (product == 0 || product > RT_WORK_GROUP_SIZE_MAX) {
                return sim_reader_fail(reader, RT_LIMIT, offset,
                                       "a work-group must have 1 to %u work-items",
                                       RT_WORK_GROUP_SIZE_MAX);
            }
        }
        if (number == SIM_ExecutionModeSubgroupSize)
            RT_TRY(mode_operand(reader, &view, 0, &entry->subgroup_size));
    }
    if (is_found) return RT_STATUS_OK;
    return sim_reader_fail(reader, RT_MALFORMED, offset, "id %u is not an entry point",
                           view.words[1]);
}

rt_status sim_read_entries(sim_reader *reader)
{
    sim_module *module = reader->module;
    uint32_t count = reader->entries.count;
    if (count > ENTRIES_MAX) {
        return sim_reader_fail(reader, RT_LIMIT, reader->entries.items[ENTRIES_MAX],
                               "the module has more than %d kernels", ENTRIES_MAX);
    }
    module->entries = rt_arena_alloc_array(&module->arena, count, sizeof *module->entries);
    rt_map names = {0};
    rt_status status = RT_STATUS_OK;
    for (uint32_t i = 0; i < count && rt_ok(status); i++)
        status = read_entry(reader, reader->entries.items[i], &names);
    rt_map_free(&names);
    for (uint32_t i = 0; i < reader->modes.count && rt_ok(status); i++)
        status = read_mode(reader, reader->modes.items[i]);
    CHECK(!rt_ok(status) || module->entry_count == count);
    return status;
}
