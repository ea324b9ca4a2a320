/* The indirectly callable functions of a module, their sets, and the kernels that call the sets:
 * the part of the front end that document 004 adds ("Changes to the SYCL header files", "Changes to
 * the compiler front-end").
 *
 * Clang has no such properties.  A source states them in annotations, which become the documents'
 * function attributes here. LLVM IR input may already have the attributes. */
#ifndef REFERENCE_COMPILER_POSTLINK_VIRTUAL_FUNCTIONS_H
#define REFERENCE_COMPILER_POSTLINK_VIRTUAL_FUNCTIONS_H

#include "reference/compiler/ir/annotations.h"

/* Function attributes: the set of a virtual function, and the sets that a kernel calls (VF-PROP-01,
 * -02).  A declaration may have the first one too; another module then defines the function. */
#define PL_INDIRECTLY_CALLABLE "indirectly-callable"
#define PL_CALLS_INDIRECTLY    "calls-indirectly"

/* The default set, for properties that name none: the string form of type void (VF-PROP-04). */
#define PL_DEFAULT_SET "_ZTSv"

/* Turns the annotations of a source into attributes and checks all attributes.  POSTLINK_ERROR,
 * with the line if it is known: a function in two sets, a property where it is not allowed, an
 * invalid name of a set, an unknown aspect. */
RT_MUST_USE rt_status pl_virtual_functions_take(pl_job *job, LLVMModuleRef module, rt_text source,
                                                const pl_annotations *annotations);

/* Prepares the linked sources of a module: thunks get the set of the function that they forward to
 * (VF-SPLIT-12), vtables lose functions that are not device code (VF-FE-02), and internal virtual
 * functions get names that no other module has. */
void pl_virtual_functions_prepare(pl_job *job, LLVMModuleRef module, rt_text name);

/* Reports whether a variable is a vtable (Itanium C++ ABI, 5.1.4 "Other Special Functions and
 * Entities"). */
bool pl_is_vtable(LLVMValueRef variable);

/* Decides whether to empty a vtable slot that contains `function`. */
typedef bool pl_slot_rule(LLVMValueRef function, const void *user);

/* Empties slots in all vtables of the module: the slots that the rule chooses become null pointers.
 */
void pl_vtables_empty(LLVMModuleRef module, pl_slot_rule *rule, const void *user);

#endif
