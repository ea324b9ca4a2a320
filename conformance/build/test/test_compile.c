/* Tests compilation: requests, answers, options, the cache, and the worker and its crashes. The
 * program is its own worker: started as `<program> worker` it serves one request, as the real
 * program does, and as `<program> offline` it is the offline compiler; any other first argument
 * selects tests by name. */
#include "conformance/build/answer.h"
#include "conformance/build/cache.h"
#include "conformance/build/compile.h"
#include "conformance/build/front_end.h"
#include "conformance/build/request.h"
#include "conformance/process/process.h"
#include "reference/base/alloc.h"

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { TIMEOUT_MS = 60000 };

/* Each test has its own cache folder. */
typedef struct compile_fixture {
    char folder[64];
    cnf_cache *cache;
    rt_sink *sink;
    rt_arena arena;
    rt_buffer request;
    rt_buffer bytes; /* of the last answer */
    cnf_compile_answer answer;
} compile_fixture;

static int open_fixture(void **state)
{
    compile_fixture *fixture = rt_alloc(sizeof *fixture);
    strcpy(fixture->folder, "/tmp/compile-test-XXXXXX");
    assert_non_null(mkdtemp(fixture->folder));
    rt_text warning;
    fixture->cache = cnf_cache_open(rt_text_of(fixture->folder), &warning);
    assert_int_equal(warning.length, 0);
    fixture->sink = rt_sink_create();
    *state = fixture;
    return 0;
}

static int close_fixture(void **state)
{
    compile_fixture *fixture = *state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", fixture->folder);
    assert_int_equal(system(command), 0);
    cnf_cache_close(fixture->cache);
    rt_sink_destroy(fixture->sink);
    rt_arena_reset(&fixture->arena);
    rt_buffer_free(&fixture->request);
    rt_buffer_free(&fixture->bytes);
    rt_free(fixture);
    return 0;
}

/* Requests the compilation of a module. */
static const cnf_compile_answer *call(compile_fixture *fixture, const scn_module *module)
{
    rt_buffer_free(&fixture->request);
    rt_buffer_free(&fixture->bytes);
    cnf_compile_request_module(&fixture->request, module, RT_PROFILE_DOCUMENTS, RT_FORMAT_SPIRV64,
                               false);
    cnf_compile_call(fixture->cache, &fixture->arena, rt_buffer_bytes(&fixture->request),
                     TIMEOUT_MS, &fixture->bytes, &fixture->answer);
    return &fixture->answer;
}

/* Requests the compilation of a module "app" with two sources, or with one if `second` is NULL. */
static const cnf_compile_answer *call_module(compile_fixture *fixture, const char *options,
                                             const char *first, const char *second)
{
    scn_source sources[2] = {{.name = RT_TEXT("app/0"), .code = rt_text_of(first)},
                             {.name = RT_TEXT("app/1"), .code = rt_text_of(second)}};
    scn_module module = {.name = RT_TEXT("app"),
                         .sources = sources,
                         .source_count = second ? 2 : 1,
                         .split = RT_SPLIT_PER_SOURCE,
                         .build_options = rt_text_of(options)};
    return call(fixture, &module);
}

static rt_image_list images_of(compile_fixture *fixture)
{
    assert_int_equal(fixture->answer.code, RT_OK);
    rt_reader reader = rt_reader_of(fixture->answer.artefact);
    rt_image_list list;
    assert_true(rt_ok(rt_image_list_read(fixture->sink, &fixture->arena, &reader, &list)));
    return list;
}

/* ---- Forms --------------------------------------------------------------------------------- */

/* Every truncation of a request is detected. */
static void assert_cuts_noticed(compile_fixture *fixture)
{
    rt_bytes bytes = rt_buffer_bytes(&fixture->request);
    cnf_request request;
    for (size_t size = 0; size < bytes.size; size++) {
        rt_bytes cut = {bytes.data, size};
        rt_status status = cnf_request_read(fixture->sink, &fixture->arena, cut, &request);
        assert_int_equal(status.code, RT_MALFORMED);
    }
}

static void requests_round_trip(void **state)
{
    compile_fixture *fixture = *state;
    const rt_property property = {.name = RT_TEXT("p"), .type = RT_PROPERTY_UINT32, .number = 7};
    const rt_property_set set = {RT_TEXT("s"), &property, 1};
    const rt_text kernel = RT_TEXT("other");
    scn_source source = {.name = RT_TEXT("a/0"), .code = RT_TEXT("kernel void k() {}")};
    const scn_hand_image images[2] = {
        {.source = {.language = SCN_LANGUAGE_SPIRV, .name = RT_TEXT("a/1"), .code = RT_TEXT("x")},
         .format = RT_FORMAT_SPIRV64_GEN,
         .kernels_given = true,
         .kernels = &kernel,
         .kernel_count = 1,
         .sets_given = true,
         .sets = &set,
         .set_count = 1,
         .compile_options = RT_TEXT("-c"),
         .link_options = RT_TEXT("-l")},
        {.source = source}};
    scn_module module = {.name = RT_TEXT("a"),
                         .sources = &source,
                         .source_count = 1,
                         .split = RT_SPLIT_PER_KERNEL,
                         .build_options = RT_TEXT("-DX=1"),
                         .compile_options = RT_TEXT("-d"),
                         .link_options = RT_TEXT("-e"),
                         .hand_images = images,
                         .hand_image_count = 2};
    cnf_compile_request_module(&fixture->request, &module, RT_PROFILE_DPCPP, RT_FORMAT_SPIRV64,
                               false);
    cnf_request request;
    rt_bytes bytes = rt_buffer_bytes(&fixture->request);
    assert_true(rt_ok(cnf_request_read(fixture->sink, &fixture->arena, bytes, &request)));
    assert_int_equal(request.kind, CNF_REQUEST_MODULE);
    assert_int_equal(request.split, RT_SPLIT_PER_KERNEL);
    assert_int_equal(request.profile, RT_PROFILE_DPCPP);
    assert_int_equal(request.formats, 1u << RT_FORMAT_SPIRV64);
    assert_true(rt_text_is(request.compile_options, "-d"));
    assert_true(rt_text_is(request.link_options, "-e"));
    assert_true(rt_text_is(request.sources[0].code, "kernel void k() {}"));
    assert_int_equal(request.image_count, 2);
    const cnf_request_image *image = &request.images[0];
    assert_int_equal(image->source.language, SCN_LANGUAGE_SPIRV);
    assert_true(image->kernels_given && image->sets_given);
    assert_int_equal(image->claims.format, RT_FORMAT_SPIRV64_GEN);
    assert_true(rt_text_is(image->claims.kernels[0], "other"));
    assert_int_equal(image->claims.sets[0].properties[0].number, 7);
    assert_true(rt_text_is(image->claims.link_options, "-l"));
    assert_false(request.images[1].kernels_given || request.images[1].sets_given);
    assert_cuts_noticed(fixture);
}

