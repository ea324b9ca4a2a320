/* libFuzzer target: any bytes as a file to format.  Any text that can be read can be formatted
 * without changing its meaning, and formatting the result again changes nothing. */
#include "conformance/tools/fmt/fmt.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    rt_arena arena = {0};
    rt_buffer once = {0}, twice = {0};
    scn_problems problems;
    cnf_fmt_end end = cnf_fmt_text(&arena, (rt_text){(const char *)data, size}, &once, &problems);
    CHECK(end != CNF_FMT_BROKEN);
    CHECK_IMPLIES(end == CNF_FMT_REFUSED, once.size == 0 && problems.count > 0);
    if (end == CNF_FMT_DONE) {
        end = cnf_fmt_text(&arena, rt_buffer_text(&once), &twice, &problems);
        CHECK(end == CNF_FMT_DONE);
        CHECK(rt_text_equal(rt_buffer_text(&once), rt_buffer_text(&twice)));
    }
    rt_buffer_free(&once);
    rt_buffer_free(&twice);
    rt_arena_reset(&arena);
    return 0;
}
