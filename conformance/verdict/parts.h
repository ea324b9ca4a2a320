/* Joins the records of several runs, each of a part of a suite, and proves that together they are
 * complete: one record for every scenario and subject. */
#ifndef CONFORMANCE_VERDICT_PARTS_H
#define CONFORMANCE_VERDICT_PARTS_H

#include "conformance/verdict/record.h"

/* The records of one run. */
typedef struct cnf_part {
    rt_text name; /* of their file */
    cnf_records records;
} cnf_part;

/* A scenario of the suite. */
typedef struct cnf_part_scenario {
    rt_text path;
    rt_text hash; /* of its contents; a record's hash begins with it */
} cnf_part_scenario;

/* What the joined run must have. Paths and subjects differ. */
typedef struct cnf_whole {
    const cnf_part_scenario *scenarios;
    uint32_t scenario_count;
    const rt_text *subjects;
    uint32_t subject_count;
} cnf_whole;

/* Joins the parts' records, in the order of scenarios and subjects, in the arena; the texts are
 * those of the parts. A scenario that is itself wrong has one record, which several parts may have.
 * Appends a line for each record that is missing, that several parts have, whose scenario or
 * subject is not part of the whole, whose scenario had other contents, or whose conditions differ
 * from the first record's; at most 20 lines of a kind, and the number of the rest. Of several
 * records, the first is kept; those that do not belong to the whole are left out. Returns true if
 * there was nothing to report. */
bool cnf_parts_join(rt_arena *arena, const cnf_part *parts, uint32_t part_count,
                    const cnf_whole *whole, cnf_records *out_records, rt_buffer *out_problems);

#endif
