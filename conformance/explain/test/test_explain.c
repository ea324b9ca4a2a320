/* Unit tests of explanations: their text for a made-up scenario, and the validity of the DOT for
 * any names. */
#include "conformance/explain/explain.h"

#include "conformance/explain/svg.h"
#include "conformance/explain/test/dot_parser.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- A made-up scenario -------------------------------------------------------------------- */

#define LENGTH(array) ((uint32_t)(sizeof(array) / sizeof *(array)))
#define TEXT(literal)                                                                              \
    {                                                                                              \
        literal, sizeof(literal) - 1                                                               \
    }

/* app/0 imports f and g; lib/0 exports f and imports h, which app/0 exports: a cycle. */
static const rt_property app_imports[] = {{TEXT("f"), RT_PROPERTY_UINT32, 1, {0}},
                                          {TEXT("g"), RT_PROPERTY_UINT32, 1, {0}}};
static const rt_property app_exports[] = {{TEXT("h"), RT_PROPERTY_UINT32, 1, {0}}};
static const rt_property lib_imports[] = {{TEXT("h"), RT_PROPERTY_UINT32, 1, {0}}};
static const rt_property lib_exports[] = {{TEXT("f"), RT_PROPERTY_UINT32, 1, {0}}};
static const rt_property other_properties[] = {
    {TEXT("fast"), RT_PROPERTY_UINT32, 2, {0}},
    {TEXT("name"), RT_PROPERTY_BYTES, 0, {(const uint8_t *)"n", 1}},
};
static const uint8_t default_24_bytes[] = {24, 0, 0, 0, 1};
static const rt_property app_globals[] = {
    {.name = TEXT("_ZN2ns1vE"), .type = RT_PROPERTY_BYTES, .bytes = {default_24_bytes, 5}},
    {.name = TEXT("damaged"), .type = RT_PROPERTY_BYTES, .bytes = {default_24_bytes, 4}},
};
static const rt_property_set app_sets[] = {
    {TEXT("SYCL/imported symbols"), app_imports, LENGTH(app_imports)},
    {TEXT("SYCL/exported symbols"), app_exports, LENGTH(app_exports)},
    {TEXT("other"), other_properties, LENGTH(other_properties)},
    {TEXT("SYCL/device globals"), app_globals, LENGTH(app_globals)},
};
static const rt_property_set lib_sets[] = {
    {TEXT("SYCL/imported symbols"), lib_imports, LENGTH(lib_imports)},
    {TEXT("SYCL/exported symbols"), lib_exports, LENGTH(lib_exports)},
};
static const rt_text app_kernels[] = {TEXT("k"), TEXT("l")};
static const rt_image app_images[] = {{.name = TEXT("app/0"),
                                       .kernels = app_kernels,
                                       .kernel_count = LENGTH(app_kernels),
                                       .sets = app_sets,
                                       .set_count = LENGTH(app_sets)}};
static const rt_image lib_images[] = {
    {.name = TEXT("lib/0"), .sets = lib_sets, .set_count = LENGTH(lib_sets)}};
static const uint32_t app_needs[] = {1};
static const uint32_t preloaded[] = {1};
static const rt_text lib_symbols[] = {TEXT("b")};
static const rt_device_global host_globals[] = {
    {.unique_id = TEXT("_ZN2ns1vE"),
     .name = TEXT("ns::v"),
     .size = 24,
     .image_scope = true,
     .host_access = RT_HOST_ACCESS_READ},
    {.unique_id = TEXT("_Z1c"), .name = TEXT("c"), .size = 1}};
static const scn_module modules[] = {
    {.name = TEXT("app"),
     .needs = app_needs,
     .need_count = 1,
     .images = {app_images, 1},
     .device_globals = {host_globals, LENGTH(host_globals)},
     .registers = true},
    {.name = TEXT("lib"),
     .host_symbols = lib_symbols,
     .host_symbol_count = 1,
     .images = {lib_images, 1}},
};
static const scn_scenario sample = {.path = TEXT("linking/sample.yaml"),
                                    .modules = modules,
                                    .module_count = LENGTH(modules),
                                    .preloaded = preloaded,
                                    .preloaded_count = 1};

