/* The part of a module before its functions: capabilities, names, decorations, types (types.c),
 * constants and module-scope variables.
 *
 * The types of constants and initializers are checked at the end (validate.c), because they may
 * refer to functions and variables that follow.  Source: SPIR-V specification 1.6, sections 2.4,
 * 3.42. */
#include "sim/module/reader.h"

#include "sim/module/fold.h"
#include "sim/module/support.h"

#include <stdlib.h>
#include <string.h>

enum { DECORATIONS_MAX = 1 << 22 };

/* ---- Decorations --------------------------------------------------------------------------- */

static rt_status push_decoration(sim_reader *reader, const sim_view *view,
                                 sim_decoration decoration)
{
    if (reader->decorations.count >= DECORATIONS_MAX) {
        return sim_reader_fail(reader, RT_LIMIT, view->offset,
                               "the module has more than %d decorations", DECORATIONS_MAX);
    }
    *rt_vector_push(&reader->decorations) = decoration;
    return RT_STATUS_OK;
}

static rt_status read_annotation(sim_reader *reader, const sim_view *view)
{
    const uint32_t *words = view->words;
    switch (view->opcode->number) {
    case SIM_OpDecorate:
    case SIM_OpDecorateId:
    case SIM_OpDecorateString:
        return push_decoration(
            reader, view,
            (sim_decoration){words[1], SIM_NONE, words[2], words + 3, view->count - 3});
    case SIM_OpMemberDecorate:
    case SIM_OpMemberDecorateString:
        return push_decoration(
            reader, view,
            (sim_decoration){words[1], words[2], words[3], words + 4, view->count - 4});
    case SIM_OpGroupDecorate:
    case SIM_OpGroupMemberDecorate:
        *rt_vector_push(&reader->groups) = view->offset;
        return RT_STATUS_OK;
    default: CHECK(view->opcode->number == SIM_OpDecorationGroup); return RT_STATUS_OK;
    }
}

/* Orders decorations by target, then by their order in the module, which is the order of their
 * operands' addresses.  The targets of a group share its operands, so the member decides last; a
 * group never decorates the same target or member twice. */
static int compare_decorations(const void *a, const void *b)
{
    const sim_decoration *left = a, *right = b;
    if (left->target != right->target) return left->target < right->target ? -1 : 1;
    if (left->operands != right->operands) return left->operands < right->operands ? -1 : 1;
    return (left->member > right->member) - (left->member < right->member);
}

/* Copies the decorations into the module, sorted, and records the range of each id. */
static void sort_decorations(sim_reader *reader)
{
    sim_module *module = reader->module;
    uint32_t count = reader->decorations.count;
    if (count == 0) return;
    qsort(reader->decorations.items, count, sizeof *module->decorations, compare_decorations);
    module->decorations = rt_arena_alloc_array(&module->arena, count, sizeof *module->decorations);
    module->decoration_count = count;
    for (uint32_t i = 0; i < count; i++) {
        module->decorations[i] = reader->decorations.items[i];
        sim_id_entry *entry = &module->ids[module->decorations[i].target];
        if (i == 0 || module->decorations[i - 1].target != module->decorations[i].target) {
            entry->decoration_first = i;
            entry->decoration_count = 0;
        }
        entry->decoration_count++;
    }
}

/* Once all decorations have been read: stores them in the module and applies those of groups to the
 * groups' targets. */
static rt_status settle_decorations(sim_reader *reader)
{
    const sim_module *module = reader->module;
    sort_decorations(reader);
    for (uint32_t g = 0; g < reader->groups.count; g++) {
        sim_view view = sim_reader_view(reader, reader->groups.items[g]);
        bool of_members = view.opcode->number == SIM_OpGroupMemberDecorate;
        const sim_id_entry *group = sim_module_id(module, view.words[1]);
        if (group->kind != SIM_ID_OTHER || group->word >= view.offset) {
            return sim_reader_fail(reader, RT_MALFORMED, view.offset,
                                   "id %u is not a decoration group defined earlier",
                                   view.words[1]);
        }
        for (uint32_t i = 2; i < view.count; i += of_members ? 2 : 1) {
            for (uint32_t k = 0; k < group->decoration_count; k++) {
                sim_decoration decoration = module->decorations[group->decoration_first + k];
                CHECK(decoration.target == view.words[1]);
                decoration.target = view.words[i];
                decoration.member = of_members ? view.words[i + 1] : SIM_NONE;
                RT_TRY(push_decoration(reader, &view, decoration));
            }
        }
    }
    if (reader->groups.count) sort_decorations(reader);
    return RT_STATUS_OK;
}

