/* The journal's file: opening, resuming, appending; see journal.h. Only one run at a time writes
 * it, and records are only appended. */
#include "conformance/cli/journal.h"

#include "conformance/cli/options.h"
#include "reference/base/descriptors.h"
#include "reference/base/limits.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    SIZE_MAX_BYTES = 1 << 30,
    LOCK_TRIES = 50, /* a run that was just killed needs a moment to exit */
    LOCK_PAUSE_NS = 100000000,
};

static int complain(const char *name, const char *text)
{
    fprintf(stderr, "assay: --json %s: %s\n", name, text);
    return CNF_EXIT_INFRASTRUCTURE;
}

/* ---- Opening ------------------------------------------------------------------------------- */

/* Locks a regular file; other files need no lock. Returns false if another run holds the lock. */
static bool file_lock(int file)
{
    struct stat info;
    if (fstat(file, &info) != 0 || !S_ISREG(info.st_mode)) return true;
    for (int i = 0; i < LOCK_TRIES; i++) {
        if (flock(file, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return true;
        const struct timespec pause = {0, LOCK_PAUSE_NS};
        nanosleep(&pause, NULL);
    }
    return false;
}

static int file_open(cnf_journal *journal, const char *name)
{
    *journal = (cnf_journal){.name = name, .file = -1};
    struct stat opened, named;
    do {
        if (journal->file >= 0) close(journal->file);
        journal->file = open(name, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
        if (journal->file < 0) /* A pipe or terminal may be write-only. */
            journal->file = open(name, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
        if (journal->file < 0) return complain(name, strerror(errno));
        if (!file_lock(journal->file)) return complain(name, "another run is writing it");
        /* Another run may have replaced the file while we waited for the lock. */
    } while (fstat(journal->file, &opened) != 0 || stat(name, &named) != 0 ||
             opened.st_dev != named.st_dev || opened.st_ino != named.st_ino);
    return CNF_EXIT_EXPECTED;
}

int cnf_journal_open(cnf_journal *journal, const char *name)
{
    *journal = (cnf_journal){.file = -1};
    if (!name) return CNF_EXIT_EXPECTED;
    int status = file_open(journal, name);
    struct stat info;
    bool truncates = status == CNF_EXIT_EXPECTED && fstat(journal->file, &info) == 0 &&
                     S_ISREG(info.st_mode) && info.st_size > 0;
    if (truncates && ftruncate(journal->file, 0) != 0) return complain(name, strerror(errno));
    return status;
}

/* ---- Resuming ------------------------------------------------------------------------------ */

/* A selected file with the hash of its contents. */
typedef struct hashed_file {
    rt_text path, hash;
} hashed_file;

static int hashed_compare(const void *a, const void *b)
{
    const hashed_file *left = a, *right = b;
    return rt_text_compare(left->path, right->path);
}

static int record_compare(const void *a, const void *b)
{
    const cnf_record *left = a, *right = b;
    int order = rt_text_compare(left->scenario, right->scenario);
    return order ? order : rt_text_compare(left->subject, right->subject);
}

/* The files' hashes, sorted by path. */
static const hashed_file *files_hash(rt_arena *arena, const cnf_files *files)
{
    hashed_file *hashed = rt_arena_alloc_array(arena, files->count + 1, sizeof *hashed);
    rt_sink *sink = rt_sink_create();
    for (uint32_t i = 0; i < files->count; i++) {
        rt_buffer content;
        rt_status status = cnf_file_text(sink, &files->items[i], &content);
        hashed[i].path = files->items[i].path;
        if (rt_ok(status)) hashed[i].hash = cnf_file_hash(arena, rt_buffer_text(&content));
        rt_buffer_free(&content);
    }
    rt_sink_destroy(sink);
    qsort(hashed, files->count, sizeof *hashed, hashed_compare);
    return hashed;
}

typedef enum record_fate { FATE_STAYS, FATE_KEPT, FATE_GOES } record_fate;

typedef struct resume_choice {
    const hashed_file *files;
    uint32_t file_count;
    const cnf_run_subject *subjects;
    uint32_t subject_count;
    rt_text conditions;
} resume_choice;

/* Decides whether a record belongs to another selection, is still valid, or must be replaced. */
static record_fate record_judge(const resume_choice *choice, const cnf_record *record)
{
    const hashed_file key = {.path = record->scenario};
    const hashed_file *file =
        bsearch(&key, choice->files, choice->file_count, sizeof key, hashed_compare);
    bool is_selected = rt_text_is(record->subject, "-");
    for (uint32_t i = 0; i < choice->subject_count && !is_selected; i++)
        is_selected = rt_text_equal(choice->subjects[i].name, record->subject);
    if (!file || !is_selected) return FATE_STAYS;
    bool unchanged = record->hash.length > 0 && rt_text_equal(file->hash, record->hash) &&
                     rt_text_equal(record->conditions, choice->conditions);
    /* Running again would not change these verdicts. */
    cnf_verdict verdict = record->judgement.verdict;
    bool is_final = verdict != CNF_VERDICT_NOT_RUN && verdict != CNF_VERDICT_UNAVAILABLE &&
                    verdict != CNF_VERDICT_POISONED;
    return unchanged && is_final ? FATE_KEPT : FATE_GOES;
}

/* Chooses the records to keep, sorted and with one record per pair (our own runs never write
 * duplicates); appends the records that the new file begins with. */
static void records_choose(cnf_journal *journal, const cnf_records *records,
                           const resume_choice *choice, rt_buffer *out_text)
{
    cnf_record *items = rt_arena_alloc_array(&journal->arena, records->count + 1, sizeof *items);
    uint32_t count = 0;
    for (uint32_t i = 0; i < records->count; i++) {
        const cnf_record *record = &records->items[i];
        record_fate fate = record_judge(choice, record);
        if (fate == FATE_KEPT) items[count++] = *record;
        if (fate == FATE_STAYS) cnf_record_write(out_text, record);
    }
    CHECK(count <= records->count);
    if (count > 0) qsort(items, count, sizeof *items, record_compare);
    journal->records = items;
    for (uint32_t i = 0; i < count; i++) {
        if (i > 0 && record_compare(&items[i], &items[journal->record_count - 1]) == 0) continue;
        CHECK(journal->record_count <= i);
        items[journal->record_count++] = items[i];
        cnf_record_write(out_text, &items[journal->record_count - 1]);
    }
}

/* Replaces the journal with a new file that holds the text and is locked before it is renamed. */
static int file_replace(cnf_journal *journal, rt_text text)
{
    CHECK(journal->file >= 0);
    rt_text resumed = rt_arena_printf(&journal->arena, "%s.resumed", journal->name);
    struct stat info;
    mode_t mode = fstat(journal->file, &info) == 0 ? info.st_mode & 0777 : 0666;
    int file = open(resumed.data, O_RDWR | O_APPEND | O_CREAT | O_TRUNC | O_CLOEXEC, mode);
    bool replaced = file >= 0 && file_lock(file) && rt_write_all(file, rt_text_bytes(text)) &&
                    fsync(file) == 0 && rename(resumed.data, journal->name) == 0;
    if (replaced) {
        close(journal->file);
        journal->file = file;
        return CNF_EXIT_EXPECTED;
    }
    int status = complain(journal->name, strerror(errno));
    if (file >= 0) {
        close(file);
        unlink(resumed.data);
    }
    return status;
}

int cnf_journal_resume(cnf_journal *journal, const char *name, const cnf_files *files,
                       const cnf_run_subject *subjects, uint32_t subject_count, rt_text conditions)
{
    *journal = (cnf_journal){.file = -1};
    if (!name) {
        fprintf(stderr, "assay: --resume needs --json FILE, the records of the earlier run\n");
        return CNF_EXIT_USAGE;
    }
    int exit_status = file_open(journal, name);
    if (exit_status != CNF_EXIT_EXPECTED) return exit_status;
    CHECK(journal->file >= 0);
    struct stat info;
    if (fstat(journal->file, &info) != 0 || !S_ISREG(info.st_mode)) {
        fprintf(stderr, "assay: --resume: %s is not a regular file\n", name);
        return CNF_EXIT_USAGE;
    }
    rt_sink *sink = rt_sink_create();
    rt_buffer content, text = {0};
    cnf_records records;
    rt_status status = cnf_file_read(sink, rt_text_of(name), SIZE_MAX_BYTES, &content);
    if (rt_ok(status))
        status = cnf_records_read(sink, &journal->arena, rt_text_of(name), rt_buffer_text(&content),
                                  &records);
    if (rt_ok(status)) {
        const resume_choice choice = {files_hash(&journal->arena, files), files->count, subjects,
                                      subject_count, conditions};
        records_choose(journal, &records, &choice, &text);
        exit_status = file_replace(journal, rt_buffer_text(&text));
    } else {
        fprintf(stderr, "assay: --resume: %.*s\n",
                RT_TEXT_ARG(rt_sink_diagnostic(sink, status)->message));
        exit_status = CNF_EXIT_USAGE;
    }
    rt_buffer_free(&text);
    rt_buffer_free(&content);
    rt_sink_destroy(sink);
    return exit_status;
}

bool cnf_journal_has(const cnf_journal *journal, rt_text path, rt_text hash, rt_text subject)
{
    if (journal->record_count == 0) return false;
    const cnf_record key = {.scenario = path, .subject = subject};
    const cnf_record *record =
        bsearch(&key, journal->records, journal->record_count, sizeof key, record_compare);
    return record && rt_text_equal(record->hash, hash);
}

/* ---- Writing ------------------------------------------------------------------------------- */

bool cnf_journal_append(cnf_journal *journal, const cnf_record *record)
{
    int error = journal->file < 0 ? 0 : cnf_record_append(journal->file, record);
    if (error == 0) return true;
    fprintf(stderr, "assay: --json %s: a record could not be written: %s; the run stops\n",
            journal->name, strerror(error));
    return false;
}

bool cnf_journal_close(cnf_journal *journal)
{
    bool closed = journal->file < 0 || close(journal->file) == 0;
    if (!closed) complain(journal->name, strerror(errno));
    rt_arena_reset(&journal->arena);
    *journal = (cnf_journal){.file = -1};
    return closed;
}
