/* Launches whose groups run as compiled code: which kernels, and how their chunks run.
 *
 * Compiled code either does exactly what the interpreter would have done, or it gives up, and the
 * launch is undone as if it had not been tried. It gives up where a finding is possible and where
 * the order in which work-items run could matter, so no finding is made here. */
#include "sim/exec/compiled.h"

#include "reference/base/alloc.h"
#include "sim/exec/chunk_access.h"
#include "sim/exec/undo.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* A kernel that has executed this many work-item instructions is compiled. It takes some tens of
 * milliseconds to interpret as many. */
#define WORK_MIN (UINT64_C(1) << 24)
/* Rows in the log of reads. */
#define READS_MAX 2048u
/* A kernel whose code has given up this many times is interpreted from then on. */
#define GIVES_UP_MAX 2u

typedef enum tier_mode { TIER_INTERPRETED, TIER_COMPILED, TIER_MEASURED } tier_mode;
static const char *const mode_names[] = {"interpreted", "compiled", "measured"};

/* What is known of a kernel. */
typedef struct tier_kernel {
    const sim_kernel *kernel;
    uint32_t level;
    uint64_t work;      /* work-item instructions interpreted so far */
    const char *reason; /* why it is not compiled; NULL: it is, or has not been tried */
    bool is_tried;
    uint64_t shared; /* the objects whose accesses are all recorded (undo.h) */
    uint32_t gave_up;
    sim_tier_code code;
} tier_kernel;

typedef struct sim_tier {
    tier_mode mode;
    void *library;
    const sim_tier_api *api;
    rt_buffer folder; /* where machine code is kept; empty: nowhere */
    RT_VECTOR(tier_kernel) kernels;
    sim_undo undo;
    sim_tier_report report;
} sim_tier;

/* One launch of a compiled kernel. */
typedef struct sim_compiled {
    const sim_tier_code *code;
    const sim_argument *arguments;
    sim_tier_context context;
    sim_lane_memory saved, private_memory, private_defined;
    const sim_tier_helpers *helpers;
    uint8_t *uniforms;
    bool gave_up;
} sim_compiled;

/* Why a launch was undone; continues "is interpreted because it". */
static const char *const reasons[SIM_TIER_REASON_COUNT] = {
    [SIM_TIER_NO_REASON] = "makes an access that may be wrong",
    [SIM_TIER_BUDGET] = "may use up its instruction budget",
    [SIM_TIER_MISUSE] = "computes with operands for which the result is undefined",
    [SIM_TIER_UNDEFINED] = "has undefined bits that may matter",
    [SIM_TIER_ACCESS] = "makes an access that may be wrong",
    [SIM_TIER_RACE] = "makes accesses that may not be ordered",
    [SIM_TIER_BARRIER] = "has a place that not all work-items of a group reach together",
    [SIM_TIER_ORDER] = "has work-items that part in an unusual way",
    [SIM_TIER_SHARED] = "makes accesses that may not be ordered",
};

/* ---- The tier of a world -------------------------------------------------------------------- */

static void tier_free(sim_tier *tier)
{
    for (uint32_t i = 0; i < tier->kernels.count; i++) {
        tier_kernel *kernel = &tier->kernels.items[i];
        if (kernel->code.owner) tier->api->release(&kernel->code);
        sim_program_destroy(kernel->kernel->program);
    }
    rt_vector_free(&tier->kernels);
    sim_undo_free(&tier->undo);
    rt_buffer_free(&tier->folder);
    if (tier->library) dlclose(tier->library);
    rt_free(tier);
}

/* Opens the library of a file's folder or of the installation that the file is a program of. */
static void *library_open_near(const char *file)
{
    static const char *const places[] = {SIM_TIER_FILE, "../lib/assay/" SIM_TIER_FILE};
    char place[PATH_MAX + 64];
    const char *slash = strrchr(file, '/');
    void *library = NULL;
    for (uint32_t i = 0; !library && i < sizeof places / sizeof *places; i++) {
        snprintf(place, sizeof place, "%.*s/%s", slash ? (int)(slash - file) : 0, file, places[i]);
        library = dlopen(place, RTLD_NOW | RTLD_LOCAL);
    }
    return library;
}

/* Opens the library at the path or, if that is NULL, the one that belongs to this program, or to
 * the shared library that this code is in. */
