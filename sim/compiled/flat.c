/* Lists the blocks of a kernel with all of its calls inlined. */
#include "sim/compiled/flat.h"

#include "reference/base/alloc.h"
#include "sim/compiled/handlers.h"
#include "sim/decode/limits.h"

#define OPS_MAX   8192u
#define DEPTH_MAX 16u

/* Operations of one family give the same value in any order. */
static uint32_t atomic_family(uint32_t operation)
{
    switch ((sim_atomic)operation) {
    case SIM_ATOMIC_ADD:
    case SIM_ATOMIC_SUB: return SIM_ATOMIC_ADD;
    case SIM_ATOMIC_SMIN:
    case SIM_ATOMIC_UMIN:
    case SIM_ATOMIC_SMAX:
    case SIM_ATOMIC_UMAX:
    case SIM_ATOMIC_AND:
    case SIM_ATOMIC_OR:
    case SIM_ATOMIC_XOR: return operation;
    default: return SIM_NONE;
    }
}

static bool is_relaxed(uint32_t order)
{
    const uint32_t ordered = SIM_MemorySemanticsAcquire | SIM_MemorySemanticsRelease |
                             SIM_MemorySemanticsAcquireRelease |
                             SIM_MemorySemanticsSequentiallyConsistent;
    uint32_t scope = sim_order_memory(order);
    return !(sim_order_semantics(order) & ordered) &&
           (scope == SIM_ScopeWorkgroup || scope == SIM_ScopeDevice);
}

/* Chunks run one after the other, the interpreter's work-items together: the order of atomics must
 * not show, neither in memory nor in their results, and they must not order anything else. */
static const char *atomic_is_covered(tier_flat *flat, const sim_op *op)
{
    uint32_t family = atomic_family(op->extra), kind = (uint32_t)op->handler << 8 | family;
    if (family == SIM_NONE) return "has atomics whose order matters";
    if (op->target != SIM_REGISTER_NONE) return "uses the results of atomics";
    if (!is_relaxed(op->stride)) return "has atomics that order work-items";
    if (flat->atomics && flat->atomics != kind) return "has several kinds of atomics";
    flat->atomics = kind;
    return NULL;
}

static const char *ops_are_covered(tier_flat *flat, const sim_code_function *function,
                                   const sim_code_block *block)
{
    for (uint32_t i = 0; i < block->op_count; i++) {
        const sim_op *op = &function->ops[block->op_first + i];
        const tier_handler *handler = tier_handler_at(op->handler);
        const char *reason = NULL;
        if (handler->shape == TIER_ATOMIC) reason = atomic_is_covered(flat, op);
        if (handler->shape == TIER_COLLECTIVE && (op->extra & 0xff) == SIM_COLLECTIVE_BARRIER)
            reason = "has barriers of a sub-group";
        if (reason) return reason;
        if (handler->shape != TIER_UNCOVERED) continue;
        bool is_reason = handler->name && handler->name[0] >= 'a';
        return is_reason ? handler->name : "extracts or inserts bit-fields";
    }
    return NULL;
}

static const char *block_is_covered(tier_flat *flat, const sim_code_function *function,
                                    const sim_code_block *block)
{
    switch ((sim_end)block->end) {
    case SIM_END_CALL_POINTER: return "calls through a function pointer";
    default: break;
    }
    return ops_are_covered(flat, function, block);
}

static bool is_active(const tier_flat *flat, uint32_t instance, const sim_code_function *function)
{
    for (; instance != SIM_NONE; instance = flat->instances.items[instance].caller) {
        if (flat->instances.items[instance].function == function) return true;
    }
    return false;
}

/* Adds an activation and gives its variables their place and number, as exec/fragment.c does. */
static uint32_t instance_add(tier_flat *flat, const sim_code_function *function, uint32_t caller,
                             const sim_call *call)
{
    uint32_t index = flat->instances.count;
    sim_tier_frame *frame = rt_alloc(sizeof *frame + function->variable_count * sizeof(bool));
    *frame = (sim_tier_frame){.function = function};
    uint32_t number = 1, depth = 0;
    for (uint32_t i = caller; i != SIM_NONE; i = flat->instances.items[i].caller) {
        number += flat->instances.items[i].function->variable_count > 0;
        depth++;
    }
    if (caller != SIM_NONE) {
        const sim_tier_frame *parent = flat->instances.items[caller].frame;
        frame->private_first = parent->private_first + parent->function->private_bytes;
    }
    if (function->variable_count) frame->number = number;
    uint64_t end = frame->private_first + function->private_bytes;
    if (end > flat->private_bytes) flat->private_bytes = end;
    *rt_vector_push(&flat->instances) =
        (tier_instance){.function = function,
                        .caller = caller,
                        .call = call,
                        .first = flat->blocks.count,
                        .depth = depth,
                        .place_of = rt_alloc_array(function->block_count, sizeof(uint32_t)),
                        .frame = frame};
    return index;
}

