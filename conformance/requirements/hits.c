/* Reads the marks that a run reached, as base/rule.c writes them: one "ID@FILE:LINE" per line. */
#include "conformance/requirements/prove_internal.h"

#include "reference/base/lines.h"

#include <string.h>

void cnf_hits_read(rt_arena *arena, const cnf_rules *rules, rt_text file, cnf_hits *out_hits)
{
    *out_hits = (cnf_hits){0};
    RT_VECTOR(cnf_hit) hits = {0};
    rt_buffer text;
    /* Uses a separate sink, because a missing file is not a failure here. */
    rt_sink *sink = rt_sink_create();
    rt_status status = cnf_file_read(sink, file, CNF_REPORT_MAX, &text);
    rt_text rest = rt_ok(status) ? rt_buffer_text(&text) : (rt_text){0};
    for (rt_text line; rt_line_take(&rest, &line);) {
        rt_text mark = line;
        uint32_t rule = cnf_rules_find(rules, rt_text_take_until(&mark, '@'));
        /* A full disk may have truncated the line. */
        if (mark.length == 0 || rule == UINT32_MAX) continue;
        CHECK(rule < rules->count);
        *rt_vector_push(&hits) = (cnf_hit){rt_arena_text(arena, line), rule};
    }
    if (hits.count > 0) {
        cnf_hit *items = rt_arena_alloc_array(arena, hits.count, sizeof *items);
        memcpy(items, hits.items, hits.count * sizeof *items);
        *out_hits = (cnf_hits){items, hits.count};
    }
    rt_vector_free(&hits);
    rt_buffer_free(&text);
    rt_sink_destroy(sink);
}

void cnf_reached_add(cnf_reached *reached, uint32_t runner, const cnf_hit *hit, bool by_program)
{
    uint32_t site = 0;
    while (site < reached->sites.count &&
           !rt_text_equal(reached->sites.items[site].site.text, hit->site))
        site++;
    if (site == reached->sites.count) {
        const cnf_site added = {.text = hit->site, .rule = hit->rule, .by_program = by_program};
        *rt_vector_push(&reached->sites) = (cnf_reached_site){.site = added};
    }
    CHECK(reached->sites.items[site].site.rule == hit->rule);
    *rt_vector_push(&reached->pairs) = (uint64_t)runner << 32 | site;
}

bool cnf_reached_by(const cnf_reached *reached, uint32_t runner, uint32_t site)
{
    CHECK(site < reached->sites.count);
    for (uint32_t i = 0; i < reached->pairs.count; i++)
        if (reached->pairs.items[i] == ((uint64_t)runner << 32 | site)) return true;
    return false;
}

void cnf_reached_free(cnf_reached *reached)
{
    rt_vector_free(&reached->sites);
    rt_vector_free(&reached->pairs);
}
