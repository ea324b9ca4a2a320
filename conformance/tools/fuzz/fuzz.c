#include "conformance/tools/fuzz/fuzz.h"

#include "reference/base/check.h"
#include "reference/base/hash.h"
#include "reference/base/lines.h"

#include <ctype.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/* ---- Headlines ---------------------------------------------------------------------------- */

rt_text fuz_headline(rt_arena *arena, rt_text signature)
{
    rt_text first = rt_text_take_until(&signature, ' ');
    rt_buffer kept = {0};
    while (first.length > 0) {
        rt_text part = rt_text_take_until(&first, ':');
        if (rt_text_starts(part, "step")) continue;
        const char *element = memmem(part.data, part.length, "/element-", 9);
        if (element) part.length = (size_t)(element - part.data);
        rt_buffer_printf(&kept, "%s%.*s", kept.size > 0 ? ":" : "", RT_TEXT_ARG(part));
    }
    rt_text headline = rt_arena_text(arena, rt_buffer_text(&kept));
    rt_buffer_free(&kept);
    return headline;
}

rt_text fuz_headline_key(rt_arena *arena, rt_text headline)
{
    char *key = rt_arena_alloc_array(arena, headline.length + 1, 1);
    size_t length = 0;
    for (size_t i = 0; i < headline.length; i++)
        if (!isdigit((unsigned char)headline.data[i])) key[length++] = headline.data[i];
    return (rt_text){key, length};
}

/* ---- Traits ------------------------------------------------------------------------------- */

/* Words of scenarios that show what a program does. */
static const char *const trait_words[] = {
    "- load: ",       "unload: ",   "- restart",        "bundle: ",
    "device: second", "context: ",  "spec_constants: ", "persistent_cache: ",
    "preload: ",      "- copy: ",   "- fill: ",         "complete_fusion",
    "DEVICE_GLOBAL(", "INDIRECTLY", "fp64: false",      "formats: ",
    "usm: ",          "after: ",    "exception",
};
enum {
    WORDS = sizeof trait_words / sizeof *trait_words,
    EQUAL_KERNELS = WORDS, /* two kernels have the same name */
    EQUAL_FUNCTIONS,       /* two functions do */
    KERNEL_AND_FUNCTION,   /* a kernel and a function do */
    NAMES_MAX = 256
};
_Static_assert(KERNEL_AND_FUNCTION < 32, "the traits are bits of 32");

typedef struct name_list {
    rt_text items[NAMES_MAX];
    uint32_t count;
} name_list;

static bool is_name_byte(char byte)
{
    return isalnum((unsigned char)byte) || byte == '_';
}

/* Lists the names that follow the occurrences of a text, or those that precede them. */
static void names_find(rt_text scenario, const char *text, bool follows, name_list *out)
{
    rt_text rest = scenario;
    size_t length = strlen(text);
    for (const char *at;
         out->count < NAMES_MAX && (at = memmem(rest.data, rest.length, text, length));) {
        rest = rt_text_skip(rest, (size_t)(at - rest.data) + length);
        rt_text name = {follows ? rest.data : at, 0};
        if (follows)
            while (name.length < rest.length && is_name_byte(name.data[name.length]))
                name.length++;
        while (!follows && name.data > scenario.data && is_name_byte(name.data[-1])) {
            name.data--;
            name.length++;
        }
        out->items[out->count++] = name;
    }
}

static bool share_a_name(const name_list *a, const name_list *b)
{
    for (uint32_t i = 0; i < a->count; i++)
        for (uint32_t k = a == b ? i + 1 : 0; k < b->count; k++)
            if (rt_text_equal(a->items[i], b->items[k])) return true;
    return false;
}

uint32_t fuz_traits(rt_text scenario)
{
    uint32_t traits = 0;
    for (uint32_t i = 0; i < WORDS; i++)
        if (memmem(scenario.data, scenario.length, trait_words[i], strlen(trait_words[i])))
            traits |= 1u << i;
    name_list kernels = {.count = 0}, functions = {.count = 0};
    names_find(scenario, "kernel void ", true, &kernels);
    names_find(scenario, "(void) {", false, &functions);
    if (share_a_name(&kernels, &kernels)) traits |= 1u << EQUAL_KERNELS;
    if (share_a_name(&functions, &functions)) traits |= 1u << EQUAL_FUNCTIONS;
    if (share_a_name(&kernels, &functions)) traits |= 1u << KERNEL_AND_FUNCTION;
    return traits;
}

/* ---- Buckets and coverage ----------------------------------------------------------------- */

static rt_text bucket_key(rt_arena *arena, const fuz_bucket *bucket)
{
    rt_text headline = fuz_headline_key(arena, bucket->headline);
    return rt_arena_printf(arena, "%.*s %.*s %.*s %.*s", RT_TEXT_ARG(bucket->subject),
                           RT_TEXT_ARG(bucket->verdict), RT_TEXT_ARG(bucket->variation),
                           RT_TEXT_ARG(headline));
}

