/* The values of the element types as a JSON Schema: for example, what fits into an int, and how
 * many lanes a float4 has. */
#ifndef CONFORMANCE_SCENARIO_SCHEMA_VALUES_H
#define CONFORMANCE_SCENARIO_SCHEMA_VALUES_H

#include "conformance/scenario/schema/schema.h"

#include <jansson.h>

/* Adds the definitions value-of-TYPE, for one element of each scalar or vector type, and
 * values-of-TYPE, for what scn_shape_values accepts of each of these types and of structs. Source:
 * number.h, which defines the numbers of each type. */
void scn_value_definitions_add(json_t *definitions);

/* {"$ref": …} to value-of-TYPE.  The caller owns it. */
json_t *scn_value_reference(const char *type);

/* Adds conditions to a list of schemas that must all hold: an object's `type` determines the values
 * allowed under `key`. With `tolerances`, the tolerance of a type of whole numbers is
 * absolute. */
void scn_typed_values_add(json_t *list, const char *key, bool tolerances);

#endif
