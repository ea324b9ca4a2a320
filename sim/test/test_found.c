/* Regressions found by fuzzing: modules that made an earlier version panic or run forever.  Each is
 * now refused with a message that names the cause, or runs to completion. */
#include "sim/test/harness.h"

#define TYPES                                                                                      \
    "%void = OpTypeVoid\n"                                                                         \
    "%uint = OpTypeInt 32 0\n"                                                                     \
    "%long = OpTypeInt 64 0\n"                                                                     \
    "%plain = OpTypeFunction %void\n"
#define EMPTY_KERNEL                                                                               \
    "%k = OpFunction %void None %plain\n"                                                          \
    "%b = OpLabel\n"                                                                               \
    "OpReturn\n"                                                                                   \
    "OpFunctionEnd\n"

static void the_largest_specialisation_number_is_refused(void **state)
{
    (void)state;
    sim_test_refused(SIM_TEST_PRELUDE "OpDecorate %c SpecId 4294967295\n" TYPES
                                      "%c = OpSpecConstant %uint 1\n",
                     RT_LIMIT, "SpecId 4294967295 is larger than the limit");
}

static void modes_with_ids_and_literals_differ(void **state)
{
    (void)state;
    sim_test_refused(SIM_TEST_PRELUDE
                     "OpEntryPoint Kernel %k \"k\"\n"
                     "OpExecutionModeId %k LocalSize 1000000 1 1\n" TYPES EMPTY_KERNEL,
                     RT_MALFORMED, "LocalSize takes no ids and requires OpExecutionMode");
    sim_test_refused(SIM_TEST_PRELUDE "OpEntryPoint Kernel %k \"k\"\n"
                                      "OpExecutionMode %k LocalSizeId %c %c %c\n" TYPES
                                      "%c = OpConstant %uint 1\n" EMPTY_KERNEL,
                     RT_MALFORMED, "LocalSizeId takes ids and requires OpExecutionModeId");
}

/* The valid counterparts of the wrong forms. */
static void a_required_size_comes_from_literals_or_constants(void **state)
{
    (void)state;
    harness h =
        harness_text(SIM_TEST_PRELUDE
                     "OpEntryPoint Kernel %k \"k\"\n"
                     "OpEntryPoint Kernel %l \"l\"\n"
                     "OpExecutionModeId %k LocalSizeId %c4 %c2 %c1\n"
                     "OpExecutionMode %l LocalSize 2 1 1\n" TYPES "%c1 = OpConstant %uint 1\n"
                     "%c2 = OpConstant %uint 2\n"
                     "%c4 = OpConstant %uint 4\n" EMPTY_KERNEL "%l = OpFunction %void None %plain\n"
                     "%lb = OpLabel\n"
                     "OpReturn\n"
                     "OpFunctionEnd\n");
    sim_range range = {.global = {8, 2, 1}, .local = {4, 2, 1}, .dimensions = 2};
    harness_run(&h, "k", range, NULL, 0);
    harness_run(&h, "l", harness_range(4, 2), NULL, 0);
    harness_try(&h, "l", harness_range(4, 4), NULL, 0);
    assert_int_equal(h.status.code, RT_ERRC_ND_RANGE);
    /* It is the local size of the launch: where groups need not be uniform, the last may be smaller
     * (OpenCL C, "Optional Attribute Qualifiers"; OpenCL-CTS launches such kernels). */
    sim_range uneven = {
        .global = {5, 1, 1}, .local = {2, 1, 1}, .dimensions = 1, .is_non_uniform = true};
    harness_run(&h, "l", uneven, NULL, 0);
    uneven.local[0] = 3;
    harness_try(&h, "l", uneven, NULL, 0);
    assert_int_equal(h.status.code, RT_ERRC_ND_RANGE);
    harness_try(&h, "l", (sim_range){{4, 2, 1}, {2, 2, 1}, .dimensions = 2}, NULL, 0);
    assert_int_equal(h.status.code, RT_ERRC_ND_RANGE);
    assert_non_null(strstr(rt_sink_diagnostic(h.sink, h.status)->message.data,
                           "requires local size 1 in dimension 1, not 2"));
    harness_close(&h);
}

