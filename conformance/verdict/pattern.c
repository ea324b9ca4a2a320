/* Recognises patterns in one pass over the runs of adjacent indices. */
#include "conformance/verdict/pattern.h"

#include <inttypes.h>

/* The indices as equally long and equally spaced runs of adjacent indices. */
typedef struct index_pattern {
    uint64_t total, count, first, last;
    uint64_t run_length, period;            /* length of the first run; distance to the second */
    uint64_t run_count, run_begin, run_end; /* the newest run: [begin, end) */
    bool regular;
} index_pattern;

static void pattern_run_end(index_pattern *pattern)
{
    uint64_t length = pattern->run_end - pattern->run_begin;
    if (pattern->run_count == 1) pattern->run_length = length;
    /* The last run may be cut short by the end of the memory. */
    bool cut = pattern->run_end == pattern->total && length < pattern->run_length;
    if (length != pattern->run_length && !cut) pattern->regular = false;
}

static void pattern_add(index_pattern *pattern, uint64_t index)
{
    pattern->last = index;
    if (pattern->count++ == 0) pattern->first = index;
    if (pattern->run_count > 0 && pattern->run_end == index) {
        pattern->run_end++;
        return;
    }
    if (pattern->run_count > 0) {
        uint64_t distance = index - pattern->run_begin;
        pattern_run_end(pattern);
        if (pattern->run_count == 1) pattern->period = distance;
        if (distance != pattern->period) pattern->regular = false;
    }
    pattern->run_count++;
    pattern->run_begin = index;
    pattern->run_end = index + 1;
}

static rt_text pattern_print(rt_arena *arena, const index_pattern *pattern)
{
    uint64_t first = pattern->first, last = pattern->last, period = pattern->period;
    CHECK(pattern->count > 0 && pattern->count <= pattern->total);
    CHECK(first <= last && last < pattern->total);
    if (pattern->count == 1) return RT_TEXT("one element");
    if (pattern->count == pattern->total) return RT_TEXT("all");
    if (pattern->run_count == 1) {
        if (last == pattern->total - 1)
            return rt_arena_printf(arena, "all from %" PRIu64 " on", first);
        if (first == 0) return rt_arena_printf(arena, "the first %" PRIu64, pattern->count);
        return rt_arena_printf(arena, "%" PRIu64 " to %" PRIu64, first, last);
    }
    if (pattern->count == 2) return rt_arena_printf(arena, "%" PRIu64 " and %" PRIu64, first, last);
    if (!pattern->regular)
        return rt_arena_printf(arena, "between %" PRIu64 " and %" PRIu64 ", without a pattern",
                               first, last);
    /* For example "every 4th from 2" or "runs of 64, every 128th from 64 to 511" */
    static const char *const endings[] = {"th", "st", "nd", "rd"};
    bool single = pattern->run_length == 1;
    bool whole = pattern->run_begin + period >= pattern->total;
    if (single && period == 2 && first < 2 && whole)
        return first == 0 ? RT_TEXT("even indices") : RT_TEXT("odd indices");
    bool is_teen = period / 10 % 10 == 1;
    rt_text runs = single ? (rt_text){0}
                          : rt_arena_printf(arena, "runs of %" PRIu64 ", ", pattern->run_length);
    rt_text end = whole ? (rt_text){0} : rt_arena_printf(arena, " to %" PRIu64, last);
    return rt_arena_printf(arena, "%.*severy %" PRIu64 "%s from %" PRIu64 "%.*s", RT_TEXT_ARG(runs),
                           period, endings[is_teen || period % 10 > 3 ? 0 : period % 10], first,
                           RT_TEXT_ARG(end));
}

cnf_pattern cnf_pattern_find(rt_arena *arena, const uint8_t *differs, uint64_t total)
{
    index_pattern pattern = {.total = total, .regular = true};
    for (uint64_t i = 0; i < total; i++)
        if (differs[i]) pattern_add(&pattern, i);
    if (pattern.count == 0) return (cnf_pattern){0};
    pattern_run_end(&pattern);
    return (cnf_pattern){pattern.count, pattern.first, pattern_print(arena, &pattern)};
}
