/* A scenario, read and checked: the reader builds it, packs carry it, subjects execute it.
 *
 * Names are resolved: steps hold indices into the tables. Everything is allocated in the arena that
 * the scenario was read or unpacked into, and is read-only afterwards. */
#ifndef CONFORMANCE_SCENARIO_MODEL_H
#define CONFORMANCE_SCENARIO_MODEL_H

#include "reference/base/arena.h"
#include "reference/base/hash.h"
#include "reference/base/limits.h"
#include "reference/base/profile.h"
#include "reference/base/rule.h"
#include "reference/compiler_api.h"
#include "reference/image/device_global.h"
#include "reference/image/image.h"

/* A position in the scenario file. Lines and columns count from 1; columns are in code points. Both
 * are 0 in a scenario that is in no file. */
typedef struct scn_position {
    uint32_t line, column;
} scn_position;

#define SCN_NONE UINT32_MAX /* no index */

/* ---- Types -------------------------------------------------------------------------------- */

/* type, name, size in bytes, class ('i' signed, 'u' unsigned, 'f' floating-point)
 */
#define SCN_TYPES(TYPE)                                                                            \
    TYPE(CHAR, "char", 1, 'i')                                                                     \
    TYPE(UCHAR, "uchar", 1, 'u')                                                                   \
    TYPE(SHORT, "short", 2, 'i')                                                                   \
    TYPE(USHORT, "ushort", 2, 'u')                                                                 \
    TYPE(INT, "int", 4, 'i')                                                                       \
    TYPE(UINT, "uint", 4, 'u')                                                                     \
    TYPE(LONG, "long", 8, 'i')                                                                     \
    TYPE(ULONG, "ulong", 8, 'u')                                                                   \
    TYPE(HALF, "half", 2, 'f')                                                                     \
    TYPE(FLOAT, "float", 4, 'f')                                                                   \
    TYPE(DOUBLE, "double", 8, 'f')

typedef enum scn_type {
#define SCN_TYPE_ENUM(type, name, size, class) SCN_TYPE_##type,
    SCN_TYPES(SCN_TYPE_ENUM)
#undef SCN_TYPE_ENUM
        SCN_TYPE_COUNT
} scn_type;

/* The columns of SCN_TYPES. */
const char *scn_type_name(scn_type type);
uint32_t scn_type_size(scn_type type); /* bytes */
char scn_type_class(scn_type type);    /* 'i', 'u' or 'f' */

/* A field of an element: `lanes` scalars of one type in a row (a vector; a scalar has one lane).
 * Sizes and offsets are those of OpenCL C (6.1.5 "Alignment of types"): a vector of three takes as
 * much space as one of four. */
typedef struct scn_field {
    rt_text name; /* of a struct's field; empty for the only field of a scalar or vector */
    scn_type type;
    uint32_t lanes;  /* 1, 2, 3, 4, 8 or 16 */
    uint32_t offset; /* bytes from the element's start */
} scn_field;

enum { SCN_LANES_MAX = 16 };

/* The layout of a memory's elements, or of an argument's value. Bytes that no field covers are
 * padding: they are zero where a scenario gives values, and are never compared. */
typedef struct scn_layout {
    uint32_t size;      /* bytes of an element, including trailing padding; > 0 */
    uint32_t alignment; /* bytes */
    bool is_struct;
    const scn_field *fields; /* exactly one unless is_struct */
    uint32_t field_count;
} scn_layout;

/* The size of a field in bytes; three lanes count as four. */
uint32_t scn_field_size(const scn_field *field);

/* ---- Modules ------------------------------------------------------------------------------ */

typedef enum scn_language {
    SCN_LANGUAGE_OPENCL_C,
    SCN_LANGUAGE_OPENCL_CPP, /* C++ for OpenCL 2021 */
    SCN_LANGUAGE_LLVM_IR,    /* text or bitcode that LLVM can read; enters post-link like the
                              * output of a front end */
    SCN_LANGUAGE_SPIRV_ASM,  /* in the syntax of spirv-as; becomes an image of its own, bypassing
                              * post-link */
    SCN_LANGUAGE_SPIRV,      /* a binary module; only from a file */
    SCN_LANGUAGE_SYCL,       /* SYCL 2020 and extensions, for the shipped compiler, which delivers
                              * finished images */
    SCN_LANGUAGE_COUNT
} scn_language;

/* The name of a language in scenarios, static. */
const char *scn_language_name(scn_language language);

