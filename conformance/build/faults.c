/* Mistakes of the build stage that are larger than a mutant of a mark (fault.h). */
#include "conformance/build/prelude.h"
#include "reference/base/fault.h"

#include <string.h>

void __real_cnf_prelude_unit(rt_buffer *out, scn_language language, rt_text name, rt_text code);
void __wrap_cnf_prelude_unit(rt_buffer *out, scn_language language, rt_text name, rt_text code);

/* Appends the text with a member before each of the values of device_globals. */
static void unit_pad(rt_buffer *out, const char *text)
{
    static const char *const values[] = {"__global __typeof__(type) *value;",
                                         "__typeof__(type) value[1];", "__global T *value;",
                                         "T value[1];"};
    for (const char *at = text; *at; at++) {
        for (size_t i = 0; i < sizeof values / sizeof *values; i++)
            if (strncmp(at, values[i], strlen(values[i])) == 0)
                rt_buffer_printf(out, "long padding; ");
        rt_buffer_append_byte(out, *at);
    }
}

void __wrap_cnf_prelude_unit(rt_buffer *out, scn_language language, rt_text name, rt_text code)
{
    if (!RT_FAULT(DG_HEADER_05, "the value of a device_global is not its first member")) {
        __real_cnf_prelude_unit(out, language, name, code);
        return;
    }
    rt_buffer unit = {0};
    __real_cnf_prelude_unit(&unit, language, name, code);
    unit_pad(out, rt_buffer_string(&unit));
    rt_buffer_free(&unit);
}
