/* Reads expectation files, driven by tables. A file with a mistake is rejected before anything
 * runs, because a lost entry would turn a known failure into an unexplained one, or hide that the
 * failure has been fixed. */
#include "conformance/verdict/findings.h"
#include "reference/base/nearest.h"
#include "reference/base/number.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- Verdicts ------------------------------------------------------------------------------ */

static const cnf_verdict failing_verdicts[] = {CNF_VERDICT_CRASH, CNF_VERDICT_TIMEOUT,
                                               CNF_VERDICT_HANG};
static const scn_choice verdict_choices[] = {{"CRASH", true}, {"TIMEOUT", true}, {"HANG", true}};
_Static_assert(sizeof failing_verdicts / sizeof *failing_verdicts ==
                   sizeof verdict_choices / sizeof *verdict_choices,
               "a verdict for each word");
static const scn_shape shape_verdict = {
    .kind = SCN_SHAPE_CHOICE,
    .noun = "a verdict",
    SCN_CHOICES(verdict_choices),
};

/* ---- Entries ------------------------------------------------------------------------------- */

static bool signature_read(scn_reader *reader, const scn_node *node, void *out)
{
    uint32_t colons = 0;
    bool has_blank = false, has_star = false;
    for (size_t i = 0; node->kind == SCN_NODE_SCALAR && i < node->text.length; i++) {
        colons += node->text.data[i] == ':';
        has_blank = has_blank || isspace((unsigned char)node->text.data[i]);
        has_star = has_star || node->text.data[i] == '*';
    }
    /* A star matches any characters, so also whole parts of a signature. */
    if (has_blank || (has_star ? colons > 3 : colons != 3)) {
        return scn_report(reader->reporter, node->at,
                          "expected a signature as a failure prints it, "
                          "\"stage:class:code:place\", or a pattern with '*', found %s",
                          scn_node_describe(reader->arena, node));
    }
    memcpy(out, &node->text, sizeof node->text);
    return true;
}

/* True if the text is a version, such as 3.1, or empty. */
static bool is_version(rt_text text)
{
    while (text.length > 0) {
        uint64_t number;
        bool is_more = memchr(text.data, '.', text.length) != NULL;
        if (!rt_number_read(rt_text_take_until(&text, '.'), 0, UINT32_MAX, &number) ||
            (is_more && text.length == 0))
            return false;
    }
    return true;
}

static bool versions_read(scn_reader *reader, const scn_node *node, void *out)
{
    const rt_text text = node->kind == SCN_NODE_SCALAR ? node->text : (rt_text){0};
    const char *dots = text.length > 2 ? memmem(text.data, text.length, "..", 2) : NULL;
    const rt_text from = {text.data, dots ? (size_t)(dots - text.data) : 0};
    const rt_text to = dots ? rt_text_skip(text, from.length + 2) : (rt_text){0};
    if (!dots || !is_version(from) || !is_version(to)) {
        return scn_report(reader->reporter, node->at,
                          "expected a range of versions, \"3.1..6.0\", \"3.1..\" or \"..6.0\", "
                          "found %s",
                          scn_node_describe(reader->arena, node));
    }
    memcpy(out, &text, sizeof text);
    return true;
}

/* A date's form; that a month has this day is not checked. */
static bool date_read(scn_reader *reader, const scn_node *node, void *out)
{
    static const char form[] = "0000-00-00";
    bool is_date = node->kind == SCN_NODE_SCALAR && node->text.length == sizeof form - 1;
    for (size_t i = 0; is_date && i < sizeof form - 1; i++)
        is_date = form[i] == '-' ? node->text.data[i] == '-'
                                 : isdigit((unsigned char)node->text.data[i]) != 0;
    if (!is_date) {
        return scn_report(reader->reporter, node->at,
                          "expected a date such as 2026-11-28, found %s",
                          scn_node_describe(reader->arena, node));
    }
    memcpy(out, &node->text, sizeof node->text);
    return true;
}

static const scn_shape shape_memory = {.kind = SCN_SHAPE_TEXT, .noun = "the name of a memory"};
static const scn_shape shape_poisons = {
    .kind = SCN_SHAPE_LIST,
    .noun = "a list of memories",
    .element = &shape_memory,
    .element_size = sizeof(rt_text),
};

