/* Launching kernels by names that are known only at run time.
 *
 * A launch takes the path of free-function kernels: by name, through the program manager, with its
 * dynamic linking, virtual-function sets, device_globals and its cache in memory. A launch with
 * specialisation constants, or from a bundle, goes through kernel bundles, as in SYCL itself.
 *
 * Observed in libsycl 9.0.0, and hidden from the subject: an unknown name crashes; a zero in the
 * local size next to other numbers causes a division by zero; a launch with fewer arguments than
 * the previous one reuses the previous one's for the missing ones. */
#include "conformance/host/program/dpcpp.h"
#include "conformance/host/program/dpcpp_private.h"

#include <cstring>
#include <map>
#include <set>

namespace dpcpp
{

/* ---- Kernels ------------------------------------------------------------------------------ */

sycl::kernel_id kernel_id_of(const std::string &name)
{
    for (const sycl::kernel_id &known : sycl::get_kernel_ids()) {
        if (name == known.get_name()) return known;
    }
    refuse("errc::runtime", "No kernel named " + name + " was found");
}

void answer_kernels(request &in, host_writer *out)
{
    in.end();
    std::vector<sycl::kernel_id> known = sycl::get_kernel_ids();
    host_write_u32(out, static_cast<uint32_t>(known.size()));
    for (const sycl::kernel_id &kernel : known)
        host_write_text(out, kernel.get_name());
}

/* The number of arguments of each kernel's last launch. OpenCL refuses a first launch with too few,
 * but not a later one, so what was once enough must be passed again. */
static std::mutex taken_lock;
static std::map<std::string, size_t> taken;

void forget_unknown_launches()
{
    std::set<std::string> known;
    for (const sycl::kernel_id &kernel : sycl::get_kernel_ids())
        known.insert(kernel.get_name());
    std::lock_guard<std::mutex> held(taken_lock);
    for (auto at = taken.begin(); at != taken.end();)
        at = known.count(at->first) ? std::next(at) : taken.erase(at);
}

/* ---- Ranges ------------------------------------------------------------------------------- */

/* In SYCL's order: the dimension of OpenCL's get_global_id(0) comes last. */
struct nd_range {
    size_t dimensions = 0;
    size_t global[3] = {}, local[3] = {}, offset[3] = {};
    bool open = false; /* the runtime chooses the local size */
};

static nd_range read_range(request &in)
{
    nd_range range;
    range.dimensions = in.u32();
    if (range.dimensions < 1 || range.dimensions > 3) {
        refuse("errc::nd_range",
               "a range has 1 to 3 dimensions, not " + std::to_string(range.dimensions));
    }
    size_t given = 0;
    for (size_t *sizes : {range.global, range.local, range.offset}) {
        for (size_t i = 0; i < 3; i++) {
            uint64_t value = in.u64();
            if (i < range.dimensions) sizes[range.dimensions - 1 - i] = value;
        }
    }
    for (size_t i = 0; i < range.dimensions; i++)
        given += range.local[i] != 0;
    range.open = given == 0;
    if (given != 0 && given != range.dimensions) {
        refuse("errc::nd_range", "a local size is zero and another is not");
    }
    return range;
}

/* ---- Arguments ---------------------------------------------------------------------------- */

struct argument {
    uint32_t kind = HOST_ARGUMENT_NULL;
    std::shared_ptr<memory> of;       /* MEMORY, POINTER */
    uint32_t mode = 0;                /* MEMORY: host_access */
    unsigned char *pointer = nullptr; /* POINTER */
    std::vector<unsigned char> bytes; /* BYTES */
    uint64_t size = 0;                /* LOCAL */
};

static unsigned char *pointer_into(const memory &of, uint64_t offset)
{
    if (!of.pointer) refuse("a pointer is given into a buffer");
    if (offset > of.size) {
        refuse("a pointer is given to byte " + std::to_string(offset) + " of a memory of " +
               std::to_string(of.size));
    }
    return of.pointer + offset;
}

/* Pointers go where the value has zeros. */
static void read_value(request &in, argument &value)
{
    value.bytes = in.bytes();
    if (value.bytes.empty()) refuse("an argument has no bytes");
    uint32_t count = in.count(20);
    for (uint32_t i = 0; i < count; i++) {
        uint64_t at = in.u64();
        std::shared_ptr<memory> of = the_state().memories.at(in.u32());
        unsigned char *pointer = pointer_into(*of, in.u64());
        if (value.bytes.size() < sizeof pointer || at > value.bytes.size() - sizeof pointer) {
            refuse("an argument of " + std::to_string(value.bytes.size()) +
                   " bytes has no room for a pointer at " + std::to_string(at));
        }
        std::memcpy(&value.bytes[at], &pointer, sizeof pointer);
    }
}

static argument read_argument(request &in)
{
    argument made;
    made.kind = below(in.u8(), HOST_ARGUMENT_LOCAL + 1, "kind of argument");
    switch (made.kind) {
    case HOST_ARGUMENT_MEMORY:
        made.of = the_state().memories.at(in.u32());
        made.mode = below(in.u8(), HOST_ACCESS_END, "access");
        if (!made.of->buffer) refuse("an accessor is given for a memory that is not a buffer");
        break;
    case HOST_ARGUMENT_POINTER:
        made.of = the_state().memories.at(in.u32());
        made.pointer = pointer_into(*made.of, in.u64());
        break;
    case HOST_ARGUMENT_BYTES: read_value(in, made); break;
    case HOST_ARGUMENT_LOCAL:
        made.size = in.u64();
        if (made.size == 0) refuse("local memory has at least one byte");
        break;
    default: break;
    }
    return made;
}

/* Sets an argument that needs no requirement. */
static void set_plain(sycl::handler &handler, int index, const argument &given)
{
    using sycl::ext::oneapi::experimental::raw_kernel_arg;
    using sycl::ext::oneapi::experimental::work_group_memory;
    if (given.kind == HOST_ARGUMENT_BYTES) {
        handler.set_arg(index, raw_kernel_arg(given.bytes.data(), given.bytes.size()));
    } else if (given.kind == HOST_ARGUMENT_LOCAL) {
        work_group_memory<char[]> local(given.size, handler);
        handler.set_arg(index, local);
    } else {
        handler.set_arg(index, static_cast<void *>(given.pointer));
    }
}

template <sycl::access_mode Mode>
static void set_accessor(sycl::handler &handler, int index, const argument &given)
{
    sycl::accessor<unsigned char, 1, Mode> accessor(*given.of->buffer, handler);
    auto &base = static_cast<sycl::detail::AccessorBaseHost &>(accessor);
    /* The handler has kept the accessor's target since the accessor was created. */
    (handler.*member(add_argument{}))(sycl::detail::kernel_param_kind_t::kind_accessor,
                                      sycl::detail::getSyclObjImpl(base).get(),
                                      static_cast<int>(sycl::access::target::device), index);
}

static void (*const accessor_setters[HOST_ACCESS_END])(sycl::handler &, int, const argument &) = {
    set_accessor<sycl::access_mode::read_write>,
    set_accessor<sycl::access_mode::read>,
    set_accessor<sycl::access_mode::write>,
};

/* ---- Launches ----------------------------------------------------------------------------- */

struct named_value {
    std::string name;
    std::vector<unsigned char> value;
};

struct submission {
    std::string kernel;
    nd_range range;
    std::vector<argument> arguments;
    std::vector<named_value> constants;
    std::vector<sycl::event> after;
};

static submission read_submission(request &in)
{
    submission read;
    read.kernel = in.text();
    read.range = read_range(in);
    uint32_t count = in.count(1);
    for (uint32_t i = 0; i < count; i++)
        read.arguments.push_back(read_argument(in));
    count = in.count(16);
    for (uint32_t i = 0; i < count; i++) {
        std::string name = in.text();
        read.constants.push_back({name, in.bytes()});
    }
    read.after = read_after(in);
    in.end();
    return read;
}

static void fill_handler(sycl::handler &handler, const submission &what)
{
    handler.depends_on(what.after);
    const std::vector<argument> &arguments = what.arguments;
    for (size_t i = 0; i < arguments.size(); i++) {
        if (arguments[i].kind != HOST_ARGUMENT_MEMORY)
            set_plain(handler, static_cast<int>(i), arguments[i]);
    }
    const nd_range &range = what.range;
    (handler.*member(verify_bundle{}))(sycl::detail::string_view(what.kernel));
    (handler.*member(set_range{}))(sycl::detail::nd_range_view(range.global,
                                                               range.open ? nullptr : range.local,
                                                               range.offset, range.dimensions),
                                   false);
    (handler.*member(set_kernel{}))(&sycl::detail::getDeviceKernelInfo(what.kernel));
    (handler.*member(take_arguments{}))();
    for (size_t i = 0; i < arguments.size(); i++) {
        if (arguments[i].kind == HOST_ARGUMENT_MEMORY)
            accessor_setters[arguments[i].mode](handler, static_cast<int>(i), arguments[i]);
    }
}

void launch(request &in, host_writer *out, sycl::queue &queue, const bundle *from)
{
    submission what = read_submission(in);
    sycl::kernel_id kernel = kernel_id_of(what.kernel);
    std::optional<sycl::kernel_bundle<sycl::bundle_state::executable>> built;
    if (from && !what.constants.empty())
        refuse("the constants of a bundle are set before it is built");
    if (from) built = from->executable;
    if (!what.constants.empty()) {
        auto input = sycl::get_kernel_bundle<sycl::bundle_state::input>(
            queue.get_context(), {queue.get_device()}, {kernel});
        for (const named_value &constant : what.constants)
            set_constant(input, constant.name, constant.value);
        built = sycl::build(input);
    }
    const size_t count = what.arguments.size();
    {
        std::lock_guard<std::mutex> held(taken_lock);
        auto before = taken.find(what.kernel);
        if (before != taken.end() && count < before->second) {
            refuse("errc::kernel_argument",
                   "kernel " + what.kernel + " took " + std::to_string(before->second) +
                       " arguments before and is given " + std::to_string(count));
        }
    }
    sycl::event event = queue.submit([&](sycl::handler &handler) {
        if (built) handler.use_kernel_bundle(*built);
        fill_handler(handler, what);
    });
    {
        std::lock_guard<std::mutex> held(taken_lock);
        taken[what.kernel] = count;
    }
    keep_command(out, event);
}

void answer_submit(request &in, host_writer *out)
{
    std::shared_ptr<sycl::queue> queue = the_state().queues.at(in.u32());
    launch(in, out, *queue, nullptr);
}

} // namespace dpcpp
