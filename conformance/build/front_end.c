/* Compiles OpenCL sources to unoptimised bitcode, so that post-link still sees every function and
 * call; SPIR-V assembly to binary SPIR-V; and SYCL to SYCLBIN, with the shipped compiler.
 *
 * Sources and compiled code pass through pipes, so no file has a path that could leak into an
 * artefact; `#line` names OpenCL sources in messages and line information. The programs run with a
 * fixed environment, because several environment variables would change what clang does.
 *
 * A compilation depends on its input, its arguments and one program, so its output is cached
 * separately from the module's images: a change to another source of the module, or to post-link,
 * does not cause it to be compiled again. With SYCL this saves some two seconds. */
#include "conformance/build/front_end.h"

#include "conformance/build/packages.h"
#include "conformance/build/prelude.h"
#include "conformance/scenario/model/build_options.h"
#include "reference/base/hash.h"
#include "reference/base/number.h"
#include "reference/base/stream.h"

#include <stddef.h>
#include <string.h>

enum { FRONT_END_TIMEOUT_MS = 60000 };

enum { CACHED_TAG = 0x46594341, CACHED_VERSION = 1 }; /* "ACYF" */

/* For every OpenCL source, before the scenario's options. -O1 without passes keeps functions from
 * being marked optnone. A date in the source would make two compilations differ. For -H see
 * form_of_include. */
#define CLANG_ARGUMENTS                                                                            \
    "-emit-llvm", "-O1", "-Xclang", "-disable-llvm-passes", "-ffp-contract=off",                   \
        "-gline-tables-only", "-fno-discard-value-names", "-fdebug-compilation-dir=/source",       \
        "-fdebug-prefix-map=/source=", "-nostdlibinc", "-fno-crash-diagnostics",                   \
        "-ferror-limit=0", "-fno-caret-diagnostics", "-fno-color-diagnostics",                     \
        "-fno-diagnostics-show-option", "-Werror=date-time", "-H"

/* The extension is declared; a source that takes addresses of functions enables it with a pragma.
 */
static const char *const opencl_c_arguments[] = {"-x",
                                                 "cl",
                                                 "-c",
                                                 "-cl-std=CL2.0",
                                                 "-Xclang",
                                                 "-cl-ext=+__cl_clang_function_pointers",
                                                 CLANG_ARGUMENTS,
                                                 NULL};

/* The driver's -fno-rtti does not help: type information would import symbols from a C++ library.
 * Without -mno-constructor-aliases, a destructor equal to its base's would become an alias or be
 * called with another type. The output is text, which can be patched (ir_repair.h). */
static const char *const opencl_cpp_arguments[] = {"-x",
                                                   "clcpp",
                                                   "-S",
                                                   "-cl-std=clc++2021",
                                                   "-Xclang",
                                                   "-fno-rtti",
                                                   "-Wno-unknown-assumption",
                                                   "-Xclang",
                                                   "-mno-constructor-aliases",
                                                   "-Xclang",
                                                   "-cl-ext=+__cl_clang_function_pointers",
                                                   CLANG_ARGUMENTS,
                                                   NULL};

/* For an OpenCL program, before its own options.  Without -cl-std, the newest version 1.x applies
 * (OpenCL 3.0 API, 5.8.6.5 "Options Controlling the OpenCL C Version"). */
static const char *const program_arguments[] = {"-x",
                                                "cl",
                                                "-c",
                                                "-cl-std=CL1.2",
                                                "-emit-llvm",
                                                "-O1",
                                                "-Xclang",
                                                "-disable-llvm-passes",
                                                "-ffp-contract=off",
                                                "-gline-tables-only",
                                                "-fno-discard-value-names",
                                                "-fdebug-compilation-dir=/source",
                                                "-fdebug-prefix-map=/source=",
                                                "-nostdlibinc",
                                                "-fno-crash-diagnostics",
                                                "-fno-caret-diagnostics",
                                                "-fno-color-diagnostics",
                                                "-fno-diagnostics-show-option",
                                                "-H",
                                                NULL};

/* Clang enables few of OpenCL's extensions for nvptx64, and its header defines the macros of those
 * about sub-groups for spir64 only; if the device really lacks one, post-link reports it at the
 * use. The processor version is the back end's concern. */
