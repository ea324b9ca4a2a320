/* LLVM_VERSION_MAJOR is that of the headers, and cmake/llvm.cmake demands a translator of the same
 * version. */
#include "reference/compiler/ir/version.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/IR/AutoUpgrade.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>
#include <llvm/Support/CBindingWrapping.h>

#include <vector>

#define LAYOUT "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024"

bool pl_is_mmx_type(LLVMTypeRef type)
{
#if LLVM_VERSION_MAJOR >= 20
    return type == nullptr;
#else
    return LLVMGetTypeKind(type) == LLVMX86_MMXTypeKind;
#endif
}

void pl_mark_without_memory(LLVMValueRef function)
{
    llvm::unwrap<llvm::Function>(function)->setDoesNotAccessMemory();
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

LLVMValueRef pl_element_of_constant(LLVMValueRef constant, unsigned index)
{
    return LLVMGetAggregateElement(constant, index);
}

void pl_blocks_move(LLVMValueRef from, LLVMValueRef to)
{
    auto *target = llvm::unwrap<llvm::Function>(to);
    target->splice(target->begin(), llvm::unwrap<llvm::Function>(from));
}

/* ---- Functions in vtables (19) ---- */

namespace
{

constexpr unsigned CODE_SPACE = 0, GLOBAL_SPACE = 1, CONSTANT_SPACE = 2;

bool is_global_pointer(const llvm::Type *type)
{
    return type->isPointerTy() && type->getPointerAddressSpace() == GLOBAL_SPACE;
}

/* The same type with pointers to code in place of pointers to global memory. */
llvm::Type *type_of_code(llvm::Type *type)
{
    if (is_global_pointer(type)) return llvm::PointerType::get(type->getContext(), CODE_SPACE);
    if (auto *array = llvm::dyn_cast<llvm::ArrayType>(type))
        return llvm::ArrayType::get(type_of_code(array->getElementType()), array->getNumElements());
    auto *structure = llvm::dyn_cast<llvm::StructType>(type);
    if (!structure) return type;
    std::vector<llvm::Type *> members;
    for (llvm::Type *member : structure->elements())
        members.push_back(type_of_code(member));
    return llvm::StructType::get(type->getContext(), members, structure->isPacked());
}

/* A slot holds a function, an offset as a pointer, or null. */
llvm::Constant *constant_of_code(llvm::Constant *constant)
{
    llvm::Type *type = type_of_code(constant->getType());
    if (type == constant->getType()) return constant;
    if (constant->isNullValue()) return llvm::Constant::getNullValue(type);
    if (type->isPointerTy()) {
        auto *cast = llvm::dyn_cast<llvm::ConstantExpr>(constant);
        if (cast && cast->getOpcode() == llvm::Instruction::AddrSpaceCast)
            return llvm::ConstantExpr::getPointerBitCastOrAddrSpaceCast(cast->getOperand(0), type);
        auto *number = llvm::ConstantExpr::getPtrToInt(
            constant, llvm::Type::getInt64Ty(constant->getContext()));
        return llvm::ConstantExpr::getIntToPtr(number, type);
    }
    std::vector<llvm::Constant *> parts;
    for (unsigned i = 0; i < constant->getNumOperands(); i++)
        parts.push_back(constant_of_code(constant->getAggregateElement(i)));
    if (auto *array = llvm::dyn_cast<llvm::ArrayType>(type))
        return llvm::ConstantArray::get(array, parts);
    return llvm::ConstantStruct::get(llvm::cast<llvm::StructType>(type), parts);
}

/* Address computations from a vtable name its type. */
void retype_computations(llvm::GlobalVariable *vtable, llvm::Type *old_type, llvm::Type *type)
{
    std::vector<llvm::ConstantExpr *> computations;
    for (llvm::User *user : vtable->users()) {
        auto *expression = llvm::dyn_cast<llvm::ConstantExpr>(user);
        auto *computation = llvm::dyn_cast<llvm::GEPOperator>(user);
        if (expression && computation && computation->getSourceElementType() == old_type)
            computations.push_back(expression);
        auto *instruction = llvm::dyn_cast<llvm::GetElementPtrInst>(user);
        if (instruction && instruction->getSourceElementType() == old_type)
            instruction->setSourceElementType(type);
    }
    for (llvm::ConstantExpr *old : computations) {
        auto *computation = llvm::cast<llvm::GEPOperator>(old);
        std::vector<llvm::Constant *> indices;
        for (llvm::Use &index : computation->indices())
            indices.push_back(llvm::cast<llvm::Constant>(index.get()));
        old->replaceAllUsesWith(llvm::ConstantExpr::getGetElementPtr(
            type, vtable, indices, computation->getNoWrapFlags(), computation->getInRange()));
    }
}

void repair_vtable(llvm::GlobalVariable *old)
{
    llvm::Type *type = type_of_code(old->getValueType());
    if (type == old->getValueType()) return;
    auto *vtable = new llvm::GlobalVariable(
        *old->getParent(), type, old->isConstant(), old->getLinkage(),
        old->hasInitializer() ? constant_of_code(old->getInitializer()) : nullptr, "", old,
        old->getThreadLocalMode(), old->getAddressSpace());
    vtable->copyAttributesFrom(old);
    vtable->setComdat(old->getComdat());
    vtable->takeName(old);
    llvm::Type *old_type = old->getValueType();
    old->replaceAllUsesWith(vtable);
    old->eraseFromParent();
    retype_computations(vtable, old_type, type);
}

void repair_call(llvm::CallBase *call)
{
    llvm::Value *callee = call->getCalledOperand();
    if (!is_global_pointer(callee->getType())) return;
    llvm::Type *code = llvm::PointerType::get(call->getContext(), CODE_SPACE);
    llvm::IRBuilder<> builder(call);
    auto *load = llvm::dyn_cast<llvm::LoadInst>(callee);
    if (!load) {
        llvm::Value *number = builder.CreatePtrToInt(callee, builder.getInt64Ty());
        call->setCalledOperand(builder.CreateIntToPtr(number, code));
        return;
    }
    auto *slot = llvm::dyn_cast<llvm::GetElementPtrInst>(load->getPointerOperand());
    if (slot && is_global_pointer(slot->getSourceElementType())) {
        slot->setSourceElementType(code);
        slot->setResultElementType(code);
    }
    builder.SetInsertPoint(load);
    call->setCalledOperand(
        builder.CreateAlignedLoad(code, load->getPointerOperand(), load->getAlign()));
    if (load->use_empty()) load->eraseFromParent();
}

} // namespace

void pl_front_end_repair(LLVMModuleRef module)
{
    std::vector<llvm::GlobalVariable *> vtables;
    for (llvm::GlobalVariable &variable : llvm::unwrap(module)->globals())
        if (variable.getName().starts_with("_ZTV") || variable.getName().starts_with("_ZTC"))
            vtables.push_back(&variable);
    for (llvm::GlobalVariable *variable : vtables)
        if (variable->getAddressSpace() == GLOBAL_SPACE) repair_vtable(variable);
    std::vector<llvm::CallBase *> calls;
    for (llvm::Function &function : *llvm::unwrap(module))
        for (llvm::Instruction &instruction : llvm::instructions(function))
            if (auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction)) calls.push_back(call);
    for (llvm::CallBase *call : calls)
        repair_call(call);
}

