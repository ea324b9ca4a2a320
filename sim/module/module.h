/* The contents of a SPIR-V module that has been read and validated, for the other files of the
 * simulator.
 *
 * sim_module_create (see reader.h) fills a module; afterwards only sim_module_declare changes it,
 * and everything stated here has been checked: the decoder asserts it, and refuses only what it
 * does not support.  All arrays live as long as the module.  Source: SPIR-V specification 1.6.
 *
 * Two terms are used throughout: an *id* is SPIR-V's own number (1 <= id < id_bound), and an
 * *index* is a position in one of the arrays. */
#ifndef SIM_MODULE_H
#define SIM_MODULE_H

#include "reference/base/arena.h"
#include "reference/base/hash.h"
#include "sim/module/opcodes.h"
#include "sim/sim.h"

#include <stdatomic.h>

typedef uint32_t sim_id; /* 0: none */

#define SIM_NONE UINT32_MAX /* no index, no member, no built-in, no specialisation id */

/* ---- Types (types.c) ---------------------------------------------------------------------- */

typedef enum sim_type_kind {
    SIM_TYPE_VOID,
    SIM_TYPE_BOOL,
    SIM_TYPE_INT,   /* 8, 16, 32, 64 bits; the signedness has no meaning in kernels */
    SIM_TYPE_FLOAT, /* 16, 32, 64 bits */
    SIM_TYPE_VECTOR,
    SIM_TYPE_ARRAY,
    SIM_TYPE_STRUCT,
    SIM_TYPE_POINTER,
    SIM_TYPE_FUNCTION,
    SIM_TYPE_EVENT,  /* of an asynchronous copy: 64 opaque bits */
    SIM_TYPE_OPAQUE, /* OpTypeOpaque: may be declared and pointed to, never has a value */
} sim_type_kind;

/* Bounds that keep recursion over types and the expansion of values safe. */
#define SIM_TYPE_DEPTH_MAX     255u   /* nesting of aggregates */
#define SIM_VALUE_PARTS_MAX    16384u /* part_count of the value of an instruction or parameter */
#define SIM_CONSTANT_PARTS_MAX (1u << 24) /* part_count of a constant */

/* A type.  Two ids may denote equal types, so compare with sim_type_equal, not by address. */
typedef struct sim_type {
    sim_id id;
    uint8_t kind;             /* sim_type_kind */
    uint8_t is_packed;        /* STRUCT with CPacked: members without padding */
    uint16_t bits;            /* INT, FLOAT; 1 for BOOL; 64 for POINTER */
    uint32_t storage_class;   /* POINTER: SIM_StorageClass… */
    uint32_t index;           /* of this type in sim_module.types */
    uint32_t alignment_bytes; /* a power of two; 0 for types without values */
    uint16_t depth;           /* levels of aggregates nested in it, at most SIM_TYPE_DEPTH_MAX */
    uint64_t size_bytes;      /* in memory, padding included; 0 for types without values */
    uint64_t part_count;      /* scalars and empty structs in a value, saturating; 1 for scalars */
    uint64_t structure;       /* hash of everything that sim_type_equal compares */
    /* VECTOR: components (2, 3, 4, 8, 16).  ARRAY: elements.  STRUCT: members.  FUNCTION:
     * parameters. */
    uint64_t count;
    /* VECTOR, ARRAY: the element type.  POINTER: the pointee.  FUNCTION: the return type. */
    const struct sim_type *element;
    const struct sim_type *const *members; /* STRUCT, FUNCTION: count of them */
    const uint64_t *offsets;               /* STRUCT: byte offset of each member */
} sim_type;

/* ---- Constants ---------------------------------------------------------------------------- */

typedef enum sim_constant_kind {
    SIM_CONSTANT_BITS,      /* scalar of type BOOL, INT or FLOAT, in `bits`, zero-extended */
    SIM_CONSTANT_NULL,      /* all zero, any type with values; `bits` is 0 */
    SIM_CONSTANT_UNDEFINED, /* OpUndef at module scope */
    SIM_CONSTANT_COMPOSITE, /* vector, array, struct: `count` ids of constants or variables */
    SIM_CONSTANT_OPERATION, /* OpSpecConstantOp: `opcode` applied to `count` operand words.  A
                             * scalar that could be computed is BITS instead */
    SIM_CONSTANT_FUNCTION,  /* OpConstantFunctionPointerINTEL: operands[0] is the function's id */
} sim_constant_kind;

