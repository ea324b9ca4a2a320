/* The decoder translates linked modules to register code, in six steps that share this
 * representation.
 *
 *     flow.c      blocks in scheduling order, loops, one latch per loop
 *     build.c, value.c, convert.c, half.c, integer.c, math.c, memory.c, atomic.c, pointer.c,
 *     built_in.c, by_value.c, extended.c, vector.c, group.c, print.c, node.c
 *                 instructions to operations on scalars
 *     uniform.c   which values are the same for all work-items
 *     accessed.c  which memory kernels may write, and which they may read
 *     place.c     fused addresses, dead operations, coalesced phis, locations of values
 *     emit.c      register code
 *
 * Source for the rules of instructions: SPIR-V specification 1.6 section 3.42, OpenCL extended
 * instruction set 1.0. */
#ifndef SIM_DECODE_H
#define SIM_DECODE_H

#include "reference/base/vector.h"
#include "sim/decode/program.h"
#include "sim/module/linker.h"
#include "sim/number/math.h"

/* A reference to an operand: the index of a value or, with a flag, a slot of the pool or a row of
 * built-in lanes. */
typedef uint32_t sim_ref;
#define SIM_REF_POOL (UINT32_C(1) << 31)
#define SIM_REF_ROW  (UINT32_C(1) << 30)
#define SIM_REF_NONE UINT32_MAX

static inline bool sim_ref_is_value(sim_ref ref)
{
    return !(ref & (SIM_REF_POOL | SIM_REF_ROW));
}

/* Which operands an operation has; this determines how its handler depends on their forms. */
typedef enum sim_shape {
    SIM_SHAPE_FOUR,       /* a, b; handler + form */
    SIM_SHAPE_UNARY,      /* a; handler + uniform */
    SIM_SHAPE_BINARY,     /* a, b; handler + uniform, both operands of the same form */
    SIM_SHAPE_TERNARY,    /* a, b, c; handler + uniform, all operands of the same form */
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
    SIM_SHAPE_BOUND,  /* index; handler + uniform */
    SIM_SHAPE_FRAME_ADDRESS,
    SIM_SHAPE_RESULT, /* result of a call; the return sets it */
    SIM_SHAPE_PHI,    /* edges set its value */
    SIM_SHAPE_PARAMETER,
} sim_shape;

typedef struct sim_node {
    uint8_t shape;    /* sim_shape */
    uint8_t type;     /* sim_lane_type of the elements in memory, or of the result */
    bool is_dead;     /* the results are never needed */
    bool is_quiet;    /* only selections need the result, and they may discard it */
    bool may_differ;  /* LOAD: the address may be in memory of which lanes have their own: private
                       * memory or, in a pack, local memory */
    bool is_uniform;  /* COLLECTIVE: all work-items of the group must participate */
    uint8_t form;     /* LOAD, STORE: sim_memory_form once addresses are fused, else ONE */
    uint16_t handler; /* first handler for the type; the form is still to be chosen */
    uint32_t block;
    uint32_t site;
    uint32_t operand_first, operand_count; /* in refs */
    uint32_t result_first, result_count;   /* values */
    uint32_t extra, stride, alignment;
    int64_t imm;
} sim_node;

/* How a pointer was computed: base + index * stride + imm. */
typedef struct sim_chain {
    sim_ref base, index; /* base NONE: no chain; index NONE: just base + imm */
    uint8_t form;        /* SIM_MEMORY_U32, S32 or I64: type of the index */
    uint32_t stride;
    int64_t imm;
} sim_chain;

typedef struct sim_value {
    uint8_t type; /* sim_lane_type */
    bool is_varying;
    bool is_local; /* varying and used only in its block */
    uint32_t node; /* the node that defines it */
    uint32_t use_count;
    uint32_t last_use; /* in place.c: last node of its block that uses it */
    uint32_t group;    /* in place.c: id shared by values in one register, a ring by `group_next` */
    uint32_t group_next;
    sim_register place;
    sim_chain chain;
} sim_value;

typedef struct sim_ir_edge {
    uint32_t from, target; /* blocks */
    uint32_t args_first;   /* in refs: one operand per phi of the target */
    uint32_t source;       /* index of the module's block that the edge leaves; phis identify their
                            * operands by it */
    bool is_back;
    uint64_t literal;
} sim_ir_edge;

