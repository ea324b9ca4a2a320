/* Finds the builtin functions of the libraries that a module read from SPIR-V calls.
 *
 * Mangled names hold the numbers of address spaces, which differ between spir64 and nvptx64, and
 * abbreviations that depend on them: `_Z5fractfPU3AS4f` denotes a function of a generic pointer in
 * one, of a constant pointer in the other. So declarations are compared in their demangled form.
 * Source: Itanium C++ ABI, 5.1 "External Names". */
#include "reference/compiler/ptx/ptx_internal.h"

#include "reference/compiler/ir/builtins.h"
#include "reference/compiler/ir/demangle.h"
#include "reference/compiler/ir/values.h"

#include <string.h>

/* A declaration with nvptx64's address spaces, demangled; the generic space has no qualifier. */
static void declaration_write(const char *symbol, rt_buffer *out)
{
    static const char qualifier[] = " AS";
    size_t length = sizeof qualifier - 1;
    rt_buffer spir = {0};
    pl_demangle(symbol, &spir);
    for (const char *at = rt_buffer_string(&spir); *at; at++) {
        bool is_qualifier = strncmp(at, qualifier, length) == 0;
        unsigned space = is_qualifier ? (unsigned)(at[length] - '0') : PL_SPIR_SPACES;
        if (space >= PL_SPIR_SPACES) {
            rt_buffer_append_byte(out, *at);
            continue;
        }
        unsigned number = pl_ptx_spir_spaces[space];
        if (number != PL_PTX_SPACE_GENERIC) rt_buffer_printf(out, "%s%u", qualifier, number);
        at += length;
    }
    rt_buffer_free(&spir);
}

/* The symbol with that declaration in a library; NULL: it has none. `prefix` is the part of the
 * mangled name before the parameters. */
static const char *symbol_find(LLVMModuleRef library, rt_text prefix, rt_text declaration)
{
    const char *found = NULL;
    LLVMValueRef function = LLVMGetFirstFunction(library);
    for (; function && !found; function = LLVMGetNextFunction(function)) {
        rt_text symbol = pl_name(function);
        if (LLVMIsDeclaration(function) || symbol.length < prefix.length ||
            memcmp(symbol.data, prefix.data, prefix.length) != 0)
            continue;
        rt_buffer text = {0};
        pl_demangle(symbol.data, &text);
        if (rt_text_equal(rt_buffer_text(&text), declaration)) found = symbol.data;
        rt_buffer_free(&text);
    }
    return found;
}

/* Gives a declaration the library's name. Two declarations may become one: of a private and of a
 * generic pointer. */
static void rename_to(LLVMModuleRef module, LLVMValueRef function, const char *symbol)
{
    LLVMValueRef other = LLVMGetNamedFunction(module, symbol);
    if (other == function) return;
    if (!other) {
        LLVMSetValueName2(function, symbol, strlen(symbol));
        return;
    }
    CHECK(LLVMGlobalGetValueType(other) == LLVMGlobalGetValueType(function));
    LLVMReplaceAllUsesWith(function, other);
    LLVMDeleteFunction(function);
}

void pl_ptx_adopt_builtins(pl_job *job, LLVMModuleRef module, LLVMModuleRef ours,
                           LLVMModuleRef library)
{
    LLVMValueRef next = NULL, function = LLVMGetFirstFunction(module);
    for (; function; function = next) {
        next = LLVMGetNextFunction(function);
        rt_text symbol = pl_job_name(job, function), name, parameters;
        bool is_builtin = LLVMIsDeclaration(function) && pl_symbol_is_opencl_builtin(symbol) &&
                          rt_map_find(job->spirv_imports, symbol) == RT_MAP_NONE;
        if (!is_builtin || !pl_symbol_split(symbol, &name, &parameters)) continue;
        rt_buffer declaration = {0};
        declaration_write(symbol.data, &declaration);
        rt_text prefix = {symbol.data, symbol.length - parameters.length};
        const char *found = symbol_find(ours, prefix, rt_buffer_text(&declaration));
        if (!found) found = symbol_find(library, prefix, rt_buffer_text(&declaration));
        if (found) rename_to(module, function, found);
        rt_buffer_free(&declaration);
    }
}
