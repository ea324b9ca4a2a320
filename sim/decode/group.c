/* Instructions of groups of work-items. For a sub-group, whose lanes are adjacent, an instruction
 * is one operation in its own block, which the lanes enter together. For a work-group it is two
 * operations with a barrier between them: the first publishes each work-item's values, the second
 * computes every work-item's result from all of them. */
#include "sim/decode/decode.h"
#include "sim/module/collective.h"

/* A collective instruction, taken apart. */
typedef struct collective {
    const sim_collective_row *row;
    const sim_view *view;
    sim_leaves a, b, c;
    sim_lane_type type; /* of a and c */
    bool is_half;       /* a and c are halves */
    uint32_t fold, cluster;
} collective;

static rt_status index_leaves(sim_decoder *d, sim_id id, sim_leaves *out_leaves)
{
    sim_leaves leaves;
    RT_TRY(sim_decode_leaves(d, id, &leaves));
    sim_lane_type type = sim_type_lane(sim_module_id(d->f->module, id)->type);
    sim_ref *refs = sim_refs_new(d, leaves.count);
    for (uint32_t i = 0; i < leaves.count; i++)
        refs[i] = sim_build_resize(d, type, SIM_I64, false, leaves.refs[i]);
    *out_leaves = (sim_leaves){refs, leaves.count};
    return RT_STATUS_OK;
}

static rt_status cluster_read(sim_decoder *d, const sim_view *view, uint32_t place,
                              uint32_t *out_cluster)
{
    *out_cluster = 0;
    if (place >= view->operand_count) return RT_STATUS_OK;
    const sim_id_entry *entry = sim_module_id(d->f->module, view->operands[place]);
    uint64_t bits = entry->kind == SIM_ID_CONSTANT ? d->f->module->constants[entry->index].bits : 0;
    if (bits == 0 || bits > 32 || (bits & (bits - 1))) {
        return sim_decode_refuse(d, view->opcode->name,
                                 "the size of a cluster is a constant power of two up to 32");
    }
    *out_cluster = (uint32_t)bits;
    return RT_STATUS_OK;
}

/* A quad is four adjacent work-items. The second operand is a constant: a position in the quad, or
 * a direction: 0 across, 1 down, 2 to the opposite corner. Both instructions are shuffles. */
static rt_status quad_read(sim_decoder *d, const sim_view *view, uint32_t place, collective *o)
{
    bool swaps = view->opcode->number == SIM_OpGroupNonUniformQuadSwap;
    const sim_id_entry *entry = sim_module_id(d->f->module, view->operands[place]);
    uint64_t number = UINT64_MAX;
    if (entry->kind == SIM_ID_CONSTANT) number = d->f->module->constants[entry->index].bits;
    if (number >= (swaps ? 3 : 4)) {
        return sim_decode_refuse(d, view->opcode->name,
                                 swaps ? "the direction is a constant up to 2"
                                       : "the place in the quad is a constant up to 3");
    }
    sim_ref *source = sim_refs_new(d, 1);
    o->b = (sim_leaves){source, 1};
    *source = sim_decode_constant(d, number + 1);
    if (swaps) return RT_STATUS_OK;
    *source =
        sim_build_four(d, SIM_INT4(AND, SIM_I64), SIM_I64, SIM_REF_ROW | SIM_ROW_SUBGROUP_ITEM,
                       sim_decode_constant(d, ~UINT64_C(3)));
    *source =
        sim_build_four(d, SIM_INT4(OR, SIM_I64), SIM_I64, *source, sim_decode_constant(d, number));
    return RT_STATUS_OK;
}

static rt_status check_scope(sim_decoder *d, const sim_view *view)
{
    uint32_t scope = sim_scope_constant(d->f->module, view->operands[0]);
    if (scope == SIM_ScopeWorkgroup || scope == SIM_ScopeSubgroup) return RT_STATUS_OK;
    return sim_decode_refuse(d, view->opcode->name,
                             "the scope is a constant: work-group or sub-group");
}

