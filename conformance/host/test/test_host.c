/* Tests host programs: building, starting, querying and ending them, and their possible
 * misbehaviour. The events are derived by hand: from the breadth-first list app, libfront,
 * libtwice, libother, glibc starts at the last module and goes depth first (elf/dl-sort-maps.c);
 * each module registers its images after its own LOADED. */
#include "conformance/host/host_internal.h"
#include "reference/base/alloc.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { APP, TWICE, OTHER, FRONT, PLUGIN, MUTE, MODULES };

typedef struct host_fixture {
    char folder[64];
    cnf_cache *cache;
    rt_sink *sink;
    rt_arena arena;
    scn_scenario scenario;
    scn_module modules[MODULES];
    cnf_host_runtime runtime;
    cnf_host *host;
} host_fixture;

static const uint32_t app_needs[] = {TWICE};
static const uint32_t twice_needs[] = {OTHER};
static const uint32_t other_needs[] = {TWICE}; /* a cycle */
static const uint32_t preloaded[] = {FRONT};

/* The image has every byte value, so that every escape is tested, and properties of both types. */
static void image_fill(rt_image *image, const char *name)
{
    static const rt_text kernels[] = {{"first", 5}, {"second", 6}};
    static const rt_property symbols[] = {
        {.name = {"f\"?\?/", 5}, .type = RT_PROPERTY_UINT32, .number = 1}};
    static const uint8_t aspects[] = {5, 0, 0, 0};
    static const rt_property requirements[] = {
        {.name = {"aspects", 7}, .type = RT_PROPERTY_BYTES, .bytes = {aspects, sizeof aspects}}};
    static const rt_property_set sets[] = {
        {{"SYCL/imported symbols", 21}, symbols, 1},
        {{"SYCL/device requirements", 24}, requirements, 1},
    };
    static uint8_t code[4 + 2 * 256] = {0x03, 0x02, 0x23, 0x07};
    for (int i = 0; i < 2 * 256; i++)
        code[4 + i] = (uint8_t)(i * 7);
    *image = (rt_image){
        .name = rt_text_of(name),
        .format = RT_FORMAT_SPIRV64,
        .compile_options = RT_TEXT("-a \\ b"),
        .link_options = RT_TEXT(""),
        .kernels = kernels,
        .kernel_count = 2,
        .sets = sets,
        .set_count = 2,
        .code = {code, sizeof code},
    };
    rt_image_hash(image);
}

static void module_fill(host_fixture *f, uint32_t module, const char *name, const uint32_t *needs,
                        uint32_t need_count, const char *symbol, uint32_t image_count)
{
    rt_image *images = rt_arena_alloc_array(&f->arena, image_count, sizeof *images);
    rt_text *symbols = rt_arena_alloc_array(&f->arena, 1, sizeof *symbols);
    *symbols = rt_text_of(symbol);
    for (uint32_t i = 0; i < image_count; i++)
        image_fill(&images[i], rt_arena_printf(&f->arena, "%s/%u", name, i).data);
    f->modules[module] = (scn_module){
        .name = rt_text_of(name),
        .needs = needs,
        .need_count = need_count,
        .host_symbols = symbols,
        .host_symbol_count = symbol ? 1 : 0,
        .registers = module != MUTE,
        .images = {images, image_count},
    };
}

static int fixture_open(void **state)
{
    host_fixture *f = rt_alloc(sizeof *f);
    strcpy(f->folder, "/tmp/host-test-XXXXXX");
    assert_non_null(mkdtemp(f->folder));
    assert_int_equal(setenv("ASSAY_SCRATCH", f->folder, 1), 0);
    rt_text warning;
    f->cache = cnf_cache_open(rt_text_of(f->folder), &warning);
    f->sink = rt_sink_create();
    module_fill(f, APP, "app", app_needs, 1, NULL, 1);
    module_fill(f, TWICE, "libtwice", twice_needs, 1, "f", 2);
    module_fill(f, OTHER, "libother", other_needs, 1, "f", 0);
    module_fill(f, FRONT, "libfront", NULL, 0, "g", 0);
    module_fill(f, PLUGIN, "plugin", NULL, 0, "f", 1);
    module_fill(f, MUTE, "mute", NULL, 0, "only.here", 1);
    f->scenario = (scn_scenario){.modules = f->modules,
                                 .module_count = MODULES,
                                 .preloaded = preloaded,
                                 .preloaded_count = 1};
    f->runtime = (cnf_host_runtime){.library = RT_TEXT(REFERENCE), .layout = RT_FAT_80};
    *state = f;
    return 0;
}

static int fixture_close(void **state)
{
    host_fixture *f = *state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", f->folder);
    assert_int_equal(system(command), 0);
    cnf_cache_close(f->cache);
    rt_sink_destroy(f->sink);
    rt_arena_reset(&f->arena);
    unsetenv("CC");
    rt_free(f);
    return 0;
}

/* ---- Helpers ------------------------------------------------------------------------------- */

static rt_status start(host_fixture *f)
{
    return cnf_host_start(f->sink, f->cache, &f->scenario, &f->runtime, &f->host);
}

