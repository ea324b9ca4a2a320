/* Uses of the API that return no error and that the specification leaves undefined, each with a
 * correct twin. undefined.sh runs them one by one, and expects one finding, or none of the twin.
 *
 *     undefined                 prints a line for each case: its name, the class of its finding
 *                               and, where it matters, the message
 *     undefined NAME [right]    runs the case, or its twin
 */
#include "opencl/test/client.h"

#include <stdbool.h>
#include <stdio.h>

enum { BYTES = 256 };

static const char *const store = "kernel void k(global int *a) { a[get_global_id(0)] = 1; }";
static const char *const copy =
    "kernel void k(global const int *a, global int *b) { b[0] = a[0]; }";

static cl_uchar host[2 * BYTES];

static cl_mem buffer_make(const client *c, cl_mem_flags flags, void *pointer)
{
    cl_int code;
    cl_mem buffer = clCreateBuffer(c->context, flags, BYTES, pointer, &code);
    assert_cl(code);
    return buffer;
}

static void *map(const client *c, cl_mem buffer, cl_map_flags flags)
{
    cl_int code;
    void *pointer =
        clEnqueueMapBuffer(c->queue, buffer, CL_TRUE, flags, 0, 16, 0, NULL, NULL, &code);
    assert_cl(code);
    return pointer;
}

static void unmap(const client *c, cl_mem buffer, void *pointer)
{
    assert_cl(clEnqueueUnmapMemObject(c->queue, buffer, pointer, 0, NULL, NULL));
}

static cl_mem part_make(cl_mem buffer)
{
    const cl_buffer_region region = {128, 64};
    cl_int code;
    cl_mem part = clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
    assert_cl(code);
    return part;
}

/* ---- Objects after their release ---------------------------------------------------------- */

static void event_used_after_release(const client *c, bool is_right)
{
    cl_event event;
    assert_cl(clEnqueueMarkerWithWaitList(c->queue, 0, NULL, &event));
    assert_cl(clFinish(c->queue));
    if (is_right) assert_cl(clWaitForEvents(1, &event));
    assert_cl(clReleaseEvent(event));
    if (!is_right) assert_int_equal(clWaitForEvents(1, &event), CL_INVALID_EVENT);
}

static void event_waited_for_after_release(const client *c, bool is_right)
{
    cl_event event;
    assert_cl(clEnqueueMarkerWithWaitList(c->queue, 0, NULL, &event));
    if (!is_right) assert_cl(clReleaseEvent(event));
    assert_int_equal(clEnqueueBarrierWithWaitList(c->queue, 1, &event, NULL),
                     is_right ? CL_SUCCESS : CL_INVALID_EVENT_WAIT_LIST);
    if (is_right) assert_cl(clReleaseEvent(event));
}

