/* Tests the layer with two fake drivers: the calls that it records, and the aspects that it hides.
 */
#include "backends/opencl/layer/layer_internal.h"
#include "backends/opencl/layer/log.h"
#include "reference/base/hash.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- Two drivers ---------------------------------------------------------------------------- */

/* Objects begin with a pointer to their driver's dispatch table, as cl_khr_icd requires. */
typedef struct object {
    const void *table;
} object;

static const int table_a, table_b;
static object platform_a = {&table_a}, platform_b = {&table_b};
static object device_a = {&table_a}, context_a = {&table_a}, context_b = {&table_b};
static object program_a = {&table_a}, program_b = {&table_a}, linked_a = {&table_a};
static object kernel_a = {&table_a}, queue_a = {&table_a}, memory_a = {&table_a};
static char block_a[64], block_b[64];

static int log_descriptor = -1;

/* The log's contents at the time when the driver was called. */
static char heard[4096];

static void log_hear(void)
{
    ssize_t size = pread(log_descriptor, heard, sizeof heard - 1, 0);
    assert_true(size >= 0);
    heard[size] = '\0';
}

static CL_API_ENTRY cl_int CL_API_CALL driver_device_info(cl_device_id device, cl_device_info info,
                                                          size_t size, void *value, size_t *needed)
{
    static const char extensions[] =
        "cl_khr_fp16 cl_khr_fp64 cl_khr_int64_base_atomics cl_khr_fp64x "
        "cl_khr_int64_extended_atomics ";
    static const cl_name_version versions[] = {{1, "cl_khr_fp64"}, {2, "cl_khr_icd"}};
    static const cl_device_fp_config config = CL_FP_FMA | CL_FP_DENORM;
    static const cl_uint width = 4;
    const void *answer = &config;
    size_t length = sizeof config;
    (void)device;
    if (info == CL_DEVICE_EXTENSIONS) answer = extensions, length = sizeof extensions;
    if (info == CL_DEVICE_EXTENSIONS_WITH_VERSION) answer = versions, length = sizeof versions;
    if (info == CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE) answer = &width, length = sizeof width;
    if (info == CL_DEVICE_NAME) return CL_INVALID_DEVICE;
    if (value && size < length) return CL_INVALID_VALUE;
    if (value) memcpy(value, answer, length);
    if (needed) *needed = length;
    return CL_SUCCESS;
}

static CL_API_ENTRY cl_int CL_API_CALL driver_platform_info(cl_platform_id platform,
                                                            cl_platform_info info, size_t size,
                                                            void *value, size_t *needed)
{
    static const char answer[] = "cl_khr_fp64 cl_khr_icd";
    (void)platform, (void)info;
    if (value && size < sizeof answer) return CL_INVALID_VALUE;
    if (value) memcpy(value, answer, sizeof answer);
    if (needed) *needed = sizeof answer;
    return CL_SUCCESS;
}

static CL_API_ENTRY cl_context CL_API_CALL
driver_context(const cl_context_properties *properties, cl_uint count, const cl_device_id *devices,
               void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *), void *user,
               cl_int *result)
{
    (void)properties, (void)count, (void)devices, (void)notify, (void)user;
    if (result) *result = CL_SUCCESS;
    return (cl_context)&context_a;
}

static int programs_made;

static CL_API_ENTRY cl_program CL_API_CALL driver_il(cl_context context, const void *il,
                                                     size_t size, cl_int *result)
{
    (void)context, (void)il;
    if (result) *result = size > 0 ? CL_SUCCESS : CL_INVALID_VALUE;
    if (size == 0) return NULL;
    return (cl_program)(programs_made++ == 0 ? &program_a : &program_b);
}

static CL_API_ENTRY cl_program CL_API_CALL
driver_link(cl_context context, cl_uint count, const cl_device_id *devices, const char *options,
            cl_uint input_count, const cl_program *inputs,
            void(CL_CALLBACK *notify)(cl_program, void *), void *user, cl_int *result)
{
    (void)context, (void)count, (void)devices, (void)options, (void)inputs, (void)notify;
    (void)user;
    log_hear();
    if (result) *result = input_count > 1 ? CL_SUCCESS : CL_LINK_PROGRAM_FAILURE;
    return input_count > 1 ? (cl_program)&linked_a : NULL;
}

