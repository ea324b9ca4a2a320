/* The device_globals that the host code of a SYCL source registers.
 *
 * The integration footer lists their ids, but not what the reference runtime and a scenario need to
 * know of them. So the list is read from the images, which contain every variable that device code
 * uses; a variable that device code does not use is missing. Source: document 002
 * (DeviceGlobal.md), "Changes to the DPC++ front-end". */
#ifndef CONFORMANCE_BUILD_SYCL_GLOBALS_H
#define CONFORMANCE_BUILD_SYCL_GLOBALS_H

#include "reference/base/arena.h"
#include "reference/image/device_global.h"

/* The variables of images made by cnf_sycl_images, each id once, ordered by id, in the arena.
 * host_access comes from the code's HostAccessINTEL decorations, which the shipped compiler writes
 * as read_write for variables without device_image_scope, whatever the source says. A property
 * whose value does not describe a variable is ignored. */
rt_device_global_list cnf_sycl_globals(rt_arena *arena, rt_image_list images);

#endif
