/* A program as a tree of statements whose texts are complete.  Any numbered statement can be
 * omitted: its contents are omitted with it, and declarations, functions and types that are no
 * longer referenced are not printed.  A shrinker needs nothing else; since all random choices have
 * already been made, omitting a statement leaves the rest of the program unchanged. */
#ifndef CONFORMANCE_TOOLS_GENERATE_TREE_H
#define CONFORMANCE_TOOLS_GENERATE_TREE_H

#include "reference/base/arena.h"

typedef struct gen_declaration gen_declaration;
typedef struct gen_statement gen_statement;

/* A reference from a text to a declaration. */
typedef struct gen_use {
    struct gen_use *next;
    gen_declaration *declaration;
} gen_use;

/* A variable, a parameter, a type or a function. */
struct gen_declaration {
    rt_text text;                          /* as printed; for a function, the text before its "{" */
    gen_use *uses;                         /* references in the text */
    gen_statement *body;                   /* of a function; otherwise NULL */
    gen_declaration *locals, **locals_end; /* of a function, in order */
    gen_declaration *next;                 /* next in its list */
    bool used;                             /* set by gen_tree_mark */
};

struct gen_statement {
    uint32_t number; /* identifies it for omission; 0 if it is only omitted with its parent */
    bool is_omitted;
    rt_text open;  /* the statement, or the first line of a compound one; empty if none */
    rt_text close; /* a block's last line; empty if none */
    gen_use *uses; /* references in both texts */
    gen_statement *otherwise;   /* the block of an if's else, or NULL */
    gen_declaration *only_with; /* the statement is printed only if this is used; NULL: always */
    gen_statement *first, *last, *next;
};

/* Adds a reference to a declaration to a text's list; uses are in the arena. */
void gen_tree_use(rt_arena *arena, gen_use **inout_uses, gen_declaration *declaration);

/* Appends a statement (zeroed, in the arena) to a block. */
gen_statement *gen_tree_append(rt_arena *arena, gen_statement *block);

/* Marks everything that a function reaches, directly or indirectly, as used. */
void gen_tree_mark(gen_declaration *function);

/* Appends the function's used declarations and the statements that are used and not omitted to
 * `out`, every line indented by `indent` blanks and two more per level. */
void gen_tree_print(const gen_declaration *function, uint32_t indent, rt_buffer *out);

#endif
