/* The compiler plugin's one entry: a versioned table of C functions.
 *
 * The plugin (reference/compiler, libassay_compiler.so) is the only thing that links LLVM.  It is
 * opened with dlopen in a worker process and nowhere else: damaged input can end the process that
 * runs LLVM.  Everything crosses the table as bytes, so that only base is shared. */
#ifndef REFERENCE_COMPILER_API_H
#define REFERENCE_COMPILER_API_H

#include "reference/base/format.h"
#include "reference/base/status.h"

#define RT_COMPILER_API_VERSION 1u
#define RT_COMPILER_API_SYMBOL  "rt_compiler_api_get"

/* How device code is distributed over images (document 003, "sycl-post-link changes"). */
typedef enum rt_split {
    RT_SPLIT_OFF,
    RT_SPLIT_PER_SOURCE,
    RT_SPLIT_PER_KERNEL,
    RT_SPLIT_COUNT
} rt_split;

/* One translation unit: bitcode as the front end made it, before any inlining. */
typedef struct rt_postlink_source {
    rt_text name; /* "app/0"; becomes sycl-module-id of its SYCL_EXTERNAL functions (DL-FE-01) */
    rt_bytes bitcode;
} rt_postlink_source;

typedef struct rt_postlink_request {
    rt_text module; /* images are named "<module>/<number>" */
    const rt_postlink_source *sources;
    uint32_t source_count;
    rt_split split;
    rt_format format;           /* RT_FORMAT_SPIRV64 */
    uint32_t spirv_version_max; /* as in a module's header: 0x00010200 is 1.2 */
} rt_postlink_request;

typedef struct rt_compiler_api {
    uint32_t version; /* RT_COMPILER_API_VERSION */
    /* What made the artefacts, for cache keys: versions of LLVM, translator and plugin. */
    const char *identification;
    /* Links the sources of one module, splits them, collects imports and exports, optimises each
     * image and translates it.  out_images (initialised by the caller) receives the images as
     * rt_image_list_write writes them.  POSTLINK_ERROR: a source cannot be post-linked, the
     * diagnostic names the symbols; MALFORMED: bitcode that LLVM refuses. */
    rt_status (*postlink)(rt_sink *sink, const rt_postlink_request *request, rt_buffer *out_images);
    /* Links count >= 1 SPIR-V modules into one bitcode module for an OpenCL driver that takes LLVM
     * 14 bitcode (SPIR 1.2): kernel metadata present.  LINK_ERROR: unresolved or multiply defined
     * symbols, which the diagnostic names; MALFORMED. */
    rt_status (*link_to_bitcode)(rt_sink *sink, const rt_bytes *spirv, uint32_t count,
                                 rt_buffer *out_bitcode);
} rt_compiler_api;

/* The plugin's only exported symbol.  Returns a static table, or NULL when it does not speak
 * `version`. */
const rt_compiler_api *rt_compiler_api_get(uint32_t version);

/* The type of rt_compiler_api_get, for dlsym. */
typedef const rt_compiler_api *rt_compiler_api_get_function(uint32_t version);

#endif
