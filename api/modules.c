/* Modules: fat binaries and files as registered images, and the modules of the process. */
#include "api/objects.h"

#include "api/process.h"
#include "reference/base/number.h"
#include "reference/image/compression.h"
#include "reference/image/image_file.h"

#include <stdio.h>
#include <string.h>

/* ---- The runtime's system ------------------------------------------------------------------ */

/* The loader reports that a module's start-up code ran; module_open has set its images. */

static rt_status system_start(void *state, rt_module_id executable, const rt_module_id *preloaded,
                              uint32_t preloaded_count, rt_system_events *out_events)
{
    (void)state, (void)preloaded;
    CHECK(executable == API_EXECUTABLE && preloaded_count == 0);
    *rt_vector_push(out_events) = (rt_system_event){.kind = RT_SYSTEM_LOADED, .module = executable};
    return RT_STATUS_OK;
}

static rt_status system_open(void *state, rt_module_id module, rt_system_events *out_events)
{
    const assay_runtime *runtime = state;
    const assay_module *opened = runtime->modules.items[module - 1];
    CHECK(opened->id == module);
    *rt_vector_push(out_events) = (rt_system_event){.kind = RT_SYSTEM_LOADED, .module = module};
    *rt_vector_push(out_events) =
        (rt_system_event){.kind = RT_SYSTEM_REGISTERED, .module = module, .images = opened->images};
    return RT_STATUS_OK;
}

static rt_status system_close(void *state, rt_module_id module, rt_system_events *out_events)
{
    (void)state;
    *rt_vector_push(out_events) =
        (rt_system_event){.kind = RT_SYSTEM_UNREGISTERED, .module = module};
    *rt_vector_push(out_events) = (rt_system_event){.kind = RT_SYSTEM_UNLOADED, .module = module};
    return RT_STATUS_OK;
}

/* The library is not asked about host code. */
static rt_status system_binds(void *state, rt_module_id from, rt_text symbol,
                              rt_module_id *out_module)
{
    (void)state, (void)from, (void)symbol;
    *out_module = RT_MODULE_NONE;
    return RT_STATUS_OK;
}

rt_system api_module_system(assay_runtime *runtime)
{
    static const rt_system_operations operations = {
        .start = system_start,
        .open = system_open,
        .close = system_close,
        .binds = system_binds,
    };
    return (rt_system){&operations, runtime};
}

/* ---- Images -------------------------------------------------------------------------------- */

/* Notes that an image is left out. */
static void left_out_append(rt_buffer *out_left_out, rt_text image, rt_text message)
{
    if (out_left_out)
        rt_buffer_printf(out_left_out, "%.*s: %.*s\n", RT_TEXT_ARG(image), RT_TEXT_ARG(message));
}

/* A variable needs an id, by which the database of device_globals finds it. */
static rt_status globals_check(rt_sink *sink, const rt_image *image)
{
    const rt_property_set *set = rt_image_set(image, RT_SET_DEVICE_GLOBALS);
    for (uint32_t i = 0; set && i < set->property_count; i++)
        if (set->properties[i].name.length == 0)
            return rt_fail(sink, RT_MALFORMED, RT_RULE_NONE,
                           "image %.*s: property %u of its set " RT_SET_DEVICE_GLOBALS
                           " has no name, which is the unique id of a variable",
                           RT_TEXT_ARG(image->name), i);
    return RT_STATUS_OK;
}

