/* Tests what surrounds the compiler of SYCL sources: its command line, the interpretation of its
 * messages, the use of its result, and caching. The compiler here is a shell script that runs its
 * source, so that each test states what the compiler does; the real one is tested by the scenarios
 * and by sycl_pairs. The program also runs as its own compile worker. */
#include "conformance/build/sycl_images.h"

#include "reference/base/alloc.h"
#include "reference/base/hash.h"
#include "reference/image/device_global.h"
#include "reference/image/syclbin.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

enum { TIMEOUT_MS = 60000 };

#define TEXT(literal)                                                                              \
    {                                                                                              \
        literal, sizeof literal - 1                                                                \
    }

typedef struct sycl_fixture {
    char folder[64]; /* holds the packages and the cache */
    cnf_cache *cache;
    rt_arena arena;
    rt_buffer request, bytes;
    cnf_compile_answer answer;
    scn_module module;
    scn_source source;
} sycl_fixture;

static void write_file(const char *path, const void *data, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, size, file), size);
    fclose(file);
}

/* The script runs the source with "."; its own path is in $0, so it finds the folder for notes and
 * results. */
static void install_compiler(const char *folder)
{
    static const char script[] = "#!/bin/sh\n"
                                 "here=${0%/*}\n"
                                 "cat >$here/source\n"
                                 "echo \"$@\" >>$here/runs\n"
                                 ". $here/source\n";
    char path[128];
    snprintf(path, sizeof path, "%s/lib", folder);
    mkdir(path, 0777);
    snprintf(path, sizeof path, "%s/lib/assay", folder);
    mkdir(path, 0777);
    snprintf(path, sizeof path, "%s/lib/assay/assay-sycl-compiler", folder);
    write_file(path, script, sizeof script - 1);
    assert_int_equal(chmod(path, 0755), 0);
}

static int open_fixture(void **state)
{
    sycl_fixture *fixture = rt_alloc(sizeof *fixture);
    strcpy(fixture->folder, "/tmp/sycl-test-XXXXXX");
    assert_non_null(mkdtemp(fixture->folder));
    assert_int_equal(setenv("ASSAY_VENV", fixture->folder, 1), 0);
    install_compiler(fixture->folder);
    rt_text warning;
    fixture->cache = cnf_cache_open(rt_text_of(fixture->folder), &warning);
    fixture->module =
        (scn_module){.name = RT_TEXT("app"), .sources = &fixture->source, .source_count = 1};
    *state = fixture;
    return 0;
}

static int close_fixture(void **state)
{
    sycl_fixture *fixture = *state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", fixture->folder);
    assert_int_equal(system(command), 0);
    cnf_cache_close(fixture->cache);
    rt_arena_reset(&fixture->arena);
    rt_buffer_free(&fixture->request);
    rt_buffer_free(&fixture->bytes);
    rt_free(fixture);
    return 0;
}

/* Requests the module with this source. */
static const cnf_compile_answer *call(sycl_fixture *fixture, const char *code)
{
    fixture->source = (scn_source){
        .language = SCN_LANGUAGE_SYCL, .name = RT_TEXT("app/0"), .code = rt_text_of(code)};
    rt_buffer_free(&fixture->request);
    rt_buffer_free(&fixture->bytes);
    cnf_compile_request_module(&fixture->request, &fixture->module, RT_PROFILE_DOCUMENTS,
                               RT_FORMAT_SPIRV64, false);
    cnf_compile_call(fixture->cache, &fixture->arena, rt_buffer_bytes(&fixture->request),
                     TIMEOUT_MS, &fixture->bytes, &fixture->answer);
    return &fixture->answer;
}

static bool answer_is_kept(const sycl_fixture *fixture)
{
    rt_buffer found = {0};
    bool is_found = cnf_cache_find(fixture->cache, rt_buffer_bytes(&fixture->request), &found);
    rt_buffer_free(&found);
    return is_found;
}