static const char trace[] =
    "{\"type\":\"trace\",\"events\":["
    "{\"event\":\"resolve\",\"image\":\"app/0\",\"symbol\":\"f\",\"provider\":\"lib/0\"},"
    "{\"event\":\"unresolved\",\"image\":\"app/0\",\"symbol\":\"g\"},"
    "{\"event\":\"link\",\"program\":\"1\",\"inputs\":[\"app/0\",\"lib/0\"],\"by\":\"driver\"},"
    "{\"event\":\"build\",\"program\":\"1\",\"images\":[\"app/0\",\"lib/0\"],\"device\":\"d\"},"
    "{\"event\":\"build\",\"program\":\"2\",\"images\":[\"app/0\"],\"device\":\"d\","
    "\"constants\":[\"n=1\",\"m=2\"]},"
    "{\"event\":\"upload\",\"command\":\"1\",\"memory\":\"data\",\"device\":\"d\",\"after\":[]},"
    "{\"event\":\"launch\",\"command\":\"2\",\"kernel\":\"k\",\"program\":\"1\",\"queue\":\"q\","
    "\"global\":[\"4\",\"2\"],\"after\":[\"1\"]},"
    "{\"event\":\"cache_hit\",\"kernel\":\"k\",\"module\":\"app\",\"program\":\"1\"},"
    "{\"event\":\"launch\",\"command\":\"3\",\"kernel\":\"k\",\"program\":\"1\",\"queue\":\"q\","
    "\"global\":[\"4\"],\"after\":[\"1\",\"2\"]},"
    "{\"event\":\"error\",\"class\":\"errc::build\",\"names\":[\"g\"]},"
    "{\"event\":\"host_read\",\"command\":\"4\",\"memory\":\"data\",\"device\":\"d\","
    "\"after\":[\"3\"]},"
    "{\"event\":\"wait\",\"commands\":\"4\"},"
    "{\"event\":\"release\",\"program\":\"2\"}]}";

static void explain_text(const scn_scenario *scenario, const char *message, rt_buffer *out)
{
    cnf_explain_text(out, scenario, rt_text_of(message));
    assert_true(out->size > 0 && out->data[out->size - 1] == '\n');
}

/* ---- The text ------------------------------------------------------------------------------ */

static void the_text_is_complete(void **state)
{
    (void)state;
    static const char expected[] =
        "Modules\n"
        "  app            executable; needs lib\n"
        "    device_global ns::v (id _ZN2ns1vE): 24 bytes, image scope, host access read\n"
        "    device_global c (id _Z1c): 1 byte, host access read_write\n"
        "  lib            library, preloaded; host symbols b; does not register its images\n"
        "\n"
        "Images\n"
        "  app/0          spirv64; kernels k, l\n"
        "    imports f, g\n"
        "    exports h\n"
        "    other: fast = 2, name = 1 byte\n"
        "    SYCL/device globals: _ZN2ns1vE = 24 bytes with image scope, damaged = 4 bytes\n"
        "  lib/0          spirv64\n"
        "    imports h\n"
        "    exports f\n"
        "\n"
        "Link graph\n"
        "  app/0          -> lib/0  f\n"
        "  app/0          -> UNRESOLVED  g\n"
        "  lib/0          -> app/0  h  (exported there; not searched for)\n"
        "  cycle: app/0, lib/0\n"
        "\n"
        "Programs\n"
        "  1              linked from app/0, lib/0 by driver for device d; 2 launches; 1 cache hit\n"
        "  2              built from app/0 for device d with n=1, m=2; released\n"
        "\n"
        "Commands\n"
        "  1              upload  memory data  device d\n"
        "  2              launch  kernel k  program 1  queue q  global [4, 2]  after [1]\n"
        "  3              launch  kernel k  program 1  queue q  global [4]  after [1, 2]\n"
        "  -              error  class errc::build  names [g]\n"
        "  4              host_read  memory data  device d  after [3]\n"
        "  -              wait  commands 4\n";
    rt_buffer out = {0};
    explain_text(&sample, trace, &out);
    assert_string_equal(rt_buffer_string(&out), expected);
    rt_buffer_free(&out);
}

