/* The reference runtime: all of its parts, composed.
 *
 * An rt_runtime represents one process as the application sees it, with its loaded modules, devices
 * and queues.  A real process can hold any number of runtimes; they share only the folder of a
 * persistent cache, if they are given the same one. */
#ifndef REFERENCE_RUNTIME_H
#define REFERENCE_RUNTIME_H

#include "reference/base/profile.h"
#include "reference/fusion/fusion.h"
#include "reference/sched/sched.h"

typedef struct rt_runtime rt_runtime;

typedef struct rt_runtime_parameters {
    rt_sink *sink;            /* outlives the runtime */
    const rt_module *modules; /* borrowed for the runtime's lifetime; not loaded yet */
    uint32_t module_count;
    const rt_system *system; /* loads modules; NULL: the simulated one */
    rt_profile profile;
    bool prefer_preloaded;    /* the policy of DL-PRELOAD-03, see rt_link_context; off by default */
    uint64_t seed;            /* for the choices that the documents leave open */
    rt_text persistent_cache; /* the cache's folder; empty: no persistent cache.  Borrowed for the
                               * runtime's lifetime */
    const rt_fusion_compiler *fusion_compiler; /* NULL: nothing can be fused; borrowed for the
                                                * runtime's lifetime */
    uint32_t warning_level;                    /* SYCL_RT_WARNING_LEVEL of the process */
    const uint32_t *choices; /* results of the first choices (see rt_chooser.script); borrowed */
    uint32_t choice_count;
    bool no_trace; /* the trace stays empty: for runtimes that live long and whose trace is not read
                    */
} rt_runtime_parameters;

/* Creates a runtime. */
rt_runtime *rt_runtime_create(const rt_runtime_parameters *parameters);

/* Waits for all commands, frees everything, and checks for leaks.  The caller destroys the devices
 * afterwards.  NULL does nothing. */
void rt_runtime_destroy(rt_runtime *runtime);

/* Ends the application's process and starts a second one: waits for all commands, then frees what
 * the process owned - modules, programs and the in-memory cache, queues, contexts, memories - and
 * begins as rt_runtime_create does, with no module loaded.  Devices stay open, since no document
 * describes anything that drivers share between processes.  The persistent cache is kept, and so is
 * the trace, in which the ids of programs, commands, queues and memories start from 0 again after
 * the restart event.  The sequence of choices continues across the restart.  `system` loads
 * the new process's modules, as at creation.  Pointers into the old process become invalid. */
void rt_runtime_restart(rt_runtime *runtime, const rt_system *system);

/* The trace of events; valid as long as the runtime exists. */
rt_trace *rt_runtime_trace(rt_runtime *runtime);

/* Registers an opened device (borrowed) under a name (borrowed).  The runtime treats the device as
 * lacking the masked aspects (bits as in dev_capabilities.aspects). */
const rt_device *rt_runtime_device_add(rt_runtime *runtime, rt_text name, dev_device *device,
                                       uint32_t masked_aspects);

/* Hides from the runtime that the device can link programs in the given formats (bits 1u <<
 * rt_format), as if it lacked the corresponding extensions (document 003, "DPC++ runtime plugin
 * interface (PI) changes").  Must be called at most once per device, before anything is built for
 * it. */
void rt_runtime_device_hide_links(rt_runtime *runtime, const rt_device *device, uint32_t formats);

/* Makes the runtime see another architecture than the device's own (dev_capabilities.architecture;
 * borrowed).  Must be called before anything is built for the device. */
void rt_runtime_device_rename_architecture(rt_runtime *runtime, const rt_device *device,
                                           rt_text architecture);

/* Creates a context with the given devices; context 0, which contains all devices, always exists.
 */
rt_context_id rt_runtime_context_create(rt_runtime *runtime, const rt_device *const *devices,
                                        uint32_t device_count);

/* True if the context contains the device. */
bool rt_runtime_context_holds(rt_runtime *runtime, rt_context_id context, const rt_device *device);

/* Loads a device image, as document 003's device_dlopen does: from now on it takes part in
 * resolution like the images of loaded modules (DL-DLOPEN-01, DL-DLOPEN-02).  The image belongs to
 * `module`, which need not be loaded, and is borrowed for the runtime's lifetime.  ERRC_INVALID:
 * the image is already loaded. */
RT_MUST_USE rt_status rt_runtime_image_load(rt_runtime *runtime, rt_module_id module,
                                            const rt_image *image);

/* The choices made so far where the documents leave one open; valid until the next choice. */
void rt_runtime_choices(rt_runtime *runtime, const rt_choice **out_choices, uint32_t *out_count);

/* The loader: rt_loader_start, rt_loader_open, rt_loader_close. */
rt_loader *rt_runtime_loader(rt_runtime *runtime);

/* The program manager: kernel bundles. */
rt_program_manager *rt_runtime_programs(rt_runtime *runtime);

/* Takes ownership of a kernel bundle and releases it when the process ends. */
void rt_runtime_bundle_keep(rt_runtime *runtime, rt_bundle *bundle);

/* The scheduler: queues, launches, host reads, waits. */
rt_scheduler *rt_runtime_scheduler(rt_runtime *runtime);

/* The device_globals of the process: rt_global_database_address. */
rt_global_database *rt_runtime_globals(rt_runtime *runtime);

/* Kernel fusion: start, complete, cancel. */
rt_fusion *rt_runtime_fusion(rt_runtime *runtime);

/* Create a memory that lives until the application's process ends: a buffer, or unified shared
 * memory of the given kind on a device.  Return the codes of rt_memory_create and
 * rt_memory_usm_create. */
RT_MUST_USE rt_status rt_runtime_memory_create(rt_runtime *runtime, rt_text name, uint64_t size,
                                               const void *initial, rt_memory **out_memory);
RT_MUST_USE rt_status rt_runtime_usm_create(rt_runtime *runtime, rt_text name,
                                            const rt_device *device, dev_memory_kind kind,
                                            uint64_t size, const void *initial,
                                            rt_memory **out_memory);
/* Creates a part of a buffer of the runtime; no command may be submitted meanwhile.  Returns the
 * codes of rt_memory_part_create. */
RT_MUST_USE rt_status rt_runtime_part_create(rt_runtime *runtime, rt_text name, rt_memory *whole,
                                             uint64_t offset, uint64_t size,
                                             rt_memory **out_memory);

#endif
