/* Gives each kernel an entry: a function that has PTX's kernel calling convention and the
 * parameters that reference/base/ptx.h defines, and calls the kernel's code.
 *
 * The kernel's code becomes an ordinary function, because other kernels may call it, and PTX cannot
 * call an entry. */
#include "reference/compiler/ptx/ptx_internal.h"

#include "reference/base/ptx.h"
#include "reference/base/vector.h"
#include "reference/compiler/ir/attributes.h"
#include "reference/compiler/ir/values.h"

#include <llvm-c/Target.h>
#include <string.h>

enum { LAUNCH_WORDS = RT_PTX_LAUNCH_SIZE / 8 };

typedef struct entry_writer {
    pl_job *job;
    LLVMModuleRef module;
    LLVMTargetDataRef layout; /* the module's */
    LLVMTypeRef word;         /* 32 bits */
    LLVMTypeRef launch;       /* rt_ptx_launch, as 64-bit words */
    LLVMValueRef array;       /* the dynamic shared memory */
    LLVMBuilderRef builder;
} entry_writer;

static unsigned attribute_kind(const char *name)
{
    return LLVMGetEnumAttributeKindForName(name, strlen(name));
}

/* ---- Parameters ---------------------------------------------------------------------------- */

/* Images, samplers, events, pipes and queues are pointers here; only the kernel's metadata
 * distinguishes them from pointers to memory (OpenCL C 3.0, 6.3.3 "Other Built-in Data Types"). */
static bool is_opaque(rt_text base_type)
{
    static const char *const names[] = {"image1d",     "image2d",   "image3d",
                                        "sampler_t",   "event_t",   "queue_t",
                                        "clk_event_t", "ndrange_t", "reserve_id_t"};
    if (base_type.length > 0 && base_type.data[base_type.length - 1] == '*') return false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (rt_text_starts(base_type, names[i])) return true;
    return false;
}

static rt_status describe(entry_writer *writer, LLVMValueRef kernel, uint32_t index,
                          rt_ptx_parameter *out_parameter)
{
    CHECK(index < LLVMCountParams(kernel));
    LLVMTypeRef type = LLVMTypeOf(LLVMGetParam(kernel, index));
    LLVMTypeRef value = pl_by_value_type(kernel, index);
    uint64_t size = LLVMABISizeOfType(writer->layout, value ? value : type);
    *out_parameter = (rt_ptx_parameter){.kind = RT_PTX_VALUE};
    if (!value && LLVMGetTypeKind(type) == LLVMPointerTypeKind) {
        bool opaque = is_opaque(pl_parameter_text(kernel, "kernel_arg_base_type", index));
        unsigned space = LLVMGetPointerAddressSpace(type);
        bool pointer = space == PL_PTX_SPACE_GLOBAL || space == PL_PTX_SPACE_CONSTANT;
        if (opaque || (!pointer && space != PL_PTX_SPACE_SHARED))
            return pl_ptx_refuse(writer->job, kernel, pl_job_name(writer->job, kernel),
                                 "has a parameter (an image, for example) that is neither a value "
                                 "nor a pointer to global, constant or local memory; assay cannot "
                                 "express it in PTX");
        out_parameter->kind = pointer ? RT_PTX_POINTER : RT_PTX_LOCAL;
        if (!pointer) size = LLVMABISizeOfType(writer->layout, writer->word);
    }
    out_parameter->size = (uint32_t)size;
    if (size > 0 && size <= RT_PTX_PARAMETER_SIZE_MAX) return RT_STATUS_OK;
    return pl_ptx_refuse(writer->job, kernel, pl_job_name(writer->job, kernel),
                         "has a parameter that is empty or larger than PTX's limit of 4352 bytes");
}

/* ---- Code ---------------------------------------------------------------------------------- */

