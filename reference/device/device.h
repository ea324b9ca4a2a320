/* The interface between the reference runtime and a device.
 *
 * One table of operations per object; an adapter (backends/NAME) fills the tables and embeds the
 * base struct of each object at offset 0 of its own.  The runtime calls the dev_* functions below,
 * never the tables: those functions check arguments before a call and results after it (checked.c),
 * so that adapters stay thin.
 *
 * Ownership.  A create function returns an object to the caller, which destroys it; its out
 * parameter is NULL on failure.  A device outlives everything created from it.  Memories, programs,
 * kernels, queues and events may be destroyed in any order, even while commands that use them are
 * enqueued: the adapter keeps what it needs until they are complete.  There are two exceptions:
 * unified shared memory (dev_memory_destroy), and the memory of a variable, which must be destroyed
 * before its program. A memory outlives its mappings. Spans passed in are borrowed for the call
 * unless an operation says otherwise.
 *
 * Threads.  Every function may be called from several threads at once; an adapter does its own
 * locking.  Destroying an object must not race with another use of that object.
 *
 * Statuses.  Each operation lists the codes that it may return.  Every operation may also return
 * ERRC_MEMORY_ALLOCATION (the driver ran out of memory), DRIVER_ERROR (a call failed for another
 * reason; the message names the call and its result), DEVICE_LOST, and LIMIT (the device's own
 * bound, named in the message).  Any other code, or an object together with a failing status, is a
 * bug in the adapter and panics in checked.c.  Statuses are created in the sink with which the
 * device was opened. */
#ifndef REFERENCE_DEVICE_DEVICE_H
#define REFERENCE_DEVICE_DEVICE_H

#include "reference/base/format.h"
#include "reference/base/limits.h"
#include "reference/base/status.h"

#include <stdatomic.h>

typedef struct dev_device dev_device;
typedef struct dev_memory dev_memory;
typedef struct dev_program dev_program;
typedef struct dev_kernel dev_kernel;
typedef struct dev_queue dev_queue;
typedef struct dev_event dev_event;
typedef struct dev_mapping dev_mapping;

/* ---- Values ------------------------------------------------------------------------------- */

/* Aspects that scenarios can query.  ASPECT(aspect, its name in SYCL, its number in the property
 * set "SYCL/device requirements") (SYCL 2020, 4.6.4.5 "Device aspects"; numbers as in DPC++). */
#define DEV_ASPECTS(ASPECT)                                                                        \
    ASPECT(FP16, "fp16", 5)                                                                        \
    ASPECT(FP64, "fp64", 6)                                                                        \
    ASPECT(ATOMIC64, "atomic64", 27)                                                               \
    ASPECT(VIRTUAL_FUNCTIONS, "ext_oneapi_virtual_functions", 74)

/* Bit numbers of dev_capabilities.aspects. */
typedef enum dev_aspect {
#define DEV_ASPECT_ENUM(aspect, name, number) DEV_ASPECT_##aspect,
    DEV_ASPECTS(DEV_ASPECT_ENUM)
#undef DEV_ASPECT_ENUM
        DEV_ASPECT_COUNT
} dev_aspect;

/* The name of an aspect, static. */
const char *dev_aspect_name(dev_aspect aspect);

/* The name of the aspect with that number in SYCL, static; NULL for an aspect that cannot be
 * queried. */
const char *dev_aspect_number_name(uint32_t number);

/* A device's capabilities, queried once after opening.  Texts live as long as the device. */
typedef struct dev_capabilities {
    rt_text name;         /* name of the device, for records */
    rt_text driver;       /* name and version of the driver, for records */
    rt_text architecture; /* its name among DPC++'s targets of ahead-of-time compilation, such as
                           * "nvidia_gpu_sm_90"; empty: unknown */
    uint32_t
        formats_taken; /* bit 1u << rt_format for each format from which programs can be built */
    /* Static strings, each of which advertises linking for one format: rt_format_link_extension
     * (DL-BACKEND-01). */
    const char *const *extensions;
    uint32_t extension_count;
    uint32_t aspects;          /* bit 1u << dev_aspect */
    bool executes;             /* false: builds and links only, kernels never run */
    bool program_variables;    /* variables in global memory live as long as their program */
    bool globals_by_name;      /* module-scope variables can be found by name */
    bool function_pointers;    /* kernels may call through function pointers */
    bool usm;                  /* unified shared memory of all three kinds */
    bool spec_constants;       /* specialisation constants can be set */
    bool finds_faults;         /* reports findings (sim) */
    bool links_with_tool;      /* linking is done by dev_tools, not by the driver */
    bool program_binaries;     /* an executable program can be serialised and restored */
    bool profiling;            /* queues can record the times of their commands */
    bool non_uniform_groups;   /* work-groups of a launch may differ in size */
    bool sub_groups;           /* kernels may use sub-groups at all */
    bool sub_group_operations; /* non-uniform operations on sub-groups: votes, ballots, shuffles,
                                * reductions and scans, also of clusters */
    bool host_events;          /* events that the host completes (dev_host_event_create) */
    bool maps;                 /* the host can map buffers (dev_enqueue_map) */
    bool parameters;           /* the parameters of a kernel can be queried */
    bool asserts; /* drivers define what assert calls in SYCL (cl_intel_devicelib_assert) */
    bool bfloat16_conversions; /* float to bfloat16 and back by an instruction
                                * (SPV_INTEL_bfloat16_conversion) */
    uint32_t part_alignment;   /* bytes: the part of a buffer begins at a multiple of it
                                * (dev_memory_part_create); 0: buffers have no parts */
    uint64_t local_size_max;   /* bytes of local memory for one work-group */
    uint32_t group_size_max;   /* work-items of one work-group */
    uint64_t sub_group_sizes;  /* sub-group sizes that a kernel may require: bit 1 << (size - 1),
                                * sizes 1 to 64 */
    uint32_t sub_group_size;   /* of kernels that require none; 0: unknown, or it varies */
    uint32_t spirv_max; /* newest SPIR-V version supported, 0x00010200 for 1.2; 0: the device does
                         * not report it */
} dev_capabilities;

