/* What a launch has overwritten; see undo.h.
 *
 * Compiled code saves a page of an object before the first store to it. Scattered stores save the
 * whole object, which costs less than finding out which pages they reach. */
#include "sim/exec/undo.h"

#include "reference/base/alloc.h"

#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* An object of at most this size is saved when the launch begins. */
#define WHOLE_MAX (UINT64_C(4) * SIM_UNDO_PAGE)
/* The copies of an object of at least this size are not worth room in the caches. */
#define STREAMED_MIN (UINT64_C(1) << 20)
/* Kernels of more instructions need not be looked through: copies of pages are a small part of
 * their time. */
#define COST_MAX 4096u
/* At most this is kept from launch to launch. */
#define KEPT_MAX (UINT64_C(16) << 20)

static uint64_t rounded(uint64_t size)
{
    return (size + SIM_UNDO_PAGE - 1) & ~(uint64_t)(SIM_UNDO_PAGE - 1);
}

static uint64_t page_count(const sim_undo_object *object)
{
    return rounded(object->memory->size) >> SIM_UNDO_PAGE_SHIFT;
}

/* Gets memory, of which all bytes may have any value. */
static void pages_reserve(sim_undo *undo, uint64_t size)
{
    if (size <= undo->pages.size) return;
    rt_free(undo->pages.block);
    undo->pages = (sim_lane_memory){0};
    sim_lane_memory_grow(&undo->pages, size, 0);
}

/* Gives an object its part of the memory, which begins at the offset; returns the part's end. */
static uint64_t object_place(sim_undo *undo, sim_undo_object *object, uint64_t offset)
{
    uint64_t size = rounded(object->memory->size), count = page_count(object);
    object->data = undo->pages.data + offset;
    offset += size;
    if (!object->memory->all_defined) {
        object->defined = undo->pages.data + offset;
        offset += size;
    }
    object->is_saved = undo->pages.data + offset;
    memset(object->is_saved, 0, count);
    return offset + rounded(count);
}

/* Adds the instructions that a work-item executes in the function at most; false: these are more
 * than COST_MAX, or not known, because there are loops, or calls of more than `depth` functions in
 * each other or through pointers, or because work-items wait for each other. */
static bool cost_add(const sim_program *program, uint32_t index, uint32_t depth, uint64_t *cost)
{
    const sim_code_function *function = &program->functions[index];
    for (uint32_t b = 0; b < function->block_count; b++) {
        const sim_code_block *block = &function->blocks[b];
        *cost += block->cost;
        if (*cost > COST_MAX) return false;
        for (uint32_t k = 0; k < block->edge_count; k++) {
            if (function->edges[block->edge_first + k].is_back) return false;
        }
        switch ((sim_end)block->end) {
        case SIM_END_JUMP:
        case SIM_END_BRANCH:
        case SIM_END_SWITCH:
        case SIM_END_NEXT:
        case SIM_END_RETURN: break;
        case SIM_END_CALL:
            if (!depth) return false;
            if (!cost_add(program, function->calls[block->extra].function, depth - 1, cost))
                return false;
            break;
        default: return false;
        }
    }
    return true;
}

/* True if a launch that is begun again stores at least what it has stored before, without having
 * read any of that: then nothing has to be saved. Findings do not end a launch, so it must be sure
 * that nothing else does, either. */
static bool is_stored_again(const sim_undo *undo, const sim_launch_state *l,
                            const sim_argument *arguments)
{
    enum { DEPTH_MAX = 4 };
    const sim_kernel *kernel = l->kernel;
    uint64_t cost = 0;
    if (kernel->read.anything) return false;
    if (!cost_add(l->program, kernel->function, DEPTH_MAX, &cost)) return false;
    if (__builtin_mul_overflow(cost, undo->items, &cost)) return false;
    if (cost > l->budget || cost > l->steps) return false;
    for (uint32_t i = 0; i < kernel->parameter_count; i++) {
        for (uint32_t k = 0; kernel->written.parameters[i] && k < kernel->parameter_count; k++) {
            bool is_read = arguments[k].kind == SIM_PARAMETER_GLOBAL && kernel->read.parameters[k];
            if (is_read && arguments[k].object == arguments[i].object) return false;
        }
    }
    return true;
}

