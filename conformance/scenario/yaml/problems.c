/* Collects the problems of a scenario file. This file does not depend on the format, and does not
 * print: the command line does that. */
#include "conformance/scenario/yaml/problems.h"

#include "reference/base/utf8.h"

#include <string.h>

bool scn_report(scn_reporter *reporter, scn_position at, const char *format, ...)
{
    CHECK(at.line >= 1 && at.column >= 1);
    CHECK(reporter->count <= SCN_PROBLEM_COUNT_MAX);
    if (reporter->count == SCN_PROBLEM_COUNT_MAX) return false;
    rt_buffer message = {0};
    va_list arguments;
    va_start(arguments, format);
    rt_buffer_vprintf(&message, format, arguments);
    va_end(arguments);
    CHECK(message.size > 0 && !memchr(message.data, '\n', message.size));
    reporter->items[reporter->count++] =
        (scn_problem){.at = at, .text = rt_arena_text(reporter->arena, rt_buffer_text(&message))};
    rt_buffer_free(&message);
    return false;
}

bool scn_report_inside(scn_reporter *reporter, rt_text file, const scn_reporter *inside)
{
    CHECK(inside->count > 0 && file.length > 0);
    for (uint32_t i = 0; i < inside->count && reporter->count < SCN_PROBLEM_COUNT_MAX; i++) {
        scn_problem problem = inside->items[i];
        problem.file = rt_arena_text(reporter->arena, file);
        bool is_known = false; /* reported already, if two modules name the same file */
        for (uint32_t k = 0; k < reporter->count && !is_known; k++) {
            const scn_problem *known = &reporter->items[k];
            is_known = rt_text_equal(known->file, problem.file) &&
                       rt_text_equal(known->text, problem.text) &&
                       known->at.line == problem.at.line && known->at.column == problem.at.column;
        }
        if (!is_known) reporter->items[reporter->count++] = problem;
    }
    return false;
}

static bool problem_before(const scn_problem *a, const scn_problem *b)
{
    if (!rt_text_equal(a->file, b->file)) return a->file.length == 0;
    return a->at.line < b->at.line || (a->at.line == b->at.line && a->at.column < b->at.column);
}

scn_problems scn_reporter_finish(scn_reporter *reporter)
{
    uint32_t count = reporter->count;
    CHECK(count <= SCN_PROBLEM_COUNT_MAX);
    scn_problem *sorted = rt_arena_alloc_array(reporter->arena, count, sizeof *sorted);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t place = i; /* stable sort: problems at the same position stay in the order in which
                             * they were found */
        while (place > 0 && problem_before(&reporter->items[i], &sorted[place - 1])) {
            sorted[place] = sorted[place - 1];
            place--;
        }
        sorted[place] = reporter->items[i];
    }
    return (scn_problems){sorted, count};
}

/* Returns the contents as a string in the arena, and frees the buffer. */
static const char *keep(rt_arena *arena, rt_buffer *buffer)
{
    rt_text copy = rt_arena_text(arena, rt_buffer_text(buffer));
    rt_buffer_free(buffer);
    return copy.data;
}

const char *scn_excerpt(rt_arena *arena, rt_text text)
{
    rt_buffer excerpt = {0};
    rt_buffer_append_excerpt(&excerpt, text);
    return keep(arena, &excerpt);
}

const char *scn_nearest_hint(rt_arena *arena, const rt_nearest *nearest)
{
    rt_buffer hint = {0};
    rt_nearest_hint(nearest, &hint);
    return keep(arena, &hint);
}
