/* Tests the C++ front end and the headers of the shipped DPC++ with real sources.
 *
 *     front_end_proofs [PATTERN]
 *
 * Each file in the folder front_end next to this file is a test of the same name. NAME.device.cpp
 * is compiled by the shipped compiler, as a scenario's source is; NAME.host.cpp is compiled by the
 * host's compiler with the package's headers. Comments, which extend to the end of their line,
 * state the expected result:
 *
 *     // refused: TEXT               the compiler reports an error here whose text contains TEXT
 *     // lists SET: NAME             an image has a property of that name in that property set
 *     // does not list SET: NAME     no image has such a property
 *     // variable: ID SIZE SCOPE     an image has that device_global; SCOPE is device or image
 *
 *     // registers: ADDRESS ID       the integration footer, the host half that the compiler
 * writes, registers the variable at that address with that id
 *     // does not register: ADDRESS ID
 *
 * A source without an expected error must compile; every unexpected error fails the test. In an ID,
 * "UID" is replaced by the prefix that distinguishes translation units.
 *
 * A test's name states its purpose: RULE_… shows that the rule holds, RULE_twin_… that the check
 * can fail, and RULE_departs_… that the shipped front end departs from the rule. `assay
 * requirements --prove` uses these tests to close rules whose `proof:` is front-end.
 *
 * Exit status: the number of failed tests; 77 if the shipped compiler is not installed. The program
 * also runs as its own compile worker. */
#include "conformance/build/compile.h"

#include "conformance/build/diagnostics.h"
#include "conformance/build/front_end.h"
#include "conformance/build/packages.h"
#include "conformance/build/toolchain.h"
#include "conformance/process/process.h"
#include "conformance/process/scratch.h"
#include "reference/base/hash.h"
#include "reference/image/device_global.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { TIMEOUT_MS = 120000, SOURCE_MAX = 1 << 16, TESTS_MAX = 256, NO_COMPILER = 77 };

/* The name under which every source is compiled; the unit's prefix is derived from it. */
#define SOURCE_NAME "front_end/0"

static const char *const folder = FRONT_END_SOURCES;
static cnf_cache *cache;
static cnf_toolchain toolchain;

/* ---- A source and what is expected of it --------------------------------------------------- */

typedef struct expected_error {
    uint32_t line;
    rt_text text;
    bool seen;
} expected_error;

typedef struct expected_property {
    rt_text set, name;
    bool absent;
} expected_property;

typedef struct expected_variable {
    rt_text id;
    uint32_t size;
    bool image_scope;
} expected_variable;

typedef struct expected_registration {
    rt_text address, id;
    bool absent;
} expected_registration;

typedef struct source {
    rt_arena arena;
    rt_text text;
    RT_VECTOR(expected_error) errors;
    RT_VECTOR(expected_property) properties;
    RT_VECTOR(expected_variable) variables;
    RT_VECTOR(expected_registration) registrations;
} source;

/* Finds a mark in a line. True if it is present; *out_rest is then the text after it, without
 * leading blanks. */
static bool take_after(rt_text line, const char *mark, rt_text *out_rest)
{
    const char *at = memmem(line.data, line.length, mark, strlen(mark));
    if (!at) return false;
    const char *from = at + strlen(mark), *end = line.data + line.length;
    while (from < end && *from == ' ')
        from++;
    *out_rest = (rt_text){from, (size_t)(end - from)};
    return true;
}

/* Splits a text at the first occurrence of a separator. True if the separator is present. */
static bool cut(rt_text text, char separator, rt_text *out_left, rt_text *out_right)
{
    const char *at = text.length ? memchr(text.data, separator, text.length) : NULL;
    if (!at) return false;
    *out_left = (rt_text){text.data, (size_t)(at - text.data)};
    *out_right = (rt_text){at + 1, text.length - out_left->length - 1};
    while (out_right->length > 0 && out_right->data[0] == ' ')
        *out_right = (rt_text){out_right->data + 1, out_right->length - 1};
    return true;
}

static rt_text unit_prefix(rt_arena *arena)
{
    uint64_t hash = rt_hash64(SOURCE_NAME, sizeof SOURCE_NAME - 1);
    return rt_arena_printf(arena, "uid%016llx", (unsigned long long)hash);
}

/* The id with the unit's prefix substituted for UID. */
static rt_text whole_id(rt_arena *arena, rt_text id)
{
    if (!rt_text_starts(id, "UID")) return id;
    return rt_arena_printf(arena, "%.*s%.*s", RT_TEXT_ARG(unit_prefix(arena)), (int)(id.length - 3),
                           id.data + 3);
}

