/* Formats of device code, which images contain and devices accept. */
#ifndef REFERENCE_BASE_FORMAT_H
#define REFERENCE_BASE_FORMAT_H

#include "reference/base/text.h"

/* format, name in scenarios and traces, device target string of an image, and extension string by
 * which a device reports that it can link programs in the format.  The strings are those of
 * document 003, "DPC++ runtime plugin interface (PI) changes"; ours follow its pattern where it
 * defines none, as for PTX. NATIVE is code compiled ahead of time for the device at hand: a
 * program's binary (dev_program_binary), on the simulated device also the output of its offline
 * compiler (sim/sim.h); PTX is the text of one module in NVIDIA's assembly language, which a driver
 * or a linker compiles to machine code (reference/base/ptx.h); OPENCL_C is the text of one
 * translation unit, for a driver that compiles and links source; AMDGCN is machine code of AMD's
 * GPUs, for which assay has no backend. */
#define RT_FORMATS(FORMAT)                                                                         \
    FORMAT(SPIRV64, "spirv64", "spir64", "pi_ext_spirv64_linking")                                 \
    FORMAT(SPIRV64_X86_64, "spirv64_x86_64", "spir64_x86_64", "pi_ext_spirv64_x86_64_linking")     \
    FORMAT(SPIRV64_GEN, "spirv64_gen", "spir64_gen", "pi_ext_spirv64_gen_linking")                 \
    FORMAT(SPIRV64_FPGA, "spirv64_fpga", "spir64_fpga", "pi_ext_spirv64_fpga_linking")             \
    FORMAT(NATIVE, "native", "assay_sim", "assay_ext_native_linking")                              \
    FORMAT(PTX, "ptx", "nvptx64", "pi_ext_nvptx64_linking")                                        \
    FORMAT(OPENCL_C, "opencl_c", "assay_opencl_c", "assay_ext_opencl_c_linking")                   \
    FORMAT(AMDGCN, "amdgcn", "amdgcn", "pi_ext_amdgcn_linking")

typedef enum rt_format {
#define RT_FORMAT_ENUM(format, name, target, extension) RT_FORMAT_##format,
    RT_FORMATS(RT_FORMAT_ENUM)
#undef RT_FORMAT_ENUM
        RT_FORMAT_COUNT
} rt_format;

/* The three strings of the table above, NUL-terminated and static. */
const char *rt_format_name(rt_format format);
const char *rt_format_target(rt_format format);
const char *rt_format_link_extension(rt_format format);

/* True if code of the format was compiled ahead of time for a device, which only loads it. */
bool rt_format_is_native(rt_format format);

/* Finds a format by name; RT_FORMAT_COUNT if there is none. */
rt_format rt_format_find(rt_text name);

#endif
