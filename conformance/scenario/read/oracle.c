/* Expected values from a table: each work-item of a range stores what built-ins return about its
 * position (the `answers`), one record per work-item, in the order of their linear ids. The reader
 * computes the bytes, so that packs and comparisons see only values. */
#include "conformance/scenario/resolve/oracle.h"
#include "conformance/scenario/check.h"
#include "conformance/scenario/model/type.h"
#include "conformance/scenario/read/range.h"
#include "conformance/scenario/yaml/number.h"

#include <string.h>

_Static_assert((int)SCN_ORACLE_DIMENSIONS == (int)RT_ND_RANGE_DIMENSIONS,
               "the table has as many dimensions as a submit");

/* ---- The form ----------------------------------------------------------------------------- */

/* Three words for each built-in that takes a dimension, then the other built-ins: see answer_of. */
static const scn_choice answers[] = {
#define INDEXED_CHOICES(built_in, name, of_groups)                                                 \
    {name "(0)", true}, {name "(1)", true}, {name "(2)", true},
#define PLAIN_CHOICE(built_in, name, of_groups) {name, true},
    SCN_INDEXED_BUILT_INS(INDEXED_CHOICES) SCN_PLAIN_BUILT_INS(PLAIN_CHOICE)
#undef INDEXED_CHOICES
#undef PLAIN_CHOICE
};
enum { ANSWER_COUNT = sizeof answers / sizeof *answers };

static const scn_shape shape_answer = {SCN_CHOICE("a built-in", answers)};
static const scn_shape shape_answers = {
    SCN_LIST("a list of built-ins", uint32_t, &shape_answer),
    .least = 1,
    .most = ANSWER_COUNT,
};

typedef struct oracle_draft {
    uint64_t range[RT_ND_RANGE_DIMENSIONS], offset[RT_ND_RANGE_DIMENSIONS];
    uint64_t local[RT_ND_RANGE_DIMENSIONS];
    uint32_t range_count, offset_count, local_count;
    uint32_t answer_count;
    const uint32_t *answers; /* indices into the table `answers` */
} oracle_draft;

static const scn_row oracle_rows[] = {
    {"range", &scn_shape_sizes, SCN_REQUIRED, SCN_ITEMS(oracle_draft, range, range_count),
     "The range with which the kernel was submitted; the first number is the size in dimension 0, "
     "that of get_global_id(0)."},
    {"offset", &scn_shape_offsets, 0, SCN_ITEMS(oracle_draft, offset, offset_count),
     "The range's offset in each dimension; default: 0."},
    {"local", &scn_shape_sizes, 0, SCN_ITEMS(oracle_draft, local, local_count),
     "The local size in each dimension; required if an answer depends on work-groups."},
    {"answers", &shape_answers, SCN_REQUIRED, SCN_ITEMS(oracle_draft, answers, answer_count),
     "The built-ins whose answers each work-item stored, in this order, one element for each."},
};
/* All keys have the same number of dimensions, and a local size is given if answers depend on it.
 */
#define OF_GROUPS "'^(group_id|num_groups|local_|enqueued_local_)'"
#define ORACLE_ALSO                                                                                \
    "{'allOf': [" SCN_SAME_DIMENSIONS ", {'if': {'properties': {'answers': {'contains': "          \
    "{'pattern': " OF_GROUPS "}}}}, 'then': {'required': ['local']}}]}"
const scn_shape scn_shape_oracle = {SCN_OBJECT("an oracle", oracle_rows), .also = ORACLE_ALSO};

/* ---- Its parts ---------------------------------------------------------------------------- */

/* The query that a word of `answers` stands for. */
typedef struct answer {
    scn_built_in built_in;
    uint32_t dimension;
} answer;

static answer answer_of(uint32_t choice)
{
    enum { INDEXED = SCN_BUILT_IN_PLAIN_FIRST * SCN_ORACLE_DIMENSIONS };
    CHECK(choice < ANSWER_COUNT);
    if (choice >= INDEXED)
        return (answer){(scn_built_in)(SCN_BUILT_IN_PLAIN_FIRST + choice - INDEXED), 0};
    return (answer){(scn_built_in)(choice / SCN_ORACLE_DIMENSIONS), choice % SCN_ORACLE_DIMENSIONS};
}

