/* Mistakes of post-link that are larger than a mutant of a mark (fault.h). */
#include "reference/base/alloc.h"
#include "reference/base/fault.h"
#include "reference/compiler/ir/attributes.h"
#include "reference/compiler/ir/builtins.h"
#include "reference/compiler/ir/values.h"
#include "reference/compiler/ir/variable_attributes.h"
#include "reference/compiler/postlink/device_globals.h"
#include "reference/compiler/postlink/image.h"
#include "reference/compiler/postlink/split.h"
#include "reference/compiler/postlink/symbols.h"
#include "reference/compiler/postlink/virtual_images.h"
#include "reference/image/device_global.h"

/* ---- Symbols -------------------------------------------------------------------------------- */

rt_status __real_pl_image_make(pl_job *job, const rt_postlink_request *request, LLVMModuleRef input,
                               const pl_graph *graph, const pl_part *part, rt_text name,
                               rt_image *out_image);
rt_status __wrap_pl_image_make(pl_job *job, const rt_postlink_request *request, LLVMModuleRef input,
                               const pl_graph *graph, const pl_part *part, rt_text name,
                               rt_image *out_image);
void __real_pl_symbols_collect(pl_job *job, LLVMModuleRef module, pl_symbols *out_symbols);
void __wrap_pl_symbols_collect(pl_job *job, LLVMModuleRef module, pl_symbols *out_symbols);

static _Thread_local LLVMModuleRef whole_input; /* of the image being made */

static bool is_defined(LLVMModuleRef module, const char *name)
{
    LLVMValueRef function = LLVMGetNamedFunction(module, name);
    return function && !LLVMIsDeclaration(function);
}

static LLVMValueRef undefined_variable(LLVMModuleRef module)
{
    LLVMValueRef variable = LLVMGetFirstGlobal(module);
    while (variable && (!LLVMIsDeclaration(variable) || rt_text_starts(pl_name(variable), "llvm.")))
        variable = LLVMGetNextGlobal(variable);
    return variable;
}

/* True if two underscores follow a number within a mangled name, and so begin one of its parts. */
static bool is_reserved_inside(rt_text symbol)
{
    if (!rt_text_starts(symbol, "_Z")) return false;
    for (size_t i = 2; i + 2 < symbol.length; i++) {
        bool is_digit = symbol.data[i] >= '0' && symbol.data[i] <= '9';
        if (is_digit && symbol.data[i + 1] == '_' && symbol.data[i + 2] == '_') return true;
    }
    return false;
}

rt_status __wrap_pl_image_make(pl_job *job, const rt_postlink_request *request, LLVMModuleRef input,
                               const pl_graph *graph, const pl_part *part, rt_text name,
                               rt_image *out_image)
{
    if (undefined_variable(input) && RT_FAULT(DL_IMPORT_08, "an undefined variable is refused"))
        return rt_fail(job->sink, RT_POSTLINK_ERROR, RT_RULE_DL_IMPORT_08,
                       "a variable is not defined");
    whole_input = input;
    RT_TRY(__real_pl_image_make(job, request, input, graph, part, name, out_image));
    const rt_property_set *imports = rt_image_set(out_image, RT_SET_IMPORTED_SYMBOLS);
    for (uint32_t i = 0; imports && i < imports->property_count; i++)
        if (is_reserved_inside(imports->properties[i].name) &&
            RT_FAULT(DL_IMPORT_10, "a name with underscores after a namespace is refused"))
            return rt_fail(job->sink, RT_POSTLINK_ERROR, RT_RULE_DL_IMPORT_10,
                           "a symbol is reserved");
    return RT_STATUS_OK;
}

/* True if the planted fault leaves the import out. */
static bool leaves_out(LLVMModuleRef module, const char *name)
{
    LLVMValueRef function = LLVMGetNamedFunction(module, name);
    if (function && !pl_any_call(function) && RT_FAULT(DL_REQ_09, "only calls are references"))
        return true;
    return whole_input && is_defined(whole_input, name) &&
           RT_FAULT(DL_IMPORT_05, "imports are those before the split");
}

/* Appends the SPIR-V operations that the module declares, if that fault is planted; returns the new
 * number of imports. */
static uint32_t add_operations(pl_job *job, LLVMModuleRef module, rt_text *imports, uint32_t count)
{
    LLVMValueRef function = LLVMGetFirstFunction(module);
    for (; function; function = LLVMGetNextFunction(function)) {
        if (LLVMIsDeclaration(function) && pl_symbol_is_spirv_operation(pl_name(function)) &&
            RT_FAULT(DL_IMPORT_03, "SPIR-V operations are imports"))
            imports[count++] = pl_job_name(job, function);
    }
    return count;
}

