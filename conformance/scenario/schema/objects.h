/* The objects of the format, each once: the JSON Schema has a definition, and the reference page a
 * section, for each. Objects may contain each other (a parallel contains steps), so both refer to
 * them by name. */
#ifndef CONFORMANCE_SCENARIO_SCHEMA_OBJECTS_H
#define CONFORMANCE_SCENARIO_SCHEMA_OBJECTS_H

#include "conformance/scenario/schema/schema.h"

typedef struct scn_named_object {
    const scn_shape *shape; /* of kind OBJECT */
    rt_text title;          /* "Covered rule": its noun without the article; unique */
    rt_text name;           /* "covered-rule": the anchor that Markdown derives from the title */
} scn_named_object;

typedef struct scn_objects {
    RT_VECTOR(scn_named_object) list; /* the root first, then in the order of the rows */
} scn_objects;

/* Finds the objects of a format, whose root is an object too. Names are allocated in the arena; the
 * caller frees the list with rt_vector_free. */
void scn_objects_find(rt_arena *arena, const scn_shape *root, scn_objects *out_objects);

/* The name of an object that is in the list. */
rt_text scn_objects_name(const scn_objects *objects, const scn_shape *shape);

#endif
