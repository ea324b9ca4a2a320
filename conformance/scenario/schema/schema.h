/* The table of the scenario format, from which everything that knows the format is derived.
 *
 * A struct of the model ("a submit") is a table of rows, one for each field: the key under which
 * scenarios write it, the shape of its value, whether it is required, its value if the key is
 * absent, its place in the struct, and one sentence of documentation. The reader and its messages
 * (with the nearest valid names), the JSON Schema, the reference page, the reading and writing of
 * packs, and the checks of references between steps are all driven by the same rows. What rows
 * cannot express is in the object's `finish` function. */
#ifndef CONFORMANCE_SCENARIO_SCHEMA_H
#define CONFORMANCE_SCENARIO_SCHEMA_H

#include "conformance/scenario/model/scenario.h"
#include "conformance/scenario/yaml/yaml.h"
#include "reference/base/map.h"
#include "reference/base/vector.h"

/* Names that references are resolved against. */
typedef struct scn_names {
    rt_map map; /* name -> index */
    RT_VECTOR(rt_text) list;
} scn_names;

/* The tables into which references are indices. */
typedef enum scn_table {
    SCN_TABLE_MODULES,
    SCN_TABLE_DEVICES, /* "device" if the scenario names none */
    SCN_TABLE_MEMORIES,
    SCN_TABLE_STEPS,
    SCN_TABLE_COUNT
} scn_table;

/* The state of reading one scenario.  Tables are read in the order of the rows, whatever their
 * order in the file: modules, devices, memories, steps. */
typedef struct scn_reader {
    scn_reporter *reporter;
    rt_arena *arena;
    scn_scenario *scenario;           /* being filled */
    scn_names names[SCN_TABLE_COUNT]; /* for steps, the ids of those before the one being read; for
                                       * the other tables all names, known before the first item is
                                       * read */
    scn_step *step_table;             /* has room for all steps; filled up to step_count */
    uint32_t step_count;              /* steps read so far */
    uint32_t process;                 /* the first step after the last restart; 0: none so far */
    uint32_t thread;                  /* scn_step.thread of the steps being read */
    uint32_t device;                  /* the device chosen by the last device step */
    uint64_t values_size;             /* bytes of initial and expected values so far */
    RT_VECTOR(scn_located) fields;    /* the positions in the file of the fields read so far */
} scn_reader;

typedef struct scn_shape scn_shape;

/* Flags of rows. */
enum {
    SCN_REQUIRED = 1,    /* the key must be present */
    SCN_ALTERNATIVE = 2, /* exactly one of the keys with this flag must be present */
    SCN_SUFFICES = 4,    /* the key may replace an alternative, or accompany one */
    SCN_REPEATED = 8,    /* another row of the object already describes the key */
    SCN_WRITTEN = 16,    /* exists only in files: in the model, other rows hold the value */
    SCN_LATER = 32, /* read by the object's `finish`, because its meaning depends on other keys */
    /* The field's value if the key is absent; without any of these flags, 0 or nothing. */
    SCN_OR_NONE = 64,    /* SCN_NONE, which packs may contain for this reference, too */
    SCN_OR_CHOSEN = 128, /* the device that the last device step chose */
    SCN_OR_TRUE = 256,
};

/* Where a row's value is stored in the struct that holds it. */
typedef struct scn_field_place {
    uint32_t offset, size; /* of the field; size 0: the struct as a whole */
    uint32_t count_offset; /* LIST, MAP: of the field that holds the number of items */
    uint32_t given_offset; /* of the bool that records whether the key is present; 0: none */
} scn_field_place;

typedef struct scn_row {
    const char *key; /* NULL: exists only in the model, not in scenario files */
    const scn_shape *shape;
    uint32_t flags;
    scn_field_place place;
    const char *doc; /* one sentence; NULL if `key` is NULL */
} scn_row;

