/* Makes PTX from a SPIR-V module.
 *
 * The translator reads SPIR-V back as LLVM IR for spir64, in which address spaces have other
 * numbers than for nvptx64. Once they are changed, the module is like one that was compiled for
 * nvptx64 from source, except for the names of builtin functions (spir_names.c). */
#include "reference/compiler/ptx/from_spirv.h"

#include "reference/base/ptx.h"
#include "reference/compiler/ir/attributes.h"
#include "reference/compiler/ir/passes.h"
#include "reference/compiler/ir/values.h"
#include "reference/compiler/ptx/ptx_internal.h"
#include "reference/compiler/spirv/link.h"
#include "reference/compiler/spirv/linkage.h"

/* In SPIR-V, addresses that are constant may be computed by instructions; a format of printf must
 * be a constant. */
#define CONSTANT_PASSES "function(sroa,early-cse)"

/* What the SPIR-V reader names in addition to SPIR 1.2: the two halves of global memory of
 * SPV_INTEL_usm_storage_classes, and code, whose pointers are like any other on nvptx64. */
enum { SPACE_GLOBAL_DEVICE = 5, SPACE_GLOBAL_HOST = 6, SPACE_CODE = 9 };

const uint8_t pl_ptx_spir_spaces[PL_SPIR_SPACES] = {
    [PL_SPACE_PRIVATE] = PL_PTX_SPACE_GENERIC,   [PL_SPACE_GLOBAL] = PL_PTX_SPACE_GLOBAL,
    [PL_SPACE_CONSTANT] = PL_PTX_SPACE_CONSTANT, [PL_SPACE_LOCAL] = PL_PTX_SPACE_SHARED,
    [PL_SPACE_GENERIC] = PL_PTX_SPACE_GENERIC,   [SPACE_GLOBAL_DEVICE] = PL_PTX_SPACE_GLOBAL,
    [SPACE_GLOBAL_HOST] = PL_PTX_SPACE_GLOBAL,   [SPACE_CODE] = PL_PTX_SPACE_GENERIC,
};

/* SPIR-V does not say which functions may contain a barrier, so any may; and the reader marks calls
 * that were not inlined before as never to be inlined. */
static void restore_calls(LLVMModuleRef module)
{
    LLVMValueRef function = LLVMGetFirstFunction(module);
    for (; function; function = LLVMGetNextFunction(function)) {
        if (LLVMGetIntrinsicID(function) == 0) pl_flag_add(function, "convergent");
        pl_flag_remove_from_calls(function, "noinline");
    }
}

/* Builtin functions are instructions in SPIR-V, so whatever it imports is not one of them, except
 * what assert calls: assert.cl defines it. */
static rt_status list_imports(pl_job *job, rt_bytes spirv, rt_map *out)
{
    pl_linkage linkage;
    RT_TRY(pl_linkage_scan(job, spirv, &linkage));
    for (uint32_t i = 0; i < linkage.import_count; i++) {
        if (rt_text_is(linkage.imports[i], "__devicelib_assert_fail")) continue;
        rt_buffer name = {0};
        rt_ptx_name_write(&name, linkage.imports[i]);
        rt_map_set(out, rt_arena_text(&job->arena, rt_buffer_text(&name)), i);
        rt_buffer_free(&name);
    }
    return RT_STATUS_OK;
}

static rt_status write(pl_job *job, rt_bytes spirv, LLVMModuleRef *module, rt_text library,
                       rt_bytes *out_ptx)
{
    restore_calls(*module);
    pl_ptx_name_host_variables(job, spirv, *module);
    RT_TRY(pl_passes_run(job, *module, NULL, CONSTANT_PASSES));
    RT_TRY(pl_ptx_target(job, *module));
    RT_TRY(pl_ptx_change_spaces(job, module, pl_ptx_spir_spaces));
    pl_ptx_names(job, *module);
    return pl_ptx_write(job, *module, library, out_ptx);
}

rt_status pl_ptx_from_spirv(rt_sink *sink, const rt_link_code *code, rt_text library,
                            rt_buffer *out_ptx)
{
    CHECK(out_ptx->size == 0);
    pl_job job;
    pl_job_open(&job, sink);
    job.format = RT_FORMAT_PTX;
    rt_map imports = {0};
    job.spirv_imports = &imports;
    LLVMModuleRef module = NULL;
    rt_bytes ptx = {0};
    rt_status status =
        pl_link_code_read(&job, code, RT_TEXT("the SPIR-V module"), PL_BUILTINS_OPENCL_20, &module);
    if (rt_ok(status)) status = list_imports(&job, code->spirv, &imports);
    if (rt_ok(status)) status = write(&job, code->spirv, &module, library, &ptx);
    if (rt_ok(status)) rt_buffer_append(out_ptx, ptx.data, ptx.size);
    if (module) LLVMDisposeModule(module);
    rt_map_free(&imports);
    pl_job_close(&job);
    return status;
}
