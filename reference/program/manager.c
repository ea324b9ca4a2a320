/* The program manager: kernel -> image -> link set -> program -> cache.
 *
 * A request for a kernel (rt_program_manager_kernel) goes through these steps under the lock:
 *
 *   select the image                          rt_program_select (select.c)
 *   look in the cache                         find_cached, with the key of key_of
 *   or wait for a build of the same image     rt_program_of_image; then select again
 *   collect the link set                      rt_link_set_collect (link_set.c)
 *   load or build, without the lock           rt_persistent_build (persistent.c, build.c)
 *   store a tuple per kernel and module       store_tuples, unless an image was unloaded
 *   take the kernel object                    rt_program_take_kernel
 *
 * References to a program are held by the cache (one per tuple), by bundles and by the commands
 * that run it. */
#include "reference/program/program_internal.h"

#include "reference/base/handover.h"
#include "reference/base/lock.h"

#include <inttypes.h>

/* ---- Registering and unregistering images ------------------------------------------------- */

static void program_unreference(rt_program_manager *manager, rt_program *program)
{
    CHECK(program->references > 0 && program->references >= program->tuples.count);
    if (--program->references > 0) return;
    if (manager->observer.released) manager->observer.released(manager->observer.user, program);
    RT_TRACE(manager->trace, RELEASE, RT_N("program", program->id));
    for (uint32_t i = 0; i < program->kernels.count; i++)
        dev_kernel_destroy(program->kernels.items[i].kernel);
    rt_vector_free(&program->kernels);
    rt_map_free(&program->kernel_index);
    CHECK(program->tuples.count == 0);
    rt_vector_free(&program->tuples);
    rt_program_index_remove(&manager->index, program);
    dev_program_destroy(program->executable);
    rt_free(program->images);
    rt_free(program);
    CHECK(manager->programs_alive > 0);
    manager->programs_alive--;
}

static rt_text module_name(const rt_program_manager *manager, rt_module_id module)
{
    CHECK(module < manager->loader->module_count);
    return manager->loader->modules[module].name;
}

static void drop_tuple(void *user, const rt_cache_tuple *tuple)
{
    rt_program_manager *manager = user;
    CHECK(tuple->program && tuple->program->references > 0);
    RT_TRACE(manager->trace, CACHE_DROP, RT_T("kernel", tuple->kernel),
             RT_T("module", module_name(manager, tuple->module)),
             RT_N("device", tuple->program->device->id), RT_N("program", tuple->program->id));
    program_unreference(manager, tuple->program);
}

static void image_registered(void *user, const rt_registered_image *image)
{
    rt_program_manager *manager = user;
    rt_program_manager_lock(manager);
    rt_program_tables_add(&manager->tables, image);
    rt_program_manager_unlock(manager);
}

/* Later launches do not use programs built from the image; commands that run them keep them alive.
 */
static void image_unregistered(void *user, const rt_registered_image *image)
{
    rt_program_manager *manager = user;
    rt_program_manager_lock(manager);
    rt_program_tables_remove(&manager->tables, image);
    /* Shipped DPC++ keeps other images' programs that were linked from the unloaded image
     * (requirements.yaml, key dpcpp, tag A70). */
    bool keeps_dependents = manager->profile == RT_PROFILE_DPCPP;
    uint32_t count;
    rt_program **programs = rt_program_index_of_image(&manager->index, image->id, &count);
    for (uint32_t i = 0; i < count; i++) {
        /* This must precede the cache's release of its references, which may be the last. */
        CHECK(programs[i]->image_count >= 1);
        programs[i]->lost_provider = keeps_dependents;
        programs[i]->lost_image = !keeps_dependents || programs[i]->images[0] == image;
        rt_cache_drop(&manager->cache, programs[i], keeps_dependents ? image : NULL, drop_tuple,
                      manager);
    }
    rt_free(programs);
    rt_program_manager_unlock(manager);
}

rt_program_manager *rt_program_manager_create(const rt_program_parameters *parameters)
{
    rt_program_manager *manager = rt_alloc(sizeof *manager);
    manager->sink = parameters->sink;
    manager->trace = parameters->trace;
    manager->chooser = parameters->chooser;
    manager->loader = parameters->loader;
    manager->registry = parameters->registry;
    manager->profile = parameters->profile;
    manager->prefer_preloaded = parameters->prefer_preloaded;
    manager->contribute = parameters->contribute;
    manager->tables.profile = parameters->profile;
    if (parameters->persistent.length > 0)
        manager->persistent = rt_persistent_open(parameters->persistent, NULL);
    rt_lock_init(&manager->lock);
    pthread_cond_init(&manager->built, NULL);
    manager->registry->observer =
        (rt_registry_observer){manager, image_registered, image_unregistered};
    return manager;
}

