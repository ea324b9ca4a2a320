/* The linker, presented as a device of a named architecture.
 *
 * Source of the limits: CUDA C++ programming guide, "Technical Specifications per Compute
 * Capability".  Where a limit other than the shared memory size differs between architectures, the
 * value that all of them support is used. */
#include "backends/nvjitlink/nvjitlink.h"

#include "backends/nvjitlink/nvj_internal.h"
#include "backends/ptx/capability.h"
#include "backends/vendor/library.h"
#include "reference/base/alloc.h"
#include "reference/base/number.h"

#include <stdlib.h>
#include <string.h>

/* ---- The library -------------------------------------------------------------------------- */

static const vendor_entry entries[] = {
#define ENTRY_ROW(name, parameters) {#name, offsetof(nvj_library, name), false},
    NVJ_ENTRIES(ENTRY_ROW)
#undef ENTRY_ROW
};

static const vendor_library linker = {
    .name = "NVIDIA's linker",
    .remedy = "run ci/setup --with nvidia to install it",
    .remedy_lacking = "run ci/setup --with nvidia to install one that has it",
    .entries = entries,
    .entry_count = sizeof entries / sizeof *entries,
};

/* ---- Selectors ---------------------------------------------------------------------------- */

/* Reads "", which selects sm_90, or "arch=sm_NN", optionally followed by a letter; *out_capability
 * is NN. */
static rt_status selector_read(rt_sink *sink, rt_text text, rt_text *out_name,
                               uint32_t *out_capability)
{
    enum { CAPABILITY_MAX = 99999 };
    rt_text rest = text.length > 0 ? text : RT_TEXT("arch=sm_90");
    uint64_t capability = 0;
    bool is_valid = rt_text_take_prefix(&rest, "arch=");
    *out_name = rest;
    is_valid = is_valid && rt_text_take_prefix(&rest, "sm_") &&
               rt_number_take(&rest, 10, CAPABILITY_MAX, &capability) && capability > 0;
    bool has_letter = rest.length == 1 && *rest.data >= 'a' && *rest.data <= 'z'; /* sm_90a */
    *out_capability = (uint32_t)capability;
    if (is_valid && (rest.length == 0 || has_letter)) return RT_STATUS_OK;
    return rt_fail(sink, RT_ERRC_INVALID, RT_RULE_NONE,
                   "'%.*s' names no architecture; write arch=sm_NN, such as arch=sm_90",
                   RT_TEXT_ARG(text));
}

/* ---- The device --------------------------------------------------------------------------- */

static void nvj_device_destroy(dev_device *base)
{
    nvj_device *device = (nvj_device *)base;
    vendor_unexecuted_end(&device->unexecuted);
    vendor_library_close(device->library.handle);
    rt_buffer_free(&device->name);
    rt_buffer_free(&device->target);
    rt_buffer_free(&device->driver);
    rt_buffer_free(&device->architecture);
    rt_free(device);
}

static void nvj_device_capabilities(dev_device *device, dev_capabilities *out_capabilities)
{
    *out_capabilities = ((const nvj_device *)device)->capabilities;
}

static rt_status nvj_usm_create(dev_device *base, dev_memory_kind kind, uint64_t size,
                                rt_text label, dev_memory **out_memory)
{
    (void)kind, (void)label;
    vendor_unexecuted *device = &((nvj_device *)base)->unexecuted;
    *out_memory = vendor_memory_make(vendor_address_take(device, size), size);
    return RT_STATUS_OK;
}

static rt_status nvj_memory_create(dev_device *device, uint64_t size, rt_text label,
                                   dev_memory **out_memory)
{
    return nvj_usm_create(device, DEV_MEMORY_BUFFER, size, label, out_memory);
}

