/* Instructions that touch memory, and the module's variables.
 *
 * An address is computed by ordinary operations; beside them the value remembers how it came about
 * (sim_chain), so that place.c can put the computation into the access itself.  Accesses of
 * aggregates become one access per vector or scalar. */
#include "sim/decode/address.h"
#include "sim/decode/decode.h"

#include <string.h>

/* ---- Addresses ---------------------------------------------------------------------------- */

static sim_leaves leaves_one(sim_decoder *d, sim_ref ref)
{
    sim_ref *refs = rt_arena_alloc_array(&d->arena, 1, sizeof *refs);
    *refs = ref;
    return (sim_leaves){refs, 1};
}

static sim_ref add64(sim_decoder *d, sim_ref a, sim_ref b)
{
    return sim_build_four(d, SIM_INT4(ADD, SIM_I64), SIM_I64, a, b);
}

/* index * factor, by a shift where that is enough. */
static sim_ref scale64(sim_decoder *d, sim_ref index, uint64_t factor)
{
    if (factor == 1) return index;
    bool is_power = (factor & (factor - 1)) == 0;
    uint64_t amount = is_power ? (uint64_t)__builtin_ctzll(factor) : factor;
    sim_ref b = sim_decode_constant(d, amount);
    return sim_build_four(d, is_power ? SIM_INT4(SHL, SIM_I64) : SIM_INT4(MUL, SIM_I64), SIM_I64,
                          index, b);
}

/* What an index of 64 bits was extended from, for the fused access. */
static void chain_index(sim_decoder *d, sim_ref index, sim_chain *chain)
{
    chain->index = index;
    chain->form = SIM_MEMORY_I64;
    if (!sim_ref_is_value(index)) return;
    const sim_node *node = &d->f->nodes.items[d->f->values.items[index].node];
    if (node->shape != SIM_SHAPE_UNARY) return;
    bool is_unsigned = node->handler == SIM_H_ZEXT_I32_I64_V;
    if (!is_unsigned && node->handler != SIM_H_SEXT_I32_I64_V) return;
    chain->form = is_unsigned ? SIM_MEMORY_U32 : SIM_MEMORY_S32;
    chain->index = d->f->refs.items[node->operand_first];
}

/* An address under construction: its value so far, and the chain that ends in it. */
typedef struct address {
    sim_ref value;
    int64_t imm; /* bytes still to be added to the value; the chain has them already */
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

/* Computes what was put off. */
static void address_flush(sim_decoder *d, address *a)
{
    if (a->imm == 0) return;
    a->value = add64(d, a->value, sim_decode_constant(d, (uint64_t)a->imm));
    a->imm = 0;
    CHECK(sim_ref_is_value(a->value));
    d->f->values.items[a->value].chain = a->chain;
}

static void address_add(address *a, int64_t bytes)
{
    a->imm += bytes;
    a->chain.imm += bytes;
}

/* Adds index * stride, with an index that is no constant. */
static void address_index(sim_decoder *d, address *a, sim_ref index, uint64_t stride)
{
    if (stride == 0) return;
    address_flush(d, a);
    a->chain = (sim_chain){.base = a->value, .stride = (uint32_t)stride};
    chain_index(d, index, &a->chain);
    if (stride > UINT32_MAX) a->chain.base = SIM_REF_NONE;
    a->value = add64(d, a->value, scale64(d, index, stride));
    d->f->values.items[a->value].chain = a->chain;
    if (a->chain.base == SIM_REF_NONE) {
        a->chain = (sim_chain){.base = a->value, .index = SIM_REF_NONE};
    }
}

/* Adds one index of an access chain; elements are stride bytes apart. */
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
    const sim_type *type = sim_module_id(module, view->operands[0])->type->element;
    /* Built-in variables have no address: what is loaded follows the chain (built_in.c). */
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
            CHECK(index->bits < type->count);
            address_add(&a, (int64_t)type->offsets[index->bits]);
            type = type->members[index->bits];
        } else {
            CHECK(type->kind == SIM_TYPE_ARRAY || type->kind == SIM_TYPE_VECTOR);
            type = type->element;
            RT_TRY(address_step(d, &a, view->operands[next], type->size_bytes));
        }
    }
    address_flush(d, &a);
    *out_leaves = leaves_one(d, a.value);
    return RT_STATUS_OK;
}