static void *library_open(const char *path)
{
    char program[PATH_MAX];
    Dl_info self;
    if (path) return dlopen(path, RTLD_NOW | RTLD_LOCAL);
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    program[length > 0 ? length : 0] = '\0';
    void *library = library_open_near(program);
    if (!library && dladdr(mode_names, &self)) library = library_open_near(self.dli_fname);
    return library;
}

rt_status sim_world_choose_tier(sim_world *world, rt_text name, const char *path)
{
    tier_mode mode = TIER_INTERPRETED;
    while (mode <= TIER_MEASURED && !rt_text_is(name, mode_names[mode]))
        mode++;
    if (mode > TIER_MEASURED)
        return rt_fail(world->sink, RT_ERRC_INVALID, RT_RULE_NONE,
                       "the simulated device has no tier '%.*s'; choose interpreted, compiled or "
                       "measured",
                       RT_TEXT_ARG(name));
    if (world->tier) world->tier_free(world->tier);
    world->tier = NULL;
    if (mode == TIER_INTERPRETED) return RT_STATUS_OK;
    void *library = library_open(path);
    const sim_tier_api *api = NULL;
    if (library) {
        sim_tier_api_get_function *get;
        void *symbol = dlsym(library, SIM_TIER_SYMBOL);
        memcpy(&get, &symbol, sizeof get);
        if (symbol) api = get(SIM_TIER_VERSION);
    }
    if (!api) {
        rt_status status = rt_fail(
            world->sink, RT_UNAVAILABLE, RT_RULE_NONE,
            "the compiler of the simulated device cannot be opened: %s; reinstall assay, or write "
            "tier=interpreted",
            library ? SIM_TIER_FILE " has another version" : dlerror());
        if (library) dlclose(library);
        return status;
    }
    world->tier = rt_alloc(sizeof *world->tier);
    *world->tier = (sim_tier){.mode = mode, .library = library, .api = api};
    world->tier_free = tier_free;
    return RT_STATUS_OK;
}

void sim_world_keep_code(sim_world *world, rt_text folder)
{
    if (!world->tier) return;
    rt_buffer_free(&world->tier->folder);
    rt_buffer_append_text(&world->tier->folder, folder);
}

sim_tier_report sim_world_tier_report(const sim_world *world)
{
    return world->tier ? world->tier->report : (sim_tier_report){0};
}

/* ---- Kernels -------------------------------------------------------------------------------- */

static tier_kernel *kernel_find(sim_tier *tier, const sim_kernel *kernel, uint32_t level)
{
    for (uint32_t i = 0; i < tier->kernels.count; i++) {
        tier_kernel *known = &tier->kernels.items[i];
        if (known->kernel == kernel && known->level == level) return known;
    }
    (void)sim_program_retain(kernel->program);
    tier_kernel *known = rt_vector_push(&tier->kernels);
    *known = (tier_kernel){.kernel = kernel, .level = level};
    return known;
}

/* What the caller can see in advance of a kernel that compiled code cannot run. */
static const char *kernel_refused(const sim_kernel *kernel)
{
    if (kernel->reach.meets && kernel->subgroup_size > SIM_TIER_LANES)
        return "has sub-groups of more than 16 work-items";
    if (kernel->reach.copies) return "has asynchronous copies";
    if (kernel->reach.prints) return "calls printf";
    if (kernel->written.anything) return "may write through pointers loaded from memory";
    if (kernel->written.variables) return "may write variables of the program";
    return NULL;
}

static double now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static const sim_tier_helpers *helpers_at(uint32_t level)
{
#ifdef SIM_ENGINES_X86
    static const sim_tier_helpers *const helpers[] = {&sim_chunk_helpers_base,
                                                      &sim_chunk_helpers_v3, &sim_chunk_helpers_v4};
    CHECK(level < sizeof helpers / sizeof *helpers);
    return helpers[level];
#else
    CHECK(level == 0);
    return &sim_chunk_helpers_base;
#endif
}

static void kernel_compile(sim_tier *tier, tier_kernel *known)
{
    const sim_kernel *kernel = known->kernel;
    double begin = now_ms();
    known->is_tried = true;
    known->reason = kernel_refused(kernel);
    if (!known->reason)
        known->reason = tier->api->compile(
            kernel->program, kernel->function, known->level, helpers_at(known->level),
            tier->folder.size ? rt_buffer_string(&tier->folder) : NULL, &known->code);
    CHECK((known->reason == NULL) == (known->code.run != NULL));
    tier->report.compile_ms += now_ms() - begin;
    tier->report.found += known->code.is_found;
}

