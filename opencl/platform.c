/* The platform and its only device: what they answer to queries. */
#include "opencl/guard.h"
#include "opencl/report.h"
#include "opencl/usm.h"

#include "backends/sim/simdev.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    CACHE_LINE = 64,                /* bytes */
    PRINT_BUFFER = 1 << 20,         /* bytes of a launch's output */
    PARAMETER_SIZE_MAX = 4096,      /* bytes of all arguments of a kernel */
    GLOBAL_VARIABLE_MAX = 1 << 20,  /* bytes */
    CONSTANT_BUFFER_MAX = 16 << 20, /* bytes; larger ones work too */
};

struct _cl_platform_id icd_platform = {
    {&icd_dispatch, ICD_PLATFORM, ICD_PLATFORM, 1, 1, 1},
};
struct _cl_device_id icd_device = {
    .base = {&icd_dispatch, ICD_DEVICE, ICD_DEVICE, 1, 1, 1},
};

/* ---- Extensions --------------------------------------------------------------------------- */

static const cl_name_version platform_extensions[] = {
    {CL_MAKE_VERSION(1, 0, 0), "cl_khr_icd"},
};

static const cl_name_version device_extensions[] = {
    {CL_MAKE_VERSION(1, 0, 0), "cl_khr_byte_addressable_store"},
    {CL_MAKE_VERSION(1, 0, 0), "cl_khr_global_int32_base_atomics"},
    {CL_MAKE_VERSION(1, 0, 0), "cl_khr_global_int32_extended_atomics"},
    {CL_MAKE_VERSION(1, 0, 0), "cl_khr_local_int32_base_atomics"},
    {CL_MAKE_VERSION(1, 0, 0), "cl_khr_local_int32_extended_atomics"},
    {CL_MAKE_VERSION(1, 0, 0), "cl_khr_int64_base_atomics"},
    {CL_MAKE_VERSION(1, 0, 0), "cl_khr_int64_extended_atomics"},
    {CL_MAKE_VERSION(1, 0, 0), "cl_khr_fp16"},
    {CL_MAKE_VERSION(1, 0, 0), "cl_khr_fp64"},
    {CL_MAKE_VERSION(1, 0, 0), "cl_khr_il_program"},
    {CL_MAKE_VERSION(1, 0, 0), "cl_khr_subgroups"},
    {CL_MAKE_VERSION(1, 0, 0), "cl_khr_subgroup_ballot"},
    {CL_MAKE_VERSION(1, 0, 0), "cl_khr_subgroup_clustered_reduce"},
    {CL_MAKE_VERSION(1, 0, 0), "cl_khr_subgroup_extended_types"},
    {CL_MAKE_VERSION(1, 0, 0), "cl_khr_subgroup_non_uniform_arithmetic"},
    {CL_MAKE_VERSION(1, 0, 0), "cl_khr_subgroup_non_uniform_vote"},
    {CL_MAKE_VERSION(1, 0, 0), "cl_khr_subgroup_shuffle"},
    {CL_MAKE_VERSION(1, 0, 0), "cl_khr_subgroup_shuffle_relative"},
    {CL_MAKE_VERSION(1, 0, 0), "cl_intel_devicelib_assert"},
    {CL_MAKE_VERSION(1, 0, 0), "cl_intel_required_subgroup_size"},
    {CL_MAKE_VERSION(1, 0, 0), "cl_intel_unified_shared_memory"},
};

static const cl_name_version c_features[] = {
    {CL_MAKE_VERSION(3, 0, 0), "__opencl_c_atomic_order_acq_rel"},
    {CL_MAKE_VERSION(3, 0, 0), "__opencl_c_atomic_order_seq_cst"},
    {CL_MAKE_VERSION(3, 0, 0), "__opencl_c_atomic_scope_device"},
    {CL_MAKE_VERSION(3, 0, 0), "__opencl_c_atomic_scope_all_devices"},
    {CL_MAKE_VERSION(3, 0, 0), "__opencl_c_fp64"},
    {CL_MAKE_VERSION(3, 0, 0), "__opencl_c_generic_address_space"},
    {CL_MAKE_VERSION(3, 0, 0), "__opencl_c_int64"},
    {CL_MAKE_VERSION(3, 0, 0), "__opencl_c_program_scope_global_variables"},
    {CL_MAKE_VERSION(3, 0, 0), "__opencl_c_subgroups"},
    {CL_MAKE_VERSION(3, 0, 0), "__opencl_c_work_group_collective_functions"},
};

