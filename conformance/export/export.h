/* A scenario as a plain C program for people who do not have assay: main.c with the runtime's
 * requests to the device, in order, and the expected results; the images' files; a Makefile
 * and a README.
 *
 * The runtime's decisions (which image, which link set) are taken from the trace of a run.
 * Expectations about the runtime itself, its trace and its counts, become comments; anything else
 * that cannot be expressed is refused with a message that names it. Source:
 * docs/internals/conformance.md. */
#ifndef CONFORMANCE_EXPORT_EXPORT_H
#define CONFORMANCE_EXPORT_EXPORT_H

#include "conformance/scenario/model/scenario.h"
#include "conformance/verdict/messages.h"

typedef struct cnf_exported_file {
    rt_text name; /* without a folder */
    rt_bytes content;
} cnf_exported_file;

typedef struct cnf_exported {
    const cnf_exported_file *files;
    uint32_t count;
} cnf_exported;

/* An API that programs are written for. */
typedef struct cnf_export_api {
    const char *name;
    const char *subjects; /* subjects that the run must include: sim, whose trace and memories are
                           * used, and, if sim's images have another format, a subject that takes
                           * the API's format */
    const char *format_name, *ending; /* the format's name for users; the suffix of its files,
                                       * including the dot */
    const char *definition; /* line of main.c before the #include of the support file; "": none */
    const char *support_name;
    rt_bytes support, makefile;
    const char *readme;  /* what the program needs and how to run it, in Markdown */
    rt_format format;    /* of the images */
    bool spec_constants; /* images accept values for specialisation constants */
    bool maps;           /* the support file has map and unmap */
} cnf_export_api;

enum { CNF_EXPORT_APIS = 4 };
extern const cnf_export_api cnf_export_apis[CNF_EXPORT_APIS];

/* Finds an API by name; NULL: there is none. */
const cnf_export_api *cnf_export_api_find(const char *name);

/* Writes the files of a program, in the arena, for a scenario with images in the API's format, from
 * the messages of sim's child. `compiled` are the messages of the child whose device takes those
 * images, with the compilers' answers (cnf_run_options.record), which include fused kernels; NULL:
 * none ran. The program exits with 0 if everything is as the scenario expects and the final
 * memories equal those of sim's run, with 1 after printing what differs, and with 2 if it could not
 * run the test. If the driver executes no kernels, the program compares no memory and says so.
 * UNSUPPORTED: something in the scenario cannot be expressed in such a program; the message names
 * its line. */
RT_MUST_USE rt_status cnf_export(rt_sink *sink, rt_arena *arena, const cnf_export_api *api,
                                 const scn_scenario *scenario, const cnf_messages *messages,
                                 const cnf_messages *compiled, cnf_exported *out_exported);

#endif
