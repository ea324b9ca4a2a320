/* Checks that all adapters share: of names, formats and SPIR-V before they are passed to a vendor's
 * library, and of the sizes that the library reports for variables. */
#ifndef BACKENDS_VENDOR_VALIDATE_H
#define BACKENDS_VENDOR_VALIDATE_H

#include "reference/device/device.h"

/* Refuses a name that contains a NUL byte, which the library would read as a shorter name:
 * ERRC_INVALID.  `kind` is the kind of object, for example "a kernel", and `api` is the interface
 * whose names cannot contain NUL, for example "OpenCL". */
RT_MUST_USE rt_status vendor_name_validate(rt_sink *sink, const char *kind, const char *api,
                                           rt_text name);

/* Refuses a variable that is larger than assay handles: LIMIT. */
RT_MUST_USE rt_status vendor_variable_validate(rt_sink *sink, rt_text name, uint64_t size);

/* Refuses code in a format that the device does not take: UNSUPPORTED.  `device` is the device's
 * name. */
RT_MUST_USE rt_status vendor_format_validate(rt_sink *sink, rt_text device, rt_format expected,
                                             rt_format found);

/* Refuses bytes that are not a SPIR-V header followed by whole instructions (MALFORMED): some
 * drivers terminate the process on a truncated module.  The instructions themselves are the
 * driver's to check. */
RT_MUST_USE rt_status vendor_spirv_validate(rt_sink *sink, rt_bytes code);

#endif
