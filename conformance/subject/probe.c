/* The computation of `assay probe --compute`; see probe.h.  Commands wait for each other through
 * events, in one queue, as the runtime's commands do. */
#include "conformance/subject/probe.h"

#include "reference/base/vector.h"

#include <string.h>

/* SPIR-V 1.0, assembled by spirv-as from:
 *
 *   OpCapability Addresses                       %kernel = OpFunction %void None %fn
 *   OpCapability Kernel                          %data = OpFunctionParameter %cw_uint
 *   OpCapability Int64                           %entry = OpLabel
 *   OpMemoryModel Physical64 OpenCL              %v = OpLoad %v3ulong %id Aligned 32
 *   OpEntryPoint Kernel %kernel                  %i = OpCompositeExtract %ulong %v 0
 *                "assay_probe" %id               %p = OpInBoundsPtrAccessChain %cw_uint %data %i
 *   OpDecorate %id BuiltIn GlobalInvocationId    %x = OpLoad %uint %p Aligned 4
 *   OpDecorate %id Constant                      %t = OpIMul %uint %x %three
 *   types; %three = OpConstant %uint 3           %j = OpUConvert %uint %i
 *   %id = OpVariable %in_v3 Input                %r = OpIAdd %uint %t %j
 *                                                OpStore %p %r Aligned 4
 *                                                OpReturn
 *                                                OpFunctionEnd
 *
 * that is: data[i] = data[i] * 3 + i. */
static const uint32_t kernel_words[] = {
    0x07230203, 0x00010000, 0x00070000, 0x00000014, 0x00000000, 0x00020011, 0x00000004, 0x00020011,
    0x00000006, 0x00020011, 0x0000000b, 0x0003000e, 0x00000002, 0x00000002, 0x0007000f, 0x00000006,
    0x00000001, 0x61737361, 0x72705f79, 0x0065626f, 0x00000002, 0x00040047, 0x00000002, 0x0000000b,
    0x0000001c, 0x00030047, 0x00000002, 0x00000016, 0x00020013, 0x00000003, 0x00040015, 0x00000004,
    0x00000020, 0x00000000, 0x00040015, 0x00000005, 0x00000040, 0x00000000, 0x00040017, 0x00000006,
    0x00000005, 0x00000003, 0x00040020, 0x00000007, 0x00000001, 0x00000006, 0x00040020, 0x00000008,
    0x00000005, 0x00000004, 0x00040021, 0x00000009, 0x00000003, 0x00000008, 0x0004002b, 0x00000004,
    0x0000000a, 0x00000003, 0x0004003b, 0x00000007, 0x00000002, 0x00000001, 0x00050036, 0x00000003,
    0x00000001, 0x00000000, 0x00000009, 0x00030037, 0x00000008, 0x0000000b, 0x000200f8, 0x0000000c,
    0x0006003d, 0x00000006, 0x0000000d, 0x00000002, 0x00000002, 0x00000020, 0x00050051, 0x00000005,
    0x0000000e, 0x0000000d, 0x00000000, 0x00050046, 0x00000008, 0x0000000f, 0x0000000b, 0x0000000e,
    0x0006003d, 0x00000004, 0x00000010, 0x0000000f, 0x00000002, 0x00000004, 0x00050084, 0x00000004,
    0x00000011, 0x00000010, 0x0000000a, 0x00040071, 0x00000004, 0x00000012, 0x0000000e, 0x00050080,
    0x00000004, 0x00000013, 0x00000011, 0x00000012, 0x0005003e, 0x0000000f, 0x00000013, 0x00000002,
    0x00000004, 0x000100fd, 0x00010038,
};

/* The same kernel for a device that accepts source. */
static const char kernel_source[] = "kernel void assay_probe(global uint *data)\n"
                                    "{\n"
                                    "    size_t i = get_global_id(0);\n"
                                    "    data[i] = data[i] * 3 + (uint)i;\n"
                                    "}\n";

/* The same kernel in PTX, which the driver accepts for any GPU of compute capability 5.2 or newer;
 * the header and the last parameter follow reference/base/ptx.h. */
static const char kernel_ptx[] = "//@kernel assay_probe pointer:8\n"
                                 ".version 6.4\n"
                                 ".target sm_52\n"
                                 ".address_size 64\n"
                                 ".visible .entry assay_probe(.param .u64 data,\n"
                                 "    .param .align 8 .b8 launch[32])\n"
                                 "{\n"
                                 "    .reg .b32 %r<7>;\n"
                                 "    .reg .b64 %a<3>;\n"
                                 "    mov.u32 %r1, %ctaid.x;\n"
                                 "    mov.u32 %r2, %ntid.x;\n"
                                 "    mov.u32 %r3, %tid.x;\n"
                                 "    mad.lo.u32 %r4, %r1, %r2, %r3;\n"
                                 "    ld.param.u64 %a1, [data];\n"
                                 "    mad.wide.u32 %a2, %r4, 4, %a1;\n"
                                 "    ld.global.u32 %r5, [%a2];\n"
                                 "    mad.lo.u32 %r6, %r5, 3, %r4;\n"
                                 "    st.global.u32 [%a2], %r6;\n"
                                 "    ret;\n"
                                 "}\n";

