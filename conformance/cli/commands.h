/* The commands of assay, one per file cmd_*.c. Each returns an exit status of options.h, prints its
 * results on stdout and all other output on stderr. */
#ifndef CONFORMANCE_CLI_COMMANDS_H
#define CONFORMANCE_CLI_COMMANDS_H

#include "conformance/cli/options.h"
#include "conformance/process/files.h"
#include "conformance/requirements/rules.h"
#include "conformance/scenario/model/scenario.h"
#include "conformance/verdict/record.h"

#include <stdio.h>

/* assay run: runs scenarios on subjects. */
int cnf_run_command(const cnf_arguments *arguments);

/* assay why: explains one scenario's verdict on one subject. */
int cnf_why_command(const cnf_arguments *arguments);

/* assay check: reads scenarios and prints their problems. */
int cnf_check_command(const cnf_arguments *arguments);

/* assay subjects: the installed and missing subjects, and how to install them. */
int cnf_subjects_command(const cnf_arguments *arguments);

/* assay requirements: the rules that scenarios cite, and those that are proven. */
int cnf_requirements_command(const cnf_arguments *arguments);

/* assay explain: a scenario's modules and steps, and what happens in its run. */
int cnf_explain_command(const cnf_arguments *arguments);

/* assay trace: a scenario's run as a timeline. */
int cnf_trace_command(const cnf_arguments *arguments);

/* assay fmt: formats scenario files. */
int cnf_fmt_command(const cnf_arguments *arguments);

/* assay schema: the scenario format as a JSON Schema, or as a page for people. */
int cnf_schema_command(const cnf_arguments *arguments);

/* assay image: shows and converts files with device images. */
int cnf_image_command(const cnf_arguments *arguments);

/* assay postlink: the images that post-link makes from sources. */
int cnf_postlink_command(const cnf_arguments *arguments);

/* assay pack: compiled scenarios in one file, for machines without compilers. */
int cnf_pack_command(const cnf_arguments *arguments);

/* assay export: a scenario as a plain C program. */
int cnf_export_command(const cnf_arguments *arguments);

/* assay exec: runs a program with the simulated device as its OpenCL platform. */
int cnf_exec_command(const cnf_arguments *arguments);

/* assay capture: the launches of a program as scenarios. */
int cnf_capture_command(const cnf_arguments *arguments);

/* assay compare: the changes between the records of two runs. */
int cnf_compare_command(const cnf_arguments *arguments);

/* assay merge: the records of several jobs as those of one run. */
int cnf_merge_command(const cnf_arguments *arguments);

/* assay history: the verdicts of many runs. */
int cnf_history_command(const cnf_arguments *arguments);

/* assay generate: a scenario from a seed. */
int cnf_generate_command(const cnf_arguments *arguments);

/* assay fuzz: generated scenarios on several subjects, and what they find. */
int cnf_fuzz_command(const cnf_arguments *arguments);

/* assay reduce: the smallest scenario that still fails in the same way. */
int cnf_reduce_command(const cnf_arguments *arguments);

/* assay new: a scenario from a template. */
int cnf_new_command(const cnf_arguments *arguments);

/* assay doctor: the machine's problems and their remedies. */
int cnf_doctor_command(const cnf_arguments *arguments);

/* assay manual, assay completion: the commands as a page for man(1), and for a shell. */
int cnf_manual_command(const cnf_arguments *arguments);
int cnf_completion_command(const cnf_arguments *arguments);

/* ---- Shared by the commands ---------------------------------------------------------------- */

/* All public commands, in the order of `assay --help` (static). */
const cnf_command *cnf_command_table(uint32_t *out_count);

/* The format of images with this index, for --formats (static); NULL after the last one. */
const char *cnf_pack_format(uint32_t index);

/* The scenarios that belong to the program, with the table of rules: the installed folder, or the
 * checkout's in whose build folder the program is; empty if there is none. */
rt_text cnf_command_scenarios(rt_arena *arena);

/* Finds the scenarios that the arguments' paths denote; without paths, those in ./scenarios, or the
 * program's own if that folder does not exist. A single path may be a pack. Returns an exit
 * status: USAGE for a path that does not exist, NOTHING_RAN if there are no scenarios; both are
 * reported on stderr. */
int cnf_command_files(const cnf_arguments *arguments, rt_arena *arena, cnf_files *out_files);

/* Finds the scenario of a command that takes one path, such as "explain". Returns an exit status,
 * as above; USAGE also if there are several. */
int cnf_command_scenario(const cnf_arguments *arguments, const char *command, rt_arena *arena,
                         cnf_files *out_files);

/* Reads the records that run --json wrote. Returns false after reporting an error on stderr, with
 * the option as its prefix unless that is empty. */
bool cnf_command_records(rt_arena *arena, const char *option, rt_text file,
                         cnf_records *out_records);

/* Reads the requirements.yaml in the folder of `file` or in a folder above it. Returns an exit
 * status; errors are reported on stderr, preceded by `prefix`, for example "--rule: ", which may be
 * empty. */
int cnf_command_rules(rt_sink *sink, rt_arena *arena, const char *prefix, rt_text file,
                      cnf_rules *out_rules);

/* Returns true after reporting on stderr that the command, for example "check", does not accept
 * packs; false if the files are not from a pack. */
bool cnf_command_refuses_packs(const cnf_files *files, const char *command);

/* Reads the value of a numeric option; `otherwise` if it is absent. Returns false after reporting
 * on stderr that it is not a number from `least` to `most`. */
bool cnf_command_number(const cnf_arguments *arguments, cnf_option_id option, const char *name,
                        uint64_t least, uint64_t most, uint64_t otherwise, uint64_t *out_number);

/* Writes a command's result to stdout; a reader that stops early (`assay … | head`) is not an
 * error. Returns false after reporting on stderr that `name`, for example "the matrix", could not
 * be written, because of a full disk or a closed stdout. */
bool cnf_command_print(const rt_buffer *text, const char *name);

/* Prints a command's result as cnf_command_print does, frees it, and returns the exit status. */
int cnf_command_finish(rt_buffer *text, const char *name);

/* Prints a scenario file's mistakes, one per line. */
void cnf_command_problems(FILE *stream, rt_text file, const scn_problems *problems);

/* Reports an unknown word and the nearest names on stderr; they are preceded by `prefix`, for
 * example "--profile: ", which may be empty. Returns the exit status USAGE. */
int cnf_command_unknown(const char *prefix, const char *kind, const char *word,
                        const char *const *names, uint32_t count);

/* Reports a failed status on stderr: "assay: CONTEXT: MESSAGE"; an empty context is left out. */
void cnf_command_fail(rt_sink *sink, rt_status status, rt_text context);

/* Replaces the output file of an option, for example "--junit", as cnf_file_replace does, and frees
 * the contents. Returns false after reporting an error on stderr. */
bool cnf_command_file_replace(const char *option, const char *name, rt_buffer *content);

/* Decides whether results are coloured: as --color says; by default, if stdout is a terminal and
 * NO_COLOR is unset or empty. Returns false after reporting an unknown word on stderr. Source:
 * https://no-color.org */
bool cnf_command_colours(const cnf_arguments *arguments, bool *out_colours);

/* The number of processors that this process may use, at least 1. */
uint32_t cnf_command_processors(void);

#endif
