#include "conformance/tools/generate/host/weights.h"

#include "reference/base/check.h"
#include "reference/base/lines.h"
#include "reference/base/number.h"

typedef enum feature {
    LINKING,
    DEVICE_GLOBAL,
    MEMORY,
    FUSION,
    CONSTANTS,
    DEVICES,
    PERSISTENT,
    ASPECTS,
    FORMATS,
    BUNDLES,
    VIRTUAL_FUNCTIONS,
    FEATURES
} feature;

static const char *const feature_names[FEATURES] = {[LINKING] = "linking",
                                                    [DEVICE_GLOBAL] = "device_global",
                                                    [MEMORY] = "memory",
                                                    [FUSION] = "fusion",
                                                    [CONSTANTS] = "constants",
                                                    [DEVICES] = "devices",
                                                    [PERSISTENT] = "persistent",
                                                    [ASPECTS] = "aspects",
                                                    [FORMATS] = "formats",
                                                    [BUNDLES] = "bundles",
                                                    [VIRTUAL_FUNCTIONS] = "virtual_functions"};

/* Source of the numbers: trial; with these, one in twenty repeats a launch that must get another
 * result than before, or be refused, because a library is gone. */
static const struct weight_row {
    const char *name;
    feature feature;
    uint32_t weight;
} rows[GEN_WEIGHTS] = {
    [GEN_LOAD] = {"load", LINKING, 26},
    [GEN_UNLOAD] = {"unload", LINKING, 18},
    [GEN_LAUNCH] = {"launch", LINKING, 70},
    [GEN_COPY_IN] = {"copy-in", DEVICE_GLOBAL, 4},
    [GEN_COPY_OUT] = {"copy-out", DEVICE_GLOBAL, 6},
    [GEN_RESTART] = {"restart", LINKING, 5},
    [GEN_SWEEP] = {"sweep", LINKING, 5},
    [GEN_REPLACE] = {"replace", LINKING, 12},
    [GEN_BUNDLE] = {"bundle", BUNDLES, 6},
    [GEN_SHAPE] = {"shape", VIRTUAL_FUNCTIONS, 30},
    [GEN_WORK] = {"work", MEMORY, 12},
    [GEN_FAN] = {"fan", MEMORY, 1},
    [GEN_GATHER] = {"gather", MEMORY, 1},
    [GEN_FUSION] = {"fusion", FUSION, 1},
    [GEN_READ] = {"read", MEMORY, 4},
    [GEN_REFUSED] = {"refused", LINKING, 12},
    [GEN_LATE] = {"late", LINKING, 25},
    [GEN_SET_CONSTANTS] = {"constants", CONSTANTS, 30},
    [GEN_TWO_DEVICES] = {"devices", DEVICES, 35},
    [GEN_TWO_CONTEXTS] = {"contexts", DEVICES, 20},
    [GEN_PERSISTENT] = {"persistent", PERSISTENT, 35},
    [GEN_NEEDS] = {"needs", LINKING, 20},
    [GEN_PRELOAD] = {"preload", LINKING, 10},
    [GEN_SHAPES] = {"shapes", VIRTUAL_FUNCTIONS, 15},
    [GEN_WITHOUT_FP64] = {"without-fp64", ASPECTS, 15},
    [GEN_FORMATS] = {"formats", FORMATS, 15},
};

enum { STEP_MAX = 1000, PERCENT_MAX = 100 };

/* True if a step that submits a command has a weight. */
static bool has_command_step(const gen_weights *weights)
{
    uint32_t sum = weights->of[GEN_LAUNCH];
    for (uint32_t i = GEN_WORK; i < GEN_READ; i++)
        sum += weights->of[i];
    return sum > 0;
}

const char *gen_feature_name(uint32_t index)
{
    return index < FEATURES ? feature_names[index] : NULL;
}

const char *gen_weight_name(uint32_t index)
{
    return index < GEN_WEIGHTS ? rows[index].name : NULL;
}

gen_weights gen_weights_default(void)
{
    gen_weights weights;
    for (uint32_t i = 0; i < GEN_WEIGHTS; i++)
        weights.of[i] = rows[i].weight;
    return weights;
}

gen_weights gen_weights_vary(const gen_weights *weights, gen_random *random)
{
    static const uint32_t step_factors[] = {0, 1, 1, 4}, percent_factors[] = {0, 1, 1, 3};
    gen_weights varied = *weights;
    for (uint32_t i = 0; i < GEN_WEIGHTS; i++) {
        uint32_t drawn = gen_random_below(random, 4);
        if (i == GEN_LOAD) continue;
        varied.of[i] *= i < GEN_STEPS ? step_factors[drawn] : percent_factors[drawn];
        if (i >= GEN_STEPS && varied.of[i] > PERCENT_MAX) varied.of[i] = PERCENT_MAX;
    }
    return has_command_step(&varied) ? varied : *weights;
}

bool gen_weights_choose(gen_weights *weights, rt_text features, rt_text *out_word)
{
    uint32_t chosen = 0;
    *out_word = features; /* of an empty list */
    while (features.length > 0) {
        *out_word = rt_text_take_until(&features, ',');
        uint32_t i = 0;
        while (i < FEATURES && !rt_text_is(*out_word, feature_names[i]))
            i++;
        if (i == FEATURES) return false;
        chosen |= 1u << i;
    }
    if (chosen == 0) return false;
    /* Device_globals, constants, devices and the cache show only in launches. */
    if (chosen & ~(1u << MEMORY | 1u << FUSION)) chosen |= 1u << LINKING;
    if (chosen & 1u << FUSION) chosen |= 1u << MEMORY;
    for (uint32_t i = 0; i < GEN_WEIGHTS; i++)
        if (!(chosen & 1u << rows[i].feature)) weights->of[i] = 0;
    return true;
}

static bool line_read(gen_weights *weights, rt_text line)
{
    rt_text name = rt_text_take_until(&line, ':');
    while (line.length > 0 && line.data[0] == ' ')
        line = rt_text_skip(line, 1);
    for (uint32_t i = 0; i < GEN_WEIGHTS; i++) {
        if (!rt_text_is(name, rows[i].name)) continue;
        uint64_t number;
        if (!rt_number_read(line, 0, i < GEN_STEPS ? STEP_MAX : PERCENT_MAX, &number)) return false;
        weights->of[i] = (uint32_t)number;
        return true;
    }
    return false;
}

bool gen_weights_read(gen_weights *weights, rt_text content, uint32_t *out_line)
{
    rt_text line;
    for (uint32_t number = 1; rt_line_take(&content, &line); number++) {
        if (line.length == 0 || line.data[0] == '#' || line_read(weights, line)) continue;
        *out_line = number;
        return false;
    }
    *out_line = 0;
    return has_command_step(weights);
}
