/* Shows one line on a terminal, and prints a line for each unexpected verdict everywhere. Write
 * errors are ignored: nothing depends on the display. */
#include "conformance/report/progress.h"

#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#define LINE_CLEAR "\r\033[K"

enum { WIDTH_DEFAULT = 80 };

/* Redrawing more often would cost more than a small scenario. */
static const double DRAW_EVERY_MS = 100;

/* Before that, no estimate is reliable. */
static const double ESTIMATE_AFTER_MS = 1000;

static double now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

/* ---- The line ------------------------------------------------------------------------------ */

void cnf_progress_line(const cnf_progress *progress, double passed_ms, uint32_t width,
                       rt_buffer *out)
{
    CHECK(progress->done <= progress->total);
    size_t before = out->size;
    uint64_t percent = progress->total ? 100ull * progress->done / progress->total : 100;
    rt_buffer_printf(out, "[%3llu%%] %u/%u, %u unexpected", (unsigned long long)percent,
                     progress->done, progress->total, progress->unexpected);
    if (passed_ms >= ESTIMATE_AFTER_MS && progress->done > 0 && progress->done < progress->total) {
        double eta_s = passed_ms / 1e3 * (progress->total - progress->done) / progress->done + 0.5;
        uint64_t seconds = (uint64_t)eta_s;
        rt_buffer_printf(out, ", %llu:%02llu left", (unsigned long long)(seconds / 60),
                         (unsigned long long)(seconds % 60));
    }
    for (uint32_t i = 0, name_count = 0; i < CNF_PROGRESS_NAMES; i++) {
        if (!progress->running[i][0]) continue;
        rt_buffer_printf(out, "%s%s", name_count++ ? ", " : ": ", progress->running[i]);
    }
    /* A line that wrapped could not be cleared, so names are cut, though never inside a character.
     */
    rt_text line = rt_text_skip(rt_buffer_text(out), before);
    rt_buffer_truncate(out, before + rt_text_cut(line, width).length);
}

static void progress_draw(cnf_progress *progress, bool is_forced)
{
    double time_ms = now_ms();
    if (!progress->rewrites || (!is_forced && time_ms - progress->drawn_ms < DRAW_EVERY_MS)) return;
    progress->drawn_ms = time_ms;
    struct winsize size;
    bool has_width = ioctl(fileno(progress->out), TIOCGWINSZ, &size) == 0 && size.ws_col > 1;
    rt_buffer line = {0};
    cnf_progress_line(progress, time_ms - progress->begin_ms,
                      has_width ? size.ws_col - 1u : WIDTH_DEFAULT - 1u, &line);
    fprintf(progress->out, LINE_CLEAR "%s", rt_buffer_string(&line));
    fflush(progress->out);
    rt_buffer_free(&line);
}

/* ---- Names --------------------------------------------------------------------------------- */

static void name_make(char out[CNF_PROGRESS_NAME], rt_text scenario, rt_text subject)
{
    snprintf(out, CNF_PROGRESS_NAME, "%.*s on %.*s", RT_TEXT_ARG(scenario), RT_TEXT_ARG(subject));
}

void cnf_progress_begun(cnf_progress *progress, rt_text scenario, rt_text subject)
{
    for (uint32_t i = 0; i < CNF_PROGRESS_NAMES; i++) {
        if (progress->running[i][0]) continue;
        name_make(progress->running[i], scenario, subject);
        break;
    }
    progress_draw(progress, false);
}

/* ---- The run ------------------------------------------------------------------------------- */

cnf_progress cnf_progress_begin(FILE *out, bool is_terminal, uint32_t total)
{
    cnf_progress progress = {
        .out = out, .rewrites = out && is_terminal, .total = total, .begin_ms = now_ms()};
    progress_draw(&progress, true);
    return progress;
}

void cnf_progress_add(cnf_progress *progress, const cnf_record *record)
{
    cnf_verdict verdict = record->judgement.verdict;
    char name[CNF_PROGRESS_NAME];
    name_make(name, record->scenario, record->subject);
    for (uint32_t i = 0; i < CNF_PROGRESS_NAMES; i++)
        if (strcmp(progress->running[i], name) == 0) progress->running[i][0] = '\0';
    progress->done++;
    /* An invalid scenario gives one record instead of one per subject. */
    if (progress->done > progress->total) progress->total = progress->done;
    bool unexpected = cnf_verdict_effect(verdict) != CNF_EFFECT_EXPECTED;
    if (unexpected) {
        progress->unexpected++;
        CHECK(progress->unexpected <= progress->done);
    }
    if (unexpected && progress->out) {
        fprintf(progress->out, "%s%s %.*s", progress->rewrites ? LINE_CLEAR : "",
                cnf_verdict_word(verdict), RT_TEXT_ARG(record->scenario));
        if (cnf_record_has_subject(record))
            fprintf(progress->out, " on %.*s", RT_TEXT_ARG(record->subject));
        fprintf(progress->out, "\n");
    }
    progress_draw(progress, unexpected || progress->done == progress->total);
}

void cnf_progress_end(cnf_progress *progress)
{
    if (progress->rewrites) fprintf(progress->out, LINE_CLEAR);
    if (progress->out) fflush(progress->out);
}
