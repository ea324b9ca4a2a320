/* What each work-item of a kernel can query, derived from the kernel's own nd-range: expected
 * values found by counting work-items one after the other. They are independent of fusion, of the
 * formulas in documents and compilers, and of reference/ (except for its CHECK), so they agree with
 * a runtime only if both are right. Source: OpenCL 3.0 C, 6.15.1 "Work-Item Functions". */
#ifndef CONFORMANCE_SCENARIO_ORACLE_H
#define CONFORMANCE_SCENARIO_ORACLE_H

#include <stdbool.h>
#include <stdint.h>

enum { SCN_ORACLE_DIMENSIONS = 3 };

/* Index 0 is the dimension of get_global_id(0), which varies fastest. */
typedef struct scn_nd_range {
    uint32_t dimensions;                    /* 1 to 3; in dimensions past it, global and local are 1
                                             * and offset is 0 */
    uint64_t global[SCN_ORACLE_DIMENSIONS]; /* >= 1 */
    uint64_t local[SCN_ORACLE_DIMENSIONS];  /* each divides global; all 0: the device chooses */
    uint64_t offset[SCN_ORACLE_DIMENSIONS];
} scn_nd_range;

/* A work-item of a range. */
typedef struct scn_place {
    uint64_t linear;                    /* the number of work-items that precede it */
    uint64_t at[SCN_ORACLE_DIMENSIONS]; /* without offset */
} scn_place;

/* built-in, name in scenarios, whether it concerns groups; the built-ins that take a dimension come
 * first */
#define SCN_INDEXED_BUILT_INS(BUILT_IN)                                                            \
    BUILT_IN(GLOBAL_ID, "global_id", false)                                                        \
    BUILT_IN(GLOBAL_SIZE, "global_size", false)                                                    \
    BUILT_IN(GLOBAL_OFFSET, "global_offset", false)                                                \
    BUILT_IN(LOCAL_ID, "local_id", true)                                                           \
    BUILT_IN(LOCAL_SIZE, "local_size", true)                                                       \
    BUILT_IN(ENQUEUED_LOCAL_SIZE, "enqueued_local_size", true)                                     \
    BUILT_IN(GROUP_ID, "group_id", true)                                                           \
    BUILT_IN(NUM_GROUPS, "num_groups", true)
#define SCN_PLAIN_BUILT_INS(BUILT_IN)                                                              \
    BUILT_IN(WORK_DIM, "work_dim", false)                                                          \
    BUILT_IN(GLOBAL_LINEAR_ID, "global_linear_id", false)                                          \
    BUILT_IN(LOCAL_LINEAR_ID, "local_linear_id", true)

typedef enum scn_built_in {
#define SCN_BUILT_IN_ENUM(built_in, name, of_groups) SCN_BUILT_IN_##built_in,
    SCN_INDEXED_BUILT_INS(SCN_BUILT_IN_ENUM) SCN_PLAIN_BUILT_INS(SCN_BUILT_IN_ENUM)
#undef SCN_BUILT_IN_ENUM
        SCN_BUILT_IN_COUNT,
    SCN_BUILT_IN_PLAIN_FIRST = SCN_BUILT_IN_WORK_DIM
} scn_built_in;

/* The number of work-items of a range; the caller has checked that it fits into 64 bits. */
uint64_t scn_oracle_items(const scn_nd_range *range);

/* Advances to the next work-item like an odometer, and from the last one to the first. */
void scn_oracle_next(const scn_nd_range *range, scn_place *place);

/* True if a built-in's result depends on the local size, which the device chooses if the range
 * leaves it open. */
bool scn_oracle_is_of_groups(scn_built_in built_in);

/* What the built-in returns to that work-item; `dimension` is 0 to 2, and 0 for built-ins that take
 * none. The range must have a local size if the built-in concerns groups. */
uint64_t scn_oracle_answer(const scn_nd_range *range, const scn_place *place, scn_built_in built_in,
                           uint32_t dimension);

/* The linear number of the work-item's group, with dimension 0 varying fastest; the range must have
 * a local size. */
uint64_t scn_oracle_group(const scn_nd_range *range, const scn_place *place);

#endif
