/* A fake OpenCL loader: one platform and one device with configurable behaviour and failures.  Its
 * kernels take (bytes, memory) and store the first of the bytes in the memory, which is a buffer or
 * a pointer.  Its programs have one variable, "counter", and one specialisation constant, with id 7
 * and four bytes. */
#ifndef BACKENDS_OPENCL_TEST_FAKE_OPENCL_H
#define BACKENDS_OPENCL_TEST_FAKE_OPENCL_H

#include "backends/vendor/test/fake_script.h"

#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>

#include <stdbool.h>
#include <stdint.h>

enum { FAKE_VARIABLE_SIZE = 12 };

typedef struct fake_opencl {
    fake_script script;
    /* Properties of the device; fake_opencl_reset sets up a device that takes SPIR-V. */
    const char *version;
    const char *il_version;
    size_t variable_size_max; /* CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE */
    cl_bool non_uniform;      /* CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT */
    cl_uint sub_groups_max;   /* CL_DEVICE_MAX_NUM_SUB_GROUPS */
    const char *extensions;
    cl_device_type type;
    cl_uint vendor_id;
    cl_program_binary_type binary_type; /* of every program; 0: none is reported */
    cl_uint address_bits;
    cl_bool compiler;
    cl_bool linker;
    bool out_of_order;
    bool gives_extensions;      /* the platform has the extension entry points, */
    const char *withheld;       /* except this one; NULL for no exception */
    cl_device_info usm_lacking; /* kind of unified shared memory that the device lacks; 0 if none */
    size_t variable_size; /* the reported size of "counter", which has FAKE_VARIABLE_SIZE bytes */
    bool no_devices;
    bool no_binary; /* programs have no binary */
    /* Failures. */
    cl_int event_status; /* status of commands enqueued from now on; CL_COMPLETE if they succeed */
    const char *log;     /* returned by clGetProgramBuildInfo */
    /* Observations. */
    char options[256];         /* options of the last compile, link or build */
    uint32_t binary_size;      /* passed to the last clCreateProgramWithBinary */
    char source[256];          /* passed to the last clCreateProgramWithSource */
    cl_ulong queue_properties; /* those of the last queue created */
    cl_bool times_reversed;    /* commands begin before they are queued */
    uint32_t permissions;      /* how often a kernel was permitted to follow pointers */
    uint32_t constant;         /* the value given to constant 7 */
    unsigned char variable[FAKE_VARIABLE_SIZE];
} fake_opencl;

#endif
