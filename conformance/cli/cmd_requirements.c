/* assay requirements: rules and the scenarios that cite or prove them. */
#include "conformance/cli/commands.h"
#include "conformance/cli/run_options.h"
#include "conformance/requirements/prove.h"
#include "conformance/subject/runtime.h"
#include "conformance/subject/subject.h"
#include "conformance/verdict/record.h"
#include "reference/base/map.h"

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

/* Marks the rules that are cited by a scenario which passes on a runtime other than the reference,
 * according to the records of --from. */
static int witnesses_read(requirements_command *command, bool *has_witness)
{
    enum { RECORDS_MAX = 1 << 28 };
    const char *name = command->arguments->values[CNF_OPTION_FROM];
    rt_buffer text = {0};
    cnf_records records = {0};
    if (!name) return CNF_EXIT_EXPECTED;
    rt_status status = cnf_file_read(command->sink, rt_text_of(name), RECORDS_MAX, &text);
    if (rt_ok(status))
        status = cnf_records_read(command->sink, &command->arena, rt_text_of(name),
                                  rt_buffer_text(&text), &records);
    rt_map files = {0};
    for (uint32_t i = 0; i < command->files.count; i++)
        rt_map_set(&files, command->files.items[i].path, i);
    for (uint32_t i = 0; i < records.count; i++) {
        const cnf_record *record = &records.items[i];
        rt_text subject = record->subject;
        const cnf_subject *found = cnf_subject_find(rt_text_take_until(&subject, '{'));
        uint32_t file = rt_map_find(&files, record->scenario);
        bool is_witness = found && !found->runtime->is_reference && file != RT_MAP_NONE &&
                          record->judgement.verdict == CNF_VERDICT_PASS &&
                          record->judgement.observed > 0;
        for (uint32_t k = 0; is_witness && k < command->citations.count; k++) {
            const cnf_citation *citation = &command->citations.items[k];
            if (citation->scenario == file && citation->rule != UINT32_MAX)
                has_witness[citation->rule] = true;
        }
    }
    rt_map_free(&files);
    rt_buffer_free(&text);
    if (rt_ok(status)) return CNF_EXIT_EXPECTED;
    cnf_command_fail(command->sink, status, (rt_text){0});
    return CNF_EXIT_USAGE;
}

/* Prints the scenarios that cite each rule, citations of unknown rules, and counts per family. */
static int citations_print(requirements_command *command)
{
    const cnf_rules *rules = &command->rules;
    const cnf_citation *citations = command->citations.items;
    const uint32_t citation_count = command->citations.count;
    bool *is_cited = rt_arena_alloc_array(&command->arena, rules->count, sizeof *is_cited);
    bool *has_witness = rt_arena_alloc_array(&command->arena, rules->count, sizeof *has_witness);
    int status = witnesses_read(command, has_witness);
    if (status != CNF_EXIT_EXPECTED) return status;
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
    for (uint32_t i = 0; i < citation_count; i++) {
        CHECK(citations[i].scenario < command->files.count);
        if (citations[i].rule != UINT32_MAX) continue;
        printf("unknown %.*s, cited by %.*s:%u\n", RT_TEXT_ARG(citations[i].id),
               RT_TEXT_ARG(command->files.items[citations[i].scenario].file), citations[i].line);
        status = CNF_EXIT_USAGE;
    }
    for (uint32_t first = 0, end; first < rules->count; first = end) {
        uint32_t cited = 0, witnessed = 0;
        rt_text family = rules->items[first].family;
        for (end = first; end < rules->count; end++) {
            if (!rt_text_equal(rules->items[end].family, family)) break;
            cited += is_cited[end];
            witnessed += has_witness[end];
        }
        CHECK(cited <= end - first);
        printf("%.*s: %u rules, %u cited, %u uncited", RT_TEXT_ARG(family), end - first, cited,
               end - first - cited);
        if (command->arguments->values[CNF_OPTION_FROM])
            printf(", %u with another runtime as witness", witnessed);
        printf("\n");
    }
    return status;
}

/* ---- Proven -------------------------------------------------------------------------------- */

