/* Implements main.c's operations with Level Zero.
 *
 * It requires only the loader, its header (Debian: libze-dev) and the C library.  If the program's
 * first argument is "dynamic", several images are linked with zeModuleDynamicLink even if the
 * driver can join them as SPIR-V (ZE_experimental_module_program), which is the default.
 * Everything runs in the order of main.c: each command ends before the next begins.
 *
 * Intel's driver can be configured with its debug keys to act as the driver of a GPU that is not
 * present.  It then compiles, links and accepts commands but runs none.  No call reports this, so
 * the keys are read here; the program then ends with LINKED instead of PASS. */
#ifndef SUPPORT_LEVEL_ZERO_H
#define SUPPORT_LEVEL_ZERO_H

#include <level_zero/ze_api.h>

#include "support.h"

typedef struct {
    unsigned count; /* number of modules: 1 unless several are linked dynamically */
    ze_module_handle_t modules[IMAGES_MAX];
} * linked_program;
typedef ze_kernel_handle_t kernel_handle;

static ze_driver_handle_t driver;
static ze_device_handle_t device;
static ze_context_handle_t context;
static ze_command_list_handle_t commands; /* immediate and synchronous */
static uint32_t queue_ordinal;
static size_t pattern_max; /* largest fill pattern on that queue, in bytes */
static int joins_spirv, takes_offsets;

/* ---- The device ---------------------------------------------------------------------------- */

/* Ends the program with FAIL if a call that must succeed has failed. */
static inline void must(ze_result_t result, const char *call)
{
    if (result == ZE_RESULT_SUCCESS) return;
    printf("FAIL: %s returned 0x%x\n", call, (unsigned)result);
    exit(1);
}

static inline int variable_is(const char *name, const char *value)
{
    const char *set = getenv(name);
    return set && strcmp(set, value) == 0;
}

static inline void device_choose(void)
{
    ze_driver_handle_t drivers[16];
    uint32_t driver_count = 16, device_count = 1;
    if (zeInit(0) != ZE_RESULT_SUCCESS || zeDriverGet(&driver_count, drivers) != ZE_RESULT_SUCCESS)
        stop("there is no Level Zero driver", 2);
    for (uint32_t i = 0; i < driver_count && !device; i++) {
        device_count = 1;
        driver = drivers[i];
        if (zeDeviceGet(driver, &device_count, &device) != ZE_RESULT_SUCCESS || device_count == 0)
            device = NULL;
    }
    if (!device) stop("there is no Level Zero device", 2);
}

static inline void extensions_query(int dynamic)
{
    uint32_t count = 0;
    must(zeDriverGetExtensionProperties(driver, &count, NULL), "zeDriverGetExtensionProperties");
    ze_driver_extension_properties_t *extensions = calloc(count + 1, sizeof *extensions);
    if (!extensions) stop("out of memory", 2);
    must(zeDriverGetExtensionProperties(driver, &count, extensions),
         "zeDriverGetExtensionProperties");
    for (uint32_t i = 0; i < count; i++) {
        if (!dynamic && strcmp(extensions[i].name, ZE_MODULE_PROGRAM_EXP_NAME) == 0)
            joins_spirv = 1;
        if (strcmp(extensions[i].name, ZE_GLOBAL_OFFSET_EXP_NAME) == 0) takes_offsets = 1;
    }
    free(extensions);
}

static inline void queue_choose(void)
{
    ze_command_queue_group_properties_t groups[16];
    uint32_t count = 16;
    memset(groups, 0, sizeof groups);
    for (int i = 0; i < 16; i++)
        groups[i].stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_GROUP_PROPERTIES;
    must(zeDeviceGetCommandQueueGroupProperties(device, &count, groups),
         "zeDeviceGetCommandQueueGroupProperties");
    queue_ordinal = 0;
    while (queue_ordinal < count &&
           !(groups[queue_ordinal].flags & ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COMPUTE))
        queue_ordinal++;
    if (queue_ordinal == count) stop("the device has no compute queue", 2);
    pattern_max = groups[queue_ordinal].maxMemoryFillPatternSize;
}

