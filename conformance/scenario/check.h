/* What must be true of a scenario, checked over the finished model: after the reader of scenario
 * files and after the reader of packs alike. */
#ifndef CONFORMANCE_SCENARIO_CHECK_H
#define CONFORMANCE_SCENARIO_CHECK_H

#include "conformance/scenario/yaml/problems.h"

/* Checks a whole scenario and reports everything that is wrong with it. The scenario may be any
 * that the reader of packs produces from arbitrary bytes: its indices are inside their tables and
 * its enumerators are known; nothing else is taken for granted. `fields` gives the places where the
 * fields of the model are written, at which their problems are reported; without them (0) a problem
 * is reported at its step, or at whatever else contains it. True if nothing was wrong; *out_step is
 * the first step with a problem, SCN_NONE if no step has one. */
bool scn_check(scn_reporter *reporter, const scn_scenario *scenario, const scn_located *fields,
               uint32_t field_count, uint32_t *out_step);

/* Finds "MODULE/NUMBER": the module's index and the image's number. The number of a module's images
 * is known only after it is compiled. False after a problem, with SCN_NONE for the module. */
bool scn_image_name_find(scn_reporter *reporter, const scn_scenario *scenario, scn_position at,
                         rt_text name, uint32_t *out_module, uint32_t *out_image);

/* Refuses an offset or a local size (called `name`) whose number of dimensions, `count`, differs
 * from that of its range; `count` 0 means that it is absent. */
bool scn_dimensions_check(scn_reporter *reporter, scn_position at, const char *name, uint32_t count,
                          uint32_t dimensions);

#endif