static bool range_of(scn_reader *reader, const scn_node *node, const oracle_draft *draft,
                     scn_nd_range *out_range)
{
    uint32_t dimensions = draft->range_count;
    *out_range = (scn_nd_range){.dimensions = dimensions, .global = {1, 1, 1}};
    memcpy(out_range->global, draft->range, dimensions * sizeof *draft->range);
    memcpy(out_range->offset, draft->offset, sizeof draft->offset);
    memcpy(out_range->local, draft->local, sizeof draft->local);
    const scn_node *offset = scn_node_value(node, "offset"), *local = scn_node_value(node, "local");
    if ((offset && !scn_dimensions_check(reader->reporter, offset->at, "offset",
                                         draft->offset_count, dimensions)) ||
        (local && !scn_dimensions_check(reader->reporter, local->at, "local", draft->local_count,
                                        dimensions)))
        return false;
    if (draft->local_count == 0) return true;
    CHECK(draft->local_count == dimensions);
    for (uint32_t d = 0; d < dimensions; d++) {
        CHECK(out_range->local[d] > 0); /* scn_shape_sizes */
        if (out_range->global[d] % out_range->local[d] == 0) continue;
        return scn_report(reader->reporter, local->at,
                          "local size %" PRIu64 " does not divide range %" PRIu64
                          " in dimension %u, so no kernel can have run with it; choose a divisor",
                          out_range->local[d], out_range->global[d], d);
    }
    for (uint32_t d = dimensions; d < SCN_ORACLE_DIMENSIONS; d++)
        out_range->local[d] = 1;
    return true;
}

/* Checks that the memory's elements are scalars, that no answer depends on a local size that the
 * device chooses, and that all records fit into the memory; elements after the last record keep
 * their initial values. */
static bool fit_check(scn_reader *reader, const scn_node *node, const oracle_draft *draft,
                      const scn_memory *memory)
{
    const char *name = scn_excerpt(reader->arena, memory->name);
    if (memory->layout.is_struct || memory->layout.fields[0].lanes != 1) {
        return scn_report(
            reader->reporter, node->at,
            "an oracle's answers are scalars, but the elements of memory '%s' have type %s", name,
            scn_layout_print(reader->arena, &memory->layout).data);
    }
    for (uint32_t i = 0; i < draft->answer_count && draft->local_count == 0; i++) {
        if (!scn_oracle_is_of_groups(answer_of(draft->answers[i]).built_in)) continue;
        return scn_report(reader->reporter, scn_node_value(node, "answers")->items[i].at,
                          "'%s' depends on the local size, which the device chooses; give 'local' "
                          "here and in the submit",
                          answers[draft->answers[i]].name);
    }
    CHECK(draft->answer_count > 0);
    uint64_t left = memory->count / draft->answer_count, written = draft->answer_count;
    for (uint32_t d = 0; d < draft->range_count; d++) {
        left /= draft->range[d];
        written *= left > 0 ? draft->range[d] : 1;
    }
    if (left == 0) {
        return scn_report(reader->reporter, node->at,
                          "work-items with %u answer%s each do not fit into the %" PRIu64
                          " elements of memory '%s'",
                          draft->answer_count, draft->answer_count == 1 ? "" : "s", memory->count,
                          name);
    }
    CHECK(written <= memory->count);
    if (written == memory->count || memory->initial.data) return true;
    return scn_report(reader->reporter, node->at,
                      "memory '%s' has %" PRIu64 " elements, of which the work-items write %" PRIu64
                      "; give the memory 'values', which the other elements keep",
                      name, memory->count, written);
}

/* ---- The table in bytes ------------------------------------------------------------------- */

bool scn_oracle_read(scn_reader *reader, const scn_node *node, const scn_memory *memory,
                     rt_bytes *out_values)
{
    oracle_draft draft = {0};
    scn_nd_range range;
    uint8_t *bytes;
    if (!scn_object_read(reader, &scn_shape_oracle, node, &draft) ||
        !range_of(reader, node, &draft, &range) || !fit_check(reader, node, &draft, memory) ||
        !scn_values_alloc(reader, node, &memory->layout, memory->count, &bytes))
        return false;
    *out_values = (rt_bytes){bytes, memory->count * memory->layout.size};
    if (memory->initial.data) memcpy(bytes, memory->initial.data, out_values->size);
    scn_type type = memory->layout.fields[0].type;
    scn_place place = {0};
    uint64_t items = scn_oracle_items(&range);
    for (uint64_t i = 0; i < items; i++, scn_oracle_next(&range, &place)) {
        for (uint32_t k = 0; k < draft.answer_count; k++, bytes += memory->layout.size) {
            answer asked = answer_of(draft.answers[k]);
            uint64_t value = scn_oracle_answer(&range, &place, asked.built_in, asked.dimension);
            if (scn_number_of_integer(type, (scn_integer){false, value}, bytes)) continue;
            return scn_report(reader->reporter, node->at,
                              "'%s' reaches %" PRIu64 ", which type %s cannot hold%s",
                              answers[draft.answers[k]].name, value, scn_type_name(type),
                              scn_type_class(type) == 'f' ? " exactly" : "");
        }
    }
    CHECK(place.linear == 0); /* all work-items have been visited */
    return true;
}