static const char *const spir64_arguments[] = {"-target", "spir64", NULL};
static const char *const nvptx64_arguments[] = {"-target",
                                                "nvptx64-nvidia-cuda",
                                                "-Xclang",
                                                "-cl-ext=+all",
                                                "-Dcl_khr_subgroup_non_uniform_vote=1",
                                                "-Dcl_khr_subgroup_ballot=1",
                                                "-Dcl_khr_subgroup_non_uniform_arithmetic=1",
                                                "-Dcl_khr_subgroup_shuffle=1",
                                                "-Dcl_khr_subgroup_shuffle_relative=1",
                                                "-Dcl_khr_subgroup_clustered_reduce=1",
                                                NULL};

/* The same SPIR-V version as post-link writes. Ids keep the numbers that they have in the text, so
 * that findings can refer to them. */
static const char *const spirv_as_arguments[] = {"--target-env", "spv1.2", "--preserve-numeric-ids",
                                                 NULL};

/* For every SYCL source. Functions that are only declared are imported at run time; -H as for
 * OpenCL. The module chooses the split (split_arguments); the source's name distinguishes
 * translation units (make_arguments). */
static const char *const sycl_arguments[] = {"-fsycl-allow-device-image-dependencies",
                                             "-ffp-contract=off", "-H", NULL};

static const char *const split_arguments[RT_SPLIT_COUNT] = {
#define SPLIT_ARGUMENT(split, name) [RT_SPLIT_##split] = "-fsycl-device-code-split=" name,
    RT_SPLITS(SPLIT_ARGUMENT)
#undef SPLIT_ARGUMENT
};

static const char *const output_arguments[] = {"-o", "-", "-", NULL};

/* The environment variables that every program gets. */
#define ENVIRONMENT "PATH=/usr/bin:/bin", "LC_ALL=C"

static const char *const *plain_environment(rt_arena *arena)
{
    static const char *const variables[] = {ENVIRONMENT, NULL};
    (void)arena;
    return variables;
}

/* libsycl compiles for a device: here Intel's CPU runtime in the same folder, and no other. The
 * OpenCL loader obeys whichever OCL_ICD variable it knows. LD_LIBRARY_PATH lets libsycl find the
 * loader, and the CPU runtime find its own libraries. */
static const char *const *sycl_environment(rt_arena *arena)
{
    rt_text folder = cnf_packages_folder(arena);
    const char *const variables[] = {
        ENVIRONMENT,
        "ONEAPI_DEVICE_SELECTOR=opencl:cpu",
        "SYCL_CACHE_PERSISTENT=0",
        rt_arena_printf(arena, "LD_LIBRARY_PATH=%.*s/lib", RT_TEXT_ARG(folder)).data,
        rt_arena_printf(arena, "OCL_ICD_FILENAMES=%.*s/lib/libintelocl.so", RT_TEXT_ARG(folder))
            .data,
        rt_arena_printf(arena, "OCL_ICD_VENDORS=%.*s/lib/libintelocl.so", RT_TEXT_ARG(folder)).data,
        NULL,
    };
    const char **list = rt_arena_alloc(arena, sizeof variables);
    memcpy(list, variables, sizeof variables);
    return list;
}

typedef struct front_end {
    const char *program;    /* its first argument */
    const char *install;    /* the command that installs it */
    const char *capability; /* capability of machines where it is installed; NULL: every machine
                             * that compiles needs it */
    size_t path;            /* offset in cnf_toolchain */
    void (*identify)(const cnf_toolchain *toolchain, rt_buffer *out);
    const char *const *arguments;
    const char *const *ends; /* trailing arguments; NULL: none */
    const char *const *(*environment)(rt_arena *arena);
    bool is_opencl; /* gets the prelude and #line */
    bool is_sycl;   /* gets the split and the unit's prefix as options */
    bool takes_build_options;
    cnf_diagnostic_form *form;
    cnf_diagnostic_form *form_of_include; /* reports a file that is not part of the scenario as an
                                           * error; NULL: its sources cannot include files */
} front_end;

static bool form_of_include(rt_text line, rt_text source, cnf_compile_message *out_message);
static bool form_of_sycl_include(rt_text line, rt_text source, cnf_compile_message *out_message);

