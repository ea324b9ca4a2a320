/* Tests reading kernels from PTX text and preparing their launches; expected values are derived by
 * hand from reference/base/ptx.h. */
#include "backends/ptx/capability.h"
#include "backends/ptx/launch.h"
#include "backends/ptx/program.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static const char text[] = "//@kernel all value:4 pointer:8 local:4 local:4 value:3\n"
                           "//@kernel none\n"
                           "//@kernel fixed\n"
                           "//@kernel fixed_more\n"
                           ".visible .entry all(.param .u32 a) { ret; }\n"
                           ".visible .entry none() { .reqntid 9 }\n"
                           ".visible .entry fixed_more() .reqntid 2 { ret; }\n"
                           ".visible .entry fixed()\n.reqntid 4, 2, 1\n{ ret; }\n";

static const ptx_limits limits = {
    .group_size_max = 512,
    .local_max = {512, 512, 64},
    .grid_max = {1000000, 65535, 65535},
    .shared_max = 400,
};

typedef struct fixture {
    rt_sink *sink;
    rt_arena arena;
    ptx_kernels kernels;
} fixture;

static int setup(void **state)
{
    static fixture f;
    f = (fixture){.sink = rt_sink_create()};
    *state = &f;
    return rt_ok(ptx_kernels_add(f.sink, &f.kernels, rt_text_of(text))) ? 0 : 1;
}

static int teardown(void **state)
{
    fixture *f = *state;
    ptx_kernels_free(&f->kernels);
    rt_arena_reset(&f->arena);
    rt_sink_destroy(f->sink);
    return 0;
}

static const ptx_kernel *kernel(const fixture *f, const char *name)
{
    const ptx_kernel *found = ptx_kernels_find(&f->kernels, rt_text_of(name));
    assert_non_null(found);
    return found;
}

static bool message_has(const fixture *f, rt_status status, const char *part)
{
    rt_text message = rt_sink_diagnostic(f->sink, status)->message;
    return memmem(message.data, message.length, part, strlen(part)) != NULL;
}

/* ---- Tables ------------------------------------------------------------------------------- */

static void requirements_belong_to_their_entry(void **state)
{
    const fixture *f = *state;
    const uint32_t free[3] = {0}, two[3] = {2, 1, 1}, four[3] = {4, 2, 1};
    assert_int_equal(f->kernels.count, 4);
    assert_memory_equal(kernel(f, "all")->required_local, free, sizeof free);
    assert_memory_equal(kernel(f, "none")->required_local, free, sizeof free);
    assert_memory_equal(kernel(f, "fixed")->required_local, four, sizeof four);
    assert_memory_equal(kernel(f, "fixed_more")->required_local, two, sizeof two);
    assert_null(ptx_kernels_find(&f->kernels, RT_TEXT("fix")));
}

static void a_table_survives_as_bytes(void **state)
{
    fixture *f = *state;
    rt_buffer written = {0}, rewritten = {0};
    ptx_kernels_join(&f->kernels, &f->kernels);
    assert_int_equal(f->kernels.count, 8);
    ptx_kernels_write(&written, &f->kernels);
    rt_reader reader = rt_reader_of(rt_buffer_bytes(&written));
    ptx_kernels read = {0};
    ptx_kernels_read(&reader, &read);
    assert_true(rt_reader_finished(&reader));
    ptx_kernels_write(&rewritten, &read);
    assert_int_equal(rewritten.size, written.size);
    assert_memory_equal(rewritten.data, written.data, written.size);
    ptx_kernels_free(&read);
    for (size_t size = 0; size < written.size; size++) {
        reader = rt_reader_of((rt_bytes){(const uint8_t *)written.data, size});
        ptx_kernels_read(&reader, &read);
        assert_true(reader.failed);
        assert_int_equal(read.count, 0);
        ptx_kernels_free(&read);
    }
    rt_buffer_free(&written);
    rt_buffer_free(&rewritten);
}

