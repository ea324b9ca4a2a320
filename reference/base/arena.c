/* A bump allocator over a chain of blocks. */
#include "reference/base/arena.h"

#include "reference/base/alloc.h"

#include <stdalign.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#if __has_include(<valgrind/memcheck.h>)
#include <valgrind/memcheck.h>
#else
#define VALGRIND_MAKE_MEM_NOACCESS(address, size)  ((void)(address), (void)(size))
#define VALGRIND_MAKE_MEM_UNDEFINED(address, size) ((void)(address), (void)(size))
#endif

/* Most arenas hold a few objects, so the blocks of an arena start small and double. */
#ifdef RT_ARENA_BLOCKS
/* The sanitizer's redzone begins right after the object. */
enum { FIRST_BLOCK_BYTES = 1, LARGEST_BLOCK_BYTES = 1, UNIT_BYTES = 1, REDZONE_BYTES = 0 };
#else
enum { FIRST_BLOCK_BYTES = 1024, LARGEST_BLOCK_BYTES = 16 * 1024 };
enum { UNIT_BYTES = alignof(max_align_t), REDZONE_BYTES = 16 };
#endif

typedef struct rt_arena_block {
    struct rt_arena_block *next;
    size_t capacity; /* bytes of data in the block */
    alignas(max_align_t) uint8_t data[];
} rt_arena_block;

static void arena_add_block(rt_arena *arena, size_t needed)
{
    size_t capacity = arena->blocks ? arena->blocks->capacity * 2 : FIRST_BLOCK_BYTES;
    if (capacity > LARGEST_BLOCK_BYTES) capacity = LARGEST_BLOCK_BYTES;
    if (capacity < needed) capacity = needed;
    /* Not rt_alloc, which zeroes the whole block: objects are zeroed when they are allocated. */
    rt_arena_block *block = rt_realloc(NULL, sizeof *block + capacity);
    block->next = arena->blocks;
    block->capacity = capacity;
    VALGRIND_MAKE_MEM_NOACCESS(block->data, capacity);
    arena->blocks = block;
    arena->used = 0;
}

void *rt_arena_alloc(rt_arena *arena, size_t size_bytes)
{
    CHECK(size_bytes < SIZE_MAX / 2);
    size_t units = size_bytes > 0 ? (size_bytes + (UNIT_BYTES - 1)) / UNIT_BYTES : 1;
    size_t needed = units * UNIT_BYTES + REDZONE_BYTES;
    if (!arena->blocks || arena->blocks->capacity - arena->used < needed) {
        arena_add_block(arena, needed);
    }
    uint8_t *object = arena->blocks->data + arena->used;
    arena->used += needed;
    arena->total += needed;
    CHECK(arena->used <= arena->blocks->capacity);
    VALGRIND_MAKE_MEM_UNDEFINED(object, size_bytes);
    memset(object, 0, size_bytes);
    return object;
}

void *rt_arena_alloc_array(rt_arena *arena, size_t count, size_t size_bytes)
{
    CHECK(size_bytes > 0);
    CHECK(count <= SIZE_MAX / 4 / size_bytes);
    return rt_arena_alloc(arena, count * size_bytes);
}

void *rt_arena_copy(rt_arena *arena, const void *items, size_t count, size_t size_bytes)
{
    CHECK_IMPLIES(count > 0, items);
    void *copy = rt_arena_alloc_array(arena, count, size_bytes);
    if (count > 0) memcpy(copy, items, count * size_bytes);
    return copy;
}

rt_text rt_arena_text(rt_arena *arena, rt_text text)
{
    char *copy = rt_arena_alloc(arena, text.length + 1);
    if (text.length) memcpy(copy, text.data, text.length);
    return (rt_text){copy, text.length};
}

rt_text rt_arena_printf(rt_arena *arena, const char *format, ...)
{
    rt_buffer formatted = {0};
    va_list arguments;
    va_start(arguments, format);
    rt_buffer_vprintf(&formatted, format, arguments);
    va_end(arguments);
    rt_text text = rt_arena_text(arena, rt_buffer_text(&formatted));
    rt_buffer_free(&formatted);
    return text;
}

rt_bytes rt_arena_bytes(rt_arena *arena, rt_bytes bytes)
{
    return (rt_bytes){rt_arena_copy(arena, bytes.data, bytes.size, 1), bytes.size};
}

void rt_arena_reset(rt_arena *arena)
{
    while (arena->blocks) {
        rt_arena_block *block = arena->blocks;
        arena->blocks = block->next;
        rt_free(block);
    }
    *arena = (rt_arena){0};
}
