/* Launching kernels whose names and parameters are known only at run time.
 *
 * A launch takes one of three paths. As a free-function kernel: by name, through the program
 * manager, with its dynamic linking, virtual-function sets, device_globals and in-memory cache. As
 * a lambda: from the description of the lambda's type in a module's host code. As a kernel object
 * of a bundle. A launch with specialisation constants, or from a bundle, goes through kernel
 * bundles, as in SYCL itself.
 *
 * Releases of libsycl differ in how a handler is given its kernel; dpcpp_handler.h has the
 * operations, and the build chooses their implementation.
 *
 * Anything that an application could do is passed on unchecked. Observed in libsycl 9.0.0: an
 * unknown name crashes the process; a local size whose first number in SYCL's order is zero is
 * ignored; a launch with fewer arguments than the previous one reuses the previous launch's
 * arguments for the missing ones. */
#include "conformance/host/program/dpcpp.h"
#include "conformance/host/program/dpcpp_handler.h"
#include "conformance/host/program/dpcpp_private.h"

#include <cstddef>
#include <cstring>
#include <string_view>

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

/* The kernels that loaded modules submit, in the order in which their constructors ran. */
struct submitting_module {
    std::string path;
    host_kernel *kernels = nullptr;
    unsigned count = 0;
};
struct submitting_modules {
    std::mutex lock;
    std::vector<submitting_module> modules;
};

/* Created at the first use, because modules' constructors run before main, and never destroyed,
 * because their destructors run after it. */
static submitting_modules &the_submitting()
{
    static auto *submitting = new submitting_modules;
    return *submitting;
}

static void note_module_kernels(const char *path, host_kernel *kernels, unsigned count)
{
    submitting_modules &submitting = the_submitting();
    std::lock_guard<std::mutex> held(submitting.lock);
    auto &modules = submitting.modules;
    if (kernels) {
        modules.push_back({path, kernels, count});
        return;
    }
    for (auto at = modules.begin(); at != modules.end(); ++at) {
        if (at->path != path) continue;
        modules.erase(at);
        return;
    }
}

/* The host code that submits the kernel, in the module of the path; for an empty path, in the
 * module that was loaded first. */
static host_kernel &host_kernel_of(const std::string &path, const std::string &name)
{
    submitting_modules &submitting = the_submitting();
    std::lock_guard<std::mutex> held(submitting.lock);
    for (const submitting_module &module : submitting.modules) {
        if (!path.empty() && module.path != path) continue;
        for (unsigned i = 0; i < module.count; i++)
            if (module.kernels[i].name == name) return module.kernels[i];
    }
    refuse_unreachable(HOST_UNREACHABLE_MODULE_KERNEL, name);
}

/* ---- Ranges ------------------------------------------------------------------------------- */

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

/* Pointers are written into the value, which has zeros at their offsets. */
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

/* Sets an argument that is not an accessor. */
static void set_plain(sycl::handler &handler, int index, const argument &value)
{
    using sycl::ext::oneapi::experimental::raw_kernel_arg;
    if (value.kind == HOST_ARGUMENT_BYTES)
        handler.set_arg(index, raw_kernel_arg(value.bytes.data(), value.bytes.size()));
    else if (value.kind == HOST_ARGUMENT_LOCAL)
        set_local(handler, index, value.size);
    else
        handler.set_arg(index, static_cast<void *>(value.pointer));
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
    host_through through;
    std::string module;
    std::string kernel;
    nd_range range;
    std::vector<argument> arguments;
    std::vector<named_value> constants;
    std::vector<sycl::event> after;
};

