/* A small parser of DOT's grammar for tests: what it does not take is not DOT, whatever names are
 * in it, and fails the test.
 *
 * graph: "digraph" ID "{" statement* "}"; see "The DOT Language".  Compass points, numerals and
 * unquoted characters past ASCII are not what assay writes, and not taken. */
#ifndef CONFORMANCE_EXPLAIN_TEST_DOT_PARSER_H
#define CONFORMANCE_EXPLAIN_TEST_DOT_PARSER_H

#include "reference/base/text.h"

typedef struct dot_parser {
    const char *at;
    rt_text nodes[64]; /* those that a statement of their own declares; they point into the text */
    uint32_t node_count, edge_count;
} dot_parser;

/* Reads a whole graph; an edge must end at nodes that are declared by then. */
void dot_parse(dot_parser *dot, const char *text);

#endif
