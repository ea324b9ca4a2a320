/* The record of everything that the reference runtime promises: one vocabulary of events.
 *
 * Events carry names and ids, never addresses or times, so that the traces of two subjects can be
 * compared and a trace is the same on every machine. */
#ifndef REFERENCE_TRACE_TRACE_H
#define REFERENCE_TRACE_TRACE_H

#include "reference/base/text.h"

/* event, name in scenarios, names of its fields separated by spaces.  Fields that hold a list end
 * in "[]" here (not in scenarios). */
#define RT_EVENTS(EVENT)                                                                           \
    /* the program ended and began anew; ids of programs, commands and queues begin at 0 again */  \
    EVENT(RESTART, "restart", "process")                                                           \
    /* the OS loader loaded or unloaded a module; path is its file's name */                       \
    EVENT(MODULE_LOAD, "module_load", "module path")                                               \
    EVENT(MODULE_UNLOAD, "module_unload", "module")                                                \
    /* a module's constructor registered an image; its destructor took it back */                  \
    EVENT(IMAGE_REGISTER, "image_register", "image module format")                                 \
    EVENT(IMAGE_UNREGISTER, "image_unregister", "image module")                                    \
    /* the application loaded an image itself */                                                   \
    EVENT(IMAGE_LOAD, "image_load", "image module")                                                \
    /* an image was chosen to provide a kernel */                                                  \
    EVENT(SELECT, "select", "kernel image")                                                        \
    /* resolution looks for the exporter of an import; found one; found none */                    \
    EVENT(SEARCH, "search", "image symbol")                                                        \
    EVENT(RESOLVE, "resolve", "image symbol provider")                                             \
    EVENT(UNRESOLVED, "unresolved", "image symbol")                                                \
    /* something that a rule leaves open was chosen, among two or more */                          \
    EVENT(CHOICE, "choice", "rule of taken")                                                       \
    /* a program object was made from one image: for linking, or executable at once; by the        \
     * device's compiler, or read as it was compiled ahead of time */                              \
    EVENT(CREATE, "create", "image executable compiled")                                           \
    /* program objects were linked, by the driver or by a tool of ours */                          \
    EVENT(LINK, "link", "program inputs[] by")                                                     \
    /* a program was made executable; constants are those that were set, as "name=value" */        \
    EVENT(BUILD, "build", "program images[] device context constants[]")                           \
    /* a kernel object was taken from a program */                                                 \
    EVENT(KERNEL_CREATE, "kernel_create", "kernel program")                                        \
    /* the program cache: a tuple was stored, found, or dropped with its module */                 \
    EVENT(CACHE_STORE, "cache_store", "kernel module device program")                              \
    EVENT(CACHE_HIT, "cache_hit", "kernel module device program")                                  \
    EVENT(CACHE_DROP, "cache_drop", "kernel module device program")                                \
    /* the persistent cache: a program was had from it, in place of being built; one was put */    \
    /* there; an entry was of no use, and why; one could not be kept, and why, told once */        \
    EVENT(PERSISTENT_HIT, "persistent_hit", "program images[] device context constants[]")         \
    EVENT(PERSISTENT_STORE, "persistent_store", "program images[] device")                         \
    EVENT(PERSISTENT_REJECT, "persistent_reject", "program images[] device reason")                \
    EVENT(PERSISTENT_FAIL, "persistent_fail", "program images[] device reason")                    \
    /* kernel bundles: the application got one, of these images; compiled or built one; linked or  \
     * joined several; "of" and "bundles" are those that it was made of */                         \
    EVENT(BUNDLE_GET, "bundle_get", "bundle state images[] device context")                        \
    EVENT(BUNDLE_COMPILE, "bundle_compile", "bundle of images[]")                                  \
    EVENT(BUNDLE_LINK, "bundle_link", "bundle bundles[] images[]")                                 \
    EVENT(BUNDLE_BUILD, "bundle_build", "bundle of images[]")                                      \
    EVENT(BUNDLE_JOIN, "bundle_join", "bundle bundles[] images[]")                                 \
    EVENT(RELEASE, "release", "program")                                                           \
    /* commands, when they are handed to a device */                                               \
    EVENT(LAUNCH, "launch",                                                                        \
          "command kernel program queue device global[] local[] offset[] after[]")                 \
    EVENT(COPY, "copy", "command from from_offset to to_offset size queue device after[]")         \
    EVENT(FILL, "fill", "command memory offset size pattern queue device after[]")                 \
    EVENT(UPLOAD, "upload", "command memory device after[]")                                       \
    EVENT(HOST_READ, "host_read", "command memory device after[]")                                 \
    /* a host task ran */                                                                          \
    EVENT(HOST_TASK, "host_task", "command from to queue after[]")                                 \
    /* kernel fusion: a queue's fusion command (its number as a command) has a new status; a       \
     * kernel was put into its list, as that command; the list goes to the fusion compiler, with   \
     * the range of the fused kernel; that was compiled, or there already; the fusion ended early, \
     * or could not be, and why */                                                                 \
    EVENT(FUSION_STATUS, "fusion_status", "queue fusion status")                                   \
    EVENT(FUSION_HOLD, "fusion_hold", "command kernel queue fusion held_after[]")                  \
    EVENT(FUSE, "fuse",                                                                            \
          "kernel queue kernels[] global[] local[] offset[] barriers joined promoted[] constants") \
    /* an image that was made at run time came in, with the hash of its code */                    \
    EVENT(INJECT, "inject", "image code")                                                          \
    EVENT(FUSION_CACHE_HIT, "fusion_cache_hit", "kernel queue")                                    \
    EVENT(FUSION_CANCEL, "fusion_cancel", "queue reason rule detail")                              \
    /* a buffer was not promoted as it was asked for */                                            \
    EVENT(FUSION_DEMOTE, "fusion_demote", "memory reason")                                         \
    /* what the runtime prints where SYCL_RT_WARNING_LEVEL is 1 or more */                         \
    EVENT(WARNING, "warning", "text")                                                              \
    /* the application waits: for everything, for a queue, or for a command with what it needs */  \
    EVENT(WAIT, "wait", "commands queue command")                                                  \
    /* a call of the application was refused */                                                    \
    EVENT(ERROR, "error", "class rule names[]")

