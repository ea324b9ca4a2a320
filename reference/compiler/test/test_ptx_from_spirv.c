/* Tests of PTX made from SPIR-V: address spaces, names, builtin functions, constants and variables.
 * The SPIR-V is post-link's, of sources for spir64, or written by hand. Expected values: PTX ISA
 * 6.4, and the conventions of reference/base/ptx.h. */
#include "reference/base/ptx.h"
#include "reference/base/spirv.h"
#include "reference/compiler/test/postlink_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const char library[] = "/usr/lib/clc/nvptx64--nvidiacl.bc";

/* ---- Translating ----------------------------------------------------------------------------- */

static rt_status translate(postlink_fixture *f, const rt_link_code *code, rt_text *out_ptx)
{
    rt_buffer ptx = {0};
    rt_status status = f->api->spirv_to_ptx(f->sink, code, rt_text_of(library), &ptx);
    *out_ptx = rt_arena_text(&f->arena, rt_buffer_text(&ptx));
    assert_true(rt_ok(status) == (ptx.size > 0));
    rt_buffer_free(&ptx);
    return status;
}

/* Translates the only image of a source. */
static rt_status try(postlink_fixture *f, const char *name, const char *code, rt_text *out_ptx)
{
    const fixture_source sources[] = {{name, code}, {NULL, NULL}};
    fixture_make(f, RT_SPLIT_OFF, 1, sources);
    const rt_link_code image = {.spirv = f->images.images[0].code};
    return translate(f, &image, out_ptx);
}

static rt_text make(postlink_fixture *f, const char *name, const char *code)
{
    rt_text ptx;
    rt_status status = try(f, name, code, &ptx);
    if (!rt_ok(status)) fail_msg("%s", rt_sink_diagnostic(f->sink, status)->message.data);
    return ptx;
}

static bool holds(rt_text ptx, const char *text)
{
    return strstr(ptx.data, text) != NULL;
}

#define assert_holds(ptx, text)                                                                    \
    do {                                                                                           \
        if (!holds(ptx, text)) fail_msg("no '%s' in:\n%s", text, (ptx).data);                      \
    } while (0)
#define assert_lacks(ptx, text) assert_false(holds(ptx, text))

static void assert_says(postlink_fixture *f, rt_status status, const char *part)
{
    const char *message = rt_sink_diagnostic(f->sink, status)->message.data;
    if (!strstr(message, part)) fail_msg("'%s' does not say '%s'", message, part);
}

/* ---- Symbols and parameters ------------------------------------------------------------------ */

static void kernels_imports_and_exports_are_entries_and_symbols(void **state)
{
    rt_text ptx = make(*state, "A",
                       "int other(int x);\n"
                       "int mine(int x) { return other(x) + 1; }\n"
                       "kernel void k(global int *p, constant int *c, local int *l, float3 v) {\n"
                       "  l[0] = mine(c[1]); p[get_global_id(0)] = l[0] + (int)v.y; }\n");
    assert_holds(ptx, "//@kernel k pointer:8 pointer:8 local:4 value:16\n");
    assert_holds(ptx, ".visible .entry k(");
    assert_holds(ptx, ".extern .func  (.param .b32 func_retval0) other");
    assert_holds(ptx, ".visible .func  (.param .b32 func_retval0) mine(");
    assert_lacks(ptx, "get_global_id");
    assert_lacks(ptx, "ld.const");
}

/* The code of the last image, whose instructions the caller changes. */
static uint8_t *editable(postlink_fixture *f, rt_link_code *out_code)
{
    out_code->spirv = rt_arena_bytes(&f->arena, f->images.images[0].code);
    return (uint8_t *)(uintptr_t)out_code->spirv.data;
}

/* An import with the name of a builtin function stays an import: in SPIR-V, builtin functions are
 * instructions. Post-link refuses such names, so the name is changed in its SPIR-V. */
