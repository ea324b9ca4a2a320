/* The imported and exported symbols of one image (document 003, "sycl-post-link changes"). */
#ifndef REFERENCE_COMPILER_POSTLINK_SYMBOLS_H
#define REFERENCE_COMPILER_POSTLINK_SYMBOLS_H

#include "reference/base/map.h"
#include "reference/compiler/ir/job.h"

/* A declaration with this function attribute is never an import. The document does not specify the
 * name of the attribute (DL-IMPORT-04); this name is ours. */
#define PL_NOT_IMPORTED "assay-not-imported"

/* The kinds of functions that a module declares without defining them. */
typedef enum pl_declaration {
    PL_DECLARED_IMPORT,   /* a symbol that another image must define */
    PL_DECLARED_BUILTIN,  /* becomes SPIR-V instructions: llvm.*, __spirv_*, OpenCL C builtins */
    PL_DECLARED_UNLISTED, /* the device defines it: reserved names and PL_NOT_IMPORTED */
} pl_declaration;

/* The symbols of an image, in the order of its code, functions before variables; they live in the
 * job's arena. */
typedef struct pl_symbols {
    const rt_text *imports; /* DL-IMPORT-01 */
    uint32_t import_count;
    const rt_text *exports; /* DL-EXPORT-01 */
    uint32_t export_count;
    const rt_text *unlisted; /* declared, but neither imports nor builtins */
    uint32_t unlisted_count;
    const rt_text *provided; /* virtual functions, which are not exports (VF-SPLIT-10) */
    uint32_t provided_count;
    const rt_text *kernels;
    uint32_t kernel_count;
} pl_symbols;

/* Classifies a declared function, for the job's profile. */
pl_declaration pl_declaration_classify(const pl_job *job, LLVMValueRef function);

/* Reports whether images may export and import a defined variable: other sources can name it, and
 * it is in memory that all work-items share. Document 003, "sycl-post-link changes", mentions
 * declared but undefined symbols (DL-IMPORT-08); shipped DPC++ takes only functions (A2, A3), and
 * its profile does the same. */
bool pl_variable_is_offered(const pl_job *job, LLVMValueRef variable);

/* Reports whether shipped DPC++ excludes a defined function from the entry points because of its
 * name or because it is indirectly callable; always false under the documents' profile. */
bool pl_is_hidden_entry(const pl_job *job, LLVMValueRef function);

/* Collects the symbols of an image after the split (DL-IMPORT-05). */
void pl_symbols_collect(pl_job *job, LLVMModuleRef module, pl_symbols *out_symbols);

#endif
