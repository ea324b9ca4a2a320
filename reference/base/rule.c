/* Names of the rules and, in the prove preset, the planted faults. */
#include "reference/base/rule.h"

#include "reference/base/check.h"
#include "reference/base/unseen.h"

static const char *const rule_names[] = {
#define RT_RULE_ROW(identifier, name) [RT_RULE_##identifier] = name,
#include "rule_rows.inc"
#undef RT_RULE_ROW
};

_Static_assert(sizeof rule_names / sizeof *rule_names == RT_RULE_COUNT, "a name for every rule");

const char *rt_rule_name(rt_rule rule)
{
    CHECK((unsigned)rule < RT_RULE_COUNT);
    return rule == RT_RULE_NONE ? "" : rule_names[rule];
}

rt_rule rt_rule_find(rt_text name)
{
    for (int i = RT_RULE_NONE + 1; i < RT_RULE_COUNT; i++) {
        if (rt_text_is(name, rule_names[i])) return (rt_rule)i;
    }
    return RT_RULE_NONE;
}

#ifdef ASSAY_PROVE
#include "reference/base/fault.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FAULT_TEXT_MAX = 512 };

/* Appends a line to the file of reached faults, if there is one.  One write per line, so that lines
 * of concurrent processes do not mix.  A lost line makes a rule look uncovered, never covered, so a
 * failing write needs no handling. */
static void fault_record(const char *line, int length)
{
    const char *hits = getenv("ASSAY_RULE_HITS");
    int descriptor = hits ? open(hits, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666) : -1;
    if (descriptor < 0) return;
    if (write(descriptor, line, (size_t)length) < 0) perror("assay: ASSAY_RULE_HITS");
    close(descriptor);
}

bool rt_fault_reach(rt_fault *fault)
{
    CHECK((unsigned)fault->rule < RT_RULE_COUNT);
    RT_UNSEEN_BEGIN();
    char text[FAULT_TEXT_MAX];
    const char *rule = fault->rule == RT_RULE_NONE ? "NONE" : rt_rule_name(fault->rule);
    int length = snprintf(text, sizeof text, "%s@%s:%d", rule, fault->file, fault->line);
    CHECK(length > 0 && length < FAULT_TEXT_MAX - 16);
    if (fault->number >= 0) length += sprintf(text + length, ".%d", fault->number);
    const char *planted = getenv("ASSAY_FAULT");
    bool is_planted = planted && strcmp(planted, text) == 0;
    int state = is_planted ? RT_FAULT_PRESENT : RT_FAULT_ABSENT;
    /* Of threads that arrive together, one records the fault. */
    int before = __atomic_exchange_n(&fault->state, state, __ATOMIC_RELAXED);
    text[length] = '\n';
    if (before == RT_FAULT_UNSEEN) fault_record(text, length + 1);
    RT_UNSEEN_END();
    return is_planted;
}
#endif
