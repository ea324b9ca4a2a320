/* Launching a kernel: arguments, work-groups, waves. */
#include "reference/base/alloc.h"
#include "sim/check/writers.h"
#include "sim/exec/barrier.h"
#include "sim/exec/compiled.h"
#include "sim/exec/pack.h"
#include "sim/exec/parallel.h"
#include "sim/exec/print.h"
#include "sim/exec/schedule.h"
#include "sim/memory/instance.h"

#include <string.h>

/* The default budget; see sim_launch_options. */
#define BUDGET_BASE     (UINT64_C(1) << 28)
#define BUDGET_PER_ITEM (UINT64_C(1) << 24)
#define BUDGET_MAX      (UINT64_C(1) << 35)
#define STEPS_PER_ITEM  (UINT64_C(1) << 12)
#define STEPS_MAX       (UINT64_C(1) << 33)

/* Builds with sanitizers are ten times slower and have an eighth of the budget, so that an endless
 * kernel ends about as soon in them. */
#if defined RT_CHECK_SLOW
#define BUDGET_DIVISOR 8
#else
#define BUDGET_DIVISOR 1
#endif

#define WAVES_MAX (RT_WORK_GROUP_SIZE_MAX / SIM_LANES)
_Static_assert(RT_WORK_GROUP_SIZE_MAX % SIM_LANES == 0, "the largest group fills whole waves");

/* ---- Ranges ------------------------------------------------------------------------------- */

void sim_range_choose_local(const sim_kernel *kernel, sim_range *range)
{
    if (kernel->local_size[0] != 0) {
        for (uint32_t k = 0; k < RT_ND_RANGE_DIMENSIONS; k++) {
            range->local[k] = kernel->local_size[k];
        }
        return;
    }
    /* Choose as many work-items as fit into one wave, dimension 0 first, so that neighbours in
     * memory are in neighbouring lanes. */
    uint64_t left = SIM_LANES;
    for (uint32_t k = 0; k < RT_ND_RANGE_DIMENSIONS; k++) {
        CHECK(range->global[k] >= 1);
        uint64_t size = range->global[k] < left ? range->global[k] : left;
        while (range->global[k] % size != 0)
            size--;
        range->local[k] = size;
        left /= size;
    }
}

rt_status sim_range_check(rt_sink *sink, const sim_kernel *kernel, const sim_range *range)
{
    uint64_t items = 1;
    for (uint32_t k = 0; k < RT_ND_RANGE_DIMENSIONS; k++) {
        uint64_t global = range->global[k], local = range->local[k];
        CHECK(global >= 1 && local >= 1);
        uint32_t required = kernel->local_size[k];
        if (global % local != 0 && !range->is_non_uniform) {
            return rt_fail(sink, RT_ERRC_ND_RANGE, RT_RULE_NONE,
                           "kernel '%.*s': local size %llu does not divide global size %llu in "
                           "dimension %u",
                           RT_TEXT_ARG(kernel->name), (unsigned long long)local,
                           (unsigned long long)global, k);
        }
        if (required && required != local) {
            return rt_fail(sink, RT_ERRC_ND_RANGE, RT_RULE_NONE,
                           "kernel '%.*s' requires local size %u in dimension %u, not %llu",
                           RT_TEXT_ARG(kernel->name), required, k, (unsigned long long)local);
        }
        items = local > RT_WORK_GROUP_SIZE_MAX ? local : items * local;
        if (items > RT_WORK_GROUP_SIZE_MAX) {
            return rt_fail(sink, RT_ERRC_ND_RANGE, RT_RULE_NONE,
                           "kernel '%.*s': a work-group has more than %u work-items",
                           RT_TEXT_ARG(kernel->name), RT_WORK_GROUP_SIZE_MAX);
        }
    }
    return RT_STATUS_OK;
}

static const char *const parameter_names[] = {
    [SIM_PARAMETER_GLOBAL] = "memory",
    [SIM_PARAMETER_LOCAL] = "local memory",
    [SIM_PARAMETER_VALUE] = "a value",
};

