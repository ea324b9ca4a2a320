/* Fakes of the reader, the compiler and the subjects, so that the scheduler is tested alone.
 *
 * The first line of a fake scenario file selects how the compiler handles its one module ("ok",
 * "cached", "bad", "postlink", "refused" (as postlink, and expected), "absent", "crash", "hang",
 * "garbage"), and each further line how a subject behaves: "sim pass", "vendor crash" … fakes.c
 * defines the behaviours. A worker adds a byte to the file that $FAKE_WORKERS names. A file that
 * begins with "invalid" is not a scenario. */
#ifndef CONFORMANCE_RUN_TEST_FAKES_H
#define CONFORMANCE_RUN_TEST_FAKES_H

#include <stdbool.h>

/* Acts as the child that the runner executes, according to the arguments: "worker", "subject NAME
 * …" or "probe NAME". Returns false for any other arguments. */
bool fakes_main(int argument_count, char **arguments, int *out_status);

#endif