#define OPENCL                                                                                     \
    .program = CNF_CLANG_NAME, .install = "apt-get install " CNF_CLANG_NAME,                       \
    .path = offsetof(cnf_toolchain, clang), .identify = cnf_toolchain_identify_clang,              \
    .ends = output_arguments, .environment = plain_environment, .is_opencl = true,                 \
    .takes_build_options = true, .form = cnf_diagnostic_clang, .form_of_include = form_of_include

static const front_end front_ends[SCN_LANGUAGE_COUNT] = {
    [SCN_LANGUAGE_OPENCL_C] = {OPENCL, .arguments = opencl_c_arguments},
    [SCN_LANGUAGE_OPENCL_CPP] = {OPENCL, .arguments = opencl_cpp_arguments},
    [SCN_LANGUAGE_SPIRV_ASM] = {.program = "spirv-as",
                                .install = "apt-get install spirv-tools",
                                .path = offsetof(cnf_toolchain, spirv_as),
                                .identify = cnf_toolchain_identify_spirv_as,
                                .arguments = spirv_as_arguments,
                                .ends = output_arguments,
                                .environment = plain_environment,
                                .form = cnf_diagnostic_spirv_as},
    [SCN_LANGUAGE_SYCL] = {.program = "assay-sycl-compiler",
                           .install = "ci/setup --with dpcpp",
                           .capability = "sycl-compiler",
                           .path = offsetof(cnf_toolchain, sycl),
                           .identify = cnf_toolchain_identify_sycl,
                           .arguments = sycl_arguments,
                           .environment = sycl_environment,
                           .is_sycl = true,
                           .takes_build_options = true,
                           .form = cnf_diagnostic_sycl,
                           .form_of_include = form_of_sycl_include},
};

static const front_end program_front_end = {OPENCL, .arguments = program_arguments};

bool cnf_front_end_exists(scn_language language)
{
    CHECK((unsigned)language < SCN_LANGUAGE_COUNT);
    return front_ends[language].program != NULL;
}

bool cnf_front_end_makes_ptx(scn_language language)
{
    CHECK((unsigned)language < SCN_LANGUAGE_COUNT);
    return front_ends[language].is_opencl;
}

/* ---- Arguments ----------------------------------------------------------------------------- */

typedef RT_VECTOR(const char *) argument_list;

static void add_arguments(argument_list *list, const char *const *arguments)
{
    for (size_t i = 0; arguments[i]; i++)
        *rt_vector_push(list) = arguments[i];
}

static argument_list make_arguments(rt_arena *arena, const front_end *tool, rt_text source_name,
                                    const cnf_front_end_options *options)
{
    argument_list list = {0};
    *rt_vector_push(&list) = tool->program;
    if (tool->is_opencl) add_arguments(&list, options->ptx ? nvptx64_arguments : spir64_arguments);
    add_arguments(&list, tool->arguments);
    if (tool->is_sycl) {
        *rt_vector_push(&list) = split_arguments[options->split];
        *rt_vector_push(&list) = "-Xclang";
        /* The driver of DPC++ derives a prefix from each translation unit's path; the ids of
         * variables with internal linkage begin with it (DeviceGlobal.md, sycl-unique-id).
         * libsycl-jit omits it, since it compiles one unit at a time. Here the unit is identified
         * by the source's name. */
        uint64_t hash = rt_hash64(source_name.data, source_name.length);
        *rt_vector_push(&list) =
            rt_arena_printf(arena, "-fsycl-unique-prefix=uid%016llx", (unsigned long long)hash)
                .data;
    }
    for (uint32_t i = 0; options->program_options && i < options->program_option_count; i++)
        *rt_vector_push(&list) = rt_arena_text(arena, options->program_options[i]).data;
    rt_text option, rest = options->build_options;
    while (tool->takes_build_options && scn_build_options_next(&rest, &option))
        *rt_vector_push(&list) = rt_arena_text(arena, option).data;
    if (options->headers.length > 0)
        *rt_vector_push(&list) =
            rt_arena_printf(arena, "-I%.*s", RT_TEXT_ARG(options->headers)).data;
    if (tool->ends) add_arguments(&list, tool->ends);
    *rt_vector_push(&list) = NULL;
    return list;
}

/* ---- The cache ----------------------------------------------------------------------------- */