static const scn_shape shape_scenario = {.kind = SCN_SHAPE_TEXT,
                                         .noun = "the path of a scenario from the root"};
static const scn_shape shape_signature = {
    .kind = SCN_SHAPE_TEXT,
    .noun = "a signature",
    .pattern = "^([^:\\s]*:[^:\\s]*:[^:\\s]*:[^:\\s]*|(?=\\S*[*])[^:\\s]*(:[^:\\s]*){0,2})$",
    .read = signature_read,
};
static const scn_shape shape_versions = {
    .kind = SCN_SHAPE_TEXT,
    .noun = "a range of versions",
    .pattern = "^([0-9]+(\\.[0-9]+)*)?\\.\\.([0-9]+(\\.[0-9]+)*)?$",
    .read = versions_read,
};
static const scn_shape shape_date = {
    .kind = SCN_SHAPE_TEXT,
    .noun = "a date",
    .pattern = "^[0-9]{4}-[0-9]{2}-[0-9]{2}$",
    .read = date_read,
};
static const scn_shape shape_flaky = {SCN_TRUTH("whether the scenario sometimes passes")};
static const scn_shape shape_bound = {SCN_INTEGER("a percentage", 1, 100)};
static const scn_shape shape_driver = {.kind = SCN_SHAPE_TEXT, .noun = "a part of a driver's text"};
static const scn_shape shape_reason = {.kind = SCN_SHAPE_TEXT, .noun = "a sentence or two"};
static const scn_shape shape_finding = {.kind = SCN_SHAPE_TEXT, .noun = "the id of a finding"};

static const scn_row entry_rows[] = {
    {"scenario", &shape_scenario, SCN_REQUIRED, SCN_FIELD(cnf_expectation, scenario),
     "The path of the scenario from the scenarios' root; `*` matches any characters."},
    {"signature", &shape_signature, 0, SCN_FIELD(cnf_expectation, signature),
     "The signature that the failure prints; `*` matches any characters."},
    {"verdict", &shape_verdict, 0, SCN_FIELD(cnf_expectation, verdict),
     "The verdict, if no signature is reliable."},
    {"poisons", &shape_poisons, 0, SCN_ITEMS(cnf_expectation, poisons, poison_count),
     "The memories that the failure spoils: checks that depend on one of them and fail later need "
     "no entry."},
    {"driver", &shape_driver, 0, SCN_FIELD(cnf_expectation, driver),
     "A part of the driver's text; without it, the entry applies to every driver."},
    {"versions", &shape_versions, 0, SCN_FIELD(cnf_expectation, versions),
     "The driver's versions, FROM..TO: of the first number in its text after `driver`."},
    {"flaky", &shape_flaky, 0, SCN_FIELD(cnf_expectation, is_flaky),
     "True if the scenario also passes."},
    {"bound", &shape_bound, 0, SCN_FIELD(cnf_expectation, bound_percent),
     "The percentage of attempts that fail at most."},
    {"since", &shape_date, 0, SCN_FIELD(cnf_expectation, since), "When the entry was written."},
    {"finding", &shape_finding, 0, SCN_FIELD(cnf_expectation, finding),
     "The id of the finding that the failure shows; its record has the class and the reason."},
    {"class", &cnf_class_shape, 0, SCN_FIELD(cnf_expectation, class),
     "What kind of deviation it is, if no finding says so."},
    {"reason", &shape_reason, 0, SCN_FIELD(cnf_expectation, reason),
     "What goes wrong, in one or two sentences; with a finding, how it causes this failure."},
    {"reference", &cnf_reference_shape, 0, SCN_FIELD(cnf_expectation, reference),
     "The deciding rule or document."},
};
static const scn_relation entry_relations[] = {
    {"finding",
     SCN_BARS,
     {"class", "reference"},
     "'class' and 'reference' come from the record of the finding; remove them here"},
    {"flaky", SCN_NEEDS, {"bound"}, NULL},
    {"bound", SCN_NEEDS, {"flaky"}, NULL},
};
static const scn_shape shape_entry_object = {
    .kind = SCN_SHAPE_OBJECT,
    .noun = "an entry",
    SCN_ROWS(entry_rows),
    SCN_RELATIONS(entry_relations),
};

