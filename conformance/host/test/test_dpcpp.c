/* Tests libassay_dpcpp.so: host programs over the shipped runtime receive every request of the
 * protocol, and requests that they must refuse. The tests run if ci/setup --with dpcpp has
 * installed the library; otherwise the program exits with 77. The device code is dpcpp_kernels.cl;
 * its results are derived by hand. */
#include "conformance/build/toolchain.h"
#include "conformance/host/host.h"
#include "reference/base/alloc.h"
#include "reference/device/device.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

_Static_assert((int)HOST_MEMORY_USM_SHARED == (int)SCN_MEMORY_USM_SHARED &&
                   (int)HOST_MEMORY_KIND_END == (int)SCN_MEMORY_KIND_COUNT,
               "the numbers of scn_memory_kind");
_Static_assert((int)HOST_ACCESS_READ == (int)SCN_ACCESS_READ &&
                   (int)HOST_ACCESS_WRITE == (int)SCN_ACCESS_WRITE,
               "the numbers of scn_access");

enum { APP, PLUGIN, MODULES };
enum { THREADS = 2 }; /* in addition to the main one */
enum { SUBMITS = 3 };

/* Shared by all tests; each starts its own program. */
static struct {
    char folder[64];
    char venv[512];
    const char *environment[6];
    const char *libraries[2];
    cnf_cache *cache;
    rt_sink *sink;
    rt_arena arena;
    scn_module modules[MODULES];
    scn_step steps[THREADS + SUBMITS]; /* each thread gets a channel; the submits, which are not
                                        * run, give the modules their host code */
    scn_scenario scenario;
    cnf_host_runtime runtime;
    cnf_host *host;
    rt_buffer request;
} f;

/* ---- Images -------------------------------------------------------------------------------- */

static const uint32_t seven[] = {7, 0, 4}, eight[] = {8, 0, 4};
static const int32_t defaults[] = {42, 5};
static const uint32_t shared_global[] = {8, 0}, image_global[] = {8, 1};

#define TEXT(literal)                                                                              \
    {                                                                                              \
        literal, sizeof(literal) - 1                                                               \
    }
#define BYTES(value)                                                                               \
    RT_PROPERTY_BYTES, 0,                                                                          \
    {                                                                                              \
        (const uint8_t *)(value), sizeof(value)                                                    \
    }
static const rt_property constant_properties[] = {{{"seven", 5}, BYTES(seven)},
                                                  {{"eight", 5}, BYTES(eight)}};
static const rt_property default_properties[] = {{{"all", 3}, BYTES(defaults)}};
static const rt_property shared_properties[] = {{{"shared_counter", 14}, BYTES(shared_global)}};
static const rt_property image_properties[] = {{{"image_counter", 13}, BYTES(image_global)}};
static const rt_property symbol_properties[] = {{{"twice", 5}, RT_PROPERTY_UINT32, 1, {0}}};

/* The kernels are in several images, because libsycl writes a device_global's pointer whenever its
 * image is launched, even if the host has no variable for it. */
static const struct {
    const char *kernels[5]; /* the image's kernels; its code has others too */
    const char *defines;
    rt_property_set sets[3];
    uint32_t set_count;
} images[] = {
    {{"add", "coordinates", "reverse", "is_null"}, "", {{{0}}}, 0},
    {{"constants"},
     "",
     {{{"SYCL/specialization constants", 29}, constant_properties, 2},
      {{"SYCL/specialization constants default values", 44}, default_properties, 1}},
     2},
    {{"count_shared"}, "", {{{"SYCL/device globals", 19}, shared_properties, 1}}, 1},
    {{"count_image"}, "", {{{"SYCL/device globals", 19}, image_properties, 1}}, 1},
    {{"call_twice"}, "-DIMPORTS", {{{"SYCL/imported symbols", 21}, symbol_properties, 1}}, 1},
    {{NULL}, "-DEXPORTS", {{{"SYCL/exported symbols", 21}, symbol_properties, 1}}, 1},
};
enum { IMAGES = sizeof images / sizeof *images };

static const rt_device_global globals[] = {
    {.unique_id = {"shared_counter", 14}, .name = {"shared_counter", 14}, .size = 8},
    {.unique_id = {"image_counter", 13},
     .name = {"image_counter", 13},
     .size = 8,
     .image_scope = true},
    {.unique_id = {"nobodys", 7}, .name = {"nobodys", 7}, .size = 8},
};

/* The submits in the host code of `app`. */
static const uint32_t struct_of_16[4];
static const scn_argument reverse_arguments[] = {
    {.kind = SCN_ARGUMENT_POINTER},
    {.kind = SCN_ARGUMENT_POINTER},
    {.kind = SCN_ARGUMENT_LOCAL},
    {.kind = SCN_ARGUMENT_VALUE, .value = {(const uint8_t *)struct_of_16, 16}},
};
static const scn_argument null_arguments[] = {{.kind = SCN_ARGUMENT_POINTER},
                                              {.kind = SCN_ARGUMENT_NULL}};
#define SUBMIT_FROM(module_number, way, name)                                                      \
    .kernel = {name, sizeof name - 1}, .module = (module_number), .through = SCN_THROUGH_##way
static const scn_submit submits[SUBMITS] = {
    {SUBMIT_FROM(SCN_NONE, LAMBDA, "reverse"), .arguments = reverse_arguments, .argument_count = 4},
    {SUBMIT_FROM(APP, LAMBDA, "is_null"), .arguments = null_arguments, .argument_count = 2},
    {SUBMIT_FROM(APP, NAME, "add")},
};

static bool run(const char *command)
{
    return system(command) == 0;
}

/* Compiles the kernels file to SPIR-V, with `defines` added. */
static rt_bytes compile(const char *defines)
{
    rt_arena *arena = &f.arena;
    const char *command =
        rt_arena_printf(arena,
                        "cd %s && " CNF_CLANG_NAME " -target spir64 -cl-std=CL2.0 -O1 -Xclang "
                        "-finclude-default-header -emit-llvm %s -c %s -o k.bc && "
                        "llvm-spirv-" ASSAY_LLVM_VERSION " k.bc -o k.spv",
                        f.folder, defines, KERNELS)
            .data;
    assert_true(run(command));
    FILE *file = fopen(rt_arena_printf(arena, "%s/k.spv", f.folder).data, "rb");
    assert_non_null(file);
    uint8_t *code = rt_arena_alloc_array(arena, 1u << 16, 1);
    size_t size = fread(code, 1, 1u << 16, file);
    fclose(file);
    return (rt_bytes){code, size};
}

static void image_fill(rt_image *image, uint32_t number)
{
    rt_text *kernels = rt_arena_alloc_array(&f.arena, 5, sizeof *kernels);
    uint32_t count = 0;
    while (images[number].kernels[count]) {
        kernels[count] = rt_text_of(images[number].kernels[count]);
        count++;
    }
    *image = (rt_image){
        .name = rt_arena_printf(&f.arena, "image/%u", number),
        .format = RT_FORMAT_SPIRV64,
        .compile_options = RT_TEXT(""),
        .link_options = RT_TEXT(""),
        .kernels = kernels,
        .kernel_count = count,
        .sets = images[number].sets,
        .set_count = images[number].set_count,
        .code = compile(images[number].defines),
    };
    rt_image_hash(image);
}

static void module_fill(uint32_t module, const char *name, uint32_t first, uint32_t count)
{
    rt_image *list = rt_arena_alloc_array(&f.arena, count, sizeof *list);
    for (uint32_t i = 0; i < count; i++)
        image_fill(&list[i], first + i);
    f.modules[module] =
        (scn_module){.name = rt_text_of(name), .registers = true, .images = {list, count}};
}

/* ---- The fixture --------------------------------------------------------------------------- */

/* Sets the environment of a host program over libsycl: Intel's CPU runtime as the only OpenCL
 * device, the wheel's loader, and no cache on disk. */
static void environment_fill(void)
{
    const char *empty = rt_arena_printf(&f.arena, "%s/no-vendors", f.folder).data;
    assert_true(run(rt_arena_printf(&f.arena, "mkdir %s", empty).data));
    f.environment[0] = rt_arena_printf(&f.arena, "LD_LIBRARY_PATH=%s/lib", f.venv).data;
    f.environment[1] =
        rt_arena_printf(&f.arena, "OCL_ICD_FILENAMES=%s/lib/libintelocl.so", f.venv).data;
    f.environment[2] = rt_arena_printf(&f.arena, "OCL_ICD_VENDORS=%s", empty).data;
    f.environment[3] = "ONEAPI_DEVICE_SELECTOR=opencl:cpu";
    f.environment[4] = "SYCL_CACHE_PERSISTENT=0";
}