/* ---- Loads and stores --------------------------------------------------------------------- */

/* The alignment that operand `Aligned` of a memory access demands; the type's own without it. */
static uint32_t access_alignment(const sim_view *view, uint32_t place, const sim_type *type)
{
    if (place < view->operand_count && (view->operands[place] & SIM_MemoryAccessAligned) &&
        place + 1 < view->operand_count) {
        return view->operands[place + 1];
    }
    return type->alignment_bytes;
}

/* Words of a memory access that begins with that mask: the mask and the operands of its bits. */
static uint32_t access_words(uint32_t mask)
{
    uint32_t words = 1;
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        const sim_enumerant *bit = sim_enumerant_find(SIM_KIND_MemoryAccess, rest & (~rest + 1));
        CHECK(bit);
        words += bit->operand_count;
    }
    return words;
}

static uint32_t alignment_at(uint32_t alignment, uint64_t offset)
{
    uint64_t low = offset & (~offset + 1);
    return offset && low < alignment ? (uint32_t)low : alignment;
}

static bool may_be_private(const sim_type *pointer)
{
    return pointer->storage_class == SIM_StorageClassFunction ||
           pointer->storage_class == SIM_StorageClassGeneric;
}

/* A load or store of one aggregate, taken apart. */
typedef struct access {
    sim_ref pointer;
    const sim_type *pointer_type;
    uint32_t alignment;
    sim_ref *leaves; /* LOAD: receives them; STORE: holds them */
    uint32_t done;   /* leaves */
    bool is_store;
} access;

static void access_part(sim_decoder *d, access *a, sim_lane_type lane, uint32_t count,
                        uint64_t offset)
{
    sim_shape shape = a->is_store ? SIM_SHAPE_STORE : SIM_SHAPE_LOAD;
    sim_node *node =
        sim_node_add(d, shape, 0, lane, 2 + (a->is_store ? count : 0), a->is_store ? 0 : count);
    sim_ref *operands = d->f->refs.items + node->operand_first;
    operands[0] = a->pointer;
    node->imm = (int64_t)offset;
    node->form = SIM_MEMORY_ONE;
    node->alignment = alignment_at(a->alignment, offset);
    node->may_be_private = may_be_private(a->pointer_type);
    for (uint32_t i = 0; i < count; i++) {
        if (a->is_store) {
            operands[2 + i] = a->leaves[a->done++];
        } else {
            a->leaves[a->done++] = node->result_first + i;
        }
    }
}

static void access_walk(sim_decoder *d, access *a, const sim_type *type, uint64_t offset)
{
    if (type->kind == SIM_TYPE_ARRAY) {
        for (uint64_t i = 0; i < type->count; i++) {
            access_walk(d, a, type->element, offset + i * type->element->size_bytes);
        }
    } else if (type->kind == SIM_TYPE_STRUCT) {
        for (uint64_t i = 0; i < type->count; i++) {
            access_walk(d, a, type->members[i], offset + type->offsets[i]);
        }
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
    const sim_type *pointer_type = sim_module_id(d->f->module, view->operands[0])->type;
    if (pointer_type->storage_class == SIM_StorageClassInput) {
        return sim_decode_built_in(d, view, out_leaves);
    }
    sim_leaves pointer;
    RT_TRY(sim_decode_leaves(d, view->operands[0], &pointer));
    uint32_t count = sim_type_leaves(view->type);
    access a = {.pointer = pointer.refs[0],
                .pointer_type = pointer_type,
                .alignment = access_alignment(view, 1, view->type),
                .leaves = rt_arena_alloc_array(&d->arena, count + 1, sizeof(sim_ref))};
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
                .leaves = rt_arena_alloc_array(&d->arena, leaves.count + 1, sizeof(sim_ref)),
                .is_store = true};
    memcpy(a.leaves, leaves.refs, leaves.count * sizeof *a.leaves);
    access_walk(d, &a, type, 0);
    CHECK(a.done == leaves.count);
}

