/* Fakes for test_run.c; see fakes.h. */
#include "conformance/run/test/fakes.h"

#include "conformance/build/front_end.h"
#include "conformance/build/packed_answer.h"
#include "conformance/process/child.h"
#include "conformance/process/service.h"
#include "conformance/scenario/model/scenario.h"
#include "conformance/subject/subject.h"
#include "reference/base/alloc.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- The reader ---------------------------------------------------------------------------- */

const scn_scenario *scn_read(rt_arena *arena, rt_text text, rt_text file, rt_text path,
                             scn_problems *out_problems)
{
    static const scn_problem problem = {.at = {3, 4}, .text = {"it is broken", 12}};
    *out_problems = (scn_problems){0};
    if (rt_text_starts(text, "invalid")) {
        *out_problems = (scn_problems){&problem, 1};
        return NULL;
    }
    scn_source *source = rt_arena_alloc(arena, sizeof *source);
    *source = (scn_source){.name = RT_TEXT("app/0"), .code_at = {10, 5}, .at = {9, 3}};
    scn_module *module = rt_arena_alloc(arena, sizeof *module);
    *module =
        (scn_module){.name = RT_TEXT("app"), .at = {8, 3}, .sources = source, .source_count = 1};
    static const scn_error any_refusal = {.documents = {"postlink-error", 14}};
    if (rt_text_starts(text, "refused")) module->refusal.error = &any_refusal;
    const char *newline = memchr(text.data, '\n', text.length);
    module->build_options = (rt_text){text.data, newline ? (size_t)(newline - text.data) : 0};
    scn_step *step = rt_arena_alloc(arena, sizeof *step);
    *step = (scn_step){.verb = SCN_VERB_WAIT, .id = RT_TEXT("first")};
    static const scn_field number = {.type = SCN_TYPE_INT, .lanes = 1};
    static const scn_memory data = {
        .name = {"data", 4}, .count = 1, .layout = {4, 4, false, &number, 1}};
    static const scn_device device = {0}; /* as in every scenario that has been read */
    scn_scenario *scenario = rt_arena_alloc(arena, sizeof *scenario);
    *scenario = (scn_scenario){.path = path,
                               .devices = &device,
                               .device_count = 1,
                               .persistent_cache = strstr(text.data, "scratch") != NULL,
                               .memories = &data,
                               .memory_count = 1,
                               .file = file,
                               .summary = text,
                               .modules = module,
                               .module_count = 1,
                               .steps = step,
                               .step_count = 1};
    return scenario;
}

void scn_pack_write(rt_buffer *out, const scn_scenario *scenario)
{
    rt_buffer_append_text(out, scenario->summary);
}

/* ---- The compiler -------------------------------------------------------------------------- */

struct cnf_cache {
    int unused;
};

cnf_cache *cnf_cache_open(rt_text folder, rt_text *out_warning)
{
    static cnf_cache cache;
    (void)folder;
    *out_warning = (rt_text){0};
    return &cache;
}

bool cnf_front_end_makes_ptx(scn_language language)
{
    return language == SCN_LANGUAGE_OPENCL_C;
}

void cnf_cache_close(cnf_cache *cache)
{
    (void)cache;
}

bool cnf_cache_find(cnf_cache *cache, rt_bytes request, rt_buffer *out_answer)
{
    (void)cache;
    bool cached = request.size == 6 && memcmp(request.data, "cached", 6) == 0;
    if (cached) rt_buffer_append_text(out_answer, RT_TEXT("ok"));
    return cached;
}

bool cnf_packed_answer(const scn_scenario *scenario, rt_bytes request, rt_buffer *out_answer)
{
    (void)scenario;
    (void)request;
    rt_buffer_append_text(out_answer, RT_TEXT("ok"));
    return true;
}

void cnf_compile_request_module(rt_buffer *out, const scn_module *module, rt_profile profile,
                                rt_format format, bool fuses)
{
    (void)profile;
    (void)format;
    (void)fuses;
    rt_buffer_append_text(out, module->build_options);
}

