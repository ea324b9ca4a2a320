/* The program manager: kernel -> image -> link set -> program -> cache. */
#include "reference/program/program_internal.h"

/* ---- Images come and go ------------------------------------------------------------------- */

static bool tuple_uses_image(const rt_cache_tuple *tuple, const rt_registered_image *image)
{
    for (uint32_t i = 0; i < tuple->program->image_count; i++) {
        if (tuple->program->images[i] == image) return true;
    }
    return false;
}

typedef struct drop_context {
    rt_program_manager *manager;
    const rt_registered_image *image; /* NULL: drop everything */
} drop_context;

static bool drop_wanted(void *user, const rt_cache_tuple *tuple)
{
    const drop_context *context = user;
    return !context->image || tuple_uses_image(tuple, context->image);
}

static void program_unreference(rt_program_manager *manager, rt_program *program)
{
    CHECK(program->references > 0);
    if (--program->references > 0) return;
    RT_TRACE(manager->trace, RELEASE, RT_N("program", program->id));
    for (uint32_t i = 0; i < program->kernels.count; i++) {
        dev_kernel_destroy(program->kernels.items[i].kernel);
    }
    rt_vector_free(&program->kernels);
    dev_program_destroy(program->executable);
    rt_free(program->images);
    rt_free(program);
    CHECK(manager->programs_alive > 0);
    manager->programs_alive--;
}

static rt_text module_name(rt_program_manager *manager, rt_module_id module)
{
    return manager->loader->modules[module].name;
}

static void drop_tuple(void *user, const rt_cache_tuple *tuple)
{
    rt_program_manager *manager = ((const drop_context *)user)->manager;
    RT_TRACE(manager->trace, CACHE_DROP, RT_T("kernel", tuple->key.kernel),
             RT_T("module", module_name(manager, tuple->key.module)),
             RT_N("device", tuple->key.device), RT_N("program", tuple->program->id));
    program_unreference(manager, tuple->program);
}

static void image_registered(void *user, const rt_registered_image *image)
{
    rt_program_manager *manager = user;
    pthread_mutex_lock(&manager->lock);
    rt_program_tables_add(&manager->tables, image);
    pthread_mutex_unlock(&manager->lock);
}

/* Programs made from the image are not used for launches that come later; those that run keep them
 * alive. */
static void image_unregistered(void *user, const rt_registered_image *image)
{
    rt_program_manager *manager = user;
    pthread_mutex_lock(&manager->lock);
    rt_program_tables_remove(&manager->tables, image);
    drop_context context = {manager, image};
    rt_cache_drop(&manager->cache, &context, drop_wanted, drop_tuple);
    pthread_mutex_unlock(&manager->lock);
}

rt_program_manager *rt_program_manager_create(rt_sink *sink, rt_trace *trace, rt_chooser *chooser,
                                              rt_loader *loader, rt_registry *registry)
{
    rt_program_manager *manager = rt_alloc(sizeof *manager);
    manager->sink = sink;
    manager->trace = trace;
    manager->chooser = chooser;
    manager->loader = loader;
    manager->registry = registry;
    pthread_mutex_init(&manager->lock, NULL);
    pthread_cond_init(&manager->built, NULL);
    registry->observer = (rt_registry_observer){manager, image_registered, image_unregistered};
    return manager;
}

void rt_program_manager_destroy(rt_program_manager *manager)
{
    if (!manager) return;
    manager->registry->observer = (rt_registry_observer){0};
    drop_context everything = {manager, NULL};
    rt_cache_drop(&manager->cache, &everything, drop_wanted, drop_tuple);
    CHECK(manager->programs_alive == 0);
    CHECK(manager->pending.count == 0);
    rt_cache_free(&manager->cache);
    rt_program_tables_free(&manager->tables);
    rt_vector_free(&manager->pending);
    pthread_cond_destroy(&manager->built);
    pthread_mutex_destroy(&manager->lock);
    rt_free(manager);
}

