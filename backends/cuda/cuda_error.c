/* Maps CUDA results to statuses.  Names and texts come from the driver, which knows more results
 * than any header.
 *
 * Source: CUDA Driver API reference manual, "CUresult", and the errors of each call. */
#include "backends/cuda/cuda_internal.h"
#include "backends/vendor/result.h"

#define AT(stage) (1u << CUDA_STAGE_##stage)
#define AT_ANY    ((1u << CUDA_STAGE_COUNT) - 1)
#define AT_BUILD  (AT(COMPILE) | AT(LINK) | AT(LOAD))

static const vendor_result rows[] = {
    {CUDA_OUT_OF_MEMORY, AT_ANY, RT_ERRC_MEMORY_ALLOCATION},
    {34, AT(OPEN), RT_UNAVAILABLE},             /* STUB_LIBRARY */
    {36, AT(OPEN), RT_UNAVAILABLE},             /* CALL_REQUIRES_NEWER_DRIVER */
    {46, AT(OPEN), RT_UNAVAILABLE},             /* DEVICE_UNAVAILABLE */
    {46, AT_ANY & ~AT(OPEN), RT_DEVICE_LOST},   /* the same result, but after opening */
    {CUDA_NO_DEVICE, AT(OPEN), RT_UNAVAILABLE}, /* NO_DEVICE */
    {101, AT(OPEN), RT_UNAVAILABLE},            /* INVALID_DEVICE */
    {102, AT(OPEN), RT_UNAVAILABLE},            /* DEVICE_NOT_LICENSED */
    {200, AT_BUILD, RT_MALFORMED},              /* INVALID_IMAGE */
    {209, AT_BUILD, RT_UNSUPPORTED},            /* NO_BINARY_FOR_GPU */
    {214, AT_ANY, RT_DEVICE_LOST},              /* ECC_UNCORRECTABLE */
    {218, AT_BUILD, RT_ERRC_BUILD},             /* INVALID_PTX */
    {220, AT_ANY, RT_DEVICE_LOST},              /* NVLINK_UNCORRECTABLE */
    {221, AT_BUILD, RT_UNSUPPORTED},            /* JIT_COMPILER_NOT_FOUND */
    {222, AT_BUILD, RT_UNSUPPORTED},            /* UNSUPPORTED_PTX_VERSION */
    {223, AT_BUILD, RT_UNSUPPORTED},            /* JIT_COMPILATION_DISABLED */
    {226, AT_ANY, RT_DEVICE_LOST},              /* CONTAINED */
    {300, AT_BUILD, RT_MALFORMED},              /* INVALID_SOURCE */
    /* NOT_FOUND: no symbol with that name */
    {CUDA_NOT_FOUND, AT(KERNEL) | AT(GLOBAL), RT_ERRC_INVALID},
    /* After the results marked DEVICE_LOST below, the context and all its objects are lost. */
    {700, AT_ANY, RT_DEVICE_LOST},       /* ILLEGAL_ADDRESS */
    {701, AT(LAUNCH), RT_ERRC_ND_RANGE}, /* LAUNCH_OUT_OF_RESOURCES: too many work-items for the
                                            registers that the kernel uses */
    {702, AT_ANY, RT_DEVICE_LOST},       /* LAUNCH_TIMEOUT */
    {709, AT_ANY, RT_DEVICE_LOST},       /* CONTEXT_IS_DESTROYED */
    {710, AT_ANY, RT_DEVICE_LOST},       /* ASSERT */
    {714, AT_ANY, RT_DEVICE_LOST},       /* HARDWARE_STACK_ERROR */
    {715, AT_ANY, RT_DEVICE_LOST},       /* ILLEGAL_INSTRUCTION */
    {716, AT_ANY, RT_DEVICE_LOST},       /* MISALIGNED_ADDRESS */
    {717, AT_ANY, RT_DEVICE_LOST},       /* INVALID_ADDRESS_SPACE */
    {718, AT_ANY, RT_DEVICE_LOST},       /* INVALID_PC */
    {719, AT_ANY, RT_DEVICE_LOST},       /* LAUNCH_FAILED */
    {802, AT(OPEN), RT_UNAVAILABLE},     /* SYSTEM_NOT_READY */
    {803, AT(OPEN), RT_UNAVAILABLE},     /* SYSTEM_DRIVER_MISMATCH */
    {804, AT(OPEN), RT_UNAVAILABLE},     /* COMPAT_NOT_SUPPORTED_ON_DEVICE */
};

static const vendor_results results = {.rows = rows, .count = sizeof rows / sizeof *rows};

rt_status cuda_fail(const cuda_device *device, cuda_stage stage, const char *call,
                    cuda_result result, rt_text log)
{
    CHECK(stage < CUDA_STAGE_COUNT);
    const char *name = NULL, *text = NULL;
    if (result == CUDA_SUCCESS) {
        name = "CUDA_SUCCESS without a result";
    } else {
        /* The output of a failed call must not be read. */
        if (device->library.cuGetErrorName(result, &name) != CUDA_SUCCESS) name = NULL;
        if (device->library.cuGetErrorString(result, &text) != CUDA_SUCCESS) text = NULL;
    }
    return rt_fail(device->sink, vendor_result_code(&results, stage, result), RT_RULE_NONE,
                   "%s: %s (%d)%s%s%s%.*s", call,
                   name ? name : "a result that the driver does not name", result, text ? ": " : "",
                   text ? text : "", log.length > 0 ? "; the driver's log:\n" : "",
                   RT_TEXT_ARG(log));
}

rt_status cuda_check(const cuda_device *device, cuda_stage stage, const char *call,
                     cuda_result result)
{
    if (result == CUDA_SUCCESS) return RT_STATUS_OK;
    return cuda_fail(device, stage, call, result, (rt_text){0});
}

rt_status cuda_enter(const cuda_device *device, cuda_stage stage)
{
    CHECK(device->context != NULL);
    CUDA_TRY(device, stage, cuCtxSetCurrent, device->context);
    return RT_STATUS_OK;
}

void cuda_enter_to_free(const cuda_device *device)
{
    device->library.cuCtxSetCurrent(device->context);
}