static rt_status check_arguments(sim_world *world, const sim_kernel *kernel,
                                 const sim_argument *arguments, uint32_t count)
{
    if (count != kernel->parameter_count) {
        return rt_fail(world->sink, RT_ERRC_KERNEL_ARGUMENT, RT_RULE_NONE,
                       "kernel '%.*s' takes %u arguments, not %u", RT_TEXT_ARG(kernel->name),
                       kernel->parameter_count, count);
    }
    for (uint32_t i = 0; i < count; i++) {
        const sim_parameter *parameter = &kernel->parameters[i];
        if (arguments[i].kind != parameter->kind) {
            return rt_fail(world->sink, RT_ERRC_KERNEL_ARGUMENT, RT_RULE_NONE,
                           "argument %u of kernel '%.*s' must be %s, not %s", i,
                           RT_TEXT_ARG(kernel->name), parameter_names[parameter->kind],
                           parameter_names[arguments[i].kind]);
        }
        if (parameter->kind != SIM_PARAMETER_VALUE) continue;
        if (arguments[i].bytes.size != parameter->size) {
            return rt_fail(world->sink, RT_ERRC_KERNEL_ARGUMENT, RT_RULE_NONE,
                           "argument %u of kernel '%.*s' must have %u bytes, not %zu", i,
                           RT_TEXT_ARG(kernel->name), parameter->size, arguments[i].bytes.size);
        }
    }
    return RT_STATUS_OK;
}

/* ---- Local memory ------------------------------------------------------------------------- */

static void local_add(sim_launch_state *l, uint64_t *end, uint64_t size, uint64_t alignment,
                      rt_text label)
{
    CHECK((alignment & (alignment - 1)) == 0);
    uint64_t step = alignment > 64 ? alignment : 64;
    uint64_t offset = (*end + step - 1) & ~(step - 1);
    sim_local_object *local = rt_vector_push(&l->locals);
    *local = (sim_local_object){.offset = offset, .size = size, .label = label};
    if (l->parts) local->stride = sim_local_stride(size);
    *end = offset + sim_local_bytes(l, local);
}

/* Local memory holds the program's Workgroup variables, then the local arguments. A variable that
 * only other kernels use keeps its number but occupies no bytes. */
rt_status sim_launch_open(sim_launch_state *l, const sim_argument *arguments)
{
    uint64_t end = 0;
    const bool *reached = l->kernel->reach.locals;
    for (uint32_t i = 0; i < l->program->local_count; i++) {
        const sim_local *local = &l->program->locals[i];
        bool is_used = reached && reached[i];
        local_add(l, &end, is_used ? local->size : 0, local->alignment, local->name);
    }
    for (uint32_t i = 0; i < l->kernel->parameter_count; i++) {
        if (arguments[i].kind != SIM_PARAMETER_LOCAL) continue;
        if (arguments[i].size > UINT64_MAX / 2 - end) {
            end = UINT64_MAX / 2;
            break;
        }
        rt_text label = rt_arena_printf(&l->findings.arena, "local argument %u", i);
        local_add(l, &end, arguments[i].size, 64, label);
    }
    if (end > SIM_LOCAL_SIZE_MAX) {
        return rt_fail(l->world->sink, RT_LIMIT, RT_RULE_NONE,
                       "kernel '%.*s' needs %llu bytes of local memory, for its variables and "
                       "arguments together; a work-group has %llu",
                       RT_TEXT_ARG(l->kernel->name), (unsigned long long)end,
                       (unsigned long long)SIM_LOCAL_SIZE_MAX);
    }
    sim_lane_memory_grow(&l->locals_memory, end, l->pattern);
    sim_lane_memory_grow(&l->locals_defined, end, 0);
    return RT_STATUS_OK;
}

/* ---- Arguments ------------------------------------------------------------------------------ */

/* Writes a structure to a private variable of every lane. */
static void variable_set(const sim_wave *wave, uint64_t first, rt_bytes bytes)
{
    const sim_exec x = {.wave = (sim_wave *)wave};
    for (uint32_t lane = 0; lane < wave->lane_count; lane++) {
        for (uint64_t k = 0; k < bytes.size; k++) {
            *sim_private_byte(&x, lane, first + k) = bytes.data[k];
            *sim_private_defined(&x, lane, first + k) = 0xff;
        }
    }
}

