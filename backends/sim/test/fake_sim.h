/* A fake of the sim for the adapter's tests: it executes nothing and records what is requested of
 * it. */
#ifndef BACKENDS_SIM_TEST_FAKE_SIM_H
#define BACKENDS_SIM_TEST_FAKE_SIM_H

#include "sim/sim.h"

#include <stdatomic.h>

#define FAKE_LAUNCHES_MAX 256u
#define FAKE_FUNCTION     UINT64_C(0x5000) /* address of the function that every program exports */

/* Requests since fake_sim_reset. Tests read the record only while just one thread runs. */
typedef struct fake_sim_record {
    atomic_uint live;                    /* modules, programs, worlds and objects alive */
    uint8_t launches[FAKE_LAUNCHES_MAX]; /* first byte of argument 0 of each launch, in order */
    uint32_t launch_count;
    sim_range last_range;
    sim_schedule last_schedule;
    uint32_t last_threads;   /* number set for a world; 0: never set */
    const char *last_engine; /* name set for a world; "v3" is the only one known */
    const char *last_tier;   /* likewise for tiers */
    bool may_map;            /* the world may have mapped objects */
    uint32_t mapped;         /* mapped objects that were created */
    uint32_t retired;        /* objects whose ids may be used again */
    uint64_t last_offset;    /* offset of the pointer argument of the last launch */
    /* Specialisation constants given for the last module: their number, and the first one. */
    uint32_t constant_count, constant_id;
    uint8_t constant_value;
    /* Calls of sim_module_declare: their number and, for the last call, the initial letters of the
     * names in its last rows. */
    uint32_t declared_count;
    char declared_function, declared_set, declared_kernel;
    rt_code refuse;     /* failure code of launches of the kernel "fails" */
    bool refuse_object; /* the next sim_object_create fails */
} fake_sim_record;

extern fake_sim_record fake_sim;

void fake_sim_reset(void);

#endif
