/* The simulated device: executes SPIR-V and reports results and findings.  Depends on
 * reference/base only.
 *
 *     sim_module  one SPIR-V module, read and validated                    (module.h, reader)
 *     sim_program linked modules: every import bound to its definition, code decoded to registers
 *     sim_world   the memory of one device, and its seed for everything that it may choose
 *     sim_launch  runs a kernel over an nd-range and checks every access
 *
 * A world is used by one thread at a time.  The same program, inputs and seed produce the same
 * bytes and the same findings on every machine. */
#ifndef SIM_SIM_H
#define SIM_SIM_H

#include "reference/base/arena.h"
#include "reference/base/limits.h"
#include "reference/base/status.h"

typedef struct sim_module sim_module;
typedef struct sim_program sim_program;
typedef struct sim_world sim_world;
typedef struct sim_kernel sim_kernel;

/* ---- Programs ----------------------------------------------------------------------------- */

/* The value of one specialisation constant, identified by the number in its SpecId decoration. */
typedef struct sim_spec_constant {
    uint32_t id;
    rt_bytes value; /* little-endian, of the constant's size; one byte for a bool */
} sim_spec_constant;

/* Reads and validates one module; `code` (bytes of SPIR-V, either endianness) is copied.
 * Specialisation constants take the values in `constants`, which lists each id at most once; the
 * others keep their defaults.  Ids that the module does not have are ignored.  MALFORMED: not valid
 * SPIR-V; the message contains the word offset and the instruction.  UNSUPPORTED: a refused
 * instruction, capability, extension or execution mode; the message names it and, for an
 * instruction, contains the reason from semantics.def.  ERRC_INVALID: a value differs in size from
 * its constant. On failure *out_module is NULL. Source: SPIR-V specification 1.6, sections 2.3
 * to 2.16. */
RT_MUST_USE rt_status sim_module_create(rt_sink *sink, rt_bytes code,
                                        const sim_spec_constant *constants, uint32_t constant_count,
                                        sim_module **out_module);
void sim_module_destroy(sim_module *module);

/* Sets the name of the image that the module is from, which is copied. The linker's messages call
 * the module by it, and a module without one by its number. */
void sim_module_image(sim_module *module, rt_text image);

/* The declared sets of a function or kernel: the set of virtual functions that the function belongs
 * to, or the sets that the kernel may call, separated by commas.  A row without a name applies to
 * every exported function, or to every kernel, of the module that has no row of its own. */
typedef struct sim_declared_sets {
    rt_text name; /* a function's linkage name, a kernel's name */
    rt_text sets;
} sim_declared_sets;

typedef struct sim_declarations {
    const sim_declared_sets *functions, *kernels;
    uint32_t function_count, kernel_count;
} sim_declarations;

/* Declares the sets against which calls of the module's virtual functions are checked.  Called
 * before the module is linked; replaces earlier declarations; the rows are copied.  A function in a
 * set may be called by kernels that may call the set, and through a pointer created by another
 * program of the world if the same module is linked into both programs with the same values of its
 * specialisation constants.  Other functions are not affected.  Names that the module does not have
 * are ignored.  Source: document 004 (VirtualFunctions.md), reading at VF-SPLIT-08;
 * sycl_ext_oneapi_virtual_functions, which makes every other call undefined. */
void sim_module_declare(sim_module *module, const sim_declarations *declarations);

/* Links count >= 1 modules (borrowed only during the call) into an executable program.  Symbols are
 * matched by the names in LinkageAttributes: Import with Export; all LinkOnceODR definitions of a
 * name are merged; the device itself defines what assert calls, __devicelib_assert_fail.
 * LINK_ERROR: an import without a definition, two Exports of a name, declarations of different
 * types, or a kernel name in two modules; the diagnostic lists the symbols. UNSUPPORTED: as for
 * sim_module_create, but found while decoding. On failure *out_program is NULL.
 */
RT_MUST_USE rt_status sim_program_link(rt_sink *sink, const sim_module *const *modules,
                                       uint32_t count, sim_program **out_program);
void sim_program_destroy(sim_program *program);

/* The kernel (entry point) with the given name, valid as long as the program; NULL if there is
 * none. */
const sim_kernel *sim_program_kernel(const sim_program *program, rt_text name);

