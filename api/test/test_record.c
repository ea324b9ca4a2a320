/* Tests of the records that one process leaves for another: what is written is read, and a record
 * that ends early, or whose numbers are wrong, is refused. */
#include "api/process.h"
#include "api/record.h"
#include "api/test/fixture.h"

#include "reference/base/stream.h"

#include <dirent.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Writes the record of a module of modules.yaml into a new folder, and reads the file. */
static void record_make(const char *module, rt_buffer *out_bytes)
{
    char folder[] = "/tmp/assay-record-XXXXXX", path[4096];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, MODULES "/%s.so", module);
    setenv(API_RECORD_VARIABLE, folder, 1);
    void *opened = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    unsetenv(API_RECORD_VARIABLE);
    assert_non_null(opened);
    dlclose(opened);
    DIR *listing = opendir(folder);
    unsigned count = 0;
    for (const struct dirent *entry; (entry = readdir(listing));) {
        if (entry->d_name[0] == '.') continue;
        count++;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        char block[65536];
        FILE *file = fopen(path, "rbe");
        assert_non_null(file);
        for (size_t size; (size = fread(block, 1, sizeof block, file)) > 0;)
            rt_buffer_append(out_bytes, block, size);
        fclose(file);
        unlink(path);
    }
    closedir(listing);
    rmdir(folder);
    assert_int_equal(count, 1);
}

static rt_status record_read(rt_bytes bytes, rt_arena *arena, rt_sink *sink, api_record *out_record)
{
    rt_arena_reset(arena);
    return api_record_read(sink, arena, bytes, out_record);
}

static void a_record_has_what_decides_linking(void **state)
{
    (void)state;
    rt_buffer bytes = {0};
    rt_arena arena = {0};
    rt_sink *sink = rt_sink_create();
    api_record record;
    record_make("app", &bytes);
    assert_true(rt_ok(record_read(rt_buffer_bytes(&bytes), &arena, sink, &record)));
    assert_int_equal(record.process, getpid());
    assert_true(record.program != 0);
    assert_true(record.executable.length > 0);
    assert_true(rt_text_is(record.path, MODULES "/app.so"));
    assert_int_equal(record.refusal.length, 0);
    assert_int_equal(record.binaries.count, 2);
    const rt_device_binary *first = &record.binaries.items[0];
    assert_int_equal(first->format, RT_BINARY_SPIRV);
    assert_true(rt_text_is(first->target, "spir64"));
    assert_int_equal(first->entry_count, 1);
    assert_true(rt_text_is(first->entries[0], "apply"));
    assert_int_equal(first->properties.count, 1);
    assert_true(rt_text_is(first->properties.sets[0].name, RT_SET_IMPORTED_SYMBOLS));
    assert_int_equal(rt_binary_format_of(first->code), RT_BINARY_SPIRV);
    assert_true(record.code_sizes[0] > first->code.size);
    rt_sink_destroy(sink);
    rt_arena_reset(&arena);
    rt_buffer_free(&bytes);
}

static void damaged_records_are_refused(void **state)
{
    (void)state;
    rt_buffer bytes = {0};
    rt_arena arena = {0};
    rt_sink *sink = rt_sink_create();
    api_record record;
    record_make("app", &bytes);
    for (size_t size = 0; size < bytes.size; size++) {
        rt_status status =
            record_read((rt_bytes){(const uint8_t *)bytes.data, size}, &arena, sink, &record);
        assert_int_equal(status.code, RT_MALFORMED);
        assert_int_equal(record.binaries.count, 0);
    }
    /* Any byte may be wrong: the record is refused, or is another one. */
    for (size_t i = 0; i < bytes.size; i++) {
        bytes.data[i] ^= 0x55;
        rt_status status = record_read(rt_buffer_bytes(&bytes), &arena, sink, &record);
        assert_true(rt_ok(status) || status.code == RT_MALFORMED);
        bytes.data[i] ^= 0x55;
    }
    rt_buffer_append_byte(&bytes, '\0');
    assert_int_equal(record_read(rt_buffer_bytes(&bytes), &arena, sink, &record).code,
                     RT_MALFORMED);
    rt_sink_destroy(sink);
    rt_arena_reset(&arena);
    rt_buffer_free(&bytes);
}

/* The order of registration, and what has been undone, are kept; a descriptor may be registered
 * twice. */
static void the_process_counts_registrations(void **state)
{
    (void)state;
    static const char here[2];
    const uint64_t version = api_process_version();
    api_process_register(&here[0], (api_next){0});
    api_process_register(&here[1], (api_next){0});
    api_process_register(&here[0], (api_next){0});
    assert_true(api_process_version() > version);
    api_registrations list = {0};
    api_process_list(&list);
    assert_int_equal(list.count, 3);
    const uint64_t first = list.items[0].number, last = list.items[2].number;
    assert_true(first < last && list.items[0].descriptor == list.items[2].descriptor);
    api_process_unregister(&here[0]);
    assert_true(api_process_holds(first) && !api_process_holds(last));
    api_process_unregister(&here[0]);
    api_process_unregister(&here[0]); /* not registered */
    assert_false(api_process_holds(first));
    rt_vector_free(&list);
    api_process_list(&list);
    assert_int_equal(list.count, 1);
    rt_vector_free(&list);
    api_process_unregister(&here[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_record_has_what_decides_linking),
        cmocka_unit_test(damaged_records_are_refused),
        cmocka_unit_test(the_process_counts_registrations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