/* ---- Groups --------------------------------------------------------------------------------- */

/* Makes structures passed by value private variables of the chunk's work-items. */
static void private_arguments(const sim_launch_state *l, sim_compiled *run)
{
    const sim_tier_frame *frame = run->code->kernel_frame;
    for (uint32_t i = 0; i < l->kernel->parameter_count; i++) {
        uint32_t variable = l->kernel->variable[i];
        if (variable == SIM_NONE) continue;
        uint64_t first = frame->private_first + frame->function->variables[variable].offset;
        rt_bytes bytes = run->arguments[i].bytes;
        for (uint64_t k = 0; k < bytes.size; k++) {
            uint64_t at = (first + k) / 4 * SIM_TIER_LANES * 4 + (first + k) % 4;
            for (uint32_t lane = 0; lane < SIM_TIER_LANES; lane++) {
                run->context.private_memory[at + lane * 4] = bytes.data[k];
                run->context.private_defined[at + lane * 4] = 0xff;
            }
        }
    }
}

static void chunk_begin(const sim_launch_state *l, sim_compiled *run)
{
    sim_tier_context *c = &run->context;
    const sim_tier_frame *frame = run->code->kernel_frame;
    if (!frame->number) return;
    run->helpers->enter(c, frame, (1u << SIM_TIER_LANES) - 1);
    private_arguments(l, run);
}

/* Runs one chunk to a barrier or the end; returns what its function returns. */
static uint32_t chunk_run(sim_exec *x, sim_compiled *run, const sim_wave *wave, uint32_t lane,
                          uint32_t resume)
{
    sim_tier_context *c = &run->context;
    const sim_tier_code *code = run->code;
    uint32_t left = wave->lane_count - lane, lid = wave->first_item + lane;
    uint64_t chunk = lid / SIM_TIER_LANES, own = code->barrier_count > 1 ? chunk : 0;
    c->rows = wave->rows.data + lane * 8;
    c->saved = run->saved.data + chunk * code->saved_bytes;
    c->private_memory = run->private_memory.data + own * code->private_bytes * SIM_TIER_LANES;
    c->private_defined = run->private_defined.data + own * code->private_bytes * SIM_TIER_LANES;
    c->mask = left >= SIM_TIER_LANES ? (1u << SIM_TIER_LANES) - 1 : (1u << left) - 1;
    c->resume = resume;
    c->lid = lid;
    x->wave = (sim_wave *)wave;
    if (resume == 0) chunk_begin(x->launch, run);
    return code->run(c);
}

static void gives_up(sim_exec *x, sim_tier_reason reason)
{
    x->stop = true;
    x->launch->compiled->gave_up = true;
    x->launch->compiled->context.reason = reason;
}

/* What a load needs. Only views of local memory have `all_defined`. */
static uint64_t view_loads(const sim_tier_view *view)
{
    if (!view->all_defined) return view->defined || view->race ? SIM_TIER_HELPED : 0;
    uint64_t flags = *view->all_defined ? 0 : SIM_TIER_SHADOWED;
    return view->race ? flags | SIM_TIER_LOGGED : flags;
}

/* What a store needs. Code that stores in line looks for writes only, so there must be no other
 * accesses that may be open. */
static uint64_t view_stores(const sim_tier_view *view)
{
    const sim_race_shadow *shadow = view->race;
    if (!view->all_defined || !shadow || shadow->shift != 2 || view->clock->is_split ||
        !shadow->cells[SIM_RACE_WRITES])
        return SIM_TIER_HELPED;
    for (uint32_t kind = 0; kind < SIM_RACE_KINDS; kind++) {
        if (kind != SIM_RACE_WRITES &&
            sim_race_may_be_open(shadow, kind, view->clock->ordered_from))
            return SIM_TIER_HELPED;
    }
    return *view->all_defined ? 0 : SIM_TIER_SHADOWED;
}

