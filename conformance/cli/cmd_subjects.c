/* assay subjects: opens every subject and prints its answer. */
#include "conformance/cli/ask.h"
#include "conformance/cli/commands.h"
#include "reference/base/lines.h"

#include <stdio.h>

/* The width of the longest name. */
#define COLUMN "%-17s "

static void subject_print(void *user, const cnf_answer *answer)
{
    (void)user;
    const cnf_subject *subject = answer->subject;
    const cnf_messages *messages = answer->messages;
    printf(COLUMN "%s\n", subject->name, subject->summary);
    if (answer->is_valid && messages->device.length > 0) {
        printf(COLUMN "available: %.*s, %.*s%s\n", "", RT_TEXT_ARG(messages->device),
               RT_TEXT_ARG(messages->driver),
               messages->links_only ? "; links programs, but runs no kernels" : "");
        rt_text lines = messages->capabilities;
        for (rt_text line; rt_line_take(&lines, &line);)
            printf(COLUMN "  %.*s\n", "", RT_TEXT_ARG(line));
    } else {
        printf(COLUMN "missing: %.*s\n", "",
               RT_TEXT_ARG(answer->is_valid && messages->reason.length > 0
                               ? messages->reason
                               : RT_TEXT("it did not respond when it was opened")));
        if (subject->install) printf(COLUMN "to install: %s\n", "", subject->install);
    }
}

int cnf_subjects_command(const cnf_arguments *arguments)
{
    (void)arguments;
    return cnf_subjects_ask(subject_print, NULL) ? CNF_EXIT_EXPECTED : CNF_EXIT_INFRASTRUCTURE;
}
