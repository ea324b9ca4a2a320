/* assay image show --runtime: the images that a running program registers, and what would be linked
 * with what. */
#ifndef CONFORMANCE_CLI_IMAGE_RUNTIME_H
#define CONFORMANCE_CLI_IMAGE_RUNTIME_H

#include "conformance/cli/options.h"

/* Runs the program that the command's paths denote after the word "show", or opens it if it is a
 * shared object, and prints a report on stdout. Returns the exit status: EXPECTED; UNEXPECTED: a
 * kernel cannot be linked; USAGE; INFRASTRUCTURE; NOTHING_RAN: no images were registered. */
int cnf_image_runtime(const cnf_arguments *arguments);

/* Body of the hidden `assay open LIBRARY FILE`: opens the library, whose entry points then precede
 * others, and then the file, as dlopen does. Returns 0, or 1 with a message on stderr. */
int cnf_open_main(int argument_count, char **arguments);

#endif
