/* The history of verdicts, in SQLite. SQLite's errors become statuses that name the file; any call
 * may report that the file is damaged. */
#include "conformance/verdict/verdict_history.h"

#include "conformance/verdict/interval.h"
#include "reference/base/alloc.h"

#include <sqlite3.h>
#include <string.h>

enum {
    BUSY_MS = 60000,
    APPLICATION = 0x61737379, /* application id in the file's header, "assy" */
    VERSION = 1,
};

struct cnf_history {
    sqlite3 *database;
    rt_buffer name;
};

/* Converts the error of the last call into a status for users. */
static rt_status refused(rt_sink *sink, const cnf_history *history)
{
    const char *name = rt_buffer_string(&history->name);
    const char *why = sqlite3_errmsg(history->database);
    int code = sqlite3_errcode(history->database);
    if (code == SQLITE_NOTADB || code == SQLITE_CORRUPT)
        return rt_fail(sink, RT_MALFORMED, RT_RULE_NONE,
                       "%s: not a history of assay, or a damaged one (%s); name "
                       "another file, or remove this one",
                       name, why);
    return rt_fail(sink, RT_IO, RT_RULE_NONE, "%s: %s", name, why);
}

static rt_status run_sql(rt_sink *sink, cnf_history *history, const char *sql)
{
    bool done = sqlite3_exec(history->database, sql, NULL, NULL, NULL) == SQLITE_OK;
    return done ? RT_STATUS_OK : refused(sink, history);
}

static rt_status prepare(rt_sink *sink, cnf_history *history, const char *sql, sqlite3_stmt **out)
{
    int code = sqlite3_prepare_v2(history->database, sql, -1, out, NULL);
    return code == SQLITE_OK ? RT_STATUS_OK : refused(sink, history);
}

/* Runs a statement without parameters and reads the number that it returns. */
static rt_status number_ask(rt_sink *sink, cnf_history *history, const char *sql, int *out_number)
{
    sqlite3_stmt *statement;
    *out_number = 0;
    RT_TRY(prepare(sink, history, sql, &statement));
    bool has_row = sqlite3_step(statement) == SQLITE_ROW;
    if (has_row) *out_number = sqlite3_column_int(statement, 0);
    rt_status status = has_row ? RT_STATUS_OK : refused(sink, history);
    sqlite3_finalize(statement);
    return status;
}

/* ---- Opening ------------------------------------------------------------------------------- */

static const char schema[] =
    "CREATE TABLE verdicts (run INTEGER NOT NULL, at TEXT NOT NULL, scenario TEXT NOT NULL,"
    " subject TEXT NOT NULL, verdict TEXT NOT NULL, signature TEXT NOT NULL, device TEXT NOT NULL,"
    " driver TEXT NOT NULL, hash TEXT NOT NULL, conditions TEXT NOT NULL, seconds REAL NOT NULL);"
    "CREATE INDEX verdicts_of_scenario ON verdicts (scenario, subject, run);"
    "PRAGMA application_id = 0x61737379; PRAGMA user_version = 1;";

/* Creates the tables of an empty file, or checks those of an existing one. */
static rt_status schema_ensure(rt_sink *sink, cnf_history *history)
{
    int tables, application, version;
    RT_TRY(number_ask(sink, history, "SELECT count(*) FROM sqlite_master", &tables));
    RT_TRY(number_ask(sink, history, "PRAGMA application_id", &application));
    RT_TRY(number_ask(sink, history, "PRAGMA user_version", &version));
    if (tables == 0 && application == 0 && version == 0) return run_sql(sink, history, schema);
    const char *name = rt_buffer_string(&history->name);
    if (application != APPLICATION)
        return rt_fail(sink, RT_MALFORMED, RT_RULE_NONE,
                       "%s: another program's database, not a history of assay; name another file",
                       name);
    if (version == VERSION) return RT_STATUS_OK;
    return rt_fail(sink, RT_UNSUPPORTED, RT_RULE_NONE,
                   "%s: its version is %d, and this assay writes %d; name another file", name,
                   version, VERSION);
}

