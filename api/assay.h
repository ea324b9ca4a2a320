/* assay.h: the reference runtime for device code of DPC++ as a C library, libassay_reference.so.
 *
 * The library implements what the runtime parts of four design documents of intel/llvm describe
 * (SharedLibraries.md, DeviceGlobal.md, VirtualFunctions.md, KernelFusionJIT.md): modules register
 * device images, a launch finds its kernel by name and links the images that the kernel's image
 * needs, and commands are ordered by the memories that they use.  Kernels run on a device that is
 * chosen by its name: "sim", the simulated device, is always available.
 *
 *     assay_runtime *runtime = assay_runtime_create(NULL);
 *     assay_device_open(runtime, "sim", &device);
 *     assay_queue_create(device, NULL, 0, &queue);
 *     assay_submit(queue, &(assay_launch){.kernel = "twice", ...}, NULL);
 *     assay_queue_wait(queue);
 *     assay_runtime_destroy(runtime);
 *
 * Objects.  Every object belongs to a runtime and lives as long as it, unless its function says
 * otherwise; there is nothing else to free.  A process may have any number of runtimes.  A runtime
 * also keeps something for each command (about 1 KiB for a launch: its event, what it depends on,
 * and its failure) and the message of each failure; a program that runs for long destroys runtimes
 * now and then.
 *
 * Statuses.  A function that can fail returns an assay_status.  A null pointer where an object or a
 * text is required, and an object of another runtime, are refused with ASSAY_ERRC_INVALID.  If a
 * function fails, the object that it would have created is NULL, and nothing was submitted.  The
 * codes that are listed with a function are those that its arguments can cause; a device may report
 * ASSAY_ERRC_MEMORY_ALLOCATION, ASSAY_DRIVER_ERROR, ASSAY_DEVICE_LOST and ASSAY_LIMIT everywhere.
 *
 * Threads.  All functions may be called from several threads, except that nothing may use a runtime
 * while or after it is destroyed.  Texts and arrays that are passed in are borrowed for the call.
 *
 * Ends of the process.  If the host has no memory left for the library's own structures, or the
 * library finds that it is itself wrong, it prints why and calls abort(3).
 *
 * Source: SYCL 2020; the design documents in sycl/doc/design of intel/llvm. */
#ifndef ASSAY_H
#define ASSAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this interface.  It grows when the interface changes incompatibly. */
#define ASSAY_INTERFACE_VERSION 1

/* The version of the library; differs from ASSAY_INTERFACE_VERSION if the program was compiled with
 * the header of another one. */
uint32_t assay_interface_version(void);

/* ---- Statuses ----------------------------------------------------------------------------- */

/* The failure classes of SYCL 2020 (sycl::errc), and those that no SYCL application sees. */
typedef enum assay_code {
    ASSAY_OK,
    ASSAY_ERRC_RUNTIME,
    ASSAY_ERRC_KERNEL,
    ASSAY_ERRC_ACCESSOR,
    ASSAY_ERRC_ND_RANGE,
    ASSAY_ERRC_EVENT,
    ASSAY_ERRC_KERNEL_ARGUMENT,
    ASSAY_ERRC_BUILD,
    ASSAY_ERRC_INVALID,
    ASSAY_ERRC_MEMORY_ALLOCATION,
    ASSAY_ERRC_PLATFORM,
    ASSAY_ERRC_PROFILING,
    ASSAY_ERRC_FEATURE_NOT_SUPPORTED,
    ASSAY_ERRC_KERNEL_NOT_SUPPORTED,
    ASSAY_ERRC_BACKEND_MISMATCH,
    ASSAY_LINK_ERROR,      /* the device's linker refused */
    ASSAY_POSTLINK_ERROR,  /* not returned by this library */
    ASSAY_COMPILE_TIME,    /* a C++ program that does this does not compile */
    ASSAY_FUSION_REJECTED, /* not returned: kernels that cannot be fused run one by one */
    ASSAY_DRIVER_ERROR,    /* a call of the driver failed */
    ASSAY_DEVICE_LOST,     /* the device no longer responds */
    ASSAY_BUDGET,          /* a kernel used up its instructions or its stack (sim) */
    ASSAY_MALFORMED,       /* data that does not follow its format */
    ASSAY_LIMIT,           /* a bound, which the message names, was exceeded */
    ASSAY_UNSUPPORTED,     /* this library or the device does not support this */
    ASSAY_UNAVAILABLE,     /* something needed is not installed; the message says what */
    ASSAY_IO,              /* an operation on a file or process failed */
    ASSAY_TOOL,            /* a compiler process died */
} assay_code;