static void request_write(rt_buffer *out, const argument_list *arguments, rt_bytes input)
{
    rt_write_u32(out, CACHED_TAG);
    rt_write_u32(out, CACHED_VERSION);
    for (size_t i = 0; arguments->items[i]; i++)
        rt_write_text(out, rt_text_of(arguments->items[i]));
    rt_write_bytes(out, input);
}

static bool find_cached(cnf_cache *cache, cnf_front_end_run *run)
{
    CHECK(!run->is_cached && run->request.size > 0);
    rt_buffer entry = {0};
    if (cache && run->tool.size > 0 &&
        cnf_cache_tool_find(cache, rt_buffer_text(&run->tool), rt_buffer_bytes(&run->request),
                            &entry)) {
        rt_reader reader = rt_reader_of(rt_buffer_bytes(&entry));
        rt_text errors = rt_read_text(&reader);
        rt_bytes output = rt_read_bytes(&reader);
        run->is_cached = rt_reader_finished(&reader) && output.size > 0;
        if (run->is_cached) {
            rt_buffer_append_text(&run->errors, errors);
            rt_buffer_append(&run->output, output.data, output.size);
        }
    }
    rt_buffer_free(&entry);
    return run->is_cached;
}

void cnf_front_end_keep(cnf_cache *cache, const cnf_front_end_run *run)
{
    CHECK(run->output.size > 0 && run->process.pid == 0);
    if (run->is_cached || run->tool.size == 0) return;
    rt_buffer messages = {0}, entry = {0};
    /* Leaves out the list of headers (-H), which has already been checked. */
    for (rt_text rest = rt_buffer_text(&run->errors); rest.length > 0;) {
        const char *end = memchr(rest.data, '\n', rest.length);
        size_t length = end ? (size_t)(end - rest.data) + 1 : rest.length;
        if (rest.data[0] != '.') rt_buffer_append(&messages, rest.data, length);
        rest = (rt_text){rest.data + length, rest.length - length};
    }
    rt_write_text(&entry, rt_buffer_text(&messages));
    rt_write_bytes(&entry, rt_buffer_bytes(&run->output));
    cnf_cache_tool_keep(cache, rt_buffer_text(&run->tool), rt_buffer_bytes(&run->request),
                        rt_buffer_bytes(&entry));
    rt_buffer_free(&entry);
    rt_buffer_free(&messages);
}

/* ---- The start of a run -------------------------------------------------------------------- */

rt_status cnf_front_end_start(rt_sink *sink, rt_arena *arena, cnf_cache *cache,
                              const cnf_toolchain *toolchain, const cnf_request_source *source,
                              const cnf_front_end_options *options, cnf_front_end_run *run)
{
    CHECK((unsigned)options->split < RT_SPLIT_COUNT);
    CHECK(cnf_front_end_exists(source->language) && run->process.pid == 0);
    CHECK_IMPLIES(options->ptx, cnf_front_end_makes_ptx(source->language));
    run->is_program = options->program_options != NULL;
    CHECK_IMPLIES(run->is_program, source->language == SCN_LANGUAGE_OPENCL_C && !cache);
    run->has_headers = options->headers.length > 0;
    CHECK_IMPLIES(run->has_headers, source->language == SCN_LANGUAGE_SYCL && !cache);
    const front_end *tool = run->is_program ? &program_front_end : &front_ends[source->language];
    const char *path = (const char *)toolchain + tool->path;
    if (path[0] == '\0') {
        rt_text capability = rt_text_of(tool->capability);
        return rt_fail_naming(sink, RT_UNAVAILABLE, RT_RULE_NONE, &capability,
                              capability.length > 0, "%s is not installed; %s", tool->program,
                              tool->install);
    }
    if (run->is_program) {
        rt_buffer_printf(&run->input, "#line 1 \"%.*s\"\n", RT_TEXT_ARG(source->name));
        rt_buffer_append_text(&run->input, source->code);
    } else if (tool->is_opencl) {
        cnf_prelude_unit(&run->input, source->language, source->name, source->code);
    } else {
        rt_buffer_append_text(&run->input, source->code);
    }
    argument_list arguments = make_arguments(arena, tool, source->name, options);
    tool->identify(toolchain, &run->tool);
    request_write(&run->request, &arguments, rt_buffer_bytes(&run->input));
    int error = 0;
    if (!find_cached(cache, run))
        error = cnf_process_start(&run->process, path, arguments.items, tool->environment(arena),
                                  rt_buffer_bytes(&run->input));
    rt_vector_free(&arguments);
    if (!error) return RT_STATUS_OK;
    return rt_fail(sink, RT_UNAVAILABLE, RT_RULE_NONE, "%s cannot be started: %s", path,
                   strerrordesc_np(error));
}

