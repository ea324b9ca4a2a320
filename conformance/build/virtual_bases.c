/* Mending what clang 14 writes of virtual base classes.
 *
 * A constructor of a base class is handed the table of the vtables that it is to use (VTT).  clang
 * 14 declares that parameter as a pointer to `void *` of the language, which in C++ for OpenCL
 * points to the generic address space, and then loads from it, and steps through it, as what it is,
 * a table of pointers without one.  The types do not fit, and LLVM refuses the module; the table is
 * the same memory either way, so that a cast before each use is all that is missing.
 *
 * Observed: clang 14.0.6.  Source: Itanium C++ ABI, 2.6.2 "VTT Order"; LLVM Language Reference
 * Manual of version 14, "load Instruction", "getelementptr Instruction". */
#include "conformance/build/virtual_bases.h"

#include <string.h>

#define DECLARED "i8 addrspace(4)**"
#define USED     "i8**"

/* What an instruction does with the table, up to the operand's type. */
static const char *const uses[] = {" = load i8*, ", " = getelementptr inbounds i8*, "};

/* Finds the wrong operand of an instruction; empty where there is none.  A value begins a line of a
 * function's body, so that no text of the source can look like one. */
static rt_text wrong_operand(rt_text line)
{
    rt_text none = {0};
    if (!rt_text_starts(line, "  %")) return none;
    for (size_t i = 0; i < sizeof uses / sizeof *uses; i++) {
        const char *use = memmem(line.data, line.length, uses[i], strlen(uses[i]));
        if (!use) continue;
        const char *type = use + strlen(uses[i]);
        rt_text rest = {type, line.length - (size_t)(type - line.data)};
        if (!rt_text_starts(rest, DECLARED " %")) continue;
        rt_text operand = {rest.data + sizeof DECLARED, rest.length - sizeof DECLARED};
        const char *end = memchr(operand.data, ',', operand.length);
        if (end) operand.length = (size_t)(end - operand.data);
        return operand;
    }
    return none;
}

/* The cast has a name of its own, because values without names are counted. */
static void line_mend(rt_buffer *out, rt_text line, rt_text operand, unsigned number)
{
    size_t before = (size_t)(operand.data - line.data) - sizeof DECLARED;
    rt_text after = {operand.data + operand.length, 0};
    after.length = line.length - (size_t)(after.data - line.data);
    rt_buffer_printf(out, "  %%assay.vtt.%u = bitcast " DECLARED " %.*s to " USED "\n", number,
                     RT_TEXT_ARG(operand));
    rt_buffer_printf(out, "%.*s" USED " %%assay.vtt.%u%.*s", (int)before, line.data, number,
                     RT_TEXT_ARG(after));
}

void cnf_virtual_bases_mend(rt_text module, rt_buffer *out)
{
    unsigned count = 0;
    for (size_t at = 0; at < module.length;) {
        const char *end = memchr(module.data + at, '\n', module.length - at);
        size_t next = end ? (size_t)(end - module.data) + 1 : module.length;
        rt_text line = {module.data + at, next - at};
        rt_text operand = wrong_operand(line);
        if (operand.length > 0)
            line_mend(out, line, operand, count++);
        else
            rt_buffer_append_text(out, line);
        at = next;
    }
}
