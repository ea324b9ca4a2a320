/* Reads scenario files, and writes and reads the serialised form that child processes execute. */
#ifndef CONFORMANCE_SCENARIO_SCENARIO_H
#define CONFORMANCE_SCENARIO_SCENARIO_H

#include "conformance/scenario/model/model.h"
#include "reference/trace/trace.h"

/* One problem in a scenario file, printed as "FILE:LINE:COLUMN: error: TEXT". */
typedef struct scn_problem {
    scn_position at;
    rt_text text; /* one line: what is wrong, and what would be right (for instance the nearest
                   * valid name) */
    rt_text file; /* the companion file that has the problem; empty: the scenario file itself */
} scn_problem;

/* Appends a problem of the scenario `file` in its printed form, followed by a line feed. */
static inline void scn_problem_write(rt_buffer *out, rt_text file, const scn_problem *problem)
{
    rt_text place = problem->file.length > 0 ? problem->file : file;
    rt_buffer_printf(out, "%.*s:%u:%u: error: %.*s\n", RT_TEXT_ARG(place), problem->at.line,
                     problem->at.column, RT_TEXT_ARG(problem->text));
}

typedef struct scn_problems {
    const scn_problem *items; /* in file order */
    uint32_t count;           /* 0: the scenario is valid */
} scn_problems;

/* Appends all problems in that form. */
static inline void scn_problems_write(rt_buffer *out, rt_text file, const scn_problems *problems)
{
    for (uint32_t i = 0; i < problems->count; i++)
        scn_problem_write(out, file, &problems->items[i]);
}

/* Reads and checks one scenario. `text` holds the file's contents (borrowed until the arena is
 * reset), `file` its name for messages, `path` its name in records. Reports all independent
 * problems (at most 20), not only the first. Returns NULL if there are any. The scenario and the
 * problems are allocated in the arena. */
const scn_scenario *scn_read(rt_arena *arena, rt_text text, rt_text file, rt_text path,
                             scn_problems *out_problems);

/* The path at which to open a companion file, in the arena: the folder of the scenario's file,
 * followed by `name` as the scenario writes it (scn_source.file). */
static inline rt_text scn_companion_path(rt_arena *arena, const scn_scenario *scenario,
                                         rt_text name)
{
    size_t length = scenario->file.length;
    while (length > 0 && scenario->file.data[length - 1] != '/')
        length--;
    rt_text folder = {scenario->file.data, length};
    return rt_arena_printf(arena, "%.*s%.*s", RT_TEXT_ARG(folder), RT_TEXT_ARG(name));
}

/* True for the key work_items of events with a global size: the product of the sizes in their field
 * `global`, which is the same for every shape of a launch.  No event holds it as a field. */
bool scn_event_counts_work_items(rt_event_kind kind, rt_text key);

/* The name (static) of the field in which events of that kind list their image or images; NULL if
 * events of that kind name no images, and so cannot have conditions on them. */
const char *scn_event_images_field(rt_event_kind kind);

/* The aspects that every device of the scenario hides: bits 1u << dev_aspect. */
static inline uint32_t scn_scenario_hidden_aspects(const scn_scenario *scenario)
{
    uint32_t hidden = UINT32_MAX;
    CHECK(scenario->device_count > 0);
    for (uint32_t i = 0; i < scenario->device_count; i++)
        hidden &= scenario->devices[i].hidden_aspects;
    return hidden;
}

/* True if the scenario has steps that fuse kernels, or steps that exist only to end a fusion. */
bool scn_scenario_fuses(const scn_scenario *scenario);

/* Appends the serialised form of a scenario, including its modules' images. */
void scn_pack_write(rt_buffer *out, const scn_scenario *scenario);

/* Reads a pack; texts and byte spans point into `pack`, tables are allocated in the arena.
 * MALFORMED: the pack is damaged (the message gives the offset of the fault) or of another version.
 */
RT_MUST_USE rt_status scn_pack_read(rt_sink *sink, rt_arena *arena, rt_bytes pack,
                                    const scn_scenario **out_scenario);

/* Appends a JSON Schema (draft 2020-12) of the scenario format, made from the reader's own table.
 */
void scn_schema_write(rt_buffer *out);

/* Appends the reference page of the scenario format, in Markdown, from the same table. */
void scn_page_write(rt_buffer *out);

/* The step that makes the memory part of a buffer; SCN_NONE: it is a memory of its own. */
uint32_t scn_part_step(const scn_scenario *scenario, uint32_t memory);

#endif
