/* Records: lines of text, each written to the log with a single system call. */
#include "backends/opencl/layer/layer_internal.h"
#include "reference/base/hash.h"
#include "reference/base/number.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct {
    int descriptor;       /* -1 if nothing is recorded */
    bool owns_descriptor; /* the layer opened the descriptor */
    pthread_mutex_t lock;
    uint32_t calls, threads; /* so far */
    uint64_t written;        /* bytes so far */
    bool full;
    pid_t process; /* that wrote the first record; a fork's child writes its own */
} journal = {.descriptor = -1, .lock = PTHREAD_MUTEX_INITIALIZER};

/* Number of this thread, counted from 1; 0 if it has not recorded a call yet. */
static _Thread_local uint32_t thread_number;

bool layer_log_open(const char *value)
{
    CHECK_IMPLIES(journal.owns_descriptor, journal.descriptor >= 0);
    if (journal.owns_descriptor) close(journal.descriptor);
    journal.descriptor = -1;
    journal.owns_descriptor = false;
    journal.calls = 0;
    journal.written = 0;
    journal.full = false;
    journal.process = getpid();
    if (*value == '\0') return true;
    if (strspn(value, "0123456789") == strlen(value)) {
        errno = 0;
        uint64_t number;
        bool fits = rt_number_read(rt_text_of(value), 0, INT16_MAX, &number);
        int flags = fits ? fcntl((int)number, F_GETFL) : -1;
        if (flags >= 0 && (flags & O_ACCMODE) != O_RDONLY) journal.descriptor = (int)number;
        /* A program started by this one may use the number for another file. */
        if (journal.descriptor >= 0) (void)fcntl(journal.descriptor, F_SETFD, FD_CLOEXEC);
    } else {
        journal.descriptor = open(value, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
        journal.owns_descriptor = journal.descriptor >= 0;
    }
    if (journal.descriptor >= 0) return true;
    fprintf(stderr,
            "assay: the OpenCL layer cannot write to '%s' (%s): %s; give the path of a file or the "
            "number of a descriptor that is open for writing\n",
            value, OCL_LAYER_LOG, errno ? strerror(errno) : "it is not open for writing");
    return false;
}

void layer_log_restart(void)
{
    pthread_mutex_lock(&journal.lock);
    journal.calls = 0;
    journal.written = 0;
    journal.full = false;
    pthread_mutex_unlock(&journal.lock);
}

/* ---- Fields --------------------------------------------------------------------------------- */

/* Begins a field.  False if nothing is recorded. */
static bool field_begin(layer_record *record, const char *key)
{
    if (record->off) return false;
    CHECK(*key != '\0' && record->text.size > 0);
    rt_buffer_printf(&record->text, " %s=", key);
    return true;
}

layer_record layer_record_begin(const char *name)
{
    layer_record record = {.off = journal.descriptor < 0};
    if (record.off) return record;
    pthread_mutex_lock(&journal.lock);
    record.call = journal.calls++;
    if (thread_number == 0) thread_number = ++journal.threads;
    CHECK(thread_number >= 1 && thread_number <= journal.threads);
    pthread_mutex_unlock(&journal.lock);
    rt_buffer_printf(&record.text, "%s", name);
    return record;
}

layer_record layer_begin_on(const char *name, layer_kind kind, const void *object)
{
    static const char *const keys[LAYER_KIND_COUNT] = {
        [LAYER_DEVICE] = "device",   [LAYER_CONTEXT] = "context", [LAYER_QUEUE] = "queue",
        [LAYER_MEMORY] = "memory",   [LAYER_PROGRAM] = "program", [LAYER_KERNEL] = "kernel",
        [LAYER_BLOCK] = "block",     [LAYER_EVENT] = "event",     [LAYER_IMAGE] = "image",
        [LAYER_SAMPLER] = "sampler",
    };
    CHECK(kind < LAYER_KIND_COUNT);
    layer_record record = layer_record_begin(name);
    layer_put_object(&record, keys[kind], kind, object);
    return record;
}

layer_record layer_command_begin(const char *name, cl_command_queue queue, cl_uint wait_count,
                                 const cl_event *wait)
{
    layer_record record = layer_begin_on(name, LAYER_QUEUE, queue);
    layer_put_number(&record, "waits_for", wait_count);
    if (layer_captures() && wait_count > 0)
        layer_put_objects(&record, "wait", LAYER_EVENT, (const void *const *)wait, wait_count);
    return record;
}

cl_int layer_command_end(layer_record *record, cl_int result, const cl_event *out_event)
{
    if (layer_captures() && result == CL_SUCCESS && out_event) {
        layer_object_add(LAYER_EVENT, *out_event);
        layer_put_object(record, "event", LAYER_EVENT, *out_event);
    }
    return layer_record_end(record, result);
}

void layer_put_number(layer_record *record, const char *key, uint64_t number)
{
    if (!field_begin(record, key)) return;
    rt_buffer_printf(&record->text, "%" PRIu64, number);
}

void layer_put_text(layer_record *record, const char *key, const char *text)
{
    if (!field_begin(record, key)) return;
    if (!text) rt_buffer_append_byte(&record->text, '-');
    /* Escapes the text, so that a reader can split the line at spaces. */
    bool hyphen = text && strcmp(text, "-") == 0;
    for (const char *at = text; at && *at != '\0'; at++) {
        bool plain = *at > ' ' && *at <= '~' && *at != '%' && *at != ',' && !hyphen;
        if (plain)
            rt_buffer_append_byte(&record->text, *at);
        else
            rt_buffer_printf(&record->text, "%%%02x", (unsigned char)*at);
    }
}

void layer_put_hexadecimal(layer_record *record, const char *key, const void *data, size_t size)
{
    if (!field_begin(record, key)) return;
    if (data && size > 0)
        rt_buffer_append_hex(&record->text, (rt_bytes){data, size});
    else
        rt_buffer_append_byte(&record->text, '-');
}

void layer_put_object(layer_record *record, const char *key, layer_kind kind, const void *object)
{
    layer_put_objects(record, key, kind, &object, 1);
}

void layer_put_objects(layer_record *record, const char *key, layer_kind kind,
                       const void *const *objects, size_t count)
{
    if (!field_begin(record, key)) return;
    if (!objects || count == 0) rt_buffer_append_byte(&record->text, '-');
    for (size_t i = 0; objects && i < count; i++) {
        if (i > 0) rt_buffer_append_byte(&record->text, ',');
        uint32_t number = layer_object_number(kind, objects[i]);
        if (number == LAYER_UNKNOWN)
            rt_buffer_append_byte(&record->text, objects[i] ? '?' : '-');
        else
            rt_buffer_printf(&record->text, "%" PRIu32, number);
    }
}

void layer_put_pointer(layer_record *record, const char *key, const void *pointer)
{
    if (!field_begin(record, key)) return;
    uint32_t number;
    size_t offset;
    if (!pointer)
        rt_buffer_append_byte(&record->text, '-');
    else if (layer_block_find(pointer, &number, &offset))
        rt_buffer_printf(&record->text, "%" PRIu32 "+%zu", number, offset);
    else
        rt_buffer_printf(&record->text, "host");
}

void layer_put_sizes(layer_record *record, const char *key, const size_t *sizes, size_t count)
{
    if (!field_begin(record, key)) return;
    if (!sizes || count == 0) rt_buffer_append_byte(&record->text, '-');
    for (size_t i = 0; sizes && i < count; i++)
        rt_buffer_printf(&record->text, "%s%zu", i > 0 ? "," : "", sizes[i]);
}

void layer_put_code(layer_record *record, const char *key, const void *code, size_t size)
{
    if (!field_begin(record, key)) return;
    if (code) layer_capture_code(code, size);
    if (code)
        rt_buffer_printf(&record->text, "%s:%zu", rt_hash_print(rt_hash128(code, size)).digits,
                         size);
    else
        rt_buffer_append_byte(&record->text, '-');
}

void layer_put_items(layer_record *record, const char *key, const rt_buffer *items)
{
    if (!field_begin(record, key)) return;
    if (items->size > 0)
        rt_buffer_append_text(&record->text, rt_buffer_text(items));
    else
        rt_buffer_append_byte(&record->text, '-');
}

/* ---- Writing -------------------------------------------------------------------------------- */

/* Writes a whole line.  If the write fails, the log is abandoned, since the program must go on. */
static void line_write(const char *line, size_t size)
{
    ssize_t done;
    do {
        done = write(journal.descriptor, line, size);
    } while (done < 0 && errno == EINTR);
    journal.written += size;
    if (done != (ssize_t)size) journal.full = true;
}

static void record_write(const layer_record *record, char mark)
{
    CHECK(mark == '<' || mark == '>');
    CHECK(thread_number >= 1);
    rt_buffer line = {0};
    rt_buffer_printf(&line, "%ld %" PRIu32 " %" PRIu32 " %c ", (long)getpid(), record->call,
                     thread_number - 1, mark);
    rt_buffer_append_text(&line, rt_buffer_text(&record->text));
    rt_buffer_append_byte(&line, '\n');
    pthread_mutex_lock(&journal.lock);
    if (journal.process != getpid()) {
        /* Created by fork: a reader knows a process by the layer's record. */
        rt_buffer first = {0};
        rt_buffer_printf(&first, "%ld %" PRIu32 " %" PRIu32 " < layer version=%d result=0\n",
                         (long)getpid(), journal.calls++, thread_number - 1, OCL_LAYER_VERSION);
        line_write(rt_buffer_string(&first), first.size);
        journal.process = getpid();
        rt_buffer_free(&first);
    }
    if (!journal.full && journal.written + line.size > OCL_LAYER_LOG_MAX) {
        rt_buffer last = {0};
        rt_buffer_printf(&last, "%ld %" PRIu32 " %" PRIu32 " < full\n", (long)getpid(),
                         journal.calls++, thread_number - 1);
        line_write(rt_buffer_string(&last), last.size);
        journal.full = true;
        rt_buffer_free(&last);
    }
    if (!journal.full) line_write(rt_buffer_string(&line), line.size);
    pthread_mutex_unlock(&journal.lock);
    rt_buffer_free(&line);
}

void layer_record_announce(const layer_record *record)
{
    if (!record->off) record_write(record, '>');
}

cl_int layer_record_end(layer_record *record, cl_int result)
{
    if (record->off) return result;
    rt_buffer_printf(&record->text, " result=%" PRId32, result);
    record_write(record, '<');
    rt_buffer_free(&record->text);
    return result;
}

void *layer_record_end_create(layer_record *record, layer_kind kind, void *object, cl_int result,
                              cl_int *out_result)
{
    /* Numbered even if the call is not recorded, so that numbers do not depend on the log. */
    layer_object_add(kind, object);
    layer_put_object(record, "made", kind, object);
    layer_record_end(record, result);
    if (out_result) *out_result = result;
    return object;
}
