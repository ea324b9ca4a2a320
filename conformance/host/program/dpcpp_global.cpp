/* device_globals: the host's variables, and copying to and from them.
 *
 * In an application, code added by the DPC++ compiler registers the variable under the unique id
 * that its images' property set "SYCL/device globals" names. The host half of a SYCL source has
 * that code; for variables of other sources, the modules' constructors do the same
 * (conformance/host/source.c). libsycl knows the variable by its address. Without
 * device_image_scope, that address holds a pointer, which libsycl does not use here, followed by
 * the variable's initial value. Besides calling libsycl's functions, this file does what the
 * templates in its headers do before they call them. Source: intel/llvm,
 * sycl/doc/design/DeviceGlobal.md, "Changes to the DPC++ front-end"; sycl_ext_oneapi_device_global.
 */
#include "conformance/host/program/dpcpp.h"
#include "conformance/host/program/dpcpp_private.h"

#include <sycl/ext/oneapi/device_global/device_global.hpp>

#include <algorithm>
#include <cstring>
#include <map>
#include <sycl/detail/device_global_map.hpp>

namespace dpcpp
{

/* ---- Registration ------------------------------------------------------------------------- */

/* The variables that modules named, by id; a later variable of an id replaces the earlier
 * one. The table is created at its first use, because modules' constructors run before main. */
struct registered_globals {
    std::mutex lock;
    std::map<std::string, std::shared_ptr<global>> by_id;
};

static registered_globals &the_registered()
{
    static auto *registered = new registered_globals; /* modules register until the process ends */
    return *registered;
}

static void name_global(const void *object, const char *id, size_t size, bool image_scope)
{
    auto variable = std::make_shared<global>();
    variable->object = static_cast<unsigned char *>(const_cast<void *>(object));
    variable->image_scope = image_scope;
    variable->size = size;
    registered_globals &registered = the_registered();
    std::lock_guard<std::mutex> held(registered.lock);
    registered.by_id.insert_or_assign(id, std::move(variable));
}

void answer_global(request &in, host_writer *out)
{
    std::string id = in.text();
    in.end();
    registered_globals &registered = the_registered();
    std::lock_guard<std::mutex> held(registered.lock);
    auto entry = registered.by_id.find(id);
    if (entry == registered.by_id.end()) refuse_unreachable(HOST_UNREACHABLE_GLOBAL_UNKNOWN, id);
    host_write_u32(out, the_state().globals.add(entry->second));
}

/* ---- Copies ------------------------------------------------------------------------------- */

struct global_copy {
    std::shared_ptr<sycl::queue> queue;
    bool to_global = false;
    bool by_handler = false;
    std::shared_ptr<global> variable;
    uint64_t global_offset = 0;
    unsigned char *pointer = nullptr; /* in host memory, or in unified shared memory */
    uint64_t size = 0;
    std::vector<sycl::event> after;
};

/* Like libsycl's handler::memcpy, which takes the size from a type. */
static void fill_handler(sycl::handler &handler, const global_copy &copy)
{
    handler.depends_on(copy.after);
    const global &variable = *copy.variable;
    bool used = sycl::detail::isDeviceGlobalUsedInKernel(variable.object);
    if (copy.to_global && used) {
        (handler.*member(copy_to_global{}))(variable.object, copy.pointer, variable.image_scope,
                                            copy.size, copy.global_offset);
    } else if (copy.to_global) {
        (handler.*member(copy_to_host_global{}))(variable.object, copy.pointer, variable.size,
                                                 variable.image_scope, copy.size,
                                                 copy.global_offset);
    } else if (used) {
        (handler.*member(copy_from_global{}))(copy.pointer, variable.object, variable.image_scope,
                                              copy.size, copy.global_offset);
    } else {
        (handler.*member(copy_from_host_global{}))(
            copy.pointer, variable.object, variable.image_scope, copy.size, copy.global_offset);
    }
}

/* Like libsycl's queue::memcpy, which uses the handler for a variable that no image uses. */
static sycl::event copy_global(const global_copy &copy)
{
    const global &variable = *copy.variable;
    sycl::queue &queue = *copy.queue;
    if (copy.by_handler || !sycl::detail::isDeviceGlobalUsedInKernel(variable.object))
        return queue.submit([&](sycl::handler &handler) { fill_handler(handler, copy); });
    if (copy.to_global) {
        return (queue.*member(queue_copy_to_global{}))(variable.object, copy.pointer,
                                                       variable.image_scope, copy.size,
                                                       copy.global_offset, copy.after);
    }
    return (queue.*member(queue_copy_from_global{}))(copy.pointer, variable.object,
                                                     variable.image_scope, copy.size,
                                                     copy.global_offset, copy.after);
}

/* A copy past the end of a variable is refused by templates in libsycl's headers, before they look
 * at anything but the variable's type. So here they are instantiated for types of some sizes. */
template <size_t Size> static void copy_beyond(const global_copy &copy)
{
    using type = sycl::ext::oneapi::experimental::device_global<char[Size]>;
    type &variable = *reinterpret_cast<type *>(copy.variable->object);
    uint64_t size = copy.size, offset = copy.global_offset;
    if (copy.by_handler) {
        copy.queue->submit([&](sycl::handler &handler) {
            if (copy.to_global)
                handler.memcpy(variable, copy.pointer, size, offset);
            else
                handler.memcpy(copy.pointer, variable, size, offset);
        });
    } else if (copy.to_global) {
        copy.queue->memcpy(variable, copy.pointer, size, offset, copy.after);
    } else {
        copy.queue->memcpy(copy.pointer, variable, size, offset, copy.after);
    }
}

static void refuse_beyond(const global_copy &copy)
{
    static const struct {
        size_t size;
        void (*copy)(const global_copy &copy);
    } rows[] = {
#define ROW(size) {size, copy_beyond<size>}
        ROW(1),  ROW(2),  ROW(4),  ROW(8),   ROW(12),  ROW(16),   ROW(24),
        ROW(32), ROW(40), ROW(64), ROW(128), ROW(256), ROW(1024), ROW(4096),
#undef ROW
    };
    for (const auto &row : rows)
        if (row.size == copy.variable->size) row.copy(copy);
    refuse_unreachable(HOST_UNREACHABLE_COPY_BEYOND, std::to_string(copy.variable->size));
}

void answer_global_copy(request &in, host_writer *out)
{
    state &process = the_state();
    global_copy copy;
    copy.queue = process.queues.at(in.u32());
    copy.to_global = below(in.u8(), 2, "direction") == HOST_TO_GLOBAL;
    copy.by_handler = below(in.u8(), 2, "kind of copy") == 1;
    copy.variable = process.globals.at(in.u32());
    copy.global_offset = in.u64();
    std::shared_ptr<memory> operand = process.memories.at(in.u32());
    uint64_t offset = in.u64();
    copy.size = in.u64();
    copy.after = read_after(in);
    in.end();
    /* The sum may wrap, in libsycl's templates too. */
    if (copy.variable->size < copy.global_offset + copy.size) refuse_beyond(copy);
    /* libsycl never learns the size of the other memory, so a copy past its end is not refused here
     * either: an application could make it too. */
    if (!operand->buffer) {
        copy.pointer = operand->pointer + offset;
        keep_command(out, copy_global(copy), operand);
        return;
    }
    /* SYCL copies between a device_global and a pointer only, so a copy to or from a buffer goes
     * through a block of host memory. */
    auto block = std::make_shared<byte_block>(
        std::min(copy.size, operand->size - std::min(offset, operand->size)));
    copy.pointer = block->data();
    if (block->empty()) { /* libsycl does not survive an accessor to no elements */
        static unsigned char nothing;
        copy.pointer = &nothing;
        keep_command(out, copy_global(copy), operand);
    } else if (copy.to_global) {
        copy.after = {bring(*copy.queue, *operand, offset, block, copy.after)};
        keep_command(out, copy_global(copy), block);
    } else {
        sycl::event copied = copy_global(copy);
        hold_command(copied, block);
        keep_command(out, put(*copy.queue, block, *operand, offset, {copied}), block);
    }
}

void answer_global_read(request &in, host_writer *out)
{
    state &process = the_state();
    global_copy copy;
    copy.queue = process.queues.at(in.u32());
    copy.variable = process.globals.at(in.u32());
    in.end();
    copy.size = copy.variable->size;
    byte_block content(copy.size);
    copy.pointer = content.data();
    /* A host read waits for all earlier commands; nothing else orders a kernel before the copy. */
    for (const auto &queue : process.queues.snapshot())
        queue->wait_and_throw();
    copy_global(copy).wait_and_throw();
    throw_failures();
    host_write_bytes(out, content.data(), content.size());
}

} // namespace dpcpp

extern "C" __attribute__((visibility("default"))) void
assay_module_global(void *variable, const char *unique_id, unsigned long size, int image_scope)
{
    dpcpp::name_global(variable, unique_id, size, image_scope != 0);
    sycl::detail::device_global_map::add(variable, unique_id);
}

extern "C" __attribute__((visibility("default"))) void assay_module_variable(const void *variable,
                                                                             const char *unique_id,
                                                                             unsigned long size,
                                                                             int image_scope)
{
    dpcpp::name_global(variable, unique_id, size, image_scope != 0);
}
