/* The options that select scenarios, one table row each. A file is selected if every option given
 * selects it. */
#include "conformance/cli/selection.h"

#include "conformance/cli/commands.h"
#include "conformance/requirements/rules.h"
#include "conformance/scenario/model/scenario.h"
#include "conformance/verdict/record.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The words of one option, and the files that it selects. */
typedef struct selection {
    const cnf_arguments *arguments;
    rt_arena *arena;
    rt_sink *sink;
    const cnf_files *files;
    const char *text;     /* the option's value */
    const rt_text *words; /* its parts between commas */
    uint32_t word_count;
    bool *keeps; /* per file */
} selection;

/* ---- Words --------------------------------------------------------------------------------- */

/* Splits "a,b" into words. Empty words are kept; they are then reported as unknown. */
static void words_split(selection *selected, const char *text)
{
    uint32_t count = 1;
    for (const char *at = text; *at; at++)
        count += *at == ',';
    rt_text *words = rt_arena_alloc_array(selected->arena, count, sizeof *words);
    for (uint32_t i = 0; i < count; i++) {
        words[i] = rt_arena_text(selected->arena, (rt_text){text, strcspn(text, ",")});
        text += words[i].length + 1;
    }
    selected->words = words;
    selected->word_count = count;
}

/* ---- Words of a path ----------------------------------------------------------------------- */

/* Words are separated by blanks. A file is selected if its path contains each of them, in upper or
 * lower case, and none of those after a '!'. */
static int paths_select(selection *selected)
{
    for (uint32_t i = 0; i < selected->files->count; i++) {
        const char *path = rt_arena_text(selected->arena, selected->files->items[i].path).data;
        rt_text rest = rt_text_of(selected->text);
        bool is_kept = true;
        while (rest.length > 0) {
            rt_text word = rt_text_take_until(&rest, ' ');
            bool is_excluded = rt_text_starts(word, "!");
            if (is_excluded) word = rt_text_skip(word, 1);
            if (word.length == 0) continue;
            bool is_found = strcasestr(path, rt_arena_text(selected->arena, word).data) != NULL;
            is_kept = is_kept && is_found != is_excluded;
        }
        selected->keeps[i] = is_kept;
    }
    return CNF_EXIT_EXPECTED;
}

/* ---- Features ------------------------------------------------------------------------------ */

/* A feature is the folder directly below the root; empty for a scenario in the root itself. */
static int features_select(selection *selected)
{
    const cnf_files *files = selected->files;
    const char **names = rt_arena_alloc_array(selected->arena, files->count, sizeof *names);
    for (uint32_t i = 0; i < files->count; i++) {
        rt_text path = files->items[i].path;
        rt_text folder = rt_text_take_until(&path, '/');
        names[i] = path.length > 0 ? rt_arena_text(selected->arena, folder).data : "";
    }
    for (uint32_t word = 0; word < selected->word_count; word++) {
        bool is_known = false;
        for (uint32_t i = 0; i < files->count; i++) {
            if (selected->words[word].length == 0 || !rt_text_is(selected->words[word], names[i]))
                continue;
            is_known = selected->keeps[i] = true;
        }
        if (!is_known)
            return cnf_command_unknown("--feature: ", "folder of scenarios",
                                       selected->words[word].data, names, files->count);
    }
    return CNF_EXIT_EXPECTED;
}

/* ---- Rules --------------------------------------------------------------------------------- */

/* True if the word is the rule's id, or a part of the id that ends before a '-'. */
static bool rule_is_below(rt_text id, rt_text word)
{
    if (word.length == 0 || !rt_text_starts(id, word.data)) return false;
    return id.length == word.length || id.data[word.length] == '-';
}

/* Checks that each word selects at least one of these rules. */
static int rules_known(const selection *selected, const char *const *names, uint32_t count)
{
    for (uint32_t word = 0; word < selected->word_count; word++) {
        bool is_known = false;
        for (uint32_t i = 0; i < count && !is_known; i++)
            is_known = rule_is_below(rt_text_of(names[i]), selected->words[word]);
        if (!is_known)
            return cnf_command_unknown("--rule: ", "rule", selected->words[word].data, names,
                                       count);
    }
    return CNF_EXIT_EXPECTED;
}

/* True if a word selects the rule. */
static bool rule_is_wanted(const selection *selected, rt_text id)
{
    for (uint32_t word = 0; word < selected->word_count; word++)
        if (rule_is_below(id, selected->words[word])) return true;
    return false;
}

/* A pack contains no table of rules; its models can cite only the rules compiled into this
 * program. */
static int pack_rules_select(selection *selected)
{
    const char **names = rt_arena_alloc_array(selected->arena, RT_RULE_COUNT, sizeof *names);
    uint32_t count = 0;
    for (uint32_t rule = RT_RULE_NONE + 1; rule < RT_RULE_COUNT; rule++)
        names[count++] = rt_rule_name((rt_rule)rule);
    if (rules_known(selected, names, count) != CNF_EXIT_EXPECTED) return CNF_EXIT_USAGE;
    for (uint32_t i = 0; i < selected->files->count; i++) {
        rt_arena arena = {0};
        const scn_scenario *scenario;
        rt_bytes model = selected->files->items[i].packed->model;
        rt_status status = scn_pack_read(selected->sink, &arena, model, &scenario);
        for (uint32_t k = 0; rt_ok(status) && k < scenario->cover_count; k++)
            if (rule_is_wanted(selected, rt_text_of(rt_rule_name(scenario->covers[k].rule))))
                selected->keeps[i] = true;
        rt_arena_reset(&arena);
        if (rt_ok(status)) continue;
        cnf_command_fail(selected->sink, status, RT_TEXT("--rule"));
        return CNF_EXIT_USAGE;
    }
    return CNF_EXIT_EXPECTED;
}