/* Adds the blocks of an instance and of the functions that it calls. */
static const char *blocks_add(tier_flat *flat, uint32_t instance)
{
    const sim_code_function *function = flat->instances.items[instance].function;
    uint32_t left = SIM_NONE;
    for (uint32_t b = 0; b < function->block_count; b++) {
        const sim_code_block *block = &function->blocks[b];
        const char *reason = block_is_covered(flat, function, block);
        if (reason) return reason;
        uint32_t at = flat->blocks.count;
        flat->op_count += block->op_count;
        if (at >= TIER_BLOCKS_MAX || flat->op_count > OPS_MAX) return "is too large";
        flat->instances.items[instance].place_of[b] = at;
        *rt_vector_push(&flat->blocks) =
            (tier_block){.instance = instance, .block = block, .left = left, .join = SIM_NONE};
        left = SIM_NONE;
        if (block->end == SIM_END_BARRIER) flat->blocks.items[at].barrier = flat->barrier_count++;
        if (block->end != SIM_END_CALL) continue;
        const sim_call *call = &function->calls[block->extra];
        const sim_code_function *callee = &flat->program->functions[call->function];
        if (is_active(flat, instance, callee)) return "is recursive";
        if (flat->instances.items[instance].depth >= DEPTH_MAX) return "is too large";
        left = instance_add(flat, callee, instance, call);
        flat->blocks.items[at].callee = left;
        reason = blocks_add(flat, left);
        if (reason) return reason;
    }
    flat->instances.items[instance].last = flat->blocks.count - 1;
    return NULL;
}

uint32_t tier_target(const tier_flat *flat, uint32_t block, const sim_edge *edge)
{
    const tier_instance *in = &flat->instances.items[flat->blocks.items[block].instance];
    CHECK(edge->target < in->function->block_count);
    return in->place_of[edge->target];
}

bool tier_may_find(const tier_flat *flat, uint32_t from, uint32_t at)
{
    for (uint32_t i = 0; i < flat->loops.count; i++) {
        const tier_loop *loop = &flat->loops.items[i];
        if (from < loop->header && loop->header < at && at <= loop->last) return false;
    }
    return true;
}

/* Finds the loops, and the blocks in which lanes may wait: those that a divergent branch leads to,
 * and those that are reached by a jump over other blocks. */
static void edges_examine(tier_flat *flat)
{
    for (uint32_t b = 0; b < flat->blocks.count; b++) {
        const tier_block *from = &flat->blocks.items[b];
        const tier_instance *in = &flat->instances.items[from->instance];
        bool diverges =
            (from->block->end == SIM_END_BRANCH || from->block->end == SIM_END_SWITCH) &&
            !sim_register_uniform(from->block->condition);
        if (from->is_folded || from->join != SIM_NONE) continue;
        for (uint32_t e = 0; e < from->block->edge_count; e++) {
            uint32_t target = tier_target(flat, b, tier_edge_of(flat, b, e));
            if (target <= b) *rt_vector_push(&flat->loops) = (tier_loop){target, b};
            if (diverges || target > b + 1) flat->blocks.items[target].may_be_parked = true;
        }
        if (from->block->end == SIM_END_RETURN && from->instance != 0)
            flat->blocks.items[in->last + 1].may_be_parked = true;
    }
}

static void tier_flat_examine(tier_flat *flat);

const char *tier_flatten(const sim_program *program, uint32_t function, tier_flat *out_flat)
{
    *out_flat = (tier_flat){.program = program, .barrier_count = 1};
    uint32_t kernel = instance_add(out_flat, &program->functions[function], SIM_NONE, NULL);
    const char *reason = blocks_add(out_flat, kernel);
    if (!reason && out_flat->private_bytes * SIM_LANES > SIM_PRIVATE_BYTES_MAX)
        reason = "may exhaust its stack";
    if (!reason) tier_flat_examine(out_flat);
    return reason;
}

void tier_flat_free(tier_flat *flat)
{
    for (uint32_t i = 0; i < flat->instances.count; i++)
        rt_free(flat->instances.items[i].place_of);
    rt_vector_free(&flat->instances);
    rt_vector_free(&flat->blocks);
    rt_vector_free(&flat->loops);
}

