/* Writes, reads and copies records as lines of JSON, driven by one table of keys. */
#include "conformance/verdict/record.h"

#include "conformance/json/json.h"
#include "reference/base/alloc.h"
#include "reference/base/vector.h"

#include <errno.h>
#include <jansson.h>
#include <string.h>
#include <unistd.h>

/* ---- The keys ------------------------------------------------------------------------------ */

typedef enum field_kind {
    FIELD_TEXT,    /* rt_text */
    FIELD_NUMBER,  /* uint32_t */
    FIELD_VERDICT, /* cnf_verdict, by its word */
    FIELD_SECONDS, /* double */
    FIELD_KINDS,   /* the judgement's unobserved kinds */
    FIELD_FAILURES,
    FIELD_ATTEMPTS,
    FIELD_PREDECESSORS,
} field_kind;

/* When a key is present in a record. */
typedef enum field_presence {
    PRESENT_ALWAYS,
    PRESENT_IF_SET,   /* if the text is not empty, or the number is not `absent` */
    PRESENT_IF_KNOWN, /* if an expectation entry was applied */
} field_presence;

static const struct field_row {
    const char *key;
    field_kind kind;
    field_presence presence;
    size_t offset;
    uint32_t absent; /* NUMBER */
} field_rows[] = {
    {"scenario", FIELD_TEXT, PRESENT_ALWAYS, offsetof(cnf_record, scenario), 0},
    {"subject", FIELD_TEXT, PRESENT_ALWAYS, offsetof(cnf_record, subject), 0},
    {"verdict", FIELD_VERDICT, PRESENT_ALWAYS, offsetof(cnf_record, judgement.verdict), 0},
    {"signature", FIELD_TEXT, PRESENT_ALWAYS, offsetof(cnf_record, judgement.signature), 0},
    {"observed", FIELD_NUMBER, PRESENT_ALWAYS, offsetof(cnf_record, judgement.observed), 0},
    {"unobserved", FIELD_KINDS, PRESENT_ALWAYS, offsetof(cnf_record, judgement.unobserved), 0},
    {"seconds", FIELD_SECONDS, PRESENT_ALWAYS, offsetof(cnf_record, seconds), 0},
    {"expected", FIELD_NUMBER, PRESENT_ALWAYS, offsetof(cnf_record, judgement.expected), 0},
    {"compared", FIELD_NUMBER, PRESENT_IF_SET, offsetof(cnf_record, judgement.compared), 0},
    {"hash", FIELD_TEXT, PRESENT_IF_SET, offsetof(cnf_record, hash), 0},
    {"file", FIELD_TEXT, PRESENT_IF_SET, offsetof(cnf_record, file), 0},
    {"line", FIELD_NUMBER, PRESENT_IF_SET, offsetof(cnf_record, judgement.line), 0},
    {"code_file", FIELD_TEXT, PRESENT_IF_SET, offsetof(cnf_record, judgement.code.file), 0},
    {"code_line", FIELD_NUMBER, PRESENT_IF_SET, offsetof(cnf_record, judgement.code.line), 0},
    {"code_column", FIELD_NUMBER, PRESENT_IF_SET, offsetof(cnf_record, judgement.code.column), 0},
    {"step", FIELD_NUMBER, PRESENT_IF_SET, offsetof(cnf_record, judgement.step), SCN_NONE},
    {"step_id", FIELD_TEXT, PRESENT_IF_SET, offsetof(cnf_record, step_id), 0},
    {"rule", FIELD_TEXT, PRESENT_IF_SET, offsetof(cnf_record, judgement.rule), 0},
    {"message", FIELD_TEXT, PRESENT_IF_SET, offsetof(cnf_record, judgement.message), 0},
    {"failures", FIELD_FAILURES, PRESENT_IF_SET, offsetof(cnf_record, judgement.failures), 0},
    {"attempts", FIELD_ATTEMPTS, PRESENT_IF_SET, offsetof(cnf_record, judgement.attempts), 0},
    {"capability", FIELD_TEXT, PRESENT_IF_SET, offsetof(cnf_record, judgement.capability), 0},
    {"answer", FIELD_TEXT, PRESENT_IF_SET, offsetof(cnf_record, judgement.answer), 0},
    {"device", FIELD_TEXT, PRESENT_IF_SET, offsetof(cnf_record, device), 0},
    {"driver", FIELD_TEXT, PRESENT_IF_SET, offsetof(cnf_record, driver), 0},
    {"host", FIELD_TEXT, PRESENT_IF_SET, offsetof(cnf_record, host), 0},
    {"conditions", FIELD_TEXT, PRESENT_IF_SET, offsetof(cnf_record, conditions), 0},
    {"choices", FIELD_TEXT, PRESENT_IF_SET, offsetof(cnf_record, choices), 0},
    {"predecessors", FIELD_PREDECESSORS, PRESENT_IF_SET, offsetof(cnf_record, predecessors), 0},
    {"reuse", FIELD_TEXT, PRESENT_IF_SET, offsetof(cnf_record, reuse), 0},
    {"reuse_verdict", FIELD_TEXT, PRESENT_IF_SET, offsetof(cnf_record, reuse_verdict), 0},
    {"reuse_signature", FIELD_TEXT, PRESENT_IF_SET, offsetof(cnf_record, reuse_signature), 0},
    {"entry", FIELD_TEXT, PRESENT_IF_SET, offsetof(cnf_record, known.entry), 0},
    {"seen", FIELD_VERDICT, PRESENT_IF_KNOWN, offsetof(cnf_record, known.seen), 0},
    {"class", FIELD_TEXT, PRESENT_IF_SET, offsetof(cnf_record, known.class), 0},
    {"reason", FIELD_TEXT, PRESENT_IF_SET, offsetof(cnf_record, known.reason), 0},
    {"reference", FIELD_TEXT, PRESENT_IF_SET, offsetof(cnf_record, known.reference), 0},
    {"finding", FIELD_TEXT, PRESENT_IF_SET, offsetof(cnf_record, known.finding), 0},
    {"expected_failure", FIELD_TEXT, PRESENT_IF_SET, offsetof(cnf_record, known.failure), 0},
};
enum { FIELD_COUNT = sizeof field_rows / sizeof *field_rows };

