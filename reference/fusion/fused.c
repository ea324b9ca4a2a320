/* Requests to the fusion compiler, their results, and the store of fused kernels.
 *
 * A list goes through these steps; the first one needs neither the compiler nor a lock:
 *
 *   plan       range, identities, promotions, constants, shared variables (rt_fused_plan_make)
 *   key        the request without a name, the available local memory if it matters, the device and
 *              context (key_make); a kernel that is already in the store is reused
 *   compile    the hook is called without a lock, and again if the promotions do not fit; its
 *              result comes from another process and is validated (compiler_ask)
 *   inject     the image becomes a program in its own bundle (rt_bundle_inject)
 *   keep       the first thread's kernel stays; that of a slower thread is freed (kernel_keep)
 *   launch     the fused kernel's parameters get the arguments of the list's kernels (launch_make)
 */
#include "reference/fusion/fused.h"

#include "reference/base/handover.h"
#include "reference/base/limits.h"
#include "reference/base/lock.h"
#include "reference/base/map.h"
#include "reference/base/ptx.h"
#include "reference/fusion/plan.h"
#include "reference/image/device_global.h"
#include "reference/program/specialise.h"

#include <pthread.h>
#include <string.h>

/* The newest SPIR-V version that all of assay's tools accept, encoded as in a module's header. */
enum { SPIRV_VERSION_MAX = 0x00010200 };

typedef struct fused_kernel {
    rt_text key;             /* in the arena below */
    rt_text name;            /* the same */
    rt_fusion_result result; /* in the arena */
    rt_bundle *bundle;
    rt_arena arena;
} fused_kernel;

struct rt_fused_kernels {
    rt_fused_tools tools;
    pthread_mutex_t lock; /* guards the members below */
    rt_map index;         /* key -> kernels */
    RT_VECTOR(fused_kernel *) kernels;
    uint32_t name_count; /* names assigned so far (tag B46) */
};

/* ---- The store ---------------------------------------------------------------------------- */

/* Checks the invariants that hold between operations: every kernel is found under its key, has the
 * name requested from the compiler, and is in a bundle. */
static bool store_check(const rt_fused_kernels *fused)
{
    CHECK(fused->kernels.count <= fused->name_count);
    for (uint32_t i = 0; i < fused->kernels.count; i++) {
        const fused_kernel *kernel = fused->kernels.items[i];
        CHECK(kernel->key.length > 0);
        CHECK(rt_map_find(&fused->index, kernel->key) == i);
        CHECK(rt_bundle_state_of(kernel->bundle) == RT_BUNDLE_EXECUTABLE);
        CHECK(rt_bundle_unit_count(kernel->bundle) == 1);
        CHECK(kernel->result.image.kernel_count == 1);
        CHECK(rt_text_equal(kernel->result.image.kernels[0], kernel->name));
        for (uint32_t k = 0; k < i; k++)
            CHECK(!rt_text_equal(fused->kernels.items[k]->name, kernel->name));
    }
    return true;
}

static void store_lock(rt_fused_kernels *fused)
{
    rt_lock_take(&fused->lock);
    CHECK_SLOW(store_check(fused));
}

static void store_unlock(rt_fused_kernels *fused)
{
    CHECK_SLOW(store_check(fused));
    rt_lock_release(&fused->lock);
}

rt_fused_kernels *rt_fused_create(const rt_fused_tools *tools)
{
    rt_fused_kernels *fused = rt_alloc(sizeof *fused);
    fused->tools = *tools;
    rt_lock_init(&fused->lock);
    return fused;
}

static void kernel_free(rt_fused_kernels *fused, fused_kernel *kernel)
{
    rt_bundle_release(fused->tools.programs, kernel->bundle);
    rt_arena_reset(&kernel->arena);
    rt_free(kernel);
}

void rt_fused_destroy(rt_fused_kernels *fused)
{
    CHECK_SLOW(store_check(fused));
    for (uint32_t i = 0; i < fused->kernels.count; i++)
        kernel_free(fused, fused->kernels.items[i]);
    rt_vector_free(&fused->kernels);
    rt_map_free(&fused->index);
    pthread_mutex_destroy(&fused->lock);
    rt_free(fused);
}

