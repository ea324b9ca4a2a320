/* Copies to and from device_globals, whose value is in the device's buffer, in the program that has
 * the variable, or in the host object. Source: document 002, "Implementing the copy and memcpy
 * functions in queue and handler". */
#include "reference/sched/sched_internal.h"

#include "reference/base/handover.h"
#include "reference/program/global_program.h"

/* ---- Refusals ----------------------------------------------------------------------------- */

/* Finds the entry of the host object; refuses an address without one. */
static rt_status find_entry(rt_scheduler *scheduler, const rt_global_copy *copy,
                            rt_global_entry **out_entry)
{
    *out_entry =
        scheduler->globals ? rt_global_database_find(scheduler->globals, copy->address) : NULL;
    if (*out_entry) return RT_STATUS_OK;
    return rt_fail_naming(scheduler->sink, RT_ERRC_INVALID, RT_RULE_NONE, &copy->name, 1,
                          "device_global '%.*s' is not registered: no loaded module has it",
                          RT_TEXT_ARG(copy->name));
}

/* Refuses a copy that would not compile, whose host object is unknown, or that exceeds the
 * variable.
 */
static rt_status check(rt_scheduler *scheduler, const rt_global_copy *copy,
                       rt_global_entry **out_entry)
{
    rt_text name = copy->name;
    /* The variable's type determines which functions exist (sycl_ext_oneapi_device_global,
     * "host_access"). */
    bool to_global = copy->to_global;
    rt_host_access access = to_global ? RT_HOST_ACCESS_WRITE : RT_HOST_ACCESS_READ;
    bool is_allowed = copy->host_access == RT_HOST_ACCESS_READ_WRITE || copy->host_access == access;
    if (RULE(DG_HEADER_12, !is_allowed)) {
        return rt_fail_naming(scheduler->sink, RT_COMPILE_TIME, RT_RULE_DG_HEADER_12, &name, 1,
                              "copying %s device_global '%.*s' does not compile: its host_access "
                              "is %s",
                              to_global ? "to" : "from", RT_TEXT_ARG(name),
                              rt_host_access_name(copy->host_access));
    }
    RT_TRY(find_entry(scheduler, copy, out_entry));
    /* The size is sizeof(T), which the call knows. */
    uint64_t room = RULE(DG_COPY_02, copy->type_size), offset = copy->offset, size = copy->size;
    if (offset <= room && size <= room - offset) return RT_STATUS_OK;
    return rt_fail_naming(scheduler->sink, RT_ERRC_INVALID, RT_RULE_DG_COPY_07, &name, 1,
                          "copy of %llu bytes at offset %llu of device_global '%.*s': it has only "
                          "%llu bytes",
                          (unsigned long long)size, (unsigned long long)offset, RT_TEXT_ARG(name),
                          (unsigned long long)room);
}

/* ---- Without image scope ------------------------------------------------------------------- */

/* Submits the transfer between the variable's storage and the memory; the command also waits for
 * `first`.  Called with the lock held. */
static rt_status submit(rt_scheduler *scheduler, rt_queue_id queue, const rt_global_copy *copy,
                        rt_memory *content, rt_program *program, uint32_t first,
                        rt_command_id *out_command)
{
    rt_command_list after = {0};
    for (uint32_t i = 0; i < copy->after_count; i++)
        *rt_vector_push(&after) = copy->after[i];
    if (first != RT_GLOBAL_COMMAND_NONE) *rt_vector_push(&after) = first;
    const rt_transfer transfer = {
        .from = copy->to_global ? copy->memory : content,
        .from_offset = copy->to_global ? copy->memory_offset : copy->offset,
        .to = copy->to_global ? content : copy->memory,
        .to_offset = copy->to_global ? copy->offset : copy->memory_offset,
        .size = copy->size,
        .after = after.items,
        .after_count = after.count,
    };
    rt_status status = rt_transfer_submit(scheduler, queue, &transfer, program, out_command);
    rt_vector_free(&after);
    return status;
}

/* Called with the lock held. */
static rt_status copy_with_buffer(rt_scheduler *scheduler, rt_queue_id queue,
                                  const rt_global_copy *copy, rt_global_entry *entry,
                                  rt_command_id *out_command)
{
    /* The instance to which the host object's usmptr refers is used if it was set for this queue's
     * device and context. */
    const rt_queue *target = &scheduler->queues.items[queue];
    rt_global_instance *instance = entry->cached;
    bool fits =
        instance && instance->device == target->device && instance->context == target->context;
    if (instance && RULE(DG_COPY_06, !fits)) instance = NULL;
    if (!instance) {
        rt_global_database_found(scheduler->globals, entry);
        RT_TRY(rt_globals_instance(scheduler, queue, entry, copy->type_size, &instance));
        RULE(DG_COPY_06, entry->cached = instance);
    }
    return submit(scheduler, queue, copy, instance->memory, NULL, instance->zero, out_command);
}

