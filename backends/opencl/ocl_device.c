/* OpenCL devices: finding one, querying its capabilities, opening it.
 *
 * Nothing depends on the vendor.  The answers of clGetDeviceInfo determine the route of programs,
 * the formats and the aspects; names serve only the selector and the records.
 *
 * Source: OpenCL 3.0 API specification, 4.1 to 4.4; cl_khr_spir, cl_khr_fp16,
 * cl_khr_int64_base_atomics, cl_intel_unified_shared_memory. */
#include "backends/opencl/opencl.h"

#include "backends/opencl/ocl_internal.h"
#include "backends/vendor/library.h"
#include "reference/base/alloc.h"
#include "reference/base/number.h"
#include "reference/base/rule.h"

#include <stdlib.h>
#include <string.h>

/* ---- Selectors ---------------------------------------------------------------------------- */

typedef struct ocl_selector {
    rt_text platform; /* both are substrings of names; empty matches all */
    rt_text device;
} ocl_selector;

static bool text_contains(rt_text text, rt_text part)
{
    return part.length == 0 || (text.length >= part.length &&
                                memmem(text.data, text.length, part.data, part.length) != NULL);
}

/* Reads a selector.  The platform's TEXT ends at ",device=", so it may contain commas. */
static rt_status selector_read(rt_sink *sink, rt_text text, ocl_selector *out_selector)
{
    static const char between[] = ",device=";
    *out_selector = (ocl_selector){0};
    rt_text rest = text;
    if (text.length == 0) return RT_STATUS_OK;
    if (rt_text_take_prefix(&rest, "device=")) {
        out_selector->device = rest;
        return RT_STATUS_OK;
    }
    if (!rt_text_take_prefix(&rest, "platform="))
        return rt_fail(
            sink, RT_ERRC_INVALID, RT_RULE_NONE,
            "'%.*s' selects no OpenCL device; write platform=TEXT, device=TEXT or "
            "platform=TEXT,device=TEXT, where TEXT is part of the platform's or device's name",
            RT_TEXT_ARG(text));
    out_selector->platform = rest;
    const char *found = memmem(rest.data, rest.length, between, strlen(between));
    if (!found) return RT_STATUS_OK;
    out_selector->platform.length = (size_t)(found - rest.data);
    out_selector->device = rt_text_skip(rest, out_selector->platform.length + strlen(between));
    return RT_STATUS_OK;
}

/* ---- Queries ------------------------------------------------------------------------------ */

/* Queries a device or, if that is NULL, a platform. */
static cl_int info_ask(const ocl_library *cl, cl_platform_id platform, cl_device_id device,
                       cl_uint what, size_t size, void *value, size_t *out_size)
{
    return device ? cl->clGetDeviceInfo(device, what, size, value, out_size)
                  : cl->clGetPlatformInfo(platform, what, size, value, out_size);
}

/* Appends the string that answers a query of a device or platform; nothing if the driver rejects
 * the query. */
static void text_ask(const ocl_library *cl, cl_platform_id platform, cl_device_id device,
                     cl_uint what, rt_buffer *out_text)
{
    size_t size = 0;
    if (info_ask(cl, platform, device, what, 0, NULL, &size) != CL_SUCCESS || size == 0) return;
    char *value = rt_alloc(size);
    if (info_ask(cl, platform, device, what, size, value, NULL) == CL_SUCCESS)
        rt_buffer_append(out_text, value, size);
    /* OpenCL includes the terminating NUL in a string's size. */
    while (out_text->size > 0 && out_text->data[out_text->size - 1] == '\0')
        out_text->size--;
    rt_free(value);
}

/* Queries a value of `size` bytes; the value keeps its default if the driver does not know the
 * query, as drivers of older versions may not. */
static void device_value(const ocl_device *device, cl_device_info what, size_t size, void *value)
{
    uint64_t answer[1] = {0};
    CHECK(size <= sizeof answer);
    if (device->library.clGetDeviceInfo(device->id, what, size, answer, NULL) == CL_SUCCESS)
        memcpy(value, answer, size);
}

/* True if a space-separated list contains the word. */
static bool list_has(rt_text list, const char *word)
{
    while (list.length > 0)
        if (rt_text_is(rt_text_take_until(&list, ' '), word)) return true;
    return false;
}