/* The texts of a failure, present if they are not empty. */
static const struct failure_text {
    const char *key;
    size_t offset;
} failure_texts[] = {
    {"signature", offsetof(cnf_failure, signature)},
    {"message", offsetof(cnf_failure, message)},
    {"rule", offsetof(cnf_failure, rule)},
    {"step_id", offsetof(cnf_failure, step_id)},
    {"entry", offsetof(cnf_failure, entry)},
    {"code_file", offsetof(cnf_failure, code.file)},
};
enum { FAILURE_TEXT_COUNT = sizeof failure_texts / sizeof *failure_texts };

/* Its numbers, present if they are not `absent`. */
static const struct failure_number {
    const char *key;
    size_t offset;
    uint32_t absent;
} failure_numbers[] = {
    {"step", offsetof(cnf_failure, step), SCN_NONE},
    {"line", offsetof(cnf_failure, line), 0},
    {"code_line", offsetof(cnf_failure, code.line), 0},
    {"code_column", offsetof(cnf_failure, code.column), 0},
};
enum { FAILURE_NUMBER_COUNT = sizeof failure_numbers / sizeof *failure_numbers };

/* ---- Writing ------------------------------------------------------------------------------- */

static json_t *texts_json(const rt_text *texts, uint32_t count)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < count; i++)
        cnf_json_append(list, cnf_json_text(texts[i]));
    return list;
}

static json_t *failures_json(const cnf_judgement *judgement)
{
    if (judgement->failure_count == 0) return NULL;
    json_t *list = json_array();
    for (uint32_t i = 0; i < judgement->failure_count; i++) {
        const cnf_failure *failure = &judgement->failures[i];
        json_t *object = json_object();
        for (size_t k = 0; k < FAILURE_TEXT_COUNT; k++) {
            rt_text text;
            memcpy(&text, (const char *)failure + failure_texts[k].offset, sizeof text);
            if (text.length > 0) cnf_json_set(object, failure_texts[k].key, cnf_json_text(text));
        }
        cnf_json_set(object, "cause", json_integer(failure->cause));
        for (size_t k = 0; k < FAILURE_NUMBER_COUNT; k++) {
            uint32_t number;
            memcpy(&number, (const char *)failure + failure_numbers[k].offset, sizeof number);
            if (number != failure_numbers[k].absent)
                cnf_json_set(object, failure_numbers[k].key, json_integer(number));
        }
        if (failure->memory_count > 0)
            cnf_json_set(object, "memories", texts_json(failure->memories, failure->memory_count));
        if (failure->is_poisoned) cnf_json_set(object, "poisoned", json_true());
        cnf_json_append(list, object);
    }
    return list;
}