static rt_status build_store(sim_decoder *d, const sim_view *view)
{
    const sim_module *module = d->f->module;
    const sim_type *type = sim_module_id(module, view->operands[1])->type;
    sim_leaves pointer, object;
    RT_TRY(sim_decode_leaves(d, view->operands[0], &pointer));
    RT_TRY(sim_decode_leaves(d, view->operands[1], &object));
    store_leaves(d, pointer.refs[0], sim_module_id(module, view->operands[0])->type, type,
                 access_alignment(view, 2, type), object);
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
    const sim_type *type = sim_module_id(d->f->module, view->operands[0])->type->element;
    bool is_sized = view->opcode->group == SIM_GROUP_COPY_MEMORY_SIZED;
    sim_leaves target, source;
    RT_TRY(sim_decode_leaves(d, view->operands[0], &target));
    RT_TRY(sim_decode_leaves(d, view->operands[1], &source));
    sim_ref size = sim_decode_constant(d, type->size_bytes);
    if (is_sized) {
        sim_leaves leaves;
        RT_TRY(sim_decode_leaves(d, view->operands[2], &leaves));
        sim_lane_type lane = sim_type_lane(sim_module_id(d->f->module, view->operands[2])->type);
        size = sim_build_resize(d, lane, SIM_I64, false, leaves.refs[0]);
    }
    /* One memory access is that of both sides; of two, the second is the source's. */
    const sim_type *from = sim_module_id(d->f->module, view->operands[1])->type->element;
    uint32_t first = is_sized ? 3 : 2, second = first;
    if (first < view->operand_count) second += access_words(view->operands[first]);
    if (second >= view->operand_count) second = first;
    sim_decode_copy(d, target.refs[0], access_alignment(view, first, type), source.refs[0],
                    access_alignment(view, second, from), size);
    return RT_STATUS_OK;
}

void sim_decode_copy(sim_decoder *d, sim_ref target, uint32_t target_alignment, sim_ref source,
                     uint32_t source_alignment, sim_ref size)
{
    sim_node *node = sim_node_add(d, SIM_SHAPE_COPY, SIM_H_COPY_MEMORY, SIM_I8, 3, 0);
    node->alignment = target_alignment ? target_alignment : 1; /* 0: of no particular type */
    node->extra = source_alignment ? source_alignment : 1;
    sim_ref *operands = d->f->refs.items + node->operand_first;
    operands[0] = target;
    operands[1] = source;
    operands[2] = size;
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
    sim_node *node = sim_node_add(d, SIM_SHAPE_FRAME_ADDRESS, SIM_H_FRAME_ADDRESS, SIM_I64, 0, 1);
    node->extra = index;
    *out_address = node->result_first;
    return RT_STATUS_OK;
}

/* OpVariable in a function. */
static rt_status build_variable(sim_decoder *d, const sim_view *view, sim_leaves *out_leaves)
{
    const sim_type *type = view->type->element;
    sim_ref own;
    RT_TRY(sim_decode_private(d, "OpVariable", view->id, type, &own));
    *out_leaves = leaves_one(d, own);
    if (view->operand_count < 2) return RT_STATUS_OK;
    sim_leaves initial;
    RT_TRY(sim_decode_leaves(d, view->operands[1], &initial));
    store_leaves(d, own, view->type, type, type->alignment_bytes, initial);
    return RT_STATUS_OK;
}

rt_status sim_decode_lifetime(sim_decoder *d, const sim_view *view)
{
    sim_leaves pointer;
    RT_TRY(sim_decode_leaves(d, view->operands[0], &pointer));
    sim_node *node = sim_node_add(d, SIM_SHAPE_FORGET, SIM_H_FORGET, SIM_I8, 1, 0);
    d->f->refs.items[node->operand_first] = pointer.refs[0];
    return RT_STATUS_OK;
}

