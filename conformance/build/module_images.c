/* Builds a module's images from its sources.
 *
 * Every source goes through the front end of its language. The bitcode of all sources goes through
 * post-link together; SPIR-V is used as an image unchanged; SYCL sources become images in the
 * shipped compiler, which splits each source separately. If the module requests the native format,
 * the offline compiler translates all these images. For PTX the sources are compiled once more. An
 * image written by hand is compiled separately and then described as the scenario says. Images are
 * numbered in this order. */
#include "conformance/build/worker.h"

#include "conformance/build/answer.h"
#include "conformance/build/front_end.h"
#include "conformance/build/ir_repair.h"
#include "conformance/build/offline.h"
#include "conformance/build/spirv_outline.h"
#include "conformance/build/sycl_copies.h"
#include "conformance/build/sycl_globals.h"
#include "conformance/build/sycl_images.h"
#include "conformance/scenario/model/build_options.h"
#include "reference/base/map.h"

#include <string.h>

enum {
    SPIRV_VERSION_MAX = 0x00010200 /* 1.2, the newest version that the supported drivers accept */
};

/* A source being compiled. */
typedef struct source_unit {
    const cnf_request_source *source;
    cnf_front_end_run run;
    rt_bytes code;          /* bitcode, SPIR-V or SYCLBIN, once compiled */
    rt_text header, footer; /* of SYCL */
    rt_image_list images;   /* of SPIR-V (one image) and of SYCL */
    bool ptx;               /* compiled for nvptx64 */
} source_unit;

typedef RT_VECTOR(rt_image) image_list;
typedef RT_VECTOR(rt_device_global) global_list;
typedef RT_VECTOR(scn_host_half) half_list;

typedef struct module_job {
    cnf_worker *worker;
    const cnf_request *request;
    source_unit *units; /* the sources, then the images, then the sources again for nvptx64 */
    uint32_t unit_count;
    image_list images;
    global_list globals; /* registered by host code, each id once */
    rt_map global_ids;
    half_list host_halves;
} module_job;

static bool is_spirv(const source_unit *unit)
{
    scn_language language = unit->source->language;
    return language == SCN_LANGUAGE_SPIRV_ASM || language == SCN_LANGUAGE_SPIRV;
}

/* True if the source becomes images without post-link. */
static bool has_images(const source_unit *unit)
{
    return is_spirv(unit) || unit->source->language == SCN_LANGUAGE_SYCL;
}

static cnf_front_end_options options_of(const cnf_request *request, const source_unit *unit)
{
    return (cnf_front_end_options){request->build_options, request->split, unit->ptx};
}

/* ---- Front ends ---------------------------------------------------------------------------- */

/* Refuses a source with the plugin's reason. */
static rt_status refuse(cnf_worker *worker, const source_unit *unit, rt_text reason)
{
    rt_text name = unit->source->name;
    uint32_t error_count = cnf_diagnostics_collect(&worker->arena, cnf_diagnostic_clang, name,
                                                   reason, &worker->messages);
    if (error_count == 0) {
        *rt_vector_push(&worker->messages) =
            (cnf_compile_message){.source = name,
                                  .severity = CNF_SEVERITY_ERROR,
                                  .text = rt_arena_text(&worker->arena, reason)};
    }
    return rt_fail(worker->sink, RT_COMPILE_TIME, RT_RULE_NONE,
                   "source %.*s does not compile: 1 error", RT_TEXT_ARG(name));
}

/* Malformed data from the scenario is the scenario's fault. */
static rt_status judge(cnf_worker *worker, const source_unit *unit, rt_status status)
{
    if (status.code != RT_MALFORMED) return status;
    return refuse(worker, unit, rt_sink_diagnostic(worker->sink, status)->message);
}

static rt_status read_ir(cnf_worker *worker, source_unit *unit)
{
    const cnf_request_source *source = unit->source;
    rt_bytes text = {(const uint8_t *)source->code.data, source->code.length};
    rt_buffer bitcode = {0};
    rt_status status =
        worker->api->read_ir(worker->sink, source->name, text, RT_FORMAT_SPIRV64, &bitcode);
    unit->code = rt_arena_bytes(&worker->arena, rt_buffer_bytes(&bitcode));
    rt_buffer_free(&bitcode);
    return judge(worker, unit, status);
}

/* Reads clang's output for C++ for OpenCL, which is text. An error in it is clang's, so its
 * position does not refer to the source. */
