/* Loads and stores. Addresses are checked in line, for all lanes at once. A load of memory that the
 * launch does not write, or of a private variable that is known here, is made in line as well;
 * helpers make all other accesses. */
#include "sim/compiled/emit.h"

#include "reference/base/alloc.h"

#include <stddef.h>
#include <string.h>

static LLVMTypeRef chunk_of(LLVMTypeRef type)
{
    return LLVMVectorType(type, SIM_TIER_LANES);
}

static LLVMValueRef splat_number(const tier_emitter *e, LLVMTypeRef type, uint64_t value)
{
    return tier_splat(e, tier_number(type, value));
}

static LLVMValueRef any_lane(const tier_emitter *e, LLVMValueRef lanes)
{
    return tier_any(e, LLVMBuildAnd(e->builder, lanes, tier_active(e), ""));
}

/* ---- The access ----------------------------------------------------------------------------- */

static tier_object object_of(const tier_emitter *e, const sim_op *op)
{
    return tier_object_of(e->flat, e->instance, e->flat->blocks.items[e->block].block, op, op->a);
}

static sim_tier_access *access_new(tier_emitter *e, const sim_op *op, const tier_handler *h,
                                   const tier_memory *m)
{
    const sim_register *places = m->places;
    const tier_block *block = &e->flat->blocks.items[e->block];
    sim_tier_access *access = rt_alloc(sizeof *access);
    uint8_t low = 0, high = op->count;
    while (low + 1 < high && places[low] == SIM_REGISTER_NONE)
        low++;
    while (high > low + 1 && places[high - 1] == SIM_REGISTER_NONE)
        high--;
    if (places[low] == SIM_REGISTER_NONE) low = 0, high = op->count;
    *access =
        (sim_tier_access){.form = h->form,
                          .bytes = (uint8_t)sim_lane_bytes((sim_lane_type)h->from),
                          .count = op->count,
                          .low = low,
                          .high = high,
                          .is_store = h->shape == TIER_STORE,
                          .is_quiet = h->shape == TIER_LOAD && !(block->stores & m->object.local),
                          .alignment = op->c,
                          .stride = op->stride,
                          .imm = op->imm,
                          .key = m->object.key,
                          .pointer = m->object.pointer,
                          .view = {.key = UINT64_MAX}};
    *rt_vector_push(&e->accesses) = access;
    return access;
}

/* Each lane's distance from the base, as a 64-bit number. */
static LLVMValueRef distance_of(tier_emitter *e, const sim_op *op, uint32_t form)
{
    LLVMTypeRef wide = chunk_of(e->i64);
    if (form == SIM_MEMORY_EACH) return tier_read(e, op->a, SIM_I64, true);
    LLVMValueRef index = tier_read(e, op->b, form == SIM_MEMORY_I64 ? SIM_I64 : SIM_I32, true);
    if (form == SIM_MEMORY_U32) index = LLVMBuildZExt(e->builder, index, wide, "");
    if (form == SIM_MEMORY_S32) index = LLVMBuildSExt(e->builder, index, wide, "");
    return LLVMBuildMul(e->builder, index, splat_number(e, e->i64, op->stride), "");
}

static tier_memory memory_open(tier_emitter *e, const sim_op *op, const tier_handler *h)
{
    tier_memory m = {.type = (sim_lane_type)h->from};
    m.places = e->flat->instances.items[e->instance].function->places + op->extra;
    m.object = object_of(e, op);
    m.access = access_new(e, op, h, &m);
    m.is_uniform = h->form == SIM_MEMORY_ONE || h->form == SIM_MEMORY_SAME;
    if (!m.is_uniform) m.distance = distance_of(e, op, h->form);
    if (h->form != SIM_MEMORY_EACH) m.base = tier_read(e, op->a, SIM_I64, false);
    m.done = tier_block_new(e, "done");
    return m;
}

static LLVMValueRef view_pointer(const tier_emitter *e, const tier_memory *m, size_t member,
                                 LLVMTypeRef type)
{
    const uint8_t *view = (const uint8_t *)&m->access->view;
    return LLVMBuildBitCast(e->builder, tier_constant_pointer(e, view + member),
                            LLVMPointerType(type, 0), "");
}

static LLVMValueRef view_member(const tier_emitter *e, const tier_memory *m, size_t member,
                                LLVMTypeRef type)
{
    return LLVMBuildLoad2(e->builder, type, view_pointer(e, m, member, type), "");
}

