/* The objects behind the handles of the API, and what the files of this folder share.
 *
 * A handle points to one of the structures below; the first member of each is the table of
 * functions through which a loader calls us (cl_khr_icd).  Everything is guarded by one lock, which
 * an entry point holds (ICD_ENTER) except while it waits for the device or runs a compiler.
 *
 * References.  `user_references` counts the program's clCreate… and clRetain…; `references` counts
 * the program as one, and each object that needs this one.  Dead objects stay readable for a while
 * (object.c), so that a use after the last release is an error and a finding instead of a crash.
 *
 * There is one device, opened with the first context.  Its queues are out of order; in-order queues
 * are wait lists.  Buffers are its unified shared memory, which kernels reach at an offset, as
 * sub-buffers need; a command holds references to its memory objects, so none is freed early.
 * Source of all rules: OpenCL 3.0 API specification. */
#ifndef OPENCL_ICD_H
#define OPENCL_ICD_H

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_0_APIS
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CL_USE_DEPRECATED_OPENCL_2_0_APIS
#define CL_USE_DEPRECATED_OPENCL_2_1_APIS
#define CL_USE_DEPRECATED_OPENCL_2_2_APIS
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <CL/cl_icd.h>

#include "reference/base/arena.h"
#include "reference/base/vector.h"
#include "reference/device/device.h"

typedef enum icd_kind {
    ICD_DEAD, /* freed, and still readable */
    ICD_PLATFORM,
    ICD_DEVICE,
    ICD_CONTEXT,
    ICD_QUEUE,
    ICD_MEMORY,
    ICD_PROGRAM,
    ICD_KERNEL,
    ICD_EVENT,
    ICD_KINDS
} icd_kind;

typedef struct icd_object {
    const cl_icd_dispatch *dispatch; /* the loader reads it: the first member */
    icd_kind kind;
    icd_kind was;    /* its kind, also once it is dead */
    uint32_t number; /* its number among the objects of its kind, from 1, for messages */
    uint32_t user_references;
    uint32_t references;
    uint32_t watchers; /* see icd_watch */
    bool is_evicted;   /* dead, and freed with its last watcher */
} icd_object;

/* A call of the API, for messages. */
typedef struct icd_call {
    const char *function; /* static */
    const void *caller;   /* the address to which it returns */
} icd_call;

#define ICD_CALL ((icd_call){__func__, __builtin_return_address(0)})

/* ---- Objects (object.c) ------------------------------------------------------------------- */

extern const cl_icd_dispatch icd_dispatch;

/* The platform's one lock (decision 22); ICD_ENTER holds it until the function returns. */
void icd_lock(void);
void icd_unlock(void);
static inline void icd_leave(const int *unused)
{
    (void)unused;
    icd_unlock();
}
/* Takes the lock until the end of the block. */
#define ICD_ENTER                                                                                  \
    __attribute__((cleanup(icd_leave), unused)) const int icd_entered = (icd_lock(), 0)

/* Creates a zeroed object of `size` bytes with one reference, the program's. */
void *icd_object_create(size_t size, icd_kind kind);
/* Add or drop a reference of another object; dropping the last one frees the object.  NULL does
 * nothing. */
void *icd_reference(void *object);
void icd_release(void *object);
/* Notes, or forgets, a user that does not keep the object alive: until it forgets the object, it
 * can see whether it is dead.  NULL does nothing. */
void *icd_watch(void *object);
void icd_forget(void *object);
/* True for a handle of that kind which the program still owns; a handle that it has released is
 * also a finding. */
bool icd_is(const void *object, icd_kind kind, icd_call call);

/* What frees the parts of an object of each kind, when its last reference has been dropped. */
void icd_context_free(cl_context context);
void icd_queue_free(cl_command_queue queue);
void icd_memory_free(cl_mem memory);
void icd_program_free(cl_program program);
void icd_kernel_free(cl_kernel kernel);
void icd_event_free(cl_event event);

/* ---- Answers ------------------------------------------------------------------------------ */