/* The kinds of kernel parameters. */
typedef enum sim_parameter_kind {
    SIM_PARAMETER_GLOBAL, /* pointer to CrossWorkgroup or UniformConstant memory */
    SIM_PARAMETER_LOCAL,  /* pointer to Workgroup memory */
    SIM_PARAMETER_VALUE,  /* `size` bytes, passed by value */
} sim_parameter_kind;
typedef struct sim_parameter {
    sim_parameter_kind kind;
    uint32_t size;    /* VALUE: bytes of the type in OpenCL's layout; otherwise 8 */
    bool is_constant; /* GLOBAL: the memory is constant while the kernel runs */
} sim_parameter;
/* The kernel's name; valid as long as its program. */
rt_text sim_kernel_name(const sim_kernel *kernel);
uint32_t sim_kernel_parameter_count(const sim_kernel *kernel);
sim_parameter sim_kernel_parameter(const sim_kernel *kernel, uint32_t index);
/* The bytes of the variables in local memory that the kernel may use. */
uint64_t sim_kernel_local_bytes(const sim_kernel *kernel);
/* The bytes of the program's variables in global memory, without constant ones. */
uint64_t sim_program_global_bytes(const sim_program *program);

/* ---- Native images ------------------------------------------------------------------------ */

/* The device's native format: what its offline compiler makes from SPIR-V.
 *
 * An image is a set of SPIR-V modules that have been read and validated, whose definitions match
 * each other's imports, and whose specialisation constants have their final values.  Imports that
 * none of the modules defines stay open, by name: images are linked with each other, and with
 * modules, just as the modules that they contain would be (sim_program_link).  module/native.c
 * describes the bytes. */
#define SIM_NATIVE_FORMAT 2u

/* Increases with every change to the device that would cause an existing image to be refused or to
 * change its meaning.  Like a vendor's native code, an image is for one version of the device. */
#define SIM_NATIVE_DEVICE 1u

/* The contents of an image. */
typedef struct sim_native {
    sim_module **modules;   /* module_count >= 1, owned; without specialisation constants */
    const rt_text *imports; /* names of the unresolved ones; owned by modules and arena */
    uint32_t module_count, import_count;
    rt_arena arena;
} sim_native;

/* Appends the image of count >= 1 modules, with the current values of their specialisation
 * constants.  LINK_ERROR: two of them define the same name, or declare it with different types;
 * LIMIT: the image is larger than RT_IMAGE_SIZE_MAX.  On failure *out is unchanged. */
RT_MUST_USE rt_status sim_native_write(rt_sink *sink, const sim_module *const *modules,
                                       uint32_t count, rt_buffer *out);

/* Reads and validates a whole image; `image` need not outlive the call.  On success the caller
 * frees *out_native; on failure it is empty.  Every message gives the position of the fault in
 * bytes.  MALFORMED: not an image, truncated, damaged, or with contents that the compiler never
 * writes; UNSUPPORTED: another version of the format or the device, naming both versions; LIMIT. */
RT_MUST_USE rt_status sim_native_read(rt_sink *sink, rt_bytes image, sim_native *out_native);
void sim_native_free(sim_native *native);

/* ---- Memory ------------------------------------------------------------------------------- */

/* A memory object; 0 stands for none.  Only the ids of mapped objects are used again within a
 * world. */
typedef uint32_t sim_object;

/* Creates a world without objects, or destroys one with all its remaining objects.  The sink is
 * borrowed. */
sim_world *sim_world_create(rt_sink *sink, uint64_t seed);
void sim_world_destroy(sim_world *world);

/* Selects the engine build that runs the world's kernels: "base" (any x86-64), "v3" or "v4" (levels
 * of x86-64).  The default is the best build that this processor supports.  All builds compute the
 * same bits; tests select one to verify that.  UNAVAILABLE: the processor lacks the level;
 * ERRC_INVALID: no such build. */
RT_MUST_USE rt_status sim_world_choose_engine(sim_world *world, rt_text name);
/* Selects how kernels run: "interpreted", by the engine, which is the default; "compiled", as
 * machine code that the library at `path` generates, if it can; "measured", likewise, but only
 * kernels that have done enough work to be worth it. A NULL path is libassay_tier.so next to this
 * program, or in
 * ../lib/assay. Bits and findings do not depend on it: a launch in which compiled code meets
 * anything out of the ordinary is undone and interpreted, and so is a kernel of which several
 * launches were undone. ERRC_INVALID: no such tier; UNAVAILABLE: the library cannot be opened. */
RT_MUST_USE rt_status sim_world_choose_tier(sim_world *world, rt_text name, const char *path);
/* Keeps the machine code of kernels in a folder (copied), where later processes find it; without
 * effect unless a tier that compiles was chosen before. */
