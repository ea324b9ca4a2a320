/* assay subjects: the answer of every subject when it is opened. */
#include "conformance/cli/ask.h"
#include "conformance/cli/commands.h"
#include "reference/base/lines.h"

#include <stdio.h>

/* The width of the longest name. */
#define COLUMN "%-17s "

/* Prints the capabilities below the subject, one per line. */
static void capabilities_print(rt_text lines)
{
    for (rt_text line; rt_line_take(&lines, &line);)
        printf(COLUMN "  %.*s\n", "", RT_TEXT_ARG(line));
}

static void subject_print(void *user, const cnf_asked *asked)
{
    (void)user;
    const cnf_subject *subject = asked->subject;
    const cnf_messages *answer = asked->answer;
    printf(COLUMN "%s\n", subject->name, subject->summary);
    if (asked->answered && answer->device.length > 0) {
        printf(COLUMN "available: %.*s, %.*s%s\n", "", RT_TEXT_ARG(answer->device),
               RT_TEXT_ARG(answer->driver), answer->links_only ? "; links and runs nothing" : "");
        capabilities_print(answer->capabilities);
    } else {
        printf(COLUMN "missing: %.*s\n", "",
               RT_TEXT_ARG(asked->answered && answer->reason.length > 0
                               ? answer->reason
                               : RT_TEXT("it did not answer when it was opened")));
        if (subject->install) printf(COLUMN "to install: %s\n", "", subject->install);
    }
}

int cnf_subjects_command(const cnf_arguments *arguments)
{
    (void)arguments;
    return cnf_subjects_ask(subject_print, NULL) ? CNF_EXIT_EXPECTED : CNF_EXIT_INFRASTRUCTURE;
}