static const cl_name_version c_versions[] = {
    {CL_MAKE_VERSION(1, 0, 0), "OpenCL C"}, {CL_MAKE_VERSION(1, 1, 0), "OpenCL C"},
    {CL_MAKE_VERSION(1, 2, 0), "OpenCL C"}, {CL_MAKE_VERSION(2, 0, 0), "OpenCL C"},
    {CL_MAKE_VERSION(3, 0, 0), "OpenCL C"},
};

static const cl_name_version il_versions[] = {
    {CL_MAKE_VERSION(1, 0, 0), "SPIR-V"}, {CL_MAKE_VERSION(1, 1, 0), "SPIR-V"},
    {CL_MAKE_VERSION(1, 2, 0), "SPIR-V"}, {CL_MAKE_VERSION(1, 3, 0), "SPIR-V"},
    {CL_MAKE_VERSION(1, 4, 0), "SPIR-V"}, {CL_MAKE_VERSION(1, 5, 0), "SPIR-V"},
    {CL_MAKE_VERSION(1, 6, 0), "SPIR-V"},
};

/* A function that loaders look up by its name; nothing else is visible. */
#define EXPORTED __attribute__((visibility("default")))

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* Appends names, each after `before` and followed by `after`. */
static void names_append(rt_buffer *out, const cl_name_version *rows, size_t count,
                         const char *before, const char *after)
{
    for (size_t i = 0; i < count; i++)
        rt_buffer_printf(out, "%s%s%s", before, rows[i].name, after);
}

const char *icd_extension_option(void)
{
    static char option[2048];
    if (option[0]) return option;
    rt_buffer text = {0};
    rt_buffer_printf(&text, "-cl-ext=-all");
    names_append(&text, device_extensions, COUNT(device_extensions), ",+", "");
    names_append(&text, c_features, COUNT(c_features), ",+", "");
    CHECK(text.size < sizeof option);
    memcpy(option, text.data, text.size + 1);
    rt_buffer_free(&text);
    return option;
}

/* Answers with names separated by blanks, or with those in `version` rows of "SPIR-V_1.0". */
static cl_int names_answer(const cl_name_version *rows, size_t count, bool has_versions,
                           size_t capacity, void *out, size_t *out_size)
{
    rt_buffer text = {0};
    for (size_t i = 0; i < count; i++) {
        rt_buffer_printf(&text, "%s%s", i > 0 ? " " : "", rows[i].name);
        if (has_versions)
            rt_buffer_printf(&text, "_%u.%u", CL_VERSION_MAJOR(rows[i].version),
                             CL_VERSION_MINOR(rows[i].version));
    }
    cl_int code = icd_answer_text(rt_buffer_text(&text), capacity, out, out_size);
    rt_buffer_free(&text);
    return code;
}

/* ---- The platform ------------------------------------------------------------------------- */