typedef enum rt_event_kind {
#define RT_EVENT_ENUM(kind, name, fields) RT_EVENT_##kind,
    RT_EVENTS(RT_EVENT_ENUM)
#undef RT_EVENT_ENUM
        RT_EVENT_COUNT
} rt_event_kind;

/* The name of an event kind, static. */
const char *rt_event_name(rt_event_kind kind);

/* The names of the fields that events of that kind have, as the table has them: separated by
 * spaces,
 * "[]" behind those that hold a list.  Static. */
const char *rt_event_fields(rt_event_kind kind);

/* Finds an event kind by name; RT_EVENT_COUNT where there is none. */
rt_event_kind rt_event_find(rt_text name);

/* True when events of that kind have a field of that name; *out_is_list (may be NULL) tells whether
 * it holds a list. */
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

/* A field to emit: exactly one of text, number and list is used, as `type` says. */
typedef struct rt_trace_value {
    const char *key;
    rt_text text;
    uint64_t number;
    const rt_text *texts;
    const uint64_t *numbers;
    uint32_t count; /* of texts or numbers */
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

/* Makes an empty trace; the caller destroys it (NULL does nothing), and every event with it. */
rt_trace *rt_trace_create(void);
void rt_trace_destroy(rt_trace *trace);

/* Appends an event; values are copied; their keys must be fields of the kind.  Thread-safe. */
void rt_trace_emit(rt_trace *trace, rt_event_kind kind, const rt_trace_value *values,
                   uint32_t value_count);

/* RT_TRACE(trace, LAUNCH, RT_N("command", 3), RT_T("kernel", name), …) */
#define RT_TRACE(trace, kind, ...)                                                                 \
    rt_trace_emit((trace), RT_EVENT_##kind, (const rt_trace_value[]){__VA_ARGS__},                 \
                  sizeof((const rt_trace_value[]){__VA_ARGS__}) / sizeof(rt_trace_value))

/* Number of events so far; thread-safe.  Events never change or move once they are there. */
uint32_t rt_trace_count(rt_trace *trace);

/* The event of that index, valid as long as the trace; thread-safe. */
const rt_event *rt_trace_event(rt_trace *trace, uint32_t index);

/* Prints the newest `limit` events, one a line, to stderr.  For a panic's message: takes no lock,
 * so it may miss what another thread emits at that moment. */
void rt_trace_print_newest(const rt_trace *trace, uint32_t limit);

/* The field of that name, NULL where the event has none. */
const rt_event_field *rt_event_field_find(const rt_event *event, rt_text key);

#endif
