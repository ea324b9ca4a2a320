/* Reading the marks that a run reached, as base/rule.c writes them: one "ID@FILE:LINE" per line. */
#include "conformance/requirements/prove_internal.h"

#include "reference/base/lines.h"

#include <string.h>

/* The rule before the '@'; UINT32_MAX if there is none, for example because a full disk truncated
 * the line. */
static uint32_t line_rule(const cnf_rules *rules, rt_text line)
{
    const char *mark = line.length > 0 ? memchr(line.data, '@', line.length) : NULL;
    if (!mark) return UINT32_MAX;
    return cnf_rules_find(rules, (rt_text){line.data, (size_t)(mark - line.data)});
}

void cnf_hits_read(rt_arena *arena, const cnf_rules *rules, rt_text file, cnf_hits *out_hits)
{
    *out_hits = (cnf_hits){0};
    RT_VECTOR(cnf_hit) found = {0};
    rt_buffer text;
    /* A separate sink, because a missing file is not a failure here. */
    rt_sink *sink = rt_sink_create();
    rt_status status = cnf_file_read(sink, file, CNF_REPORT_MAX, &text);
    rt_text rest = rt_ok(status) ? rt_buffer_text(&text) : (rt_text){0};
    for (rt_text line; rt_line_take(&rest, &line);) {
        uint32_t rule = line_rule(rules, line);
        if (rule == UINT32_MAX) continue;
        *rt_vector_push(&found) = (cnf_hit){rt_arena_text(arena, line), rule};
    }
    if (found.count > 0) {
        cnf_hit *items = rt_arena_alloc_array(arena, found.count, sizeof *items);
        memcpy(items, found.items, found.count * sizeof *items);
        *out_hits = (cnf_hits){items, found.count};
    }
    rt_vector_free(&found);
    rt_buffer_free(&text);
    rt_sink_destroy(sink);
}
