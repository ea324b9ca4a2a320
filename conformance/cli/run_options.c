/* The options of a run, with their bounds. */
#include "conformance/cli/run_options.h"

#include "conformance/cli/commands.h"
#include "reference/base/script.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum {
    JOBS_MAX = 256,
    THREADS_MAX = 64,
    TIMEOUT_DEFAULT_S = 60,
    TIMEOUT_MAX_S = 86400,
    MEMORY_DEFAULT_MIB = 8192,
    MEMORY_MAX_MIB = 1 << 24,
};

/* Finds a profile by its word; RT_PROFILE_COUNT after reporting on stderr that there is none. */
static rt_profile profile_find(rt_text word)
{
    rt_profile profile = rt_profile_find(word);
    if (profile != RT_PROFILE_COUNT) return profile;
    const char *names[RT_PROFILE_COUNT];
    for (uint32_t i = 0; i < RT_PROFILE_COUNT; i++)
        names[i] = rt_profile_name((rt_profile)i);
    rt_arena arena = {0};
    cnf_command_unknown("--profile: ", "profile", rt_arena_text(&arena, word).data, names,
                        RT_PROFILE_COUNT);
    rt_arena_reset(&arena);
    return RT_PROFILE_COUNT;
}

bool cnf_run_profiles_read(const char *names, rt_profile *out_profiles, uint32_t *out_count)
{
    bool is_listed[RT_PROFILE_COUNT] = {false};
    *out_count = 0;
    while (names) {
        size_t length = strcspn(names, ",");
        rt_profile profile = profile_find((rt_text){names, length});
        if (profile == RT_PROFILE_COUNT) return false;
        CHECK_IMPLIES(!is_listed[profile], *out_count < RT_PROFILE_COUNT);
        if (!is_listed[profile]) out_profiles[(*out_count)++] = profile;
        is_listed[profile] = true;
        names = names[length] == ',' ? names + length + 1 : NULL;
    }
    return true;
}

bool cnf_run_options_read(const cnf_arguments *arguments, cnf_run_options *out_options)
{
    const char *const *values = arguments->values;
    uint64_t jobs = 0, timeout_s = 0, memory_mib = 0, threads = 0;
    *out_options = (cnf_run_options){.cache = rt_text_of(values[CNF_OPTION_CACHE]),
                                     .choices = rt_text_of(values[CNF_OPTION_CHOICES]),
                                     .profile = RT_PROFILE_DOCUMENTS};
    if (!cnf_command_number(arguments, CNF_OPTION_JOBS, "--jobs", 1, JOBS_MAX,
                            cnf_command_processors(), &jobs) ||
        !cnf_command_number(arguments, CNF_OPTION_TIMEOUT, "--timeout", 1, TIMEOUT_MAX_S,
                            TIMEOUT_DEFAULT_S, &timeout_s) ||
        !cnf_command_number(arguments, CNF_OPTION_MEMORY, "--memory", 0, MEMORY_MAX_MIB,
                            MEMORY_DEFAULT_MIB, &memory_mib) ||
        !cnf_command_number(arguments, CNF_OPTION_THREADS, "--threads", 1, THREADS_MAX, 1,
                            &threads) ||
        !cnf_command_number(arguments, CNF_OPTION_SEED, "--seed", 0, UINT64_MAX, 0,
                            &out_options->seed))
        return false;
    CHECK(timeout_s <= UINT32_MAX / 1000);
    CHECK(threads >= 1 && threads <= THREADS_MAX);
    out_options->job_count = (uint32_t)jobs;
    out_options->timeout_ms = (uint32_t)timeout_s * 1000;
    out_options->memory_bytes = memory_mib << 20;
    out_options->threads = (uint32_t)threads;
    const char *profile = values[CNF_OPTION_PROFILE], *loader = values[CNF_OPTION_LOADER];
    if (profile) out_options->profile = profile_find(rt_text_of(profile));
    if (out_options->profile == RT_PROFILE_COUNT) return false;
    if (loader && !cnf_loader_find(rt_text_of(loader), &out_options->real_loader)) {
        const char *const names[] = {CNF_LOADER_SIMULATED, CNF_LOADER_REAL};
        cnf_command_unknown("--loader: ", "loader", loader, names, 2);
        return false;
    }
    if (rt_script_valid(out_options->choices)) return true;
    fprintf(stderr,
            "assay: --choices %s: expected numbers separated by commas, such as 0,1, and orders of "
            "commands after a semicolon, such as 0,1;5:2\n",
            out_options->choices.data);
    return false;
}

/* Prints the source of choices, the runtime's profile and the loader. */
static void source_print(rt_buffer *out, const cnf_run_options *options)
{
    if (options->seed != 0) rt_buffer_printf(out, " --seed %" PRIu64, options->seed);
    if (options->profile != RT_PROFILE_DOCUMENTS)
        rt_buffer_printf(out, " --profile %s", rt_profile_name(options->profile));
    if (options->real_loader) rt_buffer_printf(out, " --loader " CNF_LOADER_REAL);
}

rt_text cnf_run_options_conditions(rt_arena *arena, const cnf_run_options *options)
{
    rt_buffer text = {0};
    source_print(&text, options);
    if (options->choices.length > 0)
        rt_buffer_printf(&text, " --choices %.*s", RT_TEXT_ARG(options->choices));
    if (options->explore_max > 0)
        rt_buffer_printf(&text, " --explore --explore-max %u", options->explore_max);
    if (options->fail_max > 0) rt_buffer_printf(&text, " --fail-calls %u", options->fail_max);
    rt_text joined = rt_arena_text(arena, rt_buffer_text(&text));
    rt_buffer_free(&text);
    return joined.length > 0 ? (rt_text){joined.data + 1, joined.length - 1} : joined;
}

rt_text cnf_run_options_host(rt_arena *arena)
{
    char name[HOST_NAME_MAX + 1];
    return gethostname(name, sizeof name) == 0 ? rt_arena_text(arena, rt_text_of(name))
                                               : (rt_text){0};
}

rt_text cnf_run_options_rerun(rt_arena *arena, const cnf_run_options *options)
{
    rt_buffer text = {0};
    source_print(&text, options);
    if (options->timeout_ms != TIMEOUT_DEFAULT_S * 1000)
        rt_buffer_printf(&text, " --timeout %u", options->timeout_ms / 1000);
    if (options->memory_bytes != (uint64_t)MEMORY_DEFAULT_MIB << 20)
        rt_buffer_printf(&text, " --memory %" PRIu64, options->memory_bytes >> 20);
    rt_text again = rt_arena_text(arena, rt_buffer_text(&text));
    rt_buffer_free(&text);
    return again;
}
