/* Reads device code, embedded or in a companion file: the keys that a module's source and an image
 * written by hand have in common. */
#ifndef CONFORMANCE_SCENARIO_SOURCE_H
#define CONFORMANCE_SCENARIO_SOURCE_H

#include "conformance/scenario/schema/schema.h"

extern const scn_shape scn_shape_language;  /* scn_language */
extern const scn_shape scn_shape_code;      /* rt_text */
extern const scn_shape scn_shape_file_name; /* rt_text */
extern const scn_shape scn_shape_sha256;    /* rt_text */
extern const scn_shape scn_shape_source;    /* scn_source */

/* The rows of these keys in an object of type `type`. The language goes into the field `language_`;
 * with SCN_WRITTEN in `flags`, another row stores that field. scn_source_finish reads the other
 * keys. */
#define SCN_SOURCE_ROWS(type, language_, flags)                                                       \
    {"language", &scn_shape_language, SCN_REQUIRED | (flags), SCN_FIELD(type, language_),             \
     "The language of the code."},                                                                    \
        {"code", &scn_shape_code, SCN_ALTERNATIVE | SCN_WRITTEN | SCN_LATER, SCN_NOWHERE,             \
         "The code itself, best as a literal block ('|'): compiler messages then point into it."},    \
        {"file", &scn_shape_file_name, SCN_ALTERNATIVE | SCN_WRITTEN | SCN_LATER, SCN_NOWHERE,        \
         "The file that holds the code, relative to the scenario's folder."},                         \
    {                                                                                                 \
        "sha256", &scn_shape_sha256, SCN_WRITTEN | SCN_LATER, SCN_NOWHERE,                            \
            "The SHA-256 hash of the file's contents, in hexadecimal, without which every run reads " \
            "the file as it is then."                                                                 \
    }

/* The schema's condition for objects with these keys: a binary module is not text, so it cannot be
 * embedded. The condition that only a file has a hash is not repeated here: every object with
 * `sha256` has it. */
#define SCN_SOURCE_ALSO                                                                            \
    "{'if': {'properties': {'language': {'const': 'spirv'}}}, 'then': {'not': {'required': "       \
    "['code']}}}"

/* Reads the code of a source whose language is known: takes embedded code, or reads the file and
 * compares its hash. `object` is the shape, with SCN_SOURCE_ROWS, by which `node` was read. Fills
 * all of *source except its name. False after a problem. */
bool scn_source_finish(scn_reader *reader, const scn_shape *object, const scn_node *node,
                       scn_source *source);

#endif
