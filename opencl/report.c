/* Reports findings.  Called on any thread, with the device's lock or ours held, so it calls
 * neither; its own lock is the last one to be taken. */
#include "opencl/report.h"

#include "conformance/json/json.h"
#include "opencl/suppress.h"
#include "reference/base/demangle.h"
#include "reference/base/descriptors.h"
#include "reference/base/hash.h"
#include "reference/base/number.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    COMMANDS = 1 << 16, /* calls that are remembered; findings about older commands name none */
    REPEATS_MAX = 3,    /* findings that are printed for one place in a kernel */
};

typedef struct noted_command {
    icd_call call;
    uint32_t tag, queue;
} noted_command;

typedef struct noted_buffer {
    icd_call call;
    uint64_t size;
} noted_buffer;

typedef struct noted_source {
    icd_source_name name;
    char *text;
    uint32_t references;
} noted_source;

typedef struct seen_place {
    uint64_t hash;
    uint32_t count;
} seen_place;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static noted_command commands[COMMANDS];
static uint32_t command_count;
static RT_VECTOR(noted_buffer) buffers;
static RT_VECTOR(noted_source) sources;
static RT_VECTOR(seen_place) places;

/* True if the address is in the loader's library, through which some loaders' calls pass. */
static bool is_in_loader(const void *address)
{
    Dl_info info;
    if (!address || !dladdr(address, &info) || !info.dli_fname) return false;
    const char *slash = strrchr(info.dli_fname, '/');
    return strncmp(slash ? slash + 1 : info.dli_fname, "libOpenCL", strlen("libOpenCL")) == 0;
}

/* The call as the program made it: from the first frame that called into the loader. */
static icd_call call_of_program(icd_call call)
{
    enum { FRAMES = 16 };
    if (!is_in_loader(call.caller)) return call;
    void *frames[FRAMES];
    int count = backtrace(frames, FRAMES), i = 0;
    while (i < count && frames[i] != call.caller)
        i++;
    while (i < count && is_in_loader(frames[i]))
        i++;
    return i < count ? (icd_call){call.function, frames[i]} : call;
}

/* ---- What is known about a command -------------------------------------------------------- */

uint32_t icd_report_command(icd_call call, uint32_t queue)
{
    call = call_of_program(call);
    pthread_mutex_lock(&lock);
    uint32_t tag = ++command_count;
    commands[tag % COMMANDS] = (noted_command){call, tag, queue};
    pthread_mutex_unlock(&lock);
    return tag;
}

void icd_report_buffer(uint32_t number, uint64_t size, icd_call call)
{
    call = call_of_program(call);
    pthread_mutex_lock(&lock);
    while (buffers.count <= number)
        *rt_vector_push(&buffers) = (noted_buffer){{0}, 0};
    buffers.items[number] = (noted_buffer){call, size};
    pthread_mutex_unlock(&lock);
}

icd_source_name icd_report_source_name(rt_text source)
{
    icd_source_name name;
    uint64_t hash = rt_hash64(source.data, source.length);
    snprintf(name.text, sizeof name.text, "program-%08x.cl", (uint32_t)(hash ^ hash >> 32));
    return name;
}

/* The kept source with that name; NULL: there is none. */
static noted_source *source_find(rt_text name)
{
    for (uint32_t i = 0; i < sources.count; i++)
        if (rt_text_is(name, sources.items[i].name.text)) return &sources.items[i];
    return NULL;
}

void icd_report_source(rt_text source)
{
    icd_source_name name = icd_report_source_name(source);
    pthread_mutex_lock(&lock);
    noted_source *found = source_find(rt_text_of(name.text));
    if (!found) {
        char *text = rt_alloc(source.length + 1);
        if (source.length > 0) memcpy(text, source.data, source.length);
        found = rt_vector_push(&sources);
        *found = (noted_source){name, text, 0};
    }
    found->references++;
    pthread_mutex_unlock(&lock);
}

void icd_report_source_forget(rt_text source)
{
    icd_source_name name = icd_report_source_name(source);
    pthread_mutex_lock(&lock);
    noted_source *found = source_find(rt_text_of(name.text));
    CHECK(found && found->references >= 1);
    if (--found->references == 0) {
        rt_free(found->text);
        *found = sources.items[--sources.count];
    }
    pthread_mutex_unlock(&lock);
}

/* ---- Text --------------------------------------------------------------------------------- */

/* The name of the program or library that made the call, without its folder, and the offset to
 * which the call returns; NULL: unknown. */
static const char *call_file(icd_call call, size_t *out_offset)
{
    Dl_info info;
    if (!call.caller || !dladdr(call.caller, &info) || !info.dli_fname) return NULL;
    const char *slash = strrchr(info.dli_fname, '/');
    *out_offset = (size_t)((const char *)call.caller - (const char *)info.dli_fbase);
    return slash ? slash + 1 : info.dli_fname;
}

void icd_report_address(rt_buffer *out, const void *address)
{
    size_t offset;
    const char *file = call_file((icd_call){NULL, address}, &offset);
    if (file) rt_buffer_printf(out, " at %s+0x%zx", file, offset);
}

