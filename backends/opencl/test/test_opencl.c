/* Tests the OpenCL adapter with a fake loader: the calls it makes, and how it handles every
 * failure.  No driver is needed. */
#include "backends/opencl/ocl_internal.h"
#include "backends/opencl/test/fake_opencl.h"
#include "backends/vendor/test/run.h"

#include <CL/cl_ext.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static fake_opencl *fake; /* in the fake's shared object; main looks it up */

static void fake_reset(void)
{
    *fake = (fake_opencl){
        .version = "OpenCL 3.0 fake",
        .il_version = "SPIR-V_1.2",
        .extensions = "cl_khr_fp16 cl_khr_byte_addressable_store cl_intel_unified_shared_memory",
        .address_bits = 64,
        .compiler = CL_TRUE,
        .linker = CL_TRUE,
        .out_of_order = true,
        .gives_extensions = true,
        .variable_size = FAKE_VARIABLE_SIZE,
        .log = "Compilation started\nundefined symbol: twice\n",
    };
}

/* A device without SPIR-V, with the answers that PoCL 3.1 gives. */
static void fake_takes_bitcode(void)
{
    fake_reset();
    fake->version = "OpenCL 2.0 fake";
    fake->il_version = "";
    fake->extensions = "cl_khr_byte_addressable_store cl_khr_spir";
    fake->gives_extensions = false;
}

static rt_status images_open(const char *path, const dev_open_parameters *parameters,
                             rt_text selector, dev_device **out_device)
{
    return ocl_device_open(path, parameters, selector, OCL_INPUT_IMAGES, out_device);
}

static rt_status fake_open(const dev_open_parameters *parameters, rt_text selector,
                           dev_device **out_device)
{
    return images_open(FAKE_LIBRARY, parameters, selector, out_device);
}
static const dev_backend fake_backend = {"opencl over a fake", fake_open};

static rt_status fake_source_open(const dev_open_parameters *parameters, rt_text selector,
                                  dev_device **out_device)
{
    return ocl_device_open(FAKE_LIBRARY, parameters, selector, OCL_INPUT_SOURCE, out_device);
}
static const dev_backend fake_source_backend = {"opencl from source", fake_source_open};

/* Tools whose link only counts its inputs and joins them, or fails with a given code. */
typedef struct fake_tools {
    rt_code answer;
    uint32_t image_count; /* in the last link, */
    uint32_t constants;   /* and the sum of its constants' values */
} fake_tools;

static rt_status tools_link(void *user, rt_sink *sink, const dev_code *codes, uint32_t count,
                            rt_buffer *out_bitcode)
{
    fake_tools *tools = user;
    tools->image_count = count;
    tools->constants = 0;
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t k = 0; k < codes[i].constant_count; k++)
            tools->constants += codes[i].constants[k].value.data[0];
    }
    if (tools->answer != RT_OK)
        return rt_fail(sink, tools->answer, RT_RULE_NONE, "the tools were told to fail");
    for (uint32_t i = 0; i < count; i++)
        rt_buffer_append(out_bitcode, codes[i].bytes.data, codes[i].bytes.size);
    return RT_STATUS_OK;
}

static fake_tools tools_state;
static const dev_tools tools = {.user = &tools_state, .link_to_bitcode = tools_link};

static const uint8_t spirv[20] = {0x03, 0x02, 0x23, 0x07}; /* a header without instructions */
static const dev_code image = {.format = RT_FORMAT_SPIRV64, .bytes = {spirv, sizeof spirv}};

static int setup(void **state)
{
    fake_reset();
    tools_state = (fake_tools){0};
    return fixture_begin(state, &fake_backend, &tools, &fake->script);
}

/* ---- Opening ------------------------------------------------------------------------------ */

static void loaders_that_are_none_are_unavailable(void **state)
{
    const fixture *f = *state;
    expect_unavailable(f, images_open, "ocl-icd-libopencl1", "clGetPlatformIDs");
}

static void selectors_choose_by_parts_of_names(void **state)
{
    fixture *f = *state;
    const struct {
        const char *selector;
        rt_code code;
    } rows[] = {
        {"", RT_OK},
        {"platform=Fake", RT_OK},
        {"platform=Platform, Inc", RT_OK},
        {"platform=Fake,device=Fake Dev", RT_OK},
        {"platform=Platform, Inc,device=Device", RT_OK},
        {"device=Device", RT_OK},
        {"platform=fake", RT_UNAVAILABLE},
        {"platform=Fake,device=GPU", RT_UNAVAILABLE},
        {"device=GPU", RT_UNAVAILABLE},
        {"vendor=Fake", RT_ERRC_INVALID},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        rt_status status = fixture_open(f, rows[i].selector);
        assert_int_equal(status.code, rows[i].code);
        fixture_close(f);
    }
    rt_status status = fixture_open(f, "platform=Other");
    assert_true(message_has(f->sink, status, "'Fake Device' of platform 'Fake Platform, Inc'"));
    fake->no_devices = true;
    status = fixture_open(f, "");
    expect_status(f->sink, status, RT_UNAVAILABLE, "none");
}

