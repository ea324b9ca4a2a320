/* Builds a scenario's modules with the machine's C compiler, and the host halves of SYCL sources
 * with its C++ compiler.
 *
 * Modules may need each other in a cycle, so they are not linked with each other: each need is
 * linked as a stub, an empty library that has only the needed module's name. A built module is
 * cached by its sources, its command lines (without the folder) and the compilers, so repeating a
 * scenario starts no compiler. The object of a host half, which takes seconds to compile, is cached
 * by itself in the same way, and what many of them begin with, the headers of libsycl, is
 * precompiled (precompiled.c). */
#include "conformance/host/host_internal.h"

#include "conformance/build/toolchain.h"
#include "conformance/process/process.h"
#include "conformance/scenario/model/build_options.h"

#include "reference/base/lines.h"
#include "reference/base/vector.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    COMPILER_WORDS_MAX = 16,
    COMPILE_MS_MAX = 120000,
    ERROR_LINES = 5, /* number of lines at the end of the compiler's output that messages quote */
};

/* Module names do not start with a dot. */
#define STUBS   "/.stubs"
#define OBJECTS "/.objects"

typedef RT_VECTOR(const char *) word_list;

typedef struct host_compiler {
    const char *words[COMPILER_WORDS_MAX]; /* path, then the options in CC or CXX */
    uint32_t word_count;                   /* 0: not found yet */
    rt_text identity;
} host_compiler;

typedef struct host_build {
    rt_sink *sink;
    cnf_cache *cache;
    const scn_scenario *scenario;
    const cnf_host_runtime *runtime;
    rt_text folder;
    rt_arena arena;
    host_compiler c, cpp; /* cpp: found when the first host half needs it */
    const char *const *environment;
    bool *stubs; /* per module: its stub exists */
} host_build;

/* ---- The compiler -------------------------------------------------------------------------- */

typedef struct compiler_kind {
    const char *variable, *name, *language, *purpose, *install;
} compiler_kind;

static const compiler_kind c_kind = {"CC", "cc", "C", "the real loader needs one", "gcc libc6-dev"};
static const compiler_kind cpp_kind = {"CXX", "c++", "C++", "SYCL sources need one", "g++"};

static rt_status compiler_find(host_build *build, const compiler_kind *kind, host_compiler *out)
{
    const char *setting = getenv(kind->variable);
    if (!setting || setting[strspn(setting, " ")] == '\0') setting = kind->name;
    char *words = (char *)(uintptr_t)rt_arena_text(&build->arena, rt_text_of(setting)).data;
    char *state = NULL;
    for (char *word = strtok_r(words, " ", &state); word && out->word_count < COMPILER_WORDS_MAX;
         word = strtok_r(NULL, " ", &state))
        out->words[out->word_count++] = word;
    CHECK(out->word_count > 0);
    CHECK(out->word_count <= COMPILER_WORDS_MAX);
    /* The variable holds a path, or a name that is searched for in PATH. */
    const char *name = out->words[0];
    char path[PATH_MAX], real[PATH_MAX];
    bool is_found = strchr(name, '/') ? realpath(name, path) && access(path, X_OK) == 0
                                      : cnf_toolchain_find_program(path, name);
    if (!is_found) {
        return rt_fail(
            build->sink, RT_UNAVAILABLE, RT_RULE_NONE,
            "no %s compiler: '%s' does not exist, and %s to build the scenario's modules "
            "(apt-get install %s, or set %s)",
            kind->language, name, kind->purpose, kind->install, kind->variable);
    }
    out->words[0] = rt_arena_text(&build->arena, rt_text_of(path)).data;
    /* Identifies the compiler without running it: by the file that its path resolves to. */
    rt_buffer identity = {0};
    cnf_toolchain_identify_file(&identity, realpath(path, real) ? real : path);
    out->identity = rt_arena_text(&build->arena, rt_buffer_text(&identity));
    rt_buffer_free(&identity);
    return RT_STATUS_OK;
}

rt_status cnf_host_compiler_check(rt_sink *sink)
{
    host_build build = {.sink = sink};
    rt_status status = compiler_find(&build, &c_kind, &build.c);
    rt_arena_reset(&build.arena);
    return status;
}

/* ---- One run of the compiler --------------------------------------------------------------- */