void sim_launch_arguments(const sim_launch_state *l, sim_wave *wave, const sim_frame *frame,
                          const sim_argument *arguments)
{
    const sim_kernel *kernel = l->kernel;
    const sim_code_function *function = frame->function;
    uint32_t local = l->program->local_count;
    CHECK(frame->depth == 0 && function == &l->program->functions[kernel->function]);
    for (uint32_t i = 0; i < kernel->parameter_count; i++) {
        const sim_argument *argument = &arguments[i];
        uint64_t address = 0;
        rt_bytes bytes = {(const uint8_t *)&address, sizeof address};
        uint32_t variable = kernel->variable[i];
        if (argument->kind == SIM_PARAMETER_GLOBAL) {
            if (argument->object) address = sim_object_address(argument->object) + argument->offset;
        } else if (argument->kind == SIM_PARAMETER_LOCAL) {
            address = sim_address_of(SIM_CLASS_LOCAL, ++local);
        } else if (variable == SIM_NONE) {
            bytes = argument->bytes;
        } else {
            CHECK(variable < function->variable_count);
            CHECK(argument->bytes.size <= function->variables[variable].size);
            address = sim_address_of(SIM_CLASS_PRIVATE,
                                     frame->number << SIM_PRIVATE_VARIABLE_BITS | variable);
            uint64_t first = frame->private_first + function->variables[variable].offset;
            if (wave) variable_set(wave, first, argument->bytes);
        }
        for (uint32_t k = kernel->leaf_first[i]; k < kernel->leaf_first[i + 1]; k++) {
            sim_leaf leaf = function->parameters[k];
            if (leaf.place == SIM_REGISTER_NONE) continue;
            CHECK(leaf.place >> SIM_REGISTER_SHIFT == SIM_SPACE_UNIFORM);
            CHECK(kernel->leaf_offset[k] + leaf.bytes <= bytes.size);
            memcpy(frame->uniforms + (leaf.place & SIM_REGISTER_MASK),
                   bytes.data + kernel->leaf_offset[k], leaf.bytes);
        }
    }
    CHECK(local == l->locals.count);
}

/* Memory passed as constant is constant while the kernel runs, even if accessed through other
 * pointers. `use` is 1 before the run, to mark the memory, and -1 after it, to remove the mark. */
static void constants_mark(const sim_launch_state *l, const sim_argument *arguments, int32_t use)
{
    for (uint32_t i = 0; i < l->kernel->parameter_count; i++) {
        if (!l->kernel->parameters[i].is_constant || arguments[i].object == 0) continue;
        sim_world_memory(l->world, arguments[i].object)->constant_uses += (uint32_t)use;
    }
}

/* Forbids what no argument that passes the same memory allows. */
static void access_mark(const sim_launch_state *l, const sim_argument *arguments)
{
    static const uint8_t forbids[] = {
        [SIM_ACCESS_READ] = SIM_FORBIDS_STORES,
        [SIM_ACCESS_WRITE] = SIM_FORBIDS_LOADS,
    };
    for (uint32_t i = 0; i < l->kernel->parameter_count; i++) {
        if (arguments[i].kind != SIM_PARAMETER_GLOBAL || arguments[i].object == 0) continue;
        uint8_t all = SIM_FORBIDS_STORES | SIM_FORBIDS_LOADS;
        for (uint32_t k = 0; k < l->kernel->parameter_count; k++) {
            bool is_same = arguments[k].kind == SIM_PARAMETER_GLOBAL &&
                           arguments[k].object == arguments[i].object;
            if (is_same) all &= forbids[arguments[k].access];
        }
        sim_world_memory(l->world, arguments[i].object)->forbidden = all;
    }
}

static void access_unmark(const sim_launch_state *l, const sim_argument *arguments)
{
    for (uint32_t i = 0; i < l->kernel->parameter_count; i++) {
        if (arguments[i].kind != SIM_PARAMETER_GLOBAL || arguments[i].object == 0) continue;
        sim_world_memory(l->world, arguments[i].object)->forbidden = 0;
    }
}