/* Builds the complete launch to detect its errors, then discards it. */
static rt_status launch_check(dev_queue *queue, dev_kernel *kernel, const dev_nd_range *range,
                              const dev_argument *arguments, uint32_t argument_count)
{
    const nvj_device *device = (const nvj_device *)queue->device;
    rt_arena arena = {0};
    ptx_launch launch;
    rt_status status =
        ptx_launch_make(device->sink, &arena, &device->limits, ((const nvj_kernel *)kernel)->entry,
                        range, arguments, argument_count, &launch);
    rt_arena_reset(&arena);
    return status;
}

static rt_status nvj_queue_create(dev_device *base, dev_queue **out_queue)
{
    *out_queue = vendor_queue_make(&((nvj_device *)base)->unexecuted, launch_check);
    return RT_STATUS_OK;
}

static const dev_device_ops nvj_device_ops = {
    .destroy = nvj_device_destroy,
    .capabilities = nvj_device_capabilities,
    .memory_create = nvj_memory_create,
    .usm_create = nvj_usm_create,
    .program_compile = nvj_program_compile,
    .program_link = nvj_program_link,
    .program_build = nvj_program_build,
    .queue_create = nvj_queue_create,
    .program_load = nvj_program_load,
    .queue_create_profiling = nvj_queue_create, /* every queue records times */
    .memory_part_create = vendor_memory_part_create,
};

rt_status nvj_device_open(const char *library_path, const dev_open_parameters *parameters,
                          rt_text selector, dev_device **out_device)
{
    enum { WARP = 32 };
    rt_text name;
    uint32_t capability;
    RT_TRY(selector_read(parameters->sink, selector, &name, &capability));
    nvj_device *device = rt_alloc(sizeof *device);
    device->base.ops = &nvj_device_ops;
    device->sink = parameters->sink;
    device->tools = parameters->tools;
    vendor_unexecuted_begin(&device->unexecuted);
    rt_buffer_append_text(&device->name, name);
    rt_buffer_printf(&device->target, "nvidia_gpu_%.*s", RT_TEXT_ARG(name));
    rt_buffer_printf(&device->architecture, "-arch=%.*s", RT_TEXT_ARG(name));
    rt_status status = vendor_library_open(device->sink, &linker, library_path, &device->library,
                                           &device->library.handle);
    unsigned major = 0, minor = 0;
    if (rt_ok(status)) {
        nvj_result result = device->library.nvJitLinkVersion(&major, &minor);
        if (result != NVJ_SUCCESS)
            status = rt_fail(device->sink, RT_DRIVER_ERROR, RT_RULE_NONE,
                             "nvJitLinkVersion: result %d", result);
    }
    if (rt_ok(status)) status = nvj_link_try(device);
    if (!rt_ok(status)) {
        nvj_device_destroy(&device->base);
        return status;
    }
    rt_buffer_printf(&device->driver, "nvJitLink %u.%u", major, minor);
    device->limits = (ptx_limits){
        .group_size_max = 1024,
        .local_max = {1024, 1024, 64},
        .grid_max = {INT32_MAX, UINT16_MAX, UINT16_MAX},
        .shared_max = ptx_shared_size_max(capability),
    };
    dev_capabilities *answer = &device->capabilities;
    *answer =
        ptx_capabilities(capability, WARP, &device->limits, device->tools, device->extensions);
    answer->name = rt_buffer_text(&device->name);
    answer->driver = rt_buffer_text(&device->driver);
    answer->usm = true;
    answer->maps = true; /* as on the driver's device */
    answer->part_alignment = DEV_PART_ALIGNMENT;
    CHECK(!answer->executes);
    *out_device = &device->base;
    return status;
}

/* A chosen library that is missing is not replaced by another, which may be another release. */
static rt_status nvj_open(const dev_open_parameters *parameters, rt_text selector,
                          dev_device **out_device)
{
    const char *chosen = getenv("ASSAY_NVJITLINK");
    return nvj_device_open(chosen ? chosen : "libnvJitLink.so.13", parameters, selector,
                           out_device);
}

const dev_backend nvjitlink_backend = {.name = "nvjitlink", .open = nvj_open};
