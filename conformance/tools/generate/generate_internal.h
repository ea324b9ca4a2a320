/* What the parts of the generator share: variables that a text may name, functions, the kernel.
 *
 * Texts are made in one pass, in the order of the program; each mention of a variable is noted with
 * the statement or declaration that is being made. */
#ifndef CONFORMANCE_TOOLS_GENERATE_GENERATE_INTERNAL_H
#define CONFORMANCE_TOOLS_GENERATE_GENERATE_INTERNAL_H

#include "conformance/tools/generate/random.h"
#include "conformance/tools/generate/tree.h"
#include "conformance/tools/generate/type.h"

enum {
    GEN_VISIBLE_MAX = 64,
    GEN_PARAMETERS_MAX = 5,
    GEN_FIELDS_MAX = 4,
    GEN_REACH = 4,       /* elements that every pointer can reach */
    GEN_DEPTH = 3,       /* at most, levels of operators in an expression */
    GEN_WORK_MAX = 4000, /* statements that a work-item may execute in one function */
};

typedef enum gen_space {
    GEN_SPACE_PRIVATE,
    GEN_SPACE_LOCAL,
    GEN_SPACE_GLOBAL,
} gen_space;

/* Between barriers a work-item either writes and reads what is its own of the shared memories, or
 * reads what is anybody's; so nothing races. */
