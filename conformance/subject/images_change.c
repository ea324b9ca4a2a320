/* Copies what leads to the images; see images_change.h. */
#include "conformance/subject/images_change.h"

#include <string.h>

rt_status cnf_images_change(rt_arena *arena, const scn_scenario *scenario, cnf_image_change *change,
                            void *user, const scn_scenario **out_scenario)
{
    scn_scenario *result = rt_arena_alloc(arena, sizeof *result);
    scn_module *modules = rt_arena_alloc_array(arena, scenario->module_count, sizeof *modules);
    *result = *scenario;
    memcpy(modules, scenario->modules, scenario->module_count * sizeof *modules);
    result->modules = modules;
    for (uint32_t m = 0; m < scenario->module_count; m++) {
        const rt_image_list *declared = &scenario->modules[m].images;
        rt_image *images = rt_arena_alloc_array(arena, declared->count, sizeof *images);
        for (uint32_t i = 0; i < declared->count; i++) {
            images[i] = declared->images[i];
            RT_TRY(change(user, &scenario->modules[m], i, &images[i]));
        }
        modules[m].images.images = images;
    }
    *out_scenario = result;
    return RT_STATUS_OK;
}
