/* Tests the simulated loader against ld.so: random programs with random calls to dlopen and dlclose
 * must have the same events and bindings with both.
 *
 * Running a compiler for every module of every program would take minutes. Instead, two files are
 * built, an executable and a library that need everything and define everything; each module is a
 * copy with needs and symbols removed from the tables that ld.so reads (System V ABI, "Dynamic
 * Section" and "Symbol Table"). */
#include "conformance/host/host_internal.h"
#include "conformance/process/scratch.h"
#include "reference/base/alloc.h"
#include "reference/base/hash.h"
#include "reference/module/simulated.h"

#include <elf.h>
#include <gnu/libc-version.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

enum {
    MODULES = 8,
    SYMBOLS = 3,
    WORLDS = 400,
    STEPS = 14,
    TAG_IGNORED = 0x6000000e, /* in the range reserved for operating systems; unassigned */
};

#define TEXT(literal)                                                                              \
    {                                                                                              \
        literal, sizeof(literal) - 1                                                               \
    }

static const rt_text module_names[MODULES] = {TEXT("app"), TEXT("m1"), TEXT("m2"), TEXT("m3"),
                                              TEXT("m4"),  TEXT("m5"), TEXT("m6"), TEXT("m7")};
static const char *const file_names[MODULES] = {"app",   "m1.so", "m2.so", "m3.so",
                                                "m4.so", "m5.so", "m6.so", "m7.so"};
static const rt_text symbol_names[SYMBOLS] = {TEXT("first_symbol"), TEXT("second_symbol"),
                                              TEXT("third_symbol")};

/* ---- Modules from templates ---------------------------------------------------------------- */

typedef struct template_file {
    uint8_t *bytes;
    size_t size;
} template_file;

static Elf64_Phdr *segments_of(uint8_t *bytes, uint16_t *out_count)
{
    Elf64_Ehdr *header = (Elf64_Ehdr *)(void *)bytes;
    *out_count = header->e_phnum;
    return (Elf64_Phdr *)(void *)(bytes + header->e_phoff);
}

static uint8_t *at_address(uint8_t *bytes, uint64_t address)
{
    uint16_t count;
    const Elf64_Phdr *segments = segments_of(bytes, &count);
    for (uint16_t i = 0; i < count; i++) {
        if (segments[i].p_type == PT_LOAD && address >= segments[i].p_vaddr &&
            address < segments[i].p_vaddr + segments[i].p_filesz)
            return bytes + segments[i].p_offset + (address - segments[i].p_vaddr);
    }
    fail_msg("address %lx is not in the file", (unsigned long)address);
    return NULL;
}

static Elf64_Dyn *dynamic_of(uint8_t *bytes)
{
    uint16_t count;
    Elf64_Phdr *segments = segments_of(bytes, &count);
    for (uint16_t i = 0; i < count; i++) {
        if (segments[i].p_type == PT_DYNAMIC)
            return (Elf64_Dyn *)(void *)(bytes + segments[i].p_offset);
    }
    fail_msg("no dynamic section");
    return NULL;
}

static uint64_t dynamic_value(uint8_t *bytes, int64_t tag)
{
    Elf64_Dyn *entry = dynamic_of(bytes);
    while (entry->d_tag != tag && entry->d_tag != DT_NULL)
        entry++;
    assert_int_equal(entry->d_tag, tag);
    return entry->d_un.d_val;
}

static int module_of(const char *file_name)
{
    int index = MODULES;
    for (int i = 0; i < MODULES; i++)
        if (strcmp(file_name, file_names[i]) == 0) index = i;
    return index;
}

