/* Faults of the build `prove` (fault.h). */
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
