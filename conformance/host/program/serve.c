/* Serving the channels and the requests about modules; see serve.h.
 *
 * What a symbol binds to is asked in a forked copy of the program: dlsym(3) notes that the asking
 * module depends on the defining one, and that would keep the latter loaded longer than the
 * scenario's modules do (glibc, elf/dl-lookup.c, add_dependency). */
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
    const char *path; /* inside the module */
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
    loaded_module *gone = *at;
    if (gone) *at = gone->next;
    pthread_mutex_unlock(&events_lock);
    free(gone);
    event_note(HOST_EVENT_UNLOADED, path, 0);
}

/* Appends the events since the last answer that contained events. */
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

/* Handles of dlopen, newest first. */
typedef struct opening {
    struct opening *next;
    void *handle;
    char path[];
} opening;

static pthread_mutex_t openings_lock = PTHREAD_MUTEX_INITIALIZER;
static opening *openings;

static opening *opening_of(host_span path)
{
    opening *made = (opening *)malloc(sizeof *made + path.size + 1);
    if (!made) abort();
    memcpy(made->path, path.data, path.size);
    made->path[path.size] = '\0';
    return made;
}

static void answer_open(host_span path, host_writer *out)
{
    opening *opened = opening_of(path);
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

/* Removes the newest opening of the path from the list; NULL: there is none. */
static opening *opening_take(host_span path)
{
    pthread_mutex_lock(&openings_lock);
    opening **at = &openings;
    while (*at &&
           (strlen((*at)->path) != path.size || memcmp((*at)->path, path.data, path.size) != 0))
        at = &(*at)->next;
    opening *taken = *at;
    if (taken) *at = taken->next;
    pthread_mutex_unlock(&openings_lock);
    return taken;
}

static void answer_close(host_span path, host_writer *out)
{
    opening *closed = opening_take(path);
    if (!closed) {
        host_refuse(out, "errc::invalid", "the module is not open");
        return;
    }
    if (dlclose(closed->handle) == 0)
        events_take(out);
    else
        host_refuse(out, "tool", dlerror());
    free(closed);
}

/* ---- Symbols ------------------------------------------------------------------------------- */

/* The look-up function of the loaded module with that path; NULL: it is not loaded. */
static host_binds *binds_find(const char *path, size_t size)
{
    host_binds *found = NULL;
    pthread_mutex_lock(&events_lock);
    for (const loaded_module *module = loaded; module && !found; module = module->next) {
        bool same = strlen(module->path) == size && memcmp(module->path, path, size) == 0;
        if (same) found = module->binds;
    }
    pthread_mutex_unlock(&events_lock);
    return found;
}

/* Runs in the fork: writes the path of the module that the symbol binds to, or nothing if it is not
 * a module of the scenario. */
static void binds_tell(host_binds *binds, const char *symbol, int output)
{
    const char *path = path_at(binds(symbol));
    size_t size = strlen(path);
    bool is_sent = size == 0 || write(output, path, size) == (ssize_t)size;
    _exit(is_sent ? EXIT_SUCCESS : EXIT_FAILURE);
}

/* Reads the fork's result; false: it did not end cleanly. */
static bool binds_collect(pid_t fork_id, int input, host_writer *out_name)
{
    char chunk[256];
    ssize_t size;
    while ((size = read(input, chunk, sizeof chunk)) != 0) {
        if (size < 0 && errno != EINTR) break;
        for (ssize_t i = 0; i < size; i++)
            host_write_u8(out_name, (uint8_t)chunk[i]);
    }
    int outcome = 0;
    pid_t ended;
    do {
        ended = waitpid(fork_id, &outcome, 0);
    } while (ended < 0 && errno == EINTR);
    return size == 0 && ended == fork_id && WIFEXITED(outcome) &&
           WEXITSTATUS(outcome) == EXIT_SUCCESS;
}

static bool binds_ask(host_binds *binds, const char *symbol, host_writer *out_name)
{
    int ends[2];
    if (pipe(ends) != 0) return false;
    pid_t fork_id = fork();
    if (fork_id == 0) binds_tell(binds, symbol, ends[1]);
    close(ends[1]);
    bool is_bound = fork_id > 0 && binds_collect(fork_id, ends[0], out_name);
    close(ends[0]);
    return is_bound;
}

static void answer_binds(host_span path, host_span symbol, host_writer *out)
{
    host_binds *binds = binds_find(path.data, path.size);
    if (!binds) {
        host_refuse(out, "errc::invalid", "the module is not loaded");
        return;
    }
    char *text = strndup(symbol.data, symbol.size);
    if (!text) abort();
    host_writer name = {NULL, 0, 0};
    if (binds_ask(binds, text, &name))
        host_write_bytes(out, name.data, name.size);
    else
        host_refuse(out, "tool", "the copy of the program that asks for symbols did not end well");
    host_writer_free(&name);
    free(text);
}

/* ---- Segments ------------------------------------------------------------------------------ */

/* The search for the module that contains an address, and the output for its segments. */
typedef struct segment_search {
    uint64_t address;
    host_writer *out;
} segment_search;

static bool segment_holds(const struct dl_phdr_info *module, const ElfW(Phdr) * segment,
                          uint64_t address)
{
    uint64_t begin = module->dlpi_addr + segment->p_vaddr;
    return segment->p_type == PT_LOAD && address >= begin && address - begin < segment->p_memsz;
}

static bool segment_is_told(const ElfW(Phdr) * segment)
{
    return segment->p_type == PT_LOAD && (segment->p_flags & PF_R);
}

/* Writes the segments of the module that contains the address, which ends the search. */
static int segments_write(struct dl_phdr_info *module, size_t size, void *user)
{
    (void)size;
    segment_search *search = (segment_search *)user;
    bool holds = false;
    uint32_t count = 0;
    for (size_t i = 0; i < module->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &module->dlpi_phdr[i];
        holds = holds || segment_holds(module, segment, search->address);
        count += segment_is_told(segment);
    }
    if (!holds) return 0;
    host_write_u32(search->out, count);
    for (size_t i = 0; i < module->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &module->dlpi_phdr[i];
        if (!segment_is_told(segment)) continue;
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
static host_answer *program_more;

static bool answer_known(uint8_t request, host_reader *in, host_writer *out)
{
    host_span first = {"", 0}, second = {"", 0};
    uint64_t address = 0;
    if (request == HOST_OPEN || request == HOST_CLOSE || request == HOST_BINDS)
        first = host_read_bytes(in);
    if (request == HOST_BINDS) second = host_read_bytes(in);
    if (request == HOST_SEGMENTS) address = host_read_u64(in);
    if (in->failed) return true; /* The caller reports it. */
    switch (request) {
    case HOST_HELLO:
        host_write_u32(out, HOST_PROTOCOL_VERSION);
        host_write_text(out, program_runs_on);
        events_take(out);
        return true;
    case HOST_OPEN: answer_open(first, out); return true;
    case HOST_CLOSE: answer_close(first, out); return true;
    case HOST_BINDS: answer_binds(first, second, out); return true;
    case HOST_SEGMENTS: answer_segments(address, out); return true;
    default: return program_more && program_more(request, in, out);
    }
}

static void answer(const host_writer *frame, host_writer *out)
{
    host_reader in = {frame->data, frame->size, 0, false};
    uint8_t request = host_read_u8(&in);
    out->size = 0;
    host_write_u8(out, 1);
    if (!answer_known(request, &in, out))
        host_refuse(out, "unsupported", "this host program does not answer such a request");
    else if (in.failed)
        host_refuse(out, "malformed", "the request is cut short");
}

static void channel_serve(int channel)
{
    host_writer frame = {NULL, 0, 0}, out = {NULL, 0, 0};
    bool goes_on = true;
    while (goes_on && host_frame_receive(channel, &frame)) {
        answer(&frame, &out);
        fflush(stdout); /* Output of kernels must be visible when their command has ended. */
        goes_on = host_frame_send(channel, &out);
    }
    host_writer_free(&frame);
    host_writer_free(&out);
}

static void *channel_main(void *user)
{
    channel_serve((int)(intptr_t)user);
    return NULL;
}

/* Parses a list of descriptors, "5,6"; returns their number, 0 if it is not such a list. */
static int channels_read(const char *list, int channels[CHANNELS_MAX])
{
    int count = 0;
    while (list && *list && count < CHANNELS_MAX) {
        char *end;
        long descriptor = strtol(list, &end, 10);
        if (end == list || descriptor < 0 || descriptor > INT32_MAX) return 0;
        channels[count++] = (int)descriptor;
        list = *end == ',' ? end + 1 : end;
        if (*end != ',' && *end != '\0') return 0;
    }
    return count;
}

int host_serve(const char *runs_on, host_answer *more)
{
    int channels[CHANNELS_MAX];
    int count = channels_read(getenv("ASSAY_HOST_CHANNELS"), channels);
    if (count == 0) {
        fprintf(stderr, "assay: ASSAY_HOST_CHANNELS names no channel; assay starts this program\n");
        return EXIT_FAILURE;
    }
    program_runs_on = runs_on;
    program_more = more;
    for (int i = 1; i < count; i++) {
        pthread_t thread;
        int error = pthread_create(&thread, NULL, channel_main, (void *)(intptr_t)channels[i]);
        if (error != 0) {
            fprintf(stderr, "assay: no thread for a channel: %s\n", strerror(error));
            return EXIT_FAILURE;
        }
        pthread_detach(thread);
    }
    channel_serve(channels[0]);
    return EXIT_SUCCESS;
}
