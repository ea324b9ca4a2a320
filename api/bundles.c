/* Kernel bundles. */
#include "api/objects.h"

/* ---- Handles ------------------------------------------------------------------------------- */

typedef const rt_text *names_of(const rt_bundle *bundle, rt_arena *arena, uint32_t *out_count);

/* Copies the names, so that each ends with a NUL. */
static api_names names_copy(rt_arena *arena, const rt_bundle *bundle, names_of *names)
{
    rt_arena scratch = {0};
    api_names copies = {0};
    const rt_text *listed = names(bundle, &scratch, &copies.count);
    copies.names = rt_arena_alloc_array(arena, copies.count, sizeof *copies.names);
    for (uint32_t i = 0; i < copies.count; i++)
        copies.names[i] = rt_arena_text(arena, listed[i]).data;
    rt_arena_reset(&scratch);
    return copies;
}

/* Gives the runtime a new bundle, and returns its handle. */
static assay_status finish(assay_runtime *runtime, rt_status status, rt_bundle *bundle,
                           assay_bundle **out_bundle)
{
    if (!rt_ok(status)) return api_status(runtime, status);
    rt_runtime_bundle_keep(runtime->runtime, bundle);
    rt_lock_take(&runtime->lock);
    assay_bundle *created = rt_arena_alloc(&runtime->arena, sizeof *created);
    *created = (assay_bundle){
        .runtime = runtime,
        .bundle = bundle,
        .images = names_copy(&runtime->arena, bundle, rt_bundle_images),
        .kernels = names_copy(&runtime->arena, bundle, rt_bundle_kernels),
        .unresolved = names_copy(&runtime->arena, bundle, rt_bundle_unresolved),
    };
    rt_lock_release(&runtime->lock);
    *out_bundle = created;
    return api_ok();
}

/* ---- Creation ------------------------------------------------------------------------------ */

assay_status assay_bundle_get(assay_device *device, assay_context *context,
                              assay_bundle_state state, const char *const *kernels, uint32_t count,
                              const assay_constant *constants, uint32_t constant_count,
                              assay_bundle **out_bundle)
{
    _Static_assert((int)ASSAY_BUNDLE_INPUT == (int)RT_BUNDLE_INPUT &&
                       (int)ASSAY_BUNDLE_EXECUTABLE == (int)RT_BUNDLE_EXECUTABLE,
                   "the header's states are the runtime's");
    API_REQUIRE(out_bundle, "the result's place is a null pointer");
    *out_bundle = NULL;
    API_REQUIRE(device, "the device is a null pointer");
    API_REQUIRE(!context || context->runtime == device->runtime,
                "the context belongs to another runtime");
    API_REQUIRE((unsigned)state < RT_BUNDLE_STATE_COUNT, "the bundle's state is unknown");
    API_REQUIRE(kernels || count == 0, "the list of kernels is a null pointer");
    API_REQUIRE(constant_count == 0 || state == ASSAY_BUNDLE_INPUT,
                "only a bundle in state input has constants");
    assay_runtime *runtime = device->runtime;
    rt_context_id id = context ? context->id : 0;
    if (!rt_runtime_context_holds(runtime->runtime, id, device->device))
        return api_refuse(runtime, "the context does not hold device '%.*s'",
                          RT_TEXT_ARG(device->device->name));
    api_modules_follow(runtime);
    rt_arena arena = {0};
    rt_text *names = rt_arena_alloc_array(&arena, count, sizeof *names);
    rt_bundle_request request = {.state = (rt_bundle_state)state,
                                 .device = device->device,
                                 .context = id,
                                 .kernels = names,
                                 .kernel_count = count,
                                 .constant_count = constant_count};
    assay_status status =
        api_constants(runtime, &arena, constants, constant_count, &request.constants);
    for (uint32_t i = 0; i < count && assay_ok(status); i++) {
        if (!kernels[i]) status = api_refuse(runtime, "the name of kernel %u is a null pointer", i);
        if (kernels[i]) names[i] = rt_text_of(kernels[i]);
    }
    if (assay_ok(status)) {
        rt_bundle *bundle = NULL;
        rt_status got = rt_bundle_get(rt_runtime_programs(runtime->runtime), &request, &bundle);
        status = finish(runtime, got, bundle, out_bundle);
    }
    rt_arena_reset(&arena);
    return status;
}

