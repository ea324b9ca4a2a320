/* A sim that executes nothing and writes down what it is asked to do: for the adapter's tests. */
#ifndef BACKENDS_SIM_TEST_FAKE_SIM_H
#define BACKENDS_SIM_TEST_FAKE_SIM_H

#include "sim/sim.h"

#include <stdatomic.h>

#define FAKE_LAUNCHES_MAX 256u

/* What happened since fake_sim_reset; the tests are single-threaded where they look. */
typedef struct fake_sim_record {
    atomic_uint live;                    /* modules, programs, worlds and objects alive */
    uint8_t launches[FAKE_LAUNCHES_MAX]; /* first byte of argument 0 of each launch, in order */
    uint32_t launch_count;
    sim_range last_range;
    sim_schedule last_schedule;
    uint32_t last_threads;   /* that a world was told to use; 0: it was told nothing */
    const char *last_engine; /* that a world was told to use; it knows "v3" alone */
    uint64_t last_offset;    /* of the pointer argument of the last launch */
    /* The specialisation constants of the last module: how many, and the first of them. */
    uint32_t constant_count, constant_id;
    uint8_t constant_value;
    /* What was declared of modules: how often, and the last rows' first letters. */
    uint32_t declared_count;
    char declared_function, declared_set, declared_kernel;
    rt_code refuse;     /* what the next launch of kernel "fails" answers */
    bool refuse_object; /* the next sim_object_create fails */
} fake_sim_record;

extern fake_sim_record fake_sim;

void fake_sim_reset(void);

#endif
