/* The call queries dimension 0 whenever the dimension is out of range, and a select replaces the
 * result; of a constant dimension, the passes that follow leave the call or the result. */
#include "reference/compiler/lower/lower_internal.h"

#include "reference/base/vector.h"
#include "reference/compiler/ir/values.h"

enum { DIMENSION_COUNT = 3 };

static const struct work_item_function {
    const char *symbol;
    unsigned outside; /* the function's result for any other dimension */
} functions[] = {
    {"_Z13get_global_idj", 0},   {"_Z12get_local_idj", 0},
    {"_Z12get_group_idj", 0},    {"_Z17get_global_offsetj", 0},
    {"_Z15get_global_sizej", 1}, {"_Z14get_local_sizej", 1},
    {"_Z14get_num_groupsj", 1},  {"_Z23get_enqueued_local_sizej", 1},
};

typedef RT_VECTOR(LLVMValueRef) value_list;

/* The users are collected before the select is built, because the select itself must keep using the
 * call.
 */
static void choose(LLVMBuilderRef builder, LLVMValueRef call, LLVMValueRef outside)
{
    LLVMValueRef dimension = LLVMGetOperand(call, 0);
    LLVMTypeRef type = LLVMTypeOf(dimension);
    LLVMPositionBuilderBefore(builder, call);
    LLVMValueRef inside =
        LLVMBuildICmp(builder, LLVMIntULT, dimension, pl_integer(type, DIMENSION_COUNT), "");
    LLVMValueRef safe = LLVMBuildSelect(builder, inside, dimension, LLVMConstNull(type), "");
    LLVMSetOperand(call, 0, safe);
    value_list users = {0};
    for (LLVMUseRef use = LLVMGetFirstUse(call); use; use = LLVMGetNextUse(use))
        *rt_vector_push(&users) = LLVMGetUser(use);
    LLVMPositionBuilderBefore(builder, LLVMGetNextInstruction(call));
    LLVMValueRef answer = LLVMBuildSelect(builder, inside, call, outside, "");
    for (uint32_t i = 0; i < users.count; i++)
        for (unsigned k = 0; k < (unsigned)LLVMGetNumOperands(users.items[i]); k++)
            if (LLVMGetOperand(users.items[i], k) == call)
                LLVMSetOperand(users.items[i], k, answer);
    rt_vector_free(&users);
}

void pl_lower_dimensions(pl_job *job, LLVMModuleRef module)
{
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(job->context);
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        LLVMValueRef function = LLVMGetNamedFunction(module, functions[i].symbol);
        /* The calls with one argument; the function may have other uses. */
        value_list calls = {0};
        LLVMUseRef use = function ? LLVMGetFirstUse(function) : NULL;
        for (; use; use = LLVMGetNextUse(use)) {
            LLVMValueRef user = LLVMGetUser(use);
            if (pl_calls(user, function) && LLVMGetNumArgOperands(user) == 1)
                *rt_vector_push(&calls) = user;
        }
        for (uint32_t k = 0; k < calls.count; k++) {
            LLVMValueRef call = calls.items[k];
            choose(builder, call, pl_integer(LLVMTypeOf(call), functions[i].outside));
        }
        rt_vector_free(&calls);
    }
    LLVMDisposeBuilder(builder);
}