/* The host half of `app` in the tests of footers: a source with two of its variables, and a header
 * and a footer as DeviceGlobal.md describes them ("Integration footer"). */
static const scn_source half_source = {
    .language = SCN_LANGUAGE_SYCL,
    .name = {"app/0", 5},
    .code = TEXT("#include <sycl/sycl.hpp>\n"
                 "namespace syclex = sycl::ext::oneapi::experimental;\n"
                 "syclex::device_global<int[2]> shared_counter;\n"
                 "syclex::device_global<int[2],\n"
                 "                      decltype(syclex::properties(syclex::device_image_scope))>\n"
                 "    image_counter;\n"),
};
#define HALF_HEADER                                                                                \
    "#include <sycl/detail/defines_elementary.hpp>\n"                                              \
    "namespace {\n"                                                                                \
    "struct registration {\n"                                                                      \
    "    registration();\n"                                                                        \
    "} registrar;\n"                                                                               \
    "}\n"
#define HALF_FOOTER(condition)                                                                     \
    "#include <sycl/detail/device_global_map.hpp>\n"                                               \
    "namespace sycl::detail {\n"                                                                   \
    "namespace {\n"                                                                                \
    "void all() {\n"                                                                               \
    "device_global_map::add((void *)&::shared_counter, \"shared_counter\");\n"                     \
    "device_global_map::add((void *)&::image_counter, \"image_counter\");\n"                       \
    "}\n"                                                                                          \
    "}\n"                                                                                          \
    "}\n"                                                                                          \
    "registration::registration() { if (" condition ") sycl::detail::all(); }\n"
static const scn_host_half half_registering = {.header = TEXT(HALF_HEADER),
                                               .footer = TEXT(HALF_FOOTER("true"))};
static const scn_host_half half_silent = {.header = TEXT(HALF_HEADER),
                                          .footer = TEXT(HALF_FOOTER("false"))};

static bool find_library(void)
{
    FILE *setup = popen(SETUP " --folder", "r");
    bool found = setup && fgets(f.venv, sizeof f.venv, setup);
    if (setup) found = pclose(setup) == 0 && found;
    f.venv[strcspn(f.venv, "\n")] = '\0';
    rt_text library = rt_arena_printf(&f.arena, "%s/lib/assay/libassay_dpcpp.so", f.venv);
    f.libraries[0] = rt_arena_printf(&f.arena, "%s/lib/libsycl.so", f.venv).data;
    f.runtime = (cnf_host_runtime){.library = library,
                                   .layout = RT_FAT_80,
                                   .libraries = f.libraries,
                                   .headers = rt_arena_printf(&f.arena, "%s/include", f.venv),
                                   .environment = f.environment};
    return found && access(library.data, R_OK) == 0;
}

static int group_open(void **state)
{
    (void)state;
    strcpy(f.folder, "/tmp/dpcpp-test-XXXXXX");
    assert_non_null(mkdtemp(f.folder));
    assert_int_equal(setenv("ASSAY_SCRATCH", f.folder, 1), 0);
    rt_text warning;
    f.cache = cnf_cache_open(rt_text_of(f.folder), &warning);
    f.sink = rt_sink_create();
    environment_fill();
    module_fill(APP, "app", 0, IMAGES - 1);
    module_fill(PLUGIN, "plugin", IMAGES - 1, 1);
    f.modules[APP].device_globals = (rt_device_global_list){globals, 3};
    for (uint32_t i = 0; i < THREADS; i++)
        f.steps[i] = (scn_step){.verb = SCN_VERB_WAIT, .thread = i + 1};
    for (uint32_t i = 0; i < SUBMITS; i++)
        f.steps[THREADS + i] = (scn_step){.verb = SCN_VERB_SUBMIT, .submit = submits[i]};
    f.scenario = (scn_scenario){.modules = f.modules,
                                .module_count = MODULES,
                                .steps = f.steps,
                                .step_count = THREADS + SUBMITS};
    return 0;
}

static int group_close(void **state)
{
    (void)state;
    bool removed = run(rt_arena_printf(&f.arena, "rm -rf '%s'", f.folder).data);
    cnf_cache_close(f.cache);
    rt_sink_destroy(f.sink);
    rt_buffer_free(&f.request);
    rt_arena_reset(&f.arena);
    return removed ? 0 : -1;
}

static int program_start(void **state)
{
    (void)state;
    rt_status status = cnf_host_start(f.sink, f.cache, &f.scenario, &f.runtime, &f.host);
    if (!rt_ok(status)) print_error("%s\n", rt_sink_diagnostic(f.sink, status)->message.data);
    return rt_ok(status) ? 0 : -1;
}

static int program_start_with(const scn_host_half *half, void **state)
{
    f.modules[APP].sources = &half_source;
    f.modules[APP].source_count = 1;
    f.modules[APP].host_halves = half;
    f.modules[APP].host_half_count = 1;
    int failed = program_start(state);
    f.modules[APP].source_count = f.modules[APP].host_half_count = 0;
    return failed;
}

static int program_start_registering(void **state)
{
    return program_start_with(&half_registering, state);
}

static int program_start_silent(void **state)
{
    return program_start_with(&half_silent, state);
}

static int program_end(void **state)
{
    (void)state;
    rt_status status = cnf_host_end(f.host);
    if (!rt_ok(status)) print_error("%s\n", rt_sink_diagnostic(f.sink, status)->message.data);
    return rt_ok(status) ? 0 : -1;
}

/* ---- Asking -------------------------------------------------------------------------------- */

static void begin(host_request request)
{
    f.request.size = 0;
    rt_write_u8(&f.request, (uint8_t)request);
}

static void put(uint32_t value)
{
    rt_write_u32(&f.request, value);
}

static void put_long(uint64_t value)
{
    rt_write_u64(&f.request, value);
}

static void put_byte(uint8_t value)
{
    rt_write_u8(&f.request, value);
}

static void put_text(const char *text)
{
    rt_write_text(&f.request, rt_text_of(text));
}

static void put_bytes(const void *data, size_t size)
{
    rt_write_bytes(&f.request, (rt_bytes){data, size});
}

static rt_reader answered(void)
{
    rt_reader answer = {0};
    rt_status status = cnf_host_ask(f.host, 0, &f.request, &f.arena, &answer);
    if (!rt_ok(status)) fail_msg("%s", rt_sink_diagnostic(f.sink, status)->message.data);
    return answer;
}

/* Sends a request that creates an object; returns the object's number from the answer. */
static uint32_t object_made(void)
{
    rt_reader answer = answered();
    uint32_t number = rt_read_u32(&answer);
    assert_true(rt_reader_finished(&answer));
    return number;
}

static void done(void)
{
    rt_reader answer = answered();
    assert_true(rt_reader_finished(&answer));
}

static void refused(rt_code code, const char *part)
{
    rt_reader answer = {0};
    rt_status status = cnf_host_ask(f.host, 0, &f.request, &f.arena, &answer);
    if (rt_ok(status)) fail_msg("answered instead of refused with '%s'", part);
    rt_text message = rt_sink_diagnostic(f.sink, status)->message;
    if (status.code != code || !strstr(message.data, part)) {
        fail_msg("%s: %s; expected %s: %s", rt_code_name(status.code), message.data,
                 rt_code_name(code), part);
    }
}

static uint32_t queue_make(bool in_order)
{
    begin(HOST_QUEUE);
    put(0);
    put(HOST_NONE);
    put_byte(in_order);
    put_byte(false);
    return object_made();
}

static void put_memory(uint32_t kind, uint64_t size, const int32_t *content)
{
    begin(HOST_MEMORY);
    put(kind);
    put(0);
    put_long(size);
    put_byte(content != NULL);
    put_bytes(content, content ? size : 0);
}

static uint32_t memory_make(uint32_t kind, uint32_t count, const int32_t *content)
{
    put_memory(kind, count * sizeof *content, content);
    return object_made();
}

static void wait_for(host_awaited what, uint32_t number)
{
    begin(HOST_WAIT);
    put_byte((uint8_t)what);
    put(number);
    done();
}

static void assert_content(uint32_t memory, uint32_t count, const int32_t *expected)
{
    begin(HOST_READ);
    put(memory);
    rt_reader answer = answered();
    rt_bytes content = rt_read_bytes(&answer);
    assert_true(rt_reader_finished(&answer));
    assert_int_equal(content.size, count * sizeof *expected);
    const int32_t *found = (const void *)content.data;
    for (uint32_t i = 0; i < count; i++) {
        int32_t value;
        memcpy(&value, &found[i], sizeof value);
        if (value != expected[i]) fail_msg("element %u is %d, not %d", i, value, expected[i]);
    }
}

#define ASSERT_CONTENT(memory, ...)                                                                \
    assert_content(memory, sizeof((int32_t[])__VA_ARGS__) / sizeof(int32_t),                       \
                   (const int32_t[])__VA_ARGS__)

