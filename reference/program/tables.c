/* Symbol sets and name tables over registered images. */
#include "reference/program/tables.h"

#include "reference/image/virtual_functions.h"
#include "reference/program/combination.h"

static const rt_image_group no_images;
static const rt_set_group no_sets;

/* ---- Groups of images --------------------------------------------------------------------- */

static void group_add(rt_image_group *group, const rt_registered_image *image)
{
    /* If an image lists a name twice, it is already the newest entry of the group. */
    uint32_t count = group->images.count;
    if (count > 0 && group->images.items[count - 1] == image) return;
    CHECK(image->registered);
    *rt_vector_push(&group->images) = image;
}

/* Images are usually removed newest first, so the search starts at the end. */
static void group_remove(rt_image_group *group, const rt_registered_image *image)
{
    uint32_t at = group->images.count;
    while (at > 0 && group->images.items[at - 1] != image)
        at--;
    if (at == 0) return; /* the image lists the name twice */
    for (; at < group->images.count; at++)
        group->images.items[at - 1] = group->images.items[at];
    group->images.count--;
}

/* Like group_remove, for ids of combinations. */
static void set_group_remove(rt_set_group *group, rt_set_id id)
{
    uint32_t at = group->ids.count;
    while (at > 0 && group->ids.items[at - 1] != id)
        at--;
    if (at == 0) return;
    for (; at < group->ids.count; at++)
        group->ids.items[at - 1] = group->ids.items[at];
    group->ids.count--;
}

/* ---- Kernels ------------------------------------------------------------------------------ */

/* Adds the image to the group of a name.  The name is not copied: its bytes belong to an image, and
 * images outlive the registry's users. */
static void name_add(rt_map *index, rt_image_groups *groups, rt_text name,
                     const rt_registered_image *image)
{
    uint32_t place = rt_map_find(index, name);
    CHECK_IMPLIES(place != RT_MAP_NONE, place < groups->count);
    if (place == RT_MAP_NONE) {
        place = groups->count;
        *rt_vector_push(groups) = (rt_image_group){0};
        rt_map_set(index, name, place);
    }
    group_add(&groups->items[place], image);
}

const rt_image_group *rt_program_tables_kernel(const rt_program_tables *tables, rt_text kernel)
{
    uint32_t index = rt_map_find(&tables->kernel_index, kernel);
    CHECK_IMPLIES(index != RT_MAP_NONE, index < tables->kernels.count);
    return index == RT_MAP_NONE ? &no_images : &tables->kernels.items[index];
}

bool rt_image_group_has_module(const rt_image_group *group, rt_module_id module)
{
    for (uint32_t i = 0; i < group->images.count; i++)
        if (group->images.items[i]->module == module) return true;
    return false;
}

/* ---- Combinations of symbols -------------------------------------------------------------- */

static const rt_property_set *exports_of(const rt_registered_image *image)
{
    return RULE(DL_IMAGE_06, rt_image_set(image->image, RT_SET_EXPORTED_SYMBOLS));
}

/* The id of an image's combination; if `make` is set, it is created if it does not exist
 * (DL-SET-01). */
static rt_set_id combination_of(rt_program_tables *tables, const rt_registered_image *image,
                                bool make)
{
    rt_buffer text = {0};
    rt_combination_write(&text, image->image, exports_of(image));
    rt_set_id id = rt_map_find(&tables->combinations, rt_buffer_text(&text));
    if (make && id == RT_MAP_NONE) {
        id = tables->sets.count;
        *rt_vector_push(&tables->sets) = (rt_image_group){0};
        rt_map_set(&tables->combinations, rt_arena_text(&tables->arena, rt_buffer_text(&text)), id);
    }
    rt_buffer_free(&text);
    CHECK_IMPLIES(id != RT_MAP_NONE, id < tables->sets.count);
    CHECK_IMPLIES(make, id != RT_MAP_NONE);
    return id;
}

const rt_image_group *rt_program_tables_set(const rt_program_tables *tables, rt_set_id id)
{
    CHECK(id < tables->sets.count);
    return &tables->sets.items[id];
}

/* ---- Symbols of modules ------------------------------------------------------------------- */

static void module_symbol_write(rt_buffer *out, rt_module_id module, rt_text symbol)
{
    RULE(DL_SET_02, rt_write_u32(out, module));
    rt_buffer_append_text(out, symbol);
}

