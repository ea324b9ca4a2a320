/* assay pack: scenarios in one file, with the compilers' answers that their runs need.
 *
 * The requests to the compile worker are known only after a run. Each scenario therefore runs once
 * in every requested profile on a subject of every requested format, and every request is kept with
 * its answer, including refusals. */
#include "conformance/build/packed_answer.h"
#include "conformance/cli/columns.h"
#include "conformance/cli/commands.h"
#include "conformance/cli/results.h"
#include "conformance/cli/run_options.h"
#include "conformance/report/output.h"
#include "conformance/report/progress.h"
#include "conformance/run/modules.h"
#include "reference/base/map.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The subject whose requests are kept for a format. */
static const struct format_row {
    const char *word, *subject;
} format_rows[] = {
    {"spirv", "sim"},
    {"bitcode", "pocl"},
    {"ptx", "nvlink"},
};
enum { FORMATS = sizeof format_rows / sizeof *format_rows };

/* Scenarios that a child may run on devices that stay open. */
enum { PACK_REUSE = 50 };

const char *cnf_pack_format(uint32_t index)
{
    return index < FORMATS ? format_rows[index].word : NULL;
}

typedef struct pack_entry {
    rt_text source;
    rt_bytes model; /* serialised, without artefacts */
    RT_VECTOR(scn_artefact) artefacts;
} pack_entry;

typedef struct pack_command {
    const cnf_arguments *arguments;
    rt_arena arena;
    rt_sink *sink;
    cnf_run_options options;
    cnf_columns columns;
    cnf_files files;
    cnf_expectations expectations;
    cnf_progress progress;
    rt_map paths; /* path -> index in `entries` */
    RT_VECTOR(pack_entry) entries;
    rt_text formats;
    rt_profile profiles[RT_PROFILE_COUNT]; /* profiles for which the pack has answers */
    uint32_t profile_count;
    rt_buffer warnings; /* lines, printed at the end */
    int status;         /* exit status so far */
} pack_command;

/* Reads the options and finds the scenarios. Returns an exit status. */
static int command_read(pack_command *command)
{
    const cnf_arguments *arguments = command->arguments;
    if (!arguments->values[CNF_OPTION_OUT]) {
        fprintf(stderr, "assay: pack needs the file to write: -o FILE" CNF_PACK_ENDING "\n");
        return CNF_EXIT_USAGE;
    }
    /* This command takes a list of profiles and iterates over them itself. */
    cnf_arguments run_arguments = *arguments;
    const char *profiles = run_arguments.values[CNF_OPTION_PROFILE];
    run_arguments.values[CNF_OPTION_PROFILE] = NULL;
    if (!cnf_run_options_read(&run_arguments, &command->options) ||
        !cnf_run_profiles_read(profiles ? profiles : rt_profile_name(RT_PROFILE_DOCUMENTS),
                               command->profiles, &command->profile_count))
        return CNF_EXIT_USAGE;
    /* The list of --formats becomes a list for --on. */
    const char *formats = arguments->values[CNF_OPTION_FORMATS];
    command->formats = rt_text_of(formats ? formats : format_rows[0].word);
    const char *words[FORMATS];
    for (uint32_t i = 0; i < FORMATS; i++)
        words[i] = format_rows[i].word;
    rt_text on = {0};
    for (const char *at = command->formats.data; at;) {
        size_t length = strcspn(at, ",");
        const char *word = rt_arena_text(&command->arena, (rt_text){at, length}).data;
        at = at[length] == ',' ? at + length + 1 : NULL;
        uint32_t row = 0;
        while (row < FORMATS && strcmp(word, words[row]) != 0)
            row++;
        if (row == FORMATS)
            return cnf_command_unknown("--formats: ", "format", word, words, FORMATS);
        const char *subject = format_rows[row].subject;
        if (!cnf_subject_find(rt_text_of(subject))) {
            fprintf(stderr, "assay: --formats: %s needs the subject %s, which this build lacks\n",
                    word, subject);
            return CNF_EXIT_USAGE;
        }
        on = rt_arena_printf(&command->arena, "%.*s%s%s", RT_TEXT_ARG(on), on.length ? "," : "",
                             subject);
    }
    if (!cnf_columns_read(&command->arena, "--formats: ", on.data, &command->columns))
        return CNF_EXIT_USAGE;
    command->options.subjects = command->columns.subjects;
    command->options.subject_count = command->columns.count;
    command->options.record = true;
    command->options.reuse = PACK_REUSE; /* its requests matter, not its verdicts */
    CHECK(command->profile_count > 0 && command->profile_count <= RT_PROFILE_COUNT);
    int status = cnf_command_files(arguments, &command->arena, &command->files);
    if (status != CNF_EXIT_EXPECTED) return status;
    bool is_valid = !cnf_command_refuses_packs(&command->files, "pack") &&
                    cnf_results_expect(arguments, &command->files, &command->expectations);
    return is_valid ? CNF_EXIT_EXPECTED : CNF_EXIT_USAGE;
}

/* ---- Requests ------------------------------------------------------------------------------ */

