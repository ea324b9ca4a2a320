/* The generator's shared state: the variables that a text may name, the functions and the kernel.
 *
 * Texts are generated in one pass, in program order; each mention of a variable is recorded with
 * the statement or declaration being generated. */
#ifndef CONFORMANCE_TOOLS_GENERATE_GENERATE_INTERNAL_H
#define CONFORMANCE_TOOLS_GENERATE_GENERATE_INTERNAL_H

#include "conformance/tools/generate/generate.h"
#include "conformance/tools/generate/random.h"
#include "conformance/tools/generate/tree.h"
#include "conformance/tools/generate/type.h"

enum {
    GEN_VISIBLE_MAX = 64,
    GEN_PARAMETERS_MAX = 5,
    GEN_FIELDS_MAX = 4,
    GEN_REACH = 4,       /* minimum number of elements that a pointer can reach */
    GEN_DEPTH = 3,       /* maximum levels of operators in an expression */
    GEN_WORK_MAX = 4000, /* maximum statements that a work-item executes in one function */
};

typedef enum gen_space {
    GEN_SPACE_PRIVATE,
    GEN_SPACE_LOCAL,
    GEN_SPACE_GLOBAL,
} gen_space;

/* Between barriers a work-item either accesses only its own part of the shared memories, or reads
 * parts of any work-item, so there are no races. */
typedef enum gen_phase {
    GEN_PHASE_ANY, /* of a variable that is visible in both phases */
    GEN_PHASE_PRIVATE,
    GEN_PHASE_SHARED,
} gen_phase;

typedef struct gen_record {
    gen_declaration declaration;
    rt_text name;
    gen_type fields[GEN_FIELDS_MAX]; /* named a, b, c, d */
    uint32_t field_count;
    struct gen_record *next;
} gen_record;

typedef enum gen_shape {
    GEN_VALUE,          /* a scalar or vector */
    GEN_ARRAY,          /* array or pointer target: `count` elements */
    GEN_RECORD,         /* a struct */
    GEN_RECORD_POINTER, /* a pointer to a private struct */
    GEN_POINTER,        /* like GEN_ARRAY, but can be redirected */
} gen_shape;

typedef struct gen_variable {
    gen_declaration declaration;
    rt_text name;
    gen_shape shape;
    gen_type type; /* of a value or an element */
    uint32_t count;
    gen_space space;
    gen_record *record;
    bool is_constant; /* never written by statements */
    gen_phase phase;
} gen_variable;

/* A parameter is a variable without a name. */
typedef struct gen_function {
    gen_declaration declaration;
    rt_text name;
    gen_type result;           /* unless result_record */
    gen_record *result_record; /* or NULL */
    gen_variable parameters[GEN_PARAMETERS_MAX];
    uint32_t parameter_count;
    bool writes; /* writes through a pointer: a call must be a separate statement */
    uint32_t work;
    struct gen_function *next;
} gen_function;

/* A kernel's range: local size and number of groups, and the work-items in a group and in all. */
typedef struct gen_range {
    uint32_t dimensions, local[2], groups[2];
    uint32_t local_count, item_count;
} gen_range;

typedef struct gen gen;
struct gen {
    rt_arena arena;
    gen_random random;
    uint32_t statement_count;
    const gen_request *request;
    gen_use **uses; /* uses of the declaration or statement being generated */
    gen_variable *visible[GEN_VISIBLE_MAX];
    uint32_t visible_count;
    gen_phase phase;
    gen_record *records;      /* the newest first */
    gen_function *functions;  /* the newest first */
    gen_declaration *current; /* the function whose body is being generated */
    uint32_t name_count;
    uint32_t loops;               /* enclosing loops that permit break or continue */
    uint32_t depth;               /* nesting depth of statements */
    uint32_t trips;               /* maximum number of times that the current place is executed */
    uint32_t work;                /* maximum number of statements executed so far */
    const gen_function *function; /* being generated; NULL for the kernel */
    gen_variable *counters,
        *tally;              /* cells of the launch and of a work-group; NULL in a function */
    gen_declaration tame[2]; /* the clamping functions for float and double */
};

/* Copies a finished text into the arena and frees the buffer. */
rt_text gen_keep(gen *g, rt_buffer *text);

/* ---- Choices ------------------------------------------------------------------------------ */

/* Draws a number below the limit, which is at least 1. */
uint32_t gen_below(gen *g, uint32_t limit);
bool gen_chance(gen *g, uint32_t percent);
/* Draws a type with any base, or with any base that is not a float; mostly a scalar. */
gen_type gen_any_type(gen *g);
gen_type gen_any_integer(gen *g);
/* Draws the type of an element of an array or struct: a vector has at most four components. */
gen_type gen_any_element(gen *g);

/* ---- Names -------------------------------------------------------------------------------- */

