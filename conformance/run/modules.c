/* Turns the compile requests and answers of a scenario into its images, or into the reason why
 * there are none. Processes are started in run.c. A worker that dies becomes a status of the
 * scenario's compile step, not a crash of the scenario, because the subject was not involved; if
 * the code made it crash, the scenario is INVALID.
 * Source: docs/internals/conformance.md. */
#include "conformance/run/modules.h"

#include "conformance/build/front_end.h"
#include "conformance/build/packed_answer.h"
#include "conformance/run/refusal.h"
#include "conformance/run/value_types.h"
#include "conformance/scenario/model/scenario.h"
#include "conformance/scenario/resolve/constants.h"
#include "conformance/scenario/resolve/sycl_kernels.h"
#include "conformance/scenario/resolve/variables.h"
#include "conformance/subject/skip.h"
#include "reference/base/lines.h"
#include "reference/base/map.h"
#include "reference/base/number.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

/* True if the module has something to compile. */
static bool has_code(const scn_module *module)
{
    return module->source_count + module->hand_image_count > 0;
}

static bool is_compiled_to_ptx(const scn_module *module)
{
    const uint32_t spirv = 1u << RT_FORMAT_SPIRV64, ptx = 1u << RT_FORMAT_PTX;
    if (module->formats & spirv && !(module->formats & ptx)) return false;
    for (uint32_t i = 0; i < module->source_count; i++)
        if (!cnf_front_end_makes_ptx(module->sources[i].language)) return false;
    for (uint32_t i = 0; i < module->hand_image_count; i++) {
        const scn_hand_image *image = &module->hand_images[i];
        bool is_native = image->format != RT_FORMAT_SPIRV64 && image->format != RT_FORMAT_PTX;
        if (!is_native && !cnf_front_end_makes_ptx(image->source.language)) return false;
    }
    return true;
}

static bool sets_constants(const scn_step *step)
{
    return (step->verb == SCN_VERB_SUBMIT && step->submit.constant_count > 0) ||
           (step->verb == SCN_VERB_BUNDLE && step->bundle.constant_count > 0);
}

rt_format cnf_modules_ptx_format(const scn_scenario *scenario)
{
    for (uint32_t i = 0; i < scenario->module_count; i++)
        if (!is_compiled_to_ptx(&scenario->modules[i])) return RT_FORMAT_SPIRV64;
    for (uint32_t i = 0; i < scenario->device_count; i++)
        if (scenario->devices[i].links >> RT_FORMAT_SPIRV64 & 1) return RT_FORMAT_SPIRV64;
    for (uint32_t i = 0; i < scenario->step_count; i++)
        if (sets_constants(&scenario->steps[i])) return RT_FORMAT_SPIRV64;
    return RT_FORMAT_PTX;
}

void cnf_modules_begin(cnf_modules *modules, rt_arena *arena, rt_sink *sink,
                       const scn_scenario *scenario, cnf_cache *cache, rt_profile profile,
                       rt_format format)
{
    CHECK(scenario->module_count > 0);
    CHECK(format == RT_FORMAT_SPIRV64 || format == RT_FORMAT_PTX);
    *modules = (cnf_modules){.arena = arena, .sink = sink, .scenario = scenario, .format = format};
    modules->works = rt_arena_alloc_array(arena, scenario->module_count, sizeof *modules->works);
    for (uint32_t i = 0; i < scenario->module_count; i++) {
        cnf_module_work *work = &modules->works[i];
        work->answered = true;
        if (has_code(&scenario->modules[i])) {
            cnf_compile_request_module(&work->request, &scenario->modules[i], profile, format,
                                       scn_scenario_fuses(scenario));
            rt_bytes request = rt_buffer_bytes(&work->request);
            if (scenario->packed) /* if the pack has none, the answer says what is missing */
                (void)cnf_packed_answer(scenario, request, &work->answer);
            else
                work->answered = cnf_cache_find(cache, request, &work->answer);
        }
        modules->answered += work->answered;
    }
}

bool cnf_modules_next(cnf_modules *modules, uint32_t *out_module)
{
    *out_module = modules->next;
    while (modules->next < modules->scenario->module_count) {
        *out_module = modules->next++;
        if (!modules->works[*out_module].answered) return true;
    }
    return false;
}

