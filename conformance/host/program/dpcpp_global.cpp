/* device_globals: the host's variables, and copying to and from them.
 *
 * In an application, code added by the compiler of DPC++ registers the variable under the unique id
 * that its images' property set "SYCL/device globals" names. libsycl knows the variable by its
 * address; without device_image_scope a pointer follows there, which libsycl does not use here, and
 * then the variable's initial value. Besides calling libsycl's functions, this file does what the
 * templates in its headers do before they call them. Source: intel/llvm,
 * sycl/doc/design/DeviceGlobal.md, "Changes to the DPC++ front-end"; sycl_ext_oneapi_device_global.
 */
#include "conformance/host/program/dpcpp.h"
#include "conformance/host/program/dpcpp_private.h"

#include <cstdlib>
#include <cstring>
#include <map>
#include <sycl/detail/device_global_map.hpp>

namespace dpcpp
{

/* ---- Registration ------------------------------------------------------------------------- */

/* libsycl reads the variable's initial value with the size given by the image, whatever the
 * variable's own size; this many spare bytes follow it, for an image that gives a larger size. */
static const size_t object_slack = 1u << 16;

/* The variables that modules registered, by id, the last of each; ids live as long as the process,
 * as in an application. Created at the first use, because modules' constructors run before main. */
struct registered_globals {
    std::mutex lock;
    std::map<std::string, std::shared_ptr<global>> by_id;
};

static registered_globals &the_registered()
{
    static auto *registered = new registered_globals; /* for as long as libsycl has its addresses */
    return *registered;
}

static void register_global(const char *id, size_t size, bool image_scope)
{
    size_t before = image_scope ? 0 : sizeof(void *);
    auto made = std::make_shared<global>();
    made->image_scope = image_scope;
    made->size = size;
    made->object = static_cast<unsigned char *>(calloc(1, before + size + object_slack));
    if (!made->object) std::terminate(); /* no caller exists yet to report to */
    registered_globals &all = the_registered();
    std::lock_guard<std::mutex> held(all.lock);
    auto at = all.by_id.insert_or_assign(id, std::move(made)).first;
    sycl::detail::device_global_map::add(at->second->object, at->first.c_str());
}

void answer_global(request &in, host_writer *out)
{
    std::string id = in.text();
    in.end();
    registered_globals &all = the_registered();
    std::lock_guard<std::mutex> held(all.lock);
    auto at = all.by_id.find(id);
    if (at == all.by_id.end()) refuse("no loaded module has a device_global " + id);
    host_write_u32(out, the_state().globals.add(at->second));
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
static void fill_handler(sycl::handler &handler, const global_copy &what)
{
    handler.depends_on(what.after);
    const global &of = *what.variable;
    bool used = sycl::detail::isDeviceGlobalUsedInKernel(of.object);
    if (what.to_global && used) {
        (handler.*member(copy_to_global{}))(of.object, what.pointer, of.image_scope, what.size,
                                            what.global_offset);
    } else if (what.to_global) {
        (handler.*member(copy_to_host_global{}))(of.object, what.pointer, of.size, of.image_scope,
                                                 what.size, what.global_offset);
    } else if (used) {
        (handler.*member(copy_from_global{}))(what.pointer, of.object, of.image_scope, what.size,
                                              what.global_offset);
    } else {
        (handler.*member(copy_from_host_global{}))(what.pointer, of.object, of.image_scope,
                                                   what.size, what.global_offset);
    }
}

/* Like libsycl's queue::memcpy, which uses the handler for a variable that no image uses. */
static sycl::event copy_global(const global_copy &what)
{
    const global &of = *what.variable;
    sycl::queue &queue = *what.queue;
    if (what.by_handler || !sycl::detail::isDeviceGlobalUsedInKernel(of.object))
        return queue.submit([&](sycl::handler &handler) { fill_handler(handler, what); });
    if (what.to_global) {
        return (queue.*member(queue_copy_to_global{}))(of.object, what.pointer, of.image_scope,
                                                       what.size, what.global_offset, what.after);
    }
    return (queue.*member(queue_copy_from_global{}))(what.pointer, of.object, of.image_scope,
                                                     what.size, what.global_offset, what.after);
}

void answer_global_copy(request &in, host_writer *out)
{
    state &all = the_state();
    global_copy what;
    what.queue = all.queues.at(in.u32());
    what.to_global = below(in.u8(), 2, "direction") == HOST_TO_GLOBAL;
    what.by_handler = below(in.u8(), 2, "way to copy") == 1;
    what.variable = all.globals.at(in.u32());
    what.global_offset = in.u64();
    std::shared_ptr<memory> with = all.memories.at(in.u32());
    uint64_t offset = in.u64();
    what.size = in.u64();
    what.after = read_after(in);
    in.end();
    /* libsycl's bounds check, from a template in its headers; the sum may wrap. */
    if (what.variable->size < what.global_offset + what.size) {
        throw sycl::exception(sycl::make_error_code(sycl::errc::invalid),
                              what.to_global ? "Copy to device_global is out of bounds."
                                             : "Copy from device_global is out of bounds.");
    }
    /* libsycl does not check this; an application whose pointer refers to fewer bytes would crash.
     */
    if (what.size > with->size || offset > with->size - what.size) {
        refuse("exception", "libsycl takes a copy of " + std::to_string(what.size) +
                                " bytes with a memory of " + std::to_string(with->size));
    }
    if (!with->buffer) {
        what.pointer = with->pointer + offset;
        keep_command(out, copy_global(what), with);
        return;
    }
    /* SYCL copies between a device_global and a pointer, so a copy with a buffer goes through a
     * block of host memory. */
    auto block = std::make_shared<byte_block>(what.size);
    what.pointer = block->data();
    if (what.to_global) {
        what.after = {bring(*what.queue, *with, offset, block, what.after)};
        keep_command(out, copy_global(what), block);
    } else {
        sycl::event copied = copy_global(what);
        keep_command(out, put(*what.queue, block, *with, offset, {copied}), block);
    }
}

void answer_global_read(request &in, host_writer *out)
{
    state &all = the_state();
    global_copy what;
    what.queue = all.queues.at(in.u32());
    what.variable = all.globals.at(in.u32());
    in.end();
    what.size = what.variable->size;
    byte_block content(what.size);
    what.pointer = content.data();
    /* A host read follows everything; nothing else orders a kernel before a copy. */
    for (const auto &queue : all.queues.all())
        queue->wait_and_throw();
    copy_global(what).wait_and_throw();
    throw_failures();
    host_write_bytes(out, content.data(), content.size());
}

} // namespace dpcpp

extern "C" __attribute__((visibility("default"))) void
assay_module_global(const char *unique_id, unsigned long size, int image_scope)
{
    dpcpp::register_global(unique_id, size, image_scope != 0);
}