static void without_a_run_the_compiled_scenario_is_explained(void **state)
{
    (void)state;
    rt_buffer out = {0};
    explain_text(&sample, "", &out);
    assert_non_null(strstr(rt_buffer_string(&out),
                           "  app/0          -> lib/0  f  (exported there; not searched for)\n"
                           "  app/0          -> UNRESOLVED  g\n"));
    assert_non_null(strstr(rt_buffer_string(&out), "Programs\n  none\n\nCommands\n  none\n"));
    rt_buffer_free(&out);

    scn_module uncompiled[] = {modules[0], modules[1]};
    uncompiled[0].images = uncompiled[1].images = (rt_image_list){0};
    scn_scenario scenario = sample;
    scenario.modules = uncompiled;
    explain_text(&scenario, "", &out);
    assert_non_null(strstr(rt_buffer_string(&out), "none: nothing was compiled"));
    rt_buffer_free(&out);
}

/* After a restart the same number denotes another program. */
static void a_second_process_has_its_own_programs(void **state)
{
    (void)state;
    static const char two[] =
        "{\"events\":["
        "{\"event\":\"build\",\"program\":\"0\",\"images\":[\"app/0\"],\"device\":\"d\"},"
        "{\"event\":\"upload\",\"command\":\"0\",\"memory\":\"m\",\"after\":[]},"
        "{\"event\":\"upload\",\"command\":\"1\",\"memory\":\"m\",\"after\":[\"0\"]},"
        "{\"event\":\"restart\",\"process\":\"1\"},"
        "{\"event\":\"persistent_hit\",\"program\":\"0\",\"images\":[\"app/0\"],\"device\":\"d\"},"
        "{\"event\":\"upload\",\"command\":\"1\",\"memory\":\"n\",\"after\":[\"0\"]}]}";
    rt_buffer out = {0};
    explain_text(&sample, two, &out);
    assert_non_null(
        strstr(rt_buffer_string(&out),
               "  0              built from app/0 for device d\n"
               "  0              restored from the persistent cache, of app/0 for device d\n"
               "\nCommands\n"
               "  0              upload  memory m\n"
               "  1              upload  memory m  after [0]\n"
               "  -              restart  process 1\n"
               "  1              upload  memory n  after [0]\n"));
    rt_buffer_free(&out);
    cnf_explain_dot(&out, &sample, rt_text_of(two));
    const char *dot = rt_buffer_string(&out);
    assert_non_null(strstr(dot, "\"command 0\" -> \"command 1\";"));
    assert_non_null(strstr(dot, "\"process 1 command 1\" [label=\"1: upload n\"];"));
    assert_null(strstr(dot, "-> \"process 1")); /* command 0 of process 1 is missing */
    rt_buffer_free(&out);
}

/* A child may send any bytes. */
static void damaged_traces_are_read_up_to_the_damage(void **state)
{
    (void)state;
    static const char *const damaged[] = {
        "{",
        "[]",
        "{\"events\": 1}",
        "{\"events\": [1, {}, {\"event\": 1}, {\"event\": \"no\"}]}",
        "{\"events\": [{\"event\": \"launch\", \"command\": 1, \"after\": \"x\"}]}",
        "{\"events\": [{\"event\": \"launch\", \"command\": \"1\", \"after\": [1]}]}",
        ("{\"events\": [{\"event\": \"resolve\", \"image\": \"app/0\", \"symbol\": \"f\","
         " \"provider\": \"none\"}]}"),
        "{\"events\": [{\"event\": \"link\", \"program\": [], \"inputs\": \"app/0\"}]}",
    };
    rt_buffer expected = {0};
    explain_text(&sample, "", &expected);
    for (size_t i = 0; i < sizeof damaged / sizeof *damaged; i++) {
        rt_buffer out = {0};
        explain_text(&sample, damaged[i], &out);
        assert_string_equal(rt_buffer_string(&out), rt_buffer_string(&expected));
        rt_buffer_free(&out);
    }
    rt_buffer_free(&expected);
}

