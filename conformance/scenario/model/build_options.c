/* Build options that a scenario may give.
 *
 * A request must contain everything that its artefact depends on, and a scenario must not make the
 * compiler read or write files. So only the options on a list are accepted; any other option is
 * refused with a message that names it. */
#include "conformance/scenario/model/build_options.h"

typedef struct option_row {
    const char *text;
    bool is_prefix; /* anything may follow */
} option_row;

static const option_row option_rows[] = {
#define PREFIX_ROW(text) {text, true},
#define WORD_ROW(text)   {text, false},
    SCN_BUILD_OPTIONS(PREFIX_ROW, WORD_ROW)
#undef PREFIX_ROW
#undef WORD_ROW
        {SCN_BUILD_OPTION_CPP17, false},
    {SCN_BUILD_OPTION_CPP20, false},
};

static bool is_accepted(rt_text option)
{
    for (size_t i = 0; i < sizeof option_rows / sizeof *option_rows; i++) {
        const option_row *row = &option_rows[i];
        if (row->is_prefix ? rt_text_starts(option, row->text) && !rt_text_is(option, row->text)
                           : rt_text_is(option, row->text))
            return true;
    }
    return false;
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

bool scn_build_options_next(rt_text *rest, rt_text *out_option)
{
    *out_option = (rt_text){0};
    if (!rest->data) return false; /* No options: nothing may be added to a null pointer. */
    while (rest->length > 0 && is_space(rest->data[0]))
        *rest = (rt_text){rest->data + 1, rest->length - 1};
    size_t length = 0;
    while (length < rest->length && !is_space(rest->data[length]))
        length++;
    *out_option = (rt_text){rest->data, length};
    *rest = (rt_text){rest->data + length, rest->length - length};
    return length > 0;
}

bool scn_build_options_check(rt_text options, rt_text *out_refused)
{
    *out_refused = (rt_text){0};
    rt_text option;
    while (scn_build_options_next(&options, &option)) {
        if (is_accepted(option)) continue;
        *out_refused = option;
        return false;
    }
    return true;
}