/* ---- Launches ------------------------------------------------------------------------------ */

/* Writes three sizes; a one-dimensional range has zeros after the first. */
static void put_sizes(const uint64_t sizes[3])
{
    for (int i = 0; i < 3; i++)
        put_long(sizes[i]);
}

static void put_range(uint32_t dimensions, const uint64_t global[3], const uint64_t local[3],
                      const uint64_t offset[3])
{
    static const uint64_t none[3];
    put(dimensions);
    put_sizes(global);
    put_sizes(local ? local : none);
    put_sizes(offset ? offset : none);
}

/* Writes a launch over `size` work-items, up to its argument count: from the host code of the
 * module with the path, or of any module if the path is empty. */
static void submit_from(const char *path, host_through through, uint32_t queue, const char *kernel,
                        uint64_t size, uint32_t arguments)
{
    begin(HOST_SUBMIT);
    put(queue);
    put_byte((uint8_t)through);
    put_text(path);
    put_text(kernel);
    put_range(1, (const uint64_t[3]){size, 1, 1}, NULL, NULL);
    put(arguments);
}

static void submit(uint32_t queue, const char *kernel, uint64_t size, uint32_t arguments)
{
    submit_from("", HOST_THROUGH_NAME, queue, kernel, size, arguments);
}

static void put_buffer(uint32_t memory, uint8_t access)
{
    put_byte(HOST_ARGUMENT_MEMORY);
    put(memory);
    put_byte(access);
}

static void put_pointer(uint32_t memory, uint64_t offset)
{
    put_byte(HOST_ARGUMENT_POINTER);
    put(memory);
    put_long(offset);
}

static void put_int(int32_t value)
{
    put_byte(HOST_ARGUMENT_BYTES);
    put_bytes(&value, sizeof value);
    put(0);
}

/* Writes an access to a memory, in the form that its kind requires. */
static void put_access(uint32_t kind, uint32_t memory)
{
    if (kind == HOST_MEMORY_BUFFER)
        put_buffer(memory, HOST_ACCESS_READ_WRITE);
    else
        put_pointer(memory, 0);
}

/* Ends a launch: no constants, and no earlier command (put_end) or one (put_end_after). */
static void put_end(void)
{
    put(0);
    put(0);
}

static void put_end_after(uint32_t command)
{
    put(0);
    put(1);
    put(command);
}

static void put_add(uint32_t queue, uint32_t kind, uint32_t memory, int32_t n)
{
    submit(queue, "add", 4, 2);
    put_access(kind, memory);
    put_int(n);
}

static uint32_t add(uint32_t queue, uint32_t kind, uint32_t memory, int32_t n)
{
    put_add(queue, kind, memory, n);
    put_end();
    return object_made();
}

static const int32_t counted[] = {0, 1, 2, 3};

static void it_tells_devices_kernels_and_modules(void **state)
{
    (void)state;
    assert_memory_equal(cnf_host_runs_on(f.host).data, "libsycl 9", 9);
    cnf_host_events started = cnf_host_started(f.host), events;
    assert_int_equal(started.count, 2);
    assert_int_equal(started.items[0].kind, HOST_EVENT_LOADED);
    assert_int_equal(started.items[1].kind, HOST_EVENT_REGISTERED);
    begin(HOST_DEVICES);
    put(1);
    rt_reader answer = answered();
    assert_int_equal(rt_read_u32(&answer), 1);
    assert_true(rt_read_text(&answer).length > 0);
    assert_memory_equal(rt_read_text(&answer).data, "Intel(R) OpenCL 20", 18);
    assert_true(rt_read_u32(&answer) & 1u << DEV_ASPECT_FP64);
    assert_true(rt_reader_finished(&answer));
    begin(HOST_KERNELS);
    answer = answered();
    assert_int_equal(rt_read_u32(&answer), 8);
    assert_true(rt_ok(cnf_host_open(f.host, 0, PLUGIN, &f.arena, &events)));
    assert_int_equal(events.count, 2);
    assert_true(rt_ok(cnf_host_close(f.host, 0, PLUGIN, &f.arena, &events)));
    assert_int_equal(events.items[0].kind, HOST_EVENT_UNREGISTERED);
    assert_int_equal(events.items[1].kind, HOST_EVENT_UNLOADED);
}

static void memories_of_all_kinds_are_made_and_used(void **state)
{
    (void)state;
    uint32_t queue = queue_make(false);
    for (uint32_t kind = 0; kind < HOST_MEMORY_KIND_END; kind++) {
        uint32_t memory = memory_make(kind, 4, counted);
        ASSERT_CONTENT(memory, {0, 1, 2, 3});
        wait_for(HOST_AWAIT_COMMAND, add(queue, kind, memory, 10));
        ASSERT_CONTENT(memory, {10, 11, 12, 13});
    }
}

/* In an out-of-order queue, the shipped scheduler orders commands by their buffers; pointers need
 * `after`. */
static void commands_run_in_the_order_that_they_must(void **state)
{
    (void)state;
    uint32_t one = queue_make(false), other = queue_make(false), in_order = queue_make(true);
    uint32_t buffer = memory_make(HOST_MEMORY_BUFFER, 4, counted);
    for (int i = 0; i < 20; i++)
        add(i % 2 ? one : other, HOST_MEMORY_BUFFER, buffer, 1);
    ASSERT_CONTENT(buffer, {20, 21, 22, 23});
    uint32_t shared = memory_make(HOST_MEMORY_USM_SHARED, 4, counted);
    uint32_t last = add(one, HOST_MEMORY_USM_SHARED, shared, 1);
    for (int i = 1; i < 20; i++) {
        put_add(i % 2 ? one : other, HOST_MEMORY_USM_SHARED, shared, 1);
        put_end_after(last);
        last = object_made();
    }
    wait_for(HOST_AWAIT_QUEUE, other);
    wait_for(HOST_AWAIT_ALL, 0);
    ASSERT_CONTENT(shared, {20, 21, 22, 23});
    for (int i = 0; i < 20; i++)
        add(in_order, HOST_MEMORY_USM_SHARED, shared, 1);
    ASSERT_CONTENT(shared, {40, 41, 42, 43});
}

enum { LAUNCHES = 50, QUEUE_AT = 1 };
/* The position of the first argument's memory in a launch: after the request byte, the queue, the
 * way to submit, no module, the kernel's name, its range, the number of arguments and the kind of
 * the first. */
enum { MEMORY_AT = QUEUE_AT + 4 + 1 + 8 + (8 + 3) + (4 + 9 * 8) + 4 + 1 };

/* Adds one to a memory repeatedly; the thread has its own channel, queue and memory, all with the
 * same number. */
/* Submit, start and end. */
static void assert_times(uint32_t command)
{
    begin(HOST_TIMES);
    put(command);
    rt_reader answer = answered();
    uint64_t before = 0;
    for (int i = 0; i < 3; i++) {
        uint64_t time = rt_read_u64(&answer);
        assert_true(time > 0 && time >= before);
        before = time;
    }
    assert_true(rt_reader_finished(&answer));
}

/* Only a queue with the property keeps times (SYCL 2020, 4.6.6.1). */
static void times_are_read_in_order(void **state)
{
    (void)state;
    uint32_t plain = queue_make(true);
    begin(HOST_QUEUE);
    put(0);
    put(HOST_NONE);
    put_byte(true);
    put_byte(true);
    uint32_t queue = object_made();
    uint32_t shared = memory_make(HOST_MEMORY_USM_SHARED, 4, counted);
    assert_times(add(queue, HOST_MEMORY_USM_SHARED, shared, 1));
    uint32_t untimed = add(plain, HOST_MEMORY_USM_SHARED, shared, 1);
    begin(HOST_TIMES);
    put(untimed);
    refused(RT_ERRC_INVALID, "profiling");
}

/* Each of two sub-devices has a queue, and unified shared memory belongs to both; later
 * requests change nothing. */
static void a_device_is_divided(void **state)
{
    (void)state;
    begin(HOST_DEVICES);
    put(2);
    rt_reader answer = answered();
    if (rt_read_u32(&answer) < 2) skip();
    uint32_t queues[2];
    for (uint32_t i = 0; i < 2; i++) {
        begin(HOST_QUEUE);
        put(i);
        put(HOST_NONE);
        put_byte(true);
        put_byte(false);
        queues[i] = object_made();
    }
    uint32_t shared = memory_make(HOST_MEMORY_USM_SHARED, 4, counted);
    for (uint32_t i = 0; i < 2; i++) {
        add(queues[i], HOST_MEMORY_USM_SHARED, shared, 1);
        wait_for(HOST_AWAIT_QUEUE, queues[i]);
    }
    ASSERT_CONTENT(shared, {2, 3, 4, 5});
    begin(HOST_DEVICES);
    put(UINT32_MAX);
    answer = answered();
    assert_int_equal(rt_read_u32(&answer), 2);
}