static void bucket_enter(fuz_state *state, fuz_bucket bucket)
{
    bucket.key = bucket_key(&state->arena, &bucket);
    *rt_vector_push(&state->buckets) = bucket;
}

/* True if a scenario with these traits lacks nothing that the bucket's reduced scenario has. */
static bool has_traits_of(const fuz_bucket *bucket, uint32_t traits)
{
    return (bucket->traits & ~traits) == 0;
}

/* A bucket of which the failure is the first. */
static fuz_bucket bucket_of_failure(rt_arena *arena, const fuz_failure *failure)
{
    return (fuz_bucket){.subject = rt_arena_text(arena, failure->subject),
                        .verdict = rt_arena_text(arena, failure->verdict),
                        .headline = fuz_headline(arena, failure->signature),
                        .variation = rt_arena_text(arena, failure->variation),
                        .seed = failure->seed};
}

/* The index of the first bucket with the key that explains the traits; the number of buckets, if
 * there is none. */
static uint32_t bucket_index(const fuz_state *state, rt_text key, uint32_t traits)
{
    uint32_t i = 0;
    while (i < state->buckets.count && !(rt_text_equal(state->buckets.items[i].key, key) &&
                                         has_traits_of(&state->buckets.items[i], traits)))
        i++;
    return i;
}

fuz_bucket *fuz_bucket_add(fuz_state *state, const fuz_failure *failure)
{
    const fuz_bucket bucket = bucket_of_failure(&state->arena, failure);
    uint32_t i = bucket_index(state, bucket_key(&state->arena, &bucket), failure->traits);
    if (i == state->buckets.count) bucket_enter(state, bucket);
    state->buckets.items[i].count++;
    return &state->buckets.items[i];
}

bool fuz_bucket_has(const fuz_state *state, const fuz_bucket *bucket, const fuz_failure *failure)
{
    rt_arena scratch = {0};
    const fuz_bucket wanted = bucket_of_failure(&scratch, failure);
    uint32_t i = bucket_index(state, bucket_key(&scratch, &wanted), failure->traits);
    rt_arena_reset(&scratch);
    return i < state->buckets.count && &state->buckets.items[i] == bucket;
}

bool fuz_is_explained(const fuz_state *state, rt_text oracle, uint32_t traits)
{
    for (uint32_t i = 0; i < state->buckets.count; i++) {
        const fuz_bucket *bucket = &state->buckets.items[i];
        if (bucket->traits != 0 && has_traits_of(bucket, traits) &&
            !rt_text_equal(bucket->subject, oracle))
            return true;
    }
    return false;
}

static bool set_enter(fuz_set *set, uint64_t hash)
{
    if (rt_map_find_number(&set->index, hash) != RT_MAP_NONE) return false;
    rt_map_set_number(&set->index, hash, set->items.count);
    *rt_vector_push(&set->items) = hash;
    return true;
}

uint32_t fuz_marks_add(fuz_state *state, rt_text hits)
{
    uint32_t new_count = 0;
    for (rt_text line; rt_line_take(&hits, &line);) {
        rt_text file = rt_text_take_until(&line, ':'), number = rt_text_take_until(&line, '.');
        const uint64_t mark[] = {rt_hash64(file.data, file.length),
                                 rt_hash64(number.data, number.length)};
        new_count += set_enter(&state->marks, rt_hash64(mark, sizeof mark));
    }
    return new_count;
}

uint32_t fuz_events_add(fuz_state *state, rt_text trace)
{
    static const char key[] = "\"event\":";
    uint32_t new_count = 0;
    uint64_t before = 0;
    /* In a string, a quotation mark has a backslash before it, so only keys are found. */
    for (const char *at; (at = memmem(trace.data, trace.length, key, sizeof key - 1));) {
        rt_text rest = rt_text_skip(trace, (size_t)(at - trace.data) + sizeof key - 1);
        rt_text_take_until(&rest, '"');
        rt_text kind = rt_text_take_until(&rest, '"');
        const uint64_t pair[] = {before, rt_hash64(kind.data, kind.length)};
        new_count += set_enter(&state->pairs, rt_hash64(pair, sizeof pair));
        before = pair[1];
        trace = rest;
    }
    return new_count;
}

uint32_t fuz_pairs_add(fuz_state *state, const uint64_t *pairs, uint32_t count)
{
    uint32_t new_count = 0;
    for (uint32_t i = 0; i < count; i++)
        new_count += set_enter(&state->pairs, pairs[i]);
    return new_count;
}

static uint64_t hash_of(const json_t *event, const char *key)
{
    const char *text = json_string_value(json_object_get(event, key));
    return text ? rt_hash64(text, strlen(text)) : 0;
}