/* A size that is 0 in only one dimension is not a group size. */
static void a_required_size_has_all_dimensions(void **state)
{
    (void)state;
    for (uint32_t zero = 0; zero < 3; zero++) {
        ptx_kernel row = {.entry = {.name = RT_TEXT("k")}, .required_local = {4, 2, 1}};
        ptx_kernels table = {.rows = &row, .count = 1}, read = {0};
        rt_buffer written = {0};
        row.required_local[zero] = 0;
        ptx_kernels_write(&written, &table);
        rt_reader reader = rt_reader_of(rt_buffer_bytes(&written));
        ptx_kernels_read(&reader, &read);
        assert_true(reader.failed);
        assert_int_equal(read.count, 0);
        ptx_kernels_free(&read);
        rt_buffer_free(&written);
    }
}

static void a_text_that_does_not_read_adds_nothing(void **state)
{
    fixture *f = *state;
    rt_text wrong = RT_TEXT("//@kernel a\n//@kernel b\n.entry b() .reqntid 1, 5000 {");
    rt_status status = ptx_kernels_add(f->sink, &f->kernels, wrong);
    assert_int_equal(status.code, RT_MALFORMED);
    assert_true(message_has(f, status, "kernel 'b' has an invalid .reqntid"));
    assert_int_equal(f->kernels.count, 4);
}

/* ---- Ranges ------------------------------------------------------------------------------- */