bool cnf_modules_complete(const cnf_modules *modules)
{
    CHECK(modules->answered <= modules->scenario->module_count);
    return modules->answered == modules->scenario->module_count;
}

void cnf_modules_free(cnf_modules *modules)
{
    for (uint32_t i = 0; modules->works && i < modules->scenario->module_count; i++) {
        rt_buffer_free(&modules->works[i].request);
        rt_buffer_free(&modules->works[i].answer);
    }
    *modules = (cnf_modules){0};
}

/* True for the signals of a crash. Others come from outside, such as SIGKILL from a machine that
 * has run out of memory. */
static bool is_crash(int signal)
{
    static const int crashes[] = {SIGSEGV, SIGABRT, SIGBUS, SIGILL, SIGFPE};
    for (size_t i = 0; i < sizeof crashes / sizeof *crashes; i++)
        if (crashes[i] == signal) return true;
    return false;
}

/* ---- Answers ------------------------------------------------------------------------------- */

void cnf_modules_answer(cnf_modules *modules, uint32_t module, cnf_child_result *worker)
{
    CHECK(module < modules->scenario->module_count);
    rt_arena *arena = modules->arena;
    cnf_module_work *work = &modules->works[module];
    CHECK(!work->answered && work->failure.length == 0);
    work->answered = true;
    modules->answered++;
    rt_text ending = {0};
    switch (worker->end) {
    case CNF_PROCESS_EXITED:
        if (worker->code == 0) {
            work->answer = worker->messages;
            worker->messages = (rt_buffer){0};
            return;
        }
        work->failure = rt_arena_printf(arena, "exit-%d", worker->code);
        ending = RT_TEXT("gave up");
        break;
    case CNF_PROCESS_SIGNALLED:
        work->failure = rt_arena_printf(arena, "signal-%d", worker->code);
        work->has_crashed = is_crash(worker->code);
        ending = RT_TEXT("was ended by a signal");
        break;
    case CNF_PROCESS_TIMED_OUT:
        work->failure = RT_TEXT("timeout");
        ending = RT_TEXT("did not end in time");
        break;
    case CNF_PROCESS_OVERFLOWED:
        work->failure = RT_TEXT("flood");
        ending = RT_TEXT("sent an answer that is too large");
        break;
    case CNF_PROCESS_NOT_STARTED:
        work->failure = RT_TEXT("start");
        ending = rt_arena_printf(arena, "could not be started: %s%s", strerrordesc_np(worker->code),
                                 cnf_child_advice(worker->code));
        break;
    }
    CHECK(work->failure.length > 0);
    rt_text printed = rt_buffer_text(&worker->output);
    work->failure_message =
        rt_arena_printf(arena, "the compile worker %.*s%s%.*s", RT_TEXT_ARG(ending),
                        printed.length ? "\nit printed last:\n" : "", RT_TEXT_ARG(printed));
}

static bool is_same_request(const cnf_module_work *a, const cnf_module_work *b)
{
    return a->request.size > 0 && a->request.size == b->request.size &&
           memcmp(a->request.data, b->request.data, a->request.size) == 0;
}

bool cnf_modules_awaits(const cnf_modules *other, const cnf_modules *modules, uint32_t module)
{
    CHECK(other != modules && other->scenario == modules->scenario);
    return !other->works[module].answered &&
           is_same_request(&other->works[module], &modules->works[module]);
}

void cnf_modules_copy(cnf_modules *modules, const cnf_modules *other, uint32_t module)
{
    cnf_module_work *work = &modules->works[module];
    const cnf_module_work *answered = &other->works[module];
    CHECK(!work->answered && answered->answered && is_same_request(work, answered));
    rt_buffer_append_text(&work->answer, rt_buffer_text(&answered->answer));
    work->failure = answered->failure;
    work->failure_message = answered->failure_message;
    work->has_crashed = answered->has_crashed;
    work->answered = true;
    modules->answered++;
}

/* ---- Judging the answers ------------------------------------------------------------------- */

static const scn_source *source_find(const scn_scenario *scenario, rt_text name)
{
    for (uint32_t i = 0; i < scenario->module_count; i++) {
        const scn_module *module = &scenario->modules[i];
        for (uint32_t j = 0; j < module->source_count; j++)
            if (rt_text_equal(module->sources[j].name, name)) return &module->sources[j];
        for (uint32_t j = 0; j < module->hand_image_count; j++) {
            const scn_source *source = &module->hand_images[j].source;
            if (rt_text_equal(source->name, name)) return source;
        }
    }
    return NULL;
}