/* ---- Choosing a device -------------------------------------------------------------------- */

/* Maximum number of platforms, and of devices per platform, that are examined. */
enum { CANDIDATES_MAX = 64 };

/* Returned by loaders if there is no driver: CL_PLATFORM_NOT_FOUND_KHR of cl_khr_icd. */
enum { PLATFORM_NOT_FOUND = -1001 };

/* Searches a platform for the selected device; every name found is appended to `seen`. */
static bool platform_search(ocl_device *device, cl_platform_id platform, ocl_selector wanted,
                            rt_buffer *seen)
{
    const ocl_library *cl = &device->library;
    rt_buffer platform_name = {0};
    text_ask(cl, platform, NULL, CL_PLATFORM_NAME, &platform_name);
    cl_device_id ids[CANDIDATES_MAX];
    cl_uint count = 0;
    cl_int result = cl->clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, CANDIDATES_MAX, ids, &count);
    if (result != CL_SUCCESS) count = 0; /* a platform without devices returns NOT_FOUND */
    if (count > CANDIDATES_MAX) count = CANDIDATES_MAX;
    bool fits = text_contains(rt_buffer_text(&platform_name), wanted.platform), found = false;
    for (cl_uint i = 0; i < count && !found; i++) {
        rt_buffer name = {0};
        text_ask(cl, NULL, ids[i], CL_DEVICE_NAME, &name);
        found = fits && text_contains(rt_buffer_text(&name), wanted.device);
        if (found) device->id = ids[i];
        rt_buffer_printf(seen, "%s'%s' of platform '%s'", seen->size > 0 ? ", " : "",
                         rt_buffer_string(&name), rt_buffer_string(&platform_name));
        rt_buffer_free(&name);
    }
    rt_buffer_free(&platform_name);
    return found;
}

static rt_status device_choose(ocl_device *device, rt_text selector)
{
    ocl_selector wanted;
    RT_TRY(selector_read(device->sink, selector, &wanted));
    const ocl_library *cl = &device->library;
    cl_platform_id platforms[CANDIDATES_MAX];
    cl_uint count = 0;
    cl_int result = cl->clGetPlatformIDs(CANDIDATES_MAX, platforms, &count);
    if (result == PLATFORM_NOT_FOUND)
        return rt_fail(device->sink, RT_UNAVAILABLE, RT_RULE_NONE,
                       "the OpenCL loader finds no driver (clGetPlatformIDs: "
                       "CL_PLATFORM_NOT_FOUND_KHR); install a driver for your device");
    OCL_TRY(device->sink, OCL_STAGE_OPEN, "clGetPlatformIDs", result);
    if (count > CANDIDATES_MAX) count = CANDIDATES_MAX;
    rt_buffer seen = {0};
    bool found = false;
    for (cl_uint i = 0; i < count && !found; i++) {
        found = platform_search(device, platforms[i], wanted, &seen);
        if (found) device->platform = platforms[i];
    }
    rt_status status = RT_STATUS_OK;
    if (!found)
        status = rt_fail(device->sink, RT_UNAVAILABLE, RT_RULE_NONE,
                         "no OpenCL device matches '%.*s'; the loader offers: %s; select one of "
                         "these, or install a driver for your device",
                         RT_TEXT_ARG(selector), seen.size > 0 ? rt_buffer_string(&seen) : "none");
    rt_buffer_free(&seen);
    return status;
}

/* ---- Capabilities ------------------------------------------------------------------------- */

