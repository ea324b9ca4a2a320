/* Line information: an instruction has a line of its own, a function has the line of its
 * definition. */
#include "reference/compiler/ir/place.h"

#include "reference/compiler/ir/demangle.h"

unsigned pl_place_line(LLVMValueRef value)
{
    CHECK(LLVMIsAFunction(value) || LLVMIsAInstruction(value));
    return LLVMGetDebugLocLine(value);
}

rt_text pl_place(pl_job *job, LLVMValueRef value)
{
    unsigned line = pl_place_line(value), length = 0;
    const char *file = line > 0 ? LLVMGetDebugLocFilename(value, &length) : NULL;
    if (!file || length == 0) return (rt_text){0};
    return rt_arena_printf(&job->arena, "%.*s:%u: ", (int)length, file, line);
}

/* The instruction with the lowest line number among those that use a value directly or through
 * constant expressions such as casts. */
static LLVMValueRef first_instruction(LLVMValueRef value, LLVMValueRef first)
{
    for (LLVMUseRef use = LLVMGetFirstUse(value); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (!LLVMIsAInstruction(user)) {
            if (LLVMIsAConstantExpr(user)) first = first_instruction(user, first);
            continue;
        }
        unsigned line = pl_place_line(user);
        if (line > 0 && (!first || line < pl_place_line(first))) first = user;
    }
    return first;
}

rt_text pl_place_of_use(pl_job *job, LLVMValueRef variable)
{
    CHECK(LLVMIsAGlobalVariable(variable));
    LLVMValueRef first = first_instruction(variable, NULL);
    return first ? pl_place(job, first) : (rt_text){0};
}

rt_text pl_place_name(pl_job *job, LLVMValueRef symbol)
{
    rt_buffer name = {0};
    pl_demangle(pl_job_name(job, symbol).data, &name);
    rt_text result = rt_arena_text(&job->arena, rt_buffer_text(&name));
    rt_buffer_free(&name);
    return result;
}
