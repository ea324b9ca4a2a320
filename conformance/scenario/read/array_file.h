/* Files that hold the values of a memory: raw bytes, or an array in NumPy's format. */
#ifndef CONFORMANCE_SCENARIO_ARRAY_FILE_H
#define CONFORMANCE_SCENARIO_ARRAY_FILE_H

#include "conformance/scenario/schema/schema.h"

/* The elements in a file. */
typedef struct scn_array {
    rt_bytes data;   /* count * stride bytes, little-endian, inside the file's contents */
    uint64_t count;  /* >= 1 */
    uint32_t stride; /* bytes per element; at most layout->size, which may end in padding */
} scn_array;

/* Finds the elements of `layout` in the contents of the file that `name` names. Contents that begin
 * with NumPy's magic string are an array: its type must be that of the elements, in C order, with
 * one more dimension than the array of elements if these are vectors. Anything else is the memory
 * itself, whose size must be a whole number of elements. False after a problem.
 *
 * Source: NumPy, numpy.lib.format ("Format Version 1.0" to "3.0"). */
bool scn_array_read(scn_reader *reader, const scn_node *name, rt_text content,
                    const scn_layout *layout, scn_array *out_array);

#endif