static LLVMValueRef key_of(const tier_emitter *e, LLVMValueRef address)
{
    return LLVMBuildLShr(e->builder, address, tier_number(e->i64, SIM_ADDRESS_OFFSET_BITS), "");
}

/* ---- Results -------------------------------------------------------------------------------- */

void tier_value_write(tier_emitter *e, const tier_memory *m, uint32_t component, LLVMValueRef value)
{
    tier_write(e, m->places[component], m->type, value, true);
}

/* Writes what a helper has loaded. */
static void loaded_write(tier_emitter *e, const tier_memory *m)
{
    bool is_chunk = m->access->form != SIM_MEMORY_ONE;
    LLVMTypeRef type = tier_type(e, m->type, is_chunk);
    for (uint32_t k = 0; k < m->access->count; k++) {
        if (m->places[k] == SIM_REGISTER_NONE) continue;
        LLVMValueRef value = LLVMBuildLoad2(e->builder, type, tier_scratch(e, k, type), "");
        tier_write(e, m->places[k], m->type, value, true);
    }
}

/* ---- Helpers -------------------------------------------------------------------------------- */

void tier_access_any(tier_emitter *e, const tier_memory *m)
{
    uint32_t width = (uint32_t)__builtin_ctz(m->access->bytes);
    LLVMTypeRef wide = chunk_of(e->i64);
    if (m->access->form == SIM_MEMORY_ONE && !m->access->is_store) {
        /* A load of private memory is never uniform. */
        LLVMBuildBr(e->builder, e->gives_up[SIM_TIER_ACCESS]);
        return;
    }
    LLVMValueRef addresses = m->distance ? m->distance : LLVMConstNull(wide);
    if (m->base) addresses = LLVMBuildAdd(e->builder, addresses, tier_splat(e, m->base), "");
    addresses =
        LLVMBuildAdd(e->builder, addresses, splat_number(e, e->i64, (uint64_t)m->access->imm), "");
    LLVMBuildStore(e->builder, addresses, tier_pointer(e, e->index, 0, wide));
    LLVMValueRef arguments[] = {e->context, tier_constant_pointer(e, m->access),
                                tier_bits(e, tier_active(e), e->i32),
                                tier_pointer(e, e->index, 0, e->i8), tier_scratch(e, 0, e->i8)};
    const void *helper = m->access->is_store ? (const void *)(uintptr_t)e->helpers->store_any[width]
                                             : (const void *)(uintptr_t)e->helpers->load_any[width];
    tier_demand_helper(e, helper, arguments, 5);
    if (!m->access->is_store) loaded_write(e, m);
    LLVMBuildBr(e->builder, m->done);
}

/* Accesses the view's object at known offsets; ends the LLVM block. */
static void access_view(tier_emitter *e, const tier_memory *m, LLVMValueRef at, LLVMValueRef kind)
{
    uint32_t width = (uint32_t)__builtin_ctz(m->access->bytes);
    LLVMBuildStore(e->builder, at, tier_pointer(e, e->index, 0, LLVMTypeOf(at)));
    LLVMValueRef arguments[] = {e->context,
                                tier_constant_pointer(e, m->access),
                                kind,
                                tier_bits(e, tier_active(e), e->i32),
                                tier_pointer(e, e->index, 0, e->i8),
                                tier_scratch(e, 0, e->i8)};
    const void *helper = m->access->is_store ? (const void *)(uintptr_t)e->helpers->store[width]
                                             : (const void *)(uintptr_t)e->helpers->load[width];
    tier_demand_helper(e, helper, arguments, 6);
    if (!m->access->is_store) loaded_write(e, m);
    LLVMBuildBr(e->builder, m->done);
}

/* ---- Offsets -------------------------------------------------------------------------------- */

/* The lowest active lane's element of a row. */
static LLVMValueRef first_of(const tier_emitter *e, LLVMValueRef row)
{
    LLVMTypeRef type = e->i32;
    unsigned id = LLVMLookupIntrinsicID("llvm.cttz", 9);
    LLVMValueRef function = LLVMGetIntrinsicDeclaration(e->module, id, &type, 1);
    LLVMValueRef arguments[] = {tier_bits(e, tier_active(e), e->i32), tier_number(e->i1, 1)};
    LLVMValueRef lane = LLVMBuildCall2(e->builder, LLVMIntrinsicGetType(e->llvm, id, &type, 1),
                                       function, arguments, 2, "");
    return LLVMBuildExtractElement(e->builder, row, lane, "");
}

