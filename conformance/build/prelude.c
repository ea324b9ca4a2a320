/* The prelude.
 *
 * SYCL_EXTERNAL is the documents' mark for a function that other translation units may call. Clang
 * has no such attribute in OpenCL C, and post-link treats every function with external linkage as
 * marked, so the macro is empty.
 *
 * SPEC_CONSTANT(type, name, default) declares `name` as a specialisation constant: one variable
 * that is only declared, so that nothing folds it, and a second that holds the default. A semicolon
 * may follow. Post-link recognises the variables by their symbols
 * (reference/compiler/postlink/spec_constants.h), removes both and replaces every use.
 *
 * Document 004's properties, and the aspects that a function uses, are annotations, which post-link
 * reads (reference/compiler/postlink/virtual_functions.h): INDIRECTLY_CALLABLE or
 * INDIRECTLY_CALLABLE_IN("set") before a virtual function, CALLS_INDIRECTLY("set", ...) before a
 * kernel, CALLS_INDIRECTLY() for the default set, USES_ASPECTS(fp64, ...) before any function. A
 * property is part of the code wherever the class is, so a virtual function with a property is
 * emitted even if nothing calls it. new_object<T>(storage, ...) creates an object in existing
 * memory; object<T>(storage) is the object that is already there. Clang 14 crashes on a virtual
 * destructor if no operator delete is declared, and drops the annotations of destructors, so the
 * properties are also written as assumptions (reference/compiler/ir/assumptions.c).
 *
 * DEVICE_GLOBAL(type, name, properties...) defines a device_global in the layout of document 002,
 * "Class specializations based on device_image_scope": without that property, the variable begins
 * with a pointer to the value; with it, the variable begins with the value itself. DG(name) is the
 * value, an lvalue of `type`. EXTERN_DEVICE_GLOBAL declares one that another source or module
 * defines, and a pointer to it, since clang drops the annotations of declarations. Annotations give
 * post-link the properties as they are written (reference/compiler/postlink/device_globals.h). */
#include "conformance/build/prelude.h"

#include "reference/base/check.h"
#include "reference/base/lines.h"

#include <ctype.h>
#include <string.h>

#define COMMON                                                                                     \
    "#line 1 \"prelude\"\n"                                                                        \
    "#define SYCL_EXTERNAL\n"                                                                      \
    "#define SPEC_CONSTANT(type, name, ...) "                                                      \
    "extern __constant type name __asm__(\"__assay_spec_constant_\" #name); "                      \
    "__constant type __assay_spec_default_##name "                                                 \
    "__asm__(\"__assay_spec_default_\" #name) = __VA_ARGS__;\n"                                    \
    "#define __ASSAY_TEXT_OF(...) #__VA_ARGS__\n"                                                  \
    "#define __ASSAY_TEXT(...) __ASSAY_TEXT_OF(__VA_ARGS__)\n"                                     \
    "#define USES_ASPECTS(...) "                                                                   \
    "__attribute__((__ASSAY_SAYS(\"assay:uses-aspects=\" __ASSAY_TEXT(__VA_ARGS__))))\n"

#define SAYS_C "#define __ASSAY_SAYS(...) annotate(__VA_ARGS__)\n"

/* Clang 14 drops the annotations of destructors but keeps assumptions, which newer versions do not
 * accept there. */
#define SAYS_CPP                                                                                   \
    "#if __clang_major__ == 14\n"                                                                  \
    "#define __ASSAY_SAYS(...) annotate(__VA_ARGS__), assume(__VA_ARGS__)\n"                       \
    "#else\n"                                                                                      \
    "#define __ASSAY_SAYS(...) annotate(__VA_ARGS__)\n"                                            \
    "#endif\n"

/* Selects one of two layouts: 1 if device_image_scope is among the properties. Pasting that name
 * after __ASSAY_SCOPE_ gives "~, 1" and so a second argument; pasting any other name gives one
 * argument, which is ignored. More than six properties cannot all be different, so whatever follows
 * the sixth is refused anyway. */
