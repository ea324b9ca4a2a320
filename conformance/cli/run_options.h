/* The options that every command takes which runs scenarios: one table of bounds, one reader. */
#ifndef CONFORMANCE_CLI_RUN_OPTIONS_H
#define CONFORMANCE_CLI_RUN_OPTIONS_H

#include "conformance/cli/options.h"
#include "conformance/run/run.h"

/* Reads --jobs, --timeout, --memory, --seed, --profile, --loader, --choices and --cache, each with
 * its default where the command does not take it or it was not given.  Texts are those of the
 * command line.  False: one is wrong, which has been said on stderr. */
bool cnf_run_options_read(const cnf_arguments *arguments, cnf_run_options *out_options);

/* Reads "documents,dpcpp", each profile once however often it is named, in the order of the list;
 * out_profiles has room for RT_PROFILE_COUNT.  False: a word names none, which has been said on
 * stderr. */
bool cnf_run_profiles_read(const char *names, rt_profile *out_profiles, uint32_t *out_count);

/* What of the options decides verdicts: "--seed 5 --profile dpcpp --loader real --choices 0,1
 * --explore", in the arena; empty where all have their defaults. */
rt_text cnf_run_options_conditions(rt_arena *arena, const cnf_run_options *options);

/* What of the options must be said again so that one scenario on one subject runs so again, besides
 * its choices, which its record has: " --seed 5 --timeout 10", in the arena. */
rt_text cnf_run_options_again(rt_arena *arena, const cnf_run_options *options);

#endif
