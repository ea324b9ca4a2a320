/* The instructions of SPIR-V as tables: form (from the grammar) and treatment (semantics.def,
 * opencl_std.def).  The generated sim_spirv.h defines the numbers: every name of the specification
 * with the prefix SIM_, such as SIM_OpIAdd, SIM_StorageClassWorkgroup, SIM_BuiltInGlobalSize,
 * SIM_STD_fabs.  Source: SPIR-V specification 1.6 section 3, OpenCL extended instruction set 1.0.
 */
#ifndef SIM_OPCODES_H
#define SIM_OPCODES_H

#include "reference/base/text.h"
#include "sim_spirv.h" /* generated */

/* How an instruction is treated. */
typedef enum sim_treatment {
    SIM_TREATMENT_EXEC,    /* executed */
    SIM_TREATMENT_DECLARE, /* describes the module; recorded by the reader */
    SIM_TREATMENT_DEBUG,   /* form checked, then skipped */
    SIM_TREATMENT_REFUSED, /* a module with it is UNSUPPORTED */
} sim_treatment;

/* Groups of instructions that follow the same rule (rules.c) and, if executed, have handlers of the
 * same shape.  The specification's own classes cannot be used: function-pointer instructions belong
 * to none. */
#define SIM_GROUPS(GROUP)                                                                          \
    GROUP(NONE)                                                                                    \
    /* read, not executed */                                                                       \
    GROUP(HINT)                                                                                    \
    GROUP(SOURCE)                                                                                  \
    GROUP(ALIASING)                                                                                \
    GROUP(LINE)                                                                                    \
    GROUP(EXTENSION)                                                                               \
    GROUP(SET)                                                                                     \
    GROUP(MEMORY_MODEL)                                                                            \
    GROUP(ENTRY)                                                                                   \
    GROUP(MODE)                                                                                    \
    GROUP(CAPABILITY)                                                                              \
    GROUP(ANNOTATION)                                                                              \
    GROUP(TYPE)                                                                                    \
    GROUP(CONSTANT)                                                                                \
    GROUP(CONTINUED)                                                                               \
    GROUP(FUNCTION)                                                                                \
    GROUP(LABEL)                                                                                   \
    /* values */                                                                                   \
    GROUP(UNDEFINED)                                                                               \
    GROUP(COPY)                                                                                    \
    GROUP(INTEGER_UNARY)                                                                           \
    GROUP(INTEGER_BINARY)                                                                          \
    GROUP(INTEGER_TERNARY)                                                                         \
    GROUP(FLOAT_UNARY)                                                                             \
    GROUP(FLOAT_BINARY)                                                                            \
    GROUP(FLOAT_TERNARY)                                                                           \
    GROUP(FLOAT_BY_INTEGER)                                                                        \
    GROUP(FLOAT_EXPONENT)                                                                          \
    GROUP(FLOAT_NAN)                                                                               \
    GROUP(FLOAT_PARTS)                                                                             \
    GROUP(FLOAT_AND_INTEGER)                                                                       \
    GROUP(FLOAT_QUOTIENT)                                                                          \
    GROUP(CROSS)                                                                                   \
    GROUP(DISTANCE)                                                                                \
    GROUP(LENGTH)                                                                                  \
    GROUP(NORMALIZE)                                                                               \
    GROUP(VECTOR_BY_SCALAR)                                                                        \
    GROUP(DOT)                                                                                     \
    GROUP(SHIFT)                                                                                   \
    GROUP(BIT_INSERT)                                                                              \
    GROUP(BIT_EXTRACT)                                                                             \
    GROUP(BIT_COUNT)                                                                               \
    GROUP(FLOAT_TO_INTEGER)                                                                        \
    GROUP(INTEGER_TO_FLOAT)                                                                        \
    GROUP(INTEGER_TO_INTEGER)                                                                      \
    GROUP(FLOAT_TO_FLOAT)                                                                          \
    GROUP(POINTER_TO_INTEGER)                                                                      \
    GROUP(INTEGER_TO_POINTER)                                                                      \
    GROUP(TO_GENERIC)                                                                              \
    GROUP(FROM_GENERIC)                                                                            \
    GROUP(BITCAST)                                                                                 \
    GROUP(ANY_ALL)                                                                                 \
    GROUP(FLOAT_TEST)                                                                              \
    GROUP(FLOAT_COMPARE)                                                                           \
    GROUP(INTEGER_COMPARE)                                                                         \
    GROUP(LOGICAL)                                                                                 \
    GROUP(SELECT)                                                                                  \
    GROUP(POINTER_COMPARE)                                                                         \
    GROUP(POINTER_DIFFERENCE)                                                                      \
    GROUP(VECTOR_EXTRACT)                                                                          \
    GROUP(VECTOR_INSERT)                                                                           \
    GROUP(SHUFFLE)                                                                                 \
    GROUP(CONSTRUCT)                                                                               \
    GROUP(EXTRACT)                                                                                 \
    GROUP(INSERT)                                                                                  \
    GROUP(EXTENDED)                                                                                \
    GROUP(EXPECT)                                                                                  \
    GROUP(QUANTIZE)                                                                                \
    GROUP(INTEGER_PAIR)                                                                            \
    GROUP(INTEGER_DOT)                                                                             \
    GROUP(UPSAMPLE)                                                                                \
    GROUP(BIT_SELECT)                                                                              \
    GROUP(LANE_SELECT)                                                                             \
    GROUP(MASK_SHUFFLE)                                                                            \
    GROUP(COPY_LOGICAL)                                                                            \
    GROUP(PRODUCT_32X16)                                                                           \
    /* memory */                                                                                   \
    GROUP(VARIABLE)                                                                                \
    GROUP(LOAD)                                                                                    \
    GROUP(STORE)                                                                                   \
    GROUP(COPY_MEMORY)                                                                             \
    GROUP(COPY_MEMORY_SIZED)                                                                       \
    GROUP(ACCESS_CHAIN)                                                                            \
    GROUP(POINTER_CHAIN)                                                                           \
    GROUP(SIZE_OF)                                                                                 \
    GROUP(GENERIC_SEMANTICS)                                                                       \
    GROUP(LIFETIME)                                                                                \
    GROUP(PREFETCH)                                                                                \
    GROUP(VECTOR_LOAD)                                                                             \
    GROUP(VECTOR_STORE)                                                                            \
    GROUP(ATOMIC_LOAD)                                                                             \
    GROUP(ATOMIC_STORE)                                                                            \
    GROUP(ATOMIC_STEP)                                                                             \
    GROUP(ATOMIC_UPDATE)                                                                           \
    GROUP(ATOMIC_COMPARE)                                                                          \
    GROUP(ATOMIC_FLOAT)                                                                            \
    GROUP(ATOMIC_FLAG)                                                                             \
    GROUP(ATOMIC_FLAG_CLEAR)                                                                       \
    GROUP(ASYNC_COPY)                                                                              \
    GROUP(PRINT)                                                                                   \
    /* groups of work-items */                                                                     \
    GROUP(COLLECTIVE)                                                                              \
    GROUP(WAIT_EVENTS)                                                                             \
    /* order, calls and control */                                                                 \
    GROUP(CONTROL_BARRIER)                                                                         \
    GROUP(ARRIVE)                                                                                  \
    GROUP(MEMORY_BARRIER)                                                                          \
    GROUP(ASSUME)                                                                                  \
    GROUP(CALL)                                                                                    \
    GROUP(CALL_POINTER)                                                                            \
    GROUP(PHI)                                                                                     \
    GROUP(BRANCH)                                                                                  \
    GROUP(BRANCH_CONDITIONAL)                                                                      \
    GROUP(SWITCH)                                                                                  \
    GROUP(RETURN)                                                                                  \
    GROUP(RETURN_VALUE)                                                                            \
    GROUP(UNREACHABLE)

