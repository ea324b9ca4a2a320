/* printf of OpenCL.std: one operation that takes the format's address and the components of every
 * argument. The types of the arguments are known here and stored with the program; the content of
 * the format is not, so the two are compared when the call is executed (exec/print.c). */
#include "sim/decode/decode.h"

static sim_print_argument argument_of(const sim_type *type)
{
    const sim_type *scalar = type->kind == SIM_TYPE_VECTOR ? type->element : type;
    sim_print_argument argument = {.bytes = (uint8_t)sim_lane_bytes(sim_type_lane(type)),
                                   .count = (uint8_t)sim_type_leaves(type)};
    switch ((sim_type_kind)scalar->kind) {
    case SIM_TYPE_INT: argument.kind = SIM_PRINT_INTEGER; break;
    case SIM_TYPE_FLOAT: argument.kind = SIM_PRINT_FLOAT; break;
    default:
        CHECK(scalar->kind == SIM_TYPE_POINTER);
        argument.kind = scalar->storage_class == SIM_StorageClassUniformConstant
                            ? SIM_PRINT_STRING
                            : SIM_PRINT_POINTER;
        break;
    }
    return argument;
}

rt_status sim_decode_print(sim_decoder *d, const sim_view *view, sim_leaves *out_leaves)
{
    uint32_t count = view->operand_count - 3, leaves = 1;
    sim_print_argument *arguments =
        rt_arena_alloc_array(&d->program->arena, count + 1, sizeof *arguments);
    for (uint32_t i = 0; i < count; i++) {
        arguments[i] = argument_of(sim_module_id(d->f->module, view->operands[3 + i])->type);
        leaves += arguments[i].count;
    }
    sim_ref *refs = sim_refs_new(d, leaves);
    for (uint32_t i = 0, next = 0; i <= count; i++) {
        sim_leaves in;
        RT_TRY(sim_decode_leaves(d, view->operands[2 + i], &in));
        for (uint32_t k = 0; k < in.count; k++)
            refs[next++] = in.refs[k];
    }
    sim_node *node = sim_node_add(d, SIM_SHAPE_PRINT, SIM_H_PRINT, SIM_I32, leaves, 1);
    node->extra = d->prints.count;
    d->f->does.prints = true;
    *rt_vector_push(&d->prints) = (sim_print){arguments, count};
    for (uint32_t i = 0; i < leaves; i++)
        d->f->refs.items[node->operand_first + i] = refs[i];
    sim_ref *result = sim_refs_new(d, 1);
    *result = node->result_first;
    *out_leaves = (sim_leaves){result, 1};
    return RT_STATUS_OK;
}
