/* Captures what launches work on: the arguments of kernels, and the contents of memory before and
 * after a launch, each once, in a file named by its hash.
 *
 * The layer issues its own commands (reads, and waits for the queue) with the program's queue.  It
 * never does so while a user event of the program is unset: the commands could wait for it forever.
 *
 * Source: The OpenCL API Specification 3.0, 5.9 "Kernel Objects", 5.2.2 "Reading, Writing and
 * Copying Buffer Objects", 5.11 "Event Objects". */
#include "backends/opencl/layer/layer_internal.h"
#include "reference/base/descriptors.h"
#include "reference/base/hash.h"
#include "reference/base/map.h"
#include "reference/base/number.h"
#include "reference/base/vector.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ARGUMENTS_MAX = 4096 }; /* of a kernel; a driver refuses far fewer */

typedef enum argument_kind {
    ARGUMENT_UNSET,
    ARGUMENT_VALUE,
    ARGUMENT_LOCAL,
    ARGUMENT_POINTER,
} argument_kind;

typedef struct capture_argument {
    argument_kind kind;
    size_t size;
    void *value;         /* owned: the bytes of a value */
    const void *pointer; /* of ARGUMENT_POINTER */
} capture_argument;

typedef RT_VECTOR(capture_argument) capture_kernel;

static struct {
    pthread_mutex_t lock; /* guards what follows it */
    uint64_t bytes;       /* of contents, written so far */
    uint64_t launches;    /* so far */
    RT_VECTOR(capture_kernel) kernels;
    RT_VECTOR(cl_event) unset; /* user events that the program has not set */
    int folder;                /* these are set once; -1: nothing is captured */
    uint64_t first, last, bytes_max;
    bool stores;        /* what the host writes is captured, too */
    const char *kernel; /* "": every kernel */
} capture = {.lock = PTHREAD_MUTEX_INITIALIZER, .folder = -1};

/* ---- Configuration -------------------------------------------------------------------------- */

static const char *variable(const char *name)
{
    const char *value = getenv(name);
    return value ? value : "";
}

static bool refuse(const char *name, const char *expected)
{
    fprintf(stderr, "assay: the OpenCL layer does not accept %s='%s'; expected %s\n", name,
            variable(name), expected);
    return false;
}

bool layer_capture_open(void)
{
    const char *launches = variable(OCL_LAYER_CAPTURE_LAUNCHES);
    const char *bytes = variable(OCL_LAYER_CAPTURE_BYTES), *folder = variable(OCL_LAYER_CAPTURE);
    if (capture.folder >= 0) close(capture.folder);
    capture.folder = -1;
    /* Objects are numbered anew. */
    for (uint32_t i = 0; i < capture.kernels.count; i++) {
        capture_kernel *kernel = &capture.kernels.items[i];
        for (uint32_t k = 0; k < kernel->count; k++)
            rt_free(kernel->items[k].value);
        rt_vector_free(kernel);
    }
    rt_vector_free(&capture.kernels);
    rt_vector_free(&capture.unset);
    capture.bytes = capture.launches = 0;
    capture.bytes_max = UINT64_MAX;
    capture.kernel = variable(OCL_LAYER_CAPTURE_KERNEL);
    capture.stores = *variable(OCL_LAYER_CAPTURE_STORES) != '\0';
    if (*folder == '\0') return true;
    rt_text last = rt_text_of(launches), first = rt_text_take_until(&last, '.');
    bool is_range = rt_text_take_prefix(&last, ".") &&
                    rt_number_read(first, 0, UINT64_MAX, &capture.first) &&
                    rt_number_read(last, capture.first, UINT64_MAX, &capture.last);
    if (*launches == '\0')
        capture.first = 0, capture.last = UINT64_MAX;
    else if (!is_range)
        return refuse(OCL_LAYER_CAPTURE_LAUNCHES, "two numbers, such as 0..99");
    if (*bytes != '\0' && !rt_number_read(rt_text_of(bytes), 0, UINT64_MAX, &capture.bytes_max))
        return refuse(OCL_LAYER_CAPTURE_BYTES, "a number of bytes");
    capture.folder = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return capture.folder >= 0 || refuse(OCL_LAYER_CAPTURE, "an existing folder");
}