/* Decides how programs are built (opencl.h). */
static rt_status route_choose(ocl_device *device, ocl_input input, rt_text extensions)
{
    cl_uint address_bits = 0;
    device_value(device, CL_DEVICE_ADDRESS_BITS, sizeof address_bits, &address_bits);
    if (address_bits != 64)
        return rt_fail(
            device->sink, RT_UNAVAILABLE, RT_RULE_NONE,
            "'%s' has %u-bit addresses, but device images require 64; use another device",
            rt_buffer_string(&device->name), address_bits);
    cl_bool compiler = CL_FALSE;
    device_value(device, CL_DEVICE_COMPILER_AVAILABLE, sizeof compiler, &compiler);
    if (!compiler)
        return rt_fail(device->sink, RT_UNAVAILABLE, RT_RULE_NONE,
                       "'%s' has no compiler (CL_DEVICE_COMPILER_AVAILABLE is false)",
                       rt_buffer_string(&device->name));
    if (input == OCL_INPUT_SOURCE) {
        device->route = OCL_ROUTE_SOURCE;
        return RT_STATUS_OK;
    }
    rt_buffer version = {0};
    text_ask(&device->library, NULL, device->id, CL_DEVICE_IL_VERSION, &version);
    bool takes_spirv = text_contains(rt_buffer_text(&version), RT_TEXT("SPIR-V"));
    rt_buffer_free(&version);
    if (takes_spirv && device->library.clCreateProgramWithIL) {
        device->route = OCL_ROUTE_SPIRV;
        return RT_STATUS_OK;
    }
    bool takes_spir = list_has(extensions, "cl_khr_spir");
    if (takes_spir && device->tools) {
        device->route = OCL_ROUTE_BITCODE;
        return RT_STATUS_OK;
    }
    return rt_fail(device->sink, RT_UNAVAILABLE, RT_RULE_NONE,
                   "'%s' does not accept SPIR-V (CL_DEVICE_IL_VERSION), %s",
                   rt_buffer_string(&device->name),
                   takes_spir ? "and the tools that produce SPIR, which it accepts, are missing; "
                                "build assay with its compiler plugin"
                              : "nor SPIR (extension cl_khr_spir); use a device that accepts one "
                                "of them");
}

/* True if the device can access the given kind of unified shared memory. */
static bool usm_accesses(const ocl_device *device, cl_device_info kind)
{
    cl_device_unified_shared_memory_capabilities_intel answer = 0;
    device_value(device, kind, sizeof answer, &answer);
    return (answer & CL_UNIFIED_SHARED_MEMORY_ACCESS_INTEL) != 0;
}

/* Returns the sub-group sizes that a kernel may require (cl_intel_required_subgroup_size). */
static uint64_t sub_group_sizes_ask(const ocl_device *device, rt_text extensions)
{
    size_t sizes[64] = {0};
    uint64_t bits = 0;
    if (!list_has(extensions, "cl_intel_required_subgroup_size")) return 0;
    cl_int result = device->library.clGetDeviceInfo(device->id, CL_DEVICE_SUB_GROUP_SIZES_INTEL,
                                                    sizeof sizes, sizes, NULL);
    if (result != CL_SUCCESS) return 0;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (sizes[i] >= 1 && sizes[i] <= 64) bits |= UINT64_C(1) << (sizes[i] - 1);
    return bits;
}

/* The device's version of OpenCL, from "OpenCL MAJOR.MINOR …"; 0.0: none was reported. */
static void version_ask(const ocl_device *device, uint64_t *out_major, uint64_t *out_minor)
{
    rt_buffer version = {0};
    text_ask(&device->library, NULL, device->id, CL_DEVICE_VERSION, &version);
    rt_text rest = rt_buffer_text(&version);
    *out_major = *out_minor = 0;
    if (rt_text_take_prefix(&rest, "OpenCL ") && rt_number_take(&rest, 10, UINT32_MAX, out_major) &&
        rt_text_take_prefix(&rest, "."))
        (void)rt_number_take(&rest, 10, UINT32_MAX, out_minor);
    rt_buffer_free(&version);
}

/* True if specialisation constants can be set.  The loader exports the function whatever the
 * device's version, so only the version shows whether the driver implements it: 2.2 and newer do.
 */
static bool spec_constants_ask(const ocl_device *device)
{
    if (device->route == OCL_ROUTE_SOURCE) return false;
    if (device->route == OCL_ROUTE_BITCODE) return true; /* the tools set the constants */
    uint64_t major, minor;
    version_ask(device, &major, &minor);
    return (major > 2 || (major == 2 && minor >= 2)) &&
           device->library.clSetProgramSpecializationConstant != NULL;
}

/* Launches without work-items do nothing since OpenCL 2.1; before, they were refused (OpenCL 3.0
 * API specification, 5.8, clEnqueueNDRangeKernel). */
static bool empty_ranges_ask(const ocl_device *device)
{
    uint64_t major, minor;
    version_ask(device, &major, &minor);
    return major > 2 || (major == 2 && minor >= 1);
}

