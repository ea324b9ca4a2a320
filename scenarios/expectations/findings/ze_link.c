/* Creates Level Zero modules from SPIR-V, links them dynamically if there are several, and queries
 * a variable of each, or appends a launch of a kernel of the first to a command list, without
 * assay. Nothing is executed.
 *
 *     cc ze_link.c -l:libze_loader.so.1 -o ze_link && ./ze_link variable|kernel NAME FILE.spv… */
#include <level_zero/ze_api.h>
#include <stdio.h>
#include <string.h>

enum { MODULES = 4 };

static ze_context_handle_t context;
static ze_device_handle_t device;

static ze_module_handle_t module_create(const char *name, const char *flags)
{
    static unsigned char code[1 << 20];
    FILE *file = fopen(name, "rb");
    if (!file) return NULL;
    ze_module_desc_t description = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
                                    .format = ZE_MODULE_FORMAT_IL_SPIRV,
                                    .inputSize = fread(code, 1, sizeof code, file),
                                    .pInputModule = code,
                                    .pBuildFlags = flags};
    fclose(file);
    ze_module_handle_t module = NULL;
    printf("zeModuleCreate(%s): ", name);
    fflush(stdout);
    printf("%x\n", (unsigned)zeModuleCreate(context, device, &description, &module, NULL));
    return module;
}

static void variable_query(ze_module_handle_t module, const char *file, const char *name)
{
    size_t size = 0;
    void *pointer = NULL;
    ze_result_t result = zeModuleGetGlobalPointer(module, name, &size, &pointer);
    printf("zeModuleGetGlobalPointer(%s): %x, size %zu\n", file, (unsigned)result, size);
}

/* Creates a kernel with one pointer argument and appends a launch of one group to a list. */
static void kernel_launch(ze_module_handle_t module, const char *name)
{
    ze_kernel_desc_t description = {.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC, .pKernelName = name};
    ze_command_list_desc_t list_description = {.stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC};
    ze_device_mem_alloc_desc_t memory = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
    ze_group_count_t groups = {1, 1, 1};
    ze_kernel_handle_t kernel;
    ze_command_list_handle_t list;
    void *data;
    printf("zeKernelCreate(%s): ", name);
    fflush(stdout);
    printf("%x\n", (unsigned)zeKernelCreate(module, &description, &kernel));
    zeMemAllocDevice(context, &memory, 4096, 64, device, &data);
    zeCommandListCreate(context, device, &list_description, &list);
    zeKernelSetGroupSize(kernel, 300, 1, 1);
    zeKernelSetArgumentValue(kernel, 0, sizeof data, &data);
    printf("zeCommandListAppendLaunchKernel: ");
    fflush(stdout);
    printf("%x\n", (unsigned)zeCommandListAppendLaunchKernel(list, kernel, &groups, NULL, 0, NULL));
}

int main(int count, char **words)
{
    ze_module_handle_t modules[MODULES];
    uint32_t one = 1, module_count = 0;
    ze_driver_handle_t driver;
    ze_context_desc_t description = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    ze_driver_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_DRIVER_PROPERTIES};
    if (count < 4 || zeInit(0) || zeDriverGet(&one, &driver) || zeDeviceGet(driver, &one, &device))
        return 1;
    zeDriverGetProperties(driver, &properties);
    printf("driver %u.%u.%u\n", properties.driverVersion >> 24,
           properties.driverVersion >> 16 & 0xff, properties.driverVersion & 0xffff);
    zeContextCreate(driver, &description, &context);
    const char *flags = count > 4 ? "-library-compilation -ze-take-global-address" : "";
    for (int i = 3; i < count && module_count < MODULES; i++) {
        modules[module_count] = module_create(words[i], flags);
        if (!modules[module_count++]) return 1;
    }
    if (module_count > 1)
        printf("zeModuleDynamicLink: %x\n",
               (unsigned)zeModuleDynamicLink(module_count, modules, NULL));
    for (uint32_t i = 0; strcmp(words[1], "variable") == 0 && i < module_count; i++)
        variable_query(modules[i], words[3 + i], words[2]);
    if (strcmp(words[1], "kernel") == 0) kernel_launch(modules[0], words[2]);
    return 0;
}
