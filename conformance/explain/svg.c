/* The graph as a picture, by Graphviz's dot as a child process. */
#include "conformance/explain/svg.h"

#include "conformance/build/toolchain.h"
#include "conformance/explain/dot_internal.h"
#include "conformance/process/process.h"

#include <string.h>

enum { LAYOUT_TIMEOUT_MS = 60000 };

static const char *const arguments[] = {"dot", "-Tsvg", NULL};
static const char *const environment[] = {"PATH=/usr/bin:/bin", "LC_ALL=C.UTF-8", NULL};

/* Gives the picture a name for screen readers; dot's titles belong to its parts. */
static rt_status title_add(rt_sink *sink, rt_text drawn, rt_text title, rt_buffer *out_svg)
{
    static const char element[] = "<svg ";
    const char *at = memmem(drawn.data, drawn.length, element, strlen(element));
    if (!at)
        return rt_fail(sink, RT_TOOL, RT_RULE_NONE,
                       "dot succeeded, but what it wrote (%zu bytes) is not SVG", drawn.length);
    size_t before = (size_t)(at - drawn.data) + strlen(element);
    rt_buffer_append(out_svg, drawn.data, before);
    rt_buffer_printf(out_svg, "role=\"img\" aria-label=\"Modules, images and programs of ");
    cnf_dot_cell_text(out_svg, title); /* Text that is valid between tags is valid in quotes too. */
    rt_buffer_printf(out_svg, "\" ");
    rt_buffer_append(out_svg, drawn.data + before, drawn.length - before);
    return RT_STATUS_OK;
}

static rt_status refuse_end(rt_sink *sink, cnf_process_result result, rt_text errors)
{
    rt_buffer outcome = {0};
    cnf_process_describe(&outcome, result, LAYOUT_TIMEOUT_MS);
    rt_status status =
        rt_fail(sink, RT_TOOL, RT_RULE_NONE, "dot of Graphviz %s%s%.*s; --dot prints the graph",
                rt_buffer_string(&outcome), errors.length > 0 ? ":\n" : "", RT_TEXT_ARG(errors));
    rt_buffer_free(&outcome);
    return status;
}

rt_status cnf_explain_svg_begin(rt_sink *sink, rt_text dot, cnf_process *out_process)
{
    char path[PATH_MAX];
    if (!cnf_toolchain_find_program(path, arguments[0]))
        return rt_fail(sink, RT_UNAVAILABLE, RT_RULE_NONE,
                       "dot is not installed, which draws the graph; apt-get install graphviz");
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
    rt_buffer drawn = {0}, errors = {0};
    cnf_process_result result = cnf_process_finish(process, LAYOUT_TIMEOUT_MS, &drawn, &errors);
    bool ended_well = result.end == CNF_PROCESS_EXITED && result.code == 0;
    rt_status status = ended_well ? title_add(sink, rt_buffer_text(&drawn), title, out_svg)
                                  : refuse_end(sink, result, rt_buffer_text(&errors));
    rt_buffer_free(&drawn);
    rt_buffer_free(&errors);
    return status;
}

rt_status cnf_explain_svg(rt_sink *sink, rt_text dot, rt_text title, rt_buffer *out_svg)
{
    cnf_process process;
    rt_status status = cnf_explain_svg_begin(sink, dot, &process);
    return rt_ok(status) ? cnf_explain_svg_end(sink, &process, title, out_svg) : status;
}
