/* Builds keys (persistent_key.h). */
#include "reference/program/persistent_key.h"

#include <stdlib.h>
#include <string.h>

/* Incremented with every change to the contents of keys or entries. */
enum { KEY_VERSION = 1 };

/* ---- The order of images ------------------------------------------------------------------- */

/* An image with its sort key. */
typedef struct ordered_image {
    const rt_registered_image *image;
    rt_text names;
} ordered_image;

/* The names of the symbols that the image defines, as one text allocated in the arena. */
static rt_text names_text(rt_arena *arena, const rt_image *image)
{
    const rt_property_set *exported = rt_image_set(image, RT_SET_EXPORTED_SYMBOLS);
    uint32_t exported_count = exported ? exported->property_count : 0, count = 0;
    rt_text *names =
        rt_arena_alloc_array(arena, (size_t)image->kernel_count + exported_count, sizeof *names);
    for (uint32_t i = 0; i < image->kernel_count; i++)
        names[count++] = image->kernels[i];
    for (uint32_t i = 0; i < exported_count; i++)
        names[count++] = exported->properties[i].name;
    if (count > 0) qsort(names, count, sizeof *names, rt_text_order);
    rt_buffer text = {0};
    for (uint32_t i = 0; i < count; i++) {
        rt_buffer_append_text(&text, names[i]);
        rt_buffer_append_byte(&text, '\0');
    }
    rt_text copy = rt_arena_text(arena, rt_buffer_text(&text));
    rt_buffer_free(&text);
    return copy;
}

static rt_text code_text(const rt_image *image)
{
    return (rt_text){(const char *)image->code.data, image->code.size};
}

static int compare_images(const void *left, const void *right)
{
    const ordered_image *a = left, *b = right;
    const rt_image *first = a->image->image, *second = b->image->image;
    int order = RULE(DL_PCACHE_04, rt_text_compare(a->names, b->names));
    if (order == 0) order = rt_text_compare(code_text(first), code_text(second));
    return order;
}

void rt_persistent_sort(rt_image_sequence *images)
{
    rt_arena arena = {0};
    ordered_image *ordered = rt_arena_alloc_array(&arena, images->count, sizeof *ordered);
    for (uint32_t i = 0; i < images->count; i++) {
        const rt_registered_image *image = images->items[i];
        ordered[i] = (ordered_image){image, names_text(&arena, image->image)};
    }
    qsort(ordered, images->count, sizeof *ordered, compare_images);
    for (uint32_t i = 0; i < images->count; i++)
        images->items[i] = ordered[i].image;
    rt_arena_reset(&arena);
}

/* ---- The key ------------------------------------------------------------------------------- */

void rt_persistent_image_part(rt_buffer *out, const rt_image_sequence *images)
{
    for (uint32_t i = 0; i < images->count; i++) {
        rt_bytes code = images->items[i]->image->code;
        RULE(DL_PCACHE_02, rt_buffer_append(out, code.data, code.size));
    }
}

/* The images that the key covers, which are those of the link set (DL-PCACHE-01, DL-PCACHE-05), in
 * key order; the caller frees the list. */
static rt_image_sequence covered_images(const rt_link_set *set)
{
    rt_image_sequence images = {0};
    for (uint32_t i = 0; i < set->images.count; i++)
        *rt_vector_push(&images) = set->images.items[i];
    RULE(DL_PCACHE_03, rt_persistent_sort(&images));
    return images;
}

void rt_persistent_key(rt_buffer *out, const rt_program_manager *manager,
                       const rt_build_target *target, const rt_link_set *set)
{
    CHECK(set->images.count >= 1);
    const rt_image *requesting = set->images.items[0]->image;
    rt_image_sequence images = covered_images(set);
    rt_arena arena = {0};
    rt_write_u32(out, KEY_VERSION);
    rt_write_text(out, target->device->capabilities.name);
    rt_write_text(out, target->device->capabilities.driver);
    rt_write_u32(out, requesting->format);
    rt_write_text(out, requesting->link_options);
    RULE(DL_PCACHE_06, rt_write_text(out, target->options));
    rt_write_u32(out,
                 manager->profile); /* it determines how options and single images are treated */
    rt_write_u32(out, images.count);
    /* First everything but the code of each image, then the code of all images. */
    for (uint32_t i = 0; i < images.count; i++) {
        const rt_image *image = images.items[i]->image;
        dev_spec_constant *constants = NULL;
        uint32_t count = rt_spec_list_of_image(&arena, target->constants, image, &constants);
        rt_write_u64(out, image->code.size);
        rt_write_text(out, image->compile_options);
        rt_write_u32(out, count);
        for (uint32_t k = 0; k < count; k++) {
            rt_write_u32(out, constants[k].id);
            RULE(DL_PCACHE_06, rt_write_bytes(out, constants[k].value));
        }
    }
    rt_persistent_image_part(out, &images);
    rt_vector_free(&images);
    rt_arena_reset(&arena);
}
