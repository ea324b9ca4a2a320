/* The protocol between a subject and the host program of a scenario, for C and C++.
 *
 * A channel is a pair of connected stream sockets; the program serves each in its own thread. The
 * environment variable ASSAY_HOST_CHANNELS lists the program's descriptors, for example "5,6". A
 * frame is a u64 length and that many bytes; numbers are little-endian; a text or byte string is a
 * u64 length and the bytes (reference/base/stream.h). A request begins with a u8 host_request. An
 * answer begins with a u8: 1, followed by what the table says, or 0, followed by two texts: the
 * name of the error code ("errc::build"; "exception" if something other than a sycl::exception was
 * thrown) and the message.
 *
 * A module is identified by the path of its file in the program's folder (cnf_host_path):
 * "libf.so".
 *
 * Each side validates what it receives. The program ends when channel 0 is closed. */
#ifndef CONFORMANCE_HOST_PROTOCOL_H
#define CONFORMANCE_HOST_PROTOCOL_H

enum { HOST_PROTOCOL_VERSION = 7 };

typedef enum host_request {
    /* Answered by every host program. */
    HOST_HELLO =
        1,     /* -> u32 version, text runtime ("libsycl 9.0.0 of 20260831"; "" for none), events */
    HOST_OPEN, /* text path ("" for the executable): dlopen(path, RTLD_NOW | RTLD_LOCAL)
                   -> events */
    HOST_CLOSE,    /* text path: calls dlclose once -> events; refused errc::invalid: not open */
    HOST_BINDS,    /* text path of a module, text symbol: what a reference to the symbol in
                      that module binds to now -> text path of the defining module, "" for none;
                      refused errc::invalid: that module is not loaded */
    HOST_SEGMENTS, /* u64 address of a descriptor -> u32 count, count * (u64 address, bytes): the
                      readable segments of the module that holds it */

    /* Answered by libassay_dpcpp.so; new objects are numbered from 0 for each kind. */
    HOST_DEVICES, /* u32 number of devices wanted, the first request about devices; if it is more
                     than one, the devices are sub-devices of the first, as many of them as that can
                     be divided into -> u32 count, count * (text name, text driver, u32 aspects that
                     it has, as bits 1u << dev_aspect) */
    HOST_KERNELS, /* -> u32 count, count * text: the kernel names that the runtime knows now */
    HOST_CONTEXT, /* u32 count, count * u32 device -> u32 context */
    HOST_QUEUE,   /* u32 device, u32 context or HOST_NONE, u8 in order, u8 profiling -> u32 queue */
    HOST_MEMORY,  /* u32 kind (scn_memory_kind), u32 device, u64 size, u8 has contents, bytes
                     contents (empty if it has none) -> u32 memory */
    HOST_READ,    /* u32 memory: reads it on the host, synchronised -> bytes */
    HOST_SUBMIT,  /* u32 queue, u8 host_through, text path of the module whose host code submits
                     it ("": whichever has the kernel), text kernel, nd-range, arguments,
                     constants, after -> u32 command; HOST_THROUGH_BUNDLE needs HOST_BUNDLE_SUBMIT
                   */
    HOST_TRANSFER, /* u32 queue, u32 to, u64 offset in it, u32 from or HOST_NONE, u64 offset in it,
                      u64 size, bytes pattern (empty for a copy), after -> u32 command */
    HOST_WAIT,     /* u8 host_awaited, u32 number (0 for everything) */
    HOST_BUNDLE,   /* u8 host_bundle and its fields */
    HOST_GLOBAL,   /* text unique id -> u32 global: the variable that a module's constructor last
                      named with this id; refused unsupported: none did */
    HOST_GLOBAL_COPY,  /* u32 queue, u8 host_direction, u8 by handler (1: through a command group's
                          handler, 0: through the queue), u32 global, u64 offset in it, u32 memory,
                          u64 offset in it, u64 size, after -> u32 command */
    HOST_GLOBAL_READ,  /* u32 queue, u32 global: copies the whole value to the host on this queue
                          and waits -> bytes */
    HOST_TIMES,        /* u32 command: waits for it -> u64 submit, u64 start, u64 end, in
                          nanoseconds */
    HOST_BARRIER,      /* u32 queue, u8 waits for all (1: for all earlier commands of the queue, and
                          `after` is not used), after -> u32 command */
    HOST_TASK,         /* u32 queue, u32 from, u32 to or HOST_NONE, u32 command that the task waits
                          for or HOST_NONE, u32 gate that it waits for or HOST_NONE, after: a host
                          task that copies the first memory, on the host, into the second of the
                          same size -> u32 command */
    HOST_PART,         /* u32 memory, a buffer; u64 offset, u64 size -> u32 memory, part of it */
    HOST_END_PART,     /* u32 memory, a part -> nothing */
    HOST_GATE,         /* nothing: what host tasks wait for until the host opens it -> u32 gate */
    HOST_RELEASE,      /* u32 gate -> nothing */
    HOST_MAP,          /* u32 memory, a buffer; u8 host_map_access, u64 offset, u64 size,
                          after: waits for those commands, and creates a host accessor of these bytes
                          -> u32 mapping */
    HOST_MAPPED_READ,  /* u32 mapping -> bytes: all of them, through the accessor */
    HOST_MAPPED_WRITE, /* u32 mapping, u64 offset in it, bytes: writes them -> nothing */
    HOST_UNMAP,        /* u32 mapping, after: waits, and destroys the accessor -> nothing */
    HOST_REQUEST_END
} host_request;

