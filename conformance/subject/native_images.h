/* A scenario's images compiled ahead of time by a driver's own compiler, for a subject on it. */
#ifndef CONFORMANCE_SUBJECT_NATIVE_IMAGES_H
#define CONFORMANCE_SUBJECT_NATIVE_IMAGES_H

#include "conformance/subject/execute.h"

/* Replaces the images of execution->scenario by those that the program registers, once the
 * capabilities are known and before it is built:
 *
 *   - the code of images in native formats that the device takes, which the build compiled for the
 *     simulated device, by what the subject's driver (cnf_subject.offline) makes of the same
 * SPIR-V, in a process of its own. An image that declares imports, or exports on a device that
 * links the format, becomes a compiled program, and every other one an executable program. Images
 * written by hand stay as they are;
 *   - those that the build compiled ahead of time get their module's `compile_target` among their
 *     device requirements;
 *   - of the code of a module with `truncate`, only the first bytes are left.
 *
 * execution->offline becomes the status of the first step, after a failure of which no image is
 * changed: the codes of dev_program_build and dev_program_binary, with the driver's message; TOOL:
 * the process died; UNAVAILABLE: it cannot be started, or the driver is not installed. */
void cnf_images_prepare(cnf_execution *execution, const dev_capabilities *capabilities);

/* Body of the hidden `assay offline NAME [--object] [--ptx] [--settings NAME=VALUE,…] [--cache
 * FOLDER]`: reads one SPIR-V module, or with --ptx one PTX module, from descriptor 0, has the
 * driver of the subject NAME build it (--object: compile it only), and writes the program's binary
 * to descriptor 1. Returns the exit status; after a refusal stderr holds the status's code, a
 * space, and the message. */
int cnf_subject_offline_main(int argument_count, char **arguments);

#endif
