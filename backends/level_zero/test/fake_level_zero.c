/* Implements the fake loader of fake_level_zero.h. */
#include "backends/level_zero/test/fake_level_zero.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static fake_level_zero fake;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void *fake_control(void)
{
    return &fake;
}

/* One struct for every kind of object. */
typedef struct object {
    uint32_t bits; /* a module's */
    bool linked;
    bool done;                /* an event's */
    uint32_t events;          /* of a pool: number of existing events */
    struct object *pool;      /* an event's */
    struct object *module;    /* a kernel's */
    unsigned char argument;   /* of a kernel: first byte of argument 0 */
    unsigned char *target;    /* and argument 1 */
    const unsigned char *log; /* a log's text */
} object;

static int driver_dummies[4], device_dummies[4];

/* Begins a call that returns a result; if the call must fail, returns from it. */
#define CALL(name)                                                                                 \
    pthread_mutex_lock(&lock);                                                                     \
    if (fake_script_fails(&fake.script, name)) {                                                   \
        pthread_mutex_unlock(&lock);                                                               \
        return (ze_result_t)fake.script.fail_with;                                                 \
    }                                                                                              \
    ze_result_t result = ZE_RESULT_SUCCESS

#define RETURN                                                                                     \
    pthread_mutex_unlock(&lock);                                                                   \
    return result

/* The whole body of a call that creates an object. */
#define CREATE(name, out)                                                                          \
    CALL(name);                                                                                    \
    *(out) = fake_script_make(&fake.script, sizeof(object));                                       \
    RETURN

/* Begins a call that destroys an object, which it does even if it "fails". */
#define DESTROY(name)                                                                              \
    pthread_mutex_lock(&lock);                                                                     \
    ze_result_t result = fake_script_fails(&fake.script, name)                                     \
                             ? (ze_result_t)fake.script.fail_with                                  \
                             : ZE_RESULT_SUCCESS

/* Counts objects that are destroyed too early, unless the test makes calls fail, because waits may
 * be among the failing calls. */
static void must_be(bool is_met)
{
    bool failing = fake.script.fail_at || fake.script.fail_from || fake.script.fail_call;
    if (!is_met && !failing) fake.misuses++;
}

/* An object that commands may use is being destroyed. */
static void commands_must_be_done(void)
{
    must_be(fake.unsettled == 0);
}

/* ---- Drivers and devices ------------------------------------------------------------------ */

ze_result_t zeInit(ze_init_flags_t flags)
{
    (void)flags;
    CALL("zeInit");
    RETURN;
}

ze_result_t zeDriverGet(uint32_t *count, ze_driver_handle_t *drivers)
{
    CALL("zeDriverGet");
    if (*count > fake.drivers) *count = fake.drivers;
    for (uint32_t i = 0; i < *count; i++)
        drivers[i] = (ze_driver_handle_t)(void *)&driver_dummies[i];
    RETURN;
}

ze_result_t zeDriverGetApiVersion(ze_driver_handle_t driver, ze_api_version_t *version)
{
    (void)driver;
    CALL("zeDriverGetApiVersion");
    *version = ZE_API_VERSION_1_3;
    RETURN;
}

ze_result_t zeDriverGetProperties(ze_driver_handle_t driver, ze_driver_properties_t *properties)
{
    (void)driver;
    CALL("zeDriverGetProperties");
    properties->driverVersion = 2u << 24 | 7u << 16 | 300;
    RETURN;
}

ze_result_t zeDriverGetExtensionProperties(ze_driver_handle_t driver, uint32_t *count,
                                           ze_driver_extension_properties_t *properties)
{
    (void)driver;
    CALL("zeDriverGetExtensionProperties");
    const char *names[3] = {"ZE_extension_float_atomics"};
    uint32_t listed = 1;
    if (fake.lists_program) names[listed++] = ZE_MODULE_PROGRAM_EXP_NAME;
    if (fake.lists_offset) names[listed++] = ZE_GLOBAL_OFFSET_EXP_NAME;
    for (uint32_t i = 0; properties && i < *count && i < listed; i++)
        snprintf(properties[i].name, sizeof properties[i].name, "%s", names[i]);
    *count = listed;
    RETURN;
}

