/* A vendor's library, opened at run time: a table of entry points replaces a link-time dependency,
 * so that assay starts on machines without the library. */
#ifndef BACKENDS_VENDOR_LIBRARY_H
#define BACKENDS_VENDOR_LIBRARY_H

#include "reference/base/status.h"

/* An entry point, and the table slot for its address. */
typedef struct vendor_entry {
    const char *name;
    size_t offset;    /* offset of the slot, in bytes from the start of the adapter's table */
    bool is_optional; /* the library may lack it, in which case its slot is NULL */
} vendor_entry;

/* An adapter's description of its library. */
typedef struct vendor_library {
    const char *name;           /* as it appears in messages, for example "the OpenCL loader" */
    const char *remedy;         /* advice if it cannot be opened */
    const char *remedy_lacking; /* advice if it lacks an entry point */
    const vendor_entry *entries;
    size_t entry_count;
} vendor_library;

/* Opens the library at `path` (with dlopen's search rules) and fills the adapter's table of
 * function pointers; the entries' offsets are relative to this table.  The caller closes
 * *out_handle.  UNAVAILABLE: the library is missing, or lacks a required entry point, which the
 * message names; then *out_handle is NULL, and the table must not be used. */
RT_MUST_USE rt_status vendor_library_open(rt_sink *sink, const vendor_library *library,
                                          const char *path, void *table, void **out_handle);

/* Releases the library; the handle may be NULL.  The library stays mapped: drivers run their own
 * threads and register exit handlers, whose code must not be unmapped. */
void vendor_library_close(void *handle);

#endif