/* Appends the call, and where it returns to. */
static void call_append(rt_buffer *out, icd_call call)
{
    rt_buffer_printf(out, "%s", call.function);
    icd_report_address(out, call.caller);
}

/* A line of a program's source; empty if the source is not kept. */
static rt_text line_find(rt_text source, uint32_t line)
{
    const noted_source *found = line > 0 ? source_find(source) : NULL;
    if (!found) return (rt_text){0};
    rt_text rest = rt_text_of(found->text);
    for (uint32_t k = 1; k < line; k++)
        rt_text_take_until(&rest, '\n');
    return rt_text_take_until(&rest, '\n');
}

static void line_append(rt_buffer *out, rt_text source, uint32_t line)
{
    rt_text quoted = line_find(source, line);
    if (quoted.data) rt_buffer_printf(out, "  %5u | %.*s\n", line, RT_TEXT_ARG(quoted));
}

static void text_print(const rt_buffer *text)
{
    (void)rt_write_all(STDERR_FILENO, rt_buffer_bytes(text));
}

/* Appends one line to the report file; each line is one write, so that processes can share it. */
static void json_print(json_t *value)
{
    rt_buffer line = {0};
    cnf_json_write(&line, value, JSON_COMPACT);
    rt_buffer_append_byte(&line, '\n');
    const char *path = getenv(ICD_VARIABLE_REPORT);
    int file = path ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666) : -1;
    if (file >= 0) {
        (void)rt_write_all(file, rt_buffer_bytes(&line));
        close(file);
    }
    rt_buffer_free(&line);
}

/* ---- Findings of the device --------------------------------------------------------------- */

/* The number of findings at the same place so far, this one included. */
static uint32_t place_count(const dev_finding *finding)
{
    rt_buffer key = {0};
    rt_buffer_printf(&key, "%s %.*s %.*s %u %u", finding->kind, RT_TEXT_ARG(finding->kernel),
                     RT_TEXT_ARG(finding->source), finding->source_line, finding->source_column);
    uint64_t hash = rt_hash64(key.data, key.size);
    rt_buffer_free(&key);
    uint32_t i = 0;
    while (i < places.count && places.items[i].hash != hash)
        i++;
    if (i == places.count) *rt_vector_push(&places) = (seen_place){hash, 0};
    return ++places.items[i].count;
}

static const noted_command *command_of(uint32_t tag)
{
    const noted_command *command = &commands[tag % COMMANDS];
    return tag != 0 && command->tag == tag ? command : NULL;
}

/* The buffer that a label names; NULL: another object. */
static const noted_buffer *buffer_of(rt_text label)
{
    uint64_t number;
    if (!rt_text_take_prefix(&label, "buffer ") ||
        !rt_number_take(&label, 10, UINT32_MAX, &number) || number >= buffers.count)
        return NULL;
    return buffers.items[number].call.function ? &buffers.items[number] : NULL;
}

static void finding_text(rt_buffer *out, const dev_finding *finding)
{
    rt_arena arena = {0};
    rt_text message = rt_demangle_text(&arena, finding->message);
    rt_buffer_printf(out, "assay: %s: %.*s", finding->kind, RT_TEXT_ARG(message));
    if (finding->count > 1)
        rt_buffer_printf(out, "; %llu times in this launch", (unsigned long long)finding->count);
    rt_buffer_append_byte(out, '\n');
    rt_text kernel = rt_demangle_text(&arena, finding->kernel);
    if (kernel.length > 0) rt_buffer_printf(out, "        in kernel '%.*s'", RT_TEXT_ARG(kernel));
    rt_arena_reset(&arena);
    if (finding->kernel.length > 0 && finding->source_line > 0)
        rt_buffer_printf(out, " at %.*s:%u:%u", RT_TEXT_ARG(finding->source), finding->source_line,
                         finding->source_column);
    if (finding->kernel.length > 0) rt_buffer_append_byte(out, '\n');
    line_append(out, finding->source, finding->source_line);
    if (finding->other_line > 0) {
        rt_buffer_printf(out, "        the other access is at %.*s:%u\n",
                         RT_TEXT_ARG(finding->other_source), finding->other_line);
        line_append(out, finding->other_source, finding->other_line);
    }
    const noted_command *command = command_of(finding->tag);
    if (command) {
        rt_buffer_printf(out, "        enqueued by ");
        call_append(out, command->call);
        rt_buffer_printf(out, ", queue %u\n", command->queue);
    }
    const noted_command *other = finding->has_other ? command_of(finding->other_tag) : NULL;
    if (other) {
        rt_buffer_printf(out, "        the other command enqueued by ");
        call_append(out, other->call);
        rt_buffer_printf(out,
                         ", queue %u; add its event to the later call's wait list, or wait for "
                         "it before that call\n",
                         other->queue);
    }
    const noted_buffer *buffer = buffer_of(finding->object);
    if (buffer) {
        rt_buffer_printf(out, "        %.*s (%llu bytes) created by ", RT_TEXT_ARG(finding->object),
                         (unsigned long long)buffer->size);
        call_append(out, buffer->call);
        rt_buffer_append_byte(out, '\n');
    }
}