/* ---- The plan ----------------------------------------------------------------------------- */

/* The format in which the list is fused: that of the first kernel's first image. */
static rt_format format_of(const rt_fusion_list *list)
{
    CHECK(list->count >= 1 && list->kernels[0].program->image_count >= 1);
    return list->kernels[0].program->images[0]->image->format;
}

/* Only code that the fusion compiler can read is fused: SPIR-V, or bitcode embedded in a PTX image.
 */
static rt_status check_codes(rt_fused_kernels *fused, const rt_fusion_list *list)
{
    rt_format format = format_of(list);
    for (uint32_t k = 0; k < list->count; k++) {
        rt_text kernel = list->kernels[k].kernel;
        const rt_program *program = list->kernels[k].program;
        for (uint32_t i = 0; i < program->image_count; i++) {
            const rt_image *image = program->images[i]->image;
            bool is_fusible = image->format == RT_FORMAT_SPIRV64 || image->format == RT_FORMAT_PTX;
            if (!is_fusible || image->format != format) {
                bool amd = image->format == RT_FORMAT_AMDGCN;
                return rt_fail_naming(fused->tools.sink, RT_FUSION_REJECTED,
                                      amd ? RT_RULE_KF_TARGET_06 : RT_RULE_KF_TARGET_07, &kernel, 1,
                                      "kernel '%.*s' is in image %.*s of format %s; only spirv64 "
                                      "and ptx can be fused",
                                      RT_TEXT_ARG(kernel), RT_TEXT_ARG(image->name),
                                      rt_format_name(image->format));
            }
            if (format == RT_FORMAT_SPIRV64 || rt_image_embedded_ir(image).size > 0) continue;
            return rt_fail_naming(fused->tools.sink, RT_FUSION_REJECTED, RT_RULE_KF_TARGET_05,
                                  &kernel, 1,
                                  "No suitable IR available for fusion: kernel '%.*s' is in image "
                                  "%.*s, which was built without embed_ir",
                                  RT_TEXT_ARG(kernel), RT_TEXT_ARG(image->name));
        }
    }
    return RT_STATUS_OK;
}

/* The maximum number of bytes of local memory that a work-group's variables may occupy on the
 * device, which may have more in total. A device that takes PTX runs all code as PTX, even if a
 * tool translates it from SPIR-V. */
static uint64_t variables_max(const rt_fusion_list *list)
{
    uint64_t room = list->device->capabilities.local_size_max;
    bool runs_ptx = list->device->capabilities.formats_taken >> RT_FORMAT_PTX & 1;
    bool bounded = runs_ptx && room > RT_PTX_VARIABLES_MAX;
    return bounded ? RT_PTX_VARIABLES_MAX : room;
}

rt_status rt_fused_plan_make(rt_fused_kernels *fused, rt_arena *arena, const rt_fusion_list *list,
                             rt_queue_id queue, bool barriers, rt_fused_plan *out_plan)
{
    CHECK(list->count >= 1 && list->fusion->users > 0);
    rt_fusion_input *inputs = rt_arena_alloc_array(arena, list->count, sizeof *inputs);
    rt_fusion_range *ranges = rt_arena_alloc_array(arena, list->count, sizeof *ranges);
    for (uint32_t k = 0; k < list->count; k++) {
        const rt_listed_kernel *kernel = &list->kernels[k];
        CHECK(kernel->program->device == list->device);
        CHECK(kernel->program->context == list->context);
        inputs[k].launch = rt_launch_pass(arena, kernel->program, kernel->launch);
        const dev_nd_range *launched = &kernel->launch->range;
        CHECK(launched->dimensions >= 1 && launched->dimensions <= RT_ND_RANGE_DIMENSIONS);
        ranges[k].dimensions = launched->dimensions;
        memcpy(ranges[k].global, launched->global, sizeof launched->global);
        memcpy(ranges[k].local, launched->local, sizeof launched->local);
        memcpy(ranges[k].offset, launched->offset, sizeof launched->offset);
        inputs[k].range = ranges[k];
    }
    *out_plan =
        (rt_fused_plan){.list = list, .queue = queue, .inputs = inputs, .barriers = barriers};
    rt_status status = rt_fusion_plan(fused->tools.sink, fused->tools.profile, ranges, list->count,
                                      &out_plan->range);
    /* Contradicting promotions are the application's mistake, whether or not the ranges can be
     * combined. */
    const rt_fusion_range *range = rt_ok(status) ? &out_plan->range : NULL;
    RT_TRY(rt_fusion_parameters_make(fused->tools.sink, fused->tools.profile, arena, inputs,
                                     list->count, range, variables_max(list),
                                     &out_plan->parameters));
    RT_TRY(status);
    CHECK(out_plan->range.dimensions >= 1 && out_plan->range.dimensions <= RT_ND_RANGE_DIMENSIONS);
    CHECK(rt_fusion_items(&out_plan->range) >= 1);
    RT_TRY(check_codes(fused, list));
    RT_TRY(rt_shared_variables_find(fused->tools.sink, arena, list, &out_plan->variables));
    if (fused->tools.compiler) return RT_STATUS_OK;
    return rt_fail(fused->tools.sink, RT_FUSION_REJECTED, RT_RULE_NONE, RT_FUSED_NO_COMPILER);
}