/* What one key of an object requires of the other keys. */
typedef enum scn_relation_kind {
    SCN_NEEDS, /* at least one of them must be present */
    SCN_BARS,  /* none of them may be present */
} scn_relation_kind;

enum { SCN_RELATION_KEYS_MAX = 5 };

typedef struct scn_relation {
    const char *key;
    scn_relation_kind kind;
    const char *others[SCN_RELATION_KEYS_MAX]; /* the unused ones are NULL */
    const char *message; /* reported at the key if the relation is violated; NULL: "'KEY' requires
                          * 'OTHER'" */
} scn_relation;

/* One word of a closed vocabulary. */
typedef struct scn_choice {
    const char *name;
    bool is_accepted; /* false: the word is known, but refused */
} scn_choice;

typedef enum scn_shape_kind {
    SCN_SHAPE_TEXT,    /* rt_text: a non-empty scalar */
    SCN_SHAPE_NAME,    /* rt_text: a letter or '_', then letters, digits, '_', '.', '-' */
    SCN_SHAPE_INTEGER, /* uint64_t or uint32_t from least to most */
    SCN_SHAPE_TRUTH,   /* bool: a plain true or false */
    SCN_SHAPE_CHOICE,  /* uint32_t, enum or, for two choices, bool: index into choices */
    SCN_SHAPE_WORD,    /* rt_text: one of the words that `word` returns */
    SCN_SHAPE_LIST,    /* const ELEMENT *, or an array of `most` ELEMENTs; and a uint32_t count */
    SCN_SHAPE_MAP,     /* the same; keys are names, and ELEMENT begins with {rt_text, scn_position}
                        */
    SCN_SHAPE_OBJECT,  /* a struct, filled by its rows */
    SCN_SHAPE_REFERENCE, /* uint32_t: a name, stored as an index into a table of the scenario */
    SCN_SHAPE_OTHER,     /* one of `alternatives`, read by `read` */
    /* Parts of the model without a key of their own: */
    SCN_SHAPE_POSITION, /* scn_position */
    SCN_SHAPE_BYTES,    /* rt_bytes */
    SCN_SHAPE_LAYOUT,   /* scn_layout */
    SCN_SHAPE_DOUBLE,   /* double */
    SCN_SHAPE_RULE,     /* rt_rule */
    SCN_SHAPE_IMAGES,   /* rt_image_list */
    SCN_SHAPE_SET,      /* rt_property_set */
    SCN_SHAPE_POINTER,  /* const ELEMENT *, or NULL */
} scn_shape_kind;

/* Values whose types the schema describes in more detail than the table. */
typedef enum scn_typing {
    SCN_UNTYPED,
    SCN_TYPED_BY_KEY,   /* MAP of {TYPE: VALUE}: each key is the type of its value */
    SCN_TYPED_MEMORY,   /* OBJECT: `type` gives the type of the elements in `values` */
    SCN_TYPED_VARIABLE, /* OBJECT: `type` gives the type of the elements in `equals` */
} scn_typing;

enum { SCN_ALTERNATIVE_COUNT_MAX = 4 };

#define SCN_VERB_BIT(verb) (1u << SCN_VERB_##verb)