typedef struct assay_status {
    assay_code code;
    const char *message; /* for people, one or more lines without a final newline; "" on success */
    const char *rule; /* the rule of the documents that decides, "DL-RESOLVE-09"; "" if none does.
                       * Both texts live as long as the runtime. */
} assay_status;

static inline bool assay_ok(assay_status status)
{
    return status.code == ASSAY_OK;
}

/* The name of a code, static: "errc::build", "link-error"; "unknown" for anything else. */
const char *assay_code_name(assay_code code);

/* ---- Runtimes ------------------------------------------------------------------------------ */

typedef struct assay_runtime assay_runtime;
typedef struct assay_device assay_device;
typedef struct assay_context assay_context;
typedef struct assay_module assay_module;
typedef struct assay_memory assay_memory;
typedef struct assay_queue assay_queue;
typedef struct assay_bundle assay_bundle;

/* A fault that the simulated device found while a kernel ran; the texts are valid during the call.
 */
typedef struct assay_finding {
    const char *kind;    /* "out-of-bounds", "race" */
    const char *message; /* what happened, where, in which work-item and memory */
    const char *kernel;
    const char *source;    /* the kernel's source file; "" if unknown */
    uint32_t line, column; /* in it, from 1; 0 if unknown */
} assay_finding;

/* A runtime's settings.  Zero-initialised, they are the defaults. */
typedef struct assay_options {
    bool isolated;    /* has only the modules that assay_module_* gives it, and not those that
                       * modules of this process register (see __sycl_register_lib) */
    bool as_shipped;  /* does as shipped DPC++ where it is known to differ from the documents */
    uint64_t seed;    /* for what the documents leave open, and for the order of work-items */
    uint32_t threads; /* threads of the simulated device; 0: one */
    uint32_t warning_level;       /* SYCL_RT_WARNING_LEVEL: fusion warns on standard error */
    const char *persistent_cache; /* folder for built programs; NULL: none are kept */
    const char
        *program; /* path of the program assay, which links for some devices and fuses kernels
                   * in a process of its own; NULL: it is found relative to this library */
    /* Called for each finding, and with what kernels print, on the thread that runs the command;
     * must not call this library.  on_finding NULL: standard error, on_output NULL: standard
     * output.  A finding does not make its command fail. */
    void (*on_finding)(void *user, const assay_finding *finding);
    void (*on_output)(void *user, const char *text, size_t length);
    void *user;
} assay_options;

/* Creates a runtime, which represents one process as an application of SYCL sees it.  options NULL:
 * the defaults.  The caller destroys it.  Never NULL. */
assay_runtime *assay_runtime_create(const assay_options *options);

/* Waits for all commands, whose failures are dropped, and frees the runtime with all of its
 * objects. NULL does nothing. */
void assay_runtime_destroy(assay_runtime *runtime);

/* Waits for every command submitted so far; returns the first failure that no wait has returned. */
assay_status assay_runtime_wait(assay_runtime *runtime);

/* Opens a device by the name of its subject: "sim", "pocl", "intel-cpu", "intel-gpu", "cuda" and so
 * on (`assay subjects`).  ERRC_INVALID: there is no such name; UNAVAILABLE: the driver is not
 * installed, or this process's environment does not select it; the message says what to install or
 * set. */
assay_status assay_device_open(assay_runtime *runtime, const char *subject,
                               assay_device **out_device);

/* The device's name, which lives as long as the device; false if it only links, and commands with
 * kernels never run. */
const char *assay_device_name(const assay_device *device);
bool assay_device_executes(const assay_device *device);

/* Creates a context of count >= 1 devices.  A context of all devices of the runtime always exists;
 * functions that take a context use it for NULL. */
assay_status assay_context_create(assay_device *const *devices, uint32_t count,
                                  assay_context **out_context);

/* ---- Modules and their images -------------------------------------------------------------- */

/* What compilers' start-up code calls: a module of this process (the executable or a shared object)
 * registers its fat binary when it is loaded, and unregisters it when it is unloaded.  All runtimes
 * that are not isolated have the images of such modules, from their next function call on; messages
 * name a module by its file, with "#2" and so on if several registered modules have that name.  If
 * another library of the process defines these functions too (libsycl), its functions are called as
 * well. */
