/* Times routines of CLBlast on whatever platform the OpenCL loader finds first; ci/bench clients
 * builds and runs it.
 *
 *     bench_clients [REPEATS]
 *
 * Prints "open MS" for the platform, from the first call to a command queue, and a line "ROUTINE
 * MS" for each: the median processor time of the process for one call that has been warmed up,
 * until its results are there. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <clblast_c.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { LENGTH = 1 << 18, SIDE = 512, SMALL = 128, REPEATS_MAX = 99 };

static cl_command_queue queue;
static cl_mem a, b, c;

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

static CLBlastStatusCode axpy(void)
{
    return CLBlastSaxpy(LENGTH, 1.5f, a, 0, 1, b, 0, 1, &queue, NULL);
}

static CLBlastStatusCode dot(void)
{
    return CLBlastSdot(LENGTH, c, 0, a, 0, 1, b, 0, 1, &queue, NULL);
}

static CLBlastStatusCode nrm2(void)
{
    return CLBlastSnrm2(LENGTH, c, 0, a, 0, 1, &queue, NULL);
}

static CLBlastStatusCode gemv(void)
{
    return CLBlastSgemv(CLBlastLayoutRowMajor, CLBlastTransposeNo, SIDE, SIDE, 1, a, 0, SIDE, b, 0,
                        1, 0, c, 0, 1, &queue, NULL);
}

static CLBlastStatusCode ger(void)
{
    return CLBlastSger(CLBlastLayoutRowMajor, SIDE, SIDE, 1, b, 0, 1, c, 0, 1, a, 0, SIDE, &queue,
                       NULL);
}

static CLBlastStatusCode gemm(void)
{
    return CLBlastSgemm(CLBlastLayoutRowMajor, CLBlastTransposeNo, CLBlastTransposeNo, SMALL, SMALL,
                        SMALL, 1, a, 0, SMALL, b, 0, SMALL, 0, c, 0, SMALL, &queue, NULL);
}

static int compare(const void *left, const void *right)
{
    double x = *(const double *)left, y = *(const double *)right;
    return (x > y) - (x < y);
}

static int measure(const char *name, CLBlastStatusCode (*routine)(void), int repeats)
{
    double times[REPEATS_MAX];
    for (int i = -1; i < repeats; i++) {
        double begin = now();
        if (routine() != CLBlastSuccess || clFinish(queue) != CL_SUCCESS) return 1;
        if (i >= 0) times[i] = now() - begin;
    }
    qsort(times, (size_t)repeats, sizeof *times, compare);
    printf("%s %.4f\n", name, times[repeats / 2]);
    return 0;
}

int main(int count, char **arguments)
{
    static const struct {
        const char *name;
        CLBlastStatusCode (*routine)(void);
    } rows[] = {{"axpy", axpy}, {"dot", dot}, {"nrm2", nrm2},
                {"gemv", gemv}, {"ger", ger}, {"gemm", gemm}};
    int repeats = count > 1 ? atoi(arguments[1]) : 5, failures = 0;
    cl_platform_id platform;
    cl_device_id device;
    if (repeats < 1 || repeats > REPEATS_MAX) return 2;
    double begin = now();
    if (clGetPlatformIDs(1, &platform, NULL) ||
        clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL))
        return 3;
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    queue = clCreateCommandQueue(context, device, 0, NULL);
    if (!queue) return 3;
    printf("open %.2f\n", now() - begin);
    float *ones = malloc(LENGTH * sizeof *ones);
    if (!ones) return 3;
    for (int i = 0; i < LENGTH; i++)
        ones[i] = 1;
    cl_mem *buffers[] = {&a, &b, &c};
    for (int i = 0; i < 3; i++)
        *buffers[i] =
            clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, LENGTH * sizeof *ones, ones, NULL);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (measure(rows[i].name, rows[i].routine, repeats))
            failures += printf("%s fails\n", rows[i].name) > 0;
    free(ones);
    return failures > 0;
}
