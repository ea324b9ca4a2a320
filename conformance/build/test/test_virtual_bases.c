/* Tests the repair of LLVM IR for virtual base classes: the two instructions that clang 14 gets
 * wrong, and what must not change. */
#include "conformance/build/virtual_bases.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void assert_mended(const char *module, const char *expected)
{
    rt_buffer mended = {0};
    cnf_virtual_bases_mend(rt_text_of(module), &mended);
    assert_string_equal(rt_buffer_string(&mended), expected);
    rt_buffer_free(&mended);
}

static void both_uses_of_the_table_get_a_cast(void **state)
{
    (void)state;
    assert_mended("  %7 = load i8*, i8 addrspace(4)** %vtt2, align 8, !dbg !9\n"
                  "  %8 = getelementptr inbounds i8*, i8 addrspace(4)** %vtt2, i64 1\n"
                  "  %9 = load i8*, i8** %8, align 8\n",
                  "  %assay.vtt.0 = bitcast i8 addrspace(4)** %vtt2 to i8**\n"
                  "  %7 = load i8*, i8** %assay.vtt.0, align 8, !dbg !9\n"
                  "  %assay.vtt.1 = bitcast i8 addrspace(4)** %vtt2 to i8**\n"
                  "  %8 = getelementptr inbounds i8*, i8** %assay.vtt.1, i64 1\n"
                  "  %9 = load i8*, i8** %8, align 8\n");
}

/* The types of the two instructions match; the constant is not an instruction; the last line is
 * incomplete. */
static void everything_else_stays(void **state)
{
    (void)state;
    static const char *const modules[] = {
        "",
        "  %5 = load i8 addrspace(4)*, i8 addrspace(4)** %vtt.addr, align 8\n",
        "  %5 = getelementptr inbounds i8 addrspace(4)*, i8 addrspace(4)** %a, i64 1\n",
        "@s = constant [9 x i8] c\"  %5 = load i8*, i8 addrspace(4)** %x\"\n",
        "  store i8 addrspace(4)** %1, i8 addrspace(4)*** %4, align 8\n  %7 = load i8*, i8",
    };
    for (size_t i = 0; i < sizeof modules / sizeof *modules; i++)
        assert_mended(modules[i], modules[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_uses_of_the_table_get_a_cast),
        cmocka_unit_test(everything_else_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
