/* Bundles and their units: compiling, linking and joining bundles, and launching from them. */
#include "reference/program/bundle_internal.h"

#include "reference/base/handover.h"

/* ---- Units -------------------------------------------------------------------------------- */

const char *rt_bundle_state_name(rt_bundle_state state)
{
    static const char *const names[RT_BUNDLE_STATE_COUNT] = {
#define STATE_NAME(state, name) [RT_BUNDLE_##state] = name,
        RT_BUNDLE_STATES(STATE_NAME)
#undef STATE_NAME
    };
    CHECK((unsigned)state < RT_BUNDLE_STATE_COUNT);
    return names[state];
}

rt_bundle_unit *rt_bundle_unit_add(rt_bundle *bundle, const rt_device *device)
{
    rt_bundle_unit *unit = rt_alloc(sizeof *unit);
    unit->references = 1;
    unit->device = device;
    *rt_vector_push(&bundle->units) = unit;
    return unit;
}

/* True if two units of one state are the same device image in SYCL's sense, which a bundle contains
 * once: the same code, brought to that state in the same way. */
static bool unit_equal(const rt_bundle_unit *a, const rt_bundle_unit *b)
{
    if (a->program) return a->program == b->program;
    return a->device == b->device && a->image == b->image &&
           rt_spec_list_equal(a->constants, b->constants) && rt_text_equal(a->options, b->options);
}

static uint32_t unit_image_count(const rt_bundle_unit *unit)
{
    return unit->program ? rt_program_image_count(unit->program) : 1;
}

static const rt_image *unit_image(const rt_bundle_unit *unit, uint32_t index)
{
    CHECK(index < unit_image_count(unit));
    return unit->program ? rt_program_image(unit->program, index) : unit->image->image;
}

static bool unit_has_kernel(const rt_bundle_unit *unit, rt_text kernel)
{
    for (uint32_t i = 0; i < unit_image_count(unit); i++) {
        if (rt_image_kernel(unit_image(unit, i), kernel) != RT_KERNEL_NONE) return true;
    }
    return false;
}

/* ---- Bundles ------------------------------------------------------------------------------ */

static bool has_device(const rt_bundle *bundle, const rt_device *device)
{
    for (uint32_t i = 0; i < bundle->devices.count; i++) {
        if (bundle->devices.items[i] == device) return true;
    }
    return false;
}

rt_bundle *rt_bundle_create(rt_program_manager *manager, rt_bundle_state state,
                            rt_context_id context, const rt_device *device)
{
    rt_bundle *bundle = rt_alloc(sizeof *bundle);
    bundle->state = state;
    bundle->context = context;
    if (device) *rt_vector_push(&bundle->devices) = device;
    rt_program_manager_lock(manager);
    manager->bundles_alive++;
    rt_program_manager_unlock(manager);
    return bundle;
}

void rt_bundle_release(rt_program_manager *manager, rt_bundle *bundle)
{
    if (!bundle) return;
    for (uint32_t i = 0; i < bundle->units.count; i++) {
        rt_bundle_unit *unit = bundle->units.items[i];
        rt_program_manager_lock(manager);
        CHECK(unit->references > 0);
        CHECK(!unit->program || !unit->object);
        bool last = --unit->references == 0;
        rt_program_manager_unlock(manager);
        if (!last) continue;
        rt_program_release(manager, unit->program);
        dev_program_destroy(unit->object);
        rt_arena_reset(&unit->arena);
        rt_free(unit);
    }
    rt_vector_free(&bundle->units);
    rt_vector_free(&bundle->devices);
    rt_free(bundle);
    rt_program_manager_lock(manager);
    CHECK(manager->bundles_alive > 0);
    manager->bundles_alive--;
    rt_program_manager_unlock(manager);
}

rt_status rt_bundle_finish(rt_program_manager *manager, rt_bundle *bundle, rt_status status,
                           rt_bundle **out_bundle)
{
    *out_bundle = NULL;
    if (!rt_ok(status)) {
        rt_bundle_release(manager, bundle);
        return status;
    }
    for (uint32_t i = 0; i < bundle->units.count; i++) {
        const rt_bundle_unit *unit = bundle->units.items[i];
        CHECK(has_device(bundle, unit->device));
        CHECK((bundle->state == RT_BUNDLE_OBJECT) == (unit->object != NULL));
        CHECK((bundle->state == RT_BUNDLE_EXECUTABLE) == (unit->program != NULL));
        CHECK((unit->image != NULL) == !unit->program);
        CHECK_IMPLIES(unit->program, unit->program->context == bundle->context);
        CHECK(unit->references >= 1);
    }
    rt_program_manager_lock(manager);
    bundle->id = manager->bundle_count++;
    rt_program_manager_unlock(manager);
    *out_bundle = bundle;
    return RT_STATUS_OK;
}

