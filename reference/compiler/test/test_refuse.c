/* Tests of code that post-link rejects because SPIR-V or its writer lacks a feature: post-link
 * reports the name, and the line if the source has line information, and the process never dies. */
#include "reference/compiler/test/postlink_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

typedef struct refusal_row {
    const char *file; /* ".ll": LLVM IR */
    const char *code;
    const char *names;   /* the names that the diagnostic lists */
    const char *message; /* part of the diagnostic's message */
} refusal_row;

static void refuse_all(postlink_fixture *fixture, const refusal_row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const fixture_source sources[] = {{rows[i].file, rows[i].code}, {NULL, NULL}};
        rt_status status = fixture_postlink(fixture, RT_SPLIT_OFF, sources);
        assert_refused(fixture, status, RT_POSTLINK_ERROR, rows[i].names);
        rt_text message = rt_sink_diagnostic(fixture->sink, status)->message;
        if (!memmem(message.data, message.length, rows[i].message, strlen(rows[i].message)))
            fail_msg("'%s' is not in: %.*s", rows[i].message, RT_TEXT_ARG(message));
    }
}

static void make(postlink_fixture *fixture, const char *file, const char *code)
{
    const fixture_source sources[] = {{file, code}, {NULL, NULL}};
    fixture_make(fixture, RT_SPLIT_OFF, 1, sources);
}

#define COUNT(rows)  (sizeof(rows) / sizeof *(rows))
#define KERNEL(type) TARGET "define spir_kernel void @K(" type " addrspace(1)* %p) {\n"
#define LOADED(type) KERNEL(type) " %x = load " type ", " type " addrspace(1)* %p\n"
#define STORED(type) " store " type " %r, " type " addrspace(1)* %p\n ret void\n}\n"

static void unsupported_features_of_sources(void **state)
{
    static const refusal_row rows[] = {
        {"A", "int f(int x) { return x; }\nint g(int x) __attribute__((alias(\"f\")));", "g",
         "source A, line 1: 'g' is an alias"},
        {"A", "\n\n__attribute__((constructor)) void f(void) {}", "llvm.global_ctors", ", line 3:"},
        {"A", "int f(int x) {\n  __asm__ volatile(\"hlt\");\n  return x; }", "f", ", line 2: 'f'"},
        {"A",
         "\nint f(int) __attribute__((weak));\n"
         "kernel void K(global int *p) { p[0] = f(1); }",
         "f", "'f' is declared weak"},
        {"A.ll", TARGET "define internal spir_kernel void @K() {\n ret void\n}\n", "K",
         "is a kernel with internal linkage"},
        {"A", "int gr\u00f6\u00dfe(int x) { return x; }",
         "gr\xc3\xb6\xc3\x9f"
         "e",
         "characters beyond ASCII"},
        {"A.ll", TARGET "@v = thread_local addrspace(1) global i32 3\n", "v",
         "thread-local variable"},
        {"A.ll", TARGET "define spir_func i32 @f(i32 %x, ...) {\n ret i32 %x\n}\n", "f",
         "variable arguments"},
        {"A.ll",
         TARGET "declare spir_func void @f()\ndeclare i32 @handler(...)\n"
                "define spir_func void @g() personality i32 (...)* @handler {\n"
                " invoke spir_func void @f() to label %fine unwind label %bad\nfine:\n ret void\n"
                "bad:\n %l = landingpad { i8*, i32 } cleanup\n resume { i8*, i32 } %l\n}\n",
         "handler", "variable arguments"},
        {"A.ll",
         TARGET "declare spir_func void @f()\ndeclare i32 @handler()\n"
                "define spir_func void @g() personality i32 ()* @handler {\n"
                " invoke spir_func void @f() to label %fine unwind label %bad\nfine:\n ret void\n"
                "bad:\n %l = landingpad { i8*, i32 } cleanup\n resume { i8*, i32 } %l\n}\n",
         "g", "'g' handles exceptions"},
        {"A.ll",
         TARGET "define spir_func i32 @f(i8* %a) {\n indirectbr i8* %a, [label %one]\none:\n"
                " ret i32 1\n}\n",
         "f", "address of a label"},
        {"A.ll",
         TARGET "@llvm.global.annotations = appending global [1 x { i32 }] [{ i32 } { i32 7 }], "
                "section \"llvm.metadata\"\n",
         "", "an entry of 'llvm.global.annotations'"},
    };
    refuse_all(*state, rows, COUNT(rows));
    /* Twins: a weak definition, printf's variable arguments, and a clang annotation that post-link
     * ignores. */
    make(*state, "A", "__attribute__((weak)) int f(int x) { return x; }");
    assert_exports(*state, 0, "f");
    make(*state, "A", "kernel void K(global int *p) { printf(\"%d\", p[0]); }");
    make(*state, "A", "__attribute__((annotate(\"note\"))) int f(int x) { return x; }");
}

