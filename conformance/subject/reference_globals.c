/* Copies and reads of a scenario's device_globals on the reference runtime. */
#include "conformance/subject/reference.h"

/* Finds what a member function of queue or handler knows about the variable: its address in the
 * module's code, and its type. Fails as cnf_variable_find does. */
static rt_status copy_describe(cnf_execution *execution, const scn_variable *variable,
                               rt_global_copy *out_copy)
{
    *out_copy = (rt_global_copy){.address = RT_HOST_ADDRESS_NONE, .name = variable->name};
    const rt_device_global *global;
    RT_TRY(cnf_variable_find(execution, variable, &global));
    rt_global_database *database = rt_runtime_globals(cnf_reference_of(execution)->runtime);
    out_copy->address = rt_global_database_address(database, global->unique_id);
    out_copy->name = global->name;
    out_copy->type_size = global->size;
    out_copy->image_scope = global->image_scope;
    out_copy->host_access = global->host_access;
    return RT_STATUS_OK;
}

rt_status cnf_reference_global_copy(cnf_execution *execution, uint32_t queue,
                                    const scn_transfer *declared, cnf_after after,
                                    uint32_t *out_command)
{
    cnf_reference *reference = cnf_reference_of(execution);
    rt_global_copy copy;
    *out_command = CNF_NO_OBJECT;
    RT_TRY(copy_describe(execution, &declared->variable, &copy));
    copy.to_global = declared->to == SCN_NONE;
    copy.offset = copy.to_global ? declared->to_offset : declared->from_offset;
    copy.memory = reference->memories[copy.to_global ? declared->from : declared->to];
    copy.memory_offset = copy.to_global ? declared->from_offset : declared->to_offset;
    copy.size = declared->size;
    copy.by_handler = declared->by_handler;
    copy.after = after.commands;
    copy.after_count = after.count;
    return rt_scheduler_global_copy(cnf_reference_scheduler(execution), queue, &copy, out_command);
}

rt_status cnf_reference_read_global(cnf_execution *execution, const scn_variable *variable,
                                    uint32_t queue, bool existing, cnf_content *out_content)
{
    rt_global_copy copy;
    RT_TRY(copy_describe(execution, variable, &copy));
    rt_buffer bytes = {0}, defined = {0};
    rt_status status = rt_scheduler_global_read(cnf_reference_scheduler(execution), queue, &copy,
                                                existing, &bytes, &defined);
    if (rt_ok(status) && bytes.size > 0) {
        out_content->bytes = rt_arena_bytes(&out_content->arena, rt_buffer_bytes(&bytes));
        if (execution->runtime->capabilities.finds_faults)
            out_content->defined =
                rt_arena_bytes(&out_content->arena, rt_buffer_bytes(&defined)).data;
    }
    rt_buffer_free(&bytes);
    rt_buffer_free(&defined);
    return status;
}
