/* Register code, which the decoder generates from linked modules and the engine executes.
 *
 * Values are scalars; vectors, arrays and structs exist only as lists of scalars, so building and
 * decomposing them costs nothing at run time. A value that is the same for all work-items that
 * compute it is *uniform* and is stored once, in eight bytes; any other value is *varying* and is
 * stored as a lane array of SIM_LANES adjacent elements.
 *
 * Rules that the decoder guarantees and the engine relies on:
 *
 *   - blocks are numbered in scheduling order: the blocks of a loop come before those after the
 *     loop, and each block before its successors, except along back edges;
 *   - a block is entered only at its start; calls and barriers end blocks, and a sub-group
 *     operation has its own block;
 *   - a varying value that is used outside its block lives in the frame, and its operations have
 *     `blend`; all others live in temporaries, where inactive lanes may hold anything;
 *   - the moves of an edge are ordered so that executing them in sequence is correct. */
#ifndef SIM_CODE_H
#define SIM_CODE_H

#include "sim/module/collective.h"

#define SIM_LANES        256u /* work-items that one instruction operates on */
#define SIM_CHUNK        16u  /* lanes that are skipped together */
#define SIM_ROW_BYTES(w) ((uint32_t)(w)*SIM_LANES)

/* ---- Places ------------------------------------------------------------------------------- */

/* The location of a value: a space in two bits, a byte offset in that space in 30 bits. */
typedef uint32_t sim_register;
typedef enum sim_space {
    SIM_SPACE_FRAME,   /* varying: values of one activation of a function */
    SIM_SPACE_WAVE,    /* varying: built-ins (sim_row), then temporaries of the running block */
    SIM_SPACE_UNIFORM, /* uniform: values of one activation of a function */
    SIM_SPACE_POOL,    /* uniform: launch values (sim_slot), then constants of the program */
    SIM_SPACE_COUNT
} sim_space;

#define SIM_REGISTER_SHIFT 30u
#define SIM_REGISTER_MASK  ((1u << SIM_REGISTER_SHIFT) - 1)
#define SIM_REGISTER_NONE  UINT32_MAX

static inline sim_register sim_register_of(sim_space space, uint32_t offset_bytes)
{
    CHECK(offset_bytes < SIM_REGISTER_MASK);
    return (uint32_t)space << SIM_REGISTER_SHIFT | offset_bytes;
}
static inline bool sim_register_uniform(sim_register place)
{
    return (place >> SIM_REGISTER_SHIFT) >= SIM_SPACE_UNIFORM;
}

/* Varying built-ins: rows of 64-bit lanes at the start of space WAVE. */
typedef enum sim_row {
    SIM_ROW_GLOBAL_ID, /* x, y, z */
    SIM_ROW_LOCAL_ID = 3,
    SIM_ROW_GLOBAL_LINEAR = 6,
    SIM_ROW_LOCAL_LINEAR,
    SIM_ROW_SUBGROUP_ID,
    SIM_ROW_SUBGROUP_ITEM, /* index of the work-item in its sub-group */
    SIM_ROW_SUBGROUP_SIZE, /* work-items in the sub-group */
    SIM_ROW_GROUP_ID,      /* x, y, z: only in programs for packs; the others have slots */
    SIM_ROW_LAST = SIM_ROW_GROUP_ID + 2,
    SIM_WAVE_ROWS
} sim_row;

/* After them come three rows for operands that the emitter broadcasts to all lanes and for cyclic
 * moves, then the temporaries of blocks. The three begin at an even row: if a store and a later
 * load access two rows at the same offset in a page, some processors stall the load because they
 * mistake the two addresses for the same. */
#define SIM_SPREAD_ROWS       3u
#define SIM_SPREAD_FIRST      (((uint32_t)SIM_WAVE_ROWS + 1) / 2 * 2 * SIM_ROW_BYTES(8))
#define SIM_TEMPORARIES_FIRST (SIM_SPREAD_FIRST + SIM_SPREAD_ROWS * SIM_ROW_BYTES(8))

