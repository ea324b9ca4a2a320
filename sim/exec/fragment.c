/* Activations and fragments of one wave. This file is independent of what lanes compute. */
#include "sim/exec/fragment.h"

#include "reference/base/alloc.h"
#include "sim/check/shadow.h"
#include "sim/decode/limits.h"

#include <string.h>

#define DEPTH_MAX       1024u
#define STACK_BYTES_MAX (UINT64_C(1) << 28)

void sim_wave_open(sim_wave *wave, uint32_t lane_count, uint32_t first_item, uint32_t rows_bytes)
{
    CHECK(lane_count >= 1 && lane_count <= SIM_LANES);
    CHECK(first_item % SIM_LANES == 0 && rows_bytes >= SIM_TEMPORARIES_FIRST);
    *wave = (sim_wave){.lane_count = lane_count, .first_item = first_item};
    *rt_vector_push(&wave->privates) = (sim_private_frame){0};
    sim_lane_memory_grow(&wave->rows, rows_bytes, 0);
    sim_lane_memory_grow(&wave->stack, 64, 0);
}

static void drop_all(sim_wave *wave)
{
    while (wave->ready.count)
        sim_wave_drop(wave, wave->ready.items[--wave->ready.count]);
    while (wave->waiting.count)
        sim_wave_drop(wave, wave->waiting.items[--wave->waiting.count]);
}

void sim_wave_close(sim_wave *wave)
{
    drop_all(wave);
    for (uint32_t i = 0; i < wave->spare.count; i++)
        rt_free(wave->spare.items[i]->block_memory);
    for (uint32_t i = 0; i < wave->spare_frames.count; i++) {
        CHECK(wave->spare_frames.items[i]->references == 0);
        rt_free(wave->spare_frames.items[i]->uniforms);
        rt_free(wave->spare_frames.items[i]);
    }
    rt_vector_free(&wave->ready);
    rt_vector_free(&wave->waiting);
    rt_vector_free(&wave->spare);
    rt_vector_free(&wave->spare_frames);
    rt_vector_free(&wave->privates);
    rt_free(wave->rows.block);
    rt_free(wave->stack.block);
    rt_free(wave->private_memory.block);
    rt_free(wave->private_defined.block);
    sim_shadow_free(wave->shadow);
}

/* ---- Activations -------------------------------------------------------------------------- */

/* Returns a number for the frame's private variables; 0 if none is left. Once the numbers are used
 * up, activations of a function at the same place share one, as clones do: their variables have the
 * same offsets but lie in the memory of different lanes. */
static uint32_t private_number(sim_wave *wave, const sim_frame *frame)
{
    sim_private_frame *privates = wave->privates.items;
    uint32_t number = 1, count = wave->privates.count;
    while (number < count && privates[number].function)
        number++;
    if (number > SIM_PRIVATE_FRAME_MAX) {
        number = 1;
        while (number < count && (privates[number].function != frame->function ||
                                  privates[number].private_first != frame->private_first)) {
            number++;
        }
        if (number == count) return 0;
        privates[number].references++;
        return number;
    }
    if (number == count) (void)rt_vector_push(&wave->privates);
    wave->privates.items[number] = (sim_private_frame){
        .function = frame->function, .private_first = frame->private_first, .references = 1};
    return number;
}

/* Returns a frame for the function: a spare one of the same function if there is one, otherwise a
 * new one. */
static sim_frame *frame_new(sim_wave *wave, const sim_code_function *function)
{
    uint32_t i = wave->spare_frames.count;
    while (i > 0 && wave->spare_frames.items[i - 1]->function != function)
        i--;
    sim_frame *frame;
    uint8_t *uniforms;
    if (i > 0) {
        frame = wave->spare_frames.items[i - 1];
        uniforms = frame->uniforms;
        wave->spare_frames.items[i - 1] = wave->spare_frames.items[--wave->spare_frames.count];
    } else {
        frame = rt_alloc(sizeof *frame);
        uniforms = rt_alloc(2 * (function->uniform_bytes + 8));
    }
    *frame = (sim_frame){.function = function, .uniforms = uniforms, .references = 1};
    memset(sim_frame_undefined(frame), 0, function->uniform_bytes + 8);
    return frame;
}