typedef enum sim_group {
#define SIM_GROUP_ENUM(group) SIM_GROUP_##group,
    SIM_GROUPS(SIM_GROUP_ENUM)
#undef SIM_GROUP_ENUM
        SIM_GROUP_COUNT
} sim_group;

/* True for the groups that end a block. */
static inline bool sim_group_ends_block(sim_group group)
{
    return group >= SIM_GROUP_BRANCH;
}

/* One instruction. */
typedef struct sim_opcode {
    uint16_t number; /* SIM_Op… */
    uint8_t has_type;
    uint8_t has_result;
    uint16_t words_min;     /* minimum number of words, including the first */
    uint16_t operand_first; /* after result type and result, in the pool of sim_operand_at */
    uint16_t operand_count; /* operands in the grammar, optional and repeated ones included */
    uint8_t treatment;      /* sim_treatment */
    uint8_t group;          /* sim_group */
    const char *name;       /* "OpIAdd" */
    const char *reason;     /* REFUSED: the reason; otherwise "" */
} sim_opcode;

/* The static row of an instruction; NULL if the grammar lacks the number. */
const sim_opcode *sim_opcode_find(uint32_t number);

/* One instruction of the set OpenCL.std. */
typedef struct sim_extended {
    uint16_t number;       /* SIM_STD_… */
    uint8_t operand_count; /* required operands */
    uint8_t has_more;      /* more operands may follow */
    uint8_t has_literal;   /* the last operand is not an id */
    uint8_t treatment;     /* EXEC or REFUSED */
    uint8_t group;         /* sim_group */
    const char *name;      /* "fabs" */
    const char *reason;    /* REFUSED: the reason; otherwise "" */
} sim_extended;