/* A fault that a device found while a kernel ran (sim only). */
typedef struct dev_finding {
    const char *kind; /* "out-of-bounds", "budget", …; static */
    rt_text message;  /* one line: what happened, where, in which work-item, buffer and offset */
    uint32_t tag;     /* tag of the command (dev_command.tag) */
    rt_text kernel;
    rt_text source;                      /* name of the source, empty if unknown */
    uint32_t source_line, source_column; /* 1-based place in that source, 0 if unknown */
    rt_text other_source;                /* source of the other access of a race */
    uint32_t other_line;                 /* its line there, 0 if there is none or it is unknown */
    bool has_other;     /* a command-race: the finding is about two accesses, and `tag` is the
                         * command that was enqueued later */
    uint32_t other_tag; /* has_other: the other command */
    bool is_host;       /* has_other: the later access is the host's (dev_memory_host_access) */
    uint64_t work_item[RT_ND_RANGE_DIMENSIONS]; /* global id of the first work-item concerned */
    rt_text object;  /* label of the memory concerned, empty if there is none */
    uint64_t offset; /* byte offset in that memory */
    uint64_t count;  /* number of occurrences at this place in this launch */
} dev_finding;

/* The last write to a byte of a memory. */
typedef struct dev_writer {
    bool is_kernel; /* the last write known: a store by a work-item of that kernel */
    bool is_copy;   /* is_kernel: an asynchronous copy of its group, rather than a work-item */
    rt_text kernel; /* valid as long as the device */
    uint64_t work_item[RT_ND_RANGE_DIMENSIONS]; /* global id */
    bool may_be_copied; /* undefined bytes have been copied to this memory */
} dev_writer;

/* The value of one specialisation constant, identified by the id in its SpecId decoration. */
typedef struct dev_spec_constant {
    uint32_t id;
    rt_bytes value; /* little-endian, of the constant's size: 1, 2, 4 or 8 bytes; a bool has one */
} dev_spec_constant;

/* The sets of virtual functions to which a function in the code belongs, or whose members a kernel
 * in it may call; separated by commas.  A row without a name applies to every exported function, or
 * to every kernel, that has no row of its own. */
typedef struct dev_declared_sets {
    rt_text name; /* a function's linkage name, or a kernel's name */
    rt_text sets;
} dev_declared_sets;

/* The input of a program; everything is borrowed for the call. */
typedef struct dev_code {
    rt_format format;
    rt_bytes bytes;
    rt_text options; /* for the driver's compiler */
    /* Specialisation constants set to a value other than their default, each id at most once; ids
     * that the code does not have are ignored (SPIR-V 2.12, "Specialization"); code compiled ahead
     * of time has none. */
    const dev_spec_constant *constants;
    uint32_t constant_count;
    /* The declarations against which a device that finds faults checks indirect calls; other
     * devices may ignore them. */
    const dev_declared_sets *function_sets, *kernel_sets;
    uint32_t function_set_count, kernel_set_count;
    rt_text image; /* name of the image that the code is from, for messages; empty: unknown */
} dev_code;

/* Tools that a driver lacks and assay provides (LLVM in a child process). */
typedef struct dev_tools {
    void *user;
    /* Specialises count >= 1 SPIR-V modules and links them into one LLVM bitcode module with
     * OpenCL kernel metadata. out_bitcode, which the caller initialises and frees, receives the
     * bytes.  LINK_ERROR: a symbol is unresolved or defined twice; MALFORMED; UNSUPPORTED;
     * ERRC_INVALID: a value does not have its constant's size; TOOL: the tool died; IO: a file or
     * process operation failed; UNAVAILABLE: the tool is missing.  It returns no other code.  May
     * be called from several threads. */
    rt_status (*link_to_bitcode)(void *user, rt_sink *sink, const dev_code *codes, uint32_t count,
                                 rt_buffer *out_bitcode);
    /* Specialises one SPIR-V module and translates it to PTX (reference/base/ptx.h); its symbols
     * keep their names, as rt_ptx_name_write writes them.  out_ptx is like out_bitcode; returns the
     * same codes except LINK_ERROR.  UNSUPPORTED: the code has no form in PTX; the message says
     * which part of it.  NULL: this tool is missing. */
    rt_status (*spirv_to_ptx)(void *user, rt_sink *sink, const dev_code *code, rt_buffer *out_ptx);
} dev_tools;

