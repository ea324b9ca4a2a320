/* Specialisation constants: from names that the application gives values to numbers in each image's
 * code.
 *
 * A name means the same in every image of a program: each image that has it gets the value, through
 * its own table (RT_SET_SPEC_CONSTANTS).  Constants that get the value which is their default
 * anyway are no difference, so they are taken out before a program is looked for (DL-CACHE-02,
 * DL-CACHE-03).  Source: SYCL 2020, 4.11.12 "Specialization constants"; requirements.yaml, key
 * dpcpp, tag A48. */
#ifndef REFERENCE_PROGRAM_SPECIALISE_H
#define REFERENCE_PROGRAM_SPECIALISE_H

#include "reference/program/program.h"

typedef struct rt_spec_list {
    const rt_spec_constant *constants; /* sorted by name, each once */
    uint32_t count;
} rt_spec_list;

/* The constants of the request as a list without those that have their default in the requesting
 * image (NULL: whole).  The table is allocated in the arena, its contents are the request's. */
rt_spec_list rt_spec_list_make(rt_arena *arena, const rt_kernel_request *request,
                               const rt_image *requesting);

/* The constants of both lists; of one that both set, a's value.  The table is allocated in the
 * arena, its contents are the lists'. */
rt_spec_list rt_spec_list_union(rt_arena *arena, rt_spec_list a, rt_spec_list b);

/* Writes the list so that equal lists, and only those, give equal bytes. */
void rt_spec_list_write(rt_buffer *out, rt_spec_list list);

/* True when both lists set the same constants to the same values. */
bool rt_spec_list_equal(rt_spec_list a, rt_spec_list b);

/* Looks whether the images of the set have the constants and the device can set them.
 * ERRC_INVALID: none has one, or one has it with another size; ERRC_FEATURE_NOT_SUPPORTED: the
 * device sets none; UNSUPPORTED: it is not a scalar; MALFORMED: an image's table is damaged where
 * it is needed. */
RT_MUST_USE rt_status rt_spec_list_check(rt_sink *sink, rt_spec_list list, const rt_link_set *set,
                                         const rt_device *device);

/* The constants of the list that the image has, with their numbers in its code; *out_constants is
 * allocated in the arena, the values are borrowed.  The list was checked with a set that holds the
 * image. */
uint32_t rt_spec_list_of_image(rt_arena *arena, rt_spec_list list, const rt_image *image,
                               dev_spec_constant **out_constants);

#endif