static void *channel_main(void *user)
{
    uint32_t thread = *(const uint32_t *)user;
    rt_buffer request = {0};
    rt_buffer_append(&request, f.request.data, f.request.size);
    rt_arena arena = {0};
    bool well = true;
    for (int i = 0; i < LAUNCHES && well; i++) {
        rt_reader answer;
        request.data[QUEUE_AT] = request.data[MEMORY_AT] = (char)(thread - 1);
        well = rt_ok(cnf_host_ask(f.host, thread, &request, &arena, &answer));
    }
    rt_arena_reset(&arena);
    rt_buffer_free(&request);
    return well ? user : NULL;
}

static void channels_are_served_side_by_side(void **state)
{
    (void)state;
    uint32_t memories[THREADS];
    uint32_t threads[THREADS];
    pthread_t started[THREADS];
    for (uint32_t i = 0; i < THREADS; i++) {
        assert_int_equal(queue_make(true), i);
        memories[i] = memory_make(HOST_MEMORY_USM_SHARED, 4, counted);
        assert_int_equal(memories[i], i);
    }
    put_add(0, HOST_MEMORY_USM_SHARED, 0, 1);
    put_end();
    for (uint32_t i = 0; i < THREADS; i++) {
        threads[i] = i + 1;
        assert_int_equal(pthread_create(&started[i], NULL, channel_main, &threads[i]), 0);
    }
    for (uint32_t i = 0; i < THREADS; i++) {
        void *well;
        assert_int_equal(pthread_join(started[i], &well), 0);
        assert_non_null(well);
    }
    for (uint32_t i = 0; i < THREADS; i++)
        ASSERT_CONTENT(memories[i], {50, 51, 52, 53});
}

/* The reversed contents, {3, 2, 1, 0}, each times 100, plus the third element of {0, 1, 2, 3}. */
static void arguments_of_all_kinds_arrive(void **state)
{
    (void)state;
    uint32_t queue = queue_make(false);
    uint32_t in = memory_make(HOST_MEMORY_BUFFER, 4, counted);
    uint32_t out = memory_make(HOST_MEMORY_BUFFER, 4, NULL);
    uint32_t shared = memory_make(HOST_MEMORY_USM_SHARED, 4, counted);
    static const int32_t scaled[4] = {100, 0, 0, 0};
    begin(HOST_SUBMIT);
    put(queue);
    put_byte(HOST_THROUGH_NAME);
    put_text("");
    put_text("reverse");
    put_range(1, (const uint64_t[3]){4, 0, 0}, (const uint64_t[3]){4, 0, 0}, NULL);
    put(4);
    put_buffer(out, HOST_ACCESS_WRITE);
    put_buffer(in, HOST_ACCESS_READ);
    put_byte(HOST_ARGUMENT_LOCAL);
    put_long(16);
    put_byte(HOST_ARGUMENT_BYTES);
    put_bytes(scaled, sizeof scaled);
    put(1);
    put_long(8);
    put(shared);
    put_long(8);
    put_end();
    object_made();
    ASSERT_CONTENT(out, {302, 202, 102, 2});
    submit(queue, "add", 2, 2);
    put_pointer(shared, 8);
    put_int(5);
    put_end();
    object_made();
    ASSERT_CONTENT(shared, {0, 1, 7, 8});
    submit(queue, "is_null", 1, 2);
    put_pointer(shared, 0);
    put_byte(HOST_ARGUMENT_NULL);
    put_end();
    object_made();
    ASSERT_CONTENT(shared, {1, 1, 7, 8});
}

/* Writes a launch of `reverse` with one group of four, in shared memory. */
static void put_reverse(uint32_t queue, uint32_t out, uint32_t in, uint32_t shared)
{
    static const int32_t scaled[4] = {100, 0, 0, 0};
    begin(HOST_SUBMIT);
    put(queue);
    put_byte(HOST_THROUGH_LAMBDA);
    put_text("");
    put_text("reverse");
    put_range(1, (const uint64_t[3]){4, 0, 0}, (const uint64_t[3]){4, 0, 0}, NULL);
    put(4);
    put_pointer(out, 0);
    put_pointer(in, 0);
    put_byte(HOST_ARGUMENT_LOCAL);
    put_long(16);
    put_byte(HOST_ARGUMENT_BYTES);
    put_bytes(scaled, sizeof scaled);
    put(1);
    put_long(8);
    put(shared);
    put_long(8);
    put_end();
}

static void lambdas_capture_arguments_of_all_kinds(void **state)
{
    (void)state;
    uint32_t queue = queue_make(true);
    uint32_t shared = memory_make(HOST_MEMORY_USM_SHARED, 4, counted);
    uint32_t out = memory_make(HOST_MEMORY_USM_SHARED, 4, NULL);
    for (int i = 0; i < 2; i++) {
        put_reverse(queue, out, shared, shared);
        object_made();
        ASSERT_CONTENT(out, {302, 202, 102, 2});
    }
    submit_from("app", HOST_THROUGH_LAMBDA, queue, "is_null", 1, 2);
    put_pointer(shared, 0);
    put_byte(HOST_ARGUMENT_NULL);
    put_end();
    object_made();
    submit_from("app", HOST_THROUGH_NAME, queue, "add", 1, 2);
    put_pointer(shared, 4);
    put_int(10);
    put_end();
    object_made();
    ASSERT_CONTENT(shared, {1, 11, 2, 3});
}

/* A capture of another kind, one too few, a buffer; a kernel without a lambda, and kernels that are
 * submitted from elsewhere. */
static void lambdas_that_no_module_has_are_refused(void **state)
{
    (void)state;
    uint32_t queue = queue_make(true);
    uint32_t shared = memory_make(HOST_MEMORY_USM_SHARED, 4, counted);
    uint32_t buffer = memory_make(HOST_MEMORY_BUFFER, 4, counted);
    submit_from("", HOST_THROUGH_LAMBDA, queue, "is_null", 1, 2);
    put_pointer(shared, 0);
    put_int(0);
    put_end();
    refused(RT_UNSUPPORTED, "one type has the name");
    submit_from("", HOST_THROUGH_LAMBDA, queue, "is_null", 1, 1);
    put_pointer(shared, 0);
    put_end();
    refused(RT_UNSUPPORTED, "one type has the name");
    submit_from("", HOST_THROUGH_LAMBDA, queue, "is_null", 1, 2);
    put_buffer(buffer, HOST_ACCESS_WRITE);
    put_byte(HOST_ARGUMENT_NULL);
    put_end();
    refused(RT_UNSUPPORTED, "four parameters for a captured accessor");
    submit_from("", HOST_THROUGH_LAMBDA, queue, "coordinates", 1, 0);
    put_end();
    refused(RT_UNSUPPORTED, "its own module has, while it is loaded: coordinates");
    submit_from("plugin.so", HOST_THROUGH_NAME, queue, "add", 1, 0);
    put_end();
    refused(RT_UNSUPPORTED, "its own module has, while it is loaded: add");
    submit_from("", HOST_THROUGH_BUNDLE, queue, "add", 1, 0);
    put_end();
    refused(RT_MALFORMED, "comes from a bundle");
    submit_from("", HOST_THROUGH_END, queue, "add", 1, 0);
    put_end();
    refused(RT_MALFORMED, "there is no way to submit 3");
    ASSERT_CONTENT(shared, {0, 1, 2, 3});
}

static void put_coordinates(uint32_t out, uint32_t dimensions, const uint64_t global[3],
                            const uint64_t local[3], const uint64_t offset[3])
{
    begin(HOST_SUBMIT);
    put(0);
    put_byte(HOST_THROUGH_NAME);
    put_text("");
    put_text("coordinates");
    put_range(dimensions, global, local, offset);
    put(1);
    put_buffer(out, HOST_ACCESS_WRITE);
    put_end();
}

