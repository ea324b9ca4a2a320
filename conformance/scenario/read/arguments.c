/* Arguments of kernels: memories, pointers, values.  What a kernel takes is found when it runs. */
#include "conformance/scenario/model/type.h"
#include "conformance/scenario/schema/schema.h"
#include "conformance/scenario/yaml/number.h"

#include <string.h>

/* ---- Memories and pointers ---------------------------------------------------------------- */

/* A memory by its name alone: a buffer that is read and written, or a pointer to the beginning. */
static bool plain_memory_read(scn_reader *reader, const scn_node *node, scn_argument *argument)
{
    if (!scn_memory_reference_read(reader, node, &argument->memory)) return false;
    const scn_memory *memory = scn_memory_of(reader, argument->memory);
    if (!memory) return false;
    bool buffer = memory->kind == SCN_MEMORY_BUFFER;
    argument->kind = buffer ? SCN_ARGUMENT_MEMORY : SCN_ARGUMENT_POINTER;
    return true;
}

/* {read: MEMORY} and {write: MEMORY}. */
static bool accessed_memory_make(scn_reader *reader, const scn_entry *entry, scn_access access,
                                 scn_argument *argument)
{
    const scn_memory *memory = scn_memory_of(reader, argument->memory);
    if (!memory) return false;
    argument->kind = SCN_ARGUMENT_MEMORY;
    argument->access = access;
    if (memory->kind == SCN_MEMORY_BUFFER) return true;
    const char *name = scn_shown(reader->arena, memory->name);
    return scn_report(reader->reporter, entry->value.at,
                      "memory '%s' is USM, accesses to which are not declared; write its name "
                      "alone, or {usm: %s, offset: BYTES}, and order steps with 'after'",
                      name, name);
}

typedef struct pointer_draft {
    uint32_t memory;
    uint64_t offset;
} pointer_draft;

static const scn_shape shape_offset = {
    .kind = SCN_SHAPE_INTEGER,
    .noun = "an offset in bytes",
    .most = RT_MEMORY_SIZE_MAX,
};

/* {usm: MEMORY, offset: BYTES}, of which the node is the mapping. */
static bool pointer_check(scn_reader *reader, const scn_node *node, const pointer_draft *pointer)
{
    const scn_memory *memory = scn_memory_of(reader, pointer->memory);
    if (!memory) return false;
    const char *name = scn_shown(reader->arena, memory->name);
    if (memory->kind == SCN_MEMORY_BUFFER) {
        return scn_report(reader->reporter, scn_node_entry(node, "usm")->value.at,
                          "memory '%s' is a buffer, and pointers are into USM; give it 'usm:', or "
                          "write its name alone",
                          name);
    }
    uint64_t size = memory->count * memory->layout.size;
    if (pointer->offset <= size) return true;
    return scn_report(reader->reporter, scn_node_entry(node, "offset")->value.at,
                      "offset %" PRIu64 " is past the end of memory '%s', which has %" PRIu64
                      " bytes",
                      pointer->offset, name, size);
}

/* ---- Structs ------------------------------------------------------------------------------ */

static const scn_row pointer_rows[] = {
    {"usm", &scn_shape_memory_reference, SCN_REQUIRED, SCN_FIELD(pointer_draft, memory),
     "The USM memory that the pointer points into."},
    {"offset", &shape_offset, 0, SCN_FIELD(pointer_draft, offset),
     "Where it points, in bytes from the memory's beginning."},
};
static const scn_shape shape_pointer = {
    .kind = SCN_SHAPE_OBJECT,
    .noun = "a pointer",
    SCN_ROWS(pointer_rows),
};
static const scn_shape shape_struct_field = {
    .kind = SCN_SHAPE_OTHER,
    .noun = "a field",
    .read = scn_node_keep,
    .alternatives = {&scn_shape_typed_value, &shape_pointer, &scn_shape_memory_reference,
                     &scn_shape_null},
};
static const scn_shape shape_struct_fields = {
    .kind = SCN_SHAPE_LIST,
    .noun = "the list of a struct's fields",
    .element = &shape_struct_field,
    .element_size = sizeof(const scn_node *),
    .least = 1,
    .most = SCN_FIELD_COUNT_MAX,
};

/* A field of a struct before it is placed: its value, or the memory that it points into. */
typedef struct field_draft {
    rt_bytes value; /* data NULL: a pointer, which is placed like a ulong */
    pointer_draft pointer;
    bool is_null;
} field_draft;