/* ---- Continuations ------------------------------------------------------------------------- */

void sim_read_list(sim_reader *reader, const sim_view *view, uint32_t first, uint16_t continuation,
                   const uint32_t **out_ids, uint32_t *out_count)
{
    uint32_t count = view->count - first, end = view->offset + view->count;
    *out_ids = view->words + first;
    *out_count = count;
    while (end < reader->functions_start) {
        sim_view next = sim_reader_view(reader, end);
        if (next.opcode->number != continuation) break;
        count += next.count - 1;
        end += next.count;
    }
    if (end == view->offset + view->count) return;
    uint32_t *ids = rt_arena_alloc_array(&reader->module->arena, count, sizeof *ids);
    memcpy(ids, view->words + first, *out_count * sizeof *ids);
    for (uint32_t at = view->offset + view->count, used = *out_count; at < end;) {
        sim_view next = sim_reader_view(reader, at);
        memcpy(ids + used, next.words + 1, (next.count - 1) * sizeof *ids);
        used += next.count - 1;
        at += next.count;
    }
    *out_ids = ids;
    *out_count = count;
    reader->continued_end = end;
}

/* ---- Constants ----------------------------------------------------------------------------- */

/* Reads a literal of one or two words, low word first.  A narrow literal is zero-extended to its
 * word, since integer types of kernels have no sign. */
static rt_status read_number(sim_reader *reader, const sim_view *view, sim_constant *constant)
{
    uint8_t kind = constant->type->kind;
    if (kind != SIM_TYPE_INT && kind != SIM_TYPE_FLOAT) {
        return sim_reader_fail(reader, RT_MALFORMED, view->offset, "type %u is not a number",
                               view->words[1]);
    }
    CHECK(view->count == (constant->type->bits > 32 ? 5u : 4u));
    uint64_t high = view->count == 5 ? view->words[4] : 0;
    if (constant->type->bits < 32 && view->words[3] >> constant->type->bits) {
        return sim_reader_fail(reader, RT_MALFORMED, view->offset,
                               "the literal 0x%x does not fit into the type's %u bits",
                               view->words[3], constant->type->bits);
    }
    constant->bits = sim_bits_masked(view->words[3] | high << 32, constant->type->bits);
    return RT_STATUS_OK;
}

static rt_status read_operation(sim_reader *reader, const sim_view *view, sim_constant *constant)
{
    constant->kind = SIM_CONSTANT_OPERATION;
    constant->opcode = sim_opcode_find(view->words[3]);
    constant->operands = view->words + 4;
    constant->count = view->count - 4;
    CHECK(constant->opcode && constant->opcode->has_result);
    /* Checked before the operands, which need not be ids if this fails. */
    if (!sim_makes_constant(constant->opcode->number)) {
        return sim_reader_fail(reader, RT_MALFORMED, view->offset,
                               "OpSpecConstantOp does not allow %s", constant->opcode->name);
    }
    if (!sim_fold_is_ready(reader->module, constant)) return RT_STATUS_OK;
    RT_TRY(sim_check_operation(reader, constant));
    sim_fold_operation(reader->module, constant);
    return RT_STATUS_OK;
}