/* Work-groups may differ in size on every device of OpenCL 2.x, and on one of 3.0 if it says so
 * (OpenCL 3.0 API specification, 4.2, CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT). */
static bool non_uniform_ask(const ocl_device *device)
{
    uint64_t major, minor;
    cl_bool supports = CL_FALSE;
    version_ask(device, &major, &minor);
    if (major < 3) return major == 2;
    device_value(device, CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT, sizeof supports, &supports);
    return supports != CL_FALSE;
}

/* OpenCL 3.0 API specification, 4.2: a device without sub-groups returns 0. Older ones have an
 * extension. */
static bool sub_groups_ask(const ocl_device *device, rt_text extensions)
{
    cl_uint count = 0;
    device_value(device, CL_DEVICE_MAX_NUM_SUB_GROUPS, sizeof count, &count);
    return count > 0 || list_has(extensions, "cl_khr_subgroups") ||
           list_has(extensions, "cl_intel_subgroups");
}

/* OpenCL 3.0 extension specification, "Subgroup extensions". */
static bool sub_group_operations_ask(rt_text extensions)
{
    static const char *const needed[] = {"cl_khr_subgroup_non_uniform_vote",
                                         "cl_khr_subgroup_ballot",
                                         "cl_khr_subgroup_shuffle",
                                         "cl_khr_subgroup_shuffle_relative",
                                         "cl_khr_subgroup_non_uniform_arithmetic",
                                         "cl_khr_subgroup_clustered_reduce"};
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        if (!list_has(extensions, needed[i])) return false;
    return true;
}

/* The formats of programs that were compiled ahead of time for this device: its driver's binaries.
 * Document 003 names those for CPUs and for Intel's GPUs.  Programs from source have none, because
 * what is compiled ahead of time is SPIR-V. */
static uint32_t native_formats_ask(const ocl_device *device)
{
    enum { INTEL = 0x8086 }; /* the vendor's PCI id (OpenCL 3.0 API, 4.2, CL_DEVICE_VENDOR_ID) */
    cl_device_type type = 0;
    cl_uint vendor = 0;
    if (device->route == OCL_ROUTE_SOURCE) return 0;
    device_value(device, CL_DEVICE_TYPE, sizeof type, &type);
    device_value(device, CL_DEVICE_VENDOR_ID, sizeof vendor, &vendor);
    uint32_t formats = 1u << RT_FORMAT_NATIVE;
    if (type & CL_DEVICE_TYPE_CPU) formats |= 1u << RT_FORMAT_SPIRV64_X86_64;
    if ((type & CL_DEVICE_TYPE_GPU) && vendor == INTEL) formats |= 1u << RT_FORMAT_SPIRV64_GEN;
    return formats;
}

/* The driver of a CPU runs in this process, on the same architecture. */
static rt_text architecture_ask(const ocl_device *device)
{
    cl_device_type type = 0;
    device_value(device, CL_DEVICE_TYPE, sizeof type, &type);
#ifdef __x86_64__
    if (type & CL_DEVICE_TYPE_CPU) return RT_TEXT("x86_64");
#endif
    return (rt_text){0};
}

/* Lists the extensions that advertise linking, and returns their number.  Compiled binaries can be
 * linked by the driver that made them (OpenCL 3.0 API, 5.8.3, clLinkProgram); where the tools link,
 * it compiles only whole programs, so it makes no such binaries. */
static uint32_t link_extensions_list(ocl_device *device, rt_format format, bool links)
{
    uint32_t count = 0;
    uint32_t formats = 1u << format;
    if (RULE(DL_BACKEND_13, device->route == OCL_ROUTE_SPIRV)) formats |= device->native_formats;
    for (uint32_t i = 0; links && i < RT_FORMAT_COUNT; i++) {
        if (!(formats >> i & 1)) continue;
        CHECK(count < sizeof device->link_extensions / sizeof *device->link_extensions);
        device->link_extensions[count++] = rt_format_link_extension((rt_format)i);
    }
    return count;
}

/* No OpenCL query reports support for function pointers: a driver that supports them does not list
 * SPV_INTEL_function_pointers (Intel's CPU runtime 2026.2, cl_khr_spirv_queries).  But only a
 * driver whose functions have addresses offers the function that returns them.  Likewise, that
 * runtime offers the functions that access variables by name but does not list an extension for
 * them; a pointer to a variable is passed with a function of cl_intel_unified_shared_memory. */