#define NODE "struct node { global struct node *next; int value; };\n"

static void cyclic_initial_values(void **state)
{
    static const refusal_row rows[] = {
        {"A", NODE "global struct node v = {&v, 1};", "v", "initial value of 'v' leads back to it"},
        {"A",
         NODE "extern global struct node w;\nglobal struct node v = {&w, 1};\n"
              "global struct node w = {&v, 2};",
         "w", "initial value of 'w' leads back to it"},
        {"A.ll",
         TARGET "@v = addrspace(1) global i64 add (i64 ptrtoint (i64 addrspace(1)* @v to i64), "
                "i64 8)\n",
         "v", "initial value of 'v' leads back to it"},
    };
    refuse_all(*state, rows, COUNT(rows));
    /* Twin: a variable that two others point to, one before and one after. */
    make(*state, "A",
         "global int end = 3;\nglobal int *global v = &end;\nglobal int *global w = &end;");
    assert_exports(*state, 0, "end v w");
}

static void types_that_spirv_lacks(void **state)
{
    static const refusal_row rows[] = {
        {"A.ll", LOADED("i37") " %r = mul i37 %x, 5\n" STORED("i37"), "K", "an integer of 37 bits"},
        {"A.ll", LOADED("fp128") " %r = fadd fp128 %x, %x\n" STORED("fp128"), "K",
         "more than 64 bits"},
        {"A.ll", LOADED("bfloat") " %r = fadd bfloat %x, %x\n" STORED("bfloat"), "K", "bfloat"},
        {"A.ll", LOADED("<7 x i32>") " %r = add <7 x i32> %x, %x\n" STORED("<7 x i32>"), "K",
         "a vector of 7 components"},
        {"A.ll",
         TARGET "define spir_func i32 @f(i32 addrspace(9)* %p) {\n"
                " %x = load i32, i32 addrspace(9)* %p\n ret i32 %x\n}\n",
         "f", "address space 9"},
        {"A.ll",
         TARGET "define spir_func i32 @f(<4 x i32*> %p) {\n"
                " %q = extractelement <4 x i32*> %p, i32 1\n"
                " %x = load i32, i32* %q\n ret i32 %x\n}\n",
         "f", "a vector of pointers"},
        {"A.ll",
         TARGET "@v = addrspace(1) global i3 1\ndefine spir_func i3 addrspace(1)* @f() {\n"
                " ret i3 addrspace(1)* @v\n}\n",
         "v", "an integer of 3 bits"},
        {"A.ll",
         TARGET "@v = addrspace(1) global i32 0\n@w = addrspace(1) global i32 addrspace(1)* "
                "inttoptr (i5 ptrtoint (i32 addrspace(1)* @v to i5) to i32 addrspace(1)*)\n",
         "w", "an integer of 5 bits"},
        {"A",
         "\ntypedef int seven __attribute__((ext_vector_type(7)));\n"
         "seven f(seven x) {\n  return x + 1; }",
         "f", ":3: 'f' needs a vector of 7"},
    };
    refuse_all(*state, rows, COUNT(rows));
    /* Twins: a type that the passes remove, one that is lowered in a function that no pass changes,
     * and a struct that points to itself. */
    make(*state, "A.ll",
         LOADED("i32") " %y = zext i32 %x to i128\n %z = mul i128 %y, 5\n"
                       " %r = trunc i128 %z to i32\n" STORED("i32"));
    make(*state, "A.ll",
         TARGET "define spir_func i32 @f(i32 %x) noinline optnone {\n"
                "entry:\n %first = trunc i32 %x to i3\n br label %loop\n"
                "loop:\n %j = phi i3 [ %first, %entry ], [ %next, %loop ]\n"
                " %next = add i3 %j, 1\n %again = icmp ne i3 %next, 0\n"
                " br i1 %again, label %loop, label %end\n"
                "end:\n %r = zext i3 %j to i32\n ret i32 %r\n}\n");
    make(*state, "A",
         "struct node { global struct node *next; int value; };\n"
         "int f(global struct node *n) { return n->next->value; }");
}

