/* The decoder: from linked modules to register code, in six steps that share this form.
 *
 *     flow.c      blocks in scheduling order, loops, one latch per loop
 *     build.c, value.c, convert.c, half.c, integer.c, math.c, memory.c, atomic.c, pointer.c,
 *     built_in.c, by_value.c, extended.c, vector.c, group.c, print.c, node.c
 *                 instructions to operations on scalars
 *     uniform.c   which values are the same for all work-items
 *     written.c   which memory kernels may write
 *     place.c     fused addresses, dead operations, phis coalesced, where values live
 *     emit.c      register code
 *
 * Source of the rules of instructions: SPIR-V specification 1.6 section 3.42, OpenCL extended
 * instruction set 1.0. */
#ifndef SIM_DECODE_H
#define SIM_DECODE_H

#include "reference/base/vector.h"
#include "sim/decode/program.h"
#include "sim/module/linker.h"
#include "sim/number/math.h"

/* A value: an index, or (with a flag) a slot of the pool, or a row of built-in lanes. */
typedef uint32_t sim_ref;
#define SIM_REF_POOL (UINT32_C(1) << 31)
#define SIM_REF_ROW  (UINT32_C(1) << 30)
#define SIM_REF_NONE UINT32_MAX

static inline bool sim_ref_is_value(sim_ref ref)
{
    return !(ref & (SIM_REF_POOL | SIM_REF_ROW));
}

/* What an operation is made of; tells how its handler depends on its operands' forms. */
typedef enum sim_shape {
    SIM_SHAPE_FOUR,       /* a, b; handler + form */
    SIM_SHAPE_UNARY,      /* a; handler + uniform */
    SIM_SHAPE_BINARY,     /* a, b; handler + uniform, both operands of the same form */
    SIM_SHAPE_TERNARY,    /* a, b, c; likewise */
    SIM_SHAPE_SELECT,     /* condition, a, b */
    SIM_SHAPE_LOAD,       /* address, or base and index; `count` results */
    SIM_SHAPE_STORE,      /* address, or base and index, then `count` values */
    SIM_SHAPE_ATOMIC,     /* address, value, comparator */
    SIM_SHAPE_COLLECTIVE, /* a, b, c */
    SIM_SHAPE_ASYNC_COPY, /* target, source, count, stride, event */
    SIM_SHAPE_PRINT,      /* format, then the components of the arguments */
    SIM_SHAPE_COPY,       /* target address, source address, size */
    SIM_SHAPE_FENCE,
    SIM_SHAPE_FORGET, /* address */
    SIM_SHAPE_FRAME_ADDRESS,
    SIM_SHAPE_RESULT, /* of a call: set by the return */
    SIM_SHAPE_PHI,    /* set by edges */
    SIM_SHAPE_PARAMETER,
} sim_shape;

typedef struct sim_node {
    uint8_t shape;       /* sim_shape */
    uint8_t type;        /* sim_lane_type: of the elements of memory, of the result elsewhere */
    bool is_dead;        /* nothing needs the results */
    bool is_quiet;       /* what it computes is needed only where a selection takes it */
    bool may_be_private; /* LOAD: the address may lie in memory of the lanes themselves */
    bool is_uniform;     /* COLLECTIVE: all work-items of the group must come */
    uint8_t form;        /* LOAD, STORE: sim_memory_form once addresses are fused, else ONE */
    uint16_t handler;    /* first of its row: type chosen, form not */
    uint32_t block;
    uint32_t site;
    uint32_t operand_first, operand_count; /* in refs */
    uint32_t result_first, result_count;   /* values */
    uint32_t extra, stride, alignment;
    int64_t imm;
} sim_node;

/* How a pointer was computed: base + index * stride + imm. */
typedef struct sim_chain {
    sim_ref base, index; /* base NONE: no chain; index NONE: base + imm */
    uint8_t form;        /* SIM_MEMORY_U32, S32 or I64: the index' type */
    uint32_t stride;
    int64_t imm;
} sim_chain;

typedef struct sim_value {
    uint8_t type; /* sim_lane_type */
    bool is_varying;
    bool is_local; /* varying and used in its block only */
    uint32_t node; /* that defines it */
    uint32_t use_count;
    uint32_t last_use; /* place step: last operation of its block that uses it */
    uint32_t group;    /* place step: values that share a place, a circle through `group_next` */
    uint32_t group_next;
    sim_register place;
    sim_chain chain;
} sim_value;

