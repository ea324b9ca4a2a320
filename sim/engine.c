/* Which of the engines this machine runs best. */
#include "sim/exec.h"

sim_engine sim_engine_base;
#ifdef SIM_ENGINES_X86
sim_engine sim_engine_v3, sim_engine_v4;
#endif

sim_engine *sim_engine_at(uint32_t index)
{
    CHECK(index < SIM_ENGINE_COUNT);
#ifdef SIM_ENGINES_X86
    bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
              __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
    bool v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
              __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
              __builtin_cpu_supports("avx512vl");
    if (index == 2) return v4 ? sim_engine_v4 : NULL;
    if (index == 1) return v3 ? sim_engine_v3 : NULL;
#endif
    return index == 0 ? sim_engine_base : NULL;
}

uint32_t sim_engine_best(void)
{
    uint32_t index = SIM_ENGINE_COUNT - 1;
    while (!sim_engine_at(index))
        index--;
    return index;
}