/* The location of a message: in the scenario, or in the file next to it that holds the code. */
typedef struct message_place {
    rt_text file;
    scn_position at;
    uint32_t line; /* line of the scenario, in both cases */
    bool is_file;  /* not in the scenario, although a kernel without one has the same name */
} message_place;

static message_place place_of(cnf_modules *modules, const scn_module *module,
                              const cnf_compile_message *message)
{
    const scn_scenario *scenario = modules->scenario;
    const scn_source *source = source_find(scenario, message->source);
    scn_position at = source ? source->code_at : module->at;
    uint32_t column = message->column > 0 ? message->column : 1;
    /* A header whose text the source holds after a line marker. */
    if (!source && message->source.length > 0 && message->line > 0)
        return (message_place){message->source, {message->line, column}, at.line, true};
    if (!source || message->line == 0) return (message_place){scenario->file, at, at.line, false};
    if (source->file.length > 0) {
        return (message_place){scn_companion_path(modules->arena, scenario, source->file),
                               {message->line, column},
                               at.line,
                               true};
    }
    at.line += message->line - 1;
    at.column += column - 1;
    return (message_place){scenario->file, at, at.line, false};
}

static cnf_code_place code_place(message_place place)
{
    if (!place.is_file) return (cnf_code_place){0};
    return (cnf_code_place){place.file, place.at.line, place.at.column};
}

/* Appends the source's line at which a message points, and a caret below the column; nothing if the
 * message has no position in a source of the scenario. */
static void excerpt_append(rt_buffer *out, const scn_scenario *scenario,
                           const cnf_compile_message *message)
{
    enum { EXCERPT_MAX = 160 };
    const scn_source *source = source_find(scenario, message->source);
    if (!source || message->line == 0 || message->column == 0) return;
    rt_text rest = source->code, line = {0};
    for (uint32_t i = 0; i < message->line; i++)
        if (!rt_line_take(&rest, &line)) return;
    if (message->column > line.length + 1 || message->column > EXCERPT_MAX) return;
    rt_buffer_printf(out, "\n%.*s\n", RT_TEXT_ARG(rt_text_cut(line, EXCERPT_MAX)));
    /* A tab stays one, so that the caret is below its column whatever the width of tabs. */
    for (uint32_t i = 0; i + 1 < message->column; i++) {
        bool continues = ((unsigned char)line.data[i] & 0xC0) == 0x80; /* of a character of UTF-8 */
        if (!continues) rt_buffer_append_byte(out, line.data[i] == '\t' ? '\t' : ' ');
    }
    rt_buffer_append_byte(out, '^');
}

/* Notes shown per message: overloaded functions have dozens of candidates. */
enum { NOTES_MAX = 3 };

/* Judges a module whose sources do not compile, quoting the compiler's messages with their
 * locations. */
static void judge_invalid(cnf_modules *modules, const scn_module *module,
                          const cnf_compile_answer *answer, cnf_judgement *out)
{
    static const char *const words[CNF_SEVERITIES] = {
        [CNF_SEVERITY_WARNING] = "warning",
        [CNF_SEVERITY_ERROR] = "error",
        [CNF_SEVERITY_NOTE] = "note",
    };
    const cnf_compile_message whole = {.severity = CNF_SEVERITY_ERROR, .text = answer->message};
    const cnf_compile_message *messages = answer->message_count > 0 ? answer->messages : &whole;
    uint32_t message_count = answer->message_count > 0 ? answer->message_count : 1;
    rt_buffer text = {0};
    out->line = 0;
    out->code = (cnf_code_place){0};
    bool has_error = false;
    uint32_t notes = 0; /* since the last error or warning */
    for (uint32_t i = 0; i < message_count; i++) {
        const cnf_compile_message *message = &messages[i];
        notes = message->severity == CNF_SEVERITY_NOTE ? notes + 1 : 0;
        if (notes > NOTES_MAX) continue;
        message_place place = place_of(modules, module, message);
        if (message->severity == CNF_SEVERITY_ERROR && !has_error) {
            out->line = place.line;
            out->code = code_place(place);
            has_error = true;
        }
        rt_buffer_printf(&text, "%s%.*s:", text.size ? "\n" : "", RT_TEXT_ARG(place.file));
        if (place.at.line > 0) rt_buffer_printf(&text, "%u:%u:", place.at.line, place.at.column);
        rt_buffer_printf(&text, " %s: %.*s", words[message->severity], RT_TEXT_ARG(message->text));
        excerpt_append(&text, modules->scenario, message);
    }
    out->verdict = CNF_VERDICT_INVALID;
    out->signature = cnf_signature(modules->arena, RT_TEXT("compile"), RT_TEXT("source"),
                                   rt_text_of(rt_code_name(answer->code)), module->name);
    out->message = rt_arena_text(modules->arena, rt_buffer_text(&text));
    rt_buffer_free(&text);
}

