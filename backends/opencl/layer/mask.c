/* Hides aspects: removes hidden features from the answers of devices and platforms.  Only answers
 * are changed.  A program that uses a hidden feature still gets the driver's behaviour, as on a
 * device whose list of features is incomplete. */
#include "backends/opencl/layer/layer_internal.h"
#include "reference/base/alloc.h"

#include <stdio.h>
#include <string.h>

/* ---- The features of each aspect ------------------------------------------------------------ */

/* Names of the extensions and OpenCL C features (CL_DEVICE_OPENCL_C_FEATURES) of each aspect. */
static const struct {
    uint32_t aspect;
    const char *name;
} names[] = {
    {DEV_ASPECT_FP64, "cl_khr_fp64"},
    {DEV_ASPECT_FP64, "cl_amd_fp64"},
    {DEV_ASPECT_FP64, "__opencl_c_fp64"},
    {DEV_ASPECT_FP64, "__opencl_c_ext_fp64_global_atomic_add"},
    {DEV_ASPECT_FP64, "__opencl_c_ext_fp64_local_atomic_add"},
    {DEV_ASPECT_FP64, "__opencl_c_ext_fp64_global_atomic_load_store"},
    {DEV_ASPECT_FP64, "__opencl_c_ext_fp64_local_atomic_load_store"},
    {DEV_ASPECT_FP64, "__opencl_c_ext_fp64_global_atomic_min_max"},
    {DEV_ASPECT_FP64, "__opencl_c_ext_fp64_local_atomic_min_max"},
    {DEV_ASPECT_FP16, "cl_khr_fp16"},
    {DEV_ASPECT_FP16, "__opencl_c_fp16"},
    {DEV_ASPECT_FP16, "__opencl_c_ext_fp16_global_atomic_add"},
    {DEV_ASPECT_FP16, "__opencl_c_ext_fp16_local_atomic_add"},
    {DEV_ASPECT_FP16, "__opencl_c_ext_fp16_global_atomic_load_store"},
    {DEV_ASPECT_FP16, "__opencl_c_ext_fp16_local_atomic_load_store"},
    {DEV_ASPECT_FP16, "__opencl_c_ext_fp16_global_atomic_min_max"},
    {DEV_ASPECT_FP16, "__opencl_c_ext_fp16_local_atomic_min_max"},
    {DEV_ASPECT_ATOMIC64, "cl_khr_int64_base_atomics"},
    {DEV_ASPECT_ATOMIC64, "cl_khr_int64_extended_atomics"},
};

/* Queries of cl_ext_float_atomics, which not all versions of OpenCL's headers define. */
enum {
    DOUBLE_FP_ATOMICS = 0x4232,
    HALF_FP_ATOMICS = 0x4233,
};

/* Queries that return 0 on a device without the aspect: OpenCL 3.0 API, table "Device Queries";
 * cl_intel_unified_shared_memory, cl_ext_float_atomics. */
static const struct {
    uint32_t aspect;
    cl_device_info info;
} zeros[] = {
    {DEV_ASPECT_FP64, CL_DEVICE_DOUBLE_FP_CONFIG},
    {DEV_ASPECT_FP64, CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE},
    {DEV_ASPECT_FP64, CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE},
    {DEV_ASPECT_FP64, DOUBLE_FP_ATOMICS},
    {DEV_ASPECT_FP16, CL_DEVICE_HALF_FP_CONFIG},
    {DEV_ASPECT_FP16, CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF},
    {DEV_ASPECT_FP16, CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF},
    {DEV_ASPECT_FP16, HALF_FP_ATOMICS},
    {OCL_HIDDEN_USM_DEVICE, CL_DEVICE_DEVICE_MEM_CAPABILITIES_INTEL},
    {OCL_HIDDEN_USM_HOST, CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL},
    {OCL_HIDDEN_USM_SHARED, CL_DEVICE_SINGLE_DEVICE_SHARED_MEM_CAPABILITIES_INTEL},
    {OCL_HIDDEN_USM_SHARED, CL_DEVICE_CROSS_DEVICE_SHARED_MEM_CAPABILITIES_INTEL},
    {OCL_HIDDEN_USM_SHARED, CL_DEVICE_SHARED_SYSTEM_MEM_CAPABILITIES_INTEL},
};