/* ---- From a kernel's name to its program -------------------------------------------------- */

static bool image_has_kernel(const rt_image *image, rt_text kernel_name)
{
    for (uint32_t i = 0; i < image->kernel_count; i++) {
        if (rt_text_equal(image->kernels[i], kernel_name)) return true;
    }
    return false;
}

/* The module, loaded or not, that brings the kernel; NULL where none does. */
static const rt_module *module_with_kernel(const rt_loader *loader, rt_text kernel_name)
{
    for (uint32_t m = 0; m < loader->module_count; m++) {
        const rt_module *module = &loader->modules[m];
        for (uint32_t i = 0; i < module->images.count; i++) {
            if (image_has_kernel(&module->images.images[i], kernel_name)) return module;
        }
    }
    return NULL;
}

/* The registered kernel whose name is nearest to a mistyped one, empty where none is near. */
static rt_text nearest_kernel(const rt_registry *registry, rt_text kernel_name)
{
    uint32_t least = (uint32_t)kernel_name.length / 3 + 2;
    rt_text nearest = {0};
    for (uint32_t i = 0; i < registry->images.count; i++) {
        const rt_registered_image *image = registry->images.items[i];
        for (uint32_t k = 0; image->registered && k < image->image->kernel_count; k++) {
            uint32_t distance = rt_text_distance(kernel_name, image->image->kernels[k], least);
            if (distance >= least) continue;
            least = distance;
            nearest = image->image->kernels[k];
        }
    }
    return nearest;
}

static rt_status refuse_kernel(rt_program_manager *manager, rt_text kernel_name)
{
    rt_buffer hint = {0};
    const rt_module *module = module_with_kernel(manager->loader, kernel_name);
    rt_text nearest = nearest_kernel(manager->registry, kernel_name);
    if (module) {
        rt_buffer_printf(&hint, "; module '%.*s' has it and is not loaded",
                         RT_TEXT_ARG(module->name));
    } else if (nearest.length) {
        rt_buffer_printf(&hint, "; did you mean '%.*s'?", RT_TEXT_ARG(nearest));
    }
    rt_status status = rt_fail_naming(manager->sink, RT_ERRC_RUNTIME, RT_RULE_NONE, &kernel_name, 1,
                                      "no registered image has a kernel named '%.*s'%s",
                                      RT_TEXT_ARG(kernel_name), rt_buffer_string(&hint));
    rt_buffer_free(&hint);
    return status;
}

/* The image to take the kernel from: the first registered of a format that the device takes. */
static rt_status select_image(rt_program_manager *manager, const rt_device *device,
                              rt_text kernel_name, const rt_registered_image **out_image)
{
    *out_image = NULL;
    const rt_image_group *group = rt_name_table_find(&manager->tables.kernels, kernel_name);
    for (uint32_t i = 0; i < group->images.count && !*out_image; i++) {
        const rt_registered_image *image = group->images.items[i];
        uint32_t format_bit = 1u << image->image->format;
        if (device->capabilities.formats_taken & format_bit) *out_image = image;
    }
    if (*out_image) return RT_STATUS_OK;
    if (group->images.count > 0) {
        return rt_fail_naming(manager->sink, RT_ERRC_KERNEL_NOT_SUPPORTED, RT_RULE_NONE,
                              &kernel_name, 1,
                              "kernel '%.*s' exists only in formats that device %.*s does not take",
                              RT_TEXT_ARG(kernel_name), RT_TEXT_ARG(device->name));
    }
    return refuse_kernel(manager, kernel_name);
}

static rt_cache_key key_of(const rt_registered_image *image, const rt_device *device,
                           rt_text kernel_name)
{
    return (rt_cache_key){kernel_name, image->module, image->image->compile_options, device->id};
}

/* Stores a tuple for each kernel of each image of the program, under the image's own module and
 * under the requesting image's (DL-CACHE-08, DL-CACHE-10). */
