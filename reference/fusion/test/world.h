/* A queue with fusion, for unit tests: it uses the modules of a program fixture and, in place of a
 * compiler, a function of the test. */
#ifndef REFERENCE_FUSION_TEST_WORLD_H
#define REFERENCE_FUSION_TEST_WORLD_H

#include "reference/fusion/fusion.h"
#include "reference/program/test/fixture.h"

typedef rt_status world_fuse(void *user, rt_sink *sink, const rt_fusion_request *request,
                             rt_buffer *out_result);

typedef struct world {
    fixture *f;
    rt_scheduler *scheduler;
    rt_fusion *fusion;
    rt_queue_id queue;
    rt_memory *a; /* 16 bytes, with elements of 4 bytes */
    rt_fusion_compiler compiler;
    uint32_t request_count; /* number of requests to the compiler; counted by the test's function */
} world;

/* Creates the queue on the fixture, of which the world takes ownership; `fuse` receives the world.
 * The caller destroys the world. */
world *world_create(fixture *f, world_fuse *fuse);
void world_destroy(world *w);

/* Launches a kernel on four work-items; its arguments are the memory, with the promotion, and the
 * value 7. */
rt_command_id world_launch(world *w, const char *kernel, rt_promotion promotion);

/* An answer in the request's format: a kernel whose two parameters come from `places`.  Its image
 * has no hash yet. */
rt_fusion_result world_result(const rt_fusion_request *request, const rt_fusion_place places[2]);

/* Writes that answer. */
void world_answer(const rt_fusion_request *request, const rt_fusion_place places[2],
                  rt_buffer *out_result);

#endif
