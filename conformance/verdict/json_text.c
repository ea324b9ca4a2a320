/* Jansson takes UTF-8 only, and says no more than that a text is not. */
#include "conformance/verdict/json_text.h"

/* Length of the UTF-8 sequence at the beginning of text; 0: there is none that jansson takes. */
static size_t sequence_length(rt_text text)
{
    CHECK(text.data && text.length > 0);
    uint8_t lead = (uint8_t)text.data[0];
    size_t length = lead < 0x80 ? 1 : lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc2 ? 2 : 0;
    if (length == 0 || length > text.length) return 0;
    json_t *probe = json_stringn(text.data, length);
    json_decref(probe);
    return probe ? length : 0;
}

json_t *cnf_json_text(rt_text text)
{
    json_t *value = json_stringn(text.data ? text.data : "", text.length);
    if (value) return value;
    rt_buffer clean = {0};
    while (text.length > 0) {
        size_t length = sequence_length(text);
        if (length > 0) rt_buffer_append(&clean, text.data, length);
        if (length == 0) rt_buffer_append_byte(&clean, '?');
        size_t used = length > 0 ? length : 1;
        text = (rt_text){text.data + used, text.length - used};
    }
    value = json_stringn(rt_buffer_string(&clean), clean.size);
    CHECK(value);
    rt_buffer_free(&clean);
    return value;
}
