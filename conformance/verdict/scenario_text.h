/* Values and texts as scenario files write them. */
#ifndef CONFORMANCE_VERDICT_SCENARIO_TEXT_H
#define CONFORMANCE_VERDICT_SCENARIO_TEXT_H

#include "conformance/scenario/model/model.h"

/* Appends a number: with enough digits to read back the same one, except that all NaNs are `nan`.
 */
void cnf_number_append(rt_buffer *out, scn_type type, const uint8_t *bytes);

/* Appends the lanes of a field: a number, or a list of them in brackets. */
void cnf_lanes_append(rt_buffer *out, const scn_field *field, const uint8_t *bytes);

/* Appends `count` elements of one field, `stride` bytes apart, as a list in brackets that is broken
 * into lines; the first line begins where `out` ends. */
void cnf_elements_append(rt_buffer *out, const scn_field *field, uint64_t stride, uint64_t count,
                         const uint8_t *bytes);

/* Appends a text in single quotes. */
void cnf_quoted_append(rt_buffer *out, rt_text text);

#endif
