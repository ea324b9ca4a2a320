/* The reference runtime as one that executes scenarios; for the files of reference*.c. */
#ifndef CONFORMANCE_SUBJECT_REFERENCE_H
#define CONFORMANCE_SUBJECT_REFERENCE_H

#include "conformance/host/loader.h"
#include "conformance/subject/execute.h"
#include "reference/runtime.h"

typedef struct cnf_reference {
    cnf_runtime base;
    rt_runtime *runtime;       /* NULL until it is set up */
    cnf_cache *cache;          /* of built modules; NULL: the loader is simulated */
    cnf_host_loader *loader;   /* NULL: it is simulated, or has ended */
    dev_device **opened;       /* one for each of the scenario's devices, NULL where it failed */
    const rt_device **devices; /* index as in the scenario; those of the runtime */
    rt_memory **memories;      /* index as in the scenario */
} cnf_reference;

/* The execution's runtime, which is the reference runtime. */
cnf_reference *cnf_reference_of(const cnf_execution *execution);

/* reference_commands.c: cnf_runtime_operations.submit and .transfer. */
rt_status cnf_reference_submit(cnf_execution *execution, uint32_t queue, const scn_submit *submit,
                               cnf_after after, uint32_t *out_command);
rt_status cnf_reference_transfer(cnf_execution *execution, uint32_t queue,
                                 const scn_transfer *given, cnf_after after, uint32_t *out_command);

#endif
