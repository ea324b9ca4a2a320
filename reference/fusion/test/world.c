/* A queue with fusion, for unit tests. */
#include "reference/fusion/test/world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

world *world_create(fixture *f, world_fuse *fuse)
{
    world *w = rt_alloc(sizeof *w);
    w->f = f;
    w->scheduler = rt_scheduler_create(f->sink, f->trace, f->manager, NULL);
    w->compiler = (rt_fusion_compiler){w, fuse};
    w->fusion = rt_fusion_create(&(rt_fusion_parts){
        .tools = {.sink = f->sink,
                  .trace = f->trace,
                  .programs = f->manager,
                  .profile = RT_PROFILE_DOCUMENTS,
                  .compiler = &w->compiler},
        .scheduler = w->scheduler,
        .warning_level = 1,
    });
    assert_true(rt_ok(rt_scheduler_queue_create(w->scheduler, &f->device, 0, false, &w->queue)));
    rt_scheduler_queue_enable_fusion(w->scheduler, w->queue);
    assert_true(rt_ok(rt_memory_create(f->sink, 0, RT_TEXT("a"), 16, "0123456789abcdef", &w->a)));
    w->a->element_size = 4;
    return w;
}

void world_destroy(world *w)
{
    rt_scheduler_destroy(w->scheduler);
    rt_fusion_destroy(w->fusion);
    rt_memory_destroy(w->a);
    fixture_destroy(w->f);
    rt_free(w);
}

rt_command_id world_launch(world *w, const char *kernel, rt_promotion promotion)
{
    const uint32_t value = 7;
    const rt_argument arguments[] = {
        {.kind = RT_ARGUMENT_MEMORY,
         .memory = w->a,
         .access = RT_ACCESS_READ_WRITE,
         .promotion = promotion},
        {.kind = RT_ARGUMENT_BYTES, .bytes = {(const uint8_t *)&value, sizeof value}},
    };
    const rt_launch request = {.kernel = rt_text_of(kernel),
                               .range = {.dimensions = 1, .global = {4, 1, 1}},
                               .arguments = arguments,
                               .argument_count = 2};
    rt_command_id command;
    assert_true(rt_ok(rt_scheduler_launch(w->scheduler, w->queue, &request, &command)));
    return command;
}

rt_fusion_result world_result(const rt_fusion_request *request, const rt_fusion_place places[2])
{
    rt_fusion_result result = {.parameters = places, .parameter_count = 2};
    result.image = (rt_image){.name = request->name,
                              .format = request->format,
                              .kernels = &request->name,
                              .kernel_count = 1,
                              .code = {(const uint8_t *)"fused", 5}};
    return result;
}

void world_answer(const rt_fusion_request *request, const rt_fusion_place places[2],
                  rt_buffer *out_result)
{
    rt_fusion_result result = world_result(request, places);
    rt_image_hash(&result.image);
    rt_fusion_result_write(out_result, &result);
}
