/* Threads of one program that use one context and share queues, programs, buffers and events; all
 * functions but clSetKernelArg may be called so (OpenCL 3.0 API, 2.1). ci/races runs this under
 * ThreadSanitizer.
 *
 *     test_threads [ROUNDS [race]]
 *
 * With "race" a thread changes the source of a write that has not been waited for, which
 * ThreadSanitizer must report, because the library reads it. */
#include "opencl/test/client.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined __SANITIZE_THREAD__
#define WITHOUT_SVM
#elif defined __has_feature
#if __has_feature(thread_sanitizer)
#define WITHOUT_SVM
#endif
#endif

enum { THREADS = 4, ITEMS = 64 };

static const char *const source = "kernel void add(global const int *a, global int *b, int n) {\n"
                                  "    b[get_global_id(0)] = a[get_global_id(0)] + n;\n"
                                  "}\n"
                                  "kernel void count(global int *sum) { atomic_inc(sum); }\n";

/* What the threads share. */
typedef struct shared {
    client c;
    cl_command_queue queues[2]; /* in order; out of order */
    cl_program program;
    cl_mem ones, sum;
    pthread_mutex_t lock;
    cl_event offered; /* of some thread, for another to wait for; guarded by the lock */
    atomic_int failures, callbacks;
    unsigned rounds;
} shared;

typedef struct worker {
    shared *all;
    pthread_t thread;
    int number;
} worker;

/* cmocka's assertions are for the first thread only. */
#define TRY(w, condition)                                                                          \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "thread %d, line %d: %s\n", (w)->number, __LINE__, #condition);        \
            atomic_fetch_add(&(w)->all->failures, 1);                                              \
            return;                                                                                \
        }                                                                                          \
    } while (0)
#define TRY_CL(w, call) TRY(w, (call) == CL_SUCCESS)

/* A launch in a shared queue, on shared and own memory, whose result a blocking read waits for. */
static void launch_round(worker *w, unsigned round)
{
    shared *all = w->all;
    cl_int code, n = (cl_int)round * THREADS + w->number, result[ITEMS];
    const size_t items = ITEMS;
    cl_command_queue queue = all->queues[round % 2];
    cl_event launched;
    cl_mem own = clCreateBuffer(all->c.context, 0, sizeof result, NULL, &code);
    TRY_CL(w, code);
    cl_kernel kernel = clCreateKernel(all->program, "add", &code);
    TRY_CL(w, code);
    TRY_CL(w, clSetKernelArg(kernel, 0, sizeof all->ones, &all->ones));
    TRY_CL(w, clSetKernelArg(kernel, 1, sizeof own, &own));
    TRY_CL(w, clSetKernelArg(kernel, 2, sizeof n, &n));
    TRY_CL(w, clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, &launched));
    TRY_CL(w, clReleaseKernel(kernel));
    TRY_CL(w,
           clEnqueueReadBuffer(queue, own, CL_TRUE, 0, sizeof result, result, 1, &launched, NULL));
    for (int i = 0; i < ITEMS; i++)
        TRY(w, result[i] == n + 1);
    TRY_CL(w, clReleaseMemObject(own));
    TRY_CL(w, clReleaseEvent(launched));
}