void sim_chunk_view_renew(sim_tier_context *c, sim_tier_access *access)
{
    sim_tier_view *view = &access->view;
    view->loads = access->is_store ? SIM_TIER_HELPED : view_loads(view);
    view->stores = access->is_store ? view_stores(view) : SIM_TIER_HELPED;
    if (!view->all_defined) return;
    c->views_change |= access->is_store ? view->stores != 0 : view->loads & SIM_TIER_SHADOWED;
    if (view->stores & SIM_TIER_HELPED) return;
    view->writes = view->race->cells[SIM_RACE_WRITES];
    view->writes_from = &view->race->from[SIM_RACE_WRITES];
}

void sim_chunk_views_renew(sim_tier_context *c)
{
    c->views_change = false;
    for (uint32_t i = 0; i < c->code->access_count; i++) {
        if (c->code->accesses[i]->view.all_defined) sim_chunk_view_renew(c, c->code->accesses[i]);
    }
}

/* Takes over what a barrier, or the group's beginning, has changed. */
static void context_renew(const sim_launch_state *l, sim_compiled *run)
{
    const sim_race_clock *clock = &l->race->clocks[SIM_RACE_LOCAL];
    run->context.local_base = clock->base;
    run->context.local_from = clock->ordered_from;
    if (run->context.views_change) sim_chunk_views_renew(&run->context);
}

/* The barrier settles the logged reads if it orders local memory. */
static void group_barrier(sim_launch_state *l, sim_compiled *run, uint32_t order)
{
    const sim_race_clock *clock = &l->race->clocks[SIM_RACE_LOCAL];
    uint32_t before = clock->ordered_from;
    sim_launch_barrier(l, order);
    if (clock->ordered_from != before) run->context.reads_next = run->context.reads;
}

void sim_compiled_group(sim_exec *x, sim_wave *waves)
{
    sim_launch_state *l = x->launch;
    sim_compiled *run = l->compiled;
    run->context.exec = x;
    run->context.pool = l->pool;
    for (uint32_t i = 0; i < l->wave_count; i++)
        sim_launch_rows(l, &waves[i], run->helpers->row_add);
    run->context.views_change = true;
    context_renew(l, run);
    run->context.reads_next = run->context.reads;
    for (uint32_t resume = 0;;) {
        uint32_t next = SIM_TIER_DONE;
        for (uint32_t i = 0; i < l->wave_count; i++) {
            for (uint32_t lane = 0; lane < waves[i].lane_count; lane += SIM_TIER_LANES) {
                uint32_t end = chunk_run(x, run, &waves[i], lane, resume);
                bool is_first = i == 0 && lane == 0;
                if (end == SIM_TIER_GIVES_UP) gives_up(x, (sim_tier_reason)run->context.reason);
                if (end != SIM_TIER_GIVES_UP && !is_first && end != next)
                    gives_up(x, SIM_TIER_BARRIER);
                if (x->stop) return;
                next = end;
            }
        }
        if (!run->helpers->log_check(&run->context)) {
            gives_up(x, (sim_tier_reason)run->context.reason);
            return;
        }
        if (next == SIM_TIER_DONE) return;
        CHECK(next < run->code->barrier_count);
        group_barrier(l, run, run->code->barrier_order[next]);
        context_renew(l, run);
        resume = next;
    }
}

/* ---- Launches ------------------------------------------------------------------------------- */

static void run_open(sim_launch_state *l, sim_compiled *run, const sim_tier_code *code,
                     const sim_argument *arguments)
{
    sim_tier_context *c = &run->context;
    const sim_code_function *function = &l->program->functions[l->kernel->function];
    uint64_t chunks = (l->pool[SIM_SLOT_GROUP_ITEMS] + SIM_TIER_LANES - 1) / SIM_TIER_LANES;
    uint64_t private_bytes = code->private_bytes * SIM_TIER_LANES;
    if (code->barrier_count > 1) private_bytes *= chunks;
    *run = (sim_compiled){.code = code, .arguments = arguments};
    sim_lane_memory_grow(&run->saved, chunks * code->saved_bytes + 64, 0);
    sim_lane_memory_grow(&run->private_memory, private_bytes + 64, 0);
    sim_lane_memory_grow(&run->private_defined, private_bytes + 64, 0);
    for (uint32_t i = 0; i < code->access_count; i++)
        code->accesses[i]->view = (sim_tier_view){.key = UINT64_MAX};
    c->parked = rt_alloc_array(code->block_count + 1, sizeof *c->parked);
    uint32_t reads = l->locals.count ? READS_MAX : 1;
    c->reads = rt_alloc_array(reads, sizeof *c->reads);
    c->reads_end = c->reads + reads;
    run->uniforms = rt_alloc(function->uniform_bytes + 8);
    c->uniforms = run->uniforms;
    c->code = code;
    /* Under other schedules work-items run alone, and each counts its own steps. */
    c->spent_max = l->budget;
    c->steps_max = l->steps;
    if (l->schedule != SIM_SCHEDULE_LOCKSTEP && l->steps < l->budget) c->spent_max = l->steps;
    const sim_frame frame = {
        .function = function, .uniforms = run->uniforms, .number = code->kernel_frame->number};
    sim_launch_arguments(l, NULL, &frame, arguments);
}

