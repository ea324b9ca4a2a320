/* A subject's options as arguments of `assay subject`. */
#include "conformance/subject/subject.h"

enum { ARGUMENTS_MAX = 24 };

const char *const *cnf_subject_arguments(rt_arena *arena, const char *name,
                                         const cnf_subject_options *options, const char *flag)
{
    const bool has_profile = options->profile != RT_PROFILE_DOCUMENTS;
    const bool counts_calls = options->fail_call > 0;
    const struct {
        const char *name;
        rt_text value; /* empty: the option is left out */
    } rows[] = {
        {"--seed", rt_arena_printf(arena, "%llu", (unsigned long long)options->seed)},
        {"--fail-call",
         counts_calls ? rt_arena_printf(arena, "%u", options->fail_call) : (rt_text){0}},
        {"--cache", rt_arena_text(arena, options->cache)},
        {"--profile", has_profile ? rt_text_of(rt_profile_name(options->profile)) : (rt_text){0}},
        {"--loader", options->real_loader ? RT_TEXT(CNF_LOADER_REAL) : (rt_text){0}},
        {"--choices", rt_arena_text(arena, options->choices)},
        {"--settings", rt_arena_text(arena, options->settings)},
        {"--scratch", rt_arena_text(arena, options->scratch)},
    };
    const char **arguments = rt_arena_alloc_array(arena, ARGUMENTS_MAX, sizeof *arguments);
    uint32_t count = 0;
    arguments[count++] = "assay";
    arguments[count++] = "subject";
    arguments[count++] = name;
    for (uint32_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].value.length == 0) continue;
        arguments[count++] = rows[i].name;
        arguments[count++] = rows[i].value.data;
    }
    if (options->record) arguments[count++] = "--record";
    if (flag) arguments[count++] = flag;
    arguments[count++] = NULL;
    CHECK(count <= ARGUMENTS_MAX);
    return arguments;
}
