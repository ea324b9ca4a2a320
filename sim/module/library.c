/* The device's library: one function, which a program calls when an assertion has failed. */
#include "sim/module/library.h"

#include "sim/sim.h"

/* SPIR-V 1.0, assembled by spirv-as from:
 *
 *   OpCapability Addresses                  %uint = OpTypeInt 32 0
 *   OpCapability Kernel                     %ulong = OpTypeInt 64 0
 *   OpCapability Linkage                    %text = OpTypePointer Generic %uchar
 *   OpCapability Int64                      %fn = OpTypeFunction %void %text %text %uint %text
 *   OpCapability Int8                                 %ulong %ulong %ulong %ulong %ulong %ulong
 *   OpCapability GenericPointer             %f = OpFunction %void None %fn
 *   OpMemoryModel Physical64 OpenCL         ten of OpFunctionParameter
 *   OpDecorate %f LinkageAttributes         %entry = OpLabel
 *              "__devicelib_assert_fail"    OpUnreachable
 *              Export                       OpFunctionEnd
 *   %void = OpTypeVoid
 *   %uchar = OpTypeInt 8 0
 *
 * The parameters are the expression, the file, the line, the function, and the global and local id.
 */
static const uint32_t words[] = {
    0x07230203, 0x00010000, 0x00070000, 0x00000013, 0x00000000, 0x00020011, 0x00000004, 0x00020011,
    0x00000006, 0x00020011, 0x00000005, 0x00020011, 0x0000000b, 0x00020011, 0x00000027, 0x00020011,
    0x00000026, 0x0003000e, 0x00000002, 0x00000002, 0x000a0047, 0x00000001, 0x00000029, 0x65645f5f,
    0x65636976, 0x5f62696c, 0x65737361, 0x665f7472, 0x006c6961, 0x00000000, 0x00020013, 0x00000002,
    0x00040015, 0x00000003, 0x00000008, 0x00000000, 0x00040015, 0x00000004, 0x00000020, 0x00000000,
    0x00040015, 0x00000005, 0x00000040, 0x00000000, 0x00040020, 0x00000006, 0x00000008, 0x00000003,
    0x000d0021, 0x00000007, 0x00000002, 0x00000006, 0x00000006, 0x00000004, 0x00000006, 0x00000005,
    0x00000005, 0x00000005, 0x00000005, 0x00000005, 0x00000005, 0x00050036, 0x00000002, 0x00000001,
    0x00000000, 0x00000007, 0x00030037, 0x00000006, 0x00000008, 0x00030037, 0x00000006, 0x00000009,
    0x00030037, 0x00000004, 0x0000000a, 0x00030037, 0x00000006, 0x0000000b, 0x00030037, 0x00000005,
    0x0000000c, 0x00030037, 0x00000005, 0x0000000d, 0x00030037, 0x00000005, 0x0000000e, 0x00030037,
    0x00000005, 0x0000000f, 0x00030037, 0x00000005, 0x00000010, 0x00030037, 0x00000005, 0x00000011,
    0x000200f8, 0x00000012, 0x000100ff, 0x00010038,
};

rt_status sim_library_create(rt_sink *sink, const sim_module *const *modules, uint32_t count,
                             sim_module **out_library)
{
    bool is_imported = false, is_defined = false;
    *out_library = NULL;
    for (uint32_t m = 0; m < count; m++) {
        for (uint32_t i = 0; i < modules[m]->function_count; i++) {
            const sim_function *function = &modules[m]->functions[i];
            if (function->linkage == SIM_LINKAGE_NONE) continue;
            if (!rt_text_is(function->link_name, SIM_ASSERT_NAME)) continue;
            is_imported = is_imported || function->linkage == SIM_LINKAGE_IMPORT;
            is_defined = is_defined || function->linkage != SIM_LINKAGE_IMPORT;
        }
    }
    if (!is_imported || is_defined) return RT_STATUS_OK;
    return sim_module_create(sink, (rt_bytes){(const uint8_t *)words, sizeof words}, NULL, 0,
                             out_library);
}