static void start_well(host_fixture *f)
{
    rt_status status = start(f);
    if (!rt_ok(status)) print_error("%s\n", rt_sink_diagnostic(f->sink, status)->message.data);
    assert_true(rt_ok(status));
}

static void end_well(host_fixture *f)
{
    rt_status status = cnf_host_end(f->host);
    if (!rt_ok(status)) print_error("%s\n", rt_sink_diagnostic(f->sink, status)->message.data);
    assert_true(rt_ok(status));
}

/* Compares the events with a text such as "LOADED app; REGISTERED app". */
static void assert_events(host_fixture *f, cnf_host_events events, const char *expected)
{
    static const char *const kinds[] = {"LOADED", "REGISTERED", "UNREGISTERED", "UNLOADED"};
    rt_buffer text = {0};
    for (uint32_t i = 0; i < events.count; i++) {
        rt_buffer_printf(&text, "%s%s %.*s", i == 0 ? "" : "; ", kinds[events.items[i].kind],
                         RT_TEXT_ARG(f->modules[events.items[i].module].name));
    }
    assert_string_equal(rt_buffer_string(&text), expected);
    rt_buffer_free(&text);
}

static void assert_refused(host_fixture *f, rt_status status, rt_code code, const char *part)
{
    assert_int_equal(status.code, code);
    rt_text message = rt_sink_diagnostic(f->sink, status)->message;
    if (!strstr(message.data, part)) fail_msg("%s: no '%s' in it", message.data, part);
}

/* 1 if the test's folder contains a host program's folder, otherwise 0. */
static int folder_count(const host_fixture *f)
{
    char command[160];
    snprintf(command, sizeof command, "test -z \"$(ls -d %s/assay-* 2>/dev/null)\"", f->folder);
    return WEXITSTATUS(system(command));
}

/* ---- What works ---------------------------------------------------------------------------- */

static void modules_load_in_order_and_register(void **state)
{
    host_fixture *f = *state;
    start_well(f);
    assert_int_equal(cnf_host_runs_on(f->host).length, 0);
    assert_events(f, cnf_host_started(f->host),
                  "LOADED libtwice; REGISTERED libtwice; LOADED libother; LOADED libfront; "
                  "LOADED app; REGISTERED app");
    cnf_host_events events;
    assert_true(rt_ok(cnf_host_open(f->host, 0, PLUGIN, &f->arena, &events)));
    assert_events(f, events, "LOADED plugin; REGISTERED plugin");
    assert_true(rt_ok(cnf_host_open(f->host, 0, PLUGIN, &f->arena, &events)));
    assert_events(f, events, "");
    assert_true(rt_ok(cnf_host_open(f->host, 0, MUTE, &f->arena, &events)));
    assert_events(f, events, "LOADED mute");
    assert_true(rt_ok(cnf_host_close(f->host, 0, PLUGIN, &f->arena, &events)));
    assert_events(f, events, "");
    assert_true(rt_ok(cnf_host_close(f->host, 0, PLUGIN, &f->arena, &events)));
    assert_events(f, events, "UNREGISTERED plugin; UNLOADED plugin");
    assert_refused(f, cnf_host_close(f->host, 0, PLUGIN, &f->arena, &events), RT_ERRC_INVALID,
                   "not open");
    end_well(f);
    assert_int_equal(folder_count(f), 0);
}

static void images_are_read_back_unchanged(void **state)
{
    host_fixture *f = *state;
    start_well(f);
    cnf_host_events events = cnf_host_started(f->host);
    assert_int_equal(events.items[1].kind, HOST_EVENT_REGISTERED);
    rt_image_list images;
    assert_true(
        rt_ok(cnf_host_images(f->host, 0, TWICE, events.items[1].descriptor, &f->arena, &images)));
    rt_buffer read = {0}, expected = {0};
    rt_image_list_write(&read, images);
    rt_image_list_write(&expected, f->modules[TWICE].images);
    assert_true(rt_text_equal(rt_buffer_text(&read), rt_buffer_text(&expected)));
    rt_buffer_free(&read);
    rt_buffer_free(&expected);
    assert_refused(f, cnf_host_images(f->host, 0, TWICE, 64, &f->arena, &images), RT_ERRC_INVALID,
                   "no module holds");
    end_well(f);
}

static void symbols_bind_by_scope_and_queries_change_nothing(void **state)
{
    host_fixture *f = *state;
    start_well(f);
    cnf_host_events events;
    uint32_t binding;
    assert_true(rt_ok(cnf_host_open(f->host, 0, PLUGIN, &f->arena, &events)));
    assert_true(rt_ok(cnf_host_open(f->host, 0, MUTE, &f->arena, &events)));
    static const struct {
        uint32_t from;
        const char *symbol;
        uint32_t binding;
    } cases[] = {
        {APP, "f", TWICE},         {OTHER, "f", TWICE},       {PLUGIN, "f", TWICE},
        {APP, "g", FRONT},         {MUTE, "only.here", MUTE}, {APP, "only.here", SCN_NONE},
        {APP, "malloc", SCN_NONE},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_true(rt_ok(
            cnf_host_binds(f->host, 0, cases[i].from, rt_text_of(cases[i].symbol), &binding)));
        assert_int_equal(binding, cases[i].binding);
    }
    assert_true(rt_ok(cnf_host_close(f->host, 0, MUTE, &f->arena, &events)));
    assert_events(f, events, "UNLOADED mute");
    assert_refused(f, cnf_host_binds(f->host, 0, MUTE, RT_TEXT("f"), &binding), RT_ERRC_INVALID,
                   "not loaded");
    end_well(f);
}

