/* libFuzzer target: arbitrary bytes as a scenario file. A file is either read, or has problems
 * whose positions are all inside it; what was read survives a round trip through a pack. */
#include "conformance/scenario/model/scenario.h"

static void check_problems(rt_text text, const scn_problems *problems)
{
    uint32_t line_count = 1;
    for (size_t i = 0; i < text.length; i++)
        line_count += text.data[i] == '\n';
    for (uint32_t i = 0; i < problems->count; i++) {
        const scn_problem *problem = &problems->items[i];
        CHECK(problem->at.line >= 1);
        CHECK(problem->file.length > 0 || problem->at.line <= line_count);
    }
}

static void check_round_trip(const scn_scenario *scenario)
{
    rt_arena arena = {0};
    rt_sink *sink = rt_sink_create();
    rt_buffer pack = {0}, again = {0};
    const scn_scenario *unpacked;
    scn_pack_write(&pack, scenario);
    CHECK(rt_ok(scn_pack_read(sink, &arena, rt_buffer_bytes(&pack), &unpacked)));
    scn_pack_write(&again, unpacked);
    CHECK(rt_text_equal(rt_buffer_text(&pack), rt_buffer_text(&again)));
    rt_buffer_free(&pack);
    rt_buffer_free(&again);
    rt_sink_destroy(sink);
    rt_arena_reset(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    rt_arena arena = {0};
    const rt_text text = {(const char *)data, size}, name = RT_TEXT("fuzz.yaml");
    scn_problems problems;
    const scn_scenario *scenario = scn_read(&arena, text, name, name, &problems);
    CHECK((scenario != NULL) == (problems.count == 0));
    check_problems(text, &problems);
    if (scenario) check_round_trip(scenario);
    rt_arena_reset(&arena);
    return 0;
}
