/* assay capture: runs a program with the OpenCL layer beneath it, or reads dumps of the Intercept
 * Layer, and writes its launches as scenarios. */
#include "backends/opencl/layer/layer.h"
#include "conformance/build/front_end.h"
#include "conformance/cli/commands.h"
#include "conformance/cli/kernels.h"
#include "conformance/cli/program.h"
#include "conformance/cli/run_options.h"
#include "conformance/process/scratch.h"
#include "conformance/report/output.h"
#include "conformance/scenario/model/build_options.h"
#include "conformance/subject/layer.h"
#include "conformance/tools/capture/capture.h"
#include "conformance/verdict/scenario_text.h"
#include "reference/base/number.h"
#include "reference/base/vector.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LAUNCHES_DEFAULT  "0..99"
#define BYTES_MAX_DEFAULT (UINT64_C(256) << 20)

/* The kernels of a program, once they were needed. */
typedef struct program_outline {
    const cap_program *program;
    const cnf_spirv_outline *outline; /* NULL: it could not be compiled */
} program_outline;

typedef struct capture_command {
    const cnf_arguments *arguments;
    rt_sink *sink;
    rt_arena arena;
    cnf_run_options run;
    cnf_toolchain toolchain;
    const char *folder;             /* of the scenarios */
    rt_text scratch;                /* of what the layer writes, in that folder; empty: none */
    cnf_scratch_keeper keeper;      /* of the scratch folder */
    const char *const *environment; /* of the program */
    uint64_t first, last, bytes_max, ulp;
    cap_recording recording;
    RT_VECTOR(program_outline) outlines;
    uint64_t skipped;      /* launches of a dump that the options do not choose */
    uint32_t source_count; /* in the scratch folder */
} capture_command;

/* ---- The program ---------------------------------------------------------------------------- */

static void environment_set(void *user)
{
    const capture_command *command = user;
    const char *kernel = command->arguments->values[CNF_OPTION_KERNEL];
    for (const char *const *entry = command->environment; *entry; entry++)
        putenv((char *)(uintptr_t)*entry);
    if (kernel)
        setenv(OCL_LAYER_CAPTURE_KERNEL, kernel, 1);
    else
        unsetenv(OCL_LAYER_CAPTURE_KERNEL);
    if (command->arguments->values[CNF_OPTION_WINDOW])
        setenv(OCL_LAYER_CAPTURE_STORES, "1", 1);
    else
        unsetenv(OCL_LAYER_CAPTURE_STORES);
}

/* Creates the folder of the scenarios, and in it one for files that are needed until the end. */
static int folders_make(capture_command *command)
{
    char folder[PATH_MAX];
    if ((mkdir(command->folder, 0777) != 0 && errno != EEXIST) ||
        !realpath(command->folder, folder)) {
        fprintf(stderr, "assay: -o %s: the folder cannot be created: %s\n", command->folder,
                strerror(errno));
        return CNF_EXIT_INFRASTRUCTURE;
    }
    rt_text scratch = rt_arena_printf(&command->arena, "%s/.capture-XXXXXX", folder);
    if (!mkdtemp((char *)(uintptr_t)scratch.data)) {
        fprintf(stderr, "assay: -o %s: %s\n", command->folder, strerror(errno));
        return CNF_EXIT_INFRASTRUCTURE;
    }
    command->scratch = scratch;
    if (cnf_scratch_keep(scratch, &command->keeper)) return CNF_EXIT_EXPECTED;
    fprintf(stderr, "assay: a process cannot be started: %s\n", strerror(errno));
    cnf_scratch_remove(scratch);
    return CNF_EXIT_INFRASTRUCTURE;
}