static json_t *attempts_json(const cnf_judgement *judgement)
{
    if (judgement->attempt_count == 0) return NULL;
    json_t *list = json_array();
    for (uint32_t i = 0; i < judgement->attempt_count; i++) {
        const cnf_attempt *attempt = &judgement->attempts[i];
        json_t *object = json_object();
        cnf_json_set(object, "verdict", json_string(cnf_verdict_word(attempt->verdict)));
        if (attempt->signature.length > 0)
            cnf_json_set(object, "signature", cnf_json_text(attempt->signature));
        cnf_json_set(object, "seconds", json_real(attempt->seconds));
        cnf_json_append(list, object);
    }
    return list;
}

/* The value of a key; NULL if the record has none. */
static json_t *field_json(const struct field_row *row, const cnf_record *record)
{
    const char *field = (const char *)record + row->offset;
    bool always = row->presence == PRESENT_ALWAYS;
    rt_text text;
    uint32_t number;
    double seconds;
    cnf_verdict verdict;
    switch (row->kind) {
    case FIELD_TEXT:
        memcpy(&text, field, sizeof text);
        return always || text.length > 0 ? cnf_json_text(text) : NULL;
    case FIELD_NUMBER:
        memcpy(&number, field, sizeof number);
        return always || number != row->absent ? json_integer(number) : NULL;
    case FIELD_VERDICT:
        memcpy(&verdict, field, sizeof verdict);
        if (!always && record->known.entry.length == 0) return NULL;
        return json_string(cnf_verdict_word(verdict));
    case FIELD_SECONDS: memcpy(&seconds, field, sizeof seconds); return json_real(seconds);
    case FIELD_KINDS:
        return texts_json(record->judgement.unobserved, record->judgement.unobserved_count);
    case FIELD_FAILURES: return failures_json(&record->judgement);
    case FIELD_ATTEMPTS: return attempts_json(&record->judgement);
    case FIELD_PREDECESSORS:
        if (record->predecessor_count == 0) return NULL;
        return texts_json(record->predecessors, record->predecessor_count);
    }
    UNREACHABLE();
}

/* True for the verdicts that only an expectation entry gives. */
static bool is_from_entry(cnf_verdict verdict)
{
    return verdict == CNF_VERDICT_XFAIL || verdict == CNF_VERDICT_XPASS ||
           verdict == CNF_VERDICT_XFAIL_MISMATCH;
}

bool cnf_record_has_subject(const cnf_record *record)
{
    CHECK(record->subject.length > 0);
    return !rt_text_is(record->subject, "-");
}

json_t *cnf_record_json(const cnf_record *record)
{
    CHECK(record->scenario.length > 0 && record->subject.length > 0);
    CHECK(record->judgement.observed <= record->judgement.expected);
    CHECK((unsigned)record->judgement.verdict < CNF_VERDICT_COUNT);
    CHECK(is_from_entry(record->judgement.verdict) == (record->known.entry.length > 0));
    json_t *object = json_object();
    for (size_t i = 0; i < FIELD_COUNT; i++) {
        json_t *value = field_json(&field_rows[i], record);
        if (value) cnf_json_set(object, field_rows[i].key, value);
    }
    return object;
}

void cnf_record_write(rt_buffer *out, const cnf_record *record)
{
    cnf_json_write(out, cnf_record_json(record),
                   JSON_COMPACT | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(6));
    rt_buffer_append_byte(out, '\n');
}

int cnf_record_append(int file, const cnf_record *record)
{
    CHECK(file >= 0);
    rt_buffer line = {0};
    cnf_record_write(&line, record);
    CHECK(memchr(line.data, '\n', line.size) == line.data + line.size - 1);
    ssize_t written;
    do {
        written = write(file, line.data, line.size);
    } while (written < 0 && errno == EINTR);
    int error = written < 0 ? errno : (size_t)written < line.size ? ENOSPC : 0;
    rt_buffer_free(&line);
    return error;
}

