/* Memory accesses of a single lane: resolves every address, makes every check, reports every
 * finding. memory.c calls these functions for accesses that its fast paths cannot handle. */
#include "sim/exec/exec.h"

#include <string.h>

/* ---- One lane's access -------------------------------------------------------------------- */

typedef struct attempt {
    const char *verb; /* "load", "store" */
    bool writes;
    uint32_t site, lane, size, alignment;
    uint64_t address, count;
} attempt;

static void note_access(sim_exec *x, const attempt *a, const sim_view_memory *view,
                        sim_finding_kind kind)
{
    sim_finding_row *row;
    if (!sim_findings_add(&x->launch->findings, a->site, kind, a->count, &row)) return;
    rt_arena *arena = &x->launch->findings.arena;
    row->object = rt_arena_text(arena, view->label);
    row->offset = view->offset;
    rt_text where = rt_arena_printf(arena, "at offset %lld of %s'%.*s'", (long long)view->offset,
                                    kind == SIM_FINDING_WRITE_TO_CONSTANT ? "constant " : "",
                                    RT_TEXT_ARG(view->label));
    if (kind == SIM_FINDING_NULL_POINTER) {
        where = RT_TEXT("through a null pointer");
    } else if (kind == SIM_FINDING_USE_AFTER_FREE) {
        where = rt_arena_printf(arena, "%.*s, which has been freed,", RT_TEXT_ARG(where));
    } else if (kind == SIM_FINDING_MISALIGNED) {
        where = rt_arena_printf(arena, "%.*s, which is not a multiple of %u,", RT_TEXT_ARG(where),
                                a->alignment);
    } else if (kind == SIM_FINDING_ACCESS_MODE) {
        where = rt_arena_printf(arena, "%.*s, which was passed for %s,", RT_TEXT_ARG(where),
                                a->writes ? "reading only"
                                          : "writing only and has not been written by the launch");
    } else if (kind == SIM_FINDING_OUT_OF_BOUNDS && view->class == SIM_CLASS_FUNCTION) {
        where = RT_TEXT("at the address of a function");
    } else if (kind == SIM_FINDING_OUT_OF_BOUNDS && view->size == 0) {
        where = RT_TEXT("at an address outside all objects");
    } else if (kind == SIM_FINDING_OUT_OF_BOUNDS) {
        where = rt_arena_printf(arena, "%.*s (%llu bytes)", RT_TEXT_ARG(where),
                                (unsigned long long)view->size);
    }
    rt_text text =
        rt_arena_printf(arena, "%s of %u bytes %.*s", a->verb, a->size, RT_TEXT_ARG(where));
    sim_row_fill(x, row, a->lane, text);
}

/* Finds the object of one access; false, with a finding, if the access cannot be carried out. */
static bool access_check(sim_exec *x, const attempt *a, sim_view_memory *view)
{
    sim_finding_kind kind;
    bool found = sim_access_find(x, a->address, view, &kind);
    x->launch->world->lane_accesses++;
    bool inside = found && view->size >= a->size && view->offset <= view->size - a->size;
    if (!inside) {
        note_access(x, a, view,
                    kind == SIM_FINDING_USE_AFTER_FREE && found ? SIM_FINDING_OUT_OF_BOUNDS : kind);
        return false;
    }
    if (view->offset & (a->alignment - 1)) {
        note_access(x, a, view, SIM_FINDING_MISALIGNED);
        return false;
    }
    bool is_forbidden =
        a->writes ? (view->forbidden & SIM_FORBIDS_STORES) != 0
                  : (view->forbidden & SIM_FORBIDS_LOADS) && !sim_race_wrote(x, view, a->size);
    if (!is_forbidden) return true;
    bool is_constant = view->is_constant && a->writes;
    note_access(x, a, view, is_constant ? SIM_FINDING_WRITE_TO_CONSTANT : SIM_FINDING_ACCESS_MODE);
    /* The bytes are there, and devices access them, whatever the host has declared: programs that
     * rely on that continue, with this finding alone. */
    view->race = NULL;
    return !is_constant;
}

/* Finds the memory of one access; false, with a finding, if the access cannot be carried out. */
static bool access_begin(sim_exec *x, const attempt *a, sim_view_memory *view)
{
    if (!access_check(x, a, view)) return false;
    if (view->class == SIM_CLASS_LOCAL) view->offset += sim_part_offset(x, view->object, a->lane);
    return true;
}

