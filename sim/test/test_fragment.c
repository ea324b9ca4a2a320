/* Tests of activations and fragments (exec/fragment.h) with functions that hold nothing: where
 * registers and private variables lie, in which order fragments run, which of them merge, and what
 * copies of activations share. */
#include "sim/exec/fragment.h"

#include "reference/base/alloc.h"
#include "sim/decode/address.h"
#include "sim/decode/limits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#define LANES   70u
#define PATTERN 0x5a

static const sim_code_block blocks[16];
static const sim_private_variable variables[2];
/* The kernel has registers and variables, `f` has both, `g` has registers, `h` has neither; `deep`
 * and `wide` exhaust the stack and private memory. */
static const sim_code_function functions[] = {
    {.blocks = blocks,
     .block_count = 16,
     .variables = variables,
     .variable_count = 1,
     .private_bytes = 64,
     .frame_bytes = 128,
     .uniform_bytes = 16},
    {.blocks = blocks,
     .block_count = 16,
     .variables = variables,
     .variable_count = 2,
     .private_bytes = 128,
     .frame_bytes = 256,
     .uniform_bytes = 24},
    {.blocks = blocks, .block_count = 16, .frame_bytes = 512, .uniform_bytes = 8},
    {.blocks = blocks, .block_count = 16},
    {.blocks = blocks, .block_count = 16, .frame_bytes = 1u << 27},
    {.blocks = blocks, .block_count = 16, .private_bytes = SIM_PRIVATE_BYTES_MAX / SIM_LANES / 2},
    {.blocks = blocks, .block_count = 16, .frame_bytes = 256},
    {.blocks = blocks, .block_count = 16, .frame_bytes = 256},
};
static const sim_code_function *const kernel = &functions[0], *const f = &functions[1],
                                      *const g = &functions[2], *const h = &functions[3],
                                      *const deep = &functions[4], *const wide = &functions[5];

/* A wave all of whose lanes are at the start of the kernel. */
static sim_wave wave_make(void)
{
    sim_wave wave;
    sim_wave_open(&wave, LANES, SIM_LANES, SIM_TEMPORARIES_FIRST);
    assert_int_equal(wave.lane_count, LANES);
    assert_int_equal(wave.first_item, SIM_LANES);
    assert_true(wave.rows.size >= SIM_TEMPORARIES_FIRST);
    assert_non_null(sim_wave_start(&wave, kernel, PATTERN));
    return wave;
}

/* Moves `count` lanes from `first` on out of a fragment into a new one in the same activation. */
static sim_fragment *part_take(sim_wave *wave, sim_fragment *from, uint32_t first, uint32_t count)
{
    sim_fragment *part = sim_wave_split(wave, from);
    assert_int_equal(part->active, 0);
    assert_ptr_equal(part->frame, from->frame);
    assert_int_equal(part->block, from->block);
    assert_int_equal(part->round, from->round);
    assert_int_equal(part->turn, from->turn);
    for (uint32_t lane = 0; lane < SIM_LANES; lane++)
        assert_int_equal(part->mask[lane], 0);
    memset(part->mask + first, 1, count);
    memset(from->mask + first, 0, count);
    part->active = count;
    from->active -= count;
    return part;
}

