/* Types and their layout in memory according to OpenCL.
 *
 * Sources: SPIR-V specification 1.6, section 3.42.6 "Type-Declaration Instructions"; OpenCL C 3.0,
 * 6.3.5 "Alignment of Types" (a vector of three occupies the space of four); OpenCL SPIR-V
 * environment specification 3.0, section 2.6. */
#include "sim/module/reader.h"

#include "reference/base/hash.h"

#include <string.h>

/* SPIR-V specification, section 2.17; the limit there does not apply to types with continuations.
 */
enum { MEMBERS_MAX = 16383, MEMBERS_CONTINUED_MAX = 1 << 20 };

rt_status sim_read_type_operand(sim_reader *reader, const sim_view *view, sim_id id,
                                const sim_type **out_type)
{
    *out_type = NULL;
    const sim_id_entry *entry = sim_module_id(reader->module, id);
    if (entry->kind != SIM_ID_TYPE) {
        return sim_reader_fail(reader, RT_MALFORMED, view->offset, "id %u is not a type", id);
    }
    const sim_type *type = &reader->module->types[entry->index];
    /* A forward-declared pointer has its id set before its own instruction is read. */
    if (entry->word >= view->offset && type->id != id) {
        return sim_reader_fail(reader, RT_MALFORMED, view->offset,
                               "type %u is used before word %u defines it", id, entry->word);
    }
    CHECK(type->id == id);
    *out_type = type;
    return RT_STATUS_OK;
}

/* ---- Structure hashes ---------------------------------------------------------------------- */

static uint64_t mixed(uint64_t hash, uint64_t value)
{
    uint64_t pair[2] = {hash, value};
    return rt_hash64(pair, sizeof pair);
}

/* A hash of everything that sim_type_equal compares.  Opaque types equal only themselves. */
static uint64_t structure_of(const sim_type *type)
{
    uint64_t hash = mixed(type->kind, type->kind == SIM_TYPE_OPAQUE ? type->id : type->bits);
    hash = mixed(hash, type->storage_class);
    hash = mixed(hash, type->is_packed);
    hash = mixed(hash, type->count);
    if (type->element && type->kind != SIM_TYPE_POINTER) {
        hash = mixed(hash, type->element->structure);
    }
    for (uint64_t i = 0; type->members && i < type->count; i++) {
        hash = mixed(hash, type->members[i]->structure);
    }
    return hash;
}

/* ---- Layout -------------------------------------------------------------------------------- */

static uint64_t rounded_up(uint64_t size, uint32_t alignment)
{
    CHECK(alignment != 0 && (alignment & (alignment - 1)) == 0);
    return (size + alignment - 1) & ~(uint64_t)(alignment - 1);
}

