/* assay: the table of commands, and the hidden commands with which assay starts itself. */
#include "conformance/build/compile.h"
#include "conformance/cli/commands.h"
#include "conformance/cli/image_runtime.h"
#include "conformance/cli/launch.h"
#include "conformance/process/guard.h"
#include "conformance/subject/native_images.h"
#include "conformance/subject/subject.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define COUNT(array) ((uint32_t)(sizeof(array) / sizeof *(array)))

/* ---- Tables -------------------------------------------------------------------------------- */

/* Rows shared by several commands: id, name, letter, value, help, ending of an optional value. */
#define HELP    CNF_OPTION_HELP, "--help", "-h", NULL, "Print this help.", NULL
#define JOBS    CNF_OPTION_JOBS, "--jobs", "-j", "N", JOBS_TEXT, NULL
#define TIMEOUT CNF_OPTION_TIMEOUT, "--timeout", NULL, "SECONDS", TIMEOUT_TEXT, NULL
#define MEMORY  CNF_OPTION_MEMORY, "--memory", NULL, "MIB", MEMORY_TEXT, NULL
#define SEED    CNF_OPTION_SEED, "--seed", NULL, "N", SEED_TEXT, NULL
#define PROFILE CNF_OPTION_PROFILE, "--profile", NULL, "NAME", PROFILE_TEXT, NULL
#define LOADER  CNF_OPTION_LOADER, "--loader", NULL, "KIND", LOADER_TEXT, NULL
#define CHOICES CNF_OPTION_CHOICES, "--choices", NULL, "0,1,...", CHOICES_TEXT, NULL
#define CACHE   CNF_OPTION_CACHE, "--cache", NULL, "FOLDER", CACHE_TEXT, NULL

#define LAYOUT   CNF_OPTION_LAYOUT, "--layout", NULL, "BYTES", LAYOUT_TEXT, NULL
#define COMPRESS CNF_OPTION_COMPRESS, "--compress", NULL, NULL, "--to c: with Zstandard.", NULL
#define ON       CNF_OPTION_ON, "--on", NULL, "SUBJECT", "Run on this subject; default: sim.", NULL

#define LAYOUT_TEXT  "--to c: bytes per image, 80 (default) or 96."
#define JOBS_TEXT    "Run N processes in parallel; default: one per processor."
#define TIMEOUT_TEXT "Time limit of one process, in seconds; default: 60."
#define MEMORY_TEXT  "Memory limit of one process, in MiB; default: 8192, 0: none."
#define SEED_TEXT    "Seed of the runtime's choices; default: 0."
#define PROFILE_TEXT "Rules of the runtime: documents (default) or dpcpp."
#define LOADER_TEXT  "simulated (default), or real: modules as files, loaded by ld.so."
#define CHOICES_TEXT                                                                               \
    "Make these choices first, and ';5:2' among ready commands; the seed makes others."
#define CACHE_TEXT "Folder of compiled device code; default: ~/.cache/assay."

#define EXPLORE_MAX_TEXT "Stop exploring after N runs of a scenario; default: 64."

#define EXPECTATIONS                                                                               \
    CNF_OPTION_EXPECTATIONS, "--expectations", NULL, "DIR,...", EXPECTATIONS_TEXT, NULL

#define EXPECTATIONS_TEXT "Further known failures: SUBJECT.yaml in these folders."

#define RETRIES_TEXT                                                                               \
    "Try again up to N times what is unexpected (never on sim): FLAKE if it is not."
#define REUSE_TEXT "Let a process run up to N scenarios on one open device; default: 1."
#define TIMES_TEXT "Make --shard's parts take equally long, by the times in a --history FILE."
#define WRITE_TEXT "Add an entry for each failure to SUBJECT.yaml in DIR, and read those there."
#define WORDS_TEXT "Only scenarios whose path has all these words; !WORD: does not have it."
#define COLOR_TEXT "Colour verdicts: auto (on terminals, unless NO_COLOR), always, never."

/* The files that report a run. */
#define REPORTS                                                                                      \
    {CNF_OPTION_JSON, "--json", NULL, "FILE", "Write each verdict as a line of JSON.", NULL},        \
        {CNF_OPTION_JUNIT, "--junit", NULL, "FILE", "Write a JUnit report at the end.", NULL},       \
        {CNF_OPTION_HTML, "--html", NULL, "FILE", "Write a report for a browser at the end.", NULL}, \
        {CNF_OPTION_SARIF, "--sarif", NULL, "FILE", "Write a SARIF 2.1.0 report at the end.", NULL}, \
    {                                                                                                \
        CNF_OPTION_HISTORY, "--history", NULL, "FILE",                                               \
            "Add the verdicts to FILE (assay history).", NULL                                        \
    }

/* Options that select scenarios. */
#define SELECTION                                                                                  \
    {CNF_OPTION_FEATURE,                                                                           \
     "--feature",                                                                                  \
     NULL,                                                                                         \
     "NAME,...",                                                                                   \
     "Only scenarios in these folders below the root.",                                            \
     NULL},                                                                                        \
        {CNF_OPTION_WORDS, "--words", "-k", "WORDS", WORDS_TEXT, NULL},                            \
    {                                                                                              \
        CNF_OPTION_RULE, "--rule", NULL, "ID,...", "Only scenarios that cite ID, or ID-*.", NULL   \
    }

