/* The options that select among the scenarios of the paths: --feature, --rule, --verdict. */
#ifndef CONFORMANCE_CLI_SELECTION_H
#define CONFORMANCE_CLI_SELECTION_H

#include "conformance/cli/options.h"
#include "conformance/process/files.h"

/* Removes the files that any of the given options does not select:
 *
 *   --feature NAME,...           the folder below the scenarios' root is one of these
 *   --rule ID,...                `covers:` names one of these rules, or one below it: DL-RESOLVE
 *                                selects DL-RESOLVE-01 and all others of its group
 *   --verdict WORD,... --from F  a record in F has one of these verdicts
 *
 * Returns an exit status: USAGE for an unknown name (the message has the nearest one) or an
 * unreadable file, NOTHING_RAN if no scenario is left; both are reported on stderr. */
int cnf_selection_apply(const cnf_arguments *arguments, rt_arena *arena, cnf_files *inout_files);

#endif
