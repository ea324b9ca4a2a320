/* The C++ shim over the SPIR-V translator.
 *
 * Options come from the C side. It corrects what LLVM's C interface cannot change: several OpenCL
 * versions in one module. */
#include "reference/compiler/spirv/translate.h"

#include "reference/compiler/ir/version.h"

#include <LLVMSPIRVLib/LLVMSPIRVLib.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/CBindingWrapping.h>

#include <algorithm>
#include <map>
#include <sstream>
#include <string>

namespace
{

using extension_map = SPIRV::TranslatorOpts::ExtensionsStatusMap;

/* Every extension that the translator knows, under its SPIR-V name. */
const std::map<std::string, SPIRV::ExtensionID> &extension_ids()
{
    static const std::map<std::string, SPIRV::ExtensionID> ids = {
#define EXT(X) {#X, SPIRV::ExtensionID::X},
#include <LLVMSPIRVLib/LLVMSPIRVExtensions.inc>
#undef EXT
    };
    return ids;
}

extension_map extensions_allowed(bool allow_all, const char *const *names, uint32_t count)
{
    extension_map allowed;
    for (const auto &[name, id] : extension_ids())
        allowed[id] = allow_all;
    for (uint32_t i = 0; i < count; i++) {
        auto found = extension_ids().find(names[i]);
        CHECK(found != extension_ids().end());
        allowed[found->second] = true;
    }
    return allowed;
}

/* A row of a version list is a metadata node with two numbers; anything else counts as version 0.
 */
uint64_t version_of(const llvm::MDNode *row)
{
    uint64_t version = 0;
    for (unsigned i = 0; i < 2 && i < row->getNumOperands(); i++) {
        auto *number = llvm::mdconst::dyn_extract_or_null<llvm::ConstantInt>(row->getOperand(i));
        if (!number) return 0;
        version = version << 32 | (number->getLimitedValue() & UINT32_MAX);
    }
    return version;
}

/* Each source of a module states its OpenCL version; the writer ends the process if versions differ
 * or if a row is malformed. The highest version is kept, since it includes the features of the
 * others. */
void keep_one_version(llvm::Module *module)
{
    for (const char *name : {"opencl.ocl.version", "opencl.spir.version"}) {
        llvm::NamedMDNode *list = module->getNamedMetadata(name);
        if (!list) continue;
        uint64_t highest = 0;
        for (const llvm::MDNode *row : list->operands())
            highest = std::max(highest, version_of(row));
        if (highest == 0) highest = UINT64_C(2) << 32; /* default: 2.0 */
        llvm::Type *type = llvm::Type::getInt32Ty(module->getContext());
        auto number = [type](uint64_t value) {
            return llvm::ConstantAsMetadata::get(llvm::ConstantInt::get(type, value));
        };
        list->clearOperands();
        list->addOperand(llvm::MDNode::get(module->getContext(),
                                           {number(highest >> 32), number(highest & UINT32_MAX)}));
    }
}

/* llvm::StringRef's own functions were renamed in LLVM 16. */
bool starts_with(llvm::StringRef text, llvm::StringRef prefix)
{
    return text.consume_front(prefix);
}

bool ends_with(llvm::StringRef text, llvm::StringRef suffix)
{
    return text.consume_back(suffix);
}

/* True for the mangled name of a builtin function that becomes an instruction of SPIR-V 1.3, the
 * first version with non-uniform operations on sub-groups (OpenCL C 3.0 extensions, "Subgroup
 * functions": elect, vote, ballot, shuffle, clustered reductions; SPIR-V 1.6, "Non-Uniform
 * Instructions"). */
bool is_non_uniform(llvm::StringRef name)
{
    unsigned length = 0;
    if (!name.consume_front("_Z") || name.consumeInteger(10, length)) return false;
    name = name.substr(0, length);
    if (starts_with(name, "get_sub_group_")) return ends_with(name, "_mask");
    if (!name.consume_front("sub_group_")) return false;
    for (const char *word : {"elect", "non_uniform_", "broadcast_first", "ballot", "inverse_ballot",
                             "shuffle", "clustered_"})
        if (starts_with(name, word)) return true;
    return false;
}

/* The version to write: asked for a lower one than an instruction needs, the writer ends the
 * process. */
SPIRV::VersionNumber version_for(const llvm::Module &module, uint32_t version_max)
{
    const auto first = SPIRV::VersionNumber::SPIRV_1_3;
    bool needs_more = false;
    for (const llvm::Function &function : module)
        needs_more = needs_more || is_non_uniform(function.getName());
    if (needs_more && version_max < static_cast<uint32_t>(first)) return first;
    return static_cast<SPIRV::VersionNumber>(version_max);
}

/* The writer recognises OpenCL C's builtins only in a module whose source language is OpenCL C, but
 * images with device_globals name OpenCL C++ (postlink/device_global_decorate.c). Without the name,
 * the writer takes the language from opencl.ocl.version. */
void forget_source_language(llvm::Module &module)
{
    if (llvm::NamedMDNode *source = module.getNamedMetadata("spirv.Source"))
        source->eraseFromParent();
}

/* The name of a scalar or vector type in OpenCL C; empty: the type is another. */
std::string type_name(const llvm::Type &type, bool is_signed)
{
    static const std::pair<unsigned, const char *> integers[] = {
        {8, "char"}, {16, "short"}, {32, "int"}, {64, "long"}};
    if (llvm::isa<llvm::ScalableVectorType>(type)) return "";
    const llvm::Type &lane = *type.getScalarType();
    std::string name = lane.isHalfTy()     ? "half"
                       : lane.isFloatTy()  ? "float"
                       : lane.isDoubleTy() ? "double"
                                           : "";
    for (const auto &integer : integers)
        if (lane.isIntegerTy(integer.first))
            name = (is_signed ? "" : "u") + std::string(integer.second);
    const auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(&type);
    if (vector && !name.empty()) name += std::to_string(vector->getNumElements());
    return name;
}

/* The attribute vec_type_hint is a value of the type, and whether the type is signed. SPIR-V's mode
 * VecTypeHint does not say the latter: adds the type's name after the types of the parameters, if
 * these are kept. Anything else would end the writer's process, so it is dropped. */
void prepare_hint(llvm::Function &function, bool keeps_types)
{
    const llvm::MDNode *hint = function.getMetadata("vec_type_hint");
    const llvm::MDNode *types = function.getMetadata("kernel_arg_type");
    if (!hint) return;
    std::string name;
    if (hint->getNumOperands() == 2) {
        using namespace llvm::mdconst;
        const auto *value = dyn_extract_or_null<llvm::Constant>(hint->getOperand(0));
        const auto *sign = dyn_extract_or_null<llvm::ConstantInt>(hint->getOperand(1));
        if (value && sign) name = type_name(*value->getType(), !sign->isZero());
    }
    if (name.empty()) function.setMetadata("vec_type_hint", nullptr);
    if (name.empty() || !types || !keeps_types) return;
    llvm::SmallVector<llvm::Metadata *, 8> all(types->op_begin(), types->op_end());
    all.push_back(llvm::MDString::get(function.getContext(), name));
    function.setMetadata("kernel_arg_type", llvm::MDNode::get(function.getContext(), all));
}

/* Makes a conditional branch to one block unconditional: SPIR-V has none from version 1.6 on
 * (3.49.17 "Control-Flow Instructions", OpBranchConditional), and readers of translators 18 to 21
 * refuse it in earlier ones too. */
void join_branches(llvm::Function &function)
{
    for (llvm::BasicBlock &block : function) {
        auto *branch = llvm::dyn_cast_or_null<llvm::BranchInst>(block.getTerminator());
        if (!branch || !branch->isConditional()) continue;
        llvm::BasicBlock *target = branch->getSuccessor(0);
        if (target != branch->getSuccessor(1)) continue;
        target->removePredecessor(&block, true);
        llvm::IRBuilder<>(branch).CreateBr(target);
        branch->eraseFromParent();
    }
}

} // namespace