/* The entry's only block: it stores the launch and calls the kernel. */
static void fill(entry_writer *writer, LLVMValueRef kernel, LLVMValueRef entry)
{
    LLVMContextRef context = writer->job->context;
    LLVMBuilderRef builder = writer->builder;
    uint32_t count = LLVMCountParams(kernel);
    CHECK(LLVMCountParams(entry) == count + 1);
    LLVMPositionBuilderAtEnd(builder, LLVMAppendBasicBlockInContext(context, entry, ""));
    /* Every work-item writes all words of the launch, so no work-item has to wait for another. */
    LLVMTypeRef wide = LLVMInt64TypeInContext(context);
    LLVMTypeRef shared = LLVMPointerType(writer->launch, PL_PTX_SPACE_SHARED);
    LLVMValueRef launch = LLVMGetParam(entry, count);
    LLVMValueRef target = LLVMConstBitCast(writer->array, shared);
    for (unsigned i = 0; i < LAUNCH_WORDS; i++) {
        LLVMValueRef from = LLVMBuildStructGEP2(builder, writer->launch, launch, i, "");
        LLVMValueRef to = LLVMBuildStructGEP2(builder, writer->launch, target, i, "");
        LLVMBuildStore(builder, LLVMBuildLoad2(builder, wide, from, ""), to);
    }
    /* A parameter of the entry may differ in form from the kernel's: an offset becomes an address.
     */
    LLVMTypeRef byte = LLVMInt8TypeInContext(context);
    LLVMValueRef start =
        LLVMConstBitCast(writer->array, LLVMPointerType(byte, PL_PTX_SPACE_SHARED));
    LLVMValueRef *arguments =
        rt_arena_alloc_array(&writer->job->arena, count + 1u, sizeof(LLVMValueRef));
    for (uint32_t i = 0; i < count; i++) {
        LLVMTypeRef parameter_type = LLVMTypeOf(LLVMGetParam(kernel, i));
        arguments[i] = LLVMGetParam(entry, i);
        if (LLVMTypeOf(arguments[i]) == parameter_type) continue;
        CHECK(LLVMTypeOf(arguments[i]) == writer->word);
        LLVMValueRef address = LLVMBuildGEP2(builder, byte, start, &arguments[i], 1, "");
        arguments[i] = LLVMBuildBitCast(builder, address, parameter_type, "");
    }
    LLVMValueRef call =
        LLVMBuildCall2(builder, LLVMGlobalGetValueType(kernel), kernel, arguments, count, "");
    for (uint32_t i = 0; i < count; i++) {
        if (LLVMTypeOf(LLVMGetParam(entry, i)) == LLVMTypeOf(LLVMGetParam(kernel, i)))
            pl_passing_copy(kernel, i, entry, i);
        pl_passing_copy(kernel, i, call, i);
    }
    LLVMBuildRetVoid(builder);
}

/* Makes the entry, which takes over the kernel's name; its last parameter is the launch. */
static LLVMValueRef declare(entry_writer *writer, LLVMValueRef kernel,
                            const rt_ptx_parameter *parameters)
{
    pl_job *job = writer->job;
    uint32_t count = LLVMCountParams(kernel);
    rt_text name = pl_job_name(job, kernel);
    LLVMTypeRef *types = rt_arena_alloc_array(&job->arena, count + 1u, sizeof(LLVMTypeRef));
    for (uint32_t i = 0; i < count; i++)
        types[i] =
            parameters[i].kind == RT_PTX_LOCAL ? writer->word : LLVMTypeOf(LLVMGetParam(kernel, i));
    types[count] = LLVMPointerType(writer->launch, PL_PTX_SPACE_GENERIC);
    LLVMTypeRef type =
        LLVMFunctionType(LLVMVoidTypeInContext(job->context), types, count + 1, false);
    LLVMSetValueName2(kernel, "", 0);
    LLVMValueRef entry = LLVMAddFunction(writer->module, name.data, type);
    LLVMSetFunctionCallConv(entry, PL_PTX_KERNEL);
    pl_flag_add(entry, "convergent");
    LLVMAddAttributeAtIndex(
        entry, count + 1,
        LLVMCreateTypeAttribute(job->context, attribute_kind("byval"), writer->launch));
    LLVMAddAttributeAtIndex(entry, count + 1,
                            LLVMCreateEnumAttribute(job->context, attribute_kind("align"), 8));
    return entry;
}

/* ---- Work-group sizes ---------------------------------------------------------------------- */

/* The work-group size that the source requires, as rows of nvvm.annotations: function, property,
 * number. Drivers refuse launches with a different size. */
