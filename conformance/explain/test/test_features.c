/* Unit tests of explanations of device_globals, sets of virtual functions and fusions, with made-up
 * scenarios and traces. */
#include "conformance/explain/explain.h"
#include "conformance/explain/test/dot_parser.h"
#include "reference/image/virtual_functions.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define LENGTH(array) ((uint32_t)(sizeof(array) / sizeof *(array)))
#define TEXT(literal)                                                                              \
    {                                                                                              \
        literal, sizeof(literal) - 1                                                               \
    }

/* Both forms of the explanation of one scenario and trace, with the graph parsed. */
typedef struct forms {
    rt_buffer text, graph;
    dot_parser dot;
} forms;

static void forms_make(forms *out, const scn_scenario *scenario, const char *const *events,
                       uint32_t event_count)
{
    *out = (forms){0};
    rt_buffer trace = {0};
    for (uint32_t i = 0; i < event_count; i++)
        rt_buffer_printf(&trace, i == 0 ? "{\"events\":[%s" : ",%s", events[i]);
    rt_buffer_printf(&trace, "]}");
    cnf_explain_text(&out->text, scenario, rt_buffer_text(&trace));
    cnf_explain_dot(&out->graph, scenario, rt_buffer_text(&trace));
    rt_buffer_free(&trace);
    dot_parse(&out->dot, rt_buffer_string(&out->graph));
}

static void forms_free(forms *output)
{
    rt_buffer_free(&output->text);
    rt_buffer_free(&output->graph);
}

static void assert_says(rt_buffer *form, const char *text)
{
    if (!strstr(rt_buffer_string(form), text))
        fail_msg("missing: %s\nin:\n%s", text, rt_buffer_string(form));
}

static void assert_silent(rt_buffer *form, const char *unwanted)
{
    assert_null(strstr(rt_buffer_string(form), unwanted));
}

#define RESTART "{\"event\":\"restart\"}"

/* ---- device_globals ------------------------------------------------------------------------ */

/* Two variables with the same name, such as static variables of two libraries. */
static const uint8_t default_4_bytes[] = {4, 0, 0, 0, 0};
static const rt_property globals[] = {
    {.name = TEXT("id1"), .type = RT_PROPERTY_BYTES, .bytes = {default_4_bytes, 5}},
    {.name = TEXT("id2"), .type = RT_PROPERTY_BYTES, .bytes = {default_4_bytes, 5}},
};
static const rt_property_set global_sets[] = {{TEXT(RT_SET_DEVICE_GLOBALS), globals, 2}};
static const rt_image global_images[] = {
    {.name = TEXT("app/0"), .sets = global_sets, .set_count = 1}};
static const scn_module global_modules[] = {{.name = TEXT("app"), .images = {global_images, 1}}};
static const scn_scenario global_scenario = {
    .path = TEXT("g.yaml"), .modules = global_modules, .module_count = 1};

#define BUILD(program, context)                                                                    \
    "{\"event\":\"build\",\"program\":\"" program "\",\"images\":[\"app/0\"],\"device\":\"0\","    \
    "\"context\":\"" context "\"}"
#define ALLOCATE(id, device, context)                                                              \
    "{\"event\":\"device_global_allocate\",\"variable\":\"v\",\"id\":\"" id                        \
    "\",\"device\":\"" device "\",\"context\":\"" context "\",\"size\":\"4\"}"
#define ZERO(command, device)                                                                      \
    "{\"event\":\"device_global_zero\",\"command\":\"" command "\",\"variable\":\"v\","            \
    "\"size\":\"4\",\"device\":\"" device "\",\"after\":[]}"
#define POINT(command, id, program)                                                                \
    "{\"event\":\"device_global_point\",\"command\":\"" command                                    \
    "\",\"variable\":\"v\",\"id\":\"" id "\",\"program\":\"" program                               \
    "\",\"device\":\"0\",\"after\":[]}"

/* Events that write zeros have only the variable's name and the device; their order determines the
 * allocation. */