/* Runs a command line, which begins with the compiler's own words; the compiler reads the source
 * from standard input. `refused`: the code if the compiler ends with an error; otherwise IO, also
 * if it takes longer than limit_ms. */
static rt_status compile(host_build *build, word_list *words, rt_bytes source, rt_text target,
                         rt_code refused, uint32_t limit_ms)
{
    rt_buffer output = {0}, errors = {0};
    cnf_process process;
    cnf_process_result result;
    CHECK(words->count > build->c.word_count);
    *rt_vector_push(words) = NULL;
    int error =
        cnf_process_start(&process, words->items[0], words->items, build->environment, source);
    if (error)
        result = (cnf_process_result){CNF_PROCESS_NOT_STARTED, error};
    else
        result = cnf_process_finish(&process, limit_ms, &output, &errors);
    rt_status status = RT_STATUS_OK;
    if (result.end != CNF_PROCESS_EXITED || result.code != 0) {
        /* Quotes only the last lines: of thousands, the first are rarely more helpful. */
        rt_text text = rt_lines_last(rt_buffer_text(&errors), ERROR_LINES);
        rt_buffer outcome = {0};
        cnf_process_describe(&outcome, result, limit_ms);
        status =
            rt_fail(build->sink, result.end == CNF_PROCESS_EXITED ? refused : RT_IO, RT_RULE_NONE,
                    "%s %s while it built %.*s%s%.*s", words->items[0], rt_buffer_string(&outcome),
                    RT_TEXT_ARG(target), text.length > 0 ? ":\n" : "", RT_TEXT_ARG(text));
        rt_buffer_free(&outcome);
    }
    rt_buffer_free(&output);
    rt_buffer_free(&errors);
    return status;
}

static void words_begin(const host_compiler *compiler, word_list *words)
{
    for (uint32_t i = 0; i < compiler->word_count; i++)
        *rt_vector_push(words) = compiler->words[i];
}

/* Appends the words of a NULL-terminated list, with each '%' replaced by the text. */
static void words_add(host_build *build, word_list *words, rt_text text, const char *const *list)
{
    for (; *list; list++) {
        rt_buffer word = {0};
        for (const char *at = *list; *at; at++) {
            if (*at == '%')
                rt_buffer_append_text(&word, text);
            else
                rt_buffer_append_byte(&word, *at);
        }
        *rt_vector_push(words) = rt_arena_text(&build->arena, rt_buffer_text(&word)).data;
        rt_buffer_free(&word);
    }
}

static rt_text path_in(host_build *build, const char *folder, rt_text name)
{
    return rt_arena_printf(&build->arena, "%.*s%s/%.*s", RT_TEXT_ARG(build->folder), folder,
                           RT_TEXT_ARG(name));
}

/* The folder of a path. */
static rt_text folder_of(rt_text path)
{
    size_t length = path.length;
    while (length > 0 && path.data[length - 1] != '/')
        length--;
    return (rt_text){path.data, length};
}

static rt_status folder_create(host_build *build, rt_text path)
{
    rt_text folder = rt_arena_text(&build->arena, folder_of(path));
    if (mkdir(folder.data, 0700) == 0 || errno == EEXIST) return RT_STATUS_OK;
    return rt_fail(build->sink, RT_IO, RT_RULE_NONE, "%s cannot be created: %s", folder.data,
                   strerror(errno));
}

/* ---- Built files --------------------------------------------------------------------------- */

static rt_status file_write(host_build *build, rt_text path, rt_bytes bytes)
{
    FILE *file = fopen(path.data, "wbx");
    bool written = file && fwrite(bytes.data, 1, bytes.size, file) == bytes.size;
    written = file && fchmod(fileno(file), 0700) == 0 && written;
    written = file && fclose(file) == 0 && written;
    if (written) return RT_STATUS_OK;
    return rt_fail(build->sink, RT_IO, RT_RULE_NONE, "%s cannot be written: %s", path.data,
                   strerror(errno));
}