static inline void device_open(int argument_count, char **arguments)
{
    device_choose();
    ze_device_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES};
    must(zeDeviceGetProperties(device, &properties), "zeDeviceGetProperties");
    executes =
        !variable_is("NEOReadDebugKeys", "1") || !variable_is("SetCommandStreamReceiver", "1");
    printf("device: %s%s\n", properties.name, executes ? "" : " (its driver runs nothing)");
    extensions_query(argument_count > 1 && strcmp(arguments[1], "dynamic") == 0);
    queue_choose();
    const ze_context_desc_t description = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    must(zeContextCreate(driver, &description, &context), "zeContextCreate");
    const ze_command_queue_desc_t queue = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                           .ordinal = queue_ordinal,
                                           .mode = ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS};
    must(zeCommandListCreateImmediate(context, device, &queue, &commands),
         "zeCommandListCreateImmediate");
}

/* ---- Programs ------------------------------------------------------------------------------ */

/* An image in the form that the driver's functions accept. */
typedef struct {
    uint8_t *code;
    size_t size;
    char flags[TEXT_MAX];
    const void *values[CONSTANTS_MAX];
    uint32_t ids[CONSTANTS_MAX];
    ze_module_constants_t constants;
    const ze_module_constants_t *set_constants; /* NULL if no constant is set */
} module_input;

/* True if a module has symbols that other modules or the host may refer to: symbols with linkage
 * attributes or with the decoration of SPV_INTEL_global_variable_host_access, whose number differs
 * between the preview and the final version of the extension. */
static inline int has_symbols(const uint8_t *code, size_t size)
{
    enum { HEADER_WORDS = 5, OP_DECORATE = 71, LINKAGE = 41, ACCESS_PREVIEW = 6147, ACCESS = 6188 };
    uint32_t words[3];
    for (size_t at = HEADER_WORDS; (at + 3) * 4 <= size;) {
        memcpy(words, code + at * 4, sizeof words);
        int is_symbol = words[2] == LINKAGE || words[2] == ACCESS_PREVIEW || words[2] == ACCESS;
        if ((words[0] & 0xffff) == OP_DECORATE && is_symbol) return 1;
        if (words[0] >> 16 == 0) return 0;
        at += words[0] >> 16;
    }
    return 0;
}

/* Without -ze-take-global-address, Intel's compiler drops the variables of a module that exports no
 * function. */
static inline void input_create(const image *from, int is_library, const char *options,
                                const char *link_options, module_input *out_input)
{
    out_input->code = file_read(from->file, &out_input->size);
    snprintf(out_input->flags, sizeof out_input->flags, "%s%s%s %s",
             is_library ? "-library-compilation " : "",
             has_symbols(out_input->code, out_input->size) ? "-ze-take-global-address " : "",
             options, link_options);
    out_input->set_constants = NULL;
    for (unsigned i = 0; i < from->constant_count && i < CONSTANTS_MAX; i++) {
        out_input->ids[i] = from->constants[i].id;
        out_input->values[i] = from->constants[i].value;
        out_input->constants = (ze_module_constants_t){i + 1, out_input->ids, out_input->values};
        out_input->set_constants = &out_input->constants;
    }
}

static inline void log_print(ze_module_build_log_handle_t log)
{
    char text[TEXT_MAX] = "";
    size_t size = sizeof text;
    if (!log) return;
    if (zeModuleBuildLogGetString(log, &size, NULL) == ZE_RESULT_SUCCESS && size < sizeof text)
        zeModuleBuildLogGetString(log, &size, text);
    printf("%s\n", text);
    zeModuleBuildLogDestroy(log);
}

