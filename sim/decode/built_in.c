/* Built-in variables have no memory: loading such a variable or one of its components yields a row
 * of lanes, a slot of the pool, or a mask computed from a work-item's index in its sub-group. A
 * sub-group has at most 32 work-items, so the first of a mask's four integers contains all of them.
 * Source: SPIR-V specification 1.6, section 3.21 "BuiltIn"; OpenCL C specification, "Sub-Group
 * Ballots", which limits masks to the maximum sub-group size. */
#include "sim/decode/decode.h"

/* Where the components are: rows of lanes or slots of the pool. */
typedef struct built_in_row {
    uint32_t built_in;
    bool is_row;
    uint32_t first;
} built_in_row;

static const built_in_row built_in_rows[] = {
    {SIM_BuiltInGlobalInvocationId, true, SIM_ROW_GLOBAL_ID},
    {SIM_BuiltInLocalInvocationId, true, SIM_ROW_LOCAL_ID},
    {SIM_BuiltInGlobalLinearId, true, SIM_ROW_GLOBAL_LINEAR},
    {SIM_BuiltInLocalInvocationIndex, true, SIM_ROW_LOCAL_LINEAR},
    {SIM_BuiltInWorkgroupId, false, SIM_SLOT_GROUP_ID},
    {SIM_BuiltInWorkgroupSize, false, SIM_SLOT_GROUP_SIZE},
    {SIM_BuiltInEnqueuedWorkgroupSize, false, SIM_SLOT_ENQUEUED_SIZE},
    {SIM_BuiltInNumWorkgroups, false, SIM_SLOT_GROUP_COUNT},
    {SIM_BuiltInGlobalSize, false, SIM_SLOT_GLOBAL_SIZE},
    {SIM_BuiltInGlobalOffset, false, SIM_SLOT_GLOBAL_OFFSET},
    {SIM_BuiltInWorkDim, false, SIM_SLOT_DIMENSIONS},
    {SIM_BuiltInSubgroupId, true, SIM_ROW_SUBGROUP_ID},
    {SIM_BuiltInSubgroupLocalInvocationId, true, SIM_ROW_SUBGROUP_ITEM},
    {SIM_BuiltInSubgroupSize, true, SIM_ROW_SUBGROUP_SIZE},
    {SIM_BuiltInSubgroupMaxSize, false, SIM_SLOT_SUBGROUP_SIZE},
    {SIM_BuiltInNumSubgroups, false, SIM_SLOT_SUBGROUP_COUNT},
    {SIM_BuiltInNumEnqueuedSubgroups, false, SIM_SLOT_ENQUEUED_SUBGROUPS},
};

/* Which bits a mask contains: those below the work-item's bit, that bit, those above it. */
typedef struct mask_row {
    uint32_t built_in;
    bool below, itself, above;
} mask_row;

static const mask_row mask_rows[] = {
    {SIM_BuiltInSubgroupEqMask, false, true, false}, {SIM_BuiltInSubgroupGeMask, false, true, true},
    {SIM_BuiltInSubgroupGtMask, false, false, true}, {SIM_BuiltInSubgroupLeMask, true, true, false},
    {SIM_BuiltInSubgroupLtMask, true, false, false},
};

#define INT(op, a, b) sim_build_four(d, SIM_INT4(op, SIM_I64), SIM_I64, a, b)

/* Returns component `i` as a 64-bit integer. */
static sim_ref component_of(sim_decoder *d, uint32_t built_in, uint32_t i)
{
    for (uint32_t k = 0; k < sizeof built_in_rows / sizeof built_in_rows[0]; k++) {
        const built_in_row *row = &built_in_rows[k];
        if (row->built_in != built_in) continue;
        if (d->is_for_packs && built_in == SIM_BuiltInWorkgroupId)
            return SIM_REF_ROW | (SIM_ROW_GROUP_ID + i);
        return (row->is_row ? SIM_REF_ROW : SIM_REF_POOL) | (row->first + i);
    }
    const mask_row *row = mask_rows;
    while (row->built_in != built_in) {
        row++;
        CHECK(row < mask_rows + sizeof mask_rows / sizeof *mask_rows);
    }
    sim_ref one = sim_decode_constant(d, 1), out = sim_decode_constant(d, 0);
    if (i > 0) return out;
    sim_ref itself = INT(SHL, one, SIM_REF_ROW | SIM_ROW_SUBGROUP_ITEM);
    sim_ref below = INT(SUB, itself, one);
    sim_ref all = INT(SUB, INT(SHL, one, SIM_REF_POOL | SIM_SLOT_SUBGROUP_SIZE), one);
    if (row->below) out = INT(OR, out, below);
    if (row->itself) out = INT(OR, out, itself);
    if (row->above) out = INT(OR, out, INT(SUB, INT(SUB, all, below), itself));
    return out;
}

rt_status sim_decode_built_in(sim_decoder *d, const sim_view *view, sim_leaves *out_leaves)
{
    /* The pointer names a variable or one component of it. `index` is the id of the component's
     * index; 0: the whole variable. */
    const sim_module *module = d->f->module;
    sim_id pointer = view->operands[0], index = 0;
    while (sim_module_id(module, pointer)->kind != SIM_ID_VARIABLE) {
        const sim_instruction *chain = sim_module_result(module, pointer);
        CHECK(chain->opcode->group == SIM_GROUP_ACCESS_CHAIN && chain->operand_count <= 2);
        if (chain->operand_count == 2) index = chain->operands[1];
        pointer = chain->operands[0];
    }
    const sim_variable *variable = sim_module_variable(module, pointer);
    CHECK(variable->storage_class == SIM_StorageClassInput);
    const sim_type *type = variable->type->element;
    uint32_t count = sim_type_leaves(type);
    sim_lane_type lane = sim_type_lane(type);
    sim_ref *refs = sim_refs_new(d, count);
    for (uint32_t i = 0; i < count; i++) {
        refs[i] = component_of(d, variable->built_in, i);
        bool is_slot = !sim_ref_is_value(refs[i]) && (refs[i] & SIM_REF_POOL);
        if (!is_slot) refs[i] = sim_build_resize(d, SIM_I64, lane, false, refs[i]);
    }
    *out_leaves = (sim_leaves){refs, count};
    if (index == 0) return RT_STATUS_OK;
    sim_leaves whole = *out_leaves;
    return sim_decode_component(d, whole, index, lane, out_leaves);
}
