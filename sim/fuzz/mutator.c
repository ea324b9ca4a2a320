/* Mutates SPIR-V modules for the fuzzers: instruction by instruction, so that most results are
 * still accepted by the reader.  Bytes changed at random rarely get past it.
 *
 * Words are replaced by ids, literals or words of other instructions, opcodes by opcodes of the
 * same group; operands are swapped or taken from the same position of an instruction with the same
 * opcode; instructions are copied with a new result id, lengthened, shortened and removed.
 * Constants, type widths and branch targets are thus replaced by others from the module. */
#include "sim/module/module.h"

#include "reference/base/alloc.h"
#include "reference/base/vector.h"

#include <string.h>

#define HEADER_WORDS   5u
#define GENERATOR_WORD 2u /* the launch's parameters (fuzz_launch.c) */
#define BOUND_WORD     3u

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);

/* A module during mutation. */
typedef struct editor {
    uint32_t *words;
    size_t count, max;
    uint64_t state; /* of the random-number generator */
    RT_VECTOR(uint32_t) starts;
} editor;

static uint32_t draw(editor *e, size_t below)
{
    e->state = e->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((e->state >> 33) % below);
}

/* Records where the instructions begin; false if the words are not instructions. */
static bool index_words(editor *e)
{
    size_t at = HEADER_WORDS;
    while (at < e->count) {
        size_t length = e->words[at] >> 16;
        if (length == 0 || length > e->count - at) return false;
        *rt_vector_push(&e->starts) = (uint32_t)at;
        at += length;
    }
    return e->starts.count > 0;
}

static const sim_opcode *opcode_at(const editor *e, size_t at)
{
    return sim_opcode_find(e->words[at] & 0xffff);
}

/* The index of the instruction's result word; 0 if it has no result. */
static uint32_t result_word(const editor *e, size_t at)
{
    const sim_opcode *opcode = opcode_at(e, at);
    if (!opcode || !opcode->has_result) return 0;
    uint32_t word = 1u + opcode->has_type;
    return word < e->words[at] >> 16 ? word : 0;
}

/* Inserts a copy of an instruction, with a new result id, before another. */
static void instruction_copy(editor *e, size_t from, size_t to)
{
    size_t length = e->words[from] >> 16;
    if (e->count + length > e->max) return;
    uint32_t *copy = rt_alloc_array(length, sizeof *copy);
    memcpy(copy, e->words + from, length * sizeof *copy);
    uint32_t result = result_word(e, from);
    if (result) copy[result] = e->words[BOUND_WORD]++;
    memmove(e->words + to + length, e->words + to, (e->count - to) * sizeof *copy);
    memcpy(e->words + to, copy, length * sizeof *copy);
    e->count += length;
    rt_free(copy);
}

static void instruction_remove(editor *e, size_t at)
{
    size_t length = e->words[at] >> 16;
    memmove(e->words + at, e->words + at + length, (e->count - at - length) * sizeof *e->words);
    e->count -= length;
}

/* Changes the opcode to another of the same group and form. */
static void opcode_change(editor *e, size_t at)
{
    const sim_opcode *old = opcode_at(e, at);
    for (uint32_t tries = 0; old && tries < 256; tries++) {
        const sim_opcode *other = sim_opcode_find(draw(e, 6500));
        if (!other || other->group != old->group || other->has_type != old->has_type) continue;
        if (other->number == old->number || other->words_min != old->words_min) continue;
        e->words[at] = (e->words[at] & 0xffff0000) | other->number;
        return;
    }
}

