/* The contents of a file with device images, as text for people. */
#ifndef CONFORMANCE_CLI_IMAGE_TEXT_H
#define CONFORMANCE_CLI_IMAGE_TEXT_H

#include "reference/image/image_file.h"

/* Appends the containers, and the format, target, options, entries and property sets of each image,
 * with decoded values. `decompressed` has the file's binaries, decompressed. Unprintable bytes are
 * shown as \xNN. */
void cnf_image_text(rt_buffer *out, const rt_image_file *file, rt_device_binaries decompressed);

/* Appends property sets, a line for each set and each property; `indent` precedes every line. */
void cnf_property_sets_text(rt_buffer *out, const char *indent, rt_property_sets sets);

#endif