struct scn_shape {
    scn_shape_kind kind;
    const char *noun;     /* with an article, for messages: "a memory" */
    const char *key_noun; /* OBJECT: what its keys are called; NULL: "key" */
    /* OBJECT: keys for what this version does not have (scn_report_absent), ended by NULL; NULL:
     * none */
    const char *const *absent;
    uint64_t least, most; /* INTEGER: values; LIST, MAP: number of items (most 0: any) */
    const scn_choice *choices;
    uint32_t choice_count;
    const char *(*word)(uint32_t index); /* WORD: the word with that index (static), NULL past the
                                          * end */
    const scn_row *rows;                 /* OBJECT */
    uint32_t row_count;
    const scn_relation *relations; /* OBJECT: relations between its keys, checked in this order */
    uint32_t relation_count;
    /* For the schema only: the conditions that the reader checks in code, in the schema's terms. */
    scn_typing typing;
    const char *pattern;      /* TEXT, NAME; MAP: for its keys. An ECMA 262 regular expression */
    const char *also;         /* a JSON Schema that must hold in addition, written with ' in place
                               * of " */
    const scn_shape *beside;  /* OBJECT with verbs, CHOICE: another shape allowed here, whose words
                               * messages also list; NULL: none */
    const scn_shape *element; /* LIST, MAP */
    bool unique;              /* LIST: it has no duplicates; the reader checks this in code */
    bool empty;               /* TEXT: may be empty, if quoted */
    bool any_key;             /* MAP: keys may be any text */
    const scn_shape *keys;    /* MAP that no row holds: the WORD shape of its keys; NULL: names */
    uint32_t element_size;    /* bytes */
    bool in_place;            /* LIST: stored as an array of `most` items in the struct itself */
    /* OBJECT: reads what the rows cannot express into the struct that they have filled, from the
     * same node (which is a scalar if `shorthand` was used); false after a problem.
     */
    bool (*finish)(scn_reader *reader, const scn_node *node, void *object);
    bool shorthand; /* OBJECT: a scalar stands for the value of the first row */
    /* OBJECT that is a tagged union: the place of its tag, and the row of each tag's union member.
     */
    scn_field_place tag;
    const scn_row *const *variants;
    uint32_t variant_count;
    /* REFERENCE */
    scn_table table;
    uint32_t verbs;       /* STEPS: the verbs that may be referred to, as SCN_VERB_BITs */
    const char *mistaken; /* STEPS: the end of the message for a step with another verb */
    /* Reads the value into *out, which is zeroed, in place of the reader for the shape's kind;
     * false after a problem. An OTHER that has no `read` must be SCN_LATER. */
    bool (*read)(scn_reader *reader, const scn_node *node, void *out);
    const scn_shape *stored; /* with `read`, and for OTHER: the shape in which the model stores the
                              * value; NULL: not at all, the row exists only in files */
    const scn_shape *alternatives[SCN_ALTERNATIVE_COUNT_MAX]; /* OTHER; the unused ones are NULL */
};

#define SCN_ROWS(table)      .rows = (table), .row_count = sizeof(table) / sizeof *(table)
#define SCN_RELATIONS(table) .relations = (table), .relation_count = sizeof(table) / sizeof *(table)
#define SCN_CHOICES(table)   .choices = (table), .choice_count = sizeof(table) / sizeof *(table)

/* The fields that every shape of a kind has; others may follow, such as `.least = 1`. NUMBER, TABLE
 * and STRUCT are for parts of the model that have no key. */
#define SCN_TEXT(noun_)                   .kind = SCN_SHAPE_TEXT, .noun = (noun_)
#define SCN_NAME(noun_)                   .kind = SCN_SHAPE_NAME, .noun = (noun_)
#define SCN_TRUTH(noun_)                  .kind = SCN_SHAPE_TRUTH, .noun = (noun_)
#define SCN_WORD(noun_, word_)            .kind = SCN_SHAPE_WORD, .noun = (noun_), .word = (word_)
#define SCN_CHOICE(noun_, table)          .kind = SCN_SHAPE_CHOICE, .noun = (noun_), SCN_CHOICES(table)
#define SCN_NUMBER(most_)                 .kind = SCN_SHAPE_INTEGER, .most = (most_)
#define SCN_INTEGER(noun_, least_, most_) SCN_NUMBER(most_), .noun = (noun_), .least = (least_)
#define SCN_TABLE(type, element_)                                                                  \
    .kind = SCN_SHAPE_LIST, .element = (element_), .element_size = sizeof(type)
#define SCN_LIST(noun_, type, element_) SCN_TABLE(type, element_), .noun = (noun_)
#define SCN_MAP(noun_, type, element_)                                                             \
    .kind = SCN_SHAPE_MAP, .noun = (noun_), .element = (element_), .element_size = sizeof(type)