typedef struct sim_ir_edge {
    uint32_t from, target; /* blocks */
    uint32_t args_first;   /* in refs: one per phi of the target */
    uint32_t source;       /* block index of the module that the edge leaves; phis name it */
    bool is_back;
    uint64_t literal;
} sim_ir_edge;

typedef struct sim_ir_block {
    uint32_t module_block;           /* index; SIM_NONE: a latch made by flow.c */
    bool is_first;                   /* begins the module's block: holds its phis */
    uint32_t node_first, node_count; /* phis first */
    uint32_t phi_count;              /* values, not phis of the module */
    uint32_t edge_first, edge_count;
    uint32_t loop; /* innermost, index into loops; SIM_NONE: none */
    uint32_t cost;
    uint32_t site;
    uint8_t end;                           /* sim_end */
    sim_ref condition;                     /* BRANCH, SWITCH; CALL_POINTER: the address */
    uint32_t operand_first, operand_count; /* CALL: arguments; RETURN: results */
    uint32_t call;        /* CALL: index of the function; CALL_POINTER: of the signature */
    uint32_t order;       /* BARRIER: sim_order */
    uint32_t result_node; /* CALL: RESULT node in the next block; SIM_NONE: no result */
    bool divergence_done;
} sim_ir_block;

typedef struct sim_ir_loop {
    uint32_t header, latch; /* blocks */
    uint32_t parent;        /* loop; SIM_NONE */
    bool exit_is_divergent;
} sim_ir_loop;

typedef struct sim_ir_function {
    const sim_module *module;
    uint32_t module_index;
    const sim_function *function;
    uint32_t index; /* in the program */
    bool is_irreducible;
    bool is_addressed;     /* something takes its address */
    uint32_t address_slot; /* of the pool, which gets its address; 0: none */
    RT_VECTOR(sim_ir_block) blocks;
    RT_VECTOR(sim_ir_edge) edges;
    RT_VECTOR(sim_ir_loop) loops;
    RT_VECTOR(sim_node) nodes;
    RT_VECTOR(sim_value) values;
    RT_VECTOR(sim_ref) refs;
    RT_VECTOR(sim_private_variable) variables;
    uint64_t private_bytes;
    uint32_t parameter_node;
    uint32_t *parameter_first; /* per parameter of the function, in leaves; one more at the end */
    uint32_t parameter_leaves;
    uint8_t *result_types; /* per leaf of the result */
    uint32_t result_leaves;
    bool *result_varying;
    uint32_t *block_of; /* module block - block_first -> first ir block; SIM_NONE: unreachable */
    uint32_t *last_of;  /* the same, the last one */
    sim_reach does;     /* but for `meets` */
    bool *locals;       /* does.locals, which is the program's; NULL: it names none yet */
} sim_ir_function;

/* The scalars of an id of the module. */
typedef struct sim_leaves {
    const sim_ref *refs;
    uint32_t count;
} sim_leaves;

/* A constant that is an operation, or holds one, computed for a phi at the end of the block that an
 * edge leaves. */
typedef struct sim_phi_constant {
    uint32_t edge;
    sim_id id;
    sim_leaves leaves;
} sim_phi_constant;

typedef struct sim_decoder {
    rt_sink *sink;
    rt_arena arena; /* of the decoding */
    sim_program *program;
    const sim_module *const *modules;
    uint32_t module_count;
    const sim_linkage *linkage;
    sim_ir_function *functions;
    uint32_t function_count;
    uint32_t **function_of; /* [module][function index] -> function in the program, or SIM_NONE */
    sim_leaves **leaves;    /* [module][id] */
    uint32_t **global_of;   /* [module][variable index] -> global or local in the program */
    RT_VECTOR(uint64_t) pool;
    rt_map pool_slots; /* bits -> slot */
    RT_VECTOR(sim_site) sites;
    RT_VECTOR(sim_global) globals;
    RT_VECTOR(sim_relocation) relocations;
    RT_VECTOR(sim_local) locals;
    RT_VECTOR(sim_print) prints;
    RT_VECTOR(const sim_type *) signatures; /* different types of functions that have addresses */
    /* The function in work. */
    sim_ir_function *f;
    RT_VECTOR(sim_phi_constant) phi_constants;
    uint32_t block; /* under construction */
    uint32_t site;
} sim_decoder;