typedef struct dev_open_parameters {
    rt_sink *sink;          /* outlives the device */
    const dev_tools *tools; /* NULL: none; outlives the device */
    uint64_t seed;          /* seed for everything that the device may choose */
    uint32_t threads;       /* threads for a device that computes in this process; 0: one */
    rt_text code_folder;    /* where a device may keep machine code that it makes; empty: nowhere */
    /* Called for every finding, on the thread that runs the command; the finding's texts are valid
     * only during the call.  Must not call the device. */
    void (*on_finding)(void *user, const dev_finding *finding);
    void *finding_user;
    /* Called by a device that runs commands late, just before it writes the result of a read
     * (dev_enqueue_read) to its destination, or gives the read up because of a failure, on the
     * thread that does it; with finding_user; NULL: the caller does not want to know.  Must not
     * call the device. */
    void (*on_host_write)(void *user, void *destination, uint64_t size);
    /* Called with what kernels print, on the thread that runs the command, by a device that
     * computes in this process; NULL: standard output.  Must not call the device. */
    void (*on_output)(void *user, rt_text text);
    void *output_user;
    bool keeps_writers; /* the caller will ask who wrote a byte (dev_memory_writer) */
    /* Called when a device that runs commands late picks one of `count` >= 2 that are ready, of
     * which its own pick is `drawn`: returns the one to run, and in *out_number a number for this
     * choice.  NULL: the device's own pick.  Must not call the device. */
    uint32_t (*choose_command)(void *user, uint32_t count, uint32_t drawn, uint32_t *out_number);
    /* Called when two commands have run that conflict although nothing orders them: had the
     * alternative been picked at the choice with that number, they would have run in the other
     * order.  NULL: orders are not explored.  Must not call the device. */
    void (*on_order)(void *user, uint32_t number, uint32_t alternative);
    void *order_user;
} dev_open_parameters;

/* One launch geometry.  Index d is the dimension that get_global_id(d) returns. */
typedef struct dev_nd_range {
    uint32_t dimensions;                     /* 1 to 3; further entries of global, local and offset
                                              * are 1, 1 and 0 */
    uint64_t global[RT_ND_RANGE_DIMENSIONS]; /* work-items; if one is 0, no work-item runs */
    uint64_t local[RT_ND_RANGE_DIMENSIONS];  /* work-items of a group; all 0: the device chooses
                                              * them */
    uint64_t offset[RT_ND_RANGE_DIMENSIONS];
    bool
        is_non_uniform; /* the last groups of each dimension may be smaller than `local`: OpenCL 2.0
                         * and later, not SYCL; only if the device has non_uniform_groups */
} dev_nd_range;

/* True if the range has no work-item. */
static inline bool dev_nd_range_is_empty(const dev_nd_range *range)
{
    return range->global[0] == 0 || range->global[1] == 0 || range->global[2] == 0;
}

/* The kind of a memory. */
typedef enum dev_memory_kind {
    DEV_MEMORY_BUFFER,     /* the device determines its location */
    DEV_MEMORY_USM_DEVICE, /* unified shared memory: pointers into it are the same everywhere; */
    DEV_MEMORY_USM_HOST,   /* SYCL 2020, 4.8.2 "Kinds of unified shared memory" */
    DEV_MEMORY_USM_SHARED,
    DEV_MEMORY_GLOBAL, /* a variable of a program */
    DEV_MEMORY_KINDS
} dev_memory_kind;

typedef enum dev_argument_kind {
    DEV_ARGUMENT_MEMORY,  /* a global or constant pointer to the start of a buffer */
    DEV_ARGUMENT_POINTER, /* a pointer into unified shared memory or a program's variable */
    DEV_ARGUMENT_BYTES,   /* a value, in the layout of the kernel's parameter */
    DEV_ARGUMENT_LOCAL,   /* local memory of `size` bytes */
    DEV_ARGUMENT_KINDS
} dev_argument_kind;

/* What the program has declared that the kernel does with a memory.  A device may rely on it, and
 * may report a kernel that does something else. */
typedef enum dev_access { DEV_ACCESS_READ_WRITE, DEV_ACCESS_READ, DEV_ACCESS_WRITE } dev_access;

typedef struct dev_argument {
    dev_argument_kind kind;
    dev_memory *memory; /* MEMORY: NULL is the null pointer; POINTER: neither NULL nor a buffer */
    dev_access access;  /* MEMORY and POINTER */
    uint64_t offset;    /* POINTER: bytes from the memory's start, at most its size */
    rt_bytes bytes;     /* BYTES: copied by the enqueue */
    uint64_t size;      /* LOCAL, bytes >= 1 */
} dev_argument;

/* A parameter of a kernel: the kind of argument that it takes; MEMORY also stands for POINTER. */
typedef struct dev_parameter {
    dev_argument_kind kind;
    uint64_t size;    /* BYTES: its size in bytes */
    bool is_constant; /* MEMORY: a pointer to constant memory */
} dev_parameter;

/* The arguments common to every enqueue, in addition to its operands. */
typedef struct dev_command {
    uint32_t tag;           /* the runtime's id of the command, for findings */
    dev_event *const *wait; /* events that must be complete before it starts */
    uint32_t wait_count;
} dev_command;

enum { DEV_PATTERN_SIZE_MAX = 128 }; /* bytes of the pattern of a fill */

/* What the host does with the bytes that it maps.  Source: OpenCL 3.0 API, 5.2.4 "Mapping Buffer
 * Objects" (cl_map_flags). */
typedef enum dev_map_access {
    DEV_MAP_READ,
    DEV_MAP_WRITE, /* they hold the latest contents, too */
    DEV_MAP_READ_WRITE,
    DEV_MAP_WRITE_INVALIDATE, /* they have no value until the host writes them */
    DEV_MAP_ACCESSES
} dev_map_access;

/* The range of a buffer that the host maps, and how. */
typedef struct dev_map {
    uint64_t offset, size; /* bytes */
    dev_map_access access;
    bool is_blocking; /* the enqueue waits for the command */
} dev_map;

/* The commands of its own queue that a marker orders, in addition to its wait list.
 * Source: OpenCL 3.0 API, 5.12 "Markers, Barriers and Waiting for Events";
 * sycl_ext_oneapi_enqueue_barrier. */
typedef struct dev_marker {
    bool waits_for_all; /* for every command enqueued before it, successful or not; its wait list is
                         * empty */
    bool is_barrier;    /* no command enqueued after it begins before it is done */
} dev_marker;