/* ---- The request -------------------------------------------------------------------------- */

static rt_link_code code_of(rt_arena *arena, const rt_listed_kernel *kernel, const rt_image *image,
                            const rt_image *requesting)
{
    const rt_kernel_request launch_request = {.constants = kernel->launch->constants,
                                              .constant_count = kernel->launch->constant_count};
    dev_spec_constant *set = NULL;
    uint32_t count = rt_spec_list_of_image(
        arena, rt_spec_list_make(arena, &launch_request, requesting), image, &set);
    rt_link_constant *constants = rt_arena_alloc_array(arena, count, sizeof *constants);
    for (uint32_t i = 0; i < count; i++)
        constants[i] = (rt_link_constant){set[i].id, set[i].value};
    CHECK(count <= kernel->launch->constant_count);
    bool spirv = image->format == RT_FORMAT_SPIRV64;
    return (rt_link_code){.spirv = spirv ? image->code : rt_image_embedded_ir(image),
                          .constants = constants,
                          .constant_count = count};
}

static const rt_fusion_kernel *kernels_make(rt_arena *arena, const rt_fused_plan *plan)
{
    uint32_t count = plan->list->count;
    rt_fusion_kernel *kernels = rt_arena_alloc_array(arena, count, sizeof *kernels);
    for (uint32_t k = 0; k < count; k++) {
        const rt_listed_kernel *listed = &plan->list->kernels[k];
        const rt_program *program = listed->program;
        CHECK(program->image_count >= 1);
        rt_link_code *codes = rt_arena_alloc_array(arena, program->image_count, sizeof *codes);
        for (uint32_t i = 0; i < program->image_count; i++)
            codes[i] = code_of(arena, listed, program->images[i]->image, program->images[0]->image);
        kernels[k] =
            (rt_fusion_kernel){.name = listed->kernel,
                               .codes = codes,
                               .code_count = program->image_count,
                               .range = plan->inputs[k].range}; /* KF-RANGE-08, KF-RANGE-16 */
    }
    return kernels;
}

/* The local memory that the kernels' arguments leave for a work-group's variables; if the arguments
 * need too much, the device refuses the launch. */
static uint64_t local_room(const rt_fused_plan *plan)
{
    uint64_t room = plan->list->device->capabilities.local_size_max;
    for (uint32_t k = 0; k < plan->list->count; k++) {
        const rt_launch *launch = &plan->inputs[k].launch;
        for (uint32_t i = 0; i < launch->argument_count; i++) {
            if (launch->arguments[i].kind != RT_ARGUMENT_LOCAL) continue;
            uint64_t size = rt_fusion_local_bytes(launch->arguments[i].size);
            room = size < room ? room - size : 1;
        }
    }
    CHECK(room <= plan->list->device->capabilities.local_size_max || room == 1);
    const uint64_t most = variables_max(plan->list);
    return room < most ? room : most;
}

