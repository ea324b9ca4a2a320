/* Files beside a scenario: binaries and sources that are too large or too odd to be embedded. */
#ifndef CONFORMANCE_SCENARIO_COMPANION_H
#define CONFORMANCE_SCENARIO_COMPANION_H

#include "conformance/scenario/schema/schema.h"

/* Reads a regular file that lies in the folder of the scenario or below it, through no symbolic
 * link that leads out of it, of at most RT_IMAGE_SIZE_MAX bytes, whose SHA-256 hash is what the
 * node `sha256` says (NULL: the scenario gives none, which is a problem that tells the right one).
 * The content lives in the reader's arena, a NUL byte behind it.  False after a problem. */
bool scn_companion_read(scn_reader *reader, const scn_node *name, const scn_node *sha256,
                        rt_text *out_content);

#endif
