/* The virtual functions of an image: the set it provides, and the sets it calls and creates.
 *
 * The property set "SYCL/virtual functions" is defined by the documents; an image has those of its
 * properties that apply.  Two further sets are assay's own and distinguish functions and kernels
 * where the documents treat images as a whole; no runtime needs them, but a device that checks
 * indirect calls does (VF-SPLIT-08's reading).
 *
 * Source: document 004 (VirtualFunctions.md), "New device image properties". */
#ifndef REFERENCE_IMAGE_VIRTUAL_FUNCTIONS_H
#define REFERENCE_IMAGE_VIRTUAL_FUNCTIONS_H

#include "reference/image/image.h"

#define RT_SET_VIRTUAL_FUNCTIONS "SYCL/virtual functions"

/* Names of the properties of that set.  DUMMY is the number 1; the others are bytes: a name, or
 * names separated by commas, with or without a trailing NUL byte (shipped DPC++ reads up to
 * a NUL, past the end of the bytes if they contain none). USES is the single property that shipped
 * DPC++ has instead of CALLS and CREATES (requirements.yaml, key dpcpp, tag D2). */
#define RT_VIRTUAL_FUNCTIONS_PROVIDES "virtual-functions-set"
#define RT_VIRTUAL_FUNCTIONS_DUMMY    "dummy-image"
#define RT_VIRTUAL_FUNCTIONS_CALLS    "calls-virtual-functions-set"
#define RT_VIRTUAL_FUNCTIONS_CREATES  "creates-virtual-functions-set"
#define RT_VIRTUAL_FUNCTIONS_USES     "uses-virtual-functions-set"

/* assay's own set, in provider images (including dummies) and in images that keep virtual
 * functions: a property for each virtual function that the image defines, including thunks; its
 * name is the linkage name, its value the name of the function's set. */
#define RT_SET_VIRTUAL_FUNCTION_SETS "assay/virtual function sets"
/* assay's own set, in images with kernels: a property for each kernel that may call virtual
 * functions; its name is the kernel's, its value the sets that it calls indirectly, separated by
 * commas.  A kernel without such a property calls no virtual functions. */
#define RT_SET_KERNEL_CALLS "assay/kernel calls"

/* All declarations of an image; the texts point into the image and exclude a trailing NUL byte. */
typedef struct rt_virtual_functions {
    rt_text provides; /* name of one set; empty: the image does not provide any */
    bool dummy;       /* the provider's functions do nothing (VF-PROP-07) */
    rt_text calls;    /* lists; empty: none */
    rt_text creates;
    rt_text uses;
} rt_virtual_functions;

/* Reads the image's set; all fields are empty if it has none.  Returns NULL on success; otherwise
 * all fields are empty, and it returns the name of the invalid property, which has the wrong type
 * or lists several sets for a provider. */
const char *rt_virtual_functions_read(const rt_image *image, rt_virtual_functions *out_functions);

/* Takes the next name off a list; false at its end.  Empty names are skipped. */
bool rt_set_names_next(rt_text *inout_list, rt_text *out_name);

/* True if the list has the name. */
bool rt_set_names_hold(rt_text list, rt_text name);

/* A property's bytes as text, without a trailing NUL byte; empty if it has no bytes. */
rt_text rt_property_text_value(const rt_property *property);

#endif