static void artefact_add(pack_command *command, pack_entry *entry, rt_hash request, rt_bytes answer)
{
    for (uint32_t i = 0; i < entry->artefacts.count; i++) {
        const rt_hash packed = entry->artefacts.items[i].request;
        if (packed.low == request.low && packed.high == request.high) return;
    }
    *rt_vector_push(&entry->artefacts) =
        (scn_artefact){request, rt_arena_bytes(&command->arena, answer)};
}

/* Keeps a module's answer for one format; answers that hold only for this machine are left out. */
static void module_add(pack_command *command, pack_entry *entry, rt_text path,
                       const scn_module *module, const cnf_module_work *work)
{
    if (work->request.size == 0) return; /* nothing to compile */
    rt_arena arena = {0};
    cnf_compile_answer answer = {.code = RT_TOOL, .message = work->failure_message};
    rt_bytes bytes = rt_buffer_bytes(&work->answer);
    bool read = work->answer.size > 0 &&
                rt_ok(cnf_compile_answer_read(command->sink, &arena, bytes, &answer));
    if (read && cnf_answer_travels(&answer)) {
        artefact_add(command, entry, rt_hash128(work->request.data, work->request.size), bytes);
    } else {
        rt_buffer_printf(&command->warnings,
                         "assay: warning: %.*s: module %.*s is packed without images: %.*s\n",
                         RT_TEXT_ARG(path), RT_TEXT_ARG(module->name), RT_TEXT_ARG(answer.message));
    }
    rt_arena_reset(&arena);
}

/* Finds the entry of the record's scenario; the scenario's first record creates it. */
static pack_entry *entry_of(pack_command *command, const cnf_record *record,
                            const cnf_run_detail *detail)
{
    uint32_t index = rt_map_find(&command->paths, record->scenario);
    if (index != RT_MAP_NONE) return &command->entries.items[index];
    rt_map_set(&command->paths, rt_arena_text(&command->arena, record->scenario),
               command->entries.count);
    pack_entry *entry = rt_vector_push(&command->entries);
    rt_buffer model = {0};
    scn_pack_write(&model, detail->modules->scenario);
    *entry = (pack_entry){.source = rt_arena_text(&command->arena, detail->source),
                          .model = rt_arena_bytes(&command->arena, rt_buffer_bytes(&model))};
    rt_buffer_free(&model);
    return entry;
}

static bool on_record(void *user, const cnf_record *record, const cnf_run_detail *detail)
{
    pack_command *command = user;
    const cnf_judgement *judgement = &record->judgement;
    cnf_record judged = *record;
    cnf_record_expect(&judged, &command->expectations);
    cnf_progress_add(&command->progress, &judged);
    if (judgement->verdict == CNF_VERDICT_INVALID || !detail->modules || !detail->modules->works) {
        rt_buffer_printf(&command->warnings, "%.*s\n", RT_TEXT_ARG(judgement->message));
        command->status = CNF_EXIT_USAGE;
        return true;
    }
    pack_entry *entry = entry_of(command, record, detail);
    const scn_scenario *scenario = detail->modules->scenario;
    for (uint32_t i = 0; i < scenario->module_count; i++)
        module_add(command, entry, record->scenario, &scenario->modules[i],
                   &detail->modules->works[i]);
    for (uint32_t i = 0; detail->messages && i < detail->messages->artefact_count; i++) {
        const scn_artefact *artefact = &detail->messages->artefacts[i];
        artefact_add(command, entry, artefact->request, artefact->answer);
    }
    switch (judgement->verdict) {
    case CNF_VERDICT_CRASH:
    case CNF_VERDICT_TIMEOUT:
    case CNF_VERDICT_HANG:
    case CNF_VERDICT_POISONED:
    case CNF_VERDICT_NOT_RUN: /* The child may have ended before its last request. */
        rt_buffer_printf(
            &command->warnings,
            "assay: warning: %.*s on %.*s: %s, so requests to compilers may be missing\n",
            RT_TEXT_ARG(record->scenario), RT_TEXT_ARG(record->subject),
            cnf_verdict_word(judgement->verdict));
        break;
    case CNF_VERDICT_UNAVAILABLE:
        if (!cnf_report_is_missing(record) || command->status != CNF_EXIT_EXPECTED) break;
        rt_buffer_printf(&command->warnings, "assay: --formats: %.*s is not installed: %.*s\n",
                         RT_TEXT_ARG(record->subject), RT_TEXT_ARG(judgement->message));
        command->status = CNF_EXIT_INFRASTRUCTURE;
        break;
    default: break;
    }
    return true;
}

static void on_begin(void *user, rt_text path, rt_text subject)
{
    pack_command *command = user;
    cnf_progress_begun(&command->progress, path, subject);
}

/* Runs all scenarios once in each profile. If requests differ between profiles, the pack keeps all
 * of them. */