static void link_requests_round_trip(void **state)
{
    compile_fixture *fixture = *state;
    const uint8_t spirv[] = {1, 2, 3}, value[] = {4, 5};
    const dev_spec_constant constant = {.id = 9, .value = {value, 2}};
    const dev_code codes[2] = {{.format = RT_FORMAT_SPIRV64, .bytes = {spirv, 3}},
                               {.format = RT_FORMAT_SPIRV64,
                                .bytes = {spirv, 2},
                                .constants = &constant,
                                .constant_count = 1}};
    cnf_compile_request_link(&fixture->request, codes, 2);
    cnf_request request;
    rt_bytes bytes = rt_buffer_bytes(&fixture->request);
    assert_true(rt_ok(cnf_request_read(fixture->sink, &fixture->arena, bytes, &request)));
    assert_int_equal(request.kind, CNF_REQUEST_LINK);
    assert_int_equal(request.code_count, 2);
    assert_int_equal(request.codes[0].constant_count, 0);
    assert_int_equal(request.codes[1].spirv.size, 2);
    assert_int_equal(request.codes[1].constants[0].id, 9);
    assert_int_equal(request.codes[1].constants[0].value.data[1], 5);
    assert_cuts_noticed(fixture);
}

static void requests_for_ptx_round_trip(void **state)
{
    compile_fixture *fixture = *state;
    const uint8_t spirv[] = {1, 2, 3}, value[] = {4};
    const dev_spec_constant constant = {.id = 9, .value = {value, 1}};
    const dev_code code = {.format = RT_FORMAT_SPIRV64,
                           .bytes = {spirv, 3},
                           .constants = &constant,
                           .constant_count = 1};
    cnf_compile_request_ptx(&fixture->request, &code);
    cnf_request request;
    rt_bytes bytes = rt_buffer_bytes(&fixture->request);
    assert_true(rt_ok(cnf_request_read(fixture->sink, &fixture->arena, bytes, &request)));
    assert_int_equal(request.kind, CNF_REQUEST_PTX);
    assert_int_equal(request.code_count, 1);
    assert_int_equal(request.codes[0].spirv.size, 3);
    assert_int_equal(request.codes[0].constants[0].value.data[0], 4);
    assert_cuts_noticed(fixture);
    /* A request for PTX has one module: the count follows the head of three numbers. */
    fixture->request.data[12] = 2;
    rt_status status = cnf_request_read(fixture->sink, &fixture->arena, bytes, &request);
    assert_int_equal(status.code, RT_MALFORMED);
}

static void answers_round_trip_and_notice_cuts(void **state)
{
    compile_fixture *fixture = *state;
    const rt_text names[2] = {RT_TEXT("f"), RT_TEXT("g")};
    const cnf_compile_message message = {RT_TEXT("a/0"), 3, 7, true, RT_TEXT("wrong")};
    const cnf_compile_answer written = {.code = RT_COMPILE_TIME,
                                        .message = RT_TEXT("no"),
                                        .names = names,
                                        .name_count = 2,
                                        .messages = &message,
                                        .message_count = 1};
    cnf_answer_write(&fixture->bytes, &written);
    rt_bytes bytes = rt_buffer_bytes(&fixture->bytes);
    cnf_compile_answer read;
    assert_true(rt_ok(cnf_compile_answer_read(fixture->sink, &fixture->arena, bytes, &read)));
    assert_int_equal(read.code, RT_COMPILE_TIME);
    assert_true(rt_text_is(read.names[1], "g"));
    assert_int_equal(read.messages[0].column, 7);
    assert_int_equal(read.messages[0].severity, CNF_SEVERITY_ERROR);
    for (size_t size = 0; size < bytes.size; size++) {
        rt_bytes cut = {bytes.data, size};
        rt_status status = cnf_compile_answer_read(fixture->sink, &fixture->arena, cut, &read);
        assert_int_equal(status.code, RT_MALFORMED);
        assert_int_equal(read.name_count, 0);
    }
}

/* ---- The cache ----------------------------------------------------------------------------- */

static const rt_bytes some_request = {(const uint8_t *)"request", 7};
static const rt_bytes some_answer = {(const uint8_t *)"an answer", 9};

static bool finds(cnf_cache *cache, rt_bytes request)
{
    rt_buffer found = {0};
    bool is_found = cnf_cache_find(cache, request, &found);
    if (is_found) assert_int_equal(found.size, some_answer.size);
    if (is_found) assert_memory_equal(found.data, some_answer.data, some_answer.size);
    rt_buffer_free(&found);
    return is_found;
}

/* True if the cache has the fixture's answer to its request. */
static bool answer_is_kept(const compile_fixture *fixture)
{
    rt_buffer found = {0};
    bool is_found = cnf_cache_find(fixture->cache, rt_buffer_bytes(&fixture->request), &found);
    if (is_found) assert_int_equal(found.size, fixture->bytes.size);
    rt_buffer_free(&found);
    return is_found;
}

static void the_cache_finds_what_it_keeps(void **state)
{
    compile_fixture *fixture = *state;
    assert_false(finds(fixture->cache, some_request));
    cnf_cache_keep(fixture->cache, some_request, some_answer);
    assert_true(finds(fixture->cache, some_request));
    assert_false(finds(fixture->cache, (rt_bytes){(const uint8_t *)"other", 5}));
    rt_text warning;
    cnf_cache *reopened = cnf_cache_open(rt_text_of(fixture->folder), &warning);
    assert_true(finds(reopened, some_request));
    cnf_cache_close(reopened);
}

/* ASSAY_CACHE_ANSWERS leaves the answers of tools alone. */
static void the_environment_leaves_out_answers(void **state)
{
    static const struct {
        const char *value;
        bool finds, keeps;
    } rows[] = {
        {"", true, true}, {"find", true, false}, {"keep", false, true}, {"none", false, false}};
    compile_fixture *fixture = *state;
    const rt_bytes other = {(const uint8_t *)"other", 5};
    cnf_cache_keep(fixture->cache, some_request, some_answer);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        setenv("ASSAY_CACHE_ANSWERS", rows[i].value, 1);
        rt_text warning, tool = rt_text_of(rows[i].value[0] ? rows[i].value : "tool");
        cnf_cache *cache = cnf_cache_open(rt_text_of(fixture->folder), &warning);
        unsetenv("ASSAY_CACHE_ANSWERS");
        assert_int_equal(finds(cache, some_request), rows[i].finds);
        cnf_cache_keep(cache, other, some_answer);
        assert_int_equal(finds(fixture->cache, other), rows[i].keeps);
        cnf_cache_tool_keep(cache, tool, some_request, some_answer);
        rt_buffer found = {0};
        assert_true(cnf_cache_tool_find(cache, tool, some_request, &found));
        rt_buffer_free(&found);
        cnf_cache_close(cache);
        cnf_cache_sweep(fixture->cache, 0, 0);
        cnf_cache_keep(fixture->cache, some_request, some_answer);
    }
}

/* The path of the only entry in a cache. */
static void only_entry(const compile_fixture *fixture, char path[256])
{
    char command[160];
    snprintf(command, sizeof command, "find %s -type f", fixture->folder);
    FILE *list = popen(command, "r");
    assert_non_null(fgets(path, 256, list));
    path[strcspn(path, "\n")] = '\0';
    char extra[8];
    assert_null(fgets(extra, sizeof extra, list));
    pclose(list);
}

