/* Instructions on groups of work-items. On a sub-group, whose lanes are adjacent, an instruction
 * becomes one operation in its own block, which the lanes enter together. On a work-group it
 * becomes two operations with a barrier between them: the first publishes each work-item's value,
 * and the second computes every work-item's result from all of them. */
#include "sim/decode/decode.h"
#include "sim/module/collective.h"

/* The parts of a collective instruction. */
typedef struct collective {
    const sim_collective_row *row;
    const sim_view *view;
    sim_leaves a, b, c;
    sim_lane_type type; /* of a and c */
    bool is_half;       /* a and c are halves */
    bool is_bool;       /* a and c are truth values */
    uint32_t fold, cluster;
} collective;

/* Returns the scalars of an integer or integer vector of any width as 64-bit integers. */
static rt_status index_leaves(sim_decoder *d, sim_id id, sim_leaves *out_leaves)
{
    RT_TRY(sim_decode_leaves(d, id, out_leaves));
    sim_lane_type type = sim_type_lane(sim_module_id(d->f->module, id)->type);
    sim_ref *refs = sim_refs_new(d, out_leaves->count);
    for (uint32_t i = 0; i < out_leaves->count; i++)
        refs[i] = sim_build_resize(d, type, SIM_I64, false, out_leaves->refs[i]);
    out_leaves->refs = refs;
    return RT_STATUS_OK;
}

static rt_status cluster_read(sim_decoder *d, const sim_view *view, uint32_t place,
                              uint32_t *out_cluster)
{
    *out_cluster = 0;
    if (place >= view->operand_count) return RT_STATUS_OK;
    const sim_id_entry *entry = sim_module_id(d->f->module, view->operands[place]);
    uint64_t bits = entry->kind == SIM_ID_CONSTANT ? d->f->module->constants[entry->index].bits : 0;
    if (bits == 0 || bits > UINT32_MAX || (bits & (bits - 1))) {
        return sim_decode_refuse(d, view->opcode->name,
                                 "the cluster size must be a constant power of two");
    }
    *out_cluster = (uint32_t)bits;
    return RT_STATUS_OK;
}

/* A quad is four adjacent work-items. The second operand is a constant: for a broadcast a position
 * in the quad, for a swap a direction (0 horizontal, 1 vertical, 2 diagonal). Both instructions are
 * shuffles. */
static rt_status quad_read(sim_decoder *d, const sim_view *view, uint32_t place, collective *o)
{
    bool swaps = view->opcode->number == SIM_OpGroupNonUniformQuadSwap;
    const sim_id_entry *entry = sim_module_id(d->f->module, view->operands[place]);
    uint64_t number = UINT64_MAX;
    if (entry->kind == SIM_ID_CONSTANT) number = d->f->module->constants[entry->index].bits;
    if (number >= (swaps ? 3 : 4)) {
        return sim_decode_refuse(d, view->opcode->name,
                                 swaps ? "the direction must be a constant from 0 to 2"
                                       : "the index in the quad must be a constant from 0 to 3");
    }
    sim_ref source = sim_decode_constant(d, number + 1);
    if (!swaps) {
        sim_ref first =
            sim_build_four(d, SIM_INT4(AND, SIM_I64), SIM_I64, SIM_REF_ROW | SIM_ROW_SUBGROUP_ITEM,
                           sim_decode_constant(d, ~UINT64_C(3)));
        source = sim_build_four(d, SIM_INT4(OR, SIM_I64), SIM_I64, first,
                                sim_decode_constant(d, number));
    }
    o->b = sim_leaves_single(d, source);
    return RT_STATUS_OK;
}