/* Uniform built-ins: slots of eight bytes at the start of the pool. */
typedef enum sim_slot {
    SIM_SLOT_GLOBAL_SIZE, /* x, y, z */
    SIM_SLOT_GLOBAL_OFFSET = 3,
    SIM_SLOT_GROUP_SIZE = 6, /* of the running group */
    SIM_SLOT_GROUP_COUNT = 9,
    SIM_SLOT_GROUP_ID = 12,
    SIM_SLOT_DIMENSIONS = 15,
    SIM_SLOT_GROUP_ITEMS, /* number of work-items in the running group */
    SIM_SLOT_SUBGROUP_COUNT,
    SIM_SLOT_SUBGROUP_SIZE, /* the size of all sub-groups but the last */
    SIM_SLOT_UNDEFINED,     /* the result of OpUndef: a number that depends on the seed */
    SIM_SLOT_UNDEFINED_BOOL,
    SIM_SLOT_ENQUEUED_SIZE, /* x, y, z: of all groups but the last */
    SIM_SLOT_ENQUEUED_SUBGROUPS = SIM_SLOT_ENQUEUED_SIZE + 3,
    SIM_POOL_SLOTS
} sim_slot;

/* ---- Operations --------------------------------------------------------------------------- */

/* Types of lane elements. Bool is I8 with 0 or 1, pointers are I64. */
typedef enum sim_lane_type {
    SIM_I8,
    SIM_I16,
    SIM_I32,
    SIM_I64,
    SIM_F32,
    SIM_F64,
    SIM_LANE_TYPES
} sim_lane_type;

static inline uint32_t sim_lane_bytes(sim_lane_type type)
{
    static const uint8_t bytes[SIM_LANE_TYPES] = {1, 2, 4, 8, 4, 8};
    return bytes[type];
}

/* Forms of operands a and b: V varying, S uniform. */
typedef enum sim_form { SIM_FORM_VV, SIM_FORM_VS, SIM_FORM_SV, SIM_FORM_SS, SIM_FORMS } sim_form;

/* The families.  One handler exists for each operation, type and form of its family. */
#define SIM_INT_TYPES(X, op)   X(op, I8) X(op, I16) X(op, I32) X(op, I64)
#define SIM_FLOAT_TYPES(X, op) X(op, F32) X(op, F64)

/* target = a op b; all four forms. */
#define SIM_INT_BINARY(X)   X(ADD) X(SUB) X(MUL) X(AND) X(OR) X(XOR) X(SHL) X(SHR) X(SAR)
#define SIM_FLOAT_BINARY(X) X(FADD) X(FSUB) X(FMUL) X(FDIV)
/* target (I8, 0 or 1) = a relation b; all four forms. */
#define SIM_INT_COMPARE(X)   X(EQ) X(NE) X(ULT) X(ULE) X(SLT) X(SLE)
#define SIM_FLOAT_COMPARE(X) X(FEQ) X(FONE) X(FUNE) X(FLT) X(FLE) X(FORD)
/* Like the binary families, but only forms VV and SS. */
/* clang-format off */
#define SIM_INT_RARE(X) \
    X(UMIN) X(UMAX) X(SMIN) X(SMAX) X(ROTATE) X(UMULHI) X(SMULHI) \
    X(UADDSAT) X(SADDSAT) X(USUBSAT) X(SSUBSAT) \
    X(UHADD) X(SHADD) X(URHADD) X(SRHADD) X(UABSDIFF) X(SABSDIFF)
/* clang-format on */
/* Like the rare families, but lane by lane; undefined if the divisor is 0 or the quotient does not
 * fit. */
#define SIM_INT_DIVIDE(X) X(UDIV) X(SDIV) X(UREM) X(SREM) X(SMOD)
#define SIM_FLOAT_RARE(X) X(FMIN) X(FMAX)
/* target = op a; forms V and S. */
#define SIM_INT_UNARY(X)   X(CLZ) X(CTZ) X(POPCOUNT) X(REVERSE)
#define SIM_FLOAT_UNARY(X) X(SQRT) X(FLOOR) X(CEIL) X(TRUNC) X(RINT) X(ROUND)
/* target = function `extra` (sim_math) of a (and b); all operands varying or all uniform. Integer
 * operands are as wide as the floats. RSQRT exists only for F32; for F64 it is one of these
 * functions. */
