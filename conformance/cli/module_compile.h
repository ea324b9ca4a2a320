/* Compiles a module for a command that needs its images but runs nothing. */
#ifndef CONFORMANCE_CLI_MODULE_COMPILE_H
#define CONFORMANCE_CLI_MODULE_COMPILE_H

#include "conformance/build/compile.h"
#include "conformance/run/run.h"

/* Makes the images of a module (allocated in the arena) and prints the compilers' messages on
 * stderr: those about code in the scenario's text after the scenario's name, those about a file
 * with its path. `scenario` is NULL if the sources are named by their files. Returns an exit
 * status: UNEXPECTED if the module is refused, INFRASTRUCTURE if a compiler is missing or crashed.
 * Both are reported; but with `run_reports`, nothing is printed about a refused module, because the
 * caller then runs the scenario, which reports it. */
int cnf_module_compile(rt_sink *sink, rt_arena *arena, cnf_cache *cache, const cnf_run_options *run,
                       const scn_scenario *scenario, const scn_module *module, bool run_reports,
                       rt_image_list *out_images, rt_device_global_list *out_globals);

#endif
