/* Instructions that access memory, except atomics (atomic.c). Ordinary operations compute an
 * address; its value also records how it was computed (sim_chain), so that place.c can fuse the
 * computation into the access. Accesses of aggregates become one access per vector or scalar. */
#include "sim/decode/address.h"
#include "sim/decode/decode.h"

#include <string.h>

/* ---- Addresses ---------------------------------------------------------------------------- */

static sim_ref add64(sim_decoder *d, sim_ref a, sim_ref b)
{
    return sim_build_four(d, SIM_INT4(ADD, SIM_I64), SIM_I64, a, b);
}

/* An address under construction: its value so far, and the chain that ends in it. */
typedef struct address {
    sim_ref value;
    int64_t imm; /* bytes not yet added to the value; the chain already includes them */
    sim_chain chain;
} address;

static address address_of(sim_decoder *d, sim_ref pointer)
{
    address a = {.value = pointer, .chain = {.base = pointer, .index = SIM_REF_NONE}};
    if (sim_ref_is_value(pointer)) {
        const sim_chain *chain = &d->f->values.items[pointer].chain;
        if (chain->base != SIM_REF_NONE) a.chain = *chain;
    }
    return a;
}

/* Emits the deferred addition. */
static void address_flush(sim_decoder *d, address *a)
{
    if (a->imm == 0) return;
    a->value = add64(d, a->value, sim_decode_constant(d, (uint64_t)a->imm));
    a->imm = 0;
    CHECK(sim_ref_is_value(a->value));
    d->f->values.items[a->value].chain = a->chain;
}

/* Addresses wrap. */
static void address_add(address *a, int64_t bytes)
{
    a->imm = (int64_t)((uint64_t)a->imm + (uint64_t)bytes);
    a->chain.imm = (int64_t)((uint64_t)a->chain.imm + (uint64_t)bytes);
}

/* Adds index * stride, where the index is not a constant. */
static void address_index(sim_decoder *d, address *a, sim_ref index, uint64_t stride)
{
    if (stride == 0) return;
    address_flush(d, a);
    a->chain = (sim_chain){.base = stride <= UINT32_MAX ? a->value : SIM_REF_NONE,
                           .index = index,
                           .form = SIM_MEMORY_I64,
                           .stride = (uint32_t)stride};
    /* If a 64-bit index was extended from a 32-bit value, the fused access uses that value. */
    if (sim_ref_is_value(index)) {
        const sim_node *node = &d->f->nodes.items[d->f->values.items[index].node];
        bool is_unsigned = node->handler == SIM_H_ZEXT_I32_I64_V;
        if (node->shape == SIM_SHAPE_UNARY &&
            (is_unsigned || node->handler == SIM_H_SEXT_I32_I64_V)) {
            a->chain.form = is_unsigned ? SIM_MEMORY_U32 : SIM_MEMORY_S32;
            a->chain.index = d->f->refs.items[node->operand_first];
        }
    }
    bool is_power = (stride & (stride - 1)) == 0;
    uint32_t handler = is_power ? SIM_INT4(SHL, SIM_I64) : SIM_INT4(MUL, SIM_I64);
    sim_ref factor = sim_decode_constant(d, is_power ? (uint64_t)__builtin_ctzll(stride) : stride);
    if (stride > 1) index = sim_build_four(d, handler, SIM_I64, index, factor);
    a->value = add64(d, a->value, index);
    d->f->values.items[a->value].chain = a->chain;
    if (a->chain.base == SIM_REF_NONE) {
        a->chain = (sim_chain){.base = a->value, .index = SIM_REF_NONE};
    }
}

/* Applies one index of an access chain; the elements that it selects from are `stride` bytes
 * apart. */
static rt_status address_step(sim_decoder *d, address *a, sim_id id, uint64_t stride)
{
    sim_leaves leaves;
    RT_TRY(sim_decode_leaves(d, id, &leaves));
    sim_lane_type type = sim_type_lane(sim_module_id(d->f->module, id)->type);
    uint64_t bits;
    if (sim_ref_constant(d, leaves.refs[0], &bits)) {
        uint32_t unused = 64 - 8 * sim_lane_bytes(type);
        int64_t index = (int64_t)(bits << unused) >> unused;
        address_add(a, (int64_t)((uint64_t)index * stride));
        return RT_STATUS_OK;
    }
    address_index(d, a, sim_build_resize(d, type, SIM_I64, true, leaves.refs[0]), stride);
    return RT_STATUS_OK;
}

