/* A scenario, read and checked: what the reader makes, what packs carry, what subjects execute.
 *
 * Names are resolved: steps hold indices into the tables.  Everything lives in the arena that the
 * scenario was read or unpacked into and is read-only afterwards. */
#ifndef CONFORMANCE_SCENARIO_MODEL_H
#define CONFORMANCE_SCENARIO_MODEL_H

#include "reference/base/arena.h"
#include "reference/base/limits.h"
#include "reference/base/rule.h"
#include "reference/compiler_api.h"
#include "reference/image/image.h"

/* Where something stands in the scenario file; both count from 1, columns in code points. */
typedef struct scn_position {
    uint32_t line, column;
} scn_position;

#define SCN_NONE UINT32_MAX /* no index */

/* ---- Types -------------------------------------------------------------------------------- */

/* type, name, size in bytes, class ('i' signed, 'u' unsigned, 'f' floating) */
#define SCN_TYPES(TYPE)                                                                            \
    TYPE(CHAR, "char", 1, 'i')                                                                     \
    TYPE(UCHAR, "uchar", 1, 'u')                                                                   \
    TYPE(SHORT, "short", 2, 'i')                                                                   \
    TYPE(USHORT, "ushort", 2, 'u')                                                                 \
    TYPE(INT, "int", 4, 'i')                                                                       \
    TYPE(UINT, "uint", 4, 'u')                                                                     \
    TYPE(LONG, "long", 8, 'i')                                                                     \
    TYPE(ULONG, "ulong", 8, 'u')                                                                   \
    TYPE(FLOAT, "float", 4, 'f')                                                                   \
    TYPE(DOUBLE, "double", 8, 'f')

typedef enum scn_type {
#define SCN_TYPE_ENUM(type, name, size, class) SCN_TYPE_##type,
    SCN_TYPES(SCN_TYPE_ENUM)
#undef SCN_TYPE_ENUM
        SCN_TYPE_COUNT
} scn_type;

/* The columns of the table. */
const char *scn_type_name(scn_type type);
uint32_t scn_type_size(scn_type type); /* bytes */
char scn_type_class(scn_type type);    /* 'i', 'u' or 'f' */

/* ---- Modules ------------------------------------------------------------------------------ */

typedef enum scn_language { SCN_LANGUAGE_OPENCL_C, SCN_LANGUAGE_COUNT } scn_language;

typedef struct scn_source {
    scn_language language;
    rt_text name;         /* "app/0": file name in compiler messages and line information */
    rt_text code;         /* UTF-8 */
    scn_position code_at; /* of the first line of code; column of its first character */
    scn_position at;
} scn_source;

typedef struct scn_module {
    rt_text name;
    scn_position at;
    const uint32_t *needs; /* modules that the OS loader loads with it, in order */
    uint32_t need_count;
    const scn_source *sources;
    uint32_t source_count;
    rt_split split;
    rt_text build_options; /* for the front end, as written; empty: none */
    rt_image_list images;  /* empty until compiled; filled in packs */
} scn_module;

/* ---- Memory ------------------------------------------------------------------------------- */

typedef struct scn_memory {
    rt_text name;
    scn_position at;
    scn_type type;
    uint64_t count;   /* elements */
    rt_bytes initial; /* count * size bytes, little-endian; data NULL: content undefined */
} scn_memory;

/* ---- Steps -------------------------------------------------------------------------------- */

typedef enum scn_argument_kind {
    SCN_ARGUMENT_MEMORY,
    SCN_ARGUMENT_VALUE,
    SCN_ARGUMENT_LOCAL
} scn_argument_kind;
typedef enum scn_access { SCN_ACCESS_READ_WRITE, SCN_ACCESS_READ, SCN_ACCESS_WRITE } scn_access;

typedef struct scn_argument {
    scn_argument_kind kind;
    uint32_t memory;   /* MEMORY: index of scn_memory */
    scn_access access; /* MEMORY */
    scn_type type;     /* VALUE */
    rt_bytes value;    /* VALUE: little-endian bytes */
    uint64_t size;     /* LOCAL: bytes */
} scn_argument;

