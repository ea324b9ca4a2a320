/* OpenCL results as statuses.
 *
 * A result means different things at different calls, and a driver may answer anything at any call,
 * so a result's code is looked up with the stage; what the table does not list is DRIVER_ERROR.
 * Source: OpenCL 3.0 API specification, appendix "Error codes", and the errors of each call. */
#include "backends/opencl/ocl_internal.h"

#define AT(stage) (1u << OCL_STAGE_##stage)
#define AT_ANY    ((1u << OCL_STAGE_COUNT) - 1)

/* result, stages where it is of the class, class */
#define RESULTS(RESULT)                                                                            \
    RESULT(CL_DEVICE_NOT_FOUND, AT(OPEN), UNAVAILABLE)                                             \
    RESULT(CL_DEVICE_NOT_AVAILABLE, AT_ANY, DEVICE_LOST)                                           \
    RESULT(CL_COMPILER_NOT_AVAILABLE, AT(COMPILE) | AT(LINK), UNSUPPORTED)                         \
    RESULT(CL_MEM_OBJECT_ALLOCATION_FAILURE, AT_ANY, ERRC_MEMORY_ALLOCATION)                       \
    RESULT(CL_OUT_OF_RESOURCES, AT(WAIT), DEVICE_LOST)                                             \
    RESULT(CL_OUT_OF_HOST_MEMORY, AT_ANY, ERRC_MEMORY_ALLOCATION)                                  \
    RESULT(CL_PROFILING_INFO_NOT_AVAILABLE, 0, DRIVER_ERROR)                                       \
    RESULT(CL_MEM_COPY_OVERLAP, 0, DRIVER_ERROR)                                                   \
    RESULT(CL_IMAGE_FORMAT_MISMATCH, 0, DRIVER_ERROR)                                              \
    RESULT(CL_IMAGE_FORMAT_NOT_SUPPORTED, 0, DRIVER_ERROR)                                         \
    RESULT(CL_BUILD_PROGRAM_FAILURE, AT(COMPILE) | AT(LINK), ERRC_BUILD)                           \
    RESULT(CL_MAP_FAILURE, 0, DRIVER_ERROR)                                                        \
    RESULT(CL_MISALIGNED_SUB_BUFFER_OFFSET, 0, DRIVER_ERROR)                                       \
    RESULT(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, 0, DRIVER_ERROR)                          \
    RESULT(CL_COMPILE_PROGRAM_FAILURE, AT(COMPILE) | AT(LINK), ERRC_BUILD)                         \
    RESULT(CL_LINKER_NOT_AVAILABLE, AT(LINK), UNSUPPORTED)                                         \
    RESULT(CL_LINK_PROGRAM_FAILURE, AT(LINK), LINK_ERROR)                                          \
    RESULT(CL_DEVICE_PARTITION_FAILED, 0, DRIVER_ERROR)                                            \
    RESULT(CL_KERNEL_ARG_INFO_NOT_AVAILABLE, 0, DRIVER_ERROR)                                      \
    RESULT(CL_INVALID_VALUE, AT(READ), MALFORMED)                                                  \
    RESULT(CL_INVALID_DEVICE_TYPE, 0, DRIVER_ERROR)                                                \
    RESULT(CL_INVALID_PLATFORM, 0, DRIVER_ERROR)                                                   \
    RESULT(CL_INVALID_DEVICE, 0, DRIVER_ERROR)                                                     \
    RESULT(CL_INVALID_CONTEXT, 0, DRIVER_ERROR)                                                    \
    RESULT(CL_INVALID_QUEUE_PROPERTIES, 0, DRIVER_ERROR)                                           \
    RESULT(CL_INVALID_COMMAND_QUEUE, 0, DRIVER_ERROR)                                              \
    RESULT(CL_INVALID_HOST_PTR, 0, DRIVER_ERROR)                                                   \
    RESULT(CL_INVALID_MEM_OBJECT, AT(LAUNCH), ERRC_KERNEL_ARGUMENT)                                \
    RESULT(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, 0, DRIVER_ERROR)                                    \
    RESULT(CL_INVALID_IMAGE_SIZE, 0, DRIVER_ERROR)                                                 \
    RESULT(CL_INVALID_SAMPLER, 0, DRIVER_ERROR)                                                    \
    RESULT(CL_INVALID_BINARY, AT(READ) | AT(COMPILE) | AT(LINK), MALFORMED)                        \
    RESULT(CL_INVALID_BUILD_OPTIONS, AT(COMPILE) | AT(LINK), ERRC_BUILD)                           \
    RESULT(CL_INVALID_PROGRAM, 0, DRIVER_ERROR)                                                    \
    RESULT(CL_INVALID_PROGRAM_EXECUTABLE, 0, DRIVER_ERROR)                                         \
    RESULT(CL_INVALID_KERNEL_NAME, AT(KERNEL), ERRC_INVALID)                                       \
    RESULT(CL_INVALID_KERNEL_DEFINITION, 0, DRIVER_ERROR)                                          \
    RESULT(CL_INVALID_KERNEL, 0, DRIVER_ERROR)                                                     \
    RESULT(CL_INVALID_ARG_INDEX, AT(LAUNCH), ERRC_KERNEL_ARGUMENT)                                 \
    RESULT(CL_INVALID_ARG_VALUE, AT(LAUNCH), ERRC_KERNEL_ARGUMENT)                                 \
    RESULT(CL_INVALID_ARG_SIZE, AT(LAUNCH), ERRC_KERNEL_ARGUMENT)                                  \
    RESULT(CL_INVALID_KERNEL_ARGS, AT(LAUNCH), ERRC_KERNEL_ARGUMENT)                               \
    RESULT(CL_INVALID_WORK_DIMENSION, AT(LAUNCH), ERRC_ND_RANGE)                                   \
    RESULT(CL_INVALID_WORK_GROUP_SIZE, AT(LAUNCH), ERRC_ND_RANGE)                                  \
    RESULT(CL_INVALID_WORK_ITEM_SIZE, AT(LAUNCH), ERRC_ND_RANGE)                                   \
    RESULT(CL_INVALID_GLOBAL_OFFSET, AT(LAUNCH), ERRC_ND_RANGE)                                    \
    RESULT(CL_INVALID_EVENT_WAIT_LIST, 0, DRIVER_ERROR)                                            \
    RESULT(CL_INVALID_EVENT, 0, DRIVER_ERROR)                                                      \
    RESULT(CL_INVALID_OPERATION, 0, DRIVER_ERROR)                                                  \
    RESULT(CL_INVALID_GL_OBJECT, 0, DRIVER_ERROR)                                                  \
    RESULT(CL_INVALID_BUFFER_SIZE, AT(MEMORY), ERRC_MEMORY_ALLOCATION)                             \
    RESULT(CL_INVALID_MIP_LEVEL, 0, DRIVER_ERROR)                                                  \
    RESULT(CL_INVALID_GLOBAL_WORK_SIZE, AT(LAUNCH), ERRC_ND_RANGE)                                 \
    RESULT(CL_INVALID_PROPERTY, 0, DRIVER_ERROR)                                                   \
    RESULT(CL_INVALID_IMAGE_DESCRIPTOR, 0, DRIVER_ERROR)                                           \
    RESULT(CL_INVALID_COMPILER_OPTIONS, AT(COMPILE) | AT(LINK), ERRC_BUILD)                        \
    RESULT(CL_INVALID_LINKER_OPTIONS, AT(LINK), ERRC_BUILD)                                        \
    RESULT(CL_INVALID_DEVICE_PARTITION_COUNT, 0, DRIVER_ERROR)                                     \
    RESULT(CL_INVALID_PIPE_SIZE, 0, DRIVER_ERROR)                                                  \
    RESULT(CL_INVALID_DEVICE_QUEUE, 0, DRIVER_ERROR)                                               \
    RESULT(CL_INVALID_SPEC_ID, 0, DRIVER_ERROR)                                                    \
    RESULT(CL_MAX_SIZE_RESTRICTION_EXCEEDED, AT(LAUNCH), ERRC_KERNEL_ARGUMENT)

