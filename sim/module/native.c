/* Images of the native format: written from modules, read as untrusted input.
 *
 *     u32 magic "ASIM"   u32 version of the format   u32 version of the device
 *     u64 low, u64 high  hash of everything after it (reference/base/hash.h)
 *     u32 count          of modules, each: u64 bytes, SPIR-V
 *                        u64 low, high, low, high  its hashes of code and constants (module.h)
 *                        u32 count  of functions with a set, each: u64 bytes, name; u64 bytes, set
 *                        u32 count  of kernels that call sets, each: the same, with its sets
 *     u32 count          of unresolved imports, each: u64 bytes, name; as ordered by
 *                        sim_linkage_imports
 *
 * All numbers and words are little-endian, without padding.
 *
 * Specialisation is resolved in the words: a scalar specialisation constant becomes an ordinary
 * constant with its current value, and its SpecId decoration is removed.  Composites and operations
 * on such constants need no change: without a SpecId in their operands they are as constant as any
 * other. */
#include "reference/base/hash.h"
#include "reference/base/rule.h"
#include "reference/base/stream.h"
#include "sim/module/linker.h"
#include "sim/module/reader.h"

enum {
    MAGIC = 0x4d495341, /* "ASIM" */
    AT_FORMAT = 4,      /* byte offsets in the image */
    AT_DEVICE = 8,
    AT_HASH = 12,
    AT_CONTENT = 28,
    MODULE_SIZE_MIN = 8 + 4 * SIM_HEADER_WORDS + 4 * 8 + 2 * 4,
    NAME_SIZE_MIN = 8 + 1,
    DECLARED_SIZE_MIN = 8 + 8,
};

/* ---- Writing ------------------------------------------------------------------------------- */

static void write_instruction(rt_buffer *out, const sim_module *module, const uint32_t *words)
{
    uint32_t length = words[0] >> 16;
    switch (words[0] & 0xffff) {
    case SIM_OpDecorate:
        /* The linkage names stay: the program can still be linked. */
        if (RULE(DL_BACKEND_12, words[2] == SIM_DecorationSpecId)) return;
        break;
    case SIM_OpSpecConstant:
    case SIM_OpSpecConstantTrue:
    case SIM_OpSpecConstantFalse: {
        /* A specialisable scalar becomes an ordinary constant.  Integer types of kernels have no
         * sign, so a narrow literal is zero-extended to its word (SPIR-V specification 1.6, section
         * 2.2.1). */
        const sim_constant *constant = sim_module_constant(module, words[2]);
        CHECK(constant->kind == SIM_CONSTANT_BITS);
        uint32_t number = constant->bits ? SIM_OpConstantTrue : SIM_OpConstantFalse;
        if (constant->type->kind != SIM_TYPE_BOOL) number = SIM_OpConstant;
        CHECK(number == SIM_OpConstant ? length == 4 || length == 5 : length == 3);
        rt_write_u32(out, length << 16 | number);
        rt_write_u32(out, words[1]);
        rt_write_u32(out, words[2]);
        if (length >= 4) rt_write_u32(out, (uint32_t)constant->bits);
        if (length == 5) rt_write_u32(out, (uint32_t)(constant->bits >> 32));
        return;
    }
    default: break;
    }
    for (uint32_t i = 0; i < length; i++)
        rt_write_u32(out, words[i]);
}

static void write_declared(rt_buffer *out, const sim_declared_sets *rows, uint32_t count)
{
    rt_write_u32(out, count);
    for (uint32_t i = 0; i < count; i++) {
        rt_write_text(out, rows[i].name);
        rt_write_text(out, rows[i].sets);
    }
}

static void write_module(rt_buffer *out, const sim_module *module)
{
    rt_buffer code = {0};
    for (uint32_t i = 0; i < SIM_HEADER_WORDS; i++)
        rt_write_u32(&code, module->words[i]);
    uint32_t at = SIM_HEADER_WORDS;
    while (at < module->word_count) {
        CHECK(module->words[at] >> 16 != 0 && module->words[at] >> 16 <= module->word_count - at);
        write_instruction(&code, module, module->words + at);
        at += module->words[at] >> 16;
    }
    rt_write_bytes(out, rt_buffer_bytes(&code));
    rt_buffer_free(&code);
    /* The words contain neither the module's hashes nor its declared sets. */
    rt_write_u64(out, module->code_hash.low);
    rt_write_u64(out, module->code_hash.high);
    rt_write_u64(out, module->constants_hash.low);
    rt_write_u64(out, module->constants_hash.high);
    write_declared(out, module->declarations.functions, module->declarations.function_count);
    write_declared(out, module->declarations.kernels, module->declarations.kernel_count);
}