static json_t *call_json(icd_call call)
{
    rt_buffer text = {0};
    call_append(&text, call);
    json_t *value = cnf_json_text(rt_buffer_text(&text));
    rt_buffer_free(&text);
    return value;
}

/* Adds the entry that suppresses a finding; NULL: none. */
static void suppression_set(json_t *value, const icd_suppression *by)
{
    if (!by) return;
    cnf_json_set(value, "suppressed_by", cnf_json_text(rt_text_of(by->entry)));
    cnf_json_set(value, "reason", cnf_json_text(rt_text_of(by->reason)));
}

static json_t *finding_json(const dev_finding *finding)
{
    json_t *value = cnf_json_checked(json_object()), *item = cnf_json_checked(json_array());
    cnf_json_set(value, "finding", cnf_json_text(rt_text_of(finding->kind)));
    cnf_json_set(value, "message", cnf_json_text(finding->message));
    cnf_json_set(value, "kernel", cnf_json_text(finding->kernel));
    cnf_json_set(value, "source", cnf_json_text(finding->source));
    cnf_json_set(value, "line", cnf_json_checked(json_integer(finding->source_line)));
    cnf_json_set(value, "column", cnf_json_checked(json_integer(finding->source_column)));
    rt_text quoted = line_find(finding->source, finding->source_line);
    if (quoted.length > 0) cnf_json_set(value, "text", cnf_json_text(quoted));
    for (uint32_t i = 0; i < RT_ND_RANGE_DIMENSIONS; i++)
        cnf_json_append(item, cnf_json_checked(json_integer((json_int_t)finding->work_item[i])));
    cnf_json_set(value, "work_item", item);
    cnf_json_set(value, "object", cnf_json_text(finding->object));
    cnf_json_set(value, "offset", cnf_json_checked(json_integer((json_int_t)finding->offset)));
    cnf_json_set(value, "count", cnf_json_checked(json_integer((json_int_t)finding->count)));
    const noted_command *command = command_of(finding->tag);
    if (command) cnf_json_set(value, "call", call_json(command->call));
    const noted_command *other = finding->has_other ? command_of(finding->other_tag) : NULL;
    if (other) cnf_json_set(value, "other_call", call_json(other->call));
    return value;
}

void icd_report_finding(void *user, const dev_finding *finding)
{
    (void)user;
    pthread_mutex_lock(&lock);
    size_t offset;
    const noted_command *command = command_of(finding->tag);
    const icd_suppression *by =
        icd_suppression_find(finding->kind, finding->kernel, finding->source,
                             command ? call_file(command->call, &offset) : NULL);
    uint32_t count = by ? 0 : place_count(finding);
    if (!by && count <= REPEATS_MAX) {
        rt_buffer text = {0};
        finding_text(&text, finding);
        if (count == REPEATS_MAX)
            rt_buffer_printf(&text, "        further findings at this place are not printed\n");
        text_print(&text);
        rt_buffer_free(&text);
    }
    json_t *value = finding_json(finding);
    suppression_set(value, by);
    json_print(value);
    pthread_mutex_unlock(&lock);
}

/* ---- Uses of the API ---------------------------------------------------------------------- */

void icd_report_misuse(icd_call call, const char *kind, rt_text kernel, const char *format, ...)
{
    va_list arguments;
    size_t offset;
    rt_buffer message = {0}, text = {0};
    call = call_of_program(call);
    va_start(arguments, format);
    rt_buffer_vprintf(&message, format, arguments);
    va_end(arguments);
    pthread_mutex_lock(&lock);
    const icd_suppression *by =
        icd_suppression_find(kind, kernel, (rt_text){0}, call_file(call, &offset));
    rt_buffer_printf(&text, "assay: %s: %s\n        in ", kind, rt_buffer_string(&message));
    call_append(&text, call);
    rt_buffer_append_byte(&text, '\n');
    if (!by) text_print(&text);
    json_t *value = cnf_json_checked(json_object());
    cnf_json_set(value, "finding", cnf_json_text(rt_text_of(kind)));
    cnf_json_set(value, "message", cnf_json_text(rt_buffer_text(&message)));
    if (kernel.length > 0) cnf_json_set(value, "kernel", cnf_json_text(kernel));
    cnf_json_set(value, "call", call_json(call));
    suppression_set(value, by);
    json_print(value);
    pthread_mutex_unlock(&lock);
    rt_buffer_free(&message);
    rt_buffer_free(&text);
}

void icd_report_refusal(icd_call call, cl_int code, rt_text reason)
{
    const char *quiet = getenv(ICD_VARIABLE_QUIET);
    if (quiet && strcmp(quiet, "1") == 0) return;
    rt_buffer text = {0};
    rt_buffer_printf(&text, "assay: %s returns %s: %.*s\n", call.function, icd_code_name(code),
                     RT_TEXT_ARG(reason));
    text_print(&text);
    rt_buffer_free(&text);
}
