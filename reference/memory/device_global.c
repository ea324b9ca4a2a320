/* The database: entries that host code registers and images describe, and the variables of
 * programs.
 *
 *                           address      size, image scope   found by its id
 *   created by an image     NONE         described           yes
 *   created by host code    a new one    unknown             yes
 *   created by both         a new one    described           yes
 *   last module unloaded    NONE         as before           no: the next is another entry */
#include "reference/memory/global_internal.h"

#include "reference/base/lock.h"

/* ---- Checking ----------------------------------------------------------------------------- */

/* Checks what the database's lock guards.  Instances and values belong to the scheduler
 * (global_content.c). */
static bool database_check(const rt_global_database *database)
{
    for (uint32_t i = 0; i < database->entries.count; i++) {
        const rt_global_entry *entry = database->entries.items[i];
        CHECK(entry->unique_id.length > 0);
        CHECK((entry->registration_count > 0) == (entry->address != RT_HOST_ADDRESS_NONE));
        if (entry->registration_count == 0) continue;
        CHECK(entry->address < database->addresses.count);
        CHECK(database->addresses.items[entry->address] == entry);
        CHECK(rt_map_find(&database->ids, entry->unique_id) == i);
    }
    for (uint32_t i = 0; i < database->addresses.count; i++) {
        const rt_global_entry *entry = database->addresses.items[i];
        CHECK_IMPLIES(entry, entry->address == i);
    }
    for (uint32_t i = 0; i < database->programs.count; i++) {
        const rt_program_globals *globals = database->programs.items[i];
        for (uint32_t g = 0; globals && g < globals->list.count; g++) {
            CHECK(globals->list.items[g].entry->size > 0);
            for (uint32_t k = 0; k < g; k++)
                CHECK(globals->list.items[k].entry != globals->list.items[g].entry);
        }
    }
    return true;
}

static void database_lock(rt_global_database *database)
{
    rt_lock_take(&database->lock);
    CHECK_SLOW(database_check(database));
}

static void database_unlock(rt_global_database *database)
{
    CHECK_SLOW(database_check(database));
    rt_lock_release(&database->lock);
}

/* ---- Life --------------------------------------------------------------------------------- */

rt_global_database *rt_global_database_create(const rt_global_database_parameters *parameters)
{
    CHECK(parameters->sink && parameters->trace && parameters->memory_id);
    rt_global_database *database = rt_alloc(sizeof *database);
    database->parameters = *parameters;
    rt_lock_init(&database->lock);
    return database;
}

void rt_global_database_destroy(rt_global_database *database)
{
    for (uint32_t i = 0; i < database->programs.count; i++)
        CHECK(!database->programs.items[i]);
    rt_vector_free(&database->programs);
    for (uint32_t i = 0; i < database->entries.count; i++) {
        rt_global_entry *entry = database->entries.items[i];
        for (uint32_t k = 0; k < entry->instances.count; k++) {
            rt_memory_destroy(entry->instances.items[k]->memory);
            rt_free(entry->instances.items[k]);
        }
        rt_vector_free(&entry->instances);
        for (uint32_t k = 0; k < entry->values.count; k++)
            rt_memory_destroy(entry->values.items[k].memory);
        rt_vector_free(&entry->values);
        rt_free(entry);
    }
    rt_vector_free(&database->entries);
    rt_vector_free(&database->addresses);
    rt_map_free(&database->ids);
    rt_arena_reset(&database->arena);
    pthread_mutex_destroy(&database->lock);
    rt_free(database);
}

/* ---- Entries ------------------------------------------------------------------------------- */

static rt_global_entry *entry_find(const rt_global_database *database, rt_text unique_id)
{
    uint32_t index = rt_map_find(&database->ids, unique_id);
    CHECK_IMPLIES(index != RT_MAP_NONE, index < database->entries.count);
    return index == RT_MAP_NONE ? NULL : database->entries.items[index];
}

static rt_global_entry *entry_make(rt_global_database *database, rt_text unique_id)
{
    rt_global_entry *entry = rt_alloc(sizeof *entry);
    entry->unique_id = rt_arena_text(&database->arena, unique_id);
    entry->name = entry->unique_id;
    entry->address = RT_HOST_ADDRESS_NONE;
    rt_map_set(&database->ids, entry->unique_id, database->entries.count);
    *rt_vector_push(&database->entries) = entry;
    return entry;
}

/* The entry with the given unique id, created if there is none.  Called with the lock held. */
static rt_global_entry *entry_of(rt_global_database *database, rt_text unique_id)
{
    CHECK(unique_id.length > 0);
    rt_global_entry *entry = RULE(DG_DB_01, entry_find(database, unique_id));
    return entry ? entry : entry_make(database, unique_id);
}

/* ---- Host code ----------------------------------------------------------------------------- */