static rt_status build_chain(sim_decoder *d, const sim_view *view, sim_leaves *out_leaves)
{
    const sim_module *module = d->f->module;
    const sim_type *type = sim_decode_type(d, view, 0)->element;
    /* Built-in variables have no address: the load evaluates the chain (built_in.c). */
    if (view->type->storage_class == SIM_StorageClassInput) return RT_STATUS_OK;
    sim_leaves base;
    RT_TRY(sim_decode_leaves(d, view->operands[0], &base));
    address a = address_of(d, base.refs[0]);
    uint32_t next = 1;
    if (view->opcode->group == SIM_GROUP_POINTER_CHAIN) {
        RT_TRY(address_step(d, &a, view->operands[next++], type->size_bytes));
    }
    for (; next < view->operand_count; next++) {
        if (type->kind == SIM_TYPE_STRUCT) {
            const sim_constant *index = sim_module_constant(module, view->operands[next]);
            address_add(&a, (int64_t)sim_type_part_offset(type, index->bits));
            type = sim_type_part(type, index->bits);
        } else {
            CHECK(type->kind == SIM_TYPE_ARRAY || type->kind == SIM_TYPE_VECTOR);
            type = type->element;
            RT_TRY(address_step(d, &a, view->operands[next], type->size_bytes));
        }
    }
    address_flush(d, &a);
    *out_leaves = sim_leaves_single(d, a.value);
    return sim_bounds_chain(d, view);
}

/* ---- Loads and stores --------------------------------------------------------------------- */

/* Returns the alignment that a memory access specifies with `Aligned`; without it, the natural
 * alignment of the type. */
static uint32_t access_alignment(const sim_view *view, uint32_t place, const sim_type *type)
{
    bool is_specified =
        place < view->operand_count && (view->operands[place] & SIM_MemoryAccessAligned);
    CHECK_IMPLIES(is_specified, place + 1 < view->operand_count);
    return is_specified ? view->operands[place + 1] : type->alignment_bytes;
}

/* A load or store of one aggregate, which is split into several accesses. */
typedef struct access {
    sim_ref pointer;
    const sim_type *pointer_type;
    uint32_t alignment;
    sim_ref *leaves; /* LOAD: receives the leaves; STORE: holds them */
    uint32_t done;   /* leaves processed so far */
    bool is_store;
} access;

static void access_part(sim_decoder *d, access *a, sim_lane_type lane, uint32_t count,
                        uint64_t offset)
{
    sim_ref operands[2 + 16] = {a->pointer, SIM_REF_NONE};
    CHECK(count <= 16);
    if (a->is_store) memcpy(operands + 2, a->leaves + a->done, count * sizeof *operands);
    sim_node *node = a->is_store ? sim_node_add(d, SIM_SHAPE_STORE, 0, lane, operands, 2 + count, 0)
                                 : sim_node_add(d, SIM_SHAPE_LOAD, 0, lane, operands, 2, count);
    for (uint32_t i = 0; i < count && !a->is_store; i++)
        a->leaves[a->done + i] = node->result_first + i;
    a->done += count;
    uint64_t low = offset & (~offset + 1); /* the alignment that the offset preserves */
    node->imm = (int64_t)offset;
    node->form = SIM_MEMORY_ONE;
    node->alignment = offset && low < a->alignment ? (uint32_t)low : a->alignment;
    uint32_t class = a->pointer_type->storage_class;
    node->may_differ = class == SIM_StorageClassFunction || class == SIM_StorageClassGeneric ||
                       (d->is_for_packs && class == SIM_StorageClassWorkgroup);
}

static void access_walk(sim_decoder *d, access *a, const sim_type *type, uint64_t offset)
{
    if (type->kind == SIM_TYPE_STRUCT || type->kind == SIM_TYPE_ARRAY) {
        for (uint64_t i = 0; i < type->count; i++)
            access_walk(d, a, sim_type_part(type, i), offset + sim_type_part_offset(type, i));
    } else {
        access_part(d, a, sim_type_lane(type), sim_type_leaves(type), offset);
    }
}

