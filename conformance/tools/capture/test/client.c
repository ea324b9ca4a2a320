/* A program that uses OpenCL, whose launches `assay capture` is tested with: client CASE [FILE].
 * Every result follows from the kernels: `scale` doubles, `add` adds. */
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define TRY(expression)                                                                            \
    do {                                                                                           \
        cl_int code_ = (expression);                                                               \
        if (code_ != CL_SUCCESS) {                                                                 \
            fprintf(stderr, "client: line %d: %d\n", __LINE__, code_);                             \
            exit(3);                                                                               \
        }                                                                                          \
    } while (0)

enum { COUNT = 16 };

static const char source[] =
    "kernel void scale(global float *data, float factor) { data[get_global_id(0)] *= factor; }\n"
    "kernel void add(global const int *a, global int *b, int c) {\n"
    "    size_t i = get_global_id(0);\n"
    "    b[i] = a[i] + c;\n"
    "}\n"
    "kernel void sum(global int *a, local int *t) {\n"
    "    t[get_local_id(0)] = a[get_global_id(0)];\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    if (get_local_id(0) == 0) {\n"
    "        int s = 0;\n"
    "        for (size_t i = 0; i < get_local_size(0); i++) s += t[i];\n"
    "        a[get_global_id(0)] = s;\n"
    "    }\n"
    "}\n"
    "typedef struct { ulong to; long value; } box;\n"
    "kernel void store(box b) { ((global int *)b.to)[get_global_id(0)] = (int)b.value; }\n"
    "kernel void maybe(global int *a, global int *none) { a[0] = none ? 1 : 2; }\n";

static cl_platform_id platform;
static cl_device_id device;
static cl_context context;
static cl_command_queue queue;
static cl_program program;

static void program_make(const char *text, const char *options)
{
    program = clCreateProgramWithSource(context, 1, &text, NULL, NULL);
    TRY(clBuildProgram(program, 1, &device, options, NULL, NULL));
}

static void setup(cl_command_queue_properties flags)
{
    TRY(clGetPlatformIDs(1, &platform, NULL));
    TRY(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL));
    context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    const cl_queue_properties properties[] = {CL_QUEUE_PROPERTIES, flags, 0};
    queue = clCreateCommandQueueWithProperties(context, device, properties, NULL);
}

static cl_mem ints_make(cl_mem_flags flags)
{
    cl_int values[COUNT];
    for (int i = 0; i < COUNT; i++)
        values[i] = i * i - 7;
    return clCreateBuffer(context, flags | CL_MEM_COPY_HOST_PTR, sizeof values, values, NULL);
}

static cl_event launch(cl_kernel kernel, size_t count, size_t local, cl_uint wait_count,
                       const cl_event *wait)
{
    cl_event event;
    TRY(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &count, local ? &local : NULL, wait_count,
                               wait, &event));
    return event;
}

static void add_set(cl_kernel kernel, cl_mem a, cl_mem b, cl_int c)
{
    TRY(clSetKernelArg(kernel, 0, sizeof a, &a));
    TRY(clSetKernelArg(kernel, 1, sizeof b, &b));
    TRY(clSetKernelArg(kernel, 2, sizeof c, &c));
}

/* Two buffers of three launches; the second begins undefined, and is hidden from the host. */
static void case_plain(void)
{
    cl_float values[COUNT];
    for (int i = 0; i < COUNT; i++)
        values[i] = (float)i / 4;
    cl_mem data = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof values, values, NULL);
    cl_kernel scale = clCreateKernel(program, "scale", NULL);
    cl_float factor = 2;
    TRY(clSetKernelArg(scale, 0, sizeof data, &data));
    TRY(clSetKernelArg(scale, 1, sizeof factor, &factor));
    launch(scale, COUNT, 8, 0, NULL);
    cl_mem a = ints_make(CL_MEM_READ_ONLY);
    cl_mem b = clCreateBuffer(context, CL_MEM_HOST_NO_ACCESS, COUNT * 4, NULL, NULL);
    cl_kernel add = clCreateKernel(program, "add", NULL);
    add_set(add, a, b, 100);
    launch(add, COUNT, 0, 0, NULL);
    cl_kernel sum = clCreateKernel(program, "sum", NULL);
    TRY(clSetKernelArg(sum, 0, sizeof b, &b));
    TRY(clSetKernelArg(sum, 1, 64, NULL));
    launch(sum, COUNT, 8, 0, NULL);
    TRY(clFinish(queue));
}

