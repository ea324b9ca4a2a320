/* Replaces the calls that read specialisation constants with the constants. */
#include "conformance/build/sycl_constants.h"

#include "reference/base/spirv.h"
#include "reference/base/stream.h"
#include "reference/base/vector.h"
#include "reference/image/spec_constants.h"

#include <string.h>

/* ---- SPIR-V -------------------------------------------------------------------------------- */

/* Source: SPIR-V specification, 3.42 "Instructions", 3.20 "Decoration". */
enum {
    OP_UNDEF = 1,
    OP_NAME = 5,
    OP_MEMBER_NAME = 6,
    OP_EXT_INST = 12,
    OP_ENTRY_POINT = 15,
    OP_CAPABILITY = 17,
    OP_TYPE_VOID = 19,
    OP_TYPE_BOOL = 20,
    OP_TYPE_INT = 21,
    OP_TYPE_FLOAT = 22,
    OP_TYPE_VECTOR = 23,
    OP_TYPE_ARRAY = 28,
    OP_TYPE_STRUCT = 30,
    OP_TYPE_POINTER = 32,
    OP_TYPE_FORWARD_POINTER = 39,
    OP_CONSTANT_TRUE = 41,
    OP_CONSTANT_FALSE = 42,
    OP_CONSTANT = 43,
    OP_CONSTANT_COMPOSITE = 44,
    OP_CONSTANT_NULL = 46,
    OP_SPEC_CONSTANT_TRUE = 48,
    OP_SPEC_CONSTANT_FALSE = 49,
    OP_SPEC_CONSTANT = 50,
    OP_SPEC_CONSTANT_COMPOSITE = 51,
    OP_SPEC_CONSTANT_OP = 52,
    OP_FUNCTION = 54,
    OP_FUNCTION_PARAMETER = 55,
    OP_FUNCTION_END = 56,
    OP_FUNCTION_CALL = 57,
    OP_VARIABLE = 59,
    OP_LOAD = 61,
    OP_STORE = 62,
    OP_ACCESS_CHAIN = 65,
    OP_IN_BOUNDS_ACCESS_CHAIN = 66,
    OP_PTR_ACCESS_CHAIN = 67,
    OP_IN_BOUNDS_PTR_ACCESS_CHAIN = 70,
    OP_DECORATE = 71,
    OP_MEMBER_DECORATE = 72,
    OP_COMPOSITE_EXTRACT = 81,
    OP_COPY_OBJECT = 83,
    OP_PTR_CAST_TO_GENERIC = 121,
    OP_GENERIC_CAST_TO_PTR = 122,
    OP_BITCAST = 124,
    DECORATION_SPEC_ID = 1,
    DECORATION_CPACKED = 10,
    DECORATION_LINKAGE = 41,
    STORAGE_GENERIC = 8,
};

enum { HEADER_WORDS = 5, BOUND_WORD = 3, BOUND_MAX = 0x3fffff };

/* An instruction of the module that is read; also the definition of an id. */
typedef struct instruction {
    const uint32_t *words; /* NULL: there is none */
    uint32_t opcode, count;
} instruction;

typedef RT_VECTOR(uint32_t) word_list;

/* A scalar's place in a constant. */
typedef struct scalar_row {
    uint32_t number, offset, size;
} scalar_row;

typedef struct constant {
    rt_text name;     /* the symbolic id */
    uint32_t id;      /* in the new module */
    uint32_t type;    /* an id */
    uint32_t size;    /* of a value, in bytes */
    rt_property rows; /* its property */
} constant;

typedef struct rewriter {
    rt_arena *arena;
    const uint32_t *words; /* the module */
    uint32_t word_count;
    uint32_t bound;                 /* the next new id */
    uint32_t known;                 /* ids below it are of the module that is read */
    instruction *definitions;       /* by id */
    uint32_t *uses;                 /* by id: a bound on the number of uses that remain */
    bool *is_import, *is_gone;      /* by id: a function that reads constants; no longer defined */
    bool *is_packed;                /* by id: a struct without padding */
    word_list decorations, globals; /* new instructions */
    RT_VECTOR(constant) constants;
    RT_VECTOR(scalar_row) rows; /* of the constant that is made */
    uint32_t number;            /* of the next scalar */
    rt_buffer defaults;
    const char *problem;
} rewriter;

static bool fail(rewriter *r, const char *problem)
{
    if (!r->problem) r->problem = problem;
    return false;
}