static void frame_release(sim_wave *wave, sim_frame *frame)
{
    while (frame) {
        CHECK(frame->references > 0);
        if (--frame->references > 0) return;
        sim_frame *parent = frame->parent;
        if (frame->number) {
            sim_private_frame *private = &wave->privates.items[frame->number];
            CHECK(private->references > 0);
            if (--private->references == 0) private->function = NULL;
        }
        *rt_vector_push(&wave->spare_frames) = frame;
        frame = parent;
    }
}

/* Returns the end of the registers of `other` that overlap a new frame placed at `first`; 0 if none
 * do. Ancestors of the new frame are marked and do not count; frames of the same function at the
 * same place share registers, lane by lane. */
static uint64_t occupied_until(const sim_wave *wave, const sim_frame *frame, uint64_t first,
                               const sim_fragment *other)
{
    uint64_t until = 0;
    for (const sim_frame *held = other->frame; held && held->mark != wave->mark;
         held = held->parent) {
        uint64_t held_end = held->lanes_first + held->function->frame_bytes;
        bool apart = held_end <= first || held->lanes_first >= first + frame->function->frame_bytes;
        bool shared = held->function == frame->function && held->lanes_first == first;
        if (!apart && !shared && held_end > until) until = held_end;
    }
    return until;
}

/* Determines where the frame's registers begin: after those of its parent, without overlapping
 * those of lanes that are in other functions. */
static uint64_t lanes_place(sim_wave *wave, const sim_frame *frame)
{
    const sim_frame *parent = frame->parent;
    uint64_t first = parent ? parent->lanes_first + parent->function->frame_bytes : 0;
    if (wave->ready.count + wave->waiting.count == 0) return first;
    wave->mark++;
    for (sim_frame *ancestor = frame->parent; ancestor; ancestor = ancestor->parent)
        ancestor->mark = wave->mark;
    for (bool moved = true; moved;) {
        moved = false;
        for (uint32_t i = 0; i < wave->ready.count + wave->waiting.count; i++) {
            const sim_fragment *other = i < wave->ready.count
                                            ? wave->ready.items[i]
                                            : wave->waiting.items[i - wave->ready.count];
            uint64_t until = occupied_until(wave, frame, first, other);
            if (until > first) {
                first = until;
                moved = true;
            }
        }
    }
    return first;
}

/* Allocates registers and private memory for the new frame; false if a limit is reached. */
static bool frame_place(sim_wave *wave, sim_frame *frame, uint8_t pattern)
{
    const sim_code_function *function = frame->function;
    const sim_frame *parent = frame->parent;
    frame->depth = parent ? parent->depth + 1 : 0;
    frame->lanes_first = lanes_place(wave, frame);
    frame->private_first = parent ? parent->private_first + parent->function->private_bytes : 0;
    uint64_t stack = frame->lanes_first + function->frame_bytes;
    uint64_t privates = (frame->private_first + function->private_bytes) * SIM_LANES;
    if (frame->depth >= DEPTH_MAX || stack > STACK_BYTES_MAX || privates > SIM_PRIVATE_BYTES_MAX) {
        return false;
    }
    sim_lane_memory_grow(&wave->stack, stack, 0);
    sim_lane_memory_grow(&wave->private_memory, privates, pattern);
    sim_lane_memory_grow(&wave->private_defined, privates, 0);
    if (function->variable_count == 0) return true;
    frame->number = private_number(wave, frame);
    return frame->number != 0;
}

