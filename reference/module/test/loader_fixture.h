/* Shared by the tests of the loader: a loader over a table of modules, and a log of its
 * notifications. */
#ifndef REFERENCE_MODULE_TEST_LOADER_FIXTURE_H
#define REFERENCE_MODULE_TEST_LOADER_FIXTURE_H

#include "reference/module/loader.h"

typedef struct fixture {
    rt_sink *sink;
    rt_trace *trace;
    rt_registry registry;
    rt_loader loader;
    rt_chooser chooser; /* for tests that pass it to the loader */
    rt_buffer log;      /* to which the observers append words, each followed by a space */
} fixture;

/* Creates a fixture for the modules, which are borrowed; sets the observer's `user` to the fixture.
 */
fixture *fixture_open(const rt_module *modules, uint32_t count, rt_registry_observer observer);

/* A teardown function for cmocka. */
int fixture_close(void **state);

/* Compares what was logged since the last comparison with `expected`. */
void expect_log(fixture *f, const char *expected);

#endif
