/* Level Zero devices: finding one, querying its capabilities, opening it.
 *
 * Nothing depends on the vendor, since the driver reports what a device can do. The exception is
 * whether a device executes commands, which no driver reports: debug keys in the environment can
 * make Intel's driver accept commands without executing any, so the adapter reads the same keys
 * (level_zero.h).
 *
 * Source: Level Zero specification 1.8, "Drivers and Devices"; the debug keys of
 * intel/compute-runtime (shared/source/debug_settings). */
#include "backends/level_zero/level_zero.h"

#include "backends/level_zero/l0_internal.h"
#include "backends/level_zero/l0_module.h"
#include "backends/vendor/library.h"
#include "reference/base/alloc.h"
#include "reference/base/number.h"
#include "reference/base/rule.h"

#include <stdlib.h>
#include <string.h>

/* ---- Selectors ---------------------------------------------------------------------------- */

typedef struct l0_selector {
    uint32_t device;
    bool links_dynamically;
} l0_selector;

static rt_status selector_read(rt_sink *sink, rt_text text, l0_selector *out_selector)
{
    enum { DEVICE_MAX = 99999 };
    *out_selector = (l0_selector){0};
    for (rt_text rest = text; rest.length > 0;) {
        rt_text part = rt_text_take_until(&rest, ',');
        if (rt_text_is(part, "link=dynamic"))
            out_selector->links_dynamically = true;
        else if (!rt_text_take_prefix(&part, "device=") ||
                 !rt_number_read_u32(part, 0, DEVICE_MAX, &out_selector->device))
            return rt_fail(sink, RT_ERRC_INVALID, RT_RULE_NONE,
                           "'%.*s' selects no Level Zero device; write device=N, link=dynamic, or "
                           "both separated by a comma",
                           RT_TEXT_ARG(text));
    }
    return RT_STATUS_OK;
}

/* ---- Choosing a device -------------------------------------------------------------------- */

/* Maximum number of drivers, and of devices per driver, that are examined. */
enum { CANDIDATES_MAX = 64 };

static rt_status device_choose(l0_device *device, uint32_t wanted)
{
    const l0_library *ze = &device->library;
    ze_driver_handle_t drivers[CANDIDATES_MAX];
    ze_device_handle_t devices[CANDIDATES_MAX];
    uint32_t driver_count = CANDIDATES_MAX, seen = 0;
    ze_result_t result = ze->zeInit(0);
    if (result != ZE_RESULT_SUCCESS)
        return rt_fail(
            device->sink, vendor_result_code(&l0_results, L0_STAGE_OPEN, (int)result), RT_RULE_NONE,
            "zeInit: %s (0x%x); the loader found no driver with a device; install the driver for "
            "the device (for Intel GPUs: intel-opencl-icd) and make sure that you may open the "
            "device's node in /dev/dri",
            vendor_result_name(&l0_results, (int)result), (unsigned)result);
    L0_TRY(device->sink, L0_STAGE_OPEN, "zeDriverGet", ze->zeDriverGet(&driver_count, drivers));
    for (uint32_t i = 0; i < driver_count && i < CANDIDATES_MAX; i++) {
        uint32_t count = CANDIDATES_MAX;
        L0_TRY(device->sink, L0_STAGE_OPEN, "zeDeviceGet",
               ze->zeDeviceGet(drivers[i], &count, devices));
        if (count > CANDIDATES_MAX) count = CANDIDATES_MAX;
        if (wanted - seen < count) {
            device->driver = drivers[i];
            device->id = devices[wanted - seen];
            return RT_STATUS_OK;
        }
        seen += count;
    }
    return rt_fail(
        device->sink, RT_UNAVAILABLE, RT_RULE_NONE,
        "there is no Level Zero device %u; the loader offers %u, numbered from 0; install the "
        "driver for the device that you want",
        wanted, seen);
}

/* ---- Capabilities ------------------------------------------------------------------------- */

static bool variable_is(const char *name, const char *value)
{
    const char *set = getenv(name);
    return set && strcmp(set, value) == 0;
}

static bool driver_lists(const ze_driver_extension_properties_t *listed, uint32_t count,
                         const char *name)
{
    for (uint32_t i = 0; i < count; i++) {
        if (strncmp(listed[i].name, name, sizeof listed[i].name) == 0) return true;
    }
    return false;
}

static rt_status extensions_ask(l0_device *device, bool links_dynamically)
{
    const l0_library *ze = &device->library;
    uint32_t count = 0;
    L0_TRY(device->sink, L0_STAGE_OPEN, "zeDriverGetExtensionProperties",
           ze->zeDriverGetExtensionProperties(device->driver, &count, NULL));
    ze_driver_extension_properties_t *listed = rt_alloc_array((size_t)count + 1, sizeof *listed);
    ze_result_t result = ze->zeDriverGetExtensionProperties(device->driver, &count, listed);
    if (result == ZE_RESULT_SUCCESS) {
        device->joins_spirv =
            RULE(DL_BACKEND_09, driver_lists(listed, count, ZE_MODULE_PROGRAM_EXP_NAME)) &&
            !links_dynamically;
        device->offsets = driver_lists(listed, count, ZE_GLOBAL_OFFSET_EXP_NAME) &&
                          ze->zeKernelSetGlobalOffsetExp != NULL;
    }
    rt_free(listed);
    L0_TRY(device->sink, L0_STAGE_OPEN, "zeDriverGetExtensionProperties", result);
    return RT_STATUS_OK;
}