bool layer_captures(void)
{
    return capture.folder >= 0;
}

/* ---- Files ---------------------------------------------------------------------------------- */

/* Writes bytes into the file that is named by their hash, unless it exists.  It appears only when
 * it is complete.  False: the file could not be written, which errno explains. */
static bool file_write(rt_hash hash, const void *data, size_t size, bool *out_is_new)
{
    char name[64], part[64];
    snprintf(name, sizeof name, "%s.bin", rt_hash_print(hash).digits);
    *out_is_new = faccessat(capture.folder, name, F_OK, 0) != 0;
    if (!*out_is_new) return true;
    /* Threads, and processes that share the folder, may write equal contents at the same time. */
    snprintf(part, sizeof part, "part-%ld-%p", (long)getpid(), (const void *)&name);
    int file = openat(capture.folder, part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file < 0) return false;
    int error = rt_write_all(file, (rt_bytes){data, size}) ? 0 : errno;
    if (close(file) != 0 && error == 0) error = errno;
    if (error == 0 && renameat(capture.folder, part, capture.folder, name) != 0) error = errno;
    if (error != 0) (void)unlinkat(capture.folder, part, 0);
    errno = error;
    return error == 0;
}

/* Reports on stderr that a file could not be written; the program goes on. */
static void file_report(void)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static bool is_reported;
    int error = errno;
    pthread_mutex_lock(&lock);
    if (!is_reported)
        fprintf(stderr,
                "assay: the OpenCL layer cannot write into '%s': %s; what follows is "
                "captured without its contents\n",
                variable(OCL_LAYER_CAPTURE), strerror(error));
    is_reported = true;
    pthread_mutex_unlock(&lock);
}

void layer_capture_code(const void *code, size_t size)
{
    bool is_new;
    if (layer_captures() && !file_write(rt_hash128(code, size), code, size, &is_new)) file_report();
}

/* ---- Arguments ------------------------------------------------------------------------------ */

/* The arguments of a kernel, with room for one at `index`; NULL if the kernel's creation was not
 * recorded.  The caller holds the lock. */
static capture_kernel *kernel_at(uint32_t number, uint32_t index)
{
    if (number == LAYER_UNKNOWN || index >= ARGUMENTS_MAX) return NULL;
    while (capture.kernels.count <= number)
        *rt_vector_push(&capture.kernels) = (capture_kernel){0};
    capture_kernel *kernel = &capture.kernels.items[number];
    while (kernel->count <= index)
        *rt_vector_push(kernel) = (capture_argument){0};
    return kernel;
}

/* Stores an argument, whose value is owned from now on. */
static void argument_store(uint32_t number, cl_uint index, capture_argument argument)
{
    pthread_mutex_lock(&capture.lock);
    capture_kernel *kernel = kernel_at(number, index);
    void *former = kernel ? kernel->items[index].value : argument.value;
    if (kernel) kernel->items[index] = argument;
    pthread_mutex_unlock(&capture.lock);
    rt_free(former);
}

static void *bytes_copy(const void *bytes, size_t size)
{
    void *copy = rt_alloc(size + 1);
    memcpy(copy, bytes, size);
    return copy;
}

void layer_capture_argument(cl_kernel kernel, cl_uint index, size_t size, const void *value)
{
    if (!layer_captures()) return;
    capture_argument argument = {.kind = value ? ARGUMENT_VALUE : ARGUMENT_LOCAL, .size = size};
    if (value) argument.value = bytes_copy(value, size);
    argument_store(layer_object_number(LAYER_KERNEL, kernel), index, argument);
}

void layer_capture_pointer(cl_kernel kernel, cl_uint index, const void *pointer)
{
    if (!layer_captures()) return;
    capture_argument argument = {.kind = ARGUMENT_POINTER, .pointer = pointer};
    argument_store(layer_object_number(LAYER_KERNEL, kernel), index, argument);
}

