/* The table of subjects. */
#include "conformance/subject/subject.h"

#include "conformance/devices/devices.h"
#include "conformance/subject/runtime.h"

#include <unistd.h>

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
    const char *const *driver = cnf_intel_cpu_environment(arena, has_driver ? root : (rt_text){0});
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
static const char *const levels[] = {"0", "1", "2", "3", "4", NULL};
static const cnf_setting cuda_settings[] = {
    {"device", device_numbers}, {"optimisation", levels}, {NULL, NULL}};

static const char *const architectures[] = {"sm_75", "sm_80",  "sm_86",  "sm_89",
                                            "sm_90", "sm_100", "sm_120", NULL};
static const cnf_setting nvlink_settings[] = {{"arch", architectures}, {NULL, NULL}};

/* Those of ocloc that the suite has been run for. */
static const char *const offline_products[] = {"tgllp", "dg2", "pvc", "bmg", "ptl", NULL};
static const cnf_setting offline_settings[] = {{"product", offline_products}, {NULL, NULL}};

/* GPUs for which the driver builds without one: a product and the number of its slices, sub-slices
 * and execution units, without which the current driver (26.27) does not open. */
#define PRODUCT(name, size)                                                                        \
    {                                                                                              \
        name,                                                                                      \
        {                                                                                          \
            "ProductFamilyOverride=" name, "HardwareInfoOverride=" size                            \
        }                                                                                          \
    }
static const cnf_driver_value intel_gpu_products[] = {
    PRODUCT("tgllp", "1x6x16"), PRODUCT("dg1", "1x6x16"),   PRODUCT("adl-p", "1x6x16"),
    PRODUCT("adl-s", "1x2x16"), PRODUCT("mtl-h", "2x4x16"), PRODUCT("arl-h", "2x4x16"),
    PRODUCT("dg2", "8x4x16"),   PRODUCT("pvc", "8x8x8"),    PRODUCT("lnl-m", "2x4x8"),
    PRODUCT("bmg", "5x4x8"),    PRODUCT("ptl", "2x6x8"),    {NULL, {NULL, NULL}}};

static const cnf_driver_option intel_gpu_options[] = {{"product", NULL, intel_gpu_products},
                                                      {NULL, NULL, NULL}};

static const cnf_driver_option fusion_options[] = {{"fusion", "ASSAY_FUSION", NULL},
                                                   {NULL, NULL, NULL}};
/* What libsycl's own variable takes, such as level_zero:gpu, or sim (shipped_simulated.c). */
static const cnf_driver_option dpcpp_options[] = {{"device", "ONEAPI_DEVICE_SELECTOR", NULL},
                                                  {NULL, NULL, NULL}};

const cnf_subject cnf_subjects[] = {
    {
        CNF_DEVICE_SIM,
        .summary = "the reference runtime on assay's SPIR-V interpreter, which checks every access",
        .forked = true,
        .oracle = true,
        .runtime = &cnf_reference_operations,
        .settings = sim_settings,
    },
    {
        CNF_DEVICE_POCL,
        .summary = "the reference runtime on PoCL (OpenCL on the CPU)",
        .reusable = true,
        .runtime = &cnf_reference_operations,
        .offline = "pocl",
    },
    {
        CNF_DEVICE_POCL_SOURCE,
        .summary = "the reference runtime on PoCL, from OpenCL C through PoCL's own linker",
        .reusable = true,
        .runtime = &cnf_reference_operations,
    },
    {
        CNF_DEVICE_INTEL_CPU,
        .summary = "the reference runtime on Intel's OpenCL CPU runtime",
        .reusable = true,
        .runtime = &cnf_reference_operations,
        .offline = "intel-cpu",
        .options = fusion_options,
        .takes_root = true,
    },
    {
        CNF_DEVICE_INTEL_GPU,
        .summary = "the reference runtime on Intel's GPU driver (Level Zero); without such a GPU, "
                   "it only links",
        .reusable = true,
        .runtime = &cnf_reference_operations,
        .offline = "intel-gpu",
        .options = intel_gpu_options,
    },
    {
        CNF_DEVICE_INTEL_GPU_DYNAMIC,
        .summary = "like intel-gpu, but with modules joined by zeModuleDynamicLink, not as SPIR-V",
        .reusable = true,
        .runtime = &cnf_reference_operations,
        .offline = "intel-gpu-dynamic",
        .options = intel_gpu_options,
    },
    {
        CNF_DEVICE_INTEL_GPU_OFFLINE,
        .summary =
            "the reference runtime on Intel's offline compiler (ocloc), which needs no GPU and "
            "only links",
        .reusable = true,
        .runtime = &cnf_reference_operations,
        .offline = "intel-gpu-offline",
        .settings = offline_settings,
    },
    {
        CNF_DEVICE_CUDA,
        .summary = "the reference runtime on an NVIDIA GPU, through the CUDA Driver API",
        .reusable = true,
        .runtime = &cnf_reference_operations,
        .offline = "cuda",
        .settings = cuda_settings,
    },
    {
        CNF_DEVICE_NVLINK,
        .summary = "the reference runtime on NVIDIA's linker, which needs no GPU and only links",
        .reusable = true,
        .runtime = &cnf_reference_operations,
        .offline = "nvlink",
        .settings = nvlink_settings,
        .takes_root = true,
    },
    {
        CNF_DEVICE_NVIDIA_OPENCL,
        .summary = "the reference runtime on NVIDIA's OpenCL, from OpenCL C through its linker",
        .reusable = true,
        .runtime = &cnf_reference_operations,
    },
    {
        .name = "dpcpp",
        .summary = "the shipped DPC++ runtime on Intel's OpenCL CPU runtime",
        .install = "ci/setup --with dpcpp",
        .runtime = &cnf_shipped_operations,
        .offline = "intel-cpu",
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
