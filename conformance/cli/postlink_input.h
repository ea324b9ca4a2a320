/* The input of `assay postlink`: source files, which form one module, or the modules of a scenario.
 */
#ifndef CONFORMANCE_CLI_POSTLINK_INPUT_H
#define CONFORMANCE_CLI_POSTLINK_INPUT_H

#include "conformance/cli/options.h"
#include "conformance/scenario/model/model.h"

typedef struct cnf_postlink_input {
    const scn_scenario *model; /* the scenario; NULL for source files */
    scn_module *modules;       /* those with device code, with the command line's options applied */
    uint32_t module_count;
} cnf_postlink_input;

/* Reads the command line's files and applies --split, --format and --build-options. Everything
 * lives in the arena. Returns an exit status; errors are reported on stderr. */
int cnf_postlink_input_read(const cnf_arguments *arguments, rt_arena *arena,
                            cnf_postlink_input *out_input);

/* The language of a source file, by its ending. False: no language has it. */
bool cnf_source_language(rt_text path, scn_language *out_language);

/* The name of a split (static). */
const char *cnf_split_name(rt_split split);

#endif