static void read_variable(source *from, rt_text text)
{
    rt_text id = {0}, rest = {0}, size = {0}, scope = {0};
    assert_true(cut(text, ' ', &id, &rest));
    assert_true(cut(rest, ' ', &size, &scope));
    assert_true(rt_text_is(scope, "image") || rt_text_is(scope, "device"));
    *rt_vector_push(&from->variables) =
        (expected_variable){whole_id(&from->arena, id), (uint32_t)strtoul(size.data, NULL, 10),
                            rt_text_is(scope, "image")};
}

static void read_line(source *from, rt_text line, uint32_t number)
{
    rt_text rest;
    expected_property property = {0};
    if (take_after(line, "// refused: ", &rest))
        *rt_vector_push(&from->errors) = (expected_error){number, rest, false};
    if (take_after(line, "// variable: ", &rest)) read_variable(from, rest);
    expected_registration registration = {0};
    registration.absent = take_after(line, "// does not register: ", &rest);
    if (registration.absent || take_after(line, "// registers: ", &rest)) {
        assert_true(cut(rest, ' ', &registration.address, &registration.id));
        registration.id = whole_id(&from->arena, registration.id);
        *rt_vector_push(&from->registrations) = registration;
    }
    property.absent = take_after(line, "// does not list ", &rest);
    if (property.absent || take_after(line, "// lists ", &rest)) {
        assert_true(cut(rest, ':', &property.set, &property.name));
        property.name = whole_id(&from->arena, property.name);
        *rt_vector_push(&from->properties) = property;
    }
}

static void source_open(source *out, const char *file)
{
    *out = (source){0};
    char path[512], *text = rt_arena_alloc(&out->arena, SOURCE_MAX);
    snprintf(path, sizeof path, "%s/%s", folder, file);
    FILE *stream = fopen(path, "re");
    assert_non_null(stream);
    size_t size = fread(text, 1, SOURCE_MAX, stream);
    fclose(stream);
    assert_true(size > 0 && size < SOURCE_MAX);
    out->text = (rt_text){text, size};
    rt_text rest = out->text, line;
    for (uint32_t number = 1; cut(rest, '\n', &line, &rest); number++) {
        /* cut() also trims blanks from the rest of the text; no directive depends on them. */
        read_line(out, line, number);
    }
}

static void source_close(source *from)
{
    rt_vector_free(&from->errors);
    rt_vector_free(&from->properties);
    rt_vector_free(&from->variables);
    rt_vector_free(&from->registrations);
    rt_arena_reset(&from->arena);
}

/* ---- Errors -------------------------------------------------------------------------------- */

static expected_error *error_find(source *from, uint32_t line, rt_text text)
{
    for (uint32_t i = 0; i < from->errors.count; i++) {
        expected_error *expected = &from->errors.items[i];
        if (expected->line == line &&
            memmem(text.data, text.length, expected->text.data, expected->text.length))
            return expected;
    }
    return NULL;
}

static void judge_errors(source *from, const cnf_compile_message *messages, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (messages[i].severity != CNF_SEVERITY_ERROR) continue;
        expected_error *expected = error_find(from, messages[i].line, messages[i].text);
        if (!expected)
            fail_msg("line %u: unexpected error: %.*s", messages[i].line,
                     RT_TEXT_ARG(messages[i].text));
        expected->seen = true;
    }
    for (uint32_t i = 0; i < from->errors.count; i++) {
        const expected_error *expected = &from->errors.items[i];
        if (!expected->seen)
            fail_msg("line %u: accepted; expected the error: %.*s", expected->line,
                     RT_TEXT_ARG(expected->text));
    }
}

/* ---- Images -------------------------------------------------------------------------------- */

static bool lists(rt_image_list images, const expected_property *expected)
{
    for (uint32_t i = 0; i < images.count; i++) {
        for (uint32_t s = 0; s < images.images[i].set_count; s++) {
            const rt_property_set *set = &images.images[i].sets[s];
            if (rt_text_equal(set->name, expected->set) && rt_property_set_has(set, expected->name))
                return true;
        }
    }
    return false;
}

/* True if an image has the variable. The layout is that of document 002, "New SYCL/device globals
 * property set", except that the scope takes four bytes (requirements.yaml, key dpcpp). */
static bool has_variable(rt_image_list images, const expected_variable *expected)
{
    for (uint32_t i = 0; i < images.count; i++) {
        const rt_property_set *set = rt_image_set(&images.images[i], RT_SET_DEVICE_GLOBALS);
        for (uint32_t k = 0; set && k < set->property_count; k++) {
            const rt_property *property = &set->properties[k];
            uint32_t value[2] = {0};
            if (!rt_text_equal(property->name, expected->id)) continue;
            assert_int_equal(property->bytes.size, sizeof value);
            memcpy(value, property->bytes.data, sizeof value);
            return value[0] == expected->size && (value[1] != 0) == expected->image_scope;
        }
    }
    return false;
}