void rt_bundle_add_input(rt_bundle *bundle, const rt_device *device,
                         const rt_registered_image *image, rt_spec_list constants)
{
    CHECK(bundle->state == RT_BUNDLE_INPUT);
    rt_bundle_unit *unit = rt_bundle_unit_add(bundle, device);
    unit->image = image;
    unit->constants = rt_spec_list_copy(&unit->arena, constants);
}

rt_status rt_bundle_add_object(rt_program_manager *manager, rt_bundle *bundle,
                               const rt_registered_image *image, const rt_build_target *target)
{
    CHECK(bundle->state == RT_BUNDLE_OBJECT && target->context == bundle->context);
    rt_link_set set = {0};
    *rt_vector_push(&set.images) = image;
    dev_program *object = NULL;
    rt_status status = rt_program_compile(manager, target, &set, 0, &object);
    rt_link_set_free(&set);
    if (!rt_ok(status)) return status;
    rt_bundle_unit *unit = rt_bundle_unit_add(bundle, target->device);
    unit->image = image;
    unit->object = object;
    unit->constants = rt_spec_list_copy(&unit->arena, target->constants);
    unit->options = rt_arena_text(&unit->arena, target->options);
    return RT_STATUS_OK;
}

uint32_t rt_bundle_program_id(rt_program_manager *manager)
{
    rt_program_manager_lock(manager);
    uint32_t id = manager->program_count++;
    rt_program_manager_unlock(manager);
    return id;
}

void rt_bundle_add_program(rt_program_manager *manager, rt_bundle *bundle,
                           const rt_build_target *target, uint32_t id, const rt_link_set *set,
                           dev_program *executable, bool is_loaded)
{
    CHECK(bundle->state == RT_BUNDLE_EXECUTABLE && target->context == bundle->context);
    rt_bundle_unit *unit = rt_bundle_unit_add(bundle, target->device);
    rt_program_manager_lock(manager);
    unit->program = rt_program_create(manager, target, id, set, NULL, executable);
    rt_program_trace_created(manager, target, id, set, is_loaded);
    rt_program_manager_unlock(manager);
}

/* ---- Compiling and linking ---------------------------------------------------------------- */

/* Compiles the units of an input bundle into an object bundle, which the caller finishes. */
static rt_status compile_units(rt_program_manager *manager, const rt_bundle *bundle,
                               rt_text options, rt_bundle *out_objects)
{
    CHECK(bundle->state == RT_BUNDLE_INPUT && out_objects->state == RT_BUNDLE_OBJECT);
    for (uint32_t i = 0; i < bundle->devices.count; i++)
        *rt_vector_push(&out_objects->devices) = bundle->devices.items[i];
    rt_status status = RT_STATUS_OK;
    for (uint32_t i = 0; i < bundle->units.count && rt_ok(status); i++) {
        const rt_bundle_unit *unit = bundle->units.items[i];
        const rt_build_target target = {unit->device, bundle->context, options, unit->constants};
        status = rt_bundle_add_object(manager, out_objects, unit->image, &target);
    }
    return status;
}

typedef RT_VECTOR(const rt_bundle_unit *) unit_list;

/* The units of several bundles for a device (NULL: for all devices), each once; the caller frees
 * the list. */
static unit_list units_of(const rt_bundle *const *bundles, uint32_t count, const rt_device *device)
{
    unit_list units = {0};
    for (uint32_t b = 0; b < count; b++) {
        for (uint32_t i = 0; i < bundles[b]->units.count; i++) {
            const rt_bundle_unit *unit = bundles[b]->units.items[i];
            bool is_new = !device || unit->device == device;
            for (uint32_t k = 0; k < units.count && is_new; k++)
                is_new = !unit_equal(units.items[k], unit);
            if (is_new) *rt_vector_push(&units) = unit;
        }
    }
    return units;
}