/* a/0 imports s from b/0, b/0 from c/0, and so on; in a closed chain, the last one imports from
 * a/0. */
static void cycles_are_found_in_long_chains(void **state)
{
    (void)state;
    enum { COUNT = 20000 };
    for (int closed = 0; closed < 2; closed++) {
        rt_arena arena = {0};
        rt_image *images = rt_arena_alloc_array(&arena, COUNT, sizeof *images);
        for (uint32_t i = 0; i < COUNT; i++) {
            rt_property *properties = rt_arena_alloc_array(&arena, 2, sizeof *properties);
            rt_property_set *sets = rt_arena_alloc_array(&arena, 2, sizeof *sets);
            bool last = i + 1 == COUNT;
            properties[0].name = rt_arena_printf(&arena, "s%u", i);
            properties[1].name = rt_arena_printf(&arena, "s%u", last ? 0 : i + 1);
            properties[0].type = properties[1].type = RT_PROPERTY_UINT32;
            sets[0] = (rt_property_set){RT_TEXT(RT_SET_EXPORTED_SYMBOLS), &properties[0], 1};
            sets[1] = (rt_property_set){RT_TEXT(RT_SET_IMPORTED_SYMBOLS), &properties[1], 1};
            images[i] = (rt_image){.name = rt_arena_printf(&arena, "a/%u", i), .sets = sets};
            images[i].set_count = last && !closed ? 1 : 2;
        }
        const scn_module module = {.name = RT_TEXT("a"), .images = {images, COUNT}};
        const scn_scenario scenario = {.path = RT_TEXT("p"), .modules = &module, .module_count = 1};
        rt_buffer out = {0};
        explain_text(&scenario, "", &out);
        const char *cycle = strstr(rt_buffer_string(&out), "  cycle: a/0, a/1, ");
        assert_true((cycle != NULL) == (closed == 1));
        if (cycle) assert_non_null(strstr(cycle, " a/19999\n"));
        rt_buffer_free(&out);
        rt_arena_reset(&arena);
    }
}

/* ---- The graph ----------------------------------------------------------------------------- */

static void the_graph_has_every_image_and_command(void **state)
{
    (void)state;
    rt_buffer out = {0};
    dot_parser dot;
    cnf_explain_dot(&out, &sample, rt_text_of(trace));
    dot_parse(&dot, rt_buffer_string(&out));
    /* Nodes: 2 images, 2 programs, 3 device_globals, 4 commands, the legend. Edges: 2 imports with
     * a provider, the kernel k of program 1, the 2 device_globals of app/0, 4 waits. */
    assert_int_equal(dot.node_count, 12);
    assert_int_equal(dot.edge_count, 9);
    const char *text = rt_buffer_string(&out);
    assert_non_null(strstr(text, ">from an import to the export that it uses</FONT>"));
    assert_non_null(strstr(text, ">from an import to an export that it could use</FONT>"));
    assert_null(strstr(text, ">a dummy</FONT>"));
    assert_null(strstr(text, "held back for a fusion"));
    assert_non_null(strstr(text, "\"image app/0\":i0 -> \"image lib/0\":e0;"));
    assert_non_null(strstr(text, ">UNRESOLVED g</FONT>"));
    assert_non_null(
        strstr(text, "\"image lib/0\":i2 -> \"image app/0\":e0 [style=dashed, class=possible];"));
    assert_non_null(
        strstr(text, "PORT=\"k0\" BGCOLOR=\"#e8f0fe\"><FONT COLOR=\"#202124\">kernel k<"));
    assert_non_null(strstr(text, "\"program 1\" -> \"image app/0\":k0 [arrowhead=dot];"));
    assert_null(strstr(text, "\"program 2\" -> "));
    assert_non_null(strstr(text, ">released</FONT>"));
    assert_non_null(strstr(text, "\"command 2\" [label=\"2: launch k\\nqueue q\"];"));
    assert_non_null(strstr(text, "\"command 1\" -> \"command 3\";"));
    rt_buffer_free(&out);
}