static rt_status read_text(cnf_worker *worker, source_unit *unit)
{
    rt_text written = rt_buffer_text(&unit->run.output);
    rt_buffer repaired = {0}, bitcode = {0};
    cnf_ir_repair(written, &repaired);
    rt_status status =
        worker->api->read_ir(worker->sink, RT_TEXT(CNF_CLANG_NAME), rt_buffer_bytes(&repaired),
                             unit->ptx ? RT_FORMAT_PTX : RT_FORMAT_SPIRV64, &bitcode);
    unit->code = rt_arena_bytes(&worker->arena, rt_buffer_bytes(&bitcode));
    rt_buffer_free(&repaired);
    rt_buffer_free(&bitcode);
    if (status.code != RT_MALFORMED) return status;
    rt_text reason = rt_sink_diagnostic(worker->sink, status)->message;
    return refuse(worker, unit,
                  rt_arena_printf(&worker->arena,
                                  CNF_CLANG_NAME " generates invalid LLVM IR for this source: %.*s",
                                  RT_TEXT_ARG(reason)));
}

/* Modules for Vulkan have another execution model (descriptors instead of kernel parameters), which
 * no subject runs; the drivers' own refusals do not say so. */
static rt_status vulkan_refuse(cnf_worker *worker, const source_unit *unit)
{
    const char *sign;
    if (!cnf_spirv_is_graphics(&worker->arena, unit->code, &sign)) return RT_STATUS_OK;
    return refuse(worker, unit,
                  rt_arena_printf(&worker->arena,
                                  "a SPIR-V module for Vulkan or OpenGL (%s); expected one for "
                                  "OpenCL, such as llvm-spirv makes of clang's output for spir64",
                                  sign));
}

static rt_status describe(cnf_worker *worker, source_unit *unit)
{
    CHECK(is_spirv(unit));
    RT_TRY(vulkan_refuse(worker, unit));
    rt_buffer written = {0};
    rt_status status = worker->api->describe_spirv(worker->sink, unit->code, &written);
    status = judge(worker, unit, status);
    if (rt_ok(status)) {
        rt_reader reader = rt_reader_of(rt_arena_bytes(&worker->arena, rt_buffer_bytes(&written)));
        status = rt_image_list_read(worker->sink, &worker->arena, &reader, &unit->images);
    }
    rt_buffer_free(&written);
    CHECK_IMPLIES(rt_ok(status), unit->images.count == 1);
    return status;
}

/* Refuses what the SYCL compiler accepts but our images cannot hold, as if the compiler had refused
 * it. */
static rt_status take_sycl(module_job *job, source_unit *unit)
{
    cnf_worker *worker = job->worker;
    rt_text name = unit->source->name;
    cnf_sycl_output output;
    RT_TRY(cnf_sycl_output_read(worker, name, rt_buffer_bytes(&unit->run.output), &output));
    unit->code = output.syclbin;
    unit->header = output.header;
    unit->footer = output.footer;
    rt_status status =
        cnf_sycl_images(worker, name, unit->code, job->request->profile, &unit->images);
    if (status.code != RT_UNSUPPORTED) return status;
    return refuse(worker, unit, rt_sink_diagnostic(worker->sink, status)->message);
}

/* Takes what the front end of the unit's language wrote. */
static rt_status take_output(module_job *job, source_unit *unit)
{
    cnf_worker *worker = job->worker;
    RT_TRY(cnf_front_end_finish(worker->sink, &worker->arena, unit->source, &unit->run,
                                &worker->messages));
    unit->code = rt_buffer_bytes(&unit->run.output);
    switch (unit->source->language) {
    case SCN_LANGUAGE_SYCL: return take_sycl(job, unit);
    case SCN_LANGUAGE_OPENCL_CPP: return read_text(worker, unit);
    case SCN_LANGUAGE_SPIRV_ASM: return describe(worker, unit);
    default: return RT_STATUS_OK;
    }
}

static rt_status finish_unit(module_job *job, source_unit *unit)
{
    const cnf_request_source *source = unit->source;
    if (cnf_front_end_exists(source->language)) {
        rt_status status = take_output(job, unit);
        if (rt_ok(status)) cnf_front_end_keep(job->worker->cache, &unit->run);
        return status;
    }
    if (source->language == SCN_LANGUAGE_SPIRV) {
        unit->code = (rt_bytes){(const uint8_t *)source->code.data, source->code.length};
        return describe(job->worker, unit);
    }
    CHECK(source->language == SCN_LANGUAGE_LLVM_IR);
    return read_ir(job->worker, unit);
}

