/* What the files of this folder share; nobody else includes it. */
#ifndef CONFORMANCE_EXPORT_EXPORT_INTERNAL_H
#define CONFORMANCE_EXPORT_EXPORT_INTERNAL_H

#include "conformance/export/export.h"
#include "reference/base/vector.h"

/* A program that the runtime had made for a submit, or would have. */
typedef struct cnf_export_program {
    const rt_text *images; /* names, in the order in which they are linked */
    uint32_t image_count;
    bool refused; /* the device did not make it, and the submit was refused for that */
} cnf_export_program;

/* The programs of the submits that the trace tells of, one for each, in their order.
 * UNSUPPORTED: the trace is not whole, or a submit was refused before a device was asked. */
RT_MUST_USE rt_status cnf_export_programs(rt_sink *sink, rt_arena *arena,
                                          const cnf_messages *messages,
                                          const cnf_export_program **out_programs,
                                          uint32_t *out_count);

/* Reports whether all elements are numbers of one type without gaps, which is what exported
 * programs compare. */
bool cnf_export_layout_fits(const scn_layout *layout);

/* Appends bytes as C writes them in an array. */
void cnf_export_bytes(rt_buffer *out, rt_bytes bytes);

/* Appends `static const TYPE NAME[] = {…};` with the numbers of such a layout: integers in decimal,
 * floating ones as their bits, with their values in a comment at the line's end. */
void cnf_export_values(rt_buffer *out, const char *name, const scn_layout *layout, rt_bytes values);

/* Appends such an array of one byte for each number: 1 where all its bits are defined.  `defined`
 * has one bit a byte of the memory. */
void cnf_export_defined(rt_buffer *out, const char *name, const scn_layout *layout,
                        rt_bytes defined, uint64_t size);

#endif
