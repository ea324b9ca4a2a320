/* libFuzzer target: arbitrary bytes as a packed scenario. A pack is either refused with a message,
 * or read; what was read is written again, and the new pack must read as the same scenario. */
#include "conformance/scenario/model/scenario.h"

static void check_round_trip(rt_sink *sink, rt_arena *arena, const scn_scenario *scenario)
{
    rt_buffer pack = {0}, again = {0};
    const scn_scenario *unpacked;
    scn_pack_write(&pack, scenario);
    CHECK(rt_ok(scn_pack_read(sink, arena, rt_buffer_bytes(&pack), &unpacked)));
    scn_pack_write(&again, unpacked);
    CHECK(rt_text_equal(rt_buffer_text(&pack), rt_buffer_text(&again)));
    rt_buffer_free(&pack);
    rt_buffer_free(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    rt_arena arena = {0};
    rt_sink *sink = rt_sink_create();
    const scn_scenario *scenario;
    rt_status status = scn_pack_read(sink, &arena, (rt_bytes){data, size}, &scenario);
    CHECK(rt_ok(status) == (scenario != NULL));
    if (rt_ok(status))
        check_round_trip(sink, &arena, scenario);
    else
        CHECK(rt_sink_diagnostic(sink, status)->message.length > 0);
    rt_sink_destroy(sink);
    rt_arena_reset(&arena);
    return 0;
}