typedef struct result_row {
    cl_int result;
    const char *name;
    unsigned stages;
    rt_code code;
} result_row;

static const result_row rows[] = {
#define RESULT_ROW(result, stages, code) {result, #result, stages, RT_##code},
    RESULTS(RESULT_ROW)
#undef RESULT_ROW
    /* A call that gave nothing and yet succeeded: the driver's fault, so a status like others. */
    {CL_SUCCESS, "CL_SUCCESS without a result", 0, RT_DRIVER_ERROR},
    /* cl_khr_icd; its number is in cl_ext.h only */
    {-1001, "CL_PLATFORM_NOT_FOUND_KHR", AT(OPEN), RT_UNAVAILABLE},
};

static const result_row *row_find(cl_int result)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].result == result) return &rows[i];
    }
    return NULL;
}

const char *ocl_result_name(cl_int result)
{
    const result_row *row = row_find(result);
    return row ? row->name : NULL;
}

rt_code ocl_result_code(ocl_stage stage, cl_int result)
{
    CHECK(stage < OCL_STAGE_COUNT);
    const result_row *row = row_find(result);
    bool listed = row != NULL && (row->stages >> stage & 1u) != 0;
    return listed ? row->code : RT_DRIVER_ERROR;
}

rt_status ocl_fail(rt_sink *sink, ocl_stage stage, const char *call, cl_int result, rt_text log)
{
    const char *name = ocl_result_name(result);
    return rt_fail(sink, ocl_result_code(stage, result), RT_RULE_NONE, "%s: %s (%d)%s%.*s", call,
                   name ? name : "a result that OpenCL 3.0 does not name", (int)result,
                   log.length > 0 ? "; the driver's log:\n" : "", RT_TEXT_ARG(log));
}
