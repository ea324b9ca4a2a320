/* The header of a SPIR-V module and the lengths of its instructions. */
#include "reference/device/spirv.h"

#include "reference/base/check.h"

#include <string.h>

static const uint32_t magic = 0x07230203; /* SPIR-V 1.6, 3.1 "Magic Number" */

static uint32_t word_at(rt_bytes bytes, size_t index, bool is_swapped)
{
    uint32_t word;
    memcpy(&word, bytes.data + index * sizeof word, sizeof word);
    return is_swapped ? __builtin_bswap32(word) : word;
}

uint32_t dev_spirv_word(const dev_spirv *module, size_t index)
{
    CHECK(index < module->word_count);
    return word_at(module->bytes, index, module->is_swapped);
}

rt_status dev_spirv_read(rt_sink *sink, rt_bytes bytes, dev_spirv *out_module)
{
    size_t count = bytes.size / sizeof(uint32_t);
    bool has_word = count > 0;
    bool is_swapped = has_word && word_at(bytes, 0, true) == magic;
    *out_module = (dev_spirv){.bytes = bytes, .word_count = count, .is_swapped = is_swapped};
    if (!has_word || word_at(bytes, 0, is_swapped) != magic)
        return rt_fail(sink, RT_MALFORMED, RT_RULE_NONE,
                       "an image of %zu bytes does not begin with SPIR-V's magic number",
                       bytes.size);
    if (count < DEV_SPIRV_HEADER_WORDS || bytes.size % sizeof(uint32_t) != 0)
        return rt_fail(sink, RT_MALFORMED, RT_RULE_NONE,
                       "a SPIR-V module of %zu bytes is cut off: it has whole words, at least %u",
                       bytes.size, DEV_SPIRV_HEADER_WORDS);
    for (size_t at = DEV_SPIRV_HEADER_WORDS, length; at < count; at += length) {
        length = word_at(bytes, at, is_swapped) >> 16;
        if (length == 0 || length > count - at)
            return rt_fail(sink, RT_MALFORMED, RT_RULE_NONE,
                           "the instruction at word %zu of a SPIR-V module has %zu words, and %zu "
                           "are left; the module is cut off or damaged",
                           at, length, count - at);
    }
    out_module->version = word_at(bytes, 1, is_swapped);
    return RT_STATUS_OK;
}
