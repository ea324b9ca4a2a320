/* The table through which the simulated device reaches its compiler, and the data that compiled
 * code works on.
 *
 * The compiler is a shared library, libassay_tier.so, because it links LLVM; sim opens it when a
 * kernel is worth it, and interprets without it. It turns a kernel's register code into one
 * function that runs a *chunk*, sixteen work-items, from the kernel's start or from a barrier to
 * the next barrier or the end. Chunks of a group run one after the other, so results can differ
 * from the interpreter's only if work-items communicate; every access is checked for that, and
 * whenever a check fails, compiled code *gives up*: the caller undoes the launch and interprets it,
 * so that a finding is always made by the interpreter (docs/decisions/023-compiled-tier.md). */
#ifndef SIM_TIER_H
#define SIM_TIER_H

#include "sim/decode/address.h"
#include "sim/decode/program.h"

#define SIM_TIER_VERSION 9u
#define SIM_TIER_LANES   SIM_CHUNK

/* An activation of an inlined function: what its private addresses refer to. */
typedef struct sim_tier_frame {
    const sim_code_function *function;
    uint64_t private_first; /* where its variables begin in a work-item's private memory */
    uint32_t number;        /* in its private addresses; 0: no variables */
    bool is_marked[];       /* per variable of the function: see SIM_TIER_MARK */
} sim_tier_frame;

/* A granule, four bytes, of a marked variable is undefined if it has this value. Compiled code that
 * stores the value gives up. Variables that are not marked have a shadow. */
#define SIM_TIER_MARK UINT32_C(0xa7d1c3e9)

/* The object that an access last reached. */
typedef struct sim_tier_view {
    uint64_t key; /* class and object of the address (SIM_TIER_KEY); UINT64_MAX: none yet */
    uint8_t *data, *defined;      /* defined: NULL if all bytes are */
    const bool *all_defined;      /* if true, `defined` is not examined; NULL: false */
    uint64_t end;                 /* offsets below it are inside: an access fits */
    struct sim_race_shadow *race; /* NULL: accesses cannot race */
    struct sim_race_clock *clock; /* of that memory */
    struct sim_undo_object *undo; /* exec/undo.h; NULL: the launch does not write the object, or it
                                   * is in local memory */
    uint64_t loads, stores;       /* flags: SIM_TIER_HELPED and so on */
    /* What in-line stores to local memory record: who wrote each four bytes last, and since when.
     */
    uint32_t *writes, *writes_from;
} sim_tier_view;
#define SIM_TIER_KEY(address) ((address) >> SIM_ADDRESS_OFFSET_BITS)
/* What an access to an object needs but the check of its offsets: a helper, or a row in the log of
 * reads, or its bits have a shadow. In local memory this changes while the launch runs: see
 * exec/chunk_access.h. */
enum { SIM_TIER_HELPED = 1, SIM_TIER_LOGGED = 2, SIM_TIER_SHADOWED = 4 };

/* The part of a number in `writes` that identifies the work-item: SIM_RACE_STAMP. */
#define SIM_TIER_STAMP UINT32_C(0x0fffffff)

/* A load or store, as compiled code and its helpers see it. */
typedef struct sim_tier_access {
    uint8_t form;      /* sim_memory_form */
    uint8_t bytes;     /* of a component */
    uint8_t count;     /* components */
    uint8_t low, high; /* LOAD: components [low, high) count as read, as in the interpreter */
    bool is_store;     /* or an atomic */
    bool is_atomic;
    uint8_t operation; /* of an atomic: sim_atomic */
    bool is_quiet; /* a load: no work-item of the group stores to its object, if that is local, at
                    * the same time */
    uint32_t alignment, stride;
    int64_t imm;
    /* The key of the only object that flat.c expects it to reach, or 0; and the kernel's uniform
     * register that has its address, or SIM_REGISTER_NONE. is_quiet relies on these. */
    uint64_t key;
    sim_register pointer;
    sim_tier_view view;
} sim_tier_access;

/* A load of local memory whose order is examined when the group has reached the next barrier: a
 * work-item may store to the object before that. */
