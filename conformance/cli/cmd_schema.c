/* assay schema: the scenario format, for editors and for people. */
#include "conformance/cli/commands.h"
#include "conformance/scenario/model/scenario.h"

#include <stdio.h>

int cnf_schema_command(const cnf_arguments *arguments)
{
    rt_buffer text = {0};
    if (arguments->values[CNF_OPTION_PAGE])
        scn_page_write(&text);
    else
        scn_schema_write(&text);
    bool written = cnf_command_print(&text, "the schema");
    rt_buffer_free(&text);
    return written ? CNF_EXIT_EXPECTED : CNF_EXIT_INFRASTRUCTURE;
}