#define SCN_STRUCT(table)        .kind = SCN_SHAPE_OBJECT, SCN_ROWS(table)
#define SCN_OBJECT(noun_, table) SCN_STRUCT(table), .noun = (noun_)

/* The place of a row's value: a field (FIELD); a pointer field and its count (ITEMS); either of
 * these with the bool that records whether the key is present (IF); fields of the same struct,
 * named by the rows of the nested object (SAME); no place at all (NOWHERE). */
#define SCN_SIZE_OF(type, field) (uint32_t)sizeof(((type *)0)->field)
#define SCN_FIELD(type, field)                                                                     \
    {                                                                                              \
        (uint32_t) offsetof(type, field), SCN_SIZE_OF(type, field), 0, 0                           \
    }
#define SCN_FIELD_IF(type, field, flag)                                                            \
    {                                                                                              \
        (uint32_t) offsetof(type, field), SCN_SIZE_OF(type, field), 0,                             \
            (uint32_t)offsetof(type, flag)                                                         \
    }
#define SCN_ITEMS(type, items, count)                                                              \
    {                                                                                              \
        (uint32_t) offsetof(type, items), SCN_SIZE_OF(type, items),                                \
            (uint32_t)offsetof(type, count), 0                                                     \
    }
#define SCN_ITEMS_IF(type, items, count, flag)                                                     \
    {                                                                                              \
        (uint32_t) offsetof(type, items), SCN_SIZE_OF(type, items),                                \
            (uint32_t)offsetof(type, count), (uint32_t)offsetof(type, flag)                        \
    }
#define SCN_SAME                                                                                   \
    {                                                                                              \
        0, 0, 0, 0                                                                                 \
    }
#define SCN_NOWHERE                                                                                \
    {                                                                                              \
        0, 0, 0, 0                                                                                 \
    }

/* A row that exists only in the model, and the same for a list. */
#define SCN_HIDDEN(shape, type, field)                                                             \
    {                                                                                              \
        NULL, shape, 0, SCN_FIELD(type, field), NULL                                               \
    }
#define SCN_HIDDEN_ITEMS(shape, type, items, count)                                                \
    {                                                                                              \
        NULL, shape, 0, SCN_ITEMS(type, items, count), NULL                                        \
    }

/* True if a row is documented: it has a key that no other row describes. */
static inline bool scn_row_is_documented(const scn_row *row)
{
    return row->key && !(row->flags & SCN_REPEATED);
}

/* The shape in which the model stores a value of `shape`; NULL if the value is not stored. */
static inline const scn_shape *scn_shape_stored(const scn_shape *shape)
{
    while (shape && (shape->read || shape->stored || shape->kind == SCN_SHAPE_OTHER))
        shape = shape->stored;
    return shape;
}

/* The same for a row; also NULL if the row exists only in files. */
static inline const scn_shape *scn_row_stored(const scn_row *row)
{
    return row->flags & SCN_WRITTEN ? NULL : scn_shape_stored(row->shape);
}

/* The first fields of every element of a map. */
typedef struct scn_named {
    rt_text name;
    scn_position at;
} scn_named;

/* Reads a value of any shape but LIST and MAP into *out (zeroed by the caller).  False after a
 * problem. */
bool scn_value_read(scn_reader *reader, const scn_shape *shape, const scn_node *node, void *out);

/* The same, but ignores `read`: for `read` functions that refine the result. */
bool scn_kind_read(scn_reader *reader, const scn_shape *shape, const scn_node *node, void *out);

/* Reports "expected X, found Y" at a node; always returns false. */
bool scn_report_expected(scn_reader *reader, const scn_node *node, const char *expected);

/* Reads a mapping according to the rows of an OBJECT shape: absent keys get their default values,
 * the relations between keys are checked, and `finish` is called if nothing was wrong. False after
 * a problem; the fields of rows without problems are filled nevertheless. */
