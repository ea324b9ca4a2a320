/* What the parts of libassay_dpcpp.so share: a request being read, a refusal,
 * and what the requests have made so far.
 *
 * The library answers conformance/host/protocol.h over libsycl, the shipped runtime.  It does what
 * an application would do and nothing else: it checks what the subject says before libsycl sees it,
 * because libsycl trusts its callers (an unknown kernel's name is a crash there), and it judges
 * nothing.  Whatever is thrown becomes a refusal (dpcpp.cpp).
 *
 * The process needs, with VENV the folder that `ci/setup --folder` prints and EMPTY an empty one:
 *
 *     OCL_ICD_FILENAMES=VENV/lib/libintelocl.so    the driver
 *     OCL_ICD_VENDORS=EMPTY                        and no other, PoCL least of all
 *     LD_LIBRARY_PATH=VENV/lib                     the OpenCL loader and the adapters of the wheel
 *     ONEAPI_DEVICE_SELECTOR=opencl:cpu            nothing but that; fails without the line before
 *     SYCL_CACHE_PERSISTENT=0                      every program starts without a past
 *
 * The first two suffice where nobody has set the others to something else.
 *
 * Channels are served by threads of their own, so tables are locked while they are looked into, and
 * not while libsycl works: what its threads do to each other is part of what is observed. */
#ifndef CONFORMANCE_HOST_PROGRAM_DPCPP_H
#define CONFORMANCE_HOST_PROGRAM_DPCPP_H

#include "conformance/host/program/serve.h"

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

/* What a request is answered with instead of what it asked for: the class's name, as the protocol
 * has it, and a message. */
struct refusal {
    std::string class_name;
    std::string message;
};

/* A refusal of ours, as errc::invalid: the subject said something that no application could. */
[[noreturn]] void refuse(const std::string &message);
[[noreturn]] void refuse(const char *class_name, const std::string &message);

/* Reads a request's fields in order.  What runs past the end or is out of its bounds is refused
 * where it stands.  Texts and bytes are copied. */
class request
{
  public:
    explicit request(host_reader *in) : in(in) {}
    uint8_t u8();
    uint32_t u32();
    uint64_t u64();
    std::string text();
    std::vector<unsigned char> bytes();
    /* A u32 count of items that take at least item_size bytes each, so that a wrong count cannot
     * make anybody allocate more than the request is long. */
    uint32_t count(size_t item_size);
    /* Refuses what stands behind the last field. */
    void end() const;

  private:
    void check() const;
    host_reader *in;
};

/* A number below the limit; `what` names it in the refusal. */
uint32_t below(uint32_t value, uint32_t limit, const char *what);
void write_text(host_writer *out, const std::string &text);

/* Things of a kind, by their number from 0; they stay until the program ends. */
template <class T> class table
{
  public:
    explicit table(const char *what) : what(what) {}
    uint32_t add(std::shared_ptr<T> thing)
    {
        std::lock_guard<std::mutex> held(lock);
        things.push_back(std::move(thing));
        return static_cast<uint32_t>(things.size() - 1);
    }
    /* Refuses a number that nothing has. */
    std::shared_ptr<T> at(uint32_t number)
    {
        std::lock_guard<std::mutex> held(lock);
        if (number >= things.size()) {
            refuse("there is no " + std::string(what) + " " + std::to_string(number));
        }
        return things[number];
    }
    std::vector<std::shared_ptr<T>> all()
    {
        std::lock_guard<std::mutex> held(lock);
        return things;
    }

  private:
    const char *what;
    std::mutex lock;
    std::vector<std::shared_ptr<T>> things;
};

/* A memory of a scenario.  A buffer is a real one, of bytes, so that the shipped scheduler orders
 * the commands that use it; unified shared memory lies in the context that a queue has when it is
 * made without one. */
struct memory {
    uint32_t kind = HOST_MEMORY_BUFFER;
    uint32_t device = 0; /* number of the one that it was asked for */
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

/* The host's side of a device_global: what an application's variable is, in the layout that libsycl
 * expects.  libsycl keeps its address for good, so it is never freed. */
struct global {
    unsigned char *object = nullptr;
    uint64_t size = 0; /* bytes of the value, which begins as zeros */
    bool image_scope = false;
};

struct command {
    sycl::event event;
    std::shared_ptr<void> keeps; /* what must live until the command has run; may be null */
};

/* What the requests have made; one for the process. */
struct state {
    std::vector<sycl::device> devices;
    table<sycl::context> contexts{"context"};
    table<sycl::queue> queues{"queue"};
    table<memory> memories{"memory"};
    table<command> commands{"command"};
    table<bundle> bundles{"bundle"};
    table<global> globals{"device_global"};

    std::mutex movers_lock;
    /* By device: for what the host moves to and from its memory. */
    std::vector<std::optional<sycl::queue>> movers;

    std::mutex failures_lock;
    std::vector<std::exception_ptr> failures; /* what came to an asynchronous handler, in order */
};

/* The process' state, made at the first call. */
state &the_state();

const sycl::device &device_at(uint32_t number);
/* The context of a number; for HOST_NONE the one that the device's queues have by default. */
sycl::context context_at(uint32_t number, const sycl::device &device);
/* The events of a list of commands (`after` of the protocol). */
std::vector<sycl::event> read_after(request &in);
/* Keeps a command and writes its number. */
void keep_command(host_writer *out, sycl::event event, std::shared_ptr<void> keeps = nullptr);
/* The kernel's id; refuses an unknown name as libsycl would, were it not to crash. */
sycl::kernel_id kernel_id_of(const std::string &name);
/* Bytes of the host's memory that a command reads or writes, for as long as it runs. */
using byte_block = std::vector<unsigned char>;
/* Commands that bring bytes of a memory to a block, and a block to them; both lie in the memory,
 * whose commands before are awaited where it is a buffer. */
sycl::event bring(sycl::queue &queue, const memory &from, uint64_t offset,
                  const std::shared_ptr<byte_block> &to, const std::vector<sycl::event> &after);
sycl::event put(sycl::queue &queue, const std::shared_ptr<byte_block> &from, const memory &to,
                uint64_t offset, const std::vector<sycl::event> &after);

/* Asks all queues for asynchronous failures, throws the first that nobody has been told of, and
 * forgets the others. */
void throw_failures();

/* A request's answer, by kind: each reads all of the request before it does anything. */
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

/* Reads what HOST_SUBMIT says behind its queue and launches it; by the kernel's name alone, or out
 * of an executable bundle. */
void launch(request &in, host_writer *out, sycl::queue &queue, const bundle *from);
/* Images were taken back: a kernel of theirs that comes again may be another one. */
void forget_unknown_launches();

/* Sets a specialisation constant by its name, which public SYCL has only as a variable.  Refuses
 * one that the bundle has not, and a value of another size. */
void set_constant(sycl::kernel_bundle<sycl::bundle_state::input> &in, const std::string &name,
                  const std::vector<unsigned char> &value);

} // namespace dpcpp

#endif