static void zeros_belong_to_allocations_in_their_order(void **state)
{
    (void)state;
    static const char *const events[] = {
        BUILD("0", "0"),
        ALLOCATE("id1", "0", "0"),
        ALLOCATE("id1", "1", "0"),
        ALLOCATE("id2", "0", "0"),
        ZERO("0", "0"),
        ZERO("1", "0"),
        ZERO("2", "1"),
        POINT("3", "id2", "0"),
        RESTART,
        ALLOCATE("id2", "0", "0"),
        ZERO("0", "0"),
    };
    forms output;
    forms_make(&output, &global_scenario, events, LENGTH(events));
    assert_says(&output.text,
                "Contents of device_globals\n"
                "  v (id id1)\n"
                "    on device 0, context 0: 4 bytes, zeroed by command 0\n"
                "    on device 1, context 0: 4 bytes, zeroed by command 2\n"
                "  v (id id2)\n"
                "    on device 0, context 0: 4 bytes, zeroed by command 1\n"
                "    program 0 on device 0: pointer set by command 3\n"
                "    on device 0, context 0: 4 bytes, zeroed by command 0, process 1\n");
    assert_says(&output.graph, ">on device 1, context 0: zeroed by command 2<");
    assert_says(&output.graph, "\"image app/0\":g1 -> \"variable id2\":title ");
    assert_says(&output.graph, "\"program 0\" -> \"variable id2\":p0 ");
    assert_says(&output.graph, "label=\"pointer set by command 3\"");
    assert_silent(&output.graph, "-> \"variable id1\":p");
    assert_says(&output.graph, "\"command 3\" [label=\"3: device_global_point v\"];");
    forms_free(&output);
}

/* A program points to the allocation of its own context if there is one, otherwise to the
 * allocation that the device's contexts share. */
static void pointers_go_to_the_context_of_their_program(void **state)
{
    (void)state;
    static const char *const events[] = {
        BUILD("0", "5"),           BUILD("1", "6"),           BUILD("2", "7"),
        ALLOCATE("id1", "0", "5"), ALLOCATE("id1", "0", "6"), POINT("0", "id1", "0"),
        POINT("1", "id1", "1"),    POINT("2", "id1", "2"),    POINT("3", "id2", "0"),
    };
    forms output;
    forms_make(&output, &global_scenario, events, LENGTH(events));
    assert_says(&output.graph, "\"program 0\" -> \"variable id1\":p0 ");
    assert_says(&output.graph, "\"program 1\" -> \"variable id1\":p1 ");
    assert_says(&output.graph, "\"program 2\" -> \"variable id1\":p1 ");
    assert_silent(&output.graph, "-> \"variable id2\":p"); /* no allocation: a damaged trace */
    assert_silent(&output.text, "zeroed by");
    forms_free(&output);
}

#define DESCRIBE(id, scope, program)                                                               \
    "{\"event\":\"device_global_describe\",\"id\":\"" id                                           \
    "\",\"size\":\"4\",\"image_scope\":\"" scope "\",\"program\":\"" program "\"}"

#define HOST(id, name)                                                                             \
    "{\"event\":\"device_global_host\",\"variable\":\"" name "\",\"id\":\"" id "\"}"

/* Every image of a program describes the program's instance, and every copy reports the host
 * object; each place is printed once. */
static void places_are_printed_once(void **state)
{
    (void)state;
    static const char *const events[] = {
        BUILD("0", "0"),
        BUILD("1", "0"),
        DESCRIBE("id1", "true", "0"),
        DESCRIBE("id1", "true", "0"),
        DESCRIBE("id1", "true", "1"),
        DESCRIBE("id2", "false", "0"),
        HOST("id3", "w"),
        HOST("id3", "w"),
    };
    forms output;
    forms_make(&output, &global_scenario, events, LENGTH(events));
    assert_says(&output.text, "Contents of device_globals\n"
                              "  id1 (id id1)\n"
                              "    inside program 0, with its code's initial value (image scope)\n"
                              "    inside program 1, with its code's initial value (image scope)\n"
                              "  w (id id3)\n"
                              "    in the host object\n"
                              "\nCommands\n");
    assert_says(&output.graph, "\"program 0\" -> \"variable id1\":p0 [class=contents];");
    assert_says(&output.graph, "\"program 1\" -> \"variable id1\":p1 [class=contents];");
    assert_says(&output.graph, ">in the host object<");
    forms_free(&output);
}