static instruction at(const rewriter *r, uint32_t position)
{
    const uint32_t *words = r->words + position;
    return (instruction){words, words[0] & 0xffff, words[0] >> 16};
}

static instruction definition(const rewriter *r, uint32_t id)
{
    return id < r->known ? r->definitions[id] : (instruction){0};
}

/* Operand `index` of an instruction, counted in words from the first; 0 past its end. */
static uint32_t word(instruction it, uint32_t index)
{
    return it.words && index < it.count ? it.words[index] : 0;
}

/* Appends an instruction. */
static void append(word_list *list, uint32_t opcode, const uint32_t *operands, uint32_t count)
{
    *rt_vector_push(list) = (count + 1) << 16 | opcode;
    for (uint32_t i = 0; i < count; i++)
        *rt_vector_push(list) = operands[i];
}
#define APPEND(list, opcode, ...)                                                                  \
    append(list, opcode, (const uint32_t[]){__VA_ARGS__},                                          \
           sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))

/* The word that holds the result's id: 1 for types, 2 for what has a result type, 0 for anything
 * that is not needed here. */
static uint32_t result_word(uint32_t opcode)
{
    if (opcode >= OP_TYPE_VOID && opcode < OP_TYPE_FORWARD_POINTER) return 1;
    if (opcode >= OP_CONSTANT_TRUE && opcode <= OP_SPEC_CONSTANT_OP) return 2;
    switch (opcode) {
    case OP_UNDEF:
    case OP_FUNCTION:
    case OP_FUNCTION_PARAMETER:
    case OP_FUNCTION_CALL:
    case OP_VARIABLE:
    case OP_ACCESS_CHAIN:
    case OP_IN_BOUNDS_ACCESS_CHAIN:
    case OP_PTR_ACCESS_CHAIN:
    case OP_IN_BOUNDS_PTR_ACCESS_CHAIN:
    case OP_COPY_OBJECT:
    case OP_PTR_CAST_TO_GENERIC:
    case OP_GENERIC_CAST_TO_PTR:
    case OP_BITCAST: return 2;
    default: return 0;
    }
}

/* Instructions that name ids without using them. */
static bool is_note(uint32_t opcode)
{
    return opcode == OP_NAME || opcode == OP_MEMBER_NAME || opcode == OP_DECORATE ||
           opcode == OP_MEMBER_DECORATE || opcode == OP_ENTRY_POINT;
}

/* The words of an instruction that may be ids of addresses: not those that are known to be literals
 * or ids of types. */
static void operands_find(instruction it, uint32_t *out_first, uint32_t *out_end)
{
    bool is_declaration = it.opcode <= OP_CAPABILITY ||
                          (it.opcode >= OP_TYPE_VOID && it.opcode <= OP_TYPE_FORWARD_POINTER);
    *out_first = 1, *out_end = it.count;
    switch (it.opcode) {
    case OP_CONSTANT:
    case OP_SPEC_CONSTANT:
    case OP_FUNCTION: *out_end = 0; return;
    case OP_EXT_INST: *out_first = 5; return;
    case OP_VARIABLE: *out_first = 4; return;
    case OP_LOAD:
    case OP_COMPOSITE_EXTRACT: *out_first = 3, *out_end = 4; return;
    case OP_STORE: *out_end = 3; return;
    default:
        if (is_declaration || is_note(it.opcode)) *out_end = 0;
    }
}

/* Adds `change` to the uses of every id that an instruction may mention. A literal may count as
 * one, so there are never too few. */
static void uses_count(rewriter *r, instruction it, uint32_t change)
{
    uint32_t result = result_word(it.opcode), first, end;
    operands_find(it, &first, &end);
    for (uint32_t i = first; i < end && i < it.count; i++)
        if (i != result && it.words[i] < r->known) r->uses[it.words[i]] += change;
}

/* ---- Types and values ---------------------------------------------------------------------- */

static uint32_t rounded(uint32_t size, uint32_t alignment)
{
    return (size + alignment - 1) / alignment * alignment;
}

static uint32_t array_length(const rewriter *r, instruction type)
{
    return type.opcode == OP_TYPE_VECTOR ? word(type, 3) : word(definition(r, word(type, 3)), 3);
}

enum { VALUE_SIZE_MAX = 1 << 16, DEPTH_MAX = 32 };