void __sycl_register_lib(const void *descriptor);
void __sycl_unregister_lib(const void *descriptor);

/* Registers the images of a fat binary (sycl_device_binaries_struct) that is in the data of a
 * module of this process, where compilers put it; the images are copied.  `name` names the module
 * in messages; a name that was unregistered gives the same module again.  Images for
 * targets that the runtime does not link are left out.  MALFORMED: no module contains the
 * descriptor, or it is damaged; UNSUPPORTED: all images are left out; LIMIT: more modules or larger
 * images than the runtime accepts. */
assay_status assay_module_register(assay_runtime *runtime, const char *name, const void *descriptor,
                                   assay_module **out_module);

/* The same for the contents of a file: a SYCLBIN, or an ELF executable or shared object with fat
 * binaries.  Images may be compressed. */
assay_status assay_module_read(assay_runtime *runtime, const char *name, const void *bytes,
                               size_t size, assay_module **out_module);

/* Unregisters a module, as its destructor does.  Programs that are running keep its code.
 * ERRC_INVALID: it is not registered, or it is a module of the process. */
assay_status assay_module_unregister(assay_module *module);

/* ---- Memories ------------------------------------------------------------------------------ */

typedef enum assay_usm_kind { ASSAY_USM_DEVICE, ASSAY_USM_HOST, ASSAY_USM_SHARED } assay_usm_kind;

/* Where a fused kernel keeps a buffer instead of in global memory (properties promote_private and
 * promote_local of sycl_ext_codeplay_kernel_fusion). */
typedef enum assay_promotion {
    ASSAY_PROMOTION_NONE,
    ASSAY_PROMOTION_PRIVATE,
    ASSAY_PROMOTION_LOCAL,
} assay_promotion;

/* Create a buffer, whose contents follow the commands that use it, or unified shared memory of a
 * device, of size >= 1 bytes.  `initial` is the contents, which are copied; NULL: undefined. `name`
 * is for messages.  LIMIT: more than 4 GiB; ERRC_FEATURE_NOT_SUPPORTED: the device has no unified
 * shared memory. */
assay_status assay_buffer_create(assay_runtime *runtime, const char *name, uint64_t size,
                                 const void *initial, assay_memory **out_memory);
assay_status assay_usm_create(assay_device *device, assay_usm_kind kind, const char *name,
                              uint64_t size, const void *initial, assay_memory **out_memory);

/* Gives a buffer, which no command uses yet, elements of element_size bytes and a promotion that
 * applies to all of its accessors. */
assay_status assay_buffer_promote(assay_memory *memory, uint32_t element_size,
                                  assay_promotion promotion);

/* Copies bytes of a memory to the host, as a host accessor does: waits for the commands that write
 * it, or for all commands if it is unified shared memory.  Returns their first failure;
 * ERRC_INVALID: the range is not inside the memory.  If other threads submit commands meanwhile
 * that write the memory, the bytes are those after one of them; those of a buffer are never a
 * mixture. */
assay_status assay_memory_read(assay_memory *memory, uint64_t offset, uint64_t size,
                               void *destination);

/* Ends a buffer, as its destruction does: waits for the commands that use it.  Later commands with
 * it are refused; it can still be read. */
assay_status assay_buffer_end(assay_memory *memory);

/* ---- Queues and events --------------------------------------------------------------------- */

/* Properties of a queue, combined with |. */
enum {
    ASSAY_QUEUE_IN_ORDER = 1,
    ASSAY_QUEUE_PROFILING = 2, /* records the times of its commands */
    ASSAY_QUEUE_FUSION = 4,    /* may enter fusion mode */
};

/* A command.  Zero-initialised, it is none, which waits and wait lists refuse. */
typedef struct assay_event {
    assay_runtime *runtime;
    uint64_t number;
} assay_event;

typedef enum assay_event_state {
    ASSAY_EVENT_SUBMITTED, /* not yet handed to the device */
    ASSAY_EVENT_RUNNING,   /* handed over, and perhaps begun */
    ASSAY_EVENT_COMPLETE,  /* a wait would not block; the command may have failed */
} assay_event_state;

/* The times at which a command was submitted to its device, began and ended: nanoseconds of the
 * device's clock, or steps of the simulated device. */
typedef struct assay_times {
    uint64_t submit, start, end;
} assay_times;

/* Creates a queue.  context NULL: that of all devices.  ERRC_INVALID: unknown properties, or the
 * context does not contain the device; ERRC_FEATURE_NOT_SUPPORTED: the device records no times. */
