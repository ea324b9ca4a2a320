/* Translates functions to operations: constants, phis, blocks and their terminators. flow.c has
 * laid out the control flow, whose operands are added here; value.c and memory.c build the contents
 * of blocks. */
#include "sim/decode/decode.h"
#include "sim/module/collective.h"

#include <string.h>

/* Memory semantics: all bits kept in an order, and the bits of a fence that orders everything. */
#define ORDER_BITS UINT32_C(0xffffff)
#define ORDER_ALL                                                                                  \
    (UINT32_C(0) | SIM_MemorySemanticsSequentiallyConsistent |                                     \
     SIM_MemorySemanticsWorkgroupMemory | SIM_MemorySemanticsCrossWorkgroupMemory)

/* ---- Constants ---------------------------------------------------------------------------- */

sim_ref sim_decode_constant(sim_decoder *d, uint64_t bits)
{
    uint32_t slot = rt_map_find_number(&d->pool_slots, bits);
    if (slot == RT_MAP_NONE) {
        slot = d->pool.count;
        *rt_vector_push(&d->pool) = bits;
        rt_map_set_number(&d->pool_slots, bits, slot);
    }
    return SIM_REF_POOL | slot;
}

bool sim_ref_constant(const sim_decoder *d, sim_ref ref, uint64_t *out_bits)
{
    *out_bits = 0;
    if (sim_ref_is_value(ref) || !(ref & SIM_REF_POOL)) return false;
    uint32_t slot = ref & ~SIM_REF_POOL;
    *out_bits = d->pool.items[slot];
    return slot >= SIM_POOL_SLOTS && rt_map_find_number(&d->pool_slots, *out_bits) == slot;
}

static sim_leaves leaves_fill(sim_decoder *d, const sim_type *type, sim_ref ref)
{
    uint32_t count = sim_type_leaves(type);
    sim_ref *refs = sim_refs_new(d, count);
    for (uint32_t i = 0; i < count; i++)
        refs[i] = ref;
    return (sim_leaves){refs, count};
}

static sim_ref *undefined_fill(const sim_type *type, sim_ref *out)
{
    if (!sim_type_is_composite(type)) {
        uint32_t slot = type->kind == SIM_TYPE_BOOL ? SIM_SLOT_UNDEFINED_BOOL : SIM_SLOT_UNDEFINED;
        *out = SIM_REF_POOL | slot;
        return out + 1;
    }
    for (uint64_t i = 0; i < type->count; i++)
        out = undefined_fill(sim_type_part(type, i), out);
    return out;
}

sim_leaves sim_decode_undefined(sim_decoder *d, const sim_type *type)
{
    uint32_t count = sim_type_leaves(type);
    sim_ref *refs = sim_refs_new(d, count);
    CHECK(undefined_fill(type, refs) == refs + count);
    return (sim_leaves){refs, count};
}

rt_status sim_decode_construct(sim_decoder *d, const sim_type *type, const sim_id *ids,
                               uint32_t count, sim_leaves *out_leaves)
{
    uint32_t total = sim_type_leaves(type), next = 0;
    sim_ref *refs = sim_refs_new(d, total);
    for (uint32_t i = 0; i < count; i++) {
        sim_leaves part;
        RT_TRY(sim_decode_leaves(d, ids[i], &part));
        CHECK(part.count <= total - next);
        memcpy(refs + next, part.refs, part.count * sizeof *refs);
        next += part.count;
    }
    CHECK(next == total);
    *out_leaves = (sim_leaves){refs, total};
    return RT_STATUS_OK;
}

/* Writes the scalars of a value whose memory representation is known; returns the position after
 * the last one written. */
static sim_ref *image_leaves(sim_decoder *d, const sim_type *type, const uint8_t *image,
                             sim_ref *out)
{
    if (!sim_type_is_composite(type)) {
        uint64_t bits = 0;
        CHECK(type->size_bytes <= sizeof bits);
        memcpy(&bits, image, type->size_bytes);
        *out = sim_decode_constant(d, bits);
        return out + 1;
    }
    for (uint64_t i = 0; i < type->count; i++)
        out = image_leaves(d, sim_type_part(type, i), image + sim_type_part_offset(type, i), out);
    return out;
}

