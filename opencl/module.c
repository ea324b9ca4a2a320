/* Walks over the instructions of untrusted modules (reference/base/spirv.h). */
#include "opencl/module.h"

#include "conformance/build/spirv_outline.h"
#include "reference/base/map.h"
#include "reference/base/spirv.h"

#include <string.h>

/* SPIR-V specification, 3.42 "Instructions", and enumerants of 3.6. */
enum {
    OP_STRING = 7,
    OP_ENTRY_POINT = 15,
    OP_EXECUTION_MODE = 16,
    OP_SPEC_CONSTANT_TRUE = 48,
    OP_SPEC_CONSTANT_FALSE = 49,
    OP_SPEC_CONSTANT = 50,
    OP_DECORATE = 71,
    DECORATION_SPEC_ID = 1,
    MODE_LOCAL_SIZE = 17,
    MODE_LOCAL_SIZE_HINT = 18,
    MODE_VEC_TYPE_HINT = 30,
    MODE_SUBGROUP_SIZE = 35,
};

bool icd_is_spirv(rt_bytes bytes)
{
    return !rt_spirv_walk_start(bytes).is_damaged;
}

/* True if the literal string that begins at the word is the text, in a module of either byte order.
 */
static bool has_text(const rt_spirv_instruction *at, uint32_t index, rt_text text)
{
    rt_buffer string = {0};
    bool is_same =
        rt_spirv_text_append(at, index, &string) && rt_text_equal(rt_buffer_text(&string), text);
    rt_buffer_free(&string);
    return is_same;
}

/* Reads the execution modes of the entry point with that name. */
static void modes_read(rt_bytes module, rt_text name, icd_kernel_fact *fact)
{
    uint32_t function = 0;
    rt_spirv_walk walk = rt_spirv_walk_start(module);
    for (rt_spirv_instruction at; rt_spirv_walk_next(&walk, &at);) {
        if (at.opcode == OP_ENTRY_POINT && has_text(&at, 3, name)) function = rt_spirv_word(&at, 2);
        if (at.opcode != OP_EXECUTION_MODE || at.word_count < 4 ||
            rt_spirv_word(&at, 1) != function)
            continue;
        uint32_t mode = rt_spirv_word(&at, 2);
        uint64_t *sizes = mode == MODE_LOCAL_SIZE        ? fact->group_size
                          : mode == MODE_LOCAL_SIZE_HINT ? fact->group_size_hint
                                                         : NULL;
        for (uint32_t i = 0; sizes && at.word_count == 6 && i < 3; i++)
            sizes[i] = rt_spirv_word(&at, 3 + i);
        fact->has_type_hint |= mode == MODE_VEC_TYPE_HINT;
        if (mode == MODE_SUBGROUP_SIZE) fact->sub_group_size = rt_spirv_word(&at, 3);
    }
}

/* Reads the strings with the types of a kernel's parameters (pl_translate_to_spirv). */
static void types_read(rt_arena *arena, rt_bytes module, rt_text name, icd_kernel_fact *fact)
{
    const struct {
        rt_text prefix;
        rt_text *out;
    } rows[] = {
        {rt_arena_printf(arena, "kernel_arg_type.%.*s.", RT_TEXT_ARG(name)), &fact->types},
        {rt_arena_printf(arena, "kernel_arg_type_qual.%.*s.", RT_TEXT_ARG(name)),
         &fact->qualifiers},
    };
    rt_buffer string = {0};
    rt_spirv_walk walk = rt_spirv_walk_start(module);
    for (rt_spirv_instruction at; rt_spirv_walk_next(&walk, &at);) {
        rt_buffer_truncate(&string, 0);
        if (at.opcode != OP_STRING || !rt_spirv_text_append(&at, 2, &string)) continue;
        rt_text text = rt_buffer_text(&string);
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
            if (rt_text_starts(text, rows[i].prefix.data))
                *rows[i].out = rt_arena_text(arena, (rt_text){text.data + rows[i].prefix.length,
                                                              text.length - rows[i].prefix.length});
    }
    rt_buffer_free(&string);
}

