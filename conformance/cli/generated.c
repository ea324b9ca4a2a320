#include "conformance/cli/generated.h"

#include "conformance/cli/commands.h"

#include <stdio.h>

static const cnf_generated_kind kinds[] = {
    {"kernel", gen_scenario_write, false, false},
    {"program", gen_host_write, true, true},
    {"list", gen_list_write, false, false},
    {"flat-list", gen_flat_list_write, false, false},
};
enum { KINDS = sizeof kinds / sizeof *kinds, NAMES_MAX = 32, FILE_MAX = 1 << 16 };

const cnf_generated_kind *cnf_generated_kind_find(rt_text name)
{
    const char *names[KINDS];
    for (size_t i = 0; i < KINDS; i++) {
        names[i] = kinds[i].name;
        if (rt_text_is(name, kinds[i].name)) return &kinds[i];
    }
    cnf_command_unknown("", "kind", name.data, names, KINDS);
    return NULL;
}

static const char *const variations[GEN_VARIATIONS] = {
    [GEN_AS_DRAWN] = "",         [GEN_UNRELATED] = "unrelated", [GEN_RENAMED] = "renamed",
    [GEN_IN_ORDER] = "in-order", [GEN_NOT_FUSED] = "not-fused", [GEN_SPLIT] = "split",
    [GEN_FRESH] = "fresh"};

const char *cnf_generated_variation(gen_variation variation)
{
    CHECK((unsigned)variation < GEN_VARIATIONS);
    return variations[variation];
}

/* Returns false after reporting an option that the kind does not take. */
static bool is_taken(const cnf_generated_kind *kind, const char *option, const char *value,
                     bool takes)
{
    if (!value || takes) return true;
    fprintf(stderr, "assay: a %s takes no %s\n", kind->name, option);
    return false;
}

bool cnf_generated_variation_read(const cnf_generated_kind *kind, const cnf_arguments *arguments,
                                  gen_variation *out_variation)
{
    const char *name = arguments->values[CNF_OPTION_VARIATION];
    *out_variation = GEN_AS_DRAWN;
    if (!is_taken(kind, "--variation", name, kind->has_variations)) return false;
    if (!name) return true;
    for (int i = GEN_AS_DRAWN + 1; i < GEN_VARIATIONS; i++) {
        if (!rt_text_is(rt_text_of(name), variations[i])) continue;
        *out_variation = (gen_variation)i;
        return true;
    }
    cnf_command_unknown("--variation: ", "variation", name, variations + 1, GEN_VARIATIONS - 1);
    return false;
}

static bool features_read(const char *value, gen_weights *weights)
{
    rt_text word;
    if (gen_weights_choose(weights, rt_text_of(value), &word)) return true;
    const char *names[NAMES_MAX];
    uint32_t count = 0;
    while (count < NAMES_MAX && gen_feature_name(count)) {
        names[count] = gen_feature_name(count);
        count++;
    }
    rt_arena arena = {0};
    cnf_command_unknown("--feature: ", "feature", rt_arena_text(&arena, word).data, names, count);
    rt_arena_reset(&arena);
    return false;
}

static bool file_read(const char *name, gen_weights *weights)
{
    rt_sink *sink = rt_sink_create();
    rt_buffer content = {0};
    rt_status status = cnf_file_read(sink, rt_text_of(name), FILE_MAX, &content);
    uint32_t line = 0;
    bool is_read = false;
    if (!rt_ok(status))
        cnf_command_fail(sink, status, RT_TEXT("--weights"));
    else if (gen_weights_read(weights, rt_buffer_text(&content), &line))
        is_read = true;
    else if (line == 0)
        fprintf(stderr, "assay: --weights %s: no step that submits a command has a weight\n", name);
    else
        fprintf(stderr,
                "%s:%u:1: error: not a weight; expected NAME: NUMBER, such as load: 26, with a "
                "number up to 1000 for a step and to 100 for a percentage\n",
                name, line);
    rt_buffer_free(&content);
    rt_sink_destroy(sink);
    return is_read;
}

bool cnf_generated_weights_read(const cnf_generated_kind *kind, const cnf_arguments *arguments,
                                gen_weights *out_weights)
{
    const char *features = arguments->values[CNF_OPTION_FEATURE];
    const char *file = arguments->values[CNF_OPTION_WEIGHTS];
    *out_weights = gen_weights_default();
    return is_taken(kind, "--feature", features, kind->has_weights) &&
           is_taken(kind, "--weights", file, kind->has_weights) &&
           (!features || features_read(features, out_weights)) &&
           (!file || file_read(file, out_weights));
}
