/* Compiling the modules of one scenario: what is in the artefact cache, what workers must make, and
 * what their answers mean for the scenario. */
#ifndef CONFORMANCE_RUN_MODULES_H
#define CONFORMANCE_RUN_MODULES_H

#include "conformance/build/compile.h"
#include "conformance/process/child.h"
#include "conformance/verdict/verdict.h"

/* One module on its way from sources to images. */
typedef struct cnf_module_work {
    rt_buffer request;
    rt_buffer answer; /* of the cache or of a worker */
    bool answered;    /* or nothing to compile */
    rt_text failure;  /* the worker itself failed: its kind for signatures ("SIGSEGV") */
    rt_text failure_message;
} cnf_module_work;

typedef struct cnf_modules {
    rt_arena *arena;
    rt_sink *sink;
    const scn_scenario *scenario;
    rt_format format;       /* of images, where a module does not fix it */
    cnf_module_work *works; /* one per module of the scenario */
    uint32_t next;          /* module to look at next for a worker */
    uint32_t answered;      /* modules that wait for nothing */
} cnf_modules;

/* Makes the requests, for post-link of that profile and images of that format (SPIRV64 or PTX)
 * where a module does not fix it, and answers from the cache what it holds; those of a packed
 * scenario are all answered by its pack.  Arena, sink and scenario must outlive the modules. */
void cnf_modules_begin(cnf_modules *modules, rt_arena *arena, rt_sink *sink,
                       const scn_scenario *scenario, cnf_cache *cache, rt_profile profile,
                       rt_format format);

/* The next module that a worker must compile, whose request is its input; false: none is left. */
bool cnf_modules_next(cnf_modules *modules, uint32_t *out_module);

/* Takes what a worker sent and how it ended.  The result's messages move; the caller frees the
 * result all the same. */
void cnf_modules_answer(cnf_modules *modules, uint32_t module, cnf_child_result *worker);

/* True when nothing is waited for. */
bool cnf_modules_complete(const cnf_modules *modules);

/* Gives the scenario with all its images, in the modules' arena, and returns true; or, where a
 * module has no images, returns false with the judgement of the scenario: INVALID for sources that
 * do not compile, with the compiler's messages at the scenario's own lines, and for names that mean
 * several kernels; UNAVAILABLE where a compiler is not installed, SKIP where it is one that not
 * every machine has, and where the code has no form in PTX; NOT_RUN where no worker could be
 * started; FAIL(compile) for everything else. */
bool cnf_modules_finish(cnf_modules *modules, const scn_scenario **out_scenario,
                        cnf_judgement *out_judgement);

/* Frees the buffers. */
void cnf_modules_free(cnf_modules *modules);

#endif
