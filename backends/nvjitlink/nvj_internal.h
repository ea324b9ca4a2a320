/* The nvJitLink adapter's objects, shared by the files of this folder. */
#ifndef BACKENDS_NVJITLINK_NVJ_INTERNAL_H
#define BACKENDS_NVJITLINK_NVJ_INTERNAL_H

#include "backends/nvjitlink/nvj_library.h"
#include "backends/ptx/capability.h"
#include "backends/ptx/launch.h"
#include "backends/ptx/program.h"
#include "backends/vendor/unexecuted.h"
#include "reference/device/device.h"

typedef struct nvj_device {
    dev_device base;
    rt_sink *sink; /* same as base.sink, which is set only after opening */
    nvj_library library;
    dev_capabilities capabilities;
    rt_buffer name;   /* "sm_90" */
    rt_buffer target; /* "nvidia_gpu_sm_90" */
    rt_buffer driver;
    rt_buffer architecture; /* "-arch=sm_90" */
    const dev_tools *tools;
    const char *extensions[PTX_EXTENSIONS];
    ptx_limits limits;
    vendor_unexecuted unexecuted;
} nvj_device;

typedef struct nvj_program {
    ptx_program ptx; /* begins with the base */
    nvj_device *device;
    uint64_t address;       /* base address of an executable program's variables */
    atomic_uint references; /* held by its owner and its kernels */
} nvj_program;

typedef struct nvj_kernel {
    dev_kernel base;
    nvj_program *program; /* a reference */
    const ptx_kernel *entry;
} nvj_kernel;

/* ---- The library's links (nvj_link.c) ----------------------------------------------------- */

/* Creates and destroys an empty link, to test whether the library accepts the device's
 * architecture.  ERRC_INVALID: the library does not know the architecture. */
RT_MUST_USE rt_status nvj_link_try(const nvj_device *device);

/* Links the programs' PTX, with the space-separated options and those with which each program was
 * compiled. out_cubin receives the machine code; if it is NULL, the PTX is only compiled.  Fails
 * with the status codes of dev_program_link. */
RT_MUST_USE rt_status nvj_link(const nvj_device *device, nvj_program *const *programs,
                               uint32_t count, rt_text options, rt_buffer *out_cubin);

/* ---- Programs ----------------------------------------------------------------------------- */

dev_program_compile_op nvj_program_compile, nvj_program_build;
dev_program_link_op nvj_program_link;
dev_program_load_op nvj_program_load;

/* Opens a device with the library at `library_path`; the backend passes the usual locations, and
 * tests pass the path of a fake. */
rt_status nvj_device_open(const char *library_path, const dev_open_parameters *parameters,
                          rt_text selector, dev_device **out_device);

#endif
