/* What the tests of post-link share: sources to images, and what an image's code holds. */
#ifndef REFERENCE_COMPILER_TEST_POSTLINK_FIXTURE_H
#define REFERENCE_COMPILER_TEST_POSTLINK_FIXTURE_H

#include "reference/compiler_api.h"
#include "reference/image/device_global.h"

/* One source: OpenCL C; C++ for OpenCL when its name ends in ".clcpp", LLVM IR text when it ends in
 * ".ll".  OpenCL C has SPEC_CONSTANT, C++ for OpenCL the properties of document 004, as assay's
 * prelude defines them. */
typedef struct fixture_source {
    const char *name;
    const char *code;
} fixture_source;

/* A list of sources, ended as the functions below want it. */
#define SOURCES(...)                                                                               \
    (const fixture_source[])                                                                       \
    {                                                                                              \
        __VA_ARGS__,                                                                               \
        {                                                                                          \
            NULL, NULL                                                                             \
        }                                                                                          \
    }

/* What a function's source says that is to stay, and what LLVM IR is for. */
#define NOINLINE "__attribute__((noinline)) "
#define TARGET                                                                                     \
    "target datalayout = \"e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-"        \
    "v512:512-v1024:1024\"\ntarget triple = \"spir64\"\n"

typedef struct postlink_fixture {
    const rt_compiler_api *api;
    rt_sink *sink;
    rt_arena arena;
    rt_buffer bytes;
    rt_image_list images;          /* of the last post-link that succeeded */
    rt_device_global_list globals; /* that host code registers, of the same */
    rt_profile profile;            /* of the next one; at first the documents' */
    bool no_device_globals;        /* the next one is not asked to treat them */
    rt_format format;              /* of the next images: SPIRV64, or PTX */
    bool embed_ir;                 /* and whether those in PTX hold their bitcode */
    const char *library;           /* libclc; NULL: where Debian has it */
    bool ahead_of_time;            /* the next one is for a target with these aspects */
    uint64_t target_aspects;
} postlink_fixture;

/* Opens the plugin beside the test; once per test. */
int fixture_open(void **state);
int fixture_close(void **state);

/* Compiles a source with clang, as the worker does; the bitcode lives in the arena. */
rt_bytes fixture_compile(postlink_fixture *fixture, const fixture_source *source);

/* Post-links sources of a module named "m" (the list ends with a NULL name). */
rt_status fixture_postlink(postlink_fixture *fixture, rt_split split,
                           const fixture_source *sources);

/* The same; it must succeed, make `image_count` images, and each must satisfy SPIRV-Tools. */
void fixture_make(postlink_fixture *fixture, rt_split split, uint32_t image_count,
                  const fixture_source *sources);

/* Links SPIR-V modules as they are. */
rt_status fixture_link(postlink_fixture *fixture, const rt_bytes *codes, uint32_t count,
                       rt_buffer *out_bitcode);

/* The same names in the same order, separated by blanks. */
void assert_imports(const postlink_fixture *fixture, uint32_t image, const char *names);
void assert_exports(const postlink_fixture *fixture, uint32_t image, const char *names);
void assert_kernels(const postlink_fixture *fixture, uint32_t image, const char *names);

/* What an image's code knows of a function. */
typedef enum function_state { ABSENT, DECLARED, INTERNAL, EXPORTED } function_state;
function_state fixture_function(const postlink_fixture *fixture, uint32_t image, const char *name);

/* What it knows of a module-scope variable. */
function_state fixture_variable(const postlink_fixture *fixture, uint32_t image, const char *name);

/* A failing status of this code, about exactly these names. */
void assert_refused(postlink_fixture *fixture, rt_status status, rt_code code, const char *names);

#endif
