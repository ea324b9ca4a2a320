/* Tests of the table of subjects: their names, and the environments of their children. */
#include "conformance/subject/subject.h"

#include "backends/opencl/opencl.h"
#include "conformance/subject/layer.h"
#include "conformance/subject/unfused.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void names_find_their_subjects(void **state)
{
    (void)state;
    assert_true(cnf_subject_count >= 3);
    for (uint32_t i = 0; i < cnf_subject_count; i++)
        assert_ptr_equal(cnf_subject_find(rt_text_of(cnf_subjects[i].name)), &cnf_subjects[i]);
    assert_null(cnf_subject_find(RT_TEXT("")));
    assert_null(cnf_subject_find(RT_TEXT("simulator")));
}

static void one_oracle_and_an_install_command_for_the_rest(void **state)
{
    (void)state;
    uint32_t oracles = 0;
    for (uint32_t i = 0; i < cnf_subject_count; i++) {
        const cnf_subject *subject = &cnf_subjects[i];
        oracles += subject->oracle ? 1 : 0;
        assert_int_equal(subject->install == NULL, subject->oracle);
        /* A forked child inherits its parent's environment. */
        if (subject->forked) assert_null(subject->environment);
    }
    assert_int_equal(oracles, 1);
}

/* True if it is acceptable that a device could not be opened: its software is not installed, or it
 * is an engine of the simulated device that this processor cannot run, and the message names it. */
static bool may_be_missing(const cnf_subject *subject, const char *text, rt_sink *sink,
                           rt_status status)
{
    if (status.code != RT_UNAVAILABLE) return false;
    if (!subject->oracle) return true;
    const char *message = rt_sink_diagnostic(sink, status)->message.data,
               *value = strchr(text, '=');
    char named[32];
    snprintf(named, sizeof named, "engine '%s'", value + 1);
    print_message("not opened: sim{%s}: %s\n", text, message);
    return strncmp(text, "engine=v", 8) == 0 && strstr(message, named);
}

/* The device must accept every setting that the command line accepts; this cannot be tested if the
 * device is not installed. */
static void every_setting_opens_its_device(void **state)
{
    (void)state;
    rt_sink *sink = rt_sink_create();
    rt_arena arena = {0};
    const dev_open_parameters parameters = {.sink = sink};
    uint32_t tried = 0;
    for (uint32_t i = 0; i < cnf_subject_count; i++) {
        const cnf_setting *setting = cnf_subjects[i].settings;
#ifdef RT_ARENA_BLOCKS /* a build with sanitizers: they refuse RTLD_DEEPBIND, which ocloc needs */
        if (rt_text_is(rt_text_of(cnf_subjects[i].name), "intel-gpu-offline")) continue;
#endif
        for (; setting && setting->name; setting++) {
            for (const char *const *value = setting->values; *value; value++) {
                char text[64];
                snprintf(text, sizeof text, "%s=%s", setting->name, *value);
                rt_text selector = cnf_unfused_device_settings(&arena, rt_text_of(text));
                dev_device *device;
                rt_status status =
                    dev_device_open(cnf_subjects[i].backend, &parameters, selector, &device);
                assert_true(rt_ok(status) || may_be_missing(&cnf_subjects[i], text, sink, status));
                dev_device_destroy(device);
                tried += cnf_subjects[i].oracle ? 1 : 0;
            }
        }
    }
    assert_int_equal(tried, 13); /* the settings of sim, which is always available: schedules,
                                  * engines, tiers, fusion */
    rt_arena_reset(&arena);
    rt_sink_destroy(sink);
}

/* Sets or unsets a variable of this process. */
static void set(const char *name, const char *value)
{
    assert_int_equal(value ? setenv(name, value, 1) : unsetenv(name), 0);
}

static void intel_cpu_is_the_only_driver_of_its_child(void **state)
{
    (void)state;
    const struct {
        const char *venv, *data, *home, *library;
    } rows[] = {
        {"/opt/v", "/data", "/users/a", "/opt/v/lib/libintelocl.so"},
        {NULL, "/data", "/users/a", "/data/assay/venv/lib/libintelocl.so"},
        {"", NULL, "/users/a", "/users/a/.local/share/assay/venv/lib/libintelocl.so"},
        {NULL, "", NULL, "/.local/share/assay/venv/lib/libintelocl.so"},
    };
    const cnf_subject *subject = cnf_subject_find(RT_TEXT("intel-cpu"));
    rt_arena arena = {0};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        set("ASSAY_VENV", rows[i].venv);
        set("XDG_DATA_HOME", rows[i].data);
        set("HOME", rows[i].home);
        const char *const *list = subject->environment(&arena, (rt_text){0});
        const char *const names[] = {"OCL_ICD_VENDORS=", "OCL_ICD_FILENAMES="};
        for (size_t k = 0; k < 2; k++) {
            assert_memory_equal(list[k], names[k], strlen(names[k]));
            assert_string_equal(list[k] + strlen(names[k]), rows[i].library);
        }
        assert_null(list[2]);
    }
    rt_arena_reset(&arena);
}