#define SIM_MATH(X)    X(MATH1) X(MATH2)
#define SIM_TERNARY(X) X(FMA)

/* Conversions: operation, type of a, type of the target; forms V and S. */
/* clang-format off */
#define SIM_CONVERSIONS(X) \
    X(ZEXT, I8, I16) X(ZEXT, I8, I32) X(ZEXT, I8, I64) X(ZEXT, I16, I32) X(ZEXT, I16, I64) X(ZEXT, I32, I64) \
    X(SEXT, I8, I16) X(SEXT, I8, I32) X(SEXT, I8, I64) X(SEXT, I16, I32) X(SEXT, I16, I64) X(SEXT, I32, I64) \
    X(CUT, I16, I8) X(CUT, I32, I8) X(CUT, I64, I8) X(CUT, I32, I16) X(CUT, I64, I16) X(CUT, I64, I32) \
    X(UTOF, I8, F32) X(UTOF, I16, F32) X(UTOF, I32, F32) X(UTOF, I64, F32) \
    X(UTOF, I8, F64) X(UTOF, I16, F64) X(UTOF, I32, F64) X(UTOF, I64, F64) \
    X(STOF, I8, F32) X(STOF, I16, F32) X(STOF, I32, F32) X(STOF, I64, F32) \
    X(STOF, I8, F64) X(STOF, I16, F64) X(STOF, I32, F64) X(STOF, I64, F64) \
    X(FTOF, F32, F64) X(FTOF, F64, F32)
/* clang-format on */
/* Like the conversions above; undefined if the integer cannot hold the value. */
/* clang-format off */
#define SIM_FLOAT_TO_INT(X) \
    X(FTOU, F32, I8) X(FTOU, F32, I16) X(FTOU, F32, I32) X(FTOU, F32, I64) \
    X(FTOU, F64, I8) X(FTOU, F64, I16) X(FTOU, F64, I32) X(FTOU, F64, I64) \
    X(FTOS, F32, I8) X(FTOS, F32, I16) X(FTOS, F32, I32) X(FTOS, F32, I64) \
    X(FTOS, F64, I8) X(FTOS, F64, I16) X(FTOS, F64, I32) X(FTOS, F64, I64)
/* clang-format on */

/* Half, stored as I16, rounded to nearest even (half.h); forms V and S. */
#define SIM_HALF_CONVERSIONS(X) X(HTOF, I16, F32) X(FTOH, F32, I16) X(FTOH, F64, I16)
/* Reports a finding if the bits or the component do not exist; forms V and S.
 *   UFIELD, SFIELD   c bits of a from bit b on, extended; c = 0 gives 0
 *   PLACE            the low c bits of a, at bit b; no finding if `extra` is 1
 *   INDEX            a, which must be less than `extra`
 *   HOLDS            a, a sum; a finding if b is 0, that is, if the sum overflowed
 *   BOUND            no target; a finding if a is not less than `extra`, the length of an array */
#define SIM_INT_CHECKED(X) X(UFIELD) X(SFIELD) X(PLACE) X(INDEX) X(HOLDS) X(BOUND)

/* Operations that depend only on the width, for the types I8 to I64.
 *   MOVE     target = a; if a is uniform, every lane gets it
 *   SELECT   target = a ? b : c, a varying; the forms are those of b and c
 *   PICK     target = a ? b : c, a uniform
 *   LOAD, STORE   `count` adjacent elements from address a, or a + b * stride, plus imm; their
 *            registers are at places[extra]; `c` is the alignment required of the address, in bytes
 *     ONE    a uniform, no b; for LOAD into uniform registers
 *     SAME   a uniform, no b; for LOAD into varying registers (each lane may have its own memory)
 *     U32, S32, I64   a uniform, b varying, 32-bit unsigned or signed or 64-bit
 *     EACH   a varying, no b
 *   ATOMIC   target = the old value at address a; operation `extra` with operand b and comparator
 *            c; `stride` is its order (sim_order_pack) */
