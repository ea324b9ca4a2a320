/* Module-scope variables: which variables the program has, their names and their initial contents.
 *
 * Initial bytes are written once for all worlds. An address in them is not known yet, so it becomes
 * a relocation, which each world applies when it creates the variables (memory/instance.c).
 */
#include "sim/decode/address.h"
#include "sim/decode/decode.h"

#include <string.h>

rt_status sim_decode_variable(sim_decoder *d, const sim_variable *variable, sim_ref *out_ref)
{
    uint32_t index = d->global_of[d->f->module_index][variable - d->f->module->variables];
    *out_ref = SIM_REF_NONE;
    CHECK(variable->storage_class != SIM_StorageClassInput && index != SIM_NONE);
    if (variable->storage_class == SIM_StorageClassWorkgroup) {
        *out_ref = sim_decode_constant(d, sim_address_of(SIM_CLASS_LOCAL, index + 1));
        return RT_STATUS_OK;
    }
    sim_global *global = &d->globals.items[index];
    if (global->slot == SIM_NONE) {
        global->slot = d->pool.count;
        *rt_vector_push(&d->pool) = 0; /* the world fills in the address */
    }
    *out_ref = SIM_REF_POOL | global->slot;
    return RT_STATUS_OK;
}

/* A variable's initial bytes while they are being written. */
typedef struct initial {
    sim_decoder *d;
    uint32_t module_index;
    uint32_t global;
    uint8_t *bytes;
} initial;

static rt_status initial_refuse(const initial *w, const char *reason)
{
    return rt_fail(w->d->sink, RT_UNSUPPORTED, RT_RULE_NONE,
                   "the initialiser of variable '%.*s' is refused: %s",
                   RT_TEXT_ARG(w->d->globals.items[w->global].name), reason);
}

/* Adds the offset of an access chain with constant indices. */
static rt_status initial_chain(const initial *w, const sim_constant *operation,
                               sim_relocation *relocation)
{
    const sim_module *module = w->d->modules[w->module_index];
    const sim_type *type = sim_module_id(module, operation->operands[0])->type->element;
    bool is_pointer = operation->opcode->group == SIM_GROUP_POINTER_CHAIN;
    for (uint32_t i = 1; i < operation->count; i++) {
        const sim_constant *index = sim_module_constant(module, operation->operands[i]);
        if (index->kind != SIM_CONSTANT_BITS && index->kind != SIM_CONSTANT_NULL) {
            return initial_refuse(w, "an index in an address is not a plain constant");
        }
        uint64_t value = index->kind == SIM_CONSTANT_NULL ? 0 : index->bits;
        uint32_t unused = 64u - index->type->bits;
        value = (uint64_t)((int64_t)(value << unused) >> unused);
        if (i == 1 && is_pointer) {
            relocation->addend += (int64_t)(value * type->size_bytes);
        } else if (type->kind == SIM_TYPE_STRUCT) {
            relocation->addend += (int64_t)sim_type_part_offset(type, value);
            type = sim_type_part(type, value);
        } else {
            type = type->element;
            relocation->addend += (int64_t)(value * type->size_bytes);
        }
    }
    return RT_STATUS_OK;
}

/* Resolves an address constant to a variable or function. If the target remains SIM_NONE, the value
 * is just the addend, for example null or a vtable's offset-to-top. */
