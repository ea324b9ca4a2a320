/* Calls LLVM's own functions for attributes of variables. */
#include "reference/compiler/ir/variable_attributes.h"

#include <llvm/IR/GlobalVariable.h>

static llvm::GlobalVariable *variable_of(LLVMValueRef value)
{
    return llvm::cast<llvm::GlobalVariable>(llvm::unwrap(value));
}

bool pl_variable_attribute(LLVMValueRef variable, const char *name, rt_text *out_value)
{
    const llvm::Attribute attribute = variable_of(variable)->getAttribute(name);
    *out_value = rt_text{};
    if (!attribute.isStringAttribute()) return false;
    const llvm::StringRef value = attribute.getValueAsString();
    *out_value = rt_text{value.data(), value.size()};
    return true;
}

void pl_variable_attribute_set(LLVMValueRef variable, const char *name, rt_text value)
{
    variable_of(variable)->addAttribute(name, llvm::StringRef(value.data, value.length));
}