static uint64_t product_saturated(uint64_t a, uint64_t b)
{
    uint64_t product;
    return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

static rt_status check_size(sim_reader *reader, const sim_view *view, uint64_t size)
{
    if (size > RT_MEMORY_SIZE_MAX) {
        return sim_reader_fail(reader, RT_LIMIT, view->offset, "type %u is larger than %llu bytes",
                               view->words[1], (unsigned long long)RT_MEMORY_SIZE_MAX);
    }
    return RT_STATUS_OK;
}

static void set_scalar(sim_type *type, sim_type_kind kind, uint32_t bits)
{
    CHECK(bits == 1 || bits % 8 == 0);
    type->kind = (uint8_t)kind;
    type->bits = (uint16_t)bits;
    type->size_bytes = bits < 8 ? 1 : bits / 8;
    type->alignment_bytes = (uint32_t)type->size_bytes;
    type->part_count = 1;
}

/* ---- One reader per instruction ------------------------------------------------------------ */

static rt_status read_int(sim_reader *reader, const sim_view *view, sim_type *type)
{
    uint32_t bits = view->words[2];
    if (bits != 8 && bits != 16 && bits != 32 && bits != 64) {
        return sim_reader_fail(reader, RT_UNSUPPORTED, view->offset,
                               "integers of %u bits are refused: OpenCL has 8, 16, 32 and 64",
                               bits);
    }
    static const uint16_t capabilities[] = {SIM_CapabilityInt8, SIM_CapabilityInt16,
                                            SIM_CapabilityInt64};
    if (bits != 32) {
        const uint16_t *width = &capabilities[bits == 8 ? 0 : bits == 16 ? 1 : 2];
        RT_TRY(sim_needs_capability(reader, view, "an integer of this width", width, 1));
    }
    if (view->words[3] != 0) {
        return sim_reader_fail(reader, RT_UNSUPPORTED, view->offset,
                               "integer types of kernels must have signedness 0, not %u",
                               view->words[3]);
    }
    set_scalar(type, SIM_TYPE_INT, bits);
    return RT_STATUS_OK;
}

static rt_status read_float(sim_reader *reader, const sim_view *view, sim_type *type)
{
    uint32_t bits = view->words[2];
    if (bits != 16 && bits != 32 && bits != 64) {
        return sim_reader_fail(reader, RT_UNSUPPORTED, view->offset,
                               "floats of %u bits are refused: OpenCL has 16, 32 and 64", bits);
    }
    static const uint16_t half[] = {SIM_CapabilityFloat16Buffer, SIM_CapabilityFloat16};
    static const uint16_t wide[] = {SIM_CapabilityFloat64};
    if (bits == 16) RT_TRY(sim_needs_capability(reader, view, "a half", half, 2));
    if (bits == 64) RT_TRY(sim_needs_capability(reader, view, "a double", wide, 1));
    set_scalar(type, SIM_TYPE_FLOAT, bits);
    return RT_STATUS_OK;
}

static rt_status read_vector(sim_reader *reader, const sim_view *view, sim_type *type)
{
    RT_TRY(sim_read_type_operand(reader, view, view->words[2], &type->element));
    CHECK(type->element);
    uint32_t count = view->words[3];
    uint8_t kind = type->element->kind;
    if (kind != SIM_TYPE_BOOL && kind != SIM_TYPE_INT && kind != SIM_TYPE_FLOAT) {
        return sim_reader_fail(reader, RT_MALFORMED, view->offset,
                               "components of type %u are not scalars", view->words[2]);
    }
    if (count != 2 && count != 3 && count != 4 && count != 8 && count != 16) {
        return sim_reader_fail(reader, RT_MALFORMED, view->offset,
                               "a vector must have 2, 3, 4, 8 or 16 components, not %u", count);
    }
    static const uint16_t large[] = {SIM_CapabilityVector16};
    if (count > 4) RT_TRY(sim_needs_capability(reader, view, "a vector of this size", large, 1));
    type->kind = SIM_TYPE_VECTOR;
    type->count = type->part_count = count;
    type->size_bytes = type->element->size_bytes * (count == 3 ? 4 : count);
    type->alignment_bytes = (uint32_t)type->size_bytes;
    return RT_STATUS_OK;
}

/* An aggregate may contain any type that has values. */
static rt_status check_element(sim_reader *reader, const sim_view *view, const sim_type *type)
{
    CHECK(type && type->depth <= SIM_TYPE_DEPTH_MAX);
    if (type->alignment_bytes == 0) {
        return sim_reader_fail(reader, RT_MALFORMED, view->offset,
                               "type %u has no values and cannot be an element", type->id);
    }
    if (type->depth >= SIM_TYPE_DEPTH_MAX) {
        return sim_reader_fail(reader, RT_LIMIT, view->offset,
                               "types are nested more than %u levels deep", SIM_TYPE_DEPTH_MAX);
    }
    return RT_STATUS_OK;
}

/* The length of an array must be a known constant. */
static rt_status read_array(sim_reader *reader, const sim_view *view, sim_type *type)
{
    RT_TRY(sim_read_type_operand(reader, view, view->words[2], &type->element));
    RT_TRY(check_element(reader, view, type->element));
    const sim_id_entry *entry = sim_module_id(reader->module, view->words[3]);
    if (entry->kind != SIM_ID_CONSTANT || entry->word >= view->offset) {
        return sim_reader_fail(reader, RT_MALFORMED, view->offset,
                               "the length %u is not a constant defined earlier", view->words[3]);
    }
    const sim_constant *length = &reader->module->constants[entry->index];
    if (length->kind != SIM_CONSTANT_BITS || length->type->kind != SIM_TYPE_INT) {
        return sim_reader_fail(
            reader, RT_UNSUPPORTED, view->offset,
            "the length %u is not an integer that is known before the program runs",
            view->words[3]);
    }
    if (length->bits == 0) {
        return sim_reader_fail(reader, RT_MALFORMED, view->offset, "the array has no elements");
    }
    type->count = length->bits;
    type->kind = SIM_TYPE_ARRAY;
    type->depth = (uint16_t)(type->element->depth + 1);
    type->alignment_bytes = type->element->alignment_bytes;
    type->size_bytes = product_saturated(type->element->size_bytes, type->count);
    type->part_count = product_saturated(type->element->part_count, type->count);
    return check_size(reader, view, type->size_bytes);
}

static rt_status read_struct(sim_reader *reader, const sim_view *view, sim_type *type)
{
    rt_arena *arena = &reader->module->arena;
    const uint32_t *ids;
    uint32_t count;
    sim_read_list(reader, view, 2, SIM_OpTypeStructContinuedINTEL, &ids, &count);
    uint32_t most = count > view->count - 2 ? MEMBERS_CONTINUED_MAX : MEMBERS_MAX;
    if (count > most) {
        return sim_reader_fail(reader, RT_LIMIT, view->offset,
                               "a struct has %u members; at most %u are supported", count, most);
    }
    const sim_type **members = rt_arena_alloc_array(arena, count, sizeof *members);
    uint64_t *offsets = rt_arena_alloc_array(arena, count, sizeof *offsets), size = 0;
    type->kind = SIM_TYPE_STRUCT;
    type->depth = 1;
    type->part_count = 1;
    type->count = count;
    type->members = members;
    type->offsets = offsets;
    type->alignment_bytes = 1;
    type->is_packed = sim_module_decoration(reader->module, view->words[1], SIM_NONE,
                                            SIM_DecorationCPacked) != NULL;
    for (uint32_t i = 0; i < count; i++) {
        RT_TRY(sim_read_type_operand(reader, view, ids[i], &members[i]));
        RT_TRY(check_element(reader, view, members[i]));
    }
    /* The members' offsets follow C's rules, or have no padding if the struct is packed. */
    for (uint32_t i = 0; i < count; i++) {
        const sim_type *member = members[i];
        uint32_t alignment = type->is_packed ? 1 : member->alignment_bytes;
        if (alignment > type->alignment_bytes) type->alignment_bytes = alignment;
        if (member->depth >= type->depth) type->depth = (uint16_t)(member->depth + 1);
        offsets[i] = rounded_up(size, alignment);
        size = offsets[i] + member->size_bytes;
        RT_TRY(check_size(reader, view, size));
        type->part_count += member->part_count;
        if (type->part_count < member->part_count) type->part_count = UINT64_MAX;
    }
    CHECK(type->depth <= SIM_TYPE_DEPTH_MAX);
    type->size_bytes = rounded_up(size, type->alignment_bytes);
    return check_size(reader, view, type->size_bytes);
}

static rt_status set_pointer(sim_reader *reader, const sim_view *view, sim_type *type,
                             uint32_t storage_class)
{
    switch (storage_class) {
    case SIM_StorageClassUniformConstant:
    case SIM_StorageClassInput:
    case SIM_StorageClassWorkgroup:
    case SIM_StorageClassCrossWorkgroup:
    case SIM_StorageClassFunction:
    case SIM_StorageClassGeneric:
    case SIM_StorageClassCodeSectionINTEL: break;
    default:
        return sim_reader_fail(reader, RT_UNSUPPORTED, view->offset,
                               "storage class %s does not occur in kernels",
                               sim_enumerant_name(SIM_KIND_StorageClass, storage_class));
    }
    set_scalar(type, SIM_TYPE_POINTER, 64);
    type->storage_class = storage_class;
    return RT_STATUS_OK;
}

static rt_status read_pointer(sim_reader *reader, const sim_view *view, sim_type *type)
{
    if (type->kind == SIM_TYPE_POINTER && type->storage_class != view->words[2]) {
        return sim_reader_fail(reader, RT_MALFORMED, view->offset,
                               "the pointer's forward declaration has a different storage class");
    }
    RT_TRY(set_pointer(reader, view, type, view->words[2]));
    return sim_read_type_operand(reader, view, view->words[3], &type->element);
}

static rt_status read_function(sim_reader *reader, const sim_view *view, sim_type *type)
{
    uint32_t count = view->count - 3;
    RT_TRY(sim_read_type_operand(reader, view, view->words[2], &type->element));
    const sim_type **members =
        rt_arena_alloc_array(&reader->module->arena, count, sizeof(sim_type *));
    for (uint32_t i = 0; i <= count; i++) {
        const sim_type *part = type->element;
        if (i < count) {
            RT_TRY(sim_read_type_operand(reader, view, view->words[3 + i], &members[i]));
            part = members[i];
        }
        CHECK(part);
        if (part->alignment_bytes == 0 && (i < count || part->kind != SIM_TYPE_VOID)) {
            return sim_reader_fail(reader, RT_MALFORMED, view->offset,
                                   "type %u can be neither passed nor returned", part->id);
        }
        if (part->part_count > SIM_VALUE_PARTS_MAX) {
            return sim_reader_fail(reader, RT_LIMIT, view->offset,
                                   "type %u has more than %u parts and cannot be passed", part->id,
                                   SIM_VALUE_PARTS_MAX);
        }
    }
    type->kind = SIM_TYPE_FUNCTION;
    type->count = count;
    type->members = members;
    return RT_STATUS_OK;
}

/* OpTypeForwardPointer declares a pointer before its pointee. */
static rt_status read_forward(sim_reader *reader, const sim_view *view)
{
    const sim_id_entry *entry = sim_module_id(reader->module, view->words[1]);
    if (entry->kind != SIM_ID_TYPE || entry->word <= view->offset ||
        (reader->words[entry->word] & 0xffff) != SIM_OpTypePointer) {
        return sim_reader_fail(reader, RT_MALFORMED, view->offset,
                               "id %u is not a pointer type that is defined later", view->words[1]);
    }
    sim_type *type = &reader->module->types[entry->index];
    RT_TRY(set_pointer(reader, view, type, view->words[2]));
    type->id = view->words[1];
    type->index = entry->index;
    type->structure = structure_of(type);
    return RT_STATUS_OK;
}

/* Types are distinguished by their ids, so a repeated declaration would make a second, different
 * type; only aggregates, which may have different decorations, pointers and opaque types may be
 * declared again (section 2.8 "Types"). */
static rt_status check_unique(sim_reader *reader, const sim_view *view)
{
    uint16_t number = view->opcode->number;
    if (number == SIM_OpTypeArray || number == SIM_OpTypeStruct || number == SIM_OpTypePointer ||
        number == SIM_OpTypeOpaque) {
        return RT_STATUS_OK;
    }
    uint64_t key = mixed(view->words[0], rt_hash64(view->words + 2, 4 * (view->count - 2)));
    uint32_t known = rt_map_find_number(&reader->type_words, key);
    rt_map_set_number(&reader->type_words, key, view->offset);
    if (known == RT_MAP_NONE || reader->words[known] != view->words[0] ||
        memcmp(reader->words + known + 2, view->words + 2, 4 * (view->count - 2)) != 0) {
        return RT_STATUS_OK;
    }
    return sim_reader_fail(reader, RT_MALFORMED, view->offset,
                           "type %u is already declared as type %u", view->words[1],
                           reader->words[known + 1]);
}

rt_status sim_read_type(sim_reader *reader, const sim_view *view)
{
    if (view->opcode->number == SIM_OpTypeForwardPointer) return read_forward(reader, view);
    const sim_id_entry *entry = sim_module_id(reader->module, view->words[1]);
    CHECK(entry->kind == SIM_ID_TYPE && entry->word == view->offset);
    CHECK(entry->index < reader->module->type_count);
    sim_type *type = &reader->module->types[entry->index];
    type->index = entry->index;
    RT_TRY(check_unique(reader, view));
    switch (view->opcode->number) {
    case SIM_OpTypeVoid: type->kind = SIM_TYPE_VOID; break;
    case SIM_OpTypeBool: set_scalar(type, SIM_TYPE_BOOL, 1); break;
    case SIM_OpTypeInt: RT_TRY(read_int(reader, view, type)); break;
    case SIM_OpTypeFloat: RT_TRY(read_float(reader, view, type)); break;
    case SIM_OpTypeVector: RT_TRY(read_vector(reader, view, type)); break;
    case SIM_OpTypeArray: RT_TRY(read_array(reader, view, type)); break;
    case SIM_OpTypeStruct: RT_TRY(read_struct(reader, view, type)); break;
    case SIM_OpTypePointer: RT_TRY(read_pointer(reader, view, type)); break;
    case SIM_OpTypeFunction: RT_TRY(read_function(reader, view, type)); break;
    case SIM_OpTypeOpaque: type->kind = SIM_TYPE_OPAQUE; break;
    case SIM_OpTypeEvent: set_scalar(type, SIM_TYPE_EVENT, 64); break;
    default: UNREACHABLE();
    }
    type->id = view->words[1];
    type->structure = structure_of(type);
    return RT_STATUS_OK;
}
