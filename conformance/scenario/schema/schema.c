/* Reads a tree by the table of the format. The tables, and what single keys mean, are in read/;
 * this file has what all tables share. */
#include "conformance/scenario/schema/schema.h"

#include "conformance/scenario/yaml/number.h"

#include <string.h>

static const char *key_noun(const scn_shape *shape)
{
    return shape->key_noun ? shape->key_noun : "key";
}

/* "expected X, found Y", and how to write X. */
static bool report_expected(scn_reader *reader, const scn_node *node, const char *expected)
{
    return scn_report(reader->reporter, node->at, "expected %s, found %s", expected,
                      scn_node_describe(reader->arena, node));
}

/* ---- Scalars ------------------------------------------------------------------------------ */

static bool text_read(scn_reader *reader, const scn_shape *shape, const scn_node *node, void *out)
{
    if (node->kind != SCN_NODE_SCALAR || node->text.length == 0) {
        return report_expected(reader, node, shape->noun);
    }
    memcpy(out, &node->text, sizeof node->text);
    return true;
}

static bool is_name(rt_text text)
{
    for (size_t i = 0; i < text.length; i++) {
        char c = text.data[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
        bool other = (c >= '0' && c <= '9') || c == '.' || c == '-';
        if (!letter && (i == 0 || !other)) return false;
    }
    return text.length > 0;
}

static bool name_check(scn_reader *reader, scn_position at, rt_text name)
{
    if (is_name(name)) return true;
    return scn_report(
        reader->reporter, at,
        "'%s' is not a name; a name begins with a letter or '_' and contains only letters, "
        "digits, '_', '.' and '-'",
        scn_shown(reader->arena, name));
}

static bool name_read(scn_reader *reader, const scn_shape *shape, const scn_node *node, void *out)
{
    return text_read(reader, shape, node, out) && name_check(reader, node->at, node->text);
}

static bool integer_read(scn_reader *reader, const scn_shape *shape, const scn_node *node,
                         void *out)
{
    scn_integer integer;
    if (!scn_integer_read(reader->reporter, node, shape->noun, &integer)) return false;
    if (integer.negative || integer.magnitude < shape->least || integer.magnitude > shape->most) {
        return scn_report(
            reader->reporter, node->at, "%s is out of range; %s is from %" PRIu64 " to %" PRIu64,
            scn_shown(reader->arena, node->text), shape->noun, shape->least, shape->most);
    }
    memcpy(out, &integer.magnitude, sizeof integer.magnitude);
    return true;
}

static bool truth_read(scn_reader *reader, const scn_shape *shape, const scn_node *node, void *out)
{
    bool truth = scn_node_is_word(node, "true");
    memcpy(out, &truth, sizeof truth);
    if (truth || scn_node_is_word(node, "false")) return true;
    bool quoted = node->kind == SCN_NODE_SCALAR && node->style != SCN_STYLE_PLAIN;
    return scn_report(reader->reporter, node->at, "expected true or false%s (%s), found %s",
                      quoted ? ", without quotes" : "", shape->noun,
                      scn_node_describe(reader->arena, node));
}

/* The word with that index among the choices or keys of a shape; NULL if it is not accepted. */
static const char *accepted_word(const scn_shape *shape, uint32_t index)
{
    if (shape->kind == SCN_SHAPE_CHOICE)
        return shape->choices[index].taken ? shape->choices[index].name : NULL;
    CHECK(shape->kind == SCN_SHAPE_OBJECT);
    return scn_row_is_documented(&shape->rows[index]) ? shape->rows[index].key : NULL;
}

static uint32_t word_count(const scn_shape *shape)
{
    return shape->kind == SCN_SHAPE_CHOICE ? shape->choice_count : shape->row_count;
}

static bool has_word(const scn_shape *shape, const char *word)
{
    for (uint32_t i = 0; i < word_count(shape); i++) {
        const char *known = accepted_word(shape, i);
        if (known && strcmp(known, word) == 0) return true;
    }
    return false;
}

/* Calls `take` with each word of the shape `beside` that is not a word of the shape itself; of an
 * object's keys, only the verbs. */
static void beside_each(const scn_shape *shape, void (*take)(void *user, const char *word),
                        void *user)
{
    const scn_shape *beside = shape->beside;
    for (uint32_t i = 0; beside && i < word_count(beside); i++) {
        bool verb = beside->kind == SCN_SHAPE_CHOICE || beside->rows[i].flags & SCN_ALTERNATIVE;
        const char *word = verb ? accepted_word(beside, i) : NULL;
        if (word && !has_word(shape, word)) take(user, word);
    }
}

static void word_append(void *list, const char *word)
{
    rt_buffer *out = list;
    rt_buffer_printf(out, "%s%s", out->size ? ", " : "", word);
}

static void word_offer(void *nearest, const char *word)
{
    rt_nearest_offer(nearest, rt_text_of(word));
}

/* "expected one of a, b, c": the accepted words of a vocabulary. */
static const char *choice_list(rt_arena *arena, const scn_shape *shape)
{
    rt_buffer list = {0};
    for (uint32_t i = 0; i < shape->choice_count; i++)
        if (shape->choices[i].taken) word_append(&list, shape->choices[i].name);
    beside_each(shape, word_append, &list);
    const char *copy = rt_arena_text(arena, rt_buffer_text(&list)).data;
    rt_buffer_free(&list);
    return copy;
}

static bool choice_read(scn_reader *reader, const scn_shape *shape, const scn_node *node, void *out)
{
    if (node->kind != SCN_NODE_SCALAR || node->text.length == 0) {
        return report_expected(reader, node, shape->noun);
    }
    const char *shown = scn_shown(reader->arena, node->text);
    /* The noun without its article names the kind of word: "language 'sycl' ...". */
    const char *word = strchr(shape->noun, ' ') + 1;
    rt_nearest nearest = rt_nearest_to(node->text);
    for (uint32_t i = 0; i < shape->choice_count; i++) {
        if (shape->choices[i].taken) {
            rt_nearest_offer(&nearest, rt_text_of(shape->choices[i].name));
        }
        if (!rt_text_is(node->text, shape->choices[i].name)) continue;
        if (!shape->choices[i].taken) {
            return scn_report(reader->reporter, node->at,
                              "%s '%s' is not allowed here; expected one of: %s", word, shown,
                              choice_list(reader->arena, shape));
        }
        memcpy(out, &i, sizeof i);
        return true;
    }
    beside_each(shape, word_offer, &nearest);
    if (nearest.best.length > 0) {
        return scn_report(reader->reporter, node->at, "unknown %s '%s'%s", word, shown,
                          scn_nearest_hint(reader->arena, &nearest));
    }
    return scn_report(reader->reporter, node->at, "unknown %s '%s'; expected one of: %s", word,
                      shown, choice_list(reader->arena, shape));
}

/* "; expected one of: A, B, C, D and 14 more". */
static const char *word_list(rt_arena *arena, const scn_shape *shape)
{
    /* Vocabularies that fit on a screen are listed in full; of the hundreds of rules, only a
     * sample. */
    enum { WHOLE_MAX = 32, SAMPLE_MAX = 4 };
    rt_buffer list = {0};
    uint32_t count = 0;
    while (shape->word(count))
        count++;
    uint32_t listed = count <= WHOLE_MAX ? count : SAMPLE_MAX;
    for (uint32_t i = 0; i < listed; i++)
        rt_buffer_printf(&list, "%s%s", i ? ", " : "; expected one of: ", shape->word(i));
    if (count > listed) rt_buffer_printf(&list, " and %u more", count - listed);
    const char *copy = rt_arena_text(arena, rt_buffer_text(&list)).data;
    rt_buffer_free(&list);
    return copy;
}

static bool word_read(scn_reader *reader, const scn_shape *shape, const scn_node *node, void *out)
{
    if (!text_read(reader, shape, node, out)) return false;
    rt_nearest nearest = rt_nearest_to(node->text);
    for (uint32_t i = 0; shape->word(i); i++) {
        if (rt_text_is(node->text, shape->word(i))) return true;
        rt_nearest_offer(&nearest, rt_text_of(shape->word(i)));
    }
    bool near = nearest.best.length > 0;
    return scn_report(reader->reporter, node->at, "unknown %s '%s'%s", strchr(shape->noun, ' ') + 1,
                      scn_shown(reader->arena, node->text),
                      near ? scn_nearest_hint(reader->arena, &nearest)
                           : word_list(reader->arena, shape));
}

static const scn_names *names_of(const scn_reader *reader, scn_table table)
{
    switch (table) {
    case SCN_TABLE_MODULES: return &reader->modules;
    case SCN_TABLE_DEVICES: return &reader->devices;
    case SCN_TABLE_MEMORIES: return &reader->memories;
    case SCN_TABLE_STEPS: return &reader->steps;
    }
    UNREACHABLE();
}

/* True if a reference of the shape may refer to the step with that index. */
static bool may_refer_to(const scn_reader *reader, const scn_shape *shape, uint32_t index)
{
    return shape->table != SCN_TABLE_STEPS || 1u << reader->step_table[index].verb & shape->verbs;
}

/* Reads a name as an index. That a step has the right verb and has run before is checked in the
 * finished model (check.c). */
static bool reference_read(scn_reader *reader, const scn_shape *shape, const scn_node *node,
                           void *out)
{
    const scn_names *names = names_of(reader, shape->table);
    uint32_t index = SCN_NONE;
    memcpy(out, &index, sizeof index);
    bool step = shape->table == SCN_TABLE_STEPS;
    const char *noun = strchr(shape->noun, ' ') + 1; /* "a queue", "a memory" */
    if (node->kind != SCN_NODE_SCALAR || node->text.length == 0) {
        return scn_report(reader->reporter, node->at, "expected the %s of a %s, found %s",
                          step ? "id" : "name", step ? "step" : noun,
                          scn_node_describe(reader->arena, node));
    }
    index = rt_map_find(&names->map, node->text);
    memcpy(out, &index, sizeof index);
    if (index != RT_MAP_NONE) return true;
    /* If there are no names at all, other problems are probably the reason. */
    if (names->list.count == 0 && reader->reporter->count > 0) return false;
    rt_nearest nearest = rt_nearest_to(node->text);
    for (uint32_t i = 0; i < names->list.count; i++) {
        rt_text name = names->list.items[i];
        if (may_refer_to(reader, shape, rt_map_find(&names->map, name)))
            rt_nearest_offer(&nearest, name);
    }
    const char *hint = scn_nearest_hint(reader->arena, &nearest);
    if (nearest.offered_count == 0) hint = "; there are none";
    return scn_report(reader->reporter, node->at, "unknown %s%s '%s'%s", step ? "earlier " : "",
                      noun, scn_shown(reader->arena, node->text), hint);
}

bool scn_value_read(scn_reader *reader, const scn_shape *shape, const scn_node *node, void *out)
{
    switch (shape->kind) {
    case SCN_SHAPE_TEXT: return text_read(reader, shape, node, out);
    case SCN_SHAPE_NAME: return name_read(reader, shape, node, out);
    case SCN_SHAPE_INTEGER: return integer_read(reader, shape, node, out);
    case SCN_SHAPE_TRUTH: return truth_read(reader, shape, node, out);
    case SCN_SHAPE_WORD: return word_read(reader, shape, node, out);
    case SCN_SHAPE_CHOICE: return choice_read(reader, shape, node, out);
    case SCN_SHAPE_OBJECT: return scn_object_read(reader, shape, node, out);
    case SCN_SHAPE_REFERENCE: return reference_read(reader, shape, node, out);
    case SCN_SHAPE_OTHER: return shape->read(reader, node, out);
    case SCN_SHAPE_LIST:
    case SCN_SHAPE_MAP: break; /* read by the row that holds them */
    default: break;            /* exists in the model only */
    }
    UNREACHABLE();
}

/* ---- Lists and maps ----------------------------------------------------------------------- */

static bool count_check(scn_reader *reader, const scn_shape *shape, const scn_node *node)
{
    if (node->count > 0 && node->count < shape->least) {
        return scn_report(reader->reporter, node->at, "%s has at least %" PRIu64 " items, found %u",
                          shape->noun, shape->least, node->count);
    }
    if (node->count < shape->least) {
        return scn_report(reader->reporter, node->at, "%s is empty; at least %" PRIu64 " expected",
                          shape->noun, shape->least);
    }
    if (shape->most == 0 || node->count <= shape->most) return true;
    return scn_report(reader->reporter, node->at, "%u items are too many; %s has at most %" PRIu64,
                      node->count, shape->noun, shape->most);
}

void scn_locate(scn_reader *reader, const void *field, scn_position key, scn_position value)
{
    *rt_vector_push(&reader->fields) = (scn_located){field, key, value};
}

static bool list_read(scn_reader *reader, const scn_shape *shape, const scn_node *node,
                      char *out_items)
{
    bool valid = true;
    for (uint32_t i = 0; i < node->count; i++) {
        void *item = out_items + (size_t)i * shape->element_size;
        scn_locate(reader, item, node->items[i].at, node->items[i].at);
        valid = scn_value_read(reader, shape->element, &node->items[i], item) && valid;
    }
    return valid;
}

#define IS_NAMED(type) (offsetof(type, name) == 0 && offsetof(type, at) == offsetof(scn_named, at))
_Static_assert(IS_NAMED(scn_module) && IS_NAMED(scn_memory) && IS_NAMED(scn_device) &&
                   IS_NAMED(scn_spec_constant),
               "name and position first");

static bool map_read(scn_reader *reader, const scn_shape *shape, const scn_node *node,
                     char *out_items)
{
    bool valid = true;
    for (uint32_t i = 0; i < node->count; i++) {
        const scn_entry *entry = &node->entries[i];
        void *item = out_items + (size_t)i * shape->element_size;
        memcpy(item, &(scn_named){entry->key, entry->at}, sizeof(scn_named));
        valid = name_check(reader, entry->at, entry->key) && valid;
        valid = scn_value_read(reader, shape->element, &entry->value, item) && valid;
    }
    return valid;
}

bool scn_items_check(scn_reader *reader, const scn_shape *shape, const scn_node *node)
{
    if (node->kind != (shape->kind == SCN_SHAPE_LIST ? SCN_NODE_LIST : SCN_NODE_MAPPING))
        return report_expected(reader, node, shape->noun);
    return count_check(reader, shape, node);
}

/* Reads a row's list or map into a table in the arena, or in place. */
static bool items_read(scn_reader *reader, const scn_row *row, const scn_node *node, char *object)
{
    const scn_shape *shape = row->shape;
    if (!scn_items_check(reader, shape, node)) return false;
    CHECK(shape->element_size > 0 && row->place.count_offset > 0);
    char *items = object + row->place.offset;
    if (!shape->in_place) {
        items = rt_arena_alloc_array(reader->arena, node->count, shape->element_size);
        memcpy(object + row->place.offset, &items, sizeof items);
    }
    CHECK_IMPLIES(shape->in_place, node->count * shape->element_size <= row->place.size);
    memcpy(object + row->place.count_offset, &node->count, sizeof node->count);
    return shape->kind == SCN_SHAPE_LIST ? list_read(reader, shape, node, items)
                                         : map_read(reader, shape, node, items);
}

/* ---- Objects ------------------------------------------------------------------------------ */

/* The keys of rows with any of these flags (0: of all rows), and what is allowed instead of the
 * mapping unless only a mapping is meant. */
static const char *key_list(rt_arena *arena, const scn_shape *shape, uint32_t flags, bool mapping)
{
    rt_buffer list = {0};
    for (uint32_t i = 0; i < shape->row_count; i++) {
        if (flags && !(shape->rows[i].flags & flags)) continue;
        if (!scn_row_is_documented(&shape->rows[i])) continue;
        word_append(&list, shape->rows[i].key);
    }
    if (!mapping) beside_each(shape, word_append, &list);
    const char *copy = rt_arena_text(arena, rt_buffer_text(&list)).data;
    rt_buffer_free(&list);
    return copy;
}

static bool report_unknown_key(scn_reader *reader, const scn_shape *shape, const scn_entry *entry)
{
    rt_nearest nearest = rt_nearest_to(entry->key);
    for (uint32_t i = 0; i < shape->row_count; i++)
        if (scn_row_is_documented(&shape->rows[i]))
            rt_nearest_offer(&nearest, rt_text_of(shape->rows[i].key));
    beside_each(shape, word_offer, &nearest);
    const char *shown = scn_shown(reader->arena, entry->key);
    /* "unknown key 'x' in a memory", but "unknown step 'x'". */
    const char *in = shape->key_noun ? "" : " in ", *noun = shape->key_noun ? "" : shape->noun;
    if (nearest.best.length > 0) {
        return scn_report(reader->reporter, entry->at, "unknown %s '%s'%s%s%s", key_noun(shape),
                          shown, in, noun, scn_nearest_hint(reader->arena, &nearest));
    }
    return scn_report(reader->reporter, entry->at, "unknown %s '%s'%s%s; expected one of: %s",
                      key_noun(shape), shown, in, noun, key_list(reader->arena, shape, 0, false));
}

/* Reports keys that have no row. */
static bool keys_check(scn_reader *reader, const scn_shape *shape, const scn_node *node)
{
    bool valid = true;
    for (uint32_t i = 0; i < node->count; i++) {
        const scn_entry *entry = &node->entries[i];
        const scn_row *row = shape->rows, *end = shape->rows + shape->row_count;
        while (row < end && !(row->key && rt_text_is(entry->key, row->key)))
            row++;
        if (row == end) valid = report_unknown_key(reader, shape, entry);
    }
    return valid;
}

/* Reads an integer or choice whose field has another width than the value read. */
static bool narrow_read(scn_reader *reader, const scn_row *row, const scn_node *node, void *out)
{
    uint64_t wide = 0;
    if (!scn_value_read(reader, row->shape, node, &wide)) return false;
    uint32_t number = (uint32_t)wide;
    bool truth = wide != 0;
    if (row->place.size == sizeof truth)
        memcpy(out, &truth, sizeof truth);
    else
        memcpy(out, &number, sizeof number);
    return true;
}

static bool row_read(scn_reader *reader, const scn_row *row, const scn_entry *entry, char *object)
{
    CHECK(row->shape);
    const bool is_present = true;
    const scn_shape *shape = row->shape;
    void *out = object + row->place.offset;
    if (row->place.size > 0 || !(row->flags & SCN_WRITTEN))
        scn_locate(reader, out, entry->at, entry->value.at);
    if (row->place.given_offset > 0)
        memcpy(object + row->place.given_offset, &is_present, sizeof is_present);
    if (row->flags & SCN_LATER) return true;
    if (shape->kind == SCN_SHAPE_LIST || shape->kind == SCN_SHAPE_MAP)
        return items_read(reader, row, &entry->value, object);
    bool narrow = (shape->kind == SCN_SHAPE_INTEGER && row->place.size == sizeof(uint32_t)) ||
                  (shape->kind == SCN_SHAPE_CHOICE && row->place.size == sizeof(bool));
    return narrow ? narrow_read(reader, row, &entry->value, out)
                  : scn_value_read(reader, shape, &entry->value, out);
}

void scn_rows_clear(scn_reader *reader, const scn_shape *shape, void *out)
{
    static const uint32_t none = SCN_NONE;
    static const bool truth = true;
    for (uint32_t i = 0; i < shape->row_count; i++) {
        const scn_row *row = &shape->rows[i];
        char *field = (char *)out + row->place.offset;
        if (row->flags & SCN_OR_NONE) memcpy(field, &none, sizeof none);
        if (row->flags & SCN_OR_CHOSEN) memcpy(field, &reader->device, sizeof reader->device);
        if (row->flags & SCN_OR_TRUE) memcpy(field, &truth, sizeof truth);
    }
}

/* True if the object has an alternative, or needs none: only then are the keys beside it checked.
 */
static bool is_decided(const scn_shape *shape, const scn_node *node)
{
    uint32_t known = 0, there = 0;
    for (uint32_t i = 0; i < shape->row_count; i++) {
        if (!(shape->rows[i].flags & SCN_ALTERNATIVE)) continue;
        known++;
        if (scn_node_entry(node, shape->rows[i].key)) there++;
    }
    return known == 0 || there == 1;
}

/* Reports keys that lack a key that they require, or are combined with a key that they exclude. */
static bool relations_check(scn_reader *reader, const scn_shape *shape, const scn_node *node)
{
    bool valid = true;
    if (!is_decided(shape, node)) return true; /* the caller reports that */
    for (uint32_t i = 0; i < shape->relation_count; i++) {
        const scn_relation *relation = &shape->relations[i];
        const scn_entry *entry = scn_node_entry(node, relation->key);
        if (!entry) continue;
        const char *found = NULL;
        for (uint32_t k = 0; k < SCN_RELATION_KEYS_MAX && relation->others[k] && !found; k++)
            if (scn_node_entry(node, relation->others[k])) found = relation->others[k];
        if ((found != NULL) == (relation->kind == SCN_NEEDS)) continue;
        CHECK(relation->message || relation->kind == SCN_NEEDS);
        if (relation->message)
            valid = scn_report(reader->reporter, entry->at, "%s", relation->message);
        else
            valid = scn_report(reader->reporter, entry->at, "'%s' requires '%s'", relation->key,
                               relation->others[0]);
    }
    return valid;
}

static bool mapping_check(scn_reader *reader, const scn_shape *shape, const scn_node *node)
{
    if (node->kind == SCN_NODE_MAPPING) return true;
    const char *keys = key_list(reader->arena, shape, 0, true);
    const char *expected =
        rt_arena_printf(reader->arena, "%s: a mapping with the keys %s", shape->noun, keys).data;
    return report_expected(reader, node, expected);
}

bool scn_object_check(scn_reader *reader, const scn_shape *shape, const scn_node *node)
{
    return mapping_check(reader, shape, node) && keys_check(reader, shape, node) &&
           relations_check(reader, shape, node);
}

/* If another key is wrong (not `complete`), a missing key is probably the one that was meant. */
static bool given_rows_read(scn_reader *reader, const scn_shape *shape, const scn_node *node,
                            bool complete, void *out)
{
    bool valid = true;
    scn_rows_clear(reader, shape, out);
    for (uint32_t i = 0; i < shape->row_count; i++) {
        const scn_row *row = &shape->rows[i];
        const scn_entry *entry = row->key ? scn_node_entry(node, row->key) : NULL;
        if (entry) valid = row_read(reader, row, entry, out) && valid;
        if (entry || !(row->flags & SCN_REQUIRED) || !row->key || !complete) continue;
        valid = scn_report(reader->reporter, node->at, "%s needs the key '%s': %s", shape->noun,
                           row->key, row->doc);
    }
    return valid;
}

bool scn_rows_read(scn_reader *reader, const scn_shape *shape, const scn_node *node, void *out)
{
    return given_rows_read(reader, shape, node, true, out) &&
           (!shape->finish || shape->finish(reader, node, out));
}

bool scn_object_read(scn_reader *reader, const scn_shape *shape, const scn_node *node, void *out)
{
    CHECK(shape->kind == SCN_SHAPE_OBJECT && shape->row_count > 0);
    bool valid;
    if (shape->shorthand && node->kind == SCN_NODE_SCALAR) {
        const scn_entry first = {rt_text_of(shape->rows[0].key), node->at, *node};
        scn_rows_clear(reader, shape, out);
        valid = row_read(reader, &shape->rows[0], &first, out);
    } else {
        if (!mapping_check(reader, shape, node)) return false;
        bool keys_valid = keys_check(reader, shape, node);
        valid = given_rows_read(reader, shape, node, keys_valid, out) && keys_valid &&
                relations_check(reader, shape, node);
    }
    return valid && (!shape->finish || shape->finish(reader, node, out));
}

uint32_t scn_object_alternative(scn_reader *reader, const scn_shape *shape, const scn_node *node,
                                const char *wanted)
{
    CHECK(node->kind == SCN_NODE_MAPPING);
    uint32_t found = SCN_NONE;
    for (uint32_t i = 0; i < shape->row_count; i++) {
        const scn_row *row = &shape->rows[i];
        const scn_entry *entry =
            row->flags & SCN_ALTERNATIVE ? scn_node_entry(node, row->key) : NULL;
        if (!entry) continue;
        if (found != SCN_NONE) {
            scn_report(reader->reporter, entry->at,
                       "'%s' cannot be combined with '%s'; %s has only one of them", row->key,
                       shape->rows[found].key, shape->noun);
            return SCN_NONE;
        }
        found = i;
    }
    if (found != SCN_NONE) return found;
    scn_report(reader->reporter, node->at, "%s needs %s; expected one of: %s", shape->noun, wanted,
               key_list(reader->arena, shape, SCN_ALTERNATIVE | SCN_SUFFICES, false));
    return SCN_NONE;
}

bool scn_node_keep(scn_reader *reader, const scn_node *node, void *out)
{
    (void)reader;
    *(const scn_node **)out = node;
    return true;
}

/* ---- References --------------------------------------------------------------------------- */

void scn_names_add(scn_names *names, rt_text name, uint32_t index)
{
    CHECK(index != SCN_NONE);
    if (rt_map_find(&names->map, name) != RT_MAP_NONE) return;
    rt_map_set(&names->map, name, index);
    *rt_vector_push(&names->list) = name;
}

const scn_memory *scn_memory_of(const scn_reader *reader, uint32_t index)
{
    const scn_scenario *scenario = reader->scenario;
    const scn_memory *memory = index < scenario->memory_count ? &scenario->memories[index] : NULL;
    bool valid = memory && memory->count > 0 && memory->layout.size > 0;
    CHECK(valid || reader->reporter->count > 0);
    return valid ? memory : NULL;
}

/* ---- Shapes of many objects --------------------------------------------------------------- */

const scn_shape scn_shape_name = {SCN_NAME("a name")};
const scn_shape scn_shape_kernel = {SCN_TEXT("the name of a kernel")};
const scn_shape scn_shape_kernels = {
    SCN_LIST("a list of kernels", rt_text, &scn_shape_kernel),
    .least = 1,
};

#define NAMED(noun_, table_)                                                                       \
    {                                                                                              \
        .kind = SCN_SHAPE_REFERENCE, .noun = noun_, .table = table_                                \
    }
const scn_shape scn_shape_memory_reference = NAMED("a memory", SCN_TABLE_MEMORIES);
const scn_shape scn_shape_module_reference = NAMED("a module", SCN_TABLE_MODULES);
const scn_shape scn_shape_device_reference = NAMED("a device", SCN_TABLE_DEVICES);

#define CREATED_BY(noun_, verbs_, mistaken_)                                                       \
    {                                                                                              \
        .kind = SCN_SHAPE_REFERENCE, .noun = noun_, .table = SCN_TABLE_STEPS, .verbs = verbs_,     \
        .mistaken = mistaken_                                                                      \
    }
const scn_shape scn_shape_command_reference =
    CREATED_BY("a command",
               SCN_VERB_BIT(SUBMIT) | SCN_VERB_BIT(COPY) | SCN_VERB_BIT(FILL) |
                   SCN_VERB_BIT(HOST_TASK) | SCN_VERB_BIT(COMPLETE_FUSION),
               "a command is what submit, copy, fill, host_task and complete_fusion make");
const scn_shape scn_shape_queue_reference =
    CREATED_BY("a queue", SCN_VERB_BIT(QUEUE), "a queue is made by '- queue: {id: NAME}'");
const scn_shape scn_shape_context_reference =
    CREATED_BY("a context", SCN_VERB_BIT(CONTEXT),
               "a context is made by '- context: {id: NAME, devices: [...]}'");
const scn_shape scn_shape_bundle_reference = CREATED_BY(
    "a bundle", SCN_VERB_BIT(BUNDLE), "a bundle is made by '- bundle: {id: NAME, get: STATE}'");
const scn_shape scn_shape_command_references = {
    SCN_LIST("a list of step ids", uint32_t, &scn_shape_command_reference),
};

static const scn_choice profiles[] = {
#define PROFILE_CHOICE(profile, name) {name, true},
    RT_PROFILES(PROFILE_CHOICE)
#undef PROFILE_CHOICE
};
const scn_shape scn_shape_profile = {SCN_CHOICE("a profile", profiles)};

const scn_shape scn_shape_position = {.kind = SCN_SHAPE_POSITION};
const scn_shape scn_shape_raw_bytes = {.kind = SCN_SHAPE_BYTES};
const scn_shape scn_shape_layout = {.kind = SCN_SHAPE_LAYOUT};
const scn_shape scn_shape_text = {SCN_TEXT("a text"), .empty = true};
const scn_shape scn_shape_number = {SCN_INTEGER("a number", 0, UINT64_MAX)};
const scn_shape scn_shape_flag = {SCN_TRUTH("a truth value")};
