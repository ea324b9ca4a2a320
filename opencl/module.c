/* A walk over the instructions of untrusted modules. */
#include "opencl/module.h"

#include "conformance/build/spirv_outline.h"

#include <string.h>

enum { MAGIC = 0x07230203, HEADER_WORDS = 5 };

/* SPIR-V specification, 3.42 "Instructions", and enumerants of 3.6 and 3.20. */
enum {
    OP_ENTRY_POINT = 15,
    OP_EXECUTION_MODE = 16,
    OP_TYPE_BOOL = 20,
    OP_TYPE_INT = 21,
    OP_TYPE_FLOAT = 22,
    OP_SPEC_CONSTANT_TRUE = 48,
    OP_SPEC_CONSTANT_FALSE = 49,
    OP_SPEC_CONSTANT = 50,
    OP_DECORATE = 71,
    MODE_LOCAL_SIZE = 17,
    MODE_SUBGROUP_SIZE = 35,
    DECORATION_SPEC_ID = 1,
};

typedef struct walk {
    const uint8_t *bytes;
    size_t count; /* of words */
    size_t at;    /* of the instruction */
    uint32_t length, opcode;
    bool swaps;
} walk;

static uint32_t word(const walk *w, size_t index)
{
    uint32_t value = 0;
    if (index < w->count) memcpy(&value, w->bytes + index * sizeof value, sizeof value);
    return w->swaps ? __builtin_bswap32(value) : value;
}

bool icd_is_spirv(rt_bytes bytes)
{
    uint32_t magic;
    if (bytes.size < HEADER_WORDS * sizeof magic || bytes.size % sizeof magic != 0) return false;
    memcpy(&magic, bytes.data, sizeof magic);
    return magic == MAGIC || magic == __builtin_bswap32(MAGIC);
}

static walk walk_begin(rt_bytes module)
{
    walk w = {.bytes = module.data, .count = module.size / sizeof(uint32_t)};
    w.swaps = word(&w, 0) != MAGIC;
    return w;
}

/* Steps to the next instruction; false at the end, or at a truncated instruction. */
static bool walk_next(walk *w)
{
    w->at = w->at == 0 ? HEADER_WORDS : w->at + w->length;
    w->length = word(w, w->at) >> 16;
    w->opcode = word(w, w->at) & 0xffff;
    return w->at < w->count && w->length >= 1 && w->length <= w->count - w->at;
}

/* Reads the execution modes of the entry point with that name. */
static void modes_read(rt_bytes module, rt_text name, icd_kernel_fact *fact)
{
    uint32_t function = 0;
    for (walk w = walk_begin(module); walk_next(&w);) {
        size_t room = w.length > 3 ? (w.length - 3) * sizeof(uint32_t) : 0;
        /* Strings are in this machine's order in all modules that the device has accepted. */
        if (w.opcode == OP_ENTRY_POINT && room > name.length &&
            memcmp(w.bytes + (w.at + 3) * sizeof(uint32_t), name.data, name.length) == 0 &&
            w.bytes[(w.at + 3) * sizeof(uint32_t) + name.length] == 0)
            function = word(&w, w.at + 2);
        if (w.opcode != OP_EXECUTION_MODE || w.length < 4 || word(&w, w.at + 1) != function)
            continue;
        uint32_t mode = word(&w, w.at + 2);
        for (uint32_t i = 0; mode == MODE_LOCAL_SIZE && w.length == 6 && i < 3; i++)
            fact->group_size[i] = word(&w, w.at + 3 + i);
        if (mode == MODE_SUBGROUP_SIZE) fact->sub_group_size = word(&w, w.at + 3);
    }
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

/* The size in bytes of a value of the type with that id; 0: not a scalar. */
static uint32_t scalar_size(rt_bytes module, uint32_t id)
{
    for (walk w = walk_begin(module); walk_next(&w);) {
        if (w.length < 2 || word(&w, w.at + 1) != id) continue;
        if (w.opcode == OP_TYPE_BOOL) return 1;
        if ((w.opcode == OP_TYPE_INT || w.opcode == OP_TYPE_FLOAT) && w.length >= 3)
            return word(&w, w.at + 2) / 8;
    }
    return 0;
}

/* Steps to the specialisation constant with that id; false: there is none. */
static bool constant_find(walk *w, cl_uint id)
{
    uint32_t target = 0;
    while (walk_next(w)) {
        if (w->opcode == OP_DECORATE && w->length == 4 &&
            word(w, w->at + 2) == DECORATION_SPEC_ID && word(w, w->at + 3) == id)
            target = word(w, w->at + 1);
        bool is_constant = w->opcode == OP_SPEC_CONSTANT_TRUE ||
                           w->opcode == OP_SPEC_CONSTANT_FALSE || w->opcode == OP_SPEC_CONSTANT;
        if (is_constant && w->length >= 3 && target != 0 && word(w, w->at + 2) == target)
            return true;
    }
    return false;
}

uint32_t icd_constant_size(rt_bytes module, cl_uint id)
{
    walk w = walk_begin(module);
    return constant_find(&w, id) ? scalar_size(module, word(&w, w.at + 1)) : 0;
}

void icd_constant_set(rt_buffer *module, cl_uint id, const uint8_t *value)
{
    rt_bytes bytes = rt_buffer_bytes(module);
    uint32_t size = icd_constant_size(bytes, id);
    walk w = walk_begin(bytes);
    bool is_found = constant_find(&w, id);
    CHECK(is_found && size >= 1 && size <= 8);
    uint64_t number = 0;
    memcpy(&number, value, size);
    uint32_t *words = (uint32_t *)(void *)module->data + w.at; /* rt_alloc aligns it */
    if (w.opcode != OP_SPEC_CONSTANT) {
        uint32_t opcode = number ? OP_SPEC_CONSTANT_TRUE : OP_SPEC_CONSTANT_FALSE;
        uint32_t first = w.length << 16 | opcode;
        words[0] = w.swaps ? __builtin_bswap32(first) : first;
        return;
    }
    for (uint32_t i = 3; i < w.length; i++, number >>= 32)
        words[i] = w.swaps ? __builtin_bswap32((uint32_t)number) : (uint32_t)number;
}
