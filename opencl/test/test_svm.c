/* Shared virtual memory: lists that the host builds and a kernel follows, and every refusal. */
#include "opencl/test/client.h"

#include <CL/cl_ext.h>
#include <stdatomic.h>
#include <time.h>

typedef struct node {
    struct node *next;
    cl_int value;
} node;

/* Adds up a list, and marks its nodes. */
static const char source[] =
    "struct node { global struct node *next; int value; };\n"
    "kernel void add(global struct node *list, global int *out) {\n"
    "  int sum = 0;\n"
    "  for (; list; list = list->next) { sum += list->value; list->value = -1; }\n"
    "  *out = sum;\n"
    "}\n";

static void lists_are_followed(void **state)
{
    (void)state;
    client c = client_open(0);
    const size_t one = 1;
    cl_device_svm_capabilities capabilities;
    assert_cl(clGetDeviceInfo(c.device, CL_DEVICE_SVM_CAPABILITIES, sizeof capabilities,
                              &capabilities, NULL));
    assert_int_equal(capabilities,
                     CL_DEVICE_SVM_COARSE_GRAIN_BUFFER | CL_DEVICE_SVM_FINE_GRAIN_BUFFER);
    node *nodes = clSVMAlloc(c.context, CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER,
                             3 * sizeof *nodes, 0);
    cl_int *sum = clSVMAlloc(c.context, 0, sizeof *sum, sizeof *sum);
    assert_non_null(nodes);
    assert_non_null(sum);
    nodes[0] = (node){&nodes[2], 1};
    nodes[1] = (node){NULL, 20};
    nodes[2] = (node){&nodes[1], 300};
    cl_kernel kernel = client_kernel(&c, source, "add");
    assert_cl(clSetKernelArgSVMPointer(kernel, 0, nodes));
    assert_cl(clSetKernelArgSVMPointer(kernel, 1, sum));
    const void *pointers[] = {nodes};
    assert_cl(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof pointers, pointers));
    assert_cl(clEnqueueNDRangeKernel(c.queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
    assert_cl(clEnqueueSVMMap(c.queue, CL_TRUE, CL_MAP_READ, sum, sizeof *sum, 0, NULL, NULL));
    assert_int_equal(*sum, 321);
    assert_int_equal(nodes[1].value, -1);
    assert_cl(clEnqueueSVMUnmap(c.queue, sum, 0, NULL, NULL));
    assert_cl(clFinish(c.queue));
    clSVMFree(c.context, nodes);
    clSVMFree(c.context, sum);
    clSVMFree(c.context, NULL);
    assert_cl(clReleaseKernel(kernel));
    client_close(&c);
}

static void commands_move_bytes(void **state)
{
    (void)state;
    client c = client_open(0);
    const cl_int pattern = 11, expected[4] = {11, 11, 5, 6}, tail[2] = {5, 6};
    cl_event event;
    cl_command_type type;
    cl_int *data = clSVMAlloc(c.context, 0, sizeof expected, 0);
    const void *pointers[] = {data};
    assert_cl(clEnqueueSVMMemFill(c.queue, data, &pattern, sizeof pattern, sizeof expected, 0, NULL,
                                  NULL));
    assert_cl(clEnqueueSVMMemcpy(c.queue, CL_FALSE, data + 2, tail, sizeof tail, 0, NULL, &event));
    assert_cl(clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL));
    assert_int_equal(type, CL_COMMAND_SVM_MEMCPY);
    assert_cl(clEnqueueSVMMigrateMem(c.queue, 1, pointers, NULL, 0, 0, NULL, NULL));
    assert_cl(clFinish(c.queue));
    assert_memory_equal(data, expected, sizeof expected);
    cl_mem buffer = clCreateBuffer(c.context, CL_MEM_USE_HOST_PTR, sizeof expected, data, NULL);
    cl_bool uses = CL_FALSE;
    assert_cl(clGetMemObjectInfo(buffer, CL_MEM_USES_SVM_POINTER, sizeof uses, &uses, NULL));
    assert_true(uses);
    assert_cl(clReleaseMemObject(buffer));
    assert_cl(clReleaseEvent(event));
    clSVMFree(c.context, data);
    client_close(&c);
}