static void judge_images(const source *from, rt_image_list images)
{
    for (uint32_t i = 0; i < from->properties.count; i++) {
        const expected_property *expected = &from->properties.items[i];
        if (lists(images, expected) == expected->absent)
            fail_msg("%.*s %s %.*s", RT_TEXT_ARG(expected->set),
                     expected->absent ? "lists" : "does not list", RT_TEXT_ARG(expected->name));
    }
    for (uint32_t i = 0; i < from->variables.count; i++) {
        const expected_variable *expected = &from->variables.items[i];
        if (!has_variable(images, expected))
            fail_msg("no image has device_global %.*s of %u bytes with %s scope",
                     RT_TEXT_ARG(expected->id), expected->size,
                     expected->image_scope ? "image" : "device");
    }
}

/* ---- The integration footer ---------------------------------------------------------------- */

static void judge_footer(const source *from, rt_text footer)
{
    for (uint32_t i = 0; i < from->registrations.count; i++) {
        const expected_registration *expected = &from->registrations.items[i];
        char call[256];
        int length = snprintf(call, sizeof call, "device_global_map::add((void *)&%.*s, \"%.*s\");",
                              RT_TEXT_ARG(expected->address), RT_TEXT_ARG(expected->id));
        assert_true(length > 0 && (size_t)length < sizeof call);
        bool is_present = memmem(footer.data, footer.length, call, (size_t)length) != NULL;
        if (is_present == expected->absent)
            fail_msg("the footer %s %s", expected->absent ? "has" : "lacks", call);
    }
}

/* Compiles the source again for the footer, which an artefact holds only for the host half. */
static void compile_footer(source *from)
{
    rt_sink *sink = rt_sink_create();
    const cnf_front_end_options options = {.split = RT_SPLIT_AUTO};
    const cnf_request_source code = {SCN_LANGUAGE_SYCL, RT_TEXT(SOURCE_NAME), from->text};
    cnf_front_end_run run = {0};
    cnf_message_list messages = {0};
    assert_true(
        rt_ok(cnf_front_end_start(sink, &from->arena, NULL, &toolchain, &code, &options, &run)));
    assert_true(rt_ok(cnf_front_end_finish(sink, &from->arena, &code, &run, &messages)));
    rt_reader output = rt_reader_of(rt_buffer_bytes(&run.output));
    (void)rt_read_bytes(&output); /* the SYCLBIN */
    (void)rt_read_text(&output);  /* the header */
    rt_text footer = rt_read_text(&output);
    assert_true(rt_reader_finished(&output) && footer.length > 0);
    judge_footer(from, footer);
    rt_vector_free(&messages);
    cnf_front_end_free(&run);
    rt_sink_destroy(sink);
}

/* ---- The two compilers --------------------------------------------------------------------- */

static void compile_for_device(source *from)
{
    scn_source code = {
        .language = SCN_LANGUAGE_SYCL, .name = RT_TEXT(SOURCE_NAME), .code = from->text};
    scn_module module = {.name = RT_TEXT("front_end"), .sources = &code, .source_count = 1};
    module.split = RT_SPLIT_AUTO;
    rt_buffer request = {0}, bytes = {0};
    cnf_compile_answer answer;
    cnf_compile_request_module(&request, &module, RT_PROFILE_DOCUMENTS, RT_FORMAT_SPIRV64, false);
    cnf_compile_call(cache, &from->arena, rt_buffer_bytes(&request), TIMEOUT_MS, &bytes, &answer);
    rt_buffer_free(&request);
    if (answer.code != RT_OK && answer.code != RT_COMPILE_TIME)
        fail_msg("%.*s", RT_TEXT_ARG(answer.message));
    judge_errors(from, answer.messages, answer.message_count);
    if (answer.code == RT_OK) {
        rt_sink *sink = rt_sink_create();
        rt_image_list images;
        rt_reader reader = rt_reader_of(answer.artefact);
        assert_true(rt_ok(rt_image_list_read(sink, &from->arena, &reader, &images)));
        judge_images(from, images);
        rt_sink_destroy(sink);
    }
    rt_buffer_free(&bytes);
    if (from->registrations.count > 0) compile_footer(from);
}

