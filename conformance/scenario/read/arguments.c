/* Kernel arguments: memories, pointers, values. Whether a kernel accepts them is known only when it
 * runs. */
#include "conformance/scenario/model/type.h"
#include "conformance/scenario/schema/schema.h"
#include "conformance/scenario/yaml/number.h"

#include <string.h>

/* ---- Structs ------------------------------------------------------------------------------ */

static const scn_shape shape_offset = {SCN_INTEGER("an offset in bytes", 0, RT_MEMORY_SIZE_MAX)};
static const scn_row pointer_rows[] = {
    {"usm", &scn_shape_memory_reference, SCN_REQUIRED, SCN_FIELD(scn_inner_pointer, memory),
     "The USM memory that the pointer points into."},
    {"offset", &shape_offset, 0, SCN_FIELD(scn_inner_pointer, offset),
     "The offset that it points to, in bytes from the start of the memory."},
    SCN_HIDDEN(&scn_shape_number, scn_inner_pointer, at),
};
static const scn_shape shape_pointer = {SCN_OBJECT("a pointer", pointer_rows), .shorthand = true};
static const scn_shape shape_struct_field = {
    .kind = SCN_SHAPE_OTHER,
    .noun = "a field",
    .read = scn_node_keep,
    .alternatives = {&scn_shape_typed_value, &shape_pointer, &scn_shape_null},
};
static const scn_shape shape_struct_fields = {
    SCN_LIST("the list of a struct's fields", const scn_node *, &shape_struct_field),
    .least = 1,
    .most = SCN_FIELD_COUNT_MAX,
};

/* Reads a field's type and its value: bytes, a pointer (laid out like a ulong), or neither for the
 * null pointer. */
static bool struct_field_read(scn_reader *reader, const scn_node *node, scn_field *field,
                              rt_bytes *out_value, scn_inner_pointer *out_pointer)
{
    *field = (scn_field){.type = SCN_TYPE_ULONG, .lanes = 1};
    if (scn_node_is_word(node, "null")) return true;
    if (node->kind == SCN_NODE_SCALAR || scn_node_entry(node, "usm"))
        return scn_object_read(reader, &shape_pointer, node, out_pointer);
    if (node->kind != SCN_NODE_MAPPING || node->count != 1) {
        return scn_report(reader->reporter, node->at,
                          "expected a field: {TYPE: VALUE}, or for a pointer a USM memory's name, "
                          "{usm: MEMORY, offset: BYTES} or null; found %s",
                          scn_node_describe(reader->arena, node));
    }
    scn_layout layout;
    if (!scn_typed_value_read(reader, &node->entries[0], &layout, out_value)) return false;
    *field = layout.fields[0];
    return true;
}

static bool size_check(scn_reader *reader, scn_position at, uint64_t size)
{
    if (size <= SCN_VALUE_SIZE_MAX) return true;
    return scn_report(reader->reporter, at,
                      "the value has %" PRIu64 " bytes, but kernels take values of at most %d",
                      size, SCN_VALUE_SIZE_MAX);
}

