/* Any OpenCL platform as an engine, from source. */
#include "conformance/tools/bench/engine.h"

#include "backends/opencl/ocl_library.h"
#include "reference/base/alloc.h"
#include "reference/base/check.h"

#include <dlfcn.h>
#include <stdio.h>

typedef struct cl_bench {
    const bench_run *run;
    rt_sink *sink;
    ocl_library library;
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    cl_program program;
    cl_kernel kernel;
    cl_mem buffers[BENCH_ARGUMENTS_MAX];
    uint32_t count;
    uint8_t *content; /* contents of one buffer at a time */
} cl_bench;

static rt_status judge(const cl_bench *bench, const char *call, cl_int code)
{
    if (code == CL_SUCCESS) return RT_STATUS_OK;
    return rt_fail(bench->sink, RT_TOOL, RT_RULE_NONE, "%s: %s: code %d",
                   bench->run->test_case->name, call, (int)code);
}

/* Uses the deprecated entry point, because Oclgrind lacks its successor. */
static cl_command_queue create_queue(const cl_bench *bench, cl_int *out_code)
{
    cl_command_queue (*create)(cl_context, cl_device_id, cl_command_queue_properties, cl_int *);
    *(void **)&create = dlsym(bench->library.handle, "clCreateCommandQueue");
    *out_code = CL_INVALID_COMMAND_QUEUE;
    return create ? create(bench->context, bench->device, 0, out_code) : NULL;
}

static rt_status open_device(cl_bench *bench)
{
    RT_TRY(ocl_library_open(bench->sink, "libOpenCL.so.1", &bench->library));
    cl_platform_id platform;
    cl_int code = bench->library.clGetPlatformIDs(1, &platform, NULL);
    RT_TRY(judge(bench, "clGetPlatformIDs", code));
    code = bench->library.clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &bench->device, NULL);
    RT_TRY(judge(bench, "clGetDeviceIDs", code));
    bench->context = bench->library.clCreateContext(NULL, 1, &bench->device, NULL, NULL, &code);
    RT_TRY(judge(bench, "clCreateContext", code));
    bench->queue = create_queue(bench, &code);
    return judge(bench, "clCreateCommandQueue", code);
}

static rt_status build(cl_bench *bench)
{
    const char *source = (const char *)bench->run->code.data;
    size_t length = bench->run->code.size;
    cl_int code;
    bench->program =
        bench->library.clCreateProgramWithSource(bench->context, 1, &source, &length, &code);
    RT_TRY(judge(bench, "clCreateProgramWithSource", code));
    code = bench->library.clBuildProgram(bench->program, 1, &bench->device, "-cl-std=CL1.2", NULL,
                                         NULL);
    if (code != CL_SUCCESS) {
        char log[2048] = "";
        bench->library.clGetProgramBuildInfo(bench->program, bench->device, CL_PROGRAM_BUILD_LOG,
                                             sizeof log - 1, log, NULL);
        fprintf(stderr, "%s\n", log);
    }
    RT_TRY(judge(bench, "clBuildProgram", code));
    bench->kernel =
        bench->library.clCreateKernel(bench->program, bench->run->test_case->name, &code);
    return judge(bench, "clCreateKernel", code);
}

static rt_status fill_buffer(const cl_bench *bench, uint32_t i)
{
    bench_fill_buffer(bench->run->test_case, i, bench->content);
    cl_int code = bench->library.clEnqueueWriteBuffer(bench->queue, bench->buffers[i], CL_TRUE, 0,
                                                      bench->run->test_case->arguments[i].bytes,
                                                      bench->content, 0, NULL, NULL);
    return judge(bench, "clEnqueueWriteBuffer", code);
}

