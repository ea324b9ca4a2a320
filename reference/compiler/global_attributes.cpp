/* LLVM's C++ interface to the attributes of variables, and the C++ library's reader of names. */
#include "reference/compiler/global_attributes.h"

#include <cxxabi.h>
#include <llvm/IR/GlobalVariable.h>

#include <cstdlib>

bool pl_global_attribute(LLVMValueRef variable, const char *name, rt_text *out_value)
{
    const auto *global = llvm::unwrap<llvm::GlobalVariable>(variable);
    *out_value = {nullptr, 0};
    if (!global->hasAttribute(name)) return false;
    llvm::StringRef value = global->getAttribute(name).getValueAsString();
    *out_value = {value.data(), value.size()};
    return true;
}

void pl_global_attribute_set(LLVMValueRef variable, const char *name, rt_text value)
{
    llvm::unwrap<llvm::GlobalVariable>(variable)->addAttribute(
        name, llvm::StringRef(value.data, value.length));
}

void pl_demangle(const char *symbol, rt_buffer *out_name)
{
    int status = 0;
    char *name = nullptr;
    if (symbol[0] == '_' && symbol[1] == 'Z')
        name = abi::__cxa_demangle(symbol, nullptr, nullptr, &status);
    rt_buffer_printf(out_name, "%s", name ? name : symbol);
    std::free(name);
}
