/* Reads a SPIR-V module: header, byte order, and the order of the passes (reader.h).
 *
 * Nothing here executes, links or changes a module.  Source: SPIR-V specification 1.6, sections 2.3
 * "Physical Layout of a SPIR-V Module and Instruction" and 2.17 "Universal Limits". */
#include "sim/module/reader.h"

#include "reference/base/alloc.h"
#include "reference/base/stream.h"

#include <stdarg.h>
#include <string.h>

enum {
    MAGIC = 0x07230203,
    MAGIC_SWAPPED = 0x03022307,
    VERSION_MIN = 0x00010000,
    VERSION_MAX = 0x00010600,
    ID_BOUND_MAX = 4194304, /* section 2.17: ids up to 4,194,303 */
};

rt_status sim_reader_report(sim_reader *reader, rt_code code, uint32_t offset, const char *file,
                            int line, const char *format, ...)
{
    rt_buffer place = {0};
    rt_buffer_printf(&place, "SPIR-V word %u", offset);
    if (offset >= SIM_HEADER_WORDS && offset < reader->module->word_count) {
        const sim_opcode *opcode = sim_opcode_find(reader->words[offset] & 0xffff);
        if (opcode) rt_buffer_printf(&place, ", %s", opcode->name);
    }
    rt_buffer_append_text(&place, RT_TEXT(": "));
    va_list arguments;
    va_start(arguments, format);
    rt_status status = rt_sink_fail_prefixed(reader->sink, code, rt_buffer_text(&place), file, line,
                                             format, arguments);
    va_end(arguments);
    rt_buffer_free(&place);
    return status;
}

sim_view sim_reader_view(const sim_reader *reader, uint32_t offset)
{
    CHECK(offset >= SIM_HEADER_WORDS && offset < reader->module->word_count);
    const uint32_t *words = reader->words + offset;
    sim_view view = {sim_opcode_find(words[0] & 0xffff), words, words[0] >> 16, offset};
    CHECK(view.opcode && view.count >= view.opcode->words_min);
    CHECK(view.count <= reader->module->word_count - offset);
    return view;
}

/* Copies the words into the module, converted to the byte order of this machine. */
static rt_status copy_words(sim_reader *reader, rt_bytes code)
{
    if (code.size > RT_IMAGE_SIZE_MAX) {
        return rt_fail(reader->sink, RT_LIMIT, RT_RULE_NONE,
                       "a SPIR-V module of %zu bytes exceeds the limit of %u bytes", code.size,
                       RT_IMAGE_SIZE_MAX);
    }
    if (code.size % sizeof(uint32_t) != 0 || code.size < SIM_HEADER_WORDS * sizeof(uint32_t)) {
        return rt_fail(
            reader->sink, RT_MALFORMED, RT_RULE_NONE,
            "a SPIR-V module cannot have %zu bytes; its size must be a multiple of 4, at least 20",
            code.size);
    }
    sim_module *module = reader->module;
    module->word_count = (uint32_t)(code.size / sizeof(uint32_t));
    reader->words = rt_arena_alloc(&module->arena, code.size);
    memcpy(reader->words, code.data, code.size);
    module->words = reader->words;
    if (reader->words[0] == MAGIC_SWAPPED) {
        for (uint32_t i = 0; i < module->word_count; i++) {
            reader->words[i] = __builtin_bswap32(reader->words[i]);
        }
    }
    return RT_STATUS_OK;
}

