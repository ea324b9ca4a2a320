/* Intel's offline compiler as a library, opened at run time.  Its interface is declared here, so
 * that the build does not need Intel's header.
 *
 * Source: intel/compute-runtime, shared/offline_compiler/source/ocloc_api.h, version 1.0. */
#ifndef BACKENDS_OCLOC_OCLOC_LIBRARY_H
#define BACKENDS_OCLOC_OCLOC_LIBRARY_H

#include "reference/base/status.h"

enum { OCLOC_SUCCESS = 0 };

/* The name of the output that holds what ocloc prints. */
#define OCLOC_LOG "stdout.log"

/* Runs ocloc with a command line.  Files that the command line names are found among the sources;
 * what it would write is returned as outputs, which oclocFreeOutput frees. */
typedef int oclocInvoke_call(unsigned argument_count, const char **arguments, uint32_t source_count,
                             const uint8_t **sources, const uint64_t *source_sizes,
                             const char **source_names, uint32_t header_count,
                             const uint8_t **headers, const uint64_t *header_sizes,
                             const char **header_names, uint32_t *out_count, uint8_t ***out_files,
                             uint64_t **out_sizes, char ***out_names);
typedef int oclocFreeOutput_call(uint32_t *count, uint8_t ***files, uint64_t **sizes,
                                 char ***names);

typedef struct ocloc_library {
    void *handle;
    oclocInvoke_call *oclocInvoke;
    oclocFreeOutput_call *oclocFreeOutput;
} ocloc_library;

#endif
