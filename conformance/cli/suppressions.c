/* Reads files of suppressions, driven by tables. */
#include "conformance/cli/suppressions.h"

#include "conformance/cli/commands.h"
#include "conformance/verdict/findings.h"
#include "reference/base/stream.h"

/* ---- Classes ------------------------------------------------------------------------------- */

const char *cnf_finding_class(uint32_t index, const char **out_description)
{
    static const struct {
        const char *word, *description;
    } rows[] = {
        {"out-of-bounds", "A kernel accesses bytes outside its memory."},
        {"use-after-free", "A kernel accesses memory that has been freed."},
        {"null-pointer", "A kernel accesses memory through a null pointer."},
        {"misaligned", "An address lacks the alignment that the access promises."},
        {"write-to-constant", "A kernel stores to constant memory."},
        {"access-mode", "A kernel stores to a buffer that it may only read, or the reverse."},
        {"uninitialised", "A value that was never written decides what a kernel does."},
        {"array-overrun", "An access leaves its array inside a larger object."},
        {"race", "Two work-items access a byte, one of them writing, and nothing orders them."},
        {"same-value-race", "A race whose writes all store the value that is there already."},
        {"command-race",
         "Two commands access a byte, one of them writing, and nothing orders them."},
        {"copy-misuse", "Work-items disagree about an asynchronous copy or its events."},
        {"unwaited-copy", "A work-group ends without waiting for its asynchronous copy."},
        {"divergent-barrier", "Not all work-items of a group reach a barrier."},
        {"subgroup-misuse", "Not all work-items of a sub-group take part in its operation."},
        {"wrong-call-target", "A call through a pointer that does not lead to such a function."},
        {"undeclared-call", "A virtual call outside the sets that the kernel declares."},
        {"undefined-arithmetic", "An operation without a defined result, whose result is used."},
        {"unreachable", "Code runs that the compiler assumed to be unreachable."},
        {"stack-exhausted", "Calls or private variables without bound."},
        {"budget", "A kernel does not end."},
        {"use-after-release", "The program uses an object after its last release."},
        {"mapped-buffer", "A command uses a memory object that is mapped."},
        {"host-memory-overlap", "A command uses two buffers whose memory of the host overlaps."},
        {"unset-user-event", "An object is released while a command waits for a user event."},
        {"call-in-callback", "A callback makes a call that blocks or creates a context or queue."},
        {"invalid-free", "The program frees what is not the start of an allocation."},
    };
    if (index >= sizeof rows / sizeof *rows) return NULL;
    if (out_description) *out_description = rows[index].description;
    return rows[index].word;
}

static const char *class_word(uint32_t index)
{
    return cnf_finding_class(index, NULL);
}

/* ---- Files --------------------------------------------------------------------------------- */

typedef struct suppression_file {
    const cnf_suppression *entries;
    uint32_t entry_count;
} suppression_file;

static const scn_shape shape_class = {SCN_WORD("a class of findings", class_word)};
static const scn_shape shape_kernel = {SCN_TEXT("the name of a kernel")};
static const scn_shape shape_file = {SCN_TEXT("the name of a file")};
static const scn_shape shape_reason = {SCN_TEXT("a sentence or two")};

static const scn_row entry_rows[] = {
    {"class", &shape_class, 0, SCN_FIELD(cnf_suppression, class), "The class of the finding."},
    {"kernel", &shape_kernel, 0, SCN_FIELD(cnf_suppression, kernel),
     "The name of the kernel; `*` matches any characters."},
    {"file", &shape_file, 0, SCN_FIELD(cnf_suppression, file),
     "The source of the kernel, or the program or library that made the call."},
    {"reason", &shape_reason, SCN_REQUIRED, SCN_FIELD(cnf_suppression, reason),
     "Why the finding is not to be reported."},
};
static const scn_shape shape_entry_object = {SCN_OBJECT("an entry", entry_rows)};

static bool entry_read(scn_reader *reader, const scn_node *node, void *out)
{
    cnf_suppression *entry = out;
    entry->at = node->at;
    if (!scn_object_read(reader, &shape_entry_object, node, entry)) return false;
    if (entry->reason.length == 0)
        return scn_report(reader->reporter, node->at,
                          "an entry needs a reason: why the finding is not to be reported");
    if (entry->class.length > 0 || entry->kernel.length > 0 || entry->file.length > 0) return true;
    return scn_report(reader->reporter, node->at,
                      "an entry needs 'class', 'kernel' or 'file': what it suppresses");
}

static bool version_read(scn_reader *reader, const scn_node *node, void *out)
{
    (void)out;
    return cnf_version_read(reader, node, "assay_suppressions");
}

static const scn_shape shape_version = {SCN_INTEGER("the format version", 1, 1),
                                        .read = version_read};
static const scn_shape shape_entry = {
    .kind = SCN_SHAPE_OTHER,
    .noun = "an entry",
    .read = entry_read,
    .alternatives = {&shape_entry_object},
};
static const scn_shape shape_entries = {
    SCN_LIST("the list of entries", cnf_suppression, &shape_entry)};
static const scn_row file_rows[] = {
    {"assay_suppressions", &shape_version, SCN_REQUIRED, SCN_NOWHERE, "The version, 1."},
    {"entries", &shape_entries, SCN_REQUIRED, SCN_ITEMS(suppression_file, entries, entry_count),
     "What is suppressed."},
};
static const scn_shape shape_whole = {SCN_OBJECT("a file of suppressions", file_rows)};

bool cnf_suppressions_read(rt_sink *sink, rt_arena *arena, const char *file,
                           cnf_suppressions *out_suppressions)
{
    rt_buffer content;
    rt_text name = rt_text_of(file);
    *out_suppressions = (cnf_suppressions){0};
    rt_status status = cnf_file_read(sink, name, RT_SCENARIO_SIZE_MAX, &content);
    if (!rt_ok(status)) {
        cnf_command_fail(sink, status, RT_TEXT("--suppressions"));
        return false;
    }
    scn_reporter reporter = {.arena = arena};
    scn_reader fields = {.reporter = &reporter, .arena = arena};
    suppression_file read = {0};
    const scn_node *root = scn_yaml_read(&reporter, rt_arena_text(arena, rt_buffer_text(&content)));
    rt_buffer_free(&content);
    bool is_read = root && scn_object_read(&fields, &shape_whole, root, &read);
    rt_vector_free(&fields.fields);
    scn_problems problems = scn_reporter_finish(&reporter);
    CHECK_IMPLIES(!is_read, problems.count > 0);
    rt_buffer text = {0};
    scn_problems_write(&text, name, &problems);
    if (text.size > 0) fputs(rt_buffer_string(&text), stderr);
    rt_buffer_free(&text);
    if (!is_read) return false;
    cnf_suppression *items = rt_arena_alloc(arena, (read.entry_count + 1) * sizeof *items);
    for (uint32_t i = 0; i < read.entry_count; i++) {
        items[i] = read.entries[i];
        items[i].entry = rt_arena_printf(arena, "%s:%u", file, items[i].at.line);
    }
    *out_suppressions = (cnf_suppressions){items, read.entry_count};
    return true;
}

void cnf_suppressions_write(const cnf_suppressions *suppressions, rt_buffer *out)
{
    rt_write_u32(out, suppressions->count);
    for (uint32_t i = 0; i < suppressions->count; i++) {
        const cnf_suppression *item = &suppressions->items[i];
        rt_write_text(out, item->entry);
        rt_write_text(out, item->reason);
        rt_write_text(out, item->class);
        rt_write_text(out, item->kernel);
        rt_write_text(out, item->file);
    }
}
