/* Splits build options.  A scenario's cannot be quoted, and name no files. */
#include "conformance/tools/capture/capture.h"

#include "conformance/scenario/model/build_options.h"
#include "reference/base/vector.h"

/* Takes the next word as OpenCL runtimes separate them: blanks within double quotes belong to the
 * word, and the quotes do not. */
static bool word_take(rt_arena *arena, rt_text *inout_rest, rt_text *out_word)
{
    rt_buffer word = {0};
    bool is_quoted = false, is_word = false;
    size_t at = 0;
    for (; at < inout_rest->length; at++) {
        char byte = inout_rest->data[at];
        bool is_blank = byte == ' ' || byte == '\t' || byte == '\n' || byte == '\0';
        if (is_blank && !is_quoted && is_word) break;
        if (is_blank && !is_quoted) continue;
        is_word = true;
        if (byte == '"')
            is_quoted = !is_quoted;
        else
            rt_buffer_append_byte(&word, byte);
    }
    *inout_rest = rt_text_skip(*inout_rest, at);
    *out_word = rt_arena_text(arena, rt_buffer_text(&word));
    rt_buffer_free(&word);
    return is_word;
}

static bool has_blank(rt_text word)
{
    for (size_t i = 0; i < word.length; i++)
        if (word.data[i] == ' ' || word.data[i] == '\t' || word.data[i] == '\n') return true;
    return false;
}

static void word_append(rt_buffer *out, rt_text word)
{
    if (out->size > 0) rt_buffer_append_byte(out, ' ');
    rt_buffer_append_text(out, word);
}

void cap_options_split(rt_arena *arena, rt_text options, cap_program *out_program)
{
    rt_buffer kept = {0}, dropped = {0};
    RT_VECTOR(rt_text) folders = {0};
    for (rt_text word, refused; word_take(arena, &options, &word);) {
        rt_text folder = word;
        if (rt_text_take_prefix(&folder, "-I")) {
            if (folder.length == 0 && !word_take(arena, &options, &folder)) break;
            *rt_vector_push(&folders) = folder;
            continue;
        }
        /* A definition may be two words. */
        bool is_name = rt_text_is(word, "-D") || rt_text_is(word, "-U");
        rt_text name;
        if (is_name && word_take(arena, &options, &name))
            word = rt_arena_printf(arena, "%.*s%.*s", RT_TEXT_ARG(word), RT_TEXT_ARG(name));
        bool is_kept = !has_blank(word) && scn_build_options_check(word, &refused);
        word_append(is_kept ? &kept : &dropped, word);
    }
    out_program->options = rt_arena_text(arena, rt_buffer_text(&kept));
    out_program->dropped = rt_arena_text(arena, rt_buffer_text(&dropped));
    out_program->folders = rt_arena_copy(arena, folders.items, folders.count, sizeof(rt_text));
    out_program->folder_count = folders.count;
    rt_buffer_free(&kept);
    rt_buffer_free(&dropped);
    rt_vector_free(&folders);
}