static int rules_select(selection *selected)
{
    const cnf_file *first = &selected->files->items[0];
    cnf_rules rules;
    if (first->packed) return pack_rules_select(selected);
    int exit_status =
        cnf_command_rules(selected->sink, selected->arena, "--rule: ", first->file, &rules);
    if (exit_status != CNF_EXIT_EXPECTED) return exit_status;
    const char **names = rt_arena_alloc_array(selected->arena, rules.count, sizeof *names);
    for (uint32_t i = 0; i < rules.count; i++)
        names[i] = rt_arena_text(selected->arena, rules.items[i].id).data;
    if (rules_known(selected, names, rules.count) != CNF_EXIT_EXPECTED) return CNF_EXIT_USAGE;
    cnf_citations citations;
    rt_status status =
        cnf_citations_read(selected->sink, selected->arena, selected->files, &rules, &citations);
    if (!rt_ok(status)) {
        cnf_command_fail(selected->sink, status, RT_TEXT("--rule"));
        return CNF_EXIT_USAGE;
    }
    for (uint32_t i = 0; i < citations.count; i++) {
        const cnf_citation *citation = &citations.items[i];
        CHECK(citation->scenario < selected->files->count);
        if (rule_is_wanted(selected, citation->id)) selected->keeps[citation->scenario] = true;
    }
    return CNF_EXIT_EXPECTED;
}

/* Selects the scenarios that had one of the verdicts in an earlier run. */
static int verdicts_select(selection *selected)
{
    const char *names[CNF_VERDICT_COUNT];
    bool is_wanted[CNF_VERDICT_COUNT + 1] = {false};
    for (cnf_verdict verdict = 0; verdict < CNF_VERDICT_COUNT; verdict++)
        names[verdict] = cnf_verdict_word(verdict);
    for (uint32_t word = 0; word < selected->word_count; word++) {
        is_wanted[cnf_verdict_find(selected->words[word])] = true;
        if (is_wanted[CNF_VERDICT_COUNT])
            return cnf_command_unknown("--verdict: ", "verdict", selected->words[word].data, names,
                                       CNF_VERDICT_COUNT);
    }
    rt_text name = rt_text_of(selected->arguments->values[CNF_OPTION_FROM]);
    cnf_records records;
    if (!cnf_command_records(selected->arena, "--from", name, &records)) return CNF_EXIT_USAGE;
    for (uint32_t i = 0; i < records.count; i++) {
        const cnf_record *record = &records.items[i];
        if (!is_wanted[record->judgement.verdict]) continue;
        for (uint32_t k = 0; k < selected->files->count; k++)
            if (rt_text_equal(selected->files->items[k].path, record->scenario))
                selected->keeps[k] = true;
    }
    return CNF_EXIT_EXPECTED;
}

static const struct selection_row {
    cnf_option_id option;
    const char *name;
    int (*select)(selection *selected);
} selection_rows[] = {
    {CNF_OPTION_FEATURE, "--feature", features_select},
    {CNF_OPTION_WORDS, "--words", paths_select},
    {CNF_OPTION_RULE, "--rule", rules_select},
    {CNF_OPTION_VERDICT, "--verdict", verdicts_select},
};

int cnf_selection_apply(const cnf_arguments *arguments, rt_arena *arena, cnf_files *inout_files)
{
    CHECK(inout_files->count > 0);
    bool has_verdict = arguments->values[CNF_OPTION_VERDICT] != NULL;
    bool has_from = arguments->values[CNF_OPTION_FROM] != NULL;
    if (has_verdict != has_from) {
        fprintf(stderr, "assay: --verdict and --from need each other: --verdict WORD,... says "
                        "which verdicts, --from FILE names the --json file of an earlier run\n");
        return CNF_EXIT_USAGE;
    }
    selection selected = {.arguments = arguments, .arena = arena, .sink = rt_sink_create()};
    int status = CNF_EXIT_EXPECTED;
    /* Each option applies to the files that the options before it kept. */
    for (size_t i = 0; i < sizeof selection_rows / sizeof *selection_rows; i++) {
        const struct selection_row *row = &selection_rows[i];
        const char *text = arguments->values[row->option];
        if (!text || status != CNF_EXIT_EXPECTED) continue;
        const cnf_files files = *inout_files;
        selected.files = &files;
        selected.keeps = rt_arena_alloc_array(arena, files.count, sizeof(bool));
        selected.text = text;
        words_split(&selected, text);
        status = row->select(&selected);
        if (status != CNF_EXIT_EXPECTED) continue;
        cnf_file *selected_files = rt_arena_alloc_array(arena, files.count, sizeof *selected_files);
        uint32_t count = 0;
        for (uint32_t k = 0; k < files.count; k++)
            if (selected.keeps[k]) selected_files[count++] = files.items[k];
        CHECK(count <= files.count);
        if (count == 0) {
            fprintf(stderr, "assay: %s %s: none of the %u scenarios is selected\n", row->name, text,
                    files.count);
            status = CNF_EXIT_NOTHING_RAN;
        } else {
            *inout_files = (cnf_files){selected_files, count};
        }
    }
    rt_sink_destroy(selected.sink);
    return status;
}
