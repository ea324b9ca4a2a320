/* Undefined bits as they move between memory and registers, and the findings about their use.
 * shadow_rules.c defines how operations propagate them. */
#include "sim/check/shadow.h"

#include "reference/base/alloc.h"
#include "sim/memory/note.h"

#include <string.h>

/* ---- Tracking ------------------------------------------------------------------------------- */

void sim_shadow_free(sim_shadow *shadow)
{
    if (!shadow) return;
    rt_free(shadow->rows.block);
    rt_free(shadow->stack.block);
    rt_free(shadow->rows_marks.block);
    rt_free(shadow->stack_marks.block);
    rt_free(shadow);
}

static void memory_clear(sim_lane_memory *memory, uint64_t size)
{
    sim_lane_memory_grow(memory, size, 0);
    memset(memory->data, 0, memory->size);
}

void sim_shadow_start(sim_exec *x)
{
    sim_wave *wave = x->wave;
    if (wave->tracks) return;
    sim_pack_give_up(x);
    wave->tracks = true;
    if (!wave->shadow) wave->shadow = rt_alloc(sizeof *wave->shadow);
    memory_clear(&wave->shadow->rows, wave->rows.size);
    memory_clear(&wave->shadow->rows_marks, wave->rows.size / SIM_SHADOW_UNIT + 1);
    memory_clear(&wave->shadow->stack, wave->stack.size);
    memory_clear(&wave->shadow->stack_marks, wave->stack.size / SIM_SHADOW_UNIT + 1);
    memset(wave->shadow->origins, 0, sizeof wave->shadow->origins);
    sim_launch_state *l = x->launch;
    if (!l->pool_undefined) {
        /* Everything in the pool is defined except the results of OpUndef. */
        uint32_t slots = l->program->pool_slot_count;
        CHECK(slots >= SIM_POOL_SLOTS);
        l->pool_undefined = rt_alloc_array(slots, sizeof *l->pool_undefined);
        l->pool_undefined[SIM_SLOT_UNDEFINED] = UINT64_MAX;
        l->pool_undefined[SIM_SLOT_UNDEFINED_BOOL] = 1;
    }
    sim_shadow_bases(x, x->frame, x->undefined);
    x->plain_end = x->frame->function->ops; /* all operations after the running one are tracked */
}

void sim_shadow_bases(sim_exec *x, const sim_frame *frame, uint8_t **out_bases)
{
    sim_shadow *shadow = x->wave->shadow;
    CHECK(x->wave->tracks && shadow);
    sim_lane_memory_grow(&shadow->stack, x->wave->stack.size, 0);
    sim_lane_memory_grow(&shadow->stack_marks, x->wave->stack.size / SIM_SHADOW_UNIT + 1, 0);
    CHECK(frame->lanes_first + frame->function->frame_bytes <= shadow->stack.size);
    out_bases[SIM_SPACE_FRAME] = shadow->stack.data + frame->lanes_first;
    out_bases[SIM_SPACE_WAVE] = shadow->rows.data;
    out_bases[SIM_SPACE_UNIFORM] = sim_frame_undefined(frame);
    out_bases[SIM_SPACE_POOL] = (uint8_t *)x->launch->pool_undefined;
}

/* ---- Registers ------------------------------------------------------------------------------ */

uint64_t sim_shadow_get(const sim_exec *x, sim_register place, uint32_t bytes, uint32_t lane)
{
    uint64_t undefined = 0;
    uint32_t step = sim_register_uniform(place) ? 0 : lane * bytes;
    CHECK(bytes <= sizeof undefined);
    memcpy(&undefined, (const uint8_t *)sim_shadow_at(x, place) + step, bytes);
    return undefined;
}

