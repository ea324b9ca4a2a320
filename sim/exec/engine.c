/* Finds the engines that this machine can run, and sets which one a world uses. */
#include "sim/exec/exec.h"

typedef struct engine_row {
    const char *name;
    sim_engine *checked, *unchecked;
} engine_row;

sim_engine sim_engine_base, sim_engine_base_unchecked;
#ifdef SIM_ENGINES_X86
sim_engine sim_engine_v3, sim_engine_v4, sim_engine_v3_unchecked, sim_engine_v4_unchecked;
#define X86_ENGINE(level) sim_engine_##level, sim_engine_##level##_unchecked
#else
#define X86_ENGINE(level) NULL, NULL
#endif

static const engine_row engines[SIM_ENGINE_COUNT] = {
    {"base", sim_engine_base, sim_engine_base_unchecked},
    {"v3", X86_ENGINE(v3)},
    {"v4", X86_ENGINE(v4)},
};

/* True if the processor has every feature that the compiler may use at this level. */
static bool machine_runs(uint32_t index)
{
    CHECK(index < SIM_ENGINE_COUNT);
#ifdef SIM_ENGINES_X86
    bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
              __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
    bool v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
              __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
              __builtin_cpu_supports("avx512vl");
    if (index > 0) return index == 1 ? v3 : v4;
#endif
    return index == 0;
}

sim_engine *sim_engine_at(uint32_t index)
{
    return machine_runs(index) ? engines[index].checked : NULL;
}

sim_engine *sim_engine_unchecked_at(uint32_t index)
{
    return machine_runs(index) ? engines[index].unchecked : NULL;
}

uint32_t sim_engine_best(void)
{
    uint32_t index = SIM_ENGINE_COUNT - 1;
    while (!sim_engine_at(index))
        index--;
    return index;
}

rt_status sim_world_choose_engine(sim_world *world, rt_text name)
{
    for (uint32_t i = 0; i < SIM_ENGINE_COUNT; i++) {
        if (!rt_text_is(name, engines[i].name)) continue;
        world->engine = i;
        if (sim_engine_at(i)) return RT_STATUS_OK;
        world->engine = sim_engine_best();
        CHECK(world->engine < i);
        return rt_fail(world->sink, RT_UNAVAILABLE, RT_RULE_NONE,
                       "this processor lacks a feature that engine '%s' of the simulated device "
                       "uses; the best engine that it can run is '%s'",
                       engines[i].name, engines[world->engine].name);
    }
    return rt_fail(world->sink, RT_ERRC_INVALID, RT_RULE_NONE,
                   "the simulated device has no engine '%.*s'; choose base, v3 or v4",
                   RT_TEXT_ARG(name));
}

void sim_world_use_threads(sim_world *world, uint32_t count)
{
    CHECK(world && count >= 1);
    world->threads = count;
}

void sim_world_drop_checks(sim_world *world)
{
    CHECK(world);
    world->is_unchecked = true;
}