static rt_status start_unit(module_job *job, source_unit *unit)
{
    cnf_worker *worker = job->worker;
    scn_language language = unit->source->language;
    if (unit->ptx && !cnf_front_end_makes_ptx(language)) {
        /* Code that is not compiled from source exists in its own format only. */
        static const rt_text capability = {"ptx-source", 10};
        return rt_fail_naming(
            worker->sink, RT_UNAVAILABLE, RT_RULE_NONE, &capability, 1,
            "source %.*s is neither OpenCL C nor C++ for OpenCL, the only languages "
            "that are compiled to PTX",
            RT_TEXT_ARG(unit->source->name));
    }
    if (!cnf_front_end_exists(language)) return RT_STATUS_OK;
    cnf_front_end_options options = options_of(job->request, unit);
    return cnf_front_end_start(worker->sink, &worker->arena, worker->cache, &worker->toolchain,
                               unit->source, &options, &unit->run);
}

/* Runs all front ends concurrently while the plugin is opened. Waits for all of them, so that the
 * messages of every source are reported; the first failure decides. */
static rt_status compile_units(module_job *job)
{
    cnf_worker *worker = job->worker;
    for (uint32_t i = 0; i < job->unit_count; i++)
        if (job->units[i].source) RT_TRY(start_unit(job, &job->units[i]));
    RT_TRY(cnf_worker_open_plugin(worker));
    rt_status first = RT_STATUS_OK;
    for (uint32_t i = 0; i < job->unit_count; i++) {
        if (!job->units[i].source) continue;
        rt_status status = finish_unit(job, &job->units[i]);
        if (rt_ok(first)) first = status;
    }
    return first;
}

/* ---- Images -------------------------------------------------------------------------------- */

/* Sources are compiled separately and each registers its own variables; the same id means the same
 * variable. */
static void add_globals(module_job *job, rt_device_global_list list)
{
    for (uint32_t i = 0; i < list.count; i++) {
        rt_text id = list.globals[i].unique_id;
        if (rt_map_find(&job->global_ids, id) != RT_MAP_NONE) continue;
        rt_map_set(&job->global_ids, id, job->globals.count);
        *rt_vector_push(&job->globals) = list.globals[i];
    }
}

/* Adds the host halves of the SYCL sources, and the variables that they register. */
static rt_status add_host_halves(module_job *job)
{
    for (uint32_t i = 0; i < job->request->source_count; i++) {
        const source_unit *unit = &job->units[i];
        if (!unit->source || unit->source->language != SCN_LANGUAGE_SYCL) continue;
        scn_host_half half = {
            .source = i,
            .header = unit->header,
            .footer = unit->footer,
            .globals = cnf_sycl_globals(&job->worker->arena, unit->images),
        };
        const cnf_front_end_options options = options_of(job->request, unit);
        rt_status status = cnf_sycl_copies(job->worker, unit->source, &options, &half.globals);
        if (status.code == RT_UNSUPPORTED) {
            job->worker->is_ours = true;
            return refuse(job->worker, unit,
                          rt_sink_diagnostic(job->worker->sink, status)->message);
        }
        RT_TRY(status);
        add_globals(job, half.globals);
        *rt_vector_push(&job->host_halves) = half;
    }
    return RT_STATUS_OK;
}

/* The caller sets the sources, format and split of `request`; the other members are filled in from
 * the module. The images are in the worker's arena. */
static rt_status postlink(module_job *job, rt_postlink_request request, rt_image_list *out)
{
    cnf_worker *worker = job->worker;
    CHECK(request.source_count > 0);
    request.module = job->request->module;
    request.library = rt_text_of(worker->toolchain.libclc);
    request.spirv_version_max = SPIRV_VERSION_MAX;
    request.profile = job->request->profile;
    request.device_globals = true;
    request.embed_ir = job->request->embed_ir;
    request.target_aspects = job->request->target_aspects;
    rt_buffer written = {0};
    rt_status status = worker->api->postlink(worker->sink, &request, &written);
    if (rt_ok(status)) {
        rt_bytes copy = rt_arena_bytes(&worker->arena, rt_buffer_bytes(&written));
        rt_reader reader = rt_reader_of(copy);
        status = rt_image_list_read(worker->sink, &worker->arena, &reader, out);
        rt_device_global_list globals = rt_device_global_list_read(&worker->arena, &reader);
        CHECK_IMPLIES(rt_ok(status), rt_reader_finished(&reader)); /* the plugin is ours */
        if (rt_ok(status)) add_globals(job, globals);
    }
    /* A declaration that post-link refuses on the front end's behalf counts as a front-end error.
     */
    bool is_declaration = status.code == RT_COMPILE_TIME;
    for (uint32_t i = 0; is_declaration && i < request.source_count; i++)
        cnf_diagnostics_collect(&worker->arena, cnf_diagnostic_clang, request.sources[i].name,
                                rt_sink_diagnostic(worker->sink, status)->message,
                                &worker->messages);
    rt_buffer_free(&written);
    return status;
}

