/* Memory as one lane sees it: every address followed, every check made, every finding written.
 * exec_memory.c calls this wherever not all lanes are plainly right. */
#include "sim/exec.h"

#include <string.h>

/* ---- Findings ----------------------------------------------------------------------------- */

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

void sim_row_fill(sim_exec *x, sim_finding_row *row, uint32_t lane, rt_text what)
{
    sim_work_item_of(x->wave, lane, row->work_item);
    row->message = rt_arena_printf(
        &x->launch->findings.arena, "%.*s by work-item (%llu, %llu, %llu)", RT_TEXT_ARG(what),
        (unsigned long long)row->work_item[0], (unsigned long long)row->work_item[1],
        (unsigned long long)row->work_item[2]);
}

void sim_note(sim_exec *x, uint32_t site, sim_finding_kind kind, uint32_t lane, uint64_t count,
              const char *what)
{
    sim_finding_row *row;
    if (!sim_findings_add(&x->launch->findings, site, kind, count, &row)) return;
    sim_row_fill(x, row, lane, rt_text_of(what));
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

uint64_t sim_lane_undefined(sim_exec *x, const sim_op *op, uint32_t lane, uint64_t count,
                            const char *what)
{
    if (!op->count) sim_note(x, op->site, SIM_FINDING_UNDEFINED_ARITHMETIC, lane, count, what);
    return sim_lane_choose(x, op->site, lane);
}

/* ---- Addresses ---------------------------------------------------------------------------- */

static bool find_global(sim_exec *x, uint64_t address, sim_view_memory *view,
                        sim_finding_kind *out_kind)
{
    uint32_t object = sim_address_object(address);
    sim_world *world = x->launch->world;
    if (object == 0 || object >= world->objects.count) {
        *out_kind = address < (UINT64_C(1) << SIM_ADDRESS_OFFSET_BITS) ? SIM_FINDING_NULL_POINTER
                                                                       : SIM_FINDING_OUT_OF_BOUNDS;
        return false;
    }
    const sim_memory *memory = sim_world_memory(world, object);
    view->label = memory->label;
    view->size = memory->size;
    view->data = memory->data;
    view->is_constant = memory->constant_uses > 0;
    view->defined = memory->all_defined ? NULL : memory->defined;
    view->race = memory->race && memory->race->is_tracked ? memory->race : NULL;
    *out_kind = SIM_FINDING_USE_AFTER_FREE;
    return memory->data != NULL;
}

static bool find_local(sim_exec *x, uint64_t address, sim_view_memory *view)
{
    uint32_t number = sim_address_object(address);
    if (number == 0 || number > x->launch->locals.count) return false;
    const sim_local_object *object = &x->launch->locals.items[number - 1];
    view->label = object->label;
    view->size = object->size;
    view->data = x->launch->locals_memory.data + object->offset;
    view->defined = object->all_defined ? NULL : x->launch->locals_defined.data + object->offset;
    view->race = x->launch->race.has_locals ? &x->launch->race.locals[number - 1] : NULL;
    return true;
}

static bool find_private(sim_exec *x, uint64_t address, sim_view_memory *view,
                         sim_finding_kind *out_kind)
{
    uint32_t object = sim_address_object(address);
    uint32_t number = object >> SIM_PRIVATE_VARIABLE_BITS;
    uint32_t variable = object & ((1u << SIM_PRIVATE_VARIABLE_BITS) - 1);
    if (number == 0 || number >= x->wave->privates.count) return false;
    const sim_private_frame *frame = &x->wave->privates.items[number];
    *out_kind = SIM_FINDING_USE_AFTER_FREE;
    if (!frame->function) return false;
    *out_kind = SIM_FINDING_OUT_OF_BOUNDS;
    if (variable >= frame->function->variable_count) return false;
    const sim_private_variable *found = &frame->function->variables[variable];
    view->label = found->name.length ? found->name : RT_TEXT("a private variable");
    view->size = found->size;
    view->position = frame->private_first + found->offset;
    view->data = NULL;
    view->defined = NULL;
    return true;
}

bool sim_access_find(sim_exec *x, uint64_t address, sim_view_memory *out_view,
                     sim_finding_kind *out_kind)
{
    *out_view = (sim_view_memory){.class = sim_address_class_of(address),
                                  .object = sim_address_object(address),
                                  .offset = sim_address_offset(address)};
    *out_kind = SIM_FINDING_OUT_OF_BOUNDS;
    switch (out_view->class) {
    case SIM_CLASS_GLOBAL: return find_global(x, address, out_view, out_kind);
    case SIM_CLASS_LOCAL: return find_local(x, address, out_view);
    case SIM_CLASS_PRIVATE: return find_private(x, address, out_view, out_kind);
    default: return false;
    }
}

void sim_access_unsettle(sim_exec *x, sim_view_memory *view)
{
    CHECK(!view->defined && view->class != SIM_CLASS_PRIVATE);
    if (view->class == SIM_CLASS_LOCAL) {
        sim_local_object *object = &x->launch->locals.items[view->object - 1];
        object->all_defined = false;
        view->defined = x->launch->locals_defined.data + object->offset;
    } else {
        sim_memory *memory = sim_world_memory(x->launch->world, view->object);
        sim_memory_unsettle(memory);
        view->defined = memory->defined;
    }
}

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
    rt_text what;
    row->object = rt_arena_text(arena, view->label);
    row->offset = view->offset;
    if (kind == SIM_FINDING_NULL_POINTER) {
        what = rt_arena_printf(arena, "%s of %u bytes through a null pointer", a->verb, a->size);
    } else if (kind == SIM_FINDING_USE_AFTER_FREE) {
        what = rt_arena_printf(arena, "%s of %u bytes at offset %lld of '%.*s', which is no longer",
                               a->verb, a->size, (long long)view->offset, RT_TEXT_ARG(view->label));
    } else if (kind == SIM_FINDING_WRITE_TO_CONSTANT) {
        what = rt_arena_printf(arena, "%s of %u bytes at offset %lld of constant '%.*s'", a->verb,
                               a->size, (long long)view->offset, RT_TEXT_ARG(view->label));
    } else if (kind == SIM_FINDING_MISALIGNED) {
        what = rt_arena_printf(
            arena, "%s of %u bytes at offset %lld of '%.*s', which is not a multiple of %u",
            a->verb, a->size, (long long)view->offset, RT_TEXT_ARG(view->label), a->alignment);
    } else if (view->class == SIM_CLASS_FUNCTION) {
        what =
            rt_arena_printf(arena, "%s of %u bytes at the address of a function", a->verb, a->size);
    } else if (view->size == 0) {
        what = rt_arena_printf(arena, "%s of %u bytes at an address that names no memory", a->verb,
                               a->size);
    } else {
        what = rt_arena_printf(arena, "%s of %u bytes at offset %lld of '%.*s' (%llu bytes)",
                               a->verb, a->size, (long long)view->offset, RT_TEXT_ARG(view->label),
                               (unsigned long long)view->size);
    }
    sim_row_fill(x, row, a->lane, what);
}

