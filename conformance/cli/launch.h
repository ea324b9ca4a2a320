/* A kernel's launch from the command line or from a manifest: the options describe a scenario,
 * whose YAML is run, checked and saved like any other's. */
#ifndef CONFORMANCE_CLI_LAUNCH_H
#define CONFORMANCE_CLI_LAUNCH_H

#include "conformance/build/spirv_outline.h"
#include "conformance/build/toolchain.h"
#include "conformance/cli/launch_argument.h"
#include "conformance/cli/options.h"
#include "conformance/process/files.h"
#include "conformance/scenario/model/scenario.h"
#include "reference/base/map.h"
#include "reference/base/vector.h"

/* The options of a launch, as rows of a command's table. */
#define CNF_LAUNCH_OPTIONS                                                                         \
    {CNF_OPTION_KERNEL,                                                                            \
     "--kernel",                                                                                   \
     NULL,                                                                                         \
     "NAME",                                                                                       \
     "FILE is a kernel's (*.cl, *.spv, ...): run this.",                                           \
     NULL},                                                                                        \
        {CNF_OPTION_RANGE, "--range", NULL, "N[,N[,N]]", "Number of work-items.", NULL},           \
        {CNF_OPTION_LOCAL,                                                                         \
         "--local",                                                                                \
         NULL,                                                                                     \
         "N[,N[,N]]",                                                                              \
         "Work-group size; default: the device's choice.",                                         \
         NULL},                                                                                    \
        {CNF_OPTION_OFFSET, "--offset", NULL, "N[,N[,N]]", "First global ids; default: 0.", NULL}, \
        {CNF_OPTION_ARG,                                                                           \
         "--arg",                                                                                  \
         NULL,                                                                                     \
         "ARGUMENT",                                                                               \
         "The next argument: in=float[64]:iota, n=int:7, t=local int[8].",                         \
         NULL},                                                                                    \
        {CNF_OPTION_DEFINE, "--define", "-D", "NAME[=VALUE]", "Define a macro.", NULL},            \
        {CNF_OPTION_INCLUDE, "--include", "-I", "DIR", "Search for included files here.", NULL},   \
    {                                                                                              \
        CNF_OPTION_CL, "-cl-*", NULL, NULL, "Build options of OpenCL, such as -cl-std=CL3.0.",     \
            NULL                                                                                   \
    }

/* A source whose #include directives have been expanded. */
typedef struct cnf_expansion {
    rt_text code;                  /* empty: it has none */
    const cnf_file_errors *errors; /* NULL: none */
} cnf_expansion;

/* Those of a manifest, whose lines may launch the same file thousands of times. */
typedef struct cnf_expansions {
    rt_map places; /* in `items`, by file and options */
    RT_VECTOR(cnf_expansion) items;
} cnf_expansions;

/* The line of a manifest that a launch comes from. */
typedef struct cnf_launch_origin {
    rt_text file;         /* the manifest; empty: the command line */
    uint32_t line;        /* in it, from 1 */
    const rt_text *words; /* of the line; the arguments' texts point into them */
    const uint32_t *columns;
    uint32_t word_count;
    rt_text folder; /* to which the names of files are relative, followed by '/'; empty: the current
                     * one */
    cnf_expansions *expansions; /* to which sources are added; NULL: they are not kept */
} cnf_launch_origin;

typedef struct cnf_launch_source {
    scn_language language;
    rt_text file; /* as it can be opened from the current folder */
    rt_text code; /* with its includes expanded; empty: the file as it is */
} cnf_launch_source;

typedef struct cnf_launch {
    const cnf_arguments *arguments;
    const cnf_launch_origin *origin;
    const cnf_launch_source *sources; /* one or more; together one module */
    uint32_t source_count;
    rt_text kernel;                   /* empty: none, as for listing */
    const cnf_launch_argument *items; /* in the order of the options */
    uint32_t item_count;
    rt_text build_options;
    const cnf_file_errors *errors; /* of a source's #include directives; NULL: none */
    bool is_refused;               /* it does not compile, which its run reports */
} cnf_launch;

/* How a launch is written as a scenario. */
typedef struct cnf_launch_style {
    rt_text folder;       /* of the scenario's file, followed by '/'; empty: the current one */
    bool is_pinned;       /* files have their hashes */
    rt_text summary;      /* empty: the default */
    rt_text expectations; /* the items of `steps` after the submit; empty: one launch */
} cnf_launch_style;

/* A line of the written scenario and the option that it comes from. */
typedef struct cnf_launch_line {
    uint32_t line;
    const cnf_given *given;
} cnf_launch_line;

typedef RT_VECTOR(cnf_launch_line) cnf_launch_lines;

/* The path's folder, followed by '/', as a span of it; empty for a name without one. */
rt_text cnf_launch_folder(rt_text path);

/* True if the path ends like device code: .cl, .clcpp, .ll, .bc, .spvasm or .spv. */
bool cnf_launch_is_kernel_file(rt_text path);

/* Reads the options of a launch, and the sources, whose #include directives are expanded.
 * Everything lives in the arena. Without --kernel, the launch is good only for listing. Returns an
 * exit status; mistakes are reported on stderr, except those of a source's directives, which the
 * run of the launch reports. */
int cnf_launch_read(rt_arena *arena, const cnf_toolchain *toolchain, const cnf_arguments *arguments,
                    const cnf_launch_origin *origin, cnf_launch *out_launch);

/* Appends the launch as a scenario. out_lines (NULL: not wanted) receives the lines of options; the
 * caller frees it. */
void cnf_launch_write(rt_buffer *out, rt_arena *arena, const cnf_launch *launch,
                      const cnf_launch_style *style, cnf_launch_lines *out_lines);

/* Makes the file of a run from a launch, whose contents are in memory. Reads and checks it;
 * problems are reported in terms of the options. *out_scenario (NULL: not wanted) is the result of
 * reading. Returns an exit status. */
int cnf_launch_file(rt_arena *arena, const cnf_launch *launch, cnf_file *out_file,
                    const scn_scenario **out_scenario);

/* Checks the kernel's name and arguments against the kernels of the compiled module. Returns an
 * exit status; a mistake is reported on stderr. */
int cnf_launch_check(const cnf_launch *launch, const cnf_spirv_outline *outline);

/* Reports a mistake in an option of the launch on stderr: "assay: --range 8: TEXT", or, in a
 * manifest, "FILE:LINE:COLUMN: error: TEXT". `column` is one of the option's value, from 1; 0: the
 * whole value. Returns the exit status USAGE. */
int cnf_launch_report(const cnf_launch *launch, const cnf_given *given, uint32_t column,
                      const char *format, ...) RT_PRINTF(4, 5);

/* The name of an option that launches have, as written: "--arg"; NULL: another option (static). */
const char *cnf_launch_option(cnf_option_id id);

/* Appends a word as a shell needs it. */
void cnf_shell_word_append(rt_buffer *out, rt_text word);

#endif
