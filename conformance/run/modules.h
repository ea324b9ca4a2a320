/* Compiles the modules of one scenario: finds the images in the artefact cache or has workers
 * compile them, and judges the answers. */
#ifndef CONFORMANCE_RUN_MODULES_H
#define CONFORMANCE_RUN_MODULES_H

#include "conformance/build/compile.h"
#include "conformance/process/child.h"
#include "conformance/verdict/verdict.h"

/* One module on its way from sources to images. */
typedef struct cnf_module_work {
    rt_buffer request;
    rt_buffer answer; /* from the cache, the pack or a worker */
    bool answered;    /* it has its answer, or there is nothing to compile */
    rt_text failure;  /* kind of the worker's own failure ("signal-11"); empty: none */
    rt_text failure_message;
    bool has_crashed; /* the worker crashed, which only its input explains */
} cnf_module_work;

typedef struct cnf_modules {
    rt_arena *arena;
    rt_sink *sink;
    const scn_scenario *scenario;
    rt_format format;       /* of the images, unless a module specifies it */
    cnf_module_work *works; /* one per module of the scenario */
    uint32_t next;          /* next module to consider for a worker */
    uint32_t answered;      /* number of modules with an answer or nothing to compile */
} cnf_modules;

/* The format of a scenario's images for a subject whose device takes PTX: PTX, compiled from
 * source, if every module can be; otherwise SPIR-V, which the device's tools translate. That is
 * needed for code in other languages, for modules that specify SPIR-V, for devices that are to link
 * it, and for specialisation constants, which PTX does not have. */
rt_format cnf_modules_ptx_format(const scn_scenario *scenario);

/* Makes the requests, for post-link of the given profile and for images of the given format
 * (SPIRV64 or PTX) unless a module specifies its own, and answers those whose answers the cache
 * holds. The requests of a packed scenario are all answered by its pack. Arena, sink and scenario
 * must outlive the modules. */
void cnf_modules_begin(cnf_modules *modules, rt_arena *arena, rt_sink *sink,
                       const scn_scenario *scenario, cnf_cache *cache, rt_profile profile,
                       rt_format format);

/* Finds the next module that a worker must compile; the worker's input is the module's request.
 * Returns false if none is left. */
bool cnf_modules_next(cnf_modules *modules, uint32_t *out_module);

/* Takes the answer of a worker and how it ended. Moves the messages out of the result, which the
 * caller must still free. */
void cnf_modules_answer(cnf_modules *modules, uint32_t module, cnf_child_result *worker);

/* True if `other`, another build of the same scenario, has no answer yet to the same request for
 * the module, as for code that both formats are made of. One worker then answers both. */
bool cnf_modules_awaits(const cnf_modules *other, const cnf_modules *modules, uint32_t module);

/* Takes the answer that `other` has got to the same request for the module. */
void cnf_modules_copy(cnf_modules *modules, const cnf_modules *other, uint32_t module);

/* True if no answer is outstanding. */
bool cnf_modules_complete(const cnf_modules *modules);

/* Returns true, with the scenario and all its images in the modules' arena; or, if a module has no
 * images, false with the judgement of the scenario: INVALID for sources that do not compile, with
 * the compiler's messages at the scenario's own lines, for names that denote several kernels,
 * and for values of another type than the kernel's;
 * PASS if modules are refused as the scenario expects; UNAVAILABLE if a required compiler is not
 * installed; SKIP if an optional compiler is not installed, or if the code has no form in PTX;
 * NOT_RUN if no worker could be started; FAIL(compile) for everything else. */
bool cnf_modules_finish(cnf_modules *modules, const scn_scenario **out_scenario,
                        cnf_judgement *out_judgement);

/* Frees the buffers. */
void cnf_modules_free(cnf_modules *modules);

#endif