static void routes_follow_from_answers(void **state)
{
    fixture *f = *state;
    const struct {
        const char *il_version, *extensions;
        const char *missing; /* part of the message; NULL if the device opens */
        cl_uint address_bits;
        cl_bool compiler;
        bool tools;
        bool links_with_tool;
    } rows[] = {
        {"SPIR-V_1.0 SPIR-V_1.2", "", NULL, 64, CL_TRUE, false, false},
        {"SPIR-V_1.2", "cl_khr_spir", NULL, 64, CL_TRUE, true, false},
        {"", "cl_khr_spir", NULL, 64, CL_TRUE, true, true},
        {"", "cl_khr_spir", "tools", 64, CL_TRUE, false, false},
        {"", "cl_khr_spirv_linkonce_odr", "cl_khr_spir", 64, CL_TRUE, true, false},
        {"PTX_8", "", "CL_DEVICE_IL_VERSION", 64, CL_TRUE, true, false},
        {"SPIR-V_1.2", "", "32-bit", 32, CL_TRUE, true, false},
        {"SPIR-V_1.2", "", "no compiler", 64, CL_FALSE, true, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        fake->il_version = rows[i].il_version;
        fake->extensions = rows[i].extensions;
        fake->address_bits = rows[i].address_bits;
        fake->compiler = rows[i].compiler;
        const dev_open_parameters parameters = {.sink = f->sink,
                                                .tools = rows[i].tools ? &tools : NULL};
        dev_device *device;
        rt_status status = dev_device_open(&fake_backend, &parameters, none, &device);
        if (rows[i].missing) {
            expect_status(f->sink, status, RT_UNAVAILABLE, rows[i].missing);
            continue;
        }
        assert_true(rt_ok(status));
        dev_capabilities found;
        dev_device_capabilities(device, &found);
        assert_int_equal(found.links_with_tool, rows[i].links_with_tool);
        dev_device_destroy(device);
    }
}

static void capabilities_are_the_drivers_answers(void **state)
{
    fixture *f = *state;
    assert_true(rt_ok(fixture_open(f, "")));
    dev_capabilities found;
    dev_device_capabilities(f->device, &found);
    assert_true(rt_text_is(found.name, "Fake Device"));
    assert_true(rt_text_is(found.driver, "Fake Platform, Inc 7.1"));
    assert_int_equal(found.aspects, 1u << DEV_ASPECT_FP16 | 1u << DEV_ASPECT_FP64 |
                                        1u << DEV_ASPECT_VIRTUAL_FUNCTIONS);
    assert_int_equal(found.local_size_max, 4096);
    assert_int_equal(found.group_size_max, 256);
    assert_true(dev_capabilities_link(&found, RT_FORMAT_SPIRV64));
    dev_device_destroy(f->device);
    fake->linker = CL_FALSE;
    assert_true(rt_ok(fixture_open(f, "")));
    dev_device_capabilities(f->device, &found);
    assert_false(dev_capabilities_link(&found, RT_FORMAT_SPIRV64));
}

static void pointers_and_constants_are_asked_for(void **state)
{
    fixture *f = *state;
    const char *usm = "cl_intel_unified_shared_memory";
    const struct {
        const char *extensions, *version, *withheld;
        cl_device_info usm_lacking;
        bool usm, globals, functions, constants;
    } rows[] = {
        {usm, "OpenCL 3.1 LINUX", NULL, 0, true, true, true, true},
        {"", "OpenCL 2.2", NULL, 0, false, false, true, true},
        {usm, "OpenCL 2.1", NULL, CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL, false, false, true, false},
        {usm, "OpenCL 10.0", NULL, CL_DEVICE_DEVICE_MEM_CAPABILITIES_INTEL, false, false, true,
         true},
        {usm, "2.2", NULL, CL_DEVICE_SINGLE_DEVICE_SHARED_MEM_CAPABILITIES_INTEL, false, false,
         true, false},
        {usm, "OpenCL 3.0", "clMemBlockingFreeINTEL", 0, false, false, true, true},
        {usm, "OpenCL 3.0", "clSetKernelArgMemPointerINTEL", 0, false, false, true, true},
        {usm, "OpenCL 3.0", "clEnqueueReadGlobalVariableINTEL", 0, true, false, true, true},
        {usm, "OpenCL 3.0", "clGetDeviceGlobalVariablePointerINTEL", 0, true, false, true, true},
        {usm, "OpenCL 3.0", "clGetDeviceFunctionPointerINTEL", 0, true, true, false, true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        fake->extensions = rows[i].extensions;
        fake->version = rows[i].version;
        fake->withheld = rows[i].withheld;
        fake->usm_lacking = rows[i].usm_lacking;
        assert_true(rt_ok(fixture_open(f, "")));
        dev_capabilities found;
        dev_device_capabilities(f->device, &found);
        if (found.usm != rows[i].usm || found.globals_by_name != rows[i].globals ||
            found.function_pointers != rows[i].functions ||
            (found.aspects >> DEV_ASPECT_VIRTUAL_FUNCTIONS & 1) != rows[i].functions ||
            found.spec_constants != rows[i].constants)
            fail_msg("row %zu: usm %d, globals %d, functions %d, constants %d", i, found.usm,
                     found.globals_by_name, found.function_pointers, found.spec_constants);
        fixture_close(f);
    }
    fake_takes_bitcode(); /* on such a device the tools set the constants */
    assert_true(rt_ok(fixture_open(f, "")));
    dev_capabilities found;
    dev_device_capabilities(f->device, &found);
    assert_true(found.spec_constants);
    assert_false(found.usm || found.globals_by_name || found.function_pointers);
    assert_false(found.program_variables);
    assert_true(found.sub_group_sizes == 0);
    fixture_close(f);
    fake->variable_size_max = 1;
    fake->extensions = "cl_khr_spir cl_intel_required_subgroup_size";
    assert_true(rt_ok(fixture_open(f, "")));
    dev_device_capabilities(f->device, &found);
    assert_true(found.program_variables);
    assert_true(found.sub_group_sizes == (UINT64_C(1) << 3 | UINT64_C(1) << 63));
    fixture_close(f);
    /* Work-groups of different sizes: by the version before 3.0, and by a query from then on. */
    static const struct {
        const char *version;
        cl_bool answer;
        bool has;
    } versions[] = {{"OpenCL 1.2 fake", CL_TRUE, false},
                    {"OpenCL 2.1 fake", CL_FALSE, true},
                    {"OpenCL 3.0 fake", CL_FALSE, false},
                    {"OpenCL 3.0 fake", CL_TRUE, true}};
    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++) {
        fake->version = versions[i].version;
        fake->non_uniform = versions[i].answer;
        assert_true(rt_ok(fixture_open(f, "")));
        dev_device_capabilities(f->device, &found);
        assert_int_equal(found.non_uniform_groups, versions[i].has);
        fixture_close(f);
    }
    /* Sub-groups: by the query, or by an extension. */
    static const struct {
        cl_uint answer;
        const char *extensions;
        bool has;
    } sub_groups[] = {{0, "cl_khr_spir", false},
                      {4, "cl_khr_spir", true},
                      {0, "cl_khr_spir cl_khr_subgroups", true},
                      {0, "cl_khr_spir cl_intel_subgroups", true}};
    for (size_t i = 0; i < sizeof sub_groups / sizeof *sub_groups; i++) {
        fake->sub_groups_max = sub_groups[i].answer;
        fake->extensions = sub_groups[i].extensions;
        assert_true(rt_ok(fixture_open(f, "")));
        dev_device_capabilities(f->device, &found);
        assert_int_equal(found.sub_groups, sub_groups[i].has);
        fixture_close(f);
    }
}

/* ---- A whole run, any call of which may fail ---------------------------------------------- */

static rt_status run_prepare(const fixture *f, run *r)
{
    RT_TRY(run_open(f, r));
    dev_device *device = r->device;
    static const uint8_t first[4] = {40}, second[1] = {9};
    const dev_spec_constant constants[] = {{7, {first, 4}}, {8, {second, 1}}};
    dev_code code = image;
    code.options = RT_TEXT("-O1");
    if (r->capabilities.spec_constants) {
        code.constants = constants;
        code.constant_count = 2;
    }
    for (int i = 0; i < 2; i++) {
        RT_TRY(i == 0 && r->capabilities.profiling
                   ? dev_queue_create_profiling(device, &r->queues[i])
                   : dev_queue_create(device, &r->queues[i]));
        RT_TRY(dev_program_compile(device, &code, &r->programs[i]));
    }
    RT_TRY(dev_program_link(device, r->programs, 2, RT_TEXT("-g"), &r->programs[2]));
    RT_TRY(dev_kernel_create(r->programs[2], RT_TEXT("k"), &r->kernel));
    if (!r->capabilities.globals_by_name) return RT_STATUS_OK;
    return dev_global_find(r->programs[2], RT_TEXT("counter"), &r->memories[VARIABLE]);
}

static rt_status run_copies(run *r)
{
    dev_queue *queue = r->queues[0];
    dev_memory **m = r->memories;
    if (!m[VARIABLE]) return RT_STATUS_OK;
    RT_TRY(dev_enqueue_copy(queue, no_wait, m[SECOND], 0, m[SHARED], 2, 4, run_event(r)));
    RT_TRY(dev_enqueue_copy(queue, no_wait, m[SHARED], 2, m[VARIABLE], 4, 4, run_event(r)));
    RT_TRY(dev_enqueue_copy(queue, no_wait, m[VARIABLE], 5, m[SECOND], 4, 3, run_event(r)));
    return RT_STATUS_OK;
}

static rt_status run_enqueue(run *r)
{
    static const uint8_t pattern[2] = {1, 2};
    const dev_command after_copy = {.wait = &r->events[3], .wait_count = 1};
    RT_TRY(run_commands(r, (rt_bytes){pattern, 2}));
    RT_TRY(run_copies(r));
    RT_TRY(dev_enqueue_read(r->queues[0], after_copy, r->memories[SECOND], 0, 8, r->read,
                            run_event(r)));
    RT_TRY(dev_queue_flush(r->queues[0]));
    RT_TRY(run_wait(r));
    if (!r->capabilities.profiling) return RT_STATUS_OK;
    return dev_event_times(r->events[r->event_count - 1], &r->times);
}

static rt_status run_whole(const fixture *f, run *r)
{
    rt_status status = run_prepare(f, r);
    if (rt_ok(status)) status = run_enqueue(r);
    run_end(r);
    return status;
}

/* Like run_whole, but serialises the linked program and loads it again instead of enqueuing
 * commands. */
static rt_status run_binary(const fixture *f, run *r)
{
    rt_status status = run_prepare(f, r);
    if (rt_ok(status)) status = program_reload(r->device, r->programs[LINKED], &r->programs[3]);
    run_end(r);
    return status;
}

static rt_status use_whole(const fixture *f, const void *context)
{
    (void)context;
    run r;
    return run_whole(f, &r);
}

static rt_status use_binary(const fixture *f, const void *context)
{
    (void)context;
    run r;
    return run_binary(f, &r);
}

static void programs_survive_as_binaries(void **state)
{
    const fixture *f = *state;
    run r;
    assert_true(rt_ok(run_binary(f, &r)));
    assert_int_equal(fake->binary_size, 5); /* "built" */
    assert_string_equal(fake->options, "");
    assert_int_equal(fake->script.live, 0);
    fake->no_binary = true;
    rt_status status = run_binary(f, &r);
    assert_int_equal(status.code, RT_UNSUPPORTED);
    assert_non_null(strstr(rt_sink_diagnostic(f->sink, status)->message.data, "returns no binary"));
    assert_int_equal(fake->script.live, 0);
}

static void driver_compiles_and_links_spirv(void **state)
{
    fixture *f = *state;
    run r;
    assert_true(rt_ok(run_whole(f, &r)));
    assert_non_null(strstr(fake->script.trace,
                           "clCreateProgramWithIL clSetProgramSpecializationConstant "
                           "clSetProgramSpecializationConstant clCompileProgram "));
    assert_non_null(strstr(fake->script.trace, "clLinkProgram clCreateKernel clGetKernelInfo "));
    assert_null(strstr(fake->script.trace, "clCreateProgramWithBinary"));
    assert_string_equal(fake->options, "-g");
    assert_int_equal(fake->constant, 40);
    assert_int_equal(fake->queue_properties, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    assert_int_equal(r.times.submit, 10);
    assert_int_equal(r.times.start, 20);
    assert_int_equal(r.times.end, 30);
    /* The copy waits for two events of the other queue, which is flushed once for both. */
    assert_non_null(strstr(fake->script.trace, "clEnqueueFillBuffer clFlush clEnqueueCopyBuffer "));
}

static void times_in_no_order_are_refused(void **state)
{
    fixture *f = *state;
    run r;
    fake->times_reversed = true;
    rt_status status = run_whole(f, &r);
    expect_status(f->sink, status, RT_DRIVER_ERROR, "queued at 10, began at 0 and ended at 30");
}

/* Expects one clCompileProgram per image and one clLinkProgram; the tools' output would be built
 * with clBuildProgram. */
static void DL_BACKEND_08_the_driver_links_spirv(void **state)
{
    fixture *f = *state;
    assert_true(rt_ok(fixture_open(f, "")));
    dev_program *programs[2], *linked;
    for (int i = 0; i < 2; i++)
        assert_true(rt_ok(dev_program_compile(f->device, &image, &programs[i])));
    assert_true(rt_ok(dev_program_link(f->device, programs, 2, none, &linked)));
    dev_program_destroy(linked); /* before any assertion can fail: a device must outlive its
                                  * programs */
    for (int i = 0; i < 2; i++)
        dev_program_destroy(programs[i]);
    assert_non_null(strstr(fake->script.trace,
                           "clCreateProgramWithIL clCompileProgram "
                           "clCreateProgramWithIL clCompileProgram clLinkProgram "));
    assert_null(strstr(fake->script.trace, "clBuildProgram"));
    assert_int_equal(tools_state.image_count, 0);
}

/* The rule permits several outcomes.  The adapter's is to link the driver's own binaries of
 * compiled programs: it announces their formats, and loads them for a link without compiling them.
 * A driver for which the tools link makes no such binaries, so none are announced. */
static void DL_BACKEND_13_binaries_of_compiled_programs_are_linked(void **state)
{
    fixture *f = *state;
    fake->type = CL_DEVICE_TYPE_CPU;
    assert_true(rt_ok(fixture_open(f, "")));
    dev_capabilities found;
    dev_device_capabilities(f->device, &found);
    assert_int_equal(found.formats_taken, 1u << RT_FORMAT_SPIRV64 | 1u << RT_FORMAT_NATIVE |
                                              1u << RT_FORMAT_SPIRV64_X86_64);
    assert_true(dev_capabilities_link(&found, RT_FORMAT_SPIRV64));
    assert_true(dev_capabilities_link(&found, RT_FORMAT_NATIVE));
    assert_true(dev_capabilities_link(&found, RT_FORMAT_SPIRV64_X86_64));
    assert_false(dev_capabilities_link(&found, RT_FORMAT_SPIRV64_GEN));
    dev_code native = image;
    native.format = RT_FORMAT_SPIRV64_X86_64;
    dev_program *programs[2], *linked;
    for (int i = 0; i < 2; i++)
        assert_true(rt_ok(dev_program_compile(f->device, &native, &programs[i])));
    assert_true(rt_ok(dev_program_link(f->device, programs, 2, none, &linked)));
    dev_program_destroy(linked);
    for (int i = 0; i < 2; i++)
        dev_program_destroy(programs[i]);
    assert_non_null(strstr(fake->script.trace,
                           "clCreateProgramWithBinary clCreateProgramWithBinary clLinkProgram "));
}

static void DL_BACKEND_13_binaries_are_not_linked_where_tools_link(void **state)
{
    fixture *f = *state;
    fake_takes_bitcode();
    assert_true(rt_ok(fixture_open(f, "")));
    dev_capabilities found;
    dev_device_capabilities(f->device, &found);
    assert_true(found.formats_taken >> RT_FORMAT_NATIVE & 1);
    assert_true(dev_capabilities_link(&found, RT_FORMAT_SPIRV64));
    assert_false(dev_capabilities_link(&found, RT_FORMAT_NATIVE));
    dev_code native = image;
    native.format = RT_FORMAT_NATIVE;
    dev_program *program;
    rt_status status = dev_program_compile(f->device, &native, &program);
    expect_status(f->sink, status, RT_UNSUPPORTED, "does not link programs of format native");
}

/* An executable binary is built, a compiled one linked (OpenCL 3.0 API, 5.8.2, 5.8.3). */
static void native_programs_are_loaded_by_their_kind(void **state)
{
    static const struct {
        cl_program_binary_type type;
        const char *calls;
    } rows[] = {
        {CL_PROGRAM_BINARY_TYPE_EXECUTABLE, "clGetProgramBuildInfo clBuildProgram "},
        {CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT, "clGetProgramBuildInfo clLinkProgram "},
        {CL_PROGRAM_BINARY_TYPE_LIBRARY, "clGetProgramBuildInfo clLinkProgram "},
        {CL_PROGRAM_BINARY_TYPE_NONE, "clGetProgramBuildInfo clBuildProgram "},
    };
    fixture *f = *state;
    fake->type = CL_DEVICE_TYPE_GPU;
    fake->vendor_id = 0x8086;
    assert_true(rt_ok(fixture_open(f, "")));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        fake->binary_type = rows[i].type;
        fake->script.trace[0] = '\0';
        dev_code native = image;
        native.format = RT_FORMAT_SPIRV64_GEN;
        dev_program *program;
        assert_true(rt_ok(dev_program_build(f->device, &native, &program)));
        dev_program_destroy(program);
        assert_non_null(strstr(fake->script.trace, rows[i].calls));
    }
}

static void every_kind_of_memory_moves_its_bytes(void **state)
{
    fixture *f = *state;
    run r;
    assert_true(rt_ok(run_whole(f, &r)));
    run_expect_seen(&r);
    /* SECOND holds 42 2 3 4 from FIRST and 1 2 1 2 from the fill.  Then its first four bytes are
     * copied to byte 2 of SHARED and from there to byte 4 of the variable, and three bytes from
     * byte 5 of the variable to byte 4 of SECOND. */
    const uint8_t expected[8] = {42, 2, 3, 4, 2, 3, 4, 2};
    assert_memory_equal(r.read, expected, 8);
    assert_int_equal(fake->permissions, 3);
    assert_non_null(strstr(fake->script.trace,
                           "clEnqueueWriteGlobalVariableINTEL clEnqueueWriteGlobalVariableINTEL "
                           "clSetEventCallback clSetKernelArg clSetKernelArgMemPointerINTEL "
                           "clEnqueueNDRangeKernel clEnqueueReadGlobalVariableINTEL "));
    assert_non_null(strstr(fake->script.trace, "clEnqueueMemcpyINTEL clEnqueueMemFillINTEL "
                                               "clSetKernelArg clSetKernelArgMemPointerINTEL "
                                               "clEnqueueNDRangeKernel clEnqueueMemcpyINTEL "));
    assert_non_null(strstr(fake->script.trace,
                           "clEnqueueReadBuffer clEnqueueWriteGlobalVariableINTEL "
                           "clEnqueueWriteBuffer "));
}

/* Writes a variable, copies part of it to unified shared memory and back, and reads it: each
 * transfer uses a function of cl_intel_global_variable_access, never the variable's address.  A
 * device without the extension does not offer variables by name
 * (pointers_and_constants_are_asked_for). */
static void DG_PLUGIN_11_variables_are_read_and_written_by_name(void **state)
{
    fixture *f = *state;
    run r = {0};
    uint8_t back[4] = {0};
    assert_true(rt_ok(run_prepare(f, &r)));
    fake->script.trace[0] = '\0';
    run_move_variable(&r, back);
    run_end(&r);
    const uint8_t expected[4] = {1, 2, 2, 3};
    assert_memory_equal(back, expected, 4);
    assert_non_null(strstr(fake->script.trace, "clEnqueueWriteGlobalVariableINTEL"));
    assert_non_null(strstr(fake->script.trace, "clEnqueueReadGlobalVariableINTEL"));
    assert_null(strstr(fake->script.trace, "clEnqueueMemcpyINTEL"));
}

static void pointers_have_addresses(void **state)
{
    fixture *f = *state;
    run r = {0};
    assert_true(rt_ok(run_prepare(f, &r)));
    assert_int_equal(dev_memory_address(r.memories[VARIABLE]), (uintptr_t)fake->variable);
    assert_int_equal(r.memories[VARIABLE]->size, FAKE_VARIABLE_SIZE);
    for (int i = ON_DEVICE; i <= SHARED; i++)
        assert_int_equal(dev_memory_address(r.memories[i]) % 128, 0);
    assert_true(dev_memory_address(r.memories[ON_HOST]) != dev_memory_address(r.memories[SHARED]));
    run_end(&r);
}

static void variables_that_cannot_be_are_refused(void **state)
{
    fixture *f = *state;
    run r = {0};
    assert_true(rt_ok(run_prepare(f, &r)));
    run_refuse_variables(f, &r, &fake->variable_size);
    run_end(&r);
}

static void constants_of_a_wrong_size_are_refused(void **state)
{
    fixture *f = *state;
    assert_true(rt_ok(fixture_open(f, "")));
    const dev_spec_constant constant = {7, {spirv, 8}};
    dev_code code = image;
    code.constants = &constant;
    code.constant_count = 1;
    dev_program *program;
    rt_status status = dev_program_build(f->device, &code, &program);
    expect_status(f->sink, status, RT_ERRC_INVALID, "constant 7 does not take a value of 8 bytes");
}

static void tools_link_for_a_driver_without_spirv(void **state)
{
    fixture *f = *state;
    fake_takes_bitcode();
    fake->out_of_order = false;
    run r;
    assert_true(rt_ok(run_whole(f, &r)));
    const uint8_t expected[8] = {42, 2, 3, 4, 1, 2, 1, 2};
    assert_memory_equal(r.read, expected, 8);
    assert_int_equal(tools_state.image_count, 2);
    assert_int_equal(tools_state.constants, 2 * (40 + 9));
    assert_int_equal(fake->binary_size, 2 * sizeof spirv);
    /* The link's options are followed by those of both images, which are equal and so appear once.
     */
    assert_string_equal(fake->options, "-x spir -spir-std=1.2 -g -O1");
    assert_non_null(
        strstr(fake->script.trace, "clCreateProgramWithBinary clBuildProgram clCreateKernel"));
    assert_null(strstr(fake->script.trace, "clCompileProgram"));
    assert_null(strstr(fake->script.trace, "clLinkProgram"));
    assert_null(strstr(fake->script.trace, "clSetKernelExecInfo"));
    assert_int_equal(fake->queue_properties, 0);
}

static const char unit_text[] = "kernel void k(global int *p) { p[0] = f(p[0]); }";
static const dev_code source_image = {
    .format = RT_FORMAT_OPENCL_C,
    .bytes = {(const uint8_t *)unit_text, sizeof unit_text - 1},
    .options = {"-cl-std=CL3.0", 13},
};

static rt_status fixture_open_source(fixture *f)
{
    const dev_open_parameters parameters = {.sink = f->sink};
    return dev_device_open(&fake_source_backend, &parameters, none, &f->device);
}

/* A device without SPIR-V or SPIR; OpenCL C needs neither, nor the tools. */
static void fake_takes_source(void)
{
    fake_reset();
    fake->version = "OpenCL 1.2 fake";
    fake->il_version = "";
    fake->extensions = "";
    fake->gives_extensions = false;
}

static void driver_compiles_and_links_source(void **state)
{
    fixture *f = *state;
    fake_takes_source();
    assert_true(rt_ok(fixture_open_source(f)));
    dev_program *programs[2], *linked, *built;
    for (int i = 0; i < 2; i++)
        assert_true(rt_ok(dev_program_compile(f->device, &source_image, &programs[i])));
    assert_string_equal(fake->source, unit_text);
    assert_string_equal(fake->options, "-cl-std=CL3.0");
    assert_true(rt_ok(dev_program_link(f->device, programs, 2, RT_TEXT("-g"), &linked)));
    assert_string_equal(fake->options, "-g");
    assert_non_null(strstr(fake->script.trace, "clCreateProgramWithSource clCompileProgram "
                                               "clCreateProgramWithSource clCompileProgram "
                                               "clLinkProgram "));
    assert_true(rt_ok(dev_program_build(f->device, &source_image, &built)));
    assert_string_equal(fake->options, "-cl-std=CL3.0");
    assert_non_null(strstr(fake->script.trace, "clCreateProgramWithSource clBuildProgram "));
    assert_null(strstr(fake->script.trace, "clCreateProgramWithIL"));
    dev_program_destroy(built);
    dev_program_destroy(linked);
    dev_program_destroy(programs[0]);
    dev_program_destroy(programs[1]);
}

static void source_capabilities_are_of_source(void **state)
{
    fixture *f = *state;
    /* The device offers everything that SPIR-V needs; the adapter ignores it. */
    assert_true(rt_ok(fixture_open_source(f)));
    dev_capabilities found;
    dev_device_capabilities(f->device, &found);
    assert_int_equal(found.formats_taken, 1u << RT_FORMAT_OPENCL_C);
    assert_true(dev_capabilities_link(&found, RT_FORMAT_OPENCL_C));
    assert_false(dev_capabilities_link(&found, RT_FORMAT_SPIRV64));
    assert_false(found.links_with_tool);
    assert_false(found.spec_constants);
    assert_false(found.globals_by_name);
    assert_false(found.function_pointers);
    dev_program *program;
    rt_status status = dev_program_compile(f->device, &image, &program);
    expect_status(f->sink, status, RT_UNSUPPORTED, "takes images of format opencl_c, not spirv64");
    fixture_close(f);
    fake->linker = CL_FALSE;
    assert_true(rt_ok(fixture_open_source(f)));
    dev_device_capabilities(f->device, &found);
    assert_false(dev_capabilities_link(&found, RT_FORMAT_OPENCL_C));
    fixture_close(f);
    fake->compiler = CL_FALSE;
    assert_int_equal(fixture_open_source(f).code, RT_UNAVAILABLE);
    /* A device opened for SPIR-V takes no OpenCL C. */
    fake_reset();
    assert_true(rt_ok(fixture_open(f, "")));
    status = dev_program_build(f->device, &source_image, &program);
    assert_int_equal(status.code, RT_UNSUPPORTED);
}

/* Compiles, links and builds once, and frees everything. */
static rt_status source_whole(const fixture *f)
{
    dev_program *programs[2] = {NULL};
    rt_status status = dev_program_compile(f->device, &source_image, &programs[0]);
    if (rt_ok(status)) status = dev_program_link(f->device, &programs[0], 1, none, &programs[1]);
    dev_program_destroy(programs[0]);
    dev_program_destroy(programs[1]);
    programs[0] = NULL;
    if (rt_ok(status)) status = dev_program_build(f->device, &source_image, &programs[0]);
    dev_program_destroy(programs[0]);
    return status;
}

static void failures_of_source_have_their_class(void **state)
{
    fixture *f = *state;
    const struct {
        const char *call;
        cl_int result;
        rt_code code;
        const char *part; /* part of the message */
    } rows[] = {
        {"clCreateProgramWithSource", CL_OUT_OF_HOST_MEMORY, RT_ERRC_MEMORY_ALLOCATION,
         "clCreateProgramWithSource"},
        {"clCreateProgramWithSource", CL_SUCCESS, RT_DRIVER_ERROR, "without a result"},
        {"clCompileProgram", CL_COMPILE_PROGRAM_FAILURE, RT_ERRC_BUILD, "symbol: twice"},
        {"clCompileProgram", CL_INVALID_COMPILER_OPTIONS, RT_ERRC_BUILD, "-66"},
        {"clLinkProgram", CL_LINK_PROGRAM_FAILURE, RT_LINK_ERROR, "undefined symbol: twice"},
        {"clLinkProgram", CL_LINKER_NOT_AVAILABLE, RT_UNSUPPORTED, "CL_LINKER_NOT_AVAILABLE"},
        {"clBuildProgram", CL_BUILD_PROGRAM_FAILURE, RT_ERRC_BUILD, "undefined symbol: twice"},
    };
    fake_takes_source();
    assert_true(rt_ok(fixture_open_source(f)));
    int32_t live = fake->script.live;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        fake->script.fail_call = rows[i].call;
        fake->script.fail_with = rows[i].result;
        rt_status status = source_whole(f);
        expect_status(f->sink, status, rows[i].code, rows[i].part);
        assert_int_equal(fake->script.live, live);
    }
    fake->script.fail_call = NULL;
    assert_true(rt_ok(source_whole(f)));
}

