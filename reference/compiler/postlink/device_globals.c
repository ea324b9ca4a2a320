/* Reads the attributes of device_globals and describes the variables in the property sets of an
 * image. */
#include "reference/compiler/postlink/device_globals.h"

#include "reference/base/number.h"
#include "reference/base/rule.h"
#include "reference/compiler/ir/place.h"
#include "reference/compiler/ir/values.h"
#include "reference/compiler/ir/variable_attributes.h"

#include <llvm-c/Target.h>

/* ---- Attributes ---------------------------------------------------------------------------- */

static bool has_attribute(LLVMValueRef variable, const char *name)
{
    rt_text value;
    return pl_variable_attribute(variable, name, &value);
}

bool pl_is_device_global(LLVMValueRef variable)
{
    CHECK(LLVMIsAGlobalVariable(variable));
    /* Other attributes of device_globals serve other classes too (DG-POSTLINK-12). */
    return has_attribute(variable, PL_GLOBAL_SIZE);
}

static rt_text text_of(pl_job *job, LLVMValueRef variable, const char *name)
{
    rt_text value;
    pl_variable_attribute(variable, name, &value);
    return rt_arena_text(&job->arena, value);
}

static rt_status refuse(pl_job *job, const pl_device_global *global, const char *problem)
{
    rt_text name = global->host.name;
    return rt_fail_naming(job->sink, RT_POSTLINK_ERROR, RT_RULE_NONE, &name, 1,
                          "%.*sdevice_global variable '%.*s' %s", RT_TEXT_ARG(global->place),
                          RT_TEXT_ARG(name), problem);
}

static bool read_truth(rt_text text, uint32_t *out_truth)
{
    *out_truth = rt_text_is(text, "true");
    return *out_truth || rt_text_is(text, "false") || rt_number_read_u32(text, 0, 1, out_truth);
}

bool pl_is_image_scope(LLVMValueRef variable)
{
    rt_text scope;
    uint32_t truth = 0;
    if (!pl_is_device_global(variable)) return false;
    if (!pl_variable_attribute(variable, PL_GLOBAL_IMAGE_SCOPE, &scope)) return false;
    return !(read_truth(scope, &truth) && truth == 0);
}

/* Reads the properties other than device_image_scope. */
static rt_status read_properties(pl_job *job, LLVMValueRef variable, pl_device_global *global)
{
    static const rt_host_access accesses[] = {RT_HOST_ACCESS_READ, RT_HOST_ACCESS_WRITE,
                                              RT_HOST_ACCESS_READ_WRITE, RT_HOST_ACCESS_NONE};
    uint32_t access;
    rt_text value;
    if (pl_variable_attribute(variable, PL_GLOBAL_HOST_ACCESS, &value)) {
        if (!rt_number_read_u32(value, 0, RT_HOST_ACCESS_COUNT - 1, &access))
            return refuse(job, global,
                          "has the attribute '" PL_GLOBAL_HOST_ACCESS "' with a value other than 0 "
                          "(read), 1 (write), 2 (read_write) or 3 (none)");
        global->host.host_access = accesses[access];
    }
    if (pl_variable_attribute(variable, PL_GLOBAL_INIT_MODE, &value) &&
        !rt_number_read_u32(value, 0, 1, &global->init_mode))
        return refuse(job, global,
                      "has the attribute '" PL_GLOBAL_INIT_MODE "' with a value other than 0 "
                      "(reprogram) or 1 (reset)");
    if (pl_variable_attribute(variable, PL_GLOBAL_IN_CSR, &value) &&
        !read_truth(value, &global->in_csr))
        return refuse(job, global,
                      "has the attribute '" PL_GLOBAL_IN_CSR
                      "' with a value other than true or false");
    return RT_STATUS_OK;
}