/* ---- Memory that is known ------------------------------------------------------- */

#define TRACE_DEPTH_MAX 12u

/* A private variable of an instance, or one of these: */
#define IN_PARAMETERS SIM_NONE       /* a scalar of the kernel's parameters */
#define IN_LOCAL      (SIM_NONE - 1) /* a variable of the program in local memory: its object */
typedef struct variable {
    uint32_t instance, number;
} variable;

/* What is known of the memory that a register points into, while its writers are traced. */
typedef struct trace {
    const tier_flat *flat;
    bool is_found; /* some writer gives `found` */
    variable found;
    uint32_t depth;
} trace;

static bool trace_register(trace *t, uint32_t instance, const sim_code_block *block,
                           const sim_op *before, sim_register place);

static bool writes(const sim_code_function *function, const sim_op *op, sim_register place)
{
    uint8_t shape = tier_handler_at(op->handler)->shape;
    if (shape == TIER_STORE || shape == TIER_BOUND || shape == TIER_FENCE || shape == TIER_FORGET)
        return false;
    if (shape != TIER_LOAD) return op->target == place;
    for (uint32_t k = 0; k < op->count; k++) {
        if (function->places[op->extra + k] == place) return true;
    }
    return false;
}

static bool trace_found(trace *t, variable found)
{
    bool agrees =
        !t->is_found || (t->found.instance == found.instance && t->found.number == found.number);
    t->is_found = true;
    t->found = found;
    return agrees;
}

/* Traces what an operation of the block writes. Only one operand of a sum can be an address. */
static bool trace_op(trace *t, uint32_t instance, const sim_code_block *block, const sim_op *op)
{
    switch (op->handler) {
    case SIM_H_FRAME_ADDRESS: return trace_found(t, (variable){instance, op->extra});
    case SIM_H_MOVE_I64_VV:
    case SIM_H_MOVE_I64_VS:
    case SIM_H_MOVE_I64_SS: return trace_register(t, instance, block, op, op->a);
    case SIM_H_SUB_I64_VV:
    case SIM_H_SUB_I64_VS:
    case SIM_H_SUB_I64_SV:
    case SIM_H_SUB_I64_SS: return trace_register(t, instance, block, op, op->a);
    case SIM_H_ADD_I64_VV:
    case SIM_H_ADD_I64_VS:
    case SIM_H_ADD_I64_SV:
    case SIM_H_ADD_I64_SS: break;
    default: return false;
    }
    trace a = *t;
    if (trace_register(&a, instance, block, op, op->a)) {
        *t = a;
        return true;
    }
    return trace_register(t, instance, block, op, op->b);
}

/* Traces the register's writers anywhere in the function. */
static bool trace_writers(trace *t, uint32_t instance, sim_register place)
{
    const tier_instance *in = &t->flat->instances.items[instance];
    const sim_code_function *function = in->function;
    for (uint32_t i = 0; i < function->parameter_count; i++) {
        if (function->parameters[i].place != place) continue;
        if (!in->call) {
            if (!trace_found(t, (variable){IN_PARAMETERS, i})) return false;
            continue;
        }
        if (i >= in->call->argument_count) return false;
        sim_register argument =
            t->flat->instances.items[in->caller].function->places[in->call->argument_first + i];
        if (!trace_register(t, in->caller, NULL, NULL, argument)) return false;
    }
    for (uint32_t b = 0; b < function->block_count; b++) {
        const sim_code_block *block = &function->blocks[b];
        for (uint32_t i = 0; i < block->op_count; i++) {
            const sim_op *op = &function->ops[block->op_first + i];
            if (writes(function, op, place) && !trace_op(t, instance, block, op)) return false;
        }
        for (uint32_t e = 0; e < block->edge_count; e++) {
            const sim_edge *edge = &function->edges[block->edge_first + e];
            for (uint32_t i = 0; i < edge->move_count; i++) {
                const sim_op *op = &function->ops[edge->move_first + i];
                if (op->target == place && !trace_op(t, instance, NULL, op)) return false;
            }
        }
        if (block->end != SIM_END_CALL) continue;
        const sim_call *call = &function->calls[block->extra];
        for (uint32_t k = 0; k < call->result_count; k++) {
            if (function->places[call->result_first + k] == place) return false;
        }
    }
    return true;
}