sim_frame *sim_wave_start(sim_wave *wave, const sim_code_function *function, uint8_t pattern)
{
    drop_all(wave);
    sim_frame *frame = frame_new(wave, function);
    if (!frame_place(wave, frame, pattern)) {
        frame_release(wave, frame);
        return NULL;
    }
    sim_fragment *fragment = sim_wave_split(wave, &(sim_fragment){.frame = frame});
    frame->references--; /* only the fragment refers to it now */
    memset(fragment->mask, 1, wave->lane_count);
    fragment->active = wave->lane_count;
    sim_wave_forget(wave, fragment->mask, 0, function->private_bytes);
    wave->tracks = false;
    wave->state = SIM_WAVE_READY;
    sim_wave_push(wave, fragment);
    CHECK_SLOW(sim_wave_check(wave));
    return frame;
}

bool sim_wave_call(sim_wave *wave, sim_fragment *fragment, const sim_code_function *function,
                   uint8_t pattern)
{
    sim_frame *frame = frame_new(wave, function);
    frame->parent = fragment->frame; /* takes over the fragment's reference */
    if (!frame_place(wave, frame, pattern)) {
        frame->parent = NULL;
        frame_release(wave, frame);
        return false;
    }
    CHECK(frame->references == 1 && frame->depth == frame->parent->depth + 1);
    sim_wave_forget(wave, fragment->mask, frame->private_first, function->private_bytes);
    frame->call_block = fragment->block;
    fragment->frame = frame;
    fragment->block = 0;
    return true;
}

bool sim_wave_return(sim_wave *wave, sim_fragment *fragment)
{
    sim_frame *frame = fragment->frame, *parent = frame->parent;
    CHECK(frame->depth == (parent ? parent->depth + 1 : 0));
    if (!parent) {
        sim_wave_drop(wave, fragment);
        return false;
    }
    parent->references++;
    fragment->frame = parent;
    fragment->block = frame->call_block + 1;
    frame_release(wave, frame);
    return true;
}

/* ---- Order -------------------------------------------------------------------------------- */

