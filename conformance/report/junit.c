/* Writing JUnit's XML with libxml2's writer. */
#include "conformance/report/junit.h"

#include <dlfcn.h>
#include <libxml/xmlwriter.h>
#include <stddef.h>
#include <string.h>

/* ---- libxml2 ------------------------------------------------------------------------------- */

#define XML_ENTRIES(ENTRY)                                                                         \
    ENTRY(xmlBufferCreate)                                                                         \
    ENTRY(xmlBufferContent)                                                                        \
    ENTRY(xmlBufferFree)                                                                           \
    ENTRY(xmlNewTextWriterMemory)                                                                  \
    ENTRY(xmlFreeTextWriter)                                                                       \
    ENTRY(xmlTextWriterSetIndent)                                                                  \
    ENTRY(xmlTextWriterStartDocument)                                                              \
    ENTRY(xmlTextWriterEndDocument)                                                                \
    ENTRY(xmlTextWriterStartElement)                                                               \
    ENTRY(xmlTextWriterEndElement)                                                                 \
    ENTRY(xmlTextWriterWriteAttribute)                                                             \
    ENTRY(xmlTextWriterWriteString)

typedef struct xml_library {
#define XML_POINTER(name) __typeof__(&(name)) name;
    XML_ENTRIES(XML_POINTER)
#undef XML_POINTER
} xml_library;

static const struct xml_entry {
    const char *name;
    size_t offset; /* of the pointer in xml_library */
} xml_entries[] = {
#define XML_ROW(name) {#name, offsetof(xml_library, name)},
    XML_ENTRIES(XML_ROW)
#undef XML_ROW
};

/* dlsym returns a data pointer for a function; POSIX says that both have one representation. */
_Static_assert(sizeof(void *) == sizeof(void (*)(void)), "pointers to functions fit");

static rt_status library_open(rt_sink *sink, xml_library *out_library)
{
    *out_library = (xml_library){0};
    void *handle = dlopen("libxml2.so.2", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!handle) {
        return rt_fail(sink, RT_UNAVAILABLE, RT_RULE_NONE,
                       "libxml2 cannot be opened: %s; install it (Debian: libxml2)", dlerror());
    }
    for (size_t i = 0; i < sizeof xml_entries / sizeof *xml_entries; i++) {
        void *symbol = dlsym(handle, xml_entries[i].name);
        if (!symbol) {
            return rt_fail(sink, RT_UNAVAILABLE, RT_RULE_NONE, "this libxml2 has no %s",
                           xml_entries[i].name);
        }
        memcpy((char *)out_library + xml_entries[i].offset, &symbol, sizeof symbol);
    }
    return RT_STATUS_OK;
}

/* ---- Text ---------------------------------------------------------------------------------- */

/* Length of the character at the beginning of the text; 0: none that XML 1.0 allows. */
static size_t character_length(rt_text text)
{
    const uint8_t *bytes = (const uint8_t *)text.data;
    CHECK(text.length > 0);
    if (bytes[0] < 0x80) {
        bool control = bytes[0] < 0x20 && bytes[0] != '\t' && bytes[0] != '\n' && bytes[0] != '\r';
        return control ? 0 : 1;
    }
    size_t length = bytes[0] >= 0xf0 ? 4 : bytes[0] >= 0xe0 ? 3 : 2;
    if (bytes[0] < 0xc2 || bytes[0] > 0xf4 || length > text.length) return 0;
    uint32_t value = bytes[0] & (0xffu >> (length + 1));
    for (size_t i = 1; i < length; i++) {
        if ((bytes[i] & 0xc0) != 0x80) return 0;
        value = value << 6 | (bytes[i] & 0x3f);
    }
    static const uint32_t least[] = {[2] = 0x80, [3] = 0x800, [4] = 0x10000};
    bool surrogate = value >= 0xd800 && value <= 0xdfff;
    bool allowed = !surrogate && value != 0xfffe && value != 0xffff && value <= 0x10ffff;
    return allowed && value >= least[length] ? length : 0;
}

/* The document while it is written.  What libxml2 returns is memory's success, which is checked
 * once, at the end. */
typedef struct document {
    const xml_library *xml;
    xmlTextWriterPtr writer;
    rt_arena arena;
    int failed; /* libxml2 gives -1 for a failure */
} document;

/* The text as XML may hold it, in the arena and with a NUL byte behind. */
static const xmlChar *xml_text(document *out, rt_text text)
{
    rt_buffer clean = {0};
    while (text.length > 0) {
        size_t length = character_length(text);
        if (length > 0) rt_buffer_append(&clean, text.data, length);
        if (length == 0) rt_buffer_append_byte(&clean, '?');
        size_t used = length > 0 ? length : 1;
        text = (rt_text){text.data + used, text.length - used};
    }
    rt_text kept = rt_arena_text(&out->arena, rt_buffer_text(&clean));
    rt_buffer_free(&clean);
    return (const xmlChar *)kept.data;
}

