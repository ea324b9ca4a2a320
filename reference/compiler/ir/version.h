/* Everything in which the supported versions of LLVM and of its SPIR-V translator differ: 14, 19
 * and 21.
 *
 * The other files are the same for all versions.  In particular they never look at the type that a
 * pointer points to, which LLVM 15 removed: types come from variables, allocations, accesses,
 * address computations, byval attributes and kernels' metadata. */
#ifndef REFERENCE_COMPILER_IR_VERSION_H
#define REFERENCE_COMPILER_IR_VERSION_H

#include "reference/compiler/ir/job.h"

#include <llvm/Config/llvm-config.h>

/* LLVM's version as text, for messages and names of packages. */
#define PL_LLVM_TEXT_OF(number) #number
#define PL_LLVM_TEXT(number)    PL_LLVM_TEXT_OF(number)
#define PL_LLVM_NUMBER          PL_LLVM_TEXT(LLVM_VERSION_MAJOR)

/* Defects of version 14 that are worked around where the steps are made; 19 and 21 were tried with
 * the reproductions of their findings (scenarios/expectations/findings/llvm.yaml).  Needed in all
 * of them: jumps are threaded before the loop passes, or a `break` stays a switch inside the loop
 * (lower/prepare.c); the writer gives OpSwitch a boolean if a switch is over one bit, and
 * OpConvertSToF a 1 for a bit that is set (lower/prepare.c); NVPTX leaves out the padding of
 * vectors in initial values (ptx/padding.c). */
enum {
    /* NVPTX does not reduce the amount of a 64-bit rotation (llvm/nvptx-rotation; fixed in 19). */
    PL_ROTATION_IS_NOT_REDUCED = LLVM_VERSION_MAJOR < 19,
    /* NVPTX extracts bits of a 64-bit number beyond its sign as zeros (llvm/nvptx-bit-field; not in
     * 19). */
    PL_EXTRACTED_SIGN_IS_LOST = LLVM_VERSION_MAJOR < 19,
    /* The pass ipsccp gives a call whose result is a vector the range of its elements as metadata,
     * which only calls with scalar results may have (llvm/range-of-a-vector; in 19, the range is an
     * attribute, which may). */
    PL_VECTORS_GET_RANGES = LLVM_VERSION_MAJOR < 19,
    /* The analysis globals-aa assumes that a barrier changes no variable which is internal to its
     * module (llvm/nvptx-barrier; in 19, only intrinsics that do not synchronise are exempt). */
    PL_BARRIER_SPARES_INTERNALS = LLVM_VERSION_MAJOR < 19,
    /* The writer extracts the element of a dimension that there is not (llvm/llvm-spirv-dimension;
     * the translators 19.1.6 and 21.1.5 select the function's result instead). */
    PL_WRITER_TRUSTS_DIMENSIONS = LLVM_VERSION_MAJOR < 19,
    /* The writer gives a conversion that a phi uses another id than the one that it has decorated
     * (llvm/llvm-spirv-phi-decorations; fixed in 19). */
    PL_PHI_LOSES_DECORATIONS = LLVM_VERSION_MAJOR < 19,
};

/* InstCombine in a pipeline as text.  From LLVM 18 on, its default ends the process if one
 * iteration leaves something to be combined, which is an aid for LLVM's own tests. */
#if LLVM_VERSION_MAJOR >= 18
#define PL_INSTCOMBINE "instcombine<no-verify-fixpoint>"
#else
#define PL_INSTCOMBINE "instcombine"
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Data layout that clang of this version gives to spir64. */
extern const char pl_spir64_layout[];

/* The type that the SPIR-V writer will give to what a pointer points to, if the pointer's type
 * states it (LLVM 14); NULL: pointers have no such type, and the writer derives it from uses.  Only
 * for refusals of what the writer cannot express. */
LLVMTypeRef pl_written_pointee(LLVMTypeRef pointer);

/* The type of a pointer to the same memory in another address space. */
LLVMTypeRef pl_pointer_in_space(LLVMTypeRef pointer, unsigned space);

/* Marks a function that neither reads nor writes memory: readnone, or memory(none) from LLVM 16 on.
 */
void pl_mark_without_memory(LLVMValueRef function);

/* A register of x86's MMX, a type that LLVM 20 removed. */
bool pl_is_mmx_type(LLVMTypeRef type);

/* Element `index` of a constant struct, array or vector; NULL: it is not known. */
LLVMValueRef pl_element_of_constant(LLVMValueRef constant, unsigned index);

/* Moves all blocks of `from` in front of those of `to`. */
void pl_blocks_move(LLVMValueRef from, LLVMValueRef to);

/* Repairs what clang writes for spir64.  Version 19 puts variables without an address space into
 * global memory and treats the functions in vtables, and calls to them, as if they were there too:
 * `addrspacecast (ptr @f to ptr addrspace(1))`, which SPIR-V does not have.  Afterwards, pointers
 * to functions have no address space, as in version 14. */
void pl_front_end_repair(LLVMModuleRef module);

/* Gives kernels their bodies back.  clang 21 makes of each kernel a function that calls
 * `__clang_ocl_kern_imp_NAME`, so that kernels which call each other call functions; the split, the
 * aspects and the sets of virtual functions are about kernels. */
void pl_kernels_repair(LLVMModuleRef module);

/* Repairs a module for the SPIR-V writer, as the last step before it.  Version 19 leaves calls to
 * work-item functions in sources in C++ for OpenCL unresolved, takes the types of a format string
 * in printf from any of its uses, writes an address in an initial value that LLVM computes in bytes
 * as if it counted the variable's elements, and gives such addresses the type of a pointer to bytes
 * in most structs and tables. Not repaired: its casts of addresses to generic pointers there
 * (llvm/llvm-spirv-generic-address). */
void pl_writer_repair(LLVMModuleRef module);

/* Repairs a module that the SPIR-V reader has made. Version 14 gives the sret attribute the
 * pointer's type in place of the struct's, so a compiler (LLVM 15 in PoCL) considers writes beyond
 * the size of a pointer dead.  Version 19 leaves global memory for variables (G1) out of the data
 * layout, which LLVM's reader of bitcode would add, and adds no version of OpenCL C unless the
 * module names that language. */
void pl_reader_repair(LLVMModuleRef module);

#ifdef __cplusplus
}
#endif

#endif
