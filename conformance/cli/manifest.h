/* Manifests of launches: the words of `assay run`, one launch per line. */
#ifndef CONFORMANCE_CLI_MANIFEST_H
#define CONFORMANCE_CLI_MANIFEST_H

#include "conformance/cli/launch.h"

/* The manifest in a folder of kernels. */
#define CNF_MANIFEST_NAME "launches.txt"

/* Reads a manifest: the file `name`, or CNF_MANIFEST_NAME in the folder `name`; after ":N" only its
 * line N. A line is `FILE... OPTION...` with the options of a launch, in the shell's quotes; names
 * of files are relative to the manifest's folder. Empty lines, and comments from a '#' at the
 * beginning of a word, are skipped. Mistakes of all lines are reported on stderr. Returns an exit
 * status. */
int cnf_manifest_read(rt_arena *arena, const cnf_toolchain *toolchain, const char *name,
                      cnf_files *out_files);

#endif