/* ---- Bodies of kernels (21) ---- */

/* Drops the entries of a function from the annotations: its kernel has the same. */
static void drop_annotations(llvm::Module *module, const llvm::Function *of)
{
    llvm::GlobalVariable *old = module->getNamedGlobal("llvm.global.annotations");
    auto *list = old ? llvm::dyn_cast<llvm::ConstantArray>(old->getInitializer()) : nullptr;
    if (!list) return;
    std::vector<llvm::Constant *> kept;
    for (llvm::Use &entry : list->operands()) {
        auto *row = llvm::cast<llvm::Constant>(entry.get());
        if (row->getAggregateElement(0u)->stripPointerCasts() != of) kept.push_back(row);
    }
    if (kept.size() == list->getNumOperands()) return;
    auto *type = llvm::ArrayType::get(list->getType()->getElementType(), kept.size());
    auto *left = new llvm::GlobalVariable(*module, type, old->isConstant(), old->getLinkage(),
                                          llvm::ConstantArray::get(type, kept), "", old,
                                          old->getThreadLocalMode(), old->getAddressSpace());
    left->setSection(old->getSection());
    left->takeName(old);
    old->eraseFromParent();
}

static void repair_kernel(llvm::Function *kernel, llvm::Function *body)
{
    drop_annotations(body->getParent(), body);
    const auto linkage = kernel->getLinkage();
    kernel->deleteBody(); /* makes it external and drops its metadata, which `body` has too */
    kernel->setLinkage(linkage);
    kernel->copyMetadata(body, 0);
    kernel->splice(kernel->begin(), body);
    for (llvm::Argument &argument : body->args()) {
        llvm::Argument *own = kernel->getArg(argument.getArgNo());
        own->takeName(&argument);
        argument.replaceAllUsesWith(own);
    }
    for (llvm::User *user : body->users())
        if (auto *call = llvm::dyn_cast<llvm::CallBase>(user))
            call->setCallingConv(kernel->getCallingConv());
    body->replaceAllUsesWith(kernel);
    body->eraseFromParent();
}