static void compile_for_host(source *from)
{
    char path[PATH_MAX];
    assert_true(cnf_toolchain_find_program(path, "g++"));
    rt_text packages = cnf_packages_folder(&from->arena);
    const char *include = rt_arena_printf(&from->arena, "%.*s/include", RT_TEXT_ARG(packages)).data;
    const char *const arguments[] = {"g++",
                                     "-x",
                                     "c++",
                                     "-std=c++17",
                                     "-fsyntax-only",
                                     "-DSYCL_DISABLE_FSYCL_SYCLHPP_WARNING",
                                     "-I",
                                     include,
                                     "-",
                                     NULL};
    static const char *const environment[] = {"PATH=/usr/bin:/bin", "LC_ALL=C", NULL};
    cnf_process process = {0};
    rt_buffer output = {0}, errors = {0};
    cnf_message_list messages = {0};
    rt_bytes input = {(const uint8_t *)from->text.data, from->text.length};
    assert_int_equal(cnf_process_start(&process, path, arguments, environment, input), 0);
    cnf_process_result result = cnf_process_finish(&process, TIMEOUT_MS, &output, &errors);
    assert_int_equal(result.end, CNF_PROCESS_EXITED);
    uint32_t count = cnf_diagnostics_collect(&from->arena, cnf_diagnostic_clang, RT_TEXT("<stdin>"),
                                             rt_buffer_text(&errors), &messages);
    assert_true((result.code == 0) == (count == 0));
    judge_errors(from, messages.items, messages.count);
    rt_vector_free(&messages);
    rt_buffer_free(&output);
    rt_buffer_free(&errors);
}

/* ---- Tests --------------------------------------------------------------------------------- */

static void show(void **state)
{
    const char *file = *state;
    source from;
    source_open(&from, file);
    if (strstr(file, ".device.")) {
        compile_for_device(&from);
    } else {
        compile_for_host(&from);
    }
    source_close(&from);
}

static int compare_names(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

/* Lists the names of the folder's test files, sorted. */
static uint32_t list_files(rt_arena *arena, const char **out_files)
{
    DIR *files = opendir(folder);
    uint32_t count = 0;
    for (struct dirent *entry; files && (entry = readdir(files)) && count < TESTS_MAX;) {
        bool ours = strstr(entry->d_name, ".device.cpp") || strstr(entry->d_name, ".host.cpp");
        if (ours) out_files[count++] = rt_arena_text(arena, rt_text_of(entry->d_name)).data;
    }
    if (files) closedir(files);
    if (count > 1) qsort(out_files, count, sizeof *out_files, compare_names);
    return count;
}

static struct CMUnitTest test_of(rt_arena *arena, const char *file)
{
    rt_text name = {file, strcspn(file, ".")};
    return (struct CMUnitTest){.name = rt_arena_text(arena, name).data,
                               .test_func = show,
                               .initial_state = (void *)(uintptr_t)file};
}

/* Prints the compiler's version, which is recorded with the results. */
static bool tell_versions(void)
{
    static const char *const arguments[] = {"assay-sycl-compiler", "--version", NULL};
    rt_arena arena = {0};
    rt_text packages = cnf_packages_folder(&arena);
    const char *libraries =
        rt_arena_printf(&arena, "LD_LIBRARY_PATH=%.*s/lib", RT_TEXT_ARG(packages)).data;
    const char *const environment[] = {"PATH=/usr/bin:/bin", libraries, NULL};
    cnf_process process = {0};
    rt_buffer output = {0}, errors = {0};
    bool is_known = toolchain.sycl[0] && cnf_process_start(&process, toolchain.sycl, arguments,
                                                           environment, (rt_bytes){0}) == 0;
    if (is_known) is_known = cnf_process_finish(&process, TIMEOUT_MS, &output, &errors).code == 0;
    if (is_known) printf("shown with: %s", rt_buffer_string(&output));
    fflush(stdout);
    rt_buffer_free(&output);
    rt_buffer_free(&errors);
    rt_arena_reset(&arena);
    return is_known;
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "worker") == 0) return cnf_worker_main(argc - 1, argv + 1);
    rt_arena arena = {0};
    rt_text warning;
    const char *files[TESTS_MAX];
    struct CMUnitTest tests[TESTS_MAX];
    cnf_toolchain_find(&toolchain);
    if (!tell_versions()) {
        printf("the shipped compiler is not installed; ci/setup --with dpcpp\n");
        return NO_COMPILER;
    }
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    cache = cnf_cache_open((rt_text){0}, &warning);
    uint32_t count = list_files(&arena, files);
    for (uint32_t i = 0; i < count; i++)
        tests[i] = test_of(&arena, files[i]);
    int failed = _cmocka_run_group_tests("front end", tests, count, NULL, NULL);
    cnf_cache_close(cache);
    rt_arena_reset(&arena);
    return failed;
}
