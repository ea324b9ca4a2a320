/* What the files that generate LLVM's code share. */
#ifndef SIM_TIER_EMIT_H
#define SIM_TIER_EMIT_H

#include "sim/compiled/flat.h"
#include "sim/compiled/handlers.h"

#include <llvm-c/Core.h>

/* Symbols that compiled code leaves undefined. */
#define TIER_HELPER_NAME "helper_%u"
#define TIER_DATA_NAME   "data_%u"
enum { TIER_NAME_SIZE = 24, TIER_HELPERS = sizeof(sim_tier_helpers) / sizeof(void *) };

/* A register as a variable on the stack, which LLVM promotes to values. */
typedef struct tier_register {
    uint64_t key; /* instance, width and place; 0: free */
    LLVMValueRef variable;
    LLVMTypeRef type;
    uint32_t number; /* in the order in which code was emitted for them */
    bool is_kept;    /* its value may outlive a block */
} tier_register;

/* A read or write of a register, in the order of the code of its node. */
typedef struct tier_use {
    uint32_t node, number;
    bool is_write;
} tier_use;

/* Data of this process that the code refers to. Addresses are not in the code, which is the same in
 * every process: element i is the symbol TIER_DATA_NAME, i. */
typedef struct tier_datum {
    const uint8_t *first;
    size_t size; /* bytes */
} tier_datum;
typedef RT_VECTOR(tier_datum) tier_data;

/* Accesses that are allocated together, so that code reaches many of them from one address. */
enum { TIER_ACCESS_BLOCK = 64 };

typedef struct tier_emitter {
    const tier_flat *flat;
    const sim_tier_helpers *helpers;
    uint32_t level; /* of the processor: see sim_tier_api.compile */
    LLVMContextRef llvm;
    LLVMModuleRef module, lanes;       /* `lanes`: lane.c */
    LLVMBuilderRef builder, variables; /* the second appends to the entry block */
    LLVMValueRef function, context;
    LLVMTypeRef i1, i8, i16, i32, i64, bytes_pointer, mask, word; /* word: a bit for each block */
    LLVMBasicBlockRef *bodies;  /* per block: runs the lanes in `active` */
    LLVMBasicBlockRef *unparks; /* per block: makes the lanes that wait for it active */
    LLVMBasicBlockRef exit, gives_up[SIM_TIER_REASON_COUNT];
    LLVMBasicBlockRef *barriers; /* per barrier: saves the registers and returns */
    LLVMValueRef active, parked, spent, steps, values, index;
    tier_register *registers; /* a hash table */
    uint32_t register_count, register_room;
    RT_VECTOR(sim_tier_access *) accesses;
    tier_data *data;
    uint32_t block, instance; /* that are being emitted */
    RT_VECTOR(tier_use) uses;
    uint32_t node;        /* of live.c, that is being emitted; TIER_NO_NODE: none */
    uint32_t *edge_nodes; /* per block, the node of its first edge */
    int32_t *strides;     /* of strides.c */
    uint32_t *stride_first;
} tier_emitter;

/* ---- registers.c ---- */

/* The LLVM type of a lane type: of one value, or of a chunk of them. */
LLVMTypeRef tier_type(const tier_emitter *e, sim_lane_type type, bool is_chunk);
/* A chunk of values of any LLVM type. */
static inline LLVMTypeRef tier_chunk_of(LLVMTypeRef type)
{
    return LLVMVectorType(type, SIM_TIER_LANES);
}
/* Pointer to a value of that type, `offset` bytes after a pointer. */
LLVMValueRef tier_pointer(const tier_emitter *e, LLVMValueRef from, uint64_t offset,
                          LLVMTypeRef type);
/* Gets a register's value; a uniform register gives the same value in every lane of a chunk. */
LLVMValueRef tier_read(tier_emitter *e, sim_register place, sim_lane_type type, bool is_chunk);
/* Sets a register; if `blends`, lanes that are not active keep their value. */
void tier_write(tier_emitter *e, sim_register place, sim_lane_type type, LLVMValueRef value,
                bool blends);
/* Gets a register of another instance. */
LLVMValueRef tier_read_in(tier_emitter *e, uint32_t instance, sim_register place,
                          sim_lane_type type, bool is_chunk);
void tier_write_in(tier_emitter *e, uint32_t instance, sim_register place, sim_lane_type type,
                   LLVMValueRef value, bool blends);
LLVMValueRef tier_splat(const tier_emitter *e, LLVMValueRef value);

/* ---- live.c ---- */

#define TIER_NO_NODE UINT32_MAX
/* Numbers the nodes; before any code is emitted. */
void tier_live_open(tier_emitter *e);
/* Notes that the node that is being emitted reads or writes the register. */
void tier_live_note(tier_emitter *e, const tier_register *place, bool is_write);
/* Returns the set of the registers that each block needs, after all blocks have been emitted:
 * *out_words words per block, with a bit for each register's number. The caller frees it. */
uint64_t *tier_live_find(tier_emitter *e, uint32_t *out_words);

/* ---- strides.c ---- */

#define TIER_STRIDE_UNKNOWN INT32_MIN
#define TIER_STRIDE_MIXED   (INT32_MIN + 1)
/* Guesses for each load and store how many bytes the places of adjacent lanes are apart: 0 if all
 * access one place, TIER_STRIDE_MIXED if that depends on what is in memory, so that the places have
 * no order, TIER_STRIDE_UNKNOWN if it cannot be told. Returns a number for each operation
 * of the blocks; (*out_first)[b] is the index of block b's first. The caller frees both. */
int32_t *tier_strides_find(const tier_flat *flat, uint32_t **out_first);

