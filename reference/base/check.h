/* Assertions that are on in every build.
 *
 * CHECK states what we have proven to be true: when it fails, assay itself is wrong.  It never
 * looks at data from a file, a driver or a user; such data is validated and becomes a status
 * (status.h).  NDEBUG has no influence. */
#ifndef REFERENCE_BASE_CHECK_H
#define REFERENCE_BASE_CHECK_H

#include <stdbool.h>

/* Panics unless `condition` holds.  The condition must have no side effect. */
#define CHECK(condition)                                                                           \
    ((condition) ? (void)0 : rt_panic("CHECK", #condition, __FILE__, __LINE__, __func__))

/* Panics when `premise` holds and `conclusion` does not. */
#define CHECK_IMPLIES(premise, conclusion) CHECK(!(premise) || (conclusion))

/* Marks a place that no execution reaches. */
#define UNREACHABLE() rt_panic("UNREACHABLE", "", __FILE__, __LINE__, __func__)

#ifdef __GNUC__
#define RT_MUST_USE            __attribute__((warn_unused_result))
#define RT_PRINTF(text, first) __attribute__((format(printf, text, first)))
#define RT_NORETURN            __attribute__((noreturn))
#else
#error "assay is built with gcc or clang"
#endif

/* Prints what failed and where, then what the panic reporter adds, and aborts.  Never returns. */
RT_NORETURN void rt_panic(const char *kind, const char *expression, const char *file, int line,
                          const char *function);

/* Called once by rt_panic before it aborts, to print where the run was (scenario, step, seed, the
 * last trace events).  It may be called with any lock held, so it must not take one. */
typedef void rt_panic_reporter(void *user);

/* Installs the reporter of this process (NULL: none).  `user` is borrowed until replaced.  This is
 * process-wide because a panic ends the process; nothing but the message depends on it. */
void rt_panic_set_reporter(rt_panic_reporter *reporter, void *user);

#endif