static bool struct_argument_read(scn_reader *reader, const scn_node *node, scn_argument *argument)
{
    rt_bytes values[SCN_FIELD_COUNT_MAX] = {0};
    if (!scn_items_check(reader, &shape_struct_fields, node)) return false;
    uint32_t count = node->count;
    scn_field *fields = rt_arena_alloc_array(reader->arena, count, sizeof *fields);
    scn_inner_pointer *pointers = rt_arena_alloc_array(reader->arena, count, sizeof *pointers);
    uint32_t pointer_fields[SCN_FIELD_COUNT_MAX], pointer_count = 0;
    bool valid = true;
    for (uint32_t i = 0; i < count; i++) {
        const scn_node *item = &node->items[i];
        valid = struct_field_read(reader, item, &fields[i], &values[i], &pointers[pointer_count]) &&
                valid;
        bool is_pointer = !values[i].data && !scn_node_is_word(item, "null");
        if (is_pointer) pointer_fields[pointer_count++] = i;
    }
    if (!valid) return false;
    argument->kind = SCN_ARGUMENT_VALUE;
    scn_layout_place(fields, count, true, &argument->layout);
    if (!size_check(reader, node->at, argument->layout.size)) return false;
    uint8_t *bytes = rt_arena_alloc(reader->arena, argument->layout.size);
    for (uint32_t i = 0; i < count; i++)
        if (values[i].data) memcpy(bytes + fields[i].offset, values[i].data, values[i].size);
    for (uint32_t i = 0; i < pointer_count; i++)
        pointers[i].at = fields[pointer_fields[i]].offset;
    argument->value = (rt_bytes){bytes, argument->layout.size};
    argument->pointers = pointers;
    argument->pointer_count = pointer_count;
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

/* ---- Composite values --------------------------------------------------------------------- */

static const scn_shape shape_plain_fields = {
    SCN_LIST("the list of a struct's fields", const scn_node *, &scn_shape_typed_value),
    .least = 1,
    .most = SCN_FIELD_COUNT_MAX,
};
enum { COMPOSITE_STRUCT, COMPOSITE_BYTES };
static const scn_row composite_rows[] = {
    [COMPOSITE_STRUCT] = {"struct", &shape_plain_fields, SCN_ALTERNATIVE | SCN_LATER,
                          SCN_FIELD(scn_argument, value),
                          "A struct or an array, field by field: {TYPE: VALUE}."},
    [COMPOSITE_BYTES] = {"bytes", &scn_shape_bytes, SCN_ALTERNATIVE | SCN_LATER,
                         SCN_FIELD(scn_argument, value), "The bytes of the value in hexadecimal."},
};
static const scn_shape shape_composite;
static bool composite_finish(scn_reader *reader, const scn_node *node, void *object)
{
    scn_argument *argument = object;
    uint32_t kind = scn_object_alternative(reader, &shape_composite, node, "'struct' or 'bytes'");
    if (kind == SCN_NONE) return false;
    const scn_node *value = scn_node_value(node, composite_rows[kind].key);
    if (kind == COMPOSITE_BYTES) return bytes_argument_read(reader, value, argument);
    for (uint32_t i = 0; value->kind == SCN_NODE_LIST && i < value->count; i++) {
        const scn_node *field = &value->items[i];
        if (field->kind == SCN_NODE_MAPPING && !scn_node_value(field, "usm")) continue;
        return scn_report(reader->reporter, field->at,
                          "expected a field of a constant, {TYPE: VALUE}, found %s",
                          scn_node_describe(reader->arena, field));
    }
    return struct_argument_read(reader, value, argument);
}
static const scn_shape shape_composite = {
    SCN_OBJECT("a composite value", composite_rows),
    .finish = composite_finish,
};

static bool composite_read(scn_reader *reader, const scn_node *node, void *out)
{
    rt_bytes *value = out;
    scn_argument argument = {.at = node->at};
    if (!scn_object_read(reader, &shape_composite, node, &argument)) return false;
    *value = argument.value;
    return true;
}
const scn_shape scn_shape_composite_value = {
    .kind = SCN_SHAPE_OTHER,
    .noun = "a composite value",
    .read = composite_read,
    .alternatives = {&shape_composite},
};

/* ---- Arguments ---------------------------------------------------------------------------- */

static const scn_shape shape_local_size = {SCN_INTEGER("a size in bytes", 1, RT_MEMORY_SIZE_MAX)};

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
                       SCN_FIELD(scn_argument, memory), "A buffer that the kernel only reads."},
    [ARGUMENT_WRITE] = {"write", &scn_shape_memory_reference, SCN_ALTERNATIVE,
                        SCN_FIELD(scn_argument, memory), "A buffer that the kernel only writes."},
    [ARGUMENT_LOCAL] = {"local", &shape_local_size, SCN_ALTERNATIVE, SCN_FIELD(scn_argument, size),
                        "Local memory of this many bytes."},
    [ARGUMENT_USM] = {"usm", &scn_shape_memory_reference, SCN_ALTERNATIVE,
                      SCN_FIELD(scn_argument, memory), "A pointer into a USM memory."},
    [ARGUMENT_STRUCT] = {"struct", &shape_struct_fields, SCN_ALTERNATIVE | SCN_LATER,
                         SCN_FIELD(scn_argument, value),
                         "A struct by value, field by field: {TYPE: VALUE}, or a USM memory's "
                         "name, {usm: MEMORY, offset: BYTES} or null for a pointer."},
    [ARGUMENT_BYTES] = {"bytes", &scn_shape_bytes, SCN_ALTERNATIVE | SCN_LATER,
                        SCN_FIELD(scn_argument, value),
                        "A value, given as its bytes in hexadecimal."},
    [ARGUMENT_READ_WRITE] =
        {"read_write", &scn_shape_memory_reference, SCN_ALTERNATIVE,
         SCN_FIELD(scn_argument, memory),
         "A buffer that the kernel reads and writes; giving just its name means the same."},
    [ARGUMENT_OFFSET] =
        {"offset", &shape_offset, 0, SCN_FIELD(scn_argument, offset),
         "The offset that the USM pointer points to, in bytes from the start of the memory."},
    [ARGUMENT_PROMOTE] =
        {"promote", &scn_shape_promotion, 0, SCN_FIELD(scn_argument, promotion),
         "The promotion that this accessor requests for the buffer in a fused kernel: private, "
         "local or none."},
};
static const scn_relation argument_relations[] = {
    {"offset", SCN_NEEDS, {"usm"}, "'offset' can be combined only with 'usm'; remove it"},
    {"promote",
     SCN_NEEDS,
     {"read", "write", "read_write"},
     "'promote' can be combined only with 'read', 'write' or 'read_write'; remove it"},
};
static bool is_type(rt_text name)
{
    scn_type type;
    uint32_t lanes;
    return scn_type_find(name, &type, &lanes);
}

