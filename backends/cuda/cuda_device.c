/* CUDA devices: choosing one, querying its capabilities, opening it.  Nothing depends on the GPU's
 * model. A device's features either are attributes that the driver reports or follow from its
 * compute capability according to NVIDIA's tables; its name is for records only.
 *
 * Source: CUDA Driver API reference manual, "Device Management" and "Primary Context Management";
 * CUDA C++ programming guide, "Compute Capabilities". */
#include "backends/cuda/cuda.h"

#include "backends/cuda/cuda_internal.h"
#include "backends/ptx/capability.h"
#include "backends/vendor/library.h"
#include "reference/base/alloc.h"
#include "reference/base/number.h"

#include <stdio.h>
#include <string.h>

/* ---- The driver's library ----------------------------------------------------------------- */

static const vendor_entry entries[] = {
#define ENTRY_ROW(name, parameters) {#name, offsetof(cuda_library, name), false},
    CUDA_ENTRIES(ENTRY_ROW)
#undef ENTRY_ROW
};

static const vendor_library driver = {
    .name = "NVIDIA's driver",
    .remedy = "it comes with the driver of an NVIDIA GPU (Debian: nvidia-driver)",
    .remedy_lacking = "install one for CUDA 12 or newer",
    .entries = entries,
    .entry_count = sizeof entries / sizeof *entries,
};

/* ---- Choosing ----------------------------------------------------------------------------- */

/* Reads a selector: settings of the forms "device=N" and "optimisation=N", separated by commas. */
static rt_status selector_read(cuda_device *device, rt_text selector, uint64_t *out_index)
{
    enum { INDEX_MAX = 99999, LEVEL_MAX = 4 };
    for (rt_text rest = selector; rest.length > 0;) {
        rt_text setting = rt_text_take_until(&rest, ',');
        uint64_t level = 0;
        bool is_read = false;
        if (rt_text_take_prefix(&setting, "device=")) {
            is_read = rt_number_read(setting, 0, INDEX_MAX, out_index);
        } else if (rt_text_take_prefix(&setting, "optimisation=")) {
            is_read = rt_number_read(setting, 0, LEVEL_MAX, &level);
            snprintf(device->options, sizeof device->options, "-O%u", (unsigned)level);
        }
        if (!is_read)
            return rt_fail(device->sink, RT_ERRC_INVALID, RT_RULE_NONE,
                           "'%.*s' selects no CUDA device; write device=N, where N counts from 0, "
                           "optimisation=0 to 4, or both with a comma between them",
                           RT_TEXT_ARG(selector));
        CHECK(*out_index <= INDEX_MAX && level <= LEVEL_MAX);
    }
    return RT_STATUS_OK;
}

/* Finds the device that a selector names. */
static rt_status device_choose(cuda_device *device, rt_text selector)
{
    uint64_t index = 0;
    int count = 0;
    RT_TRY(selector_read(device, selector, &index));
    CUDA_TRY(device, CUDA_STAGE_OPEN, cuInit, 0);
    CUDA_TRY(device, CUDA_STAGE_OPEN, cuDeviceGetCount, &count);
    if ((int)index >= count)
        return rt_fail(device->sink, RT_UNAVAILABLE, RT_RULE_NONE,
                       "there is no CUDA device %d: NVIDIA's driver shows %d (CUDA_VISIBLE_DEVICES "
                       "may hide some)",
                       (int)index, count);
    CUDA_TRY(device, CUDA_STAGE_OPEN, cuDeviceGet, &device->ordinal, (int)index);
    return RT_STATUS_OK;
}

/* ---- Asking ------------------------------------------------------------------------------- */

/* Returns an attribute; `fallback` if the driver does not know it or returns a negative value. */
static uint32_t attribute(const cuda_device *device, int which, uint32_t fallback)
{
    int value = -1;
    if (device->library.cuDeviceGetAttribute(&value, which, device->ordinal) != CUDA_SUCCESS)
        return fallback;
    return value >= 0 ? (uint32_t)value : fallback;
}

