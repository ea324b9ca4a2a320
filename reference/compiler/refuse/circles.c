/* Follows initial values from variable to variable.
 *
 * A constant may be part of several values, so each constant is visited only once; only a variable
 * can close a cycle.
 */
#include "reference/compiler/refuse/refuse.h"

#include "reference/base/map.h"

enum { OPEN, DONE };

/* A variable that is reached again while its initial value is being followed; NULL if there is
 * none. */
static LLVMValueRef circle_from(rt_map *states, LLVMValueRef value)
{
    bool is_variable = LLVMIsAGlobalVariable(value) != NULL;
    uint32_t state = rt_map_find_number(states, (uintptr_t)value);
    if (state != RT_MAP_NONE) return state == OPEN ? value : NULL;
    if (is_variable) rt_map_set_number(states, (uintptr_t)value, OPEN);
    int count = LLVMGetNumOperands(value);
    for (int i = 0; i < count; i++) {
        LLVMValueRef part = LLVMGetOperand(value, (unsigned)i);
        if (!LLVMIsAConstant(part)) continue;
        LLVMValueRef found = circle_from(states, part);
        if (found) return found;
    }
    rt_map_set_number(states, (uintptr_t)value, DONE);
    return NULL;
}

rt_status pl_refuse_circles(pl_job *job, LLVMModuleRef module, rt_code code, const char *form)
{
    CHECK(LLVMGetModuleContext(module) == job->context);
    rt_map states = {0};
    LLVMValueRef found = NULL, variable = LLVMGetFirstGlobal(module);
    for (; variable && !found; variable = LLVMGetNextGlobal(variable))
        found = circle_from(&states, variable);
    rt_map_free(&states);
    if (!found) return RT_STATUS_OK;
    rt_text name = pl_job_name(job, found);
    return rt_fail_naming(job->sink, code, RT_RULE_NONE, &name, 1,
                          "the initial value of '%.*s' leads back to it, which %s cannot "
                          "express; have a kernel store the address instead",
                          RT_TEXT_ARG(name), form);
}
