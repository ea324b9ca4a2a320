/* Shared by the tests of post-link: compiling sources to images, and inspecting an image's code. */
#ifndef REFERENCE_COMPILER_TEST_POSTLINK_FIXTURE_H
#define REFERENCE_COMPILER_TEST_POSTLINK_FIXTURE_H

#include "reference/compiler_api.h"
#include "reference/image/device_global.h"

/* One source: C++ for OpenCL if its name ends in ".clcpp", LLVM IR text if it ends in ".ll",
 * otherwise OpenCL C. OpenCL C has SPEC_CONSTANT, and C++ for OpenCL has the properties of document
 * 004, as assay's prelude defines them. */
typedef struct fixture_source {
    const char *name;
    const char *code;
} fixture_source;

/* A list of sources, terminated as the functions below require. */
#define SOURCES(...)                                                                               \
    (const fixture_source[])                                                                       \
    {                                                                                              \
        __VA_ARGS__,                                                                               \
        {                                                                                          \
            NULL, NULL                                                                             \
        }                                                                                          \
    }

/* NOINLINE keeps a function in the code; TARGET is the text with which LLVM IR sources start. */
#define NOINLINE "__attribute__((noinline)) "
#define TARGET                                                                                     \
    "target datalayout = \"e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-"        \
    "v512:512-v1024:1024\"\ntarget triple = \"spir64\"\n"

typedef struct postlink_fixture {
    const rt_compiler_api *api;
    rt_sink *sink;
    rt_arena arena;
    rt_buffer bytes;
    rt_image_list images; /* of the last successful post-link */
    rt_device_global_list
        globals;            /* of the last successful post-link, as host code registers them */
    rt_profile profile;     /* of the next post-link; initially the documents' profile */
    bool no_device_globals; /* the next post-link does not process device_globals */
    rt_format format;       /* of the next images: SPIRV64, or PTX */
    bool whole;             /* the next images are described by hand */
    bool embed_ir;          /* whether the next PTX images embed their bitcode */
    const char *library;    /* path of libclc; NULL: Debian's location */
    bool ahead_of_time;     /* the next post-link is for a target with these aspects */
    uint64_t target_aspects;
} postlink_fixture;

/* Opens the plugin in the test's folder; called once per test. */
int fixture_open(void **state);
int fixture_close(void **state);

/* Compiles a source with clang, as the worker does; the bitcode lives in the arena. */
rt_bytes fixture_compile(postlink_fixture *fixture, const fixture_source *source);

/* Post-links sources of a module named "m" (the list ends with a NULL name). */
rt_status fixture_postlink(postlink_fixture *fixture, rt_split split,
                           const fixture_source *sources);

/* Post-links sources as fixture_postlink does; post-link must succeed and produce `image_count`
 * images, each of which SPIRV-Tools accepts. */
void fixture_make(postlink_fixture *fixture, rt_split split, uint32_t image_count,
                  const fixture_source *sources);

/* Links unmodified SPIR-V modules. */
rt_status fixture_link(postlink_fixture *fixture, const rt_bytes *codes, uint32_t count,
                       rt_buffer *out_bitcode);

/* Check that the names are exactly these, separated by blanks, in this order. */
void assert_imports(const postlink_fixture *fixture, uint32_t image, const char *names);
void assert_exports(const postlink_fixture *fixture, uint32_t image, const char *names);
void assert_kernels(const postlink_fixture *fixture, uint32_t image, const char *names);

/* The state of a function in an image's code. */
typedef enum function_state { ABSENT, DECLARED, INTERNAL, EXPORTED } function_state;
function_state fixture_function(const postlink_fixture *fixture, uint32_t image, const char *name);

/* The state of a module-scope variable in an image's code. */
function_state fixture_variable(const postlink_fixture *fixture, uint32_t image, const char *name);

/* Checks that the status is an error with this code, whose diagnostic names exactly these symbols.
 */
void assert_refused(postlink_fixture *fixture, rt_status status, rt_code code, const char *names);

#endif
