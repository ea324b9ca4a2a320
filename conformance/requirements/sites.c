/* The faults of the rules, and which scenarios and programs reach them: the build's tables of
 * faults and the files of hits that base/rule.c writes. */
#include "conformance/requirements/prove_internal.h"

#include "reference/base/hash.h"
#include "reference/base/lines.h"

#include <stdlib.h>
#include <string.h>

/* The fault with the name, which is added if it is unknown. */
static cnf_reached_site *site_of(const cnf_prove_run *run, rt_text name, uint32_t rule,
                                 cnf_reached *reached)
{
    CHECK(rule < run->rules->count);
    uint32_t index = rt_map_find(&reached->by_name, name);
    if (index == RT_MAP_NONE) {
        index = reached->sites.count;
        const cnf_site added = {.text = rt_arena_text(run->arena, name), .rule = rule};
        *rt_vector_push(&reached->sites) = (cnf_reached_site){.site = added};
        rt_map_set(&reached->by_name, added.text, index);
    }
    CHECK(reached->sites.items[index].site.rule == rule);
    return &reached->sites.items[index];
}

/* ---- The tables ---------------------------------------------------------------------------- */

/* Rows have ids as in C. */
static rt_text name_read(rt_arena *arena, rt_text field, uint32_t *out_id_length)
{
    rt_text rest = field;
    *out_id_length = (uint32_t)rt_text_take_until(&rest, '@').length;
    char *copy = rt_arena_alloc_array(arena, field.length + 1, 1);
    memcpy(copy, field.data, field.length);
    for (uint32_t i = 0; i < *out_id_length; i++)
        if (copy[i] == '_') copy[i] = '-';
    return (rt_text){copy, field.length};
}

static rt_status row_read(const cnf_prove_run *run, rt_text file, rt_text row, cnf_reached *reached)
{
    enum { NAME, OPERATION, ORIGINAL, MUTATED, REVIEW, FIELDS };
    rt_text fields[FIELDS], rest = row;
    for (int i = 0; i < FIELDS; i++)
        fields[i] = rt_text_take_until(&rest, '\t');
    uint32_t id_length;
    rt_text name = name_read(run->arena, fields[NAME], &id_length);
    /* A mistake in state breaks no rule by itself (reference/base/fault.h). */
    if (rt_text_is((rt_text){name.data, id_length}, "NONE")) return RT_STATUS_OK;
    uint32_t rule = cnf_rules_find(run->rules, (rt_text){name.data, id_length});
    if (rule == UINT32_MAX || id_length == name.length || fields[MUTATED].length == 0)
        return rt_fail(run->sink, RT_MALFORMED, RT_RULE_NONE,
                       "%.*s: not the fault of a rule: \"%.*s\"; build the program again",
                       RT_TEXT_ARG(file), RT_TEXT_ARG(row));
    cnf_site *site = &site_of(run, name, rule, reached)->site;
    site->operation = rt_arena_text(run->arena, fields[OPERATION]);
    site->original = rt_arena_text(run->arena, fields[ORIGINAL]);
    site->mutated = rt_arena_text(run->arena, fields[MUTATED]);
    site->is_reviewed = fields[REVIEW].length > 0;
    return RT_STATUS_OK;
}

rt_status cnf_fault_table_read(const cnf_prove_run *run, rt_text file, cnf_reached *inout_reached)
{
    rt_buffer text;
    RT_TRY(cnf_file_read(run->sink, file, CNF_REPORT_MAX, &text));
    rt_text rest = rt_buffer_text(&text);
    rt_status status = RT_STATUS_OK;
    for (rt_text line; rt_ok(status) && rt_line_take(&rest, &line);) {
        /* A row is a string with its NUL, which is at the beginning of the next line. */
        while (line.length > 0 && line.data[0] == '\0')
            line = rt_text_skip(line, 1);
        if (line.length > 0) status = row_read(run, file, line, inout_reached);
    }
    rt_buffer_free(&text);
    return status;
}

typedef struct ranked_site {
    uint32_t rule, index;
    uint64_t rank;
} ranked_site;