/* Returns the contents of a file next to the compiler. */
static const char *note(sycl_fixture *fixture, const char *name)
{
    static char text[512];
    char path[128];
    snprintf(path, sizeof path, "%s/lib/assay/%s", fixture->folder, name);
    FILE *file = fopen(path, "rb");
    size_t size = file ? fread(text, 1, sizeof text - 1, file) : 0;
    if (file) fclose(file);
    text[size] = '\0';
    return text;
}

/* ---- Results of the compiler --------------------------------------------------------------- */

/* A module with an entry point for each name; `extra` is the text of an OpString. */
static rt_bytes make_spirv(rt_arena *arena, const char *const *names, const char *extra)
{
    rt_buffer code = {0};
    static const uint32_t header[] = {0x07230203, 0x00010400, 0, 99, 0};
    rt_buffer_append(&code, header, sizeof header);
    for (uint32_t id = 1; *names; names++, id++) {
        uint32_t words[16] = {0, 6, id};
        uint32_t length = (uint32_t)strlen(*names) / 4 + 1;
        memcpy(&words[3], *names, strlen(*names));
        words[0] = (3 + length) << 16 | 15;
        rt_buffer_append(&code, words, (3 + length) * sizeof *words);
    }
    uint32_t string[16] = {0, 50};
    uint32_t length = (uint32_t)strlen(extra) / 4 + 1;
    memcpy(&string[2], extra, strlen(extra));
    string[0] = (2 + length) << 16 | 7;
    rt_buffer_append(&code, string, (2 + length) * sizeof *string);
    rt_bytes bytes = rt_arena_bytes(arena, rt_buffer_bytes(&code));
    rt_buffer_free(&code);
    return bytes;
}

/* The kernel names that the compiler lists: "first" both with and without the bundle's prefix, and
 * a function among the kernels. */
static const rt_property names[] = {
    {.name = TEXT("rtc_0$first"), .type = RT_PROPERTY_UINT32, .number = 1},
    {.name = TEXT("function"), .type = RT_PROPERTY_UINT32, .number = 1},
    {.name = TEXT("second"), .type = RT_PROPERTY_UINT32, .number = 1},
    {.name = TEXT("first"), .type = RT_PROPERTY_UINT32, .number = 1},
};
static const rt_property_set sets[] = {{TEXT(RT_SET_KERNEL_NAMES), names, 4}};

/* Another binary of the same image names the kernel only with the bundle's prefix. */
static const rt_property_set fewer_sets[] = {{TEXT(RT_SET_KERNEL_NAMES), names, 2}};

/* Writes a SYCLBIN, a header and a footer next to the compiler. */
static void install_binaries(sycl_fixture *fixture, rt_device_binaries binaries)
{
    rt_sink *sink = rt_sink_create();
    rt_syclbin syclbin;
    rt_buffer file = {0}, output = {0};
    char path[128];
    snprintf(path, sizeof path, "%s/lib/assay/result", fixture->folder);
    assert_true(rt_ok(rt_syclbin_of(sink, &fixture->arena, binaries, &syclbin)));
    assert_true(rt_ok(rt_syclbin_write(sink, &file, &syclbin)));
    rt_write_bytes(&output, rt_buffer_bytes(&file));
    rt_write_text(&output, RT_TEXT("before"));
    rt_write_text(&output, RT_TEXT("after"));
    write_file(path, output.data, output.size);
    rt_buffer_free(&output);
    rt_buffer_free(&file);
    rt_sink_destroy(sink);
}

/* Writes a SYCLBIN with one binary for each code and its property set next to the compiler. */
static void install_result_with(sycl_fixture *fixture, const rt_bytes *codes,
                                const rt_property_set *const *code_sets, uint32_t count)
{
    rt_device_binary binaries[4];
    for (uint32_t i = 0; i < count; i++) {
        binaries[i] = (rt_device_binary){.format = RT_BINARY_SPIRV,
                                         .target = RT_TEXT("spir64-unknown-unknown"),
                                         .properties = {code_sets[i], 1},
                                         .code = codes[i]};
    }
    install_binaries(fixture, (rt_device_binaries){binaries, count});
}

