/* A table of the options that the specification lists, and what becomes of each. */
#include "opencl/options.h"

#include <string.h>

typedef enum option_use {
    USE_PASS,   /* clang knows it */
    USE_VALUE,  /* clang knows it, with a value that follows, perhaps after a blank */
    USE_IGNORE, /* it permits something that is not done, or asks for what is always done */
    USE_LIBRARY,
    USE_INFO, /* passed, and noted */
} option_use;

static const struct {
    const char *text;
    option_use use;
    bool is_prefix; /* anything may follow */
    bool links;     /* also an option of the linker */
} rows[] = {
    {"-D", USE_VALUE, true, false},
    {"-U", USE_VALUE, true, false},
    {"-I", USE_VALUE, true, false},
    {"-cl-std=", USE_PASS, true, false},
    {"-cl-single-precision-constant", USE_PASS, false, false},
    {"-cl-denorms-are-zero", USE_PASS, false, true},
    {"-cl-fp32-correctly-rounded-divide-sqrt", USE_PASS, false, false},
    {"-cl-opt-disable", USE_PASS, false, false},
    {"-cl-strict-aliasing", USE_IGNORE, false, false},
    {"-cl-uniform-work-group-size", USE_PASS, false, false},
    {"-cl-no-subgroup-ifp", USE_IGNORE, false, true},
    {"-cl-mad-enable", USE_PASS, false, false},
    {"-cl-no-signed-zeros", USE_PASS, false, true},
    {"-cl-unsafe-math-optimizations", USE_PASS, false, true},
    {"-cl-finite-math-only", USE_PASS, false, true},
    {"-cl-fast-relaxed-math", USE_PASS, false, true},
    {"-cl-kernel-arg-info", USE_INFO, false, false},
    {"-w", USE_PASS, false, false},
    {"-Werror", USE_PASS, false, false},
    {"-Wall", USE_PASS, false, false},
    {"-Wextra", USE_PASS, false, false},
    {"-g", USE_IGNORE, false, false},
    {"-O", USE_IGNORE, true, false},
    {"-create-library", USE_LIBRARY, false, true},
    {"-enable-link-options", USE_IGNORE, false, true},
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Takes the next word, without its quotes; false: none is left. */
static bool word_take(const char **inout_text, rt_buffer *out_word)
{
    const char *at = *inout_text;
    out_word->size = 0;
    while (is_blank(*at))
        at++;
    bool is_found = *at != '\0';
    char quote = '\0';
    for (; *at && (quote || !is_blank(*at)); at++) {
        bool is_quote = *at == '"' || *at == '\'';
        if (quote ? *at == quote : is_quote) {
            quote = quote ? '\0' : *at;
            continue;
        }
        if (*at == '\\' && (at[1] == '"' || at[1] == '\\')) at++;
        rt_buffer_append_byte(out_word, *at);
    }
    *inout_text = at;
    return is_found;
}

/* The row of an option of the compiler or the linker; the number of rows if there is none. */
static size_t row_find(rt_text word, bool links)
{
    size_t count = sizeof rows / sizeof *rows;
    for (size_t i = 0; i < count; i++) {
        bool is_same =
            rows[i].is_prefix ? rt_text_starts(word, rows[i].text) : rt_text_is(word, rows[i].text);
        if (is_same && (links ? rows[i].links : rows[i].use != USE_LIBRARY)) return i;
    }
    return count;
}

static bool is_standard(rt_text word)
{
    static const char *const known[] = {"-cl-std=CL1.0", "-cl-std=CL1.1", "-cl-std=CL1.2",
                                        "-cl-std=CL2.0", "-cl-std=CL3.0"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (rt_text_is(word, known[i])) return true;
    return false;
}

void icd_options_read(rt_arena *arena, const char *text, bool links, icd_options *out_options)
{
    *out_options = (icd_options){0};
    bool is_uniform = false;
    rt_buffer word = {0};
    while (text && out_options->refused.length == 0 && word_take(&text, &word)) {
        rt_text option = rt_arena_text(arena, rt_buffer_text(&word));
        size_t row = row_find(option, links);
        bool is_known = row < sizeof rows / sizeof *rows;
        bool is_version = rt_text_starts(option, "-cl-std=");
        if (!is_known || (is_version && !is_standard(option))) {
            out_options->refused = option.length > 0 ? option : RT_TEXT("''");
            break;
        }
        option_use use = rows[row].use;
        if (use == USE_LIBRARY) out_options->creates_library = true;
        if (use == USE_INFO) out_options->has_argument_info = true;
        if (rt_text_is(option, "-cl-uniform-work-group-size")) is_uniform = true;
        if (is_version) out_options->is_non_uniform = option.data[strlen("-cl-std=CL")] >= '2';
        if (is_version) out_options->is_opencl_c_3 = rt_text_is(option, "-cl-std=CL3.0");
        if (use == USE_IGNORE || use == USE_LIBRARY) continue;
        *rt_vector_push(&out_options->clang) = option;
        if (use != USE_VALUE || !rt_text_is(option, rows[row].text)) continue;
        if (!word_take(&text, &word)) {
            out_options->refused = option;
            break;
        }
        *rt_vector_push(&out_options->clang) = rt_arena_text(arena, rt_buffer_text(&word));
    }
    if (is_uniform) out_options->is_non_uniform = false;
    rt_buffer_free(&word);
}