static void a_wave_starts_whole(void **state)
{
    (void)state;
    sim_wave wave = wave_make();
    for (uint32_t turn = 0; turn < 2; turn++) {
        assert_int_equal(wave.state, SIM_WAVE_READY);
        assert_false(wave.tracks);
        assert_int_equal(wave.ready.count, 1);
        assert_int_equal(wave.waiting.count, 0);
        sim_fragment *whole = sim_wave_pop(&wave);
        assert_null(sim_wave_pop(&wave));
        assert_int_equal(whole->active, LANES);
        assert_int_equal(whole->block, 0);
        assert_int_equal(whole->round, 0);
        assert_int_equal(whole->turn, 0);
        for (uint32_t lane = 0; lane < SIM_LANES; lane++)
            assert_int_equal(whole->mask[lane], lane < LANES);
        sim_frame *frame = whole->frame;
        assert_ptr_equal(frame->function, kernel);
        assert_null(frame->parent);
        assert_int_equal(frame->references, 1);
        assert_int_equal(frame->depth, 0);
        assert_int_equal(frame->number, 1);
        assert_int_equal(frame->lanes_first, 0);
        assert_int_equal(frame->private_first, 0);
        assert_true(wave.stack.size >= kernel->frame_bytes);
        assert_true(wave.private_memory.size >= kernel->private_bytes * SIM_LANES);
        assert_true(wave.private_defined.size >= kernel->private_bytes * SIM_LANES);
        for (uint32_t i = 0; i < kernel->uniform_bytes; i++)
            assert_int_equal(sim_frame_undefined(frame)[i], 0);
        /* Private memory is undefined, and filled with the pattern when it is first used. */
        for (uint64_t i = 0; i < kernel->private_bytes * SIM_LANES; i++) {
            assert_int_equal(wave.private_defined.data[i], 0);
            assert_int_equal(wave.private_memory.data[i], turn ? 7 : PATTERN);
        }
        /* The next group starts like the first. */
        for (uint32_t lane = 0; lane < LANES; lane++) {
            for (uint64_t i = 0; i < kernel->private_bytes / 8; i++)
                memset(wave.private_defined.data + (i * SIM_LANES + lane) * 8, 0xff, 8);
        }
        memset(wave.private_memory.data, 7, wave.private_memory.size);
        memset(sim_frame_undefined(frame), 0xff, kernel->uniform_bytes);
        sim_fragment *part = part_take(&wave, whole, 3, 1);
        part->block = 5;
        part->round = 2;
        sim_wave_push(&wave, part);
        whole->block = 4;
        sim_wave_wait(&wave, whole);
        wave.tracks = true;
        wave.shadow = NULL;
        wave.state = SIM_WAVE_AT_BARRIER;
        assert_non_null(sim_wave_start(&wave, kernel, PATTERN));
    }
    sim_wave_close(&wave);
}

static void calls_have_their_own_places(void **state)
{
    (void)state;
    sim_wave wave = wave_make();
    sim_fragment *whole = sim_wave_pop(&wave);
    sim_frame *outer = whole->frame;
    whole->block = 3;
    assert_true(sim_wave_call(&wave, whole, f, PATTERN));
    sim_frame *first = whole->frame;
    assert_int_equal(whole->block, 0);
    assert_ptr_equal(first->function, f);
    assert_ptr_equal(first->parent, outer);
    assert_int_equal(first->references, 1);
    assert_int_equal(outer->references, 1);
    assert_int_equal(first->depth, 1);
    assert_int_equal(first->call_block, 3);
    assert_int_equal(first->lanes_first, 128);
    assert_int_equal(first->private_first, 64);
    assert_int_equal(first->number, 2);
    whole->block = 9;
    assert_true(sim_wave_call(&wave, whole, g, PATTERN));
    sim_frame *second = whole->frame;
    assert_int_equal(second->lanes_first, 128 + 256);
    assert_int_equal(second->private_first, 64 + 128);
    assert_int_equal(second->number, 0); /* without variables */
    assert_int_equal(second->depth, 2);
    assert_int_equal(second->call_block, 9);
    assert_true(wave.stack.size >= 128 + 256 + 512);
    /* The functions return to the blocks after the calls. */
    assert_true(sim_wave_return(&wave, whole));
    assert_ptr_equal(whole->frame, first);
    assert_int_equal(whole->block, 10);
    assert_true(sim_wave_return(&wave, whole));
    assert_ptr_equal(whole->frame, outer);
    assert_int_equal(whole->block, 4);
    assert_int_equal(outer->references, 1);
    /* Numbers and activations are used again. */
    memset(sim_frame_undefined(first), 0xff, f->uniform_bytes);
    assert_true(sim_wave_call(&wave, whole, g, PATTERN));
    assert_ptr_equal(whole->frame, second);
    assert_int_equal(second->lanes_first, 128);
    assert_true(sim_wave_call(&wave, whole, f, PATTERN));
    assert_ptr_equal(whole->frame, first);
    assert_int_equal(first->number, 2);
    assert_int_equal(first->lanes_first, 128 + 512);
    assert_int_equal(first->private_first, 64);
    for (uint32_t i = 0; i < f->uniform_bytes; i++)
        assert_int_equal(sim_frame_undefined(first)[i], 0);
    assert_true(sim_wave_return(&wave, whole) && sim_wave_return(&wave, whole));
    assert_false(sim_wave_return(&wave, whole)); /* from the kernel */
    assert_int_equal(wave.ready.count + wave.waiting.count, 0);
    sim_wave_close(&wave);
}

