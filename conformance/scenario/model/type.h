/* Looks up types by name, and lays out elements in memory.
 *
 * Source: The OpenCL C Specification, 6.1.5 "Alignment of types" (3.0: 6.3.5). */
#ifndef CONFORMANCE_SCENARIO_TYPE_H
#define CONFORMANCE_SCENARIO_TYPE_H

#include "conformance/scenario/model/model.h"

enum {
    SCN_FIELD_COUNT_MAX = 64, /* fields of a struct */
    /* Bytes of an argument passed by value: the limit of CUDA devices, which exceeds what OpenCL's
     * full profile requires (CL_DEVICE_MAX_PARAMETER_SIZE). */
    SCN_VALUE_SIZE_MAX = 4096,
};

/* The word with that index in the vocabulary of types, static: the scalars, then "struct", then
 * vectors ("float4"); NULL past the end. */
const char *scn_type_word(uint32_t index);

/* Finds a scalar or vector type by name; false if no type has that name. */
bool scn_type_find(rt_text name, scn_type *out_type, uint32_t *out_lanes);

/* True if a field can have that number of lanes. */
bool scn_lanes_are_valid(uint32_t lanes);

/* Places fields (borrowed; one or more, with names, types and lanes filled in) one after the other
 * at their natural alignment, as OpenCL C places the members of a struct: fills in the offsets, and
 * sets *out_layout to the layout of the whole. */
void scn_layout_place(scn_field *fields, uint32_t field_count, bool is_struct,
                      scn_layout *out_layout);

/* The layout of one scalar or vector; its field is allocated in the arena. */
scn_layout scn_layout_of(rt_arena *arena, scn_type type, uint32_t lanes);

/* True if the layout has a field of floating-point type. */
bool scn_layout_is_floating(const scn_layout *layout);

/* True if the memory is unordered and has a tolerance under which sorting does not find the best
 * pairs: elements of several numbers, or a relative tolerance of 1 or more. The comparison then
 * takes time up to cubic in the number of elements, which is therefore limited to
 * SCN_MATCHED_COUNT_MAX. */
enum { SCN_MATCHED_COUNT_MAX = 1024 };
bool scn_memory_is_matched(const scn_memory *memory);

/* The layout's declaration for messages, in the arena: "float4", "struct {int a; float4 b}"; long
 * names and long lists of fields are truncated. */
rt_text scn_layout_print(rt_arena *arena, const scn_layout *layout);

#endif