void sim_decode_vector_access(sim_decoder *d, const sim_vector_access *v)
{
    address a = address_of(d, v->pointer);
    uint64_t number;
    if (sim_ref_constant(d, v->number, &number)) {
        address_add(&a, (int64_t)(number * v->stride));
    } else {
        address_index(d, &a, v->number, v->stride);
    }
    address_flush(d, &a);
    access whole = {.pointer = a.value,
                    .pointer_type = v->pointer_type,
                    .alignment = v->alignment,
                    .leaves = v->leaves,
                    .is_store = v->is_store};
    access_part(d, &whole, v->type, v->count, 0);
    CHECK(whole.done == v->count);
}

static rt_status build_load(sim_decoder *d, const sim_view *view, sim_leaves *out_leaves)
{
    const sim_type *pointer_type = sim_decode_type(d, view, 0);
    if (pointer_type->storage_class == SIM_StorageClassInput) {
        return sim_decode_built_in(d, view, out_leaves);
    }
    sim_leaves pointer;
    RT_TRY(sim_decode_leaves(d, view->operands[0], &pointer));
    sim_bounds_check(d, view->operands[0]);
    uint32_t count = sim_type_leaves(view->type);
    access a = {.pointer = pointer.refs[0],
                .pointer_type = pointer_type,
                .alignment = access_alignment(view, 1, view->type),
                .leaves = sim_refs_new(d, count)};
    access_walk(d, &a, view->type, 0);
    CHECK(a.done == count);
    *out_leaves = (sim_leaves){a.leaves, count};
    return RT_STATUS_OK;
}

static void store_leaves(sim_decoder *d, sim_ref pointer, const sim_type *pointer_type,
                         const sim_type *type, uint32_t alignment, sim_leaves leaves)
{
    access a = {.pointer = pointer,
                .pointer_type = pointer_type,
                .alignment = alignment,
                .leaves = rt_arena_copy(&d->arena, leaves.refs, leaves.count, sizeof(sim_ref)),
                .is_store = true};
    access_walk(d, &a, type, 0);
    CHECK(a.done == leaves.count);
}

static rt_status build_store(sim_decoder *d, const sim_view *view)
{
    const sim_type *type = sim_decode_type(d, view, 1);
    sim_leaves in[2];
    RT_TRY(sim_decode_operands(d, view, 0, 2, in));
    sim_bounds_check(d, view->operands[0]);
    store_leaves(d, in[0].refs[0], sim_decode_type(d, view, 0), type,
                 access_alignment(view, 2, type), in[1]);
    return RT_STATUS_OK;
}

rt_status sim_decode_store(sim_decoder *d, sim_id pointer, sim_leaves object)
{
    const sim_type *type = sim_module_id(d->f->module, pointer)->type;
    sim_leaves target;
    RT_TRY(sim_decode_leaves(d, pointer, &target));
    store_leaves(d, target.refs[0], type, type->element, type->element->alignment_bytes, object);
    return RT_STATUS_OK;
}

static rt_status build_copy(sim_decoder *d, const sim_view *view)
{
    const sim_type *to = sim_decode_type(d, view, 0)->element;
    const sim_type *from = sim_decode_type(d, view, 1)->element;
    bool is_sized = view->opcode->group == SIM_GROUP_COPY_MEMORY_SIZED;
    uint32_t first = is_sized ? 3 : 2, second = first;
    sim_leaves in[3];
    RT_TRY(sim_decode_operands(d, view, 0, first, in));
    sim_bounds_check(d, view->operands[0]);
    sim_bounds_check(d, view->operands[1]);
    sim_ref size = sim_decode_constant(d, to->size_bytes);
    if (is_sized) {
        sim_lane_type lane = sim_type_lane(sim_decode_type(d, view, 2));
        size = sim_build_resize(d, lane, SIM_I64, false, in[2].refs[0]);
    }
    /* A single set of memory operands applies to both sides; if there are two sets, the second
     * applies to the source. The second set follows the first set's mask and the operands of that
     * mask's bits. */
    if (first < view->operand_count) {
        second++;
        for (uint32_t rest = view->operands[first]; rest; rest &= rest - 1) {
            const sim_enumerant *bit =
                sim_enumerant_find(SIM_KIND_MemoryAccess, rest & (~rest + 1));
            CHECK(bit);
            second += bit->operand_count;
        }
    }
    if (second >= view->operand_count) second = first;
    sim_decode_copy(d, in[0].refs[0], access_alignment(view, first, to), in[1].refs[0],
                    access_alignment(view, second, from), size);
    return RT_STATUS_OK;
}