static rt_status constant_leaves(sim_decoder *d, const sim_constant *constant,
                                 sim_leaves *out_leaves)
{
    if (sim_type_leaves(constant->type) > SIM_LEAVES_MAX) {
        return sim_decode_refuse(d, "a constant", "it has more than 4096 scalars");
    }
    switch ((sim_constant_kind)constant->kind) {
    case SIM_CONSTANT_BITS:
        *out_leaves = leaves_fill(d, constant->type, sim_decode_constant(d, constant->bits));
        return RT_STATUS_OK;
    case SIM_CONSTANT_NULL:
        *out_leaves = leaves_fill(d, constant->type, sim_decode_constant(d, 0));
        return RT_STATUS_OK;
    case SIM_CONSTANT_UNDEFINED:
        *out_leaves = sim_decode_undefined(d, constant->type);
        return RT_STATUS_OK;
    case SIM_CONSTANT_COMPOSITE:
        return sim_decode_construct(d, constant->type, constant->operands, constant->count,
                                    out_leaves);
    case SIM_CONSTANT_FUNCTION:
        *out_leaves = leaves_fill(
            d, constant->type,
            sim_decode_function_address(d, sim_decode_addressed(d, d->f->module_index, constant)));
        return RT_STATUS_OK;
    case SIM_CONSTANT_OPERATION: break;
    }
    if (constant->image) {
        uint32_t count = sim_type_leaves(constant->type);
        sim_ref *refs = sim_refs_new(d, count);
        CHECK(image_leaves(d, constant->type, constant->image, refs) == refs + count);
        *out_leaves = (sim_leaves){refs, count};
        return RT_STATUS_OK;
    }
    /* An operation on constants is recomputed wherever it is used; because it is uniform, that
     * costs almost nothing. */
    sim_view view = {constant->opcode, constant->operands, constant->count, constant->type,
                     constant->id};
    return sim_decode_instruction(d, &view, out_leaves);
}

rt_status sim_decode_leaves(sim_decoder *d, sim_id id, sim_leaves *out_leaves)
{
    sim_ir_function *f = d->f;
    const sim_id_entry *entry = sim_module_id(f->module, id);
    sim_leaves *known = &d->leaves[f->module_index][id];
    if (entry->kind == SIM_ID_VARIABLE) {
        const sim_variable *variable = sim_module_variable(f->module, id);
        /* Records that the function uses this variable in local memory; repeating this is harmless.
         */
        if (variable->storage_class == SIM_StorageClassWorkgroup) {
            uint32_t count = d->locals.count;
            uint32_t index = d->global_of[f->module_index][variable - f->module->variables];
            CHECK(index < count);
            if (!f->locals)
                f->locals = rt_arena_alloc_array(&d->program->arena, count, sizeof *f->locals);
            f->does.locals = f->locals;
            f->locals[index] = true;
        }
        if (!known->refs) {
            sim_ref ref;
            RT_TRY(sim_decode_variable(d, variable, &ref));
            *known = leaves_fill(d, entry->type, ref);
        }
    }
    *out_leaves = *known;
    if (known->refs) return RT_STATUS_OK;
    const sim_constant *constant = sim_module_constant(f->module, id);
    RT_TRY(constant_leaves(d, constant, out_leaves));
    bool is_bound = constant->kind == SIM_CONSTANT_OPERATION ||
                    constant->kind == SIM_CONSTANT_COMPOSITE; /* may contain operations */
    if (!is_bound) *known = *out_leaves;
    return RT_STATUS_OK;
}

rt_status sim_decode_operands(sim_decoder *d, const sim_view *view, uint32_t first, uint32_t count,
                              sim_leaves *out_leaves)
{
    CHECK(first + count <= view->operand_count);
    for (uint32_t i = 0; i < count; i++)
        RT_TRY(sim_decode_leaves(d, view->operands[first + i], &out_leaves[i]));
    return RT_STATUS_OK;
}

/* ---- Blocks ------------------------------------------------------------------------------- */

/* Returns a node's results as the scalars of a value of the type, and sets their lane types. */
static sim_leaves node_leaves(sim_decoder *d, const sim_node *node, const sim_type *type)
{
    sim_lane_type *lanes = rt_arena_alloc_array(&d->arena, node->result_count, sizeof *lanes);
    CHECK(sim_type_lanes(type, lanes) == lanes + node->result_count);
    sim_ref *refs = sim_refs_new(d, node->result_count);
    for (uint32_t i = 0; i < node->result_count; i++) {
        refs[i] = node->result_first + i;
        d->f->values.items[refs[i]].type = (uint8_t)lanes[i];
    }
    return (sim_leaves){refs, node->result_count};
}

