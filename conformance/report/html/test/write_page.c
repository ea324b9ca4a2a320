/* Writes the page of sample.c, with COUNT additional scenarios, to stdout for a browser: write_page
 * [COUNT]. */
#include "conformance/report/html/test/sample.h"

#include <stdio.h>
#include <stdlib.h>

int main(int argument_count, char **arguments)
{
    rt_buffer page = {0};
    sample_page(&page, argument_count > 1 ? (uint32_t)strtoul(arguments[1], NULL, 10) : 0);
    bool written = fwrite(page.data, 1, page.size, stdout) == page.size && fflush(stdout) == 0;
    rt_buffer_free(&page);
    return written ? 0 : 1;
}
