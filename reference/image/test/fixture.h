/* Shared by the tests of image formats: a sink for refusals and an arena for the values read. */
#ifndef REFERENCE_IMAGE_TEST_FIXTURE_H
#define REFERENCE_IMAGE_TEST_FIXTURE_H

#include "reference/base/alloc.h"
#include "reference/base/arena.h"
#include "reference/base/status.h"

typedef struct fixture {
    rt_sink *sink;
    rt_arena arena;
    rt_buffer file; /* for a test that builds a file */
} fixture;

/* For cmocka_unit_test_setup_teardown. */
static inline int set_up(void **state)
{
    fixture *f = rt_alloc(sizeof *f);
    f->sink = rt_sink_create();
    *state = f;
    return 0;
}

static inline int tear_down(void **state)
{
    fixture *f = *state;
    rt_buffer_free(&f->file);
    rt_arena_reset(&f->arena);
    rt_sink_destroy(f->sink);
    rt_free(f);
    return 0;
}

#endif