/* Makes the program's environment. */
static int environment_make(capture_command *command)
{
    enum { LAYER = 3, OWN = 3 };
    rt_arena *arena = &command->arena;
    rt_text scratch = command->scratch;
    const char *const *layer =
        cnf_layer_environment(arena, rt_arena_printf(arena, "%.*s/calls", RT_TEXT_ARG(scratch)), 0);
    if (!layer) {
        fprintf(stderr, "assay: " OCL_LAYER_FILE " is missing; build the target "
                        "assay_opencl_layer\n");
        return CNF_EXIT_INFRASTRUCTURE;
    }
    const char **list = rt_arena_alloc_array(arena, LAYER + OWN + 1, sizeof *list);
    memcpy(list, layer, LAYER * sizeof *list);
    const rt_text own[OWN] = {
        rt_arena_printf(arena, OCL_LAYER_CAPTURE "=%.*s", RT_TEXT_ARG(scratch)),
        rt_arena_printf(arena, OCL_LAYER_CAPTURE_LAUNCHES "=%" PRIu64 "..%" PRIu64, command->first,
                        command->last),
        rt_arena_printf(arena, OCL_LAYER_CAPTURE_BYTES "=%" PRIu64, command->bytes_max),
    };
    for (int i = 0; i < OWN; i++)
        list[LAYER + i] = own[i].data;
    list[LAYER + OWN] = NULL;
    command->environment = list;
    return CNF_EXIT_EXPECTED;
}

/* Runs the program and reads what the layer recorded; *out_exit is the program's exit status. */
static int program_capture(capture_command *command, int *out_exit)
{
    const cnf_arguments *arguments = command->arguments;
    int status = environment_make(command);
    if (status != CNF_EXIT_EXPECTED) return status;
    *out_exit = cnf_program_run(arguments, environment_set, command);
    rt_text log = rt_arena_printf(&command->arena, "%.*s/calls", RT_TEXT_ARG(command->scratch));
    rt_buffer content = {0};
    enum { LOGS_SIZE_MAX = 1 << 30 }; /* of all processes of the program */
    rt_status read = RT_STATUS_OK;
    if (access(log.data, F_OK) == 0)
        read = cnf_file_read(command->sink, log, LOGS_SIZE_MAX, &content);
    if (rt_ok(read))
        read = cap_recording_read(command->sink, &command->arena, rt_buffer_text(&content),
                                  command->scratch, &command->recording);
    rt_buffer_free(&content);
    if (!rt_ok(read)) {
        cnf_command_fail(command->sink, read, (rt_text){0});
        return CNF_EXIT_INFRASTRUCTURE;
    }
    const char *name = strrchr(arguments->paths[0].data, '/');
    command->recording.program = rt_text_of(name ? name + 1 : arguments->paths[0].data);
    return CNF_EXIT_EXPECTED;
}

/* Reads the dumps of the Intercept Layer. */
static int dumps_read(capture_command *command, const char *folder)
{
    rt_status status =
        cap_intercept_read(command->sink, &command->arena, rt_text_of(folder), &command->recording);
    if (rt_ok(status)) return CNF_EXIT_EXPECTED;
    fprintf(stderr, "%s%.*s\n", status.code == RT_MALFORMED ? "" : "assay: --intercept ",
            RT_TEXT_ARG(rt_sink_diagnostic(command->sink, status)->message));
    return CNF_EXIT_USAGE;
}

/* ---- Programs of the recording -------------------------------------------------------------- */

/* The options of the preprocessor for a program's sources, NULL-terminated, in the arena. */
static const char *const *preprocessor_options(capture_command *command, const cap_program *program)
{
    RT_VECTOR(const char *) options = {0};
    for (uint32_t i = 0; i < program->folder_count; i++) {
        *rt_vector_push(&options) = "-I";
        *rt_vector_push(&options) = program->folders[i].data;
    }
    rt_text rest = program->options, option;
    while (scn_build_options_next(&rest, &option))
        *rt_vector_push(&options) = rt_arena_text(&command->arena, option).data;
    *rt_vector_push(&options) = NULL;
    const char *const *list =
        rt_arena_copy(&command->arena, options.items, options.count, sizeof *options.items);
    rt_vector_free(&options);
    return list;
}

/* Expands the #include directives of code, if it has any. */
static rt_status includes_expand(capture_command *command, const cap_program *program,
                                 const cap_source *source, rt_text *inout_code)
{
    static const char word[] = "include";
    if (!memmem(inout_code->data, inout_code->length, word, strlen(word))) return RT_STATUS_OK;
    const cnf_request_source request = {source->language, source->file, *inout_code};
    cnf_message_list messages = {0};
    rt_text expanded;
    rt_status status = cnf_front_end_expand(
        command->sink, &command->arena, &command->toolchain, &request, RT_TEXT("."),
        preprocessor_options(command, program), &expanded, &messages);
    rt_vector_free(&messages);
    if (rt_ok(status)) *inout_code = expanded;
    return status;
}