static void capabilities_ask(ocl_device *device, rt_text extensions)
{
    rt_format format = ocl_route_format(device->route);
    cl_bool linker = CL_FALSE;
    device_value(device, CL_DEVICE_LINKER_AVAILABLE, sizeof linker, &linker);
    cl_uint alignment_bits = 0;
    device_value(device, CL_DEVICE_MEM_BASE_ADDR_ALIGN, sizeof alignment_bits, &alignment_bits);
    cl_ulong local_size = 0;
    device_value(device, CL_DEVICE_LOCAL_MEM_SIZE, sizeof local_size, &local_size);
    size_t group_size = 1;
    device_value(device, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof group_size, &group_size);
    /* OpenCL 3.0 API specification, 4.2: a device that does not support program-scope variables,
     * which outlive a launch, returns 0; OpenCL 1.2 devices do not know the query. */
    size_t variable_size = 0;
    device_value(device, CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE, sizeof variable_size, &variable_size);
    cl_command_queue_properties offered = 0;
    device_value(device, CL_DEVICE_QUEUE_ON_HOST_PROPERTIES, sizeof offered, &offered);
    bool links = device->route == OCL_ROUTE_BITCODE || linker;
    device->native_formats = native_formats_ask(device);
    bool takes_spirv = device->route == OCL_ROUTE_SPIRV;
    bool usm = device->extensions.usm && list_has(extensions, "cl_intel_unified_shared_memory") &&
               usm_accesses(device, CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL) &&
               usm_accesses(device, CL_DEVICE_DEVICE_MEM_CAPABILITIES_INTEL) &&
               usm_accesses(device, CL_DEVICE_SINGLE_DEVICE_SHARED_MEM_CAPABILITIES_INTEL);
    bool functions = takes_spirv && device->extensions.function_addresses;
    cl_device_fp_config fp64 = 0;
    device_value(device, CL_DEVICE_DOUBLE_FP_CONFIG, sizeof fp64, &fp64);
    uint32_t aspects = 0;
    if (fp64 != 0) aspects |= 1u << DEV_ASPECT_FP64;
    if (functions) aspects |= 1u << DEV_ASPECT_VIRTUAL_FUNCTIONS;
    if (list_has(extensions, "cl_khr_fp16")) aspects |= 1u << DEV_ASPECT_FP16;
    if (list_has(extensions, "cl_khr_int64_base_atomics")) aspects |= 1u << DEV_ASPECT_ATOMIC64;
    device->capabilities = (dev_capabilities){
        .name = rt_buffer_text(&device->name),
        .driver = rt_buffer_text(&device->driver),
        .architecture = architecture_ask(device),
        .formats_taken = 1u << format | device->native_formats,
        .extensions = device->link_extensions,
        .extension_count = link_extensions_list(device, format, links),
        .aspects = aspects,
        .executes = true,
        .program_variables = variable_size > 0,
        .globals_by_name = takes_spirv && usm && device->extensions.globals,
        .function_pointers = functions,
        .usm = usm,
        .spec_constants = spec_constants_ask(device),
        .program_binaries = true, /* on all devices: OpenCL 3.0 API specification, 5.8.9 */
        .links_with_tool = device->route == OCL_ROUTE_BITCODE,
        .profiling = (offered & CL_QUEUE_PROFILING_ENABLE) != 0,
        .non_uniform_groups = non_uniform_ask(device),
        .host_events = true, /* on all devices since OpenCL 1.1 */
        .maps = true,
        .asserts = list_has(extensions, "cl_intel_devicelib_assert"),
        .bfloat16_conversions = list_has(extensions, "cl_intel_bfloat16_conversions"),
        .part_alignment = alignment_bits / 8,
        .local_size_max = local_size,
        .group_size_max = group_size < 1            ? 1
                          : group_size > UINT32_MAX ? UINT32_MAX
                                                    : (uint32_t)group_size,
        .sub_group_sizes = sub_group_sizes_ask(device, extensions),
        .sub_groups = sub_groups_ask(device, extensions),
        .sub_group_operations = sub_group_operations_ask(extensions),
    };
    /* An in-order queue obeys wait lists, too, so devices without out-of-order queues are
     * supported. */
    device->queue_properties = offered & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
    device->empty_ranges = empty_ranges_ask(device);
}