static void begin(document *out, const char *name)
{
    out->failed |= out->xml->xmlTextWriterStartElement(out->writer, (const xmlChar *)name) < 0;
}

static void end(document *out)
{
    out->failed |= out->xml->xmlTextWriterEndElement(out->writer) < 0;
}

static void attribute(document *out, const char *name, rt_text value)
{
    out->failed |= out->xml->xmlTextWriterWriteAttribute(out->writer, (const xmlChar *)name,
                                                         xml_text(out, value)) < 0;
}

static void content(document *out, rt_text text)
{
    out->failed |= out->xml->xmlTextWriterWriteString(out->writer, xml_text(out, text)) < 0;
}

/* ---- Verdicts ------------------------------------------------------------------------------ */

typedef enum outcome { OUTCOME_GOOD, OUTCOME_SKIPPED, OUTCOME_FAILURE, OUTCOME_ERROR } outcome;

static const outcome outcomes[CNF_VERDICT_COUNT] = {
    [CNF_VERDICT_PASS] = OUTCOME_GOOD,           [CNF_VERDICT_LINKED] = OUTCOME_GOOD,
    [CNF_VERDICT_SKIP] = OUTCOME_SKIPPED,        [CNF_VERDICT_XFAIL] = OUTCOME_SKIPPED,
    [CNF_VERDICT_UNAVAILABLE] = OUTCOME_SKIPPED, [CNF_VERDICT_FAIL] = OUTCOME_FAILURE,
    [CNF_VERDICT_CRASH] = OUTCOME_FAILURE,       [CNF_VERDICT_TIMEOUT] = OUTCOME_FAILURE,
    [CNF_VERDICT_HANG] = OUTCOME_FAILURE,        [CNF_VERDICT_POISONED] = OUTCOME_FAILURE,
    [CNF_VERDICT_XPASS] = OUTCOME_FAILURE,       [CNF_VERDICT_XFAIL_MISMATCH] = OUTCOME_FAILURE,
    [CNF_VERDICT_INVALID] = OUTCOME_ERROR,       [CNF_VERDICT_NOT_RUN] = OUTCOME_ERROR,
};
static const char *const outcome_elements[] = {NULL, "skipped", "failure", "error"};

static outcome outcome_of(const cnf_record *record)
{
    cnf_verdict verdict = record->judgement.verdict;
    bool compiler = verdict == CNF_VERDICT_UNAVAILABLE && !cnf_report_is_missing(record);
    return compiler ? OUTCOME_ERROR : outcomes[verdict];
}

/* One line: why it is not a plain success. */
static rt_text outcome_message(rt_arena *arena, const cnf_record *record)
{
    const cnf_judgement *judgement = &record->judgement;
    const cnf_known *known = &record->known;
    const char *word = cnf_verdict_word(judgement->verdict);
    bool failed = judgement->signature.length > 0;
    rt_text seen = failed ? judgement->signature : rt_text_of(cnf_verdict_word(known->seen));
    switch (judgement->verdict) {
    case CNF_VERDICT_SKIP:
        return rt_arena_printf(arena, "%s, %.*s: %.*s", word, RT_TEXT_ARG(judgement->capability),
                               RT_TEXT_ARG(judgement->answer));
    case CNF_VERDICT_XFAIL:
        return rt_arena_printf(arena, "%s, %s: %.*s", word, cnf_class_text(known->class),
                               RT_TEXT_ARG(known->reason));
    case CNF_VERDICT_XPASS:
    case CNF_VERDICT_XFAIL_MISMATCH:
        return rt_arena_printf(arena, "%s: %.*s, but %.*s expects %.*s", word, RT_TEXT_ARG(seen),
                               RT_TEXT_ARG(known->entry), RT_TEXT_ARG(known->failure));
    default: return rt_arena_printf(arena, "%s %.*s", word, RT_TEXT_ARG(judgement->signature));
    }
}

static rt_text details(rt_arena *arena, const cnf_report *report, const cnf_record *record)
{
    const cnf_judgement *judgement = &record->judgement;
    rt_buffer text = {0};
    rt_buffer_append_text(&text, judgement->message); /* it may hold NUL bytes */
    if (text.size > 0) rt_buffer_append_byte(&text, '\n');
    if (judgement->rule.length > 0)
        rt_buffer_printf(&text, "rule: %.*s\n", RT_TEXT_ARG(judgement->rule));
    for (uint32_t i = 0; i < judgement->unobserved_count; i++)
        rt_buffer_printf(&text, "unobserved: %.*s\n", RT_TEXT_ARG(judgement->unobserved[i]));
    if (record->device.length > 0)
        rt_buffer_printf(&text, "device: %.*s (%.*s)\n", RT_TEXT_ARG(record->device),
                         RT_TEXT_ARG(record->driver));
    if (text.size > 0 && !rt_text_is(record->subject, "-")) {
        rt_buffer_printf(&text, "again: ");
        cnf_report_again_write(&text, report, record);
    }
    rt_text copy = rt_arena_text(arena, rt_buffer_text(&text));
    rt_buffer_free(&text);
    return copy;
}

