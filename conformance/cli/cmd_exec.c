/* assay exec: runs a program with the simulated device as its OpenCL platform. */
#include "conformance/build/toolchain.h"
#include "conformance/cli/commands.h"
#include "conformance/cli/program.h"
#include "conformance/process/scratch.h"
#include "opencl/variables.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    EXIT_CODE_MAX = 255,
    THREADS_MAX = 1024,
};

/* The file with the findings: a line for each. */
typedef struct report_file {
    rt_text folder; /* temporary; empty: the user named the file */
    char path[PATH_MAX];
} report_file;

static bool report_make(const cnf_arguments *arguments, rt_sink *sink, rt_arena *arena,
                        report_file *out_report)
{
    const char *given = arguments->values[CNF_OPTION_JSON];
    *out_report = (report_file){0};
    if (!given) {
        rt_status status = cnf_scratch_make(sink, arena, &out_report->folder);
        if (!rt_ok(status)) {
            cnf_command_fail(sink, status, (rt_text){0});
            return false;
        }
        int length = snprintf(out_report->path, sizeof out_report->path, "%.*s/findings",
                              RT_TEXT_ARG(out_report->folder));
        return length > 0 && length < (int)sizeof out_report->path;
    }
    int file = open(given, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    /* The program may change its folder. */
    bool is_made = file >= 0 && realpath(given, out_report->path);
    if (!is_made) fprintf(stderr, "assay: --json %s: %s\n", given, strerror(errno));
    if (file >= 0) close(file);
    return is_made;
}

/* The number of lines, 0 if there is no file. */
static uint64_t lines_count(const char *path)
{
    uint64_t count = 0;
    FILE *file = fopen(path, "re");
    for (int c; file && (c = getc(file)) != EOF;)
        count += c == '\n';
    if (file) fclose(file);
    return count;
}

/* What the program's environment is set from. */
typedef struct exec_program {
    const cnf_arguments *arguments;
    const char *library, *report;
} exec_program;

/* ocl-icd takes a library in OCL_ICD_VENDORS, and Khronos' loader in OCL_ICD_FILENAMES. */
static void environment_set(void *user)
{
    const exec_program *exec = user;
    const cnf_arguments *arguments = exec->arguments;
    char program[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    if (length > 0) {
        program[length] = '\0';
        setenv(ICD_VARIABLE_PROGRAM, program, 1);
    }
    const struct {
        const char *name, *value;
    } variables[] = {
        {"OCL_ICD_VENDORS", exec->library},
        {"OCL_ICD_FILENAMES", exec->library},
        {ICD_VARIABLE_REPORT, exec->report},
        {ICD_VARIABLE_SEED, arguments->values[CNF_OPTION_SEED]},
        {ICD_VARIABLE_THREADS, arguments->values[CNF_OPTION_THREADS]},
        {ICD_VARIABLE_TYPE, arguments->values[CNF_OPTION_TYPE]},
        {ICD_VARIABLE_QUIET, arguments->values[CNF_OPTION_QUIET] ? "1" : NULL},
    };
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        if (variables[i].value)
            setenv(variables[i].name, variables[i].value, 1);
        else
            unsetenv(variables[i].name);
    }
}

static bool type_check(const cnf_arguments *arguments)
{
    static const char *const types[] = {"cpu", "gpu", "accelerator"};
    const char *type = arguments->values[CNF_OPTION_TYPE];
    if (!type) return true;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(types[i], type) == 0) return true;
    cnf_command_unknown("--type: ", "type", type, types, sizeof types / sizeof *types);
    return false;
}

int cnf_exec_command(const cnf_arguments *arguments)
{
    uint64_t code, seed, threads;
    char library[PATH_MAX];
    if (arguments->path_count == 0) {
        fprintf(stderr, "assay: exec needs a program (assay exec --help)\n");
        return CNF_EXIT_USAGE;
    }
    bool is_valid =
        cnf_command_number(arguments, CNF_OPTION_ERROR_EXITCODE, "--error-exitcode", 1,
                           EXIT_CODE_MAX, 0, &code) &&
        cnf_command_number(arguments, CNF_OPTION_SEED, "--seed", 0, UINT64_MAX, 0, &seed) &&
        cnf_command_number(arguments, CNF_OPTION_THREADS, "--threads", 1, THREADS_MAX, 1, &threads);
    if (!is_valid || !type_check(arguments)) return CNF_EXIT_USAGE;
    if (!cnf_toolchain_find_library(library, "libassay_opencl.so")) {
        fprintf(stderr, "assay: libassay_opencl.so is missing; build the target assay_opencl\n");
        return CNF_EXIT_INFRASTRUCTURE;
    }
    rt_sink *sink = rt_sink_create();
    rt_arena arena = {0};
    report_file report;
    int status = CNF_EXIT_INFRASTRUCTURE;
    if (report_make(arguments, sink, &arena, &report)) {
        exec_program exec = {arguments, library, report.path};
        status = cnf_program_run(arguments, environment_set, &exec);
        uint64_t count = lines_count(report.path);
        fprintf(stderr, "assay: %llu %s\n", (unsigned long long)count,
                count == 1 ? "finding" : "findings");
        if (count > 0 && code > 0) status = (int)code;
    }
    if (report.folder.length > 0) cnf_scratch_remove(report.folder);
    rt_arena_reset(&arena);
    rt_sink_destroy(sink);
    return status;
}