static void install_result(sycl_fixture *fixture, const rt_bytes *codes, uint32_t count)
{
    install_result_with(fixture, codes, (const rt_property_set *const[]){sets, sets, sets, sets},
                        count);
}

static rt_image_list images_of(sycl_fixture *fixture)
{
    rt_sink *sink = rt_sink_create();
    rt_image_list list;
    assert_int_equal(fixture->answer.code, RT_OK);
    rt_reader reader = rt_reader_of(fixture->answer.artefact);
    assert_true(rt_ok(rt_image_list_read(sink, &fixture->arena, &reader, &list)));
    rt_sink_destroy(sink);
    return list;
}

static cnf_compile_artefact artefact_of(sycl_fixture *fixture)
{
    rt_sink *sink = rt_sink_create();
    cnf_compile_artefact artefact;
    assert_int_equal(fixture->answer.code, RT_OK);
    assert_true(rt_ok(
        cnf_compile_artefact_read(sink, &fixture->arena, fixture->answer.artefact, &artefact)));
    rt_sink_destroy(sink);
    return artefact;
}

/* ---- Tests --------------------------------------------------------------------------------- */

static void images_have_the_codes_kernels_and_the_compilers_sets(void **state)
{
    sycl_fixture *fixture = *state;
    const rt_bytes code =
        make_spirv(&fixture->arena, (const char *const[]){"second", "first", NULL}, "");
    install_result(fixture, &code, 1);
    call(fixture, "cat $here/result");
    rt_image_list list = images_of(fixture);
    assert_int_equal(list.count, 1);
    assert_true(rt_text_is(list.images[0].name, "app/0"));
    assert_int_equal(list.images[0].format, RT_FORMAT_SPIRV64);
    assert_int_equal(list.images[0].kernel_count, 2);
    assert_true(rt_text_is(list.images[0].kernels[0], "second"));
    assert_true(rt_text_is(list.images[0].kernels[1], "first"));
    assert_int_equal(list.images[0].set_count, 1);
    assert_int_equal(list.images[0].sets[0].property_count, 4);
}

static void repetitions_become_one_image(void **state)
{
    sycl_fixture *fixture = *state;
    const rt_bytes a = make_spirv(&fixture->arena, (const char *const[]){"first", NULL}, "a");
    const rt_bytes b = make_spirv(&fixture->arena, (const char *const[]){"first", NULL}, "b");
    const rt_bytes codes[] = {a, b, a, b};
    install_result(fixture, codes, 4);
    call(fixture, "cat $here/result");
    rt_image_list list = images_of(fixture);
    assert_int_equal(list.count, 2);
    assert_memory_equal(list.images[0].code.data, a.data, a.size);
    assert_memory_equal(list.images[1].code.data, b.data, b.size);
}

static void of_repetitions_the_one_that_names_most_stays(void **state)
{
    sycl_fixture *fixture = *state;
    const rt_bytes a = make_spirv(&fixture->arena, (const char *const[]){"first", NULL}, "a");
    const rt_bytes codes[] = {a, a, a};
    install_result_with(fixture, codes,
                        (const rt_property_set *const[]){fewer_sets, sets, fewer_sets}, 3);
    call(fixture, "cat $here/result");
    rt_image_list list = images_of(fixture);
    assert_int_equal(list.count, 1);
    assert_int_equal(list.images[0].sets[0].property_count, 4);
}

/* The property set, but not the code, prefixes ids with the bundle's name; ids without the prefix
 * are unchanged. */
