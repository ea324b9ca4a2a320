/* Tests of PTX: each kind of declaration in sources, constructs that PTX lacks, embedded IR, and
 * fused PTX. Expected values: PTX ISA 6.4 for linkage (`.visible`, `.extern`, `.weak`), state
 * spaces and parameters, and the conventions of reference/base/ptx.h. */
#include "reference/base/ptx.h"
#include "reference/compiler/test/postlink_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static int open_ptx(void **state)
{
    fixture_open(state);
    postlink_fixture *fixture = *state;
    fixture->format = RT_FORMAT_PTX;
    return 0;
}

/* ---- Inspecting PTX -------------------------------------------------------------------------- */

static const rt_image *image_of(const postlink_fixture *fixture, uint32_t image)
{
    assert_true(image < fixture->images.count);
    assert_int_equal(fixture->images.images[image].format, RT_FORMAT_PTX);
    return &fixture->images.images[image];
}

static bool holds(rt_bytes code, const char *text)
{
    return memmem(code.data, code.size, text, strlen(text)) != NULL;
}

#define assert_holds(fixture, image, text) assert_true(holds(image_of(fixture, image)->code, text))
#define assert_lacks(fixture, image, text) assert_false(holds(image_of(fixture, image)->code, text))

static uint32_t count_of(rt_bytes code, const char *text)
{
    const char *at = (const char *)code.data, *end = at + code.size;
    uint32_t count = 0;
    while ((at = memmem(at, (size_t)(end - at), text, strlen(text))) != NULL) {
        at++;
        count++;
    }
    return count;
}

/* Checks that, in the only image, `later` occurs after the first occurrence of `first`. */
static void assert_after(const postlink_fixture *fixture, const char *first, const char *later)
{
    rt_bytes code = image_of(fixture, 0)->code;
    const unsigned char *end = code.data + code.size;
    const unsigned char *at = memmem(code.data, code.size, first, strlen(first));
    assert_non_null(at);
    if (!memmem(at, (size_t)(end - at), later, strlen(later)))
        fail_msg("no '%s' after '%s'", later, first);
}

/* Checks the kinds and sizes of a kernel's parameters, for example "pointer:8 local:4". */
static void assert_parameters(postlink_fixture *fixture, uint32_t image, const char *line)
{
    rt_bytes code = image_of(fixture, image)->code;
    const rt_ptx_kernel *kernels;
    uint32_t count;
    rt_text text = {(const char *)code.data, code.size};
    assert_true(rt_ok(rt_ptx_kernels_read(fixture->sink, &fixture->arena, text, &kernels, &count)));
    rt_buffer actual = {0};
    for (uint32_t i = 0; i < count; i++)
        rt_ptx_kernel_write(&actual, &kernels[i]);
    assert_string_equal(rt_buffer_string(&actual), line);
    rt_buffer_free(&actual);
}

static void assert_says(postlink_fixture *fixture, rt_status status, const char *part)
{
    const char *message = rt_sink_diagnostic(fixture->sink, status)->message.data;
    if (!strstr(message, part)) fail_msg("'%s' does not say '%s'", message, part);
}

static void make(postlink_fixture *fixture, const char *name, const char *code)
{
    const fixture_source sources[] = {{name, code}, {NULL, NULL}};
    fixture_make(fixture, RT_SPLIT_OFF, 1, sources);
}

static rt_status try(postlink_fixture *fixture, const char *name, const char *code)
{
    const fixture_source sources[] = {{name, code}, {NULL, NULL}};
    return fixture_postlink(fixture, RT_SPLIT_OFF, sources);
}

/* ---- Symbols ------------------------------------------------------------------------------- */

static void functions_are_imported_and_exported(void **state)
{
    postlink_fixture *f = *state;
    make(f, "A",
         "int other(int x);\n"
         "int mine(int x) { return other(x) + 1; }\n"
         "static int hidden(int x) { return x * 3; }\n"
         "kernel void k(global int *p) { p[get_global_id(0)] = mine(hidden(p[0])); }\n");
    assert_imports(f, 0, "other");
    assert_exports(f, 0, "mine");
    assert_kernels(f, 0, "k");
    assert_holds(f, 0, "\n.target " ASSAY_PTX_PROCESSOR "\n.address_size 64");
    assert_holds(f, 0, ".extern .func  (.param .b32 func_retval0) other");
    assert_holds(f, 0, ".visible .func  (.param .b32 func_retval0) mine(");
    assert_holds(f, 0, ".visible .entry k(");
    assert_lacks(f, 0, "hidden");
    assert_lacks(f, 0, "get_global_id");
}

/* A generic pointer has its own address space on spir64 but address space 0 on nvptx64. */
static void names_are_those_of_the_target(void **state)
{
    postlink_fixture *f = *state;
    static const char code[] = "int first(int *p) { return *p; }\n";
    make(f, "A.clcpp", code);
    assert_exports(f, 0, "_Z5firstPi");
    f->format = RT_FORMAT_SPIRV64;
    make(f, "A.clcpp", code);
    assert_exports(f, 0, "_Z5firstPU3AS4i");
}

