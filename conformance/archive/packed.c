/* Reads and writes packs as members of an archive. */
#include "conformance/archive/packed.h"

#include "reference/base/map.h"

#include <stdlib.h>

static const char about_name[] = "about.txt";
static const char expectations_name[] = "expectations";
static const char source_folder[] = "scenarios/";
static const char model_folder[] = "models/";

enum { OTHER_MEMBERS = 2 }; /* members besides the two for each scenario */

/* ---- Writing ------------------------------------------------------------------------------- */

rt_status cnf_pack_write(rt_sink *sink, rt_buffer *out, const cnf_pack *pack)
{
    CHECK(pack->count > 0);
    rt_arena arena = {0};
    uint32_t count = 0;
    cnf_member *members =
        rt_arena_alloc_array(&arena, OTHER_MEMBERS + 2 * (size_t)pack->count, sizeof *members);
    members[count++] = (cnf_member){rt_text_of(about_name), rt_text_bytes(pack->about)};
    members[count++] = (cnf_member){rt_text_of(expectations_name), pack->expectations};
    for (uint32_t i = 0; i < pack->count; i++) {
        const cnf_packed_scenario *scenario = &pack->scenarios[i];
        rt_text path = scenario->path;
        members[count++] =
            (cnf_member){rt_arena_printf(&arena, "%s%.*s", source_folder, RT_TEXT_ARG(path)),
                         rt_text_bytes(scenario->source)};
        members[count++] = (cnf_member){
            rt_arena_printf(&arena, "%s%.*s", model_folder, RT_TEXT_ARG(path)), scenario->model};
    }
    CHECK(count == OTHER_MEMBERS + 2 * pack->count);
    rt_status status = cnf_archive_write(sink, out, &(cnf_archive){members, count});
    rt_arena_reset(&arena);
    return status;
}

/* ---- Reading ------------------------------------------------------------------------------- */

/* The member's path relative to the folder; empty if it is not in the folder. */
static rt_text path_in(const cnf_member *member, const char *folder)
{
    rt_text path = member->name;
    return rt_text_take_prefix(&path, folder) ? path : (rt_text){0};
}

static int scenario_compare(const void *a, const void *b)
{
    const cnf_packed_scenario *left = a, *right = b;
    return rt_text_compare(left->path, right->path);
}

/* Pairs sources with models by path; false if either half of a pair is missing. */
static bool scenarios_collect(rt_arena *arena, const cnf_archive *archive, cnf_pack *pack)
{
    cnf_packed_scenario *scenarios = rt_arena_alloc_array(arena, archive->count, sizeof *scenarios);
    rt_map paths = {0};
    uint32_t model_count = 0;
    bool is_paired = true;
    for (uint32_t i = 0; i < archive->count; i++) {
        const cnf_member *member = &archive->members[i];
        rt_text path = path_in(member, source_folder);
        if (path.length == 0) continue;
        rt_map_set(&paths, path, pack->count);
        rt_text source = {(const char *)member->content.data, member->content.size};
        scenarios[pack->count++] =
            (cnf_packed_scenario){.pack = pack, .path = path, .source = source};
    }
    for (uint32_t i = 0; i < archive->count && is_paired; i++) {
        rt_text path = path_in(&archive->members[i], model_folder);
        if (path.length == 0) continue;
        uint32_t index = rt_map_find(&paths, path);
        is_paired = index != RT_MAP_NONE;
        if (is_paired) scenarios[index].model = archive->members[i].content;
        model_count++;
    }
    rt_map_free(&paths);
    pack->scenarios = scenarios;
    if (!is_paired || pack->count == 0 || model_count != pack->count) return false;
    qsort(scenarios, pack->count, sizeof *scenarios, scenario_compare);
    return true;
}

rt_status cnf_pack_read(rt_sink *sink, rt_arena *arena, rt_bytes file, const cnf_pack **out_pack)
{
    *out_pack = NULL;
    cnf_archive archive;
    RT_TRY(cnf_archive_read(sink, arena, file, &archive));
    cnf_pack *pack = rt_arena_alloc(arena, sizeof *pack);
    rt_bytes about = cnf_archive_find(&archive, about_name);
    pack->about = (rt_text){(const char *)about.data, about.size};
    pack->expectations = cnf_archive_find(&archive, expectations_name);
    bool is_complete = scenarios_collect(arena, &archive, pack) && about.data &&
                       pack->expectations.data &&
                       archive.count == OTHER_MEMBERS + 2 * (uint64_t)pack->count;
    if (!is_complete) {
        return rt_fail(
            sink, RT_MALFORMED, RT_RULE_NONE,
            "not a pack of scenarios: members are missing or unknown; pack the scenarios again");
    }
    *out_pack = pack;
    return RT_STATUS_OK;
}