static void imports_with_names_of_builtins_stay_imports(void **state)
{
    postlink_fixture *f = *state;
    static const char first[] = "_Z4stopff", second[] = "_Z4stepff";
    rt_text ptx = make(f, "A.clcpp",
                       "float stop(float a, float b);\n"
                       "kernel void k(global float *p) { p[0] = stop(p[1], p[2]); }\n");
    assert_holds(ptx, ".extern .func  (.param .b32 func_retval0) _Z4stopff");
    rt_link_code code = {0};
    uint8_t *bytes = editable(f, &code);
    uint32_t changed = 0;
    for (uint8_t *at; (at = memmem(bytes, code.spirv.size, first, sizeof first)); changed++)
        memcpy(at, second, sizeof second);
    assert_true(changed >= 1);
    assert_true(rt_ok(translate(f, &code, &ptx)));
    assert_holds(ptx, ".extern .func  (.param .b32 func_retval0) _Z4stepff");
}

/* Changes the declaration `_Y...` into `_Z...`, which is not an import but an export without a
 * body, as no valid SPIR-V module has it: only its name says that it may be a builtin function. */
static rt_status translate_declaration(postlink_fixture *f, rt_text name)
{
    enum { OP_DECORATE = 71, LINKAGE = 41 };
    rt_text ptx, source = rt_arena_printf(&f->arena,
                                          "declare spir_func float @\"_Y%.*s\"(float)\n"
                                          "define spir_kernel void @k(float addrspace(1)* %%p) {\n"
                                          "  %%x = call spir_func float @\"_Y%.*s\"(float 1.0)\n"
                                          "  store float %%x, float addrspace(1)* %%p\n"
                                          "  ret void\n}\n",
                                          RT_TEXT_ARG(name), RT_TEXT_ARG(name));
    fixture_make(f, RT_SPLIT_OFF, 1, SOURCES({"A.ll", source.data}));
    rt_link_code code = {0};
    uint8_t *bytes = editable(f, &code);
    rt_spirv_walk walk = rt_spirv_walk_start(code.spirv);
    uint32_t changed = 0;
    for (rt_spirv_instruction at; rt_spirv_walk_next(&walk, &at);) {
        uint8_t *start = bytes + (at.bytes.data - code.spirv.data);
        uint8_t *prefix = memmem(start, at.bytes.size, "_Y", 2);
        if (prefix) prefix[1] = 'Z';
        if (at.opcode != OP_DECORATE || rt_spirv_word(&at, 2) != LINKAGE || !prefix) continue;
        memset(start + at.bytes.size - 4, 0, 4); /* Export */
        changed++;
    }
    assert_int_equal(changed, 1);
    return translate(f, &code, &ptx);
}

static void names_that_are_not_of_a_builtin_are_refused(void **state)
{
    postlink_fixture *f = *state;
    static const char *const parameters[] = {
        "PU3AS4", "PU3AS:f", "PU3",  "U9xf",  "U1x",   "Dv4",         "Dv4_", "Dv17_f", "D",
        "S_",     "S5_",     "PfSx", "PfS10", "9yzzy", "PPPPPPPPPPf", "#",    "P",      "PVK",
    };
    for (size_t i = 0; i < sizeof parameters / sizeof *parameters; i++) {
        rt_status status =
            translate_declaration(f, rt_arena_printf(&f->arena, "5fract%s", parameters[i]));
        if (rt_ok(status)) fail_msg("'%s' is accepted", parameters[i]);
        assert_says(f, status, "'fract' is a builtin function that neither PTX nor libclc");
    }
    assert_true(rt_ok(translate_declaration(f, RT_TEXT("4sqrtf"))));
}

/* Without a limit, the stack would overflow. */
static void names_with_deep_types_are_refused(void **state)
{
    postlink_fixture *f = *state;
    rt_buffer name = {0};
    rt_buffer_printf(&name, "5fract");
    for (uint32_t i = 0; i < 60000; i++)
        rt_buffer_printf(&name, "U1x");
    rt_status status = translate_declaration(f, rt_arena_text(&f->arena, rt_buffer_text(&name)));
    assert_int_equal(status.code, RT_UNSUPPORTED);
    rt_buffer_free(&name);
}