static bool entry_read(scn_reader *reader, const scn_node *node, void *out)
{
    cnf_expectation *entry = out;
    entry->at = node->at;
    if (!scn_object_read(reader, &shape_entry_object, node, entry)) return false;
    bool has_verdict = scn_node_entry(node, "verdict") != NULL;
    entry->verdict = has_verdict ? failing_verdicts[entry->verdict] : CNF_VERDICT_COUNT;
    if (entry->signature.length == 0 && !has_verdict) {
        return scn_report(reader->reporter, entry->at,
                          "an entry needs 'signature' or 'verdict': how the scenario fails");
    }
    if (entry->finding.length > 0) return true;
    bool is_untriaged = scn_node_entry(node, "class") && entry->class == CNF_CLASS_UNTRIAGED;
    if (is_untriaged && entry->since.length == 0) {
        return scn_report(reader->reporter, entry->at,
                          "an entry of class 'untriaged' needs 'since': the day on which it was "
                          "written");
    }
    if (is_untriaged) return true;
    if (!scn_node_entry(node, "class") || entry->reason.length == 0) {
        return scn_report(reader->reporter, entry->at,
                          "an entry needs 'finding', or 'class' and 'reason'");
    }
    if (cnf_class_accuses(entry->class)) {
        return scn_report(reader->reporter, entry->at,
                          "class '%s' needs 'finding': the id of a record in the folder 'findings' "
                          "next to this file, whose reproduction shows the failure without "
                          "assay's runtime",
                          cnf_class_word(entry->class));
    }
    if (entry->class == CNF_CLASS_PERMITTED_DIVERGENCE && has_verdict) {
        return scn_report(reader->reporter, entry->at,
                          "a crash or hang is not a permitted divergence; its class is "
                          "'crash-or-hang'");
    }
    return true;
}

/* ---- Files --------------------------------------------------------------------------------- */

/* A file being read. */
typedef struct expectation_file {
    rt_text subject;
    const cnf_expectation *entries;
    uint32_t entry_count;
} expectation_file;

static bool version_read(scn_reader *reader, const scn_node *node, void *out)
{
    (void)out;
    return cnf_version_read(reader, node, "assay_expectations");
}

static const scn_shape shape_version = {
    SCN_INTEGER("the format version", 1, 1),
    .read = version_read,
};
static const scn_shape shape_subject = {.kind = SCN_SHAPE_TEXT, .noun = "the name of a subject"};
static const scn_shape shape_entry = {
    .kind = SCN_SHAPE_OTHER,
    .noun = "an entry",
    .read = entry_read,
    .alternatives = {&shape_entry_object},
};
static const scn_shape shape_entries = {
    .kind = SCN_SHAPE_LIST,
    .noun = "the list of entries",
    .element = &shape_entry,
    .element_size = sizeof(cnf_expectation),
};
static const scn_row file_rows[] = {
    {"assay_expectations", &shape_version, SCN_REQUIRED, SCN_NOWHERE, "The version, 1."},
    {"subject", &shape_subject, SCN_REQUIRED, SCN_FIELD(expectation_file, subject),
     "The subject that the entries are about."},
    {"entries", &shape_entries, SCN_REQUIRED, SCN_ITEMS(expectation_file, entries, entry_count),
     "What is known to go wrong."},
};
const scn_shape cnf_expectation_file_shape = {
    .kind = SCN_SHAPE_OBJECT,
    .noun = "an expectation file",
    SCN_ROWS(file_rows),
};

/* The state of reading all files. */
typedef struct expectation_reader {
    cnf_expectations *out;
    const rt_text *subjects;
    uint32_t subject_count;
    rt_text deterministic;             /* the subject whose runs do not differ */
    RT_VECTOR(cnf_finding) findings;   /* the records of all folders; ids with the component */
    const cnf_files *files;            /* the selected scenarios */
    RT_VECTOR(rt_text) roots;          /* their roots, without duplicates */
    bool is_of_root;                   /* the folder being read belongs to one of the roots */
    const cnf_packed_scenario *packed; /* the pack's first scenario; NULL if there is no pack */
    rt_sink *sink;
    rt_buffer *problems;
    bool is_valid;
} expectation_reader;