static const scn_shape shape_argument_object;

static const char known_kinds[] =
    "the kinds are types (int, float4), read, write, read_write, local, usm, struct and bytes";

/* Types are checked outside the rows, because a table of rows cannot hold that many. */
static bool kinds_check(scn_reader *reader, const scn_node *node)
{
    bool valid = true, typed = false;
    if (node->count == 0) {
        return scn_report(reader->reporter, node->at, "an argument needs one kind; %s",
                          known_kinds);
    }
    for (uint32_t e = 0; e < node->count; e++) {
        const scn_entry *entry = &node->entries[e];
        typed = typed || is_type(entry->key);
        if (is_type(entry->key) || scn_shape_row(&shape_argument_object, entry->key)) continue;
        static const char *const absent[] = {"image", "sampler", "pipe", NULL};
        if (scn_report_absent(reader, absent, entry, &valid)) continue;
        rt_nearest nearest = rt_nearest_to(entry->key);
        for (uint32_t i = 0; scn_type_word(i); i++)
            rt_nearest_offer(&nearest, rt_text_of(scn_type_word(i)));
        for (size_t i = 0; i < sizeof argument_rows / sizeof *argument_rows; i++)
            rt_nearest_offer(&nearest, rt_text_of(argument_rows[i].key));
        const char *hint = scn_nearest_hint(reader->arena, &nearest);
        valid = scn_report(reader->reporter, entry->at, "unknown kind of argument '%s'%s%s",
                           scn_excerpt(reader->arena, entry->key), *hint ? hint : "; ",
                           *hint ? "" : known_kinds);
    }
    if (!valid || !typed || node->count == 1) return valid;
    return scn_report(reader->reporter, node->entries[1].at,
                      "'%s' cannot be combined with '%s'; an argument has only one of them",
                      scn_excerpt(reader->arena, node->entries[1].key),
                      scn_excerpt(reader->arena, node->entries[0].key));
}

static bool argument_finish(scn_reader *reader, const scn_node *node, void *object)
{
    scn_argument *argument = object;
    uint32_t kind =
        scn_object_alternative(reader, &shape_argument_object, node, "a type or one kind");
    if (kind == SCN_NONE) return false;
    const scn_node *value = scn_node_value(node, argument_rows[kind].key);
    switch (kind) {
    case ARGUMENT_READ_WRITE: argument->access = SCN_ACCESS_READ_WRITE; break;
    case ARGUMENT_READ: argument->access = SCN_ACCESS_READ; break;
    case ARGUMENT_WRITE: argument->access = SCN_ACCESS_WRITE; break;
    case ARGUMENT_STRUCT: return struct_argument_read(reader, value, argument);
    case ARGUMENT_BYTES: return bytes_argument_read(reader, value, argument);
    case ARGUMENT_LOCAL: argument->kind = SCN_ARGUMENT_LOCAL; return true;
    case ARGUMENT_USM: argument->kind = SCN_ARGUMENT_POINTER; return true;
    default: UNREACHABLE();
    }
    argument->kind = SCN_ARGUMENT_MEMORY;
    return true;
}

static const scn_shape shape_argument_object = {
    SCN_OBJECT("an argument", argument_rows),
    .key_noun = "kind of argument",
    .finish = argument_finish,
    SCN_RELATIONS(argument_relations),
};

