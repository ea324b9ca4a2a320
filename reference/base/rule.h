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
 * The ids are generated from scenarios/requirements.yaml. */
#ifndef REFERENCE_BASE_RULE_H
#define REFERENCE_BASE_RULE_H

#include "reference/base/text.h"
#include "rule_ids.h" /* generated: enum rt_rule (RT_RULE_NONE, RT_RULE_<ID>, RT_RULE_COUNT) */

#include <stdbool.h>

#define RULE(id, ...) ((void)RT_RULE_##id, (__VA_ARGS__))

/* The id as the table of rules writes it, such as "DL-RESOLVE-09"; "" for RT_RULE_NONE. */
const char *rt_rule_name(rt_rule rule);

/* Finds a rule by its id; RT_RULE_NONE if there is none. */
rt_rule rt_rule_find(rt_text name);

#endif
