/* LLVM counts parameters from 1 in these calls and has a separate index for the function. */
#include "reference/compiler/ir/attributes.h"

#include <string.h>

static LLVMAttributeRef find(LLVMValueRef function, const char *name)
{
    CHECK(LLVMIsAFunction(function) && name[0]);
    return LLVMGetStringAttributeAtIndex(function, PL_AT_FUNCTION, name, (unsigned)strlen(name));
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

static LLVMContextRef context_of(LLVMValueRef function)
{
    CHECK(LLVMIsAFunction(function));
    return LLVMGetModuleContext(LLVMGetGlobalParent(function));
}

void pl_attribute_set(LLVMValueRef function, const char *name, rt_text value)
{
    LLVMAddAttributeAtIndex(function, PL_AT_FUNCTION,
                            LLVMCreateStringAttribute(context_of(function), name,
                                                      (unsigned)strlen(name), value.data,
                                                      (unsigned)value.length));
    CHECK(rt_text_equal(pl_attribute(function, name), value));
}

void pl_attribute_remove(LLVMValueRef function, const char *name)
{
    LLVMRemoveStringAttributeAtIndex(function, PL_AT_FUNCTION, name, (unsigned)strlen(name));
    CHECK(!pl_attribute_has(function, name));
}

/* ---- Flags --------------------------------------------------------------------------------- */

static unsigned kind_of(const char *name)
{
    unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
    CHECK(kind != 0);
    return kind;
}

void pl_flag_add(LLVMValueRef function, const char *name)
{
    LLVMAddAttributeAtIndex(function, PL_AT_FUNCTION,
                            LLVMCreateEnumAttribute(context_of(function), kind_of(name), 0));
}

void pl_flag_remove(LLVMValueRef function, const char *name)
{
    LLVMRemoveEnumAttributeAtIndex(function, PL_AT_FUNCTION, kind_of(name));
}

void pl_flag_remove_from_calls(LLVMValueRef function, const char *name)
{
    CHECK(LLVMIsAFunction(function));
    unsigned kind = kind_of(name);
    for (LLVMUseRef use = LLVMGetFirstUse(function); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (LLVMIsACallInst(user)) LLVMRemoveCallSiteEnumAttribute(user, PL_AT_FUNCTION, kind);
    }
}

/* ---- Parameters ---------------------------------------------------------------------------- */

LLVMTypeRef pl_by_value_type(LLVMValueRef function, uint32_t parameter)
{
    CHECK(parameter < LLVMCountParams(function));
    LLVMAttributeRef attribute =
        LLVMGetEnumAttributeAtIndex(function, parameter + 1, kind_of("byval"));
    return attribute ? LLVMGetTypeAttributeValue(attribute) : NULL;
}

void pl_passing_copy(LLVMValueRef from, uint32_t parameter, LLVMValueRef to, uint32_t to_parameter)
{
    static const char *const names[] = {"byval", "zeroext", "signext", "align"};
    CHECK(parameter < LLVMCountParams(from));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        LLVMAttributeRef attribute =
            LLVMGetEnumAttributeAtIndex(from, parameter + 1, kind_of(names[i]));
        if (!attribute) continue;
        if (LLVMIsAFunction(to))
            LLVMAddAttributeAtIndex(to, to_parameter + 1, attribute);
        else
            LLVMAddCallSiteAttribute(to, to_parameter + 1, attribute);
    }
}