typedef struct scn_source {
    scn_language language;
    rt_text name;         /* "app/0": the file name in compiler messages and line information
                           */
    rt_text code;         /* UTF-8; for SPIRV and LLVM bitcode, the binary contents */
    rt_text file;         /* relative to the scenario's folder, as written; empty: the code is
                           * embedded */
    scn_position code_at; /* line and column of the first character of embedded code */
    scn_position at;
} scn_source;

/* A device image written by hand. What it does not specify is taken from what post-link finds in
 * the code. */
typedef struct scn_hand_image {
    scn_position at;
    scn_source source; /* compiled into its code, without splitting */
    rt_format format;
    bool kernels_given; /* true: `kernels` are its entry points, whatever the code contains */
    const rt_text *kernels;
    uint32_t kernel_count;
    bool sets_given; /* true: `sets` are its property sets, whatever post-link would produce */
    const rt_property_set *sets;
    uint32_t set_count;
    rt_text compile_options, link_options; /* for the device's compiler and linker */
} scn_hand_image;

typedef struct scn_error scn_error;

/* The error with which compiling a module must be refused. */
typedef struct scn_module_refusal {
    const scn_error *error; /* NULL: it must succeed */
    bool by_front_end;      /* refused by the compiler of a source, not by post-link */
} scn_module_refusal;

/* Whether a module's PTX images also hold their bitcode (DPC++'s option -fsycl-embed-ir). */
typedef enum scn_embed_ir {
    SCN_EMBED_IR_AUTO, /* yes if the scenario fuses kernels, otherwise no */
    SCN_EMBED_IR_NO,
    SCN_EMBED_IR_YES
} scn_embed_ir;

/* What a host compiler reads besides a SYCL source: the integration header before it, and the
 * integration footer after it, which registers its device_globals (DeviceGlobal.md, "Integration
 * footer"). */
typedef struct scn_host_half {
    uint32_t source; /* index in scn_module.sources */
    rt_text header, footer;
    rt_device_global_list globals; /* that the source's images have */
} scn_host_half;

typedef struct scn_module {
    rt_text name;
    scn_position at;
    const uint32_t *needs; /* modules that the OS loader loads along with it, in order */
    uint32_t need_count;
    const rt_text *host_symbols; /* defined by its host code */
    uint32_t host_symbol_count;
    const scn_source *sources;
    uint32_t source_count;
    rt_split split;
    rt_text build_options; /* for the front end, as written; empty: none */
    uint32_t formats;      /* bits 1u << rt_format: each image of the sources is made in all of
                            * these formats; 0: in the format that the subject's device takes */
    scn_embed_ir embed_ir;
    uint32_t target_lacks;  /* bits 1u << dev_aspect: aspects that the target of ahead-of-time
                             * compilation does not support (`device_config`) */
    rt_text compile_target; /* the architecture that its images compiled ahead of time are for;
                             * empty: they do not say */
    uint64_t truncate;      /* bytes of each image's code that are registered; 0: all */
    rt_text compile_options, link_options; /* for the device's compiler and linker, in the images of
                                            * its sources */
    const scn_hand_image *hand_images;     /* numbered after those of the sources */
    uint32_t hand_image_count;
    rt_text file_name; /* the name of the file that the OS loads; empty: the module's name. Files
                        * with the same name are placed in different folders */
    bool registers;    /* false: loading it does not register its images, but load_image can */
    bool names_end_in_nul; /* in the memory of a real program, a NUL follows a property's bytes */
    rt_image_list images;  /* empty until compiled; present in packs */
    rt_device_global_list device_globals; /* registered by its host code: first those that the
                                           * scenario declares; once the module is compiled, also
                                           * those of its sources */
    const scn_host_half *host_halves; /* of its SYCL sources, once they are compiled, in order */
    uint32_t host_half_count;
    scn_module_refusal refusal;
} scn_module;

/* ---- Devices ------------------------------------------------------------------------------ */

/* A device of the scenario: one of the subject's devices, with some of its aspects hidden. A
 * scenario that names no devices has a single one, called "device". */
typedef struct scn_device {
    rt_text name;
    scn_position at;
    uint32_t hidden_aspects;   /* bits 1u << dev_aspect: `aspects: {fp64: false}` */
    uint32_t required_aspects; /* `aspects: {fp64: true}`: a subject that lacks one is skipped */
    bool links_given;          /* `links: [...]`: the device advertises linking of only these
                                * formats */
    uint32_t links;            /* bits 1u << rt_format; a subject that cannot link one is skipped */
    rt_text architecture;      /* of the simulated device; another subject whose device has another
                                * one is skipped; empty: the device's own */
} scn_device;

/* ---- Memory ------------------------------------------------------------------------------- */

