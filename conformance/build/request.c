/* The serialised form of requests.  Little-endian (base/stream.h); a tag, a version, a kind, then
 *
 *     module: name split profile build_options formats target embed_ir compile_options
 *             link_options
 *             count source*  count (source kernels_given sets_given)*  claims of the latter
 *     source: language name code
 *     link:   count (bytes  count (id value)*)*; ptx: the same, with one
 *     program: name code count option*
 *     fusion: as in reference/image/fusion_request.c
 *
 * The claims of images written by hand are a list of images (reference/image) without code.  A
 * request holds everything that its artefact depends on except the compilers, so its hash
 * identifies it. */
#include "conformance/build/request.h"

#include "reference/base/stream.h"

enum { REQUEST_TAG = 0x51524341, REQUEST_VERSION = 7 }; /* "ACRQ" */

/* Smallest serialised size of an item, in bytes. */
enum { SOURCE_SIZE_MIN = 20, IMAGE_SIZE_MIN = 22, OPTION_SIZE_MIN = 8 };

/* ---- Writing ------------------------------------------------------------------------------- */

static void write_head(rt_buffer *out, cnf_request_kind kind)
{
    rt_write_u32(out, REQUEST_TAG);
    rt_write_u32(out, REQUEST_VERSION);
    rt_write_u32(out, kind);
}

static void write_source(rt_buffer *out, const scn_source *source)
{
    CHECK(source->name.length > 0 && source->code.length > 0);
    rt_write_u32(out, source->language);
    rt_write_text(out, source->name);
    rt_write_text(out, source->code);
}

/* The aspects that the target supports, by their numbers in SYCL. */
static uint64_t target_aspects(const scn_module *module)
{
    static const uint32_t numbers[] = {
#define ASPECT_NUMBER(aspect, name, number) [DEV_ASPECT_##aspect] = number,
        DEV_ASPECTS(ASPECT_NUMBER)
#undef ASPECT_NUMBER
    };
    uint64_t aspects = UINT64_MAX;
    for (uint32_t i = 0; i < DEV_ASPECT_COUNT; i++) {
        bool lacks = module->target_lacks >> i & 1;
        /* The mask has no bit for an aspect from 64 on, which no code uses. */
        if (lacks && numbers[i] < 64) aspects &= ~(UINT64_C(1) << numbers[i]);
    }
    return aspects;
}

void cnf_compile_request_module(rt_buffer *out, const scn_module *module, rt_profile profile,
                                rt_format format, bool fuses)
{
    CHECK(format == RT_FORMAT_SPIRV64 || format == RT_FORMAT_PTX);
    CHECK(module->source_count + module->hand_image_count > 0);
    CHECK((unsigned)module->split < RT_SPLIT_COUNT && module->formats >> RT_FORMAT_COUNT == 0);
    CHECK((unsigned)profile < RT_PROFILE_COUNT);
    const uint32_t formats = module->formats ? module->formats : 1u << format;
    write_head(out, CNF_REQUEST_MODULE);
    rt_write_text(out, module->name);
    rt_write_u32(out, module->split);
    rt_write_u32(out, profile);
    rt_write_text(out, module->build_options);
    rt_write_u32(out, formats);
    rt_write_u64(out, target_aspects(module));
    /* Unless the module says otherwise, IR is embedded exactly when kernels may be fused. Images in
     * other formats hold no IR, so requests for them do not depend on it. */
    bool embeds =
        module->embed_ir == SCN_EMBED_IR_YES || (module->embed_ir == SCN_EMBED_IR_AUTO && fuses);
    rt_write_u8(out, embeds && (formats >> RT_FORMAT_PTX & 1));
    rt_write_text(out, module->compile_options);
    rt_write_text(out, module->link_options);
    rt_write_u32(out, module->source_count);
    for (uint32_t i = 0; i < module->source_count; i++)
        write_source(out, &module->sources[i]);
    rt_write_u32(out, module->hand_image_count);
    for (uint32_t i = 0; i < module->hand_image_count; i++) {
        const scn_hand_image *image = &module->hand_images[i];
        write_source(out, &image->source);
        rt_write_u8(out, image->kernels_given);
        rt_write_u8(out, image->sets_given);
    }
    for (uint32_t i = 0; i < module->hand_image_count; i++) {
        const scn_hand_image *image = &module->hand_images[i];
        bool follows = !module->formats && image->format == RT_FORMAT_SPIRV64;
        const rt_image claims = {
            .name = image->source.name,
            .format = follows ? format : image->format,
            .compile_options = image->compile_options,
            .link_options = image->link_options,
            .kernels = image->kernels,
            .kernel_count = image->kernels_given ? image->kernel_count : 0,
            .sets = image->sets,
            .set_count = image->sets_given ? image->set_count : 0,
        };
        rt_image_list_write(out, (rt_image_list){&claims, 1});
    }
}

