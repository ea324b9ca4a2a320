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
