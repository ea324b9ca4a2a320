/* Finds the program that a copy to or from a device_global with image scope refers to.
 *
 * Such a variable's value is stored in a program, so a copy must find the one program that contains
 * the variable.
 *
 * Source: document 002 (DeviceGlobal.md), "Implementing the copy and memcpy functions in queue and
 * handler". */
#ifndef REFERENCE_PROGRAM_GLOBAL_PROGRAM_H
#define REFERENCE_PROGRAM_GLOBAL_PROGRAM_H

#include "reference/program/program.h"

/* Finds the program for the device and context that contains the variable, including in its linked
 * images (DG-SCOPE-09), or builds one from the image whose property set has the variable
 * (DG-SCOPE-04).  If `existing` is set, no program is built.  The caller releases *out_program;
 * NULL: no registered image has the variable, or no program was built.
 *
 * ERRC_INVALID               several programs contain it (DG-SCOPE-05), or several images that the
 *                            device can run have it (DG-SCOPE-06)
 * ERRC_KERNEL_NOT_SUPPORTED  only images that the device cannot run have it
 * others                     if a program is built: those of rt_program_manager_kernel */
RT_MUST_USE rt_status rt_program_manager_global(rt_program_manager *manager,
                                                const rt_device *device, rt_context_id context,
                                                rt_text unique_id, bool existing,
                                                rt_program **out_program);

/* True if any registered image has the variable, no matter which devices accept the image. */
bool rt_program_manager_has_global(rt_program_manager *manager, rt_text unique_id);

#endif