typedef struct sim_ir_block {
    uint32_t module_block;           /* index; SIM_NONE: a latch made by flow.c */
    bool is_first;                   /* first of the blocks made from the module's block, which
                                      * holds the phis */
    uint32_t node_first, node_count; /* phis first */
    uint32_t phi_count;              /* counts values, not the module's phis */
    uint32_t edge_first, edge_count;
    uint32_t loop; /* index into loops of the innermost loop; SIM_NONE: none */
    uint32_t cost;
    uint32_t site;
    uint8_t end;                           /* sim_end */
    sim_ref condition;                     /* BRANCH, SWITCH; CALL_POINTER: the address */
    uint32_t operand_first, operand_count; /* CALL: arguments; RETURN: results */
    uint32_t call;        /* CALL: index of the function; CALL_POINTER: index of the signature */
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
    bool is_addressed;     /* its address is taken, or may be taken elsewhere */
    uint32_t address_slot; /* pool slot that receives its address; 0: none */
    RT_VECTOR(sim_ir_block) blocks;
    RT_VECTOR(sim_ir_edge) edges;
    RT_VECTOR(sim_ir_loop) loops;
    RT_VECTOR(sim_node) nodes;
    RT_VECTOR(sim_value) values;
    RT_VECTOR(sim_ref) refs;
    RT_VECTOR(sim_private_variable) variables;
    uint64_t private_bytes;
    uint32_t parameter_node;
    uint32_t *parameter_first; /* per parameter, its first leaf; then one entry for the end */
    uint32_t parameter_leaves;
    uint8_t *result_types; /* sim_lane_type per leaf of the result */
    uint32_t result_leaves;
    bool *result_varying;
    uint32_t *block_of; /* per block of the module, from block_first on: the first block here;
                         * SIM_NONE: unreachable */
    uint32_t *last_of;  /* the same for the last block here */
    sim_reach does;     /* except `meets` */
    bool *locals;       /* does.locals, owned by the program; NULL: no such variable used so far */
} sim_ir_function;

/* The scalars that an id of the module stands for. */
typedef struct sim_leaves {
    const sim_ref *refs;
    uint32_t count;
} sim_leaves;

/* A constant that is or contains an operation, computed for a phi at the end of the block that the
 * edge leaves. */
typedef struct sim_phi_constant {
    uint32_t edge;
    sim_id id;
    sim_leaves leaves;
} sim_phi_constant;

/* An index that an access through a pointer must check, and the one before it in the pointer's
 * chain; see bounds.c. */
typedef struct sim_bound {
    sim_ref index;
    uint8_t type;           /* SIM_I32 or SIM_I64 */
    uint32_t count, before; /* before: in `bounds`; SIM_NONE: none */
} sim_bound;
typedef struct sim_bounded {
    uint32_t last; /* in `bounds` */
    uint8_t enclosure;
} sim_bounded;

typedef struct sim_decoder {
    rt_sink *sink;
    rt_arena arena; /* lives as long as the decoding */
    sim_program *program;
    bool is_for_packs; /* lanes may be of different groups (sim_program_for_packs) */
    const sim_module *const *modules;
    uint32_t module_count;
    const sim_linkage *linkage;
    sim_ir_function *functions;
    uint32_t function_count;
    uint32_t **function_of; /* [module][function index] -> index of the function in the program, or
                             * SIM_NONE */
    sim_leaves **leaves;    /* [module][id] */
    uint32_t **global_of;   /* [module][variable index] -> global or local in the program */
    RT_VECTOR(uint64_t) pool;
    rt_map pool_slots; /* bits -> slot */
    RT_VECTOR(sim_bound) bounds;
    RT_VECTOR(sim_bounded) bounded;
    rt_map bounded_of; /* module and id of a pointer -> in `bounded` */
    RT_VECTOR(sim_site) sites;
    RT_VECTOR(sim_global) globals;
    RT_VECTOR(sim_relocation) relocations;
    RT_VECTOR(sim_local) locals;
    RT_VECTOR(sim_print) prints;
    RT_VECTOR(const sim_type *) signatures; /* types of functions that pointers may refer to */
    /* The function being decoded. */
    sim_ir_function *f;
    RT_VECTOR(sim_phi_constant) phi_constants;
    uint32_t block; /* under construction */
    uint32_t site;
} sim_decoder;