rt_status api_images_copy(assay_runtime *runtime, rt_text name, rt_device_binaries binaries,
                          rt_image_list *out_images, rt_buffer *out_left_out)
{
    rt_arena arena = {0};
    rt_buffer packed = {0};
    rt_device_binaries plain = {0};
    rt_status status = rt_device_binaries_decompress(runtime->sink, &arena, binaries, &plain);
    rt_image *images = rt_arena_alloc_array(&arena, plain.count + 1, sizeof *images);
    rt_status refusal = RT_STATUS_OK; /* the first */
    uint32_t count = 0;
    for (uint32_t i = 0; i < plain.count && rt_ok(status); i++) {
        rt_text image = rt_arena_printf(&arena, "%.*s/%u", RT_TEXT_ARG(name), i);
        status = rt_device_binary_image(runtime->sink, image, &plain.items[i], &images[count]);
        if (rt_ok(status)) status = globals_check(runtime->sink, &images[count]);
        if (rt_ok(status)) rt_image_drop_exported_entries(&arena, &images[count++]);
        if (status.code != RT_UNSUPPORTED) continue;
        /* A module may have images for targets that only other runtimes know. */
        left_out_append(out_left_out, image, rt_sink_diagnostic(runtime->sink, status)->message);
        if (rt_ok(refusal)) refusal = status;
        status = RT_STATUS_OK;
    }
    if (rt_ok(status) && count == 0) status = refusal;
    if (rt_ok(status)) {
        rt_image_list_write(&packed, (rt_image_list){images, count});
        rt_reader reader = rt_reader_of(rt_arena_bytes(&runtime->arena, rt_buffer_bytes(&packed)));
        status = rt_image_list_read(runtime->sink, &runtime->arena, &reader, out_images);
    }
    rt_buffer_free(&packed);
    rt_arena_reset(&arena);
    return status;
}

/* The variables that the images describe, each once, as the module's host code registers them. */
static rt_device_global_list globals_of(rt_arena *arena, rt_image_list images)
{
    RT_VECTOR(rt_device_global) globals = {0};
    rt_map known = {0};
    for (uint32_t i = 0; i < images.count; i++) {
        const rt_property_set *set = rt_image_set(&images.images[i], RT_SET_DEVICE_GLOBALS);
        for (uint32_t k = 0; set && k < set->property_count; k++) {
            rt_text id = set->properties[k].name;
            rt_device_global_value value;
            CHECK(id.length > 0); /* globals_check */
            if (!rt_device_global_value_read(&set->properties[k], &value)) continue;
            if (rt_map_find(&known, id) != RT_MAP_NONE) continue;
            rt_map_set(&known, id, 1);
            *rt_vector_push(&globals) = (rt_device_global){
                .unique_id = id, .name = id, .size = value.size, .image_scope = value.image_scope};
        }
    }
    const rt_device_global_list list = {
        rt_arena_copy(arena, globals.items, globals.count, sizeof *globals.items), globals.count};
    rt_map_free(&known);
    rt_vector_free(&globals);
    return list;
}

/* ---- Registration -------------------------------------------------------------------------- */

/* An unregistered module of the name, whose position can be used again, or a new one; NULL: the
 * table is full. */
static assay_module *module_place(assay_runtime *runtime, rt_text name)
{
    for (uint32_t i = 0; i < runtime->modules.count; i++) {
        assay_module *module = runtime->modules.items[i];
        if (!module->registered && rt_text_equal(module->name, name)) return module;
    }
    if (runtime->modules.count + 1 == API_MODULES_MAX) return NULL;
    assay_module *module = rt_arena_alloc(&runtime->arena, sizeof *module);
    *rt_vector_push(&runtime->modules) = module;
    *module = (assay_module){.runtime = runtime, .id = runtime->modules.count};
    module->name = rt_arena_text(&runtime->arena, name);
    return module;
}

rt_text api_module_name(assay_runtime *runtime, rt_text path)
{
    const char *slash = memrchr(path.data, '/', path.length);
    rt_text file = slash ? rt_text_skip(path, (size_t)(slash - path.data) + 1) : path;
    uint32_t most = 0; /* among the registered modules of that name */
    for (uint32_t i = 0; i < runtime->modules.count; i++) {
        const assay_module *module = runtime->modules.items[i];
        rt_text rest = module->name;
        uint32_t number = 1;
        if (!module->registered || rest.length < file.length) continue;
        rest = rt_text_skip(rest, file.length);
        if (!rt_text_equal((rt_text){module->name.data, file.length}, file)) continue;
        if (rest.length > 0 && !(rt_text_take_prefix(&rest, "#") &&
                                 rt_number_read_u32(rest, 2, UINT32_MAX - 1, &number)))
            continue;
        if (number > most) most = number;
    }
    if (most == 0) return rt_arena_text(&runtime->arena, file);
    return rt_arena_printf(&runtime->arena, "%.*s#%u", RT_TEXT_ARG(file), most + 1);
}

