/* Tests fusion by its results: a fused kernel must give, element by element, the same results as
 * its kernels launched one after the other. */
#include "conformance/build/test/fusion_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum { ITEMS = 16 };

/* The kernels that most tests use. */
static const char arithmetic[] =
    "kernel void store(global int *out, int base) {"
    " out[get_global_id(0)] = base + (int)get_global_id(0); }\n"
    "kernel void twice(global const int *in, global int *out) {"
    " size_t i = get_global_id(0); out[i] = 2 * in[i]; }\n"
    "kernel void add(global const int *a, global const int *b, global int *out) {"
    " size_t i = get_global_id(0); out[i] = a[i] + b[i]; }\n";

static rt_fusion_kernel kernel_of(const rt_link_code *code, const char *name, rt_fusion_range range)
{
    return (rt_fusion_kernel){rt_text_of(name), code, 1, range};
}

static rt_fusion_request request_of(const rt_fusion_kernel *kernels, uint32_t count,
                                    rt_fusion_range range)
{
    return (rt_fusion_request){.name = RT_TEXT("fused_0"),
                               .kernels = kernels,
                               .kernel_count = count,
                               .range = range,
                               .barriers = true,
                               .format = RT_FORMAT_SPIRV64,
                               .spirv_version_max = 0x00010200};
}

static sim_argument pass_int(const int32_t *value)
{
    return (sim_argument){.kind = SIM_PARAMETER_VALUE,
                          .bytes = {(const uint8_t *)value, sizeof *value}};
}

static int32_t int_at(fusion_fixture *fixture, sim_object object, uint32_t index)
{
    int32_t value;
    sim_object_read(fixture->world, object, index * sizeof value, sizeof value, &value);
    return value;
}

/* Launches the last fused kernel, which must not cause a finding. */
static void launch(fusion_fixture *fixture, const rt_fusion_range *range,
                   const sim_argument *arguments, uint32_t count)
{
    fixture->finding_count = 0;
    fixture_launch(fixture, fixture->result.image.code, RT_TEXT("fused_0"), range, arguments,
                   count);
    assert_int_equal(fixture->finding_count, 0);
}

static void assert_rejected(fusion_fixture *fixture, const rt_fusion_request *request,
                            const char *reason)
{
    rt_status status = fixture_fuse(fixture, request);
    assert_int_equal(status.code, RT_FUSION_REJECTED);
    const char *message = fixture_message(fixture, status);
    if (!strstr(message, reason)) fail_msg("%s", message);
}

/* store(a, 5); twice(a, b); add(a, b, c): c[i] is 3 * (5 + i). */
static void kernels_of_one_range_are_one_kernel(void **state)
{
    fusion_fixture *fixture = *state;
    const rt_link_code code = {fixture_compile(fixture, arithmetic), NULL, 0};
    rt_fusion_range range = fixture_range(ITEMS, 0, 0);
    const rt_fusion_kernel kernels[] = {kernel_of(&code, "store", range),
                                        kernel_of(&code, "twice", range),
                                        kernel_of(&code, "add", range)};
    const rt_fusion_identity identities[] = {{{0, 0}, {1, 0}}, {{0, 0}, {2, 0}}, {{1, 1}, {2, 1}}};
    rt_fusion_request request = request_of(kernels, 3, range);
    request.identities = identities;
    request.identity_count = 3;
    fixture_must_fuse(fixture, &request);
    assert_int_equal(fixture->result.image.kernel_count, 1);
    assert_true(rt_text_is(fixture->result.image.kernels[0], "fused_0"));
    /* The fused kernel's parameters are a, 5, b and c, in this order. */
    assert_int_equal(fixture->result.parameter_count, 4);
    assert_int_equal(fixture->result.parameters[2].kernel, 1);
    assert_int_equal(fixture->result.parameters[2].parameter, 1);
    assert_int_equal(fixture->result.parameters[3].kernel, 2);
    assert_int_equal(fixture->result.parameters[3].parameter, 2);
    sim_object a = fixture_ints(fixture, ITEMS, 0), b = fixture_ints(fixture, ITEMS, 0),
               c = fixture_ints(fixture, ITEMS, 0);
    const int32_t five = 5;
    const sim_argument arguments[] = {fixture_pass(a), pass_int(&five), fixture_pass(b),
                                      fixture_pass(c)};
    launch(fixture, &range, arguments, 4);
    for (int32_t i = 0; i < ITEMS; i++)
        assert_int_equal(int_at(fixture, c, (uint32_t)i), 3 * (5 + i));
}