static rt_status read_header(sim_reader *reader)
{
    sim_module *module = reader->module;
    const uint32_t *words = reader->words;
    CHECK(words && module->word_count >= SIM_HEADER_WORDS);
    if (words[0] != MAGIC) {
        return sim_reader_fail(reader, RT_MALFORMED, 0,
                               "the magic number is 0x%08x; SPIR-V begins with 0x%08x", words[0],
                               MAGIC);
    }
    module->version = words[1];
    if ((module->version & 0xff0000ff) || module->version < VERSION_MIN) {
        return sim_reader_fail(reader, RT_MALFORMED, 1, "0x%08x is not a version of SPIR-V",
                               words[1]);
    }
    if (module->version > VERSION_MAX) {
        return sim_reader_fail(reader, RT_UNSUPPORTED, 1,
                               "SPIR-V %u.%u is newer than 1.6, the latest supported version",
                               words[1] >> 16, words[1] >> 8 & 0xff);
    }
    module->id_bound = words[3];
    if (module->id_bound == 0) {
        return sim_reader_fail(reader, RT_MALFORMED, 3, "the id bound is 0");
    }
    if (module->id_bound > ID_BOUND_MAX) {
        return sim_reader_fail(reader, RT_LIMIT, 3, "the id bound is %u; at most %u is supported",
                               words[3], ID_BOUND_MAX);
    }
    if (words[4] != 0) {
        return sim_reader_fail(reader, RT_MALFORMED, 4, "the schema is %u; it must be 0", words[4]);
    }
    return RT_STATUS_OK;
}

/* Runs all passes in order. */
static rt_status read_all(sim_reader *reader, rt_bytes code)
{
    RT_TRY(copy_words(reader, code));
    RT_TRY(read_header(reader));
    sim_module *module = reader->module;
    /* Zeroed pages cost nothing until touched, so an absurdly large bound costs nothing. */
    module->ids = rt_alloc_array(module->id_bound, sizeof *module->ids);
    reader->first_use = rt_alloc_array(module->id_bound, sizeof *reader->first_use);
    RT_TRY(sim_read_forms(reader));
    RT_TRY(sim_read_declarations(reader));
    RT_TRY(sim_read_functions(reader));
    RT_TRY(sim_read_entries(reader));
    RT_TRY(sim_build_flow(reader));
    return sim_validate(reader);
}

/* A hash of the given values, independent of their order. */
static rt_hash constants_hash(const sim_spec_constant *constants, uint32_t count)
{
    rt_hash sum = {0};
    for (uint32_t i = 0; i < count; i++) {
        rt_buffer bytes = {0};
        rt_write_u32(&bytes, constants[i].id);
        rt_write_bytes(&bytes, constants[i].value);
        rt_hash hash = rt_hash128(bytes.data, bytes.size);
        sum.low += hash.low;
        sum.high += hash.high;
        rt_buffer_free(&bytes);
    }
    return sum;
}

rt_status sim_module_create(rt_sink *sink, rt_bytes code, const sim_spec_constant *constants,
                            uint32_t constant_count, sim_module **out_module)
{
    CHECK(constant_count == 0 || constants);
    *out_module = NULL;
    sim_reader reader = {.sink = sink,
                         .values = constants,
                         .value_count = constant_count,
                         .module = rt_alloc(sizeof(sim_module))};
    atomic_init(&reader.module->references, 1);
    rt_status status = read_all(&reader, code);
    rt_free(reader.first_use);
    rt_map_free(&reader.type_words);
    rt_vector_free(&reader.extensions);
    rt_vector_free(&reader.entries);
    rt_vector_free(&reader.modes);
    rt_vector_free(&reader.groups);
    rt_vector_free(&reader.decorations);
    if (rt_ok(status)) {
        reader.module->code_hash = rt_hash128(code.data, code.size);
        reader.module->constants_hash = constants_hash(constants, constant_count);
        CHECK_SLOW(sim_module_check(reader.module));
        *out_module = reader.module;
    } else {
        sim_module_destroy(reader.module);
    }
    return status;
}

void sim_module_image(sim_module *module, rt_text image)
{
    module->image = rt_arena_text(&module->arena, image);
}

sim_module *sim_module_retain(sim_module *module)
{
    atomic_fetch_add(&module->references, 1);
    return module;
}

void sim_module_destroy(sim_module *module)
{
    if (!module || atomic_fetch_sub(&module->references, 1) != 1) return;
    rt_free(module->ids);
    rt_arena_reset(&module->arena);
    rt_free(module);
}