static rt_status initial_address(const initial *w, sim_id id, sim_relocation *relocation)
{
    const sim_module *module = w->d->modules[w->module_index];
    const sim_id_entry *entry = sim_module_id(module, id);
    if (entry->kind == SIM_ID_VARIABLE) {
        const sim_variable *variable = sim_module_variable(module, id);
        relocation->target = w->d->global_of[w->module_index][entry->index];
        if (variable->storage_class == SIM_StorageClassWorkgroup ||
            relocation->target == SIM_NONE) {
            return initial_refuse(
                w, "it contains the address of a variable that is not in global memory");
        }
        return RT_STATUS_OK;
    }
    const sim_constant *constant = sim_module_constant(module, id);
    if (constant->kind == SIM_CONSTANT_NULL || constant->kind == SIM_CONSTANT_UNDEFINED) {
        return RT_STATUS_OK;
    }
    if (constant->kind == SIM_CONSTANT_BITS) {
        relocation->addend = (int64_t)constant->bits;
        return RT_STATUS_OK;
    }
    if (constant->kind == SIM_CONSTANT_FUNCTION) {
        relocation->target = sim_decode_addressed(w->d, w->module_index, constant);
        relocation->is_function = true;
        return RT_STATUS_OK;
    }
    if (constant->kind != SIM_CONSTANT_OPERATION) {
        return initial_refuse(w, "an address is not derived from a variable");
    }
    switch ((sim_group)constant->opcode->group) {
    case SIM_GROUP_SELECT: {
        const sim_constant *condition = sim_module_constant(module, constant->operands[0]);
        if (condition->kind != SIM_CONSTANT_BITS) break;
        return initial_address(w, constant->operands[condition->bits ? 1 : 2], relocation);
    }
    case SIM_GROUP_BITCAST:
    case SIM_GROUP_TO_GENERIC:
    case SIM_GROUP_FROM_GENERIC:
    case SIM_GROUP_POINTER_TO_INTEGER:
    case SIM_GROUP_INTEGER_TO_POINTER: return initial_address(w, constant->operands[0], relocation);
    case SIM_GROUP_ACCESS_CHAIN:
    case SIM_GROUP_POINTER_CHAIN:
        RT_TRY(initial_address(w, constant->operands[0], relocation));
        return initial_chain(w, constant, relocation);
    default: break;
    }
    return initial_refuse(w, "its value is not known before the program runs");
}

static rt_status initial_write(const initial *w, sim_id id, uint64_t offset)
{
    const sim_module *module = w->d->modules[w->module_index];
    const sim_id_entry *entry = sim_module_id(module, id);
    const sim_constant *constant =
        entry->kind == SIM_ID_CONSTANT ? sim_module_constant(module, id) : NULL;
    if (constant && constant->kind == SIM_CONSTANT_BITS) {
        memcpy(w->bytes + offset, &constant->bits, constant->type->size_bytes);
        return RT_STATUS_OK;
    }
    if (constant && constant->kind == SIM_CONSTANT_COMPOSITE) {
        for (uint32_t i = 0; i < constant->count; i++) {
            uint64_t at = offset + sim_type_part_offset(constant->type, i);
            RT_TRY(initial_write(w, constant->operands[i], at));
        }
        return RT_STATUS_OK;
    }
    if (constant && constant->image) {
        memcpy(w->bytes + offset, constant->image, constant->type->size_bytes);
        return RT_STATUS_OK;
    }
    if (constant &&
        (constant->kind == SIM_CONSTANT_NULL || constant->kind == SIM_CONSTANT_UNDEFINED)) {
        return RT_STATUS_OK;
    }
    sim_relocation relocation = {.global = w->global, .offset = offset, .target = SIM_NONE};
    RT_TRY(initial_address(w, id, &relocation));
    CHECK(entry->type->size_bytes <= sizeof relocation.addend);
    if (relocation.target != SIM_NONE)
        *rt_vector_push(&w->d->relocations) = relocation;
    else
        memcpy(w->bytes + offset, &relocation.addend, entry->type->size_bytes);
    return RT_STATUS_OK;
}

static bool is_global(const sim_variable *variable)
{
    return variable->storage_class != SIM_StorageClassInput &&
           variable->storage_class != SIM_StorageClassWorkgroup;
}

/* False for an import and for a repeated definition that another definition replaces. */
static bool stands_for_itself(const sim_decoder *d, uint32_t module, uint32_t index)
{
    sim_place place = d->linkage->variables[module][index];
    return place.module == module && place.index == index;
}

