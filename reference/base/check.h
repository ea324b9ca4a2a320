/* Assertions: which one to use where.
 *
 * CHECK          A fact that we have proven and that takes constant time to test: a range, a state,
 *                a relation between fields, a postcondition.  On in every build; NDEBUG has no
 *                influence.  Put it where the fact is produced and again where it is relied upon.
 * CHECK_IMPLIES  The same for "whenever a holds, b holds".
 * CHECK_SLOW     A walk over a whole structure, called on entry to and exit from the public
 *                operations of its owner.  On in builds with sanitizers (asan+ubsan, fuzz) only.
 * UNREACHABLE    A branch that no execution takes.
 * _Static_assert Sizes, layouts and table lengths.
 *
 * When one of them fails, assay itself is wrong.  None of them tests data from a file, a driver or
 * a user: such data is validated first, and a failure becomes a status (status.h).  After
 * validation, the same facts may be asserted.  Where a fault can be planted in a rule (rule.h), no
 * assertion may fire because of it: an expectation of a scenario has to detect the fault. */
#ifndef REFERENCE_BASE_CHECK_H
#define REFERENCE_BASE_CHECK_H

#include <stdbool.h>

/* Panics unless `condition` holds.  The condition must have no side effect. */
#define CHECK(condition)                                                                           \
    ((condition) ? (void)0 : rt_panic("CHECK", #condition, __FILE__, __LINE__, __func__))

/* Panics when `premise` holds and `conclusion` does not. */
#define CHECK_IMPLIES(premise, conclusion) CHECK(!(premise) || (conclusion))

/* CHECK for a walk over a whole structure: `condition` is a call to a function
 *
 *     static bool queue_check(const struct queue *queue);
 * that states each fact in a separate CHECK, so that the panic names the fact, and returns true.
 * Every build compiles the condition; builds with sanitizers evaluate it (RT_CHECK_SLOW), and so do
 * unit tests that judge mutants (ci/mutant.h), but not the build with planted faults, in which a
 * broken structure has to reach an expectation.  The walk must have no side effect. */
#if defined RT_CHECK_SLOW && !defined ASSAY_PROVE
#define CHECK_SLOW(condition)                                                                      \
    ((condition) ? (void)0 : rt_panic("CHECK_SLOW", #condition, __FILE__, __LINE__, __func__))
#elif defined MUTANT_CHECKS_SLOW
#define CHECK_SLOW(condition) CHECK(!MUTANT_CHECKS_SLOW || (condition))
#else
#define CHECK_SLOW(condition) ((void)(false && (condition)))
#endif

/* Marks code that no execution reaches. */
#define UNREACHABLE() rt_panic("UNREACHABLE", "", __FILE__, __LINE__, __func__)

#ifdef __GNUC__
#define RT_MUST_USE            __attribute__((warn_unused_result))
#define RT_PRINTF(text, first) __attribute__((format(printf, text, first)))
#define RT_NORETURN            __attribute__((noreturn))
#else
#error "assay is built with gcc or clang"
#endif

/* Prints what failed and where, calls the panic reporter, which may print more, and aborts.  Never
 * returns. */
RT_NORETURN void rt_panic(const char *kind, const char *expression, const char *file, int line,
                          const char *function);

/* Called once by rt_panic before it aborts, to print where the run was (scenario, step, seed, the
 * last trace events).  It may be called with any lock held, so it must not take one. */
typedef void rt_panic_reporter(void *user);

/* Installs the reporter of this process (NULL: none).  `user` is borrowed until replaced.  It is
 * process-wide because a panic ends the process; only the message depends on it. */
void rt_panic_set_reporter(rt_panic_reporter *reporter, void *user);

#endif