static void device_ask(cuda_device *device)
{
    /* The device and driver names shown in records. */
    uint32_t major = attribute(device, CUDA_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 0);
    uint32_t minor = attribute(device, CUDA_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 0);
    char name[256] = "";
    int version = 0;
    if (device->library.cuDeviceGetName(name, sizeof name, device->ordinal) != CUDA_SUCCESS)
        name[0] = '\0';
    name[sizeof name - 1] = '\0';
    rt_buffer_printf(&device->name, "%s", name[0] != '\0' ? name : "CUDA device");
    if (device->library.cuDriverGetVersion(&version) != CUDA_SUCCESS) version = 0;
    rt_buffer_printf(&device->driver, "CUDA %d.%d, compute capability %u.%u", version / 1000,
                     version % 1000 / 10, major, minor);
    /* Limits of a launch. If the driver reports no group size, or 0, groups are single threads. */
    ptx_limits *limits = &device->limits;
    limits->group_size_max = attribute(device, CUDA_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 1);
    if (limits->group_size_max < 1) limits->group_size_max = 1;
    for (int d = 0; d < (int)RT_ND_RANGE_DIMENSIONS; d++) {
        limits->local_max[d] = attribute(device, CUDA_ATTRIBUTE_MAX_BLOCK_DIM_X + d, 1);
        limits->grid_max[d] = attribute(device, CUDA_ATTRIBUTE_MAX_GRID_DIM_X + d, 1);
        if (limits->local_max[d] < 1) limits->local_max[d] = 1;
    }
    uint32_t shared = attribute(device, CUDA_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, 0);
    limits->shared_max =
        attribute(device, CUDA_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, shared);
    uint32_t warp = attribute(device, CUDA_ATTRIBUTE_WARP_SIZE, 0);
    dev_capabilities *answer = &device->capabilities;
    *answer = ptx_capabilities(major * 10 + minor, warp, &device->limits, device->tools,
                               device->extensions);
    answer->name = rt_buffer_text(&device->name);
    rt_buffer_printf(&device->target, "nvidia_gpu_sm_%u%u", major, minor);
    answer->architecture = rt_buffer_text(&device->target);
    answer->driver = rt_buffer_text(&device->driver);
    answer->executes = true;
    answer->maps = true;
    answer->part_alignment = DEV_PART_ALIGNMENT;
    answer->usm = attribute(device, CUDA_ATTRIBUTE_UNIFIED_ADDRESSING, 0) != 0 &&
                  attribute(device, CUDA_ATTRIBUTE_MANAGED_MEMORY, 0) != 0 &&
                  attribute(device, CUDA_ATTRIBUTE_CAN_MAP_HOST_MEMORY, 0) != 0;
}

/* ---- The device --------------------------------------------------------------------------- */

/* Frees a device, which may be only partly initialised. */
static void cuda_device_destroy(dev_device *base)
{
    cuda_device *device = (cuda_device *)base;
    if (device->context) {
        cuda_enter_to_free(device);
        device->library.cuCtxSynchronize();
        cuda_staging_free(device);
        cuda_times_end(device);
        device->library.cuCtxSetCurrent(NULL);
        device->library.cuDevicePrimaryCtxRelease_v2(device->ordinal);
    }
    CHECK_IMPLIES(!device->context, device->staging == NULL);
    vendor_library_close(device->library.handle);
    vendor_mappings_end(&device->mappings);
    pthread_mutex_destroy(&device->lock);
    rt_buffer_free(&device->name);
    rt_buffer_free(&device->target);
    rt_buffer_free(&device->driver);
    rt_free(device);
}

static void cuda_device_capabilities(dev_device *device, dev_capabilities *out_capabilities)
{
    *out_capabilities = ((const cuda_device *)device)->capabilities;
}

static const dev_device_ops cuda_device_ops = {
    .destroy = cuda_device_destroy,
    .capabilities = cuda_device_capabilities,
    .memory_create = cuda_memory_create,
    .usm_create = cuda_usm_create,
    .program_compile = cuda_program_compile,
    .program_link = cuda_program_link,
    .program_build = cuda_program_build,
    .queue_create = cuda_queue_create,
    .program_load = cuda_program_load,
    .queue_create_profiling = cuda_queue_create_profiling,
    .memory_part_create = cuda_memory_part_create,
};

rt_status cuda_device_open(const char *library_path, const dev_open_parameters *parameters,
                           rt_text selector, dev_device **out_device)
{
    cuda_device *device = rt_alloc(sizeof *device);
    device->base.ops = &cuda_device_ops;
    device->sink = parameters->sink;
    device->tools = parameters->tools;
    pthread_mutex_init(&device->lock, NULL);
    vendor_mappings_begin(&device->mappings);
    rt_status status = vendor_library_open(device->sink, &driver, library_path, &device->library,
                                           &device->library.handle);
    if (rt_ok(status)) status = device_choose(device, selector);
    /* The primary context is shared with all other users in the process (the CUDA runtime and
     * libraries on top of it); the first to retain it creates it. */
    cuda_context *context = NULL;
    if (rt_ok(status)) {
        cuda_result result = device->library.cuDevicePrimaryCtxRetain(&context, device->ordinal);
        if (result != CUDA_SUCCESS || !context)
            status = cuda_fail(device, CUDA_STAGE_OPEN, "cuDevicePrimaryCtxRetain", result,
                               (rt_text){0});
    }
    if (!rt_ok(status)) {
        cuda_device_destroy(&device->base);
        return status;
    }
    device->context = context;
    device_ask(device);
    *out_device = &device->base;
    return status;
}

static rt_status cuda_open(const dev_open_parameters *parameters, rt_text selector,
                           dev_device **out_device)
{
    return cuda_device_open("libcuda.so.1", parameters, selector, out_device);
}

const dev_backend cuda_backend = {.name = "cuda", .open = cuda_open};
