/* Draws the graph as a picture with Graphviz's dot, in a child process. */
#include "conformance/explain/svg.h"

#include "conformance/build/toolchain.h"
#include "conformance/explain/dot_internal.h"
#include "conformance/process/process.h"

#include <string.h>

enum { LAYOUT_TIMEOUT_MS = 60000 };

static const char *const arguments[] = {"dot", "-Tsvg", NULL};
static const char *const environment[] = {"PATH=/usr/bin:/bin", "LC_ALL=C.UTF-8", NULL};

rt_status cnf_explain_svg_begin(rt_sink *sink, rt_text dot, cnf_process *out_process)
{
    char path[PATH_MAX];
    if (!cnf_toolchain_find_program(path, arguments[0]))
        return rt_fail(sink, RT_UNAVAILABLE, RT_RULE_NONE,
                       "dot, which draws the graph, is not installed; apt-get install graphviz");
    const rt_bytes input = {(const uint8_t *)dot.data, dot.length};
    int error = cnf_process_start(out_process, path, arguments, environment, input);
    if (error != 0)
        return rt_fail(sink, RT_UNAVAILABLE, RT_RULE_NONE, "%s cannot be started: %s", path,
                       strerrordesc_np(error));
    return RT_STATUS_OK;
}

/* The colours of the graph, and those that replace them where the reader prefers dark pages. Pairs
 * of ink and ground have a contrast ratio of at least 4.5 in both. */
static const struct {
    const char *light, *dark;
} colours[] = {
    {"white", "#17191c"},   {"#202124", "#e8eaed"}, {"#5f6368", "#a6adb5"}, {"#b3261e", "#ffb0a8"},
    {"#80868b", "#80868b"}, {"#9a4b00", "#ffb870"}, {"#bdc1c6", "#5f6368"}, {"#e8f0fe", "#1e2f4d"},
    {"#e6f4ea", "#1b3a25"}, {"#fef7e0", "#3f3513"}, {"#fce8e6", "#4f1d1a"}, {"#f3e8fd", "#35264a"},
    {"#e8eaed", "#3c4043"}, {"#f8f9fa", "#202327"}, {"#fff8e1", "#3a3218"}, {"#fce4ec", "#4a2233"},
    {"#e0f2f1", "#123a38"},
};

/* Appends an element with the dark colours. */
static void dark_write(rt_buffer *out)
{
    rt_buffer_printf(out, "<style>@media (prefers-color-scheme: dark) {\n");
    for (size_t i = 0; i < sizeof colours / sizeof *colours; i++)
        rt_buffer_printf(
            out, ".graph [fill=\"%s\"] { fill: %s; } .graph [stroke=\"%s\"] { stroke: %s; }\n",
            colours[i].light, colours[i].dark, colours[i].light, colours[i].dark);
    rt_buffer_printf(out, "}</style>\n");
}

/* Appends dot's picture with what dot cannot write: a name for screen readers, because dot's titles
 * name only parts of the picture, a width that follows the window's down to 640 pixels, and dark
 * colours. Text that is escaped for use between tags is also valid in quotes. Returns false if the
 * picture is not SVG. */
static bool picture_write(rt_buffer *out, const rt_buffer *picture, rt_text title)
{
    static const char element[] = "<svg ", width[] = "width=\"";
    const char *begin = memmem(picture->data, picture->size, element, strlen(element));
    if (!begin) return false;
    begin += strlen(element);
    const char *end = (const char *)picture->data + picture->size;
    const char *close = memchr(begin, '>', (size_t)(end - begin));
    const char *size = close ? memmem(begin, (size_t)(close - begin), width, strlen(width)) : NULL;
    size = size ? size + strlen(width) : NULL;
    const char *size_end = size ? memchr(size, '"', (size_t)(close - size)) : NULL;
    if (!size_end) return false;
    rt_buffer_append(out, picture->data, (size_t)(begin - (const char *)picture->data));
    cnf_dot_cell_text(out, "role=\"img\" aria-label=\"Modules, images and programs of ", title);
    rt_buffer_printf(out,
                     "\" style=\"max-width: 100%%; min-width: min(640px, %.*s); height: auto\" ",
                     (int)(size_end - size), size);
    rt_buffer_append(out, begin, (size_t)(close + 1 - begin));
    dark_write(out);
    rt_buffer_append(out, close + 1, (size_t)(end - close - 1));
    return true;
}

rt_status cnf_explain_svg_end(rt_sink *sink, cnf_process *process, rt_text title,
                              rt_buffer *out_svg)
{
    rt_buffer picture = {0}, errors = {0}, outcome = {0};
    cnf_process_result result = cnf_process_finish(process, LAYOUT_TIMEOUT_MS, &picture, &errors);
    rt_status status = RT_STATUS_OK;
    if (result.end != CNF_PROCESS_EXITED || result.code != 0) {
        cnf_process_describe(&outcome, result, LAYOUT_TIMEOUT_MS);
        status =
            rt_fail(sink, RT_TOOL, RT_RULE_NONE, "Graphviz's dot %s%s%.*s; --dot prints the graph",
                    rt_buffer_string(&outcome), errors.size > 0 ? ":\n" : "",
                    RT_TEXT_ARG(rt_buffer_text(&errors)));
    } else if (!picture_write(out_svg, &picture, title)) {
        status = rt_fail(sink, RT_TOOL, RT_RULE_NONE,
                         "dot succeeded, but its output (%zu bytes) is not SVG", picture.size);
    }
    rt_buffer_free(&picture);
    rt_buffer_free(&errors);
    rt_buffer_free(&outcome);
    return status;
}

rt_status cnf_explain_svg(rt_sink *sink, rt_text dot, rt_text title, rt_buffer *out_svg)
{
    cnf_process process;
    rt_status status = cnf_explain_svg_begin(sink, dot, &process);
    return rt_ok(status) ? cnf_explain_svg_end(sink, &process, title, out_svg) : status;
}
