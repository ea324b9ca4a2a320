/* A scenario's images compiled ahead of time by a driver's own compiler, for a subject on it. */
#ifndef CONFORMANCE_SUBJECT_NATIVE_IMAGES_H
#define CONFORMANCE_SUBJECT_NATIVE_IMAGES_H

#include "conformance/subject/subject.h"

/* Replaces the code of the images in native formats that the subject's device takes, which the
 * build compiled for the simulated device, by what the driver makes of the same SPIR-V
 * (cnf_subject_offline_main, in a process of its own). An image that declares imports or exports
 * becomes a compiled program, if the device links that format, and every other one an executable
 * program. Images written by hand stay as they are. *out_scenario is in the arena; the rest of the
 * scenario is borrowed. `subject` has a member `offline`.
 *
 * Returns the codes of dev_program_build and dev_program_binary, with the driver's message; TOOL:
 * the process died; UNAVAILABLE: it cannot be started, or the driver is not installed. */
RT_MUST_USE rt_status cnf_native_images(rt_sink *sink, rt_arena *arena, const cnf_subject *subject,
                                        const cnf_subject_options *options,
                                        const dev_capabilities *capabilities,
                                        const scn_scenario *scenario,
                                        const scn_scenario **out_scenario);

/* Returns the scenario with its images as they are registered, in the arena: those that the build
 * compiled ahead of time have their module's `compile_target` among their device requirements, and
 * only the first bytes of the code of a module with `truncate` are left. */
const scn_scenario *cnf_registered_images(rt_arena *arena, const scn_scenario *scenario);

/* Body of the hidden `assay offline NAME [--object] [--settings NAME=VALUE,…] [--cache FOLDER]`:
 * reads one SPIR-V module from descriptor 0, has the driver of the subject NAME build it (--object:
 * compile it only), and writes the program's binary to descriptor 1. Returns the exit status; after
 * a refusal stderr holds the status's code, a space, and the message. */
int cnf_subject_offline_main(int argument_count, char **arguments);

#endif
