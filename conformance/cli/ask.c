/* Queries subjects, each in a child process with a time limit. */
#include "conformance/cli/ask.h"

#include "conformance/process/child.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { PROBE_TIMEOUT_MS = 30000, PROBE_MESSAGES_MAX = 1 << 20 };

bool cnf_subjects_ask(void (*report)(void *user, const cnf_answer *answer), void *user)
{
    cnf_pool *pool = cnf_pool_create();
    if (!pool) {
        fprintf(stderr, "assay: child processes cannot be watched: %s\n", strerror(errno));
        return false;
    }
    bool is_running = true;
    for (uint32_t i = 0; i < cnf_subject_count && is_running; i++) {
        const cnf_subject *subject = &cnf_subjects[i];
        const char *words[] = {"probe", subject->name, NULL};
        rt_arena arena = {0};
        const char *const *environment = NULL;
        if (subject->environment) environment = subject->environment(&arena, (rt_text){0});
        cnf_pool_start(pool, &(cnf_child_start){.arguments = words,
                                                .environment = environment,
                                                .messages = CNF_CHILD_MESSAGES,
                                                .timeout_ms = PROBE_TIMEOUT_MS,
                                                .messages_max = PROBE_MESSAGES_MAX});
        cnf_child_result result;
        is_running = cnf_pool_wait(pool, &result) == CNF_POOL_ENDED;
        if (is_running) {
            cnf_messages messages;
            cnf_messages_read(&arena, rt_buffer_text(&result.messages), &messages);
            bool is_valid = result.end == CNF_PROCESS_EXITED && !messages.fault;
            report(user, &(cnf_answer){subject, is_valid, &messages});
        }
        cnf_child_result_free(&result);
        rt_arena_reset(&arena);
    }
    cnf_pool_destroy(pool);
    return is_running;
}