static CL_API_ENTRY cl_kernel CL_API_CALL driver_kernel(cl_program program, const char *name,
                                                        cl_int *result)
{
    (void)program, (void)name;
    if (result) *result = CL_SUCCESS;
    return (cl_kernel)&kernel_a;
}

static CL_API_ENTRY cl_int CL_API_CALL driver_kernel_info(cl_kernel kernel, cl_kernel_info info,
                                                          size_t size, void *value, size_t *needed)
{
    (void)kernel;
    assert_int_equal(info, CL_KERNEL_FUNCTION_NAME);
    if (value && size >= 6) memcpy(value, "twice", 6);
    if (needed) *needed = 6;
    return CL_SUCCESS;
}

static CL_API_ENTRY cl_int CL_API_CALL driver_launch(cl_command_queue queue, cl_kernel kernel,
                                                     cl_uint dimensions, const size_t *offset,
                                                     const size_t *global, const size_t *local,
                                                     cl_uint count, const cl_event *wait,
                                                     cl_event *event)
{
    (void)queue, (void)kernel, (void)offset, (void)global, (void)local, (void)count, (void)wait;
    (void)event;
    return dimensions == 9 ? CL_INVALID_WORK_DIMENSION : CL_SUCCESS;
}

static CL_API_ENTRY cl_command_queue CL_API_CALL driver_queue(cl_context context,
                                                              cl_device_id device,
                                                              const cl_queue_properties *properties,
                                                              cl_int *result)
{
    (void)context, (void)device, (void)properties;
    if (result) *result = CL_SUCCESS;
    return (cl_command_queue)&queue_a;
}

static CL_API_ENTRY cl_mem CL_API_CALL driver_buffer(cl_context context, cl_mem_flags flags,
                                                     size_t size, void *host, cl_int *result)
{
    (void)context, (void)flags, (void)size, (void)host;
    if (result) *result = CL_SUCCESS;
    return (cl_mem)&memory_a;
}

/* The same call in two drivers, each with its own memory. */
static void *alloc_a(cl_context context, const cl_mem_properties_intel *properties, size_t size,
                     cl_uint alignment, cl_int *result)
{
    (void)context, (void)properties, (void)size, (void)alignment;
    if (result) *result = CL_SUCCESS;
    return block_a;
}

static void *alloc_b(cl_context context, const cl_mem_properties_intel *properties, size_t size,
                     cl_uint alignment, cl_int *result)
{
    (void)context, (void)properties, (void)size, (void)alignment;
    if (result) *result = CL_SUCCESS;
    return block_b;
}

static cl_int copy_a(cl_command_queue queue, cl_bool blocking, void *to, const void *from,
                     size_t size, cl_uint count, const cl_event *wait, cl_event *event)
{
    (void)queue, (void)blocking, (void)to, (void)from, (void)size, (void)count, (void)wait;
    (void)event;
    return CL_SUCCESS;
}

static void *address_of(void (*function)(void))
{
    void *address;
    memcpy(&address, &function, sizeof address);
    return address;
}

static CL_API_ENTRY void *CL_API_CALL driver_extension(cl_platform_id platform, const char *name)
{
    if (strcmp(name, "clHostMemAllocINTEL") == 0)
        return address_of((void (*)(void))((object *)platform == &platform_a ? alloc_a : alloc_b));
    if (strcmp(name, "clEnqueueMemcpyINTEL") == 0) return address_of((void (*)(void))copy_a);
    if (strcmp(name, "clCommandNDRangeKernelKHR") == 0) return block_a;
    if (strcmp(name, "clGetDeviceFunctionPointerINTEL") == 0) return block_a;
    return NULL;
}

static const cl_icd_dispatch driver = {
    .clGetDeviceInfo = driver_device_info,
    .clGetPlatformInfo = driver_platform_info,
    .clCreateContext = driver_context,
    .clCreateProgramWithIL = driver_il,
    .clLinkProgram = driver_link,
    .clCreateKernel = driver_kernel,
    .clGetKernelInfo = driver_kernel_info,
    .clEnqueueNDRangeKernel = driver_launch,
    .clCreateCommandQueueWithProperties = driver_queue,
    .clCreateBuffer = driver_buffer,
    .clGetExtensionFunctionAddressForPlatform = driver_extension,
};

/* ---- Initialising the layer, and reading its log -------------------------------------------- */

enum { ENTRIES = sizeof(cl_icd_dispatch) / sizeof(void *) };

