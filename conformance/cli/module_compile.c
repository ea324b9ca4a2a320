/* Compiles one module through the worker, as a run does. */
#include "conformance/cli/module_compile.h"

#include "conformance/cli/commands.h"

#include <stdio.h>

/* The name of a message's source: the path of its file; after the scenario's name, for code in the
 * scenario's text, in which lines are counted from the code's first line. */
static rt_text source_name(rt_arena *arena, const scn_scenario *scenario, const scn_module *module,
                           rt_text name)
{
    for (uint32_t i = 0; scenario && i < module->source_count; i++) {
        const scn_source *source = &module->sources[i];
        if (!rt_text_equal(source->name, name)) continue;
        if (source->file.length > 0) return scn_companion_path(arena, scenario, source->file);
        return rt_arena_printf(arena, "%.*s: %.*s", RT_TEXT_ARG(scenario->file), RT_TEXT_ARG(name));
    }
    return name;
}

static void message_print(rt_text source, const cnf_compile_message *message)
{
    static const char *const words[CNF_SEVERITIES] = {
        [CNF_SEVERITY_WARNING] = "warning",
        [CNF_SEVERITY_ERROR] = "error",
        [CNF_SEVERITY_NOTE] = "note",
    };
    fprintf(stderr, "%.*s:", RT_TEXT_ARG(source));
    if (message->line > 0) fprintf(stderr, "%u:", message->line);
    if (message->line > 0 && message->column > 0) fprintf(stderr, "%u:", message->column);
    fprintf(stderr, " %s: %.*s\n", words[message->severity], RT_TEXT_ARG(message->text));
}

int cnf_module_compile(rt_sink *sink, rt_arena *arena, cnf_cache *cache, const cnf_run_options *run,
                       const scn_scenario *scenario, const scn_module *module, bool run_reports,
                       rt_image_list *out_images, rt_device_global_list *out_globals)
{
    rt_buffer request = {0}, bytes = {0};
    cnf_compile_answer answer;
    cnf_compile_request_module(&request, module, run->profile, RT_FORMAT_SPIRV64, false);
    cnf_compile_call(cache, arena, rt_buffer_bytes(&request), run->timeout_ms, &bytes, &answer);
    /* A missing or crashed compiler is an infrastructure error. */
    bool is_ours = answer.code == RT_UNAVAILABLE || answer.code == RT_TOOL;
    bool is_refused = answer.code != RT_OK && !is_ours;
    bool prints = !is_refused || !run_reports;
    for (uint32_t i = 0; i < answer.message_count && prints; i++)
        message_print(source_name(arena, scenario, module, answer.messages[i].source),
                      &answer.messages[i]);
    int exit_status = CNF_EXIT_EXPECTED;
    if (answer.code != RT_OK) {
        /* The compiler's messages say where; the answer's names a source by its number. */
        bool is_explained = answer.code == RT_COMPILE_TIME && answer.message_count > 0;
        if (prints && !is_explained) fprintf(stderr, "assay: %.*s\n", RT_TEXT_ARG(answer.message));
        exit_status = is_ours ? CNF_EXIT_INFRASTRUCTURE : CNF_EXIT_UNEXPECTED;
    } else {
        /* The answer's bytes are freed below; the images are kept. */
        rt_bytes artefact = rt_arena_bytes(arena, answer.artefact);
        cnf_compile_artefact compiled;
        rt_status status = cnf_compile_artefact_read(sink, arena, artefact, &compiled);
        *out_images = compiled.images;
        *out_globals = compiled.globals;
        if (!rt_ok(status)) {
            cnf_command_fail(sink, status, (rt_text){0});
            exit_status = CNF_EXIT_INFRASTRUCTURE;
        }
    }
    rt_buffer_free(&request);
    rt_buffer_free(&bytes);
    return exit_status;
}
