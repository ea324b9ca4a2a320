/* libFuzzer target: arbitrary bytes as the trace message of a child. Every trace can be explained,
 * and no text in the graph leaves its quotes. */
#include "conformance/explain/explain.h"

/* Checks that quotes end on their line, and that only printable characters are outside them. */
static void check_graph(rt_text graph)
{
    bool quoted = false;
    for (size_t i = 0; i < graph.length; i++) {
        char character = graph.data[i];
        CHECK((unsigned char)character >= 0x20 || (character == '\n' && !quoted));
        CHECK_IMPLIES((unsigned char)character >= 0x7F, quoted);
        if (quoted && character == '\\') i++;
        if (character == '"') quoted = !quoted;
    }
    CHECK(!quoted);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const rt_property imports[] = {{{"f", 1}, RT_PROPERTY_UINT32, 1, {0}}};
    static const rt_property calls[] = {{.name = {"calls-virtual-functions-set", 27},
                                         .type = RT_PROPERTY_BYTES,
                                         .bytes = {(const uint8_t *)"a,b", 3}}};
    static const rt_property globals[] = {{{"id", 2}, RT_PROPERTY_UINT32, 1, {0}}};
    static const rt_property_set sets[] = {{{"SYCL/imported symbols", 21}, imports, 1},
                                           {{"SYCL/virtual functions", 22}, calls, 1},
                                           {{"SYCL/device globals", 19}, globals, 1}};
    static const rt_image images[] = {{.name = {"app/0", 5}, .sets = sets, .set_count = 3}};
    static const scn_module module = {.name = {"app", 3}, .images = {images, 1}};
    static const scn_scenario scenario = {
        .path = {"fuzz.yaml", 9}, .modules = &module, .module_count = 1};
    const rt_text trace = {(const char *)data, size};
    rt_buffer text = {0}, graph = {0};
    cnf_explain_text(&text, &scenario, trace);
    cnf_explain_dot(&graph, &scenario, trace);
    CHECK(text.size > 0 && graph.size > 0);
    check_graph(rt_buffer_text(&graph));
    rt_buffer_free(&text);
    rt_buffer_free(&graph);
    return 0;
}
