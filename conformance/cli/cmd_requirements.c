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

static int command_read(requirements_command *command)
{
    int status = cnf_command_files(command->arguments, &command->arena, &command->files);
    if (status != CNF_EXIT_EXPECTED) return status;
    if (cnf_command_refuses_packs(&command->files, "requirements")) return CNF_EXIT_USAGE;
    status = cnf_command_rules(command->sink, &command->arena, "", command->files.items[0].file,
                               &command->rules);
    if (status != CNF_EXIT_EXPECTED) return status;
    rt_status read = cnf_citations_read(command->sink, &command->arena, &command->files,
                                        &command->rules, &command->citations);
    if (rt_ok(read)) return CNF_EXIT_EXPECTED;
    cnf_command_fail(command->sink, read, (rt_text){0});
    return CNF_EXIT_USAGE;
}

/* Prints the scenarios that cite each rule, citations of unknown rules, and counts per family. */
static int citations_print(requirements_command *command)
{
    const cnf_rules *rules = &command->rules;
    const cnf_citation *citations = command->citations.items;
    const uint32_t citation_count = command->citations.count;
    bool *is_cited = rt_arena_alloc_array(&command->arena, rules->count, sizeof *is_cited);
    for (uint32_t rule = 0; rule < rules->count; rule++) {
        rt_buffer scenarios = {0};
        for (uint32_t i = 0; i < citation_count; i++)
            if (citations[i].rule == rule)
                rt_buffer_printf(&scenarios, " %.*s",
                                 RT_TEXT_ARG(command->files.items[citations[i].scenario].path));
        is_cited[rule] = scenarios.size > 0;
        printf("%.*s%s\n", RT_TEXT_ARG(rules->items[rule].id),
               is_cited[rule] ? rt_buffer_string(&scenarios) : " uncited");
        rt_buffer_free(&scenarios);
    }
    printf("\n");
    int status = CNF_EXIT_EXPECTED;
    for (uint32_t i = 0; i < citation_count; i++) {
        CHECK(citations[i].scenario < command->files.count);
        if (citations[i].rule != UINT32_MAX) continue;
        printf("unknown %.*s, cited by %.*s:%u\n", RT_TEXT_ARG(citations[i].id),
               RT_TEXT_ARG(command->files.items[citations[i].scenario].file), citations[i].line);
        status = CNF_EXIT_USAGE;
    }
    for (uint32_t first = 0, end; first < rules->count; first = end) {
        uint32_t cited = 0;
        rt_text family = rules->items[first].family;
        for (end = first; end < rules->count; end++) {
            if (!rt_text_equal(rules->items[end].family, family)) break;
            cited += is_cited[end];
        }
        CHECK(cited <= end - first);
        printf("%.*s: %u rules, %u cited, %u uncited\n", RT_TEXT_ARG(family), end - first, cited,
               end - first - cited);
    }
    return status;
}

/* ---- Proven -------------------------------------------------------------------------------- */

#ifdef ASSAY_PROVE
enum { BUILD_HAS_FAULTS = 1 };
#else
enum { BUILD_HAS_FAULTS = 0 };
#endif

static int prove_and_print(requirements_command *command)
{
    cnf_run_options run;
    if (!BUILD_HAS_FAULTS) {
        fprintf(stderr, "assay: this build has no planted faults; build and use the prove preset: "
                        "cmake --preset prove && cmake --build --preset prove\n");
        return CNF_EXIT_USAGE;
    }
    if (!cnf_run_options_read(command->arguments, &run)) return CNF_EXIT_USAGE;
    /* The build writes the list of proof programs next to this program. */
    char program[PATH_MAX];
    rt_text list = {0};
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    while (length > 0 && program[length - 1] != '/')
        length--;
    if (length > 0) list = rt_arena_printf(&command->arena, "%.*sproofs.txt", (int)length, program);
    const cnf_prove_options options = {.job_count = run.job_count,
                                       .timeout_s = run.timeout_ms / 1000,
                                       .program_list = list,
                                       .shows_progress = isatty(STDERR_FILENO),
                                       .counts_kills =
                                           command->arguments->values[CNF_OPTION_BLUNT] != NULL};
    cnf_proof proof;
    rt_status status = cnf_prove(command->sink, &command->arena, &command->rules, &command->files,
                                 &command->citations, &options, &proof);
    if (!rt_ok(status)) {
        cnf_command_fail(command->sink, status, (rt_text){0});
        return CNF_EXIT_INFRASTRUCTURE;
    }
    const char *json_name = command->arguments->values[CNF_OPTION_JSON];
    bool written = true, json_first = json_name && strcmp(json_name, "-") == 0;
    rt_buffer text = {0}, json = {0};
    cnf_proof_write(&text, &proof);
    fprintf(json_first ? stderr : stdout, "%s", rt_buffer_string(&text));
    if (json_name) {
        cnf_proof_write_json(&json, &proof);
        written = json_first ? cnf_command_print(&json, "the JSON")
                             : cnf_command_file_replace("--json", json_name, &json);
    }
    rt_buffer_free(&text);
    rt_buffer_free(&json);
    if (!written) return CNF_EXIT_INFRASTRUCTURE;
    return proof.complaint_count > 0 ? CNF_EXIT_UNEXPECTED : CNF_EXIT_EXPECTED;
}

int cnf_requirements_command(const cnf_arguments *arguments)
{
    requirements_command command = {.arguments = arguments, .sink = rt_sink_create()};
    int status = command_read(&command);
    if (status == CNF_EXIT_EXPECTED) {
        if (arguments->values[CNF_OPTION_PROVE]) {
            status = prove_and_print(&command);
        } else if (arguments->values[CNF_OPTION_JSON] || arguments->values[CNF_OPTION_BLUNT]) {
            fprintf(stderr, "assay: --json and --blunt are options of --prove; add --prove\n");
            status = CNF_EXIT_USAGE;
        } else {
            status = citations_print(&command);
        }
    }
    rt_sink_destroy(command.sink);
    rt_arena_reset(&command.arena);
    return status;
}
