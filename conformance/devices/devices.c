/* The devices by name, and the environment that selects a vendor's driver. */
#include "conformance/devices/devices.h"

#include "conformance/build/packages.h"

#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The folder of a vendor's installation. */
static rt_text folder_of(rt_arena *arena, rt_text root)
{
    return root.length > 0 ? root : cnf_packages_folder(arena);
}

/* Makes the loader open Intel's CPU runtime and no other driver. Debian's loader obeys the first
 * variable, Khronos's the second. The library finds its dependencies in its own folder;
 * LD_LIBRARY_PATH stays unset, because it would bring in Intel's loader too. If the library is not
 * installed, the loader finds no platform. */
const char *const *cnf_intel_cpu_environment(rt_arena *arena, rt_text root)
{
    static const char *const variables[] = {"OCL_ICD_VENDORS", "OCL_ICD_FILENAMES"};
    enum { COUNT = sizeof variables / sizeof *variables };
    rt_text folder = folder_of(arena, root);
    const char **list = rt_arena_alloc_array(arena, COUNT + 1, sizeof *list);
    for (size_t i = 0; i < COUNT; i++)
        list[i] =
            rt_arena_printf(arena, "%s=%.*s/lib/libintelocl.so", variables[i], RT_TEXT_ARG(folder))
                .data;
    return list;
}

/* Makes the adapter open the copy of NVIDIA's linker that ci/setup installs, or that of a CUDA
 * toolkit or a wheel; the newest if there are several. */
const char *const *cnf_nvlink_environment(rt_arena *arena, rt_text root)
{
    static const char *const places[] = {"lib", "lib64", "lib/python3*/site-packages/nvidia/*/lib"};
    rt_text folder = folder_of(arena, root);
    rt_text found = rt_arena_printf(arena, "%.*s/lib/libnvJitLink.so.13", RT_TEXT_ARG(folder));
    for (size_t i = 0; i < sizeof places / sizeof *places && root.length > 0; i++) {
        glob_t files;
        rt_text pattern = rt_arena_printf(arena, "%.*s/%s/libnvJitLink.so.[0-9][0-9]",
                                          RT_TEXT_ARG(folder), places[i]);
        if (glob(pattern.data, 0, NULL, &files) != 0) continue;
        found = rt_arena_text(arena, rt_text_of(files.gl_pathv[files.gl_pathc - 1]));
        globfree(&files);
        break;
    }
    if (root.length == 0 && access(found.data, R_OK) != 0) return NULL; /* the system's library */
    const char **list = rt_arena_alloc_array(arena, 2, sizeof *list);
    list[0] = rt_arena_printf(arena, "ASSAY_NVJITLINK=%.*s", RT_TEXT_ARG(found)).data;
    return list;
}

/* True if the operating system's kernel lists an Intel GPU. */
bool cnf_has_intel_gpu(void)
{
    static const char vendor[] = "0x8086\n";
    glob_t nodes;
    bool found = false;
    if (glob("/sys/class/drm/renderD*/device/vendor", 0, NULL, &nodes) != 0) return false;
    for (size_t i = 0; i < nodes.gl_pathc && !found; i++) {
        char text[sizeof vendor] = "";
        FILE *file = fopen(nodes.gl_pathv[i], "r");
        found = file && fgets(text, sizeof text, file) && strcmp(text, vendor) == 0;
        if (file) fclose(file);
    }
    globfree(&nodes);
    return found;
}

/* If there is no Intel GPU, debug keys make the driver act as if for one, by default for Tiger Lake
 * (the oldest GPU for which driver 22.43 completes the code), and discard its output: it compiles,
 * links and accepts commands, but executes none. Driver 26.27 also needs the last three keys. */
const char *const *cnf_intel_gpu_environment(rt_arena *arena, rt_text root)
{
    static const char *const captured[] = {
        "NEOReadDebugKeys=1",          "SetCommandStreamReceiver=1",
        "ProductFamilyOverride=tgllp", "AUBDumpCaptureFileName=/dev/null",
        "HardwareInfoOverride=1x6x16", "UseAubStream=0",
        "UseBindlessMode=0",           NULL};
    (void)arena, (void)root;
    return cnf_has_intel_gpu() ? NULL : captured;
}

bool cnf_never_executes(void)
{
    return false;
}

/* The file with which Debian's package registers PoCL. It is used to make the loader open only
 * PoCL: the drivers of other devices would otherwise be loaded into the child too, and what they do
 * there says nothing about PoCL. Debian's loader takes the name of this file, Khronos's the name of
 * the library that it contains. */
#define POCL_VENDOR "/etc/OpenCL/vendors/pocl.icd"

const char *const *cnf_pocl_environment(rt_arena *arena, rt_text root)
{
    (void)root;
    char library[PATH_MAX] = "";
    FILE *file = fopen(POCL_VENDOR, "re");
    if (file && !fgets(library, sizeof library, file)) library[0] = 0;
    if (file) fclose(file);
    library[strcspn(library, "\n")] = 0;
    if (!library[0]) return NULL;
    const char **list = rt_arena_alloc_array(arena, 3, sizeof *list);
    list[0] = "OCL_ICD_VENDORS=" POCL_VENDOR;
    list[1] = rt_arena_printf(arena, "OCL_ICD_FILENAMES=%s", library).data;
    return list;
}

const cnf_device cnf_devices[] = {
    {CNF_DEVICE_SIM},
    {CNF_DEVICE_POCL},
    {CNF_DEVICE_POCL_SOURCE},
    {CNF_DEVICE_INTEL_CPU},
    {CNF_DEVICE_INTEL_GPU},
    {CNF_DEVICE_INTEL_GPU_DYNAMIC},
    {CNF_DEVICE_INTEL_GPU_OFFLINE},
    {CNF_DEVICE_CUDA},
    {CNF_DEVICE_NVLINK},
    {CNF_DEVICE_NVIDIA_OPENCL},
};

const uint32_t cnf_device_count = sizeof cnf_devices / sizeof *cnf_devices;

const cnf_device *cnf_device_find(rt_text name)
{
    for (uint32_t i = 0; i < cnf_device_count; i++)
        if (rt_text_is(name, cnf_devices[i].name)) return &cnf_devices[i];
    return NULL;
}
