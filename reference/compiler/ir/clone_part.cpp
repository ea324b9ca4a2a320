/* Does the work of llvm::CloneModule (llvm/Transforms/Utils/Cloning.h) for part of a module. */
#include "reference/compiler/ir/clone_part.h"

#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/ValueMapper.h>

using namespace llvm;

static GlobalObject *declare(Module &part, const GlobalObject &original, bool defines)
{
    const auto linkage = defines ? original.getLinkage() : GlobalValue::ExternalLinkage;
    GlobalObject *declared;
    if (const auto *function = dyn_cast<Function>(&original)) {
        auto *copy = Function::Create(function->getFunctionType(), linkage,
                                      function->getAddressSpace(), function->getName(), &part);
        copy->copyAttributesFrom(function);
        declared = copy;
    } else {
        const auto &variable = cast<GlobalVariable>(original);
        auto *copy =
            new GlobalVariable(part, variable.getValueType(), variable.isConstant(), linkage,
                               nullptr, variable.getName(), nullptr, variable.getThreadLocalMode(),
                               variable.getType()->getAddressSpace());
        copy->copyAttributesFrom(&variable);
        declared = copy;
    }
    declared->setLinkage(linkage);
    return declared;
}

static void define(Function &copy, const Function &original, ValueToValueMapTy &map)
{
    auto to = copy.arg_begin();
    for (const Argument &from : original.args()) {
        to->setName(from.getName());
        map[&from] = &*to++;
    }
    SmallVector<ReturnInst *, 8> returns;
    CloneFunctionInto(&copy, &original, map, CloneFunctionChangeType::ClonedModule, returns);
}

static void define(GlobalVariable &copy, const GlobalVariable &original, ValueToValueMapTy &map)
{
    SmallVector<std::pair<unsigned, MDNode *>, 1> nodes;
    original.getAllMetadata(nodes);
    for (const auto &node : nodes)
        copy.addMetadata(node.first, *MapMetadata(node.second, map));
    copy.setInitializer(MapValue(original.getInitializer(), map));
}

LLVMModuleRef pl_clone_part(LLVMModuleRef input, rt_text name, pl_clone_item *items, uint32_t count)
{
    const Module &whole = *unwrap(input);
    auto *part = new Module(StringRef(name.data, name.length), whole.getContext());
    part->setSourceFileName(whole.getSourceFileName());
    part->setDataLayout(whole.getDataLayout());
    part->setTargetTriple(whole.getTargetTriple());
    part->setModuleInlineAsm(whole.getModuleInlineAsm());
    ValueToValueMapTy map;
    for (uint32_t i = 0; i < count; i++) {
        const auto &original = *cast<GlobalObject>(unwrap(items[i].original));
        GlobalObject *clone = declare(*part, original, items[i].defines);
        map[&original] = clone;
        items[i].clone = wrap(clone);
    }
    for (uint32_t i = 0; i < count; i++) {
        if (!items[i].defines) continue;
        Value *original = unwrap(items[i].original), *clone = unwrap(items[i].clone);
        if (auto *function = dyn_cast<Function>(original))
            define(*cast<Function>(clone), *function, map);
        else
            define(*cast<GlobalVariable>(clone), *cast<GlobalVariable>(original), map);
    }
    for (const NamedMDNode &list : whole.named_metadata()) {
        NamedMDNode *copy = part->getOrInsertNamedMetadata(list.getName());
        for (const MDNode *node : list.operands())
            copy->addOperand(MapMetadata(node, map));
    }
    return wrap(part);
}