/* The folder of stubs exists only if something was compiled. */
static void built_modules_are_cached(void **state)
{
    host_fixture *f = *state;
    start_well(f);
    end_well(f);
    start_well(f);
    assert_int_not_equal(
        access(rt_arena_printf(&f->arena, "%.*s/.stubs", RT_TEXT_ARG(f->host->folder)).data, F_OK),
        0);
    end_well(f);
}

/* The executable stays loaded, and so do its dependencies. */
static void the_executable_can_be_opened_and_stays(void **state)
{
    host_fixture *f = *state;
    start_well(f);
    cnf_host_events events;
    for (uint32_t module = APP; module <= TWICE; module++) {
        assert_true(rt_ok(cnf_host_open(f->host, 0, module, &f->arena, &events)));
        assert_events(f, events, "");
        assert_true(rt_ok(cnf_host_close(f->host, 0, module, &f->arena, &events)));
        assert_events(f, events, "");
    }
    end_well(f);
}

/* A megabyte with every byte value survives compilation unchanged. */
static void large_images_are_built(void **state)
{
    host_fixture *f = *state;
    enum { SIZE = 1 << 20 };
    uint8_t *code = rt_arena_alloc(&f->arena, SIZE);
    for (uint32_t i = 0; i < SIZE; i++)
        code[i] = (uint8_t)(i ^ i >> 8);
    memcpy(code, "\x03\x02\x23\x07", 4);
    rt_image image = f->modules[APP].images.images[0];
    image.code = (rt_bytes){code, SIZE};
    rt_image_hash(&image);
    f->modules[APP].images = (rt_image_list){&image, 1};
    start_well(f);
    cnf_host_events events = cnf_host_started(f->host);
    const cnf_host_event *last = &events.items[events.count - 1];
    assert_int_equal(last->kind, HOST_EVENT_REGISTERED);
    rt_image_list images;
    assert_true(rt_ok(cnf_host_images(f->host, 0, APP, last->descriptor, &f->arena, &images)));
    assert_int_equal(images.count, 1);
    assert_int_equal(images.images[0].code.size, SIZE);
    assert_memory_equal(images.images[0].code.data, code, SIZE);
    end_well(f);
}

/* ---- Host halves --------------------------------------------------------------------------- */

/* Gives a module a SYCL source with a host half, and the runtime headers (of which it has none). */
static void half_give(host_fixture *f, uint32_t module, const char *header, const char *code,
                      const char *footer)
{
    scn_source *source = rt_arena_alloc(&f->arena, sizeof *source);
    scn_host_half *half = rt_arena_alloc(&f->arena, sizeof *half);
    *source = (scn_source){
        .language = SCN_LANGUAGE_SYCL, .name = RT_TEXT("here/0"), .code = rt_text_of(code)};
    *half = (scn_host_half){.header = rt_text_of(header), .footer = rt_text_of(footer)};
    f->modules[module].sources = source;
    f->modules[module].source_count = 1;
    f->modules[module].host_halves = half;
    f->modules[module].host_half_count = 1;
    f->runtime.headers = rt_text_of(f->folder);
}

/* Registers itself as an application's footer registers a variable; the descriptors tell it from
 * the module's images. */
static const char registering_header[] = "struct before {\n    before();\n    ~before();\n};\n";
static const char registering_code[] = "#ifdef GIVEN\n"
                                       "static before first;\n"
                                       "extern \"C\" int own() { return 1; }\n"
                                       "#endif\n";
static const char registering_footer[] = "extern \"C\" void __sycl_register_lib(const void *);\n"
                                         "extern \"C\" void __sycl_unregister_lib(const void *);\n"
                                         "static int here;\n"
                                         "before::before() { __sycl_register_lib(&here); }\n"
                                         "before::~before() { __sycl_unregister_lib(&here); }\n";

/* Images are registered first and unregistered last, as DPC++'s constructors with priority 1 do. */
static void host_halves_live_while_their_images_are_registered(void **state)
{
    host_fixture *f = *state;
    half_give(f, PLUGIN, registering_header, registering_code, registering_footer);
    f->modules[PLUGIN].build_options = RT_TEXT("-cl-mad-enable -DGIVEN -O2");
    start_well(f);
    cnf_host_events events;
    assert_true(rt_ok(cnf_host_open(f->host, 0, PLUGIN, &f->arena, &events)));
    assert_events(f, events, "LOADED plugin; REGISTERED plugin; REGISTERED plugin");
    uint64_t images = events.items[1].descriptor, half = events.items[2].descriptor;
    assert_int_not_equal(images, half);
    uint32_t binding;
    assert_true(rt_ok(cnf_host_binds(f->host, 0, PLUGIN, RT_TEXT("own"), &binding)));
    assert_int_equal(binding, PLUGIN);
    assert_true(rt_ok(cnf_host_close(f->host, 0, PLUGIN, &f->arena, &events)));
    assert_events(f, events, "UNREGISTERED plugin; UNREGISTERED plugin; UNLOADED plugin");
    assert_int_equal(events.items[0].descriptor, half);
    assert_int_equal(events.items[1].descriptor, images);
    end_well(f);
}

