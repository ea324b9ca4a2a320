/* The functions and variables that a SPIR-V module imports and exports: a second opinion on
 * post-link's lists. */
#ifndef REFERENCE_COMPILER_SPIRV_LINKAGE_H
#define REFERENCE_COMPILER_SPIRV_LINKAGE_H

#include "reference/compiler/ir/job.h"

/* Names in the module's own order; they point into the scanned bytes. */
typedef struct pl_linkage {
    const rt_text *imports;
    uint32_t import_count;
    const rt_text *exports;
    uint32_t export_count;
} pl_linkage;

/* True if the bytes are a SPIR-V module in this machine's byte order, the only one that the
 * translator reads; otherwise appends the reason to *out_reason. */
bool pl_spirv_check(rt_bytes spirv, rt_buffer *out_reason);

/* Scans the linkage decorations of functions and variables (SPIR-V 3.20, Decoration
 * LinkageAttributes).  Built-in variables, to which the translator gives import linkage, are left
 * out.  MALFORMED: not SPIR-V; the message says where, and *out_linkage is empty. */
RT_MUST_USE rt_status pl_linkage_scan(pl_job *job, rt_bytes spirv, pl_linkage *out_linkage);

#endif
