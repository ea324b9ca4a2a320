/* The elements around a difference as a table for people. */
#ifndef CONFORMANCE_VERDICT_ELEMENTS_TABLE_H
#define CONFORMANCE_VERDICT_ELEMENTS_TABLE_H

#include "conformance/verdict/elements.h"

/* Two states of one memory of several elements, compared by position. Borrowed. */
typedef struct cnf_elements_table {
    const scn_memory *memory;
    rt_bytes expected, got;
    const uint8_t *differs; /* per element: nonzero if it differs */
    cnf_element_writers writers;
} cnf_elements_table;

/* Appends a line break and a table of eight elements from the first that differs on, or of the last
 * eight if fewer follow; differing ones are marked. Where one of their writers is known, a column
 * names who wrote them. If every element holds the value that only one
 * of them should hold, as when one work-item's value was stored for all, another line says so. No
 * final line break. At least one element must differ. */
void cnf_elements_table_write(rt_buffer *out, const cnf_elements_table *table);

#endif