static cl_int layer_begin(const char *log, const char *hide, const cl_icd_dispatch **out_layer)
{
    cl_uint count = 0;
    setenv(OCL_LAYER_LOG, log, 1);
    setenv(OCL_LAYER_HIDE, hide, 1);
    programs_made = 0;
    cl_int result = clInitLayer(ENTRIES, &driver, &count, out_layer);
    if (result == CL_SUCCESS) assert_int_equal(count, ENTRIES);
    return result;
}

/* Initialises the layer with an in-memory log. */
static const cl_icd_dispatch *layer_recording(void)
{
    const cl_icd_dispatch *layer = NULL;
    char number[16];
    log_descriptor = memfd_create("log", MFD_CLOEXEC);
    assert_true(log_descriptor >= 0);
    snprintf(number, sizeof number, "%d", log_descriptor);
    assert_int_equal(layer_begin(number, "", &layer), CL_SUCCESS);
    return layer;
}

/* Compares the log's lines with the expected ones, ignoring the process number, which varies. */
static void assert_recorded(const char *expected)
{
    log_hear();
    rt_buffer text = {0};
    size_t prefix = (size_t)snprintf(NULL, 0, "%ld ", (long)getpid());
    for (const char *line = heard; *line != '\0';) {
        size_t length = strcspn(line, "\n");
        assert_true(length > prefix && line[length] == '\n');
        rt_buffer_append(&text, line + prefix, length + 1 - prefix);
        line += length + 1;
    }
    assert_string_equal(rt_buffer_string(&text), expected);
    rt_buffer_free(&text);
    close(log_descriptor);
}

#define BEGINNING "0 0 < layer version=1 hides= result=0\n"

/* ---- Tests ---------------------------------------------------------------------------------- */

static void the_layer_tells_its_version_and_name(void **state)
{
    (void)state;
    cl_layer_api_version version = 0;
    char name[16];
    size_t size = 0;
    assert_int_equal(clGetLayerInfo(CL_LAYER_API_VERSION, sizeof version, &version, &size), 0);
    assert_int_equal(version, CL_LAYER_API_VERSION_100);
    assert_int_equal(size, sizeof version);
    assert_int_equal(clGetLayerInfo(CL_LAYER_NAME, sizeof name, name, NULL), 0);
    assert_string_equal(name, "assay");
    assert_int_equal(clGetLayerInfo(CL_LAYER_NAME, 2, name, NULL), CL_INVALID_VALUE);
    assert_int_equal(clGetLayerInfo(0, 0, NULL, NULL), CL_INVALID_VALUE);
}

/* Entries of functions that the driver lacks stay NULL, so that the loader reports them as usual.
 */
static void calls_of_a_small_driver_stay_absent(void **state)
{
    (void)state;
    const cl_icd_dispatch *layer = layer_recording();
    assert_null(layer->clFinish);
    assert_non_null(layer->clLinkProgram);
    assert_recorded(BEGINNING);
}

/* A loader for OpenCL 1.0 has a short table: nothing beyond its end is read or replaced. */
static void a_loader_with_few_entries_is_served(void **state)
{
    (void)state;
    const cl_icd_dispatch *layer = NULL;
    cl_uint count = 0;
    unsetenv(OCL_LAYER_LOG);
    unsetenv(OCL_LAYER_HIDE);
    cl_uint few = offsetof(cl_icd_dispatch, clCreateKernel) / sizeof(void *);
    assert_int_equal(clInitLayer(few, &driver, &count, &layer), CL_SUCCESS);
    assert_int_equal(count, few);
    assert_ptr_equal(layer->clCreateContext, driver_context);
    assert_null(layer->clCreateKernel);
    assert_int_equal(clInitLayer(few, NULL, &count, &layer), CL_INVALID_VALUE);
}

