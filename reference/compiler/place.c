/* Line information: of an instruction its own, of a function that of its definition.  Variables
 * have none, since sources are compiled with line tables only. */
#include "reference/compiler/place.h"

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
