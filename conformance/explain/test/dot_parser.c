#include "conformance/explain/test/dot_parser.h"

#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define LENGTH(array) ((uint32_t)(sizeof(array) / sizeof *(array)))

static void dot_skip(dot_parser *dot)
{
    while (*dot->at && strchr(" \n", *dot->at))
        dot->at++;
}

static bool dot_take(dot_parser *dot, const char *token)
{
    dot_skip(dot);
    size_t length = strlen(token);
    if (strncmp(dot->at, token, length) != 0) return false;
    dot->at += length;
    return true;
}

/* Parses the inside of an HTML-like label: tags with quoted attributes, each closed by an end tag
 * with its name or by itself, and printable ASCII text without the characters that begin a tag. */
static void dot_html(dot_parser *dot)
{
    rt_text open[16];
    uint32_t depth = 0;
    while (*dot->at != '>') {
        if (*dot->at != '<') {
            assert_true((*dot->at >= 0x20 && *dot->at < 0x7F) || *dot->at == '\n');
            if (*dot->at == '&')
                assert_true(dot->at[1] == '#' && isdigit((unsigned char)dot->at[2]));
            dot->at++;
            continue;
        }
        bool closes = *++dot->at == '/';
        dot->at += closes;
        size_t length = strspn(dot->at, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
        assert_true(length > 0);
        if (closes) assert_true(depth > 0);
        if (closes) assert_true(rt_text_equal(open[--depth], (rt_text){dot->at, length}));
        if (!closes) {
            assert_true(depth < LENGTH(open));
            open[depth++] = (rt_text){dot->at, length};
        }
        dot->at += length;
        while (*dot->at == ' ') {
            dot->at += 1 + strspn(dot->at + 1, "ABCDEFGHIJKLMNOPQRSTUVWXYZ-");
            assert_memory_equal(dot->at, "=\"", 2);
            dot->at += 2 + strcspn(dot->at + 2, "\"<>&\n");
            assert_int_equal(*dot->at++, '"');
        }
        assert_int_equal(*dot->at++, '>');
    }
    assert_int_equal(depth, 0);
}

/* Parses an id: a quoted text, kept verbatim, an HTML-like label, or a bare word. */
static rt_text dot_id(dot_parser *dot)
{
    dot_skip(dot);
    const char *start = dot->at;
    if (*dot->at == '<') {
        dot->at++;
        dot_html(dot);
        dot->at++;
    } else if (*dot->at == '"') {
        dot->at++;
        while (*dot->at != '"') {
            assert_true((unsigned char)*dot->at >= 0x20); /* a quoted string is closed on the line
                                                           * where it starts */
            if (*dot->at == '\\') dot->at++;
            if (*dot->at == '&') assert_memory_equal(dot->at, "&amp;", 5);
            dot->at++;
        }
        dot->at++;
    } else {
        while (isalnum((unsigned char)*dot->at) || *dot->at == '_' || *dot->at == '.')
            dot->at++;
    }
    assert_true(dot->at > start);
    return (rt_text){start, (size_t)(dot->at - start)};
}

static void dot_attributes(dot_parser *dot)
{
    if (!dot_take(dot, "[")) return;
    do {
        dot_id(dot);
        assert_true(dot_take(dot, "="));
        dot_id(dot);
    } while (dot_take(dot, ","));
    assert_true(dot_take(dot, "]"));
}

static bool dot_declared(const dot_parser *dot, rt_text node)
{
    for (uint32_t i = 0; i < dot->node_count; i++)
        if (rt_text_equal(dot->nodes[i], node)) return true;
    return false;
}

/* Parses a node and optionally one of its label's ports; returns the node without the port. */
static rt_text dot_end(dot_parser *dot)
{
    rt_text node = dot_id(dot);
    if (dot_take(dot, ":")) dot_id(dot);
    return node;
}

static void dot_statements(dot_parser *dot);

/* Parses an attribute, a node, an edge, or the defaults of nodes and edges. */
static void dot_statement(dot_parser *dot)
{
    if (dot_take(dot, "subgraph ")) {
        dot_id(dot);
        dot_statements(dot);
        return;
    }
    rt_text id = dot_end(dot);
    if (dot_take(dot, "=")) {
        dot_id(dot);
    } else if (dot_take(dot, "->")) {
        assert_true(dot_declared(dot, id) && dot_declared(dot, dot_end(dot)));
        dot_attributes(dot);
        dot->edge_count++;
    } else {
        dot_attributes(dot);
        bool defaults = rt_text_is(id, "node") || rt_text_is(id, "edge");
        assert_true(dot->node_count < LENGTH(dot->nodes));
        if (!defaults && !dot_declared(dot, id)) dot->nodes[dot->node_count++] = id;
    }
    assert_true(dot_take(dot, ";"));
}

static void dot_statements(dot_parser *dot)
{
    assert_true(dot_take(dot, "{"));
    while (!dot_take(dot, "}"))
        dot_statement(dot);
}

void dot_parse(dot_parser *dot, const char *text)
{
    *dot = (dot_parser){.at = text};
    assert_true(dot_take(dot, "digraph "));
    dot_id(dot);
    dot_statements(dot);
    dot_skip(dot);
    assert_int_equal(*dot->at, '\0');
}