static submission read_submission(request &in)
{
    submission read;
    read.through = static_cast<host_through>(below(in.u8(), HOST_THROUGH_END, "way to submit"));
    read.module = in.text();
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

/* ---- Lambdas ------------------------------------------------------------------------------ */

static_assert(sizeof(host_parameter) == sizeof(sycl::detail::kernel_param_desc_t),
              "modules describe a capture as libsycl's headers do");

/* Returns libsycl's record of the kernel. Like a static variable of a template in libsycl's
 * headers, it is requested once each time the module is loaded. */
static kernel_record *found(host_kernel &kernel, host_through through)
{
    static std::mutex lock;
    std::lock_guard<std::mutex> held(lock);
    bool is_lambda = through == HOST_THROUGH_LAMBDA;
    void *&kept = is_lambda ? kernel.found_by_lambda : kernel.found_by_name;
    if (!kept) kept = is_lambda ? record_of_lambda(kernel) : record_of_name(kernel.name);
    return static_cast<kernel_record *>(kept);
}

/* Captures local memory; libsycl of 2025.0 has no type for that. */
#if __has_include(<sycl/ext/oneapi/experimental/work_group_memory.hpp>)
static void capture_local(sycl::handler &handler, char *to, size_t size)
{
    using local_memory = sycl::ext::oneapi::experimental::work_group_memory<char[]>;
    static_assert(sizeof(local_memory) == HOST_LOCAL_SIZE, "modules know its size");
    local_memory local(size, handler);
    std::memcpy(to, std::addressof(local), sizeof local); /* its operator& is the kernel's */
}
#else
static void capture_local(sycl::handler &, char *, size_t)
{
    refuse_unreachable(HOST_UNREACHABLE_LAMBDA_LOCAL);
}
#endif

/* Captures an argument as the parameter that the module describes. */
static void capture(sycl::handler &handler, char *object, const host_parameter &parameter,
                    const argument &value)
{
    const void *captured = &value.pointer;
    int kind = HOST_PARAMETER_POINTER;
    size_t size = sizeof value.pointer;
    if (value.kind == HOST_ARGUMENT_MEMORY) refuse_unreachable(HOST_UNREACHABLE_LAMBDA_ACCESSOR);
    if (value.kind == HOST_ARGUMENT_BYTES) {
        kind = HOST_PARAMETER_VALUE;
        captured = value.bytes.data();
        size = value.bytes.size();
    } else if (value.kind == HOST_ARGUMENT_LOCAL) {
        kind = HOST_PARAMETER_LOCAL;
        size = HOST_LOCAL_SIZE;
    }
    if (kind != parameter.kind || size != static_cast<size_t>(parameter.size))
        refuse_unreachable(HOST_UNREACHABLE_LAMBDA_CAPTURES);
    if (value.kind == HOST_ARGUMENT_LOCAL)
        capture_local(handler, object + parameter.offset, value.size);
    else
        std::memcpy(object + parameter.offset, captured, size);
}

static void set_captured(sycl::handler &handler, const submission &parameters, host_kernel &kernel)
{
    if (parameters.arguments.size() != kernel.parameter_count)
        refuse_unreachable(HOST_UNREACHABLE_LAMBDA_CAPTURES);
    std::unique_ptr<sycl::detail::HostKernelBase> object = make_lambda(kernel.size);
    char *captures = object->getPtr();
    for (unsigned i = 0; i < kernel.parameter_count; i++)
        capture(handler, captures, kernel.parameter(static_cast<int>(i)), parameters.arguments[i]);
    take_lambda(handler, std::move(object), kernel, found(kernel, HOST_THROUGH_LAMBDA));
}

/* ---- Submits ------------------------------------------------------------------------------ */

/* Where a submit gets its kernel from; if both members are empty, the runtime finds the kernel by
 * name. */
struct source {
    std::optional<sycl::kernel_bundle<sycl::bundle_state::executable>> bundle;
    host_kernel *host_code = nullptr;
};

/* Gives the kernel those arguments that set_arg takes, and then the accessors. */
template <class Take>
static void set_arguments(sycl::handler &handler, const std::vector<argument> &arguments, Take take)
{
    for (size_t i = 0; i < arguments.size(); i++) {
        if (arguments[i].kind != HOST_ARGUMENT_MEMORY)
            set_plain(handler, static_cast<int>(i), arguments[i]);
    }
    take();
    for (size_t i = 0; i < arguments.size(); i++) {
        if (arguments[i].kind == HOST_ARGUMENT_MEMORY)
            accessor_setters[arguments[i].mode](handler, static_cast<int>(i), arguments[i]);
    }
}

static void fill_handler(sycl::handler &handler, const submission &parameters, const source &from)
{
    const nd_range &range = parameters.range;
    bool is_object = parameters.through == HOST_THROUGH_BUNDLE;
    handler.depends_on(parameters.after);
    if (from.bundle && !is_object) handler.use_kernel_bundle(*from.bundle);
    for (const named_value &constant : parameters.constants) {
        (handler.*member(set_constants_state{}))();
        auto input = bundle_for_constants(handler);
        set_constant(input, constant.name, constant.value);
    }
    if (!is_object)
        (handler.*member(verify_bundle{}))(sycl::detail::string_view(parameters.kernel));
    set_range(handler, range);
    if (parameters.through == HOST_THROUGH_LAMBDA) {
        set_captured(handler, parameters, *from.host_code);
    } else if (is_object) {
        sycl::kernel kernel = from.bundle->get_kernel(kernel_id_of(parameters.kernel));
        set_arguments(handler, parameters.arguments,
                      [&] { take_kernel_object(handler, std::move(kernel)); });
    } else {
        set_arguments(handler, parameters.arguments, [&] {
            take_named_kernel(handler, parameters.kernel,
                              from.host_code ? found(*from.host_code, HOST_THROUGH_NAME)
                                             : record_of_name(parameters.kernel));
        });
    }
}

void launch(request &in, host_writer *out, sycl::queue &queue, const bundle *from)
{
    submission parameters = read_submission(in);
    source taken;
    if (!from && parameters.through == HOST_THROUGH_BUNDLE)
        refuse_malformed("a kernel object comes from a bundle, and the launch names no bundle");
    if (parameters.through == HOST_THROUGH_LAMBDA || !parameters.module.empty())
        taken.host_code = &host_kernel_of(parameters.module, parameters.kernel);
    if (from) taken.bundle = from->executable;
    if (!from && !parameters.constants.empty()) {
        const auto input = sycl::get_kernel_bundle<sycl::bundle_state::input>(
            queue.get_context(), {queue.get_device()}, {kernel_id_of(parameters.kernel)});
        for (const named_value &constant : parameters.constants)
            check_constant(input, constant.name, constant.value);
    }
    sycl::event event =
        queue.submit([&](sycl::handler &handler) { fill_handler(handler, parameters, taken); });
    keep_command(out, event);
}

void answer_submit(request &in, host_writer *out)
{
    std::shared_ptr<sycl::queue> queue = the_state().queues.at(in.u32());
    launch(in, out, *queue, nullptr);
}

} // namespace dpcpp

extern "C" __attribute__((visibility("default"))) void
assay_module_kernels(const char *path, host_kernel *kernels, unsigned count)
{
    dpcpp::note_module_kernels(path, kernels, count);
}