/* A view of an instruction or of an operation on constants. */
typedef struct sim_view {
    const sim_opcode *opcode;
    const uint32_t *operands;
    uint32_t operand_count;
    const sim_type *type;
    sim_id id;
} sim_view;

/* True for the blocks after which the engine continues with the next one. */
static inline bool sim_end_falls_through(sim_end end)
{
    return end == SIM_END_CALL || end == SIM_END_CALL_POINTER || end == SIM_END_BARRIER ||
           end == SIM_END_MEET || end == SIM_END_NEXT;
}

/* ---- flow.c ---------------------------------------------------------------------------------- */

/* Lays out the blocks of f in scheduling order, with edges and loops; nodes stay empty. */
void sim_decode_flow(sim_decoder *d, sim_ir_function *f);

/* ---- build.c --------------------------------------------------------------------------------- */

/* Fills the blocks of f with operations.  UNSUPPORTED: what this simulator does not execute. */
RT_MUST_USE rt_status sim_decode_build(sim_decoder *d, sim_ir_function *f);

/* The order (sim_order_pack) that ids of the module give: execution 0 for fences and atomics,
 * where it is the memory's.  A scope that is no constant is CrossDevice. */
uint32_t sim_decode_order(const sim_decoder *d, sim_id execution, sim_id memory, sim_id semantics);

/* Ends the block and continues in the next one, which was laid out for it. */
void sim_decode_next(sim_decoder *d, sim_end end);

/* The scalars of an id; constants and variables are made on first use. */
RT_MUST_USE rt_status sim_decode_leaves(sim_decoder *d, sim_id id, sim_leaves *out_leaves);

/* The pool slot of a constant. */
sim_ref sim_decode_constant(sim_decoder *d, uint64_t bits);
/* The bits of a pool slot that is a constant; false for anything else. */
bool sim_ref_constant(const sim_decoder *d, sim_ref ref, uint64_t *out_bits);
/* What an undefined value is: a number of the seed, but false where a bool is wanted. */
sim_leaves sim_decode_undefined(sim_decoder *d, const sim_type *type);

/* ---- node.c ---------------------------------------------------------------------------------- */

/* More scalars than this in one value are refused where the value is used. */
#define SIM_LEAVES_MAX 4096u

/* The lane type of a scalar or pointer type, or of a vector's elements; half is held as its bits.
 */
sim_lane_type sim_type_lane(const sim_type *type);
/* The integer type as wide as `type`. */
sim_lane_type sim_lane_integer(sim_lane_type type);
bool sim_type_is_half(const sim_type *type);
/* Scalars in a value of the type, at most SIM_LEAVES_MAX + 1. */
uint32_t sim_type_leaves(const sim_type *type);
/* Writes the lane type of each scalar, in order; returns the place after the last. */
sim_lane_type *sim_type_lanes(const sim_type *type, sim_lane_type *out);

/* Room for `count` scalars that lives as long as the decoding. */
sim_ref *sim_refs_new(sim_decoder *d, uint32_t count);
/* A value of one scalar. */
sim_leaves sim_leaves_single(sim_decoder *d, sim_ref ref);

/* Appends a node with room for operands and result values; operands are NONE until set. */
sim_node *sim_node_add(sim_decoder *d, sim_shape shape, uint32_t handler, sim_lane_type type,
                       uint32_t operand_count, uint32_t result_count);
/* Appends the operation of one result and returns it. */
sim_ref sim_build(sim_decoder *d, sim_shape shape, uint32_t handler, sim_lane_type type,
                  const sim_ref *operands, uint32_t count);
sim_ref sim_build_unary(sim_decoder *d, uint32_t handler, sim_lane_type type, sim_ref a);
sim_ref sim_build_four(sim_decoder *d, uint32_t handler, sim_lane_type type, sim_ref a, sim_ref b);
sim_ref sim_build_binary(sim_decoder *d, uint32_t handler, sim_lane_type type, sim_ref a,
                         sim_ref b);
sim_ref sim_build_ternary(sim_decoder *d, uint32_t handler, sim_lane_type type, sim_ref a,
                          sim_ref b, sim_ref c);