#define REVERSED(name, type)                                                                       \
    LOADED(type)                                                                                   \
    " %r = call " type " @llvm." name "(" type " %x)\n" STORED(type) "declare " type               \
                                                                     " @llvm." name "(" type ")\n"
#define SATURATED(name, type)                                                                      \
    LOADED(type)                                                                                   \
    " %r = call " type " @llvm." name "(" type " %x, " type                                        \
    " 5)\n" STORED(type) "declare " type " @llvm." name "(" type ", " type ")\n"
static void intrinsics_that_are_not_lowered(void **state)
{
    static const refusal_row rows[] = {
        {"A.ll", REVERSED("bswap.i48", "i48"), "K", "an integer of 48 bits"},
        {"A.ll", REVERSED("bitreverse.i24", "i24"), "K", "an integer of 24 bits"},
        {"A.ll", REVERSED("bitreverse.i4", "i4"), "K", "an integer of 4 bits"},
        {"A.ll", REVERSED("bswap.v32i32", "<32 x i32>"), "K", "a vector of 32 components"},
        {"A.ll", SATURATED("uadd.sat.i128", "i128"), "K", "an integer of 128 bits"},
        {"A.ll",
         LOADED("i32") " %y = trunc i32 %x to i24\n %c = lshr i24 %y, 3\n"
                       " %z = call i24 @llvm.fshl.i24(i24 %y, i24 5, i24 %c)\n"
                       " %r = zext i24 %z to i32\n" STORED(
                           "i32") "declare i24 @llvm.fshl.i24(i24, i24, i24)\n",
         "K", "an integer of 24 bits"},
        {"A.ll",
         TARGET "define spir_func i1 @f(i1 %a, i1 %b) {\n"
                " %r = call i1 @llvm.uadd.sat.i1(i1 %a, i1 %b)\n ret i1 %r\n}\n"
                "declare i1 @llvm.uadd.sat.i1(i1, i1)\n",
         "f", "calls 'llvm.uadd.sat.i1'"},
    };
    refuse_all(*state, rows, COUNT(rows));
    /* Twins: a byte reversal of part of a word, and an intrinsic on integers of a width that SPIR-V
     * has. */
    make(*state, "A.ll",
         LOADED("i64") " %y = trunc i64 %x to i48\n %z = call i48 @llvm.bswap.i48(i48 %y)\n"
                       " %r = zext i48 %z to i64\n" STORED(
                           "i64") "declare i48 @llvm.bswap.i48(i48)\n");
    make(*state, "A.ll", REVERSED("bitreverse.i16", "i16"));
}