/* Without an Intel GPU, its driver is configured to run nothing; with one, it is not configured. */
static void intel_gpu_is_captured_without_a_gpu(void **state)
{
    (void)state;
    static const char *const names[] = {"intel-gpu", "intel-gpu-dynamic"};
    rt_arena arena = {0};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const cnf_subject *subject = cnf_subject_find(rt_text_of(names[i]));
        const char *const *list = subject->environment(&arena, (rt_text){0});
        assert_int_equal(list == NULL, subject->executes());
        bool captures = false;
        for (; list && *list; list++)
            captures = captures || strcmp(*list, "SetCommandStreamReceiver=1") == 0;
        assert_int_equal(captures, !subject->executes());
    }
    rt_arena_reset(&arena);
}

/* libsycl uses the same driver, and ignores whatever an earlier run left on disk. */
static void dpcpp_sees_that_driver_and_no_cache(void **state)
{
    (void)state;
    static const char *const expected[] = {
        "OCL_ICD_VENDORS=", "OCL_ICD_FILENAMES=", "ONEAPI_DEVICE_SELECTOR=opencl:cpu",
        "SYCL_CACHE_PERSISTENT=0"};
    const cnf_subject *subject = cnf_subject_find(RT_TEXT("dpcpp"));
    rt_arena arena = {0};
    const char *const *list = subject->environment(&arena, (rt_text){0});
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        assert_memory_equal(list[i], expected[i], strlen(expected[i]));
    assert_null(list[sizeof expected / sizeof *expected]);
    rt_arena_reset(&arena);
}

/* Another installation is used as a whole, with ci/setup's driver where it has none. */
static void an_installation_is_chosen_by_its_folder(void **state)
{
    (void)state;
    rt_arena arena = {0};
    set("ASSAY_VENV", "/opt/v");
    const char *const *list =
        cnf_subject_find(RT_TEXT("intel-cpu"))->environment(&arena, RT_TEXT("/opt/other"));
    assert_string_equal(list[0], "OCL_ICD_VENDORS=/opt/other/lib/libintelocl.so");
    list = cnf_subject_find(RT_TEXT("dpcpp"))->environment(&arena, RT_TEXT("/opt/other"));
    assert_string_equal(list[0], "OCL_ICD_VENDORS=/opt/v/lib/libintelocl.so");
    assert_string_equal(list[4], "ASSAY_VENV=/opt/other");
    assert_null(list[5]);
    char folder[] = "/tmp/assay-root-XXXXXX", command[256];
    assert_non_null(mkdtemp(folder));
    snprintf(command, sizeof command,
             "cd %s && mkdir -p lib64 && touch lib64/libnvJitLink.so.12 lib64/libnvJitLink.so.13",
             folder);
    assert_int_equal(system(command), 0);
    list = cnf_subject_find(RT_TEXT("nvlink"))->environment(&arena, rt_text_of(folder));
    snprintf(command, sizeof command, "ASSAY_NVJITLINK=%s/lib64/libnvJitLink.so.13", folder);
    assert_string_equal(list[0], command);
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
    rt_arena_reset(&arena);
}

/* The subject that accepts source uses the same PoCL as the SPIR-V subject, but with PoCL's own
 * linker, and under the same layer. */
static void pocl_has_two_routes(void **state)
{
    (void)state;
    const cnf_subject *pocl = cnf_subject_find(RT_TEXT("pocl"));
    const cnf_subject *source = cnf_subject_find(RT_TEXT("pocl-source"));
    assert_string_equal(pocl->selector, source->selector);
    assert_ptr_equal(pocl->backend, &ocl_backend);
    assert_ptr_equal(source->backend, &ocl_source_backend);
    assert_true(cnf_layer_fits(source));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_find_their_subjects),
        cmocka_unit_test(one_oracle_and_an_install_command_for_the_rest),
        cmocka_unit_test(every_setting_opens_its_device),
        cmocka_unit_test(intel_cpu_is_the_only_driver_of_its_child),
        cmocka_unit_test(an_installation_is_chosen_by_its_folder),
        cmocka_unit_test(intel_gpu_is_captured_without_a_gpu),
        cmocka_unit_test(dpcpp_sees_that_driver_and_no_cache),
        cmocka_unit_test(pocl_has_two_routes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