/* The kinds of objects that are created from a device. */
typedef enum dev_object_kind {
    DEV_OBJECT_MEMORY,
    DEV_OBJECT_PROGRAM,
    DEV_OBJECT_KERNEL,
    DEV_OBJECT_QUEUE,
    DEV_OBJECT_EVENT,
    DEV_OBJECT_KINDS
} dev_object_kind;

/* Numbers of objects of each kind. */
typedef struct dev_live {
    uint32_t counts[DEV_OBJECT_KINDS];
} dev_live;

typedef enum dev_event_state {
    DEV_EVENT_PENDING,
    DEV_EVENT_COMPLETE,
    DEV_EVENT_FAILED,
} dev_event_state;

/* The times at which a command was submitted to its queue, began and ended, in nanoseconds of one
 * clock of the device, or in steps if the device counts only steps; submit <= start <= end.
 * Source: SYCL 2020, 4.6.6.1 "Event information and profiling descriptors". */
typedef struct dev_times {
    uint64_t submit, start, end;
} dev_times;

/* The byte that fills new memories of a device that serves several programs one after another: as a
 * number of any type it is far from the values that programs begin with. */
enum { DEV_NEW_MEMORY_BYTE = 0xa5 };

/* ---- Operation tables (for adapters) ------------------------------------------------------ */

/* Function types with which an adapter declares the operations that it does not define in the same
 * file as their table. */
typedef rt_status dev_memory_create_op(dev_device *device, uint64_t size, rt_text label,
                                       dev_memory **out_memory);
typedef rt_status dev_memory_part_create_op(dev_memory *whole, uint64_t offset, uint64_t size,
                                            rt_text label, dev_memory **out_memory);
typedef rt_status dev_usm_create_op(dev_device *device, dev_memory_kind kind, uint64_t size,
                                    rt_text label, dev_memory **out_memory);
typedef rt_status dev_program_compile_op(dev_device *device, const dev_code *code,
                                         dev_program **out_program);
typedef rt_status dev_program_link_op(dev_device *device, dev_program *const *programs,
                                      uint32_t count, rt_text options, dev_program **out_program);
typedef rt_status dev_program_load_op(dev_device *device, rt_bytes binary,
                                      dev_program **out_program);
typedef rt_status dev_queue_create_op(dev_device *device, dev_queue **out_queue);
typedef rt_status dev_enqueue_kernel_op(dev_queue *queue, dev_command command, dev_kernel *kernel,
                                        const dev_nd_range *range, const dev_argument *arguments,
                                        uint32_t argument_count, dev_event **out_event);
typedef rt_status dev_enqueue_read_op(dev_queue *queue, dev_command command, dev_memory *memory,
                                      uint64_t offset, uint64_t size, void *destination,
                                      dev_event **out_event);
typedef rt_status dev_enqueue_write_op(dev_queue *queue, dev_command command, dev_memory *memory,
                                       uint64_t offset, uint64_t size, const void *source,
                                       dev_event **out_event);
typedef rt_status dev_enqueue_copy_op(dev_queue *queue, dev_command command, dev_memory *source,
                                      uint64_t source_offset, dev_memory *destination,
                                      uint64_t destination_offset, uint64_t size,
                                      dev_event **out_event);
typedef rt_status dev_enqueue_fill_op(dev_queue *queue, dev_command command, dev_memory *memory,
                                      uint64_t offset, uint64_t size, rt_bytes pattern,
                                      dev_event **out_event);
typedef rt_status dev_enqueue_marker_op(dev_queue *queue, dev_command command, dev_marker marker,
                                        dev_event **out_event);
typedef rt_status dev_enqueue_map_op(dev_queue *queue, dev_command command, dev_memory *memory,
                                     dev_map map, dev_mapping **out_mapping, dev_event **out_event);
typedef rt_status dev_enqueue_unmap_op(dev_queue *queue, dev_command command, dev_mapping *mapping,
                                       dev_event **out_event);
typedef rt_status dev_host_event_create_op(dev_device *device, dev_event **out_event);

typedef struct dev_device_ops {
    void (*destroy)(dev_device *device);
    void (*capabilities)(dev_device *device, dev_capabilities *out_capabilities);
    dev_memory_create_op *memory_create;
    dev_usm_create_op *usm_create; /* NULL: capabilities.usm is false */
    dev_program_compile_op *program_compile;
    dev_program_link_op *program_link;
    dev_program_compile_op *program_build;
    dev_queue_create_op *queue_create;
    dev_program_load_op *program_load; /* NULL: capabilities.program_binaries is false */
    /* NULL: capabilities.profiling is false; otherwise the events of such a queue have `times`. */
    dev_queue_create_op *queue_create_profiling;
    dev_host_event_create_op *host_event_create;   /* NULL: capabilities.host_events is false */
    dev_memory_part_create_op *memory_part_create; /* NULL: capabilities.part_alignment is 0 */
} dev_device_ops;

typedef struct dev_memory_ops {
    void (*destroy)(dev_memory *memory);
    /* See dev_memory_defined; NULL: all bytes count as defined. */
    rt_status (*defined)(dev_memory *memory, uint64_t offset, uint64_t size, uint8_t *out_bits);
    uint64_t (*address)(dev_memory *memory); /* called for every kind but BUFFER, for which it may
                                              * be NULL */
    bool (*writer)(dev_memory *memory, uint64_t offset, dev_writer *out_writer); /* NULL: never
                                                                                  * known */
    /* See dev_memory_host_access; NULL: nothing is examined. */
    void (*host_access)(dev_memory *memory, uint32_t tag, uint64_t offset, uint64_t size,
                        bool is_write);
    /* See dev_mapping_access; NULL: nothing is examined. */
    void (*mapping_access)(dev_mapping *mapping, uint32_t tag, uint64_t offset, uint64_t size,
                           bool is_write);
    /* See dev_mapping_defined; NULL: all bytes count as defined. */
    void (*mapping_defined)(dev_mapping *mapping, uint8_t *out_bits);
} dev_memory_ops;

