/* What every adapter checks of the names that it hands to a vendor's library, and of what the
 * library tells of a variable. */
#ifndef BACKENDS_VENDOR_VALIDATE_H
#define BACKENDS_VENDOR_VALIDATE_H

#include "reference/device/device.h"

/* Refuses a name with a NUL byte in it, which the library would take for another, shorter one:
 * ERRC_INVALID.  `what` has it ("a kernel"), and `api` is whose names have none ("OpenCL"). */
RT_MUST_USE rt_status vendor_name_validate(rt_sink *sink, const char *what, const char *api,
                                           rt_text name);

/* Refuses a variable of more bytes than assay handles: LIMIT. */
RT_MUST_USE rt_status vendor_variable_validate(rt_sink *sink, rt_text name, uint64_t size);

/* Refuses code of another format than the device takes: UNSUPPORTED.  `device` is its name. */
RT_MUST_USE rt_status vendor_format_validate(rt_sink *sink, rt_text device, rt_format taken,
                                             rt_format given);

/* Refuses what is not a header and whole instructions of SPIR-V (MALFORMED): there are drivers that
 * end the process when a module is cut off.  The driver judges the instructions. */
RT_MUST_USE rt_status vendor_spirv_validate(rt_sink *sink, rt_bytes code);

#endif
