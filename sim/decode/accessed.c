/* Finds which memory a kernel may write, and which it may read: through which parameters, and
 * whether it may access module-scope variables or, because a pointer comes from memory, anything.
 * Memory that a kernel only reads needs no race checks, and what it only writes need not always be
 * saved (exec/undo.c).
 *
 * For every value the analysis collects the roots from which an address in it may be derived:
 * parameters of its function, private variables (whose contents are tracked), the program's
 * variables or, if nothing is known, anything. A function's accesses are expressed in terms of its
 * own parameters and, at each call, in terms of the caller's, until a fixed point is reached. */
#include "sim/decode/decode.h"

/* Roots are bits in a set: these two, then the leaves of parameters, then private variables. */
enum { ROOT_ANYTHING, ROOT_VARIABLES, ROOT_FIRST };

typedef struct roots_of_function {
    uint64_t *values;   /* per value: a set of `words` words */
    uint64_t *contents; /* per private variable: roots of the values stored in it */
    uint64_t *written;  /* roots of the addresses that the function stores to */
    uint64_t *read;     /* roots of those that it loads from */
    uint64_t *returned;
    uint32_t words, leaves, variables;
} roots_of_function;

typedef struct tracing {
    sim_decoder *d;
    roots_of_function *functions;
    bool *slot_is_variable; /* per slot of the pool: true for the address of a variable */
    bool changed;
    /* The function being analysed. */
    sim_ir_function *f;
    roots_of_function *r;
} tracing;

static void bit_set(tracing *t, uint64_t *set, uint32_t bit)
{
    uint64_t mask = UINT64_C(1) << bit % 64;
    if (set[bit / 64] & mask) return;
    set[bit / 64] |= mask;
    t->changed = true;
}

static bool bit_test(const uint64_t *set, uint32_t bit)
{
    return set[bit / 64] >> bit % 64 & 1;
}

static void roots_add(tracing *t, uint64_t *to, const uint64_t *from)
{
    for (uint32_t i = 0; i < t->r->words; i++) {
        if ((from[i] & ~to[i]) == 0) continue;
        to[i] |= from[i];
        t->changed = true;
    }
}

static uint64_t *roots_of_value(const tracing *t, uint32_t value)
{
    return t->r->values + (size_t)value * t->r->words;
}

/* Adds the roots of an operand. */
static void ref_add(tracing *t, uint64_t *to, sim_ref ref)
{
    if (ref == SIM_REF_NONE) return;
    if (sim_ref_is_value(ref)) {
        roots_add(t, to, roots_of_value(t, ref));
    } else if ((ref & SIM_REF_POOL) && t->slot_is_variable[ref & ~SIM_REF_POOL]) {
        bit_set(t, to, ROOT_VARIABLES);
    }
}

static uint32_t variable_bit(const tracing *t, uint32_t variable)
{
    CHECK(variable < t->r->variables);
    return ROOT_FIRST + t->r->leaves + variable;
}

/* If the operand may hold a private variable's address, the variable escapes: anything may be
 * stored in it. */
static void escape(tracing *t, sim_ref ref)
{
    if (ref == SIM_REF_NONE || !sim_ref_is_value(ref)) return;
    for (uint32_t i = 0; i < t->r->variables; i++) {
        if (!bit_test(roots_of_value(t, ref), variable_bit(t, i))) continue;
        bit_set(t, t->r->contents + (size_t)i * t->r->words, ROOT_ANYTHING);
    }
}

/* ---- Nodes --------------------------------------------------------------------------------- */

/* Traces a load of an address: the result has the roots that are stored in the private variables
 * from which it may be loaded, or may be anything. */
static void load_trace(tracing *t, const sim_node *node)
{
    sim_ref address = t->f->refs.items[node->operand_first];
    ref_add(t, t->r->read, address);
    if (node->type != SIM_I64) return;
    bool known = sim_ref_is_value(address);
    const uint64_t *from = known ? roots_of_value(t, address) : NULL;
    for (uint32_t i = 0; known && i < ROOT_FIRST + t->r->leaves; i++)
        known = !bit_test(from, i);
    for (uint32_t k = 0; k < node->result_count; k++) {
        uint64_t *to = roots_of_value(t, node->result_first + k);
        if (!known) bit_set(t, to, ROOT_ANYTHING);
        for (uint32_t i = 0; known && i < t->r->variables; i++) {
            if (!bit_test(from, variable_bit(t, i))) continue;
            roots_add(t, to, t->r->contents + (size_t)i * t->r->words);
        }
    }
}