void rt_global_database_add(rt_global_database *database, const rt_device_global *global)
{
    CHECK(global->unique_id.length > 0 && global->size >= 1);
    database_lock(database);
    rt_global_entry *entry = entry_of(database, global->unique_id);
    if (entry->registration_count++ == 0) {
        entry->name = rt_arena_text(&database->arena, global->name);
        entry->host_access = global->host_access;
        CHECK(global->initial.size == 0 || global->initial.size == global->size);
        entry->initial = rt_arena_bytes(&database->arena, global->initial);
        entry->address = database->addresses.count;
        *rt_vector_push(&database->addresses) = entry;
    }
    CHECK(entry->address < database->addresses.count);
    database_unlock(database);
}

void rt_global_database_remove(rt_global_database *database, const rt_device_global *global)
{
    database_lock(database);
    rt_global_entry *entry = entry_find(database, global->unique_id);
    CHECK(entry && entry->registration_count > 0);
    if (--entry->registration_count == 0) {
        /* The host object no longer exists, so its address becomes invalid; an object that is
         * registered later is a different object. */
        CHECK(entry->address < database->addresses.count);
        CHECK(database->addresses.items[entry->address] == entry);
        database->addresses.items[entry->address] = NULL;
        entry->address = RT_HOST_ADDRESS_NONE;
        rt_map_remove(&database->ids, entry->unique_id);
    }
    database_unlock(database);
}

/* ---- Programs ----------------------------------------------------------------------------- */

/* Records an image's description of its variables (the first description of a variable counts) and
 * lists them for the program.  Several images of a program may have the same variable, which they
 * share through its symbol. */
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
        rt_global_entry *entry = entry_of(database, property->name);
        if (RULE(DG_DB_04, entry->size == 0)) {
            entry->size = RULE(DG_DB_02, value.size);
            entry->image_scope = value.image_scope;
        }
        RT_TRACE(database->parameters.trace, DEVICE_GLOBAL_DESCRIBE, RT_T("id", entry->unique_id),
                 RT_N("size", value.size),
                 RT_T("image_scope", value.image_scope ? RT_TEXT("true") : RT_TEXT("false")),
                 RT_N("program", program->id));
        bool is_listed = false;
        for (uint32_t k = 0; k < globals->list.count; k++)
            is_listed = is_listed || globals->list.items[k].entry == entry;
        if (is_listed) continue;
        *rt_vector_push(&globals->list) = (rt_program_global){
            .entry = entry,
            .size = value.size,
            .image_scope = value.image_scope,
            .point = RT_GLOBAL_COMMAND_NONE,
        };
    }
}

void rt_global_program_created(void *user, const rt_program *program)
{
    rt_global_database *database = user;
    database_lock(database);
    while (database->programs.count <= program->id)
        *rt_vector_push(&database->programs) = NULL;
    CHECK(!database->programs.items[program->id]);
    rt_program_globals *globals = rt_alloc(sizeof *globals);
    database->programs.items[program->id] = globals;
    for (uint32_t i = 0; i < rt_program_image_count(program); i++) {
        image_scan(database, program, rt_program_image(program, i), globals);
    }
    database_unlock(database);
}

void rt_global_program_released(void *user, const rt_program *program)
{
    rt_global_database *database = user;
    database_lock(database);
    CHECK(program->id < database->programs.count);
    rt_program_globals *globals = database->programs.items[program->id];
    CHECK(globals != NULL);
    database->programs.items[program->id] = NULL;
    database_unlock(database);
    for (uint32_t i = 0; i < globals->list.count; i++)
        rt_memory_destroy(globals->list.items[i].variable);
    rt_vector_free(&globals->list);
    rt_free(globals);
}

/* ---- Look-up ------------------------------------------------------------------------------- */

rt_host_address rt_global_database_address(rt_global_database *database, rt_text unique_id)
{
    database_lock(database);
    const rt_global_entry *entry = entry_find(database, unique_id);
    rt_host_address address = entry ? entry->address : RT_HOST_ADDRESS_NONE;
    database_unlock(database);
    return address;
}

rt_global_entry *rt_global_database_find(rt_global_database *database, rt_host_address address)
{
    database_lock(database);
    rt_global_entry *entry = NULL;
    if (address < database->addresses.count)
        entry = database->addresses.items[RULE(DG_FE_05, address)];
    database_unlock(database);
    return entry;
}

void rt_global_database_found(rt_global_database *database, const rt_global_entry *entry)
{
    RT_TRACE(database->parameters.trace, DEVICE_GLOBAL_FIND, RT_T("variable", entry->name),
             RT_T("id", entry->unique_id));
}

rt_global_entry *rt_global_database_entry(rt_global_database *database, rt_text unique_id)
{
    database_lock(database);
    rt_global_entry *entry = entry_find(database, unique_id);
    database_unlock(database);
    return entry;
}

rt_program_globals *rt_global_database_program(rt_global_database *database,
                                               const rt_program *program)
{
    database_lock(database);
    CHECK(program->id < database->programs.count);
    rt_program_globals *globals = database->programs.items[program->id];
    database_unlock(database);
    CHECK(globals != NULL);
    return globals;
}
