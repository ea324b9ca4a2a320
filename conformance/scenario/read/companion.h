/* Companion files of a scenario: binaries and sources that are too large or otherwise unsuited to
 * be embedded. */
#ifndef CONFORMANCE_SCENARIO_COMPANION_H
#define CONFORMANCE_SCENARIO_COMPANION_H

#include "conformance/scenario/schema/schema.h"

/* Reads the companion file that the node `name` names: a regular file of at most RT_IMAGE_SIZE_MAX
 * bytes, by a path relative to the scenario's folder. Its SHA-256 hash must match the node `sha256`
 * (NULL: the scenario gives no hash; the contents are then added to scn_scenario.unpinned). The
 * contents are allocated in the reader's arena, followed by a NUL byte. False after a problem. */
bool scn_companion_read(scn_reader *reader, const scn_node *name, const scn_node *sha256,
                        rt_text *out_content);

/* The SHA-256 hash of a file's contents, in hexadecimal, as scenarios write it; in the arena. */
rt_text scn_companion_hash(rt_arena *arena, rt_text content);

#endif