static void operations_that_the_writer_lacks(void **state)
{
    static const refusal_row rows[] = {
        {"A.ll",
         LOADED("float") " %r = atomicrmw fadd float addrspace(1)* %p, float %x seq_cst\n" STORED(
             "float"),
         "K", "atomic operation"},
        {"A.ll",
         KERNEL("i64") " %r = call i64 @llvm.readcyclecounter()\n" STORED(
             "i64") "declare i64 @llvm.readcyclecounter()\n",
         "K", "calls 'llvm.readcyclecounter'"},
        {"A.ll",
         LOADED("i32") " %a = alloca i32, i32 %x\n %b = getelementptr i32, i32* %a, i32 %x\n"
                       " store volatile i32 %x, i32* %b\n %r = load volatile i32, i32* %a\n" STORED(
                           "i32"),
         "K", "private array"},
        {"A", "\n\nvoid f(global char *p, ulong n) {\n  __builtin_memset(p, 0, n); }", "f",
         ":4: 'f' fills memory"},
        {"A.ll",
         TARGET "define spir_func {i32, i32} @f(i1 %c, {i32, i32} %a, {i32, i32} %b) {\n"
                " %r = select i1 %c, {i32, i32} %a, {i32, i32} %b\n ret {i32, i32} %r\n}\n",
         "f", "selects between structs"},
        {"A.ll",
         KERNEL("i32") " call spir_func void @_Z14read_mem_fencev()\n %r = add i32 0, 1\n" STORED(
             "i32") "declare spir_func void @_Z14read_mem_fencev()\n",
         "_Z14read_mem_fencev",
         "is declared with 0 parameters, but no overload of OpenCL C's builtin function "
         "'read_mem_fence' has so many"},
        {"A.ll",
         LOADED("i32") " %r = call spir_func i32 @_Z3maxi(i32 %x)\n" STORED(
             "i32") "declare spir_func i32 @_Z3maxi(i32)\n",
         "_Z3maxi", "is declared with 1 parameter, but"},
    };
    refuse_all(*state, rows, COUNT(rows));
    /* Twins: atomics that SPIR-V has, a constant length, a compile-time query, builtin functions as
     * OpenCL C declares them, and a function of such a name that the source defines. */
    make(*state, "A.ll",
         LOADED("i32") " %r = atomicrmw umax i32 addrspace(1)* %p, i32 %x seq_cst\n" STORED("i32"));
    make(*state, "A", "void f(global char *p) { __builtin_memset(p, 0, 64); }");
    make(*state, "A", "int f(int x) { return __builtin_constant_p(x) ? 1 : x; }");
    make(*state, "A", "void f(global int *p) { barrier(1); p[0] = max(p[0], 5); }");
    make(*state, "A.ll",
         LOADED("i32") " %r = call spir_func i32 @_Z3maxi(i32 %x)\n" STORED(
             "i32") "define spir_func i32 @_Z3maxi(i32 %x) noinline { ret i32 %x }\n");
}

/* Assembly that jumps has another form since LLVM 15. */
static void assembly_that_jumps(void **state)
{
#define JUMPS(operand)                                                                             \
    TARGET "define spir_func void @f() {\n callbr void asm sideeffect \"jmp ${0:l}\", " operand    \
           " to label %here [label %there]\nhere:\n ret void\nthere:\n ret void\n}\n"
    const char *code = strcmp(ASSAY_LLVM_VERSION, "14") == 0
                           ? JUMPS("\"X\"(i8* blockaddress(@f, %there))")
                           : JUMPS("\"!i\"()");
#undef JUMPS
    const refusal_row row = {"A.ll", code, "f", "'f' contains inline assembly"};
    refuse_all(*state, &row, 1);
}

int main(int argc, char **argv)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_open, fixture_close)
    const struct CMUnitTest tests[] = {
        TEST(unsupported_features_of_sources),  TEST(cyclic_initial_values),
        TEST(types_that_spirv_lacks),           TEST(intrinsics_that_are_not_lowered),
        TEST(operations_that_the_writer_lacks), TEST(assembly_that_jumps),
    };
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
