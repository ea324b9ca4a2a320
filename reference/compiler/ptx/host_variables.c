/* Makes the variables visible that the host finds by the name in their decoration HostAccessINTEL.
 *
 * PTX has symbols only, so a variable that the SPIR-V does not export becomes one of that name. As
 * in PTX from source, copies of it in images that are linked together are one variable.
 * Source: document 002, "New PI interface to copy to or from a module scope variable";
 * SPV_INTEL_global_variable_host_access. */
#include "reference/compiler/ptx/ptx_internal.h"

#include "reference/base/map.h"
#include "reference/base/spirv.h"
#include "reference/base/vector.h"
#include "reference/compiler/ir/values.h"

/* HostAccess has the older number in code of DPC++'s compilers, and the newer one since the
 * extension was registered. */
enum { OP_NAME = 5, OP_DECORATE = 71, HOST_ACCESS_OLDER = 6147, HOST_ACCESS = 6188 };

typedef struct host_variable {
    uint32_t id;
    rt_text host_name;
} host_variable;
typedef RT_VECTOR(host_variable) host_variables;
typedef RT_VECTOR(rt_text) names;

static void variables_find(rt_bytes spirv, rt_map *name_of_id, names *out_names,
                           host_variables *out_variables)
{
    rt_spirv_walk walk = rt_spirv_walk_start(spirv);
    for (rt_spirv_instruction at; rt_spirv_walk_next(&walk, &at);) {
        uint32_t id = rt_spirv_word(&at, 1), decoration = rt_spirv_word(&at, 2);
        if (at.opcode == OP_NAME) {
            rt_map_set_number(name_of_id, id, out_names->count);
            *rt_vector_push(out_names) = rt_spirv_text(&at, 2);
        } else if (at.opcode == OP_DECORATE &&
                   (decoration == HOST_ACCESS || decoration == HOST_ACCESS_OLDER)) {
            /* OpDecorate id HostAccessINTEL access name */
            rt_text name = rt_spirv_text(&at, 4);
            if (name.length > 0) *rt_vector_push(out_variables) = (host_variable){id, name};
        }
    }
}

void pl_ptx_name_host_variables(pl_job *job, rt_bytes spirv, LLVMModuleRef module)
{
    rt_map name_of_id = {0};
    names found_names = {0};
    host_variables variables = {0};
    variables_find(spirv, &name_of_id, &found_names, &variables);
    for (uint32_t i = 0; i < variables.count; i++) {
        uint32_t index = rt_map_find_number(&name_of_id, variables.items[i].id);
        if (index == RT_MAP_NONE) continue;
        CHECK(found_names.items && index < found_names.count);
        rt_text name = rt_arena_text(&job->arena, found_names.items[index]);
        LLVMValueRef variable = LLVMGetNamedGlobal(module, name.data);
        if (!variable || !pl_is_local(variable)) continue;
        rt_text host_name = variables.items[i].host_name;
        if (LLVMGetNamedGlobal(module, rt_arena_text(&job->arena, host_name).data)) continue;
        LLVMSetValueName2(variable, host_name.data, host_name.length);
        LLVMSetLinkage(variable, LLVMLinkOnceODRLinkage);
    }
    rt_map_free(&name_of_id);
    rt_vector_free(&found_names);
    rt_vector_free(&variables);
}