/* The number of elements, the number copied from a filled memory (half of them), and the two
 * values. */
enum { COUNT = 256, COPIED = COUNT / 2, WRITTEN = 0x01020304, FILLED = 0x5a5a5a5a };
_Static_assert(2 * COPIED == COUNT, "two halves");
enum { SIZE = COUNT * sizeof(uint32_t), COPIED_SIZE = COPIED * sizeof(uint32_t) };

struct cnf_probe {
    dev_device *device;
    rt_sink *sink;
    rt_status made; /* why its objects could not be created */
    bool executes, links_with_tool;
    dev_memory *data, *filled;
    dev_program *program;
    dev_kernel *kernel;
    dev_queue *queue;
    RT_VECTOR(dev_event *) events; /* in the order of the commands */
    dev_code code; /* of the kernel; no bytes: the device accepts none of our formats */

    uint32_t host[COUNT]; /* the data written, later the data read */
};

/* Prepares the next command, which waits for all earlier ones. */
static dev_command next_command(const cnf_probe *state)
{
    return (dev_command){
        .tag = state->events.count, .wait = state->events.items, .wait_count = state->events.count};
}

static rt_status enqueued(cnf_probe *state, rt_status status, dev_event *event)
{
    if (rt_ok(status)) *rt_vector_push(&state->events) = event;
    return status;
}

static rt_status make_objects(cnf_probe *state)
{
    RT_TRY(dev_memory_create(state->device, SIZE, RT_TEXT("probe"), &state->data));
    RT_TRY(dev_memory_create(state->device, SIZE, RT_TEXT("probe_filled"), &state->filled));
    RT_TRY(dev_queue_create(state->device, &state->queue));
    if (state->code.bytes.size == 0) return RT_STATUS_OK;
    RT_TRY(dev_program_build(state->device, &state->code, &state->program));
    return dev_kernel_create(state->program, RT_TEXT("assay_probe"), &state->kernel);
}

/* Writes all data, fills the other memory, copies half of it, launches the kernel, and reads all
 * data. */
static rt_status run_commands(cnf_probe *state)
{
    static const uint32_t pattern = FILLED;
    const rt_bytes pattern_bytes = {(const uint8_t *)&pattern, sizeof pattern};
    dev_event *event = NULL;
    rt_status status = dev_enqueue_write(state->queue, next_command(state), state->data, 0, SIZE,
                                         state->host, &event);
    RT_TRY(enqueued(state, status, event));
    status = dev_enqueue_fill(state->queue, next_command(state), state->filled, 0, SIZE,
                              pattern_bytes, &event);
    RT_TRY(enqueued(state, status, event));
    status = dev_enqueue_copy(state->queue, next_command(state), state->filled, 0, state->data, 0,
                              COPIED_SIZE, &event);
    RT_TRY(enqueued(state, status, event));
    if (state->kernel) {
        const dev_nd_range range = {.dimensions = 1, .global = {COUNT, 1, 1}};
        const dev_argument argument = {.kind = DEV_ARGUMENT_MEMORY, .memory = state->data};
        status = dev_enqueue_kernel(state->queue, next_command(state), state->kernel, &range,
                                    &argument, 1, &event);
        RT_TRY(enqueued(state, status, event));
    }
    status = dev_enqueue_read(state->queue, next_command(state), state->data, 0, SIZE, state->host,
                              &event);
    RT_TRY(enqueued(state, status, event));
    RT_TRY(dev_queue_flush(state->queue));
    CHECK(state->events.count > 0);
    return dev_event_wait(state->events.items[state->events.count - 1]);
}

/* ---- The same computation as a scenario ----------------------------------------------------- */

static const rt_text kernel_names[] = {{"assay_probe", 11}};
static const rt_image images[] = {{.name = {"app/0", 5},
                                   .format = RT_FORMAT_SPIRV64,
                                   .kernels = kernel_names,
                                   .kernel_count = 1,
                                   .code = {(const uint8_t *)kernel_words, sizeof kernel_words}}};
static const scn_module modules[] = {
    {.name = {"app", 3}, .registers = true, .images = {images, 1}}};
static const scn_device devices[] = {{.name = {"device", 6}}};
static const scn_field element[] = {{.type = SCN_TYPE_UINT, .lanes = 1}};
static const uint8_t zeros[SIZE];
static const scn_memory memories[] = {
    {.name = {"probe", 5},
     .kind = SCN_MEMORY_BUFFER,
     .layout = {.size = 4, .alignment = 4, .fields = element, .field_count = 1},
     .count = COUNT,
     .initial = {zeros, SIZE}}};
