/* Where the contents of a device_global are stored:
 *
 *   without image scope, per device   an instance: USM device memory (rt_global_instance_make)
 *   with image scope, per program     the program's variable, found by name (rt_global_variable)
 *   not in any image                  val of the host object (rt_global_value) */
#include "reference/memory/global_internal.h"

#include <string.h>

/* Invariants: an entry has at most one instance, and at most one host value, per device and
 * context.  Called with the scheduler's lock held. */
static bool entry_check(const rt_global_entry *entry)
{
    bool has_cached = false;
    for (uint32_t i = 0; i < entry->instances.count; i++) {
        const rt_global_instance *instance = entry->instances.items[i];
        CHECK(instance->memory->kind == DEV_MEMORY_USM_DEVICE);
        CHECK(instance->memory->usm_device == instance->device);
        has_cached = has_cached || entry->cached == instance;
        for (uint32_t k = 0; k < i; k++)
            CHECK(entry->instances.items[k]->device != instance->device ||
                  entry->instances.items[k]->context != instance->context);
    }
    CHECK_IMPLIES(entry->cached, has_cached);
    for (uint32_t i = 0; i < entry->values.count; i++) {
        const rt_global_host_value *value = &entry->values.items[i];
        CHECK(!rt_memory_is_usm(value->memory));
        CHECK_IMPLIES(value->context == RT_GLOBAL_VALUE_ALL, value->device == RT_GLOBAL_VALUE_ALL);
        for (uint32_t k = 0; k < i; k++)
            CHECK(entry->values.items[k].context != value->context ||
                  entry->values.items[k].device != value->device);
    }
    return true;
}

static uint32_t memory_id(const rt_global_database *database)
{
    return database->parameters.memory_id(database->parameters.user);
}

rt_status rt_global_instance_make(rt_global_database *database, rt_global_entry *entry,
                                  const rt_device *device, rt_context_id context, uint64_t size,
                                  rt_global_instance **out_instance)
{
    *out_instance = NULL;
    rt_memory *memory = NULL;
    RT_TRY(rt_memory_usm_create(database->parameters.sink, memory_id(database), entry->name, device,
                                RULE(DG_INIT_03, DEV_MEMORY_USM_DEVICE), size, NULL, &memory));
    rt_global_instance *instance = rt_alloc(sizeof *instance);
    *instance = (rt_global_instance){
        .device = device,
        .context = context,
        .memory = memory,
        .zero = RT_GLOBAL_COMMAND_NONE,
    };
    *rt_vector_push(&entry->instances) = instance;
    CHECK(memory->size == size && memory->usm_device == device);
    CHECK_SLOW(entry_check(entry));
    RT_TRACE(database->parameters.trace, DEVICE_GLOBAL_ALLOCATE, RT_T("variable", entry->name),
             RT_T("id", entry->unique_id), RT_N("device", device->id), RT_N("context", context),
             RT_N("size", size));
    *out_instance = instance;
    return RT_STATUS_OK;
}

rt_memory *rt_global_value_find(const rt_global_entry *entry, uint32_t context, uint32_t device)
{
    for (uint32_t i = 0; i < entry->values.count; i++) {
        const rt_global_host_value *value = &entry->values.items[i];
        if (value->context == context && value->device == device) return value->memory;
    }
    return NULL;
}

