#include "opencl/misuse.h"

#include <pthread.h>

/* ---- Callbacks ---------------------------------------------------------------------------- */

/* In the memory that a thread has from its start, which ThreadSanitizer understands. */
static _Thread_local uint32_t callback_depth __attribute__((tls_model("initial-exec")));

void icd_callback_begin(void)
{
    callback_depth++;
}

void icd_callback_end(void)
{
    CHECK(callback_depth >= 1);
    callback_depth--;
}

void icd_misuse_in_callback(icd_call call)
{
    if (callback_depth == 0) return;
    icd_report_misuse(call, "call-in-callback", (rt_text){0},
                      "a callback calls %s, which blocks or creates a context or queue",
                      call.function);
}

/* ---- Mapped memory ------------------------------------------------------------------------ */

#define MAPS_FOR_WRITING (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION)

/* A region of a memory object that excludes the access; NULL: none. */
static const icd_map *map_find(cl_mem memory, bool is_write)
{
    for (uint32_t i = 0; i < memory->maps.count; i++)
        if (is_write || memory->maps.items[i].flags & MAPS_FOR_WRITING)
            return &memory->maps.items[i];
    return NULL;
}

void icd_misuse_mapped(const icd_command *command, cl_mem memory, bool is_write, cl_kernel kernel,
                       cl_uint index)
{
    /* The program may unmap it before it completes the user event. */
    if (command->user_events.count > 0) return;
    cl_mem mapped = memory;
    const icd_map *map = map_find(memory, is_write);
    if (!map && memory->parent) map = map_find(mapped = memory->parent, is_write);
    for (cl_mem part = memory->parts; !map && part; part = part->next_part)
        map = map_find(mapped = part, is_write);
    if (!map) return;
    const char *purpose = map->flags & MAPS_FOR_WRITING ? "writing" : "reading";
    rt_text name = {0};
    rt_buffer what = {0};
    if (kernel) {
        name = kernel->fact->name;
        rt_buffer_printf(&what, "argument %u of kernel '%.*s' is buffer %u", index,
                         RT_TEXT_ARG(name), memory->base.number);
    } else {
        rt_buffer_printf(&what, "the command %s buffer %u", is_write ? "writes" : "reads",
                         memory->base.number);
    }
    const char *relation = mapped == memory           ? ""
                           : mapped == memory->parent ? ", of which it is a part,"
                                                      : ", a part of it,";
    rt_buffer_printf(&what, "; %zu bytes at offset %zu of buffer %u%s are mapped for %s", map->size,
                     map->offset, mapped->base.number, relation, purpose);
    icd_report_misuse(command->call, "mapped-buffer", name, "%s", rt_buffer_string(&what));
    rt_buffer_free(&what);
}

void icd_misuse_host_overlap(const icd_command *command, cl_mem a, cl_mem b)
{
    if (icd_root(a) == icd_root(b) || !a->host || !b->host) return;
    uintptr_t first = (uintptr_t)a->host, second = (uintptr_t)b->host;
    if (first >= second + b->size || second >= first + a->size) return;
    icd_report_misuse(command->call, "host-memory-overlap", (rt_text){0},
                      "buffers %u and %u, which the command uses, overlap in the host's memory",
                      a->base.number, b->base.number);
}

/* ---- User events -------------------------------------------------------------------------- */

typedef struct awaited_event {
    cl_event event;   /* without a status; removed before it is freed */
    pthread_t thread; /* that enqueued the command: other threads are not told to wait */
} awaited_event;

static RT_VECTOR(awaited_event) awaited;

void icd_misuse_wait(cl_event event)
{
    if (event->queue || event->user_status <= CL_COMPLETE || event->is_awaited) return;
    event->is_awaited = true;
    *rt_vector_push(&awaited) = (awaited_event){event, pthread_self()};
}

void icd_misuse_release(icd_call call, const char *what, uint32_t number)
{
    for (uint32_t i = awaited.count; i > 0; i--) {
        if (!pthread_equal(awaited.items[i - 1].thread, pthread_self())) continue;
        icd_report_misuse(call, "unset-user-event", (rt_text){0},
                          "%s %u is released while a command waits for user event %u, whose status "
                          "must be set before that",
                          what, number, awaited.items[i - 1].event->base.number);
        awaited.items[i - 1] = awaited.items[--awaited.count]; /* it is reported once */
    }
}

void icd_misuse_wait_end(cl_event event)
{
    for (uint32_t i = 0; i < awaited.count; i++)
        if (awaited.items[i].event == event) {
            awaited.items[i] = awaited.items[--awaited.count];
            return;
        }
}
