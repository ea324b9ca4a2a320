/* assay schema: the scenario format, for editors and for people. */
#include "conformance/cli/commands.h"
int cnf_schema_command(const cnf_arguments *arguments)
{
    rt_buffer text = {0};
    if (arguments->values[CNF_OPTION_PAGE])
        scn_page_write(&text);
    else
        scn_schema_write(&text);
    return cnf_command_finish(&text, "the schema");
}