ze_result_t zeDeviceGet(ze_driver_handle_t driver, uint32_t *count, ze_device_handle_t *devices)
{
    (void)driver;
    CALL("zeDeviceGet");
    if (*count > fake.devices) *count = fake.devices;
    for (uint32_t i = 0; i < *count; i++)
        devices[i] = (ze_device_handle_t)(void *)&device_dummies[i];
    RETURN;
}

ze_result_t zeDeviceGetProperties(ze_device_handle_t device, ze_device_properties_t *properties)
{
    CALL("zeDeviceGetProperties");
    snprintf(properties->name, sizeof properties->name, "Fake GPU %d",
             (int)((int *)(void *)device - device_dummies));
    RETURN;
}

ze_result_t zeDeviceGetComputeProperties(ze_device_handle_t device,
                                         ze_device_compute_properties_t *properties)
{
    (void)device;
    CALL("zeDeviceGetComputeProperties");
    properties->maxTotalGroupSize = 256;
    properties->maxSharedLocalMemory = 4096;
    properties->numSubGroupSizes = 2;
    properties->subGroupSizes[0] = 8;
    properties->subGroupSizes[1] = 32;
    RETURN;
}

ze_result_t zeDeviceGetModuleProperties(ze_device_handle_t device,
                                        ze_device_module_properties_t *properties)
{
    (void)device;
    CALL("zeDeviceGetModuleProperties");
    properties->spirvVersionSupported = fake.spirv;
    properties->flags = fake.module_flags;
    RETURN;
}

ze_result_t zeDeviceGetMemoryAccessProperties(ze_device_handle_t device,
                                              ze_device_memory_access_properties_t *properties)
{
    (void)device;
    CALL("zeDeviceGetMemoryAccessProperties");
    properties->hostAllocCapabilities = properties->deviceAllocCapabilities =
        ZE_MEMORY_ACCESS_CAP_FLAG_RW | ZE_MEMORY_ACCESS_CAP_FLAG_ATOMIC;
    properties->sharedSingleDeviceAllocCapabilities = fake.shared_access;
    RETURN;
}

/* The first group can only copy. */
ze_result_t zeDeviceGetCommandQueueGroupProperties(ze_device_handle_t device, uint32_t *count,
                                                   ze_command_queue_group_properties_t *properties)
{
    (void)device;
    CALL("zeDeviceGetCommandQueueGroupProperties");
    *count = 2;
    properties[0].flags = ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COPY;
    properties[1].flags = fake.no_compute ? 0 : ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COMPUTE;
    properties[1].maxMemoryFillPatternSize = fake.fill_max;
    RETURN;
}

ze_result_t zeContextCreate(ze_driver_handle_t driver, const ze_context_desc_t *description,
                            ze_context_handle_t *out)
{
    (void)driver, (void)description;
    CREATE("zeContextCreate", out);
}

ze_result_t zeContextDestroy(ze_context_handle_t context)
{
    DESTROY("zeContextDestroy");
    fake_script_end(&fake.script, context);
    RETURN;
}

/* ---- Memory ------------------------------------------------------------------------------- */

static ze_result_t allocate(const char *name, size_t size, void **out)
{
    CALL(name);
    *out = fake_script_make(&fake.script, size);
    RETURN;
}

ze_result_t zeMemAllocDevice(ze_context_handle_t context,
                             const ze_device_mem_alloc_desc_t *description, size_t size,
                             size_t alignment, ze_device_handle_t device, void **out)
{
    (void)context, (void)description, (void)alignment, (void)device;
    return allocate("zeMemAllocDevice", size, out);
}

ze_result_t zeMemAllocHost(ze_context_handle_t context, const ze_host_mem_alloc_desc_t *description,
                           size_t size, size_t alignment, void **out)
{
    (void)context, (void)description, (void)alignment;
    return allocate("zeMemAllocHost", size, out);
}

