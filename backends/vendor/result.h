/* Results of a vendor's calls as codes of statuses.
 *
 * A result means different things at different calls, and a driver may answer anything at any call;
 * so a result's code is looked up with what was being done, the stage, and what an adapter's table
 * does not list there is DRIVER_ERROR. */
#ifndef BACKENDS_VENDOR_RESULT_H
#define BACKENDS_VENDOR_RESULT_H

#include "reference/base/status.h"

/* A row of an adapter's table; a result may have several, one for each of its codes. */
typedef struct vendor_result {
    int result;      /* as the interface numbers it */
    unsigned stages; /* bit i: it is of this code at stage i of the adapter's */
    rt_code code;
    const char *name; /* NULL where the library names it */
} vendor_result;

/* The code of a failed call at a stage. */
rt_code vendor_result_code(const vendor_result *rows, size_t count, unsigned stage, int result);

/* The name of a result, static; NULL for one that the table does not name. */
const char *vendor_result_name(const vendor_result *rows, size_t count, int result);

#endif
