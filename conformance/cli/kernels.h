/* Runs of kernels that are in no scenario: `assay run FILE.cl --kernel …`, `--kernels DIR`. */
#ifndef CONFORMANCE_CLI_KERNELS_H
#define CONFORMANCE_CLI_KERNELS_H

#include "conformance/cli/launch.h"
#include "conformance/run/run.h"

/* True if the command line names kernels instead of scenarios. */
bool cnf_kernels_wanted(const cnf_arguments *arguments);

/* True if it only asks which kernels a file has: it has no options of a launch. */
bool cnf_kernels_listed(const cnf_arguments *arguments);

/* Prints the kernels of the files with their parameters, and a command that runs the first one that
 * the command line can run. Returns an exit status. *out_files is empty, or, if the code does not
 * compile, a scenario without a launch, whose run reports that; it lives in the arena. */
int cnf_kernels_list(rt_arena *arena, const cnf_arguments *arguments, const cnf_run_options *run,
                     cnf_files *out_files);

/* Makes the files of the run: one launch from the options, or those of a manifest, of which
 * *out_launch is then empty. Everything lives in the arena. Returns an exit status; mistakes are
 * reported on stderr. */
int cnf_kernels_files(rt_arena *arena, const cnf_arguments *arguments, const cnf_run_options *run,
                      cnf_files *out_files, cnf_launch *out_launch);

/* Compiles the scenario's only module, as a run does, and reads its kernels into the arena. Returns
 * an exit status, and prints messages, as cnf_module_compile does. */
int cnf_kernels_outline(rt_arena *arena, const cnf_run_options *run, const scn_scenario *scenario,
                        bool run_reports, cnf_spirv_outline *out);

#endif
