/* assay exec: runs a program with the simulated device as its OpenCL platform. */
#include "conformance/build/toolchain.h"
#include "conformance/cli/commands.h"
#include "conformance/process/scratch.h"
#include "opencl/variables.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    EXIT_CODE_MAX = 255,
    EXIT_NOT_STARTED = 127, /* as shells exit */
    EXIT_SIGNALLED = 128,   /* plus the signal */
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

/* ocl-icd takes a library in OCL_ICD_VENDORS, and Khronos' loader in OCL_ICD_FILENAMES. */
static void environment_set(const cnf_arguments *arguments, const char *library, const char *report)
{
    char program[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    if (length > 0) {
        program[length] = '\0';
        setenv(ICD_VARIABLE_PROGRAM, program, 1);
    }
    const struct {
        const char *name, *value;
    } variables[] = {
        {"OCL_ICD_VENDORS", library},
        {"OCL_ICD_FILENAMES", library},
        {ICD_VARIABLE_REPORT, report},
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

RT_NORETURN static void program_start(const cnf_arguments *arguments, const char *library,
                                      const char *report)
{
    prctl(PR_SET_PDEATHSIG,
          SIGTERM); /* a program does not outlive an `assay exec` that is killed */
    environment_set(arguments, library, report);
    signal(SIGPIPE, SIG_DFL);
    signal(SIGXFSZ, SIG_DFL);
    char **words = rt_alloc_array(arguments->path_count + 1, sizeof *words);
    for (uint32_t i = 0; i < arguments->path_count; i++)
        words[i] = (char *)(uintptr_t)arguments->paths[i].data; /* argv's, which end with a NUL */
    execvp(words[0], words);
    fprintf(stderr, "assay: %s cannot be started: %s\n", words[0], strerror(errno));
    _exit(EXIT_NOT_STARTED);
}

/* Runs the program and returns its exit status, as a shell does. */
static int program_run(const cnf_arguments *arguments, const char *library, const char *report)
{
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) program_start(arguments, library, report);
    if (pid < 0) {
        fprintf(stderr, "assay: a process cannot be started: %s\n", strerror(errno));
        return CNF_EXIT_INFRASTRUCTURE;
    }
    /* An interrupt is for the program, which is in the same group. */
    signal(SIGINT, SIG_IGN);
    signal(SIGQUIT, SIG_IGN);
    int status;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR) return CNF_EXIT_INFRASTRUCTURE;
    return WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_SIGNALLED + WTERMSIG(status);
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
        status = program_run(arguments, library, report.path);
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
