/* Checks that a module declares the capabilities, extensions and SPIR-V version that it needs.
 *
 * For every instruction and enumerant, the grammar lists the capabilities that enable it (any of
 * them is enough), the extensions that provide it, and the first version that includes it;
 * declaring a capability also declares those that it implies.  Widths of numbers and sizes of
 * vectors are not in the grammar.  Source: SPIR-V specification 1.6, sections 2.16.1, 3.31
 * "Capability" and 3.42.6. */
#include "sim/module/reader.h"
#include "sim/module/support.h"

#include <string.h>

/* The alternatives are ranges of the two pools. */
typedef struct need {
    uint32_t key;   /* opcode, or kind of operand */
    uint32_t value; /* value of the enumerant; 0 for an opcode */
    uint16_t capability_first, extension_first;
    uint8_t capability_count, extension_count;
    uint16_t version; /* 0x104: since 1.4; NO_VERSION: only in an extension */
} need;

enum { NO_VERSION = 0xffff };

#define SIM_NEED_CAPABILITY(name) SIM_Capability##name,
static const uint16_t capabilities[] = {
#include "sim_spirv_needs.inc"
};

#define SIM_NEED_EXTENSION(name) name,
static const char *const extensions[] = {
#include "sim_spirv_needs.inc"
};

#define SIM_NEED_OPCODE(number, first, count, extension, extension_number, version)                \
    {number, 0, first, extension, count, extension_number, version},
static const need opcodes[] = {
#include "sim_spirv_needs.inc"
};

#define SIM_NEED_ENUMERANT(kind, value, first, count, extension, extension_number, version)        \
    {SIM_KIND_##kind, value, first, extension, count, extension_number, version},
static const need enumerants[] = {
#include "sim_spirv_needs.inc"
};

/* The row for a key and value in a table sorted by both; NULL if nothing is needed. */
static const need *need_find(const need *rows, size_t count, uint32_t key, uint32_t value)
{
    uint64_t key_and_value = (uint64_t)key << 32 | value;
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        uint64_t current = (uint64_t)rows[middle].key << 32 | rows[middle].value;
        if (current == key_and_value) return &rows[middle];
        if (current < key_and_value) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return NULL;
}

/* ---- What is declared ---------------------------------------------------------------------- */

static bool is_declared(const sim_reader *reader, uint32_t capability)
{
    return capability < SIM_CAPABILITY_BOUND &&
           (reader->capabilities[capability / 64] >> capability % 64 & 1);
}

/* Declares a capability and all that it implies; if it has been declared before, so have those that
 * it implies. */
static void declare(sim_reader *reader, uint32_t capability)
{
    if (capability >= SIM_CAPABILITY_BOUND || is_declared(reader, capability)) return;
    reader->capabilities[capability / 64] |= UINT64_C(1) << capability % 64;
    const need *row = need_find(enumerants, sizeof enumerants / sizeof enumerants[0],
                                SIM_KIND_Capability, capability);
    for (uint32_t i = 0; row && i < row->capability_count; i++)
        declare(reader, capabilities[row->capability_first + i]);
}

rt_status sim_needs_declare(sim_reader *reader, const sim_view *view)
{
    if (view->opcode->number == SIM_OpCapability) {
        uint32_t capability = view->words[1];
        declare(reader, capability);
        if (sim_supports_capability(capability)) return RT_STATUS_OK;
        return sim_reader_fail(reader, RT_UNSUPPORTED, view->offset, "capability %s is refused",
                               sim_enumerant_name(SIM_KIND_Capability, capability));
    }
    if (view->opcode->number != SIM_OpExtension) return RT_STATUS_OK;
    /* The operands are examined only after this. */
    if (!memchr(view->words + 1, '\0', (view->count - 1) * sizeof *view->words))
        return sim_reader_fail(reader, RT_MALFORMED, view->offset,
                               "the extension's name is not terminated");
    rt_text name = sim_words_text(view->words + 1);
    *rt_vector_push(&reader->extensions) = name;
    if (sim_supports_extension(name)) return RT_STATUS_OK;
    return sim_reader_fail(reader, RT_UNSUPPORTED, view->offset, "extension %.*s is refused",
                           RT_TEXT_ARG(name));
}

/* ---- What is needed ------------------------------------------------------------------------ */

rt_status sim_needs_capability(sim_reader *reader, const sim_view *view, const char *noun,
                               const uint16_t *alternatives, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (is_declared(reader, alternatives[i])) return RT_STATUS_OK;
    }
    if (count == 0) return RT_STATUS_OK;
    rt_buffer names = {0};
    bool is_supported = false;
    for (uint32_t i = 0; i < count; i++) {
        is_supported |= sim_supports_capability(alternatives[i]);
        rt_buffer_printf(&names, "%s%s", i ? " or " : "",
                         sim_enumerant_name(SIM_KIND_Capability, alternatives[i]));
    }
    rt_status status =
        sim_reader_fail(reader, is_supported ? RT_MALFORMED : RT_UNSUPPORTED, view->offset,
                        "%s needs the capability %s, which is %s", noun, rt_buffer_string(&names),
                        is_supported ? "not declared" : "refused");
    rt_buffer_free(&names);
    return status;
}

static bool has_extension(const sim_reader *reader, const need *row)
{
    for (uint32_t i = 0; i < row->extension_count; i++) {
        for (uint32_t k = 0; k < reader->extensions.count; k++) {
            if (rt_text_is(reader->extensions.items[k], extensions[row->extension_first + i]))
                return true;
        }
    }
    return false;
}

/* Anything that is in no version of SPIR-V is accepted with its capability alone: translators omit
 * the extension (llvm-spirv 14 omits that of function pointers), and the capability is equally
 * explicit. */
static rt_status check_version(sim_reader *reader, const sim_view *view, const char *noun,
                               const need *row)
{
    bool is_known = row->version == NO_VERSION || reader->module->version >> 8 >= row->version;
    if (is_known || has_extension(reader, row)) return RT_STATUS_OK;
    return sim_reader_fail(reader, RT_MALFORMED, view->offset,
                           "%s needs SPIR-V %u.%u or an extension that the module does not declare",
                           noun, row->version >> 8, row->version & 0xffu);
}

rt_status sim_needs_instruction(sim_reader *reader, const sim_view *view)
{
    const need *row =
        need_find(opcodes, sizeof opcodes / sizeof opcodes[0], view->opcode->number, 0);
    if (!row) return RT_STATUS_OK;
    RT_TRY(sim_needs_capability(reader, view, "it", capabilities + row->capability_first,
                                row->capability_count));
    return check_version(reader, view, "it", row);
}

rt_status sim_needs_enumerant(sim_reader *reader, const sim_view *view, sim_operand_kind kind,
                              uint32_t value)
{
    const need *row =
        need_find(enumerants, sizeof enumerants / sizeof enumerants[0], (uint32_t)kind, value);
    if (!row) return RT_STATUS_OK;
    const char *name = sim_enumerant_name(kind, value);
    if (kind != SIM_KIND_Capability) { /* the row of a capability lists what it implies */
        RT_TRY(sim_needs_capability(reader, view, name, capabilities + row->capability_first,
                                    row->capability_count));
    }
    return check_version(reader, view, name, row);
}