/* Puts a source into the scratch folder: in OpenCL C without #include directives, and without the
 * NUL that ends it, which drivers return as a part of it. */
static rt_status source_prepare(capture_command *command, const cap_program *program,
                                cap_source *source)
{
    rt_buffer content = {0};
    RT_TRY(cnf_file_read(command->sink, source->file, RT_IMAGE_SIZE_MAX, &content));
    rt_text code = rt_buffer_text(&content);
    rt_status status = RT_STATUS_OK;
    bool is_text = source->language == SCN_LANGUAGE_OPENCL_C;
    while (is_text && code.length > 0 && code.data[code.length - 1] == '\0')
        code.length--;
    if (is_text) status = includes_expand(command, program, source, &code);
    rt_text name = rt_arena_printf(&command->arena, "%.*s/source_%u", RT_TEXT_ARG(command->scratch),
                                   command->source_count++);
    int error = cnf_file_replace(name.data, code);
    source->file = name;
    rt_buffer_free(&content);
    if (!rt_ok(status) || error == 0) return status;
    return rt_fail(command->sink, RT_IO, RT_RULE_NONE, "%s: %s", name.data, strerror(error));
}

/* Compiles the sources of a program, as a run of its scenario does. */
static bool sources_outline(capture_command *command, const cap_program *program,
                            cnf_spirv_outline *out)
{
    rt_arena *arena = &command->arena;
    rt_buffer text = {0};
    rt_buffer_printf(&text, "assay: 1\nsummary: kernels\nmodules:\n  app:\n");
    if (program->options.length > 0) {
        rt_buffer_printf(&text, "    build_options: ");
        cnf_quoted_append(&text, program->options);
        rt_buffer_append_byte(&text, '\n');
    }
    rt_buffer_printf(&text, "    sources:\n");
    for (uint32_t i = 0; i < program->source_count; i++) {
        const cap_source *source = &program->sources[i];
        const char *name = strrchr(source->file.data, '/');
        rt_buffer_printf(
            &text, "      - language: %s\n        file: ", scn_language_name(source->language));
        cnf_quoted_append(&text, rt_text_of(name ? name + 1 : source->file.data));
        rt_buffer_append_byte(&text, '\n');
    }
    rt_buffer_printf(&text, "steps:\n  - expect: {launches: 0}\n");
    scn_problems problems;
    const scn_scenario *scenario =
        scn_read(arena, rt_arena_text(arena, rt_buffer_text(&text)), program->sources[0].file,
                 program->sources[0].file, &problems);
    if (!scenario) cnf_command_problems(stderr, program->sources[0].file, &problems);
    rt_buffer_free(&text);
    return scenario &&
           cnf_kernels_outline(arena, &command->run, scenario, false, out) == CNF_EXIT_EXPECTED;
}

/* cap_style.outline */
static const cnf_spirv_outline *program_kernels(void *user, const cap_program *program)
{
    capture_command *command = user;
    for (uint32_t i = 0; i < command->outlines.count; i++)
        if (command->outlines.items[i].program == program)
            return command->outlines.items[i].outline;
    for (uint32_t i = 0; i < program->source_count; i++) {
        rt_status status = source_prepare(command, program, &program->sources[i]);
        if (!rt_ok(status)) cnf_command_fail(command->sink, status, RT_TEXT("a program's source"));
    }
    cnf_spirv_outline *outline = rt_arena_alloc(&command->arena, sizeof *outline);
    *outline = (cnf_spirv_outline){0};
    bool is_known = program->source_count > 0 && sources_outline(command, program, outline);
    if (!is_known)
        fprintf(stderr, "assay: a program of the recording cannot be compiled here; its memory is "
                        "written as bytes\n");
    *rt_vector_push(&command->outlines) = (program_outline){program, is_known ? outline : NULL};
    return is_known ? outline : NULL;
}

/* ---- Scenarios ------------------------------------------------------------------------------ */

/* Launches that are no scenario for one reason. */
typedef struct capture_loss {
    rt_text reason;
    uint64_t first; /* launch */
    rt_text kernel;
    uint64_t count;
} capture_loss;

typedef RT_VECTOR(capture_loss) loss_list;