static void arbitrary_names_are_quoted(void **state)
{
    (void)state;
    static const rt_text names[] = {
        TEXT("\""),     TEXT("\\"),         TEXT("a\\\"b"),     TEXT("\n"),
        TEXT("&lt;b>"), TEXT("];}digraph"), TEXT("\xC3\xA4"),   TEXT("\xC3"),
        TEXT("\xFF"),   TEXT("a\0b"),       TEXT("\x1B[31m\t"), TEXT("<b>html</b>"),
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const rt_property import = {names[i], RT_PROPERTY_UINT32, 1, {0}};
        const rt_property_set set = {TEXT("SYCL/imported symbols"), &import, 1};
        const rt_image image = {.name = names[i],
                                .kernels = &names[i],
                                .kernel_count = 1,
                                .sets = &set,
                                .set_count = 1};
        const scn_module module = {.name = names[i], .images = {&image, 1}};
        const scn_scenario scenario = {.path = names[i], .modules = &module, .module_count = 1};
        rt_buffer out = {0}, text = {0};
        dot_parser dot;
        cnf_explain_dot(&out, &scenario, (rt_text){0});
        assert_int_equal(strlen(rt_buffer_string(&out)), out.size);
        dot_parse(&dot, rt_buffer_string(&out));
        assert_int_equal(dot.node_count, 1);
        assert_int_equal(dot.edge_count, 0);
        explain_text(&scenario, "", &text);
        assert_null(memchr(text.data, '\x1B', text.size));
        rt_buffer_free(&out);
        rt_buffer_free(&text);
    }
}

/* A trace may name a provider whose property sets do not list the symbol; the edge then ends at the
 * image's title. If an import has two possible providers, both edges leave from one row. */
static void edges_end_at_existing_rows(void **state)
{
    (void)state;
    static const char message[] =
        "{\"events\":[{\"event\":\"resolve\",\"image\":\"lib/0\",\"symbol\":\"h\","
        "\"provider\":\"lib/0\"}]}";
    rt_buffer out = {0};
    dot_parser dot;
    cnf_explain_dot(&out, &sample, rt_text_of(message));
    dot_parse(&dot, rt_buffer_string(&out));
    assert_non_null(strstr(rt_buffer_string(&out), "\"image lib/0\":i2 -> \"image lib/0\":title;"));
    rt_buffer_free(&out);

    const scn_module exporters[] = {
        modules[0], modules[1], {.name = TEXT("copy"), .images = {lib_images, 1}}};
    scn_scenario scenario = sample;
    scenario.modules = exporters;
    scenario.module_count = LENGTH(exporters);
    cnf_explain_dot(&out, &scenario, (rt_text){0});
    dot_parse(&dot, rt_buffer_string(&out));
    const char *row = strstr(rt_buffer_string(&out), "imports f<");
    assert_non_null(row);
    assert_null(strstr(row + 1, "imports f<"));
    rt_buffer_free(&out);
}

/* Program ids restart from the beginning after a restart. */
static void programs_of_two_processes_are_two_nodes(void **state)
{
    (void)state;
    static const char message[] =
        "{\"events\":["
        "{\"event\":\"build\",\"program\":\"0\",\"images\":[\"app/0\"],\"device\":\"d\"},"
        "{\"event\":\"kernel_create\",\"kernel\":\"k\",\"program\":\"0\"},"
        "{\"event\":\"restart\"},"
        "{\"event\":\"build\",\"program\":\"0\",\"images\":[\"app/0\"],\"device\":\"d\"},"
        "{\"event\":\"kernel_create\",\"kernel\":\"l\",\"program\":\"0\"}]}";
    rt_buffer out = {0};
    dot_parser dot;
    cnf_explain_dot(&out, &sample, rt_text_of(message));
    dot_parse(&dot, rt_buffer_string(&out));
    assert_int_equal(dot.node_count, 8); /* with two images, three device_globals and the legend */
    const char *text = rt_buffer_string(&out);
    assert_non_null(strstr(text, "\"program 0\" -> \"image app/0\":k0 "));
    assert_non_null(strstr(text, "\"process 1 program 0\" -> \"image app/0\":k1 "));
    rt_buffer_free(&out);
}