static void objects_are_numbers_in_the_order_of_their_making(void **state)
{
    (void)state;
    const cl_icd_dispatch *layer = layer_recording();
    cl_device_id device = (cl_device_id)&device_a;
    cl_int result = 1;
    cl_context context = layer->clCreateContext(NULL, 1, &device, NULL, NULL, &result);
    assert_int_equal(result, CL_SUCCESS);
    static const char il[] = "code of app/0";
    cl_program first = layer->clCreateProgramWithIL(context, il, sizeof il, NULL);
    cl_program second = layer->clCreateProgramWithIL(context, il, 4, &result);
    cl_program inputs[] = {second, first};
    cl_program linked =
        layer->clLinkProgram(context, 1, &device, "-a b,c%", 2, inputs, NULL, NULL, NULL);
    assert_ptr_equal(linked, &linked_a);
    /* The log announced the call before the driver was called. */
    assert_non_null(strstr(heard, "4 0 > clLinkProgram context=0 devices=0 options=-a%20b%2cc%25 "
                                  "inputs=1,0\n"));
    cl_kernel kernel = layer->clCreateKernel(linked, "twice", NULL);
    assert_ptr_equal(kernel, &kernel_a);
    char code[128], shorter[128];
    snprintf(code, sizeof code, "%s:%zu", rt_hash_print(rt_hash128(il, sizeof il)).digits,
             sizeof il);
    snprintf(shorter, sizeof shorter, "%s:4", rt_hash_print(rt_hash128(il, 4)).digits);
    char expected[2048];
    snprintf(expected, sizeof expected,
             BEGINNING
             "1 0 < clCreateContext devices=0 made=0 result=0\n"
             "2 0 > clCreateProgramWithIL context=0 code=%s\n"
             "2 0 < clCreateProgramWithIL context=0 code=%s made=0 result=0\n"
             "3 0 > clCreateProgramWithIL context=0 code=%s\n"
             "3 0 < clCreateProgramWithIL context=0 code=%s made=1 result=0\n"
             "4 0 > clLinkProgram context=0 devices=0 options=-a%%20b%%2cc%%25 inputs=1,0\n"
             "4 0 < clLinkProgram context=0 devices=0 options=-a%%20b%%2cc%%25 inputs=1,0 "
             "made=2 result=0\n"
             "5 0 > clCreateKernel program=2 name=twice\n"
             "5 0 < clCreateKernel program=2 name=twice made=0 result=0\n",
             code, code, shorter, shorter);
    assert_recorded(expected);
}

/* If a call creates nothing, no object is numbered, and the program gets the driver's result. */
/* In the file that has replaced the first one. The context is older than the log, but has its
 * number. */
static void a_log_begins_again(void **state)
{
    (void)state;
    const cl_icd_dispatch *layer = layer_recording();
    cl_device_id device = (cl_device_id)&device_a;
    cl_context context = layer->clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    cl_program program = layer->clCreateProgramWithIL(context, "code", 4, NULL);
    int other = memfd_create("other", MFD_CLOEXEC);
    assert_true(other >= 0 && dup2(other, log_descriptor) == log_descriptor);
    close(other);
    assay_layer_restart();
    cl_kernel kernel = layer->clCreateKernel(program, "twice", NULL);
    assert_ptr_equal(kernel, &kernel_a);
    assert_recorded(BEGINNING "1 0 > clCreateKernel program=0 name=twice\n"
                              "1 0 < clCreateKernel program=0 name=twice made=0 result=0\n");
}

static void refusals_are_recorded_and_handed_on(void **state)
{
    (void)state;
    const cl_icd_dispatch *layer = layer_recording();
    cl_int result = CL_SUCCESS;
    cl_program input = (cl_program)&program_a;
    assert_null(layer->clCreateProgramWithIL((cl_context)&context_a, NULL, 0, &result));
    assert_int_equal(result, CL_INVALID_VALUE);
    assert_null(layer->clLinkProgram(NULL, 0, NULL, NULL, 1, &input, NULL, NULL, &result));
    assert_int_equal(result, CL_LINK_PROGRAM_FAILURE);
    assert_recorded(
        BEGINNING "1 0 > clCreateProgramWithIL context=? code=-\n"
                  "1 0 < clCreateProgramWithIL context=? code=- made=- result=-30\n"
                  "2 0 > clLinkProgram context=- devices=- options=- inputs=?\n"
                  "2 0 < clLinkProgram context=- devices=- options=- inputs=? made=- result=-17\n");
}