void sim_decode_copy(sim_decoder *d, sim_ref target, uint32_t target_alignment, sim_ref source,
                     uint32_t source_alignment, sim_ref size)
{
    const sim_ref operands[] = {target, source, size};
    sim_node *node = sim_node_add(d, SIM_SHAPE_COPY, SIM_H_COPY_MEMORY, SIM_I8, operands, 3, 0);
    node->alignment = target_alignment ? target_alignment : 1; /* 0: no required alignment */
    node->extra = source_alignment ? source_alignment : 1;
}

rt_status sim_decode_private(sim_decoder *d, const char *name, sim_id id, const sim_type *type,
                             sim_ref *out_address)
{
    sim_ir_function *f = d->f;
    uint32_t index = f->variables.count;
    *out_address = SIM_REF_NONE;
    if (index >> SIM_PRIVATE_VARIABLE_BITS) {
        return sim_decode_refuse(d, name, "a function has more than 4096 variables");
    }
    uint64_t alignment = type->alignment_bytes > 64 ? type->alignment_bytes : 64;
    uint64_t offset = (f->private_bytes + alignment - 1) & ~(alignment - 1);
    if (type->size_bytes > (UINT64_C(1) << 26)) {
        return sim_decode_refuse(d, name, "a variable is larger than 64 MiB");
    }
    f->private_bytes = (offset + type->size_bytes + 63) & ~UINT64_C(63);
    *rt_vector_push(&f->variables) = (sim_private_variable){
        .offset = offset,
        .size = type->size_bytes,
        .name = rt_arena_text(&d->program->arena, sim_module_name(f->module, id))};
    sim_node *node =
        sim_node_add(d, SIM_SHAPE_FRAME_ADDRESS, SIM_H_FRAME_ADDRESS, SIM_I64, NULL, 0, 1);
    node->extra = index;
    *out_address = node->result_first;
    return RT_STATUS_OK;
}

/* OpVariable in a function. */
static rt_status build_variable(sim_decoder *d, const sim_view *view, sim_leaves *out_leaves)
{
    const sim_type *type = view->type->element;
    sim_ref variable;
    RT_TRY(sim_decode_private(d, "OpVariable", view->id, type, &variable));
    *out_leaves = sim_leaves_single(d, variable);
    if (view->operand_count < 2) return RT_STATUS_OK;
    sim_leaves initial;
    RT_TRY(sim_decode_leaves(d, view->operands[1], &initial));
    store_leaves(d, variable, view->type, type, type->alignment_bytes, initial);
    return RT_STATUS_OK;
}

/* OpLifetimeStart, OpLifetimeStop: the variable's contents become undefined. */
static rt_status build_lifetime(sim_decoder *d, const sim_view *view)
{
    sim_leaves pointer;
    RT_TRY(sim_decode_leaves(d, view->operands[0], &pointer));
    CHECK(pointer.count == 1);
    sim_node_add(d, SIM_SHAPE_FORGET, SIM_H_FORGET, SIM_I8, pointer.refs, 1, 0);
    return RT_STATUS_OK;
}

/* ---- Queries about pointers --------------------------------------------------------------- */

static sim_ref is_of_class(sim_decoder *d, sim_ref pointer, uint64_t class)
{
    sim_ref found = sim_build_four(d, SIM_INT4(SHR, SIM_I64), SIM_I64, pointer,
                                   sim_decode_constant(d, SIM_ADDRESS_CLASS_SHIFT));
    return sim_build_four(d, SIM_INT4(EQ, SIM_I64), SIM_I8, found, sim_decode_constant(d, class));
}

/* OpGenericPtrMemSemantics returns the semantics bit of the memory that the pointer refers to; 0
 * for private memory, which no other work-item sees. */
