/* The properties of an image's SPIR-V that the driver does not report or check: the version, the
 * sizes of specialisation constants, whether there are symbols for other modules or host code, and
 * the names of variables in host code.
 *
 * Source: SPIR-V 1.6, 3.42; SPV_INTEL_global_variable_host_access, with the numbers of its preview
 * and its final version. */
#include "backends/level_zero/l0_code.h"

#include "backends/vendor/validate.h"
#include "reference/base/alloc.h"
#include "reference/base/spirv.h"

#include <string.h>

enum {
    OP_DECORATE = 71,
    DECORATION_LINKAGE = 41,
    DECORATION_HOST_ACCESS_PREVIEW = 6147,
    DECORATION_HOST_ACCESS = 6188,
    LINKAGE_EXPORT = 0,
    LINKAGE_LINK_ONCE_ODR = 2,
};

static bool decorates(const rt_spirv_instruction *instruction, uint32_t decoration)
{
    return instruction->opcode == OP_DECORATE && instruction->word_count >= 4 &&
           rt_spirv_word(instruction, 2) == decoration;
}

/* ---- Specialisation constants ------------------------------------------------------------- */

static rt_status constants_read(const l0_device *device, rt_bytes module, const dev_code *code,
                                l0_code *out_code)
{
    if (code->constant_count == 0) return RT_STATUS_OK;
    out_code->constant_ids = rt_alloc_array(code->constant_count, sizeof(uint32_t));
    out_code->constant_values = rt_alloc_array(code->constant_count, sizeof(uint64_t));
    out_code->constant_pointers = rt_alloc_array(code->constant_count, sizeof(void *));
    for (uint32_t i = 0; i < code->constant_count; i++) {
        const dev_spec_constant *constant = &code->constants[i];
        rt_spirv_instruction instruction;
        uint32_t size = rt_spirv_spec_constant_find(module, constant->id, &instruction);
        if (size == 0) continue; /* ignored (device.h) */
        if (constant->value.size != size || size > sizeof(uint64_t))
            return rt_fail(device->sink, RT_ERRC_INVALID, RT_RULE_NONE,
                           "specialisation constant %u has %u bytes but was given a value of %zu; "
                           "pass a value of the constant's own type",
                           constant->id, size, constant->value.size);
        uint32_t place = out_code->constant_count++;
        CHECK(place < code->constant_count);
        out_code->constant_ids[place] = constant->id;
        memcpy(&out_code->constant_values[place], constant->value.data, size);
        out_code->constant_pointers[place] = &out_code->constant_values[place];
    }
    return RT_STATUS_OK;
}

/* ---- Names -------------------------------------------------------------------------------- */

/* Appends the string at word `index` and a NUL; a damaged string counts as empty. */
static void text_append(const rt_spirv_instruction *at, uint32_t index, rt_buffer *out_names)
{
    (void)rt_spirv_text_append(at, index, out_names);
    rt_buffer_append_byte(out_names, '\0');
}

/* Appends the linkage name of a variable, empty if it has none. */
static void linkage_append(rt_bytes module, uint32_t variable, rt_buffer *out_names)
{
    rt_spirv_walk walk = rt_spirv_walk_start(module);
    for (rt_spirv_instruction at; rt_spirv_walk_next(&walk, &at);) {
        if (!decorates(&at, DECORATION_LINKAGE) || rt_spirv_word(&at, 1) != variable) continue;
        text_append(&at, 3, out_names);
        return;
    }
    rt_buffer_append_byte(out_names, '\0');
}

static void names_read(rt_bytes module, l0_code *out_code)
{
    rt_spirv_walk walk = rt_spirv_walk_start(module);
    for (rt_spirv_instruction at; rt_spirv_walk_next(&walk, &at);) {
        out_code->has_symbols = out_code->has_symbols || decorates(&at, DECORATION_LINKAGE);
        bool named = decorates(&at, DECORATION_HOST_ACCESS_PREVIEW) ||
                     decorates(&at, DECORATION_HOST_ACCESS);
        if (!named || at.word_count < 5) continue;
        out_code->has_symbols = true;
        text_append(&at, 4, &out_code->names); /* after the access mode */
        linkage_append(module, rt_spirv_word(&at, 1), &out_code->names);
    }
}

