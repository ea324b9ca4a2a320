/* See scheduler.h. */
#include "reference/sched/test/scheduler.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

rt_scheduler *scheduler_create(fixture **out_fixture)
{
    static const fixture_module modules[] = {{"main", "k", NULL, NULL}};
    fixture *f = *out_fixture = fixture_create(modules, 1, "");
    rt_loader_open(&f->loader, 0);
    return rt_scheduler_create(f->sink, f->trace, f->manager, NULL);
}

rt_queue_id queue_create(rt_scheduler *scheduler, const rt_device *device, bool in_order)
{
    rt_queue_id queue;
    assert_true(rt_ok(rt_scheduler_queue_create(scheduler, device, 0, in_order, &queue)));
    return queue;
}
