/* The command line: tables of commands and options, from which parsing and help are derived. */
#ifndef CONFORMANCE_CLI_OPTIONS_H
#define CONFORMANCE_CLI_OPTIONS_H

#include "reference/base/arena.h"

/* Exit statuses of every command (design, "Comparison and results"). */
enum {
    CNF_EXIT_EXPECTED = 0,
    CNF_EXIT_UNEXPECTED = 1,
    CNF_EXIT_USAGE = 2, /* wrong command line, or an unreadable scenario */
    CNF_EXIT_INFRASTRUCTURE = 3,
    CNF_EXIT_NOTHING_RAN = 4,
};

typedef enum cnf_option_id {
    CNF_OPTION_HELP,
    CNF_OPTION_ON,
    CNF_OPTION_JOBS,
    CNF_OPTION_TIMEOUT,
    CNF_OPTION_SEED,
    CNF_OPTION_JSON,
    CNF_OPTION_CACHE,
    CNF_OPTION_SHARD,
    CNF_OPTION_MEMORY,
    CNF_OPTION_THREADS,
    CNF_OPTION_FEATURE,
    CNF_OPTION_RULE,
    CNF_OPTION_VERDICT,
    CNF_OPTION_FROM,
    CNF_OPTION_RESUME,
    CNF_OPTION_PROFILE,
    CNF_OPTION_LOADER,
    CNF_OPTION_CHOICES,
    CNF_OPTION_EXPLORE,
    CNF_OPTION_EXPLORE_MAX,
    CNF_OPTION_FAIL_CALLS,
    CNF_OPTION_SKIP_STATUS,
    CNF_OPTION_FAIL_FAST,
    CNF_OPTION_EXPECTATIONS,
    CNF_OPTION_JUNIT,
    CNF_OPTION_HTML,
    CNF_OPTION_PROVE,
    CNF_OPTION_BLUNT,
    CNF_OPTION_SAMPLE,
    CNF_OPTION_REFUSALS,
    CNF_OPTION_OBSERVABLE_ONLY,
    CNF_OPTION_CHECK,
    CNF_OPTION_PAGE,
    CNF_OPTION_DOT,
    CNF_OPTION_SVG,
    CNF_OPTION_TO,
    CNF_OPTION_LAYOUT,
    CNF_OPTION_COMPRESS,
    CNF_OPTION_SPLIT,
    CNF_OPTION_FORMAT,
    CNF_OPTION_BUILD,
    CNF_OPTION_OUT,
    CNF_OPTION_FORMATS,
    CNF_OPTION_DIFFERENCES,
    CNF_OPTION_FOR,
    CNF_OPTION_SARIF,
    CNF_OPTION_HISTORY,
    CNF_OPTION_MARKDOWN,
    CNF_OPTION_SLOWER,
    CNF_OPTION_COLOR,
    CNF_OPTION_WITHOUT,
    CNF_OPTION_UNITS,
    CNF_OPTION_KEEP,
    CNF_OPTION_KERNEL,
    CNF_OPTION_RANGE,
    CNF_OPTION_LOCAL,
    CNF_OPTION_OFFSET,
    CNF_OPTION_ARG,
    CNF_OPTION_DEFINE,
    CNF_OPTION_INCLUDE,
    CNF_OPTION_CL,
    CNF_OPTION_DUMP,
    CNF_OPTION_DUMP_NPY,
    CNF_OPTION_SAVE,
    CNF_OPTION_BLESS,
    CNF_OPTION_COMPILE,
    CNF_OPTION_KERNELS,
    CNF_OPTION_WRITE_EXPECTATIONS,
    CNF_OPTION_RETRIES,
    CNF_OPTION_REPEAT,
    CNF_OPTION_REUSE,
    CNF_OPTION_SHUFFLE,
    CNF_OPTION_FLAKY,
    CNF_OPTION_SUITE,
    CNF_OPTION_TIMES,
    CNF_OPTION_WORDS,
    CNF_OPTION_LIST,
    CNF_OPTION_MATRIX,
    CNF_OPTION_FAILURES_ONLY,
    CNF_OPTION_QUIET,
    CNF_OPTION_SLOWEST,
    CNF_OPTION_ERROR_EXITCODE,
    CNF_OPTION_SUPPRESSIONS,
    CNF_OPTION_TIER,
    CNF_OPTION_TYPE,
    CNF_OPTION_RUNTIME,
    CNF_OPTION_LAUNCHES,
    CNF_OPTION_BYTES_MAX,
    CNF_OPTION_WINDOW,
    CNF_OPTION_ULP,
    CNF_OPTION_UNDEFINED,
    CNF_OPTION_INTERCEPT,
    CNF_OPTION_WEIGHTS,
    CNF_OPTION_VARIATION,
    CNF_OPTION_SECONDS,
    CNF_OPTION_SEEDS,
    CNF_OPTION_COUNT
} cnf_option_id;

typedef struct cnf_option {
    cnf_option_id id;
    const char *name;   /* "--jobs"; "-cl-*" is every word that begins with "-cl-", and the word
                         * itself is the value */
    const char *letter; /* "-j"; NULL: none */
    const char *value;  /* the name of its value in the help; NULL: no value */
    const char *help;   /* one sentence */
    /* For an option whose value is optional ("-" if it is left out): the ending that distinguishes
     * a value from a path in the next argument. NULL: the value is required. */
    const char *optional_ending;
} cnf_option;

/* One occurrence of an option. */
typedef struct cnf_given {
    cnf_option_id id;
    const char *value; /* "" for an option without a value */
} cnf_given;

/* A parsed command line; its texts are borrowed from argv. */
typedef struct cnf_arguments {
    const struct cnf_command *command; /* whose arguments they are */
    const cnf_given *given;            /* every option, in order */
    uint32_t given_count;
    const char *values[CNF_OPTION_COUNT]; /* the last of each; NULL: absent; "" for an option
                                           * without a value */
    rt_text *paths;
    uint32_t path_count;
} cnf_arguments;

typedef struct cnf_command {
    const char *name;
    const char *operands; /* "[PATH…]"; NULL: no operands */
    const char *summary;  /* one line of `assay --help` */
    const char *text;     /* the rest of `assay COMMAND --help` */
    const cnf_option *options;
    uint32_t option_count;
    bool guarded; /* it starts children, which must not outlive it, so it runs under cnf_guard */
    int (*run)(const cnf_arguments *arguments); /* returns the exit status */
} cnf_command;

/* Parses the arguments after the command's name. On a mistake, returns false and appends one line
 * without a newline to out_error: the mistake, and the nearest name or the help to read. */
bool cnf_arguments_parse(const cnf_command *command, int argument_count, char *const *arguments,
                         rt_arena *arena, cnf_arguments *out_arguments, rt_buffer *out_error);

/* Appends the help of a command. */
void cnf_command_help(rt_buffer *out, const cnf_command *command);

/* Appends `; did you mean 'NAME'?` if one of the names is close enough, otherwise all names if they
 * are few. */
void cnf_suggest(rt_buffer *out, const char *written, const char *const *names, uint32_t count);

#endif