typedef enum scn_memory_kind {
    SCN_MEMORY_BUFFER,
    SCN_MEMORY_USM_DEVICE,
    SCN_MEMORY_USM_HOST,
    SCN_MEMORY_USM_SHARED,
    SCN_MEMORY_KIND_COUNT
} scn_memory_kind;

/* How far numbers may be from the expected ones, and from those of sim. */
typedef enum scn_tolerance_kind {
    SCN_TOLERANCE_NONE, /* bit for bit */
    SCN_TOLERANCE_ULP,
    SCN_TOLERANCE_ABSOLUTE,
    SCN_TOLERANCE_RELATIVE, /* relative to the expected value's magnitude */
} scn_tolerance_kind;

/* Where a fused kernel is asked to keep a buffer; in the order of rt_promotion. */
typedef enum scn_promotion {
    SCN_PROMOTION_NONE,
    SCN_PROMOTION_PRIVATE,
    SCN_PROMOTION_LOCAL,
    SCN_PROMOTION_COUNT
} scn_promotion;

typedef struct scn_memory {
    rt_text name;
    scn_position at;
    scn_memory_kind kind;
    uint32_t device; /* USM: index of the scn_device that it is allocated on */
    scn_layout layout;
    uint64_t count;   /* elements */
    rt_bytes initial; /* count * layout.size bytes, little-endian; data NULL: contents undefined */
    scn_tolerance_kind tolerance_kind; /* applies to every floating-point lane or, if there are
                                        * none, to every integer (ABSOLUTE only) */
    double tolerance;                  /* >= 0 */
    bool unordered; /* the elements' order does not matter: they are compared as a multiset */
    bool addresses; /* it holds device addresses, which are never compared */
    bool same_value_writes; /* work-items may store equal values to one place without an order */
    const uint64_t *uncompared; /* indices of elements that are never compared; not of an unordered
                                 * memory */
    uint32_t uncompared_count;
    scn_promotion promotion; /* of a buffer, for every argument that it is passed as */
} scn_memory;

/* ---- Steps -------------------------------------------------------------------------------- */

typedef enum scn_argument_kind {
    SCN_ARGUMENT_MEMORY,  /* a buffer */
    SCN_ARGUMENT_POINTER, /* into USM */
    SCN_ARGUMENT_NULL,    /* the null pointer */
    SCN_ARGUMENT_VALUE,   /* a scalar, vector or struct */
    SCN_ARGUMENT_LOCAL,
    SCN_ARGUMENT_KIND_COUNT
} scn_argument_kind;
typedef enum scn_access { SCN_ACCESS_READ_WRITE, SCN_ACCESS_READ, SCN_ACCESS_WRITE } scn_access;

/* A pointer into USM inside a struct. */
typedef struct scn_inner_pointer {
    uint64_t at;     /* bytes from the value's start; the value is zero in the 8 bytes there */
    uint32_t memory; /* of a USM kind */
    uint64_t offset; /* bytes from the memory's start */
} scn_inner_pointer;

typedef struct scn_argument {
    scn_argument_kind kind;
    scn_position at;
    uint32_t memory;                   /* MEMORY, POINTER: index of scn_memory */
    scn_access access;                 /* MEMORY */
    scn_promotion promotion;           /* MEMORY */
    uint64_t offset;                   /* POINTER: bytes, at most the memory's size */
    scn_layout layout;                 /* VALUE; a value given as `bytes` has one uchar field per
                                        * byte */
    rt_bytes value;                    /* VALUE: layout.size little-endian bytes */
    const scn_inner_pointer *pointers; /* VALUE */
    uint32_t pointer_count;
    uint64_t size; /* LOCAL: bytes */
} scn_argument;

/* A device_global that a step refers to. A module's variables are known only once its images have
 * been built; scn_variables_resolve (variables.h) then finds the variable. */
typedef struct scn_variable {
    rt_text name; /* as in the source, "inner::Bar", or the unique id; empty: the step refers to no
                   * variable */
    scn_position at;
    uint32_t module; /* the module that has it; SCN_NONE: neither given nor found yet */
    uint32_t global; /* its index in scn_module.device_globals; SCN_NONE: not found yet */
} scn_variable;

/* The error with which a step must be refused. Absent parts (empty, 0) are not compared. */
struct scn_error {
    scn_position at;
    bool none;         /* in a one_of: the outcome in which the step succeeds */
    rt_text documents; /* the error code that the rule requires: "exception", "errc::invalid", … */
    rt_text reference_class; /* the reference runtime's own error code: "errc::build", "link-error",
                              * … */
    rt_text reference_text;  /* a part of the reference runtime's message */
    const rt_text *names;    /* all the symbols that its diagnostic names, in any order */
    uint32_t name_count;
};