typedef struct dev_program_ops {
    void (*destroy)(dev_program *program);
    rt_status (*kernel_create)(dev_program *program, rt_text name, dev_kernel **out_kernel);
    /* NULL: capabilities.globals_by_name is false.  Sets (*out_memory)->size itself. */
    rt_status (*global_find)(dev_program *program, rt_text name, dev_memory **out_memory);
    /* NULL: capabilities.program_binaries is false. */
    rt_status (*binary)(dev_program *program, rt_buffer *out_binary);
    uint64_t (*global_bytes)(dev_program *program); /* NULL: 0 */
} dev_program_ops;

typedef struct dev_kernel_ops {
    void (*destroy)(dev_kernel *kernel);
    uint32_t (*argument_count)(dev_kernel *kernel);
    dev_parameter (*parameter)(dev_kernel *kernel, uint32_t index); /* NULL: capabilities.parameters
                                                                     * is false */
    uint64_t (*local_bytes)(dev_kernel *kernel);                    /* NULL: 0 */
} dev_kernel_ops;

typedef struct dev_queue_ops {
    void (*destroy)(dev_queue *queue);
    dev_enqueue_kernel_op *enqueue_kernel;
    dev_enqueue_read_op *enqueue_read;
    dev_enqueue_write_op *enqueue_write;
    dev_enqueue_copy_op *enqueue_copy;
    dev_enqueue_fill_op *enqueue_fill;
    dev_enqueue_marker_op *enqueue_marker;
    dev_enqueue_map_op *enqueue_map; /* NULL: capabilities.maps is false */
    dev_enqueue_unmap_op *enqueue_unmap;
    rt_status (*flush)(dev_queue *queue); /* NULL: commands make progress without it */
} dev_queue_ops;

typedef struct dev_event_ops {
    void (*destroy)(dev_event *event);
    rt_status (*wait)(dev_event *event);
    dev_event_state (*state)(dev_event *event);
    rt_status (*times)(dev_event *event, dev_times *out_times); /* NULL: see dev_device_ops */
    void (*advance)(dev_event *event); /* NULL: commands make progress without it */
    rt_status (*complete)(dev_event *event, bool has_failed); /* of a host event */
    /* Both or neither, of a device that examines what orders commands. */
    void (*learn)(dev_event *event); /* a query has told the application that it is done */
    bool (*is_known)(dev_event *event);
} dev_event_ops;

/* Counts the calls of devices that return a status, except opening a device, waiting for an event
 * and completing one. */
typedef struct dev_calls {
    atomic_uint count;
    uint32_t failing;           /* the number, from 1, of the call that fails on demand; 0: none */
    const char *_Atomic failed; /* the operation of that call, once it was made */
} dev_calls;

/* Part of the message of a call that fails on demand. */
#define DEV_FAILED_ON_DEMAND "failed on demand"

/* Base structs, at offset 0 of an adapter's own structs.  The adapter sets `ops`; checked.c sets
 * the other members after the create operation has returned, so an adapter must not read them
 * earlier. */
struct dev_device {
    const dev_device_ops *ops;
    rt_sink *sink;
    atomic_uint live[DEV_OBJECT_KINDS]; /* objects created from the device and not yet destroyed */
    dev_live kept;                      /* those of its holder: see dev_device_keep */
    dev_queue *filler; /* fills new memories: see dev_device_fill_memories; NULL: they are not */
    dev_calls *calls;  /* see dev_device_count_calls; NULL: they are not counted */
    atomic_ullong memory_count; /* memories created from the device so far */
};
struct dev_memory {
    const dev_memory_ops *ops;
    dev_device *device;
    dev_memory_kind kind;
    uint64_t size;
    uint64_t number; /* a part has that of its whole memory, and begins there at `origin` */
    uint64_t origin;
    bool is_part;
    dev_program *program; /* GLOBAL: the program of the variable */
};
struct dev_program {
    const dev_program_ops *ops;
    dev_device *device;
    bool executable;          /* kernels can be created from it */
    atomic_uint live_globals; /* memories that represent its variables, not yet destroyed */
};
struct dev_kernel {
    const dev_kernel_ops *ops;
    dev_device *device;
};
struct dev_queue {
    const dev_queue_ops *ops;
    dev_device *device;
    bool profiling; /* records the times of its commands */
};
struct dev_event {
    const dev_event_ops *ops;
    dev_device *device;
    bool profiling; /* its queue records the times of commands */
    bool is_host;   /* the host completes it */
};
/* The bytes through which the host accesses a range of a buffer, from dev_enqueue_map to
 * dev_enqueue_unmap.  The adapter sets `bytes`, checked.c the other members. */
struct dev_mapping {
    uint8_t *bytes; /* as many as the range has */
    dev_memory *memory;
    dev_map map;
};

/* A way to open devices; each backend folder offers one or more constants of this type. */
typedef struct dev_backend {
    const char *name; /* "sim", "opencl", "null" */
    /* Opens one device.  `selector` chooses among several devices; its form is defined by the
     * backend ("": the first device).  UNAVAILABLE: something is not installed, or there is no such
     * device; the message says what is missing and how to get it.  ERRC_INVALID: the selector does
     * not have the backend's form. */
    rt_status (*open)(const dev_open_parameters *parameters, rt_text selector,
                      dev_device **out_device);
} dev_backend;