/* Opens the windows among the arguments; false if there are none. */
static bool windows_open(const sim_launch_state *l, const sim_argument *arguments)
{
    bool has_window = false;
    for (uint32_t i = 0; i < l->kernel->parameter_count; i++) {
        if (arguments[i].kind != SIM_PARAMETER_GLOBAL || arguments[i].object == 0) continue;
        sim_memory *memory = sim_world_memory(l->world, arguments[i].object);
        has_window = has_window || memory->whole != 0;
        sim_window_open(l->world, memory);
    }
    return has_window;
}

static void windows_close(const sim_launch_state *l, const sim_argument *arguments)
{
    for (uint32_t i = 0; i < l->kernel->parameter_count; i++) {
        if (arguments[i].kind != SIM_PARAMETER_GLOBAL || arguments[i].object == 0) continue;
        sim_memory *memory = sim_world_memory(l->world, arguments[i].object);
        if (l->world->writers) sim_writers_pass(l->world, memory);
        sim_window_close(l->world, memory);
    }
}

/* ---- Built-ins ------------------------------------------------------------------------------ */

/* Fills in the rows that are the same for every group, and sets the others to their values for
 * group 0 with offset 0. */
static void rows_open(const sim_launch_state *l, const sim_wave *wave)
{
    const uint64_t *size = l->pool + SIM_SLOT_GROUP_SIZE, *global = l->range->global;
    uint64_t items = size[0] * size[1] * size[2], width = l->pool[SIM_SLOT_SUBGROUP_SIZE];
    for (uint32_t lane = 0; lane < wave->lane_count; lane++) {
        uint64_t item = wave->first_item + lane;
        if (l->parts) item -= l->lane_parts[lane] * items;
        uint64_t subgroup = item / width, left = items - subgroup * width;
        uint64_t id[] = {item % size[0], item / size[0] % size[1], item / size[0] / size[1]};
        sim_wave_row(wave, SIM_ROW_SUBGROUP_ID)[lane] = subgroup;
        sim_wave_row(wave, SIM_ROW_SUBGROUP_ITEM)[lane] = item % width;
        sim_wave_row(wave, SIM_ROW_SUBGROUP_SIZE)[lane] = left < width ? left : width;
        sim_wave_row(wave, SIM_ROW_LOCAL_LINEAR)[lane] = item;
        for (uint32_t k = 0; k < RT_ND_RANGE_DIMENSIONS; k++) {
            sim_wave_row(wave, SIM_ROW_LOCAL_ID + k)[lane] = id[k];
            sim_wave_row(wave, SIM_ROW_GLOBAL_ID + k)[lane] = id[k];
        }
        sim_wave_row(wave, SIM_ROW_GLOBAL_LINEAR)[lane] =
            (id[2] * global[1] + id[1]) * global[0] + id[0];
    }
}

void sim_row_add(uint64_t *row, uint32_t lanes, uint64_t number)
{
    typedef uint64_t eight __attribute__((vector_size(64), may_alias));
    eight *part = (eight *)(void *)row;
    for (uint32_t lane = 0; lane < lanes; lane += 8, part++)
        *part += number; /* may write past `lanes`, since rows have room for whole chunks */
}

/* Adds a constant to all elements of a row so that the first becomes `first`. */
static void row_move(const sim_wave *wave, uint32_t row, uint64_t first, sim_row_adder *add)
{
    uint64_t *lanes = sim_wave_row(wave, row);
    if (first != lanes[0]) add(lanes, wave->lane_count, first - lanes[0]);
}

/* From one group to the next, the ids of all lanes change by the same amount. */
void sim_launch_rows(const sim_launch_state *l, const sim_wave *wave, sim_row_adder *add)
{
    const sim_range *range = l->range;
    uint64_t linear = 0;
    for (uint32_t k = RT_ND_RANGE_DIMENSIONS; k-- > 0;) {
        uint64_t id = l->group[k] * range->local[k] + sim_wave_row(wave, SIM_ROW_LOCAL_ID + k)[0];
        row_move(wave, SIM_ROW_GLOBAL_ID + k, id + range->offset[k], add);
        linear = linear * range->global[k] + id;
    }
    row_move(wave, SIM_ROW_GLOBAL_LINEAR, linear, add);
}