uint64_t fuz_refusals(rt_text trace)
{
    json_t *message = json_loadb(trace.data ? trace.data : "", trace.length, 0, NULL), *event;
    uint64_t refusals = 0;
    size_t index;
    json_array_foreach(json_object_get(message, "events"), index, event)
    {
        const char *kind = json_string_value(json_object_get(event, "event"));
        if (!kind || strcmp(kind, "error") != 0) continue;
        const uint64_t reason[] = {hash_of(event, "class"), hash_of(event, "rule")};
        refusals |= UINT64_C(1) << rt_hash64(reason, sizeof reason) % 64;
    }
    json_decref(message);
    return refusals;
}

/* ---- The file ------------------------------------------------------------------------------ */

/* Bytes that are not UTF-8 would not be JSON; signatures contain none, conditions neither. */
static json_t *json_of(rt_text text)
{
    json_t *string = json_stringn(text.data ? text.data : "", text.length);
    return string ? string : json_string("");
}

static json_t *json_of_set(const fuz_set *set)
{
    json_t *items = json_array();
    for (uint32_t i = 0; i < set->items.count; i++)
        json_array_append_new(items, json_integer((json_int_t)set->items.items[i]));
    return items;
}

void fuz_state_write(const fuz_state *state, rt_buffer *out)
{
    json_t *buckets = json_array();
    for (uint32_t i = 0; i < state->buckets.count; i++) {
        const fuz_bucket *bucket = &state->buckets.items[i];
        json_array_append_new(
            buckets,
            json_pack("{s:o, s:o, s:o, s:o, s:I, s:I, s:I}", "subject", json_of(bucket->subject),
                      "verdict", json_of(bucket->verdict), "headline", json_of(bucket->headline),
                      "variation", json_of(bucket->variation), "seed", (json_int_t)bucket->seed,
                      "count", (json_int_t)bucket->count, "traits", (json_int_t)bucket->traits));
    }
    json_t *root =
        json_pack("{s:i, s:o, s:I, s:I, s:I, s:o, s:o, s:o}", "assay_fuzz", 1, "conditions",
                  json_of(state->conditions), "next", (json_int_t)state->next, "seeds",
                  (json_int_t)state->seeds, "runs", (json_int_t)state->runs, "buckets", buckets,
                  "pairs", json_of_set(&state->pairs), "marks", json_of_set(&state->marks));
    char *text = json_dumps(root, JSON_INDENT(1));
    rt_buffer_printf(out, "%s\n", text);
    free(text);
    json_decref(root);
}

static rt_text text_of(rt_arena *arena, const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return rt_arena_text(arena, rt_text_of(json_is_string(value) ? json_string_value(value) : ""));
}

static uint64_t number_of(const json_t *object, const char *key)
{
    return (uint64_t)json_integer_value(json_object_get(object, key));
}

static void set_fill(const json_t *items, fuz_set *out_set)
{
    size_t index;
    const json_t *item;
    json_array_foreach(items, index, item) set_enter(out_set, (uint64_t)json_integer_value(item));
}

static void state_fill(const json_t *root, fuz_state *out_state)
{
    rt_arena *arena = &out_state->arena;
    out_state->conditions = text_of(arena, root, "conditions");
    out_state->next = number_of(root, "next");
    out_state->seeds = number_of(root, "seeds");
    out_state->runs = number_of(root, "runs");
    size_t index;
    const json_t *item;
    json_array_foreach(json_object_get(root, "buckets"), index, item)
    {
        const fuz_bucket bucket = {.subject = text_of(arena, item, "subject"),
                                   .verdict = text_of(arena, item, "verdict"),
                                   .headline = text_of(arena, item, "headline"),
                                   .variation = text_of(arena, item, "variation"),
                                   .seed = number_of(item, "seed"),
                                   .count = (uint32_t)number_of(item, "count"),
                                   .traits = (uint32_t)number_of(item, "traits")};
        bucket_enter(out_state, bucket);
    }
    set_fill(json_object_get(root, "pairs"), &out_state->pairs);
    set_fill(json_object_get(root, "marks"), &out_state->marks);
}

rt_status fuz_state_read(rt_sink *sink, rt_text content, fuz_state *out_state)
{
    json_error_t error;
    json_t *root = json_loadb(content.data, content.length, 0, &error);
    if (!root || number_of(root, "assay_fuzz") != 1) {
        json_decref(root);
        return rt_fail(sink, RT_MALFORMED, RT_RULE_NONE, "not the state of a run of assay fuzz");
    }
    state_fill(root, out_state);
    json_decref(root);
    return RT_STATUS_OK;
}

static void set_free(fuz_set *set)
{
    rt_vector_free(&set->items);
    rt_map_free(&set->index);
}

void fuz_state_free(fuz_state *state)
{
    rt_vector_free(&state->buckets);
    set_free(&state->pairs);
    set_free(&state->marks);
    rt_arena_reset(&state->arena);
}