sim_ref sim_build_select(sim_decoder *d, sim_lane_type type, sim_ref condition, sim_ref a,
                         sim_ref b);
/* Integer of width `type` from one of width `from`, cut or extended. */
sim_ref sim_build_resize(sim_decoder *d, sim_lane_type from, sim_lane_type type, bool is_signed,
                         sim_ref a);
/* UNSUPPORTED, naming the current instruction. */
RT_MUST_USE rt_status sim_decode_refuse(sim_decoder *d, const char *name, const char *reason);

/* The handler, form V, of a conversion between lane types; it must exist. */
typedef enum sim_conversion {
    SIM_CONVERT_ZEXT,
    SIM_CONVERT_SEXT,
    SIM_CONVERT_CUT,
    SIM_CONVERT_UTOF,
    SIM_CONVERT_STOF,
    SIM_CONVERT_FTOF,
    SIM_CONVERT_FTOU,
    SIM_CONVERT_FTOS,
} sim_conversion;
uint32_t sim_conversion_handler(sim_conversion kind, sim_lane_type from, sim_lane_type to);

/* Handlers of integer and float families by type: the name is that of the I8 or F32 member. */
#define SIM_INT4(op, type)   (uint32_t)(SIM_H_##op##_I8_VV + 4 * (int)(type))
#define SIM_INT2(op, type)   (uint32_t)(SIM_H_##op##_I8_V + 2 * (int)(type))
#define SIM_FLOAT4(op, type) (uint32_t)(SIM_H_##op##_F32_VV + 4 * ((int)(type)-SIM_F32))
#define SIM_FLOAT2(op, type) (uint32_t)(SIM_H_##op##_F32_V + 2 * ((int)(type)-SIM_F32))

/* ---- pointer.c ------------------------------------------------------------------------------- */

/* The function that a constant of kind FUNCTION names, by its index in the program; from here on it
 * counts as addressed. */
uint32_t sim_decode_addressed(sim_decoder *d, uint32_t module_index, const sim_constant *constant);
/* The address of a function as a slot of the pool, which the world fills. */
sim_ref sim_decode_function_address(sim_decoder *d, uint32_t function);
/* The index of a function's type among those of the program that have addresses. */
uint32_t sim_decode_signature(sim_decoder *d, const sim_type *type);
/* Moves what calls through pointers need to the program.  UNSUPPORTED: the address of a kernel is
 * taken. */
RT_MUST_USE rt_status sim_decode_pointers_keep(sim_decoder *d);

/* ---- group.c --------------------------------------------------------------------------------- */

/* An instruction of group COLLECTIVE for a sub-group; see sim_decode_instruction. */
RT_MUST_USE rt_status sim_decode_collective(sim_decoder *d, const sim_view *view,
                                            sim_leaves *out_leaves);
/* The two halves of one for a work-group, between which a barrier stands. */
RT_MUST_USE rt_status sim_decode_group_put(sim_decoder *d, const sim_view *view);
RT_MUST_USE rt_status sim_decode_group_take(sim_decoder *d, const sim_view *view,
                                            sim_leaves *out_leaves);
/* The barrier of a sub-group: a meeting at which nothing is computed. */
void sim_decode_subgroup_barrier(sim_decoder *d, uint32_t order);
/* What a work-item says at OpGroupWaitEvents, before the barrier that it is. */
RT_MUST_USE rt_status sim_decode_wait_events(sim_decoder *d, const sim_view *view);
/* OpGroupAsyncCopy: every work-item copies its share at once. */
RT_MUST_USE rt_status sim_decode_async_copy(sim_decoder *d, const sim_view *view,
                                            sim_leaves *out_leaves);

/* ---- print.c --------------------------------------------------------------------------------- */

/* printf of OpenCL.std; see sim_decode_instruction. */
RT_MUST_USE rt_status sim_decode_print(sim_decoder *d, const sim_view *view,
                                       sim_leaves *out_leaves);

/* ---- value.c --------------------------------------------------------------------------------- */

/* Builds one instruction of any group but control at the end of the current block and gives its
 * result, if any, to `out_leaves`. */
RT_MUST_USE rt_status sim_decode_instruction(sim_decoder *d, const sim_view *view,
                                             sim_leaves *out_leaves);

/* The component of a vector that an integer of the module names; one that the vector does not have
 * is a finding. */
