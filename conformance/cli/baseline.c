/* Writes the expectation files of --write-expectations, one for each subject with a failure. */
#include "conformance/cli/baseline.h"

#include "conformance/cli/commands.h"
#include "conformance/report/output.h"
#include "conformance/verdict/baseline.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

/* Adds the entries of one subject to its file. */
static bool subject_write(const char *folder, const cnf_record *const *records, uint32_t count,
                          rt_text since)
{
    rt_arena arena = {0};
    rt_sink *sink = rt_sink_create();
    const rt_text subject = records[0]->subject;
    const char *brace = memchr(subject.data, '{', subject.length);
    size_t length = brace ? (size_t)(brace - subject.data) : subject.length;
    rt_text name = rt_arena_printf(&arena, "%s/%.*s.yaml", folder, (int)length, subject.data);
    rt_buffer contents = {0}, text = {0};
    struct stat info;
    rt_text why = {0};
    bool is_ok = stat(name.data, &info) != 0 ||
                 rt_ok(cnf_file_read(sink, name, RT_SCENARIO_SIZE_MAX, &contents));
    if (!is_ok) why = RT_TEXT("it cannot be read");
    uint32_t added = 0;
    if (is_ok)
        added =
            cnf_baseline_add(&text, &arena, rt_buffer_text(&contents), records, count, since, &why);
    is_ok = why.length == 0;
    if (!is_ok)
        fprintf(stderr, "assay: --write-expectations: %s: %.*s; nothing was added about '%.*s'\n",
                name.data, RT_TEXT_ARG(why), RT_TEXT_ARG(subject));
    if (is_ok && added > 0) {
        int error = cnf_file_replace(name.data, rt_buffer_text(&text));
        is_ok = error == 0;
        if (is_ok)
            fprintf(stderr, "assay: --write-expectations: %u %s added to %s\n", added,
                    added == 1 ? "entry" : "entries", name.data);
        else
            fprintf(stderr, "assay: --write-expectations %s: %s\n", name.data, strerror(error));
    }
    rt_buffer_free(&contents);
    rt_buffer_free(&text);
    rt_sink_destroy(sink);
    rt_arena_reset(&arena);
    return is_ok;
}

bool cnf_baselines_write(const char *folder, const cnf_report *report)
{
    if (mkdir(folder, 0777) != 0 && errno != EEXIST) {
        fprintf(stderr, "assay: --write-expectations %s: %s\n", folder, strerror(errno));
        return false;
    }
    rt_arena arena = {0};
    const uint32_t total = report->records.count;
    const cnf_record **records = rt_arena_alloc_array(&arena, total + 1, sizeof *records);
    bool *is_taken = rt_arena_alloc_array(&arena, total + 1, sizeof *is_taken);
    bool is_ok = true;
    uint32_t by_hand = 0;
    const rt_text since = {report->began.data,
                           report->began.length >= 10 ? sizeof "2026-01-31" - 1 : 0};
    for (uint32_t first = 0; first < total; first++) {
        const cnf_record *record = &report->records.items[first];
        bool is_failure = cnf_verdict_effect(record->judgement.verdict) == CNF_EFFECT_UNEXPECTED;
        if (is_taken[first] || !is_failure) continue;
        uint32_t count = 0;
        for (uint32_t i = first; i < total; i++) {
            const cnf_record *other = &report->records.items[i];
            if (!rt_text_equal(other->subject, record->subject)) continue;
            is_taken[i] = true;
            records[count++] = other;
            cnf_verdict verdict = other->judgement.verdict;
            by_hand += verdict == CNF_VERDICT_XPASS || verdict == CNF_VERDICT_XFAIL_MISMATCH ||
                       verdict == CNF_VERDICT_POISONED;
        }
        is_ok = subject_write(folder, records, count, since) && is_ok;
    }
    if (by_hand > 0)
        fprintf(stderr,
                "assay: --write-expectations: %u verdicts need a change by hand: XPASS, "
                "XFAIL_MISMATCH (an entry names a check that passes), POISONED\n",
                by_hand);
    rt_arena_reset(&arena);
    return is_ok;
}
