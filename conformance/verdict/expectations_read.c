/* Reads expectation files, driven by tables. A file with a mistake is rejected before anything
 * runs, because a lost entry would turn a known failure into an unexplained one, or hide that the
 * failure has been fixed. */
#include "conformance/verdict/findings.h"

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
    bool blank = false;
    for (size_t i = 0; node->kind == SCN_NODE_SCALAR && i < node->text.length; i++) {
        colons += node->text.data[i] == ':';
        blank = blank || isspace((unsigned char)node->text.data[i]);
    }
    if (colons != 3 || blank) {
        return scn_report(reader->reporter, node->at,
                          "expected a signature as a failure prints it, "
                          "\"stage:class:code:place\", found %s",
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
    .kind = SCN_SHAPE_OTHER, .noun = "a signature", .read = signature_read};
static const scn_shape shape_driver = {.kind = SCN_SHAPE_TEXT, .noun = "a part of a driver's text"};
static const scn_shape shape_reason = {.kind = SCN_SHAPE_TEXT, .noun = "a sentence or two"};
static const scn_shape shape_finding = {.kind = SCN_SHAPE_TEXT, .noun = "the id of a finding"};

static const scn_row entry_rows[] = {
    {"scenario", &shape_scenario, SCN_REQUIRED, SCN_FIELD(cnf_expectation, scenario),
     "The path of the scenario from the scenarios' root."},
    {"signature", &shape_signature, 0, SCN_FIELD(cnf_expectation, signature),
     "The signature that the failure prints."},
    {"verdict", &shape_verdict, 0, SCN_FIELD(cnf_expectation, verdict),
     "The verdict, if no signature is reliable."},
    {"poisons", &shape_poisons, 0, SCN_ITEMS(cnf_expectation, poisons, poison_count),
     "The memories that the failure spoils: checks that depend on one of them and fail later need "
     "no entry."},
    {"driver", &shape_driver, 0, SCN_FIELD(cnf_expectation, driver),
     "A part of the driver's text; without it, the entry applies to every driver."},
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
    .kind = SCN_SHAPE_OTHER, .noun = "the format version", .read = version_read};
static const scn_shape shape_subject = {.kind = SCN_SHAPE_TEXT, .noun = "the name of a subject"};
static const scn_shape shape_entry = {
    .kind = SCN_SHAPE_OTHER, .noun = "an entry", .read = entry_read};
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
static const scn_shape shape_file = {
    .kind = SCN_SHAPE_OBJECT,
    .noun = "an expectation file",
    SCN_ROWS(file_rows),
};

/* The state of reading all files. */
typedef struct expectation_reader {
    cnf_expectations *out;
    const rt_text *subjects;
    uint32_t subject_count;
    RT_VECTOR(cnf_finding) findings;   /* the records of all folders; ids with the component */
    RT_VECTOR(rt_text) roots;          /* roots of the selected scenarios, without duplicates */
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

static void entry_add(expectation_reader *reader, scn_reporter *reporter, rt_text file,
                      rt_text subject, const cnf_expectation *read)
{
    rt_arena *arena = &reader->out->arena;
    cnf_expectation *entry = rt_vector_push(&reader->out->entries);
    *entry = *read;
    entry->file = file;
    entry->subject = subject;
    if (entry->finding.length > 0) finding_apply(reader, reporter, entry);
    /* Checks that the scenario is in the pack, or below one of the roots. */
    bool exists = false;
    const cnf_pack *pack = reader->packed ? reader->packed->pack : NULL;
    for (uint32_t i = 0; pack && i < pack->count && !exists; i++)
        exists = rt_text_equal(pack->scenarios[i].path, entry->scenario);
    for (uint32_t i = 0; i < reader->roots.count && !exists; i++)
        exists = path_exists(arena, reader->roots.items[i], entry->scenario);
    if (exists) return;
    entry->state = CNF_ENTRY_UNUSED;
    entry->note = RT_TEXT("there is no such scenario");
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
    const scn_shape *shape = has_findings ? &cnf_finding_file_shape : &shape_file;
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

bool cnf_expectations_read(cnf_expectations *expectations, const cnf_files *files,
                           const rt_text *folders, uint32_t folder_count, const rt_text *subjects,
                           uint32_t subject_count, rt_buffer *out_problems)
{
    expectation_reader reader = {.out = expectations,
                                 .subjects = subjects,
                                 .subject_count = subject_count,
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
    for (uint32_t i = 0; i < folder_count; i++)
        *rt_vector_push(&all) = folders[i];
    for (uint32_t i = 0; i < all.count; i++) {
        rt_text folder =
            rt_arena_printf(&expectations->arena, "%.*s/findings", RT_TEXT_ARG(all.items[i]));
        folder_read(&reader, folder, true, false);
    }
    for (uint32_t i = 0; i < all.count; i++)
        folder_read(&reader, all.items[i], false, i >= reader.roots.count);
    rt_vector_free(&all);
    rt_vector_free(&reader.findings);
    duplicates_check(&reader);
    rt_vector_free(&reader.roots);
    rt_sink_destroy(reader.sink);
    return reader.is_valid;
}