/* ---- Files --------------------------------------------------------------------------------- */

/* An artefact may depend only on its request, so a source must not include files; -H lists the
 * files that it includes, as ". PATH". */
static bool form_of_include(rt_text line, rt_text source, cnf_compile_message *out_message)
{
    *out_message = (cnf_compile_message){.source = source, .severity = CNF_SEVERITY_ERROR};
    if (!rt_text_starts(line, ". ")) return false;
    out_message->text = RT_TEXT(
        "#include of a file; a scenario holds all of its code, so write it into the source");
    return true;
}

/* Headers of the compiler and of the host's C and C++ libraries count as part of the compiler. */
static bool form_of_sycl_include(rt_text line, rt_text source, cnf_compile_message *out_message)
{
    static const char *const known[] = {". /sycl-jit-toolchain/", ". /usr/include/", ". /usr/lib/"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (rt_text_starts(line, known[i])) return false;
    return form_of_include(line, source, out_message);
}

/* ---- The end of a run ---------------------------------------------------------------------- */

/* Waits for a run and collects its messages; `include_form` as front_end.form_of_include. */
static rt_status run_finish(rt_sink *sink, rt_arena *arena, const cnf_request_source *source,
                            cnf_front_end_run *run, cnf_diagnostic_form *include_form,
                            cnf_message_list *messages)
{
    CHECK((run->process.pid > 0) == (run->output.size == 0));
    CHECK_IMPLIES(run->is_cached, run->process.pid == 0);
    const front_end *tool = &front_ends[source->language];
    cnf_process_result result = {CNF_PROCESS_EXITED, 0};
    if (!run->is_cached)
        result =
            cnf_process_finish(&run->process, FRONT_END_TIMEOUT_MS, &run->output, &run->errors);
    uint32_t error_count = cnf_diagnostics_collect(arena, tool->form, source->name,
                                                   rt_buffer_text(&run->errors), messages);
    if (include_form) {
        error_count += cnf_diagnostics_collect(arena, include_form, source->name,
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
    rt_buffer ending = {0};
    cnf_process_describe(&ending, result, FRONT_END_TIMEOUT_MS);
    rt_status status = rt_fail(sink, RT_TOOL, RT_RULE_NONE, "%s on source %.*s %s\n%s",
                               tool->program, RT_TEXT_ARG(source->name), rt_buffer_string(&ending),
                               rt_buffer_string(&run->errors));
    rt_buffer_free(&ending);
    return status;
}

rt_status cnf_front_end_finish(rt_sink *sink, rt_arena *arena, const cnf_request_source *source,
                               cnf_front_end_run *run, cnf_message_list *messages)
{
    bool may_include = run->is_program || run->has_headers;
    return run_finish(sink, arena, source, run,
                      may_include ? NULL : front_ends[source->language].form_of_include, messages);
}

bool cnf_front_end_includes_files(const cnf_front_end_run *run)
{
    rt_text rest = rt_buffer_text(&run->errors);
    while (rest.length > 0)
        if (rt_text_starts(rt_text_take_until(&rest, '\n'), ". ")) return true;
    return false;
}

/* ---- Includes ------------------------------------------------------------------------------- */

/* Appends a line marker of clang's, `# LINE "FILE" FLAGS`, without its flags, which would count as
 * an include (form_of_include). The file "<stdin>" is the source, whose lines `skipped` lines of
 * the prelude precede. False: not such a marker. */
static bool marker_append(rt_buffer *out, rt_text line, rt_text name, uint32_t skipped)
{
    uint64_t number;
    rt_text rest = line;
    if (!rt_text_take_prefix(&rest, "# ") || !rt_number_take(&rest, 10, UINT32_MAX, &number) ||
        !rt_text_take_prefix(&rest, " \""))
        return false;
    rt_text file = rt_text_take_until(&rest, '"');
    bool is_source = rt_text_is(file, "<stdin>");
    if (is_source && number <= skipped) return false;
    if (is_source) file = name;
    rt_text_take_prefix(&file, "./");
    rt_buffer_printf(out, "# %u \"%.*s\"\n", (uint32_t)number - (is_source ? skipped : 0),
                     RT_TEXT_ARG(file));
    return true;
}

/* Cuts off what precedes the source in clang's output, and names it in the markers. */
static rt_text expansion_take(rt_arena *arena, rt_text output, rt_text name, rt_text unit,
                              rt_text code)
{
    rt_text marker = rt_arena_printf(arena, "#line 1 \"%.*s\"\n", RT_TEXT_ARG(name));
    const char *begin = memmem(output.data, output.length, marker.data, marker.length);
    if (!begin) return code;
    uint32_t skipped = 0;
    for (size_t i = 0; i < unit.length - code.length; i++)
        skipped += unit.data[i] == '\n';
    rt_buffer out = {0};
    rt_text rest = rt_text_skip(output, (size_t)(begin - output.data));
    while (rest.length > 0) {
        rt_text line = rt_text_take_until(&rest, '\n');
        if (marker_append(&out, line, name, skipped)) continue;
        rt_buffer_append_text(&out, line);
        rt_buffer_append_byte(&out, '\n');
    }
    rt_text expanded = rt_arena_text(arena, rt_buffer_text(&out));
    rt_buffer_free(&out);
    return expanded;
}

rt_status cnf_front_end_expand(rt_sink *sink, rt_arena *arena, const cnf_toolchain *toolchain,
                               const cnf_request_source *source, rt_text folder,
                               const char *const *options, rt_text *out_code,
                               cnf_message_list *messages)
{
    static const char *const expanding[] = {"-E", "-frewrite-includes",
                                            "-Wno-unused-command-line-argument", NULL};
    /* At the end of each directive; clang 19 begins the comment with the file's name. */
    static const char mark[] = "expanded by -frewrite-includes */";
    const front_end *tool = &front_ends[source->language];
    CHECK(tool->is_opencl);
    *out_code = source->code;
    const char *path = (const char *)toolchain + tool->path;
    if (path[0] == '\0')
        return rt_fail(sink, RT_UNAVAILABLE, RT_RULE_NONE, "%s is not installed; %s", tool->program,
                       tool->install);
    cnf_front_end_run run = {0};
    cnf_prelude_unit(&run.input, source->language, source->name, source->code);
    argument_list list = {0};
    *rt_vector_push(&list) = tool->program;
    add_arguments(&list, spir64_arguments);
    add_arguments(&list, tool->arguments);
    *rt_vector_push(&list) = "-iquote";
    *rt_vector_push(&list) = rt_arena_text(arena, folder).data;
    add_arguments(&list, options);
    add_arguments(&list, expanding);
    add_arguments(&list, output_arguments);
    *rt_vector_push(&list) = NULL;
    int error = cnf_process_start(&run.process, path, list.items, tool->environment(arena),
                                  rt_buffer_bytes(&run.input));
    rt_vector_free(&list);
    rt_status status = error ? rt_fail(sink, RT_UNAVAILABLE, RT_RULE_NONE,
                                       "%s cannot be started: %s", path, strerrordesc_np(error))
                             : run_finish(sink, arena, source, &run, NULL, messages);
    for (uint32_t i = 0; i < messages->count; i++) /* as in the expanded code's line markers */
        rt_text_take_prefix(&messages->items[i].source, "./");
    rt_text output = rt_buffer_text(&run.output);
    if (rt_ok(status) && memmem(output.data, output.length, mark, strlen(mark)))
        *out_code =
            expansion_take(arena, output, source->name, rt_buffer_text(&run.input), source->code);
    cnf_front_end_free(&run);
    return status;
}

/* ---- Freeing ------------------------------------------------------------------------------- */

void cnf_front_end_free(cnf_front_end_run *run)
{
    if (run->process.pid > 0) {
        cnf_process_finish(&run->process, 0, &run->output, &run->errors);
    }
    rt_buffer_free(&run->input);
    rt_buffer_free(&run->output);
    rt_buffer_free(&run->errors);
    rt_buffer_free(&run->tool);
    rt_buffer_free(&run->request);
}