/* The size and alignment of a type as clang lays it out; false: no constant can have the type. */
static bool layout_of(rewriter *r, uint32_t type_id, uint32_t depth, uint32_t *out_size,
                      uint32_t *out_alignment)
{
    instruction type = definition(r, type_id);
    uint32_t size = 0, alignment = 1, part = 0, part_alignment = 1;
    if (depth == DEPTH_MAX) return fail(r, "a type is nested too deeply");
    switch (type.opcode) {
    case OP_TYPE_BOOL: size = alignment = 1; break;
    case OP_TYPE_INT:
    case OP_TYPE_FLOAT:
        size = alignment = word(type, 2) / 8;
        if (size != 1 && size != 2 && size != 4 && size != 8)
            return fail(r, "a scalar is not of 8 to 64 bits");
        break;
    case OP_TYPE_VECTOR:
    case OP_TYPE_ARRAY: {
        uint32_t length = array_length(r, type);
        if (!layout_of(r, word(type, 2), depth + 1, &part, &alignment)) return false;
        if (part == 0 || length == 0 || length > VALUE_SIZE_MAX / part)
            return fail(r, "an array has no elements, or too many");
        size = length * part;
        if (type.opcode == OP_TYPE_VECTOR) {
            for (alignment = part; alignment < size;)
                alignment *= 2;
            size = alignment;
        }
        break;
    }
    case OP_TYPE_STRUCT:
        for (uint32_t i = 2; i < type.count; i++) {
            if (!layout_of(r, word(type, i), depth + 1, &part, &part_alignment)) return false;
            if (r->is_packed[type_id]) part_alignment = 1;
            size = rounded(size, part_alignment) + part;
            alignment = part_alignment > alignment ? part_alignment : alignment;
            if (size > VALUE_SIZE_MAX) return fail(r, "a type is too large");
        }
        size = rounded(size, alignment);
        break;
    default: return fail(r, "a type contains something other than scalars");
    }
    *out_size = size, *out_alignment = alignment;
    return size > 0 || fail(r, "a type is empty");
}

/* Element `index` of a constant; no definition stands for zeros. */
static instruction element_of(const rewriter *r, instruction value, uint32_t index)
{
    bool is_composite =
        value.opcode == OP_CONSTANT_COMPOSITE || value.opcode == OP_SPEC_CONSTANT_COMPOSITE;
    if (!is_composite) return (instruction){0};
    return definition(r, word(value, 3 + index));
}

/* Makes a scalar constant with the value as its default; adds its row and its default's bytes. */
static uint32_t scalar_make(rewriter *r, uint32_t type_id, instruction value, uint32_t offset,
                            uint8_t *bytes)
{
    instruction type = definition(r, type_id);
    uint32_t id = r->bound++, size = type.opcode == OP_TYPE_BOOL ? 1 : word(type, 2) / 8;
    bool is_number = value.opcode == OP_CONSTANT;
    uint64_t bits = value.opcode == OP_CONSTANT_TRUE;
    if (is_number) bits = word(value, 3) | (uint64_t)word(value, 4) << 32;
    if (type.opcode == OP_TYPE_BOOL)
        APPEND(&r->globals, bits != 0 ? OP_SPEC_CONSTANT_TRUE : OP_SPEC_CONSTANT_FALSE, type_id,
               id);
    else if (size == 8)
        APPEND(&r->globals, OP_SPEC_CONSTANT, type_id, id, (uint32_t)bits, (uint32_t)(bits >> 32));
    else
        APPEND(&r->globals, OP_SPEC_CONSTANT, type_id, id, (uint32_t)bits);
    APPEND(&r->decorations, OP_DECORATE, id, DECORATION_SPEC_ID, r->number);
    *rt_vector_push(&r->rows) = (scalar_row){r->number++, offset, size};
    if (type.opcode == OP_TYPE_BOOL) bits = bits != 0;
    for (uint32_t i = 0; i < size; i++)
        bytes[offset + i] = (uint8_t)(bits >> (8 * i));
    return id;
}