rt_status rt_global_value(rt_global_database *database, rt_global_entry *entry, uint32_t context,
                          uint32_t device, uint64_t size, rt_memory **out_memory)
{
    rt_memory *value = rt_global_value_find(entry, context, device);
    *out_memory = NULL;
    if (!value) {
        uint8_t *initial = size <= RT_MEMORY_SIZE_MAX ? rt_try_alloc((size_t)size) : NULL;
        if (!initial) {
            return rt_fail(database->parameters.sink, RT_ERRC_MEMORY_ALLOCATION, RT_RULE_NONE,
                           "device_global '%.*s' of %llu bytes cannot be allocated on the host",
                           RT_TEXT_ARG(entry->name), (unsigned long long)size);
        }
        if (entry->initial.size == size) memcpy(initial, entry->initial.data, (size_t)size);
        rt_status status = rt_memory_create(database->parameters.sink, memory_id(database),
                                            entry->name, size, initial, &value);
        rt_free(initial);
        RT_TRY(status);
        CHECK(value->size == size && value->initialised);
        *rt_vector_push(&entry->values) = (rt_global_host_value){context, device, value};
        CHECK(rt_global_value_find(entry, context, device) == value);
        CHECK_SLOW(entry_check(entry));
    }
    RT_TRACE(database->parameters.trace, DEVICE_GLOBAL_HOST, RT_T("variable", entry->name),
             RT_T("id", entry->unique_id));
    *out_memory = value;
    return RT_STATUS_OK;
}

/* A variable's symbol in the program's code, according to the images' mapping of ids to symbols;
 * empty: no image maps the id.  Observed: shipped DPC++ has such properties for devices that find
 * variables only by symbol (requirements.yaml, DG-PLUGIN-06, key dpcpp). */
static rt_text symbol_of(const rt_program *program, rt_text unique_id)
{
    rt_arena arena = {0};
    rt_text symbol = {0};
    rt_text name = rt_arena_printf(&arena, "%.*s" RT_GLOBAL_MAPPING_SUFFIX, RT_TEXT_ARG(unique_id));
    for (uint32_t i = 0; i < rt_program_image_count(program) && symbol.length == 0; i++) {
        const rt_property_set *set =
            rt_image_set(rt_program_image(program, i), RT_SET_PROGRAM_METADATA);
        const rt_property *mapped = rt_property_set_find(set, name);
        if (mapped && mapped->type == RT_PROPERTY_BYTES)
            symbol = (rt_text){(const char *)mapped->bytes.data, mapped->bytes.size};
    }
    rt_arena_reset(&arena);
    return symbol;
}

/* Finds the variable by its unique id or, if the device does not know that, by its symbol. */
static rt_status variable_find(const rt_program *program, const rt_global_entry *entry,
                               dev_memory **out_variable)
{
    rt_status status = dev_global_find(program->executable, entry->unique_id, out_variable);
    if (status.code != RT_ERRC_INVALID) return status;
    rt_text symbol = symbol_of(program, entry->unique_id);
    return symbol.length > 0 ? dev_global_find(program->executable, symbol, out_variable) : status;
}

rt_status rt_global_variable(rt_global_database *database, const rt_program *program,
                             rt_program_global *global, uint64_t size)
{
    if (global->variable) return RT_STATUS_OK;
    const rt_device *device = program->device;
    rt_global_entry *entry = global->entry;
    rt_sink *sink = database->parameters.sink;
    if (!device->capabilities.globals_by_name) {
        return rt_fail_naming(sink, RT_ERRC_FEATURE_NOT_SUPPORTED, RT_RULE_NONE, &entry->unique_id,
                              1,
                              "device_global '%.*s' cannot be accessed: device %.*s cannot look up "
                              "variables by name",
                              RT_TEXT_ARG(entry->unique_id), RT_TEXT_ARG(device->name));
    }
    dev_memory *variable = NULL;
    RT_TRY(variable_find(program, entry, &variable));
    CHECK(variable);
    rt_status status;
    /* The size that an image states cannot be trusted: the image's code need not match it. */
    if (variable->size < size)
        status = rt_fail_naming(
            sink, RT_MALFORMED, RT_RULE_NONE, &entry->unique_id, 1,
            "device_global '%.*s' has %llu bytes in the program, but at least %llu bytes "
            "according to the program's images",
            RT_TEXT_ARG(entry->unique_id), (unsigned long long)variable->size,
            (unsigned long long)size);
    else
        status = rt_memory_global_create(sink, memory_id(database), entry->name, device, variable,
                                         &global->variable);
    if (!rt_ok(status)) dev_memory_destroy(variable);
    CHECK_IMPLIES(rt_ok(status), global->variable && global->variable->size >= size);
    return status;
}