/* Maps and unmaps a range of a buffer once, and frees everything. */
static rt_status map_whole(const fixture *f)
{
    dev_memory *memory = NULL;
    dev_queue *queue = NULL;
    dev_event *mapped = NULL, *unmapped = NULL;
    dev_mapping *mapping = NULL;
    const dev_map map = {4, 8, DEV_MAP_READ_WRITE, .is_blocking = true};
    assert_true(rt_ok(dev_memory_create(f->device, 16, RT_TEXT("data"), &memory)));
    assert_true(rt_ok(dev_queue_create(f->device, &queue)));
    rt_status status = dev_enqueue_map(queue, no_wait, memory, map, &mapping, &mapped);
    if (rt_ok(status)) status = dev_enqueue_unmap(queue, no_wait, mapping, &unmapped);
    dev_event_destroy(mapped);
    dev_event_destroy(unmapped);
    dev_queue_destroy(queue);
    dev_memory_destroy(memory);
    return status;
}

static void failures_of_maps_have_their_class(void **state)
{
    fixture *f = *state;
    const struct {
        const char *call;
        cl_int result;
        rt_code code;
        const char *part; /* part of the message */
    } rows[] = {
        {"clEnqueueMapBuffer", CL_INVALID_OPERATION, RT_ERRC_INVALID, "CL_INVALID_OPERATION"},
        {"clEnqueueMapBuffer", CL_MAP_FAILURE, RT_DRIVER_ERROR, "CL_MAP_FAILURE"},
        {"clEnqueueMapBuffer", CL_SUCCESS, RT_DRIVER_ERROR, "clEnqueueMapBuffer"},
        {"clEnqueueUnmapMemObject", CL_INVALID_VALUE, RT_DRIVER_ERROR, "clEnqueueUnmapMemObject"},
    };
    assert_true(rt_ok(fixture_open(f, "")));
    int32_t live = fake->script.live;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        fake->script.fail_call = rows[i].call;
        fake->script.fail_with = rows[i].result;
        expect_status(f->sink, map_whole(f), rows[i].code, rows[i].part);
        assert_int_equal(fake->script.live, live);
    }
    fake->script.fail_call = NULL;
    assert_true(rt_ok(map_whole(f)));
}