/* Goes to `other` unless the address is in global or local memory, in the view's object; finds the
 * object if it is another one. */
static void view_open(tier_emitter *e, const tier_memory *m, LLVMValueRef address,
                      LLVMBasicBlockRef other)
{
    LLVMBasicBlockRef known = tier_block_new(e, "known"), look = tier_block_new(e, "look");
    LLVMBasicBlockRef find = tier_block_new(e, "find");
    LLVMValueRef key = view_member(e, m, offsetof(sim_tier_view, key), e->i64);
    LLVMValueRef is_known = LLVMBuildICmp(e->builder, LLVMIntEQ, key, key_of(e, address), "");
    LLVMBuildCondBr(e->builder, is_known, known, look);
    LLVMPositionBuilderAtEnd(e->builder, look);
    LLVMValueRef class =
        LLVMBuildLShr(e->builder, address, tier_number(e->i64, SIM_ADDRESS_CLASS_SHIFT), "");
    LLVMValueRef is_object =
        LLVMBuildICmp(e->builder, LLVMIntULE, class, tier_number(e->i64, SIM_CLASS_LOCAL), "");
    LLVMBuildCondBr(e->builder, is_object, find, other);
    LLVMPositionBuilderAtEnd(e->builder, find);
    LLVMValueRef arguments[] = {e->context, tier_constant_pointer(e, m->access), address};
    tier_demand_helper(e, (const void *)(uintptr_t)e->helpers->find, arguments, 3);
    LLVMBuildBr(e->builder, known);
    LLVMPositionBuilderAtEnd(e->builder, known);
}

/* The offset in its object of the address. */
static LLVMValueRef offset_of(const tier_emitter *e, LLVMValueRef address)
{
    LLVMValueRef mask = tier_number(e->i64, (UINT64_C(1) << SIM_ADDRESS_OFFSET_BITS) - 1);
    LLVMValueRef low = LLVMBuildAnd(e->builder, address, mask, "");
    return LLVMBuildSub(e->builder, low, tier_number(e->i64, SIM_ADDRESS_BIAS), "");
}

void tier_offsets_check(tier_emitter *e, const tier_memory *m, LLVMValueRef offsets,
                        LLVMValueRef end)
{
    bool is_chunk = !m->is_uniform;
    LLVMValueRef wrong;
    if (is_chunk) end = tier_splat(e, end);
    wrong = LLVMBuildICmp(e->builder, LLVMIntUGE, offsets, end, "");
    if (m->access->alignment > 1) {
        LLVMValueRef low = tier_number(e->i64, m->access->alignment - 1);
        if (is_chunk) low = tier_splat(e, low);
        LLVMValueRef odd = LLVMBuildAnd(e->builder, offsets, low, "");
        odd = LLVMBuildICmp(e->builder, LLVMIntNE, odd, LLVMConstNull(LLVMTypeOf(odd)), "");
        wrong = LLVMBuildOr(e->builder, wrong, odd, "");
    }
    if (is_chunk) wrong = any_lane(e, wrong);
    tier_give_up_unless(e, LLVMBuildNot(e->builder, wrong, ""), SIM_TIER_ACCESS);
}

/* Offsets 0, step, 2 * step, … */
static LLVMValueRef steps_of(const tier_emitter *e, uint32_t step)
{
    LLVMValueRef steps[SIM_TIER_LANES];
    for (uint32_t i = 0; i < SIM_TIER_LANES; i++)
        steps[i] = tier_number(e->i32, i * step);
    return LLVMConstVector(steps, SIM_TIER_LANES);
}

/* ---- Plain loads ---------------------------------------------------------------------------- */

LLVMValueRef tier_intrinsic(const tier_emitter *e, const char *name, LLVMTypeRef *types,
                            uint32_t type_count, LLVMValueRef *arguments, uint32_t count)
{
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    LLVMValueRef function = LLVMGetIntrinsicDeclaration(e->module, id, types, type_count);
    return LLVMBuildCall2(e->builder, LLVMIntrinsicGetType(e->llvm, id, types, type_count),
                          function, arguments, count, "");
}

