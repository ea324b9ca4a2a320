/* From sources to bitcode, unoptimised, so that post-link still sees every function and call; and
 * from SPIR-V in text to the binary.
 *
 * The source goes in and the code comes out through pipes: no file has a path that could find its
 * way into an artefact.  A `#line` names OpenCL sources in messages and line information.  Programs
 * get an environment of their own, since several variables would change what clang does. */
#include "conformance/compile/front_end.h"

#include "conformance/compile/prelude.h"
#include "conformance/scenario/build_options.h"

#include <stddef.h>
#include <string.h>

enum { FRONT_END_TIMEOUT_MS = 60000 };

/* Of every OpenCL source, before the scenario's options.  -O1 without passes: functions are not
 * marked optnone.  A date in the source would make two compilations of it differ.  For -H see
 * form_of_include. */
#define CLANG_ARGUMENTS                                                                            \
    "-c", "-emit-llvm", "-target", "spir64", "-O1", "-Xclang", "-disable-llvm-passes",             \
        "-ffp-contract=off", "-gline-tables-only", "-fno-discard-value-names",                     \
        "-fdebug-compilation-dir=/source", "-fdebug-prefix-map=/source=", "-nostdlibinc",          \
        "-fno-crash-diagnostics", "-fno-caret-diagnostics", "-fno-color-diagnostics",              \
        "-fno-diagnostics-show-option", "-Werror=date-time", "-H"

/* The extension is known; a source that takes addresses of functions enables it by a pragma. */
static const char *const opencl_c_arguments[] = {"-x",
                                                 "cl",
                                                 "-cl-std=CL2.0",
                                                 "-Xclang",
                                                 "-cl-ext=+__cl_clang_function_pointers",
                                                 CLANG_ARGUMENTS,
                                                 NULL};

/* The driver's own -fno-rtti changes nothing: type information would import from a C++ library. */
static const char *const opencl_cpp_arguments[] = {"-x",
                                                   "clcpp",
                                                   "-cl-std=clc++2021",
                                                   "-Xclang",
                                                   "-fno-rtti",
                                                   "-Xclang",
                                                   "-cl-ext=+__cl_clang_function_pointers",
                                                   CLANG_ARGUMENTS,
                                                   NULL};

/* The version that post-link writes too.  Numbers of ids stay what the text says, so that findings
 * can be told by them. */
static const char *const spirv_as_arguments[] = {"--target-env", "spv1.2", "--preserve-numeric-ids",
                                                 NULL};

static const char *const output_arguments[] = {"-o", "-", "-", NULL};

static const char *const environment[] = {"PATH=/usr/bin:/bin", "LC_ALL=C", NULL};

typedef struct front_end {
    const char *program; /* its first argument */
    const char *package;
    size_t path; /* offset in cnf_toolchain */
    const char *const *arguments;
    bool is_clang; /* takes build options, prelude and #line */
    cnf_diagnostic_form *form;
} front_end;

#define CLANG   "clang-14", "clang-14", offsetof(cnf_toolchain, clang)
#define SPIRVAS "spirv-as", "spirv-tools", offsetof(cnf_toolchain, spirv_as)

static const front_end front_ends[SCN_LANGUAGE_COUNT] = {
    [SCN_LANGUAGE_OPENCL_C] = {CLANG, opencl_c_arguments, true, cnf_diagnostic_of_clang},
    [SCN_LANGUAGE_OPENCL_CPP] = {CLANG, opencl_cpp_arguments, true, cnf_diagnostic_of_clang},
    [SCN_LANGUAGE_SPIRV_ASM] = {SPIRVAS, spirv_as_arguments, false, cnf_diagnostic_of_spirv_as},
};

bool cnf_front_end_has(scn_language language)
{
    CHECK((unsigned)language < SCN_LANGUAGE_COUNT);
    return front_ends[language].program != NULL;
}

/* ---- Starting ------------------------------------------------------------------------------ */

typedef RT_VECTOR(const char *) argument_list;

static void add_arguments(argument_list *list, const char *const *arguments)
{
    for (size_t i = 0; arguments[i]; i++)
        *rt_vector_push(list) = arguments[i];
}

