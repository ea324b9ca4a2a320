/* The key of a program in the persistent cache: its inputs and its target.
 *
 * Source: document 003 (SharedLibraries.md), "Persistent cache", rules DL-PCACHE-01 to DL-PCACHE-06
 * with their readings. */
#ifndef REFERENCE_PROGRAM_PERSISTENT_KEY_H
#define REFERENCE_PROGRAM_PERSISTENT_KEY_H

#include "reference/program/program_internal.h"

typedef RT_VECTOR(const rt_registered_image *) rt_image_sequence;

/* Orders images by the names of the symbols that they define: kernels and exported symbols, sorted
 * bytewise, each followed by a NUL byte; images with equal names by their code (DL-PCACHE-03,
 * DL-PCACHE-04). */
void rt_persistent_sort(rt_image_sequence *images);

/* Appends the code of each image, in the order given: the image part of a key (DL-PCACHE-02).  For
 * an image without imports, it consists of that image's code alone (DL-PCACHE-05). */
void rt_persistent_image_part(rt_buffer *out, const rt_image_sequence *images);

/* Appends the key of the program of a link set.  It covers every image of the set if the requesting
 * one has imports (DL-PCACHE-01), and, as separate identifiers, everything else that affects the
 * result: device and driver, format, the options of every image and of the link, the values of
 * specialisation constants (DL-PCACHE-06), and the size of each image's code, so that different
 * sequences of images have different keys.  Nothing in the key depends on the process; in
 * particular, it contains no image's id or name. */
void rt_persistent_key(rt_buffer *out, const rt_program_manager *manager,
                       const rt_build_target *target, const rt_link_set *set);

#endif