bool scn_object_read(scn_reader *reader, const scn_shape *shape, const scn_node *node, void *out);

/* The parts of scn_object_read, for an object whose rows belong to several structs: the first
 * checks that the keys of a mapping belong to the shape and may be combined; the second reads the
 * rows of one struct. */
bool scn_object_check(scn_reader *reader, const scn_shape *shape, const scn_node *node);
bool scn_rows_read(scn_reader *reader, const scn_shape *shape, const scn_node *node, void *out);

/* True if a node is a list (LIST) or mapping (MAP) with an allowed number of items; otherwise
 * reports the problem. */
bool scn_items_check(scn_reader *reader, const scn_shape *shape, const scn_node *node);

/* Reads the list or map of a row into a table in the arena, or in place, and stores the number of
 * items. False after a problem. */
bool scn_items_read(scn_reader *reader, const scn_row *row, const scn_node *node, void *out_object);

/* The first row of an object with that key; NULL if it has none. */
const scn_row *scn_shape_row(const scn_shape *shape, rt_text key);

/* Reports an entry whose key stands for what this version does not have.  False, with *out_valid
 * unchanged: the key is not one of these (`absent`, ended by NULL). */
bool scn_report_absent(scn_reader *reader, const char *const *absent, const scn_entry *entry,
                       bool *out_valid);

/* Sets the fields of all rows of a shape to the values that they have if their keys are absent. */
void scn_rows_clear(scn_reader *reader, const scn_shape *shape, void *out);

/* The row index of the only alternative among the keys that are present. If there is none or more
 * than one, reports a problem and returns SCN_NONE. `missing` names what is missing if there is
 * none, for example "a verb".
 */
uint32_t scn_object_alternative(scn_reader *reader, const scn_shape *shape, const scn_node *node,
                                const char *missing);

/* The value under a key; NULL if the key is absent or the node is not a mapping. */
static inline const scn_node *scn_node_value(const scn_node *node, const char *key)
{
    const scn_entry *entry = scn_node_entry(node, key);
    return entry ? &entry->value : NULL;
}

/* Records where a field of the model is written in the file, for the checks of the finished model.
 */
void scn_locate(scn_reader *reader, const void *field, scn_position key, scn_position value);

/* Stores the node itself (out: const scn_node **), for keys whose meaning depends on other keys. */
bool scn_node_keep(scn_reader *reader, const scn_node *node, void *out);

/* The names that name_check in schema.c accepts, and image names. */
#define SCN_NAME_CHARACTERS "[A-Za-z_][A-Za-z0-9_.-]*"
#define SCN_IMAGE_PATTERN   "^" SCN_NAME_CHARACTERS "/(0|[1-9][0-9]*)$"

/* What scn_hexadecimal_read accepts, and those numbers accepted by scn_integer_read that YAML does
 * not read as numbers. */
#define SCN_HEXADECIMAL_PATTERN        "^[ \\n]*([0-9a-fA-F]{2}[ \\n]*)+$"
#define SCN_SIGNED_HEXADECIMAL_PATTERN "^[-+]?0[xX][0-9a-fA-F]+$"

/* References (uint32_t): to memories, modules and devices by name, to earlier steps by id; SCN_NONE
 * after a problem. */
extern const scn_shape scn_shape_memory_reference;
extern const scn_shape scn_shape_module_reference;
extern const scn_shape scn_shape_device_reference;
extern const scn_shape scn_shape_command_reference;    /* a step that creates a command */
extern const scn_shape scn_shape_command_references;   /* LIST of command references, for `after` */
extern const scn_shape scn_shape_queue_reference;      /* a step that creates a queue */
extern const scn_shape scn_shape_user_event_reference; /* a step that creates a user event */
extern const scn_shape scn_shape_map_reference;        /* a step that maps a buffer */
extern const scn_shape scn_shape_context_reference;    /* a step that creates a context */
extern const scn_shape scn_shape_bundle_reference;     /* a step that creates a kernel bundle */