/* Returns a variable's host name, in either encoding of the decoration; empty if it has none.
 * Source: SPV_INTEL_global_variable_host_access. */
static rt_text host_name(const sim_module *module, const sim_variable *variable)
{
    static const uint32_t numbers[] = {SIM_DecorationHostAccessINTEL,
                                       SIM_DecorationHostAccessOldINTEL};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        const sim_decoration *decoration =
            sim_module_decoration(module, variable->id, SIM_NONE, numbers[i]);
        if (decoration) return sim_words_text(decoration->operands + 1);
    }
    return (rt_text){0};
}

static void variable_add(sim_decoder *d, uint32_t m, uint32_t index)
{
    const sim_module *module = d->modules[m];
    const sim_variable *variable = &module->variables[index];
    rt_arena *arena = &d->program->arena;
    rt_text name = rt_arena_text(arena, variable->name);
    uint64_t size = variable->type->element->size_bytes;
    if (variable->storage_class == SIM_StorageClassInput || !stands_for_itself(d, m, index)) return;
    if (!is_global(variable)) {
        d->global_of[m][index] = d->locals.count;
        *rt_vector_push(&d->locals) =
            (sim_local){.size = size, .alignment = variable->alignment_bytes, .name = name};
        return;
    }
    d->global_of[m][index] = d->globals.count;
    /* If several variables have the same host name, the name refers to the first of them. */
    rt_text known = host_name(module, variable);
    if (known.length > 0 && rt_map_find(&d->program->host_names, known) == RT_MAP_NONE)
        rt_map_set(&d->program->host_names, rt_arena_text(arena, known), d->globals.count);
    if (variable->link_name.length > 0)
        rt_map_set(&d->program->global_names, rt_arena_text(arena, variable->link_name),
                   d->globals.count);
    /* True for variables in OpenCL C's constant memory and for const variables elsewhere. */
    bool is_constant =
        variable->storage_class == SIM_StorageClassUniformConstant ||
        sim_module_decoration(module, variable->id, SIM_NONE, SIM_DecorationConstant);
    *rt_vector_push(&d->globals) =
        (sim_global){.size = size, .slot = SIM_NONE, .is_constant = is_constant, .name = name};
}

rt_status sim_decode_variables(sim_decoder *d)
{
    for (uint32_t m = 0; m < d->module_count; m++) {
        for (uint32_t i = 0; i < d->modules[m]->variable_count; i++)
            variable_add(d, m, i);
    }
    for (uint32_t m = 0; m < d->module_count; m++) {
        for (uint32_t i = 0; i < d->modules[m]->variable_count; i++) {
            const sim_variable *variable = &d->modules[m]->variables[i];
            if (variable->storage_class == SIM_StorageClassInput) continue;
            sim_place target = d->linkage->variables[m][i];
            d->global_of[m][i] = d->global_of[target.module][target.index];
            CHECK(d->global_of[m][i] != SIM_NONE);
        }
    }
    for (uint32_t m = 0; m < d->module_count; m++) {
        for (uint32_t i = 0; i < d->modules[m]->variable_count; i++) {
            const sim_variable *variable = &d->modules[m]->variables[i];
            if (!variable->initializer || !is_global(variable)) continue;
            if (!stands_for_itself(d, m, i)) continue;
            /* The bytes of an undefined initialiser do not count as defined. */
            const sim_id_entry *entry = sim_module_id(d->modules[m], variable->initializer);
            if (entry->kind == SIM_ID_CONSTANT &&
                d->modules[m]->constants[entry->index].kind == SIM_CONSTANT_UNDEFINED)
                continue;
            sim_global *global = &d->globals.items[d->global_of[m][i]];
            initial w = {.d = d, .module_index = m, .global = d->global_of[m][i]};
            w.bytes = rt_arena_alloc(&d->program->arena, global->size);
            global->initial = w.bytes;
            RT_TRY(initial_write(&w, variable->initializer, 0));
        }
    }
    return RT_STATUS_OK;
}