/* Copies the vector's items; the copy lives as long as the program. */
#define SIM_PROGRAM_COPY(d, vector)                                                                \
    rt_arena_copy(&(d)->program->arena, (vector).items, (vector).count, sizeof *(vector).items)

/* One view for both instructions and operations on constants. */
typedef struct sim_view {
    const sim_opcode *opcode;
    const uint32_t *operands;
    uint32_t operand_count;
    const sim_type *type;
    sim_id id;
} sim_view;

/* ---- flow.c ---------------------------------------------------------------------------------- */

/* Lays out the blocks of f in scheduling order, with edges and loops; nodes stay empty. */
void sim_decode_flow(sim_decoder *d, sim_ir_function *f);
/* True if loop `outer` is `inner` or encloses it; `inner` may be SIM_NONE. */
bool sim_loop_encloses(const sim_ir_function *f, uint32_t outer, uint32_t inner);

/* ---- build.c --------------------------------------------------------------------------------- */

/* Fills the blocks of f with operations. UNSUPPORTED: an instruction that this simulator does not
 * execute. */
RT_MUST_USE rt_status sim_decode_build(sim_decoder *d, sim_ir_function *f);

/* Returns the order (sim_order_pack) that these operands specify. For fences and atomics pass
 * execution 0: the memory scope then serves as both. */
uint32_t sim_decode_order(const sim_decoder *d, sim_id execution, sim_id memory, sim_id semantics);

/* Ends the block with `end` and continues in the next block, which sim_decode_flow has laid out. */
void sim_decode_next(sim_decoder *d, sim_end end);

/* Returns the scalars of an id; those of constants and variables are created on first use. */
RT_MUST_USE rt_status sim_decode_leaves(sim_decoder *d, sim_id id, sim_leaves *out_leaves);
/* Returns the scalars of `count` operands from number `first` on. */
RT_MUST_USE rt_status sim_decode_operands(sim_decoder *d, const sim_view *view, uint32_t first,
                                          uint32_t count, sim_leaves *out_leaves);
/* Returns a value of the type that consists of the ids' scalars, one id after the other. */
RT_MUST_USE rt_status sim_decode_construct(sim_decoder *d, const sim_type *type, const sim_id *ids,
                                           uint32_t count, sim_leaves *out_leaves);

/* Returns the pool slot of a constant. */
sim_ref sim_decode_constant(sim_decoder *d, uint64_t bits);
/* Reads the bits of a pool slot that is a constant; false for any other ref. */
bool sim_ref_constant(const sim_decoder *d, sim_ref ref, uint64_t *out_bits);
/* Returns an undefined value: a number that depends on the seed, or false for a bool. */
sim_leaves sim_decode_undefined(sim_decoder *d, const sim_type *type);

/* ---- node.c ---------------------------------------------------------------------------------- */

/* Using a value with more scalars than this is refused. */
#define SIM_LEAVES_MAX 4096u

/* The lane type of a scalar or pointer type, or of a vector's elements; a half is represented by
 * its bits. */
sim_lane_type sim_type_lane(const sim_type *type);
/* The integer type as wide as `type`. */
sim_lane_type sim_lane_integer(sim_lane_type type);
bool sim_type_is_half(const sim_type *type);
/* Returns the number of scalars in a value of the type, capped at SIM_LEAVES_MAX + 1. */
uint32_t sim_type_leaves(const sim_type *type);
/* Writes the lane type of each scalar, in order; returns the position after the last one written.
 */
sim_lane_type *sim_type_lanes(const sim_type *type, sim_lane_type *out);

/* Returns the type of an operand, which must be the id of a value. */
const sim_type *sim_decode_type(const sim_decoder *d, const sim_view *view, uint32_t index);

/* Allocates `count` scalars, which live until decoding ends. */
sim_ref *sim_refs_new(sim_decoder *d, uint32_t count);
/* Returns a value of one scalar. */
sim_leaves sim_leaves_single(sim_decoder *d, sim_ref ref);
/* Returns the first value set by the phis of a block, which must have some. */
uint32_t sim_phi_first(const sim_ir_function *f, const sim_ir_block *block);