static rt_status open_with(rt_sink *sink, const char *name, int flags, cnf_history **out_history)
{
    cnf_history *history = rt_alloc(sizeof *history);
    *history = (cnf_history){0};
    rt_buffer_printf(&history->name, "%s", name);
    /* SQLite gives "file:" and ":memory:" a special meaning, but never to a path that contains a
     * folder. */
    rt_buffer path = {0};
    rt_buffer_printf(&path, "%s%s", name[0] == '/' ? "" : "./", name);
    int code = sqlite3_open_v2(rt_buffer_string(&path), &history->database, flags, NULL);
    rt_buffer_free(&path);
    rt_status status = code == SQLITE_OK ? RT_STATUS_OK : refused(sink, history);
    if (rt_ok(status)) sqlite3_busy_timeout(history->database, BUSY_MS);
    /* Two writers may create a file at the same time: the second one waits, and then finds the
     * tables. */
    bool writes = (flags & SQLITE_OPEN_CREATE) != 0;
    if (rt_ok(status) && writes) status = run_sql(sink, history, "BEGIN IMMEDIATE");
    if (rt_ok(status)) {
        status = schema_ensure(sink, history);
        if (rt_ok(status) && writes) status = run_sql(sink, history, "COMMIT");
    }
    if (rt_ok(status)) {
        *out_history = history;
    } else {
        cnf_history_close(history);
        *out_history = NULL;
    }
    return status;
}

rt_status cnf_history_open(rt_sink *sink, const char *name, cnf_history **out_history)
{
    return open_with(sink, name, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, out_history);
}

rt_status cnf_history_open_read(rt_sink *sink, const char *name, cnf_history **out_history)
{
    return open_with(sink, name, SQLITE_OPEN_READONLY, out_history);
}

void cnf_history_close(cnf_history *history)
{
    if (!history) return;
    sqlite3_close(history->database);
    rt_buffer_free(&history->name);
    rt_free(history);
}

/* ---- Adding -------------------------------------------------------------------------------- */

/* Adds the row of a record or, if it is not NULL, of one of its attempts. */
static bool row_add(sqlite3_stmt *insert, int run, const char *at, const cnf_record *record,
                    const cnf_attempt *attempt)
{
    cnf_verdict verdict = attempt ? attempt->verdict : record->judgement.verdict;
    const rt_text texts[] = {rt_text_of(at),
                             record->scenario,
                             record->subject,
                             rt_text_of(cnf_verdict_word(verdict)),
                             attempt ? attempt->signature : record->judgement.signature,
                             record->device,
                             record->driver,
                             record->hash,
                             record->conditions};
    enum { TEXTS = sizeof texts / sizeof *texts };
    bool bound = sqlite3_bind_int(insert, 1, run) == SQLITE_OK;
    for (int i = 0; i < TEXTS; i++) {
        const char *data = texts[i].data ? texts[i].data : "";
        bound = sqlite3_bind_text64(insert, i + 2, data, texts[i].length, SQLITE_TRANSIENT,
                                    SQLITE_UTF8) == SQLITE_OK &&
                bound;
    }
    bound = sqlite3_bind_double(insert, TEXTS + 2, attempt ? attempt->seconds : record->seconds) ==
                SQLITE_OK &&
            bound;
    return bound && sqlite3_step(insert) == SQLITE_DONE && sqlite3_reset(insert) == SQLITE_OK;
}

rt_status cnf_history_add(rt_sink *sink, cnf_history *history, const char *at,
                          const cnf_record *records, uint32_t record_count)
{
    int run = 0;
    sqlite3_stmt *insert = NULL;
    RT_TRY(run_sql(sink, history, "BEGIN IMMEDIATE"));
    rt_status status =
        number_ask(sink, history, "SELECT ifnull(max(run), 0) + 1 FROM verdicts", &run);
    if (rt_ok(status))
        status =
            prepare(sink, history, "INSERT INTO verdicts VALUES (?,?,?,?,?,?,?,?,?,?,?)", &insert);
    for (uint32_t i = 0; i < record_count && rt_ok(status); i++) {
        const cnf_judgement *judgement = &records[i].judgement;
        uint32_t row_count = judgement->attempt_count > 0 ? judgement->attempt_count : 1;
        for (uint32_t k = 0; k < row_count && rt_ok(status); k++) {
            const cnf_attempt *attempt =
                judgement->attempt_count > 0 ? &judgement->attempts[k] : NULL;
            if (!row_add(insert, run, at, &records[i], attempt)) status = refused(sink, history);
        }
    }
    sqlite3_finalize(insert);
    if (rt_ok(status)) status = run_sql(sink, history, "COMMIT");
    if (!rt_ok(status)) sqlite3_exec(history->database, "ROLLBACK", NULL, NULL, NULL);
    return status;
}

/* ---- Showing ------------------------------------------------------------------------------- */

/* A stretch of runs: the columns that they share, and the times of the first and the last. */
enum { SCENARIO, SUBJECT, DRIVER, HASH, CONDITIONS, VERDICT, SIGNATURE, COMMON, AT = COMMON };

typedef struct stretch {
    rt_buffer common[COMMON];
    rt_buffer first, last;
    uint32_t runs; /* 0: not started */
} stretch;