/* The driver compiles in one step what came from several images, each with its own options. */
static void options_of_every_image_reach_the_driver(void **state)
{
    fixture *f = *state;
    fake_takes_bitcode();
    assert_true(rt_ok(fixture_open(f, "")));
    const rt_text options[] = {{"-B", 2}, {"-A", 2}, {"", 0}, {"-B", 2}, {"-C", 2}};
    enum { COUNT = sizeof options / sizeof *options };
    dev_program *programs[COUNT], *linked;
    for (uint32_t i = 0; i < COUNT; i++) {
        dev_code code = image;
        code.options = options[i];
        assert_true(rt_ok(dev_program_compile(f->device, &code, &programs[i])));
    }
    assert_true(rt_ok(dev_program_link(f->device, programs, COUNT, RT_TEXT("-A"), &linked)));
    assert_string_equal(fake->options, "-x spir -spir-std=1.2 -A -B -C");
    dev_program_destroy(linked);
    for (uint32_t i = 0; i < COUNT; i++)
        dev_program_destroy(programs[i]);
}

static void no_failure_leaks_or_panics(void **state)
{
    const fixture *f = *state;
    const whole_use uses[] = {
        {fake_reset, use_whole, NULL, 30, 250},
        {fake_takes_bitcode, use_whole, NULL, 30, 250},
        {fake_reset, use_binary, NULL, 30, 250},
        {fake_takes_bitcode, use_binary, NULL, 30, 250},
    };
    const cl_int results[] = {CL_OUT_OF_HOST_MEMORY,
                              CL_OUT_OF_RESOURCES,
                              CL_DEVICE_NOT_AVAILABLE,
                              CL_INVALID_VALUE,
                              CL_INVALID_KERNEL_NAME,
                              CL_LINK_PROGRAM_FAILURE,
                              CL_BUILD_PROGRAM_FAILURE,
                              CL_INVALID_WORK_GROUP_SIZE,
                              CL_SUCCESS,
                              -9999};
    for (size_t i = 0; i < sizeof results / sizeof *results; i++) {
        for (size_t k = 0; k < sizeof uses / sizeof *uses; k++)
            fail_each_call(f, &uses[k], results[i], false);
    }
}

