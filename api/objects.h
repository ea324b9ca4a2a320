/* The objects behind the handles of assay.h, for the files of this folder and for `assay image`. */
#ifndef API_OBJECTS_H
#define API_OBJECTS_H

#include "api/assay.h"
#include "conformance/build/asker.h"
#include "reference/base/lock.h"
#include "reference/base/vector.h"
#include "reference/image/fat_binary.h"
#include "reference/runtime.h"

#include <limits.h>
#include <stdatomic.h>

/* Modules of one runtime, and the number of its module that stands for the executable, which
 * registers nothing: every fat binary is a module of its own. */
enum { API_MODULES_MAX = 8192, API_EXECUTABLE = 0 };

struct assay_module {
    assay_runtime *runtime;
    rt_module_id id;
    rt_text name;
    rt_image_list images;  /* of its last registration */
    uint64_t registration; /* number of the process's registration (process.h); 0: it was
                            * registered by assay_module_* */
    bool registered;
};

struct assay_device {
    assay_runtime *runtime;
    dev_device *opened;
    const rt_device *device;
};

struct assay_context {
    assay_runtime *runtime;
    rt_context_id id;
};

struct assay_memory {
    assay_runtime *runtime;
    rt_memory *memory;
    atomic_bool is_used; /* by a command */
    atomic_bool is_ended;
};

struct assay_queue {
    assay_runtime *runtime;
    const rt_device *device;
    rt_queue_id id;
};

/* A list of names, each NUL-terminated. */
typedef struct api_names {
    const char **names;
    uint32_t count;
} api_names;

struct assay_bundle {
    assay_runtime *runtime;
    rt_bundle *bundle;
    api_names images, kernels, unresolved;
};

struct assay_runtime {
    assay_options options; /* without its texts, which are copied */
    rt_sink *sink;
    rt_runtime *runtime;
    cnf_asker asker; /* of the worker */
    dev_tools tools;
    rt_fusion_compiler fusion_compiler;
    char worker[PATH_MAX];     /* "": there is none */
    atomic_uint_fast64_t seen; /* api_process_version of the last look at the process */
    atomic_uint command_count; /* at least the number of commands submitted by calls */
    pthread_mutex_t
        usm_reads;        /* held while unified shared memory is read; taken before any other */
    pthread_mutex_t lock; /* guards what follows; taken before any lock of the runtime */
    rt_arena arena;       /* handles, names and images */
    RT_VECTOR(assay_module *) modules; /* index + 1 is the module's id */
    RT_VECTOR(assay_device *) devices;
    RT_VECTOR(uint64_t) refused; /* registrations of the process that failed, by their number */
};

/* ---- Statuses ------------------------------------------------------------------------------ */

/* Success, and the status of the runtime's sink for the caller. */
assay_status api_ok(void);
assay_status api_status(const assay_runtime *runtime, rt_status status);

/* Returns a refusal from the calling function, with a literal as its message, unless the condition
 * holds.  Needs no runtime, because a null pointer has none. */
#define API_REQUIRE(condition, text)                                                               \
    do {                                                                                           \
        if (!(condition)) return (assay_status){ASSAY_ERRC_INVALID, (text), ""};                   \
    } while (0)

/* Refuses the arguments of the calling function with a message, ASSAY_ERRC_INVALID. */
#define api_refuse(runtime, ...)                                                                   \
    api_status((runtime), rt_fail((runtime)->sink, RT_ERRC_INVALID, RT_RULE_NONE, __VA_ARGS__))

/* ---- Modules ------------------------------------------------------------------------------- */

/* Converts binaries to images named "MODULE/NUMBER" in the runtime's arena, which copies all that
 * they point to.  Images that the runtime does not link are left out, and a line for each, with the
 * reason, is appended to out_left_out unless it is NULL.  Called with the lock held.  UNSUPPORTED:
 * all images are left out; MALFORMED, LIMIT: as for assay_module_register. */
RT_MUST_USE rt_status api_images_copy(assay_runtime *runtime, rt_text name,
                                      rt_device_binaries binaries, rt_image_list *out_images,
                                      rt_buffer *out_left_out);

/* The name of a module to be registered from a file, in the runtime's arena: the file's name, with
 * "#2" or a higher number if a registered module has the same, because several fat binaries may be
 * in one file, and several files may have one name.  Called with the lock held. */
rt_text api_module_name(assay_runtime *runtime, rt_text path);

/* Registers images, which live as long as the runtime, as a module.  `registration` as in
 * assay_module.  Called with the lock held.  LIMIT: the runtime has too many modules. */
RT_MUST_USE rt_status api_module_add(assay_runtime *runtime, rt_text name, rt_text path,
                                     rt_image_list images, uint64_t registration,
                                     assay_module **out_module);

/* Unregisters a registered module.  Called with the lock held. */
RT_MUST_USE rt_status api_module_remove(assay_module *module);

/* The description of a variable of a registered module; false: no registered module has it. */
bool api_global_find(assay_runtime *runtime, rt_text unique_id, rt_device_global *out_global);

/* Brings a runtime that is not isolated up to date with the modules of the process: called first by
 * every function whose result depends on the registered images.  A module whose fat binary is
 * damaged, or which is one too many, never has images in this runtime, and a warning is printed on
 * standard error once. */
void api_modules_follow(assay_runtime *runtime);

/* The system with which the runtime's loader loads modules. */
rt_system api_module_system(assay_runtime *runtime);

/* ---- Commands ------------------------------------------------------------------------------ */

/* Converts a wait list, in the arena; a refusal if one of the events is not of the runtime. */
assay_status api_after(assay_runtime *runtime, rt_arena *arena, const assay_event *after,
                       uint32_t count, const rt_command_id **out_after);

/* Converts values of specialisation constants, in the arena. */
assay_status api_constants(assay_runtime *runtime, rt_arena *arena, const assay_constant *constants,
                           uint32_t count, const rt_spec_constant **out_constants);

/* ---- Tools --------------------------------------------------------------------------------- */

/* Sets runtime->worker, tools and fusion_compiler.  `program` as in assay_options. */
void api_tools_open(assay_runtime *runtime, const char *program);

#endif