static int ranks_compare(const void *a, const void *b)
{
    const ranked_site *left = a, *right = b;
    if (left->rule != right->rule) return left->rule < right->rule ? -1 : 1;
    return left->rank < right->rank ? -1 : left->rank > right->rank;
}

void cnf_sample_choose(const cnf_prove_run *run, cnf_reached *inout_reached)
{
    const uint32_t count = inout_reached->sites.count, sample = run->options->sample;
    ranked_site *ranked = rt_arena_alloc_array(run->arena, (size_t)count + 1, sizeof *ranked);
    for (uint32_t i = 0; i < count; i++) {
        const cnf_site *site = &inout_reached->sites.items[i].site;
        /* The mutant decides, so that the sample stays the same when lines move. */
        const uint64_t key[] = {run->options->seed,
                                rt_hash64(site->operation.data, site->operation.length),
                                rt_hash64(site->original.data, site->original.length),
                                rt_hash64(site->mutated.data, site->mutated.length)};
        ranked[i] = (ranked_site){site->rule, i, rt_hash64(key, sizeof key)};
    }
    qsort(ranked, count, sizeof *ranked, ranks_compare);
    uint32_t chosen = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (i == 0 || ranked[i].rule != ranked[i - 1].rule) chosen = 0;
        inout_reached->sites.items[ranked[i].index].site.is_chosen =
            run->is_wanted[ranked[i].rule] && (sample == 0 || chosen++ < sample);
    }
}

/* ---- Hits ---------------------------------------------------------------------------------- */

/* The position of the first runner that is not less than `runner`. */
static uint32_t runner_position(const cnf_runners *runners, uint32_t runner)
{
    uint32_t at = runners->count;
    while (at > 0 && runners->items[at - 1] >= runner)
        at--;
    return at;
}

static void runner_add(cnf_runners *runners, uint32_t runner)
{
    uint32_t at = runner_position(runners, runner);
    /* Processes of one run write the same line again. */
    if (at < runners->count && runners->items[at] == runner) return;
    rt_vector_push(runners);
    memmove(&runners->items[at + 1], &runners->items[at],
            (runners->count - 1 - at) * sizeof *runners->items);
    runners->items[at] = runner;
}

uint32_t cnf_hits_read(const cnf_prove_run *run, rt_text file, uint32_t runner, bool is_program,
                       cnf_reached *inout_reached)
{
    uint32_t count = 0;
    rt_buffer text;
    /* Uses a separate sink, because a missing file is not a failure here. */
    rt_sink *sink = rt_sink_create();
    rt_status status = cnf_file_read(sink, file, CNF_REPORT_MAX, &text);
    rt_text rest = rt_ok(status) ? rt_buffer_text(&text) : (rt_text){0};
    for (rt_text line; rt_line_take(&rest, &line);) {
        rt_text place = line;
        uint32_t rule = cnf_rules_find(run->rules, rt_text_take_until(&place, '@'));
        /* A full disk may have truncated the line. */
        if (place.length == 0 || rule == UINT32_MAX) continue;
        cnf_reached_site *site = site_of(run, line, rule, inout_reached);
        runner_add(is_program ? &site->programs : &site->scenarios, runner);
        site->site.is_reached = true;
        count++;
    }
    rt_buffer_free(&text);
    rt_sink_destroy(sink);
    return count;
}

bool cnf_reached_by(const cnf_reached_site *site, uint32_t scenario)
{
    uint32_t at = runner_position(&site->scenarios, scenario);
    return at < site->scenarios.count && site->scenarios.items[at] == scenario;
}

rt_text cnf_site_mark(const cnf_site *site)
{
    rt_text mark = site->text;
    while (mark.length > 0 && mark.data[mark.length - 1] != '.' &&
           mark.data[mark.length - 1] != ':')
        mark.length--;
    if (mark.length == 0 || mark.data[mark.length - 1] == ':') return site->text;
    mark.length--;
    return mark;
}

void cnf_reached_free(cnf_reached *reached)
{
    for (uint32_t i = 0; i < reached->sites.count; i++) {
        rt_vector_free(&reached->sites.items[i].scenarios);
        rt_vector_free(&reached->sites.items[i].programs);
    }
    rt_vector_free(&reached->sites);
    rt_map_free(&reached->by_name);
}