/* Returns the marks for a row, which must be in space FRAME or WAVE. */
static uint8_t *marks_of(const sim_exec *x, sim_register place)
{
    const sim_shadow *shadow = x->wave->shadow;
    bool in_frame = place >> SIM_REGISTER_SHIFT == SIM_SPACE_FRAME;
    const uint8_t *first = in_frame ? shadow->stack.data : shadow->rows.data;
    uint64_t offset = (uint64_t)((const uint8_t *)sim_shadow_at(x, place) - first);
    CHECK(offset % SIM_SHADOW_UNIT == 0);
    return (in_frame ? shadow->stack_marks : shadow->rows_marks).data + offset / SIM_SHADOW_UNIT;
}

void sim_shadow_mark(const sim_exec *x, const uint8_t *row, uint32_t bytes)
{
    const sim_shadow *shadow = x->wave->shadow;
    uint64_t offset = (uint64_t)(row - shadow->stack.data);
    CHECK(offset < shadow->stack.size);
    memset(shadow->stack_marks.data + offset / SIM_SHADOW_UNIT, 1, bytes);
}

void sim_shadow_set(const sim_exec *x, sim_register place, uint32_t bytes, uint32_t lane,
                    uint64_t undefined)
{
    bool is_uniform = sim_register_uniform(place);
    if (undefined && !is_uniform) memset(marks_of(x, place), 1, bytes);
    memcpy((uint8_t *)sim_shadow_at(x, place) + (is_uniform ? 0 : lane * bytes), &undefined, bytes);
}

bool sim_shadow_is_clear(sim_exec *x, sim_register place, uint32_t bytes)
{
    if (sim_register_uniform(place)) return sim_shadow_get(x, place, bytes, 0) == 0;
    uint8_t *marks = marks_of(x, place);
    uint64_t any = 0;
    for (uint32_t i = 0; i < bytes; i++)
        any |= marks[i];
    if (any == 0) return true;
    const uint64_t *words = sim_shadow_at(x, place);
    any = 0;
    for (uint32_t i = 0; i < SIM_ROW_BYTES(bytes) / sizeof *words; i++)
        any |= words[i];
    if (any == 0) memset(marks, 0, bytes);
    return any == 0;
}

void sim_shadow_clear(sim_exec *x, sim_register place, uint32_t bytes)
{
    if (sim_shadow_is_clear(x, place, bytes)) return;
    uint8_t *undefined = sim_shadow_at(x, place);
    if (sim_register_uniform(place)) {
        memset(undefined, 0, bytes);
        return;
    }
    for (uint32_t i = x->low; i < x->high; i++) {
        if (x->mask[i]) memset(undefined + i * bytes, 0, bytes);
    }
}

/* ---- Findings ------------------------------------------------------------------------------- */

void sim_shadow_use(sim_exec *x, uint32_t site, sim_register place, uint32_t bytes, const char *use)
{
    uint32_t first = SIM_LANES;
    uint64_t count = 0;
    if (sim_shadow_is_clear(x, place, bytes)) return;
    for (uint32_t i = x->low; i < x->high; i++) {
        if (!x->mask[i] || !sim_shadow_get(x, place, bytes, i)) continue;
        if (count++ == 0) first = i;
    }
    sim_finding_row *row;
    sim_findings *findings = &x->launch->findings;
    if (count == 0) return;
    CHECK(first < SIM_LANES && count <= x->active);
    if (!sim_findings_add(findings, site, SIM_FINDING_UNINITIALISED, count, &row)) return;
    rt_arena *arena = &findings->arena;
    const sim_origin *origin = &x->wave->shadow->origins[first];
    rt_text text = rt_arena_printf(arena, "%s an undefined value", use);
    if (origin->site) {
        const sim_site *from = &x->launch->program->sites[origin->site];
        row->object = rt_arena_text(arena, origin->label);
        row->offset = origin->offset;
        text = rt_arena_printf(
            arena,
            "%s a value that was never written (last undefined read: %u bytes at offset "
            "%llu of '%.*s'",
            use, origin->bytes, (unsigned long long)origin->offset, RT_TEXT_ARG(origin->label));
        text = from->line ? rt_arena_printf(arena, "%.*s, line %u)", RT_TEXT_ARG(text), from->line)
                          : rt_arena_printf(arena, "%.*s)", RT_TEXT_ARG(text));
    }
    sim_row_fill(x, row, first, text);
}