/* Refuses a range that no device of assay accepts: ERRC_ND_RANGE if local does not divide global or
 * a group has more than group_size_max work-items.  For adapters whose driver accepts non-uniform
 * work-groups.  Source: SYCL 2020, "4.9.4.2 SYCL functions for invoking kernels" (errc::nd_range).
 */
RT_MUST_USE rt_status dev_nd_range_validate(rt_sink *sink, const dev_nd_range *range,
                                            uint32_t group_size_max);

/* Bytes of long16, the largest type of OpenCL C: a pointer to a buffer is aligned for every type,
 * so parts of buffers are too.  For devices that do not report their own alignment.  Source:
 * OpenCL 3.0 API, CL_DEVICE_MEM_BASE_ADDR_ALIGN. */
enum { DEV_PART_ALIGNMENT = 128 };

/* Refuses a part of a buffer that does not begin at a multiple of DEV_PART_ALIGNMENT: ERRC_INVALID.
 */
RT_MUST_USE rt_status dev_part_validate(rt_sink *sink, rt_text label, uint64_t offset);

/* Refuses a launch with more or fewer arguments than the kernel has parameters:
 * ERRC_KERNEL_ARGUMENT. */
RT_MUST_USE rt_status dev_argument_count_validate(rt_sink *sink, uint32_t parameter_count,
                                                  uint32_t argument_count);

/* ---- Functions (for the runtime) ---------------------------------------------------------- */

/* Opens a device of the backend.  The caller destroys it, after everything created from it. */
RT_MUST_USE rt_status dev_device_open(const dev_backend *backend,
                                      const dev_open_parameters *parameters, rt_text selector,
                                      dev_device **out_device);
/* Waits for everything enqueued, then closes the device.  NULL does nothing (as for every destroy
 * function below). */
void dev_device_destroy(dev_device *device);
/* The device's capabilities, the same every time. */
void dev_device_capabilities(dev_device *device, dev_capabilities *out_capabilities);

/* For a holder that lends the device to one program after another. */

/* The numbers of objects that have been created and not yet destroyed, without those that the
 * holder keeps. */
dev_live dev_device_live(dev_device *device);
/* True if no object lives. */
bool dev_live_is_none(const dev_live *live);
/* Appends the numbers that are not 0, for example "2 memories and 1 event". */
void dev_live_print(rt_buffer *out, const dev_live *live);
/* Declares that all objects that live now are the holder's own. It destroys them before the
 * device. */
void dev_device_keep(dev_device *device);
/* From now on every memory that is created holds DEV_NEW_MEMORY_BYTE, so that no program finds what
 * an earlier one left in it, nor relies on zeros. The queue is the holder's, is used for nothing
 * else, and outlives the memories; NULL: new memories are undefined again. A memory that cannot be
 * filled is not created. */
void dev_device_fill_memories(dev_device *device, dev_queue *queue);
/* From now on the device's calls are counted. The one that must fail does not reach the adapter and
 * returns DRIVER_ERROR. Several devices may share *calls, which outlives them. */
void dev_device_count_calls(dev_device *device, dev_calls *calls);
/* True if the device advertises linking of programs in `format` (DL-BACKEND-01). */
bool dev_capabilities_link(const dev_capabilities *capabilities, rt_format format);

/* Allocates a buffer of size >= 1 bytes, whose contents are undefined.  The label names it in
 * findings.  ERRC_MEMORY_ALLOCATION. */
RT_MUST_USE rt_status dev_memory_create(dev_device *device, uint64_t size, rt_text label,
                                        dev_memory **out_memory);
/* Creates a memory of kind BUFFER that is size >= 1 bytes of another buffer, from `offset`; on a
 * device that finds faults, also of unified shared memory.  The other one, which is not itself a
 * part, may be destroyed first; its bytes live as long as the part, if they are a buffer's.
 * Commands treat the part like any other buffer; a device that finds faults reports a kernel that
 * accesses bytes past its end through it.  Requires part_alignment.  ERRC_INVALID: the device
 * cannot address a part that begins there; its offset is not a multiple of part_alignment.  Source:
 * OpenCL 3.0 API, 5.2.1 "Creating Buffer Objects" (clCreateSubBuffer). */
RT_MUST_USE rt_status dev_memory_part_create(dev_memory *whole, uint64_t offset, uint64_t size,
                                             rt_text label, dev_memory **out_memory);
/* Allocates size >= 1 bytes of unified shared memory of the given kind, aligned for every type; the
 * contents are undefined.  Commands transfer its bytes like those of a buffer.  Requires the
 * capability usm.  ERRC_MEMORY_ALLOCATION. */
RT_MUST_USE rt_status dev_usm_create(dev_device *device, dev_memory_kind kind, uint64_t size,
                                     rt_text label, dev_memory **out_memory);
/* The address of a memory that is not a buffer, as kernels see it: the value of a pointer to it in
 * a kernel's argument or in another memory.  It is never 0, and the same every time; two memories
 * of a device have the same address only if both represent one variable. */
uint64_t dev_memory_address(dev_memory *memory);
/* Frees the memory.  USM is freed immediately: no incomplete command may use it, and no later
 * command may reach it through a pointer (SYCL 2020, 4.8.3 "USM allocations"); a device that finds
 * faults reports such a use.  Destroying the memory of a variable leaves the variable unchanged. */
void dev_memory_destroy(dev_memory *memory);
/* Reports which bytes of [offset, offset + size) have defined values: bit i % 8 of out_bits[i / 8]
 * stands for byte offset + i; out_bits has ceil(size / 8) bytes.  A device that does not track this
 * reports all bytes as defined.  All commands that write the memory must be complete. */
