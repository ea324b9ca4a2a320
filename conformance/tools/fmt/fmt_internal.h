/* Between the formatter's two halves: the items of a file, found by items.c, laid out by layout.c.
 */
#ifndef CONFORMANCE_TOOLS_FMT_FMT_INTERNAL_H
#define CONFORMANCE_TOOLS_FMT_FMT_INTERNAL_H

#include "reference/base/arena.h"
#include "reference/base/vector.h"

enum { CNF_FMT_INDENTATION = 2 };

#define CNF_FMT_NO_LEVEL UINT32_MAX

/* A block collection.  Columns count from 0. */
typedef struct cnf_fmt_level {
    uint32_t parent;  /* CNF_FMT_NO_LEVEL: the outermost */
    uint32_t column;  /* where its keys or dashes were written ... */
    uint32_t indent;  /* ... and where they belong */
    bool mapping;     /* or a list */
    bool ends_itself; /* a list whose dashes stand below its key: YAML marks neither end of it */
} cnf_fmt_level;

typedef enum cnf_fmt_kind {
    CNF_FMT_MARKER,   /* "---", "..." */
    CNF_FMT_DASH,     /* "-" of a list */
    CNF_FMT_QUESTION, /* "?" of a key that is marked so */
    CNF_FMT_COLON,
    CNF_FMT_COMMA,
    CNF_FMT_OPEN,    /* "[", "{" */
    CNF_FMT_CLOSE,   /* "]", "}" */
    CNF_FMT_SCALAR,  /* plain or quoted; may have several lines */
    CNF_FMT_HEADER,  /* "|", ">" with what belongs to it, as it is to be written */
    CNF_FMT_CONTENT, /* the lines of a block scalar, without the last line's end */
    CNF_FMT_COMMENT, /* from "#" on, without blanks at its end */
} cnf_fmt_kind;

/* A run of characters that formatting moves but does not change. */
typedef struct cnf_fmt_item {
    cnf_fmt_kind kind;
    rt_text text;
    uint32_t level;  /* the innermost block collection around it; of a COMMENT, that before it */
    bool leads;      /* stands where the level's keys or dashes do; else behind them */
    uint32_t breaks; /* line breaks in front of it; 2 are a blank line, and so are more */
    uint32_t line;   /* from 1 */
    uint32_t column; /* where it was written */
    uint32_t indent; /* CONTENT: the spaces in front of each line that are not its text */
} cnf_fmt_item;

typedef struct cnf_fmt_items {
    RT_VECTOR(cnf_fmt_item) list;
    RT_VECTOR(cnf_fmt_level) levels;
    /* A closing bracket that nothing opens: libyaml drops one behind "?" ("[? ]]").  Line 0: none.
     */
    uint32_t unopened_line, unopened_column; /* both from 1 */
} cnf_fmt_items;

/* Takes a text apart, which scn_yaml_read must have accepted, and whose line ends are line feeds.
 * Items borrow the text; what they do not find there is in the arena.  The caller frees the items.
 */
void cnf_fmt_items_find(rt_arena *arena, rt_text text, cnf_fmt_items *out_items);
void cnf_fmt_items_free(cnf_fmt_items *items);

/* Appends the items as a file's content. */
void cnf_fmt_layout(const cnf_fmt_items *items, rt_buffer *out);

/* The first line of `text` from which on `formatted` says something else: an event that libyaml
 * reads, or a comment; 0: it says the same.  `text` is one that scn_yaml_read accepted, `formatted`
 * anything at all; the line ends of both are line feeds. */
uint32_t cnf_fmt_differs(rt_arena *arena, rt_text text, rt_text formatted);

#endif