/* Sets the needs in order; the remaining DT_NEEDED entries get a tag without meaning. */
static void needs_set(uint8_t *bytes, const rt_simulated_module *module)
{
    const char *strings = (const char *)at_address(bytes, dynamic_value(bytes, DT_STRTAB));
    uint64_t names[MODULES] = {0};
    for (Elf64_Dyn *entry = dynamic_of(bytes); entry->d_tag != DT_NULL; entry++) {
        if (entry->d_tag != DT_NEEDED) continue;
        int need = module_of(strings + entry->d_un.d_val);
        if (need < MODULES) names[need] = entry->d_un.d_val;
    }
    uint32_t done = 0;
    for (Elf64_Dyn *entry = dynamic_of(bytes); entry->d_tag != DT_NULL; entry++) {
        if (entry->d_tag != DT_NEEDED) continue;
        if (module_of(strings + entry->d_un.d_val) == MODULES) continue;
        if (done < module->need_count) {
            assert_int_not_equal(names[module->needs[done]], 0);
            entry->d_un.d_val = names[module->needs[done++]];
        } else {
            entry->d_tag = TAG_IGNORED;
        }
    }
    assert_int_equal(done, module->need_count);
}

static bool defines(const rt_simulated_module *module, const char *symbol)
{
    for (uint32_t i = 0; i < module->host_symbol_count; i++)
        if (rt_text_is(module->host_symbols[i], symbol)) return true;
    return false;
}

static void symbols_set(uint8_t *bytes, const rt_simulated_module *module)
{
    uint64_t table = dynamic_value(bytes, DT_SYMTAB), strings = dynamic_value(bytes, DT_STRTAB);
    Elf64_Sym *symbols = (Elf64_Sym *)(void *)at_address(bytes, table);
    const char *names = (const char *)at_address(bytes, strings);
    uint32_t symbol_count = 0;
    assert_true(strings > table); /* Linkers write the strings after the symbols. */
    for (size_t i = 0; i < (strings - table) / sizeof *symbols; i++) {
        const char *name = names + symbols[i].st_name;
        bool ours = strstr(name, "_symbol") != NULL;
        symbol_count += ours;
        if (!ours || defines(module, name)) continue;
        symbols[i].st_value = 0;
        symbols[i].st_shndx = SHN_UNDEF;
    }
    assert_int_equal(symbol_count, SYMBOLS);
}

/* Sets the module's own name, both in the dynamic section and in the code. */
static void name_set(uint8_t *bytes, size_t size, uint32_t module)
{
    if (module <= 1) return;
    uint64_t begin = (uint64_t)(at_address(bytes, dynamic_value(bytes, DT_STRTAB)) - bytes);
    uint64_t end = begin + dynamic_value(bytes, DT_STRSZ);
    const char *strings = (const char *)bytes + begin;
    uint64_t soname = 0;
    for (Elf64_Dyn *entry = dynamic_of(bytes); entry->d_tag != DT_NULL; entry++) {
        if (entry->d_tag == DT_NEEDED && module_of(strings + entry->d_un.d_val) == (int)module)
            soname = entry->d_un.d_val;
    }
    for (Elf64_Dyn *entry = dynamic_of(bytes); entry->d_tag != DT_NULL; entry++)
        if (entry->d_tag == DT_SONAME) entry->d_un.d_val = soname;
    size_t length = strlen(file_names[1]) + 1;
    for (size_t i = 0; i + length <= size; i++) {
        bool in_strings = i >= begin && i < end;
        if (!in_strings && memcmp(bytes + i, file_names[1], length) == 0)
            memcpy(bytes + i, file_names[module], length);
    }
}

static void module_write(const template_file *from, const char *folder, uint32_t module,
                         const rt_simulated_module *description)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, file_names[module]);
    uint8_t *bytes = rt_alloc(from->size);
    memcpy(bytes, from->bytes, from->size);
    name_set(bytes, from->size, module);
    needs_set(bytes, description);
    symbols_set(bytes, description);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, from->size, file), from->size);
    assert_int_equal(fchmod(fileno(file), 0700), 0);
    assert_int_equal(fclose(file), 0);
    rt_free(bytes);
}

static template_file template_read(const char *folder, const char *name)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    template_file read = {.size = (size_t)ftell(file)};
    rewind(file);
    read.bytes = rt_alloc(read.size);
    assert_int_equal(fread(read.bytes, 1, read.size, file), read.size);
    fclose(file);
    return read;
}

