/* Reads device code, embedded or in a companion file: the keys that a source of a module and an
 * image written by hand have in common. */
#ifndef CONFORMANCE_SCENARIO_SOURCE_H
#define CONFORMANCE_SCENARIO_SOURCE_H

#include "conformance/scenario/schema/schema.h"

extern const scn_shape scn_shape_language;  /* scn_language */
extern const scn_shape scn_shape_code;      /* rt_text */
extern const scn_shape scn_shape_file_name; /* rt_text */
extern const scn_shape scn_shape_sha256;    /* rt_text */
extern const scn_shape scn_shape_source;    /* scn_source */

/* The rows of these keys in an object with that field for the language, which may be stored with
 * another row (SCN_WRITTEN); scn_source_finish reads the others. */
#define SCN_SOURCE_ROWS(type, language_, flags)                                                    \
    {"language", &scn_shape_language, SCN_REQUIRED | (flags), SCN_FIELD(type, language_),          \
     "The language of the code."},                                                                 \
        {"code", &scn_shape_code, SCN_ALTERNATIVE | SCN_WRITTEN | SCN_LATER, SCN_NOWHERE,          \
         "The code itself, best as a literal block ('|'): compiler messages then point into it."}, \
        {"file", &scn_shape_file_name, SCN_ALTERNATIVE | SCN_WRITTEN | SCN_LATER, SCN_NOWHERE,     \
         "A file in the scenario's folder or below it, instead of code."},                         \
    {                                                                                              \
        "sha256", &scn_shape_sha256, SCN_WRITTEN | SCN_LATER, SCN_NOWHERE,                         \
            "The SHA-256 hash of the file's content, in hexadecimal digits."                       \
    }

/* The schema's conditions for objects with these keys: a binary module is not text, so it cannot be
 * embedded. That embedded code needs no hash is a condition of every object with these two keys. */
#define SCN_SOURCE_ALSO                                                                            \
    "{'if': {'properties': {'language': {'const': 'spirv'}}}, 'then': {'not': {'required': "       \
    "['code']}}}"

/* Reads the code of a source whose language is known: takes it, or reads the file and compares its
 * hash. `object` is the shape with SCN_SOURCE_ROWS that read `node`. Fills everything but the name.
 * False after a problem. */
bool scn_source_finish(scn_reader *reader, const scn_shape *object, const scn_node *node,
                       scn_source *source);

#endif
