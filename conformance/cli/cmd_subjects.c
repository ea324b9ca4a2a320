/* assay subjects: asks every subject in a child of its own, because opening a vendor's library may
 * crash or hang. */
#include "conformance/cli/commands.h"
#include "conformance/compare/messages.h"
#include "conformance/run/child.h"
#include "conformance/subject/subject.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { PROBE_TIMEOUT_MS = 30000, PROBE_MESSAGES_MAX = 1 << 20 };

/* As wide as the longest name. */
#define COLUMN "%-17s "

/* One capability a line, under the subject. */
static void capabilities_print(rt_text lines)
{
    while (lines.length > 0) {
        const char *end = memchr(lines.data, '\n', lines.length);
        size_t length = end ? (size_t)(end - lines.data) : lines.length;
        printf(COLUMN "  %.*s\n", "", (int)length, lines.data);
        size_t used = end ? length + 1 : length;
        lines = (rt_text){lines.data + used, lines.length - used};
    }
}

static void subject_print(const cnf_subject *subject, const cnf_child_result *result)
{
    rt_arena arena = {0};
    cnf_messages answer;
    cnf_messages_read(&arena, rt_buffer_text(&result->messages), &answer);
    bool answered = result->end == CNF_CHILD_EXITED && !answer.fault;
    printf(COLUMN "%s\n", subject->name, subject->summary);
    if (answered && answer.device.length > 0) {
        printf(COLUMN "available: %.*s, %.*s%s\n", "", RT_TEXT_ARG(answer.device),
               RT_TEXT_ARG(answer.driver), answer.links_only ? "; links and runs nothing" : "");
        capabilities_print(answer.capabilities);
    } else {
        printf(COLUMN "missing: %.*s\n", "",
               RT_TEXT_ARG(answered && answer.reason.length > 0
                               ? answer.reason
                               : RT_TEXT("it did not answer when it was opened")));
        if (subject->install) printf(COLUMN "to install: %s\n", "", subject->install);
    }
    rt_arena_reset(&arena);
}

int cnf_subjects_command(const cnf_arguments *arguments)
{
    (void)arguments;
    cnf_pool *pool = cnf_pool_create();
    if (!pool) {
        fprintf(stderr, "assay: no children can be watched: %s\n", strerror(errno));
        return CNF_EXIT_INFRASTRUCTURE;
    }
    int status = CNF_EXIT_EXPECTED;
    for (uint32_t i = 0; i < cnf_subject_count && status == CNF_EXIT_EXPECTED; i++) {
        const cnf_subject *subject = &cnf_subjects[i];
        const char *words[] = {"probe", subject->name, NULL};
        rt_arena arena = {0};
        const cnf_child_start start = {
            .arguments = words,
            .environment = subject->environment ? subject->environment(&arena) : NULL,
            .messages = CNF_CHILD_MESSAGES,
            .timeout_ms = PROBE_TIMEOUT_MS,
            .messages_max = PROBE_MESSAGES_MAX};
        cnf_pool_start(pool, &start);
        rt_arena_reset(&arena);
        cnf_child_result result;
        if (cnf_pool_wait(pool, &result) == CNF_POOL_ENDED) {
            subject_print(subject, &result);
        } else {
            status = CNF_EXIT_INFRASTRUCTURE;
        }
        cnf_child_result_free(&result);
    }
    cnf_pool_destroy(pool);
    return status;
}