const char *l0_names_find(const l0_names *names, rt_text host_name)
{
    for (size_t at = 0; at < names->size;) {
        const char *host = names->data + at, *linkage = host + strlen(host) + 1;
        if (rt_text_is(host_name, host)) return *linkage ? linkage : NULL;
        at += strlen(host) + strlen(linkage) + 2;
    }
    return NULL;
}

static bool has_host_name(rt_bytes module, uint32_t variable)
{
    rt_spirv_walk walk = rt_spirv_walk_start(module);
    for (rt_spirv_instruction at; rt_spirv_walk_next(&walk, &at);) {
        bool named = decorates(&at, DECORATION_HOST_ACCESS_PREVIEW) ||
                     decorates(&at, DECORATION_HOST_ACCESS);
        if (named && rt_spirv_word(&at, 1) == variable) return true;
    }
    return false;
}

void l0_code_export_variables(l0_code *code)
{
    rt_bytes module = rt_buffer_bytes(&code->bytes);
    rt_spirv_walk walk = rt_spirv_walk_start(module);
    for (rt_spirv_instruction at; rt_spirv_walk_next(&walk, &at);) {
        if (!decorates(&at, DECORATION_LINKAGE)) continue;
        if (rt_spirv_word(&at, at.word_count - 1) != LINKAGE_LINK_ONCE_ODR) continue;
        if (!has_host_name(module, rt_spirv_word(&at, 1))) continue;
        /* The linkage type is the last word; Export is zero in every byte order. */
        _Static_assert(LINKAGE_EXPORT == 0, "zeroed below");
        size_t end = (size_t)(at.bytes.data - module.data) + at.bytes.size;
        memset(code->bytes.data + end - sizeof(uint32_t), 0, sizeof(uint32_t));
    }
}

/* ---- The whole ---------------------------------------------------------------------------- */

rt_status l0_code_make(const l0_device *device, const dev_code *code, l0_code *out_code)
{
    *out_code = (l0_code){0};
    RT_TRY(vendor_format_validate(device->sink, rt_buffer_text(&device->name), RT_FORMAT_SPIRV64,
                                  code->format));
    RT_TRY(vendor_spirv_validate(device->sink, code->bytes));
    uint32_t version = rt_spirv_walk_start(code->bytes).version;
    uint32_t version_max = device->capabilities.spirv_max;
    if (version > version_max)
        return rt_fail(device->sink, RT_UNSUPPORTED, RT_RULE_NONE,
                       "an image is SPIR-V %u.%u, but '%s' supports versions up to %u.%u",
                       version >> 16 & 255, version >> 8 & 255, rt_buffer_string(&device->name),
                       version_max >> 16, version_max >> 8 & 255);
    rt_status status = constants_read(device, code->bytes, code, out_code);
    if (!rt_ok(status)) {
        l0_code_free(out_code);
        return status;
    }
    names_read(code->bytes, out_code);
    CHECK(out_code->constant_count <= code->constant_count);
    CHECK_IMPLIES(out_code->names.size > 0, out_code->has_symbols);
    rt_buffer_append(&out_code->bytes, code->bytes.data, code->bytes.size);
    rt_buffer_append_text(&out_code->options, code->options);
    return RT_STATUS_OK;
}

void l0_code_free(l0_code *code)
{
    rt_buffer_free(&code->bytes);
    rt_buffer_free(&code->options);
    rt_buffer_free(&code->names);
    rt_free(code->constant_ids);
    rt_free(code->constant_values);
    rt_free(code->constant_pointers);
    *code = (l0_code){0};
}
