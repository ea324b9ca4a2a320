/* A runtime with the simulated device and a queue, for the tests of the library. */
#ifndef API_TEST_FIXTURE_H
#define API_TEST_FIXTURE_H

#include "api/assay.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

typedef struct api_fixture {
    assay_runtime *runtime;
    assay_device *device;
    assay_queue *queue;
} api_fixture;

/* Creates a runtime, isolated unless the options say otherwise; destroys it. */
void fixture_begin(api_fixture *fixture, const assay_options *options);
void fixture_begin_on(api_fixture *fixture, const char *device, const assay_options *options);
void fixture_end(api_fixture *fixture);

/* The same for each test of a group. */
int fixture_set_up(void **state);
int fixture_tear_down(void **state);

/* The contents of the file of a module of modules.yaml, which the caller frees; registers it. */
char *fixture_file(const char *name, size_t *out_size);
assay_module *fixture_module(api_fixture *fixture, const char *name);

/* A buffer of ints with contents, or without. */
assay_memory *fixture_values(api_fixture *fixture, const int *values, size_t count);
assay_memory *fixture_buffer(api_fixture *fixture, size_t count);

/* Launches a kernel with a buffer, or `add` with a buffer and a value, over `count` work-items. */
assay_status launch(api_fixture *fixture, const char *kernel, assay_memory *memory, size_t count,
                    assay_event *out_event);
assay_status launch_add(api_fixture *fixture, assay_queue *queue, assay_memory *memory,
                        size_t count, int value, assay_event *out_event);

/* Check a status: success, or a refusal whose message contains the text. */
void assert_ok(assay_status status);
void assert_refused(assay_status status, assay_code code, const char *message);

#endif