/* Appends a node and creates its result values. The pointer is valid until the next node is added.
 */
sim_node *sim_node_add(sim_decoder *d, sim_shape shape, uint32_t handler, sim_lane_type type,
                       const sim_ref *operands, uint32_t operand_count, uint32_t result_count);
/* Appends an operation with one result and returns the result. */
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
/* Orders the work-item's accesses to memory; `order` is a sim_order_pack. */
void sim_build_fence(sim_decoder *d, uint32_t order);
/* Truncates or extends an integer of type `from` to `type`. */
sim_ref sim_build_resize(sim_decoder *d, sim_lane_type from, sim_lane_type type, bool is_signed,
                         sim_ref a);
/* Returns UNSUPPORTED, with a diagnostic that names the current instruction. */
RT_MUST_USE rt_status sim_decode_refuse(sim_decoder *d, const char *name, const char *reason);

/* sim_conversion_handler returns the handler, form V, of a conversion between lane types, which
 * must exist. */
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

/* Handlers of integer and float families by type, computed from the I8 or F32 handler. */
#define SIM_INT4(op, type)   (uint32_t)(SIM_H_##op##_I8_VV + 4 * (int)(type))
#define SIM_INT2(op, type)   (uint32_t)(SIM_H_##op##_I8_V + 2 * (int)(type))
#define SIM_FLOAT4(op, type) (uint32_t)(SIM_H_##op##_F32_VV + 4 * ((int)(type)-SIM_F32))
#define SIM_FLOAT2(op, type) (uint32_t)(SIM_H_##op##_F32_V + 2 * ((int)(type)-SIM_F32))

/* ---- pointer.c ------------------------------------------------------------------------------- */

/* Returns the index in the program of the function that a constant of kind FUNCTION names; marks
 * the function as addressed. */
uint32_t sim_decode_addressed(sim_decoder *d, uint32_t module_index, const sim_constant *constant);
/* Returns the pool slot for a function's address, which the world fills in. */
sim_ref sim_decode_function_address(sim_decoder *d, uint32_t function);
/* Returns the index of a function type among the program's signatures, adding it if necessary. */
uint32_t sim_decode_signature(sim_decoder *d, const sim_type *type);
/* Moves the tables for calls through function pointers to the program. UNSUPPORTED: the address of
 * a kernel is taken. */
RT_MUST_USE rt_status sim_decode_pointers_keep(sim_decoder *d);

/* ---- group.c --------------------------------------------------------------------------------- */

/* Appends an instruction of group COLLECTIVE on a sub-group; see sim_decode_instruction. */
RT_MUST_USE rt_status sim_decode_collective(sim_decoder *d, const sim_view *view,
                                            sim_leaves *out_leaves);
/* The two halves of a COLLECTIVE instruction on a work-group, before and after the barrier. */
RT_MUST_USE rt_status sim_decode_group_put(sim_decoder *d, const sim_view *view);
RT_MUST_USE rt_status sim_decode_group_take(sim_decoder *d, const sim_view *view,
                                            sim_leaves *out_leaves);
/* Appends a sub-group barrier, which is a collective without a computation. */
void sim_decode_subgroup_barrier(sim_decoder *d, uint32_t order);
/* OpGroupWaitEvents: names the events; the caller then adds the barrier that completes their
 * copies. */
RT_MUST_USE rt_status sim_decode_wait_events(sim_decoder *d, const sim_view *view);
/* OpGroupAsyncCopy: every work-item copies its share immediately. */
RT_MUST_USE rt_status sim_decode_async_copy(sim_decoder *d, const sim_view *view,
                                            sim_leaves *out_leaves);

/* ---- print.c --------------------------------------------------------------------------------- */

/* printf from OpenCL.std; see sim_decode_instruction. */
RT_MUST_USE rt_status sim_decode_print(sim_decoder *d, const sim_view *view,
                                       sim_leaves *out_leaves);

/* ---- value.c --------------------------------------------------------------------------------- */

/* Appends one instruction of any group except control flow to the current block; *out_leaves
 * receives its result, if any. */
RT_MUST_USE rt_status sim_decode_instruction(sim_decoder *d, const sim_view *view,
                                             sim_leaves *out_leaves);