static void file_problem(expectation_reader *reader, rt_text file, const scn_problem *problem)
{
    reader->is_valid = false;
    scn_problem_write(reader->problems, file, problem);
}

static bool path_exists(rt_arena *arena, rt_text folder, rt_text path)
{
    rt_text whole = folder.length == 0 ? rt_arena_text(arena, path)
                                       : rt_arena_printf(arena, "%.*s/%.*s", RT_TEXT_ARG(folder),
                                                         RT_TEXT_ARG(path));
    struct stat info;
    return stat(whole.data, &info) == 0 && S_ISREG(info.st_mode);
}

/* The length of the folder part of a path, for example of "scenarios/expectations" in
 * "scenarios/expectations/pocl.yaml". */
static size_t folder_length(rt_text file)
{
    const char *slash = memrchr(file.data, '/', file.length);
    CHECK(slash);
    return (size_t)(slash - file.data);
}

/* A subject with driver options, such as "intel-cpu{A=1}", is a separate subject, but its file is
 * named after the part before the brace. */
static bool subject_check(const expectation_reader *reader, scn_reporter *reporter, rt_text file,
                          const scn_node *root, rt_text subject)
{
    scn_position at = scn_node_entry(root, "subject")->value.at;
    const char *brace = memchr(subject.data, '{', subject.length);
    rt_text name = {subject.data, brace ? (size_t)(brace - subject.data) : subject.length};
    rt_nearest nearest = rt_nearest_to(name);
    bool known = false;
    for (uint32_t i = 0; i < reader->subject_count; i++) {
        known = known || rt_text_equal(reader->subjects[i], name);
        rt_nearest_offer(&nearest, reader->subjects[i]);
    }
    if (!known) {
        return scn_report(reporter, at, "unknown subject '%s'%s",
                          scn_excerpt(reporter->arena, name),
                          scn_nearest_hint(reporter->arena, &nearest));
    }
    /* For example "pocl" in "scenarios/expectations/pocl.yaml" */
    size_t folder = folder_length(file) + 1;
    CHECK(file.length > folder + strlen(".yaml"));
    rt_text stem = {file.data + folder, file.length - folder - strlen(".yaml")};
    if (rt_text_equal(stem, name)) return true;
    return scn_report(reporter, at, "the entries of subject '%s' belong in the file %s.yaml",
                      scn_excerpt(reporter->arena, name), scn_excerpt(reporter->arena, name));
}

/* The record with that id; NULL if there is none. */
static const cnf_finding *finding_find(const expectation_reader *reader, rt_text id)
{
    for (uint32_t i = 0; i < reader->findings.count; i++)
        if (rt_text_equal(reader->findings.items[i].id, id)) return &reader->findings.items[i];
    return NULL;
}

/* Sets what the entry takes from the record that it names. */
static void finding_apply(const expectation_reader *reader, scn_reporter *reporter,
                          cnf_expectation *entry)
{
    rt_arena *arena = reporter->arena;
    const cnf_finding *finding = finding_find(reader, entry->finding);
    if (!finding) {
        rt_nearest nearest = rt_nearest_to(entry->finding);
        for (uint32_t i = 0; i < reader->findings.count; i++)
            rt_nearest_offer(&nearest, reader->findings.items[i].id);
        scn_report(reporter, entry->at, "unknown finding '%s'%s",
                   scn_excerpt(arena, entry->finding), scn_nearest_hint(arena, &nearest));
    } else if (finding->class == CNF_CLASS_PERMITTED_DIVERGENCE &&
               entry->verdict != CNF_VERDICT_COUNT) {
        scn_report(reporter, entry->at,
                   "a crash or hang is not a permitted divergence, which finding '%s' is",
                   scn_excerpt(arena, entry->finding));
    } else {
        bool has_more = entry->reason.length > 0;
        entry->class = finding->class;
        entry->reference = finding->reference;
        entry->reason = rt_arena_printf(arena, "%.*s.%s%.*s", RT_TEXT_ARG(finding->title),
                                        has_more ? " " : "", RT_TEXT_ARG(entry->reason));
    }
}