/* Loads a component of all active lanes from adjacent places, the first at `start`. */
static LLVMValueRef load_run(const tier_emitter *e, const tier_memory *m, LLVMValueRef data,
                             LLVMValueRef start)
{
    LLVMTypeRef type = tier_type(e, m->type, true), pointer = LLVMPointerType(type, 0);
    LLVMValueRef from = LLVMBuildGEP2(e->builder, e->i8, data, &start, 1, "");
    from = LLVMBuildBitCast(e->builder, from, pointer, "");
    LLVMTypeRef types[] = {type, pointer};
    LLVMValueRef arguments[] = {from, tier_number(e->i32, 1), tier_active(e), LLVMConstNull(type)};
    return tier_intrinsic(e, "llvm.masked.load", types, 2, arguments, 4);
}

/* Loads a component of all active lanes from anywhere. Processors gather elements of four and eight
 * bytes. */
static LLVMValueRef load_gathered(const tier_emitter *e, const tier_memory *m, LLVMValueRef data,
                                  LLVMValueRef at, uint32_t distance)
{
    LLVMTypeRef element = tier_type(e, m->type, false), type = chunk_of(element);
    LLVMValueRef shift = tier_number(e->i64, distance);
    data = LLVMBuildGEP2(e->builder, e->i8, data, &shift, 1, "");
    if (m->access->bytes >= 4) {
        LLVMTypeRef pointer = LLVMPointerType(element, 0);
        LLVMValueRef from = LLVMBuildGEP2(e->builder, e->i8, data, &at, 1, "");
        from = LLVMBuildBitCast(e->builder, from, chunk_of(pointer), "");
        LLVMTypeRef types[] = {type, chunk_of(pointer)};
        LLVMValueRef arguments[] = {from, tier_number(e->i32, 1), tier_active(e),
                                    LLVMConstNull(type)};
        return tier_intrinsic(e, "llvm.masked.gather", types, 2, arguments, 4);
    }
    LLVMValueRef result = LLVMGetPoison(type);
    for (uint32_t i = 0; i < SIM_TIER_LANES; i++) {
        LLVMValueRef lane = tier_number(e->i32, i);
        LLVMValueRef offset = LLVMBuildExtractElement(e->builder, at, lane, "");
        LLVMValueRef from = LLVMBuildGEP2(e->builder, e->i8, data, &offset, 1, "");
        from = LLVMBuildBitCast(e->builder, from, LLVMPointerType(element, 0), "");
        LLVMValueRef value = LLVMBuildLoad2(e->builder, element, from, "");
        LLVMSetAlignment(value, 1);
        result = LLVMBuildInsertElement(e->builder, result, value, lane, "");
    }
    return result;
}

/* Loads one value for all lanes. */
static LLVMValueRef load_same(const tier_emitter *e, const tier_memory *m, LLVMValueRef data,
                              LLVMValueRef offset, uint32_t distance)
{
    LLVMTypeRef type = tier_type(e, m->type, false);
    LLVMValueRef at = LLVMBuildAdd(e->builder, offset, tier_number(e->i64, distance), "");
    LLVMValueRef from = LLVMBuildGEP2(e->builder, e->i8, data, &at, 1, "");
    from = LLVMBuildBitCast(e->builder, from, LLVMPointerType(type, 0), "");
    LLVMValueRef value = LLVMBuildLoad2(e->builder, type, from, "");
    LLVMSetAlignment(value, 1);
    return value;
}

/* Loads a component of all active lanes, laid out as `kind` says (SIM_TIER_RUN and so on), from a
 * member of the view; `at`: one offset, or those of the lanes if they are mixed. */
static LLVMValueRef load_part(const tier_emitter *e, const tier_memory *m, size_t member,
                              uint32_t kind, LLVMValueRef at, uint32_t component)
{
    LLVMValueRef from = view_member(e, m, member, e->bytes_pointer);
    uint32_t distance = component * m->access->bytes;
    if (kind == SIM_TIER_RUN) return load_run(e, m, from, at);
    if (kind == SIM_TIER_SAME) return load_same(e, m, from, at, distance);
    return load_gathered(e, m, from, at, distance);
}

static LLVMValueRef flag_of(const tier_emitter *e, LLVMValueRef loads, uint32_t flag)
{
    LLVMValueRef bit = LLVMBuildAnd(e->builder, loads, tier_number(e->i64, flag), "");
    return LLVMBuildICmp(e->builder, LLVMIntNE, bit, tier_number(e->i64, 0), "");
}