typedef struct sim_tier_read {
    struct sim_race_shadow *race;
    const sim_tier_access *access;
    uint32_t mask, lid;
    uint32_t kind;               /* SIM_TIER_RUN and so on, below */
    uint32_t first;              /* RUN, SAME: lane 0's offset in the object */
    uint32_t at[SIM_TIER_LANES]; /* MIXED: all lanes' offsets; 0 if they are not active */
} sim_tier_read;

typedef struct sim_tier_context sim_tier_context;

/* What compiled code calls. `mask` has a bit for each active lane. Values and operands are rows of
 * SIM_TIER_ROW_BYTES, one per component. Those that return a number return 0 if the code must give
 * up. */
#define SIM_TIER_ROW_BYTES (SIM_TIER_LANES * 8u)
/* How the active lanes of an access are laid out: each accesses the place after that of the lane
 * before it; all access one place; anything else. In the first two cases the places of the other
 * lanes continue theirs, and are inside as well. */
enum { SIM_TIER_RUN, SIM_TIER_SAME, SIM_TIER_MIXED };
typedef struct sim_tier_helpers {
    /* Fills in access->view for an address in global or local memory. */
    uint32_t (*find)(sim_tier_context *c, sim_tier_access *access, uint64_t address);
    /* Access the view's object, which fits at the offsets `at` of all active lanes; those of other
     * lanes are inside as well. `kind`: SIM_TIER_RUN and so on. By log2 of the width. */
    uint32_t (*load[4])(sim_tier_context *c, const sim_tier_access *access, uint32_t kind,
                        uint32_t mask, const uint32_t *at, void *values);
    uint32_t (*store[4])(sim_tier_context *c, const sim_tier_access *access, uint32_t kind,
                         uint32_t mask, const uint32_t *at, const void *values);
    /* Access anything: `addresses` has the full address of each active lane. */
    uint32_t (*load_any[4])(sim_tier_context *c, sim_tier_access *access, uint32_t mask,
                            const uint64_t *addresses, void *values);
    uint32_t (*store_any[4])(sim_tier_context *c, sim_tier_access *access, uint32_t mask,
                             const uint64_t *addresses, const void *values);
    /* Apply access->operation to values in memory, by log2 of the width; the others are NULL. */
    uint32_t (*atomic[4])(sim_tier_context *c, sim_tier_access *access, uint32_t mask,
                          const uint64_t *addresses, const void *values);
    /* Copies memory, in pieces of from->bytes, which is also to->bytes. The rows of 64-bit numbers
     * `places` are the targets, the sources, which must be aligned to the numbers given, and the
     * sizes. */
    uint32_t (*copy)(sim_tier_context *c, sim_tier_access *from, sim_tier_access *to, uint32_t mask,
                     const uint64_t *places, uint32_t to_alignment, uint32_t from_alignment);
    /* Executes a collective of sub-groups, of which a chunk has whole ones. The operands are three
     * rows of 64-bit numbers, and the result is one. */
    uint32_t (*collective)(sim_tier_context *c, const sim_op *op, uint32_t mask,
                           const uint64_t *operands, uint64_t *out);
    /* Applies sim_math `function` to the active lanes of a (and b). */
    void (*math)(uint32_t function, uint32_t is_double, uint32_t mask, const void *a, const void *b,
                 void *out);
    /* The lanes enter the activation; its variables become undefined. */
    void (*enter)(sim_tier_context *c, const sim_tier_frame *frame, uint32_t mask);
    /* The private variable at the address becomes undefined for the lanes. */
    void (*forget)(sim_tier_context *c, uint64_t address, uint32_t mask);
    /* Empties the full log of reads. */
    uint32_t (*log_flush)(sim_tier_context *c);
    /* For the caller of compiled code: returns 0 if a work-item has stored to what another has read
     * since the last barrier. The log remains. */
    uint32_t (*log_check)(sim_tier_context *c);
    /* For the caller too: adds a number to all elements of a row of built-ins. */
    void (*row_add)(uint64_t *row, uint32_t lanes, uint64_t number);
} sim_tier_helpers;

#define SIM_TIER_FRAMES 64u /* more than any number of a frame */

