/* Maps OpenCL results to statuses.
 *
 * Source: OpenCL 3.0 API specification, appendix "Error codes", and the errors of each call. */
#include "backends/opencl/ocl_internal.h"
#include "backends/vendor/result.h"

#define AT(stage) (1u << OCL_STAGE_##stage)
#define AT_ANY    ((1u << OCL_STAGE_COUNT) - 1)

/* result, stages at which it has the code, code */
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

static const vendor_result rows[] = {
#define RESULT_ROW(result, stages, code) {(int)result, stages, RT_##code, #result},
    RESULTS(RESULT_ROW)
#undef RESULT_ROW
    /* A call that succeeded but returned nothing: a fault of the driver, reported like any other.
     */
    {CL_SUCCESS, 0, RT_DRIVER_ERROR, "CL_SUCCESS without a result"},
    /* cl_khr_icd; defined only in cl_ext.h */
    {-1001, AT(OPEN), RT_UNAVAILABLE, "CL_PLATFORM_NOT_FOUND_KHR"},
};

const char *ocl_result_name(cl_int result)
{
    return vendor_result_name(rows, sizeof rows / sizeof *rows, (int)result);
}

rt_code ocl_result_code(ocl_stage stage, cl_int result)
{
    CHECK((unsigned)stage < OCL_STAGE_COUNT);
    return vendor_result_code(rows, sizeof rows / sizeof *rows, stage, (int)result);
}

rt_status ocl_fail(rt_sink *sink, ocl_stage stage, const char *call, cl_int result, rt_text log)
{
    const char *name = ocl_result_name(result);
    return rt_fail(sink, ocl_result_code(stage, result), RT_RULE_NONE, "%s: %s (%d)%s%.*s", call,
                   name ? name : "a result that OpenCL 3.0 does not name", (int)result,
                   log.length > 0 ? "; the driver's log:\n" : "", RT_TEXT_ARG(log));
}
