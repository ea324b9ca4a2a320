/* Programs by id and by image. */
#include "reference/program/program_index.h"

/* The program with an id that was added; NULL if the program no longer exists. */
static rt_program *program_at(const rt_program_index *index, uint32_t id)
{
    CHECK(id < index->programs.count);
    return index->programs.items[id];
}

/* Drops the ids of programs that no longer exist.  Called only when the list is full, so the list
 * grows only if all of its programs still exist. */
static void compact(const rt_program_index *index, rt_program_ids *list)
{
    uint32_t kept_count = 0;
    for (uint32_t i = 0; i < list->ids.count; i++) {
        uint32_t id = list->ids.items[i];
        if (program_at(index, id)) list->ids.items[kept_count++] = id;
    }
    CHECK(kept_count <= list->ids.count);
    list->ids.count = kept_count;
}

void rt_program_index_add(rt_program_index *index, rt_program *program)
{
    while (index->programs.count <= program->id)
        *rt_vector_push(&index->programs) = NULL;
    CHECK(!index->programs.items[program->id]);
    index->programs.items[program->id] = program;
    for (uint32_t i = 0; i < program->image_count; i++) {
        rt_image_id image = program->images[i]->id;
        while (index->by_image.count <= image)
            *rt_vector_push(&index->by_image) = (rt_program_ids){0};
        rt_program_ids *list = &index->by_image.items[image];
        if (list->ids.count == list->ids.capacity) compact(index, list);
        *rt_vector_push(&list->ids) = program->id;
    }
}

void rt_program_index_remove(rt_program_index *index, const rt_program *program)
{
    CHECK(program_at(index, program->id) == program && program->references == 0);
    index->programs.items[program->id] = NULL;
}

rt_program **rt_program_index_of_image(const rt_program_index *index, rt_image_id image,
                                       uint32_t *out_count)
{
    *out_count = 0;
    if (image >= index->by_image.count) return NULL;
    const rt_program_ids *list = &index->by_image.items[image];
    rt_program **programs = rt_alloc_array((size_t)list->ids.count + 1, sizeof *programs);
    for (uint32_t i = 0; i < list->ids.count; i++) {
        rt_program *program = program_at(index, list->ids.items[i]);
        CHECK_IMPLIES(program, program->id == list->ids.items[i] && program->references > 0);
        if (program) programs[(*out_count)++] = program;
    }
    CHECK(*out_count <= list->ids.count);
    return programs;
}

void rt_program_index_free(rt_program_index *index)
{
    for (uint32_t i = 0; i < index->by_image.count; i++)
        rt_vector_free(&index->by_image.items[i].ids);
    rt_vector_free(&index->by_image);
    rt_vector_free(&index->programs);
}