/* Stores a built file in the cache; a failure is not an error. */
static void file_keep(host_build *build, rt_text path, rt_bytes request)
{
    rt_buffer built = {0};
    FILE *file = fopen(path.data, "rb");
    char block[65536];
    size_t size;
    while (file && (size = fread(block, 1, sizeof block, file)) > 0)
        rt_buffer_append(&built, block, size);
    bool read = file && !ferror(file);
    if (file) fclose(file);
    if (read && built.size > 0) cnf_cache_keep(build->cache, request, rt_buffer_bytes(&built));
    rt_buffer_free(&built);
}

/* ---- Stubs --------------------------------------------------------------------------------- */

/* Builds the stubs for the module's needs that do not exist yet. */
static rt_status stubs_build(host_build *build, const scn_module *module)
{
    RT_TRY(folder_create(build, path_in(build, STUBS, (rt_text){0})));
    for (uint32_t i = 0; i < module->need_count; i++) {
        uint32_t need = module->needs[i];
        CHECK(need < build->scenario->module_count);
        if (build->stubs[need]) continue;
        build->stubs[need] = true;
        rt_text name = cnf_host_file_name(&build->arena, build->scenario, need);
        word_list words = {0};
        words_begin(&build->c, &words);
        words_add(build, &words, name,
                  (const char *const[]){"-shared", "-nostdlib", "-Wl,-soname,%", "-o", NULL});
        words_add(build, &words, path_in(build, STUBS, name),
                  (const char *const[]){"%", "-xassembler", "/dev/null", NULL});
        rt_status status = compile(build, &words, (rt_bytes){0}, name, RT_IO, COMPILE_MS_MAX);
        rt_vector_free(&words);
        RT_TRY(status);
    }
    return RT_STATUS_OK;
}

/* ---- Host halves --------------------------------------------------------------------------- */

/* The number of the module's host halves that are compiled. */
static uint32_t half_count(const host_build *build, const scn_module *module)
{
    return build->runtime->headers.length > 0 ? module->host_half_count : 0;
}

/* The command line that compiles a host half, or with the language -xc++-header its opening,
 * without the output. The definitions and the version of C++ are those of the device code. Without
 * unique symbols, which clang does not make either, dlclose unloads modules. */
static void half_words(host_build *build, const scn_module *module, const char *language,
                       word_list *words)
{
    const bool makes_header = strcmp(language, "-xc++-header") == 0;
    /* Headers of libsycl 2025.0 include others relative to their own folder. */
    static const char *const fixed[] = {"-std=c++17", "-O0",    "-fPIC",    "-fno-gnu-unique",
                                        "-w",         "-c",     "-isystem", "%",
                                        "-isystem",   "%/sycl", NULL};
    words_begin(&build->cpp, words);
    words_add(build, words, build->runtime->headers, fixed);
    rt_text option, rest = module->build_options;
    while (scn_build_options_next(&rest, &option))
        if (rt_text_starts(option, "-D") || rt_text_starts(option, "-U") ||
            rt_text_starts(option, "-std="))
            *rt_vector_push(words) = rt_arena_text(&build->arena, option).data;
    /* GCC 12 rejects libsycl's constructor of a device_global with an initial value, which is
     * consteval and inherited, and clang 14 lacks such functions. As constexpr it does the same. */
    *rt_vector_push(words) = "-Dconsteval=constexpr";
    /* g++ makes no precompiled header of "-". */
    words_add(build, words, (rt_text){0},
              (const char *const[]){language, makes_header ? "/dev/stdin" : "-", "-o", NULL});
}

/* Writes what the result of a command line depends on besides its input. */
static void words_request(host_build *build, const char *title, const word_list *words,
                          rt_buffer *out)
{
    rt_buffer_printf(out, "%s\n%.*s", title, RT_TEXT_ARG(build->cpp.identity));
    for (const char *const *at = build->runtime->libraries; at && *at; at++)
        cnf_toolchain_identify_file(out, *at); /* which the headers belong to */
    for (uint32_t i = 0; i < words->count; i++)
        rt_buffer_printf(out, "%s\n", words->items[i]);
}

/* Writes what a host half's object depends on; its source comes last. */
static void half_request(host_build *build, const scn_module *module, const scn_host_half *half,
                         rt_buffer *out)
{
    word_list words = {0};
    half_words(build, module, "-xc++", &words);
    words_request(build, "host half", &words, out);
    cnf_host_write_half_opening(out, module, half);
    cnf_host_write_half(out, module, half);
    rt_vector_free(&words);
}

