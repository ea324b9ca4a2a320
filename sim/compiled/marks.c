/* Which private variables are marked where they are undefined: those of which compiled code
 * accesses whole granules only. A wrong choice costs time: helpers give up if they cannot keep to
 * it. */
#include "sim/compiled/flat.h"
#include "sim/compiled/handlers.h"

#define GRANULE 4u

static void frame_clear(sim_tier_frame *frame)
{
    for (uint32_t i = 0; i < frame->function->variable_count; i++)
        frame->is_marked[i] = false;
}

/* The operation accesses parts of granules at the address. */
static void parts_note(tier_flat *flat, uint32_t instance, const sim_code_block *block,
                       const sim_op *op, sim_register address)
{
    const sim_tier_frame *frame;
    uint32_t variable;
    if (!tier_private_variable(flat, instance, block, op, address, &frame, &variable)) {
        tier_object object = tier_object_of(flat, instance, block, op, address);
        if (object.is_global || object.local != TIER_LOCAL_ANY) return;
        for (uint32_t i = 0; i < flat->instances.count; i++)
            frame_clear(flat->instances.items[i].frame);
        return;
    }
    for (uint32_t i = 0; i < flat->instances.count; i++) {
        sim_tier_frame *owner = flat->instances.items[i].frame;
        if (owner == frame) owner->is_marked[variable] = false;
    }
}

static void op_note(tier_flat *flat, const tier_block *block, const sim_op *op)
{
    const tier_handler *h = tier_handler_at(op->handler);
    switch ((tier_shape)h->shape) {
    case TIER_LOAD:
    case TIER_STORE:
        if (sim_lane_bytes((sim_lane_type)h->from) < GRANULE || op->c < GRANULE)
            parts_note(flat, block->instance, block->block, op, op->a);
        return;
    case TIER_COPY:
        if (tier_copy_bytes(flat->program, op) >= GRANULE) return;
        parts_note(flat, block->instance, block->block, op, op->a);
        parts_note(flat, block->instance, block->block, op, op->b);
        return;
    default: return;
    }
}

void tier_marks_choose(tier_flat *flat)
{
    bool has_variables = false;
    for (uint32_t i = 0; i < flat->instances.count; i++) {
        sim_tier_frame *frame = flat->instances.items[i].frame;
        for (uint32_t k = 0; k < frame->function->variable_count; k++)
            frame->is_marked[k] = has_variables = true;
    }
    for (uint32_t b = 0; has_variables && b < flat->blocks.count; b++) {
        const tier_block *block = &flat->blocks.items[b];
        const sim_code_function *function = flat->instances.items[block->instance].function;
        for (uint32_t i = 0; i < block->block->op_count; i++)
            op_note(flat, block, &function->ops[block->block->op_first + i]);
    }
}