/* The module's images import `f` and more, which no module needs to define; a host symbol that the
 * half defines too is the half's. */
static void host_halves_link_without_what_they_import(void **state)
{
    host_fixture *f = *state;
    static const rt_property imports[] = {
        {.name = {"nowhere", 7}, .type = RT_PROPERTY_UINT32, .number = 1},
        {.name = {"not a symbol", 12}, .type = RT_PROPERTY_UINT32, .number = 1}};
    static const rt_property_set sets[] = {{{"SYCL/imported symbols", 21}, imports, 2}};
    rt_image image = f->modules[PLUGIN].images.images[0];
    image.sets = sets;
    image.set_count = 1;
    rt_image_hash(&image);
    f->modules[PLUGIN].images = (rt_image_list){&image, 1};
    half_give(f, PLUGIN, "extern \"C\" int nowhere();\n",
              "extern \"C\" int f() { return nowhere(); }\n", "");
    start_well(f);
    cnf_host_events events;
    assert_true(rt_ok(cnf_host_open(f->host, 0, PLUGIN, &f->arena, &events)));
    assert_events(f, events, "LOADED plugin; REGISTERED plugin");
    end_well(f);
    half_give(f, PLUGIN, "extern \"C\" int elsewhere();\n",
              "extern \"C\" int f() { return elsewhere(); }\n", "");
    start_well(f);
    assert_refused(f, cnf_host_open(f->host, 0, PLUGIN, &f->arena, &events), RT_TOOL,
                   "undefined symbol: elsewhere");
    end_well(f);
}

/* Releases of libsycl before 9 read two more pointers in each image. */
static void images_have_the_layout_of_the_runtime(void **state)
{
    host_fixture *f = *state;
    const rt_fat_layout layouts[] = {RT_FAT_80, RT_FAT_96};
    for (size_t i = 0; i < 2; i++) {
        rt_buffer c = {0};
        assert_true(rt_ok(cnf_host_write_c(f->sink, &c, &f->scenario, APP, layouts[i])));
        const char *text = rt_buffer_string(&c);
        assert_int_equal(strstr(text, "manifest_begin") != NULL, layouts[i] == RT_FAT_96);
        assert_non_null(strstr(text, layouts[i] == RT_FAT_96 ? "    {2, 4, " : "    {3, 4, "));
        rt_buffer_free(&c);
    }
}

/* The variable that the footer registers, and the one that only the images have, are not the C
 * source's; the third is. That the footer lacks the second is the shipped compiler's failure. */
static void only_the_half_registers_its_variables(void **state)
{
    host_fixture *f = *state;
    static const rt_device_global globals[] = {
        {.unique_id = {"_Z5named", 8}, .name = {"named", 5}, .size = 4},
        {.unique_id = {"_Z4used", 7}, .name = {"used", 4}, .size = 4},
        {.unique_id = {"_Z5other", 8}, .name = {"other", 5}, .size = 4},
    };
    half_give(f, APP, "// header", "// code",
              "device_global_map::add((void *)&::in::named, \"_Z5named\");");
    f->modules[APP].device_globals = (rt_device_global_list){globals, 3};
    ((scn_host_half *)f->modules[APP].host_halves)->globals = (rt_device_global_list){globals, 2};
    rt_buffer c = {0}, cpp = {0};
    assert_true(rt_ok(cnf_host_write_c(f->sink, &c, &f->scenario, APP, RT_FAT_80)));
    assert_null(strstr(rt_buffer_string(&c), "_Z5named"));
    assert_null(strstr(rt_buffer_string(&c), "_Z4used"));
    assert_non_null(strstr(rt_buffer_string(&c), ", \"_Z5other\", 4ul, 0);"));
    cnf_host_write_half(&cpp, &f->modules[APP], &f->modules[APP].host_halves[0]);
    const char *text = rt_buffer_string(&cpp);
    assert_true(rt_text_starts(rt_buffer_text(&cpp), "// header\n#line 1 \"here/0\"\n// code\n"));
    assert_non_null(strstr(text, "        assay_tell(&::in::named, \"_Z5named\");\n"));
    rt_buffer_free(&c);
    rt_buffer_free(&cpp);
    assert_refused(f, start(f), RT_TOOL,
                   "source here/0 does not register the device_global _Z4used");
    assert_true(rt_ok(cnf_host_end(f->host)));
}

/* Counts the host halves that the C++ compiler has compiled. */
static int compiled_count(const host_fixture *f)
{
    char command[128];
    snprintf(command, sizeof command, "exit $(grep -c -e '-xc++' %s/runs)", f->folder);
    return WEXITSTATUS(system(command));
}

/* A C++ compiler that logs its command lines and keeps its objects; if a word of its command line
 * is `fails`, it does `how`. */
