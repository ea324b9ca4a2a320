/* Bounds on everything that a scenario, an image or a file can request.  Exceeding a bound yields
 * the status RT_LIMIT, with the bound in its message, never a crash. */
#ifndef REFERENCE_BASE_LIMITS_H
#define REFERENCE_BASE_LIMITS_H

#include <stdint.h>

#define RT_SCENARIO_SIZE_MAX   (4u << 20)          /* bytes of one scenario file */
#define RT_SCENARIO_VALUES_MAX (64u << 20)         /* bytes of all values in one scenario */
#define RT_IMAGE_SIZE_MAX      (64u << 20)         /* bytes of one device image */
#define RT_IMAGE_COUNT_MAX     65536u              /* images in one scenario */
#define RT_MEMORY_SIZE_MAX     (UINT64_C(1) << 32) /* bytes of one buffer */
#define RT_ND_RANGE_DIMENSIONS 3u
#define RT_WORK_GROUP_SIZE_MAX 4096u /* work-items; a device may support fewer */
#define RT_KERNEL_ARGUMENT_MAX 1024u

#endif