/* With a host half, the artefact is longer. */
static rt_bytes no_images(rt_arena *arena, bool has_half)
{
    rt_buffer list = {0};
    rt_image_list_write(&list, (rt_image_list){0});
    if (has_half) rt_buffer_append_byte(&list, 1);
    rt_bytes bytes = rt_arena_bytes(arena, rt_buffer_bytes(&list));
    rt_buffer_free(&list);
    return bytes;
}

rt_status cnf_compile_answer_read(rt_sink *sink, rt_arena *arena, rt_bytes bytes,
                                  cnf_compile_answer *out_answer)
{
    static const cnf_compile_message message = {
        {"app/0", 5}, 3, 2, true, {"use of undeclared identifier", 28}};
    rt_text text = {(const char *)bytes.data, bytes.size};
    *out_answer = (cnf_compile_answer){0};
    if (rt_text_is(text, "ok")) {
        out_answer->artefact = no_images(arena, false);
    } else if (rt_text_is(text, "stray-half")) {
        out_answer->artefact = no_images(arena, true);
    } else if (rt_text_is(text, "bad")) {
        out_answer->code = RT_COMPILE_TIME;
        out_answer->messages = &message;
        out_answer->message_count = 1;
    } else if (rt_text_is(text, "postlink") || rt_text_is(text, "refused")) {
        out_answer->code = RT_POSTLINK_ERROR;
        out_answer->message = RT_TEXT("two kernels share a variable");
    } else if (rt_text_is(text, "absent")) {
        out_answer->code = RT_UNAVAILABLE;
        out_answer->message = RT_TEXT("there is no clang-14");
    } else {
        return rt_fail(sink, RT_MALFORMED, RT_RULE_NONE, "cut short");
    }
    return RT_STATUS_OK;
}

rt_status cnf_compile_artefact_read(rt_sink *sink, rt_arena *arena, rt_bytes artefact,
                                    cnf_compile_artefact *out_artefact)
{
    rt_reader reader = rt_reader_of(artefact);
    /* The half of a source that the module does not have. */
    static const scn_host_half half = {.source = 3};
    *out_artefact = (cnf_compile_artefact){.host_halves = &half};
    RT_TRY(rt_image_list_read(sink, arena, &reader, &out_artefact->images));
    out_artefact->host_half_count = !rt_reader_finished(&reader);
    return RT_STATUS_OK;
}

/* Appends to the file that records the workers, if a test asks for it. */
static bool record(const char *mark)
{
    const char *name = getenv("FAKE_WORKERS");
    if (!name) return true;
    int file = open(name, O_WRONLY | O_CREAT | O_APPEND, 0600);
    bool written = file >= 0 && write(file, mark, 1) == 1;
    if (file >= 0) close(file);
    return written;
}

/* Serves the runner: each answer is the request. Records a W, and a dot for each request. */
static int fake_worker(void)
{
    int input;
    bool is_last = false;
    if (!record("W")) return 1;
    while (!is_last && cnf_service_receive(CNF_SERVICE_SOCKET, &input, &is_last)) {
        char request[64] = "";
        ssize_t size = read(input, request, sizeof request - 1);
        close(input);
        if (size < 0 || !record(".")) return 1;
        if (strcmp(request, "crash") == 0) abort();
        while (strcmp(request, "hang") == 0)
            pause();
        if (write(CNF_CHILD_MESSAGES, request, (size_t)size) != size) return 1;
        if (!cnf_service_ready(CNF_SERVICE_SOCKET)) return 1;
    }
    return 0;
}

/* ---- The subjects -------------------------------------------------------------------------- */

static bool never_executes(void)
{
    return false;
}

const cnf_subject cnf_subjects[] = {
    {.name = "sim", .summary = "a fake", .forked = true, .oracle = true},
    {.name = "vendor", .summary = "a fake", .install = "nothing installs it", .reusable = true},
    {.name = "links", .summary = "a fake", .install = "nothing", .executes = never_executes},
    {.name = "ptx", .summary = "a fake", .install = "nothing", .format = RT_FORMAT_PTX},
};
const uint32_t cnf_subject_count = sizeof cnf_subjects / sizeof *cnf_subjects;

