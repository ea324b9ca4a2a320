/* The table of subjects.  A vendor is named here and nowhere else: the runtime and the adapters ask
 * devices what they can do. */
#include "conformance/subject/subject.h"

#include "backends/cuda/cuda.h"
#include "backends/level_zero/level_zero.h"
#include "backends/nvjitlink/nvjitlink.h"
#include "backends/opencl/opencl.h"
#include "backends/sim/simdev.h"
#include "conformance/build/packages.h"
#include "conformance/subject/runtime.h"

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
static const char *const *intel_cpu_environment(rt_arena *arena, rt_text root)
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

/* Makes libsycl see only Intel's CPU device, and nothing that earlier runs left: its cache on disk
 * would supply programs that should be built anew. libsycl ships Khronos's loader, which knows both
 * variables. An installation without this driver uses the one that ci/setup installs, so that
 * releases of libsycl are compared over one driver. */
static const char *const *dpcpp_environment(rt_arena *arena, rt_text root)
{
    static const char *const fixed[] = {"ONEAPI_DEVICE_SELECTOR=opencl:cpu",
                                        "SYCL_CACHE_PERSISTENT=0"};
    enum { FIXED = sizeof fixed / sizeof *fixed, DRIVER = 2 };
    rt_text own = rt_arena_printf(arena, "%.*s/lib/libintelocl.so", RT_TEXT_ARG(root));
    bool has_driver = root.length > 0 && access(own.data, R_OK) == 0;
    const char *const *driver = intel_cpu_environment(arena, has_driver ? root : (rt_text){0});
    const char **list = rt_arena_alloc_array(arena, DRIVER + FIXED + 2, sizeof *list);
    for (size_t i = 0; i < DRIVER; i++)
        list[i] = driver[i];
    for (size_t i = 0; i < FIXED; i++)
        list[DRIVER + i] = fixed[i];
    /* The child takes the library, its headers and assay's program from there. */
    if (root.length > 0)
        list[DRIVER + FIXED] = rt_arena_printf(arena, "ASSAY_VENV=%.*s", RT_TEXT_ARG(root)).data;
    return list;
}

/* Makes the adapter open the copy of NVIDIA's linker that ci/setup installs, or that of a CUDA
 * toolkit or a wheel; the newest if there are several. */
static const char *const *nvlink_environment(rt_arena *arena, rt_text root)
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
static bool has_intel_gpu(void)
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

/* If there is no Intel GPU, debug keys make the driver act as if for Tiger Lake (the oldest GPU for
 * which it still completes the code) and discard its output: it compiles, links and accepts
 * commands, but executes none. */
static const char *const *intel_gpu_environment(rt_arena *arena, rt_text root)
{
    static const char *const captured[] = {"NEOReadDebugKeys=1", "SetCommandStreamReceiver=1",
                                           "ProductFamilyOverride=tgllp",
                                           "AUBDumpCaptureFileName=/dev/null", NULL};
    (void)arena, (void)root;
    return has_intel_gpu() ? NULL : captured;
}

static bool never_executes(void)
{
    return false;
}

#define INTEL_GPU_INSTALL "ci/setup --with gpu"

#define POCL_INSTALL "apt-get install pocl-opencl-icd ocl-icd-libopencl1"
/* The file with which Debian's package registers PoCL. It is used to make the loader open only
 * PoCL: the drivers of other devices would otherwise be loaded into the child too, and what they do
 * there says nothing about PoCL. Debian's loader takes the name of this file, Khronos's the name of
 * the library that it contains. */
#define POCL_VENDOR "/etc/OpenCL/vendors/pocl.icd"

static const char *const *pocl_environment(rt_arena *arena, rt_text root)
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

#define POCL_SELECTOR "platform=Portable Computing Language"

static const char *const schedules[] = {"lockstep", "forward", "backward", "seeded", NULL};
static const char *const fusions[] = {"on", "off", "shipped", NULL}; /* unfused.h */
static const char *const engines[] = {"base", "v3", "v4", NULL};
static const char *const tiers[] = {"interpreted", "compiled", "measured", NULL};
static const cnf_setting sim_settings[] = {{"schedule", schedules},
                                           {"engine", engines},
                                           {"tier", tiers},
                                           {"fusion", fusions},
                                           {NULL, NULL}};

static const char *const device_numbers[] = {"0", "1", "2", "3", "4", "5", "6", "7", NULL};
static const cnf_setting cuda_settings[] = {{"device", device_numbers}, {NULL, NULL}};

static const char *const architectures[] = {"sm_75", "sm_80",  "sm_86",  "sm_89",
                                            "sm_90", "sm_100", "sm_120", NULL};
static const cnf_setting nvlink_settings[] = {{"arch", architectures}, {NULL, NULL}};