static void damaged_entries_count_as_absent(void **state)
{
    compile_fixture *fixture = *state;
    cnf_cache_keep(fixture->cache, some_request, some_answer);
    char path[256];
    only_entry(fixture, path);
    struct stat status;
    assert_int_equal(stat(path, &status), 0);
    for (off_t at = 0; at < status.st_size; at++) {
        FILE *entry = fopen(path, "r+b");
        fseek(entry, at, SEEK_SET);
        int byte = fgetc(entry);
        fseek(entry, at, SEEK_SET);
        fputc(byte ^ 0x20, entry);
        fclose(entry);
        assert_false(finds(fixture->cache, some_request));
        cnf_cache_keep(fixture->cache, some_request, some_answer);
        assert_true(finds(fixture->cache, some_request));
    }
    for (off_t size = 0; size < status.st_size; size += 5) {
        assert_int_equal(truncate(path, size), 0);
        assert_false(finds(fixture->cache, some_request));
        cnf_cache_keep(fixture->cache, some_request, some_answer); /* replaces the removed one */
    }
}

static void many_writers_leave_one_whole_entry(void **state)
{
    compile_fixture *fixture = *state;
    enum { WRITERS = 8, ROUNDS = 50 };
    for (int i = 0; i < WRITERS; i++) {
        pid_t child = fork();
        assert_true(child >= 0);
        if (child > 0) continue;
        bool whole = true;
        for (int round = 0; round < ROUNDS; round++) {
            cnf_cache_keep(fixture->cache, some_request, some_answer);
            whole = whole && finds(fixture->cache, some_request);
        }
        _exit(whole ? 0 : 1);
    }
    for (int i = 0; i < WRITERS; i++) {
        int status = 0;
        assert_true(wait(&status) > 0);
        assert_int_equal(status, 0);
    }
    char path[256];
    only_entry(fixture, path);
    assert_true(finds(fixture->cache, some_request));
}