static rt_text column(sqlite3_stmt *row, int index)
{
    const char *text = (const char *)sqlite3_column_text(row, index);
    return (rt_text){text ? text : "", (size_t)sqlite3_column_bytes(row, index)};
}

static void replace(rt_buffer *buffer, rt_text text)
{
    rt_buffer_free(buffer);
    rt_buffer_append_text(buffer, text);
}

static void stretch_print(rt_buffer *out, const stretch *now)
{
    if (now->runs == 0) return;
    rt_buffer_printf(out, "%s", rt_buffer_string(&now->first));
    if (now->runs > 1)
        rt_buffer_printf(out, " to %s, %u runs", rt_buffer_string(&now->last), now->runs);
    const char *texts[COMMON];
    for (int i = 0; i < COMMON; i++)
        texts[i] = rt_buffer_string(&now->common[i]);
    rt_buffer_printf(out, ": %s on %s%s%s: %s%s%s", texts[SCENARIO], texts[SUBJECT],
                     *texts[CONDITIONS] ? " " : "", texts[CONDITIONS], texts[VERDICT],
                     *texts[SIGNATURE] ? " " : "", texts[SIGNATURE]);
    if (*texts[DRIVER]) rt_buffer_printf(out, " (%s)", texts[DRIVER]);
    rt_buffer_append_byte(out, '\n');
}

/* Adds a row to the stretch; if the row does not belong to it, prints the stretch and starts the
 * next. */
static void stretch_take(rt_buffer *out, stretch *now, sqlite3_stmt *row)
{
    bool belongs = now->runs > 0;
    for (int i = 0; i < COMMON; i++)
        belongs = belongs && rt_text_equal(rt_buffer_text(&now->common[i]), column(row, i));
    if (!belongs) {
        stretch_print(out, now);
        for (int i = 0; i < COMMON; i++)
            replace(&now->common[i], column(row, i));
        replace(&now->first, column(row, AT));
        now->runs = 0;
    }
    replace(&now->last, column(row, AT));
    now->runs++;
}

static const char select_scenario[] =
    "SELECT scenario, subject, driver, hash, conditions, verdict, signature, at FROM verdicts"
    " WHERE scenario = ?1 ORDER BY subject, run, rowid";
/* The attempts of each scenario, subject, driver, conditions and contents that had both outcomes:
 * how many, how many failed, and how many there were after the last failure. */
static const char select_flaky[] =
    "WITH ran AS (SELECT *, rowid AS id, verdict IN ('PASS', 'LINKED', 'XPASS') AS good"
    " FROM verdicts WHERE verdict NOT IN ('SKIP', 'UNAVAILABLE', 'INVALID', 'NOT_RUN', 'POISONED')),"
    " marked AS (SELECT *, max(CASE WHEN good THEN 0 ELSE id END)"
    " OVER (PARTITION BY scenario, subject, driver, conditions, hash) AS last_failure FROM ran)"
    " SELECT scenario, subject, driver, conditions, count(*), sum(NOT good), sum(id > last_failure)"
    " FROM marked GROUP BY scenario, subject, driver, conditions, hash"
    " HAVING sum(good) > 0 AND sum(NOT good) > 0 ORDER BY scenario, subject, driver, conditions";

static const char select_changing[] =
    "SELECT scenario, subject, driver, hash, conditions, verdict, signature, at FROM verdicts"
    " WHERE ?1 = '' AND (scenario, subject) IN (SELECT scenario, subject FROM verdicts"
    " GROUP BY scenario, subject HAVING count(DISTINCT verdict || ' ' || signature) > 1)"
    " ORDER BY scenario, subject, run, rowid";

rt_status cnf_history_write(rt_sink *sink, cnf_history *history, rt_text scenario, rt_buffer *out,
                            bool *out_found)
{
    sqlite3_stmt *select;
    int runs, code;
    uint32_t rows = 0;
    stretch now = {0};
    RT_TRY(number_ask(sink, history, "SELECT count(DISTINCT run) FROM verdicts", &runs));
    RT_TRY(
        prepare(sink, history, scenario.length > 0 ? select_scenario : select_changing, &select));
    code = sqlite3_bind_text64(select, 1, scenario.data ? scenario.data : "", scenario.length,
                               SQLITE_TRANSIENT, SQLITE_UTF8);
    if (code == SQLITE_OK) code = sqlite3_step(select);
    for (; code == SQLITE_ROW; code = sqlite3_step(select), rows++)
        stretch_take(out, &now, select);
    stretch_print(out, &now);
    for (int i = 0; i < COMMON; i++)
        rt_buffer_free(&now.common[i]);
    rt_buffer_free(&now.first);
    rt_buffer_free(&now.last);
    rt_status status = code == SQLITE_DONE ? RT_STATUS_OK : refused(sink, history);
    sqlite3_finalize(select);
    if (!rt_ok(status)) return status;
    *out_found = rows > 0 || scenario.length == 0;
    if (rows == 0 && scenario.length == 0) rt_buffer_printf(out, "no verdict ever changed\n");
    rt_buffer_printf(out, "%d %s in this history\n", runs, runs == 1 ? "run" : "runs");
    return RT_STATUS_OK;
}