/* ---- The same kernel twice ----------------------------------------------------------------- */

/* inc(a, 1); inc(b, 10); inc(a, 100): each occurrence has its own arguments. */
static void a_kernel_may_occur_several_times(void **state)
{
    fusion_fixture *fixture = *state;
    const rt_link_code code = {fixture_compile(fixture, "kernel void inc(global int *p, int by) {"
                                                        " p[get_global_id(0)] += by; }"),
                               NULL, 0};
    rt_fusion_range range = fixture_range(ITEMS, 0, 0);
    const rt_fusion_kernel kernels[] = {kernel_of(&code, "inc", range),
                                        kernel_of(&code, "inc", range),
                                        kernel_of(&code, "inc", range)};
    const rt_fusion_identity identity = {{0, 0}, {2, 0}};
    rt_fusion_request request = request_of(kernels, 3, range);
    request.identities = &identity;
    request.identity_count = 1;
    fixture_must_fuse(fixture, &request);
    sim_object a = fixture_ints(fixture, ITEMS, 0), b = fixture_ints(fixture, ITEMS, 0);
    const int32_t one = 1, ten = 10, hundred = 100;
    const sim_argument arguments[] = {fixture_pass(a), pass_int(&one), fixture_pass(b),
                                      pass_int(&ten), pass_int(&hundred)};
    launch(fixture, &range, arguments, 5);
    for (uint32_t i = 0; i < ITEMS; i++) {
        assert_int_equal(int_at(fixture, a, i), 101);
        assert_int_equal(int_at(fixture, b, i), 10);
    }
}

/* Two programs whose kernels and helpers have the same names but do different things. */
static void programs_keep_their_own_functions(void **state)
{
    fusion_fixture *fixture = *state;
#define PROGRAM(factor)                                                                            \
    "__attribute__((noinline)) int help(int x) { return " factor " * x; }\n"                       \
    "kernel void k(global int *p) { size_t i = get_global_id(0); p[i] = help(p[i]); }"
    const rt_link_code codes[] = {{fixture_compile(fixture, PROGRAM("3")), NULL, 0},
                                  {fixture_compile(fixture, PROGRAM("5")), NULL, 0}};
    rt_fusion_range range = fixture_range(ITEMS, 0, 0);
    const rt_fusion_kernel kernels[] = {kernel_of(&codes[0], "k", range),
                                        kernel_of(&codes[1], "k", range)};
    const rt_fusion_identity identity = {{0, 0}, {1, 0}};
    rt_fusion_request request = request_of(kernels, 2, range);
    request.name = RT_TEXT("k"); /* the fused kernel may have the name of one of its kernels */
    request.identities = &identity;
    request.identity_count = 1;
    fixture_must_fuse(fixture, &request);
    sim_object p = fixture_ints(fixture, ITEMS, 2);
    const sim_argument argument = fixture_pass(p);
    fixture_launch(fixture, fixture->result.image.code, RT_TEXT("k"), &range, &argument, 1);
    for (uint32_t i = 0; i < ITEMS; i++)
        assert_int_equal(int_at(fixture, p, i), 30);
}

