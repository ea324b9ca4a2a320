/* The memory of one simulated device: its objects, and the choices that the device may make. */
#ifndef SIM_WORLD_H
#define SIM_WORLD_H

#include "reference/base/arena.h"
#include "reference/base/vector.h"
#include "sim/decode/address.h"
#include "sim/sim.h"

/* Accesses that are findings: stores, and loads of what the running launch has not written. */
#define SIM_FORBIDS_STORES 1u
#define SIM_FORBIDS_LOADS  2u

/* One object of global memory and its shadows. `defined` has one bit per bit of data. */
typedef struct sim_memory {
    uint8_t *data;    /* size bytes; NULL once destroyed */
    uint8_t *defined; /* size bytes, with 1 for defined bits; NULL if all_defined */
    uint64_t size;
    bool all_defined;    /* every byte is defined, so stores need not update `defined` */
    bool is_mapped;      /* data is at the object's address (mapped.c) */
    bool took_undefined; /* a copy has brought undefined bytes */
    bool is_held;        /* mapped: its number may not be used again yet */
    /* If not 0, kernels must not write to the object: 1 if it is a constant variable, plus 1 for
     * every argument with which the running launch passes it as constant memory. */
    uint32_t constant_uses;
    uint8_t forbidden;            /* SIM_FORBIDS_…: by the arguments of the running launch */
    struct sim_race_shadow *race; /* race.h; NULL until a launch may write the object */
    /* A window has no bytes of its own; while a launch runs to which it was passed, data and
     * `defined` are those of the other object. */
    sim_object whole;    /* 0: not a window */
    uint64_t origin;     /* its first byte in `whole` */
    bool shares_defined; /* while open: `defined` is the other object's */
    rt_text label;
} sim_memory;

/* What is known of a kernel's launches in this world, to decide whether to run its groups in packs
 * (exec/pack.h). */
typedef struct sim_packable {
    uint64_t steps; /* that its launches without packs have taken (sim_world.pack_steps) */
    uint64_t steps_per_group; /* of the last such launch */
    bool is_refused;          /* it is not run in packs again */
} sim_packable;

/* The module-scope variables of one program in this world (instance.c). */
typedef struct sim_instance {
    struct sim_program *program; /* retained */
    sim_object *objects;         /* one per variable of the program */
    uint64_t *pool;              /* the program's constants, with all addresses filled in */
    sim_packable *packable;      /* by kernel */
    struct sim_program **packed; /* the program for packs, owned; NULL: not yet needed */
    uint32_t function_first;     /* the object number in the address of the program's function 0 */
} sim_instance;

#define SIM_ENGINE_BEST UINT32_MAX /* the best engine for this machine */

struct sim_world {
    rt_sink *sink;
    uint64_t seed;
    uint32_t engine;   /* number of the engine that runs (exec/exec.h), or SIM_ENGINE_BEST */
    bool is_unchecked; /* kernels run without checks, to measure what the checks cost */
    rt_arena arena;    /* labels */
    RT_VECTOR(sim_memory) objects; /* by id; [0] is not an object */
    RT_VECTOR(sim_instance) instances;
    uint32_t race_next;      /* first stamp of the next launch (race.h); 0: no launch yet */
    uint32_t race_restarts;  /* number of times that stamps have run out */
    uint32_t parallel_count; /* number of launches that ran on several threads */
    uint32_t threads;        /* number of threads that work-groups may run on; 0 or 1: only the
                              * caller's */
    uint32_t race_limit;     /* limit on stamps; tests may lower it */
    uint64_t lane_accesses;  /* number of accesses that were made for one work-item at a time, by
                              * exec/lane_access.c; tests see from it that rows are quick */
    uint64_t pack_steps;     /* steps after which a kernel's groups run in packs (exec/pack.h); 0,
                              * for tests: always */
    uint32_t packed_count;   /* number of launches that ran in packs */
    struct sim_tier *tier;   /* exec/compiled.c; NULL: all kernels are interpreted */
    void (*tier_free)(struct sim_tier *tier);
    struct sim_writers *writers; /* check/writers.c; NULL: it is not kept who stored what */
    void (*writers_free)(struct sim_writers *writers);
    uint32_t function_count; /* number of function numbers given out; none is reused */
    sim_object mapped_next;  /* where the search for a free mapped object begins (mapped.c); 0: the
                              * world has none */
};

/* Returns the memory for an id that sim_object_create returned, even if the object has been
 * destroyed. */
sim_memory *sim_world_memory(sim_world *world, sim_object object);

/* Returns a number that depends only on the seed and on `key`: the world's choice when a program
 * does something undefined. */
uint64_t sim_world_choose(const sim_world *world, uint64_t key);

/* Checks that an object can have that size.  LIMIT. */
RT_MUST_USE rt_status sim_object_size_check(const sim_world *world, uint64_t size, rt_text label);

/* Begins a launch: the host may have written all of every mapped object since the last one. */
void sim_mapped_settle(sim_world *world);
/* Frees the bytes of a mapped object. */
void sim_mapped_free(sim_memory *memory);

/* Gives a window the bytes of its object for a launch, and takes them back, with what the launch
 * left undefined; both do nothing for other objects, nor a second time. */
void sim_window_open(sim_world *world, sim_memory *memory);
void sim_window_close(sim_world *world, sim_memory *memory);

/* Drops the shadow of an object whose bytes are all defined, to make accesses cheaper. */
void sim_memory_settle(sim_memory *memory);
/* Restores the shadow of a settled object, all ones, before undefined bits are stored. */
void sim_memory_unsettle(sim_memory *memory);

/* Checks that the objects and instances of the world are consistent; returns true, or panics. For
 * CHECK_SLOW (check.c). */
bool sim_world_check(const sim_world *world);

/* True if all bits of the shadow's `size` bytes are 1. */
bool sim_defined_all(const uint8_t *defined, uint64_t size);

#endif
