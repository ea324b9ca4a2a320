/* Joins parts through a table with a cell for each scenario and subject. */
#include "conformance/verdict/parts.h"

#include "reference/base/map.h"

#include <string.h>

enum { LISTED_MAX = 20 };

typedef enum problem_kind {
    PROBLEM_MISSING,
    PROBLEM_TWICE,
    PROBLEM_FOREIGN,
    PROBLEM_CHANGED,
    PROBLEM_CONDITIONS,
    PROBLEM_COUNT
} problem_kind;

static const char *const problem_words[PROBLEM_COUNT] = {
    "missing", "twice", "not of this suite", "with other contents", "under other conditions"};

/* A record and the part that it comes from; NULL: none yet. */
typedef struct part_cell {
    const cnf_record *record;
    const cnf_part *part;
} part_cell;

typedef struct part_joiner {
    const cnf_whole *whole;
    part_cell *cells;   /* a row of subjects for each scenario */
    part_cell *invalid; /* of each scenario: its record about the scenario itself */
    rt_map scenarios, subjects;
    const cnf_record *first; /* of all parts */
    uint32_t counts[PROBLEM_COUNT];
    rt_buffer *out;
} part_joiner;

/* Counts a problem. Returns true if its line is to be written. */
static bool problem_count(part_joiner *joiner, problem_kind kind)
{
    return joiner->counts[kind]++ < LISTED_MAX;
}

static void problem_write(part_joiner *joiner, problem_kind kind, const cnf_record *record,
                          const cnf_part *part)
{
    if (!problem_count(joiner, kind)) return;
    rt_buffer_printf(joiner->out, "%.*s: %.*s on %.*s: ", RT_TEXT_ARG(part->name),
                     RT_TEXT_ARG(record->scenario), RT_TEXT_ARG(record->subject));
    switch (kind) {
    case PROBLEM_FOREIGN:
        rt_buffer_printf(joiner->out, "the suite or the list of subjects does not have it\n");
        return;
    case PROBLEM_CHANGED:
        rt_buffer_printf(joiner->out, "the scenario had other contents; run it again\n");
        return;
    case PROBLEM_CONDITIONS:
        rt_buffer_printf(joiner->out, "ran with '%.*s', but the first record with '%.*s'\n",
                         RT_TEXT_ARG(record->conditions), RT_TEXT_ARG(joiner->first->conditions));
        return;
    default: UNREACHABLE();
    }
}

/* Puts a record into its cell. */
static void record_place(part_joiner *joiner, const cnf_part *part, const cnf_record *record)
{
    const cnf_whole *whole = joiner->whole;
    uint32_t scenario = rt_map_find(&joiner->scenarios, record->scenario);
    uint32_t subject = rt_map_find(&joiner->subjects, record->subject);
    bool is_about_scenario = !cnf_record_has_subject(record);
    if (!joiner->first) joiner->first = record;
    if (scenario == RT_MAP_NONE || (subject == RT_MAP_NONE && !is_about_scenario)) {
        problem_write(joiner, PROBLEM_FOREIGN, record, part);
        return;
    }
    /* A record of a file that could not be read has no hash. */
    rt_text hash = whole->scenarios[scenario].hash;
    if (record->hash.length > 0 && !rt_text_starts(record->hash, hash.data))
        problem_write(joiner, PROBLEM_CHANGED, record, part);
    if (!rt_text_equal(record->conditions, joiner->first->conditions))
        problem_write(joiner, PROBLEM_CONDITIONS, record, part);
    part_cell *cell = is_about_scenario
                          ? &joiner->invalid[scenario]
                          : &joiner->cells[(size_t)scenario * whole->subject_count + subject];
    if (!cell->record) {
        *cell = (part_cell){record, part};
    } else if (!is_about_scenario && problem_count(joiner, PROBLEM_TWICE)) {
        rt_buffer_printf(joiner->out, "%.*s on %.*s: in %.*s and in %.*s\n",
                         RT_TEXT_ARG(record->scenario), RT_TEXT_ARG(record->subject),
                         RT_TEXT_ARG(cell->part->name), RT_TEXT_ARG(part->name));
    }
}

/* Collects the cells' records, and reports empty cells. */
static void cells_collect(part_joiner *joiner, cnf_record *out_items, uint32_t *out_count)
{
    const cnf_whole *whole = joiner->whole;
    uint32_t count = 0;
    for (uint32_t i = 0; i < whole->scenario_count; i++) {
        const cnf_record *invalid = joiner->invalid[i].record;
        if (invalid) out_items[count++] = *invalid;
        for (uint32_t k = 0; k < whole->subject_count; k++) {
            const cnf_record *record = joiner->cells[(size_t)i * whole->subject_count + k].record;
            if (record) out_items[count++] = *record;
            if (record || invalid || !problem_count(joiner, PROBLEM_MISSING)) continue;
            rt_buffer_printf(joiner->out, "%.*s on %.*s: missing\n",
                             RT_TEXT_ARG(whole->scenarios[i].path),
                             RT_TEXT_ARG(whole->subjects[k]));
        }
    }
    *out_count = count;
}

bool cnf_parts_join(rt_arena *arena, const cnf_part *parts, uint32_t part_count,
                    const cnf_whole *whole, cnf_records *out_records, rt_buffer *out_problems)
{
    const size_t cells = (size_t)whole->scenario_count * whole->subject_count;
    part_joiner joiner = {
        .whole = whole,
        .cells = rt_arena_alloc_array(arena, cells + 1, sizeof(part_cell)),
        .invalid = rt_arena_alloc_array(arena, whole->scenario_count + 1, sizeof(part_cell)),
        .out = out_problems};
    for (uint32_t i = 0; i < whole->scenario_count; i++)
        rt_map_set(&joiner.scenarios, whole->scenarios[i].path, i);
    for (uint32_t i = 0; i < whole->subject_count; i++)
        rt_map_set(&joiner.subjects, whole->subjects[i], i);
    for (uint32_t i = 0; i < part_count; i++)
        for (uint32_t k = 0; k < parts[i].records.count; k++)
            record_place(&joiner, &parts[i], &parts[i].records.items[k]);
    cnf_record *items =
        rt_arena_alloc_array(arena, cells + whole->scenario_count + 1, sizeof *items);
    uint32_t count;
    cells_collect(&joiner, items, &count);
    CHECK(count <= cells + whole->scenario_count);
    *out_records = (cnf_records){.items = items, .count = count};
    bool is_complete = true;
    for (int kind = 0; kind < PROBLEM_COUNT; kind++) {
        if (joiner.counts[kind] > LISTED_MAX)
            rt_buffer_printf(out_problems, "%u more %s\n", joiner.counts[kind] - LISTED_MAX,
                             problem_words[kind]);
        is_complete = is_complete && joiner.counts[kind] == 0;
    }
    rt_map_free(&joiner.scenarios);
    rt_map_free(&joiner.subjects);
    return is_complete;
}
