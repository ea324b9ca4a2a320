/* Reads expectation files, driven by tables. A file with a mistake is rejected before anything
 * runs, because a lost entry would turn a known failure into an unexplained one, or hide that the
 * failure has been fixed. */
#include "conformance/verdict/expectations.h"

#include "conformance/scenario/schema/schema.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- Classes and verdicts ------------------------------------------------------------------ */

static const scn_choice class_choices[] = {
#define CLASS_CHOICE(class, word, text) [CNF_CLASS_##class] = {word, true},
    CNF_CLASSES(CLASS_CHOICE)
#undef CLASS_CHOICE
};
static const scn_shape shape_class = {
    .kind = SCN_SHAPE_CHOICE,
    .noun = "a class",
    SCN_CHOICES(class_choices),
};

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

static const scn_shape shape_reference_text = {
    .kind = SCN_SHAPE_TEXT,
    .noun = "the deciding rule or document",
};

/* Reads any text, but each word that has the form of a rule id, such as "DL-RESOLVE-09", must be a
 * rule. */
static bool reference_read(scn_reader *reader, const scn_node *node, void *out)
{
    if (!scn_value_read(reader, &shape_reference_text, node, out)) return false;
    bool is_valid = true;
    rt_text rest = node->text;
    while (rest.length > 0) {
        uint32_t dashes = 0;
        rt_text word = {rest.data, 0};
        for (; word.length < rest.length; word.length++) {
            unsigned char letter = (unsigned char)rest.data[word.length];
            if (!isupper(letter) && !isdigit(letter) && letter != '-') break;
            dashes += letter == '-';
        }
        size_t used = word.length > 0 ? word.length : 1;
        rest = (rt_text){rest.data + used, rest.length - used};
        bool is_id = dashes >= 2 && word.length >= 5 && isupper((unsigned char)word.data[0]) &&
                     isdigit((unsigned char)word.data[word.length - 1]);
        if (!is_id || rt_rule_find(word) != RT_RULE_NONE) continue;
        rt_nearest nearest = rt_nearest_to(word);
        for (uint32_t rule = RT_RULE_NONE + 1; rule < RT_RULE_COUNT; rule++)
            rt_nearest_offer(&nearest, rt_text_of(rt_rule_name((rt_rule)rule)));
        is_valid =
            scn_report(reader->reporter, node->at, "unknown rule '%s'%s",
                       scn_excerpt(reader->arena, word), scn_nearest_hint(reader->arena, &nearest));
    }
    return is_valid;
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
static const scn_shape shape_reference = {
    .kind = SCN_SHAPE_OTHER, .noun = "a reference", .read = reference_read};
static const scn_shape shape_reproduction = {.kind = SCN_SHAPE_TEXT,
                                             .noun = "the path of a reproduction"};

enum { ENTRY_SIGNATURE = 1, ENTRY_VERDICT = 2 };
static const scn_row entry_rows[] = {
    {"scenario", &shape_scenario, SCN_REQUIRED, SCN_FIELD(cnf_expectation, scenario),
     "The path of the scenario from the scenarios' root."},
    [ENTRY_SIGNATURE] = {"signature", &shape_signature, 0, SCN_FIELD(cnf_expectation, signature),
                         "The signature that the failure prints."},
    [ENTRY_VERDICT] = {"verdict", &shape_verdict, 0, SCN_FIELD(cnf_expectation, verdict),
                       "The verdict, if no signature is reliable."},
    {"poisons", &shape_poisons, 0, SCN_ITEMS(cnf_expectation, poisons, poison_count),
     "The memories that the failure spoils: checks that depend on one of them and fail later need "
     "no entry."},
    {"driver", &shape_driver, 0, SCN_FIELD(cnf_expectation, driver),
     "A part of the driver's text; without it, the entry applies to every driver."},
    {"class", &shape_class, SCN_REQUIRED, SCN_FIELD(cnf_expectation, class),
     "What kind of deviation it is."},
    {"reason", &shape_reason, SCN_REQUIRED, SCN_FIELD(cnf_expectation, reason),
     "What goes wrong, in one or two sentences."},
    {"reference", &shape_reference, 0, SCN_FIELD(cnf_expectation, reference),
     "The deciding rule or document."},
    {"reproduction", &shape_reproduction, 0, SCN_FIELD(cnf_expectation, reproduction),
     "A file next to this one that shows the failure without our runtime."},
};
static const scn_shape shape_entry_object = {
    .kind = SCN_SHAPE_OBJECT,
    .noun = "an entry",
    SCN_ROWS(entry_rows),
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
    bool accuses =
        entry->class == CNF_CLASS_VIOLATES_A_MUST || entry->class == CNF_CLASS_SILENT_WRONG_RESULT;
    if (accuses && entry->reproduction.length == 0) {
        return scn_report(reader->reporter, entry->at,
                          "class '%s' needs 'reproduction': a file next to this one that shows "
                          "the failure without assay's runtime",
                          class_choices[entry->class].name);
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
    if (scn_node_is_word(node, "1")) return true;
    return scn_report(reader->reporter, node->at,
                      "format version %s; this assay reads version 1: write "
                      "'assay_expectations: 1'",
                      scn_node_describe(reader->arena, node));
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

static void entry_add(expectation_reader *reader, scn_reporter *reporter, rt_text file,
                      rt_text subject, const cnf_expectation *read)
{
    rt_arena *arena = &reader->out->arena;
    rt_text folder = {file.data, folder_length(file)};
    if (read->reproduction.length > 0 && !path_exists(arena, folder, read->reproduction)) {
        scn_report(reporter, read->at, "there is no reproduction '%s' next to this file",
                   scn_excerpt(arena, read->reproduction));
    }
    cnf_expectation *entry = rt_vector_push(&reader->out->entries);
    *entry = *read;
    entry->file = file;
    entry->subject = subject;
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

static void file_read(expectation_reader *reader, rt_text file)
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
    const scn_node *root =
        scn_yaml_read(&reporter, rt_arena_text(reporter.arena, rt_buffer_text(&content)));
    rt_buffer_free(&content);
    bool whole = root && scn_object_read(&fields, &shape_file, root, &read);
    rt_vector_free(&fields.fields);
    if (whole && subject_check(reader, &reporter, file, root, read.subject)) {
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

/* Reads the folder's files in the order of their names. The folder may be missing unless it is
 * required. */
static void folder_read(expectation_reader *reader, rt_text folder, bool needed)
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
        file_read(reader, rt_arena_printf(arena, "%.*s/%s", RT_TEXT_ARG(folder), names[i]->d_name));
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
    for (uint32_t i = 0; i < reader.roots.count; i++) {
        rt_text root = reader.roots.items[i];
        rt_text folder = rt_arena_printf(&expectations->arena, "%.*s%sexpectations",
                                         RT_TEXT_ARG(root), root.length > 0 ? "/" : "");
        folder_read(&reader, folder, false);
    }
    for (uint32_t i = 0; i < folder_count; i++)
        folder_read(&reader, folders[i], true);
    duplicates_check(&reader);
    rt_vector_free(&reader.roots);
    rt_sink_destroy(reader.sink);
    return reader.is_valid;
}
