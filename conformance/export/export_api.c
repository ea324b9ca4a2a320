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
             "LIBRARY = -lOpenCL\n", "DEVICE", "support_opencl.h");

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
    "LIBRARY = -lze_loader\n", "LINK", "support_level_zero.h");

static const char makefile_cuda[] =
    MAKEFILE("# make runs the program; make DEVICE=1 selects the device by its number.  No CUDA "
             "header is\n# needed, and no library except the driver's.\n",
             "LIBRARY = -l:libcuda.so.1\n", "DEVICE", "support_cuda.h");

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
     .definition = "",
     .support_name = "support_opencl.h",
     .support = BYTES(support_opencl),
     .makefile = TEXT(makefile_opencl)},
    {.name = "opencl-c",
     .subjects = "sim",
     .format = RT_FORMAT_OPENCL_C,
     .format_name = "OpenCL C",
     .ending = ".cl",
     .definition = "#define IMAGES_ARE_SOURCE 1\n",
     .support_name = "support_opencl.h",
     .support = BYTES(support_opencl),
     .makefile = TEXT(makefile_opencl)},
    {.name = "level_zero",
     .subjects = "sim",
     .format = RT_FORMAT_SPIRV64,
     .format_name = "SPIR-V",
     .ending = ".spv",
     .spec_constants = true,
     .definition = "",
     .support_name = "support_level_zero.h",
     .support = BYTES(support_level_zero),
     .makefile = TEXT(makefile_level_zero)},
    {.name = "cuda",
     .subjects = "sim,nvlink",
     .format = RT_FORMAT_PTX,
     .format_name = "PTX",
     .ending = ".ptx",
     .definition = "",
     .support_name = "support_cuda.h",
     .support = BYTES(support_cuda),
     .makefile = TEXT(makefile_cuda)},
};

const cnf_export_api *cnf_export_api_find(const char *name)
{
    for (uint32_t i = 0; i < CNF_EXPORT_APIS; i++)
        if (strcmp(cnf_export_apis[i].name, name) == 0) return &cnf_export_apis[i];
    return NULL;
}
