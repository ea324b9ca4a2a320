/* Stands in for the shipped runtime in tests of host programs: it answers like a runtime that does
 * nothing, and misbehaves on demand. ASSAY_FAKE is "REQUEST:BEHAVIOUR": at the first request with
 * that number, the library misbehaves as misbehave() defines for BEHAVIOUR. Memory objects keep
 * their initial contents. ASSAY_FAKE_CALLS is the hash of an image's code: the library then
 * records, as the OpenCL layer would, that a launch created a program from that code and launched
 * its kernel "apply"; "garbage" records nonsense. ASSAY_FAKE_FINDINGS is what a launch adds to the
 * simulated device's file of findings. */
#include "conformance/host/program/serve.h"
#include "conformance/host/unreachable.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LOG      "ASSAY_OPENCL_LOG"
#define EXPORTED __attribute__((visibility("default")))

EXPORTED void __sycl_register_lib(const void *descriptor);
EXPORTED void __sycl_unregister_lib(const void *descriptor);

void __sycl_register_lib(const void *descriptor)
{
    host_event_note(HOST_EVENT_REGISTERED, descriptor);
}

void __sycl_unregister_lib(const void *descriptor)
{
    host_event_note(HOST_EVENT_UNREGISTERED, descriptor);
}

/* ---- Answers ------------------------------------------------------------------------------- */

enum { MEMORIES_MAX = 8 };

static host_writer memories[MEMORIES_MAX];       /* the contents of each */
static uint32_t object_counts[HOST_REQUEST_END]; /* objects of each kind */

static void answer_devices(host_writer *out)
{
    host_write_u32(out, 1);
    host_write_text(out, "a device");
    host_write_text(out, "a driver");
    host_write_u32(out, 0);
}

static void answer_memory(host_reader *in, host_writer *out)
{
    host_read_u32(in);
    host_read_u32(in);
    host_read_u64(in);
    host_read_u8(in);
    host_span content = host_read_bytes(in);
    if (object_counts[HOST_MEMORY] == MEMORIES_MAX) abort();
    host_write_bytes(&memories[object_counts[HOST_MEMORY]], content.data, content.size);
    host_write_u32(out, object_counts[HOST_MEMORY]++);
}

static void answer_read(host_reader *in, host_writer *out)
{
    uint32_t memory = host_read_u32(in);
    if (memory >= object_counts[HOST_MEMORY]) abort();
    host_writer *content = &memories[memory];
    /* host_write_bytes writes a length and the bytes, which is the answer's format. */
    for (size_t i = 0; i < content->size; i++)
        host_write_u8(out, content->data[i]);
}

/* Every bundle is executable and has the kernel "apply". */
static void answer_bundle(host_reader *in, host_writer *out)
{
    uint8_t operation = host_read_u8(in);
    if (operation == HOST_BUNDLE_SET_CONSTANT) return;
    if (operation != HOST_BUNDLE_SHOW) {
        host_write_u32(out, object_counts[HOST_BUNDLE]++);
        return;
    }
    host_write_u8(out, 2);
    host_write_u32(out, 1);
    host_write_u32(out, 1);
    host_write_text(out, "apply");
}

static bool answer_well(uint8_t request, host_reader *in, host_writer *out)
{
    switch (request) {
    case HOST_DEVICES: answer_devices(out); return true;
    case HOST_MEMORY: answer_memory(in, out); return true;
    case HOST_READ: answer_read(in, out); return true;
    case HOST_BUNDLE: answer_bundle(in, out); return true;
    case HOST_CONTEXT:
    case HOST_QUEUE:
    case HOST_SUBMIT:
    case HOST_BARRIER:
    case HOST_TASK:
    case HOST_PART:
    case HOST_GATE:
    case HOST_MAP:
    case HOST_TRANSFER: host_write_u32(out, object_counts[request]++); return true;
    case HOST_WAIT:
    case HOST_RELEASE:
    case HOST_MAPPED_WRITE:
    case HOST_UNMAP:
    case HOST_END_PART: return true;
    default: return false;
    }
}

/* ---- Calls of OpenCL ----------------------------------------------------------------------- */