static void store_trace(tracing *t, const sim_node *node)
{
    const sim_ref *operands = t->f->refs.items + node->operand_first;
    ref_add(t, t->r->written, operands[0]);
    if (node->type != SIM_I64) return;
    for (uint32_t k = 2; k < node->operand_count; k++) {
        escape(t, operands[k]);
        if (!sim_ref_is_value(operands[0])) continue;
        for (uint32_t i = 0; i < t->r->variables; i++) {
            if (!bit_test(roots_of_value(t, operands[0]), variable_bit(t, i))) continue;
            ref_add(t, t->r->contents + (size_t)i * t->r->words, operands[k]);
        }
    }
}

/* Copies and atomics may store anything. `source`: the operand that is the address they read. */
static void write_trace(tracing *t, const sim_node *node, uint32_t source, bool writes)
{
    const sim_ref *operands = t->f->refs.items + node->operand_first;
    CHECK(source < node->operand_count);
    ref_add(t, t->r->read, operands[source]);
    if (writes) ref_add(t, t->r->written, operands[0]);
    escape(t, operands[0]);
    for (uint32_t k = 0; node->type == SIM_I64 && k < node->result_count; k++)
        bit_set(t, roots_of_value(t, node->result_first + k), ROOT_ANYTHING);
}

/* Arithmetic passes on the roots of its operands, except those of a pointer's index. */
static void value_trace(tracing *t, const sim_node *node)
{
    for (uint32_t k = 0; k < node->result_count; k++) {
        uint32_t result = node->result_first + k;
        const sim_value *value = &t->f->values.items[result];
        if (value->type != SIM_I64) continue;
        if (value->chain.base != SIM_REF_NONE && value->chain.base != result) {
            ref_add(t, roots_of_value(t, result), value->chain.base);
            continue;
        }
        for (uint32_t i = 0; i < node->operand_count; i++)
            ref_add(t, roots_of_value(t, result), t->f->refs.items[node->operand_first + i]);
    }
}

static void node_trace(tracing *t, const sim_node *node)
{
    switch ((sim_shape)node->shape) {
    case SIM_SHAPE_LOAD: load_trace(t, node); break;
    case SIM_SHAPE_STORE: store_trace(t, node); break;
    case SIM_SHAPE_ATOMIC: write_trace(t, node, 0, node->extra != SIM_ATOMIC_LOAD); break;
    case SIM_SHAPE_COPY:
    case SIM_SHAPE_ASYNC_COPY: write_trace(t, node, 1, true); break;
    case SIM_SHAPE_PRINT: bit_set(t, t->r->read, ROOT_ANYTHING); break;
    case SIM_SHAPE_FRAME_ADDRESS:
        bit_set(t, roots_of_value(t, node->result_first), variable_bit(t, node->extra));
        break;
    case SIM_SHAPE_PARAMETER:
        for (uint32_t k = 0; k < node->result_count; k++) {
            if (t->f->values.items[node->result_first + k].type != SIM_I64) continue;
            bit_set(t, roots_of_value(t, node->result_first + k), ROOT_FIRST + k);
        }
        break;
    case SIM_SHAPE_RESULT: /* handled at the call */
    case SIM_SHAPE_PHI:    /* handled at the edges */
    case SIM_SHAPE_BOUND:
    case SIM_SHAPE_FENCE: break;
    default: value_trace(t, node); break;
    }
}

/* ---- Flow ---------------------------------------------------------------------------------- */

/* Translates a callee's set into the caller's roots at this call and adds it. */
static void callee_add(tracing *t, uint64_t *to, const sim_ir_block *block,
                       const roots_of_function *callee, const uint64_t *set)
{
    for (uint32_t i = 0; i < ROOT_FIRST; i++) {
        if (bit_test(set, i)) bit_set(t, to, i);
    }
    for (uint32_t i = 0; i < callee->leaves; i++) {
        if (bit_test(set, ROOT_FIRST + i))
            ref_add(t, to, t->f->refs.items[block->operand_first + i]);
    }
}

static void call_trace(tracing *t, const sim_ir_block *block)
{
    static const uint64_t anything[1] = {UINT64_C(1) << ROOT_ANYTHING};
    static const roots_of_function unknown = {.words = 1};
    bool is_known = block->end == SIM_END_CALL;
    const roots_of_function *callee = is_known ? &t->functions[block->call] : &unknown;
    for (uint32_t i = 0; i < block->operand_count; i++)
        escape(t, t->f->refs.items[block->operand_first + i]);
    callee_add(t, t->r->written, block, callee, is_known ? callee->written : anything);
    callee_add(t, t->r->read, block, callee, is_known ? callee->read : anything);
    if (block->result_node == SIM_NONE) return;
    const sim_node *node = &t->f->nodes.items[block->result_node];
    for (uint32_t k = 0; k < node->result_count; k++) {
        if (t->f->values.items[node->result_first + k].type != SIM_I64) continue;
        callee_add(t, roots_of_value(t, node->result_first + k), block, callee,
                   is_known ? callee->returned : anything);
    }
}

