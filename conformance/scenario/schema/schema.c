/* Reads a tree as the format's table prescribes. The tables themselves, and what individual keys
 * mean, are in read/; this file has what all tables share. */
#include "conformance/scenario/schema/schema.h"

#include "conformance/scenario/yaml/number.h"

#include <string.h>

static const char *key_noun(const scn_shape *shape)
{
    return shape->key_noun ? shape->key_noun : "key";
}

bool scn_report_expected(scn_reader *reader, const scn_node *node, const char *expected)
{
    return scn_report(reader->reporter, node->at, "expected %s, found %s", expected,
                      scn_node_describe(reader->arena, node));
}

/* ---- Scalars ------------------------------------------------------------------------------ */

static bool text_read(scn_reader *reader, const scn_shape *shape, const scn_node *node, void *out)
{
    bool is_nothing = shape->empty ? scn_node_is_nothing(node) : node->text.length == 0;
    if (node->kind != SCN_NODE_SCALAR || is_nothing)
        return scn_report_expected(reader, node, shape->noun);
    memcpy(out, &node->text, sizeof node->text);
    return true;
}

static bool name_check(scn_reader *reader, scn_position at, rt_text name)
{
    bool valid = name.length > 0;
    for (size_t i = 0; i < name.length && valid; i++) {
        char c = name.data[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
        valid = letter || (i > 0 && ((c >= '0' && c <= '9') || c == '.' || c == '-'));
    }
    if (valid) return true;
    return scn_report(
        reader->reporter, at,
        "'%s' is not a name; a name begins with a letter or '_' and contains only letters, "
        "digits, '_', '.' and '-'",
        scn_excerpt(reader->arena, name));
}

static bool integer_read(scn_reader *reader, const scn_shape *shape, const scn_node *node,
                         void *out)
{
    scn_integer integer;
    if (!scn_integer_read(reader->reporter, node, shape->noun, &integer)) return false;
    if (integer.negative || integer.magnitude < shape->least || integer.magnitude > shape->most) {
        return scn_report(reader->reporter, node->at,
                          "%s is out of range; %s must be from %" PRIu64 " to %" PRIu64,
                          scn_excerpt(reader->arena, node->text), shape->noun, shape->least,
                          shape->most);
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
        return shape->choices[index].is_accepted ? shape->choices[index].name : NULL;
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

/* Calls `take` for each word of the shape `beside` that is not also a word of the shape itself. Of
 * an object's keys, only the verbs count. */
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

/* The accepted words of a vocabulary, in the form "a, b, c". */
static const char *choice_list(rt_arena *arena, const scn_shape *shape)
{
    rt_buffer list = {0};
    for (uint32_t i = 0; i < shape->choice_count; i++)
        if (shape->choices[i].is_accepted) word_append(&list, shape->choices[i].name);
    beside_each(shape, word_append, &list);
    const char *copy = rt_arena_text(arena, rt_buffer_text(&list)).data;
    rt_buffer_free(&list);
    return copy;
}

static bool choice_read(scn_reader *reader, const scn_shape *shape, const scn_node *node, void *out)
{
    if (node->kind != SCN_NODE_SCALAR || node->text.length == 0)
        return scn_report_expected(reader, node, shape->noun);
    const char *excerpt = scn_excerpt(reader->arena, node->text);
    /* The noun without its article names the kind of word: "language 'sycl' ...". */
    const char *word = strchr(shape->noun, ' ') + 1;
    rt_nearest nearest = rt_nearest_to(node->text);
    for (uint32_t i = 0; i < shape->choice_count; i++) {
        if (shape->choices[i].is_accepted) {
            rt_nearest_offer(&nearest, rt_text_of(shape->choices[i].name));
        }
        if (!rt_text_is(node->text, shape->choices[i].name)) continue;
        if (!shape->choices[i].is_accepted) {
            return scn_report(reader->reporter, node->at,
                              "%s '%s' is not allowed here; expected one of: %s", word, excerpt,
                              choice_list(reader->arena, shape));
        }
        memcpy(out, &i, sizeof i);
        return true;
    }
    beside_each(shape, word_offer, &nearest);
    if (nearest.best.length > 0) {
        return scn_report(reader->reporter, node->at, "unknown %s '%s'%s", word, excerpt,
                          scn_nearest_hint(reader->arena, &nearest));
    }
    return scn_report(reader->reporter, node->at, "unknown %s '%s'; expected one of: %s", word,
                      excerpt, choice_list(reader->arena, shape));
}

/* "; expected one of: A, B, C, D and 14 more". */
static const char *word_list(rt_arena *arena, const scn_shape *shape)
{
    /* Vocabularies that fit on a screen are listed in full; the hundreds of rules are only sampled.
     */
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
                      scn_excerpt(reader->arena, node->text),
                      near ? scn_nearest_hint(reader->arena, &nearest)
                           : word_list(reader->arena, shape));
}

/* Reads a name as an index. That a referenced step has the right verb and has run before is checked
 * on the finished model (check.c). */
static bool reference_read(scn_reader *reader, const scn_shape *shape, const scn_node *node,
                           void *out)
{
    CHECK((unsigned)shape->table < SCN_TABLE_COUNT);
    const scn_names *names = &reader->names[shape->table];
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
    /* If no names are known at all, problems that have already been reported are probably the
     * reason. */
    if (names->list.count == 0 && reader->reporter->count > 0) return false;
    rt_nearest nearest = rt_nearest_to(node->text);
    for (uint32_t i = 0; i < names->list.count; i++) {
        rt_text name = names->list.items[i];
        uint32_t known = rt_map_find(&names->map, name);
        CHECK(known != RT_MAP_NONE);
        if (!step || 1u << reader->step_table[known].verb & shape->verbs)
            rt_nearest_offer(&nearest, name);
    }
    const char *hint = scn_nearest_hint(reader->arena, &nearest);
    if (nearest.offered_count == 0) hint = "; there are none";
    return scn_report(reader->reporter, node->at, "unknown %s%s '%s'%s", step ? "earlier " : "",
                      noun, scn_excerpt(reader->arena, node->text), hint);
}

bool scn_kind_read(scn_reader *reader, const scn_shape *shape, const scn_node *node, void *out)
{
    switch (shape->kind) {
    case SCN_SHAPE_TEXT: return text_read(reader, shape, node, out);
    case SCN_SHAPE_NAME:
        return text_read(reader, shape, node, out) && name_check(reader, node->at, node->text);
    case SCN_SHAPE_INTEGER: return integer_read(reader, shape, node, out);
    case SCN_SHAPE_TRUTH: return truth_read(reader, shape, node, out);
    case SCN_SHAPE_WORD: return word_read(reader, shape, node, out);
    case SCN_SHAPE_CHOICE: return choice_read(reader, shape, node, out);
    case SCN_SHAPE_OBJECT: return scn_object_read(reader, shape, node, out);
    case SCN_SHAPE_REFERENCE: return reference_read(reader, shape, node, out);
    default:
        UNREACHABLE(); /* read by the row that holds it, read by `read`, or part of the model
                        * only */
    }
}

bool scn_value_read(scn_reader *reader, const scn_shape *shape, const scn_node *node, void *out)
{
    return shape->read ? shape->read(reader, node, out) : scn_kind_read(reader, shape, node, out);
}

/* ---- Lists and maps ----------------------------------------------------------------------- */

void scn_locate(scn_reader *reader, const void *field, scn_position key, scn_position value)
{
    *rt_vector_push(&reader->fields) = (scn_located){field, key, value};
}

bool scn_items_check(scn_reader *reader, const scn_shape *shape, const scn_node *node)
{
    if (node->kind != (shape->kind == SCN_SHAPE_LIST ? SCN_NODE_LIST : SCN_NODE_MAPPING))
        return scn_report_expected(reader, node, shape->noun);
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

#define IS_NAMED(type) (offsetof(type, name) == 0 && offsetof(type, at) == offsetof(scn_named, at))
_Static_assert(IS_NAMED(scn_module) && IS_NAMED(scn_memory) && IS_NAMED(scn_device) &&
                   IS_NAMED(scn_spec_constant),
               "name and position first");

bool scn_items_read(scn_reader *reader, const scn_row *row, const scn_node *node, void *out_object)
{
    char *object = out_object;
    const scn_shape *shape = row->shape;
    if (!scn_items_check(reader, shape, node)) return false;
    CHECK(shape->element_size > 0 && row->place.count_offset > 0);
    CHECK_IMPLIES(shape->in_place, node->count * shape->element_size <= row->place.size);
    char *item = object + row->place.offset;
    if (!shape->in_place) {
        char *table = rt_arena_alloc_array(reader->arena, node->count, shape->element_size);
        memcpy(item, &table, sizeof table);
        item = table;
    }
    memcpy(object + row->place.count_offset, &node->count, sizeof node->count);
    bool valid = true;
    for (uint32_t i = 0; i < node->count; i++, item += shape->element_size) {
        const scn_node *value;
        if (shape->kind == SCN_SHAPE_LIST) {
            value = &node->items[i];
            scn_locate(reader, item, value->at, value->at);
        } else {
            const scn_entry *entry = &node->entries[i];
            value = &entry->value;
            memcpy(item, &(scn_named){entry->key, entry->at}, sizeof(scn_named));
            valid = (shape->any_key || name_check(reader, entry->at, entry->key)) && valid;
        }
        valid = scn_value_read(reader, shape->element, value, item) && valid;
    }
    return valid;
}

/* ---- Objects ------------------------------------------------------------------------------ */

/* The keys of the rows with any of these flags (0: of all rows) and, unless `mapping`, the words
 * that are allowed in place of the mapping. */
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

bool scn_report_absent(scn_reader *reader, const char *const *absent, const scn_entry *entry,
                       bool *out_valid)
{
    while (absent && *absent && !rt_text_is(entry->key, *absent))
        absent++;
    if (!absent || !*absent) return false;
    *out_valid = scn_report(reader->reporter, entry->at,
                            "'%s' is not built: there are no images, samplers and pipes "
                            "(docs/scenario-reference.md, \"What is not there\")",
                            *absent);
    return true;
}

static bool report_unknown_key(scn_reader *reader, const scn_shape *shape, const scn_entry *entry)
{
    bool valid;
    if (scn_report_absent(reader, shape->absent, entry, &valid)) return valid;
    rt_nearest nearest = rt_nearest_to(entry->key);
    for (uint32_t i = 0; i < shape->row_count; i++)
        if (scn_row_is_documented(&shape->rows[i]))
            rt_nearest_offer(&nearest, rt_text_of(shape->rows[i].key));
    beside_each(shape, word_offer, &nearest);
    const char *excerpt = scn_excerpt(reader->arena, entry->key);
    /* "unknown key 'x' in a memory", but "unknown step 'x'". */
    const char *in = shape->key_noun ? "" : " in ", *noun = shape->key_noun ? "" : shape->noun;
    if (nearest.best.length > 0) {
        return scn_report(reader->reporter, entry->at, "unknown %s '%s'%s%s%s", key_noun(shape),
                          excerpt, in, noun, scn_nearest_hint(reader->arena, &nearest));
    }
    return scn_report(reader->reporter, entry->at, "unknown %s '%s'%s%s; expected one of: %s",
                      key_noun(shape), excerpt, in, noun, key_list(reader->arena, shape, 0, false));
}

const scn_row *scn_shape_row(const scn_shape *shape, rt_text key)
{
    for (uint32_t i = 0; i < shape->row_count; i++)
        if (shape->rows[i].key && rt_text_is(key, shape->rows[i].key)) return &shape->rows[i];
    return NULL;
}

/* Reports the keys of a mapping for which there is no row. */
static bool keys_check(scn_reader *reader, const scn_shape *shape, const scn_node *node)
{
    bool valid = true;
    for (uint32_t i = 0; i < node->count; i++) {
        const scn_entry *entry = &node->entries[i];
        if (!scn_shape_row(shape, entry->key)) valid = report_unknown_key(reader, shape, entry);
    }
    return valid;
}

static bool row_read(scn_reader *reader, const scn_row *row, const scn_entry *entry, char *object)
{
    const bool is_present = true;
    const scn_shape *shape = row->shape;
    void *out = object + row->place.offset;
    if (row->place.size > 0 || !(row->flags & SCN_WRITTEN))
        scn_locate(reader, out, entry->at, entry->value.at);
    if (row->place.given_offset > 0)
        memcpy(object + row->place.given_offset, &is_present, sizeof is_present);
    if (row->flags & SCN_LATER) return true;
    if (!shape->read && (shape->kind == SCN_SHAPE_LIST || shape->kind == SCN_SHAPE_MAP))
        return scn_items_read(reader, row, &entry->value, object);
    bool is_flag = shape->kind == SCN_SHAPE_CHOICE && row->place.size == sizeof(bool);
    bool is_narrow = shape->kind == SCN_SHAPE_INTEGER && row->place.size == sizeof(uint32_t);
    if (shape->read || !(is_flag || is_narrow))
        return scn_value_read(reader, shape, &entry->value, out);
    /* The field is narrower than the value as read. */
    CHECK(is_flag ? shape->choice_count <= 2 : shape->most <= UINT32_MAX);
    uint64_t wide = 0;
    if (!scn_kind_read(reader, shape, &entry->value, &wide)) return false;
    uint32_t narrow = (uint32_t)wide;
    bool flag = wide != 0;
    memcpy(out, is_flag ? (void *)&flag : (void *)&narrow, row->place.size);
    return true;
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

/* Reports keys that are present without a key that they require, or together with a key that they
 * exclude. */
static bool relations_check(scn_reader *reader, const scn_shape *shape, const scn_node *node)
{
    /* Without exactly one alternative, which is a problem that the caller reports, an object's
     * other keys mean little. */
    uint32_t alternatives = 0, found_alternatives = 0;
    for (uint32_t i = 0; i < shape->row_count; i++) {
        if (!(shape->rows[i].flags & SCN_ALTERNATIVE)) continue;
        alternatives++;
        if (scn_node_entry(node, shape->rows[i].key)) found_alternatives++;
    }
    if (alternatives > 0 && found_alternatives != 1) return true;
    bool valid = true;
    for (uint32_t i = 0; i < shape->relation_count; i++) {
        const scn_relation *relation = &shape->relations[i];
        const scn_entry *entry = scn_node_entry(node, relation->key);
        if (!entry) continue;
        bool found = false;
        for (uint32_t k = 0; k < SCN_RELATION_KEYS_MAX && relation->others[k] && !found; k++)
            found = scn_node_entry(node, relation->others[k]) != NULL;
        if (found == (relation->kind == SCN_NEEDS)) continue;
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
    return scn_report_expected(reader, node, expected);
}

bool scn_object_check(scn_reader *reader, const scn_shape *shape, const scn_node *node)
{
    return mapping_check(reader, shape, node) && keys_check(reader, shape, node) &&
           relations_check(reader, shape, node);
}

/* If some key is unknown (`complete` is false), a missing key is probably the one that was meant,
 * and is not reported. */
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
                                const char *missing)
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
    scn_report(reader->reporter, node->at, "%s needs %s; expected one of: %s", shape->noun, missing,
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
const scn_shape scn_shape_command_reference = CREATED_BY(
    "a command",
    SCN_VERB_BIT(SUBMIT) | SCN_VERB_BIT(COPY) | SCN_VERB_BIT(FILL) | SCN_VERB_BIT(BARRIER) |
        SCN_VERB_BIT(MARKER) | SCN_VERB_BIT(USER_EVENT) | SCN_VERB_BIT(HOST_TASK) |
        SCN_VERB_BIT(MAP) | SCN_VERB_BIT(UNMAP) | SCN_VERB_BIT(COMPLETE_FUSION),
    "commands are created by submit, copy, fill, barrier, marker, user_event, host_task, map, unmap "
    "and complete_fusion");
const scn_shape scn_shape_user_event_reference =
    CREATED_BY("a user event", SCN_VERB_BIT(USER_EVENT),
               "create a user event with '- user_event: {id: NAME}'");
const scn_shape scn_shape_map_reference =
    CREATED_BY("a map", SCN_VERB_BIT(MAP),
               "map a buffer with '- map: {memory: NAME, access: ACCESS}' and an 'id'");
const scn_shape scn_shape_queue_reference =
    CREATED_BY("a queue", SCN_VERB_BIT(QUEUE), "create a queue with '- queue: {id: NAME}'");
const scn_shape scn_shape_context_reference =
    CREATED_BY("a context", SCN_VERB_BIT(CONTEXT),
               "create a context with '- context: {id: NAME, devices: [...]}'");
const scn_shape scn_shape_bundle_reference = CREATED_BY(
    "a bundle", SCN_VERB_BIT(BUNDLE), "create a bundle with '- bundle: {id: NAME, get: STATE}'");
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
