/* assay export: a scenario as a plain C program. */
#include "conformance/cli/columns.h"
#include "conformance/cli/commands.h"
#include "conformance/cli/run_options.h"
#include "conformance/export/export.h"
#include "conformance/report/output.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

typedef struct export_command {
    rt_arena arena;
    rt_sink *sink;
    const cnf_export_api *api;
    const char *column; /* the last of the API's subjects; this subject's images are exported */
    cnf_exported exported;
    int status;
} export_command;

/* Finds the interface of the exported program; NULL after reporting wrong usage. */
static const cnf_export_api *api_find(const cnf_arguments *arguments)
{
    const char *word = arguments->values[CNF_OPTION_FOR], *names[CNF_EXPORT_APIS];
    const cnf_export_api *api = word ? cnf_export_api_find(word) : NULL;
    if (api) return api;
    for (uint32_t i = 0; i < CNF_EXPORT_APIS; i++)
        names[i] = cnf_export_apis[i].name;
    if (word) {
        cnf_command_unknown("--for: ", "interface", word, names, CNF_EXPORT_APIS);
        return NULL;
    }
    rt_buffer hint = {0};
    cnf_suggest(&hint, "", names, CNF_EXPORT_APIS);
    fprintf(stderr, "assay: export needs an interface, --for%s\n", rt_buffer_string(&hint));
    rt_buffer_free(&hint);
    return NULL;
}

/* Reports why the subject's run yielded no program to write. */
static bool nothing_report(const cnf_record *record)
{
    const cnf_judgement *judgement = &record->judgement;
    fprintf(stderr, "assay: %.*s is %s on %.*s, so there is nothing to export\n",
            RT_TEXT_ARG(record->file), cnf_verdict_word(judgement->verdict),
            RT_TEXT_ARG(record->subject));
    if (judgement->message.length > 0) fprintf(stderr, "%.*s\n", RT_TEXT_ARG(judgement->message));
    return false;
}

/* Writes the program to memory while the detail is valid. Only sim's verdict counts; other subjects
 * provide their images, even if their run failed. */
static bool on_record(void *user, const cnf_record *record, const cnf_run_detail *detail)
{
    export_command *command = user;
    cnf_verdict verdict = record->judgement.verdict;
    bool is_sim = rt_text_is(record->subject, "sim");
    bool is_last = rt_text_is(record->subject, command->column);
    if ((is_sim && verdict != CNF_VERDICT_PASS) || !detail->scenario) return nothing_report(record);
    if (!is_last) return true;
    const cnf_messages *messages = is_sim ? detail->messages : detail->oracle;
    if (!messages) return nothing_report(record);
    cnf_exported exported;
    rt_status status = cnf_export(command->sink, &command->arena, command->api, detail->scenario,
                                  messages, detail->messages, &exported);
    if (!rt_ok(status)) {
        cnf_command_fail(command->sink, status, (rt_text){0});
        return true;
    }
    /* The code bytes belong to the run, so they are copied. */
    cnf_exported_file *files = rt_arena_alloc_array(&command->arena, exported.count, sizeof *files);
    for (uint32_t i = 0; i < exported.count; i++)
        files[i] = (cnf_exported_file){exported.files[i].name,
                                       rt_arena_bytes(&command->arena, exported.files[i].content)};
    command->exported = (cnf_exported){files, exported.count};
    command->status = CNF_EXIT_EXPECTED;
    return true;
}

static int files_write(export_command *command, const char *folder)
{
    int error = mkdir(folder, 0777) != 0 && errno != EEXIST ? errno : 0;
    const char *name = folder;
    CHECK(command->exported.count > 0);
    for (uint32_t i = 0; i < command->exported.count && error == 0; i++) {
        const cnf_exported_file *file = &command->exported.files[i];
        name = rt_arena_printf(&command->arena, "%s/%.*s", folder, RT_TEXT_ARG(file->name)).data;
        error =
            cnf_file_replace(name, (rt_text){(const char *)file->content.data, file->content.size});
    }
    if (error != 0) {
        fprintf(stderr, "assay: -o %s: %s\n", name, strerror(error));
        return CNF_EXIT_INFRASTRUCTURE;
    }
    printf("%s: %u files; make -C %s\n", folder, command->exported.count, folder);
    return CNF_EXIT_EXPECTED;
}

static int scenario_export(export_command *command, const cnf_arguments *arguments,
                           const cnf_file *file)
{
    cnf_run_options options;
    cnf_columns columns;
    if (!cnf_run_options_read(arguments, &options)) return CNF_EXIT_USAGE;
    bool chosen = cnf_columns_read(&command->arena, "", command->api->subjects, &columns);
    CHECK(chosen);
    CHECK(columns.count >= 1);
    options.subjects = columns.subjects;
    options.subject_count = columns.count;
    options.record = true; /* also records fused kernels, which are generated during the run */
    command->column = columns.subjects[columns.count - 1].name.data;
    command->status = CNF_EXIT_USAGE;
    if (cnf_run(&options, file, 1, on_record, command) == CNF_RUN_INTERRUPTED)
        return CNF_EXIT_INFRASTRUCTURE;
    if (command->status != CNF_EXIT_EXPECTED) return command->status;
    return files_write(command, arguments->values[CNF_OPTION_OUT]);
}

int cnf_export_command(const cnf_arguments *arguments)
{
    const cnf_export_api *api = api_find(arguments);
    if (!api) return CNF_EXIT_USAGE;
    if (!arguments->values[CNF_OPTION_OUT]) {
        fprintf(stderr, "assay: export needs a folder: assay export FILE --for API -o DIR\n");
        return CNF_EXIT_USAGE;
    }
    export_command command = {.sink = rt_sink_create(), .api = api};
    cnf_files files;
    int status = cnf_command_scenario(arguments, "export", &command.arena, &files);
    if (status == CNF_EXIT_EXPECTED) status = scenario_export(&command, arguments, &files.items[0]);
    rt_sink_destroy(command.sink);
    rt_arena_reset(&command.arena);
    return status;
}
