/* The typed table of the scenario format, and the reading that it drives.
 *
 * An object of the format ("a submit") is a table of rows, one for each key: its name, the shape of
 * its value, whether it must be there, where the value goes, one sentence for people.  Reading,
 * messages with the nearest valid name, the JSON Schema and the reference page all come from the
 * same rows. */
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

/* The state of reading one scenario.  Tables are read in the order of the rows, whatever the order
 * in the file: modules, memories, steps. */
typedef struct scn_reader {
    scn_reporter *reporter;
    rt_arena *arena;
    scn_scenario *scenario; /* being filled */
    scn_names modules;      /* all of them, known before the first is read */
    scn_names memories;     /* the same */
    scn_names devices;      /* the same; "device" where the scenario has none */
    scn_names steps;        /* ids of the steps before the one that is being read */
    scn_names commands;     /* those of them that are submits, copies and fills */
    scn_names queues;       /* those that create queues */
    scn_names contexts;     /* those that create contexts */
    scn_names bundles;      /* those that make kernel bundles */
    scn_step *step_table;   /* room for all steps; filled up to step_count */
    uint32_t step_count;    /* steps read so far */
    uint32_t parallel;      /* the parallel step that is being read; SCN_NONE outside */
    bool ends;              /* some buffer has ended */
    uint32_t process;       /* first step behind the last restart; 0 without one */
    uint32_t thread;        /* scn_step.thread of the steps that are being read */
    uint32_t device;        /* that the last device step chose */
    uint64_t values_size;   /* bytes of initial and expected values so far */
} scn_reader;

typedef struct scn_shape scn_shape;

/* Flags of rows. */
enum {
    SCN_REQUIRED = 1,    /* the key must be there */
    SCN_ALTERNATIVE = 2, /* one of the rows so marked must be there, and only one */
    SCN_SUFFICES = 4,    /* stands in for an alternative, or beside one */
};

typedef struct scn_row {
    const char *key;
    const scn_shape *shape;
    uint32_t flags;
    uint32_t offset;       /* of the field in the object that is read */
    uint32_t count_offset; /* LIST, MAP: of the field that receives the number of items */
    const char *doc;       /* one sentence */
} scn_row;

/* What one key of an object says about others that stand beside it. */
typedef enum scn_relation_kind {
    SCN_NEEDS, /* one of them must be there */
    SCN_BARS,  /* none of them may be there */
} scn_relation_kind;

enum { SCN_RELATION_KEYS_MAX = 5 };

typedef struct scn_relation {
    const char *key;
    scn_relation_kind kind;
    const char *others[SCN_RELATION_KEYS_MAX]; /* the unused ones are NULL */
    const char
        *message; /* at the key, where it does not hold; NULL: "'KEY' needs 'OTHER' beside it" */
} scn_relation;

/* One word of a closed vocabulary. */
typedef struct scn_choice {
    const char *name;
    bool taken; /* false: known, and refused by name */
} scn_choice;

typedef enum scn_shape_kind {
    SCN_SHAPE_TEXT,    /* rt_text: a scalar that is not empty */
    SCN_SHAPE_NAME,    /* rt_text: a letter or '_', then letters, digits, '_', '.', '-' */
    SCN_SHAPE_INTEGER, /* uint64_t from least to most */
    SCN_SHAPE_TRUTH,   /* bool: a plain true or false */
    SCN_SHAPE_CHOICE,  /* uint32_t or enum: index into choices */
    SCN_SHAPE_WORD,    /* rt_text: one of the words that `word` tells */
    SCN_SHAPE_LIST,    /* const ELEMENT *, and a uint32_t count */
    SCN_SHAPE_MAP,     /* the same; the key is a name, and ELEMENT begins {rt_text, scn_position} */
    SCN_SHAPE_OBJECT,  /* a struct, filled as rows say */
    SCN_SHAPE_OTHER,   /* what `read` makes of it; one of `alternatives` for the schema */
} scn_shape_kind;

/* What kind of value stands at a key that the schema looks into further than the table does. */
typedef enum scn_typing {
    SCN_UNTYPED,
    SCN_TYPED_BY_KEY,   /* MAP of {TYPE: VALUE}: each key says of which type its value is */
    SCN_TYPED_MEMORY,   /* OBJECT: `type` says what elements are in `values` */
    SCN_TYPED_VARIABLE, /* OBJECT: `type` says what elements are in `equals` */
} scn_typing;

enum { SCN_ALTERNATIVE_COUNT_MAX = 4 };