/* Traces a constant: it may be the address of a variable in local memory. */
static bool trace_pool(trace *t, uint32_t offset)
{
    const sim_program *program = t->flat->program;
    uint32_t slot = offset / 8;
    if (slot < SIM_POOL_SLOTS) return false;
    uint64_t value = program->pool_slots[slot];
    uint32_t object = sim_address_object(value);
    if (sim_address_class_of(value) != SIM_CLASS_LOCAL) return false;
    if (object == 0 || object > program->local_count) return false; /* some other number */
    return trace_found(t, (variable){IN_LOCAL, object});
}

const sim_op *tier_writer_of(const sim_code_function *function, const sim_code_block *block,
                             const sim_op *before, sim_register place)
{
    for (const sim_op *op = before; op-- > function->ops + block->op_first;) {
        if (writes(function, op, place)) return op;
    }
    return NULL;
}

/* Traces a register as an operation of the block reads it: its last writer before that, or any
 * writer if there is none. */
static bool trace_register(trace *t, uint32_t instance, const sim_code_block *block,
                           const sim_op *before, sim_register place)
{
    const sim_code_function *function = t->flat->instances.items[instance].function;
    if (place >> SIM_REGISTER_SHIFT == SIM_SPACE_POOL)
        return trace_pool(t, place & SIM_REGISTER_MASK);
    if (t->depth >= TRACE_DEPTH_MAX) return false;
    t->depth++;
    const sim_op *op = block ? tier_writer_of(function, block, before, place) : NULL;
    bool is_known = op ? trace_op(t, instance, block, op) : trace_writers(t, instance, place);
    t->depth--;
    return is_known;
}

bool tier_private_variable(const tier_flat *flat, uint32_t instance, const sim_code_block *block,
                           const sim_op *op, sim_register place, const sim_tier_frame **out_frame,
                           uint32_t *out_variable)
{
    trace t = {.flat = flat};
    if (!trace_register(&t, instance, block, op, place) || !t.is_found) return false;
    if (t.found.instance >= IN_LOCAL) return false;
    *out_frame = flat->instances.items[t.found.instance].frame;
    *out_variable = t.found.number;
    return true;
}

/* ---- Constants ------------------------------------------------------------------------------- */

bool tier_slot_is_constant(const sim_program *program, uint32_t slot)
{
    if (slot < SIM_POOL_SLOTS) return false;
    for (uint32_t i = 0; i < program->global_count; i++) {
        if (program->globals[i].slot == slot) return false;
    }
    for (uint32_t i = 0; i < program->relocation_count; i++) {
        const sim_relocation *relocation = &program->relocations[i];
        if (relocation->global == SIM_NONE && relocation->offset == slot) return false;
    }
    return true;
}

uint8_t tier_copy_bytes(const sim_program *program, const sim_op *op)
{
    uint32_t to_alignment = (uint32_t)op->imm, from_alignment = op->extra;
    uint32_t least = to_alignment < from_alignment ? to_alignment : from_alignment;
    if (least < 4 || op->c >> SIM_REGISTER_SHIFT != SIM_SPACE_POOL) return 1;
    uint32_t slot = (op->c & SIM_REGISTER_MASK) / 8;
    /* Pieces must not straddle the end of what is copied. */
    bool is_whole = tier_slot_is_constant(program, slot) && program->pool_slots[slot] % 4 == 0;
    return is_whole ? 4 : 1;
}

/* ---- Stores to local memory ----------------------------------------------------------------- */

/* Returns the kind of the kernel's parameter to which the scalar belongs. */
static sim_parameter_kind parameter_kind(const tier_flat *flat, uint32_t leaf)
{
    const sim_program *program = flat->program;
    uint32_t function = (uint32_t)(flat->instances.items[0].function - program->functions);
    for (uint32_t i = 0; i < program->kernel_count; i++) {
        const sim_kernel *kernel = &program->kernels[i];
        if (kernel->function != function) continue;
        for (uint32_t k = 0; k < kernel->parameter_count; k++) {
            if (kernel->leaf_first[k] == leaf) return kernel->parameters[k].kind;
        }
    }
    return SIM_PARAMETER_VALUE;
}

/* Objects of local memory: the program's variables, then the kernel's parameters. */
static uint64_t local_bit(uint32_t number)
{
    return number < TIER_LOCALS_MAX ? UINT64_C(1) << number : TIER_LOCAL_ANY;
}