/* Records the shadow of byte i of a load, and whether any bit in it is set. */
static void lane_undefined_set(sim_exec *x, uint32_t i, uint8_t undefined)
{
    x->lane_undefined[i] = undefined;
    x->lane_has_undefined |= undefined != 0;
}

/* Records that one lane, or all active lanes if `count` is larger than 1, read from the view. */
static void race_read(sim_exec *x, const sim_op *op, uint32_t lane, sim_view_memory view,
                      uint32_t size, uint64_t count)
{
    if (sim_op_is_load(op)) {
        uint32_t low, high, bytes = size / op->count;
        sim_components_read(x, op, &low, &high);
        view.offset += low * bytes;
        size = (high - low) * bytes;
    }
    if (count > 1) {
        sim_race_read_all(x, op->site, &view, size);
    } else {
        sim_race_read(x, op->site, lane, &view, size);
    }
}

void sim_lane_load(sim_exec *x, const sim_op *op, uint32_t lane, uint64_t address, uint32_t size,
                   uint32_t alignment, uint32_t count, uint8_t *out_bytes)
{
    attempt a = {"load", false, op->site, lane, size, alignment, address, count};
    sim_view_memory view;
    CHECK(size <= SIM_ACCESS_BYTES_MAX);
    x->lane_has_undefined = false;
    if (!access_begin(x, &a, &view)) {
        for (uint32_t i = 0; i < size; i++) {
            uint64_t chosen = sim_lane_choose(x, op->site + i / 8, lane);
            out_bytes[i] = (uint8_t)(chosen >> (i % 8 * 8));
        }
    } else if (view.class == SIM_CLASS_PRIVATE) {
        uint64_t position = view.position + view.offset;
        for (uint32_t i = 0; i < size; i++) {
            out_bytes[i] = *sim_private_byte(x, lane, position + i);
            lane_undefined_set(x, i, (uint8_t) ~*sim_private_defined(x, lane, position + i));
        }
    } else {
        if (view.race && !sim_op_is_atomic(op)) race_read(x, op, lane, view, size, count);
        memcpy(out_bytes, view.data + view.offset, size);
        for (uint32_t i = 0; view.defined && i < size; i++)
            lane_undefined_set(x, i, (uint8_t)~view.defined[view.offset + i]);
    }
}

/* Returns the defined bits of byte i of a store. */
static uint8_t defined_bits(const sim_exec *x, uint32_t i)
{
    return x->lane_has_undefined ? (uint8_t)~x->lane_undefined[i] : 0xff;
}

void sim_lane_store(sim_exec *x, const sim_op *op, uint32_t lane, uint64_t address, uint32_t size,
                    uint32_t alignment, uint32_t count, const uint8_t *bytes)
{
    attempt a = {"store", true, op->site, lane, size, alignment, address, count};
    sim_view_memory view;
    CHECK(size <= SIM_ACCESS_BYTES_MAX);
    if (!access_begin(x, &a, &view)) return;
    if (view.class == SIM_CLASS_PRIVATE) {
        uint64_t position = view.position + view.offset;
        for (uint32_t i = 0; i < size; i++) {
            *sim_private_byte(x, lane, position + i) = bytes[i];
            *sim_private_defined(x, lane, position + i) = defined_bits(x, i);
        }
        return;
    }
    if (view.race && !sim_op_is_atomic(op)) {
        sim_race_write(x, op->site, lane, &view, size, bytes);
    }
    memcpy(view.data + view.offset, bytes, size);
    if (!view.defined && x->lane_has_undefined) sim_access_unsettle(x, &view);
    for (uint32_t i = 0; view.defined && i < size; i++) {
        view.defined[view.offset + i] = defined_bits(x, i);
    }
}

/* ---- The end of private variables ----------------------------------------------------------- */

void sim_handle_forget(sim_exec *x, const sim_op *op)
{
    /* A pointer that differs between lanes cannot be the address of one variable itself, so what it
     * points to is left alone. */
    if (!sim_register_uniform(op->a)) return;
    sim_view_memory view;
    sim_finding_kind kind;
    uint64_t address;
    memcpy(&address, sim_at(x, op->a), sizeof address);
    if (!sim_access_find(x, address, &view, &kind) || view.class != SIM_CLASS_PRIVATE) return;
    sim_wave_forget(x->wave, x->mask, view.position, view.size);
}