static void launches_have_their_kernels_name_and_range(void **state)
{
    (void)state;
    const cl_icd_dispatch *layer = layer_recording();
    static const cl_queue_properties properties[] = {CL_QUEUE_SIZE, 7, CL_QUEUE_PROPERTIES, 3, 0};
    cl_command_queue queue = layer->clCreateCommandQueueWithProperties(
        (cl_context)&context_a, (cl_device_id)&device_a, properties, NULL);
    cl_kernel kernel = layer->clCreateKernel((cl_program)&program_a, "twice", NULL);
    const size_t global[] = {64, 2, 1}, local[] = {8, 1, 1};
    assert_int_equal(
        layer->clEnqueueNDRangeKernel(queue, kernel, 2, NULL, global, local, 0, NULL, NULL),
        CL_SUCCESS);
    assert_int_equal(
        layer->clEnqueueNDRangeKernel(queue, kernel, 9, NULL, global, NULL, 0, NULL, NULL),
        CL_INVALID_WORK_DIMENSION);
#define LAUNCH(mark, number, rest)                                                                 \
    number " 0 " mark " clEnqueueNDRangeKernel queue=0 kernel=0 name=twice " rest
    assert_recorded(
        BEGINNING
        "1 0 < clCreateCommandQueueWithProperties context=? device=0 properties=3 made=0 "
        "result=0\n"
        "2 0 > clCreateKernel program=? name=twice\n"
        "2 0 < clCreateKernel program=? name=twice made=0 result=0\n" LAUNCH(
            ">", "3", "dimensions=2 global=64,2 local=8,1 offset=- waits_for=0\n")
            LAUNCH("<", "3", "dimensions=2 global=64,2 local=8,1 offset=- waits_for=0 result=0\n")
                LAUNCH(">", "4", "dimensions=9 global=- local=- offset=- waits_for=0\n") LAUNCH(
                    "<", "4", "dimensions=9 global=- local=- offset=- waits_for=0 result=-53\n"));
#undef LAUNCH
}

static void an_address_that_comes_back_is_a_new_object(void **state)
{
    (void)state;
    const cl_icd_dispatch *layer = layer_recording();
    for (int i = 0; i < 2; i++)
        assert_non_null(layer->clCreateBuffer((cl_context)&context_a, 1, 16, NULL, NULL));
    assert_recorded(BEGINNING "1 0 < clCreateBuffer context=? flags=1 size=16 made=0 result=0\n"
                              "2 0 < clCreateBuffer context=? flags=1 size=16 made=1 result=0\n");
}

/* A look-up yields the same function for both drivers, and the function finds the right driver. */
static void extensions_of_two_drivers_are_told_apart(void **state)
{
    (void)state;
    const cl_icd_dispatch *layer = layer_recording();
    void *found[2] = {
        layer->clGetExtensionFunctionAddressForPlatform((cl_platform_id)&platform_a,
                                                        "clHostMemAllocINTEL"),
        layer->clGetExtensionFunctionAddressForPlatform((cl_platform_id)&platform_b,
                                                        "clHostMemAllocINTEL"),
    };
    assert_ptr_equal(found[0], found[1]);
    __typeof__(clHostMemAllocINTEL) *alloc;
    memcpy(&alloc, &found[0], sizeof alloc);
    assert_ptr_equal(alloc((cl_context)&context_b, NULL, 64, 0, NULL), block_b);
    assert_ptr_equal(alloc((cl_context)&context_a, NULL, 64, 0, NULL), block_a);
    found[0] = layer->clGetExtensionFunctionAddressForPlatform((cl_platform_id)&platform_a,
                                                               "clEnqueueMemcpyINTEL");
    __typeof__(clEnqueueMemcpyINTEL) *copy;
    memcpy(&copy, &found[0], sizeof copy);
    int host;
    assert_int_equal(copy((cl_command_queue)&queue_a, 0, block_a + 3, &host, 4, 0, NULL, NULL), 0);
#define ASKED "clGetExtensionFunctionAddressForPlatform name="
    assert_recorded(BEGINNING
                    "1 0 < " ASKED "clHostMemAllocINTEL given=1 recorded=1 result=0\n"
                    "2 0 < " ASKED "clHostMemAllocINTEL given=1 recorded=1 result=0\n"
                    "3 0 < clHostMemAllocINTEL context=? size=64 made=0 result=0\n"
                    "4 0 < clHostMemAllocINTEL context=? size=64 made=1 result=0\n"
                    "5 0 < " ASKED "clEnqueueMemcpyINTEL given=1 recorded=1 result=0\n"
                    "6 0 < clEnqueueMemcpyINTEL queue=? waits_for=0 blocking=0 to=1+3 from=host "
                    "size=4 result=0\n");
}

/* Looking up a function that the layer does not know returns the driver's own, and the log says
 * that its calls will not be recorded. */