/* The memory that a reference refers to; NULL if the memory's own entry has problems, which have
 * been reported. */
const scn_memory *scn_memory_of(const scn_reader *reader, uint32_t index);

/* The relation of commands that can name a queue or a device: a queue determines the device. */
#define SCN_QUEUE_OR_DEVICE                                                                        \
    {                                                                                              \
        "device", SCN_BARS, {"queue"},                                                             \
            "'device' cannot be combined with 'queue', which determines the device; remove it"     \
    }

/* A profile, named by a word of RT_PROFILES (out: rt_profile *). */
extern const scn_shape scn_shape_profile;

/* Adds a name (borrowed) with its index; a name that has been added already keeps its index. */
void scn_names_add(scn_names *names, rt_text name, uint32_t index);

/* Adds the aspects that a map sets to true to the mask *out_present, and those that it sets to
 * false to *out_absent, as bits 1u << dev_aspect. False after a problem. */
bool scn_aspects_read(scn_reader *reader, const scn_node *node, uint32_t *out_present,
                      uint32_t *out_absent);

/* Checks a module's device config against its formats; false after a problem. */
bool scn_device_config_check(scn_reader *reader, const scn_node *node, const scn_module *module);

/* The value of `holds` and `not`, keys next to the fields of an expected event: a
 * scn_image_condition. */
extern const scn_shape scn_shape_image_condition;

/* Shapes that several objects share. */
extern const scn_shape scn_shape_name;            /* rt_text */
extern const scn_shape scn_shape_kernel;          /* rt_text */
extern const scn_shape scn_shape_kernels;         /* LIST of one or more kernels */
extern const scn_shape scn_shape_variable;        /* scn_variable, found later */
extern const scn_shape scn_shape_element;         /* const scn_node * */
extern const scn_shape scn_shape_values;          /* const scn_node * */
extern const scn_shape scn_shape_oracle;          /* const scn_node *: an oracle */
extern const scn_shape scn_shape_typed_value;     /* const scn_node *: {TYPE: VALUE} */
extern const scn_shape scn_shape_value_type;      /* rt_text: a scalar or vector type */
extern const scn_shape scn_shape_options;         /* rt_text: for a compiler or linker */
extern const scn_shape scn_shape_spec_constants;  /* MAP of scn_spec_constant */
extern const scn_shape scn_shape_composite_value; /* rt_bytes: {struct: [...]}, {bytes: ...} */
extern const scn_shape scn_shape_bytes;           /* const scn_node *: hexadecimal digits */
extern const scn_shape scn_shape_null;            /* the plain word null, which stores nothing */

/* What scn_aspects_read accepts, and a module's device config (fills a scn_module). */
extern const scn_shape scn_shape_aspects_object;
extern const scn_shape scn_shape_device_config;

/* Shapes of the parts of a scenario, each in the file that reads it. */
extern const scn_shape scn_shape_format;      /* rt_format */
extern const scn_shape scn_shape_format_list; /* uint32_t: bits 1u << rt_format; may be empty */
extern const scn_shape scn_shape_modules;     /* MAP of scn_module */
extern const scn_shape scn_shape_hand_images; /* LIST of scn_hand_image */
extern const scn_shape scn_shape_globals;     /* LIST of rt_device_global */
extern const scn_shape scn_shape_devices;     /* MAP of scn_device */
extern const scn_shape scn_shape_memories;    /* MAP of scn_memory */
extern const scn_shape scn_shape_arguments;   /* LIST of scn_argument */
extern const scn_shape scn_shape_expect;      /* a mapping of expectations */
extern const scn_shape scn_shape_expects;     /* LIST of scn_expect */
extern const scn_shape scn_shape_outcomes;    /* LIST of scn_outcome */
extern const scn_shape scn_shape_refused;     /* scn_module_refusal */
extern const scn_shape scn_shape_error;       /* scn_error, as the model stores it */
extern const scn_shape scn_shape_error_value; /* an error as scenarios write it, or `none` */
extern const scn_shape scn_shape_event_name;  /* rt_text */
extern const scn_shape scn_shape_trace_event; /* scn_trace_event */
extern const scn_shape scn_shape_trace;       /* LIST of scn_trace_event */
extern const scn_shape scn_shape_promotion;   /* scn_promotion */

