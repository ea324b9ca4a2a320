/* A linked program: the register code of its functions, its kernels and its variables. */
#ifndef SIM_PROGRAM_H
#define SIM_PROGRAM_H

#include "reference/base/map.h"
#include "sim/decode/code.h"

#include <stdatomic.h>

/* A module-scope variable in global memory. */
typedef struct sim_global {
    uint64_t size;
    const uint8_t *initial; /* size bytes; NULL: undefined */
    uint32_t slot;          /* pool slot that receives its address; SIM_NONE: never used */
    bool is_constant;       /* kernels must not write to it */
    rt_text name;
} sim_global;

/* A pointer in the initial bytes of a variable, or in the pool: the address of another variable or
 * of a function. */
typedef struct sim_relocation {
    uint32_t global; /* the variable whose initial bytes contain it; SIM_NONE: the pool */
    uint64_t offset; /* byte offset in those bytes; in the pool, the slot's index */
    uint32_t target; /* the variable or function pointed to */
    bool is_function;
    int64_t addend;
} sim_relocation;

/* A module-scope variable in local memory. */
typedef struct sim_local {
    uint64_t size, alignment;
    rt_text name;
} sim_local;

/* ---- Calls of printf ---- */

typedef enum sim_print_kind {
    SIM_PRINT_INTEGER,
    SIM_PRINT_FLOAT,
    SIM_PRINT_POINTER,
    SIM_PRINT_STRING, /* a pointer to constant memory */
} sim_print_kind;

/* One argument after the format. */
typedef struct sim_print_argument {
    uint8_t kind;  /* sim_print_kind */
    uint8_t bytes; /* size of a component */
    uint8_t count; /* number of components; 1 for a scalar */
} sim_print_argument;

/* One call of printf. The operation's places are the format's address, then the components of every
 * argument. */
typedef struct sim_print {
    const sim_print_argument *arguments;
    uint32_t argument_count;
} sim_print;

/* What a kernel may read, or what it may write, apart from private and local memory. */
typedef struct sim_access_set {
    const bool *parameters; /* per parameter: the memory that it points to may be accessed */
    bool variables;         /* variables of the program may be accessed */
    bool anything;          /* pointers are loaded from memory: every object of the world may be
                             * accessed */
} sim_access_set;

/* Identifies a linked module: the same code with different constants counts as another module. */
typedef struct sim_program_module {
    rt_hash code, constants;
    const uint32_t *functions; /* per function of the module, its index in the program */
} sim_program_module;

struct sim_kernel {
    struct sim_program *program;
    rt_text name;
    rt_text sets; /* sets of virtual functions that it may call, separated by commas */
    uint32_t function;
    const sim_parameter *parameters;
    /* leaf_first: the first of the function's leaves that parameter i consists of. variable: the
     * private variable that holds a structure passed by value. */
    const uint32_t *leaf_first;
    const uint32_t *leaf_offset; /* per leaf of the function: its byte offset in the argument's
                                  * value */
    const uint32_t *variable;    /* SIM_NONE: the parameter is passed in leaves */
    uint32_t parameter_count;
    uint32_t local_size[RT_ND_RANGE_DIMENSIONS]; /* the size that the kernel requires; all 0: any
                                                  * size */
    uint32_t subgroup_size;                      /* 8, 16 or 32 */
    sim_reach reach;
    sim_access_set read, written;
};

struct sim_program {
    rt_arena arena;
    atomic_uint references;      /* one for the caller and one per world that has its variables */
    uint32_t temporary_bytes;    /* maximum over all functions */
    sim_program_module *modules; /* the modules that were linked */
    sim_module **sources;        /* these modules, retained: sim_program_for_packs decodes them */
    uint32_t module_count;
    sim_code_function *functions;
    sim_signature *signatures; /* of functions that have addresses and of calls through function
                                * pointers */
    uint32_t function_count, signature_count;
    sim_kernel *kernels;
    sim_global *globals;
    uint32_t kernel_count, global_count;
    rt_map kernel_names;   /* -> index */
    rt_map global_names;   /* of exported variables -> index */
    rt_map host_names;     /* names from HostAccessINTEL -> index; these take precedence */
    rt_map function_names; /* of exported functions that have addresses -> index */
    sim_relocation *relocations;
    sim_local *locals;
    uint32_t relocation_count, local_count;
    const sim_print *prints; /* calls of printf */
    const sim_site *sites;
    const uint64_t *pool_slots; /* SIM_POOL_SLOTS launch values, then constants */
    uint32_t print_count, site_count, pool_slot_count;
};

/* Checks that the program's code obeys the rules of code.h and that its tables refer to each other
 * correctly; panics otherwise. For CHECK_SLOW (check.c). */
bool sim_program_check(const sim_program *program);

/* Combines the properties of the function and of everything that it may call (reach.c). The program
 * owns the result's `locals`; the program's functions and locals must exist. */
sim_reach sim_function_reach(sim_program *program, uint32_t function);

/* Decodes the program's modules again, for waves whose lanes may be of different groups
 * (exec/pack.h): the ids of groups, and what is loaded from local memory, may differ between lanes.
 * Kernels, functions, variables and sites have the same numbers as in the program. */
RT_MUST_USE rt_status sim_program_for_packs(rt_sink *sink, const sim_program *program,
                                            sim_program **out_program);

/* Takes a reference, which sim_program_destroy releases; returns the program. */
sim_program *sim_program_retain(sim_program *program);

#endif
