/* The reference runtime as an executor of scenarios; shared by the files reference*.c. */
#ifndef CONFORMANCE_SUBJECT_REFERENCE_H
#define CONFORMANCE_SUBJECT_REFERENCE_H

#include "conformance/host/loader.h"
#include "conformance/subject/execute.h"
#include "reference/runtime.h"

typedef struct cnf_reference {
    cnf_runtime base;
    rt_runtime *runtime;            /* NULL until it is set up */
    cnf_cache *cache;               /* for built modules; NULL: the loader is simulated */
    cnf_host_loader *loader;        /* NULL: simulated, or ended */
    dev_device **opened;            /* per device of the scenario; NULL: opening failed */
    const rt_device **devices;      /* indexed as in the scenario; the runtime's devices */
    rt_memory **memories;           /* indexed as in the scenario */
    RT_VECTOR(rt_bundle *) bundles; /* the process's bundles by number; owned by the runtime */
} cnf_reference;

/* The execution's runtime, which is the reference runtime. */
cnf_reference *cnf_reference_of(const cnf_execution *execution);

/* The scheduler of the execution's runtime, which must be set up. */
rt_scheduler *cnf_reference_scheduler(const cnf_execution *execution);

/* ERRC_INVALID if the context does not contain the device. */
RT_MUST_USE rt_status cnf_reference_check_context(cnf_execution *execution, rt_context_id context,
                                                  const rt_device *device);

/* Converts, to the runtime's representation, the kind of memory to which fusion may promote the
 * elements that an accessor covers. */
rt_promotion cnf_reference_promotion(scn_promotion promotion);

/* Converts the values of specialisation constants to the runtime's representation; the caller frees
 * the table with rt_free. */
rt_spec_constant *cnf_reference_constants(const scn_spec_constant *constants, uint32_t count);

/* reference_bundles.c: cnf_runtime_operations.bundle and .bundle_show; the bundle with the given
 * number. */
rt_status cnf_reference_bundle(cnf_execution *execution, const scn_bundle *bundle, uint32_t context,
                               const uint32_t *sources, uint32_t *out_bundle);
rt_status cnf_reference_bundle_show(cnf_execution *execution, uint32_t bundle,
                                    cnf_bundle_content *out_content);
const rt_bundle *cnf_reference_bundle_at(const cnf_reference *reference, uint32_t number);

/* reference_commands.c: cnf_runtime_operations.submit, .transfer, .host_task, .marker and .status.
 */
rt_status cnf_reference_submit(cnf_execution *execution, uint32_t queue, const scn_submit *submit,
                               uint32_t bundle, cnf_after after, uint32_t *out_command);
rt_status cnf_reference_transfer(cnf_execution *execution, uint32_t queue,
                                 const scn_transfer *transfer, cnf_after after,
                                 uint32_t *out_command);
rt_status cnf_reference_map(cnf_execution *execution, uint32_t queue, const scn_map *map,
                            cnf_after after, uint32_t *out_command, uint32_t *out_mapping);
rt_status cnf_reference_unmap(cnf_execution *execution, uint32_t queue, uint32_t map,
                              cnf_after after, uint32_t *out_command);
rt_status cnf_reference_mapped_read(cnf_execution *execution, uint32_t step, uint32_t map,
                                    uint64_t size, cnf_content *out_content);
rt_status cnf_reference_mapped_write(cnf_execution *execution, uint32_t step, uint32_t map,
                                     uint64_t offset, rt_bytes bytes);
rt_status cnf_reference_host_task(cnf_execution *execution, uint32_t queue,
                                  const scn_host_task *task, uint32_t awaited, cnf_after after,
                                  uint32_t *out_command);
rt_status cnf_reference_marker(cnf_execution *execution, uint32_t queue, bool is_barrier,
                               bool waits_for_all, cnf_after after, uint32_t *out_command);
rt_status cnf_reference_part(cnf_execution *execution, uint32_t memory, uint32_t whole,
                             uint64_t offset);
rt_status cnf_reference_end_part(cnf_execution *execution, uint32_t memory);
rt_status cnf_reference_user_event(cnf_execution *execution, uint32_t device,
                                   uint32_t *out_command);
rt_status cnf_reference_complete_event(cnf_execution *execution, uint32_t command, bool has_failed);
scn_event_status cnf_reference_status(cnf_execution *execution, uint32_t command, bool *out_known);

/* reference_globals.c: a transfer to or from a device_global, and
 * cnf_runtime_operations.read_global. */
rt_status cnf_reference_global_copy(cnf_execution *execution, uint32_t queue,
                                    const scn_transfer *transfer, cnf_after after,
                                    uint32_t *out_command);
rt_status cnf_reference_read_global(cnf_execution *execution, const scn_variable *variable,
                                    uint32_t queue, bool existing, cnf_content *out_content);

/* The operations of reference_fusion.c and reference_profiling.c. */
extern const cnf_fusion_operations cnf_reference_fusion;
extern const cnf_profiling_operations cnf_reference_profiling;

#endif