static void failures_have_the_class_of_their_call(void **state)
{
    fixture *f = *state;
    static const failure rows[] = {
        {"clGetPlatformIDs", -1001, RT_UNAVAILABLE, "CL_PLATFORM_NOT_FOUND_KHR"},
        {"clCreateContext", CL_OUT_OF_RESOURCES, RT_DRIVER_ERROR, "clCreateContext"},
        {"clCreateCommandQueueWithProperties", CL_OUT_OF_HOST_MEMORY, RT_ERRC_MEMORY_ALLOCATION,
         "CL_OUT_OF_HOST_MEMORY"},
        {"clCreateBuffer", CL_INVALID_BUFFER_SIZE, RT_ERRC_MEMORY_ALLOCATION, "clCreateBuffer"},
        {"clCreateBuffer", CL_MEM_OBJECT_ALLOCATION_FAILURE, RT_ERRC_MEMORY_ALLOCATION,
         "CL_MEM_OBJECT_ALLOCATION_FAILURE"},
        {"clCreateBuffer", CL_SUCCESS, RT_DRIVER_ERROR, "without a result"},
        {"clCreateProgramWithIL", CL_INVALID_VALUE, RT_MALFORMED, "CL_INVALID_VALUE"},
        {"clCompileProgram", CL_COMPILE_PROGRAM_FAILURE, RT_ERRC_BUILD, "symbol: twice"},
        {"clLinkProgram", CL_LINK_PROGRAM_FAILURE, RT_LINK_ERROR, "undefined symbol: twice"},
        {"clLinkProgram", CL_INVALID_LINKER_OPTIONS, RT_ERRC_BUILD, "CL_INVALID_LINKER_OPTIONS"},
        {"clLinkProgram", CL_INVALID_OPERATION, RT_DRIVER_ERROR, "CL_INVALID_OPERATION (-59)"},
        {"clCreateKernel", CL_INVALID_KERNEL_NAME, RT_ERRC_INVALID, "no kernel 'k'"},
        {"clSetKernelArg", CL_INVALID_ARG_SIZE, RT_ERRC_KERNEL_ARGUMENT,
         "argument 0 of 2 (from 0), a value of 1 bytes, was refused: clSetKernelArg: "
         "CL_INVALID_ARG_SIZE (-51); a value fits a non-pointer parameter of exactly the same "
         "size"},
        {"clSetKernelArg", CL_INVALID_MEM_OBJECT, RT_ERRC_KERNEL_ARGUMENT, "CL_INVALID_MEM_OBJECT"},
        {"clSetKernelArgMemPointerINTEL", CL_INVALID_ARG_VALUE, RT_ERRC_KERNEL_ARGUMENT,
         "argument 1 of 2 (from 0), a pointer to byte 3 of unified shared memory of 8 bytes, was "
         "refused: clSetKernelArgMemPointerINTEL"},
        {"clDeviceMemAllocINTEL", CL_INVALID_BUFFER_SIZE, RT_ERRC_MEMORY_ALLOCATION,
         "clDeviceMemAllocINTEL"},
        {"clHostMemAllocINTEL", CL_OUT_OF_RESOURCES, RT_DRIVER_ERROR, "clHostMemAllocINTEL"},
        {"clSharedMemAllocINTEL", CL_SUCCESS, RT_DRIVER_ERROR, "clSharedMemAllocINTEL"},
        {"clSetProgramSpecializationConstant", CL_OUT_OF_HOST_MEMORY, RT_ERRC_MEMORY_ALLOCATION,
         "clSetProgramSpecializationConstant"},
        {"clSetKernelExecInfo", CL_INVALID_OPERATION, RT_DRIVER_ERROR, "INDIRECT_HOST_ACCESS"},
        {"clGetDeviceGlobalVariablePointerINTEL", CL_INVALID_PROGRAM, RT_DRIVER_ERROR,
         "CL_INVALID_PROGRAM"},
        {"clEnqueueMemFillINTEL", CL_INVALID_VALUE, RT_DRIVER_ERROR, "clEnqueueMemFillINTEL"},
        {"clEnqueueReadGlobalVariableINTEL", CL_INVALID_VALUE, RT_DRIVER_ERROR,
         "clEnqueueReadGlobalVariableINTEL"},
        {"clSetEventCallback", CL_OUT_OF_HOST_MEMORY, RT_ERRC_MEMORY_ALLOCATION,
         "clSetEventCallback"},
        {"clEnqueueNDRangeKernel", CL_INVALID_WORK_GROUP_SIZE, RT_ERRC_ND_RANGE, "clEnqueueND"},
        {"clEnqueueReadBuffer", CL_DEVICE_NOT_AVAILABLE, RT_DEVICE_LOST, "clEnqueueRead"},
        {"clFlush", -9999, RT_DRIVER_ERROR, "(-9999)"},
        {"clWaitForEvents", CL_OUT_OF_RESOURCES, RT_DEVICE_LOST, "clWaitForEvents"},
        {"clGetEventProfilingInfo", CL_PROFILING_INFO_NOT_AVAILABLE, RT_DRIVER_ERROR,
         "CL_PROFILING_INFO_NOT_AVAILABLE"},
    };
    static const failure of_bitcode = {"clBuildProgram", CL_BUILD_PROGRAM_FAILURE, RT_ERRC_BUILD,
                                       "undefined symbol: twice"};
    const whole_use whole = {fake_reset, use_whole, NULL, 0, 0};
    const whole_use bitcode = {fake_takes_bitcode, use_whole, NULL, 0, 0};
    expect_failures(f, &whole, rows, sizeof rows / sizeof *rows);
    expect_failures(f, &bitcode, &of_bitcode, 1);
}