/* The declaration is as in the code of DPC++'s compiler. */
static void assert_becomes_a_call_of_nvidias_function(void **state)
{
    rt_text ptx =
        make(*state, "A.clcpp",
             "extern \"C\" void __devicelib_assert_fail(const char *expr, const char *file,"
             " int line, const char *function, ulong gx, ulong gy, ulong gz, ulong lx,"
             " ulong ly, ulong lz);\n"
             "kernel void k(global int *p, global char *text) {\n"
             "  if (p[0] != 3) __devicelib_assert_fail(text, text, 7, text, 0, 0, 0, 0, 0,"
             " 0);\n"
             "  p[0] = 4; }\n");
    assert_holds(ptx, ".extern .func __assertfail");
    assert_lacks(ptx, "__devicelib_assert_fail");
}

static void variables_are_in_global_memory(void **state)
{
    rt_text ptx = make(*state, "A",
                       "global int counter = 5;\n"
                       "constant int table[2] = {3, 4};\n"
                       "extern global int elsewhere;\n"
                       "kernel void k(global int *p)"
                       " { p[0] = counter++ + table[p[1] & 1] + elsewhere; }\n");
    assert_holds(ptx, ".global .align 4 .u32 counter = 5;");
    assert_holds(ptx, ".global .align 4 .b8 table[8] = {3, 0, 0, 0, 4");
    assert_holds(ptx, ".extern .global .align 4 .u32 elsewhere;");
    assert_lacks(ptx, ".const");
}

/* The addresses of members in an image without kernels are taken, so that NVIDIA's linker counts
 * their registers for the kernels of the program that call through pointers. */
static void members_in_images_without_kernels_have_their_addresses_taken(void **state)
{
    static const char member[] = "namespace n { int mine(int x) { return x + 1; } }\n";
    char code[256];
    rt_text ptx = make(*state, "A.clcpp", member);
    assert_holds(ptx,
                 ".weak .global .align 8 .u64 __assay_address_of__ZN1n4mineEi = _ZN1n4mineEi;");
    snprintf(code, sizeof code, "%skernel void k(global int *p) { p[0] = n::mine(p[1]); }\n",
             member);
    assert_lacks(make(*state, "A.clcpp", code), "__assay_address_of");
    assert_lacks(make(*state, "A", "int mine(int x) { return x + 1; }\n"), "__assay_address_of");
}

/* Such a member is called by an entry if it calls functions itself, so that NVIDIA's linker keeps
 * these in a program whose kernels do not call the member. */
static void members_in_images_without_kernels_have_callers(void **state)
{
    rt_text ptx = make(*state, "A.clcpp",
                       "int other(int x) __attribute__((const));\n"
                       "namespace n { int calls(int x) { return other(x); }\n"
                       "              int calls_none(int x) { return x; } }\n");
    assert_holds(ptx, ".weak .entry __assay_caller_of__ZN1n5callsEi()");
    const char *body = strstr(ptx.data, ".weak .entry ");
    assert_non_null(strstr(body, "call.uni (retval0), \n\t_ZN1n5callsEi, "));
    assert_lacks(ptx, "__assay_caller_of__ZN1n10calls_none");
    assert_lacks(ptx, "//@kernel");
}