struct scn_shape {
    scn_shape_kind kind;
    const char *noun;     /* with article, for messages: "a memory" */
    const char *key_noun; /* OBJECT: what its keys are called; NULL: "key" */
    uint64_t least, most; /* INTEGER: values; LIST, MAP: number of items (most 0: any) */
    const scn_choice *choices;
    uint32_t choice_count;
    const char *(*word)(uint32_t index); /* WORD: the word of that index, static; NULL past them */
    const scn_row *rows;                 /* OBJECT */
    uint32_t row_count;
    const scn_relation *relations; /* OBJECT: between its keys; checked in this order */
    uint32_t relation_count;
    /* For the schema alone: what code checks, in the schema's words. */
    scn_typing typing;
    const char *pattern;      /* TEXT, NAME; MAP: of its keys.  An ECMA 262 expression */
    const char *also;         /* a JSON Schema with ' for ", which must hold as well */
    const scn_shape *beside;  /* OBJECT with verbs, CHOICE: what else may stand in its place, whose
                                 words messages call known too; NULL: nothing */
    const scn_shape *element; /* LIST, MAP */
    bool unique;              /* LIST: nothing is in it twice; checked by those that read it */
    bool empty;               /* TEXT for the schema: may be empty */
    bool any_key;             /* MAP that no row holds: keys may be any text */
    const scn_shape *keys;    /* MAP that no row holds: a WORD shape of its keys; NULL: names */
    uint32_t element_size;    /* bytes */
    /* OTHER.  Fills *out, which is zeroed; false after a problem. */
    bool (*read)(scn_reader *reader, const scn_node *node, void *out);
    const scn_shape *alternatives[SCN_ALTERNATIVE_COUNT_MAX]; /* the unused ones are NULL */
};

#define SCN_ROWS(table)      .rows = (table), .row_count = sizeof(table) / sizeof *(table)
#define SCN_RELATIONS(table) .relations = (table), .relation_count = sizeof(table) / sizeof *(table)
#define SCN_CHOICES(table)   .choices = (table), .choice_count = sizeof(table) / sizeof *(table)

/* Where a row's value goes: a field; a pointer field and its count; fields of the object itself,
 * which the rows of the nested object name; nowhere. */
#define SCN_FIELD(type, field) (uint32_t) offsetof(type, field), 0
#define SCN_ITEMS(type, items, count)                                                              \
    (uint32_t) offsetof(type, items), (uint32_t)offsetof(type, count)
#define SCN_SAME    0, 0
#define SCN_NOWHERE 0, 0

/* Reads any shape but LIST and MAP into *out (zeroed by the caller).  False after a problem. */
bool scn_value_read(scn_reader *reader, const scn_shape *shape, const scn_node *node, void *out);

/* Reads a mapping by the rows of an OBJECT shape and checks the relations of its keys.  Bit i of
 * *out_given tells whether row i's key is there.  False after a problem; the fields of faultless
 * rows are filled nevertheless. */
bool scn_object_read(scn_reader *reader, const scn_shape *shape, const scn_node *node, void *out,
                     uint64_t *out_given);

/* The one alternative among the rows that are given, as the row's index; SCN_NONE, and a problem,
 * when there is none or more than one.  `wanted` names what is missing: "a verb". */
uint32_t scn_object_alternative(scn_reader *reader, const scn_shape *shape, const scn_node *node,
                                uint64_t given, const char *wanted);

/* Keeps the node itself (out: const scn_node **), for keys whose reading depends on others. */
bool scn_node_keep(scn_reader *reader, const scn_node *node, void *out);

/* What is_name in schema.c takes, and an image's name. */
#define SCN_NAME_CHARACTERS "[A-Za-z_][A-Za-z0-9_.-]*"
#define SCN_IMAGE_PATTERN   "^" SCN_NAME_CHARACTERS "/(0|[1-9][0-9]*)$"

/* What scn_hexadecimal_read takes, and of scn_integer_read what YAML does not know as a number. */
#define SCN_HEXADECIMAL_PATTERN        "^[ \\n]*([0-9a-fA-F]{2}[ \\n]*)+$"
#define SCN_SIGNED_HEXADECIMAL_PATTERN "^[-+]?0[xX][0-9a-fA-F]+$"

/* Reads a memory's or a module's name into an index (out: uint32_t *). */
bool scn_memory_reference_read(scn_reader *reader, const scn_node *node, void *out);
bool scn_module_reference_read(scn_reader *reader, const scn_node *node, void *out);

/* References of steps to earlier ones, by id (out: uint32_t *, an index into the steps; SCN_NONE
 * after a problem): to a submit, copy or fill; to a step that creates a queue, a context, a bundle.
 */
extern const scn_shape scn_shape_command_reference;
extern const scn_shape scn_shape_command_references; /* LIST of them, for `after` */
extern const scn_shape scn_shape_queue_reference;
extern const scn_shape scn_shape_context_reference;
extern const scn_shape scn_shape_bundle_reference;
extern const scn_shape scn_shape_device_reference; /* uint32_t: index of a scn_device */