const cnf_subject *cnf_subject_find(rt_text name)
{
    for (uint32_t i = 0; i < cnf_subject_count; i++)
        if (rt_text_is(name, cnf_subjects[i].name)) return &cnf_subjects[i];
    return NULL;
}

#define STAGE  "{\"type\":\"stage\",\"stage\":\"step\",\"step\":0,\"line\":31}\n"
#define DEVICE "{\"type\":\"device\",\"name\":\"fake device\",\"driver\":\"1.0\"}\n"
#define CHECK_OK                                                                                   \
    "{\"type\":\"check\",\"step\":0,\"line\":31,\"kind\":\"memory\",\"what\":\"data\","            \
    "\"ok\":true,\"observed\":true}\n"
#define CHECK_FAILED                                                                               \
    "{\"type\":\"check\",\"step\":0,\"line\":31,\"kind\":\"memory\",\"what\":\"data\","            \
    "\"ok\":false,\"observed\":true,\"code\":\"differs\",\"place\":\"element 3\","                 \
    "\"message\":\"expected 1, got 2\"}\n"
#define CHECK_REFUSED                                                                              \
    "{\"type\":\"check\",\"step\":0,\"line\":31,\"kind\":\"step\",\"what\":\"submit\","            \
    "\"ok\":false,\"observed\":true,\"code\":\"errc::memory_allocation\","                         \
    "\"message\":\"it does not fit\"}\n"
#define MEMORY(hex)                                                                                \
    "{\"type\":\"memory\",\"name\":\"data\",\"element\":\"int\",\"data\":\"" hex "\"}\n"
#define END      "{\"type\":\"end\"}\n"
#define RELEASED "{\"type\":\"released\",\"ok\":true}\n"
#define NOT_RELEASED(code)                                                                         \
    "{\"type\":\"released\",\"ok\":false,\"code\":\"" code "\",\"message\":\"told to\"}\n"

/* The messages that a fake child sends, and how it ends. */
static const struct behaviour {
    const char *name, *sends;
    int signal; /* 0: exits with status */
    int status;
    bool hangs;
} behaviours[] = {
    {"pass", DEVICE STAGE CHECK_OK MEMORY("01000000") END, 0, 0, false},
    {"pass2", DEVICE STAGE CHECK_OK MEMORY("02000000") END, 0, 0, false},
    {"fail", DEVICE STAGE CHECK_FAILED END, 0, 0, false},
    {"refuse", DEVICE STAGE CHECK_REFUSED END, 0, 0, false},
    {"crash", DEVICE STAGE CHECK_OK, SIGSEGV, 0, false},
    {"hang", DEVICE STAGE, 0, 0, true},
    {"half", DEVICE STAGE "{\"type\":\"chec", 0, 0, false},
    {"garbage", "hello, world\n", 0, 0, false},
    {"early", DEVICE STAGE, 0, 0, false},
    {"status", DEVICE STAGE, 0, 3, false},
    {"memory", DEVICE STAGE, 0, RT_EXIT_OUT_OF_MEMORY, false},
    {"skip",
     DEVICE "{\"type\":\"skip\",\"capability\":\"fp64\",\"answer\":\"no\","
            "\"message\":\"needs doubles\"}\n",
     0, 0, false},
    {"unavailable", "{\"type\":\"unavailable\",\"message\":\"no driver\"}\n", 0, 0, false},
};

static int behave(const struct behaviour *behaviour, int messages)
{
    size_t size = strlen(behaviour->sends);
    if (write(messages, behaviour->sends, size) != (ssize_t)size) return 9;
    fprintf(stderr, "a driver's babble\n");
    signal(behaviour->signal ? behaviour->signal : SIGSEGV, SIG_DFL);
    if (behaviour->signal) raise(behaviour->signal);
    while (behaviour->hangs)
        pause();
    return behaviour->status;
}