/* A field of an expected trace event: its name, and its value as text ("3", "app/0") or as a list
 * of texts. */
typedef struct scn_trace_field {
    rt_text key;
    bool is_list;
    const rt_text *values; /* exactly one unless is_list */
    uint32_t value_count;
} scn_trace_field;

/* A condition on an event's images; absent parts match every image. */
typedef struct scn_image_condition {
    bool negated;    /* none of the event's images may match */
    rt_text set;     /* a virtual-function set that it provides */
    bool has_dummy;  /* whether `dummy` is compared */
    bool dummy;      /* property "dummy-image" */
    uint32_t module; /* the module that it belongs to; SCN_NONE: any */
    rt_text kernel;  /* a kernel that it has; empty: any */
    rt_text exported;
} scn_image_condition;

typedef struct scn_trace_event {
    scn_position at;
    rt_text kind; /* "link", "launch", …: a name from reference/trace */
    const scn_trace_field *fields;
    uint32_t field_count;
    rt_text program_of; /* a kernel: the event's program must be the one from which it was last
                         * launched; empty: any */
    const scn_image_condition *conditions; /* on the images that the event names */
    uint32_t condition_count;
} scn_trace_event;

typedef enum scn_expect_kind {
    SCN_EXPECT_MEMORY,      /* a memory, after a synchronising read */
    SCN_EXPECT_COUNT,       /* the number of events of one kind since the last expectation of it
                             */
    SCN_EXPECT_PROGRAM_OF,  /* the images that a kernel's program was linked from, in any order */
    SCN_EXPECT_TRACE,       /* events that have occurred so far, in this order, possibly with others
                             * in between */
    SCN_EXPECT_NEVER,       /* events none of which has occurred so far */
    SCN_EXPECT_FINDING,     /* a finding that the device has reported since the last expected
                             * finding */
    SCN_EXPECT_HOST_SYMBOL, /* the module that a host symbol binds to */
    SCN_EXPECT_ONE_OF,      /* several conforming outcomes, one of which must hold */
    SCN_EXPECT_OUTPUT,      /* what kernels have printed since the last expectation of output */
    SCN_EXPECT_WARNINGS, /* the number of lines that the process has printed to its standard error
                          * since the last expectation of warnings */
    SCN_EXPECT_BUNDLE,   /* the contents of a kernel bundle */
    SCN_EXPECT_VARIABLE, /* a device_global, after a synchronising read */
    SCN_EXPECT_FUSION_MODE, /* whether a queue is in fusion mode */
    SCN_EXPECT_EVENT,       /* the status of a step's event, queried without waiting */
    SCN_EXPECT_MAPPED,      /* what the host reads of a mapping */
    SCN_EXPECT_KIND_COUNT
} scn_expect_kind;

/* SYCL 2020, 4.6.6.1 "Event information and profiling descriptors": info::event_command_status. */
typedef enum scn_event_status {
    SCN_EVENT_SUBMITTED,
    SCN_EVENT_RUNNING,
    SCN_EVENT_COMPLETE,
    SCN_EVENT_STATUS_COUNT
} scn_event_status;

/* The name of a status in scenarios, static. */
const char *scn_event_status_name(scn_event_status status);

typedef struct scn_expect scn_expect;

enum { SCN_OUTCOME_COUNT_MAX = 16 };

/* One branch of a one_of: everything in it must hold. Branches with the same name in several
 * one_ofs are one choice: after the first of these one_ofs, only branches with the name that held
 * there can hold. */
typedef struct scn_outcome {
    scn_position at;
    rt_text name; /* empty: none */
    const scn_expect
        *expects; /* none of them a one_of or a finding; one or more in an expect step */
    uint32_t expect_count;
    const scn_error *error; /* in a step with a verb: the error with which the step must be refused
                             * (or none), checked before the expectations; NULL in an expect step */
} scn_outcome;