/* Reads "MODULE/NUMBER" into the module's index and the image's number.  How many images a module
 * has is known when it is compiled.  False after a problem. */
bool scn_image_name_read(scn_reader *reader, scn_position at, rt_text name, uint32_t *out_module,
                         uint32_t *out_image);

/* The memory of an index that a reference gave; NULL where its entry is wrong, which was reported.
 */
const scn_memory *scn_memory_of(const scn_reader *reader, uint32_t index);

/* Refuses a bundle, made by an earlier step, that is not in the wanted state: in C++ it would have
 * another type. */
bool scn_bundle_state_check(scn_reader *reader, scn_position at, uint32_t step,
                            scn_bundle_state wanted);

/* The relation of commands that can name a queue and a device: the queue has its device. */
#define SCN_QUEUE_OR_DEVICE                                                                        \
    {                                                                                              \
        "device", SCN_BARS, {"queue"},                                                             \
            "'device' cannot stand beside 'queue', which has its device; remove it"                \
    }

/* The profile that a word of RT_PROFILES names (out: rt_profile *). */
extern const scn_shape scn_shape_profile;

/* Checks that a step, read whole, uses no buffer that an earlier one has ended, and ends only
 * buffers.  The cost is that of the steps before it. */
bool scn_ended_check(scn_reader *reader, const scn_node *node, const scn_step *step);

/* What an expectation of fusion mode holds. */
typedef struct scn_fusion_mode {
    uint32_t queue; /* the step that makes it */
    bool is;
} scn_fusion_mode;

/* Adds a name (borrowed) with its index; a name that is there already stays as it is. */
void scn_names_add(scn_names *names, rt_text name, uint32_t index);

/* The index of a name.  Where it is not there: SCN_NONE, and the problem "unknown NOUN 'x'". */
uint32_t scn_names_resolve(scn_reader *reader, const scn_names *names, scn_position at,
                           rt_text name, const char *noun);

/* Reads a list of formats, empty or not, each once, as bits 1u << rt_format of *out_formats, which
 * the caller sets to 0; reports what is wrong and returns false. */
bool scn_formats_read(scn_reader *reader, const scn_node *node, uint32_t *out_formats);

/* Refuses a module's device_globals, read from the list `node`, of which two have one id. */
bool scn_device_globals_check(scn_reader *reader, const scn_node *node,
                              rt_device_global_list globals);

/* Adds the aspects that a map of them gives as true and as false to two masks, in which bit
 * 1u << dev_aspect stands for an aspect.  False after a problem. */
bool scn_aspects_read(scn_reader *reader, const scn_node *node, uint32_t *out_present,
                      uint32_t *out_absent);

/* Checks a module's device config against its formats; false after a problem. */
bool scn_device_config_check(scn_reader *reader, const scn_node *node, const scn_module *module);

/* `holds` and `not` beside the fields of an expected event: whether a key is one of them; reading
 * one, of an event of that kind.  False after a problem. */
bool scn_is_condition(rt_text key);
bool scn_condition_read(scn_reader *reader, const scn_entry *entry, rt_event_kind kind,
                        scn_image_condition *out_condition);
extern const scn_shape scn_shape_image_condition;

/* Shapes that several objects share. */
extern const scn_shape scn_shape_name;             /* rt_text */
extern const scn_shape scn_shape_kernel;           /* rt_text */
extern const scn_shape scn_shape_kernels;          /* LIST of them, one or more */
extern const scn_shape scn_shape_memory_reference; /* uint32_t */
extern const scn_shape scn_shape_module_reference; /* uint32_t */
extern const scn_shape scn_shape_variable;         /* scn_variable, found later */
extern const scn_shape scn_shape_element;          /* const scn_node * */
extern const scn_shape scn_shape_values;           /* const scn_node * */
extern const scn_shape scn_shape_oracle;           /* const scn_node *: an oracle */
extern const scn_shape scn_shape_typed_value;      /* const scn_node *: {TYPE: VALUE} */
extern const scn_shape scn_shape_value_type;       /* rt_text: a scalar or vector type */
extern const scn_shape scn_shape_options;          /* rt_text: for a compiler or linker */
extern const scn_shape scn_shape_spec_constants;   /* MAP of scn_spec_constant */
extern const scn_shape scn_shape_bytes;            /* const scn_node *: hexadecimal digits */
extern const scn_shape scn_shape_null;             /* nothing: the plain word null */

/* What scn_aspects_read takes; a module's device config, of a scn_module. */
extern const scn_shape scn_shape_aspects_object;
extern const scn_shape scn_shape_device_config;