static void logs_show_what_is_wrong(void **state)
{
    fixture *f = *state;
    const struct {
        const char *log, *excerpt; /* the end of the message */
    } rows[] = {
        {"", "(-11)"},
        {"Linking started\nLinking done\n\n", "(-11)"},
        {"remark: 16-way\nno symbol f  \r\n\nagain done\nat g\n", "log:\nno symbol f\nat g"},
    };
    fake->script.fail_call = "clCompileProgram";
    fake->script.fail_with = CL_BUILD_PROGRAM_FAILURE;
    assert_true(rt_ok(fixture_open(f, "")));
    dev_program *program;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        fake->log = rows[i].log;
        rt_status status = dev_program_compile(f->device, &image, &program);
        rt_text message = rt_sink_diagnostic(f->sink, status)->message;
        size_t length = strlen(rows[i].excerpt);
        assert_true(message.length >= length);
        assert_memory_equal(message.data + message.length - length, rows[i].excerpt, length);
    }
    static char long_log[9000]; /* three-byte characters, which must not be split */
    for (size_t i = 0; i + 3 < sizeof long_log; i += 3)
        memcpy(long_log + i, "\xE2\x82\xAC", 3);
    fake->log = long_log;
    rt_status status = dev_program_compile(f->device, &image, &program);
    rt_text message = rt_sink_diagnostic(f->sink, status)->message;
    assert_true(message.length < 4200);
    assert_true(message_has(f->sink, status, "\xE2\x82\xAC… (4998 more bytes)"));
}