/* Options that choose what is printed. */
#define STYLE                                                                                      \
    {CNF_OPTION_MATRIX,                                                                            \
     "--matrix",                                                                                   \
     NULL,                                                                                         \
     NULL,                                                                                         \
     "Print all verdicts, as a matrix of scenarios and subjects.",                                 \
     NULL},                                                                                        \
        {CNF_OPTION_FAILURES_ONLY,                                                                 \
         "--failures-only",                                                                        \
         NULL,                                                                                     \
         NULL,                                                                                     \
         "Print only what is unexpected, also of the matrix.",                                     \
         NULL},                                                                                    \
        {CNF_OPTION_QUIET,                                                                         \
         "--quiet",                                                                                \
         "-q",                                                                                     \
         NULL,                                                                                     \
         "Print a line for each unexpected verdict, and the answer.",                              \
         NULL},                                                                                    \
        {CNF_OPTION_SLOWEST, "--slowest", NULL, "N", "List the N slowest verdicts.", NULL},        \
    {                                                                                              \
        CNF_OPTION_COLOR, "--color", NULL, "WHEN", COLOR_TEXT, NULL                                \
    }

static const cnf_option run_options[] = {
    {CNF_OPTION_ON, "--on", NULL, "SUBJECT,...",
     "Run on these, for example sim{schedule=backward}; default: all.", NULL},
    {JOBS},
    {TIMEOUT},
    {SEED},
    REPORTS,
    {CNF_OPTION_DIFFERENCES, "--differences", NULL, "FILE.md",
     "Write how subjects differ, and why; default: stdout.", ".md"},
    {EXPECTATIONS},
    {CNF_OPTION_WRITE_EXPECTATIONS, "--write-expectations", NULL, "DIR", WRITE_TEXT, NULL},
    {CACHE},
    {CNF_OPTION_RESUME, "--resume", NULL, NULL, "Keep the verdicts in --json FILE; run the rest.",
     NULL},
    {MEMORY},
    SELECTION,
    {CNF_OPTION_VERDICT, "--verdict", NULL, "WORD,...",
     "Only scenarios with verdict WORD in --from FILE.", NULL},
    {CNF_OPTION_FROM, "--from", NULL, "FILE", "Records of an earlier run.", NULL},
    {CNF_OPTION_SHARD, "--shard", NULL, "I/N",
     "Only part I of N; auto: from the CI system's variables.", NULL},
    {CNF_OPTION_TIMES, "--times", NULL, "FILE", TIMES_TEXT, NULL},
    {CNF_OPTION_LIST, "--list", NULL, NULL, "Print the selected scenarios; run nothing.", NULL},
    {PROFILE},
    {LOADER},
    {CNF_OPTION_THREADS, "--threads", NULL, "N", "Let sim use N threads for one kernel.", NULL},
    {CNF_OPTION_RETRIES, "--retries", NULL, "N", RETRIES_TEXT, NULL},
    {CNF_OPTION_REPEAT, "--repeat", NULL, "N", "Run each scenario N times; the worst run counts.",
     NULL},
    {CNF_OPTION_REUSE, "--reuse", NULL, "N", REUSE_TEXT, NULL},
    {CNF_OPTION_SHUFFLE, "--shuffle", NULL, "SEED", "Run the scenarios in another order.", NULL},
    {CNF_OPTION_EXPLORE, "--explore", NULL, NULL,
     "Run every combination of open choices, and the orders of commands that matter.", NULL},
    {CNF_OPTION_EXPLORE_MAX, "--explore-max", NULL, "N", EXPLORE_MAX_TEXT, NULL},
    {CNF_OPTION_FAIL_CALLS, "--fail-calls", NULL, "N",
     "Run again with each call of the device failing, at most N times.", NULL},
    {CHOICES},
    STYLE,
    {CNF_OPTION_FAIL_FAST, "--fail-fast", NULL, NULL,
     "Stop at the first verdict that is not as expected.", NULL},
    {CNF_OPTION_SKIP_STATUS, "--skip-status", NULL, "N",
     "Exit with N if every verdict is SKIP or UNAVAILABLE.", NULL},
    CNF_LAUNCH_OPTIONS,
    {CNF_OPTION_DUMP, "--dump", NULL, "NAME[:FORMAT]",
     "Print a memory: decimal (default), hex or bytes.", NULL},
    {CNF_OPTION_DUMP_NPY, "--dump-npy", NULL, "DIR", "Write memories to DIR/SUBJECT/NAME.npy.",
     NULL},
    {CNF_OPTION_SAVE, "--save", NULL, "FILE.yaml", "Write the launch as a scenario.", NULL},
    {CNF_OPTION_BLESS, "--bless", NULL, NULL, "Save with the results of the run as expectations.",
     NULL},
    {CNF_OPTION_KERNELS, "--kernels", NULL, "DIR", "Run the launches in DIR/launches.txt.", NULL},
    {HELP},
};

/* Options of commands that run one scenario. */
#define RUN_OF_ONE                                                                                 \
    {TIMEOUT}, {MEMORY}, {SEED}, {PROFILE}, {LOADER}, {CHOICES},                                   \
    {                                                                                              \
        CACHE                                                                                      \
    }

static const cnf_option why_options[] = {
    RUN_OF_ONE,
    {EXPECTATIONS},
    {HELP},
};

static const cnf_option help_option[] = {{HELP}};

static const cnf_option merge_options[] = {
    {CNF_OPTION_SUITE, "--suite", NULL, "PATH", "The whole suite; as PATH of run.", NULL},
    {CNF_OPTION_ON, "--on", NULL, "SUBJECT,...", "The subjects; default: those of the parts.",
     NULL},
    SELECTION,
    REPORTS,
    {EXPECTATIONS},
    STYLE,
    {JOBS},
    {HELP},
};

static const cnf_option history_options[] = {
    {CNF_OPTION_FLAKY, "--flaky", NULL, NULL, "Print scenarios that pass and fail, and how often.",
     NULL},
    {HELP},
};