static int scenarios_run(pack_command *command)
{
    const cnf_files *files = &command->files;
    cnf_run_end end = CNF_RUN_COMPLETE;
    command->options.begun = on_begin;
    command->progress =
        cnf_progress_begin(stderr, isatty(STDERR_FILENO),
                           files->count * command->columns.count * command->profile_count);
    for (uint32_t i = 0; i < command->profile_count; i++) {
        if (end != CNF_RUN_COMPLETE || command->status != CNF_EXIT_EXPECTED) break;
        command->options.profile = command->profiles[i];
        end = cnf_run(&command->options, files->items, files->count, on_record, command);
    }
    cnf_progress_end(&command->progress);
    fprintf(stderr, "%s", rt_buffer_string(&command->warnings));
    return end == CNF_RUN_COMPLETE ? command->status : CNF_EXIT_INFRASTRUCTURE;
}

/* ---- Writing ------------------------------------------------------------------------------- */

/* The serialised model with its artefacts. */
static rt_bytes model_make(pack_command *command, const pack_entry *entry)
{
    rt_arena arena = {0};
    const scn_scenario *read;
    rt_status status = scn_pack_read(command->sink, &arena, entry->model, &read);
    CHECK(rt_ok(status)); /* this program wrote it */
    scn_scenario packed = *read;
    packed.packed = true;
    packed.artefacts = entry->artefacts.items;
    packed.artefact_count = entry->artefacts.count;
    rt_buffer model = {0};
    scn_pack_write(&model, &packed);
    rt_bytes bytes = rt_arena_bytes(&command->arena, rt_buffer_bytes(&model));
    rt_buffer_free(&model);
    rt_arena_reset(&arena);
    return bytes;
}

static int pack_write(pack_command *command)
{
    const char *name = command->arguments->values[CNF_OPTION_OUT];
    rt_arena *arena = &command->arena;
    command->options.profile = RT_PROFILE_DOCUMENTS; /* profiles are printed on their own line */
    rt_text conditions = cnf_run_options_conditions(arena, &command->options);
    rt_buffer expectations = {0}, file = {0};
    uint32_t answer_count = 0, count = command->files.count;
    cnf_packed_scenario *scenarios = rt_arena_alloc_array(arena, count, sizeof *scenarios);
    cnf_pack pack = {.scenarios = scenarios, .count = count};
    for (uint32_t i = 0; i < count; i++) {
        rt_text path = command->files.items[i].path;
        uint32_t index = rt_map_find(&command->paths, path);
        CHECK(index < command->entries.count); /* the run was complete, and no file is INVALID */
        const pack_entry *entry = &command->entries.items[index];
        scenarios[i] = (cnf_packed_scenario){.pack = &pack,
                                             .path = path,
                                             .source = entry->source,
                                             .model = model_make(command, entry)};
        answer_count += entry->artefacts.count;
    }
    cnf_expectations_pack(&expectations, &command->expectations, &command->files);
    pack.expectations = rt_buffer_bytes(&expectations);
    rt_text profiles = {"", 0};
    for (uint32_t i = 0; i < command->profile_count; i++)
        profiles = rt_arena_printf(arena, "%.*s %s", RT_TEXT_ARG(profiles),
                                   rt_profile_name(command->profiles[i]));
    pack.about = rt_arena_printf(
        arena,
        "formats: %.*s\nprofiles:%.*s\nscenarios: %u\nanswers of compilers: %u\noptions: %.*s\n",
        RT_TEXT_ARG(command->formats), RT_TEXT_ARG(profiles), count, answer_count,
        RT_TEXT_ARG(conditions));
    rt_status status = cnf_pack_write(command->sink, &file, &pack);
    int error = rt_ok(status) ? cnf_file_replace(name, rt_buffer_text(&file)) : 0;
    if (!rt_ok(status))
        cnf_command_fail(command->sink, status, (rt_text){0});
    else if (error != 0)
        fprintf(stderr, "assay: -o %s: %s\n", name, strerror(error));
    else
        printf("%s: %u scenario%s, %u compiler answer%s, %zu bytes\n", name, count,
               count == 1 ? "" : "s", answer_count, answer_count == 1 ? "" : "s", file.size);
    rt_buffer_free(&expectations);
    rt_buffer_free(&file);
    if (!rt_ok(status)) return CNF_EXIT_USAGE;
    return error == 0 ? CNF_EXIT_EXPECTED : CNF_EXIT_INFRASTRUCTURE;
}

int cnf_pack_command(const cnf_arguments *arguments)
{
    pack_command command = {.arguments = arguments, .sink = rt_sink_create()};
    int status = command_read(&command);
    if (status == CNF_EXIT_EXPECTED) status = scenarios_run(&command);
    if (status == CNF_EXIT_EXPECTED) status = pack_write(&command);
    for (uint32_t i = 0; i < command.entries.count; i++)
        rt_vector_free(&command.entries.items[i].artefacts);
    rt_vector_free(&command.entries);
    rt_map_free(&command.paths);
    rt_buffer_free(&command.warnings);
    cnf_expectations_free(&command.expectations);
    rt_sink_destroy(command.sink);
    rt_arena_reset(&command.arena);
    return status;
}
