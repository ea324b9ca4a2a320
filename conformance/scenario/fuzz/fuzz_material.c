/* Makes the dictionary and seed corpora of the scenario fuzzers from the format's table:
 *
 *   fuzz_material words                 keys and words of the format, as a libFuzzer dictionary
 *   fuzz_material files FOLDER          a scenario for each key, as small as the table allows
 *   fuzz_material cases FOLDER FILE…    the scenarios in files of cases (test/cases.h)
 *   fuzz_material packs FOLDER FILE…    packs of the scenarios that are valid
 *
 * The small scenarios follow only the table, so many of their names refer to nothing; their purpose
 * is that the corpus reaches every reading function. */
#include "conformance/scenario/schema/objects.h"
#include "conformance/scenario/test/cases.h"

#include <stdio.h>
#include <string.h>

/* Objects can contain each other, so a value at this depth is a scalar whatever its shape. */
enum { DEPTH_MAX = 12 };

/* ---- Words --------------------------------------------------------------------------------- */

static void shape_words(const scn_shape *shape)
{
    for (uint32_t i = 0; shape->kind == SCN_SHAPE_CHOICE && i < shape->choice_count; i++)
        printf("\"%s\"\n", shape->choices[i].name);
    for (uint32_t i = 0; shape->kind == SCN_SHAPE_WORD && shape->word(i); i++)
        printf("\"%s\"\n", shape->word(i));
    for (uint32_t i = 0; i < SCN_ALTERNATIVE_COUNT_MAX && shape->alternatives[i]; i++)
        if (shape->kind == SCN_SHAPE_OTHER) shape_words(shape->alternatives[i]);
    if (shape->element) shape_words(shape->element);
}

static void words_print(const scn_objects *objects)
{
    static const char *const yaml[] = {"- ", ": ", ", ", "|\\x0a", ">-",   "  ", "[",    "]",
                                       "{",  "}",  "#",  "'",      "\\\"", "0x", "\\x0a"};
    for (size_t i = 0; i < sizeof yaml / sizeof *yaml; i++)
        printf("\"%s\"\n", yaml[i]);
    for (uint32_t i = 0; i < objects->list.count; i++) {
        const scn_shape *shape = objects->list.items[i].shape;
        for (uint32_t j = 0; j < shape->row_count; j++) {
            if (!scn_row_is_documented(&shape->rows[j])) continue;
            printf("\"%s: \"\n", shape->rows[j].key);
            shape_words(shape->rows[j].shape);
        }
    }
}

/* ---- Small scenarios ----------------------------------------------------------------------- */

typedef struct sample {
    rt_buffer *out;
    const scn_row *required; /* a row written in every instance of its object, even if it is
                              * optional; NULL: none */
    uint32_t depth;
} sample;

static void shape_sample(sample *state, const scn_shape *shape);

static void object_sample(sample *state, const scn_shape *shape)
{
    bool alternative = false, any = false;
    for (uint32_t i = 0; i < shape->row_count; i++)
        alternative = alternative || (&shape->rows[i] == state->required &&
                                      shape->rows[i].flags & SCN_ALTERNATIVE);
    rt_buffer_append_byte(state->out, '{');
    for (uint32_t i = 0; i < shape->row_count; i++) {
        const scn_row *row = &shape->rows[i];
        if (!scn_row_is_documented(row)) continue;
        bool first = row->flags & SCN_ALTERNATIVE && !alternative;
        if (!(row->flags & SCN_REQUIRED) && row != state->required && !first) continue;
        alternative = alternative || first;
        rt_buffer_printf(state->out, "%s%s: ", any ? ", " : "", row->key);
        any = true;
        shape_sample(state, row->shape);
    }
    rt_buffer_append_byte(state->out, '}');
}

static void shape_sample(sample *state, const scn_shape *shape)
{
    if (state->depth >= DEPTH_MAX) {
        rt_buffer_printf(state->out, "a");
        return;
    }
    state->depth++;
    switch (shape->kind) {
    case SCN_SHAPE_TEXT:
    case SCN_SHAPE_NAME: rt_buffer_printf(state->out, "a"); break;
    case SCN_SHAPE_INTEGER:
        rt_buffer_printf(state->out, "%llu", (unsigned long long)shape->least);
        break;
    case SCN_SHAPE_TRUTH: rt_buffer_printf(state->out, "true"); break;
    case SCN_SHAPE_CHOICE: rt_buffer_printf(state->out, "%s", shape->choices[0].name); break;
    case SCN_SHAPE_WORD: rt_buffer_printf(state->out, "%s", shape->word(0)); break;
    case SCN_SHAPE_LIST:
        rt_buffer_append_byte(state->out, '[');
        shape_sample(state, shape->element);
        rt_buffer_append_byte(state->out, ']');
        break;
    case SCN_SHAPE_MAP:
        rt_buffer_printf(state->out, "{a: ");
        shape_sample(state, shape->element);
        rt_buffer_append_byte(state->out, '}');
        break;
    case SCN_SHAPE_OBJECT: object_sample(state, shape); break;
    case SCN_SHAPE_OTHER:
        if (shape->alternatives[0])
            shape_sample(state, shape->alternatives[0]);
        else
            rt_buffer_printf(state->out, "{event: link}");
        break;
    default: rt_buffer_printf(state->out, "a"); break; /* a reference */
    }
    state->depth--;
}