static void a_full_disk_costs_the_cache_only(void **state)
{
    compile_fixture *fixture = *state;
    pid_t child = fork();
    if (child == 0) {
        signal(SIGXFSZ, SIG_IGN);
        setrlimit(RLIMIT_FSIZE, &(struct rlimit){16, 16});
        cnf_cache_keep(fixture->cache, some_request, some_answer);
        _exit(finds(fixture->cache, some_request) ? 1 : 0);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    char command[160];
    snprintf(command, sizeof command, "test -z \"$(find %s -type f)\"", fixture->folder);
    assert_int_equal(system(command), 0);
}

static void a_folder_that_cannot_be_created_is_a_warning(void **state)
{
    (void)state;
    rt_text warning;
    cnf_cache *cache = cnf_cache_open(RT_TEXT("/proc/nowhere"), &warning);
    assert_true(rt_text_starts(warning, "no cache: /proc/nowhere"));
    cnf_cache_keep(cache, some_request, some_answer);
    assert_false(finds(cache, some_request));
    cnf_cache_close(cache);
}

static void the_sweep_removes_what_was_used_longest_ago(void **state)
{
    compile_fixture *fixture = *state;
    cnf_cache_keep(fixture->cache, some_request, some_answer);
    char path[256];
    only_entry(fixture, path);
    const struct timespec old[2] = {{1000, 0}, {1000, 0}};
    assert_int_equal(utimensat(AT_FDCWD, path, old, 0), 0);
    const rt_bytes newer = {(const uint8_t *)"newer", 5};
    cnf_cache_keep(fixture->cache, newer, some_answer);
    /* An entry is 24 + 8 + 16 + 8 + 9 bytes. */
    cnf_cache_sweep(fixture->cache, 100, 70);
    assert_true(finds(fixture->cache, newer));
    assert_false(finds(fixture->cache, some_request));
    cnf_cache_sweep(fixture->cache, 100, 70);
    assert_true(finds(fixture->cache, newer));
}

/* ---- The worker ---------------------------------------------------------------------------- */

#define TWICE_USER                                                                                 \
    "int twice(int x);\n"                                                                          \
    "kernel void apply(global int *d) { size_t i = get_global_id(0); d[i] = twice(d[i]); }\n"

static void a_module_becomes_images(void **state)
{
    compile_fixture *fixture = *state;
    call_module(fixture, "", TWICE_USER, NULL);
    rt_image_list list = images_of(fixture);
    assert_int_equal(list.count, 1);
    assert_true(rt_text_is(list.images[0].name, "app/0"));
    assert_true(rt_text_is(list.images[0].kernels[0], "apply"));
    const rt_property_set *imports = rt_image_set(&list.images[0], RT_SET_IMPORTED_SYMBOLS);
    assert_true(rt_property_set_has(imports, RT_TEXT("twice")));
    assert_false(finds(fixture->cache, some_request));
    assert_true(answer_is_kept(fixture));
}

/* The number of runs that a clang has noted. */
static int noted_runs(const char *path)
{
    FILE *file = fopen(path, "r");
    if (!file) return 0;
    int count = 0;
    for (int c = fgetc(file); c != EOF; c = fgetc(file))
        count += c == '\n';
    fclose(file);
    return count;
}

/* A source is compiled again only if its text, its arguments or the compiler change. */
static void the_front_ends_output_is_kept(void **state)
{
    compile_fixture *fixture = *state;
    static const char other[] = "int twice(int x) { return 2 * x; }\n";
    char clang[128], log[128], path[512];
    snprintf(clang, sizeof clang, "%s/" CNF_CLANG_NAME, fixture->folder);
    snprintf(log, sizeof log, "%s/runs", fixture->folder);
    FILE *script = fopen(clang, "w");
    assert_non_null(script);
    fprintf(script, "#!/bin/sh\necho >>%s\nexec /usr/bin/" CNF_CLANG_NAME " \"$@\"\n", log);
    assert_int_equal(fclose(script), 0);
    assert_int_equal(chmod(clang, 0755), 0);
    const char *before = getenv("PATH");
    char *kept = strdup(before ? before : "");
    snprintf(path, sizeof path, "%s:/usr/local/bin:/usr/bin:/bin", fixture->folder);
    setenv("PATH", path, 1);
    struct {
        const char *options, *first, *second;
        int runs;
    } rows[] = {{"", TWICE_USER, NULL, 1},
                {"", TWICE_USER, other, 2},
                {"-DX=1", TWICE_USER, NULL, 3},
                {"", other, NULL, 4}, /* its name is another, so its messages are */
                {"", TWICE_USER "\n", NULL, 5}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        call_module(fixture, rows[i].options, rows[i].first, rows[i].second);
        assert_int_equal(fixture->answer.code, RT_OK);
        assert_int_equal(noted_runs(log), rows[i].runs);
    }
    setenv("PATH", kept, 1);
    free(kept);
}

static bool holds(rt_bytes bytes, const char *text)
{
    return memmem(bytes.data, bytes.size, text, strlen(text)) != NULL;
}

static void artefacts_name_no_place_and_repeat(void **state)
{
    compile_fixture *fixture = *state;
    call_module(fixture, "-DA=1", TWICE_USER, "int twice(int x) { return 2 * x; }");
    rt_hash first = rt_hash128(fixture->answer.artefact.data, fixture->answer.artefact.size);
    assert_true(holds(fixture->answer.artefact, "app/1"));
    assert_false(holds(fixture->answer.artefact, "/tmp"));
    assert_false(holds(fixture->answer.artefact, "/usr"));
    assert_false(holds(fixture->answer.artefact, "/source"));
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s/compile", fixture->folder);
    assert_int_equal(system(command), 0);
    assert_int_equal(chdir("/tmp"), 0);
    call_module(fixture, "-DA=1", TWICE_USER, "int twice(int x) { return 2 * x; }");
    rt_hash second = rt_hash128(fixture->answer.artefact.data, fixture->answer.artefact.size);
    assert_memory_equal(&first, &second, sizeof first);
}

static void diagnostics_point_into_the_source(void **state)
{
    compile_fixture *fixture = *state;
    const cnf_compile_answer *answer =
        call_module(fixture, "-Wall", TWICE_USER,
                    "kernel void b(global int *p) {\n  int unused;\n  p[0] = missing;\n}\n");
    assert_int_equal(answer->code, RT_COMPILE_TIME);
    assert_true(rt_text_is(answer->message, "source app/1 does not compile: 1 error"));
    assert_int_equal(answer->artefact.size, 0);
    assert_int_equal(answer->message_count, 1);
    const cnf_compile_message *error = &answer->messages[0];
    assert_int_equal(error->severity, CNF_SEVERITY_ERROR);
    assert_true(rt_text_is(error->source, "app/1"));
    assert_int_equal(error->line, 3);
    assert_int_equal(error->column, 10);
    assert_true(rt_text_is(error->text, "use of undeclared identifier 'missing'"));
    assert_false(answer_is_kept(fixture));
    /* A warning accompanies the artefact, even when that comes from the cache. */
    for (int i = 0; i < 2; i++) {
        call_module(fixture, "-Wall", "kernel void b() {\n  int unused;\n}\n", NULL);
        assert_int_equal(answer->code, RT_OK);
        assert_int_equal(answer->message_count, 1);
        assert_int_equal(answer->messages[0].severity, CNF_SEVERITY_WARNING);
        assert_int_equal(answer->messages[0].line, 2);
    }
}

static void a_date_in_a_source_is_refused(void **state)
{
    compile_fixture *fixture = *state;
    call_module(fixture, "", "constant char t[] = __DATE__; kernel void k() {}", NULL);
    assert_int_equal(fixture->answer.code, RT_COMPILE_TIME);
    call_module(fixture, "-o /tmp/x", "kernel void k() {}", NULL);
    assert_int_equal(fixture->answer.code, RT_UNSUPPORTED);
}

/* ---- Languages ----------------------------------------------------------------------------- */

/* Returns a source with these properties; its texts are borrowed. */
static scn_source source_of(scn_language language, const char *name, const char *code)
{
    return (scn_source){.language = language, .name = rt_text_of(name), .code = rt_text_of(code)};
}

static const cnf_compile_answer *call_source(compile_fixture *fixture, scn_language language,
                                             const char *code)
{
    scn_source source = source_of(language, "app/0", code);
    return call(fixture,
                &(scn_module){.name = RT_TEXT("app"), .sources = &source, .source_count = 1});
}

/* Two functions, `f` exported and `g` imported, and a kernel K. */
static const char assembly[] = "OpCapability Addresses\n"
                               "OpCapability Kernel\n"
                               "OpCapability Linkage\n"
                               "OpCapability Float64\n"
                               "OpMemoryModel Physical64 OpenCL\n"
                               "OpEntryPoint Kernel %30 \"K\"\n"
                               "OpDecorate %10 LinkageAttributes \"f\" Export\n"
                               "OpDecorate %20 LinkageAttributes \"g\" Import\n"
                               "%1 = OpTypeVoid\n"
                               "%2 = OpTypeFunction %1\n"
                               "%20 = OpFunction %1 None %2\n"
                               "OpFunctionEnd\n"
                               "%10 = OpFunction %1 None %2\n"
                               "%11 = OpLabel\n"
                               "OpReturn\n"
                               "OpFunctionEnd\n"
                               "%30 = OpFunction %1 None %2\n"
                               "%31 = OpLabel\n"
                               "%32 = OpFunctionCall %1 %20\n"
                               "OpReturn\n"
                               "OpFunctionEnd\n";

static void assert_symbol(const rt_image *image, const char *set, const char *name)
{
    const rt_property_set *symbols = rt_image_set(image, set);
    assert_non_null(symbols);
    assert_int_equal(symbols->property_count, 1);
    assert_true(rt_text_is(symbols->properties[0].name, name));
}

static void every_language_becomes_images(void **state)
{
    compile_fixture *fixture = *state;
    call_source(fixture, SCN_LANGUAGE_OPENCL_CPP,
                "template <typename T> T twice(T x) { return 2 * x; }\n"
                "SYCL_EXTERNAL int f(int x);\n"
                "kernel void apply(global int *d) { d[0] = twice(f(d[0])); }\n");
    rt_image_list list = images_of(fixture);
    assert_int_equal(list.count, 1);
    assert_true(rt_text_is(list.images[0].kernels[0], "apply"));
    assert_symbol(&list.images[0], RT_SET_IMPORTED_SYMBOLS, "_Z1fi");

    call_source(fixture, SCN_LANGUAGE_LLVM_IR,
                "declare spir_func i32 @g(i32)\ndefine spir_func i32 @f(i32 %x) {\n"
                " %y = call spir_func i32 @g(i32 %x)\n ret i32 %y\n}\n");
    list = images_of(fixture);
    assert_symbol(&list.images[0], RT_SET_IMPORTED_SYMBOLS, "g");
    assert_symbol(&list.images[0], RT_SET_EXPORTED_SYMBOLS, "f");

    call_source(fixture, SCN_LANGUAGE_SPIRV_ASM, assembly);
    list = images_of(fixture);
    assert_int_equal(list.count, 1);
    assert_true(rt_text_is(list.images[0].name, "app/0"));
    assert_true(rt_text_is(list.images[0].kernels[0], "K"));
    assert_symbol(&list.images[0], RT_SET_IMPORTED_SYMBOLS, "g");
    assert_symbol(&list.images[0], RT_SET_EXPORTED_SYMBOLS, "f");
    assert_symbol(&list.images[0], RT_SET_DEVICE_REQUIREMENTS, "aspects");

    /* The assembler's output is used unchanged. */
    rt_bytes code = rt_arena_bytes(&fixture->arena, list.images[0].code);
    scn_source source = {.language = SCN_LANGUAGE_SPIRV,
                         .name = RT_TEXT("app/0"),
                         .code = {(const char *)code.data, code.size}};
    call(fixture, &(scn_module){.name = RT_TEXT("app"), .sources = &source, .source_count = 1});
    list = images_of(fixture);
    assert_int_equal(list.images[0].code.size, code.size);
    assert_memory_equal(list.images[0].code.data, code.data, code.size);
    assert_symbol(&list.images[0], RT_SET_EXPORTED_SYMBOLS, "f");
}

/* Images of OpenCL sources come first, then those of SPIR-V, then images written by hand; an image
 * written by hand is built from its own source alone, and claims what the scenario says. */
static void images_are_numbered_in_order(void **state)
{
    compile_fixture *fixture = *state;
    const scn_source sources[3] = {
        source_of(SCN_LANGUAGE_SPIRV_ASM, "app/0", assembly),
        source_of(SCN_LANGUAGE_OPENCL_C, "app/1", "kernel void a() {}"),
        source_of(SCN_LANGUAGE_LLVM_IR, "app/2", "define spir_func void @b() {\n ret void\n}\n")};
    const rt_property property = {
        .name = RT_TEXT("lie"), .type = RT_PROPERTY_BYTES, .bytes = {(const uint8_t *)"xy", 2}};
    const rt_property_set set = {RT_TEXT("odd"), &property, 1};
    const rt_text kernels[2] = {RT_TEXT("c"), RT_TEXT("not there")};
    const scn_hand_image images[2] = {
        {.source = source_of(SCN_LANGUAGE_OPENCL_C, "app/3",
                             "int g(void); int h(void) { return g(); } "
                             "kernel void c() {}"),
         .format = RT_FORMAT_SPIRV64_X86_64,
         .kernels_given = true,
         .kernels = kernels,
         .kernel_count = 2,
         .sets_given = true,
         .sets = &set,
         .set_count = 1,
         .compile_options = RT_TEXT("-x")},
        {.source = source_of(SCN_LANGUAGE_SPIRV_ASM, "app/4", assembly), .sets_given = true}};
    call(fixture, &(scn_module){.name = RT_TEXT("app"),
                                .sources = sources,
                                .source_count = 3,
                                .split = RT_SPLIT_PER_SOURCE,
                                .compile_options = RT_TEXT("-y"),
                                .link_options = RT_TEXT("-z"),
                                .hand_images = images,
                                .hand_image_count = 2});
    rt_image_list list = images_of(fixture);
    static const char *const names[] = {"app/0", "app/1", "app/2", "app/3", "app/4"};
    assert_int_equal(list.count, 5);
    for (uint32_t i = 0; i < 5; i++)
        assert_true(rt_text_is(list.images[i].name, names[i]));
    assert_true(rt_text_is(list.images[0].kernels[0], "a"));
    assert_symbol(&list.images[1], RT_SET_EXPORTED_SYMBOLS, "b");
    assert_true(rt_text_is(list.images[2].kernels[0], "K"));
    assert_true(rt_text_is(list.images[2].compile_options, "-y"));
    assert_true(rt_text_is(list.images[2].link_options, "-z"));
    const rt_image *lying = &list.images[3];
    assert_int_equal(lying->format, RT_FORMAT_SPIRV64_X86_64);
    assert_int_equal(lying->kernel_count, 2);
    assert_true(rt_text_is(lying->kernels[1], "not there"));
    assert_int_equal(lying->set_count, 1);
    assert_symbol(lying, "odd", "lie");
    assert_true(rt_text_is(lying->compile_options, "-x"));
    assert_int_equal(lying->link_options.length, 0);
    assert_true(rt_text_is(list.images[4].kernels[0], "K"));
    assert_int_equal(list.images[4].set_count, 0);
}

static void every_language_is_refused_at_its_place(void **state)
{
    static const struct {
        scn_language language;
        const char *code;
        uint32_t line, column;
        const char *text;
    } rows[] = {
        {SCN_LANGUAGE_OPENCL_CPP, "kernel void k() {\n  nowhere();\n}\n", 2, 3,
         "use of undeclared identifier 'nowhere'"},
        {SCN_LANGUAGE_LLVM_IR, "define void @f() {\n  ret i32\n}\n", 3, 1, "expected value token"},
        {SCN_LANGUAGE_LLVM_IR,
         "define i32 @f() {\n %a = add i32 %b, 1\n %b = add i32 %a, 1\n ret i32 %a\n}\n", 0, 0,
         "invalid LLVM IR: Instruction does not dominate all uses!;   %b = add i32 %a, 1;   %a = "
         "add i32 %b, 1"},
        {SCN_LANGUAGE_SPIRV_ASM, "OpCapability Kernel\n  OpNothing\n", 2, 3,
         "Invalid Opcode name 'OpNothing'"},
        {SCN_LANGUAGE_SPIRV, "no SPIR-V at all", 0, 0,
         "not a SPIR-V module: byte 0 begins the word 0x53206f6e, not 0x07230203"},
    };
    compile_fixture *fixture = *state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const cnf_compile_answer *answer = call_source(fixture, rows[i].language, rows[i].code);
        assert_int_equal(answer->code, RT_COMPILE_TIME);
        assert_true(rt_text_is(answer->message, "source app/0 does not compile: 1 error"));
        assert_int_equal(answer->message_count, 1);
        const cnf_compile_message *error = &answer->messages[0];
        assert_true(rt_text_is(error->source, "app/0"));
        assert_int_equal(error->severity, CNF_SEVERITY_ERROR);
        assert_int_equal(error->line, rows[i].line);
        assert_int_equal(error->column, rows[i].column);
        if (!rt_text_is(error->text, rows[i].text)) fail_msg("%s", error->text.data);
    }
}