/* A call makes the callee's variables undefined for the lanes that call, and for no others. */
static void a_call_forgets_variables(void **state)
{
    (void)state;
    sim_wave wave = wave_make();
    sim_fragment *whole = sim_wave_pop(&wave);
    assert_true(sim_wave_call(&wave, whole, f, PATTERN));
    memset(wave.private_defined.data, 0xff, wave.private_defined.size);
    assert_true(sim_wave_return(&wave, whole));
    sim_fragment *part = part_take(&wave, whole, 10, 20);
    sim_wave_push(&wave, whole);
    assert_true(sim_wave_call(&wave, part, f, PATTERN));
    for (uint64_t granule = 0; granule < (64 + 128) / 8; granule++) {
        for (uint32_t lane = 0; lane < LANES; lane++) {
            uint8_t wanted = granule >= 64 / 8 && lane >= 10 && lane < 30 ? 0 : 0xff;
            const uint8_t *defined = wave.private_defined.data + (granule * SIM_LANES + lane) * 8;
            for (uint32_t i = 0; i < 8; i++)
                assert_int_equal(defined[i], wanted);
        }
    }
    sim_wave_push(&wave, part);
    sim_wave_close(&wave);
}

/* Lanes in other functions keep their registers; lanes in the same function at the same place have
 * theirs in the same rows. */
static void registers_do_not_overlap(void **state)
{
    (void)state;
    static const struct {
        const sim_code_function *first, *second;
        bool waits;
        uint64_t wanted; /* where the second one's registers begin */
    } cases[] = {
        {&functions[1], &functions[1], false, 128},
        {&functions[1], &functions[2], false, 128 + 256},
        {&functions[2], &functions[1], true, 128 + 512},
        {&functions[1], &functions[2], true, 128 + 256},
        {&functions[3], &functions[1], false, 128}, /* nothing to overlap */
        {&functions[1], &functions[3], false, 128},
    };
    for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sim_wave wave = wave_make();
        sim_fragment *rest = sim_wave_pop(&wave), *part = part_take(&wave, rest, 0, 8);
        assert_int_equal(rest->frame->references, 2);
        assert_true(sim_wave_call(&wave, part, cases[i].first, PATTERN));
        assert_int_equal(part->frame->lanes_first, 128);
        part->block = 1;
        if (cases[i].waits)
            sim_wave_wait(&wave, part);
        else
            sim_wave_push(&wave, part);
        assert_true(sim_wave_call(&wave, rest, cases[i].second, PATTERN));
        assert_int_equal(rest->frame->lanes_first, cases[i].wanted);
        assert_true(part->frame != rest->frame);
        assert_true(part->frame->number != rest->frame->number || part->frame->number == 0);
        rest->block = 1;
        sim_wave_push(&wave, rest);
        assert_true(sim_wave_check(&wave));
        sim_wave_close(&wave);
    }
    /* Two others, one after the other: a call whose registers would overlap both begins after both.
     */
    sim_wave wave = wave_make();
    sim_fragment *rest = sim_wave_pop(&wave), *one = part_take(&wave, rest, 0, 8),
                 *two = part_take(&wave, rest, 8, 8);
    assert_true(sim_wave_call(&wave, one, f, PATTERN)); /* 128 to 384 */
    sim_wave_push(&wave, one);
    assert_true(sim_wave_call(&wave, two, g, PATTERN)); /* 384 to 896 */
    assert_int_equal(two->frame->lanes_first, 384);
    sim_wave_push(&wave, two);
    assert_true(sim_wave_call(&wave, rest, h, PATTERN));
    assert_int_equal(rest->frame->lanes_first, 128); /* it has none */
    assert_true(sim_wave_call(&wave, rest, g, PATTERN));
    assert_int_equal(rest->frame->lanes_first, 896);
    assert_true(sim_wave_call(&wave, rest, f, PATTERN));
    assert_int_equal(rest->frame->lanes_first, 896 + 512);
    sim_wave_push(&wave, rest);
    assert_true(sim_wave_check(&wave));
    sim_wave_close(&wave);
    /* After the end of one, a call may overlap another that it was apart from. */
    wave = wave_make();
    rest = sim_wave_pop(&wave);
    one = part_take(&wave, rest, 0, 8);
    two = part_take(&wave, rest, 8, 8);
    assert_true(sim_wave_call(&wave, one, f, PATTERN)); /* 128 to 384 */
    sim_wave_push(&wave, one);
    assert_true(sim_wave_call(&wave, two, &functions[6], PATTERN)); /* 384 to 640 */
    sim_wave_push(&wave, two);
    assert_true(sim_wave_call(&wave, rest, &functions[7], PATTERN));
    assert_int_equal(rest->frame->lanes_first, 640);
    sim_wave_push(&wave, rest);
    sim_wave_close(&wave);
}

