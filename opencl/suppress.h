/* Suppressions: findings that the user does not want to see. */
#ifndef OPENCL_SUPPRESS_H
#define OPENCL_SUPPRESS_H

#include "opencl/icd.h"

/* An entry of the user's file, as `assay exec` hands it over. Texts are NUL-terminated; NULL: any.
 */
typedef struct icd_suppression {
    const char *entry, *reason; /* its place, and why */
    const char *class, *kernel, *file;
} icd_suppression;

/* Finds the first entry that matches a finding: its class, its kernel, which may be empty, and
 * either the kernel's source or the file that made the call. NULL: none. The caller holds the lock
 * of reports. Source: docs/exec.md. */
const icd_suppression *icd_suppression_find(const char *class, rt_text kernel, rt_text source,
                                            const char *caller);

#endif