/* True if a scenario of the run, of its pack or below one of its roots has the entry's path. */
static bool scenario_exists(const expectation_reader *reader, const cnf_expectation *entry)
{
    rt_arena *arena = &reader->out->arena;
    const cnf_pack *pack = reader->packed ? reader->packed->pack : NULL;
    for (uint32_t i = 0; pack && i < pack->count; i++)
        if (cnf_pattern_matches(entry->scenario, pack->scenarios[i].path)) return true;
    for (uint32_t i = 0; i < reader->files->count; i++)
        if (cnf_pattern_matches(entry->scenario, reader->files->items[i].path)) return true;
    bool is_pattern = memchr(entry->scenario.data, '*', entry->scenario.length) != NULL;
    for (uint32_t i = 0; i < reader->roots.count; i++) {
        const rt_text root = reader->roots.items[i];
        if (!is_pattern && path_exists(arena, root, entry->scenario)) return true;
        cnf_files all = {0};
        const rt_text folder = root.length > 0 ? root : RT_TEXT(".");
        if (is_pattern && !rt_ok(cnf_files_find(reader->sink, arena, &folder, 1, &all)))
            return true;
        for (uint32_t k = 0; k < all.count; k++)
            if (cnf_pattern_matches(entry->scenario, all.items[k].path)) return true;
    }
    return false;
}

/* True if the subject, without driver options, is the one whose runs do not differ. */
static bool is_deterministic(const expectation_reader *reader, rt_text subject)
{
    rt_text rest = subject;
    return rt_text_equal(rt_text_take_until(&rest, '{'), reader->deterministic);
}

/* The scenario of the run that the entry would be about if its path began in another folder; empty
 * if there is none, or if several scenarios could be meant. */
static rt_text same_ending_find(const expectation_reader *reader, rt_text path)
{
    rt_text found = {0};
    for (uint32_t i = 0; i < reader->files->count; i++) {
        const rt_text other = reader->files->items[i].path;
        const rt_text longer = other.length > path.length ? other : path;
        const rt_text shorter = other.length > path.length ? path : other;
        const size_t more = longer.length - shorter.length;
        if (more < 2 || longer.data[more - 1] != '/' ||
            !rt_text_equal(rt_text_skip(longer, more), shorter))
            continue;
        if (found.length > 0) return (rt_text){0};
        found = other;
    }
    return found;
}

static void entry_add(expectation_reader *reader, scn_reporter *reporter, rt_text file,
                      rt_text subject, const cnf_expectation *read)
{
    rt_arena *arena = &reader->out->arena;
    cnf_expectation *entry = rt_vector_push(&reader->out->entries);
    *entry = *read;
    entry->file = file;
    entry->subject = subject;
    if (entry->finding.length > 0) finding_apply(reader, reporter, entry);
    if (entry->is_flaky && is_deterministic(reader, subject))
        scn_report(reporter, entry->at,
                   "subject '%s' is deterministic, so no entry of it is flaky; remove 'flaky' and "
                   "'bound'",
                   scn_excerpt(arena, subject));
    if (scenario_exists(reader, entry)) return;
    const rt_text other = same_ending_find(reader, entry->scenario);
    if (other.length > 0 && !reader->is_of_root) {
        entry->state = CNF_ENTRY_OTHER_FOLDER;
        entry->note = other;
        return;
    }
    /* Without scenarios, as in an empty shard, nothing is known about entries. */
    rt_nearest nearest = rt_nearest_to(entry->scenario);
    for (uint32_t i = 0; i < reader->files->count; i++)
        rt_nearest_offer(&nearest, reader->files->items[i].path);
    rt_buffer hint = {0};
    bool has_hint = rt_nearest_suggest(&nearest, &hint);
    bool is_mistyped = has_hint && nearest.distance <= RT_NEAREST_TYPO_MAX;
    if (reader->files->count > 0) entry->state = CNF_ENTRY_NO_SCENARIO;
    if (is_mistyped || (reader->is_of_root && reader->files->count > 0)) {
        entry->state = CNF_ENTRY_UNUSED;
        entry->note = rt_arena_printf(arena, "there is no such scenario%s",
                                      is_mistyped ? rt_buffer_string(&hint) : "; remove the entry");
    }
    rt_buffer_free(&hint);
}