/* A specialised kernel that imports a function from another module linked with it. */
static void imports_and_specialisation_come_along(void **state)
{
    fusion_fixture *fixture = *state;
    const rt_bytes kernel =
        fixture_compile(fixture, "int imported(int x);\nkernel void k(global int *p) {"
                                 " size_t i = get_global_id(0); p[i] = imported(p[i]); }");
    const rt_bytes library = fixture_compile(fixture, "SPEC_CONSTANT(int, factor, 2);\n"
                                                      "int imported(int x) { return factor * x; }");
    const rt_link_constant nine = {0, {(const uint8_t *)"\11\0\0\0", 4}};
    const rt_link_code plain[] = {{kernel, NULL, 0}, {library, NULL, 0}};
    const rt_link_code specialised[] = {{kernel, NULL, 0}, {library, &nine, 1}};
    rt_fusion_range range = fixture_range(ITEMS, 0, 0);
    const rt_fusion_kernel kernels[] = {{RT_TEXT("k"), plain, 2, range},
                                        {RT_TEXT("k"), specialised, 2, range}};
    const rt_fusion_identity identity = {{0, 0}, {1, 0}};
    rt_fusion_request request = request_of(kernels, 2, range);
    request.identities = &identity;
    request.identity_count = 1;
    fixture_must_fuse(fixture, &request);
    sim_object p = fixture_ints(fixture, ITEMS, 1);
    const sim_argument argument = fixture_pass(p);
    launch(fixture, &range, &argument, 1);
    for (uint32_t i = 0; i < ITEMS; i++)
        assert_int_equal(int_at(fixture, p, i), 18); /* 2 by default, then 9 */
    /* Without the library the import is unresolved. */
    rt_fusion_kernel alone = {RT_TEXT("k"), plain, 1, range};
    request = request_of(&alone, 1, range);
    assert_rejected(fixture, &request, "imported");
}

/* ---- Ranges -------------------------------------------------------------------------------- */

/* Work-items past a kernel's range do not touch its memory, yet take part in the next kernel. */
static void smaller_ranges_are_guarded(void **state)
{
    fusion_fixture *fixture = *state;
    const rt_link_code code = {fixture_compile(fixture, arithmetic), NULL, 0};
    rt_fusion_range half = fixture_range(ITEMS / 2, 0, 0), whole = fixture_range(4, 4, 0);
    const rt_fusion_kernel kernels[] = {kernel_of(&code, "store", half),
                                        kernel_of(&code, "store", fixture_range(ITEMS, 0, 0)),
                                        kernel_of(&code, "store", half)};
    rt_fusion_request request = request_of(kernels, 3, whole);
    fixture_must_fuse(fixture, &request);
    sim_object outs[3];
    sim_argument arguments[6];
    const int32_t bases[] = {100, 200, 300};
    for (uint32_t i = 0; i < 3; i++) {
        outs[i] = fixture_ints(fixture, ITEMS, -1);
        arguments[2 * i] = fixture_pass(outs[i]);
        arguments[2 * i + 1] = pass_int(&bases[i]);
    }
    launch(fixture, &whole, arguments, 6);
    for (int32_t i = 0; i < ITEMS; i++) {
        bool inside = i < ITEMS / 2;
        assert_int_equal(int_at(fixture, outs[0], (uint32_t)i), inside ? 100 + i : -1);
        assert_int_equal(int_at(fixture, outs[1], (uint32_t)i), 200 + i);
        assert_int_equal(int_at(fixture, outs[2], (uint32_t)i), inside ? 300 + i : -1);
    }
}

static const char reversing[] =
    "kernel void fill(global int *p) { size_t i = get_global_id(0); p[i] = (int)i; }\n"
    "kernel void reverse(global int *p) {"
    " local int tile[4]; size_t l = get_local_id(0), i = get_global_id(0);"
    " tile[l] = p[i]; barrier(CLK_LOCAL_MEM_FENCE); p[i] = tile[3 - l]; }\n";

/* A kernel's own barrier may be under a guard that is uniform within each group: 8 of 16
 * work-items, in groups of 4. Twin: if the kernel's local size is open, the guard may divide a
 * group of the launch. */