bool pl_translate_to_spirv(LLVMModuleRef module, uint32_t version_max,
                           const char *const *extensions, uint32_t extension_count,
                           bool keeps_types, rt_buffer *out_spirv, rt_buffer *out_reason)
{
    CHECK(module);
    for (llvm::Function &function : *llvm::unwrap(module))
        prepare_hint(function, keeps_types);
    SPIRV::TranslatorOpts options(version_for(*llvm::unwrap(module), version_max),
                                  extensions_allowed(false, extensions, extension_count));
    /* A fused multiply-add stays fused, or is not formed at all; it never becomes the imprecise
     * `mad`. */
    options.setReplaceLLVMFmulAddWithOpenCLMad(false);
    options.setFPContractMode(SPIRV::FPContractMode::Off);
    options.setPreserveOCLKernelArgTypeMetadataThroughString(keeps_types);
    keep_one_version(llvm::unwrap(module));
    for (llvm::Function &function : *llvm::unwrap(module))
        join_branches(function);
    pl_writer_repair(module);
    std::ostringstream out;
    std::string reason;
    bool written = llvm::writeSpirv(llvm::unwrap(module), options, out, reason);
    const std::string text = out.str();
    if (written) rt_buffer_append(out_spirv, text.data(), text.size());
    rt_buffer_append(out_reason, reason.data(), reason.size());
    return written && reason.empty();
}

bool pl_translate_from_spirv(LLVMContextRef context, rt_bytes spirv, pl_builtin_form form,
                             const pl_spec_value *values, uint32_t value_count,
                             LLVMModuleRef *out_module, rt_buffer *out_reason)
{
    CHECK(context);
    *out_module = nullptr;
    SPIRV::TranslatorOpts options(SPIRV::VersionNumber::MaximumVersion,
                                  extensions_allowed(true, nullptr, 0));
    options.setDesiredBIsRepresentation(form == PL_BUILTINS_OPENCL_12
                                            ? SPIRV::BIsRepresentation::OpenCL12
                                            : SPIRV::BIsRepresentation::OpenCL20);
    options.setGenKernelArgNameMDEnabled(true);
    for (uint32_t i = 0; i < value_count; i++)
        options.setSpecConst(values[i].id, values[i].bits);
    std::istringstream in(std::string(reinterpret_cast<const char *>(spirv.data), spirv.size));
    std::string reason;
    llvm::Module *module = nullptr;
    bool read = llvm::readSpirv(*llvm::unwrap(context), options, in, module, reason);
    rt_buffer_append(out_reason, reason.data(), reason.size());
    if (!read) return false;
    forget_source_language(*module);
    *out_module = llvm::wrap(module);
    pl_reader_repair(*out_module);
    return true;
}
