/* Entries: made by host code or by images, found by id or address. */
#include "reference/memory/global_internal.h"

rt_global_database *rt_global_database_create(const rt_global_database_parameters *parameters)
{
    CHECK(parameters->sink && parameters->trace && parameters->memory_id);
    rt_global_database *database = rt_alloc(sizeof *database);
    database->parameters = *parameters;
    pthread_mutex_init(&database->lock, NULL);
    return database;
}

static void entry_destroy(rt_global_entry *entry)
{
    for (uint32_t i = 0; i < entry->instances.count; i++) {
        rt_memory_destroy(entry->instances.items[i]->memory);
        rt_free(entry->instances.items[i]);
    }
    rt_vector_free(&entry->instances);
    for (uint32_t i = 0; i < entry->values.count; i++)
        rt_memory_destroy(entry->values.items[i].memory);
    rt_vector_free(&entry->values);
    rt_free(entry);
}

void rt_global_database_destroy(rt_global_database *database)
{
    if (!database) return;
    for (uint32_t i = 0; i < database->programs.count; i++)
        CHECK(!database->programs.items[i]);
    rt_vector_free(&database->programs);
    for (uint32_t i = 0; i < database->entries.count; i++)
        entry_destroy(database->entries.items[i]);
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

rt_global_entry *rt_global_entry_of(rt_global_database *database, rt_text unique_id)
{
    CHECK(unique_id.length > 0);
    rt_global_entry *entry = entry_find(database, unique_id);
    return entry ? entry : entry_make(database, unique_id);
}

/* ---- Host code ----------------------------------------------------------------------------- */

void rt_global_database_add(rt_global_database *database, const rt_device_global *global)
{
    CHECK(global->unique_id.length > 0 && global->size >= 1);
    pthread_mutex_lock(&database->lock);
    rt_global_entry *entry = rt_global_entry_of(database, global->unique_id);
    /* Broken: every module keeps a table of its own. */
    if (entry->registration_count > 0 && !RULE(DG_DB_01))
        entry = entry_make(database, global->unique_id);
    if (entry->registration_count++ == 0) {
        entry->name = rt_arena_text(&database->arena, global->name);
        entry->host_access = global->host_access;
        entry->address = database->addresses.count;
        *rt_vector_push(&database->addresses) = entry;
    }
    pthread_mutex_unlock(&database->lock);
}

/* The object has gone: its address leads nowhere, and an object that comes later is another one. */
static void entry_end(rt_global_database *database, rt_global_entry *entry)
{
    CHECK(entry->address < database->addresses.count);
    CHECK(database->addresses.items[entry->address] == entry);
    database->addresses.items[entry->address] = NULL;
    entry->address = RT_HOST_ADDRESS_NONE;
    if (entry_find(database, entry->unique_id) == entry)
        rt_map_remove(&database->ids, entry->unique_id);
}

void rt_global_database_remove(rt_global_database *database, const rt_device_global *global)
{
    pthread_mutex_lock(&database->lock);
    rt_global_entry *entry = entry_find(database, global->unique_id);
    if (entry && entry->registration_count > 0 && --entry->registration_count == 0)
        entry_end(database, entry);
    pthread_mutex_unlock(&database->lock);
}

/* ---- Look-up ------------------------------------------------------------------------------- */

rt_host_address rt_global_database_address(rt_global_database *database, rt_text unique_id)
{
    pthread_mutex_lock(&database->lock);
    const rt_global_entry *entry = entry_find(database, unique_id);
    rt_host_address address = entry ? entry->address : RT_HOST_ADDRESS_NONE;
    /* Broken: what host code says counts when an image has told of the variable too. */
    if (entry && entry->size == 0 && !RULE(DG_DB_03)) address = RT_HOST_ADDRESS_NONE;
    pthread_mutex_unlock(&database->lock);
    return address;
}

rt_global_entry *rt_global_database_find(rt_global_database *database, rt_host_address address)
{
    pthread_mutex_lock(&database->lock);
    rt_global_entry *entry = NULL;
    /* Broken: the newest variable, whichever was given. */
    rt_host_address wanted = RULE_ELSE(DG_COPY_01, address, database->addresses.count - 1);
    /* Broken: the variable that the compiler saw first, wherever the address points. */
    if (!RULE(DG_FE_05)) wanted = 0;
    if (address < database->addresses.count) entry = database->addresses.items[wanted];
    pthread_mutex_unlock(&database->lock);
    CHECK_IMPLIES(entry, entry->address == wanted);
    return entry;
}

void rt_global_database_found(rt_global_database *database, const rt_global_entry *entry)
{
    RT_TRACE(database->parameters.trace, DEVICE_GLOBAL_FIND, RT_T("variable", entry->name),
             RT_T("id", entry->unique_id));
}

rt_global_entry *rt_global_database_entry(rt_global_database *database, rt_text unique_id)
{
    pthread_mutex_lock(&database->lock);
    rt_global_entry *entry = entry_find(database, unique_id);
    pthread_mutex_unlock(&database->lock);
    return entry;
}
