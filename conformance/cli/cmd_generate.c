/* assay generate: writes a scenario that is drawn from a seed. */
#include "conformance/cli/commands.h"
#include "conformance/cli/generated.h"
#include "reference/base/number.h"
#include "reference/base/vector.h"

#include <stdio.h>

typedef RT_VECTOR(uint32_t) numbers;

/* Reads numbers from 1, separated by commas; none if the option is absent. */
static bool numbers_read(const char *value, numbers *out_numbers)
{
    rt_text rest = rt_text_of(value ? value : "");
    while (rest.length > 0) {
        uint64_t number;
        if (!rt_number_next(&rest, UINT32_MAX, &number) || number == 0) {
            fprintf(stderr, "assay: --without %s: not a list of numbers from 1, such as 1,2\n",
                    value);
            return false;
        }
        *rt_vector_push(out_numbers) = (uint32_t)number;
    }
    return true;
}

int cnf_generate_command(const cnf_arguments *arguments)
{
    if (arguments->path_count != 2) {
        fprintf(stderr, "assay: generate needs a KIND and a SEED (assay generate --help)\n");
        return CNF_EXIT_USAGE;
    }
    const cnf_generated_kind *kind = cnf_generated_kind_find(arguments->paths[0]);
    if (!kind) return CNF_EXIT_USAGE;
    gen_request request = {0};
    if (!rt_number_read(arguments->paths[1], 0, UINT64_MAX, &request.seed)) {
        fprintf(stderr, "assay: generate: the seed '%s' is not a number from 0 to %llu\n",
                arguments->paths[1].data, (unsigned long long)UINT64_MAX);
        return CNF_EXIT_USAGE;
    }
    gen_weights weights;
    if (!cnf_generated_weights_read(kind, arguments, &weights) ||
        !cnf_generated_variation_read(kind, arguments, &request.variation))
        return CNF_EXIT_USAGE;
    request.weights = &weights;
    numbers without = {0};
    int status = CNF_EXIT_USAGE;
    if (numbers_read(arguments->values[CNF_OPTION_WITHOUT], &without)) {
        request.without = without.items;
        request.without_count = without.count;
        rt_buffer text = {0};
        uint32_t unit_count;
        kind->write(&request, &text, &unit_count);
        if (arguments->values[CNF_OPTION_UNITS]) {
            rt_buffer_free(&text);
            rt_buffer_printf(&text, "%u\n", unit_count);
        }
        status =
            cnf_command_print(&text, "the scenario") ? CNF_EXIT_EXPECTED : CNF_EXIT_INFRASTRUCTURE;
        rt_buffer_free(&text);
    }
    rt_vector_free(&without);
    return status;
}