/* The images in SPIR-V come first, then those of the offline compiler, which have the same imports
 * and exports but no specialisation constants. */
static void native_images_follow_those_in_spirv(void **state)
{
    compile_fixture *fixture = *state;
    const scn_source sources[2] = {
        source_of(SCN_LANGUAGE_OPENCL_C, "app/0",
                  "SPEC_CONSTANT(int, n, 3)\nint f(int); int g(int x) { return f(x) + n; }\n"),
        source_of(SCN_LANGUAGE_SPIRV_ASM, "app/1", assembly)};
    call(fixture, &(scn_module){.name = RT_TEXT("app"),
                                .sources = sources,
                                .source_count = 2,
                                .link_options = RT_TEXT("-z"),
                                .formats = 1u << RT_FORMAT_SPIRV64 | 1u << RT_FORMAT_NATIVE});
    rt_image_list list = images_of(fixture);
    assert_int_equal(list.count, 4);
    for (uint32_t i = 0; i < 2; i++) {
        const rt_image *spirv = &list.images[i], *native = &list.images[i + 2];
        assert_int_equal(spirv->format, RT_FORMAT_SPIRV64);
        assert_int_equal(native->format, RT_FORMAT_NATIVE);
        assert_memory_equal(native->code.data, "ASIM", 4);
        assert_int_equal(native->kernel_count, spirv->kernel_count);
        assert_true(rt_text_is(native->link_options, "-z"));
    }
    assert_true(rt_text_is(list.images[2].name, "app/2"));
    assert_symbol(&list.images[0], RT_SET_SPEC_CONSTANTS, "n");
    assert_symbol(&list.images[2], RT_SET_EXPORTED_SYMBOLS, "g");
    assert_symbol(&list.images[2], RT_SET_IMPORTED_SYMBOLS, "f");
    assert_null(rt_image_set(&list.images[2], RT_SET_SPEC_CONSTANTS));
    assert_null(rt_image_set(&list.images[2], RT_SET_SPEC_CONSTANT_DEFAULTS));
    assert_int_equal(list.images[2].set_count, list.images[0].set_count - 2);
}

/* The offline compiler refuses code that the device cannot run, and names the unsupported feature;
 * the same code is accepted as SPIR-V. */