/* nd-range: u32 dimensions, then three u64 each of global size, local size (all 0: the
 * runtime chooses it) and offset, in the order of get_global_id(0..2).
 * arguments: u32 count, then each u8 host_argument and
 *     MEMORY u32 memory, u8 access (scn_access); POINTER u32 memory, u64 offset; NULL nothing;
 *     BYTES bytes, u32 count, count * (u64 at, u32 memory, u64 offset): pointers inside;
 *     LOCAL u64 size
 * constants: u32 count, count * (text name, bytes value).
 * after: u32 count, count * u32 command.
 * events: u32 count, count * (u8 host_event, text path of the module, u64 address of the
 * descriptor, 0 for LOADED and UNLOADED): what constructors and destructors did since the last
 * answer that had events, in order. */
typedef enum host_argument {
    HOST_ARGUMENT_MEMORY,
    HOST_ARGUMENT_POINTER,
    HOST_ARGUMENT_NULL,
    HOST_ARGUMENT_BYTES,
    HOST_ARGUMENT_LOCAL,
} host_argument;

/* The ways to submit a kernel, numbered as scn_through. */
typedef enum host_through {
    HOST_THROUGH_NAME,
    HOST_THROUGH_LAMBDA,
    HOST_THROUGH_BUNDLE,
    HOST_THROUGH_END
} host_through;

/* Kernel bundles. The states are SYCL's: 0 input, 1 object, 2 executable. */
typedef enum host_bundle {
    HOST_BUNDLE_GET = 1, /* u8 state, u32 context or HOST_NONE, u32 count, count * u32 device (at
                            least one), u32 count, count * text kernel (none: all) -> u32 bundle */
    HOST_BUNDLE_COMPILE, /* u32 bundle (input) -> u32 bundle (object) */
    HOST_BUNDLE_LINK,    /* u32 count, count * u32 bundle (object) -> u32 bundle (executable) */
    HOST_BUNDLE_BUILD,   /* u32 bundle (input) -> u32 bundle (executable) */
    HOST_BUNDLE_JOIN,    /* u32 count, count * u32 bundle (of one state) -> u32 bundle */
    HOST_BUNDLE_SHOW, /* u32 bundle -> u8 state, u32 device images, u32 count, count * text kernel
                       */
    HOST_BUNDLE_HAS_KERNEL,   /* u32 bundle, text kernel, u32 device or HOST_NONE -> u8 */
    HOST_BUNDLE_HAS_CONSTANT, /* u32 bundle, text constant -> u8 */
    HOST_BUNDLE_CONSTANT,     /* u32 bundle, text constant -> bytes value */
    HOST_BUNDLE_SET_CONSTANT, /* u32 bundle (input), text constant, bytes value */
    HOST_BUNDLE_SUBMIT, /* u32 bundle (executable), then HOST_SUBMIT's fields, without constants
                           -> u32 command */
    HOST_BUNDLE_END
} host_bundle;