/* Makes a constant of a type that layout_of accepts, scalar by scalar; returns its id. */
static uint32_t value_make(rewriter *r, uint32_t type_id, instruction value, uint32_t offset,
                           uint8_t *bytes)
{
    instruction type = definition(r, type_id);
    uint32_t id = r->bound++, part = 0, alignment = 1, next = offset;
    bool is_struct = type.opcode == OP_TYPE_STRUCT;
    if (value.opcode == OP_UNDEF) { /* padding that the compiler made explicit */
        APPEND(&r->globals, OP_CONSTANT_NULL, type_id, id);
        return id;
    }
    if (!is_struct && type.opcode != OP_TYPE_VECTOR && type.opcode != OP_TYPE_ARRAY) {
        r->bound--;
        return scalar_make(r, type_id, value, offset, bytes);
    }
    uint32_t count = is_struct ? type.count - 2 : array_length(r, type);
    uint32_t *operands = rt_alloc_array((size_t)count + 2, sizeof *operands);
    operands[0] = type_id, operands[1] = id;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t element = word(type, is_struct ? 2 + i : 2);
        bool is_known = layout_of(r, element, 0, &part, &alignment);
        CHECK(is_known); /* as a part of the whole */
        if (is_struct && !r->is_packed[type_id]) next = offset + rounded(next - offset, alignment);
        operands[2 + i] = value_make(r, element, element_of(r, value, i), next, bytes);
        next += part;
    }
    append(&r->globals, OP_SPEC_CONSTANT_COMPOSITE, operands, count + 2);
    rt_free(operands);
    return id;
}

/* ---- Calls --------------------------------------------------------------------------------- */

static bool is_zero(instruction value)
{
    bool is_null = value.opcode == OP_CONSTANT_NULL || value.opcode == OP_CONSTANT;
    for (uint32_t i = 3; i < value.count; i++)
        is_null = is_null && value.words[i] == 0;
    return is_null;
}

/* The operand of an address computation that does not change the address; 0: it is something else.
 */
static uint32_t same_address(const rewriter *r, instruction it)
{
    uint32_t opcode = it.opcode, first = 3;
    if (opcode == OP_SPEC_CONSTANT_OP) {
        opcode = word(it, 3);
        first = 4;
    }
    switch (opcode) {
    case OP_COPY_OBJECT:
    case OP_PTR_CAST_TO_GENERIC:
    case OP_GENERIC_CAST_TO_PTR:
    case OP_BITCAST: return word(it, first);
    case OP_ACCESS_CHAIN:
    case OP_IN_BOUNDS_ACCESS_CHAIN:
    case OP_PTR_ACCESS_CHAIN:
    case OP_IN_BOUNDS_PTR_ACCESS_CHAIN:
        for (uint32_t i = first + 1; i < it.count; i++)
            if (!is_zero(definition(r, it.words[i]))) return 0;
        return word(it, first);
    default: return 0;
    }
}

/* The variable that an address is that of. */
static instruction variable_of(const rewriter *r, uint32_t address)
{
    for (uint32_t i = 0; i < DEPTH_MAX && address != 0; i++) {
        instruction it = definition(r, address);
        if (it.opcode == OP_VARIABLE) return it;
        address = same_address(r, it);
    }
    return (instruction){0};
}

/* The text that a variable holds, in the arena; empty: it holds none. */
static rt_text text_of(const rewriter *r, instruction variable)
{
    instruction value = definition(r, word(variable, 4));
    rt_buffer text = {0};
    for (uint32_t i = 3; value.opcode == OP_CONSTANT_COMPOSITE && i < value.count; i++) {
        uint32_t c = word(definition(r, value.words[i]), 3);
        if (c == 0) break;
        rt_buffer_append_byte(&text, (char)c);
    }
    rt_text result = rt_arena_text(r->arena, rt_buffer_text(&text));
    rt_buffer_free(&text);
    return result;
}

/* The type and the value of the default: the first member of the specialization_id. */
static instruction default_of(const rewriter *r, instruction variable, uint32_t *out_type)
{
    instruction pointer = definition(r, word(variable, 1));
    instruction object = definition(r, word(pointer, 3));
    *out_type = object.opcode == OP_TYPE_STRUCT ? word(object, 2) : 0;
    return element_of(r, definition(r, word(variable, 4)), 0);
}

/* The description of a constant: a row for each scalar, and one for padding after the last. */
static rt_property rows_keep(rewriter *r, rt_text name, uint32_t size)
{
    rt_buffer rows = {0};
    uint32_t end = 0;
    for (uint32_t i = 0; i < r->rows.count; i++) {
        const scalar_row *row = &r->rows.items[i];
        rt_write_u32(&rows, row->number);
        rt_write_u32(&rows, row->offset);
        rt_write_u32(&rows, row->size);
        end = row->offset + row->size;
    }
    if (end < size) {
        rt_write_u32(&rows, RT_SPEC_PADDING);
        rt_write_u32(&rows, end);
        rt_write_u32(&rows, size - end);
    }
    rt_property property = {.name = name, .type = RT_PROPERTY_BYTES};
    property.bytes = rt_arena_bytes(r->arena, rt_buffer_bytes(&rows));
    rt_buffer_free(&rows);
    r->rows.count = 0;
    return property;
}