/* A static variable has the name by which the host finds it, its unique id. */
static void device_globals_have_the_hosts_names(void **state)
{
    rt_text ptx = make(*state, "A.ll",
                       "@state = internal addrspace(1) global i32 0, align 4 #0\n"
                       "define spir_kernel void @k(i32 addrspace(1)* %p) {\n"
                       "  %v = load i32, i32 addrspace(1)* @state\n"
                       "  store i32 %v, i32 addrspace(1)* %p\n"
                       "  store i32 1, i32 addrspace(1)* @state\n"
                       "  ret void\n"
                       "}\n"
                       "attributes #0 = { \"sycl-unique-id\"=\"id.1\" "
                       "\"sycl-device-global-size\"=\"4\" }\n");
    assert_holds(ptx, ".weak .global .align 4 .u32 id_$2e1;");
    /* Code of other compilers exports no such variable, and has another name for it. */
    postlink_fixture *f = *state;
    enum { OP_NAME = 5, OP_DECORATE = 71, LINKAGE = 41 };
    static const uint32_t nop = 1 << 16;
    rt_link_code code = {0};
    uint8_t *bytes = editable(f, &code);
    rt_spirv_walk walk = rt_spirv_walk_start(code.spirv);
    uint32_t changed = 0;
    for (rt_spirv_instruction at; rt_spirv_walk_next(&walk, &at);) {
        uint8_t *start = bytes + (at.bytes.data - code.spirv.data);
        bool exports = at.opcode == OP_DECORATE && rt_spirv_word(&at, 2) == LINKAGE &&
                       rt_text_is(rt_spirv_text(&at, 3), "id.1");
        bool names = at.opcode == OP_NAME && rt_text_is(rt_spirv_text(&at, 2), "id.1");
        if (names) memcpy(start + 8, "mine", 4);
        for (size_t i = 0; exports && i < at.bytes.size; i += sizeof nop)
            memcpy(start + i, &nop, sizeof nop);
        changed += names + exports;
    }
    assert_int_equal(changed, 2);
    assert_true(rt_ok(translate(f, &code, &ptx)));
    assert_holds(ptx, ".weak .global .align 4 .u32 id_$2e1;");
    assert_lacks(ptx, "mine");
}

/* A null pointer of another address space in the initial value of a variable. */
static void null_pointers_have_an_initial_value(void **state)
{
    rt_text ptx = make(*state, "A.ll",
                       "@box = addrspace(1) global i32 addrspace(4)* addrspacecast "
                       "(i32 addrspace(1)* null to i32 addrspace(4)*), align 8\n"
                       "define spir_kernel void @k(i32 addrspace(4)* addrspace(1)* %p) {\n"
                       "  %v = load i32 addrspace(4)*, i32 addrspace(4)* addrspace(1)* @box\n"
                       "  store i32 addrspace(4)* %v, i32 addrspace(4)* addrspace(1)* %p\n"
                       "  ret void\n"
                       "}\n");
    assert_holds(ptx, ".global .align 8 .u64 box");
}

/* A private, a local and a global pointer become generic; a private one without an instruction. */
static void generic_pointers_are_plain_addresses(void **state)
{
    rt_text ptx = make(*state, "A.clcpp",
                       NOINLINE "int sum(int *a, int *b) { return *a + *b; }\n"
                                "kernel void k(global int *p, local int *l) {\n"
                                "  int mine[2] = {p[2], p[3]};\n"
                                "  p[0] = sum(p + 1, l) + sum(mine, mine + p[4]);\n"
                                "}\n");
    assert_holds(ptx, "cvta.global.u64");
    assert_holds(ptx, "cvta.shared.u64");
    assert_holds(ptx, ".entry k(");
}

/* ---- Builtin functions ----------------------------------------------------------------------- */

/* Each body calls one function; `text` is among the instructions with which PTX implements it, as
 * in PTX from source: orders and scopes survive SPIR-V. */