static rt_status collective_read(sim_decoder *d, const sim_view *view, collective *o)
{
    *o = (collective){.row = sim_collective_find(view->opcode->number), .view = view};
    uint32_t at = 0;
    if (o->row->has_scope) {
        RT_TRY(check_scope(d, view));
        at = 1;
    }
    bool folds =
        o->row->form == SIM_COLLECTIVE_FORM_FOLD || o->row->form == SIM_COLLECTIVE_FORM_MASK_FOLD;
    if (folds) {
        o->fold = view->operands[at++];
        if (o->fold > SIM_GroupOperationClusteredReduce) {
            return sim_decode_refuse(d, view->opcode->name, "only shaders partition groups");
        }
    }
    if (o->row->form == SIM_COLLECTIVE_FORM_NONE) {
        o->a = (sim_leaves){sim_refs_new(d, 1), 1};
        *(sim_ref *)o->a.refs = sim_decode_constant(d, 0);
        return RT_STATUS_OK;
    }
    const sim_type *type = sim_module_id(d->f->module, view->operands[at])->type;
    o->type = sim_type_lane(type);
    o->is_half = sim_type_is_half(type);
    RT_TRY(sim_decode_leaves(d, view->operands[at], &o->a));
    switch ((sim_collective_form)o->row->form) {
    case SIM_COLLECTIVE_FORM_TWO:
        RT_TRY(sim_decode_leaves(d, view->operands[at + 1], &o->c));
        return index_leaves(d, view->operands[at + 2], &o->b);
    case SIM_COLLECTIVE_FORM_INDEX:
        RT_TRY(cluster_read(d, view, at + 2, &o->cluster));
        return index_leaves(d, view->operands[at + 1], &o->b);
    case SIM_COLLECTIVE_FORM_MASK_INDEX: return index_leaves(d, view->operands[at + 1], &o->b);
    case SIM_COLLECTIVE_FORM_FOLD: return cluster_read(d, view, at + 1, &o->cluster);
    case SIM_COLLECTIVE_FORM_QUAD: return quad_read(d, view, at + 1, o);
    case SIM_COLLECTIVE_FORM_MASK:
        if (o->row->operation != SIM_COLLECTIVE_BIT_EXTRACT) return RT_STATUS_OK;
        o->b = (sim_leaves){sim_refs_new(d, 1), 1};
        *(sim_ref *)o->b.refs = SIM_REF_ROW | SIM_ROW_SUBGROUP_ITEM;
        return RT_STATUS_OK;
    default: return RT_STATUS_OK;
    }
}

static uint32_t code_of(const collective *o)
{
    return sim_collective_code((sim_collective)o->row->operation, o->fold, o->type) |
           (o->is_half ? SIM_COLLECTIVE_HALF : 0);
}

static sim_ref collective_add(sim_decoder *d, const collective *o, uint32_t handler,
                              sim_lane_type result, sim_ref a, sim_ref c)
{
    sim_node *node = sim_node_add(d, SIM_SHAPE_COLLECTIVE, handler, result, 3, 1);
    node->extra = code_of(o);
    node->is_uniform = o->row->is_uniform;
    node->alignment = o->cluster;
    sim_ref *operands = d->f->refs.items + node->operand_first;
    operands[0] = a;
    operands[1] = o->b.count ? o->b.refs[0] : sim_decode_constant(d, 0);
    operands[2] = c;
    return node->result_first;
}

/* AllEqual: compares each component across the work-items, then combines the results. */
static sim_leaves all_equal_add(sim_decoder *d, const collective *o)
{
    sim_ref *ones = sim_refs_new(d, o->a.count), *refs = sim_refs_new(d, 1);
    for (uint32_t i = 0; i < o->a.count; i++)
        ones[i] = collective_add(d, o, SIM_H_COLLECTIVE, SIM_I8, o->a.refs[i], o->a.refs[i]);
    sim_decode_next(d, SIM_END_NEXT);
    refs[0] = ones[0];
    for (uint32_t i = 1; i < o->a.count; i++)
        refs[0] = sim_build_four(d, SIM_INT4(AND, SIM_I8), SIM_I8, refs[0], ones[i]);
    return (sim_leaves){refs, 1};
}

/* The results of an operation that treats components separately. */
static sim_leaves results_add(sim_decoder *d, const collective *o)
{
    uint32_t count = sim_type_leaves(o->view->type);
    sim_lane_type result = sim_type_lane(o->view->type);
    sim_ref *refs = sim_refs_new(d, count);
    bool has_mask = o->row->form >= SIM_COLLECTIVE_FORM_MASK;
    if (o->row->operation == SIM_COLLECTIVE_BALLOT) {
        for (uint32_t i = 0; i < count; i++)
            refs[i] = sim_decode_constant(d, 0); /* a sub-group has at most 32 work-items */
        count = 1;
    }
    for (uint32_t i = 0; i < count; i++) {
        sim_ref a = o->a.refs[has_mask ? 0 : i];
        refs[i] = collective_add(d, o, SIM_H_COLLECTIVE, result, a, o->c.count ? o->c.refs[i] : a);
    }
    if (!has_mask) sim_decode_next(d, SIM_END_NEXT);
    return (sim_leaves){refs, sim_type_leaves(o->view->type)};
}

rt_status sim_decode_collective(sim_decoder *d, const sim_view *view, sim_leaves *out_leaves)
{
    collective o;
    RT_TRY(collective_read(d, view, &o));
    if (o.row->form < SIM_COLLECTIVE_FORM_MASK) sim_decode_next(d, SIM_END_MEET);
    bool votes = o.row->operation == SIM_COLLECTIVE_ALL_EQUAL;
    *out_leaves = votes ? all_equal_add(d, &o) : results_add(d, &o);
    return RT_STATUS_OK;
}