static rt_status collective_read(sim_decoder *d, const sim_view *view, collective *o)
{
    *o = (collective){.row = sim_collective_find(view->opcode->number), .view = view};
    uint32_t at = 0;
    if (o->row->has_scope) {
        uint32_t scope = sim_scope_constant(d->f->module, view->operands[at++]);
        if (scope != SIM_ScopeWorkgroup && scope != SIM_ScopeSubgroup) {
            return sim_decode_refuse(d, view->opcode->name,
                                     "the scope must be constant and be work-group or sub-group");
        }
    }
    bool folds =
        o->row->form == SIM_COLLECTIVE_FORM_FOLD || o->row->form == SIM_COLLECTIVE_FORM_MASK_FOLD;
    if (folds) {
        o->fold = view->operands[at++];
        if (o->fold > SIM_GroupOperationClusteredReduce) {
            return sim_decode_refuse(d, view->opcode->name,
                                     "partitioned group operations are for shaders only");
        }
    }
    if (o->row->form == SIM_COLLECTIVE_FORM_NONE) {
        o->a = sim_leaves_single(d, sim_decode_constant(d, 0));
        return RT_STATUS_OK;
    }
    const sim_type *type = sim_decode_type(d, view, at);
    o->type = sim_type_lane(type);
    o->is_half = sim_type_is_half(type);
    o->is_bool = type->kind == SIM_TYPE_BOOL ||
                 (type->kind == SIM_TYPE_VECTOR && type->element->kind == SIM_TYPE_BOOL);
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
        if (o->row->operation == SIM_COLLECTIVE_BIT_EXTRACT)
            o->b = sim_leaves_single(d, SIM_REF_ROW | SIM_ROW_SUBGROUP_ITEM);
        return RT_STATUS_OK;
    default: return RT_STATUS_OK;
    }
}

static sim_ref collective_add(sim_decoder *d, const collective *o, uint32_t handler,
                              sim_lane_type result, sim_ref a, sim_ref c)
{
    sim_ref b = o->b.count ? o->b.refs[0] : sim_decode_constant(d, 0);
    const sim_ref operands[] = {a, b, c};
    sim_node *node = sim_node_add(d, SIM_SHAPE_COLLECTIVE, handler, result, operands, 3, 1);
    node->extra = sim_collective_code((sim_collective)o->row->operation, o->fold, o->type) |
                  (o->is_half ? SIM_COLLECTIVE_HALF : 0) | (o->is_bool ? SIM_COLLECTIVE_BOOL : 0);
    node->is_uniform = o->row->is_uniform;
    node->alignment = o->cluster;
    return node->result_first;
}

rt_status sim_decode_collective(sim_decoder *d, const sim_view *view, sim_leaves *out_leaves)
{
    collective o;
    RT_TRY(collective_read(d, view, &o));
    bool has_mask = o.row->form >= SIM_COLLECTIVE_FORM_MASK;
    if (!has_mask) sim_decode_next(d, SIM_END_MEET);
    if (o.row->operation == SIM_COLLECTIVE_ALL_EQUAL) {
        /* Compares each component across the work-items, then combines the results. */
        sim_ref *equal = sim_refs_new(d, o.a.count);
        CHECK(!has_mask && o.a.count > 0);
        for (uint32_t i = 0; i < o.a.count; i++)
            equal[i] = collective_add(d, &o, SIM_H_COLLECTIVE, SIM_I8, o.a.refs[i], o.a.refs[i]);
        sim_decode_next(d, SIM_END_NEXT);
        sim_ref out = equal[0];
        for (uint32_t i = 1; i < o.a.count; i++)
            out = sim_build_four(d, SIM_INT4(AND, SIM_I8), SIM_I8, out, equal[i]);
        *out_leaves = sim_leaves_single(d, out);
        return RT_STATUS_OK;
    }
    uint32_t count = sim_type_leaves(view->type);
    sim_lane_type result = sim_type_lane(view->type);
    sim_ref *refs = sim_refs_new(d, count);
    *out_leaves = (sim_leaves){refs, count};
    if (o.row->operation == SIM_COLLECTIVE_BALLOT) {
        for (uint32_t i = 0; i < count; i++)
            refs[i] = sim_decode_constant(d, 0); /* a sub-group has at most 32 work-items, so only
                                                  * the first integer is not 0 */
        count = 1;
    }
    CHECK_IMPLIES(count > 0, o.a.refs);
    for (uint32_t i = 0; i < count; i++) {
        sim_ref a = o.a.refs[has_mask ? 0 : i];
        refs[i] = collective_add(d, &o, SIM_H_COLLECTIVE, result, a, o.c.count ? o.c.refs[i] : a);
    }
    if (!has_mask) sim_decode_next(d, SIM_END_NEXT);
    return RT_STATUS_OK;
}

