/* Finds the registered image that provides a symbol for an image that imports it.
 *
 * Source: document 003 (SharedLibraries.md), "Device images collection and linking" (suitable
 * images), "ODR violations" (preloading) and "Run-time libraries loading". */
#ifndef REFERENCE_PROGRAM_PROVIDER_H
#define REFERENCE_PROGRAM_PROVIDER_H

#include "reference/program/link_set.h"

typedef struct rt_provider_list {
    RT_VECTOR(const rt_registered_image *) images;
} rt_provider_list;

/* Appends the image that provides `symbol` for `requesting` to out_providers, which the caller
 * frees; appends nothing if no exporter is suitable.  The context's chooser picks one of several
 * (DL-RESOLVE-05).  Cost: linear in the images that export the symbol. */
void rt_provider_find(const rt_link_context *context, const rt_registered_image *requesting,
                      rt_text symbol, rt_provider_list *out_providers);

/* Appends why no registered exporter of the symbol was chosen, as in "; image libf/0 exports 'f',
 * but its format is native"; if no image exports it, which one exports the name with the other
 * linkage, C instead of C++ or the reverse. Appends nothing if neither applies. */
void rt_provider_explain(const rt_link_context *context, const rt_registered_image *requesting,
                         rt_text symbol, rt_buffer *out);

#endif