/* Appends to the file that an environment variable names. */
static void record(const char *variable, const char *text)
{
    const char *log = getenv(variable);
    int file = log ? open(log, O_WRONLY | O_APPEND) : -1;
    if (file < 0 || write(file, text, strlen(text)) != (ssize_t)strlen(text)) abort();
    close(file);
}

static void record_calls(uint8_t request)
{
    char text[512];
    const char *findings = getenv("ASSAY_FAKE_FINDINGS");
    if (findings && request == HOST_SUBMIT) record("ASSAY_OPENCL_REPORT", findings);
    const char *hash = getenv("ASSAY_FAKE_CALLS");
    if (!hash || *hash == '\0') return;
    if (request == HOST_DEVICES) record(LOG, "70 0 0 < layer version=1 hides= result=0\n");
    if (request != HOST_SUBMIT) return;
    snprintf(text, sizeof text,
             "70 1 0 < clCreateProgramWithIL made=0 code=%s:4 result=0\n"
             "70 2 0 < clBuildProgram program=0 options= result=0\n"
             "70 3 0 < clCreateKernel program=0 name=apply made=0 result=0\n"
             "70 4 0 < clEnqueueNDRangeKernel queue=0 kernel=0 name=apply dimensions=1 global=2 "
             "local=- offset=- waits_for=0 result=0\n",
             hash);
    record(LOG, strcmp(hash, "garbage") == 0 ? "no record\n" : text);
}

/* ---- Misbehaviour -------------------------------------------------------------------------- */

/* Begins a frame on channel 0 with a wrong length, and exits. */
static void cut_frame(uint64_t length)
{
    const unsigned char bytes[] = {(unsigned char)length,
                                   (unsigned char)(length >> 8),
                                   0,
                                   0,
                                   0,
                                   0,
                                   0,
                                   (unsigned char)(length >> 56),
                                   1};
    ssize_t written = write(atoi(getenv("ASSAY_HOST_CHANNELS")), bytes, sizeof bytes);
    _exit(written == sizeof bytes ? 0 : 9);
}

static bool misbehave(const char *behaviour, host_writer *out)
{
    if (strcmp(behaviour, "segv") == 0) raise(SIGSEGV);
    if (strcmp(behaviour, "kill") == 0) raise(SIGKILL);
    if (strcmp(behaviour, "abort") == 0) abort();
    if (strcmp(behaviour, "exit") == 0) _exit(7);
    if (strcmp(behaviour, "hang") == 0) {
        for (;;)
            pause();
    }
    if (strcmp(behaviour, "cut") == 0) cut_frame(1000);
    if (strcmp(behaviour, "endless") == 0) cut_frame((uint64_t)1 << 56);
    if (strcmp(behaviour, "build") == 0)
        host_refuse(out, "errc::build", "No device image found for external symbol missing");
    if (strcmp(behaviour, "exception") == 0) host_refuse(out, "exception", "thrown");
    if (strcmp(behaviour, "nonsense") == 0) host_refuse(out, "errc::nonsense", "no such class");
    static const char *const unreachable[] = {
#define REASON(name, reason) reason,
        HOST_UNREACHABLE(REASON)
#undef REASON
    };
    if (strncmp(behaviour, "unreachable", 11) == 0)
        host_refuse(out, "unsupported", unreachable[atoi(behaviour + 11)]);
    if (strcmp(behaviour, "status") == 0) out->data[0] = 2;
    if (strcmp(behaviour, "none") == 0) host_write_u32(out, HOST_NONE);
    return true;
}

static bool answer(uint8_t request, host_reader *in, host_writer *out)
{
    static bool has_misbehaved;
    record_calls(request);
    const char *wish = getenv("ASSAY_FAKE");
    const char *behaviour = wish ? strchr(wish, ':') : NULL;
    if (!behaviour || has_misbehaved || atoi(wish) != request) return answer_well(request, in, out);
    has_misbehaved = true;
    behaviour++;
    if (strcmp(behaviour, "more") == 0) {
        bool is_answered = answer_well(request, in, out);
        host_write_u8(out, 0);
        return is_answered;
    }
    if (strcmp(behaviour, "atexit") == 0) {
        atexit(abort);
        return answer_well(request, in, out);
    }
    return misbehave(behaviour, out);
}

EXPORTED int assay_host_main(void)
{
    return host_serve("a fake", answer);
}