/* The constant that a call reads, made when it is first read; its arguments are, without the place
 * for the result, the symbolic id, the specialization_id and a buffer for emulated constants. NULL
 * after a problem. `returned`: the type of the call's result; 0: it is the default's. */
static const constant *constant_of(rewriter *r, const uint32_t *arguments, uint32_t returned)
{
    uint32_t type, size = 0, alignment = 1;
    rt_text name = text_of(r, variable_of(r, arguments[0]));
    instruction initial = default_of(r, variable_of(r, arguments[1]), &type);
    if (name.length == 0 || type == 0) {
        (void)fail(r, "a constant's id or default value is not a constant");
        return NULL;
    }
    /* A bool is a byte in memory. */
    if (definition(r, returned).opcode == OP_TYPE_BOOL) type = returned;
    if (returned != 0 && returned != type) {
        (void)fail(r, "a constant's default value is not of its type");
        return NULL;
    }
    for (uint32_t i = 0; i < r->constants.count; i++) {
        const constant *other = &r->constants.items[i];
        if (rt_text_equal(other->name, name) && other->type == type) return other;
    }
    if (!layout_of(r, type, 0, &size, &alignment)) return NULL;
    uint8_t *bytes = rt_arena_alloc(r->arena, size);
    uint32_t id = value_make(r, type, initial, 0, bytes);
    rt_buffer_append(&r->defaults, bytes, size);
    constant *made = rt_vector_push(&r->constants);
    *made = (constant){name, id, type, size, rows_keep(r, name, size)};
    return made;
}

/* The pointer, with its type, through which a constant of that type can be stored; a pointer to
 * another type is cast first. */
static uint32_t pointer_to(rewriter *r, word_list *out, uint32_t pointer, uint32_t type)
{
    instruction known = definition(r, word(definition(r, pointer), 1));
    if (word(known, 3) == type) return pointer;
    uint32_t pointer_type = r->bound++, cast = r->bound++;
    uint32_t storage = known.opcode == OP_TYPE_POINTER ? word(known, 2) : STORAGE_GENERIC;
    APPEND(&r->globals, OP_TYPE_POINTER, pointer_type, storage, type);
    APPEND(out, OP_BITCAST, pointer_type, cast, pointer);
    return cast;
}

/* Writes what replaces a call: a copy of the constant, or its store to where the caller wants it.
 */
static bool call_replace(rewriter *r, word_list *out, instruction call)
{
    enum { FIRST_ARGUMENT = 4, ARGUMENTS = 3 };
    const uint32_t *arguments = call.words + FIRST_ARGUMENT;
    bool has_place = call.count == FIRST_ARGUMENT + ARGUMENTS + 1;
    if (!has_place && call.count != FIRST_ARGUMENT + ARGUMENTS)
        return fail(r, "a read of a constant has another number of arguments");
    const constant *read = constant_of(r, arguments + has_place, has_place ? 0 : call.words[1]);
    if (!read) return false;
    if (has_place) {
        uint32_t id = read->id, pointer = pointer_to(r, out, arguments[0], read->type);
        APPEND(out, OP_STORE, pointer, id);
    } else {
        APPEND(out, OP_COPY_OBJECT, call.words[1], call.words[2], read->id);
    }
    return true;
}

/* ---- The module ---------------------------------------------------------------------------- */

static bool reads_constants(instruction decoration)
{
    static const char *const prefixes[] = {"_Z37__sycl_getScalar2020SpecConstantValue",
                                           "_Z40__sycl_getComposite2020SpecConstantValue"};
    const char *name = (const char *)(decoration.words + 3);
    size_t room = (decoration.count - 3) * sizeof(uint32_t);
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
        size_t length = strlen(prefixes[i]);
        if (length <= room && memcmp(name, prefixes[i], length) == 0) return true;
    }
    return false;
}

/* Notes definitions, uses and decorations. */
static void module_scan(rewriter *r)
{
    for (uint32_t i = HEADER_WORDS; i < r->word_count; i += at(r, i).count) {
        instruction it = at(r, i);
        uint32_t id = word(it, result_word(it.opcode)), target = word(it, 1);
        if (result_word(it.opcode) > 0 && id < r->known) r->definitions[id] = it;
        uses_count(r, it, 1);
        if (it.opcode != OP_DECORATE || it.count < 3 || target >= r->known) continue;
        if (it.words[2] == DECORATION_CPACKED) r->is_packed[target] = true;
        if (it.words[2] == DECORATION_LINKAGE) r->is_import[target] = reads_constants(it);
    }
}

