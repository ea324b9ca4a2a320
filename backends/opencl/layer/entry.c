/* The functions that a loader looks up in a layer: those of the interface's first version, and
 * their replacements in the loaders of 2026, which pass properties and announce shutdown.
 *
 * Source: cl_loader_layers, CL/cl_layer.h. */
#include "backends/opencl/layer/layer_internal.h"

#include <stdlib.h>
#include <string.h>

#define EXPORTED __attribute__((visibility("default")))

/* OpenCL's headers of 2022 do not declare these. */
CL_API_ENTRY cl_int CL_API_CALL clInitLayerWithProperties(cl_uint count,
                                                          const cl_icd_dispatch *target,
                                                          cl_uint *out_count,
                                                          const cl_icd_dispatch **out_dispatch,
                                                          const cl_properties *properties);
CL_API_ENTRY cl_int CL_API_CALL clDeinitLayer(void);

_Static_assert(sizeof(cl_icd_dispatch) % sizeof(void *) == 0, "a table of pointers");

/* The loader's table, and the one returned to it: our entries where we have one, the loader's
 * elsewhere. */
static cl_icd_dispatch next, ours;

const cl_icd_dispatch *layer_next(void)
{
    return &next;
}

static const char *variable(const char *name)
{
    const char *value = getenv(name);
    return value ? value : "";
}

EXPORTED CL_API_ENTRY cl_int CL_API_CALL clGetLayerInfo(cl_layer_info info, size_t size,
                                                        void *out_value, size_t *out_size)
{
    static const cl_layer_api_version version = CL_LAYER_API_VERSION_100;
    static const char name[] = "assay";
    const void *value = info == CL_LAYER_API_VERSION ? (const void *)&version : name;
    size_t needed = info == CL_LAYER_API_VERSION ? sizeof version : sizeof name;
    if (info != CL_LAYER_API_VERSION && info != CL_LAYER_NAME) return CL_INVALID_VALUE;
    if (out_value && size < needed) return CL_INVALID_VALUE;
    if (out_value) memcpy(out_value, value, needed);
    if (out_size) *out_size = needed;
    return CL_SUCCESS;
}

/* The aspects that are hidden, as the environment variable named them. */
static rt_buffer hides;

/* Writes the record with which a log begins. */
static void first_record(void)
{
    layer_record record = layer_record_begin("layer");
    layer_put_number(&record, "version", OCL_LAYER_VERSION);
    layer_put_text(&record, "hides", rt_buffer_string(&hides));
    layer_record_end(&record, CL_SUCCESS);
}

EXPORTED void assay_layer_restart(void)
{
    layer_log_restart();
    first_record();
}

EXPORTED CL_API_ENTRY cl_int CL_API_CALL clInitLayer(cl_uint count, const cl_icd_dispatch *target,
                                                     cl_uint *out_count,
                                                     const cl_icd_dispatch **out_dispatch)
{
    enum { ENTRIES = sizeof(cl_icd_dispatch) / sizeof(void *) };
    uint32_t hidden;
    if (!target || !out_count || !out_dispatch) return CL_INVALID_VALUE;
    if (!layer_mask_read(variable(OCL_LAYER_HIDE), &hidden)) return CL_INVALID_VALUE;
    if (!layer_log_open(variable(OCL_LAYER_LOG))) return CL_INVALID_VALUE;
    if (!layer_capture_open()) return CL_INVALID_VALUE;
    layer_objects_clear();
    /* An older loader has fewer entries; a newer one keeps its own where this table has none. */
    cl_uint common = count < ENTRIES ? count : ENTRIES;
    CHECK(common * sizeof(void *) <= sizeof next);
    memset(&next, 0, sizeof next);
    memcpy(&next, target, common * sizeof(void *));
    ours = next;
    layer_mask_calls(&ours, hidden);
    if (*variable(OCL_LAYER_LOG) != '\0') {
        layer_program_calls(&ours);
        layer_queue_calls(&ours);
        layer_memory_calls(&ours);
        layer_extension_calls(&ours);
        if (layer_captures()) layer_capture_calls(&ours), layer_order_calls(&ours);
    }
    rt_buffer_truncate(&hides, 0);
    rt_buffer_append_text(&hides, rt_text_of(variable(OCL_LAYER_HIDE)));
    first_record();
    *out_count = common;
    *out_dispatch = &ours;
    return CL_SUCCESS;
}

EXPORTED CL_API_ENTRY cl_int CL_API_CALL
clInitLayerWithProperties(cl_uint count, const cl_icd_dispatch *target, cl_uint *out_count,
                          const cl_icd_dispatch **out_dispatch, const cl_properties *properties)
{
    /* Unknown properties must be rejected. */
    if (properties && *properties != 0) return CL_INVALID_PROPERTY;
    return clInitLayer(count, target, out_count, out_dispatch);
}

/* Every record has already been written, and the library stays mapped (CMakeLists.txt), since
 * drivers have threads that outlive their loader. */
EXPORTED CL_API_ENTRY cl_int CL_API_CALL clDeinitLayer(void)
{
    return CL_SUCCESS;
}