/* Sets the slots that depend on the size of the running group. */
static void pool_set_group(sim_launch_state *l, const uint64_t size[RT_ND_RANGE_DIMENSIONS])
{
    uint64_t items = 1, width = l->kernel->subgroup_size;
    for (uint32_t k = 0; k < RT_ND_RANGE_DIMENSIONS; k++) {
        l->pool[SIM_SLOT_GROUP_SIZE + k] = size[k];
        items *= size[k];
    }
    l->pool[SIM_SLOT_GROUP_ITEMS] = items;
    l->pool[SIM_SLOT_SUBGROUP_COUNT] = (items + width - 1) / width;
}

static void pool_set(sim_launch_state *l)
{
    const sim_range *range = l->range;
    pool_set_group(l, range->local);
    for (uint32_t k = 0; k < RT_ND_RANGE_DIMENSIONS; k++) {
        l->pool[SIM_SLOT_GLOBAL_SIZE + k] = range->global[k];
        l->pool[SIM_SLOT_GLOBAL_OFFSET + k] = range->offset[k];
        l->pool[SIM_SLOT_ENQUEUED_SIZE + k] = range->local[k];
        l->pool[SIM_SLOT_GROUP_COUNT + k] = sim_range_groups(range, k);
    }
    l->pool[SIM_SLOT_DIMENSIONS] = range->dimensions;
    l->pool[SIM_SLOT_SUBGROUP_SIZE] = l->kernel->subgroup_size;
    l->pool[SIM_SLOT_ENQUEUED_SUBGROUPS] = l->pool[SIM_SLOT_SUBGROUP_COUNT];
    l->pool[SIM_SLOT_UNDEFINED] = sim_world_choose(l->world, SIM_SLOT_UNDEFINED);
}

/* ---- Groups --------------------------------------------------------------------------------- */

/* True if all bytes of the object are defined. Looks first where it found one that was not. */
static bool local_is_defined(const sim_launch_state *l, sim_local_object *local)
{
    const uint8_t *defined = l->locals_defined.data + local->offset;
    uint64_t size = sim_local_bytes(l, local), word;
    for (; size - local->defined >= sizeof word; local->defined += sizeof word) {
        memcpy(&word, defined + local->defined, sizeof word);
        if (word != UINT64_MAX) return false;
    }
    /* Bytes before it may have become undefined again. */
    local->defined = 0;
    return sim_defined_all(defined, size);
}

void sim_launch_barrier(sim_launch_state *l, uint32_t order)
{
    l->barrier_count++;
    /* Objects whose bytes are all defined need no shadow until undefined bytes are stored. */
    for (uint32_t i = 0; i < l->locals.count; i++) {
        sim_local_object *local = &l->locals.items[i];
        if (local->all_defined || local->size == 0) continue; /* then there may be no shadow */
        local->all_defined = local_is_defined(l, local);
    }
    /* Of a pack, each group has its own barrier, which orders no other group's accesses. */
    if (l->parts) order &= ~sim_order_pack(0, 0, SIM_MemorySemanticsCrossWorkgroupMemory);
    sim_race_barrier(l, order);
}

/* Called after every wave has run. True if the group has ended. If all waves have reached a
 * barrier, lets them pass it. */
static bool waves_step(sim_exec *x, sim_wave *waves, uint32_t count)
{
    sim_launch_state *l = x->launch;
    uint32_t done = 0, at_barrier = 0;
    for (uint32_t i = 0; i < count; i++) {
        done += waves[i].state == SIM_WAVE_DONE;
        at_barrier += waves[i].state == SIM_WAVE_AT_BARRIER;
    }
    if (done + at_barrier < count) return false; /* some are still spinning */
    CHECK_SLOW(sim_launch_check(l));
    sim_arrivals_judge(x);
    CHECK(l->arrivals.count == 0);
    if (done == count) {
        x->wave = &waves[0];
        sim_race_copies_end(x);
        return true;
    }
    if (!sim_barrier_judge(x, waves, count)) {
        x->stop = true;
        return true;
    }
    const sim_code_block *barrier = sim_block_before(waves[0].waiting.items[0]);
    CHECK(barrier->end == SIM_END_BARRIER);
    sim_launch_barrier(l, barrier->extra);
    for (uint32_t i = 0; i < count; i++) {
        sim_turns turns;
        sim_schedule_units(l, &waves[i], &turns);
        sim_wave_release(&waves[i], &turns);
    }
    return false;
}