void sim_world_keep_code(sim_world *world, rt_text folder);
/* What the tier has done since it was chosen. */
typedef struct sim_tier_report {
    uint64_t compiled, undone; /* launches that ran compiled, and that were undone */
    rt_text reason;    /* why the last launch was interpreted, as the end of "… is interpreted
                        * because it"; empty if it was not; static text */
    rt_text kernel;    /* name of the kernel of the last launch */
    bool is_news;      /* no earlier launch of that kernel was interpreted for a reason */
    double compile_ms; /* processor time of all compilations */
    uint32_t found;    /* kernels whose machine code was in the folder */
} sim_tier_report;
sim_tier_report sim_world_tier_report(const sim_world *world);
/* Lets launches use up to `count` threads of the process without changing any result: a launch
 * whose groups turn out to depend on each other is run again on one thread. */
void sim_world_use_threads(sim_world *world, uint32_t count);
/* From now on kernels run without checks and report nothing: an incorrect kernel may corrupt this
 * process, and undefined bytes are no longer tracked.  Only for measuring the cost of the checks,
 * with kernels known to be correct. */
void sim_world_drop_checks(sim_world *world);

/* Creates an object of size >= 1 bytes with undefined contents in global memory; the label (copied)
 * identifies it in findings. On failure *out_object is 0: ERRC_MEMORY_ALLOCATION; LIMIT. */
RT_MUST_USE rt_status sim_object_create(sim_world *world, uint64_t size, rt_text label,
                                        sim_object *out_object);
/* Lets the world have mapped objects; called before it has any object. */
void sim_world_reserve_mapped(sim_world *world);
/* As sim_object_create, for a mapped object: the host may access its bytes at sim_object_address
 * whenever no launch uses it. All its bytes count as defined when a launch begins.
 * ERRC_MEMORY_ALLOCATION also if no suitable address is free in this process; about 120 are. */
RT_MUST_USE rt_status sim_object_create_mapped(sim_world *world, uint64_t size, rt_text label,
                                               sim_object *out_object);
/* Creates a window: an object that is `size` >= 1 bytes of another one, from `offset`. Kernels see
 * these bytes through it, and an access past its end is a finding even where the other object goes
 * on. It has no bytes of its own: the host uses those of the other object. LIMIT. */
RT_MUST_USE rt_status sim_object_create_window(sim_world *world, sim_object whole, uint64_t offset,
                                               uint64_t size, rt_text label,
                                               sim_object *out_object);
/* Destroys an object; later accesses through a pointer to it are findings. */
void sim_object_destroy(sim_world *world, sim_object object);
/* Lets the id of a destroyed mapped object be used again; the caller no longer uses it. */
void sim_object_retire(sim_world *world, sim_object object);
/* False after sim_object_destroy. */
bool sim_object_is_alive(const sim_world *world, sim_object object);
/* The object's label, even after sim_object_destroy; valid as long as the world. */
rt_text sim_object_label(const sim_world *world, sim_object object);
/* The size of a live object in bytes. */
uint64_t sim_object_size(const sim_world *world, sim_object object);
/* The address of the object's first byte, as seen by kernels and stored in pointers; never 0,
 * aligned for every type, and independent of the world. */
uint64_t sim_object_address(sim_object object);

/* Finds a module-scope variable in global memory by its host name, as an object of this world;
 * *out_object is 0 if there is none, or on failure.  The host name is the one in the decoration
 * HostAccessINTEL, whether or not the variable is exported; the name that the program exports is
 * used only if no variable has a decoration with that name (document 002, "New PI interface to copy
 * to or from a module scope variable").  All variables of a program are created, with their initial
 * values, when the first of them is looked up or a kernel is first launched.  They belong to the
 * world, which keeps the program until sim_world_forget.  ERRC_MEMORY_ALLOCATION; LIMIT. */
RT_MUST_USE rt_status sim_world_variable(sim_world *world, sim_program *program, rt_text name,
                                         sim_object *out_object);
/* Finds the address of an exported function, as kernels of the program can call it: 0 if there is
 * none, or on failure.  A function has an address if its module takes the address, or permits the
 * host to do so with the decoration ReferencedIndirectlyINTEL (SPV_INTEL_function_pointers), or if
 * it is virtual; kernels have none.  Creates the program's variables as sim_world_variable does;
 * ERRC_MEMORY_ALLOCATION; LIMIT. */