#define SCOPES                                                                                     \
    "#define __ASSAY_SCOPE_device_image_scope ~, 1\n"                                              \
    "#define __ASSAY_SECOND_OF(a, b, ...) b\n"                                                     \
    "#define __ASSAY_SECOND(...) __ASSAY_SECOND_OF(__VA_ARGS__, 0, )\n"                            \
    "#define __ASSAY_IS_SCOPE(p) __ASSAY_SECOND(__ASSAY_SCOPE_##p)\n"                              \
    "#define __ASSAY_OR_00 0\n"                                                                    \
    "#define __ASSAY_OR_01 1\n"                                                                    \
    "#define __ASSAY_OR_10 1\n"                                                                    \
    "#define __ASSAY_OR_11 1\n"                                                                    \
    "#define __ASSAY_OR_OF(a, b) __ASSAY_OR_##a##b\n"                                              \
    "#define __ASSAY_OR(a, b) __ASSAY_OR_OF(a, b)\n"                                               \
    "#define __ASSAY_SCOPE_OF(a, b, c, d, e, f, ...) "                                             \
    "__ASSAY_OR(__ASSAY_OR(__ASSAY_IS_SCOPE(a), __ASSAY_IS_SCOPE(b)), "                            \
    "__ASSAY_OR(__ASSAY_OR(__ASSAY_IS_SCOPE(c), __ASSAY_IS_SCOPE(d)), "                            \
    "__ASSAY_OR(__ASSAY_IS_SCOPE(e), __ASSAY_IS_SCOPE(f))))\n"                                     \
    "#define __ASSAY_SCOPE(...) __ASSAY_SCOPE_OF(__VA_ARGS__, , , , , , )\n"                       \
    "#define __ASSAY_PASTE_OF(a, b) a##b\n"                                                        \
    "#define __ASSAY_PASTE(a, b) __ASSAY_PASTE_OF(a, b)\n"                                         \
    "#define __ASSAY_ANNOTATED(...) __attribute__((annotate(__VA_ARGS__)))\n"

/* One declarator per declaration, so that `static` and `inline` may precede it. */
#define DEVICE_GLOBALS                                                                                      \
    "#define DG(variable) (*(variable).value)\n"                                                            \
    "#define DEVICE_GLOBAL(type, name, ...) __ASSAY_VARIABLE(type, name, __VA_ARGS__) "                     \
    "__ASSAY_ANNOTATED(\"assay-device-global:\" __ASSAY_TEXT(__VA_ARGS__), sizeof(type)) = __ASSAY_ZERO;\n" \
    "#define EXTERN_DEVICE_GLOBAL(type, name, ...) "                                                        \
    "extern __ASSAY_VARIABLE(type, name, __VA_ARGS__); "                                                    \
    "__ASSAY_OWN(static const __global void *__constant __assay_extern_##name "                             \
    "__attribute__((used)) "                                                                                \
    "__ASSAY_ANNOTATED(\"assay-extern-device-global:\" __ASSAY_TEXT(__VA_ARGS__), sizeof(type)) = &name;)\n"

/* A structure in both languages, so that sources in either may share variables. The value is its
 * first member, since the runtime uses the value's address as the variable's (DG-HEADER-05). Even
 * if the type is const, the host can write the variable and, in C++, other sources can name it. */
#define DEVICE_GLOBALS_C                                                                           \
    SCOPES                                                                                         \
    "#define __ASSAY_VALUE_0(type) struct { _Static_assert(!__builtin_types_compatible_p("         \
    "__typeof__(type), void), \"the type of a device_global must have a size; void has none\"); "  \
    "__global __typeof__(type) *value; }\n"                                                        \
    "#define __ASSAY_VALUE_1(type) struct { __typeof__(type) value[1]; }\n"                        \
    "#define __ASSAY_VARIABLE(type, name, ...) "                                                   \
    "__global __ASSAY_PASTE(__ASSAY_VALUE_, __ASSAY_SCOPE(__VA_ARGS__))(type) name\n"              \
    "#define __ASSAY_OWN(...) __VA_ARGS__\n"                                                       \
    "#define __ASSAY_ZERO {0}\n" DEVICE_GLOBALS

/* Inside extern "C" clang gives used static definitions an alias, which device code cannot contain.
 */
#define DEVICE_GLOBALS_CPP                                                                          \
    SCOPES                                                                                          \
    "template <typename T> struct __assay_trivial { static_assert(__is_trivially_constructible(T) " \
    "&& __is_trivially_destructible(T), \"the type of a device_global must have a trivial "         \
    "default constructor and a trivial destructor\"); };\n"                                         \
    "template <typename T, int> struct __assay_device_global : __assay_trivial<T> "                 \
    "{ __global T *value; };\n"                                                                     \
    "template <typename T> struct __assay_device_global<T, 1> : __assay_trivial<T> "                \
    "{ T value[1]; };\n"                                                                            \
    "#define __ASSAY_VARIABLE(type, name, ...) "                                                    \
    "__global __assay_device_global<type, __ASSAY_SCOPE(__VA_ARGS__)> name\n"                       \
    "#define __ASSAY_OWN(...) extern \"C++\" { __VA_ARGS__ }\n"                                     \
    "#define __ASSAY_ZERO {}\n" DEVICE_GLOBALS

/* Virtual functions need the extension: an option makes it known, only a pragma enables it. C++ for
 * OpenCL has no header that declares placement new. */
