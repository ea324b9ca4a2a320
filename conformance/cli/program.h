/* Runs the user's program, for assay exec and assay capture. */
#ifndef CONFORMANCE_CLI_PROGRAM_H
#define CONFORMANCE_CLI_PROGRAM_H

#include "conformance/cli/options.h"

/* Runs the program that the arguments' paths are, with its arguments, and waits for it. `prepare`
 * is called in its process before it is started, to set its environment. While it runs, an
 * interrupt is left to the program, which ends with this process. Returns its exit status as a
 * shell does: 128 plus the number of the signal that ended it, 127 if it could not be started,
 * which is reported on stderr; INFRASTRUCTURE if there is no process. */
int cnf_program_run(const cnf_arguments *arguments, void (*prepare)(void *user), void *user);

#endif
