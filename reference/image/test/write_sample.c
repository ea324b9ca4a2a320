/* Prints the sample.  `write_sample 80` and `96` print C source in either layout, which the build
 * compiles into modules for the tests of fat binaries; `96z` is `96` with compressed code;
 * `syclbin` and `text` print seeds for the fuzzer. */
#include "reference/image/compression.h"
#include "reference/image/fat_binary.h"
#include "reference/image/syclbin.h"
#include "reference/image/test/sample_binaries.h"

#include <stdio.h>
#include <string.h>

/* SYCLBIN has no place for options, so the file holds only the second and the third binary. */
static rt_status syclbin_write(rt_sink *sink, rt_arena *arena, rt_buffer *out)
{
    const rt_device_binaries binaries = {sample_items + 1, 2};
    rt_syclbin syclbin;
    RT_TRY(rt_syclbin_of(sink, arena, binaries, &syclbin));
    return rt_syclbin_write(sink, out, &syclbin);
}

static rt_status sample_write(rt_sink *sink, rt_arena *arena, const char *kind, rt_buffer *out)
{
    const rt_property_sets sets = {sample_sets, 3};
    if (strcmp(kind, "syclbin") == 0) return syclbin_write(sink, arena, out);
    if (strcmp(kind, "text") == 0) return rt_property_text_write(sink, out, sets);
    rt_device_binaries binaries = sample_binaries;
    if (strcmp(kind, "96z") == 0) binaries = rt_device_binaries_compress(arena, binaries);
    return rt_fat_binary_write_c(sink, out, strcmp(kind, "80") == 0 ? RT_FAT_80 : RT_FAT_96,
                                 binaries);
}

int main(int argument_count, char **arguments)
{
    CHECK(argument_count == 2);
    rt_sink *sink = rt_sink_create();
    rt_arena arena = {0};
    rt_buffer out = {0};
    CHECK(rt_ok(sample_write(sink, &arena, arguments[1], &out)));
    bool written = fwrite(out.data, 1, out.size, stdout) == out.size && fflush(stdout) == 0;
    rt_buffer_free(&out);
    rt_arena_reset(&arena);
    rt_sink_destroy(sink);
    return written ? 0 : 1;
}
