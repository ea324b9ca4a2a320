/* device_global variables: from their declarations to the images and to what host code registers.
 *
 * In the IR, a device_global is a module-scope variable with the attributes of DPC++'s front end;
 * what makes it a device_global is the size attribute.  Without device_image_scope the variable is
 * a pointer, initially null; with device_image_scope it is the value itself.  Clang 14 has no such
 * attributes in OpenCL C, so assay's prelude annotates the variables, and pl_device_globals_take
 * turns the annotations into attributes in place of the front end.  Source: document 002, "Changes
 * to the DPC++ front-end" and "Changes to the sycl-post-link tool"; names and values of the
 * attributes are DPC++'s. */
#ifndef REFERENCE_COMPILER_POSTLINK_DEVICE_GLOBALS_H
#define REFERENCE_COMPILER_POSTLINK_DEVICE_GLOBALS_H

#include "reference/base/map.h"
#include "reference/base/vector.h"
#include "reference/compiler/describe/properties.h"
#include "reference/compiler/ir/annotations.h"
#include "reference/image/device_global.h"

/* The attributes.  Numbers are decimal. */
#define PL_GLOBAL_SIZE "sycl-device-global-size" /* sizeof(T), bytes */
#define PL_GLOBAL_ID   "sycl-unique-id"
#define PL_GLOBAL_IMAGE_SCOPE                                                                      \
    "sycl-device-image-scope"                         /* any value except "false" and "0": it has  \
                                                       * the property */
#define PL_GLOBAL_HOST_ACCESS "sycl-host-access"      /* 0 read, 1 write, 2 read_write, 3 none */
#define PL_GLOBAL_INIT_MODE   "sycl-init-mode"        /* 0 reprogram, 1 reset */
#define PL_GLOBAL_IN_CSR      "sycl-implement-in-csr" /* "true", "false" */
/* Our own: the name in the source, and the place of the declaration, `NAME:LINE: `. */
#define PL_GLOBAL_NAME  "assay-device-global-name"
#define PL_GLOBAL_PLACE "assay-device-global-place"

/* The annotations that the prelude writes: a prefix, then the properties as written in the source.
 * The second one annotates a variable that points to a device_global that is declared but not
 * defined. */
#define PL_GLOBAL_ANNOTATION        "assay-device-global:"
#define PL_GLOBAL_ANNOTATION_EXTERN "assay-extern-device-global:"

#define PL_GLOBAL_ABSENT UINT32_MAX

/* One variable as its attributes describe it; its texts live in the job's arena. */
typedef struct pl_device_global {
    rt_device_global host; /* what host code knows about the variable */
    uint32_t init_mode;    /* value of the property, or PL_GLOBAL_ABSENT */
    uint32_t in_csr;       /* the same */
    rt_text symbol;        /* its symbol in the source's code */
    rt_text place;         /* `NAME:LINE: ` of the declaration; empty: not known */
} pl_device_global;

/* The device_globals of all sources so far.  Zero-initialise it. */
typedef struct pl_device_globals {
    RT_VECTOR(rt_device_global)
    registered;                           /* by host code: definitions, each id once, in the order
                                           * of the sources and of their lines */
    rt_map registered_ids;                /* their ids */
    RT_VECTOR(pl_device_global) declared; /* the first declaration of each id */
    rt_map declared_ids;                  /* id -> index in declared */
} pl_device_globals;

/* Reports whether a variable is a device_global, that is, has the size attribute. */
bool pl_is_device_global(LLVMValueRef variable);

/* Reports whether a variable is a device_global with the property device_image_scope. */
bool pl_is_image_scope(LLVMValueRef variable);

/* Reads a device_global. POSTLINK_ERROR, for LLVM IR written by hand: an attribute with an invalid
 * value, an initial value other than zero, a variable that has no name or is outside global memory.
 */
RT_MUST_USE rt_status pl_device_global_read(pl_job *job, LLVMValueRef variable,
                                            pl_device_global *out_global);

/* Describes a device_global of a source that pl_device_globals_take has accepted, or a copy of it.
 */
pl_device_global pl_device_global_of(pl_job *job, LLVMValueRef variable);

/* Removes from the variables of a module the decorations of device_globals that metadata states,
 * and which pl_device_globals_decorate writes. POSTLINK_ERROR: a variable has some, but is not a
 * device_global. */
RT_MUST_USE rt_status pl_device_globals_undecorate(pl_job *job, LLVMModuleRef module);

/* Turns the annotations of the source `source` into attributes and records what its host code
 * registers. COMPILE_TIME, in the form NAME:LINE: error: TEXT: properties that are unknown or
 * contradict each other, a variable in a function, declarations of one variable that do not agree,
 * two variables with the same unique id.  POSTLINK_ERROR: as pl_device_global_read. */
RT_MUST_USE rt_status pl_device_globals_take(pl_job *job, LLVMModuleRef module, rt_text source,
                                             const pl_annotations *annotations,
                                             pl_device_globals *globals);

/* Adds to the properties of an optimised image the set that describes its device_globals and, as
 * DPC++ does, the symbol of each under its id ("<id>@global_id_mapping" in "SYCL/program
 * metadata"). Adds nothing if the job does not handle device_globals. */
void pl_device_globals_describe(pl_job *job, LLVMModuleRef image, pl_properties *properties);

/* A device_global of an image, with its symbol in the translation. */
typedef struct pl_image_global {
    pl_device_global global;
    rt_text symbol;
} pl_image_global;

/* Lists the device_globals that an image defines or declares, in the order of its code, in the
 * job's arena.  Empty if the job does not handle device_globals. */
void pl_device_globals_list(pl_job *job, LLVMModuleRef image, const pl_image_global **out_globals,
                            uint32_t *out_count);

/* Appends the translation of an image together with the decorations of its device_globals, which
 * llvm-spirv 14 cannot write. Source: SPV_INTEL_global_variable_decorations, with the numbers that
 * DPC++'s compiler writes. */
void pl_device_globals_decorate(const pl_image_global *globals, uint32_t count, rt_bytes spirv,
                                rt_buffer *out_spirv);

/* Frees the tables, but not the texts. */
void pl_device_globals_free(pl_device_globals *globals);

#endif
