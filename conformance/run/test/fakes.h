/* Fakes of the reader, the compiler and the subjects, so that the scheduler is tested alone.
 *
 * The first line of a fake scenario file selects how the compiler handles its one module ("ok",
 * "cached", "bad", "postlink", "refused" (as postlink, and expected), "absent", "crash", "hang",
 * "garbage"), and each further line how a subject behaves: "sim pass", "vendor crash" … The
 * behaviours are in fakes.c. A file that begins with "invalid" is not a scenario. */
#ifndef CONFORMANCE_RUN_TEST_FAKES_H
#define CONFORMANCE_RUN_TEST_FAKES_H

#include <stdbool.h>

/* The test program's behaviour when the runner executes it: "worker", "subject NAME …", "probe
 * NAME". Returns false if the arguments are none of these. */
bool fakes_main(int argument_count, char **arguments, int *out_status);

#endif
