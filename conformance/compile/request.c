/* The serialised form of requests.  Little-endian (base/stream.h); a tag, a version, a kind, then
 *
 *     module: name split build_options  count (language name code)*
 *     link:   count bytes*
 *
 * A request holds everything that its artefact depends on but the compilers, so its hash names it.
 */
#include "conformance/compile/request.h"

#include "reference/base/stream.h"

enum { REQUEST_TAG = 0x51524341, REQUEST_VERSION = 1 }; /* "ACRQ" */

/* Least sizes in bytes of the items. */
enum { SOURCE_SIZE_MIN = 20, SPIRV_SIZE_MIN = 8 };

static void write_head(rt_buffer *out, cnf_request_kind kind)
{
    rt_write_u32(out, REQUEST_TAG);
    rt_write_u32(out, REQUEST_VERSION);
    rt_write_u32(out, kind);
}

void cnf_compile_request_module(rt_buffer *out, const scn_module *module)
{
    CHECK(module->source_count > 0 && (unsigned)module->split < RT_SPLIT_COUNT);
    write_head(out, CNF_REQUEST_MODULE);
    rt_write_text(out, module->name);
    rt_write_u32(out, module->split);
    rt_write_text(out, module->build_options);
    rt_write_u32(out, module->source_count);
    for (uint32_t i = 0; i < module->source_count; i++) {
        rt_write_u32(out, module->sources[i].language);
        rt_write_text(out, module->sources[i].name);
        rt_write_text(out, module->sources[i].code);
    }
}

void cnf_compile_request_link(rt_buffer *out, const rt_bytes *spirv, uint32_t count)
{
    CHECK(count > 0);
    write_head(out, CNF_REQUEST_LINK);
    rt_write_u32(out, count);
    for (uint32_t i = 0; i < count; i++)
        rt_write_bytes(out, spirv[i]);
}

static void read_module(rt_arena *arena, rt_reader *reader, cnf_request *request)
{
    request->module = rt_read_text(reader);
    request->split = (rt_split)rt_read_below(reader, RT_SPLIT_COUNT);
    request->build_options = rt_read_text(reader);
    request->source_count = rt_read_count(reader, SOURCE_SIZE_MIN);
    cnf_request_source *sources =
        rt_arena_alloc_array(arena, request->source_count, sizeof *sources);
    for (uint32_t i = 0; i < request->source_count; i++) {
        sources[i].language = (scn_language)rt_read_below(reader, SCN_LANGUAGE_COUNT);
        sources[i].name = rt_read_text(reader);
        sources[i].code = rt_read_text(reader);
    }
    request->sources = sources;
    if (request->source_count == 0) rt_reader_fail(reader);
}

static void read_link(rt_arena *arena, rt_reader *reader, cnf_request *request)
{
    request->spirv_count = rt_read_count(reader, SPIRV_SIZE_MIN);
    rt_bytes *spirv = rt_arena_alloc_array(arena, request->spirv_count, sizeof *spirv);
    for (uint32_t i = 0; i < request->spirv_count; i++)
        spirv[i] = rt_read_bytes(reader);
    request->spirv = spirv;
    if (request->spirv_count == 0) rt_reader_fail(reader);
}

rt_status cnf_request_read(rt_sink *sink, rt_arena *arena, rt_bytes bytes, cnf_request *out_request)
{
    *out_request = (cnf_request){0};
    rt_reader reader = rt_reader_of(bytes);
    if (rt_read_u32(&reader) != REQUEST_TAG) rt_reader_fail(&reader);
    if (rt_read_u32(&reader) != REQUEST_VERSION) rt_reader_fail(&reader);
    cnf_request request = {0};
    request.kind = (cnf_request_kind)rt_read_below(&reader, CNF_REQUEST_COUNT);
    if (!reader.failed && request.kind == CNF_REQUEST_MODULE) read_module(arena, &reader, &request);
    if (!reader.failed && request.kind == CNF_REQUEST_LINK) read_link(arena, &reader, &request);
    if (!rt_reader_finished(&reader)) {
        return rt_fail(sink, RT_MALFORMED, RT_RULE_NONE,
                       "damaged compile request: fault at byte %zu of %zu", reader.fault,
                       bytes.size);
    }
    *out_request = request;
    return RT_STATUS_OK;
}