/* Gives up unless all bits of a component are defined, in all active lanes. */
static void defined_demand(tier_emitter *e, LLVMValueRef defined, bool is_chunk)
{
    LLVMValueRef wrong =
        LLVMBuildICmp(e->builder, LLVMIntNE, defined, LLVMConstAllOnes(LLVMTypeOf(defined)), "");
    if (is_chunk) wrong = any_lane(e, wrong);
    tier_give_up_unless(e, LLVMBuildNot(e->builder, wrong, ""), SIM_TIER_UNDEFINED);
}

/* Loads the components and goes to `loaded`; checks that they are defined if the view says so. */
static void plain_part(tier_emitter *e, const tier_memory *m, uint32_t kind, LLVMValueRef at,
                       LLVMValueRef loads, LLVMBasicBlockRef loaded)
{
    const sim_tier_access *a = m->access;
    bool is_one = kind == SIM_TIER_SAME;
    for (uint32_t k = 0; k < a->count; k++) {
        if (a->is_store || m->places[k] == SIM_REGISTER_NONE) continue;
        LLVMValueRef value = load_part(e, m, offsetof(sim_tier_view, data), kind, at, k);
        bool is_spread = is_one && a->form != SIM_MEMORY_ONE;
        tier_value_write(e, m, k, is_spread ? tier_splat(e, value) : value);
    }
    if (a->is_store || m->object.is_global) {
        LLVMBuildBr(e->builder, loaded);
        return;
    }
    LLVMBasicBlockRef check = tier_block_new(e, "defined");
    LLVMBuildCondBr(e->builder, flag_of(e, loads, SIM_TIER_SHADOWED), check, loaded);
    LLVMPositionBuilderAtEnd(e->builder, check);
    for (uint32_t k = a->low; k < a->high; k++)
        defined_demand(e, load_part(e, m, offsetof(sim_tier_view, defined), kind, at, k), !is_one);
    LLVMBuildBr(e->builder, loaded);
}

/* ---- The log of reads ----------------------------------------------------------------------- */

static void log_store(const tier_emitter *e, LLVMValueRef row, size_t member, LLVMValueRef value)
{
    LLVMValueRef to = tier_pointer(e, row, member, LLVMTypeOf(value));
    LLVMSetAlignment(LLVMBuildStore(e->builder, value, to), 4);
}

/* Goes to m->done. If the object is one whose reads are logged, adds a row first. */
static void log_end(tier_emitter *e, const tier_memory *m, LLVMValueRef loads, LLVMValueRef at)
{
    if (m->access->is_store || m->access->is_quiet || m->object.is_global) {
        LLVMBuildBr(e->builder, m->done);
        return;
    }
    LLVMBasicBlockRef logged = tier_block_new(e, "logged"), full = tier_block_new(e, "full");
    LLVMBuildCondBr(e->builder, flag_of(e, loads, SIM_TIER_LOGGED), logged, m->done);
    LLVMPositionBuilderAtEnd(e->builder, logged);
    LLVMValueRef next_at =
        tier_pointer(e, e->context, offsetof(sim_tier_context, reads_next), e->bytes_pointer);
    LLVMValueRef row = LLVMBuildLoad2(e->builder, e->bytes_pointer, next_at, "");
    log_store(e, row, offsetof(sim_tier_read, at), at);
    log_store(e, row, offsetof(sim_tier_read, race),
              view_member(e, m, offsetof(sim_tier_view, race), e->i64));
    log_store(e, row, offsetof(sim_tier_read, access),
              tier_number(e->i64, (uint64_t)(uintptr_t)m->access));
    log_store(e, row, offsetof(sim_tier_read, mask), tier_bits(e, tier_active(e), e->i32));
    LLVMValueRef lid_at = tier_pointer(e, e->context, offsetof(sim_tier_context, lid), e->i32);
    log_store(e, row, offsetof(sim_tier_read, lid), LLVMBuildLoad2(e->builder, e->i32, lid_at, ""));
    LLVMValueRef next = tier_pointer(e, row, sizeof(sim_tier_read), e->i8);
    LLVMBuildStore(e->builder, next, next_at);
    LLVMValueRef end_at =
        tier_pointer(e, e->context, offsetof(sim_tier_context, reads_end), e->bytes_pointer);
    LLVMValueRef end = LLVMBuildLoad2(e->builder, e->bytes_pointer, end_at, "");
    LLVMValueRef has_room = LLVMBuildICmp(e->builder, LLVMIntNE, next, end, "");
    LLVMBuildCondBr(e->builder, has_room, m->done, full);
    LLVMPositionBuilderAtEnd(e->builder, full);
    tier_demand_helper(e, (const void *)(uintptr_t)e->helpers->log_flush, &e->context, 1);
    LLVMBuildBr(e->builder, m->done);
}

