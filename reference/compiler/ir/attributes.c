/* Attributes by name, as the C API has them: at the function's index. */
#include "reference/compiler/ir/attributes.h"

#include <string.h>

#define AT_FUNCTION ((LLVMAttributeIndex)LLVMAttributeFunctionIndex)

static LLVMAttributeRef find(LLVMValueRef function, const char *name)
{
    CHECK(LLVMIsAFunction(function) && name[0]);
    return LLVMGetStringAttributeAtIndex(function, AT_FUNCTION, name, (unsigned)strlen(name));
}

bool pl_attribute_has(LLVMValueRef function, const char *name)
{
    return find(function, name) != NULL;
}

rt_text pl_attribute(LLVMValueRef function, const char *name)
{
    LLVMAttributeRef attribute = find(function, name);
    if (!attribute) return (rt_text){"", 0};
    unsigned length = 0;
    const char *data = LLVMGetStringAttributeValue(attribute, &length);
    return (rt_text){data, length};
}

void pl_attribute_set(pl_job *job, LLVMValueRef function, const char *name, rt_text value)
{
    CHECK(LLVMIsAFunction(function));
    LLVMAddAttributeAtIndex(function, AT_FUNCTION,
                            LLVMCreateStringAttribute(job->context, name, (unsigned)strlen(name),
                                                      value.data, (unsigned)value.length));
}