/* ---- Cases and suites ---------------------------------------------------------------------- */

static void write_case(document *out, const cnf_report *report, const cnf_record *record)
{
    rt_text path = record->scenario;
    const char *slash = memrchr(path.data, '/', path.length);
    size_t folder = slash ? (size_t)(slash - path.data) : 0, skipped = slash ? folder + 1 : 0;
    begin(out, "testcase");
    attribute(out, "name", (rt_text){path.data + skipped, path.length - skipped});
    attribute(out, "classname", folder > 0 ? (rt_text){path.data, folder} : RT_TEXT("."));
    attribute(out, "time", rt_arena_printf(&out->arena, "%.6f", record->seconds));
    const char *element = outcome_elements[outcome_of(record)];
    if (element) {
        begin(out, element);
        attribute(out, "message", outcome_message(&out->arena, record));
        if (outcome_of(record) != OUTCOME_SKIPPED)
            attribute(out, "type", rt_text_of(cnf_verdict_word(record->judgement.verdict)));
        end(out);
    }
    rt_text more = details(&out->arena, report, record);
    if (more.length > 0) {
        begin(out, "system-out");
        content(out, more);
        end(out);
    }
    end(out);
}

typedef struct totals {
    uint32_t outcomes[4];
    uint32_t tests;
    double seconds;
} totals;

/* Counts the records of a suite; subject empty: of all. */
static totals count(const cnf_report *report, rt_text subject)
{
    totals sum = {0};
    for (uint32_t i = 0; i < report->records.count; i++) {
        const cnf_record *record = &report->records.items[i];
        if (subject.length > 0 && !rt_text_equal(record->subject, subject)) continue;
        sum.outcomes[outcome_of(record)]++;
        sum.tests++;
        sum.seconds += record->seconds;
    }
    return sum;
}

static void write_totals(document *out, totals sum)
{
    rt_arena *arena = &out->arena;
    attribute(out, "tests", rt_arena_printf(arena, "%u", sum.tests));
    attribute(out, "failures", rt_arena_printf(arena, "%u", sum.outcomes[OUTCOME_FAILURE]));
    attribute(out, "errors", rt_arena_printf(arena, "%u", sum.outcomes[OUTCOME_ERROR]));
    attribute(out, "skipped", rt_arena_printf(arena, "%u", sum.outcomes[OUTCOME_SKIPPED]));
    attribute(out, "time", rt_arena_printf(arena, "%.6f", sum.seconds));
}

static void write_suite(document *out, const cnf_report *report, rt_text subject, rt_text name)
{
    totals sum = count(report, subject);
    if (sum.tests == 0) return;
    begin(out, "testsuite");
    attribute(out, "name", name);
    write_totals(out, sum);
    for (uint32_t i = 0; i < report->records.count; i++) {
        const cnf_record *record = &report->records.items[i];
        if (rt_text_equal(record->subject, subject)) write_case(out, report, record);
    }
    end(out);
}

static void write_suites(document *out, const cnf_report *report, const cnf_column *columns,
                         uint32_t column_count)
{
    begin(out, "testsuites");
    attribute(out, "name", RT_TEXT("assay"));
    write_totals(out, count(report, (rt_text){0}));
    for (uint32_t i = 0; i < column_count; i++)
        write_suite(out, report, columns[i].subject, columns[i].subject);
    write_suite(out, report, RT_TEXT("-"), RT_TEXT("scenarios"));
    end(out);
}

rt_status cnf_junit_write(rt_sink *sink, rt_buffer *out, cnf_report *report,
                          const cnf_column *columns, uint32_t column_count)
{
    xml_library xml;
    RT_TRY(library_open(sink, &xml));
    CHECK(xml.xmlBufferCreate);
    cnf_report_sort(report);
    xmlBufferPtr buffer = xml.xmlBufferCreate();
    document written = {.xml = &xml, .writer = xml.xmlNewTextWriterMemory(buffer, 0)};
    written.failed = !written.writer;
    if (!written.failed) {
        xml.xmlTextWriterSetIndent(written.writer, 1);
        written.failed = xml.xmlTextWriterStartDocument(written.writer, NULL, "UTF-8", NULL) < 0;
        write_suites(&written, report, columns, column_count);
        written.failed |= xml.xmlTextWriterEndDocument(written.writer) < 0;
        xml.xmlFreeTextWriter(written.writer); /* writes what it still holds */
        rt_buffer_append_text(out, rt_text_of((const char *)xml.xmlBufferContent(buffer)));
    }
    xml.xmlBufferFree(buffer);
    rt_arena_reset(&written.arena);
    if (!written.failed) return RT_STATUS_OK;
    return rt_fail(sink, RT_IO, RT_RULE_NONE, "libxml2 could not write the document");
}
