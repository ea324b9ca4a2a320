/* Tests of the capabilities that `assay subjects` prints for a device, and of those that it leaves
 * out. */
#include "conformance/subject/capabilities.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static void every_capability_is_a_line(void **state)
{
    (void)state;
    static const char *const extensions[] = {"pi_ext_spirv64_linking", "second"};
    const dev_capabilities capabilities = {
        .formats_taken = 1u << RT_FORMAT_SPIRV64 | 1u << RT_FORMAT_NATIVE,
        .extensions = extensions,
        .extension_count = 2,
        .aspects = 1u << DEV_ASPECT_FP16 | 1u << DEV_ASPECT_ATOMIC64,
        .executes = true,
        .globals_by_name = true,
        .local_size_max = 65536,
        .group_size_max = 256,
        .part_alignment = 64,
        .sub_group_sizes = UINT64_C(1) << 7 | UINT64_C(1) << 31 | UINT64_C(1) << 63,
        .spirv_max = 0x00010200,
    };
    rt_buffer text = {0};
    cnf_capabilities_write(&text, &capabilities);
    assert_string_equal(rt_buffer_string(&text), "accepts: spirv64 native\n"
                                                 "SPIR-V: up to 1.2\n"
                                                 "links: pi_ext_spirv64_linking second\n"
                                                 "aspects: fp16 atomic64\n"
                                                 "executes kernels: yes\n"
                                                 "unified shared memory: no\n"
                                                 "specialisation constants: no\n"
                                                 "function pointers: no\n"
                                                 "program-scope variables: no\n"
                                                 "variables by name: yes\n"
                                                 "program binaries: no\n"
                                                 "work-groups of different sizes: no\n"
                                                 "sub-groups: no\n"
                                                 "non-uniform operations on sub-groups: no\n"
                                                 "assertions in kernels: no\n"
                                                 "events that the host completes: no\n"
                                                 "maps of buffers: no\n"
                                                 "profiling times: no\n"
                                                 "reports kernel faults: no\n"
                                                 "needs a tool to link: no\n"
                                                 "local memory: 65536 bytes\n"
                                                 "work-group: 256 work-items\n"
                                                 "sub-buffers: at multiples of 64 bytes\n"
                                                 "sub-groups: 8 32 64\n");
    rt_buffer_free(&text);
}

static void missing_parts_are_named(void **state)
{
    (void)state;
    const dev_capabilities nothing = {0};
    static const char *const lines[] = {"accepts: none\n", "links: nothing\n", "aspects: none\n",
                                        "sub-groups: none that can be required\n"};
    rt_buffer text = {0};
    cnf_capabilities_write(&text, &nothing);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        assert_non_null(strstr(rt_buffer_string(&text), lines[i]));
    assert_null(strstr(rt_buffer_string(&text), "yes"));
    rt_buffer_free(&text);
}

/* Only for a device that accepts SPIR-V is the SPIR-V version printed, or a note that it is not
 * reported.
 */
static void spirv_is_listed_for_devices_that_accept_it(void **state)
{
    (void)state;
    const dev_capabilities takes = {.formats_taken = 1u << RT_FORMAT_SPIRV64_GEN};
    const dev_capabilities ptx_device = {.formats_taken =
                                             1u << RT_FORMAT_PTX | 1u << RT_FORMAT_NATIVE};
    rt_buffer text = {0};
    cnf_capabilities_write(&text, &takes);
    assert_non_null(strstr(rt_buffer_string(&text), "SPIR-V: version not reported\n"));
    rt_buffer_free(&text);
    cnf_capabilities_write(&text, &ptx_device);
    assert_null(strstr(rt_buffer_string(&text), "SPIR-V"));
    rt_buffer_free(&text);
}

static void a_shipped_runtime_tells_its_aspects_and_what_is_skipped(void **state)
{
    (void)state;
    const dev_capabilities capabilities = {.aspects = 1u << DEV_ASPECT_FP64};
    rt_buffer text = {0};
    cnf_capabilities_shipped_write(&text, &capabilities);
    assert_non_null(strstr(rt_buffer_string(&text), "aspects: fp64\nskips scenarios that need: "));
    assert_non_null(strstr(rt_buffer_string(&text), " kernel-fusion "));
    assert_non_null(strstr(rt_buffer_string(&text), " launch-options\n"));
    rt_buffer_free(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_capability_is_a_line),
        cmocka_unit_test(missing_parts_are_named),
        cmocka_unit_test(spirv_is_listed_for_devices_that_accept_it),
        cmocka_unit_test(a_shipped_runtime_tells_its_aspects_and_what_is_skipped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
