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
    CHECK(index != RT_MAP_NONE);
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
}

/* Calls `change` for every kernel and every exported symbol of the image. */
static void for_each_name(rt_program_tables *tables, const rt_registered_image *image,
                          void (*change)(rt_name_table *, rt_text, const rt_registered_image *))
{
    const rt_image *content = image->image;
    for (uint32_t i = 0; i < content->kernel_count; i++) {
        change(&tables->kernels, content->kernels[i], image);
    }
    const rt_property_set *exports =
        RULE_ELSE(DL_IMAGE_06, rt_image_set(content, RT_SET_EXPORTED_SYMBOLS), NULL);
    for (uint32_t i = 0; exports && i < exports->property_count; i++) {
        change(&tables->exporters, exports->properties[i].name, image);
    }
}

void rt_program_tables_add(rt_program_tables *tables, const rt_registered_image *image)
{
    CHECK(image->registered);
    for_each_name(tables, image, name_table_add);
}

void rt_program_tables_remove(rt_program_tables *tables, const rt_registered_image *image)
{
    for_each_name(tables, image, name_table_remove);
}

const rt_image_group *rt_name_table_find(const rt_name_table *table, rt_text name)
{
    uint32_t index = rt_map_find(&table->index, name);
    return index == RT_MAP_NONE ? &no_images : &table->groups.items[index];
}