static const cnf_option explain_options[] = {
    {CNF_OPTION_DOT, "--dot", NULL, NULL, "Print a graph in the DOT language of Graphviz.", NULL},
    {CNF_OPTION_SVG, "--svg", NULL, "OUT.svg", "Draw that graph with Graphviz.", ".svg"},
    {ON},
    RUN_OF_ONE,
    {HELP},
};

static const cnf_option trace_options[] = {
    {CNF_OPTION_SVG, "--svg", NULL, "OUT.svg",
     "Draw a picture, with time running down, instead of JSON.", ".svg"},
    {ON},
    RUN_OF_ONE,
    {HELP},
};

static const cnf_option fmt_options[] = {
    {CNF_OPTION_CHECK, "--check", NULL, NULL, "Change nothing; list files that are not formatted.",
     NULL},
    {HELP},
};

static const cnf_option check_options[] = {
    {CNF_OPTION_COMPILE, "--compile", NULL, NULL, "Also compile the device code.", NULL},
    {JOBS},
    {TIMEOUT},
    {PROFILE},
    {CACHE},
    {HELP},
};

static const cnf_option schema_options[] = {
    {CNF_OPTION_PAGE, "--page", NULL, NULL, "Print the reference page, in Markdown.", NULL},
    {CNF_OPTION_EXPECTATIONS, "--expectations", NULL, NULL,
     "Print the schema of expectation files instead.", NULL},
    {HELP},
};

static const cnf_option image_options[] = {
    {CNF_OPTION_RUNTIME, "--runtime", NULL, NULL, "show: the images that a program registers.",
     NULL},
    {CNF_OPTION_ON, "--on", NULL, "SUBJECT", "--runtime: for this device; default: sim.", NULL},
    {CNF_OPTION_LIST, "--list", NULL, NULL, "--runtime: all names, however many.", NULL},
    {TIMEOUT},
    {CNF_OPTION_TO, "--to", NULL, "KIND", "convert: syclbin, text or c.", NULL},
    {LAYOUT},
    {COMPRESS},
    {HELP},
};

static const cnf_option postlink_options[] = {
    {CNF_OPTION_SPLIT, "--split", NULL, "MODE", "off (default), per_source, per_kernel or auto.",
     NULL},
    {CNF_OPTION_FORMAT, "--format", NULL, "NAME", "spirv64 (default), native or ptx.", NULL},
    {CNF_OPTION_BUILD, "--build-options", NULL, "OPTIONS", "For the compiler of OpenCL sources.",
     NULL},
    {CNF_OPTION_OUT, "--output", "-o", "DIR", "Write the images into the folder DIR.", NULL},
    {CNF_OPTION_TO, "--to", NULL, "KIND",
     "Kind of files that -o writes: text (default), syclbin, c.", NULL},
    {LAYOUT},
    {COMPRESS},
    {CNF_OPTION_JSON, "--json", NULL, NULL, "Print JSON instead of text.", NULL},
    {PROFILE},
    {TIMEOUT},
    {CACHE},
    {HELP},
};

static const cnf_option pack_options[] = {
    {CNF_OPTION_FORMATS, "--formats", NULL, "NAME,...", "spirv (default), bitcode, ptx.", NULL},
    {CNF_OPTION_OUT, "--output", "-o", "FILE", "Write the pack to FILE.assay.", NULL},
    {JOBS},
    {TIMEOUT},
    {MEMORY},
    {SEED},
    {CNF_OPTION_PROFILE, "--profile", NULL, "NAME,...",
     "Profiles that the pack must support: documents (default), dpcpp.", NULL},
    {CACHE},
    {EXPECTATIONS},
    {HELP},
};

static const cnf_option compare_options[] = {
    {CNF_OPTION_MARKDOWN, "--markdown", NULL, NULL, "Print a table for a pull request.", NULL},
    {CNF_OPTION_SLOWER, "--slower", NULL, "FACTOR",
     "Report tests that take FACTOR times as long; default: 2.", NULL},
    {HELP},
};

static const cnf_option export_options[] = {
    {CNF_OPTION_FOR, "--for", NULL, "API", "opencl, opencl-c, level_zero or cuda.", NULL},
    {CNF_OPTION_OUT, "--output", "-o", "DIR", "Write the program's files into the folder DIR.",
     NULL},
    {TIMEOUT},
    {CACHE},
    {HELP},
};

static const cnf_option exec_options[] = {
    {CNF_OPTION_JSON, "--json", NULL, "FILE", "Write each finding as a line of JSON.", NULL},
    {CNF_OPTION_ERROR_EXITCODE, "--error-exitcode", NULL, "N",
     "Exit with N if there are findings that are not suppressed.", NULL},
    {CNF_OPTION_SARIF, "--sarif", NULL, "FILE", "Write a SARIF 2.1.0 report at the end.", NULL},
    {CNF_OPTION_SUPPRESSIONS, "--suppressions", NULL, "FILE",
     "Do not report the findings that an entry of this file matches.", NULL},
    {CNF_OPTION_TYPE, "--type", NULL, "TYPE",
     "Type of the device: gpu (default), cpu or accelerator.", NULL},
    {CNF_OPTION_MEMORY, "--memory", NULL, "N",
     "Megabytes of the device's memory; default: an eighth of the machine's.", NULL},
    {CNF_OPTION_SEED, "--seed", NULL, "N", "Seed of what the device may choose; default: 0.", NULL},
    {CNF_OPTION_THREADS, "--threads", NULL, "N", "Let the device use N threads for one kernel.",
     NULL},
    {CNF_OPTION_TIER, "--tier", NULL, "TIER",
     "Run kernels interpreted (default), compiled, or measured: compiled when they have done "
     "enough work.",
     NULL},
    {CNF_OPTION_QUIET, "--quiet", NULL, NULL, "Do not explain calls that return an error.", NULL},
    {HELP},
};