RT_MUST_USE rt_status sim_world_function(sim_world *world, sim_program *program, rt_text name,
                                         uint64_t *out_address);
/* Destroys the variables of a program that this world no longer uses; later accesses through
 * pointers to them, and calls through pointers to its functions, are findings. */
void sim_world_forget(sim_world *world, const sim_program *program);

/* Host accesses; the range must be inside the object (checked by the caller, asserted here). */
void sim_object_read(const sim_world *world, sim_object object, uint64_t offset, uint64_t size,
                     void *destination);
void sim_object_write(sim_world *world, sim_object object, uint64_t offset, uint64_t size,
                      const void *source);
/* Takes the values of bytes away: they become undefined, as those of a new object are. */
void sim_object_undefine(sim_world *world, sim_object object, uint64_t offset, uint64_t size);
/* Copies within the world; undefined bytes stay undefined; the ranges may overlap. */
void sim_object_copy(sim_world *world, sim_object source, uint64_t source_offset,
                     sim_object destination, uint64_t destination_offset, uint64_t size);
/* Reports which bytes are defined, that is, were last written with defined values (by the host or a
 * kernel): bit i % 8 of out_bits[i / 8] for byte i. */
void sim_object_defined(const sim_world *world, sim_object object, uint64_t offset, uint64_t size,
                        uint8_t *out_bits);

/* The last store to a byte by a kernel. */
typedef struct sim_writer {
    rt_text kernel;                             /* valid as long as the world */
    uint64_t work_item[RT_ND_RANGE_DIMENSIONS]; /* global id */
    bool is_copy; /* an asynchronous copy of a group made it, rather than the work-item */
} sim_writer;

/* From now on the world remembers who stored what; called before its first launch. */
void sim_world_keep_writers(sim_world *world);
/* Finds the last store to a byte of a live object that is not a window; stores through its windows
 * count. False: it was last written otherwise or never, or that is no longer known. */
bool sim_object_writer(sim_world *world, sim_object object, uint64_t offset,
                       sim_writer *out_writer);
/* True if bytes that were not defined have been copied to the object. */
bool sim_object_took_undefined(const sim_world *world, sim_object object);

/* ---- Launch ------------------------------------------------------------------------------- */

/* What a kernel may do with the memory of an argument.  If several arguments pass the same memory,
 * what any of them allows is allowed. */
typedef enum sim_argument_access {
    SIM_ACCESS_READ_WRITE,
    SIM_ACCESS_READ,  /* a store is a finding */
    SIM_ACCESS_WRITE, /* a load of what the kernel has not written is a finding */
} sim_argument_access;

typedef struct sim_argument {
    sim_parameter_kind kind;
    sim_object object;          /* GLOBAL; 0 is the null pointer */
    uint64_t offset;            /* GLOBAL, bytes from the object's start */
    sim_argument_access access; /* GLOBAL */
    rt_bytes bytes;             /* VALUE */
    uint64_t size;              /* LOCAL, bytes */
} sim_argument;

typedef struct sim_range {
    uint64_t global[RT_ND_RANGE_DIMENSIONS]; /* >= 1 each, 1 where unused */
    uint64_t local[RT_ND_RANGE_DIMENSIONS];  /* >= 1 each; divides global unless is_non_uniform */
    uint64_t offset[RT_ND_RANGE_DIMENSIONS];
    uint32_t dimensions;
    bool is_non_uniform; /* the last groups of each dimension may be smaller (OpenCL 2.0, "Mapping
                          * work-items onto an NDRange") */
} sim_range;

/* The number of work-groups in dimension k. */
static inline uint64_t sim_range_groups(const sim_range *range, uint32_t k)
{
    return range->global[k] / range->local[k] + (range->global[k] % range->local[k] != 0);
}

/* The size in dimension k of the groups with that id: that of all groups, except the last. */
static inline uint64_t sim_range_group_size(const sim_range *range, uint32_t k, uint64_t group)
{
    uint64_t left = range->global[k] - group * range->local[k];
    return left < range->local[k] ? left : range->local[k];
}

typedef struct sim_finding {
    const char *kind; /* static: "out-of-bounds", "budget", "undefined-arithmetic", … */
    rt_text message;  /* one line, for humans */
    rt_text kernel;
    rt_text source; /* file name of OpLine or debug information; empty if unknown */
    uint32_t source_line, source_column; /* 0: unknown */
    rt_text other_source;                /* like source, of the other access of a race */
    uint32_t other_line;                 /* 0: none, or unknown */
    uint64_t work_item[RT_ND_RANGE_DIMENSIONS];
    rt_text object;  /* label */
    uint64_t offset; /* bytes */
    uint64_t count;  /* affected work-item instructions of this launch */
} sim_finding;

