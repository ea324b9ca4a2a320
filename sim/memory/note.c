/* Findings about lanes of the running fragment, and values chosen for them. */
#include "sim/memory/note.h"

uint32_t sim_first_lane(const sim_exec *x)
{
    uint32_t lane = x->low;
    while (lane < x->high && !x->mask[lane])
        lane++;
    CHECK(lane < x->high);
    return lane;
}

void sim_work_item_of(const sim_wave *wave, uint32_t lane, uint64_t *out_ids)
{
    for (uint32_t k = 0; k < RT_ND_RANGE_DIMENSIONS; k++) {
        const uint8_t *row = wave->rows.data + (SIM_ROW_GLOBAL_ID + k) * SIM_ROW_BYTES(8);
        memcpy(&out_ids[k], row + lane * sizeof *out_ids, sizeof *out_ids);
    }
}

void sim_row_fill(sim_exec *x, sim_finding_row *row, uint32_t lane, rt_text text)
{
    sim_work_item_of(x->wave, lane, row->work_item);
    row->message = rt_arena_printf(
        &x->launch->findings.arena, "%.*s by work-item (%llu, %llu, %llu)", RT_TEXT_ARG(text),
        (unsigned long long)row->work_item[0], (unsigned long long)row->work_item[1],
        (unsigned long long)row->work_item[2]);
}

void sim_note(sim_exec *x, uint32_t site, sim_finding_kind kind, uint32_t lane, uint64_t count,
              const char *text)
{
    sim_finding_row *row;
    if (!sim_findings_add(&x->launch->findings, site, kind, count, &row)) return;
    sim_row_fill(x, row, lane, rt_text_of(text));
}

uint64_t sim_lane_choose(const sim_exec *x, uint32_t site, uint32_t lane)
{
    uint64_t ids[RT_ND_RANGE_DIMENSIONS];
    sim_work_item_of(x->wave, lane, ids);
    uint64_t key = site;
    for (uint32_t k = 0; k < RT_ND_RANGE_DIMENSIONS; k++)
        key = key * UINT64_C(1000003) + ids[k];
    return sim_world_choose(x->launch->world, key);
}