void __wrap_pl_symbols_collect(pl_job *job, LLVMModuleRef module, pl_symbols *out_symbols)
{
    __real_pl_symbols_collect(job, module, out_symbols);
    rt_text *imports = rt_arena_alloc_array(
        &job->arena, (size_t)out_symbols->import_count + pl_symbol_count(module), sizeof *imports);
    uint32_t count = 0, unlisted_count = out_symbols->unlisted_count;
    rt_text *unlisted = rt_arena_alloc_array(
        &job->arena, (size_t)unlisted_count + out_symbols->import_count, sizeof *unlisted);
    for (uint32_t i = 0; i < unlisted_count; i++)
        unlisted[i] = out_symbols->unlisted[i];
    for (uint32_t i = 0; i < out_symbols->import_count; i++) {
        rt_text name = out_symbols->imports[i];
        if (leaves_out(module, rt_arena_text(&job->arena, name).data))
            unlisted[unlisted_count++] = name;
        else
            imports[count++] = name;
    }
    out_symbols->unlisted = unlisted;
    out_symbols->unlisted_count = unlisted_count;
    count = add_operations(job, module, imports, count);
    out_symbols->imports = imports;
    out_symbols->import_count = count;
}

/* ---- The split ------------------------------------------------------------------------------ */

rt_status __real_pl_split_plan(pl_job *job, const pl_graph *graph, const pl_split_options *options,
                               const pl_part **out_parts, uint32_t *out_count);
rt_status __wrap_pl_split_plan(pl_job *job, const pl_graph *graph, const pl_split_options *options,
                               const pl_part **out_parts, uint32_t *out_count);

static bool is_referred(const pl_graph *graph, uint32_t index)
{
    for (uint32_t i = 0; i < graph->node_count; i++)
        for (uint32_t k = 0; k < graph->nodes[i].reference_count; k++)
            if (graph->nodes[i].references[k] == index) return true;
    return false;
}

/* Changes what the split sees of a function. */
static void change_node(const pl_graph *graph, uint32_t index)
{
    pl_node *node = &graph->nodes[index];
    if (node->kind == PL_EXTERNAL && node->defined &&
        RT_FAULT(DL_SPLIT_09, "every function has its own image"))
        node->unit = graph->unit_count + index;
    if (node->kind == PL_VIRTUAL && node->defined && !is_referred(graph, index) &&
        RT_FAULT(VF_FE_01, "a function in no vtable is left out"))
        node->defined = false;
}

/* Changes the roles in a part; `copied` tells which nodes earlier parts have copied. */
static void change_roles(const pl_graph *graph, pl_part *part, bool *copied)
{
    bool has_kernel = false;
    pl_placed *placed = (pl_placed *)part->placed;
    for (uint32_t i = 0; i < part->count; i++)
        has_kernel = has_kernel ||
                     (placed[i].role == PL_ENTRY && graph->nodes[placed[i].node].kind == PL_KERNEL);
    for (uint32_t i = 0; i < part->count; i++) {
        const pl_node *node = &graph->nodes[placed[i].node];
        if (placed[i].role == PL_ENTRY && node->kind == PL_EXTERNAL && has_kernel &&
            RT_FAULT(DL_EXPORT_05, "an image with kernels exports no functions"))
            placed[i].role = PL_COPY;
        bool is_repeated = copied[placed[i].node] && placed[i].role == PL_COPY;
        copied[placed[i].node] =
            copied[placed[i].node] || placed[i].role == PL_COPY || placed[i].role == PL_ENTRY;
        if (is_repeated && node->kind == PL_HELPER &&
            RT_FAULT(DL_SPLIT_07, "only one image has the helper"))
            placed[i].role = PL_IMPORT;
        if (is_repeated && node->device_global &&
            RT_FAULT(DG_POSTLINK_05, "only one image has the definition"))
            placed[i].role = PL_IMPORT;
    }
}

/* A device_global without image scope that several parts define; PL_NONE: there is none. */
static uint32_t shared_global(const pl_graph *graph, const pl_part *parts, uint32_t count)
{
    uint32_t found = PL_NONE;
    bool *seen = rt_alloc_array(graph->node_count, sizeof *seen);
    for (uint32_t p = 0; p < count; p++) {
        for (uint32_t i = 0; i < parts[p].count; i++) {
            uint32_t index = parts[p].placed[i].node;
            const pl_node *node = &graph->nodes[index];
            if (!node->device_global || node->image_scope) continue;
            if (seen[index]) found = index;
            seen[index] = true;
        }
    }
    rt_free(seen);
    return found;
}

