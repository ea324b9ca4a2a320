/* Walks the instructions of a SPIR-V module. */
#include "conformance/build/spirv_walk.h"

#include <string.h>

enum { HEADER_WORDS = 5 };

static uint32_t word_at(rt_bytes code, size_t index)
{
    CHECK(index < code.size / 4);
    const uint8_t *at = code.data + index * 4;
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

cnf_spirv_walk cnf_spirv_walk_of(rt_bytes code)
{
    bool damaged = code.size % 4 != 0 || code.size / 4 < HEADER_WORDS;
    return (cnf_spirv_walk){.code = code, .next = HEADER_WORDS, .damaged = damaged};
}

bool cnf_spirv_walk_next(cnf_spirv_walk *walk)
{
    size_t count = walk->code.size / 4;
    if (walk->damaged || walk->next == count) return false;
    uint32_t first = word_at(walk->code, walk->next);
    walk->length = first >> 16;
    walk->opcode = first & 0xFFFF;
    walk->damaged = walk->length == 0 || walk->length > count - walk->next;
    if (walk->damaged) return false;
    walk->at = walk->next;
    walk->next += walk->length;
    return true;
}

uint32_t cnf_spirv_walk_word(const cnf_spirv_walk *walk, uint32_t index)
{
    return index < walk->length ? word_at(walk->code, walk->at + index) : 0;
}

bool cnf_spirv_walk_string(const cnf_spirv_walk *walk, uint32_t index, rt_text *out_string)
{
    *out_string = (rt_text){0};
    if (index >= walk->length) return false;
    const char *string = (const char *)walk->code.data + (walk->at + index) * 4;
    size_t room = (walk->length - index) * (size_t)4;
    size_t size = strnlen(string, room);
    if (size == 0 || size == room) return false;
    *out_string = (rt_text){string, size};
    return true;
}
