/* What the two files about specialisation constants share. */
#ifndef REFERENCE_COMPILER_POSTLINK_SPEC_CONSTANTS_INTERNAL_H
#define REFERENCE_COMPILER_POSTLINK_SPEC_CONSTANTS_INTERNAL_H

#include "reference/compiler/ir/job.h"

/* A scalar type of LLVM, its size, and its code in a mangled name. */
typedef struct pl_spec_scalar_type {
    LLVMTypeKind kind;
    unsigned width; /* INTEGER: bits */
    uint32_t size;  /* bytes */
    const char *mangled;
} pl_spec_scalar_type;

/* NULL if no scalar of a specialisation constant can have the type. */
const pl_spec_scalar_type *pl_spec_scalar_type_of(LLVMTypeRef type);

/* The bits of a constant scalar; a bool is one byte. */
uint64_t pl_spec_bits(pl_job *job, LLVMValueRef constant);

/* A scalar's place in a constant's value. */
typedef struct pl_spec_place {
    rt_text name;          /* of the constant */
    uint32_t offset, size; /* in bytes */
    uint32_t total;        /* size of the whole value; `size` if the constant is a scalar */
} pl_spec_place;

/* The function that represents a scalar in a source or a module, with the scalar's type as its
 * result and that of its one parameter, the default value.  Declares the function if it does not
 * exist. */
LLVMValueRef pl_spec_function(pl_job *job, LLVMModuleRef module, const pl_spec_place *place,
                              LLVMTypeRef type);

/* Builds a call of a function that represents a scalar. */
LLVMValueRef pl_spec_call(LLVMBuilderRef builder, LLVMValueRef function, LLVMValueRef *arguments,
                          unsigned count, const char *name);

/* True if the type is a struct, an array or a vector that consists of scalars. */
bool pl_spec_is_composite(LLVMTypeRef type);

/* Turns the uses of a variable whose type is a composite into copies of it in private memory, into
 * which each function that uses it stores the constant's scalars first.  POSTLINK_ERROR, naming the
 * constant: it is too large, `initial` (NULL: none) is not a constant of its size, or it is used
 * other than by reading from it. */
RT_MUST_USE rt_status pl_spec_composite_take(pl_job *job, LLVMModuleRef module,
                                             LLVMValueRef variable, rt_text name,
                                             LLVMValueRef initial);

/* POSTLINK_ERROR with the constant's name. */
RT_MUST_USE rt_status pl_spec_refuse(pl_job *job, rt_text name, const char *problem);
extern const char pl_spec_no_default[], pl_spec_only_read[]; /* problems */

#endif
