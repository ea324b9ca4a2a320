/* Type rules that relate operands in ways that the table of rules.c cannot express.  Each check
 * runs only if the table's constraints hold, so the operands constrained there are values of the
 * right kind.
 *
 * Source: SPIR-V specification 1.6, section 3.42, under the instruction's name. */
#include "sim/module/rules.h"

/* ---- Values -------------------------------------------------------------------------------- */

/* Width conversions must change the width; saturating conversions between signed and unsigned need
 * not. */
rt_status sim_check_width(const sim_operation *operation)
{
    uint16_t number = operation->opcode->number;
    if (number != SIM_OpUConvert && number != SIM_OpSConvert && number != SIM_OpFConvert) {
        return RT_STATUS_OK;
    }
    const sim_type *from = sim_component_type(sim_operand_type(operation, 0));
    const sim_type *to = sim_component_type(operation->type);
    return sim_operation_require(operation, from->bits != to->bits,
                                 "the operand is as wide as the result");
}

/* A condition that is one boolean selects whole objects. The specification has that since 1.4 only,
 * under "OpSelect"; it is accepted in every version, because llvm-spirv declares SPIR-V 1.1 for
 * modules in which it writes `c ? a : b` of vectors in this way, and the meaning is the same. */
rt_status sim_check_select(const sim_operation *operation)
{
    const sim_type *condition = sim_operand_type(operation, 0);
    if (condition->kind != SIM_TYPE_VECTOR) return RT_STATUS_OK;
    return sim_operation_require(operation,
                                 operation->type->kind == SIM_TYPE_VECTOR &&
                                     operation->type->count == condition->count,
                                 "the condition differs in shape from the result");
}

rt_status sim_check_dot(const sim_operation *operation)
{
    return sim_operation_require(
        operation, sim_type_same(sim_operand_type(operation, 0)->element, operation->type),
        "the result does not have the operands' component type");
}

rt_status sim_check_vector_by_scalar(const sim_operation *operation)
{
    return sim_operation_require(
        operation, sim_type_same(operation->type->element, sim_operand_type(operation, 1)),
        "the scalar does not have the vector's component type");
}

/* ---- Functions of OpenCL.std over mixed types ---------------------------------------------- */

/* The integers of these functions have OpenCL C's type int. */
static rt_status check_int32(const sim_operation *operation, const sim_type *type, const char *noun)
{
    const sim_type *component = sim_component_type(type);
    return sim_operation_require(operation,
                                 component->kind == SIM_TYPE_INT && component->bits == 32,
                                 "%s must be 32-bit integers", noun);
}

rt_status sim_check_float_by_integer(const sim_operation *operation)
{
    return check_int32(operation, sim_operand_type(operation, 1), "operand 1");
}

rt_status sim_check_int32(const sim_operation *operation)
{
    return check_int32(operation, operation->type, "the result");
}

rt_status sim_check_nan_code(const sim_operation *operation)
{
    const sim_type *code = sim_component_type(sim_operand_type(operation, 0));
    return sim_operation_require(operation, code->bits == sim_component_type(operation->type)->bits,
                                 "the code differs in width from the result");
}

rt_status sim_check_float_parts(const sim_operation *operation)
{
    return sim_operation_require(
        operation, sim_type_same(sim_operand_type(operation, 1)->element, operation->type),
        "the pointer does not point to the result's type");
}

/* The last operand points to a type with one integer per component. */
rt_status sim_check_second_integer(const sim_operation *operation)
{
    const sim_type *type = sim_operand_type(operation, operation->operand_count - 1)->element;
    RT_TRY(check_int32(operation, type, "the values pointed to"));
    return sim_operation_require(operation,
                                 sim_component_count(type) == sim_component_count(operation->type),
                                 "the values pointed to differ in shape from the result");
}

/* Geometric functions take up to four components; cross takes three or four. */
rt_status sim_check_geometric(const sim_operation *operation)
{
    const sim_type *type = sim_operand_type(operation, 0);
    uint64_t count = sim_component_count(type);
    uint64_t least = operation->group == SIM_GROUP_CROSS ? 3 : 1;
    if (!sim_type_same(sim_component_type(type), sim_component_type(operation->type))) {
        return sim_operation_fail(operation,
                                  "the result does not have the operands' component type");
    }
    return sim_operation_require(operation, count >= least && count <= 4,
                                 "the operands have %llu components, not %llu to 4",
                                 (unsigned long long)count, (unsigned long long)least);
}

