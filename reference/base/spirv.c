/* The walk over SPIR-V instructions. */
#include "reference/base/spirv.h"

#include <string.h>

enum { WORD_SIZE = 4 };

static uint32_t load_word(const uint8_t *at, bool is_swapped)
{
    uint32_t word;
    memcpy(&word, at, sizeof word);
    return is_swapped ? __builtin_bswap32(word) : word;
}

rt_spirv_walk rt_spirv_walk_start(rt_bytes code)
{
    rt_spirv_walk walk = {.code = code, .position = RT_SPIRV_HEADER_SIZE, .is_damaged = true};
    if (code.size < RT_SPIRV_HEADER_SIZE || code.size % WORD_SIZE != 0) return walk;
    walk.is_swapped = load_word(code.data, true) == RT_SPIRV_MAGIC;
    walk.is_damaged = load_word(code.data, walk.is_swapped) != RT_SPIRV_MAGIC;
    walk.version = load_word(code.data + WORD_SIZE, walk.is_swapped);
    return walk;
}

bool rt_spirv_walk_next(rt_spirv_walk *walk, rt_spirv_instruction *out_instruction)
{
    *out_instruction = (rt_spirv_instruction){0};
    if (walk->is_damaged || walk->position == walk->code.size) return false;
    CHECK(walk->position < walk->code.size);
    CHECK(walk->position >= RT_SPIRV_HEADER_SIZE && walk->position % WORD_SIZE == 0);
    const uint8_t *at = walk->code.data + walk->position;
    uint32_t first = load_word(at, walk->is_swapped), word_count = first >> 16;
    size_t size = (size_t)word_count * WORD_SIZE;
    walk->is_damaged = word_count == 0 || size > walk->code.size - walk->position;
    if (walk->is_damaged) return false;
    *out_instruction =
        (rt_spirv_instruction){first & 0xFFFFu, word_count, {at, size}, walk->is_swapped};
    walk->position += size;
    CHECK(walk->position <= walk->code.size);
    return true;
}

bool rt_spirv_check(rt_bytes code, rt_buffer *out_reason)
{
    rt_spirv_walk walk = rt_spirv_walk_start(code);
    if (walk.is_damaged) {
        uint32_t magic = code.size >= WORD_SIZE ? load_word(code.data, false) : 0;
        bool is_swapped = magic == __builtin_bswap32(RT_SPIRV_MAGIC);
        if (code.size >= WORD_SIZE && magic != RT_SPIRV_MAGIC && !is_swapped) {
            rt_buffer_printf(out_reason,
                             "not a SPIR-V module: byte 0 begins the word 0x%08x, not 0x%08x",
                             magic, RT_SPIRV_MAGIC);
        } else if (code.size < RT_SPIRV_HEADER_SIZE) {
            rt_buffer_printf(out_reason,
                             "a SPIR-V module that ends at byte %zu, inside its header of %d bytes",
                             code.size, RT_SPIRV_HEADER_SIZE);
        } else {
            rt_buffer_printf(out_reason,
                             "a SPIR-V module of %zu bytes, which is not a whole number of words",
                             code.size);
        }
        return false;
    }
    rt_spirv_instruction instruction;
    while (rt_spirv_walk_next(&walk, &instruction)) {
    }
    if (!walk.is_damaged) return true;
    uint32_t first = load_word(code.data + walk.position, walk.is_swapped);
    rt_buffer_printf(out_reason,
                     "a damaged SPIR-V module: the instruction at byte %zu (opcode %u) declares %u "
                     "words; %zu are left",
                     walk.position, first & 0xFFFFu, first >> 16,
                     (code.size - walk.position) / WORD_SIZE);
    return false;
}

uint32_t rt_spirv_word(const rt_spirv_instruction *instruction, uint32_t index)
{
    if (index >= instruction->word_count) return 0;
    CHECK(instruction->bytes.size == (size_t)instruction->word_count * WORD_SIZE);
    const uint8_t *at = instruction->bytes.data + (size_t)index * WORD_SIZE;
    return load_word(at, instruction->is_swapped);
}

bool rt_spirv_text_append(const rt_spirv_instruction *instruction, uint32_t index, rt_buffer *out)
{
    size_t size_before = out->size;
    for (; index < instruction->word_count; index++) {
        /* The first character is in the low byte, regardless of the module's byte order. */
        uint32_t word = rt_spirv_word(instruction, index);
        for (int i = 0; i < WORD_SIZE; i++, word >>= 8) {
            if ((word & 0xFF) == 0) return true;
            rt_buffer_append_byte(out, (char)(word & 0xFF));
        }
    }
    rt_buffer_truncate(out, size_before);
    return false;
}

rt_text rt_spirv_text(const rt_spirv_instruction *instruction, uint32_t index)
{
    if (index >= instruction->word_count || instruction->is_swapped) return (rt_text){0};
    size_t offset = (size_t)index * WORD_SIZE;
    const char *text = (const char *)instruction->bytes.data + offset;
    size_t size_max = instruction->bytes.size - offset;
    size_t length = strnlen(text, size_max);
    return length < size_max ? (rt_text){text, length} : (rt_text){0};
}

/* ---- Specialisation constants -------------------------------------------------------------- */

enum {
    OP_TYPE_INT = 21,
    OP_TYPE_FLOAT = 22,
    OP_SPEC_CONSTANT_TRUE = 48,
    OP_SPEC_CONSTANT_FALSE = 49,
    OP_SPEC_CONSTANT = 50,
    OP_DECORATE = 71,
    DECORATION_SPEC_ID = 1,
};

/* A valid module's decorations precede its constants (2.4), so one walk finds the constant. */
uint32_t rt_spirv_spec_constant_find(rt_bytes code, uint32_t spec_id,
                                     rt_spirv_instruction *out_constant)
{
    uint32_t id = 0, type = 0;
    rt_spirv_walk walk = rt_spirv_walk_start(code);
    for (rt_spirv_instruction at; type == 0 && rt_spirv_walk_next(&walk, &at);) {
        if (at.opcode == OP_DECORATE && rt_spirv_word(&at, 2) == DECORATION_SPEC_ID &&
            at.word_count == 4 && rt_spirv_word(&at, 3) == spec_id)
            id = rt_spirv_word(&at, 1);
        bool is_truth = at.opcode == OP_SPEC_CONSTANT_TRUE || at.opcode == OP_SPEC_CONSTANT_FALSE;
        bool is_constant = is_truth || at.opcode == OP_SPEC_CONSTANT;
        if (!is_constant || id == 0 || rt_spirv_word(&at, 2) != id) continue;
        *out_constant = at;
        if (is_truth) return 1;
        type = rt_spirv_word(&at, 1);
    }
    walk = rt_spirv_walk_start(code);
    for (rt_spirv_instruction at; type != 0 && rt_spirv_walk_next(&walk, &at);) {
        bool is_number = at.opcode == OP_TYPE_INT || at.opcode == OP_TYPE_FLOAT;
        uint32_t width = rt_spirv_word(&at, 2);
        if (is_number && rt_spirv_word(&at, 1) == type) return width <= 64 ? width / 8 : 0;
    }
    return 0;
}