/* get_global_id(0) varies fastest, whereas in SYCL the last dimension does. */
static void ranges_are_as_the_kernel_sees_them(void **state)
{
    (void)state;
    queue_make(false);
    uint32_t out = memory_make(HOST_MEMORY_BUFFER, 6, NULL);
    put_coordinates(out, 3, (const uint64_t[3]){2, 1, 3}, NULL, NULL);
    object_made();
    ASSERT_CONTENT(out, {0, 100, 1, 101, 2, 102});
    put_coordinates(out, 2, (const uint64_t[3]){2, 3, 0}, (const uint64_t[3]){1, 3, 0}, NULL);
    object_made();
    ASSERT_CONTENT(out, {0, 100, 10, 110, 20, 120});
    put_coordinates(out, 1, (const uint64_t[3]){6, 0, 0}, NULL, (const uint64_t[3]){4, 0, 0});
    object_made();
    ASSERT_CONTENT(out, {400, 500, 600, 700, 800, 900});
    put_coordinates(out, 1, (const uint64_t[3]){6, 0, 0}, (const uint64_t[3]){2, 0, 0},
                    (const uint64_t[3]){1, 0, 0});
    object_made();
    ASSERT_CONTENT(out, {100, 200, 300, 400, 500, 600});
    put_coordinates(out, 0, (const uint64_t[3]){2, 3, 0}, NULL, NULL);
    refused(RT_UNSUPPORTED, "1 to 3 dimensions: 0");
    put_coordinates(out, 4, (const uint64_t[3]){2, 3, 0}, NULL, NULL);
    refused(RT_UNSUPPORTED, "1 to 3 dimensions: 4");
    put_coordinates(out, 1, (const uint64_t[3]){1 << 20, 0, 0}, (const uint64_t[3]){1 << 20, 0, 0},
                    NULL);
    refused(RT_ERRC_ND_RANGE, "cannot exceed");
}

/* Launches that SYCL cannot express are refused without calling libsycl. */
static void what_no_application_can_launch_is_refused(void **state)
{
    (void)state;
    uint32_t queue = queue_make(false);
    uint32_t buffer = memory_make(HOST_MEMORY_BUFFER, 4, counted);
    uint32_t shared = memory_make(HOST_MEMORY_USM_SHARED, 4, counted);
    submit(queue, "add", 1, 1);
    put_buffer(shared, HOST_ACCESS_READ);
    put_end();
    refused(RT_UNSUPPORTED, "only a buffer has accessors");
    submit(queue, "add", 1, 1);
    put_pointer(buffer, 0);
    put_end();
    refused(RT_UNSUPPORTED, "a buffer has no address");
    submit(queue, "add", 1, 1);
    put_buffer(buffer, HOST_ACCESS_END);
    put_end();
    refused(RT_MALFORMED, "there is no access 3");
    submit(queue, "add", 1, 1);
    put_buffer(2, HOST_ACCESS_READ);
    put_end();
    refused(RT_MALFORMED, "there is no memory 2");
    submit(queue, "add", 1, 1);
    put_byte(HOST_ARGUMENT_BYTES);
    put_bytes(counted, 12);
    put(1);
    put_long(5);
    put(shared);
    put_long(0);
    put_end();
    refused(RT_UNSUPPORTED, "no room for the pointer at that offset: 5");
    ASSERT_CONTENT(shared, {0, 1, 2, 3});
}

/* Observed (libsycl 9.0.0): after a launch fails, every later launch that uses its buffer fails
 * too, and reports a different reason; unified shared memory is not affected. */
static void what_the_runtime_refuses_comes_as_it_says_it(void **state)
{
    (void)state;
    uint32_t queue = queue_make(false);
    uint32_t shared = memory_make(HOST_MEMORY_USM_SHARED, 4, counted);
    uint32_t buffer = memory_make(HOST_MEMORY_BUFFER, 4, counted);
    for (int i = 0; i < 2; i++) {
        submit(queue, "call_twice", 1, 1);
        put_pointer(shared, 0);
        put_end();
        refused(RT_ERRC_BUILD, "No device image found for external symbol twice");
    }
    submit(queue, "call_twice", 1, 1);
    put_buffer(buffer, HOST_ACCESS_WRITE);
    put_end();
    refused(RT_ERRC_BUILD, "No device image found for external symbol twice");
    put_add(queue, HOST_MEMORY_BUFFER, buffer, 1);
    put_end();
    refused(RT_ERRC_RUNTIME, "Enqueue process failed.");
    cnf_host_events events;
    assert_true(rt_ok(cnf_host_open(f.host, 0, PLUGIN, &f.arena, &events)));
    submit(queue, "call_twice", 1, 1);
    put_pointer(shared, 0);
    put_end();
    wait_for(HOST_AWAIT_COMMAND, object_made());
    ASSERT_CONTENT(shared, {42, 1, 2, 3});
    submit(queue, "add", 1, 2);
    put_pointer(shared, 0);
    put_byte(HOST_ARGUMENT_BYTES);
    put_bytes(counted, 8);
    put(0);
    put_end();
    refused(RT_ERRC_RUNTIME, "INVALID_KERNEL_ARGUMENT_SIZE");
}

/* ---- Memories and transfers ---------------------------------------------------------------- */

static void put_transfer(uint32_t to, uint64_t to_offset, uint32_t from, uint64_t from_offset,
                         uint64_t size, const void *pattern, size_t pattern_size)
{
    begin(HOST_TRANSFER);
    put(0);
    put(to);
    put_long(to_offset);
    put(from);
    put_long(from_offset);
    put_long(size);
    put_bytes(pattern, pattern_size);
    put(0);
}

static void copies_go_between_all_kinds(void **state)
{
    (void)state;
    queue_make(true);
    for (uint32_t to = 0; to < HOST_MEMORY_KIND_END; to++) {
        for (uint32_t from = 0; from < HOST_MEMORY_KIND_END; from++) {
            static const int32_t content[] = {7, 8, 9};
            uint32_t target = memory_make(to, 4, counted);
            uint32_t source = memory_make(from, 3, content);
            put_transfer(target, 4, source, 4, 8, NULL, 0);
            wait_for(HOST_AWAIT_COMMAND, object_made());
            ASSERT_CONTENT(target, {0, 8, 9, 3});
            ASSERT_CONTENT(source, {7, 8, 9});
        }
    }
}

static void fills_take_patterns_of_any_size(void **state)
{
    (void)state;
    queue_make(true);
    for (uint32_t kind = 0; kind < HOST_MEMORY_KIND_END; kind++) {
        static const int32_t pattern[] = {5, 6, 7};
        uint32_t memory = memory_make(kind, 8, (const int32_t[8]){0, 1, 2, 3, 4, 5, 6, 7});
        put_transfer(memory, 4, HOST_NONE, 0, 24, pattern, sizeof pattern);
        object_made();
        ASSERT_CONTENT(memory, {0, 5, 6, 7, 5, 6, 7, 7});
        put_transfer(memory, 24, HOST_NONE, 0, 8, pattern, 4);
        object_made();
        put_transfer(memory, 1, HOST_NONE, 0, 2, "\x01", 1);
        object_made();
        ASSERT_CONTENT(memory, {0x010100, 5, 6, 7, 5, 6, 5, 5});
    }
}

/* Commands on unified shared memory, ordered by barriers alone; one moves 0 bytes. */
static void barriers_order_the_fills_of_a_queue(void **state)
{
    (void)state;
    queue_make(false);
    uint32_t memory = memory_make(HOST_MEMORY_USM_DEVICE, 4, counted);
    uint32_t source = memory_make(HOST_MEMORY_USM_DEVICE, 4, counted);
    put_transfer(memory, 0, source, 8, 0, NULL, 0);
    uint32_t nothing = object_made();
    put_transfer(memory, 0, HOST_NONE, 0, 16, "\x01\0\0\0", 4);
    object_made();
    begin(HOST_BARRIER);
    put(0);
    put_byte(1);
    put(0);
    object_made();
    put_transfer(memory, 4, HOST_NONE, 0, 4, "\x02\0\0\0", 4);
    uint32_t filled = object_made();
    begin(HOST_BARRIER);
    put(0);
    put_byte(0);
    put(2);
    put(nothing);
    put(filled);
    wait_for(HOST_AWAIT_COMMAND, object_made());
    ASSERT_CONTENT(memory, {1, 2, 1, 1});
}

static void put_part(uint32_t whole, uint64_t offset, uint64_t size)
{
    begin(HOST_PART);
    put(whole);
    put_long(offset);
    put_long(size);
}

/* A fill of the first half of a buffer through a part, which ends before the buffer is read. */
static void parts_are_bytes_of_their_buffer(void **state)
{
    (void)state;
    queue_make(false);
    uint32_t buffer = memory_make(HOST_MEMORY_BUFFER, 4, counted);
    uint32_t shared = memory_make(HOST_MEMORY_USM_SHARED, 4, counted);
    put_part(buffer, 0, 8);
    uint32_t part = object_made();
    put_transfer(part, 0, HOST_NONE, 0, 8, "\x07\0\0\0", 4);
    object_made();
    begin(HOST_END_PART);
    put(part);
    done();
    ASSERT_CONTENT(buffer, {7, 7, counted[2], counted[3]});
    put_part(buffer, 8, 12);
    refused(RT_ERRC_INVALID, "");
    put_part(shared, 0, 4);
    refused(RT_MALFORMED, "a sub-buffer is part of a buffer");
}

