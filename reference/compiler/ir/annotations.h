/* What a front end's `annotate` attributes say of functions and variables.
 *
 * Clang lists them in llvm.global.annotations, which also keeps everything in it alive; so the list
 * is read once, when a source comes in, and removed. */
#ifndef REFERENCE_COMPILER_IR_ANNOTATIONS_H
#define REFERENCE_COMPILER_IR_ANNOTATIONS_H

#include "reference/compiler/ir/job.h"

typedef struct pl_annotation {
    LLVMValueRef value; /* a function or a variable of the source */
    rt_text text;       /* the attribute's string, in the job's arena */
    unsigned line;      /* of the annotated declaration, counted from 1; 0: not known */
} pl_annotation;

/* In the order of the list, which is that of the source's declarations of one kind; several may be
 * about one value. */
typedef struct pl_annotations {
    const pl_annotation *items; /* in the job's arena */
    uint32_t count;
} pl_annotations;

/* Reads the annotations of a source and deletes their list.  Annotations of any text are returned:
 * whose they are decides who reads them.  POSTLINK_ERROR: an entry that is not formed as clang
 * forms it, which LLVM IR written by hand may hold.  `source` names the source in the message.
 * Source: LLVM Language Reference, "The 'llvm.global.annotations' Global Variable" is not written
 * down there; observed with clang 14: {value, text, file, line, arguments}. */
RT_MUST_USE rt_status pl_annotations_take(pl_job *job, LLVMModuleRef module, rt_text source,
                                          pl_annotations *out_annotations);

/* Appends what `assume` attributes say of destructors that a vtable can name, whose annotations
 * clang 14 drops, in the same form; and removes those attributes from all functions and calls,
 * since they have done their work.  Assumptions that do not begin with "assay:" stay. Source:
 * Itanium C++ ABI, 5.1.4.3 "Constructors and Destructors"; observed with clang 14. */
void pl_assumptions_take(pl_job *job, LLVMModuleRef module, pl_annotations *inout_annotations);

/* The characters of a string literal that an address, cast or not, is of, without its end, in the
 * job's arena; false: it is of none. */
bool pl_literal_of(pl_job *job, LLVMValueRef address, rt_text *out_text);

/* The text behind `prefix` of an annotation that begins with it; false: it begins otherwise. */
bool pl_annotation_is(const pl_annotation *annotation, const char *prefix, rt_text *out_rest);

#endif