/* The bytes between the groups of a pack count as defined. */
static void local_gaps_define(const sim_launch_state *l, const sim_local_object *local)
{
    for (uint32_t i = 0; i < l->parts; i++) {
        uint64_t at = local->offset + i * local->stride + local->size;
        memset(l->locals_defined.data + at, 0xff, local->stride - local->size);
    }
}

static void group_begin(sim_launch_state *l)
{
    /* Local memory starts undefined. */
    if (l->locals_memory.data) {
        memset(l->locals_memory.data, l->pattern, l->locals_memory.size);
        memset(l->locals_defined.data, 0, l->locals_defined.size);
        for (uint32_t i = 0; i < l->locals.count; i++) {
            l->locals.items[i].all_defined = false;
            l->locals.items[i].defined = 0;
            local_gaps_define(l, &l->locals.items[i]);
        }
    }
    for (uint32_t k = 0; k < RT_ND_RANGE_DIMENSIONS; k++) {
        CHECK(l->group[k] < l->pool[SIM_SLOT_GROUP_COUNT + k]);
        l->pool[SIM_SLOT_GROUP_ID + k] = l->group[k];
    }
    sim_race_group(l);
}

static void run_group(sim_exec *x, sim_engine *engine, sim_wave *waves,
                      const sim_argument *arguments)
{
    sim_launch_state *l = x->launch;
    const sim_code_function *function = &l->program->functions[l->kernel->function];
    group_begin(l);
    if (l->compiled) {
        sim_compiled_group(x, waves);
        return;
    }
    for (uint32_t i = 0; i < l->wave_count; i++) {
        sim_frame *frame = sim_wave_start(&waves[i], function, l->pattern);
        if (!l->parts) sim_launch_rows(l, &waves[i], sim_row_add);
        if (!frame) {
            sim_kernel_exhausted(x, &waves[i]);
            return;
        }
        sim_launch_arguments(l, &waves[i], frame, arguments);
        sim_turns turns;
        sim_schedule_units(l, &waves[i], &turns);
        if (turns.unit_lanes) sim_wave_part(&waves[i], &turns);
    }
    uint32_t order[WAVES_MAX];
    do {
        sim_schedule_waves(l, l->wave_count, order);
        for (uint32_t i = 0; i < l->wave_count && !x->stop; i++) {
            sim_wave *wave = &waves[order[i]];
            if (wave->state == SIM_WAVE_READY) engine(x, wave);
        }
    } while (!x->stop && !waves_step(x, waves, l->wave_count));
}

uint64_t sim_launch_group_count(const sim_launch_state *l)
{
    uint64_t total = 1;
    for (uint32_t k = 0; k < RT_ND_RANGE_DIMENSIONS; k++) {
        uint64_t count = sim_range_groups(l->range, k);
        if (__builtin_mul_overflow(total, count, &total)) return UINT64_MAX;
    }
    return total;
}

/* ---- Launches ------------------------------------------------------------------------------- */

/* Opens the waves of groups of the size that the pool has. */
static void waves_open(sim_launch_state *l, sim_wave *waves)
{
    uint64_t items = l->pool[SIM_SLOT_GROUP_ITEMS];
    l->wave_count = (uint32_t)((items + SIM_LANES - 1) / SIM_LANES);
    CHECK(l->wave_count >= 1 && l->wave_count <= WAVES_MAX);
    for (uint32_t i = 0; i < l->wave_count; i++) {
        uint64_t left = items - (uint64_t)i * SIM_LANES;
        sim_wave_open(&waves[i], left < SIM_LANES ? (uint32_t)left : SIM_LANES, i * SIM_LANES,
                      l->program->temporary_bytes);
        rows_open(l, &waves[i]);
    }
}

static void waves_close(const sim_launch_state *l, sim_wave *waves)
{
    for (uint32_t i = 0; i < l->wave_count; i++)
        sim_wave_close(&waves[i]);
}

