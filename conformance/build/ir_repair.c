/* Repairs clang's code for C++ for OpenCL.
 *
 * Virtual base classes: a constructor of a base class receives the table of vtables to use (VTT).
 * clang 14 declares that parameter as a pointer to the language's `void *`, which in C++ for OpenCL
 * points to the generic address space, but loads from it and indexes it as a table of pointers
 * without an address space. The types do not match and LLVM refuses the module. The memory is the
 * same either way, so a cast before each use is enough. Observed: clang 14.0.6. Source: Itanium C++
 * ABI, 2.6.2 "VTT Order"; LLVM Language Reference Manual of version 14, "load Instruction",
 * "getelementptr Instruction".
 *
 * Annotations: of the rows of llvm.global.annotations, those with arguments point to them in global
 * memory, and those without have a null pointer to constant memory, so the array's elements have
 * two types. All of them get the former. Observed: clang 19.1.7 and 21.1.8. Source: LLVM Language
 * Reference Manual, "The 'llvm.global.annotations' Global Variable" and "Complex Constants". */
#include "conformance/build/ir_repair.h"

#include <string.h>

/* ---- Virtual base classes ------------------------------------------------------------------- */

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

static void virtual_bases_repair(rt_text module, rt_buffer *out)
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

/* ---- Annotations ---------------------------------------------------------------------------- */

/* Replaces each occurrence in a line by a text of the same length. */
static void replace_all(char *line, size_t length, const char *old, const char *text)
{
    size_t size = strlen(old);
    CHECK(strlen(text) == size);
    for (char *at = line; (at = memmem(at, length - (size_t)(at - line), old, size)); at += size)
        memcpy(at, text, size);
}

static void annotations_repair(char *module, size_t size)
{
    static const char begin[] = "\n@llvm.global.annotations = ";
    static const char arguments[] = ", ptr addrspace(1) @.args";
    char *line = memmem(module, size, begin, sizeof begin - 1);
    if (!line) return;
    line++;
    char *end = memchr(line, '\n', size - (size_t)(line - module));
    size_t length = (end ? (size_t)(end - module) : size) - (size_t)(line - module);
    if (!memmem(line, length, arguments, sizeof arguments - 1)) return;
    replace_all(line, length, ", i32, ptr addrspace(2) }", ", i32, ptr addrspace(1) }");
    replace_all(line, length, ", ptr addrspace(2) null }", ", ptr addrspace(1) null }");
}

void cnf_ir_repair(rt_text module, rt_buffer *out)
{
    CHECK(out->size == 0);
    virtual_bases_repair(module, out);
    if (out->size > 0) annotations_repair((char *)out->data, out->size);
}