/* Removes the location at the start of a post-link message, `NAME:LINE: `. Returns it in the
 * compilers' form, and in *out_line and *out_code the scenario's line and the place in another
 * file. If the message does not start with the location of a source, returns an empty text and the
 * module's line. */
static rt_text place_take(cnf_modules *modules, const scn_module *module, rt_text *inout_message,
                          uint32_t *out_line, cnf_code_place *out_code)
{
    cnf_compile_message at = {.severity = CNF_SEVERITY_ERROR};
    rt_text rest = *inout_message;
    at.source = rt_text_take_until(&rest, ':');
    uint64_t line;
    bool is_place = rt_number_take(&rest, 10, UINT32_MAX, &line) && line > 0 &&
                    rt_text_take_prefix(&rest, ": ");
    *out_line = module->at.line;
    *out_code = (cnf_code_place){0};
    if (!is_place || !source_find(modules->scenario, at.source)) return (rt_text){0};
    at.line = (uint32_t)line;
    message_place place = place_of(modules, module, &at);
    *inout_message = rest;
    *out_line = place.line;
    *out_code = code_place(place);
    return rt_arena_printf(modules->arena, "%.*s:%u:%u: ", RT_TEXT_ARG(place.file), place.at.line,
                           place.at.column);
}

/* Judges a module whose worker reported a failure or died. */
static void judge_failure(cnf_modules *modules, const scn_module *module, rt_text kind,
                          rt_text message, cnf_judgement *out)
{
    rt_text place = place_take(modules, module, &message, &out->line, &out->code);
    out->verdict = CNF_VERDICT_FAIL;
    out->signature =
        cnf_signature(modules->arena, RT_TEXT("compile"), RT_TEXT("status"), kind, module->name);
    out->message = rt_arena_printf(modules->arena, "%.*s%smodule %.*s has no images: %.*s",
                                   RT_TEXT_ARG(place), place.length ? "error: " : "",
                                   RT_TEXT_ARG(module->name), RT_TEXT_ARG(message));
}

/* The code that makes a compiler crash does so for every subject, so the scenario is INVALID, once,
 * at the line of the module's only source if there is only one. */
static void judge_crash(cnf_modules *modules, const scn_module *module, cnf_judgement *out)
{
    const bool is_one = module->source_count == 1 && module->hand_image_count == 0;
    const scn_position at = is_one ? module->sources[0].code_at : module->at;
    out->verdict = CNF_VERDICT_INVALID;
    out->line = at.line;
    out->message = rt_arena_printf(modules->arena, "%.*s:%u:%u: error: %.*s",
                                   RT_TEXT_ARG(modules->scenario->file), at.line, at.column,
                                   RT_TEXT_ARG(out->message));
}

/* A missing optional compiler skips the scenarios that need it. If a required compiler is missing,
 * no scenario can run, which is a failure of the machine. */
static void judge_unavailable(cnf_modules *modules, const cnf_compile_answer *answer,
                              cnf_judgement *out)
{
    out->message = rt_arena_text(modules->arena, answer->message);
    if (answer->name_count > 0) {
        out->verdict = CNF_VERDICT_SKIP;
        out->capability = rt_arena_text(modules->arena, answer->names[0]);
        out->answer = out->message; /* says what to install */
        return;
    }
    out->verdict = CNF_VERDICT_UNAVAILABLE;
    out->signature = cnf_signature(modules->arena, RT_TEXT("compile"), RT_TEXT("tool"),
                                   RT_TEXT("unavailable"), (rt_text){0});
}

/* A device that accepts only PTX cannot run code that has no form in PTX. The answer says which
 * code and where; this is not an error in the source. */
