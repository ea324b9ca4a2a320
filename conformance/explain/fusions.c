/* Collects fusions from the events of a trace. */
#include "conformance/explain/fusions.h"

/* ---- What happened ------------------------------------------------------------------------- */

/* The fusion with the given number or, if that is empty, the newest fusion of the queue; NULL:
 * there is none. */
static cnf_xpl_fusion *fusion_find(cnf_fusions *fusions, rt_text queue, rt_text number)
{
    for (uint32_t i = fusions->list.count; i-- > 0;) {
        cnf_xpl_fusion *fusion = &fusions->list.items[i];
        bool is_same = number.length > 0 ? rt_text_equal(fusion->number, number)
                                         : rt_text_equal(fusion->queue, queue);
        if (is_same) return fusion;
    }
    return NULL;
}

static void status_note(cnf_fusions *fusions, const rt_event *event, uint32_t index)
{
    rt_text status = cnf_event_text(event, "status");
    rt_text queue = cnf_event_text(event, "queue"), number = cnf_event_text(event, "fusion");
    if (rt_text_is(status, "DELETE") || number.length == 0) return;
    cnf_xpl_fusion *fusion = fusion_find(fusions, queue, number);
    if (!fusion) {
        fusion = rt_vector_push(&fusions->list);
        *fusion = (cnf_xpl_fusion){.number = number, .queue = queue, .end = UINT32_MAX};
    }
    if (rt_text_is(status, "ACTIVE")) return;
    fusion->status = status;
    if (fusion->end == UINT32_MAX) fusion->end = index;
    CHECK(fusion->end <= index);
}

void cnf_fusions_find(const rt_event *events, uint32_t begin, uint32_t end,
                      cnf_fusions *out_fusions)
{
    *out_fusions = (cnf_fusions){0};
    for (uint32_t i = begin; i < end; i++) {
        const rt_event *event = &events[i];
        rt_text kernel = cnf_event_text(event, "kernel"), number = cnf_event_text(event, "fusion");
        rt_text command = cnf_event_text(event, "command");
        if (event->kind == RT_EVENT_FUSION_STATUS) status_note(out_fusions, event, i);
        cnf_xpl_fusion *holder =
            number.length > 0 ? fusion_find(out_fusions, (rt_text){0}, number) : NULL;
        if (event->kind == RT_EVENT_FUSION_HOLD && holder && command.length > 0) {
            rt_map_set(&out_fusions->holds, command, (uint32_t)(holder - out_fusions->list.items));
            *rt_vector_push(&holder->held) = event;
        }
        /* A demotion does not name a queue: it concerns the list most recently sent to the
         * compiler. */
        for (uint32_t k = out_fusions->list.count;
             event->kind == RT_EVENT_FUSION_DEMOTE && k-- > 0;) {
            if (out_fusions->list.items[k].kernel.length == 0) continue;
            *rt_vector_push(&out_fusions->list.items[k].demoted) = event;
            break;
        }
        cnf_xpl_fusion *fusion =
            fusion_find(out_fusions, cnf_event_text(event, "queue"), (rt_text){0});
        if (!fusion) continue;
        switch (event->kind) {
        case RT_EVENT_FUSE:
            fusion->fuse = event;
            fusion->kernel = kernel;
            break;
        case RT_EVENT_FUSION_CACHE_HIT: fusion->kernel = kernel; break;
        case RT_EVENT_FUSION_CANCEL:
            fusion->reason = cnf_event_text(event, "reason");
            fusion->detail = cnf_event_text(event, "detail");
            break;
        case RT_EVENT_LAUNCH:
            /* The fusion's end is reported after its launch; launches after that are the
             * application's own. */
            if (fusion->end == UINT32_MAX && !fusion->launch && kernel.length > 0 &&
                rt_text_equal(kernel, fusion->kernel))
                fusion->launch = event;
            break;
        default: break;
        }
    }
}

void cnf_fusions_free(cnf_fusions *fusions)
{
    for (uint32_t i = 0; i < fusions->list.count; i++) {
        rt_vector_free(&fusions->list.items[i].held);
        rt_vector_free(&fusions->list.items[i].demoted);
    }
    rt_vector_free(&fusions->list);
    rt_map_free(&fusions->holds);
}