typedef struct sim_constant {
    sim_id id;
    uint8_t kind; /* sim_constant_kind */
    const sim_type *type;
    uint64_t bits;
    uint32_t spec_id; /* SpecId of OpSpecConstant…, or SIM_NONE; `bits` is the current value */
    /* Only for OpSpecConstantOp, otherwise NULL; sim_operand_at gives the kinds of its operands. */
    const sim_opcode *opcode;
    const uint32_t *operands;
    uint32_t count;
    /* OPERATION that could be computed: the value as laid out in memory; otherwise NULL. */
    const uint8_t *image;
} sim_constant;

/* ---- Decorations and linkage -------------------------------------------------------------- */

/* One decoration of one id or of one member of a struct type; decoration groups have been resolved.
 */
typedef struct sim_decoration {
    sim_id target;
    uint32_t member;          /* SIM_NONE: the id itself */
    uint32_t number;          /* SIM_Decoration… */
    const uint32_t *operands; /* literals, strings (sim_words_text) or ids */
    uint32_t operand_count;   /* words */
} sim_decoration;

typedef enum sim_linkage_kind {
    SIM_LINKAGE_NONE, /* private to the module */
    SIM_LINKAGE_IMPORT,
    SIM_LINKAGE_EXPORT,
    SIM_LINKAGE_ODR, /* LinkOnceODR: any one of the definitions is used for all */
} sim_linkage_kind;

/* True for what other modules and the host can find by its name. */
static inline bool sim_linkage_is_exported(uint8_t kind)
{
    return kind == SIM_LINKAGE_EXPORT || kind == SIM_LINKAGE_ODR;
}

/* ---- Variables, functions, blocks, instructions ------------------------------------------- */

/* A variable at module scope.  Its storage class is UniformConstant, CrossWorkgroup, Workgroup,
 * Input (for a built-in), or Function (a constant that all work-items share, such as a virtual
 * function table, which has no address space). */
typedef struct sim_variable {
    sim_id id;
    const sim_type *type;     /* POINTER */
    uint32_t storage_class;   /* SIM_StorageClass… */
    sim_id initializer;       /* a constant, a variable or a function pointer constant; 0: none */
    uint32_t alignment_bytes; /* of the pointee, or of the decoration Alignment if larger */
    uint32_t built_in;        /* SIM_BuiltIn…, or SIM_NONE */
    uint8_t linkage;          /* sim_linkage_kind */
    rt_text link_name;        /* of LinkageAttributes; otherwise empty */
    rt_text name;             /* of OpName, or link_name; otherwise empty */
} sim_variable;

/* One instruction of a block.  Phis come first, the terminator last; variables may be anywhere in a
 * block; OpLabel, OpLine and OpNoLine are not instructions of a block, nor is anything that
 * semantics.def marks DEBUG. */
typedef struct sim_instruction {
    const sim_opcode *opcode; /* treatment EXEC */
    const uint32_t *words;    /* the whole instruction, words[0] = word count and opcode */
    const uint32_t *operands; /* after result type and result */
    uint16_t operand_count;   /* words */
    uint32_t block;           /* index */
    sim_id id;                /* result, or 0 */
    const sim_type *type;     /* of the result, or NULL */
    sim_id source;            /* OpString with the file's name, or 0 */
    uint32_t line, column;    /* 0: unknown */
} sim_instruction;

/* A basic block.  A function's blocks are contiguous, in module order; the first is the entry. */
typedef struct sim_block {
    sim_id label;
    uint32_t function;          /* index */
    uint32_t first;             /* index of its first instruction */
    uint32_t count;             /* instructions, terminator included; >= 1 */
    const uint32_t *successors; /* block indices, in operand order, each once */
    uint32_t successor_count;
    const uint32_t *predecessors; /* block indices, ascending, each once, reachable or not */
    uint32_t predecessor_count;
    /* Position in the function's order; SIM_NONE: unreachable.  The order is a reverse post-order
     * in which the blocks of a natural loop precede all blocks to which the loop exits. */
    uint32_t order;
    uint32_t dominator; /* block index of the immediate one (entry: itself), or SIM_NONE */
    uint32_t dominees_first, dominees_end; /* for sim_block_dominates */
    uint32_t loop;       /* block index of the innermost natural loop's header; or SIM_NONE */
    uint32_t loop_depth; /* loops around the block */
} sim_block;

