/* The tables by which records of findings are read, some of which the tables of entries share. */
#include "conformance/verdict/findings.h"

#include <ctype.h>
#include <string.h>

/* ---- Classes ------------------------------------------------------------------------------- */

static const scn_choice class_choices[] = {
#define CLASS_CHOICE(class, word, text) [CNF_CLASS_##class] = {word, true},
    CNF_CLASSES(CLASS_CHOICE)
#undef CLASS_CHOICE
};
const scn_shape cnf_class_shape = {
    .kind = SCN_SHAPE_CHOICE,
    .noun = "a class",
    SCN_CHOICES(class_choices),
};

const char *cnf_class_word(cnf_class class)
{
    CHECK(class < CNF_CLASS_COUNT);
    return class_choices[class].name;
}

bool cnf_class_accuses(cnf_class class)
{
    return class == CNF_CLASS_VIOLATES_A_MUST || class == CNF_CLASS_SILENT_WRONG_RESULT;
}

/* ---- Values -------------------------------------------------------------------------------- */

static const scn_shape reference_text_shape = {
    .kind = SCN_SHAPE_TEXT,
    .noun = "the deciding rule or document",
};

/* Reads any text, but each word that has the form of a rule id, such as "DL-RESOLVE-09", must be a
 * rule. */
static bool reference_read(scn_reader *reader, const scn_node *node, void *out)
{
    if (!scn_value_read(reader, &reference_text_shape, node, out)) return false;
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

const scn_shape cnf_reference_shape = {
    .kind = SCN_SHAPE_TEXT, .noun = "a reference", .read = reference_read};

bool cnf_version_read(scn_reader *reader, const scn_node *node, const char *key)
{
    if (scn_node_is_word(node, "1")) return true;
    return scn_report(reader->reporter, node->at,
                      "format version %s; this assay reads version 1: write '%s: 1'",
                      scn_node_describe(reader->arena, node), key);
}

/* ---- Records ------------------------------------------------------------------------------- */

static const scn_shape id_shape = {.kind = SCN_SHAPE_NAME, .noun = "the id of a finding"};
static const scn_shape title_shape = {.kind = SCN_SHAPE_TEXT, .noun = "a sentence"};

/* Accepts the value of a key that only pages and the check of reproductions use. */
static bool other_read(scn_reader *reader, const scn_node *node, void *out)
{
    (void)reader, (void)node, (void)out;
    return true;
}

static const scn_shape other_shape = {
    .kind = SCN_SHAPE_OTHER, .noun = "a value", .read = other_read};

static const scn_row finding_rows[] = {
    {"id", &id_shape, SCN_REQUIRED, SCN_FIELD(cnf_finding, id),
     "The id, which never changes; entries write COMPONENT/ID."},
    {"title", &title_shape, SCN_REQUIRED, SCN_FIELD(cnf_finding, title),
     "What goes wrong, in one sentence without a full stop."},
    {"class", &cnf_class_shape, SCN_REQUIRED, SCN_FIELD(cnf_finding, class),
     "What kind of deviation it is."},
    {"reference", &cnf_reference_shape, 0, SCN_FIELD(cnf_finding, reference),
     "The deciding rules, or a document and its section."},
    {"silent", &other_shape, 0, SCN_NOWHERE,
     "True if the program gets a wrong value and no error; such findings come first."},
    {"part", &other_shape, 0, SCN_NOWHERE, "The part of the component."},
    {"releases", &other_shape, 0, SCN_NOWHERE, "The releases, if not those of the component."},
    {"sentence", &other_shape, 0, SCN_NOWHERE,
     "What the reference says, quoted; a rule's sentence comes from requirements.yaml."},
    {"expected", &other_shape, SCN_REQUIRED, SCN_NOWHERE, "What should happen."},
    {"got", &other_shape, SCN_REQUIRED, SCN_NOWHERE, "What happens."},
    {"scenarios", &other_shape, 0, SCN_NOWHERE, "Scenarios that show it, if no entry names it."},
    {"no_scenario", &other_shape, 0, SCN_NOWHERE, "Why no scenario shows it."},
    {"reproduction", &other_shape, 0, SCN_NOWHERE,
     "How to reproduce it without assay: the program or the commands, and their output."},
    {"upstream", &other_shape, 0, SCN_NOWHERE, "The issue or the fix, where one is known."},
    {"note", &other_shape, 0, SCN_NOWHERE, "Anything else a vendor should know."},
};
static const scn_shape finding_object_shape = {
    .kind = SCN_SHAPE_OBJECT,
    .noun = "a finding",
    SCN_ROWS(finding_rows),
};

static bool finding_read(scn_reader *reader, const scn_node *node, void *out)
{
    cnf_finding *finding = out;
    finding->at = node->at;
    if (!scn_object_read(reader, &finding_object_shape, node, finding)) return false;
    if (finding->class == CNF_CLASS_UNTRIAGED) {
        return scn_report(reader->reporter, finding->at,
                          "a finding is the result of triage; choose one of the other classes");
    }
    bool needs_reproduction =
        cnf_class_accuses(finding->class) || finding->class == CNF_CLASS_CRASH_OR_HANG;
    if (!needs_reproduction || scn_node_entry(node, "reproduction")) return true;
    return scn_report(reader->reporter, finding->at,
                      "a finding of class '%s' needs 'reproduction': a program or commands that "
                      "show it without assay",
                      cnf_class_word(finding->class));
}

/* ---- Files --------------------------------------------------------------------------------- */

static bool version_read(scn_reader *reader, const scn_node *node, void *out)
{
    (void)out;
    return cnf_version_read(reader, node, "assay_findings");
}

static const scn_shape version_shape = {
    .kind = SCN_SHAPE_OTHER, .noun = "the format version", .read = version_read};
static const scn_shape finding_shape = {
    .kind = SCN_SHAPE_OTHER, .noun = "a finding", .read = finding_read};
static const scn_shape findings_shape = {
    .kind = SCN_SHAPE_LIST,
    .noun = "the list of findings",
    .element = &finding_shape,
    .element_size = sizeof(cnf_finding),
};
static const scn_row file_rows[] = {
    {"assay_findings", &version_shape, SCN_REQUIRED, SCN_NOWHERE, "The version, 1."},
    {"component", &other_shape, 0, SCN_NOWHERE, "What the findings are about: the page's title."},
    {"releases", &other_shape, 0, SCN_NOWHERE, "The releases on which they were seen."},
    {"about", &other_shape, 0, SCN_NOWHERE, "How to get the component, and what else a page says."},
    {"programs", &other_shape, 0, SCN_NOWHERE,
     "By name of a program: the commands that prepare its inputs."},
    {"findings", &findings_shape, SCN_REQUIRED,
     SCN_ITEMS(cnf_finding_file, findings, finding_count), "The records."},
};
const scn_shape cnf_finding_file_shape = {
    .kind = SCN_SHAPE_OBJECT,
    .noun = "a file of findings",
    SCN_ROWS(file_rows),
};