/* ---- widen.c ---- */

/* Computes the function of lane.c with that name for a chunk or for one value. */
LLVMValueRef tier_widen(tier_emitter *e, const char *prefix, const char *name,
                        const LLVMValueRef *operands, bool is_chunk);

/* ---- gather.c ---- */

/* `count` lanes of a row, from a lane on; after the last one comes lane 0. */
LLVMValueRef tier_lanes(const tier_emitter *e, LLVMValueRef row, uint32_t from, uint32_t count);
/* A chunk of its two halves. */
LLVMValueRef tier_lanes_join(const tier_emitter *e, const LLVMValueRef halves[2]);
/* Loads elements of four or eight bytes for the active lanes, at offsets that are numbers of 32
 * bits, from 0 to INT32_MAX. */
LLVMValueRef tier_gather(const tier_emitter *e, LLVMTypeRef type, LLVMValueRef data,
                         LLVMValueRef at);
/* Stores numbers of 32 bits of the active lanes, in the same way. */
void tier_scatter_words(const tier_emitter *e, LLVMValueRef data, LLVMValueRef at,
                        LLVMValueRef words);

/* ---- operations.c ---- */

/* Emits one operation of the register code, by the shape of its handler. */
void tier_emit_op(tier_emitter *e, const sim_op *op);
/* Branches; LLVM places the code and the copies of registers in memory so that `yes` is quick. */
void tier_branch_rarely(const tier_emitter *e, LLVMValueRef condition, LLVMBasicBlockRef yes,
                        LLVMBasicBlockRef rare);
/* Continues if the bit is 1, and gives up otherwise. */
void tier_give_up_unless(tier_emitter *e, LLVMValueRef is_fine, sim_tier_reason reason);
/* True if any lane of the mask is active. */
LLVMValueRef tier_any(const tier_emitter *e, LLVMValueRef mask);
LLVMValueRef tier_active(const tier_emitter *e);
LLVMValueRef tier_bits(const tier_emitter *e, LLVMValueRef mask, LLVMTypeRef type);
/* Calls a function of the table e->helpers, by the name TIER_HELPER_NAME of its place there. */
LLVMValueRef tier_call_helper(const tier_emitter *e, const void *helper, LLVMTypeRef result,
                              LLVMValueRef *arguments, uint32_t count);
/* Calls a helper that returns a number, and gives up if that is 0. */
void tier_demand_helper(tier_emitter *e, const void *helper, LLVMValueRef *arguments,
                        uint32_t count);
LLVMBasicBlockRef tier_block_new(const tier_emitter *e, const char *name);
LLVMValueRef tier_number(LLVMTypeRef type, uint64_t value);
/* A pointer to data of this process, by name. */
LLVMValueRef tier_constant_pointer(const tier_emitter *e, const void *pointer);

/* The components of an access, which is one of a vector. */
enum { TIER_COMPONENTS_MAX = 16 };
/* A place for a row of lanes, by number below that, that helpers read or write. */
LLVMValueRef tier_scratch(const tier_emitter *e, uint32_t row, LLVMTypeRef type);

/* ---- memory.c ---- */

/* One access while it is emitted. */
typedef struct tier_memory {
    sim_tier_access *access;
    sim_lane_type type; /* of a component */
    const sim_register *places;
    tier_object object;         /* what is known of what it reaches */
    bool is_uniform;            /* all lanes have one address */
    int32_t stride;             /* a guess: see strides.c */
    const LLVMValueRef *values; /* a store's components; NULL for a load */
    LLVMValueRef base;          /* the uniform part of the address */
    LLVMValueRef row; /* each lane's index or, without a base, address; NULL if is_uniform */
    LLVMBasicBlockRef done;
} tier_memory;

/* Calls a helper that accesses anything, lane by lane, and goes to m->done; ends the LLVM block. */
void tier_access_any(tier_emitter *e, const tier_memory *m);
/* The lanes' distances from the base, or their addresses, as numbers of 64 bits. */
LLVMValueRef tier_distances(const tier_emitter *e, const tier_memory *m);
/* Ends an in-line load of a component. */
void tier_value_write(tier_emitter *e, const tier_memory *m, uint32_t component,
                      LLVMValueRef value);
/* Gives up if an offset is outside [0, end) or not aligned; offsets and end are numbers of 64 bits.
 */
void tier_offsets_check(tier_emitter *e, const tier_memory *m, LLVMValueRef offsets,
                        LLVMValueRef end);
LLVMValueRef tier_intrinsic(const tier_emitter *e, const char *name, LLVMTypeRef *types,
                            uint32_t type_count, LLVMValueRef *arguments, uint32_t count);

/* Emit a load, a store, an atomic or a copy of the operation's components, with its checks in line.
 */
void tier_emit_load(tier_emitter *e, const sim_op *op, const tier_handler *h);
void tier_emit_store(tier_emitter *e, const sim_op *op, const tier_handler *h);
void tier_emit_atomic(tier_emitter *e, const sim_op *op, const tier_handler *h);
void tier_emit_copy(tier_emitter *e, const sim_op *op);

/* ---- private.c ---- */

/* Emits an access whose base is the address of a private variable; false if it is not. */
bool tier_access_private(tier_emitter *e, const sim_op *op, const tier_memory *m);

/* ---- control.c ---- */

/* Emits all blocks of the kernel. */
void tier_emit_blocks(tier_emitter *e);

/* ---- emit.c ---- */

/* Fills the module with the kernel's function, `tier_chunk`, and sets all members of *out_code but
 * `run`. */
void tier_emit(tier_emitter *e, sim_tier_code *out_code);

#endif
