/* assay requirements: rules and the scenarios that cite or prove them. */
#include "conformance/cli/commands.h"
#include "conformance/cli/run_options.h"
#include "conformance/requirements/prove.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef struct requirements_command {
    const cnf_arguments *arguments;
    rt_arena arena;
    rt_sink *sink;
    cnf_files files;
    cnf_rules rules;
    cnf_citations citations;
} requirements_command;

static int command_fail(const requirements_command *command, rt_status status, int exit_status)
{
    cnf_command_fail(command->sink, status, (rt_text){0});
    return exit_status;
}

static int command_read(requirements_command *command)
{
    int found = cnf_command_files(command->arguments, &command->arena, &command->files);
    if (found != CNF_EXIT_EXPECTED) return found;
    if (cnf_command_refuses_packs(&command->files, "requirements")) return CNF_EXIT_USAGE;
    rt_text root = cnf_files_root(&command->arena, command->files.items[0].file);
    if (root.length == 0) {
        fprintf(stderr,
                "assay: there is no requirements.yaml beside or above %.*s; name scenarios "
                "of a folder that has one\n",
                RT_TEXT_ARG(command->files.items[0].file));
        return CNF_EXIT_USAGE;
    }
    rt_text table = rt_arena_printf(&command->arena, "%.*s/requirements.yaml", RT_TEXT_ARG(root));
    rt_status status = cnf_rules_read(command->sink, &command->arena, table, &command->rules);
    if (rt_ok(status)) {
        status = cnf_citations_read(command->sink, &command->arena, &command->files,
                                    &command->rules, &command->citations);
    }
    return rt_ok(status) ? CNF_EXIT_EXPECTED : command_fail(command, status, CNF_EXIT_USAGE);
}

/* ---- Cited --------------------------------------------------------------------------------- */

static uint32_t citations_of(const requirements_command *command, uint32_t rule)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < command->citations.count; i++)
        count += command->citations.items[i].rule == rule;
    return count;
}

static void rule_print(const requirements_command *command, uint32_t rule)
{
    printf("%.*s", RT_TEXT_ARG(command->rules.items[rule].id));
    if (citations_of(command, rule) == 0) printf(" uncited");
    for (uint32_t i = 0; i < command->citations.count; i++) {
        const cnf_citation *citation = &command->citations.items[i];
        if (citation->rule != rule) continue;
        printf(" %.*s", RT_TEXT_ARG(command->files.items[citation->scenario].path));
    }
    printf("\n");
}

static uint32_t unknown_print(const requirements_command *command)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < command->citations.count; i++) {
        const cnf_citation *citation = &command->citations.items[i];
        if (citation->rule != UINT32_MAX) continue;
        printf("unknown %.*s, cited by %.*s:%u\n", RT_TEXT_ARG(citation->id),
               RT_TEXT_ARG(command->files.items[citation->scenario].file), citation->line);
        count++;
    }
    return count;
}

static void families_print(const requirements_command *command)
{
    const cnf_rules *rules = &command->rules;
    for (uint32_t first = 0, end; first < rules->count; first = end) {
        uint32_t cited = 0;
        for (end = first; end < rules->count; end++) {
            if (!rt_text_equal(rules->items[end].family, rules->items[first].family)) break;
            cited += citations_of(command, end) > 0;
        }
        printf("%.*s: %u rules, %u cited, %u uncited\n", RT_TEXT_ARG(rules->items[first].family),
               end - first, cited, end - first - cited);
    }
}

static int cited_print(const requirements_command *command)
{
    for (uint32_t i = 0; i < command->rules.count; i++)
        rule_print(command, i);
    printf("\n");
    uint32_t unknown = unknown_print(command);
    families_print(command);
    return unknown > 0 ? CNF_EXIT_USAGE : CNF_EXIT_EXPECTED;
}

/* ---- Proven -------------------------------------------------------------------------------- */

#ifdef ASSAY_PROVE
enum { BUILD_HAS_FAULTS = 1 };
#else
enum { BUILD_HAS_FAULTS = 0 };
#endif

/* The list of proof programs, which the build writes next to this program. */
static rt_text program_list(rt_arena *arena)
{
    char program[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    while (length > 0 && program[length - 1] != '/')
        length--;
    return length <= 0 ? (rt_text){0}
                       : rt_arena_printf(arena, "%.*sproofs.txt", (int)length, program);
}

/* Prints the table on stdout; on stderr if the JSON goes to stdout. */
static int proof_print(const cnf_proof *proof, const char *json_name)
{
    rt_buffer text = {0}, json = {0};
    bool written = true, json_first = json_name && strcmp(json_name, "-") == 0;
    cnf_proof_write(&text, proof);
    if (json_name) cnf_proof_write_json(&json, proof);
    fprintf(json_first ? stderr : stdout, "%s", rt_buffer_string(&text));
    if (json_first) {
        printf("%s", rt_buffer_string(&json));
        written = fflush(stdout) == 0;
    } else if (json_name) {
        written = cnf_command_file_replace("--json", json_name, rt_buffer_text(&json));
    }
    rt_buffer_free(&text);
    rt_buffer_free(&json);
    if (!written) return CNF_EXIT_INFRASTRUCTURE;
    return proof->complaint_count > 0 ? CNF_EXIT_UNEXPECTED : CNF_EXIT_EXPECTED;
}

static int prove_and_print(requirements_command *command)
{
    cnf_run_options run;
    if (!BUILD_HAS_FAULTS) {
        fprintf(stderr, "assay: this build has no planted faults; build and use the prove preset: "
                        "cmake --preset prove && cmake --build --preset prove\n");
        return CNF_EXIT_USAGE;
    }
    if (!cnf_run_options_read(command->arguments, &run)) return CNF_EXIT_USAGE;
    const cnf_prove_options options = {.job_count = run.job_count,
                                       .timeout_s = run.timeout_ms / 1000,
                                       .program_list = program_list(&command->arena),
                                       .shows_progress = isatty(STDERR_FILENO),
                                       .counts_kills =
                                           command->arguments->values[CNF_OPTION_BLUNT] != NULL};
    cnf_proof proof;
    rt_status status = cnf_prove(command->sink, &command->arena, &command->rules, &command->files,
                                 &command->citations, &options, &proof);
    if (!rt_ok(status)) return command_fail(command, status, CNF_EXIT_INFRASTRUCTURE);
    return proof_print(&proof, command->arguments->values[CNF_OPTION_JSON]);
}

int cnf_requirements_command(const cnf_arguments *arguments)
{
    requirements_command command = {.arguments = arguments, .sink = rt_sink_create()};
    int status = command_read(&command);
    if (status == CNF_EXIT_EXPECTED) {
        bool proves = arguments->values[CNF_OPTION_PROVE] != NULL;
        if (proves) {
            status = prove_and_print(&command);
        } else if (arguments->values[CNF_OPTION_JSON] || arguments->values[CNF_OPTION_BLUNT]) {
            fprintf(stderr, "assay: --json and --blunt are about what --prove finds\n");
            status = CNF_EXIT_USAGE;
        } else {
            status = cited_print(&command);
        }
    }
    rt_sink_destroy(command.sink);
    rt_arena_reset(&command.arena);
    return status;
}