ze_result_t zeMemAllocShared(ze_context_handle_t context,
                             const ze_device_mem_alloc_desc_t *description,
                             const ze_host_mem_alloc_desc_t *host_description, size_t size,
                             size_t alignment, ze_device_handle_t device, void **out)
{
    (void)context, (void)description, (void)host_description, (void)alignment, (void)device;
    return allocate("zeMemAllocShared", size, out);
}

ze_result_t zeMemFree(ze_context_handle_t context, void *pointer)
{
    (void)context;
    DESTROY("zeMemFree");
    commands_must_be_done();
    fake_script_end(&fake.script, pointer);
    RETURN;
}

/* ---- Modules ------------------------------------------------------------------------------ */

static void log_make(ze_module_build_log_handle_t *out)
{
    object *log = fake_script_make(&fake.script, sizeof(object));
    log->log = (const unsigned char *)fake.log;
    *out = (void *)log;
}

static uint32_t spirv_bits(const uint8_t *code)
{
    uint32_t generator;
    memcpy(&generator, code + 8, sizeof generator);
    return generator;
}

/* Like Intel's driver 22.43, the fake finds no variable whose linkage, here the code's last word,
 * is LinkOnceODR. */
static bool ends_in_repeated(const ze_module_desc_t *description)
{
    enum { LINK_ONCE_ODR = 2 };
    uint32_t last;
    memcpy(&last, description->pInputModule + description->inputSize - sizeof last, sizeof last);
    return last == LINK_ONCE_ODR;
}

static void constants_keep(const ze_module_constants_t *constants)
{
    fake.constant_count = constants ? constants->numConstants : 0;
    if (fake.constant_count == 0) return;
    fake.constant_id = constants->pConstantIds[0];
    memcpy(&fake.constant_value, constants->pConstantValues[0], sizeof fake.constant_value);
}

static bool native_read(const ze_module_desc_t *description, uint32_t *out_bits)
{
    if (description->inputSize != 6 || memcmp(description->pInputModule, "built", 5) != 0)
        return false;
    *out_bits = description->pInputModule[5];
    return true;
}