/* Finds the first queue group that supports compute. */
static rt_status queues_ask(l0_device *device)
{
    static const char call[] = "zeDeviceGetCommandQueueGroupProperties";
    ze_command_queue_group_properties_t groups[CANDIDATES_MAX];
    uint32_t count = CANDIDATES_MAX;
    for (uint32_t i = 0; i < CANDIDATES_MAX; i++)
        groups[i] = (ze_command_queue_group_properties_t){
            .stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_GROUP_PROPERTIES};
    L0_TRY(device->sink, L0_STAGE_OPEN, call,
           device->library.zeDeviceGetCommandQueueGroupProperties(device->id, &count, groups));
    for (uint32_t i = 0; i < count && i < CANDIDATES_MAX; i++) {
        if (!(groups[i].flags & ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COMPUTE)) continue;
        device->queue_ordinal = i;
        device->fill_pattern_max = groups[i].maxMemoryFillPatternSize;
        return RT_STATUS_OK;
    }
    return rt_fail(device->sink, RT_UNAVAILABLE, RT_RULE_NONE,
                   "'%s' has no compute queue (%s); choose another device",
                   rt_buffer_string(&device->name), call);
}

/* Queries the device and driver names for records. */
static rt_status names_ask(l0_device *device)
{
    const l0_library *ze = &device->library;
    ze_device_properties_t of_device = {.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES};
    ze_driver_properties_t of_driver = {.stype = ZE_STRUCTURE_TYPE_DRIVER_PROPERTIES};
    ze_api_version_t version = ZE_API_VERSION_1_0;
    L0_TRY(device->sink, L0_STAGE_OPEN, "zeDeviceGetProperties",
           ze->zeDeviceGetProperties(device->id, &of_device));
    L0_TRY(device->sink, L0_STAGE_OPEN, "zeDriverGetProperties",
           ze->zeDriverGetProperties(device->driver, &of_driver));
    L0_TRY(device->sink, L0_STAGE_OPEN, "zeDriverGetApiVersion",
           ze->zeDriverGetApiVersion(device->driver, &version));
    rt_buffer_append(&device->name, of_device.name, strnlen(of_device.name, sizeof of_device.name));
    if (device->name.size == 0) rt_buffer_append_text(&device->name, RT_TEXT("Level Zero device"));
    /* Level Zero does not define the format of the driver version; this is the format that Intel's
     * driver uses. */
    rt_buffer_printf(&device->driver_text, "Level Zero %u.%u, driver %u.%u.%u",
                     ZE_MAJOR_VERSION(version), ZE_MINOR_VERSION(version),
                     of_driver.driverVersion >> 24, of_driver.driverVersion >> 16 & 255,
                     of_driver.driverVersion & 65535);
    return RT_STATUS_OK;
}