/* ---- With image scope ---------------------------------------------------------------------- */

static rt_program_global *global_of(rt_scheduler *scheduler, const rt_program *program,
                                    rt_text unique_id)
{
    rt_program_globals *globals = rt_global_database_program(scheduler->globals, program);
    for (uint32_t i = 0; i < globals->list.count; i++) {
        rt_program_global *global = &globals->list.items[i];
        if (rt_text_equal(global->entry->unique_id, unique_id)) return global;
    }
    return NULL;
}

/* Copies to or from a variable inside a program.  Called with the lock held; the command takes
 * ownership of the program reference. */
static rt_status copy_with_program(rt_scheduler *scheduler, rt_queue_id queue,
                                   const rt_global_copy *copy, const rt_global_entry *entry,
                                   rt_program *program, rt_command_id *out_command)
{
    rt_program_global *global = global_of(scheduler, program, entry->unique_id);
    if (!global) {
        return rt_fail_naming(
            scheduler->sink, RT_MALFORMED, RT_RULE_NONE, &copy->name, 1,
            "the images of program %u have an invalid description of device_global '%.*s'",
            program->id, RT_TEXT_ARG(copy->name));
    }
    RT_TRY(rt_global_variable(scheduler->globals, program, global, copy->type_size));
    return submit(scheduler, queue, copy, global->variable, program, RT_GLOBAL_COMMAND_NONE,
                  out_command);
}

static bool is_shipped(const rt_scheduler *scheduler)
{
    return rt_program_manager_profile(scheduler->programs) == RT_PROFILE_DPCPP;
}

/* Identifies the value of the host object that a queue's copies access. */
typedef struct value_owner {
    uint32_t context, device;
} value_owner;

/* There is one host object for all queues; shipped DPC++ keeps one value per context or, for image
 * scope, one per context and device (requirements.yaml, DG-SCOPE-10, key dpcpp, tag C22). */
static value_owner owner_of(const rt_scheduler *scheduler, rt_queue_id queue, bool image_scope)
{
    const rt_queue *target = &scheduler->queues.items[queue];
    value_owner owner = {RT_GLOBAL_VALUE_ALL, RT_GLOBAL_VALUE_ALL};
    bool apart = is_shipped(scheduler);
    if (apart) owner.context = target->context;
    if (image_scope && RULE(DG_SCOPE_10, apart)) owner.device = target->device->id;
    return owner;
}

/* Shipped DPC++ checks whether a registered image has the variable.  If none has it, copies access
 * such a host value even for a variable without image scope: a shadow that no kernel ever sees,
 * because the storage that is created once an image is registered starts as zeros
 * (requirements.yaml, DG-COPY-10 and DG-DB-04, key dpcpp, tags C22 and C26). */
static bool is_shadowed(const rt_scheduler *scheduler, const rt_global_entry *entry)
{
    return is_shipped(scheduler) &&
           !rt_program_manager_has_global(scheduler->programs, entry->unique_id);
}

/* Copies to or from a variable that no image has; its value is in the host object (DG-SCOPE-08).
 * Called with the lock held. */
static rt_status copy_with_host(rt_scheduler *scheduler, rt_queue_id queue,
                                const rt_global_copy *copy, rt_global_entry *entry,
                                rt_command_id *out_command)
{
    rt_memory *value = NULL;
    value_owner owner = owner_of(scheduler, queue, copy->image_scope);
    RT_TRY(rt_global_value(scheduler->globals, entry, owner.context, owner.device, copy->type_size,
                           &value));
    return submit(scheduler, queue, copy, value, NULL, RT_GLOBAL_COMMAND_NONE, out_command);
}

static rt_status copy_image_scope(rt_scheduler *scheduler, rt_queue_id queue,
                                  const rt_global_copy *copy, rt_global_entry *entry,
                                  rt_command_id *out_command)
{
    rt_scheduler_lock(scheduler);
    const rt_queue target = scheduler->queues.items[queue];
    rt_scheduler_unlock(scheduler);
    rt_global_database_found(scheduler->globals, entry);
    rt_program *program = NULL;
    RT_TRY(rt_program_manager_global(scheduler->programs, target.device, target.context,
                                     entry->unique_id, false, &program));
    rt_handover_point();
    rt_scheduler_lock(scheduler);
    bool in_program = RULE(DG_SCOPE_07, program);
    rt_status status = in_program
                           ? copy_with_program(scheduler, queue, copy, entry, program, out_command)
                           : copy_with_host(scheduler, queue, copy, entry, out_command);
    rt_scheduler_unlock(scheduler);
    if (!rt_ok(status)) rt_program_release(scheduler->programs, program);
    return status;
}

/* ---- The copy ------------------------------------------------------------------------------ */