/* Two launches that an event orders, in a queue out of order, and a third after a change by the
 * host. */
static void case_order(void)
{
    cl_mem a = ints_make(0), b = ints_make(0);
    cl_kernel add = clCreateKernel(program, "add", NULL),
              again = clCreateKernel(program, "add", NULL);
    add_set(add, a, b, 1);
    add_set(again, b, a, 2);
    cl_event first = launch(add, COUNT, 0, 0, NULL);
    cl_event second = launch(again, COUNT, 0, 1, &first);
    cl_int value = -1;
    TRY(clEnqueueWriteBuffer(queue, a, CL_TRUE, 8, sizeof value, &value, 1, &second, NULL));
    launch(add, COUNT, 0, 0, NULL);
    TRY(clFinish(queue));
}

/* Launches that OpenCL 1.1's barriers, markers and waits order, and the event of a migration, in a
 * queue out of order. */
static void case_barriers(void)
{
    cl_mem a = ints_make(0), b = ints_make(0);
    cl_kernel add = clCreateKernel(program, "add", NULL);
    cl_event marker, moved;
    add_set(add, a, b, 1);
    launch(add, COUNT, 0, 0, NULL);
    TRY(clEnqueueBarrier(queue));
    launch(add, COUNT, 0, 0, NULL);
    TRY(clEnqueueMarker(queue, &marker));
    TRY(clEnqueueWaitForEvents(queue, 1, &marker));
    cl_event third = launch(add, COUNT, 0, 0, NULL);
    TRY(clEnqueueMigrateMemObjects(queue, 1, &a, 0, 1, &third, &moved));
    launch(add, COUNT, 0, 1, &moved);
    TRY(clFinish(queue));
}

/* Commands between launches, in a queue in order. */
static void case_between(void)
{
    cl_mem a = ints_make(0), b = ints_make(0);
    cl_kernel add = clCreateKernel(program, "add", NULL);
    const cl_int seven = 7;
    const cl_char one = 1;
    add_set(add, a, b, 1);
    launch(add, COUNT, 0, 0, NULL);
    TRY(clEnqueueFillBuffer(queue, a, &seven, sizeof seven, 8, 12, 0, NULL, NULL));
    launch(add, COUNT, 0, 0, NULL);
    TRY(clEnqueueFillBuffer(queue, a, &one, sizeof one, 21, 2, 0, NULL, NULL));
    TRY(clEnqueueCopyBuffer(queue, b, a, 0, 32, 8, 0, NULL, NULL));
    launch(add, COUNT, 0, 0, NULL);
    cl_int result,
        *mapped = clEnqueueMapBuffer(queue, a, CL_TRUE, CL_MAP_WRITE, 0, 4, 0, NULL, NULL, &result);
    TRY(result);
    *mapped = 100;
    TRY(clEnqueueUnmapMemObject(queue, a, mapped, 0, NULL, NULL));
    launch(add, COUNT, 0, 0, NULL);
    TRY(clFinish(queue));
}

/* Pointers: into the middle of a block, and within a struct. */
static void case_usm(void)
{
    clDeviceMemAllocINTEL_fn allocate =
        (clDeviceMemAllocINTEL_fn)clGetExtensionFunctionAddressForPlatform(platform,
                                                                           "clDeviceMemAllocINTEL");
    clEnqueueMemcpyINTEL_fn copy =
        (clEnqueueMemcpyINTEL_fn)clGetExtensionFunctionAddressForPlatform(platform,
                                                                          "clEnqueueMemcpyINTEL");
    clSetKernelArgMemPointerINTEL_fn set =
        (clSetKernelArgMemPointerINTEL_fn)clGetExtensionFunctionAddressForPlatform(
            platform, "clSetKernelArgMemPointerINTEL");
    cl_int values[COUNT] = {5, 6, 7, 8};
    if (!allocate || !copy || !set) exit(77);
    char *block = allocate(context, device, NULL, sizeof values, 0, NULL);
    if (!block) exit(77);
    TRY(copy(queue, CL_TRUE, block, values, sizeof values, 0, NULL, NULL));
    cl_kernel add = clCreateKernel(program, "add", NULL);
    cl_int c = 10;
    TRY(set(add, 0, block));
    TRY(set(add, 1, block + 32));
    TRY(clSetKernelArg(add, 2, sizeof c, &c));
    launch(add, 4, 0, 0, NULL);
    const struct {
        char *to;
        cl_long value;
    } box = {block + 16, 9};
    cl_kernel store = clCreateKernel(program, "store", NULL);
    cl_bool yes = CL_TRUE;
    TRY(clSetKernelExecInfo(store, CL_KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL, sizeof yes,
                            &yes));
    TRY(clSetKernelArg(store, 0, sizeof box, &box));
    launch(store, 4, 0, 0, NULL);
    /* Memory with an address in it. */
    TRY(copy(queue, CL_TRUE, block, &block, sizeof block, 0, NULL, NULL));
    launch(add, 4, 0, 0, NULL);
    TRY(clFinish(queue));
}