#define SIM_MEMORY_FORMS(X, op) X(op, ONE) X(op, SAME) X(op, U32) X(op, S32) X(op, I64) X(op, EACH)
typedef enum sim_memory_form {
    SIM_MEMORY_ONE,
    SIM_MEMORY_SAME,
    SIM_MEMORY_U32,
    SIM_MEMORY_S32,
    SIM_MEMORY_I64,
    SIM_MEMORY_EACH,
    SIM_MEMORY_FORM_COUNT
} sim_memory_form;

/* Handler numbers. Each family is a dense table: operation, then type, then form. */
typedef enum sim_handler {
#define FOUR(op, type)                                                                             \
    SIM_H_##op##_##type##_VV, SIM_H_##op##_##type##_VS, SIM_H_##op##_##type##_SV,                  \
        SIM_H_##op##_##type##_SS,
#define TWO(op, type)         SIM_H_##op##_##type##_V, SIM_H_##op##_##type##_S,
#define INT_FOUR(op)          SIM_INT_TYPES(FOUR, op)
#define INT_TWO(op)           SIM_INT_TYPES(TWO, op)
#define FLOAT_FOUR(op)        SIM_FLOAT_TYPES(FOUR, op)
#define FLOAT_TWO(op)         SIM_FLOAT_TYPES(TWO, op)
#define CONVERT(op, from, to) SIM_H_##op##_##from##_##to##_V, SIM_H_##op##_##from##_##to##_S,
#define MEMORY(op, form)                                                                           \
    SIM_H_##op##_##form##_8, SIM_H_##op##_##form##_16, SIM_H_##op##_##form##_32,                   \
        SIM_H_##op##_##form##_64,
    SIM_INT_BINARY(INT_FOUR) SIM_FLOAT_BINARY(FLOAT_FOUR) SIM_INT_COMPARE(INT_FOUR)
        SIM_FLOAT_COMPARE(FLOAT_FOUR) SIM_INT_RARE(INT_TWO) SIM_INT_DIVIDE(INT_TWO)
            SIM_FLOAT_RARE(FLOAT_TWO) SIM_INT_UNARY(INT_TWO) SIM_FLOAT_UNARY(FLOAT_TWO)
                TWO(RSQRT, F32) SIM_MATH(FLOAT_TWO) SIM_TERNARY(FLOAT_TWO) SIM_CONVERSIONS(CONVERT)
                    SIM_FLOAT_TO_INT(CONVERT) SIM_INT_TYPES(
                        FOUR, MOVE) /* VV: a varying; VS: a uniform; SS: both uniform; SV: unused */
    SIM_INT_TYPES(FOUR, SELECT) SIM_INT_TYPES(TWO, PICK) SIM_MEMORY_FORMS(MEMORY, LOAD)
        SIM_MEMORY_FORMS(MEMORY, STORE) SIM_H_ATOMIC_I16, /* of halves */
    SIM_H_ATOMIC_I32,
    SIM_H_ATOMIC_I64,
    SIM_HALF_CONVERSIONS(CONVERT) SIM_INT_CHECKED(INT_TWO) SIM_H_CONVERT_V,
    SIM_H_CONVERT_S,   /* `extra` is the conversion (sim_numeric_pack) */
    SIM_H_COLLECTIVE,  /* target = result of sub-group operation `extra` on a, b, c */
    SIM_H_GROUP_PUT,   /* publishes a to the work-group */
    SIM_H_GROUP_TAKE,  /* target = result of work-group operation `extra` on the published values
                        * and b */
    SIM_H_ASYNC_COPY,  /* target = event; places[extra]: copy's target, source, count, stride, event
                        * to share; elements have imm bytes and alignment c; the stride is the
                        * source's, or the target's if `a` is set */
    SIM_H_WAIT_EVENTS, /* makes the next barrier complete the copies that belong to the a events at
                        * address b */
    SIM_H_PRINT,       /* target = result of printf number `stride` of the program; its operands are
                        * at places[extra] */
    SIM_H_FENCE,       /* orders the work-item's accesses; `extra` is a sim_order_pack */
    SIM_H_COPY_MEMORY, /* copies c bytes from address b, aligned to `extra`, to address a, aligned
                        * to imm */
    SIM_H_FRAME_ADDRESS, /* target (uniform) = address of private variable number `extra` */
    SIM_H_FORGET,        /* the private variable at address a becomes undefined */
    SIM_HANDLER_COUNT
#undef FOUR
#undef TWO
#undef INT_FOUR
#undef INT_TWO
#undef FLOAT_FOUR
#undef FLOAT_TWO
#undef CONVERT
#undef MEMORY
} sim_handler;

