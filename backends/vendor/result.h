/* Maps results of a vendor's calls to status codes.  The meaning of a result depends on the call,
 * and a driver may return any result from any call; so a code is looked up by the result and the
 * stage, the operation in progress.  A result that an adapter's table does not list at that stage
 * is DRIVER_ERROR. */
#ifndef BACKENDS_VENDOR_RESULT_H
#define BACKENDS_VENDOR_RESULT_H

#include "reference/base/status.h"

/* A row of an adapter's table.  A result may have several rows, one per code. */
typedef struct vendor_result {
    int result;      /* the interface's number */
    unsigned stages; /* bit i: the row applies to the adapter's stage i */
    rt_code code;
    const char *name; /* NULL if the library supplies the name */
} vendor_result;

/* Returns the status code for a call that failed at a stage. */
rt_code vendor_result_code(const vendor_result *rows, size_t count, unsigned stage, int result);

/* Returns the name of a result, a static string; NULL if the table does not name it. */
const char *vendor_result_name(const vendor_result *rows, size_t count, int result);

#endif
