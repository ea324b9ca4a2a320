/* The program manager's tables: which images hold a kernel, which images export a symbol.
 *
 * Both are filled while images are registered and emptied as they go, so that a look-up costs one
 * probe however many modules there are.  Within a name the images stand in order of registration.
 * Source: document 003, "Device images collection and linking"; document 000 describes the same
 * with symbol-set ids (DL-SET-07 allows other tables that select equally). */
#ifndef REFERENCE_PROGRAM_TABLES_H
#define REFERENCE_PROGRAM_TABLES_H

#include "reference/base/map.h"
#include "reference/base/profile.h"
#include "reference/module/registry.h"

typedef struct rt_image_group {
    RT_VECTOR(const rt_registered_image *) images;
} rt_image_group;

typedef struct rt_name_table {
    rt_map index; /* name -> groups */
    RT_VECTOR(rt_image_group) groups;
} rt_name_table;

typedef struct rt_program_tables {
    rt_profile profile;
    rt_name_table kernels;
    rt_name_table exporters;
    RT_VECTOR(const rt_registered_image *) images; /* index is the id; NULL: not in the tables */
} rt_program_tables;

/* Frees the tables and leaves them empty and usable.  Zero-initialise before first use. */
void rt_program_tables_free(rt_program_tables *tables);

/* Enters a registered image under each of its kernels and exported symbols; takes it out again, if
 * it is there. */
void rt_program_tables_add(rt_program_tables *tables, const rt_registered_image *image);
void rt_program_tables_remove(rt_program_tables *tables, const rt_registered_image *image);

/* True when the image is in the tables.  The tables' owner asks this and not image->registered,
 * which belongs to whoever loads and unloads. */
bool rt_program_tables_hold(const rt_program_tables *tables, const rt_registered_image *image);

/* The images under a name, in order of registration; an empty group where there are none.  Valid
 * until the tables change. */
const rt_image_group *rt_name_table_find(const rt_name_table *table, rt_text name);

#endif
