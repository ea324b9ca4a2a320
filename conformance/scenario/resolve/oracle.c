/* Computes the values that work-items can query, by counting work-items. */
#include "conformance/scenario/resolve/oracle.h"

#include "reference/base/check.h"

uint64_t scn_oracle_items(const scn_nd_range *range)
{
    return range->global[0] * range->global[1] * range->global[2];
}

void scn_oracle_next(const scn_nd_range *range, scn_place *place)
{
    place->linear++;
    for (uint32_t d = 0; d < SCN_ORACLE_DIMENSIONS; d++) {
        if (++place->at[d] < range->global[d]) return;
        place->at[d] = 0;
    }
    place->linear = 0;
}

bool scn_oracle_is_of_groups(scn_built_in built_in)
{
    static const bool of_groups[SCN_BUILT_IN_COUNT] = {
#define BUILT_IN_OF_GROUPS(built_in, name, groups) [SCN_BUILT_IN_##built_in] = (groups),
        SCN_INDEXED_BUILT_INS(BUILT_IN_OF_GROUPS) SCN_PLAIN_BUILT_INS(BUILT_IN_OF_GROUPS)
#undef BUILT_IN_OF_GROUPS
    };
    CHECK(built_in < SCN_BUILT_IN_COUNT);
    return of_groups[built_in];
}

uint64_t scn_oracle_group(const scn_nd_range *range, const scn_place *place)
{
    uint64_t number = 0;
    CHECK(range->local[0] > 0 && range->local[1] > 0 && range->local[2] > 0);
    for (uint32_t d = SCN_ORACLE_DIMENSIONS; d-- > 0;)
        number = number * (range->global[d] / range->local[d]) + place->at[d] / range->local[d];
    return number;
}

/* The number of work-items in the same group that precede this one. */
static uint64_t local_linear_id(const scn_nd_range *range, const scn_place *place)
{
    uint64_t number = 0;
    for (uint32_t d = SCN_ORACLE_DIMENSIONS; d-- > 0;)
        number = number * range->local[d] + place->at[d] % range->local[d];
    return number;
}

uint64_t scn_oracle_answer(const scn_nd_range *range, const scn_place *place, scn_built_in built_in,
                           uint32_t dimension)
{
    CHECK(dimension < SCN_ORACLE_DIMENSIONS);
    CHECK_IMPLIES(built_in >= SCN_BUILT_IN_PLAIN_FIRST, dimension == 0);
    CHECK_IMPLIES(scn_oracle_is_of_groups(built_in), range->local[0] > 0);
    uint64_t at = place->at[dimension], global = range->global[dimension];
    uint64_t local = range->local[dimension];
    switch (built_in) {
    case SCN_BUILT_IN_GLOBAL_ID: return at + range->offset[dimension];
    case SCN_BUILT_IN_GLOBAL_SIZE: return global;
    case SCN_BUILT_IN_GLOBAL_OFFSET: return range->offset[dimension];
    case SCN_BUILT_IN_LOCAL_ID: return at % local;
    case SCN_BUILT_IN_LOCAL_SIZE:
    case SCN_BUILT_IN_ENQUEUED_LOCAL_SIZE: return local;
    case SCN_BUILT_IN_GROUP_ID: return at / local;
    case SCN_BUILT_IN_NUM_GROUPS: return global / local;
    case SCN_BUILT_IN_WORK_DIM: return range->dimensions;
    case SCN_BUILT_IN_GLOBAL_LINEAR_ID: return place->linear;
    case SCN_BUILT_IN_LOCAL_LINEAR_ID: return local_linear_id(range, place);
    case SCN_BUILT_IN_COUNT: break;
    }
    UNREACHABLE();
}
