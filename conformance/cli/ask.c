/* Queries subjects, each in a child process with a time limit. */
#include "conformance/cli/ask.h"

#include "conformance/process/child.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { PROBE_TIMEOUT_MS = 30000, PROBE_MESSAGES_MAX = 1 << 20 };

static void tell(const cnf_subject *subject, const cnf_child_result *result,
                 void (*told)(void *user, const cnf_asked *asked), void *user)
{
    rt_arena arena = {0};
    cnf_messages answer;
    cnf_messages_read(&arena, rt_buffer_text(&result->messages), &answer);
    bool answered = result->end == CNF_PROCESS_EXITED && !answer.fault;
    told(user, &(cnf_asked){subject, answered, &answer});
    rt_arena_reset(&arena);
}

static void start(cnf_pool *pool, const cnf_subject *subject)
{
    const char *words[] = {"probe", subject->name, NULL};
    rt_arena arena = {0};
    const cnf_child_start child = {.arguments = words,
                                   .environment =
                                       subject->environment ? subject->environment(&arena) : NULL,
                                   .messages = CNF_CHILD_MESSAGES,
                                   .timeout_ms = PROBE_TIMEOUT_MS,
                                   .messages_max = PROBE_MESSAGES_MAX};
    cnf_pool_start(pool, &child);
    rt_arena_reset(&arena);
}

bool cnf_subjects_ask(void (*told)(void *user, const cnf_asked *asked), void *user)
{
    cnf_pool *pool = cnf_pool_create();
    if (!pool) {
        fprintf(stderr, "assay: child processes cannot be watched: %s\n", strerror(errno));
        return false;
    }
    bool ended = true;
    for (uint32_t i = 0; i < cnf_subject_count && ended; i++) {
        start(pool, &cnf_subjects[i]);
        cnf_child_result result;
        ended = cnf_pool_wait(pool, &result) == CNF_POOL_ENDED;
        if (ended) tell(&cnf_subjects[i], &result, told, user);
        cnf_child_result_free(&result);
    }
    cnf_pool_destroy(pool);
    return ended;
}