/* The second task waits inside for the fill, on which it does not depend. */
static void host_tasks_copy_memories(void **state)
{
    (void)state;
    queue_make(false);
    uint32_t buffer = memory_make(HOST_MEMORY_BUFFER, 4, counted);
    uint32_t shared = memory_make(HOST_MEMORY_USM_SHARED, 4, counted);
    uint32_t device = memory_make(HOST_MEMORY_USM_DEVICE, 4, counted);
    uint32_t other = memory_make(HOST_MEMORY_USM_HOST, 3, counted);
    put_transfer(shared, 0, HOST_NONE, 0, 16, "\x07\0\0\0", 4);
    uint32_t filled = object_made();
    begin(HOST_TASK);
    put(0), put(shared), put(buffer), put(filled), put(HOST_NONE), put(0);
    uint32_t copied = object_made();
    begin(HOST_TASK);
    put(0), put(buffer), put(HOST_NONE), put(HOST_NONE), put(HOST_NONE), put(1), put(copied);
    wait_for(HOST_AWAIT_COMMAND, object_made());
    ASSERT_CONTENT(buffer, {7, 7, 7, 7});
    begin(HOST_TASK);
    put(0), put(device), put(buffer), put(HOST_NONE), put(HOST_NONE), put(0);
    refused(RT_MALFORMED, "cannot access device memory");
    begin(HOST_TASK);
    put(0), put(other), put(buffer), put(HOST_NONE), put(HOST_NONE), put(0);
    refused(RT_MALFORMED, "copies a whole memory");
}

/* The task cannot end before its gate opens, so the fill, which does not depend on it, ends first.
 */
static void host_tasks_wait_for_a_gate(void **state)
{
    (void)state;
    queue_make(false);
    uint32_t from = memory_make(HOST_MEMORY_USM_SHARED, 4, counted);
    uint32_t to = memory_make(HOST_MEMORY_USM_SHARED, 4, counted);
    begin(HOST_GATE);
    uint32_t gate = object_made();
    begin(HOST_TASK);
    put(0), put(from), put(to), put(HOST_NONE), put(gate), put(0);
    uint32_t copied = object_made();
    put_transfer(from, 0, HOST_NONE, 0, 16, "\x07\0\0\0", 4);
    wait_for(HOST_AWAIT_COMMAND, object_made());
    begin(HOST_RELEASE);
    put(gate);
    done();
    wait_for(HOST_AWAIT_COMMAND, copied);
    ASSERT_CONTENT(to, {7, 7, 7, 7});
    begin(HOST_RELEASE);
    put(gate + 1);
    refused(RT_MALFORMED, "there is no gate");
}

static void put_map(uint32_t memory, uint8_t access, uint64_t offset, uint64_t size)
{
    begin(HOST_MAP);
    put(memory), put_byte(access), put_long(offset), put_long(size), put(0);
}

static void host_accessors_show_and_take_bytes(void **state)
{
    (void)state;
    queue_make(false);
    uint32_t buffer = memory_make(HOST_MEMORY_BUFFER, 4, counted);
    uint32_t shared = memory_make(HOST_MEMORY_USM_SHARED, 4, counted);
    put_transfer(buffer, 0, HOST_NONE, 0, 8, "\x07\0\0\0", 4);
    object_made();
    put_map(buffer, HOST_MAP_READ, 4, 8);
    uint32_t reading = object_made();
    begin(HOST_MAPPED_WRITE);
    put(reading), put_long(0), put_bytes("\x09\0\0\0", 4);
    refused(RT_MALFORMED, "read-only");
    begin(HOST_UNMAP);
    put(reading), put(0);
    done();
    begin(HOST_MAPPED_READ);
    put(reading);
    refused(RT_MALFORMED, "has been destroyed");
    static const uint8_t accesses[] = {HOST_MAP_WRITE, HOST_MAP_READ_WRITE,
                                       HOST_MAP_WRITE_INVALIDATE};
    for (uint32_t i = 0; i < 3; i++) {
        put_map(buffer, accesses[i], 4 * (uint64_t)i, 4);
        uint32_t writing = object_made();
        begin(HOST_MAPPED_WRITE);
        put(writing), put_long(1), put_bytes("\x09\0\0\0", 4);
        refused(RT_MALFORMED, "outside");
        begin(HOST_MAPPED_WRITE);
        put(writing), put_long(0), put_bytes("\x05\0\0\0", 4);
        done();
        begin(HOST_UNMAP);
        put(writing), put(0);
        done();
    }
    ASSERT_CONTENT(buffer, {5, 5, 5, counted[3]});
    put_map(buffer, HOST_MAP_READ, 12, 5);
    refused(RT_MALFORMED, "bytes of its buffer");
    put_map(shared, HOST_MAP_READ, 0, 4);
    refused(RT_MALFORMED, "for a buffer");
    put_map(buffer, HOST_MAP_ACCESSES, 0, 4);
    refused(RT_MALFORMED, "access");
}

static void transfers_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    queue_make(false);
    uint32_t buffer = memory_make(HOST_MEMORY_BUFFER, 4, counted);
    uint32_t shared = memory_make(HOST_MEMORY_USM_SHARED, 4, counted);
    put_transfer(buffer, 12, shared, 0, 5, NULL, 0);
    refused(RT_ERRC_INVALID, "exceed");
    put_transfer(buffer, 0, HOST_NONE, 0, 16, counted, 12);
    refused(RT_UNSUPPORTED, "a fill writes whole elements");
    put_transfer(buffer, 0, HOST_NONE, 0, 16, NULL, 0);
    refused(RT_UNSUPPORTED, "a fill writes whole elements");
    put_transfer(buffer, 0, shared, 0, 16, counted, 4);
    refused(RT_MALFORMED, "a copy has no pattern");
    put_transfer(buffer, 0, 9, 0, 16, NULL, 0);
    refused(RT_MALFORMED, "there is no memory 9");
    ASSERT_CONTENT(buffer, {0, 1, 2, 3});
}

static void impossible_objects_are_refused(void **state)
{
    (void)state;
    put_memory(HOST_MEMORY_KIND_END, 4, NULL);
    refused(RT_MALFORMED, "there is no kind of memory 4");
    put_memory(HOST_MEMORY_BUFFER, 0, NULL);
    refused(RT_MALFORMED, "a memory has at least one byte");
    put_memory(HOST_MEMORY_USM_DEVICE, UINT64_C(1) << 45, NULL);
    refused(RT_ERRC_MEMORY_ALLOCATION,
            "cannot allocate 35184372088832 bytes of unified shared memory");
    begin(HOST_MEMORY);
    put(HOST_MEMORY_BUFFER);
    put(0);
    put_long(16);
    put_byte(1);
    put_bytes(counted, 12);
    refused(RT_MALFORMED, "a memory of 16 bytes comes with 12 bytes of contents");
    begin(HOST_QUEUE);
    put(1);
    put(HOST_NONE);
    put_byte(0);
    put_byte(0);
    refused(RT_MALFORMED, "there is no device 1; libsycl lists 1");
    begin(HOST_CONTEXT);
    put(0);
    refused(RT_MALFORMED, "a context has at least one device");
    begin(HOST_CONTEXT);
    put(1);
    put(0);
    assert_int_equal(object_made(), 0);
    begin(HOST_QUEUE);
    put(0);
    put(0);
    put_byte(1);
    put_byte(1);
    assert_int_equal(object_made(), 0);
    begin(HOST_WAIT);
    put_byte(HOST_AWAIT_COMMAND);
    put(0);
    refused(RT_MALFORMED, "there is no command 0");
}

/* ---- Specialisation constants and bundles -------------------------------------------------- */

static void put_constants(uint32_t queue, uint32_t out, uint32_t count, const char *const names[],
                          const int32_t values[])
{
    submit(queue, "constants", 1, 1);
    put_pointer(out, 0);
    put(count);
    for (uint32_t i = 0; i < count; i++) {
        put_text(names[i]);
        put_bytes(&values[i], sizeof values[i]);
    }
    put(0);
}

static void constants_are_set_by_name(void **state)
{
    (void)state;
    uint32_t queue = queue_make(true);
    uint32_t out = memory_make(HOST_MEMORY_USM_SHARED, 2, NULL);
    static const char *const names[] = {"eight", "seven"};
    put_constants(queue, out, 0, NULL, NULL);
    object_made();
    ASSERT_CONTENT(out, {42, 5});
    put_constants(queue, out, 1, names, (const int32_t[]){-2});
    object_made();
    ASSERT_CONTENT(out, {42, -2});
    put_constants(queue, out, 2, names, (const int32_t[]){3, 4});
    object_made();
    ASSERT_CONTENT(out, {4, 3});
    put_constants(queue, out, 0, NULL, NULL);
    object_made();
    ASSERT_CONTENT(out, {42, 5});
    submit(queue, "constants", 1, 1);
    put_pointer(out, 0);
    put(1);
    put_text("seven");
    put_bytes(counted, 8);
    put(0);
    refused(RT_UNSUPPORTED, "seven has 4 bytes, its value 8");
}

