/* The type rules as a table: for each group of instructions, the allowed types of the result and of
 * each operand; anything that a row cannot express is a check in shapes.c.
 *
 * The table holds the rules that the engine relies on, which are nearly all of the specification's.
 * Source: SPIR-V specification 1.6, section 3.42; OpenCL extended instruction set 1.0. */
#include "sim/module/rules.h"

/* Constraints on a type.  Kinds and shapes list what is allowed; RESULT_… and FIRST_… are
 * requirements. */
enum {
    BOOLS = 1 << 0,
    INTEGERS = 1 << 1,
    FLOATS = 1 << 2,
    POINTERS = 1 << 3,
    AGGREGATES = 1 << 4, /* arrays and structs */
    SCALAR = 1 << 5,
    VECTOR = 1 << 6,
    RESULT_SAME = 1 << 7,  /* the type of the result */
    RESULT_SHAPE = 1 << 8, /* as many components as the result */
    FIRST_SAME = 1 << 9,   /* the type of the first operand */

    EVENTS = 1 << 10,
    WIDTH_32 = 1 << 11,

    KINDS = BOOLS | INTEGERS | FLOATS | POINTERS | AGGREGATES | EVENTS,
    SHAPES = SCALAR | VECTOR,
    ANY = KINDS | SHAPES,
    NUMBER = INTEGERS | FLOATS | SCALAR,
    INTEGER = INTEGERS | SCALAR,
    ORDER = INTEGER | WIDTH_32, /* a scope, or memory semantics: sections 3.27 and 3.25 */
    POINTER = POINTERS | SCALAR,
    INTEGER_LANES = INTEGERS | SHAPES,
    FLOAT_LANES = FLOATS | SHAPES,
    BOOL_LANES = BOOLS | SHAPES,
};

enum { OPERANDS_MAX = 6 };

typedef struct type_rule {
    uint16_t result;                 /* 0: no result, or the check handles it */
    uint16_t operands[OPERANDS_MAX]; /* 0: not a value, or the check handles it */
    sim_check *check;                /* NULL: none */
} type_rule;