void layer_capture_clone(cl_kernel source, cl_kernel clone)
{
    if (!layer_captures()) return;
    uint32_t from = layer_object_number(LAYER_KERNEL, source);
    uint32_t to = layer_object_number(LAYER_KERNEL, clone);
    for (uint32_t i = 0; from != LAYER_UNKNOWN; i++) {
        pthread_mutex_lock(&capture.lock);
        bool exists = from < capture.kernels.count && i < capture.kernels.items[from].count;
        capture_argument copy = {0};
        if (exists) copy = capture.kernels.items[from].items[i];
        if (copy.value) copy.value = bytes_copy(copy.value, copy.size);
        pthread_mutex_unlock(&capture.lock);
        if (!exists) return;
        argument_store(to, i, copy);
    }
}

/* ---- A launch ------------------------------------------------------------------------------- */

/* What a launch's arguments say, while they are read. */
typedef struct launch_reading {
    rt_buffer arguments, words;
    RT_VECTOR(layer_content) contents;
    const char *loss; /* a word of OCL_CAPTURE_LOSSES; NULL: none */
} launch_reading;

static void content_add(launch_reading *reading, const layer_content *content)
{
    for (uint32_t i = 0; i < reading->contents.count; i++)
        if (reading->contents.items[i].object == content->object) return;
    *rt_vector_push(&reading->contents) = *content;
}

static void block_add(launch_reading *reading, const layer_block *block)
{
    const layer_content content = {.object = block->first,
                                   .is_block = true,
                                   .kind = block->kind,
                                   .number = block->number,
                                   .size = block->size};
    content_add(reading, &content);
    if (block->kind == LAYER_BLOCK_VARIABLE) reading->loss = "variable";
}

static void pointer_append(launch_reading *reading, const void *pointer)
{
    layer_block block;
    if (!pointer) {
        rt_buffer_append_byte(&reading->arguments, 'n');
    } else if (layer_block_at((uintptr_t)pointer, &block)) {
        rt_buffer_printf(&reading->arguments, "p%" PRIu32 "+%zu", block.number,
                         (size_t)((uintptr_t)pointer - (uintptr_t)block.first));
        block_add(reading, &block);
    } else {
        rt_buffer_append_byte(&reading->arguments, '?');
        reading->loss = "object";
    }
}

/* Appends an argument of the size of a handle, if it is the handle of a known object. */
static bool handle_append(launch_reading *reading, const capture_argument *argument)
{
    const void *object;
    if (argument->size != sizeof object) return false;
    memcpy(&object, argument->value, sizeof object);
    if (!object) return false;
    if (layer_object_number(LAYER_IMAGE, object) != LAYER_UNKNOWN) {
        rt_buffer_append_byte(&reading->arguments, 'i');
        return true;
    }
    if (layer_object_number(LAYER_SAMPLER, object) != LAYER_UNKNOWN) {
        rt_buffer_append_byte(&reading->arguments, 's');
        return true;
    }
    uint32_t number = layer_object_number(LAYER_MEMORY, object);
    if (number == LAYER_UNKNOWN) return false;
    layer_content content = {.object = object, .number = number};
    cl_mem memory;
    memcpy(&memory, &object, sizeof memory);
    /* A number that equals the address of a buffer that has been released is not that buffer; no
     * driver checks a handle, so only programs that reuse stale handles could reach this. */
    if (layer_next()->clGetMemObjectInfo(memory, CL_MEM_SIZE, sizeof content.size, &content.size,
                                         NULL) != CL_SUCCESS)
        return false;
    rt_buffer_printf(&reading->arguments, "m%" PRIu32, number);
    content_add(reading, &content);
    return true;
}

static void value_append(launch_reading *reading, uint32_t index, const capture_argument *argument)
{
    const uint8_t *bytes = argument->value;
    rt_buffer_append_byte(&reading->arguments, 'v');
    rt_buffer_append_hex(&reading->arguments, (rt_bytes){bytes, argument->size});
    for (size_t at = 0; at + sizeof(uintptr_t) <= argument->size; at += sizeof(uintptr_t)) {
        uintptr_t word;
        layer_block block;
        memcpy(&word, bytes + at, sizeof word);
        if (!layer_block_at(word, &block)) continue;
        rt_buffer_printf(&reading->words, "%s%" PRIu32 "@%zu:%" PRIu32 "+%zu",
                         reading->words.size > 0 ? "," : "", index, at, block.number,
                         (size_t)(word - (uintptr_t)block.first));
        block_add(reading, &block);
    }
}

