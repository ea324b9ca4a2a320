/* Maps results of a vendor's calls to status codes and messages.  The meaning of a result depends
 * on the call, and a driver may return any result from any call; so a code is looked up by the
 * result and by the stage, which is the operation in progress.  A result that an adapter's table
 * does not list for the stage becomes DRIVER_ERROR. */
#ifndef BACKENDS_VENDOR_RESULT_H
#define BACKENDS_VENDOR_RESULT_H

#include "reference/base/status.h"

/* A row of an adapter's table.  A result may have several rows, one per code. */
typedef struct vendor_result {
    int result;      /* its number in the vendor's interface */
    unsigned stages; /* bit i: the row applies to the adapter's stage i */
    rt_code code;
    const char *name; /* NULL if the library supplies the name */
} vendor_result;

/* An adapter's table. */
typedef struct vendor_results {
    const vendor_result *rows;
    size_t count;
    const char *unnamed; /* printed in place of a name that the table lacks */
    bool is_hexadecimal; /* messages print the number in hexadecimal */
} vendor_results;

/* Returns the status code for a call that failed at a stage. */
rt_code vendor_result_code(const vendor_results *results, unsigned stage, int result);

/* Returns the name of a result, a static string; results->unnamed if the table lacks it. */
const char *vendor_result_name(const vendor_results *results, int result);

/* Appends the call and its result, for example "clLinkProgram: CL_LINK_PROGRAM_FAILURE (-17)". */
void vendor_result_print(rt_buffer *out, const vendor_results *results, const char *call,
                         int result);

/* Makes a status for a call that failed at a stage.  `log` is the log of the driver's compiler or
 * linker, and may be empty. */
RT_MUST_USE rt_status vendor_fail(rt_sink *sink, const vendor_results *results, unsigned stage,
                                  const char *call, int result, rt_text log);

#endif