/* Gives the waves the size of the group that runs next, if it differs from that of the last. */
static void waves_resize(sim_launch_state *l, sim_wave *waves)
{
    uint64_t size[RT_ND_RANGE_DIMENSIONS];
    bool is_same = true;
    for (uint32_t k = 0; k < RT_ND_RANGE_DIMENSIONS; k++) {
        size[k] = sim_range_group_size(l->range, k, l->group[k]);
        is_same = is_same && size[k] == l->pool[SIM_SLOT_GROUP_SIZE + k];
    }
    if (is_same) return;
    CHECK(l->range->is_non_uniform);
    waves_close(l, waves);
    pool_set_group(l, size);
    waves_open(l, waves);
}

/* Makes the next groups a pack, of which l->group is the first. */
static void pack_begin(sim_launch_state *l, sim_wave *wave, uint64_t first)
{
    const uint64_t *size = l->pool + SIM_SLOT_GROUP_SIZE;
    uint64_t left = sim_launch_group_count(l) - first, items = size[0] * size[1] * size[2];
    uint64_t count = left < l->parts ? left : l->parts;
    l->pool[SIM_SLOT_GROUP_ITEMS] = count * items;
    wave->lane_count = (uint32_t)(count * items);
    sim_pack_rows(l, wave);
}

/* True if the effects of a launch in packs can no longer be kept. */
static bool packs_fail(const sim_launch_state *l)
{
    bool restarted = l->race->is_on && l->race->restarts != l->world->race_restarts;
    return l->parts && (l->gave_up || l->findings.rows.count || restarted);
}

void sim_launch_run(sim_launch_state *l, const sim_argument *arguments, sim_part part)
{
    /* A run that was undone (exec/compiled.c) may have ended in a smaller group. */
    pool_set_group(l, l->range->local);
    if (l->parts) l->pool[SIM_SLOT_GROUP_ITEMS] *= l->parts;
    uint64_t items = l->pool[SIM_SLOT_GROUP_ITEMS];
    const uint64_t *counts = l->pool + SIM_SLOT_GROUP_COUNT;
    CHECK(items >= 1 && items <= RT_WORK_GROUP_SIZE_MAX && l->barrier_count == 0);
    sim_race_open(l, arguments);
    /* Groups of another size are smaller. */
    sim_wave *waves = rt_alloc_array((items + SIM_LANES - 1) / SIM_LANES, sizeof *waves);
    l->group_values = rt_alloc_array(4 * items, sizeof *l->group_values);
    l->group_undefined = rt_alloc_array(4 * items, sizeof *l->group_undefined);
    waves_open(l, waves);
    sim_lane_memory memory = {0}; /* aligned for the rows in x, which hold vectors */
    sim_lane_memory_grow(&memory, sizeof(sim_exec), 0);
    sim_exec *x = (sim_exec *)(void *)memory.data;
    x->launch = l;
    x->wave = &waves[0];
    uint32_t level = l->world->engine == SIM_ENGINE_BEST ? sim_engine_best() : l->world->engine;
    sim_engine *engine =
        l->world->is_unchecked ? sim_engine_unchecked_at(level) : sim_engine_at(level);
    /* Run the groups of this part, in the schedule's order. */
    sim_group_walk walk = sim_schedule_groups(l, sim_launch_group_count(l));
    CHECK(part.first == 0 || walk.step == 1);
    CHECK(part.count <= walk.count && part.first <= walk.count - part.count);
    walk.at += part.first;
    for (uint64_t i = 0; i < part.count && !x->stop; i++) {
        uint64_t number = l->parts ? i * l->parts : walk.at;
        l->group[0] = number % counts[0];
        l->group[1] = number / counts[0] % counts[1];
        l->group[2] = number / counts[0] / counts[1];
        if (l->parts)
            pack_begin(l, waves, number);
        else
            waves_resize(l, waves);
        run_group(x, engine, waves, arguments);
        sim_output_group_end(&l->output, l->options);
        sim_group_walk_on(&walk);
        if (packs_fail(l)) break;
    }
    l->gave_up = packs_fail(l);
    rt_free(memory.block);
    waves_close(l, waves);
    rt_free(waves);
    rt_free(l->group_values);
    rt_free(l->group_undefined);
    rt_free(l->pool_undefined);
    CHECK_SLOW(sim_launch_check(l));
    sim_race_close(l);
    CHECK(!l->race && !l->local_races);
}