static void device_globals_have_the_ids_of_the_code(void **state)
{
    sycl_fixture *fixture = *state;
    static const uint8_t value[8] = {4};
    static const rt_property globals[] = {
        {.name = TEXT("rtc_0$_Z7counter"), .type = RT_PROPERTY_BYTES, .bytes = {value, 8}},
        {.name = TEXT("uid1____ZL6hidden"), .type = RT_PROPERTY_BYTES, .bytes = {value, 8}},
    };
    static const rt_property_set global_sets[] = {{TEXT(RT_SET_DEVICE_GLOBALS), globals, 2}};
    const rt_bytes code = make_spirv(&fixture->arena, (const char *const[]){"first", NULL}, "");
    install_result_with(fixture, &code, (const rt_property_set *const[]){global_sets}, 1);
    call(fixture, "cat $here/result");
    rt_image_list list = images_of(fixture);
    assert_int_equal(list.count, 1);
    const rt_property_set *set = rt_image_set(&list.images[0], RT_SET_DEVICE_GLOBALS);
    assert_non_null(set);
    assert_int_equal(set->property_count, 2);
    assert_true(rt_text_is(set->properties[0].name, "_Z7counter"));
    assert_int_equal(set->properties[0].bytes.size, 8);
    assert_true(rt_text_is(set->properties[1].name, "uid1____ZL6hidden"));
    /* The host half has the ids, too. */
    cnf_compile_artefact artefact = artefact_of(fixture);
    assert_int_equal(artefact.globals.count, 2);
    assert_int_equal(artefact.host_half_count, 1);
    const rt_device_global_list list_of_half = artefact.host_halves[0].globals;
    assert_int_equal(list_of_half.count, 2);
    assert_true(rt_text_is(list_of_half.globals[0].unique_id, "_Z7counter"));
    assert_true(rt_text_is(list_of_half.globals[1].unique_id, "uid1____ZL6hidden"));
}

/* Also when they come from the cache. Only sources have host halves; what is cut short anywhere is
 * refused. */
static void headers_and_footers_belong_to_their_sources(void **state)
{
    sycl_fixture *fixture = *state;
    const rt_bytes code = make_spirv(&fixture->arena, (const char *const[]){"first", NULL}, "");
    install_result(fixture, &code, 1);
    for (int round = 0; round < 2; round++) {
        fixture->module.compile_options = round ? RT_TEXT("-g") : (rt_text){0};
        call(fixture, "cat $here/result");
        cnf_compile_artefact artefact = artefact_of(fixture);
        assert_int_equal(artefact.host_half_count, 1);
        assert_int_equal(artefact.host_halves[0].source, 0);
        assert_true(rt_text_is(artefact.host_halves[0].header, "before"));
        assert_true(rt_text_is(artefact.host_halves[0].footer, "after"));
        assert_int_equal(artefact.host_halves[0].globals.count, 0);
    }
    rt_sink *sink = rt_sink_create();
    rt_bytes whole = fixture->answer.artefact;
    for (size_t size = 0; size < whole.size; size++) {
        cnf_compile_artefact artefact;
        rt_status status = cnf_compile_artefact_read(sink, &fixture->arena,
                                                     (rt_bytes){whole.data, size}, &artefact);
        assert_int_equal(status.code, RT_MALFORMED);
    }
    rt_sink_destroy(sink);
    assert_int_equal(call(fixture, "cat $here/result; echo")->code, RT_TOOL);
}

