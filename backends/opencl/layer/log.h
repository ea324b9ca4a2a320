/* Reading what the layer wrote (layer.h).
 *
 * The log comes from another process, which may have been killed while it wrote: nothing in it is
 * trusted, an incomplete last line is left out, and for a call that did not return, the record of
 * its beginning is kept. */
#ifndef BACKENDS_OPENCL_LAYER_LOG_H
#define BACKENDS_OPENCL_LAYER_LOG_H

#include "backends/opencl/layer/layer.h"
#include "reference/base/arena.h"

typedef struct ocl_call_field {
    rt_text key, value; /* the value as it was, without escapes */
    bool is_nothing;    /* it is "-" */
} ocl_call_field;

/* One call of OpenCL. */
typedef struct ocl_call {
    uint32_t process; /* counted from 0, in the order in which their first records stand */
    uint32_t thread;  /* of that process */
    bool returned;
    int32_t result; /* OpenCL's, where it returned */
    rt_text name;   /* "clLinkProgram" */
    const ocl_call_field *fields;
    uint32_t field_count;
} ocl_call;

typedef struct ocl_call_log {
    /* In the order in which they returned; behind them those that have not, as they began.  The
     * layer's own records are not among them. */
    const ocl_call *calls;
    uint32_t call_count;
    uint32_t process_count; /* processes in which the layer was loaded; 0: it was not */
    bool is_cut;            /* the last line has no end */
    bool is_full;           /* calls are missing: OCL_LAYER_LOG_MAX was reached */
} ocl_call_log;

/* Reads a log.  Everything is copied into the arena.  MALFORMED: a line is not a record (which, and
 * what is wrong with it), or a record is of another version than OCL_LAYER_VERSION.  With `is_tail`
 * the text is the end of a longer log: what stands before its first line's end is left out, and the
 * layer's first record need not be there. */
RT_MUST_USE rt_status ocl_call_log_read(rt_sink *sink, rt_arena *arena, rt_text text, bool is_tail,
                                        ocl_call_log *out_log);

/* The value of a field, empty where the call has none of that name or it is nothing. */
rt_text ocl_call_text(const ocl_call *call, const char *key);

/* The value as a number; false: there is none. */
bool ocl_call_number(const ocl_call *call, const char *key, uint64_t *out_number);

/* The value as a list of numbers, in the arena; false: there is none, or an item is not a number
 * ("?", an object whose creation was not recorded, gives UINT64_MAX). */
bool ocl_call_numbers(rt_arena *arena, const ocl_call *call, const char *key,
                      const uint64_t **out_numbers, uint32_t *out_count);

/* Hash and size of code that was passed, as rt_hash_print has it; false: the call has none. */
bool ocl_call_code(const ocl_call *call, rt_text *out_hash, uint64_t *out_size);

/* Appends a call for people, in one line without its end: name, fields, and the result or that it
 * has not returned. */
void ocl_call_print(rt_buffer *out, const ocl_call *call);

#endif