/* Shapes of the parts of a scenario, each in the file that reads it. */
extern const scn_shape scn_shape_format_list; /* LIST: what scn_formats_read takes */
extern const scn_shape scn_shape_modules;     /* MAP of scn_module */
extern const scn_shape scn_shape_hand_images; /* LIST of scn_hand_image */
extern const scn_shape scn_shape_globals;     /* LIST of rt_device_global */
extern const scn_shape scn_shape_devices;     /* MAP of scn_device */
extern const scn_shape scn_shape_memories;    /* MAP of scn_memory */
extern const scn_shape scn_shape_arguments;   /* LIST of scn_argument */
extern const scn_shape scn_shape_submit;      /* scn_step, verb SUBMIT */
extern const scn_shape scn_shape_copy;        /* scn_step, verb COPY */
extern const scn_shape scn_shape_memcpy;      /* the same */
extern const scn_shape scn_shape_fill;        /* scn_step, verb FILL */
extern const scn_shape scn_shape_context;     /* scn_step, verb CONTEXT */
extern const scn_shape scn_shape_queue;       /* scn_step, verb QUEUE */
extern const scn_shape scn_shape_bundle;      /* scn_step, verb BUNDLE */
extern const scn_shape scn_shape_wait;        /* scn_step, verb WAIT */
extern const scn_shape scn_shape_expect;      /* what scn_expect_read takes */
extern const scn_shape scn_shape_refused;     /* scn_module_refusal */
extern const scn_shape scn_shape_error;       /* const scn_node *: a scn_error */
extern const scn_shape scn_shape_event_name;  /* rt_text */
extern const scn_shape scn_shape_trace_event; /* scn_trace_event */
extern const scn_shape scn_shape_trace;       /* LIST of scn_trace_event */

/* Of times of commands (read_profiling.c). */
extern const scn_shape scn_shape_profiling; /* scn_step, verb PROFILING */

/* Of kernel fusion (read_fusion.c). */
extern const scn_shape scn_shape_complete_fusion; /* scn_step, verb COMPLETE_FUSION */
extern const scn_shape scn_shape_host_task;       /* scn_step, verb HOST_TASK */
extern const scn_shape scn_shape_fusion_mode;     /* scn_fusion_mode */
extern const scn_shape scn_shape_promotion;       /* scn_promotion */
extern const scn_shape scn_shape_event_status;    /* scn_event_status (read_event.c) */

/* The list of steps; fills the table of the reader's own scenario (out: unused). */
extern const scn_shape scn_shape_steps;

/* The whole format: the object that a file is. */
extern const scn_shape scn_shape_scenario;

/* Reads values for `count` elements of a layout (count 0: as many as there are) into bytes that
 * live in the arena and count towards RT_SCENARIO_VALUES_MAX.  False after a problem. */
bool scn_values_read(scn_reader *reader, const scn_node *node, const scn_layout *layout,
                     uint64_t count, rt_bytes *out_bytes, uint64_t *out_count);

/* Room in the arena, zeroed, for `count` elements of a layout; a problem at the node, and false,
 * where all values of the scenario would take more than RT_SCENARIO_VALUES_MAX bytes. */
bool scn_values_alloc(scn_reader *reader, const scn_node *node, const scn_layout *layout,
                      uint64_t count, uint8_t **out_bytes);

/* Reads an oracle into what all elements of the memory hold after a kernel of that range, in which
 * each work-item has stored its answers.  The bytes are as those of scn_values_read.  False after a
 * problem. */
bool scn_oracle_read(scn_reader *reader, const scn_node *node, const scn_memory *memory,
                     rt_bytes *out_values);

/* Reads one element, a number, a list of lanes or a map of fields, into layout->size bytes, which
 * are zero.  False after a problem. */
bool scn_element_read(scn_reader *reader, const scn_layout *layout, const scn_node *node,
                      uint8_t *out_bytes);

/* Reads the value of {TYPE: VALUE}, whose key names a scalar or vector type.  Layout and bytes live
 * in the arena.  False after a problem. */
bool scn_typed_value_read(scn_reader *reader, const scn_entry *entry, scn_layout *out_layout,
                          rt_bytes *out_value);

/* Reads what an expect step expects: a mapping, each kind in it one expectation. */
bool scn_expect_read(scn_reader *reader, const scn_node *node, scn_step *out_step);

enum { SCN_OUTCOME_COUNT_MAX = 16 };

/* Checks that the value of a one_of is a list of as many outcomes as there may be. */
bool scn_outcomes_check(scn_reader *reader, const scn_node *node);

/* Reads the expectation beside another verb: {error: …} or {one_of: [{error: …}, …]}. */
bool scn_refusal_read(scn_reader *reader, const scn_node *node, scn_step *out_step);

#endif