/* A provider's functions are those that the compiler lists, without the bundle's prefix. */
static void providers_name_their_virtual_functions(void **state)
{
    sycl_fixture *fixture = *state;
    static const rt_property provides[] = {{.name = TEXT("virtual-functions-set"),
                                            .type = RT_PROPERTY_BYTES,
                                            .bytes = {(const uint8_t *)"_ZTSv", 5}}};
    static const rt_property functions[] = {
        {.name = TEXT("rtc_0$area"), .type = RT_PROPERTY_UINT32, .number = 1},
        {.name = TEXT("area"), .type = RT_PROPERTY_UINT32, .number = 1},
    };
    static const rt_property_set provider_sets[] = {
        {TEXT("SYCL/virtual functions"), provides, 1},
        {TEXT(RT_SET_KERNEL_NAMES), functions, 2},
    };
    const rt_bytes code = make_spirv(&fixture->arena, (const char *const[]){NULL}, "");
    rt_device_binary binary = {.format = RT_BINARY_SPIRV,
                               .target = RT_TEXT("spir64-unknown-unknown"),
                               .properties = {provider_sets, 2},
                               .code = code};
    install_binaries(fixture, (rt_device_binaries){&binary, 1});
    call(fixture, "cat $here/result");
    rt_image_list list = images_of(fixture);
    assert_int_equal(list.count, 1);
    const rt_property_set *set = rt_image_set(&list.images[0], "assay/virtual function sets");
    assert_non_null(set);
    assert_int_equal(set->property_count, 1);
    assert_true(rt_text_is(set->properties[0].name, "area"));
    assert_memory_equal(set->properties[0].bytes.data, "_ZTSv", 5);
}

/* Ids of variables with internal linkage begin with the unit's prefix, which is derived from its
 * name. */
static void the_module_tells_the_compiler_how(void **state)
{
    sycl_fixture *fixture = *state;
    const rt_bytes code = make_spirv(&fixture->arena, (const char *const[]){"first", NULL}, "");
    install_result(fixture, &code, 1);
    fixture->module.split = RT_SPLIT_PER_KERNEL;
    fixture->module.build_options = RT_TEXT("-DN=4 -O2");
    call(fixture, "cat $here/result");
    assert_int_equal(fixture->answer.code, RT_OK);
    char expected[256];
    snprintf(expected, sizeof expected,
             "-fsycl-allow-device-image-dependencies -ffp-contract=off -H "
             "-fsycl-device-code-split=per_kernel -Xclang -fsycl-unique-prefix=uid%016llx -DN=4 "
             "-O2\n",
             (unsigned long long)rt_hash64("app/0", 5));
    assert_string_equal(note(fixture, "runs"), expected);
    assert_string_equal(note(fixture, "source"), "cat $here/result");
}

/* The compiler's result is reused for other modules; a different source or compiler option needs a
 * new one. */
static void what_the_compiler_made_is_kept(void **state)
{
    sycl_fixture *fixture = *state;
    const rt_bytes code = make_spirv(&fixture->arena, (const char *const[]){"first", NULL}, "");
    install_result(fixture, &code, 1);
    static const char source[] = "echo 'rtc_0.cpp:2:3: warning: careful' >&2; cat $here/result";
    for (int round = 0; round < 2; round++) {
        fixture->module.compile_options = round ? RT_TEXT("-g") : (rt_text){0};
        call(fixture, source);
        assert_int_equal(images_of(fixture).count, 1);
        assert_int_equal(fixture->answer.message_count, 1);
        assert_true(rt_text_is(fixture->answer.messages[0].text, "careful"));
        assert_int_equal(fixture->answer.messages[0].severity, CNF_SEVERITY_WARNING);
    }
    size_t one_run = strlen(note(fixture, "runs"));
    call(fixture, "cat $here/result #");
    assert_int_equal(strlen(note(fixture, "runs")), 2 * one_run);
    fixture->module.split = RT_SPLIT_PER_SOURCE;
    call(fixture, source);
    assert_true(strlen(note(fixture, "runs")) > 2 * one_run);
}

/* A source whose copies of variables are not built is refused by us, which will never change, so
 * the refusal is kept. Twin: what the compiler refuses is not kept (errors_point_into_the_source).
 */