static void stacks_are_limited(void **state)
{
    (void)state;
    sim_wave wave = wave_make();
    sim_fragment *whole = sim_wave_pop(&wave);
    /* The kernel is one of 1024 activations. */
    for (uint32_t i = 0; i < 1023; i++)
        assert_true(sim_wave_call(&wave, whole, h, PATTERN));
    sim_frame *last = whole->frame;
    whole->block = 2;
    assert_int_equal(last->depth, 1023);
    assert_false(sim_wave_call(&wave, whole, h, PATTERN));
    assert_ptr_equal(whole->frame, last);
    assert_int_equal(whole->block, 2);
    assert_int_equal(last->references, 1);
    for (uint32_t i = 0; i < 1023; i++)
        assert_true(sim_wave_return(&wave, whole));
    /* Two of `deep` and the kernel exceed 256 MiB, and so do two of `wide` the private memory. */
    assert_true(sim_wave_call(&wave, whole, deep, PATTERN));
    assert_false(sim_wave_call(&wave, whole, deep, PATTERN));
    assert_true(sim_wave_return(&wave, whole));
    assert_true(sim_wave_call(&wave, whole, wide, PATTERN));
    assert_false(sim_wave_call(&wave, whole, wide, PATTERN));
    assert_true(sim_wave_return(&wave, whole));
    sim_wave_push(&wave, whole);
    /* As kernels, two of each fit exactly. */
    assert_non_null(sim_wave_start(&wave, wide, PATTERN));
    whole = sim_wave_pop(&wave);
    assert_true(sim_wave_call(&wave, whole, wide, PATTERN));
    assert_false(sim_wave_call(&wave, whole, f, PATTERN));
    assert_true(sim_wave_call(&wave, whole, g, PATTERN));
    sim_wave_push(&wave, whole);
    static const sim_code_function too_large[] = {
        {.blocks = blocks, .block_count = 16, .frame_bytes = (1u << 28) + 64},
        {.blocks = blocks,
         .block_count = 16,
         .private_bytes = SIM_PRIVATE_BYTES_MAX / SIM_LANES + 64},
    };
    assert_null(sim_wave_start(&wave, &too_large[0], PATTERN));
    assert_null(sim_wave_start(&wave, &too_large[1], PATTERN));
    assert_int_equal(wave.ready.count, 0);
    sim_wave_close(&wave);
}

/* If the numbers of private variables are used up, an activation shares that of one of the same
 * function at the same place, in other lanes. */