/* ---- Objects -------------------------------------------------------------------------------- */

/* Goes to `plain` if compiled code itself can load from the view's object, and to `tracked`
 * otherwise; returns what the view says of loads. */
static LLVMValueRef plain_test(const tier_emitter *e, const tier_memory *m, LLVMBasicBlockRef plain,
                               LLVMBasicBlockRef tracked)
{
    if (m->access->is_store) {
        LLVMBuildBr(e->builder, tracked);
        return NULL;
    }
    LLVMValueRef loads = view_member(e, m, offsetof(sim_tier_view, loads), e->i64);
    LLVMBuildCondBr(e->builder, flag_of(e, loads, SIM_TIER_HELPED), tracked, plain);
    return loads;
}

static void access_uniform(tier_emitter *e, const tier_memory *m)
{
    LLVMBasicBlockRef other = tier_block_new(e, "other"), plain = tier_block_new(e, "plain");
    LLVMBasicBlockRef tracked = tier_block_new(e, "tracked");
    LLVMValueRef address =
        LLVMBuildAdd(e->builder, m->base, tier_number(e->i64, (uint64_t)m->access->imm), "");
    view_open(e, m, address, other);
    LLVMValueRef offset = offset_of(e, address);
    tier_offsets_check(e, m, offset, view_member(e, m, offsetof(sim_tier_view, end), e->i64));
    LLVMValueRef loads = plain_test(e, m, plain, tracked);
    LLVMPositionBuilderAtEnd(e->builder, plain);
    LLVMBasicBlockRef loaded = tier_block_new(e, "loaded");
    plain_part(e, m, SIM_TIER_SAME, offset, loads, loaded);
    LLVMPositionBuilderAtEnd(e->builder, loaded);
    log_end(e, m, loads, tier_splat(e, LLVMBuildTrunc(e->builder, offset, e->i32, "")));
    LLVMPositionBuilderAtEnd(e->builder, tracked);
    LLVMValueRef at = tier_splat(e, LLVMBuildTrunc(e->builder, offset, e->i32, ""));
    access_view(e, m, at, tier_number(e->i32, SIM_TIER_SAME));
    LLVMPositionBuilderAtEnd(e->builder, other);
    tier_access_any(e, m);
}

/* Loads the rows and goes to `loaded`. */
static void plain_rows(tier_emitter *e, const tier_memory *m, LLVMValueRef at, LLVMValueRef is_run,
                       LLVMValueRef start, LLVMValueRef loads, LLVMBasicBlockRef loaded)
{
    LLVMBasicBlockRef run = tier_block_new(e, "run"), apart = tier_block_new(e, "apart");
    bool is_single = m->access->count == 1;
    LLVMBuildCondBr(e->builder, is_single ? is_run : tier_number(e->i1, 0), run, apart);
    LLVMPositionBuilderAtEnd(e->builder, run);
    if (is_single) {
        plain_part(e, m, SIM_TIER_RUN, start, loads, loaded);
    } else {
        LLVMBuildUnreachable(e->builder);
    }
    LLVMPositionBuilderAtEnd(e->builder, apart);
    plain_part(e, m, SIM_TIER_MIXED, at, loads, loaded);
}

/* Determines how the active lanes are laid out (SIM_TIER_RUN and so on). Other lanes get places
 * that continue theirs. `first`: where lane 0 is if is_run. */
