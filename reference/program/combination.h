/* The combination of symbols that an image holds, as a text.
 *
 * Source: document 000 (SharedLibraries.md, older text), "Program manager changes", the symbol set
 * tables; rules DL-SET-01 and DL-SET-04. */
#ifndef REFERENCE_PROGRAM_COMBINATION_H
#define REFERENCE_PROGRAM_COMBINATION_H

#include "reference/image/image.h"

/* Appends the text of the image's kernels and of its exported symbols (`exports`, NULL if it has
 * none).  Images that hold the same symbols have the same text, in whatever order they list them
 * and whatever their formats are. */
void rt_combination_write(rt_buffer *out, const rt_image *image, const rt_property_set *exports);

#endif