static void refusals_of_copies_are_kept(void **state)
{
    sycl_fixture *fixture = *state;
    static const char *const folders[] = {"include", "sycl", "ext", "oneapi", "device_global"};
    static const uint8_t zero[8] = {4}, in_image_scope[8] = {4, 0, 0, 0, 1};
    static const rt_property globals[] = {
        {.name = TEXT("_Z4zero"), .type = RT_PROPERTY_BYTES, .bytes = {zero, 8}},
        {.name = TEXT("_Z5other"), .type = RT_PROPERTY_BYTES, .bytes = {in_image_scope, 8}},
    };
    static const rt_property_set global_sets[] = {{TEXT(RT_SET_DEVICE_GLOBALS), globals, 2}};
    static const char header[] = "constexpr device_global_base(const device_global_base &other);";
    char path[128];
    int length = snprintf(path, sizeof path, "%s", fixture->folder);
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        length += snprintf(path + length, sizeof path - (size_t)length, "/%s", folders[i]);
        assert_int_equal(mkdir(path, 0777), 0);
    }
    snprintf(path + length, sizeof path - (size_t)length, "/device_global.hpp");
    write_file(path, header, sizeof header - 1);
    const rt_bytes code = make_spirv(&fixture->arena, (const char *const[]){"first", NULL}, "");
    install_result_with(fixture, &code, (const rt_property_set *const[]){global_sets}, 1);
    fixture->module.build_options = RT_TEXT("-std=c++20");
    const cnf_compile_answer *answer = call(fixture, "cat $here/result");
    assert_int_equal(answer->code, RT_COMPILE_TIME);
    assert_non_null(strstr(answer->messages[0].text.data, "of a version whose constructors are"));
    assert_true(answer_is_kept(fixture));
}

static void errors_point_into_the_source(void **state)
{
    sycl_fixture *fixture = *state;
    const cnf_compile_answer *answer =
        call(fixture, "printf 'Device compilation failed\\nDetailed information:\\n"
                      "\\trtc_0.cpp:3:5: error: first\\n    3 | code\\n"
                      "/sycl-jit-toolchain//include/x.hpp:9:1: note: elsewhere\\n"
                      "/sycl-jit-toolchain//include/x.hpp:8:1: error: in a header\\n"
                      "error: about nothing\\n' >&2; exit 1");
    assert_int_equal(answer->code, RT_COMPILE_TIME);
    assert_false(answer_is_kept(fixture));
    assert_true(rt_text_is(answer->message, "source app/0 does not compile: 3 errors"));
    assert_int_equal(answer->message_count, 3);
    assert_int_equal(answer->messages[0].line, 3);
    assert_int_equal(answer->messages[0].column, 5);
    assert_true(rt_text_is(answer->messages[0].source, "app/0"));
    assert_true(rt_text_is(answer->messages[0].text, "first"));
    assert_int_equal(answer->messages[1].line, 0);
    assert_true(rt_text_is(answer->messages[1].text,
                           "/sycl-jit-toolchain//include/x.hpp:8:1: error: in a header"));
    assert_true(rt_text_is(answer->messages[2].text, "about nothing"));
}

static void headers_are_those_of_the_machine(void **state)
{
    sycl_fixture *fixture = *state;
    const rt_bytes code = make_spirv(&fixture->arena, (const char *const[]){"first", NULL}, "");
    install_result(fixture, &code, 1);
    const cnf_compile_answer *answer =
        call(fixture, "echo '. /home/somebody/own.h' >&2; cat $here/result");
    assert_int_equal(answer->code, RT_COMPILE_TIME);
    assert_true(rt_text_starts(answer->messages[0].text, "#include of a file"));
    call(fixture, "printf '. /usr/include/c++/12/vector\\n.. /home/deeper.h\\n"
                  ". /sycl-jit-toolchain//include/sycl/sycl.hpp\\n' >&2; cat $here/result");
    assert_int_equal(answer->code, RT_OK);
}

static bool has_part(rt_text text, const char *part)
{
    return memmem(text.data, text.length, part, strlen(part)) != NULL;
}