static void bundle(host_bundle operation)
{
    begin(HOST_BUNDLE);
    put_byte((uint8_t)operation);
}

static void put_get(uint8_t state, const char *kernel)
{
    bundle(HOST_BUNDLE_GET);
    put_byte(state);
    put(HOST_NONE);
    put(1);
    put(0);
    put(kernel ? 1 : 0);
    if (kernel) put_text(kernel);
}

static uint32_t bundle_of(host_bundle operation, uint32_t from)
{
    bundle(operation);
    if (operation == HOST_BUNDLE_LINK || operation == HOST_BUNDLE_JOIN) put(1);
    put(from);
    return object_made();
}

static uint8_t has_constant(uint32_t of, const char *name)
{
    bundle(HOST_BUNDLE_HAS_CONSTANT);
    put(of);
    put_text(name);
    rt_reader answer = answered();
    return rt_read_u8(&answer);
}

static uint8_t has_kernel(uint32_t of, const char *name, uint32_t device)
{
    bundle(HOST_BUNDLE_HAS_KERNEL);
    put(of);
    put_text(name);
    put(device);
    rt_reader answer = answered();
    return rt_read_u8(&answer);
}

static void put_set(uint32_t of, const char *name, int32_t value)
{
    bundle(HOST_BUNDLE_SET_CONSTANT);
    put(of);
    put_text(name);
    put_bytes(&value, sizeof value);
}

static int32_t constant_of(uint32_t of, const char *name)
{
    bundle(HOST_BUNDLE_CONSTANT);
    put(of);
    put_text(name);
    rt_reader answer = answered();
    rt_bytes bytes = rt_read_bytes(&answer);
    assert_int_equal(bytes.size, 4);
    int32_t value;
    memcpy(&value, bytes.data, sizeof value);
    return value;
}

static void put_bundle_launch_through(host_through through, uint32_t of, const char *kernel,
                                      uint32_t out)
{
    bundle(HOST_BUNDLE_SUBMIT);
    put(of);
    put(0);
    put_byte((uint8_t)through);
    put_text("");
    put_text(kernel);
    put_range(1, (const uint64_t[3]){1, 0, 0}, NULL, NULL);
    put(1);
    put_pointer(out, 0);
    put_end();
}

static void put_bundle_launch(uint32_t of, const char *kernel, uint32_t out)
{
    put_bundle_launch_through(HOST_THROUGH_NAME, of, kernel, out);
}

static void assert_shown(uint32_t of, uint8_t state, uint32_t image_count, const char *kernel)
{
    bundle(HOST_BUNDLE_SHOW);
    put(of);
    rt_reader answer = answered();
    assert_int_equal(rt_read_u8(&answer), state);
    assert_int_equal(rt_read_u32(&answer), image_count);
    assert_int_equal(rt_read_u32(&answer), 1);
    assert_true(rt_text_equal(rt_read_text(&answer), rt_text_of(kernel)));
    assert_true(rt_reader_finished(&answer));
}

static void bundles_go_from_input_to_executable(void **state)
{
    (void)state;
    queue_make(true);
    uint32_t out = memory_make(HOST_MEMORY_USM_SHARED, 2, NULL);
    put_get(0, "constants");
    uint32_t input = object_made();
    assert_shown(input, 0, 1, "constants");
    assert_int_equal(has_kernel(input, "constants", 0), 1);
    assert_int_equal(has_kernel(input, "add", HOST_NONE), 0);
    assert_int_equal(has_constant(input, "seven"), 1);
    assert_int_equal(has_constant(input, "nine"), 0);
    assert_int_equal(constant_of(input, "seven"), 42);
    put_set(input, "seven", 11);
    done();
    assert_int_equal(constant_of(input, "seven"), 11);
    uint32_t built = bundle_of(HOST_BUNDLE_BUILD, input);
    assert_shown(built, 2, 1, "constants");
    put_bundle_launch(built, "constants", out);
    object_made();
    ASSERT_CONTENT(out, {11, 5});
    uint32_t object = bundle_of(HOST_BUNDLE_COMPILE, input);
    assert_shown(object, 1, 1, "constants");
    uint32_t joined = bundle_of(HOST_BUNDLE_JOIN, bundle_of(HOST_BUNDLE_LINK, object));
    assert_shown(joined, 2, 1, "constants");
    put_bundle_launch(joined, "constants", out);
    object_made();
    ASSERT_CONTENT(out, {11, 5});
}

static void kernel_objects_come_from_bundles(void **state)
{
    (void)state;
    queue_make(true);
    uint32_t out = memory_make(HOST_MEMORY_USM_SHARED, 2, NULL);
    put_get(2, "constants");
    uint32_t executable = object_made();
    put_bundle_launch_through(HOST_THROUGH_BUNDLE, executable, "constants", out);
    object_made();
    ASSERT_CONTENT(out, {42, 5});
    put_bundle_launch_through(HOST_THROUGH_BUNDLE, executable, "add", out);
    refused(RT_ERRC_INVALID, "kernel");
}

/* The linked bundle's single device image combines both images. */
static void bundles_link_what_the_program_resolves(void **state)
{
    (void)state;
    queue_make(true);
    uint32_t out = memory_make(HOST_MEMORY_USM_SHARED, 1, NULL);
    put_get(2, "call_twice");
    refused(RT_ERRC_BUILD, "twice");
    cnf_host_events events;
    assert_true(rt_ok(cnf_host_open(f.host, 0, PLUGIN, &f.arena, &events)));
    put_get(2, "call_twice");
    uint32_t executable = object_made();
    put_bundle_launch(executable, "call_twice", out);
    object_made();
    ASSERT_CONTENT(out, {42});
    put_get(0, "call_twice");
    uint32_t object = bundle_of(HOST_BUNDLE_COMPILE, object_made());
    put_bundle_launch(bundle_of(HOST_BUNDLE_LINK, object), "call_twice", out);
    object_made();
    ASSERT_CONTENT(out, {42});
}

static void bundles_in_the_wrong_state_are_refused(void **state)
{
    (void)state;
    queue_make(true);
    uint32_t out = memory_make(HOST_MEMORY_USM_SHARED, 2, NULL);
    put_get(3, NULL);
    refused(RT_MALFORMED, "there is no bundle state 3");
    put_get(0, "nope");
    refused(RT_ERRC_RUNTIME, "No kernel found");
    put_get(0, "constants");
    uint32_t input = object_made();
    uint32_t built = bundle_of(HOST_BUNDLE_BUILD, input);
    put_set(built, "seven", 1);
    refused(RT_UNSUPPORTED, "in state executable and not input");
    put_bundle_launch(input, "constants", out);
    refused(RT_UNSUPPORTED, "in state input and not executable");
    put_bundle_launch(built, "add", out);
    refused(RT_ERRC_KERNEL_NOT_SUPPORTED, "kernel bundle");
    bundle(HOST_BUNDLE_JOIN);
    put(2);
    put(input);
    put(built);
    refused(RT_UNSUPPORTED, "in state executable and not input");
    bundle(0);
    refused(RT_MALFORMED, "there is no bundle operation 0");
    bundle(HOST_BUNDLE_END);
    refused(RT_MALFORMED, "there is no bundle operation 12");
}

/* ---- device_globals ------------------------------------------------------------------------ */

static void put_global(const char *id)
{
    begin(HOST_GLOBAL);
    put_text(id);
}

static void put_global_copy(host_direction direction, uint32_t global, uint64_t global_offset,
                            uint32_t memory, uint64_t offset, uint64_t size)
{
    begin(HOST_GLOBAL_COPY);
    put(0);
    put_byte((uint8_t)direction);
    put_byte(global_offset % 8 != 0); /* by the handler of a command group, or by the queue */
    put(global);
    put_long(global_offset);
    put(memory);
    put_long(offset);
    put_long(size);
    put(0);
}

/* The kernel outputs both elements and adds one to the first. */
static void count(const char *kernel, uint32_t out)
{
    submit(0, kernel, 1, 1);
    put_pointer(out, 0);
    put_end();
    object_made();
}