static rt_status read_constant_value(sim_reader *reader, const sim_view *view,
                                     sim_constant *constant)
{
    uint16_t number = view->opcode->number;
    switch (number) {
    case SIM_OpConstant:
    case SIM_OpSpecConstant: return read_number(reader, view, constant);
    case SIM_OpConstantTrue:
    case SIM_OpConstantFalse:
    case SIM_OpSpecConstantTrue:
    case SIM_OpSpecConstantFalse:
        if (constant->type->kind != SIM_TYPE_BOOL) {
            return sim_reader_fail(reader, RT_MALFORMED, view->offset, "type %u is not OpTypeBool",
                                   view->words[1]);
        }
        constant->bits = number == SIM_OpConstantTrue || number == SIM_OpSpecConstantTrue;
        return RT_STATUS_OK;
    case SIM_OpConstantComposite:
    case SIM_OpSpecConstantComposite:
        constant->kind = SIM_CONSTANT_COMPOSITE;
        sim_read_list(reader, view, 3,
                      number == SIM_OpConstantComposite ? SIM_OpConstantCompositeContinuedINTEL
                                                        : SIM_OpSpecConstantCompositeContinuedINTEL,
                      &constant->operands, &constant->count);
        if (constant->type->part_count <= SIM_CONSTANT_PARTS_MAX) return RT_STATUS_OK;
        return sim_reader_fail(reader, RT_LIMIT, view->offset, "a constant has more than %u parts",
                               SIM_CONSTANT_PARTS_MAX);
    case SIM_OpConstantNull: constant->kind = SIM_CONSTANT_NULL; return RT_STATUS_OK;
    case SIM_OpUndef: constant->kind = SIM_CONSTANT_UNDEFINED; return RT_STATUS_OK;
    case SIM_OpSpecConstantOp: return read_operation(reader, view, constant);
    default:
        CHECK(number == SIM_OpConstantFunctionPointerINTEL);
        constant->kind = SIM_CONSTANT_FUNCTION;
        constant->operands = view->words + 3;
        constant->count = 1;
        return RT_STATUS_OK;
    }
}

static rt_status read_constant(sim_reader *reader, const sim_view *view)
{
    sim_module *module = reader->module;
    sim_id_entry *entry = &module->ids[view->words[2]];
    CHECK(entry->kind == SIM_ID_CONSTANT && entry->word == view->offset);
    CHECK(entry->index < module->constant_count);
    sim_constant *constant = &module->constants[entry->index];
    constant->id = view->words[2];
    constant->spec_id = SIM_NONE;
    RT_TRY(sim_read_type_operand(reader, view, view->words[1], &constant->type));
    if (constant->type->alignment_bytes == 0) {
        return sim_reader_fail(reader, RT_MALFORMED, view->offset, "type %u has no values",
                               view->words[1]);
    }
    entry->type = constant->type;
    RT_TRY(read_constant_value(reader, view, constant));
    /* A constant with a SpecId can be given another value. */
    const sim_decoration *spec =
        sim_module_decoration(module, constant->id, SIM_NONE, SIM_DecorationSpecId);
    if (!spec) return RT_STATUS_OK;
    uint16_t number = view->opcode->number;
    if (number != SIM_OpSpecConstant && number != SIM_OpSpecConstantTrue &&
        number != SIM_OpSpecConstantFalse) {
        return sim_reader_fail(reader, RT_MALFORMED, view->offset,
                               "SpecId %u decorates something other than a scalar specialisation "
                               "constant",
                               spec->operands[0]);
    }
    if (spec->operands[0] == SIM_NONE) {
        return sim_reader_fail(reader, RT_LIMIT, view->offset,
                               "SpecId %u is larger than the limit of %u", SIM_NONE, SIM_NONE - 1);
    }
    constant->spec_id = spec->operands[0];
    return sim_specialise_scalar(reader, view, constant);
}

/* ---- Linkage ------------------------------------------------------------------------------- */

rt_status sim_read_linkage(sim_reader *reader, const sim_view *view, sim_id id,
                           uint8_t *out_linkage, rt_text *out_name)
{
    *out_linkage = SIM_LINKAGE_NONE;
    *out_name = (rt_text){0};
    const sim_decoration *decoration =
        sim_module_decoration(reader->module, id, SIM_NONE, SIM_DecorationLinkageAttributes);
    if (!decoration) return RT_STATUS_OK;
    *out_name = sim_words_text(decoration->operands);
    if (out_name->length == 0) {
        return sim_reader_fail(reader, RT_MALFORMED, view->offset,
                               "the linkage name of id %u is empty", id);
    }
    switch (decoration->operands[decoration->operand_count - 1]) {
    case SIM_LinkageTypeExport: *out_linkage = SIM_LINKAGE_EXPORT; break;
    case SIM_LinkageTypeImport: *out_linkage = SIM_LINKAGE_IMPORT; break;
    default: *out_linkage = SIM_LINKAGE_ODR; break;
    }
    return RT_STATUS_OK;
}

/* ---- Variables ----------------------------------------------------------------------------- */

/* The integer operand of a decoration of a variable, or `otherwise` if the variable has no such
 * decoration. */
