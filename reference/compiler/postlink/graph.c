/* Builds the graph of uses. The only check here is that of call types; split.c decides what goes
 * into which image. */
#include "reference/compiler/postlink/graph.h"

#include "reference/base/map.h"
#include "reference/base/vector.h"
#include "reference/compiler/ir/attributes.h"
#include "reference/compiler/ir/place.h"
#include "reference/compiler/ir/values.h"
#include "reference/compiler/ir/variable_attributes.h"
#include "reference/compiler/postlink/device_globals.h"
#include "reference/compiler/postlink/input.h"
#include "reference/compiler/postlink/symbols.h"
#include "reference/compiler/postlink/virtual_functions.h"

typedef RT_VECTOR(uint32_t) index_vector;

typedef struct builder {
    pl_job *job;
    pl_node *nodes;
    uint32_t node_count;
    rt_map index_of; /* LLVMValueRef -> node */
    rt_map unit_of;  /* sycl-module-id -> unit */
    rt_map set_of;   /* name of a set -> set */
    pl_set *sets;
    uint32_t *seen_for;            /* per node: 1 + the last node to whose uses it was added */
    uint32_t *referred_by;         /* per node: the same for references instead of uses */
    index_vector uses, references; /* of the current node */
    pl_text_list mistyped;         /* functions that are called with a type other than their own */
    rt_text mistyped_at;           /* the place of the first such call */
    bool calls_through_pointers;
} builder;

static uint32_t unit_index(builder *build, rt_text id)
{
    rt_text text = rt_arena_text(&build->job->arena, id);
    uint32_t unit = rt_map_find(&build->unit_of, text);
    if (unit == RT_MAP_NONE) {
        unit = build->unit_of.count;
        rt_map_set(&build->unit_of, text, unit);
    }
    CHECK(unit < build->unit_of.count);
    return unit;
}

/* The set of an indirectly callable function, added to the graph if it is new; PL_NONE for other
 * functions. */
static uint32_t set_index(builder *build, LLVMValueRef function)
{
    if (!pl_attribute_has(function, PL_INDIRECTLY_CALLABLE)) return PL_NONE;
    rt_text name =
        rt_arena_text(&build->job->arena, pl_attribute(function, PL_INDIRECTLY_CALLABLE));
    uint32_t set = rt_map_find(&build->set_of, name);
    if (set == RT_MAP_NONE) {
        set = build->set_of.count;
        build->sets[set].name = name;
        rt_map_set(&build->set_of, name, set);
    }
    CHECK(set < build->set_of.count);
    return set;
}

static void add_node(builder *build, LLVMValueRef value, pl_node node)
{
    CHECK(LLVMIsAGlobalValue(value));
    CHECK_IMPLIES(node.offered, node.kind == PL_VARIABLE && node.unit != PL_NONE);
    CHECK_IMPLIES(node.kind == PL_VARIABLE, node.set == PL_NONE);
    node.value = value;
    node.name = pl_job_name(build->job, value);
    node.defined = !LLVMIsDeclaration(value);
    rt_map_set_number(&build->index_of, (uintptr_t)value, build->node_count);
    build->nodes[build->node_count++] = node;
}

static void add_functions(builder *build, LLVMModuleRef module)
{
    LLVMValueRef function = LLVMGetFirstFunction(module);
    for (; function; function = LLVMGetNextFunction(function)) {
        pl_node node = {.unit = PL_NONE, .set = set_index(build, function), .kind = PL_HELPER};
        if (pl_attribute_has(function, PL_MODULE_ID)) {
            node.unit = unit_index(build, pl_attribute(function, PL_MODULE_ID));
        }
        /* A function that other sources cannot call is a helper, regardless of its attributes; so
         * is a function that shipped DPC++ mistakes for a builtin because of its name. */
        bool entry = node.unit != PL_NONE && !LLVMIsDeclaration(function) &&
                     !pl_is_local(function) && !pl_is_hidden_entry(build->job, function);
        if (pl_is_kernel(function)) {
            node.kind = PL_KERNEL;
        } else if (node.set != PL_NONE) {
            node.kind = PL_VIRTUAL;
        } else if (RULE(DL_FE_02, entry)) {
            node.kind = PL_EXTERNAL;
        }
        node.calls = rt_arena_text(&build->job->arena, pl_attribute(function, PL_CALLS_INDIRECTLY));
        add_node(build, function, node);
    }
}