/* Images of the module's sources carry the module's options. */
static void add_source_image(module_job *job, rt_image image)
{
    image.compile_options = job->request->compile_options;
    image.link_options = job->request->link_options;
    *rt_vector_push(&job->images) = image;
}

/* Adds the images that post-link builds from the bitcode of the module's sources. */
static rt_status postlink_sources(module_job *job, const source_unit *units, rt_format format,
                                  bool ahead_of_time, image_list *out)
{
    const cnf_request *request = job->request;
    rt_postlink_source *sources =
        rt_arena_alloc_array(&job->worker->arena, request->source_count, sizeof *sources);
    uint32_t count = 0;
    for (uint32_t i = 0; i < request->source_count; i++) {
        const source_unit *unit = &units[i];
        if (!has_images(unit))
            sources[count++] = (rt_postlink_source){unit->source->name, unit->code};
    }
    if (count == 0) return RT_STATUS_OK;
    rt_image_list list;
    const rt_postlink_request split = {.sources = sources,
                                       .source_count = count,
                                       .split = request->split,
                                       .format = format,
                                       .ahead_of_time = ahead_of_time};
    RT_TRY(postlink(job, split, &list));
    for (uint32_t i = 0; i < list.count; i++)
        *rt_vector_push(out) = list.images[i];
    return RT_STATUS_OK;
}

/* Adds the images of the sources for some of the module's formats, format by format. */
static rt_status make_for_formats(module_job *job, uint32_t formats, bool ahead_of_time)
{
    if (formats == 0) return RT_STATUS_OK;
    image_list result = {0};
    rt_status status = postlink_sources(job, job->units, RT_FORMAT_SPIRV64, ahead_of_time, &result);
    for (uint32_t i = 0; i < job->request->source_count && rt_ok(status); i++) {
        const rt_image_list *images = &job->units[i].images;
        for (uint32_t k = 0; k < images->count; k++)
            *rt_vector_push(&result) = images->images[k];
    }
    for (uint32_t format = 0; format < RT_FORMAT_COUNT; format++) {
        if (!(formats >> format & 1)) continue;
        for (uint32_t i = 0; i < result.count && rt_ok(status); i++) {
            rt_image image = result.items[i];
            rt_text name = rt_arena_printf(&job->worker->arena, "%.*s/%u",
                                           RT_TEXT_ARG(job->request->module), job->images.count);
            if (format != RT_FORMAT_SPIRV64)
                status = cnf_offline_compile(job->worker, name, (rt_format)format, &image);
            if (!rt_ok(status)) break;
            CHECK(image.format == (rt_format)format);
            add_source_image(job, image);
        }
    }
    rt_vector_free(&result);
    return status;
}

/* Makes the single, unsplit image of one source. */
static rt_status make_single(module_job *job, const source_unit *unit, rt_image *out_image)
{
    *out_image = (rt_image){0};
    const rt_postlink_source source = {unit->source->name, unit->code};
    rt_image_list list = unit->images;
    const rt_postlink_request request = {
        .sources = &source,
        .source_count = 1,
        .whole = true,
        .format = unit->ptx ? RT_FORMAT_PTX : RT_FORMAT_SPIRV64,
    };
    if (!has_images(unit)) RT_TRY(postlink(job, request, &list));
    CHECK_IMPLIES(unit->source->language != SCN_LANGUAGE_SYCL, list.count <= 1);
    if (list.count > 1) {
        return refuse(job->worker, unit,
                      RT_TEXT("the compiler produces several images from the code, but an "
                              "image written by hand is one; move the code to 'sources', or "
                              "split it"));
    }
    if (list.count == 0) {
        return refuse(job->worker, unit,
                      RT_TEXT("the code has no kernel and no function that other images "
                              "could call, so no image can be built from it"));
    }
    *out_image = list.images[0];
    return RT_STATUS_OK;
}