/* Records that the text being generated refers to a declaration. */
void gen_mention(gen *g, gen_declaration *declaration);
/* Returns a new name: the stem followed by a number. */
rt_text gen_name(gen *g, const char *stem);
/* Makes a variable visible from here on; the caller hides it by restoring visible_count. */
void gen_show(gen *g, gen_variable *variable);
/* True if the variable can be named at this place. */
bool gen_is_visible(const gen *g, const gen_variable *variable);
/* Returns a random visible variable that `fits`; NULL if there is none. */
gen_variable *gen_find(gen *g, bool (*fits)(const gen_variable *variable, const void *criteria),
                       const void *criteria);

/* ---- Expressions (expression.c, place.c) -------------------------------------------------- */

/* Generates a literal of the type. */
rt_text gen_literal(gen *g, gen_type type);
/* Generates an expression of exactly that type, without side effects, with at most `depth` levels
 * of operators.  Floats stay finite and far from subnormal. */
rt_text gen_expression(gen *g, gen_type type, uint32_t depth);
/* Generates an in-range index into `count` elements. */
rt_text gen_index(gen *g, uint32_t count);
/* Generates a condition: a scalar that may be zero. */
rt_text gen_condition(gen *g, uint32_t depth);
/* Converts a place or a parenthesised expression to another type. */
rt_text gen_convert(gen *g, rt_text text, gen_type from, gen_type to);
/* Picks a visible scalar, vector, component, element or field.  False if there is none. */
bool gen_place(gen *g, bool is_written, rt_text *out_text, gen_type *out_type);
/* Picks and mentions a visible scalar or vector of exactly that type; NULL if there is none. */
gen_variable *gen_value_of(gen *g, gen_type type);
/* Generates the arguments of a call.  False if one of them cannot be generated here. */
bool gen_call(gen *g, const gen_function *function, uint32_t depth, rt_text *out_text);
/* Returns a random function that can be called here, in an expression or as a separate statement;
 * NULL if there is none. */
const gen_function *gen_callable(gen *g, bool is_statement);

/* ---- Statements (statement.c) ------------------------------------------------------------- */

/* Begins a statement at the end of a block; texts generated from now on belong to it.  A numbered
 * statement can be omitted. */
gen_statement *gen_begin(gen *g, gen_statement *block, bool is_numbered);
/* Like gen_begin, with the statement's complete text. */
gen_statement *gen_line(gen *g, gen_statement *block, bool is_numbered, rt_text text);
/* Makes a float safe to assign: clamps the text's value to +-1024 and rounds it to a multiple of
 * 1/16, so that products of such values are finite and never subnormal.  Other types are unchanged.
 */
rt_text gen_tame(gen *g, rt_text text, gen_type type);
/* Picks a target for a pointer: a place in a visible array of the pointer's type; empty if there is
 * none. */
rt_text gen_target(gen *g, const gen_variable *pointer);

/* A counter that work-items share: its operation, and its initial value. */
typedef struct gen_tally {
    const char *name;
    uint32_t initial;
} gen_tally;
extern const gen_tally gen_tallies[];
extern const uint32_t gen_tally_count;

/* Appends `count` random statements. */
void gen_block(gen *g, gen_statement *block, uint32_t count);

/* ---- Functions and their variables (function.c, variable.c) ------------------------------- */

/* Adds a local variable with an initial value to the function being generated, and makes it
 * visible. */
gen_variable *gen_add_value(gen *g, gen_type type);
gen_variable *gen_add_array(gen *g, gen_type type, uint32_t count);
gen_variable *gen_add_record(gen *g, gen_record *record);
/* Adds a pointer into a visible array; NULL if there is none. */
gen_variable *gen_add_pointer(gen *g);
/* Adds some values and pointers. */
void gen_add_some(gen *g, uint32_t count);
/* Adds a declaration with a complete text to the function being generated. */
void gen_add_declaration(gen *g, gen_declaration *declaration);

/* Each generates one struct or function, which is visible to everything generated after it. */
void gen_make_record(gen *g);
void gen_make_function(gen *g);

/* ---- The kernel (kernel.c) ---------------------------------------------------------------- */

/* The kernel's parameters, in order. */
typedef enum gen_memory {
    GEN_IN,       /* numbers, the same for all work-items */
    GEN_OUT,      /* final values of each work-item's variables */
    GEN_ARRIVED,  /* number of work-items that reached their end */
    GEN_COUNTERS, /* counters that all work-items share */
    GEN_ROWS,     /* a row per work-item, shared within a work-group */
    GEN_TILE,     /* a row per work-item in local memory */
    GEN_N,        /* a number */
    GEN_MEMORIES,
} gen_memory;

typedef struct gen_kernel {
    gen_declaration declaration;
    gen_declaration parameters[GEN_MEMORIES];
    gen_declaration meeting; /* used: work-items read each other's rows, so barriers are needed */
    gen_range range;
    uint32_t record_count; /* words per work-item in `out` */
    uint32_t n;
    bool is_tile_argument; /* otherwise a variable of the kernel */
} gen_kernel;

enum { GEN_IN_COUNT = 16 };

/* Generates the kernel `k`, after the functions. */
void gen_make_kernel(gen *g, gen_kernel *out_kernel);

#endif