/* Adds the records of a file, whose name is the component. */
static void findings_add(expectation_reader *reader, scn_reporter *reporter, rt_text file,
                         const cnf_finding_file *read)
{
    size_t folder = folder_length(file) + 1;
    const rt_text component = {file.data + folder, file.length - folder - strlen(".yaml")};
    for (uint32_t i = 0; i < read->finding_count; i++) {
        cnf_finding finding = read->findings[i];
        finding.id = rt_arena_printf(reporter->arena, "%.*s/%.*s", RT_TEXT_ARG(component),
                                     RT_TEXT_ARG(finding.id));
        if (finding_find(reader, finding.id)) {
            scn_report(reporter, finding.at, "there is another finding '%s'",
                       scn_excerpt(reporter->arena, finding.id));
        }
        *rt_vector_push(&reader->findings) = finding;
    }
}

static void file_read(expectation_reader *reader, rt_text file, bool has_findings)
{
    rt_buffer content;
    rt_status status = cnf_file_read(reader->sink, file, RT_SCENARIO_SIZE_MAX, &content);
    if (!rt_ok(status)) {
        reader->is_valid = false;
        rt_buffer_printf(reader->problems, "%.*s\n",
                         RT_TEXT_ARG(rt_sink_diagnostic(reader->sink, status)->message));
        return;
    }
    scn_reporter reporter = {.arena = &reader->out->arena};
    scn_reader fields = {.reporter = &reporter, .arena = reporter.arena};
    expectation_file read = {0};
    cnf_finding_file findings = {0};
    const scn_node *root =
        scn_yaml_read(&reporter, rt_arena_text(reporter.arena, rt_buffer_text(&content)));
    rt_buffer_free(&content);
    const scn_shape *shape = has_findings ? &cnf_finding_file_shape : &cnf_expectation_file_shape;
    void *out = has_findings ? (void *)&findings : &read;
    bool whole = root && scn_object_read(&fields, shape, root, out);
    rt_vector_free(&fields.fields);
    if (whole && has_findings) {
        findings_add(reader, &reporter, file, &findings);
    } else if (whole && subject_check(reader, &reporter, file, root, read.subject)) {
        for (uint32_t i = 0; i < read.entry_count; i++)
            entry_add(reader, &reporter, file, read.subject, &read.entries[i]);
    }
    scn_problems problems = scn_reporter_finish(&reporter);
    CHECK_IMPLIES(!whole, problems.count > 0);
    for (uint32_t i = 0; i < problems.count; i++)
        file_problem(reader, file, &problems.items[i]);
}

static int is_expectation_file(const struct dirent *entry)
{
    size_t length = strlen(entry->d_name);
    return entry->d_name[0] != '.' && length > 5 &&
           strcmp(entry->d_name + length - 5, ".yaml") == 0;
}

/* Reads the folder's files, of entries or of findings, in the order of their names. The folder may
 * be missing unless it is required. */
static void folder_read(expectation_reader *reader, rt_text folder, bool has_findings, bool needed)
{
    rt_arena *arena = &reader->out->arena;
    struct dirent **names;
    int count = scandir(rt_arena_text(arena, folder).data, &names, is_expectation_file, alphasort);
    if (count < 0 && (needed || errno != ENOENT)) {
        reader->is_valid = false;
        rt_buffer_printf(reader->problems, "%.*s: cannot be read: %s\n", RT_TEXT_ARG(folder),
                         strerror(errno));
    }
    for (int i = 0; i < count; i++) {
        file_read(reader, rt_arena_printf(arena, "%.*s/%s", RT_TEXT_ARG(folder), names[i]->d_name),
                  has_findings);
        free(names[i]); /* allocated by scandir */
    }
    if (count >= 0) free(names);
}

/* ---- Reading all of them ------------------------------------------------------------------- */

/* Collects the roots of the files, as paths relative to the current folder like the files' own; an
 * empty path is the current folder itself. */