static LLVMValueRef kind_of(tier_emitter *e, const tier_memory *m, LLVMValueRef is_run,
                            LLVMValueRef first, LLVMValueRef *inout_at)
{
    uint32_t size = (uint32_t)m->access->bytes * m->access->count;
    LLVMValueRef at = *inout_at, one = first_of(e, at);
    LLVMValueRef same = tier_splat(e, one), run = tier_splat(e, first);
    run = LLVMBuildAdd(e->builder, run, steps_of(e, size), "");
    LLVMValueRef differs = LLVMBuildICmp(e->builder, LLVMIntNE, at, same, "");
    LLVMValueRef is_same = LLVMBuildNot(e->builder, any_lane(e, differs), "");
    /* The places of all lanes must be inside. */
    LLVMValueRef end = view_member(e, m, offsetof(sim_tier_view, end), e->i64);
    LLVMValueRef last = LLVMBuildAdd(e->builder, LLVMBuildSExt(e->builder, first, e->i64, ""),
                                     tier_number(e->i64, (SIM_TIER_LANES - 1) * size), "");
    LLVMValueRef begins = LLVMBuildICmp(e->builder, LLVMIntSGE, first, tier_number(e->i32, 0), "");
    LLVMValueRef ends = LLVMBuildICmp(e->builder, LLVMIntSLT, last, end, "");
    is_run = LLVMBuildAnd(e->builder, is_run, LLVMBuildAnd(e->builder, begins, ends, ""), "");
    at = LLVMBuildSelect(e->builder, is_run, run, at, "");
    *inout_at = LLVMBuildSelect(e->builder, is_same, same, at, "");
    LLVMValueRef kind = LLVMBuildSelect(e->builder, is_run, tier_number(e->i32, SIM_TIER_RUN),
                                        tier_number(e->i32, SIM_TIER_MIXED), "");
    return LLVMBuildSelect(e->builder, is_same, tier_number(e->i32, SIM_TIER_SAME), kind, "");
}

static void access_rows(tier_emitter *e, const tier_memory *m)
{
    LLVMBasicBlockRef other = tier_block_new(e, "other"), plain = tier_block_new(e, "plain");
    LLVMBasicBlockRef tracked = tier_block_new(e, "tracked");
    LLVMValueRef imm = tier_number(e->i64, (uint64_t)m->access->imm), base = m->base, start;
    if (!base) {
        /* All lanes must be in the first one's object. */
        LLVMBasicBlockRef alike = tier_block_new(e, "alike");
        base = first_of(e, m->distance);
        LLVMValueRef apart = LLVMBuildXor(e->builder, m->distance, tier_splat(e, base), "");
        LLVMValueRef keys =
            LLVMBuildLShr(e->builder, apart, splat_number(e, e->i64, SIM_ADDRESS_OFFSET_BITS), "");
        LLVMValueRef differs =
            LLVMBuildICmp(e->builder, LLVMIntNE, keys, LLVMConstNull(LLVMTypeOf(keys)), "");
        LLVMBuildCondBr(e->builder, any_lane(e, differs), other, alike);
        LLVMPositionBuilderAtEnd(e->builder, alike);
        view_open(e, m, base, other);
        /* What is to be added to an address gives its offset. */
        start = LLVMBuildSub(e->builder, offset_of(e, base), base, "");
    } else {
        view_open(e, m, base, other);
        start = offset_of(e, base);
    }
    start = LLVMBuildAdd(e->builder, start, imm, "");
    LLVMValueRef offsets = LLVMBuildAdd(e->builder, m->distance, tier_splat(e, start), "");
    tier_offsets_check(e, m, offsets, view_member(e, m, offsetof(sim_tier_view, end), e->i64));
    LLVMValueRef at = LLVMBuildTrunc(e->builder, offsets, chunk_of(e->i32), "");
    at = LLVMBuildSelect(e->builder, tier_active(e), at, LLVMConstNull(LLVMTypeOf(at)), "");
    /* Do the active lanes access adjacent places? */
    uint32_t size = (uint32_t)m->access->bytes * m->access->count;
    LLVMValueRef origins = LLVMBuildSub(e->builder, at, steps_of(e, size), "");
    LLVMValueRef first = first_of(e, origins);
    LLVMValueRef differs = LLVMBuildICmp(e->builder, LLVMIntNE, origins, tier_splat(e, first), "");
    LLVMValueRef is_run = LLVMBuildNot(e->builder, any_lane(e, differs), "");
    LLVMValueRef loads = plain_test(e, m, plain, tracked);
    LLVMPositionBuilderAtEnd(e->builder, plain);
    if (m->access->is_store) {
        LLVMBuildBr(e->builder, m->done);
    } else {
        LLVMBasicBlockRef loaded = tier_block_new(e, "loaded");
        plain_rows(e, m, at, is_run, LLVMBuildSExt(e->builder, first, e->i64, ""), loads, loaded);
        LLVMPositionBuilderAtEnd(e->builder, loaded);
        log_end(e, m, loads, at);
    }
    LLVMPositionBuilderAtEnd(e->builder, tracked);
    LLVMValueRef kind = kind_of(e, m, is_run, first, &at);
    access_view(e, m, at, kind);
    LLVMPositionBuilderAtEnd(e->builder, other);
    tier_access_any(e, m);
}

