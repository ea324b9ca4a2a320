/* Writes the decorations of device_globals into a translated module.
 *
 * Source: document 002, "Changes to the sycl-post-link tool"; SPIR-V specification, 2.4 "Logical
 * Layout of a Module".  The numbers used for SPV_INTEL_global_variable_decorations are those of its
 * preview version, which DPC++'s compiler writes and drivers know. */
#include "reference/base/spirv.h"
#include "reference/compiler/postlink/device_globals.h"

#include "reference/base/rule.h"
#include "reference/base/stream.h"

#include <string.h>

enum {
    OP_SOURCE = 3,
    OP_EXTENSION = 10,
    OP_CAPABILITY = 17,
    OP_DECORATE = 71,
    CAPABILITY_DECORATIONS = 6146,
    DECORATION_LINKAGE = 41,
    DECORATION_HOST_ACCESS = 6147,
    DECORATION_INIT_MODE = 6148,
    DECORATION_IN_CSR = 6149,
};

#define EXTENSION "SPV_INTEL_global_variable_decorations"

/* ---- Instructions -------------------------------------------------------------------------- */

/* The words of a literal string: its characters, a NUL, and zeros up to a whole word. */
static uint32_t words_of(rt_text text)
{
    return (uint32_t)(text.length / 4 + 1);
}

static void write_head(rt_buffer *out, uint32_t opcode, uint32_t word_count)
{
    CHECK(word_count <= UINT16_MAX);
    rt_write_u32(out, word_count << 16 | opcode);
}

static void write_literal(rt_buffer *out, rt_text text)
{
    size_t size = 4 * (size_t)words_of(text);
    rt_buffer_append_text(out, text);
    for (size_t i = text.length; i < size; i++)
        rt_write_u8(out, 0);
}

static void write_decoration(rt_buffer *out, uint32_t target, uint32_t decoration, uint32_t value)
{
    write_head(out, OP_DECORATE, 4);
    rt_write_u32(out, target);
    rt_write_u32(out, decoration);
    rt_write_u32(out, value);
}

/* ---- Decorations --------------------------------------------------------------------------- */

/* Writes the decoration HostAccessINTEL, which every device_global has, since it carries the name
 * by which the runtime finds the variable. */
static void decorate_access(rt_buffer *out, uint32_t target, const rt_device_global *host)
{
    static const uint32_t modes[RT_HOST_ACCESS_COUNT] = {
        [RT_HOST_ACCESS_READ] = 0,
        [RT_HOST_ACCESS_WRITE] = 1,
        [RT_HOST_ACCESS_READ_WRITE] = 2,
        [RT_HOST_ACCESS_NONE] = 3,
    };
    CHECK(host->host_access < RT_HOST_ACCESS_COUNT);
    rt_text name = RULE(DG_POSTLINK_08, host->unique_id);
    /* A name that is too long for an instruction can only come from LLVM IR input; it is truncated,
     * so no lookup will find it. */
    enum { LENGTH_MAX = 4 * 60000 };
    if (name.length > LENGTH_MAX) name.length = LENGTH_MAX;
    write_head(out, OP_DECORATE, 4 + words_of(name));
    rt_write_u32(out, target);
    rt_write_u32(out, DECORATION_HOST_ACCESS);
    rt_write_u32(out, modes[RULE(DG_POSTLINK_07, host->host_access)]);
    write_literal(out, name);
}

/* Writes decorations for the host's access to a device_global and for when it is initialised. */
static void decorate(rt_buffer *out, uint32_t target, const pl_device_global *global)
{
    RULE(DG_POSTLINK_06, decorate_access(out, target, &global->host));
    bool has_mode = global->init_mode != PL_GLOBAL_ABSENT;
    if (RULE(DG_POSTLINK_09, has_mode))
        write_decoration(out, target, DECORATION_INIT_MODE, global->init_mode);
    bool has_csr = global->in_csr != PL_GLOBAL_ABSENT;
    if (RULE(DG_POSTLINK_10, has_csr))
        write_decoration(out, target, DECORATION_IN_CSR, global->in_csr);
}

/* Replaces the language in the OpSource that was just written, of `size` bytes, with the language
 * that DPC++'s compiler writes. Observed: only then does Intel's CPU runtime find variables by
 * their names in HostAccessINTEL. */
static void name_source(rt_buffer *out, size_t size)
{
    enum { OPENCL_CPP = 4, VERSION = 100000, WORD = sizeof(uint32_t) };
    CHECK(size >= 3 * WORD && out->size >= size);
    rt_buffer words = {0};
    rt_write_u32(&words, OPENCL_CPP);
    rt_write_u32(&words, VERSION);
    memcpy(out->data + out->size - size + WORD, words.data, words.size);
    rt_buffer_free(&words);
}

void pl_device_globals_decorate(const pl_image_global *globals, uint32_t count, rt_bytes spirv,
                                rt_buffer *out_spirv)
{
    CHECK(out_spirv->size == 0 && spirv.size > RT_SPIRV_HEADER_SIZE);
    if (count == 0) {
        rt_buffer_append(out_spirv, spirv.data, spirv.size);
        return;
    }
    rt_map symbols = {0}; /* -> index in globals */
    for (uint32_t i = 0; i < count; i++)
        rt_map_set(&symbols, globals[i].symbol, i);
    rt_spirv_walk walk = rt_spirv_walk_start(spirv);
    rt_spirv_instruction instruction;
    bool in_capabilities = true, in_extensions = true;
    rt_buffer_append(out_spirv, spirv.data, RT_SPIRV_HEADER_SIZE);
    while (rt_spirv_walk_next(&walk, &instruction)) {
        /* The capability goes after the other capabilities, and the extension after the other
         * extensions. */
        if (in_capabilities && instruction.opcode != OP_CAPABILITY) {
            in_capabilities = false;
            write_head(out_spirv, OP_CAPABILITY, 2);
            rt_write_u32(out_spirv, CAPABILITY_DECORATIONS);
        }
        if (!in_capabilities && in_extensions && instruction.opcode != OP_EXTENSION) {
            in_extensions = false;
            write_head(out_spirv, OP_EXTENSION, 1 + words_of(RT_TEXT(EXTENSION)));
            write_literal(out_spirv, RT_TEXT(EXTENSION));
        }
        rt_buffer_append(out_spirv, instruction.bytes.data, instruction.bytes.size);
        if (instruction.opcode == OP_SOURCE) name_source(out_spirv, instruction.bytes.size);
        if (instruction.opcode != OP_DECORATE) continue;
        if (rt_spirv_word(&instruction, 2) != DECORATION_LINKAGE) continue;
        uint32_t index = rt_map_find(&symbols, rt_spirv_text(&instruction, 3));
        if (index != RT_MAP_NONE)
            decorate(out_spirv, rt_spirv_word(&instruction, 1), &globals[index].global);
    }
    CHECK(!walk.is_damaged && !in_capabilities && !in_extensions);
    CHECK(out_spirv->size > spirv.size && out_spirv->size % 4 == 0);
    rt_map_free(&symbols);
}