static argument_list make_arguments(rt_arena *arena, const front_end *tool, rt_text build_options)
{
    argument_list list = {0};
    *rt_vector_push(&list) = tool->program;
    add_arguments(&list, tool->arguments);
    rt_text option;
    while (tool->is_clang && scn_build_options_next(&build_options, &option))
        *rt_vector_push(&list) = rt_arena_text(arena, option).data;
    add_arguments(&list, output_arguments);
    *rt_vector_push(&list) = NULL;
    return list;
}

rt_status cnf_front_end_start(rt_sink *sink, rt_arena *arena, const cnf_toolchain *toolchain,
                              const cnf_request_source *source, rt_text build_options,
                              cnf_front_end_run *run)
{
    CHECK(cnf_front_end_has(source->language) && run->process.pid == 0);
    const front_end *tool = &front_ends[source->language];
    const char *path = (const char *)toolchain + tool->path;
    if (path[0] == '\0') {
        return rt_fail(sink, RT_UNAVAILABLE, RT_RULE_NONE,
                       "%s is not installed; apt-get install %s", tool->program, tool->package);
    }
    if (tool->is_clang) {
        cnf_prelude_unit(&run->input, source->language, source->name, source->code);
    } else {
        rt_buffer_append_text(&run->input, source->code);
    }
    argument_list arguments = make_arguments(arena, tool, build_options);
    int error = cnf_process_start(&run->process, path, arguments.items, environment,
                                  rt_buffer_bytes(&run->input));
    rt_vector_free(&arguments);
    if (!error) return RT_STATUS_OK;
    return rt_fail(sink, RT_UNAVAILABLE, RT_RULE_NONE, "%s cannot be started: %s", path,
                   strerrordesc_np(error));
}

/* ---- Files --------------------------------------------------------------------------------- */

/* What a request does not hold must not be in its artefact, so a source includes no file; -H lists
 * those that it does, as ". PATH". */
static bool form_of_include(rt_text line, rt_text source, cnf_compile_message *out_message)
{
    *out_message = (cnf_compile_message){.source = source, .severity = CNF_SEVERITY_ERROR};
    if (!rt_text_starts(line, ". ")) return false;
    out_message->text = RT_TEXT(
        "#include of a file; a scenario holds all of its code, so write it into the source");
    return true;
}

/* ---- The end of a run ---------------------------------------------------------------------- */

rt_status cnf_front_end_finish(rt_sink *sink, rt_arena *arena, const cnf_request_source *source,
                               cnf_front_end_run *run, cnf_message_list *messages)
{
    CHECK(run->process.pid > 0 && run->output.size == 0);
    const front_end *tool = &front_ends[source->language];
    cnf_process_result result =
        cnf_process_finish(&run->process, FRONT_END_TIMEOUT_MS, &run->output, &run->errors);
    uint32_t error_count = cnf_diagnostics_collect(arena, tool->form, source->name,
                                                   rt_buffer_text(&run->errors), messages);
    if (tool->is_clang) {
        error_count += cnf_diagnostics_collect(arena, form_of_include, source->name,
                                               rt_buffer_text(&run->errors), messages);
    }
    bool exited = result.end == CNF_PROCESS_EXITED;
    if (exited && result.code == 0 && error_count == 0 && run->output.size > 0) {
        return RT_STATUS_OK;
    }
    if (exited && error_count > 0) {
        return rt_fail(sink, RT_COMPILE_TIME, RT_RULE_NONE, "source %.*s does not compile: %u %s",
                       RT_TEXT_ARG(source->name), error_count,
                       error_count == 1 ? "error" : "errors");
    }
    rt_buffer how = {0};
    cnf_process_describe(&how, result, FRONT_END_TIMEOUT_MS);
    rt_status status =
        rt_fail(sink, RT_TOOL, RT_RULE_NONE, "%s on source %.*s %s\n%s", tool->program,
                RT_TEXT_ARG(source->name), rt_buffer_string(&how), rt_buffer_string(&run->errors));
    rt_buffer_free(&how);
    return status;
}

void cnf_front_end_free(cnf_front_end_run *run)
{
    if (run->process.pid > 0) {
        cnf_process_finish(&run->process, 0, &run->output, &run->errors);
    }
    rt_buffer_free(&run->input);
    rt_buffer_free(&run->output);
    rt_buffer_free(&run->errors);
}