/* True if the plan has promotions to local memory; only then does the available local memory
 * matter. */
static bool promotes_to_local(const rt_fused_plan *plan)
{
    const rt_fusion_parameters *parameters = &plan->parameters;
    for (uint32_t i = 0; i < parameters->promotion_count; i++)
        if (parameters->promotions[i].kind == RT_FUSION_LOCAL) return true;
    return false;
}

/* The request omits the available local memory, so that one request, and a pack's answer to it,
 * serve devices with any amount of local memory. */
static rt_fusion_request request_make(rt_arena *arena, const rt_fused_plan *plan, rt_text name)
{
    const rt_fusion_parameters *parameters = &plan->parameters;
    CHECK(plan->list->count >= 1 && name.length > 0);
    return (rt_fusion_request){
        .name = name,
        .kernels = kernels_make(arena, plan),
        .kernel_count = plan->list->count,
        .range = plan->range,
        .barriers = plan->barriers,
        .identities = parameters->identities,
        .identity_count = parameters->identity_count,
        .promotions = parameters->promotions,
        .promotion_count = parameters->promotion_count,
        .constants = parameters->constants,
        .constant_count = parameters->constant_count,
        .variables = plan->variables.symbols,
        .variable_count = plan->variables.count,
        .format = format_of(plan->list),
        .spirv_version_max = SPIRV_VERSION_MAX,
    };
}

/* The key: the request without a name, the available local memory if it matters, and the program's
 * device and context. */
static rt_text key_make(rt_arena *arena, const rt_fused_plan *plan)
{
    rt_buffer bytes = {0};
    /* The serialised form requires a name, so all keys contain the same one. */
    rt_fusion_request request = request_make(arena, plan, RT_TEXT("fused"));
    rt_fusion_request_write(&bytes, &request);
    rt_write_u64(&bytes, promotes_to_local(plan) ? local_room(plan) : 0);
    rt_write_u32(&bytes, plan->list->device->id);
    rt_write_u32(&bytes, plan->list->context);
    rt_text key = rt_arena_text(arena, rt_buffer_text(&bytes));
    CHECK(key.length > 0);
    rt_buffer_free(&bytes);
    return key;
}

/* ---- Making ------------------------------------------------------------------------------- */

static void trace_fuse(rt_fused_kernels *fused, rt_arena *arena, const rt_fused_plan *plan,
                       rt_text name)
{
    uint32_t count = plan->list->count;
    rt_text *names = rt_arena_alloc_array(arena, count, sizeof *names);
    for (uint32_t k = 0; k < count; k++)
        names[k] = plan->list->kernels[k].kernel;
    const rt_fusion_range *range = &plan->range;
    const rt_fusion_parameters *parameters = &plan->parameters;
    RT_TRACE(fused->tools.trace, FUSE, RT_T("kernel", name), RT_N("queue", plan->queue),
             RT_TS("kernels", names, count), RT_NS("global", range->global, range->dimensions),
             RT_NS("local", range->local, range->dimensions),
             RT_NS("offset", range->offset, range->dimensions),
             RT_T("barriers", plan->barriers ? RT_TEXT("true") : RT_TEXT("false")),
             RT_N("joined", parameters->identity_count),
             RT_TS("promoted", parameters->promoted, parameters->promotion_count),
             RT_N("constants", parameters->constant_count));
}