static bool is_read_of_constant(const rewriter *r, instruction it)
{
    return it.opcode == OP_FUNCTION_CALL && it.count > 3 && it.words[3] < r->known &&
           r->is_import[it.words[3]];
}

/* Drops what computes an address that is no longer used, down to its variable. */
static void address_drop(rewriter *r, uint32_t id)
{
    for (uint32_t i = 0; i < DEPTH_MAX && id != 0 && id < r->known; i++) {
        instruction it = definition(r, id);
        uint32_t next = same_address(r, it);
        if (r->uses[id] > 0 || r->is_gone[id] || (next == 0 && it.opcode != OP_VARIABLE)) return;
        r->is_gone[id] = true;
        uses_count(r, it, (uint32_t)-1);
        id = next;
    }
}

/* Writes an instruction without ids that are gone, unless it is about one of them. */
static void instruction_write(const rewriter *r, word_list *out, instruction it)
{
    uint32_t about = is_note(it.opcode) ? 1 : result_word(it.opcode);
    uint32_t id = word(it, about);
    bool is_about_gone =
        about > 0 && it.opcode != OP_ENTRY_POINT && id < r->known && r->is_gone[id];
    if (is_about_gone) return;
    uint32_t begin = out->count, name_end = it.count;
    for (uint32_t i = 3; it.opcode == OP_ENTRY_POINT && i < name_end; i++)
        if (it.words[i] >> 24 == 0) name_end = i + 1; /* the NUL after the name */
    for (uint32_t i = 0; i < it.count; i++) {
        bool is_gone = it.opcode == OP_ENTRY_POINT && i >= name_end && it.words[i] < r->known &&
                       r->is_gone[it.words[i]];
        if (!is_gone) *rt_vector_push(out) = it.words[i];
    }
    out->items[begin] = (out->count - begin) << 16 | it.opcode;
}

static void list_append(word_list *out, const word_list *list)
{
    for (uint32_t i = 0; i < list->count; i++)
        *rt_vector_push(out) = list->items[i];
}

/* Makes the constants and the instructions that use them, in the order of the calls. */
static bool calls_replace(rewriter *r, word_list *replacements)
{
    for (uint32_t i = HEADER_WORDS; i < r->word_count; i += at(r, i).count) {
        instruction it = at(r, i);
        if (!is_read_of_constant(r, it)) continue;
        if (!call_replace(r, replacements, it)) return false;
        *rt_vector_push(replacements) = 0; /* the end of this call's instructions */
        uses_count(r, it, (uint32_t)-1);
        if (it.count == 8) r->uses[it.words[4]]++; /* the place for the result is still used */
    }
    for (uint32_t i = HEADER_WORDS; i < r->word_count; i += at(r, i).count) {
        instruction it = at(r, i);
        for (uint32_t k = 4; is_read_of_constant(r, it) && k < it.count; k++)
            address_drop(r, it.words[k]);
    }
    return true;
}

/* Writes the module with the replacements. */
static rt_bytes module_write(rewriter *r, const word_list *replacements)
{
    word_list out = {0};
    uint32_t next = 0;
    bool is_decorated = false, is_complete = false, is_dropping = false;
    for (uint32_t i = 0; i < HEADER_WORDS; i++)
        *rt_vector_push(&out) = i == BOUND_WORD ? r->bound : r->words[i];
    for (uint32_t i = HEADER_WORDS; i < r->word_count; i += at(r, i).count) {
        instruction it = at(r, i);
        if (!is_decorated && it.opcode >= OP_TYPE_VOID && it.opcode <= OP_TYPE_FORWARD_POINTER) {
            list_append(&out, &r->decorations);
            is_decorated = true;
        }
        if (it.opcode == OP_FUNCTION) {
            if (!is_complete) list_append(&out, &r->globals);
            is_complete = true;
            is_dropping = word(it, 2) < r->known && r->is_import[word(it, 2)];
        }
        if (is_read_of_constant(r, it)) {
            for (; replacements->items[next] != 0; next++)
                *rt_vector_push(&out) = replacements->items[next];
            next++;
        } else if (!is_dropping) {
            instruction_write(r, &out, it);
        }
        if (it.opcode == OP_FUNCTION_END) is_dropping = false;
    }
    rt_bytes code = {(const uint8_t *)out.items, out.count * sizeof *out.items};
    code = rt_arena_bytes(r->arena, code);
    rt_vector_free(&out);
    return code;
}

