/* Findings of one launch, collected by their site in the code and their kind. */
#ifndef SIM_FINDING_H
#define SIM_FINDING_H

#include "reference/base/arena.h"
#include "reference/base/map.h"
#include "reference/base/vector.h"
#include "sim/decode/program.h"

/* In the order in which the findings of one place are reported: an address that was never written
 * explains why it is out of bounds. */
typedef enum sim_finding_kind {
    SIM_FINDING_UNINITIALISED,
    SIM_FINDING_OUT_OF_BOUNDS,
    SIM_FINDING_ARRAY_OVERRUN, /* not reported where something is out of bounds of its object */
    SIM_FINDING_USE_AFTER_FREE,
    SIM_FINDING_NULL_POINTER,
    SIM_FINDING_MISALIGNED,
    SIM_FINDING_UNDEFINED_ARITHMETIC,
    SIM_FINDING_DIVERGENT_BARRIER,
    SIM_FINDING_UNREACHABLE,
    SIM_FINDING_BUDGET,
    SIM_FINDING_WRONG_CALL_TARGET,
    SIM_FINDING_UNDECLARED_CALL,
    SIM_FINDING_RACE,
    SIM_FINDING_SAME_VALUE_RACE, /* every write stored the value that was already there */
    SIM_FINDING_SUBGROUP_MISUSE,
    SIM_FINDING_STACK_EXHAUSTED,
    SIM_FINDING_WRITE_TO_CONSTANT,
    SIM_FINDING_ACCESS_MODE,   /* against how the argument was passed */
    SIM_FINDING_COPY_MISUSE,   /* arguments or events of asynchronous copies and waits */
    SIM_FINDING_UNWAITED_COPY, /* the group has ended without waiting for the copy */
    SIM_FINDING_KINDS
} sim_finding_kind;

typedef struct sim_finding_row {
    uint32_t site;
    uint8_t kind; /* sim_finding_kind */
    uint64_t work_item[RT_ND_RANGE_DIMENSIONS];
    rt_text object;
    uint64_t offset;
    uint64_t count;
    rt_text message;
    uint32_t other_site; /* of the other access of a race; 0: none, or unknown */
} sim_finding_row;

typedef struct sim_findings {
    rt_arena arena;
    RT_VECTOR(sim_finding_row) rows;
    rt_map index;        /* site and kind -> row */
    bool copies_diverge; /* some work-items have skipped an asynchronous copy */
} sim_findings;

/* Counts `count` occurrences of a finding of that kind at that site. True if it is the first there;
 * the caller must then fill in *out_row, which is valid until the next call. False if an earlier
 * finding's count was increased. */
bool sim_findings_add(sim_findings *findings, uint32_t site, sim_finding_kind kind, uint64_t count,
                      sim_finding_row **out_row);

/* Reports all findings, ordered by site and then by kind. */
void sim_findings_report(sim_findings *findings, const sim_kernel *kernel,
                         const sim_launch_options *options);

/* Checks that every row is found under its site and kind; returns true, or panics. For CHECK_SLOW
 * (check.c). */
bool sim_findings_check(const sim_findings *findings);

/* Frees the rows and leaves the list empty and usable. */
void sim_findings_free(sim_findings *findings);

#endif