static void compiler_log(host_fixture *f, const char *fails, const char *how)
{
    static const char script[] = "#!/bin/sh\n"
                                 "echo \"$@\" >>%s/runs\n"
                                 "case \" $* \" in *\" %s \"*) %s;; esac\n"
                                 "c++ \"$@\" || exit\n"
                                 "for word; do\n"
                                 "    case $word in */.objects/*) cp $word %s/object-$$;; esac\n"
                                 "done\n";
    char compiler[96];
    snprintf(compiler, sizeof compiler, "%s/c++", f->folder);
    FILE *file = fopen(compiler, "w");
    assert_non_null(file);
    fprintf(file, script, f->folder, fails, how, f->folder);
    assert_int_equal(fchmod(fileno(file), 0700), 0);
    assert_int_equal(fclose(file), 0);
    setenv("CXX", compiler, 1);
}

/* A module that changes is linked again, but its unchanged host half is not compiled again. */
static void host_halves_are_cached_by_themselves(void **state)
{
    host_fixture *f = *state;
    compiler_log(f, "nothing", "true");
    half_give(f, APP, "", "int x;", "");
    for (int round = 0; round < 2; round++) {
        start_well(f);
        end_well(f);
        assert_int_equal(compiled_count(f), 1);
    }
    f->modules[APP].host_symbols = f->modules[FRONT].host_symbols;
    f->modules[APP].host_symbol_count = 1;
    start_well(f);
    end_well(f);
    assert_int_equal(compiled_count(f), 1);
    f->modules[APP].build_options = RT_TEXT("-DN=1");
    start_well(f);
    end_well(f);
    assert_int_equal(compiled_count(f), 2);
    unsetenv("CXX");
}

/* ---- Precompiled headers ------------------------------------------------------------------- */

enum { HEADER_WORD_MAX = 160 };

/* Counts the command lines of the compiler in which a word occurs. */
static int word_count(const host_fixture *f, const char *word)
{
    char command[HEADER_WORD_MAX];
    snprintf(command, sizeof command, "exit $(grep -c -e ' %s ' %s/runs)", word, f->folder);
    return WEXITSTATUS(system(command));
}

/* Runs a command with the folder of precompiled headers as the current one; returns its status. */
static int in_headers(const host_fixture *f, const char *command)
{
    char whole[HEADER_WORD_MAX * 4];
    snprintf(whole, sizeof whole, "cd %s/headers && %s", f->folder, command);
    return WEXITSTATUS(system(whole));
}

static void headers_write(host_fixture *f)
{
    static const char *libraries[2];
    char command[HEADER_WORD_MAX * 4];
    snprintf(
        command, sizeof command,
        "mkdir %s/sycl && printf '#pragma once\\ninline int twice(int x) { return 2 * x; }\\n' >%s/sycl/sycl.hpp && "
        "cc -shared -o %s/libsycl.so -xc /dev/null",
        f->folder, f->folder, f->folder);
    assert_int_equal(system(command), 0);
    libraries[0] = rt_arena_printf(&f->arena, "%s/libsycl.so", f->folder).data;
    f->runtime.libraries = libraries;
    /* The other modules would be built in vain. */
    f->scenario.module_count = 1;
    f->scenario.preloaded_count = f->modules[APP].need_count = 0;
}

/* Builds and runs the program with a source that was not compiled before. */
static void source_run(host_fixture *f)
{
    static int number;
    half_give(f, APP, "// header\n#ifndef M\n#define M 1\n#endif\nint a = M;\n",
              rt_arena_printf(&f->arena,
                              "#include <sycl/sycl.hpp>\nint n%d = twice(M);\n"
                              "extern \"C\" int answer() { return n%d; }\n",
                              number, number)
                  .data,
              "");
    number++;
    start_well(f);
    end_well(f);
}

static void sources_run(host_fixture *f, int count)
{
    for (int i = 0; i < count; i++)
        source_run(f);
}

/* Runs two sources; the header is precompiled for the second, as if the first were the last one
 * that does without it. */
static void header_make(host_fixture *f)
{
    source_run(f);
    assert_int_equal(in_headers(f, "printf %04d 0 >$(ls *.uses)"), 0);
    source_run(f);
}

/* The header is precompiled when it has been compiled often enough, and used from then on; other
 * options and another version of the library make another one. */
static void headers_are_precompiled(void **state)
{
    host_fixture *f = *state;
    compiler_log(f, "nothing", "true");
    headers_write(f);
    sources_run(f, CNF_PRECOMPILED_AFTER);
    assert_int_equal(word_count(f, "-xc++-header"), 0);
    sources_run(f, 2);
    assert_int_equal(word_count(f, "-xc++-header"), 1);
    assert_int_equal(word_count(f, "-include"), 2);
    f->modules[APP].build_options = RT_TEXT("-DN=1");
    sources_run(f, CNF_PRECOMPILED_AFTER);
    assert_int_equal(word_count(f, "-include"), 2);
    source_run(f);
    assert_int_equal(word_count(f, "-xc++-header"), 2);
    assert_int_equal(word_count(f, "-include"), 3);
    f->modules[APP].build_options = (rt_text){0};
    source_run(f);
    assert_int_equal(word_count(f, "-include"), 4);
    assert_int_equal(in_headers(f, "printf x >>../libsycl.so"), 0);
    source_run(f);
    assert_int_equal(word_count(f, "-include"), 4);
    unsetenv("CXX");
}

