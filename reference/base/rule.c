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
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A site that has been reached.  The list is searched linearly, since only the prove preset pays
 * for it. */
typedef struct rule_site {
    rt_rule rule;
    const char *file;
    int line;
    bool armed;
} rule_site;

enum { SITES_MAX = 4096, SITE_TEXT_MAX = 512 };

static pthread_mutex_t sites_lock = PTHREAD_MUTEX_INITIALIZER;
static rule_site sites[SITES_MAX];
static int site_count;

static const char *relative(const char *file)
{
    size_t root = strlen(ASSAY_SOURCE_ROOT "/");
    return strncmp(file, ASSAY_SOURCE_ROOT "/", root) == 0 ? file + root : file;
}

static rule_site *site_add(rt_rule rule, const char *file, int line)
{
    CHECK(site_count < SITES_MAX);
    rule_site *site = &sites[site_count++];
    char text[SITE_TEXT_MAX];
    int length = snprintf(text, sizeof text, "%s@%s:%d", rt_rule_name(rule), relative(file), line);
    CHECK(length > 0 && length < SITE_TEXT_MAX - 1);
    const char *fault = getenv("ASSAY_FAULT");
    *site = (rule_site){rule, file, line, fault && strcmp(fault, text) == 0};

    const char *hits = getenv("ASSAY_RULE_HITS");
    int descriptor = hits ? open(hits, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666) : -1;
    if (descriptor < 0) return site;
    text[length] = '\n';
    /* One write per line, so that lines of concurrent processes do not mix.  A lost hit makes a
     * rule look uncovered, never covered, so a failing write needs no handling. */
    if (write(descriptor, text, (size_t)length + 1) < 0) perror("assay: ASSAY_RULE_HITS");
    close(descriptor);
    return site;
}

bool rt_rule_obeyed(rt_rule rule, const char *file, int line)
{
    CHECK(rule > RT_RULE_NONE && rule < RT_RULE_COUNT);
    RT_UNSEEN_BEGIN();
    pthread_mutex_lock(&sites_lock);
    rule_site *site = NULL;
    for (int i = 0; i < site_count && !site; i++) {
        const rule_site *candidate = &sites[i];
        if (candidate->rule == rule && candidate->line == line &&
            strcmp(candidate->file, file) == 0) {
            site = &sites[i];
        }
    }
    if (!site) site = site_add(rule, file, line);
    bool armed = site->armed;
    pthread_mutex_unlock(&sites_lock);
    RT_UNSEEN_END();
    return !armed;
}
#endif
