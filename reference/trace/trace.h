/* The trace: a record of everything observable that the reference runtime does, in one vocabulary
 * of events.
 *
 * Events carry names and ids, never addresses or times, so that a trace is the same on every
 * machine and the traces of two subjects can be compared. */
#ifndef REFERENCE_TRACE_TRACE_H
#define REFERENCE_TRACE_TRACE_H

#include "reference/base/text.h"

/* Each row: event, its name in scenarios, and the names of its fields, separated by spaces. Names
 * of fields that hold a list end in "[]" here (not in scenarios). */
#define RT_EVENTS(EVENT)                                                                           \
    /* the program was restarted; ids of programs, commands and queues start at 0 again */         \
    EVENT(RESTART, "restart", "process")                                                           \
    /* the OS loader loaded or unloaded a module; path is the name of its file */                  \
    EVENT(MODULE_LOAD, "module_load", "module path")                                               \
    EVENT(MODULE_UNLOAD, "module_unload", "module")                                                \
    /* a module's host code registered a device_global: its name in the source, its unique id, its \
     * size in bytes */                                                                            \
    EVENT(DEVICE_GLOBAL_REGISTER, "device_global_register", "module variable id size image_scope") \
    /* a module's constructor registered an image; its destructor unregistered it */               \
    EVENT(IMAGE_REGISTER, "image_register", "image module format")                                 \
    EVENT(IMAGE_UNREGISTER, "image_unregister", "image module")                                    \
    /* the application loaded a single image */                                                    \
    EVENT(IMAGE_LOAD, "image_load", "image module")                                                \
    /* an image was chosen to provide a kernel */                                                  \
    EVENT(SELECT, "select", "kernel image")                                                        \
    /* resolution searched for the exporter of an import, found one, or found none */              \
    EVENT(SEARCH, "search", "image symbol")                                                        \
    EVENT(RESOLVE, "resolve", "image symbol provider")                                             \
    /* an image that exports the symbol was not taken, and why */                                  \
    EVENT(PASS_OVER, "pass_over", "image symbol provider reason")                                  \
    EVENT(UNRESOLVED, "unresolved", "image symbol")                                                \
    /* an image joined a link set because it provides a set of virtual functions that another      \
     * image calls, creates or uses (relation); stands_for: the image that it replaces, if it is a \
     * dummy */                                                                                    \
    EVENT(JOIN, "join", "image set relation provider stands_for")                                  \
    /* a choice that a rule leaves open was made among two or more alternatives */                 \
    EVENT(CHOICE, "choice", "rule of taken")                                                       \
    /* a program object was created from one image: either executable immediately or to be linked  \
     * (executable), and either compiled by the device's compiler or loaded as code compiled ahead \
     * of time (compiled) */                                                                       \
    EVENT(CREATE, "create", "image executable compiled")                                           \
    /* program objects were linked, by the driver or by one of our tools */                        \
    EVENT(LINK, "link", "program inputs[] by")                                                     \
    /* a program was built; constants are the specialisation constants that were set, as           \
     * "name=value" */                                                                             \
    EVENT(BUILD, "build", "program images[] device context constants[]")                           \
    /* a kernel object was taken from a program */                                                 \
    EVENT(KERNEL_CREATE, "kernel_create", "kernel program")                                        \
    /* the program cache: a tuple was stored, was found, or was dropped with its module */         \
    EVENT(CACHE_STORE, "cache_store", "kernel module device program")                              \
    EVENT(CACHE_HIT, "cache_hit", "kernel module device program")                                  \
    EVENT(CACHE_DROP, "cache_drop", "kernel module device program")                                \
    /* the persistent cache: a program was loaded from it instead of being built; a program was    \
     * stored; an entry was unusable (and why); a program could not be stored (and why; reported   \
     * once) */                                                                                    \
    EVENT(PERSISTENT_HIT, "persistent_hit", "program images[] device context constants[]")         \
    EVENT(PERSISTENT_STORE, "persistent_store", "program images[] device")                         \
    EVENT(PERSISTENT_REJECT, "persistent_reject", "program images[] device reason")                \
    EVENT(PERSISTENT_FAIL, "persistent_fail", "program images[] device reason")                    \
    /* kernel bundles: the application obtained one with these images, or compiled, linked, built  \
     * or joined one from others; "of" and "bundles" are the inputs */                             \
    EVENT(BUNDLE_GET, "bundle_get", "bundle state images[] device context")                        \
    EVENT(BUNDLE_COMPILE, "bundle_compile", "bundle of images[]")                                  \
    EVENT(BUNDLE_LINK, "bundle_link", "bundle bundles[] images[]")                                 \
    EVENT(BUNDLE_BUILD, "bundle_build", "bundle of images[]")                                      \
    EVENT(BUNDLE_JOIN, "bundle_join", "bundle bundles[] images[]")                                 \
    EVENT(RELEASE, "release", "program")                                                           \
    /* commands, traced when they are submitted to a device */                                     \
    EVENT(LAUNCH, "launch",                                                                        \
          "command kernel program queue device global[] local[] offset[] after[]")                 \
    EVENT(COPY, "copy", "command from from_offset to to_offset size queue device after[]")         \
    EVENT(FILL, "fill", "command memory offset size pattern queue device after[]")                 \
    EVENT(BARRIER, "barrier", "command queue device after[]")                                      \
    EVENT(MARKER, "marker", "command queue device after[]")                                        \
    /* the application created a user event, and completed it */                                   \
    EVENT(USER_EVENT, "user_event", "command device")                                              \
    EVENT(MAP, "map", "command memory offset size access queue device after[]")                    \
    EVENT(UNMAP, "unmap", "command memory offset size map queue device after[]")                   \
    EVENT(EVENT_COMPLETE, "event_complete", "command failed")                                      \
    EVENT(UPLOAD, "upload", "command memory device after[]")                                       \
    EVENT(HOST_READ, "host_read", "command memory device after[]")                                 \
    /* device_globals: a program's image describes one; one was looked up by the address of its    \
     * host object; one got device memory, which a command fills with zeros; the pointer in a      \
     * program was set to that memory; an instance inside a program was copied to or from a        \
     * memory; a copy accesses the host object itself */                                           \
    EVENT(DEVICE_GLOBAL_DESCRIBE, "device_global_describe", "id size image_scope program")         \
    EVENT(DEVICE_GLOBAL_FIND, "device_global_find", "variable id")                                 \
    EVENT(DEVICE_GLOBAL_ALLOCATE, "device_global_allocate", "variable id device context size")     \
    EVENT(DEVICE_GLOBAL_ZERO, "device_global_zero", "command variable size device after[]")        \
    EVENT(DEVICE_GLOBAL_INITIAL, "device_global_initial", "command variable size device after[]")  \
    EVENT(DEVICE_GLOBAL_POINT, "device_global_point",                                              \
          "command variable id program offset size device after[]")                                \
    EVENT(DEVICE_GLOBAL_READ, "device_global_read",                                                \
          "command variable program offset memory memory_offset size queue device after[]")        \
    EVENT(DEVICE_GLOBAL_WRITE, "device_global_write",                                              \
          "command variable program offset memory memory_offset size queue device after[]")        \
    EVENT(DEVICE_GLOBAL_HOST, "device_global_host", "variable id")                                 \
    /* a host task ran */                                                                          \
    EVENT(HOST_TASK, "host_task", "command from to queue after[]")                                 \
    /* kernel fusion: the status of a queue's fusion command (given by its id) changed; a kernel   \
     * was added to that command's list, as the given command; a list is passed to the fusion      \
     * compiler, with the range of the fused kernel */                                             \
    EVENT(FUSION_STATUS, "fusion_status", "queue fusion status")                                   \
    EVENT(FUSION_HOLD, "fusion_hold", "command kernel queue fusion held_after[]")                  \
    EVENT(FUSE, "fuse",                                                                            \
          "kernel queue kernels[] global[] local[] offset[] barriers joined promoted[] constants") \
    /* an image that was created at run time was added, with the hash of its code; a fused kernel  \
     * was found in the store; a fusion ended early or was impossible, and why */                  \
    EVENT(INJECT, "inject", "image code")                                                          \
    EVENT(FUSION_CACHE_HIT, "fusion_cache_hit", "kernel queue")                                    \
    EVENT(FUSION_CANCEL, "fusion_cancel", "queue reason rule detail")                              \
    /* a buffer was not promoted although that was requested */                                    \
    EVENT(FUSION_DEMOTE, "fusion_demote", "memory reason")                                         \
    /* a warning, which the runtime prints if SYCL_RT_WARNING_LEVEL is 1 or more */                \
    EVENT(WARNING, "warning", "text")                                                              \
    /* the application waits for everything, for a queue, or for a command and its dependencies */ \
    EVENT(WAIT, "wait", "commands queue command")                                                  \
    /* a call by the application was refused */                                                    \
    EVENT(ERROR, "error", "class rule names[]")