/* ---- Reading ------------------------------------------------------------------------------- */

/* Reads a list of texts into the arena; false if the value is not a list of texts. */
static bool texts_read(rt_arena *arena, const json_t *value, const rt_text **out_texts,
                       uint32_t *out_count)
{
    size_t count = json_array_size(value);
    rt_text *texts = rt_arena_alloc_array(arena, count, sizeof *texts);
    for (size_t i = 0; i < count; i++) {
        const json_t *item = json_array_get(value, i);
        if (!json_is_string(item)) return false;
        const rt_text text = {json_string_value(item), json_string_length(item)};
        texts[i] = rt_arena_text(arena, text);
    }
    *out_texts = texts;
    *out_count = (uint32_t)count;
    return json_is_array(value);
}

/* Reads a number from an object, `absent` if the key is missing; false if the value is not a number
 * in range. */
static bool number_read(const json_t *object, const char *key, uint32_t absent, uint32_t *out)
{
    const json_t *value = json_object_get(object, key);
    json_int_t number = value ? json_integer_value(value) : absent;
    *out = (uint32_t)number;
    return !value || (json_is_integer(value) && number >= 0 && number < UINT32_MAX);
}

static bool failure_read(rt_arena *arena, const json_t *object, cnf_failure *out)
{
    *out = (cnf_failure){0};
    for (size_t k = 0; k < FAILURE_TEXT_COUNT; k++) {
        const json_t *value = json_object_get(object, failure_texts[k].key);
        if (value && !json_is_string(value)) return false;
        rt_text text = {json_string_value(value), json_string_length(value)};
        text = rt_arena_text(arena, text);
        memcpy((char *)out + failure_texts[k].offset, &text, sizeof text);
    }
    for (size_t k = 0; k < FAILURE_NUMBER_COUNT; k++) {
        uint32_t number;
        if (!number_read(object, failure_numbers[k].key, failure_numbers[k].absent, &number))
            return false;
        memcpy((char *)out + failure_numbers[k].offset, &number, sizeof number);
    }
    uint32_t cause;
    const json_t *memories = json_object_get(object, "memories");
    if (!number_read(object, "cause", CNF_CAUSE_COUNT, &cause) || cause >= CNF_CAUSE_COUNT ||
        (memories && !texts_read(arena, memories, &out->memories, &out->memory_count)))
        return false;
    out->cause = (cnf_failure_cause)cause;
    out->is_poisoned = json_is_true(json_object_get(object, "poisoned"));
    return out->signature.length > 0;
}

/* Reads the failures, whose signatures together must be the judgement's signature. */
static bool failures_read(rt_arena *arena, const json_t *list, cnf_judgement *out)
{
    size_t count = json_array_size(list);
    cnf_failure *failures = rt_arena_alloc_array(arena, count, sizeof *failures);
    rt_text rest = out->signature;
    for (size_t i = 0; i < count; i++) {
        if (!failure_read(arena, json_array_get(list, i), &failures[i])) return false;
        if (!rt_text_equal(rt_text_take_until(&rest, ' '), failures[i].signature)) return false;
    }
    out->failures = failures;
    out->failure_count = (uint32_t)count;
    return count > 0 && rest.length == 0;
}

static bool attempts_read(rt_arena *arena, const json_t *list, cnf_judgement *out)
{
    size_t count = json_array_size(list);
    cnf_attempt *attempts = rt_arena_alloc_array(arena, count, sizeof *attempts);
    for (size_t i = 0; i < count; i++) {
        const json_t *object = json_array_get(list, i);
        const json_t *word = json_object_get(object, "verdict");
        const json_t *signature = json_object_get(object, "signature");
        const json_t *seconds = json_object_get(object, "seconds");
        const rt_text verdict = {json_string_value(word), json_string_length(word)};
        const rt_text text = {json_string_value(signature), json_string_length(signature)};
        attempts[i] = (cnf_attempt){.seconds = json_number_value(seconds)};
        attempts[i].verdict = json_is_string(word) ? cnf_verdict_find(verdict) : CNF_VERDICT_COUNT;
        if (signature) attempts[i].signature = rt_arena_text(arena, text);
        if (attempts[i].verdict == CNF_VERDICT_COUNT || (signature && !json_is_string(signature)) ||
            !json_is_number(seconds) || attempts[i].seconds < 0)
            return false;
    }
    out->attempts = attempts;
    out->attempt_count = (uint32_t)count;
    return count > 0;
}