static rt_status device_ask(ocl_device *device, ocl_input input)
{
    const ocl_library *cl = &device->library;
    text_ask(cl, NULL, device->id, CL_DEVICE_NAME, &device->name);
    if (device->name.size == 0) rt_buffer_append_text(&device->name, RT_TEXT("OpenCL device"));
    text_ask(cl, device->platform, NULL, CL_PLATFORM_NAME, &device->driver);
    rt_buffer_append_byte(&device->driver, ' ');
    text_ask(cl, NULL, device->id, CL_DRIVER_VERSION, &device->driver);
    ocl_extensions_ask(cl, device->platform, &device->extensions);
    rt_buffer extensions = {0};
    text_ask(cl, NULL, device->id, CL_DEVICE_EXTENSIONS, &extensions);
    rt_status status = route_choose(device, input, rt_buffer_text(&extensions));
    if (rt_ok(status)) capabilities_ask(device, rt_buffer_text(&extensions));
    rt_buffer_free(&extensions);
    return status;
}

/* ---- The device --------------------------------------------------------------------------- */

/* Frees a device, which may be only partly initialised. */
static void ocl_device_destroy(dev_device *base)
{
    ocl_device *device = (ocl_device *)base;
    if (device->context) device->library.clReleaseContext(device->context);
    vendor_library_close(device->library.handle);
    rt_buffer_free(&device->name);
    rt_buffer_free(&device->driver);
    rt_free(device);
}

static void ocl_device_capabilities(dev_device *device, dev_capabilities *out_capabilities)
{
    *out_capabilities = ((const ocl_device *)device)->capabilities;
}

static const dev_device_ops ocl_device_ops = {
    .destroy = ocl_device_destroy,
    .capabilities = ocl_device_capabilities,
    .memory_create = ocl_memory_create,
    .usm_create = ocl_usm_create,
    .memory_part_create = ocl_memory_part_create,
    .program_compile = ocl_program_compile,
    .program_link = ocl_program_link,
    .program_build = ocl_program_build,
    .queue_create = ocl_queue_create,
    .program_load = ocl_program_load,
    .queue_create_profiling = ocl_queue_create_profiling,
    .host_event_create = ocl_host_event_create,
};

rt_status ocl_device_open(const char *library_path, const dev_open_parameters *parameters,
                          rt_text selector, ocl_input input, dev_device **out_device)
{
    ocl_device *device = rt_alloc(sizeof *device);
    device->base.ops = &ocl_device_ops;
    device->sink = parameters->sink;
    device->tools = parameters->tools;
    rt_status status = ocl_library_open(device->sink, library_path, &device->library);
    if (rt_ok(status)) status = device_choose(device, selector);
    if (rt_ok(status)) status = device_ask(device, input);
    if (rt_ok(status)) {
        cl_int result = CL_SUCCESS;
        device->context =
            device->library.clCreateContext(NULL, 1, &device->id, NULL, NULL, &result);
        if (!device->context || result != CL_SUCCESS)
            status =
                ocl_fail(device->sink, OCL_STAGE_OPEN, "clCreateContext", result, (rt_text){0});
    }
    if (!rt_ok(status)) {
        ocl_device_destroy(&device->base);
        return status;
    }
    CHECK(device->capabilities.group_size_max >= 1);
    CHECK_IMPLIES(input == OCL_INPUT_SOURCE, device->route == OCL_ROUTE_SOURCE);
    CHECK_IMPLIES(device->route == OCL_ROUTE_BITCODE, device->tools);
    *out_device = &device->base;
    return status;
}

#define LOADER "libOpenCL.so.1"

static rt_status ocl_open(const dev_open_parameters *parameters, rt_text selector,
                          dev_device **out_device)
{
    return ocl_device_open(LOADER, parameters, selector, OCL_INPUT_IMAGES, out_device);
}

static rt_status ocl_source_open(const dev_open_parameters *parameters, rt_text selector,
                                 dev_device **out_device)
{
    return ocl_device_open(LOADER, parameters, selector, OCL_INPUT_SOURCE, out_device);
}

const dev_backend ocl_backend = {.name = "opencl", .open = ocl_open};
const dev_backend ocl_source_backend = {.name = "opencl-source", .open = ocl_source_open};