static int order_of(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

/* Compares level by level, from the innermost call outwards, so that the outermost difference
 * decides. */
int sim_place_compare(const sim_fragment *a, const sim_fragment *b)
{
    const sim_frame *fa = a->frame, *fb = b->frame;
    uint32_t block_a = a->block, block_b = b->block;
    if (fa == fb) return order_of(block_a, block_b);
    int order = order_of(fb->depth, fa->depth); /* the deeper activation comes first */
    for (; fa->depth > fb->depth; fa = fa->parent)
        block_a = fa->call_block;
    for (; fb->depth > fa->depth; fb = fb->parent)
        block_b = fb->call_block;
    for (;;) {
        if (block_a != block_b) order = order_of(block_a, block_b);
        if (fa == fb || !fa->parent) return order;
        if (fa->function != fb->function) order = fa->function < fb->function ? -1 : 1;
        block_a = fa->call_block;
        block_b = fb->call_block;
        fa = fa->parent;
        fb = fb->parent;
    }
}

bool sim_place_same(const sim_fragment *a, const sim_fragment *b)
{
    return a->frame->function == b->frame->function && a->frame->depth == b->frame->depth &&
           sim_place_compare(a, b) == 0;
}

static int compare(const sim_fragment *a, const sim_fragment *b)
{
    if (a->round != b->round) return a->round < b->round ? -1 : 1;
    if (a->turn != b->turn) return a->turn < b->turn ? -1 : 1;
    return sim_place_compare(a, b);
}

static bool same_place(const sim_fragment *a, const sim_fragment *b)
{
    return a->frame == b->frame && a->block == b->block;
}

/* Adds the fragment's lanes to those of a listed fragment at the same place; false if there is
 * none. */
static bool merge(sim_wave *wave, sim_fragment *const *list, uint32_t count, sim_fragment *from)
{
    uint32_t k = 0;
    while (k < count && !same_place(list[k], from))
        k++;
    if (k == count) return false;
    sim_fragment *into = list[k];
    for (uint32_t i = 0; i < SIM_LANES; i++) {
        into->mask[i] = (uint8_t)(into->mask[i] | from->mask[i]);
    }
    into->active += from->active;
    CHECK(into->active <= wave->lane_count);
    sim_wave_drop(wave, from);
    return true;
}

sim_fragment *sim_wave_split(sim_wave *wave, const sim_fragment *fragment)
{
    sim_fragment *other;
    CHECK(fragment->frame->references >= 1);
    if (wave->spare.count) {
        other = wave->spare.items[--wave->spare.count];
    } else {
        /* Heap blocks are aligned for any ordinary object but not for vectors. */
        sim_lane_memory memory = {0};
        sim_lane_memory_grow(&memory, sizeof *other, 0);
        other = (sim_fragment *)(void *)memory.data;
        other->block_memory = memory.block;
    }
    memset(other->mask, 0, sizeof other->mask);
    other->frame = fragment->frame;
    other->frame->references++;
    other->block = fragment->block;
    other->round = fragment->round;
    other->turn = fragment->turn;
    other->active = 0;
    return other;
}

void sim_wave_drop(sim_wave *wave, sim_fragment *fragment)
{
    frame_release(wave, fragment->frame);
    fragment->frame = NULL;
    *rt_vector_push(&wave->spare) = fragment;
}

void sim_wave_push(sim_wave *wave, sim_fragment *fragment)
{
    CHECK(fragment->active > 0);
    if (merge(wave, wave->ready.items, wave->ready.count, fragment)) return;
    uint32_t i = wave->ready.count;
    (void)rt_vector_push(&wave->ready);
    for (; i > 0 && compare(wave->ready.items[i - 1], fragment) < 0; i--) {
        wave->ready.items[i] = wave->ready.items[i - 1];
    }
    wave->ready.items[i] = fragment;
}

void sim_wave_wait(sim_wave *wave, sim_fragment *fragment)
{
    CHECK(fragment->active > 0 && fragment->block > 0);
    if (merge(wave, wave->waiting.items, wave->waiting.count, fragment)) return;
    *rt_vector_push(&wave->waiting) = fragment;
}

sim_fragment *sim_wave_pop(sim_wave *wave)
{
    return wave->ready.count ? wave->ready.items[--wave->ready.count] : NULL;
}

bool sim_wave_is_first(const sim_wave *wave, const sim_fragment *fragment)
{
    if (wave->ready.count == 0) return true;
    return compare(fragment, wave->ready.items[wave->ready.count - 1]) < 0;
}

sim_fragment *sim_wave_resume(sim_wave *wave, uint32_t index)
{
    CHECK(index < wave->waiting.count);
    sim_fragment *fragment = wave->waiting.items[index];
    wave->waiting.items[index] = wave->waiting.items[--wave->waiting.count];
    return fragment;
}

/* ---- Checking the whole wave -------------------------------------------------------------- */

static bool frames_are_sound(const sim_wave *wave, const sim_fragment *fragment)
{
    CHECK(fragment->block < fragment->frame->function->block_count);
    for (const sim_frame *frame = fragment->frame; frame; frame = frame->parent) {
        const sim_code_function *function = frame->function;
        CHECK(frame->references >= 1 && frame->depth < DEPTH_MAX);
        CHECK(frame->depth == (frame->parent ? frame->parent->depth + 1 : 0));
        CHECK(frame->lanes_first + function->frame_bytes <= wave->stack.size);
        uint64_t private_end = frame->private_first + function->private_bytes;
        CHECK(private_end * SIM_LANES <= wave->private_memory.size);
        CHECK(private_end * SIM_LANES <= wave->private_defined.size);
        CHECK((frame->number != 0) == (function->variable_count != 0));
        if (frame->number != 0) {
            CHECK(frame->number < wave->privates.count && frame->number <= SIM_PRIVATE_FRAME_MAX);
            const sim_private_frame *private = &wave->privates.items[frame->number];
            CHECK(private->function == function && private->references >= 1);
            CHECK(private->private_first == frame->private_first);
        }
        if (!frame->parent) continue;
        const sim_frame *parent = frame->parent;
        CHECK(frame->lanes_first >= parent->lanes_first + parent->function->frame_bytes);
        CHECK(frame->private_first == parent->private_first + parent->function->private_bytes);
        CHECK(frame->call_block < parent->function->block_count);
    }
    return true;
}

bool sim_wave_check(const sim_wave *wave)
{
    uint8_t seen[SIM_LANES] = {0};
    CHECK(wave->lane_count >= 1 && wave->lane_count <= SIM_LANES);
    CHECK(wave->first_item % SIM_LANES == 0);
    CHECK_IMPLIES(wave->tracks, wave->shadow != NULL);
    for (uint32_t i = 0; i < wave->ready.count + wave->waiting.count; i++) {
        bool is_ready = i < wave->ready.count;
        const sim_fragment *fragment =
            is_ready ? wave->ready.items[i] : wave->waiting.items[i - wave->ready.count];
        uint32_t active = 0;
        for (uint32_t lane = 0; lane < SIM_LANES; lane++) {
            CHECK(fragment->mask[lane] <= 1);
            CHECK_IMPLIES(fragment->mask[lane], lane < wave->lane_count && !seen[lane]);
            seen[lane] |= fragment->mask[lane];
            active += fragment->mask[lane];
        }
        CHECK(active >= 1 && active == fragment->active);
        CHECK(frames_are_sound(wave, fragment));
        CHECK_IMPLIES(is_ready && i > 0, compare(wave->ready.items[i - 1], fragment) >= 0);
        CHECK_IMPLIES(!is_ready, fragment->block > 0); /* past the barrier's block */
    }
    return true;
}

/* ---- Copies of activations ---------------------------------------------------------------- */

/* Gives the fragment its own copies of its activation and of all activations that called it. */
static void frames_own(sim_wave *wave, sim_fragment *fragment)
{
    sim_frame *shared = fragment->frame;
    sim_frame **link = &fragment->frame;
    for (const sim_frame *frame = shared; frame; frame = frame->parent) {
        sim_frame *clone = frame_new(wave, frame->function);
        uint8_t *uniforms = clone->uniforms;
        memcpy(uniforms, frame->uniforms, 2 * (frame->function->uniform_bytes + 8));
        *clone = *frame;
        clone->uniforms = uniforms;
        clone->references = 1;
        if (clone->number) wave->privates.items[clone->number].references++;
        *link = clone;
        link = &clone->parent;
    }
    CHECK(*link == NULL);
    frame_release(wave, shared);
}

void sim_wave_rotate(sim_wave *wave, sim_fragment *fragment)
{
    const sim_frame *shared = fragment->frame;
    while (shared && shared->references == 1)
        shared = shared->parent;
    if (shared) frames_own(wave, fragment);
    fragment->round++;
}

void sim_wave_part(sim_wave *wave, const sim_turns *turns)
{
    uint32_t lanes = turns->unit_lanes;
    sim_fragment *whole = sim_wave_pop(wave);
    CHECK(lanes > 0 && whole && whole->active == wave->lane_count);
    CHECK(wave->ready.count == 0 && wave->waiting.count == 0);
    for (uint32_t first = 0; first < wave->lane_count; first += lanes) {
        sim_fragment *unit = sim_wave_split(wave, whole);
        uint32_t left = wave->lane_count - first;
        unit->active = left < lanes ? left : lanes;
        unit->turn = turns->turn[first / lanes];
        memset(unit->mask + first, 1, unit->active);
        frames_own(wave, unit);
        sim_wave_push(wave, unit);
    }
    sim_wave_drop(wave, whole);
    CHECK_SLOW(sim_wave_check(wave));
}

void sim_wave_release(sim_wave *wave, const sim_turns *turns)
{
    CHECK(wave->ready.count == 0);
    CHECK_SLOW(sim_wave_check(wave));
    while (wave->waiting.count) {
        sim_fragment *fragment = sim_wave_resume(wave, wave->waiting.count - 1);
        uint32_t first = 0;
        while (!fragment->mask[first])
            first++;
        fragment->round = 0;
        fragment->turn = turns->unit_lanes ? turns->turn[first / turns->unit_lanes] : 0;
        sim_wave_push(wave, fragment);
    }
    wave->state = SIM_WAVE_READY;
    CHECK_SLOW(sim_wave_check(wave));
}
