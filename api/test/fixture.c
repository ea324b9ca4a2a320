/* The fixture; see fixture.h. */
#include "api/test/fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void assert_ok(assay_status status)
{
    if (!assay_ok(status)) print_error("%s: %s\n", assay_code_name(status.code), status.message);
    assert_int_equal(status.code, ASSAY_OK);
    assert_string_equal(status.message, "");
    assert_string_equal(status.rule, "");
}

void assert_refused(assay_status status, assay_code code, const char *message)
{
    const char *found = strstr(status.message, message);
    if (status.code != code || !found)
        print_error("%s: %s\n", assay_code_name(status.code), status.message);
    assert_int_equal(status.code, code);
    assert_non_null(found);
}

void fixture_begin(api_fixture *fixture, const assay_options *options)
{
    fixture_begin_on(fixture, "sim", options);
}

void fixture_begin_on(api_fixture *fixture, const char *device, const assay_options *options)
{
    const assay_options isolated = {.isolated = true, .program = PROGRAM};
    fixture->runtime = assay_runtime_create(options ? options : &isolated);
    assert_ok(assay_device_open(fixture->runtime, device, &fixture->device));
    assert_ok(assay_queue_create(fixture->device, NULL, 0, &fixture->queue));
}

void fixture_end(api_fixture *fixture)
{
    assay_runtime_destroy(fixture->runtime);
}

int fixture_set_up(void **state)
{
    static api_fixture fixture;
    fixture_begin(&fixture, NULL);
    *state = &fixture;
    return 0;
}

int fixture_tear_down(void **state)
{
    fixture_end(*state);
    return 0;
}

char *fixture_file(const char *name, size_t *out_size)
{
    char path[4096];
    snprintf(path, sizeof path, MODULES "/%s.so", name);
    FILE *file = fopen(path, "rbe");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    *out_size = (size_t)ftell(file);
    rewind(file);
    char *bytes = malloc(*out_size);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, *out_size, file), *out_size);
    fclose(file);
    return bytes;
}

assay_module *fixture_module(api_fixture *fixture, const char *name)
{
    size_t size;
    char *bytes = fixture_file(name, &size);
    assay_module *module;
    assay_status status = assay_module_read(fixture->runtime, name, bytes, size, &module);
    free(bytes);
    assert_ok(status);
    return module;
}

assay_memory *fixture_values(api_fixture *fixture, const int *values, size_t count)
{
    assay_memory *memory;
    assert_ok(
        assay_buffer_create(fixture->runtime, "values", count * sizeof(int), values, &memory));
    return memory;
}

assay_memory *fixture_buffer(api_fixture *fixture, size_t count)
{
    return fixture_values(fixture, NULL, count);
}

assay_status launch(api_fixture *fixture, const char *kernel, assay_memory *memory, size_t count,
                    assay_event *out_event)
{
    const assay_argument argument = {.kind = ASSAY_ARGUMENT_BUFFER, .memory = memory};
    const assay_launch launched = {.kernel = kernel,
                                   .dimensions = 1,
                                   .global = {count},
                                   .arguments = &argument,
                                   .argument_count = 1};
    return assay_submit(fixture->queue, &launched, out_event);
}

assay_status launch_add(api_fixture *fixture, assay_queue *queue, assay_memory *memory,
                        size_t count, int value, assay_event *out_event)
{
    (void)fixture;
    const assay_argument arguments[] = {
        {.kind = ASSAY_ARGUMENT_BUFFER, .memory = memory},
        {.kind = ASSAY_ARGUMENT_VALUE, .value = &value, .size = sizeof value},
    };
    const assay_launch launched = {.kernel = "add",
                                   .dimensions = 1,
                                   .global = {count},
                                   .arguments = arguments,
                                   .argument_count = 2};
    return assay_submit(queue, &launched, out_event);
}