/* If the driver refuses, prints its log and returns NULL. */
static inline ze_module_handle_t module_create(const ze_module_desc_t *description)
{
    ze_module_handle_t module = NULL;
    ze_module_build_log_handle_t log = NULL;
    ze_result_t result = zeModuleCreate(context, device, description, &module, &log);
    if (result == ZE_RESULT_SUCCESS) return module;
    printf("zeModuleCreate returned 0x%x\n", (unsigned)result);
    log_print(log);
    return NULL;
}

static inline ze_module_handle_t module_from_input(const module_input *input)
{
    const ze_module_desc_t description = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
                                          .format = ZE_MODULE_FORMAT_IL_SPIRV,
                                          .inputSize = input->size,
                                          .pInputModule = input->code,
                                          .pBuildFlags = input->flags,
                                          .pConstants = input->set_constants};
    return module_create(&description);
}

/* Creates one module from all images. */
static inline ze_module_handle_t modules_join(size_t count, const module_input *inputs)
{
    size_t sizes[IMAGES_MAX];
    const uint8_t *codes[IMAGES_MAX];
    const char *flags[IMAGES_MAX];
    const ze_module_constants_t *constants[IMAGES_MAX];
    for (size_t i = 0; i < count; i++) {
        sizes[i] = inputs[i].size;
        codes[i] = inputs[i].code;
        flags[i] = inputs[i].flags;
        constants[i] = inputs[i].set_constants;
    }
    const ze_module_program_exp_desc_t program = {.stype =
                                                      ZE_STRUCTURE_TYPE_MODULE_PROGRAM_EXP_DESC,
                                                  .count = (uint32_t)count,
                                                  .inputSizes = sizes,
                                                  .pInputModules = codes,
                                                  .pBuildFlags = flags,
                                                  .pConstants = constants};
    /* With the extension, the driver ignores the code here, but the loader's checks require it. */
    const ze_module_desc_t description = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
                                          .pNext = &program,
                                          .format = ZE_MODULE_FORMAT_IL_SPIRV,
                                          .inputSize = sizes[0],
                                          .pInputModule = codes[0]};
    return module_create(&description);
}

/* Creates one module from all images, or one per image, and links them.  Returns false if the
 * driver refuses.  A module with unresolved symbols can be created, so even a single module is
 * linked, which detects them. */
static inline int modules_link(size_t count, const module_input *inputs, linked_program program)
{
    ze_module_build_log_handle_t log = NULL;
    int joined = count > 1 && joins_spirv;
    program->count = joined ? 1 : (unsigned)count;
    for (unsigned i = 0; i < program->count; i++) {
        program->modules[i] = joined ? modules_join(count, inputs) : module_from_input(&inputs[i]);
        if (!program->modules[i]) return 0;
    }
    ze_result_t result = zeModuleDynamicLink(program->count, program->modules, &log);
    if (result == ZE_RESULT_SUCCESS) return 1;
    printf("zeModuleDynamicLink returned 0x%x\n", (unsigned)result);
    log_print(log);
    return 0;
}

/* Links a program from images, which are SPIR-V files.  If the driver refuses, prints its log and
 * returns NULL. */
static inline linked_program program_link(size_t count, const image *from,
                                          const char *compile_options, const char *link_options)
{
    module_input *inputs = calloc(count, sizeof *inputs);
    linked_program program = calloc(1, sizeof *program);
    if (!inputs || !program) stop("out of memory", 2);
    for (size_t i = 0; i < count; i++)
        input_create(&from[i], count > 1, compile_options,
                     count > 1 && joins_spirv ? link_options : "", &inputs[i]);
    int linked = modules_link(count, inputs, program);
    for (size_t i = 0; i < count; i++)
        free(inputs[i].code);
    free(inputs);
    if (linked) return program;
    free(program);
    return NULL;
}