/* What a chunk has. Compiled code reads and writes it directly. */
struct sim_tier_context {
    const uint8_t *rows;     /* the chunk's part of the wave's built-in rows */
    const uint64_t *pool;    /* space POOL */
    const uint8_t *uniforms; /* the kernel's uniform registers at its start: the arguments */
    uint8_t *saved;          /* registers, while the chunk waits at a barrier */
    uint16_t *parked;        /* per block, the lanes that wait to run it; 0 between calls */
    uint64_t spent, steps;   /* work-item instructions, and those counted once for a chunk */
    uint64_t spent_max, steps_max;
    uint32_t mask;   /* lanes that have a work-item */
    uint32_t resume; /* 0: the kernel's start; otherwise the number of the barrier to leave */
    uint32_t lid;    /* local linear id of lane 0 */
    uint32_t reason; /* sim_tier_reason: why the code gave up */
    /* Of the clock of local memory: its `base` and `ordered_from`. */
    uint32_t local_base, local_from;
    /* Granule g, four bytes, of lane l is at (g * SIM_TIER_LANES + l) * 4. */
    uint8_t *private_memory, *private_defined;     /* the second is for variables without marks */
    const sim_tier_frame *frames[SIM_TIER_FRAMES]; /* the active ones by number */
    sim_tier_read *reads, *reads_next, *reads_end; /* the log */
    struct sim_exec *exec;                         /* for helpers, like the rest */
    struct sim_undo *undo;
    const struct sim_tier_code *code;
    uint64_t shared;   /* SIM_TIER_SHARED: the object, as in sim_undo_open */
    bool views_change; /* a view of local memory may need less after the next barrier */
};

/* What a chunk's function returns: SIM_TIER_DONE, SIM_TIER_GIVES_UP or the number of the barrier at
 * which all of its lanes wait. */
typedef uint32_t sim_tier_entry(sim_tier_context *c);
#define SIM_TIER_DONE     0u
#define SIM_TIER_GIVES_UP UINT32_MAX

typedef enum sim_tier_reason {
    SIM_TIER_NO_REASON,
    SIM_TIER_BUDGET,    /* too many instructions to be sure of the budget */
    SIM_TIER_MISUSE,    /* arithmetic whose result is undefined */
    SIM_TIER_UNDEFINED, /* undefined bits may matter */
    SIM_TIER_ACCESS,    /* an access that may be a finding */
    SIM_TIER_RACE,      /* accesses that may not be ordered */
    SIM_TIER_BARRIER,   /* a barrier or meeting that not all work-items reach together */
    SIM_TIER_ORDER,     /* lanes that wait inside a loop that others have left */
    SIM_TIER_SHARED,    /* accesses that must be recorded, after others were not: see exec/undo.h */
    SIM_TIER_REASON_COUNT
} sim_tier_reason;

/* A compiled kernel. */
typedef struct sim_tier_code {
    sim_tier_entry *run;
    uint64_t saved_bytes;             /* per chunk that waits at a barrier */
    uint64_t private_bytes;           /* per work-item */
    sim_tier_access *const *accesses; /* their views are the caller's to reset before a launch */
    uint32_t access_count, block_count;
    uint32_t barrier_count;
    const uint32_t *barrier_order; /* by number: sim_order_pack; [0] is unused */
    const sim_tier_frame *kernel_frame;
    bool is_found; /* in the folder, so that LLVM did not compile it */
    void *owner;   /* what sim_tier_api.release frees */
} sim_tier_code;

typedef struct sim_tier_api {
    uint32_t version;
    /* Compiles a kernel for this machine at an engine's level (0: any x86-64; 1: v3; 2: v4). NULL,
     * or the reason why the kernel cannot be compiled, a phrase that continues "is interpreted
     * because it …"; it lives as long as the library. What was compiled is kept in `folder`, which
     * is created if need be, and found there; NULL: nothing is kept. The caller owns *out_code. */
    const char *(*compile)(const sim_program *program, uint32_t function, uint32_t level,
                           const sim_tier_helpers *helpers, const char *folder,
                           sim_tier_code *out_code);
    void (*release)(sim_tier_code *code);
} sim_tier_api;

#define SIM_TIER_FILE "libassay_tier.so"
/* The library's one exported function; NULL if it has another version. */
#define SIM_TIER_SYMBOL "sim_tier_api_get"
typedef const sim_tier_api *sim_tier_api_get_function(uint32_t version);

#endif
