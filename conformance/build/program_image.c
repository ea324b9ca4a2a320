/* Compiles an OpenCL program, which opencl/ gets through the API, to one SPIR-V module.
 *
 * Post-link makes one image of all the code: nothing is split off, and every function with external
 * linkage stays, since another program may be linked with this one. */
#include "conformance/build/front_end.h"
#include "conformance/build/worker.h"

enum {
    SPIRV_VERSION_MAX =
        0x00010200 /* as for scenarios; the device takes newer ones, but needs none */
};

/* The module of a program without functions and variables, which has no image. */
static rt_bytes empty_module(void)
{
    static const uint32_t words[] = {
        0x07230203,
        SPIRV_VERSION_MAX,
        0,
        1,
        0, /* header; no ids */
        2 << 16 | 17,
        4, /* OpCapability Addresses */
        2 << 16 | 17,
        6, /* OpCapability Kernel */
        3 << 16 | 14,
        2,
        2, /* OpMemoryModel Physical64 OpenCL */
    };
    return (rt_bytes){(const uint8_t *)words, sizeof words};
}

static rt_status postlink(cnf_worker *worker, const cnf_request *request, rt_bytes bitcode)
{
    const rt_postlink_source source = {request->program.name, bitcode};
    const rt_postlink_request wanted = {
        .module = RT_TEXT("program"),
        .sources = &source,
        .source_count = 1,
        .whole = true,
        .format = RT_FORMAT_SPIRV64,
        .spirv_version_max = SPIRV_VERSION_MAX,
        .target_aspects = UINT64_MAX,
    };
    rt_buffer written = {0};
    rt_status status = worker->api->postlink(worker->sink, &wanted, &written);
    rt_image_list list = {0};
    if (rt_ok(status)) {
        rt_reader reader = rt_reader_of(rt_buffer_bytes(&written));
        status = rt_image_list_read(worker->sink, &worker->arena, &reader, &list);
    }
    if (rt_ok(status)) {
        CHECK(list.count <= 1);
        rt_bytes code = list.count > 0 ? list.images[0].code : empty_module();
        rt_buffer_append(&worker->artefact, code.data, code.size);
    }
    rt_buffer_free(&written);
    return status;
}

rt_status cnf_worker_make_program(cnf_worker *worker, const cnf_request *request)
{
    CHECK(worker->artefact.size == 0 && request->kind == CNF_REQUEST_PROGRAM);
    static const rt_text none = {0};
    const cnf_front_end_options options = {
        .program_options = request->option_count > 0 ? request->options : &none,
        .program_option_count = request->option_count,
    };
    cnf_front_end_run run = {0};
    rt_status status = cnf_front_end_start(worker->sink, &worker->arena, NULL, &worker->toolchain,
                                           &request->program, &options, &run);
    if (rt_ok(status)) status = cnf_worker_open_plugin(worker);
    if (rt_ok(status))
        status = cnf_front_end_finish(worker->sink, &worker->arena, &request->program, &run,
                                      &worker->messages);
    worker->depends_on_files = cnf_front_end_includes_files(&run);
    if (rt_ok(status)) status = postlink(worker, request, rt_buffer_bytes(&run.output));
    cnf_front_end_free(&run);
    return status;
}
