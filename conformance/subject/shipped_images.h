/* A scenario's images as the compiler of shipped DPC++ would have written them: ours follow the
 * documents, but libsycl or its driver expects some parts in a different form. */
#ifndef CONFORMANCE_SUBJECT_SHIPPED_IMAGES_H
#define CONFORMANCE_SUBJECT_SHIPPED_IMAGES_H

#include "conformance/scenario/model/model.h"

/* The scenario with such images, in the arena, borrowing the rest of what is given:
 *   - the sets that an image calls or creates are one property, uses-virtual-functions-set
 *     (requirements.yaml, VF-PROP-08, key dpcpp);
 *   - code with device_globals says that its source is C++, because otherwise Intel's runtime finds
 *     no variable by the name that HostAccessINTEL gives it (FINDINGS.md);
 *   - for a variable without device_image_scope, HostAccessINTEL permits every host access, since
 *     the driver would otherwise refuse libsycl's own write of the pointer (DPC++'s headers drop
 *     the property there). */
const scn_scenario *cnf_shipped_images(rt_arena *arena, const scn_scenario *scenario);

#endif