/* Bytes of an object that a launch accessed, in a way that it accessed all of them. */
typedef struct sim_accessed {
    sim_object object;
    uint64_t offset, size; /* bytes; size >= 1 */
    bool is_write, is_atomic;
} sim_accessed;

/* The limit of a work-group's local memory in bytes: variables and arguments together. */
#define SIM_LOCAL_SIZE_MAX (UINT64_C(64) << 10)

/* The sub-group size of kernels that require none. */
#define SIM_SUBGROUP_SIZE 16u

/* The order in which a launch runs its work-items between two barriers.  Kernels whose work-items
 * depend on each other only through barriers and atomics have the same results in every order. */
typedef enum sim_schedule {
    SIM_SCHEDULE_LOCKSTEP, /* the whole work-group together, instruction by instruction */
    SIM_SCHEDULE_FORWARD,  /* work-items, and groups, one after the other in ascending order */
    SIM_SCHEDULE_BACKWARD, /* the last one first */
    SIM_SCHEDULE_SEEDED,   /* in a random order drawn from the world's seed */
    SIM_SCHEDULES
} sim_schedule;

/* Returns "lockstep", "forward", "backward" or "seeded". */
const char *sim_schedule_name(sim_schedule schedule);
/* The limit of a launch's output in bytes. A printf call that would exceed it prints nothing and
 * returns -1, and a final line reports the number of such calls. */
#define SIM_OUTPUT_MAX (1u << 20)

typedef struct sim_launch_options {
    /* Work-item instructions of the whole launch.  0 selects the default, with which a kernel that
     * never ends is detected within seconds, under every schedule: 2^28 plus 2^24 for each
     * work-item, but at most 2^35; and as many steps as a single work-item has instructions, plus
     * 2^12 for each work-item, but at most 2^33; an eighth of all these in builds with sanitizers.
     * A step is an instruction that any number of work-items execute together. */
    uint64_t budget;
    sim_schedule schedule;
    /* Called at the end of the launch, once for each kind of finding at each place in the code, in
     * program order. */
    void (*on_finding)(void *user, const sim_finding *finding);
    /* Called when a work-group has finished, with everything that it printed.  NULL discards the
     * output. */
    void (*on_output)(void *user, rt_text text);
    /* Called at the end of the launch for each range of bytes in global memory that it accessed;
     * per object and kind of access the ranges are maximal, do not touch and ascend.  Accesses
     * through a window are reported as ranges of its object, but apart: they may overlap ranges of
     * the object or of another window, and ascend only among themselves.  Never called for a launch
     * so large that some accesses may have been forgotten (check/race.h, stamps).  NULL: accesses
     * are not recorded.  Recording makes a launch slower: one thread interprets it. */
    void (*on_accessed)(void *user, const sim_accessed *accessed);
    void *user;
} sim_launch_options;

/* Chooses the local size of a range that does not specify it: the size that the kernel requires or,
 * if it requires none, a size of at most 256 work-items that divides the range.  Every global size
 * is >= 1. */
void sim_range_choose_local(const sim_kernel *kernel, sim_range *range);

/* Checks that a kernel can be launched over a range. ERRC_ND_RANGE: local does not divide global,
 * is not the size that the kernel requires, or has more than RT_WORK_GROUP_SIZE_MAX work-items.
 * sim_launch checks the same conditions; this function reports them before the launch. */
RT_MUST_USE rt_status sim_range_check(rt_sink *sink, const sim_kernel *kernel,
                                      const sim_range *range);

/* Runs a kernel to completion.  Invalid accesses are suppressed (a load returns a value drawn from
 * the seed, a store does nothing) and reported as findings, and the launch continues.
 * ERRC_KERNEL_ARGUMENT: an argument does not fit its parameter (count, kind, size); ERRC_ND_RANGE:
 * as for sim_range_check; LIMIT: local memory; BUDGET: the instruction budget or the stack of a
 * work-item is exhausted (also a finding). */
RT_MUST_USE rt_status sim_launch(sim_world *world, const sim_kernel *kernel, const sim_range *range,
                                 const sim_argument *arguments, uint32_t argument_count,
                                 const sim_launch_options *options);

#endif