/* Links one or more objects for a device into a program and adds it to the bundle. */
static rt_status link_units(rt_program_manager *manager, const unit_list *units, rt_text options,
                            rt_bundle *out_bundle)
{
    CHECK(units->count >= 1 && out_bundle->state == RT_BUNDLE_EXECUTABLE);
    rt_arena arena = {0};
    rt_link_set set = {0};
    dev_program **objects = rt_arena_alloc_array(&arena, units->count, sizeof(dev_program *));
    rt_build_target target = {units->items[0]->device, out_bundle->context, options, {0}};
    for (uint32_t i = 0; i < units->count; i++) {
        const rt_bundle_unit *unit = units->items[i];
        CHECK(unit->object && unit->image && unit->device == target.device);
        *rt_vector_push(&set.images) = unit->image;
        objects[i] = unit->object;
        target.constants = rt_spec_list_union(&arena, target.constants, unit->constants);
    }
    /* The first image's link options, then the call's. */
    rt_text joined =
        rt_program_options_join(&arena, units->items[0]->image->image->link_options, options);
    uint32_t id = rt_bundle_program_id(manager);
    dev_program *executable = NULL;
    rt_status status = rt_program_link(manager, &target, id, &set, objects, joined, &executable);
    if (rt_ok(status))
        rt_bundle_add_program(manager, out_bundle, &target, id, &set, executable, false);
    rt_link_set_free(&set);
    rt_arena_reset(&arena);
    return status;
}

/* Links object bundles of one context into an executable bundle for the devices that are in all of
 * them; the caller finishes the bundle. */
static rt_status link_bundles(rt_program_manager *manager, const rt_bundle *const *bundles,
                              uint32_t count, rt_text options, rt_bundle *out_bundle)
{
    for (uint32_t i = 0; i < bundles[0]->devices.count; i++) {
        const rt_device *device = bundles[0]->devices.items[i];
        bool is_common = true;
        for (uint32_t b = 0; b < count; b++)
            is_common = is_common && has_device(bundles[b], device);
        if (!is_common) continue;
        *rt_vector_push(&out_bundle->devices) = device;
        unit_list units = units_of(bundles, count, device);
        rt_status status = RT_STATUS_OK;
        if (units.count > 0) status = link_units(manager, &units, options, out_bundle);
        rt_vector_free(&units);
        if (!rt_ok(status)) return status;
    }
    if (out_bundle->devices.count > 0) return RT_STATUS_OK;
    return rt_fail(manager->sink, RT_ERRC_INVALID, RT_RULE_NONE,
                   "cannot link %u kernel bundles: no device is in all of them", count);
}

static rt_status check_contexts(rt_program_manager *manager, const rt_bundle *const *bundles,
                                uint32_t count)
{
    CHECK(count >= 1);
    for (uint32_t b = 1; b < count; b++) {
        CHECK(bundles[b]->state == bundles[0]->state);
        if (bundles[b]->context == bundles[0]->context) continue;
        return rt_fail(manager->sink, RT_ERRC_INVALID, RT_RULE_NONE,
                       "kernel bundles of different contexts (%u and %u) cannot be combined",
                       bundles[0]->context, bundles[b]->context);
    }
    return RT_STATUS_OK;
}

/* ---- Contents and traces ------------------------------------------------------------------ */

/* The names of the units' images, or of the kernels in them, each once.  Allocated in the arena. */
static const rt_text *names_collect(const rt_bundle *bundle, rt_arena *arena, bool of_kernels,
                                    uint32_t *out_count)
{
    RT_VECTOR(rt_text) names = {0};
    rt_map known_names = {0};
    for (uint32_t u = 0; u < bundle->units.count; u++) {
        const rt_bundle_unit *unit = bundle->units.items[u];
        for (uint32_t i = 0; i < unit_image_count(unit); i++) {
            const rt_image *image = unit_image(unit, i);
            uint32_t name_count = of_kernels ? image->kernel_count : 1;
            for (uint32_t k = 0; k < name_count; k++) {
                rt_text name = of_kernels ? image->kernels[k] : image->name;
                if (rt_map_find(&known_names, name) != RT_MAP_NONE) continue;
                rt_map_set(&known_names, name, 1);
                *rt_vector_push(&names) = name;
            }
        }
    }
    CHECK(names.count == known_names.count);
    const rt_text *copies = rt_arena_copy(arena, names.items, names.count, sizeof *names.items);
    *out_count = names.count;
    rt_map_free(&known_names);
    rt_vector_free(&names);
    return copies;
}

