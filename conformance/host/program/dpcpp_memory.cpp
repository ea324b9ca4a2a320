/* Devices, contexts, queues, memories, and the commands of a queue other than launches. */
#include "conformance/host/program/dpcpp.h"
#include "conformance/host/program/dpcpp_private.h"

#include <algorithm>
#include <cstring>

namespace dpcpp
{

/* ---- Devices, contexts, queues ------------------------------------------------------------ */

const sycl::device &device_at(uint32_t number)
{
    state &process = the_state();
    if (number >= process.devices.size()) {
        refuse_malformed("there is no device " + std::to_string(number) + "; libsycl lists " +
                         std::to_string(process.devices.size()));
    }
    return process.devices[number];
}

/* The default context: of Khronos's extension, or of the one that older releases have. */
template <class Platform>
static auto default_context(const Platform &platform, int)
    -> decltype(platform.khr_get_default_context())
{
    return platform.khr_get_default_context();
}
template <class Platform> static sycl::context default_context(const Platform &platform, long)
{
    return platform.ext_oneapi_get_default_context();
}

sycl::context context_at(uint32_t number, const sycl::device &device)
{
    if (number != HOST_NONE) return *the_state().contexts.at(number);
    if (the_state().common) return *the_state().common;
    return default_context(device.get_platform(), 0);
}

/* libsycl 8 of 2025.0 does not know this aspect, so its devices do not have it. */
template <class Aspect, Aspect Named = Aspect::ext_oneapi_virtual_functions>
static bool has_virtual_functions(const sycl::device &device, int)
{
    return device.has(Named);
}
template <class Aspect> static bool has_virtual_functions(const sycl::device &, long)
{
    return false;
}

/* The bits of dev_aspect, in the order of its table of SYCL's numbers (fp16, fp64, atomic64,
 * ext_oneapi_virtual_functions). */
static uint32_t aspect_bits(const sycl::device &device)
{
    const bool reported[] = {device.has(sycl::aspect::fp16), device.has(sycl::aspect::fp64),
                             device.has(sycl::aspect::atomic64),
                             has_virtual_functions<sycl::aspect>(device, 0)};
    uint32_t aspects = 0;
    for (size_t i = 0; i < sizeof reported / sizeof *reported; i++)
        aspects |= reported[i] ? 1u << i : 0;
    return aspects;
}

/* Replaces the devices with `wanted` sub-devices of the first, which have one compute unit each and
 * whose queues share a context; with as many as there are compute units, if these are fewer. */
static void divide_device(uint32_t wanted)
{
    using sycl::info::partition_property;
    state &process = the_state();
    if (wanted < 2 || process.devices.empty() || process.common) return;
    const sycl::device &whole = process.devices.front();
    size_t most = whole.get_info<sycl::info::device::partition_max_sub_devices>();
    size_t count = std::min<size_t>(wanted, most);
    if (count < 2) return;
    process.devices = whole.create_sub_devices<partition_property::partition_by_counts>(
        std::vector<size_t>(count, 1));
    process.common.emplace(process.devices);
}

void answer_devices(request &in, host_writer *out)
{
    uint32_t wanted = in.u32();
    in.end();
    divide_device(wanted);
    const std::vector<sycl::device> &devices = the_state().devices;
    host_write_u32(out, static_cast<uint32_t>(devices.size()));
    for (const sycl::device &device : devices) {
        write_text(out, device.get_info<sycl::info::device::name>());
        write_text(out, device.get_platform().get_info<sycl::info::platform::name>() + " " +
                            device.get_info<sycl::info::device::driver_version>());
        host_write_u32(out, aspect_bits(device));
    }
}

void answer_context(request &in, host_writer *out)
{
    std::vector<sycl::device> devices;
    uint32_t count = in.count(4);
    for (uint32_t i = 0; i < count; i++)
        devices.push_back(device_at(in.u32()));
    in.end();
    if (devices.empty()) refuse_malformed("a context has at least one device");
    host_write_u32(out, the_state().contexts.add(std::make_shared<sycl::context>(devices)));
}

/* Stores asynchronous exceptions until a request asks for them. */
static void collect_failures(sycl::exception_list failures)
{
    state &process = the_state();
    std::lock_guard<std::mutex> held(process.failures_lock);
    for (const std::exception_ptr &failure : failures)
        process.failures.push_back(failure);
}

void answer_queue(request &in, host_writer *out)
{
    const sycl::device &device = device_at(in.u32());
    sycl::context context = context_at(in.u32(), device);
    bool in_order = below(in.u8(), 2, "order") == 1;
    bool profiles = below(in.u8(), 2, "profiling") == 1;
    in.end();
    const sycl::property::queue::in_order ordered;
    const sycl::property::queue::enable_profiling profiled;
    sycl::property_list properties;
    if (in_order && profiles)
        properties = sycl::property_list{ordered, profiled};
    else if (in_order)
        properties = sycl::property_list{ordered};
    else if (profiles)
        properties = sycl::property_list{profiled};
    host_write_u32(out, the_state().queues.add(std::make_shared<sycl::queue>(
                            context, device, collect_failures, properties)));
}

/* ---- Memories ----------------------------------------------------------------------------- */

memory::~memory()
{
    if (pointer) sycl::free(pointer, *context);
}

/* Copies an entire memory object in unified shared memory, which no command is using, to or from
 * the host. The queue for device memory is created once and kept: when queues are created and
 * destroyed repeatedly, Intel's CPU runtime (2026.22.10) sometimes waits forever in clFinish while
 * one of its threads releases another queue. */
static void move(const memory &target, void *to, const void *from)
{
    if (target.kind != HOST_MEMORY_USM_DEVICE) {
        std::memcpy(to, from, target.size);
        return;
    }
    state &process = the_state();
    std::lock_guard<std::mutex> held(process.movers_lock);
    process.movers.resize(process.devices.size());
    std::optional<sycl::queue> &mover = process.movers[target.device];
    if (!mover) mover.emplace(*target.context, process.devices[target.device]);
    mover->memcpy(to, from, target.size).wait();
}

static const sycl::usm::alloc usm_kinds[HOST_MEMORY_KIND_END] = {
    sycl::usm::alloc::unknown,
    sycl::usm::alloc::device,
    sycl::usm::alloc::host,
    sycl::usm::alloc::shared,
};

void answer_memory(request &in, host_writer *out)
{
    auto result = std::make_shared<memory>();
    result->kind = below(in.u32(), HOST_MEMORY_KIND_END, "kind of memory");
    result->device = in.u32();
    const sycl::device &device = device_at(result->device);
    result->size = in.u64();
    bool has_content = below(in.u8(), 2, "content") == 1;
    std::vector<unsigned char> content = in.bytes();
    in.end();
    if (result->size == 0) refuse_malformed("a memory has at least one byte");
    if (content.size() != (has_content ? result->size : 0)) {
        refuse_malformed("a memory of " + std::to_string(result->size) + " bytes comes with " +
                         std::to_string(content.size()) + " bytes of contents");
    }
    if (result->kind == HOST_MEMORY_BUFFER && has_content) {
        /* constructed from iterators, the buffer copies the contents without writing back */
        result->buffer.emplace(content.begin(), content.end());
    } else if (result->kind == HOST_MEMORY_BUFFER) {
        result->buffer.emplace(sycl::range<1>(result->size));
    } else {
        result->context = context_at(HOST_NONE, device);
        result->pointer = static_cast<unsigned char *>(
            sycl::malloc(result->size, device, *result->context, usm_kinds[result->kind]));
        if (!result->pointer) {
            throw refusal{"errc::memory_allocation", "libsycl cannot allocate " +
                                                         std::to_string(result->size) +
                                                         " bytes of unified shared memory"};
        }
    }
    if (result->pointer && has_content) move(*result, result->pointer, content.data());
    host_write_u32(out, the_state().memories.add(std::move(result)));
}

void answer_part(request &in, host_writer *out)
{
    std::shared_ptr<memory> whole = the_state().memories.at(in.u32());
    uint64_t offset = in.u64();
    auto result = std::make_shared<memory>();
    result->size = in.u64();
    in.end();
    if (!whole->buffer) refuse_malformed("a sub-buffer is part of a buffer");
    result->buffer.emplace(*whole->buffer, sycl::id<1>(offset), sycl::range<1>(result->size));
    host_write_u32(out, the_state().memories.add(std::move(result)));
}

void answer_end_part(request &in, host_writer *out)
{
    (void)out;
    std::shared_ptr<memory> part = the_state().memories.at(in.u32());
    in.end();
    if (!part->buffer) refuse_malformed("the memory is not a sub-buffer");
    part->buffer.reset();
}

void answer_read(request &in, host_writer *out)
{
    std::shared_ptr<memory> from = the_state().memories.at(in.u32());
    in.end();
    if (from->buffer) {
        sycl::host_accessor content(*from->buffer, sycl::read_only);
        throw_failures();
        host_write_bytes(out, &content[0], from->size);
        return;
    }
    /* Only waiting for every possible user orders the host's access to unified shared memory. */
    for (const auto &queue : the_state().queues.snapshot())
        queue->wait_and_throw();
    throw_failures();
    std::vector<unsigned char> content(from->size);
    move(*from, content.data(), from->pointer);
    host_write_bytes(out, content.data(), content.size());
}

/* ---- Commands ----------------------------------------------------------------------------- */

std::vector<sycl::event> read_after(request &in)
{
    std::vector<sycl::event> events;
    uint32_t count = in.count(4);
    for (uint32_t i = 0; i < count; i++)
        events.push_back(the_state().commands.at(in.u32())->event);
    return events;
}

uint32_t hold_command(sycl::event event, std::shared_ptr<void> keep_alive)
{
    auto result = std::make_shared<command>();
    result->event = std::move(event);
    result->keep_alive = std::move(keep_alive);
    return the_state().commands.add(std::move(result));
}

void keep_command(host_writer *out, sycl::event event, std::shared_ptr<void> keep_alive)
{
    host_write_u32(out, hold_command(std::move(event), std::move(keep_alive)));
}

void answer_wait(request &in, host_writer *out)
{
    (void)out;
    uint32_t awaited = below(in.u8(), HOST_AWAIT_COMMAND + 1, "kind of wait");
    uint32_t number = in.u32();
    in.end();
    state &process = the_state();
    switch (awaited) {
    case HOST_AWAIT_ALL:
        for (const auto &queue : process.queues.snapshot())
            queue->wait_and_throw();
        break;
    case HOST_AWAIT_QUEUE: process.queues.at(number)->wait_and_throw(); break;
    default: process.commands.at(number)->event.wait_and_throw(); break;
    }
    throw_failures();
}

void answer_times(request &in, host_writer *out)
{
    namespace times = sycl::info::event_profiling;
    std::shared_ptr<command> asked = the_state().commands.at(in.u32());
    in.end();
    const sycl::event &event = asked->event;
    host_write_u64(out, event.get_profiling_info<times::command_submit>());
    host_write_u64(out, event.get_profiling_info<times::command_start>());
    host_write_u64(out, event.get_profiling_info<times::command_end>());
}

void answer_barrier(request &in, host_writer *out)
{
    std::shared_ptr<sycl::queue> queue = the_state().queues.at(in.u32());
    bool waits_for_all = below(in.u8(), 2, "wait") == 1;
    std::vector<sycl::event> after = read_after(in);
    in.end();
    keep_command(out, waits_for_all ? queue->ext_oneapi_submit_barrier()
                                    : queue->ext_oneapi_submit_barrier(after));
}

/* ---- Transfers ---------------------------------------------------------------------------- */

/* A part of a memory. */
struct part {
    std::shared_ptr<memory> target;
    uint64_t offset = 0;
};

struct transfer {
    std::shared_ptr<sycl::queue> queue;
    part to, from; /* for a fill, from.target is null */
    uint64_t size = 0;
    std::vector<unsigned char> pattern;
    std::vector<sycl::event> after;
};

template <sycl::access_mode Mode>
static sycl::accessor<unsigned char, 1, Mode> access(const memory &target, uint64_t offset,
                                                     uint64_t size, sycl::handler &handler)
{
    sycl::buffer<unsigned char, 1> buffer = *target.buffer; /* another handle of the same buffer */
    return {buffer, handler, sycl::range<1>(size), sycl::id<1>(offset)};
}

sycl::event bring(sycl::queue &queue, const memory &from, uint64_t offset,
                  const std::shared_ptr<byte_block> &to, const std::vector<sycl::event> &after)
{
    sycl::event event = queue.submit([&](sycl::handler &handler) {
        handler.depends_on(after);
        if (from.buffer) {
            handler.copy(access<sycl::access_mode::read>(from, offset, to->size(), handler),
                         to->data());
        } else {
            handler.memcpy(to->data(), from.pointer + offset, to->size());
        }
    });
    hold_command(event, to); /* the command for which the bytes are brought may be refused */
    return event;
}

sycl::event put(sycl::queue &queue, const std::shared_ptr<byte_block> &from, const memory &to,
                uint64_t offset, const std::vector<sycl::event> &after)
{
    return queue.submit([&](sycl::handler &handler) {
        handler.depends_on(after);
        if (to.buffer) {
            handler.copy(from->data(),
                         access<sycl::access_mode::write>(to, offset, from->size(), handler));
        } else {
            handler.memcpy(to.pointer + offset, from->data(), from->size());
        }
    });
}

/* A buffer of bytes can only be filled with bytes, so a longer pattern is repeated here and copied.
 */
static void fill(const transfer &parameters, host_writer *out)
{
    size_t length = parameters.pattern.size();
    const memory &to = *parameters.to.target;
    if (to.buffer && length > 1) {
        auto block = std::make_shared<byte_block>(parameters.size);
        for (size_t i = 0; i < parameters.size; i++)
            (*block)[i] = parameters.pattern[i % length];
        keep_command(out, put(*parameters.queue, block, to, parameters.to.offset, parameters.after),
                     block);
        return;
    }
    auto pattern = std::make_shared<byte_block>(parameters.pattern);
    sycl::event event = parameters.queue->submit([&](sycl::handler &handler) {
        handler.depends_on(parameters.after);
        if (to.buffer) {
            handler.fill(access<sycl::access_mode::write>(to, parameters.to.offset, parameters.size,
                                                          handler),
                         (*pattern)[0]);
        } else {
            (handler.*member(fill_memory{}))(to.pointer + parameters.to.offset, pattern->data(),
                                             length, parameters.size / length);
        }
    });
    keep_command(out, event, pattern);
}

static void copy(const transfer &parameters, host_writer *out)
{
    const memory &from = *parameters.from.target, &to = *parameters.to.target;
    if (from.buffer.has_value() != to.buffer.has_value()) {
        /* SYCL's copy between an accessor and a pointer requires a pointer to host memory, so a
         * copy between a buffer and unified shared memory goes through a block of host memory. */
        auto block = std::make_shared<byte_block>(parameters.size);
        sycl::event copied =
            bring(*parameters.queue, from, parameters.from.offset, block, parameters.after);
        keep_command(out, put(*parameters.queue, block, to, parameters.to.offset, {copied}), block);
        return;
    }
    sycl::event event = parameters.queue->submit([&](sycl::handler &handler) {
        handler.depends_on(parameters.after);
        if (from.buffer) {
            handler.copy(access<sycl::access_mode::read>(from, parameters.from.offset,
                                                         parameters.size, handler),
                         access<sycl::access_mode::write>(to, parameters.to.offset, parameters.size,
                                                          handler));
        } else {
            handler.memcpy(to.pointer + parameters.to.offset, from.pointer + parameters.from.offset,
                           parameters.size);
        }
    });
    keep_command(out, event);
}

void answer_transfer(request &in, host_writer *out)
{
    state &process = the_state();
    transfer parameters;
    parameters.queue = process.queues.at(in.u32());
    parameters.to.target = process.memories.at(in.u32());
    parameters.to.offset = in.u64();
    uint32_t from = in.u32();
    parameters.from.offset = in.u64();
    parameters.size = in.u64();
    parameters.pattern = in.bytes();
    parameters.after = read_after(in);
    in.end();
    if (from == HOST_NONE) {
        if (parameters.pattern.empty() || parameters.size % parameters.pattern.size() != 0) {
            refuse_unreachable(HOST_UNREACHABLE_PATTERN);
        }
        fill(parameters, out);
        return;
    }
    if (!parameters.pattern.empty()) refuse_malformed("a copy has no pattern");
    parameters.from.target = process.memories.at(from);
    copy(parameters, out);
}

/* ---- Host tasks --------------------------------------------------------------------------- */

/* A memory as a host task accesses it: through an accessor, or a pointer that host code can use. */
template <sycl::access_mode Mode> struct host_side {
    std::optional<sycl::accessor<unsigned char, 1, Mode, sycl::target::host_task>> accessor;
    unsigned char *pointer = nullptr;

    host_side(const std::shared_ptr<memory> &target, sycl::handler &handler)
    {
        if (!target) return;
        if (!target->buffer) {
            pointer = target->pointer;
            return;
        }
        sycl::buffer<unsigned char, 1> buffer = *target->buffer;
        accessor.emplace(buffer, handler);
    }
    auto *address() const
    {
        return accessor ? &(*accessor)[0] : pointer;
    }
};

void answer_host_task(request &in, host_writer *out)
{
    state &process = the_state();
    std::shared_ptr<sycl::queue> queue = process.queues.at(in.u32());
    std::shared_ptr<memory> from = process.memories.at(in.u32()), to;
    uint32_t to_number = in.u32(), awaited_number = in.u32(), gate_number = in.u32();
    std::shared_ptr<gate> held_by;
    if (gate_number != HOST_NONE) held_by = process.gates.at(gate_number);
    if (to_number != HOST_NONE) to = process.memories.at(to_number);
    std::optional<sycl::event> awaited;
    if (awaited_number != HOST_NONE) awaited = process.commands.at(awaited_number)->event;
    std::vector<sycl::event> after = read_after(in);
    in.end();
    if (to && to->size != from->size) refuse_malformed("a host task copies a whole memory");
    for (const auto &end : {from, to})
        if (end && end->kind == HOST_MEMORY_USM_DEVICE)
            refuse_malformed("host code cannot access device memory");
    keep_command(out, queue->submit([&](sycl::handler &handler) {
        handler.depends_on(after);
        host_side<sycl::access_mode::read> source(from, handler);
        host_side<sycl::access_mode::write> target(to, handler);
        handler.host_task([=, size = from->size, copies = to != nullptr] {
            if (awaited) sycl::event(*awaited).wait();
            if (held_by) held_by->wait();
            if (copies) std::memcpy(target.address(), source.address(), size);
        });
    }));
}

/* The host's part of what host tasks wait for. */
void answer_gate(request &in, host_writer *out)
{
    in.end();
    host_write_u32(out, the_state().gates.add(std::make_shared<gate>()));
}

void answer_release(request &in, host_writer *out)
{
    (void)out;
    std::shared_ptr<gate> opened = the_state().gates.at(in.u32());
    in.end();
    opened->open();
}

/* ---- Host accessors ----------------------------------------------------------------------- */

/* Creates a host accessor of a range, which waits for the commands that use the buffer. */
template <sycl::access_mode Mode, class... Properties>
static void accessor_make(mapping &made, const memory &target, uint64_t offset,
                          Properties... properties)
{
    using accessor = sycl::host_accessor<unsigned char, 1, Mode>;
    sycl::buffer<unsigned char, 1> buffer = *target.buffer;
    auto created = std::make_shared<accessor>(buffer, sycl::range<1>(made.size),
                                              sycl::id<1>(offset), properties...);
    auto *first = &(*created)[sycl::id<1>(0)];
    made.bytes = first;
    if constexpr (Mode != sycl::access_mode::read) made.written = first;
    made.accessor = std::move(created);
}

static void commands_wait(const std::vector<sycl::event> &after)
{
    for (sycl::event event : after)
        event.wait_and_throw();
}

void answer_map(request &in, host_writer *out)
{
    std::shared_ptr<memory> target = the_state().memories.at(in.u32());
    uint32_t access = below(in.u8(), HOST_MAP_ACCESSES, "access");
    auto made = std::make_shared<mapping>();
    uint64_t offset = in.u64();
    made->size = in.u64();
    std::vector<sycl::event> after = read_after(in);
    in.end();
    if (!target->buffer) refuse_malformed("a host accessor is for a buffer");
    if (made->size == 0 || offset > target->size || made->size > target->size - offset)
        refuse_malformed("a host accessor is for bytes of its buffer");
    commands_wait(after);
    switch (access) {
    case HOST_MAP_READ: accessor_make<sycl::access_mode::read>(*made, *target, offset); break;
    case HOST_MAP_WRITE: accessor_make<sycl::access_mode::write>(*made, *target, offset); break;
    case HOST_MAP_READ_WRITE:
        accessor_make<sycl::access_mode::read_write>(*made, *target, offset);
        break;
    default:
        accessor_make<sycl::access_mode::write>(*made, *target, offset,
                                                sycl::property_list{sycl::no_init});
    }
    host_write_u32(out, the_state().mappings.add(std::move(made)));
}

static std::shared_ptr<mapping> mapping_at(uint32_t number)
{
    std::shared_ptr<mapping> found = the_state().mappings.at(number);
    if (!found->accessor) refuse_malformed("the host accessor has been destroyed");
    return found;
}

void answer_mapped_read(request &in, host_writer *out)
{
    std::shared_ptr<mapping> mapped = mapping_at(in.u32());
    in.end();
    host_write_bytes(out, mapped->bytes, mapped->size);
}

void answer_mapped_write(request &in, host_writer *out)
{
    (void)out;
    std::shared_ptr<mapping> mapped = mapping_at(in.u32());
    uint64_t offset = in.u64();
    std::vector<unsigned char> bytes = in.bytes();
    in.end();
    if (!mapped->written || offset > mapped->size || bytes.size() > mapped->size - offset)
        refuse_malformed("a write through a host accessor is outside of it, or it is read-only");
    std::memcpy(mapped->written + offset, bytes.data(), bytes.size());
}

void answer_unmap(request &in, host_writer *out)
{
    (void)out;
    std::shared_ptr<mapping> mapped = mapping_at(in.u32());
    std::vector<sycl::event> after = read_after(in);
    in.end();
    commands_wait(after);
    mapped->accessor.reset();
}

} // namespace dpcpp