/* The object of a half does not depend on whether its opening was precompiled. */
static void precompiled_headers_change_no_object(void **state)
{
    host_fixture *f = *state;
    compiler_log(f, "nothing", "true");
    headers_write(f);
    half_give(f, APP, "#define M 3\n",
              "#include <sycl/sycl.hpp>\nint n = twice(M), line = __LINE__;",
              "const char *file = __FILE__;");
    for (int i = 0; i < CNF_PRECOMPILED_AFTER + 2; i++) {
        start_well(f);
        end_well(f);
        assert_int_equal(in_headers(f, "rm -r ../compile"), 0);
    }
    assert_int_equal(word_count(f, "-include"), 2);
    assert_int_equal(in_headers(f, "test $(ls ../object-* | wc -l) -gt 6"), 0);
    assert_int_equal(in_headers(f,
                                "first=$(ls ../object-* | head -n1); "
                                "for object in ../object-*; do cmp $first $object || exit 1; done"),
                     0);
    unsetenv("CXX");
}

/* A damaged file costs a compilation and no more; what happened is on standard error. */
static void damaged_precompiled_headers_are_removed(void **state)
{
    static const char *const damages[] = {"echo damaged >$(ls *.gch)", "truncate -s 10000 *.gch"};
    host_fixture *f = *state;
    compiler_log(f, "nothing", "true");
    headers_write(f);
    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
        header_make(f);
        assert_int_equal(in_headers(f, "test -s *.gch"), 0);
        assert_int_equal(in_headers(f, damages[i]), 0);
        assert_int_equal(in_headers(f, "rm *.uses"), 0);
        char path[96];
        snprintf(path, sizeof path, "%s/errors", f->folder);
        int kept = dup(STDERR_FILENO);
        assert_non_null(freopen(path, "w", stderr));
        source_run(f);
        fflush(stderr);
        assert_int_equal(dup2(kept, STDERR_FILENO), STDERR_FILENO);
        close(kept);
        assert_int_equal(in_headers(f, "grep -q 'fails with the precompiled header' ../errors"), 0);
        assert_int_equal(in_headers(f, "ls *.gch 2>/dev/null"), 2);
    }
    unsetenv("CXX");
}

/* A compiler that makes no precompiled header, or makes one that it cannot use, is asked once a
 * month. It removes what it was to write, as g++ does. */
static void compilers_without_precompiled_headers_do(void **state)
{
    static const char *const words[] = {"-xc++-header", "-include"};
    static const char *const ends[] = {"for word; do :; done; rm \"$word\"; exit 1", "exit 1"};
    host_fixture *f = *state;
    headers_write(f);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        compiler_log(f, words[i], ends[i]);
        header_make(f);
        assert_int_equal(in_headers(f, "printf %04d 0 >$(ls *.uses)"), 0);
        sources_run(f, 2);
        assert_int_equal(word_count(f, "-xc++-header"), 2 * i + 1);
        assert_int_equal(word_count(f, "-include"), i);
        assert_int_equal(in_headers(f, "rm *.uses && test -e *.gch && test ! -s *.gch"), 0);
        assert_int_equal(in_headers(f, "touch -d '31 days ago' *.gch"), 0);
        header_make(f);
        assert_int_equal(word_count(f, "-xc++-header"), 2 * (i + 1));
        assert_int_equal(word_count(f, "-include"), 2 * i);
        assert_int_equal(in_headers(f, "rm *.uses *.gch"), 0);
    }
    unsetenv("CXX");
}

/* A compiler that is killed, as one that takes too long is, is asked again later. */
static void precompiling_is_tried_again(void **state)
{
    host_fixture *f = *state;
    headers_write(f);
    compiler_log(f, "-xc++-header", "kill -9 $$");
    header_make(f);
    assert_int_equal(word_count(f, "-xc++-header"), 1);
    assert_int_equal(word_count(f, "-include"), 0);
    assert_int_equal(in_headers(f, "test $(ls | grep -cv uses) = 0"), 0);
    compiler_log(f, "nothing", "true");
    sources_run(f, CNF_PRECOMPILED_AFTER + 1);
    assert_int_equal(word_count(f, "-xc++-header"), 2);
    assert_int_equal(word_count(f, "-include"), 1);
    unsetenv("CXX");
}

/* Errors are those of the compilation without the precompiled header, which stays. */
static void errors_do_not_remove_precompiled_headers(void **state)
{
    host_fixture *f = *state;
    compiler_log(f, "nothing", "true");
    headers_write(f);
    header_make(f);
    half_give(f, APP, "// header\n#ifndef M\n#define M 1\n#endif\nint a = M;\n",
              "#include <sycl/sycl.hpp>\nint y = z;", "");
    assert_refused(f, start(f), RT_COMPILE_TIME, "here/0:2:9: error: ");
    assert_true(rt_ok(cnf_host_end(f->host)));
    assert_int_equal(in_headers(f, "test -s *.gch"), 0);
    unsetenv("CXX");
}

/* Sources that do not begin with the include are compiled as they are; an opening ends where an #if
 * is open or a line is neither a directive nor a comment. */