/* Checks that all bundles are of one runtime and in one state, and lists them in the arena. */
static assay_status bundles_convert(rt_arena *arena, assay_bundle *const *bundles, uint32_t count,
                                    const rt_bundle *const **out_list)
{
    API_REQUIRE(bundles && count > 0, "the list of bundles is empty");
    const rt_bundle **list = rt_arena_alloc_array(arena, count, sizeof *list);
    for (uint32_t i = 0; i < count; i++) {
        API_REQUIRE(bundles[i], "a bundle is a null pointer");
        API_REQUIRE(bundles[i]->runtime == bundles[0]->runtime,
                    "a bundle belongs to another runtime");
        list[i] = bundles[i]->bundle;
        API_REQUIRE(rt_bundle_state_of(list[i]) == rt_bundle_state_of(list[0]),
                    "the bundles are in different states");
    }
    *out_list = list;
    return api_ok();
}

assay_status assay_bundle_compile(assay_bundle *bundle, const char *options,
                                  assay_bundle **out_bundle)
{
    API_REQUIRE(out_bundle, "the result's place is a null pointer");
    *out_bundle = NULL;
    API_REQUIRE(bundle, "the bundle is a null pointer");
    API_REQUIRE(rt_bundle_state_of(bundle->bundle) == RT_BUNDLE_INPUT,
                "only a bundle in state input can be compiled");
    assay_runtime *runtime = bundle->runtime;
    rt_bundle *created = NULL;
    rt_status status = rt_bundle_compile(rt_runtime_programs(runtime->runtime), bundle->bundle,
                                         options ? rt_text_of(options) : (rt_text){0}, &created);
    return finish(runtime, status, created, out_bundle);
}

assay_status assay_bundle_link(assay_bundle *const *bundles, uint32_t count, const char *options,
                               assay_bundle **out_bundle)
{
    API_REQUIRE(out_bundle, "the result's place is a null pointer");
    *out_bundle = NULL;
    rt_arena arena = {0};
    const rt_bundle *const *list;
    assay_status status = bundles_convert(&arena, bundles, count, &list);
    if (assay_ok(status) && rt_bundle_state_of(list[0]) != RT_BUNDLE_OBJECT)
        status = api_refuse(bundles[0]->runtime, "only bundles in state object can be linked");
    if (assay_ok(status)) {
        assay_runtime *runtime = bundles[0]->runtime;
        rt_bundle *created = NULL;
        rt_status linked = rt_bundle_link(rt_runtime_programs(runtime->runtime), list, count,
                                          options ? rt_text_of(options) : (rt_text){0}, &created);
        status = finish(runtime, linked, created, out_bundle);
    }
    rt_arena_reset(&arena);
    return status;
}

assay_status assay_bundle_build(assay_bundle *bundle, assay_bundle **out_bundle)
{
    API_REQUIRE(out_bundle, "the result's place is a null pointer");
    *out_bundle = NULL;
    API_REQUIRE(bundle, "the bundle is a null pointer");
    API_REQUIRE(rt_bundle_state_of(bundle->bundle) == RT_BUNDLE_INPUT,
                "only a bundle in state input can be built");
    assay_runtime *runtime = bundle->runtime;
    rt_bundle *created = NULL;
    rt_status status =
        rt_bundle_build(rt_runtime_programs(runtime->runtime), bundle->bundle, &created);
    return finish(runtime, status, created, out_bundle);
}

assay_status assay_bundle_join(assay_bundle *const *bundles, uint32_t count,
                               assay_bundle **out_bundle)
{
    API_REQUIRE(out_bundle, "the result's place is a null pointer");
    *out_bundle = NULL;
    rt_arena arena = {0};
    const rt_bundle *const *list;
    assay_status status = bundles_convert(&arena, bundles, count, &list);
    if (assay_ok(status)) {
        assay_runtime *runtime = bundles[0]->runtime;
        rt_bundle *created = NULL;
        rt_status joined =
            rt_bundle_join(rt_runtime_programs(runtime->runtime), list, count, &created);
        status = finish(runtime, joined, created, out_bundle);
    }
    rt_arena_reset(&arena);
    return status;
}

/* ---- Contents ------------------------------------------------------------------------------ */

static const char *name_at(const api_names *names, uint32_t index)
{
    return index < names->count ? names->names[index] : NULL;
}

const char *assay_bundle_image(const assay_bundle *bundle, uint32_t index)
{
    return bundle ? name_at(&bundle->images, index) : NULL;
}

const char *assay_bundle_kernel(const assay_bundle *bundle, uint32_t index)
{
    return bundle ? name_at(&bundle->kernels, index) : NULL;
}

const char *assay_bundle_unresolved(const assay_bundle *bundle, uint32_t index)
{
    return bundle ? name_at(&bundle->unresolved, index) : NULL;
}