void sim_shadow_end(sim_exec *x, const sim_code_block *block)
{
    switch ((sim_end)block->end) {
    case SIM_END_BRANCH: sim_shadow_use(x, block->site, block->condition, 1, "branch on"); break;
    case SIM_END_SWITCH:
        sim_shadow_use(x, block->site, block->condition, block->condition_bytes, "switch on");
        break;
    case SIM_END_CALL_POINTER:
        sim_shadow_use(x, block->site, block->condition, 8,
                       "call through a function pointer made of");
        break;
    default: break;
    }
}

/* ---- Loads ---------------------------------------------------------------------------------- */

static void origin_set(const sim_exec *x, const sim_op *op, uint32_t lane, rt_text label,
                       uint64_t offset, uint32_t bytes)
{
    x->wave->shadow->origins[lane] =
        (sim_origin){.site = op->site, .bytes = bytes, .offset = offset, .label = label};
}

void sim_shadow_load_defined(sim_exec *x, const sim_op *op, uint32_t bytes)
{
    for (uint32_t k = 0; k < op->count; k++) {
        sim_register place = sim_component(x, op, k);
        if (place != SIM_REGISTER_NONE) sim_shadow_clear(x, place, bytes);
    }
}

void sim_shadow_load_rows(sim_exec *x, const sim_op *op, const sim_view_memory *view,
                          uint32_t bytes)
{
    bool is_private = view->class == SIM_CLASS_PRIVATE;
    sim_shadow_start(x);
    for (uint32_t k = 0; k < op->count; k++) {
        sim_register place = sim_component(x, op, k);
        if (place == SIM_REGISTER_NONE) continue;
        for (uint32_t i = x->low; i < x->high; i++) {
            if (!x->mask[i]) continue;
            uint64_t offset = (is_private ? view->offset : x->offsets[i]) + k * bytes;
            const uint8_t *defined = is_private ? sim_private_defined(x, i, view->position + offset)
                                                : view->defined + offset;
            uint64_t bits = UINT64_MAX;
            memcpy(&bits, defined, bytes);
            sim_shadow_set(x, place, bytes, i, ~bits);
            if (~bits) origin_set(x, op, i, view->label, offset, bytes);
        }
    }
}

/* Sets the origin of what one lane read or, for a uniform register, of what all active lanes read.
 */
static void lane_origin(sim_exec *x, const sim_op *op, uint32_t lane, bool is_uniform,
                        uint64_t address, uint32_t bytes)
{
    sim_view_memory view;
    sim_finding_kind kind;
    if (!sim_access_find(x, address, &view, &kind)) return;
    for (uint32_t i = x->low; i < x->high; i++) {
        if (x->mask[i] && (is_uniform || i == lane)) {
            origin_set(x, op, i, view.label, view.offset, bytes);
        }
    }
}

void sim_shadow_load_lane(sim_exec *x, const sim_op *op, uint32_t lane, uint64_t address,
                          uint32_t bytes)
{
    sim_shadow_start(x);
    for (uint32_t k = 0; k < op->count; k++) {
        sim_register place = sim_component(x, op, k);
        uint64_t undefined = 0;
        if (place == SIM_REGISTER_NONE) continue;
        if (x->lane_has_undefined) memcpy(&undefined, x->lane_undefined + k * bytes, bytes);
        sim_shadow_set(x, place, bytes, lane, undefined);
        if (!undefined) continue;
        lane_origin(x, op, lane, sim_register_uniform(place), address + k * bytes, bytes);
    }
}

/* ---- Stores --------------------------------------------------------------------------------- */