static void barriers_of_kernels_stand_under_uniform_guards_only(void **state)
{
    fusion_fixture *fixture = *state;
    const rt_link_code code = {fixture_compile(fixture, reversing), NULL, 0};
    rt_fusion_range wide = fixture_range_local(fixture_range(ITEMS, 0, 0), 4, 0, 0);
    rt_fusion_range half = fixture_range_local(fixture_range(ITEMS / 2, 0, 0), 4, 0, 0);
    rt_fusion_kernel kernels[] = {kernel_of(&code, "fill", wide),
                                  kernel_of(&code, "reverse", half)};
    const rt_fusion_identity identity = {{0, 0}, {1, 0}};
    rt_fusion_request request = request_of(kernels, 2, wide);
    request.identities = &identity;
    request.identity_count = 1;
    fixture_must_fuse(fixture, &request);
    sim_object p = fixture_ints(fixture, ITEMS, -1);
    const sim_argument argument = fixture_pass(p);
    launch(fixture, &wide, &argument, 1);
    for (int32_t i = 0; i < ITEMS; i++)
        assert_int_equal(int_at(fixture, p, (uint32_t)i), i < 8 ? i / 4 * 4 + 3 - i % 4 : i);
    kernels[1].range = fixture_range(6, 0, 0);
    assert_rejected(fixture, &request, "barriers");
}

/* The barrier between kernels makes a neighbour's store visible; without it there is a race. */
static void barriers_between_kernels_can_be_left_out(void **state)
{
    fusion_fixture *fixture = *state;
    const rt_link_code code = {
        fixture_compile(fixture, "kernel void put(global int *p) {"
                                 " size_t i = get_global_id(0); p[i] = (int)i; }\n"
                                 "kernel void get(global const int *p, global int *q) {"
                                 " size_t i = get_global_id(0); q[i] = p[i ^ 1]; }\n"),
        NULL, 0};
    rt_fusion_range range = fixture_range_local(fixture_range(ITEMS, 0, 0), ITEMS, 0, 0);
    const rt_fusion_kernel kernels[] = {kernel_of(&code, "put", range),
                                        kernel_of(&code, "get", range)};
    const rt_fusion_identity identity = {{0, 0}, {1, 0}};
    rt_fusion_request request = request_of(kernels, 2, range);
    request.identities = &identity;
    request.identity_count = 1;
    for (uint32_t round = 0; round < 2; round++) {
        request.barriers = round == 0;
        fixture_must_fuse(fixture, &request);
        sim_object p = fixture_ints(fixture, ITEMS, -1), q = fixture_ints(fixture, ITEMS, -1);
        const sim_argument arguments[] = {fixture_pass(p), fixture_pass(q)};
        fixture_launch(fixture, fixture->result.image.code, RT_TEXT("fused_0"), &range, arguments,
                       2);
        assert_int_equal(fixture->finding_count > 0, round == 1);
        for (int32_t i = 0; round == 0 && i < ITEMS; i++)
            assert_int_equal(int_at(fixture, q, (uint32_t)i), i ^ 1);
    }
}

/* ---- Promotion ----------------------------------------------------------------------------- */

/* produce(tmp) and consume(tmp, out) over one range, with tmp promoted. */
typedef struct promoting {
    rt_link_code code;
    rt_fusion_kernel kernels[2];
    rt_fusion_identity identity;
    rt_fusion_promotion promotion;
    rt_fusion_request request;
    rt_fusion_range range;
} promoting;

static void make_promoting(fusion_fixture *fixture, promoting *chain, const char *source,
                           rt_fusion_range range, rt_fusion_promotion_kind kind, uint64_t elements)
{
    chain->code = (rt_link_code){fixture_compile(fixture, source), NULL, 0};
    chain->range = range;
    chain->kernels[0] = kernel_of(&chain->code, "produce", range);
    chain->kernels[1] = kernel_of(&chain->code, "consume", range);
    chain->identity = (rt_fusion_identity){{0, 0}, {1, 0}};
    chain->promotion = (rt_fusion_promotion){{0, 0}, kind, elements, sizeof(int32_t)};
    chain->request = request_of(chain->kernels, 2, range);
    chain->request.identities = &chain->identity;
    chain->request.identity_count = 1;
    chain->request.promotions = &chain->promotion;
    chain->request.promotion_count = 1;
    fixture_must_fuse(fixture, &chain->request);
}