/* One expectation: its kind says which member of the union is valid. */
struct scn_expect {
    scn_expect_kind kind;
    scn_position at;
    union {
        struct {
            uint32_t index;  /* of the memory */
            rt_bytes values; /* as scn_memory.initial */
        } memory;            /* MEMORY */
        struct {
            scn_variable variable; /* the whole variable, in its instance on `device` */
            scn_layout layout;
            uint32_t device; /* index of scn_device */
            rt_bytes values; /* elements with that layout */
        } variable;          /* VARIABLE */
        struct {
            rt_text event; /* the trace event that is counted: "launch", "build", "link",
                            * "cache_hit" */
            uint64_t count;
        } count; /* COUNT */
        struct {
            rt_text kernel;
            const rt_text *images;
            uint32_t image_count;
        } program; /* PROGRAM_OF */
        struct {
            const scn_trace_event *events;
            uint32_t event_count;
        } trace; /* TRACE, NEVER */
        struct {
            rt_text kind;    /* "out-of-bounds" */
            rt_text kernel;  /* empty: any */
            rt_text memory;  /* empty: any */
            uint64_t offset; /* bytes, where has_offset */
            bool has_offset;
            const rt_text *alternatives; /* other classes that meet the expectation */
            uint32_t alternative_count;
            bool others; /* if it is met, no other finding is unexpected */
        } finding;       /* FINDING */
        struct {
            rt_text symbol;
            uint32_t by;   /* the module that refers to the symbol */
            uint32_t from; /* the module that it binds to; SCN_NONE: to nothing */
        } host_symbol;     /* HOST_SYMBOL */
        struct {
            const scn_outcome *outcomes; /* two or more */
            uint32_t outcome_count;
        } one_of;          /* ONE_OF */
        rt_text output;    /* OUTPUT */
        uint32_t warnings; /* WARNINGS */
        struct {
            uint32_t step;              /* the step that creates it */
            const rt_text *has, *lacks; /* kernels that it must have, and must not have */
            uint32_t has_count, lacks_count;
            uint64_t unit_count; /* number of device images, if has_unit_count */
            bool has_unit_count;
            uint32_t image_count;  /* 0: not compared */
            const rt_text *images; /* the images from which its device images were made, in any
                                    * order */
        } bundle;                  /* BUNDLE */
        struct {
            uint32_t queue; /* the step that creates it */
            bool is_active;
        } fusion_mode; /* FUSION_MODE */
        struct {
            uint32_t step; /* the step whose event is queried */
            scn_event_status status;
        } event; /* EVENT */
        struct {
            uint32_t map;    /* the step that maps */
            rt_bytes values; /* of the whole mapping */
        } mapped;            /* MAPPED */
    };
};

/* verb, its key in scenarios */
#define SCN_VERBS(VERB)                                                                            \
    VERB(LOAD, "load")             /* dlopen */                                                    \
    VERB(UNLOAD, "unload")         /* dlclose */                                                   \
    VERB(LOAD_IMAGE, "load_image") /* the documents' device_dlopen */                              \
    VERB(DEVICE, "device")         /* chooses the device for later steps that name none */         \
    VERB(CONTEXT, "context")       /* creates a context */                                         \
    VERB(QUEUE, "queue")           /* creates a queue */                                           \
    VERB(BUNDLE, "bundle")         /* makes a kernel bundle */                                     \
    VERB(SUBMIT, "submit")         /* submits a kernel */                                          \
    VERB(COPY, "copy")             /* copies between memories, or to or from a device_global */    \
    VERB(FILL, "fill")             /* fills a memory with one element */                           \
    VERB(BARRIER, "barrier")       /* submits a barrier */                                         \
    VERB(MARKER, "marker")         /* submits a marker */                                          \
    VERB(USER_EVENT, "user_event") /* creates an event that the host completes */                  \
    VERB(MAP, "map")               /* maps a range of a buffer for the host */                     \
    VERB(MAP_WRITE, "map_write")   /* the host writes to what a map has mapped */                  \
    VERB(UNMAP, "unmap")           /* unmaps it */                                                 \
    VERB(SUB_BUFFER, "sub_buffer") /* makes a memory part of a buffer */                           \
    VERB(COMPLETE_EVENT, "complete_event") /* completes one */                                     \
    VERB(WAIT, "wait")                     /* waits for a queue, for a step or for everything */   \
    VERB(HOST_ACCESS, "host_access")       /* reads a memory on the host, synchronising */         \
    VERB(PARALLEL, "parallel")             /* runs lists of steps, each on its own thread */       \
    VERB(START_FUSION, "start_fusion")                                                             \
    VERB(COMPLETE_FUSION, "complete_fusion")                                                       \
    VERB(CANCEL_FUSION, "cancel_fusion")                                                           \
    VERB(HOST_TASK, "host_task")                                                                   \
    VERB(END_QUEUE, "end_queue")   /* destroys the queue */                                        \
    VERB(END_MEMORY, "end_memory") /* destroys the buffer */                                       \
    VERB(PROFILING, "profiling")   /* queries the times of a step's event, and so waits for it */  \
    VERB(RESTART, "restart")       /* ends and restarts the program: rt_runtime_restart */         \
    VERB(EXPECT, "expect")

typedef enum scn_verb {
#define SCN_VERB_ENUM(verb, name) SCN_VERB_##verb,
    SCN_VERBS(SCN_VERB_ENUM)
#undef SCN_VERB_ENUM
        SCN_VERB_COUNT
} scn_verb;