static void output_that_is_not_a_result_is_the_tools_failure(void **state)
{
    sycl_fixture *fixture = *state;
    static const struct {
        const char *code, *part;
    } rows[] = {
        {"echo 'No device' >&2; exit 3", "ended with status 3\nNo device"},
        {"kill -11 $$", "signal 11"},
        {"true", "ended with status 0"},
        {"echo nonsense", "the output of the SYCL compiler for source app/0 is damaged: "},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const cnf_compile_answer *answer = call(fixture, rows[i].code);
        assert_int_equal(answer->code, RT_TOOL);
        if (!has_part(answer->message, rows[i].part))
            fail_msg("%.*s", RT_TEXT_ARG(answer->message));
    }
    const rt_bytes cut = {
        make_spirv(&fixture->arena, (const char *const[]){"first", NULL}, "").data, 28};
    install_result(fixture, &cut, 1);
    assert_int_equal(call(fixture, "cat $here/result")->code, RT_TOOL);
    assert_true(has_part(fixture->answer.message, "its code is not SPIR-V"));
}

static void an_image_by_hand_is_one_image(void **state)
{
    sycl_fixture *fixture = *state;
    const rt_bytes a = make_spirv(&fixture->arena, (const char *const[]){"first", NULL}, "a");
    const rt_bytes b = make_spirv(&fixture->arena, (const char *const[]){"first", NULL}, "b");
    const rt_bytes codes[] = {a, b};
    const scn_hand_image by_hand = {.source = {.language = SCN_LANGUAGE_SYCL,
                                               .name = RT_TEXT("app/0"),
                                               .code = RT_TEXT("cat $here/result")}};
    fixture->module =
        (scn_module){.name = RT_TEXT("app"), .hand_images = &by_hand, .hand_image_count = 1};
    install_result(fixture, codes, 2);
    assert_int_equal(call(fixture, "x")->code, RT_COMPILE_TIME);
    assert_true(rt_text_starts(fixture->answer.messages[0].text, "the compiler produces several"));
    const scn_hand_image hand_image = {.source = {.language = SCN_LANGUAGE_SYCL,
                                                  .name = RT_TEXT("app/0"),
                                                  .code = RT_TEXT("cat  $here/result")}};
    fixture->module.hand_images = &hand_image;
    install_result(fixture, codes, 1);
    call(fixture, "x");
    assert_int_equal(images_of(fixture).count, 1);
    assert_int_equal(artefact_of(fixture).host_half_count, 0);
}

static void a_machine_without_the_compiler_lacks_a_capability(void **state)
{
    sycl_fixture *fixture = *state;
    assert_int_equal(setenv("ASSAY_VENV", "/nowhere", 1), 0);
    const cnf_compile_answer *answer = call(fixture, "cat $here/result");
    assert_int_equal(answer->code, RT_UNAVAILABLE);
    assert_int_equal(answer->name_count, 1);
    assert_true(rt_text_is(answer->names[0], "sycl-compiler"));
    assert_true(
        rt_text_is(answer->message, "assay-sycl-compiler is not installed; ci/setup --with dpcpp"));
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "worker") == 0) return cnf_worker_main(argc - 1, argv + 1);
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_fixture, close_fixture)
    const struct CMUnitTest tests[] = {
        TEST(images_have_the_codes_kernels_and_the_compilers_sets),
        TEST(repetitions_become_one_image),
        TEST(of_repetitions_the_one_that_names_most_stays),
        TEST(device_globals_have_the_ids_of_the_code),
        TEST(headers_and_footers_belong_to_their_sources),
        TEST(providers_name_their_virtual_functions),
        TEST(the_module_tells_the_compiler_how),
        TEST(what_the_compiler_made_is_kept),
        TEST(refusals_of_copies_are_kept),
        TEST(errors_point_into_the_source),
        TEST(headers_are_those_of_the_machine),
        TEST(output_that_is_not_a_result_is_the_tools_failure),
        TEST(an_image_by_hand_is_one_image),
        TEST(a_machine_without_the_compiler_lacks_a_capability),
    };
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
