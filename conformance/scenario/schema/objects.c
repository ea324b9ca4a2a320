/* Collects the objects of the format's table for the JSON Schema and the reference page. */
#include "conformance/scenario/schema/objects.h"

#include <ctype.h>
#include <string.h>

static const scn_named_object *object_find(const scn_objects *objects, const scn_shape *shape)
{
    for (uint32_t i = 0; i < objects->list.count; i++)
        if (objects->list.items[i].shape == shape) return &objects->list.items[i];
    return NULL;
}

/* "a covered rule" -> "Covered rule", followed by a number if another object already has that
 * title. */
static rt_text title_make(rt_arena *arena, const scn_objects *objects, const char *noun)
{
    const char *blank = strchr(noun, ' ');
    CHECK(blank && blank[1]); /* every noun begins with an article */
    const char *rest = blank + 2;
    char first = (char)toupper((unsigned char)blank[1]);
    rt_text title = rt_arena_printf(arena, "%c%s", first, rest);
    uint32_t number = 1, i = 0;
    while (i < objects->list.count) {
        bool is_used = rt_text_equal(objects->list.items[i].title, title);
        if (is_used) title = rt_arena_printf(arena, "%c%s %u", first, rest, ++number);
        i = is_used ? 0 : i + 1;
    }
    return title;
}

/* Keeps letters (in lower case), digits, '-' and '_', replaces blanks with '-', and drops all other
 * characters. */
static rt_text anchor_of(rt_arena *arena, rt_text title)
{
    rt_text copy = rt_arena_text(arena, title);
    char *characters = (char *)copy.data;
    size_t length = 0;
    for (size_t i = 0; i < copy.length; i++) {
        unsigned char character = (unsigned char)title.data[i];
        if (isalnum(character) || character == '-' || character == '_')
            characters[length++] = (char)tolower(character);
        else if (character == ' ')
            characters[length++] = '-';
    }
    characters[length] = '\0';
    return (rt_text){characters, length};
}

/* Adds the shape if it is an object, otherwise the objects that it directly leads to. */
static void shape_collect(rt_arena *arena, const scn_shape *shape, scn_objects *out)
{
    switch (shape->kind) {
    case SCN_SHAPE_LIST:
    case SCN_SHAPE_MAP: shape_collect(arena, shape->element, out); return;
    case SCN_SHAPE_OTHER:
        for (uint32_t i = 0; i < SCN_ALTERNATIVE_COUNT_MAX && shape->alternatives[i]; i++)
            shape_collect(arena, shape->alternatives[i], out);
        return;
    case SCN_SHAPE_OBJECT:
        if (!object_find(out, shape)) {
            rt_text title = title_make(arena, out, shape->noun);
            *rt_vector_push(&out->list) = (scn_named_object){shape, title, anchor_of(arena, title)};
        }
        return;
    default: return; /* scalars hold nothing */
    }
}

void scn_objects_find(rt_arena *arena, const scn_shape *root, scn_objects *out_objects)
{
    *out_objects = (scn_objects){0};
    shape_collect(arena, root, out_objects);
    for (uint32_t i = 0; i < out_objects->list.count; i++) {
        const scn_shape *shape = out_objects->list.items[i].shape;
        for (uint32_t j = 0; j < shape->row_count; j++)
            if (scn_row_is_documented(&shape->rows[j]))
                shape_collect(arena, shape->rows[j].shape, out_objects);
    }
}

rt_text scn_objects_name(const scn_objects *objects, const scn_shape *shape)
{
    const scn_named_object *object = object_find(objects, shape);
    CHECK(object);
    return object->name;
}
