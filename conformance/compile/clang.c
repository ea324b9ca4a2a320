/* From OpenCL C to bitcode, unoptimised, so that post-link still sees every function and call.
 *
 * The source goes in and the bitcode comes out through pipes: no file has a path that could find
 * its way into an artefact.  A `#line` names the source in messages and line information.  clang
 * gets an environment of its own, since several variables would change what it does. */
#include "conformance/compile/clang.h"

#include "conformance/scenario/build_options.h"

#include <string.h>

enum { CLANG_TIMEOUT_MS = 60000 };

/* Before the scenario's options.  -O1 without passes: functions are not marked optnone.  A date in
 * the source would make two compilations of it differ. */
static const char *const leading_arguments[] = {
    "clang-14",
    "-x",
    "cl",
    "-c",
    "-emit-llvm",
    "-target",
    "spir64",
    "-O1",
    "-Xclang",
    "-disable-llvm-passes",
    "-ffp-contract=off",
    "-cl-std=CL2.0",
    "-gline-tables-only",
    "-fdebug-compilation-dir=/source",
    "-fdebug-prefix-map=/source=",
    "-nostdlibinc",
    "-fno-crash-diagnostics",
    "-fno-caret-diagnostics",
    "-fno-color-diagnostics",
    "-fno-diagnostics-show-option",
    "-Werror=date-time",
    "-DSYCL_EXTERNAL=",
};

static const char *const trailing_arguments[] = {"-o", "-", "-"};

static const char *const environment[] = {"PATH=/usr/bin:/bin", "LC_ALL=C", NULL};

enum {
    LEADING_COUNT = sizeof leading_arguments / sizeof *leading_arguments,
    TRAILING_COUNT = sizeof trailing_arguments / sizeof *trailing_arguments,
};

static const char *const *make_arguments(rt_arena *arena, rt_text build_options)
{
    rt_text rest = build_options, option;
    size_t count = 0;
    while (scn_build_options_next(&rest, &option))
        count++;
    size_t at = 0;
    const char **arguments =
        rt_arena_alloc_array(arena, LEADING_COUNT + count + TRAILING_COUNT + 1, sizeof *arguments);
    for (size_t i = 0; i < LEADING_COUNT; i++)
        arguments[at++] = leading_arguments[i];
    rest = build_options;
    while (scn_build_options_next(&rest, &option))
        arguments[at++] = rt_arena_text(arena, option).data;
    for (size_t i = 0; i < TRAILING_COUNT; i++)
        arguments[at++] = trailing_arguments[i];
    CHECK(at == LEADING_COUNT + count + TRAILING_COUNT && !arguments[at]);
    return arguments;
}

/* `#line 1 "name"`, then the code: clang's positions are then the source's own. */
static void write_input(rt_buffer *out, const cnf_request_source *source)
{
    CHECK(source->name.length > 0);
    rt_buffer_printf(out, "#line 1 \"");
    for (size_t i = 0; i < source->name.length; i++) {
        char c = source->name.data[i];
        if (c == '"' || c == '\\') rt_buffer_append_byte(out, '\\');
        rt_buffer_append_byte(out, c);
    }
    rt_buffer_printf(out, "\"\n");
    rt_buffer_append_text(out, source->code);
}

rt_status cnf_clang_start(rt_sink *sink, rt_arena *arena, const char *clang,
                          const cnf_request_source *source, rt_text build_options,
                          cnf_clang_run *run)
{
    CHECK(source->language == SCN_LANGUAGE_OPENCL_C);
    CHECK(clang[0] && run->process.pid == 0);
    write_input(&run->input, source);
    const char *const *arguments = make_arguments(arena, build_options);
    int error = cnf_process_start(&run->process, clang, arguments, environment,
                                  rt_buffer_bytes(&run->input));
    if (!error) return RT_STATUS_OK;
    return rt_fail(sink, RT_UNAVAILABLE, RT_RULE_NONE, "%s cannot be started: %s", clang,
                   strerrordesc_np(error));
}

/* ---- Diagnostics --------------------------------------------------------------------------- */

static uint32_t take_number(rt_text *rest)
{
    uint32_t value = 0;
    size_t at = 0;
    while (at < rest->length && rest->data[at] >= '0' && rest->data[at] <= '9' && at < 9)
        value = value * 10 + (uint32_t)(rest->data[at++] - '0');
    *rest = (rt_text){rest->data + at, rest->length - at};
    return value;
}