/* Marks the functions that are replaced, and their parameters. */
static void imports_drop(rewriter *r)
{
    bool is_dropping = false;
    for (uint32_t i = HEADER_WORDS; i < r->word_count; i += at(r, i).count) {
        instruction it = at(r, i);
        uint32_t id = word(it, 2);
        if (it.opcode == OP_FUNCTION) is_dropping = id < r->known && r->is_import[id];
        bool defines = it.opcode == OP_FUNCTION || it.opcode == OP_FUNCTION_PARAMETER;
        if (is_dropping && defines && id < r->known) r->is_gone[id] = true;
    }
}

static void sets_add(rewriter *r, rt_image *image)
{
    uint32_t count = r->constants.count;
    rt_property_set *sets = rt_arena_alloc_array(r->arena, image->set_count + 2u, sizeof *sets);
    rt_property *tables = rt_arena_alloc_array(r->arena, count, sizeof *tables);
    rt_property *block = rt_arena_alloc(r->arena, sizeof *block);
    for (uint32_t i = 0; i < image->set_count; i++)
        sets[i] = image->sets[i];
    for (uint32_t i = 0; i < count; i++)
        tables[i] = r->constants.items[i].rows;
    *block = (rt_property){.name = RT_TEXT("all"), .type = RT_PROPERTY_BYTES};
    block->bytes = rt_arena_bytes(r->arena, rt_buffer_bytes(&r->defaults));
    sets[image->set_count] = (rt_property_set){RT_TEXT(RT_SET_SPEC_CONSTANTS), tables, count};
    sets[image->set_count + 1] =
        (rt_property_set){RT_TEXT(RT_SET_SPEC_CONSTANT_DEFAULTS), block, 1};
    image->sets = sets;
    image->set_count += 2;
}

static bool image_rewrite(rewriter *r, rt_image *image)
{
    word_list replacements = {0};
    imports_drop(r);
    bool is_done = calls_replace(r, &replacements);
    if (is_done && r->constants.count > 0) {
        image->code = module_write(r, &replacements);
        sets_add(r, image);
    }
    rt_vector_free(&replacements);
    return is_done;
}

/* Copies the code, which may be anywhere in the compiler's output, and makes the tables. False: it
 * is not such code, and *out_problem (static) says why. */
static bool rewriter_open(rewriter *r, rt_arena *arena, rt_bytes code, const char **out_problem)
{
    rt_spirv_walk walk = rt_spirv_walk_start(code);
    rt_buffer reason = {0};
    bool is_sound = rt_spirv_check(code, &reason) && !walk.is_swapped;
    rt_buffer_free(&reason);
    *r = (rewriter){.arena = arena};
    *out_problem = "the code is not SPIR-V in this machine's byte order";
    if (!is_sound || code.size / 4 > UINT32_MAX) return false;
    uint32_t *words = rt_alloc(code.size);
    memcpy(words, code.data, code.size);
    r->words = words;
    r->word_count = (uint32_t)(code.size / 4);
    r->known = r->bound = words[BOUND_WORD];
    *out_problem = "the code has too many ids";
    if (r->known == 0 || r->known > BOUND_MAX) return false;
    r->definitions = rt_alloc_array(r->known, sizeof *r->definitions);
    r->uses = rt_alloc_array(r->known, sizeof *r->uses);
    r->is_import = rt_alloc_array(r->known, sizeof *r->is_import);
    r->is_gone = rt_alloc_array(r->known, sizeof *r->is_gone);
    r->is_packed = rt_alloc_array(r->known, sizeof *r->is_packed);
    module_scan(r);
    return true;
}

static void rewriter_close(rewriter *r)
{
    rt_free(r->definitions), rt_free(r->uses), rt_free(r->is_import);
    rt_free(r->is_gone), rt_free(r->is_packed);
    rt_vector_free(&r->decorations), rt_vector_free(&r->globals);
    rt_vector_free(&r->constants), rt_vector_free(&r->rows);
    rt_buffer_free(&r->defaults);
    rt_free((void *)(uintptr_t)r->words);
}

bool cnf_sycl_constants_place(rt_arena *arena, rt_image *image, const char **out_problem)
{
    rewriter r;
    bool is_done = rewriter_open(&r, arena, image->code, out_problem);
    if (is_done) {
        is_done = image_rewrite(&r, image);
        *out_problem = r.problem;
    }
    rewriter_close(&r);
    return is_done;
}

