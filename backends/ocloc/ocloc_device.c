/* The offline compiler, presented as a device of a named product.
 *
 * Features of the product are those of the extensions that `ocloc query` reports for it.  What it
 * does not report, the limits of a launch and the sizes of sub-groups, is what all of Intel's
 * products since Tiger Lake support (Intel, oneAPI GPU Optimization Guide, "Intel Xe GPU
 * Architecture"). */
#include "backends/ocloc/ocloc.h"

#include "backends/ocloc/ocloc_internal.h"
#include "backends/vendor/library.h"
#include "reference/base/alloc.h"

#include <stdlib.h>
#include <string.h>

static const vendor_entry entries[] = {
    {"oclocInvoke", offsetof(ocloc_library, oclocInvoke), false},
    {"oclocFreeOutput", offsetof(ocloc_library, oclocFreeOutput), false},
};

static const vendor_library compiler = {
    .name = "Intel's offline compiler",
    .remedy = "run ci/setup --with gpu to install it; Debian 13 has no package of it",
    .remedy_lacking = "run ci/setup --with gpu to install one that has it",
    .entries = entries,
    .entry_count = sizeof entries / sizeof *entries,
};

/* ---- Asking ------------------------------------------------------------------------------- */

static rt_status ask(ocloc_device *device, const char *what, rt_buffer *out_answer)
{
    const char *const words[] = {
        "ocloc", "query", what, "-device", rt_buffer_string(&device->product), NULL};
    return ocloc_run(device, &(ocloc_command){.words = words}, RT_DRIVER_ERROR, out_answer);
}

static bool has(rt_text extensions, const char *name)
{
    while (extensions.length > 0)
        if (rt_text_is(rt_text_take_until(&extensions, ' '), name)) return true;
    return false;
}

static void features_read(ocloc_device *device, rt_text extensions)
{
    static const struct {
        const char *extension;
        dev_aspect aspect;
    } rows[] = {
        {"cl_khr_fp16", DEV_ASPECT_FP16},
        {"cl_khr_fp64", DEV_ASPECT_FP64},
        {"cl_khr_int64_base_atomics", DEV_ASPECT_ATOMIC64},
    };
    enum { SHARED_SIZE = 64 << 10, GROUP_SIZE = 512 };
    /* Function pointers are not an extension; Level Zero has them in its core specification. */
    uint32_t aspects = 1u << DEV_ASPECT_VIRTUAL_FUNCTIONS;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (has(extensions, rows[i].extension)) aspects |= 1u << rows[i].aspect;
    bool has_sub_groups = has(extensions, "cl_intel_subgroups");
    device->link_extension = rt_format_link_extension(RT_FORMAT_SPIRV64);
    device->capabilities = (dev_capabilities){
        .name = rt_buffer_text(&device->product),
        .driver = rt_buffer_text(&device->driver),
        .formats_taken = 1u << RT_FORMAT_SPIRV64 | OCLOC_NATIVE_FORMATS,
        .extensions = &device->link_extension,
        .extension_count = 1,
        .aspects = aspects,
        .program_variables = true,
        .globals_by_name = true,
        .function_pointers = true,
        .usm = true, /* a compiler does not care where pointers point */
        .program_binaries = true,
        .maps = true,
        .profiling = true,
        .sub_groups = has_sub_groups,
        .sub_group_operations = has(extensions, "cl_khr_subgroup_ballot") &&
                                has(extensions, "cl_khr_subgroup_clustered_reduce"),
        .bfloat16_conversions = has(extensions, "cl_intel_bfloat16_conversions"),
        .part_alignment = DEV_PART_ALIGNMENT,
        .local_size_max = SHARED_SIZE,
        .group_size_max = GROUP_SIZE,
        .sub_group_sizes = has_sub_groups ? UINT64_C(1) << 15 | UINT64_C(1) << 31 : 0,
    };
}

/* Release 22.43 reports its version without a device, and no extensions: features that a driver
 * would report are then not among the device's capabilities. */
static rt_status device_ask(ocloc_device *device)
{
    static const char *const words[] = {"ocloc", "query", "OCL_DRIVER_VERSION", NULL};
    rt_buffer version = {0}, extensions = {0};
    rt_status status =
        ocloc_run(device, &(ocloc_command){.words = words}, RT_DRIVER_ERROR, &version);
    if (rt_ok(status)) status = ocloc_product_try(device);
    if (rt_ok(status)) {
        rt_text rest = rt_buffer_text(&version), release = rt_text_take_until(&rest, ' ');
        rt_buffer_printf(&device->driver, "ocloc %.*s", RT_TEXT_ARG(release));
        if (!rt_ok(ask(device, "CL_DEVICE_EXTENSIONS", &extensions))) rt_buffer_free(&extensions);
        features_read(device, rt_buffer_text(&extensions));
    }
    rt_buffer_free(&version);
    rt_buffer_free(&extensions);
    return status;
}

