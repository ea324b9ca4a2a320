/* The only entry point of the compiler plugin: a versioned table of C functions.
 *
 * The plugin (reference/compiler, libassay_compiler.so) is the only code that links LLVM.  It is
 * opened with dlopen in a worker process and nowhere else, because damaged input can end a process
 * that runs LLVM.  Everything crosses the table as bytes, so the two sides share only base and
 * plain data types. */
#ifndef REFERENCE_COMPILER_API_H
#define REFERENCE_COMPILER_API_H

#include "reference/base/format.h"
#include "reference/base/profile.h"
#include "reference/base/status.h"
#include "reference/image/fusion_request.h"
#include "reference/image/link_code.h"

#define RT_COMPILER_API_VERSION 10u
#define RT_COMPILER_API_SYMBOL  "rt_compiler_api_get"

/* How device code is distributed over images (document 003, "sycl-post-link changes"): split, and
 * its name in DPC++'s option -fsycl-device-code-split.  AUTO follows sycl-post-link's automatic
 * choice: the split is per source, or off if code calls through pointers, since it is then unknown
 * which functions belong together. */
#define RT_SPLITS(SPLIT)                                                                           \
    SPLIT(OFF, "off")                                                                              \
    SPLIT(PER_SOURCE, "per_source")                                                                \
    SPLIT(PER_KERNEL, "per_kernel")                                                                \
    SPLIT(AUTO, "auto")

typedef enum rt_split {
#define RT_SPLIT_ENUM(split, name) RT_SPLIT_##split,
    RT_SPLITS(RT_SPLIT_ENUM)
#undef RT_SPLIT_ENUM
        RT_SPLIT_COUNT
} rt_split;

/* One translation unit: the front end's bitcode, before any inlining. */
typedef struct rt_postlink_source {
    rt_text name; /* "app/0"; the sycl-module-id of its SYCL_EXTERNAL functions (DL-FE-01) */
    rt_bytes bitcode;
} rt_postlink_source;

typedef struct rt_postlink_request {
    rt_text module; /* images are named "<module>/<number>" */
    const rt_postlink_source *sources;
    uint32_t source_count;
    rt_split split;
    rt_format format;           /* SPIRV64, or PTX for sources compiled for nvptx64 */
    rt_text library;            /* PTX: path of libclc's bitcode for nvptx64 */
    uint32_t spirv_version_max; /* as in a module's header: 0x00010200 is 1.2 */
    bool device_globals;        /* option --device-globals: handles device_global variables */
    /* True: all code becomes one image, regardless of `split` and of the aspects that its parts
     * need.  Used for an image that a scenario describes by hand. */
    bool whole;
    /* True: the code is for one known target, so virtual functions stay in the images that use
     * them, and sets of virtual functions that the target does not support are left out (document
     * 004, "AOT flow").  Bit n of target_aspects stands for the aspect with number n in SYCL. */
    bool ahead_of_time;
    uint64_t target_aspects;
    rt_profile profile; /* which of the documents and DPC++ to follow where they differ */
    bool embed_ir;      /* option -fsycl-embed-ir: PTX images also contain their bitcode */
} rt_postlink_request;

typedef struct rt_compiler_api {
    uint32_t version; /* RT_COMPILER_API_VERSION */
    /* The versions of LLVM, the SPIR-V translator and the plugin, for cache keys. */
    const char *identification;
    /* Turns external LLVM IR, text or bitcode, into verified bitcode for spir64, or for nvptx64 if
     * the format is PTX, which postlink accepts like a front end's output.  The caller initialises
     * out_bitcode.  MALFORMED: the IR does not parse, is invalid, or is for another target; the
     * message has the form of a front end's, NAME:LINE:COLUMN: error: TEXT, or NAME: error: TEXT.
     */
    rt_status (*read_ir)(rt_sink *sink, rt_text name, rt_bytes ir, rt_format format,
                         rt_buffer *out_bitcode);
    /* Describes a SPIR-V module as an image, without changing it: its entry points become the
     * image's kernels, its functions and variables with linkage the symbols, and its capabilities
     * the requirements.  out_images (initialised by the caller) receives a list of one image of
     * format spirv64, without a name.  MALFORMED: the bytes do not have the layout of a SPIR-V
     * module; the message says where. */
    rt_status (*describe_spirv)(rt_sink *sink, rt_bytes spirv, rt_buffer *out_images);
    /* Links the sources of one module, splits them, collects imports and exports, optimises and
     * translates each image.  out_answer (initialised by the caller) receives the images, as
     * written by rt_image_list_write, and then the device_globals that the sources' host code
     * registers, as written by rt_device_global_list_write.  POSTLINK_ERROR: a source cannot be
     * post-linked (the diagnostic names the symbols); COMPILE_TIME: a front end would reject a
     * declaration (the message has the form of a front end's); MALFORMED: LLVM rejects the bitcode.
     * For PTX, UNSUPPORTED: the code cannot be expressed in PTX (the diagnostic says which
     * construct and where); UNAVAILABLE: libclc is missing. */
    rt_status (*postlink)(rt_sink *sink, const rt_postlink_request *request, rt_buffer *out_answer);
    /* Specialises count >= 1 SPIR-V modules and links them into one bitcode module, with kernel
     * metadata, for an OpenCL driver that accepts LLVM bitcode (SPIR 1.2).  LINK_ERROR:
     * unresolved or multiply defined symbols, which the diagnostic names; MALFORMED. */
    rt_status (*link_to_bitcode)(rt_sink *sink, const rt_link_code *codes, uint32_t count,
                                 rt_buffer *out_bitcode);
    /* Fuses a list of kernels into one kernel, for SPIR-V or, if the kernels' images contain
     * bitcode, for PTX; `library` is as in rt_postlink_request.  out_result (initialised by the
     * caller) receives what rt_fusion_result_read reads.  FUSION_REJECTED: the list cannot be fused
     * (the message says why); MALFORMED: the code is damaged; UNSUPPORTED: the code is in another
     * format.  Source: document 001, "Fusion JIT integration". */
    rt_status (*fuse)(rt_sink *sink, const rt_fusion_request *request, rt_text library,
                      rt_buffer *out_result);
    /* Specialises a SPIR-V module, which stays unlinked, and translates it to PTX, with `library`
     * as in rt_postlink_request; imports and exports keep their names, as PTX writes them
     * (reference/base/ptx.h).  out_ptx (initialised by the caller) receives the text.  UNSUPPORTED:
     * the code cannot be expressed in PTX (the diagnostic says which construct and where);
     * UNAVAILABLE: libclc is missing; MALFORMED. */
    rt_status (*spirv_to_ptx)(rt_sink *sink, const rt_link_code *code, rt_text library,
                              rt_buffer *out_ptx);
} rt_compiler_api;

/* The plugin's only exported symbol.  Returns a static table, or NULL if the plugin does not
 * support `version`. */
const rt_compiler_api *rt_compiler_api_get(uint32_t version);

/* The type of rt_compiler_api_get, for dlsym. */
typedef const rt_compiler_api *rt_compiler_api_get_function(uint32_t version);

#endif