static const type_rule rules[SIM_GROUP_COUNT] = {
    [SIM_GROUP_UNDEFINED] = {ANY, {0}, NULL},
    [SIM_GROUP_COPY] = {ANY, {RESULT_SAME}, NULL},
    [SIM_GROUP_INTEGER_UNARY] = {INTEGER_LANES, {RESULT_SAME}, NULL},
    [SIM_GROUP_INTEGER_BINARY] = {INTEGER_LANES, {RESULT_SAME, RESULT_SAME}, NULL},
    [SIM_GROUP_INTEGER_TERNARY] = {INTEGER_LANES, {RESULT_SAME, RESULT_SAME, RESULT_SAME}, NULL},
    [SIM_GROUP_FLOAT_UNARY] = {FLOAT_LANES, {RESULT_SAME}, NULL},
    [SIM_GROUP_FLOAT_BINARY] = {FLOAT_LANES, {RESULT_SAME, RESULT_SAME}, NULL},
    [SIM_GROUP_FLOAT_TERNARY] = {FLOAT_LANES, {RESULT_SAME, RESULT_SAME, RESULT_SAME}, NULL},
    [SIM_GROUP_FLOAT_BY_INTEGER] = {FLOAT_LANES,
                                    {RESULT_SAME, INTEGER_LANES | RESULT_SHAPE},
                                    sim_check_float_by_integer},
    [SIM_GROUP_FLOAT_EXPONENT] = {INTEGER_LANES, {FLOAT_LANES | RESULT_SHAPE}, sim_check_int32},
    [SIM_GROUP_FLOAT_NAN] = {FLOAT_LANES, {INTEGER_LANES | RESULT_SHAPE}, sim_check_nan_code},
    [SIM_GROUP_FLOAT_PARTS] = {FLOAT_LANES, {RESULT_SAME, POINTER}, sim_check_float_parts},
    [SIM_GROUP_FLOAT_AND_INTEGER] = {FLOAT_LANES, {RESULT_SAME, POINTER}, sim_check_second_integer},
    [SIM_GROUP_FLOAT_QUOTIENT] = {FLOAT_LANES,
                                  {RESULT_SAME, RESULT_SAME, POINTER},
                                  sim_check_second_integer},
    [SIM_GROUP_CROSS] = {FLOATS | VECTOR, {RESULT_SAME, RESULT_SAME}, sim_check_geometric},
    [SIM_GROUP_DISTANCE] = {FLOATS | SCALAR, {FLOAT_LANES, FIRST_SAME}, sim_check_geometric},
    [SIM_GROUP_LENGTH] = {FLOATS | SCALAR, {FLOAT_LANES}, sim_check_geometric},
    [SIM_GROUP_NORMALIZE] = {FLOAT_LANES, {RESULT_SAME}, sim_check_geometric},
    [SIM_GROUP_VECTOR_BY_SCALAR] = {FLOATS | VECTOR,
                                    {RESULT_SAME, FLOATS | SCALAR},
                                    sim_check_vector_by_scalar},
    [SIM_GROUP_DOT] = {FLOATS | SCALAR, {FLOATS | VECTOR, FIRST_SAME}, sim_check_dot},
    [SIM_GROUP_SHIFT] = {INTEGER_LANES, {RESULT_SAME, INTEGER_LANES | RESULT_SHAPE}, NULL},
    [SIM_GROUP_BIT_INSERT] = {INTEGER_LANES, {RESULT_SAME, RESULT_SAME, INTEGER, INTEGER}, NULL},
    [SIM_GROUP_BIT_EXTRACT] = {INTEGER_LANES, {RESULT_SAME, INTEGER, INTEGER}, NULL},
    [SIM_GROUP_BIT_COUNT] = {INTEGER_LANES, {INTEGER_LANES | RESULT_SHAPE}, NULL},
    [SIM_GROUP_FLOAT_TO_INTEGER] = {INTEGER_LANES, {FLOAT_LANES | RESULT_SHAPE}, NULL},
    [SIM_GROUP_INTEGER_TO_FLOAT] = {FLOAT_LANES, {INTEGER_LANES | RESULT_SHAPE}, NULL},
    [SIM_GROUP_INTEGER_TO_INTEGER] = {INTEGER_LANES,
                                      {INTEGER_LANES | RESULT_SHAPE},
                                      sim_check_width},
    [SIM_GROUP_FLOAT_TO_FLOAT] = {FLOAT_LANES, {FLOAT_LANES | RESULT_SHAPE}, sim_check_width},
    [SIM_GROUP_POINTER_TO_INTEGER] = {INTEGER, {POINTER}, NULL},
    [SIM_GROUP_INTEGER_TO_POINTER] = {POINTER, {INTEGER}, NULL},
    [SIM_GROUP_TO_GENERIC] = {POINTER, {POINTER}, sim_check_to_generic},
    [SIM_GROUP_FROM_GENERIC] = {POINTER, {POINTER}, sim_check_from_generic},
    [SIM_GROUP_BITCAST] = {INTEGERS | FLOATS | POINTERS | SHAPES,
                           {INTEGERS | FLOATS | POINTERS | SHAPES},
                           sim_check_bitcast},
    [SIM_GROUP_ANY_ALL] = {BOOLS | SCALAR, {BOOLS | VECTOR}, NULL},
    [SIM_GROUP_FLOAT_TEST] = {BOOL_LANES, {FLOAT_LANES | RESULT_SHAPE}, NULL},
    [SIM_GROUP_FLOAT_COMPARE] = {BOOL_LANES, {FLOAT_LANES | RESULT_SHAPE, FIRST_SAME}, NULL},
    [SIM_GROUP_INTEGER_COMPARE] = {BOOL_LANES, {INTEGER_LANES | RESULT_SHAPE, FIRST_SAME}, NULL},
    [SIM_GROUP_LOGICAL] = {BOOL_LANES, {RESULT_SAME, RESULT_SAME}, NULL},
    [SIM_GROUP_SELECT] = {ANY, {BOOL_LANES, RESULT_SAME, RESULT_SAME}, sim_check_select},
    [SIM_GROUP_POINTER_COMPARE] = {BOOLS | SCALAR, {POINTER, FIRST_SAME}, NULL},
    [SIM_GROUP_POINTER_DIFFERENCE] = {INTEGER, {POINTER, POINTER}, sim_check_pointer_difference},
    [SIM_GROUP_VECTOR_EXTRACT] = {BOOLS | NUMBER,
                                  {ANY & ~SCALAR, INTEGER},
                                  sim_check_vector_extract},
    [SIM_GROUP_VECTOR_INSERT] = {BOOLS | INTEGERS | FLOATS | VECTOR,
                                 {RESULT_SAME, BOOLS | NUMBER, INTEGER},
                                 sim_check_vector_insert},
    [SIM_GROUP_SHUFFLE] = {BOOLS | INTEGERS | FLOATS | VECTOR,
                           {BOOLS | INTEGERS | FLOATS | VECTOR, BOOLS | INTEGERS | FLOATS | VECTOR},
                           sim_check_shuffle},
    [SIM_GROUP_CONSTRUCT] = {ANY, {0}, sim_check_construct},
    [SIM_GROUP_EXTRACT] = {ANY, {ANY}, sim_check_extract},
    [SIM_GROUP_INSERT] = {ANY, {ANY, RESULT_SAME}, sim_check_insert},
    [SIM_GROUP_EXTENDED] = {0, {0}, sim_check_extended},
    [SIM_GROUP_EXPECT] = {ANY, {RESULT_SAME, RESULT_SAME}, NULL},
    [SIM_GROUP_QUANTIZE] = {FLOAT_LANES, {RESULT_SAME}, sim_check_quantize},
    [SIM_GROUP_INTEGER_PAIR] = {AGGREGATES | SCALAR,
                                {INTEGER_LANES, FIRST_SAME},
                                sim_check_integer_pair},
    [SIM_GROUP_INTEGER_DOT] = {INTEGER, {INTEGER_LANES, FIRST_SAME}, sim_check_integer_dot},
    [SIM_GROUP_UPSAMPLE] = {INTEGER_LANES,
                            {INTEGER_LANES | RESULT_SHAPE, FIRST_SAME},
                            sim_check_upsample},
    [SIM_GROUP_BIT_SELECT] = {INTEGERS | FLOATS | SHAPES,
                              {RESULT_SAME, RESULT_SAME, RESULT_SAME},
                              NULL},
    [SIM_GROUP_LANE_SELECT] = {INTEGERS | FLOATS | SHAPES,
                               {RESULT_SAME, RESULT_SAME, INTEGER_LANES | RESULT_SHAPE},
                               sim_check_lane_select},
    [SIM_GROUP_MASK_SHUFFLE] = {INTEGERS | FLOATS | VECTOR,
                                {INTEGERS | FLOATS | VECTOR, INTEGERS | FLOATS | VECTOR},
                                sim_check_mask_shuffle},
    [SIM_GROUP_COPY_LOGICAL] = {AGGREGATES | SCALAR, {AGGREGATES | SCALAR}, sim_check_copy_logical},
    [SIM_GROUP_PRODUCT_32X16] = {INTEGER_LANES, {RESULT_SAME, RESULT_SAME}, sim_check_int32},

    [SIM_GROUP_VARIABLE] = {POINTER, {0}, sim_check_variable},
    [SIM_GROUP_LOAD] = {ANY, {POINTER}, sim_check_load},
    [SIM_GROUP_STORE] = {0, {POINTER, ANY}, sim_check_store},
    [SIM_GROUP_COPY_MEMORY] = {0, {POINTER, POINTER}, sim_check_copy_memory},
    [SIM_GROUP_COPY_MEMORY_SIZED] = {0, {POINTER, POINTER, INTEGER}, NULL},
    [SIM_GROUP_ACCESS_CHAIN] = {POINTER, {POINTER}, sim_check_access_chain},
    [SIM_GROUP_POINTER_CHAIN] = {POINTER, {POINTER, INTEGER}, sim_check_pointer_chain},
    [SIM_GROUP_SIZE_OF] = {INTEGER, {POINTER}, sim_check_size_of},
    [SIM_GROUP_GENERIC_SEMANTICS] = {INTEGER, {POINTER}, sim_check_generic_semantics},
    [SIM_GROUP_LIFETIME] = {0, {POINTER}, NULL},
    [SIM_GROUP_PREFETCH] = {0, {POINTER, INTEGER}, NULL},
    [SIM_GROUP_VECTOR_LOAD] = {INTEGERS | FLOATS | SHAPES,
                               {INTEGER, POINTER},
                               sim_check_vector_load},
    [SIM_GROUP_VECTOR_STORE] = {0,
                                {INTEGERS | FLOATS | SHAPES, INTEGER, POINTER},
                                sim_check_vector_store},
    [SIM_GROUP_ATOMIC_LOAD] = {NUMBER, {POINTER, ORDER, ORDER}, sim_check_atomic},
    [SIM_GROUP_ATOMIC_STORE] = {0, {POINTER, ORDER, ORDER, NUMBER}, sim_check_atomic_store},
    [SIM_GROUP_ATOMIC_STEP] = {INTEGER, {POINTER, ORDER, ORDER}, sim_check_atomic},
    [SIM_GROUP_ATOMIC_UPDATE] = {NUMBER, {POINTER, ORDER, ORDER, RESULT_SAME}, sim_check_atomic},
    [SIM_GROUP_ATOMIC_COMPARE] = {INTEGER,
                                  {POINTER, ORDER, ORDER, ORDER, RESULT_SAME, RESULT_SAME},
                                  sim_check_atomic},

    [SIM_GROUP_ATOMIC_FLOAT] = {FLOATS | SCALAR,
                                {POINTER, ORDER, ORDER, RESULT_SAME},
                                sim_check_atomic_float},
    [SIM_GROUP_ATOMIC_FLAG] = {BOOLS | SCALAR, {POINTER, ORDER, ORDER}, sim_check_atomic_flag},
    [SIM_GROUP_ATOMIC_FLAG_CLEAR] = {0, {POINTER, ORDER, ORDER}, sim_check_atomic_flag},
    [SIM_GROUP_PRINT] = {INTEGER, {POINTER}, sim_check_print},
    [SIM_GROUP_ASYNC_COPY] = {EVENTS | SCALAR,
                              {ORDER, POINTER, POINTER, INTEGER, INTEGER, EVENTS | SCALAR},
                              sim_check_async_copy},
    [SIM_GROUP_COLLECTIVE] = {0, {0}, sim_check_collective},
    [SIM_GROUP_WAIT_EVENTS] = {0, {ORDER, INTEGER, POINTER}, NULL},

    [SIM_GROUP_CONTROL_BARRIER] = {0, {ORDER, ORDER, ORDER}, NULL},
    [SIM_GROUP_ARRIVE] = {0, {ORDER, ORDER, ORDER}, NULL},
    [SIM_GROUP_MEMORY_BARRIER] = {0, {ORDER, ORDER}, NULL},
    [SIM_GROUP_ASSUME] = {0, {BOOLS | SCALAR}, NULL},
    [SIM_GROUP_CALL] = {0, {0}, sim_check_call},
    [SIM_GROUP_CALL_POINTER] = {0, {POINTER}, sim_check_call_pointer},
    [SIM_GROUP_PHI] = {ANY, {0}, NULL}, /* checked in validate.c */
    [SIM_GROUP_BRANCH_CONDITIONAL] = {0, {BOOLS | SCALAR}, NULL},
    [SIM_GROUP_SWITCH] = {0, {INTEGER}, NULL},
    [SIM_GROUP_RETURN] = {0, {0}, sim_check_return},
    [SIM_GROUP_RETURN_VALUE] = {0, {ANY}, sim_check_return_value},
};