/* ---- The picture --------------------------------------------------------------------------- */

/* Installs a shell script as `dot` in a folder; the caller sets PATH to the folder. */
static void dot_replace(const char *folder, const char *script)
{
    char path[256];
    assert_true(snprintf(path, sizeof path, "%s/dot", folder) > 0);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fprintf(file, "#!/bin/sh\n%s\n", script) > 0);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chmod(path, 0755), 0);
}

static void pictures_are_drawn_by_dot_or_refused(void **state)
{
    (void)state;
    static const struct {
        const char *script; /* NULL: dot is not installed */
        rt_code code;
        const char *expected; /* part of the picture or of the message */
    } rows[] = {
        {NULL, RT_UNAVAILABLE, "apt-get install graphviz"},
        {"cat >/dev/null; echo '<svg width=\"1pt\"></svg>'", RT_OK,
         "<svg role=\"img\" aria-label=\"Modules, images and programs of a&#60;b&#34;&#65533;.yaml\" "
         "style=\"max-width: 100%; min-width: min(640px, 1pt); height: auto\" "
         "width=\"1pt\"><style>@media (prefers-color-scheme: dark) {"},
        {"cat >/dev/null; echo '<svg width=\"1pt'", RT_TOOL, "is not SVG"},
        {"cat >/dev/null; echo '<svg >width=\"1pt\"'", RT_TOOL, "is not SVG"},
        {"cat >/dev/null; echo nothing", RT_TOOL, "(8 bytes) is not SVG"},
        {"echo 'syntax error in line 1' >&2; exit 1", RT_TOOL, "syntax error in line 1"},
        {"kill -SEGV $$", RT_TOOL, "signal 11"},
    };
    char folder[] = "/tmp/assay-dot-XXXXXX", path[sizeof folder + 4];
    assert_non_null(mkdtemp(folder));
    assert_true(snprintf(path, sizeof path, "%s/dot", folder) > 0);
    char *before = strdup(getenv("PATH"));
    assert_int_equal(setenv("PATH", folder, 1), 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        rt_sink *sink = rt_sink_create();
        rt_buffer picture = {0};
        if (rows[i].script) dot_replace(folder, rows[i].script);
        rt_status status =
            cnf_explain_svg(sink, RT_TEXT("digraph {}\n"), RT_TEXT("a<b\"\x01.yaml"), &picture);
        assert_int_equal(status.code, rows[i].code);
        assert_int_equal(picture.size > 0, rt_ok(status));
        const char *result = rt_ok(status) ? rt_buffer_string(&picture)
                                           : rt_sink_diagnostic(sink, status)->message.data;
        assert_non_null(strstr(result, rows[i].expected));
        rt_buffer_free(&picture);
        rt_sink_destroy(sink);
    }
    assert_int_equal(setenv("PATH", before, 1), 0);
    free(before);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(folder), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_text_is_complete),
        cmocka_unit_test(without_a_run_the_compiled_scenario_is_explained),
        cmocka_unit_test(a_second_process_has_its_own_programs),
        cmocka_unit_test(damaged_traces_are_read_up_to_the_damage),
        cmocka_unit_test(cycles_are_found_in_long_chains),
        cmocka_unit_test(the_graph_has_every_image_and_command),
        cmocka_unit_test(arbitrary_names_are_quoted),
        cmocka_unit_test(edges_end_at_existing_rows),
        cmocka_unit_test(programs_of_two_processes_are_two_nodes),
        cmocka_unit_test(pictures_are_drawn_by_dot_or_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
