/* Types by name, and the layout of elements in memory.
 *
 * Source: The OpenCL C Specification, 6.1.5 "Alignment of types" (3.0: 6.3.5). */
#ifndef CONFORMANCE_SCENARIO_TYPE_H
#define CONFORMANCE_SCENARIO_TYPE_H

#include "conformance/scenario/model/model.h"

enum {
    SCN_FIELD_COUNT_MAX = 64, /* fields of a struct */
    /* Bytes of an argument by value: what CUDA devices take, more than OpenCL's full profile
     * demands (CL_DEVICE_MAX_PARAMETER_SIZE). */
    SCN_VALUE_SIZE_MAX = 4096,
};

/* The word of that index in the vocabulary of types, static: the scalars, then "struct", then
 * vectors ("float4"); NULL past them. */
const char *scn_type_word(uint32_t index);

/* Finds the type of a scalar's or vector's name; false where the name is none. */
bool scn_type_find(rt_text name, scn_type *out_type, uint32_t *out_lanes);

/* True for a number of lanes that a field can have. */
bool scn_lanes_are_valid(uint32_t lanes);

/* Places fields (borrowed; one or more, names, types and lanes filled in) one behind the other at
 * their natural alignment, as OpenCL C does with a struct's: fills in their offsets, and
 * *out_layout with the size and alignment of the whole. */
void scn_layout_place(scn_field *fields, uint32_t field_count, bool is_struct,
                      scn_layout *out_layout);

/* The layout of one scalar or vector; its field lives in the arena. */
scn_layout scn_layout_of(rt_arena *arena, scn_type type, uint32_t lanes);

/* True when the layout has a field of a floating type. */
bool scn_layout_is_floating(const scn_layout *layout);

/* True when the memory is unordered and has a tolerance under which sorting does not find the best
 * pairs: elements of several numbers, or a relative tolerance of 1 and more.  Comparing then costs
 * up to the third power of the elements, so that there may be SCN_MATCHED_COUNT_MAX at most. */
enum { SCN_MATCHED_COUNT_MAX = 1024 };
bool scn_memory_is_matched(const scn_memory *memory);

/* Its declaration, for messages, in the arena: "float4", "struct {int a; float4 b}"; long names
 * and many fields are cut. */
rt_text scn_layout_print(rt_arena *arena, const scn_layout *layout);

#endif
