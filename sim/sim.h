/* The simulated device: SPIR-V in, results and findings out.  Knows base only.
 *
 *     sim_module  one SPIR-V module, read and validated                    (module.h, reader)
 *     sim_program modules linked: every import bound to its definition, code decoded to registers
 *     sim_world   the memory of one device, and everything that it may choose, from a seed
 *     sim_launch  runs a kernel over an nd-range, every access checked
 *
 * One world is used by one thread at a time.  The same program, inputs and seed give the same bytes
 * and the same findings on every machine. */
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

/* The value of one specialisation constant, by the number in its SpecId decoration. */
typedef struct sim_spec_constant {
    uint32_t id;
    rt_bytes value; /* little-endian, of the constant's own size; a bool has one byte */
} sim_spec_constant;

/* Reads and validates one module; `code` (bytes of SPIR-V, either endianness) is copied.  Its
 * specialisation constants have the values given in `constants`, each id once, else their defaults;
 * ids that the module does not have are ignored.
 * MALFORMED: not valid SPIR-V, message with word offset and instruction; UNSUPPORTED: an
 * instruction, capability, extension or execution mode that is refused, by name and with the
 * reason of semantics.def; ERRC_INVALID: a value has another size than its constant.  Source:
 * SPIR-V specification 1.6, sections 2.3 to 2.16. */
RT_MUST_USE rt_status sim_module_create(rt_sink *sink, rt_bytes code,
                                        const sim_spec_constant *constants, uint32_t constant_count,
                                        sim_module **out_module);
void sim_module_destroy(sim_module *module);

/* What is declared of a function or kernel: the set of virtual functions that the function is in,
 * or the sets that the kernel may call, separated by commas.  A row without a name stands for all
 * functions that the module exports, or all its kernels, that have no row of their own. */
typedef struct sim_declared_sets {
    rt_text name; /* a function's linkage name, a kernel's name */
    rt_text sets;
} sim_declared_sets;

typedef struct sim_declarations {
    const sim_declared_sets *functions, *kernels;
    uint32_t function_count, kernel_count;
} sim_declarations;

/* Declares what calls of the module's virtual functions are judged by, before it is linked and in
 * place of what was declared before; the rows are copied.  A function in a set may be called
 * through a pointer that another program of the world made, where the same module is linked into
 * both with the same values of its constants, and by kernels that may call the set; other functions
 * are not affected. Names that the module does not have are ignored.  Source: document 004
 * (VirtualFunctions.md), reading at VF-SPLIT-08; sycl_ext_oneapi_virtual_functions, which calls the
 * rest undefined. */
void sim_module_declare(sim_module *module, const sim_declarations *declarations);

/* Links count >= 1 modules (borrowed during the call only) into an executable program.  Symbols are
 * joined by the names of LinkageAttributes: Export with Import; LinkOnceODR definitions of one name
 * are one.  LINK_ERROR: an import without a definition, or two definitions; the diagnostic names
 * the symbols.  UNSUPPORTED: as above, found while decoding. */
RT_MUST_USE rt_status sim_program_link(rt_sink *sink, const sim_module *const *modules,
                                       uint32_t count, sim_program **out_program);
void sim_program_destroy(sim_program *program);

/* The kernel (entry point) of that name, valid as long as the program; NULL where there is none. */
const sim_kernel *sim_program_kernel(const sim_program *program, rt_text name);

/* Its parameters: how many, and what each takes. */
typedef enum sim_parameter_kind {
    SIM_PARAMETER_GLOBAL, /* pointer to CrossWorkgroup or UniformConstant memory */
    SIM_PARAMETER_LOCAL,  /* pointer to Workgroup memory */
    SIM_PARAMETER_VALUE,  /* size bytes by value */
} sim_parameter_kind;
typedef struct sim_parameter {
    sim_parameter_kind kind;
    uint32_t size;    /* VALUE: bytes as OpenCL lays the type out; else 8 */
    bool is_constant; /* GLOBAL: the memory is constant while the kernel runs */
} sim_parameter;
uint32_t sim_kernel_parameter_count(const sim_kernel *kernel);
sim_parameter sim_kernel_parameter(const sim_kernel *kernel, uint32_t index);

/* ---- Native images --------------------------------------------------------------------------
 */

/* The device's native format: what its offline compiler makes of SPIR-V, ahead of time.
 *
 * An image is a set of SPIR-V modules that were read and validated, that fit each other as far as
 * they define what they import, and whose specialisation constants have their final values. Imports
 * that none of them defines stay open, by name: images are linked with each other, and with
 * modules, like the modules that they hold (sim_program_link).  module/native.c describes the
 * bytes. */
#define SIM_NATIVE_FORMAT 2u