rt_status sim_native_write(rt_sink *sink, const sim_module *const *modules, uint32_t count,
                           rt_buffer *out)
{
    CHECK(count >= 1);
    rt_arena arena = {0};
    const rt_text *imports = NULL;
    uint32_t import_count = 0;
    rt_status status = sim_linkage_imports(sink, modules, count, &arena, &imports, &import_count);
    rt_buffer content = {0};
    rt_write_u32(&content, count);
    for (uint32_t i = 0; i < count; i++)
        write_module(&content, modules[i]);
    rt_write_u32(&content, RULE(DL_BACKEND_11, import_count)); /* an image may be incomplete */
    for (uint32_t i = 0; i < import_count; i++)
        rt_write_text(&content, imports[i]);
    if (rt_ok(status) && content.size > RT_IMAGE_SIZE_MAX - AT_CONTENT) {
        status = rt_fail(sink, RT_LIMIT, RT_RULE_NONE,
                         "a native image with %zu bytes of modules exceeds the limit of %u bytes",
                         content.size, RT_IMAGE_SIZE_MAX);
    }
    if (rt_ok(status)) {
        rt_hash hash = rt_hash128(content.data, content.size);
        rt_write_u32(out, MAGIC);
        rt_write_u32(out, SIM_NATIVE_FORMAT);
        rt_write_u32(out, SIM_NATIVE_DEVICE);
        rt_write_u64(out, hash.low);
        rt_write_u64(out, hash.high);
        rt_buffer_append(out, content.data, content.size);
    }
    rt_buffer_free(&content);
    rt_arena_reset(&arena);
    return status;
}

/* ---- Reading ------------------------------------------------------------------------------- */

/* The state of reading an image. */
typedef struct native_reader {
    rt_sink *sink;
    rt_reader stream;
    sim_native *native;
} native_reader;

/* Makes a failure status whose message gives the position in bytes. */
#define refuse(reader, code, at, ...) refuse_at((reader), (code), (at), __LINE__, __VA_ARGS__)

RT_PRINTF(5, 6)
static rt_status refuse_at(const native_reader *reader, rt_code code, size_t at, int line,
                           const char *format, ...)
{
    rt_buffer place = {0};
    rt_buffer_printf(&place, "native image, byte %zu of %zu: ", at, reader->stream.input.size);
    va_list arguments;
    va_start(arguments, format);
    rt_status status = rt_sink_fail_prefixed(reader->sink, code, rt_buffer_text(&place), __FILE__,
                                             line, format, arguments);
    va_end(arguments);
    rt_buffer_free(&place);
    return status;
}

static rt_status read_header(native_reader *reader)
{
    rt_reader *stream = &reader->stream;
    if (stream->input.size > RT_IMAGE_SIZE_MAX)
        return refuse(reader, RT_LIMIT, RT_IMAGE_SIZE_MAX, "an image must not exceed %u bytes",
                      RT_IMAGE_SIZE_MAX);
    uint32_t magic = rt_read_u32(stream), format = rt_read_u32(stream);
    uint32_t device = rt_read_u32(stream);
    rt_hash expected = {.low = rt_read_u64(stream)};
    expected.high = rt_read_u64(stream);
    if (magic != MAGIC && stream->input.size >= AT_FORMAT)
        return refuse(reader, RT_MALFORMED, 0,
                      "it begins with the word 0x%08x, not with 0x%08x as the images of the "
                      "simulated device's offline compiler do",
                      magic, (unsigned)MAGIC);
    if (stream->failed)
        return refuse(reader, RT_MALFORMED, stream->fault, "the image ends inside its header");
    if (format != SIM_NATIVE_FORMAT)
        return refuse(
            reader, RT_UNSUPPORTED, AT_FORMAT,
            "its format has version %u, but this device reads version %u; compile the image again",
            format, SIM_NATIVE_FORMAT);
    if (device != SIM_NATIVE_DEVICE)
        return refuse(reader, RT_UNSUPPORTED, AT_DEVICE,
                      "it is for version %u of the simulated device, but this is version %u; "
                      "compile the image again",
                      device, SIM_NATIVE_DEVICE);
    CHECK(stream->position == AT_CONTENT);
    rt_hash hash = rt_hash128(stream->input.data + AT_CONTENT, stream->input.size - AT_CONTENT);
    if (hash.low == expected.low && hash.high == expected.high) return RT_STATUS_OK;
    return refuse(reader, RT_MALFORMED, AT_HASH,
                  "the hash of its contents is %s, but the header says %s: the image is damaged",
                  rt_hash_print(hash).digits, rt_hash_print(expected).digits);
}