/* ---- Worlds -------------------------------------------------------------------------------- */

typedef struct world {
    rt_simulated_module modules[MODULES];
    rt_module_id needs[MODULES][MODULES];
    rt_text symbols[MODULES][SYMBOLS];
    uint32_t module_count;
    uint32_t preloaded[2];
    uint32_t preloaded_count;
    uint32_t open[MODULES];
} world;

static uint32_t pick(uint64_t *sequence, uint32_t limit)
{
    *sequence += RT_MIX_STEP;
    return (uint32_t)(rt_mix64(*sequence) % limit);
}

/* Picks needs in varying order, since the order on a link line has large effects. */
static void needs_pick(world *w, uint32_t module, uint32_t rarity, uint64_t *sequence)
{
    uint32_t count = 0;
    uint32_t begin = pick(sequence, w->module_count);
    for (uint32_t i = 0; i < w->module_count; i++) {
        uint32_t need = (begin + i) % w->module_count;
        /* A library rarely needs the executable; if it does, the executable is found by its name.
         */
        bool is_needed = need == 0 ? pick(sequence, 12) == 0 : pick(sequence, rarity) == 0;
        if (is_needed && need != module) w->needs[module][count++] = need;
    }
    w->modules[module].needs = w->needs[module];
    w->modules[module].need_count = count;
}

static void world_generate(world *w, const rt_image_list images, uint64_t *sequence)
{
    *w = (world){.module_count = 2 + pick(sequence, MODULES - 1)};
    uint32_t rarity = 2 + pick(sequence, 5);
    for (uint32_t i = 0; i < w->module_count; i++) {
        needs_pick(w, i, rarity, sequence);
        uint32_t count = 0;
        for (uint32_t s = 0; s < SYMBOLS; s++)
            if (pick(sequence, 3) == 0) w->symbols[i][count++] = symbol_names[s];
        w->modules[i].host_symbols = w->symbols[i];
        w->modules[i].host_symbol_count = count;
        w->modules[i].images = images;
    }
    w->preloaded_count = pick(sequence, 3);
    for (uint32_t i = 0; i < w->preloaded_count; i++)
        w->preloaded[i] = 1 + pick(sequence, w->module_count - 1);
    if (w->preloaded_count == 2 && w->preloaded[0] == w->preloaded[1]) w->preloaded_count = 1;
}

/* ---- The two sides ------------------------------------------------------------------------- */

typedef struct fixture {
    char folder[64]; /* holds all files */
    cnf_cache *cache;
    rt_sink *sink;
    rt_arena arena;
    rt_image image;
    template_file executable, library;
} fixture;

typedef struct sides {
    fixture *f;
    world w;
    scn_module modules[MODULES];
    scn_scenario scenario;
    rt_simulated *simulated;
    cnf_host *host;
    rt_arena arena;
    rt_buffer history; /* the actions so far, for messages */
} sides;

static void check(fixture *f, rt_status status)
{
    if (!rt_ok(status)) fail_msg("%s", rt_sink_diagnostic(f->sink, status)->message.data);
}

static const char letters[] = {'+', 'r', 'u', '-'};

static void simulated_print(rt_buffer *out, rt_system_events *events)
{
    for (uint32_t i = 0; i < events->count; i++) {
        rt_buffer_printf(out, "%c%.*s ", letters[events->items[i].kind],
                         RT_TEXT_ARG(module_names[events->items[i].module]));
    }
    rt_vector_free(events);
}

static void real_print(rt_buffer *out, cnf_host_events events)
{
    for (uint32_t i = 0; i < events.count; i++) {
        rt_buffer_printf(out, "%c%.*s ", letters[events.items[i].kind],
                         RT_TEXT_ARG(module_names[events.items[i].module]));
    }
}

