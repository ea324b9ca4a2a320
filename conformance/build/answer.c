/* The serialised form of answers. Little-endian (base/stream.h):
 *
 *     tag version code message  names  messages  artefact
 *     message: source line column severity text
 *
 * and of a module's artefact:
 *
 *     images  device_globals  count (source header footer device_globals)*
 *
 * Answers come from a process that may have died and from files that may be damaged, so every
 * length is checked. */
#include "conformance/build/answer.h"

#include "reference/base/stream.h"

enum { ANSWER_TAG = 0x4E414341, ANSWER_VERSION = 1 }; /* "ACAN" */

/* Smallest serialised size of an item, in bytes. */
enum { NAME_SIZE_MIN = 8, MESSAGE_SIZE_MIN = 25, HALF_SIZE_MIN = 24 };

void cnf_answer_write(rt_buffer *out, const cnf_compile_answer *answer)
{
    CHECK((unsigned)answer->code < RT_CODE_COUNT);
    CHECK((answer->code == RT_OK) == (answer->artefact.size > 0));
    rt_write_u32(out, ANSWER_TAG);
    rt_write_u32(out, ANSWER_VERSION);
    rt_write_u32(out, answer->code);
    rt_write_text(out, answer->message);
    rt_write_u32(out, answer->name_count);
    for (uint32_t i = 0; i < answer->name_count; i++)
        rt_write_text(out, answer->names[i]);
    rt_write_u32(out, answer->message_count);
    for (uint32_t i = 0; i < answer->message_count; i++) {
        const cnf_compile_message *message = &answer->messages[i];
        rt_write_text(out, message->source);
        rt_write_u32(out, message->line);
        rt_write_u32(out, message->column);
        rt_write_u8(out, (uint8_t)message->severity);
        rt_write_text(out, message->text);
    }
    rt_write_bytes(out, answer->artefact);
}

void cnf_compile_answer_write_failure(rt_buffer *out, rt_code code, rt_text message)
{
    CHECK(code != RT_OK);
    cnf_answer_write(out, &(cnf_compile_answer){.code = code, .message = message});
}

rt_status cnf_compile_answer_read(rt_sink *sink, rt_arena *arena, rt_bytes bytes,
                                  cnf_compile_answer *out_answer)
{
    *out_answer = (cnf_compile_answer){0};
    rt_reader reader = rt_reader_of(bytes);
    if (rt_read_u32(&reader) != ANSWER_TAG) rt_reader_fail(&reader);
    if (rt_read_u32(&reader) != ANSWER_VERSION) rt_reader_fail(&reader);
    cnf_compile_answer answer = {0};
    answer.code = (rt_code)rt_read_below(&reader, RT_CODE_COUNT);
    answer.message = rt_read_text(&reader);
    answer.name_count = rt_read_count(&reader, NAME_SIZE_MIN);
    rt_text *names = rt_arena_alloc_array(arena, answer.name_count, sizeof *names);
    for (uint32_t i = 0; i < answer.name_count; i++)
        names[i] = rt_read_text(&reader);
    answer.names = names;
    answer.message_count = rt_read_count(&reader, MESSAGE_SIZE_MIN);
    cnf_compile_message *messages =
        rt_arena_alloc_array(arena, answer.message_count, sizeof *messages);
    for (uint32_t i = 0; i < answer.message_count; i++) {
        messages[i].source = rt_read_text(&reader);
        messages[i].line = rt_read_u32(&reader);
        messages[i].column = rt_read_u32(&reader);
        uint8_t severity = rt_read_u8(&reader);
        if (severity >= CNF_SEVERITIES) rt_reader_fail(&reader);
        messages[i].severity = reader.failed ? CNF_SEVERITY_WARNING : (cnf_severity)severity;
        messages[i].text = rt_read_text(&reader);
    }
    answer.messages = messages;
    answer.artefact = rt_read_bytes(&reader);
    if ((answer.code == RT_OK) != (answer.artefact.size > 0)) rt_reader_fail(&reader);
    if (!rt_reader_finished(&reader)) {
        return rt_fail(
            sink, RT_MALFORMED, RT_RULE_NONE,
            "the compiler worker's answer is truncated or damaged: fault at byte %zu of %zu",
            reader.fault, bytes.size);
    }
    *out_answer = answer;
    return RT_STATUS_OK;
}

/* ---- Artefacts ----------------------------------------------------------------------------- */

void cnf_artefact_write(rt_buffer *out, const cnf_compile_artefact *artefact)
{
    rt_image_list_write(out, artefact->images);
    rt_device_global_list_write(out, artefact->globals);
    rt_write_u32(out, artefact->host_half_count);
    for (uint32_t i = 0; i < artefact->host_half_count; i++) {
        const scn_host_half *half = &artefact->host_halves[i];
        rt_write_u32(out, half->source);
        rt_write_text(out, half->header);
        rt_write_text(out, half->footer);
        rt_device_global_list_write(out, half->globals);
    }
}

rt_status cnf_compile_artefact_read(rt_sink *sink, rt_arena *arena, rt_bytes bytes,
                                    cnf_compile_artefact *out_artefact)
{
    *out_artefact = (cnf_compile_artefact){0};
    cnf_compile_artefact artefact = {0};
    rt_reader reader = rt_reader_of(bytes);
    RT_TRY(rt_image_list_read(sink, arena, &reader, &artefact.images));
    artefact.globals = rt_device_global_list_read(arena, &reader);
    artefact.host_half_count = rt_read_count(&reader, HALF_SIZE_MIN);
    scn_host_half *halves = rt_arena_alloc_array(arena, artefact.host_half_count, sizeof *halves);
    for (uint32_t i = 0; i < artefact.host_half_count; i++) {
        halves[i].source = rt_read_u32(&reader);
        halves[i].header = rt_read_text(&reader);
        halves[i].footer = rt_read_text(&reader);
        halves[i].globals = rt_device_global_list_read(arena, &reader);
    }
    artefact.host_halves = halves;
    if (!rt_reader_finished(&reader)) {
        return rt_fail(sink, RT_MALFORMED, RT_RULE_NONE,
                       "damaged list of device_globals or host halves: fault at byte %zu of %zu",
                       reader.failed ? reader.fault : reader.position, bytes.size);
    }
    *out_artefact = artefact;
    return RT_STATUS_OK;
}

_Static_assert(RT_CODE_COUNT <= 64, "one bit per code");

rt_status cnf_answer_take(rt_sink *sink, const cnf_compile_answer *answer, uint64_t codes,
                          rt_buffer *out_artefact)
{
    static const uint64_t common =
        CNF_CODE(MALFORMED) | CNF_CODE(LIMIT) | CNF_CODE(IO) | CNF_CODE(UNAVAILABLE);
    if (answer->code == RT_OK) {
        rt_buffer_append(out_artefact, answer->artefact.data, answer->artefact.size);
        return RT_STATUS_OK;
    }
    rt_code code = (common | codes) >> answer->code & 1 ? answer->code : RT_TOOL;
    return rt_fail_naming(sink, code, RT_RULE_NONE, answer->names, answer->name_count, "%.*s",
                          RT_TEXT_ARG(answer->message));
}
