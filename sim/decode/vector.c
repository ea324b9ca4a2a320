/* OpenCL.std functions on whole vectors: shuffles by a mask, and loads and stores of vectors and of
 * halves. Source: OpenCL extended instruction set specification 1.0, sections 2.7 and 2.8. */
#include "sim/decode/decode.h"

/* ---- Shuffles -------------------------------------------------------------------------------- */

/* The low bits of each component of the mask select a component of the sources; the number of
 * components of all sources together is a power of two.
 */
rt_status sim_decode_shuffle(sim_decoder *d, const sim_view *view, sim_leaves *out_leaves)
{
    uint32_t sources = view->operand_count - 3, total = 0;
    sim_ref components[32];
    sim_leaves in[3];
    CHECK(sources == 1 || sources == 2);
    RT_TRY(sim_decode_operands(d, view, 2, sources + 1, in));
    for (uint32_t k = 0; k < sources; k++) {
        CHECK(total + in[k].count <= 32);
        for (uint32_t i = 0; i < in[k].count; i++)
            components[total++] = in[k].refs[i];
    }
    CHECK(total >= 2 && (total & (total - 1)) == 0);
    sim_lane_type type = sim_type_lane(view->type);
    sim_lane_type mask_type = sim_type_lane(sim_decode_type(d, view, 2 + sources));
    sim_leaves masks = in[sources];
    sim_ref *refs = sim_refs_new(d, masks.count);
    for (uint32_t i = 0; i < masks.count; i++) {
        sim_ref low = sim_build_four(d, SIM_INT4(AND, mask_type), mask_type, masks.refs[i],
                                     sim_decode_constant(d, total - 1));
        refs[i] = components[0];
        for (uint32_t k = 1; k < total; k++) {
            sim_ref here =
                sim_build_four(d, SIM_INT4(EQ, mask_type), SIM_I8, low, sim_decode_constant(d, k));
            refs[i] = sim_build_select(d, type, here, components[k], refs[i]);
        }
    }
    *out_leaves = (sim_leaves){refs, masks.count};
    return RT_STATUS_OK;
}

/* ---- Memory ---------------------------------------------------------------------------------- */

/* Determines where the vector is: operands `offset` and `offset + 1` are the vector's number and
 * the pointer. The "aligned" forms lay out three-component vectors like four-component vectors. */
static rt_status vector_place(sim_decoder *d, const sim_view *view, uint32_t offset,
                              sim_vector_access *access)
{
    uint32_t number = view->operands[1];
    bool is_aligned = number == SIM_STD_vloada_halfn || number == SIM_STD_vstorea_halfn ||
                      number == SIM_STD_vstorea_halfn_r;
    sim_leaves in[2];
    RT_TRY(sim_decode_operands(d, view, offset, 2, in));
    access->pointer = in[1].refs[0];
    access->pointer_type = sim_decode_type(d, view, offset + 1);
    const sim_type *element = access->pointer_type->element;
    uint64_t bytes = element->size_bytes;
    access->stride = bytes * (is_aligned && access->count == 3 ? 4 : access->count);
    access->alignment = (uint32_t)(is_aligned ? access->stride : bytes);
    access->type = sim_type_lane(element);
    CHECK(bytes == sim_lane_bytes(access->type) && access->count <= 16);
    access->number = sim_build_resize(d, sim_type_lane(sim_decode_type(d, view, offset)), SIM_I64,
                                      false, in[0].refs[0]);
    return RT_STATUS_OK;
}

rt_status sim_decode_vector_load(sim_decoder *d, const sim_view *view, sim_leaves *out_leaves)
{
    uint32_t count = sim_type_leaves(view->type);
    sim_ref *refs = sim_refs_new(d, count);
    sim_vector_access access = {.leaves = refs, .count = count};
    RT_TRY(vector_place(d, view, 2, &access));
    sim_decode_vector_access(d, &access);
    sim_lane_type type = sim_type_lane(view->type);
    for (uint32_t i = 0; i < count && type != access.type; i++)
        refs[i] = sim_half_widen(d, type, refs[i]);
    *out_leaves = (sim_leaves){refs, count};
    return RT_STATUS_OK;
}

rt_status sim_decode_vector_store(sim_decoder *d, const sim_view *view)
{
    sim_leaves data;
    RT_TRY(sim_decode_leaves(d, view->operands[2], &data));
    sim_ref *refs = sim_refs_new(d, data.count);
    sim_vector_access access = {.leaves = refs, .count = data.count, .is_store = true};
    RT_TRY(vector_place(d, view, 3, &access));
    sim_lane_type type = sim_type_lane(sim_decode_type(d, view, 2));
    uint32_t rounding =
        view->operand_count > 5 ? view->operands[5] : (uint32_t)SIM_FPRoundingModeRTE;
    for (uint32_t i = 0; i < data.count; i++) {
        refs[i] = type == access.type ? data.refs[i]
                                      : sim_decode_convert_float(d, type, rounding, data.refs[i]);
    }
    sim_decode_vector_access(d, &access);
    return RT_STATUS_OK;
}