/* ---- Constraints --------------------------------------------------------------------------- */

static uint32_t kind_bit(const sim_type *type)
{
    switch (type->kind) {
    case SIM_TYPE_BOOL: return BOOLS;
    case SIM_TYPE_INT: return INTEGERS;
    case SIM_TYPE_FLOAT: return FLOATS;
    case SIM_TYPE_POINTER: return POINTERS;
    case SIM_TYPE_EVENT: return EVENTS;
    case SIM_TYPE_ARRAY:
    case SIM_TYPE_STRUCT: return AGGREGATES;
    default: return 0;
    }
}

/* True if a type satisfies a constraint. */
static bool is_allowed(const sim_type *type, uint32_t constraint)
{
    bool is_vector = type->kind == SIM_TYPE_VECTOR;
    if ((constraint & WIDTH_32) && type->bits != 32) return false;
    uint32_t kind = kind_bit(sim_component_type(type));
    return (kind & constraint) && ((is_vector ? VECTOR : SCALAR) & constraint);
}

/* Describes a constraint in words. */
static const char *describe(uint32_t constraint)
{
    if (constraint & RESULT_SAME) return "must have the type of the result";
    if (constraint & FIRST_SAME) return "must have the type of the first operand";
    if (constraint & WIDTH_32) return "must be a 32-bit integer";
    switch (constraint & KINDS) {
    case BOOLS: return constraint & VECTOR ? "must be bools" : "must be a bool";
    case INTEGERS:
        return constraint & VECTOR ? "must be integers, one for each component of the operation"
                                   : "must be an integer";
    case FLOATS:
        return constraint & VECTOR ? "must be floats, one for each component of the operation"
                                   : "must be a float";
    case POINTERS: return "must be a pointer";
    case EVENTS: return "must be an event";
    case INTEGERS | FLOATS: return "must be a number";
    default: return "must have a type that the instruction accepts";
    }
}