typedef enum sim_atomic {
    SIM_ATOMIC_LOAD,
    SIM_ATOMIC_STORE,
    SIM_ATOMIC_EXCHANGE,
    SIM_ATOMIC_COMPARE,
    SIM_ATOMIC_ADD,
    SIM_ATOMIC_SUB,
    SIM_ATOMIC_SMIN,
    SIM_ATOMIC_UMIN,
    SIM_ATOMIC_SMAX,
    SIM_ATOMIC_UMAX,
    SIM_ATOMIC_AND,
    SIM_ATOMIC_OR,
    SIM_ATOMIC_XOR,
    SIM_ATOMIC_FADD,
    SIM_ATOMIC_FMIN,
    SIM_ATOMIC_FMAX,
} sim_atomic;

/* `extra` of a collective operation: the operation, SIM_GroupOperation… for reductions and scans,
 * the lane type of a and c, and whether these are halves or truth values. The operation's `count`
 * is 1 if all work-items of the group must participate, `imm` the number of work-items per cluster
 * (0 without clusters) and `stride` the size of a result in bytes. */
static inline uint32_t sim_collective_code(sim_collective operation, uint32_t fold,
                                           sim_lane_type type)
{
    CHECK(fold < 256 && type < SIM_LANE_TYPES);
    return (uint32_t)operation | fold << 8 | (uint32_t)type << 16;
}
#define SIM_COLLECTIVE_HALF (UINT32_C(1) << 24)
#define SIM_COLLECTIVE_BOOL (UINT32_C(1) << 25)

/* The order of an atomic, a fence or a barrier: SIM_Scope… of the participating work-items,
 * SIM_Scope… of the work-items that see the memory operations, and SIM_MemorySemantics… bits. The
 * two scopes of an atomic are equal. */
static inline uint32_t sim_order_pack(uint32_t execution, uint32_t memory, uint32_t semantics)
{
    CHECK(execution < 16 && memory < 16 && semantics < UINT32_C(1) << 24);
    return execution | memory << 4 | semantics << 8;
}
static inline uint32_t sim_order_execution(uint32_t order)
{
    return order & 15;
}
static inline uint32_t sim_order_memory(uint32_t order)
{
    return order >> 4 & 15;
}
static inline uint32_t sim_order_semantics(uint32_t order)
{
    return order >> 8;
}

typedef struct sim_op {
    uint16_t handler; /* sim_handler */
    uint8_t blend;    /* inactive lanes keep their value in the target */
    uint8_t count;    /* LOAD, STORE: components; shifts, conversions: 1 suppresses findings */
    uint32_t site;    /* index into the program's sites */
    sim_register target, a, b, c;
    uint32_t extra;
    uint32_t stride; /* LOAD, STORE: bytes per unit of b */
    int64_t imm;     /* LOAD, STORE: bytes; COPY_MEMORY: alignment of a */
} sim_op;

/* ---- Control ------------------------------------------------------------------------------ */

typedef enum sim_end {
    SIM_END_JUMP,         /* edge 0 */
    SIM_END_BRANCH,       /* condition: edge 0 if it is 1, edge 1 if it is 0 */
    SIM_END_SWITCH,       /* the first edge whose literal equals the condition; default: edge 0 */
    SIM_END_CALL,         /* calls[extra], then the next block */
    SIM_END_CALL_POINTER, /* like CALL, but the condition is the address of the function */
    SIM_END_RETURN,       /* the function's results are at places[extra] */
    SIM_END_BARRIER,      /* waits for the work-group, then the next block; `extra` is its order */
    SIM_END_MEET,         /* waits for the sub-group, then the next block, which holds only a
                           * collective */
    SIM_END_NEXT,         /* the next block */
    SIM_END_UNREACHABLE,  /* undefined: notes a finding and ends the work-items */
} sim_end;

