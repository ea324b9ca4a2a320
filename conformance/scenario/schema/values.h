/* Values of the types of elements, in the words of a JSON Schema: what fits into an int, how many
 * lanes a float4 has. */
#ifndef CONFORMANCE_SCENARIO_SCHEMA_VALUES_H
#define CONFORMANCE_SCENARIO_SCHEMA_VALUES_H

#include "conformance/scenario/schema/schema.h"

#include <jansson.h>

/* Adds the definitions value-of-TYPE, of one element, for every scalar and vector type, and
 * values-of-TYPE, of what scn_shape_values takes, for these and struct.  Source: number.h, which
 * says what is a number of a type. */
void scn_value_definitions_add(json_t *definitions);

/* {"$ref": …} to value-of-TYPE.  The caller owns it. */
json_t *scn_value_reference(const char *type);

/* Adds to the list, of which all must hold, what an object's `type` says of its values: those at
 * `key`.  With `tolerances` no type without floating elements has one. */
void scn_typed_values_add(json_t *list, const char *key, bool tolerances);

#endif
