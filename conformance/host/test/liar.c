/* A host program's library that answers HELLO wrongly, in the way selected by the environment
 * variable LIE; for test_host.c. */
#include "conformance/host/program/serve.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#define EXPORTED __attribute__((visibility("default")))

enum { CHANNEL = 3 };

EXPORTED void __sycl_register_lib(const void *descriptor);
EXPORTED void __sycl_unregister_lib(const void *descriptor);

void __sycl_register_lib(const void *descriptor)
{
    (void)descriptor;
}

void __sycl_unregister_lib(const void *descriptor)
{
    (void)descriptor;
}

EXPORTED void assay_module_constructed(const char *file_name, host_binds *binds)
{
    (void)file_name;
    (void)binds;
}

EXPORTED void assay_module_destroyed(const char *file_name)
{
    (void)file_name;
}

static void hello(host_writer *out, uint32_t version, uint32_t events)
{
    host_write_u8(out, 1);
    host_write_u32(out, version);
    host_write_text(out, "");
    host_write_u32(out, events);
}

static void event(host_writer *out, uint8_t kind, const char *file_name)
{
    host_write_u8(out, kind);
    host_write_text(out, file_name);
    host_write_u64(out, 0);
}

static void lie_version(host_writer *out)
{
    hello(out, HOST_PROTOCOL_VERSION + 1, 0);
}

static void lie_module(host_writer *out)
{
    hello(out, HOST_PROTOCOL_VERSION, 1);
    event(out, HOST_EVENT_LOADED, "libc.so.6");
}

static void lie_kind(host_writer *out)
{
    hello(out, HOST_PROTOCOL_VERSION, 1);
    event(out, HOST_EVENT_UNLOADED + 1, "app");
}

static void lie_count(host_writer *out)
{
    hello(out, HOST_PROTOCOL_VERSION, UINT32_MAX);
    event(out, HOST_EVENT_LOADED, "app");
}

static void lie_trailing(host_writer *out)
{
    hello(out, HOST_PROTOCOL_VERSION, 0);
    host_write_u8(out, 0);
}

static void lie_first_byte(host_writer *out)
{
    host_write_u8(out, 7);
}

static void lie_empty(host_writer *out)
{
    (void)out;
}

static void lie_class(host_writer *out)
{
    host_refuse(out, "errc::nonsense", "no");
}

static void lie_success(host_writer *out)
{
    host_refuse(out, "success", "no");
}

/* Exits as ld.so does if a library is missing. */
static void lie_not_executed(host_writer *out)
{
    (void)out;
    exit(127);
}

static void lie_exit(host_writer *out)
{
    (void)out;
    exit(3);
}

static void lie_signal(host_writer *out)
{
    (void)out;
    raise(SIGSEGV);
}

/* A length larger than any memory, with nothing after it. */
static void lie_length(host_writer *out)
{
    static const unsigned char length[8] = {255, 255, 255, 255, 255, 255, 255, 255};
    (void)out;
    if (send(CHANNEL, length, sizeof length, MSG_NOSIGNAL) < 0) exit(3);
}

static const struct lie {
    const char *name;
    void (*answer)(host_writer *out);
} lies[] = {
    {"version", lie_version},
    {"module", lie_module},
    {"kind", lie_kind},
    {"count", lie_count},
    {"rest", lie_trailing},
    {"first byte", lie_first_byte},
    {"nothing", lie_empty},
    {"class", lie_class},
    {"success", lie_success},
    {"exit", lie_exit},
    {"signal", lie_signal},
    {"length", lie_length},
    {"not executed", lie_not_executed},
};

EXPORTED int assay_host_main(void)
{
    host_writer frame = {NULL, 0, 0}, out = {NULL, 0, 0};
    const char *lie = getenv("LIE");
    while (host_frame_receive(CHANNEL, &frame)) {
        out.size = 0;
        for (size_t i = 0; i < sizeof lies / sizeof *lies; i++)
            if (lie && strcmp(lies[i].name, lie) == 0) lies[i].answer(&out);
        if (!host_frame_send(CHANNEL, &out)) break;
    }
    host_writer_free(&frame);
    host_writer_free(&out);
    return 0;
}