static bool pointer_field_read(scn_reader *reader, const scn_node *node, field_draft *draft)
{
    uint64_t given;
    if (scn_node_is_word(node, "null")) {
        draft->is_null = true;
        return true;
    }
    if (node->kind == SCN_NODE_MAPPING) {
        return scn_object_read(reader, &shape_pointer, node, &draft->pointer, &given) &&
               pointer_check(reader, node, &draft->pointer);
    }
    scn_argument plain = {0};
    if (!plain_memory_read(reader, node, &plain)) return false;
    draft->pointer.memory = plain.memory;
    if (plain.kind == SCN_ARGUMENT_POINTER) return true;
    return scn_report(reader->reporter, node->at,
                      "memory '%s' is a buffer, which cannot stand in a struct; give it 'usm:'",
                      scn_shown(reader->arena, node->text));
}

static bool struct_field_read(scn_reader *reader, const scn_node *node, scn_field *field,
                              field_draft *draft)
{
    *field = (scn_field){.type = SCN_TYPE_ULONG, .lanes = 1};
    bool mapping = node->kind == SCN_NODE_MAPPING;
    bool pointer = node->kind == SCN_NODE_SCALAR || (mapping && scn_node_entry(node, "usm"));
    if (pointer) return pointer_field_read(reader, node, draft);
    if (!mapping || node->count != 1) {
        return scn_report(reader->reporter, node->at,
                          "expected a field: {TYPE: VALUE}, or for a pointer a USM memory's name, "
                          "{usm: MEMORY, offset: BYTES} or null; found %s",
                          scn_node_describe(reader->arena, node));
    }
    scn_layout layout;
    if (!scn_typed_value_read(reader, &node->entries[0], &layout, &draft->value)) return false;
    *field = layout.fields[0];
    return true;
}

static bool size_check(scn_reader *reader, scn_position at, uint64_t size)
{
    if (size <= SCN_VALUE_SIZE_MAX) return true;
    return scn_report(reader->reporter, at, "a value of %" PRIu64 " bytes; kernels take at most %d",
                      size, SCN_VALUE_SIZE_MAX);
}

/* Copies the fields' values to where they were placed, and says where pointers go. */
static void struct_fill(scn_reader *reader, const field_draft *drafts, scn_argument *argument)
{
    const scn_layout *layout = &argument->layout;
    uint8_t *bytes = rt_arena_alloc(reader->arena, layout->size);
    scn_inner_pointer *pointers =
        rt_arena_alloc_array(reader->arena, layout->field_count, sizeof *pointers);
    for (uint32_t i = 0; i < layout->field_count; i++) {
        uint32_t offset = layout->fields[i].offset;
        const field_draft *draft = &drafts[i];
        if (draft->value.data) memcpy(bytes + offset, draft->value.data, draft->value.size);
        if (draft->value.data || draft->is_null) continue;
        pointers[argument->pointer_count++] =
            (scn_inner_pointer){offset, draft->pointer.memory, draft->pointer.offset};
    }
    argument->value = (rt_bytes){bytes, layout->size};
    argument->pointers = pointers;
}

static bool struct_argument_read(scn_reader *reader, const scn_node *node, scn_argument *argument)
{
    field_draft drafts[SCN_FIELD_COUNT_MAX] = {0};
    CHECK(node->count >= 1 && node->count <= SCN_FIELD_COUNT_MAX);
    scn_field *fields = rt_arena_alloc_array(reader->arena, node->count, sizeof *fields);
    bool fine = true;
    for (uint32_t i = 0; i < node->count; i++)
        fine = struct_field_read(reader, &node->items[i], &fields[i], &drafts[i]) && fine;
    if (!fine) return false;
    argument->kind = SCN_ARGUMENT_VALUE;
    scn_layout_place(fields, node->count, true, &argument->layout);
    if (!size_check(reader, node->at, argument->layout.size)) return false;
    struct_fill(reader, drafts, argument);
    return true;
}

static bool bytes_argument_read(scn_reader *reader, const scn_node *node, scn_argument *argument)
{
    argument->kind = SCN_ARGUMENT_VALUE;
    if (!scn_hexadecimal_read(reader->reporter, node, &argument->value)) return false;
    if (!size_check(reader, node->at, argument->value.size)) return false;
    uint32_t count = (uint32_t)argument->value.size;
    scn_field *fields = rt_arena_alloc_array(reader->arena, count, sizeof *fields);
    for (uint32_t i = 0; i < count; i++)
        fields[i] = (scn_field){.type = SCN_TYPE_UCHAR, .lanes = 1};
    scn_layout_place(fields, count, true, &argument->layout);
    CHECK(argument->layout.size == count);
    return true;
}

/* ---- Arguments ---------------------------------------------------------------------------- */

