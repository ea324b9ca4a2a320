/* Source of the behaviour: LLVM, Transforms/Utils/Cloning.h and Scalar/InferAddressSpaces.h. */
#include "reference/compiler/ir/clone.h"

extern "C" {
#include "reference/base/alloc.h"
}

#include "reference/compiler/ir/version.h"

#include <llvm-c/Core.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/CBindingWrapping.h>
#include <llvm/Transforms/Scalar/InferAddressSpaces.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <string>
#include <vector>

namespace
{

enum { WORK_GROUP_SPACE = 3 };

/* The values to copy, once each, in the order of discovery. */
struct reached_values {
    llvm::SetVector<llvm::Function *> functions;
    llvm::SetVector<llvm::GlobalVariable *> variables;
};

void note_operand(llvm::Value *value, reached_values &reached)
{
    if (auto *function = llvm::dyn_cast<llvm::Function>(value)) {
        if (!function->isDeclaration()) reached.functions.insert(function);
    } else if (auto *variable = llvm::dyn_cast<llvm::GlobalVariable>(value)) {
        if (variable->getAddressSpace() == WORK_GROUP_SPACE) reached.variables.insert(variable);
    } else if (auto *constant = llvm::dyn_cast<llvm::Constant>(value)) {
        for (llvm::Use &operand : constant->operands())
            note_operand(operand.get(), reached);
    }
}

} // namespace

uint32_t pl_clone_reachable(LLVMValueRef root, const char *suffix, LLVMValueRef **out_copies)
{
    reached_values reached;
    reached.functions.insert(llvm::unwrap<llvm::Function>(root));
    for (unsigned i = 0; i < reached.functions.size(); i++)
        for (llvm::BasicBlock &block : *reached.functions[i])
            for (llvm::Instruction &instruction : block)
                for (llvm::Use &operand : instruction.operands())
                    if (llvm::isa<llvm::Constant>(operand.get()))
                        note_operand(operand.get(), reached);
    llvm::ValueToValueMapTy map;
    for (llvm::GlobalVariable *variable : reached.variables) {
        llvm::Constant *value = llvm::UndefValue::get(variable->getValueType());
        auto *copy = new llvm::GlobalVariable(
            *variable->getParent(), variable->getValueType(), variable->isConstant(),
            llvm::GlobalValue::InternalLinkage, value, variable->getName() + suffix, variable,
            llvm::GlobalValue::NotThreadLocal, variable->getAddressSpace());
        copy->setAlignment(variable->getAlign());
        map[variable] = copy;
    }
    /* All copies are declared before the first body is cloned, since a body may call any of them.
     */
    std::vector<llvm::Function *> copies;
    for (llvm::Function *function : reached.functions) {
        auto *copy =
            llvm::Function::Create(function->getFunctionType(), llvm::GlobalValue::InternalLinkage,
                                   function->getName() + suffix, function->getParent());
        copy->setCallingConv(function->getCallingConv());
        copies.push_back(copy);
        map[function] = copy;
    }
    size_t count = copies.size();
    CHECK(count >= 1 && count == reached.functions.size());
    *out_copies = static_cast<LLVMValueRef *>(rt_alloc_array(count, sizeof **out_copies));
    for (size_t i = 0; i < count; i++) {
        llvm::Function *from = reached.functions[(unsigned)i], *to = copies[i];
        auto parameter = to->arg_begin();
        for (llvm::Argument &argument : from->args()) {
            parameter->setName(argument.getName());
            map[&argument] = &*parameter++;
        }
        llvm::SmallVector<llvm::ReturnInst *, 8> returns;
        llvm::CloneFunctionInto(to, from, map, llvm::CloneFunctionChangeType::GlobalChanges,
                                returns);
        to->setLinkage(llvm::GlobalValue::InternalLinkage);
        (*out_copies)[i] = llvm::wrap(to);
    }
    return static_cast<uint32_t>(count);
}

LLVMValueRef pl_drop_parameters(LLVMValueRef function, const bool *keep)
{
    auto *old = llvm::unwrap<llvm::Function>(function);
    CHECK(old->use_empty() && !old->isDeclaration());
    std::vector<llvm::Type *> types;
    std::vector<llvm::AttributeSet> attributes;
    for (llvm::Argument &argument : old->args()) {
        CHECK(keep[argument.getArgNo()] || argument.use_empty());
        if (!keep[argument.getArgNo()]) continue;
        types.push_back(argument.getType());
        attributes.push_back(old->getAttributes().getParamAttrs(argument.getArgNo()));
    }
    auto *type = llvm::FunctionType::get(old->getReturnType(), types, false);
    auto *result = llvm::Function::Create(type, old->getLinkage(), "", old->getParent());
    result->setCallingConv(old->getCallingConv());
    result->setAttributes(llvm::AttributeList::get(old->getContext(),
                                                   old->getAttributes().getFnAttrs(),
                                                   old->getAttributes().getRetAttrs(), attributes));
    result->takeName(old);
    pl_blocks_move(function, llvm::wrap(result));
    auto parameter = result->arg_begin();
    for (llvm::Argument &argument : old->args()) {
        if (!keep[argument.getArgNo()]) continue;
        parameter->takeName(&argument);
        argument.replaceAllUsesWith(&*parameter++);
    }
    old->eraseFromParent();
    return llvm::wrap(result);
}

void pl_drop_named_metadata(LLVMModuleRef module, const char *name)
{
    llvm::NamedMDNode *list = llvm::unwrap(module)->getNamedMetadata(name);
    if (list) list->eraseFromParent();
}

void pl_infer_address_spaces(LLVMModuleRef module, unsigned generic)
{
    llvm::LoopAnalysisManager loops;
    llvm::FunctionAnalysisManager functions;
    llvm::CGSCCAnalysisManager components;
    llvm::ModuleAnalysisManager modules;
    llvm::PassBuilder builder;
    builder.registerModuleAnalyses(modules);
    builder.registerCGSCCAnalyses(components);
    builder.registerFunctionAnalyses(functions);
    builder.registerLoopAnalyses(loops);
    builder.crossRegisterProxies(loops, functions, components, modules);
    for (llvm::Function &function : *llvm::unwrap(module)) {
        if (function.isDeclaration()) continue;
        llvm::FunctionPassManager passes;
        passes.addPass(llvm::InferAddressSpacesPass(generic));
        passes.run(function, functions);
    }
}
