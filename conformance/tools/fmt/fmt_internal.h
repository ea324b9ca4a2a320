/* The interface between the formatter's two halves: the items of a file, which items.c finds and
 * layout.c lays out. */
#ifndef CONFORMANCE_TOOLS_FMT_FMT_INTERNAL_H
#define CONFORMANCE_TOOLS_FMT_FMT_INTERNAL_H

#include "reference/base/arena.h"
#include "reference/base/vector.h"

#include <yaml.h>

enum { CNF_FMT_INDENTATION = 2 };

#define CNF_FMT_NO_LEVEL UINT32_MAX

/* A block collection.  Columns count from 0. */
typedef struct cnf_fmt_level {
    uint32_t parent;  /* the enclosing level; CNF_FMT_NO_LEVEL for the outermost */
    uint32_t column;  /* original column of its keys or dashes ... */
    uint32_t indent;  /* ... and their new one */
    bool mapping;     /* otherwise a list */
    bool ends_itself; /* a list whose dashes are in the column of its key: YAML has no token for its
                       * beginning or end */
} cnf_fmt_level;

typedef enum cnf_fmt_kind {
    CNF_FMT_MARKER,   /* "---", "..." */
    CNF_FMT_DASH,     /* "-" of a list */
    CNF_FMT_QUESTION, /* "?" of an explicit key */
    CNF_FMT_COLON,
    CNF_FMT_COMMA,
    CNF_FMT_OPEN,    /* "[", "{" */
    CNF_FMT_CLOSE,   /* "]", "}" */
    CNF_FMT_SCALAR,  /* plain or quoted; may span several lines */
    CNF_FMT_HEADER,  /* "|" or ">" with its indicators, as it will be written */
    CNF_FMT_CONTENT, /* the lines of a block scalar, without the last line feed */
    CNF_FMT_COMMENT, /* from "#" on, without trailing blanks */
} cnf_fmt_kind;

/* A run of characters that formatting moves but does not modify. */
typedef struct cnf_fmt_item {
    cnf_fmt_kind kind;
    rt_text text;
    uint32_t level;  /* the innermost enclosing block collection; for a COMMENT, that of the
                      * preceding item */
    bool leads;      /* at the column of the level's keys or dashes; otherwise after them */
    uint32_t breaks; /* line breaks before it; 2 or more are a blank line */
    uint32_t line;   /* from 1 */
    uint32_t column; /* original column */
    uint32_t indent; /* CONTENT: the indentation of its lines, in spaces */
} cnf_fmt_item;

typedef struct cnf_fmt_items {
    RT_VECTOR(cnf_fmt_item) list;
    RT_VECTOR(cnf_fmt_level) levels;
    /* The last closing bracket that no bracket opens: libyaml drops it after "?" ("[? ]]").  The
     * line is 0 if there is none. */
    uint32_t unopened_line, unopened_column; /* both from 1 */
} cnf_fmt_items;

/* Begins to read a UTF-8 text (borrowed) with libyaml; the caller deletes the parser. */
void cnf_fmt_parser_begin(yaml_parser_t *out_parser, rt_text text);

/* Splits a text into items.  scn_yaml_read must have accepted it, and its line ends must be line
 * feeds.  Items borrow the text; strings that are not part of it are in the arena.  The caller
 * frees the items. */
void cnf_fmt_items_find(rt_arena *arena, rt_text text, cnf_fmt_items *out_items);
void cnf_fmt_items_free(cnf_fmt_items *items);

/* Appends the items, laid out as the contents of a file. */
void cnf_fmt_layout(const cnf_fmt_items *items, rt_buffer *out);

/* Returns the first line of `text` from which the meaning of `formatted` differs: an event that
 * libyaml reads, or a comment; 0 if none.  scn_yaml_read must have accepted `text`; `formatted` may
 * be anything; the line ends of both are line feeds. */
uint32_t cnf_fmt_differs(rt_arena *arena, rt_text text, rt_text formatted);

#endif
