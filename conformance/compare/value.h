/* Elements of memories as people read them. */
#ifndef CONFORMANCE_COMPARE_VALUE_H
#define CONFORMANCE_COMPARE_VALUE_H

#include "conformance/scenario/model.h"

/* The element's bits as an unsigned number; `bytes` holds scn_type_size(type) bytes, little-endian.
 */
uint64_t cnf_value_bits(scn_type type, const uint8_t *bytes);

/* Appends the element: a decimal number as a scenario writes it (a hexadecimal one too for floating
 * point), then its bits. */
void cnf_value_print(rt_buffer *out, scn_type type, const uint8_t *bytes);

#endif