static void openings_are_the_first_directives(void **state)
{
    static const struct {
        const char *header, *code, *opening;
    } rows[] = {
        {"", "#include <sycl/sycl.hpp>\nint x;", "#include <sycl/sycl.hpp>\n"},
        {"\n// a\n#define A\n\nint a;\n#define B\n", "// b\n\n#include <sycl/sycl.hpp>",
         "\n// a\n#define A\n#include <sycl/sycl.hpp>\n"},
        {"#define A\n#ifdef B\n#define C\nint b;\n#endif\n", "#include <sycl/sycl.hpp>",
         "#define A\n#include <sycl/sycl.hpp>\n"},
        {"#define A \\\n 1\n", "#include <sycl/sycl.hpp>", "#include <sycl/sycl.hpp>\n"},
        {"", "#define N 1\n#include <sycl/sycl.hpp>", ""},
        {"", "  #define N 1\n#include <sycl/sycl.hpp>", ""},
        {"", "int x;\n#include <sycl/sycl.hpp>", ""},
        {"", "#include <cmath>\n#include <sycl/sycl.hpp>", ""},
        {"", "", ""},
    };
    host_fixture *f = *state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        rt_buffer out = {0};
        half_give(f, APP, rows[i].header, rows[i].code, "");
        cnf_host_write_half_opening(&out, &f->modules[APP], f->modules[APP].host_halves);
        assert_string_equal(rt_buffer_string(&out), rows[i].opening);
        rt_buffer_free(&out);
    }
}

static void wrong_host_halves_are_reported(void **state)
{
    host_fixture *f = *state;
    half_give(f, APP, "", "int x;\nint y = z;", "");
    rt_status status = start(f);
    assert_refused(f, status, RT_COMPILE_TIME, "ended with status 1 while it built here/0");
    assert_refused(f, status, RT_COMPILE_TIME, "here/0:2:9: error: ");
    assert_true(rt_ok(cnf_host_end(f->host)));
    setenv("CXX", "no-such-compiler", 1);
    assert_refused(f, start(f), RT_UNAVAILABLE, "no C++ compiler: 'no-such-compiler'");
    assert_true(rt_ok(cnf_host_end(f->host)));
    f->runtime.headers = (rt_text){0}; /* not compiled */
    start_well(f);
    end_well(f);
    unsetenv("CXX");
}

/* ---- What is refused ----------------------------------------------------------------------- */

static void without_a_compiler_it_is_unavailable(void **state)
{
    host_fixture *f = *state;
    setenv("CC", "no-such-compiler -m64", 1);
    assert_refused(f, start(f), RT_UNAVAILABLE, "'no-such-compiler' does not exist");
    assert_true(rt_ok(cnf_host_end(f->host)));
    assert_refused(f, cnf_host_compiler_check(f->sink), RT_UNAVAILABLE, "apt-get install gcc");
    f->runtime.library = RT_TEXT("/nowhere/libassay_reference.so");
    assert_refused(f, start(f), RT_UNAVAILABLE, "/nowhere/libassay_reference.so cannot be read");
    assert_null(f->host);
}

static void messages_of_the_compiler_are_reported(void **state)
{
    host_fixture *f = *state;
    setenv("CC", "cc -DEADLY -fno-such-option", 1);
    rt_status status = start(f);
    assert_refused(f, status, RT_IO, "ended with status 1 while it built libtwice.so");
    assert_refused(f, status, RT_IO, "-fno-such-option");
    assert_true(rt_ok(cnf_host_end(f->host)));
    setenv("CC", "false", 1);
    assert_refused(f, start(f), RT_IO, "ended with status 1");
    assert_true(rt_ok(cnf_host_end(f->host)));
    assert_int_equal(folder_count(f), 0);
}

static void names_that_no_program_can_have_are_refused(void **state)
{
    host_fixture *f = *state;
    static const char *const refused[][2] = {
        {"main", "the program itself defines this symbol"},
        {"assay_host_main", "the program itself defines this symbol"},
        {"__sycl_register_lib", "the program itself defines this symbol"},
        {"malloc", "the C library defines it"},
        {"a-b", "a symbol consists of letters"},
        {"7up", "a symbol consists of letters"},
    };
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        rt_text symbol = rt_text_of(refused[i][0]);
        f->modules[APP].host_symbols = &symbol;
        f->modules[APP].host_symbol_count = 1;
        assert_refused(f, start(f), RT_UNSUPPORTED, refused[i][1]);
        assert_true(rt_ok(cnf_host_end(f->host)));
    }
    f->modules[APP].host_symbol_count = 0;
    f->modules[APP].name = RT_TEXT("libtwice.so");
    assert_refused(f, start(f), RT_UNSUPPORTED, "the second of two files named");
    assert_true(rt_ok(cnf_host_end(f->host)));
    f->modules[APP].name = RT_TEXT("app");
    f->modules[FRONT].file_name = RT_TEXT("libtwice.so");
    assert_refused(f, start(f), RT_UNSUPPORTED, "the process preloads the second of two files");
    assert_true(rt_ok(cnf_host_end(f->host)));
}

