/* An index of the existing programs, by id and by the images that they were linked from.
 *
 * When an image is unloaded, the programs linked from it must leave the cache; the index finds them
 * without examining all others, so that unloading costs no more than what it removes.  An image's
 * list holds ids, not pointers: the entry of a freed program in the table of programs is NULL. */
#ifndef REFERENCE_PROGRAM_PROGRAM_INDEX_H
#define REFERENCE_PROGRAM_PROGRAM_INDEX_H

#include "reference/program/program.h"

typedef struct rt_program_ids {
    RT_VECTOR(uint32_t) ids;
} rt_program_ids;

typedef struct rt_program_index {
    RT_VECTOR(rt_program *) programs;   /* index is rt_program.id; NULL: freed */
    RT_VECTOR(rt_program_ids) by_image; /* index is rt_registered_image.id */
} rt_program_index;

/* Frees the index and leaves it empty and usable.  Zero-initialise before first use. */
void rt_program_index_free(rt_program_index *index);

/* Adds a program under its id and each of its images, or removes it. */
void rt_program_index_add(rt_program_index *index, rt_program *program);
void rt_program_index_remove(rt_program_index *index, const rt_program *program);

/* The programs linked from an image, in the order in which they were built: an array of *out_count
 * pointers, which the caller frees with rt_free; may be NULL if there are none. */
rt_program **rt_program_index_of_image(const rt_program_index *index, rt_image_id image,
                                       uint32_t *out_count);

#endif