/* ---- Atomics ------------------------------------------------------------------------------ */

/* instruction, operation, operands that hold the value and the comparator (0: none) */
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

static rt_status build_atomic(sim_decoder *d, const sim_view *view, sim_leaves *out_leaves)
{
    uint32_t row = 0;
    while (atomic_rows[row].opcode != view->opcode->number) {
        row++;
        CHECK(row < sizeof atomic_rows / sizeof atomic_rows[0]);
    }
    const sim_type *target = sim_module_id(d->f->module, view->operands[0])->type;
    const sim_type *element = target->element;
    bool is_flag = view->opcode->group == SIM_GROUP_ATOMIC_FLAG;
    bool has_value = view->type && !is_flag;
    sim_lane_type type = has_value ? sim_type_lane(view->type) : sim_type_lane(element);
    CHECK(sim_lane_bytes(type) >= 4 || sim_type_is_half(element));
    sim_leaves pointer, value, comparator;
    bool clears = view->opcode->group == SIM_GROUP_ATOMIC_FLAG_CLEAR;
    sim_ref one = sim_decode_constant(d, clears ? 0 : 1);
    RT_TRY(sim_decode_leaves(d, view->operands[0], &pointer));
    value = comparator = leaves_one(d, one);
    uint32_t place = atomic_rows[row].value;
    if (place) RT_TRY(sim_decode_leaves(d, view->operands[place], &value));
    place = atomic_rows[row].comparator;
    if (place) RT_TRY(sim_decode_leaves(d, view->operands[place], &comparator));
    uint32_t handler = sim_lane_bytes(type) == 8   ? SIM_H_ATOMIC_I64
                       : sim_lane_bytes(type) == 4 ? SIM_H_ATOMIC_I32
                                                   : SIM_H_ATOMIC_I16;
    sim_node *node = sim_node_add(d, SIM_SHAPE_ATOMIC, handler, type, 3, 1);
    node->extra = atomic_rows[row].operation;
    node->stride = sim_decode_order(d, 0, view->operands[1], view->operands[2]);
    d->f->does.atomics = true;
    d->f->does.far_atomics |= target->storage_class != SIM_StorageClassWorkgroup;
    sim_ref *operands = d->f->refs.items + node->operand_first;
    operands[0] = pointer.refs[0];
    operands[1] = value.refs[0];
    operands[2] = comparator.refs[0];
    sim_ref old = node->result_first;
    if (is_flag)
        old = sim_build_four(d, SIM_INT4(NE, SIM_I32), SIM_I8, old, sim_decode_constant(d, 0));
    if (view->type) *out_leaves = leaves_one(d, old);
    return RT_STATUS_OK;
}

/* ---- Questions about pointers ------------------------------------------------------------- */

/* OpSizeOf: of what the pointer points to. */
static rt_status build_size(sim_decoder *d, const sim_view *view, sim_leaves *out_leaves)
{
    const sim_type *type = sim_module_id(d->f->module, view->operands[0])->type->element;
    *out_leaves = leaves_one(d, sim_decode_constant(d, type->size_bytes & UINT32_MAX));
    return RT_STATUS_OK;
}

static sim_ref is_of_class(sim_decoder *d, sim_ref pointer, uint64_t class)
{
    sim_ref found = sim_build_four(d, SIM_INT4(SHR, SIM_I64), SIM_I64, pointer,
                                   sim_decode_constant(d, SIM_ADDRESS_CLASS_SHIFT));
    return sim_build_four(d, SIM_INT4(EQ, SIM_I64), SIM_I8, found, sim_decode_constant(d, class));
}

/* OpGenericPtrMemSemantics: the bit of the memory that the pointer leads to; none for that of a
 * work-item, which nobody else sees. */