/* Reads the value of a key; false if it is not of the key's type. */
static bool field_read(rt_arena *arena, const struct field_row *row, const json_t *value,
                       cnf_record *out)
{
    char *field = (char *)out + row->offset;
    rt_text text = {json_string_value(value), json_string_length(value)};
    switch (row->kind) {
    case FIELD_TEXT:
        if (!json_is_string(value)) return false;
        text = rt_arena_text(arena, text);
        memcpy(field, &text, sizeof text);
        return true;
    case FIELD_NUMBER: {
        json_int_t number = json_integer_value(value);
        if (!json_is_integer(value) || number < 0 || number > UINT32_MAX) return false;
        uint32_t narrow = (uint32_t)number;
        memcpy(field, &narrow, sizeof narrow);
        return true;
    }
    case FIELD_VERDICT: {
        cnf_verdict verdict = json_is_string(value) ? cnf_verdict_find(text) : CNF_VERDICT_COUNT;
        memcpy(field, &verdict, sizeof verdict);
        return verdict != CNF_VERDICT_COUNT;
    }
    case FIELD_SECONDS: {
        double seconds = json_number_value(value);
        memcpy(field, &seconds, sizeof seconds);
        return json_is_number(value) && seconds >= 0;
    }
    case FIELD_KINDS:
        return texts_read(arena, value, &out->judgement.unobserved,
                          &out->judgement.unobserved_count);
    case FIELD_FAILURES: return failures_read(arena, value, &out->judgement);
    case FIELD_ATTEMPTS: return attempts_read(arena, value, &out->judgement);
    case FIELD_PREDECESSORS:
        return texts_read(arena, value, &out->predecessors, &out->predecessor_count) &&
               out->predecessor_count > 0;
    }
    UNREACHABLE();
}

static rt_status object_read(rt_sink *sink, rt_arena *arena, const json_t *object, cnf_record *out)
{
    const char *key;
    json_t *member;
    json_object_foreach((json_t *)object, key, member)
    {
        size_t i = 0;
        while (i < FIELD_COUNT && strcmp(field_rows[i].key, key) != 0)
            i++;
        if (i < FIELD_COUNT) continue;
        return rt_fail(sink, RT_MALFORMED, RT_RULE_NONE,
                       "not a record of this version: it has no key '%s'", key);
    }
    for (size_t i = 0; i < FIELD_COUNT; i++) {
        const struct field_row *row = &field_rows[i];
        const json_t *value = json_object_get(object, row->key);
        if (!value && row->presence == PRESENT_ALWAYS) {
            return rt_fail(sink, RT_MALFORMED, RT_RULE_NONE,
                           "not a record: the key '%s' is missing", row->key);
        }
        if (value && !field_read(arena, row, value, out)) {
            return rt_fail(sink, RT_MALFORMED, RT_RULE_NONE,
                           "not a record: the value of '%s' is not permitted", row->key);
        }
    }
    /* Checks relations between members. */
    const cnf_judgement *judgement = &out->judgement;
    bool known = out->known.entry.length > 0;
    const char *wrong = NULL;
    if (out->scenario.length == 0 || out->subject.length == 0)
        wrong = "it names no scenario or no subject";
    else if (judgement->observed > judgement->expected)
        wrong = "it observed more than it expected";
    else if (is_from_entry(judgement->verdict) != known || is_from_entry(out->known.seen))
        wrong = "its verdict contradicts its expectation entry";
    else if (out->reuse.length > 0 && !rt_text_is(out->reuse, CNF_REUSE_CONFIRMED) &&
             !rt_text_is(out->reuse, CNF_REUSE_POISONED))
        wrong = "its key 'reuse' is neither " CNF_REUSE_CONFIRMED " nor " CNF_REUSE_POISONED;
    if (!wrong) return RT_STATUS_OK;
    return rt_fail(sink, RT_MALFORMED, RT_RULE_NONE, "not a record: %s", wrong);
}

