/* Writes generated kernels:
 *
 *     generate_kernel SEED [--without N,N…]     a scenario
 *     generate_kernel SEED --statements         how many statements can be left out
 *
 * ci/fuzz kernels drives it.  Exit status 2: wrong usage. */
#include "conformance/tools/generate/generate.h"
#include "reference/base/vector.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef RT_VECTOR(uint32_t) numbers;

/* A decimal number at *inout_text, which moves behind it. */
static bool read_number(const char **inout_text, uint64_t *out_number)
{
    char *end;
    errno = 0;
    if (**inout_text < '0' || **inout_text > '9') return false;
    *out_number = strtoull(*inout_text, &end, 10);
    *inout_text = end;
    return errno == 0;
}

static bool read_numbers(const char *text, numbers *out_numbers)
{
    for (;;) {
        uint64_t number;
        if (!read_number(&text, &number) || number > UINT32_MAX) return false;
        *rt_vector_push(out_numbers) = (uint32_t)number;
        if (*text == '\0') return true;
        if (*text++ != ',') return false;
    }
}

static bool write_scenario(const gen_request *request, bool only_count)
{
    rt_buffer text = {0};
    uint32_t statement_count;
    gen_scenario_write(request, &text, &statement_count);
    bool good = only_count ? printf("%u\n", statement_count) > 0
                           : fwrite(text.data, 1, text.size, stdout) == text.size;
    rt_buffer_free(&text);
    return fflush(stdout) == 0 && good;
}

int main(int argc, char **argv)
{
    const char *seed = argc >= 2 ? argv[1] : "";
    bool only_count = argc == 3 && strcmp(argv[2], "--statements") == 0;
    bool is_cut = argc == 4 && strcmp(argv[2], "--without") == 0;
    numbers without = {0};
    gen_request request = {0};
    bool good = read_number(&seed, &request.seed) && *seed == '\0' &&
                (argc == 2 || only_count || (is_cut && read_numbers(argv[3], &without)));
    if (!good) {
        fprintf(stderr, "usage: generate_kernel SEED [--without N,N...]\n"
                        "       generate_kernel SEED --statements\n");
    } else {
        request.without = without.items;
        request.without_count = without.count;
        good = write_scenario(&request, only_count);
    }
    rt_vector_free(&without);
    return good ? 0 : 2;
}