static void groups_are_chosen_and_checked(void **state)
{
    fixture *f = *state;
    const struct {
        const char *kernel;
        dev_nd_range range;
        rt_code code;
        uint32_t grid[3], block[3];
    } rows[] = {
        /* Size left open: the largest divisor of the first dimension up to 256. */
        {"none", {1, {1000, 1, 1}, {0}, {0}}, RT_OK, {4, 1, 1}, {250, 1, 1}},
        {"none", {1, {257, 1, 1}, {0}, {0}}, RT_OK, {257, 1, 1}, {1, 1, 1}},
        {"none", {3, {8, 5, 3}, {0}, {0}}, RT_OK, {1, 5, 3}, {8, 1, 1}},
        /* 70000 groups are too many for the second dimension, so its groups have two work-items. */
        {"none", {2, {256, 70000, 1}, {0}, {0}}, RT_OK, {2, 35000, 1}, {128, 2, 1}},
        {"none", {2, {1, 66124, 1}, {0}, {0}}, RT_OK, {1, 33062, 1}, {1, 2, 1}},
        /* 65537 is prime, so no group size makes the groups few enough. */
        {"none", {2, {1, 65537, 1}, {0}, {0}}, RT_LIMIT, {0}, {0}},
        {"none", {1, {1000001, 1, 1}, {1, 1, 1}, {0}}, RT_LIMIT, {0}, {0}},
        /* The size is given by the launch. */
        {"none", {2, {6, 4, 1}, {3, 2, 1}, {0}}, RT_OK, {2, 2, 1}, {3, 2, 1}},
        {"none", {2, {6, 4, 1}, {4, 2, 1}, {0}}, RT_ERRC_ND_RANGE, {0}, {0}},
        {"none", {1, {1024, 1, 1}, {1024, 1, 1}, {0}}, RT_ERRC_ND_RANGE, {0}, {0}},
        {"none", {2, {32, 32, 1}, {32, 32, 1}, {0}}, RT_ERRC_ND_RANGE, {0}, {0}},
        {"none", {3, {1, 1, 128}, {1, 1, 128}, {0}}, RT_ERRC_ND_RANGE, {0}, {0}},
        /* The size is required by the kernel. */
        {"fixed", {2, {8, 2, 1}, {0}, {0}}, RT_OK, {2, 1, 1}, {4, 2, 1}},
        {"fixed", {2, {8, 2, 1}, {4, 2, 1}, {0}}, RT_OK, {2, 1, 1}, {4, 2, 1}},
        {"fixed", {2, {8, 2, 1}, {8, 1, 1}, {0}}, RT_ERRC_ND_RANGE, {0}, {0}},
        {"fixed", {2, {6, 2, 1}, {0}, {0}}, RT_ERRC_ND_RANGE, {0}, {0}},
        {"fixed", {1, {8, 1, 1}, {0}, {0}}, RT_ERRC_ND_RANGE, {0}, {0}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ptx_launch launch;
        rt_status status = ptx_launch_make(f->sink, &f->arena, &limits, kernel(f, rows[i].kernel),
                                           &rows[i].range, NULL, 0, &launch);
        if (status.code != rows[i].code) fail_msg("row %zu: %u", i, status.code);
        if (!rt_ok(status)) continue;
        assert_memory_equal(launch.grid, rows[i].grid, sizeof launch.grid);
        assert_memory_equal(launch.block, rows[i].block, sizeof launch.block);
    }
}

/* ---- Arguments ---------------------------------------------------------------------------- */

static uint64_t memory_address(dev_memory *memory)
{
    (void)memory;
    return 0x1000;
}
static const dev_memory_ops memory_ops = {.address = memory_address};
static dev_memory memory = {.ops = &memory_ops, .size = 64};

static const dev_nd_range range = {
    .dimensions = 2, .global = {4, 4, 1}, .local = {2, 2, 1}, .offset = {5, 1, 0}};
static const uint8_t bytes[4] = {1, 2, 3, 4};

/* Arguments that fit the parameters of kernel `all`. */
static void arguments_fill(dev_argument arguments[5])
{
    const dev_argument fitting[5] = {
        {.kind = DEV_ARGUMENT_BYTES, .bytes = {bytes, 4}},
        {.kind = DEV_ARGUMENT_POINTER, .memory = &memory, .offset = 8},
        {.kind = DEV_ARGUMENT_LOCAL, .size = 20},
        {.kind = DEV_ARGUMENT_LOCAL, .size = 4},
        {.kind = DEV_ARGUMENT_BYTES, .bytes = {bytes, 3}},
    };
    memcpy(arguments, fitting, sizeof fitting);
}

static void values_are_those_of_the_contract(void **state)
{
    fixture *f = *state;
    ptx_launch launch;
    dev_argument arguments[5];
    arguments_fill(arguments);
    assert_true(rt_ok(ptx_launch_make(f->sink, &f->arena, &limits, kernel(f, "all"), &range,
                                      arguments, 5, &launch)));
    assert_int_equal(launch.parameter_count, 6);
    assert_memory_equal(launch.parameters[0], bytes, 4);
    assert_memory_equal(launch.parameters[4], bytes, 3);
    uint64_t pointer;
    memcpy(&pointer, launch.parameters[1], sizeof pointer);
    assert_int_equal(pointer, 0x1008);
    /* After the 32 bytes of launch_values, at multiples of 128: 20 bytes, and 4 more. */
    uint32_t first, second;
    memcpy(&first, launch.parameters[2], sizeof first);
    memcpy(&second, launch.parameters[3], sizeof second);
    assert_int_equal(first, 128);
    assert_int_equal(second, 256);
    assert_int_equal(launch.shared_size, 260);
    const rt_ptx_launch hidden = {.global_offset = {5, 1, 0}, .dimensions = 2};
    assert_memory_equal(launch.parameters[5], &hidden, sizeof hidden);
    arguments[1] = (dev_argument){.kind = DEV_ARGUMENT_MEMORY, .memory = NULL};
    assert_true(rt_ok(ptx_launch_make(f->sink, &f->arena, &limits, kernel(f, "all"), &range,
                                      arguments, 5, &launch)));
    memcpy(&pointer, launch.parameters[1], sizeof pointer);
    assert_int_equal(pointer, 0);
}

static void arguments_that_do_not_fit_are_refused(void **state)
{
    fixture *f = *state;
    const struct {
        uint32_t index;
        dev_argument argument;
        rt_code code;
        const char *part;
    } rows[] = {
        {0,
         {.kind = DEV_ARGUMENT_BYTES, .bytes = {bytes, 3}},
         RT_ERRC_KERNEL_ARGUMENT,
         "argument 0 of 5 (counted from 0) of kernel 'all' is a value of 3 bytes, but the "
         "parameter is a value of 4 bytes"},
        {0,
         {.kind = DEV_ARGUMENT_MEMORY, .memory = &memory},
         RT_ERRC_KERNEL_ARGUMENT,
         "is a buffer of 64 bytes, but the parameter is a value"},
        {1,
         {.kind = DEV_ARGUMENT_BYTES, .bytes = {bytes, 4}},
         RT_ERRC_KERNEL_ARGUMENT,
         "is a pointer to global or constant memory of 8 bytes"},
        {1,
         {.kind = DEV_ARGUMENT_LOCAL, .size = 8},
         RT_ERRC_KERNEL_ARGUMENT,
         "is local memory of 8 bytes"},
        {2,
         {.kind = DEV_ARGUMENT_POINTER, .memory = &memory},
         RT_ERRC_KERNEL_ARGUMENT,
         "is a pointer to local memory of 4 bytes"},
        {3,
         {.kind = DEV_ARGUMENT_LOCAL, .size = 145},
         RT_LIMIT,
         "145 bytes of local memory, but only 144"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        dev_argument arguments[5];
        ptx_launch launch;
        arguments_fill(arguments);
        arguments[rows[i].index] = rows[i].argument;
        rt_status status = ptx_launch_make(f->sink, &f->arena, &limits, kernel(f, "all"), &range,
                                           arguments, 5, &launch);
        assert_int_equal(status.code, rows[i].code);
        assert_true(message_has(f, status, rows[i].part));
    }
    dev_argument arguments[5];
    ptx_launch launch;
    arguments_fill(arguments);
    arguments[3].size = 144; /* 400 - 256: everything that is left */
    assert_true(rt_ok(ptx_launch_make(f->sink, &f->arena, &limits, kernel(f, "all"), &range,
                                      arguments, 5, &launch)));
    assert_int_equal(launch.shared_size, 400);
    assert_int_equal(ptx_launch_make(f->sink, &f->arena, &limits, kernel(f, "all"), &range,
                                     arguments, 4, &launch)
                         .code,
                     RT_ERRC_KERNEL_ARGUMENT);
    ptx_limits little = limits;
    little.shared_max = RT_PTX_LAUNCH_SIZE - 1;
    rt_status status =
        ptx_launch_make(f->sink, &f->arena, &little, kernel(f, "none"), &range, NULL, 0, &launch);
    assert_int_equal(status.code, RT_LIMIT);
}

static void aspects_come_with_capabilities(void **state)
{
    (void)state;
    const uint32_t old = 1u << DEV_ASPECT_FP64 | 1u << DEV_ASPECT_VIRTUAL_FUNCTIONS;
    assert_int_equal(ptx_aspects(10), 0);
    assert_int_equal(ptx_aspects(52), old);
    assert_int_equal(ptx_aspects(53), old | 1u << DEV_ASPECT_FP16);
    assert_int_equal(ptx_aspects(120), (1u << DEV_ASPECT_COUNT) - 1);
}

/* From the programming guide's table: 48, 96, 64, 163, 99 and 227 KiB. */
static void shared_memory_grows_with_capabilities(void **state)
{
    (void)state;
    assert_int_equal(ptx_shared_size_max(61), 49152);
    assert_int_equal(ptx_shared_size_max(70), 98304);
    assert_int_equal(ptx_shared_size_max(75), 65536);
    assert_int_equal(ptx_shared_size_max(80), 166912);
    assert_int_equal(ptx_shared_size_max(89), 101376);
    assert_int_equal(ptx_shared_size_max(90), 232448);
    assert_int_equal(ptx_shared_size_max(120), 101376);
}

/* The hidden parameter's 32 bytes reduce the shared memory available to a group. */
static void a_device_answers_what_its_capability_says(void **state)
{
    (void)state;
    const char *extensions[PTX_EXTENSIONS];
    ptx_limits little = {.group_size_max = 512, .shared_max = 4096};
    dev_capabilities answer = ptx_capabilities(90, 32, &little, NULL, extensions);
    assert_int_equal(answer.formats_taken, 1u << RT_FORMAT_PTX | 1u << RT_FORMAT_NATIVE);
    assert_true(dev_capabilities_link(&answer, RT_FORMAT_PTX));
    assert_int_equal(answer.aspects, (1u << DEV_ASPECT_COUNT) - 1);
    assert_true(answer.function_pointers && answer.program_binaries && answer.profiling);
    assert_false(answer.executes || answer.usm || answer.spec_constants);
    assert_false(dev_capabilities_link(&answer, RT_FORMAT_SPIRV64));
    assert_int_equal(answer.local_size_max, 3968);
    assert_int_equal(answer.group_size_max, 512);
    assert_true(answer.sub_group_sizes == UINT64_C(1) << 31);
    little.shared_max = 127;
    answer = ptx_capabilities(10, 65, &little, NULL, extensions);
    assert_int_equal(answer.local_size_max, 0);
    assert_false(answer.function_pointers);
    assert_true(answer.sub_group_sizes == 0);
    assert_true(ptx_capabilities(10, 64, &little, NULL, extensions).sub_group_sizes == UINT64_C(1)
                                                                                           << 63);
    assert_true(ptx_capabilities(10, 0, &little, NULL, extensions).sub_group_sizes == 0);
}

/* ---- SPIR-V -------------------------------------------------------------------------------- */

typedef struct translation {
    rt_code code; /* with which it fails */
    uint32_t constant_count;
} translation;

static rt_status translate(void *user, rt_sink *sink, const dev_code *code, rt_buffer *out_ptx)
{
    translation *state = user;
    state->constant_count = code->constant_count;
    if (state->code != RT_OK) return rt_fail(sink, state->code, RT_RULE_NONE, "no form in PTX");
    rt_buffer_printf(out_ptx, "//@kernel a_$2eb value:4\n.version 6.4\n");
    return RT_STATUS_OK;
}

static const uint32_t spirv_words[] = {0x07230203, 0x00010000, 0, 1, 0};

static void tools_add_spirv_to_what_a_device_takes(void **state)
{
    (void)state;
    const dev_tools tools = {.spirv_to_ptx = translate}, lacking = {0};
    const char *extensions[PTX_EXTENSIONS];
    const ptx_limits small = {.group_size_max = 512, .shared_max = 4096};
    dev_capabilities answer = ptx_capabilities(90, 32, &small, &tools, extensions);
    assert_int_equal(answer.formats_taken,
                     1u << RT_FORMAT_PTX | 1u << RT_FORMAT_NATIVE | 1u << RT_FORMAT_SPIRV64);
    assert_true(dev_capabilities_link(&answer, RT_FORMAT_PTX));
    assert_true(dev_capabilities_link(&answer, RT_FORMAT_SPIRV64));
    assert_true(answer.spec_constants);
    assert_false(answer.links_with_tool); /* NVIDIA's linker links what the tools translate */
    answer = ptx_capabilities(90, 32, &small, &lacking, extensions);
    assert_int_equal(answer.formats_taken, 1u << RT_FORMAT_PTX | 1u << RT_FORMAT_NATIVE);
}

static void tools_translate_spirv(void **state)
{
    const fixture *f = *state;
    const rt_text device = RT_TEXT("GPU");
    translation translated = {RT_OK, 0};
    const dev_tools tools = {.user = &translated, .spirv_to_ptx = translate};
    const dev_spec_constant constants[2] = {0};
    dev_code code = {.format = RT_FORMAT_SPIRV64,
                     .bytes = {(const uint8_t *)spirv_words, sizeof spirv_words},
                     .constants = constants,
                     .constant_count = 2};
    ptx_program program = {0};
    assert_true(rt_ok(ptx_program_take(f->sink, &tools, device, &code, &program)));
    assert_int_equal(translated.constant_count, 2);
    /* The kernel is found by its name in the image, which PTX writes differently. */
    assert_non_null(ptx_kernels_find(&program.kernels, RT_TEXT("a.b")));
    assert_null(ptx_kernels_find(&program.kernels, RT_TEXT("a")));
    ptx_program_free(&program);
    translated.code = RT_UNSUPPORTED;
    program = (ptx_program){0};
    rt_status status = ptx_program_take(f->sink, &tools, device, &code, &program);
    assert_int_equal(status.code, RT_UNSUPPORTED);
    assert_true(message_has(f, status, "no form in PTX"));
    ptx_program_free(&program);
    code.bytes.size = 7; /* truncated code does not reach the tool */
    translated.constant_count = 0;
    program = (ptx_program){0};
    status = ptx_program_take(f->sink, &tools, device, &code, &program);
    assert_int_equal(status.code, RT_MALFORMED);
    assert_int_equal(translated.constant_count, 0);
    ptx_program_free(&program);
}

static void options_are_words(void **state)
{
    (void)state;
    rt_text options = RT_TEXT("  -cl-mad-enable -O2  -cl-std=CL2.0 -g "), word;
    assert_true(ptx_option_next(&options, &word));
    assert_true(rt_text_is(word, "-O2"));
    assert_true(ptx_option_next(&options, &word));
    assert_true(rt_text_is(word, "-g"));
    assert_false(ptx_option_next(&options, &word));
    assert_false(ptx_option_next(&options, &word));
}

static void images_are_taken_whole_or_refused(void **state)
{
    const fixture *f = *state;
    const rt_text device = RT_TEXT("GPU");
    static const char image[] = "//@kernel k value:4\n.version 6.4\n";
    dev_code code = {.format = RT_FORMAT_PTX,
                     .bytes = {(const uint8_t *)image, sizeof image - 1},
                     .options = RT_TEXT("-g")};
    ptx_program program = {0};
    assert_true(rt_ok(ptx_program_take(f->sink, NULL, device, &code, &program)));
    assert_string_equal(rt_buffer_string(&program.text), image);
    assert_string_equal(rt_buffer_string(&program.options), "-g");
    assert_non_null(ptx_kernels_find(&program.kernels, RT_TEXT("k")));
    ptx_program_free(&program);
    code.bytes.size = sizeof image; /* includes the NUL */
    rt_status status = ptx_program_take(f->sink, NULL, device, &code, &program);
    assert_int_equal(status.code, RT_MALFORMED);
    assert_true(message_has(f, status, "is empty or holds a NUL"));
    code.bytes.size = 0;
    assert_int_equal(ptx_program_take(f->sink, NULL, device, &code, &program).code, RT_MALFORMED);
    code.format = RT_FORMAT_SPIRV64;
    status = ptx_program_take(f->sink, NULL, device, &code, &program);
    assert_int_equal(status.code, RT_UNSUPPORTED);
    assert_true(message_has(f, status, "'GPU' takes images of format ptx, not spirv64"));
    ptx_program_free(&program);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(requirements_belong_to_their_entry),
        TEST(a_table_survives_as_bytes),
        TEST(a_required_size_has_all_dimensions),
        TEST(a_text_that_does_not_read_adds_nothing),
        TEST(groups_are_chosen_and_checked),
        TEST(values_are_those_of_the_contract),
        TEST(arguments_that_do_not_fit_are_refused),
        TEST(aspects_come_with_capabilities),
        TEST(shared_memory_grows_with_capabilities),
        TEST(a_device_answers_what_its_capability_says),
        TEST(options_are_words),
        TEST(images_are_taken_whole_or_refused),
        TEST(tools_add_spirv_to_what_a_device_takes),
        TEST(tools_translate_spirv),
    };
#undef TEST
    return cmocka_run_group_tests(tests, NULL, NULL);
}
