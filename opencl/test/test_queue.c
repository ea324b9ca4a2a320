/* Queues and events: order, user events, markers, barriers, callbacks, profiling. */
#include "opencl/test/client.h"

#include <pthread.h>
#include <semaphore.h>

static const char add_source[] = "kernel void add(global int *a, int n) {\n"
                                 "  a[get_global_id(0)] += n;\n"
                                 "}\n"
                                 "kernel void twice(global int *a) { a[get_global_id(0)] *= 2; }\n";

static void an_in_order_queue_keeps_the_order(void **state)
{
    (void)state;
    client c = client_open(0);
    cl_program program = client_build(&c, add_source, "");
    cl_kernel add = clCreateKernel(program, "add", NULL),
              twice = clCreateKernel(program, "twice", NULL);
    const cl_int values[] = {1, 2, 3, 4}, expected[] = {12, 14, 16, 18}, five = 5;
    cl_mem buffer = client_ints(&c, values, 4);
    assert_cl(clSetKernelArg(add, 1, sizeof five, &five));
    client_run(&c, add, buffer, 4);
    client_run(&c, twice, buffer, 4);
    client_expect(&c, buffer, expected, 4); /* (x + 5) * 2 */
    assert_cl(clReleaseMemObject(buffer));
    assert_cl(clReleaseKernel(add));
    assert_cl(clReleaseKernel(twice));
    assert_cl(clReleaseProgram(program));
    client_close(&c);
}