static void roots_collect(expectation_reader *reader, const cnf_files *files)
{
    rt_arena *arena = &reader->out->arena;
    for (uint32_t i = 0; i < files->count; i++) {
        rt_text name = files->items[i].file, path = files->items[i].path;
        if (name.length < path.length ||
            memcmp(name.data + name.length - path.length, path.data, path.length) != 0) {
            char *real = realpath(rt_arena_text(arena, name).data, NULL);
            name = rt_arena_text(arena, rt_text_of(real));
            free(real); /* allocated by the C library */
        }
        size_t above = name.length > path.length ? name.length - path.length - 1 : 0;
        bool is_top = above == 0 && rt_text_starts(name, "/");
        rt_text root = {name.data, is_top ? 1 : above};
        bool known = false;
        for (uint32_t k = 0; k < reader->roots.count && !known; k++)
            known = rt_text_equal(reader->roots.items[k], root);
        if (!known) *rt_vector_push(&reader->roots) = root;
    }
    CHECK(reader->roots.count <= files->count);
}

/* Reports each pair of entries that name the same failure. */
static void duplicates_check(expectation_reader *reader)
{
    const cnf_expectation *entries = reader->out->entries.items;
    for (uint32_t i = 0; i < reader->out->entries.count; i++) {
        for (uint32_t k = 0; k < i; k++) {
            if (!rt_text_equal(entries[i].scenario, entries[k].scenario) ||
                !rt_text_equal(entries[i].subject, entries[k].subject) ||
                !rt_text_equal(entries[i].driver, entries[k].driver) ||
                !rt_text_equal(entries[i].signature, entries[k].signature))
                continue;
            const scn_problem problem = {
                entries[i].at,
                rt_arena_printf(&reader->out->arena,
                                "the entry at %.*s:%u is about the same failure and driver",
                                RT_TEXT_ARG(entries[k].file), entries[k].at.line)};
            file_problem(reader, entries[i].file, &problem);
        }
    }
}

/* True if both paths lead to one folder. */
static bool folders_are_same(rt_arena *arena, rt_text a, rt_text b)
{
    struct stat left, right;
    return stat(rt_arena_text(arena, a).data, &left) == 0 &&
           stat(rt_arena_text(arena, b).data, &right) == 0 && left.st_dev == right.st_dev &&
           left.st_ino == right.st_ino;
}

bool cnf_expectations_read(cnf_expectations *expectations, const cnf_files *files,
                           const rt_text *folders, uint32_t folder_count, const rt_text *subjects,
                           uint32_t subject_count, rt_text deterministic, rt_buffer *out_problems)
{
    expectation_reader reader = {.out = expectations,
                                 .files = files,
                                 .subjects = subjects,
                                 .subject_count = subject_count,
                                 .deterministic = deterministic,
                                 .sink = rt_sink_create(),
                                 .problems = out_problems,
                                 .is_valid = true};
    if (files->count > 0) reader.packed = files->items[0].packed;
    if (reader.packed) {
        rt_status status =
            cnf_expectations_unpack(reader.sink, expectations, reader.packed->pack->expectations);
        reader.is_valid = rt_ok(status);
        if (!reader.is_valid)
            rt_buffer_printf(out_problems, "assay: %.*s\n",
                             RT_TEXT_ARG(rt_sink_diagnostic(reader.sink, status)->message));
    } else {
        roots_collect(&reader, files);
    }
    RT_VECTOR(rt_text) all = {0};
    for (uint32_t i = 0; i < reader.roots.count; i++) {
        rt_text root = reader.roots.items[i];
        *rt_vector_push(&all) = rt_arena_printf(&expectations->arena, "%.*s%sexpectations",
                                                RT_TEXT_ARG(root), root.length > 0 ? "/" : "");
    }
    for (uint32_t i = 0; i < folder_count; i++) {
        bool is_known = false;
        for (uint32_t k = 0; k < all.count && !is_known; k++)
            is_known = folders_are_same(&expectations->arena, all.items[k], folders[i]);
        if (!is_known) *rt_vector_push(&all) = folders[i];
    }
    for (uint32_t i = 0; i < all.count; i++) {
        rt_text folder =
            rt_arena_printf(&expectations->arena, "%.*s/findings", RT_TEXT_ARG(all.items[i]));
        folder_read(&reader, folder, true, false);
    }
    for (uint32_t i = 0; i < all.count; i++) {
        reader.is_of_root = i < reader.roots.count;
        folder_read(&reader, all.items[i], false, !reader.is_of_root);
    }
    rt_vector_free(&all);
    rt_vector_free(&reader.findings);
    duplicates_check(&reader);
    rt_vector_free(&reader.roots);
    rt_sink_destroy(reader.sink);
    return reader.is_valid;
}
