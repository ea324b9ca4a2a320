/* Identities, constants and promotions of a list's arguments. */
#include "reference/fusion/parameters.h"

#include "reference/base/map.h"
#include "reference/fusion/plan.h"

#include <string.h>

/* One buffer of the list: the first parameter to which it is passed, and what its accessors
 * request.
 */
typedef struct buffer_use {
    const rt_memory *memory;
    rt_fusion_place first;
    rt_promotion promotion; /* that of the accessors so far, combined */
    bool is_requested;      /* an accessor requested promotion */
    bool has_accessor;      /* `promotion` comes from at least one accessor */
    bool is_final;          /* later accessors no longer count (in profile dpcpp) */
    rt_text reason;         /* why `promotion` is RT_PROMOTION_NONE although one was requested */
    uint64_t local[RT_ND_RANGE_DIMENSIONS]; /* local size of the first kernel using it */
} buffer_use;

typedef struct maker {
    rt_sink *sink;
    rt_profile profile;
    rt_arena *arena;
    const rt_fusion_range *fused;
    uint64_t local_left; /* unused bytes of a group's local memory */
    rt_map index;        /* key_of an argument -> index in `places` of its first place */
    RT_VECTOR(rt_fusion_place) places;
    RT_VECTOR(rt_fusion_identity) identities;
    RT_VECTOR(rt_fusion_constant) constants;
    RT_VECTOR(buffer_use) buffers;
    rt_map buffer_index; /* the same keys -> index in `buffers` */
} maker;

/* ---- Identities and constants ------------------------------------------------------------- */

/* Two arguments with the same key are the same pointer.  Two arguments in local memory never are
 * (tag B45). */
static rt_text key_of(rt_arena *arena, const rt_argument *argument)
{
    bool buffer = argument->kind == RT_ARGUMENT_MEMORY;
    return rt_arena_printf(arena, "%s%u+%llu", buffer ? "buffer " : "usm ", argument->memory->id,
                           buffer ? 0ULL : (unsigned long long)argument->offset);
}

/* ---- Promotions --------------------------------------------------------------------------- */

/* The promotion that one accessor requests, taking its buffer's property into account. */
static rt_status requested_promotion(rt_sink *sink, const rt_argument *argument,
                                     rt_promotion *out_promotion)
{
    rt_promotion accessor = argument->promotion, buffer = argument->memory->promotion;
    *out_promotion = accessor == RT_PROMOTION_NONE ? buffer : accessor;
    if (accessor == RT_PROMOTION_NONE || buffer == RT_PROMOTION_NONE || accessor == buffer)
        return RT_STATUS_OK;
    return rt_fail_naming(sink, RT_ERRC_INVALID, RT_RULE_NONE, &argument->memory->name, 1,
                          "Contradicting promotion properties on accessor and underlying buffer "
                          "are not allowed. ('%.*s')",
                          RT_TEXT_ARG(argument->memory->name));
}

static void give_up(buffer_use *use, const char *reason)
{
    use->promotion = RT_PROMOTION_NONE;
    if (use->reason.length == 0) use->reason = rt_text_of(reason);
}

/* Shipped DPC++ combines the accessors one after the other (tag B38). */
static void combine_shipped(buffer_use *use, rt_promotion requested, bool local_known)
{
    if (!use->has_accessor) {
        use->promotion = requested;
        use->is_final = requested == RT_PROMOTION_NONE;
    } else if (use->is_final) {
        if (requested != RT_PROMOTION_NONE)
            give_up(use, "Not performing specified promotion, due to previous mismatch or because "
                         "previous accessor specified no promotion");
    } else if (requested == RT_PROMOTION_NONE) {
        use->is_final = true;
        give_up(use, "Deactivating previously specified promotion, because this accessor does not "
                     "specify promotion");
    } else if (requested == RT_PROMOTION_LOCAL && use->promotion == RT_PROMOTION_PRIVATE) {
        use->promotion = requested;
        use->is_final = !local_known;
        if (use->is_final)
            give_up(use, "Not performing specified local promotion because previous kernels did "
                         "not specify a local size");
    }
    /* A private request after a local one leaves the promotion local. */
}