void pl_kernels_repair(LLVMModuleRef module)
{
    std::vector<llvm::Function *> bodies;
    for (llvm::Function &function : *llvm::unwrap(module))
        if (!function.isDeclaration() && function.getName().starts_with("__clang_ocl_kern_imp_"))
            bodies.push_back(&function);
    for (llvm::Function *body : bodies) {
        llvm::StringRef name = body->getName();
        name.consume_front("__clang_ocl_kern_imp_");
        llvm::Function *kernel = llvm::unwrap(module)->getFunction(name);
        if (kernel && kernel->getFunctionType() == body->getFunctionType())
            repair_kernel(kernel, body);
    }
}

/* ---- The translator (19) ---- */

/* An address computation as an instruction, which no folding removes, names the type: a byte. */
static void repair_format(llvm::CallBase *call)
{
    llvm::Value *format = call->getArgOperand(0);
    llvm::Type *byte = llvm::Type::getInt8Ty(call->getContext());
    llvm::Value *zero = llvm::ConstantInt::get(llvm::Type::getInt64Ty(call->getContext()), 0);
    call->setArgOperand(
        0, llvm::GetElementPtrInst::CreateInBounds(byte, format, zero, "", call->getIterator()));
}

/* The address of a part of a variable, computed in bytes, as one that names the type; null: the
 * constant is none, or no part begins there. */
static llvm::Constant *address_with_type(const llvm::DataLayout &layout, llvm::Constant *constant)
{
    auto *computation = llvm::dyn_cast<llvm::GEPOperator>(constant);
    if (!computation || !computation->getSourceElementType()->isIntegerTy(8)) return nullptr;
    auto *variable = llvm::dyn_cast<llvm::GlobalVariable>(computation->getPointerOperand());
    llvm::APInt offset(layout.getIndexTypeSizeInBits(constant->getType()), 0);
    if (!variable || !computation->accumulateConstantOffset(layout, offset)) return nullptr;
    llvm::Type *type = variable->getValueType();
    std::vector<llvm::Constant *> indices;
    for (const llvm::APInt &index : layout.getGEPIndicesForOffset(type, offset))
        indices.push_back(llvm::ConstantInt::get(constant->getContext(), index));
    if (offset != 0) return nullptr;
    return llvm::ConstantExpr::getGetElementPtr(variable->getValueType(), variable, indices);
}

/* The same initial value with types in the addresses that it contains. */
static llvm::Constant *value_with_types(const llvm::DataLayout &layout, llvm::Constant *value)
{
    if (llvm::Constant *address = address_with_type(layout, value)) return address;
    auto *expression = llvm::dyn_cast<llvm::ConstantExpr>(value);
    bool has_parts =
        llvm::isa<llvm::ConstantAggregate>(value) || (expression && expression->isCast());
    if (!has_parts) return value;
    bool changes = false;
    std::vector<llvm::Constant *> parts;
    for (llvm::Use &part : value->operands()) {
        parts.push_back(value_with_types(layout, llvm::cast<llvm::Constant>(part.get())));
        changes = changes || parts.back() != part.get();
    }
    if (!changes) return value;
    if (expression) return expression->getWithOperands(parts);
    if (auto *array = llvm::dyn_cast<llvm::ArrayType>(value->getType()))
        return llvm::ConstantArray::get(array, parts);
    if (auto *structure = llvm::dyn_cast<llvm::StructType>(value->getType()))
        return llvm::ConstantStruct::get(structure, parts);
    return llvm::ConstantVector::get(parts);
}