static void functions_become_instructions(void **state)
{
    postlink_fixture *f = *state;
    static const struct {
        const char *body, *text;
    } rows[] = {
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
        {"int e = 3; i[0] = atomic_compare_exchange_strong(a, &e, 4);", "atom.relaxed.gpu.cas.b32"},
        {"atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_seq_cst, memory_scope_device);",
         "fence.sc.gpu;"},
        {"l[0] = atom_max(l + 1, l[2]);", ".max.s64"},
        {"i[0] = work_group_all(i[1]);", "bar.red.and.pred"},
        {"i[0] = work_group_broadcast(i[1], 2);", "bar.sync"},
        {"work_group_barrier(CLK_GLOBAL_MEM_FENCE, memory_scope_device);", "fence.acq_rel.gpu;"},
        {"h[0] = fma(h[1], h[2], h[3]);", "fma.rn.f16"},
        {"l[0] = rotate(l[1], l[2]);", ", 63;"},
        {"i[0] = (int)get_global_offset(1);", "[k_param_5+8]"},
        {"r[0] = fract(r[1], r + 2);", "cvt.rmi.f32.f32"},
        {"r[0] = vload4(1, r).y;", "ld.global."},
        {"printf(\"%d\\n\", i[0]);", "vprintf"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char code[512];
        snprintf(code, sizeof code,
                 "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
                 "kernel void k(global atomic_int *a, global int *i, global long *l,"
                 " global half *h, global float *r) { %s }\n",
                 rows[i].body);
        rt_text ptx = make(f, "A", code);
        if (!holds(ptx, rows[i].text))
            fail_msg("'%s' has no '%s':\n%s", rows[i].body, rows[i].text, ptx.data);
    }
}

/* After the barrier, a work-item reads a value that another one wrote. */
static void values_are_reloaded_after_a_barrier(void **state)
{
    rt_text ptx = make(*state, "A",
                       "kernel void k(global int *p) {\n"
                       "  local int total;\n"
                       "  if (get_local_id(0) == 0) total = p[0];\n"
                       "  barrier(CLK_LOCAL_MEM_FENCE);\n"
                       "  p[get_global_id(0)] = total;\n"
                       "}\n");
    const char *barrier = strstr(ptx.data, "bar.sync");
    assert_non_null(barrier);
    assert_non_null(strstr(barrier, "ld.shared.u32"));
}

static void builtins_without_a_body_are_refused(void **state)
{
    postlink_fixture *f = *state;
    rt_text ptx;
    rt_status status = try(f, "A",
                           "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
                           "kernel void k(global half *p)"
                           " { p[0] = dot(vload2(0, p), vload2(1, p)); }\n",
                           &ptx);
    assert_int_equal(status.code, RT_UNSUPPORTED);
    assert_says(f, status, "'dot' is a builtin function that neither PTX nor libclc");
}

/* ---- Specialisation -------------------------------------------------------------------------- */

static void constants_have_the_values_given(void **state)
{
    postlink_fixture *f = *state;
    rt_text ptx = make(f, "A",
                       "SPEC_CONSTANT(int, factor, 4321);\n"
                       "kernel void k(global int *p) { p[0] = factor; }\n");
    assert_holds(ptx, "4321;");
    const uint8_t value[4] = {0xd2, 0x04}; /* 1234 */
    const rt_link_constant constant = {.id = 0, .value = {value, sizeof value}};
    const rt_link_code code = {f->images.images[0].code, &constant, 1};
    assert_true(rt_ok(translate(f, &code, &ptx)));
    assert_holds(ptx, "1234;");
    assert_lacks(ptx, "4321;");
    const rt_link_constant odd = {.id = 0, .value = {value, 3}};
    const rt_link_code wrong = {f->images.images[0].code, &odd, 1};
    assert_int_equal(translate(f, &wrong, &ptx).code, RT_MALFORMED);
}

static void what_is_not_spirv_is_malformed(void **state)
{
    postlink_fixture *f = *state;
    rt_text ptx;
    static const uint32_t words[] = {0x07230203, 0x00010000, 0, 1, 0, 0x00030011};
    const rt_link_code cut = {.spirv = {(const uint8_t *)words, sizeof words}};
    assert_int_equal(translate(f, &cut, &ptx).code, RT_MALFORMED);
    const rt_link_code text = {.spirv = {(const uint8_t *)".version 6.4", 12}};
    assert_int_equal(translate(f, &text, &ptx).code, RT_MALFORMED);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_open, fixture_close)

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        TEST(kernels_imports_and_exports_are_entries_and_symbols),
        TEST(imports_with_names_of_builtins_stay_imports),
        TEST(names_that_are_not_of_a_builtin_are_refused),
        TEST(names_with_deep_types_are_refused),
        TEST(assert_becomes_a_call_of_nvidias_function),
        TEST(variables_are_in_global_memory),
        TEST(members_in_images_without_kernels_have_their_addresses_taken),
        TEST(members_in_images_without_kernels_have_callers),
        TEST(device_globals_have_the_hosts_names),
        TEST(null_pointers_have_an_initial_value),
        TEST(generic_pointers_are_plain_addresses),
        TEST(functions_become_instructions),
        TEST(values_are_reloaded_after_a_barrier),
        TEST(builtins_without_a_body_are_refused),
        TEST(constants_have_the_values_given),
        TEST(what_is_not_spirv_is_malformed),
    };
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
