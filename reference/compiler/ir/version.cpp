/* LLVM_VERSION_MAJOR is that of the headers, and cmake/llvm.cmake demands a translator of the same
 * version. */
#include "reference/compiler/ir/version.h"

#include <llvm/Config/llvm-config.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/CBindingWrapping.h>

#define TEXT_OF(number)  TEXT_OF_(number)
#define TEXT_OF_(number) #number

const char pl_llvm_version[] = "LLVM " TEXT_OF(LLVM_VERSION_MAJOR);

#define LAYOUT "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024"

bool pl_is_mmx_type(LLVMTypeRef type)
{
#if LLVM_VERSION_MAJOR >= 20
    return type == nullptr;
#else
    return LLVMGetTypeKind(type) == LLVMX86_MMXTypeKind;
#endif
}

#if LLVM_VERSION_MAJOR >= 15

/* Variables without an address space are in global memory (G1). */
const char pl_spir64_layout[] = LAYOUT "-G1";

LLVMTypeRef pl_written_pointee(LLVMTypeRef)
{
    return nullptr;
}

LLVMTypeRef pl_pointer_in_space(LLVMTypeRef pointer, unsigned space)
{
    return LLVMPointerTypeInContext(LLVMGetTypeContext(pointer), space);
}

LLVMValueRef pl_component_of_constant(LLVMValueRef vector, unsigned index)
{
    return LLVMGetAggregateElement(vector, index);
}

void pl_blocks_move(LLVMValueRef from, LLVMValueRef to)
{
    auto *target = llvm::unwrap<llvm::Function>(to);
    target->splice(target->begin(), llvm::unwrap<llvm::Function>(from));
}

void pl_reader_repair(LLVMModuleRef) {}

#else

const char pl_spir64_layout[] = LAYOUT;

LLVMTypeRef pl_written_pointee(LLVMTypeRef pointer)
{
    return LLVMGetElementType(pointer);
}

LLVMTypeRef pl_pointer_in_space(LLVMTypeRef pointer, unsigned space)
{
    return LLVMPointerType(LLVMGetElementType(pointer), space);
}

LLVMValueRef pl_component_of_constant(LLVMValueRef vector, unsigned index)
{
    return LLVMGetElementAsConstant(vector, index);
}

void pl_blocks_move(LLVMValueRef from, LLVMValueRef to)
{
    auto *target = llvm::unwrap<llvm::Function>(to);
    target->getBasicBlockList().splice(target->begin(),
                                       llvm::unwrap<llvm::Function>(from)->getBasicBlockList());
}

template <typename T>
static void correct_struct_return(T &callee, unsigned index, llvm::Type *pointer)
{
    constexpr auto kind = llvm::Attribute::StructRet;
    callee.removeParamAttr(index, kind);
    callee.addParamAttr(index, llvm::Attribute::getWithStructRetType(
                                   pointer->getContext(), pointer->getPointerElementType()));
}

void pl_reader_repair(LLVMModuleRef module)
{
    for (llvm::Function &function : *llvm::unwrap(module)) {
        for (llvm::Argument &argument : function.args())
            if (argument.hasStructRetAttr())
                correct_struct_return(function, argument.getArgNo(), argument.getType());
        for (llvm::Instruction &instruction : llvm::instructions(function)) {
            auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction);
            for (unsigned i = 0; call && i < call->arg_size(); i++)
                if (call->paramHasAttr(i, llvm::Attribute::StructRet))
                    correct_struct_return(*call, i, call->getArgOperand(i)->getType());
        }
    }
}

#endif