/* ---- Sets of virtual functions ------------------------------------------------------------- */

#define BYTES(literal)                                                                             \
    {                                                                                              \
        (const uint8_t *)(literal), sizeof(literal) - 1                                            \
    }
static const rt_property caller[] = {
    {.name = TEXT(RT_VIRTUAL_FUNCTIONS_CALLS), .type = RT_PROPERTY_BYTES, .bytes = BYTES("a,b\0")},
    {.name = TEXT(RT_VIRTUAL_FUNCTIONS_CREATES), .type = RT_PROPERTY_BYTES, .bytes = BYTES("b")}};
static const rt_property provider[] = {
    {.name = TEXT(RT_VIRTUAL_FUNCTIONS_PROVIDES), .type = RT_PROPERTY_BYTES, .bytes = BYTES("b")}};
static const rt_property dummy[] = {
    {.name = TEXT(RT_VIRTUAL_FUNCTIONS_PROVIDES), .type = RT_PROPERTY_BYTES, .bytes = BYTES("b")},
    {.name = TEXT(RT_VIRTUAL_FUNCTIONS_DUMMY), .type = RT_PROPERTY_UINT32, .number = 1}};
static const rt_property_set caller_sets[] = {{TEXT(RT_SET_VIRTUAL_FUNCTIONS), caller, 2}};
static const rt_property_set provider_sets[] = {{TEXT(RT_SET_VIRTUAL_FUNCTIONS), provider, 1}};
static const rt_property_set dummy_sets[] = {{TEXT(RT_SET_VIRTUAL_FUNCTIONS), dummy, 2}};
static const rt_image set_images[] = {
    {.name = TEXT("app/0"), .sets = caller_sets, .set_count = 1},
    {.name = TEXT("app/1"), .sets = provider_sets, .set_count = 1},
    {.name = TEXT("app/2"), .sets = dummy_sets, .set_count = 1}};
static const scn_module set_modules[] = {{.name = TEXT("app"), .images = {set_images, 3}}};
static const scn_scenario set_scenario = {
    .path = TEXT("s.yaml"), .modules = set_modules, .module_count = 1};

#define JOIN_WORDS(image, relation, provider)                                                      \
    "{\"event\":\"join\",\"set\":\"b\",\"image\":\"" image "\",\"relation\":\"" relation           \
    "\",\"provider\":\"" provider "\""
#define JOIN(image, relation, provider) JOIN_WORDS(image, relation, provider) "}"
#define JOIN_DUMMY(image, relation, provider, real)                                                \
    JOIN_WORDS(image, relation, provider) ",\"stands_for\":\"" real "\"}"

static void sets_are_rows_and_joins_go_from_row_to_row(void **state)
{
    (void)state;
    static const char *const events[] = {
        JOIN("app/0", "calls", "app/1"),
        JOIN_DUMMY("app/0", "creates", "app/2", "app/1"),
        JOIN_DUMMY("app/1", "creates", "app/2", "app/1"),
        JOIN("app/0", "calls", "none"),
    };
    forms output;
    forms_make(&output, &set_scenario, events, LENGTH(events));
    assert_int_equal(output.dot.node_count, 4); /* three images and the legend */
    assert_int_equal(output.dot.edge_count, 4); /* three joins, and one edge from the dummy */
    assert_says(&output.graph, ">calls set a<");
    assert_says(&output.graph,
                "PORT=\"v0_1\" BGCOLOR=\"#fce4ec\"><FONT COLOR=\"#202124\">calls set "
                "b<");
    assert_says(&output.graph, "\"image app/0\":v0_1 -> \"image app/1\":v0_0;");
    assert_says(&output.graph, "\"image app/0\":v1_0 -> \"image app/2\":v0_0;");
    assert_says(&output.graph, "\"image app/1\":title -> \"image app/2\":v0_0;"); /* no such row */
    assert_says(&output.graph, "\"image app/2\":title -> \"image app/1\":title [style=dashed, ");
    assert_says(&output.graph, ">spirv64 dummy<");
    assert_says(&output.text,
                "calls-virtual-functions-set = a,b, creates-virtual-functions-set = b");
    assert_says(&output.text, "app/0          creates b -> app/2, the dummy of app/1\n");
    forms_free(&output);
}