const rt_text *rt_bundle_images(const rt_bundle *bundle, rt_arena *arena, uint32_t *out_count)
{
    return names_collect(bundle, arena, false, out_count);
}

const rt_text *rt_bundle_kernels(const rt_bundle *bundle, rt_arena *arena, uint32_t *out_count)
{
    return names_collect(bundle, arena, true, out_count);
}

const rt_text *rt_bundle_unresolved(const rt_bundle *bundle, rt_arena *arena, uint32_t *out_count)
{
    RT_VECTOR(rt_text) names = {0};
    rt_map known_names = {0}; /* exported, or in `names` */
    for (uint32_t pass = 0; pass < 2; pass++) {
        const char *set_name = pass == 0 ? RT_SET_EXPORTED_SYMBOLS : RT_SET_IMPORTED_SYMBOLS;
        for (uint32_t u = 0; u < bundle->units.count; u++) {
            const rt_bundle_unit *unit = bundle->units.items[u];
            for (uint32_t i = 0; i < unit_image_count(unit); i++) {
                const rt_property_set *set = rt_image_set(unit_image(unit, i), set_name);
                for (uint32_t k = 0; set && k < set->property_count; k++) {
                    rt_text name = set->properties[k].name;
                    if (rt_map_find(&known_names, name) != RT_MAP_NONE) continue;
                    rt_map_set(&known_names, name, 1);
                    if (pass == 1) *rt_vector_push(&names) = name;
                }
            }
        }
    }
    const rt_text *copies = rt_arena_copy(arena, names.items, names.count, sizeof *names.items);
    *out_count = names.count;
    rt_map_free(&known_names);
    rt_vector_free(&names);
    return copies;
}

/* Traces a bundle derived from others; compiling and building derive from a single one. */
static void trace_derived(rt_program_manager *manager, rt_event_kind kind, const rt_bundle *derived,
                          const rt_bundle *const *sources, uint32_t source_count)
{
    bool single = kind == RT_EVENT_BUNDLE_COMPILE || kind == RT_EVENT_BUNDLE_BUILD;
    CHECK(source_count >= 1 && (!single || source_count == 1));
    rt_arena arena = {0};
    uint32_t image_count;
    const rt_text *images = rt_bundle_images(derived, &arena, &image_count);
    uint64_t *ids = rt_arena_alloc_array(&arena, source_count, sizeof *ids);
    for (uint32_t i = 0; i < source_count; i++)
        ids[i] = sources[i]->id;
    const rt_trace_value values[] = {
        RT_N("bundle", derived->id),
        single ? RT_N("of", ids[0]) : RT_NS("bundles", ids, source_count),
        RT_TS("images", images, image_count),
    };
    rt_trace_emit(manager->trace, kind, values, sizeof values / sizeof *values);
    rt_arena_reset(&arena);
}

/* ---- Operations --------------------------------------------------------------------------- */

rt_status rt_bundle_compile(rt_program_manager *manager, const rt_bundle *bundle, rt_text options,
                            rt_bundle **out_bundle)
{
    rt_handover_point();
    rt_bundle *objects = rt_bundle_create(manager, RT_BUNDLE_OBJECT, bundle->context, NULL);
    rt_status status = compile_units(manager, bundle, options, objects);
    RT_TRY(rt_bundle_finish(manager, objects, status, out_bundle));
    trace_derived(manager, RT_EVENT_BUNDLE_COMPILE, objects, &bundle, 1);
    return RT_STATUS_OK;
}

rt_status rt_bundle_link(rt_program_manager *manager, const rt_bundle *const *bundles,
                         uint32_t count, rt_text options, rt_bundle **out_bundle)
{
    *out_bundle = NULL;
    rt_handover_point();
    RT_TRY(check_contexts(manager, bundles, count));
    CHECK(bundles[0]->state == RT_BUNDLE_OBJECT);
    rt_bundle *executable =
        rt_bundle_create(manager, RT_BUNDLE_EXECUTABLE, bundles[0]->context, NULL);
    rt_status status = link_bundles(manager, bundles, count, options, executable);
    RT_TRY(rt_bundle_finish(manager, executable, status, out_bundle));
    trace_derived(manager, RT_EVENT_BUNDLE_LINK, executable, bundles, count);
    return RT_STATUS_OK;
}

