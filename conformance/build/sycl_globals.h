/* The device_globals that the host code of a source in SYCL registers.
 *
 * The shipped compiler is asked for device code alone, so that what the host code would register
 * (the integration footer's calls of device_global_map::add) is not seen; it is read out of the
 * images, which know every variable that device code uses.  One that no device code uses is not
 * known.  Source: document 002 (DeviceGlobal.md), "Changes to the DPC++ front-end". */
#ifndef CONFORMANCE_COMPILE_SYCL_GLOBALS_H
#define CONFORMANCE_COMPILE_SYCL_GLOBALS_H

#include "reference/base/arena.h"
#include "reference/image/device_global.h"

/* The variables of images that cnf_sycl_images made, each id once, in the order of their ids; in
 * the arena.  host_access is that of the code's HostAccessINTEL decorations, which the shipped
 * compiler writes as read_write for variables without device_image_scope whatever the source says.
 * A property whose value is no variable's is passed over. */
rt_device_global_list cnf_sycl_globals(rt_arena *arena, rt_image_list images);

#endif