static void keep_group_size(entry_writer *writer, LLVMValueRef kernel, LLVMValueRef entry)
{
    static const char *const properties[] = {"reqntidx", "reqntidy", "reqntidz"};
    LLVMContextRef context = writer->job->context;
    LLVMValueRef node = pl_metadata(writer->job, kernel, "reqd_work_group_size");
    uint32_t count = 0;
    LLVMValueRef *sizes = node ? pl_metadata_operands(writer->job, node, &count) : NULL;
    for (uint32_t i = 0; count == 3 && i < count; i++) {
        LLVMMetadataRef row[] = {
            LLVMValueAsMetadata(entry),
            LLVMMDStringInContext2(context, properties[i], strlen(properties[i])),
            LLVMValueAsMetadata(sizes[i]),
        };
        LLVMMetadataRef annotation = LLVMMDNodeInContext2(context, row, 3);
        LLVMAddNamedMetadataOperand(writer->module, "nvvm.annotations",
                                    LLVMMetadataAsValue(context, annotation));
    }
}

/* ---- Entries ------------------------------------------------------------------------------- */

static rt_status make_entry(entry_writer *writer, LLVMValueRef kernel, rt_buffer *out_lines)
{
    uint32_t count = LLVMCountParams(kernel);
    rt_ptx_parameter *parameters =
        rt_arena_alloc_array(&writer->job->arena, count, sizeof *parameters);
    for (uint32_t i = 0; i < count; i++)
        RT_TRY(describe(writer, kernel, i, &parameters[i]));
    const rt_ptx_kernel line = {pl_job_name(writer->job, kernel), parameters, count};
    rt_ptx_kernel_write(out_lines, &line);
    LLVMValueRef entry = declare(writer, kernel, parameters);
    CHECK(LLVMCountParams(entry) == count + 1 && !pl_is_kernel(entry));
    /* The kernel's code is inlined into its entry and other callers. */
    LLVMSetFunctionCallConv(kernel, LLVMCCallConv);
    LLVMSetLinkage(kernel, LLVMInternalLinkage);
    pl_flag_remove(kernel, "noinline");
    pl_flag_remove(kernel, "optnone");
    pl_flag_add(kernel, "alwaysinline");
    fill(writer, kernel, entry);
    keep_group_size(writer, kernel, entry);
    return RT_STATUS_OK;
}

/* A work-group's scratch memory for our builtin functions: 8 bytes for each sub-group of the
 * largest possible work-group (CUDA C++ programming guide, "Technical Specifications per Compute
 * Capability"). */
enum { SCRATCH_WORDS = 1024 / 32 };

static LLVMValueRef make_scratch(entry_writer *writer)
{
    LLVMTypeRef word = LLVMInt64TypeInContext(writer->job->context);
    LLVMTypeRef type = LLVMArrayType(word, SCRATCH_WORDS);
    LLVMValueRef scratch = LLVMAddGlobalInAddressSpace(
        writer->module, type, "__assay_scratch_words", PL_PTX_SPACE_SHARED);
    LLVMSetInitializer(scratch, LLVMGetUndef(type));
    LLVMSetLinkage(scratch, LLVMInternalLinkage);
    LLVMSetAlignment(scratch, 8);
    return scratch;
}

/* Defines one of the functions that our builtins call to get the address of a piece of memory. */
static void define_address(entry_writer *writer, LLVMValueRef function, LLVMValueRef memory)
{
    CHECK(LLVMIsDeclaration(function));
    LLVMTypeRef type = LLVMGetReturnType(LLVMGlobalGetValueType(function));
    LLVMBasicBlockRef block = LLVMAppendBasicBlockInContext(writer->job->context, function, "");
    LLVMPositionBuilderAtEnd(writer->builder, block);
    LLVMBuildRet(writer->builder, LLVMConstBitCast(memory, type));
    LLVMSetLinkage(function, LLVMInternalLinkage);
    pl_flag_add(function, "alwaysinline");
}