static void names_that_ptx_does_not_take_are_spelled_out(void **state)
{
    postlink_fixture *f = *state;
    make(f, "A.ll",
         "declare i32 @\"in.put\"(i32)\n"
         "define i32 @\"out.put\"(i32 %x) {\n"
         "  %y = call i32 @\"in.put\"(i32 %x)\n"
         "  ret i32 %y\n"
         "}\n");
    assert_imports(f, 0, "in_$2eput");
    assert_exports(f, 0, "out_$2eput");
    assert_holds(f, 0, ".visible .func  (.param .b32 func_retval0) out_$2eput(");
    assert_holds(f, 0, ".extern .func  (.param .b32 func_retval0) in_$2eput");
}

/* After the barrier, a work-item reads a value that another one wrote: it must load the value after
 * the barrier, not reuse an earlier one. */
static void values_are_reloaded_after_a_barrier(void **state)
{
    postlink_fixture *f = *state;
    make(f, "A",
         "kernel void k(global int *p) {\n"
         "  local int total;\n"
         "  if (get_local_id(0) == 0) total = p[0];\n"
         "  barrier(CLK_LOCAL_MEM_FENCE);\n"
         "  p[get_global_id(0)] = total;\n"
         "}\n");
    assert_after(f, "bar.sync", "ld.shared.u32");
    make(f, "A",
         "kernel void k(global int *p, int x) {\n"
         "  p[get_global_id(0)] = work_group_broadcast(x + (int)get_local_id(0), 1);\n"
         "}\n");
    assert_after(f, "bar.sync", "ld.shared");
}

static void variables_are_in_global_memory(void **state)
{
    postlink_fixture *f = *state;
    make(f, "A",
         "global int counter = 5;\n"
         "constant int table[2] = {3, 4};\n"
         "extern global int elsewhere;\n"
         "kernel void k(global int *p) { p[0] = counter++ + table[p[1] & 1] + elsewhere; }\n");
    assert_exports(f, 0, "counter table");
    assert_imports(f, 0, "elsewhere");
    assert_holds(f, 0, ".visible .global .align 4 .u32 counter = 5;");
    assert_holds(f, 0, ".visible .global .align 4 .b8 table[8] = {3, 0, 0, 0, 4");
    assert_holds(f, 0, ".extern .global .align 4 .u32 elsewhere;");
    assert_lacks(f, 0, ".const");
}

#define SHAPE "struct Shape { int seed; virtual IN(\"s\") int area() { return seed + 40; } };\n"

static void vtables_are_weak_and_sets_have_images(void **state)
{
    postlink_fixture *f = *state;
    const fixture_source sources[] = {
        {"A.clcpp", SHAPE "kernel void make(global char *p) { Shape *s = new ((void *)p) Shape; "
                          "s->seed = 2; }\n"
                          "kernel CALLS(\"s\") void use(global char *p, global int *r) "
                          "{ *r = ((Shape *)(void *)p)->area(); }\n"},
        {NULL, NULL}};
    fixture_make(f, RT_SPLIT_OFF, 2, sources);
    assert_kernels(f, 0, "make use");
    assert_holds(f, 0, ".weak .global .align 8 .u64 _ZTV5Shape[3] = {0, 0, _ZN5Shape4areaEv};");
    assert_holds(f, 0, ".extern .func  (.param .b32 func_retval0) _ZN5Shape4areaEv");
    assert_holds(f, 1, "_ZN5Shape4areaEv(");
    assert_lacks(f, 1, ".extern .func");
    assert_lacks(f, 1, ".entry");
}

static void device_globals_are_identified_by_symbol(void **state)
{
    postlink_fixture *f = *state;
    make(f, "A.ll",
         "@state = addrspace(1) global i32 0, align 4 #0\n"
         "define spir_kernel void @k(i32 addrspace(1)* %p) {\n"
         "  %v = load i32, i32 addrspace(1)* @state\n"
         "  store i32 %v, i32 addrspace(1)* %p\n"
         "  ret void\n"
         "}\n"
         "attributes #0 = { \"sycl-unique-id\"=\"id.1\" \"sycl-device-global-size\"=\"4\" "
         "\"sycl-device-image-scope\"=\"true\" }\n");
    const rt_property_set *set = rt_image_set(image_of(f, 0), RT_SET_DEVICE_GLOBALS);
    assert_true(rt_property_set_has(set, RT_TEXT("id.1")));
    assert_holds(f, 0, ".visible .global .align 4 .u32 state;");
}

/* ---- Kernels ------------------------------------------------------------------------------- */

static void constant_arguments_are_read_as_global(void **state)
{
    postlink_fixture *f = *state;
    make(f, "A", "kernel void k(global int *p, constant int *c) { p[0] = c[p[1]]; }\n");
    assert_parameters(f, 0, "//@kernel k pointer:8 pointer:8\n");
    assert_holds(f, 0, ".param .u64 k_param_1,");
    assert_holds(f, 0, "ld.global.u32");
    assert_lacks(f, 0, "ld.const");
}