static void add_variables(builder *build, LLVMModuleRef module)
{
    LLVMValueRef variable = LLVMGetFirstGlobal(module);
    for (; variable; variable = LLVMGetNextGlobal(variable)) {
        rt_text id;
        bool symbol = pl_variable_attribute(variable, PL_MODULE_ID, &id) &&
                      pl_variable_is_offered(build->job, variable);
        pl_node node = {.kind = PL_VARIABLE, .set = PL_NONE};
        node.device_global = build->job->device_globals && pl_is_device_global(variable);
        if (node.device_global) {
            /* Every image that refers to a device_global defines it (DG-POSTLINK-05), so no image
             * has to import it. */
            node.image_scope = pl_is_image_scope(variable);
        } else {
            unsigned space = LLVMGetPointerAddressSpace(LLVMTypeOf(variable));
            node.shared = space == PL_SPACE_GLOBAL && !LLVMIsGlobalConstant(variable);
            node.is_vtable = pl_is_vtable(variable);
            node.offered = symbol;
        }
        node.unit = symbol && !node.image_scope ? unit_index(build, id) : PL_NONE;
        add_node(build, variable, node);
    }
}

/* Records the functions and variables in a value: the value itself, or the operands of a constant.
 */
static void note_value(builder *build, uint32_t user, LLVMValueRef value, bool is_callee)
{
    if (!LLVMIsAConstant(value) || LLVMIsABlockAddress(value)) return;
    if (!LLVMIsAGlobalValue(value)) {
        int count = LLVMGetNumOperands(value);
        for (int i = 0; i < count; i++)
            note_value(build, user, LLVMGetOperand(value, (unsigned)i), false);
        return;
    }
    uint32_t used = rt_map_find_number(&build->index_of, (uintptr_t)value);
    CHECK(user < build->node_count && used < build->node_count);
    bool referred = !is_callee && build->nodes[used].set != PL_NONE;
    uint32_t *noted_for = referred ? &build->referred_by[used] : &build->seen_for[used];
    if (*noted_for == user + 1) return;
    *noted_for = user + 1;
    index_vector *list = referred ? &build->references : &build->uses;
    *rt_vector_push(list) = used;
}

static void note_body(builder *build, uint32_t user, LLVMValueRef function)
{
    LLVMValueRef instruction = pl_first_instruction(function);
    for (; instruction; instruction = pl_next_instruction(instruction)) {
        int count = LLVMGetNumOperands(instruction);
        bool calls = LLVMIsACallInst(instruction) != NULL; /* its last operand is the callee */
        for (int i = 0; i < count; i++)
            note_value(build, user, LLVMGetOperand(instruction, (unsigned)i),
                       calls && i == count - 1);
        if (!calls) continue;
        LLVMValueRef callee = LLVMGetCalledValue(instruction);
        LLVMValueRef mistyped = pl_mistyped_callee(instruction);
        if (LLVMIsAInlineAsm(callee) || (LLVMIsAFunction(callee) && !mistyped)) continue;
        build->calls_through_pointers = build->nodes[user].calls_pointers = true;
        if (!mistyped) continue;
        if (build->mistyped.count == 0) build->mistyped_at = pl_place(build->job, instruction);
        *rt_vector_push(&build->mistyped) = pl_job_name(build->job, mistyped);
    }
}

static const uint32_t *keep(pl_job *job, const index_vector *indices)
{
    return rt_arena_copy(&job->arena, indices->items, indices->count, sizeof *indices->items);
}

static void note_uses(builder *build, uint32_t index)
{
    CHECK(index < build->node_count);
    pl_node *node = &build->nodes[index];
    build->uses.count = build->references.count = 0;
    if (node->kind == PL_VARIABLE) {
        LLVMValueRef initializer = LLVMGetInitializer(node->value);
        if (initializer) note_value(build, index, initializer, false);
    } else {
        note_body(build, index, node->value);
    }
    CHECK(build->uses.count <= build->node_count && build->references.count <= build->node_count);
    node->uses = keep(build->job, &build->uses);
    node->use_count = build->uses.count;
    node->references = keep(build->job, &build->references);
    node->reference_count = build->references.count;
}