static void run_close(sim_compiled *run)
{
    rt_free(run->saved.block);
    rt_free(run->private_memory.block);
    rt_free(run->private_defined.block);
    rt_free(run->context.parked);
    rt_free(run->context.reads);
    rt_free(run->uniforms);
}

/* Runs the launch; false if the code gave up, in which case the launch is as before. */
static bool launch_try(sim_launch_state *l, tier_kernel *kernel, const sim_argument *arguments,
                       sim_tier_reason *out_reason)
{
    sim_compiled run;
    sim_undo *undo = &l->world->tier->undo;
    run_open(l, &run, &kernel->code, arguments);
    sim_undo_open(undo, l, arguments, kernel->shared);
    run.context.undo = undo;
    run.helpers = helpers_at(kernel->level);
    l->compiled = &run;
    sim_launch_run(l, arguments, (sim_part){0, sim_launch_group_count(l)});
    l->compiled = NULL;
    const sim_tier_context *c = &run.context;
    bool stands = !run.gave_up && c->spent <= c->spent_max && c->steps <= c->steps_max;
    *out_reason = run.gave_up ? (sim_tier_reason)c->reason : SIM_TIER_BUDGET;
    if (*out_reason == SIM_TIER_SHARED) {
        CHECK(!(kernel->shared & c->shared));
        kernel->shared |= c->shared;
    }
    CHECK(l->findings.rows.count == 0 && rt_ok(l->status));
    sim_undo_close(undo, !stands);
    if (stands) {
        l->budget -= c->spent;
        l->steps -= l->schedule == SIM_SCHEDULE_LOCKSTEP ? c->steps : c->spent;
    }
    l->barrier_count = 0;
    run_close(&run);
    return stands;
}

/* Interprets the launch to measure the kernel's work; see TIER_MEASURED. */
static void launch_measure(sim_launch_state *l, tier_kernel *known, const sim_argument *arguments)
{
    uint64_t before = l->budget;
    if (!sim_launch_parallel(l, arguments))
        sim_launch_run(l, arguments, (sim_part){0, sim_launch_group_count(l)});
    known->work += before - l->budget;
}

bool sim_compiled_launch(sim_launch_state *l, const sim_argument *arguments)
{
    sim_world *world = l->world;
    sim_tier *tier = world->tier;
    if (!tier || world->is_unchecked || sim_launch_records(l)) return false;
    uint32_t level = world->engine == SIM_ENGINE_BEST ? sim_engine_best() : world->engine;
    tier_kernel *known = kernel_find(tier, l->kernel, level);
    tier->report.reason = RT_TEXT("");
    if (!known->is_tried && tier->mode == TIER_MEASURED && known->work < WORK_MIN) {
        launch_measure(l, known, arguments);
        tier->report.reason = RT_TEXT("has not done enough work to be compiled");
        return true;
    }
    tier->report.is_news = false;
    tier->report.kernel = l->kernel->name;
    if (!known->is_tried) {
        kernel_compile(tier, known);
        tier->report.is_news = known->reason != NULL;
    }
    if (!known->code.run) {
        tier->report.reason = rt_text_of(known->reason);
        return false;
    }
    if (known->gave_up >= GIVES_UP_MAX) return false;
    sim_tier_reason reason;
    bool stands = launch_try(l, known, arguments, &reason);
    while (!stands && reason == SIM_TIER_SHARED)
        stands = launch_try(l, known, arguments, &reason);
    if (stands) {
        tier->report.compiled++;
        return true;
    }
    tier->report.is_news = known->gave_up++ == 0;
    tier->report.undone++;
    tier->report.reason = rt_text_of(reasons[reason]);
    return false;
}
