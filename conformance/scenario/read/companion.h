/* Companion files of a scenario: binaries and sources that are too large or too unusual to be
 * embedded. */
#ifndef CONFORMANCE_SCENARIO_COMPANION_H
#define CONFORMANCE_SCENARIO_COMPANION_H

#include "conformance/scenario/schema/schema.h"

/* Reads a regular file of at most RT_IMAGE_SIZE_MAX bytes in the scenario's folder or below it,
 * reached through no symbolic link that leads out of it, whose SHA-256 hash is that of the node
 * `sha256` (NULL: the scenario gives none, which is a problem whose message has the right one). The
 * content is allocated in the reader's arena, followed by a NUL byte. False after a problem. */
bool scn_companion_read(scn_reader *reader, const scn_node *name, const scn_node *sha256,
                        rt_text *out_content);

#endif
