/* Runs every scenario of a folder on sim, under the simulated loader and under the real one, and
 * requires the same verdict, the same checks and the same trace.
 *
 *     both_loaders FOLDER
 *
 * Exit status: 0 if the results are the same; 1 if not, after printing the differences; 77 if there
 * is no C compiler. Started as `both_loaders worker` and `both_loaders offline`, it is its own
 * compile worker and offline compiler. */
#include "conformance/build/compile.h"
#include "conformance/host/loader.h"
#include "conformance/run/run.h"
#include "reference/base/vector.h"
#include "reference/module/simulated.h"

#include <gnu/libc-version.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STATUS_EQUAL, STATUS_DIFFERENT, STATUS_SKIPPED = 77, JOBS = 2, TIMEOUT_MS = 60000 };

/* The result of one scenario. */
typedef struct outcome {
    rt_text path;
    rt_text story; /* verdict, signature and trace */
    bool seen;     /* the run under the other loader has a result for it, too */
} outcome;

typedef struct outcomes {
    rt_arena *arena;
    RT_VECTOR(outcome) items;
} outcomes;

rt_simulated *__real_rt_simulated_create(const rt_simulated_module *modules, uint32_t module_count);
rt_simulated *__wrap_rt_simulated_create(const rt_simulated_module *modules, uint32_t module_count);

/* Here the simulated loader has the order of destructors of this machine's ld.so. */
rt_simulated *__wrap_rt_simulated_create(const rt_simulated_module *modules, uint32_t module_count)
{
    rt_simulated *simulated = __real_rt_simulated_create(modules, module_count);
    if (strverscmp(gnu_get_libc_version(), "2.39") >= 0)
        rt_simulated_destroy_closed_first(simulated);
    return simulated;
}

static bool on_record(void *user, const cnf_record *record, const cnf_run_detail *detail)
{
    outcomes *list = user;
    const cnf_judgement *judgement = &record->judgement;
    rt_buffer story = {0};
    rt_buffer_printf(&story, "%s %.*s observed %u of %u\n%.*s\n",
                     cnf_verdict_word(judgement->verdict), RT_TEXT_ARG(judgement->signature),
                     judgement->observed, judgement->expected, RT_TEXT_ARG(judgement->message));
    if (detail->messages) rt_buffer_append_text(&story, detail->messages->trace);
    *rt_vector_push(&list->items) =
        (outcome){.path = rt_arena_text(list->arena, record->scenario),
                  .story = rt_arena_text(list->arena, rt_buffer_text(&story))};
    rt_buffer_free(&story);
    return true;
}

static bool run(const cnf_files *files, bool real_loader, outcomes *out_outcomes)
{
    const cnf_run_subject sim = {.subject = cnf_subject_find(RT_TEXT("sim")),
                                 .name = RT_TEXT("sim")};
    const cnf_run_options options = {.subjects = &sim,
                                     .subject_count = 1,
                                     .job_count = JOBS,
                                     .timeout_ms = TIMEOUT_MS,
                                     .real_loader = real_loader};
    return cnf_run(&options, files->items, files->count, on_record, out_outcomes) ==
           CNF_RUN_COMPLETE;
}

/* Compares the results of one scenario. Returns true, after printing them, if they differ. */
static bool differs(const outcome *simulated, const outcomes *real)
{
    for (uint32_t i = 0; i < real->items.count; i++) {
        outcome *match = &real->items.items[i];
        if (!rt_text_equal(match->path, simulated->path)) continue;
        match->seen = true;
        if (rt_text_equal(match->story, simulated->story)) return false;
        printf("%.*s\n--- simulated\n%.*s\n--- real\n%.*s\n", RT_TEXT_ARG(simulated->path),
               RT_TEXT_ARG(simulated->story), RT_TEXT_ARG(match->story));
        return true;
    }
    printf("%.*s: no record under the real loader\n", RT_TEXT_ARG(simulated->path));
    return true;
}

static int compare(const cnf_files *files)
{
    rt_arena arena = {0};
    outcomes simulated = {.arena = &arena}, real = {.arena = &arena};
    int status = STATUS_DIFFERENT;
    if (run(files, false, &simulated) && run(files, true, &real)) {
        uint32_t count = 0;
        for (uint32_t i = 0; i < simulated.items.count; i++)
            count += differs(&simulated.items.items[i], &real);
        bool is_complete =
            simulated.items.count == files->count && real.items.count == files->count;
        if (count == 0 && is_complete && files->count > 0) status = STATUS_EQUAL;
        printf("%u scenarios, %u differ\n", simulated.items.count, count);
    }
    rt_vector_free(&simulated.items);
    rt_vector_free(&real.items);
    rt_arena_reset(&arena);
    return status;
}

int main(int argument_count, char **arguments)
{
    if (argument_count > 1 && strcmp(arguments[1], "worker") == 0)
        return cnf_worker_main(argument_count - 1, arguments + 1);
    if (argument_count == 2 && strcmp(arguments[1], "offline") == 0) return cnf_offline_main(0, 1);
    rt_sink *sink = rt_sink_create();
    rt_arena arena = {0};
    cnf_files files;
    int status = STATUS_DIFFERENT;
    rt_status available = cnf_host_loader_available(sink);
    rt_text folder = rt_text_of(argument_count == 2 ? arguments[1] : "");
    if (!rt_ok(available)) {
        printf("%s\n", rt_sink_diagnostic(sink, available)->message.data);
        status = STATUS_SKIPPED;
    } else if (rt_ok(cnf_files_find(sink, &arena, &folder, 1, &files))) {
        status = compare(&files);
    }
    rt_arena_reset(&arena);
    rt_sink_destroy(sink);
    return status;
}
