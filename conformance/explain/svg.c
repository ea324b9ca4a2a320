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

rt_status cnf_explain_svg_end(rt_sink *sink, cnf_process *process, rt_text title,
                              rt_buffer *out_svg)
{
    static const char element[] = "<svg ";
    rt_buffer picture = {0}, errors = {0}, outcome = {0};
    cnf_process_result result = cnf_process_finish(process, LAYOUT_TIMEOUT_MS, &picture, &errors);
    const char *at = memmem(picture.data, picture.size, element, strlen(element));
    rt_status status = RT_STATUS_OK;
    if (result.end != CNF_PROCESS_EXITED || result.code != 0) {
        cnf_process_describe(&outcome, result, LAYOUT_TIMEOUT_MS);
        status =
            rt_fail(sink, RT_TOOL, RT_RULE_NONE, "Graphviz's dot %s%s%.*s; --dot prints the graph",
                    rt_buffer_string(&outcome), errors.size > 0 ? ":\n" : "",
                    RT_TEXT_ARG(rt_buffer_text(&errors)));
    } else if (!at) {
        status = rt_fail(sink, RT_TOOL, RT_RULE_NONE,
                         "dot succeeded, but its output (%zu bytes) is not SVG", picture.size);
    } else {
        /* Adds the picture's name for screen readers, because dot's titles name only parts of the
         * picture. Text that is escaped for use between tags is also valid in quotes. */
        size_t before = (size_t)(at - picture.data) + strlen(element);
        CHECK(before <= picture.size);
        rt_buffer_append(out_svg, picture.data, before);
        cnf_dot_cell_text(out_svg, "role=\"img\" aria-label=\"Modules, images and programs of ",
                          title);
        rt_buffer_printf(out_svg, "\" ");
        rt_buffer_append(out_svg, picture.data + before, picture.size - before);
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