static void argument_append(launch_reading *reading, uint32_t index,
                            const capture_argument *argument)
{
    if (index > 0) rt_buffer_append_byte(&reading->arguments, ',');
    switch (argument->kind) {
    case ARGUMENT_UNSET:
        rt_buffer_append_byte(&reading->arguments, '?');
        reading->loss = "unset";
        break;
    case ARGUMENT_LOCAL: rt_buffer_printf(&reading->arguments, "l%zu", argument->size); break;
    case ARGUMENT_POINTER: pointer_append(reading, argument->pointer); break;
    case ARGUMENT_VALUE:
        if (!handle_append(reading, argument)) value_append(reading, index, argument);
        break;
    }
}

static void arguments_read(launch_reading *reading, cl_kernel kernel)
{
    const cl_icd_dispatch *next = layer_next();
    cl_uint count = 0;
    uint32_t number = layer_object_number(LAYER_KERNEL, kernel);
    if (number == LAYER_UNKNOWN || next->clGetKernelInfo(kernel, CL_KERNEL_NUM_ARGS, sizeof count,
                                                         &count, NULL) != CL_SUCCESS) {
        reading->loss = "object";
        return;
    }
    pthread_mutex_lock(&capture.lock);
    capture_kernel known = {0};
    if (number < capture.kernels.count) known = capture.kernels.items[number];
    for (cl_uint i = 0; i < count && i < ARGUMENTS_MAX; i++) {
        const capture_argument unset = {0};
        argument_append(reading, i, i < known.count ? &known.items[i] : &unset);
    }
    pthread_mutex_unlock(&capture.lock);
}

/* ---- Contents ------------------------------------------------------------------------------- */

/* Reads a buffer that the host may not read, through a copy of it. */
static cl_int hidden_read(cl_command_queue queue, cl_mem memory, size_t size, void *out)
{
    const cl_icd_dispatch *next = layer_next();
    cl_context context = NULL;
    cl_int result = next->clGetMemObjectInfo(memory, CL_MEM_CONTEXT, sizeof(cl_context),
                                             (void *)&context, NULL);
    if (result != CL_SUCCESS) return result;
    cl_mem copy = next->clCreateBuffer(context, CL_MEM_READ_WRITE, size, NULL, &result);
    if (!copy) return result;
    result = next->clEnqueueCopyBuffer(queue, memory, copy, 0, 0, size, 0, NULL, NULL);
    if (result == CL_SUCCESS) result = next->clFinish(queue);
    if (result == CL_SUCCESS)
        result = next->clEnqueueReadBuffer(queue, copy, CL_TRUE, 0, size, out, 0, NULL, NULL);
    next->clReleaseMemObject(copy);
    return result;
}

static bool content_read(cl_command_queue queue, const layer_content *content, void *out)
{
    const cl_icd_dispatch *next = layer_next();
    if (content->is_block && content->kind == LAYER_BLOCK_SVM)
        return next->clEnqueueSVMMemcpy(queue, CL_TRUE, out, content->object, content->size, 0,
                                        NULL, NULL) == CL_SUCCESS;
    if (content->is_block)
        return layer_usm_read(queue, out, content->object, content->size) == CL_SUCCESS;
    cl_mem memory;
    memcpy(&memory, &content->object, sizeof memory);
    cl_mem_flags flags = 0;
    if (next->clGetMemObjectInfo(memory, CL_MEM_FLAGS, sizeof flags, &flags, NULL) != CL_SUCCESS)
        return false;
    cl_int result = flags & (CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS)
                        ? hidden_read(queue, memory, content->size, out)
                        : next->clEnqueueReadBuffer(queue, memory, CL_TRUE, 0, content->size, out,
                                                    0, NULL, NULL);
    return result == CL_SUCCESS;
}

