/* Device config files: how DPC++ users describe targets that their compiler does not know. */
#ifndef CONFORMANCE_SCENARIO_DEVICE_CONFIG_FILE_H
#define CONFORMANCE_SCENARIO_DEVICE_CONFIG_FILE_H

#include "conformance/scenario/schema/schema.h"

/* Reads the companion file that the node `name` names (`sha256`: see scn_companion_read), and finds
 * in it the target that the node `target` names. *out_lacks receives bit 1u << dev_aspect for each
 * aspect that the target does not support. Problems inside the file are reported with its name and
 * their position in it, all other problems at the node concerned. False after a problem. Source:
 * DeviceConfigFile.md of intel/llvm (sycl/doc/design), "Changes to the DPC++ Frontend". */
bool scn_device_config_file_read(scn_reader *reader, const scn_node *name, const scn_node *sha256,
                                 const scn_node *target, uint32_t *out_lacks);

#endif
