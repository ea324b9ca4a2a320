/* The memory of one wave. */
#include "sim/memory/wave.h"

#include "reference/base/alloc.h"

#include <string.h>

void sim_lane_memory_grow(sim_lane_memory *memory, uint64_t size, uint8_t pattern)
{
    if (size <= memory->size) return;
    uint64_t grown = size + memory->size; /* at least doubles the size */
    uint8_t *block = rt_alloc(grown + 64);
    uint8_t *data = block + (-(uintptr_t)block & 63);
    if (memory->size) memcpy(data, memory->data, memory->size);
    if (pattern) memset(data + memory->size, pattern, grown - memory->size);
    rt_free(memory->block);
    *memory = (sim_lane_memory){block, data, grown};
}

void sim_wave_forget(sim_wave *wave, const uint8_t *mask, uint64_t first, uint64_t size)
{
    if (size == 0) return;
    CHECK(first % 8 == 0 && (first + size) * SIM_LANES <= wave->private_defined.size);
    uint64_t *granule = (uint64_t *)(void *)(wave->private_defined.data + first * SIM_LANES);
    uint32_t lanes = sim_chunks_up(wave->lane_count), active = 0;
    for (uint32_t lane = 0; lane < lanes; lane++)
        active += mask[lane];
    for (uint64_t done = 0; done < size; done += 8, granule += SIM_LANES) {
        if (active == wave->lane_count) {
            memset(granule, 0, lanes * sizeof *granule);
            continue;
        }
        for (uint32_t lane = 0; lane < lanes; lane++)
            granule[lane] = mask[lane] ? 0 : granule[lane];
    }
}
