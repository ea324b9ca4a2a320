/* The documents' rules as marks in the code (design: "Rules in the code").
 *
 *     if (unresolved && RULE(DL_RESOLVE_09)) return refuse(...);
 *
 * RULE(id) is true if the code is to obey the rule.  It is the last operand of its condition, so
 * that it is evaluated only where the rule applies.  RULE_ELSE(id, value, broken) does the same for
 * values.  In the `prove` preset the environment variable ASSAY_FAULT=ID@FILE:LINE makes one site
 * disobey, and ASSAY_RULE_HITS=FILE appends a line "ID@FILE:LINE" for every site that a process
 * reaches.  In every other build, a mark is the constant true and leaves no symbol behind.
 *
 * The ids are generated from scenarios/requirements.yaml. */
#ifndef REFERENCE_BASE_RULE_H
#define REFERENCE_BASE_RULE_H

#include "reference/base/text.h"
#include "rule_ids.h" /* generated: enum rt_rule (RT_RULE_NONE, RT_RULE_<ID>, RT_RULE_COUNT) */

#include <stdbool.h>

#ifdef ASSAY_PROVE
#define RULE(id) rt_rule_obeyed(RT_RULE_##id, __FILE__, __LINE__)
/* Returns whether the site obeys the rule, and records that it was reached.  Thread-safe;
 * process-wide (the marks are the one exception to "no global state").  `file` must be a literal.
 */
bool rt_rule_obeyed(rt_rule rule, const char *file, int line);
#else
#define RULE(id) ((void)RT_RULE_##id, true)
#endif

#define RULE_ELSE(id, value, broken) (RULE(id) ? (value) : (broken))

/* The id as the table of rules writes it, such as "DL-RESOLVE-09"; "" for RT_RULE_NONE. */
const char *rt_rule_name(rt_rule rule);

/* Finds a rule by its id; RT_RULE_NONE if there is none. */
rt_rule rt_rule_find(rt_text name);

#endif
