/* Tests the repair of LLVM IR: the two instructions that clang 14 gets wrong for virtual base
 * classes, the annotations that clang 19 gets wrong, and what must not change. */
#include "conformance/build/ir_repair.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void assert_repaired(const char *module, const char *expected)
{
    rt_buffer repaired = {0};
    cnf_ir_repair(rt_text_of(module), &repaired);
    assert_string_equal(rt_buffer_string(&repaired), expected);
    rt_buffer_free(&repaired);
}

static void both_uses_of_the_table_get_a_cast(void **state)
{
    (void)state;
    assert_repaired("  %7 = load i8*, i8 addrspace(4)** %vtt2, align 8, !dbg !9\n"
                    "  %8 = getelementptr inbounds i8*, i8 addrspace(4)** %vtt2, i64 1\n"
                    "  %9 = load i8*, i8** %8, align 8\n",
                    "  %assay.vtt.0 = bitcast i8 addrspace(4)** %vtt2 to i8**\n"
                    "  %7 = load i8*, i8** %assay.vtt.0, align 8, !dbg !9\n"
                    "  %assay.vtt.1 = bitcast i8 addrspace(4)** %vtt2 to i8**\n"
                    "  %8 = getelementptr inbounds i8*, i8** %assay.vtt.1, i64 1\n"
                    "  %9 = load i8*, i8** %8, align 8\n");
}

#define ROW(last)                                                                                  \
    "{ ptr addrspace(1), ptr addrspace(2), ptr addrspace(2), i32, ptr addrspace(" last ") }"
#define WITH_ARGUMENTS                                                                             \
    "{ ptr addrspace(1) @v, ptr addrspace(2) @.str, ptr addrspace(2) @.str.1, i32 1, "             \
    "ptr addrspace(1) @.args }"
#define WITHOUT(last)                                                                              \
    "{ ptr addrspace(1) @f, ptr addrspace(2) @.str, ptr addrspace(2) @.str.1, i32 4, "             \
    "ptr addrspace(" last ") null }"
#define ANNOTATIONS(type, first, second)                                                           \
    "@a = global i32 0\n@llvm.global.annotations = appending addrspace(1) global [2 x " ROW(       \
        type) "] [" ROW(type) " " first ", " ROW(type) " " second "], section \"llvm.metadata\"\n"

/* Whichever row is the first, its type is the one that is printed. */
static void annotations_get_one_type(void **state)
{
    (void)state;
    assert_repaired(ANNOTATIONS("1", WITH_ARGUMENTS, WITHOUT("2")),
                    ANNOTATIONS("1", WITH_ARGUMENTS, WITHOUT("1")));
    assert_repaired(ANNOTATIONS("2", WITHOUT("2"), WITH_ARGUMENTS),
                    ANNOTATIONS("1", WITHOUT("1"), WITH_ARGUMENTS));
}

/* The types of the two instructions match; the constant is not an instruction; no annotation has
 * arguments; the last line is incomplete. */
static void everything_else_stays(void **state)
{
    (void)state;
    static const char *const modules[] = {
        "",
        "  %5 = load i8 addrspace(4)*, i8 addrspace(4)** %vtt.addr, align 8\n",
        "  %5 = getelementptr inbounds i8 addrspace(4)*, i8 addrspace(4)** %a, i64 1\n",
        "@s = constant [9 x i8] c\"  %5 = load i8*, i8 addrspace(4)** %x\"\n",
        ANNOTATIONS("2", WITHOUT("2"), WITHOUT("2")),
        "  store i8 addrspace(4)** %1, i8 addrspace(4)*** %4, align 8\n  %7 = load i8*, i8",
    };
    for (size_t i = 0; i < sizeof modules / sizeof *modules; i++)
        assert_repaired(modules[i], modules[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_uses_of_the_table_get_a_cast),
        cmocka_unit_test(annotations_get_one_type),
        cmocka_unit_test(everything_else_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
