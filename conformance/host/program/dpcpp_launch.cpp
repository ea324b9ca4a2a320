/* Launching kernels by names that are known only at run time.
 *
 * A launch takes the path of free-function kernels: by name, through the program manager, with its
 * dynamic linking, virtual-function sets, device_globals and its cache in memory. A launch with
 * specialisation constants, or from a bundle, goes through kernel bundles, as in SYCL itself.
 *
 * Nothing is checked that a program could do. Observed in libsycl 9.0.0: an unknown name crashes; a
 * local size whose first number in SYCL's order is zero counts as none; a launch with fewer
 * arguments than the previous one reuses that launch's for the missing ones. */
#include "conformance/host/program/dpcpp.h"
#include "conformance/host/program/dpcpp_private.h"

#include <cstring>

namespace dpcpp
{

/* ---- Kernels ------------------------------------------------------------------------------ */

sycl::kernel_id kernel_id_of(const std::string &name)
{
    return sycl::detail::get_kernel_id_impl(sycl::detail::string_view(name));
}

void answer_kernels(request &in, host_writer *out)
{
    in.end();
    std::vector<sycl::kernel_id> kernels = sycl::get_kernel_ids();
    host_write_u32(out, static_cast<uint32_t>(kernels.size()));
    for (const sycl::kernel_id &kernel : kernels)
        host_write_text(out, kernel.get_name());
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
        refuse_unreachable(HOST_UNREACHABLE_DIMENSIONS, std::to_string(range.dimensions));
    }
    size_t nonzero_count = 0;
    for (size_t *sizes : {range.global, range.local, range.offset}) {
        for (size_t i = 0; i < 3; i++) {
            uint64_t value = in.u64();
            if (i < range.dimensions) sizes[range.dimensions - 1 - i] = value;
        }
    }
    for (size_t i = 0; i < range.dimensions; i++)
        nonzero_count += range.local[i] != 0;
    range.open = nonzero_count == 0;
    return range;
}

/* ---- Arguments ---------------------------------------------------------------------------- */

struct argument {
    uint32_t kind = HOST_ARGUMENT_NULL;
    std::shared_ptr<memory> target;   /* MEMORY, POINTER */
    uint32_t mode = 0;                /* MEMORY: host_access */
    unsigned char *pointer = nullptr; /* POINTER */
    std::vector<unsigned char> bytes; /* BYTES */
    uint64_t size = 0;                /* LOCAL */
};

static unsigned char *pointer_into(const memory &target, uint64_t offset)
{
    if (!target.pointer) refuse_unreachable(HOST_UNREACHABLE_POINTER_INTO_BUFFER);
    return target.pointer + offset;
}

/* Pointers go where the value has zeros. */
static void read_value(request &in, argument &value)
{
    value.bytes = in.bytes();
    uint32_t count = in.count(20);
    for (uint32_t i = 0; i < count; i++) {
        uint64_t at = in.u64();
        std::shared_ptr<memory> target = the_state().memories.at(in.u32());
        unsigned char *pointer = pointer_into(*target, in.u64());
        if (value.bytes.size() < sizeof pointer || at > value.bytes.size() - sizeof pointer) {
            refuse_unreachable(HOST_UNREACHABLE_POINTER_IN_VALUE, std::to_string(at));
        }
        std::memcpy(&value.bytes[at], &pointer, sizeof pointer);
    }
}

static argument read_argument(request &in)
{
    argument result;
    result.kind = below(in.u8(), HOST_ARGUMENT_LOCAL + 1, "kind of argument");
    switch (result.kind) {
    case HOST_ARGUMENT_MEMORY:
        result.target = the_state().memories.at(in.u32());
        result.mode = below(in.u8(), HOST_ACCESS_END, "access");
        if (!result.target->buffer) refuse_unreachable(HOST_UNREACHABLE_ACCESSOR_OF_POINTER);
        break;
    case HOST_ARGUMENT_POINTER:
        result.target = the_state().memories.at(in.u32());
        result.pointer = pointer_into(*result.target, in.u64());
        break;
    case HOST_ARGUMENT_BYTES: read_value(in, result); break;
    case HOST_ARGUMENT_LOCAL: result.size = in.u64(); break;
    default: break;
    }
    return result;
}

/* Sets an argument that needs no requirement. */
static void set_plain(sycl::handler &handler, int index, const argument &value)
{
    using sycl::ext::oneapi::experimental::raw_kernel_arg;
    using sycl::ext::oneapi::experimental::work_group_memory;
    if (value.kind == HOST_ARGUMENT_BYTES) {
        handler.set_arg(index, raw_kernel_arg(value.bytes.data(), value.bytes.size()));
    } else if (value.kind == HOST_ARGUMENT_LOCAL) {
        work_group_memory<char[]> local(value.size, handler);
        handler.set_arg(index, local);
    } else {
        handler.set_arg(index, static_cast<void *>(value.pointer));
    }
}

template <sycl::access_mode Mode>
static void set_accessor(sycl::handler &handler, int index, const argument &value)
{
    sycl::accessor<unsigned char, 1, Mode> accessor(*value.target->buffer, handler);
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

static void fill_handler(sycl::handler &handler, const submission &parameters)
{
    handler.depends_on(parameters.after);
    const std::vector<argument> &arguments = parameters.arguments;
    for (size_t i = 0; i < arguments.size(); i++) {
        if (arguments[i].kind != HOST_ARGUMENT_MEMORY)
            set_plain(handler, static_cast<int>(i), arguments[i]);
    }
    const nd_range &range = parameters.range;
    (handler.*member(verify_bundle{}))(sycl::detail::string_view(parameters.kernel));
    (handler.*member(set_range{}))(sycl::detail::nd_range_view(range.global,
                                                               range.open ? nullptr : range.local,
                                                               range.offset, range.dimensions),
                                   false);
    (handler.*member(set_kernel{}))(&sycl::detail::getDeviceKernelInfo(parameters.kernel));
    (handler.*member(take_arguments{}))();
    for (size_t i = 0; i < arguments.size(); i++) {
        if (arguments[i].kind == HOST_ARGUMENT_MEMORY)
            accessor_setters[arguments[i].mode](handler, static_cast<int>(i), arguments[i]);
    }
}

void launch(request &in, host_writer *out, sycl::queue &queue, const bundle *from)
{
    submission parameters = read_submission(in);
    std::optional<sycl::kernel_bundle<sycl::bundle_state::executable>> built;
    if (from && !parameters.constants.empty())
        refuse_unreachable(HOST_UNREACHABLE_BUNDLE_CONSTANTS);
    if (from) built = from->executable;
    if (!parameters.constants.empty()) {
        auto input = sycl::get_kernel_bundle<sycl::bundle_state::input>(
            queue.get_context(), {queue.get_device()}, {kernel_id_of(parameters.kernel)});
        for (const named_value &constant : parameters.constants)
            set_constant(input, constant.name, constant.value);
        built = sycl::build(input);
    }
    sycl::event event = queue.submit([&](sycl::handler &handler) {
        if (built) handler.use_kernel_bundle(*built);
        fill_handler(handler, parameters);
    });
    keep_command(out, event);
}

void answer_submit(request &in, host_writer *out)
{
    std::shared_ptr<sycl::queue> queue = the_state().queues.at(in.u32());
    launch(in, out, *queue, nullptr);
}

} // namespace dpcpp