/* True if the bytes hold the address of a block, which another process could not use; words that
 * equal those of `former` (NULL: none) do not count. */
static bool holds_address(const uint8_t *bytes, const uint8_t *former, size_t size)
{
    uintptr_t first, end, word;
    layer_block block;
    if (!layer_blocks_span(&first, &end)) return false;
    for (size_t at = 0; at + sizeof word <= size; at += sizeof word) {
        if (former && memcmp(bytes + at, former + at, sizeof word) == 0) continue;
        memcpy(&word, bytes + at, sizeof word);
        if (word >= first && word < end && layer_block_at(word, &block)) return true;
    }
    return false;
}

/* Takes room for `size` bytes of the limit; false: there is none. */
static bool bytes_take(uint64_t size)
{
    pthread_mutex_lock(&capture.lock);
    bool fits = capture.bytes_max - capture.bytes >= size;
    if (fits) capture.bytes += size;
    pthread_mutex_unlock(&capture.lock);
    return fits;
}

static void bytes_give_back(uint64_t size)
{
    pthread_mutex_lock(&capture.lock);
    capture.bytes -= size;
    pthread_mutex_unlock(&capture.lock);
}

/* Reads the contents of a memory, and writes their file unless the limit is reached.  Returns a
 * loss, or NULL; *out_bytes is then for the caller to free. */
static const char *content_keep(cl_command_queue queue, const layer_content *content,
                                rt_buffer *items, uint8_t **out_bytes)
{
    if (!bytes_take(content->size)) return "bytes";
    uint8_t *bytes =
        malloc(content->size > 0 ? content->size : 1); /* a driver's size may be huge */
    const char *loss = !bytes || !content_read(queue, content, bytes) ? "read" : NULL;
    if (!loss) {
        bool is_new;
        rt_hash hash = rt_hash128(bytes, content->size);
        if (!file_write(hash, bytes, content->size, &is_new)) {
            file_report();
            loss = "file";
        } else if (!is_new) {
            bytes_give_back(content->size);
        }
        rt_buffer_printf(items, "%s%c%" PRIu32 ":%s:%zu", items->size > 0 ? "," : "",
                         content->is_block ? 'p' : 'm', content->number, rt_hash_print(hash).digits,
                         content->size);
    }
    if (loss) bytes_give_back(content->size);
    if (loss) free(bytes);
    if (!loss) *out_bytes = bytes;
    return loss;
}

/* Adds the contents before the launch to its record, or the reason why they are missing. */
static void before_put(layer_record *record, cl_command_queue queue, layer_launch *launch)
{
    rt_buffer items = {0}, addresses = {0};
    const char *loss = NULL;
    for (uint32_t i = 0; i < launch->content_count && !loss; i++) {
        layer_content *content = &launch->contents[i];
        loss = content_keep(queue, content, &items, &content->before);
        if (!loss && holds_address(content->before, NULL, content->size))
            rt_buffer_printf(&addresses, "%s%c%" PRIu32, addresses.size > 0 ? "," : "",
                             content->is_block ? 'p' : 'm', content->number);
    }
    if (loss)
        layer_put_text(record, "lost", loss);
    else
        layer_put_items(record, "before", &items);
    if (!loss && addresses.size > 0) layer_put_items(record, "addresses", &addresses);
    launch->is_captured = !loss;
    rt_buffer_free(&items);
    rt_buffer_free(&addresses);
}

/* Adds the contents after the launch. */
static void after_put(layer_record *record, cl_command_queue queue, const layer_launch *launch)
{
    rt_buffer items = {0};
    const char *loss = NULL;
    for (uint32_t i = 0; i < launch->content_count && !loss; i++) {
        const layer_content *content = &launch->contents[i];
        uint8_t *bytes = NULL;
        loss = content_keep(queue, content, &items, &bytes);
        if (!loss && holds_address(bytes, content->before, content->size)) loss = "address";
        free(bytes);
    }
    if (loss)
        layer_put_text(record, "lost", loss);
    else
        layer_put_items(record, "after", &items);
    rt_buffer_free(&items);
}