static void write_codes(rt_buffer *out, const dev_code *codes, uint32_t count)
{
    CHECK(count > 0);
    rt_write_u32(out, count);
    for (uint32_t i = 0; i < count; i++) {
        CHECK(codes[i].format == RT_FORMAT_SPIRV64);
        rt_write_bytes(out, codes[i].bytes);
        rt_write_u32(out, codes[i].constant_count);
        for (uint32_t j = 0; j < codes[i].constant_count; j++) {
            rt_write_u32(out, codes[i].constants[j].id);
            rt_write_bytes(out, codes[i].constants[j].value);
        }
    }
}

void cnf_compile_request_link(rt_buffer *out, const dev_code *codes, uint32_t count)
{
    write_head(out, CNF_REQUEST_LINK);
    write_codes(out, codes, count);
}

void cnf_compile_request_ptx(rt_buffer *out, const dev_code *code)
{
    write_head(out, CNF_REQUEST_PTX);
    write_codes(out, code, 1);
}

void cnf_compile_request_program(rt_buffer *out, const cnf_program_source *program)
{
    CHECK(program->name.length > 0 && program->code.length > 0);
    write_head(out, CNF_REQUEST_PROGRAM);
    rt_write_text(out, program->name);
    rt_write_text(out, program->code);
    rt_write_u32(out, program->option_count);
    for (uint32_t i = 0; i < program->option_count; i++)
        rt_write_text(out, program->options[i]);
}

void cnf_compile_request_fusion(rt_buffer *out, const rt_fusion_request *request, bool is_shipped)
{
    write_head(out, is_shipped ? CNF_REQUEST_SHIPPED_FUSION : CNF_REQUEST_FUSION);
    rt_fusion_request_write(out, request);
}

/* ---- Reading ------------------------------------------------------------------------------- */

static cnf_request_source read_source(rt_reader *reader)
{
    cnf_request_source source = {0};
    source.language = (scn_language)rt_read_below(reader, SCN_LANGUAGE_COUNT);
    source.name = rt_read_text(reader);
    source.code = rt_read_text(reader);
    if (source.name.length == 0 || source.code.length == 0) rt_reader_fail(reader);
    return source;
}

static bool read_truth(rt_reader *reader)
{
    uint8_t value = rt_read_u8(reader);
    if (value > 1) rt_reader_fail(reader);
    return value == 1;
}