static uint32_t decorated_number(const sim_module *module, sim_id id, uint32_t number,
                                 uint32_t otherwise)
{
    const sim_decoration *decoration = sim_module_decoration(module, id, SIM_NONE, number);
    return decoration && decoration->operand_count ? decoration->operands[0] : otherwise;
}

/* A variable has storage class Input if and only if it is a built-in variable. */
static rt_status read_built_in(sim_reader *reader, const sim_view *view, sim_variable *variable)
{
    variable->built_in =
        decorated_number(reader->module, variable->id, SIM_DecorationBuiltIn, SIM_NONE);
    if (variable->built_in != SIM_NONE &&
        variable->storage_class == SIM_StorageClassCrossWorkgroup) {
        /* SYCL compilers put the built-in variables that their own passes create into global
         * memory, which violates the environment specification; they are read as variables of
         * storage class Input. */
        sim_type *type = rt_arena_copy(&reader->module->arena, variable->type, 1, sizeof *type);
        type->storage_class = variable->storage_class = SIM_StorageClassInput;
        variable->type = reader->module->ids[variable->id].type = type;
    }
    bool is_input = variable->storage_class == SIM_StorageClassInput;
    if (variable->built_in == SIM_NONE && !is_input) return RT_STATUS_OK;
    uint32_t components = sim_built_in_components(variable->built_in);
    if (components == 0 || !is_input) {
        return sim_reader_fail(reader, RT_UNSUPPORTED, view->offset,
                               "variable %u of storage class %s with built-in %s is refused: "
                               "kernels have no such variable",
                               variable->id,
                               sim_enumerant_name(SIM_KIND_StorageClass, variable->storage_class),
                               sim_enumerant_name(SIM_KIND_BuiltIn, variable->built_in));
    }
    const sim_type *type = variable->type->element;
    bool is_vector = type->kind == SIM_TYPE_VECTOR;
    const sim_type *scalar = is_vector ? type->element : type;
    if (scalar->kind != SIM_TYPE_INT || scalar->bits < 32 ||
        (is_vector ? type->count : 1) != components) {
        return sim_reader_fail(
            reader, RT_MALFORMED, view->offset,
            "built-in %s must consist of integers of 32 or 64 bits (components: %u)",
            sim_enumerant_name(SIM_KIND_BuiltIn, variable->built_in), components);
    }
    /* Translators declare a built-in variable as an import under the variable's own name; no module
     * exports it. */
    variable->linkage = SIM_LINKAGE_NONE;
    return RT_STATUS_OK;
}

static rt_status read_variable(sim_reader *reader, const sim_view *view)
{
    sim_module *module = reader->module;
    sim_id_entry *entry = &module->ids[view->words[2]];
    CHECK(entry->kind == SIM_ID_VARIABLE && entry->word == view->offset);
    sim_variable *variable = &module->variables[entry->index];
    variable->id = view->words[2];
    variable->initializer = view->count > 4 ? view->words[4] : 0;
    variable->storage_class = view->words[3];
    RT_TRY(sim_read_type_operand(reader, view, view->words[1], &variable->type));
    entry->type = variable->type;
    if (variable->type->kind != SIM_TYPE_POINTER ||
        variable->type->storage_class != variable->storage_class) {
        return sim_reader_fail(reader, RT_MALFORMED, view->offset,
                               "type %u is not a pointer to storage class %s", variable->type->id,
                               sim_enumerant_name(SIM_KIND_StorageClass, variable->storage_class));
    }
    switch (variable->storage_class) {
    case SIM_StorageClassUniformConstant:
    case SIM_StorageClassInput:
    case SIM_StorageClassWorkgroup:
    case SIM_StorageClassCrossWorkgroup: break;
    case SIM_StorageClassFunction:
        /* Violates the specification, but clang and the translator use it for virtual function
         * tables, which have no address space. */
        break;
    default:
        return sim_reader_fail(reader, RT_MALFORMED, view->offset,
                               "a variable of storage class %s is not allowed at module scope",
                               sim_enumerant_name(SIM_KIND_StorageClass, variable->storage_class));
    }
    uint32_t least = variable->type->element->alignment_bytes;
    if (least == 0) {
        return sim_reader_fail(reader, RT_MALFORMED, view->offset, "type %u has no values",
                               variable->type->element->id);
    }
    uint32_t alignment = decorated_number(module, variable->id, SIM_DecorationAlignment, least);
    if (alignment == 0 || (alignment & (alignment - 1))) {
        return sim_reader_fail(reader, RT_MALFORMED, view->offset,
                               "the alignment %u is not a power of two", alignment);
    }
    variable->alignment_bytes = alignment > least ? alignment : least;
    RT_TRY(sim_read_linkage(reader, view, variable->id, &variable->linkage, &variable->link_name));
    variable->name = sim_module_name(module, variable->id);
    if (variable->name.length == 0) variable->name = variable->link_name;
    return read_built_in(reader, view, variable);
}

