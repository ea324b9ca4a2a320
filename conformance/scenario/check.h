/* What must be true of a scenario, checked over the finished model: after the reader of scenario
 * files and after the reader of packs alike. */
#ifndef CONFORMANCE_SCENARIO_CHECK_H
#define CONFORMANCE_SCENARIO_CHECK_H

#include "conformance/scenario/yaml/problems.h"

/* Checks a whole scenario, and reports everything that is wrong with it.  It may be any that the
 * reader of packs makes of any bytes: its indices lie in their tables and its enumerators are
 * known, and nothing else is taken for granted.  `fields` says where the fields of the model are
 * written, so that a problem is reported there; without them (0) it is reported at the step, or
 * whatever else it is a part of.  Returns whether nothing was wrong; *out_step is the first step
 * with a problem, SCN_NONE where none has one. */
bool scn_check(scn_reporter *reporter, const scn_scenario *scenario, const scn_located *fields,
               uint32_t field_count, uint32_t *out_step);

/* Finds "MODULE/NUMBER": the module's index and the image's number.  How many images a module has
 * is known when it is compiled.  False after a problem, with SCN_NONE for the module. */
bool scn_image_name_find(scn_reporter *reporter, const scn_scenario *scenario, scn_position at,
                         rt_text name, uint32_t *out_module, uint32_t *out_image);

/* Refuses an offset or a local size (called `name`) with another number of dimensions than the
 * range it belongs to; none is given where `count` is 0. */
bool scn_dimensions_check(scn_reporter *reporter, scn_position at, const char *name, uint32_t count,
                          uint32_t dimensions);

#endif