/* The two pointers point into the array that every module shares, at offsets passed by the host. */
static void local_arguments_are_offsets(void **state)
{
    postlink_fixture *f = *state;
    make(f, "A",
         "kernel void k(global int *p, local int *a, local float *b) {\n"
         "  size_t i = get_local_id(0);\n"
         "  a[i] = p[i]; b[i] = 2.0f;\n"
         "  barrier(CLK_LOCAL_MEM_FENCE);\n"
         "  p[i] = a[i ^ 1] + (int)b[i ^ 1];\n"
         "}\n");
    assert_parameters(f, 0, "//@kernel k pointer:8 local:4 local:4\n");
    assert_holds(f, 0, ".param .u32 k_param_1,");
    assert_holds(f, 0, ".extern .shared .align 128 .b8 __assay_shared[];");
    assert_holds(f, 0, "st.shared.u32");
    assert_holds(f, 0, "bar.sync");
}

static void values_have_their_sizes(void **state)
{
    postlink_fixture *f = *state;
    make(f, "A",
         "struct pair { char a; long b; };\n"
         "kernel void k(global long *p, char c, float3 v, struct pair s, double d)\n"
         "{ p[0] = c + (long)v.y + s.b + (long)d; }\n");
    assert_parameters(f, 0, "//@kernel k pointer:8 value:1 value:16 value:16 value:8\n");
    assert_holds(f, 0, ".param .align 16 .b8 k_param_2[16],");
    assert_holds(f, 0, ".param .align 8 .b8 k_param_3[16],");
}

/* The launch's 32 bytes come last and are copied to the start of the shared array. */
static void the_launch_comes_last(void **state)
{
    postlink_fixture *f = *state;
    make(f, "A",
         "kernel void k(global ulong *p) { p[0] = get_global_offset(1) + get_work_dim(); }\n");
    assert_holds(f, 0, ".param .align 8 .b8 k_param_1[32]");
    assert_holds(f, 0, "[__assay_shared], {");
    assert_holds(f, 0, "[__assay_shared+16], {");
}

/* PTX can call functions, but not entries. */
static void a_called_kernel_has_code_next_to_its_entry(void **state)
{
    postlink_fixture *f = *state;
    make(f, "A",
         "kernel void inner(global int *p) { p[get_global_id(0)] += 1; }\n"
         "kernel void outer(global int *p) { inner(p); inner(p + 1); }\n");
    assert_kernels(f, 0, "inner outer");
    assert_parameters(f, 0, "//@kernel inner pointer:8\n//@kernel outer pointer:8\n");
    assert_holds(f, 0, ".visible .entry inner(");
    assert_holds(f, 0, ".visible .entry outer(");
}

static void required_sizes_are_properties_and_directives(void **state)
{
    postlink_fixture *f = *state;
    make(f, "A",
         "kernel __attribute__((reqd_work_group_size(8, 4, 1))) void k(global double *p)\n"
         "{ p[get_local_id(0)] = 1.0; }\n");
    assert_holds(f, 0, ".reqntid 8, 4, 1");
    const rt_property_set *set = rt_image_set(image_of(f, 0), RT_SET_DEVICE_REQUIREMENTS);
    assert_true(rt_property_set_has(set, RT_TEXT(RT_REQUIREMENT_GROUP_SIZE)));
    assert_true(rt_property_set_has(set, RT_TEXT(RT_REQUIREMENT_ASPECTS)));
    make(f, "A", "kernel void k(global float *p) { p[get_local_id(0)] = 1.0f; }\n");
    assert_null(rt_image_set(image_of(f, 0), RT_SET_DEVICE_REQUIREMENTS));
}

static void constants_have_their_defaults(void **state)
{
    postlink_fixture *f = *state;
    make(f, "A",
         "SPEC_CONSTANT(int, factor, 4321);\n"
         "kernel void k(global int *p) { p[0] = factor; }\n");
    assert_null(rt_image_set(image_of(f, 0), RT_SET_SPEC_CONSTANTS));
    assert_holds(f, 0, "4321;");
}

/* ---- What PTX lacks ------------------------------------------------------------------------ */

/* LLVM 14's back end would shift by the amount and by 64 minus the amount; PTX does not reduce
 * either of them modulo 64. Each amount needs an `and`, by assay in LLVM 14 and by LLVM in 19. */