typedef struct argument_draft {
    uint32_t memory;
    pointer_draft pointer;
    uint64_t local;
    const scn_node *const *fields;
    uint32_t field_count;
    const scn_node *bytes;
    scn_promotion promotion;
} argument_draft;

static const scn_shape shape_local_size = {
    .kind = SCN_SHAPE_INTEGER,
    .noun = "a size in bytes",
    .least = 1,
    .most = RT_MEMORY_SIZE_MAX,
};

enum {
    ARGUMENT_READ,
    ARGUMENT_WRITE,
    ARGUMENT_LOCAL,
    ARGUMENT_USM,
    ARGUMENT_STRUCT,
    ARGUMENT_BYTES,
    ARGUMENT_READ_WRITE,
    ARGUMENT_OFFSET,
    ARGUMENT_PROMOTE
};
static const scn_row argument_rows[] = {
    [ARGUMENT_READ] = {"read", &scn_shape_memory_reference, SCN_ALTERNATIVE,
                       SCN_FIELD(argument_draft, memory), "A buffer that is only read."},
    [ARGUMENT_WRITE] = {"write", &scn_shape_memory_reference, SCN_ALTERNATIVE,
                        SCN_FIELD(argument_draft, memory), "A buffer that is only written."},
    [ARGUMENT_LOCAL] = {"local", &shape_local_size, SCN_ALTERNATIVE,
                        SCN_FIELD(argument_draft, local), "Local memory of this many bytes."},
    [ARGUMENT_USM] = {"usm", &scn_shape_memory_reference, SCN_ALTERNATIVE,
                      SCN_FIELD(argument_draft, pointer.memory), "A pointer into a USM memory."},
    [ARGUMENT_STRUCT] = {"struct", &shape_struct_fields, SCN_ALTERNATIVE,
                         SCN_ITEMS(argument_draft, fields, field_count),
                         "A struct by value, field by field: {TYPE: VALUE}, or a USM memory's "
                         "name, {usm: MEMORY, offset: BYTES} or null for a pointer."},
    [ARGUMENT_BYTES] = {"bytes", &scn_shape_bytes, SCN_ALTERNATIVE,
                        SCN_FIELD(argument_draft, bytes), "A value as its bytes in hexadecimal."},
    [ARGUMENT_READ_WRITE] = {"read_write", &scn_shape_memory_reference, SCN_ALTERNATIVE,
                             SCN_FIELD(argument_draft, memory),
                             "A buffer that is read and written, as its name alone says."},
    [ARGUMENT_OFFSET] = {"offset", &shape_offset, 0, SCN_FIELD(argument_draft, pointer.offset),
                         "Where the USM pointer points, in bytes from the memory's beginning."},
    [ARGUMENT_PROMOTE] = {"promote", &scn_shape_promotion, 0, SCN_FIELD(argument_draft, promotion),
                          "What a fused kernel keeps the buffer in, as far as this accessor is "
                          "concerned: private, local or none."},
};
static const scn_relation argument_relations[] = {
    {"offset", SCN_NEEDS, {"usm"}, "'offset' belongs to usm; remove it"},
    {"promote",
     SCN_NEEDS,
     {"read", "write", "read_write"},
     "'promote' belongs to read, write and read_write; remove it"},
};
static const scn_shape shape_argument_object = {
    .kind = SCN_SHAPE_OBJECT,
    .noun = "an argument",
    .key_noun = "kind of argument",
    SCN_RELATIONS(argument_relations),
    SCN_ROWS(argument_rows),
};

static bool is_type(rt_text name)
{
    scn_type type;
    uint32_t lanes;
    return scn_type_find(name, &type, &lanes);
}

static bool is_kind(rt_text name)
{
    for (size_t i = 0; i < sizeof argument_rows / sizeof *argument_rows; i++) {
        if (rt_text_is(name, argument_rows[i].key)) return true;
    }
    return false;
}

static const char known_kinds[] =
    "known are types (int, float4), read, write, read_write, local, usm, struct and bytes";