static const scn_argument arguments[] = {{.kind = SCN_ARGUMENT_MEMORY}};
static const scn_step steps[] = {{.verb = SCN_VERB_SUBMIT,
                                  .profile = RT_PROFILE_COUNT,
                                  .submit = {.command = {.queue = SCN_NONE},
                                             .kernel = {"assay_probe", 11},
                                             .module = SCN_NONE,
                                             .dimensions = 1,
                                             .range = {COUNT, 1, 1},
                                             .arguments = arguments,
                                             .argument_count = 1}}};

const scn_scenario cnf_probe_scenario = {
    .path = {"probe", 5},
    .file = {"probe", 5},
    .summary = {"A computation with a known answer.", 34},
    .modules = modules,
    .module_count = 1,
    .devices = devices,
    .device_count = 1,
    .memories = memories,
    .memory_count = 1,
    .steps = steps,
    .step_count = 1,
};

/* Compares the numbers with the expected ones: every element of a half started with the same value,
 * and the kernel, if it ran, changed every element. Describes the first wrong number in
 * out_message. */
static bool numbers_compare(const uint8_t *data, uint32_t first_half, uint32_t second_half,
                            bool kernel_ran, rt_buffer *out_message)
{
    for (uint32_t i = 0; i < COUNT; i++) {
        uint32_t value, begun = i < COPIED ? first_half : second_half;
        uint32_t right = kernel_ran ? begun * 3u + i : begun;
        memcpy(&value, data + (size_t)i * sizeof value, sizeof value);
        if (value == right) continue;
        rt_buffer_printf(out_message, "element %u of a known computation is 0x%08x, not 0x%08x", i,
                         value, right);
        return false;
    }
    return true;
}

bool cnf_probe_answers(rt_bytes content, rt_buffer *out_message)
{
    CHECK(content.size == SIZE);
    return numbers_compare(content.data, 0, 0, true, out_message);
}

/* ---- On a device --------------------------------------------------------------------------- */

cnf_probe *cnf_probe_open(dev_device *device, rt_sink *sink)
{
    dev_capabilities capabilities;
    dev_device_capabilities(device, &capabilities);
    cnf_probe *probe = rt_alloc(sizeof *probe);
    *probe = (cnf_probe){.device = device,
                         .sink = sink,
                         .executes = capabilities.executes,
                         .links_with_tool = capabilities.links_with_tool};
    /* The kernel in each format; the first one that the device accepts is used: PTX before SPIR-V,
     * which a device of PTX accepts only with a compiler. */
    static const dev_code codes[] = {
        {.format = RT_FORMAT_PTX, .bytes = {(const uint8_t *)kernel_ptx, sizeof kernel_ptx - 1}},
        {.format = RT_FORMAT_SPIRV64,
         .bytes = {(const uint8_t *)kernel_words, sizeof kernel_words}},
        {.format = RT_FORMAT_OPENCL_C,
         .bytes = {(const uint8_t *)kernel_source, sizeof kernel_source - 1}},
    };
    for (size_t i = sizeof codes / sizeof *codes; i-- > 0;)
        if (capabilities.formats_taken >> codes[i].format & 1) probe->code = codes[i];
    probe->made = make_objects(probe);
    return probe;
}

bool cnf_probe_run(cnf_probe *probe, rt_buffer *out_message)
{
    for (uint32_t i = 0; i < COUNT; i++)
        probe->host[i] = WRITTEN;
    rt_status status = probe->made;
    if (rt_ok(status) && probe->executes) status = run_commands(probe);
    for (uint32_t i = 0; i < probe->events.count; i++)
        dev_event_destroy(probe->events.items[i]);
    probe->events.count = 0;
    if (rt_ok(status))
        return !probe->executes || numbers_compare((const uint8_t *)probe->host, FILLED, WRITTEN,
                                                   probe->code.bytes.size > 0, out_message);
    /* That a linker is missing on this machine is not the device's fault: the device was opened,
     * and its memories were created. */
    if (status.code == RT_UNAVAILABLE && probe->links_with_tool) return true;
    rt_buffer_append_text(out_message, rt_sink_diagnostic(probe->sink, status)->message);
    return false;
}

void cnf_probe_close(cnf_probe *probe)
{
    if (!probe) return;
    CHECK(probe->events.count == 0);
    rt_vector_free(&probe->events);
    dev_queue_destroy(probe->queue);
    dev_kernel_destroy(probe->kernel);
    dev_program_destroy(probe->program);
    dev_memory_destroy(probe->filled);
    dev_memory_destroy(probe->data);
    rt_free(probe);
}

bool cnf_probe_device(dev_device *device, rt_sink *sink, rt_buffer *out_message)
{
    cnf_probe *probe = cnf_probe_open(device, sink);
    bool is_right = cnf_probe_run(probe, out_message);
    cnf_probe_close(probe);
    return is_right;
}
