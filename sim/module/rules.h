/* The type rules for one operation, which is an instruction of a function, an instruction of
 * OpenCL.std or the operation of OpSpecConstantOp; private to rules.c, shapes.c and validate.c. */
#ifndef SIM_RULES_H
#define SIM_RULES_H

#include "sim/module/reader.h"

/* The operation that a rule is applied to. */
typedef struct sim_operation {
    sim_reader *reader;
    const sim_function *function; /* contains the operation; NULL at module scope */
    uint32_t offset;              /* words from the module's start, for messages */
    const sim_opcode *opcode;
    sim_group group;
    const sim_type *type; /* of the result, or NULL */
    const uint32_t *operands;
    uint32_t operand_count; /* words */
} sim_operation;

/* Checks the additional rules of one group; called only if the table's constraints hold. */
typedef rt_status sim_check(const sim_operation *operation);

/* Checks the operands of an operation against the rule of its group.  MALFORMED, UNSUPPORTED. */
RT_MUST_USE rt_status sim_rules_apply(const sim_operation *operation);

/* The type of a value operand; NULL for an id that is not a value. */
static inline const sim_type *sim_operand_type(const sim_operation *operation, uint32_t index)
{
    CHECK(index < operation->operand_count);
    return sim_module_id(operation->reader->module, operation->operands[index])->type;
}

/* Returns a MALFORMED status about an operation. */
#define sim_operation_fail(operation, ...)                                                         \
    sim_reader_fail((operation)->reader, RT_MALFORMED, (operation)->offset, __VA_ARGS__)

/* The same status unless the condition holds. */
#define sim_operation_require(operation, condition, ...)                                           \
    ((condition) ? RT_STATUS_OK : sim_operation_fail(operation, __VA_ARGS__))

/* The type of a vector's components; any other type is its own single component. */
static inline const sim_type *sim_component_type(const sim_type *type)
{
    return type->kind == SIM_TYPE_VECTOR ? type->element : type;
}

static inline uint64_t sim_component_count(const sim_type *type)
{
    CHECK(type->kind != SIM_TYPE_VECTOR || type->count >= 2);
    return type->kind == SIM_TYPE_VECTOR ? type->count : 1;
}

/* ---- shapes.c: rules that a constraint per operand cannot express --------------------------- */

sim_check sim_check_width, sim_check_select, sim_check_dot, sim_check_vector_by_scalar,
    sim_check_bitcast;
sim_check sim_check_float_by_integer, sim_check_int32, sim_check_nan_code, sim_check_float_parts;
sim_check sim_check_second_integer, sim_check_geometric;
sim_check sim_check_to_generic, sim_check_from_generic, sim_check_pointer_difference;
sim_check sim_check_vector_extract, sim_check_vector_insert, sim_check_shuffle;
sim_check sim_check_construct, sim_check_extract, sim_check_insert, sim_check_extended;
sim_check sim_check_variable, sim_check_load, sim_check_store, sim_check_copy_memory;
sim_check sim_check_access_chain, sim_check_pointer_chain, sim_check_atomic;
sim_check sim_check_atomic_store, sim_check_call, sim_check_call_pointer, sim_check_return;
sim_check sim_check_return_value, sim_check_atomic_float, sim_check_atomic_flag;
sim_check sim_check_async_copy, sim_check_collective, sim_check_copy_logical, sim_check_print;
sim_check sim_check_size_of, sim_check_generic_semantics;

/* ---- shapes_vector.c ------------------------------------------------------------------------ */

sim_check sim_check_quantize, sim_check_upsample, sim_check_lane_select, sim_check_integer_pair;
sim_check sim_check_integer_dot, sim_check_mask_shuffle;
/* Only for OpenCL.std: the word before the operands is the number of the instruction. */
sim_check sim_check_vector_load, sim_check_vector_store;

#endif