tier_object tier_object_of(const tier_flat *flat, uint32_t instance, const sim_code_block *block,
                           const sim_op *op, sim_register address)
{
    trace t = {.flat = flat};
    tier_object object = {.local = TIER_LOCAL_ANY, .pointer = SIM_REGISTER_NONE};
    if (!trace_register(&t, instance, block, op, address) || !t.is_found) return object;
    uint32_t number = t.found.number;
    if (t.found.instance < IN_LOCAL) {
        const sim_tier_frame *frame = flat->instances.items[t.found.instance].frame;
        object.local = 0;
        object.key = SIM_TIER_KEY(
            sim_address_of(SIM_CLASS_PRIVATE, frame->number << SIM_PRIVATE_VARIABLE_BITS | number));
    } else if (t.found.instance == IN_LOCAL) {
        object.local = local_bit(number);
        object.key = SIM_TIER_KEY(sim_address_of(SIM_CLASS_LOCAL, number));
    } else if (t.found.instance == IN_PARAMETERS) {
        sim_parameter_kind kind = parameter_kind(flat, number);
        object.is_global = kind == SIM_PARAMETER_GLOBAL;
        if (kind == SIM_PARAMETER_GLOBAL) object.local = 0;
        if (kind == SIM_PARAMETER_LOCAL)
            object.local = local_bit(flat->program->local_count + 1 + number);
        if (kind == SIM_PARAMETER_GLOBAL || kind == SIM_PARAMETER_LOCAL)
            object.pointer = flat->instances.items[0].function->parameters[number].place;
    }
    return object;
}

static uint64_t local_stores(const tier_flat *flat, const tier_block *block)
{
    const sim_code_function *function = flat->instances.items[block->instance].function;
    uint64_t stores = 0;
    for (uint32_t i = 0; i < block->block->op_count; i++) {
        const sim_op *op = &function->ops[block->block->op_first + i];
        uint8_t shape = tier_handler_at(op->handler)->shape;
        if (shape == TIER_STORE || shape == TIER_ATOMIC || shape == TIER_COPY)
            stores |= tier_object_of(flat, block->instance, block->block, op, op->a).local;
    }
    return stores;
}

/* True if all work-items of the group have made their earlier accesses to local memory when they
 * leave the barrier. */
static bool orders_local(uint32_t order)
{
    uint32_t semantics = sim_order_semantics(order), scope = sim_order_memory(order);
    const uint32_t both = SIM_MemorySemanticsAcquire | SIM_MemorySemanticsRelease |
                          SIM_MemorySemanticsAcquireRelease |
                          SIM_MemorySemanticsSequentiallyConsistent;
    return (semantics & both) && (semantics & SIM_MemorySemanticsWorkgroupMemory) &&
           (scope == SIM_ScopeWorkgroup || scope == SIM_ScopeDevice);
}

static uint32_t part_of(const uint32_t *parts, uint32_t block)
{
    while (parts[block] != block)
        block = parts[block];
    return block;
}

static void parts_join(uint32_t *parts, uint32_t a, uint32_t b)
{
    parts[part_of(parts, a)] = part_of(parts, b);
}

/* The blocks that can follow each other without such a barrier form a part; work-items are in one
 * part at a time, together. In a part without a store to a local object, loads of it cannot race.
 */
static void parts_examine(tier_flat *flat)
{
    uint32_t count = flat->blocks.count, *parts = rt_alloc_array(count + 1, sizeof *parts);
    for (uint32_t b = 0; b < count; b++)
        parts[b] = b;
    for (uint32_t b = 0; b < count; b++) {
        const tier_block *from = &flat->blocks.items[b];
        const tier_instance *in = &flat->instances.items[from->instance];
        for (uint32_t e = 0; e < from->block->edge_count; e++)
            parts_join(parts, b, tier_target(flat, b, tier_edge_of(flat, b, e)));
        bool is_barrier = from->block->end == SIM_END_BARRIER && orders_local(from->block->extra);
        if (sim_end_falls_through((sim_end)from->block->end) && !is_barrier)
            parts_join(parts, b, b + 1);
        if (from->block->end == SIM_END_RETURN && from->instance != 0)
            parts_join(parts, b, in->last + 1);
    }
    uint64_t *stores = rt_alloc_array(count + 1, sizeof *stores);
    for (uint32_t b = 0; b < count; b++)
        stores[part_of(parts, b)] |= local_stores(flat, &flat->blocks.items[b]);
    for (uint32_t b = 0; b < count; b++)
        flat->blocks.items[b].stores = stores[part_of(parts, b)];
    rt_free(parts);
    rt_free(stores);
}

static void tier_flat_examine(tier_flat *flat)
{
    tier_fold_branches(flat);
    edges_examine(flat);
    parts_examine(flat);
    tier_marks_choose(flat);
}