rt_status api_module_add(assay_runtime *runtime, rt_text name, rt_text path, rt_image_list images,
                         uint64_t registration, assay_module **out_module)
{
    *out_module = NULL;
    assay_module *module = module_place(runtime, name);
    if (!module)
        return rt_fail(runtime->sink, RT_LIMIT, RT_RULE_NONE,
                       "module '%.*s' cannot be registered: a runtime has at most %d modules",
                       RT_TEXT_ARG(name), API_MODULES_MAX - 1);
    module->images = images;
    module->registration = registration;
    rt_loader *loader = rt_runtime_loader(runtime->runtime);
    rt_loader_describe(loader, module->id, module->name, rt_arena_text(&runtime->arena, path),
                       globals_of(&runtime->arena, images));
    RT_TRY(rt_loader_open(loader, module->id));
    module->registered = true;
    *out_module = module;
    return RT_STATUS_OK;
}

rt_status api_module_remove(assay_module *module)
{
    CHECK(module->registered);
    module->registered = false;
    return rt_loader_close(rt_runtime_loader(module->runtime->runtime), module->id);
}

bool api_global_find(assay_runtime *runtime, rt_text unique_id, rt_device_global *out_global)
{
    bool is_found = false;
    rt_lock_take(&runtime->lock);
    for (uint32_t i = 0; i < runtime->modules.count && !is_found; i++) {
        const assay_module *module = runtime->modules.items[i];
        if (!module->registered) continue;
        const rt_module *loaded = &rt_runtime_loader(runtime->runtime)->modules[module->id];
        for (uint32_t k = 0; k < loaded->globals.count && !is_found; k++) {
            *out_global = loaded->globals.globals[k];
            is_found = rt_text_equal(out_global->unique_id, unique_id);
        }
    }
    rt_lock_release(&runtime->lock);
    return is_found;
}

/* ---- The process --------------------------------------------------------------------------- */

/* One descriptor to be read from the memory of this process. */
typedef struct process_read {
    assay_runtime *runtime;
    rt_text name, path; /* in the runtime's arena; name empty: that of the module's file */
    uint64_t descriptor, registration;
    bool is_gone; /* unregistered meanwhile, so its memory may be unmapped next */
    rt_status status;
    rt_image_list images;
} process_read;

/* Copies the images. They are registered later, without the dynamic linker's lock, which a driver
 * may need while the program manager's is held. */
static void process_visit(void *user, const rt_mapping *mapping, rt_text path)
{
    process_read *read = user;
    read->is_gone = read->registration > 0 && !api_process_holds(read->registration);
    if (read->is_gone) return;
    rt_arena arena = {0};
    rt_fat_binary fat;
    read->path = rt_arena_text(&read->runtime->arena, path);
    if (read->name.length == 0)
        read->name = api_module_name(read->runtime, path.length > 0 ? path : RT_TEXT("program"));
    read->status = rt_fat_binary_read(read->runtime->sink, &arena, mapping, read->descriptor, &fat);
    if (rt_ok(read->status))
        read->status =
            api_images_copy(read->runtime, read->name, fat.binaries, &read->images, NULL);
    rt_arena_reset(&arena);
}

/* Registers the images of a descriptor.  MALFORMED: no module contains it, or it is damaged; codes
 * of api_images_copy and api_module_add.  *out_module is NULL if it has been unregistered. */
static rt_status process_add(process_read *read, assay_module **out_module)
{
    *out_module = NULL;
    if (!rt_mapping_visit(read->descriptor, process_visit, read)) {
        read->is_gone = read->registration > 0 && !api_process_holds(read->registration);
        if (read->is_gone) return RT_STATUS_OK;
        return rt_fail(read->runtime->sink, RT_MALFORMED, RT_RULE_NONE,
                       "the descriptor at address 0x%llx is not in the data of a module of this "
                       "process",
                       (unsigned long long)read->descriptor);
    }
    RT_TRY(read->status);
    if (read->is_gone) return RT_STATUS_OK;
    return api_module_add(read->runtime, read->name, read->path, read->images, read->registration,
                          out_module);
}

/* True if a registration has been read before. */
static bool is_known(const assay_runtime *runtime, uint64_t number)
{
    for (uint32_t i = 0; i < runtime->refused.count; i++)
        if (runtime->refused.items[i] == number) return true;
    for (uint32_t i = 0; i < runtime->modules.count; i++) {
        const assay_module *module = runtime->modules.items[i];
        if (module->registered && module->registration == number) return true;
    }
    return false;
}

