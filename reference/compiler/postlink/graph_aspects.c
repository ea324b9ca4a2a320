/* Carries aspects from callees to callers and from sets of virtual functions to kernels.
 *
 * Source: document 004, "Aspects propagation". */
#include "reference/compiler/postlink/graph.h"

#include "reference/image/virtual_functions.h"

static pl_aspects of_uses(const pl_graph *graph, const uint32_t *uses, uint32_t count)
{
    pl_aspects aspects = 0;
    for (uint32_t i = 0; i < count; i++)
        aspects |= graph->nodes[uses[i]].aspects;
    return aspects;
}

/* A node uses the aspects of all nodes that it uses. Every round except the last adds an aspect to
 * some node, so there are few rounds: call chains are a few functions long. */
static void propagate_uses(pl_graph *graph)
{
    bool changed = true;
    while (changed) {
        changed = false;
        for (uint32_t i = 0; i < graph->node_count; i++) {
            pl_node *node = &graph->nodes[i];
            pl_aspects aspects = node->aspects | of_uses(graph, node->uses, node->use_count);
            /* A reference to a virtual function that is not a call carries no aspects, whether in a
             * vtable (VF-ASPECT-04) or elsewhere (VF-ASPECT-06). */
            CHECK((aspects & node->aspects) == node->aspects);
            changed = changed || aspects != node->aspects;
            node->aspects = aspects;
        }
    }
}

void pl_graph_fill_aspects(pl_graph *graph)
{
    CHECK_SLOW(pl_graph_check(graph));
    for (uint32_t i = 0; i < graph->function_count; i++)
        graph->nodes[i].aspects = pl_aspects_of_function(graph->nodes[i].value);
    propagate_uses(graph);
    /* A set has the aspects of all its functions. */
    for (uint32_t i = 0; i < graph->function_count; i++) {
        const pl_node *node = &graph->nodes[i];
        if (node->set == PL_NONE) continue;
        CHECK(node->set < graph->set_count);
        pl_set *set = &graph->sets[node->set];
        RULE(VF_ASPECT_01, set->aspects |= node->aspects);
    }
    /* A kernel has the aspects of the sets that it calls indirectly. */
    for (uint32_t i = 0; i < graph->function_count; i++) {
        pl_node *node = &graph->nodes[i];
        for (uint32_t k = 0; k < graph->set_count; k++) {
            bool is_called = rt_set_names_hold(node->calls, graph->sets[k].name);
            if (RULE(VF_ASPECT_03, is_called))
                RULE(VF_ASPECT_02, node->aspects |= graph->sets[k].aspects);
        }
    }
    CHECK_SLOW(pl_graph_check(graph));
}