static const char *const aspects[OCL_HIDDEN_COUNT] = {
#define ASPECT_NAME(aspect, name, number) [DEV_ASPECT_##aspect] = name,
    DEV_ASPECTS(ASPECT_NAME)
#undef ASPECT_NAME
#define HIDDEN_NAME(aspect, name) [OCL_HIDDEN_##aspect] = name,
        OCL_HIDDEN_ASPECTS(HIDDEN_NAME)
#undef HIDDEN_NAME
};

static uint32_t hidden; /* bits of ocl_hidden_aspect and dev_aspect */

bool layer_mask_read(const char *value, uint32_t *out_hidden)
{
    *out_hidden = 0;
    for (const char *at = value; *at != '\0';) {
        size_t length = strcspn(at, ",");
        uint32_t aspect = 0;
        while (aspect < OCL_HIDDEN_COUNT && !rt_text_is((rt_text){at, length}, aspects[aspect]))
            aspect++;
        if (aspect == OCL_HIDDEN_COUNT) {
            fprintf(stderr,
                    "assay: the OpenCL layer cannot hide '%.*s' (%s); it can hide:", (int)length,
                    at, OCL_LAYER_HIDE);
            for (uint32_t i = 0; i < OCL_HIDDEN_COUNT; i++)
                fprintf(stderr, " %s", aspects[i]);
            fprintf(stderr, "\n");
            return false;
        }
        *out_hidden |= 1u << aspect;
        at += length + (at[length] == ',');
    }
    return true;
}

/* ---- Answers -------------------------------------------------------------------------------- */

static bool name_hidden(const char *name, size_t length)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (!rt_text_is((rt_text){name, length}, names[i].name)) continue;
        return (hidden >> names[i].aspect & 1) != 0;
    }
    return false;
}

/* Removes the hidden names from a space-separated list in place; returns the list's new length. */
static size_t text_filter(char *text, size_t length)
{
    rt_text rest = {text, strnlen(text, length)};
    size_t end = 0;
    while (rest.length > 0) {
        const char *word = rest.data;
        rt_text name = rt_text_take_until(&rest, ' ');
        size_t used = (size_t)(rest.data - word); /* including the space */
        if (name.length > 0 && name_hidden(name.data, name.length)) continue;
        CHECK(text + end <= word);
        memmove(text + end, word, used);
        end += used;
    }
    while (end > 0 && text[end - 1] == ' ')
        end--;
    return end;
}

/* Answers a query as OpenCL specifies: returns the required size, and the value if it fits. */
static cl_int answer(const void *value, size_t needed, size_t size, void *out_value,
                     size_t *out_size)
{
    if (out_value && size < needed) return CL_INVALID_VALUE;
    if (out_value) memcpy(out_value, value, needed);
    if (out_size) *out_size = needed;
    return CL_SUCCESS;
}

/* A query of a device or a platform, to be answered by the driver. */
typedef struct query {
    cl_device_id device; /* NULL for a query of the platform */
    cl_platform_id platform;
    cl_uint info;
} query;

static cl_int query_ask(const query *q, size_t size, void *out_value, size_t *out_size)
{
    if (q->device)
        return layer_next()->clGetDeviceInfo(q->device, q->info, size, out_value, out_size);
    return layer_next()->clGetPlatformInfo(q->platform, q->info, size, out_value, out_size);
}