static rt_status make_images(module_job *job)
{
    static const uint32_t spirv = 1u << RT_FORMAT_SPIRV64, ptx = 1u << RT_FORMAT_PTX;
    const cnf_request *request = job->request;
    cnf_worker *worker = job->worker;
    /* Code compiled ahead of time has a known target, which post-link takes into account. */
    RT_TRY(make_for_formats(job, request->formats & spirv, false));
    RT_TRY(make_for_formats(job, request->formats & ~(spirv | ptx), true));
    if (request->formats & ptx) { /* needs its own post-link run: symbol names differ */
        uint32_t first = request->source_count + request->image_count;
        image_list result = {0};
        rt_status status = postlink_sources(job, &job->units[first], RT_FORMAT_PTX, false, &result);
        for (uint32_t i = 0; i < result.count && rt_ok(status); i++)
            add_source_image(job, result.items[i]);
        rt_vector_free(&result);
        RT_TRY(status);
    }
    for (uint32_t i = 0; i < request->image_count; i++) {
        const cnf_request_image *declared = &request->images[i];
        rt_image image;
        RT_TRY(make_single(job, &job->units[request->source_count + i], &image));
        /* The scenario's description of an image takes precedence over what its code says. */
        image.format = declared->claims.format;
        image.compile_options = declared->claims.compile_options;
        image.link_options = declared->claims.link_options;
        if (declared->kernels_given) {
            image.kernels = declared->claims.kernels;
            image.kernel_count = declared->claims.kernel_count;
        }
        if (declared->sets_given) {
            image.sets = declared->claims.sets;
            image.set_count = declared->claims.set_count;
        }
        *rt_vector_push(&job->images) = image;
    }
    if (job->images.count > RT_IMAGE_COUNT_MAX) {
        return rt_fail(worker->sink, RT_LIMIT, RT_RULE_NONE,
                       "module %.*s has %u images; at most %u are allowed",
                       RT_TEXT_ARG(request->module), job->images.count, RT_IMAGE_COUNT_MAX);
    }
    for (uint32_t i = 0; i < job->images.count; i++)
        job->images.items[i].name =
            rt_arena_printf(&worker->arena, "%.*s/%u", RT_TEXT_ARG(request->module), i);
    RT_TRY(add_host_halves(job));
    const cnf_compile_artefact artefact = {
        .images = {job->images.items, job->images.count},
        .globals = {job->globals.items, job->globals.count},
        .host_halves = job->host_halves.items,
        .host_half_count = job->host_halves.count,
    };
    cnf_artefact_write(&worker->artefact, &artefact);
    return RT_STATUS_OK;
}

/* ---- The module ---------------------------------------------------------------------------- */

rt_status cnf_worker_make_module(cnf_worker *worker, const cnf_request *request)
{
    CHECK(worker->artefact.size == 0 && request->formats != 0);
    CHECK(request->kind == CNF_REQUEST_MODULE);
    rt_text refused;
    if (!scn_build_options_check(request->build_options, &refused)) {
        return rt_fail(worker->sink, RT_UNSUPPORTED, RT_RULE_NONE,
                       "module %.*s: build option '%.*s' is refused", RT_TEXT_ARG(request->module),
                       RT_TEXT_ARG(refused));
    }
    module_job job = {.worker = worker, .request = request};
    /* A unit that is not needed has no source and is skipped. Every format but PTX is made from
     * code for spir64. */
    uint32_t count = request->source_count;
    bool ptx = request->formats >> RT_FORMAT_PTX & 1;
    bool makes_spirv = (request->formats & ~(1u << RT_FORMAT_PTX)) != 0;
    job.unit_count = count + request->image_count + (ptx ? count : 0);
    job.units = rt_arena_alloc_array(&worker->arena, job.unit_count, sizeof *job.units);
    for (uint32_t i = 0; i < count && makes_spirv; i++)
        job.units[i].source = &request->sources[i];
    source_unit *images = &job.units[count];
    for (uint32_t i = 0; i < request->image_count; i++) {
        images[i].source = &request->images[i].source;
        images[i].ptx = request->images[i].claims.format == RT_FORMAT_PTX;
    }
    source_unit *ptx_units = &images[request->image_count];
    for (uint32_t i = 0; i < count && ptx; i++)
        ptx_units[i] = (source_unit){.source = &request->sources[i], .ptx = true};
    rt_status status = compile_units(&job);
    if (rt_ok(status)) status = make_images(&job);
    CHECK_IMPLIES(rt_ok(status), worker->artefact.size > 0);
    for (uint32_t i = 0; i < job.unit_count; i++)
        cnf_front_end_free(&job.units[i].run);
    rt_vector_free(&job.images);
    rt_vector_free(&job.globals);
    rt_vector_free(&job.host_halves);
    rt_map_free(&job.global_ids);
    return status;
}
