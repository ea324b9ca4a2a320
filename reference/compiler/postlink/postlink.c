/* Post-link: turns sources into images (document 003, "sycl-post-link changes"). Runs the steps in
 * order; each step has its own file. */
#include "reference/compiler/postlink/postlink.h"

#include "reference/compiler/postlink/image.h"
#include "reference/compiler/postlink/input.h"
#include "reference/compiler/postlink/spec_constants.h"
#include "reference/compiler/postlink/virtual_images.h"
#include "reference/compiler/ptx/ptx.h"

static rt_status make_images(pl_job *job, const rt_postlink_request *request, LLVMModuleRef input,
                             const pl_device_globals *globals, rt_buffer *out_answer)
{
    pl_graph graph;
    bool ahead = request->ahead_of_time;
    RT_TRY(pl_graph_build(job, input, &graph));
    pl_graph_fill_aspects(&graph);
    if (ahead) {
        /* If the target is known, sets of virtual functions that it does not support are dropped.
         */
        pl_sets_drop(input, &graph, request->target_aspects);
        RT_TRY(pl_graph_build(job, input, &graph));
        pl_graph_fill_aspects(&graph);
    }
    const pl_part *parts = NULL;
    uint32_t count = 0;
    const pl_split_options options = {
        .split = request->split,
        .whole = request->whole,
        .outlines = RULE(VF_AOT_01, !ahead),
        .dummies = !ahead && request->profile == RT_PROFILE_DOCUMENTS,
    };
    RT_TRY(pl_split_plan(job, &graph, &options, &parts, &count));
    CHECK(parts || count == 0);
    rt_image *images = rt_arena_alloc_array(&job->arena, count, sizeof *images);
    for (uint32_t i = 0; i < count; i++) {
        rt_text name = rt_arena_printf(&job->arena, "%.*s/%u", RT_TEXT_ARG(request->module), i);
        RT_TRY(pl_image_make(job, request, input, &graph, &parts[i], name, &images[i]));
    }
    rt_image_list_write(out_answer, (rt_image_list){images, count});
    rt_device_global_list_write(
        out_answer, (rt_device_global_list){globals->registered.items, globals->registered.count});
    return RT_STATUS_OK;
}

rt_status pl_postlink(rt_sink *sink, const rt_postlink_request *request, rt_buffer *out_answer)
{
    CHECK((unsigned)request->split < RT_SPLIT_COUNT);
    CHECK((unsigned)request->profile < RT_PROFILE_COUNT);
    if (request->format != RT_FORMAT_SPIRV64 && request->format != RT_FORMAT_PTX) {
        return rt_fail(sink, RT_UNSUPPORTED, RT_RULE_NONE,
                       "module %.*s: post-link can make images of format spirv64 or ptx, not %s",
                       RT_TEXT_ARG(request->module), rt_format_name(request->format));
    }
    if (request->source_count == 0) {
        return rt_fail(sink, RT_POSTLINK_ERROR, RT_RULE_NONE, "module %.*s has no sources",
                       RT_TEXT_ARG(request->module));
    }
    pl_job job;
    pl_job_open(&job, sink);
    job.profile = request->profile;
    job.format = request->format;
    job.device_globals = RULE(DG_POSTLINK_01, request->device_globals);
    CHECK(out_answer->size == 0);
    pl_device_globals globals = {0};
    LLVMModuleRef input = NULL;
    rt_status status = pl_input_link(&job, request, &globals, &input);
    if (rt_ok(status)) {
        if (job.format == RT_FORMAT_PTX) pl_ptx_take(&job, input);
        status = pl_spec_constants_check(&job, input);
        if (rt_ok(status)) status = make_images(&job, request, input, &globals, out_answer);
        LLVMDisposeModule(input);
    }
    pl_device_globals_free(&globals);
    pl_job_close(&job);
    return status;
}
