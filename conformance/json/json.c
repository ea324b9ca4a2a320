/* jansson fails only on invalid arguments or when memory runs out, so every failure is a CHECK. */
#include "conformance/json/json.h"

#include "reference/base/utf8.h"

json_t *cnf_json_checked(json_t *value)
{
    CHECK(value);
    return value;
}

json_t *cnf_json_text(rt_text text)
{
    json_t *value = json_stringn(text.data ? text.data : "", text.length);
    if (value) return value;
    rt_buffer clean = {0};
    rt_buffer_append_utf8(&clean, text);
    value = cnf_json_checked(json_stringn(rt_buffer_string(&clean), clean.size));
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

void cnf_json_write_text(rt_buffer *out, rt_text text)
{
    rt_buffer_append_byte(out, '"');
    while (text.length > 0) {
        size_t plain = 0;
        while (plain < text.length && text.data[plain] >= ' ' && text.data[plain] <= '~' &&
               text.data[plain] != '"' && text.data[plain] != '\\')
            plain++;
        rt_buffer_append(out, text.data, plain);
        text = rt_text_skip(text, plain);
        if (text.length == 0) break;
        rt_character character = rt_utf8_take(&text);
        if (character.code == '"' || character.code == '\\')
            rt_buffer_printf(out, "\\%c", (int)character.code);
        else if (character.code < ' ')
            rt_buffer_printf(out, "\\u%04X", character.code);
        else
            rt_buffer_append_utf8(out, character.bytes);
    }
    rt_buffer_append_byte(out, '"');
}

static int on_dumped(const char *bytes, size_t size, void *user)
{
    rt_buffer_append(user, bytes, size);
    return 0;
}

void cnf_json_write(rt_buffer *out, json_t *value, size_t flags)
{
    int failed = json_dump_callback(value, on_dumped, out, flags);
    CHECK(failed == 0);
    json_decref(value);
}