static inline kernel_handle kernel_of(linked_program program, const char *name)
{
    const ze_kernel_desc_t description = {.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC,
                                          .pKernelName = name};
    kernel_handle kernel = NULL;
    ze_result_t result = ZE_RESULT_ERROR_INVALID_KERNEL_NAME;
    for (unsigned i = 0; i < program->count && result == ZE_RESULT_ERROR_INVALID_KERNEL_NAME; i++)
        result = zeKernelCreate(program->modules[i], &description, &kernel);
    must(result, "zeKernelCreate");
    const ze_kernel_indirect_access_flags_t access = ZE_KERNEL_INDIRECT_ACCESS_FLAG_HOST |
                                                     ZE_KERNEL_INDIRECT_ACCESS_FLAG_DEVICE |
                                                     ZE_KERNEL_INDIRECT_ACCESS_FLAG_SHARED;
    must(zeKernelSetIndirectAccess(kernel, access), "zeKernelSetIndirectAccess");
    return kernel;
}

/* ---- Memories and commands ----------------------------------------------------------------- */

static inline void bytes_copy(void *to, const void *from, size_t size)
{
    must(zeCommandListAppendMemoryCopy(commands, to, from, size, NULL, 0, NULL),
         "zeCommandListAppendMemoryCopy");
}

/* A buffer is device memory; if initial is NULL, the contents are undefined. */
memory memory_create(memory_kind kind, const char *name, size_t size, const void *initial)
{
    enum { ALIGNMENT = 128 }; /* alignment of double16 */
    const ze_device_mem_alloc_desc_t device_description = {
        .stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
    const ze_host_mem_alloc_desc_t host_description = {.stype =
                                                           ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC};
    void *pointer = NULL;
    if (kind == USM_HOST)
        must(zeMemAllocHost(context, &host_description, size, ALIGNMENT, &pointer),
             "zeMemAllocHost");
    else if (kind == USM_SHARED)
        must(zeMemAllocShared(context, &device_description, &host_description, size, ALIGNMENT,
                              device, &pointer),
             "zeMemAllocShared");
    else
        must(zeMemAllocDevice(context, &device_description, size, ALIGNMENT, device, &pointer),
             "zeMemAllocDevice");
    memory allocation = {kind, name, size, NULL, pointer};
    if (initial) bytes_copy(pointer, initial, size);
    return allocation;
}

/* Returns a program's variable as a memory, which is valid for as long as the program is. */
static inline memory global_find(linked_program program, const char *symbol, const char *name,
                                 size_t size)
{
    size_t actual_size = 0;
    void *pointer = NULL;
    ze_result_t result = ZE_RESULT_ERROR_INVALID_GLOBAL_NAME;
    for (unsigned i = 0; i < program->count && result != ZE_RESULT_SUCCESS; i++)
        result = zeModuleGetGlobalPointer(program->modules[i], symbol, &actual_size, &pointer);
    must(result, "zeModuleGetGlobalPointer");
    if (actual_size < size) stop("FAIL: a variable is smaller than its images declare", 1);
    return (memory){USM_DEVICE, name, size, NULL, pointer};
}

/* In a program, a device_global without image scope is a pointer, which is set to the memory's
 * address. */
static inline void global_point(linked_program program, const char *symbol, const memory *content)
{
    memory pointer = global_find(program, symbol, symbol, sizeof content->pointer);
    bytes_copy(pointer.pointer, &content->pointer, pointer.size);
}

/* Sets the null pointer if `value` is NULL. */
static inline void argument_pointer(kernel_handle kernel, unsigned index, const memory *value,
                                    size_t offset)
{
    const char *pointer = value ? value->pointer + offset : NULL;
    must(zeKernelSetArgumentValue(kernel, index, sizeof pointer, pointer ? &pointer : NULL),
         "zeKernelSetArgumentValue");
}

static inline void argument_memory(kernel_handle kernel, unsigned index, const memory *value)
{
    argument_pointer(kernel, index, value, 0);
}

static inline void argument_value(kernel_handle kernel, unsigned index, const void *value,
                                  size_t size)
{
    must(zeKernelSetArgumentValue(kernel, index, size, value), "zeKernelSetArgumentValue");
}

static inline void argument_local(kernel_handle kernel, unsigned index, size_t size)
{
    must(zeKernelSetArgumentValue(kernel, index, size, NULL), "zeKernelSetArgumentValue");
}

/* Chooses the group size: the one that the kernel requires, otherwise the driver's suggestion if it
 * divides the range, otherwise one work-item. */
static inline void group_choose(kernel_handle kernel, const size_t *global, uint32_t *out_group)
{
    ze_kernel_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_KERNEL_PROPERTIES};
    must(zeKernelGetProperties(kernel, &properties), "zeKernelGetProperties");
    out_group[0] = properties.requiredGroupSizeX;
    out_group[1] = properties.requiredGroupSizeY;
    out_group[2] = properties.requiredGroupSizeZ;
    if (out_group[0] > 0) return;
    ze_result_t result =
        zeKernelSuggestGroupSize(kernel, (uint32_t)global[0], (uint32_t)global[1],
                                 (uint32_t)global[2], &out_group[0], &out_group[1], &out_group[2]);
    for (int d = 0; d < 3; d++)
        if (result != ZE_RESULT_SUCCESS || out_group[d] == 0 || global[d] % out_group[d] != 0)
            out_group[d] = 1;
}

