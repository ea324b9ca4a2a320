/* Specialisation constants: maps the names of the constants that the application sets to their
 * numbers in each image's code.
 *
 * A name has the same meaning in every image of a program: the value is set in each image that has
 * the name, using the image's own table (RT_SET_SPEC_CONSTANTS).  A constant that is set to its
 * default value has no effect, so it is removed from the list before a program is searched for
 * (DL-CACHE-02, DL-CACHE-03).  A value for a constant that no image has is permitted and does
 * nothing.
 *
 * Source: SYCL 2020, 4.11.12 "Specialization constants"; requirements.yaml, key dpcpp, tag A48. */
#ifndef REFERENCE_PROGRAM_SPECIALISE_H
#define REFERENCE_PROGRAM_SPECIALISE_H

#include "reference/program/program.h"

typedef struct rt_spec_list {
    const rt_spec_constant *constants; /* sorted by name, each once */
    uint32_t count;
} rt_spec_list;

/* The constants of the request as a list, without those whose value is the default in the
 * requesting image (NULL: unfiltered).  The table is allocated in the arena; its contents belong to
 * the request. */
rt_spec_list rt_spec_list_make(rt_arena *arena, const rt_kernel_request *request,
                               const rt_image *requesting);

/* The constants of both lists; if both set one, a's value applies.  The table is allocated in the
 * arena; its contents belong to the lists. */
rt_spec_list rt_spec_list_union(rt_arena *arena, rt_spec_list a, rt_spec_list b);

/* Copies the list with its names and values into the arena. */
rt_spec_list rt_spec_list_copy(rt_arena *arena, rt_spec_list list);

/* Writes the list so that equal lists, and only those, yield equal bytes. */
void rt_spec_list_write(rt_buffer *out, rt_spec_list list);

/* True if both lists set the same constants to the same values. */
bool rt_spec_list_equal(rt_spec_list a, rt_spec_list b);

/* Checks that the constants can be set in the images of the set (which may be empty) that have
 * them. ERRC_INVALID: an image has one with another size, or no image has one and code that was
 * compiled ahead of time might; ERRC_FEATURE_NOT_SUPPORTED: an image has one, but the device
 * supports none; UNSUPPORTED: a scalar has a size that no scalar type has; MALFORMED: an image's
 * table is damaged where it is needed. */
RT_MUST_USE rt_status rt_spec_list_check(rt_sink *sink, rt_spec_list list, const rt_link_set *set,
                                         const rt_device *device);

/* The constants of the list that an image of the set has.  The table is allocated in the arena; its
 * contents belong to the list. */
rt_spec_list rt_spec_list_known(rt_arena *arena, rt_spec_list list, const rt_link_set *set);

/* The scalars of those constants of the list that the image has, with their numbers in its code;
 * *out_constants is allocated in the arena; the values are borrowed.  The list must have been
 * checked against a set that contains the image. */
uint32_t rt_spec_list_of_image(rt_arena *arena, rt_spec_list list, const rt_image *image,
                               dev_spec_constant **out_constants);

#endif