static bool argument_read(scn_reader *reader, const scn_node *node, void *out)
{
    scn_argument *argument = out;
    argument->at = node->at;
    if (scn_node_is_word(node, "null")) {
        argument->kind = SCN_ARGUMENT_NULL;
        return true;
    }
    const char *number_type = scn_number_type(node);
    if (number_type)
        return scn_report(reader->reporter, node->at,
                          "expected an argument: a memory's name, null or {KIND: VALUE}, found a "
                          "number; for a value write its type: {%s: %.*s}",
                          number_type, RT_TEXT_ARG(node->text));
    if (node->kind == SCN_NODE_SCALAR) { /* a buffer, or a pointer to the start of a memory */
        bool known = scn_value_read(reader, &scn_shape_memory_reference, node, &argument->memory);
        const scn_memory *memory = known ? scn_memory_of(reader, argument->memory) : NULL;
        bool buffer = memory && memory->kind == SCN_MEMORY_BUFFER;
        argument->kind = buffer ? SCN_ARGUMENT_MEMORY : SCN_ARGUMENT_POINTER;
        return memory != NULL;
    }
    if (node->kind == SCN_NODE_LIST) {
        return scn_report(reader->reporter, node->at,
                          "expected an argument: a memory's name, null or {KIND: VALUE}, found a "
                          "list; %s",
                          known_kinds);
    }
    if (!kinds_check(reader, node)) return false;
    bool typed = node->count == 1 && is_type(node->entries[0].key);
    if (!typed) return scn_object_read(reader, &shape_argument_object, node, argument);
    argument->kind = SCN_ARGUMENT_VALUE;
    return scn_typed_value_read(reader, &node->entries[0], &argument->layout, &argument->value);
}

static const scn_choice null_words[] = {{"null", true}};
const scn_shape scn_shape_null = {SCN_CHOICE("the null pointer", null_words)};

/* ---- Arguments in the model --------------------------------------------------------------- */

static const scn_shape shape_access = {SCN_NUMBER(SCN_ACCESS_WRITE)};
static const scn_shape shape_pointers = {SCN_TABLE(scn_inner_pointer, &shape_pointer)};
static const scn_row buffer_rows[] = {
    SCN_HIDDEN(&scn_shape_memory_reference, scn_argument, memory),
    SCN_HIDDEN(&shape_access, scn_argument, access),
    SCN_HIDDEN(&scn_shape_promotion, scn_argument, promotion),
};
static const scn_row usm_rows[] = {
    SCN_HIDDEN(&scn_shape_memory_reference, scn_argument, memory),
    SCN_HIDDEN(&shape_offset, scn_argument, offset),
};
static const scn_row value_rows[] = {
    SCN_HIDDEN(&scn_shape_layout, scn_argument, layout),
    SCN_HIDDEN(&scn_shape_raw_bytes, scn_argument, value),
    SCN_HIDDEN_ITEMS(&shape_pointers, scn_argument, pointers, pointer_count),
};
static const scn_shape shape_buffer = {SCN_STRUCT(buffer_rows)};
static const scn_shape shape_usm = {SCN_STRUCT(usm_rows)};
static const scn_shape shape_value = {SCN_STRUCT(value_rows)};
static const scn_row row_buffer = {NULL, &shape_buffer, 0, SCN_SAME, NULL};
static const scn_row row_usm = {NULL, &shape_usm, 0, SCN_SAME, NULL};
static const scn_row row_value = {NULL, &shape_value, 0, SCN_SAME, NULL};
static const scn_row row_null = {.shape = NULL};
static const scn_row row_local = SCN_HIDDEN(&shape_local_size, scn_argument, size);
static const scn_row *const variants[SCN_ARGUMENT_KIND_COUNT] = {
    [SCN_ARGUMENT_MEMORY] = &row_buffer, [SCN_ARGUMENT_POINTER] = &row_usm,
    [SCN_ARGUMENT_NULL] = &row_null,     [SCN_ARGUMENT_VALUE] = &row_value,
    [SCN_ARGUMENT_LOCAL] = &row_local,
};
static const scn_row stored_rows[] = {SCN_HIDDEN(&scn_shape_position, scn_argument, at)};
static const scn_shape shape_stored_argument = {
    SCN_STRUCT(stored_rows),
    .tag = SCN_FIELD(scn_argument, kind),
    .variants = variants,
    .variant_count = SCN_ARGUMENT_KIND_COUNT,
};
static const scn_shape shape_argument = {
    .kind = SCN_SHAPE_OTHER,
    .noun = "an argument",
    .read = argument_read,
    .stored = &shape_stored_argument,
    .alternatives = {&scn_shape_memory_reference, &scn_shape_typed_value, &shape_argument_object,
                     &scn_shape_null},
};
const scn_shape scn_shape_arguments = {
    SCN_LIST("the list of arguments", scn_argument, &shape_argument),
    .most = RT_KERNEL_ARGUMENT_MAX,
};
