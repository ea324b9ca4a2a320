/* Gives a program's device_globals their storage, and pointers to it, before the program's first
 * kernel.
 *
 * A variable without image scope is a pointer in every program, and its storage is one buffer per
 * device.  Both are set up by commands of the graph, on which every launch of the program depends.
 *
 * Source: document 002, "Initializing the device global variables in device code". */
#include "reference/sched/sched_internal.h"

/* ---- Content ------------------------------------------------------------------------------- */

/* True if the contexts of a device share storage.  DPC++ keeps separate storage per device and
 * context (requirements.yaml, DG-INIT-09, key dpcpp, tag C16). */
static bool contexts_share(rt_scheduler *scheduler)
{
    if (scheduler->sharing == RT_SHARING_OPEN) {
        bool apart = rt_program_manager_profile(scheduler->programs) == RT_PROFILE_DPCPP ||
                     rt_program_manager_choose(scheduler->programs, RT_RULE_DG_INIT_11, 2) == 1;
        scheduler->sharing = apart ? RT_SHARING_PER_CONTEXT : RT_SHARING_PER_DEVICE;
    }
    return scheduler->sharing == RT_SHARING_PER_DEVICE;
}

rt_global_instance *rt_globals_instance_find(rt_scheduler *scheduler, rt_queue_id queue,
                                             const rt_global_entry *entry)
{
    const rt_queue *target = &scheduler->queues.items[queue];
    for (uint32_t i = 0; i < entry->instances.count; i++) {
        rt_global_instance *instance = entry->instances.items[i];
        if (RULE(DG_INIT_09, instance->device != target->device)) continue;
        if (instance->context == target->context || contexts_share(scheduler)) return instance;
    }
    return NULL;
}

/* Fills new storage of any size with zeros (DG-INIT-10), whether a launch or a copy needs it
 * (DG-COPY-03). A variable with an initial value, which C++20 permits and document 002 does not yet
 * describe, gets that (sycl_ext_oneapi_device_global, "Representation of device globals"). */
static rt_status initialise(rt_scheduler *scheduler, rt_queue_id queue,
                            const rt_global_entry *entry, rt_global_instance *instance)
{
    uint64_t size = instance->memory->size;
    rt_command *command = rt_graph_add(scheduler, RT_COMMAND_ZERO, queue);
    rt_status status =
        entry->initial.size == size
            ? rt_enqueue_initial(scheduler, command, instance->memory, entry->initial)
            : rt_enqueue_zero(scheduler, command, instance->memory, size);
    if (!rt_ok(status)) {
        rt_graph_remove_last(scheduler, command);
        return status;
    }
    instance->zero = command->id;
    return RT_STATUS_OK;
}

rt_status rt_globals_instance(rt_scheduler *scheduler, rt_queue_id queue, rt_global_entry *entry,
                              uint64_t size, rt_global_instance **out_instance)
{
    const rt_queue *target = &scheduler->queues.items[queue];
    *out_instance = RULE(DG_INIT_05, rt_globals_instance_find(scheduler, queue, entry));
    if (!*out_instance) {
        RT_TRY(rt_global_instance_make(scheduler->globals, entry, target->device, target->context,
                                       size, out_instance));
        rt_memory_written((*out_instance)->memory, target->device);
    }
    /* Storage that could not be filled when it was created is filled now. */
    if ((*out_instance)->zero != RT_GLOBAL_COMMAND_NONE) return RT_STATUS_OK;
    return RULE(DG_INIT_04, initialise(scheduler, queue, entry, *out_instance));
}

/* ---- Programs ------------------------------------------------------------------------------ */

/* Submits a command that writes the storage's address into the program's variable. */
static rt_status point(rt_scheduler *scheduler, rt_queue_id queue, const rt_program *program,
                       rt_program_global *global, const rt_global_instance *instance)
{
    RT_TRY(rt_global_variable(scheduler->globals, program, global, sizeof global->pointer));
    uint32_t device = instance->device->id;
    CHECK(device < instance->memory->copies.count);
    uint64_t address = dev_memory_address(instance->memory->copies.items[device].memory);
    for (uint32_t i = 0; i < sizeof global->pointer; i++)
        global->pointer[i] = (uint8_t)(address >> (8 * i));
    rt_command *command = rt_graph_add(scheduler, RT_COMMAND_POINT, queue);
    rt_status status = rt_enqueue_point(scheduler, command, program, global);
    if (rt_ok(status))
        global->point = command->id;
    else
        rt_graph_remove_last(scheduler, command);
    return status;
}

static rt_status prepare(rt_scheduler *scheduler, rt_queue_id queue, const rt_program *program,
                         rt_program_global *global, rt_command_list *commands)
{
    rt_global_entry *entry = global->entry;
    rt_global_instance *instance = NULL;
    RT_TRY(rt_globals_instance(scheduler, queue, entry, global->size, &instance));
    /* Image data is untrusted: for a variable that modules share, all images must state the same
     * size. */
    if (global->size != instance->memory->size) {
        return rt_fail_naming(scheduler->sink, RT_MALFORMED, RT_RULE_NONE, &entry->unique_id, 1,
                              "an image says that device_global '%.*s' has %llu bytes, but its "
                              "storage on the device has %llu",
                              RT_TEXT_ARG(entry->unique_id), (unsigned long long)global->size,
                              (unsigned long long)instance->memory->size);
    }
    /* Once per program, whether or not the storage is new; host_access affects only copies
     * (DG-INIT-12). */
    if (global->point == RT_GLOBAL_COMMAND_NONE)
        RT_TRY(RULE(DG_INIT_06, point(scheduler, queue, program, global, instance)));
    if (instance->zero != RT_GLOBAL_COMMAND_NONE) *rt_vector_push(commands) = instance->zero;
    if (global->point != RT_GLOBAL_COMMAND_NONE) *rt_vector_push(commands) = global->point;
    return RT_STATUS_OK;
}

rt_status rt_globals_prepare(rt_scheduler *scheduler, rt_queue_id queue, const rt_program *program,
                             rt_command_list *commands)
{
    if (!scheduler->globals) return RT_STATUS_OK;
    rt_program_globals *globals = rt_global_database_program(scheduler->globals, program);
    if (globals->damaged.length > 0) {
        return rt_fail_naming(scheduler->sink, RT_MALFORMED, RT_RULE_NONE, &globals->damaged, 1,
                              "image %.*s: a property of its set " RT_SET_DEVICE_GLOBALS
                              " is not a size followed by a flag that is 0 or 1",
                              RT_TEXT_ARG(globals->damaged));
    }
    for (uint32_t i = 0; i < globals->list.count; i++) {
        rt_program_global *global = &globals->list.items[i];
        /* With image scope, the value is in the program itself and initially zero. */
        if (RULE(DG_INIT_08, global->image_scope)) continue;
        RT_TRY(prepare(scheduler, queue, program, global, commands));
    }
    return RT_STATUS_OK;
}
