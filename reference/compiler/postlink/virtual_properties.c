/* The properties of an image that list the set it provides, the sets it calls and creates, and its
 * requirements.
 *
 * Shipped DPC++ has one property in place of the two for calling and creating, and an image that
 * provides a set does not have it (tags D2 and D3 of requirements.yaml). assay's reference runtime
 * may read both in any image, so a provider that itself creates objects has them too
 * (VF-LINK-09). */
#include "reference/compiler/postlink/virtual_images.h"

#include "reference/base/map.h"
#include "reference/base/vector.h"
#include "reference/compiler/describe/aspects.h"
#include "reference/compiler/ir/attributes.h"
#include "reference/compiler/postlink/virtual_functions.h"
#include "reference/image/virtual_functions.h"

typedef RT_VECTOR(rt_property) property_list;

/* Distinct names in the order in which they were added. */
typedef struct name_list {
    rt_map seen;
    rt_buffer text;
} name_list;

static void add_name(name_list *list, rt_text name)
{
    CHECK(name.length > 0);
    if (rt_map_find(&list->seen, name) != RT_MAP_NONE) return;
    rt_map_set(&list->seen, name, 0);
    if (list->text.size > 0) rt_buffer_append_byte(&list->text, ',');
    rt_buffer_append_text(&list->text, name);
}

static void add_names(name_list *list, rt_text names)
{
    rt_text name;
    while (rt_set_names_next(&names, &name))
        add_name(list, name);
}

/* Returns the list's text, in the arena, and frees the list. */
static rt_text finish_names(pl_job *job, name_list *list)
{
    rt_text text = rt_arena_text(&job->arena, rt_buffer_text(&list->text));
    rt_map_free(&list->seen);
    rt_buffer_free(&list->text);
    return text;
}

/* A text as bytes without a NUL, like those of sycl-post-link (PropertyValue(StringRef) in
 * PropertySetIO.h). */
static rt_property text_property(pl_job *job, const char *name, rt_text text)
{
    rt_text copy = rt_arena_text(&job->arena, text);
    return (rt_property){.name = rt_text_of(name),
                         .type = RT_PROPERTY_BYTES,
                         .bytes = {(const uint8_t *)copy.data, copy.length}};
}

/* ---- Lists --------------------------------------------------------------------------------- */

/* The sets that the image's kernels are declared to call (VF-PROP-08). */
static rt_text calls_of(pl_job *job, const pl_graph *graph, const pl_part *part)
{
    name_list list = {0};
    for (uint32_t i = 0; i < part->count; i++) {
        const pl_node *node = &graph->nodes[part->placed[i].node];
        bool entry = part->placed[i].role == PL_ENTRY; /* only kernels call sets */
        if (RULE(VF_PROP_08, entry)) add_names(&list, node->calls);
    }
    return finish_names(job, &list);
}

/* The sets whose functions are in the image's vtables, except the set that the image provides, in
 * the module's order. */
static rt_text creates_of(pl_job *job, const pl_graph *graph, const pl_part *part)
{
    bool *created = rt_arena_alloc_array(&job->arena, graph->set_count, sizeof *created);
    for (uint32_t i = 0; i < part->count; i++) {
        const pl_node *node = &graph->nodes[part->placed[i].node];
        pl_role role = part->placed[i].role;
        if (role != PL_ENTRY && role != PL_COPY) continue;
        for (uint32_t k = 0; k < node->reference_count; k++) {
            uint32_t set = graph->nodes[node->references[k]].set;
            CHECK(set < graph->set_count);
            created[set] = RULE(VF_PROP_09, true);
        }
    }
    name_list list = {0};
    for (uint32_t set = 0; set < graph->set_count; set++)
        if (created[set] && set != part->set) add_name(&list, graph->sets[set].name);
    return finish_names(job, &list);
}

/* ---- The documents' set -------------------------------------------------------------------- */

