/* Atomic instructions: each becomes one operation, which contains the memory order as a constant.
 */
#include "sim/decode/decode.h"

/* instruction, operation, operand indices of the value and the comparator (0: none) */
static const struct {
    uint16_t opcode;
    uint8_t operation, value, comparator;
} atomic_rows[] = {
    {SIM_OpAtomicLoad, SIM_ATOMIC_LOAD, 0, 0},
    {SIM_OpAtomicStore, SIM_ATOMIC_STORE, 3, 0},
    {SIM_OpAtomicExchange, SIM_ATOMIC_EXCHANGE, 3, 0},
    {SIM_OpAtomicCompareExchange, SIM_ATOMIC_COMPARE, 4, 5},
    {SIM_OpAtomicCompareExchangeWeak, SIM_ATOMIC_COMPARE, 4, 5},
    {SIM_OpAtomicIIncrement, SIM_ATOMIC_ADD, 0, 0},
    {SIM_OpAtomicIDecrement, SIM_ATOMIC_SUB, 0, 0},
    {SIM_OpAtomicIAdd, SIM_ATOMIC_ADD, 3, 0},
    {SIM_OpAtomicISub, SIM_ATOMIC_SUB, 3, 0},
    {SIM_OpAtomicSMin, SIM_ATOMIC_SMIN, 3, 0},
    {SIM_OpAtomicUMin, SIM_ATOMIC_UMIN, 3, 0},
    {SIM_OpAtomicSMax, SIM_ATOMIC_SMAX, 3, 0},
    {SIM_OpAtomicUMax, SIM_ATOMIC_UMAX, 3, 0},
    {SIM_OpAtomicAnd, SIM_ATOMIC_AND, 3, 0},
    {SIM_OpAtomicOr, SIM_ATOMIC_OR, 3, 0},
    {SIM_OpAtomicXor, SIM_ATOMIC_XOR, 3, 0},
    {SIM_OpAtomicFAddEXT, SIM_ATOMIC_FADD, 3, 0},
    {SIM_OpAtomicFMinEXT, SIM_ATOMIC_FMIN, 3, 0},
    {SIM_OpAtomicFMaxEXT, SIM_ATOMIC_FMAX, 3, 0},
    {SIM_OpAtomicFlagTestAndSet, SIM_ATOMIC_EXCHANGE, 0, 0},
    {SIM_OpAtomicFlagClear, SIM_ATOMIC_STORE, 0, 0},
};

rt_status sim_decode_atomic(sim_decoder *d, const sim_view *view, sim_leaves *out_leaves)
{
    uint32_t row = 0;
    while (atomic_rows[row].opcode != view->opcode->number) {
        row++;
        CHECK(row < sizeof atomic_rows / sizeof atomic_rows[0]);
    }
    const sim_type *target = sim_decode_type(d, view, 0), *element = target->element;
    bool is_flag = view->opcode->group == SIM_GROUP_ATOMIC_FLAG;
    bool clears = view->opcode->group == SIM_GROUP_ATOMIC_FLAG_CLEAR;
    sim_lane_type type = sim_type_lane(view->type && !is_flag ? view->type : element);
    CHECK(sim_lane_bytes(type) >= 4 || sim_type_is_half(element));
    sim_leaves pointer, value, comparator;
    sim_ref one = sim_decode_constant(d, clears ? 0 : 1);
    RT_TRY(sim_decode_leaves(d, view->operands[0], &pointer));
    value = comparator = sim_leaves_single(d, one);
    uint32_t place = atomic_rows[row].value;
    if (place) RT_TRY(sim_decode_leaves(d, view->operands[place], &value));
    place = atomic_rows[row].comparator;
    if (place) RT_TRY(sim_decode_leaves(d, view->operands[place], &comparator));
    uint32_t handler = sim_lane_bytes(type) == 8   ? SIM_H_ATOMIC_I64
                       : sim_lane_bytes(type) == 4 ? SIM_H_ATOMIC_I32
                                                   : SIM_H_ATOMIC_I16;
    sim_bounds_check(d, view->operands[0]);
    const sim_ref operands[] = {pointer.refs[0], value.refs[0], comparator.refs[0]};
    sim_node *node = sim_node_add(d, SIM_SHAPE_ATOMIC, handler, type, operands, 3, 1);
    node->extra = atomic_rows[row].operation;
    node->stride = sim_decode_order(d, 0, view->operands[1], view->operands[2]);
    d->f->does.atomics = true;
    d->f->does.far_atomics |= target->storage_class != SIM_StorageClassWorkgroup;
    sim_ref old = node->result_first;
    if (is_flag)
        old = sim_build_four(d, SIM_INT4(NE, SIM_I32), SIM_I8, old, sim_decode_constant(d, 0));
    if (view->type) *out_leaves = sim_leaves_single(d, old);
    return RT_STATUS_OK;
}
