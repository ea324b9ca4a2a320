/* The prelude.
 *
 * SYCL_EXTERNAL is the documents' word for a function that other translation units may call.  Clang
 * has no such attribute in OpenCL C, and post-link takes every function with external linkage for
 * one, so the word stands for nothing.
 *
 * SPEC_CONSTANT(type, name, default) makes `name` a specialisation constant: a declared variable,
 * so that nothing folds it, and another one that holds its default.  A semicolon may follow or not.
 * Post-link knows the variables by their symbols (reference/compiler/spec_constants.h), takes both
 * out and replaces every use.
 *
 * Document 004's properties, and the aspects that a function uses, are annotations, which post-link
 * reads (reference/compiler/virtual_functions.h): INDIRECTLY_CALLABLE or INDIRECTLY_CALLABLE_IN
 * ("set") before a virtual function, CALLS_INDIRECTLY("set", ...) before a kernel,
 * CALLS_INDIRECTLY() for the default set, USES_ASPECTS(fp64, ...) before any function.  A property
 * is part of the code wherever the class is, so a virtual function that has it is emitted though
 * nothing calls it. new_object<T>(storage, ...) makes an object in memory that is there,
 * object<T>(storage) is the one that is there. */
#include "conformance/compile/prelude.h"

#include "reference/base/check.h"

#define COMMON                                                                                     \
    "#line 1 \"prelude\"\n"                                                                        \
    "#define SYCL_EXTERNAL\n"                                                                      \
    "#define SPEC_CONSTANT(type, name, value) "                                                    \
    "extern __constant type name __asm__(\"__assay_spec_constant_\" #name); "                      \
    "__constant type __assay_spec_default_##name "                                                 \
    "__asm__(\"__assay_spec_default_\" #name) = value;\n"                                          \
    "#define USES_ASPECTS(...) __attribute__((annotate(\"assay:uses-aspects=\" #__VA_ARGS__)))\n"

/* Virtual functions need the extension, which an option makes known and only a pragma enables; C++
 * for OpenCL has no header that would declare placement new. */
#define CPP                                                                                        \
    "#pragma OPENCL EXTENSION __cl_clang_function_pointers : enable\n"                             \
    "inline void *operator new(__SIZE_TYPE__, void *place) noexcept { return place; }\n"           \
    "template <class T, class... A> T *new_object(void *place, A... arguments) "                   \
    "{ return new (place) T(arguments...); }\n"                                                    \
    "template <class T> T *object(void *place) { return (T *)place; }\n"                           \
    "#define INDIRECTLY_CALLABLE INDIRECTLY_CALLABLE_IN(\"\")\n"                                   \
    "#define INDIRECTLY_CALLABLE_IN(set) "                                                         \
    "__attribute__((used, annotate(\"assay:indirectly-callable=\" set)))\n"                        \
    "#define CALLS_INDIRECTLY(...) "                                                               \
    "__attribute__((annotate(\"assay:calls-indirectly=\" #__VA_ARGS__)))\n"

rt_text cnf_prelude(scn_language language)
{
    switch (language) {
    case SCN_LANGUAGE_OPENCL_C: return RT_TEXT(COMMON);
    case SCN_LANGUAGE_OPENCL_CPP: return RT_TEXT(COMMON CPP);
    default: UNREACHABLE();
    }
}

void cnf_prelude_unit(rt_buffer *out, scn_language language, rt_text name, rt_text code)
{
    CHECK(name.length > 0);
    rt_buffer_append_text(out, cnf_prelude(language));
    rt_buffer_printf(out, "#line 1 \"");
    for (size_t i = 0; i < name.length; i++) {
        char c = name.data[i];
        if (c == '"' || c == '\\') rt_buffer_append_byte(out, '\\');
        rt_buffer_append_byte(out, c);
    }
    rt_buffer_printf(out, "\"\n");
    rt_buffer_append_text(out, code);
}