/* Builds one component of a result from the same component of every operand; operands that the
 * instruction lacks are NONE. */
typedef sim_ref sim_component(sim_decoder *d, const sim_view *view, const sim_ref *in);
/* Builds a result from the components of one to three operands, from number `first` to the last. A
 * scalar operand is combined with every component of the others. */
RT_MUST_USE rt_status sim_decode_each(sim_decoder *d, const sim_view *view, uint32_t first,
                                      sim_component *build, sim_leaves *out_leaves);

/* Returns the component of a vector that an integer of the module selects; selecting a component
 * that the vector lacks is a finding. */
RT_MUST_USE rt_status sim_decode_component(sim_decoder *d, sim_leaves vector, sim_id index_id,
                                           sim_lane_type type, sim_leaves *out_leaves);

/* ---- convert.c ------------------------------------------------------------------------------- */

/* Conversions between numbers, according to their decorations. */
sim_component sim_build_convert;
sim_component sim_build_quantize;
/* Converts a float or double (`from`) to half, rounded as SIM_FPRoundingMode… specifies. */
sim_ref sim_decode_convert_float(sim_decoder *d, sim_lane_type from, uint32_t rounding, sim_ref a);

/* ---- half.c ---------------------------------------------------------------------------------- */

/* Convert half, which is stored as I16, to and from F32 or F64. */
sim_ref sim_half_widen(sim_decoder *d, sim_lane_type to, sim_ref a);
sim_ref sim_half_narrow(sim_decoder *d, sim_lane_type from, sim_ref a);
/* OpDot on halves. */
sim_ref sim_half_dot(sim_decoder *d, sim_leaves a, sim_leaves b);
/* Builds one component of an OpenCL.std instruction on halves; unused operands are NONE. */
sim_ref sim_decode_half_extended(sim_decoder *d, uint32_t number, const sim_ref *operands);

/* ---- integer.c ------------------------------------------------------------------------------- */

/* Converts an unsigned amount to another type; an amount that does not fit becomes the largest
 * value. */
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
/* Group PRODUCT_32X16: only the low 16 bits of the second operand are used. */
sim_component sim_build_product_32x16;
/* OpenCL.std, groups UPSAMPLE, BIT_SELECT and LANE_SELECT. */
sim_component sim_build_upsample;
sim_component sim_build_bit_select;
sim_component sim_build_lane_select;

/* ---- vector.c -------------------------------------------------------------------------------- */

/* OpenCL.std, groups MASK_SHUFFLE, VECTOR_LOAD and VECTOR_STORE; see sim_decode_instruction. */
RT_MUST_USE rt_status sim_decode_shuffle(sim_decoder *d, const sim_view *view,
                                         sim_leaves *out_leaves);
RT_MUST_USE rt_status sim_decode_vector_load(sim_decoder *d, const sim_view *view,
                                             sim_leaves *out_leaves);
RT_MUST_USE rt_status sim_decode_vector_store(sim_decoder *d, const sim_view *view);

/* ---- bounds.c -------------------------------------------------------------------------------- */

/* Notes the indices of an access chain that an access through it must check. */
RT_MUST_USE rt_status sim_bounds_chain(sim_decoder *d, const sim_view *view);
/* Adds the checks for an access through that pointer. */
void sim_bounds_check(sim_decoder *d, sim_id pointer);

/* ---- memory.c -------------------------------------------------------------------------------- */

/* Instructions of the memory groups; see sim_decode_instruction. */
RT_MUST_USE rt_status sim_decode_memory(sim_decoder *d, const sim_view *view,
                                        sim_leaves *out_leaves);
/* A load or store of `count` adjacent elements of one type, at pointer + number * stride. */
typedef struct sim_vector_access {
    sim_ref pointer;
    const sim_type *pointer_type;
    sim_ref number; /* I64 */
    uint64_t stride;
    uint32_t alignment;
    sim_lane_type type;
    uint32_t count;
    sim_ref *leaves; /* load: receives the elements; store: holds them */
    bool is_store;
} sim_vector_access;
void sim_decode_vector_access(sim_decoder *d, const sim_vector_access *access);

