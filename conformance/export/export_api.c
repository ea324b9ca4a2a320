/* The differences between the APIs that programs are written for: the format of images, the support
 * file, the build. */
#include "conformance/export/export.h"

#include <string.h>

static const uint8_t support_opencl[] = {
#include "support_opencl.inc"
};
static const uint8_t support_level_zero[] = {
#include "support_level_zero.inc"
};
static const uint8_t support_cuda[] = {
#include "support_cuda.inc"
};

/* A Makefile, built from its leading comment, the line that sets LIBRARY, the name of the variable
 * for the program's argument, and the name of the support file. */
#define MAKEFILE(comment, library, argument, support)                                                      \
    comment library                                                                                        \
        "\nrun: main\n\t./main $(" argument ")\n\n"                                                        \
        "main: main.c support.h " support "\n"                                                             \
        "\t$(CC) -std=c11 -D_POSIX_C_SOURCE=200809L -O1 -Wall $(CFLAGS) main.c -o main $(LIBRARY) -lm\n\n" \
        ".PHONY: run\n"

static const char makefile_opencl[] =
    MAKEFILE("# make runs the program; make DEVICE=Intel selects the platform by a part of its "
             "name.\n",
             "LIBRARY = -l:libOpenCL.so.1\n", "DEVICE", "support_opencl.h");

static const char makefile_level_zero[] = MAKEFILE(
    "# make runs the program; make LINK=dynamic links images with zeModuleDynamicLink even "
    "if the\n# driver can join them as SPIR-V.\n#\n"
    "# Without an Intel GPU, its driver (Debian: intel-opencl-icd) can still compile "
    "and link:\n"
    "#   export NEOReadDebugKeys=1 SetCommandStreamReceiver=1 "
    "ProductFamilyOverride=tgllp\n"
    "#   export AUBDumpCaptureFileName=/dev/null\n"
    "# The program then prints LINKED and exits with 0 unless a link has the wrong result: "
    "no kernel\n# has run, so no memory was compared.\n",
    "LIBRARY = -l:libze_loader.so.1\n", "LINK", "support_level_zero.h");

static const char makefile_cuda[] =
    MAKEFILE("# make runs the program; make DEVICE=1 selects the device by its number.  No CUDA "
             "header is\n# needed, and no library except the driver's.\n",
             "LIBRARY = -l:libcuda.so.1\n", "DEVICE", "support_cuda.h");

/* What the README says about the machine that the program needs and how to run it there. */
static const char readme_opencl[] =
    "It needs a C compiler, the OpenCL headers (Debian: `opencl-c-headers`), the loader `libOpenCL.so.1` (Debian:\n"
    "`ocl-icd-libopencl1`) and a driver.\n\n"
    "    make                # builds it, and runs it on the first platform whose device accepts the images\n"
    "    make DEVICE=Intel   # on the platform with this in its name\n\n"
    "If no platform fits, the program lists those that there are, with the reason for each.\n";
static const char readme_level_zero[] =
    "It needs a C compiler, the Level Zero headers and loader (Debian: `libze-dev`) and a driver.\n\n"
    "    make                # builds it, and runs it on the first device\n"
    "    make LINK=dynamic   # links images with zeModuleDynamicLink\n\n"
    "Without a GPU the driver can still link: see the Makefile.\n";
static const char readme_cuda[] =
    "It needs a C compiler and NVIDIA's driver, but no CUDA header.\n\n"
    "    make            # builds it, and runs it on device 0\n"
    "    make DEVICE=1   # on device 1\n\n"
    "If there is no such device, the program lists those that there are.\n";

#define BYTES(array)                                                                               \
    {                                                                                              \
        array, sizeof(array)                                                                       \
    }
#define TEXT(array)                                                                                \
    {                                                                                              \
        (const uint8_t *)(array), sizeof(array) - 1                                                \
    }

const cnf_export_api cnf_export_apis[CNF_EXPORT_APIS] = {
    {.name = "opencl",
     .subjects = "sim",
     .format = RT_FORMAT_SPIRV64,
     .format_name = "SPIR-V",
     .ending = ".spv",
     .spec_constants = true,
     .maps = true,
     .definition = "",
     .support_name = "support_opencl.h",
     .support = BYTES(support_opencl),
     .makefile = TEXT(makefile_opencl),
     .readme = readme_opencl},
    {.name = "opencl-c",
     .subjects = "sim",
     .format = RT_FORMAT_OPENCL_C,
     .format_name = "OpenCL C",
     .ending = ".cl",
     .maps = true,
     .definition = "#define IMAGES_ARE_SOURCE 1\n",
     .support_name = "support_opencl.h",
     .support = BYTES(support_opencl),
     .makefile = TEXT(makefile_opencl),
     .readme = readme_opencl},
    {.name = "level_zero",
     .subjects = "sim",
     .format = RT_FORMAT_SPIRV64,
     .format_name = "SPIR-V",
     .ending = ".spv",
     .spec_constants = true,
     .definition = "",
     .support_name = "support_level_zero.h",
     .support = BYTES(support_level_zero),
     .makefile = TEXT(makefile_level_zero),
     .readme = readme_level_zero},
    {.name = "cuda",
     .subjects = "sim,nvlink",
     .format = RT_FORMAT_PTX,
     .format_name = "PTX",
     .ending = ".ptx",
     .definition = "",
     .support_name = "support_cuda.h",
     .support = BYTES(support_cuda),
     .makefile = TEXT(makefile_cuda),
     .readme = readme_cuda},
};

const cnf_export_api *cnf_export_api_find(const char *name)
{
    for (uint32_t i = 0; i < CNF_EXPORT_APIS; i++)
        if (strcmp(cnf_export_apis[i].name, name) == 0) return &cnf_export_apis[i];
    return NULL;
}