static void judge_formless(cnf_modules *modules, const scn_module *module,
                           const cnf_compile_answer *answer, cnf_judgement *out)
{
    rt_text text = answer->message;
    rt_text place = place_take(modules, module, &text, &out->line, &out->code);
    out->verdict = CNF_VERDICT_SKIP;
    out->capability = RT_TEXT(CNF_PTX_CAPABILITY);
    out->message =
        rt_arena_printf(modules->arena, "%.*s%.*s", RT_TEXT_ARG(place), RT_TEXT_ARG(text));
    out->answer = out->message;
}

/* Joins the device_globals declared by the scenario with those found in the code; the scenario
 * takes precedence. */
static rt_device_global_list globals_join(cnf_modules *modules, rt_device_global_list compiled,
                                          rt_device_global_list declared)
{
    rt_map ids = {0};
    uint32_t count = compiled.count;
    rt_device_global *joined =
        rt_arena_alloc_array(modules->arena, compiled.count + declared.count, sizeof *joined);
    for (uint32_t i = 0; i < compiled.count; i++) {
        joined[i] = compiled.globals[i];
        rt_map_set(&ids, joined[i].unique_id, i);
    }
    for (uint32_t i = 0; i < declared.count; i++) {
        uint32_t known = rt_map_find(&ids, declared.globals[i].unique_id);
        joined[known != RT_MAP_NONE ? known : count++] = declared.globals[i];
    }
    rt_map_free(&ids);
    return (rt_device_global_list){joined, count};
}

/* Reads an artefact, whose host halves must belong to SYCL sources of the module. */
static rt_status artefact_read(cnf_modules *modules, const scn_module *module, rt_bytes artefact,
                               cnf_compile_artefact *out)
{
    RT_TRY(cnf_compile_artefact_read(modules->sink, modules->arena, artefact, out));
    for (uint32_t i = 0; i < out->host_half_count; i++) {
        uint32_t source = out->host_halves[i].source;
        if (source < module->source_count && module->sources[source].language == SCN_LANGUAGE_SYCL)
            continue;
        return rt_fail(modules->sink, RT_MALFORMED, RT_RULE_NONE,
                       "damaged host halves: source %u is not a SYCL source", source);
    }
    return RT_STATUS_OK;
}

/* Reads the images of one module. Returns false with a judgement in *out if there are none. */
static bool module_finish(cnf_modules *modules, uint32_t index, scn_module *module,
                          cnf_judgement *out)
{
    const cnf_module_work *work = &modules->works[index];
    CHECK(work->answered);
    if (!has_code(module)) return true;
    if (work->failure.length > 0) {
        rt_text kind = rt_arena_printf(modules->arena, "tool.%.*s", RT_TEXT_ARG(work->failure));
        judge_failure(modules, module, kind, work->failure_message, out);
        /* A process that cannot be started is not a FAIL: the verdict is NOT_RUN. */
        if (rt_text_is(work->failure, "start")) out->verdict = CNF_VERDICT_NOT_RUN;
        if (work->has_crashed) judge_crash(modules, module, out);
        return false;
    }
    cnf_compile_answer answer;
    rt_bytes bytes = rt_buffer_bytes(&work->answer);
    cnf_compile_artefact compiled = {0};
    rt_status status = cnf_compile_answer_read(modules->sink, modules->arena, bytes, &answer);
    if (rt_ok(status)) {
        /* The code may lack a form in the device's format, unless the scenario requests the format;
         * and an answer may concern a missing or broken compiler instead of the module. */
        bool is_formless = answer.code == RT_UNSUPPORTED && modules->format == RT_FORMAT_PTX &&
                           module->formats == 0;
        bool is_tools = answer.code == RT_UNAVAILABLE || answer.code == RT_TOOL;
        rt_text kind = rt_text_of(rt_code_name(answer.code));
        if (is_formless)
            judge_formless(modules, module, &answer, out);
        else if (!is_tools && module->refusal.error)
            cnf_refusal_judge(modules->arena, module, &answer, out);
        else if (answer.code == RT_COMPILE_TIME)
            judge_invalid(modules, module, &answer, out);
        else if (answer.code == RT_UNAVAILABLE)
            judge_unavailable(modules, &answer, out);
        else if (answer.code != RT_OK)
            judge_failure(modules, module, kind, answer.message, out);
        else
            status = artefact_read(modules, module, answer.artefact, &compiled);
        if (answer.code != RT_OK || module->refusal.error) return false;
    }
    if (rt_ok(status)) {
        module->images = compiled.images;
        module->device_globals = globals_join(modules, compiled.globals, module->device_globals);
        module->host_halves = compiled.host_halves;
        module->host_half_count = compiled.host_half_count;
        return true;
    }
    judge_failure(modules, module, RT_TEXT("tool.answer"),
                  rt_sink_diagnostic(modules->sink, status)->message, out);
    return false;
}