static rt_status build_semantics(sim_decoder *d, const sim_view *view, sim_leaves *out_leaves)
{
    sim_leaves a;
    RT_TRY(sim_decode_leaves(d, view->operands[0], &a));
    sim_ref is_private = is_of_class(d, a.refs[0], SIM_CLASS_PRIVATE);
    sim_ref is_local = is_of_class(d, a.refs[0], SIM_CLASS_LOCAL);
    sim_ref out = sim_build_select(d, SIM_I32, is_local,
                                   sim_decode_constant(d, SIM_MemorySemanticsWorkgroupMemory),
                                   sim_decode_constant(d, SIM_MemorySemanticsCrossWorkgroupMemory));
    out = sim_build_select(d, SIM_I32, is_private, sim_decode_constant(d, 0), out);
    *out_leaves = leaves_one(d, out);
    return RT_STATUS_OK;
}

/* ---- Dispatch ----------------------------------------------------------------------------- */

/* OpGenericCastToPtrExplicit gives null unless the address is of the class asked for. */
static rt_status build_cast_explicit(sim_decoder *d, const sim_view *view, sim_leaves *out_leaves)
{
    sim_leaves a;
    RT_TRY(sim_decode_leaves(d, view->operands[0], &a));
    uint64_t class = view->type->storage_class == SIM_StorageClassFunction    ? SIM_CLASS_PRIVATE
                     : view->type->storage_class == SIM_StorageClassWorkgroup ? SIM_CLASS_LOCAL
                                                                              : SIM_CLASS_GLOBAL;
    sim_ref same = is_of_class(d, a.refs[0], class);
    *out_leaves =
        leaves_one(d, sim_build_select(d, SIM_I64, same, a.refs[0], sim_decode_constant(d, 0)));
    return RT_STATUS_OK;
}

static rt_status build_resize(sim_decoder *d, const sim_view *view, sim_leaves *out_leaves)
{
    sim_leaves a;
    RT_TRY(sim_decode_leaves(d, view->operands[0], &a));
    sim_lane_type from = sim_type_lane(sim_module_id(d->f->module, view->operands[0])->type);
    sim_lane_type to = sim_type_lane(view->type);
    sim_ref *refs = rt_arena_alloc_array(&d->arena, a.count, sizeof *refs);
    for (uint32_t i = 0; i < a.count; i++) {
        refs[i] = sim_build_resize(d, from, to, false, a.refs[i]);
    }
    *out_leaves = (sim_leaves){refs, a.count};
    return RT_STATUS_OK;
}

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
    case SIM_GROUP_SIZE_OF: return build_size(d, view, out_leaves);
    case SIM_GROUP_GENERIC_SEMANTICS: return build_semantics(d, view, out_leaves);
    case SIM_GROUP_POINTER_TO_INTEGER:
    case SIM_GROUP_INTEGER_TO_POINTER: return build_resize(d, view, out_leaves);
    case SIM_GROUP_FROM_GENERIC:
        if (view->opcode->number == SIM_OpGenericCastToPtrExplicit) {
            return build_cast_explicit(d, view, out_leaves);
        }
        return sim_decode_leaves(d, view->operands[0], out_leaves);
    case SIM_GROUP_ATOMIC_LOAD:
    case SIM_GROUP_ATOMIC_STORE:
    case SIM_GROUP_ATOMIC_STEP:
    case SIM_GROUP_ATOMIC_UPDATE:
    case SIM_GROUP_ATOMIC_COMPARE:
    case SIM_GROUP_ATOMIC_FLOAT:
    case SIM_GROUP_ATOMIC_FLAG:
    case SIM_GROUP_ATOMIC_FLAG_CLEAR: return build_atomic(d, view, out_leaves);
    default: UNREACHABLE();
    }
}

/* ---- Module-scope variables --------------------------------------------------------------- */