/* `first` is the variable's initial value. */
static void globals_are_written_and_read(const char *kernel, uint32_t global,
                                         const int32_t first[2])
{
    uint32_t out = memory_make(HOST_MEMORY_USM_SHARED, 2, NULL);
    uint32_t with = memory_make(HOST_MEMORY_USM_SHARED, 4, (const int32_t[]){0, 1, 2, 90});
    uint32_t buffer = memory_make(HOST_MEMORY_BUFFER, 2, (const int32_t[]){5, 6});
    count(kernel, out);
    ASSERT_CONTENT(out, {first[0], first[1]});
    put_global_copy(HOST_FROM_GLOBAL, global, 0, with, 0, 8);
    object_made();
    ASSERT_CONTENT(with, {first[0] + 1, first[1], 2, 90});
    put_global_copy(HOST_TO_GLOBAL, global, 4, with, 12, 4);
    object_made();
    count(kernel, out);
    ASSERT_CONTENT(out, {first[0] + 1, 90});
    put_global_copy(HOST_TO_GLOBAL, global, 0, with, 8, 8);
    object_made();
    put_global_copy(HOST_FROM_GLOBAL, global, 4, buffer, 0, 4);
    object_made();
    ASSERT_CONTENT(buffer, {90, 6});
    count(kernel, out);
    ASSERT_CONTENT(out, {2, 90});
    put_global_copy(HOST_TO_GLOBAL, global, 0, buffer, 0, 8);
    object_made();
    begin(HOST_GLOBAL_READ);
    put(0);
    put(global);
    rt_reader answer = answered();
    rt_bytes content = rt_read_bytes(&answer);
    assert_true(rt_reader_finished(&answer));
    assert_int_equal(content.size, 8);
    assert_memory_equal(content.data, ((const int32_t[]){90, 6}), 8);
}

static void globals_of_both_scopes_are_copied(void **state)
{
    (void)state;
    queue_make(true);
    put_global("shared_counter");
    globals_are_written_and_read("count_shared", object_made(), (const int32_t[]){0, 0});
    put_global("image_counter");
    globals_are_written_and_read("count_image", object_made(), (const int32_t[]){3, 4});
}

static void globals_without_an_image_live_on_the_host(void **state)
{
    (void)state;
    queue_make(true);
    uint32_t with = memory_make(HOST_MEMORY_USM_SHARED, 4, counted);
    put_global("nobodys");
    uint32_t global = object_made();
    put_global_copy(HOST_TO_GLOBAL, global, 4, with, 12, 4);
    object_made();
    put_global_copy(HOST_FROM_GLOBAL, global, 0, with, 0, 8);
    object_made();
    ASSERT_CONTENT(with, {0, 3, 2, 3});
}

/* Like globals_of_both_scopes_are_copied, but the variables are those of the host half. */
static void footers_register_the_variables_of_their_sources(void **state)
{
    globals_of_both_scopes_are_copied(state);
}

/* Nothing else registers them: without the footer's call, libsycl does not know that an image uses
 * the variable, so a copy reads the host's, which is 0, instead of the image's, which is {3, 4}. */
static void variables_that_no_footer_registers_are_the_hosts(void **state)
{
    (void)state;
    uint32_t queue = queue_make(true);
    uint32_t out = memory_make(HOST_MEMORY_USM_HOST, 2, (const int32_t[]){7, 7});
    put_global("image_counter");
    put_global_copy(HOST_FROM_GLOBAL, object_made(), 0, out, 0, 8);
    (void)object_made();
    wait_for(HOST_AWAIT_QUEUE, queue);
    ASSERT_CONTENT(out, {0, 0});
}

static void globals_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    queue_make(true);
    uint32_t with = memory_make(HOST_MEMORY_USM_SHARED, 4, counted);
    put_global("nowhere");
    refused(RT_UNSUPPORTED, "no loaded module declares the device_global: nowhere");
    put_global("shared_counter");
    uint32_t global = object_made();
    put_global_copy(HOST_TO_GLOBAL, global, 4, with, 0, 8);
    refused(RT_ERRC_INVALID, "Copy to device_global is out of bounds.");
    put_global_copy(2, global, 0, with, 0, 8);
    refused(RT_MALFORMED, "there is no direction 2");
    put_global_copy(HOST_TO_GLOBAL, 1, 0, with, 0, 8);
    refused(RT_MALFORMED, "there is no device_global 1");
}

/* ---- Damage -------------------------------------------------------------------------------- */

/* Every proper prefix of an otherwise valid request is refused, and so is a request with trailing
 * bytes. */
static void assert_only_whole(void)
{
    rt_buffer whole = {0};
    rt_buffer_append(&whole, f.request.data, f.request.size);
    for (size_t size = 1; size <= whole.size + 1; size++) {
        if (size == whole.size) continue;
        f.request.size = 0;
        rt_buffer_append(&f.request, whole.data, size < whole.size ? size : whole.size);
        if (size > whole.size) put_byte(0);
        rt_reader answer;
        rt_status status = cnf_host_ask(f.host, 0, &f.request, &f.arena, &answer);
        assert_int_equal(cnf_host_fate(f.host), 0);
        if (rt_ok(status) || status.code == RT_TOOL) fail_msg("%zu of %zu bytes", size, whole.size);
    }
    rt_buffer_free(&whole);
}

static void damaged_requests_are_refused(void **state)
{
    (void)state;
    uint32_t queue = queue_make(false);
    assert_only_whole();
    begin(HOST_CONTEXT);
    put(1);
    put(0);
    assert_only_whole();
    uint32_t shared = memory_make(HOST_MEMORY_USM_SHARED, 4, counted);
    assert_only_whole();
    put_add(queue, HOST_MEMORY_USM_SHARED, shared, 1);
    put_end();
    assert_only_whole();
    put_constants(queue, shared, 1, (const char *const[]){"seven"}, counted);
    assert_only_whole();
    put_transfer(shared, 0, HOST_NONE, 0, 16, counted, 8);
    assert_only_whole();
    put_get(0, "constants");
    assert_only_whole();
    put_global("shared_counter");
    assert_only_whole();
    begin(HOST_WAIT);
    put_byte(HOST_AWAIT_ALL);
    put(0);
    assert_only_whole();
    add(queue, HOST_MEMORY_USM_SHARED, shared, 1);
    ASSERT_CONTENT(shared, {1, 2, 3, 4});
}

int main(void)
{
    if (!find_library()) {
        fprintf(stderr, "libassay_dpcpp.so is not installed: ci/setup --with dpcpp\n");
        rt_arena_reset(&f.arena);
        return 77;
    }
#define DPCPP_TEST(name) cmocka_unit_test_setup_teardown(name, program_start, program_end)
    const struct CMUnitTest tests[] = {
        DPCPP_TEST(it_tells_devices_kernels_and_modules),
        DPCPP_TEST(memories_of_all_kinds_are_made_and_used),
        DPCPP_TEST(commands_run_in_the_order_that_they_must),
        DPCPP_TEST(times_are_read_in_order),
        DPCPP_TEST(a_device_is_divided),
        DPCPP_TEST(channels_are_served_side_by_side),
        DPCPP_TEST(arguments_of_all_kinds_arrive),
        DPCPP_TEST(lambdas_capture_arguments_of_all_kinds),
        DPCPP_TEST(lambdas_that_no_module_has_are_refused),
        DPCPP_TEST(ranges_are_as_the_kernel_sees_them),
        DPCPP_TEST(what_no_application_can_launch_is_refused),
        DPCPP_TEST(what_the_runtime_refuses_comes_as_it_says_it),
        DPCPP_TEST(copies_go_between_all_kinds),
        DPCPP_TEST(fills_take_patterns_of_any_size),
        DPCPP_TEST(barriers_order_the_fills_of_a_queue),
        DPCPP_TEST(parts_are_bytes_of_their_buffer),
        DPCPP_TEST(host_tasks_copy_memories),
        DPCPP_TEST(host_tasks_wait_for_a_gate),
        DPCPP_TEST(host_accessors_show_and_take_bytes),
        DPCPP_TEST(transfers_that_do_not_fit_are_refused),
        DPCPP_TEST(impossible_objects_are_refused),
        DPCPP_TEST(constants_are_set_by_name),
        DPCPP_TEST(bundles_go_from_input_to_executable),
        DPCPP_TEST(kernel_objects_come_from_bundles),
        DPCPP_TEST(bundles_link_what_the_program_resolves),
        DPCPP_TEST(bundles_in_the_wrong_state_are_refused),
        DPCPP_TEST(globals_of_both_scopes_are_copied),
        DPCPP_TEST(globals_without_an_image_live_on_the_host),
        cmocka_unit_test_setup_teardown(footers_register_the_variables_of_their_sources,
                                        program_start_registering, program_end),
        cmocka_unit_test_setup_teardown(variables_that_no_footer_registers_are_the_hosts,
                                        program_start_silent, program_end),
        DPCPP_TEST(globals_that_do_not_fit_are_refused),
        DPCPP_TEST(damaged_requests_are_refused),
    };
    return cmocka_run_group_tests(tests, group_open, group_close);
}
