/* The program manager's tables: which images hold a kernel, which images export a symbol, and which
 * provide a set of virtual functions.
 *
 * These are the tables of document 000, "Device images collection".  A combination of symbols (the
 * kernels and exports of an image) has one id; images with the same combination, of any format or
 * module, are in one vector under that id (m_DeviceImages; DL-SET-01, DL-SET-04).  For each OS
 * module a symbol leads to the id of its combination (m_SymbolSets; DL-SET-02).  The document walks
 * that map module by module; here a name leads directly to the ids of all modules that have it: a
 * look-up costs one probe regardless of the number of modules, and selects the same images
 * (DL-SET-06, DL-SET-07).  Kernels can also be found by name alone; their images are then in order
 * of registration.
 *
 * The tables are filled as images are registered and emptied as they are unregistered.  Their owner
 * does the locking (DL-SET-05). */
#ifndef REFERENCE_PROGRAM_TABLES_H
#define REFERENCE_PROGRAM_TABLES_H

#include "reference/base/map.h"
#include "reference/base/profile.h"
#include "reference/module/registry.h"

typedef struct rt_image_group {
    RT_VECTOR(const rt_registered_image *) images;
} rt_image_group;

typedef RT_VECTOR(rt_image_group) rt_image_groups;

typedef uint32_t rt_set_id; /* identifies one combination of symbols permanently */
#define RT_SET_NONE UINT32_MAX

typedef struct rt_set_group {
    RT_VECTOR(rt_set_id) ids;
} rt_set_group;

typedef struct rt_program_tables {
    rt_profile profile;
    rt_arena arena;      /* holds the maps' keys */
    rt_map kernel_index; /* name of a kernel -> index in kernels */
    rt_image_groups kernels;
    rt_map exporter_index; /* name of an exported symbol -> index in exporters */
    RT_VECTOR(rt_set_group) exporters;
    rt_map combinations;            /* the symbols of a combination as text -> its id */
    RT_VECTOR(rt_image_group) sets; /* index is the id: m_DeviceImages */
    rt_map module_symbols;          /* module and symbol -> id: m_SymbolSets */
    rt_map function_set_index;      /* name of a virtual function set -> index in function_sets */
    rt_image_groups function_sets;
    RT_VECTOR(const rt_registered_image *) images; /* index is the id; NULL: not in the tables */
} rt_program_tables;

/* Frees the tables and leaves them empty and usable.  Zero-initialise before first use. */
void rt_program_tables_free(rt_program_tables *tables);

/* Enters a registered image under each of its kernels and exported symbols, or removes it if it is
 * present. */
void rt_program_tables_add(rt_program_tables *tables, const rt_registered_image *image);
void rt_program_tables_remove(rt_program_tables *tables, const rt_registered_image *image);

/* True if the image is in the tables.  The tables' owner must call this instead of reading
 * image->registered, which only the thread that loads and unloads modules may read. */
bool rt_program_tables_hold(const rt_program_tables *tables, const rt_registered_image *image);

/* The images that have a kernel, in order of registration; an empty group if there are none.  Valid
 * until the tables change. */
const rt_image_group *rt_program_tables_kernel(const rt_program_tables *tables, rt_text kernel);

/* True if one of the images is of the module. */
bool rt_image_group_has_module(const rt_image_group *group, rt_module_id module);

/* The combinations that export a symbol, each once and each with at least one image; an empty group
 * if there are none.  Valid until the tables change. */
const rt_set_group *rt_program_tables_exporters(const rt_program_tables *tables, rt_text symbol);

/* The images of a combination, in order of registration.  Valid until the tables change. */
const rt_image_group *rt_program_tables_set(const rt_program_tables *tables, rt_set_id id);

/* The combination to which a kernel or exported symbol of a module belongs; RT_SET_NONE if the
 * module has no such symbol.  Combinations of one module are expected to be disjoint; otherwise the
 * name leads to the one registered first (DL-SET-03). */
rt_set_id rt_program_tables_symbol(const rt_program_tables *tables, rt_module_id module,
                                   rt_text symbol);

/* The images registered under the name of a set of virtual functions, including dummies, in order
 * of registration: those that provide it (document 004, property "virtual-functions-set"), and in
 * profile dpcpp also those that use it (requirements.yaml, key dpcpp, tag D5).  An empty group if
 * there are none; an image whose property set is damaged is not listed under any name.  Valid until
 * the tables change. */
const rt_image_group *rt_program_tables_function_set(const rt_program_tables *tables, rt_text name);

#endif