/* Asks the compiler, and validates what its process returns before it is used. */
static rt_status compiler_ask(rt_fused_kernels *fused, const rt_fused_plan *plan,
                              fused_kernel *kernel, const rt_fusion_request *request)
{
    const rt_fused_tools *tools = &fused->tools;
    rt_buffer answer = {0};
    CHECK(rt_text_equal(request->name, kernel->name));
    rt_status status = tools->compiler->fuse(tools->compiler->user, tools->sink, request, &answer);
    if (rt_ok(status)) {
        rt_bytes bytes = rt_arena_bytes(&kernel->arena, rt_buffer_bytes(&answer));
        status = rt_fusion_result_read(tools->sink, &kernel->arena, bytes, &kernel->result);
    }
    rt_buffer_free(&answer);
    RT_TRY(status);
    const rt_fusion_result *result = &kernel->result;
    CHECK(result->image.kernel_count == 1);
    bool is_valid = rt_text_equal(result->image.kernels[0], kernel->name) &&
                    !rt_image_set(&result->image, RT_SET_DEVICE_GLOBALS) &&
                    result->promotion_count == plan->parameters.promotion_count;
    for (uint32_t i = 0; i < result->parameter_count && is_valid; i++) {
        const rt_fusion_place *place = &result->parameters[i];
        is_valid = place->kernel < plan->list->count &&
                   place->parameter < plan->inputs[place->kernel].launch.argument_count;
    }
    if (is_valid) return RT_STATUS_OK;
    return rt_fail(tools->sink, RT_TOOL, RT_RULE_NONE,
                   "the fusion compiler's result for '%.*s' does not match its request",
                   RT_TEXT_ARG(kernel->name));
}

/* If the promoted buffers turn out not to fit into local memory together, compiles a second time,
 * now stating the available local memory. */
static rt_status kernel_make(rt_fused_kernels *fused, const rt_fused_plan *plan,
                             fused_kernel *kernel)
{
    const rt_fused_tools *tools = &fused->tools;
    rt_arena *arena = &kernel->arena;
    CHECK(kernel->key.length > 0 && !kernel->bundle);
    store_lock(fused);
    uint32_t number = fused->name_count++;
    store_unlock(fused);
    kernel->name = rt_arena_printf(arena, "fused_%u", number);
    trace_fuse(fused, arena, plan, kernel->name);
    rt_fusion_request request = request_make(arena, plan, kernel->name);
    RT_TRY(compiler_ask(fused, plan, kernel, &request));
    const uint64_t room = local_room(plan);
    request.local_size_max = room;
    if (kernel->result.local_size > room && promotes_to_local(plan))
        RT_TRY(compiler_ask(fused, plan, kernel, &request));
    if (kernel->result.local_size > room) {
        return rt_fail(tools->sink, RT_FUSION_REJECTED, RT_RULE_NONE,
                       "together, the kernels need %llu bytes of local memory, but a work-group "
                       "has only %llu; fuse fewer of them",
                       (unsigned long long)kernel->result.local_size, (unsigned long long)room);
    }
    /* Our compiler stops at fewer, but the original one has no limit. */
    if (kernel->result.parameter_count > RT_KERNEL_ARGUMENT_MAX) {
        return rt_fail(tools->sink, RT_FUSION_REJECTED, RT_RULE_NONE,
                       "together, the kernels have %u parameters, but a kernel can have only %u; "
                       "fuse fewer of them",
                       kernel->result.parameter_count, RT_KERNEL_ARGUMENT_MAX);
    }
    rt_shared_variables_add(arena, &plan->variables, &kernel->result.image);
    return rt_bundle_inject(tools->programs, plan->list->device, plan->list->context,
                            &kernel->result.image, &kernel->bundle);
}

/* Stores the kernel unless another thread has created the same one in the meantime; in that case,
 * uses the other one. */
static fused_kernel *kernel_keep(rt_fused_kernels *fused, fused_kernel *kernel)
{
    store_lock(fused);
    uint32_t index = rt_map_find(&fused->index, kernel->key);
    CHECK_IMPLIES(index != RT_MAP_NONE, index < fused->kernels.count);
    fused_kernel *winner = index == RT_MAP_NONE ? kernel : fused->kernels.items[index];
    if (winner == kernel) {
        rt_map_set(&fused->index, kernel->key, fused->kernels.count);
        *rt_vector_push(&fused->kernels) = kernel;
    }
    store_unlock(fused);
    if (winner != kernel) kernel_free(fused, kernel);
    return winner;
}

/* ---- The launch --------------------------------------------------------------------------- */