rt_set_id rt_program_tables_symbol(const rt_program_tables *tables, rt_module_id module,
                                   rt_text symbol)
{
    rt_buffer key = {0};
    module_symbol_write(&key, module, symbol);
    rt_set_id id = rt_map_find(&tables->module_symbols, rt_buffer_text(&key));
    rt_buffer_free(&key);
    return id == RT_MAP_NONE ? RT_SET_NONE : id;
}

static void module_symbol_add(rt_program_tables *tables, rt_module_id module, rt_text symbol,
                              rt_set_id id)
{
    rt_set_id existing = rt_program_tables_symbol(tables, module, symbol);
    if (RULE(DL_SET_03, existing != RT_SET_NONE)) return;
    rt_buffer key = {0};
    module_symbol_write(&key, module, symbol);
    rt_map_set(&tables->module_symbols, rt_arena_text(&tables->arena, rt_buffer_text(&key)), id);
    rt_buffer_free(&key);
}

static void module_symbol_remove(rt_program_tables *tables, rt_module_id module, rt_text symbol,
                                 rt_set_id id)
{
    rt_buffer key = {0};
    module_symbol_write(&key, module, symbol);
    if (rt_map_find(&tables->module_symbols, rt_buffer_text(&key)) == id)
        rt_map_remove(&tables->module_symbols, rt_buffer_text(&key));
    rt_buffer_free(&key);
}

/* ---- Exporters ---------------------------------------------------------------------------- */

static void exporter_add(rt_program_tables *tables, rt_text symbol, rt_set_id id)
{
    uint32_t index = rt_map_find(&tables->exporter_index, symbol);
    if (index == RT_MAP_NONE) {
        index = tables->exporters.count;
        *rt_vector_push(&tables->exporters) = (rt_set_group){0};
        rt_map_set(&tables->exporter_index, symbol, index);
    }
    rt_set_group *group = &tables->exporters.items[index];
    uint32_t count = group->ids.count;
    if (count > 0 && group->ids.items[count - 1] == id) return; /* the image lists the name twice */
    *rt_vector_push(&group->ids) = id;
}

const rt_set_group *rt_program_tables_exporters(const rt_program_tables *tables, rt_text symbol)
{
    uint32_t index = rt_map_find(&tables->exporter_index, symbol);
    CHECK_IMPLIES(index != RT_MAP_NONE, index < tables->exporters.count);
    return index == RT_MAP_NONE ? &no_sets : &tables->exporters.items[index];
}

/* ---- Sets of virtual functions ------------------------------------------------------------ */

const rt_image_group *rt_program_tables_function_set(const rt_program_tables *tables, rt_text name)
{
    uint32_t index = rt_map_find(&tables->function_set_index, name);
    CHECK_IMPLIES(index != RT_MAP_NONE, index < tables->function_sets.count);
    return index == RT_MAP_NONE ? &no_images : &tables->function_sets.items[index];
}

/* Enters the image under its sets of virtual functions, or removes it from them: the set that it
 * provides and, in profile dpcpp, the sets that it uses. */
static void function_sets_change(rt_program_tables *tables, const rt_registered_image *image,
                                 bool enter)
{
    rt_virtual_functions functions; /* empty if the property set is damaged */
    (void)rt_virtual_functions_read(image->image, &functions);
    rt_text uses = tables->profile == RT_PROFILE_DPCPP ? functions.uses : (rt_text){0};
    rt_text name = functions.provides;
    bool found = name.length > 0 || rt_set_names_next(&uses, &name);
    for (; found; found = rt_set_names_next(&uses, &name)) {
        if (enter) {
            name_add(&tables->function_set_index, &tables->function_sets, name, image);
            continue;
        }
        uint32_t index = rt_map_find(&tables->function_set_index, name);
        CHECK(index != RT_MAP_NONE);
        group_remove(&tables->function_sets.items[index], image);
    }
}

/* ---- Adding and removing images ----------------------------------------------------------- */

/* Enters the image into the vector of its combination.  The exports of a combination, which are the
 * same for all its images, are entered with the first. */
