/* Building a scenario's modules with the machine's C compiler.
 *
 * Modules may need each other in a circle, so none is linked with another: each need is a stub
 * instead, a library without content that has only the other's name.  A built module is kept by its
 * source, its command and the compiler, without the folder that it was built in; scenarios that
 * were run before start no compiler. */
#include "conformance/host/host_internal.h"

#include "conformance/build/toolchain.h"
#include "conformance/process/process.h"

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
    ARGUMENTS_MAX = 48, /* not counting needs and libraries */
    COMPILE_MS_MAX = 120000,
    ERROR_LINES = 5, /* last lines of the compiler's output that are shown */
};

#define STUBS "/.stubs" /* module names do not start with a dot */

typedef RT_VECTOR(const char *) word_list;

typedef struct host_build {
    rt_sink *sink;
    cnf_cache *cache;
    const scn_scenario *scenario;
    const cnf_host_runtime *runtime;
    rt_text folder;
    rt_arena arena;
    const char *compiler[COMPILER_WORDS_MAX]; /* path, then the options in CC */
    uint32_t compiler_count;
    rt_text compiler_identity;
    const char *const *environment;
    bool *stubs; /* per module: its stub exists */
} host_build;

/* ---- The compiler -------------------------------------------------------------------------- */

/* Identifies the compiler without running it: by the file that its path resolves to. */
static rt_text identify(rt_arena *arena, const char *path)
{
    char real[PATH_MAX];
    rt_buffer identity = {0};
    cnf_toolchain_identify_file(&identity, realpath(path, real) ? real : path);
    rt_text text = rt_arena_text(arena, rt_buffer_text(&identity));
    rt_buffer_free(&identity);
    return text;
}

/* Finds a program by its path, or by its name in PATH. */
static bool program_find(char path[PATH_MAX], const char *name)
{
    if (!strchr(name, '/')) return cnf_toolchain_find_program(path, name);
    return realpath(name, path) && access(path, X_OK) == 0;
}

static rt_status compiler_find(host_build *build)
{
    const char *given = getenv("CC");
    if (!given || given[strspn(given, " ")] == '\0') given = "cc";
    char *words = (char *)(uintptr_t)rt_arena_text(&build->arena, rt_text_of(given)).data;
    char *state = NULL;
    for (char *word = strtok_r(words, " ", &state);
         word && build->compiler_count < COMPILER_WORDS_MAX; word = strtok_r(NULL, " ", &state))
        build->compiler[build->compiler_count++] = word;
    CHECK(build->compiler_count > 0);
    char path[PATH_MAX];
    if (!program_find(path, build->compiler[0])) {
        return rt_fail(build->sink, RT_UNAVAILABLE, RT_RULE_NONE,
                       "no C compiler: '%s' is not there, and the real loader needs one to build "
                       "the scenario's modules (apt-get install gcc libc6-dev, or set CC)",
                       build->compiler[0]);
    }
    build->compiler[0] = rt_arena_text(&build->arena, rt_text_of(path)).data;
    build->compiler_identity = identify(&build->arena, path);
    return RT_STATUS_OK;
}

rt_status cnf_host_compiler_check(rt_sink *sink)
{
    host_build build = {.sink = sink};
    rt_status status = compiler_find(&build);
    rt_arena_reset(&build.arena);
    return status;
}

/* ---- One run of the compiler --------------------------------------------------------------- */

/* The last lines of the output: of thousands, the first say nothing new. */
static rt_text last_lines(rt_text text)
{
    uint32_t lines = 0;
    while (text.length > 0 && text.data[text.length - 1] == '\n')
        text.length--;
    size_t start = text.length;
    while (start > 0 && lines < ERROR_LINES) {
        start--;
        if (text.data[start] == '\n') lines++;
    }
    if (lines == ERROR_LINES) start++;
    return (rt_text){text.data + start, text.length - start};
}

/* Runs the compiler with the words appended to its own; it reads the source from standard input. */
static rt_status compile(host_build *build, const word_list *words, rt_bytes source, rt_text what)
{
    rt_buffer output = {0}, errors = {0};
    cnf_process process;
    cnf_process_result result;
    int error =
        cnf_process_start(&process, words->items[0], words->items, build->environment, source);
    if (error)
        result = (cnf_process_result){CNF_PROCESS_NOT_STARTED, error};
    else
        result = cnf_process_finish(&process, COMPILE_MS_MAX, &output, &errors);
    rt_status status = RT_STATUS_OK;
    if (result.end != CNF_PROCESS_EXITED || result.code != 0) {
        rt_text last_output = last_lines(rt_buffer_text(&errors));
        rt_buffer outcome = {0};
        cnf_process_describe(&outcome, result, COMPILE_MS_MAX);
        status = rt_fail(build->sink, RT_IO, RT_RULE_NONE, "%s %s while it built %.*s%s%.*s",
                         words->items[0], rt_buffer_string(&outcome), RT_TEXT_ARG(what),
                         last_output.length > 0 ? ":\n" : "", RT_TEXT_ARG(last_output));
        rt_buffer_free(&outcome);
    }
    rt_buffer_free(&output);
    rt_buffer_free(&errors);
    return status;
}