rt_status sim_decode_variable(sim_decoder *d, const sim_variable *variable, sim_ref *out_ref)
{
    uint32_t index = d->global_of[d->f->module_index][variable - d->f->module->variables];
    *out_ref = SIM_REF_NONE;
    CHECK(variable->storage_class != SIM_StorageClassInput && index != SIM_NONE);
    if (variable->storage_class == SIM_StorageClassWorkgroup) {
        *out_ref = sim_decode_constant(d, sim_address_of(SIM_CLASS_LOCAL, index + 1));
        return RT_STATUS_OK;
    }
    sim_global *global = &d->globals.items[index];
    if (global->slot == SIM_NONE) {
        global->slot = d->pool.count;
        *rt_vector_push(&d->pool) = 0; /* the world writes the address */
    }
    *out_ref = SIM_REF_POOL | global->slot;
    return RT_STATUS_OK;
}

/* The constant bytes of a variable, being written. */
typedef struct initial {
    sim_decoder *d;
    uint32_t module_index;
    uint32_t global;
    uint8_t *bytes;
} initial;

static rt_status initial_refuse(const initial *w, const char *reason)
{
    return rt_fail(w->d->sink, RT_UNSUPPORTED, RT_RULE_NONE,
                   "the initialiser of variable '%.*s' is refused: %s",
                   RT_TEXT_ARG(w->d->globals.items[w->global].name), reason);
}

/* Adds the constant offset that an access chain makes. */
static rt_status initial_chain(const initial *w, const sim_constant *operation,
                               sim_relocation *relocation)
{
    const sim_module *module = w->d->modules[w->module_index];
    const sim_type *type = sim_module_id(module, operation->operands[0])->type->element;
    bool is_pointer = operation->opcode->group == SIM_GROUP_POINTER_CHAIN;
    for (uint32_t i = 1; i < operation->count; i++) {
        const sim_constant *index = sim_module_constant(module, operation->operands[i]);
        if (index->kind != SIM_CONSTANT_BITS && index->kind != SIM_CONSTANT_NULL) {
            return initial_refuse(w, "an address is indexed by something other than a number");
        }
        uint64_t value = index->kind == SIM_CONSTANT_NULL ? 0 : index->bits;
        uint32_t unused = 64u - index->type->bits;
        value = (uint64_t)((int64_t)(value << unused) >> unused);
        if (i == 1 && is_pointer) {
            relocation->addend += (int64_t)(value * type->size_bytes);
        } else if (type->kind == SIM_TYPE_STRUCT) {
            CHECK(value < type->count);
            relocation->addend += (int64_t)type->offsets[value];
            type = type->members[value];
        } else {
            type = type->element;
            relocation->addend += (int64_t)(value * type->size_bytes);
        }
    }
    return RT_STATUS_OK;
}

/* Follows an address constant down to the variable or function; target SIM_NONE: it is none, but
 * the number in the addend, as null is, or a table's distance to the top of an object. */