static void what_the_tools_say_is_passed_on(void **state)
{
    fixture *f = *state;
    const rt_code answers[] = {RT_LINK_ERROR, RT_MALFORMED, RT_UNSUPPORTED,
                               RT_TOOL,       RT_IO,        RT_UNAVAILABLE};
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) {
        fake_takes_bitcode();
        tools_state.answer = answers[i];
        run r;
        assert_int_equal(run_whole(f, &r).code, answers[i]);
    }
}

/* ---- Events and kernels ------------------------------------------------------------------- */

static void failed_commands_tell_their_waiters(void **state)
{
    fixture *f = *state;
    const struct {
        cl_int status;
        rt_code code;
        const char *part;
    } rows[] = {
        {CL_OUT_OF_RESOURCES, RT_DEVICE_LOST, "CL_OUT_OF_RESOURCES"},
        {CL_MEM_OBJECT_ALLOCATION_FAILURE, RT_ERRC_MEMORY_ALLOCATION, "while it ran"},
        {CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, RT_DRIVER_ERROR, "did not run"},
        {-4242, RT_DRIVER_ERROR, "-4242"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        fake_reset();
        run r = {0};
        assert_true(rt_ok(run_prepare(f, &r)));
        fake->event_status = rows[i].status;
        assert_true(rt_ok(dev_enqueue_read(r.queues[0], no_wait, r.memories[FIRST], 0, 8, r.read,
                                           run_event(&r))));
        assert_int_equal(dev_event_query(r.events[0]), DEV_EVENT_FAILED);
        rt_status first = dev_event_wait(r.events[0]), second = dev_event_wait(r.events[0]);
        assert_int_equal(first.code, rows[i].code);
        assert_int_equal(first.detail, second.detail);
        assert_true(message_has(f->sink, first, rows[i].part));
        assert_int_equal(dev_event_query(r.events[0]), DEV_EVENT_FAILED);
        run_end(&r);
    }
}

static void pending_commands_are_pending(void **state)
{
    fixture *f = *state;
    run r = {0};
    assert_true(rt_ok(run_prepare(f, &r)));
    fake->event_status = CL_SUBMITTED;
    assert_true(rt_ok(
        dev_enqueue_read(r.queues[0], no_wait, r.memories[FIRST], 0, 8, r.read, run_event(&r))));
    assert_int_equal(dev_event_query(r.events[0]), DEV_EVENT_PENDING);
    run_end(&r);
}

static void wrong_images_and_kernels_are_refused(void **state)
{
    fixture *f = *state;
    run r = {0};
    assert_true(rt_ok(run_prepare(f, &r)));
    dev_program *program;
    dev_kernel *kernel;
    dev_event *event;
    dev_code native = image;
    native.format = RT_FORMAT_SPIRV64_GEN;
    assert_int_equal(dev_program_build(r.device, &native, &program).code, RT_UNSUPPORTED);
    assert_int_equal(dev_kernel_create(r.programs[2], RT_TEXT("missing"), &kernel).code,
                     RT_ERRC_INVALID);
    assert_int_equal(dev_kernel_create(r.programs[2], (rt_text){"k\0k", 3}, &kernel).code,
                     RT_ERRC_INVALID);
    assert_int_equal(
        dev_enqueue_kernel(r.queues[0], no_wait, r.kernel, &one_item, NULL, 0, &event).code,
        RT_ERRC_KERNEL_ARGUMENT);
    const dev_nd_range uneven = {.dimensions = 1, .global = {3, 1, 1}, .local = {2, 1, 1}};
    const uint8_t value = 0;
    const dev_argument arguments[] = {
        {.kind = DEV_ARGUMENT_BYTES, .bytes = {&value, 1}},
        {.kind = DEV_ARGUMENT_MEMORY, .memory = NULL},
    };
    assert_int_equal(
        dev_enqueue_kernel(r.queues[0], no_wait, r.kernel, &uneven, arguments, 2, &event).code,
        RT_ERRC_ND_RANGE);
    assert_true(rt_ok(dev_enqueue_kernel(r.queues[0], no_wait, r.kernel, &one_item, arguments, 2,
                                         run_event(&r))));
    run_end(&r);
}

static void damaged_modules_do_not_reach_the_driver(void **state)
{
    fixture *f = *state;
    assert_true(rt_ok(fixture_open(f, "")));
    enum { WORDS = 8 };
    static const uint32_t whole[WORDS] = {0x07230203, 0x10000, 0, 9, 0, 0x20011, 4, 0x10000 | 56};
    uint32_t damaged[WORDS], swapped[WORDS];
    const struct {
        size_t size; /* bytes passed */
        size_t word; /* index of the damaged word */
        uint32_t to; /* its new value */
        const char *part;
    } rows[] = {
        {0, 1, 0, "ends at byte 0, inside its header"},
        {3, 1, 0, "ends at byte 3, inside its header"},
        {32, 0, 0x07230204, "begins the word 0x07230204"},
        {16, 1, 0, "ends at byte 16, inside its header"},
        {30, 1, 0, "30 bytes, which is not a whole number of words"},
        {24, 1, 0, "at byte 20 (opcode 17) declares 2 words; 1 are left"},
        {32, 7, 0x20000 | 56, "at byte 28 (opcode 56) declares 2 words; 1 are left"},
        {32, 5, 0x11, "at byte 20 (opcode 17) declares 0 words; 3 are left"},
    };
    dev_code code = image;
    dev_program *program;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        memcpy(damaged, whole, sizeof damaged);
        damaged[rows[i].word] = rows[i].to;
        code.bytes = (rt_bytes){(const uint8_t *)damaged, rows[i].size};
        rt_status status = dev_program_build(f->device, &code, &program);
        expect_status(f->sink, status, RT_MALFORMED, rows[i].part);
    }
    assert_null(strstr(fake->script.trace, "clCreateProgramWithIL"));
    for (size_t i = 0; i < WORDS; i++)
        swapped[i] = __builtin_bswap32(whole[i]);
    const uint32_t *good[] = {whole, swapped};
    for (size_t i = 0; i < 2; i++) {
        code.bytes = (rt_bytes){(const uint8_t *)good[i], sizeof whole};
        assert_true(rt_ok(dev_program_build(f->device, &code, &program)));
        dev_program_destroy(program);
    }
}