/* Rises with every change of the device after which an image that was compiled before would be
 * refused or mean something else.  As of vendors' native code, an image is for one version. */
#define SIM_NATIVE_DEVICE 1u

/* What an image holds. */
typedef struct sim_native {
    sim_module **modules;   /* module_count >= 1, owned; without specialisation constants */
    const rt_text *imports; /* the open ones; owned by modules and arena */
    uint32_t module_count, import_count;
    rt_arena arena;
} sim_native;

/* Appends the image of count >= 1 modules, with the values that their specialisation constants have
 * now.  LINK_ERROR: two of them define one name, or have it with different types; LIMIT: the image
 * is larger than RT_IMAGE_SIZE_MAX.  A failure leaves *out as it was. */
RT_MUST_USE rt_status sim_native_write(rt_sink *sink, const sim_module *const *modules,
                                       uint32_t count, rt_buffer *out);

/* Reads an image and validates all of it; `image` need not outlive the call.  On success the caller
 * frees *out_native, on failure it is empty.  Every message names the byte where the fault is.
 * MALFORMED: not an image, cut short, damaged, or holding what the compiler does not write;
 * UNSUPPORTED: another version of format or device, both named; LIMIT. */
RT_MUST_USE rt_status sim_native_read(rt_sink *sink, rt_bytes image, sim_native *out_native);
void sim_native_free(sim_native *native);

/* ---- Memory ------------------------------------------------------------------------------- */

/* A memory object; 0 is none.  Ids are never reused within a world. */
typedef uint32_t sim_object;

/* Makes a world without objects; destroys it with all that are left.  The sink is borrowed. */
sim_world *sim_world_create(rt_sink *sink, uint64_t seed);
void sim_world_destroy(sim_world *world);

/* Which build of the engine runs the world's kernels: "base" (any x86-64), "v3" or "v4" (levels of
 * x86-64).  Without it the best one for this processor does.  All compute the same bits, which is
 * what tests choose one for.  UNAVAILABLE: the processor lacks the level; ERRC_INVALID: no such
 * name. */
RT_MUST_USE rt_status sim_world_choose_engine(sim_world *world, rt_text name);
/* Launches may use up to `count` threads of the process if the result is the same as with one: a
 * launch whose groups turn out to depend on each other is run again on one thread. */
void sim_world_use_threads(sim_world *world, uint32_t count);
/* From now on kernels run without checks and report nothing: an incorrect kernel may corrupt this
 * process, and which bits are defined is no longer known. Only for measuring the cost of checks,
 * with kernels known to be correct. */
void sim_world_drop_checks(sim_world *world);

/* size >= 1 bytes of undefined content in global memory; the label (copied) names it in findings.
 * ERRC_MEMORY_ALLOCATION; LIMIT. */
RT_MUST_USE rt_status sim_object_create(sim_world *world, uint64_t size, rt_text label,
                                        sim_object *out_object);
/* Later accesses through a pointer to it are findings. */
void sim_object_destroy(sim_world *world, sim_object object);
/* False after sim_object_destroy. */
bool sim_object_is_alive(const sim_world *world, sim_object object);
/* Its label, also after its end; valid as long as the world. */
rt_text sim_object_label(const sim_world *world, sim_object object);
/* Bytes of a living object. */
uint64_t sim_object_size(const sim_world *world, sim_object object);
/* The address of its first byte, as kernels see it and pointers in memory hold it; never 0, aligned
 * for every type, and known without the world. */
uint64_t sim_object_address(sim_object object);

/* Finds the module-scope variable in global memory that has a name for the host, as an object of
 * this world: 0 where there is none.  That is the name of its decoration HostAccessINTEL, exported
 * or not, and only where no variable has that, the name that the program exports (document 002,
 * "New PI interface to copy to or from a module scope variable").  All variables of a program are
 * made with their initial values when the first is asked for or a kernel is first launched.  They
 * are the world's, which keeps the program until sim_world_forget.  ERRC_MEMORY_ALLOCATION; LIMIT.
 */
RT_MUST_USE rt_status sim_world_variable(sim_world *world, sim_program *program, rt_text name,
                                         sim_object *out_object);
/* Destroys the variables of a program that is not used in this world any more; later accesses
 * through pointers to them are findings. */
void sim_world_forget(sim_world *world, const sim_program *program);

/* Host accesses; ranges must lie inside (checked by the caller, asserted here). */
void sim_object_read(const sim_world *world, sim_object object, uint64_t offset, uint64_t size,
                     void *destination);
void sim_object_write(sim_world *world, sim_object object, uint64_t offset, uint64_t size,
                      const void *source);