static void operand_change(editor *e, size_t at)
{
    static const uint32_t literals[] = {
        0,          1,          2,          3,          7,          8,          15,
        16,         31,         32,         33,         63,         64,         128,
        255,        256,        0x7f,       0x80,       0x7fff,     0x8000,     0xffff,
        0x7fffffff, 0x80000000, 0xffffffff, 0x7f800000, 0x7fc00000, 0x00000001, 0x3f800000};
    size_t length = e->words[at] >> 16;
    if (length < 2) return;
    uint32_t *word = &e->words[at + 1 + draw(e, length - 1)];
    size_t source = e->starts.items[draw(e, e->starts.count)];
    size_t source_length = e->words[source] >> 16;
    switch (draw(e, 6)) {
    case 0: *word = literals[draw(e, sizeof literals / sizeof *literals)]; break;
    case 1: *word += 1; break;
    case 2: *word -= 1; break;
    case 3: *word ^= UINT32_C(1) << draw(e, 32); break;
    case 4: *word = e->words[BOUND_WORD] ? draw(e, e->words[BOUND_WORD]) : 1; break;
    default:
        if (source_length > 1) *word = e->words[source + 1 + draw(e, source_length - 1)];
    }
}

/* Makes the instruction longer or shorter by one operand. */
static void length_change(editor *e, size_t at)
{
    size_t length = e->words[at] >> 16;
    size_t end = at + length;
    if (draw(e, 2) && length > 1) {
        memmove(e->words + end - 1, e->words + end, (e->count - end) * sizeof *e->words);
        e->words[at] -= UINT32_C(1) << 16;
        e->count--;
    } else if (e->count < e->max && length < 0xffff) {
        memmove(e->words + end + 1, e->words + end, (e->count - end) * sizeof *e->words);
        e->words[end] = e->words[end - 1];
        e->words[at] += UINT32_C(1) << 16;
        e->count++;
    }
}

/* Swaps two operands; the result id and its type are kept. */
static void operands_swap(editor *e, size_t at)
{
    const sim_opcode *opcode = opcode_at(e, at);
    size_t length = e->words[at] >> 16;
    size_t first = opcode ? 1u + opcode->has_type + opcode->has_result : 1;
    if (length < first + 2) return;
    uint32_t *left = &e->words[at + first + draw(e, length - first)];
    uint32_t *right = &e->words[at + first + draw(e, length - first)];
    uint32_t word = *left;
    *left = *right;
    *right = word;
}

/* Replaces an operand or the type with that of another instruction with the same opcode. */
static void operand_borrow(editor *e, size_t at)
{
    size_t length = e->words[at] >> 16;
    for (uint32_t tries = 0; length > 1 && tries < 64; tries++) {
        size_t source = e->starts.items[draw(e, e->starts.count)];
        size_t source_length = e->words[source] >> 16;
        if ((e->words[source] ^ e->words[at]) & 0xffff || source == at) continue;
        size_t word = 1 + draw(e, length - 1);
        if (word == result_word(e, at) || word >= source_length) continue;
        e->words[at + word] = e->words[source + word];
        return;
    }
}

static void change(editor *e)
{
    size_t at = e->starts.items[draw(e, e->starts.count)];
    size_t other = e->starts.items[draw(e, e->starts.count)];
    switch (draw(e, 17)) {
    case 0: instruction_remove(e, at); break;
    case 1: instruction_copy(e, at, other); break;
    case 2: instruction_copy(e, at, at); break;
    case 3: length_change(e, at); break;
    case 4:
    case 5:
    case 6: opcode_change(e, at); break;
    case 7:
    case 8: operands_swap(e, at); break;
    case 9:
    case 10:
    case 11: operand_borrow(e, at); break;
    case 12: e->words[GENERATOR_WORD] = draw(e, 0x10000); break;
    default: operand_change(e, at);
    }
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    editor e = {.count = size / 4, .max = max_size / 4, .state = seed};
    e.words = rt_alloc_array(e.max + 1, sizeof *e.words);
    memcpy(e.words, data, e.count * 4);
    bool is_plain = e.count > HEADER_WORDS && draw(&e, 64) != 0;
    for (uint32_t left = 1 + draw(&e, 4); is_plain && left > 0; left--) {
        e.starts.count = 0;
        is_plain = index_words(&e);
        if (is_plain) change(&e);
    }
    size_t changed = e.count * 4;
    if (is_plain && changed > 0) memcpy(data, e.words, changed);
    rt_vector_free(&e.starts);
    rt_free(e.words);
    return is_plain && changed > 0 ? changed : LLVMFuzzerMutate(data, size, max_size);
}
