/* Mapped objects: the host accesses their bytes at the addresses that kernels use.
 *
 * An object's address is its number in the upper bits and a fixed offset (decode/address.h); those
 * of the first objects are also addresses that a process on x86-64 may map, in steps of a tebibyte.
 * So the object whose address is free in this process gets its bytes there. There are few such
 * numbers, so they are reused in rotation: a pointer to a freed object stays a finding for as long
 * as possible, and always while the caller holds the number.
 *
 * The host's accesses cannot be seen. Between launches all bytes count as defined. */
#include "sim/memory/world.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

/* The numbers of which addresses are below 2^47, where a process's addresses end. The last of them
 * is left out: the stack and the libraries are there. */
#define PROCESS_COUNT ((UINT64_C(1) << (47 - SIM_ADDRESS_OFFSET_BITS)) - 1)
#define MAPPED_COUNT  (PROCESS_COUNT - 1)

/* No other object gets one of these numbers, or its address could be one of the host. */
void sim_world_reserve_mapped(sim_world *world)
{
    CHECK(world->objects.count == 1 && world->mapped_next == 0);
    for (uint32_t i = 0; i < PROCESS_COUNT; i++)
        *rt_vector_push(&world->objects) = (sim_memory){0};
    world->mapped_next = 1;
}

/* Maps the bytes of an object; NULL: the process uses its address for something else, or, with
 * ENOMEM, there is no memory. */
static void *bytes_map(sim_object object, uint64_t size)
{
    void *wanted = (void *)(uintptr_t)sim_object_address(object);
    void *bytes = mmap(wanted, size, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (bytes == MAP_FAILED) return NULL;
    if (bytes == wanted) return bytes;
    /* Before Linux 4.17 the address was only a hint. */
    munmap(bytes, size);
    errno = EEXIST;
    return NULL;
}

rt_status sim_object_create_mapped(sim_world *world, uint64_t size, rt_text label,
                                   sim_object *out_object)
{
    CHECK(world->mapped_next >= 1 && world->mapped_next <= MAPPED_COUNT);
    *out_object = 0;
    RT_TRY(sim_object_size_check(world, size, label));
    for (uint32_t tries = 0; tries < MAPPED_COUNT; tries++) {
        sim_object object = world->mapped_next;
        sim_memory *memory = sim_world_memory(world, object);
        world->mapped_next = object % (uint32_t)MAPPED_COUNT + 1;
        if (memory->data || memory->is_held) continue;
        uint8_t *data = bytes_map(object, size);
        if (!data && errno == ENOMEM) break;
        if (!data) continue;
        memset(data, (int)(sim_world_choose(world, object) & 0xff), size);
        *memory = (sim_memory){.data = data,
                               .size = size,
                               .all_defined = true,
                               .is_mapped = true,
                               .is_held = true,
                               .label = rt_arena_text(&world->arena, label)};
        *out_object = object;
        CHECK_SLOW(sim_world_check(world));
        return RT_STATUS_OK;
    }
    return rt_fail(world->sink, RT_ERRC_MEMORY_ALLOCATION, RT_RULE_NONE,
                   "the system cannot provide %llu bytes for memory '%.*s' at an address that the "
                   "host and the device share; there can be about %u such memories at a time",
                   (unsigned long long)size, RT_TEXT_ARG(label), (unsigned)MAPPED_COUNT);
}

void sim_object_retire(sim_world *world, sim_object object)
{
    sim_memory *memory = sim_world_memory(world, object);
    CHECK(!memory->data);
    memory->is_held = false;
}

void sim_mapped_free(sim_memory *memory)
{
    CHECK(memory->is_mapped);
    if (memory->data) munmap(memory->data, memory->size);
}

void sim_mapped_settle(sim_world *world)
{
    for (uint32_t i = 1; world->mapped_next != 0 && i <= MAPPED_COUNT; i++) {
        sim_memory *memory = sim_world_memory(world, i);
        if (memory->data && !memory->all_defined) sim_memory_settle(memory);
    }
}