static int say(int messages, const char *text)
{
    size_t size = strlen(text);
    return write(messages, text, size) == (ssize_t)size ? 0 : 9;
}

/* Acts as a runtime that chooses between two alternatives and, after the second, among three; its
 * one_of has a branch for each outcome except the last, which is wrong. A straying runtime never
 * follows a script. */
static int choose(const cnf_subject_options *options, bool strays, int messages)
{
    const char *script = options->choices.length && !strays ? options->choices.data : "0";
    int first = script[0] == '1', second = first && script[1] == ',' ? script[2] - '0' : 0;
    bool right = !first || second < 2;
    char text[1024], choices[256];
    snprintf(choices, sizeof choices,
             first ? "{\"rule\":\"DL-RESOLVE-05\",\"of\":2,\"taken\":1},"
                     "{\"rule\":\"DL-RESOLVE-06\",\"of\":3,\"taken\":%d}"
                   : "{\"rule\":\"DL-RESOLVE-05\",\"of\":2,\"taken\":0}",
             second);
    snprintf(text, sizeof text,
             DEVICE STAGE "{\"type\":\"check\",\"step\":0,\"line\":14,\"kind\":\"one_of\","
                          "\"what\":\"data\",\"ok\":%s,\"observed\":true,\"branch\":%d,"
                          "\"branches\":4,\"code\":\"differs\",\"message\":\"no branch holds\"}\n"
                          "{\"type\":\"choices\",\"made\":[%s]}\n" END,
             right ? "true" : "false", right ? 1 + first + second : 0, choices);
    return say(messages, text);
}

/* Acts as a subject whose devices receive five calls; it loses the failure of the fourth. Whichever
 * fails, the memory is not what sim's is at the end. */
static int lose(const cnf_subject_options *options, int messages)
{
#define CALLS "{\"type\":\"calls\",\"count\":5}\n"
    switch (options->fail_call) {
    case 0: return say(messages, DEVICE STAGE CHECK_OK END);
    case 4: return say(messages, DEVICE STAGE CHECK_FAILED END);
    case CNF_FAIL_NONE: return say(messages, DEVICE STAGE CHECK_OK MEMORY("01000000") CALLS END);
    default: return say(messages, DEVICE STAGE CHECK_OK MEMORY("02000000") CALLS END);
    }
#undef CALLS
}

/* Requests more memory than the limit allows, and so dies as real subjects do. */
static int eat(int messages)
{
    int failed = say(messages, DEVICE STAGE);
    for (size_t size = 0; !failed && size < (size_t)1 << 20; size += 4096)
        memset(rt_alloc((size_t)16 << 20), 1, (size_t)16 << 20);
    return failed;
}

/* Leaves a file in the folder that it was given, which must be empty, and dies if `dies` is set. */
static int leave(const cnf_subject_options *options, bool dies, int messages)
{
    if (options->scratch.length == 0 || rmdir(options->scratch.data) != 0) return 9;
    char path[512];
    snprintf(path, sizeof path, "%s/left", options->scratch.data);
    if (mkdir(options->scratch.data, 0700) != 0) return 9;
    FILE *file = fopen(path, "w");
    if (!file) return 9;
    fclose(file);
    int failed = say(messages, DEVICE STAGE CHECK_OK END);
    signal(SIGSEGV, SIG_DFL);
    if (dies) raise(SIGSEGV);
    return failed;
}

static const struct behaviour *behaviour_find(rt_text name)
{
    for (size_t i = 0; i < sizeof behaviours / sizeof *behaviours; i++)
        if (rt_text_is(name, behaviours[i].name)) return &behaviours[i];
    return NULL;
}

/* Behaves in each run as the next name of the list says, and then as the last one. The file that
 * $FAKE_TURNS names has a byte for each run so far. */