static void world_print(rt_buffer *out, const world *w)
{
    for (uint32_t i = 0; i < w->module_count; i++) {
        rt_buffer_printf(out, "%.*s needs", RT_TEXT_ARG(module_names[i]));
        for (uint32_t k = 0; k < w->modules[i].need_count; k++)
            rt_buffer_printf(out, " %.*s", RT_TEXT_ARG(module_names[w->needs[i][k]]));
        rt_buffer_printf(out, "\n");
    }
    for (uint32_t i = 0; i < w->preloaded_count; i++)
        rt_buffer_printf(out, "preload %.*s\n", RT_TEXT_ARG(module_names[w->preloaded[i]]));
}

static void compare(sides *s, rt_buffer *simulated, rt_buffer *real)
{
    if (strcmp(rt_buffer_string(simulated), rt_buffer_string(real)) != 0) {
        fail_msg("%ssimulated: %s\nreal:      %s", rt_buffer_string(&s->history),
                 rt_buffer_string(simulated), rt_buffer_string(real));
    }
    rt_buffer_free(simulated);
    rt_buffer_free(real);
}

static void sides_start(sides *s)
{
    fixture *f = s->f;
    s->host = cnf_host_create(f->sink, &s->scenario);
    check(f, cnf_scratch_make(f->sink, &s->host->arena, &s->host->folder));
    for (uint32_t i = 0; i < s->w.module_count; i++)
        module_write(i == 0 ? &f->executable : &f->library, s->host->folder.data, i,
                     &s->w.modules[i]);
    check(f, cnf_host_launch(s->host, NULL));
    rt_buffer simulated = {0}, real = {0};
    rt_system_events events = {0};
    rt_system system = rt_simulated_system(s->simulated);
    check(f,
          system.operations->start(system.state, 0, s->w.preloaded, s->w.preloaded_count, &events));
    simulated_print(&simulated, &events);
    real_print(&real, cnf_host_started(s->host));
    compare(s, &simulated, &real);
}

static void open_or_close(sides *s, uint32_t module, bool opens)
{
    rt_system system = rt_simulated_system(s->simulated);
    rt_system_events events = {0};
    cnf_host_events real_events;
    rt_buffer simulated = {0}, real = {0};
    rt_buffer_printf(&s->history, "%s %.*s\n", opens ? "open" : "close",
                     RT_TEXT_ARG(module_names[module]));
    check(s->f,
          (opens ? cnf_host_open : cnf_host_close)(s->host, 0, module, &s->arena, &real_events));
    check(s->f, (opens ? system.operations->open : system.operations->close)(system.state, module,
                                                                             &events));
    simulated_print(&simulated, &events);
    real_print(&real, real_events);
    compare(s, &simulated, &real);
}

/* Compares how both sides bind a symbol that a module refers to. True if the module is loaded and
 * the symbol is bound. */
static bool bind(sides *s, uint32_t from, uint32_t symbol)
{
    rt_system system = rt_simulated_system(s->simulated);
    uint32_t actual;
    rt_status status = cnf_host_binds(s->host, 0, from, symbol_names[symbol], &actual);
    if (status.code == RT_ERRC_INVALID) return false;
    check(s->f, status);
    rt_module_id expected;
    check(s->f, system.operations->binds(system.state, from, symbol_names[symbol], &expected));
    if (expected != actual) {
        fail_msg("%sfrom %s, %s: simulated %u, real %u", rt_buffer_string(&s->history),
                 module_names[from].data, symbol_names[symbol].data, expected, actual);
    }
    return actual != SCN_NONE;
}

