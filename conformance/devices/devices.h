/* The devices over which the reference runtime runs, by the names of their subjects.
 *
 * A vendor is named here and nowhere else: the runtime and the adapters query devices'
 * capabilities. A device is a list of initialisers, because both tables that contain it,
 * cnf_devices and cnf_subjects, are constants; members of the same name mean the same in both. */
#ifndef CONFORMANCE_DEVICES_DEVICES_H
#define CONFORMANCE_DEVICES_DEVICES_H

#include "backends/cuda/cuda.h"
#include "backends/level_zero/level_zero.h"
#include "backends/nvjitlink/nvjitlink.h"
#include "backends/ocloc/ocloc.h"
#include "backends/opencl/opencl.h"
#include "backends/sim/simdev.h"
#include "reference/base/arena.h"

typedef struct cnf_device {
    const char *name;           /* "sim", "pocl" */
    const char *install;        /* the single command that installs it; NULL: always available */
    rt_format format;           /* format to which sources are compiled for it */
    const dev_backend *backend; /* with `selector`, for dev_device_open */
    const char *selector;
    /* Makes a NULL-terminated list of the "NAME=value" environment variables that a process needs
     * from its start to use the device, in the arena; may return NULL for none. `root` is the
     * folder of an installation; empty: the one that `install` makes. A NULL pointer means that
     * none are ever needed. */
    const char *const *(*environment)(rt_arena *arena, rt_text root);
    /* Reports, without opening anything, whether kernels run on this machine; NULL: they do. */
    bool (*executes)(void);
} cnf_device;

/* All devices of this build. */
extern const cnf_device cnf_devices[];
extern const uint32_t cnf_device_count;

/* Finds a device by name; NULL if there is none. */
const cnf_device *cnf_device_find(rt_text name);

/* The functions to which the initialisers below refer; see cnf_device. */
const char *const *cnf_intel_cpu_environment(rt_arena *arena, rt_text root);
const char *const *cnf_intel_gpu_environment(rt_arena *arena, rt_text root);
const char *const *cnf_nvlink_environment(rt_arena *arena, rt_text root);
const char *const *cnf_pocl_environment(rt_arena *arena, rt_text root);
bool cnf_has_intel_gpu(void);
bool cnf_never_executes(void);

#define CNF_POCL_INSTALL   "apt-get install pocl-opencl-icd ocl-icd-libopencl1"
#define CNF_NVIDIA_INSTALL "the driver of an NVIDIA GPU (Debian: apt-get install nvidia-driver)"

#define CNF_DEVICE_SIM .name = "sim", .backend = &simdev_backend, .selector = ""
#define CNF_DEVICE_POCL                                                                            \
    .name = "pocl", .install = CNF_POCL_INSTALL, .backend = &ocl_backend,                          \
    .selector = "platform=Portable Computing Language", .environment = cnf_pocl_environment
#define CNF_DEVICE_POCL_SOURCE                                                                     \
    .name = "pocl-source", .install = CNF_POCL_INSTALL, .backend = &ocl_source_backend,            \
    .selector = "platform=Portable Computing Language", .environment = cnf_pocl_environment
#define CNF_DEVICE_INTEL_CPU                                                                       \
    .name = "intel-cpu", .install = "ci/setup --with intel", .backend = &ocl_backend,              \
    .selector = "platform=Intel(R) OpenCL", .environment = cnf_intel_cpu_environment
#define CNF_DEVICE_INTEL_GPU                                                                       \
    .name = "intel-gpu", .install = "ci/setup --with gpu", .backend = &l0_backend, .selector = "", \
    .environment = cnf_intel_gpu_environment, .executes = cnf_has_intel_gpu
#define CNF_DEVICE_INTEL_GPU_DYNAMIC                                                               \
    .name = "intel-gpu-dynamic", .install = "ci/setup --with gpu", .backend = &l0_backend,         \
    .selector = "link=dynamic", .environment = cnf_intel_gpu_environment,                          \
    .executes = cnf_has_intel_gpu
#define CNF_DEVICE_INTEL_GPU_OFFLINE                                                               \
    .name = "intel-gpu-offline", .install = "ci/setup --with gpu", .backend = &ocloc_backend,      \
    .selector = "", .executes = cnf_never_executes
#define CNF_DEVICE_CUDA                                                                            \
    .name = "cuda", .install = CNF_NVIDIA_INSTALL, .backend = &cuda_backend, .selector = "",       \
    .format = RT_FORMAT_PTX
#define CNF_DEVICE_NVLINK                                                                          \
    .name = "nvlink", .install = "ci/setup --with nvidia", .backend = &nvjitlink_backend,          \
    .selector = "", .format = RT_FORMAT_PTX, .environment = cnf_nvlink_environment,                \
    .executes = cnf_never_executes
#define CNF_DEVICE_NVIDIA_OPENCL                                                                   \
    .name = "nvidia-opencl", .install = CNF_NVIDIA_INSTALL, .backend = &ocl_source_backend,        \
    .selector = "platform=NVIDIA CUDA"

#endif
