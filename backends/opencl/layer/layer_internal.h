/* The layer's parts: its per-process state, records, and the calls that it intercepts.
 *
 * The layer runs in another program's process, where OpenCL itself is a singleton: there is one
 * state, set up once by the loader before any other call. */
#ifndef BACKENDS_OPENCL_LAYER_LAYER_INTERNAL_H
#define BACKENDS_OPENCL_LAYER_LAYER_INTERNAL_H

#include "backends/opencl/layer/layer.h"
#include "backends/opencl/ocl_library.h"
#include "reference/base/text.h"

#include <CL/cl_layer.h>

/* ---- objects.c: numbers instead of addresses ------------------------------------------------ */

typedef enum layer_kind {
    LAYER_DEVICE,
    LAYER_CONTEXT,
    LAYER_QUEUE,
    LAYER_MEMORY,
    LAYER_PROGRAM,
    LAYER_KERNEL,
    LAYER_BLOCK, /* unified shared or shared virtual memory, identified by its first byte */
    LAYER_EVENT,
    LAYER_IMAGE,
    LAYER_SAMPLER,
    LAYER_KIND_COUNT
} layer_kind;

/* Number of an object whose creation was not recorded. */
#define LAYER_UNKNOWN UINT32_MAX

/* Gives a new object the next number of its kind.  Addresses are reused after objects have been
 * released, so from now on the address refers to this object.  NULL gets no number.  Thread-safe.
 */
void layer_object_add(layer_kind kind, const void *object);

/* Returns the object's number, LAYER_UNKNOWN if it has none; a device gets a number when it is
 * first seen. */
uint32_t layer_object_number(layer_kind kind, const void *object);

/* How a block was allocated. */
typedef enum layer_block_kind {
    LAYER_BLOCK_HOST,
    LAYER_BLOCK_DEVICE,
    LAYER_BLOCK_SHARED,
    LAYER_BLOCK_SVM,
    LAYER_BLOCK_VARIABLE, /* of a program */
} layer_block_kind;

typedef struct layer_block {
    const char *first;
    size_t size;
    layer_block_kind kind;
    uint32_t number;
} layer_block;

/* Blocks also have a size, so that pointers into them can be resolved, and are forgotten once
 * freed, or when a new block overlaps them. */
void layer_block_add(layer_block_kind kind, const void *first, size_t size);
void layer_block_remove(const void *first);
/* Finds the block that contains the address.  False if no known block does. */
bool layer_block_at(uintptr_t address, layer_block *out_block);
/* The lowest address of all blocks, and the first above them; false if there is no block. */
bool layer_blocks_span(uintptr_t *out_first, uintptr_t *out_end);
/* Finds the block that contains the pointer.  False if no known block does. */
bool layer_block_find(const void *pointer, uint32_t *out_number, size_t *out_offset);

/* Forgets everything. */
void layer_objects_clear(void);

/* ---- record.c ------------------------------------------------------------------------------- */

/* A record being built, on the stack of the call that it describes. */
typedef struct layer_record {
    bool off; /* nothing is recorded: the functions below do nothing */
    uint32_t call;
    rt_buffer text; /* name and fields */
} layer_record;

/* Opens the log named by the environment variable's value ("": none).  False if it cannot be
 * opened, which is reported on stderr. */
bool layer_log_open(const char *value);

/* Begins the log again, in the same descriptor. */
void layer_log_restart(void);

/* Begins the record of a call; layer_record_end ends it.  The layer_put functions add a field. */
layer_record layer_record_begin(const char *name);
/* Like layer_record_begin, but for a call on an object: adds the object under the name of its kind,
 * for example "device". */
layer_record layer_begin_on(const char *name, layer_kind kind, const void *object);
/* Like layer_record_begin, but for a call that enqueues a command: adds the fields common to all
 * commands. */
layer_record layer_command_begin(const char *name, cl_command_queue queue, cl_uint wait_count,
                                 const cl_event *wait);
/* Ends the record of such a call, as layer_record_end; out_event is where the driver stored the
 * command's event, or NULL. */
cl_int layer_command_end(layer_record *record, cl_int result, const cl_event *out_event);
void layer_put_number(layer_record *record, const char *key, uint64_t number);
void layer_put_text(layer_record *record, const char *key, const char *text); /* NULL: "-" */
void layer_put_hexadecimal(layer_record *record, const char *key, const void *data, size_t size);
void layer_put_object(layer_record *record, const char *key, layer_kind kind, const void *object);
void layer_put_objects(layer_record *record, const char *key, layer_kind kind,
                       const void *const *objects, size_t count);
void layer_put_pointer(layer_record *record, const char *key, const void *pointer);
/* `sizes` NULL: "-" */
void layer_put_sizes(layer_record *record, const char *key, const size_t *sizes, size_t count);
void layer_put_code(layer_record *record, const char *key, const void *code, size_t size);
/* A list that needs no escapes; empty: "-". */
void layer_put_items(layer_record *record, const char *key, const rt_buffer *items);

/* Writes the record so far before the driver is called, since the call may not return. */
void layer_record_announce(const layer_record *record);

/* Adds the result, writes the record, frees it, and returns the result. */
cl_int layer_record_end(layer_record *record, cl_int result);

/* Like layer_record_end, but for a call that creates an object: the object is numbered and recorded
 * under the key "made".  Stores the result for the program unless out_result is NULL; returns the
 * object.
 */
