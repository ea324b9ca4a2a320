/* Functions of OpenCL.std on whole vectors: mask shuffles, and loads and stores of vectors and of
 * half. Source: OpenCL extended instruction set specification 1.0, sections 2.7 and 2.8. */
#include "sim/decode/decode.h"

static const sim_type *operand_type(const sim_decoder *d, const sim_view *view, uint32_t index)
{
    return sim_module_id(d->f->module, view->operands[index])->type;
}

/* ---- Shuffles -------------------------------------------------------------------------------- */

/* The component that the low bits of `mask` select; count is a power of two. */
static sim_ref pick(sim_decoder *d, sim_lane_type mask_type, sim_ref mask, sim_lane_type type,
                    const sim_ref *components, uint32_t count)
{
    sim_ref low = sim_build_four(d, SIM_INT4(AND, mask_type), mask_type, mask,
                                 sim_decode_constant(d, count - 1));
    sim_ref out = components[0];
    for (uint32_t i = 1; i < count; i++) {
        sim_ref here =
            sim_build_four(d, SIM_INT4(EQ, mask_type), SIM_I8, low, sim_decode_constant(d, i));
        out = sim_build_select(d, type, here, components[i], out);
    }
    return out;
}

rt_status sim_decode_shuffle(sim_decoder *d, const sim_view *view, sim_leaves *out_leaves)
{
    uint32_t sources = view->operand_count - 3, total = 0;
    sim_ref components[32];
    sim_leaves part;
    CHECK(sources == 1 || sources == 2);
    for (uint32_t k = 0; k < sources; k++) {
        RT_TRY(sim_decode_leaves(d, view->operands[2 + k], &part));
        for (uint32_t i = 0; i < part.count; i++)
            components[total++] = part.refs[i];
    }
    CHECK(total >= 2 && total <= 32 && (total & (total - 1)) == 0);
    RT_TRY(sim_decode_leaves(d, view->operands[2 + sources], &part));
    sim_lane_type mask_type = sim_type_lane(operand_type(d, view, 2 + sources));
    sim_ref *refs = sim_refs_new(d, part.count);
    for (uint32_t i = 0; i < part.count; i++) {
        refs[i] = pick(d, mask_type, part.refs[i], sim_type_lane(view->type), components, total);
    }
    *out_leaves = (sim_leaves){refs, part.count};
    return RT_STATUS_OK;
}

/* ---- Memory ---------------------------------------------------------------------------------- */

/* The "aligned" forms lay out three-component vectors like four-component vectors. */
static bool is_aligned(uint32_t number)
{
    return number == SIM_STD_vloada_halfn || number == SIM_STD_vstorea_halfn ||
           number == SIM_STD_vstorea_halfn_r;
}

/* The location of the vector: operands `offset` and `offset + 1` are the vector's number and the
 * pointer. */
static rt_status vector_place(sim_decoder *d, const sim_view *view, uint32_t offset, uint32_t count,
                              sim_vector_access *out)
{
    sim_leaves pointer, number;
    RT_TRY(sim_decode_leaves(d, view->operands[offset], &number));
    RT_TRY(sim_decode_leaves(d, view->operands[offset + 1], &pointer));
    const sim_type *type = operand_type(d, view, offset + 1);
    uint64_t bytes = type->element->size_bytes;
    bool aligned = is_aligned(view->operands[1]);
    out->stride = bytes * (aligned && count == 3 ? 4 : count);
    out->alignment = (uint32_t)(aligned ? out->stride : bytes);
    out->pointer = pointer.refs[0];
    out->pointer_type = type;
    out->type = sim_type_lane(type->element);
    out->count = count;
    out->number = sim_build_resize(d, sim_type_lane(operand_type(d, view, offset)), SIM_I64, false,
                                   number.refs[0]);
    return RT_STATUS_OK;
}

rt_status sim_decode_vector_load(sim_decoder *d, const sim_view *view, sim_leaves *out_leaves)
{
    uint32_t count = sim_type_leaves(view->type);
    sim_ref *refs = sim_refs_new(d, count);
    sim_vector_access access = {.leaves = refs};
    RT_TRY(vector_place(d, view, 2, count, &access));
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
    sim_vector_access access = {.leaves = refs, .is_store = true};
    RT_TRY(vector_place(d, view, 3, data.count, &access));
    sim_lane_type type = sim_type_lane(operand_type(d, view, 2));
    uint32_t rounding =
        view->operand_count > 5 ? view->operands[5] : (uint32_t)SIM_FPRoundingModeRTE;
    for (uint32_t i = 0; i < data.count; i++) {
        refs[i] = type == access.type ? data.refs[i]
                                      : sim_decode_convert_float(d, type, rounding, data.refs[i]);
    }
    sim_decode_vector_access(d, &access);
    return RT_STATUS_OK;
}