static rt_status build_parameters(sim_decoder *d)
{
    sim_ir_function *f = d->f;
    const sim_type *type = f->function->type;
    uint32_t total = 0;
    if (sim_type_leaves(type->element) > SIM_LEAVES_MAX) {
        return sim_decode_refuse(d, "OpFunction", "its result has more than 4096 scalars");
    }
    f->parameter_first =
        rt_arena_alloc_array(&d->arena, (size_t)type->count + 1, sizeof *f->parameter_first);
    for (uint32_t i = 0; i < type->count; i++) {
        f->parameter_first[i] = total;
        total += sim_type_leaves(type->members[i]);
        if (total > SIM_LEAVES_MAX) {
            return sim_decode_refuse(d, "OpFunction",
                                     "its parameters consist of more than 4096 scalars");
        }
    }
    f->parameter_first[type->count] = f->parameter_leaves = total;
    f->parameter_node = f->nodes.count;
    sim_node node = *sim_node_add(d, SIM_SHAPE_PARAMETER, 0, SIM_I64, NULL, 0, total);
    for (uint32_t i = 0; i < type->count; i++) {
        sim_node part = node;
        part.result_first += f->parameter_first[i];
        part.result_count = f->parameter_first[i + 1] - f->parameter_first[i];
        d->leaves[f->module_index][f->function->parameters[i]] =
            node_leaves(d, &part, type->members[i]);
    }
    return sim_decode_by_value(d);
}

static void site_set(sim_decoder *d, const sim_instruction *instruction)
{
    const sim_module *module = d->f->module;
    const char *name = instruction->opcode->name;
    if (instruction->opcode->number == SIM_OpExtInst &&
        sim_module_id(module, instruction->operands[0])->index == SIM_SET_OPENCL_STD) {
        const sim_extended *row = sim_extended_find(instruction->operands[1]);
        CHECK(row);
        name = row->name;
    }
    d->site = d->sites.count;
    *rt_vector_push(&d->sites) =
        (sim_site){.source = sim_module_string(module, instruction->source),
                   .line = instruction->line,
                   .column = instruction->column,
                   .function = d->f->index,
                   .name = name};
}

/* Appends the leaves to the function's refs; returns the index of the first. */
static uint32_t operands_keep(sim_decoder *d, sim_leaves leaves)
{
    uint32_t first = d->f->refs.count;
    for (uint32_t i = 0; i < leaves.count; i++)
        *rt_vector_push(&d->f->refs) = leaves.refs[i];
    return first;
}

void sim_decode_next(sim_decoder *d, sim_end end)
{
    sim_ir_function *f = d->f;
    CHECK(sim_end_falls_through(end) && d->block + 1 < f->blocks.count);
    f->blocks.items[d->block].end = (uint8_t)end;
    f->blocks.items[d->block].site = d->site;
    f->blocks.items[++d->block].node_first = f->nodes.count;
}

/* A call ends the block; its result, if any, is set in the next one. */
static rt_status build_call(sim_decoder *d, const sim_view *view)
{
    sim_ir_function *f = d->f;
    sim_ir_block *block = &f->blocks.items[d->block];
    bool is_direct = view->opcode->group == SIM_GROUP_CALL;
    if (is_direct) {
        const sim_function *callee = sim_module_function(f->module, view->operands[0]);
        block->call = d->function_of[f->module_index][callee - f->module->functions];
        CHECK(block->call < d->function_count);
    } else {
        sim_leaves pointer;
        RT_TRY(sim_decode_leaves(d, view->operands[0], &pointer));
        block->condition = pointer.refs[0];
        block->call = sim_decode_signature(d, sim_decode_type(d, view, 0)->element);
    }
    RT_VECTOR(sim_ref) arguments = {0};
    rt_status status = RT_STATUS_OK;
    for (uint32_t i = 1; i < view->operand_count && rt_ok(status); i++) {
        sim_leaves part = {0};
        status = sim_decode_leaves(d, view->operands[i], &part);
        for (uint32_t k = 0; k < part.count && rt_ok(status); k++)
            *rt_vector_push(&arguments) = part.refs[k];
    }
    block->operand_count = arguments.count;
    block->operand_first = operands_keep(d, (sim_leaves){arguments.items, arguments.count});
    rt_vector_free(&arguments);
    RT_TRY(status);
    sim_decode_next(d, is_direct ? SIM_END_CALL : SIM_END_CALL_POINTER);
    uint32_t count = sim_type_leaves(view->type);
    if (count == 0) return RT_STATUS_OK;
    block->result_node = f->nodes.count;
    sim_node node = *sim_node_add(d, SIM_SHAPE_RESULT, 0, SIM_I64, NULL, 0, count);
    d->leaves[f->module_index][view->id] = node_leaves(d, &node, view->type);
    return RT_STATUS_OK;
}

