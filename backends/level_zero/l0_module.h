/* Creating and linking the driver's modules. */
#ifndef BACKENDS_LEVEL_ZERO_L0_MODULE_H
#define BACKENDS_LEVEL_ZERO_L0_MODULE_H

#include "backends/level_zero/l0_code.h"

/* Formats of programs compiled ahead of time: a program's binary (l0_binary.h).  One of a compiled
 * program can be linked where the driver links modules. */
#define L0_NATIVE_FORMATS (1u << RT_FORMAT_NATIVE | 1u << RT_FORMAT_SPIRV64_GEN)

typedef struct l0_program {
    dev_program base;
    l0_device *device;
    l0_code code;        /* of a compiled program; otherwise empty */
    l0_modules *modules; /* of an executable program: a reference; of a compiled one: NULL, or the
                          * spare module, whose handle the first link takes and sets to NULL */
    l0_names names;      /* of an executable program's variables */
} l0_program;

/* Creates a module from one image's code.  is_library: the module may have unresolved symbols, and
 * exports its own symbols.
 */
RT_MUST_USE rt_status l0_module_make(const l0_device *device, l0_stage stage, const l0_code *code,
                                     bool is_library, ze_module_handle_t *out_module);

/* Creates one module from the code of several images, which the driver links as SPIR-V
 * (ZE_experimental_module_program).  `options` are those of the link. */
RT_MUST_USE rt_status l0_module_join(const l0_device *device, const l0_code *const *codes,
                                     uint32_t count, rt_text options,
                                     ze_module_handle_t *out_module);

/* Creates a module from the output of l0_module_binary. */
RT_MUST_USE rt_status l0_module_load(const l0_device *device, rt_bytes native,
                                     ze_module_handle_t *out_module);

/* Links modules; for a single module, verifies that it has no unresolved symbols, which its
 * creation does not report. */
RT_MUST_USE rt_status l0_modules_link(const l0_device *device, l0_modules *modules);

/* Appends the driver's native code for the module. */
RT_MUST_USE rt_status l0_module_binary(const l0_device *device, ze_module_handle_t module,
                                       rt_buffer *out_binary);

/* Reads a log into an empty buffer, which the caller frees, and destroys the log.  `log` may be
 * NULL. */
void l0_log_take(const l0_device *device, ze_module_build_log_handle_t log, rt_buffer *out_log);

#endif