RT_MUST_USE rt_status sim_decode_component(sim_decoder *d, sim_leaves vector, sim_id index_id,
                                           sim_lane_type type, sim_leaves *out_leaves);

/* ---- convert.c ------------------------------------------------------------------------------- */

/* Conversions between numbers, with their decorations; see sim_decode_instruction. */
RT_MUST_USE rt_status sim_decode_convert(sim_decoder *d, const sim_view *view,
                                         sim_leaves *out_leaves);
RT_MUST_USE rt_status sim_decode_quantize(sim_decoder *d, const sim_view *view,
                                          sim_leaves *out_leaves);
/* Half from a float or double (`from`), rounded as SIM_FPRoundingMode… says. */
sim_ref sim_decode_convert_float(sim_decoder *d, sim_lane_type from, uint32_t rounding, sim_ref a);

/* ---- half.c ---------------------------------------------------------------------------------- */

/* Half, which is held as I16, to and from F32 or F64. */
sim_ref sim_half_widen(sim_decoder *d, sim_lane_type to, sim_ref a);
sim_ref sim_half_narrow(sim_decoder *d, sim_lane_type from, sim_ref a);
/* OpDot of halves. */
sim_ref sim_half_dot(sim_decoder *d, sim_leaves a, sim_leaves b);
/* One component of an instruction of OpenCL.std on halves. */
sim_ref sim_decode_half_extended(sim_decoder *d, const sim_extended *row, const sim_ref *operands,
                                 uint32_t count);

/* ---- integer.c ------------------------------------------------------------------------------- */

/* An unsigned amount in another type, where a larger one becomes the largest. */
sim_ref sim_build_amount(sim_decoder *d, sim_lane_type from, sim_lane_type to, sim_ref a);
/* in[0] * in[1] + in[2], saturated. */
sim_ref sim_build_mad_sat(sim_decoder *d, bool is_signed, sim_lane_type type, const sim_ref *in);
/* Groups BIT_INSERT and BIT_EXTRACT, INTEGER_PAIR, INTEGER_DOT; see sim_decode_instruction. */
RT_MUST_USE rt_status sim_decode_bit_field(sim_decoder *d, const sim_view *view,
                                           sim_leaves *out_leaves);
RT_MUST_USE rt_status sim_decode_integer_pair(sim_decoder *d, const sim_view *view,
                                              sim_leaves *out_leaves);
RT_MUST_USE rt_status sim_decode_integer_dot(sim_decoder *d, const sim_view *view,
                                             sim_leaves *out_leaves);
/* Group PRODUCT_32X16: the second operand counts with its low 16 bits. */
RT_MUST_USE rt_status sim_decode_product_32x16(sim_decoder *d, const sim_view *view,
                                               sim_leaves *out_leaves);
/* OpenCL.std, groups UPSAMPLE, BIT_SELECT and LANE_SELECT. */
RT_MUST_USE rt_status sim_decode_mixed(sim_decoder *d, const sim_view *view, uint32_t group,
                                       sim_leaves *out_leaves);

/* ---- vector.c -------------------------------------------------------------------------------- */

/* OpenCL.std, groups MASK_SHUFFLE, VECTOR_LOAD and VECTOR_STORE; see sim_decode_instruction. */
RT_MUST_USE rt_status sim_decode_shuffle(sim_decoder *d, const sim_view *view,
                                         sim_leaves *out_leaves);
RT_MUST_USE rt_status sim_decode_vector_load(sim_decoder *d, const sim_view *view,
                                             sim_leaves *out_leaves);
RT_MUST_USE rt_status sim_decode_vector_store(sim_decoder *d, const sim_view *view);

/* ---- memory.c -------------------------------------------------------------------------------- */

/* Instructions of the memory groups; see sim_decode_instruction. */
RT_MUST_USE rt_status sim_decode_memory(sim_decoder *d, const sim_view *view,
                                        sim_leaves *out_leaves);