static void other_extensions_are_named_as_unrecorded(void **state)
{
    (void)state;
    const cl_icd_dispatch *layer = layer_recording();
    cl_platform_id platform = (cl_platform_id)&platform_a;
    assert_ptr_equal(
        layer->clGetExtensionFunctionAddressForPlatform(platform, "clCommandNDRangeKernelKHR"),
        block_a);
    assert_null(layer->clGetExtensionFunctionAddressForPlatform(platform, "clMemFreeINTEL"));
    assert_recorded(BEGINNING "1 0 < " ASKED
                              "clCommandNDRangeKernelKHR given=1 recorded=0 result=0\n"
                              "2 0 < " ASKED "clMemFreeINTEL given=0 recorded=0 result=0\n");
}

static void assert_extensions(const cl_icd_dispatch *layer, const char *expected)
{
    char text[256];
    size_t size = 0, needed = strlen(expected) + 1;
    cl_device_id device = (cl_device_id)&device_a;
    assert_int_equal(layer->clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, 0, NULL, &size), 0);
    assert_int_equal(size, needed);
    assert_int_equal(layer->clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, needed, text, NULL), 0);
    assert_string_equal(text, expected);
    assert_int_equal(layer->clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, needed - 1, text, NULL),
                     CL_INVALID_VALUE);
}

static void hidden_aspects_are_in_no_answer(void **state)
{
    (void)state;
    const cl_icd_dispatch *layer = NULL;
    assert_int_equal(layer_begin("", "fp64,atomic64", &layer), CL_SUCCESS);
    assert_extensions(layer, "cl_khr_fp16 cl_khr_fp64x");
    cl_device_id device = (cl_device_id)&device_a;
    cl_device_fp_config config = 1;
    cl_uint width = 1;
    size_t size = 0;
    assert_int_equal(
        layer->clGetDeviceInfo(device, CL_DEVICE_DOUBLE_FP_CONFIG, sizeof config, &config, &size),
        CL_SUCCESS);
    assert_true(config == 0 && size == sizeof config);
    assert_int_equal(
        layer->clGetDeviceInfo(device, CL_DEVICE_HALF_FP_CONFIG, sizeof config, &config, NULL),
        CL_SUCCESS);
    assert_true(config == (CL_FP_FMA | CL_FP_DENORM));
    assert_int_equal(layer->clGetDeviceInfo(device, CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE,
                                            sizeof width, &width, NULL),
                     CL_SUCCESS);
    assert_int_equal(width, 0);
    cl_name_version versions[2] = {0};
    assert_int_equal(layer->clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS_WITH_VERSION,
                                            sizeof versions, versions, &size),
                     CL_SUCCESS);
    assert_int_equal(size, sizeof *versions);
    assert_string_equal(versions[0].name, "cl_khr_icd");
    /* The driver's errors are passed on; without a log, nothing is recorded. */
    assert_int_equal(layer->clGetDeviceInfo(device, CL_DEVICE_NAME, 0, NULL, NULL),
                     CL_INVALID_DEVICE);
    assert_ptr_equal(layer->clLinkProgram, driver_link);
}

static void platforms_hide_what_their_devices_hide(void **state)
{
    (void)state;
    const cl_icd_dispatch *layer = NULL;
    assert_int_equal(layer_begin("", "fp64", &layer), CL_SUCCESS);
    char text[64];
    assert_int_equal(layer->clGetPlatformInfo((cl_platform_id)&platform_a, CL_PLATFORM_EXTENSIONS,
                                              sizeof text, text, NULL),
                     CL_SUCCESS);
    assert_string_equal(text, "cl_khr_icd");
    assert_int_equal(layer->clGetPlatformInfo((cl_platform_id)&platform_a, CL_PLATFORM_NAME,
                                              sizeof text, text, NULL),
                     CL_SUCCESS);
    assert_string_equal(text, "cl_khr_fp64 cl_khr_icd"); /* the fake answers all queries alike */
}

/* Runs without a log and with one. */
static void functions_without_addresses_have_no_call(void **state)
{
    (void)state;
    cl_platform_id platform = (cl_platform_id)&platform_a;
    const char *name = "clGetDeviceFunctionPointerINTEL";
    static const char *const logs[] = {"", "/dev/null"};
    for (size_t i = 0; i < sizeof logs / sizeof *logs; i++) {
        const cl_icd_dispatch *layer = NULL;
        assert_int_equal(layer_begin(logs[i], "fp64", &layer), CL_SUCCESS);
        assert_non_null(layer->clGetExtensionFunctionAddressForPlatform(platform, name));
        assert_int_equal(layer_begin(logs[i], "ext_oneapi_virtual_functions", &layer), CL_SUCCESS);
        assert_null(layer->clGetExtensionFunctionAddressForPlatform(platform, name));
        assert_non_null(
            layer->clGetExtensionFunctionAddressForPlatform(platform, "clCommandNDRangeKernelKHR"));
    }
}

