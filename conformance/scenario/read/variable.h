/* References to device_globals, for the readers of the steps that have them. */
#ifndef CONFORMANCE_SCENARIO_READ_VARIABLE_H
#define CONFORMANCE_SCENARIO_READ_VARIABLE_H

#include "conformance/scenario/schema/schema.h"

/* One end of a copy: a memory, or a device_global where memory is SCN_NONE. */
typedef struct scn_copy_end {
    uint32_t memory;
    scn_variable variable;
} scn_copy_end;

extern const scn_shape scn_shape_copy_end;     /* scn_copy_end */
extern const scn_shape scn_shape_element_type; /* scn_layout of a scalar or vector */

/* True when some module's source or list of variables mentions the name, so that it may have such a
 * variable; before images are made nothing more is known. */
bool scn_variable_may_be(const scn_reader *reader, rt_text name);

#endif