rt_status cnf_record_read(rt_sink *sink, rt_arena *arena, rt_text line, cnf_record *out_record)
{
    *out_record = (cnf_record){.judgement = {.step = SCN_NONE}};
    json_t *object =
        json_loadb(line.data, line.length, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, NULL);
    rt_status status = json_is_object(object) ? object_read(sink, arena, object, out_record)
                                              : rt_fail(sink, RT_MALFORMED, RT_RULE_NONE,
                                                        "not a record: not a JSON object");
    json_decref(object);
    return status;
}

rt_status cnf_records_read(rt_sink *sink, rt_arena *arena, rt_text file, rt_text content,
                           cnf_records *out_records)
{
    *out_records = (cnf_records){0};
    /* An incomplete last line is ignored. */
    while (content.length > 0 && content.data[content.length - 1] != '\n')
        content.length--;
    RT_VECTOR(cnf_record) records = {0};
    rt_status status = RT_STATUS_OK;
    rt_text rest = content;
    for (uint32_t number = 1; rest.length > 0 && rt_ok(status); number++) {
        const char *newline = memchr(rest.data, '\n', rest.length);
        CHECK(newline);
        rt_text line = {rest.data, (size_t)(newline - rest.data)};
        rest = (rt_text){newline + 1, rest.length - line.length - 1};
        status = cnf_record_read(sink, arena, line, rt_vector_push(&records));
        if (rt_ok(status)) continue;
        status = rt_fail(sink, RT_MALFORMED, RT_RULE_NONE, "%.*s:%u: %.*s", RT_TEXT_ARG(file),
                         number, RT_TEXT_ARG(rt_sink_diagnostic(sink, status)->message));
    }
    if (rt_ok(status)) {
        cnf_record *items = rt_arena_alloc_array(arena, records.count + 1, sizeof *items);
        if (records.count > 0) memcpy(items, records.items, records.count * sizeof *items);
        *out_records = (cnf_records){items, records.count, content.length};
    }
    rt_vector_free(&records);
    return status;
}

/* ---- Expectations -------------------------------------------------------------------------- */

void cnf_record_expect(cnf_record *record, cnf_expectations *expectations)
{
    if (record->known.entry.length > 0) record->judgement.verdict = record->known.seen;
    cnf_expectations_apply(expectations, record->scenario, record->subject, record->driver,
                           &record->judgement, &record->known);
}

/* ---- Copying ------------------------------------------------------------------------------- */

static const rt_text *texts_copy(rt_arena *arena, const rt_text *texts, uint32_t count)
{
    rt_text *copies = rt_arena_copy(arena, texts, count, sizeof *texts);
    for (uint32_t i = 0; i < count; i++)
        copies[i] = rt_arena_text(arena, texts[i]);
    return copies;
}

cnf_record cnf_record_copy(rt_arena *arena, const cnf_record *record)
{
    cnf_record copy = *record;
    for (size_t i = 0; i < FIELD_COUNT; i++) {
        if (field_rows[i].kind != FIELD_TEXT) continue;
        char *field = (char *)&copy + field_rows[i].offset;
        rt_text text;
        memcpy(&text, field, sizeof text);
        text = rt_arena_text(arena, text);
        memcpy(field, &text, sizeof text);
    }
    copy.again = rt_arena_text(arena, record->again);
    copy.predecessors = texts_copy(arena, record->predecessors, record->predecessor_count);
    cnf_judgement *judgement = &copy.judgement;
    judgement->unobserved = texts_copy(arena, judgement->unobserved, judgement->unobserved_count);
    cnf_failure *failures = rt_arena_copy(arena, judgement->failures, judgement->failure_count,
                                          sizeof *judgement->failures);
    for (uint32_t i = 0; i < judgement->failure_count; i++) {
        for (size_t k = 0; k < FAILURE_TEXT_COUNT; k++) {
            char *field = (char *)&failures[i] + failure_texts[k].offset;
            rt_text text;
            memcpy(&text, field, sizeof text);
            text = rt_arena_text(arena, text);
            memcpy(field, &text, sizeof text);
        }
        failures[i].memories = texts_copy(arena, failures[i].memories, failures[i].memory_count);
    }
    judgement->failures = failures;
    cnf_attempt *attempts = rt_arena_copy(arena, judgement->attempts, judgement->attempt_count,
                                          sizeof *judgement->attempts);
    for (uint32_t i = 0; i < judgement->attempt_count; i++)
        attempts[i].signature = rt_arena_text(arena, attempts[i].signature);
    judgement->attempts = attempts;
    return copy;
}