/* True if this launch is one of those to capture; counts it, and adds its number. */
static bool launch_is_chosen(layer_record *record, const char *name)
{
    pthread_mutex_lock(&capture.lock);
    uint64_t index = capture.launches++;
    pthread_mutex_unlock(&capture.lock);
    layer_put_number(record, "launch", index);
    return index >= capture.first && index <= capture.last &&
           (*capture.kernel == '\0' || strcmp(capture.kernel, name) == 0);
}

/* Waits for what the launch waits for.  False: a user event that is unset may prevent that. */
static bool launch_wait(cl_command_queue queue, cl_uint wait_count, const cl_event *wait)
{
    pthread_mutex_lock(&capture.lock);
    bool may_wait = capture.unset.count == 0;
    pthread_mutex_unlock(&capture.lock);
    if (may_wait && wait && wait_count > 0) (void)layer_next()->clWaitForEvents(wait_count, wait);
    if (may_wait) (void)layer_next()->clFinish(queue);
    return may_wait;
}

void layer_capture_before(layer_record *record, cl_command_queue queue, cl_kernel kernel,
                          const char *name, cl_uint wait_count, const cl_event *wait,
                          layer_launch *out_launch)
{
    launch_reading reading = {0};
    cl_program program = NULL;
    CHECK(layer_captures());
    if (wait_count > 0)
        layer_put_objects(record, "wait", LAYER_EVENT, (const void *const *)wait, wait_count);
    if (!launch_is_chosen(record, name)) return;
    (void)layer_next()->clGetKernelInfo(kernel, CL_KERNEL_PROGRAM, sizeof(cl_program),
                                        (void *)&program, NULL);
    layer_put_object(record, "program", LAYER_PROGRAM, program);
    arguments_read(&reading, kernel);
    layer_put_items(record, "args", &reading.arguments);
    if (reading.words.size > 0) layer_put_items(record, "words", &reading.words);
    if (!reading.loss && !launch_wait(queue, wait_count, wait)) reading.loss = "user-event";
    *out_launch = (layer_launch){!reading.loss, reading.contents.items, reading.contents.count};
    if (reading.loss)
        layer_put_text(record, "lost", reading.loss);
    else
        before_put(record, queue, out_launch);
    rt_buffer_free(&reading.arguments);
    rt_buffer_free(&reading.words);
}

void layer_capture_after(layer_record *record, cl_command_queue queue, cl_int result,
                         layer_launch *launch)
{
    if (launch->is_captured && result == CL_SUCCESS && launch_wait(queue, 0, NULL))
        after_put(record, queue, launch);
    for (uint32_t i = 0; i < launch->content_count; i++)
        free(launch->contents[i].before);
    rt_free(launch->contents);
    *launch = (layer_launch){0};
}

bool layer_memory_has(cl_mem memory, size_t offset, size_t size)
{
    size_t all = 0;
    return layer_captures() && layer_object_number(LAYER_MEMORY, memory) != LAYER_UNKNOWN &&
           layer_next()->clGetMemObjectInfo(memory, CL_MEM_SIZE, sizeof all, &all, NULL) ==
               CL_SUCCESS &&
           offset <= all && size <= all - offset;
}

bool layer_block_has(const void *pointer, size_t size)
{
    layer_block block;
    return layer_captures() && layer_block_at((uintptr_t)pointer, &block) &&
           size <= block.size - ((uintptr_t)pointer - (uintptr_t)block.first);
}

void layer_capture_pattern(layer_record *record, const void *pattern, size_t size)
{
    enum { PATTERN_SIZE_MAX = 128 }; /* a vector of 16 doubles */
    if (layer_captures() && size <= PATTERN_SIZE_MAX)
        layer_put_hexadecimal(record, "pattern", pattern, size);
}

