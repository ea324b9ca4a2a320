/* Repairs clang 14's code for virtual base classes.
 *
 * A constructor of a base class receives the table of vtables to use (VTT). clang 14 declares that
 * parameter as a pointer to the language's `void *`, which in C++ for OpenCL points to the generic
 * address space, but loads from it and indexes it as a table of pointers without an address space.
 * The types do not match and LLVM refuses the module. The memory is the same either way, so a cast
 * before each use is enough. Observed: clang 14.0.6. Source: Itanium C++ ABI, 2.6.2 "VTT Order";
 * LLVM Language Reference Manual of version 14, "load Instruction", "getelementptr Instruction". */
#include "conformance/build/virtual_bases.h"

#include <string.h>

#define DECLARED "i8 addrspace(4)**"
#define USED     "i8**"

/* The beginnings of the instructions that use the table, up to the operand's type. */
static const char *const uses[] = {" = load i8*, ", " = getelementptr inbounds i8*, "};

/* Finds the wrong operand of an instruction; empty if it has none. Only an instruction's line
 * starts with two blanks and a value, so no text from the source is mistaken for one. */
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

void cnf_virtual_bases_mend(rt_text module, rt_buffer *out)
{
    unsigned count = 0;
    for (size_t at = 0; at < module.length;) {
        const char *end = memchr(module.data + at, '\n', module.length - at);
        size_t next = end ? (size_t)(end - module.data) + 1 : module.length;
        rt_text line = {module.data + at, next - at};
        rt_text operand = wrong_operand(line);
        if (operand.length > 0) {
            /* The cast gets a name because unnamed values are numbered. */
            int before = (int)((size_t)(operand.data - line.data) - sizeof DECLARED);
            const char *after = operand.data + operand.length;
            rt_text rest = {after, line.length - (size_t)(after - line.data)};
            rt_buffer_printf(out, "  %%assay.vtt.%u = bitcast " DECLARED " %.*s to " USED "\n",
                             count, RT_TEXT_ARG(operand));
            rt_buffer_printf(out, "%.*s" USED " %%assay.vtt.%u%.*s", before, line.data, count,
                             RT_TEXT_ARG(rest));
            count++;
        } else {
            rt_buffer_append_text(out, line);
        }
        at = next;
    }
}