static bool fits(const sim_operation *operation, const sim_type *type, uint32_t constraint)
{
    if (constraint & RESULT_SAME) return sim_type_same(type, operation->type);
    if (constraint & FIRST_SAME) return sim_type_same(type, sim_operand_type(operation, 0));
    if ((constraint & RESULT_SHAPE) &&
        sim_component_count(type) != sim_component_count(operation->type)) {
        return false;
    }
    return is_allowed(type, constraint);
}

rt_status sim_rules_apply(const sim_operation *operation)
{
    const type_rule *rule = &rules[operation->group];
    CHECK(operation->group < SIM_GROUP_COUNT);
    if (rule->result && (!operation->type || !is_allowed(operation->type, rule->result))) {
        return sim_operation_fail(operation, "the result %s", describe(rule->result));
    }
    for (uint32_t i = 0; i < OPERANDS_MAX && i < operation->operand_count; i++) {
        uint32_t constraint = rule->operands[i];
        if (!constraint) continue;
        const sim_type *type = sim_operand_type(operation, i);
        if (!type || !fits(operation, type, constraint)) {
            return sim_operation_fail(operation, "operand %u, id %u, %s", i, operation->operands[i],
                                      type ? describe(constraint) : "is not a value");
        }
    }
    return rule->check ? rule->check(operation) : RT_STATUS_OK;
}