void sim_undo_open(sim_undo *undo, const sim_launch_state *l, const sim_argument *arguments,
                   uint64_t shared)
{
    uint64_t size = 0;
    bool has_window = false, has_large = false;
    undo->objects.count = 0;
    undo->items = 1;
    for (uint32_t k = 0; k < RT_ND_RANGE_DIMENSIONS; k++) {
        if (__builtin_mul_overflow(undo->items, l->range->global[k], &undo->items))
            undo->items = UINT64_MAX;
    }
    for (uint32_t i = 0; i < l->kernel->parameter_count; i++) {
        if (arguments[i].kind != SIM_PARAMETER_GLOBAL || !arguments[i].object) continue;
        const sim_memory *memory = sim_world_memory(l->world, arguments[i].object);
        has_window = has_window || memory->whole != 0;
        bool is_known = sim_undo_find(undo, l->world, arguments[i].object) != NULL;
        if (!l->kernel->written.parameters[i] || !memory->data || is_known) continue;
        *rt_vector_push(&undo->objects) = (sim_undo_object){.memory = memory};
        has_large = has_large || memory->size > WHOLE_MAX;
        uint64_t copies = memory->all_defined ? 1 : 2;
        size += copies * rounded(memory->size) + rounded(memory->size >> SIM_UNDO_PAGE_SHIFT) +
                SIM_UNDO_PAGE;
    }
    pages_reserve(undo, size);
    bool needs_none = has_large && is_stored_again(undo, l, arguments);
    uint64_t end = 0;
    for (uint32_t i = 0; i < undo->objects.count; i++) {
        sim_undo_object *object = &undo->objects.items[i];
        end = object_place(undo, object, end);
        /* Two objects may share bytes through a window: one's bytes must be saved before the other
         * is written, and work-items' parts of one are not apart from those of the other. */
        if (has_window || object->memory->size <= WHOLE_MAX) sim_undo_save_all(object);
        object->is_whole |= needs_none;
        if (has_window || shared & sim_undo_bit(undo, object)) object->own = SIM_OWN_SHARED;
    }
    CHECK(end <= undo->pages.size);
}

sim_undo_object *sim_undo_find(sim_undo *undo, sim_world *world, sim_object object)
{
    const sim_memory *memory = sim_world_memory(world, object);
    for (uint32_t i = 0; i < undo->objects.count; i++) {
        if (undo->objects.items[i].memory == memory) return &undo->objects.items[i];
    }
    return NULL;
}

/* Copies a page to where nothing will read it, usually. `to` is aligned to 64 bytes. */
static void page_save(uint8_t *to, const uint8_t *from, uint64_t size, bool is_streamed)
{
#ifdef __SSE2__
    if (is_streamed && size == SIM_UNDO_PAGE) {
        for (uint64_t i = 0; i < SIM_UNDO_PAGE; i += 16) {
            __m128i part = _mm_loadu_si128((const __m128i *)(const void *)(from + i));
            _mm_stream_si128((__m128i *)(void *)(to + i), part);
        }
        return;
    }
#endif
    (void)is_streamed;
    memcpy(to, from, size);
}

/* Copies the pages that are not saved to the copy, or those that are saved back. */
static void pages_copy(sim_undo_object *object, uint64_t first, uint64_t last, bool is_back)
{
    const sim_memory *memory = object->memory;
    bool is_streamed = memory->size >= STREAMED_MIN;
    for (uint64_t page = first; page <= last; page++) {
        uint64_t at = page << SIM_UNDO_PAGE_SHIFT, left = memory->size - at;
        uint64_t size = left < SIM_UNDO_PAGE ? left : SIM_UNDO_PAGE;
        if (object->is_saved[page] != is_back) continue;
        if (is_back) {
            memcpy(memory->data + at, object->data + at, size);
            if (object->defined) memcpy(memory->defined + at, object->defined + at, size);
            continue;
        }
        page_save(object->data + at, memory->data + at, size, is_streamed);
        if (object->defined)
            page_save(object->defined + at, memory->defined + at, size, is_streamed);
        object->is_saved[page] = 1;
    }
}

void sim_undo_save(sim_undo_object *object, uint64_t first, uint64_t last)
{
    CHECK(first <= last && last < page_count(object));
    pages_copy(object, first, last, false);
}

void sim_undo_save_all(sim_undo_object *object)
{
    uint64_t count = page_count(object);
    object->is_whole = true;
    if (count) pages_copy(object, 0, count - 1, false);
}

void sim_undo_close(sim_undo *undo, bool restores)
{
    for (uint32_t i = 0; i < undo->objects.count; i++) {
        sim_undo_object *object = &undo->objects.items[i];
        uint64_t count = page_count(object);
        CHECK(object->memory->all_defined == (object->defined == NULL));
        if (restores && count) pages_copy(object, 0, count - 1, true);
    }
    undo->objects.count = 0;
    if (undo->pages.size > KEPT_MAX) {
        rt_free(undo->pages.block);
        undo->pages = (sim_lane_memory){0};
    }
}

void sim_undo_free(sim_undo *undo)
{
    rt_vector_free(&undo->objects);
    rt_free(undo->pages.block);
    *undo = (sim_undo){0};
}
