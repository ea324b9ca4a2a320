/* Serves the channels and answers the requests about modules; see serve.h.
 *
 * Symbols are looked up in a forked copy of the program: dlsym(3) records that the calling module
 * depends on the defining one, which would keep the latter loaded longer than the scenario's
 * modules do (glibc, elf/dl-lookup.c, add_dependency). */
#include "conformance/host/program/serve.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define EXPORTED __attribute__((visibility("default")))

enum { CHANNELS_MAX = 1024 };

/* ---- What constructors and destructors did ------------------------------------------------- */

/* Written by the thread that loads or unloads, read by the thread that answers. */
static pthread_mutex_t events_lock = PTHREAD_MUTEX_INITIALIZER;
static host_writer events;
static uint32_t events_count;

static void event_note(host_event kind, const char *path, uint64_t descriptor)
{
    pthread_mutex_lock(&events_lock);
    host_write_u8(&events, (uint8_t)kind);
    host_write_text(&events, path);
    host_write_u64(&events, descriptor);
    events_count++;
    pthread_mutex_unlock(&events_lock);
}

/* The loaded modules, newest first. */
typedef struct loaded_module {
    struct loaded_module *next;
    const char *path; /* stored in the module */
    host_binds *binds;
} loaded_module;

static loaded_module *loaded; /* guarded by events_lock */

/* The base address of the module that contains an address; NULL: no module does. */
static const void *module_base(const void *address)
{
    Dl_info info;
    return dladdr(address, &info) ? info.dli_fbase : NULL;
}

/* The path of the scenario's module that contains an address; "": no module does. */
static const char *path_at(const void *address)
{
    const void *base = address ? module_base(address) : NULL;
    const char *path = "";
    pthread_mutex_lock(&events_lock);
    for (const loaded_module *module = loaded; module && base; module = module->next) {
        if (module_base(module->path) == base) path = module->path;
    }
    pthread_mutex_unlock(&events_lock);
    return path;
}

void host_event_note(host_event kind, const void *descriptor)
{
    event_note(kind, path_at(descriptor), (uint64_t)(uintptr_t)descriptor);
}

EXPORTED void assay_module_constructed(const char *path, host_binds *binds)
{
    loaded_module *module = (loaded_module *)malloc(sizeof *module);
    if (!module) abort();
    module->path = path;
    module->binds = binds;
    pthread_mutex_lock(&events_lock);
    module->next = loaded;
    loaded = module;
    pthread_mutex_unlock(&events_lock);
    event_note(HOST_EVENT_LOADED, path, 0);
}

EXPORTED void assay_module_destroyed(const char *path)
{
    pthread_mutex_lock(&events_lock);
    loaded_module **at = &loaded;
    while (*at && strcmp((*at)->path, path) != 0)
        at = &(*at)->next;
    loaded_module *removed = *at;
    if (removed) *at = removed->next;
    pthread_mutex_unlock(&events_lock);
    free(removed);
    event_note(HOST_EVENT_UNLOADED, path, 0);
}

/* Appends the events that occurred since the last answer that had events. */
static void events_take(host_writer *out)
{
    pthread_mutex_lock(&events_lock);
    host_write_u32(out, events_count);
    for (size_t i = 0; i < events.size; i++)
        host_write_u8(out, events.data[i]);
    events.size = 0;
    events_count = 0;
    pthread_mutex_unlock(&events_lock);
}

/* ---- Opening and closing ------------------------------------------------------------------- */

/* Handles returned by dlopen, newest first. */
typedef struct opening {
    struct opening *next;
    void *handle;
    char path[];
} opening;

static pthread_mutex_t openings_lock = PTHREAD_MUTEX_INITIALIZER;
static opening *openings;

static void answer_open(host_span path, host_writer *out)
{
    opening *opened = (opening *)malloc(sizeof *opened + path.size + 1);
    if (!opened) abort();
    memcpy(opened->path, path.data, path.size);
    opened->path[path.size] = '\0';
    opened->handle = dlopen(path.size > 0 ? opened->path : NULL, RTLD_NOW | RTLD_LOCAL);
    if (!opened->handle) {
        host_refuse(out, "tool", dlerror());
        free(opened);
        return;
    }
    pthread_mutex_lock(&openings_lock);
    opened->next = openings;
    openings = opened;
    pthread_mutex_unlock(&openings_lock);
    events_take(out);
}