rt_text icd_list_entry(rt_text list, uint32_t index)
{
    rt_text entry = {list.data, 0};
    for (size_t i = 0; i < list.length; i++) {
        if (list.data[i] != ',') {
            entry.length++;
            continue;
        }
        if (index-- == 0) return entry;
        entry = (rt_text){list.data + i + 1, 0};
    }
    return (rt_text){0};
}

bool icd_kernel_facts(rt_arena *arena, const rt_buffer *modules, uint32_t module_count,
                      const icd_kernel_fact **out_kernels, uint32_t *out_count)
{
    RT_VECTOR(icd_kernel_fact) facts = {0};
    bool is_read = true;
    for (uint32_t i = 0; i < module_count && is_read; i++) {
        rt_bytes module = rt_buffer_bytes(&modules[i]);
        cnf_spirv_outline outline;
        is_read = cnf_spirv_outline_read(arena, module, &outline);
        for (uint32_t k = 0; k < outline.kernel_count && is_read; k++) {
            const cnf_kernel_outline *kernel = &outline.kernels[k];
            icd_kernel_fact fact = {.name = kernel->name,
                                    .parameters = kernel->parameters,
                                    .parameter_count = kernel->parameter_count};
            modes_read(module, kernel->name, &fact);
            types_read(arena, module, kernel->name, &fact);
            *rt_vector_push(&facts) = fact;
        }
    }
    icd_kernel_fact *table = rt_arena_alloc_array(arena, facts.count + 1, sizeof *table);
    if (facts.count > 0) memcpy(table, facts.items, facts.count * sizeof *table);
    *out_kernels = table;
    *out_count = facts.count;
    rt_vector_free(&facts);
    return is_read;
}

uint32_t icd_constant_size(rt_bytes module, cl_uint id)
{
    rt_spirv_instruction constant;
    return rt_spirv_spec_constant_find(module, id, &constant);
}

/* Writes a number into the instruction of a constant. */
static void constant_write(rt_buffer *module, const rt_spirv_instruction *at, uint64_t number)
{
    size_t offset = (size_t)(at->bytes.data - (const uint8_t *)module->data);
    uint32_t *words = (uint32_t *)(void *)(module->data + offset); /* rt_alloc aligns it */
    if (at->opcode != OP_SPEC_CONSTANT) {
        uint32_t opcode = number ? OP_SPEC_CONSTANT_TRUE : OP_SPEC_CONSTANT_FALSE;
        uint32_t first = at->word_count << 16 | opcode;
        words[0] = at->is_swapped ? __builtin_bswap32(first) : first;
        return;
    }
    for (uint32_t i = 3; i < at->word_count; i++, number >>= 32)
        words[i] = at->is_swapped ? __builtin_bswap32((uint32_t)number) : (uint32_t)number;
}

/* Several constants may have the same SpecId: post-link makes one for each kernel that reads it. */
void icd_constant_set(rt_buffer *module, cl_uint id, const uint8_t *value)
{
    uint32_t size = icd_constant_size(rt_buffer_bytes(module), id);
    CHECK(size >= 1 && size <= 8);
    uint64_t number = 0;
    memcpy(&number, value, size);
    rt_map decorated = {0}; /* their results; decorations precede constants (2.4) */
    rt_spirv_walk walk = rt_spirv_walk_start(rt_buffer_bytes(module));
    for (rt_spirv_instruction at; rt_spirv_walk_next(&walk, &at);) {
        if (at.opcode == OP_DECORATE && at.word_count == 4 &&
            rt_spirv_word(&at, 2) == DECORATION_SPEC_ID && rt_spirv_word(&at, 3) == id)
            rt_map_set_number(&decorated, rt_spirv_word(&at, 1), 0);
        bool is_constant = at.opcode == OP_SPEC_CONSTANT_TRUE ||
                           at.opcode == OP_SPEC_CONSTANT_FALSE || at.opcode == OP_SPEC_CONSTANT;
        if (is_constant && rt_map_find_number(&decorated, rt_spirv_word(&at, 2)) != RT_MAP_NONE)
            constant_write(module, &at, number);
    }
    rt_map_free(&decorated);
}