/* Wrong sources take precedence over missing or broken compilers. */
enum { INVALID_WEIGHT = 4 };

static int judgement_weight(const cnf_judgement *judgement)
{
    switch (judgement->verdict) {
    case CNF_VERDICT_INVALID: return INVALID_WEIGHT;
    case CNF_VERDICT_UNAVAILABLE: return 3;
    case CNF_VERDICT_SKIP: return 2;
    case CNF_VERDICT_NOT_RUN:
    case CNF_VERDICT_FAIL: return 1;
    default: return 0;
    }
}

/* Resolves the names of SYCL kernels, specialisation constants and device_globals, and checks the
 * types of values, which requires the images. */
static bool names_resolve(cnf_modules *modules, scn_scenario *complete, cnf_judgement *out)
{
    scn_position at;
    rt_text problem, kind;
    if (!scn_sycl_kernels_resolve(modules->arena, complete, &at, &problem))
        kind = RT_TEXT("ambiguous-kernel");
    else if (!scn_constants_resolve(modules->arena, complete, &at, &problem))
        kind = RT_TEXT("ambiguous-constant");
    else if (!scn_variables_resolve(modules->arena, complete, &at, &problem))
        kind = RT_TEXT("device-global");
    else if (!cnf_value_types_check(modules->arena, complete, &at, &problem))
        kind = RT_TEXT("value-type");
    else
        return true;
    *out = (cnf_judgement){
        .step = SCN_NONE,
        .verdict = CNF_VERDICT_INVALID,
        .line = at.line,
        .signature = cnf_signature(modules->arena, RT_TEXT("compile"), RT_TEXT("source"), kind,
                                   (rt_text){0}),
        .message =
            rt_arena_printf(modules->arena, "%.*s:%u:%u: error: %.*s", RT_TEXT_ARG(complete->file),
                            at.line, at.column, RT_TEXT_ARG(problem)),
    };
    return false;
}

bool cnf_modules_finish(cnf_modules *modules, const scn_scenario **out_scenario,
                        cnf_judgement *out_judgement)
{
    CHECK(cnf_modules_complete(modules));
    *out_judgement = (cnf_judgement){.step = SCN_NONE};
    *out_scenario = NULL;
    uint32_t count = modules->scenario->module_count;
    scn_scenario *complete = rt_arena_alloc(modules->arena, sizeof *complete);
    scn_module *copies = rt_arena_alloc_array(modules->arena, count, sizeof *copies);
    *complete = *modules->scenario;
    memcpy(copies, complete->modules, count * sizeof *copies);
    complete->modules = copies;
    uint32_t refused_count = 0; /* refused as expected */
    for (uint32_t i = 0; i < count; i++) {
        cnf_judgement found = {.step = SCN_NONE};
        if (module_finish(modules, i, &copies[i], &found)) continue;
        int weight = judgement_weight(&found);
        CHECK((weight > 0) == (found.verdict != CNF_VERDICT_PASS));
        refused_count += weight == 0;
        if (weight == 0) continue;
        if (weight > judgement_weight(out_judgement)) {
            *out_judgement = found;
        } else if (weight == INVALID_WEIGHT) { /* shows the errors of all modules */
            out_judgement->message =
                rt_arena_printf(modules->arena, "%.*s\n%.*s", RT_TEXT_ARG(out_judgement->message),
                                RT_TEXT_ARG(found.message));
        }
    }
    if (judgement_weight(out_judgement) > 0) return false;
    if (refused_count > 0) {
        *out_judgement = (cnf_judgement){.verdict = CNF_VERDICT_PASS,
                                         .step = SCN_NONE,
                                         .expected = refused_count,
                                         .observed = refused_count};
        *out_scenario = complete;
        return false;
    }
    if (!names_resolve(modules, complete, out_judgement)) return false;
    *out_scenario = complete;
    return true;
}