static void set_add(rt_program_tables *tables, const rt_registered_image *image)
{
    rt_set_id id = combination_of(tables, image, true);
    rt_image_group *set = &tables->sets.items[id];
    bool first = set->images.count == 0;
    group_add(set, image);
    CHECK(set->images.count > 0 && set->images.items[set->images.count - 1] == image);
    const rt_property_set *exports = exports_of(image);
    for (uint32_t i = 0; exports && i < exports->property_count; i++) {
        if (first) exporter_add(tables, exports->properties[i].name, id);
        module_symbol_add(tables, image->module, exports->properties[i].name, id);
    }
    for (uint32_t i = 0; i < image->image->kernel_count; i++)
        module_symbol_add(tables, image->module, image->image->kernels[i], id);
}

static void set_remove(rt_program_tables *tables, const rt_registered_image *image)
{
    rt_set_id id = combination_of(tables, image, false);
    CHECK(id != RT_MAP_NONE);
    rt_image_group *set = &tables->sets.items[id];
    group_remove(set, image);
    const rt_property_set *exports = exports_of(image);
    for (uint32_t i = 0; exports && set->images.count == 0 && i < exports->property_count; i++) {
        uint32_t index = rt_map_find(&tables->exporter_index, exports->properties[i].name);
        CHECK(index != RT_MAP_NONE);
        set_group_remove(&tables->exporters.items[index], id);
    }
    /* The module keeps these symbols as long as it has another image of the combination. */
    for (uint32_t i = 0; i < set->images.count; i++)
        if (set->images.items[i]->module == image->module) return;
    for (uint32_t i = 0; exports && i < exports->property_count; i++)
        module_symbol_remove(tables, image->module, exports->properties[i].name, id);
    for (uint32_t i = 0; i < image->image->kernel_count; i++)
        module_symbol_remove(tables, image->module, image->image->kernels[i], id);
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
        /* In shipped DPC++ a kernel with the name of a symbol that is already exported cannot be
         * launched (requirements.yaml, key dpcpp, tag A14). */
        bool is_hidden = tables->profile == RT_PROFILE_DPCPP &&
                         rt_program_tables_exporters(tables, kernel)->ids.count > 0;
        if (!is_hidden) name_add(&tables->kernel_index, &tables->kernels, kernel, image);
    }
    set_add(tables, image);
    function_sets_change(tables, image, true);
    CHECK(rt_program_tables_hold(tables, image));
}

void rt_program_tables_remove(rt_program_tables *tables, const rt_registered_image *image)
{
    if (!rt_program_tables_hold(tables, image)) return;
    tables->images.items[image->id] = NULL;
    for (uint32_t i = 0; i < image->image->kernel_count; i++) {
        uint32_t index = rt_map_find(&tables->kernel_index, image->image->kernels[i]);
        /* A kernel whose name is also an exported symbol may have no entry. */
        if (index != RT_MAP_NONE) group_remove(&tables->kernels.items[index], image);
    }
    set_remove(tables, image);
    function_sets_change(tables, image, false);
    CHECK(!rt_program_tables_hold(tables, image));
}

bool rt_program_tables_hold(const rt_program_tables *tables, const rt_registered_image *image)
{
    return image->id < tables->images.count && tables->images.items[image->id] == image;
}

void rt_program_tables_free(rt_program_tables *tables)
{
    for (uint32_t i = 0; i < tables->kernels.count; i++)
        rt_vector_free(&tables->kernels.items[i].images);
    for (uint32_t i = 0; i < tables->exporters.count; i++)
        rt_vector_free(&tables->exporters.items[i].ids);
    for (uint32_t i = 0; i < tables->sets.count; i++)
        rt_vector_free(&tables->sets.items[i].images);
    for (uint32_t i = 0; i < tables->function_sets.count; i++)
        rt_vector_free(&tables->function_sets.items[i].images);
    rt_vector_free(&tables->function_sets);
    rt_map_free(&tables->function_set_index);
    rt_vector_free(&tables->kernels);
    rt_vector_free(&tables->exporters);
    rt_vector_free(&tables->sets);
    rt_vector_free(&tables->images);
    rt_map_free(&tables->kernel_index);
    rt_map_free(&tables->exporter_index);
    rt_map_free(&tables->combinations);
    rt_map_free(&tables->module_symbols);
    rt_arena_reset(&tables->arena);
}
