/* The selecting options, one table row each. A file is kept if every option given keeps it. */
#include "conformance/cli/selection.h"

#include "conformance/cli/commands.h"
#include "conformance/requirements/rules.h"
#include "conformance/scenario/model/scenario.h"
#include "conformance/verdict/record.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RECORDS_SIZE_MAX = 1 << 30 };

/* The words of one option, and the files that it keeps. */
typedef struct selection {
    const cnf_arguments *arguments;
    rt_arena *arena;
    rt_sink *sink;
    const cnf_files *files;
    const rt_text *words;
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

/* Reports an unknown word and the nearest names, which are NUL-terminated. */
static int word_unknown(const char *option, const char *what, rt_text word,
                        const char *const *names, uint32_t count)
{
    rt_buffer message = {0};
    rt_buffer_printf(&message, "there is no %s '%.*s'", what, RT_TEXT_ARG(word));
    cnf_suggest(&message, word.data, names, count);
    fprintf(stderr, "assay: %s: %s\n", option, rt_buffer_string(&message));
    rt_buffer_free(&message);
    return CNF_EXIT_USAGE;
}

static int fail(const selection *selected, const char *option, rt_status status)
{
    cnf_command_fail(selected->sink, status, rt_text_of(option));
    return CNF_EXIT_USAGE;
}

/* ---- Features ------------------------------------------------------------------------------ */

/* The folder directly below the root; empty for a scenario in the root itself. */
static rt_text feature_of(const cnf_file *file)
{
    const char *slash = memchr(file->path.data, '/', file->path.length);
    return (rt_text){file->path.data, slash ? (size_t)(slash - file->path.data) : 0};
}

static int features_select(selection *selected)
{
    const cnf_files *files = selected->files;
    const char **names = rt_arena_alloc_array(selected->arena, files->count, sizeof *names);
    for (uint32_t i = 0; i < files->count; i++)
        names[i] = rt_arena_text(selected->arena, feature_of(&files->items[i])).data;
    for (uint32_t word = 0; word < selected->word_count; word++) {
        bool known = false;
        for (uint32_t i = 0; i < files->count; i++) {
            if (selected->words[word].length == 0 || !rt_text_is(selected->words[word], names[i]))
                continue;
            known = selected->keeps[i] = true;
        }
        if (!known)
            return word_unknown("--feature", "folder of scenarios", selected->words[word], names,
                                files->count);
    }
    return CNF_EXIT_EXPECTED;
}

/* ---- Rules --------------------------------------------------------------------------------- */

/* True for the rule itself and for rules whose ids continue with a '-'. */
static bool rule_is_below(rt_text id, rt_text word)
{
    if (word.length == 0 || id.length < word.length) return false;
    if (memcmp(id.data, word.data, word.length) != 0) return false;
    return id.length == word.length || id.data[word.length] == '-';
}

/* Checks that each word selects at least one of these rules. */
static int rules_known(const selection *selected, const char *const *names, uint32_t count)
{
    for (uint32_t word = 0; word < selected->word_count; word++) {
        bool known = false;
        for (uint32_t i = 0; i < count && !known; i++)
            known = rule_is_below(rt_text_of(names[i]), selected->words[word]);
        if (!known) return word_unknown("--rule", "rule", selected->words[word], names, count);
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

/* Selects a packed scenario by the citations in its model. */
static rt_status packed_rules_select(selection *selected, uint32_t file)
{
    rt_arena arena = {0};
    const scn_scenario *scenario;
    rt_status status = scn_pack_read(selected->sink, &arena,
                                     selected->files->items[file].packed->model, &scenario);
    for (uint32_t i = 0; rt_ok(status) && i < scenario->cover_count; i++)
        if (rule_is_wanted(selected, rt_text_of(rt_rule_name(scenario->covers[i].rule))))
            selected->keeps[file] = true;
    rt_arena_reset(&arena);
    return status;
}

/* A pack contains no table of rules; its models can only cite those compiled into this program. */
static int pack_rules_select(selection *selected)
{
    const char **names = rt_arena_alloc_array(selected->arena, RT_RULE_COUNT, sizeof *names);
    uint32_t count = 0;
    for (uint32_t rule = RT_RULE_NONE + 1; rule < RT_RULE_COUNT; rule++)
        names[count++] = rt_rule_name((rt_rule)rule);
    if (rules_known(selected, names, count) != CNF_EXIT_EXPECTED) return CNF_EXIT_USAGE;
    for (uint32_t i = 0; i < selected->files->count; i++) {
        rt_status status = packed_rules_select(selected, i);
        if (!rt_ok(status)) return fail(selected, "--rule", status);
    }
    return CNF_EXIT_EXPECTED;
}

static int rules_select(selection *selected)
{
    if (selected->files->items[0].packed) return pack_rules_select(selected);
    rt_text root = cnf_files_root(selected->arena, selected->files->items[0].file);
    if (root.length == 0) {
        fprintf(stderr,
                "assay: --rule: there is no requirements.yaml beside or above %.*s; name scenarios "
                "of a folder that has one\n",
                RT_TEXT_ARG(selected->files->items[0].file));
        return CNF_EXIT_USAGE;
    }
    rt_text table = rt_arena_printf(selected->arena, "%.*s/requirements.yaml", RT_TEXT_ARG(root));
    cnf_rules rules;
    rt_status status = cnf_rules_read(selected->sink, selected->arena, table, &rules);
    if (!rt_ok(status)) return fail(selected, "--rule", status);
    const char **names = rt_arena_alloc_array(selected->arena, rules.count, sizeof *names);
    for (uint32_t i = 0; i < rules.count; i++)
        names[i] = rt_arena_text(selected->arena, rules.items[i].id).data;
    if (rules_known(selected, names, rules.count) != CNF_EXIT_EXPECTED) return CNF_EXIT_USAGE;
    cnf_citations citations;
    status =
        cnf_citations_read(selected->sink, selected->arena, selected->files, &rules, &citations);
    if (!rt_ok(status)) return fail(selected, "--rule", status);
    for (uint32_t i = 0; i < citations.count; i++) {
        const cnf_citation *citation = &citations.items[i];
        if (rule_is_wanted(selected, citation->id)) selected->keeps[citation->scenario] = true;
    }
    return CNF_EXIT_EXPECTED;
}

/* ---- Verdicts of an earlier run ------------------------------------------------------------ */

static int verdicts_known(const selection *selected)
{
    const char *names[CNF_VERDICT_COUNT];
    for (cnf_verdict verdict = 0; verdict < CNF_VERDICT_COUNT; verdict++)
        names[verdict] = cnf_verdict_word(verdict);
    for (uint32_t word = 0; word < selected->word_count; word++)
        if (cnf_verdict_find(selected->words[word]) == CNF_VERDICT_COUNT)
            return word_unknown("--verdict", "verdict", selected->words[word], names,
                                CNF_VERDICT_COUNT);
    return CNF_EXIT_EXPECTED;
}

static void record_select(selection *selected, const cnf_record *record)
{
    bool wanted = false;
    for (uint32_t word = 0; word < selected->word_count && !wanted; word++)
        wanted = cnf_verdict_find(selected->words[word]) == record->judgement.verdict;
    for (uint32_t i = 0; i < selected->files->count && wanted; i++)
        if (rt_text_equal(selected->files->items[i].path, record->scenario))
            selected->keeps[i] = true;
}

static int verdicts_select(selection *selected)
{
    const char *name = selected->arguments->values[CNF_OPTION_FROM];
    if (verdicts_known(selected) != CNF_EXIT_EXPECTED) return CNF_EXIT_USAGE;
    rt_buffer content;
    cnf_records records;
    rt_status status = cnf_file_read(selected->sink, rt_text_of(name), RECORDS_SIZE_MAX, &content);
    if (rt_ok(status)) {
        status = cnf_records_read(selected->sink, selected->arena, rt_text_of(name),
                                  rt_buffer_text(&content), &records);
    }
    rt_buffer_free(&content);
    if (!rt_ok(status)) return fail(selected, "--from", status);
    for (uint32_t i = 0; i < records.count; i++)
        record_select(selected, &records.items[i]);
    return CNF_EXIT_EXPECTED;
}

/* ---- All of them --------------------------------------------------------------------------- */

static const struct selection_row {
    cnf_option_id option;
    const char *name;
    int (*select)(selection *selected);
} selection_rows[] = {
    {CNF_OPTION_FEATURE, "--feature", features_select},
    {CNF_OPTION_RULE, "--rule", rules_select},
    {CNF_OPTION_VERDICT, "--verdict", verdicts_select},
};

/* Applies one option to the remaining files. */
static int row_apply(const struct selection_row *row, selection *selected, cnf_files *inout_files)
{
    const char *text = selected->arguments->values[row->option];
    if (!text) return CNF_EXIT_EXPECTED;
    selected->files = inout_files;
    selected->keeps = rt_arena_alloc_array(selected->arena, inout_files->count, sizeof(bool));
    words_split(selected, text);
    int status = row->select(selected);
    if (status != CNF_EXIT_EXPECTED) return status;
    cnf_file *kept = rt_arena_alloc_array(selected->arena, inout_files->count, sizeof *kept);
    uint32_t count = 0;
    for (uint32_t i = 0; i < inout_files->count; i++)
        if (selected->keeps[i]) kept[count++] = inout_files->items[i];
    if (count == 0) {
        fprintf(stderr, "assay: %s %s: no scenario is left of %u\n", row->name, text,
                inout_files->count);
        return CNF_EXIT_NOTHING_RAN;
    }
    *inout_files = (cnf_files){kept, count};
    return CNF_EXIT_EXPECTED;
}

int cnf_selection_apply(const cnf_arguments *arguments, rt_arena *arena, cnf_files *inout_files)
{
    CHECK(inout_files->count > 0);
    bool has_verdict = arguments->values[CNF_OPTION_VERDICT] != NULL;
    bool has_from = arguments->values[CNF_OPTION_FROM] != NULL;
    if (has_verdict != has_from) {
        fprintf(stderr,
                "assay: --verdict needs --from beside it, and --from needs --verdict: which "
                "verdicts, and the --json file of an earlier run\n");
        return CNF_EXIT_USAGE;
    }
    selection selected = {.arguments = arguments, .arena = arena, .sink = rt_sink_create()};
    int status = CNF_EXIT_EXPECTED;
    for (size_t i = 0; i < sizeof selection_rows / sizeof *selection_rows; i++)
        if (status == CNF_EXIT_EXPECTED)
            status = row_apply(&selection_rows[i], &selected, inout_files);
    rt_sink_destroy(selected.sink);
    return status;
}