/* True for block ends after which the engine continues with the next block. */
static inline bool sim_end_falls_through(sim_end end)
{
    return end == SIM_END_CALL || end == SIM_END_CALL_POINTER || end == SIM_END_BARRIER ||
           end == SIM_END_MEET || end == SIM_END_NEXT;
}

typedef struct sim_edge {
    uint32_t target;                 /* block */
    uint32_t move_first, move_count; /* ops: MOVE only */
    bool is_back;
    bool takes_undefined; /* an operand is a slot whose value is undefined */
    uint64_t literal;     /* SWITCH */
} sim_edge;

typedef struct sim_code_block {
    uint32_t op_first, op_count;
    uint32_t cost; /* number of SPIR-V instructions, for the budget */
    uint8_t end;   /* sim_end */
    uint8_t condition_bytes;
    bool takes_undefined; /* like an edge's, but for the operands of operations, the condition,
                           * arguments and results */
    sim_register condition;
    uint32_t edge_first, edge_count;
    uint32_t extra;
    uint32_t site; /* site of the instruction that ends the block */
} sim_code_block;

typedef struct sim_call {
    uint32_t function;                       /* index in the program; CALL_POINTER: index of the
                                              * signature */
    uint32_t argument_first, argument_count; /* the arguments' places in the caller, leaf by leaf */
    uint32_t result_first, result_count;     /* the results' places in the caller;
                                              * SIM_REGISTER_NONE: not used */
} sim_call;

/* What a call through a function pointer expects of its target. */
typedef struct sim_signature {
    const uint8_t *result_bytes; /* size of each scalar of the result */
    uint32_t result_count;
} sim_signature;

/* A scalar of a parameter or result. */
typedef struct sim_leaf {
    sim_register place; /* SIM_REGISTER_NONE: not used */
    uint8_t bytes;
} sim_leaf;

typedef struct sim_private_variable {
    uint64_t offset, size; /* bytes in the work-item's part of the frame */
    rt_text name;
} sim_private_variable;

/* The properties that decide how a launch is run: those of one function's operations, or of all
 * operations that a kernel can reach (reach.c). */
typedef struct sim_reach {
    bool meets;       /* work-items of a sub-group wait for each other */
    bool atomics;     /* on any memory */
    bool far_atomics; /* on memory that other work-groups may see */
    bool copies;      /* asynchronous ones */
    bool prints;
    bool collects;      /* what one work-item of a group computes depends on the values of others */
    bool points;        /* calls functions through pointers */
    const bool *locals; /* per local-memory variable of the program: true if it is used; NULL: none
                         * is */
} sim_reach;

typedef struct sim_code_function {
    rt_text name;
    bool is_assertion;            /* what assert calls (sim/module/library.h) */
    uint32_t module;              /* index among the linked modules */
    uint32_t place;               /* index in the module */
    rt_text set;                  /* the set of virtual functions that it belongs to; empty: none */
    uint32_t signature;           /* index in the program; SIM_NONE: it has no address */
    const sim_code_block *blocks; /* blocks[0] is the entry */
    uint32_t block_count;
    const sim_edge *edges;
    const sim_op *ops;
    const sim_register *places;
    const sim_call *calls;
    const sim_leaf *parameters;
    uint32_t parameter_count;
    const uint8_t *result_bytes;
    uint32_t result_count;
    const sim_private_variable *variables;
    uint32_t variable_count;
    uint64_t private_bytes; /* per work-item, a multiple of 64 */
    uint32_t frame_bytes, uniform_bytes, temporary_bytes;
    sim_reach does; /* without its callees; `meets` is not set, because it can be seen from the
                     * blocks */
} sim_code_function;

/* A location in the source; findings are collected per site. */
typedef struct sim_site {
    rt_text source; /* file; empty if unknown */
    uint32_t line, column;
    uint32_t function; /* index in the program */
    const char *name;  /* name of the instruction: "OpIAdd", "fma" */
} sim_site;

#endif