rt_status pl_device_global_read(pl_job *job, LLVMValueRef variable, pl_device_global *out_global)
{
    CHECK(pl_is_device_global(variable));
    pl_device_global global = {.init_mode = PL_GLOBAL_ABSENT, .in_csr = PL_GLOBAL_ABSENT};
    global.symbol = pl_job_name(job, variable);
    global.host.name = text_of(job, variable, PL_GLOBAL_NAME);
    if (global.host.name.length == 0) global.host.name = pl_place_name(job, variable);
    global.host.unique_id = text_of(job, variable, PL_GLOBAL_ID);
    global.place = text_of(job, variable, PL_GLOBAL_PLACE);
    *out_global = global;
    LLVMValueRef initial = LLVMGetInitializer(variable);
    if (global.host.unique_id.length == 0)
        return refuse(job, &global, "has no attribute '" PL_GLOBAL_ID "', or an empty one");
    if (initial && !LLVMIsNull(initial))
        return refuse(
            job, &global,
            "has an initial value other than zero (DeviceGlobal.md, \"Should the value be "
            "zero-initialized\")");
    /* LLVM IR written by hand may have variables that a host could not find. */
    if (global.symbol.length == 0) return refuse(job, &global, "has no name; give it one");
    if (LLVMGetPointerAddressSpace(LLVMTypeOf(variable)) != PL_SPACE_GLOBAL)
        return refuse(job, &global, "is not in global memory; declare it with addrspace(1)");
    uint32_t size = 0;
    if (!rt_number_read_u32(text_of(job, variable, PL_GLOBAL_SIZE), 1, UINT32_MAX, &size))
        return refuse(job, &global,
                      "has the attribute '" PL_GLOBAL_SIZE
                      "' with a value that is not a number of bytes from 1 to 4294967295");
    global.host.size = size;
    RT_TRY(read_properties(job, variable, &global));
    global.host.image_scope = pl_is_image_scope(variable);
    CHECK(global.init_mode <= 1 || global.init_mode == PL_GLOBAL_ABSENT);
    CHECK(global.in_csr <= 1 || global.in_csr == PL_GLOBAL_ABSENT);
    *out_global = global;
    return RT_STATUS_OK;
}

pl_device_global pl_device_global_of(pl_job *job, LLVMValueRef variable)
{
    pl_device_global global;
    bool is_accepted = rt_ok(pl_device_global_read(job, variable, &global));
    CHECK(is_accepted);
    return global;
}

void pl_device_globals_free(pl_device_globals *globals)
{
    rt_vector_free(&globals->registered);
    rt_map_free(&globals->registered_ids);
    rt_vector_free(&globals->declared);
    rt_map_free(&globals->declared_ids);
}

/* ---- The property set ---------------------------------------------------------------------- */

void pl_device_globals_describe(pl_job *job, LLVMModuleRef image, pl_properties *properties)
{
    uint32_t capacity = pl_symbol_count(image), count = 0;
    rt_property *items = rt_arena_alloc_array(&job->arena, capacity, sizeof *items);
    rt_property *symbols = rt_arena_alloc_array(&job->arena, capacity, sizeof *symbols);
    LLVMValueRef variable = job->device_globals ? LLVMGetFirstGlobal(image) : NULL;
    for (; variable; variable = LLVMGetNextGlobal(variable)) {
        /* Whichever functions of the image refer to it (DG-POSTLINK-02). */
        if (!pl_is_device_global(variable) || LLVMIsDeclaration(variable)) continue;
        pl_device_global global = pl_device_global_of(job, variable);
        const rt_device_global *host = &global.host;
        rt_text symbol = pl_job_name(job, variable);
        rt_device_global_value value = {
            .size = (uint32_t)host->size,
            .image_scope = RULE(DG_PROPSET_05, host->image_scope),
        };
        rt_buffer bytes = {0};
        rt_device_global_value_write(&bytes, value);
        CHECK(count < capacity);
        items[count] = (rt_property){
            .name = RULE(DG_PROPSET_01, host->unique_id),
            .type = RULE(DG_PROPSET_02, RT_PROPERTY_BYTES),
            .number = value.size,
            .bytes = rt_arena_bytes(&job->arena, rt_buffer_bytes(&bytes)),
        };
        rt_buffer_free(&bytes);
        symbols[count++] = (rt_property){
            .name = rt_arena_printf(&job->arena, "%.*s" RT_GLOBAL_MAPPING_SUFFIX,
                                    RT_TEXT_ARG(host->unique_id)),
            .type = RT_PROPERTY_BYTES,
            .bytes = {(const uint8_t *)symbol.data, symbol.length},
        };
    }
    if (count == 0) return;
    RULE(DG_POSTLINK_11, pl_properties_add(properties, RT_SET_DEVICE_GLOBALS, items, count));
    pl_properties_add(properties, RT_SET_PROGRAM_METADATA, symbols, count);
}

void pl_device_globals_list(pl_job *job, LLVMModuleRef image, const pl_image_global **out_globals,
                            uint32_t *out_count)
{
    pl_image_global *globals =
        rt_arena_alloc_array(&job->arena, pl_symbol_count(image), sizeof *globals);
    *out_globals = globals;
    *out_count = 0;
    LLVMValueRef variable = job->device_globals ? LLVMGetFirstGlobal(image) : NULL;
    for (; variable; variable = LLVMGetNextGlobal(variable)) {
        if (!pl_is_device_global(variable)) continue;
        pl_image_global *next = &globals[(*out_count)++];
        next->symbol = pl_job_name(job, variable);
        next->global = pl_device_global_of(job, variable);
        /* Shipped DPC++ honours host_access only together with device_image_scope (C30). */
        if (job->profile == RT_PROFILE_DPCPP && !next->global.host.image_scope)
            next->global.host.host_access = RT_HOST_ACCESS_READ_WRITE;
    }
}
