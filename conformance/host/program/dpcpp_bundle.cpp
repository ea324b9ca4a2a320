/* Kernel bundles and specialisation constants. */
#include "conformance/host/program/dpcpp.h"
#include "conformance/host/program/dpcpp_private.h"

namespace dpcpp
{

using sycl::bundle_state;
using sycl::detail::kernel_bundle_plain;

/* The operations that a bundle has in every state. */
static const kernel_bundle_plain &plain_view(const bundle &source)
{
    if (source.input) return *source.input;
    if (source.object) return *source.object;
    return *source.executable;
}

static uint32_t state_number(const bundle &source)
{
    return source.input ? 0 : source.object ? 1 : 2;
}

static const char *const state_names[] = {"input", "object", "executable"};

static std::shared_ptr<bundle> read_bundle(request &in)
{
    return the_state().bundles.at(in.u32());
}

/* SYCL's type system rejects a bundle in another state; here the state has to be checked. */
static std::shared_ptr<bundle> read_bundle_in(request &in, uint32_t state)
{
    std::shared_ptr<bundle> read = read_bundle(in);
    if (state_number(*read) != state) {
        refuse_unreachable(HOST_UNREACHABLE_BUNDLE_STATE, std::string("it is in state ") +
                                                              state_names[state_number(*read)] +
                                                              " and not " + state_names[state]);
    }
    return read;
}

static void keep_bundle(host_writer *out, bundle &&result)
{
    host_write_u32(out, the_state().bundles.add(std::make_shared<bundle>(std::move(result))));
}

/* ---- Constants ---------------------------------------------------------------------------- */

static bool has_constant(const kernel_bundle_plain &in, const std::string &name)
{
    return (in.*member(has_named_constant{}))(name.c_str());
}

/* libsycl assumes that a value has the constant's size, which its own callers know from a type, and
 * does not report that size. When asked for the value, however, it copies that many bytes, so the
 * value ends at the last byte that does not depend on what was there before. */
static std::vector<unsigned char> constant_value(const kernel_bundle_plain &in,
                                                 const std::string &name)
{
    const size_t room = 1u << 16;
    std::vector<unsigned char> over_zeros(room, 0x00), over_ones(room, 0xff);
    (in.*member(get_named_constant{}))(name.c_str(), over_zeros.data());
    (in.*member(get_named_constant{}))(name.c_str(), over_ones.data());
    size_t size = room;
    while (size > 0 && over_zeros[size - 1] != over_ones[size - 1])
        size--;
    over_zeros.resize(size);
    return over_zeros;
}

/* True if a type whose last scalar ends at `end` can have the size. Only a composite has padding
 * after its last scalar, which libsycl does not copy; a vector of 16 doubles is aligned to 128. */
static bool can_have_size(size_t end, size_t size)
{
    bool may_be_scalar = end == 1 || end == 2 || end == 4 || end == 8;
    return size == end || (!may_be_scalar && size > end && size - end < 128);
}

void check_constant(const sycl::kernel_bundle<bundle_state::input> &in, const std::string &name,
                    const std::vector<unsigned char> &value)
{
    size_t size = has_constant(in, name) ? constant_value(in, name).size() : value.size();
    if (!can_have_size(size, value.size())) {
        refuse_unreachable(HOST_UNREACHABLE_CONSTANT_SIZE, name + " has " + std::to_string(size) +
                                                               " bytes, its value " +
                                                               std::to_string(value.size()));
    }
}

void set_constant(sycl::kernel_bundle<bundle_state::input> &in, const std::string &name,
                  const std::vector<unsigned char> &value)
{
    std::vector<unsigned char> copy = value; /* the parameter is not const */
    (in.*member(set_named_constant{}))(name.c_str(), copy.data(), copy.size());
}

/* ---- Operations --------------------------------------------------------------------------- */

template <bundle_state State>
static sycl::kernel_bundle<State> get(const sycl::context &context,
                                      const std::vector<sycl::device> &devices,
                                      const std::vector<sycl::kernel_id> &kernels)
{
    if (kernels.empty()) return sycl::get_kernel_bundle<State>(context, devices);
    return sycl::get_kernel_bundle<State>(context, devices, kernels);
}

static void bundle_get(request &in, host_writer *out)
{
    uint32_t state = below(in.u8(), 3, "bundle state");
    uint32_t context_number = in.u32();
    std::vector<sycl::device> devices;
    uint32_t count = in.count(4);
    for (uint32_t i = 0; i < count; i++)
        devices.push_back(device_at(in.u32()));
    std::vector<sycl::kernel_id> kernels;
    count = in.count(8);
    for (uint32_t i = 0; i < count; i++)
        kernels.push_back(kernel_id_of(in.text()));
    in.end();
    if (devices.empty()) refuse_malformed("a bundle has at least one device");
    sycl::context context = context_at(context_number, devices.front());
    bundle result;
    if (state == 0) result.input = get<bundle_state::input>(context, devices, kernels);
    if (state == 1) result.object = get<bundle_state::object>(context, devices, kernels);
    if (state == 2) result.executable = get<bundle_state::executable>(context, devices, kernels);
    keep_bundle(out, std::move(result));
}

static void bundle_compile(request &in, host_writer *out)
{
    std::shared_ptr<bundle> from = read_bundle_in(in, 0);
    in.end();
    keep_bundle(out, {{}, sycl::compile(*from->input), {}});
}

static void bundle_link(request &in, host_writer *out)
{
    std::vector<sycl::kernel_bundle<bundle_state::object>> objects;
    uint32_t count = in.count(4);
    for (uint32_t i = 0; i < count; i++)
        objects.push_back(*read_bundle_in(in, 1)->object);
    in.end();
    keep_bundle(out, {{}, {}, sycl::link(objects)});
}

static void bundle_build(request &in, host_writer *out)
{
    std::shared_ptr<bundle> from = read_bundle_in(in, 0);
    in.end();
    keep_bundle(out, {{}, {}, sycl::build(*from->input)});
}

template <bundle_state State>
static void join(const std::vector<std::shared_ptr<bundle>> &parts,
                 std::optional<sycl::kernel_bundle<State>> bundle::*in_state, bundle &result)
{
    std::vector<sycl::kernel_bundle<State>> joined;
    for (const auto &part : parts)
        joined.push_back(*((*part).*in_state));
    result.*in_state = sycl::join(joined);
}

static void bundle_join(request &in, host_writer *out)
{
    std::vector<std::shared_ptr<bundle>> parts;
    uint32_t count = in.count(4);
    for (uint32_t i = 0; i < count; i++) {
        parts.push_back(parts.empty() ? read_bundle(in)
                                      : read_bundle_in(in, state_number(*parts.front())));
    }
    in.end();
    if (parts.empty()) refuse_malformed("there is no bundle to join");
    bundle result;
    switch (state_number(*parts.front())) {
    case 0: join(parts, &bundle::input, result); break;
    case 1: join(parts, &bundle::object, result); break;
    default: join(parts, &bundle::executable, result); break;
    }
    keep_bundle(out, std::move(result));
}

static void bundle_show(request &in, host_writer *out)
{
    std::shared_ptr<bundle> source = read_bundle(in);
    in.end();
    const kernel_bundle_plain &plain = plain_view(*source);
    std::vector<sycl::kernel_id> kernels = plain.get_kernel_ids();
    host_write_u8(out, static_cast<uint8_t>(state_number(*source)));
    host_write_u32(out, static_cast<uint32_t>((plain.*member(last_image{}))() -
                                              (plain.*member(first_image{}))()));
    host_write_u32(out, static_cast<uint32_t>(kernels.size()));
    for (const sycl::kernel_id &kernel : kernels)
        host_write_text(out, kernel.get_name());
}

static void bundle_has_kernel(request &in, host_writer *out)
{
    std::shared_ptr<bundle> source = read_bundle(in);
    std::string name = in.text();
    uint32_t device = in.u32();
    in.end();
    sycl::kernel_id kernel = kernel_id_of(name);
    const kernel_bundle_plain &plain = plain_view(*source);
    host_write_u8(out, device == HOST_NONE ? plain.has_kernel(kernel)
                                           : plain.has_kernel(kernel, device_at(device)));
}

static void bundle_has_constant(request &in, host_writer *out)
{
    std::shared_ptr<bundle> source = read_bundle(in);
    std::string name = in.text();
    in.end();
    host_write_u8(out, has_constant(plain_view(*source), name));
}

static void bundle_constant(request &in, host_writer *out)
{
    std::shared_ptr<bundle> source = read_bundle(in);
    std::string name = in.text();
    in.end();
    std::vector<unsigned char> value = constant_value(plain_view(*source), name);
    host_write_bytes(out, value.data(), value.size());
}

static void bundle_set_constant(request &in, host_writer *out)
{
    (void)out;
    std::shared_ptr<bundle> source = read_bundle_in(in, 0);
    std::string name = in.text();
    std::vector<unsigned char> value = in.bytes();
    in.end();
    check_constant(*source->input, name, value);
    set_constant(*source->input, name, value);
}

static void bundle_submit(request &in, host_writer *out)
{
    std::shared_ptr<bundle> from = read_bundle_in(in, 2);
    std::shared_ptr<sycl::queue> queue = the_state().queues.at(in.u32());
    launch(in, out, *queue, from.get());
}

static void (*const operations[HOST_BUNDLE_END])(request &, host_writer *) = {
    nullptr,         bundle_get,          bundle_compile,
    bundle_link,     bundle_build,        bundle_join,
    bundle_show,     bundle_has_kernel,   bundle_has_constant,
    bundle_constant, bundle_set_constant, bundle_submit,
};

void answer_bundle(request &in, host_writer *out)
{
    uint32_t operation = below(in.u8(), HOST_BUNDLE_END, "bundle operation");
    if (!operations[operation]) refuse_malformed("there is no bundle operation 0");
    operations[operation](in, out);
}

} // namespace dpcpp