static void numbers_are_limited(void **state)
{
    (void)state;
    sim_wave wave = wave_make();
    sim_fragment *rest = sim_wave_pop(&wave), *part = part_take(&wave, rest, 0, 8),
                 *other = part_take(&wave, rest, 8, 8);
    for (uint32_t i = 0; i < 600; i++) {
        assert_true(sim_wave_call(&wave, part, f, PATTERN));
        assert_int_equal(part->frame->number, 2 + i);
    }
    sim_wave_push(&wave, part);
    for (uint32_t i = 0; 602 + i <= SIM_PRIVATE_FRAME_MAX; i++) {
        assert_true(sim_wave_call(&wave, other, f, PATTERN));
        assert_int_equal(other->frame->number, 602 + i);
    }
    /* The 423rd call of `f` within another; the first 600 had numbers from 2. */
    uint32_t calls = SIM_PRIVATE_FRAME_MAX - 601;
    assert_true(sim_wave_call(&wave, other, f, PATTERN));
    assert_int_equal(other->frame->number, 2 + calls);
    assert_int_equal(wave.privates.items[2 + calls].references, 2);
    sim_frame *shared = other->frame;
    /* A function that has variables elsewhere only has no number. */
    assert_false(sim_wave_call(&wave, other, kernel, PATTERN));
    assert_ptr_equal(other->frame, shared);
    assert_int_equal(wave.privates.count, SIM_PRIVATE_FRAME_MAX + 1);
    assert_true(sim_wave_return(&wave, other));
    assert_int_equal(wave.privates.items[2 + calls].references, 1);
    assert_ptr_equal(wave.privates.items[2 + calls].function, f);
    /* A number that is no longer used is given out again. */
    uint32_t last = other->frame->number;
    assert_true(sim_wave_return(&wave, other));
    assert_null(wave.privates.items[last].function);
    assert_true(sim_wave_call(&wave, other, f, PATTERN));
    assert_int_equal(other->frame->number, last);
    sim_wave_push(&wave, other);
    sim_wave_push(&wave, rest);
    sim_wave_close(&wave);
}

/* ---- Order ----------------------------------------------------------------------------------- */

/* Earlier rounds come first, then earlier turns, then lower blocks; fragments at the same place of
 * the same activation are one. */
static void fragments_run_in_order(void **state)
{
    (void)state;
    static const struct {
        uint32_t round, turn, block, rank; /* rank in which they run */
    } rows[] = {
        {0, 0, 7, 1}, {0, 0, 2, 0}, {1, 0, 1, 4}, {0, 1, 3, 3},
        {0, 1, 0, 2}, {2, 0, 0, 6}, {1, 1, 0, 5},
    };
    enum { COUNT = sizeof rows / sizeof *rows };
    sim_wave wave = wave_make();
    sim_fragment *rest = sim_wave_pop(&wave), *parts[COUNT];
    for (uint32_t i = 0; i < COUNT; i++) {
        parts[i] = part_take(&wave, rest, 4 * i, 4);
        parts[i]->round = rows[i].round;
        parts[i]->turn = rows[i].turn;
        parts[i]->block = rows[i].block;
    }
    for (uint32_t i = 0; i < COUNT; i++) {
        bool is_first = true;
        for (uint32_t k = 0; k < i; k++)
            is_first = is_first && rows[i].rank < rows[k].rank;
        assert_int_equal(sim_wave_is_first(&wave, parts[i]), is_first);
        /* Its own activation: blocks that are the same in another round would merge. */
        sim_fragment *unit = parts[i];
        sim_wave_rotate(&wave, unit);
        unit->round--;
        sim_wave_push(&wave, unit);
        assert_int_equal(wave.ready.count, i + 1);
    }
    assert_true(sim_wave_check(&wave));
    for (uint32_t rank = 0; rank < COUNT; rank++) {
        sim_fragment *next = sim_wave_pop(&wave);
        uint32_t i = 0;
        while (rows[i].rank != rank)
            i++;
        assert_ptr_equal(next, parts[i]);
        sim_wave_drop(&wave, next);
    }
    assert_null(sim_wave_pop(&wave));
    sim_wave_drop(&wave, rest);
    sim_wave_close(&wave);
}