void *layer_record_end_create(layer_record *record, layer_kind kind, void *object, cl_int result,
                              cl_int *out_result);

/* ---- capture.c: what launches work on -------------------------------------------------------- */

/* Reads OCL_LAYER_CAPTURE and the variables that narrow it.  False if one is invalid, which is
 * reported on stderr. */
bool layer_capture_open(void);

/* True if contents are captured. */
bool layer_captures(void);

/* Writes code that is about to be recorded into the folder; nothing if contents are not captured.
 */
void layer_capture_code(const void *code, size_t size);

/* Note an argument that the driver has accepted: a value, or a pointer to unified shared or shared
 * virtual memory; and those of a kernel that has been cloned. */
void layer_capture_argument(cl_kernel kernel, cl_uint index, size_t size, const void *value);
void layer_capture_pointer(cl_kernel kernel, cl_uint index, const void *pointer);
void layer_capture_clone(cl_kernel source, cl_kernel clone);

/* What a captured launch works on. */
typedef struct layer_content {
    const void *object; /* cl_mem, or a block's first byte */
    bool is_block;
    layer_block_kind kind;
    uint32_t number;
    size_t size;
    uint8_t *before; /* owned: contents when the launch began */
} layer_content;

typedef struct layer_launch {
    bool is_captured;
    layer_content *contents; /* owned */
    uint32_t content_count;
} layer_launch;

/* Captures a launch that is about to be enqueued: adds the arguments and contents to its record.
 * layer_capture_after adds the contents after it, and frees out_launch's members. */
void layer_capture_before(layer_record *record, cl_command_queue queue, cl_kernel kernel,
                          const char *name, cl_uint wait_count, const cl_event *wait,
                          layer_launch *out_launch);
void layer_capture_after(layer_record *record, cl_command_queue queue, cl_int result,
                         layer_launch *launch);

/* Adds what a command writes from the host, if that is captured.  Nothing if `data` is in a block
 * of unified shared memory.
 *
 * `size` must be valid: a call that blocks adds it once the driver has accepted the command; others
 * before, if the memory has the bytes, since the program may free `data` when the command has
 * ended.
 */
void layer_capture_store(layer_record *record, const void *data, size_t size);

/* True if the memory, or the block at the pointer, has these bytes, and contents are captured. */
bool layer_memory_has(cl_mem memory, size_t offset, size_t size);
bool layer_block_has(const void *pointer, size_t size);

/* Adds the pattern of a fill that the driver has accepted, if contents are captured. */
void layer_capture_pattern(layer_record *record, const void *pattern, size_t size);

/* Adds the name of a queue's device, and of its driver. */
void layer_capture_device(layer_record *record, cl_device_id device);

/* Each replaces the entries of calls that only a capture needs to see. */
void layer_capture_calls(cl_icd_dispatch *dispatch);
void layer_order_calls(cl_icd_dispatch *dispatch); /* order_calls.c */

/* extension_calls.c: copies `size` bytes of unified shared memory to the host with the driver's own
 * function, and waits.  Returns OpenCL's result. */
cl_int layer_usm_read(cl_command_queue queue, void *to, const void *from, size_t size);

/* ---- mask.c --------------------------------------------------------------------------------- */

/* Parses the environment variable's value into a bit set.  False if a name in it is not a known
 * aspect, which is reported on stderr. */
bool layer_mask_read(const char *value, uint32_t *out_hidden);

/* Replaces the query functions in the table with ones whose answers omit the hidden aspects. */
void layer_mask_calls(cl_icd_dispatch *dispatch, uint32_t hidden);

/* True if the call with this name reveals a hidden aspect; the name may be NULL.  Code that
 * replaces the mask's own look-up function must use this too. */
bool layer_hides_call(const char *name);

/* ---- Recorded calls ------------------------------------------------------------------------- */

/* See OCL_LAYER_RESTART. */
void assay_layer_restart(void);

/* Returns the table of the drivers' functions, as passed by the loader.  Entries may be NULL. */
const cl_icd_dispatch *layer_next(void);

/* Each replaces the table's entries for the calls that it records, except those that are NULL. */
void layer_program_calls(cl_icd_dispatch *dispatch);   /* program_calls.c */
void layer_queue_calls(cl_icd_dispatch *dispatch);     /* queue_calls.c */
void layer_memory_calls(cl_icd_dispatch *dispatch);    /* memory_calls.c */
void layer_extension_calls(cl_icd_dispatch *dispatch); /* extension_calls.c */

/* Replaces an entry of a dispatch table, unless it is NULL, with the function that records the
 * call. */
#define LAYER_RECORD(dispatch, name)                                                               \
    do {                                                                                           \
        if ((dispatch)->name) (dispatch)->name = record_##name;                                    \
    } while (0)

/* The type of both functions that create a program from SPIR-V: OpenCL 2.1's and
 * cl_khr_il_program's. */
typedef __typeof__(clCreateProgramWithIL) layer_create_with_il;
cl_program layer_create_program_with_il(const char *name, layer_create_with_il *create,
                                        cl_context context, const void *il, size_t size,
                                        cl_int *out_result);
cl_int layer_set_constant(__typeof__(clSetProgramSpecializationConstant) *set, cl_program program,
                          cl_uint id, size_t size, const void *value);

#endif
