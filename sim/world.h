/* The memory of one simulated device, for the other files of this folder: objects, addresses, what
 * the device may choose.
 *
 * An address is a number of 64 bits: two bits of class, 22 bits of object, 40 bits of offset.  The
 * offset of an object's first byte is SIM_ADDRESS_BIAS, not 0, so that an address somewhat before
 * the object still names it and becomes a finding about it.  Null is 0: object 0 does not exist. */
#ifndef SIM_WORLD_H
#define SIM_WORLD_H

#include "reference/base/arena.h"
#include "reference/base/vector.h"
#include "sim/sim.h"

#define SIM_ADDRESS_OFFSET_BITS 40u
#define SIM_ADDRESS_OBJECT_BITS 22u
#define SIM_ADDRESS_CLASS_SHIFT 62u
#define SIM_ADDRESS_BIAS        (UINT64_C(1) << (SIM_ADDRESS_OFFSET_BITS - 1))
#define SIM_OBJECT_COUNT_MAX    ((1u << SIM_ADDRESS_OBJECT_BITS) - 1)

/* What memory an address points into; the numbers are part of the address. */
typedef enum sim_address_class {
    SIM_CLASS_GLOBAL,   /* objects of the world */
    SIM_CLASS_LOCAL,    /* objects of the running work-group: variables, then arguments; from 1 */
    SIM_CLASS_PRIVATE,  /* variables of one work-item: number of a frame, number of a variable */
    SIM_CLASS_FUNCTION, /* functions of the programs in this world; from 1; nothing to access */
} sim_address_class;

/* Private objects: 10 bits of frame (from 1), 12 bits of variable. */
#define SIM_PRIVATE_VARIABLE_BITS 12u
#define SIM_PRIVATE_FRAME_MAX     ((1u << (SIM_ADDRESS_OBJECT_BITS - 12u)) - 1)

static inline uint64_t sim_address_of(sim_address_class class, uint32_t object)
{
    CHECK(object <= SIM_OBJECT_COUNT_MAX);
    return (uint64_t) class << SIM_ADDRESS_CLASS_SHIFT |
           (uint64_t)object << SIM_ADDRESS_OFFSET_BITS | SIM_ADDRESS_BIAS;
}
static inline uint32_t sim_address_class_of(uint64_t address)
{
    return (uint32_t)(address >> SIM_ADDRESS_CLASS_SHIFT);
}
static inline uint32_t sim_address_object(uint64_t address)
{
    return (uint32_t)(address >> SIM_ADDRESS_OFFSET_BITS) & SIM_OBJECT_COUNT_MAX;
}
/* Signed distance in bytes from the object's first byte, as a number that wraps: an offset before
 * the object is larger than any size. */
static inline uint64_t sim_address_offset(uint64_t address)
{
    return (address & ((UINT64_C(1) << SIM_ADDRESS_OFFSET_BITS) - 1)) - SIM_ADDRESS_BIAS;
}

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

struct sim_world {
    rt_sink *sink;
    uint64_t seed;
    uint32_t engine; /* number of the engine that runs (exec.h): the best, unless one was chosen */
    bool is_unchecked;             /* kernels run without checks, to measure what they cost */
    rt_arena arena;                /* labels */
    RT_VECTOR(sim_memory) objects; /* by id; [0] is no object */
    RT_VECTOR(sim_instance) instances;
    uint32_t race_next;      /* stamp of the next launch (race.h); 0: none yet */
    uint32_t race_restarts;  /* how often stamps have run out */
    uint32_t parallel_count; /* launches that several threads did */
    uint32_t threads;        /* that work-groups may run on; 0, 1: the caller's alone */
    uint32_t race_limit;     /* stamps that there are, unless a test sets fewer */
    uint32_t function_count; /* numbers of functions that were given out; never reused */
};

/* The memory behind an id that sim_object_create gave out; destroyed ones included. */
sim_memory *sim_world_memory(sim_world *world, sim_object object);

/* A number that depends on the seed and on `key` only: what the world chooses where a program asks
 * for something undefined. */
uint64_t sim_world_choose(const sim_world *world, uint64_t key);

/* Drops the shadow of an object whose bytes are all defined, so that accesses get cheaper. */
void sim_memory_settle(sim_memory *memory);
/* Gives a settled object its shadow back, all ones, because undefined bits are to come. */
void sim_memory_unsettle(sim_memory *memory);

/* True when all bits of the shadow's `size` bytes are 1. */
bool sim_defined_all(const uint8_t *defined, uint64_t size);

#endif
