/* Requests as values: what the worker decodes from the bytes that compile.h writes. */
#ifndef CONFORMANCE_BUILD_REQUEST_H
#define CONFORMANCE_BUILD_REQUEST_H

#include "conformance/build/compile.h"

typedef enum cnf_request_kind {
    CNF_REQUEST_MODULE,
    CNF_REQUEST_LINK,
    CNF_REQUEST_PROGRAM,
    CNF_REQUEST_FUSION,
    CNF_REQUEST_SHIPPED_FUSION, /* a fusion by the original compiler (shipped_fusion.h) */
    CNF_REQUEST_PTX,            /* PTX from SPIR-V */
    CNF_REQUEST_COUNT
} cnf_request_kind;

typedef struct cnf_request_source {
    scn_language language;
    rt_text name;
    rt_text code;
} cnf_request_source;

/* An image written by hand. */
typedef struct cnf_request_image {
    cnf_request_source source;
    rt_image claims; /* format, options and whatever else is given; no code */
    bool kernels_given, sets_given;
} cnf_request_image;

typedef struct cnf_request {
    cnf_request_kind kind;
    /* MODULE */
    rt_text module;
    rt_split split;
    rt_profile profile;
    rt_text build_options;
    uint32_t formats;                      /* like scn_module.formats, but never 0 */
    uint64_t target_aspects;               /* as in rt_postlink_request */
    bool embed_ir;                         /* as in rt_postlink_request */
    rt_text compile_options, link_options; /* of the sources' images */
    const cnf_request_source *sources;
    uint32_t source_count;
    const cnf_request_image *images;
    uint32_t image_count;
    /* LINK; PTX, which has one */
    const rt_link_code *codes;
    uint32_t code_count;
    /* PROGRAM */
    cnf_request_source program;
    const rt_text *options;
    uint32_t option_count;
    /* FUSION, SHIPPED_FUSION */
    rt_fusion_request fusion;
} cnf_request;

/* Decodes a request; spans point into `bytes`, tables live in the arena. MALFORMED: truncated or
 * damaged. */
RT_MUST_USE rt_status cnf_request_read(rt_sink *sink, rt_arena *arena, rt_bytes bytes,
                                       cnf_request *out_request);

#endif