static void read_module(rt_sink *sink, rt_arena *arena, rt_reader *reader, cnf_request *request)
{
    request->module = rt_read_text(reader);
    request->split = (rt_split)rt_read_below(reader, RT_SPLIT_COUNT);
    request->profile = (rt_profile)rt_read_below(reader, RT_PROFILE_COUNT);
    request->build_options = rt_read_text(reader);
    request->formats = rt_read_below(reader, 1u << RT_FORMAT_OPENCL_C); /* not a format that modules
                                                                         * can request */
    request->target_aspects = rt_read_u64(reader);
    request->embed_ir = read_truth(reader);
    request->compile_options = rt_read_text(reader);
    request->link_options = rt_read_text(reader);
    request->source_count = rt_read_count(reader, SOURCE_SIZE_MIN);
    cnf_request_source *sources =
        rt_arena_alloc_array(arena, request->source_count, sizeof *sources);
    for (uint32_t i = 0; i < request->source_count; i++)
        sources[i] = read_source(reader);
    request->sources = sources;
    request->image_count = rt_read_count(reader, IMAGE_SIZE_MIN);
    cnf_request_image *images = rt_arena_alloc_array(arena, request->image_count, sizeof *images);
    for (uint32_t i = 0; i < request->image_count; i++) {
        images[i].source = read_source(reader);
        images[i].kernels_given = read_truth(reader);
        images[i].sets_given = read_truth(reader);
    }
    /* Damaged claims fail like any other damaged part of a request: the reader records the
     * position. */
    for (uint32_t i = 0; i < request->image_count && !reader->failed; i++) {
        rt_image_list list;
        rt_status status = rt_image_list_read(sink, arena, reader, &list);
        if (rt_ok(status) && list.count == 1)
            images[i].claims = list.images[0];
        else
            rt_reader_fail(reader);
    }
    request->images = images;
    if (request->formats == 0) rt_reader_fail(reader);
    if (request->source_count + request->image_count == 0) rt_reader_fail(reader);
}

static void read_program(rt_arena *arena, rt_reader *reader, cnf_request *request)
{
    request->program.language = SCN_LANGUAGE_OPENCL_C;
    request->program.name = rt_read_text(reader);
    request->program.code = rt_read_text(reader);
    if (request->program.name.length == 0 || request->program.code.length == 0)
        rt_reader_fail(reader);
    request->option_count = rt_read_count(reader, OPTION_SIZE_MIN);
    rt_text *options = rt_arena_alloc_array(arena, request->option_count, sizeof *options);
    for (uint32_t i = 0; i < request->option_count; i++)
        options[i] = rt_read_text(reader);
    request->options = options;
}

rt_status cnf_request_read(rt_sink *sink, rt_arena *arena, rt_bytes bytes, cnf_request *out_request)
{
    *out_request = (cnf_request){0};
    rt_reader reader = rt_reader_of(bytes);
    if (rt_read_u32(&reader) != REQUEST_TAG) rt_reader_fail(&reader);
    if (rt_read_u32(&reader) != REQUEST_VERSION) rt_reader_fail(&reader);
    cnf_request request = {0};
    request.kind = (cnf_request_kind)rt_read_below(&reader, CNF_REQUEST_COUNT);
    if (!reader.failed && request.kind == CNF_REQUEST_MODULE) {
        read_module(sink, arena, &reader, &request);
    } else if (!reader.failed &&
               (request.kind == CNF_REQUEST_LINK || request.kind == CNF_REQUEST_PTX)) {
        request.code_count = rt_read_count(&reader, RT_LINK_CODE_PACKED_MIN);
        rt_link_code *codes = rt_arena_alloc_array(arena, request.code_count, sizeof *codes);
        for (uint32_t i = 0; i < request.code_count; i++)
            codes[i] = rt_link_code_read(arena, &reader);
        request.codes = codes;
        bool is_one = request.code_count == 1;
        if (request.code_count == 0 || (request.kind == CNF_REQUEST_PTX && !is_one))
            rt_reader_fail(&reader);
    } else if (!reader.failed && request.kind == CNF_REQUEST_PROGRAM) {
        read_program(arena, &reader, &request);
    } else if (!reader.failed) {
        request.fusion = rt_fusion_request_read(arena, &reader);
    }
    if (!rt_reader_finished(&reader)) {
        return rt_fail(sink, RT_MALFORMED, RT_RULE_NONE,
                       "damaged compile request: fault at byte %zu of %zu", reader.fault,
                       bytes.size);
    }
    *out_request = request;
    return RT_STATUS_OK;
}