/* A buffer that uses shared virtual memory consists of it (clCreateBuffer): kernels and copies
 * through the one are seen through the other, without a map. */
static void a_buffer_consists_of_the_memory(void **state)
{
    (void)state;
    client c = client_open(0);
    enum { COUNT = 64, SECOND = 32 };
    cl_int code, *data = clSVMAlloc(c.context, 0, COUNT * sizeof *data, 0);
    assert_non_null(data);
    for (cl_int i = 0; i < COUNT; i++)
        data[i] = i;
    cl_mem whole =
        clCreateBuffer(c.context, CL_MEM_USE_HOST_PTR, COUNT * sizeof *data, data, &code);
    assert_cl(code);
    const cl_buffer_region region = {SECOND * sizeof *data, SECOND * sizeof *data};
    cl_mem part = clCreateSubBuffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
    assert_cl(code);
    cl_kernel kernel =
        client_kernel(&c, "kernel void k(global int *a) { a[get_global_id(0)] *= 2; }", "k");
    client_run(&c, kernel, whole, COUNT); /* i * 2 */
    client_run(&c, kernel, part, SECOND); /* i * 4 from SECOND on */
    assert_cl(clSetKernelArgSVMPointer(kernel, 0, data + SECOND));
    const size_t one = 1;
    assert_cl(clEnqueueNDRangeKernel(c.queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
    assert_cl(clFinish(c.queue));
    assert_int_equal(data[1], 2);
    assert_int_equal(data[SECOND - 1], 2 * (SECOND - 1));
    assert_int_equal(data[SECOND], 8 * SECOND);
    assert_int_equal(data[COUNT - 1], 4 * (COUNT - 1));
    cl_int *mapped = clEnqueueMapBuffer(c.queue, part, CL_TRUE, CL_MAP_WRITE, 0, sizeof *data, 0,
                                        NULL, NULL, &code);
    assert_cl(code);
    assert_ptr_equal(mapped, data + SECOND);
    *mapped = 5;
    assert_cl(clEnqueueUnmapMemObject(c.queue, part, mapped, 0, NULL, NULL));
    const cl_int expected[] = {2 * (SECOND - 1), 5};
    cl_int values[2];
    assert_cl(clEnqueueReadBuffer(c.queue, whole, CL_TRUE, (SECOND - 1) * sizeof *data,
                                  sizeof values, values, 0, NULL, NULL));
    assert_memory_equal(values, expected, sizeof values);
    assert_null(
        clCreateBuffer(c.context, CL_MEM_USE_HOST_PTR, COUNT * sizeof *data, data + 1, &code));
    assert_int_equal(code, CL_INVALID_BUFFER_SIZE);
    assert_cl(clReleaseKernel(kernel));
    assert_cl(clReleaseMemObject(part));
    assert_cl(clReleaseMemObject(whole));
    clSVMFree(c.context, data);
    client_close(&c);
}

static atomic_int freed;

static void CL_CALLBACK note_freed(cl_command_queue queue, cl_uint count, void *pointers[],
                                   void *user)
{
    cl_context context;
    clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof context, &context, NULL);
    for (cl_uint i = 0; i < count; i++)
        clSVMFree(context, pointers[i]);
    atomic_store(&freed, count == 2 && user == &freed ? 1 : 2);
}

static void freeing_is_a_command(void **state)
{
    (void)state;
    client c = client_open(0);
    cl_event event;
    void *pointers[] = {clSVMAlloc(c.context, 0, 8, 0), clSVMAlloc(c.context, 0, 8, 0)};
    assert_cl(clEnqueueSVMFree(c.queue, 2, pointers, note_freed, &freed, 0, NULL, &event));
    assert_cl(clWaitForEvents(1, &event));
    const struct timespec pause = {0, 1000000};
    while (atomic_load(&freed) == 0)
        nanosleep(&pause, NULL);
    assert_int_equal(atomic_load(&freed), 1);
    assert_cl(clReleaseEvent(event));
    pointers[0] = NULL;
    assert_int_equal(clEnqueueSVMFree(c.queue, 2, pointers, NULL, NULL, 0, NULL, NULL),
                     CL_INVALID_VALUE);
    assert_int_equal(clEnqueueSVMFree(c.queue, 0, pointers, NULL, NULL, 0, NULL, NULL),
                     CL_INVALID_VALUE);
    client_close(&c);
}

/* The kernel links each node to the next one; the host follows the addresses that it wrote. */
static void buffers_share_an_allocation(void **state)
{
    (void)state;
    client c = client_open(0);
    enum { NODES = 64 };
    const size_t count = NODES / 2, half = count * sizeof(node);
    node *nodes = clSVMAlloc(c.context, CL_MEM_READ_WRITE, 2 * half, 0);
    assert_non_null(nodes);
    cl_int code;
    cl_mem buffer = clCreateBuffer(c.context, CL_MEM_USE_HOST_PTR, 2 * half, nodes, &code);
    assert_cl(code);
    const cl_buffer_region region = {half, half};
    cl_mem part = clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
    assert_cl(code);
    assert_ptr_equal(
        clEnqueueMapBuffer(c.queue, part, CL_TRUE, CL_MAP_WRITE, 0, half, 0, NULL, NULL, &code),
        nodes + count);
    nodes[count].value = 700;
    assert_cl(clEnqueueUnmapMemObject(c.queue, part, nodes + count, 0, NULL, NULL));
    cl_kernel kernel =
        client_kernel(&c,
                      "struct node { global struct node *next; int value; };\n"
                      "kernel void join(global struct node *list) {\n"
                      "  size_t i = get_global_id(0);\n"
                      "  list[i].next = i + 1 < get_global_size(0) ? &list[i + 1] : 0;\n"
                      "  list[i].value = i > 0 ? (int)i : list[0].value + 1;\n"
                      "}\n",
                      "join");
    assert_cl(clSetKernelArg(kernel, 0, sizeof part, &part));
    assert_cl(clEnqueueNDRangeKernel(c.queue, kernel, 1, NULL, &count, NULL, 0, NULL, NULL));
    assert_cl(clFinish(c.queue));
    cl_int sum = 0, length = 0;
    for (const node *at = nodes + count; at; at = at->next)
        sum += at->value, length++;
    assert_int_equal(length, NODES / 2);
    assert_int_equal(sum, 701 + 31 * 32 / 2);
    /* What the buffer reads is what the host has written. */
    nodes[count].value = -5;
    node read;
    assert_cl(clEnqueueReadBuffer(c.queue, part, CL_TRUE, 0, sizeof read, &read, 0, NULL, NULL));
    assert_int_equal(read.value, -5);
    /* Its bytes are read to where they are; only parts of them cannot be. */
    assert_cl(clEnqueueReadBuffer(c.queue, part, CL_TRUE, 0, half, nodes + count, 0, NULL, NULL));
    assert_int_equal(nodes[count].value, -5);
    assert_int_equal(clEnqueueReadBuffer(c.queue, part, CL_TRUE, 0, 2 * sizeof read,
                                         nodes + count + 1, 0, NULL, NULL),
                     CL_MEM_COPY_OVERLAP);
    /* What is mapped for writing through a part is so in the buffer. */
    assert_non_null(clEnqueueMapBuffer(c.queue, part, CL_TRUE, CL_MAP_WRITE, 0, sizeof read, 0,
                                       NULL, NULL, &code));
    assert_null(clEnqueueMapBuffer(c.queue, buffer, CL_TRUE, CL_MAP_WRITE, half, sizeof read, 0,
                                   NULL, NULL, &code));
    assert_int_equal(code, CL_INVALID_OPERATION);
    assert_cl(clEnqueueUnmapMemObject(c.queue, part, nodes + count, 0, NULL, NULL));
    /* Anywhere in an allocation, a buffer can begin. */
    cl_mem odd = clCreateBuffer(c.context, CL_MEM_USE_HOST_PTR, sizeof *nodes, nodes + 1, &code);
    assert_cl(code);
    cl_bool uses_svm = CL_FALSE;
    assert_cl(clGetMemObjectInfo(odd, CL_MEM_USES_SVM_POINTER, sizeof uses_svm, &uses_svm, NULL));
    assert_true(uses_svm);
    assert_cl(clReleaseMemObject(odd));
    assert_null(clCreateBuffer(c.context, CL_MEM_USE_HOST_PTR, 2 * half + 1, nodes, &code));
    assert_int_equal(code, CL_INVALID_BUFFER_SIZE);
    assert_null(clCreateBuffer(c.context, CL_MEM_USE_HOST_PTR, half + 1, nodes + count, &code));
    assert_int_equal(code, CL_INVALID_BUFFER_SIZE);
    assert_cl(clReleaseMemObject(part));
    assert_cl(clReleaseMemObject(buffer));
    clSVMFree(c.context, nodes);
    assert_cl(clReleaseKernel(kernel));
    client_close(&c);
}

static void wrong_calls_are_refused(void **state)
{
    (void)state;
    client c = client_open(0);
    cl_int value = 1;
    assert_null(clSVMAlloc(NULL, 0, 8, 0));
    assert_null(clSVMAlloc(c.context, 0, 0, 0));
    assert_null(clSVMAlloc(c.context, 0, 8, 3));
    assert_null(clSVMAlloc(c.context, CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS, 8, 0));
    assert_null(clSVMAlloc(c.context, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, 8, 0));
    int *data = clSVMAlloc(c.context, 0, 8, 0);
    const size_t sizes[] = {12};
    const void *pointers[] = {data}, *others[] = {&value};
    assert_int_equal(clEnqueueSVMMap(c.queue, CL_TRUE, CL_MAP_READ, &value, 4, 0, NULL, NULL),
                     CL_INVALID_VALUE);
    assert_int_equal(clEnqueueSVMMap(c.queue, CL_TRUE, 0, data, 4, 0, NULL, NULL),
                     CL_INVALID_VALUE);
    assert_int_equal(clEnqueueSVMMap(c.queue, CL_TRUE, CL_MAP_READ, data, 0, 0, NULL, NULL),
                     CL_INVALID_VALUE);
    assert_int_equal(clEnqueueSVMUnmap(c.queue, &value, 0, NULL, NULL), CL_INVALID_VALUE);
    assert_int_equal(clEnqueueSVMMigrateMem(c.queue, 1, pointers, sizes, 0, 0, NULL, NULL),
                     CL_INVALID_VALUE);
    assert_int_equal(clEnqueueSVMMigrateMem(c.queue, 1, others, NULL, 0, 0, NULL, NULL),
                     CL_INVALID_VALUE);
    assert_int_equal(clEnqueueSVMMigrateMem(c.queue, 1, pointers, NULL, 1 << 7, 0, NULL, NULL),
                     CL_INVALID_VALUE);
    assert_int_equal(clEnqueueSVMMemcpy(c.queue, CL_TRUE, data + 1, &value, 8, 0, NULL, NULL),
                     CL_INVALID_VALUE);
    assert_int_equal(clEnqueueSVMMemcpy(c.queue, CL_TRUE, data, NULL, 4, 0, NULL, NULL),
                     CL_INVALID_VALUE);
    assert_int_equal(clEnqueueSVMMemFill(c.queue, data, &value, 3, 6, 0, NULL, NULL),
                     CL_INVALID_VALUE);
    assert_int_equal(clEnqueueSVMMemFill(NULL, data, &value, 4, 8, 0, NULL, NULL),
                     CL_INVALID_COMMAND_QUEUE);
    cl_kernel kernel = client_kernel(&c, "kernel void k(global int *a, int n) {}", "k");
    assert_int_equal(clSetKernelArgSVMPointer(kernel, 0, &value), CL_INVALID_ARG_VALUE);
    assert_int_equal(clSetKernelArgSVMPointer(NULL, 0, data), CL_INVALID_KERNEL);
    cl_bool fine = CL_TRUE;
    assert_int_equal(
        clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM, sizeof fine, &fine),
        CL_INVALID_OPERATION);
    assert_cl(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_PTRS, 0, NULL)); /* no pointers */
    assert_int_equal(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_PTRS, 8, NULL),
                     CL_INVALID_VALUE);
    assert_int_equal(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL, 0, NULL),
                     CL_INVALID_VALUE);
    clSVMFree(c.context, data);
    assert_cl(clReleaseKernel(kernel));
    client_close(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_are_followed),
        cmocka_unit_test(commands_move_bytes),
        cmocka_unit_test(a_buffer_consists_of_the_memory),
        cmocka_unit_test(freeing_is_a_command),
        cmocka_unit_test(buffers_share_an_allocation),
        cmocka_unit_test(wrong_calls_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
