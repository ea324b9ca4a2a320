/* Device images into the files of DPC++'s tools: `assay image convert` and `assay postlink`. */
#ifndef CONFORMANCE_CLI_IMAGE_CONVERT_H
#define CONFORMANCE_CLI_IMAGE_CONVERT_H

#include "reference/base/vector.h"
#include "reference/image/fat_binary.h"
#include "reference/image/syclbin.h"

/* A file to be written; name and content live in the conversion's arena. */
typedef struct cnf_made_file {
    const char *name;
    rt_bytes content;
} cnf_made_file;

/* What is converted, and the files that it makes: nothing is written before everything could be
 * converted.  Zero-initialise `made` and free it with cnf_made_files_free. */
typedef struct cnf_conversion {
    rt_sink *sink;
    rt_arena *arena;
    rt_device_binaries binaries; /* not compressed */
    const rt_syclbin *syclbin;   /* that they were read from; NULL: none */
    rt_text name;         /* of the file to be made, with folders; parts are named after it */
    rt_fat_layout layout; /* c */
    bool compresses;      /* c: with Zstandard */
    RT_VECTOR(cnf_made_file) made;
} cnf_conversion;

/* One kind of file: makes conversion->name and what belongs beside it.  UNSUPPORTED: the kind has
 * no place for something that an image has; LIMIT. */
typedef struct cnf_image_kind {
    const char *name;     /* "syclbin" */
    const char *ending;   /* that the kind's files usually have, ".syclbin" */
    bool names_functions; /* entries are kernels and exported functions; else kernels alone */
    rt_status (*convert)(cnf_conversion *conversion, rt_buffer *out);
} cnf_image_kind;

/* The kind of that name: syclbin, text or c; NULL: there is none. */
const cnf_image_kind *cnf_image_kind_find(const char *name);

/* Converts into the file NAME followed by `ending` ("" for a name that has one).  Statuses of the
 * kind. */
RT_MUST_USE rt_status cnf_image_convert(cnf_conversion *conversion, const cnf_image_kind *kind,
                                        const char *ending);

/* Writes the files.  False: one cannot be written, which has been said on stderr. */
bool cnf_made_files_write(const cnf_conversion *conversion);

/* Frees what was made, whether it was written or not. */
void cnf_made_files_free(cnf_conversion *conversion);

/* Reads the value of --layout; without one it is 80.  False: it is neither 80 nor 96, which has
 * been said on stderr. */
bool cnf_layout_read(const char *text, rt_fat_layout *out_layout);

#endif