void layer_capture_store(layer_record *record, const void *data, size_t size)
{
    layer_block block;
    bool is_new;
    if (!layer_captures() || !capture.stores || record->off || !data || size == 0) return;
    pthread_mutex_lock(&capture.lock);
    bool is_between = capture.launches > capture.first && capture.launches <= capture.last;
    pthread_mutex_unlock(&capture.lock);
    if (!is_between || layer_block_at((uintptr_t)data, &block) || !bytes_take(size)) return;
    rt_hash hash = rt_hash128(data, size);
    bool is_written = file_write(hash, data, size, &is_new);
    if (!is_written) file_report();
    if (!is_written || !is_new) bytes_give_back(size);
    if (!is_written) return;
    rt_buffer item = {0};
    rt_buffer_printf(&item, "%s:%zu", rt_hash_print(hash).digits, size);
    layer_put_items(record, "data", &item);
    rt_buffer_free(&item);
}

void layer_capture_device(layer_record *record, cl_device_id device)
{
    static const struct {
        cl_device_info info;
        const char *key;
    } names[] = {{CL_DEVICE_NAME, "device_name"}, {CL_DRIVER_VERSION, "driver"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char text[256] = "";
        if (layer_next()->clGetDeviceInfo(device, names[i].info, sizeof text - 1, text, NULL) !=
            CL_SUCCESS)
            *text = '\0';
        layer_put_text(record, names[i].key, text);
    }
}

/* ---- Calls that only a capture needs -------------------------------------------------------- */

static CL_API_ENTRY cl_event CL_API_CALL record_clCreateUserEvent(cl_context context,
                                                                  cl_int *out_result)
{
    cl_int result = CL_SUCCESS;
    layer_record record = layer_begin_on("clCreateUserEvent", LAYER_CONTEXT, context);
    cl_event event = layer_next()->clCreateUserEvent(context, &result);
    pthread_mutex_lock(&capture.lock);
    if (event) *rt_vector_push(&capture.unset) = event;
    pthread_mutex_unlock(&capture.lock);
    return layer_record_end_create(&record, LAYER_EVENT, event, result, out_result);
}

static CL_API_ENTRY cl_int CL_API_CALL record_clSetUserEventStatus(cl_event event, cl_int status)
{
    layer_record record = layer_begin_on("clSetUserEventStatus", LAYER_EVENT, event);
    cl_int result = layer_next()->clSetUserEventStatus(event, status);
    pthread_mutex_lock(&capture.lock);
    for (uint32_t i = 0; i < capture.unset.count; i++)
        if (capture.unset.items[i] == event && result == CL_SUCCESS)
            capture.unset.items[i--] = capture.unset.items[--capture.unset.count];
    pthread_mutex_unlock(&capture.lock);
    return layer_record_end(&record, result);
}

/* Runtimes ask whether a command has ended, and then leave it out of wait lists. Only this answer
 * is recorded. */
static CL_API_ENTRY cl_int CL_API_CALL record_clGetEventInfo(cl_event event, cl_event_info info,
                                                             size_t size, void *value,
                                                             size_t *out_size)
{
    cl_int status, result = layer_next()->clGetEventInfo(event, info, size, value, out_size);
    bool is_status = info == CL_EVENT_COMMAND_EXECUTION_STATUS && result == CL_SUCCESS && value;
    if (is_status) memcpy(&status, value, sizeof status);
    if (!is_status || status != CL_COMPLETE) return result;
    layer_record record = layer_begin_on("clGetEventInfo", LAYER_EVENT, event);
    return layer_record_end(&record, result);
}

static CL_API_ENTRY cl_int CL_API_CALL record_clSetEventCallback(
    cl_event event, cl_int status, void(CL_CALLBACK *notify)(cl_event, cl_int, void *), void *user)
{
    layer_record record = layer_begin_on("clSetEventCallback", LAYER_EVENT, event);
    return layer_record_end(&record, layer_next()->clSetEventCallback(event, status, notify, user));
}

static CL_API_ENTRY cl_mem CL_API_CALL record_clCreateImage(cl_context context, cl_mem_flags flags,
                                                            const cl_image_format *format,
                                                            const cl_image_desc *description,
                                                            void *host, cl_int *out_result)
{
    cl_int result = CL_SUCCESS;
    layer_record record = layer_begin_on("clCreateImage", LAYER_CONTEXT, context);
    cl_mem image = layer_next()->clCreateImage(context, flags, format, description, host, &result);
    return layer_record_end_create(&record, LAYER_IMAGE, image, result, out_result);
}

static CL_API_ENTRY cl_mem CL_API_CALL
record_clCreateImage2D(cl_context context, cl_mem_flags flags, const cl_image_format *format,
                       size_t width, size_t height, size_t pitch, void *host, cl_int *out_result)
{
    cl_int result = CL_SUCCESS;
    layer_record record = layer_begin_on("clCreateImage2D", LAYER_CONTEXT, context);
    cl_mem image =
        layer_next()->clCreateImage2D(context, flags, format, width, height, pitch, host, &result);
    return layer_record_end_create(&record, LAYER_IMAGE, image, result, out_result);
}

static CL_API_ENTRY cl_sampler CL_API_CALL record_clCreateSampler(cl_context context,
                                                                  cl_bool is_normalised,
                                                                  cl_addressing_mode addressing,
                                                                  cl_filter_mode filter,
                                                                  cl_int *out_result)
{
    cl_int result = CL_SUCCESS;
    layer_record record = layer_begin_on("clCreateSampler", LAYER_CONTEXT, context);
    cl_sampler sampler =
        layer_next()->clCreateSampler(context, is_normalised, addressing, filter, &result);
    return layer_record_end_create(&record, LAYER_SAMPLER, sampler, result, out_result);
}

static CL_API_ENTRY cl_sampler CL_API_CALL record_clCreateSamplerWithProperties(
    cl_context context, const cl_sampler_properties *properties, cl_int *out_result)
{
    cl_int result = CL_SUCCESS;
    layer_record record = layer_begin_on("clCreateSamplerWithProperties", LAYER_CONTEXT, context);
    cl_sampler sampler = layer_next()->clCreateSamplerWithProperties(context, properties, &result);
    return layer_record_end_create(&record, LAYER_SAMPLER, sampler, result, out_result);
}

/* A program that keeps the binaries of programs creates programs from them later; their bytes lead
 * back to the source. */
static CL_API_ENTRY cl_int CL_API_CALL record_clGetProgramInfo(cl_program program,
                                                               cl_program_info info, size_t size,
                                                               void *value, size_t *out_size)
{
    enum { DEVICES_MAX = 16 };
    size_t sizes[DEVICES_MAX];
    const cl_icd_dispatch *next = layer_next();
    cl_int result = next->clGetProgramInfo(program, info, size, value, out_size);
    if (info != CL_PROGRAM_BINARIES || result != CL_SUCCESS || !value) return result;
    if (next->clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof sizes, sizes, NULL) !=
        CL_SUCCESS)
        return result;
    unsigned char *const *binaries = value;
    for (size_t i = 0; i < DEVICES_MAX && i < size / sizeof *binaries; i++) {
        if (!binaries[i]) continue;
        layer_record record = layer_begin_on("clGetProgramInfo", LAYER_PROGRAM, program);
        rt_buffer hash = {0};
        rt_buffer_printf(&hash, "%s:%zu", rt_hash_print(rt_hash128(binaries[i], sizes[i])).digits,
                         sizes[i]);
        layer_put_items(&record, "binary", &hash);
        rt_buffer_free(&hash);
        layer_record_end(&record, CL_SUCCESS);
    }
    return result;
}

void layer_capture_calls(cl_icd_dispatch *dispatch)
{
    LAYER_RECORD(dispatch, clCreateUserEvent);
    LAYER_RECORD(dispatch, clSetUserEventStatus);
    LAYER_RECORD(dispatch, clGetEventInfo);
    LAYER_RECORD(dispatch, clSetEventCallback);
    LAYER_RECORD(dispatch, clCreateImage);
    LAYER_RECORD(dispatch, clCreateImage2D);
    LAYER_RECORD(dispatch, clCreateSampler);
    LAYER_RECORD(dispatch, clCreateSamplerWithProperties);
    LAYER_RECORD(dispatch, clGetProgramInfo);
}
