/* Shared by the worker's parts: the state of the process, and each part's functions. */
#ifndef CONFORMANCE_BUILD_WORKER_H
#define CONFORMANCE_BUILD_WORKER_H

#include "conformance/build/diagnostics.h"
#include "conformance/build/request.h"
#include "conformance/build/toolchain.h"

typedef struct cnf_worker {
    rt_sink *sink;
    cnf_cache *cache;
    rt_arena arena;
    cnf_toolchain toolchain;
    const rt_compiler_api *api; /* NULL until the plugin is needed */
    cnf_message_list messages;
    rt_buffer artefact;
    bool depends_on_files; /* the answer depends on more than the request: it is not cached */
    bool is_plugins;       /* the answer is that of the compiler plugin alone */
    bool is_ours;          /* a source that its front end accepts is refused */
} cnf_worker;

/* Opens the compiler plugin, which stays open. UNAVAILABLE: it is missing, cannot be opened, or has
 * another version. */
RT_MUST_USE rt_status cnf_worker_open_plugin(cnf_worker *worker);

/* Writes the images of a module to worker->artefact. COMPILE_TIME, with messages: a source was
 * refused; POSTLINK_ERROR: post-link refuses the module; UNSUPPORTED: a build option is refused;
 * UNAVAILABLE: a compiler is not installed; TOOL: a compiler died. */
RT_MUST_USE rt_status cnf_worker_make_module(cnf_worker *worker, const cnf_request *request);

/* Writes the SPIR-V of an OpenCL program to worker->artefact.  Fails with the codes of
 * cnf_worker_make_module. */
RT_MUST_USE rt_status cnf_worker_make_program(cnf_worker *worker, const cnf_request *request);

#endif
