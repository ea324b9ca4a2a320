/* One line on a terminal, and a line for every unexpected verdict anywhere.  Failing writes are
 * ignored: nothing depends on progress being seen. */
#include "conformance/report/progress.h"

#define LINE_CLEAR "\r\033[K"

static void progress_draw(const cnf_progress *progress)
{
    if (!progress->rewrites) return;
    fprintf(progress->out, LINE_CLEAR "[%u/%u] %u unexpected", progress->done, progress->total,
            progress->unexpected);
    fflush(progress->out);
}

cnf_progress cnf_progress_begin(FILE *out, bool is_terminal, uint32_t total)
{
    CHECK(out);
    cnf_progress progress = {.out = out, .rewrites = is_terminal, .total = total};
    progress_draw(&progress);
    return progress;
}

void cnf_progress_add(cnf_progress *progress, const cnf_record *record)
{
    cnf_verdict verdict = record->judgement.verdict;
    progress->done++;
    /* An invalid scenario is one record in the place of one for each subject. */
    if (progress->done > progress->total) progress->total = progress->done;
    if (cnf_verdict_effect(verdict) != CNF_EFFECT_EXPECTED) {
        progress->unexpected++;
        fprintf(progress->out, "%s%s %.*s", progress->rewrites ? LINE_CLEAR : "",
                cnf_verdict_word(verdict), RT_TEXT_ARG(record->scenario));
        if (!rt_text_is(record->subject, "-"))
            fprintf(progress->out, " on %.*s", RT_TEXT_ARG(record->subject));
        fprintf(progress->out, "\n");
    }
    progress_draw(progress);
}

void cnf_progress_end(cnf_progress *progress)
{
    if (progress->rewrites) fprintf(progress->out, LINE_CLEAR);
    fflush(progress->out);
}