static rt_text half_path(host_build *build, uint32_t module, uint32_t half)
{
    rt_text name = rt_arena_printf(&build->arena, "%u.%u.o", module, half);
    return path_in(build, OBJECTS, name);
}

/* Finds the precompiled opening of a host half, or makes it if it is due. */
static cnf_precompiled half_precompiled(host_build *build, const scn_module *module,
                                        rt_bytes opening, bool *out_is_new)
{
    cnf_precompiled precompiled = {0};
    rt_buffer request = {0};
    word_list words = {0};
    *out_is_new = false;
    half_words(build, module, "-xc++-header", &words);
    words_request(build, "precompiled header", &words, &request);
    rt_buffer_append(&request, opening.data, opening.size);
    if (opening.size > 0)
        precompiled = cnf_precompiled_find(&build->arena, build->cache, rt_buffer_bytes(&request));
    if (precompiled.is_due && cnf_precompiled_begin(&build->arena, &precompiled)) {
        rt_sink *sink = build->sink;
        build->sink = rt_sink_create(); /* a failure is not one of the scenario */
        *rt_vector_push(&words) = precompiled.draft.data;
        rt_status made = compile(build, &words, opening, precompiled.header, RT_COMPILE_TIME,
                                 CNF_PRECOMPILED_MS_MAX);
        cnf_precompiled_end(&build->arena, &precompiled, made);
        *out_is_new = rt_ok(made);
        rt_sink_destroy(build->sink);
        build->sink = sink;
    }
    rt_vector_free(&words);
    rt_buffer_free(&request);
    return precompiled;
}

/* Compiles a host half whose object is not cached. */
static rt_status half_compile(host_build *build, const scn_module *module,
                              const scn_host_half *half, rt_text path)
{
    rt_text name = module->sources[half->source].name;
    rt_buffer opening = {0}, source = {0};
    word_list words = {0};
    cnf_host_write_half_opening(&opening, module, half);
    cnf_host_write_half(&source, module, half);
    bool is_new;
    cnf_precompiled precompiled =
        half_precompiled(build, module, rt_buffer_bytes(&opening), &is_new);
    bool is_compiled = false;
    if (precompiled.is_usable) {
        rt_sink *sink = build->sink;
        build->sink = rt_sink_create(); /* the compilation without it reports what is wrong */
        half_words(build, module, "-xc++", &words);
        *rt_vector_push(&words) = path.data;
        *rt_vector_push(&words) = "-include";
        *rt_vector_push(&words) = precompiled.header.data;
        is_compiled =
            rt_ok(compile(build, &words, rt_buffer_bytes(&source), name, RT_IO, COMPILE_MS_MAX));
        rt_sink_destroy(build->sink);
        build->sink = sink;
    }
    rt_status status = RT_STATUS_OK;
    if (!is_compiled) {
        words.count = 0;
        half_words(build, module, "-xc++", &words);
        *rt_vector_push(&words) = path.data;
        rt_buffer_append(&opening, source.data, source.size);
        status = compile(build, &words, rt_buffer_bytes(&opening), name, RT_COMPILE_TIME,
                         COMPILE_MS_MAX);
        if (rt_ok(status) && precompiled.is_usable) cnf_precompiled_distrust(&precompiled, is_new);
    }
    rt_vector_free(&words);
    rt_buffer_free(&source);
    rt_buffer_free(&opening);
    return status;
}

/* Compiles a host half, or takes its object from the cache. */
static rt_status half_build(host_build *build, uint32_t index, uint32_t number)
{
    const scn_module *module = &build->scenario->modules[index];
    const scn_host_half *half = &module->host_halves[number];
    rt_text path = half_path(build, index, number);
    RT_TRY(folder_create(build, path));
    rt_buffer request = {0}, cached = {0};
    half_request(build, module, half, &request);
    rt_status status;
    if (cnf_cache_find(build->cache, rt_buffer_bytes(&request), &cached)) {
        status = file_write(build, path, rt_buffer_bytes(&cached));
    } else {
        status = half_compile(build, module, half, path);
        if (rt_ok(status)) file_keep(build, path, rt_buffer_bytes(&request));
    }
    rt_buffer_free(&request);
    rt_buffer_free(&cached);
    return status;
}