/* The static row of an instruction of OpenCL.std; NULL if the set lacks the number. */
const sim_extended *sim_extended_find(uint32_t number);

/* ---- Operands, for the reader --------------------------------------------------------------- */

typedef enum sim_quantifier {
    SIM_QUANTIFIER_ONE,
    SIM_QUANTIFIER_OPTIONAL,
    SIM_QUANTIFIER_MANY, /* zero or more */
} sim_quantifier;

typedef struct sim_operand {
    uint8_t kind;       /* sim_operand_kind */
    uint8_t quantifier; /* sim_quantifier */
} sim_operand;

/* The operand at an index of the pool, which rows and enumerants refer to. */
sim_operand sim_operand_at(uint32_t place);

typedef enum sim_category {
    SIM_CATEGORY_BITS,    /* a mask of enumerants, each with its parameters */
    SIM_CATEGORY_VALUE,   /* one enumerant with its parameters */
    SIM_CATEGORY_ID,      /* an id */
    SIM_CATEGORY_LITERAL, /* words that are not an id */
    SIM_CATEGORY_PAIR,    /* two operands */
} sim_category;

typedef struct sim_kind {
    const char *name;   /* "StorageClass" */
    uint8_t category;   /* sim_category */
    uint8_t members[2]; /* PAIR: sim_operand_kind */
    uint16_t first;     /* BITS, VALUE: enumerants, sorted by value */
    uint16_t count;
} sim_kind;

/* The static description of an operand kind. */
const sim_kind *sim_kind_of(sim_operand_kind kind);

typedef struct sim_enumerant {
    const char *name; /* "Workgroup" */
    uint32_t value;   /* BITS: the bit */
    uint16_t operand_first;
    uint16_t operand_count;
} sim_enumerant;

/* The static row of a kind's enumerant with the given value; NULL if there is none. */
const sim_enumerant *sim_enumerant_find(sim_operand_kind kind, uint32_t value);

/* The name of the enumerant, or "unknown". */
const char *sim_enumerant_name(sim_operand_kind kind, uint32_t value);

#endif