typedef struct scn_spec_constant {
    rt_text name;
    scn_position at;
    rt_bytes value; /* little-endian, of the type that the scenario gives: {int: 3}, or 3 for int */
} scn_spec_constant;

/* The part common to all commands, first in each of their structs. */
typedef struct scn_command {
    uint32_t device;       /* the device whose default queue is used if `queue` is SCN_NONE; earlier
                            * device steps are taken into account */
    uint32_t queue;        /* the step that creates the queue; SCN_NONE: the default queue */
    const uint32_t *after; /* earlier commands that must have ended (indices into steps) */
    uint32_t after_count;
} scn_command;

/* How a program submits a kernel. All ways give the same results. */
typedef enum scn_through {
    SCN_THROUGH_NAME,   /* a free-function kernel, which the runtime finds by its name */
    SCN_THROUGH_LAMBDA, /* a lambda, whose type names the kernel and describes its parameters */
    SCN_THROUGH_BUNDLE, /* a kernel object from an executable bundle, with set_arg */
    SCN_THROUGH_COUNT
} scn_through;

typedef struct scn_submit {
    scn_command command;
    rt_text kernel;
    uint32_t dimensions;                     /* 1 to 3 */
    uint64_t range[RT_ND_RANGE_DIMENSIONS];  /* index d is the dimension of get_global_id(d) */
    uint64_t offset[RT_ND_RANGE_DIMENSIONS]; /* 0 by default */
    uint64_t local[RT_ND_RANGE_DIMENSIONS];  /* all 0: the device chooses */
    uint32_t offset_count, local_count;      /* equal to dimensions, or 0: absent */
    bool non_uniform; /* the last groups of each dimension may be smaller than `local` */
    const scn_argument *arguments;
    uint32_t argument_count;
    const scn_spec_constant *constants;
    uint32_t constant_count;
    rt_text options; /* for the device's compiler, in addition to those of the images */
    uint32_t module; /* the module that has the kernel; SCN_NONE: the module that registered it
                      * first */
    uint32_t bundle; /* the step that creates the executable bundle to take the kernel from;
                      * SCN_NONE: no bundle, the runtime finds the kernel */
    scn_through through;
} scn_submit;

/* state, name; numbered as in SYCL and rt_bundle_state */
#define SCN_BUNDLE_STATES(STATE)                                                                   \
    STATE(INPUT, "input")                                                                          \
    STATE(OBJECT, "object")                                                                        \
    STATE(EXECUTABLE, "executable")

typedef enum scn_bundle_state {
#define SCN_BUNDLE_STATE_ENUM(state, name) SCN_BUNDLE_##state,
    SCN_BUNDLE_STATES(SCN_BUNDLE_STATE_ENUM)
#undef SCN_BUNDLE_STATE_ENUM
        SCN_BUNDLE_STATE_COUNT
} scn_bundle_state;

typedef enum scn_bundle_action {
    SCN_BUNDLE_GET,
    SCN_BUNDLE_COMPILE,
    SCN_BUNDLE_LINK,
    SCN_BUNDLE_BUILD,
    SCN_BUNDLE_JOIN,
    SCN_BUNDLE_ACTION_COUNT
} scn_bundle_action;

/* How a kernel bundle is created (SYCL 2020, 4.11). */
typedef struct scn_bundle {
    scn_bundle_action action;
    scn_bundle_state state; /* of the new bundle */
    uint32_t device;        /* GET: index of scn_device */
    uint32_t context;       /* GET: the step that creates it; SCN_NONE: a context of all devices
                             */
    const rt_text *kernels; /* GET */
    uint32_t kernel_count;  /* 0: all kernels compatible with the device */
    const scn_spec_constant *constants; /* GET in state INPUT */
    uint32_t constant_count;
    const uint32_t *sources; /* the steps that create its input bundles; one for COMPILE and BUILD,
                              * one or more for LINK and JOIN, none for GET */
    uint32_t source_count;
    rt_text options; /* COMPILE, LINK: for the device's compiler or linker, after the images' own
                      * options */
} scn_bundle;

enum { SCN_PATTERN_SIZE_MAX = 128 }; /* bytes of the element that a fill repeats */

/* A copy or a fill; offsets and sizes in bytes.  One end of a copy may be a device_global. */
typedef struct scn_transfer {
    scn_command command;
    uint32_t from; /* COPY: index of scn_memory; SCN_NONE: the variable */
    uint64_t from_offset;
    uint32_t to; /* SCN_NONE: the variable */
    uint64_t to_offset;
    uint64_t size;    /* not checked against the memories if the step expects an error */
    bool to_end;      /* until the variable is found: all of it from the offset on */
    rt_bytes pattern; /* FILL: one element of the memory */
    scn_variable variable;
    bool by_handler; /* a copy with a variable is submitted by a command group's handler, not
                      * directly by the queue */
} scn_transfer;