#ifdef ASSAY_PROVE
enum { BUILD_HAS_FAULTS = 1 };
#else
enum { BUILD_HAS_FAULTS = 0 };
#define ASSAY_PLANT ""
#endif

/* The folder of this program, with a slash; empty if it is unknown. */
static rt_text program_folder(rt_arena *arena)
{
    char program[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    while (length > 0 && program[length - 1] != '/')
        length--;
    return rt_arena_text(arena, (rt_text){program, length > 0 ? (size_t)length : 0});
}

static int prove_and_print(requirements_command *command)
{
    cnf_run_options run;
    if (!BUILD_HAS_FAULTS) {
        fprintf(stderr, "assay: this build has no planted faults; build and use the prove preset: "
                        "cmake --preset prove && cmake --build --preset prove\n");
        return CNF_EXIT_USAGE;
    }
    uint64_t sample = 0;
    if (!cnf_run_options_read(command->arguments, &run) ||
        !cnf_command_number(command->arguments, CNF_OPTION_SAMPLE, "--sample", 1, UINT32_MAX, 0,
                            &sample))
        return CNF_EXIT_USAGE;
    const char *const *values = command->arguments->values;
    /* The build writes the tables of faults and the list of proof programs next to this program. */
    rt_arena *arena = &command->arena;
    rt_text folder = program_folder(arena);
    const rt_text tables[] = {
        rt_arena_printf(arena, "%.*sfaults-assay.txt", RT_TEXT_ARG(folder)),
        rt_arena_printf(arena, "%.*sfaults-assay_compiler.txt", RT_TEXT_ARG(folder))};
    const char *const same_command[] = {ASSAY_PLANT, "--same", folder.data, NULL};
    const cnf_prove_options options = {
        .job_count = run.job_count,
        .timeout_s = run.timeout_ms / 1000,
        .fault_tables = tables,
        .fault_table_count = sizeof tables / sizeof *tables,
        .program_list = rt_arena_printf(arena, "%.*sproofs.txt", RT_TEXT_ARG(folder)),
        .same_command = same_command,
        .rules = rt_text_of(values[CNF_OPTION_RULE]),
        .sample = (uint32_t)sample,
        .seed = run.seed,
        .shows_progress = isatty(STDERR_FILENO),
        .counts_kills = values[CNF_OPTION_BLUNT] != NULL,
        .lists_refusals = values[CNF_OPTION_REFUSALS] != NULL,
        .lists_internal = values[CNF_OPTION_OBSERVABLE_ONLY] != NULL};
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

/* An option that was given and means nothing without --prove; NULL: none. */
static const char *proof_option(const cnf_arguments *arguments)
{
    static const struct option_row {
        cnf_option_id option;
        const char *name;
    } rows[] = {
        {CNF_OPTION_JSON, "--json"},         {CNF_OPTION_BLUNT, "--blunt"},
        {CNF_OPTION_RULE, "--rule"},         {CNF_OPTION_SAMPLE, "--sample"},
        {CNF_OPTION_REFUSALS, "--refusals"}, {CNF_OPTION_OBSERVABLE_ONLY, "--observable-only"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (arguments->values[rows[i].option]) return rows[i].name;
    return NULL;
}

int cnf_requirements_command(const cnf_arguments *arguments)
{
    requirements_command command = {.arguments = arguments, .sink = rt_sink_create()};
    int status = command_read(&command);
    if (status == CNF_EXIT_EXPECTED) {
        if (arguments->values[CNF_OPTION_PROVE] && arguments->values[CNF_OPTION_FROM]) {
            fprintf(stderr, "assay: --from cannot be combined with --prove; use one of them\n");
            status = CNF_EXIT_USAGE;
        } else if (arguments->values[CNF_OPTION_PROVE]) {
            status = prove_and_print(&command);
        } else if (proof_option(arguments)) {
            fprintf(stderr, "assay: %s is an option of --prove; add --prove\n",
                    proof_option(arguments));
            status = CNF_EXIT_USAGE;
        } else {
            status = citations_print(&command);
        }
    }
    rt_sink_destroy(command.sink);
    rt_arena_reset(&command.arena);
    return status;
}