/* Returns the value of an information query: copies `size` bytes to `out`, which may be NULL and
 * has room for `capacity`.  CL_INVALID_VALUE: too small. */
cl_int icd_answer(const void *value, size_t size, size_t capacity, void *out, size_t *out_size);
cl_int icd_answer_text(rt_text text, size_t capacity, void *out, size_t *out_size);
/* Answers with a value of the given type. */
#define ICD_ANSWER(type, value)                                                                    \
    icd_answer(&(const type){value}, sizeof(type), capacity, out, out_size)

/* Returns `code` after telling the user why the call of the API fails (report.h). */
cl_int icd_refuse(icd_call call, cl_int code, const char *format, ...) RT_PRINTF(3, 4);
#define REFUSE(code, ...) icd_refuse(ICD_CALL, (code), __VA_ARGS__)
/* The code that tells a program of a failure of the device. */
cl_int icd_code(rt_status status);
/* The name of an error code of OpenCL, static. */
const char *icd_code_name(cl_int code);

/* Stores an error code where a create function returns it. */
static inline void icd_store(cl_int *out_code, cl_int code)
{
    if (out_code) *out_code = code;
}

/* ---- The platform and its device (platform.c) --------------------------------------------- */

struct _cl_platform_id {
    icd_object base;
};
struct _cl_device_id {
    icd_object base;
    rt_sink *sink;
    dev_device *device; /* NULL until the first context */
    dev_queue *queue;   /* all commands of all queues */
    dev_capabilities facts;
    cl_device_type type;
};

extern struct _cl_platform_id icd_platform;
extern struct _cl_device_id icd_device;

#define ICD_PLATFORM_NAME  "assay"
#define ICD_VERSION        "OpenCL 3.0 assay"
#define ICD_BASE_ALIGNMENT 128u /* bytes: the largest type, long16 */

/* Opens the device unless it is open.  CL_OUT_OF_RESOURCES and others, explained. */
cl_int icd_device_open(icd_call call);
/* Count the bytes of buffers and other allocations, which together have at most those that
 * CL_DEVICE_GLOBAL_MEM_SIZE says: programs allocate until that fails.
 * CL_MEM_OBJECT_ALLOCATION_FAILURE, explained: too many; nothing is counted. */
cl_int icd_memory_take(size_t size, icd_call call);
void icd_memory_give(size_t size);
/* The message of a failed status of the device. */
rt_text icd_message(rt_status status);
/* Options for clang that enable the device's extensions and features of OpenCL C, and no others. */
const char *icd_extension_option(void);

/* ---- Contexts (context.c) ----------------------------------------------------------------- */

typedef struct icd_context_callback {
    void(CL_CALLBACK *function)(cl_context context, void *user);
    void *user;
} icd_context_callback;

struct _cl_context {
    icd_object base;
    RT_VECTOR(cl_context_properties) properties; /* as given, with the final 0 */
    RT_VECTOR(icd_context_callback) callbacks;
};

/* ---- Memory (memory.c) -------------------------------------------------------------------- */

typedef struct icd_memory_callback {
    void(CL_CALLBACK *function)(cl_mem memory, void *user);
    void *user;
} icd_memory_callback;

/* A region that is mapped. */
typedef struct icd_map {
    uint8_t *pointer; /* what the program got */
    size_t offset, size;
    cl_map_flags flags;
} icd_map;

struct _cl_mem {
    icd_object base;
    cl_context context; /* a reference */
    cl_mem parent;      /* of a sub-buffer: a reference; otherwise NULL */
    cl_mem parts;       /* the sub-buffers of a buffer, linked by next_part */
    cl_mem next_part;
    cl_mem_flags flags;
    size_t size, origin; /* origin: of a sub-buffer, in its parent */
    void *host;          /* CL_MEM_USE_HOST_PTR; otherwise NULL */
    bool is_svm;         /* `host` is in an SVM allocation, whose bytes are the buffer's */
    dev_memory *memory;  /* the device's: unified shared memory, or part of that of the parent or
                          * of the SVM allocation */
    uint8_t *shadow;     /* the memory to which a buffer without `host` is mapped; NULL: not yet */
    RT_VECTOR(icd_map) maps;
    RT_VECTOR(icd_memory_callback) callbacks;
    RT_VECTOR(cl_mem_properties) properties;
};