/* Gives an argument that replaces several of the list the accesses of all of them. */
static void access_join(const rt_fused_plan *plan, const rt_fusion_place *place, rt_argument *out)
{
    const rt_fusion_parameters *parameters = &plan->parameters;
    for (uint32_t i = 0; out->kind == RT_ARGUMENT_MEMORY && i < parameters->identity_count; i++) {
        const rt_fusion_identity *identity = &parameters->identities[i];
        const rt_fusion_place *same = &identity->duplicate;
        if (identity->original.kernel != place->kernel ||
            identity->original.parameter != place->parameter) {
            continue;
        }
        const rt_launch *launch = &plan->inputs[same->kernel].launch;
        if (launch->arguments[same->parameter].access != out->access)
            out->access = RT_ACCESS_READ_WRITE;
    }
}

static rt_launch launch_make(rt_arena *arena, const rt_fused_plan *plan, const fused_kernel *kernel)
{
    const rt_fusion_result *result = &kernel->result;
    rt_argument *arguments =
        rt_arena_alloc_array(arena, result->parameter_count, sizeof *arguments);
    for (uint32_t i = 0; i < result->parameter_count; i++) {
        const rt_fusion_place *place = &result->parameters[i];
        CHECK(place->kernel < plan->list->count);
        CHECK(place->parameter < plan->inputs[place->kernel].launch.argument_count);
        if (result->local_bytes[i] > 0) {
            arguments[i] = (rt_argument){.kind = RT_ARGUMENT_LOCAL, .size = result->local_bytes[i]};
            continue;
        }
        arguments[i] = plan->inputs[place->kernel].launch.arguments[place->parameter];
        access_join(plan, place, &arguments[i]);
    }
    rt_launch launch = {.kernel = kernel->name,
                        .arguments = arguments,
                        .argument_count = result->parameter_count,
                        .bundle = kernel->bundle};
    const rt_fusion_range *range = result->range.dimensions > 0 ? &result->range : &plan->range;
    launch.range.dimensions = range->dimensions;
    memcpy(launch.range.global, range->global, sizeof launch.range.global);
    memcpy(launch.range.local, range->local, sizeof launch.range.local);
    memcpy(launch.range.offset, range->offset, sizeof launch.range.offset);
    return launch;
}

/* Traces the buffers that stay in global memory although a promotion was requested. */
static void trace_demotions(rt_fused_kernels *fused, const rt_fused_plan *plan,
                            const rt_fusion_result *result)
{
    const rt_fusion_parameters *parameters = &plan->parameters;
    for (uint32_t i = 0; i < parameters->demotion_count; i++) {
        RT_TRACE(fused->tools.trace, FUSION_DEMOTE, RT_T("memory", parameters->demotions[i].memory),
                 RT_T("reason", parameters->demotions[i].reason));
    }
    CHECK(result->promotion_count == parameters->promotion_count);
    for (uint32_t i = 0; i < result->promotion_count; i++) {
        if (result->promoted[i]) continue;
        RT_TRACE(fused->tools.trace, FUSION_DEMOTE, RT_T("memory", parameters->promoted[i]),
                 RT_T("reason", result->reasons[i]));
    }
}

rt_status rt_fused_launch(rt_fused_kernels *fused, rt_arena *arena, const rt_fused_plan *plan,
                          rt_launch *out_launch)
{
    rt_text key = key_make(arena, plan);
    store_lock(fused);
    uint32_t index = rt_map_find(&fused->index, key);
    CHECK_IMPLIES(index != RT_MAP_NONE, index < fused->kernels.count);
    fused_kernel *kernel = index == RT_MAP_NONE ? NULL : fused->kernels.items[index];
    store_unlock(fused);
    if (kernel) {
        RT_TRACE(fused->tools.trace, FUSION_CACHE_HIT, RT_T("kernel", kernel->name),
                 RT_N("queue", plan->queue));
    } else {
        kernel = rt_alloc(sizeof *kernel);
        kernel->key = rt_arena_text(&kernel->arena, key);
        rt_handover_point();
        rt_status status = kernel_make(fused, plan, kernel);
        rt_handover_point();
        if (!rt_ok(status)) {
            kernel_free(fused, kernel);
            return status;
        }
        kernel = kernel_keep(fused, kernel);
    }
    CHECK(rt_text_equal(kernel->key, key) && kernel->bundle);
    trace_demotions(fused, plan, &kernel->result);
    *out_launch = launch_make(arena, plan, kernel);
    return RT_STATUS_OK;
}