assay_status assay_queue_create(assay_device *device, assay_context *context, uint32_t properties,
                                assay_queue **out_queue);

/* Ends a queue: a fusion in it ends, its commands continue, and later submissions are refused. */
assay_status assay_queue_end(assay_queue *queue);

/* Waits for the commands of a queue, each with what it depends on; returns the first failure that
 * no wait has returned. */
assay_status assay_queue_wait(assay_queue *queue);

/* Waits for a command with what it depends on; returns their first failure, every time. */
assay_status assay_event_wait(assay_event event);

/* The progress of a command.  Does not wait for a device that works on its own; the simulated
 * device runs commands only in waits and in this function, which runs the command, after what it
 * waits for, on the calling thread.  A kernel that a fusion holds back stays SUBMITTED. */
assay_status assay_event_query(assay_event event, assay_event_state *out_state);

/* The times of a command, after waiting for it.  ERRC_INVALID: its queue records none. */
assay_status assay_event_times(assay_event event, assay_times *out_times);

/* ---- Commands ------------------------------------------------------------------------------ */

/* Each function submits a command that waits for the commands whose results it needs and for
 * `after_count` commands in `after`.  *out_event identifies the command; out_event may be NULL.
 * Failures while the command runs are returned by waits. */

typedef enum assay_access { ASSAY_READ_WRITE, ASSAY_READ, ASSAY_WRITE } assay_access;

typedef enum assay_argument_kind {
    ASSAY_ARGUMENT_BUFFER,  /* memory, access, promotion */
    ASSAY_ARGUMENT_POINTER, /* memory (unified shared memory), offset */
    ASSAY_ARGUMENT_NULL,    /* the null pointer */
    ASSAY_ARGUMENT_VALUE,   /* value, size: in the layout of the kernel's parameter */
    ASSAY_ARGUMENT_LOCAL,   /* local memory of `size` bytes */
} assay_argument_kind;

typedef struct assay_argument {
    assay_argument_kind kind;
    assay_access access;
    assay_promotion promotion;
    assay_memory *memory;
    uint64_t offset;
    const void *value;
    uint64_t size;
} assay_argument;

/* The value of a specialisation constant, by its name in the image.  One that no image of the
 * program has is ignored (SYCL 2020, 4.9.5), unless an image was compiled ahead of time. */
typedef struct assay_constant {
    const char *name;
    const void *value;
    size_t size;
} assay_constant;

typedef struct assay_launch {
    const char *kernel;  /* its name in the image */
    uint32_t dimensions; /* 1 to 3 */
    uint64_t global[3];  /* work-items; index d is what get_global_id(d) counts */
    uint64_t local[3];   /* work-items of a work-group; all 0: the device chooses */
    uint64_t offset[3];
    const assay_argument *arguments;
    uint32_t argument_count;
    const assay_event *after;
    uint32_t after_count;
    const char *options;             /* for the device's compiler; NULL: none */
    const assay_constant *constants; /* each name once */
    uint32_t constant_count;
    assay_module *module; /* whose host code launches the kernel; NULL: the first that has it */
    assay_bundle *bundle; /* executable bundle that has the kernel, with neither options, constants
                           * nor module; NULL: the runtime finds the kernel */
} assay_launch;

/* Launches a kernel: finds its image, links what it needs, and submits it.  On a queue in fusion
 * mode, the kernel is held back.  ERRC_RUNTIME: no registered image has the kernel;
 * ERRC_KERNEL_NOT_SUPPORTED: the device can run none of its images; ERRC_BUILD: an imported symbol
 * is exported by no image (rule DL-RESOLVE-09), or the device's compiler failed; LINK_ERROR: the
 * device's linker refused; ERRC_ND_RANGE: the device cannot run the range; ERRC_KERNEL_ARGUMENT:
 * the kernel has more or fewer parameters; ERRC_INVALID: an argument, a constant or an event is not
 * as described. */
assay_status assay_submit(assay_queue *queue, const assay_launch *launch, assay_event *out_event);

/* Copies `size` bytes between memories, or fills them with a pattern of 1 to 128 bytes, of which
 * offset and size are multiples.  ERRC_INVALID: a range is not inside its memory, or ranges of one
 * memory overlap. */
assay_status assay_copy(assay_queue *queue, assay_memory *to, uint64_t to_offset,
                        assay_memory *from, uint64_t from_offset, uint64_t size,
                        const assay_event *after, uint32_t after_count, assay_event *out_event);
