/* Maps Level Zero results to statuses.
 *
 * Source: Level Zero specification 1.8, "ze_result_t" and the results of each call. */
#include "backends/level_zero/l0_internal.h"
#include "backends/vendor/result.h"

#define AT(stage) (1u << L0_STAGE_##stage)
#define AT_ANY    ((1u << L0_STAGE_COUNT) - 1)

/* result without ZE_RESULT_, stages at which it has the code, code */
#define RESULTS(RESULT)                                                                            \
    RESULT(NOT_READY, 0, DRIVER_ERROR)                                                             \
    RESULT(ERROR_DEVICE_LOST, AT_ANY, DEVICE_LOST)                                                 \
    RESULT(ERROR_OUT_OF_HOST_MEMORY, AT_ANY, ERRC_MEMORY_ALLOCATION)                               \
    RESULT(ERROR_OUT_OF_DEVICE_MEMORY, AT_ANY, ERRC_MEMORY_ALLOCATION)                             \
    RESULT(ERROR_MODULE_BUILD_FAILURE, AT(MODULE) | AT(LINK), ERRC_BUILD)                          \
    RESULT(ERROR_MODULE_LINK_FAILURE, AT(LINK), LINK_ERROR)                                        \
    RESULT(ERROR_DEVICE_REQUIRES_RESET, AT_ANY, DEVICE_LOST)                                       \
    RESULT(ERROR_DEVICE_IN_LOW_POWER_STATE, 0, DRIVER_ERROR)                                       \
    RESULT(ERROR_INSUFFICIENT_PERMISSIONS, AT(OPEN), UNAVAILABLE)                                  \
    RESULT(ERROR_NOT_AVAILABLE, 0, DRIVER_ERROR)                                                   \
    RESULT(ERROR_DEPENDENCY_UNAVAILABLE, AT(OPEN), UNAVAILABLE)                                    \
    RESULT(ERROR_UNINITIALIZED, AT(OPEN), UNAVAILABLE)                                             \
    RESULT(ERROR_UNSUPPORTED_VERSION, AT(MODULE) | AT(LINK), UNSUPPORTED)                          \
    RESULT(ERROR_UNSUPPORTED_FEATURE, AT(MODULE) | AT(LINK) | AT(BINARY), UNSUPPORTED)             \
    RESULT(ERROR_INVALID_ARGUMENT, 0, DRIVER_ERROR)                                                \
    RESULT(ERROR_INVALID_NULL_HANDLE, 0, DRIVER_ERROR)                                             \
    RESULT(ERROR_HANDLE_OBJECT_IN_USE, 0, DRIVER_ERROR)                                            \
    RESULT(ERROR_INVALID_NULL_POINTER, 0, DRIVER_ERROR)                                            \
    RESULT(ERROR_INVALID_SIZE, 0, DRIVER_ERROR)                                                    \
    RESULT(ERROR_UNSUPPORTED_SIZE, AT(MEMORY), ERRC_MEMORY_ALLOCATION)                             \
    RESULT(ERROR_UNSUPPORTED_ALIGNMENT, 0, DRIVER_ERROR)                                           \
    RESULT(ERROR_INVALID_SYNCHRONIZATION_OBJECT, 0, DRIVER_ERROR)                                  \
    RESULT(ERROR_INVALID_ENUMERATION, 0, DRIVER_ERROR)                                             \
    RESULT(ERROR_UNSUPPORTED_ENUMERATION, 0, DRIVER_ERROR)                                         \
    RESULT(ERROR_UNSUPPORTED_IMAGE_FORMAT, 0, DRIVER_ERROR)                                        \
    RESULT(ERROR_INVALID_NATIVE_BINARY, AT(MODULE) | AT(LINK), MALFORMED)                          \
    RESULT(ERROR_INVALID_GLOBAL_NAME, AT(GLOBAL), ERRC_INVALID)                                    \
    RESULT(ERROR_INVALID_KERNEL_NAME, AT(KERNEL), ERRC_INVALID)                                    \
    RESULT(ERROR_INVALID_FUNCTION_NAME, 0, DRIVER_ERROR)                                           \
    RESULT(ERROR_INVALID_GROUP_SIZE_DIMENSION, AT(LAUNCH), ERRC_ND_RANGE)                          \
    RESULT(ERROR_INVALID_GLOBAL_WIDTH_DIMENSION, AT(LAUNCH), ERRC_ND_RANGE)                        \
    RESULT(ERROR_INVALID_KERNEL_ARGUMENT_INDEX, AT(LAUNCH), ERRC_KERNEL_ARGUMENT)                  \
    RESULT(ERROR_INVALID_KERNEL_ARGUMENT_SIZE, AT(LAUNCH), ERRC_KERNEL_ARGUMENT)                   \
    RESULT(ERROR_INVALID_KERNEL_ATTRIBUTE_VALUE, 0, DRIVER_ERROR)                                  \
    RESULT(ERROR_INVALID_MODULE_UNLINKED, 0, DRIVER_ERROR)                                         \
    RESULT(ERROR_INVALID_COMMAND_LIST_TYPE, 0, DRIVER_ERROR)                                       \
    RESULT(ERROR_OVERLAPPING_REGIONS, 0, DRIVER_ERROR)                                             \
    RESULT(ERROR_UNKNOWN, 0, DRIVER_ERROR)

static const vendor_result rows[] = {
#define RESULT_ROW(result, stages, code)                                                           \
    {(int)ZE_RESULT_##result, stages, RT_##code, "ZE_RESULT_" #result},
    RESULTS(RESULT_ROW)
#undef RESULT_ROW
    /* A call that succeeded but returned nothing: a fault of the driver, reported like any other.
     */
    {(int)ZE_RESULT_SUCCESS, 0, RT_DRIVER_ERROR, "ZE_RESULT_SUCCESS without a result"},
};

const char *l0_result_name(ze_result_t result)
{
    return vendor_result_name(rows, sizeof rows / sizeof *rows, (int)result);
}

rt_code l0_result_code(l0_stage stage, ze_result_t result)
{
    CHECK((unsigned)stage < L0_STAGE_COUNT);
    return vendor_result_code(rows, sizeof rows / sizeof *rows, stage, (int)result);
}

rt_status l0_fail(rt_sink *sink, l0_stage stage, const char *call, ze_result_t result, rt_text log)
{
    const char *name = l0_result_name(result);
    return rt_fail(sink, l0_result_code(stage, result), RT_RULE_NONE, "%s: %s (0x%x)%s%.*s", call,
                   name ? name : "a result that Level Zero does not name", (unsigned)result,
                   log.length > 0 ? "; the driver's log:\n" : "", RT_TEXT_ARG(log));
}