static void add_accessor(maker *make, const rt_argument *argument, const rt_fusion_range *range,
                         rt_fusion_place place, rt_promotion requested)
{
    rt_text key = key_of(make->arena, argument);
    uint32_t at = rt_map_find(&make->buffer_index, key);
    if (at == RT_MAP_NONE) {
        at = make->buffers.count;
        rt_map_set(&make->buffer_index, key, at);
        *rt_vector_push(&make->buffers) = (buffer_use){.memory = argument->memory, .first = place};
        memcpy(make->buffers.items[at].local, range->local, sizeof range->local);
    }
    CHECK(at < make->buffers.count);
    buffer_use *use = &make->buffers.items[at];
    CHECK(use->memory == argument->memory && use->first.kernel <= place.kernel);
    use->is_requested = use->is_requested || requested != RT_PROMOTION_NONE;
    if (make->profile == RT_PROFILE_DPCPP)
        combine_shipped(use, requested, use->local[0] != 0);
    else if (!use->has_accessor)
        use->promotion = requested;
    else if (use->promotion != requested) /* the extension's table: all must request the same
                                           * promotion */
        give_up(use, "the accessors do not all request the same promotion");
    use->has_accessor = true;
    bool same_groups = memcmp(use->local, range->local, sizeof range->local) == 0;
    if (use->promotion != RT_PROMOTION_LOCAL || (range->local[0] != 0 && same_groups)) return;
    use->is_final = true;
    give_up(use, range->local[0] == 0
                     ? "Work-group size for local promotion not specified, not performing "
                       "internalization"
                     : "Not performing specified local promotion due to work-group size mismatch");
}

/* Reserves count * size bytes of a work-group's local memory. False: too few bytes are left, and
 * nothing is reserved. */
static bool local_take(maker *make, uint64_t count, uint64_t size)
{
    CHECK(size > 0);
    if (count > make->local_left / size) return false;
    uint64_t bytes = rt_fusion_local_bytes(count * size);
    CHECK(bytes >= count * size);
    if (bytes > make->local_left) return false;
    make->local_left -= bytes;
    return true;
}

static rt_status add_argument(maker *make, const rt_fusion_input *input, rt_fusion_place place)
{
    const rt_argument *argument = &input->launch.arguments[place.parameter];
    /* If the arguments alone need too much local memory, the device itself refuses the launch. */
    if (argument->kind == RT_ARGUMENT_LOCAL && !local_take(make, 1, argument->size))
        make->local_left = 0;
    if (argument->kind == RT_ARGUMENT_MEMORY || argument->kind == RT_ARGUMENT_POINTER) {
        rt_text key = key_of(make->arena, argument);
        uint32_t first = rt_map_find(&make->index, key);
        CHECK_IMPLIES(first != RT_MAP_NONE, first < make->places.count);
        if (first != RT_MAP_NONE) {
            CHECK(make->places.items && make->places.items[first].kernel <= place.kernel);
            *rt_vector_push(&make->identities) =
                (rt_fusion_identity){.original = make->places.items[first], .duplicate = place};
        } else {
            rt_map_set(&make->index, key, make->places.count);
            *rt_vector_push(&make->places) = place;
        }
    }
    /* A value is known now unless it contains a pointer, whose address is valid only in this run.
     */
    if (argument->kind == RT_ARGUMENT_BYTES && argument->pointer_count == 0)
        *rt_vector_push(&make->constants) = (rt_fusion_constant){place, argument->bytes};
    if (argument->kind != RT_ARGUMENT_MEMORY) return RT_STATUS_OK;
    rt_promotion requested = RT_PROMOTION_NONE;
    RT_TRY(requested_promotion(make->sink, argument, &requested));
    add_accessor(make, argument, &input->range, place, requested);
    return RT_STATUS_OK;
}

/* ---- Sizes, and the result ------------------------------------------------------------------ */

/* The number of elements that a promoted buffer has per work-item or work-group (tag B37); 0: the
 * buffer stays in global memory. */
