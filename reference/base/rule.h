/* The documents' rules as marks in the code (design: "Rules in the code").
 *
 *     if (RULE(DL_RESOLVE_09, is_unresolved(import))) return refuse(...);
 *
 * RULE(id, expression) is its expression: it names the rule that the expression obeys, and neither
 * changes its value nor leaves anything behind in the program.  In the build `prove`, ci/plant
 * writes the faults of a mark, the mutants of its expression, into a copy of the file that is
 * compiled; ASSAY_FAULT=ID@FILE:LINE.NUMBER plants one of them (fault.h).  A mark whose expression
 * has no mutant does not compile there.
 *
 * The older form RULE(id) is true if the code is to obey the rule, and RULE_ELSE(id, value, broken)
 * does the same for values; ASSAY_FAULT=ID@FILE:LINE makes one site disobey.
 *
 * The ids are generated from scenarios/requirements.yaml. */
#ifndef REFERENCE_BASE_RULE_H
#define REFERENCE_BASE_RULE_H

#include "reference/base/text.h"
#include "rule_ids.h" /* generated: enum rt_rule (RT_RULE_NONE, RT_RULE_<ID>, RT_RULE_COUNT) */

#include <stdbool.h>

#define RULE(...)                              RULE_SELECT(__VA_ARGS__, RULE_MARK, RULE_ALONE, )(__VA_ARGS__)
#define RULE_SELECT(id, expression, name, ...) name
#define RULE_MARK(id, expression)              ((void)RT_RULE_##id, (expression))

#ifdef ASSAY_PROVE
#define RULE_ALONE(id) rt_rule_obeyed(RT_RULE_##id, __FILE__, __LINE__)
/* Returns whether the site obeys the rule, and records that it was reached.  Thread-safe;
 * process-wide (the marks are the one exception to "no global state").  `file` must be a literal.
 */
bool rt_rule_obeyed(rt_rule rule, const char *file, int line);
#else
#define RULE_ALONE(id) ((void)RT_RULE_##id, true)
#endif

#define RULE_ELSE(id, value, broken) (RULE(id) ? (value) : (broken))

/* The id as the table of rules writes it, such as "DL-RESOLVE-09"; "" for RT_RULE_NONE. */
const char *rt_rule_name(rt_rule rule);

/* Finds a rule by its id; RT_RULE_NONE if there is none. */
rt_rule rt_rule_find(rt_text name);

#endif