static void nothing_hidden_asks_the_driver_itself(void **state)
{
    (void)state;
    const cl_icd_dispatch *layer = NULL;
    assert_int_equal(layer_begin("", "", &layer), CL_SUCCESS);
    assert_ptr_equal(layer->clGetDeviceInfo, driver_device_info);
}

static void what_it_cannot_do_it_refuses(void **state)
{
    (void)state;
    const cl_icd_dispatch *layer = NULL;
    assert_int_equal(layer_begin("", "fp32", &layer), CL_INVALID_VALUE);
    assert_int_equal(layer_begin("", "fp64,fp6", &layer), CL_INVALID_VALUE);
    assert_int_equal(layer_begin("/nowhere/log", "", &layer), CL_INVALID_VALUE);
    assert_int_equal(layer_begin("32000", "", &layer), CL_INVALID_VALUE);
    int readable = open("/dev/null", O_RDONLY | O_CLOEXEC);
    char number[16];
    snprintf(number, sizeof number, "%d", readable);
    assert_int_equal(layer_begin(number, "", &layer), CL_INVALID_VALUE);
    close(readable);
    assert_null(layer);
}

/* A block whose end the layer has not seen: another is allocated within it. */
static void a_new_block_replaces_those_that_it_overlaps(void **state)
{
    (void)state;
    layer_block block;
    layer_objects_clear();
    layer_block_add(LAYER_BLOCK_SVM, block_a, 16);
    layer_block_add(LAYER_BLOCK_SVM, block_a + 16, 48);
    layer_block_add(LAYER_BLOCK_SVM, block_a + 32, 8);
    assert_true(layer_block_at((uintptr_t)block_a + 32, &block));
    assert_int_equal(block.number, 2);
    assert_false(layer_block_at((uintptr_t)block_a + 16, &block));
    assert_true(layer_block_at((uintptr_t)block_a + 15, &block));
    assert_int_equal(block.number, 0);
    layer_objects_clear();
}

/* A capture that the variables describe wrongly is not begun. */
static void wrong_captures_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *folder, *launches, *bytes;
        cl_int result;
    } rows[] = {
        {"/nowhere", "", "", CL_INVALID_VALUE},   {"/dev/null", "", "", CL_INVALID_VALUE},
        {"/tmp", "5..4", "", CL_INVALID_VALUE},   {"/tmp", "5", "", CL_INVALID_VALUE},
        {"/tmp", "..5", "", CL_INVALID_VALUE},    {"/tmp", "1...5", "", CL_INVALID_VALUE},
        {"/tmp", "1..1", "-1", CL_INVALID_VALUE}, {"/tmp", "1..1", "1k", CL_INVALID_VALUE},
        {"/tmp", "0..99", "1024", CL_SUCCESS},    {"/tmp", "", "", CL_SUCCESS},
        {"", "5..4", "many", CL_SUCCESS},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const cl_icd_dispatch *layer = NULL;
        setenv(OCL_LAYER_CAPTURE, rows[i].folder, 1);
        setenv(OCL_LAYER_CAPTURE_LAUNCHES, rows[i].launches, 1);
        setenv(OCL_LAYER_CAPTURE_BYTES, rows[i].bytes, 1);
        assert_int_equal(layer_begin("/dev/null", "", &layer), rows[i].result);
    }
    unsetenv(OCL_LAYER_CAPTURE);
    unsetenv(OCL_LAYER_CAPTURE_LAUNCHES);
    unsetenv(OCL_LAYER_CAPTURE_BYTES);
}