/* ---- Bits and pointers ---------------------------------------------------------------------- */

static uint64_t value_bits(const sim_type *type)
{
    return sim_component_type(type)->bits * sim_component_count(type);
}

rt_status sim_check_bitcast(const sim_operation *operation)
{
    uint64_t from = value_bits(sim_operand_type(operation, 0)), to = value_bits(operation->type);
    return sim_operation_require(operation, from == to,
                                 "the operand has %llu bits, the result %llu",
                                 (unsigned long long)from, (unsigned long long)to);
}

static bool is_specific(uint32_t storage_class)
{
    return storage_class == SIM_StorageClassWorkgroup ||
           storage_class == SIM_StorageClassCrossWorkgroup ||
           storage_class == SIM_StorageClassFunction;
}

/* A function's address may become a pointer to bytes: this is how clang's untyped pointers end up
 * in virtual function tables. */
static rt_status check_cast(const sim_operation *operation)
{
    const sim_type *from = sim_operand_type(operation, 0)->element;
    if (operation->type->element == from || from->kind == SIM_TYPE_FUNCTION) return RT_STATUS_OK;
    return sim_operation_fail(operation,
                              "the operand and the result do not point to the same type");
}

rt_status sim_check_to_generic(const sim_operation *operation)
{
    if (operation->type->storage_class != SIM_StorageClassGeneric ||
        !is_specific(sim_operand_type(operation, 0)->storage_class)) {
        return sim_operation_fail(operation, "the cast is not to storage class Generic");
    }
    return check_cast(operation);
}

rt_status sim_check_from_generic(const sim_operation *operation)
{
    if (!is_specific(operation->type->storage_class) ||
        sim_operand_type(operation, 0)->storage_class != SIM_StorageClassGeneric) {
        return sim_operation_fail(operation, "the cast is not from storage class Generic");
    }
    return check_cast(operation);
}

rt_status sim_check_pointer_difference(const sim_operation *operation)
{
    const sim_type *left = sim_operand_type(operation, 0)->element;
    const sim_type *right = sim_operand_type(operation, 1)->element;
    return sim_operation_require(
        operation, sim_type_same(left, right) && left->size_bytes > 0,
        "the operands must point to the same type, which must have a size");
}

/* ---- Vectors and composites ---------------------------------------------------------------- */

rt_status sim_check_vector_extract(const sim_operation *operation)
{
    return sim_operation_require(
        operation, sim_type_same(sim_operand_type(operation, 0)->element, operation->type),
        "the result does not have the vector's component type");
}

rt_status sim_check_vector_insert(const sim_operation *operation)
{
    return sim_operation_require(
        operation, sim_type_same(operation->type->element, sim_operand_type(operation, 1)),
        "the operand does not have the vector's component type");
}

rt_status sim_check_shuffle(const sim_operation *operation)
{
    const sim_type *left = sim_operand_type(operation, 0), *right = sim_operand_type(operation, 1);
    if (!sim_type_same(left->element, operation->type->element) ||
        !sim_type_same(right->element, operation->type->element)) {
        return sim_operation_fail(operation, "the vectors differ in component type");
    }
    if (operation->operand_count - 2 != operation->type->count) {
        return sim_operation_fail(operation, "%u components are selected, but the result has %llu",
                                  operation->operand_count - 2,
                                  (unsigned long long)operation->type->count);
    }
    for (uint32_t i = 2; i < operation->operand_count; i++) {
        uint32_t component = operation->operands[i];
        /* All ones: the component is undefined. */
        if (component != UINT32_MAX && component >= left->count + right->count) {
            return sim_operation_fail(operation, "component %u does not exist", component);
        }
    }
    return RT_STATUS_OK;
}