/* The fake's device has 4096 bytes of local memory. */
static void local_memory_past_the_devices_is_refused(void **state)
{
    fixture *f = *state;
    run r = {0};
    assert_true(rt_ok(run_prepare(f, &r)));
    dev_argument arguments[] = {
        {.kind = DEV_ARGUMENT_LOCAL, .size = 4000},
        {.kind = DEV_ARGUMENT_LOCAL, .size = 97},
    };
    dev_event *event;
    rt_status status =
        dev_enqueue_kernel(r.queues[0], no_wait, r.kernel, &one_item, arguments, 2, &event);
    expect_status(f->sink, status, RT_LIMIT, "argument 1 (from 0) requires 97 bytes");
    assert_true(message_has(f->sink, status, "has 4096 bytes"));
    /* One byte less fits, but the fake's kernel refuses the argument because it is local memory. */
    arguments[1].size = 96;
    status = dev_enqueue_kernel(r.queues[0], no_wait, r.kernel, &one_item, arguments, 2, &event);
    expect_status(f->sink, status, RT_ERRC_KERNEL_ARGUMENT,
                  "argument 1 of 2 (from 0), 96 bytes of local memory");
    run_end(&r);
}

/* A thread that launches the shared kernel object with an argument of its own. */
typedef struct launcher {
    run *shared;
    uint8_t value;
} launcher;

static void *launcher_run(void *user)
{
    const launcher *l = user;
    dev_memory *memory;
    CHECK(rt_ok(dev_memory_create(l->shared->device, 8, RT_TEXT("m"), &memory)));
    const dev_argument arguments[] = {
        {.kind = DEV_ARGUMENT_BYTES, .bytes = {&l->value, 1}},
        {.kind = DEV_ARGUMENT_MEMORY, .memory = memory},
    };
    for (int i = 0; i < 200; i++) {
        uint8_t read = 0;
        dev_event *launched, *done;
        CHECK(rt_ok(dev_enqueue_kernel(l->shared->queues[0], no_wait, l->shared->kernel, &one_item,
                                       arguments, 2, &launched)));
        const dev_command after = {.wait = &launched, .wait_count = 1};
        CHECK(rt_ok(dev_enqueue_read(l->shared->queues[1], after, memory, 0, 1, &read, &done)));
        CHECK(rt_ok(dev_event_wait(done)));
        CHECK(read == l->value);
        dev_event_destroy(launched);
        dev_event_destroy(done);
    }
    dev_memory_destroy(memory);
    return NULL;
}

static void threads_share_a_kernel(void **state)
{
    fixture *f = *state;
    run r = {0};
    assert_true(rt_ok(run_prepare(f, &r)));
    pthread_t threads[4];
    launcher launchers[4];
    for (uint8_t i = 0; i < 4; i++) {
        launchers[i] = (launcher){&r, (uint8_t)(10 + i)};
        assert_int_equal(pthread_create(&threads[i], NULL, launcher_run, &launchers[i]), 0);
    }
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    run_end(&r);
}

static void results_have_names(void **state)
{
    (void)state;
    const char *no_name = vendor_result_name(&ocl_results, -9999);
    assert_string_equal(no_name, "a result that OpenCL 3.0 does not name");
    assert_string_equal(vendor_result_name(&ocl_results, -17), "CL_LINK_PROGRAM_FAILURE");
    assert_string_equal(vendor_result_name(&ocl_results, -72), "CL_MAX_SIZE_RESTRICTION_EXCEEDED");
    for (int result = -19; result >= -72; result--) {
        /* OpenCL does not use -20 to -29. */
        if (result < -29 || result == -19)
            assert_string_not_equal(vendor_result_name(&ocl_results, result), no_name);
    }
}

int main(int argc, char **argv)
{
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    fake = fixture_find_fake(FAKE_LIBRARY);
    if (!fake) return 1;
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, fixture_end)
    const struct CMUnitTest tests[] = {
        TEST(loaders_that_are_none_are_unavailable),
        TEST(selectors_choose_by_parts_of_names),
        TEST(routes_follow_from_answers),
        TEST(capabilities_are_the_drivers_answers),
        TEST(pointers_and_constants_are_asked_for),
        TEST(driver_compiles_and_links_spirv),
        TEST(times_in_no_order_are_refused),
        TEST(DL_BACKEND_08_the_driver_links_spirv),
        TEST(DL_BACKEND_13_binaries_of_compiled_programs_are_linked),
        TEST(DL_BACKEND_13_binaries_are_not_linked_where_tools_link),
        TEST(native_programs_are_loaded_by_their_kind),
        TEST(programs_survive_as_binaries),
        TEST(every_kind_of_memory_moves_its_bytes),
        TEST(DG_PLUGIN_11_variables_are_read_and_written_by_name),
        TEST(pointers_have_addresses),
        TEST(variables_that_cannot_be_are_refused),
        TEST(constants_of_a_wrong_size_are_refused),
        TEST(tools_link_for_a_driver_without_spirv),
        TEST(driver_compiles_and_links_source),
        TEST(source_capabilities_are_of_source),
        TEST(failures_of_source_have_their_class),
        TEST(options_of_every_image_reach_the_driver),
        TEST(no_failure_leaks_or_panics),
        TEST(failures_have_the_class_of_their_call),
        TEST(logs_show_what_is_wrong),
        TEST(what_the_tools_say_is_passed_on),
        TEST(failed_commands_tell_their_waiters),
        TEST(pending_commands_are_pending),
        TEST(wrong_images_and_kernels_are_refused),
        TEST(damaged_modules_do_not_reach_the_driver),
        TEST(local_memory_past_the_devices_is_refused),
        TEST(threads_share_a_kernel),
        TEST(failures_of_maps_have_their_class),
        TEST(results_have_names),
    };
#undef TEST
    return cmocka_run_group_tests(tests, NULL, NULL);
}