static cl_int platforms_get(cl_uint capacity, cl_platform_id *out, cl_uint *out_count)
{
    if ((capacity == 0 && out) || (!out && !out_count)) return CL_INVALID_VALUE;
    if (out) out[0] = &icd_platform;
    if (out_count) *out_count = 1;
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clGetPlatformIDs(cl_uint capacity, cl_platform_id *out,
                                                 cl_uint *out_count)
{
    return platforms_get(capacity, out, out_count);
}

EXPORTED CL_API_ENTRY cl_int CL_API_CALL clIcdGetPlatformIDsKHR(cl_uint capacity,
                                                                cl_platform_id *out,
                                                                cl_uint *out_count)
{
    return platforms_get(capacity, out, out_count);
}

/* Loaders call it before there is a platform, with no argument to tell them apart. */
static void *extension_function(const char *name)
{
    if (!name) return NULL;
    static const struct {
        const char *name;
        void (*function)(void);
    } rows[] = {
        {"clIcdGetPlatformIDsKHR", (void (*)(void))clIcdGetPlatformIDsKHR},
        {"clGetPlatformInfo", (void (*)(void))clGetPlatformInfo},
        {"clCreateProgramWithILKHR", (void (*)(void))clCreateProgramWithIL},
        {"clGetKernelSubGroupInfoKHR", (void (*)(void))clGetKernelSubGroupInfo},
    };
    /* POSIX allows converting a function pointer to an object pointer; C does not, so the bytes are
     * copied. */
    void *found = NULL;
    void (*function)(void) = icd_usm_function(name);
    for (size_t i = 0; i < COUNT(rows); i++)
        if (strcmp(rows[i].name, name) == 0) function = rows[i].function;
    memcpy(&found, &function, sizeof found);
    return found;
}

EXPORTED CL_API_ENTRY void *CL_API_CALL clGetExtensionFunctionAddress(const char *name)
{
    return extension_function(name);
}

CL_API_ENTRY void *CL_API_CALL clGetExtensionFunctionAddressForPlatform(cl_platform_id platform,
                                                                        const char *name)
{
    return platform == &icd_platform ? extension_function(name) : NULL;
}

EXPORTED CL_API_ENTRY cl_int CL_API_CALL clGetPlatformInfo(cl_platform_id platform,
                                                           cl_platform_info name, size_t capacity,
                                                           void *out, size_t *out_size)
{
    if (platform && platform != &icd_platform) return CL_INVALID_PLATFORM;
    switch (name) {
    case CL_PLATFORM_PROFILE:
        return icd_answer_text(RT_TEXT("FULL_PROFILE"), capacity, out, out_size);
    case CL_PLATFORM_VERSION: return icd_answer_text(RT_TEXT(ICD_VERSION), capacity, out, out_size);
    case CL_PLATFORM_NUMERIC_VERSION: return ICD_ANSWER(cl_version, CL_MAKE_VERSION(3, 0, 0));
    case CL_PLATFORM_NAME:
        return icd_answer_text(RT_TEXT(ICD_PLATFORM_NAME), capacity, out, out_size);
    case CL_PLATFORM_VENDOR:
        return icd_answer_text(RT_TEXT("the assay project"), capacity, out, out_size);
    case CL_PLATFORM_EXTENSIONS:
        return names_answer(platform_extensions, COUNT(platform_extensions), false, capacity, out,
                            out_size);
    case CL_PLATFORM_EXTENSIONS_WITH_VERSION:
        return icd_answer(platform_extensions, sizeof platform_extensions, capacity, out, out_size);
    case CL_PLATFORM_HOST_TIMER_RESOLUTION: return ICD_ANSWER(cl_ulong, 1);
    case CL_PLATFORM_ICD_SUFFIX_KHR:
        return icd_answer_text(RT_TEXT("ASSAY"), capacity, out, out_size);
    default: return CL_INVALID_VALUE;
    }
}

CL_API_ENTRY cl_int CL_API_CALL clUnloadPlatformCompiler(cl_platform_id platform)
{
    return platform == &icd_platform ? CL_SUCCESS : CL_INVALID_PLATFORM;
}

CL_API_ENTRY cl_int CL_API_CALL clUnloadCompiler(void)
{
    return CL_SUCCESS;
}

/* ---- The device --------------------------------------------------------------------------- */

static void output_print(void *user, rt_text text)
{
    (void)user;
    fwrite(text.data, 1, text.length, stdout);
}

static uint64_t number_of(const char *variable, uint64_t otherwise)
{
    const char *text = getenv(variable);
    return text && *text ? strtoull(text, NULL, 10) : otherwise;
}

static cl_device_type device_type(void)
{
    static const struct {
        const char *word;
        cl_device_type type;
    } rows[] = {{"cpu", CL_DEVICE_TYPE_CPU},
                {"gpu", CL_DEVICE_TYPE_GPU},
                {"accelerator", CL_DEVICE_TYPE_ACCELERATOR}};
    const char *word = getenv(ICD_VARIABLE_TYPE);
    for (size_t i = 0; word && i < COUNT(rows); i++)
        if (strcmp(rows[i].word, word) == 0) return rows[i].type;
    return CL_DEVICE_TYPE_GPU;
}

/* The device's selector. */
static rt_text selector_make(char *out, size_t size)
{
    const char *tier = getenv(ICD_VARIABLE_TIER);
    int length =
        snprintf(out, size, "clock=host,usm=mapped%s%s", tier ? ",tier=" : "", tier ? tier : "");
    CHECK(length > 0);
    return rt_text_of(out);
}

cl_int icd_device_open(icd_call call)
{
    if (icd_device.device) return CL_SUCCESS;
    if (!icd_device.sink) icd_device.sink = rt_sink_create();
    const dev_open_parameters parameters = {
        .sink = icd_device.sink,
        .seed = number_of(ICD_VARIABLE_SEED, 0),
        .threads = (uint32_t)number_of(ICD_VARIABLE_THREADS, 1),
        .on_finding = icd_report_finding,
        .on_output = output_print,
        .on_host_write = icd_guard_end,
    };
    char selector[128];
    dev_device *device;
    rt_status status = dev_device_open(&simdev_backend, &parameters,
                                       selector_make(selector, sizeof selector), &device);
    if (!rt_ok(status))
        return icd_refuse(call, icd_code(status), "%.*s", RT_TEXT_ARG(icd_message(status)));
    status = dev_queue_create_profiling(device, &icd_device.queue);
    if (!rt_ok(status)) {
        dev_device_destroy(device);
        return icd_code(status);
    }
    dev_device_capabilities(device, &icd_device.facts);
    icd_device.device = device;
    return CL_SUCCESS;
}

rt_text icd_message(rt_status status)
{
    return rt_sink_diagnostic(icd_device.sink, status)->message;
}

CL_API_ENTRY cl_int CL_API_CALL clGetDeviceIDs(cl_platform_id platform, cl_device_type type,
                                               cl_uint capacity, cl_device_id *out,
                                               cl_uint *out_count)
{
    const cl_device_type known = CL_DEVICE_TYPE_DEFAULT | CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_GPU |
                                 CL_DEVICE_TYPE_ACCELERATOR | CL_DEVICE_TYPE_CUSTOM;
    if (platform && platform != &icd_platform) return CL_INVALID_PLATFORM;
    if (type != CL_DEVICE_TYPE_ALL && (type == 0 || (type & ~known))) return CL_INVALID_DEVICE_TYPE;
    if ((capacity == 0 && out) || (!out && !out_count)) return CL_INVALID_VALUE;
    bool is_found =
        type == CL_DEVICE_TYPE_ALL || type & CL_DEVICE_TYPE_DEFAULT || type & device_type();
    if (out_count) *out_count = is_found;
    if (!is_found) return CL_DEVICE_NOT_FOUND;
    if (out) out[0] = &icd_device;
    return CL_SUCCESS;
}

#define FP_COMMON                                                                                  \
    (CL_FP_DENORM | CL_FP_INF_NAN | CL_FP_ROUND_TO_NEAREST | CL_FP_ROUND_TO_ZERO |                 \
     CL_FP_ROUND_TO_INF | CL_FP_FMA)

/* Facts that do not depend on the machine.  ROW(query, type, value). */
#define FACTS(ROW)                                                                                 \
    ROW(CL_DEVICE_VENDOR_ID, cl_uint, 0)                                                           \
    ROW(CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS, cl_uint, RT_ND_RANGE_DIMENSIONS)                       \
    ROW(CL_DEVICE_PREFERRED_VECTOR_WIDTH_CHAR, cl_uint, 1)                                         \
    ROW(CL_DEVICE_PREFERRED_VECTOR_WIDTH_SHORT, cl_uint, 1)                                        \
    ROW(CL_DEVICE_PREFERRED_VECTOR_WIDTH_INT, cl_uint, 1)                                          \
    ROW(CL_DEVICE_PREFERRED_VECTOR_WIDTH_LONG, cl_uint, 1)                                         \
    ROW(CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT, cl_uint, 1)                                        \
    ROW(CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE, cl_uint, 1)                                       \
    ROW(CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF, cl_uint, 1)                                         \
    ROW(CL_DEVICE_NATIVE_VECTOR_WIDTH_CHAR, cl_uint, 1)                                            \
    ROW(CL_DEVICE_NATIVE_VECTOR_WIDTH_SHORT, cl_uint, 1)                                           \
    ROW(CL_DEVICE_NATIVE_VECTOR_WIDTH_INT, cl_uint, 1)                                             \
    ROW(CL_DEVICE_NATIVE_VECTOR_WIDTH_LONG, cl_uint, 1)                                            \
    ROW(CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT, cl_uint, 1)                                           \
    ROW(CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE, cl_uint, 1)                                          \
    ROW(CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF, cl_uint, 1)                                            \
    ROW(CL_DEVICE_MAX_CLOCK_FREQUENCY, cl_uint, 0)                                                 \
    ROW(CL_DEVICE_ADDRESS_BITS, cl_uint, 64)                                                       \
    ROW(CL_DEVICE_IMAGE_SUPPORT, cl_bool, CL_FALSE)                                                \
    ROW(CL_DEVICE_MAX_READ_IMAGE_ARGS, cl_uint, 0)                                                 \
    ROW(CL_DEVICE_MAX_WRITE_IMAGE_ARGS, cl_uint, 0)                                                \
    ROW(CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS, cl_uint, 0)                                           \
    ROW(CL_DEVICE_IMAGE2D_MAX_WIDTH, size_t, 0)                                                    \
    ROW(CL_DEVICE_IMAGE2D_MAX_HEIGHT, size_t, 0)                                                   \
    ROW(CL_DEVICE_IMAGE3D_MAX_WIDTH, size_t, 0)                                                    \
    ROW(CL_DEVICE_IMAGE3D_MAX_HEIGHT, size_t, 0)                                                   \
    ROW(CL_DEVICE_IMAGE3D_MAX_DEPTH, size_t, 0)                                                    \
    ROW(CL_DEVICE_IMAGE_MAX_BUFFER_SIZE, size_t, 0)                                                \
    ROW(CL_DEVICE_IMAGE_MAX_ARRAY_SIZE, size_t, 0)                                                 \
    ROW(CL_DEVICE_MAX_SAMPLERS, cl_uint, 0)                                                        \
    ROW(CL_DEVICE_IMAGE_PITCH_ALIGNMENT, cl_uint, 0)                                               \
    ROW(CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT, cl_uint, 0)                                        \
    ROW(CL_DEVICE_MAX_PIPE_ARGS, cl_uint, 0)                                                       \
    ROW(CL_DEVICE_PIPE_MAX_ACTIVE_RESERVATIONS, cl_uint, 0)                                        \
    ROW(CL_DEVICE_PIPE_MAX_PACKET_SIZE, cl_uint, 0)                                                \
    ROW(CL_DEVICE_PIPE_SUPPORT, cl_bool, CL_FALSE)                                                 \
    ROW(CL_DEVICE_MAX_PARAMETER_SIZE, size_t, PARAMETER_SIZE_MAX)                                  \
    ROW(CL_DEVICE_MEM_BASE_ADDR_ALIGN, cl_uint, ICD_BASE_ALIGNMENT * 8)                            \
    ROW(CL_DEVICE_MIN_DATA_TYPE_ALIGN_SIZE, cl_uint, ICD_BASE_ALIGNMENT)                           \
    ROW(CL_DEVICE_SINGLE_FP_CONFIG, cl_device_fp_config,                                           \
        FP_COMMON | CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT)                                           \
    ROW(CL_DEVICE_DOUBLE_FP_CONFIG, cl_device_fp_config, FP_COMMON)                                \
    ROW(CL_DEVICE_HALF_FP_CONFIG, cl_device_fp_config, FP_COMMON)                                  \
    ROW(CL_DEVICE_GLOBAL_MEM_CACHE_TYPE, cl_device_mem_cache_type, CL_NONE)                        \
    ROW(CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE, cl_uint, CACHE_LINE)                                  \
    ROW(CL_DEVICE_GLOBAL_MEM_CACHE_SIZE, cl_ulong, 0)                                              \
    ROW(CL_DEVICE_MAX_CONSTANT_ARGS, cl_uint, RT_KERNEL_ARGUMENT_MAX)                              \
    ROW(CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE, size_t, GLOBAL_VARIABLE_MAX)                           \
    ROW(CL_DEVICE_GLOBAL_VARIABLE_PREFERRED_TOTAL_SIZE, size_t, GLOBAL_VARIABLE_MAX)               \
    ROW(CL_DEVICE_LOCAL_MEM_TYPE, cl_device_local_mem_type, CL_LOCAL)                              \
    ROW(CL_DEVICE_ERROR_CORRECTION_SUPPORT, cl_bool, CL_FALSE)                                     \
    ROW(CL_DEVICE_HOST_UNIFIED_MEMORY, cl_bool, CL_FALSE)                                          \
    ROW(CL_DEVICE_PROFILING_TIMER_RESOLUTION, size_t, 1)                                           \
    ROW(CL_DEVICE_ENDIAN_LITTLE, cl_bool, CL_TRUE)                                                 \
    ROW(CL_DEVICE_AVAILABLE, cl_bool, CL_TRUE)                                                     \
    ROW(CL_DEVICE_COMPILER_AVAILABLE, cl_bool, CL_TRUE)                                            \
    ROW(CL_DEVICE_LINKER_AVAILABLE, cl_bool, CL_TRUE)                                              \
    ROW(CL_DEVICE_EXECUTION_CAPABILITIES, cl_device_exec_capabilities, CL_EXEC_KERNEL)             \
    ROW(CL_DEVICE_QUEUE_ON_HOST_PROPERTIES, cl_command_queue_properties,                           \
        CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE)                        \
    ROW(CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES, cl_command_queue_properties, 0)                      \
    ROW(CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE, cl_uint, 0)                                      \
    ROW(CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE, cl_uint, 0)                                            \
    ROW(CL_DEVICE_MAX_ON_DEVICE_QUEUES, cl_uint, 0)                                                \
    ROW(CL_DEVICE_MAX_ON_DEVICE_EVENTS, cl_uint, 0)                                                \
    ROW(CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES, cl_device_device_enqueue_capabilities, 0)           \
    ROW(CL_DEVICE_PRINTF_BUFFER_SIZE, size_t, PRINT_BUFFER)                                        \
    ROW(CL_DEVICE_PREFERRED_INTEROP_USER_SYNC, cl_bool, CL_TRUE)                                   \
    ROW(CL_DEVICE_PARENT_DEVICE, cl_device_id, NULL)                                               \
    ROW(CL_DEVICE_PARTITION_MAX_SUB_DEVICES, cl_uint, 0)                                           \
    ROW(CL_DEVICE_PARTITION_AFFINITY_DOMAIN, cl_device_affinity_domain, 0)                         \
    ROW(CL_DEVICE_REFERENCE_COUNT, cl_uint, 1)                                                     \
    ROW(CL_DEVICE_PREFERRED_PLATFORM_ATOMIC_ALIGNMENT, cl_uint, 0)                                 \
    ROW(CL_DEVICE_PREFERRED_GLOBAL_ATOMIC_ALIGNMENT, cl_uint, 0)                                   \
    ROW(CL_DEVICE_PREFERRED_LOCAL_ATOMIC_ALIGNMENT, cl_uint, 0)                                    \
    ROW(CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS, cl_bool, CL_FALSE)                       \
    ROW(CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES, cl_device_atomic_capabilities, ATOMICS)              \
    ROW(CL_DEVICE_ATOMIC_FENCE_CAPABILITIES, cl_device_atomic_capabilities,                        \
        ATOMICS | CL_DEVICE_ATOMIC_SCOPE_WORK_ITEM)                                                \
    ROW(CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT, cl_bool, CL_TRUE)                                \
    ROW(CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT, cl_bool, CL_TRUE)                       \
    ROW(CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT, cl_bool, CL_TRUE)                                 \
    ROW(CL_DEVICE_NUMERIC_VERSION, cl_version, CL_MAKE_VERSION(3, 0, 0))                           \
    ROW(CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL, cl_bitfield, USM_ACCESS)                            \
    ROW(CL_DEVICE_DEVICE_MEM_CAPABILITIES_INTEL, cl_bitfield, USM_ACCESS)                          \
    ROW(CL_DEVICE_SINGLE_DEVICE_SHARED_MEM_CAPABILITIES_INTEL, cl_bitfield, USM_ACCESS)            \
    ROW(CL_DEVICE_CROSS_DEVICE_SHARED_MEM_CAPABILITIES_INTEL, cl_bitfield, 0)                      \
    ROW(CL_DEVICE_SHARED_SYSTEM_MEM_CAPABILITIES_INTEL, cl_bitfield, 0)                            \
    ROW(CL_DEVICE_SVM_CAPABILITIES, cl_device_svm_capabilities,                                    \
        CL_DEVICE_SVM_COARSE_GRAIN_BUFFER | CL_DEVICE_SVM_FINE_GRAIN_BUFFER)

#define USM_ACCESS                                                                                 \
    (CL_UNIFIED_SHARED_MEMORY_ACCESS_INTEL | CL_UNIFIED_SHARED_MEMORY_ATOMIC_ACCESS_INTEL)
#define ATOMICS                                                                                    \
    (CL_DEVICE_ATOMIC_ORDER_RELAXED | CL_DEVICE_ATOMIC_ORDER_ACQ_REL |                             \
     CL_DEVICE_ATOMIC_ORDER_SEQ_CST | CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP |                          \
     CL_DEVICE_ATOMIC_SCOPE_DEVICE | CL_DEVICE_ATOMIC_SCOPE_ALL_DEVICES)

static const struct {
    cl_device_info name;
    size_t size;
    const void *value;
} facts[] = {
#define FACT_ROW(query, type, value) {query, sizeof(type), &(const type){value}},
    FACTS(FACT_ROW)
#undef FACT_ROW
};

/* Facts that are lists; the spelling of one row of `names` is the query's. */
static const struct {
    cl_device_info name;
    size_t size;
    const void *value;
} lists[] = {
    {CL_DEVICE_EXTENSIONS_WITH_VERSION, sizeof device_extensions, device_extensions},
    {CL_DEVICE_OPENCL_C_FEATURES, sizeof c_features, c_features},
    {CL_DEVICE_OPENCL_C_ALL_VERSIONS, sizeof c_versions, c_versions},
    {CL_DEVICE_ILS_WITH_VERSION, sizeof il_versions, il_versions},
    {CL_DEVICE_BUILT_IN_KERNELS_WITH_VERSION, 0, NULL},
    {CL_DEVICE_PARTITION_PROPERTIES, sizeof(cl_device_partition_property),
     &(const cl_device_partition_property){0}},
    {CL_DEVICE_PARTITION_TYPE, 0, NULL},
};

/* The answer of a device that has passed no version of the official process: Khronos' tests demand
 * a date, and this one precedes all versions. */
#define NOT_CONFORMANT "v0000-01-01-00"

static const struct {
    cl_device_info name;
    const char *text;
} texts[] = {
    {CL_DEVICE_NAME, "assay simulated device"},
    {CL_DEVICE_VENDOR, "the assay project"},
    {CL_DRIVER_VERSION, ASSAY_VERSION},
    {CL_DEVICE_PROFILE, "FULL_PROFILE"},
    {CL_DEVICE_VERSION, ICD_VERSION},
    {CL_DEVICE_OPENCL_C_VERSION, "OpenCL C 1.2 "},
    {CL_DEVICE_BUILT_IN_KERNELS, ""},
    {CL_DEVICE_LATEST_CONFORMANCE_VERSION_PASSED, NOT_CONFORMANT},
};

/* The bytes of the device's memory. What it knows about each costs as much again, and the program
 * shares the machine with others. */
static cl_ulong memory_size(void)
{
    enum { SHARE = 8, MIB = 1 << 20 }; /* of the machine's memory */
    cl_ulong chosen = number_of(ICD_VARIABLE_MEMORY, 0);
    if (chosen > 0) return chosen * MIB;
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    return pages > 0 && page > 0 ? (cl_ulong)pages * (cl_ulong)page / SHARE : RT_MEMORY_SIZE_MAX;
}

static cl_ulong allocation_max(void)
{
    cl_ulong half = memory_size() / 2;
    return half < RT_MEMORY_SIZE_MAX ? half : RT_MEMORY_SIZE_MAX;
}

static cl_ulong memory_used;

cl_int icd_memory_take(size_t size, icd_call call)
{
    if (size > memory_size() - memory_used)
        return icd_refuse(call, CL_MEM_OBJECT_ALLOCATION_FAILURE,
                          "%zu bytes; the device has fewer that are not allocated", size);
    memory_used += size;
    return CL_SUCCESS;
}

void icd_memory_give(size_t size)
{
    CHECK(size <= memory_used);
    memory_used -= size;
}

static cl_int device_fact(cl_device_info name, size_t capacity, void *out, size_t *out_size)
{
    dev_capabilities device = icd_device.facts;
    switch (name) {
    case CL_DEVICE_TYPE: return ICD_ANSWER(cl_device_type, device_type());
    case CL_DEVICE_PLATFORM: return ICD_ANSWER(cl_platform_id, &icd_platform);
    case CL_DEVICE_MAX_COMPUTE_UNITS:
        return ICD_ANSWER(cl_uint, (cl_uint)number_of(ICD_VARIABLE_THREADS, 1));
    case CL_DEVICE_MAX_WORK_GROUP_SIZE: return ICD_ANSWER(size_t, device.group_size_max);
    case CL_DEVICE_MAX_WORK_ITEM_SIZES: {
        const size_t sizes[] = {device.group_size_max, device.group_size_max,
                                device.group_size_max};
        return icd_answer(sizes, sizeof sizes, capacity, out, out_size);
    }
    case CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE:
        return ICD_ANSWER(size_t, device.sub_group_size);
    case CL_DEVICE_MAX_NUM_SUB_GROUPS:
        return ICD_ANSWER(cl_uint, device.group_size_max / device.sub_group_size);
    case CL_DEVICE_SUB_GROUP_SIZES_INTEL: {
        size_t sizes[64], count = 0;
        for (size_t size = 1; size <= 64; size++)
            if (device.sub_group_sizes & UINT64_C(1) << (size - 1)) sizes[count++] = size;
        return icd_answer(sizes, count * sizeof *sizes, capacity, out, out_size);
    }
    case CL_DEVICE_LOCAL_MEM_SIZE: return ICD_ANSWER(cl_ulong, device.local_size_max);
    case CL_DEVICE_GLOBAL_MEM_SIZE: return ICD_ANSWER(cl_ulong, memory_size());
    case CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE: return ICD_ANSWER(cl_ulong, CONSTANT_BUFFER_MAX);
    case CL_DEVICE_MAX_MEM_ALLOC_SIZE: return ICD_ANSWER(cl_ulong, allocation_max());
    case CL_DEVICE_EXTENSIONS:
        return names_answer(device_extensions, COUNT(device_extensions), false, capacity, out,
                            out_size);
    case CL_DEVICE_IL_VERSION:
        return names_answer(il_versions, COUNT(il_versions), true, capacity, out, out_size);
    default: return CL_INVALID_VALUE;
    }
}

CL_API_ENTRY cl_int CL_API_CALL clGetDeviceInfo(cl_device_id device, cl_device_info name,
                                                size_t capacity, void *out, size_t *out_size)
{
    ICD_ENTER;
    if (device != &icd_device) return CL_INVALID_DEVICE;
    cl_int code = icd_device_open(ICD_CALL);
    if (code != CL_SUCCESS) return code;
    for (size_t i = 0; i < COUNT(facts); i++)
        if (facts[i].name == name)
            return icd_answer(facts[i].value, facts[i].size, capacity, out, out_size);
    for (size_t i = 0; i < COUNT(lists); i++)
        if (lists[i].name == name)
            return icd_answer(lists[i].value, lists[i].size, capacity, out, out_size);
    for (size_t i = 0; i < COUNT(texts); i++)
        if (texts[i].name == name)
            return icd_answer_text(rt_text_of(texts[i].text), capacity, out, out_size);
    return device_fact(name, capacity, out, out_size);
}

CL_API_ENTRY cl_int CL_API_CALL clRetainDevice(cl_device_id device)
{
    return device == &icd_device ? CL_SUCCESS : CL_INVALID_DEVICE;
}

CL_API_ENTRY cl_int CL_API_CALL clReleaseDevice(cl_device_id device)
{
    return device == &icd_device ? CL_SUCCESS : CL_INVALID_DEVICE;
}

CL_API_ENTRY cl_int CL_API_CALL clCreateSubDevices(cl_device_id device,
                                                   const cl_device_partition_property *properties,
                                                   cl_uint capacity, cl_device_id *out,
                                                   cl_uint *out_count)
{
    (void)properties, (void)capacity, (void)out, (void)out_count;
    if (device != &icd_device) return CL_INVALID_DEVICE;
    return REFUSE(CL_INVALID_VALUE, "the device cannot be partitioned");
}

/* ---- Timers ------------------------------------------------------------------------------- */

CL_API_ENTRY cl_int CL_API_CALL clGetDeviceAndHostTimer(cl_device_id device, cl_ulong *out_device,
                                                        cl_ulong *out_host)
{
    if (device != &icd_device) return CL_INVALID_DEVICE;
    if (!out_device || !out_host) return CL_INVALID_VALUE;
    *out_device = *out_host = icd_now();
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clGetHostTimer(cl_device_id device, cl_ulong *out_host)
{
    if (device != &icd_device) return CL_INVALID_DEVICE;
    if (!out_host) return CL_INVALID_VALUE;
    *out_host = icd_now();
    return CL_SUCCESS;
}
