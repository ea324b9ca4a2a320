/* What `assay postlink` is given: source files, which are one module, or the modules of a scenario.
 */
#ifndef CONFORMANCE_CLI_POSTLINK_INPUT_H
#define CONFORMANCE_CLI_POSTLINK_INPUT_H

#include "conformance/cli/options.h"
#include "conformance/scenario/model/model.h"

typedef struct cnf_postlink_input {
    rt_text scenario;    /* the file; empty: source files */
    scn_module *modules; /* those with device code, options of the command line applied */
    uint32_t module_count;
} cnf_postlink_input;

/* Reads the files of the command line and applies --split, --format and --build-options.  All lives
 * in the arena.  Returns an exit status; what is wrong has been said on stderr. */
int cnf_postlink_input_read(const cnf_arguments *arguments, rt_arena *arena,
                            cnf_postlink_input *out_input);

/* The name of a split, static. */
const char *cnf_split_name(rt_split split);

#endif