/* ---- Initial values of variables ------------------------------------------------------------ */

/* The variable that a decoration HostAccessINTEL names. */
static instruction variable_named(const rewriter *r, rt_text id)
{
    enum { ACCESS_PREVIEW = 6147, ACCESS = 6188, NAME_WORD = 4 };
    for (uint32_t i = HEADER_WORDS; i < r->word_count; i += at(r, i).count) {
        instruction it = at(r, i);
        uint32_t decoration = word(it, 2);
        if (it.opcode != OP_DECORATE || it.count <= NAME_WORD) continue;
        if (decoration != ACCESS_PREVIEW && decoration != ACCESS) continue;
        const char *name = (const char *)(it.words + NAME_WORD);
        size_t room = (it.count - NAME_WORD) * sizeof(uint32_t);
        if (strnlen(name, room) == id.length && memcmp(name, id.data, id.length) == 0)
            return definition(r, it.words[1]);
    }
    return (instruction){0};
}

/* The type of a device_global's object: a pointer, then the value, or in image scope the value
 * alone.
 */
static instruction object_of(const rewriter *r, instruction variable)
{
    instruction none = {0};
    if (variable.opcode != OP_VARIABLE) return none;
    instruction object = definition(r, word(definition(r, word(variable, 1)), 3));
    bool is_known = object.opcode == OP_TYPE_STRUCT && (object.count == 3 || object.count == 4);
    return is_known ? object : none;
}

/* The type of the value, which is the object's last member. */
static uint32_t value_type_of(instruction object)
{
    return word(object, object.count - 1);
}

/* The bytes with which the variable's value begins; empty: zeros, or it is not a device_global of
 * this size. */
static rt_bytes variable_value(rewriter *r, instruction variable, uint64_t size)
{
    uint32_t value_size = 0, alignment = 1;
    instruction object = object_of(r, variable);
    if (!object.words || !layout_of(r, value_type_of(object), 0, &value_size, &alignment) ||
        value_size != size)
        return (rt_bytes){0};
    instruction members = definition(r, word(variable, 4));
    uint8_t *bytes = rt_arena_alloc(r->arena, value_size);
    (void)value_make(r, value_type_of(object), element_of(r, members, object.count - 3), 0, bytes);
    bool is_zero_value = true;
    for (uint32_t i = 0; i < value_size; i++)
        is_zero_value = is_zero_value && bytes[i] == 0;
    return is_zero_value ? (rt_bytes){0} : (rt_bytes){bytes, value_size};
}

/* The variable at which the object's pointer points. */
static instruction original_of(const rewriter *r, instruction variable)
{
    instruction object = object_of(r, variable);
    if (object.count != 4) return (instruction){0};
    instruction pointer = element_of(r, definition(r, word(variable, 4)), 0);
    for (uint32_t depth = 0; depth < DEPTH_MAX && pointer.opcode == OP_SPEC_CONSTANT_OP; depth++)
        pointer = definition(r, word(pointer, 4)); /* casts, and the address of a first member */
    return pointer.opcode == OP_VARIABLE ? pointer : (instruction){0};
}

rt_bytes cnf_sycl_initial_value(rt_arena *arena, rt_bytes code, rt_text id, uint64_t size)
{
    rewriter r;
    const char *problem;
    rt_bytes result = {0};
    if (rewriter_open(&r, arena, code, &problem))
        result = variable_value(&r, variable_named(&r, id), size);
    rewriter_close(&r);
    return result;
}

bool cnf_sycl_copied_value(rt_arena *arena, rt_bytes code, rt_text id, uint64_t size,
                           rt_bytes *out_value)
{
    rewriter r;
    const char *problem;
    bool is_of_one_type = true;
    *out_value = (rt_bytes){0};
    if (rewriter_open(&r, arena, code, &problem)) {
        instruction original = variable_named(&r, id), next = original_of(&r, original);
        uint32_t type = value_type_of(object_of(&r, original));
        for (uint32_t depth = 0; depth < DEPTH_MAX && next.words && is_of_one_type; depth++) {
            original = next;
            is_of_one_type = value_type_of(object_of(&r, original)) == type;
            next = original_of(&r, original);
        }
        if (is_of_one_type) *out_value = variable_value(&r, original, size);
    }
    rewriter_close(&r);
    return is_of_one_type;
}
