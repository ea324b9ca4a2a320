/* Name tables over registered images. */
#include "reference/program/tables.h"

static const rt_image_group no_images;

static void name_table_add(rt_name_table *table, rt_text name, const rt_registered_image *image)
{
    uint32_t index = rt_map_find(&table->index, name);
    if (index == RT_MAP_NONE) {
        index = table->groups.count;
        *rt_vector_push(&table->groups) = (rt_image_group){0};
        /* The name's bytes belong to an image, and images outlive the registry's users. */
        rt_map_set(&table->index, name, index);
    }
    rt_image_group *group = &table->groups.items[index];
    for (uint32_t i = 0; i < group->images.count; i++) {
        if (group->images.items[i] == image) return; /* A name that an image lists twice. */
    }
    *rt_vector_push(&group->images) = image;
}

static void name_table_remove(rt_name_table *table, rt_text name, const rt_registered_image *image)
{
    uint32_t index = rt_map_find(&table->index, name);
    if (index == RT_MAP_NONE) return; /* A kernel that has_kernel_id kept out. */
    rt_image_group *group = &table->groups.items[index];
    uint32_t kept = 0;
    for (uint32_t i = 0; i < group->images.count; i++) {
        if (group->images.items[i] != image) group->images.items[kept++] = group->images.items[i];
    }
    group->images.count = kept;
}

static void name_table_free(rt_name_table *table)
{
    for (uint32_t i = 0; i < table->groups.count; i++)
        rt_vector_free(&table->groups.items[i].images);
    rt_vector_free(&table->groups);
    rt_map_free(&table->index);
}

void rt_program_tables_free(rt_program_tables *tables)
{
    name_table_free(&tables->kernels);
    name_table_free(&tables->exporters);
    rt_vector_free(&tables->images);
}

/* In shipped DPC++ a kernel that is named like a symbol which is exported already cannot be
 * launched (requirements.yaml, key dpcpp, tag A14). */
static bool has_kernel_id(const rt_program_tables *tables, rt_text kernel)
{
    return !(tables->profile == RT_PROFILE_DPCPP &&
             rt_name_table_find(&tables->exporters, kernel)->images.count > 0);
}

static const rt_property_set *exports_of(const rt_registered_image *image)
{
    return RULE_ELSE(DL_IMAGE_06, rt_image_set(image->image, RT_SET_EXPORTED_SYMBOLS), NULL);
}

void rt_program_tables_add(rt_program_tables *tables, const rt_registered_image *image)
{
    CHECK(image->registered);
    CHECK(!rt_program_tables_hold(tables, image));
    while (tables->images.count <= image->id)
        *rt_vector_push(&tables->images) = NULL;
    tables->images.items[image->id] = image;
    for (uint32_t i = 0; i < image->image->kernel_count; i++) {
        rt_text kernel = image->image->kernels[i];
        if (has_kernel_id(tables, kernel)) name_table_add(&tables->kernels, kernel, image);
    }
    const rt_property_set *exports = exports_of(image);
    for (uint32_t i = 0; exports && i < exports->property_count; i++)
        name_table_add(&tables->exporters, exports->properties[i].name, image);
}

void rt_program_tables_remove(rt_program_tables *tables, const rt_registered_image *image)
{
    if (!rt_program_tables_hold(tables, image)) return;
    tables->images.items[image->id] = NULL;
    for (uint32_t i = 0; i < image->image->kernel_count; i++)
        name_table_remove(&tables->kernels, image->image->kernels[i], image);
    const rt_property_set *exports = exports_of(image);
    for (uint32_t i = 0; exports && i < exports->property_count; i++)
        name_table_remove(&tables->exporters, exports->properties[i].name, image);
}

bool rt_program_tables_hold(const rt_program_tables *tables, const rt_registered_image *image)
{
    return image->id < tables->images.count && tables->images.items[image->id] == image;
}

const rt_image_group *rt_name_table_find(const rt_name_table *table, rt_text name)
{
    uint32_t index = rt_map_find(&table->index, name);
    return index == RT_MAP_NONE ? &no_images : &table->groups.items[index];
}
