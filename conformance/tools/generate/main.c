/* Writes generated kernels:
 *
 *     generate_kernel SEED [--without N,N…]     a scenario
 *     generate_kernel SEED --statements         the number of statements that can be omitted
 *
 * ci/fuzz kernels runs this program.  Exit status 2: wrong usage. */
#include "conformance/tools/generate/generate.h"
#include "reference/base/number.h"
#include "reference/base/vector.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef RT_VECTOR(uint32_t) numbers;

static bool read_numbers(rt_text text, numbers *out_numbers)
{
    do {
        uint64_t number;
        if (!rt_number_next(&text, UINT32_MAX, &number)) return false;
        *rt_vector_push(out_numbers) = (uint32_t)number;
    } while (text.length > 0);
    return true;
}

int main(int argc, char **argv)
{
    const char *seed = argc >= 2 ? argv[1] : "";
    bool only_count = argc == 3 && strcmp(argv[2], "--statements") == 0;
    bool is_cut = argc == 4 && strcmp(argv[2], "--without") == 0;
    numbers without = {0};
    gen_request request = {0};
    bool good =
        rt_number_read(rt_text_of(seed), 0, UINT64_MAX, &request.seed) &&
        (argc == 2 || only_count || (is_cut && read_numbers(rt_text_of(argv[3]), &without)));
    if (!good) {
        fprintf(stderr, "usage: generate_kernel SEED [--without N,N...]\n"
                        "       generate_kernel SEED --statements\n");
    } else {
        request.without = without.items;
        request.without_count = without.count;
        rt_buffer text = {0};
        uint32_t statement_count;
        gen_scenario_write(&request, &text, &statement_count);
        good = only_count ? printf("%u\n", statement_count) > 0
                          : fwrite(text.data, 1, text.size, stdout) == text.size;
        good = fflush(stdout) == 0 && good;
        rt_buffer_free(&text);
    }
    rt_vector_free(&without);
    return good ? 0 : 2;
}