/* A child of fork writes a record of the layer before its first call. */
static void a_forked_process_has_its_own_records(void **state)
{
    (void)state;
    char path[] = "/tmp/assay-layer-XXXXXX";
    int file = mkstemp(path);
    const cl_icd_dispatch *layer = NULL;
    assert_int_equal(layer_begin(path, "", &layer), CL_SUCCESS);
    pid_t child = fork();
    if (child == 0) {
        (void)layer->clCreateBuffer((cl_context)&context_a, 1, 16, NULL, NULL);
        _exit(0);
    }
    assert_int_equal(waitpid(child, NULL, 0), child);
    char text[512] = "", expected[512];
    ssize_t size = pread(file, text, sizeof text - 1, 0);
    int length = snprintf(expected, sizeof expected,
                          "%ld 0 0 < layer version=1 hides= result=0\n"
                          "%ld 2 0 < layer version=1 result=0\n"
                          "%ld 1 0 < clCreateBuffer context=? flags=1 size=16 made=0 result=0\n",
                          (long)getpid(), (long)child, (long)child);
    assert_int_equal(size, length);
    assert_string_equal(text, expected);
    rt_sink *sink = rt_sink_create();
    rt_arena arena = {0};
    ocl_call_log log;
    assert_true(rt_ok(ocl_call_log_read(sink, &arena, rt_text_of(text), false, &log)));
    assert_int_equal(log.process_count, 2);
    assert_int_equal(log.calls[0].process, 1);
    rt_arena_reset(&arena);
    rt_sink_destroy(sink);
    close(file);
    unlink(path);
}

/* Existing contents are kept; a log may contain the records of several processes. */
static void a_file_is_appended_to(void **state)
{
    (void)state;
    char path[] = "/tmp/assay-layer-XXXXXX";
    int file = mkstemp(path);
    const cl_icd_dispatch *layer = NULL;
    for (int i = 0; i < 2; i++)
        assert_int_equal(layer_begin(path, "fp16", &layer), CL_SUCCESS);
    char text[256] = "";
    ssize_t size = pread(file, text, sizeof text - 1, 0);
    char expected[256];
    int length = snprintf(expected, sizeof expected,
                          "%ld 0 0 < layer version=1 hides=fp16 result=0\n"
                          "%ld 0 0 < layer version=1 hides=fp16 result=0\n",
                          (long)getpid(), (long)getpid());
    assert_int_equal(size, length);
    assert_string_equal(text, expected);
    close(file);
    unlink(path);
}

/* Writer and reader agree on every byte of a text. */
static void the_reader_reads_what_the_layer_writes(void **state)
{
    (void)state;
    const cl_icd_dispatch *layer = layer_recording();
    char name[256];
    for (int i = 0; i < 255; i++)
        name[i] = (char)(i + 1);
    name[255] = '\0';
    (void)layer->clCreateKernel((cl_program)&program_a, name, NULL);
    (void)layer->clCreateKernel((cl_program)&program_a, "-", NULL);
    log_hear();
    rt_sink *sink = rt_sink_create();
    rt_arena arena = {0};
    ocl_call_log log;
    assert_true(rt_ok(ocl_call_log_read(sink, &arena, rt_text_of(heard), false, &log)));
    assert_int_equal(log.call_count, 2);
    assert_true(rt_text_is(ocl_call_text(&log.calls[0], "name"), name));
    assert_true(rt_text_is(ocl_call_text(&log.calls[1], "name"), "-"));
    rt_arena_reset(&arena);
    rt_sink_destroy(sink);
    close(log_descriptor);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_layer_tells_its_version_and_name),
        cmocka_unit_test(calls_of_a_small_driver_stay_absent),
        cmocka_unit_test(a_loader_with_few_entries_is_served),
        cmocka_unit_test(objects_are_numbers_in_the_order_of_their_making),
        cmocka_unit_test(a_log_begins_again),
        cmocka_unit_test(refusals_are_recorded_and_handed_on),
        cmocka_unit_test(launches_have_their_kernels_name_and_range),
        cmocka_unit_test(an_address_that_comes_back_is_a_new_object),
        cmocka_unit_test(extensions_of_two_drivers_are_told_apart),
        cmocka_unit_test(other_extensions_are_named_as_unrecorded),
        cmocka_unit_test(hidden_aspects_are_in_no_answer),
        cmocka_unit_test(platforms_hide_what_their_devices_hide),
        cmocka_unit_test(functions_without_addresses_have_no_call),
        cmocka_unit_test(nothing_hidden_asks_the_driver_itself),
        cmocka_unit_test(what_it_cannot_do_it_refuses),
        cmocka_unit_test(a_new_block_replaces_those_that_it_overlaps),
        cmocka_unit_test(wrong_captures_are_refused),
        cmocka_unit_test(a_forked_process_has_its_own_records),
        cmocka_unit_test(a_file_is_appended_to),
        cmocka_unit_test(the_reader_reads_what_the_layer_writes),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    layer_log_open("");
    layer_objects_clear();
    return failed;
}
