/* Finds the Python packages that ci/setup installed. */
#include "conformance/build/packages.h"

#include <stdlib.h>

/* An environment variable; empty if it is not set. */
static rt_text variable(const char *name)
{
    return rt_text_of(getenv(name));
}

rt_text cnf_packages_folder(rt_arena *arena)
{
    rt_text chosen = variable("ASSAY_VENV"), data = variable("XDG_DATA_HOME");
    if (chosen.length > 0) return rt_arena_text(arena, chosen);
    if (data.length > 0) return rt_arena_printf(arena, "%.*s/assay/venv", RT_TEXT_ARG(data));
    return rt_arena_printf(arena, "%.*s/.local/share/assay/venv", RT_TEXT_ARG(variable("HOME")));
}
