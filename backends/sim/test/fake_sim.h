/* A sim for the adapter's tests that executes nothing and records the requests to it. */
#ifndef BACKENDS_SIM_TEST_FAKE_SIM_H
#define BACKENDS_SIM_TEST_FAKE_SIM_H

#include "sim/sim.h"

#include <stdatomic.h>

#define FAKE_LAUNCHES_MAX 256u

/* Requests since fake_sim_reset. Tests read the record only while a single thread runs. */
typedef struct fake_sim_record {
    atomic_uint live;                    /* modules, programs, worlds and objects alive */
    uint8_t launches[FAKE_LAUNCHES_MAX]; /* first byte of argument 0 of each launch, in order */
    uint32_t launch_count;
    sim_range last_range;
    sim_schedule last_schedule;
    uint32_t last_threads;   /* set for a world; 0: never set */
    const char *last_engine; /* set for a world; the only known one is "v3" */
    uint64_t last_offset;    /* of the pointer argument of the last launch */
    /* The specialisation constants of the last module: their number, and the first one. */
    uint32_t constant_count, constant_id;
    uint8_t constant_value;
    /* Declarations about modules: their number, and the first letters of the last rows. */
    uint32_t declared_count;
    char declared_function, declared_set, declared_kernel;
    rt_code refuse;     /* code of the next launch of kernel "fails" */
    bool refuse_object; /* the next sim_object_create fails */
} fake_sim_record;

extern fake_sim_record fake_sim;

void fake_sim_reset(void);

#endif
