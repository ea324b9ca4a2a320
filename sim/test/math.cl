// The kernels of test_exec_math.c, compiled when the tests are built, at three levels of optimisation.
#include "math_cases.h"

// The first n results are for a varying operand, the next n for a uniform one, the last n for a vector.
#define KERNEL_1(type, name)                                                                       \
    kernel void name##_##type(global const type *a, global type *out, uint n)                      \
    {                                                                                              \
        size_t i = get_global_id(0);                                                               \
        out[i] = name(a[i]);                                                                       \
        out[n + i] = name(a[2]);                                                                   \
        type##3 v = name((type##3)(a[i], a[0], a[(i + 1) % n]));                                   \
        out[2 * n + i] = v.z;                                                                      \
    }
#define KERNEL_2(type, name)                                                                       \
    kernel void name##_##type(global const type *a, global const type *b, global type *out, uint n)\
    {                                                                                              \
        size_t i = get_global_id(0);                                                               \
        out[i] = name(a[i], b[i]);                                                                 \
        out[n + i] = name(a[2], b[i]);                                                             \
        type##2 v = name((type##2)(a[0], a[i]), (type##2)(b[i], b[1]));                            \
        out[2 * n + i] = v.y;                                                                      \
    }
#define KERNEL_INTEGER(type, name)                                                                 \
    kernel void name##_##type(global const type *a, global const int *b, global type *out, uint n) \
    {                                                                                              \
        size_t i = get_global_id(0);                                                               \
        out[i] = name(a[i], b[i]);                                                                 \
        out[n + i] = name(a[2], b[i]);                                                             \
        type##2 v = name((type##2)(a[0], a[i]), (int2)(b[i], b[1]));                               \
        out[2 * n + i] = v.y;                                                                      \
    }
#define KERNELS_1(name, function) KERNEL_1(float, name) KERNEL_1(double, name)
#define KERNELS_2(name, function) KERNEL_2(float, name) KERNEL_2(double, name)
#define KERNELS_1_FLOAT(name, function) KERNEL_1(float, name)
#define KERNELS_2_FLOAT(name, function) KERNEL_2(float, name)
#define KERNELS_INTEGER(name, function) KERNEL_INTEGER(float, name) KERNEL_INTEGER(double, name)
MATH_1(KERNELS_1)
MATH_1_FLOAT(KERNELS_1_FLOAT)
MATH_2(KERNELS_2)
MATH_2_FLOAT(KERNELS_2_FLOAT)
MATH_INTEGER(KERNELS_INTEGER)

// Second results are stored to private memory, to local memory and to the buffer.
#define KERNEL_SECOND(type, code_type)                                                             \
    kernel void second_##type(global const type *a, global const type *b, global type *out,        \
                              global int *whole, local type *tmp, uint n)                          \
    {                                                                                              \
        size_t i = get_global_id(0), l = get_local_id(0);                                          \
        type mine;                                                                                 \
        int count;                                                                                 \
        out[i] = fract(a[i], &mine);                                                               \
        out[n + i] = mine;                                                                         \
        out[2 * n + i] = modf(a[i], &tmp[l]);                                                      \
        out[3 * n + i] = tmp[l];                                                                   \
        out[4 * n + i] = sincos(a[i], &out[5 * n + i]);                                            \
        out[6 * n + i] = frexp(a[i], &whole[i]);                                                   \
        out[7 * n + i] = lgamma_r(a[i], &count);                                                   \
        whole[n + i] = count;                                                                      \
        out[8 * n + i] = remquo(a[i], b[i], &whole[2 * n + i]);                                    \
        whole[3 * n + i] = ilogb(a[i]);                                                            \
        out[9 * n + i] = nan((code_type)i);                                                        \
        int2 pair;                                                                                 \
        type##2 halves = frexp((type##2)(b[i], a[i]), &pair);                                      \
        out[10 * n + i] = halves.y;                                                                \
        whole[4 * n + i] = pair.y;                                                                 \
    }
KERNEL_SECOND(float, uint)
KERNEL_SECOND(double, ulong)

// A pointer past the buffer: the store is checked like any other.
kernel void second_outside(global const float *a, global float *out, global float *parts)
{
    size_t i = get_global_id(0);
    out[i] = modf(a[i], &parts[i]);
}

// Vectors of every width.
kernel void widths(global const float *a, global float *out)
{
    size_t i = get_global_id(0);
    global const float16 *wide = (global const float16 *)a;
    global float16 *to = (global float16 *)out;
    float16 v = wide[i];
    to[3 * i] = (float16)(sinpi(v.s01), sinpi(v.s234), sinpi(v.s5), sinpi(v.s6789), sinpi(v.sabcd), sinpi(v.sef));
    to[3 * i + 1] = (float16)(sinpi(v.lo), sinpi(v.hi));
    to[3 * i + 2] = sinpi(v);
}

#define KERNEL_GEOMETRY(type)                                                                      \
    kernel void geometry_##type(global const type##4 *a, global const type##4 *b,                  \
                                global type##4 *out)                                               \
    {                                                                                              \
        size_t i = get_global_id(0);                                                               \
        out[6 * i] = cross(a[i], b[i]);                                                            \
        out[6 * i + 1] = (type##4)(cross(a[i].xyz, b[i].xyz), dot(a[i], b[i]));                    \
        out[6 * i + 2] = (type##4)(length(a[i]), length(a[i].xyz), length(a[i].xy), length(a[i].y)); \
        out[6 * i + 3] = normalize(a[i]);                                                          \
        out[6 * i + 4] = (type##4)(normalize(a[i].xyz), distance(a[i], b[i]));                     \
        out[6 * i + 5] = (type##4)(normalize(a[i].xy), normalize(a[i].y), distance(a[i].x, b[i].x)); \
    }
KERNEL_GEOMETRY(float)
KERNEL_GEOMETRY(double)

kernel void geometry_fast(global const float4 *a, global const float4 *b, global float4 *out)
{
    size_t i = get_global_id(0);
    out[2 * i] = fast_normalize(a[i]);
    out[2 * i + 1] = (float4)(fast_length(a[i]), fast_distance(a[i], b[i]), fast_length(a[i].xy), 0);
}