static rt_status set_argument(cl_bench *bench, uint32_t i)
{
    const bench_argument *from = &bench->run->test_case->arguments[i];
    const void *value = NULL;
    size_t size = 4;
    cl_int code = CL_SUCCESS;
    switch (from->kind) {
    case BENCH_BUFFER:
        bench->buffers[i] = bench->library.clCreateBuffer(bench->context, CL_MEM_READ_WRITE,
                                                          from->bytes, NULL, &code);
        RT_TRY(judge(bench, "clCreateBuffer", code));
        RT_TRY(fill_buffer(bench, i));
        value = &bench->buffers[i];
        size = sizeof bench->buffers[i];
        break;
    case BENCH_LOCAL: size = from->bytes; break;
    case BENCH_WORD: value = &from->word; break;
    case BENCH_REAL: value = &from->real; break;
    case BENCH_NONE: UNREACHABLE();
    }
    code = bench->library.clSetKernelArg(bench->kernel, i, size, value);
    return judge(bench, "clSetKernelArg", code);
}

static rt_status launch(const cl_bench *bench, double *out_ms)
{
    const bench_case *test_case = bench->run->test_case;
    for (uint32_t i = 0; i < bench->count; i++) {
        if (test_case->arguments[i].written) RT_TRY(fill_buffer(bench, i));
    }
    CHECK(test_case->dimensions == 1 || test_case->dimensions == 2);
    size_t global[2] = {test_case->global[0], test_case->global[1]};
    size_t local[2] = {test_case->local[0], test_case->local[1]};
    double begin = bench_now_ms();
    cl_int code = bench->library.clEnqueueNDRangeKernel(
        bench->queue, bench->kernel, test_case->dimensions, NULL, global, local, 0, NULL, NULL);
    RT_TRY(judge(bench, "clEnqueueNDRangeKernel", code));
    code = bench->library.clFinish(bench->queue);
    *out_ms = bench_now_ms() - begin;
    return judge(bench, "clFinish", code);
}

static rt_status run_all(cl_bench *bench)
{
    const bench_run *run = bench->run;
    RT_TRY(open_device(bench));
    double begin = bench_now_ms();
    RT_TRY(build(bench));
    *run->build_ms = bench_now_ms() - begin;
    for (uint32_t i = 0; i < bench->count; i++)
        RT_TRY(set_argument(bench, i));
    double ignored;
    RT_TRY(launch(bench, run->first_ms));
    for (uint32_t i = 1; i < run->warm_up; i++)
        RT_TRY(launch(bench, &ignored));
    for (uint32_t i = 0; i < run->repeat; i++)
        RT_TRY(launch(bench, &run->times_ms[i]));
    for (uint32_t i = 0; i < bench->count; i++) {
        const bench_argument *from = &run->test_case->arguments[i];
        if (!from->written) continue;
        cl_int code =
            bench->library.clEnqueueReadBuffer(bench->queue, bench->buffers[i], CL_TRUE, 0,
                                               from->bytes, bench->content, 0, NULL, NULL);
        RT_TRY(judge(bench, "clEnqueueReadBuffer", code));
        rt_buffer_append(run->result, bench->content, from->bytes);
    }
    return RT_STATUS_OK;
}

rt_status bench_on_opencl(rt_sink *sink, const bench_run *run)
{
    CHECK(run->repeat >= 1);
    cl_bench bench = {.run = run,
                      .sink = sink,
                      .count = bench_argument_count(run->test_case),
                      .content = rt_alloc(BENCH_BUFFER_BYTES_MAX)};
    CHECK(bench.count <= BENCH_ARGUMENTS_MAX);
    rt_status status = run_all(&bench);
    rt_free(bench.content);
    for (uint32_t i = 0; i < bench.count; i++) {
        if (bench.buffers[i]) bench.library.clReleaseMemObject(bench.buffers[i]);
    }
    if (bench.kernel) bench.library.clReleaseKernel(bench.kernel);
    if (bench.program) bench.library.clReleaseProgram(bench.program);
    if (bench.queue) bench.library.clReleaseCommandQueue(bench.queue);
    if (bench.context) bench.library.clReleaseContext(bench.context);
    if (bench.library.handle) dlclose(bench.library.handle);
    return status;
}
