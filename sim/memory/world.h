/* The memory of one simulated device: its objects, and what the device may choose. */
#ifndef SIM_WORLD_H
#define SIM_WORLD_H

#include "reference/base/arena.h"
#include "reference/base/vector.h"
#include "sim/decode/address.h"
#include "sim/sim.h"

/* One object of global memory.  Shadows hang here: `defined` is the first, one bit per bit. */
typedef struct sim_memory {
    uint8_t *data;    /* size bytes; NULL once destroyed */
    uint8_t *defined; /* size bytes, 1 bits where content is defined; NULL when all_defined */
    uint64_t size;
    bool all_defined; /* every byte was written: stores need not look after `defined` */
    /* Kernels must not write: 1 for a constant variable, 1 more for every argument of the running
     * launch that points here from constant memory. */
    uint32_t constant_uses;
    struct sim_race_shadow *race; /* race.h; NULL until a launch that may write it */
    rt_text label;
} sim_memory;

/* The module-scope variables of one program in this world (instance.c). */
typedef struct sim_instance {
    struct sim_program *program; /* retained */
    sim_object *objects;         /* one per variable of the program */
    uint64_t *pool;              /* the program's constants with all addresses in them */
    uint32_t function_first;     /* object number of the program's function 0 */
} sim_instance;

#define SIM_ENGINE_BEST UINT32_MAX /* the best one for this machine */

struct sim_world {
    rt_sink *sink;
    uint64_t seed;
    uint32_t engine;   /* number of the engine that runs (exec/exec.h), or SIM_ENGINE_BEST */
    bool is_unchecked; /* kernels run without checks, to measure what they cost */
    rt_arena arena;    /* labels */
    RT_VECTOR(sim_memory) objects; /* by id; [0] is no object */
    RT_VECTOR(sim_instance) instances;
    uint32_t race_next;      /* stamp of the next launch (race.h); 0: none yet */
    uint32_t race_restarts;  /* how often stamps have run out */
    uint32_t parallel_count; /* launches that several threads did */
    uint32_t threads;        /* that work-groups may run on; 0, 1: the caller's alone */
    uint32_t race_limit;     /* stamps that there are, unless a test sets fewer */
    uint32_t function_count; /* numbers of functions that were given out; never reused */
};

/* The memory of an id that sim_object_create returned, including destroyed ones. */
sim_memory *sim_world_memory(sim_world *world, sim_object object);

/* A number that depends on the seed and on `key` only: what the world chooses where a program asks
 * for something undefined. */
uint64_t sim_world_choose(const sim_world *world, uint64_t key);

/* Drops the shadow of an object whose bytes are all defined, which makes accesses cheaper. */
void sim_memory_settle(sim_memory *memory);
/* Restores the shadow of a settled object, all ones, because undefined bits are about to be stored.
 */
void sim_memory_unsettle(sim_memory *memory);

/* The objects and instances of the world fit each other; stops where they do not.  For CHECK_SLOW
 * (check.c). */
bool sim_world_check(const sim_world *world);

/* True when all bits of the shadow's `size` bytes are 1. */
bool sim_defined_all(const uint8_t *defined, uint64_t size);

#endif
