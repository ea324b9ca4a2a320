/* Resolves the symbols of several modules: every import is bound to its definition. */
#ifndef SIM_LINKER_H
#define SIM_LINKER_H

#include "sim/module/module.h"

/* A function or variable of one of the linked modules. */
typedef struct sim_place {
    uint32_t module; /* index among the linked modules */
    uint32_t index;  /* into its functions or variables */
} sim_place;

/* A function or variable with linkage; everything is borrowed from the module. */
typedef struct sim_symbol {
    rt_text name;
    uint8_t linkage; /* sim_linkage_kind */
    bool is_function;
    const sim_type *type;   /* of the function, or of what the variable points to */
    uint32_t storage_class; /* of a variable */
    const sim_module *module;
    sim_place place;
} sim_symbol;

/* Appends "image app/0", or "module 1" if no image of that name is known (sim_module_image). */
void sim_module_write(rt_buffer *out, const sim_module *module, uint32_t number);

/* Appends a module's declaration of the symbol, for example "image app/0 imports function
 * i32(i32)". */
void sim_symbol_write(rt_buffer *out, const sim_symbol *symbol);

/* True if either may be the definition of the other: both are functions of equal type whose
 * parameters are passed in the same way, or variables of the same storage class whose types are
 * equal or have the same values at the same offsets (layout.h). */
bool sim_symbol_compatible(const sim_symbol *a, const sim_symbol *b);

/* Where every function and variable of every module is defined: functions[m][i] is the definition
 * that function i of module m resolves to.  That is the function itself unless it is an import, or
 * a LinkOnceODR function for which another definition is used.  The definition is never an import.
 */
typedef struct sim_linkage {
    rt_arena arena; /* owns the arrays */
    uint32_t module_count;
    sim_place **functions;
    sim_place **variables;
} sim_linkage;

/* Resolves the symbols of count >= 1 modules by the names in their LinkageAttributes, which are
 * borrowed only during the call.  A name has one Export or, if there is none, any number of
 * LinkOnceODR definitions, of which the first is used for all; functions and variables share a
 * namespace.  LINK_ERROR, naming all symbols concerned and how each module, counted from 0,
 * declares them: an import without a definition, several Exports of a name, a definition and an
 * import of different types, or a kernel name in two modules.  On success the caller frees
 * *out_linkage; on failure it is empty.  Source: SPIR-V specification 1.6, sections 2.13 "Linkage"
 * and 3.17 "Linkage Type"; extension SPV_KHR_linkonce_odr. */
RT_MUST_USE rt_status sim_linkage_create(rt_sink *sink, const sim_module *const *modules,
                                         uint32_t count, sim_linkage *out_linkage);

/* Checks that count >= 1 modules fit together, and lists the imports that none of them defines:
 * each name once, in the order of the modules, functions before variables.  The list is allocated
 * from the arena; its texts are borrowed from the modules.  LINK_ERROR: as for sim_linkage_create,
 * except that imports without a definition are no error. On failure *out_count is 0. */
RT_MUST_USE rt_status sim_linkage_imports(rt_sink *sink, const sim_module *const *modules,
                                          uint32_t count, rt_arena *arena,
                                          const rt_text **out_names, uint32_t *out_count);

/* Frees the arrays and leaves the linkage empty. */
void sim_linkage_free(sim_linkage *linkage);

#endif
