/* Builds a module's companion (companion.h), instruction by instruction. */
#include "sim/fuzz/companion.h"

#include "reference/base/alloc.h"
#include "sim/module/opcodes.h"

#include <string.h>

#define HEADER_WORDS 5u
#define LINKAGE_NAME "SPV_KHR_linkonce_odr"

/* The extension that LinkOnceODR needs, as an instruction: the name's 20 bytes and a terminating
 * word. */
static const uint32_t extension[1 + (sizeof LINKAGE_NAME + 3) / 4] = {
    (uint32_t)(sizeof extension / sizeof *extension) << 16 | SIM_OpExtension};

/* Appends words; the target must have room for them. */
static void append(uint32_t *words, size_t *count, const uint32_t *source, size_t source_count)
{
    memcpy(words + *count, source, source_count * sizeof *source);
    *count += source_count;
}

static bool is_of_entry(uint32_t opcode)
{
    return opcode == SIM_OpEntryPoint || opcode == SIM_OpExecutionMode ||
           opcode == SIM_OpExecutionModeId;
}

/* The linkage type is the last word of its decoration. */
static void weaken(uint32_t *instruction, uint32_t length)
{
    bool is_linkage = (instruction[0] & 0xffff) == SIM_OpDecorate && length > 4 &&
                      instruction[2] == SIM_DecorationLinkageAttributes;
    if (is_linkage && instruction[length - 1] == SIM_LinkageTypeExport) {
        instruction[length - 1] = SIM_LinkageTypeLinkOnceODR;
    }
}

rt_bytes companion_of(rt_bytes code)
{
    size_t from_count = code.size / sizeof(uint32_t), count = 0;
    size_t extension_count = sizeof extension / sizeof *extension;
    uint32_t *from = rt_alloc_array(from_count + 1, sizeof *from);
    uint32_t *words = rt_alloc_array(from_count + 1 + extension_count, sizeof *words);
    memcpy(from, code.data, from_count * sizeof *from);
    size_t at = from_count < HEADER_WORDS ? from_count : HEADER_WORDS;
    append(words, &count, from, at);
    bool has_extension = false;
    while (at < from_count) {
        uint32_t length = from[at] >> 16, opcode = from[at] & 0xffff;
        if (length == 0 || length > from_count - at) break;
        if (opcode != SIM_OpCapability && !has_extension) {
            append(words, &count, extension, extension_count);
            memcpy(words + count - extension_count + 1, LINKAGE_NAME, sizeof LINKAGE_NAME);
            has_extension = true;
        }
        if (!is_of_entry(opcode)) {
            append(words, &count, from + at, length);
            weaken(words + count - length, length);
        }
        at += length;
    }
    rt_free(from);
    return (rt_bytes){(const uint8_t *)words, count * sizeof *words};
}