/* Returns a scope or memory semantics; the reader has checked that it is a plain constant. */
static uint32_t constant_u32(const sim_decoder *d, sim_id id)
{
    const sim_constant *constant = sim_module_constant(d->f->module, id);
    CHECK(constant->kind == SIM_CONSTANT_BITS || constant->kind == SIM_CONSTANT_NULL);
    CHECK_IMPLIES(constant->kind == SIM_CONSTANT_NULL, constant->bits == 0);
    return (uint32_t)constant->bits;
}

uint32_t sim_decode_order(const sim_decoder *d, sim_id execution, sim_id memory, sim_id semantics)
{
    uint32_t seen_by = constant_u32(d, memory);
    uint32_t among = execution == 0 ? seen_by : constant_u32(d, execution);
    return sim_order_pack(among, seen_by, constant_u32(d, semantics) & ORDER_BITS);
}

/* Ends the block with a barrier of the work-group. */
static void build_wait(sim_decoder *d, uint32_t order)
{
    d->f->blocks.items[d->block].order = order;
    sim_decode_next(d, SIM_END_BARRIER);
}

/* The execution scope decides which work-items wait for each other; the reader has checked that it
 * is constant. All scopes see the same memory here, so a barrier without other participants is a
 * fence. */
static rt_status build_barrier(sim_decoder *d, const sim_view *view)
{
    uint32_t order = sim_decode_order(d, view->operands[0], view->operands[1], view->operands[2]);
    switch (sim_scope_constant(d->f->module, view->operands[0])) {
    case SIM_ScopeWorkgroup: build_wait(d, order); return RT_STATUS_OK;
    case SIM_ScopeSubgroup: sim_decode_subgroup_barrier(d, order); return RT_STATUS_OK;
    case SIM_ScopeInvocation: sim_build_fence(d, order); return RT_STATUS_OK;
    default:
        return sim_decode_refuse(d, "OpControlBarrier",
                                 "the execution scope must be work-group, sub-group or invocation");
    }
}

/* All work-items copied the data when each copy began; the copies that belong to these events are
 * complete when all work-items have reached this point. */
static rt_status build_wait_events(sim_decoder *d, const sim_view *view)
{
    uint32_t scope = constant_u32(d, view->operands[0]);
    if (scope != SIM_ScopeWorkgroup) {
        return sim_decode_refuse(d, "OpGroupWaitEvents",
                                 "the scope must be constant and be work-group");
    }
    RT_TRY(sim_decode_wait_events(d, view));
    build_wait(d, sim_order_pack(scope, scope, ORDER_ALL));
    return RT_STATUS_OK;
}

/* Builds the terminator of a block of the module. */
static rt_status build_end(sim_decoder *d, const sim_view *view)
{
    sim_ir_block *block = &d->f->blocks.items[d->block];
    sim_leaves leaves = {NULL, 0};
    block->site = d->site;
    switch ((sim_group)view->opcode->group) {
    case SIM_GROUP_BRANCH: block->end = SIM_END_JUMP; return RT_STATUS_OK;
    case SIM_GROUP_BRANCH_CONDITIONAL:
    case SIM_GROUP_SWITCH:
        RT_TRY(sim_decode_leaves(d, view->operands[0], &leaves));
        CHECK(leaves.count == 1);
        block->end = view->opcode->group == SIM_GROUP_SWITCH ? SIM_END_SWITCH : SIM_END_BRANCH;
        block->condition = leaves.refs[0];
        return RT_STATUS_OK;
    case SIM_GROUP_RETURN_VALUE: RT_TRY(sim_decode_leaves(d, view->operands[0], &leaves)); break;
    case SIM_GROUP_RETURN: break;
    default: block->end = SIM_END_UNREACHABLE; return RT_STATUS_OK;
    }
    block->end = SIM_END_RETURN;
    block->operand_first = operands_keep(d, leaves);
    block->operand_count = leaves.count;
    return RT_STATUS_OK;
}