/* A vector may be built from scalars and from vectors with the same component type. */
static rt_status check_construct_vector(const sim_operation *operation)
{
    const sim_type *element = operation->type->element;
    uint64_t count = 0;
    for (uint32_t i = 0; i < operation->operand_count; i++) {
        const sim_type *part = sim_operand_type(operation, i);
        bool is_vector = part && part->kind == SIM_TYPE_VECTOR;
        if (!sim_type_same(is_vector ? part->element : part, element)) {
            return sim_operation_fail(
                operation, "constituent %u, id %u, does not have the vector's component type", i,
                operation->operands[i]);
        }
        count += is_vector ? part->count : 1;
    }
    return sim_operation_require(operation, count == operation->type->count,
                                 "the constituents have %llu components, not %llu",
                                 (unsigned long long)count,
                                 (unsigned long long)operation->type->count);
}

rt_status sim_check_construct(const sim_operation *operation)
{
    const sim_type *type = operation->type;
    if (type->kind == SIM_TYPE_VECTOR) return check_construct_vector(operation);
    if (type->kind != SIM_TYPE_STRUCT && type->kind != SIM_TYPE_ARRAY) {
        return sim_operation_fail(operation, "type %u is not a composite", type->id);
    }
    if (operation->operand_count != type->count) {
        return sim_operation_fail(operation, "there are %u constituents, but the type has %llu",
                                  operation->operand_count, (unsigned long long)type->count);
    }
    for (uint32_t i = 0; i < operation->operand_count; i++) {
        const sim_type *part = sim_operand_type(operation, i);
        if (!sim_type_same(part, sim_type_part(type, i))) {
            return sim_operation_fail(operation,
                                      "constituent %u, id %u, differs in type from "
                                      "the member",
                                      i, operation->operands[i]);
        }
    }
    return RT_STATUS_OK;
}

/* Finds the type of the part of a composite that the literal indices from operand `first` on
 * select; on failure *out_part is NULL. */
static rt_status part_at(const sim_operation *operation, const sim_type *type, uint32_t first,
                         const sim_type **out_part)
{
    *out_part = NULL;
    for (uint32_t i = first; i < operation->operand_count; i++) {
        uint32_t index = operation->operands[i];
        if (!sim_type_is_composite(type) || index >= type->count) {
            return sim_operation_fail(operation, "index %u does not select a member of type %u",
                                      index, type->id);
        }
        type = sim_type_part(type, index);
    }
    *out_part = type;
    return RT_STATUS_OK;
}

rt_status sim_check_extract(const sim_operation *operation)
{
    const sim_type *part = NULL;
    RT_TRY(part_at(operation, sim_operand_type(operation, 0), 1, &part));
    return sim_operation_require(operation, sim_type_same(part, operation->type),
                                 "the part differs in type from the result");
}

rt_status sim_check_insert(const sim_operation *operation)
{
    const sim_type *part = NULL;
    RT_TRY(part_at(operation, operation->type, 2, &part));
    return sim_operation_require(operation, sim_type_same(part, sim_operand_type(operation, 0)),
                                 "the operand differs in type from the part");
}

/* True if OpCopyLogical can copy between the types: they are equal apart from names and layout. */
static bool matches_logically(const sim_type *a, const sim_type *b)
{
    if (a->kind != b->kind || a->count != b->count) return false;
    if (a->kind == SIM_TYPE_ARRAY) return matches_logically(a->element, b->element);
    if (a->kind != SIM_TYPE_STRUCT) return sim_type_equal(a, b);
    for (uint64_t i = 0; i < a->count; i++) {
        if (!matches_logically(a->members[i], b->members[i])) return false;
    }
    return true;
}

rt_status sim_check_copy_logical(const sim_operation *operation)
{
    const sim_type *from = sim_operand_type(operation, 0), *to = operation->type;
    bool are_aggregates = to->kind == SIM_TYPE_STRUCT || to->kind == SIM_TYPE_ARRAY;
    return sim_operation_require(
        operation, from->id != to->id && are_aggregates && matches_logically(from, to),
        "types %u and %u are not two aggregates with matching parts", from->id, to->id);
}

/* ---- Extended instructions ----------------------------------------------------------------- */