/* True if every path to b passes through a; both are reachable blocks of one function. */
static inline bool sim_block_dominates(const sim_block *a, const sim_block *b)
{
    CHECK(a->order != SIM_NONE && b->order != SIM_NONE && a->function == b->function);
    return a->dominees_first <= b->dominees_first && b->dominees_first < a->dominees_end;
}

typedef struct sim_function {
    sim_id id;
    const sim_type *type;     /* FUNCTION */
    const sim_id *parameters; /* type->count ids */
    uint32_t block_first;     /* index */
    uint32_t block_count;     /* 0: declaration (linkage is IMPORT) */
    const uint32_t *order;    /* reachable blocks, see sim_block.order; order[0] = block_first */
    uint32_t order_count;
    uint8_t linkage;   /* sim_linkage_kind */
    rt_text link_name; /* of LinkageAttributes; otherwise empty */
    rt_text name;      /* of OpName, or link_name; otherwise empty */
} sim_function;

/* A kernel: entry point of execution model Kernel.  Its function is defined here, returns void and
 * takes pointers to CrossWorkgroup, UniformConstant or Workgroup memory, pointers to Function
 * memory with decoration FuncParamAttr ByVal, and values. */
typedef struct sim_entry {
    rt_text name;
    uint32_t function;                           /* index */
    uint32_t local_size[RT_ND_RANGE_DIMENSIONS]; /* execution mode LocalSize; all 0 if absent */
    uint32_t subgroup_size;                      /* execution mode SubgroupSize; 0 if absent */
} sim_entry;

/* ---- The module --------------------------------------------------------------------------- */

typedef enum sim_id_kind {
    SIM_ID_NONE,      /* never defined */
    SIM_ID_TYPE,      /* index into types */
    SIM_ID_CONSTANT,  /* index into constants */
    SIM_ID_VARIABLE,  /* index into variables */
    SIM_ID_FUNCTION,  /* index into functions */
    SIM_ID_PARAMETER, /* index into the parameters of function `owner` */
    SIM_ID_LABEL,     /* index into blocks */
    SIM_ID_RESULT,    /* index into instructions */
    SIM_ID_STRING,    /* index: word offset of the OpString */
    SIM_ID_SET,       /* extended instruction set, index: sim_set */
    SIM_ID_OTHER,     /* decoration group, debug information: no meaning for execution */
} sim_id_kind;

typedef struct sim_id_entry {
    uint8_t kind; /* sim_id_kind */
    uint32_t index;
    uint32_t owner;            /* PARAMETER, LABEL, RESULT: index of the function; otherwise
                                * SIM_NONE */
    uint32_t word;             /* word offset of the defining instruction in the module */
    uint32_t name_word;        /* word offset of the literal of its OpName; 0: none */
    const sim_type *type;      /* of values; NULL for types, labels, strings, functions, sets */
    uint32_t decoration_first; /* into decorations, which are sorted by target */
    uint32_t decoration_count;
} sim_id_entry;

typedef enum sim_set {
    SIM_SET_OPENCL_STD,
    SIM_SET_DEBUG, /* OpenCL.DebugInfo.100, DebugInfo, NonSemantic.*: skipped */
} sim_set;

struct sim_module {
    rt_arena arena;         /* owns everything below but ids */
    atomic_uint references; /* one for the caller and one per program that may decode it again */
    const uint32_t *words;  /* in this machine's byte order */
    sim_id_entry *ids;      /* id_bound of them */
    sim_type *types;
    sim_constant *constants; /* each after its operands, except for function addresses */
    sim_variable *variables;
    sim_function *functions;
    sim_block *blocks;
    sim_instruction *instructions;
    sim_entry *entries;
    sim_decoration *decorations;
    uint32_t word_count;
    uint32_t version; /* 0x00010000 | minor << 8 */
    uint32_t id_bound;
    uint32_t type_count;
    uint32_t constant_count;
    uint32_t variable_count;
    uint32_t function_count;
    uint32_t block_count;
    uint32_t instruction_count;
    uint32_t entry_count;
    uint32_t decoration_count;
    rt_text image;          /* its name; empty: none */
    rt_hash code_hash;      /* of its original bytes */
    rt_hash constants_hash; /* of the values given to its specialisation constants */
    sim_declarations declarations;
};

/* Takes a reference, which sim_module_destroy releases; returns the module. */
sim_module *sim_module_retain(sim_module *module);

/* Returns true, or panics at the first table entry that violates an invariant of this header.  Used
 * with CHECK_SLOW (check.c). */
