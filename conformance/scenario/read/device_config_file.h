/* Device config files: what users of DPC++ tell their compiler of targets that it does not know. */
#ifndef CONFORMANCE_SCENARIO_DEVICE_CONFIG_FILE_H
#define CONFORMANCE_SCENARIO_DEVICE_CONFIG_FILE_H

#include "conformance/scenario/schema/schema.h"

/* Reads the device config file that the node `name` names, beside the scenario and with the hash of
 * the node `sha256` as scn_companion_read demands, and finds in it the target that the node
 * `target` names.  *out_lacks receives bit 1u << dev_aspect for each aspect that the target does
 * not support.  Problems inside the file are reported with the file's name and their place there,
 * all the others at the node; false after one.
 * Source: DeviceConfigFile.md of intel/llvm (sycl/doc/design), "Changes to the DPC++ Frontend". */
bool scn_device_config_file_read(scn_reader *reader, const scn_node *name, const scn_node *sha256,
                                 const scn_node *target, uint32_t *out_lacks);

#endif