static void store_tuples(rt_program_manager *manager, rt_program *program)
{
    const rt_registered_image *requesting = program->images[0];
    for (uint32_t i = 0; i < program->image_count; i++) {
        if (i > 0 && !RULE(DL_CACHE_09)) break; /* Broken: only the requesting image's kernels. */
        const rt_registered_image *image = program->images[i];
        for (uint32_t k = 0; k < image->image->kernel_count; k++) {
            if (k > 0 && !RULE(DL_CACHE_01)) break; /* Broken: only the first kernel is ready. */
            rt_module_id modules[] = {image->module, requesting->module};
            uint32_t module_count = image->module == requesting->module ? 1 : 2;
            if (module_count == 2 && !RULE(DL_CACHE_08)) module_count = 1;
            for (uint32_t m = 0; m < module_count; m++) {
                rt_cache_key key = key_of(requesting, program->device, image->image->kernels[k]);
                key.module = modules[m];
                if (!rt_cache_store(&manager->cache, &key, program)) continue;
                program->references++;
                RT_TRACE(manager->trace, CACHE_STORE, RT_T("kernel", key.kernel),
                         RT_T("module", module_name(manager, key.module)),
                         RT_N("device", key.device), RT_N("program", program->id));
            }
        }
    }
}

static void trace_build(rt_program_manager *manager, const rt_program *program)
{
    rt_text *names = rt_alloc_array(program->image_count, sizeof *names);
    for (uint32_t i = 0; i < program->image_count; i++)
        names[i] = program->images[i]->image->name;
    RT_TRACE(manager->trace, BUILD, RT_N("program", program->id),
             RT_TS("images", names, program->image_count), RT_N("device", program->device->id));
    rt_free(names);
}

/* Makes the program value around a built executable; holds one reference, the caller's. */
static rt_program *program_create(rt_program_manager *manager, const rt_device *device, uint32_t id,
                                  const rt_link_set *set, dev_program *executable)
{
    rt_program *program = rt_alloc(sizeof *program);
    program->references = 1;
    program->id = id;
    program->device = device;
    program->executable = executable;
    program->image_count = set->images.count;
    program->images = rt_alloc_array(set->images.count, sizeof(const rt_registered_image *));
    for (uint32_t i = 0; i < set->images.count; i++)
        program->images[i] = set->images.items[i];
    manager->programs_alive++;
    return program;
}

static bool is_pending(const rt_program_manager *manager, rt_pending_build build)
{
    for (uint32_t i = 0; i < manager->pending.count; i++) {
        const rt_pending_build *pending = &manager->pending.items[i];
        if (pending->image == build.image && pending->device == build.device) return true;
    }
    return false;
}

static void pending_remove(rt_program_manager *manager, rt_pending_build build)
{
    CHECK(is_pending(manager, build));
    uint32_t kept = 0;
    for (uint32_t i = 0; i < manager->pending.count; i++) {
        rt_pending_build pending = manager->pending.items[i];
        bool removed = pending.image == build.image && pending.device == build.device;
        if (!removed) manager->pending.items[kept++] = pending;
    }
    manager->pending.count = kept;
}

/* Resolves, builds and caches the program of an image.  Called with the lock held, which it gives
 * up while it builds.  On success the caller holds a reference. */
