/* The targets of programs: devices and contexts, as the runtime sees them. */
#ifndef REFERENCE_PROGRAM_TARGET_H
#define REFERENCE_PROGRAM_TARGET_H

#include "reference/base/profile.h"
#include "reference/device/device.h"
#include "reference/image/image.h"

/* A device as the runtime sees it; the runtime's owner opens and closes it. */
typedef struct rt_device {
    uint32_t id; /* index in the runtime's table */
    rt_text name;
    dev_device *device;
    dev_capabilities capabilities;   /* as the runtime's owner presents them: aspects and extensions
                                      * may be hidden */
    const char **visible_extensions; /* owned; NULL: capabilities.extensions are the device's own */
} rt_device;

/* A SYCL context: programs and unified shared memory belong to one (SYCL 2020, 4.6.3). */
typedef uint32_t rt_context_id;

/* True if the device meets the image's requirements: every aspect, the work-group and sub-group
 * sizes and the target in its property set RT_SET_DEVICE_REQUIREMENTS, and aspect
 * ext_oneapi_virtual_functions if the image states that it calls virtual functions (property
 * "calls-virtual-functions-set"); an image without the sets has no requirements.  Otherwise appends
 * the reason to out_lack (may be NULL), as in "it needs aspect fp64, which device d does not have".
 * No device has an aspect that assay does not know, and none meets a damaged property. Source: SYCL
 * 2020, 5.7 "Optional kernel features", and 5.8.1 "Kernel attributes", whose exceptions have the
 * error code errc::kernel_not_supported; document 004, "Aspects propagation";
 * sycl_ext_oneapi_virtual_functions, "Device aspect". */
bool rt_device_meets(const rt_device *device, const rt_image *image, rt_buffer *out_lack);

/* True if this device, whatever others can do, advertises the extension with which programs of the
 * format are linked.  Source: document 003, "pi_ext_* extensions"; rules DL-BACKEND-01 to
 * DL-BACKEND-05 and DL-BACKEND-14. */
bool rt_device_links(const rt_device *device, rt_format format, rt_profile profile);

#endif