rt_status rt_scheduler_global_copy(rt_scheduler *scheduler, rt_queue_id queue,
                                   const rt_global_copy *copy, rt_command_id *out_command)
{
    *out_command = RT_COMMAND_NONE;
    rt_global_entry *entry = NULL;
    rt_handover_point();
    RT_TRY(check(scheduler, copy, &entry));
    CHECK(entry != NULL);
    /* The variable's type decides: with image scope, it is in the program itself; otherwise in a
     * buffer, even if no image has it (DG-COPY-04, DG-COPY-10). */
    if (RULE(DG_SCOPE_01, copy->image_scope))
        return copy_image_scope(scheduler, queue, copy, entry, out_command);
    bool shadowed = is_shadowed(scheduler, entry);
    rt_scheduler_lock(scheduler);
    rt_status status = shadowed ? copy_with_host(scheduler, queue, copy, entry, out_command)
                                : copy_with_buffer(scheduler, queue, copy, entry, out_command);
    rt_scheduler_unlock(scheduler);
    return status;
}

/* ---- The blocking read --------------------------------------------------------------------- */

/* The storage that a read accesses: its memory, and a reference to the program that holds it, if
 * any.  The memory is NULL if only existing storage is requested and there is none. */
typedef struct content {
    rt_memory *memory;
    rt_program *program;
} content;

/* Finds the storage.  If only existing storage is requested, neither builds a program nor creates
 * storage. */
static rt_status content_find(rt_scheduler *scheduler, rt_queue_id queue,
                              const rt_global_copy *copy, rt_global_entry *entry, bool existing,
                              content *out_content)
{
    rt_scheduler_lock(scheduler);
    const rt_queue target = scheduler->queues.items[queue];
    rt_scheduler_unlock(scheduler);
    if (copy->image_scope)
        RT_TRY(rt_program_manager_global(scheduler->programs, target.device, target.context,
                                         entry->unique_id, existing, &out_content->program));
    bool in_value = copy->image_scope || is_shadowed(scheduler, entry);
    rt_program *program = out_content->program;
    CHECK_IMPLIES(program, copy->image_scope && program->device == target.device);
    rt_status status = RT_STATUS_OK;
    rt_scheduler_lock(scheduler);
    rt_program_global *global = program ? global_of(scheduler, program, entry->unique_id) : NULL;
    if (!in_value) {
        rt_global_instance *instance = NULL;
        if (existing)
            instance = rt_globals_instance_find(scheduler, queue, entry);
        else
            status = rt_globals_instance(scheduler, queue, entry, copy->type_size, &instance);
        if (instance) out_content->memory = instance->memory;
    } else if (global) {
        status = rt_global_variable(scheduler->globals, program, global, copy->type_size);
        if (rt_ok(status)) out_content->memory = global->variable;
    } else {
        value_owner owner = owner_of(scheduler, queue, copy->image_scope);
        if (!existing || rt_global_value_find(entry, owner.context, owner.device))
            status = rt_global_value(scheduler->globals, entry, owner.context, owner.device,
                                     copy->type_size, &out_content->memory);
    }
    rt_scheduler_unlock(scheduler);
    return status;
}

static rt_status content_read(rt_scheduler *scheduler, const rt_global_copy *copy,
                              rt_memory *memory, rt_buffer *out_bytes, rt_buffer *out_defined)
{
    if (memory->size < copy->type_size) {
        return rt_fail_naming(
            scheduler->sink, RT_ERRC_INVALID, RT_RULE_NONE, &copy->name, 1,
            "device_global '%.*s' has %llu bytes on the device, but its type has %llu",
            RT_TEXT_ARG(copy->name), (unsigned long long)memory->size,
            (unsigned long long)copy->type_size);
    }
    RT_TRY(RULE(DG_PLUGIN_05, rt_scheduler_host_read(scheduler, memory)));
    rt_buffer_append(out_bytes, memory->host, (size_t)copy->type_size);
    /* The bytes that have a value: those reported by the device that last wrote the memory, or all
     * bytes if no device has written it. */
    for (uint64_t i = 0; i < (copy->type_size + 7) / 8; i++)
        rt_buffer_append_byte(out_defined, '\377');
    if (memory->written_on == UINT32_MAX) return RT_STATUS_OK;
    CHECK(memory->written_on < memory->copies.count);
    return dev_memory_defined(memory->copies.items[memory->written_on].memory, 0, copy->type_size,
                              (uint8_t *)out_defined->data);
}

rt_status rt_scheduler_global_read(rt_scheduler *scheduler, rt_queue_id queue,
                                   const rt_global_copy *copy, bool existing, rt_buffer *out_bytes,
                                   rt_buffer *out_defined)
{
    rt_global_entry *entry = NULL;
    content found = {0};
    rt_handover_point();
    RT_TRY(find_entry(scheduler, copy, &entry));
    CHECK(entry != NULL);
    rt_status status = content_find(scheduler, queue, copy, entry, existing, &found);
    if (rt_ok(status) && found.memory)
        status = content_read(scheduler, copy, found.memory, out_bytes, out_defined);
    rt_program_release(scheduler->programs, found.program);
    return status;
}