/* Parts of the model that have no key of their own. */
extern const scn_shape scn_shape_position;
extern const scn_shape scn_shape_raw_bytes;
extern const scn_shape scn_shape_layout;
extern const scn_shape scn_shape_text;   /* any text, including an empty one */
extern const scn_shape scn_shape_number; /* any number */
extern const scn_shape scn_shape_flag;   /* a truth value */

extern const scn_shape scn_shape_aspect_mask; /* uint32_t: bits 1u << dev_aspect */

/* The verbs as keys of a step, and the keys that all steps have (scn_step). */
extern const scn_shape scn_shape_step_object;
extern const scn_shape scn_shape_stored_step; /* a step as the model holds it */
extern const scn_shape scn_shape_steps;

/* The whole format: the object that makes up a file (scn_scenario). */
extern const scn_shape scn_shape_scenario;

/* Reads values for `count` elements of a layout (count 0: as many as the node gives) into bytes
 * that are allocated in the arena and count towards RT_SCENARIO_VALUES_MAX. *out_count is the
 * number of elements. False after a problem.
 */
bool scn_values_read(scn_reader *reader, const scn_node *node, const scn_layout *layout,
                     uint64_t count, rt_bytes *out_bytes, uint64_t *out_count);

/* Allocates zeroed bytes in the arena for `count` elements of a layout; reports a problem at the
 * node and returns false if the scenario's values would then exceed RT_SCENARIO_VALUES_MAX bytes in
 * total. */
bool scn_values_alloc(scn_reader *reader, const scn_node *node, const scn_layout *layout,
                      uint64_t count, uint8_t **out_bytes);

/* Reads an oracle, and computes the contents that the memory is expected to have after a kernel in
 * which each work-item of the oracle's range stored the results of the built-ins. The bytes are
 * allocated as in scn_values_read. False after a problem. */
bool scn_oracle_read(scn_reader *reader, const scn_node *node, const scn_memory *memory,
                     rt_bytes *out_values);

/* Reads one element (a number, a list of lanes or a map of fields) into layout->size bytes, which
 * must be zero. False after a problem. */
bool scn_element_read(scn_reader *reader, const scn_layout *layout, const scn_node *node,
                      uint8_t *out_bytes);

/* Reads the value of {TYPE: VALUE}, whose key names a scalar or vector type. The layout and the
 * bytes are allocated in the arena. False after a problem. */
bool scn_typed_value_read(scn_reader *reader, const scn_entry *entry, scn_layout *out_layout,
                          rt_bytes *out_value);

/* Reads the expectations of an expect step: a mapping that contains at most one expectation of each
 * kind. False after a problem. */
bool scn_expect_read(scn_reader *reader, const scn_node *node, scn_step *out_step);

/* Reads an outcome in a step with a verb: its error, and what else it expects. False after a
 * problem. */
bool scn_verb_outcome_read(scn_reader *reader, const scn_node *node, scn_outcome *out_outcome);

/* Reads the expectation in a step with another verb: {error: …} or {one_of: [{error: …}, …]}. False
 * after a problem. */
bool scn_refusal_read(scn_reader *reader, const scn_node *node, scn_step *out_step);

/* Appends the JSON Schema (draft 2020-12) of a format whose root is an object, such as an
 * expectation file. */
void scn_schema_of(rt_buffer *out, const scn_shape *root, const char *title);

#endif