rt_status sim_check_extended(const sim_operation *operation)
{
    sim_operation inner = *operation;
    const sim_id_entry *set = sim_module_id(operation->reader->module, operation->operands[0]);
    if (set->kind != SIM_ID_SET || set->index != SIM_SET_OPENCL_STD) {
        return sim_operation_fail(operation, "id %u is not an instruction set that can be executed",
                                  operation->operands[0]);
    }
    const sim_extended *row = sim_extended_find(operation->operands[1]);
    if (!row) {
        return sim_operation_fail(operation, "OpenCL.std has no instruction %u",
                                  operation->operands[1]);
    }
    if (row->treatment == SIM_TREATMENT_REFUSED) {
        return sim_reader_fail(operation->reader, RT_UNSUPPORTED, operation->offset,
                               "OpenCL.std %s is refused: %s", row->name, row->reason);
    }
    inner.group = row->group;
    inner.operands += 2;
    inner.operand_count -= 2;
    if (inner.operand_count < row->operand_count ||
        (inner.operand_count > row->operand_count && !row->has_more)) {
        return sim_operation_fail(operation, "OpenCL.std %s takes %u operands, not %u", row->name,
                                  row->operand_count, inner.operand_count);
    }
    CHECK(inner.group != SIM_GROUP_EXTENDED);
    RT_TRY(sim_rules_apply(&inner));
    bool is_24 = row->number == SIM_STD_s_mul24 || row->number == SIM_STD_u_mul24 ||
                 row->number == SIM_STD_s_mad24 || row->number == SIM_STD_u_mad24;
    return is_24 ? sim_check_int32(&inner) : RT_STATUS_OK;
}

/* Arguments are limited to what C compilers can pass for "...": no aggregates and no bools. */
rt_status sim_check_print(const sim_operation *operation)
{
    const sim_type *format = sim_operand_type(operation, 0);
    if (operation->type->bits != 32) {
        return sim_operation_fail(operation, "the result of printf must be a 32-bit integer");
    }
    if (format->storage_class != SIM_StorageClassUniformConstant ||
        format->element->kind != SIM_TYPE_INT || format->element->bits != 8) {
        return sim_operation_fail(
            operation, "the format is not a pointer to 8-bit integers in UniformConstant");
    }
    for (uint32_t i = 1; i < operation->operand_count; i++) {
        const sim_type *type = sim_operand_type(operation, i);
        const sim_type *scalar = type ? sim_component_type(type) : NULL;
        if (!scalar || (scalar->kind != SIM_TYPE_INT && scalar->kind != SIM_TYPE_FLOAT &&
                        type->kind != SIM_TYPE_POINTER)) {
            return sim_operation_fail(operation, "argument %u of printf is not a number or pointer",
                                      i);
        }
    }
    return RT_STATUS_OK;
}

/* ---- Memory -------------------------------------------------------------------------------- */

rt_status sim_check_variable(const sim_operation *operation)
{
    const sim_type *type = operation->type;
    if (operation->operands[0] != SIM_StorageClassFunction ||
        type->storage_class != SIM_StorageClassFunction) {
        return sim_operation_fail(operation,
                                  "a variable in a function must have storage class Function");
    }
    if (type->element->alignment_bytes == 0) {
        return sim_operation_fail(operation, "type %u has no values", type->element->id);
    }
    if (operation->operand_count < 2) return RT_STATUS_OK;
    const sim_id_entry *value = sim_module_id(operation->reader->module, operation->operands[1]);
    bool is_constant = value->kind == SIM_ID_CONSTANT || value->kind == SIM_ID_VARIABLE;
    return sim_operation_require(operation,
                                 is_constant && sim_type_same(value->type, type->element),
                                 "the initializer %u is not a constant of type %u",
                                 operation->operands[1], type->element->id);
}

rt_status sim_check_load(const sim_operation *operation)
{
    return sim_operation_require(
        operation, sim_type_same(sim_operand_type(operation, 0)->element, operation->type),
        "the pointer does not point to the result's type");
}

rt_status sim_check_store(const sim_operation *operation)
{
    uint32_t storage_class = sim_operand_type(operation, 0)->storage_class;
    if (storage_class == SIM_StorageClassUniformConstant) {
        return sim_operation_fail(operation, "storage class UniformConstant cannot be written");
    }
    return sim_operation_require(
        operation,
        sim_type_same(sim_operand_type(operation, 0)->element, sim_operand_type(operation, 1)),
        "the pointer does not point to the value's type");
}

rt_status sim_check_copy_memory(const sim_operation *operation)
{
    const sim_type *target = sim_operand_type(operation, 0)->element;
    return sim_operation_require(
        operation,
        sim_type_same(target, sim_operand_type(operation, 1)->element) &&
            target->alignment_bytes != 0,
        "the pointers must point to the same type, which must have values");
}