static rt_status change_parts(pl_job *job, const pl_graph *graph, const pl_part **out_parts,
                              uint32_t *out_count)
{
    pl_part *parts = rt_arena_copy(&job->arena, *out_parts, *out_count, sizeof *parts);
    bool *copied = rt_alloc_array(graph->node_count, sizeof *copied);
    uint32_t count = 0;
    for (uint32_t p = 0; p < *out_count; p++) {
        bool is_plain = parts[p].set != PL_NONE && parts[p].aspects == 0;
        if (is_plain && RT_FAULT(VF_SPLIT_04, "a set without optional features is lost")) continue;
        parts[count] = parts[p];
        change_roles(graph, &parts[count++], copied);
    }
    rt_free(copied);
    *out_parts = parts;
    *out_count = count;
    if (shared_global(graph, parts, count) != PL_NONE &&
        RT_FAULT(DG_POSTLINK_04, "a device_global must be in one image"))
        return rt_fail(job->sink, RT_POSTLINK_ERROR, RT_RULE_DG_POSTLINK_04,
                       "a device_global is in several images");
    return RT_STATUS_OK;
}

rt_status __wrap_pl_split_plan(pl_job *job, const pl_graph *graph, const pl_split_options *options,
                               const pl_part **out_parts, uint32_t *out_count)
{
    pl_split_options changed = *options;
    bool is_off = options->split == RT_SPLIT_OFF ||
                  (options->split == RT_SPLIT_AUTO && graph->calls_through_pointers);
    if (is_off && RT_FAULT(VF_SPLIT_01, "without a split, virtual functions stay where they are"))
        changed.outlines = false;
    pl_node *before = rt_arena_copy(&job->arena, graph->nodes, graph->node_count, sizeof *before);
    for (uint32_t i = 0; i < graph->function_count; i++)
        change_node(graph, i);
    rt_status status = __real_pl_split_plan(job, graph, &changed, out_parts, out_count);
    for (uint32_t i = 0; i < graph->node_count; i++)
        graph->nodes[i] = before[i];
    return rt_ok(status) ? change_parts(job, graph, out_parts, out_count) : status;
}

/* ---- Virtual functions ---------------------------------------------------------------------- */

void __real_pl_graph_fill_aspects(pl_graph *graph);
void __wrap_pl_graph_fill_aspects(pl_graph *graph);
pl_aspects __real_pl_image_aspects(const pl_graph *graph, const pl_part *part, pl_aspects of_code);
pl_aspects __wrap_pl_image_aspects(const pl_graph *graph, const pl_part *part, pl_aspects of_code);
void __real_pl_dummy_empty(pl_job *job, LLVMModuleRef module, const pl_graph *graph,
                           const pl_part *part);
void __wrap_pl_dummy_empty(pl_job *job, LLVMModuleRef module, const pl_graph *graph,
                           const pl_part *part);
void __real_pl_sets_drop(LLVMModuleRef module, const pl_graph *graph, pl_aspects supported);
void __wrap_pl_sets_drop(LLVMModuleRef module, const pl_graph *graph, pl_aspects supported);

/* True if a node's references count as uses. */
static bool follows_references(const pl_node *node)
{
    if (node->reference_count == 0) return false;
    return node->is_vtable ? RT_FAULT(VF_ASPECT_04, "aspects propagate through the vtable")
                           : RT_FAULT(VF_ASPECT_06, "aspects propagate through pointers");
}

void __wrap_pl_graph_fill_aspects(pl_graph *graph)
{
    pl_node *before = rt_alloc_array(graph->node_count, sizeof *before);
    uint32_t **uses = rt_alloc_array(graph->node_count, sizeof(uint32_t *));
    for (uint32_t i = 0; i < graph->node_count; i++) {
        pl_node *node = &graph->nodes[i];
        before[i] = *node;
        if (!follows_references(node)) continue;
        uint32_t count = 0;
        uses[i] = rt_alloc_array((size_t)node->use_count + node->reference_count, sizeof *uses[i]);
        for (uint32_t k = 0; k < node->use_count; k++)
            uses[i][count++] = node->uses[k];
        for (uint32_t k = 0; k < node->reference_count; k++)
            uses[i][count++] = node->references[k];
        node->uses = uses[i];
        node->use_count = count;
    }
    __real_pl_graph_fill_aspects(graph);
    for (uint32_t i = 0; i < graph->node_count; i++) {
        graph->nodes[i].uses = before[i].uses;
        graph->nodes[i].use_count = before[i].use_count;
        rt_free(uses[i]);
    }
    rt_free(uses);
    rt_free(before);
}

pl_aspects __wrap_pl_image_aspects(const pl_graph *graph, const pl_part *part, pl_aspects of_code)
{
    pl_aspects aspects = __real_pl_image_aspects(graph, part, of_code);
    for (uint32_t i = 0; i < part->count; i++) {
        const pl_node *node = &graph->nodes[part->placed[i].node];
        if (node->kind == PL_KERNEL && node->calls_pointers && node->calls.length == 0 &&
            RT_FAULT(VF_FE_04, "no device can run a virtual call that names no set"))
            aspects |= (pl_aspects)1 << 63;
    }
    return aspects;
}