/* ---- Fusions ------------------------------------------------------------------------------- */

static const scn_scenario empty_scenario = {.path = TEXT("f.yaml")};

#define STATUS(fusion, queue, status)                                                              \
    "{\"event\":\"fusion_status\",\"fusion\":\"" fusion "\",\"queue\":\"" queue                    \
    "\",\"status\":\"" status "\"}"
#define HOLD(command, kernel, fusion, after)                                                       \
    "{\"event\":\"fusion_hold\",\"command\":\"" command "\",\"kernel\":\"" kernel                  \
    "\",\"queue\":\"0\",\"fusion\":\"" fusion "\",\"held_after\":[" after "]}"
#define LAUNCH(command, kernel, queue, after)                                                      \
    "{\"event\":\"launch\",\"command\":\"" command "\",\"kernel\":\"" kernel                       \
    "\",\"queue\":\"" queue "\",\"after\":[" after "]}"
#define FUSE(kernel, promoted)                                                                     \
    "{\"event\":\"fuse\",\"kernel\":\"" kernel "\",\"queue\":\"0\",\"promoted\":[" promoted "]}"
#define CACHE_HIT(kernel)                                                                          \
    "{\"event\":\"fusion_cache_hit\",\"kernel\":\"" kernel "\",\"queue\":\"0\"}"
#define CANCEL(reason) "{\"event\":\"fusion_cancel\",\"queue\":\"0\",\"reason\":\"" reason "\"}"
#define UPLOAD         "{\"event\":\"upload\",\"command\":\"1\",\"memory\":\"m\",\"after\":[]}"

/* Two kernels; the second waits for the first, for an upload and for an unknown command. A later
 * fusion's kernel is found in the cache. */
static void a_fused_kernel_replaces_its_box(void **state)
{
    (void)state;
    static const char *const events[] = {
        STATUS("0", "0", "ACTIVE"),
        HOLD("2", "f", "0", ""),
        HOLD("3", "g", "0", "\"2\",\"1\",\"99\""),
        FUSE("fg", "\"t\",\"u\""),
        UPLOAD,
        LAUNCH("4", "fg", "0", "\"1\""),
        STATUS("0", "0", "COMPLETED"),
        STATUS("0", "0", "DELETE"),
        LAUNCH("5", "fg", "0", "\"4\""),
        STATUS("6", "0", "ACTIVE"),
        HOLD("7", "f", "6", "\"3\",\"4\""),
        CACHE_HIT("fg"),
        LAUNCH("8", "fg", "0", "\"4\""),
        STATUS("6", "0", "COMPLETED"),
    };
    forms output;
    forms_make(&output, &empty_scenario, events, LENGTH(events));
    /* Nodes: commands 1, 4, 5, 8 and the held 2, 3, 7. Edges: the waits 1-4, 4-5, 4-8; those of
     * held kernels, 2-3, 1-3, 4-7; and two arrows. */
    assert_int_equal(output.dot.node_count, 8);
    assert_int_equal(output.dot.edge_count, 8);
    assert_says(&output.graph, "label=\"fusion 0 on queue 0\\nheld back, then COMPLETED\";");
    assert_says(&output.graph, "\"held 2\" [style=dashed, label=\"2: f\"];");
    assert_says(&output.graph, "\"held 2\" -> \"held 3\" [style=dashed];");
    assert_says(&output.graph, "\"command 1\" -> \"held 3\" [style=dashed];");
    assert_says(&output.graph, "\"command 4\" -> \"held 7\" [style=dashed];");
    assert_says(&output.graph, "\"held 3\" -> \"command 4\" [ltail=\"cluster_fusion_0_0\", "
                               "penwidth=2, label=\"fused\\npromoted t, u\"];");
    assert_says(&output.graph, "\"held 7\" -> \"command 8\" [ltail=\"cluster_fusion_0_1\", "
                               "penwidth=2, label=\"fused, from the cache\"];");
    assert_says(&output.text, "fusion_hold  kernel g  queue 0  fusion 0  held_after [2, 1, 99]\n");
    forms_free(&output);
}