/* Closes the handle that the most recent dlopen of the path returned. */
static void answer_close(host_span path, host_writer *out)
{
    pthread_mutex_lock(&openings_lock);
    opening **at = &openings;
    while (*at &&
           (strlen((*at)->path) != path.size || memcmp((*at)->path, path.data, path.size) != 0))
        at = &(*at)->next;
    opening *closed = *at;
    if (closed) *at = closed->next;
    pthread_mutex_unlock(&openings_lock);
    if (!closed)
        host_refuse(out, "errc::invalid", "the module is not open");
    else if (dlclose(closed->handle) == 0)
        events_take(out);
    else
        host_refuse(out, "tool", dlerror());
    free(closed);
}

/* ---- Symbols ------------------------------------------------------------------------------- */

/* Forks a copy of the program, which sends the path of the module that the symbol binds to, or
 * nothing if that is not a module of the scenario. False: the copy did not end cleanly. */
static bool binds_query(host_binds *binds, const char *symbol, host_writer *out_path)
{
    int ends[2];
    if (pipe(ends) != 0) return false;
    pid_t fork_id = fork();
    if (fork_id == 0) {
        const char *path = path_at(binds(symbol));
        size_t length = strlen(path);
        bool is_sent = length == 0 || write(ends[1], path, length) == (ssize_t)length;
        _exit(is_sent ? EXIT_SUCCESS : EXIT_FAILURE);
    }
    close(ends[1]);
    char chunk[256];
    ssize_t size = 0;
    while (fork_id > 0 && (size = read(ends[0], chunk, sizeof chunk)) != 0) {
        if (size < 0 && errno != EINTR) break;
        for (ssize_t i = 0; i < size; i++)
            host_write_u8(out_path, (uint8_t)chunk[i]);
    }
    close(ends[0]);
    if (fork_id < 0) return false;
    int outcome = 0;
    pid_t ended;
    do {
        ended = waitpid(fork_id, &outcome, 0);
    } while (ended < 0 && errno == EINTR);
    return size == 0 && ended == fork_id && WIFEXITED(outcome) &&
           WEXITSTATUS(outcome) == EXIT_SUCCESS;
}

static void answer_binds(host_span path, host_span symbol, host_writer *out)
{
    host_binds *binds = NULL;
    pthread_mutex_lock(&events_lock);
    for (const loaded_module *module = loaded; module && !binds; module = module->next)
        if (strlen(module->path) == path.size && memcmp(module->path, path.data, path.size) == 0)
            binds = module->binds;
    pthread_mutex_unlock(&events_lock);
    if (!binds) {
        host_refuse(out, "errc::invalid", "the module is not loaded");
        return;
    }
    char *text = strndup(symbol.data, symbol.size);
    if (!text) abort();
    host_writer defining = {NULL, 0, 0};
    if (binds_query(binds, text, &defining))
        host_write_bytes(out, defining.data, defining.size);
    else
        host_refuse(out, "tool",
                    "the copy of the program that looks up symbols did not end cleanly");
    host_writer_free(&defining);
    free(text);
}

/* ---- Segments ------------------------------------------------------------------------------ */

/* A search for the module that contains an address; its segments are appended to `out`. */
typedef struct segment_search {
    uint64_t address;
    host_writer *out;
} segment_search;

/* Writes the readable segments of the module that contains the address, which ends the search. */
static int segments_write(struct dl_phdr_info *module, size_t size, void *user)
{
    (void)size;
    segment_search *search = (segment_search *)user;
    bool holds = false;
    uint32_t count = 0;
    for (size_t i = 0; i < module->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &module->dlpi_phdr[i];
        uint64_t begin = module->dlpi_addr + segment->p_vaddr;
        if (segment->p_type != PT_LOAD) continue;
        holds = holds || (search->address >= begin && search->address - begin < segment->p_memsz);
        count += (segment->p_flags & PF_R) != 0;
    }
    if (!holds) return 0;
    host_write_u32(search->out, count);
    for (size_t i = 0; i < module->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &module->dlpi_phdr[i];
        if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_R)) continue;
        uint64_t address = module->dlpi_addr + segment->p_vaddr;
        host_write_u64(search->out, address);
        host_write_bytes(search->out, (const void *)(uintptr_t)address, segment->p_memsz);
    }
    return 1;
}