static void function_trace(tracing *t, uint32_t index)
{
    sim_ir_function *f = t->f = &t->d->functions[index];
    t->r = &t->functions[index];
    for (uint32_t i = 0; i < f->nodes.count; i++)
        node_trace(t, &f->nodes.items[i]);
    for (uint32_t i = 0; i < f->edges.count; i++) {
        const sim_ir_edge *edge = &f->edges.items[i];
        const sim_ir_block *target = &f->blocks.items[edge->target];
        for (uint32_t k = 0; k < target->phi_count; k++) {
            uint32_t phi = sim_phi_first(f, target) + k;
            if (f->values.items[phi].type != SIM_I64) continue;
            ref_add(t, roots_of_value(t, phi), f->refs.items[edge->args_first + k]);
        }
    }
    for (uint32_t i = 0; i < f->blocks.count; i++) {
        const sim_ir_block *block = &f->blocks.items[i];
        if (block->end == SIM_END_CALL || block->end == SIM_END_CALL_POINTER) call_trace(t, block);
        if (block->end != SIM_END_RETURN) continue;
        for (uint32_t k = 0; k < block->operand_count; k++)
            ref_add(t, t->r->returned, f->refs.items[block->operand_first + k]);
    }
}

/* ---- Kernels ------------------------------------------------------------------------------- */

/* What a kernel accesses, from the roots of the addresses. */
static sim_access_set accessed(const tracing *t, const sim_kernel *kernel, const uint64_t *roots)
{
    bool *parameters =
        rt_arena_alloc_array(&t->d->program->arena, kernel->parameter_count, sizeof(bool));
    for (uint32_t i = 0; i < kernel->parameter_count; i++) {
        for (uint32_t leaf = kernel->leaf_first[i]; leaf < kernel->leaf_first[i + 1]; leaf++)
            parameters[i] |= bit_test(roots, ROOT_FIRST + leaf);
    }
    return (sim_access_set){.parameters = parameters,
                            .variables = bit_test(roots, ROOT_VARIABLES),
                            .anything = bit_test(roots, ROOT_ANYTHING)};
}

void sim_decode_accessed(sim_decoder *d)
{
    tracing t = {.d = d, .changed = true};
    t.functions = rt_arena_alloc_array(&d->arena, d->function_count, sizeof *t.functions);
    for (uint32_t i = 0; i < d->function_count; i++) {
        const sim_ir_function *f = &d->functions[i];
        roots_of_function *r = &t.functions[i];
        r->leaves = f->parameter_leaves;
        r->variables = f->variables.count;
        r->words = (ROOT_FIRST + r->leaves + r->variables) / 64 + 1;
        r->values = rt_arena_alloc_array(&d->arena, (size_t)f->values.count * r->words, 8);
        r->contents = rt_arena_alloc_array(&d->arena, (size_t)r->variables * r->words, 8);
        r->written = rt_arena_alloc_array(&d->arena, r->words, 8);
        r->read = rt_arena_alloc_array(&d->arena, r->words, 8);
        r->returned = rt_arena_alloc_array(&d->arena, r->words, 8);
    }
    /* Mark the slots of the pool that hold addresses of variables. Relocations fill slots only with
     * addresses of functions. */
    t.slot_is_variable = rt_arena_alloc_array(&d->arena, d->pool.count, sizeof(bool));
    for (uint32_t i = 0; i < d->globals.count; i++) {
        uint32_t slot = d->globals.items[i].slot;
        CHECK(slot == SIM_NONE || slot < d->pool.count);
        if (slot != SIM_NONE) t.slot_is_variable[slot] = true;
    }
    while (t.changed) {
        t.changed = false;
        for (uint32_t i = 0; i < d->function_count; i++)
            function_trace(&t, i);
    }
    for (uint32_t k = 0; k < d->program->kernel_count; k++) {
        sim_kernel *kernel = &d->program->kernels[k];
        const roots_of_function *r = &t.functions[kernel->function];
        CHECK(kernel->leaf_first[kernel->parameter_count] == r->leaves);
        kernel->written = accessed(&t, kernel, r->written);
        kernel->read = accessed(&t, kernel, r->read);
    }
}