/* Launches the fused kernel with `out` alone; tmp is no longer a parameter. */
static sim_object launch_promoted(fusion_fixture *fixture, const promoting *chain, uint32_t count)
{
    assert_true(fixture->result.promoted[0]);
    assert_int_equal(fixture->result.parameter_count, 1);
    assert_int_equal(fixture->result.parameters[0].kernel, 1);
    assert_int_equal(fixture->result.parameters[0].parameter, 1);
    sim_object out = fixture_ints(fixture, count, -1);
    const sim_argument argument = fixture_pass(out);
    launch(fixture, &chain->range, &argument, 1);
    return out;
}

#define PRODUCE "kernel void produce(global int *tmp) { size_t i = get_global_id(0);"
#define CONSUME                                                                                    \
    "kernel void consume(global const int *tmp, global int *out) { size_t i = get_global_id(0);"

/* 1 element per work-item, then 3: not a power of two, which could hide an error. */
static void a_buffer_becomes_private(void **state)
{
    fusion_fixture *fixture = *state;
    promoting chain;
    rt_fusion_range range = fixture_range(ITEMS, 0, 0);
    make_promoting(fixture, &chain,
                   PRODUCE " tmp[i] = 7 * (int)i; }\n" CONSUME " out[i] = tmp[i] + 1; }", range,
                   RT_FUSION_PRIVATE, 1);
    sim_object out = launch_promoted(fixture, &chain, ITEMS);
    for (int32_t i = 0; i < ITEMS; i++)
        assert_int_equal(int_at(fixture, out, (uint32_t)i), 7 * i + 1);
    make_promoting(fixture, &chain,
                   PRODUCE
                   " for (int k = 0; k < 3; k++) tmp[3 * i + k] = 100 * k + (int)i; }\n" CONSUME
                   " out[i] = tmp[3 * i + 2] - tmp[3 * i + 1] + tmp[3 * i]; }",
                   range, RT_FUSION_PRIVATE, 3);
    out = launch_promoted(fixture, &chain, ITEMS);
    for (int32_t i = 0; i < ITEMS; i++)
        assert_int_equal(int_at(fixture, out, (uint32_t)i), 100 + i);
}

/* Groups of 4: each work-item reads what its neighbour in the group wrote. */
static void a_buffer_becomes_local(void **state)
{
    fusion_fixture *fixture = *state;
    promoting chain;
    rt_fusion_range range = fixture_range_local(fixture_range(ITEMS, 0, 0), 4, 0, 0);
    make_promoting(fixture, &chain,
                   PRODUCE " tmp[i] = 7 * (int)i; }\n" CONSUME " out[i] = tmp[i ^ 1]; }", range,
                   RT_FUSION_LOCAL, 4);
    sim_object out = launch_promoted(fixture, &chain, ITEMS);
    for (int32_t i = 0; i < ITEMS; i++)
        assert_int_equal(int_at(fixture, out, (uint32_t)i), 7 * (i ^ 1));
}

/* Promoted elements may be structures whose members are accessed one by one. */
static void elements_may_have_parts(void **state)
{
    fusion_fixture *fixture = *state;
    promoting chain;
    make_promoting(fixture, &chain,
                   "typedef struct { int a; short b[2]; } pair;\n"
                   "kernel void produce(global pair *tmp) { size_t i = get_global_id(0);"
                   " tmp[i].a = (int)i; tmp[i].b[1] = 5; tmp[i].b[0] = 2; }\n"
                   "kernel void consume(global const pair *tmp, global int *out) {"
                   " size_t i = get_global_id(0); out[i] = 100 * tmp[i].a + tmp[i].b[1]; }",
                   fixture_range(ITEMS, 0, 0), RT_FUSION_PRIVATE, 2);
    sim_object out = launch_promoted(fixture, &chain, ITEMS);
    for (int32_t i = 0; i < ITEMS; i++)
        assert_int_equal(int_at(fixture, out, (uint32_t)i), 100 * i + 5);
}