static void fragments_at_one_place_merge(void **state)
{
    (void)state;
    for (uint32_t waits = 0; waits < 2; waits++) {
        sim_wave wave = wave_make();
        sim_fragment *rest = sim_wave_pop(&wave), *one = part_take(&wave, rest, 0, 4),
                     *two = part_take(&wave, rest, 8, 4), *three = part_take(&wave, rest, 16, 4);
        one->block = two->block = 3;
        three->block = 4;
        sim_frame *frame = rest->frame;
        assert_int_equal(frame->references, 4);
        sim_fragment *parts[] = {two, three, one};
        assert_true(sim_wave_is_first(&wave, two));
        for (uint32_t i = 0; i < 3; i++) {
            if (waits)
                sim_wave_wait(&wave, parts[i]);
            else
                sim_wave_push(&wave, parts[i]);
            if (!waits && i == 0) assert_false(sim_wave_is_first(&wave, one)); /* it would merge */
        }
        assert_int_equal(waits ? wave.waiting.count : wave.ready.count, 2);
        assert_int_equal(waits ? wave.ready.count : wave.waiting.count, 0);
        assert_int_equal(frame->references, 3);
        sim_fragment *first = waits ? sim_wave_resume(&wave, 0) : sim_wave_pop(&wave);
        assert_ptr_equal(first, two);
        assert_int_equal(first->active, 8);
        for (uint32_t lane = 0; lane < SIM_LANES; lane++)
            assert_int_equal(first->mask[lane], lane < 4 || (lane >= 8 && lane < 12));
        sim_fragment *second = waits ? sim_wave_resume(&wave, 0) : sim_wave_pop(&wave);
        assert_ptr_equal(second, three);
        assert_int_equal(second->active, 4);
        /* A fragment that has been merged is used again. */
        assert_ptr_equal(sim_wave_split(&wave, first), one);
        sim_wave_drop(&wave, one);
        sim_wave_drop(&wave, first);
        sim_wave_drop(&wave, second);
        sim_wave_drop(&wave, rest);
        sim_wave_close(&wave);
    }
}

/* What a fragment resumes at an index, the last waiting one replaces. */
static void waiting_fragments_resume(void **state)
{
    (void)state;
    sim_wave wave = wave_make();
    sim_fragment *rest = sim_wave_pop(&wave), *parts[4];
    for (uint32_t i = 0; i < 4; i++) {
        parts[i] = part_take(&wave, rest, i, 1);
        parts[i]->block = 1 + i;
        sim_wave_wait(&wave, parts[i]);
    }
    assert_ptr_equal(sim_wave_resume(&wave, 1), parts[1]);
    assert_int_equal(wave.waiting.count, 3);
    assert_ptr_equal(wave.waiting.items[0], parts[0]);
    assert_ptr_equal(wave.waiting.items[1], parts[3]);
    assert_ptr_equal(wave.waiting.items[2], parts[2]);
    sim_wave_push(&wave, parts[1]);
    sim_wave_push(&wave, rest);
    sim_wave_close(&wave);
}

/* Makes a fragment at a block of a chain of calls. */
static sim_fragment *place_make(sim_wave *wave, sim_fragment *rest, uint32_t lane,
                                const uint8_t *chain)
{
    sim_fragment *part = part_take(wave, rest, lane, 1);
    /* {block, function, block, function, … block}; 0 ends it. */
    for (uint32_t i = 0;; i += 2) {
        part->block = chain[i];
        if (chain[i + 1] == 0) return part;
        assert_true(sim_wave_call(wave, part, &functions[chain[i + 1]], PATTERN));
    }
}

/* Places are in the order of the code with all calls inlined; of two functions that one call
 * reaches, the first one comes first; deeper activations come before their caller's block. */