bool sim_shadow_stores(sim_exec *x, const sim_op *op, uint32_t bytes)
{
    bool clear = true;
    for (uint32_t k = 0; k < op->count; k++)
        clear &= sim_shadow_is_clear(x, sim_component(x, op, k), bytes);
    return !clear;
}

void sim_shadow_store_rows(sim_exec *x, const sim_op *op, const sim_view_memory *view,
                           uint32_t bytes)
{
    sim_view_memory to = *view;
    bool is_private = view->class == SIM_CLASS_PRIVATE;
    if (!is_private && !to.defined) sim_access_unsettle(x, &to);
    for (uint32_t k = 0; k < op->count; k++) {
        for (uint32_t i = x->low; i < x->high; i++) {
            if (!x->mask[i]) continue;
            uint64_t offset = (is_private ? to.offset : x->offsets[i]) + k * bytes;
            uint64_t defined = ~sim_shadow_get(x, sim_component(x, op, k), bytes, i);
            memcpy(is_private ? sim_private_defined(x, i, to.position + offset)
                              : to.defined + offset,
                   &defined, bytes);
        }
    }
}

bool sim_shadow_store_lane(sim_exec *x, const sim_op *op, uint32_t lane, uint32_t bytes)
{
    uint64_t any = 0;
    CHECK(op->count * bytes <= SIM_ACCESS_BYTES_MAX);
    for (uint32_t k = 0; k < op->count; k++) {
        uint64_t undefined = sim_shadow_get(x, sim_component(x, op, k), bytes, lane);
        memcpy(x->lane_undefined + k * bytes, &undefined, bytes);
        any |= undefined;
    }
    return any != 0;
}

/* ---- Atomics -------------------------------------------------------------------------------- */

/* Returns the undefined bits of what the operation leaves in memory, given those of the old value,
 * the operand and the comparator. */
static uint64_t exchange(const sim_op *op, const sim_shadow_atomic *a, uint64_t old, uint64_t value,
                         uint64_t comparator)
{
    uint64_t either = old | value;
    switch ((sim_atomic)op->extra) {
    case SIM_ATOMIC_LOAD: return old;
    case SIM_ATOMIC_STORE:
    case SIM_ATOMIC_EXCHANGE: return value;
    case SIM_ATOMIC_COMPARE:
        if (old | comparator) return UINT64_MAX;
        return a->old == a->comparator ? value : old;
    case SIM_ATOMIC_ADD:
    case SIM_ATOMIC_SUB: return either | (~either + 1);
    case SIM_ATOMIC_AND: return (old | a->old) & (value | a->value) & either;
    case SIM_ATOMIC_OR: return (old | ~a->old) & (value | ~a->value) & either;
    case SIM_ATOMIC_XOR: return either;
    default: return either ? UINT64_MAX : 0;
    }
}

void sim_shadow_exchange(sim_exec *x, const sim_op *op, const sim_shadow_atomic *a)
{
    uint64_t old = 0;
    CHECK(a->bytes >= 1 && a->bytes <= sizeof old);
    sim_shadow_start(x);
    if (x->lane_has_undefined) {
        memcpy(&old, x->lane_undefined, a->bytes);
        lane_origin(x, op, a->lane, false, a->address, a->bytes);
    }
    /* The target may be the register of an operand. */
    uint64_t value = sim_shadow_get(x, op->b, a->bytes, a->lane);
    uint64_t comparator = sim_shadow_get(x, op->c, a->bytes, a->lane);
    if (op->target != SIM_REGISTER_NONE) sim_shadow_set(x, op->target, a->bytes, a->lane, old);
    uint64_t undefined = exchange(op, a, old, value, comparator);
    memcpy(x->lane_undefined, &undefined, a->bytes);
    x->lane_has_undefined = (undefined & (UINT64_MAX >> (64 - 8 * a->bytes))) != 0;
}