static const cnf_option capture_options[] = {
    {CNF_OPTION_OUT, "--output", "-o", "DIR",
     "Write the scenarios into the folder DIR; default: captured.", NULL},
    {CNF_OPTION_LAUNCHES, "--launches", NULL, "A..B",
     "Only launches A to B of a process, from 0; default: 0..99.", NULL},
    {CNF_OPTION_KERNEL, "--kernel", NULL, "NAME", "Only launches of this kernel.", NULL},
    {CNF_OPTION_BYTES_MAX, "--max-bytes", NULL, "N",
     "Keep at most N bytes of memory per process; default: 268435456.", NULL},
    {CNF_OPTION_WINDOW, "--window", NULL, NULL,
     "One scenario of all these launches, instead of one for each.", NULL},
    {CNF_OPTION_ULP, "--ulp", NULL, "N",
     "Let floating-point results differ by N representable numbers; default: 0.", NULL},
    {CNF_OPTION_UNDEFINED, "--undefined", NULL, NULL,
     "Give memory that nothing had written no values; sim reports kernels that read it.", NULL},
    {CNF_OPTION_INTERCEPT, "--intercept", NULL, "DIR",
     "Read dumps of the Intercept Layer instead of running a program.", NULL},
    {TIMEOUT},
    {CACHE},
    {HELP},
};

#define FEATURE                                                                                    \
    CNF_OPTION_FEATURE, "--feature", NULL, "NAME,...",                                             \
        "Only these: linking, device_global, memory, fusion, constants, devices, persistent.",     \
        NULL
#define WEIGHTS                                                                                    \
    CNF_OPTION_WEIGHTS, "--weights", NULL, "FILE",                                                 \
        "How often a program does what: lines such as 'load: 26' or 'refused: 5'.", NULL

static const cnf_option generate_options[] = {
    {FEATURE},
    {WEIGHTS},
    {CNF_OPTION_VARIATION, "--variation", NULL, "NAME",
     "A variation of the program that must have the same results: unrelated, renamed, in-order, "
     "not-fused or fresh.",
     NULL},
    {CNF_OPTION_WITHOUT, "--without", NULL, "N,...", "Leave out these units, counted from 1.",
     NULL},
    {CNF_OPTION_UNITS, "--units", NULL, NULL, "Print only how many units could be left out.", NULL},
    {HELP},
};

static const cnf_option fuzz_options[] = {
    {CNF_OPTION_ON, "--on", NULL, "SUBJECT,...", "Run on sim and these subjects; default: sim.",
     NULL},
    {CNF_OPTION_SEED, "--seed", NULL, "N",
     "Draw from the seeds N000000 on, of which there are a million; default: 1.", NULL},
    {CNF_OPTION_FAIL_FAST, "--fail-fast", NULL, NULL, "Stop at the first new bucket.", NULL},
    {CNF_OPTION_SECONDS, "--seconds", NULL, "N", "Stop after N seconds; default: 60.", NULL},
    {CNF_OPTION_SEEDS, "--seeds", NULL, "N", "Stop after N seeds instead.", NULL},
    {CNF_OPTION_OUT, "--out", "-o", "FOLDER",
     "Keep the state, buckets and corpus there, and continue from it; default: fuzz.", NULL},
    {FEATURE},
    {WEIGHTS},
    {JOBS},
    {TIMEOUT},
    {CACHE},
    {HELP},
};

static const cnf_option reduce_options[] = {
    {CNF_OPTION_OUT, "--output", "-o", "FILE", "Write the result to FILE; default: stdout.", NULL},
    {CNF_OPTION_KEEP, "--keep", NULL, "COMMAND",
     "Keep what COMMAND, with a candidate's path added, accepts with status 0.", NULL},
    {CNF_OPTION_TIMES, "--times", NULL, "K", "Keep what fails in at least one of K runs.", NULL},
    {PROFILE},
    {SEED},
    {JOBS},
    {TIMEOUT},
    {CACHE},
    {HELP},
};

static const cnf_option requirements_options[] = {
    {CNF_OPTION_FROM, "--from", NULL, "FILE",
     "Records of a run: count the rules with another runtime as witness.", NULL},
    {CNF_OPTION_PROVE, "--prove", NULL, NULL,
     "Plant each fault and check that a scenario or test fails.", NULL},
    {CNF_OPTION_JSON, "--json", NULL, "FILE.json", "Write the results of --prove; default: stdout.",
     ".json"},
    {CNF_OPTION_RULE, "--rule", NULL, "ID,...",
     "Plant only the faults of these rules; DL-CACHE-* names several.", NULL},
    {CNF_OPTION_SAMPLE, "--sample", NULL, "N", "Plant at most N faults of each rule.", NULL},
    {CNF_OPTION_SEED, "--seed", NULL, "N", "Seed that chooses the sample; default: 0.", NULL},
    {CNF_OPTION_REFUSALS, "--refusals", NULL, NULL,
     "List the faults with which the runtime only refuses what it should do.", NULL},
    {CNF_OPTION_OBSERVABLE_ONLY, "--observable-only", NULL, NULL,
     "List the faults that only the trace shows; a fault runs on further scenarios.", NULL},
    {CNF_OPTION_BLUNT, "--blunt", NULL, NULL, "Count the scenarios that each fault breaks.", NULL},
    {JOBS},
    {TIMEOUT},
    {HELP},
};