static bool take_prefix(rt_text *rest, const char *prefix)
{
    if (!rt_text_starts(*rest, prefix)) return false;
    size_t length = rt_text_of(prefix).length;
    *rest = (rt_text){rest->data + length, rest->length - length};
    return true;
}

static bool take_name(rt_text *rest, rt_text name)
{
    if (rest->length < name.length) return false;
    if (!rt_text_equal((rt_text){rest->data, name.length}, name)) return false;
    *rest = (rt_text){rest->data + name.length, rest->length - name.length};
    return true;
}

/* severity, as clang writes it */
static bool take_severity(rt_text *rest, cnf_severity *out_severity)
{
    static const struct {
        const char *text;
        cnf_severity severity;
    } rows[] = {
        {"error: ", CNF_SEVERITY_ERROR},
        {"fatal error: ", CNF_SEVERITY_ERROR},
        {"warning: ", CNF_SEVERITY_WARNING},
        {"note: ", CNF_SEVERITY_NOTE},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        *out_severity = rows[i].severity;
        if (take_prefix(rest, rows[i].text)) return true;
    }
    return false;
}

/* "name:line:column: severity: text"; a diagnostic about no place has neither name nor line. */
static bool parse_diagnostic(rt_text line, rt_text source, cnf_compile_message *out_message)
{
    *out_message = (cnf_compile_message){0};
    rt_text rest = line;
    if (take_name(&rest, source) && take_prefix(&rest, ":")) {
        out_message->source = source;
        out_message->line = take_number(&rest);
        if (take_prefix(&rest, ":")) out_message->column = take_number(&rest);
        take_prefix(&rest, ":");
        take_prefix(&rest, " ");
    } else {
        rest = line;
        take_prefix(&rest, "clang-14: ");
    }
    bool found = take_severity(&rest, &out_message->severity);
    out_message->text = rest;
    return found;
}

static uint32_t collect_messages(rt_arena *arena, const cnf_request_source *source, rt_text errors,
                                 cnf_message_list *messages)
{
    uint32_t error_count = 0;
    while (errors.length > 0) {
        const char *end = memchr(errors.data, '\n', errors.length);
        size_t length = end ? (size_t)(end - errors.data) : errors.length;
        rt_text line = {errors.data, length};
        size_t taken = end ? length + 1 : length;
        errors = (rt_text){errors.data + taken, errors.length - taken};
        cnf_compile_message message;
        if (!parse_diagnostic(line, source->name, &message)) continue;
        message.text = rt_arena_text(arena, message.text);
        error_count += message.severity == CNF_SEVERITY_ERROR;
        *rt_vector_push(messages) = message;
    }
    return error_count;
}

/* ---- The end of a run ---------------------------------------------------------------------- */

rt_status cnf_clang_finish(rt_sink *sink, rt_arena *arena, const cnf_request_source *source,
                           cnf_clang_run *run, cnf_message_list *messages)
{
    CHECK(run->process.pid > 0 && run->bitcode.size == 0);
    cnf_process_result result =
        cnf_process_finish(&run->process, CLANG_TIMEOUT_MS, &run->bitcode, &run->errors);
    uint32_t error_count = collect_messages(arena, source, rt_buffer_text(&run->errors), messages);
    bool exited = result.end == CNF_PROCESS_EXITED;
    if (exited && result.code == 0 && run->bitcode.size > 0) return RT_STATUS_OK;
    if (exited && error_count > 0) {
        return rt_fail(sink, RT_COMPILE_TIME, RT_RULE_NONE, "source %.*s does not compile: %u %s",
                       RT_TEXT_ARG(source->name), error_count,
                       error_count == 1 ? "error" : "errors");
    }
    rt_buffer how = {0};
    cnf_process_describe(&how, result, CLANG_TIMEOUT_MS);
    rt_status status =
        rt_fail(sink, RT_TOOL, RT_RULE_NONE, "clang on source %.*s %s\n%s",
                RT_TEXT_ARG(source->name), rt_buffer_string(&how), rt_buffer_string(&run->errors));
    rt_buffer_free(&how);
    return status;
}

void cnf_clang_free(cnf_clang_run *run)
{
    if (run->process.pid > 0) {
        cnf_process_finish(&run->process, 0, &run->bitcode, &run->errors);
    }
    rt_buffer_free(&run->input);
    rt_buffer_free(&run->bitcode);
    rt_buffer_free(&run->errors);
}