/* How a host accessor accesses its bytes; the numbers of scn_map_access. */
typedef enum host_map_access {
    HOST_MAP_READ,
    HOST_MAP_WRITE,
    HOST_MAP_READ_WRITE,
    HOST_MAP_WRITE_INVALIDATE,
    HOST_MAP_ACCESSES
} host_map_access;

typedef enum host_direction { HOST_TO_GLOBAL, HOST_FROM_GLOBAL } host_direction;

/* The numbers of scn_memory_kind and scn_access, whose headers C++ cannot include. */
typedef enum host_memory_kind {
    HOST_MEMORY_BUFFER,
    HOST_MEMORY_USM_DEVICE,
    HOST_MEMORY_USM_HOST,
    HOST_MEMORY_USM_SHARED,
    HOST_MEMORY_KIND_END
} host_memory_kind;
typedef enum host_access {
    HOST_ACCESS_READ_WRITE,
    HOST_ACCESS_READ,
    HOST_ACCESS_WRITE,
    HOST_ACCESS_END
} host_access;

typedef enum host_awaited { HOST_AWAIT_ALL, HOST_AWAIT_QUEUE, HOST_AWAIT_COMMAND } host_awaited;

typedef enum host_event {
    HOST_EVENT_LOADED,       /* the module's constructor runs */
    HOST_EVENT_REGISTERED,   /* it called __sycl_register_lib */
    HOST_EVENT_UNREGISTERED, /* its destructor called __sycl_unregister_lib */
    HOST_EVENT_UNLOADED,     /* its destructor runs */
} host_event;

#define HOST_NONE 0xffffffffu

/* The parts of a generated module, and the functions that it calls in the library that all modules
 * are linked with. The module's constructor begins with
 *
 *     void assay_module_constructed(const char *file_name, host_binds *binds)
 *
 * and its destructor ends with
 *
 *     void assay_module_destroyed(const char *file_name)
 *
 * In between, they call __sycl_register_lib and __sycl_unregister_lib respectively, if the module
 * registers images. For each device_global of a source that is not SYCL, the constructor then calls
 *
 *     void assay_module_global(void *variable, const char *unique_id, unsigned long size,
 *                              int image_scope)
 *
 * as the integration footer's code does in a DPC++ module (document 002). The variable belongs to
 * the module, and the library registers it. A SYCL source's own footer registers its variables;
 * after it, the module's code calls for each
 *
 *     void assay_module_variable(const void *variable, const char *unique_id, unsigned long size,
 *                                int image_scope)
 *
 * which registers nothing: it is how requests name the variable. `binds` returns the address that a
 * symbol binds to from within the module, NULL for none (dlsym(RTLD_DEFAULT), which searches the
 * caller's scope); each host symbol is a variable that the module exports. main() is int
 * assay_host_main(void). */
typedef const void *host_binds(const char *symbol);

/* The submits in a module's host code, for a module whose kernels the scenario submits through
 * lambdas, or which a submit names: the constructor calls
 *
 *     void assay_module_kernels(const char *file_name, host_kernel *kernels, unsigned count)
 *
 * and the destructor calls it with NULL and 0. A host_kernel and everything that it refers to are
 * in the module's memory, like the data that the DPC++ compiler and the templates in libsycl's
 * headers create for a kernel: its name, the description of the lambda's captures, and the static
 * variable that holds what libsycl returned for the kernel. So libsycl is given addresses that
 * become invalid when the module is unloaded. */
typedef struct host_parameter {
    int kind, size, offset; /* the members of sycl::detail::kernel_param_desc_t */
} host_parameter;
enum { HOST_PARAMETER_VALUE = 1, HOST_PARAMETER_POINTER = 3, HOST_PARAMETER_LOCAL = 6 };
enum { HOST_POINTER_SIZE = 8, HOST_LOCAL_SIZE = 16 }; /* of a captured work_group_memory */
typedef struct host_kernel {
    const char *name;
    unsigned parameter_count; /* of its lambda; 0 if it is only submitted by name */
    host_parameter (*parameter)(int index);
    unsigned long size;                    /* of the lambda, in bytes */
    void *found_by_name, *found_by_lambda; /* NULL until the first such submit */
} host_kernel;

#endif
