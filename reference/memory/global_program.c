/* What the images of a program tell of variables, when the program is made and when it goes. */
#include "reference/memory/global_internal.h"

/* Enters what an image tells of a variable.  The first who tells it is believed. */
static void describe(rt_global_database *database, rt_global_entry *entry,
                     const rt_program *program, rt_device_global_value value)
{
    if (!RULE(DG_DB_04)) return; /* Broken: images are asked only when a copy needs to know. */
    if (entry->size == 0) {
        entry->size = RULE_ELSE(DG_DB_02, value.size, 8u); /* Broken: all are pointers. */
        entry->image_scope = value.image_scope;
    }
    RT_TRACE(database->parameters.trace, DEVICE_GLOBAL_DESCRIBE, RT_T("id", entry->unique_id),
             RT_N("size", value.size),
             RT_T("image_scope", value.image_scope ? RT_TEXT("true") : RT_TEXT("false")),
             RT_N("program", program->id));
}

static bool is_listed(const rt_program_globals *globals, const rt_global_entry *entry)
{
    for (uint32_t i = 0; i < globals->list.count; i++) {
        if (globals->list.items[i].entry == entry) return true;
    }
    return false;
}

/* Several images of a program may have one variable, which they share by its symbol. */
static void image_scan(rt_global_database *database, const rt_program *program,
                       const rt_image *image, rt_program_globals *globals)
{
    const rt_property_set *set = rt_image_set(image, RT_SET_DEVICE_GLOBALS);
    for (uint32_t i = 0; set && i < set->property_count; i++) {
        rt_device_global_value value;
        const rt_property *property = &set->properties[i];
        if (property->name.length == 0 || !rt_device_global_value_read(property, &value)) {
            globals->damaged = rt_arena_text(&database->arena, image->name);
            continue;
        }
        rt_global_entry *entry = rt_global_entry_of(database, property->name);
        describe(database, entry, program, value);
        if (is_listed(globals, entry)) continue;
        *rt_vector_push(&globals->list) = (rt_program_global){
            .entry = entry,
            .size = value.size,
            .image_scope = value.image_scope,
            .point = RT_GLOBAL_COMMAND_NONE,
        };
    }
}

void rt_global_program_made(void *user, const rt_program *program)
{
    rt_global_database *database = user;
    pthread_mutex_lock(&database->lock);
    while (database->programs.count <= program->id)
        *rt_vector_push(&database->programs) = NULL;
    CHECK(!database->programs.items[program->id]);
    rt_program_globals *globals = rt_alloc(sizeof *globals);
    database->programs.items[program->id] = globals;
    for (uint32_t i = 0; i < rt_program_image_count(program); i++) {
        if (i > 0 && !RULE(DG_INIT_02)) break; /* Broken: only the requesting image. */
        image_scan(database, program, rt_program_image(program, i), globals);
    }
    pthread_mutex_unlock(&database->lock);
}

void rt_global_program_going(void *user, const rt_program *program)
{
    rt_global_database *database = user;
    pthread_mutex_lock(&database->lock);
    CHECK(program->id < database->programs.count);
    rt_program_globals *globals = database->programs.items[program->id];
    CHECK(globals);
    database->programs.items[program->id] = NULL;
    pthread_mutex_unlock(&database->lock);
    for (uint32_t i = 0; i < globals->list.count; i++)
        rt_memory_destroy(globals->list.items[i].variable);
    rt_vector_free(&globals->list);
    rt_free(globals);
}

rt_program_globals *rt_global_database_program(rt_global_database *database,
                                               const rt_program *program)
{
    pthread_mutex_lock(&database->lock);
    CHECK(program->id < database->programs.count);
    rt_program_globals *globals = database->programs.items[program->id];
    pthread_mutex_unlock(&database->lock);
    CHECK(globals);
    return globals;
}
