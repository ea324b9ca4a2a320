/* device_globals: the host's variables, and copying to and from them.
 *
 * An application's variable is registered by code that the compiler of DPC++ adds to it, under the
 * unique id that its images' property set "SYCL/device globals" names.  What libsycl knows of the
 * variable is its address; behind it stands, without device_image_scope, a pointer that libsycl
 * does not use here, and the value that the variable begins with. Source: intel/llvm,
 * sycl/doc/design/DeviceGlobal.md, "Changes to the DPC++ front-end"; sycl_ext_oneapi_device_global.
 */
#include "conformance/host/program/dpcpp.h"
#include "conformance/host/program/dpcpp_private.h"

#include <cstdlib>
#include <cstring>
#include <set>
#include <sycl/detail/device_global_map.hpp>

namespace dpcpp
{

/* libsycl reads the value that the variable begins with in the size that the image gives, whatever
 * the variable's own is; so much lies behind it for an image that gives more. */
static const size_t object_slack = 1u << 16;

/* Ids that have a variable: a second one is undefined in libsycl, which checks it in its debug
 * build only.  Both live as long as the process, as an application's variables do. */
static std::mutex ids_lock;
static std::set<std::string> ids;

void answer_global(request &in, host_writer *out)
{
    std::string id = in.text();
    auto made = std::make_shared<global>();
    made->image_scope = below(in.u8(), 2, "scope") == 1;
    std::vector<unsigned char> initial = in.bytes();
    in.end();
    if (initial.empty()) refuse("a device_global has at least one byte");
    size_t before = made->image_scope ? 0 : sizeof(void *);
    made->size = initial.size();
    made->object = static_cast<unsigned char *>(calloc(1, before + initial.size() + object_slack));
    if (!made->object) throw std::bad_alloc();
    std::memcpy(made->object + before, initial.data(), initial.size());
    std::lock_guard<std::mutex> held(ids_lock);
    auto inserted = ids.insert(id);
    if (!inserted.second) {
        free(made->object);
        refuse("device_global " + id + " has a host variable already");
    }
    sycl::detail::device_global_map::add(made->object, inserted.first->c_str());
    host_write_u32(out, the_state().globals.add(std::move(made)));
}

struct global_copy {
    bool to_global = false;
    std::shared_ptr<global> variable;
    uint64_t global_offset = 0;
    unsigned char *pointer = nullptr;
    uint64_t size = 0;
    std::vector<sycl::event> after;
};

/* As in libsycl's own handler::memcpy, whose size is a type's. */
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

void answer_global_copy(request &in, host_writer *out)
{
    state &all = the_state();
    std::shared_ptr<sycl::queue> queue = all.queues.at(in.u32());
    global_copy what;
    what.to_global = below(in.u8(), 2, "direction") == HOST_TO_GLOBAL;
    what.variable = all.globals.at(in.u32());
    what.global_offset = in.u64();
    std::shared_ptr<memory> with = all.memories.at(in.u32());
    uint64_t offset = in.u64();
    what.size = in.u64();
    what.after = read_after(in);
    in.end();
    if (what.size > what.variable->size || what.global_offset > what.variable->size - what.size) {
        refuse(std::string("Copy ") + (what.to_global ? "to" : "from") +
               " device_global is out of bounds.");
    }
    if (!with->pointer) refuse("a device_global is copied to and from unified shared memory only");
    if (what.size > with->size || offset > with->size - what.size) {
        refuse("the copy does not lie in the memory of " + std::to_string(with->size) + " bytes");
    }
    what.pointer = with->pointer + offset;
    keep_command(out, queue->submit([&](sycl::handler &handler) { fill_handler(handler, what); }));
}

} // namespace dpcpp