static const cnf_command commands[] = {
    {"run", "[PATH…]", "Run scenarios, or a kernel, on subjects and compare.",
     "PATH is a scenario file, a folder of them, or a pack (assay pack --help); default:\n"
     "./scenarios, or the installed scenarios if that folder does not exist.\n"
     "PATH may also be device code: .cl, .clcpp, .ll, .bc, .spvasm, .spv; several files form one\n"
     "module.  Without options of a launch, its kernels are listed.  --arg is repeated, in the order of\n"
     "the parameters:\n"
     "  NAME=TYPE[COUNT][:VALUES]  a buffer; VALUES: iota, iota=START,step=STEP, fill=VALUE, random,\n"
     "                             random=SEED, bytes=HEX, file=PATH (raw or .npy), or 1,2,3\n"
     "  NAME=KIND TYPE[COUNT]...   KIND: read, write, device, host, shared or local\n"
     "  NAME=TYPE:VALUE            a value: int:7, float4:[1,2,3,4]; also bytes:HEX and null\n"
     "A line of launches.txt is FILE and such options; # begins a comment.\n"
     "Verdicts: PASS; LINKED, as expected up to the launch on a subject that cannot run kernels; SKIP,\n"
     "the subject lacks a named capability; UNAVAILABLE, not installed; FAIL; CRASH; TIMEOUT; HANG, the\n"
     "device no longer responds; POISONED, not run after a HANG; NOT_RUN; INVALID, the scenario or the\n"
     "kernel's source is wrong.\n"
     "FLAKE, failed and then passed when it was tried again (--retries), does not fail a run.\n"
     "With an entry in an expectation file: XFAIL, it fails as described; XFAIL_MISMATCH, it fails\n"
     "differently; XPASS, it does not fail.\n"
     "With --explore, a branch of a one_of that never occurs is a warning, not a failure: another\n"
     "runtime may take it.\n"
     "Exit status: 0 all verdicts are as expected; 1 some are not; 2 wrong usage or unreadable scenario;\n"
     "3 infrastructure (interrupted, a subject of --on is missing, disk full); 4 nothing ran.",
     run_options, COUNT(run_options), true, cnf_run_command},
    {"exec", "[--] PROGRAM [ARGUMENT…]",
     "Run a program with the simulated device as its OpenCL platform.",
     "The OpenCL loader of PROGRAM finds the device, and no other.  On stderr: what its kernels do\n"
     "wrong, with kernel, line, work-item, buffer and the call that enqueued it; uses of the API that\n"
     "the specification leaves undefined; why a call returned an error; the number of findings.\n"
     "Write -- if an argument of PROGRAM begins with a dash.\n"
     "Exit status: that of PROGRAM, 128 plus the number of the signal that ended it, 127 if it cannot\n"
     "be started; 2 wrong usage; 3 infrastructure.",
     exec_options, COUNT(exec_options), false, cnf_exec_command},
    {"capture", "[--] PROGRAM [ARGUMENT…] | --intercept DIR",
     "Run a program, and write its kernel launches as scenarios.",
     "PROGRAM runs on the devices that its OpenCL loader finds.  Each launch becomes a scenario with the\n"
     "kernel's program, its arguments and its memory, which expects what the launch stored; the names\n"
     "of the files are printed.  What a scenario cannot contain (images, samplers, programs from\n"
     "binaries, addresses in memory) is refused by name.  While it is captured, a launch runs by\n"
     "itself.  What was captured before a crash is written, with the launch in which it happened.\n"
     "--intercept reads what the Intercept Layer for OpenCL Applications dumps with CaptureReplay.\n"
     "Write -- if an argument of PROGRAM begins with a dash.\n"
     "Exit status: that of PROGRAM if it is not 0; 2 wrong usage, or a damaged dump; 3 infrastructure;\n"
     "4 nothing was captured.",
     capture_options, COUNT(capture_options), false, cnf_capture_command},
    {"why", "FILE SUBJECT", "Explain the verdict of one scenario on one subject.",
     "Runs FILE on sim and SUBJECT, and prints the failing check, the rule that decides, the first\n"
     "difference between the traces, and the entry of an expectation file that applies.\n"
     "Exit status: that of run --on SUBJECT.",
     why_options, COUNT(why_options), true, cnf_why_command},
    {"compare", "OLD NEW",
     "Compare two runs: new and fixed failures, skipped and slower scenarios.",
     "OLD and NEW are files that run --json wrote.  A scenario got worse if it newly fails, is newly\n"
     "skipped or missing, or passes but takes more than FACTOR times as long and 0.2 s longer.\n"
     "Exit status: 0 nothing got worse; 1 something did; 2 wrong usage, or a file without records.",
     compare_options, COUNT(compare_options), false, cnf_compare_command},
    {"merge", "PART…", "Join the records of several jobs into one run, and prove that it is whole.",
     "PART is a file that run --json wrote, for a part of the suite (--shard) or of the subjects; each\n"
     "scenario of the suite must have one record for every subject.  What is missing, in two parts, not\n"
     "of the suite, of a scenario with other contents, or under other options is named.  PART may also\n"
     "be a page that run --html wrote: --html then has its traces, calls and pictures.\n"
     "Exit status: that of run for all verdicts; 2 wrong usage, or a part without records; 3 also if\n"
     "the parts are not the whole.",
     merge_options, COUNT(merge_options), false, cnf_merge_command},
    {"history", "FILE [SCENARIO]", "Show verdicts over time and driver versions.",
     "FILE is the file that run --history wrote, an SQLite database with the table `verdicts`.\n"
     "Without SCENARIO, prints the scenarios whose verdict on a subject changed.\n"
     "--flaky prints those that passed and failed with one driver and the same contents: how often, with\n"
     "the 95 % interval of the rate (Wilson's), and `quarantine` (give it a flaky entry), or `release`:\n"
     "the attempts since the last failure alone put the interval below 5 %, as 73 do.\n"
     "Exit status: 0 printed; 2 wrong usage, or FILE is damaged or not a history; 4 FILE has no verdict\n"
     "on SCENARIO.",
     history_options, COUNT(history_options), false, cnf_history_command},
    {"check", "[PATH…]", "Read scenarios and print their mistakes; run nothing.",
     "--compile compiles the device code of the scenarios without mistakes, as run does, and prints what\n"
     "the compilers report with the lines of the code. It needs no device.\n"
     "Exit status: 0 no mistakes; 2 mistakes, or a path that does not exist; 3 a compiler is missing or\n"
     "failed; 4 no scenario.",
     check_options, COUNT(check_options), false, cnf_check_command},
    {"subjects", NULL, "List the subjects: installed or missing, and how to install them.", NULL,
     help_option, COUNT(help_option), true, cnf_subjects_command},
    {"requirements", "[PATH…]",
     "List the documents' rules and the scenarios that cite or prove them.",
     "PATH as for run; the table of rules is requirements.yaml at the scenarios' root.\n"
     "Another runtime is a rule's witness if a scenario that cites the rule passes on it, as the records\n"
     "of `assay run --on dpcpp --json` say.\n"
     "--prove needs a build of the prove preset: it runs the citing scenarios on sim, then again with\n"
     "each fault of the rules' marks that they reach: the mutants of the marked expressions, and the\n"
     "wrong functions of the files faults.c.  A rule is closed when an expectation notices each of its\n"
     "faults; a crash or CHECK is not enough.  Rules with `proof:` tool, unit or vendor are also\n"
     "proven by tests named after their ids, in the programs that proofs.txt next to assay lists; a\n"
     "build with tests (BUILD_TESTING) writes it.  Rules with `proof: parts` are closed when the rules\n"
     "under their `parts:` are.\n"
     "Exit status of --prove: 0 every fault is noticed, or reviewed in ci/mutants.yaml; 1 a scenario or\n"
     "test program does not pass without a fault, a fault passes unnoticed, no citing scenario or test\n"
     "reaches a mark, or a citing scenario reaches no mark of the rule; 2 wrong usage, or not a prove\n"
     "build; 3 infrastructure; 4 no scenario.",
     requirements_options, COUNT(requirements_options), true, cnf_requirements_command},
    {"explain", "FILE", "Run a scenario and describe its parts and its run.",
     "Prints text in these sections, leaving out empty ones:\n"
     "  Modules                     what each needs, registers, defines for the host and declares\n"
     "  Images                      format, kernels, property sets, imported and exported symbols\n"
     "  Link graph                  imports, the images that provide them, and cycles\n"
     "  Sets of virtual functions   images that joined a program for a set, and dummies\n"
     "  Programs                    images, linker, device, constants; launches, cache hits\n"
     "  Kernel bundles              how each was created\n"
     "  Contents of device_globals  where they are, and the commands that wrote them\n"
     "  Fusions                     the kernels that were held back, and the result\n"
     "  Commands                    in the order of the trace, with their dependencies\n"
     "--dot and --svg draw the same, except bundles and property sets.\n"
     "Exit status: 0 it ran (the verdict is printed); 2 wrong usage or unreadable scenario;\n"
     "3 infrastructure, or the subject is missing; 4 the subject skips it.",
     explain_options, COUNT(explain_options), true, cnf_explain_command},
    {"trace", "FILE", "Run a scenario and write its trace for chrome://tracing or Perfetto.",
     "JSON in the Trace Event Format, on stdout, or a picture.  An event's time is its position\n"
     "in the trace: only order is shown.  Queues are threads, and arrows lead from a command to those\n"
     "that wait for it.\n"
     "Exit status: as for explain.",
     trace_options, COUNT(trace_options), true, cnf_trace_command},
    {"fmt", "[PATH…]", "Format scenarios: indentation, blanks, line endings.",
     "PATH as for run, or - for stdin to stdout.  Comments, line breaks, the order of keys and the\n"
     "text of block scalars are kept; the names of changed files are printed.\n"
     "Exit status: 0 all formatted; 1 --check, and some are not; 2 a file is not YAML, or cannot be\n"
     "read; 3 it cannot be written, or assay has a bug (the file is unchanged); 4 no scenario.",
     fmt_options, COUNT(fmt_options), false, cnf_fmt_command},
    {"schema", NULL, "Print a JSON Schema of the scenario format, for editors.",
     "To use it in an editor, start a scenario with: # yaml-language-server: $schema=FILE",
     schema_options, COUNT(schema_options), false, cnf_schema_command},
    {"generate", "KIND SEED", "Write a scenario that is drawn from a seed, on stdout.",
     "KIND is one of:\n"
     "  kernel    a kernel whose result no device may change; compare subjects by their memories\n"
     "  program   a host program that loads and unloads libraries with colliding names; what its\n"
     "            kernels store shows what was linked, and a model predicts it\n"
     "  list      kernels that are fused; compare subjects with and without fusion by their memories\n"
     "  flat-list the same with one dimension, where a compiler may refuse any list\n"
     "The same seed gives the same scenario on every machine.  --without reduces a failing scenario:\n"
     "what remains is valid, and its expectations are predicted anew.  assay fuzz does this by itself.\n"
     "Exit status: 0 written; 2 wrong usage; 3 stdout cannot be written.",
     generate_options, COUNT(generate_options), false, cnf_generate_command},
    {"fuzz", "[KIND]", "Run scenarios that are drawn from seeds, and sort what fails.",
     "KIND is program (default) or another one of assay generate.  A program is judged by its model, by\n"
     "a variation with equal results, and by the other subjects.  FOLDER/buckets has a folder for\n"
     "each new kind of failure, with the shortest scenario at first, the reduced scenario, and the\n"
     "draft of a record; FOLDER/corpus has the programs that showed something new in sim's trace.\n"
     "Exit status: 0 nothing new; 1 a new bucket; 2 wrong usage; 3 infrastructure (interrupted, or\n"
     "a subject is missing).",
     fuzz_options, COUNT(fuzz_options), true, cnf_fuzz_command},
    {"reduce", "FILE [SUBJECT]", "Make a failing scenario as small as possible.",
     "Leaves out steps, modules, images, memories, arguments, properties and lines of code, and makes\n"
     "numbers smaller, as long as FILE fails on SUBJECT with the same first failure (wherever its step\n"
     "is by then) and ends on sim as before, so the remaining expectations are still right.  If FILE\n"
     "passes on sim in every choice that the documents leave open (as with --explore), so does the\n"
     "result.  If SUBJECT is sim, the failed check must still expect and observe the same values.\n"
     "Code that is long even then goes to C-Vise, llvm-reduce or spirv-reduce, if installed.\n"
     "Without SUBJECT, --keep decides alone.  Comments are not kept.\n"
     "Exit status: 0 written; 2 wrong usage or unreadable scenario; 3 infrastructure (interrupted: the\n"
     "smallest scenario so far is written; SUBJECT is missing); 4 FILE does not fail on SUBJECT.",
     reduce_options, COUNT(reduce_options), true, cnf_reduce_command},
    {"new", "FEATURE NAME", "Write a scenario from a template.",
     "FEATURE is linking, device_global, virtual_functions, fusion or sycl.  NAME.yaml must not\n"
     "exist yet; the scenario passes on sim unchanged.\n"
     "Exit status: 0 written; 2 wrong usage, or the file cannot be created.",
     help_option, COUNT(help_option), false, cnf_new_command},
    {"doctor", NULL, "Find this machine's problems and their remedies.",
     "Prints what is wrong (assay needs it) or missing (some scenarios and options need it), grouped by\n"
     "remedy, and one command that applies all remedies.\n"
     "Exit status: 0 nothing is wrong; 1 something is; 3 infrastructure.",
     help_option, COUNT(help_option), true, cnf_doctor_command},
    {"manual", NULL, "Print the manual page, for man(1).", NULL, help_option, COUNT(help_option),
     false, cnf_manual_command},
    {"completion", "[SHELL]", "Print a script that completes command lines: bash, zsh or fish.",
     "It completes commands, options, and the names of subjects, formats, rules and verdicts.\n"
     "In bash: source <(assay completion); in zsh: source <(assay completion zsh);\n"
     "in fish: assay completion fish | source",
     help_option, COUNT(help_option), false, cnf_completion_command},
    {"image", "show [--runtime] FILE | convert FILE --to KIND OUT",
     "Show or convert device images; show what a program registers.",
     "FILE is a SYCLBIN, or an x86-64 ELF executable or shared object with fat binaries of DPC++\n"
     "(80 or 96 bytes per image); images may be compressed.\n"
     "  --to syclbin  a SYCLBIN; a SYCLBIN is copied unchanged\n"
     "  --to text     the table OUT, and OUT_0.spv, OUT_0.prop and OUT_0.sym for image 0 and so on;\n"
     "                targets are not kept\n"
     "  --to c        C source of a module that registers the images with DPC++'s runtime\n"
     "With --runtime, FILE is a program, which may have arguments after --, or a shared object.  It is\n"
     "run (or opened) with libassay_reference.so preloaded, and its output goes to stderr.  Printed\n"
     "are the images that it and its libraries register and, for each kernel, the images that a launch\n"
     "would link and the symbols that stay unresolved.\n"
     "Exit status: 0 done; 1 --runtime, and a kernel cannot be linked; 2 wrong usage, FILE is damaged,\n"
     "or KIND cannot represent it; 3 OUT cannot be written, or FILE cannot be run; 4 --runtime, and no\n"
     "images were registered.",
     image_options, COUNT(image_options), true, cnf_image_command},
    {"postlink", "FILE…", "Split device code into images; print what they import and export.",
     "FILE is a source: .cl (OpenCL C), .clcpp (C++ for OpenCL), .ll or .bc (LLVM IR of version\n"
     "14), .spvasm or .spv (SPIR-V); all files form one module.  FILE may also be a\n"
     "scenario (.yaml), whose modules have their own split and format unless options override them.\n"
     "Prints kernels, imported and exported symbols with their demangled names, specialisation\n"
     "constants, aspects and size of each image.\n"
     "  --to text     DIR/NAME.table, and DIR/NAME_0.spv, .prop and .sym for image 0 and so on;\n"
     "                NAME is the module's, or that of the first FILE\n"
     "  --to syclbin  DIR/NAME.syclbin\n"
     "  --to c        DIR/NAME.c, which registers the images with DPC++'s runtime\n"
     "Exit status: 0 done; 1 a source is refused; 2 wrong usage, FILE cannot be read, or KIND\n"
     "cannot represent an image; 3 a compiler is missing or crashed, or DIR cannot be written.",
     postlink_options, COUNT(postlink_options), true, cnf_postlink_command},
    {"pack", "[PATH…] -o FILE.assay", "Put scenarios into one file that runs without compilers.",
     "Each scenario runs once in each profile on a subject of each format: sim for spirv, pocl for\n"
     "bitcode, nvlink for ptx.  The compilers' answers to its requests (images, linked and fused\n"
     "programs, refusals) are packed with it, as are its known failures.  `assay run FILE.assay` then\n"
     "needs no compiler; a request without an answer gives SKIP packed-format.  FILE.assay:PATH is one of\n"
     "its scenarios, or a folder of them.\n"
     "Exit status: 0 written; 2 wrong usage, or a scenario is not valid; 3 a subject is missing, or\n"
     "FILE cannot be written; 4 no scenario.",
     pack_options, COUNT(pack_options), true, cnf_pack_command},
    {"export", "FILE --for API -o DIR",
     "Write a scenario as a plain C program, for people without assay.",
     "Writes to DIR: main.c, which makes the same device calls as assay's reference runtime and checks\n"
     "the expectations; the images, as SPIR-V (API opencl, level_zero), OpenCL C (opencl-c) or PTX\n"
     "(cuda); and a Makefile, which needs a C compiler and the OpenCL or Level Zero loader or the CUDA\n"
     "driver.  The program exits with 0 if everything is as expected (PASS, or LINKED if the driver\n"
     "runs no kernels), with 1 if the device differs, with 2 if there is no device.  If such a program\n"
     "cannot express a part of the scenario, the command fails with a message that names the part.\n"
     "Exit status: 0 written; 2 wrong usage, or the scenario cannot be expressed; 3 infrastructure.",
     export_options, COUNT(export_options), true, cnf_export_command},
};

