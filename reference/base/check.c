/* The panic: how assay ends when it detects a bug in itself. */
#include "reference/base/check.h"

#include <stdio.h>
#include <stdlib.h>

static rt_panic_reporter *panic_reporter;
static void *panic_user;

void rt_panic_set_reporter(rt_panic_reporter *reporter, void *user)
{
    panic_reporter = reporter;
    panic_user = user;
}

void rt_panic(const char *kind, const char *expression, const char *file, int line,
              const char *function)
{
    fprintf(stderr, "assay: panic: %s(%s) failed at %s:%d in %s\n", kind, expression, file, line,
            function);
    rt_panic_reporter *reporter = panic_reporter;
    panic_reporter = NULL; /* A panic inside the reporter must not call it again. */
    if (reporter) reporter(panic_user);
    fprintf(stderr, "assay: this is a bug in assay, not in the scenario or the device\n");
    fflush(stderr);
    abort();
}