/* A launch whose argument is the address of a variable of its program. */
static void case_variable(void)
{
    typedef cl_int(CL_API_CALL * find_call)(cl_device_id device, cl_program program,
                                            const char *name, size_t *out_size, void **out_pointer);
    find_call find = (find_call)clGetExtensionFunctionAddressForPlatform(
        platform, "clGetDeviceGlobalVariablePointerINTEL");
    clSetKernelArgMemPointerINTEL_fn set =
        (clSetKernelArgMemPointerINTEL_fn)clGetExtensionFunctionAddressForPlatform(
            platform, "clSetKernelArgMemPointerINTEL");
    if (!find || !set) exit(77);
    program_make("global int counter = 5;\n"
                 "kernel void next(global int *a) { a[0] = counter + 1; }\n",
                 "-cl-std=CL2.0");
    void *counter;
    TRY(find(device, program, "counter", NULL, &counter));
    cl_kernel next = clCreateKernel(program, "next", NULL);
    TRY(set(next, 0, counter));
    launch(next, 1, 0, 0, NULL);
    TRY(clFinish(queue));
}

static void case_svm(void)
{
    cl_int *block = clSVMAlloc(context, CL_MEM_READ_WRITE, COUNT * 4, 0);
    cl_int values[COUNT] = {1, 2, 3, 4};
    if (!block) exit(77);
    TRY(clEnqueueSVMMemcpy(queue, CL_TRUE, block, values, sizeof values, 0, NULL, NULL));
    cl_kernel add = clCreateKernel(program, "add", NULL);
    cl_int c = 3;
    TRY(clSetKernelArgSVMPointer(add, 0, block));
    TRY(clSetKernelArgSVMPointer(add, 1, block + 8));
    TRY(clSetKernelArg(add, 2, sizeof c, &c));
    launch(add, 4, 0, 0, NULL);
    TRY(clFinish(queue));
}

/* Launches with whole buffers, one with two parts of a buffer, and one more. */
static void case_parts(void)
{
    cl_mem a = ints_make(0), b = ints_make(0);
    cl_kernel add = clCreateKernel(program, "add", NULL);
    const cl_buffer_region left = {0, 32}, right = {0, 64};
    cl_mem parts[] = {clCreateSubBuffer(a, 0, CL_BUFFER_CREATE_TYPE_REGION, &left, NULL),
                      clCreateSubBuffer(a, 0, CL_BUFFER_CREATE_TYPE_REGION, &right, NULL)};
    add_set(add, a, b, 1);
    launch(add, COUNT, 0, 0, NULL);
    launch(add, COUNT, 0, 0, NULL);
    add_set(add, parts[0], parts[1], 1);
    launch(add, 4, 0, 0, NULL);
    add_set(add, b, a, 1);
    launch(add, COUNT, 0, 0, NULL);
    TRY(clFinish(queue));
}

/* Launches of which one has an argument that scenarios cannot pass: a struct with a pointer, whose
 * size is not that of 64-bit words. */
static void case_odd(void)
{
    static const char text[] =
        "typedef struct __attribute__((packed)) { ulong to; int value; } odd;\n"
        "kernel void put(global int *a, odd o) { a[0] = o.value; }\n";
    struct __attribute__((packed)) {
        void *to;
        cl_int value;
    } odd = {clSVMAlloc(context, CL_MEM_READ_WRITE, 64, 0), 5};
    if (!odd.to) exit(77);
    cl_mem a = ints_make(0), b = ints_make(0);
    cl_kernel add = clCreateKernel(program, "add", NULL);
    program_make(text, "");
    cl_kernel put = clCreateKernel(program, "put", NULL);
    add_set(add, a, b, 1);
    TRY(clSetKernelArg(put, 0, sizeof a, &a));
    TRY(clSetKernelArg(put, 1, sizeof odd, &odd));
    for (int i = 0; i < 5; i++)
        launch(i == 2 ? put : add, i == 2 ? 1 : COUNT, 0, 0, NULL);
    TRY(clFinish(queue));
}