/* Answers with the driver's list, without the hidden names. */
static cl_int list_answer(const query *q, bool versions, size_t size, void *out_value,
                          size_t *out_size)
{
    size_t whole = 0;
    cl_int result = query_ask(q, 0, NULL, &whole);
    if (result != CL_SUCCESS) return result;
    char *list = rt_alloc(whole + 1); /* with a terminating NUL, regardless of what the driver
                                       * writes */
    result = query_ask(q, whole, list, NULL);
    if (result == CL_SUCCESS && versions) {
        cl_name_version *rows = (cl_name_version *)(void *)list;
        size_t row_count = 0;
        for (size_t i = 0; i < whole / sizeof *rows; i++)
            if (!name_hidden(rows[i].name, strnlen(rows[i].name, sizeof rows[i].name)))
                rows[row_count++] = rows[i];
        result = answer(list, row_count * sizeof *rows, size, out_value, out_size);
    } else if (result == CL_SUCCESS) {
        size_t length = text_filter(list, whole);
        CHECK(length <= whole);
        list[length] = '\0';
        result = answer(list, length + 1, size, out_value, out_size);
    }
    rt_free(list);
    return result;
}

static CL_API_ENTRY cl_int CL_API_CALL mask_clGetDeviceInfo(cl_device_id device,
                                                            cl_device_info info, size_t size,
                                                            void *out_value, size_t *out_size)
{
    const query q = {.device = device, .info = info};
    bool versions =
        info == CL_DEVICE_EXTENSIONS_WITH_VERSION || info == CL_DEVICE_OPENCL_C_FEATURES;
    if (device && (versions || info == CL_DEVICE_EXTENSIONS))
        return list_answer(&q, versions, size, out_value, out_size);
    cl_int result = layer_next()->clGetDeviceInfo(device, info, size, out_value, out_size);
    bool is_hidden = false;
    for (size_t i = 0; i < sizeof zeros / sizeof *zeros && !is_hidden; i++)
        is_hidden = zeros[i].info == info && (hidden >> zeros[i].aspect & 1) != 0;
    /* A driver that refuses the query lacks the feature. */
    if (result == CL_SUCCESS && is_hidden && out_value) {
        size_t needed = 0;
        if (layer_next()->clGetDeviceInfo(device, info, 0, NULL, &needed) == CL_SUCCESS)
            memset(out_value, 0, needed < size ? needed : size);
    }
    return result;
}

static CL_API_ENTRY cl_int CL_API_CALL mask_clGetPlatformInfo(cl_platform_id platform,
                                                              cl_platform_info info, size_t size,
                                                              void *out_value, size_t *out_size)
{
    const query q = {.platform = platform, .info = info};
    bool versions = info == CL_PLATFORM_EXTENSIONS_WITH_VERSION;
    if (platform && (versions || info == CL_PLATFORM_EXTENSIONS))
        return list_answer(&q, versions, size, out_value, out_size);
    return layer_next()->clGetPlatformInfo(platform, info, size, out_value, out_size);
}

/* Only this call reveals function addresses, which virtual functions need. */
bool layer_hides_call(const char *name)
{
    return name && strcmp(name, "clGetDeviceFunctionPointerINTEL") == 0 &&
           (hidden >> DEV_ASPECT_VIRTUAL_FUNCTIONS & 1) != 0;
}

static CL_API_ENTRY void *CL_API_CALL
mask_clGetExtensionFunctionAddressForPlatform(cl_platform_id platform, const char *name)
{
    if (layer_hides_call(name)) return NULL;
    return layer_next()->clGetExtensionFunctionAddressForPlatform(platform, name);
}

void layer_mask_calls(cl_icd_dispatch *dispatch, uint32_t wanted)
{
    CHECK(wanted < 1u << OCL_HIDDEN_COUNT);
    hidden = wanted;
    if (hidden == 0) return;
    if (dispatch->clGetDeviceInfo) dispatch->clGetDeviceInfo = mask_clGetDeviceInfo;
    if (dispatch->clGetPlatformInfo) dispatch->clGetPlatformInfo = mask_clGetPlatformInfo;
    if (dispatch->clGetExtensionFunctionAddressForPlatform)
        dispatch->clGetExtensionFunctionAddressForPlatform =
            mask_clGetExtensionFunctionAddressForPlatform;
}