/* Types stand beside the rows: there are more of them than a table of rows may have. */
static bool kinds_check(scn_reader *reader, const scn_node *node)
{
    bool fine = true, typed = false;
    if (node->count == 0) {
        return scn_report(reader->reporter, node->at, "an argument needs one kind; %s",
                          known_kinds);
    }
    for (uint32_t e = 0; e < node->count; e++) {
        const scn_entry *entry = &node->entries[e];
        typed = typed || is_type(entry->key);
        if (is_type(entry->key) || is_kind(entry->key)) continue;
        scn_nearest nearest = scn_nearest_to(entry->key);
        for (uint32_t i = 0; scn_type_word(i); i++)
            scn_nearest_offer(&nearest, rt_text_of(scn_type_word(i)));
        for (size_t i = 0; i < sizeof argument_rows / sizeof *argument_rows; i++)
            scn_nearest_offer(&nearest, rt_text_of(argument_rows[i].key));
        const char *hint = scn_nearest_hint(reader->arena, &nearest);
        fine = scn_report(reader->reporter, entry->at, "unknown kind of argument '%s'%s%s",
                          scn_shown(reader->arena, entry->key), *hint ? hint : "; ",
                          *hint ? "" : known_kinds);
    }
    if (!fine || !typed || node->count == 1) return fine;
    return scn_report(reader->reporter, node->entries[1].at,
                      "'%s' cannot stand beside '%s'; an argument has only one of them",
                      scn_shown(reader->arena, node->entries[1].key),
                      scn_shown(reader->arena, node->entries[0].key));
}

static bool kind_read(scn_reader *reader, const scn_node *node, scn_argument *argument)
{
    argument_draft draft = {0};
    uint64_t given;
    if (!scn_object_read(reader, &shape_argument_object, node, &draft, &given)) return false;
    uint32_t kind =
        scn_object_alternative(reader, &shape_argument_object, node, given, "a type or one kind");
    if (kind == SCN_NONE) return false;
    const scn_entry *entry = scn_node_entry(node, argument_rows[kind].key);
    argument->memory = draft.memory;
    argument->promotion = draft.promotion;
    switch (kind) {
    case ARGUMENT_READ_WRITE:
        return accessed_memory_make(reader, entry, SCN_ACCESS_READ_WRITE, argument);
    case ARGUMENT_READ: return accessed_memory_make(reader, entry, SCN_ACCESS_READ, argument);
    case ARGUMENT_WRITE: return accessed_memory_make(reader, entry, SCN_ACCESS_WRITE, argument);
    case ARGUMENT_STRUCT: return struct_argument_read(reader, &entry->value, argument);
    case ARGUMENT_BYTES: return bytes_argument_read(reader, draft.bytes, argument);
    case ARGUMENT_LOCAL:
        argument->kind = SCN_ARGUMENT_LOCAL;
        argument->size = draft.local;
        return true;
    case ARGUMENT_USM:
        argument->kind = SCN_ARGUMENT_POINTER;
        argument->memory = draft.pointer.memory;
        argument->offset = draft.pointer.offset;
        return pointer_check(reader, node, &draft.pointer);
    default: UNREACHABLE();
    }
}

static bool argument_read(scn_reader *reader, const scn_node *node, void *out)
{
    scn_argument *argument = out;
    argument->at = node->at;
    if (scn_node_is_word(node, "null")) {
        argument->kind = SCN_ARGUMENT_NULL;
        return true;
    }
    if (node->kind == SCN_NODE_SCALAR) return plain_memory_read(reader, node, argument);
    if (node->kind == SCN_NODE_LIST) {
        return scn_report(reader->reporter, node->at,
                          "expected an argument: a memory's name, null or {KIND: VALUE}, found a "
                          "list; %s",
                          known_kinds);
    }
    if (!kinds_check(reader, node)) return false;
    bool typed = node->count == 1 && is_type(node->entries[0].key);
    if (!typed) return kind_read(reader, node, argument);
    argument->kind = SCN_ARGUMENT_VALUE;
    return scn_typed_value_read(reader, &node->entries[0], &argument->layout, &argument->value);
}

static bool null_read(scn_reader *reader, const scn_node *node, void *out)
{
    (void)out;
    if (scn_node_is_word(node, "null")) return true;
    return scn_report(reader->reporter, node->at, "expected null, found %s",
                      scn_node_describe(reader->arena, node));
}
static const scn_choice null_words[] = {{"null", true}};
static const scn_shape shape_null_word = {
    .kind = SCN_SHAPE_CHOICE,
    .noun = "the null pointer",
    SCN_CHOICES(null_words),
};
const scn_shape scn_shape_null = {
    .kind = SCN_SHAPE_OTHER,
    .noun = "the null pointer",
    .read = null_read,
    .alternatives = {&shape_null_word},
};

static const scn_shape shape_argument = {
    .kind = SCN_SHAPE_OTHER,
    .noun = "an argument",
    .read = argument_read,
    .alternatives = {&scn_shape_memory_reference, &scn_shape_typed_value, &shape_argument_object,
                     &scn_shape_null},
};
const scn_shape scn_shape_arguments = {
    .kind = SCN_SHAPE_LIST,
    .noun = "the list of arguments",
    .element = &shape_argument,
    .element_size = sizeof(scn_argument),
    .most = RT_KERNEL_ARGUMENT_MAX,
};