/* OpLifetimeStart, OpLifetimeStop: the variable's content is undefined from here on. */
RT_MUST_USE rt_status sim_decode_lifetime(sim_decoder *d, const sim_view *view);
/* A load or store of `count` neighbours of one type, at pointer + number * stride. */
typedef struct sim_vector_access {
    sim_ref pointer;
    const sim_type *pointer_type;
    sim_ref number; /* I64 */
    uint64_t stride;
    uint32_t alignment;
    sim_lane_type type;
    uint32_t count;
    sim_ref *leaves; /* load: receives them; store: holds them */
    bool is_store;
} sim_vector_access;
void sim_decode_vector_access(sim_decoder *d, const sim_vector_access *access);

/* Memory of one work-item for one activation of the function in work, that findings call by the
 * name of `id`.  UNSUPPORTED: too much of it; `name` is the instruction that wants it. */
RT_MUST_USE rt_status sim_decode_private(sim_decoder *d, const char *name, sim_id id,
                                         const sim_type *type, sim_ref *out_address);
/* Copies `size` (I64) bytes; alignments in bytes are those that each address must have. */
void sim_decode_copy(sim_decoder *d, sim_ref target, uint32_t target_alignment, sim_ref source,
                     uint32_t source_alignment, sim_ref size);

/* Stores a value of the type that the pointer points to, at that type's own alignment. */
RT_MUST_USE rt_status sim_decode_store(sim_decoder *d, sim_id pointer, sim_leaves object);

/* ---- atomic.c -------------------------------------------------------------------------------- */

/* Instructions of the atomic groups; see sim_decode_instruction. */
RT_MUST_USE rt_status sim_decode_atomic(sim_decoder *d, const sim_view *view,
                                        sim_leaves *out_leaves);

/* ---- initial.c ------------------------------------------------------------------------------- */

/* Makes the program's module-scope variables and their initial bytes. */
RT_MUST_USE rt_status sim_decode_variables(sim_decoder *d);
/* The address of a module-scope variable (of the module of d->f), as a pool slot. */
RT_MUST_USE rt_status sim_decode_variable(sim_decoder *d, const sim_variable *variable,
                                          sim_ref *out_ref);

/* ---- built_in.c ------------------------------------------------------------------------------ */

/* OpLoad of a built-in variable or of a component of it; see sim_decode_instruction. */
RT_MUST_USE rt_status sim_decode_built_in(sim_decoder *d, const sim_view *view,
                                          sim_leaves *out_leaves);

/* ---- by_value.c ------------------------------------------------------------------------------ */

/* Gives parameters with attribute ByVal their copies, at the start of the function in work. */
RT_MUST_USE rt_status sim_decode_by_value(sim_decoder *d);

/* ---- extended.c ------------------------------------------------------------------------------ */

/* One component of an instruction of OpenCL.std. */
sim_ref sim_decode_extended(sim_decoder *d, uint32_t number, sim_lane_type type,
                            const sim_ref *operands);
/* A function of `type` (F32, F64) applied to a, and to b unless that is NONE.  Integers among them
 * are as wide as the type. */
sim_ref sim_build_math(sim_decoder *d, sim_math function, sim_lane_type type, sim_ref a, sim_ref b);
/* 1 / sqrt(a): an operation of F32, a function of F64. */
sim_ref sim_build_rsqrt(sim_decoder *d, sim_lane_type type, sim_ref a);
/* The pool slot of a float: `value`, rounded to the type. */
sim_ref sim_decode_float(sim_decoder *d, sim_lane_type type, double value);

/* ---- math.c ---------------------------------------------------------------------------------- */

/* Instructions of OpenCL.std over floats that are not one component like the other: with integers,
 * with a second result in memory, geometric ones. */
RT_MUST_USE rt_status sim_decode_math(sim_decoder *d, const sim_extended *row, const sim_view *view,
                                      sim_leaves *out_leaves);

/* ---- uniform.c ------------------------------------------------------------------------------- */

/* Marks varying values in all functions of the program, until nothing changes. */
void sim_decode_uniform(sim_decoder *d);

/* ---- written.c ------------------------------------------------------------------------------- */

/* Finds what each kernel of the program may write; the kernels are there, addresses not yet fused.
 */
void sim_decode_written(sim_decoder *d);

/* ---- place.c, emit.c ------------------------------------------------------------------------- */

/* Gives every value of f its place. */
void sim_decode_place(sim_decoder *d, sim_ir_function *f, sim_code_function *out_function);
/* Writes the register code of f into *out_function. */
void sim_decode_emit(sim_decoder *d, sim_ir_function *f, sim_code_function *out_function);

#endif
