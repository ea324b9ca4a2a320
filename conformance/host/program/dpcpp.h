/* Shared by the parts of libassay_dpcpp.so: how requests are read and refused, and the objects that
 * requests have created.
 *
 * The library answers the requests of conformance/host/protocol.h with libsycl, the shipped
 * runtime. It does what an application would do and nothing else: it refuses requests that are
 * malformed or that no application could make, passes everything else on to libsycl, and judges
 * nothing. Every exception becomes a refusal (dpcpp.cpp).
 *
 * The process needs this environment, where VENV is the folder that `ci/setup --folder` prints and
 * EMPTY is an empty folder:
 *
 *     OCL_ICD_FILENAMES=VENV/lib/libintelocl.so    the driver
 *     OCL_ICD_VENDORS=EMPTY                        and no other driver, in particular not PoCL
 *     LD_LIBRARY_PATH=VENV/lib                     the OpenCL loader and the adapters of the wheel
 *     ONEAPI_DEVICE_SELECTOR=opencl:cpu            only this device; requires the line above
 *     SYCL_CACHE_PERSISTENT=0                      every program starts with an empty cache
 *
 * The first two suffice unless the others are already set.
 *
 * Each channel is served by its own thread, so tables are locked during lookups, but not during
 * calls to libsycl: how concurrent calls interact is part of the observation. */
#ifndef CONFORMANCE_HOST_PROGRAM_DPCPP_H
#define CONFORMANCE_HOST_PROGRAM_DPCPP_H

#include "conformance/host/program/serve.h"
#include "conformance/host/unreachable.h"

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <sycl/sycl.hpp>
#include <utility>
#include <vector>

namespace dpcpp
{

/* A refusal as an answer: the error code's name as in the protocol, and a message. */
struct refusal {
    std::string class_name;
    std::string message;
};

/* Refuses, without calling libsycl, what no application can do; `detail` may be empty. */
[[noreturn]] void refuse_unreachable(host_unreachable what, const std::string &detail = "");
/* Refuses a request that no subject sends: the subject or this program has a bug. */
[[noreturn]] void refuse_malformed(const std::string &message);

/* Reads a request's fields in order. A field that runs past the end or is out of bounds is refused
 * where it occurs. Texts and bytes are copied. */
class request
{
  public:
    explicit request(host_reader *in) : in(in) {}
    uint8_t u8();
    uint32_t u32();
    uint64_t u64();
    std::string text();
    std::vector<unsigned char> bytes();
    /* A u32 count of items of at least item_size bytes each, so that a wrong count cannot cause an
     * allocation larger than the request. */
    uint32_t count(size_t item_size);
    /* Refuses data after the last field. */
    void end() const;

  private:
    void check() const;
    host_reader *in;
};

/* Returns a number that is below the limit and refuses any other; `kind` names the numbered things
 * in the refusal. */
uint32_t below(uint32_t value, uint32_t limit, const char *kind);
void write_text(host_writer *out, const std::string &text);

/* The objects of one kind, numbered from 0; they live until the program ends. */
template <class T> class table
{
  public:
    explicit table(const char *kind) : kind(kind) {}
    uint32_t add(std::shared_ptr<T> object)
    {
        std::lock_guard<std::mutex> held(lock);
        objects.push_back(std::move(object));
        return static_cast<uint32_t>(objects.size() - 1);
    }
    /* Refuses a number that no object has. */
    std::shared_ptr<T> at(uint32_t number)
    {
        std::lock_guard<std::mutex> held(lock);
        if (number >= objects.size()) {
            refuse_malformed("there is no " + std::string(kind) + " " + std::to_string(number));
        }
        return objects[number];
    }
    std::vector<std::shared_ptr<T>> snapshot()
    {
        std::lock_guard<std::mutex> held(lock);
        return objects;
    }

  private:
    const char *kind;
    std::mutex lock;
    std::vector<std::shared_ptr<T>> objects;
};

/* A memory object of a scenario. A buffer is a SYCL buffer of bytes, so that the shipped scheduler
 * orders the commands that use it; unified shared memory belongs to the context that a queue has by
 * default. */
struct memory {
    uint32_t kind = HOST_MEMORY_BUFFER;
    uint32_t device = 0; /* the device that it was requested for */
    uint64_t size = 0;   /* bytes, > 0 */
    std::optional<sycl::buffer<unsigned char, 1>> buffer;
    std::optional<sycl::context> context; /* of unified shared memory */
    unsigned char *pointer = nullptr;     /* unified shared memory */
    ~memory();
};

/* A kernel bundle in one of its three states; libsycl has a type for each. */
struct bundle {
    std::optional<sycl::kernel_bundle<sycl::bundle_state::input>> input;
    std::optional<sycl::kernel_bundle<sycl::bundle_state::object>> object;
    std::optional<sycl::kernel_bundle<sycl::bundle_state::executable>> executable;
};

/* The host's side of a device_global, in the layout that libsycl expects of an application's
 * variable. The object belongs to the module that defines it, and libsycl keeps its address. */
struct global {
    unsigned char *object = nullptr;
    uint64_t size = 0; /* bytes of the value, initially zero */
    bool image_scope = false;
};

struct command {
    sycl::event event;
    std::shared_ptr<void> keep_alive; /* must live until the command has run; may be null */
};

/* What a host task waits for until the host opens it. */
class gate
{
  public:
    void open()
    {
        std::lock_guard<std::mutex> held(lock);
        is_open = true;
        opened.notify_all();
    }
    void wait()
    {
        std::unique_lock<std::mutex> held(lock);
        opened.wait(held, [this] { return is_open; });
    }