void rt_program_manager_observe(rt_program_manager *manager, rt_program_observer observer)
{
    CHECK(manager->programs_alive == 0);
    manager->observer = observer;
}

rt_profile rt_program_manager_profile(const rt_program_manager *manager)
{
    return manager->profile;
}

uint32_t rt_program_manager_choose(rt_program_manager *manager, rt_rule rule,
                                   uint32_t alternative_count)
{
    rt_program_manager_lock(manager);
    uint32_t choice = rt_choose(manager->chooser, rule, alternative_count);
    if (alternative_count > 1)
        RT_TRACE(manager->trace, CHOICE, RT_T("rule", rt_text_of(rt_rule_name(rule))),
                 RT_N("of", alternative_count), RT_N("taken", choice));
    rt_program_manager_unlock(manager);
    return choice;
}

void rt_program_manager_destroy(rt_program_manager *manager)
{
    if (!manager) return;
    manager->registry->observer = (rt_registry_observer){0};
    for (uint32_t i = 0; i < manager->index.programs.count; i++) {
        rt_program *program = manager->index.programs.items[i];
        if (program) rt_cache_drop(&manager->cache, program, NULL, drop_tuple, manager);
    }
    CHECK(manager->bundles_alive == 0 && manager->programs_alive == 0);
    CHECK(manager->pending.count == 0);
    CHECK_SLOW(rt_program_manager_check(manager));
    rt_cache_free(&manager->cache);
    rt_program_index_free(&manager->index);
    rt_persistent_close(manager->persistent);
    rt_program_tables_free(&manager->tables);
    rt_vector_free(&manager->pending);
    pthread_cond_destroy(&manager->built);
    pthread_mutex_destroy(&manager->lock);
    rt_free(manager);
}

/* ---- From a kernel's name to its program -------------------------------------------------- */

rt_text rt_program_options_join(rt_arena *arena, rt_text first, rt_text second)
{
    bool joined = first.length > 0 && second.length > 0;
    rt_buffer options = {0};
    rt_buffer_append_text(&options, first);
    if (joined) rt_buffer_append_byte(&options, ' ');
    rt_buffer_append_text(&options, second);
    CHECK(options.size == first.length + joined + second.length);
    rt_text copy = rt_arena_text(arena, rt_buffer_text(&options));
    rt_buffer_free(&options);
    return copy;
}

/* The cache key for a target.  The options are allocated in the arena; the rest is borrowed. */
static rt_cache_key key_of(const rt_program_manager *manager, rt_arena *arena,
                           const rt_registered_image *requesting, const rt_build_target *target,
                           rt_text kernel_name)
{
    rt_cache_key key = {
        .kernel = kernel_name,
        .module = requesting->module,
        .constants = target->constants,
        .options =
            rt_program_options_join(arena, requesting->image->compile_options, target->options),
        .device = target->device->id,
        .context = target->context,
    };
    /* Shipped DPC++ has no options in its key (requirements.yaml, key dpcpp, tag A43). */
    if (manager->profile == RT_PROFILE_DPCPP) key.options = (rt_text){0};
    return key;
}

/* Stores a tuple for one kernel of one image, under a module. */
static void store_tuple(rt_program_manager *manager, const rt_cache_key *key,
                        const rt_registered_image *image, rt_program *program)
{
    /* A tuple that leads to another program keeps it (DL-CACHE-13). */
    if (!rt_cache_store(&manager->cache, key, image, program)) return;
    program->references++;
    CHECK(program->references >= program->tuples.count && program->tuples.count >= 1);
    RT_TRACE(manager->trace, CACHE_STORE, RT_T("kernel", key->kernel),
             RT_T("module", module_name(manager, key->module)), RT_N("device", key->device),
             RT_N("program", program->id));
}

/* Stores a tuple for each kernel (DL-CACHE-01) of each image (DL-CACHE-09) of the program, under
 * the image's own module and under the requesting image's (DL-CACHE-10), unless the latter has a
 * kernel of that name in another image, which its launches must run (DL-CACHE-14). */