static void an_out_of_order_queue_obeys_wait_lists_and_barriers(void **state)
{
    (void)state;
    client c = client_open(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    cl_program program = client_build(&c, add_source, "");
    cl_kernel add = clCreateKernel(program, "add", NULL),
              twice = clCreateKernel(program, "twice", NULL);
    const cl_int zero[] = {0}, one = 1;
    cl_mem buffer = client_ints(&c, zero, 1);
    assert_cl(clSetKernelArg(add, 0, sizeof buffer, &buffer));
    assert_cl(clSetKernelArg(add, 1, sizeof one, &one));
    assert_cl(clSetKernelArg(twice, 0, sizeof buffer, &buffer));
    const size_t items = 1;
    cl_event event;
    /* x = 2 x + 1, eight times: 255. */
    for (int i = 0; i < 8; i++) {
        assert_cl(clEnqueueNDRangeKernel(c.queue, twice, 1, NULL, &items, NULL, 0, NULL, &event));
        assert_cl(clEnqueueNDRangeKernel(c.queue, add, 1, NULL, &items, NULL, 1, &event, NULL));
        assert_cl(clReleaseEvent(event));
        assert_cl(clEnqueueBarrierWithWaitList(c.queue, 0, NULL, NULL));
    }
    cl_int result;
    assert_cl(
        clEnqueueReadBuffer(c.queue, buffer, CL_TRUE, 0, sizeof result, &result, 0, NULL, NULL));
    assert_int_equal(result, 255);
    assert_cl(clReleaseMemObject(buffer));
    assert_cl(clReleaseKernel(add));
    assert_cl(clReleaseKernel(twice));
    assert_cl(clReleaseProgram(program));
    client_close(&c);
}

static cl_int status_of(cl_event event)
{
    cl_int status;
    assert_cl(
        clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    return status;
}

static void a_user_event_holds_commands_back(void **state)
{
    (void)state;
    client c = client_open(0);
    cl_int code, value = 7, result = 0;
    cl_mem buffer = client_ints(&c, &result, 1);
    cl_event user = clCreateUserEvent(c.context, &code), written;
    assert_cl(code);
    assert_cl(clEnqueueWriteBuffer(c.queue, buffer, CL_FALSE, 0, sizeof value, &value, 1, &user,
                                   &written));
    for (int i = 0; i < 5; i++)
        assert_true(status_of(written) > CL_COMPLETE);
    assert_cl(clSetUserEventStatus(user, CL_COMPLETE));
    assert_int_equal(clSetUserEventStatus(user, CL_COMPLETE), CL_INVALID_OPERATION);
    assert_cl(clWaitForEvents(1, &written));
    assert_int_equal(status_of(written), CL_COMPLETE);
    client_expect(&c, buffer, &value, 1);
    assert_cl(clReleaseEvent(user));
    assert_cl(clReleaseEvent(written));
    assert_cl(clReleaseMemObject(buffer));
    client_close(&c);
}

static void a_user_event_with_an_error_fails_its_dependents(void **state)
{
    (void)state;
    client c = client_open(0);
    cl_int value = 7, result = 1;
    cl_mem buffer = client_ints(&c, &result, 1);
    cl_event user = clCreateUserEvent(c.context, NULL), written;
    assert_cl(clEnqueueWriteBuffer(c.queue, buffer, CL_FALSE, 0, sizeof value, &value, 1, &user,
                                   &written));
    assert_int_equal(clSetUserEventStatus(user, 1), CL_INVALID_VALUE);
    assert_cl(clSetUserEventStatus(user, -5));
    assert_int_equal(clWaitForEvents(1, &written), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    assert_true(status_of(written) < 0);
    assert_int_equal(status_of(user), -5);
    assert_cl(clReleaseEvent(user));
    assert_cl(clReleaseEvent(written));
    assert_cl(clReleaseMemObject(buffer));
    client_close(&c);
}

static void *complete_later(void *user)
{
    assert_cl(clSetUserEventStatus(user, CL_COMPLETE));
    return NULL;
}

static void a_thread_waits_for_another_one(void **state)
{
    (void)state;
    client c = client_open(0);
    cl_event user = clCreateUserEvent(c.context, NULL), marker;
    assert_cl(clEnqueueMarkerWithWaitList(c.queue, 1, &user, &marker));
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, complete_later, user), 0);
    assert_cl(clWaitForEvents(1, &marker));
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_cl(clReleaseEvent(user));
    assert_cl(clReleaseEvent(marker));
    client_close(&c);
}

static void CL_CALLBACK post(cl_event event, cl_int status, void *user)
{
    (void)event;
    assert_int_equal(status, CL_COMPLETE);
    sem_post(user);
}

static void a_callback_is_called_without_a_wait(void **state)
{
    (void)state;
    client c = client_open(0);
    cl_int value = 3;
    cl_mem buffer = client_ints(&c, &value, 1);
    sem_t called;
    assert_int_equal(sem_init(&called, 0, 0), 0);
    cl_event event;
    assert_cl(
        clEnqueueWriteBuffer(c.queue, buffer, CL_FALSE, 0, sizeof value, &value, 0, NULL, &event));
    assert_int_equal(clSetEventCallback(event, 99, post, &called), CL_INVALID_VALUE);
    assert_cl(clSetEventCallback(event, CL_COMPLETE, post, &called));
    assert_cl(clFlush(c.queue));
    assert_int_equal(sem_wait(&called), 0);
    assert_cl(clReleaseEvent(event));
    assert_cl(clReleaseMemObject(buffer));
    client_close(&c);
}

static void polling_makes_progress(void **state)
{
    (void)state;
    client c = client_open(0);
    cl_int value = 3;
    cl_mem buffer = client_ints(&c, &value, 1);
    cl_event event;
    assert_cl(
        clEnqueueWriteBuffer(c.queue, buffer, CL_FALSE, 0, sizeof value, &value, 0, NULL, &event));
    assert_cl(clFlush(c.queue));
    int polls = 0;
    while (status_of(event) != CL_COMPLETE)
        assert_true(++polls < 1000);
    assert_cl(clReleaseEvent(event));
    assert_cl(clReleaseMemObject(buffer));
    client_close(&c);
}

static void times_are_in_order(void **state)
{
    (void)state;
    client c = client_open(CL_QUEUE_PROFILING_ENABLE);
    cl_int value = 3;
    cl_mem buffer = client_ints(&c, &value, 1);
    cl_event event;
    cl_ulong queued, submitted, started, ended;
    assert_cl(
        clEnqueueWriteBuffer(c.queue, buffer, CL_FALSE, 0, sizeof value, &value, 0, NULL, &event));
    assert_int_equal(
        clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof ended, &ended, NULL),
        CL_PROFILING_INFO_NOT_AVAILABLE);
    assert_cl(clFinish(c.queue));
    const struct {
        cl_profiling_info name;
        cl_ulong *time;
    } rows[] = {{CL_PROFILING_COMMAND_QUEUED, &queued},
                {CL_PROFILING_COMMAND_SUBMIT, &submitted},
                {CL_PROFILING_COMMAND_START, &started},
                {CL_PROFILING_COMMAND_END, &ended}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_cl(
            clGetEventProfilingInfo(event, rows[i].name, sizeof(cl_ulong), rows[i].time, NULL));
    assert_true(queued > 0 && queued <= submitted && submitted <= started && started <= ended);
    assert_cl(clReleaseEvent(event));
    assert_cl(clReleaseMemObject(buffer));
    client_close(&c);
}

/* What one of several threads does on the context that they share: its own queue, buffer and
 * kernel. */
static void *thread_run(void *user)
{
    enum { ROUNDS = 40 };
    const client *shared = user;
    client c = *shared;
    const cl_int zero = 0, rounds = ROUNDS, one = 1;
    const size_t items = 1;
    c.queue = clCreateCommandQueue(c.context, c.device, 0, NULL);
    cl_program program = client_build(&c, add_source, "");
    cl_kernel add = clCreateKernel(program, "add", NULL);
    cl_mem buffer = client_ints(&c, &zero, 1);
    assert_cl(clSetKernelArg(add, 0, sizeof buffer, &buffer));
    assert_cl(clSetKernelArg(add, 1, sizeof one, &one));
    for (int i = 0; i < ROUNDS; i++) {
        cl_event event;
        assert_cl(clEnqueueNDRangeKernel(c.queue, add, 1, NULL, &items, NULL, 0, NULL, &event));
        if (i % 4 == 0) assert_cl(clWaitForEvents(1, &event));
        assert_cl(clReleaseEvent(event));
    }
    client_expect(&c, buffer, &rounds, 1);
    assert_cl(clReleaseMemObject(buffer));
    assert_cl(clReleaseKernel(add));
    assert_cl(clReleaseProgram(program));
    assert_cl(clReleaseCommandQueue(c.queue));
    return NULL;
}

static void threads_share_a_context(void **state)
{
    (void)state;
    client c = client_open(0);
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, thread_run, &c), 0);
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    client_close(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_in_order_queue_keeps_the_order),
        cmocka_unit_test(an_out_of_order_queue_obeys_wait_lists_and_barriers),
        cmocka_unit_test(a_user_event_holds_commands_back),
        cmocka_unit_test(a_user_event_with_an_error_fails_its_dependents),
        cmocka_unit_test(a_thread_waits_for_another_one),
        cmocka_unit_test(a_callback_is_called_without_a_wait),
        cmocka_unit_test(polling_makes_progress),
        cmocka_unit_test(times_are_in_order),
        cmocka_unit_test(threads_share_a_context),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