static int turn(rt_text list, int messages)
{
    const char *name = getenv("FAKE_TURNS");
    int file = name ? open(name, O_RDWR | O_CREAT | O_APPEND, 0600) : -1;
    struct stat info;
    if (file < 0 || fstat(file, &info) != 0 || write(file, ".", 1) != 1) return 9;
    close(file);
    rt_text chosen = rt_text_take_until(&list, ',');
    for (off_t i = 0; i < info.st_size && list.length > 0; i++)
        chosen = rt_text_take_until(&list, ',');
    const struct behaviour *behaviour = behaviour_find(chosen);
    return behaviour ? behave(behaviour, messages) : 9;
}

/* A process for several scenarios. Besides what children do anywhere, its vendor has words for what
 * only shows in such a process: "poison" passes, but every later "victim" fails and every later
 * "shut" finds no device; "leak" and "wrong" leave the device unfit; "unsaid" says nothing about
 * it; "dies" ends the process after the answer. Alone, all of them pass, and a scenario "lonely"
 * passes only there. */
static const struct served_row {
    const char *word, *sends;
    bool is_fit;
} served_rows[] = {
    {"poison", DEVICE STAGE CHECK_OK MEMORY("01000000") END RELEASED, true},
    {"victim", DEVICE STAGE CHECK_OK MEMORY("01000000") END RELEASED, true},
    {"shut", DEVICE STAGE CHECK_OK MEMORY("01000000") END RELEASED, true},
    {"dies", DEVICE STAGE CHECK_OK MEMORY("01000000") END RELEASED, true},
    {"lonely", DEVICE STAGE CHECK_FAILED END RELEASED, true},
    {"leak", DEVICE STAGE CHECK_OK MEMORY("01000000") END NOT_RELEASED("objects"), false},
    {"wrong", DEVICE STAGE CHECK_OK MEMORY("01000000") END NOT_RELEASED("answer"), false},
    {"unsaid", DEVICE STAGE CHECK_OK MEMORY("01000000") END, true},
};
enum { SERVED_ROWS = sizeof served_rows / sizeof *served_rows };

/* The row of the vendor's word in the scenario; NULL: it behaves as anywhere. */
static const struct served_row *served_find(const char *text)
{
    char line[64];
    for (size_t i = 0; i < SERVED_ROWS; i++) {
        snprintf(line, sizeof line, "\nvendor %s\n", served_rows[i].word);
        if (strstr(text, line)) return &served_rows[i];
    }
    return NULL;
}

/* `pack`: as scn_pack_write above writes it. */
static int fake_run(const cnf_subject *subject, const cnf_subject_options *options, rt_text pack,
                    int messages)
{
    char text[4096] = "", line[64];
    if (pack.length >= sizeof text) return 9;
    memcpy(text, pack.data, pack.length);
    for (size_t i = 0; i < sizeof behaviours / sizeof *behaviours; i++) {
        snprintf(line, sizeof line, "\n%s %s\n", subject->name, behaviours[i].name);
        if (strstr(text, line)) return behave(&behaviours[i], messages);
    }
    if (subject->reusable && served_find(text)) return behave(&behaviours[0], messages); /* pass */
    snprintf(line, sizeof line, "\n%s ", subject->name);
    const char *word = strstr(text, line);
    word = word ? word + strlen(line) : "";
    if (rt_text_starts(rt_text_of(word), "choose")) return choose(options, false, messages);
    if (rt_text_starts(rt_text_of(word), "stray")) return choose(options, true, messages);
    if (rt_text_starts(rt_text_of(word), "scratch-and-die")) return leave(options, true, messages);
    if (rt_text_starts(rt_text_of(word), "scratch")) return leave(options, false, messages);
    rt_text list = rt_text_of(word);
    if (rt_text_starts(list, "turns ")) {
        list = rt_text_skip(list, strlen("turns "));
        return turn(rt_text_take_until(&list, '\n'), messages);
    }
    if (rt_text_starts(rt_text_of(word), "eat")) return eat(messages);
    if (rt_text_starts(rt_text_of(word), "lose")) return lose(options, messages);
    if (rt_text_starts(rt_text_of(word), "option")) /* passes only if a driver option arrived */
        return say(messages, getenv("FAKE_OPTION") ? DEVICE STAGE CHECK_OK END : DEVICE STAGE);
    return 9;
}