/* Adds a private variable to the function being decoded: memory of one work-item for one
 * activation. Findings name it after `id`. UNSUPPORTED: there are too many variables, or this one
 * is too large; `name` is the instruction that requires it. */
RT_MUST_USE rt_status sim_decode_private(sim_decoder *d, const char *name, sim_id id,
                                         const sim_type *type, sim_ref *out_address);
/* Copies `size` (I64) bytes. The alignments are those required of the addresses, in bytes. */
void sim_decode_copy(sim_decoder *d, sim_ref target, uint32_t target_alignment, sim_ref source,
                     uint32_t source_alignment, sim_ref size);

/* Stores a value of the pointer's element type, with the natural alignment of that type. */
RT_MUST_USE rt_status sim_decode_store(sim_decoder *d, sim_id pointer, sim_leaves object);

/* ---- atomic.c -------------------------------------------------------------------------------- */

/* Instructions of the atomic groups; see sim_decode_instruction. */
RT_MUST_USE rt_status sim_decode_atomic(sim_decoder *d, const sim_view *view,
                                        sim_leaves *out_leaves);

/* ---- initial.c ------------------------------------------------------------------------------- */

/* Creates the program's module-scope variables with their initial bytes. */
RT_MUST_USE rt_status sim_decode_variables(sim_decoder *d);
/* Returns the pool slot for the address of a module-scope variable in the module of d->f. */
RT_MUST_USE rt_status sim_decode_variable(sim_decoder *d, const sim_variable *variable,
                                          sim_ref *out_ref);

/* ---- built_in.c ------------------------------------------------------------------------------ */

/* OpLoad of a built-in variable or of a component of it; see sim_decode_instruction. */
RT_MUST_USE rt_status sim_decode_built_in(sim_decoder *d, const sim_view *view,
                                          sim_leaves *out_leaves);

/* ---- by_value.c ------------------------------------------------------------------------------ */

/* Copies parameters with the attribute ByVal at the start of the function being decoded. */
RT_MUST_USE rt_status sim_decode_by_value(sim_decoder *d);

/* ---- extended.c ------------------------------------------------------------------------------ */

/* Builds one component of an OpenCL.std instruction. */
sim_ref sim_decode_extended(sim_decoder *d, uint32_t number, sim_lane_type type,
                            const sim_ref *operands);
/* Applies a function of `type` (F32, F64) to a, and to b unless b is NONE. Integer operands are as
 * wide as the type. */
sim_ref sim_build_math(sim_decoder *d, sim_math function, sim_lane_type type, sim_ref a, sim_ref b);
/* 1 / sqrt(a): an operation for F32, a function for F64. */
sim_ref sim_build_rsqrt(sim_decoder *d, sim_lane_type type, sim_ref a);
/* Returns the pool slot of the float `value`, rounded to the type. */
sim_ref sim_decode_float(sim_decoder *d, sim_lane_type type, double value);

/* ---- math.c ---------------------------------------------------------------------------------- */

/* OpenCL.std instructions on floats that cannot be built component by component with one operation:
 * those with integer operands or with a second result in memory, and the geometric functions. */
RT_MUST_USE rt_status sim_decode_math(sim_decoder *d, const sim_extended *row, const sim_view *view,
                                      sim_leaves *out_leaves);

/* ---- widths.c -------------------------------------------------------------------------------- */

/* Checks that the operands, arguments and results of all functions are as wide as what reads them
 * expects; panics otherwise. For CHECK_SLOW, before addresses are fused. */
bool sim_widths_check(const sim_decoder *d);

/* ---- uniform.c ------------------------------------------------------------------------------- */

/* Marks the varying values in all functions of the program, iterating to a fixed point. */
void sim_decode_uniform(sim_decoder *d);

/* ---- accessed.c ------------------------------------------------------------------------------ */

/* Finds what each kernel of the program may read and write. Call it after the kernels have been
 * created, but before addresses are fused. */
void sim_decode_accessed(sim_decoder *d);

/* ---- place.c, emit.c ------------------------------------------------------------------------- */

/* Assigns a register to every value of f. */
void sim_decode_place(sim_decoder *d, sim_ir_function *f, sim_code_function *out_function);
/* Writes the register code of f into *out_function. */
void sim_decode_emit(sim_decoder *d, sim_ir_function *f, sim_code_function *out_function);

#endif