static void build_phi(sim_decoder *d, const sim_view *view)
{
    uint32_t count = sim_type_leaves(view->type);
    sim_node node = *sim_node_add(d, SIM_SHAPE_PHI, 0, SIM_I64, NULL, 0, count);
    d->f->blocks.items[d->block].phi_count += count;
    d->leaves[d->f->module_index][view->id] = node_leaves(d, &node, view->type);
}

/* Fills the blocks into which one block of the module is split, of which block `index` is the
 * first. */
static rt_status build_block(sim_decoder *d, uint32_t index)
{
    sim_ir_function *f = d->f;
    const sim_block *block = &f->module->blocks[f->blocks.items[index].module_block];
    d->block = index;
    for (uint32_t i = 0; i < block->count; i++) {
        const sim_instruction *instruction = &f->module->instructions[block->first + i];
        sim_view view = {instruction->opcode, instruction->operands, instruction->operand_count,
                         instruction->type, instruction->id};
        uint32_t group = instruction->opcode->group;
        site_set(d, instruction);
        f->blocks.items[d->block].cost++;
        if (view.type && sim_type_leaves(view.type) > SIM_LEAVES_MAX) {
            return sim_decode_refuse(d, view.opcode->name, "its result has more than 4096 scalars");
        }
        if (group == SIM_GROUP_PHI) {
            build_phi(d, &view);
        } else if (group == SIM_GROUP_CALL || group == SIM_GROUP_CALL_POINTER) {
            RT_TRY(build_call(d, &view));
        } else if (group == SIM_GROUP_CONTROL_BARRIER) {
            RT_TRY(build_barrier(d, &view));
        } else if (group == SIM_GROUP_WAIT_EVENTS) {
            RT_TRY(build_wait_events(d, &view));
        } else if (i + 1 == block->count) {
            RT_TRY(build_end(d, &view));
        } else {
            sim_leaves leaves = {NULL, 0};
            if (sim_collective_waits(f->module, instruction)) {
                /* The values are published before the barrier, which orders no memory. */
                RT_TRY(sim_decode_group_put(d, &view));
                build_wait(d, sim_order_pack(SIM_ScopeWorkgroup, SIM_ScopeWorkgroup, 0));
                RT_TRY(sim_decode_group_take(d, &view, &leaves));
            } else {
                RT_TRY(sim_decode_instruction(d, &view, &leaves));
            }
            if (view.id && leaves.refs) d->leaves[f->module_index][view.id] = leaves;
        }
    }
    return RT_STATUS_OK;
}

/* A latch repeats the phis of its loop's header. */
static void build_latch(sim_decoder *d, uint32_t index)
{
    sim_ir_function *f = d->f;
    sim_ir_block *latch = &f->blocks.items[index];
    const sim_ir_block *header = &f->blocks.items[f->loops.items[latch->loop].header];
    d->block = index;
    latch->end = SIM_END_JUMP;
    latch->phi_count = header->phi_count;
    if (latch->phi_count == 0) return;
    uint32_t first = sim_phi_first(f, header);
    sim_node node = *sim_node_add(d, SIM_SHAPE_PHI, 0, SIM_I64, NULL, 0, latch->phi_count);
    for (uint32_t i = 0; i < latch->phi_count; i++)
        f->values.items[node.result_first + i].type = f->values.items[first + i].type;
}

/* Returns a phi's operand for the edge from block `source` of the module. */
static sim_id phi_operand(const sim_module *module, const sim_instruction *phi, uint32_t source)
{
    for (uint32_t i = 0; i + 1 < phi->operand_count; i += 2) {
        if (sim_module_id(module, phi->operands[i + 1])->index == source) return phi->operands[i];
    }
    UNREACHABLE();
}

/* Returns the block of the module whose phis an edge to `target` sets; a latch has the phis of its
 * loop's header. */
static const sim_block *phi_block(const sim_ir_function *f, uint32_t target)
{
    const sim_ir_block *block = &f->blocks.items[target];
    if (block->module_block == SIM_NONE) {
        block = &f->blocks.items[f->loops.items[block->loop].header];
    }
    return &f->module->blocks[block->module_block];
}

/* Returns phi number `i` of a block, NULL after the last; a block's end is not a phi. */
static const sim_instruction *phi_at(const sim_ir_function *f, const sim_block *block, uint32_t i)
{
    CHECK(i < block->count);
    const sim_instruction *phi = &f->module->instructions[block->first + i];
    return phi->opcode->group == SIM_GROUP_PHI ? phi : NULL;
}

/* True for a constant that may be or contain an operation and thus must be computed in some block.
 */
