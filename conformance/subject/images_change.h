/* Copies of a scenario that differ from it in their images. */
#ifndef CONFORMANCE_SUBJECT_IMAGES_CHANGE_H
#define CONFORMANCE_SUBJECT_IMAGES_CHANGE_H

#include "conformance/scenario/model/scenario.h"
#include "reference/base/status.h"

/* Changes a copy of image `index` of a module. */
typedef rt_status cnf_image_change(void *user, const scn_module *module, uint32_t index,
                                   rt_image *inout_image);

/* Makes a copy of the scenario in the arena, with changed images; the rest is shared with the
 * original.  The first failure of `change` ends it, and *out_scenario is unchanged. */
RT_MUST_USE rt_status cnf_images_change(rt_arena *arena, const scn_scenario *scenario,
                                        cnf_image_change *change, void *user,
                                        const scn_scenario **out_scenario);

#endif