typedef struct scn_queue {
    uint32_t device;  /* index of scn_device */
    uint32_t context; /* the step that creates it; SCN_NONE: the context of all devices */
    bool in_order;
    bool enable_fusion;
    bool enable_profiling;
} scn_queue;

/* What is required of the times at which a command was submitted, began and ended, in addition to
 * their order. */
typedef struct scn_profiling {
    uint32_t step;    /* a step that creates a command */
    uint32_t after;   /* a step of one of these kinds, whose command must end before that of `step`
                       * begins; SCN_NONE: no requirement */
    uint32_t same_as; /* a step of one of these kinds, whose command's times must equal those of
                       * `step`; SCN_NONE: no requirement */
} scn_profiling;

/* A host task that copies one memory into another of the same size; neither is device memory. */
typedef struct scn_host_task {
    scn_command command;
    uint32_t from;
    uint32_t to;        /* SCN_NONE: it only reads */
    uint32_t waits_for; /* an earlier command, for which the task itself waits before it reads;
                         * SCN_NONE: none */
} scn_host_task;

/* What the host does with what it maps; in the order of dev_map_access. */
typedef enum scn_map_access {
    SCN_MAP_READ,
    SCN_MAP_WRITE,
    SCN_MAP_READ_WRITE,
    SCN_MAP_WRITE_INVALIDATE,
    SCN_MAP_ACCESS_COUNT
} scn_map_access;

/* Maps whole elements of a buffer; offsets and sizes in bytes. */
typedef struct scn_map {
    scn_command command;
    uint32_t memory;
    scn_map_access access;
    bool blocking; /* the step waits for the command */
    uint64_t offset;
    uint64_t size; /* not checked against the memory if the step expects an error */
} scn_map;

/* The host's write through the pointer that a map returned. */
typedef struct scn_map_write {
    uint32_t map;    /* the step that maps */
    uint64_t offset; /* bytes, from the start of the mapping */
    rt_bytes values;
} scn_map_write;

typedef struct scn_unmap {
    scn_command command;
    uint32_t map; /* the step that maps */
} scn_unmap;

enum { SCN_LIST_COUNT_MAX = 16 }; /* lists of a parallel */

/* One step: its verb says which member of the union is valid. All steps are in one table, including
 * those inside a parallel: they follow it, list after list. */
typedef struct scn_step {
    scn_verb verb;
    scn_position at;
    rt_text id;         /* empty: none */
    rt_profile profile; /* the only profile that has the step; RT_PROFILE_COUNT: all have it */
    uint32_t thread;    /* 0: the program's own; in a parallel: the list's number, from 1
                         */
    uint32_t expect_count;
    const scn_expect *expect; /* EXPECT: one or more */
    const scn_error *error;   /* the step must be refused with this error; NULL: it must succeed */
    const scn_outcome *outcomes; /* instead of `error`: the alternatives, each with an error */
    uint32_t outcome_count;
    union {
        struct {
            uint32_t module;
            uint32_t image; /* LOAD_IMAGE: its number in the module, checked when it runs */
        } load;             /* LOAD, UNLOAD, LOAD_IMAGE */
        struct {
            uint32_t memory;
            uint32_t whole;  /* the buffer that it is part of */
            uint64_t offset; /* bytes, from the buffer's start */
        } part;              /* SUB_BUFFER */
        uint32_t device;     /* DEVICE, USER_EVENT: index of scn_device */
        struct {
            uint32_t event; /* the step that creates it */
            bool failed;
        } completion; /* COMPLETE_EVENT */
        struct {
            const uint32_t *devices;
            uint32_t device_count;
        } context;             /* CONTEXT */
        scn_queue queue;       /* QUEUE */
        scn_bundle bundle;     /* BUNDLE */
        scn_submit submit;     /* SUBMIT */
        scn_transfer transfer; /* COPY, FILL */
        scn_command marker;    /* BARRIER, MARKER; without `after`, for all earlier commands of the
                                * queue */
        scn_host_task task;    /* HOST_TASK */
        scn_map map;           /* MAP */
        scn_map_write map_write; /* MAP_WRITE */
        scn_unmap unmap;         /* UNMAP */
        struct {
            uint32_t queue; /* the step that creates it; SCN_NONE: every queue */
            uint32_t step;  /* the step that creates a command; SCN_NONE: absent */
        } wait;             /* WAIT */
        uint32_t memory;    /* HOST_ACCESS, END_MEMORY */
        struct {
            uint32_t queue;      /* the step that creates it */
            bool no_barriers;    /* COMPLETE_FUSION */
        } fusion;                /* START_FUSION, COMPLETE_FUSION, CANCEL_FUSION, END_QUEUE */
        scn_profiling profiling; /* PROFILING */
        struct {
            uint32_t thread_count; /* its lists */
            uint32_t nested_count; /* steps in its lists, which follow it in the table
                                    */
        } parallel;                /* PARALLEL */
    };
} scn_step;