static void store_tuples(rt_program_manager *manager, const rt_build_target *target,
                         rt_program *program)
{
    CHECK(program->image_count >= 1 && !program->lost_image);
    const rt_registered_image *requesting = program->images[0];
    rt_arena arena = {0};
    for (uint32_t i = 0; i < program->image_count; i++) {
        const rt_registered_image *image = program->images[i];
        for (uint32_t k = 0; k < image->image->kernel_count; k++) {
            rt_cache_key key =
                key_of(manager, &arena, requesting, target, image->image->kernels[k]);
            key.module = image->module;
            store_tuple(manager, &key, image, program);
            const rt_image_group *same_name =
                rt_program_tables_kernel(&manager->tables, key.kernel);
            if (RULE(DL_CACHE_08, image->module != requesting->module) &&
                RULE(DL_CACHE_14, !rt_image_group_has_module(same_name, requesting->module))) {
                key.module = requesting->module;
                store_tuple(manager, &key, image, program);
            }
        }
    }
    rt_arena_reset(&arena);
}

const rt_text *rt_program_image_names(rt_arena *arena, const rt_link_set *set)
{
    rt_text *names = rt_arena_alloc_array(arena, set->images.count, sizeof *names);
    for (uint32_t i = 0; i < set->images.count; i++)
        names[i] = set->images.items[i]->image->name;
    return names;
}

/* A value as an unsigned number, because only the device code knows the type: in hexadecimal if it
 * does not fit into 64 bits, as a composite's may not. */
static rt_text constant_text(rt_arena *arena, const rt_spec_constant *constant)
{
    rt_buffer text = {0};
    rt_bytes value = constant->value;
    rt_buffer_printf(&text, "%.*s=", RT_TEXT_ARG(constant->name));
    if (value.size <= sizeof(uint64_t)) {
        uint64_t number = 0;
        for (size_t k = value.size; k-- > 0;)
            number = number << 8 | value.data[k];
        rt_buffer_printf(&text, "%" PRIu64, number);
    } else {
        rt_buffer_printf(&text, "0x");
        for (size_t k = value.size; k-- > 0;)
            rt_buffer_printf(&text, "%02x", value.data[k]);
    }
    rt_text result = rt_arena_text(arena, rt_buffer_text(&text));
    rt_buffer_free(&text);
    return result;
}

void rt_program_trace_created(rt_program_manager *manager, const rt_build_target *target,
                              uint32_t id, const rt_link_set *set, bool loaded)
{
    rt_arena arena = {0};
    uint32_t constant_count = target->constants.count;
    rt_text *constants = rt_arena_alloc_array(&arena, constant_count, sizeof *constants);
    for (uint32_t i = 0; i < constant_count; i++)
        constants[i] = constant_text(&arena, &target->constants.constants[i]);
    const rt_trace_value values[] = {
        RT_N("program", id),
        RT_TS("images", rt_program_image_names(&arena, set), set->images.count),
        RT_N("device", target->device->id),
        RT_N("context", target->context),
        RT_TS("constants", constants, constant_count),
    };
    rt_trace_emit(manager->trace, loaded ? RT_EVENT_PERSISTENT_HIT : RT_EVENT_BUILD, values,
                  sizeof values / sizeof *values);
    rt_arena_reset(&arena);
}

uint32_t rt_program_image_count(const rt_program *program)
{
    return program->injected ? 1 : program->image_count;
}

const rt_image *rt_program_image(const rt_program *program, uint32_t index)
{
    CHECK(index < rt_program_image_count(program));
    return program->injected ? program->injected : program->images[index]->image;
}

rt_program *rt_program_create(rt_program_manager *manager, const rt_build_target *target,
                              uint32_t id, const rt_link_set *set, const rt_image *injected,
                              dev_program *executable)
{
    CHECK_IMPLIES(injected, set->images.count == 0);
    CHECK(id < manager->program_count);
    rt_program *program = rt_alloc(sizeof *program);
    program->injected = injected;
    program->references = 1;
    program->id = id;
    program->device = target->device;
    program->context = target->context;
    program->executable = executable;
    program->image_count = set->images.count;
    program->images = rt_alloc_array(set->images.count, sizeof(const rt_registered_image *));
    for (uint32_t i = 0; i < set->images.count; i++)
        program->images[i] = set->images.items[i];
    manager->programs_alive++;
    rt_program_index_add(&manager->index, program);
    if (manager->observer.created) manager->observer.created(manager->observer.user, program);
    return program;
}