void __wrap_pl_dummy_empty(pl_job *job, LLVMModuleRef module, const pl_graph *graph,
                           const pl_part *part)
{
    pl_part emptied = *part;
    pl_placed *placed = rt_arena_copy(&job->arena, part->placed, part->count, sizeof *placed);
    emptied.placed = placed;
    emptied.count = 0;
    for (uint32_t i = 0; i < part->count; i++) {
        bool is_plain = graph->nodes[part->placed[i].node].aspects == 0;
        if (!is_plain || !RT_FAULT(VF_DUMMY_02, "functions without optional features stay"))
            placed[emptied.count++] = part->placed[i];
    }
    __real_pl_dummy_empty(job, module, graph, &emptied);
}

void __wrap_pl_sets_drop(LLVMModuleRef module, const pl_graph *graph, pl_aspects supported)
{
    bool drops_any = false;
    for (uint32_t i = 0; i < graph->set_count; i++)
        drops_any = drops_any || (graph->sets[i].aspects & ~supported) != 0;
    bool drops_all = drops_any && RT_FAULT(VF_AOT_05, "all sets are dropped with one");
    pl_aspects *before = rt_alloc_array((size_t)graph->set_count + 1, sizeof *before);
    for (uint32_t i = 0; i < graph->set_count; i++) {
        before[i] = graph->sets[i].aspects;
        if (drops_all) graph->sets[i].aspects |= (pl_aspects)1 << 63;
    }
    __real_pl_sets_drop(module, graph, drops_all ? 0 : supported);
    for (uint32_t i = 0; i < graph->set_count; i++)
        graph->sets[i].aspects = before[i];
    rt_free(before);
}

/* ---- device_globals ------------------------------------------------------------------------- */

void __real_rt_device_global_value_write(rt_buffer *out, rt_device_global_value value);
void __wrap_rt_device_global_value_write(rt_buffer *out, rt_device_global_value value);
void __real_pl_device_globals_describe(pl_job *job, LLVMModuleRef image, pl_properties *properties);
void __wrap_pl_device_globals_describe(pl_job *job, LLVMModuleRef image, pl_properties *properties);

void __wrap_rt_device_global_value_write(rt_buffer *out, rt_device_global_value value)
{
    if (RT_FAULT(DG_PROPSET_04, "the size is that of a pointer")) value.size = sizeof(uint64_t);
    __real_rt_device_global_value_write(out, value);
}

/* True if a kernel itself, not a function that it calls, refers to the value. */
static bool is_used_by_kernel(LLVMValueRef value)
{
    for (LLVMUseRef use = LLVMGetFirstUse(value); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        bool is_used = LLVMIsAInstruction(user)
                           ? pl_is_kernel(LLVMGetBasicBlockParent(LLVMGetInstructionParent(user)))
                           : is_used_by_kernel(user);
        if (is_used) return true;
    }
    return false;
}

/* Hides the device_globals to which no kernel refers, or shows them again. */
static void change_globals(pl_job *job, LLVMModuleRef image, LLVMValueRef *initials, bool hides)
{
    uint32_t count = 0;
    LLVMValueRef variable = job->device_globals ? LLVMGetFirstGlobal(image) : NULL;
    for (; variable; variable = LLVMGetNextGlobal(variable), count++) {
        if (!hides && initials[count]) LLVMSetInitializer(variable, initials[count]);
        LLVMValueRef initial = LLVMGetInitializer(variable);
        if (!hides || !initial || !pl_is_device_global(variable) || is_used_by_kernel(variable))
            continue;
        initials[count] = initial;
        LLVMSetInitializer(variable, NULL);
    }
}

void __wrap_pl_device_globals_describe(pl_job *job, LLVMModuleRef image, pl_properties *properties)
{
    rt_text value;
    LLVMValueRef *initials =
        rt_arena_alloc_array(&job->arena, pl_symbol_count(image), sizeof(LLVMValueRef));
    bool hides = RT_FAULT(DG_POSTLINK_02, "only references in kernels count");
    if (hides) change_globals(job, image, initials, true);
    LLVMValueRef variable = LLVMGetFirstGlobal(image);
    for (; variable; variable = LLVMGetNextGlobal(variable)) {
        if (pl_is_device_global(variable) || !pl_variable_attribute(variable, PL_GLOBAL_ID, &value))
            continue;
        if (RT_FAULT(DG_POSTLINK_12, "any variable with an id is a device_global"))
            pl_variable_attribute_set(variable, PL_GLOBAL_SIZE, RT_TEXT("8"));
    }
    __real_pl_device_globals_describe(job, image, properties);
    if (hides) change_globals(job, image, initials, false);
}