/* ---- Modules ------------------------------------------------------------------------------- */

/* The command line that builds a module. With an empty folder, it identifies the cached artefact.
 */
static void module_words(host_build *build, uint32_t index, rt_text folder, word_list *words)
{
    static const char *const program[] = {"-O0", "-fPIE", "-pie", "-rdynamic", NULL};
    static const char *const library[] = {"-O0", "-fPIC", "-shared", NULL};
    static const char *const plain[] = {"%", NULL}, *const rpath[] = {"-Wl,-rpath,%", NULL};
    const scn_module *module = &build->scenario->modules[index];
    const cnf_host_runtime *runtime = build->runtime;
    rt_text name = cnf_host_file_name(&build->arena, build->scenario, index);
    rt_text path = cnf_host_path(&build->arena, build->scenario, index);
    const uint32_t halves = half_count(build, module);
    words_begin(halves > 0 ? &build->cpp : &build->c, words); /* g++ links C++'s library */
    words_add(build, words, name, index == 0 ? program : library);
    words_add(build, words, name,
              (const char *const[]){"-Wl,-soname,%", "-xc", "-", "-xnone", NULL});
    for (uint32_t i = 0; i < halves && folder.length > 0; i++)
        words_add(build, words, half_path(build, index, i), plain);
    words_add(build, words, name, (const char *const[]){"-o", NULL});
    words_add(build, words,
              rt_arena_printf(&build->arena, "%.*s/%.*s", RT_TEXT_ARG(folder), RT_TEXT_ARG(path)),
              (const char *const[]){"%", "-Wl,--no-as-needed", NULL});
    for (uint32_t i = 0; i < module->need_count; i++) {
        rt_text need = cnf_host_file_name(&build->arena, build->scenario, module->needs[i]);
        words_add(build, words,
                  rt_arena_printf(&build->arena, "%.*s" STUBS "/%.*s", RT_TEXT_ARG(folder),
                                  RT_TEXT_ARG(need)),
                  plain);
    }
    /* DT_RPATH, unlike DT_RUNPATH, precedes LD_LIBRARY_PATH and applies to LD_PRELOAD. */
    bool is_nested = !rt_text_equal(path, name);
    words_add(build, words, name,
              (const char *const[]){"-Wl,--disable-new-dtags",
                                    is_nested ? "-Wl,-rpath,$ORIGIN/.." : "-Wl,-rpath,$ORIGIN",
                                    "-Wl,--no-as-needed", NULL});
    /* The libraries that every module is linked with, even if it uses none of their symbols: a
     * module that registers images must not outlive the library that it registers them with. */
    words_add(build, words, runtime->library, plain);
    for (const char *const *at = runtime->libraries; at && *at; at++) {
        words_add(build, words, rt_text_of(*at), plain);
        words_add(build, words, folder_of(rt_text_of(*at)), rpath);
    }
}

/* ld.so finds needed and preloaded files by name, so a module in a separate folder can only be
 * opened with dlopen. */
static rt_status name_check(host_build *build, uint32_t module, rt_text user, const char *relation)
{
    CHECK(module < build->scenario->module_count);
    rt_text name = cnf_host_file_name(&build->arena, build->scenario, module);
    rt_text path = cnf_host_path(&build->arena, build->scenario, module);
    if (rt_text_equal(name, path)) return RT_STATUS_OK;
    return rt_fail(build->sink, RT_UNSUPPORTED, RT_RULE_NONE,
                   "%.*s %s the second of two files named %.*s, which ld.so would not find by that "
                   "name; load it, or use the simulated loader",
                   RT_TEXT_ARG(user), relation, RT_TEXT_ARG(name));
}