typedef enum gen_phase {
    GEN_PHASE_ANY, /* of a variable: it is visible in both */
    GEN_PHASE_OWN,
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
    GEN_ARRAY,          /* or what a pointer leads to: `count` elements */
    GEN_RECORD,         /* a struct */
    GEN_RECORD_POINTER, /* to a private one */
    GEN_POINTER,        /* as GEN_ARRAY, and can be made to lead elsewhere */
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

/* A parameter is what it takes, without a name. */
typedef struct gen_function {
    gen_declaration declaration;
    rt_text name;
    gen_type result;           /* unless result_record */
    gen_record *result_record; /* or NULL */
    gen_variable parameters[GEN_PARAMETERS_MAX];
    uint32_t parameter_count;
    bool writes; /* through a pointer: a call is a statement of its own */
    uint32_t work;
    struct gen_function *next;
} gen_function;

/* How a kernel is launched, and what its work-items share. */
typedef struct gen_range {
    uint32_t dimensions, local[2], groups[2];
    uint32_t local_count, item_count;
} gen_range;

typedef struct gen gen;
struct gen {
    rt_arena arena;
    gen_random random;
    uint32_t statement_count;
    const uint32_t *without;
    uint32_t without_count;
    gen_use **uses; /* of what is being made */
    gen_variable *visible[GEN_VISIBLE_MAX];
    uint32_t visible_count;
    gen_phase phase;
    gen_record *records;      /* the newest first */
    gen_function *functions;  /* the newest first */
    gen_declaration *current; /* the function whose body is being made */
    uint32_t name_count;
    uint32_t loops;               /* that a break or continue may stand in */
    uint32_t depth;               /* of statements in statements */
    uint32_t trips;               /* how often at most the place is executed */
    uint32_t work;                /* statements executed so far, at most */
    const gen_function *function; /* that is being made; NULL: the kernel */
    gen_variable *counters,
        *tally;              /* cells of the launch and of a work-group; NULL: in a function */
    gen_declaration tame[2]; /* of float and double */
};

/* ---- Choices ------------------------------------------------------------------------------ */

/* Draws a number below the limit, which is at least 1. */
uint32_t gen_below(gen *g, uint32_t limit);
bool gen_chance(gen *g, uint32_t percent);
/* A type: any base, or any that is not a float; mostly scalars. */
gen_type gen_any_type(gen *g);
gen_type gen_any_integer(gen *g);
/* Of an array or a struct: a vector has at most four components. */
gen_type gen_any_element(gen *g);

/* ---- Names -------------------------------------------------------------------------------- */

/* Notes that the text being made refers to a declaration. */
void gen_mention(gen *g, gen_declaration *what);
/* A new name that begins with the stem, and a number. */
rt_text gen_name(gen *g, const char *stem);
/* Makes a variable visible from here on; the caller takes it out by setting visible_count back. */
void gen_show(gen *g, gen_variable *variable);
/* True where the variable can be named at this place. */
bool gen_is_visible(const gen *g, const gen_variable *variable);
/* A random one among the visible ones that `fits`; NULL where there is none. */
gen_variable *gen_find(gen *g, bool (*fits)(const gen_variable *variable, const void *wanted),
                       const void *wanted);

/* ---- Expressions (expression.c, place.c) -------------------------------------------------- */

/* A literal of the type. */
rt_text gen_literal(gen *g, gen_type type);
/* An expression of exactly that type, without side effects, with at most `depth` levels of
 * operators.  Floats stay finite, and far from what is subnormal. */
rt_text gen_expression(gen *g, gen_type type, uint32_t depth);
/* What may stand between the brackets of something with `count` elements. */
rt_text gen_index(gen *g, uint32_t count);
/* A scalar that is zero or not. */
rt_text gen_condition(gen *g, uint32_t depth);
/* Turns a place or a parenthesised expression into another type. */
rt_text gen_convert(gen *g, rt_text text, gen_type from, gen_type to);
/* A visible scalar, vector, component, element or field; false where there is none. */
bool gen_place(gen *g, bool is_written, rt_text *out_text, gen_type *out_type);
/* A visible scalar or vector of exactly that type, mentioned; NULL where there is none. */
gen_variable *gen_value_of(gen *g, gen_type type);
/* The arguments of a call, or false where something is not at hand. */
bool gen_call(gen *g, const gen_function *function, uint32_t depth, rt_text *out_text);
/* A random function that can be called here, in an expression or as a statement of its own; NULL
 * where there is none. */
const gen_function *gen_callable(gen *g, bool is_statement);

/* ---- Statements (statement.c) ------------------------------------------------------------- */

/* Begins a statement at the end of a block; texts made from now on are its own.  A numbered one can
 * be left out. */
gen_statement *gen_begin(gen *g, gen_statement *block, bool is_numbered);
/* As above, with its whole text. */
gen_statement *gen_line(gen *g, gen_statement *block, bool is_numbered, rt_text text);
/* A float that may be assigned: what the text gives, cut to +-1024 and rounded to a multiple of
 * 1/16, so that products of such values are finite and never subnormal.  Other types stay as they
 * are. */
rt_text gen_tame(gen *g, rt_text text, gen_type type);
/* Where a pointer may lead: into a visible array of its type; empty where there is none. */
rt_text gen_target(gen *g, const gen_variable *pointer);

/* What work-items count together: the operation of each cell, and what the cell begins with. */
typedef struct gen_tally {
    const char *name;
    uint32_t initial;
} gen_tally;
extern const gen_tally gen_tallies[];
extern const uint32_t gen_tally_count;

/* Appends `count` random statements. */
void gen_block(gen *g, gen_statement *block, uint32_t count);

/* ---- Functions and their variables (function.c, variable.c) ------------------------------- */

/* Adds a local variable to the function that is being made, with an initial value, and shows it. */
gen_variable *gen_add_value(gen *g, gen_type type);
gen_variable *gen_add_array(gen *g, gen_type type, uint32_t count);
gen_variable *gen_add_record(gen *g, gen_record *record);
/* A pointer into an array that is visible; NULL where there is none. */
gen_variable *gen_add_pointer(gen *g);
/* Some of each. */
void gen_add_some(gen *g, uint32_t count);
/* Adds a declaration with its own text to the function that is being made. */
void gen_add_declaration(gen *g, gen_declaration *declaration);

void gen_make_record(gen *g);
void gen_make_function(gen *g);

/* ---- The kernel (kernel.c) ---------------------------------------------------------------- */

/* A parameter of the kernel, in their order: name, what stands before it, its argument. */
typedef enum gen_memory {
    GEN_IN,       /* numbers, the same for all */
    GEN_OUT,      /* what each work-item's variables hold in the end */
    GEN_ARRIVED,  /* work-items that came to their end */
    GEN_COUNTERS, /* counted by all together */
    GEN_ROWS,     /* a row for each work-item, shared within a work-group */
    GEN_TILE,     /* the same in local memory */
    GEN_N,        /* a number */
    GEN_MEMORIES,
} gen_memory;

typedef struct gen_kernel {
    gen_declaration declaration;
    gen_declaration parameters[GEN_MEMORIES];
    gen_declaration meeting; /* used where work-items read each other's: barriers are needed */
    gen_range range;
    uint32_t record_count; /* words in `out` of one work-item */
    uint32_t n;
    bool is_tile_argument; /* else a variable of the kernel */
} gen_kernel;

enum { GEN_IN_COUNT = 16 };

/* Makes the kernel `k`, after the functions. */
void gen_make_kernel(gen *g, gen_kernel *out_kernel);

#endif
