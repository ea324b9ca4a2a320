/* The simulated device's objects, shared by the files of this folder.
 *
 * Lifetimes.  The objects that a pending command needs (memories, a kernel and its program) outlive
 * the caller's destroy, so they are reference-counted: one reference is the caller's, and every
 * pending command holds one to each object that it uses (and a kernel or variable holds one to its
 * program).  Unified shared memory is the exception: the caller's destroy frees its bytes, as an
 * application's free does, so that a late command causes a finding. Every count, the pending set
 * and the world are guarded by the device's lock; the *_release functions are called with it held.
 */
#ifndef BACKENDS_SIM_SIMDEV_INTERNAL_H
#define BACKENDS_SIM_SIMDEV_INTERNAL_H

#include "backends/sim/simdev_order.h"
#include "reference/base/vector.h"
#include "reference/device/device.h"
#include "sim/sim.h"

#include <pthread.h>

typedef struct simdev_command simdev_command;
typedef struct simdev_mapping simdev_mapping;

typedef struct simdev_device {
    dev_device base;
    pthread_mutex_t lock;
    pthread_cond_t changed; /* a command has ended: waiters that had nothing to run look again */
    sim_world *world;
    sim_schedule schedule; /* used for every launch */
    uint64_t choice;       /* state of the generator that picks the next command */
    void (*on_finding)(void *user, const dev_finding *finding);
    void (*on_host_write)(void *user, void *destination, uint64_t size);
    void *finding_user; /* of both */
    void (*on_output)(void *user, rt_text text);
    void *output_user;
    RT_VECTOR(simdev_command *) ready;    /* commands whose predecessors are all done; unordered */
    uint32_t pending_count;               /* commands not done, the ready ones included */
    uint64_t host_writes;                 /* commands that may have written memory of the host */
    uint32_t host_pending;                /* host events that the host has not completed */
    RT_VECTOR(simdev_mapping *) mappings; /* all that exist (simdev_map.c) */
    simdev_history history;
    uint32_t (*choose_command)(void *user, uint32_t count, uint32_t drawn, uint32_t *out_number);
    void (*on_order)(void *user, uint32_t number, uint32_t alternative);
    void *order_user;
    uint64_t clock; /* counter for the times of commands: advances at each submission, start and
                     * end, so that the same seed gives the same times */
    bool has_host_clock; /* times are nanoseconds of the host's monotonic clock instead */
    bool keeps_writers;  /* the world knows who stored what */
    bool maps_usm;       /* USM of the kinds host and shared is at its address in this process */
} simdev_device;

typedef struct simdev_program {
    dev_program base;
    simdev_device *device;
    uint32_t references;
    sim_native code;                /* of a compiled, built or loaded program: its modules; of a
                                     * linked one: none */
    sim_program *program;           /* executable; otherwise NULL */
    struct simdev_program **inputs; /* of a linked one: references to its inputs, for its binary */
    uint32_t input_count;
} simdev_program;

typedef struct simdev_memory {
    dev_memory base;
    simdev_device *device;
    uint32_t references;
    sim_object object;       /* USM: destroyed with the caller's reference; otherwise with the last
                              * reference */
    simdev_program *program; /* of a program's variable: a reference; otherwise NULL */
    struct simdev_memory
        *whole; /* of a part: a reference to the memory with its bytes; else NULL */
} simdev_memory;

typedef struct simdev_kernel {
    dev_kernel base;
    simdev_device *device;
    uint32_t references;
    simdev_program *program; /* a reference */
    const sim_kernel *kernel;
} simdev_kernel;

/* Drops a reference; dropping the last one frees the object. The device's lock is held. */
void simdev_memory_release(simdev_memory *memory);
void simdev_program_release(simdev_program *program);
void simdev_kernel_release(simdev_kernel *kernel);

/* Reads an image's code; the caller frees *out_code, which is empty on failure.  Fails with the
 * codes of sim_module_create and sim_native_read, or UNSUPPORTED: the device does not take the
 * format. */
RT_MUST_USE rt_status simdev_code_read(rt_sink *sink, const dev_code *code, sim_native *out_code);

/* Returns the device's dev_capabilities.formats_taken. */
uint32_t simdev_formats_taken(void);

/* ---- Mappings (simdev_map.c); the lock is held ---------------------------------------------- */

/* A range of a buffer that the host has mapped.  Its bytes are copies, so that only a map and an
 * unmap move anything. */
struct simdev_mapping {
    dev_mapping base;
    simdev_device *device;
    uint32_t references; /* the caller's, until the unmap has it, and the pending map's */
    uint32_t tag;        /* of the map */
    sim_object object;   /* that has the buffer's bytes */
    uint64_t offset;     /* of the range in the object */
    uint64_t begin, end; /* of the buffer, which may be a part, in the object */
    bool is_open;        /* the host has not enqueued the unmap */
    bool is_active;      /* the map has run, and the unmap has not */
    uint8_t *written;    /* for each byte, 1 if the host has written it */
};

/* Creates a mapping, with one reference.  ERRC_INVALID: it maps bytes for writing that are mapped
 * for writing already; ERRC_MEMORY_ALLOCATION. */
RT_MUST_USE rt_status simdev_mapping_create(simdev_memory *memory, dev_map map, uint32_t tag,
                                            simdev_mapping **out_mapping);
/* Drops a reference; dropping the last one frees the mapping, unless its unmap has failed. */
void simdev_mapping_release(simdev_mapping *mapping);
/* Frees the mappings of an object that is being destroyed. */
void simdev_mappings_forget(simdev_device *device, sim_object object);
/* Do what the commands map and unmap do, and note what that accesses. */
void simdev_mapping_begin(simdev_mapping *mapping);
void simdev_mapping_end(simdev_mapping *mapping);
void simdev_mapping_note(const simdev_mapping *mapping, simdev_node *node, bool is_unmap);
/* True if a command that accesses a mapped buffer may be undefined. */
bool simdev_is_mapped(const simdev_device *device);
/* Reports the accesses of a command that has run to buffers that were mapped meanwhile.  `own`:
 * what the command itself maps or unmaps; NULL: nothing. */
void simdev_mapped_judge(simdev_device *device, const simdev_node *node, const simdev_mapping *own);
/* The mapping that contains the address; NULL: none does. */
const simdev_mapping *simdev_mapping_at(const simdev_device *device, uint64_t address);

/* Of dev_memory_ops. */
void simdev_mapping_access(dev_mapping *mapping, uint32_t tag, uint64_t offset, uint64_t size,
                           bool is_write);
void simdev_mapping_defined(dev_mapping *mapping, uint8_t *out_bits);

/* Create a queue and a host event (dev_device_ops). */
dev_queue_create_op simdev_queue_create;
dev_host_event_create_op simdev_host_event_create;

#endif