rt_status rt_bundle_build(rt_program_manager *manager, const rt_bundle *bundle,
                          rt_bundle **out_bundle)
{
    rt_handover_point();
    rt_bundle *objects = rt_bundle_create(manager, RT_BUNDLE_OBJECT, bundle->context, NULL);
    rt_bundle *executable = rt_bundle_create(manager, RT_BUNDLE_EXECUTABLE, bundle->context, NULL);
    rt_status status = compile_units(manager, bundle, (rt_text){0}, objects);
    rt_handover_point();
    const rt_bundle *linked[] = {objects};
    if (rt_ok(status)) status = link_bundles(manager, linked, 1, (rt_text){0}, executable);
    rt_bundle_release(manager, objects);
    RT_TRY(rt_bundle_finish(manager, executable, status, out_bundle));
    trace_derived(manager, RT_EVENT_BUNDLE_BUILD, executable, &bundle, 1);
    return RT_STATUS_OK;
}

rt_status rt_bundle_join(rt_program_manager *manager, const rt_bundle *const *bundles,
                         uint32_t count, rt_bundle **out_bundle)
{
    *out_bundle = NULL;
    rt_handover_point();
    RT_TRY(check_contexts(manager, bundles, count));
    rt_bundle *joined = rt_bundle_create(manager, bundles[0]->state, bundles[0]->context, NULL);
    for (uint32_t b = 0; b < count; b++) {
        for (uint32_t i = 0; i < bundles[b]->devices.count; i++) {
            const rt_device *device = bundles[b]->devices.items[i];
            if (!has_device(joined, device)) *rt_vector_push(&joined->devices) = device;
        }
    }
    unit_list units = units_of(bundles, count, NULL);
    rt_program_manager_lock(manager);
    for (uint32_t i = 0; i < units.count; i++) {
        rt_bundle_unit *unit =
            (rt_bundle_unit *)units.items[i]; /* only its reference count changes */
        CHECK(unit->references >= 1 && has_device(joined, unit->device));
        unit->references++;
        *rt_vector_push(&joined->units) = unit;
    }
    rt_program_manager_unlock(manager);
    rt_vector_free(&units);
    RT_TRY(rt_bundle_finish(manager, joined, RT_STATUS_OK, out_bundle));
    trace_derived(manager, RT_EVENT_BUNDLE_JOIN, joined, bundles, count);
    return RT_STATUS_OK;
}

rt_status rt_bundle_kernel(rt_program_manager *manager, const rt_bundle *bundle,
                           const rt_kernel_request *request, rt_program **out_program,
                           dev_kernel **out_kernel)
{
    CHECK(bundle->state == RT_BUNDLE_EXECUTABLE);
    *out_program = NULL;
    *out_kernel = NULL;
    rt_handover_point();
    if (request->context != bundle->context) {
        return rt_fail(manager->sink, RT_ERRC_INVALID, RT_RULE_NONE,
                       "the kernel bundle belongs to context %u, the queue to context %u",
                       bundle->context, request->context);
    }
    if (request->constant_count > 0) {
        rt_text name = request->constants[0].name;
        return rt_fail_naming(
            manager->sink, RT_ERRC_INVALID, RT_RULE_NONE, &name, 1,
            "specialisation constant '%.*s' cannot be set for a launch from a "
            "kernel bundle: set it in the bundle while the bundle is in state input",
            RT_TEXT_ARG(name));
    }
    for (uint32_t i = 0; i < bundle->units.count; i++) {
        const rt_bundle_unit *unit = bundle->units.items[i];
        if (unit->device != request->device || !unit_has_kernel(unit, request->kernel)) continue;
        rt_program_manager_lock(manager);
        rt_status status =
            rt_program_take_kernel(manager, unit->program, request->kernel, out_kernel);
        if (rt_ok(status)) {
            CHECK(unit->program->device == request->device);
            unit->program->references++;
            *out_program = unit->program;
        }
        rt_program_manager_unlock(manager);
        return status;
    }
    return rt_fail_naming(manager->sink, RT_ERRC_KERNEL_NOT_SUPPORTED, RT_RULE_NONE,
                          &request->kernel, 1,
                          "the kernel bundle has no kernel '%.*s' for device %.*s",
                          RT_TEXT_ARG(request->kernel), RT_TEXT_ARG(request->device->name));
}

rt_bundle_state rt_bundle_state_of(const rt_bundle *bundle)
{
    return bundle->state;
}

uint32_t rt_bundle_unit_count(const rt_bundle *bundle)
{
    return bundle->units.count;
}