/* Copies inside the world, undefined bytes stay undefined; ranges may overlap. */
void sim_object_copy(sim_world *world, sim_object source, uint64_t source_offset,
                     sim_object destination, uint64_t destination_offset, uint64_t size);
/* Which bytes were ever written (by host or kernel): bit i % 8 of out_bits[i / 8] for byte i. */
void sim_object_defined(const sim_world *world, sim_object object, uint64_t offset, uint64_t size,
                        uint8_t *out_bits);

/* ---- Launch ------------------------------------------------------------------------------- */

typedef struct sim_argument {
    sim_parameter_kind kind;
    sim_object object; /* GLOBAL; 0 is the null pointer */
    uint64_t offset;   /* GLOBAL, bytes from the object's start */
    rt_bytes bytes;    /* VALUE */
    uint64_t size;     /* LOCAL, bytes */
} sim_argument;

typedef struct sim_range {
    uint64_t global[RT_ND_RANGE_DIMENSIONS]; /* >= 1 each, 1 where unused */
    uint64_t local[RT_ND_RANGE_DIMENSIONS];  /* >= 1 each, divides global */
    uint64_t offset[RT_ND_RANGE_DIMENSIONS];
    uint32_t dimensions;
} sim_range;

typedef struct sim_finding {
    const char *kind; /* static: "out-of-bounds", "budget", "undefined-arithmetic", … */
    rt_text message;  /* one line for people */
    rt_text kernel;
    rt_text source; /* file name of OpLine or debug information, empty where unknown */
    uint32_t source_line;
    uint64_t work_item[RT_ND_RANGE_DIMENSIONS];
    rt_text object;  /* label */
    uint64_t offset; /* bytes */
    uint64_t count;  /* work-item instructions of this launch that it concerns */
} sim_finding;

/* Bytes of local memory that one work-group may have: variables and arguments together. */
#define SIM_LOCAL_SIZE_MAX (UINT64_C(64) << 10)

/* In which order a launch runs its work-items, between two barriers.  The results of a kernel whose
 * work-items do not depend on each other other than by barriers and atomics are the same. */
typedef enum sim_schedule {
    SIM_SCHEDULE_LOCKSTEP, /* all of a work-group together, instruction by instruction */
    SIM_SCHEDULE_FORWARD,  /* one after the other in the order of their numbers; groups likewise */
    SIM_SCHEDULE_BACKWARD, /* the last one first */
    SIM_SCHEDULE_SEEDED,   /* in an order drawn from the world's seed */
    SIM_SCHEDULES
} sim_schedule;

/* "lockstep", "forward", "backward", "seeded". */
const char *sim_schedule_name(sim_schedule schedule);
/* Bytes that the kernels of one launch may print; a call of printf that would go beyond prints
 * nothing and returns -1, and a last line says how many there were. */
#define SIM_OUTPUT_MAX (1u << 20)

typedef struct sim_launch_options {
    /* Work-item instructions of the whole launch.  0: the default, 2^28 and 2^24 more for each
     * work-item, at most 2^35, so that a kernel that never ends is found within seconds. */
    uint64_t budget;
    sim_schedule schedule;
    /* Called at the end of the launch, once per place in the code and kind, in program order. */
    void (*on_finding)(void *user, const sim_finding *finding);
    /* Called when a work-group is done with what it printed, or NULL, which discards the output. */
    void (*on_output)(void *user, rt_text text);
    void *user;
} sim_launch_options;

/* Sets the local size of a range whose author left it open: what the kernel requires, else one that
 * divides the range, of at most 256 work-items.  Every global size is >= 1. */
void sim_range_choose_local(const sim_kernel *kernel, sim_range *range);

/* ERRC_ND_RANGE: local does not divide global, is not what the kernel requires, or is larger than
 * RT_WORK_GROUP_SIZE_MAX.  sim_launch checks the same; here it is known before the launch.
 */
RT_MUST_USE rt_status sim_range_check(rt_sink *sink, const sim_kernel *kernel,
                                      const sim_range *range);

/* Runs a kernel to its end.  Wrong accesses are suppressed (a load gives a value drawn from the
 * seed, a store does nothing) and reported as findings; the launch goes on. ERRC_KERNEL_ARGUMENT:
 * an argument does not fit its parameter (count, kind, size); ERRC_ND_RANGE: local does not divide
 * global, or is larger than RT_WORK_GROUP_SIZE_MAX; LIMIT: local memory; BUDGET: the instruction
 * budget or the stack of a work-item is used up (also a finding). */
RT_MUST_USE rt_status sim_launch(sim_world *world, const sim_kernel *kernel, const sim_range *range,
                                 const sim_argument *arguments, uint32_t argument_count,
                                 const sim_launch_options *options);

#endif