rt_status pl_ptx_make_entries(pl_job *job, LLVMModuleRef module, rt_buffer *out_lines)
{
    entry_writer writer = {.job = job,
                           .module = module,
                           .layout = LLVMGetModuleDataLayout(module),
                           .word = LLVMInt32TypeInContext(job->context),
                           .builder = LLVMCreateBuilderInContext(job->context)};
    LLVMTypeRef words[LAUNCH_WORDS];
    for (unsigned i = 0; i < LAUNCH_WORDS; i++)
        words[i] = LLVMInt64TypeInContext(job->context);
    writer.launch = LLVMStructTypeInContext(job->context, words, LAUNCH_WORDS, false);
    CHECK(!LLVMGetNamedGlobal(module, RT_PTX_SHARED_ARRAY));
    /* The array has no size here; the launch determines its size. */
    LLVMTypeRef type = LLVMArrayType(LLVMInt8TypeInContext(job->context), 0);
    writer.array =
        LLVMAddGlobalInAddressSpace(module, type, RT_PTX_SHARED_ARRAY, PL_PTX_SPACE_SHARED);
    LLVMSetAlignment(writer.array, RT_PTX_LOCAL_ALIGNMENT);
    LLVMValueRef launch = LLVMGetNamedFunction(module, "__assay_launch");
    LLVMValueRef scratch = LLVMGetNamedFunction(module, "__assay_scratch");
    if (launch) define_address(&writer, launch, writer.array);
    if (scratch) define_address(&writer, scratch, make_scratch(&writer));
    RT_VECTOR(LLVMValueRef) kernels = {0};
    LLVMValueRef function = LLVMGetFirstFunction(module);
    for (; function; function = LLVMGetNextFunction(function))
        if (pl_is_kernel(function) && !LLVMIsDeclaration(function))
            *rt_vector_push(&kernels) = function;
    rt_status status = RT_STATUS_OK;
    for (uint32_t i = 0; i < kernels.count && rt_ok(status); i++)
        status = make_entry(&writer, kernels.items[i], out_lines);
    rt_vector_free(&kernels);
    LLVMDisposeBuilder(writer.builder);
    return status;
}

/* ---- Functions that other programs call ---------------------------------------------------- */

static bool calls_others(LLVMValueRef function)
{
    for (LLVMValueRef i = pl_first_instruction(function); i; i = pl_next_instruction(i)) {
        if (!LLVMIsACallInst(i)) continue;
        LLVMValueRef called = LLVMGetCalledValue(i);
        if (!LLVMIsAFunction(called) || LLVMGetIntrinsicID(called) == 0) return true;
    }
    return false;
}

/* Makes an entry that calls the function; what it passes does not matter. */
static void make_caller(pl_job *job, LLVMModuleRef module, LLVMBuilderRef builder,
                        LLVMValueRef function)
{
    uint32_t count = LLVMCountParams(function);
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(job->context), NULL, 0, false);
    rt_text name = rt_arena_printf(&job->arena, "__assay_caller_of_%.*s",
                                   RT_TEXT_ARG(pl_job_name(job, function)));
    LLVMValueRef caller = LLVMAddFunction(module, name.data, type);
    LLVMSetFunctionCallConv(caller, PL_PTX_KERNEL);
    LLVMSetLinkage(caller, LLVMWeakODRLinkage); /* other images may repeat an inline function */
    LLVMPositionBuilderAtEnd(builder, LLVMAppendBasicBlockInContext(job->context, caller, ""));
    LLVMValueRef *arguments = rt_arena_alloc_array(&job->arena, count + 1u, sizeof *arguments);
    for (uint32_t i = 0; i < count; i++)
        arguments[i] = LLVMGetUndef(LLVMTypeOf(LLVMGetParam(function, i)));
    LLVMValueRef call =
        LLVMBuildCall2(builder, LLVMGlobalGetValueType(function), function, arguments, count, "");
    for (uint32_t i = 0; i < count; i++)
        pl_passing_copy(function, i, call, i);
    LLVMBuildRetVoid(builder);
    pl_flag_remove(function, "willreturn"); /* or the back end removes a call without effect */
}

/* NVIDIA's linker removes each function that no kernel of the program reaches. It keeps one whose
 * address is in a variable, such as a vtable, but not what that one calls: its call then goes to
 * address 0. A program whose kernels only construct objects, which another program's kernels call,
 * has such functions. */
void pl_ptx_reach_callees(pl_job *job, LLVMModuleRef module)
{
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(job->context);
    LLVMValueRef function = LLVMGetFirstFunction(module);
    for (; function; function = LLVMGetNextFunction(function)) {
        if (LLVMIsDeclaration(function)) continue;
        rt_text address = rt_arena_printf(&job->arena, PL_PTX_ADDRESS_OF "%.*s",
                                          RT_TEXT_ARG(pl_job_name(job, function)));
        if (LLVMGetNamedGlobal(module, address.data) && calls_others(function))
            make_caller(job, module, builder, function);
    }
    LLVMDisposeBuilder(builder);
}