static void rotations_of_64_bits_are_by_less_than_64(void **state)
{
    postlink_fixture *f = *state;
    static const struct {
        const char *code;
        uint32_t amounts; /* that are not constant */
    } rows[] = {
        {"global ulong *p) { p[0] = p[0] << p[1] | p[0] >> -p[1]; }", 1},
        {"global ulong *p) { p[0] = p[0] >> p[1] | p[0] << -p[1]; }", 1},
        {"global ulong4 *p) { p[0] = p[0] << p[1] | p[0] >> -p[1]; }", 4},
        {"global ulong *p) { p[0] = rotate(p[0], 5UL); }", 0},
        /* Neither a rotation of 32 bits nor another function with three parameters. */
        {"global uint *p) { p[0] = p[0] << p[1] | p[0] >> -p[1]; }", 0},
        {"global ulong *p, ulong x) { p[0] = other(1, 2, x); }", 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char code[256];
        snprintf(code, sizeof code, "ulong other(int, int, ulong);\nkernel void k(%s\n",
                 rows[i].code);
        make(f, "A", code);
        uint32_t reductions = count_of(image_of(f, 0)->code, ", 63;");
        if (rows[i].amounts > 0 ? reductions < rows[i].amounts : reductions > 0)
            fail_msg("%u reductions in '%s'", reductions, rows[i].code);
    }
}

/* LLVM 14's back end would extract the upper bits as zeros. */
static void bits_above_a_shifted_number_are_copies_of_its_sign(void **state)
{
    postlink_fixture *f = *state;
    make(f, "A", "kernel void k(global long *p) { p[0] = (p[0] >> 40) & 0xffffffffl; }\n");
    assert_lacks(f, 0, "bfe.u64");
    make(f, "A", "kernel void k(global ulong *p) { p[0] = (p[0] >> 40) & 0xffffl; }\n");
    assert_lacks(f, 0, "shr.s64");
}

/* LLVM 14 would attach a range of scalars to the call, which is invalid. */
static void a_vector_result_of_known_range_compiles(void **state)
{
    postlink_fixture *f = *state;
    make(f, "A",
         "__attribute__((noinline)) static long2 f(char x) {\n"
         "  long2 v = (long2)((long)x, (long)x << 32);\n"
         "  return as_long2(abs(mul_hi(v, v)));\n"
         "}\n"
         "kernel void k(global uchar2 *p, char x) { p[0] = convert_uchar2(f(x)); }\n");
    assert_holds(f, 0, "call.uni");
}

/* LLVM's back end would leave the fourth element of a vector of three out, and move up what follows
 * it. */
static void vectors_of_three_in_initial_values_are_padded(void **state)
{
    postlink_fixture *f = *state;
    make(f, "A",
         "typedef struct { char c; short3 s; } pair;\n"
         "constant int3 table[2] = {(int3)(1, 2, 3), (int3)(4, 5, 6)};\n"
         "constant pair pairs[2] = {{1, (short3)(2, 3, 4)}, {5, (short3)(6, 7, 8)}};\n"
         "constant long3 one = (long3)(1, 2, 3);\n"
         "kernel void k(global int *p, int i) { p[0] = table[i].x + pairs[i].s.y + one[i]; }\n");
    assert_holds(f, 0,
                 "table[32] = {1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 5");
    assert_holds(f, 0,
                 "pairs[32] = {1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 3, 0, 4, 0, 0, 0, 5, 0, 0, 0, 0");
    assert_holds(f, 0, "one[32] = {1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0");
}

/* libclc leaves the magnitude of the least number undefined. */
static void the_least_number_has_a_magnitude(void **state)
{
    postlink_fixture *f = *state;
    make(f, "A", "kernel void k(global uint *p) { p[0] = abs((int)0x80000000); }\n");
    assert_holds(f, 0, "-2147483648");
    make(f, "A", "kernel void k(global ulong *p) { p[0] = abs((long)0x8000000000000000); }\n");
    assert_holds(f, 0, "-9223372036854775808");
}

/* libclc's versions of these conversions are wrong at the limits of the type. */
static void whole_numbers_are_rounded_by_instructions(void **state)
{
    postlink_fixture *f = *state;
    make(f, "A", "kernel void k(global float *p, long x) { p[0] = convert_float_rtz(x); }\n");
    assert_holds(f, 0, "cvt.rz.f32.s64");
    make(f, "A", "kernel void k(global float2 *p, uint2 x) { p[0] = convert_float2_rtn(x); }\n");
    assert_holds(f, 0, "cvt.rm.f32.u32");
}

#define HALVES "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"

/* Each body calls one function; `text` is among the instructions with which PTX implements it. */
static void functions_become_instructions(void **state)
{
    postlink_fixture *f = *state;
    static const struct {
        const char *body, *text;
    } rows[] = {
        /* "Memory Consistency Model": release puts a fence before the operation, acquire a fence
         * after it, and sequential consistency a fence.sc before it; the scopes work-group, device
         * and all devices are cta, gpu and sys. */
        {"i[0] = atomic_fetch_add(a, 5);", "fence.sc.gpu;"},
        {"i[0] = atomic_fetch_add(a, 5);", "atom.relaxed.gpu.add.u32"},
        {"i[0] = atomic_fetch_min_explicit(a, i[1], memory_order_acquire);",
         "atom.relaxed.gpu.min.s32"},
        {"atomic_store_explicit(a, 5, memory_order_release, memory_scope_work_group);",
         "fence.acq_rel.cta;"},
        {"atomic_store_explicit(a, 5, memory_order_release, memory_scope_work_group);",
         "st.relaxed.cta.b32"},
        {"i[0] = atomic_load_explicit(a, memory_order_acquire, memory_scope_all_svm_devices);",
         "ld.relaxed.sys.b32"},
        {"i[0] = atomic_load_explicit(a, memory_order_acquire, memory_scope_all_svm_devices);",
         "fence.acq_rel.sys;"},
        {"int e = 3; i[0] = atomic_compare_exchange_strong(a, &e, 4);", "atom.relaxed.gpu.cas.b32"},
        {"i[0] = atomic_flag_test_and_set((global atomic_flag *)a);", "atom.relaxed.gpu.exch.b32"},
        {"atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_seq_cst, memory_scope_device);",
         "fence.sc.gpu;"},
        {"l[0] = atom_max(l + 1, l[2]);", "atom.relaxed.gpu.max.s64"},
        {"l[0] = atom_cmpxchg(l + 1, l[2], 3L);", "atom.relaxed.gpu.cas.b64"},
        {"i[0] = sub_group_reduce_add(i[1]);", "shfl.sync.up.b32"},
        {"i[0] = sub_group_any(i[1]);", "vote.sync.any.pred"},
        {"sub_group_barrier(CLK_LOCAL_MEM_FENCE);", "bar.warp.sync"},
        {"i[0] = work_group_all(i[1]);", "bar.red.and.pred"},
        {"i[0] = work_group_scan_inclusive_max(i[1]);", ".shared .align 8 .b8 __assay_scratch"},
        {"i[0] = work_group_broadcast(i[1], 2);", "bar.sync"},
        {"work_group_barrier(CLK_GLOBAL_MEM_FENCE, memory_scope_device);", "fence.acq_rel.gpu;"},
        {"h[0] = fma(h[1], h[2], h[3]);", "fma.rn.f16"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char code[512];
        snprintf(code, sizeof code,
                 HALVES "kernel void k(global atomic_int *a, global int *i, global long *l,"
                        " global half *h) { %s }\n",
                 rows[i].body);
        make(f, "A", code);
        if (!holds(image_of(f, 0)->code, rows[i].text))
            fail_msg("'%s' has no '%s'", rows[i].body, rows[i].text);
    }
}

static void relaxed_atomics_have_no_fence(void **state)
{
    postlink_fixture *f = *state;
    make(f, "A",
         "kernel void k(global atomic_int *a) {\n"
         "  atomic_fetch_add_explicit(a, 1, memory_order_relaxed, memory_scope_device);\n"
         "  atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_relaxed,"
         " memory_scope_device); }\n");
    assert_holds(f, 0, "atom.relaxed.gpu.add.u32");
    assert_lacks(f, 0, "fence.");
}

/* The tests do not rely on the processor's handling of NaN: each conversion compares its operand
 * with itself. The module contains the conversions between one pair of types in all rounding modes.
 */
static void assert_nan_check(postlink_fixture *f, const char *whole, const char *real)
{
    static const char *const modes[] = {"", "_rte", "_rtz", "_rtp", "_rtn"};
    enum { MODES = sizeof modes / sizeof *modes };
    rt_buffer code = {0};
    rt_buffer_printf(&code, HALVES "kernel void k(global %s *p, global const %s *x) {\n", whole,
                     real);
    for (uint32_t i = 0; i < MODES; i++)
        rt_buffer_printf(&code, "  p[%u] = convert_%s_sat%s(x[%u]);\n", i, whole, modes[i], i);
    rt_buffer_printf(&code, "}\n");
    make(f, "A", rt_buffer_string(&code));
    rt_buffer_free(&code);
    rt_bytes ptx = image_of(f, 0)->code;
    assert_int_equal(count_of(ptx, "setp.nan.f") + count_of(ptx, "setp.num.f"), MODES);
}

static void saturating_conversions_check_for_nan(void **state)
{
    static const char *const wholes[] = {"char", "uchar", "short", "ushort",
                                         "int",  "uint",  "long",  "ulong"};
    static const char *const reals[] = {"half", "float", "double"};
    for (size_t real = 0; real < sizeof reals / sizeof *reals; real++)
        for (size_t whole = 0; whole < sizeof wholes / sizeof *wholes; whole++)
            assert_nan_check(*state, wholes[whole], reals[real]);
}

/* vprintf gets its format in the variable __assay_format, checked byte by byte; derived by hand
 * from OpenCL C, "printf": a vector is printed as its lanes, separated by commas, and length
 * modifiers are applied to the values. */
static void printf_is_a_call_of_vprintf(void **state)
{
    postlink_fixture *f = *state;
    static const struct {
        const char *call, *text;
    } rows[] = {
        {"p[0] = printf(\"a\\n\");", "__assay_format[3] = {97, 10"},
        {"p[0] = printf(\"a\\n\");", "vprintf"},
        /* -1, the result's sign, if it is negative; otherwise 0 */
        {"p[0] = printf(\"a\\n\");", "shr.s32"},
        /* %d,%d,%d */
        {"printf(\"%v3hd\", s);", "__assay_format[9] = {37, 100, 44, 37, 100, 44, 37, 100"},
        /* %lld: a long has 64 bits */
        {"printf(\"%ld\", l);", "__assay_format[5] = {37, 108, 108, 100"},
        /* %u: the value has been reduced to its low byte */
        {"printf(\"%hhu\", p[0]);", "__assay_format[3] = {37, 117"},
        {"printf(\"%hhu\", p[0]);", "ld.global.u8"},
        /* a float takes 64 bits; 4 bytes of padding align it to 8 */
        {"printf(\"%d%f\", p[0], x);", "cvt.f64.f32"},
        {"printf(\"%d%f\", p[0], x);", ".local .align 8 .b8 \t__local_depot0[16];"},
        /* %s-% */
        {"printf(\"%s-%%\", \"hi\");", "__assay_format[6] = {37, 115, 45, 37, 37"},
        /* an int takes 32 bits, whatever the length of the argument */
        {"printf(\"%hd%d\", l, p[0]);", ".local .align 8 .b8 \t__local_depot0[8];"},
        {"printf(\"%hd%d\", l, p[0]);", "ld.param.s16"},
        /* undefined: print 0 */
        {"printf(\"%d\");", "__assay_format[3] = {37, 100"},
        {"printf(\"%s%f%ld\");", "__assay_format[9] = {37, 115, 37, 102, 37, 108, 108, 100"},
        {"printf(\"%s%f%ld\");", ".local .align 8 .b8 \t__local_depot0[24];"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char code[256];
        snprintf(code, sizeof code,
                 "kernel void k(global int *p, short3 s, long l, float x) { %s }\n", rows[i].call);
        make(f, "A", code);
        assert_imports(f, 0, "");
        if (!holds(image_of(f, 0)->code, rows[i].text))
            fail_msg("'%s' has no '%s'", rows[i].call, rows[i].text);
    }
}

static void printf_without_a_form_is_refused(void **state)
{
    postlink_fixture *f = *state;
    static const struct {
        const char *call, *reason;
    } rows[] = {
        {"printf(t, p[0]);", "a format that is not a string literal"},
        {"printf(\"%n\", p[0]);", "a conversion in its format that OpenCL C does not define"},
        {"printf(\"%v4d\", (int2)(1, 2));", "number of lanes differs from its argument"},
        {"printf(\"%d\", 1.0f);", "whose type differs from its argument"},
        {"printf(\"%v16d%v16d%d\", v, v, 1);", "more than 32 values"},
        {"printf(\"%d\", vprintf(1));", "another function of that name"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char code[256];
        snprintf(
            code, sizeof code,
            "int vprintf(int); kernel void k(global int *p, constant char *t, int16 v) {\n  %s }",
            rows[i].call);
        rt_status status = try(f, "A", code);
        assert_refused(f, status, RT_UNSUPPORTED, "printf");
        assert_says(f, status, ":2: 'printf' ");
        assert_says(f, status, rows[i].reason);
    }
}

static void builtins_without_a_body_are_refused_at_their_line(void **state)
{
    postlink_fixture *f = *state;
    static const struct {
        const char *code, *name;
    } rows[] = {
        {HALVES "kernel void k(global half *p) { p[0] = dot(vload2(0, p), vload2(1, p)); }\n",
         "dot"},
        {"kernel void k(volatile global atomic_float *p) {\n  atomic_fetch_min(p, 1.0f); }\n",
         "atomic_fetch_min"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        rt_status status = try(f, "A", rows[i].code);
        assert_refused(f, status, RT_UNSUPPORTED, rows[i].name);
        assert_says(f, status, ":2: '");
        assert_says(f, status, "neither PTX nor libclc " ASSAY_LLVM_VERSION " has");
    }
}

#define KERNEL_OF(code) " kernel void k(global size_t *p) { p[0] = " code "; }\n"

static void names_of_our_builtins_are_refused(void **state)
{
    postlink_fixture *f = *state;
    static const struct {
        const char *code, *name, *place;
    } rows[] = {
        {"\nlocal int *__assay_launch(void) { return 0; }" KERNEL_OF("get_global_id(0)"),
         "__assay_launch", ":2: '"},
        {"size_t __assay_launch(size_t);" KERNEL_OF("__assay_launch(7)"), "__assay_launch", "'"},
        {"\nlocal ulong *__assay_scratch(void) { return 0; }" KERNEL_OF(
             "work_group_reduce_add(p[1])"),
         "__assay_scratch", ":2: '"},
        {"global size_t __assay_shared;" KERNEL_OF("__assay_shared"), "__assay_shared", "'"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        rt_status status = try(f, "A", rows[i].code);
        assert_refused(f, status, RT_UNSUPPORTED, rows[i].name);
        assert_says(f, status, rows[i].place);
        assert_says(f, status, "is a name that assay's own builtin functions for PTX use");
    }
    /* Twin: similar names. */
    make(f, "A",
         "size_t launch(size_t i) { return i + 1; } global size_t __assay_share = 3;" KERNEL_OF(
             "launch(get_global_id(0)) + work_group_reduce_add(p[1]) + __assay_share"));
    assert_exports(f, 0, "launch __assay_share");
}

static void parameters_without_a_form_are_refused(void **state)
{
    postlink_fixture *f = *state;
    rt_status status =
        try(f, "A", "kernel void k(read_only image2d_t i, global int *p) { *p = 1; }");
    assert_refused(f, status, RT_UNSUPPORTED, "k");
    assert_says(f, status, "nor a pointer to global, constant or local memory");
    status = try(f, "A",
                 "struct big { int a[1089]; };\n"
                 "kernel void k(struct big b, global int *p) { *p = b.a[7]; }");
    assert_refused(f, status, RT_UNSUPPORTED, "k");
    assert_says(f, status, "larger than PTX's limit of 4352 bytes");
}

/* LLVM's back end would end the process. */
static void initial_values_in_a_circle_are_refused(void **state)
{
    postlink_fixture *f = *state;
#define NODE                                                                                       \
    "struct node { constant const struct node *next; int value; }; extern constant struct node b;" \
    "constant struct node a = {&b, 1};"
#define WALK "kernel void k(global int *p) { p[0] = a.next->next->value; }"
    rt_status status = try(f, "A", NODE "constant struct node b = {&a, 2};" WALK);
    assert_refused(f, status, RT_UNSUPPORTED, "b"); /* declared first */
    assert_says(f, status, "the initial value of 'b' leads back to it, which LLVM's PTX cannot");
    make(f, "A", NODE "constant struct node b = {0, 2};" WALK);
#undef NODE
#undef WALK
}

static void a_missing_library_is_a_capability(void **state)
{
    postlink_fixture *f = *state;
    f->library = "/nowhere/libclc.bc";
    rt_status status = try(f, "A", "kernel void k(global int *p) { *p = 1; }");
    assert_refused(f, status, RT_UNAVAILABLE, "libclc");
    assert_says(f, status, "apt-get install libclc-" ASSAY_LLVM_VERSION);
}

/* ---- Embedded IR --------------------------------------------------------------------------- */

#define PLUS_ONE "kernel void plus(global int *p) { p[get_global_id(0)] += 1; }\n"

static void KF_TARGET_04_the_ir_is_embedded_when_it_is_asked_for(void **state)
{
    postlink_fixture *f = *state;
    make(f, "A", PLUS_ONE);
    assert_int_equal(rt_image_embedded_ir(image_of(f, 0)).size, 0);
    rt_bytes plain = rt_arena_bytes(&f->arena, image_of(f, 0)->code);
    f->embed_ir = true;
    make(f, "A", PLUS_ONE);
    rt_bytes ir = rt_image_embedded_ir(image_of(f, 0));
    assert_true(ir.size > 4);
    assert_memory_equal(ir.data, "BC\xC0\xDE", 4);
    /* The bitcode is without libclc: the query is still a call to a function by name, and no body
     * has been linked that reads the target's registers. */
    assert_true(holds(ir, "_Z13get_global_idj"));
    assert_false(holds(ir, "llvm.nvvm.read.ptx.sreg"));
    assert_int_equal(image_of(f, 0)->code.size, plain.size);
    assert_memory_equal(image_of(f, 0)->code.data, plain.data, plain.size);
    f->format = RT_FORMAT_SPIRV64;
    make(f, "A", PLUS_ONE);
    assert_int_equal(rt_image_embedded_ir(&f->images.images[0]).size, 0);
}

/* A vtable refers to functions of other images, whose names the bitcode contains. */
static void the_ir_of_an_image_with_vtables_is_embedded(void **state)
{
    postlink_fixture *f = *state;
    f->embed_ir = true;
    const fixture_source sources[] = {
        {"A.clcpp", SHAPE "kernel void make(global char *p) { new ((void *)p) Shape; }\n"},
        {NULL, NULL}};
    fixture_make(f, RT_SPLIT_OFF, 2, sources);
    assert_true(holds(rt_image_embedded_ir(image_of(f, 0)), "_ZTV5Shape"));
    assert_true(holds(rt_image_embedded_ir(image_of(f, 1)), "_ZN5Shape4areaEv"));
}

/* ---- Fused PTX ----------------------------------------------------------------------------- */

static const char library[] = "/usr/lib/clc/nvptx64--nvidiacl.bc";

/* Fuses two kernels of PTX images, with the ranges {32} and {16}. */
static rt_status fuse(postlink_fixture *f, rt_bytes first, rt_bytes second, rt_fusion_result *out)
{
    rt_link_code codes[] = {{first, NULL, 0}, {second, NULL, 0}};
    const rt_fusion_range wide = {1, {32, 1, 1}, {0}, {0}}, narrow = {1, {16, 1, 1}, {0}, {0}};
    const rt_fusion_kernel kernels[] = {{RT_TEXT("plus"), &codes[0], 1, wide},
                                        {RT_TEXT("twice"), &codes[1], 1, narrow}};
    const rt_fusion_identity identity = {{0, 0}, {1, 0}};
    const rt_fusion_request request = {.name = RT_TEXT("fused_3"),
                                       .kernels = kernels,
                                       .kernel_count = 2,
                                       .range = wide,
                                       .barriers = true,
                                       .identities = &identity,
                                       .identity_count = 1,
                                       .format = RT_FORMAT_PTX};
    rt_buffer_free(&f->bytes);
    RT_TRY(f->api->fuse(f->sink, &request, rt_text_of(library), &f->bytes));
    return rt_fusion_result_read(f->sink, &f->arena, rt_buffer_bytes(&f->bytes), out);
}

static rt_bytes ir_of(postlink_fixture *f, const char *code)
{
    f->embed_ir = true;
    make(f, "A", code);
    return rt_arena_bytes(&f->arena, rt_image_embedded_ir(image_of(f, 0)));
}

static void KF_TARGET_03_kernels_with_ir_become_one_kernel_of_ptx(void **state)
{
    postlink_fixture *f = *state;
    rt_bytes plus = ir_of(f, PLUS_ONE);
    rt_bytes twice = ir_of(f, "kernel void twice(global int *p, constant int *c)\n"
                              "{ p[get_global_id(0)] *= c[get_global_size(0)]; }\n");
    rt_fusion_result result;
    rt_status status = fuse(f, plus, twice, &result);
    if (!rt_ok(status)) fail_msg("%s", rt_sink_diagnostic(f->sink, status)->message.data);
    assert_int_equal(result.image.format, RT_FORMAT_PTX);
    assert_int_equal(result.image.kernel_count, 1);
    assert_true(rt_text_is(result.image.kernels[0], "fused_3"));
    assert_int_equal(result.parameter_count, 2);
    assert_true(holds(result.image.code, "//@kernel fused_3 pointer:8 pointer:8\n"));
    assert_true(holds(result.image.code, ".visible .entry fused_3("));
    assert_true(holds(result.image.code, "bar.sync"));
    assert_true(holds(result.image.code, "+64]")); /* c[16]: the second kernel's own size */
    assert_false(holds(result.image.code, ".entry plus"));
    assert_false(holds(result.image.code, "get_global"));
}

static void invalid_bitcode_and_unsupported_code_are_not_fused(void **state)
{
    postlink_fixture *f = *state;
    rt_fusion_result result;
    rt_bytes plus = ir_of(f, PLUS_ONE);
    rt_bytes text = {(const uint8_t *)".version 6.4", 12};
    rt_status status = fuse(f, plus, text, &result);
    assert_int_equal(status.code, RT_MALFORMED);
    assert_says(f, status, "module 0 of the link: not LLVM bitcode");
    status = fuse(f, plus, plus, &result);
    assert_refused(f, status, RT_FUSION_REJECTED, "twice");
    assert_says(f, status, "no kernel of that name");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_ptx, fixture_close)

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        TEST(functions_are_imported_and_exported),
        TEST(names_are_those_of_the_target),
        TEST(names_that_ptx_does_not_take_are_spelled_out),
        TEST(values_are_reloaded_after_a_barrier),
        TEST(variables_are_in_global_memory),
        TEST(vtables_are_weak_and_sets_have_images),
        TEST(device_globals_are_identified_by_symbol),
        TEST(constant_arguments_are_read_as_global),
        TEST(local_arguments_are_offsets),
        TEST(values_have_their_sizes),
        TEST(the_launch_comes_last),
        TEST(a_called_kernel_has_code_next_to_its_entry),
        TEST(required_sizes_are_properties_and_directives),
        TEST(constants_have_their_defaults),
        TEST(rotations_of_64_bits_are_by_less_than_64),
        TEST(bits_above_a_shifted_number_are_copies_of_its_sign),
        TEST(a_vector_result_of_known_range_compiles),
        TEST(vectors_of_three_in_initial_values_are_padded),
        TEST(the_least_number_has_a_magnitude),
        TEST(whole_numbers_are_rounded_by_instructions),
        TEST(functions_become_instructions),
        TEST(relaxed_atomics_have_no_fence),
        TEST(saturating_conversions_check_for_nan),
        TEST(printf_is_a_call_of_vprintf),
        TEST(printf_without_a_form_is_refused),
        TEST(builtins_without_a_body_are_refused_at_their_line),
        TEST(names_of_our_builtins_are_refused),
        TEST(parameters_without_a_form_are_refused),
        TEST(initial_values_in_a_circle_are_refused),
        TEST(a_missing_library_is_a_capability),
        TEST(KF_TARGET_04_the_ir_is_embedded_when_it_is_asked_for),
        TEST(the_ir_of_an_image_with_vtables_is_embedded),
        TEST(KF_TARGET_03_kernels_with_ir_become_one_kernel_of_ptx),
        TEST(invalid_bitcode_and_unsupported_code_are_not_fused),
    };
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
