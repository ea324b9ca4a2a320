/* printf from OpenCL.std becomes one operation, which takes the format's address and the components
 * of every argument. The types of the arguments are known here and stored with the program, but the
 * text of the format is not, so the two are compared when the call is executed (exec/print.c). */
#include "sim/decode/decode.h"

rt_status sim_decode_print(sim_decoder *d, const sim_view *view, sim_leaves *out_leaves)
{
    uint32_t count = view->operand_count - 3, leaves = 1;
    sim_print_argument *arguments =
        rt_arena_alloc_array(&d->program->arena, count, sizeof *arguments);
    for (uint32_t i = 0; i < count; i++) {
        const sim_type *type = sim_decode_type(d, view, 3 + i);
        const sim_type *scalar = type->kind == SIM_TYPE_VECTOR ? type->element : type;
        bool is_string = scalar->storage_class == SIM_StorageClassUniformConstant;
        sim_print_kind kind = is_string ? SIM_PRINT_STRING : SIM_PRINT_POINTER;
        if (scalar->kind == SIM_TYPE_INT) kind = SIM_PRINT_INTEGER;
        if (scalar->kind == SIM_TYPE_FLOAT) kind = SIM_PRINT_FLOAT;
        CHECK_IMPLIES(kind >= SIM_PRINT_POINTER, scalar->kind == SIM_TYPE_POINTER);
        arguments[i] = (sim_print_argument){.kind = (uint8_t)kind,
                                            .bytes = (uint8_t)sim_lane_bytes(sim_type_lane(type)),
                                            .count = (uint8_t)sim_type_leaves(type)};
        leaves += arguments[i].count;
    }
    sim_ref *refs = sim_refs_new(d, leaves);
    uint32_t next = 0;
    for (uint32_t i = 0; i <= count; i++) {
        sim_leaves in;
        RT_TRY(sim_decode_leaves(d, view->operands[2 + i], &in));
        for (uint32_t k = 0; k < in.count; k++)
            refs[next++] = in.refs[k];
    }
    CHECK(next == leaves);
    sim_node *node = sim_node_add(d, SIM_SHAPE_PRINT, SIM_H_PRINT, SIM_I32, refs, leaves, 1);
    node->extra = d->prints.count;
    *out_leaves = sim_leaves_single(d, node->result_first);
    d->f->does.prints = true;
    *rt_vector_push(&d->prints) = (sim_print){arguments, count};
    return RT_STATUS_OK;
}