static rt_status capabilities_ask(l0_device *device)
{
    const l0_library *ze = &device->library;
    ze_device_compute_properties_t compute = {.stype = ZE_STRUCTURE_TYPE_DEVICE_COMPUTE_PROPERTIES};
    ze_device_module_properties_t module = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MODULE_PROPERTIES};
    ze_device_memory_access_properties_t access = {
        .stype = ZE_STRUCTURE_TYPE_DEVICE_MEMORY_ACCESS_PROPERTIES};
    L0_TRY(device->sink, L0_STAGE_OPEN, "zeDeviceGetComputeProperties",
           ze->zeDeviceGetComputeProperties(device->id, &compute));
    L0_TRY(device->sink, L0_STAGE_OPEN, "zeDeviceGetModuleProperties",
           ze->zeDeviceGetModuleProperties(device->id, &module));
    L0_TRY(device->sink, L0_STAGE_OPEN, "zeDeviceGetMemoryAccessProperties",
           ze->zeDeviceGetMemoryAccessProperties(device->id, &access));
    /* Function pointers are in the core specification (zeModuleGetFunctionPointer). */
    uint32_t aspects = 1u << DEV_ASPECT_VIRTUAL_FUNCTIONS;
    if (module.flags & ZE_DEVICE_MODULE_FLAG_FP16) aspects |= 1u << DEV_ASPECT_FP16;
    if (module.flags & ZE_DEVICE_MODULE_FLAG_FP64) aspects |= 1u << DEV_ASPECT_FP64;
    if (module.flags & ZE_DEVICE_MODULE_FLAG_INT64_ATOMICS) aspects |= 1u << DEV_ASPECT_ATOMIC64;
    uint64_t sub_group_sizes = 0;
    for (uint32_t i = 0; i < compute.numSubGroupSizes && i < ZE_SUBGROUPSIZE_COUNT; i++) {
        uint32_t size = compute.subGroupSizes[i];
        if (size >= 1 && size <= 64) sub_group_sizes |= UINT64_C(1) << (size - 1);
    }
    device->link_extensions[0] = rt_format_link_extension(RT_FORMAT_SPIRV64);
    device->link_extensions[1] = rt_format_link_extension(RT_FORMAT_NATIVE);
    device->link_extensions[2] = rt_format_link_extension(RT_FORMAT_SPIRV64_GEN);
    device->capabilities = (dev_capabilities){
        .name = rt_buffer_text(&device->name),
        .driver = rt_buffer_text(&device->driver_text),
        .formats_taken = 1u << RT_FORMAT_SPIRV64 | L0_NATIVE_FORMATS,
        .extensions = device->link_extensions,
        /* zeModuleDynamicLink is in the core specification; joining takes SPIR-V alone. */
        .extension_count = device->joins_spirv ? 1 : 3,
        .aspects = aspects,
        .executes = !device->captures,
        .program_variables = true,
        .globals_by_name = true,
        .function_pointers = true,
        .sub_groups = true,
        .sub_group_operations = true, /* the core of Level Zero's SPIR-V environment has them */
        .usm = (access.hostAllocCapabilities & access.deviceAllocCapabilities &
                access.sharedSingleDeviceAllocCapabilities & ZE_MEMORY_ACCESS_CAP_FLAG_RW) != 0,
        .spec_constants = true,
        .program_binaries = true,
        .local_size_max = compute.maxSharedLocalMemory,
        .group_size_max = compute.maxTotalGroupSize < 1 ? 1 : compute.maxTotalGroupSize,
        .sub_group_sizes = sub_group_sizes,
        .spirv_max = ZE_MAJOR_VERSION(module.spirvVersionSupported) << 16 |
                     ZE_MINOR_VERSION(module.spirvVersionSupported) << 8,
    };
    return RT_STATUS_OK;
}

/* ---- The device --------------------------------------------------------------------------- */

/* Frees a device, which may be only partly initialised. */
static void l0_device_destroy(dev_device *base)
{
    l0_device *device = (l0_device *)base;
    if (device->context) {
        l0_device_settle(device);
        l0_pools_free(device);
        device->library.zeContextDestroy(device->context);
    }
    vendor_library_close(device->library.handle);
    rt_buffer_free(&device->name);
    rt_buffer_free(&device->driver_text);
    pthread_mutex_destroy(&device->lock);
    rt_free(device);
}

static void l0_device_capabilities(dev_device *device, dev_capabilities *out_capabilities)
{
    *out_capabilities = ((const l0_device *)device)->capabilities;
}

static const dev_device_ops l0_device_ops = {
    .destroy = l0_device_destroy,
    .capabilities = l0_device_capabilities,
    .memory_create = l0_memory_create,
    .usm_create = l0_usm_create,
    .program_compile = l0_program_compile,
    .program_link = l0_program_link,
    .program_build = l0_program_build,
    .queue_create = l0_queue_create,
    .program_load = l0_program_load,
};

rt_status l0_device_open(const char *library_path, const dev_open_parameters *parameters,
                         rt_text selector_text, dev_device **out_device)
{
    l0_selector selector;
    RT_TRY(selector_read(parameters->sink, selector_text, &selector));
    l0_device *device = rt_alloc(sizeof *device);
    device->base.ops = &l0_device_ops;
    device->sink = parameters->sink;
    device->pending_end = &device->pending;
    pthread_mutex_init(&device->lock, NULL);
    /* Value 1 selects the command stream receiver that only writes to a file. */
    device->captures =
        variable_is("NEOReadDebugKeys", "1") && variable_is("SetCommandStreamReceiver", "1");
    rt_status status = l0_library_open(device->sink, library_path, &device->library);
    if (rt_ok(status)) status = device_choose(device, selector.device);
    if (rt_ok(status)) status = names_ask(device);
    if (rt_ok(status)) status = extensions_ask(device, selector.links_dynamically);
    if (rt_ok(status)) status = queues_ask(device);
    if (rt_ok(status)) status = capabilities_ask(device);
    ze_context_handle_t context = NULL;
    if (rt_ok(status)) {
        const ze_context_desc_t description = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
        ze_result_t result =
            device->library.zeContextCreate(device->driver, &description, &context);
        if (result != ZE_RESULT_SUCCESS || !context)
            status = l0_fail(device->sink, L0_STAGE_OPEN, "zeContextCreate", result, (rt_text){0});
    }
    if (!rt_ok(status)) {
        l0_device_destroy(&device->base);
        return status;
    }
    CHECK(device->capabilities.group_size_max >= 1);
    device->context = context;
    *out_device = &device->base;
    return status;
}

static rt_status l0_open(const dev_open_parameters *parameters, rt_text selector,
                         dev_device **out_device)
{
    return l0_device_open("libze_loader.so.1", parameters, selector, out_device);
}

const dev_backend l0_backend = {.name = "level_zero", .open = l0_open};
