/* The options of all commands that run scenarios: one table of bounds, one reader. */
#ifndef CONFORMANCE_CLI_RUN_OPTIONS_H
#define CONFORMANCE_CLI_RUN_OPTIONS_H

#include "conformance/cli/options.h"
#include "conformance/run/run.h"

/* Reads --jobs, --timeout, --memory, --seed, --profile, --loader, --choices and --cache. An option
 * that is absent, or that the command does not take, has its default. Texts point into the command
 * line. Returns false after reporting a wrong value on stderr. */
bool cnf_run_options_read(const cnf_arguments *arguments, cnf_run_options *out_options);

/* Reads a list of profiles, for example "documents,dpcpp", without duplicates and in its order;
 * out_profiles has room for RT_PROFILE_COUNT. Returns false after reporting an unknown word on
 * stderr. */
bool cnf_run_profiles_read(const char *names, rt_profile *out_profiles, uint32_t *out_count);

/* The options that influence verdicts, for example "--seed 5 --profile dpcpp --loader real
 * --choices 0,1 --explore", in the arena; empty if all have their defaults. */
rt_text cnf_run_options_conditions(rt_arena *arena, const cnf_run_options *options);

/* The name of this machine, in the arena; empty if the system does not tell it. */
rt_text cnf_run_options_host(rt_arena *arena);

/* The options that repeat the run of a scenario on a subject, for example " --seed 5 --timeout 10",
 * in the arena. The choices are not included; they are in the scenario's record. */
rt_text cnf_run_options_rerun(rt_arena *arena, const cnf_run_options *options);

#endif