/* True if a thread is building a program of the image; programs of one image are built one after
 * another, whatever their targets. */
static bool is_pending(const rt_program_manager *manager, rt_image_id image)
{
    for (uint32_t i = 0; i < manager->pending.count; i++) {
        if (manager->pending.items[i] == image) return true;
    }
    return false;
}

/* Builds the program of a link set and caches it.  Called with the lock held, which is released
 * during the build.  On success the caller holds a reference. */
static rt_status build_set(rt_program_manager *manager, const rt_build_target *target,
                           const rt_link_set *set, rt_program **out_program)
{
    CHECK(set->images.count >= 1);
    rt_image_id requesting = set->images.items[0]->id;
    CHECK(!is_pending(manager, requesting));
    *rt_vector_push(&manager->pending) = requesting;
    uint32_t id = manager->program_count++;
    dev_program *executable = NULL;
    rt_program_manager_unlock(manager);
    rt_handover_point();
    bool loaded = false;
    rt_status status = rt_persistent_build(manager, target, id, set, &executable, &loaded);
    rt_handover_point();
    rt_program_manager_lock(manager);
    uint32_t kept_count = 0;
    for (uint32_t i = 0; i < manager->pending.count; i++) {
        rt_image_id pending = manager->pending.items[i];
        if (pending != requesting) manager->pending.items[kept_count++] = pending;
    }
    CHECK(kept_count + 1 == manager->pending.count);
    manager->pending.count = kept_count;
    pthread_cond_broadcast(&manager->built);
    if (!rt_ok(status)) return status;
    *out_program = rt_program_create(manager, target, id, set, NULL, executable);
    rt_program_trace_created(manager, target, id, set, loaded);
    /* The cache must not bring back an image that was unloaded during the build. */
    bool has_all_images = true;
    for (uint32_t i = 0; i < set->images.count; i++)
        has_all_images =
            has_all_images && rt_program_tables_hold(&manager->tables, set->images.items[i]);
    (*out_program)->lost_image = !has_all_images;
    if (has_all_images) RULE(DL_LINK_05, store_tuples(manager, target, *out_program));
    return RT_STATUS_OK;
}

rt_link_context rt_program_link_context(rt_program_manager *manager, const rt_device *device)
{
    return (rt_link_context){
        .sink = manager->sink,
        .trace = manager->trace,
        .chooser = manager->chooser,
        .loader = manager->loader,
        .tables = &manager->tables,
        .device = device,
        .profile = manager->profile,
        .prefer_preloaded = manager->prefer_preloaded,
        .contribute = manager->contribute,
    };
}

/* Shipped DPC++ resolves the imports again if a provider has been unloaded, refuses the launch if
 * one is not found, and otherwise keeps using the program (requirements.yaml, key dpcpp, tag A70).
 */
static rt_status check_providers(rt_program_manager *manager, const rt_build_target *target,
                                 const rt_program *program)
{
    const rt_registered_image *requesting = program->images[0];
    CHECK(program->image_count >= 1);
    if (!program->lost_provider || !rt_program_tables_hold(&manager->tables, requesting))
        return RT_STATUS_OK;
    rt_link_context context = rt_program_link_context(manager, target->device);
    rt_link_set set = {0};
    rt_status status = rt_link_set_collect(&context, requesting, &set);
    rt_link_set_free(&set);
    return status;
}

rt_status rt_program_of_image(rt_program_manager *manager, const rt_build_target *target,
                              const rt_registered_image *image, rt_program **out_program)
{
    *out_program = NULL;
    if (is_pending(manager, image->id)) {
        rt_handover_cond_wait(&manager->built, &manager->lock);
        return RT_STATUS_OK;
    }
    rt_link_context context = rt_program_link_context(manager, target->device);
    rt_link_set set = {0};
    rt_status status = rt_link_set_collect(&context, image, &set);
    if (rt_ok(status))
        status = rt_spec_list_check(manager->sink, target->constants, &set, target->device);
    /* Nothing is compiled until all imports are resolved (DL-SET-08). */
    if (rt_ok(status)) status = build_set(manager, target, &set, out_program);
    CHECK_IMPLIES(!rt_ok(status), !*out_program);
    rt_link_set_free(&set);
    return status;
}

static void trace_select(rt_program_manager *manager, rt_text kernel_name,
                         const rt_registered_image *image)
{
    RT_TRACE(manager->trace, SELECT, RT_T("kernel", kernel_name),
             RT_T("image", image->image->name));
}

