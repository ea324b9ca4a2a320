/* What a front end's `annotate` attributes say about functions and variables.
 *
 * Clang lists them in llvm.global.annotations, which also keeps everything in it alive.  So the
 * list is read once, when a source is read, and then removed. */
#ifndef REFERENCE_COMPILER_IR_ANNOTATIONS_H
#define REFERENCE_COMPILER_IR_ANNOTATIONS_H

#include "reference/compiler/ir/job.h"

typedef struct pl_annotation {
    LLVMValueRef value; /* a function or a variable of the source */
    rt_text text;       /* the attribute's string, in the job's arena */
    unsigned line;      /* of the annotated declaration, counted from 1; 0: not known */
    uint64_t number;    /* the attribute's argument after the string; 0: it has none */
} pl_annotation;

/* In the order of the list, in which declarations of one kind have the order of the source. A value
 * may have several annotations. */
typedef struct pl_annotations {
    const pl_annotation *items; /* in the job's arena */
    uint32_t count;
} pl_annotations;

/* Reads the annotations of a source and deletes their list.  Annotations are returned whatever
 * their text; each reader looks for its own prefix.  POSTLINK_ERROR, and no annotations: LLVM IR
 * written by hand has an entry whose form differs from clang's.  `source` names the source in the
 * message. Observed: the LLVM Language Reference does not describe llvm.global.annotations; clang
 * 14 and 19 write {value, text, file, line, arguments}. */
RT_MUST_USE rt_status pl_annotations_take(pl_job *job, LLVMModuleRef module, rt_text source,
                                          pl_annotations *out_annotations);

/* Appends, in the same form, the `assume` attributes of destructors that a vtable can name, because
 * clang 14 drops the annotations of these destructors; drops the annotations of base object
 * destructors, which newer versions write and no vtable names. Removes assumptions that begin with
 * "assay:" from all functions and calls; other assumptions stay. Source: Itanium C++ ABI, 5.1.4.3
 * "Constructors and Destructors"; observed with clang 14. */
void pl_assumptions_take(pl_job *job, LLVMModuleRef module, pl_annotations *inout_annotations);

/* The characters of the string literal that an address (cast or not) points to, without the NUL, in
 * the job's arena; false, and *out_text is empty: the address does not point to a string literal.
 */
bool pl_literal_of(pl_job *job, LLVMValueRef address, rt_text *out_text);

/* The text after `prefix`, for an annotation that begins with it; false: it does not, and *out_rest
 * is the whole text. */
bool pl_annotation_is(const pl_annotation *annotation, const char *prefix, rt_text *out_rest);

#endif