void sim_decode_subgroup_barrier(sim_decoder *d, uint32_t order)
{
    sim_decode_next(d, SIM_END_MEET);
    sim_ref nothing = sim_decode_constant(d, 0);
    const sim_ref operands[] = {nothing, nothing, nothing};
    sim_node *node =
        sim_node_add(d, SIM_SHAPE_COLLECTIVE, SIM_H_COLLECTIVE, SIM_I32, operands, 3, 0);
    node->extra = sim_collective_code(SIM_COLLECTIVE_BARRIER, 0, SIM_I32);
    node->is_uniform = true;
    node->alignment = order;
    sim_decode_next(d, SIM_END_NEXT);
}

/* ---- Work-groups ---------------------------------------------------------------------------- */

rt_status sim_decode_group_put(sim_decoder *d, const sim_view *view)
{
    collective o;
    RT_TRY(collective_read(d, view, &o));
    if (!o.row->is_uniform || o.a.count != 1) {
        return sim_decode_refuse(
            d, view->opcode->name,
            "for a work-group, only uniform instructions on scalars are supported");
    }
    sim_ref index = sim_decode_constant(d, 0);
    if (o.b.count) {
        /* A broadcast names a work-item by an index of up to three dimensions: compute its linear
         * index. */
        index = o.b.refs[o.b.count - 1];
        for (uint32_t i = o.b.count - 1; i-- > 0;) {
            sim_ref size = SIM_REF_POOL | (SIM_SLOT_GROUP_SIZE + i);
            index = sim_build_four(d, SIM_INT4(MUL, SIM_I64), SIM_I64, index, size);
            index = sim_build_four(d, SIM_INT4(ADD, SIM_I64), SIM_I64, index, o.b.refs[i]);
        }
    }
    const sim_ref operands[] = {o.a.refs[0], index, o.a.refs[0]};
    sim_node *node = sim_node_add(d, SIM_SHAPE_COLLECTIVE, SIM_H_GROUP_PUT, o.type, operands, 3, 0);
    node->extra = sim_collective_code((sim_collective)o.row->operation, o.fold, o.type);
    d->f->does.collects = true;
    return RT_STATUS_OK;
}

rt_status sim_decode_group_take(sim_decoder *d, const sim_view *view, sim_leaves *out_leaves)
{
    collective o;
    RT_TRY(collective_read(d, view, &o));
    CHECK(o.row->is_uniform && o.a.count == 1);
    o.b = (sim_leaves){NULL, 0}; /* the index was published with the value */
    sim_lane_type type = sim_type_lane(view->type);
    *out_leaves = sim_leaves_single(
        d, collective_add(d, &o, SIM_H_GROUP_TAKE, type, o.a.refs[0], o.a.refs[0]));
    return RT_STATUS_OK;
}

rt_status sim_decode_async_copy(sim_decoder *d, const sim_view *view, sim_leaves *out_leaves)
{
    const sim_type *target = sim_decode_type(d, view, 1);
    if (target->element->size_bytes > 128) {
        return sim_decode_refuse(d, view->opcode->name, "its elements are larger than 128 bytes");
    }
    sim_ref operands[5];
    for (uint32_t i = 0; i < 5; i++) {
        sim_leaves in;
        bool is_number = i == 2 || i == 3; /* the count and the stride */
        RT_TRY(is_number ? index_leaves(d, view->operands[1 + i], &in)
                         : sim_decode_leaves(d, view->operands[1 + i], &in));
        CHECK(in.count == 1);
        operands[i] = in.refs[0];
    }
    sim_node *node =
        sim_node_add(d, SIM_SHAPE_ASYNC_COPY, SIM_H_ASYNC_COPY, SIM_I64, operands, 5, 1);
    node->alignment = (uint32_t)target->element->size_bytes;
    node->stride = target->element->alignment_bytes;
    /* The stride applies to the side in global memory. */
    node->extra = target->storage_class == SIM_StorageClassCrossWorkgroup;
    d->f->does.copies = true;
    *out_leaves = sim_leaves_single(d, node->result_first);
    return RT_STATUS_OK;
}

rt_status sim_decode_wait_events(sim_decoder *d, const sim_view *view)
{
    sim_leaves count, events;
    RT_TRY(index_leaves(d, view->operands[1], &count));
    RT_TRY(sim_decode_leaves(d, view->operands[2], &events));
    CHECK(count.count == 1 && events.count == 1);
    const sim_ref operands[] = {count.refs[0], events.refs[0], events.refs[0]};
    sim_node_add(d, SIM_SHAPE_COLLECTIVE, SIM_H_WAIT_EVENTS, SIM_I64, operands, 3, 0);
    return RT_STATUS_OK;
}