static bool is_computed(const sim_module *module, sim_id id)
{
    const sim_id_entry *entry = sim_module_id(module, id);
    if (entry->kind != SIM_ID_CONSTANT) return false;
    uint8_t kind = module->constants[entry->index].kind;
    return kind == SIM_CONSTANT_OPERATION || kind == SIM_CONSTANT_COMPOSITE;
}

/* Edges get their arguments when all blocks have been built, so constants used by phis are computed
 * earlier, at the end of the block that the edge leaves. */
static rt_status phi_constants(sim_decoder *d, uint32_t index)
{
    sim_ir_function *f = d->f;
    const sim_ir_block *block = &f->blocks.items[index];
    uint32_t first = block->edge_first, count = block->edge_count;
    for (uint32_t e = first; e < first + count; e++) {
        const sim_block *to = phi_block(f, f->edges.items[e].target);
        const sim_instruction *phi;
        for (uint32_t i = 0; (phi = phi_at(f, to, i)) != NULL; i++) {
            sim_phi_constant constant = {
                .edge = e, .id = phi_operand(f->module, phi, f->edges.items[e].source)};
            if (!is_computed(f->module, constant.id)) continue;
            RT_TRY(sim_decode_leaves(d, constant.id, &constant.leaves));
            *rt_vector_push(&d->phi_constants) = constant;
        }
    }
    return RT_STATUS_OK;
}

/* Appends the edge's arguments: the scalars for the phis of its target. */
static rt_status edge_args(sim_decoder *d, uint32_t number)
{
    sim_ir_function *f = d->f;
    sim_ir_edge *edge = &f->edges.items[number];
    const sim_ir_block *target = &f->blocks.items[edge->target];
    edge->args_first = f->refs.count;
    if (edge->source == SIM_NONE) { /* from a latch to its header */
        const sim_ir_block *latch = &f->blocks.items[edge->from];
        CHECK(latch->phi_count == target->phi_count);
        for (uint32_t i = 0; i < latch->phi_count; i++)
            *rt_vector_push(&f->refs) = sim_phi_first(f, latch) + i;
        return RT_STATUS_OK;
    }
    const sim_block *block = phi_block(f, edge->target);
    d->block = edge->from;
    const sim_instruction *phi;
    for (uint32_t i = 0; (phi = phi_at(f, block, i)) != NULL; i++) {
        sim_id id = phi_operand(f->module, phi, edge->source);
        sim_leaves leaves = {NULL, 0};
        if (!is_computed(f->module, id)) RT_TRY(sim_decode_leaves(d, id, &leaves));
        for (uint32_t k = 0; !leaves.refs; k++) {
            CHECK(k < d->phi_constants.count);
            const sim_phi_constant *known = &d->phi_constants.items[k];
            if (known->edge == number && known->id == id) leaves = known->leaves;
        }
        operands_keep(d, leaves);
    }
    CHECK(f->refs.count - edge->args_first == target->phi_count);
    return RT_STATUS_OK;
}

rt_status sim_decode_build(sim_decoder *d, sim_ir_function *f)
{
    d->f = f;
    d->block = 0;
    d->phi_constants.count = 0;
    site_set(d, &f->module->instructions[f->module->blocks[f->function->block_first].first]);
    RT_TRY(build_parameters(d));
    for (uint32_t i = 0; i < f->blocks.count; i++) {
        if (!f->blocks.items[i].is_first) continue; /* filled with the previous block */
        if (i > 0) f->blocks.items[i].node_first = f->nodes.count;
        if (f->blocks.items[i].module_block == SIM_NONE) {
            build_latch(d, i);
        } else {
            RT_TRY(build_block(d, i));
            RT_TRY(phi_constants(d, d->block));
        }
    }
    for (uint32_t i = 0; i < f->edges.count; i++)
        RT_TRY(edge_args(d, i));
    f->result_leaves = sim_type_leaves(f->function->type->element);
    f->result_varying = rt_arena_alloc_array(&d->arena, f->result_leaves, sizeof(bool));
    f->result_types = rt_arena_alloc_array(&d->arena, f->result_leaves, 1);
    sim_lane_type *lanes = rt_arena_alloc_array(&d->arena, f->result_leaves, sizeof *lanes);
    CHECK(sim_type_lanes(f->function->type->element, lanes) == lanes + f->result_leaves);
    for (uint32_t i = 0; i < f->result_leaves; i++)
        f->result_types[i] = (uint8_t)lanes[i];
    return RT_STATUS_OK;
}