/* ---- The check ----------------------------------------------------------------------------- */

bool pl_graph_check(const pl_graph *graph)
{
    CHECK(graph->function_count <= graph->node_count);
    for (uint32_t i = 0; i < graph->node_count; i++) {
        const pl_node *node = &graph->nodes[i];
        bool variable = node->kind == PL_VARIABLE;
        CHECK(variable == (i >= graph->function_count));
        CHECK(node->defined == !LLVMIsDeclaration(node->value));
        CHECK(rt_text_equal(node->name, pl_name(node->value)));
        CHECK(node->unit == PL_NONE || node->unit < graph->unit_count);
        CHECK(node->set == PL_NONE || node->set < graph->set_count);
        CHECK_IMPLIES(node->kind == PL_VIRTUAL, node->set != PL_NONE);
        CHECK_IMPLIES(node->calls.length > 0, node->kind == PL_KERNEL);
        CHECK_IMPLIES(node->calls_pointers, graph->calls_through_pointers);
        CHECK_IMPLIES(node->shared || node->offered || node->is_vtable, variable);
        CHECK_IMPLIES(node->offered,
                      node->unit != PL_NONE && node->defined && !node->device_global);
        CHECK_IMPLIES(node->device_global, variable && !node->shared);
        CHECK_IMPLIES(node->image_scope, node->device_global && node->unit == PL_NONE);
        CHECK_IMPLIES(!node->defined, node->use_count == 0 && node->reference_count == 0);
        for (uint32_t k = 0; k < node->use_count; k++)
            CHECK(node->uses[k] < graph->node_count);
        for (uint32_t k = 0; k < node->reference_count; k++)
            CHECK(graph->nodes[node->references[k]].set != PL_NONE);
    }
    for (uint32_t i = 0; i < graph->set_count; i++)
        CHECK(graph->sets[i].name.length > 0);
    return true;
}

/* ---- The graph ----------------------------------------------------------------------------- */

rt_status pl_graph_build(pl_job *job, LLVMModuleRef module, pl_graph *out_graph)
{
    uint32_t capacity = pl_symbol_count(module);
    builder build = {.job = job};
    build.nodes = rt_arena_alloc_array(&job->arena, capacity, sizeof *build.nodes);
    build.seen_for = rt_arena_alloc_array(&job->arena, capacity, sizeof *build.seen_for);
    build.referred_by = rt_arena_alloc_array(&job->arena, capacity, sizeof *build.referred_by);
    build.sets = rt_arena_alloc_array(&job->arena, capacity, sizeof *build.sets);
    add_functions(&build, module);
    uint32_t function_count = build.node_count;
    add_variables(&build, module);
    CHECK(function_count <= build.node_count);
    CHECK(build.node_count == capacity);
    CHECK(build.index_of.count == build.node_count);
    for (uint32_t i = 0; i < build.node_count; i++)
        note_uses(&build, i);
    *out_graph = (pl_graph){.nodes = build.nodes,
                            .node_count = build.node_count,
                            .function_count = function_count,
                            .unit_count = build.unit_of.count,
                            .sets = build.sets,
                            .set_count = build.set_of.count,
                            .calls_through_pointers = build.calls_through_pointers};
    CHECK_SLOW(pl_graph_check(out_graph));
    rt_status status = RT_STATUS_OK;
    if (build.mistyped.count > 0)
        status = rt_fail_naming(
            job->sink, RT_POSTLINK_ERROR, RT_RULE_NONE, build.mistyped.items, build.mistyped.count,
            "%.*sfunction '%.*s' is declared and defined with different types; make the "
            "declarations agree",
            RT_TEXT_ARG(build.mistyped_at), RT_TEXT_ARG(build.mistyped.items[0]));
    rt_map_free(&build.index_of);
    rt_map_free(&build.unit_of);
    rt_map_free(&build.set_of);
    rt_vector_free(&build.uses);
    rt_vector_free(&build.references);
    rt_vector_free(&build.mistyped);
    return status;
}