void sim_decode_subgroup_barrier(sim_decoder *d, uint32_t order)
{
    sim_decode_next(d, SIM_END_MEET);
    sim_node *node = sim_node_add(d, SIM_SHAPE_COLLECTIVE, SIM_H_COLLECTIVE, SIM_I32, 3, 0);
    node->extra = sim_collective_code(SIM_COLLECTIVE_BARRIER, 0, SIM_I32);
    node->is_uniform = true;
    node->alignment = order;
    sim_ref nothing = sim_decode_constant(d, 0);
    for (uint32_t i = 0; i < 3; i++)
        d->f->refs.items[node->operand_first + i] = nothing;
    sim_decode_next(d, SIM_END_NEXT);
}

/* ---- Work-groups ---------------------------------------------------------------------------- */

/* The linear index of the work-item that a broadcast names in up to three dimensions. */
static sim_ref linear_index(sim_decoder *d, sim_leaves index)
{
    sim_ref linear = index.refs[index.count - 1];
    for (uint32_t i = index.count - 1; i-- > 0;) {
        sim_ref size = SIM_REF_POOL | (SIM_SLOT_GROUP_SIZE + i);
        linear = sim_build_four(d, SIM_INT4(MUL, SIM_I64), SIM_I64, linear, size);
        linear = sim_build_four(d, SIM_INT4(ADD, SIM_I64), SIM_I64, linear, index.refs[i]);
    }
    return linear;
}

rt_status sim_decode_group_put(sim_decoder *d, const sim_view *view)
{
    collective o;
    RT_TRY(collective_read(d, view, &o));
    if (!o.row->is_uniform || o.a.count != 1) {
        return sim_decode_refuse(d, view->opcode->name,
                                 "only scalars are known to a work-group, and not by non-uniform "
                                 "instructions");
    }
    sim_ref index = o.b.count ? linear_index(d, o.b) : sim_decode_constant(d, 0);
    sim_node *node = sim_node_add(d, SIM_SHAPE_COLLECTIVE, SIM_H_GROUP_PUT, o.type, 3, 0);
    node->extra = sim_collective_code((sim_collective)o.row->operation, o.fold, o.type);
    sim_ref *operands = d->f->refs.items + node->operand_first;
    operands[0] = operands[2] = o.a.refs[0];
    operands[1] = index;
    return RT_STATUS_OK;
}

rt_status sim_decode_group_take(sim_decoder *d, const sim_view *view, sim_leaves *out_leaves)
{
    collective o;
    RT_TRY(collective_read(d, view, &o));
    CHECK(o.a.count > 0 && o.a.refs);
    o.b = (sim_leaves){NULL, 0}; /* was published with the value */
    sim_ref *refs = sim_refs_new(d, 1);
    refs[0] = collective_add(d, &o, SIM_H_GROUP_TAKE, sim_type_lane(view->type), o.a.refs[0],
                             o.a.refs[0]);
    *out_leaves = (sim_leaves){refs, 1};
    return RT_STATUS_OK;
}

rt_status sim_decode_async_copy(sim_decoder *d, const sim_view *view, sim_leaves *out_leaves)
{
    const sim_module *module = d->f->module;
    const sim_type *target = sim_module_id(module, view->operands[1])->type;
    if (target->element->size_bytes > 128) {
        return sim_decode_refuse(d, view->opcode->name, "its elements have more than 128 bytes");
    }
    sim_leaves in[5];
    RT_TRY(sim_decode_leaves(d, view->operands[1], &in[0]));
    RT_TRY(sim_decode_leaves(d, view->operands[2], &in[1]));
    RT_TRY(index_leaves(d, view->operands[3], &in[2]));
    RT_TRY(index_leaves(d, view->operands[4], &in[3]));
    RT_TRY(sim_decode_leaves(d, view->operands[5], &in[4]));
    sim_node *node = sim_node_add(d, SIM_SHAPE_ASYNC_COPY, SIM_H_ASYNC_COPY, SIM_I64, 5, 1);
    node->alignment = (uint32_t)target->element->size_bytes;
    node->stride = target->element->alignment_bytes;
    /* The stride applies to the side in global memory. */
    node->extra = target->storage_class == SIM_StorageClassCrossWorkgroup;
    for (uint32_t i = 0; i < 5; i++)
        d->f->refs.items[node->operand_first + i] = in[i].refs[0];
    d->f->does.copies = true;
    sim_ref *refs = sim_refs_new(d, 1);
    refs[0] = node->result_first;
    *out_leaves = (sim_leaves){refs, 1};
    return RT_STATUS_OK;
}

rt_status sim_decode_wait_events(sim_decoder *d, const sim_view *view)
{
    sim_leaves count, events;
    RT_TRY(index_leaves(d, view->operands[1], &count));
    RT_TRY(sim_decode_leaves(d, view->operands[2], &events));
    sim_node *node = sim_node_add(d, SIM_SHAPE_COLLECTIVE, SIM_H_WAIT_EVENTS, SIM_I64, 3, 0);
    sim_ref *operands = d->f->refs.items + node->operand_first;
    operands[0] = count.refs[0];
    operands[1] = operands[2] = events.refs[0];
    return RT_STATUS_OK;
}