/* All threads add to one counter, in one queue. */
static void count_round(worker *w)
{
    shared *all = w->all;
    cl_int code;
    const size_t items = ITEMS;
    cl_event event, taken;
    cl_kernel kernel = clCreateKernel(all->program, "count", &code);
    TRY_CL(w, code);
    TRY_CL(w, clRetainMemObject(all->sum));
    TRY_CL(w, clSetKernelArg(kernel, 0, sizeof all->sum, &all->sum));
    TRY_CL(w,
           clEnqueueNDRangeKernel(all->queues[0], kernel, 1, NULL, &items, NULL, 0, NULL, &event));
    TRY_CL(w, clReleaseMemObject(all->sum));
    TRY_CL(w, clReleaseKernel(kernel));
    pthread_mutex_lock(&all->lock);
    taken = all->offered;
    all->offered = event;
    pthread_mutex_unlock(&all->lock);
    if (!taken) return;
    cl_int status = CL_QUEUED;
    TRY_CL(w,
           clGetEventInfo(taken, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    TRY_CL(w, clWaitForEvents(1, &taken));
    TRY_CL(w, clReleaseEvent(taken));
}

static void CL_CALLBACK event_done(cl_event event, cl_int status, void *user)
{
    (void)event;
    shared *all = user;
    atomic_fetch_add(status == CL_COMPLETE ? &all->callbacks : &all->failures, 1);
}

/* A user event that one of the library's own threads waits for too. */
static void event_round(worker *w)
{
    shared *all = w->all;
    cl_int code;
    cl_event user = clCreateUserEvent(all->c.context, &code), marker;
    TRY_CL(w, code);
    TRY_CL(w, clEnqueueMarkerWithWaitList(all->queues[1], 1, &user, &marker));
    TRY_CL(w, clSetEventCallback(marker, CL_COMPLETE, event_done, all));
    TRY_CL(w, clFlush(all->queues[1]));
    TRY_CL(w, clSetUserEventStatus(user, CL_COMPLETE));
    TRY_CL(w, clWaitForEvents(1, &marker));
    TRY_CL(w, clReleaseEvent(marker));
    TRY_CL(w, clReleaseEvent(user));
}

/* Memory of the host: a mapped buffer, and shared virtual memory. */
static void memory_round(worker *w, unsigned round)
{
    shared *all = w->all;
    cl_int code, n = (cl_int)round;
    cl_mem buffer = clCreateBuffer(all->c.context, CL_MEM_ALLOC_HOST_PTR, sizeof n, NULL, &code);
    TRY_CL(w, code);
    cl_int *mapped =
        clEnqueueMapBuffer(all->queues[1], buffer, CL_TRUE, CL_MAP_WRITE_INVALIDATE_REGION, 0,
                           sizeof n, 0, NULL, NULL, &code);
    TRY_CL(w, code);
    *mapped = n;
    TRY_CL(w, clEnqueueUnmapMemObject(all->queues[1], buffer, mapped, 0, NULL, NULL));
    TRY_CL(w, clFinish(all->queues[1]));
#ifndef WITHOUT_SVM /* the sanitizer permits no mapping at the device's addresses */
    cl_int *pointer = clSVMAlloc(all->c.context, 0, ITEMS * sizeof n, 0);
    TRY(w, pointer);
    TRY_CL(w, clEnqueueSVMMemFill(all->queues[0], pointer, &n, sizeof n, ITEMS * sizeof n, 0, NULL,
                                  NULL));
    TRY_CL(w, clFinish(all->queues[0]));
    TRY(w, pointer[0] == n && pointer[ITEMS - 1] == n);
    clSVMFree(all->c.context, pointer);
#endif
    TRY_CL(w, clReleaseMemObject(buffer));
}

/* Builds compile without the lock; every fourth is refused. */
static void build_round(worker *w, unsigned round)
{
    shared *all = w->all;
    cl_int code;
    char text[128], log[256];
    bool is_right = round % 4 != 3;
    snprintf(text, sizeof text, "kernel void k(global int *a) { a[0] = %d%s }", w->number,
             is_right ? ";" : "");
    const char *strings[] = {text};
    cl_program program = clCreateProgramWithSource(all->c.context, 1, strings, NULL, &code);
    TRY_CL(w, code);
    code = clBuildProgram(program, 1, &all->c.device, "", NULL, NULL);
    TRY(w, code == (is_right ? CL_SUCCESS : CL_BUILD_PROGRAM_FAILURE));
    (void)clGetProgramBuildInfo(program, all->c.device, CL_PROGRAM_BUILD_LOG, sizeof log, log,
                                NULL);
    TRY_CL(w, clReleaseProgram(program));
}

static void *worker_run(void *user)
{
    worker *w = user;
    for (unsigned round = 0; round < w->all->rounds; round++) {
        launch_round(w, round);
        count_round(w);
        event_round(w);
        memory_round(w, round);
        if (round % 8 == (unsigned)w->number) build_round(w, round / 8);
    }
    return NULL;
}

static unsigned rounds = 16;
static bool plants_race;

static shared shared_make(void)
{
    cl_int ones[ITEMS], zero = 0, code;
    for (int i = 0; i < ITEMS; i++)
        ones[i] = 1;
    shared all = {.c = client_open(0), .rounds = rounds, .lock = PTHREAD_MUTEX_INITIALIZER};
    for (int i = 0; i < 2; i++) {
        all.queues[i] = clCreateCommandQueue(all.c.context, all.c.device,
                                             i ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0, &code);
        assert_cl(code);
    }
    all.program = client_build(&all.c, source, "");
    all.ones = client_ints(&all.c, ones, ITEMS);
    all.sum = client_ints(&all.c, &zero, 1);
    return all;
}

static void threads_share_everything(void **state)
{
    (void)state;
    shared all = shared_make();
    worker workers[THREADS];
    for (int i = 0; i < THREADS; i++) {
        workers[i] = (worker){.all = &all, .number = i};
        assert_int_equal(pthread_create(&workers[i].thread, NULL, worker_run, &workers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(workers[i].thread, NULL), 0);
    assert_int_equal(atomic_load(&all.failures), 0);
    if (all.offered) assert_cl(clReleaseEvent(all.offered));
    for (int i = 0; i < 2; i++)
        assert_cl(clFinish(all.queues[i]));
    const cl_int expected = (cl_int)rounds * THREADS * ITEMS;
    client_expect(&all.c, all.sum, &expected, 1);
    /* The marker is complete, but a callback may still be on its way. */
    while (atomic_load(&all.callbacks) < (int)rounds * THREADS)
        sched_yield();
    assert_cl(clReleaseMemObject(all.sum));
    assert_cl(clReleaseMemObject(all.ones));
    assert_cl(clReleaseProgram(all.program));
    for (int i = 0; i < 2; i++)
        assert_cl(clReleaseCommandQueue(all.queues[i]));
    client_close(&all.c);
}

static cl_int changed;

static void *source_change(void *user)
{
    (void)user;
    changed = 6;
    return NULL;
}

static void a_source_changes_too_early(void **state)
{
    (void)state;
    if (!plants_race) return;
    client c = client_open(0);
    pthread_t thread;
    cl_mem buffer = client_ints(&c, NULL, 1);
    assert_cl(clEnqueueWriteBuffer(c.queue, buffer, CL_FALSE, 0, sizeof changed, &changed, 0, NULL,
                                   NULL));
    assert_int_equal(pthread_create(&thread, NULL, source_change, NULL), 0);
    assert_cl(clFinish(c.queue));
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_cl(clReleaseMemObject(buffer));
    client_close(&c);
}

int main(int count, char **arguments)
{
    if (count > 1) rounds = (unsigned)strtoul(arguments[1], NULL, 10);
    plants_race = count > 2 && strcmp(arguments[2], "race") == 0;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_share_everything),
        cmocka_unit_test(a_source_changes_too_early),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
