/* Reads device code, embedded or in a companion file: the keys that a source of a module and an
 * image written by hand have in common. */
#ifndef CONFORMANCE_SCENARIO_SOURCE_H
#define CONFORMANCE_SCENARIO_SOURCE_H

#include "conformance/scenario/schema/schema.h"

/* The keys as they were read; nodes of absent ones are NULL. */
typedef struct scn_source_draft {
    scn_language language;
    const scn_node *code;
    const scn_node *file;
    const scn_node *sha256;
} scn_source_draft;

extern const scn_shape scn_shape_language;  /* scn_language */
extern const scn_shape scn_shape_code;      /* const scn_node * */
extern const scn_shape scn_shape_file_name; /* const scn_node * */
extern const scn_shape scn_shape_sha256;    /* const scn_node * */

/* The rows of these keys in an object whose field `draft` receives them. */
#define SCN_SOURCE_ROWS(type, draft)                                                               \
    {"language", &scn_shape_language, SCN_REQUIRED, SCN_FIELD(type, draft.language),               \
     "The language of the code."},                                                                 \
        {"code", &scn_shape_code, SCN_ALTERNATIVE, SCN_FIELD(type, draft.code),                    \
         "The code itself, best as a literal block ('|'): compiler messages then point into it."}, \
        {"file", &scn_shape_file_name, SCN_ALTERNATIVE, SCN_FIELD(type, draft.file),               \
         "A file in the scenario's folder or below it, instead of code."},                         \
    {                                                                                              \
        "sha256", &scn_shape_sha256, 0, SCN_FIELD(type, draft.sha256),                             \
            "The SHA-256 hash of the file's content, in hexadecimal digits."                       \
    }

/* The schema's conditions for objects with these keys: a binary module is not text, so it cannot be
 * embedded. That embedded code needs no hash is a condition of every object with these two keys. */
#define SCN_SOURCE_ALSO                                                                            \
    "{'if': {'properties': {'language': {'const': 'spirv'}}}, 'then': {'not': {'required': "       \
    "['code']}}}"

extern const scn_shape scn_shape_stored_source; /* scn_source */

/* Makes a source from a draft: takes the code, or reads the file and compares its hash. `object` is
 * the shape with SCN_SOURCE_ROWS that read `node`. Fills everything but the name. False after a
 * problem. */
bool scn_source_finish(scn_reader *reader, const scn_shape *object, const scn_node *node,
                       const scn_source_draft *draft, scn_source *out_source);

#endif