assay_status assay_fill(assay_queue *queue, assay_memory *to, uint64_t offset, uint64_t size,
                        const void *pattern, size_t pattern_size, const assay_event *after,
                        uint32_t after_count, assay_event *out_event);

/* A barrier: later commands of the queue wait for it.  It waits for the commands in `after`, or for
 * all earlier commands of the queue if after_count is 0. */
assay_status assay_barrier(assay_queue *queue, const assay_event *after, uint32_t after_count,
                           assay_event *out_event);

/* Copy between a memory and the device_global with the given unique id (property set "SYCL/device
 * globals"), which a registered image must have.  A device_global creates no dependency between
 * commands.  ERRC_INVALID: there is no such variable, the
 * range is not inside it or the memory, or several programs have it (DeviceGlobal.md). */
assay_status assay_global_write(assay_queue *queue, const char *unique_id, uint64_t offset,
                                assay_memory *from, uint64_t from_offset, uint64_t size,
                                const assay_event *after, uint32_t after_count,
                                assay_event *out_event);
assay_status assay_global_read(assay_queue *queue, const char *unique_id, uint64_t offset,
                               assay_memory *to, uint64_t to_offset, uint64_t size,
                               const assay_event *after, uint32_t after_count,
                               assay_event *out_event);

/* ---- Kernel fusion ------------------------------------------------------------------------- */

/* Enters fusion mode: kernels submitted to the queue, which has ASSAY_QUEUE_FUSION, are held back.
 * ERRC_INVALID: the queue cannot enter fusion mode, or is in it. */
assay_status assay_fusion_start(assay_queue *queue);

/* Leaves fusion mode: the kernels run as one, or one by one if they cannot be fused.  no_barriers:
 * the fused kernel needs no work-group barriers between them.  *out_event is complete when all are.
 * ERRC_INVALID: the queue was never in fusion mode, or promotions contradict each other. */
assay_status assay_fusion_complete(assay_queue *queue, bool no_barriers, assay_event *out_event);

/* Leaves fusion mode: the kernels run one by one. */
assay_status assay_fusion_cancel(assay_queue *queue);

/* True if the queue is in fusion mode. */
bool assay_fusion_is_active(assay_queue *queue);

/* ---- Kernel bundles ------------------------------------------------------------------------ */

typedef enum assay_bundle_state {
    ASSAY_BUNDLE_INPUT,
    ASSAY_BUNDLE_OBJECT,
    ASSAY_BUNDLE_EXECUTABLE,
} assay_bundle_state;

/* The bundle of the images that have the kernels, and of the images that those need; count 0: of
 * all kernels.  In state input nothing is compiled, so this also answers what would be linked with
 * what. `constants` in state input only.  ERRC_RUNTIME: no registered image has a kernel;
 * ERRC_INVALID: the device can run none of its images, or none in that state; ERRC_BUILD in state
 * executable: as for assay_submit. */
assay_status assay_bundle_get(assay_device *device, assay_context *context,
                              assay_bundle_state state, const char *const *kernels, uint32_t count,
                              const assay_constant *constants, uint32_t constant_count,
                              assay_bundle **out_bundle);

/* Compile a bundle in state input to objects; link count >= 1 object bundles to an executable one;
 * compile and link; join bundles of one state.  The options are for the device's compiler or
 * linker; NULL: none.  ERRC_INVALID: a bundle is in another state, or the bundles are of different
 * contexts; ERRC_BUILD, LINK_ERROR: the device's compiler or linker refused. */
assay_status assay_bundle_compile(assay_bundle *bundle, const char *options,
                                  assay_bundle **out_bundle);
assay_status assay_bundle_link(assay_bundle *const *bundles, uint32_t count, const char *options,
                               assay_bundle **out_bundle);
assay_status assay_bundle_build(assay_bundle *bundle, assay_bundle **out_bundle);
assay_status assay_bundle_join(assay_bundle *const *bundles, uint32_t count,
                               assay_bundle **out_bundle);

/* A bundle's images, its kernels, and the symbols that its images import and none of them exports,
 * by index from 0; NULL past the last.  The texts live as long as the runtime. */
const char *assay_bundle_image(const assay_bundle *bundle, uint32_t index);
const char *assay_bundle_kernel(const assay_bundle *bundle, uint32_t index);
const char *assay_bundle_unresolved(const assay_bundle *bundle, uint32_t index);

#ifdef __cplusplus
}
#endif

#endif