RT_MUST_USE rt_status dev_memory_defined(dev_memory *memory, uint64_t offset, uint64_t size,
                                         uint8_t *out_bits);
/* Finds who wrote a byte last.  False: the device does not keep that (dev_open_parameters).  All
 * commands that write the memory must be complete. */
bool dev_memory_writer(dev_memory *memory, uint64_t offset, dev_writer *out_writer);
/* Says that the application accesses unified shared memory of the kinds host or shared itself.  It
 * waits for nothing: a device that examines what orders commands reports the commands that conflict
 * with the access and that the application cannot know to be done, under the tag. */
void dev_memory_host_access(dev_memory *memory, uint32_t tag, uint64_t offset, uint64_t size,
                            bool is_write);

/* Creates a program object from one image's code, possibly with unresolved imports, so that it can
 * be linked; code that was compiled ahead of time is only loaded (DL-LINK-04). ERRC_BUILD: the
 * driver's compiler refused the code (its log is in the message); UNSUPPORTED: the device does not
 * accept the format, its version or an instruction, which the message names; MALFORMED;
 * ERRC_INVALID: a value does not have its constant's size; TOOL, IO, UNAVAILABLE: from dev_tools.
 * Constants require the capability spec_constants. */
RT_MUST_USE rt_status dev_program_compile(dev_device *device, const dev_code *code,
                                          dev_program **out_program);
/* Links count >= 1 compiled programs, which stay unchanged, into an executable one.  LINK_ERROR: a
 * symbol is unresolved or multiply defined (the log is in the message); also the codes of
 * dev_program_compile. */
RT_MUST_USE rt_status dev_program_link(dev_device *device, dev_program *const *programs,
                                       uint32_t count, rt_text options, dev_program **out_program);
/* Compiles one self-contained image directly into an executable program.  Returns the codes of
 * dev_program_compile and dev_program_link. */
RT_MUST_USE rt_status dev_program_build(dev_device *device, const dev_code *code,
                                        dev_program **out_program);
/* Appends the serialised form of an executable program, which dev_program_load accepts on this
 * device and on those with the same name and driver, even in another process; it is also code in
 * the device's native formats, as an offline compiler makes it.  A device that links such a format
 * serialises compiled programs too, as native code that it links.  Requires the capability
 * program_binaries.  UNSUPPORTED: the device cannot serialise this program; ERRC_BUILD, LINK_ERROR:
 * creating the bytes failed. */
RT_MUST_USE rt_status dev_program_binary(dev_program *program, rt_buffer *out_binary);
/* Restores an executable program from such bytes, with its variables in their initial state; the
 * bytes are validated, as they may come from anywhere.  Returns the codes of dev_program_link. */
RT_MUST_USE rt_status dev_program_load(dev_device *device, rt_bytes binary,
                                       dev_program **out_program);
/* Bytes of the variables in global memory of an executable program, without constant ones; 0 if the
 * device does not report them. */
uint64_t dev_program_global_bytes(dev_program *program);
void dev_program_destroy(dev_program *program);
/* Finds a variable in global memory of an executable program by the name under which it was
 * exported, and creates a memory that represents it, of kind GLOBAL and the variable's size.  The
 * variable has its initial value until a command or kernel writes it, and lives as long as the
 * program.  Another call finds the same variable.  Requires the capability globals_by_name.  The
 * memory must be destroyed before the program.  ERRC_INVALID: there is no variable with that name.
 */
RT_MUST_USE rt_status dev_global_find(dev_program *program, rt_text name, dev_memory **out_memory);

/* Creates the kernel with the given name from an executable program.  ERRC_INVALID: there is none
 * with that name. */
RT_MUST_USE rt_status dev_kernel_create(dev_program *program, rt_text name,
                                        dev_kernel **out_kernel);
void dev_kernel_destroy(dev_kernel *kernel);
#define DEV_ARGUMENT_COUNT_UNKNOWN UINT32_MAX
/* Number of parameters of the kernel, DEV_ARGUMENT_COUNT_UNKNOWN if the device does not report it.
 */
uint32_t dev_kernel_argument_count(dev_kernel *kernel);
/* The kernel's parameter with that index, below its number of parameters.  Requires the capability
 * parameters. */
dev_parameter dev_kernel_parameter(dev_kernel *kernel, uint32_t index);
/* Bytes of the kernel's own variables in local memory; 0 if the device does not report them. */
uint64_t dev_kernel_local_bytes(dev_kernel *kernel);

/* Creates an out-of-order queue: only wait lists order its commands. */
RT_MUST_USE rt_status dev_queue_create(dev_device *device, dev_queue **out_queue);
/* Like dev_queue_create, for a queue that records the times of its commands.  Requires the
 * capability profiling. */
RT_MUST_USE rt_status dev_queue_create_profiling(dev_device *device, dev_queue **out_queue);
/* Waits for the queue's commands, then destroys it. */
void dev_queue_destroy(dev_queue *queue);

