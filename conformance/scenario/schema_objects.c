/* Walking the table of the format.  What the walk is for, its users know. */
#include "conformance/scenario/schema_objects.h"

#include <string.h>

static const scn_named_object *object_find(const scn_objects *objects, const scn_shape *shape)
{
    for (uint32_t i = 0; i < objects->list.count; i++)
        if (objects->list.items[i].shape == shape) return &objects->list.items[i];
    return NULL;
}

/* "a memory" -> "memory", "the list of steps" -> "list-of-steps"; a number behind it where another
 * object has that noun too. */
static rt_text name_make(rt_arena *arena, const scn_objects *objects, const char *noun)
{
    const char *blank = strchr(noun, ' ');
    CHECK(blank); /* nouns have an article */
    rt_text plain = rt_arena_text(arena, rt_text_of(blank + 1));
    char *characters = (char *)plain.data;
    for (size_t i = 0; i < plain.length; i++)
        if (characters[i] == ' ') characters[i] = '-';
    rt_text name = plain;
    uint32_t number = 1;
    for (uint32_t i = 0; i < objects->list.count; i++) {
        if (!rt_text_equal(objects->list.items[i].name, name)) continue;
        name = rt_arena_printf(arena, "%s-%u", plain.data, ++number);
        i = UINT32_MAX; /* from the beginning */
    }
    return name;
}

/* Adds the objects that the shape itself is or leads to without passing through an object. */
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
            rt_text name = name_make(arena, out, shape->noun);
            *rt_vector_push(&out->list) = (scn_named_object){shape, name};
        }
        return;
    default: return; /* scalars hold nothing */
    }
}

void scn_objects_find(rt_arena *arena, scn_objects *out_objects)
{
    *out_objects = (scn_objects){0};
    shape_collect(arena, &scn_shape_scenario, out_objects);
    for (uint32_t i = 0; i < out_objects->list.count; i++) {
        const scn_shape *shape = out_objects->list.items[i].shape;
        for (uint32_t j = 0; j < shape->row_count; j++)
            if (shape->rows[j].shape) shape_collect(arena, shape->rows[j].shape, out_objects);
    }
}

rt_text scn_objects_name(const scn_objects *objects, const scn_shape *shape)
{
    const scn_named_object *object = object_find(objects, shape);
    CHECK(object);
    return object->name;
}