/* The buffer that a memory object is, or is a part of. */
static inline cl_mem icd_root(cl_mem memory)
{
    return memory->parent ? memory->parent : memory;
}

/* ---- Programs (program.c, build.c) -------------------------------------------------------- */

typedef struct icd_constant {
    cl_uint id;
    uint32_t size; /* bytes */
    uint8_t value[8];
} icd_constant;

typedef struct icd_kernel_fact {
    rt_text name;
    uint64_t group_size[RT_ND_RANGE_DIMENSIONS]; /* required; 0: none is */
    uint32_t sub_group_size;                     /* required; 0: none is */
    const struct cnf_parameter *parameters;
    uint32_t parameter_count;
    uint64_t group_size_hint[RT_ND_RANGE_DIMENSIONS]; /* 0: none */
    bool has_type_hint;
    /* "uint*,float4,": the types of the parameters as the source writes them, then the hinted one;
     * NULL data: the kernel is not from a source */
    rt_text types;
    rt_text qualifiers; /* of the parameters' types: "const volatile,," */
} icd_kernel_fact;

struct _cl_program {
    icd_object base;
    cl_context context; /* a reference */
    rt_arena arena;     /* of the facts */
    rt_buffer source, il, options, log;
    RT_VECTOR(icd_constant) constants; /* of the IL, set before it is compiled */
    RT_VECTOR(rt_buffer) modules;      /* SPIR-V; several: linked */
    RT_VECTOR(rt_buffer) units;        /* the sources of the modules, for messages */
    dev_program *program;              /* executable; otherwise NULL */
    const icd_kernel_fact *kernels;    /* of the executable */
    uint32_t kernel_count;
    uint32_t kernel_objects; /* that the program has created and not released */
    cl_build_status status;
    cl_program_binary_type type;
    bool has_source, has_il, has_binary;
    bool is_building;
    bool is_non_uniform; /* work-groups of a launch may differ in size */
    bool has_argument_info;
};

/* Compiles the source to SPIR-V, without the lock.  On failure the log says why. */
typedef struct icd_compilation {
    rt_text name, source;
    const rt_text *options;
    uint32_t option_count;
    rt_buffer spirv; /* the result */
    rt_buffer log;
} icd_compilation;
bool icd_compile(icd_compilation *compilation);

/* CL_SUCCESS for a program that has been built; otherwise the refusal of the call. */
cl_int icd_program_validate_built(cl_program program, icd_call call);

/* ---- Kernels (kernel.c) ------------------------------------------------------------------- */

typedef struct icd_argument {
    bool is_set;
    dev_parameter parameter;
    cl_mem memory;    /* MEMORY, watched: kernels keep no memory alive; NULL: the null pointer */
    uint8_t *bytes;   /* BYTES */
    uint64_t size;    /* LOCAL */
    uint64_t address; /* MEMORY: of an allocation (usm.h); 0: it is a buffer */
} icd_argument;

struct _cl_kernel {
    icd_object base;
    cl_program program; /* a reference */
    dev_kernel *kernel;
    const icd_kernel_fact *fact;
    icd_argument *arguments;
    uint32_t argument_count;
};

/* Sets an argument to a pointer into unified shared memory. */
cl_int icd_argument_set_address(cl_kernel kernel, cl_uint index, uint64_t address, icd_call call);

/* ---- Queues and events (queue.c, event.c) ------------------------------------------------- */

struct _cl_command_queue {
    icd_object base;
    cl_context context; /* a reference */
    cl_command_queue_properties flags;
    RT_VECTOR(cl_queue_properties) properties; /* as given, with the final 0 */
    RT_VECTOR(cl_event) pending; /* references to its commands that are not known to be complete */
    uint32_t collect_at;         /* number of pending commands at which they are looked through */
    cl_event last;               /* in order: the last command, a reference; NULL: none */
    cl_event barrier;            /* out of order: the last barrier, a reference; NULL: none */
};