static void the_offline_compiler_refuses_by_name(void **state)
{
    static const char pipes[] = "OpCapability Addresses\nOpCapability Kernel\n"
                                "OpCapability Linkage\nOpCapability Pipes\n"
                                "OpMemoryModel Physical64 OpenCL\n"
                                "%1 = OpTypePipe ReadOnly\n";
    compile_fixture *fixture = *state;
    const scn_source source = source_of(SCN_LANGUAGE_SPIRV_ASM, "app/0", pipes);
    scn_module module = {.name = RT_TEXT("app"), .sources = &source, .source_count = 1};
    call(fixture, &module);
    assert_int_equal(fixture->answer.code, RT_OK);
    module.formats = 1u << RT_FORMAT_NATIVE;
    call(fixture, &module);
    assert_int_equal(fixture->answer.code, RT_COMPILE_TIME);
    assert_int_equal(fixture->answer.message_count, 1);
    const char *text = fixture->answer.messages[0].text.data;
    assert_non_null(strstr(text, "image app/0, compiled for the simulated device: SPIR-V word"));
    assert_non_null(strstr(text, "Pipe"));
}

static void an_image_needs_an_entry(void **state)
{
    compile_fixture *fixture = *state;
    const scn_hand_image image = {
        .source = source_of(SCN_LANGUAGE_OPENCL_C, "app/0", "static int h(void) { return 1; }")};
    call(fixture,
         &(scn_module){.name = RT_TEXT("app"), .hand_images = &image, .hand_image_count = 1});
    assert_int_equal(fixture->answer.code, RT_COMPILE_TIME);
    assert_int_equal(fixture->answer.message_count, 1);
    assert_true(rt_text_starts(fixture->answer.messages[0].text, "the code has no kernel"));
}

/* Messages must refer to lines of the source, so the prelude's lines do not count. */
static void the_prelude_leaves_lines_as_they_are(void **state)
{
    compile_fixture *fixture = *state;
    const cnf_compile_answer *answer =
        call_source(fixture, SCN_LANGUAGE_OPENCL_C,
                    "SPEC_CONSTANT(int, n, 3);\nkernel void k(global int *p) { p[0] = n + m; }\n");
    assert_int_equal(answer->code, RT_COMPILE_TIME);
    assert_int_equal(answer->message_count, 1);
    assert_int_equal(answer->messages[0].line, 2);
    assert_int_equal(answer->messages[0].column, 43);
    call_source(fixture, SCN_LANGUAGE_OPENCL_CPP,
                "namespace a { SPEC_CONSTANT(bool, b, true) }\n"
                "kernel void k(global int *p) { if (a::b) p[0] = 1; }\n");
    rt_image_list list = images_of(fixture);
    assert_symbol(&list.images[0], RT_SET_SPEC_CONSTANTS, "b");
}

/* If sources could include files, an artefact would depend on files of this machine that its cache
 * key does not cover. */