/* Appends the line of a row of select_flaky. */
static void flaky_print(rt_buffer *out, sqlite3_stmt *row)
{
    const uint64_t total = (uint64_t)sqlite3_column_int64(row, 4);
    const uint64_t failed = (uint64_t)sqlite3_column_int64(row, 5);
    const uint64_t since = (uint64_t)sqlite3_column_int64(row, 6);
    const cnf_interval all = cnf_interval_of(failed, total), after = cnf_interval_of(0, since);
    bool is_released = after.high < CNF_FLAKY_RELEASE;
    const rt_text driver = column(row, 2), conditions = column(row, 3);
    rt_buffer_printf(out, "%s: %.*s on %.*s%s%.*s", is_released ? "release" : "quarantine",
                     RT_TEXT_ARG(column(row, 0)), RT_TEXT_ARG(column(row, 1)),
                     conditions.length > 0 ? " " : "", RT_TEXT_ARG(conditions));
    if (driver.length > 0) rt_buffer_printf(out, " (%.*s)", RT_TEXT_ARG(driver));
    rt_buffer_printf(out, ": %llu of %llu failed, %.1f %% (%.1f to %.1f %%); %llu since the last\n",
                     (unsigned long long)failed, (unsigned long long)total,
                     100.0 * (double)failed / (double)total, 100 * all.low, 100 * all.high,
                     (unsigned long long)since);
}

rt_status cnf_history_flaky_write(rt_sink *sink, cnf_history *history, rt_buffer *out)
{
    sqlite3_stmt *select;
    int code, runs;
    uint32_t rows = 0;
    RT_TRY(number_ask(sink, history, "SELECT count(DISTINCT run) FROM verdicts", &runs));
    RT_TRY(prepare(sink, history, select_flaky, &select));
    for (code = sqlite3_step(select); code == SQLITE_ROW; code = sqlite3_step(select), rows++)
        flaky_print(out, select);
    rt_status status = code == SQLITE_DONE ? RT_STATUS_OK : refused(sink, history);
    sqlite3_finalize(select);
    if (!rt_ok(status)) return status;
    rt_buffer_printf(out, "%u flaky in %d %s\n", rows, runs, runs == 1 ? "run" : "runs");
    return RT_STATUS_OK;
}

static bool is_listed(const rt_text *subjects, uint32_t count, rt_text subject)
{
    for (uint32_t i = 0; i < count; i++)
        if (rt_text_equal(subjects[i], subject)) return true;
    return false;
}

rt_status cnf_history_times(rt_sink *sink, cnf_history *history, rt_arena *arena,
                            const rt_text *subjects, uint32_t subject_count,
                            const cnf_scenario_time **out_times, uint32_t *out_count)
{
    sqlite3_stmt *select;
    RT_VECTOR(cnf_scenario_time) times = {0};
    RT_TRY(prepare(sink, history,
                   "SELECT scenario, subject, avg(seconds) FROM verdicts WHERE verdict NOT IN"
                   " ('SKIP', 'UNAVAILABLE', 'INVALID', 'NOT_RUN', 'POISONED')"
                   " GROUP BY scenario, subject ORDER BY scenario, subject",
                   &select));
    int code;
    for (code = sqlite3_step(select); code == SQLITE_ROW; code = sqlite3_step(select)) {
        if (!is_listed(subjects, subject_count, column(select, 1))) continue;
        cnf_scenario_time *last = times.count > 0 ? &times.items[times.count - 1] : NULL;
        if (!last || !rt_text_equal(last->scenario, column(select, 0))) {
            last = rt_vector_push(&times);
            *last = (cnf_scenario_time){rt_arena_text(arena, column(select, 0)), 0};
        }
        last->seconds += sqlite3_column_double(select, 2);
    }
    rt_status status = code == SQLITE_DONE ? RT_STATUS_OK : refused(sink, history);
    sqlite3_finalize(select);
    *out_times = rt_arena_copy(arena, times.items, times.count, sizeof *times.items);
    *out_count = times.count;
    rt_vector_free(&times);
    return status;
}