static void buffer_released_while_an_argument(const client *c, bool is_right)
{
    const size_t items = 4;
    cl_kernel kernel = client_kernel(c, store, "k");
    cl_mem buffer = buffer_make(c, 0, NULL), part = part_make(buffer);
    assert_cl(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    if (!is_right) assert_cl(clReleaseMemObject(buffer)); /* the part keeps it alive */
    assert_cl(clEnqueueNDRangeKernel(c->queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL));
    if (is_right) assert_cl(clReleaseMemObject(buffer)); /* the command keeps it alive */
    assert_cl(clReleaseMemObject(part));
    assert_cl(clFinish(c->queue));
    assert_cl(clReleaseKernel(kernel));
}

static void memory_freed_while_a_kernel_runs(const client *c, bool is_right)
{
    const size_t items = 4;
    cl_kernel kernel = client_kernel(c, store, "k");
    cl_int *pointer = clSVMAlloc(c->context, 0, BYTES, 0);
    assert_non_null(pointer);
    assert_cl(clSetKernelArgSVMPointer(kernel, 0, pointer));
    assert_cl(clEnqueueNDRangeKernel(c->queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL));
    if (is_right) assert_cl(clFinish(c->queue));
    clSVMFree(c->context, pointer);
    clFinish(c->queue);
    assert_cl(clReleaseKernel(kernel));
}

static void freed_memory_copied(const client *c, bool is_right)
{
    cl_int value;
    cl_int *pointer = clSVMAlloc(c->context, 0, BYTES, 0);
    assert_non_null(pointer);
    *pointer = 7;
    if (!is_right) clSVMFree(c->context, pointer);
    assert_int_equal(
        clEnqueueSVMMemcpy(c->queue, CL_TRUE, &value, pointer, sizeof value, 0, NULL, NULL),
        is_right ? CL_SUCCESS : CL_INVALID_VALUE);
    if (is_right) clSVMFree(c->context, pointer);
}

static void memory_freed_twice(const client *c, bool is_right)
{
    cl_int *pointer = clSVMAlloc(c->context, 0, BYTES, 0);
    assert_non_null(pointer);
    clSVMFree(c->context, is_right ? NULL : pointer + 1);
    clSVMFree(c->context, pointer);
}

/* ---- Mapped memory ------------------------------------------------------------------------ */

static void transfer_of_a_mapped_buffer(const client *c, bool is_right, cl_map_flags flags,
                                        bool writes, bool uses_part, bool maps_part)
{
    cl_mem buffer = buffer_make(c, CL_MEM_COPY_HOST_PTR, host), part = part_make(buffer);
    cl_mem mapped = maps_part ? part : buffer, used = uses_part ? part : buffer;
    cl_uchar bytes[16] = {0};
    void *pointer = map(c, mapped, flags);
    if (is_right) unmap(c, mapped, pointer);
    if (writes)
        assert_cl(clEnqueueWriteBuffer(c->queue, used, CL_TRUE, 32, 16, bytes, 0, NULL, NULL));
    else
        assert_cl(clEnqueueReadBuffer(c->queue, used, CL_TRUE, 32, 16, bytes, 0, NULL, NULL));
    if (!is_right) unmap(c, mapped, pointer);
    assert_cl(clReleaseMemObject(part));
    assert_cl(clReleaseMemObject(buffer));
}

static void read_of_a_buffer_mapped_for_writing(const client *c, bool is_right)
{
    transfer_of_a_mapped_buffer(c, is_right, CL_MAP_WRITE, false, false, false);
}

static void write_of_a_buffer_mapped_for_reading(const client *c, bool is_right)
{
    transfer_of_a_mapped_buffer(c, is_right, CL_MAP_READ, true, false, false);
}

static void write_of_a_part_of_a_mapped_buffer(const client *c, bool is_right)
{
    transfer_of_a_mapped_buffer(c, is_right, CL_MAP_READ, true, true, false);
}

static void read_of_a_buffer_of_a_mapped_part(const client *c, bool is_right)
{
    transfer_of_a_mapped_buffer(c, is_right, CL_MAP_WRITE_INVALIDATE_REGION, false, false, true);
}

/* A buffer that is mapped for reading may be read. */
static void fill_of_a_mapped_buffer(const client *c, bool is_right)
{
    const cl_int zero = 0;
    cl_mem buffer = buffer_make(c, CL_MEM_COPY_HOST_PTR, host), other = buffer_make(c, 0, NULL);
    void *pointer = map(c, buffer, CL_MAP_READ);
    assert_cl(clEnqueueCopyBuffer(c->queue, buffer, other, 0, 0, BYTES, 0, NULL, NULL));
    assert_cl(clEnqueueFillBuffer(c->queue, is_right ? other : buffer, &zero, sizeof zero, 0, BYTES,
                                  0, NULL, NULL));
    unmap(c, buffer, pointer);
    assert_cl(clFinish(c->queue));
    assert_cl(clReleaseMemObject(buffer));
    assert_cl(clReleaseMemObject(other));
}

/* The launch begins when the user event has a status; the twin unmaps the buffer before that. */
static void kernel_on_a_mapped_buffer(const client *c, bool is_right)
{
    cl_int code;
    const size_t items = 4;
    cl_event user = clCreateUserEvent(c->context, &code);
    cl_command_queue other = clCreateCommandQueue(c->context, c->device, 0, &code);
    cl_kernel kernel = client_kernel(c, store, "k");
    cl_mem buffer = buffer_make(c, 0, NULL);
    void *pointer = map(c, buffer, CL_MAP_WRITE_INVALIDATE_REGION);
    assert_cl(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    assert_cl(clEnqueueNDRangeKernel(other, kernel, 1, NULL, &items, NULL, is_right,
                                     is_right ? &user : NULL, NULL));
    if (!is_right) assert_cl(clFinish(other));
    unmap(c, buffer, pointer);
    assert_cl(clFinish(c->queue));
    assert_cl(clSetUserEventStatus(user, CL_COMPLETE));
    assert_cl(clFinish(other));
    assert_cl(clReleaseCommandQueue(other));
    assert_cl(clReleaseEvent(user));
    assert_cl(clReleaseMemObject(buffer));
    assert_cl(clReleaseKernel(kernel));
}

/* A user event without a status delays what waits for it through other commands as well; one that
 * has its status delays nothing. */
static void kernel_after_a_marker_on_a_mapped_buffer(const client *c, bool is_right)
{
    cl_int code;
    const size_t items = 4;
    cl_event user = clCreateUserEvent(c->context, &code), marker;
    cl_command_queue first = clCreateCommandQueue(c->context, c->device, 0, &code);
    cl_command_queue second = clCreateCommandQueue(c->context, c->device, 0, &code);
    cl_kernel kernel = client_kernel(c, store, "k");
    cl_mem buffer = buffer_make(c, 0, NULL);
    void *pointer = map(c, buffer, CL_MAP_WRITE_INVALIDATE_REGION);
    assert_cl(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    assert_cl(clEnqueueMarkerWithWaitList(first, 1, &user, &marker));
    if (!is_right) assert_cl(clSetUserEventStatus(user, CL_COMPLETE));
    assert_cl(clEnqueueMarkerWithWaitList(second, 1, &marker, NULL));
    assert_cl(clEnqueueNDRangeKernel(second, kernel, 1, NULL, &items, NULL, 0, NULL, NULL));
    if (!is_right) assert_cl(clFinish(second));
    unmap(c, buffer, pointer);
    assert_cl(clFinish(c->queue));
    if (is_right) assert_cl(clSetUserEventStatus(user, CL_COMPLETE));
    assert_cl(clFinish(second));
    assert_cl(clReleaseEvent(marker));
    assert_cl(clReleaseEvent(user));
    assert_cl(clReleaseCommandQueue(first));
    assert_cl(clReleaseCommandQueue(second));
    assert_cl(clReleaseMemObject(buffer));
    assert_cl(clReleaseKernel(kernel));
}

/* The store is reported, and happens as on other devices, so that the program continues. */
static void store_to_a_buffer_for_reading(const client *c, bool is_right)
{
    const cl_int expected[] = {1, 1, 1, 1};
    cl_kernel kernel = client_kernel(c, store, "k");
    cl_mem buffer = buffer_make(c, is_right ? CL_MEM_READ_WRITE : CL_MEM_READ_ONLY, NULL);
    client_run(c, kernel, buffer, 4);
    client_expect(c, buffer, expected, 4);
    assert_cl(clReleaseMemObject(buffer));
    assert_cl(clReleaseKernel(kernel));
}

/* ---- Memory of the host ------------------------------------------------------------------- */

static void buffers_share_memory_of_the_host(const client *c, bool is_right)
{
    const size_t one = 1;
    cl_kernel kernel = client_kernel(c, copy, "k");
    cl_mem a = buffer_make(c, CL_MEM_USE_HOST_PTR, host);
    cl_mem b = buffer_make(c, CL_MEM_USE_HOST_PTR, host + (is_right ? BYTES : BYTES - 1));
    assert_cl(clSetKernelArg(kernel, 0, sizeof a, &a));
    assert_cl(clSetKernelArg(kernel, 1, sizeof b, &b));
    assert_cl(clEnqueueNDRangeKernel(c->queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
    assert_cl(clFinish(c->queue));
    assert_cl(clReleaseMemObject(a));
    assert_cl(clReleaseMemObject(b));
    assert_cl(clReleaseKernel(kernel));
}

static void source_of_a_write_changes(const client *c, bool is_right)
{
    cl_mem buffer = buffer_make(c, 0, NULL);
    assert_cl(clEnqueueWriteBuffer(c->queue, buffer, CL_FALSE, 0, BYTES, host, 0, NULL, NULL));
    if (is_right) assert_cl(clFinish(c->queue));
    host[0]++;
    assert_cl(clFinish(c->queue));
    assert_cl(clReleaseMemObject(buffer));
}

/* ---- Memory of the host before a read is done --------------------------------------------- */

enum { LARGE = 1 << 16 }; /* bytes, with whole pages in them */

static cl_mem large_make(const client *c)
{
    cl_int code;
    cl_mem buffer = clCreateBuffer(c->context, 0, LARGE, NULL, &code);
    assert_cl(code);
    assert_cl(clEnqueueFillBuffer(c->queue, buffer, &(cl_uchar){7}, 1, 0, LARGE, 0, NULL, NULL));
    return buffer;
}

static void destination_of_a_read_is_used(const client *c, bool is_right)
{
    static cl_uchar destination[LARGE];
    cl_mem buffer = large_make(c);
    assert_cl(
        clEnqueueReadBuffer(c->queue, buffer, CL_FALSE, 0, LARGE, destination, 0, NULL, NULL));
    if (is_right) assert_cl(clFinish(c->queue));
    assert_int_equal(destination[LARGE / 2], is_right ? 7 : 0);
    assert_cl(clFinish(c->queue));
    assert_int_equal(destination[LARGE / 2], 7);
    assert_cl(clReleaseMemObject(buffer));
}

static void map_is_used(const client *c, bool is_right)
{
    cl_mem buffer = large_make(c);
    cl_event mapped;
    cl_int code;
    volatile cl_uchar *pointer = clEnqueueMapBuffer(c->queue, buffer, CL_FALSE, CL_MAP_READ, 0,
                                                    LARGE, 0, NULL, &mapped, &code);
    assert_cl(code);
    if (is_right) assert_cl(clWaitForEvents(1, &mapped));
    (void)pointer[LARGE / 2];
    assert_cl(clWaitForEvents(1, &mapped));
    assert_int_equal(pointer[LARGE / 2], 7);
    assert_cl(clReleaseEvent(mapped));
    /* What is mapped stays accessible while it is mapped again. */
    void *second = clEnqueueMapBuffer(c->queue, buffer, CL_FALSE, CL_MAP_READ, 1, LARGE - 1, 0,
                                      NULL, &mapped, &code);
    assert_cl(code);
    assert_int_equal(pointer[LARGE / 2], 7);
    assert_cl(clWaitForEvents(1, &mapped));
    assert_cl(clReleaseEvent(mapped));
    assert_cl(clEnqueueUnmapMemObject(c->queue, buffer, second, 0, NULL, NULL));
    assert_cl(clEnqueueUnmapMemObject(c->queue, buffer, (void *)(uintptr_t)pointer, 0, NULL, NULL));
    assert_cl(clReleaseMemObject(buffer));
}

/* ---- Events ------------------------------------------------------------------------------- */

static void release_before_a_user_event_is_set(const client *c, bool is_right)
{
    cl_int code;
    cl_event user = clCreateUserEvent(c->context, &code);
    assert_cl(code);
    cl_mem buffer = buffer_make(c, 0, NULL);
    assert_cl(clEnqueueMarkerWithWaitList(c->queue, 1, &user, NULL));
    if (is_right) assert_cl(clSetUserEventStatus(user, CL_COMPLETE));
    assert_cl(clReleaseMemObject(buffer));
    if (!is_right) assert_cl(clSetUserEventStatus(user, CL_COMPLETE));
    assert_cl(clFinish(c->queue));
    assert_cl(clReleaseEvent(user));
}

typedef struct called {
    const client *c;
    bool blocks;
    cl_event done; /* a user event */
} called;

static void CL_CALLBACK marker_done(cl_event event, cl_int status, void *user)
{
    const called *data = user;
    (void)event, (void)status;
    if (data->blocks)
        clFinish(data->c->queue);
    else
        clFlush(data->c->queue);
    clSetUserEventStatus(data->done, CL_COMPLETE);
}

static void callback_that_blocks(const client *c, bool is_right)
{
    cl_int code;
    cl_event marker;
    called data = {c, !is_right, clCreateUserEvent(c->context, &code)};
    assert_cl(code);
    assert_cl(clEnqueueMarkerWithWaitList(c->queue, 0, NULL, &marker));
    assert_cl(clSetEventCallback(marker, CL_COMPLETE, marker_done, &data));
    assert_cl(clWaitForEvents(1, &data.done));
    assert_cl(clReleaseEvent(data.done));
    assert_cl(clReleaseEvent(marker));
}

static void CL_CALLBACK buffer_freed(cl_mem buffer, void *user)
{
    const called *data = user;
    (void)buffer;
    if (data->blocks)
        clReleaseContext(clCreateContext(NULL, 1, &data->c->device, NULL, NULL, NULL));
}

static void destructor_that_creates_a_context(const client *c, bool is_right)
{
    called data = {c, !is_right, NULL};
    cl_mem buffer = buffer_make(c, 0, NULL);
    assert_cl(clSetMemObjectDestructorCallback(buffer, buffer_freed, &data));
    assert_cl(clReleaseMemObject(buffer));
}

/* ---- The cases ---------------------------------------------------------------------------- */

static const struct {
    const char *name, *finding, *message;
    void (*run)(const client *c, bool is_right);
} cases[] = {
#define CASE_SAYING(finding, function, message)                                                    \
    {                                                                                              \
#function, finding, message, function                                                      \
    }
#define CASE(finding, function) CASE_SAYING(finding, function, "")
    CASE("use-after-release", event_used_after_release),
    CASE("use-after-release", event_waited_for_after_release),
    CASE("use-after-release", buffer_released_while_an_argument),
    CASE("use-after-free", memory_freed_while_a_kernel_runs),
    CASE("use-after-free", freed_memory_copied),
    CASE("invalid-free", memory_freed_twice),
    CASE_SAYING("mapped-buffer", read_of_a_buffer_mapped_for_writing,
                "the command reads buffer 1; 16 bytes at offset 0 of buffer 1 are mapped for "
                "writing"),
    CASE("mapped-buffer", write_of_a_buffer_mapped_for_reading),
    CASE_SAYING("mapped-buffer", write_of_a_part_of_a_mapped_buffer,
                "the command writes buffer 2; 16 bytes at offset 0 of buffer 1, of which it is a "
                "part, are mapped for reading"),
    CASE_SAYING("mapped-buffer", read_of_a_buffer_of_a_mapped_part,
                "the command reads buffer 1; 16 bytes at offset 0 of buffer 2, a part of it, are "
                "mapped for writing"),
    CASE("mapped-buffer", fill_of_a_mapped_buffer),
    CASE_SAYING("mapped-buffer", kernel_on_a_mapped_buffer,
                "argument 0 of kernel 'k' is buffer 1; 16 bytes at offset 0 of buffer 1 are mapped "
                "for writing"),
    CASE("mapped-buffer", kernel_after_a_marker_on_a_mapped_buffer),
    CASE("access-mode", store_to_a_buffer_for_reading),
    CASE("host-memory-overlap", buffers_share_memory_of_the_host),
    CASE("command-race", source_of_a_write_changes),
    CASE("command-race", destination_of_a_read_is_used),
    CASE("command-race", map_is_used),
    CASE("unset-user-event", release_before_a_user_event_is_set),
    CASE("call-in-callback", callback_that_blocks),
    CASE("call-in-callback", destructor_that_creates_a_context),
#undef CASE
#undef CASE_SAYING
};

static const char *chosen;
static bool is_twin;

static void chosen_case(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (strcmp(cases[i].name, chosen) != 0) continue;
        client c = client_open(0);
        cases[i].run(&c, is_twin);
        client_close(&c);
        return;
    }
    fail_msg("there is no case %s", chosen);
}

int main(int count, char **arguments)
{
    for (size_t i = 0; count == 1 && i < sizeof cases / sizeof *cases; i++)
        printf("%s %s %s\n", cases[i].name, cases[i].finding, cases[i].message);
    if (count == 1) return 0;
    chosen = arguments[1];
    is_twin = count > 2;
    const struct CMUnitTest tests[] = {cmocka_unit_test(chosen_case)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
