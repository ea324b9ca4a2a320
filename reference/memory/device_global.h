/* The device global database: all device_global variables of a process.
 *
 * An entry is created when a module's host code registers its variable (device_global_map::add) or
 * when a program whose images have the variable is created, whichever happens first.  It is found
 * by the variable's unique id or by the address of its host object. Addresses are represented by
 * ids: modules that register the same unique id share one host object, as the loader binds them. An
 * entry ends when the last of these modules is unloaded; loading one again creates another object
 * and another entry, whose contents are initially zero. Storage to which programs point lives until
 * the process ends.
 *
 * Without image scope, an entry has one instance per device and context, which holds the contents;
 * with image scope, each program holds its own. The commands that zero instances, write pointers
 * and copy belong to sched.
 *
 * Threads: registration and the program hooks may come from any thread; the database has a lock.
 * Instances, and variables of programs, belong to the scheduler, which calls the database under its
 * own lock.
 *
 * Source: document 002 (DeviceGlobal.md), "Changes to the DPC++ runtime" and "Initializing the
 * device global variables in device code". */
#ifndef REFERENCE_MEMORY_DEVICE_GLOBAL_H
#define REFERENCE_MEMORY_DEVICE_GLOBAL_H

#include "reference/image/device_global.h"
#include "reference/memory/memory.h"

/* The address of a host object; never reused in a process. */
typedef uint32_t rt_host_address;
#define RT_HOST_ADDRESS_NONE UINT32_MAX

#define RT_GLOBAL_COMMAND_NONE UINT32_MAX

/* The storage of a variable without image scope on one device. */
typedef struct rt_global_instance {
    const rt_device *device;
    rt_context_id context; /* the context in which it was created */
    rt_memory *memory;     /* USM device memory */
    uint32_t zero;         /* the command that writes the zeros or the initial value */
} rt_global_instance;

/* The value of a variable in host memory, either for one context and device or for all of them. */
#define RT_GLOBAL_VALUE_ALL UINT32_MAX
typedef struct rt_global_host_value {
    uint32_t context, device; /* RT_GLOBAL_VALUE_ALL: for all of them */
    rt_memory *memory;
} rt_global_host_value;

typedef struct rt_global_entry {
    rt_text unique_id;
    rt_text name;                /* as in the source; the unique id if only images describe the
                                  * variable */
    rt_host_address address;     /* NONE: no host code has registered the variable */
    uint32_t registration_count; /* number of loaded modules whose host code has registered the
                                  * variable */
    rt_host_access host_access;
    uint64_t size;    /* sizeof(T) in bytes; 0: no image has described the variable (DG-DB-04) */
    bool image_scope; /* described together with the size */
    rt_bytes initial; /* with which the host object begins, and every instance; empty: zeros */
    RT_VECTOR(rt_global_instance *) instances;
    /* The host object: its val, for a variable that no image has, and the usmptr that is cached
     * there, which is valid for one device and context (DG-COPY-06). */
    RT_VECTOR(rt_global_host_value) values; /* see rt_global_value */
    rt_global_instance *cached;
} rt_global_entry;

/* One variable of one program. */
typedef struct rt_program_global {
    rt_global_entry *entry;
    uint64_t size; /* as stated by the program's image */
    bool image_scope;
    rt_memory *variable; /* represents the variable; NULL until a command needs it */
    uint8_t pointer[8];  /* the address that is written to the variable; lives as long as the
                          * program */
    uint32_t point;      /* the command that writes the address */
} rt_program_global;

typedef struct rt_program_globals {
    RT_VECTOR(rt_program_global) list; /* in the order of the images and their sets */
    rt_text damaged;                   /* name of an image with an unreadable property; empty: there
                                        * is none */
} rt_program_globals;

typedef struct rt_global_database rt_global_database;

typedef struct rt_global_database_parameters {
    rt_sink *sink; /* borrowed, as is the trace */
    rt_trace *trace;
    /* Assigns the id of a memory that the database creates (rt_memory.id). */
    uint32_t (*memory_id)(void *user);
    void *user;
} rt_global_database_parameters;

/* Creates an empty database. */
rt_global_database *rt_global_database_create(const rt_global_database_parameters *parameters);

/* Frees the database with all its memory; no programs or commands may still exist. */
void rt_global_database_destroy(rt_global_database *database);

/* ---- Registration --------------------------------------------------------------------------- */

/* A module's host code registers a variable when the module is loaded, and unregisters it once when
 * the module is unloaded.  The texts are copied. */
void rt_global_database_add(rt_global_database *database, const rt_device_global *global);
void rt_global_database_remove(rt_global_database *database, const rt_device_global *global);

/* The functions for an rt_program_observer; `user` is the database. */
void rt_global_program_created(void *user, const rt_program *program);
void rt_global_program_released(void *user, const rt_program *program);

/* ---- Look-up -------------------------------------------------------------------------------- */

/* The address of the host object registered under the unique id; RT_HOST_ADDRESS_NONE: none is
 * registered. */
rt_host_address rt_global_database_address(rt_global_database *database, rt_text unique_id);

/* The entry with the given address; NULL: there is none. */
rt_global_entry *rt_global_database_find(rt_global_database *database, rt_host_address address);

/* Traces that the entry was looked up. A copy that finds usmptr in the host object looks up no
 * entry (DG-COPY-06). */
void rt_global_database_found(rt_global_database *database, const rt_global_entry *entry);

/* The entry with the given unique id; NULL: there is none. */
rt_global_entry *rt_global_database_entry(rt_global_database *database, rt_text unique_id);

/* The variables of a program, valid for as long as the program exists. */
rt_program_globals *rt_global_database_program(rt_global_database *database,
                                               const rt_program *program);

/* ---- Content -------------------------------------------------------------------------------- */

/* Creates an entry's instance on a device: `size` bytes with undefined contents, which the caller
 * fills. Returns the codes of rt_memory_usm_create; *out_instance is NULL on failure. */
RT_MUST_USE rt_status rt_global_instance_make(rt_global_database *database, rt_global_entry *entry,
                                              const rt_device *device, rt_context_id context,
                                              uint64_t size, rt_global_instance **out_instance);

/* The host object's val, `size` bytes, initial until something is copied to it (DG-SCOPE-08).  A
 * single value, for RT_GLOBAL_VALUE_ALL, serves every queue (DG-SCOPE-10); shipped DPC++ has one
 * per context and device. It is created if it does not exist. Returns the codes of
 * rt_memory_create; *out_memory is NULL on failure. */
RT_MUST_USE rt_status rt_global_value(rt_global_database *database, rt_global_entry *entry,
                                      uint32_t context, uint32_t device, uint64_t size,
                                      rt_memory **out_memory);

/* The value that rt_global_value created; NULL if it has not been created. */
rt_memory *rt_global_value_find(const rt_global_entry *entry, uint32_t context, uint32_t device);

/* Creates global->variable if it does not exist.  ERRC_INVALID: the program has no such variable;
 * ERRC_FEATURE_NOT_SUPPORTED: the device cannot find variables by name; MALFORMED: the variable is
 * smaller than `size`, the number of bytes that the caller needs; also the codes of
 * rt_memory_create. */
RT_MUST_USE rt_status rt_global_variable(rt_global_database *database, const rt_program *program,
                                         rt_program_global *global, uint64_t size);

#endif