bool sim_module_check(const sim_module *module);

/* ---- Declared sets (declare_sets.c) ------------------------------------------------------- */

/* The set of virtual functions to which a function of the module belongs; empty if none. */
rt_text sim_module_function_set(const sim_module *module, const sim_function *function);

/* True for a function that may be called through an address that the module itself does not take: a
 * virtual function, whose address another program can take, or a function with the decoration
 * ReferencedIndirectlyINTEL, whose address the host can take (SPV_INTEL_function_pointers). */
bool sim_module_function_is_open(const sim_module *module, const sim_function *function);

/* The sets that a kernel of the module may call, separated by commas; empty if none. */
rt_text sim_module_kernel_sets(const sim_module *module, rt_text kernel);

/* ---- Accessors ---------------------------------------------------------------------------- */

static inline const sim_id_entry *sim_module_id(const sim_module *module, sim_id id)
{
    CHECK(id < module->id_bound);
    return &module->ids[id];
}

/* The object that an id of the given kind refers to. */
static inline const sim_type *sim_module_type(const sim_module *module, sim_id id)
{
    CHECK(sim_module_id(module, id)->kind == SIM_ID_TYPE);
    return &module->types[module->ids[id].index];
}
static inline const sim_constant *sim_module_constant(const sim_module *module, sim_id id)
{
    CHECK(sim_module_id(module, id)->kind == SIM_ID_CONSTANT);
    return &module->constants[module->ids[id].index];
}
static inline const sim_variable *sim_module_variable(const sim_module *module, sim_id id)
{
    CHECK(sim_module_id(module, id)->kind == SIM_ID_VARIABLE);
    return &module->variables[module->ids[id].index];
}
static inline const sim_function *sim_module_function(const sim_module *module, sim_id id)
{
    CHECK(sim_module_id(module, id)->kind == SIM_ID_FUNCTION);
    return &module->functions[module->ids[id].index];
}
static inline const sim_instruction *sim_module_result(const sim_module *module, sim_id id)
{
    CHECK(sim_module_id(module, id)->kind == SIM_ID_RESULT);
    return &module->instructions[module->ids[id].index];
}

/* True if the function is the kernel of an entry point. */
bool sim_module_is_entry(const sim_module *module, const sim_function *function);

/* The first decoration with the given number on an id, or on one member of a struct type (member
 * SIM_NONE: the id itself); NULL if there is none. */
const sim_decoration *sim_module_decoration(const sim_module *module, sim_id target,
                                            uint32_t member, uint32_t number);

/* True for a parameter with attribute ByVal: its pointee is the function's own copy. */
bool sim_module_is_by_value(const sim_module *module, sim_id parameter);

/* The text of an OpString, empty for id 0; borrows the module. */
rt_text sim_module_string(const sim_module *module, sim_id id);

/* The OpName of an id, empty if it has none; borrows the module. */
rt_text sim_module_name(const sim_module *module, sim_id id);

/* The literal string at words[0]; the reader has checked that it is terminated. */
rt_text sim_words_text(const uint32_t *words);

/* True for the types whose values have parts: components, elements or members. */
static inline bool sim_type_is_composite(const sim_type *type)
{
    return type->kind == SIM_TYPE_VECTOR || type->kind == SIM_TYPE_ARRAY ||
           type->kind == SIM_TYPE_STRUCT;
}

/* The type of a part of a composite, and its offset in memory in bytes. */
static inline const sim_type *sim_type_part(const sim_type *type, uint64_t index)
{
    CHECK(sim_type_is_composite(type) && index < type->count);
    return type->kind == SIM_TYPE_STRUCT ? type->members[index] : type->element;
}
static inline uint64_t sim_type_part_offset(const sim_type *type, uint64_t index)
{
    CHECK(sim_type_is_composite(type) && index < type->count);
    return type->kind == SIM_TYPE_STRUCT ? type->offsets[index] : index * type->element->size_bytes;
}

/* True if both types, of one module or of two, have the same structure: kinds, widths, counts,
 * packing, storage classes.  Pointees are not compared: pointers of equal storage class are
 * interchangeable in memory and in calls between modules. */
bool sim_type_equal(const sim_type *a, const sim_type *b);

/* True if both types, which belong to one module, are the same: within a module, types are
 * distinguished by their ids (section 2.8 "Types"), even if their structure is equal. */
static inline bool sim_type_same(const sim_type *a, const sim_type *b)
{
    return a == b;
}

#endif
