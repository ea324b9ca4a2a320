/* Texts of any bytes as strings of JSON. */
#ifndef CONFORMANCE_REPORT_JSON_TEXT_H
#define CONFORMANCE_REPORT_JSON_TEXT_H

#include "reference/base/text.h"

#include <jansson.h>

/* A new string; a byte that belongs to no UTF-8 sequence becomes a question mark. */
json_t *cnf_json_text(rt_text text);

#endif