static ze_result_t module_bits(const ze_module_desc_t *description, uint32_t *out_bits)
{
    *out_bits = 0;
    if (description->format == ZE_MODULE_FORMAT_NATIVE)
        return native_read(description, out_bits) ? ZE_RESULT_SUCCESS
                                                  : ZE_RESULT_ERROR_INVALID_NATIVE_BINARY;
    const ze_module_program_exp_desc_t *program = description->pNext;
    fake.joined = program && fake.lists_program ? program->count : 1;
    if (fake.joined == 1 && !program) {
        snprintf(fake.flags, sizeof fake.flags, "%s", description->pBuildFlags);
        constants_keep(description->pConstants);
        *out_bits = spirv_bits(description->pInputModule);
        if (ends_in_repeated(description)) *out_bits &= ~(uint32_t)FAKE_HAS_Y;
        return ZE_RESULT_SUCCESS;
    }
    for (uint32_t i = 0; i < fake.joined; i++) {
        snprintf(fake.flags, sizeof fake.flags, "%s", program->pBuildFlags[i]);
        constants_keep(program->pConstants[i]);
        *out_bits |= spirv_bits(program->pInputModules[i]);
    }
    if (*out_bits & FAKE_EXPORTS) *out_bits &= ~(uint32_t)FAKE_IMPORTS;
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeModuleCreate(ze_context_handle_t context, ze_device_handle_t device,
                           const ze_module_desc_t *description, ze_module_handle_t *out,
                           ze_module_build_log_handle_t *out_log)
{
    (void)context, (void)device;
    pthread_mutex_lock(&lock);
    uint32_t bits = 0;
    ze_result_t result = ZE_RESULT_SUCCESS;
    bool failing = fake_script_fails(&fake.script, "zeModuleCreate");
    log_make(out_log);
    result = failing ? (ze_result_t)fake.script.fail_with : module_bits(description, &bits);
    if (!failing && result == ZE_RESULT_SUCCESS) {
        object *module = fake_script_make(&fake.script, sizeof(object));
        module->bits = bits;
        *out = (void *)module;
    }
    RETURN;
}

ze_result_t zeModuleDestroy(ze_module_handle_t module)
{
    DESTROY("zeModuleDestroy");
    commands_must_be_done();
    fake_script_end(&fake.script, module);
    RETURN;
}

ze_result_t zeModuleDynamicLink(uint32_t count, ze_module_handle_t *modules,
                                ze_module_build_log_handle_t *out_log)
{
    pthread_mutex_lock(&lock);
    uint32_t bits = 0;
    ze_result_t result = ZE_RESULT_SUCCESS;
    bool failing = fake_script_fails(&fake.script, "zeModuleDynamicLink");
    log_make(out_log);
    fake.linked = count;
    for (uint32_t i = 0; i < count; i++)
        bits |= ((object *)(void *)modules[i])->bits;
    if (failing)
        result = (ze_result_t)fake.script.fail_with;
    else if ((bits & FAKE_IMPORTS) && !(bits & FAKE_EXPORTS))
        result = ZE_RESULT_ERROR_MODULE_LINK_FAILURE;
    for (uint32_t i = 0; i < count && result == ZE_RESULT_SUCCESS; i++)
        ((object *)(void *)modules[i])->linked = true;
    RETURN;
}

ze_result_t zeModuleBuildLogGetString(ze_module_build_log_handle_t log, size_t *size, char *out)
{
    CALL("zeModuleBuildLogGetString");
    const char *text = (const char *)((object *)(void *)log)->log;
    if (out) memcpy(out, text, *size);
    *size = strlen(text) + 1;
    RETURN;
}

ze_result_t zeModuleBuildLogDestroy(ze_module_build_log_handle_t log)
{
    DESTROY("zeModuleBuildLogDestroy");
    fake_script_end(&fake.script, log);
    RETURN;
}

ze_result_t zeModuleGetNativeBinary(ze_module_handle_t module, size_t *size, uint8_t *out)
{
    CALL("zeModuleGetNativeBinary");
    if (out) {
        memcpy(out, "built", 5);
        out[5] = (uint8_t)((object *)(void *)module)->bits;
    }
    *size = fake.no_binary ? 0 : 6;
    RETURN;
}

ze_result_t zeModuleGetGlobalPointer(ze_module_handle_t handle, const char *name, size_t *size,
                                     void **out)
{
    CALL("zeModuleGetGlobalPointer");
    const object *module = (const object *)(const void *)handle;
    const struct {
        const char *name;
        uint32_t bits;
        unsigned char *variable;
        size_t size;
    } rows[] = {
        {"x", FAKE_HAS_X, fake.x, sizeof fake.x},
        {"y", FAKE_HAS_Y, fake.y, sizeof fake.y},
        {"shared", FAKE_IMPORTS | FAKE_EXPORTS, fake.shared, sizeof fake.shared},
        {"x", FAKE_HAS_HOST_X, fake.host_x, sizeof fake.host_x},
    };
    result = ZE_RESULT_ERROR_INVALID_GLOBAL_NAME;
    for (size_t i = 0; i < sizeof rows / sizeof *rows && result != ZE_RESULT_SUCCESS; i++) {
        if (!(module->bits & rows[i].bits) || strcmp(name, rows[i].name) != 0) continue;
        *size = fake.variable_size ? fake.variable_size : rows[i].size;
        *out = rows[i].variable;
        result = ZE_RESULT_SUCCESS;
    }
    if (result == ZE_RESULT_SUCCESS && (module->bits & FAKE_IMPORTS) && !module->linked)
        result = ZE_RESULT_ERROR_INVALID_MODULE_UNLINKED;
    RETURN;
}

/* ---- Kernels ------------------------------------------------------------------------------ */

ze_result_t zeKernelCreate(ze_module_handle_t module, const ze_kernel_desc_t *description,
                           ze_kernel_handle_t *out)
{
    CALL("zeKernelCreate");
    object *source = (object *)(void *)module;
    if (strcmp(description->pKernelName, "k") != 0) {
        result = ZE_RESULT_ERROR_INVALID_KERNEL_NAME;
    } else if ((source->bits & FAKE_IMPORTS) && !source->linked) {
        result = ZE_RESULT_ERROR_INVALID_MODULE_UNLINKED;
    } else {
        object *kernel = fake_script_make(&fake.script, sizeof(object));
        kernel->module = source;
        *out = (void *)kernel;
    }
    RETURN;
}

ze_result_t zeKernelDestroy(ze_kernel_handle_t kernel)
{
    DESTROY("zeKernelDestroy");
    commands_must_be_done();
    fake_script_end(&fake.script, kernel);
    RETURN;
}

ze_result_t zeKernelGetProperties(ze_kernel_handle_t kernel, ze_kernel_properties_t *properties)
{
    (void)kernel;
    CALL("zeKernelGetProperties");
    properties->numKernelArgs = 2;
    properties->requiredGroupSizeX = fake.required_group[0];
    properties->requiredGroupSizeY = fake.required_group[1];
    properties->requiredGroupSizeZ = fake.required_group[2];
    RETURN;
}

ze_result_t zeKernelSetArgumentValue(ze_kernel_handle_t kernel, uint32_t index, size_t size,
                                     const void *value)
{
    CALL("zeKernelSetArgumentValue");
    object *launched = (object *)(void *)kernel;
    if (index == 0 && value) launched->argument = *(const unsigned char *)value;
    if (index == 1) {
        launched->target = NULL;
        if (size != sizeof launched->target)
            result = ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE;
        else if (value)
            memcpy(&launched->target, value, sizeof launched->target);
    }
    RETURN;
}

ze_result_t zeKernelSetIndirectAccess(ze_kernel_handle_t kernel,
                                      ze_kernel_indirect_access_flags_t flags)
{
    (void)kernel;
    CALL("zeKernelSetIndirectAccess");
    fake.indirect = flags;
    RETURN;
}

ze_result_t zeKernelSetGroupSize(ze_kernel_handle_t kernel, uint32_t x, uint32_t y, uint32_t z)
{
    (void)kernel;
    CALL("zeKernelSetGroupSize");
    memcpy(fake.group, (const uint32_t[]){x, y, z}, sizeof fake.group);
    RETURN;
}

ze_result_t zeKernelSuggestGroupSize(ze_kernel_handle_t kernel, uint32_t x, uint32_t y, uint32_t z,
                                     uint32_t *out_x, uint32_t *out_y, uint32_t *out_z)
{
    (void)kernel, (void)x, (void)y, (void)z;
    CALL("zeKernelSuggestGroupSize");
    *out_x = fake.suggested[0];
    *out_y = fake.suggested[1];
    *out_z = fake.suggested[2];
    RETURN;
}

ze_result_t zeKernelSetGlobalOffsetExp(ze_kernel_handle_t kernel, uint32_t x, uint32_t y,
                                       uint32_t z)
{
    (void)kernel;
    CALL("zeKernelSetGlobalOffsetExp");
    memcpy(fake.offset, (const uint32_t[]){x, y, z}, sizeof fake.offset);
    RETURN;
}

/* ---- Events ------------------------------------------------------------------------------- */

ze_result_t zeEventPoolCreate(ze_context_handle_t context, const ze_event_pool_desc_t *description,
                              uint32_t count, ze_device_handle_t *devices,
                              ze_event_pool_handle_t *out)
{
    (void)context, (void)description, (void)count, (void)devices;
    CREATE("zeEventPoolCreate", out);
}

ze_result_t zeEventPoolDestroy(ze_event_pool_handle_t pool)
{
    DESTROY("zeEventPoolDestroy");
    must_be(((object *)(void *)pool)->events == 0);
    fake_script_end(&fake.script, pool);
    RETURN;
}

ze_result_t zeEventCreate(ze_event_pool_handle_t pool, const ze_event_desc_t *description,
                          ze_event_handle_t *out)
{
    (void)description;
    CALL("zeEventCreate");
    object *event = fake_script_make(&fake.script, sizeof(object));
    event->pool = (object *)(void *)pool;
    event->pool->events++;
    event->done = true; /* becomes false when a command that signals it is appended and stays
                         * pending */
    *out = (void *)event;
    RETURN;
}

ze_result_t zeEventDestroy(ze_event_handle_t handle)
{
    DESTROY("zeEventDestroy");
    object *event = (object *)(void *)handle;
    must_be(event->done);
    event->pool->events--;
    fake_script_end(&fake.script, event);
    RETURN;
}

ze_result_t zeEventHostSynchronize(ze_event_handle_t handle, uint64_t timeout)
{
    (void)timeout;
    CALL("zeEventHostSynchronize");
    object *event = (object *)(void *)handle;
    bool hangs = fake.hangs;
    if (!event->done && !hangs) {
        event->done = true;
        fake.unsettled--;
    }
    pthread_mutex_unlock(&lock);
    while (hangs)
        pause();
    return result;
}

ze_result_t zeEventQueryStatus(ze_event_handle_t event)
{
    CALL("zeEventQueryStatus");
    if (!((object *)(void *)event)->done) result = ZE_RESULT_NOT_READY;
    RETURN;
}

/* ---- Commands ----------------------------------------------------------------------------- */

ze_result_t zeCommandListCreateImmediate(ze_context_handle_t context, ze_device_handle_t device,
                                         const ze_command_queue_desc_t *description,
                                         ze_command_list_handle_t *out)
{
    (void)context, (void)device;
    if (description->ordinal != 1) abort(); /* the group that computes */
    CREATE("zeCommandListCreateImmediate", out);
}

ze_result_t zeCommandListDestroy(ze_command_list_handle_t list)
{
    DESTROY("zeCommandListDestroy");
    commands_must_be_done();
    fake_script_end(&fake.script, list);
    RETURN;
}

/* Marks the command as done immediately unless it must stay pending; the caller holds the lock. */
static void append(ze_event_handle_t handle)
{
    object *event = (object *)(void *)handle;
    event->done = !fake.pending;
    if (fake.pending) fake.unsettled++;
}

ze_result_t zeCommandListAppendLaunchKernel(ze_command_list_handle_t list,
                                            ze_kernel_handle_t kernel,
                                            const ze_group_count_t *counts,
                                            ze_event_handle_t signal, uint32_t wait_count,
                                            ze_event_handle_t *waits)
{
    (void)list, (void)wait_count, (void)waits;
    CALL("zeCommandListAppendLaunchKernel");
    const object *launched = (const object *)(const void *)kernel;
    if (launched->target) *launched->target = launched->argument;
    memcpy(fake.counts,
           (const uint32_t[]){counts->groupCountX, counts->groupCountY, counts->groupCountZ},
           sizeof fake.counts);
    append(signal);
    RETURN;
}

ze_result_t zeCommandListAppendMemoryCopy(ze_command_list_handle_t list, void *to, const void *from,
                                          size_t size, ze_event_handle_t signal,
                                          uint32_t wait_count, ze_event_handle_t *waits)
{
    (void)list, (void)wait_count, (void)waits;
    CALL("zeCommandListAppendMemoryCopy");
    memcpy(to, from, size);
    append(signal);
    RETURN;
}

ze_result_t zeCommandListAppendMemoryFill(ze_command_list_handle_t list, void *to,
                                          const void *pattern, size_t pattern_size, size_t size,
                                          ze_event_handle_t signal, uint32_t wait_count,
                                          ze_event_handle_t *waits)
{
    (void)list, (void)wait_count, (void)waits;
    CALL("zeCommandListAppendMemoryFill");
    for (size_t i = 0; i < size; i++)
        ((unsigned char *)to)[i] = ((const unsigned char *)pattern)[i % pattern_size];
    append(signal);
    RETURN;
}

ze_result_t zeCommandListAppendBarrier(ze_command_list_handle_t list, ze_event_handle_t signal,
                                       uint32_t wait_count, ze_event_handle_t *waits)
{
    (void)list, (void)wait_count, (void)waits;
    CALL("zeCommandListAppendBarrier");
    append(signal);
    RETURN;
}

ze_result_t zeCommandListAppendSignalEvent(ze_command_list_handle_t list, ze_event_handle_t signal)
{
    (void)list;
    CALL("zeCommandListAppendSignalEvent");
    append(signal);
    RETURN;
}
