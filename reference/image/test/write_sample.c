/* Prints the sample as C source: `write_sample 80` or `write_sample 96`.  The build makes a module
 * of it that the tests of fat binaries load. */
#include "reference/image/fat_binary.h"
#include "reference/image/test/sample_binaries.h"

#include <stdio.h>
#include <string.h>

int main(int argument_count, char **arguments)
{
    CHECK(argument_count == 2);
    rt_fat_layout layout = strcmp(arguments[1], "80") == 0 ? RT_FAT_80 : RT_FAT_96;
    rt_sink *sink = rt_sink_create();
    rt_buffer out = {0};
    CHECK(rt_ok(rt_fat_binary_write_c(sink, &out, layout, sample_binaries)));
    bool written = fputs(rt_buffer_string(&out), stdout) >= 0 && fflush(stdout) == 0;
    rt_buffer_free(&out);
    rt_sink_destroy(sink);
    return written ? 0 : 1;
}