/* Follows the indices from operand `first` on into the base's pointee and checks that the result
 * points to the part that they select. */
static rt_status check_chain(const sim_operation *operation, uint32_t first)
{
    const sim_module *module = operation->reader->module;
    const sim_type *base = sim_operand_type(operation, 0), *part = base->element;
    for (uint32_t i = first; i < operation->operand_count; i++) {
        const sim_type *index = sim_operand_type(operation, i);
        if (!index || index->kind != SIM_TYPE_INT) {
            return sim_operation_fail(operation, "index %u is not an integer",
                                      operation->operands[i]);
        }
        if (part->kind == SIM_TYPE_STRUCT) {
            const sim_id_entry *entry = sim_module_id(module, operation->operands[i]);
            const sim_constant *member =
                entry->kind == SIM_ID_CONSTANT ? &module->constants[entry->index] : NULL;
            bool is_plain =
                member && (member->kind == SIM_CONSTANT_BITS || member->kind == SIM_CONSTANT_NULL);
            if (!is_plain || member->bits >= part->count) {
                return sim_operation_fail(
                    operation, "id %u is not a constant that selects one of %llu members",
                    operation->operands[i], (unsigned long long)part->count);
            }
            part = part->members[member->bits];
        } else if (part->kind == SIM_TYPE_ARRAY || part->kind == SIM_TYPE_VECTOR) {
            part = part->element;
        } else {
            return sim_operation_fail(operation,
                                      "index %u is applied to type %u, which has no parts",
                                      operation->operands[i], part->id);
        }
    }
    return sim_operation_require(operation,
                                 operation->type->storage_class == base->storage_class &&
                                     sim_type_same(operation->type->element, part),
                                 "the result does not point to type %u in %s", part->id,
                                 sim_enumerant_name(SIM_KIND_StorageClass, base->storage_class));
}

rt_status sim_check_access_chain(const sim_operation *operation)
{
    return check_chain(operation, 1);
}

rt_status sim_check_pointer_chain(const sim_operation *operation)
{
    const sim_type *element = sim_operand_type(operation, 0)->element;
    if (element->alignment_bytes == 0) {
        return sim_operation_fail(operation, "the base points to type %u, which has no size",
                                  element->id);
    }
    return check_chain(operation, 2);
}

rt_status sim_check_size_of(const sim_operation *operation)
{
    const sim_type *type = sim_operand_type(operation, 0)->element;
    if (type->alignment_bytes == 0) {
        return sim_operation_fail(operation, "the pointer points to type %u, which has no size",
                                  type->id);
    }
    return sim_check_int32(operation);
}

rt_status sim_check_generic_semantics(const sim_operation *operation)
{
    if (sim_operand_type(operation, 0)->storage_class != SIM_StorageClassGeneric) {
        return sim_operation_fail(operation, "the pointer is not of storage class Generic");
    }
    return sim_check_int32(operation);
}

/* One pointer is to the work-group's memory, the other to global memory. */
rt_status sim_check_async_copy(const sim_operation *operation)
{
    const sim_type *target = sim_operand_type(operation, 1);
    const sim_type *source = sim_operand_type(operation, 2);
    bool inward = target->storage_class == SIM_StorageClassWorkgroup &&
                  source->storage_class == SIM_StorageClassCrossWorkgroup;
    bool outward = target->storage_class == SIM_StorageClassCrossWorkgroup &&
                   source->storage_class == SIM_StorageClassWorkgroup;
    if (!sim_type_same(target->element, source->element) || target->element->size_bytes == 0) {
        return sim_operation_fail(
            operation, "the pointers must point to the same type, which must have a size");
    }
    return sim_operation_require(operation, inward || outward,
                                 "the copy is not between CrossWorkgroup and Workgroup memory");
}

/* ---- Atomics ------------------------------------------------------------------------------- */