/* The cached program for the key, with a reference for the caller; NULL if there is none. */
static rt_program *find_cached(rt_program_manager *manager, const rt_cache_key *key,
                               const rt_registered_image *image)
{
    rt_program *cached = RULE(DL_CACHE_02, rt_cache_find(&manager->cache, key));
    CHECK_IMPLIES(cached, cached->device->id == key->device && cached->context == key->context);
    if (!cached) return NULL;
    CHECK(cached->references >= 1 && cached->tuples.count >= 1);
    cached->references++;
    trace_select(manager, key->kernel, image);
    RT_TRACE(manager->trace, CACHE_HIT, RT_T("kernel", key->kernel),
             RT_T("module", module_name(manager, key->module)), RT_N("device", key->device),
             RT_N("program", cached->id));
    return cached;
}

/* Finds the program in the cache or builds it.  Called with the lock held; the arena belongs to the
 * call. */
static rt_status find_program(rt_program_manager *manager, rt_arena *arena,
                              const rt_kernel_request *request, rt_program **out_program)
{
    for (;;) {
        const rt_registered_image *image = NULL;
        RT_TRY(rt_program_select(manager, request, &image));
        CHECK(image && rt_program_tables_hold(&manager->tables, image));
        rt_build_target target = {request->device, request->context, request->options,
                                  rt_spec_list_make(arena, request, image->image)};
        rt_cache_key key = key_of(manager, arena, image, &target, request->kernel);
        if (request->has_module) key.module = request->module;
        *out_program = find_cached(manager, &key, image);
        if (*out_program) {
            rt_status status = check_providers(manager, &target, *out_program);
            if (rt_ok(status)) return status;
            program_unreference(manager, *out_program);
            *out_program = NULL;
            return status;
        }
        if (key.module != image->module) return rt_program_refuse_module(manager, request);
        if (!is_pending(manager, image->id)) trace_select(manager, request->kernel, image);
        RT_TRY(rt_program_of_image(manager, &target, image, out_program));
        if (*out_program) return RT_STATUS_OK;
    }
}

rt_status rt_program_take_kernel(rt_program_manager *manager, rt_program *program,
                                 rt_text kernel_name, dev_kernel **out_kernel)
{
    uint32_t index = rt_map_find(&program->kernel_index, kernel_name);
    CHECK_IMPLIES(index != RT_MAP_NONE, index < program->kernels.count);
    CHECK(program->references >= 1);
    if (index != RT_MAP_NONE) {
        *out_kernel = program->kernels.items[index].kernel;
        return RT_STATUS_OK;
    }
    RT_TRY(dev_kernel_create(program->executable, kernel_name, out_kernel));
    RT_TRACE(manager->trace, KERNEL_CREATE, RT_T("kernel", kernel_name),
             RT_N("program", program->id));
    rt_text copy = rt_arena_text(&manager->cache.arena, kernel_name);
    rt_map_set(&program->kernel_index, copy, program->kernels.count);
    *rt_vector_push(&program->kernels) = (rt_program_kernel){copy, *out_kernel};
    return RT_STATUS_OK;
}

rt_status rt_program_manager_kernel(rt_program_manager *manager, const rt_kernel_request *request,
                                    rt_program **out_program, dev_kernel **out_kernel)
{
    *out_program = NULL;
    *out_kernel = NULL;
    rt_arena arena = {0};
    rt_handover_point();
    rt_program_manager_lock(manager);
    rt_status status = find_program(manager, &arena, request, out_program);
    if (rt_ok(status)) {
        CHECK(*out_program && (*out_program)->references >= 1);
        status = rt_program_take_kernel(manager, *out_program, request->kernel, out_kernel);
        if (!rt_ok(status)) {
            program_unreference(manager, *out_program);
            *out_program = NULL;
        }
    }
    rt_program_manager_unlock(manager);
    rt_arena_reset(&arena);
    return status;
}

void rt_program_retain(rt_program_manager *manager, rt_program *program)
{
    rt_program_manager_lock(manager);
    CHECK(program->references > 0);
    program->references++;
    rt_program_manager_unlock(manager);
}

void rt_program_release(rt_program_manager *manager, rt_program *program)
{
    if (!program) return;
    rt_program_manager_lock(manager);
    program_unreference(manager, program);
    rt_program_manager_unlock(manager);
}
