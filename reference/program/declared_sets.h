/* An image's declarations about indirect calls, in the device's terms.
 *
 * Source: document 004 (VirtualFunctions.md), "New device image properties";
 * reference/image/virtual_functions.h. */
#ifndef REFERENCE_PROGRAM_DECLARED_SETS_H
#define REFERENCE_PROGRAM_DECLARED_SETS_H

#include "reference/base/arena.h"
#include "reference/device/device.h"
#include "reference/image/image.h"

/* Fills in the code's function_sets and kernel_sets: from assay's own property sets of the image
 * or, if it has none, from the documents' properties, which apply to all of its functions and
 * kernels.  The rows are allocated in the arena; their texts belong to the image. */
void rt_declared_sets_of_image(rt_arena *arena, const rt_image *image, dev_code *code);

#endif