static bool file_write(const char *folder, const char *name, rt_text content)
{
    rt_buffer path = {0};
    rt_buffer_printf(&path, "%s/%s", folder, name);
    FILE *stream = fopen(rt_buffer_string(&path), "wb");
    bool written = stream && fwrite(content.data, 1, content.length, stream) == content.length;
    if (stream && fclose(stream) != 0) written = false;
    if (!written) perror(rt_buffer_string(&path));
    rt_buffer_free(&path);
    return written;
}

static bool files_write(const scn_objects *objects, const char *folder)
{
    bool valid = true;
    for (uint32_t i = 0; i < objects->list.count; i++) {
        const scn_named_object *object = &objects->list.items[i];
        for (uint32_t j = 0; j < object->shape->row_count; j++) {
            if (!scn_row_is_documented(&object->shape->rows[j])) continue;
            rt_buffer text = {0}, name = {0};
            sample state = {.out = &text, .required = &object->shape->rows[j]};
            shape_sample(&state, &scn_shape_scenario);
            rt_buffer_printf(&name, "%s.%s.yaml", object->name.data, object->shape->rows[j].key);
            valid = file_write(folder, rt_buffer_string(&name), rt_buffer_text(&text)) && valid;
            rt_buffer_free(&text);
            rt_buffer_free(&name);
        }
    }
    return valid;
}

/* ---- Packs --------------------------------------------------------------------------------- */

static bool file_read(const char *path, rt_buffer *out)
{
    FILE *stream = fopen(path, "rb");
    char portion[4096];
    size_t size = 1;
    while (stream && size > 0) {
        size = fread(portion, 1, sizeof portion, stream);
        rt_buffer_append(out, portion, size);
    }
    bool valid = stream && !ferror(stream);
    if (!valid) perror(path);
    if (stream) fclose(stream);
    return valid;
}

/* A pack holds compiled images; the ones added here have every part of an image, but meaningless
 * code. */
static void images_add(rt_arena *arena, const scn_scenario *scenario)
{
    static const rt_text kernels[] = {{"k", 1}};
    static const rt_property properties[] = {
        {{"f", 1}, RT_PROPERTY_UINT32, 1, {0}},
        {{"g", 1}, RT_PROPERTY_BYTES, 0, {(const uint8_t *)"bytes", 5}},
    };
    static const rt_property_set sets[] = {{{"SYCL/imported symbols", 21}, properties, 2}};
    for (uint32_t i = 0; i < scenario->module_count; i++) {
        rt_image *image = rt_arena_alloc(arena, sizeof *image);
        *image = (rt_image){.kernels = kernels, .kernel_count = 1, .sets = sets, .set_count = 1};
        image->name = RT_TEXT("a/0");
        image->code = (rt_bytes){(const uint8_t *)"code", 4};
        rt_image_hash(image);
        /* Safe: the scenario was read by this program, which is its only owner. */
        ((scn_module *)&scenario->modules[i])->images = (rt_image_list){image, 1};
    }
}

static bool pack_write(const char *folder, const char *path, int number)
{
    rt_arena arena = {0};
    rt_buffer text = {0}, pack = {0}, name = {0};
    scn_problems problems;
    bool valid = file_read(path, &text);
    const scn_scenario *scenario =
        scn_read(&arena, rt_buffer_text(&text), RT_TEXT("a"), RT_TEXT("a"), &problems);
    if (valid && scenario) {
        images_add(&arena, scenario);
        scn_pack_write(&pack, scenario);
        rt_buffer_printf(&name, "%d.pack", number);
        valid = file_write(folder, rt_buffer_string(&name), rt_buffer_text(&pack));
    }
    rt_buffer_free(&text);
    rt_buffer_free(&pack);
    rt_buffer_free(&name);
    rt_arena_reset(&arena);
    return valid;
}

static bool cases_write(const char *folder, const char *path)
{
    rt_arena arena = {0};
    rt_buffer file = {0};
    golden_cases cases;
    rt_text error;
    bool is_written = file_read(path, &file);
    if (!golden_cases_read(&arena, rt_buffer_text(&file), &cases, &error)) {
        fprintf(stderr, "%s:%.*s\n", path, RT_TEXT_ARG(error));
        is_written = false;
    }
    for (uint32_t i = 0; is_written && i < cases.list.count; i++) {
        const golden_case *item = &cases.list.items[i];
        rt_text name = rt_arena_printf(&arena, "%.*s.yaml", RT_TEXT_ARG(item->name));
        is_written = file_write(folder, name.data, item->scenario);
    }
    rt_vector_free(&cases.list);
    rt_buffer_free(&file);
    rt_arena_reset(&arena);
    return is_written;
}

int main(int argument_count, char **arguments)
{
    rt_arena arena = {0};
    scn_objects objects;
    bool valid = true;
    scn_objects_find(&arena, &scn_shape_scenario, &objects);
    if (argument_count == 2 && strcmp(arguments[1], "words") == 0) {
        words_print(&objects);
    } else if (argument_count == 3 && strcmp(arguments[1], "files") == 0) {
        valid = files_write(&objects, arguments[2]);
    } else if (argument_count > 3 && strcmp(arguments[1], "cases") == 0) {
        for (int i = 3; i < argument_count; i++)
            valid = cases_write(arguments[2], arguments[i]) && valid;
    } else if (argument_count > 3 && strcmp(arguments[1], "packs") == 0) {
        for (int i = 3; i < argument_count; i++)
            valid = pack_write(arguments[2], arguments[i], i) && valid;
    } else {
        fprintf(stderr,
                "usage: fuzz_material words | files FOLDER | {cases | packs} FOLDER FILE…\n");
        valid = false;
    }
    rt_vector_free(&objects.list);
    rt_arena_reset(&arena);
    return valid ? 0 : 2;
}
