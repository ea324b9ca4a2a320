/* A vendor's library, opened at run time: assay starts where none is installed, and a table of
 * entry points replaces a link-time dependency. */
#ifndef BACKENDS_VENDOR_LIBRARY_H
#define BACKENDS_VENDOR_LIBRARY_H

#include "reference/base/status.h"

/* An entry point, and where its address goes. */
typedef struct vendor_entry {
    const char *name;
    size_t offset;    /* bytes from the beginning of the adapter's table */
    bool is_optional; /* a library without it is of use; its place is NULL then */
} vendor_entry;

/* An adapter's description of its library. */
typedef struct vendor_library {
    const char *name;           /* as messages call it: "the OpenCL loader" */
    const char *remedy;         /* what to do where it cannot be opened */
    const char *remedy_lacking; /* what to do where it lacks an entry point */
    const vendor_entry *entries;
    size_t entry_count;
} vendor_library;

/* Opens the library at `path` (as dlopen looks for it) and fills the adapter's table of pointers to
 * functions, in which the entries' offsets lie.  The caller closes *out_handle.  UNAVAILABLE: there
 * is no such library, or it lacks an entry point, which the message names; *out_handle is NULL then
 * and the table of no use. */
RT_MUST_USE rt_status vendor_library_open(rt_sink *sink, const vendor_library *library,
                                          const char *path, void *table, void **out_handle);

/* Gives the library up; NULL is fine.  It stays mapped: drivers keep threads of their own and
 * register what runs at exit, which would run code that is no longer there. */
void vendor_library_close(void *handle);

#endif
