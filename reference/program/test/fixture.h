/* Images and a program manager for unit tests. */
#ifndef REFERENCE_PROGRAM_TEST_FIXTURE_H
#define REFERENCE_PROGRAM_TEST_FIXTURE_H

#include "reference/program/program_internal.h"
#include "reference/program/test/counting_device.h"

typedef struct fixture {
    rt_arena arena;
    rt_sink *sink;
    rt_trace *trace;
    rt_chooser chooser;
    rt_registry registry;
    rt_loader loader;
    rt_program_manager *manager;
    rt_device device;
    counting_device *counting;
} fixture;

/* One module with one image; lists are names separated by spaces, NULL for none. */
typedef struct fixture_module {
    const char *name, *kernels, *imports, *exports;
    rt_format format;
} fixture_module;

/* Sets everything up with module_count modules, none loaded, and a device of counting_backend. */
fixture *fixture_create(const fixture_module *modules, uint32_t module_count, const char *selector);
void fixture_destroy(fixture *fixture);

/* The registered image of the module of that name (modules are loaded with rt_loader_open). */
const rt_registered_image *fixture_image(fixture *fixture, const char *module);

/* Number of trace events of a kind. */
uint32_t fixture_count(fixture *fixture, rt_event_kind kind);

#endif