static const sim_declared_sets *read_declared(native_reader *reader, uint32_t *out_count)
{
    *out_count = rt_read_count(&reader->stream, DECLARED_SIZE_MIN);
    sim_declared_sets *rows =
        rt_arena_alloc_array(&reader->native->arena, *out_count, sizeof *rows);
    for (uint32_t i = 0; i < *out_count; i++) {
        rows[i].name = rt_read_text(&reader->stream);
        rows[i].sets = rt_read_text(&reader->stream);
    }
    return rows;
}

static rt_status read_module(native_reader *reader)
{
    sim_native *native = reader->native;
    rt_reader *stream = &reader->stream;
    uint32_t number = native->module_count;
    rt_bytes code = rt_read_bytes(stream);
    if (stream->failed)
        return refuse(reader, RT_MALFORMED, stream->fault, "the image ends inside module %u",
                      number);
    size_t at = stream->position - code.size;
    sim_module *module;
    rt_status status = sim_module_create(reader->sink, code, NULL, 0, &module);
    if (!rt_ok(status)) {
        const rt_diagnostic *why = rt_sink_diagnostic(reader->sink, status);
        return refuse(reader, (rt_code)status.code, at, "module %u is refused: %.*s", number,
                      RT_TEXT_ARG(why->message));
    }
    native->modules[native->module_count++] = module;
    for (uint32_t i = 0; i < module->constant_count; i++) {
        if (module->constants[i].spec_id == SIM_NONE) continue;
        /* The compiler leaves no specialisation constants. */
        return refuse(reader, RT_MALFORMED, at, "its module still has specialisation constant %u",
                      module->constants[i].spec_id);
    }
    module->code_hash.low = rt_read_u64(stream);
    module->code_hash.high = rt_read_u64(stream);
    module->constants_hash.low = rt_read_u64(stream);
    module->constants_hash.high = rt_read_u64(stream);
    sim_declarations declared = {0};
    declared.functions = read_declared(reader, &declared.function_count);
    declared.kernels = read_declared(reader, &declared.kernel_count);
    if (stream->failed)
        return refuse(reader, RT_MALFORMED, stream->fault,
                      "the image ends inside the declared sets of module %u", number);
    sim_module_declare(module, &declared);
    return RT_STATUS_OK;
}

/* The names must be exactly the modules' unresolved imports, so that callers can rely on them. */
static rt_status read_imports(native_reader *reader)
{
    sim_native *native = reader->native;
    size_t at = reader->stream.position;
    rt_status status = sim_linkage_imports(reader->sink, (const sim_module *const *)native->modules,
                                           native->module_count, &native->arena, &native->imports,
                                           &native->import_count);
    if (!rt_ok(status)) {
        const rt_diagnostic *why = rt_sink_diagnostic(reader->sink, status);
        return refuse(reader, RT_MALFORMED, AT_CONTENT, "its modules cannot be linked: %.*s",
                      RT_TEXT_ARG(why->message));
    }
    uint32_t count = rt_read_count(&reader->stream, NAME_SIZE_MIN);
    if (count != native->import_count)
        return refuse(reader, RT_MALFORMED, at,
                      "it lists %u unresolved imports, but its modules have %u", count,
                      native->import_count);
    for (uint32_t i = 0; i < count; i++) {
        at = reader->stream.position;
        rt_text name = rt_read_text(&reader->stream);
        if (rt_text_equal(name, native->imports[i])) continue;
        return refuse(reader, RT_MALFORMED, at, "its modules import '%.*s', which it does not list",
                      RT_TEXT_ARG(native->imports[i]));
    }
    return RT_STATUS_OK;
}

static rt_status read_all(native_reader *reader)
{
    RT_TRY(read_header(reader));
    uint32_t count = rt_read_count(&reader->stream, MODULE_SIZE_MIN);
    if (count == 0)
        return refuse(reader, RT_MALFORMED, AT_CONTENT,
                      "it lists no modules, or more than it can hold");
    reader->native->modules =
        rt_arena_alloc_array(&reader->native->arena, count, sizeof(sim_module *));
    for (uint32_t i = 0; i < count; i++)
        RT_TRY(read_module(reader));
    RT_TRY(read_imports(reader));
    if (rt_reader_finished(&reader->stream)) return RT_STATUS_OK;
    return refuse(reader, RT_MALFORMED, reader->stream.position, "extra bytes follow its end");
}

rt_status sim_native_read(rt_sink *sink, rt_bytes image, sim_native *out_native)
{
    *out_native = (sim_native){0};
    native_reader reader = {.sink = sink, .stream = rt_reader_of(image), .native = out_native};
    rt_status status = read_all(&reader);
    if (!rt_ok(status)) sim_native_free(out_native);
    return status;
}

void sim_native_free(sim_native *native)
{
    for (uint32_t i = 0; i < native->module_count; i++)
        sim_module_destroy(native->modules[i]);
    rt_arena_reset(&native->arena);
    *native = (sim_native){0};
}
