/* Fakes of the reader, the compiler and the subjects, so that the scheduler is tested alone.
 *
 * A fake scenario file says on its first line what its one module does to the compiler ("ok",
 * "cached", "bad", "postlink", "refused" (as postlink, and expected), "absent", "crash", "hang",
 * "garbage"), and on each further line what
 * a subject does with it: "sim pass", "vendor crash" …  The behaviours are in fakes.c.  A file that
 * begins with "invalid" is not a scenario. */
#ifndef CONFORMANCE_RUN_TEST_FAKES_H
#define CONFORMANCE_RUN_TEST_FAKES_H

#include <stdbool.h>

/* What the test program does when the runner executes it: "worker", "subject NAME …", "probe NAME".
 * False: the arguments are none of these. */
bool fakes_main(int argument_count, char **arguments, int *out_status);

#endif
