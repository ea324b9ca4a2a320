/* Writing records.  Reading them back is left to whoever wants to: the format is JSON lines. */
#include "conformance/report/record.h"

#include "reference/base/alloc.h"

#include <errno.h>
#include <jansson.h>
#include <string.h>
#include <unistd.h>

/* Length of the UTF-8 sequence at the beginning of text; 0: there is none that jansson takes. */
static size_t sequence_length(rt_text text)
{
    CHECK(text.data && text.length > 0);
    uint8_t lead = (uint8_t)text.data[0];
    size_t length = lead < 0x80 ? 1 : lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc2 ? 2 : 0;
    if (length == 0 || length > text.length) return 0;
    json_t *probe = json_stringn(text.data, length);
    json_decref(probe);
    return probe ? length : 0;
}

static json_t *text_json(rt_text text)
{
    json_t *value = json_stringn(text.data ? text.data : "", text.length);
    if (value) return value;
    rt_buffer clean = {0};
    while (text.length > 0) {
        size_t length = sequence_length(text);
        if (length > 0) rt_buffer_append(&clean, text.data, length);
        if (length == 0) rt_buffer_append_byte(&clean, '?');
        size_t used = length > 0 ? length : 1;
        text = (rt_text){text.data + used, text.length - used};
    }
    value = json_stringn(rt_buffer_string(&clean), clean.size);
    CHECK(value);
    rt_buffer_free(&clean);
    return value;
}

static void put(json_t *object, const char *key, json_t *value)
{
    int failed = json_object_set_new(object, key, value);
    CHECK(failed == 0);
}

static void put_text(json_t *object, const char *key, rt_text text)
{
    if (text.length > 0) put(object, key, text_json(text));
}

static json_t *unobserved_json(const cnf_judgement *judgement)
{
    json_t *kinds = json_array();
    for (uint32_t i = 0; i < judgement->unobserved_count; i++)
        json_array_append_new(kinds, text_json(judgement->unobserved[i]));
    return kinds;
}

static json_t *record_json(const cnf_record *record)
{
    const cnf_judgement *judgement = &record->judgement;
    json_t *object = json_object();
    put(object, "scenario", text_json(record->scenario));
    put(object, "subject", text_json(record->subject));
    put(object, "verdict", json_string(cnf_verdict_word(judgement->verdict)));
    put(object, "signature", text_json(judgement->signature));
    put(object, "observed", json_integer(judgement->observed));
    put(object, "unobserved", unobserved_json(judgement));
    put(object, "seconds", json_real(record->seconds));
    put(object, "expected", json_integer(judgement->expected));
    put_text(object, "file", record->file);
    if (judgement->line > 0) put(object, "line", json_integer(judgement->line));
    if (judgement->step != SCN_NONE) put(object, "step", json_integer(judgement->step));
    put_text(object, "step_id", record->step_id);
    put_text(object, "rule", judgement->rule);
    put_text(object, "message", judgement->message);
    put_text(object, "capability", judgement->capability);
    put_text(object, "answer", judgement->answer);
    put_text(object, "device", record->device);
    put_text(object, "driver", record->driver);
    return object;
}

void cnf_record_write(rt_buffer *out, const cnf_record *record)
{
    CHECK(record->scenario.length > 0 && record->subject.length > 0);
    json_t *object = record_json(record);
    char *line = json_dumps(object, JSON_COMPACT | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(6));
    CHECK(line && !strchr(line, '\n'));
    rt_buffer_append_text(out, rt_text_of(line));
    rt_buffer_append_byte(out, '\n');
    free(line); /* jansson's own allocation */
    json_decref(object);
}

int cnf_record_append(int file, const cnf_record *record)
{
    CHECK(file >= 0);
    rt_buffer line = {0};
    cnf_record_write(&line, record);
    ssize_t written;
    do {
        written = write(file, line.data, line.size);
    } while (written < 0 && errno == EINTR);
    int error = written < 0 ? errno : (size_t)written < line.size ? ENOSPC : 0;
    rt_buffer_free(&line);
    return error;
}

cnf_record cnf_record_copy(rt_arena *arena, const cnf_record *record)
{
    cnf_record copy = *record;
    cnf_judgement *judgement = &copy.judgement;
    rt_text *const texts[] = {
        &copy.scenario,   &copy.file,         &copy.subject,          &copy.step_id,
        &copy.device,     &copy.driver,       &judgement->signature,  &judgement->message,
        &judgement->rule, &judgement->answer, &judgement->capability, NULL,
    };
    for (rt_text *const *text = texts; *text; text++)
        **text = rt_arena_text(arena, **text);
    uint32_t count = judgement->unobserved_count;
    rt_text *kinds = rt_arena_alloc_array(arena, count + 1, sizeof *kinds);
    for (uint32_t i = 0; i < count; i++)
        kinds[i] = rt_arena_text(arena, judgement->unobserved[i]);
    judgement->unobserved = kinds;
    return copy;
}