/* ---- The rest ------------------------------------------------------------------------------ */

static rt_status read_declaration(sim_reader *reader, const sim_view *view)
{
    sim_module *module = reader->module;
    switch (view->opcode->group) {
    case SIM_GROUP_CAPABILITY:
        reader->has_function_pointers |= view->words[1] == SIM_CapabilityFunctionPointersINTEL;
        return RT_STATUS_OK;
    case SIM_GROUP_MEMORY_MODEL:
        if (view->words[1] == SIM_AddressingModelPhysical64 &&
            view->words[2] == SIM_MemoryModelOpenCL)
            return RT_STATUS_OK;
        return sim_reader_fail(reader, RT_UNSUPPORTED, view->offset,
                               "memory model %s %s is refused; only Physical64 OpenCL is modelled",
                               sim_enumerant_name(SIM_KIND_AddressingModel, view->words[1]),
                               sim_enumerant_name(SIM_KIND_MemoryModel, view->words[2]));
    case SIM_GROUP_ENTRY: *rt_vector_push(&reader->entries) = view->offset; return RT_STATUS_OK;
    case SIM_GROUP_MODE: *rt_vector_push(&reader->modes) = view->offset; return RT_STATUS_OK;
    case SIM_GROUP_SOURCE:
        if (view->opcode->number == SIM_OpName) {
            module->ids[view->words[1]].name_word = view->offset + 2;
        }
        return RT_STATUS_OK;
    case SIM_GROUP_ANNOTATION: return read_annotation(reader, view);
    case SIM_GROUP_TYPE: return sim_read_type(reader, view);
    case SIM_GROUP_CONTINUED: /* read together with the instruction that it continues */
        if (view->offset < reader->continued_end) return RT_STATUS_OK;
        return sim_reader_fail(reader, RT_MALFORMED, view->offset,
                               "the instruction does not follow one that it can continue");
    case SIM_GROUP_CONSTANT:
    case SIM_GROUP_UNDEFINED: return read_constant(reader, view);
    case SIM_GROUP_VARIABLE: return read_variable(reader, view);
    case SIM_GROUP_EXTENDED:
        if (module->ids[view->words[2]].kind == SIM_ID_OTHER) return RT_STATUS_OK;
        return sim_reader_fail(reader, RT_MALFORMED, view->offset,
                               "the instruction is allowed only in functions");
    default: return RT_STATUS_OK; /* sets, lines, aliasing */
    }
}

rt_status sim_read_declarations(sim_reader *reader)
{
    sim_module *module = reader->module;
    rt_arena *arena = &module->arena;
    module->types = rt_arena_alloc_array(arena, module->type_count, sizeof *module->types);
    module->constants =
        rt_arena_alloc_array(arena, module->constant_count, sizeof *module->constants);
    module->variables =
        rt_arena_alloc_array(arena, module->variable_count, sizeof *module->variables);
    bool is_settled = false;
    for (uint32_t offset = SIM_HEADER_WORDS; offset < reader->functions_start;) {
        sim_view view = sim_reader_view(reader, offset);
        bool is_global = view.opcode->group == SIM_GROUP_TYPE ||
                         view.opcode->group == SIM_GROUP_CONSTANT ||
                         view.opcode->group == SIM_GROUP_UNDEFINED;
        if (is_global && !is_settled) {
            RT_TRY(settle_decorations(reader)); /* no annotation follows a type or constant */
            is_settled = true;
        }
        RT_TRY(read_declaration(reader, &view));
        offset += view.count;
    }
    return is_settled ? RT_STATUS_OK : settle_decorations(reader);
}