/* A launch that stores into a half of a buffer that nothing has written. */
static void case_partly(void)
{
    cl_mem a = ints_make(0), b = clCreateBuffer(context, 0, COUNT * 4, NULL, NULL);
    cl_kernel add = clCreateKernel(program, "add", NULL);
    add_set(add, a, b, 100);
    launch(add, COUNT / 2, 0, 0, NULL);
    TRY(clFinish(queue));
}

/* The host stores the same contents again and again. */
static void case_repeat(void)
{
    cl_mem a = ints_make(0), b = ints_make(0);
    cl_kernel add = clCreateKernel(program, "add", NULL);
    const cl_int values[COUNT] = {1, 2, 3};
    add_set(add, a, b, 1);
    for (int i = 0; i < 8; i++) {
        launch(add, COUNT, 0, 0, NULL);
        TRY(clEnqueueWriteBuffer(queue, a, CL_TRUE, 0, sizeof values, values, 0, NULL, NULL));
    }
    launch(add, COUNT, 0, 0, NULL);
    TRY(clFinish(queue));
}

/* Sizes beyond those of the memories: a driver refuses the commands without reading so much. */
static void case_sizes(void)
{
    enum { HUGE_SIZE = 64 << 20 };
    cl_mem a = ints_make(0), b = ints_make(0);
    cl_kernel add = clCreateKernel(program, "add", NULL);
    static const cl_int one = 1;
    add_set(add, a, b, 1);
    launch(add, COUNT, 0, 0, NULL);
    const cl_int results[] = {
        clEnqueueFillBuffer(queue, a, &one, HUGE_SIZE, 0, 64, 0, NULL, NULL),
        clEnqueueWriteBuffer(queue, a, CL_TRUE, 0, HUGE_SIZE, &one, 0, NULL, NULL),
        clEnqueueWriteBuffer(queue, a, CL_FALSE, 0, HUGE_SIZE, &one, 0, NULL, NULL),
    };
    for (int i = 0; i < 3; i++)
        if (results[i] != CL_INVALID_VALUE) exit(3);
    launch(add, COUNT, 0, 0, NULL);
    TRY(clFinish(queue));
}

/* One launch of each kind that cannot be captured, and one that can. */
static void case_refused(void)
{
    cl_mem a = ints_make(0);
    cl_kernel add = clCreateKernel(program, "add", NULL),
              maybe = clCreateKernel(program, "maybe", NULL);
    const cl_buffer_region left = {0, 32}, right = {0, 64};
    cl_mem parts[] = {clCreateSubBuffer(a, 0, CL_BUFFER_CREATE_TYPE_REGION, &left, NULL),
                      clCreateSubBuffer(a, 0, CL_BUFFER_CREATE_TYPE_REGION, &right, NULL)};
    add_set(add, parts[0], parts[1], 1);
    launch(add, 4, 0, 0, NULL);
    cl_sampler sampler =
        clCreateSampler(context, CL_FALSE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, NULL);
    if (sampler) {
        program_make("kernel void look(global int *a, sampler_t s) { a[0] = 1; }", "");
        cl_kernel look = clCreateKernel(program, "look", NULL);
        TRY(clSetKernelArg(look, 0, sizeof a, &a));
        TRY(clSetKernelArg(look, 1, sizeof sampler, &sampler));
        launch(look, 1, 0, 0, NULL);
    }
    cl_event user = clCreateUserEvent(context, NULL);
    add_set(add, a, parts[1], 2);
    launch(add, 4, 0, 1, &user);
    TRY(clSetUserEventStatus(user, CL_COMPLETE));
    TRY(clFinish(queue));
    TRY(clSetKernelArg(maybe, 0, sizeof a, &a));
    TRY(clSetKernelArg(maybe, 1, sizeof a, NULL));
    launch(maybe, 1, 0, 0, NULL);
    TRY(clFinish(queue));
}

