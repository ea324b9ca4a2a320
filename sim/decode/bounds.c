/* Indices of arrays that lie within a structure or a larger array. An access past the end of such
 * an array stays within its object, so the object's bounds do not show it; the types of the access
 * chain do. The check belongs to the access, not to the chain, because a pointer past the last
 * element may be formed.
 *
 * Not checked, because correct programs do it:
 *  - a trailing array of at most one element in a structure, which stands for an array of any
 *    length;
 *  - an index after a constant index 0 into the enclosing array: compilers merge &a[0][0] + i,
 * which walks through the whole of a, into the chain a[0][i]. Nor is the array checked that is the
 * whole object, or that a pointer of unknown origin points to: the object's bounds decide. */
#include "sim/decode/decode.h"

#define FLEXIBLE_COUNT_MAX 1u

/* What encloses the object that a pointer points to. */
typedef enum enclosure {
    ENCLOSED_UNKNOWN, /* nothing, or it is not known */
    ENCLOSED_MEMBER,  /* a structure */
    ENCLOSED_LAST,    /* a structure, whose last member it is */
    ENCLOSED_ELEMENT, /* an array, unless the index is the constant 0 */
} enclosure;

static uint64_t key_of(const sim_decoder *d, sim_id id)
{
    return (uint64_t)d->f->module_index << 32 | id;
}

/* Returns the chain that a pointer was computed by; empty if there is none. */
static sim_bounded bounded_of(const sim_decoder *d, sim_id pointer)
{
    uint32_t index = rt_map_find_number(&d->bounded_of, key_of(d, pointer));
    return index == RT_MAP_NONE ? (sim_bounded){.last = SIM_NONE} : d->bounded.items[index];
}

static bool is_checked(enclosure outer, uint64_t count)
{
    return outer == ENCLOSED_MEMBER || outer == ENCLOSED_ELEMENT ||
           (outer == ENCLOSED_LAST && count > FLEXIBLE_COUNT_MAX);
}

/* Reads an index, as the 32 bits from which it was extended if possible. */
static rt_status index_read(sim_decoder *d, sim_id id, sim_bound *out)
{
    sim_leaves leaves;
    RT_TRY(sim_decode_leaves(d, id, &leaves));
    sim_lane_type type = sim_type_lane(sim_module_id(d->f->module, id)->type);
    out->index = leaves.refs[0];
    out->type = (uint8_t)type;
    if (type < SIM_I32) {
        out->index = sim_build_resize(d, type, SIM_I64, true, out->index);
        out->type = SIM_I64;
    }
    if (!sim_ref_is_value(out->index)) return RT_STATUS_OK;
    const sim_node *node = &d->f->nodes.items[d->f->values.items[out->index].node];
    bool is_extended =
        node->handler == SIM_H_ZEXT_I32_I64_V || node->handler == SIM_H_SEXT_I32_I64_V;
    if (node->shape == SIM_SHAPE_UNARY && is_extended) {
        out->index = d->f->refs.items[node->operand_first];
        out->type = SIM_I32;
    }
    return RT_STATUS_OK;
}

/* Notes an index of the chain to check, unless it is a constant within bounds. *out_is_zero: it is
 * the constant 0. */
static rt_status index_add(sim_decoder *d, sim_bounded *chain, enclosure outer, sim_id id,
                           uint64_t count, bool *out_is_zero)
{
    sim_bound bound = {.before = chain->last};
    uint64_t bits;
    RT_TRY(index_read(d, id, &bound));
    bool is_constant = sim_ref_constant(d, bound.index, &bits);
    *out_is_zero = is_constant && bits == 0;
    if (!is_checked(outer, count) || count > INT32_MAX || (is_constant && bits < count)) {
        return RT_STATUS_OK;
    }
    bound.count = (uint32_t)count;
    chain->last = d->bounds.count;
    *rt_vector_push(&d->bounds) = bound;
    return RT_STATUS_OK;
}

rt_status sim_bounds_chain(sim_decoder *d, const sim_view *view)
{
    const sim_type *type = sim_decode_type(d, view, 0)->element;
    sim_bounded chain = bounded_of(d, view->operands[0]);
    enclosure outer = (enclosure)chain.enclosure;
    bool is_zero;
    uint32_t next = 1;
    if (view->opcode->group == SIM_GROUP_POINTER_CHAIN) {
        RT_TRY(index_add(d, &chain, ENCLOSED_UNKNOWN, view->operands[next++], 0, &is_zero));
        if (!is_zero) outer = ENCLOSED_ELEMENT;
    }
    for (; next < view->operand_count; next++) {
        if (type->kind == SIM_TYPE_STRUCT) {
            uint64_t member = sim_module_constant(d->f->module, view->operands[next])->bits;
            outer = member + 1 == type->count ? ENCLOSED_LAST : ENCLOSED_MEMBER;
            type = sim_type_part(type, member);
        } else if (type->kind == SIM_TYPE_ARRAY) {
            RT_TRY(index_add(d, &chain, outer, view->operands[next], type->count, &is_zero));
            outer = is_zero ? ENCLOSED_UNKNOWN : ENCLOSED_ELEMENT;
            type = type->element;
        } else {
            break; /* a component of a vector */
        }
    }
    chain.enclosure = (uint8_t)outer;
    rt_map_set_number(&d->bounded_of, key_of(d, view->id), d->bounded.count);
    *rt_vector_push(&d->bounded) = chain;
    return RT_STATUS_OK;
}

void sim_bounds_check(sim_decoder *d, sim_id pointer)
{
    for (uint32_t i = bounded_of(d, pointer).last; i != SIM_NONE;) {
        sim_bound bound = d->bounds.items[i];
        uint32_t handler =
            bound.type == SIM_I32 ? SIM_INT2(BOUND, SIM_I32) : SIM_INT2(BOUND, SIM_I64);
        sim_node_add(d, SIM_SHAPE_BOUND, handler, (sim_lane_type)bound.type, &bound.index, 1, 0)
            ->extra = bound.count;
        i = bound.before;
    }
}