static void places_have_an_order(void **state)
{
    (void)state;
    enum { F = 1, G = 2 };
    static const uint8_t chains[][8] = {
        {2, 0},          {3, F, 4, 0}, {3, F, 5, F, 1, 0}, {3, F, 5, F, 9, 0}, {3, F, 5, G, 0, 0},
        {3, F, 5, 0},    {3, F, 6, 0}, {3, G, 1, 0},       {3, G, 9, 0},       {3, 0},
        {4, F, 2, F, 0}, {4, 0},
    };
    enum { COUNT = sizeof chains / sizeof *chains };
    sim_wave waves[2] = {wave_make(), wave_make()};
    sim_fragment *rest[2], *parts[2][COUNT];
    for (uint32_t w = 0; w < 2; w++) {
        rest[w] = sim_wave_pop(&waves[w]);
        for (uint32_t i = 0; i < COUNT; i++)
            parts[w][i] = place_make(&waves[w], rest[w], i, chains[i]);
    }
    for (uint32_t w = 0; w < 2; w++) {
        for (uint32_t i = 0; i < COUNT; i++) {
            for (uint32_t k = 0; k < COUNT; k++) {
                int order = sim_place_compare(parts[0][i], parts[w][k]);
                if ((order > 0) != (i > k) || (order < 0) != (i < k))
                    fail_msg("%u and %u: %d", i, k, order);
                assert_int_equal(sim_place_same(parts[0][i], parts[w][k]), i == k);
            }
        }
    }
    for (uint32_t w = 0; w < 2; w++) {
        for (uint32_t i = 0; i < COUNT; i++)
            sim_wave_drop(&waves[w], parts[w][i]);
        sim_wave_drop(&waves[w], rest[w]);
        sim_wave_close(&waves[w]);
    }
}

/* ---- Copies ---------------------------------------------------------------------------------- */

static void a_spinning_fragment_has_its_own_activations(void **state)
{
    (void)state;
    sim_wave wave = wave_make();
    sim_fragment *whole = sim_wave_pop(&wave);
    sim_frame *outer = whole->frame;
    assert_true(sim_wave_call(&wave, whole, f, PATTERN));
    sim_frame *inner = whole->frame;
    /* Not shared: nothing is copied. */
    sim_wave_rotate(&wave, whole);
    assert_ptr_equal(whole->frame, inner);
    assert_int_equal(whole->round, 1);
    memset(inner->uniforms, 0x11, f->uniform_bytes);
    memset(sim_frame_undefined(inner), 0x22, f->uniform_bytes);
    memset(outer->uniforms, 0x33, kernel->uniform_bytes);
    sim_fragment *part = part_take(&wave, whole, 0, 4);
    assert_int_equal(inner->references, 2);
    sim_wave_rotate(&wave, part);
    assert_int_equal(part->round, 2);
    sim_frame *clone = part->frame, *parent = clone->parent;
    assert_true(clone != inner && parent != outer && clone->uniforms != inner->uniforms);
    assert_int_equal(inner->references, 1);
    assert_int_equal(outer->references, 1);
    assert_int_equal(clone->references, 1);
    assert_int_equal(parent->references, 1);
    assert_null(parent->parent);
    assert_ptr_equal(parent->function, kernel);
    assert_int_equal(clone->number, inner->number);
    assert_int_equal(clone->depth, 1);
    assert_int_equal(clone->lanes_first, inner->lanes_first);
    assert_int_equal(clone->private_first, inner->private_first);
    assert_int_equal(clone->call_block, inner->call_block);
    assert_int_equal(wave.privates.items[inner->number].references, 2);
    assert_int_equal(wave.privates.items[outer->number].references, 2);
    assert_memory_equal(clone->uniforms, inner->uniforms, f->uniform_bytes);
    assert_memory_equal(sim_frame_undefined(clone), sim_frame_undefined(inner), f->uniform_bytes);
    assert_memory_equal(parent->uniforms, outer->uniforms, kernel->uniform_bytes);
    /* Only the kernel's activation is shared. */
    assert_true(sim_wave_return(&wave, whole));
    sim_fragment *other = part_take(&wave, whole, 8, 4);
    assert_true(sim_wave_call(&wave, other, g, PATTERN));
    sim_frame *called = other->frame;
    assert_int_equal(called->references, 1);
    sim_wave_rotate(&wave, other);
    assert_true(other->frame != called && other->frame->parent != outer);
    assert_int_equal(outer->references, 1);
    sim_wave_push(&wave, whole);
    sim_wave_push(&wave, part);
    sim_wave_push(&wave, other);
    assert_int_equal(wave.ready.count, 3);
    assert_true(sim_wave_check(&wave));
    sim_wave_close(&wave);
}