static void words_begin(const host_build *build, word_list *words)
{
    for (uint32_t i = 0; i < build->compiler_count; i++)
        *rt_vector_push(words) = build->compiler[i];
}

static void word_add(host_build *build, word_list *words, const char *format, rt_text text)
{
    rt_buffer word = {0};
    for (const char *at = format; *at; at++) {
        if (*at == '%')
            rt_buffer_append_text(&word, text);
        else
            rt_buffer_append_byte(&word, *at);
    }
    *rt_vector_push(words) = rt_arena_text(&build->arena, rt_buffer_text(&word)).data;
    rt_buffer_free(&word);
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

static rt_status folder_make(host_build *build, rt_text path)
{
    rt_text folder = rt_arena_text(&build->arena, folder_of(path));
    if (mkdir(folder.data, 0700) == 0 || errno == EEXIST) return RT_STATUS_OK;
    return rt_fail(build->sink, RT_IO, RT_RULE_NONE, "%s cannot be made: %s", folder.data,
                   strerror(errno));
}

/* ---- Stubs --------------------------------------------------------------------------------- */

static rt_status stub_build(host_build *build, uint32_t module)
{
    if (build->stubs[module]) return RT_STATUS_OK;
    build->stubs[module] = true;
    rt_text name = cnf_host_file_name(&build->arena, build->scenario, module);
    word_list words = {0};
    words_begin(build, &words);
    word_add(build, &words, "-shared", name);
    word_add(build, &words, "-nostdlib", name);
    word_add(build, &words, "-Wl,-soname,%", name);
    word_add(build, &words, "-o", name);
    word_add(build, &words, "%", path_in(build, STUBS, name));
    word_add(build, &words, "-xassembler", name);
    word_add(build, &words, "/dev/null", name);
    *rt_vector_push(&words) = NULL;
    rt_status status = compile(build, &words, (rt_bytes){0}, name);
    rt_vector_free(&words);
    return status;
}

static rt_status stubs_build(host_build *build, const scn_module *module)
{
    RT_TRY(folder_make(build, path_in(build, STUBS, (rt_text){0})));
    for (uint32_t i = 0; i < module->need_count; i++)
        RT_TRY(stub_build(build, module->needs[i]));
    return RT_STATUS_OK;
}

/* ---- Modules ------------------------------------------------------------------------------- */

/* The libraries that every module is linked with, even if it uses none of their symbols: a module
 * that registers images must not outlive the library that it registers them with. */
static void runtime_words(host_build *build, word_list *words)
{
    const cnf_host_runtime *runtime = build->runtime;
    word_add(build, words, "-Wl,--no-as-needed", (rt_text){0});
    word_add(build, words, "%", runtime->library);
    for (const char *const *at = runtime->libraries; at && *at; at++) {
        word_add(build, words, "%", rt_text_of(*at));
        word_add(build, words, "-Wl,-rpath,%", folder_of(rt_text_of(*at)));
    }
}

/* The command that builds a module. With an empty folder it is the name of the artefact in the
 * cache. */
static void module_words(host_build *build, uint32_t index, rt_text folder, word_list *words)
{
    const scn_module *module = &build->scenario->modules[index];
    rt_text name = cnf_host_file_name(&build->arena, build->scenario, index);
    words_begin(build, words);
    word_add(build, words, "-O0", name);
    word_add(build, words, index == 0 ? "-fPIE" : "-fPIC", name);
    word_add(build, words, index == 0 ? "-pie" : "-shared", name);
    if (index == 0) word_add(build, words, "-rdynamic", name);
    word_add(build, words, "-Wl,-soname,%", name);
    word_add(build, words, "-xc", name);
    word_add(build, words, "-", name);
    word_add(build, words, "-xnone", name);
    word_add(build, words, "-o", name);
    rt_text path = cnf_host_path(&build->arena, build->scenario, index);
    word_add(build, words, "%",
             rt_arena_printf(&build->arena, "%.*s/%.*s", RT_TEXT_ARG(folder), RT_TEXT_ARG(path)));
    word_add(build, words, "-Wl,--no-as-needed", name);
    for (uint32_t i = 0; i < module->need_count; i++) {
        rt_text need = cnf_host_file_name(&build->arena, build->scenario, module->needs[i]);
        word_add(build, words, "%",
                 rt_arena_printf(&build->arena, "%.*s" STUBS "/%.*s", RT_TEXT_ARG(folder),
                                 RT_TEXT_ARG(need)));
    }
    /* DT_RPATH, unlike DT_RUNPATH, precedes LD_LIBRARY_PATH and applies to LD_PRELOAD. */
    word_add(build, words, "-Wl,--disable-new-dtags", name);
    bool beside = rt_text_equal(path, name);
    word_add(build, words, beside ? "-Wl,-rpath,$ORIGIN" : "-Wl,-rpath,$ORIGIN/..", name);
    runtime_words(build, words);
}

static void request_write(host_build *build, uint32_t module, rt_bytes source, rt_buffer *out)
{
    word_list words = {0};
    module_words(build, module, (rt_text){0}, &words);
    rt_buffer_printf(out, "host program\n%.*s", RT_TEXT_ARG(build->compiler_identity));
    for (uint32_t i = 0; i < words.count; i++)
        rt_buffer_printf(out, "%s\n", words.items[i]);
    rt_buffer_append(out, source.data, source.size);
    rt_vector_free(&words);
}

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

/* Stores the built module in the cache; failing to is not an error. */
static void module_keep(host_build *build, rt_text path, rt_bytes request)
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

static rt_status module_compile(host_build *build, uint32_t index, rt_bytes source)
{
    RT_TRY(stubs_build(build, &build->scenario->modules[index]));
    word_list words = {0};
    module_words(build, index, build->folder, &words);
    *rt_vector_push(&words) = NULL;
    rt_status status = compile(build, &words, source, build->scenario->modules[index].name);
    rt_vector_free(&words);
    return status;
}

/* ld.so finds needed and preloaded files by name, so a module in a folder of its own can only be
 * opened. */
static rt_status found_by_name(host_build *build, uint32_t module, rt_text wanted_by,
                               const char *relation)
{
    rt_text name = cnf_host_file_name(&build->arena, build->scenario, module);
    rt_text path = cnf_host_path(&build->arena, build->scenario, module);
    if (rt_text_equal(name, path)) return RT_STATUS_OK;
    return rt_fail(build->sink, RT_UNSUPPORTED, RT_RULE_NONE,
                   "%.*s %s the second of two files named %.*s, which ld.so would not find by that "
                   "name; load it, or use the simulated loader",
                   RT_TEXT_ARG(wanted_by), relation, RT_TEXT_ARG(name));
}

static rt_status needs_check(host_build *build, const scn_module *module)
{
    rt_text wanted_by = rt_arena_printf(&build->arena, "module '%.*s'", RT_TEXT_ARG(module->name));
    for (uint32_t i = 0; i < module->need_count; i++)
        RT_TRY(found_by_name(build, module->needs[i], wanted_by, "needs"));
    return RT_STATUS_OK;
}

static rt_status preloads_check(host_build *build)
{
    const scn_scenario *scenario = build->scenario;
    for (uint32_t i = 0; i < scenario->preloaded_count; i++)
        RT_TRY(found_by_name(build, scenario->preloaded[i], RT_TEXT("the process"), "preloads"));
    return RT_STATUS_OK;
}

static rt_status module_build(host_build *build, uint32_t index)
{
    rt_buffer source = {0}, request = {0}, built = {0};
    rt_text path = path_in(build, "", cnf_host_path(&build->arena, build->scenario, index));
    rt_status status = needs_check(build, &build->scenario->modules[index]);
    if (rt_ok(status)) status = folder_make(build, path);
    if (rt_ok(status)) status = cnf_host_write_c(build->sink, &source, build->scenario, index);
    if (rt_ok(status)) {
        request_write(build, index, rt_buffer_bytes(&source), &request);
        if (cnf_cache_find(build->cache, rt_buffer_bytes(&request), &built)) {
            status = file_write(build, path, rt_buffer_bytes(&built));
        } else {
            status = module_compile(build, index, rt_buffer_bytes(&source));
            if (rt_ok(status)) module_keep(build, path, rt_buffer_bytes(&request));
        }
    }
    rt_buffer_free(&source);
    rt_buffer_free(&request);
    rt_buffer_free(&built);
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
                         "host symbol '%s' of module '%.*s' cannot be one of a real program: the "
                         "C library has it; rename it, or use the simulated loader",
                         symbol.data, RT_TEXT_ARG(module->name));
    }
    if (library) dlclose(library);
    return status;
}

static rt_status build_all(host_build *build)
{
    RT_TRY(compiler_find(build));
    RT_TRY(preloads_check(build));
    for (uint32_t i = 0; i < build->scenario->module_count; i++) {
        RT_TRY(symbols_check(build, &build->scenario->modules[i]));
        RT_TRY(module_build(build, i));
    }
    return RT_STATUS_OK;
}

rt_status cnf_host_build(rt_sink *sink, cnf_cache *cache, const scn_scenario *scenario,
                         const cnf_host_runtime *runtime, rt_text folder)
{
    host_build build = {
        .sink = sink, .cache = cache, .scenario = scenario, .runtime = runtime, .folder = folder};
    build.stubs = rt_arena_alloc_array(&build.arena, scenario->module_count, sizeof *build.stubs);
    /* The compiler's temporary files go into our folder, which is removed however the process ends.
     */
    const char *changes[] = {rt_arena_printf(&build.arena, "TMPDIR=%.*s", RT_TEXT_ARG(folder)).data,
                             "LC_ALL=C", "LD_PRELOAD=", "LD_LIBRARY_PATH=", NULL};
    build.environment = cnf_start_environment(&build.arena, changes);
    rt_status status = build_all(&build);
    rt_arena_reset(&build.arena);
    return status;
}
