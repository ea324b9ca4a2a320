/* The plugin's table.
 *
 * The library exports only rt_compiler_api_get (exports.map). */
#include "reference/compiler/describe/describe.h"
#include "reference/compiler/fuse/fuse.h"
#include "reference/compiler/ir/read.h"
#include "reference/compiler/ir/version.h"
#include "reference/compiler/postlink/postlink.h"
#include "reference/compiler/ptx/from_spirv.h"
#include "reference/compiler/spirv/link.h"
#include "reference/compiler_api.h"

#define PLUGIN_IDENTIFICATION                                                                      \
    "assay compiler 7, LLVM " PL_LLVM_NUMBER ", LLVMSPIRVLib " PL_LLVM_NUMBER

__attribute__((visibility("default"))) const rt_compiler_api *rt_compiler_api_get(uint32_t version)
{
    static const rt_compiler_api api = {
        .version = RT_COMPILER_API_VERSION,
        .identification = PLUGIN_IDENTIFICATION,
        .read_ir = pl_read_ir,
        .describe_spirv = pl_describe_spirv,
        .postlink = pl_postlink,
        .link_to_bitcode = pl_link_to_bitcode,
        .fuse = pl_fuse,
        .spirv_to_ptx = pl_ptx_from_spirv,
    };
    return version == RT_COMPILER_API_VERSION ? &api : NULL;
}