static rt_status initial_address(const initial *w, sim_id id, sim_relocation *relocation)
{
    const sim_module *module = w->d->modules[w->module_index];
    const sim_id_entry *entry = sim_module_id(module, id);
    if (entry->kind == SIM_ID_VARIABLE) {
        const sim_variable *variable = sim_module_variable(module, id);
        relocation->target = w->d->global_of[w->module_index][entry->index];
        if (variable->storage_class == SIM_StorageClassWorkgroup ||
            relocation->target == SIM_NONE) {
            return initial_refuse(w, "it holds the address of a variable that is not global");
        }
        return RT_STATUS_OK;
    }
    const sim_constant *constant = sim_module_constant(module, id);
    if (constant->kind == SIM_CONSTANT_NULL || constant->kind == SIM_CONSTANT_UNDEFINED) {
        return RT_STATUS_OK;
    }
    if (constant->kind == SIM_CONSTANT_BITS) {
        relocation->addend = (int64_t)constant->bits;
        return RT_STATUS_OK;
    }
    if (constant->kind == SIM_CONSTANT_FUNCTION) {
        relocation->target = sim_decode_addressed(w->d, w->module_index, constant);
        relocation->is_function = true;
        return RT_STATUS_OK;
    }
    if (constant->kind != SIM_CONSTANT_OPERATION) {
        return initial_refuse(w, "an address comes from something other than a variable");
    }
    switch ((sim_group)constant->opcode->group) {
    case SIM_GROUP_SELECT: {
        const sim_constant *condition = sim_module_constant(module, constant->operands[0]);
        if (condition->kind != SIM_CONSTANT_BITS) break;
        return initial_address(w, constant->operands[condition->bits ? 1 : 2], relocation);
    }
    case SIM_GROUP_BITCAST:
    case SIM_GROUP_TO_GENERIC:
    case SIM_GROUP_FROM_GENERIC:
    case SIM_GROUP_POINTER_TO_INTEGER:
    case SIM_GROUP_INTEGER_TO_POINTER: return initial_address(w, constant->operands[0], relocation);
    case SIM_GROUP_ACCESS_CHAIN:
    case SIM_GROUP_POINTER_CHAIN:
        RT_TRY(initial_address(w, constant->operands[0], relocation));
        return initial_chain(w, constant, relocation);
    default: break;
    }
    return initial_refuse(w, "its value is not known before the program runs");
}

/* Bytes of an address, or of a number that an address was made into. */
static size_t written_size(const sim_type *type)
{
    CHECK(type->size_bytes <= sizeof(uint64_t));
    return (size_t)type->size_bytes;
}

static rt_status initial_write(const initial *w, sim_id id, uint64_t offset)
{
    const sim_module *module = w->d->modules[w->module_index];
    const sim_id_entry *entry = sim_module_id(module, id);
    const sim_constant *constant =
        entry->kind == SIM_ID_CONSTANT ? sim_module_constant(module, id) : NULL;
    if (constant && constant->kind == SIM_CONSTANT_BITS) {
        memcpy(w->bytes + offset, &constant->bits, constant->type->size_bytes);
        return RT_STATUS_OK;
    }
    if (constant && constant->kind == SIM_CONSTANT_COMPOSITE) {
        const sim_type *type = constant->type;
        for (uint32_t i = 0; i < constant->count; i++) {
            uint64_t at =
                type->kind == SIM_TYPE_STRUCT ? type->offsets[i] : i * type->element->size_bytes;
            RT_TRY(initial_write(w, constant->operands[i], offset + at));
        }
        return RT_STATUS_OK;
    }
    if (constant && constant->image) {
        memcpy(w->bytes + offset, constant->image, constant->type->size_bytes);
        return RT_STATUS_OK;
    }
    if (constant &&
        (constant->kind == SIM_CONSTANT_NULL || constant->kind == SIM_CONSTANT_UNDEFINED)) {
        return RT_STATUS_OK;
    }
    sim_relocation relocation = {.global = w->global, .offset = offset, .target = SIM_NONE};
    RT_TRY(initial_address(w, id, &relocation));
    if (relocation.target != SIM_NONE)
        *rt_vector_push(&w->d->relocations) = relocation;
    else
        memcpy(w->bytes + offset, &relocation.addend, written_size(entry->type));
    return RT_STATUS_OK;
}

static bool is_global(const sim_variable *variable)
{
    return variable->storage_class != SIM_StorageClassInput &&
           variable->storage_class != SIM_StorageClassWorkgroup;
}

/* False for an import, and for a repeated definition for which another one stands. */
static bool stands_for_itself(const sim_decoder *d, uint32_t module, uint32_t index)
{
    sim_place place = d->linkage->variables[module][index];
    return place.module == module && place.index == index;
}

/* True for an initialiser that says nothing, so that the bytes do not count as defined. */
static bool is_undefined(const sim_module *module, const sim_variable *variable)
{
    const sim_id_entry *entry = sim_module_id(module, variable->initializer);
    return entry->kind == SIM_ID_CONSTANT &&
           module->constants[entry->index].kind == SIM_CONSTANT_UNDEFINED;
}

