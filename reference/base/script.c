/* Scripts of choices; see script.h. */
#include "reference/base/script.h"

#include "reference/base/number.h"

enum { CHOICE_MAX = 999999999 };

/* Takes a comma off the front, unless nothing follows it. */
static bool comma_take(rt_text *inout_script)
{
    rt_text rest = *inout_script;
    if (!rt_text_take_prefix(&rest, ",") || rest.length == 0) return false;
    *inout_script = rest;
    return true;
}

bool rt_script_choice(rt_text *inout_script, uint32_t *out_alternative)
{
    rt_text rest = *inout_script;
    uint64_t number;
    if (!rt_number_take(&rest, 10, CHOICE_MAX, &number)) return false;
    bool is_last = rest.length == 0 || rest.data[0] == ';';
    if (!is_last && !comma_take(&rest)) return false;
    *out_alternative = (uint32_t)number;
    *inout_script = rest;
    return true;
}

bool rt_script_order(rt_text *inout_script, rt_order *out_order)
{
    rt_text rest = *inout_script;
    uint64_t number, alternative;
    (void)rt_text_take_prefix(&rest, ";");
    if (!rt_number_take(&rest, 10, CHOICE_MAX, &number) || !rt_text_take_prefix(&rest, ":") ||
        !rt_number_take(&rest, 10, CHOICE_MAX, &alternative))
        return false;
    if (rest.length > 0 && !comma_take(&rest)) return false;
    *out_order = (rt_order){(uint32_t)number, (uint32_t)alternative};
    *inout_script = rest;
    return true;
}

bool rt_script_valid(rt_text text)
{
    uint32_t alternative;
    rt_order order;
    while (text.length > 0 && text.data[0] != ';')
        if (!rt_script_choice(&text, &alternative)) return false;
    bool is_first = true;
    for (uint32_t last = 0; text.length > 0; is_first = false) {
        bool begins = text.data[0] == ';';
        if (begins != is_first || !rt_script_order(&text, &order)) return false;
        if (!is_first && order.number <= last) return false;
        last = order.number;
    }
    return true;
}
