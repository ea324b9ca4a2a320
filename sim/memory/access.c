/* Finds the object that an address points into. */
#include "sim/memory/access.h"

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
    view->forbidden = memory->forbidden | (view->is_constant ? SIM_FORBIDS_STORES : 0);
    view->defined = memory->all_defined ? NULL : memory->defined;
    view->race = memory->race && memory->race->is_tracked ? memory->race : NULL;
    /* A mapped object that has never existed has no size. */
    *out_kind = memory->size > 0 ? SIM_FINDING_USE_AFTER_FREE : SIM_FINDING_OUT_OF_BOUNDS;
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
    view->race = x->launch->local_races ? &x->launch->local_races[number - 1] : NULL;
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
    sim_pack_give_up(x);
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