static void a_source_includes_no_file(void **state)
{
    compile_fixture *fixture = *state;
    char path[96], code[160];
    snprintf(path, sizeof path, "%s/other.h", fixture->folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("int f(void);\n", file);
    fclose(file);
    snprintf(code, sizeof code, "#include \"%s\"\nkernel void k() {}\n", path);
    static const scn_language languages[] = {SCN_LANGUAGE_OPENCL_C, SCN_LANGUAGE_OPENCL_CPP};
    for (size_t i = 0; i < sizeof languages / sizeof *languages; i++) {
        const cnf_compile_answer *answer = call_source(fixture, languages[i], code);
        assert_int_equal(answer->code, RT_COMPILE_TIME);
        assert_int_equal(answer->message_count, 1);
        assert_true(rt_text_starts(answer->messages[0].text, "#include of a file"));
        /* Twin: OpenCL's declarations need no #include. */
        call_source(fixture, languages[i], "kernel void k(global intptr_t *p) { *p = INT_MAX; }\n");
        assert_int_equal(answer->code, RT_OK);
    }
}

static void a_missing_tool_is_named(void **state)
{
    compile_fixture *fixture = *state;
    cnf_front_end_run run = {0};
    cnf_toolchain none = {0};
    const cnf_request_source source = {SCN_LANGUAGE_SPIRV_ASM, RT_TEXT("app/0"), RT_TEXT("x")};
    const cnf_front_end_options plain = {0};
    rt_status status =
        cnf_front_end_start(fixture->sink, &fixture->arena, NULL, &none, &source, &plain, &run);
    assert_int_equal(status.code, RT_UNAVAILABLE);
    assert_string_equal(rt_sink_diagnostic(fixture->sink, status)->message.data,
                        "spirv-as is not installed; apt-get install spirv-tools");
    cnf_front_end_free(&run);
}

static void postlink_errors_name_their_symbols(void **state)
{
    compile_fixture *fixture = *state;
    call_module(fixture, "", "int f(int i) { return i; }", "int f(int i) { return -i; }");
    assert_int_equal(fixture->answer.code, RT_POSTLINK_ERROR);
    assert_false(answer_is_kept(fixture));
    assert_int_equal(fixture->answer.name_count, 1);
    assert_true(rt_text_is(fixture->answer.names[0], "f"));
}

static void call_link(compile_fixture *fixture, const rt_bytes *spirv, uint32_t count,
                      uint32_t timeout_ms)
{
    dev_code *codes = rt_arena_alloc_array(&fixture->arena, count, sizeof *codes);
    for (uint32_t i = 0; i < count; i++)
        codes[i] = (dev_code){.format = RT_FORMAT_SPIRV64, .bytes = spirv[i]};
    rt_buffer_free(&fixture->request);
    cnf_compile_request_link(&fixture->request, codes, count);
    rt_buffer_free(&fixture->bytes);
    cnf_compile_call(fixture->cache, &fixture->arena, rt_buffer_bytes(&fixture->request),
                     timeout_ms, &fixture->bytes, &fixture->answer);
}

static void modules_link_to_bitcode(void **state)
{
    compile_fixture *fixture = *state;
    call_module(fixture, "", TWICE_USER, "int twice(int x) { return 2 * x; }");
    rt_image_list list = images_of(fixture);
    rt_bytes codes[2];
    for (int i = 0; i < 2; i++)
        codes[i] = rt_arena_bytes(&fixture->arena, list.images[i].code);
    call_link(fixture, codes, 2, TIMEOUT_MS);
    assert_int_equal(fixture->answer.code, RT_OK);
    assert_memory_equal(fixture->answer.artefact.data, "BC\xC0\xDE", 4);
    /* Twin: without the second image, the import is unresolved. That will never change, so the
     * refusal is kept. */
    codes[1] = codes[0];
    call_link(fixture, codes, 2, TIMEOUT_MS);
    assert_int_equal(fixture->answer.code, RT_LINK_ERROR);
    assert_true(answer_is_kept(fixture));
}

/* If damaged code crashes the translator, the request fails and the caller survives. */
static void a_dying_translator_is_an_answer(void **state)
{
    compile_fixture *fixture = *state;
    call_module(fixture, "", TWICE_USER, NULL);
    rt_image_list list = images_of(fixture);
    rt_bytes code = rt_arena_bytes(&fixture->arena, list.images[0].code);
    uint8_t *damaged = rt_arena_alloc(&fixture->arena, code.size);
    uint32_t died = 0;
    for (size_t at = 20; at + 4 <= code.size && died < 3; at += 24) {
        memcpy(damaged, code.data, code.size);
        damaged[at] ^= 0x55;
        call_link(fixture, &(rt_bytes){damaged, code.size}, 1, TIMEOUT_MS);
        bool dead = fixture->answer.code == RT_TOOL;
        died += dead;
        if (dead) assert_true(rt_text_starts(fixture->answer.message, "the compiler worker ended"));
    }
    assert_true(died > 0);
    call_link(fixture, &(rt_bytes){code.data, 10}, 1, TIMEOUT_MS);
    assert_int_equal(fixture->answer.code, RT_MALFORMED);
}

/* A server answers one request after another. A request that kills its process costs only itself,
 * and the server ends when nothing waits for it any more, even while it works. */
static void a_server_answers_many_requests(void **state)
{
    compile_fixture *fixture = *state;
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    call_module(fixture, "", TWICE_USER, "int twice(int x) { return 2 * x; }");
    rt_bytes code = rt_arena_bytes(&fixture->arena, images_of(fixture).images[0].code);
    const char *const *environment = cnf_worker_environment(fixture->cache, &fixture->arena);
    uint8_t *damaged = rt_arena_alloc(&fixture->arena, code.size);
    cnf_server server = {-1, -1, -1};
    uint32_t died = 0, answered = 0;
    int service = -1;
    for (size_t at = 20; at + 4 <= code.size && (died == 0 || answered < 2); at += 24) {
        memcpy(damaged, code.data, code.size);
        if (at > 20) damaged[at] ^= 0x55;
        const dev_code linked = {.format = RT_FORMAT_SPIRV64, .bytes = {damaged, code.size}};
        rt_buffer_free(&fixture->request);
        rt_buffer_free(&fixture->bytes);
        cnf_compile_request_link(&fixture->request, &linked, 1);
        cnf_worker_call_server(&server, CNF_THIS_PROGRAM, environment, &fixture->arena,
                               rt_buffer_bytes(&fixture->request), TIMEOUT_MS, &fixture->bytes,
                               &fixture->answer);
        bool dead = fixture->answer.code == RT_TOOL;
        died += dead;
        answered += !dead;
        if (dead) assert_true(rt_text_starts(fixture->answer.message, "the compiler worker ended"));
        if (at == 20) service = server.service;
        assert_int_equal(server.service, service);
    }
    assert_true(died > 0 && answered > 1 && service >= 0);
    rt_buffer_free(&fixture->bytes);
    cnf_worker_call_server(&server, CNF_THIS_PROGRAM, environment, &fixture->arena,
                           rt_buffer_bytes(&fixture->request), 0, &fixture->bytes,
                           &fixture->answer);
    assert_true(rt_text_is(fixture->answer.message,
                           "the compiler worker did not end within 0 ms and was killed"));
    assert_int_equal(server.service, -1);
    assert_true(waitpid(-1, NULL, 0) > 0);
    assert_int_equal(waitpid(-1, NULL, 0), -1);
}

/* ---- Fusion -------------------------------------------------------------------------------- */

/* Sends a request to fuse a kernel with itself. */
static void call_fusion(compile_fixture *fixture, rt_bytes code, bool is_shipped)
{
    const rt_link_code linked = {code, NULL, 0};
    const rt_fusion_range range = {1, {16, 1, 1}, {0, 0, 0}, {0, 0, 0}};
    const rt_fusion_kernel kernel = {RT_TEXT("inc"), &linked, 1, range};
    const rt_fusion_kernel kernels[] = {kernel, kernel};
    const rt_fusion_request fusion = {.name = RT_TEXT("fused_0"),
                                      .kernels = kernels,
                                      .kernel_count = 2,
                                      .range = range,
                                      .format = RT_FORMAT_SPIRV64,
                                      .spirv_version_max = 0x00010200};
    rt_buffer_free(&fixture->request);
    rt_buffer_free(&fixture->bytes);
    cnf_compile_request_fusion(&fixture->request, &fusion, is_shipped);
    cnf_compile_call(fixture->cache, &fixture->arena, rt_buffer_bytes(&fixture->request),
                     TIMEOUT_MS, &fixture->bytes, &fixture->answer);
}

#define INC "kernel void inc(global int *p) { p[get_global_id(0)]++; }"

/* The second call finds the fused kernel in the cache: its time limit of 0 ms leaves no time for a
 * worker. */
static void a_list_is_fused_once(void **state)
{
    compile_fixture *fixture = *state;
    call_module(fixture, "", INC, NULL);
    rt_image_list images = images_of(fixture);
    rt_bytes code = rt_arena_bytes(&fixture->arena, images.images[0].code);
    call_fusion(fixture, code, false);
    assert_int_equal(fixture->answer.code, RT_OK);
    rt_fusion_result result;
    assert_true(rt_ok(
        rt_fusion_result_read(fixture->sink, &fixture->arena, fixture->answer.artefact, &result)));
    assert_true(rt_text_is(result.image.kernels[0], "fused_0"));
    rt_buffer second_bytes = {0};
    cnf_compile_answer answer;
    cnf_compile_call(fixture->cache, &fixture->arena, rt_buffer_bytes(&fixture->request), 0,
                     &second_bytes, &answer);
    assert_int_equal(answer.code, RT_OK);
    assert_int_equal(second_bytes.size, fixture->bytes.size);
    assert_memory_equal(second_bytes.data, fixture->bytes.data, second_bytes.size);
    rt_buffer_free(&second_bytes);
}

/* At worst, damaged code kills the worker. */
static void damaged_code_is_not_fused(void **state)
{
    compile_fixture *fixture = *state;
    call_module(fixture, "", INC, NULL);
    rt_image_list images = images_of(fixture);
    rt_bytes code = rt_arena_bytes(&fixture->arena, images.images[0].code);
    uint8_t *damaged = rt_arena_alloc(&fixture->arena, code.size);
    uint32_t refused = 0, tried = 0;
    for (size_t at = 20; at + 4 <= code.size && tried < 12; at += 40, tried++) {
        memcpy(damaged, code.data, code.size);
        damaged[at] ^= 0x55;
        call_fusion(fixture, (rt_bytes){damaged, code.size}, false);
        refused += fixture->answer.code != RT_OK;
        if (fixture->answer.code != RT_OK) assert_true(fixture->answer.message.length > 0);
    }
    assert_true(refused > 0);
    call_fusion(fixture, (rt_bytes){code.data, 10}, false);
    assert_int_equal(fixture->answer.code, RT_MALFORMED);
}

/* The answers to both requests are in the cache under different keys, so neither is taken for the
 * other. Where the original compiler is not installed, the answer says how to install it. */
static void the_original_compiler_fuses_the_same_list(void **state)
{
    compile_fixture *fixture = *state;
    call_module(fixture, "", INC, NULL);
    rt_bytes code = rt_arena_bytes(&fixture->arena, images_of(fixture).images[0].code);
    call_fusion(fixture, code, false);
    assert_int_equal(fixture->answer.code, RT_OK);
    rt_fusion_result ours, theirs;
    assert_true(rt_ok(
        rt_fusion_result_read(fixture->sink, &fixture->arena,
                              rt_arena_bytes(&fixture->arena, fixture->answer.artefact), &ours)));
    assert_int_equal(ours.range.dimensions, 0);
    call_fusion(fixture, code, true);
    if (fixture->answer.code == RT_UNAVAILABLE) {
        assert_non_null(strstr(fixture->answer.message.data, "run ci/setup --with fusion"));
        print_message("the original fusion compiler is not installed\n");
        return;
    }
    assert_int_equal(fixture->answer.code, RT_OK);
    assert_true(rt_ok(
        rt_fusion_result_read(fixture->sink, &fixture->arena, fixture->answer.artefact, &theirs)));
    assert_true(rt_text_is(theirs.image.kernels[0], "fused_0"));
    assert_int_equal(theirs.parameter_count, 2);
    assert_int_equal(theirs.parameters[1].kernel, 1);
    assert_int_equal(theirs.range.dimensions, 1);
    assert_int_equal(theirs.range.global[0], 16);
    assert_int_not_equal(theirs.image.code.size, ours.image.code.size);
}

/* Some inputs end that compiler's process; the caller gets an answer. */
static void damaged_code_is_not_fused_by_the_original_compiler(void **state)
{
    compile_fixture *fixture = *state;
    call_module(fixture, "", INC, NULL);
    rt_bytes code = rt_arena_bytes(&fixture->arena, images_of(fixture).images[0].code);
    call_fusion(fixture, (rt_bytes){code.data, code.size / 8 * 4}, true);
    assert_int_not_equal(fixture->answer.code, RT_OK);
    assert_true(fixture->answer.message.length > 0);
    call_fusion(fixture, (rt_bytes){code.data, 10}, true);
    assert_int_not_equal(fixture->answer.code, RT_OK);
}

static void a_late_worker_is_killed(void **state)
{
    compile_fixture *fixture = *state;
    scn_source source = {.name = RT_TEXT("app/0"), .code = RT_TEXT(TWICE_USER)};
    scn_module module = {.name = RT_TEXT("app"), .sources = &source, .source_count = 1};
    cnf_compile_request_module(&fixture->request, &module, RT_PROFILE_DOCUMENTS, RT_FORMAT_SPIRV64,
                               false);
    cnf_compile_call(fixture->cache, &fixture->arena, rt_buffer_bytes(&fixture->request), 0,
                     &fixture->bytes, &fixture->answer);
    assert_int_equal(fixture->answer.code, RT_TOOL);
    assert_true(rt_text_is(fixture->answer.message,
                           "the compiler worker did not end within 0 ms and was killed"));
}

static void a_damaged_request_is_answered(void **state)
{
    compile_fixture *fixture = *state;
    cnf_compile_call(fixture->cache, &fixture->arena, some_request, TIMEOUT_MS, &fixture->bytes,
                     &fixture->answer);
    assert_int_equal(fixture->answer.code, RT_MALFORMED);
}

/* ---- Processes ----------------------------------------------------------------------------- */

static cnf_process_result run_shell(const char *script, rt_bytes input, uint32_t timeout_ms,
                                    rt_buffer *out)
{
    const char *const arguments[] = {"sh", "-c", script, NULL};
    const char *const none[] = {NULL};
    cnf_process process;
    rt_buffer errors = {0};
    assert_int_equal(cnf_process_start(&process, "/bin/sh", arguments, none, input), 0);
    cnf_process_result result = cnf_process_finish(&process, timeout_ms, out, &errors);
    rt_buffer_free(&errors);
    return result;
}

static void processes_end_in_every_way(void **state)
{
    (void)state;
    rt_buffer out = {0};
    size_t size = 4 << 20;
    rt_bytes input = {rt_alloc(size), size};
    cnf_process_result result = run_shell("cat", input, TIMEOUT_MS, &out);
    assert_int_equal(result.end, CNF_PROCESS_EXITED);
    assert_int_equal(out.size, size);
    rt_buffer_free(&out);
    result = run_shell("exit 7", input, TIMEOUT_MS, &out);
    assert_int_equal(result.code, 7);
    result = run_shell("kill -11 $$", input, TIMEOUT_MS, &out);
    assert_int_equal(result.end, CNF_PROCESS_SIGNALLED);
    assert_int_equal(result.code, SIGSEGV);
    /* A background process keeps the output open; the call does not wait for it. */
    result = run_shell("sleep 30 & echo x", (rt_bytes){0}, TIMEOUT_MS, &out);
    assert_int_equal(result.end, CNF_PROCESS_EXITED);
    assert_string_equal(rt_buffer_string(&out), "x\n");
    result = run_shell("exec 1>&- 2>&-; sleep 30", (rt_bytes){0}, 100, &out);
    assert_int_equal(result.end, CNF_PROCESS_TIMED_OUT);
    cnf_process process;
    const char *const arguments[] = {"nothing", NULL};
    assert_int_not_equal(
        cnf_process_start(&process, "/nonexistent", arguments, arguments + 1, input), 0);
    rt_free((void *)(uintptr_t)input.data);
    rt_buffer_free(&out);
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "worker") == 0) return cnf_worker_main(argc - 1, argv + 1);
    if (argc > 1 && strcmp(argv[1], "offline") == 0) return cnf_offline_main(0, 1);
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_fixture, close_fixture)
    const struct CMUnitTest tests[] = {
        TEST(requests_round_trip),
        TEST(link_requests_round_trip),
        TEST(requests_for_ptx_round_trip),
        TEST(answers_round_trip_and_notice_cuts),
        TEST(the_cache_finds_what_it_keeps),
        TEST(the_environment_leaves_out_answers),
        TEST(damaged_entries_count_as_absent),
        TEST(many_writers_leave_one_whole_entry),
        TEST(a_full_disk_costs_the_cache_only),
        TEST(a_folder_that_cannot_be_created_is_a_warning),
        TEST(the_sweep_removes_what_was_used_longest_ago),
        TEST(a_module_becomes_images),
        TEST(the_front_ends_output_is_kept),
        TEST(artefacts_name_no_place_and_repeat),
        TEST(diagnostics_point_into_the_source),
        TEST(a_date_in_a_source_is_refused),
        TEST(every_language_becomes_images),
        TEST(images_are_numbered_in_order),
        TEST(every_language_is_refused_at_its_place),
        TEST(native_images_follow_those_in_spirv),
        TEST(the_offline_compiler_refuses_by_name),
        TEST(an_image_needs_an_entry),
        TEST(the_prelude_leaves_lines_as_they_are),
        TEST(a_source_includes_no_file),
        TEST(a_missing_tool_is_named),
        TEST(postlink_errors_name_their_symbols),
        TEST(modules_link_to_bitcode),
        TEST(a_dying_translator_is_an_answer),
        TEST(a_list_is_fused_once),
        TEST(the_original_compiler_fuses_the_same_list),
        TEST(damaged_code_is_not_fused_by_the_original_compiler),
        TEST(damaged_code_is_not_fused),
        TEST(a_late_worker_is_killed),
        TEST(a_server_answers_many_requests),
        TEST(a_damaged_request_is_answered),
        TEST(processes_end_in_every_way),
    };
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
