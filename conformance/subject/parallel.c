/* Runs lists of steps on separate threads.
 *
 * The threads are real, but take turns: they switch between steps, and at points that the runtime
 * chooses (reference/base/handover.h). The seed determines the order. */
#include "conformance/subject/execute.h"

#include "reference/base/alloc.h"
#include "reference/base/handover.h"
#include "reference/base/hash.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct list_thread {
    cnf_execution *execution;
    rt_handover *handover;
    uint32_t step;  /* the parallel step */
    uint32_t index; /* position of the list in the step, from 0 */
    pthread_t thread;
} list_thread;

static void *list_run(void *user)
{
    const list_thread *list = user;
    cnf_execution *execution = list->execution;
    const scn_step *steps = execution->scenario->steps;
    CHECK(list->index < steps[list->step].parallel.thread_count);
    rt_handover_enter(list->handover, list->index);
    uint32_t end = list->step + 1 + steps[list->step].parallel.nested_count;
    for (uint32_t i = list->step + 1; i < end && !execution->stopped; i++) {
        if (steps[i].thread != list->index + 1) continue;
        cnf_run_step(execution, i);
        rt_handover_point();
    }
    rt_handover_leave();
    return NULL;
}

void cnf_run_parallel(cnf_execution *execution, uint32_t index)
{
    const scn_step *step = &execution->scenario->steps[index];
    CHECK(step->verb == SCN_VERB_PARALLEL && step->parallel.thread_count >= 2);
    rt_handover *handover = rt_handover_create(
        step->parallel.thread_count, rt_mix64(execution->options->seed ^ rt_mix64(index)));
    list_thread *lists = rt_alloc_array(step->parallel.thread_count, sizeof *lists);
    for (uint32_t i = 0; i < step->parallel.thread_count; i++) {
        lists[i] = (list_thread){execution, handover, index, i, 0};
        int error = pthread_create(&lists[i].thread, NULL, list_run, &lists[i]);
        if (error == 0) continue;
        /* The threads already started wait for this one, so the run cannot continue. */
        fprintf(stderr, "assay: thread %u of a parallel step cannot be started: %s\n", i + 1,
                strerror(error));
        _Exit(RT_EXIT_OUT_OF_MEMORY);
    }
    for (uint32_t i = 0; i < step->parallel.thread_count; i++)
        pthread_join(lists[i].thread, NULL);
    rt_free(lists);
    rt_handover_destroy(handover);
}