static const cnf_driver_option fusion_options[] = {{"fusion", "ASSAY_FUSION"}, {NULL, NULL}};
/* What libsycl's own variable takes, such as level_zero:gpu, or sim (shipped_simulated.c). */
static const cnf_driver_option dpcpp_options[] = {{"device", "ONEAPI_DEVICE_SELECTOR"},
                                                  {NULL, NULL}};

#define NVIDIA_INSTALL "the driver of an NVIDIA GPU (Debian: apt-get install nvidia-driver)"

const cnf_subject cnf_subjects[] = {
    {
        .name = "sim",
        .summary = "the reference runtime on assay's SPIR-V interpreter, which checks every access",
        .forked = true,
        .oracle = true,
        .runtime = &cnf_reference_operations,
        .backend = &simdev_backend,
        .selector = "",
        .settings = sim_settings,
    },
    {
        .name = "pocl",
        .summary = "the reference runtime on PoCL (OpenCL on the CPU)",
        .install = POCL_INSTALL,
        .reusable = true,
        .runtime = &cnf_reference_operations,
        .backend = &ocl_backend,
        .selector = POCL_SELECTOR,
        .environment = pocl_environment,
    },
    {
        .name = "pocl-source",
        .summary = "the reference runtime on PoCL, from OpenCL C through PoCL's own linker",
        .install = POCL_INSTALL,
        .reusable = true,
        .runtime = &cnf_reference_operations,
        .backend = &ocl_source_backend,
        .selector = POCL_SELECTOR,
        .environment = pocl_environment,
    },
    {
        .name = "intel-cpu",
        .summary = "the reference runtime on Intel's OpenCL CPU runtime",
        .install = "ci/setup --with intel",
        .reusable = true,
        .runtime = &cnf_reference_operations,
        .backend = &ocl_backend,
        .selector = "platform=Intel(R) OpenCL",
        .options = fusion_options,
        .environment = intel_cpu_environment,
        .takes_root = true,
    },
    {
        .name = "intel-gpu",
        .summary = "the reference runtime on Intel's GPU driver (Level Zero); without such a GPU, "
                   "it only links",
        .install = INTEL_GPU_INSTALL,
        .reusable = true,
        .runtime = &cnf_reference_operations,
        .backend = &l0_backend,
        .selector = "",
        .environment = intel_gpu_environment,
        .executes = has_intel_gpu,
    },
    {
        .name = "intel-gpu-dynamic",
        .summary = "like intel-gpu, but with modules joined by zeModuleDynamicLink, not as SPIR-V",
        .install = INTEL_GPU_INSTALL,
        .reusable = true,
        .runtime = &cnf_reference_operations,
        .backend = &l0_backend,
        .selector = "link=dynamic",
        .environment = intel_gpu_environment,
        .executes = has_intel_gpu,
    },
    {
        .name = "cuda",
        .summary = "the reference runtime on an NVIDIA GPU, through the CUDA Driver API",
        .install = NVIDIA_INSTALL,
        .reusable = true,
        .runtime = &cnf_reference_operations,
        .backend = &cuda_backend,
        .selector = "",
        .format = RT_FORMAT_PTX,
        .settings = cuda_settings,
    },
    {
        .name = "nvlink",
        .summary = "the reference runtime on NVIDIA's linker, which needs no GPU and only links",
        .install = "ci/setup --with nvidia",
        .reusable = true,
        .runtime = &cnf_reference_operations,
        .backend = &nvjitlink_backend,
        .selector = "",
        .format = RT_FORMAT_PTX,
        .settings = nvlink_settings,
        .environment = nvlink_environment,
        .takes_root = true,
        .executes = never_executes,
    },
    {
        .name = "nvidia-opencl",
        .summary = "the reference runtime on NVIDIA's OpenCL, from OpenCL C through its linker",
        .install = NVIDIA_INSTALL,
        .reusable = true,
        .runtime = &cnf_reference_operations,
        .backend = &ocl_source_backend,
        .selector = "platform=NVIDIA CUDA",
    },
    {
        .name = "dpcpp",
        .summary = "the shipped DPC++ runtime on Intel's OpenCL CPU runtime",
        .install = "ci/setup --with dpcpp",
        .runtime = &cnf_shipped_operations,
        .selector = "assay/libassay_dpcpp.so",
        .options = dpcpp_options,
        .environment = dpcpp_environment,
        .takes_root = true,
    },
};

const uint32_t cnf_subject_count = sizeof cnf_subjects / sizeof *cnf_subjects;

const cnf_subject *cnf_subject_find(rt_text name)
{
    for (uint32_t i = 0; i < cnf_subject_count; i++) {
        if (rt_text_is(name, cnf_subjects[i].name)) return &cnf_subjects[i];
    }
    return NULL;
}