/* One name is as long as Linux allows and one is a byte longer, ".so" included. */
static void files_that_no_program_can_have_are_refused(void **state)
{
    host_fixture *f = *state;
    static const char *const refused[] = {"libc.so.6", "libassay_reference.so", "libstdc++.so.6"};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        f->modules[MUTE].file_name = rt_text_of(refused[i]);
        assert_refused(f, start(f), RT_UNSUPPORTED, "real programs need a library of this name");
        assert_true(rt_ok(cnf_host_end(f->host)));
    }
    char longest[256];
    memset(longest, 'x', sizeof longest);
    f->modules[MUTE].file_name = (rt_text){0};
    f->modules[MUTE].name = (rt_text){longest, 253};
    assert_refused(f, start(f), RT_UNSUPPORTED, "the name is too long for a file");
    assert_true(rt_ok(cnf_host_end(f->host)));
    f->modules[MUTE].name.length = 252;
    start_well(f);
    end_well(f);
}

static void malformed_answers_are_refused(void **state)
{
    host_fixture *f = *state;
    static const struct {
        const char *lie;
        rt_code code;
        const char *part;
    } cases[] = {
        {"version", RT_UNAVAILABLE, "protocol has version 8"},
        {"module", RT_MALFORMED, "event 0 of 'libc.so.6'"},
        {"kind", RT_MALFORMED, "event 4 of 'app'"},
        {"count", RT_MALFORMED, "is damaged at byte"},
        {"rest", RT_MALFORMED, "is damaged at byte 17 of 18"},
        {"first byte", RT_MALFORMED, "begins with 7"},
        {"nothing", RT_MALFORMED, "did not send an answer"},
        {"class", RT_MALFORMED, "'errc::nonsense', which is not an error code"},
        {"success", RT_MALFORMED, "'success', which is not an error code"},
        {"exit", RT_TOOL, "ended with status 3 while it was started"},
        {"not executed", RT_IO, "ended with status 127 while it was started (127: it could not"},
        {"signal", RT_TOOL, "ended by signal 11 (Segmentation fault) while it was started"},
        {"length", RT_MALFORMED, "its length exceeds"},
    };
    f->runtime.library = RT_TEXT(LIAR);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rt_text variable = rt_arena_printf(&f->arena, "LIE=%s", cases[i].lie);
        const char *const environment[] = {variable.data, NULL};
        f->runtime.environment = environment;
        assert_refused(f, start(f), cases[i].code, cases[i].part);
        bool died = strcmp(cases[i].lie, "signal") == 0;
        assert_int_equal(cnf_host_fate(f->host), died ? SIGSEGV : 0);
        rt_status ended = cnf_host_end(f->host);
        (void)ended;
        assert_int_equal(folder_count(f), 0);
    }
}

/* The signal that kills the program also kills the subject that started it. */
static void a_subject_shares_the_fate_of_its_program(void **state)
{
    host_fixture *f = *state;
    f->runtime.library = RT_TEXT(LIAR);
    static const char *const environment[] = {"LIE=signal", NULL};
    f->runtime.environment = environment;
    pid_t subject = fork();
    if (subject == 0) {
        rt_status status = start(f);
        if (!rt_ok(status)) cnf_host_share_fate(f->host);
        _exit(1);
    }
    int wait_status;
    assert_int_equal(waitpid(subject, &wait_status, 0), subject);
    assert_true(WIFSIGNALED(wait_status));
    assert_int_equal(WTERMSIG(wait_status), SIGSEGV);
    assert_int_equal(folder_count(f), 0);
}

int main(void)
{
#define HOST_TEST(name) cmocka_unit_test_setup_teardown(name, fixture_open, fixture_close)
    const struct CMUnitTest tests[] = {
        HOST_TEST(modules_load_in_order_and_register),
        HOST_TEST(images_are_read_back_unchanged),
        HOST_TEST(symbols_bind_by_scope_and_queries_change_nothing),
        HOST_TEST(built_modules_are_cached),
        HOST_TEST(host_halves_live_while_their_images_are_registered),
        HOST_TEST(host_halves_link_without_what_they_import),
        HOST_TEST(only_the_half_registers_its_variables),
        HOST_TEST(headers_are_precompiled),
        HOST_TEST(precompiled_headers_change_no_object),
        HOST_TEST(damaged_precompiled_headers_are_removed),
        HOST_TEST(compilers_without_precompiled_headers_do),
        HOST_TEST(precompiling_is_tried_again),
        HOST_TEST(errors_do_not_remove_precompiled_headers),
        HOST_TEST(openings_are_the_first_directives),
        HOST_TEST(images_have_the_layout_of_the_runtime),
        HOST_TEST(host_halves_are_cached_by_themselves),
        HOST_TEST(wrong_host_halves_are_reported),
        HOST_TEST(the_executable_can_be_opened_and_stays),
        HOST_TEST(large_images_are_built),
        HOST_TEST(without_a_compiler_it_is_unavailable),
        HOST_TEST(messages_of_the_compiler_are_reported),
        HOST_TEST(names_that_no_program_can_have_are_refused),
        HOST_TEST(files_that_no_program_can_have_are_refused),
        HOST_TEST(malformed_answers_are_refused),
        HOST_TEST(a_subject_shares_the_fate_of_its_program),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