/* After a restart, the same numbers occur again, and no event ends the fusion; an empty list has no
 * box. */
static void kernels_of_a_cancelled_fusion_are_launched_separately(void **state)
{
    (void)state;
    static const char *const events[] = {
        STATUS("0", "0", "ACTIVE"),
        HOLD("2", "f", "0", ""),
        HOLD("3", "g", "0", "\"2\""),
        STATUS("0", "0", "CANCELLED"),
        CANCEL("a\\\"b"),
        LAUNCH("2", "f", "0", ""),
        LAUNCH("3", "g", "0", "\"2\""),
        STATUS("4", "1", "ACTIVE"),
        STATUS("4", "1", "COMPLETED"),
        STATUS("5", "0", "ACTIVE"),
        HOLD("6", "f", "5", "\"3\""),
        STATUS("5", "0", "CANCELLED"),
        RESTART,
        STATUS("0", "0", "ACTIVE"),
        HOLD("2", "f", "0", "\"1\""),
    };
    forms output;
    forms_make(&output, &empty_scenario, events, LENGTH(events));
    assert_int_equal(output.dot.node_count, 7); /* commands 2 and 3, four held kernels, legend */
    assert_int_equal(output.dot.edge_count, 5); /* 2-3; held: 2-3, 3-6; alone: 2, 3 */
    assert_says(&output.graph, "held back, then CANCELLED: a\\\"b\";");
    assert_says(&output.graph, "\"held 2\" -> \"command 2\" [penwidth=2, label=\"alone\"];");
    assert_says(&output.graph, "\"command 3\" -> \"held 6\" [style=dashed];");
    assert_says(&output.graph, "\"process 1 held 2\" [style=dashed, label=\"2: f\"];");
    assert_says(&output.graph, "label=\"fusion 0 on queue 0\\nheld back\";");
    assert_silent(&output.graph, "fusion 4");
    forms_free(&output);
}

/* Held kernels without a fusion, a number or a list of waits, and a launch on another queue. */
static void damaged_fusions_are_drawn_in_part(void **state)
{
    (void)state;
    static const char *const events[] = {
        HOLD("2", "f", "0", ""),
        STATUS("", "0", "ACTIVE"),
        STATUS("0", "0", "ACTIVE"),
        "{\"event\":\"fusion_hold\",\"fusion\":\"0\",\"kernel\":\"f\"}",
        "{\"event\":\"fusion_hold\",\"fusion\":\"0\",\"command\":\"3\"}",
        FUSE("f", ""),
        LAUNCH("4", "f", "1", ""),
        "{\"event\":\"launch\",\"kernel\":\"f\",\"queue\":\"0\"}",
    };
    forms output;
    forms_make(&output, &empty_scenario, events, LENGTH(events));
    assert_int_equal(output.dot.node_count, 3); /* command 4, held 3, legend */
    assert_int_equal(output.dot.edge_count, 0);
    forms_free(&output);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(zeros_belong_to_allocations_in_their_order),
        cmocka_unit_test(pointers_go_to_the_context_of_their_program),
        cmocka_unit_test(places_are_printed_once),
        cmocka_unit_test(sets_are_rows_and_joins_go_from_row_to_row),
        cmocka_unit_test(a_fused_kernel_replaces_its_box),
        cmocka_unit_test(kernels_of_a_cancelled_fusion_are_launched_separately),
        cmocka_unit_test(damaged_fusions_are_drawn_in_part),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