  private:
    std::mutex lock;
    std::condition_variable opened;
    bool is_open = false;
};

/* Bytes of a buffer that the host accesses through a host accessor, until that is destroyed. */
struct mapping {
    /* Owns the accessor, whose type depends on the access. */
    std::shared_ptr<void> accessor;
    const unsigned char *bytes = nullptr;
    unsigned char *written = nullptr; /* the same bytes; null: read-only */
    uint64_t size = 0;
};

/* Everything that requests have created; one per process. */
struct state {
    std::vector<sycl::device> devices;
    std::optional<sycl::context> common; /* of all devices, if they are sub-devices */
    table<sycl::context> contexts{"context"};
    table<sycl::queue> queues{"queue"};
    table<memory> memories{"memory"};
    table<command> commands{"command"};
    table<bundle> bundles{"bundle"};
    table<global> globals{"device_global"};
    table<gate> gates{"gate"};
    table<mapping> mappings{"mapping"};

    std::mutex movers_lock;
    /* Per device: a queue for the host's transfers to and from its memory. */
    std::vector<std::optional<sycl::queue>> movers;

    std::mutex failures_lock;
    std::vector<std::exception_ptr> failures; /* exceptions passed to an asynchronous handler, in
                                               * order */
};

/* The process's state, created by the first call. */
state &the_state();

const sycl::device &device_at(uint32_t number);
/* The context with the given number; for HOST_NONE, the default context of the device's queues. */
sycl::context context_at(uint32_t number, const sycl::device &device);
/* Reads a list of commands (`after` in the protocol) and returns their events. */
std::vector<sycl::event> read_after(request &in);
/* Stores a command, with an object that must outlive it, and returns its number. */
uint32_t hold_command(sycl::event event, std::shared_ptr<void> keep_alive);
/* The same, for a command that the caller asked for: writes the number. */
void keep_command(host_writer *out, sycl::event event, std::shared_ptr<void> keep_alive = nullptr);
/* The kernel's id, as sycl::get_kernel_id<Kernel>() returns it. */
sycl::kernel_id kernel_id_of(const std::string &name);
/* Host memory that a command reads or writes, alive as long as the command runs. */
using byte_block = std::vector<unsigned char>;
/* Submit a command that copies bytes of a memory object to a block, or a block to a memory object;
 * this program does not check the range. For a buffer, the command waits for earlier commands that
 * use it. */
sycl::event bring(sycl::queue &queue, const memory &from, uint64_t offset,
                  const std::shared_ptr<byte_block> &to, const std::vector<sycl::event> &after);
sycl::event put(sycl::queue &queue, const std::shared_ptr<byte_block> &from, const memory &to,
                uint64_t offset, const std::vector<sycl::event> &after);

/* Collects asynchronous failures from all queues, throws the first unreported one and drops the
 * others. */
void throw_failures();

/* One function per kind of request; each reads the whole request before it does anything. */
void answer_devices(request &in, host_writer *out);
void answer_kernels(request &in, host_writer *out);
void answer_context(request &in, host_writer *out);
void answer_queue(request &in, host_writer *out);
void answer_memory(request &in, host_writer *out);
void answer_read(request &in, host_writer *out);
void answer_submit(request &in, host_writer *out);
void answer_transfer(request &in, host_writer *out);
void answer_wait(request &in, host_writer *out);
void answer_bundle(request &in, host_writer *out);
void answer_global(request &in, host_writer *out);
void answer_global_copy(request &in, host_writer *out);
void answer_global_read(request &in, host_writer *out);
void answer_times(request &in, host_writer *out);
void answer_barrier(request &in, host_writer *out);
void answer_host_task(request &in, host_writer *out);
void answer_part(request &in, host_writer *out);
void answer_end_part(request &in, host_writer *out);
void answer_gate(request &in, host_writer *out);
void answer_release(request &in, host_writer *out);
void answer_map(request &in, host_writer *out);
void answer_mapped_read(request &in, host_writer *out);
void answer_mapped_write(request &in, host_writer *out);
void answer_unmap(request &in, host_writer *out);

/* Reads the fields of HOST_SUBMIT that follow the queue and launches the kernel, from an executable
 * bundle unless `from` is null. */
void launch(request &in, host_writer *out, sycl::queue &queue, const bundle *from);

/* Refuses a value whose size is not that of the constant in the bundle: in a program, the size
 * comes from the constant's type. A constant that the bundle lacks is left to libsycl. */
void check_constant(const sycl::kernel_bundle<sycl::bundle_state::input> &in,
                    const std::string &name, const std::vector<unsigned char> &value);

/* Sets a specialisation constant by name; public SYCL identifies it only by a variable. */
void set_constant(sycl::kernel_bundle<sycl::bundle_state::input> &in, const std::string &name,
                  const std::vector<unsigned char> &value);

} // namespace dpcpp

#endif