/* Uses that keep a buffer in global memory, and the reason reported for each. */
typedef struct unsafe_row {
    const char *produce; /* its body */
    const char *consume;
    uint64_t elements;
    const char *reason; /* part of the reported reason */
} unsafe_row;

static const unsafe_row unsafe[] = {
    {"tmp[i] = (int)(ulong)tmp;", "out[i] = tmp[i];", 1, "ptrtoint"},
    {"*(global int *global *)keep = tmp; tmp[i] = 1;", "out[i] = tmp[i];", 1,
     "stored to another pointer"},
    {"atomic_inc(tmp + i);", "out[i] = tmp[i];", 1, "called function"},
    {"vstore2((int2)(1, 2), i, tmp);", "out[i] = tmp[2 * i];", 2, "called function"},
    {"global int *q = i < 4 ? tmp : keep; q[i] = 1;", "out[i] = tmp[i];", 1, "arithmetic"},
    {"*(global long *)(tmp + 2 * i) = 5;", "out[i] = tmp[2 * i];", 2, "arithmetic"},
};

static void what_is_not_safe_is_not_promoted(void **state)
{
    fusion_fixture *fixture = *state;
    for (size_t i = 0; i < sizeof unsafe / sizeof *unsafe; i++) {
        promoting chain;
        rt_text source = rt_arena_printf(&fixture->arena,
                                         "kernel void produce(global int *tmp, global int *keep) {"
                                         " size_t i = get_global_id(0); %s }\n" CONSUME " %s }",
                                         unsafe[i].produce, unsafe[i].consume);
        make_promoting(fixture, &chain, source.data, fixture_range(ITEMS, 0, 0), RT_FUSION_PRIVATE,
                       unsafe[i].elements);
        assert_false(fixture->result.promoted[0]);
        const char *reason = rt_arena_text(&fixture->arena, fixture->result.reasons[0]).data;
        if (!strstr(reason, unsafe[i].reason)) fail_msg("row %zu: %s", i, reason);
        assert_int_equal(fixture->result.parameter_count, 3);
    }
}

/* A buffer stays in global memory if its size is not a multiple of the element's. */
static void a_buffer_that_does_not_hold_whole_elements_stays(void **state)
{
    fusion_fixture *fixture = *state;
    promoting chain;
    make_promoting(fixture, &chain,
                   "kernel void produce(global int4 *tmp) { tmp[get_global_id(0)] = 1; }\n"
                   "kernel void consume(global const int4 *tmp, global int *out) {"
                   " out[get_global_id(0)] = tmp[get_global_id(0)].x; }",
                   fixture_range(ITEMS, 0, 0), RT_FUSION_PRIVATE, 3);
    assert_false(fixture->result.promoted[0]);
    assert_true(
        rt_text_is(fixture->result.reasons[0], "the buffer is not a whole number of its elements"));
}

/* ---- Constants ----------------------------------------------------------------------------- */

/* An int whose low byte is 0, a float, a vector and a structure with padding all arrive bit for
 * bit. */