static uint32_t world_compare(fixture *f, uint64_t seed)
{
    uint64_t sequence = rt_mix64(seed);
    uint32_t bound = 0;
    sides s = {.f = f};
    world_generate(&s.w, (rt_image_list){&f->image, 1}, &sequence);
    for (uint32_t i = 0; i < s.w.module_count; i++)
        s.modules[i].name = module_names[i];
    s.scenario = (scn_scenario){.modules = s.modules,
                                .module_count = s.w.module_count,
                                .preloaded = s.w.preloaded,
                                .preloaded_count = s.w.preloaded_count};
    s.simulated = rt_simulated_create(s.w.modules, s.w.module_count);
    if (strverscmp(gnu_get_libc_version(), "2.39") >= 0)
        rt_simulated_destroy_closed_first(s.simulated);
    rt_buffer_printf(&s.history, "world %llu\n", (unsigned long long)seed);
    world_print(&s.history, &s.w);
    sides_start(&s);
    for (uint32_t step = 0; step < STEPS; step++) {
        uint32_t module = pick(&sequence, s.w.module_count);
        bool opens = s.w.open[module] == 0 || pick(&sequence, 3) == 0;
        s.w.open[module] += opens ? 1 : UINT32_MAX;
        open_or_close(&s, module, opens);
        bound += bind(&s, pick(&sequence, s.w.module_count), pick(&sequence, SYMBOLS));
    }
    check(f, cnf_host_end(s.host));
    rt_simulated_destroy(s.simulated);
    rt_arena_reset(&s.arena);
    rt_buffer_free(&s.history);
    return bound;
}

static void both_loaders_agree(void **state)
{
    fixture *f = *state;
    /* A rare case: a module that stays loaded gets its own scope when the module that loaded it is
     * unloaded, and counts as opened only then. */
    static const uint64_t rare[] = {1138, 3467};
    uint32_t bound = 0;
    for (uint64_t seed = 0; seed < WORLDS; seed++)
        bound += world_compare(f, seed);
    for (size_t i = 0; i < sizeof rare / sizeof *rare; i++)
        bound += world_compare(f, rare[i]);
    assert_true(bound > WORLDS); /* Enough of the compared symbols were bound. */
}

/* ---- The templates ------------------------------------------------------------------------- */

static int fixture_open(void **state)
{
    static const uint32_t all_modules[MODULES] = {0, 1, 2, 3, 4, 5, 6, 7};
    fixture *f = rt_alloc(sizeof *f);
    strcpy(f->folder, "/tmp/loaders-test-XXXXXX");
    assert_non_null(mkdtemp(f->folder));
    assert_int_equal(setenv(CNF_SCRATCH_VARIABLE, f->folder, 1), 0);
    rt_text warning;
    f->cache = cnf_cache_open(rt_text_of(f->folder), &warning);
    f->sink = rt_sink_create();
    static const uint8_t code[] = {0x03, 0x02, 0x23, 0x07};
    f->image = (rt_image){.name = RT_TEXT("image"), .code = {code, sizeof code}};
    scn_module modules[MODULES];
    for (uint32_t i = 0; i < MODULES; i++) {
        modules[i] = (scn_module){.name = module_names[i],
                                  .needs = all_modules,
                                  .need_count = MODULES,
                                  .host_symbols = symbol_names,
                                  .host_symbol_count = SYMBOLS,
                                  .registers = true,
                                  .images = {&f->image, 1}};
    }
    scn_scenario scenario = {.modules = modules, .module_count = MODULES};
    const cnf_host_runtime runtime = {.library = RT_TEXT(REFERENCE), .layout = RT_FAT_80};
    char folder[80];
    snprintf(folder, sizeof folder, "%s/templates", f->folder);
    assert_int_equal(mkdir(folder, 0700), 0);
    check(f, cnf_host_build(f->sink, f->cache, &scenario, &runtime, rt_text_of(folder)));
    f->executable = template_read(folder, file_names[0]);
    f->library = template_read(folder, file_names[1]);
    *state = f;
    return 0;
}

static int fixture_close(void **state)
{
    fixture *f = *state;
    cnf_scratch_remove(rt_text_of(f->folder));
    rt_free(f->executable.bytes);
    rt_free(f->library.bytes);
    cnf_cache_close(f->cache);
    rt_arena_reset(&f->arena);
    rt_sink_destroy(f->sink);
    rt_free(f);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_loaders_agree),
    };
    return cmocka_run_group_tests(tests, fixture_open, fixture_close);
}