/* What local arguments need together is limited, however large each of them is. */
static void local_arguments_are_limited(void **state)
{
    (void)state;
    static const uint64_t most = SIM_LOCAL_SIZE_MAX, huge = UINT64_MAX / 2;
    static const struct {
        uint64_t first, second;
        rt_code code;
    } cases[] = {
        {64, most - 64, RT_OK},     {most - 64, 64, RT_OK},     {most - 64, 65, RT_LIMIT},
        {1, most - 64, RT_OK},      {1, most - 63, RT_LIMIT},   {most + 1, 64, RT_LIMIT},
        {huge, 64, RT_LIMIT},       {64, huge, RT_LIMIT},       {huge, huge, RT_LIMIT},
        {64, UINT64_MAX, RT_LIMIT}, {huge, huge + 2, RT_LIMIT}, {64, huge - 64, RT_LIMIT},
    };
    harness h = harness_text(SIM_TEST_PRELUDE "OpEntryPoint Kernel %k \"k\"\n" TYPES
                                              "%ptr = OpTypePointer Workgroup %uint\n"
                                              "%fn = OpTypeFunction %void %ptr %ptr\n"
                                              "%k = OpFunction %void None %fn\n"
                                              "%a = OpFunctionParameter %ptr\n"
                                              "%c = OpFunctionParameter %ptr\n"
                                              "%b = OpLabel\n"
                                              "OpReturn\n"
                                              "OpFunctionEnd\n");
    for (uint32_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const sim_argument arguments[] = {harness_local(cases[i].first),
                                          harness_local(cases[i].second)};
        harness_try(&h, "k", harness_range(1, 1), arguments, 2);
        if (h.status.code != cases[i].code) fail_msg("%u: %s", i, rt_code_name(h.status.code));
    }
    harness_close(&h);
}

/* The size of a copy is bounded by the memories, not by the instruction budget. */
static void an_endless_copy_ends(void **state)
{
    (void)state;
    harness h = harness_text(SIM_TEST_PRELUDE "OpEntryPoint Kernel %k \"k\"\n" TYPES
                                              "%char = OpTypeInt 8 0\n"
                                              "%ptr = OpTypePointer CrossWorkgroup %char\n"
                                              "%fn = OpTypeFunction %void %ptr %ptr %long\n"
                                              "%k = OpFunction %void None %fn\n"
                                              "%to = OpFunctionParameter %ptr\n"
                                              "%from = OpFunctionParameter %ptr\n"
                                              "%size = OpFunctionParameter %long\n"
                                              "%b = OpLabel\n"
                                              "OpCopyMemorySized %to %from %size\n"
                                              "OpReturn\n"
                                              "OpFunctionEnd\n");
    static const uint64_t sizes[] = {UINT64_MAX, UINT64_C(1) << 62, 201, 200, 0};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        uint8_t content[200];
        memset(content, 7, sizeof content);
        sim_object from = harness_memory(&h, "from", content, sizeof content);
        memset(content, 1, sizeof content);
        sim_object to = harness_memory(&h, "to", content, sizeof content);
        sim_argument arguments[] = {harness_global(to), harness_global(from),
                                    harness_value(&sizes[i], 8)};
        harness_try(&h, "k", harness_range(1, 1), arguments, 3);
        assert_true(rt_ok(h.status));
        bool is_right = sizes[i] <= sizeof content;
        assert_int_equal(h.finding_count, is_right ? 0 : 1);
        if (!is_right) assert_string_equal(h.findings[0].kind, "out-of-bounds");
        harness_read_back(&h, to, content, sizeof content);
        assert_int_equal(content[0], sizes[i] ? 7 : 1);
        if (sizes[i] == sizeof content) assert_int_equal(content[199], 7);
    }
    harness_close(&h);
}

/* The number of an extended instruction is not an id and must not be mistaken for one, even if it
 * is larger than all ids. The assembler would refuse such a module, so its words are patched. */
static void an_operation_is_known_before_its_operands(void **state)
{
    (void)state;
    rt_sink *sink = rt_sink_create();
    rt_bytes code = sim_test_assemble(SIM_TEST_PRELUDE TYPES "%c = OpConstant %uint 1\n"
                                                             "%d = OpSpecConstantOp %uint IAdd "
                                                             "%c %c\n");
    sim_module *module = NULL;
    assert_true(rt_ok(sim_module_create(sink, code, NULL, 0, &module)));
    sim_module_destroy(module);
    uint32_t *words = (uint32_t *)(void *)code.data + code.size / sizeof *words - 6;
    assert_int_equal(words[3], SIM_OpIAdd);
    words[3] = SIM_OpExtInst;
    words[5] = SIM_STD_vloadn;
    rt_status status = sim_module_create(sink, code, NULL, 0, &module);
    assert_int_equal(status.code, RT_MALFORMED);
    assert_non_null(strstr(rt_sink_diagnostic(sink, status)->message.data,
                           "OpSpecConstantOp does not allow OpExtInst"));
    rt_free((void *)code.data);
    rt_sink_destroy(sink);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_largest_specialisation_number_is_refused),
        cmocka_unit_test(modes_with_ids_and_literals_differ),
        cmocka_unit_test(a_required_size_comes_from_literals_or_constants),
        cmocka_unit_test(an_endless_copy_ends),
        cmocka_unit_test(local_arguments_are_limited),
        cmocka_unit_test(an_operation_is_known_before_its_operands),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