/* What a step expects to be refused with.  Absent parts (empty, 0) are not compared. */
typedef struct scn_error {
    scn_position at;
    rt_text documents;       /* the class that the rule fixes: "exception", "errc::invalid", … */
    rt_text reference_class; /* our code's name: "errc::build", "link-error", … */
    rt_text reference_text;  /* a part of our message */
    const rt_text *names;    /* symbols that our diagnostic names, all of them, any order */
    uint32_t name_count;
} scn_error;

/* A field of an expected trace event: its name, and the value as text ("3", "app/0"), or a list. */
typedef struct scn_trace_field {
    rt_text key;
    bool is_list;
    const rt_text *values; /* one unless is_list */
    uint32_t value_count;
} scn_trace_field;

typedef struct scn_trace_event {
    scn_position at;
    rt_text kind; /* "link", "launch", …: a name of reference/trace */
    const scn_trace_field *fields;
    uint32_t field_count;
} scn_trace_event;

typedef enum scn_expect_kind {
    SCN_EXPECT_MEMORY, /* synchronising read of a memory, compared exactly */
    SCN_EXPECT_COUNT,  /* number of events of one kind since the last expectation of that kind */
    SCN_EXPECT_PROGRAM_OF, /* images that the program of a kernel was linked from, any order */
    SCN_EXPECT_TRACE,      /* ordered subset of all events so far */
    SCN_EXPECT_FINDING,    /* a finding of the device since the last one expected */
} scn_expect_kind;

typedef struct scn_expect {
    scn_expect_kind kind;
    scn_position at;
    /* MEMORY */
    uint32_t memory;
    rt_bytes values; /* as scn_memory.initial */
    /* COUNT: the trace event counted ("launch", "build", "link", "cache_hit") */
    rt_text event;
    uint64_t count;
    /* PROGRAM_OF; FINDING too uses kernel (empty: any) */
    rt_text kernel;
    const rt_text *images;
    uint32_t image_count;
    /* TRACE */
    const scn_trace_event *events;
    uint32_t event_count;
    /* FINDING: its kind ("out-of-bounds"), and what it must name where given */
    rt_text finding;
    rt_text finding_memory; /* empty: any */
    bool has_finding_offset;
    uint64_t finding_offset; /* bytes */
} scn_expect;

typedef enum scn_verb {
    SCN_VERB_LOAD,   /* dlopen */
    SCN_VERB_UNLOAD, /* dlclose */
    SCN_VERB_SUBMIT,
    SCN_VERB_WAIT,        /* for everything submitted */
    SCN_VERB_HOST_ACCESS, /* synchronising host read of a memory */
    SCN_VERB_EXPECT,
} scn_verb;

typedef struct scn_submit {
    rt_text kernel;
    uint32_t dimensions;                     /* 1 to 3 */
    uint64_t range[RT_ND_RANGE_DIMENSIONS];  /* index d is what get_global_id(d) counts */
    uint64_t offset[RT_ND_RANGE_DIMENSIONS]; /* 0 where not given */
    uint64_t local[RT_ND_RANGE_DIMENSIONS];  /* all 0: the device chooses */
    const scn_argument *arguments;
    uint32_t argument_count;
    const uint32_t *after; /* earlier submit steps (indices into steps) */
    uint32_t after_count;
} scn_submit;

typedef struct scn_step {
    scn_verb verb;
    scn_position at;
    rt_text id;               /* empty: none */
    uint32_t module;          /* LOAD, UNLOAD */
    uint32_t memory;          /* HOST_ACCESS */
    scn_submit submit;        /* SUBMIT */
    const scn_expect *expect; /* EXPECT: what this step expects; one or more */
    uint32_t expect_count;
    const scn_error *error; /* the step must be refused so; NULL: it must succeed */
} scn_step;

/* ---- The scenario ------------------------------------------------------------------------- */

/* A rule that the scenario shows.  `at` names the step whose expectation fails when the rule is
 * broken ("" : any). */
typedef struct scn_cover {
    rt_rule rule;
    rt_text at;
    scn_position position;
} scn_cover;

typedef struct scn_scenario {
    rt_text path; /* from the scenarios' root, as records name it */
    rt_text file; /* as messages name it: what the user gave on the command line */
    rt_text summary;
    const scn_cover *covers;
    uint32_t cover_count;
    const scn_module *modules; /* the first is the executable */
    uint32_t module_count;
    const scn_memory *memories;
    uint32_t memory_count;
    const scn_step *steps;
    uint32_t step_count;
} scn_scenario;

#endif
