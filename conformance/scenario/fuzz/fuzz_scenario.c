/* libFuzzer target: any bytes as a scenario file, and as a packed scenario.
 *
 * Built with -DASSAY_FUZZ=ON and clang; the corpus to start from is test/right and test/wrong.  A
 * scenario that is read must also survive the way through a pack. */
#include "conformance/scenario/scenario.h"

static void fuzz_pack(rt_bytes pack)
{
    rt_arena arena = {0};
    rt_sink *sink = rt_sink_create();
    const scn_scenario *scenario;
    rt_status status = scn_pack_read(sink, &arena, pack, &scenario);
    CHECK(rt_ok(status) == (scenario != NULL));
    rt_sink_destroy(sink);
    rt_arena_reset(&arena);
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

static void fuzz_file(rt_text text)
{
    rt_arena arena = {0};
    scn_problems problems;
    const scn_scenario *scenario =
        scn_read(&arena, text, RT_TEXT("fuzz.yaml"), RT_TEXT("fuzz.yaml"), &problems);
    CHECK((scenario != NULL) == (problems.count == 0));
    if (scenario) check_round_trip(scenario);
    rt_arena_reset(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size >= 4 && rt_text_starts((rt_text){(const char *)data, size}, "ASSC"))
        fuzz_pack((rt_bytes){data, size});
    else
        fuzz_file((rt_text){(const char *)data, size});
    return 0;
}
