/* Marks what is used, and prints what is marked. */
#include "conformance/tools/generate/tree.h"

void gen_tree_use(rt_arena *arena, gen_use **inout_uses, gen_declaration *declaration)
{
    for (const gen_use *use = *inout_uses; use; use = use->next) {
        if (use->declaration == declaration) return;
    }
    gen_use *use = rt_arena_alloc(arena, sizeof *use);
    *use = (gen_use){*inout_uses, declaration};
    *inout_uses = use;
}

gen_statement *gen_tree_append(rt_arena *arena, gen_statement *block)
{
    gen_statement *statement = rt_arena_alloc(arena, sizeof *statement);
    CHECK((block->last == NULL) == (block->first == NULL));
    *(block->last ? &block->last->next : &block->first) = statement;
    block->last = statement;
    return statement;
}

static bool is_printed(const gen_statement *statement)
{
    return !statement->is_omitted && (!statement->only_with || statement->only_with->used);
}

static bool mark_uses(const gen_use *uses);

/* True if something was newly marked. */
static bool mark_block(const gen_statement *block)
{
    bool marked = false;
    for (const gen_statement *s = block->first; s; s = s->next) {
        if (!is_printed(s)) continue;
        marked |= mark_uses(s->uses);
        marked |= mark_block(s);
        if (s->otherwise && !s->otherwise->is_omitted) marked |= mark_block(s->otherwise);
    }
    return marked;
}

static bool mark_uses(const gen_use *uses)
{
    bool marked = false;
    for (const gen_use *use = uses; use; use = use->next) {
        if (use->declaration->used) continue;
        use->declaration->used = true;
        marked = true;
        mark_uses(use->declaration->uses);
        if (use->declaration->body) gen_tree_mark(use->declaration);
    }
    return marked;
}

void gen_tree_mark(gen_declaration *function)
{
    function->used = true;
    mark_uses(function->uses);
    /* A statement may be printed only because another one uses something. */
    while (mark_block(function->body)) {
    }
}

static void print_line(rt_buffer *out, uint32_t indent, rt_text text)
{
    rt_buffer_printf(out, "%*s%.*s\n", (int)indent, "", RT_TEXT_ARG(text));
}

static void print_block(const gen_statement *block, uint32_t indent, rt_buffer *out)
{
    for (const gen_statement *s = block->first; s; s = s->next) {
        if (!is_printed(s)) continue;
        uint32_t inner = s->open.length > 0 ? indent + 2 : indent;
        if (s->open.length > 0) print_line(out, indent, s->open);
        print_block(s, inner, out);
        if (s->otherwise && !s->otherwise->is_omitted) {
            print_line(out, indent, RT_TEXT("} else {"));
            print_block(s->otherwise, inner, out);
        }
        if (s->close.length > 0) print_line(out, indent, s->close);
    }
}

void gen_tree_print(const gen_declaration *function, uint32_t indent, rt_buffer *out)
{
    for (const gen_declaration *d = function->locals; d; d = d->next) {
        if (d->used && d->text.length > 0) print_line(out, indent, d->text);
    }
    print_block(function->body, indent, out);
}
