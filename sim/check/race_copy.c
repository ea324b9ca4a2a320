/* Asynchronous copies as parties to data races.
 *
 * A copy is not part of the work-items that begin it and is not ordered with their accesses: it may
 * read and write at any time from when the first work-item begins it until all have waited for its
 * event. It therefore has its own id, after those of the work-items, and its accesses are recorded
 * again after every barrier that precedes the wait. A copy need not see what a work-item has
 * written just before it: OpenCL C requires a barrier in between, even if each work-item writes
 * exactly the part that it would itself copy.
 *
 * The simulator copies the values when the copy begins; this file only judges which accesses may
 * conflict. The wait is also a barrier of the group's work-items, as on every device, though OpenCL
 * C does not say so. Source: OpenCL C specification 3.0 section 6.15.11, SPIR-V specification 1.6
 * OpGroupAsyncCopy. */
#include "reference/base/alloc.h"
#include "sim/check/race.h"
#include "sim/memory/note.h"

/* Notes the first argument in which the work-items differ. Copies at different places are found as
 * divergent: not all work-items reach the same one. */
static void compare_arguments(sim_exec *x, const sim_race_copy *copy, uint32_t lane,
                              const sim_race_copy_arguments *mine)
{
    const sim_race_copy_arguments *first = &copy->arguments;
    const char *what = first->target != mine->target   ? "target"
                       : first->source != mine->source ? "source"
                       : first->count != mine->count   ? "number of elements"
                       : first->stride != mine->stride ? "stride"
                       : first->shared != mine->shared ? "event"
                                                       : NULL;
    sim_finding_row *row;
    if (!what ||
        !sim_findings_add(&x->launch->findings, copy->site, SIM_FINDING_COPY_MISUSE, 1, &row)) {
        return;
    }
    sim_row_fill(x, row, lane,
                 rt_arena_printf(&x->launch->findings.arena,
                                 "asynchronous copy whose %s differs between the work-items of the "
                                 "group, begun",
                                 what));
}

uint64_t sim_race_copy_begin(sim_exec *x, uint32_t site, uint32_t lane,
                             const sim_race_copy_arguments *arguments)
{
    sim_race *race = x->launch->race;
    CHECK(race->is_on && race->copy_now == SIM_NONE);
    uint32_t number = race->copy_calls[x->wave->first_item + lane]++;
    CHECK(number <= race->copies.count);
    if (number == race->copies.count) {
        uint64_t event = arguments->shared ? arguments->shared : number + UINT64_C(1);
        *rt_vector_push(&race->copies) =
            (sim_race_copy){.event = event, .site = site, .arguments = *arguments};
    }
    const sim_race_copy *copy = &race->copies.items[number];
    if (copy->site == site) compare_arguments(x, copy, lane, arguments);
    race->copy_now = number;
    return copy->event;
}

void sim_race_copy_begun(sim_exec *x)
{
    CHECK(x->launch->race->copy_now != SIM_NONE);
    x->launch->race->copy_now = SIM_NONE;
}

uint32_t sim_race_copy_stamp(sim_race *race, uint32_t number, sim_race_class class)
{
    CHECK(number < race->copies.count);
    sim_race_copy *copy = &race->copies.items[number];
    if (copy->stamp[class] == 0) {
        copy->stamp[class] = sim_race_stamp_one(race, class, race->items_max + number);
    }
    return copy->stamp[class];
}

void sim_race_copy_note(sim_race *race, const sim_race_piece *piece)
{
    CHECK(race->copy_now < race->copies.count);
    sim_race_copy *copy = &race->copies.items[race->copy_now];
    if (!copy->is_complete) *rt_vector_push(&copy->pieces) = *piece;
}

/* Compares the event with that of the first work-item that reached the wait. A wait ends in a
 * barrier of the group, so there is one at a time. */
static bool is_same_event(sim_race *race, uint32_t site, uint64_t number, uint64_t count,
                          uint64_t event)
{
    if (race->wait_site == 0) {
        race->wait_site = site;
        race->wait_count = count;
    }
    if (race->wait_site != site) return true; /* the barriers differ, which is a finding */
    if (number == race->wait_events.count) *rt_vector_push(&race->wait_events) = event;
    return race->wait_count == count && number < race->wait_events.count &&
           race->wait_events.items[number] == event;
}

void sim_race_copy_wait(sim_exec *x, uint32_t site, uint32_t lane, uint64_t number, uint64_t count,
                        uint64_t event)
{
    sim_race *race = x->launch->race;
    if (!race->is_on) return;
    CHECK(race->copy_now == SIM_NONE);
    bool is_known = false;
    for (uint32_t i = 0; i < race->copies.count; i++) {
        if (race->copies.items[i].event != event) continue;
        is_known = true;
        race->copies.items[i].is_waited = true;
    }
    const char *wrong = event == 0  ? "wait for a null event,"
                        : !is_known ? "wait for an event that no copy of the group has,"
                                    : NULL;
    if (!is_same_event(race, site, number, count, event) && !wrong)
        wrong = "wait whose events differ between the work-items of the group, reached";
    if (wrong) sim_note(x, site, SIM_FINDING_COPY_MISUSE, lane, 1, wrong);
}

void sim_race_copies_complete(sim_race *race)
{
    race->wait_site = 0;
    race->wait_events.count = 0;
    for (uint32_t i = race->copy_first; i < race->copies.count; i++) {
        sim_race_copy *copy = &race->copies.items[i];
        if (copy->is_waited && !copy->is_complete) rt_vector_free(&copy->pieces);
        copy->is_complete |= copy->is_waited;
    }
    while (race->copy_first < race->copies.count &&
           race->copies.items[race->copy_first].is_complete)
        race->copy_first++;
}

void sim_race_copies_renew(sim_race *race, sim_race_class class)
{
    for (uint32_t i = race->copy_first; i < race->copies.count; i++)
        race->copies.items[i].stamp[class] = 0;
    for (uint32_t i = race->copy_first; i < race->copies.count; i++) {
        sim_race_copy *copy = &race->copies.items[i];
        for (uint32_t k = 0; !copy->is_complete && k < copy->pieces.count; k++) {
            const sim_race_piece *piece = &copy->pieces.items[k];
            if (piece->shadow->class != class) continue;
            uint32_t stamp = sim_race_copy_stamp(race, i, class);
            sim_race_record(&race->clocks[class], piece, race->items_max + i, stamp,
                            SIM_RACE_PLAIN);
        }
    }
}

void sim_race_copies_forget(sim_race *race)
{
    for (uint32_t i = race->copy_first; i < race->copies.count; i++)
        rt_vector_free(&race->copies.items[i].pieces);
    race->copies.count = race->copy_first = 0;
    race->wait_site = 0;
    race->wait_events.count = 0;
    memset(race->copy_calls, 0, race->items * sizeof *race->copy_calls);
}

void sim_race_copies_end(sim_exec *x)
{
    sim_race *race = x->launch->race;
    if (!race->is_on || !race->copies.count) return;
    CHECK(race->copy_now == SIM_NONE && race->copy_first <= race->copies.count);
    for (uint32_t i = race->copy_first; i < race->copies.count; i++) {
        const sim_race_copy *copy = &race->copies.items[i];
        if (copy->is_complete) continue;
        sim_note(x, copy->site, SIM_FINDING_UNWAITED_COPY, 0, 1,
                 "asynchronous copy that no work-item waits for before the work-group ends, begun");
    }
    sim_race_copies_forget(race);
}