/* 70 lanes in units of 16: the last has six; they run in the order of their turns. */
static void units_take_turns(void **state)
{
    (void)state;
    const sim_turns turns = {.unit_lanes = 16, .turn = {3, 1, 4, 0, 2}};
    sim_wave wave = wave_make();
    memset(wave.ready.items[0]->frame->uniforms, 0x44, kernel->uniform_bytes);
    sim_wave_part(&wave, &turns);
    assert_int_equal(wave.ready.count, 5);
    static const uint32_t order[] = {3, 1, 4, 0, 2};
    sim_fragment *units[5];
    for (uint32_t i = 0; i < 5; i++) {
        units[i] = sim_wave_pop(&wave);
        uint32_t first = order[i] * 16, end = first + 16 < LANES ? first + 16 : LANES;
        assert_int_equal(units[i]->turn, i);
        assert_int_equal(units[i]->active, end - first);
        for (uint32_t lane = 0; lane < SIM_LANES; lane++)
            assert_int_equal(units[i]->mask[lane], lane >= first && lane < end);
        assert_int_equal(units[i]->frame->references, 1);
        for (uint32_t k = 0; k < kernel->uniform_bytes; k++)
            assert_int_equal(units[i]->frame->uniforms[k], 0x44);
        for (uint32_t k = 0; k < i; k++)
            assert_true(units[i]->frame != units[k]->frame);
    }
    assert_int_equal(wave.privates.items[1].references, 5);
    /* A call does not overlap the registers of units, which have no activation in common. */
    sim_wave_push(&wave, units[1]);
    assert_true(sim_wave_call(&wave, units[0], f, PATTERN));
    assert_int_equal(units[0]->frame->lanes_first, 128);
    assert_true(sim_wave_return(&wave, units[0]));
    assert_ptr_equal(sim_wave_pop(&wave), units[1]);
    /* After a barrier they have the turns of the next order, and no rounds behind them. */
    const sim_turns next = {.unit_lanes = 16, .turn = {4, 3, 2, 1, 0}};
    for (uint32_t i = 0; i < 5; i++) {
        units[i]->block = 2;
        units[i]->round = i;
        sim_wave_wait(&wave, units[i]);
    }
    wave.state = SIM_WAVE_AT_BARRIER;
    sim_wave_release(&wave, &next);
    assert_int_equal(wave.state, SIM_WAVE_READY);
    assert_int_equal(wave.waiting.count, 0);
    for (uint32_t i = 0; i < 5; i++) {
        sim_fragment *unit = sim_wave_pop(&wave);
        assert_int_equal(unit->round, 0);
        assert_int_equal(unit->turn, i);
        assert_int_equal(unit->mask[(4 - i) * 16], 1);
        unit->round = 3;
        sim_wave_wait(&wave, unit);
    }
    sim_wave_release(&wave, &(sim_turns){.unit_lanes = 0});
    for (uint32_t i = 0; i < 5; i++) {
        assert_int_equal(wave.ready.items[i]->turn, 0);
        assert_int_equal(wave.ready.items[i]->round, 0);
    }
    sim_wave_close(&wave);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_wave_starts_whole),
        cmocka_unit_test(calls_have_their_own_places),
        cmocka_unit_test(a_call_forgets_variables),
        cmocka_unit_test(registers_do_not_overlap),
        cmocka_unit_test(stacks_are_limited),
        cmocka_unit_test(numbers_are_limited),
        cmocka_unit_test(fragments_run_in_order),
        cmocka_unit_test(fragments_at_one_place_merge),
        cmocka_unit_test(waiting_fragments_resume),
        cmocka_unit_test(places_have_an_order),
        cmocka_unit_test(a_spinning_fragment_has_its_own_activations),
        cmocka_unit_test(units_take_turns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