static sim_ref build_semantics(sim_decoder *d, const sim_view *view, const sim_ref *in)
{
    CHECK(sim_type_lane(view->type) == SIM_I32);
    sim_ref is_private = is_of_class(d, in[0], SIM_CLASS_PRIVATE);
    sim_ref is_local = is_of_class(d, in[0], SIM_CLASS_LOCAL);
    sim_ref out = sim_build_select(d, SIM_I32, is_local,
                                   sim_decode_constant(d, SIM_MemorySemanticsWorkgroupMemory),
                                   sim_decode_constant(d, SIM_MemorySemanticsCrossWorkgroupMemory));
    return sim_build_select(d, SIM_I32, is_private, sim_decode_constant(d, 0), out);
}

/* OpGenericCastToPtrExplicit returns null unless the address is of the requested class. */
static rt_status build_cast_explicit(sim_decoder *d, const sim_view *view, sim_leaves *out_leaves)
{
    sim_leaves a;
    RT_TRY(sim_decode_leaves(d, view->operands[0], &a));
    uint64_t class = view->type->storage_class == SIM_StorageClassFunction    ? SIM_CLASS_PRIVATE
                     : view->type->storage_class == SIM_StorageClassWorkgroup ? SIM_CLASS_LOCAL
                                                                              : SIM_CLASS_GLOBAL;
    sim_ref is_match = is_of_class(d, a.refs[0], class);
    *out_leaves = sim_leaves_single(
        d, sim_build_select(d, SIM_I64, is_match, a.refs[0], sim_decode_constant(d, 0)));
    return RT_STATUS_OK;
}

/* OpConvertPtrToU, OpConvertUToPtr. */
static sim_ref build_resize(sim_decoder *d, const sim_view *view, const sim_ref *in)
{
    sim_lane_type from = sim_type_lane(sim_decode_type(d, view, 0));
    return sim_build_resize(d, from, sim_type_lane(view->type), false, in[0]);
}

/* ---- Dispatch ----------------------------------------------------------------------------- */

rt_status sim_decode_memory(sim_decoder *d, const sim_view *view, sim_leaves *out_leaves)
{
    switch ((sim_group)view->opcode->group) {
    case SIM_GROUP_VARIABLE: return build_variable(d, view, out_leaves);
    case SIM_GROUP_LOAD: return build_load(d, view, out_leaves);
    case SIM_GROUP_STORE: return build_store(d, view);
    case SIM_GROUP_COPY_MEMORY:
    case SIM_GROUP_COPY_MEMORY_SIZED: return build_copy(d, view);
    case SIM_GROUP_ACCESS_CHAIN:
    case SIM_GROUP_POINTER_CHAIN: return build_chain(d, view, out_leaves);
    case SIM_GROUP_SIZE_OF: {
        uint64_t size = sim_decode_type(d, view, 0)->element->size_bytes;
        *out_leaves = sim_leaves_single(d, sim_decode_constant(d, size & UINT32_MAX));
        return RT_STATUS_OK;
    }
    case SIM_GROUP_LIFETIME: return build_lifetime(d, view);
    case SIM_GROUP_GENERIC_SEMANTICS:
        return sim_decode_each(d, view, 0, build_semantics, out_leaves);
    case SIM_GROUP_POINTER_TO_INTEGER:
    case SIM_GROUP_INTEGER_TO_POINTER: return sim_decode_each(d, view, 0, build_resize, out_leaves);
    case SIM_GROUP_FROM_GENERIC:
        if (view->opcode->number == SIM_OpGenericCastToPtrExplicit)
            return build_cast_explicit(d, view, out_leaves);
        return sim_decode_leaves(d, view->operands[0], out_leaves);
    case SIM_GROUP_ATOMIC_LOAD:
    case SIM_GROUP_ATOMIC_STORE:
    case SIM_GROUP_ATOMIC_STEP:
    case SIM_GROUP_ATOMIC_UPDATE:
    case SIM_GROUP_ATOMIC_COMPARE:
    case SIM_GROUP_ATOMIC_FLOAT:
    case SIM_GROUP_ATOMIC_FLAG:
    case SIM_GROUP_ATOMIC_FLAG_CLEAR: return sim_decode_atomic(d, view, out_leaves);
    default: UNREACHABLE();
    }
}