static void loss_add(loss_list *losses, rt_text reason, const cap_command *launch)
{
    for (uint32_t i = 0; i < losses->count; i++) {
        if (!rt_text_equal(losses->items[i].reason, reason)) continue;
        losses->items[i].count++;
        return;
    }
    *rt_vector_push(losses) = (capture_loss){reason, launch->number, launch->kernel, 1};
}

static void losses_print(const capture_command *command, const loss_list *losses)
{
    const cap_recording *recording = &command->recording;
    for (uint32_t i = 0; i < losses->count; i++) {
        const capture_loss *loss = &losses->items[i];
        fprintf(stderr, "assay: launch %" PRIu64 " of kernel '%.*s' is not captured: %.*s\n",
                loss->first, RT_TEXT_ARG(loss->kernel), RT_TEXT_ARG(loss->reason));
        if (loss->count > 1)
            fprintf(stderr, "assay: %" PRIu64 " more %s not captured for that reason\n",
                    loss->count - 1, loss->count == 2 ? "is" : "are");
    }
    uint64_t others = recording->seen - recording->captured + command->skipped;
    if (others > 0)
        fprintf(stderr,
                "assay: %" PRIu64 " other %s not chosen (--launches %" PRIu64 "..%" PRIu64 "%s)\n",
                others, others == 1 ? "launch was" : "launches were", command->first, command->last,
                command->arguments->values[CNF_OPTION_KERNEL] ? ", --kernel" : "");
    if (recording->is_full)
        fprintf(stderr, "assay: the log of the program's calls has reached its limit; later "
                        "launches are missing\n");
}

/* The number of commands from the first to the last launch before another. */
static uint32_t count_before(const cap_recording *recording, uint32_t first, uint32_t end)
{
    CHECK(first < end);
    while (recording->commands[end - 1].kind != CAP_LAUNCH)
        end--;
    return end - first;
}

/* Writes one scenario and prints its name. If a launch that is not the first cannot be in it, it
 * has only the commands before that launch, with which the next scenario then begins: *inout_count
 * is the number of commands in the end. */
static int scenario_write(capture_command *command, uint32_t first, uint32_t *inout_count,
                          loss_list *losses, uint32_t *inout_written)
{
    const cap_style style = {.folder = rt_text_of(command->folder),
                             .ulp = command->ulp,
                             .leaves_undefined =
                                 command->arguments->values[CNF_OPTION_UNDEFINED] != NULL,
                             .outline = program_kernels,
                             .user = command};
    rt_text name;
    uint32_t failed = first;
    const cap_recording *recording = &command->recording;
    rt_status status = cap_scenario_write(command->sink, &command->arena, recording, first,
                                          *inout_count, &style, &name, &failed);
    while (status.code == RT_UNSUPPORTED && failed > first) {
        *inout_count = count_before(recording, first, failed);
        status = cap_scenario_write(command->sink, &command->arena, recording, first, *inout_count,
                                    &style, &name, &failed);
    }
    if (rt_ok(status)) {
        printf("%.*s\n", RT_TEXT_ARG(name));
        (*inout_written)++;
        return CNF_EXIT_EXPECTED;
    }
    if (status.code == RT_UNSUPPORTED) {
        loss_add(losses, rt_sink_diagnostic(command->sink, status)->message,
                 &recording->commands[first]);
        *inout_count = 1;
        return CNF_EXIT_EXPECTED;
    }
    cnf_command_fail(command->sink, status, (rt_text){0});
    return CNF_EXIT_INFRASTRUCTURE;
}

/* True if the options choose this launch; the layer has captured no others. */
static bool launch_is_chosen(const capture_command *command, const cap_command *launch)
{
    const char *kernel = command->arguments->values[CNF_OPTION_KERNEL];
    return launch->number >= command->first && launch->number <= command->last &&
           (!kernel || rt_text_is(launch->kernel, kernel));
}

/* The number of commands of the window that begins with a launch: up to the last launch before one
 * that is of another process, not chosen, or cannot be captured. */
static uint32_t window_count(const capture_command *command, uint32_t first)
{
    const cap_recording *recording = &command->recording;
    const cap_command *begin = &recording->commands[first];
    uint32_t count = 1;
    for (uint32_t i = first; i < recording->command_count && begin->loss.length == 0; i++) {
        const cap_command *launch = &recording->commands[i];
        if (launch->process != begin->process) break;
        if (launch->kind != CAP_LAUNCH) continue;
        if (launch->loss.length > 0 || !launch_is_chosen(command, launch)) break;
        count = i - first + 1;
    }
    return count;
}