static void constants_are_propagated_bit_for_bit(void **state)
{
    fusion_fixture *fixture = *state;
    const rt_link_code code = {
        fixture_compile(fixture, "typedef struct { char c; long l; short s[2]; } mixed;\n"
                                 "kernel void k(global long *p, int n, float f, int3 v, mixed m) {"
                                 " p[0] = n; p[1] = as_int(f); p[2] = v.x; p[3] = v.z;"
                                 " p[4] = m.c; p[5] = m.l; p[6] = m.s[1]; }"),
        NULL, 0};
    rt_fusion_range range = fixture_range(1, 0, 0);
    const rt_fusion_kernel kernel = kernel_of(&code, "k", range);
    const int32_t n = 256, v[4] = {-3, 0, 11, 0};
    const float f = 1.5f;
    static const struct { /* static, so that the padding is initialised */
        int8_t c;
        int64_t l;
        int16_t s[2];
    } m = {-1, INT64_C(-81985529216486896), {0, 300}};
    const rt_fusion_constant constants[] = {{{0, 1}, {(const uint8_t *)&n, sizeof n}},
                                            {{0, 2}, {(const uint8_t *)&f, sizeof f}},
                                            {{0, 3}, {(const uint8_t *)v, sizeof v}},
                                            {{0, 4}, {(const uint8_t *)&m, sizeof m}}};
    rt_fusion_request request = request_of(&kernel, 1, range);
    request.constants = constants;
    request.constant_count = 4;
    fixture_must_fuse(fixture, &request);
    assert_int_equal(fixture->result.parameter_count, 1);
    sim_object p = fixture_words(fixture, 7, 0);
    const sim_argument argument = fixture_pass(p);
    launch(fixture, &range, &argument, 1);
    int64_t seen[7];
    sim_object_read(fixture->world, p, 0, sizeof seen, seen);
    const int64_t expected[7] = {256, 0x3FC00000, -3, 11, -1, INT64_C(-81985529216486896), 300};
    assert_memory_equal(seen, expected, sizeof expected);
    /* The constant's size differs from the parameter's. */
    const rt_fusion_constant wrong = {{0, 1}, {(const uint8_t *)&m, 2}};
    request.constants = &wrong;
    request.constant_count = 1;
    assert_rejected(fixture, &request, "the size of its constant differs");
}

/* ---- Refusals ------------------------------------------------------------------------------ */

static void what_cannot_be_fused_is_refused_by_name(void **state)
{
    fusion_fixture *fixture = *state;
    static const struct {
        const char *source;
        const char *kernel;
        const char *reason;
    } rows[] = {
        {"kernel void k(global int *p) { *p = 1; }", "other", "no kernel of that name"},
        {"global int kept; kernel void k(global int *p) { *p = kept++; }", "k", "kept"},
        {"kernel void k(global int *p) {"
         " p[get_global_id(0)] = sub_group_reduce_add(1); }",
         "k", "sub-groups"},
    };
    rt_fusion_range launched = fixture_range(4, 4, 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const rt_link_code code = {fixture_compile(fixture, rows[i].source), NULL, 0};
        const rt_fusion_kernel kernel =
            kernel_of(&code, rows[i].kernel, fixture_range(ITEMS, 0, 0));
        rt_fusion_request request = request_of(&kernel, 1, launched);
        assert_rejected(fixture, &request, rows[i].reason);
    }
}

static void parameters_that_cannot_be_one_are_refused(void **state)
{
    fusion_fixture *fixture = *state;
    const rt_link_code code = {fixture_compile(fixture, arithmetic), NULL, 0};
    rt_fusion_range range = fixture_range(ITEMS, 0, 0);
    const rt_fusion_kernel kernels[] = {kernel_of(&code, "store", range),
                                        kernel_of(&code, "store", range)};
    rt_fusion_identity identity = {{0, 0}, {1, 1}}; /* a pointer and an int */
    rt_fusion_request request = request_of(kernels, 2, range);
    request.identities = &identity;
    request.identity_count = 1;
    assert_rejected(fixture, &request, "its type differs from that of");
    identity = (rt_fusion_identity){{0, 0}, {1, 7}};
    assert_rejected(fixture, &request, "no such parameter");
}