const cnf_command *cnf_command_table(uint32_t *out_count)
{
    *out_count = COUNT(commands);
    return commands;
}

/* ---- Hidden commands ----------------------------------------------------------------------- */

static int offline_main(int argument_count, char **arguments)
{
    if (argument_count > 1) return cnf_subject_offline_main(argument_count, arguments);
    return cnf_offline_main(0, 1);
}

static const struct hidden_command {
    const char *name;
    int (*run)(int argument_count, char **arguments); /* arguments[0]: the command's name */
} hidden_commands[] = {
    {"worker", cnf_worker_main},       {"offline", offline_main}, {"subject", cnf_subject_main},
    {"probe", cnf_subject_probe_main}, {"open", cnf_open_main},
};

/* ---- Dispatch ------------------------------------------------------------------------------ */

static void help_print(void)
{
    printf("assay: runs scenarios for the device-code runtime on several devices and "
           "compares the results\n\n"
           "assay COMMAND [PATH…] [OPTION…]\n\nCommands:\n");
    for (uint32_t i = 0; i < COUNT(commands); i++)
        printf("  %-14s %s\n", commands[i].name, commands[i].summary);
    printf("\n  assay COMMAND --help   the command's options and exit statuses\n"
           "  assay --version        the version of this program\n");
}

