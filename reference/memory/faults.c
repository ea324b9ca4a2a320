/* Mistakes of the device global database that are larger than a mutant of a mark (fault.h). */
#include "reference/base/fault.h"
#include "reference/memory/device_global.h"

rt_host_address __real_rt_global_database_address(rt_global_database *database, rt_text unique_id);
rt_host_address __wrap_rt_global_database_address(rt_global_database *database, rt_text unique_id);

rt_host_address __wrap_rt_global_database_address(rt_global_database *database, rt_text unique_id)
{
    const rt_global_entry *entry = rt_global_database_entry(database, unique_id);
    if (entry && entry->size == 0 &&
        RT_FAULT(DG_DB_03, "a variable is known only once an image describes it"))
        return RT_HOST_ADDRESS_NONE;
    return __real_rt_global_database_address(database, unique_id);
}

void __real_rt_global_database_remove(rt_global_database *database, const rt_device_global *global);
void __wrap_rt_global_database_remove(rt_global_database *database, const rt_device_global *global);

/* The storage of an entry that is looked up again is the old one. */
void __wrap_rt_global_database_remove(rt_global_database *database, const rt_device_global *global)
{
    const rt_global_entry *entry = rt_global_database_entry(database, global->unique_id);
    if (entry && entry->instances.count > 1 &&
        RT_FAULT(NONE, "a variable with storage on two devices outlives its module"))
        return;
    __real_rt_global_database_remove(database, global);
}

void __real_rt_memory_downloaded(rt_memory *memory);
void __wrap_rt_memory_downloaded(rt_memory *memory);

void __wrap_rt_memory_downloaded(rt_memory *memory)
{
    __real_rt_memory_downloaded(memory);
    bool is_stale = false;
    for (uint32_t i = 0; i < memory->copies.count; i++)
        is_stale |= memory->copies.items[i].memory && !memory->copies.items[i].valid;
    if (is_stale && RT_FAULT(NONE, "a read by the host makes the copies of all devices current"))
        for (uint32_t i = 0; i < memory->copies.count; i++)
            memory->copies.items[i].valid = memory->copies.items[i].memory != NULL;
}

void __real_rt_memory_written(rt_memory *memory, const rt_device *device);
void __wrap_rt_memory_written(rt_memory *memory, const rt_device *device);

void __wrap_rt_memory_written(rt_memory *memory, const rt_device *device)
{
    const rt_memory *whole = rt_memory_whole(memory);
    bool was_current =
        whole->host_valid && whole->written_on != UINT32_MAX && whole->written_on != device->id;
    __real_rt_memory_written(memory, device);
    if (was_current &&
        RT_FAULT(NONE, "what the host has read stays current when another device writes"))
        rt_memory_whole(memory)->host_valid = true;
}

rt_global_entry *__real_rt_global_database_find(rt_global_database *database,
                                                rt_host_address address);
rt_global_entry *__wrap_rt_global_database_find(rt_global_database *database,
                                                rt_host_address address);

rt_global_entry *__wrap_rt_global_database_find(rt_global_database *database,
                                                rt_host_address address)
{
    rt_global_entry *found = __real_rt_global_database_find(database, address);
    if (!found || !RT_FAULT(DG_COPY_01, "the newest variable is found, whatever the address"))
        return found;
    rt_global_entry *newest = found;
    while (address + 1 != RT_HOST_ADDRESS_NONE) {
        found = __real_rt_global_database_find(database, ++address);
        if (!found) break;
        newest = found;
    }
    return newest;
}

void __real_rt_global_program_created(void *user, const rt_program *program);
void __wrap_rt_global_program_created(void *user, const rt_program *program);

void __wrap_rt_global_program_created(void *user, const rt_program *program)
{
    rt_program first = *program;
    if (program->image_count > 1 && RT_FAULT(DG_INIT_02, "only the requesting image is scanned"))
        first.image_count = 1;
    __real_rt_global_program_created(user, &first);
}

rt_status __real_rt_global_variable(rt_global_database *database, const rt_program *program,
                                    rt_program_global *global, uint64_t size);
rt_status __wrap_rt_global_variable(rt_global_database *database, const rt_program *program,
                                    rt_program_global *global, uint64_t size);

rt_status __wrap_rt_global_variable(rt_global_database *database, const rt_program *program,
                                    rt_program_global *global, uint64_t size)
{
    rt_global_entry *entry = global->entry;
    const rt_text unique_id = entry->unique_id;
    if (RT_FAULT(DG_PLUGIN_06, "the device is asked for the name in the source"))
        entry->unique_id = entry->name;
    rt_status status = __real_rt_global_variable(database, program, global, size);
    entry->unique_id = unique_id;
    return status;
}
