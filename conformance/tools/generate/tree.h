/* A program as a tree of statements whose texts are made.
 *
 * Any numbered statement can be left out: what it held goes with it, and declarations, functions
 * and types that nothing refers to any more are not printed.  That is all that a shrinker needs,
 * and since the random choices are made before, the rest of the program stays as it was. */
#ifndef CONFORMANCE_TOOLS_GENERATE_TREE_H
#define CONFORMANCE_TOOLS_GENERATE_TREE_H

#include "reference/base/arena.h"

typedef struct gen_declaration gen_declaration;
typedef struct gen_statement gen_statement;

/* That a text refers to a declaration. */
typedef struct gen_use {
    struct gen_use *next;
    gen_declaration *what;
} gen_use;

/* A variable, a parameter, a type or a function. */
struct gen_declaration {
    rt_text text;        /* as it is printed; of a function, what stands before its "{" */
    gen_use *uses;       /* of the text */
    gen_statement *body; /* of a function, else NULL */
    gen_declaration *locals, **locals_end; /* of a function, in their order */
    gen_declaration *next;                 /* in the list that it is in */
    bool used;                             /* gen_tree_mark's */
};

struct gen_statement {
    uint32_t number; /* by which it is left out; 0: only with what holds it */
    bool is_left_out;
    rt_text open;  /* the statement, or the first line of what holds others; empty: none */
    rt_text close; /* a block's last line; empty: none */
    gen_use *uses; /* of both texts */
    gen_statement *otherwise;   /* the block of an if's else, or NULL */
    gen_declaration *only_with; /* printed only where this is used; NULL: always */
    gen_statement *first, *last, *next;
};

/* Notes that the text whose list this is refers to a declaration; a use is in the arena. */
void gen_tree_use(rt_arena *arena, gen_use **inout_uses, gen_declaration *what);

/* Appends a statement (zeroed, in the arena) to a block. */
gen_statement *gen_tree_append(rt_arena *arena, gen_statement *block);

/* Marks what a function reaches as used, with all that this reaches in turn. */
void gen_tree_mark(gen_declaration *function);

/* Appends the function's declarations and statements, those that are used and not left out, to
 * `out`, every line behind `indent` blanks and two more for each level. */
void gen_tree_print(const gen_declaration *function, uint32_t indent, rt_buffer *out);

#endif