#define CPP                                                                                        \
    "#pragma OPENCL EXTENSION __cl_clang_function_pointers : enable\n"                             \
    "inline void *operator new(__SIZE_TYPE__, void *place) noexcept { return place; }\n"           \
    "#pragma clang diagnostic push\n"                                                              \
    "#pragma clang diagnostic ignored \"-Winline-new-delete\"\n"                                   \
    "inline void operator delete(void *) noexcept {}\n"                                            \
    "#pragma clang diagnostic pop\n"                                                               \
    "template <class T, class... A> T *new_object(void *place, A... arguments) "                   \
    "{ return new (place) T(arguments...); }\n"                                                    \
    "template <class T> T *object(void *place) { return (T *)place; }\n"                           \
    "#define INDIRECTLY_CALLABLE INDIRECTLY_CALLABLE_IN(\"\")\n"                                   \
    "#define INDIRECTLY_CALLABLE_IN(set) "                                                         \
    "__attribute__((used, __ASSAY_SAYS(\"assay:indirectly-callable=\" set)))\n"                    \
    "#define CALLS_INDIRECTLY(...) "                                                               \
    "__attribute__((annotate(\"assay:calls-indirectly=\" __ASSAY_TEXT(__VA_ARGS__))))\n"

rt_text cnf_prelude(scn_language language)
{
    switch (language) {
    case SCN_LANGUAGE_OPENCL_C: return RT_TEXT(COMMON SAYS_C DEVICE_GLOBALS_C);
    case SCN_LANGUAGE_OPENCL_CPP: return RT_TEXT(COMMON SAYS_CPP CPP DEVICE_GLOBALS_CPP);
    default: UNREACHABLE();
    }
}

static void line_directive(rt_buffer *out, rt_text name)
{
    CHECK(name.length > 0);
    rt_buffer_printf(out, "#line 1 \"");
    for (size_t i = 0; i < name.length; i++) {
        char c = name.data[i];
        if (c == '"' || c == '\\') rt_buffer_append_byte(out, '\\');
        rt_buffer_append_byte(out, c);
    }
    rt_buffer_printf(out, "\"\n");
}

void cnf_prelude_unit(rt_buffer *out, scn_language language, rt_text name, rt_text code)
{
    rt_buffer_append_text(out, cnf_prelude(language));
    line_directive(out, name);
    rt_buffer_append_text(out, code);
}

/* ---- Only what a source uses ---------------------------------------------------------------- */

enum { MACROS_MAX = 64 };

/* A line of the prelude for OpenCL C, which consists of macros. */
typedef struct macro {
    rt_text line, name;
    bool is_used;
} macro;

/* The identifier or number at the front of a text; empty: there is none. */
static rt_text word_at(rt_text text)
{
    size_t length = 0;
    while (length < text.length &&
           (isalnum((unsigned char)text.data[length]) || text.data[length] == '_'))
        length++;
    return (rt_text){text.data, length};
}

/* True if the text contains the name, or a word that ends in '_' and begins it: the first half of a
 * name that is pasted together. */
static bool uses_name(rt_text text, rt_text name)
{
    while (text.length > 0) {
        rt_text word = word_at(text);
        bool is_half = word.length > 0 && word.length < name.length &&
                       word.data[word.length - 1] == '_' &&
                       memcmp(word.data, name.data, word.length) == 0;
        if (is_half || rt_text_equal(word, name)) return true;
        text = rt_text_skip(text, word.length > 0 ? word.length : 1);
    }
    return false;
}

static uint32_t macros_read(macro *out_macros)
{
    rt_text rest = cnf_prelude(SCN_LANGUAGE_OPENCL_C), line;
    uint32_t count = 0;
    while (rt_line_take(&rest, &line)) {
        rt_text body = line;
        if (!rt_text_take_prefix(&body, "#define ")) continue;
        CHECK(count < MACROS_MAX);
        out_macros[count++] = (macro){.line = line, .name = word_at(body)};
    }
    CHECK(count > 0);
    return count;
}

void cnf_prelude_used_unit(rt_buffer *out, rt_text name, rt_text code)
{
    macro macros[MACROS_MAX];
    uint32_t count = macros_read(macros);
    bool is_complete = false;
    while (!is_complete) {
        is_complete = true;
        for (uint32_t i = 0; i < count; i++) {
            bool is_used = uses_name(code, macros[i].name);
            for (uint32_t k = 0; k < count && !is_used; k++)
                is_used = k != i && macros[k].is_used && uses_name(macros[k].line, macros[i].name);
            if (!is_used || macros[i].is_used) continue;
            macros[i].is_used = true;
            is_complete = false;
        }
    }
    for (uint32_t i = 0; i < count; i++)
        if (macros[i].is_used) rt_buffer_printf(out, "%.*s\n", RT_TEXT_ARG(macros[i].line));
    line_directive(out, name);
    rt_buffer_append_text(out, code);
}