typedef struct guarded_command {
    const cnf_command *command;
    const cnf_arguments *arguments;
} guarded_command;

/* Returns the command's status, or an infrastructure error if its output was lost to a full disk or
 * a closed stdout. */
static int printed(int status)
{
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout)) return status;
    if (errno == EPIPE || status != CNF_EXIT_EXPECTED) return status;
    fprintf(stderr, "assay: the output could not be written: %s\n",
            errno ? strerror(errno) : "an earlier write failed");
    return CNF_EXIT_INFRASTRUCTURE;
}

/* cnf_guard's worker buffers its own output, which would be lost when it exits. */
static int guarded_body(void *user)
{
    const guarded_command *guarded = user;
    return printed(guarded->command->run(guarded->arguments));
}

static int command_run(const cnf_command *command, int argument_count, char **words)
{
    rt_arena arena = {0};
    rt_buffer text = {0};
    cnf_arguments arguments;
    int status = CNF_EXIT_EXPECTED;
    if (!cnf_arguments_parse(command, argument_count, words, &arena, &arguments, &text)) {
        fprintf(stderr, "assay: %s (assay %s --help)\n", rt_buffer_string(&text), command->name);
        status = CNF_EXIT_USAGE;
    } else if (arguments.values[CNF_OPTION_HELP]) {
        cnf_command_help(&text, command);
        printf("%s", rt_buffer_string(&text));
    } else if (command->guarded) {
        guarded_command guarded = {command, &arguments};
        status = cnf_guard(guarded_body, &guarded, CNF_EXIT_INFRASTRUCTURE);
    } else {
        status = command->run(&arguments);
    }
    rt_buffer_free(&text);
    rt_arena_reset(&arena);
    return printed(status);
}

