/* Choosing among the scenarios that the paths stand for: --feature, --rule, --verdict. */
#ifndef CONFORMANCE_CLI_SELECTION_H
#define CONFORMANCE_CLI_SELECTION_H

#include "conformance/cli/options.h"
#include "conformance/process/files.h"

/* Narrows the files to those that every given option of the arguments names:
 *
 *   --feature NAME,...           the folder below the scenarios' root is one of these
 *   --rule ID,...                `covers:` names one of these rules, or one below it: DL-RESOLVE
 *                                stands for DL-RESOLVE-01 and all its like
 *   --verdict WORD,... --from F  a record in F has one of these verdicts
 *
 * Returns an exit status: USAGE for a name that does not exist (the nearest is told) or a file that
 * cannot be read, NOTHING_RAN where no scenario is left; both are said on stderr. */
int cnf_selection_apply(const cnf_arguments *arguments, rt_arena *arena, cnf_files *inout_files);

#endif