static void add_relation_set(pl_job *job, property_list *items, const pl_graph *graph,
                             const pl_part *part)
{
    CHECK(part->set == PL_NONE || part->set < graph->set_count);
    bool provides = part->set != PL_NONE;
    if (provides) {
        rt_text name = RULE(VF_PROP_06, graph->sets[part->set].name);
        *rt_vector_push(items) = text_property(job, RT_VIRTUAL_FUNCTIONS_PROVIDES, name);
    }
    if (RULE(VF_PROP_07, part->dummy)) {
        *rt_vector_push(items) = (rt_property){
            .name = RT_TEXT(RT_VIRTUAL_FUNCTIONS_DUMMY), .type = RT_PROPERTY_UINT32, .number = 1};
    }
    if (part->dummy) return; /* the image creates no objects */
    bool documents = job->profile == RT_PROFILE_DOCUMENTS;
    if (!documents && provides) return;
    rt_text calls = calls_of(job, graph, part), creates = creates_of(job, graph, part);
    if (documents) {
        if (calls.length > 0)
            *rt_vector_push(items) = text_property(job, RT_VIRTUAL_FUNCTIONS_CALLS, calls);
        if (creates.length > 0)
            *rt_vector_push(items) = text_property(job, RT_VIRTUAL_FUNCTIONS_CREATES, creates);
        return;
    }
    name_list list = {0};
    add_names(&list, calls);
    add_names(&list, creates);
    rt_text uses = finish_names(job, &list);
    if (uses.length > 0) {
        *rt_vector_push(items) = text_property(job, RT_VIRTUAL_FUNCTIONS_USES, uses);
    }
}

/* ---- The image ----------------------------------------------------------------------------- */

/* Adds a set of the listed properties, if there are any, and empties the list. */
static void add_set(pl_job *job, pl_properties *properties, const char *name, property_list *items)
{
    if (items->count == 0) return;
    const rt_property *copy = rt_arena_copy(&job->arena, items->items, items->count, sizeof *copy);
    pl_properties_add(properties, name, copy, items->count);
    items->count = 0;
}

void pl_virtual_properties_add(pl_job *job, pl_properties *properties, LLVMModuleRef module,
                               const pl_graph *graph, const pl_part *part, bool ahead)
{
    property_list items = {0};
    if (RULE(VF_PROP_11, !ahead)) add_relation_set(job, &items, graph, part);
    add_set(job, properties, RULE(VF_PROP_05, RT_SET_VIRTUAL_FUNCTIONS), &items);
    LLVMValueRef function = LLVMGetFirstFunction(module);
    for (; function; function = LLVMGetNextFunction(function)) {
        bool visible = !LLVMIsDeclaration(function) && !pl_is_local(function);
        if (!visible || !pl_attribute_has(function, PL_INDIRECTLY_CALLABLE)) continue;
        *rt_vector_push(&items) = text_property(job, pl_job_name(job, function).data,
                                                pl_attribute(function, PL_INDIRECTLY_CALLABLE));
    }
    add_set(job, properties, RT_SET_VIRTUAL_FUNCTION_SETS, &items);
    for (uint32_t i = 0; i < part->count; i++) {
        const pl_node *node = &graph->nodes[part->placed[i].node];
        bool caller = part->placed[i].role == PL_ENTRY && node->calls.length > 0;
        CHECK_IMPLIES(caller, node->kind == PL_KERNEL);
        if (caller) *rt_vector_push(&items) = text_property(job, node->name.data, node->calls);
    }
    add_set(job, properties, RT_SET_KERNEL_CALLS, &items);
    rt_vector_free(&items);
}

/* ---- Requirements -------------------------------------------------------------------------- */

pl_aspects pl_image_aspects(const pl_graph *graph, const pl_part *part, pl_aspects of_code)
{
    CHECK_IMPLIES(part->dummy, part->set != PL_NONE);
    if (RULE(VF_DUMMY_03, part->dummy)) return 0;
    if (part->set != PL_NONE) return RULE(VF_SPLIT_11, part->aspects);
    pl_aspects aspects = part->aspects;
    bool virtual_code = false;
    for (uint32_t i = 0; i < part->count; i++) {
        const pl_node *node = &graph->nodes[part->placed[i].node];
        virtual_code = virtual_code || node->kind == PL_VIRTUAL;
    }
    /* A kernel that calls a virtual function but names no set is an ordinary kernel; only its
     * author knows whether a launch reaches the call (VF-FE-04). */
    /* Virtual functions, present with bodies or only in slots, may have added capabilities to the
     * code that the image's kernels do not need. */
    return RULE(VF_DUMMY_05, virtual_code) ? aspects : aspects | of_code;
}