/* Enqueues a command without waiting for it. The caller owns *out_event and may destroy it at any
 * time.  A wait list may name events of other queues of the same device.  A command whose
 * predecessor failed fails too, without running.  Ranges are inside their memory and not empty.
 * kernel       ERRC_KERNEL_ARGUMENT: an argument does not fit its parameter, or there are too many
 *              or too few; ERRC_ND_RANGE: local does not divide global, or a group is too large.
 *              A launch without work-items does nothing and completes (SYCL 2020, 3.7.2; OpenCL 3.0
 *              API, 5.8 "Executing Kernels"); an adapter whose driver defines no such launch
 *              enqueues a marker.
 * read, write  destination and source must stay valid until the event completes or fails.
 * copy         the two ranges must not overlap.
 * fill         pattern of 1 to DEV_PATTERN_SIZE_MAX bytes, copied; size and offset are multiples of
 *              its size.
 * marker       does nothing: its event completes when those of the wait list have or, with
 *              waits_for_all, every command that was enqueued in the queue before it.
 * map          makes the bytes of a range of a buffer available to the host, once the command is
 *              done: its latest contents, unless the access is WRITE_INVALIDATE.  A blocking one
 *              waits, and returns the failure of the command, too.  ERRC_INVALID: it maps bytes for
 *              writing that are mapped for writing already.  A command that writes the buffer while
 *              it is mapped, or reads it while it is mapped for writing, is undefined; a device
 *              that finds faults reports it.  Requires the capability maps.  Source: OpenCL 3.0
 *              API, 5.2.4 and 5.5.3.
 * unmap        ends a mapping, whose bytes the host must no longer access: what the host has
 *              written through it is in the buffer once the command is done.  It frees the mapping,
 *              even if it fails. */
RT_MUST_USE rt_status dev_enqueue_kernel(dev_queue *queue, dev_command command, dev_kernel *kernel,
                                         const dev_nd_range *range, const dev_argument *arguments,
                                         uint32_t argument_count, dev_event **out_event);
RT_MUST_USE rt_status dev_enqueue_read(dev_queue *queue, dev_command command, dev_memory *memory,
                                       uint64_t offset, uint64_t size, void *destination,
                                       dev_event **out_event);
RT_MUST_USE rt_status dev_enqueue_write(dev_queue *queue, dev_command command, dev_memory *memory,
                                        uint64_t offset, uint64_t size, const void *source,
                                        dev_event **out_event);
RT_MUST_USE rt_status dev_enqueue_copy(dev_queue *queue, dev_command command, dev_memory *source,
                                       uint64_t source_offset, dev_memory *destination,
                                       uint64_t destination_offset, uint64_t size,
                                       dev_event **out_event);
RT_MUST_USE rt_status dev_enqueue_fill(dev_queue *queue, dev_command command, dev_memory *memory,
                                       uint64_t offset, uint64_t size, rt_bytes pattern,
                                       dev_event **out_event);
RT_MUST_USE rt_status dev_enqueue_marker(dev_queue *queue, dev_command command, dev_marker marker,
                                         dev_event **out_event);
RT_MUST_USE rt_status dev_enqueue_map(dev_queue *queue, dev_command command, dev_memory *memory,
                                      dev_map map, dev_mapping **out_mapping,
                                      dev_event **out_event);
RT_MUST_USE rt_status dev_enqueue_unmap(dev_queue *queue, dev_command command, dev_mapping *mapping,
                                        dev_event **out_event);
/* Says that the host accesses bytes of a mapping, from `offset` in the mapping; after a write,
 * which only a mapping for writing permits.  It waits for nothing: a device that examines what
 * orders commands reports, under the tag, an access before the host knows that the map is done.
 * What is written without this call need not reach the buffer. */
void dev_mapping_access(dev_mapping *mapping, uint32_t tag, uint64_t offset, uint64_t size,
                        bool is_write);
/* Reports which bytes of a mapping have defined values, as dev_memory_defined does.  The map must
 * be done. */
void dev_mapping_defined(dev_mapping *mapping, uint8_t *out_bits);
/* Lets the device make progress without a wait; it may still do nothing until there is one. */
RT_MUST_USE rt_status dev_queue_flush(dev_queue *queue);

/* Returns when the command is done: success, or its failure.  BUDGET: a kernel used up its
 * instruction budget or its stack; also the codes of the command's enqueue, from a device that
 * checks operands late.  The result is the same every time.  For a command that did not run because
 * a predecessor failed: the predecessor's status if the device knows it, otherwise DRIVER_ERROR. */
RT_MUST_USE rt_status dev_event_wait(dev_event *event);
/* The event's state, without waiting, for the application: what it enqueues after it has seen that
 * a command is done is ordered after the command. */
dev_event_state dev_event_query(dev_event *event);
/* True if the application can know that the command is done: a wait or a query has said so, of it
 * or of a command that waited for it.  False for one that is done but of which it has not asked; a
 * device that does not distinguish them returns whether the command is done. */
bool dev_event_is_known(dev_event *event);
/* The times of a command that a wait has found complete, in a queue that records them; the same
 * every time.  DRIVER_ERROR, among other reasons, if the driver's times are out of order. */
RT_MUST_USE rt_status dev_event_times(dev_event *event, dev_times *out_times);
void dev_event_destroy(dev_event *event);

/* Creates an event that is complete when the host says so; commands can wait for it like for any
 * other.  A thread that waits for a command that depends on it blocks until another thread has
 * completed it.  Requires the capability host_events.  Source: OpenCL 3.0 API, 5.11 "Event
 * Objects" (clCreateUserEvent). */
RT_MUST_USE rt_status dev_host_event_create(dev_device *device, dev_event **out_event);
/* Completes a host event; with `has_failed`, the commands that wait for it fail.  ERRC_INVALID: it
 * was completed before (OpenCL 3.0 API, clSetUserEventStatus: CL_INVALID_OPERATION).  Destroying an
 * event that was never completed completes it with a failure. */
RT_MUST_USE rt_status dev_host_event_complete(dev_event *event, bool has_failed);
/* Lets commands run, at least until the event is complete or only the host can complete what it
 * waits for if the device runs commands only in waits, and reports its state; for hosts that poll.
 */
dev_event_state dev_event_advance(dev_event *event);

#endif