static void answer_segments(uint64_t address, host_writer *out)
{
    segment_search search = {address, out};
    if (dl_iterate_phdr(segments_write, &search) == 0)
        host_refuse(out, "errc::invalid", "no module holds this address");
}

/* ---- Channels ------------------------------------------------------------------------------ */

static const char *program_runs_on;
static host_answer *program_extension;

static void answer(const host_writer *frame, host_writer *out)
{
    host_reader in = {frame->data, frame->size, 0, false};
    uint8_t request = host_read_u8(&in);
    host_span first = {"", 0}, second = {"", 0};
    uint64_t address = 0;
    out->size = 0;
    host_write_u8(out, 1);
    if (request == HOST_OPEN || request == HOST_CLOSE || request == HOST_BINDS)
        first = host_read_bytes(&in);
    if (request == HOST_BINDS) second = host_read_bytes(&in);
    if (request == HOST_SEGMENTS) address = host_read_u64(&in);
    bool is_known = true;
    switch (in.failed ? HOST_REQUEST_END : (host_request)request) {
    case HOST_HELLO:
        host_write_u32(out, HOST_PROTOCOL_VERSION);
        host_write_text(out, program_runs_on);
        events_take(out);
        break;
    case HOST_OPEN: answer_open(first, out); break;
    case HOST_CLOSE: answer_close(first, out); break;
    case HOST_BINDS: answer_binds(first, second, out); break;
    case HOST_SEGMENTS: answer_segments(address, out); break;
    default:
        is_known = in.failed || (program_extension && program_extension(request, &in, out));
        break;
    }
    if (!is_known)
        host_refuse(out, "unsupported", "this host program does not answer requests of this kind");
    else if (in.failed)
        host_refuse(out, "malformed", "the request is truncated");
}

static void *channel_serve(void *user)
{
    int channel = (int)(intptr_t)user;
    host_writer frame = {NULL, 0, 0}, out = {NULL, 0, 0};
    bool is_open = true;
    while (is_open && host_frame_receive(channel, &frame)) {
        answer(&frame, &out);
        fflush(stdout); /* Kernels' output must be visible when their command has ended. */
        is_open = host_frame_send(channel, &out);
    }
    host_writer_free(&frame);
    host_writer_free(&out);
    return NULL;
}

int host_serve(const char *runs_on, host_answer *extension)
{
    /* A list of descriptors, for example "5,6". */
    int channels[CHANNELS_MAX], count = 0;
    const char *list = getenv("ASSAY_HOST_CHANNELS");
    while (list && *list && count < CHANNELS_MAX) {
        char *end;
        long descriptor = strtol(list, &end, 10);
        bool is_valid = end != list && descriptor >= 0 && descriptor <= INT32_MAX &&
                        (*end == ',' || *end == '\0');
        if (!is_valid) {
            count = 0;
            break;
        }
        channels[count++] = (int)descriptor;
        list = *end == ',' ? end + 1 : end;
    }
    if (count == 0) {
        fprintf(stderr, "assay: ASSAY_HOST_CHANNELS lists no channel; only assay can start this "
                        "program\n");
        return EXIT_FAILURE;
    }
    program_runs_on = runs_on;
    program_extension = extension;
    for (int i = 1; i < count; i++) {
        pthread_t thread;
        int error = pthread_create(&thread, NULL, channel_serve, (void *)(intptr_t)channels[i]);
        if (error != 0) {
            fprintf(stderr, "assay: a channel's thread cannot be started: %s\n", strerror(error));
            return EXIT_FAILURE;
        }
        pthread_detach(thread);
    }
    channel_serve((void *)(intptr_t)channels[0]);
    return EXIT_SUCCESS;
}