int cnf_subject_run(const cnf_subject *subject, const cnf_subject_options *options,
                    const scn_scenario *scenario, int messages)
{
    return fake_run(subject, options, scenario->summary, messages);
}

/* The device's answers to a probe. */
static const struct probe_row {
    const char *name, *sends;
} probe_rows[] = {
    {"right", DEVICE "{\"type\":\"probe\",\"ok\":true}\n"},
    {"wrong", DEVICE "{\"type\":\"probe\",\"ok\":false,\"message\":\"7 is 8\"}\n"},
    {"gone", "{\"type\":\"unavailable\",\"message\":\"no device\"}\n"},
    {"silent", ""},
};

static int fake_probe(const char *option)
{
    const char *answer = getenv("FAKE_PROBE");
    if (!answer || strcmp(option, "--compute") != 0) return 9;
    for (size_t i = 0; i < sizeof probe_rows / sizeof *probe_rows; i++)
        if (strcmp(answer, probe_rows[i].name) == 0) return say(3, probe_rows[i].sends);
    return 9;
}

/* Serves the runner until it has no further scenario. */
static int fake_service(const cnf_subject *subject)
{
    int input;
    bool is_last = false, is_poisoned = false;
    while (!is_last && cnf_service_receive(CNF_SERVICE_SOCKET, &input, &is_last)) {
        char text[4096] = "";
        ssize_t size = read(input, text, sizeof text - 1);
        close(input);
        if (size < 0) return 9;
        const struct served_row *row = served_find(text);
        const char *word = row ? row->word : "";
        int failed = 0;
        if (!row) {
            const cnf_subject_options options = {0};
            failed = fake_run(subject, &options, (rt_text){text, (size_t)size}, 3);
            if (failed == 0) failed = say(3, RELEASED);
        } else if (strcmp(word, "victim") == 0 && is_poisoned) {
            failed = say(3, DEVICE STAGE CHECK_FAILED END RELEASED);
        } else if (strcmp(word, "shut") == 0 && is_poisoned) {
            failed = say(3, "{\"type\":\"unavailable\",\"message\":\"no device\"}\n" RELEASED);
        } else {
            failed = say(3, row->sends);
        }
        is_poisoned = is_poisoned || strcmp(word, "poison") == 0;
        if (failed || (row && !row->is_fit)) return failed;
        if (!is_last && !cnf_service_ready(CNF_SERVICE_SOCKET)) return 9;
        signal(SIGABRT, SIG_DFL);
        if (strcmp(word, "dies") == 0) raise(SIGABRT);
    }
    return 0;
}

bool fakes_main(int argument_count, char **arguments, int *out_status)
{
    if (argument_count < 2) return false;
    if (strcmp(arguments[1], "worker") == 0) {
        *out_status = fake_worker();
        return true;
    }
    const cnf_subject *subject =
        argument_count > 2 ? cnf_subject_find(rt_text_of(arguments[2])) : NULL;
    if (!subject) return false;
    if (strcmp(arguments[1], "probe") == 0) {
        *out_status = fake_probe(argument_count > 3 ? arguments[3] : "");
        return true;
    }
    if (strcmp(arguments[argument_count - 1], "--serve") == 0) {
        *out_status = fake_service(subject);
        return true;
    }
    char pack[4096];
    ssize_t size = read(0, pack, sizeof pack);
    cnf_subject_options options = {0};
    for (int i = 3; i + 1 < argument_count; i++) {
        if (strcmp(arguments[i], "--choices") == 0) options.choices = rt_text_of(arguments[i + 1]);
        if (strcmp(arguments[i], "--scratch") == 0) options.scratch = rt_text_of(arguments[i + 1]);
        if (strcmp(arguments[i], "--fail-call") == 0)
            options.fail_call = (uint32_t)strtoul(arguments[i + 1], NULL, 10);
    }
    *out_status = 9;
    if (size >= 0) *out_status = fake_run(subject, &options, (rt_text){pack, (size_t)size}, 3);
    return true;
}
