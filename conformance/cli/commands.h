/* The commands of assay, one per file cmd_*.c.  Each returns an exit status of options.h, prints
 * results on stdout and everything else on stderr. */
#ifndef CONFORMANCE_CLI_COMMANDS_H
#define CONFORMANCE_CLI_COMMANDS_H

#include "conformance/cli/options.h"
#include "conformance/process/files.h"

/* assay run: scenarios on subjects. */
int cnf_run_command(const cnf_arguments *arguments);

/* assay why: the reasons of one scenario's verdict on one subject. */
int cnf_why_command(const cnf_arguments *arguments);

/* assay check: reads scenarios and prints their problems. */
int cnf_check_command(const cnf_arguments *arguments);

/* assay subjects: what is installed, what is missing, how to get it. */
int cnf_subjects_command(const cnf_arguments *arguments);

/* assay requirements: which rules scenarios cite, and which are proven. */
int cnf_requirements_command(const cnf_arguments *arguments);

/* assay explain: what a scenario is made of and what happens in it. */
int cnf_explain_command(const cnf_arguments *arguments);

/* assay trace: what happens in a scenario, as a timeline. */
int cnf_trace_command(const cnf_arguments *arguments);

/* assay fmt: scenario files in the one form. */
int cnf_fmt_command(const cnf_arguments *arguments);

/* assay schema: the scenario format as a JSON Schema, or as a page for people. */
int cnf_schema_command(const cnf_arguments *arguments);

/* assay image: shows and converts files with device images. */
int cnf_image_command(const cnf_arguments *arguments);

/* assay postlink: the images that post-link makes of sources. */
int cnf_postlink_command(const cnf_arguments *arguments);

/* assay pack: compiled scenarios in one file, for machines without compilers. */
int cnf_pack_command(const cnf_arguments *arguments);

/* assay export: a scenario as a plain C program. */
int cnf_export_command(const cnf_arguments *arguments);

/* assay compare: what changed between the records of two runs. */
int cnf_compare_command(const cnf_arguments *arguments);

/* assay history: the verdicts of many runs. */
int cnf_history_command(const cnf_arguments *arguments);

/* assay new: a scenario from a template. */
int cnf_new_command(const cnf_arguments *arguments);

/* assay doctor: what is wrong with the machine. */
int cnf_doctor_command(const cnf_arguments *arguments);

/* assay manual, assay completion: the commands as a page for man(1), and for bash. */
int cnf_manual_command(const cnf_arguments *arguments);
int cnf_completion_command(const cnf_arguments *arguments);

/* ---- Shared by them ------------------------------------------------------------------------ */

/* All commands that people use, in the order of `assay --help` (static). */
const cnf_command *cnf_command_table(uint32_t *out_count);

/* Finds the scenarios of the arguments' paths, by default those of ./scenarios, or
 * where there is no such folder the installed ones; one path may be a
 * pack.  Returns an exit status: USAGE for a path that is not there and NOTHING_RAN for none at
 * all, both said on stderr.
 */
int cnf_command_files(const cnf_arguments *arguments, rt_arena *arena, cnf_files *out_files);

/* True where the files are those of a pack, which the command, "check", does not take; that has
 * been said on stderr. */
bool cnf_command_refuses_packs(const cnf_files *files, const char *command);

/* Reads the value of a numeric option, or gives `otherwise` where it is absent.  False: it is not
 * a number from `least` to `most`, which has been said on stderr. */
bool cnf_command_number(const cnf_arguments *arguments, cnf_option_id option, const char *name,
                        uint64_t least, uint64_t most, uint64_t otherwise, uint64_t *out_number);

/* Writes all of a command's result to stdout, or as much as is read (`assay … | head` is not a
 * failure).  False: it could not be written, to a full disk or a closed stdout, which has been said
 * on stderr of `what`, "the matrix". */
bool cnf_command_print(const rt_buffer *text, const char *what);

/* Decides whether results are to be coloured: as --color says; else where stdout is a terminal, and
 * NO_COLOR is not set, or empty.  False: --color has another word, which has been said on stderr.
 * Source: https://no-color.org */
bool cnf_command_colours(const cnf_arguments *arguments, bool *out_colours);

/* Processors that this process may use, at least 1. */
uint32_t cnf_command_processors(void);

#endif
