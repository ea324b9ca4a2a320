/* Moves a module from one numbering of address spaces to another, in which several spaces may
 * become one.
 *
 * LLVM's C interface cannot change the type of a pointer inside other types, so the text of the
 * module is changed: outside quotes, `addrspace(4)` always denotes that space (LLVM Language
 * Reference Manual, "Pointer Type"). */
#include "reference/compiler/ptx/ptx_internal.h"

#include "reference/base/map.h"
#include "reference/compiler/ir/values.h"

#include <llvm-c/IRReader.h>
#include <string.h>

static const char space_word[] = "addrspace(";

/* ---- Casts ---------------------------------------------------------------------------------- */

static unsigned space_of(LLVMTypeRef type)
{
    if (LLVMGetTypeKind(type) == LLVMVectorTypeKind) type = LLVMGetElementType(type);
    return LLVMGetPointerAddressSpace(type);
}

/* True if the spaces of an address space cast become one, since LLVM does not accept a cast from a
 * space to itself; or if a null pointer is cast, which NVPTX's back end does not accept in the
 * initial value of a variable. */
static bool is_replaced(LLVMValueRef value, const uint8_t *to)
{
    bool casts = LLVMIsAAddrSpaceCastInst(value) ||
                 (LLVMIsAConstantExpr(value) && LLVMGetConstOpcode(value) == LLVMAddrSpaceCast);
    if (!casts) return false;
    if (LLVMIsNull(LLVMGetOperand(value, 0))) return true;
    unsigned from = space_of(LLVMTypeOf(LLVMGetOperand(value, 0)));
    unsigned target = space_of(LLVMTypeOf(value));
    CHECK(from != target);
    return from < PL_SPIR_SPACES && target < PL_SPIR_SPACES && to[from] == to[target];
}

/* Finds a constant expression to be replaced among the operands of a value, which may be nested.
 * Constants form no cycles except through symbols, which are not followed. */
static LLVMValueRef constant_cast_find(LLVMValueRef value, const uint8_t *to, rt_map *seen)
{
    int count = LLVMGetNumOperands(value);
    for (int i = 0; i < count; i++) {
        LLVMValueRef operand = LLVMGetOperand(value, (unsigned)i);
        if (!operand || !LLVMIsAConstant(operand) || LLVMIsAGlobalValue(operand)) continue;
        if (rt_map_find_number(seen, (uintptr_t)operand) != RT_MAP_NONE) continue;
        if (is_replaced(operand, to)) return operand;
        LLVMValueRef found = constant_cast_find(operand, to, seen);
        if (found) return found;
        rt_map_set_number(seen, (uintptr_t)operand, 0);
    }
    return NULL;
}

/* The integer type through which a pointer is converted: LLVM folds the two conversions once both
 * pointers are in the same space. */
static LLVMTypeRef integer_of(pl_job *job, LLVMTypeRef pointer)
{
    LLVMTypeRef word = LLVMInt64TypeInContext(job->context);
    bool is_vector = LLVMGetTypeKind(pointer) == LLVMVectorTypeKind;
    return is_vector ? LLVMVectorType(word, LLVMGetVectorSize(pointer)) : word;
}

/* `seen` holds the constants that are known to contain no such cast. */
static void replace_constants(pl_job *job, LLVMValueRef user, const uint8_t *to, rt_map *seen)
{
    for (LLVMValueRef cast; (cast = constant_cast_find(user, to, seen));) {
        LLVMValueRef origin = LLVMGetOperand(cast, 0);
        LLVMTypeRef word = integer_of(job, LLVMTypeOf(origin)), type = LLVMTypeOf(cast);
        LLVMValueRef number = LLVMConstPtrToInt(origin, word);
        LLVMReplaceAllUsesWith(cast, LLVMIsNull(origin) ? LLVMConstNull(type)
                                                        : LLVMConstIntToPtr(number, type));
    }
}

static void replace_instruction(pl_job *job, LLVMBuilderRef builder, LLVMValueRef cast)
{
    LLVMValueRef origin = LLVMGetOperand(cast, 0);
    LLVMPositionBuilderBefore(builder, cast);
    LLVMValueRef number =
        LLVMBuildPtrToInt(builder, origin, integer_of(job, LLVMTypeOf(origin)), "");
    pl_replace(cast, LLVMBuildIntToPtr(builder, number, LLVMTypeOf(cast), ""));
}

static void replace_casts(pl_job *job, LLVMModuleRef module, const uint8_t *to)
{
    rt_map seen = {0};
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(job->context);
    for (LLVMValueRef v = pl_first_symbol(module); v; v = pl_next_symbol(v)) {
        if (!LLVMIsAFunction(v)) {
            replace_constants(job, v, to, &seen);
            continue;
        }
        LLVMValueRef next = NULL, i = pl_first_instruction(v);
        for (; i; i = next) {
            next = pl_next_instruction(i);
            replace_constants(job, i, to, &seen);
            if (is_replaced(i, to)) replace_instruction(job, builder, i);
        }
    }
    LLVMDisposeBuilder(builder);
    rt_map_free(&seen);
}

/* ---- The text ------------------------------------------------------------------------------- */

/* Replaces the numbers in the text; true if one changed. */
static bool renumber(char *text, const uint8_t *to)
{
    bool changes = false;
    size_t length = sizeof space_word - 1;
    for (char *at = text; *at; at++) {
        if (*at == '"') {
            /* A quoted string contains no quotation mark, so it ends at the next one. */
            at = strchr(at + 1, '"');
            CHECK(at);
        } else if (*at == 'a' && strncmp(at, space_word, length) == 0) {
            unsigned space = (unsigned)(at[length] - '0');
            if (space >= PL_SPIR_SPACES || at[length + 1] != ')' || to[space] == space) continue;
            CHECK(to[space] < 10);
            at[length] = (char)('0' + to[space]);
            changes = true;
        }
    }
    return changes;
}

rt_status pl_ptx_change_spaces(pl_job *job, LLVMModuleRef *module, const uint8_t to[PL_SPIR_SPACES])
{
    replace_casts(job, *module, to);
    char *text = LLVMPrintModuleToString(*module);
    rt_status status = RT_STATUS_OK;
    if (renumber(text, to)) {
        LLVMDisposeModule(*module);
        *module = NULL;
        char *reason = NULL;
        LLVMMemoryBufferRef memory =
            LLVMCreateMemoryBufferWithMemoryRangeCopy(text, strlen(text), "ptx");
        if (LLVMParseIRInContext(job->context, memory, module, &reason)) {
            *module = NULL;
            status = rt_fail(job->sink, RT_TOOL, RT_RULE_NONE,
                             "the module is invalid once its address spaces are those of PTX; "
                             "this is a bug in assay's compiler: %s",
                             reason);
            LLVMDisposeMessage(reason);
        }
    }
    LLVMDisposeMessage(text);
    if (!rt_ok(status)) return status;
    return pl_module_verify(job, *module, "changing the address spaces");
}