/* Finds the memory of one access; false, noted, where it must not be made. */
static bool access_begin(sim_exec *x, const attempt *a, sim_view_memory *view)
{
    sim_finding_kind kind;
    bool found = sim_access_find(x, a->address, view, &kind);
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
    if (a->writes && view->is_constant) {
        note_access(x, a, view, SIM_FINDING_WRITE_TO_CONSTANT);
        return false;
    }
    return true;
}

/* Takes over the shadow of bytes just loaded, and whether any bit in it is set. */
static void lane_undefined_set(sim_exec *x, uint32_t i, uint8_t undefined)
{
    x->lane_undefined[i] = undefined;
    x->lane_has_undefined |= undefined != 0;
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
        if (view.race && count > 1) {
            sim_race_read_all(x, op->site, &view, size);
        } else if (view.race && !sim_op_is_atomic(op)) {
            sim_race_read(x, op->site, lane, &view, size);
        }
        memcpy(out_bytes, view.data + view.offset, size);
        for (uint32_t i = 0; view.defined && i < size; i++)
            lane_undefined_set(x, i, (uint8_t)~view.defined[view.offset + i]);
    }
}

/* The shadow of the next store's byte i. */
static uint8_t defined_bits(const sim_exec *x, uint32_t i)
{
    return x->lane_has_undefined ? (uint8_t)~x->lane_undefined[i] : 0xff;
}

static void store_private(sim_exec *x, uint32_t lane, uint64_t position, uint32_t size,
                          const uint8_t *bytes)
{
    for (uint32_t i = 0; i < size; i++) {
        *sim_private_byte(x, lane, position + i) = bytes[i];
        *sim_private_defined(x, lane, position + i) = defined_bits(x, i);
    }
}

void sim_lane_store(sim_exec *x, const sim_op *op, uint32_t lane, uint64_t address, uint32_t size,
                    uint32_t alignment, uint32_t count, const uint8_t *bytes)
{
    attempt a = {"store", true, op->site, lane, size, alignment, address, count};
    sim_view_memory view;
    if (!access_begin(x, &a, &view)) return;
    if (view.class == SIM_CLASS_PRIVATE) {
        store_private(x, lane, view.position + view.offset, size, bytes);
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