/* Required work-group sizes must agree; the fused kernel has their common size. */
static void required_group_sizes_must_agree(void **state)
{
    fusion_fixture *fixture = *state;
#define REQUIRING(name, size)                                                                      \
    "__attribute__((reqd_work_group_size(" size ", 1, 1))) kernel void " name "(global int *p) {"  \
    " p[get_global_id(0)] = (int)get_local_size(0); }\n"
    const rt_link_code code = {
        fixture_compile(
            fixture,
            REQUIRING("four", "4") REQUIRING(
                "eight", "8") "kernel void any(global int *p) { p[get_global_id(0)] = 1; }"),
        NULL, 0};
    rt_fusion_range range = fixture_range(ITEMS, 0, 0);
    rt_fusion_kernel kernels[] = {kernel_of(&code, "four", range), kernel_of(&code, "four", range)};
    rt_fusion_request request = request_of(kernels, 2, range);
    fixture_must_fuse(fixture, &request);
    sim_object p = fixture_ints(fixture, ITEMS, 0), q = fixture_ints(fixture, ITEMS, 0);
    const sim_argument arguments[] = {fixture_pass(p), fixture_pass(q)};
    launch(fixture, &range, arguments, 2); /* open: the simulated device uses the required size */
    assert_int_equal(int_at(fixture, p, 0), 4);
    kernels[1] = kernel_of(&code, "eight", range);
    assert_rejected(fixture, &request, "reqd_work_group_size");
    /* The list's kernel "any" and the launch have groups of 8, but "four" requires 4. */
    rt_fusion_range eights = fixture_range_local(range, 8, 0, 0);
    kernels[1] = kernel_of(&code, "any", eights);
    request = request_of(kernels, 2, eights);
    assert_rejected(fixture, &request, "work-groups have another size");
}

/* A local memory argument remains an argument. */
static void local_arguments_stay(void **state)
{
    fusion_fixture *fixture = *state;
    const rt_link_code code = {
        fixture_compile(fixture, "kernel void k(global int *p, local int *t) {"
                                 " size_t l = get_local_id(0), i = get_global_id(0); t[l] = p[i];"
                                 " barrier(CLK_LOCAL_MEM_FENCE); p[i] = t[3 - l] + 1; }"),
        NULL, 0};
    rt_fusion_range range = fixture_range_local(fixture_range(4, 0, 0), 4, 0, 0);
    const rt_fusion_kernel kernels[] = {kernel_of(&code, "k", range), kernel_of(&code, "k", range)};
    const rt_fusion_identity identity = {{0, 0}, {1, 0}};
    rt_fusion_request request = request_of(kernels, 2, range);
    request.identities = &identity;
    request.identity_count = 1;
    fixture_must_fuse(fixture, &request);
    sim_object p = fixture_ints(fixture, 4, 0);
    const int32_t content[] = {1, 2, 3, 4};
    sim_object_write(fixture->world, p, 0, sizeof content, content);
    const sim_argument tile = {.kind = SIM_PARAMETER_LOCAL, .size = 16};
    const sim_argument arguments[] = {fixture_pass(p), tile, tile};
    launch(fixture, &range, arguments, 3);
    for (int32_t i = 0; i < 4; i++) /* reversed twice, plus 2 */
        assert_int_equal(int_at(fixture, p, (uint32_t)i), i + 3);
}

int main(int argc, char **argv)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, fusion_fixture_open, fusion_fixture_close)
    const struct CMUnitTest tests[] = {
        TEST(kernels_of_one_range_are_one_kernel),
        TEST(a_kernel_may_occur_several_times),
        TEST(programs_keep_their_own_functions),
        TEST(imports_and_specialisation_come_along),
        TEST(smaller_ranges_are_guarded),
        TEST(barriers_of_kernels_stand_under_uniform_guards_only),
        TEST(barriers_between_kernels_can_be_left_out),
        TEST(a_buffer_becomes_private),
        TEST(a_buffer_becomes_local),
        TEST(elements_may_have_parts),
        TEST(what_is_not_safe_is_not_promoted),
        TEST(a_buffer_that_does_not_hold_whole_elements_stays),
        TEST(constants_are_propagated_bit_for_bit),
        TEST(what_cannot_be_fused_is_refused_by_name),
        TEST(parameters_that_cannot_be_one_are_refused),
        TEST(required_group_sizes_must_agree),
        TEST(local_arguments_stay),
    };
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
