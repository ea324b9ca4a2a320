/* What must hold for a scenario. It is checked on the finished model, whether that was read from a
 * scenario file or from a pack. */
#ifndef CONFORMANCE_SCENARIO_CHECK_H
#define CONFORMANCE_SCENARIO_CHECK_H

#include "conformance/scenario/yaml/problems.h"

/* What the schema says of keys that exclude or require each other, and what is said of a model that
 * breaks the same rule. */
#define SCN_PROMOTE_BARS_USM     "'promote' cannot be combined with 'usm'; only buffers are promoted"
#define SCN_CONSTANTS_NEED_INPUT "'spec_constants' requires 'get: input'"
#define SCN_OPTIONS_NEED_ACTION  "'options' requires 'compile' or 'link'"

/* Checks a whole scenario and reports everything that is wrong with it. The scenario may be
 * anything that the pack reader produces from arbitrary bytes: its indices are within their tables
 * and its enumerators are known; nothing else is taken for granted. `fields` gives the positions at
 * which the model's fields are written in the file, so that problems are reported there; without it
 * (field_count 0), a problem is reported at its step, or at whatever else contains it. True if
 * nothing was wrong; *out_step is the first step with a problem, or SCN_NONE if no step has one. */
bool scn_check(scn_reporter *reporter, const scn_scenario *scenario, const scn_located *fields,
               uint32_t field_count, uint32_t *out_step);

/* Splits the image name "MODULE/NUMBER" into the module's index and the image's number. The number
 * is not checked against the module's images, which are known only once it has been compiled. False
 * after a problem; *out_module is then SCN_NONE. */
bool scn_image_name_find(scn_reporter *reporter, const scn_scenario *scenario, scn_position at,
                         rt_text name, uint32_t *out_module, uint32_t *out_image);

/* Refuses an offset or a local size whose number of dimensions, `count`, differs from its range's;
 * `count` 0 means that it is absent. `name` is its name in the message. False after a problem. */
bool scn_dimensions_check(scn_reporter *reporter, scn_position at, const char *name, uint32_t count,
                          uint32_t dimensions);

#endif