static void access_emit(tier_emitter *e, const sim_op *op, const tier_memory *m)
{
    if (!tier_access_private(e, op, m)) {
        if (m->is_uniform) {
            access_uniform(e, m);
        } else {
            access_rows(e, m);
        }
    }
    LLVMPositionBuilderAtEnd(e->builder, m->done);
}

void tier_emit_load(tier_emitter *e, const sim_op *op, const tier_handler *h)
{
    tier_memory m = memory_open(e, op, h);
    access_emit(e, op, &m);
}

void tier_emit_store(tier_emitter *e, const sim_op *op, const tier_handler *h)
{
    tier_memory m = memory_open(e, op, h);
    for (uint32_t k = 0; k < m.access->count; k++) {
        LLVMValueRef value = tier_read(e, m.places[k], m.type, true);
        LLVMBuildStore(e->builder, value, tier_scratch(e, k, LLVMTypeOf(value)));
    }
    access_emit(e, op, &m);
}

/* An access that only helpers make: a store, if its object may be known, or a load. */
static sim_tier_access *access_any_new(tier_emitter *e, uint8_t bytes, const tier_object *object)
{
    sim_tier_access *access = rt_alloc(sizeof *access);
    *access = (sim_tier_access){.form = SIM_MEMORY_EACH,
                                .bytes = bytes,
                                .count = 1,
                                .high = 1,
                                .is_store = object != NULL,
                                .alignment = bytes,
                                .key = object ? object->key : 0,
                                .pointer = object ? object->pointer : SIM_REGISTER_NONE,
                                .view = {.key = UINT64_MAX}};
    *rt_vector_push(&e->accesses) = access;
    return access;
}

void tier_emit_atomic(tier_emitter *e, const sim_op *op, const tier_handler *h)
{
    sim_lane_type type = (sim_lane_type)h->from;
    uint8_t bytes = (uint8_t)sim_lane_bytes(type);
    tier_object object = object_of(e, op);
    sim_tier_access *access = access_any_new(e, bytes, &object);
    access->is_atomic = true;
    access->operation = (uint8_t)op->extra;
    LLVMValueRef addresses = tier_read(e, op->a, SIM_I64, true);
    LLVMValueRef value = tier_read(e, op->b, type, true);
    LLVMBuildStore(e->builder, addresses, tier_pointer(e, e->index, 0, LLVMTypeOf(addresses)));
    LLVMBuildStore(e->builder, value, tier_scratch(e, 0, LLVMTypeOf(value)));
    LLVMValueRef arguments[] = {e->context, tier_constant_pointer(e, access),
                                tier_bits(e, tier_active(e), e->i32),
                                tier_pointer(e, e->index, 0, e->i8), tier_scratch(e, 0, e->i8)};
    tier_demand_helper(e, (const void *)(uintptr_t)e->helpers->atomic[__builtin_ctz(bytes)],
                       arguments, 5);
}

void tier_emit_copy(tier_emitter *e, const sim_op *op)
{
    const sim_register places[3] = {op->a, op->b, op->c};
    uint32_t to_alignment = (uint32_t)op->imm, from_alignment = op->extra;
    uint8_t bytes = tier_copy_bytes(e->flat->program, op);
    tier_object object = object_of(e, op);
    sim_tier_access *from = access_any_new(e, bytes, NULL), *to = access_any_new(e, bytes, &object);
    for (uint32_t i = 0; i < 3; i++) {
        LLVMValueRef value = tier_read(e, places[i], SIM_I64, true);
        LLVMBuildStore(e->builder, value, tier_scratch(e, i, LLVMTypeOf(value)));
    }
    LLVMValueRef arguments[] = {e->context,
                                tier_constant_pointer(e, from),
                                tier_constant_pointer(e, to),
                                tier_bits(e, tier_active(e), e->i32),
                                tier_scratch(e, 0, e->i8),
                                tier_number(e->i32, to_alignment),
                                tier_number(e->i32, from_alignment)};
    tier_demand_helper(e, (const void *)(uintptr_t)e->helpers->copy, arguments, 7);
}