static rt_status build_program(rt_program_manager *manager, const rt_device *device,
                               const rt_registered_image *image, rt_program **out_program)
{
    rt_link_context context = {manager->sink,   manager->trace,    manager->chooser,
                               manager->loader, manager->registry, &manager->tables};
    rt_link_set set = {0};
    rt_status status = rt_link_set_collect(&context, image, &set);
    if (rt_ok(status)) {
        rt_pending_build build = {image->id, device->id};
        *rt_vector_push(&manager->pending) = build;
        uint32_t id = manager->program_count++;
        dev_program *executable = NULL;
        pthread_mutex_unlock(&manager->lock);
        status = rt_program_build(manager, device, id, &set, &executable);
        pthread_mutex_lock(&manager->lock);
        pending_remove(manager, build);
        pthread_cond_broadcast(&manager->built);
        if (rt_ok(status)) {
            *out_program = program_create(manager, device, id, &set, executable);
            trace_build(manager, *out_program);
            /* An image that went while the program was built must not come back by the cache. */
            bool all_registered = true;
            for (uint32_t i = 0; i < set.images.count; i++) {
                all_registered = all_registered && set.images.items[i]->registered;
            }
            if (all_registered && RULE(DL_LINK_05)) store_tuples(manager, *out_program);
        }
    }
    rt_link_set_free(&set);
    return status;
}

static void trace_select(rt_program_manager *manager, rt_text kernel_name,
                         const rt_registered_image *image)
{
    RT_TRACE(manager->trace, SELECT, RT_T("kernel", kernel_name),
             RT_T("image", image->image->name));
}

/* Called with the lock held. */
static rt_status find_program(rt_program_manager *manager, const rt_device *device,
                              rt_text kernel_name, rt_program **out_program)
{
    for (;;) {
        const rt_registered_image *image = NULL;
        RT_TRY(select_image(manager, device, kernel_name, &image));
        CHECK(image && image->registered);
        rt_cache_key key = key_of(image, device, kernel_name);
        rt_program *cached = rt_cache_find(&manager->cache, &key);
        if (cached && RULE(DL_CACHE_02)) {
            cached->references++;
            *out_program = cached;
            trace_select(manager, kernel_name, image);
            RT_TRACE(manager->trace, CACHE_HIT, RT_T("kernel", kernel_name),
                     RT_T("module", image->module_name), RT_N("device", device->id),
                     RT_N("program", cached->id));
            return RT_STATUS_OK;
        }
        rt_pending_build build = {image->id, device->id};
        if (!is_pending(manager, build)) {
            trace_select(manager, kernel_name, image);
            return build_program(manager, device, image, out_program);
        }
        pthread_cond_wait(&manager->built, &manager->lock);
    }
}

/* The kernel object, made once per program and name (DL-CACHE-12).  Called with the lock held. */
static rt_status find_kernel(rt_program_manager *manager, rt_program *program, rt_text kernel_name,
                             dev_kernel **out_kernel)
{
    for (uint32_t i = 0; i < program->kernels.count; i++) {
        const rt_program_kernel *taken = &program->kernels.items[i];
        if (!rt_text_equal(taken->name, kernel_name)) continue;
        *out_kernel = taken->kernel;
        return RT_STATUS_OK;
    }
    RT_TRY(dev_kernel_create(program->executable, kernel_name, out_kernel));
    rt_text kept = rt_arena_text(&manager->cache.arena, kernel_name);
    *rt_vector_push(&program->kernels) = (rt_program_kernel){kept, *out_kernel};
    return RT_STATUS_OK;
}

rt_status rt_program_manager_kernel(rt_program_manager *manager, const rt_device *device,
                                    rt_text kernel_name, rt_program **out_program,
                                    dev_kernel **out_kernel)
{
    *out_program = NULL;
    *out_kernel = NULL;
    pthread_mutex_lock(&manager->lock);
    rt_status status = find_program(manager, device, kernel_name, out_program);
    if (rt_ok(status)) {
        CHECK((*out_program)->references >= 1);
        status = find_kernel(manager, *out_program, kernel_name, out_kernel);
        if (!rt_ok(status)) {
            program_unreference(manager, *out_program);
            *out_program = NULL;
        }
    }
    pthread_mutex_unlock(&manager->lock);
    return status;
}

void rt_program_release(rt_program_manager *manager, rt_program *program)
{
    if (!program) return;
    pthread_mutex_lock(&manager->lock);
    program_unreference(manager, program);
    pthread_mutex_unlock(&manager->lock);
}