/* If the caller closed a standard stream, the next file opened (a record of --json, an artefact)
 * would get its number, and our output. Opens /dev/null in its place, for reading only, so that
 * printing still fails. */
static void standard_streams_occupy(void)
{
    int descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC);
    while (descriptor >= 0 && descriptor <= STDERR_FILENO)
        descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (descriptor >= 0) close(descriptor);
}

int main(int argument_count, char **arguments)
{
    standard_streams_occupy();
    /* A closed pipe and the file-size limit must make writes fail instead of ending the process. */
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    const char *name = argument_count > 1 ? arguments[1] : "--help";
    int rest_count = argument_count > 2 ? argument_count - 2 : 0;
    char **rest = arguments + (argument_count > 2 ? 2 : argument_count);
    if (strcmp(name, "--version") == 0) {
        printf("assay %s\n", ASSAY_VERSION);
        return printed(CNF_EXIT_EXPECTED);
    }
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0) {
        help_print();
        return printed(argument_count > 1 ? CNF_EXIT_EXPECTED : CNF_EXIT_USAGE);
    }
    for (uint32_t i = 0; i < COUNT(hidden_commands); i++)
        if (strcmp(hidden_commands[i].name, name) == 0)
            return hidden_commands[i].run(argument_count - 1, arguments + 1);
    for (uint32_t i = 0; i < COUNT(commands); i++)
        if (strcmp(commands[i].name, name) == 0) return command_run(&commands[i], rest_count, rest);
    const char *names[COUNT(commands)];
    for (uint32_t i = 0; i < COUNT(commands); i++)
        names[i] = commands[i].name;
    return cnf_command_unknown("", "command", name, names, COUNT(commands));
}