static uint64_t promote(maker *make, buffer_use *use)
{
    if (use->promotion == RT_PROMOTION_NONE) return 0;
    CHECK(use->memory->element_size > 0);
    bool is_local = use->promotion == RT_PROMOTION_LOCAL;
    uint64_t parts = rt_fusion_items(make->fused);
    if (is_local) {
        /* The fused kernel's groups are as large as those of the kernels that use the buffer. */
        CHECK(rt_fusion_group_items(make->fused) > 0);
        parts /= rt_fusion_group_items(make->fused);
    }
    CHECK(parts > 0); /* The group size of a held launch divides its range (rt_hold_check). */
    uint64_t elements = use->memory->size / use->memory->element_size / parts;
    if (elements == 0)
        give_up(use, "the buffer is too small to give every work-item or work-group an element");
    else if (is_local && !local_take(make, elements, use->memory->element_size)) {
        give_up(use, "the device has too little local memory for a work-group's part of it");
        return 0;
    }
    return elements;
}

static void promotions_make(maker *make, rt_fusion_parameters *out)
{
    rt_fusion_promotion *promotions =
        rt_arena_alloc_array(make->arena, make->buffers.count, sizeof *promotions);
    rt_text *names = rt_arena_alloc_array(make->arena, make->buffers.count, sizeof *names);
    rt_fusion_demotion *demotions =
        rt_arena_alloc_array(make->arena, make->buffers.count, sizeof *demotions);
    for (uint32_t i = 0; i < make->buffers.count; i++) {
        buffer_use *use = &make->buffers.items[i];
        uint64_t elements = promote(make, use);
        if (elements == 0) {
            if (use->is_requested)
                demotions[out->demotion_count++] =
                    (rt_fusion_demotion){use->memory->name, use->reason};
            continue;
        }
        CHECK(use->promotion != RT_PROMOTION_NONE && use->memory->element_size > 0);
        names[out->promotion_count] = use->memory->name;
        promotions[out->promotion_count++] = (rt_fusion_promotion){
            .parameter = use->first,
            .kind = use->promotion == RT_PROMOTION_LOCAL ? RT_FUSION_LOCAL : RT_FUSION_PRIVATE,
            .elements = elements,
            .element_bytes = use->memory->element_size,
        };
    }
    CHECK(out->promotion_count + out->demotion_count <= make->buffers.count);
    out->promotions = promotions;
    out->promoted = names;
    out->demotions = demotions;
}

rt_status rt_fusion_parameters_make(rt_sink *sink, rt_profile profile, rt_arena *arena,
                                    const rt_fusion_input *inputs, uint32_t count,
                                    const rt_fusion_range *fused, uint64_t local_size_max,
                                    rt_fusion_parameters *out_parameters)
{
    CHECK(count >= 1);
    *out_parameters = (rt_fusion_parameters){0};
    maker make = {.sink = sink,
                  .profile = profile,
                  .arena = arena,
                  .fused = fused,
                  .local_left = local_size_max};
    rt_status status = RT_STATUS_OK;
    for (uint32_t k = 0; k < count && rt_ok(status); k++) {
        for (uint32_t p = 0; p < inputs[k].launch.argument_count && rt_ok(status); p++)
            status = add_argument(&make, &inputs[k], (rt_fusion_place){k, p});
    }
    if (rt_ok(status)) {
        /* The number of parts of a buffer depends on the fused range, so promotions need one. */
        if (fused) promotions_make(&make, out_parameters);
        CHECK(make.buffers.count <= make.places.count);
        CHECK_IMPLIES(make.identities.count > 0, make.places.count > 0);
        out_parameters->identity_count = make.identities.count;
        out_parameters->identities = rt_arena_copy(
            arena, make.identities.items, make.identities.count, sizeof *make.identities.items);
        out_parameters->constant_count = make.constants.count;
        out_parameters->constants = rt_arena_copy(arena, make.constants.items, make.constants.count,
                                                  sizeof *make.constants.items);
    }
    rt_map_free(&make.index);
    rt_map_free(&make.buffer_index);
    rt_vector_free(&make.places);
    rt_vector_free(&make.identities);
    rt_vector_free(&make.constants);
    rt_vector_free(&make.buffers);
    return status;
}