static rt_status check_atomic_of(const sim_operation *operation, const sim_type *value)
{
    bool takes_floats = operation->group == SIM_GROUP_ATOMIC_LOAD ||
                        operation->group == SIM_GROUP_ATOMIC_STORE ||
                        operation->opcode->number == SIM_OpAtomicExchange;
    if (!sim_type_same(sim_operand_type(operation, 0)->element, value)) {
        return sim_operation_fail(operation, "the pointer does not point to the value's type");
    }
    bool is_float = value->kind == SIM_TYPE_FLOAT;
    if (is_float ? !takes_floats : value->bits < 32) {
        return sim_operation_fail(operation, "the value is not a 32-bit or 64-bit integer");
    }
    if (value->kind == SIM_TYPE_INT && value->bits == 64) {
        static const uint16_t wide[] = {SIM_CapabilityInt64Atomics};
        sim_view view = sim_reader_view(operation->reader, operation->offset);
        return sim_needs_capability(operation->reader, &view, "a 64-bit atomic", wide, 1);
    }
    return RT_STATUS_OK;
}

rt_status sim_check_atomic(const sim_operation *operation)
{
    return check_atomic_of(operation, operation->type);
}

rt_status sim_check_atomic_float(const sim_operation *operation)
{
    return sim_operation_require(
        operation, sim_type_same(sim_operand_type(operation, 0)->element, operation->type),
        "the pointer does not point to the value's type");
}

rt_status sim_check_atomic_flag(const sim_operation *operation)
{
    const sim_type *flag = sim_operand_type(operation, 0)->element;
    return sim_operation_require(operation, flag->kind == SIM_TYPE_INT && flag->bits == 32,
                                 "the pointer does not point to a 32-bit integer");
}

rt_status sim_check_atomic_store(const sim_operation *operation)
{
    return check_atomic_of(operation, sim_operand_type(operation, 3));
}

/* ---- Calls --------------------------------------------------------------------------------- */

/* Checks the result and arguments of a direct or indirect call to a function of the given type. */
static rt_status check_arguments(const sim_operation *operation, const sim_type *type)
{
    if (!sim_type_same(operation->type, type->element)) {
        return sim_operation_fail(operation,
                                  "the result's type is not the return type of function %u",
                                  operation->operands[0]);
    }
    if (operation->operand_count - 1 != type->count) {
        return sim_operation_fail(operation, "%u arguments are passed, but function %u takes %llu",
                                  operation->operand_count - 1, operation->operands[0],
                                  (unsigned long long)type->count);
    }
    for (uint32_t i = 1; i < operation->operand_count; i++) {
        const sim_type *argument = sim_operand_type(operation, i);
        if (!sim_type_same(argument, type->members[i - 1])) {
            return sim_operation_fail(operation,
                                      "argument %u, id %u, differs in type from the "
                                      "parameter",
                                      i - 1, operation->operands[i]);
        }
    }
    return RT_STATUS_OK;
}

rt_status sim_check_call(const sim_operation *operation)
{
    const sim_module *module = operation->reader->module;
    const sim_id_entry *entry = sim_module_id(module, operation->operands[0]);
    if (entry->kind != SIM_ID_FUNCTION) {
        return sim_operation_fail(operation, "id %u is not a function", operation->operands[0]);
    }
    const sim_function *function = &module->functions[entry->index];
    if (sim_module_is_entry(module, function)) {
        return sim_operation_fail(operation,
                                  "function %u is an entry point, which cannot be called",
                                  operation->operands[0]);
    }
    return check_arguments(operation, function->type);
}

rt_status sim_check_call_pointer(const sim_operation *operation)
{
    if (operation->operand_count == 0) {
        return sim_operation_fail(operation, "the call has no function pointer");
    }
    const sim_type *type = sim_operand_type(operation, 0)->element;
    if (type->kind != SIM_TYPE_FUNCTION) {
        return sim_operation_fail(operation, "operand 0, id %u, does not point to a function",
                                  operation->operands[0]);
    }
    return check_arguments(operation, type);
}

rt_status sim_check_return(const sim_operation *operation)
{
    CHECK(operation->function);
    return sim_operation_require(operation,
                                 operation->function->type->element->kind == SIM_TYPE_VOID,
                                 "the function returns a value");
}

rt_status sim_check_return_value(const sim_operation *operation)
{
    CHECK(operation->function);
    return sim_operation_require(
        operation,
        sim_type_same(sim_operand_type(operation, 0), operation->function->type->element),
        "the value's type is not the function's return type");
}
