/* The ocloc adapter's objects, shared by the files of this folder. */
#ifndef BACKENDS_OCLOC_OCLOC_INTERNAL_H
#define BACKENDS_OCLOC_OCLOC_INTERNAL_H

#include "backends/ocloc/ocloc_library.h"
#include "backends/ocloc/ocloc_zeinfo.h"
#include "backends/vendor/unexecuted.h"
#include "reference/device/device.h"

#include <pthread.h>

/* The machine of the code that ocloc makes, EM_INTELGT in elf.h of newer C libraries. */
enum { OCLOC_MACHINE = 205 };
/* The type of the section .ze_info. */
#define OCLOC_SECTION_ZE_INFO UINT32_C(0xff000011)

/* Formats of machine code that a program can be loaded from. */
#define OCLOC_NATIVE_FORMATS (1u << RT_FORMAT_NATIVE | 1u << RT_FORMAT_SPIRV64_GEN)

typedef struct ocloc_device {
    dev_device base;
    rt_sink *sink; /* same as base.sink, which is set only after opening */
    ocloc_library library;
    dev_capabilities capabilities;
    rt_buffer product; /* "bmg" */
    rt_buffer driver;
    const char *link_extension;
    vendor_unexecuted unexecuted;
} ocloc_device;

typedef struct ocloc_program {
    dev_program base;
    ocloc_device *device;
    rt_buffer spirv;        /* of a compiled program */
    rt_buffer options;      /* of a compiled program */
    rt_buffer machine_code; /* of an executable program */
    uint64_t address;       /* base address of an executable program's variables */
} ocloc_program;

typedef struct ocloc_kernel {
    dev_kernel base;
    ocloc_kernel_info info;
} ocloc_kernel;

/* ---- Calls (ocloc_call.c) ----------------------------------------------------------------- */

/* A command: its words, and the files that they name.  All is borrowed. */
typedef struct ocloc_command {
    const char *const *words; /* NULL-terminated; the second one is the verb */
    const char *const *names; /* of the files */
    const rt_bytes *files;
    uint32_t file_count;
} ocloc_command;

/* Runs a command, and returns its output in out_file, which is empty before.  `code` is
 * the status of a refusal, whose message has ocloc's result and log.  DRIVER_ERROR: it reports
 * success without such an output; LIMIT: the output is larger than an image may be. */
RT_MUST_USE rt_status ocloc_run(ocloc_device *device, const ocloc_command *command, rt_code code,
                                rt_buffer *out_file);

/* ---- Operations defined in a different file from the table that lists them ---------------- */

/* Builds an empty module, as a trial of the device's product; fails with UNAVAILABLE. */
RT_MUST_USE rt_status ocloc_product_try(ocloc_device *device);

dev_program_compile_op ocloc_program_compile, ocloc_program_build;
dev_program_link_op ocloc_program_link;
dev_program_load_op ocloc_program_load;

/* Opens a device with the library at `library_path`; the backend passes the usual locations, and
 * tests pass the path of a fake. */
rt_status ocloc_device_open(const char *library_path, const dev_open_parameters *parameters,
                            rt_text selector, dev_device **out_device);

#endif