/* If local is NULL, group_choose determines the group size. */
static inline void launch(kernel_handle kernel, unsigned dimensions, const size_t *offset,
                          const size_t *range, const size_t *local)
{
    uint32_t group[3] = {1, 1, 1}, count[3];
    size_t global[3];
    for (unsigned d = 0; d < 3; d++)
        global[d] = d < dimensions ? range[d] : 1;
    if (global[0] == 0 || global[1] == 0 || global[2] == 0) return; /* no work-item */
    if (!local) group_choose(kernel, global, group);
    for (unsigned d = 0; d < dimensions && local; d++)
        group[d] = (uint32_t)local[d];
    for (unsigned d = 0; d < 3; d++)
        count[d] = (uint32_t)(global[d] / group[d]);
    must(zeKernelSetGroupSize(kernel, group[0], group[1], group[2]), "zeKernelSetGroupSize");
    if (offset[0] + offset[1] + offset[2] > 0) {
        if (!takes_offsets)
            stop("the driver does not support offsets (" ZE_GLOBAL_OFFSET_EXP_NAME ")", 2);
        must(zeKernelSetGlobalOffsetExp(kernel, (uint32_t)offset[0], (uint32_t)offset[1],
                                        (uint32_t)offset[2]),
             "zeKernelSetGlobalOffsetExp");
    }
    const ze_group_count_t groups = {count[0], count[1], count[2]};
    must(zeCommandListAppendLaunchKernel(commands, kernel, &groups, NULL, 0, NULL),
         "zeCommandListAppendLaunchKernel");
}

static inline void copy(const memory *from, size_t from_offset, const memory *to, size_t to_offset,
                        size_t size)
{
    bytes_copy(to->pointer + to_offset, from->pointer + from_offset, size);
}

/* A pattern that the queue's fills do not take is repeated here and copied. */
static inline void fill(const memory *to, const void *pattern, size_t pattern_size, size_t offset,
                        size_t size)
{
    if (pattern_size <= pattern_max && (pattern_size & (pattern_size - 1)) == 0) {
        must(zeCommandListAppendMemoryFill(commands, to->pointer + offset, pattern, pattern_size,
                                           size, NULL, 0, NULL),
             "zeCommandListAppendMemoryFill");
        return;
    }
    char *bytes = malloc(size);
    if (!bytes) stop("out of memory", 2);
    for (size_t at = 0; at < size; at += pattern_size)
        memcpy(bytes + at, pattern, pattern_size);
    bytes_copy(to->pointer + offset, bytes, size);
    free(bytes);
}

/* Every command has ended when its call returns, so there is nothing to wait for. */
static inline void finish(void) {}

void memory_read(const memory *read, void *out_bytes)
{
    bytes_copy(out_bytes, read->pointer, read->size);
}

#endif
