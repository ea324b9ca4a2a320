/* jansson fails only on invalid arguments or when memory runs out, so every failure is a CHECK. */
#include "conformance/json/json.h"

#include "reference/base/utf8.h"

#include <stdlib.h>

json_t *cnf_json_checked(json_t *value)
{
    CHECK(value);
    return value;
}

json_t *cnf_json_text(rt_text text)
{
    rt_buffer clean = {0};
    rt_buffer_append_utf8(&clean, text);
    json_t *value = cnf_json_checked(json_stringn(rt_buffer_string(&clean), clean.size));
    rt_buffer_free(&clean);
    return value;
}

void cnf_json_set(json_t *object, const char *key, json_t *value)
{
    CHECK(json_is_object(object) && value);
    int failed = json_object_set_new(object, key, value);
    CHECK(failed == 0);
}

void cnf_json_append(json_t *array, json_t *value)
{
    CHECK(json_is_array(array) && value);
    int failed = json_array_append_new(array, value);
    CHECK(failed == 0);
}

void cnf_json_write(rt_buffer *out, json_t *value, size_t flags)
{
    char *text = json_dumps(value, flags);
    CHECK(text);
    rt_buffer_append_text(out, rt_text_of(text));
    free(text); /* allocated by jansson */
    json_decref(value);
}