typedef enum rt_event_kind {
#define RT_EVENT_ENUM(kind, name, fields) RT_EVENT_##kind,
    RT_EVENTS(RT_EVENT_ENUM)
#undef RT_EVENT_ENUM
        RT_EVENT_COUNT
} rt_event_kind;

/* The name of an event kind; a static string. */
const char *rt_event_name(rt_event_kind kind);

/* The names of the fields of that kind of event, as in the table: separated by spaces, with lists
 * marked by a trailing "[]". A static string. */
const char *rt_event_fields(rt_event_kind kind);

/* Finds an event kind by its name; RT_EVENT_COUNT if there is none. */
rt_event_kind rt_event_find(rt_text name);

/* True if events of that kind have a field with that name; *out_is_list (may be NULL) then says
 * whether the field holds a list. */
bool rt_event_has_field(rt_event_kind kind, rt_text field, bool *out_is_list);

/* One field of an event.  A number is kept as its decimal text. */
typedef struct rt_event_field {
    const char *key; /* static */
    bool is_list;
    const rt_text *values; /* one unless is_list */
    uint32_t value_count;
} rt_event_field;

typedef struct rt_event {
    rt_event_kind kind;
    const rt_event_field *fields;
    uint32_t field_count;
} rt_event;

/* A field to emit; `type` selects which of text, number, texts and numbers is used. */
typedef struct rt_trace_value {
    const char *key;
    rt_text text;
    uint64_t number;
    const rt_text *texts;
    const uint64_t *numbers;
    uint32_t count; /* number of texts or numbers */
    enum { RT_TRACE_TEXT, RT_TRACE_NUMBER, RT_TRACE_TEXTS, RT_TRACE_NUMBERS } type;
} rt_trace_value;

