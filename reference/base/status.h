/* Statuses: success, or the reason why the input was refused or the driver or the operating system
 * failed.
 *
 * A status is a small value; its message is kept in a sink.  The codes are the failure classes that
 * the documents and SYCL 2020 ("4.13.2 Exception class interface", sycl::errc) name, since an
 * application observes those, and a few of our own for failures that no application sees. */
#ifndef REFERENCE_BASE_STATUS_H
#define REFERENCE_BASE_STATUS_H

#include "reference/base/rule.h"
#include "reference/base/text.h"

/* code, name in scenarios and messages */
#define RT_CODES(CODE)                                                                             \
    CODE(OK, "success")                                                                            \
    CODE(ERRC_RUNTIME, "errc::runtime")                                                            \
    CODE(ERRC_KERNEL, "errc::kernel")                                                              \
    CODE(ERRC_ACCESSOR, "errc::accessor")                                                          \
    CODE(ERRC_ND_RANGE, "errc::nd_range")                                                          \
    CODE(ERRC_EVENT, "errc::event")                                                                \
    CODE(ERRC_KERNEL_ARGUMENT, "errc::kernel_argument")                                            \
    CODE(ERRC_BUILD, "errc::build")                                                                \
    CODE(ERRC_INVALID, "errc::invalid")                                                            \
    CODE(ERRC_MEMORY_ALLOCATION, "errc::memory_allocation")                                        \
    CODE(ERRC_PLATFORM, "errc::platform")                                                          \
    CODE(ERRC_PROFILING, "errc::profiling")                                                        \
    CODE(ERRC_FEATURE_NOT_SUPPORTED, "errc::feature_not_supported")                                \
    CODE(ERRC_KERNEL_NOT_SUPPORTED, "errc::kernel_not_supported")                                  \
    CODE(ERRC_BACKEND_MISMATCH, "errc::backend_mismatch")                                          \
    CODE(LINK_ERROR, "link-error")           /* the backend's linker refused */                    \
    CODE(POSTLINK_ERROR, "postlink-error")   /* the post-link tool refused */                      \
    CODE(COMPILE_TIME, "compile-time")       /* the compiler refused a source */                   \
    CODE(FUSION_REJECTED, "fusion-rejected") /* the fusion compiler refused */                     \
    CODE(DRIVER_ERROR, "driver-error")       /* a backend call failed for another reason */        \
    CODE(DEVICE_LOST, "device-lost")         /* the device no longer responds */                   \
    CODE(BUDGET, "budget")                   /* a kernel used up its instructions or its stack */  \
    CODE(MALFORMED, "malformed")             /* data that does not follow its format */            \
    CODE(LIMIT, "limit")                     /* a bound of limits.h was exceeded */                \
    CODE(UNSUPPORTED, "unsupported")         /* assay or the device does not support this */       \
    CODE(UNAVAILABLE, "unavailable")         /* something needed is not installed */               \
    CODE(IO, "input-output")                 /* a file or process operation failed */              \
    CODE(TOOL, "tool")                       /* a compiler or tool process died */

typedef enum rt_code {
#define RT_CODE_ENUM(code, name) RT_##code,
    RT_CODES(RT_CODE_ENUM)
#undef RT_CODE_ENUM
        RT_CODE_COUNT
} rt_code;

/* Zero is success.  `detail` identifies the status' diagnostic in its sink. */
typedef struct rt_status {
    uint16_t code; /* rt_code */
    uint16_t rule; /* rt_rule, or RT_RULE_NONE */
    uint32_t detail;
} rt_status;

#define RT_STATUS_OK ((rt_status){0})

static inline bool rt_ok(rt_status status)
{
    return status.code == RT_OK;
}

/* Returns from the calling function if the expression's status is not success. */
#define RT_TRY(expression)                                                                         \
    do {                                                                                           \
        rt_status rt_try_ = (expression);                                                          \
        if (!rt_ok(rt_try_)) return rt_try_;                                                       \
    } while (0)

/* The name of a code, as scenarios write it. */
const char *rt_code_name(rt_code code);

/* Finds a code by name; RT_CODE_COUNT if there is none. */
rt_code rt_code_find(rt_text name);

/* True if a failure with `code` belongs to the documents' failure class `wanted`.  "exception" is
 * any code that reaches the application as a sycl::errc.  LINK_ERROR reaches it as errc::build,
 * DRIVER_ERROR, DEVICE_LOST and BUDGET (from a wait) as errc::runtime, and each matches that class
 * as well as its own; any other code matches only its own.  Source: requirements.yaml, "Failure
 * classes". */
bool rt_code_matches(rt_code code, rt_text wanted);

/* Keeps diagnostics.  Thread-safe; must outlive every status created in it. */
typedef struct rt_sink rt_sink;

typedef struct rt_diagnostic {
    rt_code code;
    rt_rule rule;
    const char
        *file; /* the C source line that created it, for debugging; not part of the message */
    int line;
    rt_text message;      /* one or more human-readable lines, without a final newline */
    const rt_text *names; /* the symbols, kernels or variables concerned */
    uint32_t name_count;
} rt_diagnostic;

/* Creates an empty sink; the caller destroys it, which frees all its diagnostics (NULL does
 * nothing). */
rt_sink *rt_sink_create(void);
void rt_sink_destroy(rt_sink *sink);

/* Creates a status with a message.  `code` is not RT_OK. */
#define rt_fail(sink, code, rule, ...)                                                             \
    rt_sink_fail((sink), (code), (rule), __FILE__, __LINE__, NULL, 0, __VA_ARGS__)

/* Like rt_fail, for a failure that concerns name_count names (copied). */
#define rt_fail_naming(sink, code, rule, names, name_count, ...)                                   \
    rt_sink_fail((sink), (code), (rule), __FILE__, __LINE__, (names), (name_count), __VA_ARGS__)

/* Used by rt_fail and rt_fail_naming. */
RT_MUST_USE rt_status rt_sink_fail(rt_sink *sink, rt_code code, rt_rule rule, const char *file,
                                   int line, const rt_text *names, uint32_t name_count,
                                   const char *format, ...) RT_PRINTF(8, 9);

/* Like rt_fail, for modules that put a location before every message: prefix, then the formatted
 * text. */
RT_MUST_USE rt_status rt_sink_fail_prefixed(rt_sink *sink, rt_code code, rt_text prefix,
                                            const char *file, int line, const char *format,
                                            va_list arguments) RT_PRINTF(6, 0);

/* The diagnostic of a failing status of this sink, valid until the sink is destroyed. */
const rt_diagnostic *rt_sink_diagnostic(rt_sink *sink, rt_status status);

#endif