typedef struct icd_event_callback {
    cl_event event; /* a reference */
    cl_int status;
    void(CL_CALLBACK *function)(cl_event event, cl_int status, void *user);
    void *user;
} icd_event_callback;

struct _cl_event {
    icd_object base;
    cl_context context;     /* a reference */
    cl_command_queue queue; /* a reference; NULL: a user event */
    cl_command_type type;
    dev_event *event;   /* completes with the command */
    dev_event *first;   /* of a command of several parts, the first of them; otherwise NULL */
    cl_int user_status; /* of a user event */
    /* Watched: those for which the command waits, itself or through others, and which had no status
     * at its enqueue. */
    RT_VECTOR(cl_event) user_events;
    bool is_awaited; /* a user event for which a command waits (misuse.h) */
    uint32_t polls;  /* queries that found it incomplete */
    bool is_flushed;
    cl_ulong queued, submitted;   /* nanoseconds */
    RT_VECTOR(icd_object *) kept; /* references that the command needs */
};

/* A command while it is being enqueued. */
typedef struct icd_command {
    cl_command_queue queue;
    cl_command_type type;
    uint32_t tag;
    cl_ulong queued;
    RT_VECTOR(dev_event *) wait;  /* borrowed */
    RT_VECTOR(dev_event *) parts; /* owned */
    RT_VECTOR(icd_object *) kept;
    icd_call call;
    const cl_event *wait_list; /* the program's */
    cl_uint wait_count;
    RT_VECTOR(cl_event) user_events; /* as in the event that it gets */
    cl_int failure;                  /* CL_SUCCESS, or the first failure of a part */
    /* From the caller. */
    bool is_blocking;   /* the call returns once it is complete */
    bool is_host_using; /* the host may use memory that the command reads into meanwhile */
} icd_command;

/* Begins a command: validates the queue and the wait list.  On success icd_command_end must follow;
 * on failure there is nothing to free. */
cl_int icd_command_begin(icd_command *command, cl_command_queue queue, cl_command_type type,
                         cl_uint wait_count, const cl_event *wait, icd_call call);
/* Refuses an already validated command. */
cl_int icd_command_drop(icd_command *command, cl_int code);
/* What the device's enqueue functions need. */
dev_command icd_command_device(const icd_command *command);
/* Adds a part, enqueued with `status`. */
void icd_command_part(icd_command *command, rt_status status, dev_event *event);
/* Keeps an object until the command is complete. */
void icd_command_keep(icd_command *command, void *object);
/* Makes the command's event, and waits for it if `is_blocking` is set; *out_event, which may be
 * NULL, gets it. */
cl_int icd_command_end(icd_command *command, cl_event *out_event);

/* True for the sizes that a pattern of a fill may have: 1, 2, 4, … or 128 bytes. */
bool icd_is_pattern_size(size_t size);
/* Adds the part that fills `size` bytes of memory with a pattern of 1, 2, 4, … or 128 bytes. */
void icd_fill_part(icd_command *command, dev_memory *memory, uint64_t offset, size_t size,
                   const void *pattern, size_t pattern_size);

/* The execution status of an event. */
cl_int icd_event_status(cl_event event);
/* Waits for an event without the lock; returns its final status. */
cl_int icd_event_wait(cl_event event);
/* Calls the function on another thread, without the lock, once the event has the status,
 * CL_COMPLETE or an earlier one.  CL_OUT_OF_HOST_MEMORY: no thread; the function is not called. */
cl_int icd_event_call_back(cl_event event, cl_int status,
                           void(CL_CALLBACK *function)(cl_event, cl_int, void *), void *user);
/* Drops the program's reference to an event that the program did not ask for. */
void icd_event_drop(cl_event event);
/* Runs the queue's commands, except those that wait for the host. */
void icd_queue_advance(cl_command_queue queue);
/* Forgets the queue's commands that are complete. */
void icd_queue_collect(cl_command_queue queue);
/* Nanoseconds of the clock of the commands' times. */
cl_ulong icd_now(void);

#endif
