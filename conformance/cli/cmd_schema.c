/* assay schema: the formats of scenarios and of expectation files, for editors and for people. */
#include "conformance/cli/commands.h"
#include "conformance/verdict/findings.h"

int cnf_schema_command(const cnf_arguments *arguments)
{
    const char *const *values = arguments->values;
    rt_buffer text = {0};
    if (values[CNF_OPTION_PAGE] && values[CNF_OPTION_EXPECTATIONS]) {
        fprintf(stderr, "assay: --page and --expectations cannot be combined: expectation files "
                        "have no page\n");
        return CNF_EXIT_USAGE;
    }
    if (values[CNF_OPTION_PAGE])
        scn_page_write(&text);
    else if (values[CNF_OPTION_EXPECTATIONS])
        scn_schema_of(&text, &cnf_expectation_file_shape, "assay expectation file");
    else
        scn_schema_write(&text);
    return cnf_command_finish(&text, "the schema");
}
