/* Reads the layer's log (layer.h).
 *
 * The log comes from another process, which may have been killed while writing: its contents are
 * untrusted, an incomplete last line is ignored, and a call that did not return is represented by
 * its announcement. */
#ifndef BACKENDS_OPENCL_LAYER_LOG_H
#define BACKENDS_OPENCL_LAYER_LOG_H

#include "backends/opencl/layer/layer.h"
#include "reference/base/arena.h"

typedef struct ocl_call_field {
    rt_text key, value; /* the original value, unescaped */
    bool is_nothing;    /* the value is "-" */
} ocl_call_field;

/* One OpenCL call. */
typedef struct ocl_call {
    uint32_t process; /* counted from 0, in the order of the processes' first records */
    uint32_t thread;  /* number of the thread in that process */
    bool returned;
    int32_t result; /* OpenCL's result, if the call returned */
    rt_text name;   /* "clLinkProgram" */
    const ocl_call_field *fields;
    uint32_t field_count;
} ocl_call;

typedef struct ocl_call_log {
    /* Calls that returned, in the order of their returns; then those that did not, in the order in
     * which they began.  The layer's own records are not included. */
    const ocl_call *calls;
    uint32_t call_count;
    uint32_t process_count; /* processes that loaded the layer; 0 if none did */
    bool is_cut;            /* the last line is incomplete */
    bool is_full;           /* calls are missing: OCL_LAYER_LOG_MAX was reached */
} ocl_call_log;

/* Reads a log.  Everything is copied into the arena.  MALFORMED: a line is not a record (the
 * message says which and why), or a record's version is not OCL_LAYER_VERSION.  If `is_tail`, the
 * text is the end of a longer log: its first, possibly partial line is skipped, and the layer's
 * first record may be missing. */
RT_MUST_USE rt_status ocl_call_log_read(rt_sink *sink, rt_arena *arena, rt_text text, bool is_tail,
                                        ocl_call_log *out_log);

/* Returns the value of a field; empty if the call has no such field or the value is "-". */
rt_text ocl_call_text(const ocl_call *call, const char *key);

/* Returns the value as a number.  False if it is not one. */
bool ocl_call_number(const ocl_call *call, const char *key, uint64_t *out_number);

/* Returns the value as a list of numbers in the arena.  False if it is empty, or an item is not a
 * number ("?", an object whose creation was not recorded, yields UINT64_MAX). */
bool ocl_call_numbers(rt_arena *arena, const ocl_call *call, const char *key,
                      const uint64_t **out_numbers, uint32_t *out_count);

/* Returns the hash, as printed by rt_hash_print, and the size of the code that was passed.  False
 * if the call has none. */
bool ocl_call_code(const ocl_call *call, rt_text *out_hash, uint64_t *out_size);

/* Appends a readable form of a call, on one line without a newline: its name, its fields, and its
 * result or a note that it has not returned. */
void ocl_call_print(rt_buffer *out, const ocl_call *call);

#endif