static int scenarios_write(capture_command *command)
{
    const cap_recording *recording = &command->recording;
    loss_list losses = {0};
    uint32_t written = 0;
    int status = CNF_EXIT_EXPECTED;
    uint32_t step = 1;
    for (uint32_t i = 0; i < recording->command_count && status == CNF_EXIT_EXPECTED; i += step) {
        const cap_command *launch = &recording->commands[i];
        step = 1;
        if (launch->kind != CAP_LAUNCH) continue;
        if (!launch_is_chosen(command, launch)) {
            command->skipped++;
            continue;
        }
        if (command->arguments->values[CNF_OPTION_WINDOW]) step = window_count(command, i);
        status = scenario_write(command, i, &step, &losses, &written);
    }
    losses_print(command, &losses);
    rt_vector_free(&losses);
    if (recording->processes == 0)
        fprintf(stderr, "assay: the program has loaded no OpenCL loader that takes layers (ocl-icd "
                        "2.3.0 or newer, or Khronos' of 2020 or newer)\n");
    fprintf(stderr, "assay: %u %s written into %s\n", written,
            written == 1 ? "scenario" : "scenarios", command->folder);
    if (status != CNF_EXIT_EXPECTED) return status;
    return written > 0 ? CNF_EXIT_EXPECTED : CNF_EXIT_NOTHING_RAN;
}

/* ---- The command ---------------------------------------------------------------------------- */

static bool launches_read(capture_command *command)
{
    const char *given = command->arguments->values[CNF_OPTION_LAUNCHES];
    bool is_dump = command->arguments->values[CNF_OPTION_INTERCEPT] != NULL;
    rt_text last = rt_text_of(given ? given : is_dump ? "0..4294967295" : LAUNCHES_DEFAULT);
    rt_text first = rt_text_take_until(&last, '.');
    if (rt_text_take_prefix(&last, ".") && rt_number_read(first, 0, UINT32_MAX, &command->first) &&
        rt_number_read(last, command->first, UINT32_MAX, &command->last))
        return true;
    fprintf(stderr,
            "assay: --launches %s: expected the first and the last launch, counted from 0, "
            "such as 0..99\n",
            given);
    return false;
}

static bool options_read(capture_command *command)
{
    const cnf_arguments *arguments = command->arguments;
    const char *intercept = arguments->values[CNF_OPTION_INTERCEPT];
    command->folder = arguments->values[CNF_OPTION_OUT];
    if (!command->folder) command->folder = "captured";
    if (!intercept == (arguments->path_count == 0)) {
        fprintf(stderr, "assay: capture needs a program, or --intercept DIR (assay capture "
                        "--help)\n");
        return false;
    }
    return launches_read(command) &&
           cnf_command_number(arguments, CNF_OPTION_BYTES_MAX, "--max-bytes", 1, UINT64_MAX,
                              BYTES_MAX_DEFAULT, &command->bytes_max) &&
           cnf_command_number(arguments, CNF_OPTION_ULP, "--ulp", 0, UINT32_MAX, 0,
                              &command->ulp) &&
           cnf_run_options_read(arguments, &command->run);
}

int cnf_capture_command(const cnf_arguments *arguments)
{
    capture_command command = {.arguments = arguments};
    int exit = CNF_EXIT_EXPECTED, status = CNF_EXIT_USAGE;
    if (!options_read(&command)) return status;
    command.sink = rt_sink_create();
    cnf_toolchain_find(&command.toolchain);
    const char *intercept = arguments->values[CNF_OPTION_INTERCEPT];
    status = folders_make(&command);
    if (status == CNF_EXIT_EXPECTED)
        status = intercept ? dumps_read(&command, intercept) : program_capture(&command, &exit);
    if (status == CNF_EXIT_EXPECTED) status = scenarios_write(&command);
    if (command.keeper.pid > 0) cnf_scratch_end(&command.keeper);
    rt_vector_free(&command.outlines);
    rt_arena_reset(&command.arena);
    rt_sink_destroy(command.sink);
    return exit != CNF_EXIT_EXPECTED ? exit : status;
}
