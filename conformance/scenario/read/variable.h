/* References to device_globals, for the readers of steps that contain them. */
#ifndef CONFORMANCE_SCENARIO_READ_VARIABLE_H
#define CONFORMANCE_SCENARIO_READ_VARIABLE_H

#include "conformance/scenario/schema/schema.h"

extern const scn_shape scn_shape_copy_end; /* uint32_t: a memory; SCN_NONE: a device_global */
extern const scn_shape scn_shape_stored_variable; /* scn_variable */
extern const scn_shape scn_shape_element_type;    /* scn_layout of a scalar or vector */

/* Reads one end of a copy: a memory into *out_memory, or a device_global into *out_variable with
 * SCN_NONE as the memory. False after a problem. */
bool scn_copy_end_read(scn_reader *reader, const scn_node *node, uint32_t *out_memory,
                       scn_variable *out_variable);

#endif
