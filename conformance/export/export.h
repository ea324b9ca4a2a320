/* A scenario as a plain C program for people who do not have assay: main.c with what the runtime
 * asked the device for, in its order, and what was expected; the images' files; a Makefile.
 *
 * The runtime's own part (which image, which link set) is decided: it is taken from the trace of a
 * run.  What only a runtime shows, its trace and its counts, is left out with a comment; whatever
 * else has no form there is refused by name.  Source: ARCHITECTURE.md, "Scenarios that travel". */
#ifndef CONFORMANCE_EXPORT_EXPORT_H
#define CONFORMANCE_EXPORT_EXPORT_H

#include "conformance/compare/messages.h"
#include "conformance/scenario/scenario.h"

typedef struct cnf_exported_file {
    rt_text name; /* without a folder */
    rt_bytes content;
} cnf_exported_file;

typedef struct cnf_exported {
    const cnf_exported_file *files;
    uint32_t count;
} cnf_exported;

/* Makes the files of a program for OpenCL, in the arena, from a scenario with its images and what a
 * child said that ran it on a device which takes SPIR-V.  The program exits with 0 where everything
 * is as the scenario expects and the final memories are those of that run, and with 1 where
 * something differs, which it prints.  UNSUPPORTED: something of the scenario has no form there;
 * the message has the line of it. */
RT_MUST_USE rt_status cnf_export_opencl(rt_sink *sink, rt_arena *arena,
                                        const scn_scenario *scenario, const cnf_messages *messages,
                                        cnf_exported *out_exported);

#endif