/* ---- The device --------------------------------------------------------------------------- */

static void device_destroy(dev_device *base)
{
    ocloc_device *device = (ocloc_device *)base;
    vendor_unexecuted_end(&device->unexecuted);
    vendor_library_close(device->library.handle);
    rt_buffer_free(&device->product);
    rt_buffer_free(&device->driver);
    rt_free(device);
}

static void device_capabilities(dev_device *device, dev_capabilities *out_capabilities)
{
    *out_capabilities = ((const ocloc_device *)device)->capabilities;
}

static rt_status usm_create(dev_device *base, dev_memory_kind kind, uint64_t size, rt_text label,
                            dev_memory **out_memory)
{
    (void)kind, (void)label;
    vendor_unexecuted *device = &((ocloc_device *)base)->unexecuted;
    *out_memory = vendor_memory_make(vendor_address_take(device, size), size);
    return RT_STATUS_OK;
}

static rt_status memory_create(dev_device *device, uint64_t size, rt_text label,
                               dev_memory **out_memory)
{
    return usm_create(device, DEV_MEMORY_BUFFER, size, label, out_memory);
}

static rt_status group_check(const ocloc_device *device, const ocloc_kernel_info *info,
                             const dev_nd_range *range)
{
    bool is_wrong = false;
    for (int d = 0; d < (int)RT_ND_RANGE_DIMENSIONS; d++)
        is_wrong = is_wrong || (info->required_group[0] > 0 && range->local[0] > 0 &&
                                range->local[d] != info->required_group[d]);
    if (!is_wrong)
        return dev_nd_range_validate(device->sink, range, device->capabilities.group_size_max);
    return rt_fail(device->sink, RT_ERRC_ND_RANGE, RT_RULE_NONE,
                   "the kernel requires groups of %u x %u x %u work-items, but was given %llu x "
                   "%llu x %llu",
                   info->required_group[0], info->required_group[1], info->required_group[2],
                   (unsigned long long)range->local[0], (unsigned long long)range->local[1],
                   (unsigned long long)range->local[2]);
}

/* Refuses what a driver would refuse by what the machine code says about the kernel. */
static rt_status launch_check(dev_queue *queue, dev_kernel *kernel, const dev_nd_range *range,
                              const dev_argument *arguments, uint32_t argument_count)
{
    (void)arguments;
    const ocloc_device *device = (const ocloc_device *)queue->device;
    const ocloc_kernel_info *info = &((const ocloc_kernel *)kernel)->info;
    if (info->parameter_count != DEV_ARGUMENT_COUNT_UNKNOWN)
        RT_TRY(dev_argument_count_validate(device->sink, info->parameter_count, argument_count));
    return group_check(device, info, range);
}

static rt_status queue_create(dev_device *base, dev_queue **out_queue)
{
    *out_queue = vendor_queue_make(&((ocloc_device *)base)->unexecuted, launch_check);
    return RT_STATUS_OK;
}

static const dev_device_ops device_ops = {
    .destroy = device_destroy,
    .capabilities = device_capabilities,
    .memory_create = memory_create,
    .memory_part_create = vendor_memory_part_create,
    .usm_create = usm_create,
    .program_compile = ocloc_program_compile,
    .program_link = ocloc_program_link,
    .program_build = ocloc_program_build,
    .program_load = ocloc_program_load,
    .queue_create = queue_create,
    .queue_create_profiling = queue_create, /* every queue records times */
};

rt_status ocloc_device_open(const char *library_path, const dev_open_parameters *parameters,
                            rt_text selector, dev_device **out_device)
{
    rt_text product = selector.length > 0 ? selector : RT_TEXT("product=tgllp");
    if (!rt_text_take_prefix(&product, "product=") || product.length == 0)
        return rt_fail(parameters->sink, RT_ERRC_INVALID, RT_RULE_NONE,
                       "'%.*s' does not name a product; write product=NAME, such as product=bmg",
                       RT_TEXT_ARG(selector));
    ocloc_device *device = rt_alloc(sizeof *device);
    device->base.ops = &device_ops;
    device->sink = parameters->sink;
    vendor_unexecuted_begin(&device->unexecuted);
    rt_buffer_append_text(&device->product, product);
    rt_status status = vendor_library_open(device->sink, &compiler, library_path, &device->library,
                                           &device->library.handle);
    if (rt_ok(status)) status = device_ask(device);
    if (rt_ok(status))
        *out_device = &device->base;
    else
        device_destroy(&device->base);
    return status;
}

/* A chosen library that is missing is not replaced by another, which may be another release. */
static rt_status ocloc_open(const dev_open_parameters *parameters, rt_text selector,
                            dev_device **out_device)
{
    const char *chosen = getenv("ASSAY_OCLOC");
    return ocloc_device_open(chosen ? chosen : "libocloc.so", parameters, selector, out_device);
}

const dev_backend ocloc_backend = {.name = "ocloc", .open = ocloc_open};