/* A program that is linked from two sources, and one from the other's binary. */
static void case_linked(void)
{
    const char *parts[] = {
        "int twice(int x) { return 2 * x; }",
        "#include \"three.h\"\nint twice(int x);\n"
        "kernel void k(global int *a) { a[get_global_id(0)] = twice(a[get_global_id(0)]) + THREE; }"};
    cl_program compiled[2];
    cl_mem a = ints_make(0);
    for (int i = 0; i < 2; i++) {
        compiled[i] = clCreateProgramWithSource(context, 1, &parts[i], NULL, NULL);
        TRY(clCompileProgram(compiled[i], 1, &device, "-I include", 0, NULL, NULL, NULL, NULL));
    }
    program = clLinkProgram(context, 1, &device, "", 2, compiled, NULL, NULL, NULL);
    cl_kernel kernel = clCreateKernel(program, "k", NULL);
    TRY(clSetKernelArg(kernel, 0, sizeof a, &a));
    launch(kernel, COUNT, 0, 0, NULL);
    TRY(clFinish(queue));
    size_t size;
    TRY(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL));
    unsigned char *binary = malloc(size);
    TRY(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL));
    program = clCreateProgramWithBinary(context, 1, &device, &size, (const unsigned char **)&binary,
                                        NULL, NULL);
    TRY(clBuildProgram(program, 1, &device, "", NULL, NULL));
    kernel = clCreateKernel(program, "k", NULL);
    TRY(clSetKernelArg(kernel, 0, sizeof a, &a));
    launch(kernel, COUNT, 0, 0, NULL);
    TRY(clFinish(queue));
}

/* A launch in which a CPU's driver crashes. */
static void case_crash(void)
{
    program_make("kernel void poke(global int *a, global int *none) { none[a[0]] = 1; }", "");
    cl_kernel poke = clCreateKernel(program, "poke", NULL);
    cl_mem a = ints_make(0);
    TRY(clSetKernelArg(poke, 0, sizeof a, &a));
    TRY(clSetKernelArg(poke, 1, sizeof a, NULL));
    launch(poke, 1, 0, 0, NULL);
    TRY(clFinish(queue));
}

static void *thread_run(void *user)
{
    cl_command_queue own = clCreateCommandQueueWithProperties(context, device, NULL, NULL);
    cl_mem a = ints_make(0), b = ints_make(0);
    cl_kernel add = clCreateKernel(program, "add", NULL);
    size_t count = COUNT;
    add_set(add, a, b, (cl_int)(size_t)user);
    for (int i = 0; i < 4; i++)
        TRY(clEnqueueNDRangeKernel(own, add, 1, NULL, &count, NULL, 0, NULL, NULL));
    TRY(clFinish(own));
    return NULL;
}

static void case_threads(void)
{
    pthread_t threads[4];
    for (size_t i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, thread_run, (void *)(i + 1));
    for (size_t i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
}

/* Two programs, one after the other, in processes of their own. */
static void case_processes(const char *self)
{
    for (int i = 0; i < 2; i++) {
        pid_t pid = fork();
        if (pid == 0) execl(self, self, "plain", (char *)NULL);
        waitpid(pid, NULL, 0);
    }
}

int main(int count, char **arguments)
{
    const char *name = count > 1 ? arguments[1] : "";
    if (strcmp(name, "processes") == 0) {
        case_processes(arguments[0]);
        return 0;
    }
    bool is_unordered = strcmp(name, "order") == 0 || strcmp(name, "barriers") == 0;
    setup(is_unordered ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0);
    program_make(source, "-cl-std=CL1.2 -Werror");
    static const struct {
        const char *name;
        void (*run)(void);
    } cases[] = {{"plain", case_plain},      {"order", case_order},   {"between", case_between},
                 {"usm", case_usm},          {"svm", case_svm},       {"refused", case_refused},
                 {"parts", case_parts},      {"linked", case_linked}, {"threads", case_threads},
                 {"crash", case_crash},      {"sizes", case_sizes},   {"odd", case_odd},
                 {"repeat", case_repeat},    {"partly", case_partly}, {"variable", case_variable},
                 {"barriers", case_barriers}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (strcmp(cases[i].name, name) == 0) cases[i].run();
    if (strcmp(name, "abort") == 0) {
        case_plain();
        abort();
    }
    if (strcmp(name, "fails") == 0) return 9;
    return 0;
}