/* True for memory that OpenCL C calls constant, and for const variables elsewhere. */
static bool is_constant(const sim_module *module, const sim_variable *variable)
{
    return variable->storage_class == SIM_StorageClassUniformConstant ||
           sim_module_decoration(module, variable->id, SIM_NONE, SIM_DecorationConstant);
}

/* The name under which the host knows a variable, in either encoding of the decoration; empty where
 * it has none.  Source: SPV_INTEL_global_variable_host_access. */
static rt_text host_name(const sim_module *module, const sim_variable *variable)
{
    static const uint32_t numbers[] = {SIM_DecorationHostAccessINTEL,
                                       SIM_DecorationHostAccessOldINTEL};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        const sim_decoration *decoration =
            sim_module_decoration(module, variable->id, SIM_NONE, numbers[i]);
        if (decoration) return sim_words_text(decoration->operands + 1);
    }
    return (rt_text){0};
}

/* Notes the names by which a variable in global memory is found.  The first of several goes. */
static void names_note(sim_decoder *d, const sim_module *module, const sim_variable *variable)
{
    rt_arena *arena = &d->program->arena;
    rt_text known = host_name(module, variable);
    if (known.length > 0 && rt_map_find(&d->program->host_names, known) == RT_MAP_NONE)
        rt_map_set(&d->program->host_names, rt_arena_text(arena, known), d->globals.count);
    if (variable->link_name.length > 0)
        rt_map_set(&d->program->global_names, rt_arena_text(arena, variable->link_name),
                   d->globals.count);
}

static void variable_add(sim_decoder *d, uint32_t module, uint32_t index)
{
    const sim_variable *variable = &d->modules[module]->variables[index];
    const sim_type *type = variable->type->element;
    rt_text name = rt_arena_text(&d->program->arena, variable->name);
    if (variable->storage_class == SIM_StorageClassInput || !stands_for_itself(d, module, index)) {
        return;
    }
    if (is_global(variable)) {
        d->global_of[module][index] = d->globals.count;
        names_note(d, d->modules[module], variable);
        *rt_vector_push(&d->globals) =
            (sim_global){.size = type->size_bytes,
                         .slot = SIM_NONE,
                         .is_constant = is_constant(d->modules[module], variable),
                         .name = name};
    } else {
        d->global_of[module][index] = d->locals.count;
        *rt_vector_push(&d->locals) = (sim_local){
            .size = type->size_bytes, .alignment = variable->alignment_bytes, .name = name};
    }
}

rt_status sim_decode_variables(sim_decoder *d)
{
    for (uint32_t m = 0; m < d->module_count; m++) {
        for (uint32_t i = 0; i < d->modules[m]->variable_count; i++)
            variable_add(d, m, i);
    }
    for (uint32_t m = 0; m < d->module_count; m++) {
        for (uint32_t i = 0; i < d->modules[m]->variable_count; i++) {
            const sim_variable *variable = &d->modules[m]->variables[i];
            if (variable->storage_class == SIM_StorageClassInput) continue;
            sim_place target = d->linkage->variables[m][i];
            d->global_of[m][i] = d->global_of[target.module][target.index];
            CHECK(d->global_of[m][i] != SIM_NONE);
        }
    }
    for (uint32_t m = 0; m < d->module_count; m++) {
        for (uint32_t i = 0; i < d->modules[m]->variable_count; i++) {
            const sim_variable *variable = &d->modules[m]->variables[i];
            if (!variable->initializer || !is_global(variable)) continue;
            if (!stands_for_itself(d, m, i) || is_undefined(d->modules[m], variable)) continue;
            sim_global *global = &d->globals.items[d->global_of[m][i]];
            initial w = {.d = d, .module_index = m, .global = d->global_of[m][i]};
            w.bytes = rt_arena_alloc(&d->program->arena, global->size);
            global->initial = w.bytes;
            RT_TRY(initial_write(&w, variable->initializer, 0));
        }
    }
    return RT_STATUS_OK;
}