void sim_launch_close(sim_launch_state *l)
{
    sim_findings_free(&l->findings);
    rt_vector_free(&l->locals);
    rt_vector_free(&l->arrivals);
    rt_free(l->locals_memory.block);
    rt_free(l->locals_defined.block);
}

/* Sets the default budget; see sim_launch_options.budget. */
static void budget_set(sim_launch_state *l)
{
    const uint64_t *global = l->range->global;
    uint64_t items = 1, most = BUDGET_MAX / BUDGET_PER_ITEM;
    for (uint32_t k = 0; k < RT_ND_RANGE_DIMENSIONS; k++)
        items = global[k] > most / items ? most : items * global[k];
    l->budget = BUDGET_BASE + items * BUDGET_PER_ITEM;
    if (l->budget > BUDGET_MAX) l->budget = BUDGET_MAX;
    most = STEPS_MAX / STEPS_PER_ITEM;
    items = 1;
    for (uint32_t k = 0; k < RT_ND_RANGE_DIMENSIONS; k++)
        items = global[k] > most / items ? most : items * global[k];
    l->steps = BUDGET_BASE + BUDGET_PER_ITEM + items * STEPS_PER_ITEM;
    l->budget /= BUDGET_DIVISOR;
    l->steps /= BUDGET_DIVISOR;
}

rt_status sim_launch(sim_world *world, const sim_kernel *kernel, const sim_range *range,
                     const sim_argument *arguments, uint32_t argument_count,
                     const sim_launch_options *options)
{
    CHECK_SLOW(sim_world_check(world) && sim_program_check(kernel->program));
    sim_mapped_settle(world);
    RT_TRY(sim_range_check(world->sink, kernel, range));
    RT_TRY(check_arguments(world, kernel, arguments, argument_count));
    sim_instance instance;
    RT_TRY(sim_instance_find(world, kernel->program, &instance));
    sim_launch_state l = {.world = world,
                          .kernel = kernel,
                          .program = kernel->program,
                          .range = range,
                          .options = options,
                          .pool = instance.pool,
                          .function_first = instance.function_first,
                          .budget = options ? options->budget : 0,
                          .steps = UINT64_MAX,
                          .schedule = options ? options->schedule : SIM_SCHEDULE_LOCKSTEP};
    if (l.budget == 0) budget_set(&l);
    if (l.schedule != SIM_SCHEDULE_LOCKSTEP) {
        l.unit_lanes = kernel->reach.meets ? kernel->subgroup_size : 1;
    }
    l.pattern = (uint8_t)(sim_world_choose(world, UINT64_MAX) | 1);
    pool_set(&l);
    l.status = sim_launch_open(&l, arguments);
    constants_mark(&l, arguments, 1);
    access_mark(&l, arguments);
    bool has_window = false;
    if (rt_ok(l.status)) {
        /* Objects that the host and earlier kernels have completely filled need no shadow. */
        for (uint32_t i = 0; i < kernel->parameter_count; i++) {
            if (arguments[i].kind != SIM_PARAMETER_GLOBAL || arguments[i].object == 0) continue;
            sim_memory *memory = sim_world_memory(world, arguments[i].object);
            if (!memory->data || memory->all_defined) continue;
            if (sim_defined_all(memory->defined, memory->size)) sim_memory_settle(memory);
        }
        has_window = windows_open(&l, arguments);
        /* Groups that depend on each other through a window and its object would go unnoticed. */
        bool is_done = sim_compiled_launch(&l, arguments) ||
                       (!has_window && (sim_launch_parallel(&l, arguments) ||
                                        sim_launch_packed(&l, &instance, arguments)));
        if (!is_done) {
            uint64_t before = l.steps;
            sim_launch_run(&l, arguments, (sim_part){0, sim_launch_group_count(&l)});
            sim_pack_measure(&l, &instance, before);
        } else if (world->writers) {
            sim_writers_forget(&l, arguments);
        }
    }
    if (has_window) windows_close(&l, arguments);
    constants_mark(&l, arguments, -1);
    access_unmark(&l, arguments);
    CHECK_SLOW(sim_world_check(world));
    sim_output_end(&l.output, options);
    sim_findings_report(&l.findings, kernel, options);
    sim_launch_close(&l);
    return l.status;
}
