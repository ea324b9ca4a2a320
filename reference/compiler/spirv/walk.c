/* The walk over SPIR-V instructions.  Input may be anything: nothing outside it is read. */
#include "reference/compiler/spirv/walk.h"

#include <string.h>

enum { SPIRV_MAGIC = 0x07230203, WORD_SIZE = 4 };

static uint32_t load_word(const uint8_t *at)
{
    uint32_t word = 0;
    memcpy(&word, at, sizeof word);
    return word;
}

pl_walk pl_walk_start(rt_bytes spirv)
{
    pl_walk walk = {.spirv = spirv, .position = PL_SPIRV_HEADER_SIZE};
    walk.damaged = spirv.size < PL_SPIRV_HEADER_SIZE || spirv.size % WORD_SIZE != 0 ||
                   load_word(spirv.data) != SPIRV_MAGIC;
    return walk;
}

bool pl_walk_next(pl_walk *walk, pl_instruction *out_instruction)
{
    *out_instruction = (pl_instruction){0};
    if (walk->damaged || walk->position == walk->spirv.size) return false;
    CHECK(walk->position < walk->spirv.size && walk->position % WORD_SIZE == 0);
    const uint8_t *at = walk->spirv.data + walk->position;
    uint32_t first = load_word(at);
    uint32_t word_count = first >> 16;
    size_t size = (size_t)word_count * WORD_SIZE;
    if (word_count == 0 || size > walk->spirv.size - walk->position) {
        walk->damaged = true;
        return false;
    }
    *out_instruction = (pl_instruction){first & 0xFFFFu, word_count, {at, size}};
    walk->position += size;
    CHECK(walk->position <= walk->spirv.size);
    return true;
}

static void explain_header(rt_bytes spirv, rt_buffer *out_reason)
{
    uint32_t magic = spirv.size >= WORD_SIZE ? load_word(spirv.data) : 0;
    if (spirv.size >= WORD_SIZE && magic != SPIRV_MAGIC) {
        bool swapped = magic == __builtin_bswap32(SPIRV_MAGIC);
        rt_buffer_printf(out_reason,
                         "not a SPIR-V module: byte 0 begins the word 0x%08x, not 0x%08x%s", magic,
                         SPIRV_MAGIC, swapped ? "; the byte order is the other one" : "");
    } else if (spirv.size < PL_SPIRV_HEADER_SIZE) {
        rt_buffer_printf(out_reason,
                         "a SPIR-V module that ends at byte %zu, inside its header of %d bytes",
                         spirv.size, PL_SPIRV_HEADER_SIZE);
    } else {
        rt_buffer_printf(out_reason,
                         "a SPIR-V module of %zu bytes, which is not a whole number of words",
                         spirv.size);
    }
}

bool pl_walk_check(rt_bytes spirv, rt_buffer *out_reason)
{
    pl_walk walk = pl_walk_start(spirv);
    if (walk.damaged) {
        explain_header(spirv, out_reason);
        return false;
    }
    pl_instruction instruction;
    while (pl_walk_next(&walk, &instruction)) {
    }
    if (!walk.damaged) return true;
    uint32_t first = load_word(spirv.data + walk.position);
    rt_buffer_printf(out_reason,
                     "a damaged SPIR-V module: the instruction at byte %zu (opcode %u) has %u "
                     "words, and %zu are left",
                     walk.position, first & 0xFFFFu, first >> 16,
                     (spirv.size - walk.position) / WORD_SIZE);
    return false;
}

uint32_t pl_instruction_word(const pl_instruction *instruction, uint32_t index)
{
    if (index >= instruction->word_count) return 0;
    return load_word(instruction->bytes.data + (size_t)index * WORD_SIZE);
}

rt_text pl_instruction_text(const pl_instruction *instruction, uint32_t index)
{
    if (index >= instruction->word_count) return (rt_text){0};
    size_t offset = (size_t)index * WORD_SIZE;
    const char *text = (const char *)instruction->bytes.data + offset;
    size_t size_max = instruction->bytes.size - offset;
    size_t length = strnlen(text, size_max);
    return length < size_max ? (rt_text){text, length} : (rt_text){0};
}