static void repair_addresses(llvm::Module *module)
{
    for (llvm::GlobalVariable &variable : module->globals())
        if (variable.hasInitializer())
            variable.setInitializer(
                value_with_types(module->getDataLayout(), variable.getInitializer()));
}

/* The type that the writer gives to an element of a table; null: not known. */
static llvm::Type *written_type(const llvm::Value *element)
{
    auto *computation = llvm::dyn_cast<llvm::GEPOperator>(element);
    return computation ? computation->getResultElementType() : nullptr;
}

/* A table all of whose elements are addresses of parts of one type. */
static bool is_uniform_table(const llvm::Constant *value)
{
    if (!llvm::isa<llvm::ConstantArray>(value) && !llvm::isa<llvm::ConstantVector>(value))
        return false;
    llvm::Type *type = written_type(value->getOperand(0));
    return type && llvm::all_of(value->operand_values(), [type](const llvm::Value *element) {
               return written_type(element) == type;
           });
}

/* Collects the addresses of parts of variables in a value that has members. */
static void collect_addresses(llvm::Constant *value, llvm::SetVector<llvm::Constant *> *addresses)
{
    if (!llvm::isa<llvm::ConstantAggregate>(value)) return;
    for (llvm::Use &use : value->operands()) {
        auto *part = llvm::cast<llvm::Constant>(use.get());
        if (llvm::isa<llvm::GEPOperator>(part)) addresses->insert(part);
        collect_addresses(part, addresses);
    }
}

/* The writer derives the type of an address in an initial value only in a variable that is a
 * pointer, and in a table until the first element whose type differs; the result of other address
 * computations is always a pointer to bytes.  It remembers the type of an address, however, so each
 * such address becomes the value of a variable too, which nothing uses. */
static void show_addresses(llvm::Module *module)
{
    llvm::SetVector<llvm::Constant *> addresses;
    for (llvm::GlobalVariable &variable : module->globals())
        if (variable.hasInitializer() && !is_uniform_table(variable.getInitializer()))
            collect_addresses(variable.getInitializer(), &addresses);
    for (llvm::Constant *address : addresses)
        new llvm::GlobalVariable(*module, address->getType(), true,
                                 llvm::GlobalValue::InternalLinkage, address, "", nullptr,
                                 llvm::GlobalValue::NotThreadLocal, CONSTANT_SPACE);
}

void pl_writer_repair(LLVMModuleRef module)
{
    repair_addresses(llvm::unwrap(module));
    show_addresses(llvm::unwrap(module));
    if (auto *version = llvm::unwrap(module)->getNamedMetadata("opencl.cxx.version"))
        version->eraseFromParent();
    llvm::Function *print = llvm::unwrap(module)->getFunction("printf");
    if (!print) return;
    std::vector<llvm::CallBase *> calls;
    for (llvm::User *user : print->users())
        if (auto *call = llvm::dyn_cast<llvm::CallBase>(user)) calls.push_back(call);
    for (llvm::CallBase *call : calls)
        if (call->getCalledFunction() == print && call->arg_size() > 0) repair_format(call);
}

/* The writer knows builtin functions only in OpenCL C; an image that names no source language, or
 * OpenCL C++ as those with device_globals do, was read without a version. */
static void repair_language(llvm::Module *module)
{
    llvm::NamedMDNode *version = module->getOrInsertNamedMetadata("opencl.ocl.version");
    if (version->getNumOperands() > 0) return;
    llvm::Type *type = llvm::Type::getInt32Ty(module->getContext());
    auto number = [type](uint64_t value) {
        return llvm::ConstantAsMetadata::get(llvm::ConstantInt::get(type, value));
    };
    version->addOperand(llvm::MDNode::get(module->getContext(), {number(2), number(0)}));
}

void pl_reader_repair(LLVMModuleRef module)
{
    llvm::Module *read = llvm::unwrap(module);
    repair_language(read);
    read->setDataLayout(
        llvm::UpgradeDataLayoutString(read->getDataLayoutStr(), LLVMGetTarget(module)));
}

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

LLVMValueRef pl_element_of_constant(LLVMValueRef constant, unsigned index)
{
    return llvm::wrap(llvm::unwrap<llvm::Constant>(constant)->getAggregateElement(index));
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

void pl_front_end_repair(LLVMModuleRef) {}

void pl_kernels_repair(LLVMModuleRef) {}

void pl_writer_repair(LLVMModuleRef) {}

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
