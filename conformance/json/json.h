/* Helpers for all code that writes JSON with jansson. */
#ifndef CONFORMANCE_JSON_JSON_H
#define CONFORMANCE_JSON_JSON_H

#include "reference/base/text.h"

#include <jansson.h>

/* Returns the value after checking that it is not NULL: jansson fails only when memory runs out. */
json_t *cnf_json_checked(json_t *value);

/* Creates a string from arbitrary bytes. jansson accepts only UTF-8; invalid bytes become U+FFFD
 * (base/utf8.h). */
json_t *cnf_json_text(rt_text text);

/* Sets a key of an object, or appends to an array; takes over the reference to `value`. */
void cnf_json_set(json_t *object, const char *key, json_t *value);
void cnf_json_append(json_t *array, json_t *value);

/* Appends the string that cnf_json_text makes, escaped. For long messages that are not worth
 * building as values first. */
void cnf_json_write_text(rt_buffer *out, rt_text text);

/* Appends the value as text, formatted as json_dumps does with these flags, and releases the value.
 */
void cnf_json_write(rt_buffer *out, json_t *value, size_t flags);

#endif