static rt_status module_build(host_build *build, uint32_t index)
{
    const scn_module *module = &build->scenario->modules[index];
    if (half_count(build, module) > 0 && build->cpp.word_count == 0)
        RT_TRY(compiler_find(build, &cpp_kind, &build->cpp));
    for (uint32_t i = 0; i < half_count(build, module); i++)
        RT_TRY(cnf_host_half_check(build->sink, module, &module->host_halves[i]));
    rt_text user = rt_arena_printf(&build->arena, "module '%.*s'", RT_TEXT_ARG(module->name));
    for (uint32_t i = 0; i < module->need_count; i++)
        RT_TRY(name_check(build, module->needs[i], user, "needs"));
    rt_text path = path_in(build, "", cnf_host_path(&build->arena, build->scenario, index));
    RT_TRY(folder_create(build, path));
    rt_buffer source = {0}, request = {0}, cached = {0};
    word_list words = {0};
    rt_status status =
        cnf_host_write_c(build->sink, &source, build->scenario, index, build->runtime->layout);
    if (rt_ok(status)) {
        module_words(build, index, (rt_text){0}, &words);
        rt_buffer_printf(&request, "host program\n%.*s", RT_TEXT_ARG(build->c.identity));
        for (uint32_t i = 0; i < words.count; i++)
            rt_buffer_printf(&request, "%s\n", words.items[i]);
        rt_buffer_append(&request, source.data, source.size);
        for (uint32_t i = 0; i < half_count(build, module); i++)
            half_request(build, module, &module->host_halves[i], &request);
    }
    bool is_cached =
        rt_ok(status) && cnf_cache_find(build->cache, rt_buffer_bytes(&request), &cached);
    if (is_cached) status = file_write(build, path, rt_buffer_bytes(&cached));
    if (rt_ok(status) && !is_cached) status = stubs_build(build, module);
    for (uint32_t i = 0; i < half_count(build, module) && rt_ok(status) && !is_cached; i++)
        status = half_build(build, index, i);
    if (rt_ok(status) && !is_cached) {
        words.count = 0;
        module_words(build, index, build->folder, &words);
        status =
            compile(build, &words, rt_buffer_bytes(&source), module->name, RT_IO, COMPILE_MS_MAX);
        if (rt_ok(status)) file_keep(build, path, rt_buffer_bytes(&request));
    }
    rt_vector_free(&words);
    rt_buffer_free(&source);
    rt_buffer_free(&request);
    rt_buffer_free(&cached);
    return status;
}

/* A module that defines a symbol of the C library would replace it in the whole program. */
static rt_status symbols_check(host_build *build, const scn_module *module)
{
    rt_status status = RT_STATUS_OK;
    void *library = dlopen("libc.so.6", RTLD_NOW | RTLD_LOCAL);
    for (uint32_t i = 0; library && rt_ok(status) && i < module->host_symbol_count; i++) {
        rt_text symbol = rt_arena_text(&build->arena, module->host_symbols[i]);
        if (!dlsym(library, symbol.data)) continue;
        status = rt_fail(build->sink, RT_UNSUPPORTED, RT_RULE_NONE,
                         "host symbol '%s' of module '%.*s' cannot exist in a real program: the C "
                         "library defines it; rename it, or use the simulated loader",
                         symbol.data, RT_TEXT_ARG(module->name));
    }
    if (library) dlclose(library);
    return status;
}

rt_status cnf_host_build(rt_sink *sink, cnf_cache *cache, const scn_scenario *scenario,
                         const cnf_host_runtime *runtime, rt_text folder)
{
    CHECK(scenario->module_count > 0 && folder.length > 0);
    host_build build = {
        .sink = sink, .cache = cache, .scenario = scenario, .runtime = runtime, .folder = folder};
    build.stubs = rt_arena_alloc_array(&build.arena, scenario->module_count, sizeof *build.stubs);
    /* The compiler's temporary files go into our folder, which is removed however the process ends.
     */
    const char *changes[] = {rt_arena_printf(&build.arena, "TMPDIR=%.*s", RT_TEXT_ARG(folder)).data,
                             "LC_ALL=C", "LD_PRELOAD=", "LD_LIBRARY_PATH=", NULL};
    build.environment = cnf_start_environment(&build.arena, changes);
    rt_status status = compiler_find(&build, &c_kind, &build.c);
    for (uint32_t i = 0; i < scenario->preloaded_count && rt_ok(status); i++)
        status = name_check(&build, scenario->preloaded[i], RT_TEXT("the process"), "preloads");
    for (uint32_t i = 0; i < scenario->module_count && rt_ok(status); i++) {
        status = symbols_check(&build, &scenario->modules[i]);
        if (rt_ok(status)) status = module_build(&build, i);
    }
    rt_arena_reset(&build.arena);
    return status;
}