#define RT_T(name, value) ((rt_trace_value){.key = name, .type = RT_TRACE_TEXT, .text = (value)})
#define RT_N(name, value)                                                                          \
    ((rt_trace_value){.key = name, .type = RT_TRACE_NUMBER, .number = (value)})
#define RT_TS(name, values, n)                                                                     \
    ((rt_trace_value){.key = name, .type = RT_TRACE_TEXTS, .texts = (values), .count = (n)})
#define RT_NS(name, values, n)                                                                     \
    ((rt_trace_value){.key = name, .type = RT_TRACE_NUMBERS, .numbers = (values), .count = (n)})

typedef struct rt_trace rt_trace;

/* Creates an empty trace; the caller destroys it, which frees all events (destroying NULL does
 * nothing). */
rt_trace *rt_trace_create(void);
void rt_trace_destroy(rt_trace *trace);

/* Drops all events that are emitted from now on, after checking them.  Called before other threads
 * use the trace. */
void rt_trace_stop(rt_trace *trace);

/* Appends an event; values are copied. The keys must be fields of the kind, without repetition.
 * Thread-safe. */
void rt_trace_emit(rt_trace *trace, rt_event_kind kind, const rt_trace_value *values,
                   uint32_t value_count);

/* RT_TRACE(trace, LAUNCH, RT_N("command", 3), RT_T("kernel", name), …) */
#define RT_TRACE(trace, kind, ...)                                                                 \
    rt_trace_emit((trace), RT_EVENT_##kind, (const rt_trace_value[]){__VA_ARGS__},                 \
                  sizeof((const rt_trace_value[]){__VA_ARGS__}) / sizeof(rt_trace_value))

/* Number of events so far; thread-safe.  Events never change or move after they are emitted. */
uint32_t rt_trace_count(rt_trace *trace);

/* The event with that index, valid for as long as the trace exists; thread-safe. */
const rt_event *rt_trace_event(rt_trace *trace, uint32_t index);

/* Prints the newest `limit` events to stderr, one per line.  Used for panic messages: it takes no
 * lock, so it may miss an event that another thread is emitting. */
void rt_trace_print_newest(const rt_trace *trace, uint32_t limit);

/* The field with that name, or NULL. */
const rt_event_field *rt_event_field_find(const rt_event *event, rt_text key);

#endif