/* The number of outcomes of an expectation: those of a one_of, otherwise 0. */
static inline uint32_t scn_expect_outcome_count(const scn_expect *expect)
{
    return expect->kind == SCN_EXPECT_ONE_OF ? expect->one_of.outcome_count : 0;
}

/* True if one of the expectations, or of the outcomes in them, is of that kind. */
static inline bool scn_expects_contain(const scn_expect *expects, uint32_t count,
                                       scn_expect_kind kind)
{
    for (uint32_t i = 0; i < count; i++) {
        if (expects[i].kind == kind) return true;
        for (uint32_t k = 0; k < scn_expect_outcome_count(&expects[i]); k++) {
            const scn_outcome *outcome = &expects[i].one_of.outcomes[k];
            if (scn_expects_contain(outcome->expects, outcome->expect_count, kind)) return true;
        }
    }
    return false;
}

/* The number of following steps that belong to this one: those in the lists of a parallel,
 * otherwise 0. */
static inline uint32_t scn_step_nested_count(const scn_step *step)
{
    return step->verb == SCN_VERB_PARALLEL ? step->parallel.nested_count : 0;
}

/* The part that a step's command has in common with all commands; NULL for a verb without one
 * (complete_fusion creates a command, but names only a queue). */
static inline const scn_command *scn_step_command(const scn_step *step)
{
    switch (step->verb) {
    case SCN_VERB_SUBMIT: return &step->submit.command;
    case SCN_VERB_COPY:
    case SCN_VERB_FILL: return &step->transfer.command;
    case SCN_VERB_BARRIER:
    case SCN_VERB_MARKER: return &step->marker;
    case SCN_VERB_HOST_TASK: return &step->task.command;
    case SCN_VERB_MAP: return &step->map.command;
    case SCN_VERB_UNMAP: return &step->unmap.command;
    default: return NULL;
    }
}

enum { SCN_WARNING_LEVEL_MAX = 2 };

/* ---- The scenario ------------------------------------------------------------------------- */

/* A rule that the scenario shows.  `at` names the step whose expectation fails when the rule is
 * broken ("" : any). */
typedef struct scn_cover {
    rt_rule rule;
    rt_text at;
    scn_position position;
} scn_cover;

/* The answer of the compile worker to a request that a run of the scenario makes. */
typedef struct scn_artefact {
    rt_hash request; /* hash of the request's bytes (conformance/build/compile.h) */
    rt_bytes answer; /* in the form that cnf_compile_answer_read reads */
} scn_artefact;

typedef struct scn_scenario {
    rt_text path; /* relative to the scenarios' root, as in records */
    rt_text file; /* as shown in messages: what the user gave on the command line */
    rt_text summary;
    const scn_cover *covers;
    uint32_t cover_count;
    const scn_module *modules; /* the first is the executable */
    uint32_t module_count;
    const uint32_t *preloaded; /* modules of LD_PRELOAD, in order */
    uint32_t preloaded_count;
    uint32_t warning_level;    /* SYCL_RT_WARNING_LEVEL in its environment; 0: not set */
    const scn_device *devices; /* one or more; the first is chosen at the start */
    uint32_t device_count;
    bool prefer_preloaded; /* images of preloaded modules take precedence over those of other
                            * modules (DL-PRELOAD-03) */
    bool persistent_cache; /* its processes share a persistent program cache, empty at first */
    uint64_t cache_cut;    /* bytes to which a restart cuts the programs in that cache; 0: none */
    bool cache_mixed;      /* a restart exchanges the programs in that cache */
    bool twin;             /* two processes run the steps at the same time */
    /* True for a scenario from a pack (conformance/archive/packed.h): only its artefacts are used;
     * nothing is compiled. */
    bool packed;
    const scn_memory *memories;
    uint32_t memory_count;
    const scn_step *steps;
    uint32_t step_count;
    /* A hash of the contents of all files that the scenario names without their hash; 0: none, and
     * always 0 in packs, which hold the contents. */
    rt_hash unpinned;
    const scn_artefact *artefacts;
    uint32_t artefact_count; /* 0 unless it is packed */
} scn_scenario;

#endif
