/* assay exec: runs a program with the simulated device as its OpenCL platform. */
#include "conformance/build/toolchain.h"
#include "conformance/cli/commands.h"
#include "conformance/cli/exec_report.h"
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
    MEMORY_MIN = 32, /* MiB, with the largest allocation half of it */
    MEMORY_MAX = 1 << 20,
};

/* The files that the program's process shares with this one. */
typedef struct exec_files {
    rt_text folder;              /* temporary */
    char report[PATH_MAX];       /* a line for each finding; the user may have named it */
    char suppressions[PATH_MAX]; /* empty: there are none */
} exec_files;

/* Makes the path of a file in the temporary folder. */
static bool path_make(const exec_files *files, const char *name, char out_path[PATH_MAX])
{
    int length = snprintf(out_path, PATH_MAX, "%.*s/%s", RT_TEXT_ARG(files->folder), name);
    return length > 0 && length < PATH_MAX;
}

static bool report_make(const char *given, exec_files *files)
{
    if (!given) return path_make(files, "findings", files->report);
    int file = open(given, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    /* The program may change its folder. */
    bool is_made = file >= 0 && realpath(given, files->report);
    if (!is_made) fprintf(stderr, "assay: --json %s: %s\n", given, strerror(errno));
    if (file >= 0) close(file);
    return is_made;
}

/* False after reporting why on stderr. */
static bool files_make(const cnf_arguments *arguments, const cnf_suppressions *suppressions,
                       rt_sink *sink, rt_arena *arena, exec_files *out_files)
{
    *out_files = (exec_files){0};
    rt_status status = cnf_scratch_make(sink, arena, &out_files->folder);
    if (!rt_ok(status)) {
        cnf_command_fail(sink, status, (rt_text){0});
        return false;
    }
    if (!report_make(arguments->values[CNF_OPTION_JSON], out_files)) return false;
    if (suppressions->count == 0) return true;
    rt_buffer lines = {0};
    cnf_suppressions_write(suppressions, &lines);
    return path_make(out_files, "suppressions", out_files->suppressions) &&
           cnf_command_file_replace("--suppressions", out_files->suppressions, &lines);
}

/* What the program's environment is set from. */
typedef struct exec_program {
    const cnf_arguments *arguments;
    const char *library;
    const exec_files *files;
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
        {ICD_VARIABLE_REPORT, exec->files->report},
        {ICD_VARIABLE_SUPPRESSIONS,
         exec->files->suppressions[0] ? exec->files->suppressions : NULL},
        {ICD_VARIABLE_MEMORY, arguments->values[CNF_OPTION_MEMORY]},
        {ICD_VARIABLE_SEED, arguments->values[CNF_OPTION_SEED]},
        {ICD_VARIABLE_THREADS, arguments->values[CNF_OPTION_THREADS]},
        {ICD_VARIABLE_TIER, arguments->values[CNF_OPTION_TIER]},
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

/* False after reporting that the value of an option is none of three words. */
static bool word_check(const cnf_arguments *arguments, cnf_option_id option, const char *noun,
                       const char *const words[3])
{
    const char *value = arguments->values[option];
    if (!value) return true;
    for (size_t i = 0; i < 3; i++)
        if (strcmp(words[i], value) == 0) return true;
    char place[32];
    snprintf(place, sizeof place, "--%s: ", noun);
    cnf_command_unknown(place, noun, value, words, 3);
    return false;
}

/* Reports the number of findings and the entries that none matched, and writes the SARIF file.
 * Returns the exit status of the command, `status` if nothing changes it. */
static int findings_finish(const cnf_arguments *arguments, const exec_files *files,
                           const cnf_suppressions *suppressions, int error_code, int status)
{
    cnf_exec_report report;
    rt_buffer text = {0};
    cnf_exec_report_read(files->report, &report);
    cnf_exec_report_unused(&report, suppressions, &text);
    rt_buffer_printf(&text, "assay: %llu %s", (unsigned long long)report.count,
                     report.count == 1 ? "finding" : "findings");
    if (report.suppressed_count > 0)
        rt_buffer_printf(&text, ", %llu suppressed", (unsigned long long)report.suppressed_count);
    fprintf(stderr, "%s\n", rt_buffer_string(&text));
    rt_buffer_free(&text);
    if (report.count > 0 && error_code > 0) status = error_code;
    const char *sarif = arguments->values[CNF_OPTION_SARIF];
    if (sarif) {
        rt_buffer document = {0};
        cnf_exec_report_sarif(&report, RT_TEXT(ASSAY_VERSION), &document);
        if (!cnf_command_file_replace("--sarif", sarif, &document))
            status = CNF_EXIT_INFRASTRUCTURE;
    }
    cnf_exec_report_free(&report);
    return status;
}

static int exec_run(const cnf_arguments *arguments, const char *library, int error_code)
{
    rt_sink *sink = rt_sink_create();
    rt_arena arena = {0};
    exec_files files = {0};
    cnf_suppressions suppressions = {0};
    const char *given = arguments->values[CNF_OPTION_SUPPRESSIONS];
    int status = CNF_EXIT_INFRASTRUCTURE;
    if (given && !cnf_suppressions_read(sink, &arena, given, &suppressions)) {
        status = CNF_EXIT_USAGE;
    } else if (files_make(arguments, &suppressions, sink, &arena, &files)) {
        exec_program exec = {arguments, library, &files};
        status = cnf_program_run(arguments, environment_set, &exec);
        status = findings_finish(arguments, &files, &suppressions, error_code, status);
    }
    if (files.folder.length > 0) cnf_scratch_remove(files.folder);
    rt_arena_reset(&arena);
    rt_sink_destroy(sink);
    return status;
}

int cnf_exec_command(const cnf_arguments *arguments)
{
    static const char *const types[] = {"cpu", "gpu", "accelerator"};
    static const char *const tiers[] = {"interpreted", "compiled", "measured"};
    uint64_t code, seed, threads, memory;
    char library[PATH_MAX];
    if (arguments->path_count == 0) {
        fprintf(stderr, "assay: exec needs a program (assay exec --help)\n");
        return CNF_EXIT_USAGE;
    }
    bool is_valid =
        cnf_command_number(arguments, CNF_OPTION_ERROR_EXITCODE, "--error-exitcode", 1,
                           EXIT_CODE_MAX, 0, &code) &&
        cnf_command_number(arguments, CNF_OPTION_MEMORY, "--memory", MEMORY_MIN, MEMORY_MAX,
                           MEMORY_MIN, &memory) &&
        cnf_command_number(arguments, CNF_OPTION_SEED, "--seed", 0, UINT64_MAX, 0, &seed) &&
        cnf_command_number(arguments, CNF_OPTION_THREADS, "--threads", 1, THREADS_MAX, 1, &threads);
    is_valid = is_valid && word_check(arguments, CNF_OPTION_TYPE, "type", types) &&
               word_check(arguments, CNF_OPTION_TIER, "tier", tiers);
    if (!is_valid) return CNF_EXIT_USAGE;
    if (!cnf_toolchain_find_library(library, "libassay_opencl.so")) {
        fprintf(stderr, "assay: libassay_opencl.so is missing; build the target assay_opencl\n");
        return CNF_EXIT_INFRASTRUCTURE;
    }
    return exec_run(arguments, library, (int)code);
}