/* Undoes what the process has unregistered, and registers what is new. */
static void modules_update(assay_runtime *runtime, const api_registrations *list)
{
    for (uint32_t i = 0; i < runtime->modules.count; i++) {
        assay_module *module = runtime->modules.items[i];
        if (!module->registered || module->registration == 0) continue;
        bool is_listed = false;
        for (uint32_t k = 0; k < list->count; k++)
            is_listed = is_listed || list->items[k].number == module->registration;
        if (is_listed) continue;
        rt_status status = api_module_remove(module);
        CHECK(rt_ok(status));
    }
    for (uint32_t i = 0; i < list->count; i++) {
        if (is_known(runtime, list->items[i].number)) continue;
        process_read read = {.runtime = runtime,
                             .descriptor = list->items[i].descriptor,
                             .registration = list->items[i].number};
        assay_module *module;
        rt_status status = process_add(&read, &module);
        if (rt_ok(status)) continue;
        *rt_vector_push(&runtime->refused) = list->items[i].number;
        fprintf(stderr, "assay: a fat binary is not registered: %s\n",
                api_status(runtime, status).message);
    }
}

void api_modules_follow(assay_runtime *runtime)
{
    uint64_t version = api_process_version();
    if (runtime->options.isolated || atomic_load(&runtime->seen) == version) return;
    api_registrations list = {0};
    rt_lock_take(&runtime->lock);
    version = api_process_version();
    api_process_list(&list);
    modules_update(runtime, &list);
    atomic_store(&runtime->seen, version);
    rt_lock_release(&runtime->lock);
    rt_vector_free(&list);
}

/* ---- The interface ------------------------------------------------------------------------- */

assay_status assay_module_register(assay_runtime *runtime, const char *name, const void *descriptor,
                                   assay_module **out_module)
{
    API_REQUIRE(out_module, "the result's place is a null pointer");
    *out_module = NULL;
    API_REQUIRE(runtime, "the runtime is a null pointer");
    API_REQUIRE(name && *name, "the module has no name");
    API_REQUIRE(descriptor, "the descriptor is a null pointer");
    process_read read = {.runtime = runtime,
                         .name = rt_text_of(name),
                         .descriptor = (uint64_t)(uintptr_t)descriptor};
    rt_lock_take(&runtime->lock);
    rt_status status = process_add(&read, out_module);
    rt_lock_release(&runtime->lock);
    return api_status(runtime, status);
}

assay_status assay_module_read(assay_runtime *runtime, const char *name, const void *bytes,
                               size_t size, assay_module **out_module)
{
    API_REQUIRE(out_module, "the result's place is a null pointer");
    *out_module = NULL;
    API_REQUIRE(runtime, "the runtime is a null pointer");
    API_REQUIRE(name && *name, "the module has no name");
    API_REQUIRE(bytes && size > 0, "the module's file is empty");
    rt_arena arena = {0};
    rt_image_file file;
    rt_status status = rt_image_file_read(runtime->sink, &arena, (rt_bytes){bytes, size}, &file);
    rt_image_list images = {0};
    rt_lock_take(&runtime->lock);
    if (rt_ok(status))
        status = api_images_copy(runtime, rt_text_of(name), file.binaries, &images, NULL);
    if (rt_ok(status))
        status = api_module_add(runtime, rt_text_of(name), rt_text_of(name), images, 0, out_module);
    rt_lock_release(&runtime->lock);
    rt_arena_reset(&arena);
    return api_status(runtime, status);
}

assay_status assay_module_unregister(assay_module *module)
{
    API_REQUIRE(module, "the module is a null pointer");
    assay_runtime *runtime = module->runtime;
    rt_lock_take(&runtime->lock);
    rt_status status;
    if (!module->registered || module->registration > 0)
        status = rt_fail(runtime->sink, RT_ERRC_INVALID, RT_RULE_NONE,
                         module->registered
                             ? "module '%.*s' belongs to the process, which unregisters it"
                             : "module '%.*s' is not registered",
                         RT_TEXT_ARG(module->name));
    else
        status = api_module_remove(module);
    rt_lock_release(&runtime->lock);
    return api_status(runtime, status);
}
