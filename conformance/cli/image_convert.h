/* Conversion of device images into files for DPC++'s tools, for `assay image convert` and `assay
 * postlink`. */
#ifndef CONFORMANCE_CLI_IMAGE_CONVERT_H
#define CONFORMANCE_CLI_IMAGE_CONVERT_H

#include "reference/base/vector.h"
#include "reference/image/fat_binary.h"
#include "reference/image/syclbin.h"

/* An output file; its name and contents live in the conversion's arena. */
typedef struct cnf_output_file {
    const char *name;
    rt_bytes content;
} cnf_output_file;

/* The input of a conversion and its output files, which are written only after the whole conversion
 * succeeded. Zero-initialise `outputs`. */
typedef struct cnf_conversion {
    rt_sink *sink;
    rt_arena *arena;
    rt_device_binaries binaries; /* not compressed */
    const rt_syclbin *syclbin;   /* the container that they were read from; NULL: none */
    rt_text name;                /* of the output file, with folders; parts are named after it */
    rt_fat_layout layout;        /* c */
    bool compresses;             /* c: with Zstandard */
    RT_VECTOR(cnf_output_file) outputs;
} cnf_conversion;

/* A kind of file. The function writes the file's contents to *out and adds its companion files to
 * `outputs`. UNSUPPORTED: the kind cannot represent a part of an image; LIMIT: there are more
 * images than it can represent. */
typedef struct cnf_image_kind {
    const char *name;     /* "syclbin" */
    const char *ending;   /* the usual ending of its files, for example ".syclbin" */
    bool names_functions; /* entries are kernels and exported functions; otherwise only kernels */
    rt_status (*convert)(cnf_conversion *conversion, rt_buffer *out);
} cnf_image_kind;

/* Finds a kind by name: syclbin, text or c; NULL if there is none. */
const cnf_image_kind *cnf_image_kind_find(const char *name);

/* Writes the file conversion->name followed by `ending` ("" if the name has one), and its companion
 * files. Returns an exit status; errors are reported on stderr, those of the conversion as errors
 * of `context`. */
int cnf_image_convert(cnf_conversion *conversion, const cnf_image_kind *kind, const char *ending,
                      rt_text context);

/* Reads the value of --layout, 80 by default. Returns false after reporting on stderr that it is
 * neither 80 nor 96. */
bool cnf_layout_read(const char *text, rt_fat_layout *out_layout);

#endif
