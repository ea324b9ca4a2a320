/* A small parser of DOT's grammar for tests: input that it does not accept fails the test, whatever
 * names it contains.
 *
 * graph: "digraph" ID "{" statement* "}"; see "The DOT Language". Compass points, numerals and
 * unquoted characters beyond ASCII are not accepted, because assay never writes them. */
#ifndef CONFORMANCE_EXPLAIN_TEST_DOT_PARSER_H
#define CONFORMANCE_EXPLAIN_TEST_DOT_PARSER_H

#include "reference/base/text.h"

typedef struct dot_parser {
    const char *at;
    rt_text nodes[64]; /* nodes with their own statement; they point into the text */
    uint32_t node_count, edge_count;
} dot_parser;

/* Reads a whole graph; both ends of every edge must be declared before the edge. */
void dot_parse(dot_parser *dot, const char *text);

#endif
